//! Symbolic pushdown systems as their users write them, and what they mean.
//!
//! A configuration is a control state, values of the global variables, and a stack of
//! symbols, each of which carries values of its local variables. A rule looks at the control
//! state, the globals and the symbol on top, and replaces that symbol by up to two. Its
//! relation is a list of conditions over values before the step, after it, and in the
//! symbol below the top; all must be true. What no condition mentions may become anything.
//!
//! The control state is one more global cell, the last one. So a rule belongs to a symbol
//! alone, and that it is for one state only is a condition like any other.
//!
//! Invariants: every index is in range; `Read` speaks of globals and of the locals of the
//! symbol on the left, `ReadNext` of globals and of the locals of the first symbol on the
//! right, `ReadBelow` of the locals of the second one. Conditions always have a value.

pub mod replay;
pub mod step;

use crate::index::{IndexVec, indices};
use crate::interpreter::evaluation::evaluate;
use crate::interpreter::values::Possible;
use crate::names::{Name, Names};
use crate::program::{
    Cell, Declaration, Domain, Expression, Expressions, Moment, Operation, VariableId,
};
use crate::source::{Position, Source, Span};
use std::ops::Range;
use std::sync::Arc;

/// A stack symbol, an index into [`System::symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub u32);

/// An index into [`System::groups`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupId(pub u32);

/// An index into [`System::rules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(pub u32);

/// A control state, an index into [`System::states`] and the value of its cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

indices!(SymbolId, GroupId, RuleId, StateId);

/// A symbolic pushdown system without errors.
#[derive(Debug)]
pub struct System {
    /// What it was read from.
    pub source: Arc<Source>,
    /// The texts of its names.
    pub names: Names,
    /// The cells of the global variables, and last that of the control state.
    pub globals: Vec<Cell>,
    /// The global variables as declared.
    pub declarations: Vec<Declaration>,
    /// Local variables, by the group of symbols that carry them. The first group has none.
    pub groups: IndexVec<GroupId, Group>,
    /// The stack symbols.
    pub symbols: IndexVec<SymbolId, Symbol>,
    /// The names of the control states.
    pub states: IndexVec<StateId, Name>,
    /// Ordered by symbol, those of one symbol in the order of the source.
    pub rules: IndexVec<RuleId, Rule>,
    /// Where executions begin.
    pub start: Start,
    /// The operations of all conditions.
    pub expressions: Expressions,
    /// The defined names, and their values.
    pub constants: Vec<(Name, i128)>,
}

#[derive(Debug, Default)]
pub struct Group {
    pub cells: Vec<Cell>,
    pub declarations: Vec<Declaration>,
}

#[derive(Debug)]
pub struct Symbol {
    pub name: Name,
    /// Whose locals it carries.
    pub group: GroupId,
    /// The propositions that are true while it is on top.
    pub atoms: Vec<Name>,
    /// Its rules.
    pub rules: Range<u32>,
}

#[derive(Debug)]
pub struct Rule {
    pub from: SymbolId,
    pub right: Right,
    /// All of them must be true.
    pub relation: Box<[Expression]>,
    /// What stands between the quotes, if there are any.
    pub text: Option<Span>,
    pub span: Span,
}

/// The symbols on the right of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    Pop,
    Step(SymbolId),
    /// The second symbol takes the place of the one on the left, the first is put on it.
    Push(SymbolId, SymbolId),
}

impl Right {
    pub fn first(self) -> Option<SymbolId> {
        match self {
            Right::Pop => None,
            Right::Step(first) | Right::Push(first, _) => Some(first),
        }
    }

    pub fn second(self) -> Option<SymbolId> {
        match self {
            Right::Pop | Right::Step(_) => None,
            Right::Push(_, second) => Some(second),
        }
    }
}

/// Executions begin with this symbol alone on the stack, and with any values for which the
/// conditions are true.
#[derive(Debug)]
pub struct Start {
    pub state: StateId,
    pub symbol: SymbolId,
    /// That the control state is that one is among them.
    pub conditions: Box<[Expression]>,
    /// Where the conditions behind the state and behind the symbol stand, parentheses
    /// included; empty if they do not.
    pub written: [Span; 2],
}

