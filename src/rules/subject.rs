//! What is checked: a program or a pushdown system. Both become rules; what the rules do not
//! tell, such as names and texts, is asked here.

use super::{Layout, Rules};
use crate::program::Program;
use crate::pushdown::System;

/// What can be checked.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// A boolean program, or one in Remopla.
    Program(&'a Program),
    /// A pushdown system that is given as such.
    System(&'a System),
}

impl<'a> From<&'a Program> for Subject<'a> {
    fn from(program: &'a Program) -> Self {
        Subject::Program(program)
    }
}

impl<'a> From<&'a System> for Subject<'a> {
    fn from(system: &'a System) -> Self {
        Subject::System(system)
    }
}

impl<'a> Subject<'a> {
    /// The bits of its variables.
    pub fn layout(self) -> Layout {
        match self {
            Subject::Program(program) => Layout::of(program),
            Subject::System(system) => Layout::of_system(system),
        }
    }

    /// Its rules over the variables of a layout: all if `whole`, otherwise those that some
    /// path leads to.
    pub fn rules(self, layout: Layout, whole: bool) -> Rules<'a> {
        match self {
            Subject::Program(program) => Rules::of_program(program, layout, whole),
            Subject::System(system) => Rules::of_system(system, layout, whole),
        }
    }
}
