//! From files to the tokens of translation units: C11's preprocessor, with GNU's extensions.
//!
//! [`Preprocessor`] is its state. `directives` reads the open files and obeys what stands in them,
//! `include` opens files, `macros` defines, `expansion` and `substitution` replace, `condition`
//! evaluates `#if`, and `tokens` makes what the parser reads. Every mistake is reported, and reading goes on. It
//! takes time linear in what is read and what macros make of it, and recurses nowhere.

mod command;
mod condition;
mod directives;
mod expansion;
mod files;
mod include;
mod macros;
mod substitution;
#[cfg(test)]
mod tests;
mod tokens;

pub use command::output_of;

use super::DataModel;
use super::lexer::{Lexeme, Spellings};
use super::token::{Token, Vocabulary};
use crate::diagnostic::Diagnostic;
use crate::names::{Name, Names};
use crate::source::{Source, Span};
use crate::syntax::Collector;
use directives::{Conditional, OpenFile};
use expansion::{Call, Context, Defined};
use files::Files;
use macros::{Dynamic, Form, Macro, Macros};
use rustc_hash::FxHashMap;
use std::io;
use std::path::{Path, PathBuf};

/// How files are read.
pub struct Options<'a> {
    /// Where included files are looked for, in this order.
    pub directories: Vec<PathBuf>,
    /// Macros that are defined before the first line: `NAME` or `NAME=VALUE`.
    pub definitions: Vec<String>,
    /// What predefined macros say of the sizes of types.
    pub model: DataModel,
    /// Whether `#line`, and markers like `# 12 "file.c"`, tell lines and files; otherwise they
    /// are skipped. In a file that has been preprocessed already, `.i`, they always are.
    pub honours_markers: bool,
    /// Reads an included file.
    pub reader: &'a dyn Fn(&Path) -> io::Result<Vec<u8>>,
}

/// Translation units, with all that was read for them.
#[derive(Debug)]
pub struct Preprocessed {
    /// All files: those given, and those included.
    pub source: Source,
    /// One for each file given.
    pub units: Vec<Unit>,
    /// What the tokens of all units say.
    pub vocabulary: Vocabulary,
    /// What is wrong so far.
    pub collector: Collector,
    /// Where macros are used, by ascending places. No two overlap.
    uses: Vec<Span>,
}

/// A translation unit.
#[derive(Debug)]
pub struct Unit {
    /// Its tokens; the last one is the end of the file.
    pub tokens: Vec<Token>,
}

impl Preprocessed {
    /// The span, with the whole of each use of a macro that it lies in or cuts. An argument's
    /// tokens stand where they are written, so what begins with one begins inside the use.
    pub fn whole(&self, span: Span) -> Span {
        let first = self.uses.partition_point(|one| one.end <= span.start);
        let behind = self.uses.partition_point(|one| one.start < span.end);
        let cut = self.uses.get(first..behind).unwrap_or_default();
        cut.iter().fold(span, |span, one| span.to(*one))
    }
}

/// Reads translation units from files, each given by its name and its bytes. All are no longer
/// than `MAX_SOURCE_BYTES` together.
pub fn preprocess(files: Vec<(String, Vec<u8>)>, options: &Options<'_>) -> Preprocessed {
    preprocess_all(files, options, false)
}

/// The same, but in the last file the macros of the one before it are known, too.
pub fn preprocess_following(files: Vec<(String, Vec<u8>)>, options: &Options<'_>) -> Preprocessed {
    preprocess_all(files, options, true)
}

fn preprocess_all(
    files: Vec<(String, Vec<u8>)>,
    options: &Options<'_>,
    last_follows: bool,
) -> Preprocessed {
    let mut preprocessor = Preprocessor::new(options);
    let mut given = Vec::new();
    for (name, bytes) in files {
        match preprocessor.files.add(&name, Path::new(&name), bytes) {
            Some(file) => given.push(file),
            None => {
                let message = format!("with `{name}`, there is too much to read");
                let error = Diagnostic::error(Span::default(), message);
                preprocessor.collector.report(error);
            }
        }
    }
    let last = given.last().copied().filter(|_| last_follows);
    let units = given
        .into_iter()
        .map(|file| preprocessor.unit(file, last == Some(file)));
    let units = units.collect();
    preprocessor.finish(units)
}

/// Names that mean something here.
#[derive(Debug)]
struct Words {
    defined: Name,
    has_attribute: Name,
    has_builtin: Name,
    has_include: Name,
    va_args: Name,
    pragma: Name,
}

