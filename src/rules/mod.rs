//! Pushdown rules without BDDs: the one form behind programs and `.pds` files.
//!
//! A *head* is a stack symbol: a control point of a program, or a symbol of a pushdown
//! system, whose control state is data. Rules replace the head on top by up to two others,
//! and their *effects* say what becomes of the data, in terms of expressions and bits. Each
//! head belongs to a kind of frame, which says which locals it carries.
//!
//! A call that must set targets or check something on its return goes on at a *returning*
//! head, from which one internal rule leads on; so does every push if frames remember
//! acceptance. Internal rules are no steps of the execution.
//!
//! Invariants: rules are ordered by their heads; every head, effect and cell is in range.

pub mod effect;
mod effects;
mod layout;
mod program;
mod pushdown;
mod subject;

pub use effects::{Effects, Footprint};
pub use layout::{Condition, DataVariable, Layout, Observed};
pub use program::reachable_points;
pub use subject::Subject;

use crate::index::{self, IndexVec, Ranges, indices};
use crate::names::Names;
use crate::program::{Cell, Domain, Expression, Expressions, Overflow, ProcedureId, VariableId};
use std::ops::Range;

/// A stack symbol with a rule form of its own; which one, [`Rules::meaning`] tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Head(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EffectId(pub u32);

/// A place where frames begin, an index into [`Rules::entries`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryId(pub u32);

indices!(Head, RuleId, EffectId, EntryId);

/// What a head stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meaning {
    /// A control point, or a stack symbol, by its number.
    Symbol(u32),
    /// What was pushed by this call, or by this rule of a `.pds` file, is gone, and the
    /// frame below has yet to go on.
    Returning(u32),
    /// The program has failed.
    Error,
    /// The lowest frame was popped.
    Empty,
}

/// The right side of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// The frame is gone.
    Pop,
    Step(Head),
    /// The frame that is pushed begins at `first`, and the one below will go on at `saved`;
    /// while it waits it is shown as `below`.
    Push {
        first: Head,
        saved: Head,
        below: Head,
    },
}

#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub from: Head,
    pub right: Right,
    pub effect: EffectId,
    /// Taken where the effect is impossible because some expression has no value, or some
    /// value does not fit; then nothing changes.
    pub is_failure: bool,
    /// No step of the execution by itself, but part of the one before.
    pub internal: bool,
    /// Fixes what the frame returns, if only that it is nothing.
    pub is_return: bool,
    /// Of the point, or of the rule in the `.pds` file, that it comes from.
    pub origin: u32,
}

/// What a step that creates a thread does besides: its rule tells nothing of the new thread.
#[derive(Clone, Copy, Debug)]
pub struct Creation {
    /// Where the creator is before the step.
    pub from: Head,
    /// Where the new thread begins.
    pub first: Head,
    /// What the new thread gets, as if it were after the step: locals, and its own globals.
    pub effect: EffectId,
}

/// The cells that frames of one kind carry, and the values they return.
#[derive(Clone, Copy, Debug)]
pub struct FrameCells<'a> {
    /// The procedure, or a symbol that carries the locals.
    pub name: &'a str,
    pub locals: &'a [Cell],
    pub returns: &'a [Domain],
}

/// Where executions begin.
#[derive(Clone, Debug)]
pub struct Start {
    pub head: Head,
    /// What is true there of the values.
    pub conditions: Box<[Expression]>,
    /// Cells that have any value of their domains, as far as that is not every value.
    pub cells: Vec<(Domain, Range<DataVariable>)>,
}

/// How executions that have ended are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The execution stays where it is for ever.
    Stays,
    /// There is no infinite execution.
    Finite,
}

impl Ending {
    /// What has such executions, for messages.
    pub fn subject(self) -> &'static str {
        match self {
            Ending::Stays => "program",
            Ending::Finite => "pushdown system",
        }
    }

    /// What becomes of executions if none is infinite.
    pub fn finite(self) -> &'static str {
        match self {
            Ending::Stays => "all are cut off",
            Ending::Finite => "all end",
        }
    }
}

