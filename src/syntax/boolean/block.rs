//! The blocks that are open: an explicit stack instead of recursion.
//!
//! Closing words are matched against the innermost block. One that belongs to a block
//! further out closes those within as well, with one error; one that belongs to none is
//! reported and left out. How many blocks of each kind are open is counted, so that this
//! takes no search.

use super::lexicon::TokenKind;
use super::parser::Parser;
use super::tree::{Statement, StatementKind};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::kit::Lexicon;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// `begin … end` of a procedure.
    Begin,
    /// `{ … }` of a procedure.
    BraceBody,
    /// After `then`.
    Then,
    /// After `else`, up to `fi`.
    Else,
    /// `{ … }` of an `if`.
    BraceThen,
    /// `{ … }` after an `else`.
    BraceElse,
    /// The one `if` after the `else` of an `if` with braces; closes when that does.
    ElseIf,
    Do,
    /// `{ … }` of a `while`.
    BraceDo,
    /// `begin … end` after `atomic`.
    AtomicBegin,
    /// `{ … }` after `atomic`.
    BraceAtomic,
}

impl BlockKind {
    /// The word that closes it.
    fn closer(self) -> TokenKind {
        match self {
            BlockKind::Begin | BlockKind::AtomicBegin => TokenKind::End,
            BlockKind::Then | BlockKind::Else => TokenKind::Fi,
            BlockKind::Do => TokenKind::Od,
            _ => TokenKind::RightBrace,
        }
    }

    fn opener(self) -> &'static str {
        match self {
            BlockKind::Begin => "`begin`",
            BlockKind::BraceBody => "body",
            BlockKind::Then | BlockKind::BraceThen => "`if`",
            BlockKind::Else | BlockKind::BraceElse | BlockKind::ElseIf => "`else`",
            BlockKind::Do | BlockKind::BraceDo => "`while`",
            BlockKind::AtomicBegin | BlockKind::BraceAtomic => "`atomic`",
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub kind: BlockKind,
    /// The word or brace that opened it, or of an `if` or `while` that word.
    pub open: Span,
    /// The control points of the procedure before its sequence: none more, and it is empty.
    pub points: u32,
}

/// Invariant: `counts` says how many blocks each closing word could close.
#[derive(Default)]
pub struct Blocks {
    stack: Vec<Block>,
    counts: [u32; 4],
}

fn class(closer: TokenKind) -> usize {
    match closer {
        TokenKind::End => 0,
        TokenKind::Od => 1,
        TokenKind::RightBrace => 2,
        _ => 3,
    }
}

impl Blocks {
    pub fn push(&mut self, block: Block) {
        if block.kind != BlockKind::ElseIf {
            self.counts[class(block.kind.closer())] += 1;
        }
        self.stack.push(block);
    }

    fn pop(&mut self) -> Option<Block> {
        let block = self.stack.pop()?;
        if block.kind != BlockKind::ElseIf {
            self.counts[class(block.kind.closer())] -= 1;
        }
        Some(block)
    }

    pub fn last(&self) -> Option<&Block> {
        self.stack.last()
    }

    pub fn depth(&self) -> usize {
        self.stack.len()
    }

    fn can_close(&self, closer: TokenKind) -> bool {
        self.counts[class(closer)] > 0
    }
}

impl Parser<'_> {
    pub fn open_block(&mut self, kind: BlockKind, open: Span) {
        let points = self.points;
        self.state.blocks.push(Block { kind, open, points });
    }

    /// Adds a statement that is a control point.
    #[inline]
    pub fn push_point(&mut self, kind: StatementKind, span: Span) {
        self.points += 1;
        self.tree.statements.push(Statement { kind, span });
    }

    /// Adds the point of a statement that could not be read.
    #[cold]
    pub fn push_unreadable(&mut self, span: Span) {
        self.state.unreadable += 1;
        self.push_point(StatementKind::Unreadable, span);
    }