impl Words {
    fn new(names: &mut Names) -> Self {
        Words {
            defined: names.intern("defined"),
            has_attribute: names.intern("__has_attribute"),
            has_builtin: names.intern("__has_builtin"),
            has_include: names.intern("__has_include"),
            va_args: names.intern("__VA_ARGS__"),
            pragma: names.intern("_Pragma"),
        }
    }
}

/// The state of the preprocessor.
struct Preprocessor<'a> {
    options: &'a Options<'a>,
    files: Files,
    spellings: Spellings,
    words: Words,
    collector: Collector,
    vocabulary: Vocabulary,
    /// The tokens of constants, by class and spelling.
    constants: FxHashMap<(bool, u32), Token>,
    uses: Vec<Span>,

    // Of the unit that is being read:
    macros: Macros,
    open_files: Vec<OpenFile>,
    conditionals: Vec<Conditional>,
    contexts: Vec<Context>,
    calls: Vec<Call>,
    output: Vec<Lexeme>,
    /// How many files stay open while arguments are read.
    floor: usize,
    defined: Defined,
    honours_markers: bool,
    counter: u32,
    /// How many tokens macros have made.
    spent: usize,
    /// Whether these were too many.
    is_exhausted: bool,
    included_bytes: u64,
    includes_nothing: bool,
}

impl<'a> Preprocessor<'a> {
    fn new(options: &'a Options<'a>) -> Self {
        // Keywords are the first names of the vocabulary, so of the spellings, too.
        let mut spellings = Spellings::default();
        spellings.names = Vocabulary::default().names;
        Preprocessor {
            options,
            files: Files::default(),
            words: Words::new(&mut spellings.names),
            spellings,
            collector: Collector::default(),
            vocabulary: Vocabulary::default(),
            constants: FxHashMap::default(),
            uses: Vec::new(),
            macros: Macros::default(),
            open_files: Vec::new(),
            conditionals: Vec::new(),
            contexts: Vec::new(),
            calls: Vec::new(),
            output: Vec::new(),
            floor: 0,
            defined: Defined::Off,
            honours_markers: false,
            counter: 0,
            spent: 0,
            is_exhausted: false,
            included_bytes: 0,
            includes_nothing: false,
        }
    }

    fn unit(&mut self, file: usize, follows: bool) -> Unit {
        if !follows {
            self.macros = Macros::default();
            self.counter = 0;
        }
        let is_preprocessed = self.files.get(file).name.ends_with(".i");
        self.honours_markers = self.options.honours_markers && !is_preprocessed;
        if !follows {
            self.predefine();
        }
        self.open(file);
        self.expand();
        self.open_files.clear();
        self.conditionals.clear();
        let list = std::mem::take(&mut self.output);
        let end = self.files.get(file).end();
        let tokens = self.tokens(&list, Span::new(end, end));
        Unit { tokens }
    }

    /// Defines what is known before the first line.
    fn predefine(&mut self) {
        let mut text = match self.options.model {
            DataModel::Lp64 => "#define __LP64__ 1\n".to_owned(),
            DataModel::Ilp32 => String::new(),
        };
        text.push_str(include_str!("headers/predefined.h"));
        self.read_definitions("<built-in>", text);
        let dynamic = [
            ("__LINE__", Dynamic::Line),
            ("__FILE__", Dynamic::File),
            ("__COUNTER__", Dynamic::Counter),
        ];
        for (name, dynamic) in dynamic {
            let name = self.spellings.names.intern(name);
            let form = Form::Dynamic(dynamic);
            let span = Span::default();
            self.macros.set(name, Some(Macro { span, form }));
        }
        let lines = self.options.definitions.iter().map(|definition| {
            let (name, value) = definition.split_once('=').unwrap_or((definition, "1"));
            format!("#define {name} {value}\n").replace('\n', " ") + "\n"
        });
        let lines: String = lines.collect();
        if !lines.is_empty() {
            self.read_definitions("<command line>", lines);
        }
    }

    fn read_definitions(&mut self, name: &str, text: String) {
        let file = match self.files.find(Path::new(name)) {
            Some(file) => Some(file),
            None => self.files.add(name, Path::new(name), text.into_bytes()),
        };
        if let Some(file) = file {
            self.open(file);
            self.expand();
            self.output.clear();
        }
    }

    fn finish(mut self, units: Vec<Unit>) -> Preprocessed {
        self.uses.sort_unstable();
        self.uses.dedup();
        self.vocabulary.names = self.spellings.names;
        Preprocessed {
            source: self.files.into_source(),
            units,
            vocabulary: self.vocabulary,
            collector: self.collector,
            uses: self.uses,
        }
    }
}
