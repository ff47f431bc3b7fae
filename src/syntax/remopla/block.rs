//! The `if`s and `do`s that are open, and their branches: a stack instead of recursion.
//!
//! A closing word that belongs to a block further out closes those within as well, with one
//! error; one that belongs to none is reported and left out. How many of each kind are open is
//! counted, so that this takes no search.

use super::lexicon::TokenKind;
use super::parser::{ASSIGNS_OR_COMPARES, Parser};
use super::tree::{Statement, StatementKind};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    If,
    Do,
}

impl BlockKind {
    fn closer(self) -> &'static str {
        match self {
            BlockKind::If => "fi",
            BlockKind::Do => "od",
        }
    }

    fn opener(self) -> &'static str {
        match self {
            BlockKind::If => "if",
            BlockKind::Do => "do",
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Block {
    kind: BlockKind,
    /// The word that opened it.
    open: Span,
    /// Its control point in the module.
    head: u32,
    /// Where its `else` stands.
    otherwise: Option<Span>,
    /// The `::` of the branch that is read, and the points of the module before it.
    branch: Span,
    points: u32,
}

/// Invariant: `ifs` and `dos` say how many of each are on the stack.
#[derive(Default)]
pub struct Blocks {
    stack: Vec<Block>,
    ifs: u32,
    dos: u32,
}

impl Blocks {
    pub fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }

    fn count(&mut self, kind: BlockKind) -> &mut u32 {
        match kind {
            BlockKind::If => &mut self.ifs,
            BlockKind::Do => &mut self.dos,
        }
    }

    fn push(&mut self, block: Block) {
        *self.count(block.kind) += 1;
        self.stack.push(block);
    }

    fn pop(&mut self) -> Option<Block> {
        let block = self.stack.pop()?;
        *self.count(block.kind) -= 1;
        Some(block)
    }
}

