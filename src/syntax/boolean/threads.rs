//! Threads: their declarations, the statements that create and end them, and atomic sections.
//!
//! None of their words is reserved. A statement that begins with a name goes on with `:`, `(`,
//! `,`, `:=` or `=`; only where it does not is the name looked at as one of these words, so that
//! other programs do not pay for them.

use super::block::BlockKind;
use super::lexicon::TokenKind;
use super::parser::Parser;
use super::statement::Begun;
use super::tree::{Identifier, Label, List, StatementKind, ThreadStart};
use crate::diagnostic::{Diagnostic, nearest};
use crate::syntax::kit::{Lexicon, Parsed, Reported};

/// More threads than this are refused: no program declares them, and every engine would have to
/// make room for them.
pub const MOST_THREADS: u64 = 10_000;

/// The words that begin statements.
const WORDS: [&str; 5] = [
    "atomic",
    "atomic_begin",
    "atomic_end",
    "end_thread",
    "start_thread",
];

/// What labels a call, in Boppo's older form, that creates a thread.
const ASYNC: &str = "ASYNC_";

/// Statements of other tools for threads that wait for each other.
const UNSUPPORTED: [&str; 3] = ["sync", "wait", "broadcast"];

/// Whether a word can mean something else than a name, somewhere.
pub fn has_meaning(word: &str) -> bool {
    let others = ["thread", "thread_local"];
    WORDS.contains(&word)
        || others.contains(&word)
        || is_unsupported(word)
        || word.starts_with(ASYNC)
}

/// Whether a word is a statement of other tools that there is none for here.
pub fn is_unsupported(word: &str) -> bool {
    UNSUPPORTED.contains(&word)
}

/// What to say of such a word: the message and the hint.
pub fn unsupported(word: &str) -> (String, &'static str) {
    let message = format!("`{word}` of Boppo and SATABS is not supported");
    let hint = "a thread waits at an `assume` until another one has made its condition true";
    (message, hint)
}