impl System {
    /// The symbol of a number.
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id]
    }

    /// The rule of a number.
    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id]
    }

    /// All rules.
    pub fn rule_ids(&self) -> impl DoubleEndedIterator<Item = RuleId> + use<> {
        self.rules.indices()
    }

    /// All symbols.
    pub fn symbol_ids(&self) -> impl DoubleEndedIterator<Item = SymbolId> + use<> {
        self.symbols.indices()
    }

    /// The rules with this symbol on the left.
    pub fn rules_of(&self, symbol: SymbolId) -> impl Iterator<Item = RuleId> + use<> {
        self.symbol(symbol).rules.clone().map(RuleId)
    }

    /// The cell that holds the control state.
    pub fn state_cell(&self) -> VariableId {
        VariableId::Global(self.globals.len() as u32 - 1)
    }

    /// The cells of global variables, without that of the control state.
    pub fn declared_globals(&self) -> &[Cell] {
        &self.globals[..self.globals.len() - 1]
    }

    /// The cells of the local variables of a group.
    pub fn locals(&self, group: GroupId) -> &[Cell] {
        &self.groups[group].cells
    }

    /// The locals that a symbol carries.
    pub fn locals_of(&self, symbol: Option<SymbolId>) -> &[Cell] {
        symbol.map_or(&[], |symbol| self.locals(self.symbol(symbol).group))
    }

    /// The domain of a variable, seen from where a symbol of `group` is on top.
    pub fn domain(&self, group: GroupId, variable: VariableId) -> Domain {
        match variable {
            VariableId::Global(index) => self.globals[index as usize].domain,
            VariableId::Local(index) => self.locals(group)[index as usize].domain,
        }
    }

    /// The groups whose locals a rule speaks of before the step, after it, and below.
    pub fn groups_of(&self, rule: &Rule) -> [GroupId; 3] {
        let group = |symbol: Option<SymbolId>| {
            symbol.map_or(GroupId(0), |symbol| self.symbol(symbol).group)
        };
        [
            group(Some(rule.from)),
            group(rule.right.first()),
            group(rule.right.second()),
        ]
    }

    /// The text that a rule bears; empty if it bears none.
    pub fn text_of(&self, rule: RuleId) -> std::borrow::Cow<'_, str> {
        match self.rule(rule).text {
            Some(span) => self.source.text(span),
            None => "".into(),
        }
    }

    /// Where a rule begins.
    pub fn position_of(&self, rule: RuleId) -> Position {
        self.source.position(self.rule(rule).span.start)
    }

    /// The name of a symbol.
    pub fn symbol_name(&self, symbol: SymbolId) -> &str {
        self.names.text(self.symbol(symbol).name)
    }

    /// What a condition keeps as it was, if that is all it says: "`x'` is `x`".
    pub fn kept_by(&self, condition: Expression) -> Option<Identity> {
        let [a, b, equal] = *self.expressions.operations(condition) else {
            return None;
        };
        if !matches!(equal, Operation::Equal | Operation::NumbersEqual) {
            return None;
        }
        let kept = |before: Operation, after: Operation| match (before, after) {
            (Operation::Read(before), Operation::ReadNext(after)) => Some(Identity {
                before,
                after,
                when: Moment::After,
            }),
            (Operation::Read(before), Operation::ReadBelow(after)) => Some(Identity {
                before,
                after,
                when: Moment::Below,
            }),
            _ => None,
        };
        kept(a, b).or_else(|| kept(b, a))
    }
}

/// The condition that a value after a step equals one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    pub before: VariableId,
    pub after: VariableId,
    /// Whether `after` is in the first or in the second symbol on the right.
    pub when: Moment,
}

/// Whether a condition is true, where `read` gives the value of a cell, or none if there is
/// no such cell.
pub fn holds(
    operations: &[Operation],
    read: impl Fn(VariableId, Moment) -> Option<Possible>,
) -> bool {
    let known = |variable, when| read(variable, when).unwrap_or(Possible::not_there());
    evaluate(operations, known).may_be(true)
}
