//! What a thread can be in that begins at one of some points: its heads, and the places of its
//! frames.
//!
//! As nothing recurses, a thread has at most one frame of each procedure, and each frame has its
//! place once and for all: above those of all procedures that lead to it. Two procedures share
//! a place only if neither is ever below the other. In its place a frame has the call that it
//! returns to, as a number, and a pair of variables for each local. Linear in the points.

use super::population::inner_entry;
use crate::analysis::control::Control;
use crate::bdd::Level;
use crate::components::components;
use crate::program::{Action, Cell, PointId, ProcedureId, Program};
use crate::rules::{Head, Rules};
use rustc_hash::FxHashMap;

/// Threads that begin at the same points.
#[derive(Debug)]
pub struct Kind {
    /// The control points, in the order in which an exploration makes the fewest detours; the
    /// last one is where threads have ended.
    pub heads: Vec<Head>,
    index: FxHashMap<Head, usize>,
    /// For each procedure; one that such threads never come to has no sites.
    frames: Vec<Frame>,
    /// How many BDD variables all frames take.
    pub depth: u32,
}

/// The place of a procedure's frame.
#[derive(Debug, Default)]
pub struct Frame {
    /// Its first BDD variable, counted from those of the lowest frame.
    pub base: u32,
    /// The calls it may return to, in rising order; `None` first, if it may be the lowest.
    pub sites: Vec<Option<PointId>>,
    /// How many bits of locals it has.
    locals: u32,
}

impl Frame {
    /// How many bits the number of a site has.
    pub fn site_bits(&self) -> u32 {
        code_bits(self.sites.len())
    }

    /// The variables of the number of a site.
    pub fn site_levels(&self) -> std::ops::Range<Level> {
        self.base..self.base + self.site_bits()
    }

    /// The variable of a local, before a step; the next one is for after it.
    pub fn local(&self, bit: u32) -> Level {
        self.base + self.site_bits() + 2 * bit
    }

    /// How many bits its locals have.
    pub fn locals(&self) -> u32 {
        self.locals
    }

    fn end(&self) -> u32 {
        self.local(self.locals)
    }
}

/// How many bits tell so many things apart.
pub fn code_bits(count: usize) -> u32 {
    count.next_power_of_two().trailing_zeros()
}

impl Kind {
    /// Threads that begin at these points.
    pub fn of(
        program: &Program,
        control: &Control,
        rules: &Rules<'_>,
        roots: &[PointId],
        end: Head,
    ) -> Self {
        let heads = order(program, control, roots);
        let frame = |id| Frame {
            locals: bits_of(rules.cells(id).locals),
            ..Frame::default()
        };
        let mut frames: Vec<_> = program.procedure_ids().map(frame).collect();
        let mut sites: Vec<_> = heads
            .iter()
            .filter_map(|head| match &program.point(PointId(head.0)).action {
                Action::Call(call) => Some((call.callee, Some(PointId(head.0)))),
                _ => None,
            })
            .collect();
        let lowest = roots.iter().map(|root| program.point(*root).procedure);
        sites.extend(lowest.map(|procedure| (procedure, None)));
        sites.sort_unstable();
        sites.dedup();
        for (callee, site) in sites {
            frames[callee.0 as usize].sites.push(site);
        }
        let depth = place(program, &mut frames);
        let heads: Vec<Head> = heads.into_iter().chain([end]).collect();
        Kind {
            index: heads.iter().copied().zip(0..).collect(),
            heads,
            frames,
            depth,
        }
    }

    /// The place of a head among [`Kind::heads`]; `None` if such threads never come to it.
    pub fn index(&self, head: Head) -> Option<usize> {
        self.index.get(&head).copied()
    }

    pub fn frame(&self, procedure: ProcedureId) -> &Frame {
        &self.frames[procedure.0 as usize]
    }

    /// The place of threads that have ended among the heads.
    pub fn end(&self) -> usize {
        self.heads.len() - 1
    }

    /// The number of a site of a procedure, as the variables that it is told by.
    pub fn site_code(
        &self,
        procedure: ProcedureId,
        site: Option<PointId>,
    ) -> impl Iterator<Item = (Level, bool)> + use<> {
        let frame = self.frame(procedure);
        let number = frame.sites.partition_point(|other| *other < site);
        frame
            .site_levels()
            .zip(0..)
            .map(move |(level, place)| (level, number >> place & 1 == 1))
    }
}

/// The points that can be reached without a creation, in reverse postorder: what a call leads
/// to comes before what follows it.
fn order(program: &Program, control: &Control, roots: &[PointId]) -> Vec<Head> {
    let mut seen = vec![false; program.points.len()];
    let mut order = Vec::new();
    let mut path: Vec<(PointId, Vec<PointId>)> = Vec::new();
    let open = |point: PointId| {
        let exit = program.procedure_of(point).exit();
        let action = &program.point(point).action;
        let called = inner_entry(program, point).filter(|_| matches!(action, Action::Call(_)));
        // The last one is followed first.
        let mut successors: Vec<_> = called.into_iter().collect();
        action.for_each_successor(exit, |next| successors.push(next));
        successors.retain(|next| control.reaches(*next));
        (point, successors)
    };
    for root in roots {
        if !std::mem::replace(&mut seen[root.0 as usize], true) {
            path.push(open(*root));
        }
        while let Some((point, successors)) = path.last_mut() {
            match successors.pop() {
                Some(next) => {
                    if !std::mem::replace(&mut seen[next.0 as usize], true) {
                        path.push(open(next));
                    }
                }
                None => {
                    order.push(Head(point.0));
                    path.pop();
                }
            }
        }
    }
    order.reverse();
    order
}

/// How many bits cells have together.
fn bits_of(cells: &[Cell]) -> u32 {
    cells.iter().map(|cell| cell.domain.bits()).sum()
}

/// Gives each frame its place, and tells how much they take together.
fn place(program: &Program, frames: &mut [Frame]) -> u32 {
    let caller = |site: &Option<PointId>| site.map(|site| program.point(site).procedure);
    let mut calls = vec![Vec::new(); program.procedures.len()];
    for (callee, frame) in frames.iter().enumerate() {
        for caller in frame.sites.iter().filter_map(caller) {
            calls[caller.0 as usize].push(callee);
        }
    }
    let entered = (0..frames.len()).filter(|id| !frames[*id].sites.is_empty());
    let mut bottom_up = components(&calls, entered);
    let mut depth = 0;
    while let Some(members) = bottom_up.pop() {
        for id in members {
            let end = frames[id].end();
            depth = end.max(depth);
            for callee in &calls[id] {
                let callee = &mut frames[*callee];
                callee.base = callee.base.max(end);
            }
        }
    }
    depth
}
