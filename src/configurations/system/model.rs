//! The exact symbolic model of a pushdown system: every variable is live wherever it is in
//! scope, and nothing is taken to be kept unless a rule says so.

use super::names::{SystemCondition, SystemNames};
use crate::analysis::pushdown::{self, Flow, Frames, Liveness, bits_of};
use crate::analysis::{DataVariable, Layout, order};
use crate::bdd::{Bdd, BddResult, Bdds, Collection};
use crate::configurations::language::{Family, FrameKind, Model, Notation, SymbolText, Variable};
use crate::program::{Cell, VariableId};
use crate::pushdown::{GroupId, SymbolId, System};
use crate::spds::copies::{COPIES, Copies, Copy, Order};
use crate::spds::{EntryId, Head, Spds, SystemAnalyses, SystemHeads, encode_system, evaluate};
use crate::watch::{Stop, Watch};
use std::ops::Range;

pub struct SystemModel<'a> {
    names: &'a SystemNames<'a>,
    layout: Layout,
    copies: &'a Copies<'a>,
    spds: Spds,
    heads: SystemHeads,
    watch: &'a Watch,
    /// The control state last.
    globals: Vec<Variable>,
    /// Where the control state is one.
    valid: Bdd,
}

/// Makes the model of a pushdown system and runs `work` on it. BDD nodes may take `memory`
/// bytes.
pub fn with_system_model<T>(
    names: &SystemNames<'_>,
    memory: u64,
    watch: &Watch,
    work: impl FnOnce(&SystemModel<'_>) -> Result<T, Stop>,
) -> Result<T, Stop> {
    let system = names.system;
    let layout = pushdown::layout(system);
    let flow = Flow::of(system, &layout);
    let liveness = Liveness::everything(system, &layout);
    let frames = Frames::of(system, &layout, &flow, &liveness);
    let cells = || pushdown::cells_of(system, &layout);
    let meetings = || pushdown::meetings(system, &layout);
    let order = order::interleaved_bits(&layout, cells, meetings);
    let count = COPIES + u32::from(pushdown::sets_below(system, &flow));
    let bdds = Bdds::new(layout.len() * count, memory, Collection::Rare)?;
    bdds.session(|| {
        let copies = Copies::new(&bdds, Order::new(&layout.order(order.as_deref())), count);
        let analyses = SystemAnalyses {
            layout: &layout,
            flow: &flow,
            liveness: &liveness,
            frames: &frames,
            exact: true,
        };
        let (spds, heads) = encode_system(system, &analyses, &copies, None)?;
        watch.check()?;
        let globals = globals(names, &layout);
        let mut valid = bdds.constant(true);
        for Variable { bits, domain, .. } in &globals {
            valid = bdds.and(&valid, &copies.valid(bits.clone(), *domain, Copy::Current)?)?;
        }
        work(&SystemModel {
            names,
            layout: layout.clone(),
            copies: &copies,
            spds,
            heads,
            watch,
            globals,
            valid,
        })
    })
}

/// What the control state is called among the variables, since no variable can be.
const STATE: &str = "state()";

fn globals(names: &SystemNames<'_>, layout: &Layout) -> Vec<Variable> {
    let system = names.system;
    let cells = system.globals.iter().zip(0..);
    let mut globals: Vec<_> = cells
        .map(|(cell, i)| variable(system, cell, layout.global(i)))
        .collect();
    if let Some(state) = globals.last_mut() {
        STATE.clone_into(&mut state.name);
        let states = system.states.iter();
        state.values = states.map(|s| system.names.text(*s).to_owned()).collect();
    }
    globals
}

fn variable(system: &System, cell: &Cell, bits: Range<DataVariable>) -> Variable {
    Variable {
        name: system.names.text(cell.name).to_owned(),
        bits,
        domain: cell.domain,
        values: Vec::new(),
    }
}

impl SystemModel<'_> {
    fn system(&self) -> &System {
        self.names.system
    }
}

impl<'a> Model for SystemModel<'a> {
    type Language = SystemNames<'a>;

    fn language(&self) -> &Self::Language {
        self.names
    }

