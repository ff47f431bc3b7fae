//! Included files: where they are found, and how often they are read.
//!
//! A file whose guard is defined is not opened again. Files that include each other without
//! guards are stopped at a depth, and then no more are included at all: two in each would make
//! exponentially many.

use super::Preprocessor;
use super::directives::{Guard, OpenFile};
use crate::diagnostic::{Diagnostic, suggestion};
use crate::limits;
use crate::source::Span;
use crate::syntax::c::lexer::{Class, Lexeme, Lexer};
use crate::syntax::c::token::Kind;
use std::io;
use std::path::{Component, Path, PathBuf};

macro_rules! headers {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("headers/", $name)))),*]
    };
}

/// The headers of C's library that are part of derny: what their functions do is said elsewhere.
pub const HEADERS: &[(&str, &str)] = headers! {
    "alloca.h"
    "assert.h"
    "ctype.h"
    "errno.h"
    "float.h"
    "inttypes.h"
    "iso646.h"
    "limits.h"
    "malloc.h"
    "math.h"
    "pthread.h"
    "setjmp.h"
    "signal.h"
    "stdalign.h"
    "stdarg.h"
    "stdbool.h"
    "stddef.h"
    "stdint.h"
    "stdio.h"
    "stdlib.h"
    "stdnoreturn.h"
    "string.h"
    "sys/types.h"
    "time.h"
    "unistd.h"
};

/// How a file is named where it is included.
#[derive(Debug)]
pub struct Header {
    name: String,
    /// With quotes, it is looked for beside the file that includes it first.
    is_quoted: bool,
}

/// Why a header cannot be read.
#[derive(Debug)]
pub enum Missing {
    /// It is nowhere.
    Unknown,
    /// It is there, but cannot be read.
    Unreadable(PathBuf, io::Error),
    /// All files together are too large.
    TooLarge,
}

