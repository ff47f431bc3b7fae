//! Small programs with threads: what follows what, and which traces are executions.
//!
//! Threads are put into the program form by hand: labels say which `skip` stands for what.

use super::replay::{Replayed, replay};
use super::{Configuration, starts, steps, switches, to_step};
use crate::interpreter::replay::Mismatch;
use crate::lower::{Start, boolean_program};
use crate::program::{
    Action, Cell, NewThread, Operation, PointId, Program, Target, ThreadStart, Threads, Value,
    VariableId,
};
use crate::source::Source;
use crate::trace::{Fold, Location, SegmentId, Step, Trace};
use std::sync::Arc;

/// The globals whose names begin with `own` are each thread's own. A `skip` with one of the labels
/// `on`, `off`, `stop` (ends the thread), `create_p` (calls `p`), `copy` (goes on at `copied`) stands for that statement.
fn threaded(text: &str, init: Option<&str>, declared: &[&str]) -> Program {
    let source = Arc::new(Source::new("t.bp", text.into()));
    let start = Start {
        entry: Some(init.unwrap_or(declared[0])),
        ..Start::default()
    };
    let (program, diagnostics) = boolean_program(source, &start);
    let mut program = program.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let procedure = |program: &Program, name: &str| {
        let name = program.names.find(name).unwrap();
        let mut ids = program.procedure_ids();
        ids.find(|id| program.procedure(*id).name == name).unwrap()
    };
    let name = program.names.intern("exclusive");
    let exclusive = program.globals.len() as u32;
    let own = (0..).zip(&program.globals);
    let own = own.filter(|(_, cell)| program.names.text(cell.name).starts_with("own"));
    let own = own.map(|(index, _)| index).collect();
    program.globals.push(Cell::boolean(name));
    let copied = program.names.find("copied");
    let copied = copied.and_then(|l| program.labels.iter().find(|(_, label)| *label == l));
    let copied = copied.copied();
    for (at, label) in program.labels.clone() {
        let Action::Goto { targets } = &program.point(at).action else {
            continue;
        };
        let next = targets[0];
        let label = program.names.text(label).to_owned();
        let mut set = |value| {
            let value = program.expressions.add([Operation::Constant(value)]);
            let target = Target::Cell(VariableId::Global(exclusive));
            (target, Value::Of(value))
        };
        let action = match label.as_str() {
            "on" | "off" => {
                let (target, value) = set(label == "on");
                Action::Assign {
                    targets: [target].into(),
                    values: [value].into(),
                    constrain: None,
                    next,
                }
            }
            "stop" => Action::EndThread {
                assignments: [set(false)].into(),
            },
            "copy" => {
                let (at, label) = copied.unwrap();
                let thread = NewThread::Copy { at, label };
                Action::StartThread { thread, next }
            }
            _ => match label.strip_prefix("create_") {
                Some(callee) => {
                    let callee = procedure(&program, callee);
                    let thread = NewThread::Call {
                        callee,
                        arguments: Box::default(),
                    };
                    Action::StartThread { thread, next }
                }
                None => continue,
            },
        };
        program.points[at.0 as usize].action = action;
    }
    let start = |name: &&str| {
        let procedure = procedure(&program, name);
        let parameters = program.procedure(procedure).parameters;
        ThreadStart {
            procedure,
            arguments: (0..parameters).map(|_| Some(1)).collect(),
        }
    };
    program.threads = Some(Threads {
        init: init.map(|name| procedure(&program, name)),
        declared: declared.iter().map(start).collect(),
        exclusive,
        own,
    });
    program
}

const ALLOWED: usize = 10_000;

/// A step of the running thread, or the change to the thread of a number; of several, the first one.
enum Move {
    Step,
    Run(u32),
}
use Move::{Run, Step as One};

fn walk(program: &Program, moves: &[Move]) -> Vec<Configuration> {
    let mut walk = vec![starts(program, ALLOWED).unwrap().remove(0)];
    for next in moves {
        let last = walk.last().unwrap();
        let found = match next {
            One => steps(program, last, ALLOWED).unwrap().into_iter().next(),
            Run(thread) => (switches(program, last, ALLOWED).unwrap().into_iter())
                .find(|after| after.running == *thread),
        };
        walk.push(found.unwrap_or_else(|| panic!("after {} moves", walk.len() - 1)));
    }
    walk
}

