//! The numbering of data variables that all procedures share.
//!
//! A data variable is one bit. Locals come first: the locals of every procedure begin with
//! the same data variable, since at any time only one frame is looked at. So the number of
//! BDD variables depends on the largest procedure and not on the program (Moped, section
//! 6). Globals come next, and last the *returned* values that a `return` fixes and the
//! caller takes over. The bits of a cell stand side by side, the least significant first.
//!
//! C has cells of many widths. There, the cells of frames share bits only with others of the same
//! width, so that an order that interleaves bits is good for all frames.

use crate::bits::{self, BitSet};
use crate::index::IndexVec;
use crate::program::{Cell, Domain, Language, Operation, ProcedureId, Program, VariableId};
use crate::pushdown::System;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

/// A variable that a property speaks of, and whose value therefore always matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Observed {
    Global(u32),
    Local(ProcedureId, u32),
}

/// A condition that is looked at along executions, in postfix form: a local in it is an index into
/// the list beside it.
pub type Condition<'c> = (&'c [Operation], &'c [(ProcedureId, u32)]);

/// A variable of the symbolic pushdown system, one bit: an index into the shared numbering.
pub type DataVariable = u32;

/// Where the bits of each cell of a row begin and end. Empty if every cell is one bit.
type Offsets = Box<[(u32, u32)]>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// How many bits there are for locals, for globals and for returned values.
    pub locals: u32,
    pub globals: u32,
    pub returned: u32,
    /// Bits for the state of a Büchi automaton in a product.
    pub state_bits: u32,
    /// Whether frames remember that an accepting state was seen.
    pub remembers: bool,
    global_offsets: Offsets,
    /// For each procedure, of its locals and its return values; empty if all are one bit.
    frame_offsets: IndexVec<ProcedureId, (Offsets, Offsets)>,
}

impl Layout {
    pub fn of(program: &Program) -> Self {
        let frames = program.procedures.iter();
        let frames = frames.map(|procedure| (&*procedure.locals, &*procedure.returns));
        Self::new(&program.globals, frames, program.language == Language::C)
    }

    /// Symbols share the bits of their locals as procedures do, a group in the place of a
    /// procedure. The control state is a global.
    pub fn of_system(system: &System) -> Self {
        let groups = system.groups.iter().map(|group| (&*group.cells, &[][..]));
        Self::new(&system.globals, groups, false)
    }