impl Preprocessor<'_> {
    /// Reads the rest of `#include`. With `#import`, a file is read only the first time; with
    /// `#include_next`, it is looked for behind the directory of the file that includes it.
    pub(super) fn include(&mut self, name: &[u8], directive: Span) {
        let Some(open) = self.open_files.last_mut() else {
            return;
        };
        let (header, span) = match open.lexer.header() {
            Some(raw) => {
                let span = open.lexer.span(raw.start, raw.end);
                let text = String::from_utf8_lossy(open.lexer.text(&raw)).into_owned();
                let rest = self.line();
                self.extra(&rest, "#include");
                (named(&text), span)
            }
            None => {
                let line = self.line();
                let span = match &line[..] {
                    [first, .., last] | [first @ last] => first.span.to(last.span),
                    [] => directive,
                };
                let line = self.expand_line(line);
                (self.header_of(&line), span)
            }
        };
        let Some(header) = header else {
            let message = "the name of a file is missing";
            let error = Diagnostic::error(span, message)
                .with_hint("write `#include \"file.h\"` or `#include <file.h>`");
            self.collector.report(error);
            return;
        };
        if self.includes_nothing {
            return;
        }
        let from = match (name, self.open_files.last()) {
            (b"include_next", Some(open)) => Some(self.files.get(open.file).next_directory),
            _ => None,
        };
        match self.find_header(&header, from) {
            Ok(file) => self.open_included(file, span, name == b"import"),
            Err(missing) => self.collector.report(not_found(&header, missing, span)),
        }
    }

    /// The header that expanded tokens name.
    pub(super) fn header_of(&self, list: &[Lexeme]) -> Option<Header> {
        match list {
            [text] if text.class == Class::Text => named(&self.spellings.text(text)),
            [open, name @ .., close] if open.is(Kind::Less) && close.is(Kind::Greater) => {
                let mut text = String::new();
                for (at, lexeme) in name.iter().enumerate() {
                    if at > 0 && lexeme.is_spaced {
                        text.push(' ');
                    }
                    text.push_str(&self.spellings.text(lexeme));
                }
                (!text.is_empty()).then_some(Header {
                    name: text,
                    is_quoted: false,
                })
            }
            _ => None,
        }
    }

    /// The file that a header is, read if that was not done before. With `from`, only this
    /// directory and those behind it are looked at.
    pub(super) fn find_header(
        &mut self,
        header: &Header,
        from: Option<usize>,
    ) -> Result<usize, Missing> {
        let directories = self.options.directories.iter().zip(1..);
        let mut places: Vec<_> = directories.skip(from.unwrap_or_default()).collect();
        if let (true, None, Some(open)) = (header.is_quoted, from, self.open_files.last()) {
            places.insert(0, (&self.files.get(open.file).directory, 0));
        }
        let paths = places.into_iter();
        let paths: Vec<(PathBuf, usize)> = paths
            .map(|(place, next)| (plain(&place.join(&header.name)), next))
            .collect();
        let mut missing = Missing::Unknown;
        for (path, next) in paths {
            if let Some(file) = self.files.find(&path) {
                return Ok(file);
            }
            match (self.options.reader)(&path) {
                Ok(bytes) => return self.add(&path.to_string_lossy(), &path, bytes, next),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => missing = Missing::Unreadable(path, error),
            }
        }
        let Some((name, text)) = HEADERS.iter().find(|(name, _)| *name == header.name) else {
            return Err(missing);
        };
        let name = format!("<{name}>");
        let path = Path::new(&name);
        match self.files.find(path) {
            Some(file) => Ok(file),
            None => self.add(&name, path, text.as_bytes().to_vec(), usize::MAX),
        }
    }

    fn add(
        &mut self,
        name: &str,
        path: &Path,
        bytes: Vec<u8>,
        next_directory: usize,
    ) -> Result<usize, Missing> {
        let file = self.files.add(name, path, bytes).ok_or(Missing::TooLarge)?;
        self.files.get_mut(file).next_directory = next_directory;
        Ok(file)
    }

    fn open_included(&mut self, index: usize, span: Span, is_once: bool) {
        let file = self.files.get_mut(index);
        let guard = file.guard;
        let is_done = file.is_once;
        file.is_once |= is_once;
        if is_done || guard.is_some_and(|guard| self.macros.get(guard).is_some()) {
            return;
        }
        self.included_bytes += self.files.get(index).length() as u64;
        let error = if self.open_files.len() >= limits::c::INCLUDE_DEPTH {
            let message = format!(
                "files include each other more than {} deep",
                limits::c::INCLUDE_DEPTH
            );
            Diagnostic::error(span, message).with_hint(self.chain(index))
        } else if self.included_bytes > limits::c::INCLUDED_BYTES {
            let message = format!(
                "included files have more than {} bytes, each counted as often as it is read",
                limits::c::INCLUDED_BYTES
            );
            Diagnostic::error(span, message)
        } else {
            return self.open(index);
        };
        self.includes_nothing = true;
        self.collector.report(error);
    }

    /// Opens a file, whose tokens come next.
    pub(super) fn open(&mut self, index: usize) {
        let file = self.files.get(index);
        self.open_files.push(OpenFile {
            file: index,
            lexer: Lexer::new(file.text.clone(), file.start),
            is_at_line_start: true,
            conditionals: self.conditionals.len(),
            guard: Guard::Start,
        });
    }

    /// Which files include which, up to the one that is to be included.
    fn chain(&self, last: usize) -> String {
        const SHOWN: usize = 6;
        let open = self.open_files.iter().map(|open| open.file);
        let open: Vec<usize> = open.collect();
        let cycle = open.iter().rposition(|file| *file == last);
        let start = cycle.unwrap_or_default();
        let mut chain: Vec<String> = open[start..]
            .iter()
            .chain([&last])
            .map(|file| format!("`{}`", self.files.get(*file).name))
            .collect();
        if chain.len() > SHOWN {
            let end = chain.split_off(chain.len() - SHOWN / 2);
            chain.truncate(SHOWN / 2);
            chain.push("...".into());
            chain.extend(end);
        }
        let chain = chain.join(" includes ");
        match cycle {
            Some(_) => format!("{chain}: one of them needs a guard, or `#pragma once`"),
            None => chain,
        }
    }
}

/// The header that is spelled like this.
fn named(text: &str) -> Option<Header> {
    let is_quoted = text.starts_with('"');
    let name = match is_quoted {
        true => text.strip_prefix('"')?.strip_suffix('"')?,
        false => text.strip_prefix('<')?.strip_suffix('>')?,
    };
    (!name.is_empty()).then(|| Header {
        name: name.to_owned(),
        is_quoted,
    })
}

fn not_found(header: &Header, missing: Missing, span: Span) -> Diagnostic {
    let name = &header.name;
    match missing {
        Missing::Unknown => {
            let known = HEADERS.iter().map(|(name, _)| *name);
            let hint = suggestion(name, known).unwrap_or_else(|| {
                "it is in no directory for included files, and is no header that is built in".into()
            });
            Diagnostic::error(span, format!("there is no file `{name}`")).with_hint(hint)
        }
        Missing::Unreadable(path, error) => {
            let message = format!("`{}` cannot be read: {error}", path.display());
            Diagnostic::error(span, message)
        }
        Missing::TooLarge => {
            Diagnostic::error(span, format!("with `{name}`, there is too much to read"))
        }
    }
}

/// The path without `.`, and without `..` behind a name: two ways to one file are one.
fn plain(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(result.components().next_back(), Some(Component::Normal(_))) =>
            {
                result.pop();
            }
            _ => result.push(part),
        }
    }
    result
}
