//! Who calls whom: reachable procedures and the order "callees before callers".
//!
//! Strongly connected components by Tarjan's algorithm, with an explicit stack because a
//! chain of a hundred thousand procedures is an ordinary program. Linear in the program.

use crate::program::{Action, PointId, ProcedureId, Program};

#[derive(Debug)]
pub struct CallGraph {
    /// The procedures that calls can reach from the entry procedure (or all), callees before
    /// callers (inside a recursive component: in the order Tarjan's algorithm leaves them).
    pub bottom_up: Vec<ProcedureId>,
    /// For each procedure, the calls to it that stand in a procedure of `bottom_up`.
    pub call_sites: Vec<Vec<PointId>>,
    /// For each procedure, whether a call in it can lead to a call of itself.
    pub recursive: Vec<bool>,
}

impl CallGraph {
    pub fn of(program: &Program) -> Self {
        Self::from_roots(program, [program.entry])
    }

    /// The same for all procedures, whether or not an execution can come to them.
    pub fn whole(program: &Program) -> Self {
        let others = program.procedure_ids();
        Self::from_roots(program, std::iter::once(program.entry).chain(others))
    }

    fn from_roots(program: &Program, roots: impl IntoIterator<Item = ProcedureId>) -> Self {
        let callees: Vec<Vec<ProcedureId>> = program
            .procedures
            .iter()
            .map(|procedure| {
                let points = &program.points[procedure.points.start as usize..];
                let points = &points[..procedure.points.len()];
                let calls = points.iter().filter_map(|point| match &point.action {
                    Action::Call(call) => Some(call.callee),
                    _ => None,
                });
                let mut callees: Vec<_> = calls.collect();
                callees.sort_unstable();
                callees.dedup();
                callees
            })
            .collect();
        let mut search = Tarjan::new(&callees);
        roots.into_iter().for_each(|root| search.run(root));
        let mut call_sites = vec![Vec::new(); program.procedures.len()];
        let mut reached: Vec<_> = search.bottom_up.clone();
        reached.sort_unstable();
        for caller in reached {
            for point in program.procedure(caller).points.clone() {
                if let Action::Call(call) = &program.points[point as usize].action {
                    call_sites[call.callee.0 as usize].push(PointId(point));
                }
            }
        }
        CallGraph {
            bottom_up: search.bottom_up,
            call_sites,
            recursive: search.recursive,
        }
    }

    pub fn is_reachable(&self, procedure: ProcedureId, program: &Program) -> bool {
        procedure == program.entry || !self.call_sites[procedure.0 as usize].is_empty()
    }
}

const UNSEEN: u32 = u32::MAX;

struct Tarjan<'a> {
    callees: &'a [Vec<ProcedureId>],
    index: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<ProcedureId>,
    next: u32,
    bottom_up: Vec<ProcedureId>,
    recursive: Vec<bool>,
}

impl<'a> Tarjan<'a> {
    fn new(callees: &'a [Vec<ProcedureId>]) -> Self {
        let n = callees.len();
        Tarjan {
            callees,
            index: vec![UNSEEN; n],
            low: vec![0; n],
            on_stack: vec![false; n],
            stack: Vec::new(),
            next: 0,
            bottom_up: Vec::new(),
            recursive: vec![false; n],
        }
    }

    fn enter(&mut self, procedure: ProcedureId) {
        let i = procedure.0 as usize;
        self.index[i] = self.next;
        self.low[i] = self.next;
        self.next += 1;
        self.on_stack[i] = true;
        self.stack.push(procedure);
    }

    fn run(&mut self, root: ProcedureId) {
        if self.index[root.0 as usize] != UNSEEN {
            return;
        }
        self.enter(root);
        // Each entry: a procedure and how many of its callees have been looked at.
        let mut path = vec![(root, 0)];
        while let Some((procedure, looked)) = path.last_mut() {
            let i = procedure.0 as usize;
            if let Some(callee) = self.callees[i].get(*looked).copied() {
                *looked += 1;
                let j = callee.0 as usize;
                if self.index[j] == UNSEEN {
                    self.enter(callee);
                    path.push((callee, 0));
                } else if self.on_stack[j] {
                    self.low[i] = self.low[i].min(self.index[j]);
                }
                continue;
            }
            path.pop();
            if let Some((caller, _)) = path.last() {
                let c = caller.0 as usize;
                self.low[c] = self.low[c].min(self.low[i]);
            }
            if self.low[i] == self.index[i] {
                self.leave_component(i);
            }
        }
    }

    fn leave_component(&mut self, root: usize) {
        let first = self.bottom_up.len();
        while let Some(member) = self.stack.pop() {
            self.on_stack[member.0 as usize] = false;
            self.bottom_up.push(member);
            if member.0 as usize == root {
                break;
            }
        }
        let members = &self.bottom_up[first..];
        let calls_itself = self.callees[root].contains(&ProcedureId(root as u32));
        if members.len() > 1 || calls_itself {
            for member in members {
                self.recursive[member.0 as usize] = true;
            }
        }
    }
}