    fn spds(&self) -> &Spds {
        &self.spds
    }

    fn copies(&self) -> &Copies<'_> {
        self.copies
    }

    fn watch(&self) -> &Watch {
        self.watch
    }

    fn is_wide(&self) -> bool {
        self.layout.is_wide()
    }

    /// A symbol that is uncovered is on top as it is.
    fn saved(&self, symbol: Head) -> Head {
        symbol
    }

    fn error(&self) -> Option<Head> {
        None
    }

    fn terminated(&self) -> Option<Head> {
        self.heads.empty()
    }

    fn entered(&self, entry: EntryId) -> FrameKind {
        let symbol = SymbolId(self.spds.entry(entry).head.0);
        FrameKind(self.system().symbol(symbol).group.0)
    }

    /// The start is an entry, so that there is one at least; and all hand over the same.
    fn handed(&self, _: Family) -> &[DataVariable] {
        &self.spds.interface(EntryId(0)).handed
    }

    fn holds(&self, condition: &SystemCondition, kind: Option<FrameKind>) -> BddResult {
        let (bdds, system) = (self.copies.bdds, self.system());
        let conditions = match condition {
            SystemCondition::State(state) => {
                let bits = self.control_state().map_or(0..0, |cell| cell.bits.clone());
                return bdds.minterm(bits.zip(0..).map(|(bit, place)| {
                    let level = self.copies.level(bit, Copy::Current);
                    (level, state.0 >> place & 1 == 1)
                }));
            }
            SystemCondition::Values(conditions) => conditions,
        };
        let group = kind.map_or(GroupId(0), |kind| GroupId(kind.0));
        let Some(operations) = conditions.get(&group) else {
            return Ok(bdds.constant(false));
        };
        let read = |variable: VariableId, _| {
            let bits = bits_of(&self.layout, group, variable);
            let domain = system.domain(group, variable);
            Some(self.copies.term(bits, domain, Copy::Current))
        };
        evaluate(bdds, operations, read)?.be_one(bdds)
    }

    /// Numbers have whole bits: only the control state may have bits that mean nothing.
    fn valid(&self, _: Head, of_frame: bool) -> BddResult {
        Ok(match of_frame {
            true => self.copies.bdds.constant(true),
            false => self.valid.clone(),
        })
    }

    fn valid_handed(&self, _: Family) -> BddResult {
        Ok(self.valid.clone())
    }

    fn notation(&self) -> Notation {
        Notation::PUSHDOWN
    }

    /// The place is that of the symbol's first rule.
    fn show_symbol(&self, symbol: Head) -> SymbolText {
        let (system, symbol) = (self.system(), SymbolId(symbol.0));
        let rule = system.rules_of(symbol).next();
        let place = rule.map(|rule| system.position_of(rule));
        let atoms = system.symbol(symbol).atoms.iter();
        SymbolText {
            name: system.symbol_name(symbol).to_owned(),
            procedure: String::new(),
            line: place.map_or(0, |place| place.line),
            column: place.map_or(0, |place| place.column),
            labels: atoms
                .map(|atom| system.names.text(*atom).to_owned())
                .collect(),
        }
    }

    fn show_family(&self, _: Family) -> Option<String> {
        None
    }

    fn show_entry(&self, entry: EntryId) -> String {
        let symbol = SymbolId(self.spds.entry(entry).head.0);
        self.system().symbol_name(symbol).to_owned()
    }

    fn globals(&self) -> &[Variable] {
        &self.globals
    }

    fn control_state(&self) -> Option<&Variable> {
        self.globals.last()
    }

    fn locals(&self, kind: FrameKind) -> Vec<Variable> {
        let (system, group) = (self.system(), GroupId(kind.0));
        let cells = system.locals(group).iter().zip(0..);
        let bits = |i| bits_of(&self.layout, group, VariableId::Local(i));
        cells
            .map(|(cell, i)| variable(system, cell, bits(i)))
            .collect()
    }

    fn returned(&self, _: Family) -> Vec<Variable> {
        Vec::new()
    }
}