impl Parser<'_> {
    /// Whether the token is this word, and a name follows it.
    pub fn word_before_name(&self, word: &str) -> bool {
        self.at(TokenKind::Name)
            && self.bytes() == word.as_bytes()
            && matches!(self.peek().kind, TokenKind::Name | TokenKind::LeftBrace)
    }

    /// `thread p(0), q()[2];`, at its first word.
    pub fn thread_declaration(&mut self) {
        self.tree.declares_threads = true;
        self.advance();
        while self.list(Self::thread_start).is_err() {
            self.tree.lost_threads = true;
            if !self.skip_thread() {
                return self.recover_declaration();
            }
        }
        if !self.take(TokenKind::Semicolon) && !self.semicolon_is_understood("the declaration") {
            self.tree.lost_threads = true;
            self.recover_declaration();
        }
    }

    /// Goes on, behind a mistake, at the next thread of a declaration. Whether there is one.
    #[cold]
    fn skip_thread(&mut self) -> bool {
        let closing = [TokenKind::RightParenthesis, TokenKind::RightBracket];
        while !self.token.kind.stops_recovery() && !self.at(TokenKind::Semicolon) {
            let is_behind = closing.contains(&self.previous_kind);
            if is_behind && self.at(TokenKind::Comma) && self.peek().kind == TokenKind::Name {
                self.advance();
                return true;
            }
            self.advance();
        }
        false
    }

    fn thread_start(&mut self) -> Parsed<()> {
        let procedure = self.identifier("the procedure of a thread")?;
        let arguments = self.arguments()?;
        let mut count = 1;
        if self.take(TokenKind::LeftBracket) {
            count = self.number_of_threads()?;
            self.expect(TokenKind::RightBracket)?;
        }
        let span = self.span_from(procedure.start);
        self.tree.threads.push(ThreadStart {
            procedure,
            arguments,
            count,
            span,
        });
        Ok(())
    }

    fn number_of_threads(&mut self) -> Parsed<u64> {
        let digits = self.bytes().iter().all(u8::is_ascii_digit) && !self.at_end();
        if !digits {
            return Err(self.unexpected("the number of threads"));
        }
        match self.digits() {
            Some(count) if count <= MOST_THREADS => {
                self.advance();
                Ok(count)
            }
            _ => {
                let message = format!("at most {MOST_THREADS} threads are possible");
                Err(self.error(self.token.span(), message))
            }
        }
    }

    /// Whether `thread_local` was taken: a name after it is that of the variable.
    pub fn take_thread_local(&mut self) -> bool {
        let taken = self.word_before_name("thread_local");
        if taken {
            self.advance();
        }
        taken
    }

    /// A statement that begins with a word that is not reserved. `None` if it is none.
    pub fn thread_statement(&mut self, word: Identifier) -> Parsed<Option<Begun>> {
        let kind = match (self.tree.names.text(word.name), self.token.kind) {
            ("end_thread", _) => StatementKind::EndThread,
            ("atomic_begin", _) => StatementKind::AtomicBegin,
            ("atomic_end", _) => {
                self.tree.ends_atomic = true;
                StatementKind::AtomicEnd
            }
            ("start_thread", TokenKind::Goto) => {
                self.advance();
                self.tree.starts_threads = true;
                let label = self.identifier("the label where the thread begins")?;
                StatementKind::StartAt(label)
            }
            ("start_thread", _) => {
                self.take(TokenKind::Call);
                let callee = self.identifier("the procedure of the thread, or `goto`")?;
                let arguments = self.arguments()?;
                self.start_thread(callee, arguments)
            }
            ("atomic", TokenKind::Begin | TokenKind::LeftBrace) => {
                return Ok(Some(self.atomic_block(word)));
            }
            ("atomic", _) => {
                let hint = "an atomic block is `atomic begin … end` or `atomic { … }`";
                return Err(self.unexpected_with_hint("`begin` or `{`", hint));
            }
            ("thread", TokenKind::Name | TokenKind::LeftBrace) => {
                let message = "threads are declared outside of procedures";
                let hint = "within one, `start_thread p(…);` creates a thread";
                return Err(self.error_with_hint(self.span_of(word), message, hint));
            }
            (text, _) if is_unsupported(text) => {
                let (message, hint) = unsupported(text);
                return Err(self.error_with_hint(self.span_of(word), message, hint));
            }
            _ => return self.misspelt_word(word),
        };
        Ok(Some(Begun::Statement(kind)))
    }

    /// The beginning of an atomic block, behind its word.
    fn atomic_block(&mut self, word: Identifier) -> Begun {
        let span = self.span_of(word);
        let kind = match self.token.kind {
            TokenKind::Begin => BlockKind::AtomicBegin,
            _ => BlockKind::BraceAtomic,
        };
        self.advance();
        self.push_point(StatementKind::Atomic, span);
        self.open_block(kind, span);
        Begun::Compound
    }

    /// A name that is nearer to one of these words than to any reserved one.
    #[cold]
    fn misspelt_word(&mut self, word: Identifier) -> Parsed<Option<Begun>> {
        if self.at(TokenKind::Unknown) || self.at_cut() {
            return Ok(None);
        }
        let reserved = TokenKind::KEYWORDS.iter().map(|(_, spelling)| *spelling);
        let meant = nearest(self.tree.text(word), reserved.chain(WORDS));
        let Some(meant) = meant.filter(|meant| WORDS.contains(meant)) else {
            return Ok(None);
        };
        let reported = self.unknown_statement(word, meant);
        let block = matches!(self.token.kind, TokenKind::Begin | TokenKind::LeftBrace);
        match meant == "atomic" && block {
            true => Ok(Some(self.atomic_block(word))),
            false => Err(reported),
        }
    }

    fn start_thread(&mut self, callee: Identifier, arguments: List) -> StatementKind {
        self.tree.starts_threads = true;
        StatementKind::StartThread { callee, arguments }
    }

    /// A statement with labels, the first of them at `first`: a call without targets may be meant
    /// to create a thread.
    pub fn labelled(&mut self, first: usize, kind: StatementKind) -> StatementKind {
        let StatementKind::Call {
            callee,
            targets,
            arguments,
        } = kind
        else {
            return kind;
        };
        let labels = &self.tree.labels[first..];
        let is_async = |label: &&Label| self.tree.text(label.identifier).starts_with(ASYNC);
        let Some(label) = labels.iter().find(is_async).copied() else {
            return kind;
        };
        if !targets.is_empty() {
            return kind;
        }
        if !std::mem::replace(&mut self.state.warned_of_async, true) {
            let message = format!("a call with a label `{ASYNC}…` creates a thread, as in Boppo");
            let hint = "`start_thread` says so; a label of another name makes it a plain call";
            let span = self.span_of(label.identifier);
            self.report(Diagnostic::warning(span, message).with_hint(hint));
        }
        self.start_thread(callee, arguments)
    }

    /// `thread_local` in a procedure.
    #[cold]
    pub fn report_local_thread_local(&mut self) -> Reported {
        let message = "only globals can be `thread_local`";
        let hint = "locals belong to their thread anyway: leave it out";
        self.error_with_hint(self.token.span(), message, hint)
    }
}
