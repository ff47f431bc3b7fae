//! Threads: the ones that are there from the start, the atomic blocks that each point of a
//! procedure is in, and the hidden cells that say whether a thread is exclusive. Linear time.
//!
//! While a procedure is walked backwards, an atomic block opens at its end. The one `k` blocks deep
//! keeps what the thread was before it in the hidden local `k`. Where no `atomic_end` is in the
//! program, a block within another one finds its thread exclusive and leaves it so: then the
//! outermost block alone needs a local.

use super::body::{Lowering, plural};
use super::points::goto;
use super::{no_entry, no_procedure};
use crate::diagnostic::{Advice, Diagnostic, Severity, did_you_mean};
use crate::names::Name;
use crate::program::{
    Action, Cell, Expression, NewThread, Operation, Point, ProcedureId, Target, ThreadStart,
    Threads, Value, VariableId,
};
use crate::source::{Source, Span};
use crate::syntax::boolean::threads::MOST_THREADS;
use crate::syntax::boolean::tree::{
    ExpressionId, Identifier, Label, Node, Procedure, StatementKind, Tree,
};

/// Where executions begin, as the caller wants it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start<'a> {
    /// The entry procedure, if not as the language has it.
    pub entry: Option<&'a str>,
    /// How many threads of which procedures there are from the start, instead of the declared
    /// ones.
    pub threads: Option<&'a [(String, u64)]>,
    /// How options are called.
    pub advice: Advice,
}

/// The names of the cells that are not shown, which no source can contain.
#[derive(Clone, Copy)]
pub struct Hidden {
    pub exclusive: Name,
    pub saved: Name,
}

impl Hidden {
    /// If the program has threads.
    pub fn new(tree: &mut Tree, start: &Start<'_>) -> Option<Self> {
        let threads = start.threads.is_some() || tree.declares_threads || tree.starts_threads;
        threads.then(|| Hidden {
            exclusive: tree.names.intern("(exclusive)"),
            saved: tree.names.intern("(exclusive before)"),
        })
    }
}

/// The atomic blocks of the procedure that is walked.
#[derive(Default)]
pub struct Atomic {
    /// For each point the block it is in, 0 for none; empty if there are no blocks.
    block_of: Vec<u32>,
    /// The points between the beginning and the end of each block; that of 0 is never looked at.
    extents: Vec<(u32, u32)>,
    /// How many are open where the walk is.
    depth: u32,
    /// How many hidden locals the procedure needs.
    saved: u32,
}

impl Atomic {
    fn new(tree: &Tree, procedure: &Procedure) -> Self {
        let mut atomic = Atomic::default();
        if !procedure.atomic {
            return atomic;
        }
        atomic.extents.push((0, procedure.points));
        let mut open = vec![0];
        for statement in &tree.statements[procedure.statements.indices()] {
            let here = atomic.block_of.len() as u32;
            let block = open.last().copied().unwrap_or(0);
            match statement.kind {
                StatementKind::Elsif(_)
                | StatementKind::Else
                | StatementKind::EndIf
                | StatementKind::EndWhile { .. } => {}
                StatementKind::Atomic => {
                    atomic.block_of.push(block);
                    open.push(atomic.extents.len() as u32);
                    atomic.extents.push((here, here));
                    let depth = open.len() as u32 - 1;
                    if depth == 1 || tree.ends_atomic {
                        atomic.saved = atomic.saved.max(depth);
                    }
                }
                StatementKind::EndAtomic => {
                    atomic.extents[block as usize].1 = here;
                    open.pop();
                    atomic.block_of.push(block);
                }
                _ => atomic.block_of.push(block),
            }
        }
        atomic
    }

    fn block_of(&self, point: u32) -> u32 {
        self.block_of.get(point as usize).copied().unwrap_or(0)
    }

    /// Whether a jump from one point to another leads into a block or out of one: how.
    fn crossing(&self, from: u32, to: u32) -> Option<&'static str> {
        let (inner, outer) = (self.block_of(from), self.block_of(to));
        if inner == outer {
            return None;
        }
        let (first, last) = self.extents[outer as usize];
        match outer == 0 || (first..=last).contains(&from) {
            true => Some("out of"),
            false => Some("into"),
        }
    }
}