#[derive(Debug)]
pub struct Rules<'a> {
    pub layout: Layout,
    pub expressions: &'a Expressions,
    pub names: &'a Names,
    pub overflow: Overflow,
    pub globals: &'a [Cell],
    /// Which global is the control state, if one is.
    pub state_cell: Option<u32>,
    /// For each kind of frame: a procedure, or a group of symbols.
    pub frames: IndexVec<ProcedureId, FrameCells<'a>>,
    pub effects: Effects,
    pub rules: IndexVec<RuleId, Rule>,
    /// Which rules are those of each head.
    by_head: Ranges<Head>,
    /// The creations of threads, ordered by head.
    creations: Vec<Creation>,
    /// How many heads are control points or stack symbols: they come first.
    pub symbols: u32,
    /// The number of each returning head's call or rule, in rising order.
    returning: Vec<u32>,
    /// For each control point or stack symbol, its kind of frame; the same for returning
    /// heads behind them.
    frame_of: IndexVec<Head, ProcedureId>,
    /// Where frames begin, in rising order.
    pub entries: IndexVec<EntryId, Head>,
    pub start: Start,
    /// The head of failed executions; there is none in a `.pds` file.
    pub error: Option<Head>,
    /// The head of the empty stack, if anybody asks for it.
    pub empty: Option<Head>,
    pub ending: Ending,
    /// Whether some execution might end without having stopped.
    pub can_be_cut_off: bool,
    /// Whether all heads of one kind are in one frame, as in a program; otherwise that is
    /// for the rules to tell.
    pub is_frame_by_kind: bool,
    /// Whether every head and rule is there, also what no chain of rules leads to.
    pub is_whole: bool,
}

impl Rules<'_> {
    pub fn heads(&self) -> usize {
        self.by_head.len()
    }

    pub fn head_ids(&self) -> impl DoubleEndedIterator<Item = Head> + use<> {
        index::first(self.heads())
    }

    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id]
    }

    pub fn rules_from(&self, head: Head) -> &[Rule] {
        let range = self.by_head.of(head);
        &self.rules.as_slice()[range.start as usize..range.end as usize]
    }

    /// The thread that the step from a head creates, if it does.
    pub fn creation(&self, head: Head) -> Option<&Creation> {
        let place = self.creations.binary_search_by_key(&head, |new| new.from);
        place.ok().map(|place| &self.creations[place])
    }

    pub fn rule_ids(&self) -> impl Iterator<Item = RuleId> + use<> {
        self.rules.indices()
    }

    pub fn footprint(&self, rule: &Rule) -> &Footprint {
        self.effects.footprint(rule.effect)
    }

    pub fn meaning(&self, head: Head) -> Meaning {
        let index = match head.0.checked_sub(self.symbols) {
            None => return Meaning::Symbol(head.0),
            Some(index) => index as usize,
        };
        match self.returning.get(index) {
            Some(number) => Meaning::Returning(*number),
            None if self.error == Some(head) => Meaning::Error,
            None => Meaning::Empty,
        }
    }

    /// The head behind a call, or behind a rule that pushes, if it has one.
    pub fn returning(&self, number: u32) -> Option<Head> {
        let index = self.returning.binary_search(&number).ok()?;
        Some(Head(self.symbols + index as u32))
    }

    /// The heads behind calls.
    pub fn returning_heads(&self) -> impl Iterator<Item = (u32, Head)> {
        let heads = (self.symbols..).map(Head);
        self.returning.iter().copied().zip(heads)
    }

    /// The kind of frame that a head is in; `None` where there is no frame.
    pub fn frame_of(&self, head: Head) -> Option<ProcedureId> {
        self.frame_of.get(head).copied()
    }

    pub fn cells(&self, frame: ProcedureId) -> FrameCells<'_> {
        self.frames[frame]
    }

    /// The entry that frames with this first head have.
    pub fn entry(&self, head: Head) -> Option<EntryId> {
        let index = self.entries.as_slice().binary_search(&head).ok()?;
        Some(EntryId(index as u32))
    }

    /// The domain of a variable, as a frame of a kind sees it.
    pub fn domain(&self, frame: ProcedureId, variable: VariableId) -> Domain {
        match variable {
            VariableId::Global(index) => self.globals[index as usize].domain,
            VariableId::Local(index) => self.cells(frame).locals[index as usize].domain,
        }
    }

    /// Where nothing happens any more.
    pub fn stopped(&self) -> impl Iterator<Item = Head> + use<> {
        let empty = self.empty.filter(|_| self.ending == Ending::Stays);
        self.error.into_iter().chain(empty)
    }

    /// Whether some push changes what the frame below it keeps.
    pub fn sets_below(&self) -> bool {
        let mut footprints = self.effects.footprints().iter();
        footprints.any(|footprint| !footprint.below.is_empty())
    }
}

/// Orders rules by their heads, and tells which are those of each head.
fn order_rules(mut rules: Vec<Rule>, heads: usize) -> (IndexVec<RuleId, Rule>, Ranges<Head>) {
    rules.sort_by_key(|rule| rule.from);
    let by_head = Ranges::new(rules.iter().map(|rule| rule.from), heads);
    (rules.into(), by_head)
}
