//! A proof for every bound: each thread by itself, among others of which little is remembered.
//!
//! Between two of its steps, when it may be left, a thread finds the shared globals changed:
//! those that other threads assign to have any of the values that were reachable together with
//! the others, which only it assigns to. Nothing else is remembered of the other threads, nor of
//! how created ones began. So all executions are among those looked at, whatever their number
//! of switches: what is not reached here is never reached. The set of shared globals grows until
//! it is closed under the steps of all threads; each time, every thread is saturated anew.

use super::saturation::Saturation;
use super::{Contexts, Created, Node};
use crate::bdd::Bdd;
use crate::program::{Action, NewThread, PointId, ProcedureId, Program, Target, VariableId};
use crate::rules::Meaning;
use crate::spds::Head;
use crate::watch::Abort;
use rustc_hash::FxHashSet;

/// A thread, or any number of them that begin alike.
struct Kind {
    begin: Begin,
    /// The globals that other threads may assign to.
    changed: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Begin {
    Declared(usize),
    /// Created at some statement; it begins at this point.
    Created(PointId),
}

impl Contexts<'_> {
    /// The points looked for that may be reached, and the assertions that may fail, with any
    /// number of switches. Those not among them never are.
    pub fn possible(&mut self) -> Result<FxHashSet<(PointId, bool)>, Abort> {
        let bdds = self.bdds;
        let mut hits = Vec::new();
        let mut globals = bdds.not(&self.history.exclusive)?;
        if let Some(init) = self.threads.init {
            let head = Head(self.program.procedure(init).entry().0);
            let node = Node::new(None, 0, 0, 1, Created(0));
            let start = vec![((head, Created(0), None), globals)];
            let node = self.saturate_creating(node, start, 0, &mut hits)?;
            globals = self.bdds.constant(false);
            for ((head, ..), set) in &self.nodes[node as usize].edges {
                if self.spds.bottom == Some(*head) {
                    globals = bdds.or(&globals, &self.shared(set)?)?;
                }
            }
        }
        let kinds = self.kinds();
        loop {
            let mut further = globals.clone();
            for kind in &kinds {
                let (reached, found) = self.among_others(kind, &globals)?;
                further = bdds.or(&further, &reached)?;
                hits.extend(found);
            }
            if further == globals {
                return Ok(hits.iter().map(|hit| (hit.point, hit.fails)).collect());
            }
            globals = further;
        }
    }

    /// The shared globals in which a thread may be left, whatever else it has.
    fn shared(&self, set: &Bdd) -> Result<Bdd, Abort> {
        let bdds = self.bdds;
        let set = bdds.difference(set, &self.history.exclusive)?;
        Ok(bdds.exists(&set, &self.history.all_but_shared()?)?)
    }

    /// Saturates a thread among others; in which globals it may be left, and what it hits.
    fn among_others(
        &mut self,
        kind: &Kind,
        globals: &Bdd,
    ) -> Result<(Bdd, Vec<super::Hit>), Abort> {
        let bdds = self.bdds;
        let start = match kind.begin {
            Begin::Declared(index) => {
                let procedure = self.threads.declared[index].procedure;
                let head = Head(self.program.procedure(procedure).entry().0);
                let set = bdds.and(globals, &self.arguments(index)?)?;
                ((head, Created(0), None), set)
            }
            Begin::Created(at) => ((Head(at.0), Created(0), None), globals.clone()),
        };
        let changed = self.history.cube_of(kind.changed.iter().copied())?;
        let symbols = self.rules.symbols;
        let (spds, exclusive) = (self.spds, self.history.exclusive.clone());
        let id = self.nodes.len() as u32;
        self.nodes.push(Node::new(None, 0, 0, 1, Created(0)));
        let mut saturation = Saturation::new(self, id, 0);
        saturation.add(start.0, &start.1)?;
        loop {
            saturation.run()?;
            let mut is_done = true;
            for (place, set) in saturation.edges() {
                let (head, ..) = place;
                if head.0 >= symbols {
                    continue;
                }
                let free = bdds.difference(&set, &exclusive)?;
                let found = bdds.and(&bdds.exists(&free, &changed)?, globals)?;
                let new = bdds.difference(&found, &set)?;
                if !bdds.is_false(&new) {
                    saturation.add(place, &new)?;
                    is_done = false;
                }
            }
            if is_done {
                break;
            }
        }
        let (edges, hits) = (saturation.edges(), saturation.hits);
        let mut reached = bdds.constant(false);
        for ((head, ..), set) in &edges {
            let is_point = matches!(self.rules.meaning(*head), Meaning::Symbol(_));
            if is_point || spds.bottom == Some(*head) {
                reached = bdds.or(&reached, &self.shared(set)?)?;
            }
        }
        Ok((reached, hits))
    }

