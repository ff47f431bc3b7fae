//! What is known about a pushdown system before any of its states is looked at.
//!
//! * [`Flow`]: what each rule reads, keeps, and leaves open;
//! * [`Liveness`]: the variables whose values matter at each symbol;
//! * [`Frames`]: symbols that can be in one frame, and what nothing in it changes.

mod flow;
mod frames;
mod liveness;

pub use flow::{Flow, bits_read};
pub use frames::Frames;
pub use liveness::Liveness;

use super::meetings::Meetings;
use super::order::NamedCell;
use super::{DataVariable, Layout};
use crate::program::{ProcedureId, VariableId, When};
use crate::pushdown::{GroupId, System};
use std::ops::Range;

/// The numbering of data variables: symbols share the bits of their locals as procedures
/// do, a group in the place of a procedure. The control state is a global.
pub fn layout(system: &System) -> Layout {
    let frames = system.groups.iter().map(|group| (&*group.cells, &[][..]));
    Layout::new(&system.globals, frames)
}

/// The bits of a cell, seen from where a symbol of `group` is on top.
pub fn bits_of(layout: &Layout, group: GroupId, variable: VariableId) -> Range<DataVariable> {
    layout.cell(ProcedureId(group.0), variable)
}

/// All cells: the locals of each group, by the name of a symbol that has them, and the
/// globals.
pub fn cells_of(system: &System, layout: &Layout) -> Vec<NamedCell> {
    let mut cells = Vec::new();
    for (group, id) in system.groups.iter().zip((0..).map(GroupId)) {
        let mut symbols = system.symbols.iter();
        let carrier = symbols.find(|symbol| symbol.group == id);
        let carrier = carrier.map_or("", |symbol| system.names.text(symbol.name));
        for (cell, i) in group.cells.iter().zip(0..) {
            cells.push(NamedCell {
                name: format!("{carrier}.{}", system.names.text(cell.name)),
                bits: bits_of(layout, id, VariableId::Local(i)),
            });
        }
    }
    let count = system.globals.len();
    for (cell, i) in system.globals.iter().zip(0..) {
        let name = match i as usize + 1 == count {
            true => "state()".to_owned(),
            false => system.names.text(cell.name).to_owned(),
        };
        cells.push(NamedCell {
            name,
            bits: layout.global(i),
        });
    }
    cells
}

/// Which cells meet in some condition of a rule.
pub fn meetings(system: &System, layout: &Layout) -> Meetings {
    let mut meetings = Meetings::new(layout.len());
    for rule in &system.rules {
        let groups = system.groups_of(rule);
        for condition in &rule.relation {
            let operations = system.expressions.operations(*condition);
            meetings.meet_in(operations, |variable, when| {
                bits_of(layout, groups[when as usize], variable)
            });
        }
    }
    meetings
}

/// How many copies of each variable the rules need: one more than usual if some push gives
/// values of its own to the symbol below.
pub fn sets_below(system: &System, flow: &Flow) -> bool {
    let mut rules = system.rule_ids();
    rules.any(|rule| {
        flow.mentioned(rule, When::Below)
            .iter()
            .any(|word| *word != 0)
    })
}