fn trace(program: &Program, walk: &[Configuration]) -> Trace {
    Trace {
        stem: walk.iter().map(|c| to_step(program, c)).collect(),
        failure: walk.last().and_then(|last| last.failure(program)),
        ..Trace::default()
    }
}

fn counts(replayed: &Replayed) -> (u64, u64) {
    (replayed.switches, replayed.rounds)
}

fn names(replayed: &Replayed) -> Vec<(u32, &str)> {
    let threads = replayed.threads.iter();
    threads.map(|t| (t.id, t.name.as_str())).collect()
}

fn label(program: &Program, label: &str) -> PointId {
    let name = program.names.find(label).unwrap();
    program.labels.iter().find(|(_, l)| *l == name).unwrap().0
}

#[test]
fn thread_0_runs_alone_to_its_end_and_the_change_from_it_is_no_switch() {
    let program = threaded(
        "decl own, g; void init() begin own := 1; end void p() begin skip; end",
        Some("init"),
        &["p", "p"],
    );
    let start = walk(&program, &[]);
    assert_eq!(start[0].running, 0);
    assert_eq!(switches(&program, &start[0], ALLOWED), Ok(vec![]));
    let walk = walk(&program, &[One, One, Run(2), One, Run(1), One, One, Run(2)]);
    assert!(walk[2].has_ended());
    let trace = trace(&program, &walk);
    assert_eq!(trace.stem[2].location, Location::Terminated);
    // Both have what thread 0 left.
    assert_eq!(trace.stem[3].valuation.globals(), [1, 0, 0]);
    assert_eq!(trace.stem[5].valuation.globals(), [1, 0, 0]);
    let replayed = replay(&program, &trace).unwrap();
    assert_eq!(counts(&replayed), (2, 2));
    assert_eq!(names(&replayed), [(0, "init"), (1, "p"), (2, "p#2")]);
    let mut wrong = trace.clone();
    wrong.stem.remove(2);
    let index = 2;
    assert_eq!(
        replay(&program, &wrong),
        Err(Mismatch {
            segment: None,
            index
        })
    );
}

#[test]
fn an_exclusive_thread_goes_on_alone_until_it_ends() {
    let program = threaded(
        "void p() begin on: skip; skip; end void q() begin on: skip; assume(0); end",
        None,
        &["p", "q"],
    );
    let walk = walk(&program, &[One, One, One, Run(2), One]);
    let ways = |i: usize| switches(&program, &walk[i], ALLOWED).unwrap().len();
    // Before the section, in it (twice), after the end; inside the other one, which is blocked.
    assert_eq!([0, 1, 2, 3, 5].map(ways), [1, 0, 0, 1, 0]);
    assert_eq!(steps(&program, &walk[5], ALLOWED), Ok(vec![]));
    let mut trace = trace(&program, &walk);
    assert_eq!(counts(&replay(&program, &trace).unwrap()), (1, 1));
    // A switch out of the section.
    let back = Step {
        valuation: trace.stem[5].valuation.clone(),
        ..trace.stem[3].clone()
    };
    trace.stem.push(back);
    assert_eq!(replay(&program, &trace).unwrap_err().index, 6);
}

#[test]
fn created_threads_get_the_next_numbers_and_begin_as_they_may() {
    let program = threaded(
        "decl own; void main(a) begin own := !own; create_p: skip; a := !a; copy: skip;
         assert(a); copied: own := !own; end
         void p() begin decl x; x := !x; stop: skip; end",
        None,
        &["main"],
    );
    let walk = walk(
        &program,
        &[
            One,
            One,
            One,
            One,
            Run(2),
            One,
            One,
            Run(3),
            One,
            One,
            Run(1),
            One,
        ],
    );
    let trace = trace(&program, &walk);
    assert_eq!(
        trace.stem.last().map(|step| step.location),
        Some(Location::Error)
    );
    let replayed = replay(&program, &trace).unwrap();
    assert_eq!(counts(&replayed), (3, 2));
    assert_eq!(names(&replayed), [(1, "main"), (2, "p"), (3, "copied")]);
    // Thread 2 may begin with either value of `x`, and both have their creator's `own`.
    let created = |thread| {
        let ways = switches(&program, &walk[4], ALLOWED).unwrap();
        let ways = ways.into_iter().filter(move |c| c.running == thread);
        let values = ways.map(|c| to_step(&program, &c).valuation);
        values
            .map(|v| (v.globals()[0], v.locals().to_vec()))
            .collect::<Vec<_>>()
    };
    assert_eq!(created(2), [(1, vec![0]), (1, vec![1])]);
    assert_eq!(created(3), [(1, vec![0])]);
    // Neither another parameter nor another own global will do.
    for (thread, cell) in [(2, VariableId::Global(0)), (3, VariableId::Local(0))] {
        let mut wrong = trace.clone();
        let first = wrong.stem.iter().position(|s| s.thread == thread).unwrap();
        let value = wrong.stem[first].valuation.get(cell);
        wrong.stem[first].valuation.set(cell, 1 - value);
        assert_eq!(replay(&program, &wrong).unwrap_err().index, first);
    }
}