impl Lowering<'_> {
    /// Begins with a procedure: how many hidden locals it has.
    pub fn begin_atomic(&mut self, id: ProcedureId) -> u32 {
        self.atomic = Atomic::new(self.tree, &self.tree.procedures[id.0 as usize]);
        match self.hidden {
            Some(_) => self.atomic.saved,
            None => 0,
        }
    }

    /// How many hidden locals have been set where the walk is.
    pub fn saved_here(&self) -> u32 {
        match self.hidden {
            Some(_) => self.atomic.depth.min(self.atomic.saved),
            None => 0,
        }
    }

    /// The hidden locals, behind the others.
    pub fn saved_cells(&self, saved: u32) -> impl Iterator<Item = Cell> + use<> {
        let name = self.hidden.map(|hidden| hidden.saved);
        let name = name.filter(|_| saved > 0);
        let cells = name.into_iter().map(Cell::boolean);
        cells.flat_map(move |cell| std::iter::repeat_n(cell, saved as usize))
    }

    /// The hidden global behind the declared ones, in a program with threads.
    fn exclusive(&self) -> Option<VariableId> {
        let global = VariableId::Global(self.tree.globals.len() as u32);
        self.hidden.map(|_| global)
    }

    /// The hidden local of the block that is `depth` deep, if it has one.
    fn saved(&self, id: ProcedureId, depth: u32) -> Option<VariableId> {
        let locals = self.tree.procedures[id.0 as usize].locals.len() as u32;
        let saved = VariableId::Local(locals + depth);
        (depth < self.atomic.saved).then_some(saved)
    }

    fn constant(&mut self, value: bool) -> Expression {
        self.expressions.add([Operation::Constant(value)])
    }

    fn read(&mut self, variable: VariableId) -> Expression {
        self.expressions.add([Operation::Read(variable)])
    }

    /// The step into an atomic block.
    pub fn enter_atomic(&mut self, id: ProcedureId) -> Action {
        self.atomic.depth = self.atomic.depth.saturating_sub(1);
        let next = self.points.next;
        let saved = self.saved(id, self.atomic.depth);
        let (Some(exclusive), Some(saved)) = (self.exclusive(), saved) else {
            return goto(next);
        };
        let values = [self.read(exclusive), self.constant(true)];
        self.assign([saved, exclusive], values)
    }

    /// The step out of an atomic block, by its end.
    pub fn leave_atomic(&mut self, id: ProcedureId) -> Action {
        let next = self.points.next;
        let saved = self.saved(id, self.atomic.depth);
        self.atomic.depth += 1;
        let (Some(exclusive), Some(saved)) = (self.exclusive(), saved) else {
            return goto(next);
        };
        let values = [self.read(saved), self.constant(false)];
        self.assign([exclusive, saved], values)
    }

    /// `atomic_begin` or `atomic_end`.
    pub fn set_exclusive(&mut self, value: bool) -> Action {
        match self.exclusive() {
            Some(exclusive) => {
                let value = self.constant(value);
                self.assign([exclusive], [value])
            }
            None => goto(self.points.next),
        }
    }

    fn assign<const N: usize>(&self, targets: [VariableId; N], values: [Expression; N]) -> Action {
        Action::Assign {
            targets: targets.map(Target::Cell).into(),
            values: values.map(Value::Of).into(),
            constrain: None,
            next: self.points.next,
        }
    }

    /// What a `return` does to the thread: it is again what it was before the outermost block.
    pub fn at_return(&mut self, id: ProcedureId) -> Box<[(Target, Value)]> {
        let saved = self.saved(id, 0).filter(|_| self.atomic.depth > 0);
        let (Some(exclusive), Some(saved)) = (self.exclusive(), saved) else {
            return Box::default();
        };
        let before = self.read(saved);
        Box::new([(Target::Cell(exclusive), Value::Of(before))])
    }

    pub fn end_thread(&mut self) -> Action {
        let assignments = match self.exclusive() {
            Some(exclusive) => {
                let no = self.constant(false);
                Box::from([(Target::Cell(exclusive), Value::Of(no))])
            }
            None => Box::default(),
        };
        Action::EndThread { assignments }
    }

    /// `start_thread goto`, with what its label is.
    pub fn start_at(&mut self, label: Identifier, declared: Option<Label>, span: Span) -> Action {
        let next = self.points.next;
        let Some(declared) = declared else {
            return goto(next);
        };
        if self.atomic.block_of(declared.point) != 0 {
            let text = self.tree.shown(label.name);
            let message = format!("no thread can begin at `{text}`, in an atomic block");
            let place = self.tree.span(declared.identifier);
            let diagnostic = Diagnostic::error(span, message);
            let diagnostic = diagnostic.with_related(place, "the label is here");
            let hint = "put the label in front of the block";
            self.collector.report(diagnostic.with_hint(hint));
        }
        let at = self.points.at(declared.point);
        let thread = NewThread::Copy {
            at,
            label: label.name,
        };
        Action::StartThread { thread, next }
    }

    /// A `goto` stays in its atomic block, and out of all others.
    pub fn check_jump(&mut self, label: Identifier, declared: Label) {
        let from = self.points.number();
        let Some(crossing) = self.atomic.crossing(from, declared.point) else {
            return;
        };
        let text = self.tree.shown(label.name);
        let message = format!("this `goto {text}` leads {crossing} an atomic block");
        let place = self.tree.span(declared.identifier);
        let hint = "jump within the block, or from outside to outside";
        self.collector.report(
            Diagnostic::error(self.tree.span(label), message)
                .with_related(place, "the label is here")
                .with_hint(hint),
        );
    }

    /// The threads, and where executions begin. What is wrong with either is reported.
    pub fn threads(
        &mut self,
        source: &Source,
        start: &Start<'_>,
    ) -> (Option<ProcedureId>, Option<Threads>) {
        let tree = self.tree;
        let is_declared = start.threads.is_some() || tree.declares_threads;
        let name = start
            .entry
            .unwrap_or(if is_declared { "init" } else { "main" });
        let entry = self.procedure_named(name);
        if entry.is_none() && !tree.incomplete && (!is_declared || start.entry.is_some()) {
            let option = start.advice.entry;
            self.collector.report(no_entry(source, tree, name, option));
        }
        let Some(exclusive) = self.exclusive() else {
            return (entry, None);
        };
        let mut declared = self.declared_threads();
        if let Some(given) = start.threads {
            declared = self.given_threads(source, given, start.advice.threads);
        } else if !is_declared {
            declared.extend(entry.map(|procedure| self.arbitrary(procedure)));
        }
        let init = entry.filter(|_| is_declared);
        if is_declared && !tree.lost_threads {
            self.check_main(init, &declared, start.advice);
        }
        let first = init.or(declared.first().map(|start| start.procedure));
        let threads = Threads {
            init,
            declared,
            exclusive: match exclusive {
                VariableId::Global(index) | VariableId::Local(index) => index,
            },
            own: tree.own.clone().into(),
        };
        (first, Some(threads))
    }

    fn procedure_named(&self, name: &str) -> Option<ProcedureId> {
        let found = self.tree.names.find(name);
        let found = found.and_then(|name| self.scope.procedures.get(name));
        found.map(ProcedureId)
    }

    /// A thread whose arguments may be anything.
    fn arbitrary(&self, procedure: ProcedureId) -> ThreadStart {
        let parameters = self.tree.procedures[procedure.0 as usize].parameters;
        ThreadStart {
            procedure,
            arguments: vec![None; parameters as usize].into(),
        }
    }

    /// The threads that the source declares.
    fn declared_threads(&mut self) -> Vec<ThreadStart> {
        let tree = self.tree;
        let mut declared = Vec::new();
        for start in &tree.threads {
            let Some(procedure) = self.thread_procedure(start.procedure) else {
                continue;
            };
            let lost = tree.procedures[procedure.0 as usize].lost.header;
            if !lost {
                self.check_arguments(procedure, start.arguments.len(), "thread", start.span);
            }
            let arguments = (start.arguments.start..start.arguments.end).map(ExpressionId);
            let arguments: Box<[_]> = arguments
                .map(|id| self.start_value(id, start.span))
                .collect();
            let thread = ThreadStart {
                procedure,
                arguments,
            };
            if declared.len() as u64 + start.count > MOST_THREADS {
                self.collector.report(too_many(start.span));
                break;
            }
            declared.extend(std::iter::repeat_n(thread, start.count as usize));
        }
        if let Some(last) = tree.threads.last()
            && declared.is_empty()
            && !tree.lost_threads
            && tree.threads.iter().all(|start| start.count == 0)
        {
            let message = "no thread at all is declared";
            self.collector.report(Diagnostic::error(last.span, message));
        }
        declared
    }

    fn thread_procedure(&mut self, procedure: Identifier) -> Option<ProcedureId> {
        let tree = self.tree;
        let found = self.scope.procedures.get(procedure.name);
        if found.is_none() && !tree.incomplete {
            let text = tree.names.text(procedure.name);
            let message = format!("unknown procedure `{}`", tree.shown(procedure.name));
            let mut diagnostic = Diagnostic::error(tree.span(procedure), message);
            if !self.collector.is_full(Severity::Error) {
                let known = tree.procedures.iter().map(|p| tree.text(p.identifier));
                let near = self.unknown.nearest(text, known);
                diagnostic = diagnostic.with_hint_if_any(near.map(did_you_mean));
            }
            self.collector.report(diagnostic);
        }
        found.map(ProcedureId)
    }

    /// What a parameter is at the start: `None` for any value.
    fn start_value(&mut self, id: ExpressionId, span: Span) -> Option<u64> {
        match self.tree.nodes(id) {
            [Node::Constant(value)] => Some(u64::from(*value)),
            [Node::Choose] => None,
            _ => {
                let message = "the arguments of a declared thread are constants or `*`";
                let hint = "there are no variables yet that an expression could read";
                self.collector
                    .report(Diagnostic::error(span, message).with_hint(hint));
                None
            }
        }
    }

    /// The threads that the caller asks for; `option` stands before them where they are said.
    fn given_threads(
        &mut self,
        source: &Source,
        given: &[(String, u64)],
        option: &str,
    ) -> Vec<ThreadStart> {
        let tree = self.tree;
        let mut threads = Vec::new();
        for (name, count) in given {
            let Some(procedure) = self.procedure_named(name) else {
                if !tree.incomplete {
                    let message = format!("there is no procedure `{name}` for threads");
                    let hint = |near: &str| did_you_mean(format_args!("{option}{near}={count}"));
                    self.collector
                        .report(no_procedure(source, tree, name, message, hint));
                }
                continue;
            };
            if (threads.len() as u64).saturating_add(*count) > MOST_THREADS {
                self.collector.report(too_many(source.whole()));
                break;
            }
            let thread = self.arbitrary(procedure);
            threads.extend(std::iter::repeat_n(thread, *count as usize));
        }
        if given.iter().all(|(_, count)| *count == 0) {
            let message = "no thread at all is asked for";
            let hint = format!("`{option}p=1` is one thread of the procedure `p`");
            self.collector
                .report(Diagnostic::error(source.whole(), message).with_hint(hint));
        }
        threads
    }

    /// With declared threads, nothing begins in `main` because of its name.
    fn check_main(&mut self, init: Option<ProcedureId>, declared: &[ThreadStart], advice: Advice) {
        let tree = self.tree;
        let Some(id) = self.procedure_named("main") else {
            return;
        };
        let begins = init == Some(id) || declared.iter().any(|start| start.procedure == id);
        let runs = |point: &Point| {
            let callee = match &point.action {
                Action::Call(call) => call.callee,
                Action::StartThread {
                    thread: NewThread::Call { callee, .. },
                    ..
                } => *callee,
                _ => return false,
            };
            callee == id && point.procedure != id
        };
        if begins || self.points.list.iter().any(runs) {
            return;
        }
        let span = tree.span(tree.procedures[id.0 as usize].identifier);
        let message = "`main` is never run: it is no thread, and nothing calls it";
        let hint = match advice.entry {
            "" => "as the entry procedure it runs first, before the threads begin".to_owned(),
            option => format!("`{option}main` runs it first, before the threads begin"),
        };
        self.collector
            .report(Diagnostic::warning(span, message).with_hint(hint));
    }

    /// As many arguments as parameters; `what` has them.
    pub fn check_arguments(&mut self, callee: ProcedureId, count: usize, what: &str, span: Span) {
        let parameters = self.signatures[callee.0 as usize].parameters;
        if count == parameters as usize {
            return;
        }
        let procedure = self.tree.procedures[callee.0 as usize].identifier;
        let message = format!(
            "`{}` has {}, but this {what} has {}",
            self.tree.shown(procedure.name),
            plural(parameters as usize, "parameter"),
            plural(count, "argument"),
        );
        self.collector.report(
            Diagnostic::error(span, message)
                .with_related(self.tree.span(procedure), "the procedure is here"),
        );
    }
}

fn too_many(span: Span) -> Diagnostic {
    Diagnostic::error(span, format!("at most {MOST_THREADS} threads are possible"))
}