    /// The threads there can be, those that begin alike and could change places together.
    fn kinds(&self) -> Vec<Kind> {
        let program = self.program;
        let declared = (0..self.threads.declared.len()).map(Begin::Declared);
        let created = program
            .points
            .iter()
            .filter_map(|point| match &point.action {
                Action::StartThread { thread, .. } => Some(Begin::Created(match thread {
                    NewThread::Call { callee, .. } => program.procedure(*callee).entry(),
                    NewThread::Copy { at, .. } => *at,
                })),
                _ => None,
            });
        let begins: Vec<_> = declared.chain(created).collect();
        let assigned: Vec<_> = begins.iter().map(|begin| self.assigned(*begin)).collect();
        let kinds = begins.iter().enumerate().map(|(i, begin)| {
            // A statement may create many threads.
            let is_one = matches!(begin, Begin::Declared(_));
            let others = assigned.iter().enumerate();
            let others = others.filter(|(other, _)| !is_one || *other != i);
            let mut changed: Vec<_> = others.flat_map(|(_, set)| set).copied().collect();
            changed.sort_unstable();
            changed.dedup();
            Kind {
                begin: *begin,
                changed,
            }
        });
        kinds.collect()
    }

    /// The shared globals that a thread may assign to.
    fn assigned(&self, begin: Begin) -> Vec<u32> {
        let program = self.program;
        let procedure = match begin {
            Begin::Declared(index) => self.threads.declared[index].procedure,
            Begin::Created(at) => program.point(at).procedure,
        };
        let globals = assigned_globals(program, procedure).into_iter();
        globals.filter(|g| !self.threads.is_own(*g)).collect()
    }
}

/// The globals that a procedure, with all that it calls, may assign to.
fn assigned_globals(program: &Program, procedure: ProcedureId) -> Vec<u32> {
    let mut seen = FxHashSet::default();
    let mut open = vec![procedure];
    let mut assigned = FxHashSet::default();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        for point in program.procedure(id).points.clone().map(PointId) {
            let mut assign = |target: &Target| {
                let cells = target.cells().into_iter();
                for (first, count) in cells {
                    for k in 0..count {
                        if let VariableId::Global(global) = first.plus(k) {
                            assigned.insert(global);
                        }
                    }
                }
            };
            match &program.point(point).action {
                Action::Assign { targets, .. } => targets.iter().for_each(&mut assign),
                Action::Havoc { variables, .. } => {
                    variables.iter().for_each(|v| assign(&Target::Cell(*v)));
                }
                Action::Return { assignments, .. } | Action::EndThread { assignments } => {
                    assignments.iter().for_each(|(target, _)| assign(target));
                }
                Action::Call(call) => {
                    call.targets.iter().for_each(&mut assign);
                    call.assignments
                        .iter()
                        .for_each(|(target, _)| assign(target));
                    open.push(call.callee);
                }
                _ => {}
            }
        }
    }
    let mut assigned: Vec<_> = assigned.into_iter().collect();
    assigned.sort_unstable();
    assigned
}