#[test]
fn an_assertion_that_fails_stops_all_threads() {
    let program = threaded(
        "decl g; void p() begin g := 0; assert(g); end",
        None,
        &["p", "p"],
    );
    let walk = walk(&program, &[One, One]);
    let last = walk.last().unwrap();
    assert!(last.failed);
    assert_eq!(steps(&program, last, ALLOWED), Ok(vec![]));
    assert_eq!(switches(&program, last, ALLOWED), Ok(vec![]));
    let mut trace = trace(&program, &walk);
    assert_eq!(counts(&replay(&program, &trace).unwrap()), (0, 1));
    trace.stem.push(trace.stem[2].clone());
    assert!(replay(&program, &trace).is_err());
}

#[test]
fn a_thread_goes_on_inside_its_calls_where_it_was_left() {
    let program = threaded(
        "decl g; void p() begin decl a; a := 1; q(); L: skip; end
         void q() begin g := !g; stop: skip; end",
        None,
        &["p", "p"],
    );
    let walk = walk(
        &program,
        &[One, One, Run(2), One, One, One, Run(1), One, One, Run(2)],
    );
    let trace = trace(&program, &walk);
    assert_eq!(
        trace.stem.iter().map(|s| s.depth).collect::<Vec<_>>(),
        [0, 0, 1, 0, 0, 1, 1, 1, 1, 0, 1]
    );
    assert_eq!(counts(&replay(&program, &trace).unwrap()), (3, 2));
    // `end_thread` in `q` ends `p`, too.
    assert_eq!(trace.stem[9].location, Location::Terminated);
    assert!(!walk.iter().any(|c| c.at() == Some(label(&program, "L"))));
    let mut wrong = trace.clone();
    wrong.stem[7].valuation.set(
        VariableId::Global(0),
        1 - trace.stem[7].valuation.get(VariableId::Global(0)),
    );
    assert_eq!(replay(&program, &wrong).unwrap_err().index, 7);
}

#[test]
fn what_a_folded_call_creates_is_there_after_it() {
    let program = threaded(
        "decl g; void main() begin f(); f(); end void f() begin create_p: skip; end
         void p() begin decl x; x := 1; end",
        None,
        &["main"],
    );
    // Each call: into `f`, the creation, back.
    let moves = [One, One, One, One, One, One, Run(3), One, Run(2)];
    let trace = trace(&program, &walk(&program, &moves));
    let expected = replay(&program, &trace).unwrap();
    assert_eq!(names(&expected), [(1, "main"), (2, "p"), (3, "p#2")]);
    let mut folded = Trace {
        stem: [0, 3].map(|i| trace.stem[i].clone()).into(),
        segments: vec![trace.stem[1..3].to_vec()],
        ..Trace::default()
    };
    folded.segments[0]
        .iter_mut()
        .for_each(|step| step.depth -= 1);
    for step in &mut folded.stem {
        step.folded = Some(Fold::Call(SegmentId(0)));
    }
    folded.stem.extend_from_slice(&trace.stem[6..]);
    assert_eq!(replay(&program, &folded), Ok(expected));
    // Nobody may run before the call has returned.
    let mut wrong = folded.clone();
    wrong.stem.remove(2);
    assert_eq!(replay(&program, &wrong).unwrap_err().index, 2);
    // What is folded must be there.
    let mut wrong = folded.clone();
    wrong.stem.truncate(2);
    assert_eq!(replay(&program, &wrong).unwrap_err().index, 1);
}
