//! What is known of one execution: who runs when, the globals at each switch, and what created
//! threads began with. What the threads do in between is found for each of them by itself.

use super::{Contexts, Hit, Node};
use crate::program::{Action, NewThread, PointId, Program, VariableId};

/// One context of an execution.
#[derive(Clone, Debug)]
pub struct Context {
    pub thread: u32,
    /// The globals when it begins, by number; `None` for own ones, and for those of the thread
    /// that runs before the others.
    pub begin: Box<[Option<bool>]>,
    /// The threads that it creates and that matter: their numbers.
    pub creates: Vec<u32>,
}

/// How a thread begins.
#[derive(Clone, Debug)]
pub struct ThreadBegin {
    /// Of a created thread: the statement that creates it.
    pub site: Option<PointId>,
    pub at: PointId,
    /// By number; `None` for any value.
    pub locals: Box<[Option<bool>]>,
    /// All globals; `None` for shared ones, and for any value.
    pub own: Box<[Option<bool>]>,
}

/// An execution that comes to what was looked for.
#[derive(Clone, Debug)]
pub struct Schedule {
    pub contexts: Vec<Context>,
    /// By number; the first is thread 0, if there is one.
    pub threads: Vec<(u32, ThreadBegin)>,
    pub goal: PointId,
    /// Whether the assertion at the goal is to fail.
    pub fails: bool,
}

/// Where a thread begins that is created at a point, and how many locals it is given.
pub fn begin_of(program: &Program, site: PointId) -> (PointId, u32) {
    let Action::StartThread { thread, .. } = &program.point(site).action else {
        return (site, 0);
    };
    let begin = program.begin_of(thread);
    let procedure = program.procedure_of(begin);
    let given = match thread {
        NewThread::Call { .. } => procedure.parameters,
        NewThread::Copy { .. } => procedure.locals.len() as u32,
    };
    (begin, given)
}

impl Contexts<'_> {
    /// One execution to a hit.
    pub fn schedule(&self, hit: &Hit) -> Schedule {
        let values = self.bdds.smallest(&hit.set).unwrap_or_default();
        let value = |level: u32| values.get(level as usize).copied().flatten() == Some(true);
        let mut nodes: Vec<&Node> = self.path(&self.nodes[hit.node as usize]).collect();
        nodes.reverse();
        let globals = self.program.globals.len() as u32;
        let bit = |global: u32| self.rules.layout.global(global).start;
        let declared = self.threads.declared.len() as u32;
        let is_own = |global: u32| self.threads.is_own(global);
        let contexts = nodes.iter().enumerate().map(|(i, node)| {
            let begin = (0..globals).map(|global| {
                let is_known = node.thread != 0 && !is_own(global);
                is_known.then(|| value(self.history.at_switch(bit(global), node.depth)))
            });
            let after = nodes.get(i + 1).map_or(hit.created, |next| next.created);
            let [before, after] = [node.created, after].map(|list| self.created_count(list));
            Context {
                thread: node.thread,
                begin: begin.collect(),
                creates: (before..after).map(|index| declared + 1 + index).collect(),
            }
        });
        let contexts: Vec<_> = contexts.collect();
        let none = || (0..globals).map(|_| None).collect::<Box<[_]>>();
        let mut threads = Vec::new();
        if let Some(init) = self.threads.init {
            let procedure = self.program.procedure(init);
            threads.push((0, self.free(procedure.entry(), none())));
        }
        for (start, number) in self.threads.declared.iter().zip(1..) {
            let procedure = self.program.procedure(start.procedure);
            // What the thread before all others has left.
            let own = (0..globals).map(|global| {
                let is_known = is_own(global) && self.threads.init.is_some();
                is_known.then(|| value(self.history.at_switch(bit(global), 0)))
            });
            let mut begin = self.free(procedure.entry(), own.collect());
            for (local, argument) in begin.locals.iter_mut().zip(&start.arguments) {
                *local = argument.map(|argument| argument != 0);
            }
            threads.push((number, begin));
        }
        for index in 0..self.created_count(hit.created) {
            let site = self.site(hit.created, index);
            let (at, given) = begin_of(self.program, site);
            let procedure = self.program.point(at).procedure;
            let created = |bit| value(self.history.at_creation(bit, index));
            let own = (0..globals).map(|g| is_own(g).then(|| created(bit(g))));
            let mut begin = self.free(at, own.collect());
            for (local, i) in begin.locals.iter_mut().zip(0..given) {
                *local = Some(created(self.cell(procedure, VariableId::Local(i))));
            }
            begin.site = Some(site);
            threads.push((declared + 1 + index, begin));
        }
        Schedule {
            contexts,
            threads,
            goal: hit.point,
            fails: hit.fails,
        }
    }

    /// A thread whose locals have any values.
    fn free(&self, at: PointId, own: Box<[Option<bool>]>) -> ThreadBegin {
        ThreadBegin {
            site: None,
            at,
            locals: vec![None; self.program.procedure_of(at).locals.len()].into(),
            own,
        }
    }
}