impl Parser<'_> {
    /// Adds a statement that is a control point.
    pub fn push_point(&mut self, kind: StatementKind, span: Span) {
        self.points += 1;
        self.tree.statements.push(Statement { kind, span });
    }

    fn push_bracket(&mut self, kind: StatementKind, span: Span) {
        self.tree.statements.push(Statement { kind, span });
    }

    /// From the word `if` or `do` up to the beginning of its first branch.
    pub fn open_block(&mut self, kind: BlockKind) {
        let open = self.token.span();
        let head = self.points;
        self.advance();
        self.push_point(
            match kind {
                BlockKind::If => StatementKind::If,
                BlockKind::Do => StatementKind::Do,
            },
            open,
        );
        self.state.blocks.push(Block {
            kind,
            open,
            head,
            otherwise: None,
            branch: open,
            points: self.points,
        });
        if self.at(TokenKind::ColonColon) {
            self.read_branch();
            return;
        }
        self.unexpected_with_hint(
            "`::`",
            "a branch is written `:: condition -> statements`, the last one `:: else -> …`",
        );
        // As if there had been one, so that what follows is read.
        let condition = Some(self.unreadable_condition());
        let span = self.behind();
        self.push_bracket(StatementKind::Branch { condition }, span);
        self.push_point(StatementKind::Unreadable, span);
        self.take(TokenKind::Else);
        if self.recover_to_arrow() {
            self.advance();
        } else {
            self.take(TokenKind::Semicolon);
        }
    }

    /// A `::` after the statements of a branch.
    pub fn next_branch(&mut self) {
        if self.state.blocks.is_empty() {
            let message = "`::` outside of `if … fi` and `do … od`";
            self.report(Diagnostic::error(self.token.span(), message));
            self.advance();
            if self.recover_to_arrow() {
                self.advance();
            }
            return;
        }
        self.end_branch();
        self.read_branch();
    }

    /// From `::` to the beginning of the statements.
    fn read_branch(&mut self) {
        let branch = self.token.span();
        self.advance();
        let start = self.token.start;
        let mut condition = None;
        if self.take(TokenKind::Else) {
            self.note_else(self.span_from(start));
        } else {
            condition = Some(self.guard());
        }
        let span = self.span_from(start);
        if !self.take(TokenKind::Arrow) {
            if self.at(TokenKind::Assign) {
                // What has been read is not the whole condition.
                condition = Some(self.unreadable_condition());
            }
            self.report_no_arrow();
        }
        self.push_bracket(StatementKind::Branch { condition }, span);
        let points = self.points;
        if let Some(block) = self.state.blocks.stack.last_mut() {
            block.branch = branch;
            block.points = points;
        }
    }

    fn guard(&mut self) -> super::tree::ExpressionId {
        match self.expression() {
            Ok(condition) => condition,
            Err(_) => {
                self.recover_to_arrow();
                self.unreadable_condition()
            }
        }
    }

    #[cold]
    fn report_no_arrow(&mut self) {
        let already_reported = self.at_cut();
        if already_reported {
            return;
        }
        match self.token.kind {
            TokenKind::Assign => {
                self.unexpected_with_hint("`->`", ASSIGNS_OR_COMPARES);
            }
            _ => {
                self.unexpected("`->` after the condition");
            }
        }
        if self.recover_to_arrow() {
            self.advance();
        }
    }

    fn note_else(&mut self, span: Span) {
        let Some(block) = self.state.blocks.stack.last_mut() else {
            return;
        };
        let word = block.kind.opener();
        if let Some(first) = block.otherwise.replace(span) {
            let message = format!("a second `else` in the same `{word}`");
            self.report(Diagnostic::error(span, message).with_related(first, "the first one"));
        }
    }

    /// A branch without statements is a mistake.
    fn end_branch(&mut self) {
        let Some(block) = self.state.blocks.stack.last() else {
            return;
        };
        let (branch, points) = (block.branch, block.points);
        if self.points == points {
            if !self.at_cut() {
                let diagnostic = Diagnostic::error(branch, "a branch without statements");
                self.report(diagnostic.with_hint("write `skip;` where there is nothing to do"));
            }
            self.push_point(StatementKind::Unreadable, branch);
        }
    }

    fn close_innermost(&mut self) {
        self.end_branch();
        let Some(block) = self.state.blocks.pop() else {
            return;
        };
        let kind = match block.kind {
            BlockKind::If => StatementKind::EndIf,
            BlockKind::Do => StatementKind::EndDo { head: block.head },
        };
        self.push_bracket(kind, Span::default());
    }

    /// Takes `fi` or `od`.
    pub fn close_block(&mut self) {
        let kind = match self.token.kind {
            TokenKind::Fi => BlockKind::If,
            _ => BlockKind::Do,
        };
        if *self.state.blocks.count(kind) == 0 {
            let (closer, opener) = (kind.closer(), kind.opener());
            let message = format!("`{closer}` without an `{opener}` that it could belong to");
            let message = message.replace("an `do`", "a `do`");
            self.report(Diagnostic::error(self.token.span(), message));
            self.advance();
            self.take(TokenKind::Semicolon);
            return;
        }
        if self.state.blocks.stack.last().map(|block| block.kind) != Some(kind) {
            self.report_missing_closer();
            while self.state.blocks.stack.last().map(|block| block.kind) != Some(kind) {
                self.close_innermost();
            }
        }
        self.close_innermost();
        self.advance();
        self.take(TokenKind::Semicolon);
    }

    /// The module ends, or the file, before these blocks are closed.
    pub fn close_all_blocks(&mut self) {
        if self.state.blocks.is_empty() {
            return;
        }
        self.report_missing_closer();
        while !self.state.blocks.is_empty() {
            self.close_innermost();
        }
    }

    #[cold]
    fn report_missing_closer(&mut self) {
        let Some(block) = self.state.blocks.stack.last().copied() else {
            return;
        };
        if self.at_cut() {
            return;
        }
        let message = format!("missing `{}` before {}", block.kind.closer(), self.found());
        let note = format!("this `{}` is not closed", block.kind.opener());
        self.report(Diagnostic::error(self.token.span(), message).with_related(block.open, note));
    }
}
