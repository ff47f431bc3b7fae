//! What `init` does before threads begin: where it comes to, and the globals it may leave.
//!
//! That is a question to equations, about a program in which `init` is the only thread. They are
//! solved by themselves, with BDD variables of their own; what they find is handed over as lists
//! of nodes, linear in their number.

use super::Vocabulary;
use super::equations::Kind;
use super::evaluate::Failure;
use super::levels::{Pool, Track};
use super::program::Targets;
use super::solve::{Task, with_session};
use super::supplied::Supplied;
use crate::bdd::NodeList;
use crate::program::{ThreadStart, Threads};
use crate::source::Source;
use crate::watch::Stop;

/// `init` is the one thread of the program that they are given; the target is *error*.
const EQUATIONS: &str = r"
# Summary(u, v): the entry state u is reached, and from it the thread comes to v with all calls
# in between returned.
mu Summary(u: State, v: State) =
    (Begin(u) & u = v)
  | (exists x: State. (Summary(u, x) & ProgramInt(x, v)))
  | (exists x: State. (Summary(u, x) & Begin(u) & End(x, v)))
  | (exists x, y: State. (Summary(x, y) & IntoCall(y, u) & u = v))
  | (exists c, e: PC, y: State.
        ((exists x: State. (Summary(u, x) & ReturnA(x, e, v) & IntoCall(x, y) & c = x.pc))
        & (exists z: State. (Summary(y, z) & e = z.pc & Exit(z.pc) & ReturnB(c, z, v)))));

let Begin(u: State) = Start(1, u) & StartGlobals(u.G);

let Reaches(p: PC) = exists u, v: State. (Summary(u, v) & v.pc = p);

# Of the two points that are in no procedure, *terminated* is the one that is no target.
let Leaves(g: Globals) =
    exists u, v: State. (Summary(u, v) & v.G = g & !InProcedure(v.pc, v.pc) & !Target(v.pc));
";

/// Relations whose levels are the numbers of their tracks' bits.
#[derive(Clone, Debug)]
pub struct Initial {
    pub globals: NodeList,
    pub points: NodeList,
}

/// What `init` does, if there is one and some relation of the task depends on that.
pub fn initial(task: &Task<'_>, needed: &[usize]) -> Result<Option<Initial>, Failure> {
    let is_asked = |index: &usize| {
        let kind = task.equations.relations[*index].kind;
        [Supplied::StartGlobals, Supplied::InitReaches]
            .map(Kind::Supplied)
            .contains(&kind)
    };
    let (Some(program), Some(threads)) = (task.program, task.threads) else {
        return Ok(None);
    };
    let Some(procedure) = threads.init.filter(|_| needed.iter().any(is_asked)) else {
        return Ok(None);
    };
    let alone = Threads {
        init: None,
        declared: vec![ThreadStart {
            procedure,
            arguments: vec![None; program.procedure(procedure).parameters as usize].into(),
        }],
        ..threads.clone()
    };
    let source = Source::new("initial.mu", EQUATIONS.as_bytes().to_vec());
    let vocabulary = Vocabulary { threads: Some(1) };
    // The text is our own, and has no mistakes.
    let equations = super::read(&source, vocabulary, &[]).unwrap_or_default();
    let (leaves, reaches) = (equations.find("Leaves"), equations.find("Reaches"));
    let (Some(leaves), Some(reaches)) = (leaves, reaches) else {
        return Err(Failure::Stop(Stop::Cancelled));
    };
    let targets = Targets {
        points: Vec::new(),
        error: true,
    };
    let inner = Task {
        threads: Some(&alone),
        equations: &equations,
        targets: &targets,
        asked: &[leaves, reaches],
        follows_executions: false,
        measures: false,
        ..*task
    };
    let found = with_session(&inner, |session| {
        let track = |pool| Track { pool, index: 0 };
        Ok(Initial {
            globals: session.nodes(leaves, track(Pool::Globals))?,
            points: session.nodes(reaches, track(Pool::Point))?,
        })
    });
    found.map(Some)
}
