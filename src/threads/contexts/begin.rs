//! What contexts begin with: a thread's first frame, or its frames as they were left.

use super::saturation::Place;
use super::schedule::begin_of;
use super::{Contexts, Created, Node};
use crate::bdd::{Bdd, BddResult};
use crate::program::{NewThread, PointId, ProcedureId, VariableId};
use crate::spds::{Head, evaluate};
use crate::watch::Abort;

impl Contexts<'_> {
    /// The edges that a context begins with.
    pub(super) fn starts(&self, node: &Node, histories: &Bdd) -> Result<Vec<(Place, Bdd)>, Abort> {
        let bdds = self.bdds;
        let Some((at, after)) = self.last_run(node, node.thread) else {
            let begins = self.begins(node.thread, node.created, histories, node.depth)?;
            let is_empty = bdds.is_false(&begins.1);
            return Ok(Vec::from_iter((!is_empty).then_some(begins)));
        };
        let Some(left) = self.nodes[at as usize].departures(after.created) else {
            return Ok(Vec::new());
        };
        let arrive = self.history.arrive(node.depth)?;
        let arrive = bdds.and(histories, &arrive)?;
        let mut starts = Vec::new();
        for (head, target, set) in &left.edges {
            // A thread that has ended does nothing more.
            if self.spds.bottom == Some(*head) {
                continue;
            }
            let set = bdds.and(set, &arrive)?;
            if !bdds.is_false(&set) {
                starts.push(((*head, node.created, *target), set));
            }
        }
        Ok(starts)
    }

    /// The first edge of a thread.
    pub(super) fn begins(
        &self,
        thread: u32,
        created: Created,
        histories: &Bdd,
        depth: u32,
    ) -> Result<(Place, Bdd), Abort> {
        let (bdds, program) = (self.bdds, self.program);
        let mut set = bdds.and(histories, &self.history.arrive(depth)?)?;
        let index = thread as usize - 1;
        let at = match self.threads.declared.get(index) {
            Some(start) => {
                set = bdds.and(&set, &self.arguments(index)?)?;
                if self.threads.init.is_some() {
                    set = bdds.and(&set, &self.history.own_from_start()?)?;
                }
                program.procedure(start.procedure).entry()
            }
            None => {
                let index = thread - self.threads.declared.len() as u32 - 1;
                let (at, locals) = begin_of(program, self.site(created, index));
                set = bdds.and(&set, &self.history.as_created(index, locals)?)?;
                at
            }
        };
        Ok(((Head(at.0), created, None), set))
    }

    /// "The parameters are as declared."
    pub(super) fn arguments(&self, declared: usize) -> BddResult {
        let start = &self.threads.declared[declared];
        let arguments = start.arguments.iter().zip(0..);
        let values = arguments.filter_map(|(value, i)| Some((i, (*value)? != 0)));
        let levels = values.map(|(i, value)| {
            let bit = self.cell(start.procedure, VariableId::Local(i));
            (self.history.current(bit), value)
        });
        self.bdds.minterm(levels)
    }

    pub(super) fn cell(&self, procedure: ProcedureId, variable: VariableId) -> u32 {
        self.rules.layout.cell(procedure, variable).start
    }

    /// "The thread that is created at this point begins as the history says."
    pub(super) fn begins_as(&self, point: PointId, thread: &NewThread, created: u32) -> BddResult {
        let (bdds, program) = (self.bdds, self.program);
        let procedure = program.point(point).procedure;
        let arguments = match thread {
            // All locals, and the own globals, are copied.
            NewThread::Copy { .. } => {
                let locals = program.procedure(procedure).locals.len() as u32;
                return self.history.as_created(created, locals);
            }
            NewThread::Call { arguments, .. } => arguments,
        };
        let mut begins = self.history.as_created(created, 0)?;
        for (argument, i) in arguments.iter().zip(0..) {
            let operations = program.expressions.operations(*argument);
            let read = |variable, _| {
                let bit = self.cell(procedure, variable);
                Some(self.history.term(bit))
            };
            let value = evaluate(bdds, operations, read)?;
            let target = bdds.variable(self.history.at_creation(i, created));
            let one = value.clone().be_one(bdds)?;
            let equal = bdds.if_then_else(&target, &one, &value.be_zero(bdds)?)?;
            begins = bdds.and(&begins, &equal)?;
        }
        Ok(begins)
    }
}
