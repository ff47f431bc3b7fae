//! How the parser goes on after a mistake.
//!
//! Tokens are left out up to the `;` of the statement, or to a word that begins another one or
//! ends a sequence.

use super::lexicon::TokenKind;
use super::parser::Parser;
use crate::syntax::kit::Reported;

impl Parser<'_> {
    /// Goes to where the next statement seems to begin.
    #[cold]
    pub fn recover(&mut self) {
        let skip = |parser: &mut Self| parser.skip_token(TokenKind::Colon);
        self.skip_statement(TokenKind::stops_recovery, skip);
    }

    /// Goes to the `->` of a branch, if one comes before anything else. Whether it did.
    #[cold]
    pub fn recover_to_arrow(&mut self) -> bool {
        while !(self.token.kind.stops_recovery() || self.at(TokenKind::Semicolon)) {
            if self.at(TokenKind::Arrow) {
                return true;
            }
            self.advance();
        }
        false
    }

    /// Goes to where the next declaration or module seems to begin.
    #[cold]
    pub fn recover_outside(&mut self) {
        self.tree.incomplete = true;
        self.tree.lost_globals = true;
        while !(self.token.kind.begins_outside()
            || self.token.kind.begins_declaration()
            || self.at_end())
        {
            self.advance();
        }
    }

    /// A name, and then nothing that a statement could go on with.
    #[cold]
    pub fn misspelt_statement(&mut self) -> Reported {
        let name = self.take_name();
        let meant = self.misspelt_keyword(name, "`=`, `(` or `:`");
        self.lost.variables |= meant.is_some_and(TokenKind::begins_declaration);
        Reported
    }
}