    fn push_bracket(&mut self, kind: StatementKind) {
        let span = Span::default();
        self.tree.statements.push(Statement { kind, span });
    }

    /// An empty sequence is a `skip`, at the word that closes it.
    fn end_sequence(&mut self, before: u32, closer: Span) {
        if self.points == before {
            self.push_point(StatementKind::ImplicitSkip, closer);
        }
    }

    /// Takes a closing word. True if it closed the body of the procedure.
    pub fn close(&mut self) -> bool {
        let word = self.token.kind;
        let closer = match word {
            TokenKind::Else | TokenKind::Elsif => TokenKind::Fi,
            _ => word,
        };
        let innermost = self.state.blocks.last().map(|block| block.kind);
        if innermost.map(BlockKind::closer) != Some(closer) {
            let body_closer = matches!(word, TokenKind::End | TokenKind::RightBrace);
            if body_closer && self.state.blocks.depth() == 1 {
                self.report_wrong_body_closer();
                return self.close_body();
            }
            if !self.state.blocks.can_close(closer) {
                self.report_stray_closer();
                return false;
            }
            self.report_missing_closer();
            while self.state.blocks.last().map(|block| block.kind.closer()) != Some(closer)
                || self.state.blocks.last().map(|block| block.kind) == Some(BlockKind::ElseIf)
            {
                self.drop_block();
            }
        }
        match self.state.blocks.last().map(|block| block.kind) {
            Some(BlockKind::Begin | BlockKind::BraceBody) => return self.close_body(),
            Some(BlockKind::Then) if word != TokenKind::Fi => self.next_branch(),
            Some(BlockKind::Else) if word != TokenKind::Fi => self.report_branch_after_else(),
            Some(BlockKind::BraceThen) => self.close_brace_then(),
            _ => {
                let token = self.token.span();
                self.advance();
                self.close_block(token);
                if word != TokenKind::RightBrace {
                    self.take(TokenKind::Semicolon);
                }
                self.close_else_if();
            }
        }
        false
    }

    fn close_body(&mut self) -> bool {
        let token = self.token.span();
        self.advance();
        self.close_block(token);
        true
    }

    /// Closes the innermost block, whose closing word stood at `closer`.
    fn close_block(&mut self, closer: Span) {
        let Some(block) = self.state.blocks.pop() else {
            return;
        };
        self.end_sequence(block.points, closer);
        match block.kind {
            BlockKind::Begin | BlockKind::BraceBody => {}
            BlockKind::Do | BlockKind::BraceDo => {
                // The `while` is the last point before its sequence.
                let head = block.points - 1;
                self.push_bracket(StatementKind::EndWhile { head });
            }
            BlockKind::AtomicBegin | BlockKind::BraceAtomic => {
                self.state.atomic = true;
                self.push_point(StatementKind::EndAtomic, closer);
            }
            _ => self.push_bracket(StatementKind::EndIf),
        }
    }

    /// Closes a block whose closing word is missing.
    fn drop_block(&mut self) {
        let here = Span::new(self.token.start, self.token.start);
        self.close_block(here);
    }

    /// Closes all blocks at the end of a procedure that lacks its own.
    pub fn drop_all_blocks(&mut self) {
        while self.state.blocks.depth() > 0 {
            self.drop_block();
        }
    }

    /// `elsif` or `else` after a `then`.
    fn next_branch(&mut self) {
        let token = self.token.span();
        let before = self.state.blocks.last().map_or(0, |block| block.points);
        self.end_sequence(before, token);
        let elsif = self.at(TokenKind::Elsif);
        let open = self.state.blocks.pop().map_or(token, |block| block.open);
        self.advance();
        if elsif {
            let start = self.token.start;
            let condition = self.condition();
            let (kind, span) = (StatementKind::Elsif(condition), self.span_from(start));
            self.tree.statements.push(Statement { kind, span });
            self.expect_word(TokenKind::Then);
            self.open_block(BlockKind::Then, open);
        } else {
            self.push_bracket(StatementKind::Else);
            self.open_block(BlockKind::Else, open);
        }
    }