    /// The layout for these globals, and these locals and return values of each kind of
    /// frame; `by_width` if only cells of one width share bits.
    pub fn new<'c>(
        globals: &[Cell],
        frames: impl Iterator<Item = (&'c [Cell], &'c [Domain])> + Clone,
        by_width: bool,
    ) -> Self {
        let of_cells = |cells: &[Cell]| offsets(cells.iter().map(|cell| cell.domain));
        let of_domains = |domains: &[Domain]| offsets(domains.iter().copied());
        let mut layout = Layout {
            locals: 0,
            globals: 0,
            returned: 0,
            state_bits: 0,
            remembers: false,
            global_offsets: of_cells(globals),
            frame_offsets: IndexVec::new(),
        };
        let mut wide = false;
        for (locals, returns) in frames.clone() {
            let (local, returned) = (of_cells(locals), of_domains(returns));
            wide |= !local.is_empty() || !returned.is_empty();
            layout.locals = layout.locals.max(end(&local, locals.len()));
            layout.returned = layout.returned.max(end(&returned, returns.len()));
        }
        layout.globals = end(&layout.global_offsets, globals.len());
        if by_width {
            let widths = |cells: &[Cell]| cells.iter().map(|cell| cell.domain.bits()).collect();
            let of_domains = |all: &[Domain]| all.iter().map(|domain| domain.bits()).collect();
            let (locals, returned): (Vec<_>, Vec<_>) = frames
                .map(|(locals, returns)| (widths(locals), of_domains(returns)))
                .unzip();
            let (locals, end_of_locals) = offsets_by_width(&locals);
            let (returned, end_of_returned) = offsets_by_width(&returned);
            layout.frame_offsets = locals.into_iter().zip(returned).collect();
            (layout.locals, layout.returned) = (end_of_locals, end_of_returned);
        } else if wide {
            let frames = frames.map(|(locals, returns)| (of_cells(locals), of_domains(returns)));
            layout.frame_offsets = frames.collect();
        }
        layout
    }

    pub fn len(&self) -> u32 {
        let memory = if self.remembers { 2 } else { 0 };
        self.locals + self.globals + self.returned + self.state_bits + memory
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bits of a cell as seen from inside `procedure`.
    pub fn cell(&self, procedure: ProcedureId, variable: VariableId) -> Range<DataVariable> {
        match variable {
            VariableId::Local(index) => match self.frame_offsets.get(procedure) {
                Some((offsets, _)) => bits_of(offsets, index, 0),
                None => index..index + 1,
            },
            VariableId::Global(index) => self.global(index),
        }
    }

    pub fn global(&self, index: u32) -> Range<DataVariable> {
        bits_of(&self.global_offsets, index, self.locals)
    }

    /// The bits of a returned cell of `procedure`.
    pub fn returned(&self, procedure: ProcedureId, index: u32) -> Range<DataVariable> {
        let first = self.locals + self.globals;
        match self.frame_offsets.get(procedure) {
            Some((_, offsets)) => bits_of(offsets, index, first),
            None => first + index..first + index + 1,
        }
    }

    /// The variable that a bit is part of, as a frame of a kind sees it.
    pub fn variable(&self, frame: ProcedureId, bit: DataVariable) -> VariableId {
        match bit.checked_sub(self.locals) {
            Some(place) => VariableId::Global(index_of(&self.global_offsets, place)),
            None => VariableId::Local(match self.frame_offsets.get(frame) {
                Some((offsets, _)) => index_of(offsets, bit),
                None => bit,
            }),
        }
    }

    /// Which of the values that a frame of a kind returns a bit is part of, if it is.
    pub fn returned_index(&self, frame: ProcedureId, bit: DataVariable) -> Option<u32> {
        let range = self.returned_range();
        let place = bit.checked_sub(range.start).filter(|_| bit < range.end)?;
        Some(match self.frame_offsets.get(frame) {
            Some((_, offsets)) => index_of(offsets, place),
            None => place,
        })
    }

    /// The bits of all returned values.
    pub fn returned_range(&self) -> Range<DataVariable> {
        let first = self.locals + self.globals;
        first..first + self.returned
    }

    /// A bit of the automaton's state.
    pub fn state_bit(&self, index: u32) -> DataVariable {
        self.returned_range().end + index
    }

    /// The automaton's state in a valuation; 0 if there is no automaton.
    pub fn state(&self, values: &[bool]) -> u32 {
        let bits = self.state_range().zip(0..);
        bits.map(|(bit, place)| u32::from(values[bit as usize]) << place)
            .sum()
    }

    pub fn state_range(&self) -> Range<DataVariable> {
        self.state_bit(0)..self.state_bit(self.state_bits)
    }

    /// "An accepting state was seen since this frame was pushed."
    pub fn seen(&self) -> Option<DataVariable> {
        self.remembers.then(|| self.state_bit(self.state_bits))
    }

    /// "An accepting state was seen in the frame that was popped last."
    pub fn seen_returned(&self) -> Option<DataVariable> {
        self.seen().map(|seen| seen + 1)
    }

    /// All variables from the top of the order down: the automaton's first, since it
    /// splits everything else, then the program's as `given`, or as they were declared,
    /// locals above globals (Moped, section 5).
    pub fn order(&self, given: Option<&[DataVariable]>) -> Vec<DataVariable> {
        let program = self.returned_range().end;
        let automaton = program..self.len();
        match given {
            Some(given) => automaton.chain(given.iter().copied()).collect(),
            None => automaton.chain(0..program).collect(),
        }
    }

    /// All variables, those of greatest weight in their cells first: where numbers are to be
    /// small, these are to be 0 first.
    pub fn heaviest_first(&self) -> Vec<DataVariable> {
        let mut weights = vec![0; self.len() as usize];
        let mut weigh = |offsets: &Offsets, first: u32| {
            for (begin, end) in offsets {
                for (weight, bit) in (*begin..*end).enumerate() {
                    let at = &mut weights[(first + bit) as usize];
                    *at = weight.max(*at);
                }
            }
        };
        weigh(&self.global_offsets, self.locals);
        for (locals, returned) in &self.frame_offsets {
            weigh(locals, 0);
            weigh(returned, self.returned_range().start);
        }
        let mut variables: Vec<_> = (0..self.len()).collect();
        variables.sort_by_key(|v| std::cmp::Reverse(weights[*v as usize]));
        variables
    }

    /// The global truth values, and the state of the automaton: what tells one part of an
    /// execution from another, as a set.
    pub fn flags(&self) -> BitSet {
        let mut flags = BitSet::new(self.len() as usize);
        bits::insert_all(&mut flags, self.global_range());
        for (begin, end) in &self.global_offsets {
            let cell = self.locals + begin..self.locals + end;
            if cell.len() > 1 {
                bits::remove_all(&mut flags, cell);
            }
        }
        bits::insert_all(&mut flags, self.state_range());
        flags
    }

    /// Whether some cell has more than one bit.
    pub fn is_wide(&self) -> bool {
        let is_wide = |cells: &Offsets| cells.iter().any(|(begin, end)| end - begin > 1);
        let frames = self.frame_offsets.iter();
        let mut frames = frames.flat_map(|(locals, returned)| [locals, returned]);
        is_wide(&self.global_offsets) || frames.any(is_wide)
    }

    pub fn global_range(&self) -> Range<DataVariable> {
        self.locals..self.locals + self.globals
    }
}

fn offsets(domains: impl Iterator<Item = Domain> + Clone) -> Offsets {
    if domains.clone().all(|domain| domain.bits() == 1) {
        return Box::default();
    }
    let mut end = 0;
    let cells = domains.map(|domain| {
        let begin = end;
        end += domain.bits();
        (begin, end)
    });
    cells.collect()
}

/// Where the cells of these widths begin and end in each row, if those of one width share bits and
/// others do not; and where the last one ends.
fn offsets_by_width(rows: &[Vec<u32>]) -> (Vec<Offsets>, u32) {
    // How many cells of each width a row has at most.
    let mut most: BTreeMap<Reverse<u32>, u32> = BTreeMap::new();
    for row in rows {
        let mut counts: BTreeMap<Reverse<u32>, u32> = BTreeMap::new();
        for width in row {
            *counts.entry(Reverse(*width)).or_default() += 1;
        }
        for (width, count) in counts {
            let most = most.entry(width).or_default();
            *most = count.max(*most);
        }
    }
    let mut end = 0;
    let mut begins: BTreeMap<Reverse<u32>, u32> = BTreeMap::new();
    for (width, count) in most {
        begins.insert(width, end);
        end += width.0 * count;
    }
    let offsets = rows.iter().map(|row| {
        let mut next = begins.clone();
        let cells = row.iter().map(|width| {
            let begin = next.entry(Reverse(*width)).or_default();
            *begin += width;
            (*begin - width, *begin)
        });
        cells.collect()
    });
    (offsets.collect(), end)
}

fn end(offsets: &Offsets, cells: usize) -> u32 {
    let ends = offsets.iter().map(|(_, end)| *end);
    ends.max().unwrap_or(cells as u32)
}

fn bits_of(offsets: &Offsets, index: u32, first: u32) -> Range<DataVariable> {
    match offsets.get(index as usize) {
        Some((begin, end)) => first + begin..first + end,
        None => first + index..first + index + 1,
    }
}

/// The cell of a row that has this bit.
fn index_of(offsets: &Offsets, bit: u32) -> u32 {
    if offsets.is_empty() {
        return bit;
    }
    // Cells are in the order of their bits, unless they are sorted by width.
    let last = offsets.partition_point(|(begin, _)| *begin <= bit);
    let has_bit = |cell: &(u32, u32)| (cell.0..cell.1).contains(&bit);
    let found = last.checked_sub(1).filter(|cell| has_bit(&offsets[*cell]));
    let found = found.or_else(|| offsets.iter().position(has_bit));
    found.unwrap_or_default() as u32
}