    /// The `}` of an `if`, after which an `else` may follow.
    fn close_brace_then(&mut self) {
        let token = self.token.span();
        self.advance();
        if self.at(TokenKind::Elsif) {
            let message = "`elsif` belongs to an `if … then`";
            let hint = "after a block in braces, write `else if`";
            self.error_with_hint(self.token.span(), message, hint);
        } else if !self.at(TokenKind::Else) {
            self.close_block(token);
            self.close_else_if();
            return;
        }
        let before = self.state.blocks.last().map_or(0, |block| block.points);
        self.end_sequence(before, token);
        self.state.blocks.pop();
        self.push_bracket(StatementKind::Else);
        let word = self.token.span();
        if self.at(TokenKind::Elsif) {
            self.open_block(BlockKind::ElseIf, word);
            self.compound_statement(TokenKind::If);
            return;
        }
        self.advance();
        match self.token.kind {
            TokenKind::If => {
                self.open_block(BlockKind::ElseIf, word);
                self.compound_statement(TokenKind::If);
            }
            TokenKind::LeftBrace => {
                self.advance();
                self.open_block(BlockKind::BraceElse, word);
            }
            _ => {
                self.unexpected("`{` or `if` after the `else` of a block in braces");
                self.open_block(BlockKind::ElseIf, word);
                self.statement();
                self.close_else_if();
            }
        }
    }

    /// When an `if` has ended that was all of an `else`, the `if` of that `else` has too.
    fn close_else_if(&mut self) {
        while self.state.blocks.last().map(|block| block.kind) == Some(BlockKind::ElseIf) {
            self.close_block(self.behind());
        }
    }

    #[cold]
    fn report_wrong_body_closer(&mut self) {
        let Some(block) = self.state.blocks.last().copied() else {
            return;
        };
        let closer = block.kind.closer().spelling().unwrap_or_default();
        let message = format!("expected `{closer}`, found `{}`", self.text());
        self.report(
            Diagnostic::error(self.token.span(), message)
                .with_related(block.open, "the body was opened here"),
        );
    }

    #[cold]
    fn report_stray_closer(&mut self) {
        let word = self.text();
        let opener = match self.token.kind {
            TokenKind::Fi | TokenKind::Else | TokenKind::Elsif => "an `if … then`",
            TokenKind::Od => "a `while … do`",
            TokenKind::End => "a `begin`",
            _ => "a `{`",
        };
        let message = format!("`{word}` without {opener} that it could belong to");
        self.report(Diagnostic::error(self.token.span(), message));
        self.advance();
        self.take(TokenKind::Semicolon);
    }

    #[cold]
    fn report_missing_closer(&mut self) {
        let Some(block) = self.state.blocks.last().copied() else {
            return;
        };
        let closer = block.kind.closer().spelling().unwrap_or_default();
        let message = format!("missing `{closer}` before {}", self.found());
        let note = format!("this {} is not closed", block.kind.opener());
        self.report(Diagnostic::error(self.token.span(), message).with_related(block.open, note));
    }

    /// The procedure ends, or the file, before its blocks are closed.
    #[cold]
    pub fn report_unclosed(&mut self) {
        if !self.cut_short {
            self.report_missing_closer();
        }
        self.drop_all_blocks();
    }

    /// `else` or `elsif` where the `if` has had its `else`.
    #[cold]
    fn report_branch_after_else(&mut self) {
        let open = self.state.blocks.last().map(|block| block.open);
        let message = format!("`{}` after the `else` of the same `if`", self.text());
        let mut diagnostic = Diagnostic::error(self.token.span(), message);
        if let Some(open) = open {
            diagnostic = diagnostic.with_related(open, "the `if` begins here");
        }
        self.report(diagnostic);
        let elsif = self.at(TokenKind::Elsif);
        self.advance();
        if elsif {
            self.condition();
            self.take(TokenKind::Then);
        }
    }
}
