//! Threads and atomic sections in the program form.

use super::{points, program};
use crate::diagnostic::Advice;
use crate::lower::{Start, boolean_program};
use crate::program::{Action, NewThread, Operation, Program, Target, Value, VariableId};
use crate::source::Source;
use std::sync::Arc;

fn begun(text: &str, entry: Option<&str>, threads: &[(&str, u64)]) -> Result<Program, String> {
    let source = Arc::new(Source::new("t.bp", text.into()));
    let threads: Vec<_> = threads.iter().map(|(p, n)| ((*p).to_owned(), *n)).collect();
    let threads = (!threads.is_empty()).then_some(threads.as_slice());
    let advice = Advice {
        entry: "--entry ",
        threads: "--threads ",
        ..Advice::default()
    };
    let start = Start {
        entry,
        threads,
        advice,
    };
    let (program, diagnostics) = boolean_program(source, &start);
    let messages = diagnostics.iter().map(|d| format!("{d}\n"));
    program.ok_or_else(|| messages.collect())
}

/// The declared threads as `p(0 * 1)`.
fn declared(program: &Program) -> Vec<String> {
    let threads = program.threads.as_ref().expect("it has threads");
    let value = |value: &Option<u64>| value.map_or("*".into(), |value| value.to_string());
    let starts = threads.declared.iter().map(|start| {
        let name = program.procedure(start.procedure).name;
        let arguments: Vec<_> = start.arguments.iter().map(value).collect();
        format!("{}({})", program.names.text(name), arguments.join(" "))
    });
    starts.collect()
}

fn init(program: &Program) -> Option<&str> {
    let threads = program.threads.as_ref().expect("it has threads");
    let init = threads.init?;
    Some(program.names.text(program.procedure(init).name))
}

#[test]
fn declared_threads_stand_in_the_order_of_the_file() {
    let text = "decl g; thread p(0), p(T), q(*, 1)[2];
        void p(x) begin skip; end thread {r}();
        void q(x, y) begin skip; end void {r}() begin skip; end";
    let program = program(text);
    let expected = ["p(0)", "p(1)", "q(* 1)", "q(* 1)", "{r}()"];
    assert_eq!(declared(&program), expected);
    assert_eq!(init(&program), None);
    assert_eq!(
        program.entry,
        program.point(crate::program::PointId(0)).procedure
    );
}

#[test]
fn the_procedure_that_runs_first() {
    let text = "thread p(); void p() begin skip; end
        void init() begin skip; end void other() begin skip; end";
    assert_eq!(init(&program(text)), Some("init"));
    let other = begun(text, Some("other"), &[]).expect("it is there");
    assert_eq!(init(&other), Some("other"));
    let wrong = begun(text, Some("othr"), &[]).expect_err("it is not there");
    assert!(wrong.contains("did you mean `--entry other`?"), "{wrong}");
    // A program without declared threads begins in `main`, whatever is called `init`.
    let text = "void init() begin skip; end void main() begin start_thread init(); end";
    let created = program(text);
    assert_eq!(init(&created), None);
    assert_eq!(declared(&created), ["main()"]);
    let entered = begun(text, Some("init"), &[]).expect("it is there");
    assert_eq!(
        (init(&entered), declared(&entered)),
        (None, vec!["init()".into()])
    );
}

#[test]
fn threads_that_are_asked_for_replace_those_of_the_file() {
    let text = "thread p(0); void p(x) begin skip; end void q() begin skip; end
        void main() begin skip; end";
    let asked = begun(text, None, &[("q", 2), ("p", 1), ("main", 0), ("q", 1)]);
    let asked = asked.expect("all are there");
    assert_eq!(declared(&asked), ["q()", "q()", "p(*)", "q()"]);
    for (threads, message) in [
        (vec![("r", 1)], "there is no procedure `r` for threads"),
        (vec![("mian", 2)], "did you mean `--threads main=2`?"),
        (vec![("p", 0), ("q", 0)], "no thread at all is asked for"),
        (
            vec![("p", 1), ("q", u64::MAX)],
            "at most 10000 threads are possible",
        ),
    ] {
        let wrong = begun(text, None, &threads).expect_err("this is refused");
        assert!(wrong.contains(message), "{wrong}");
    }
}

#[test]
fn what_has_threads() {
    let body = "atomic begin skip; end atomic_begin; atomic_end; end_thread;";
    let text = format!("decl thread_local g; void main() begin decl x; {body} end");
    let plain = program(&text);
    assert!(plain.threads.is_none());
    assert_eq!(plain.globals.len(), 1);
    assert_eq!(
        plain.shown_locals(plain.entry).len(),
        plain.procedures[0].locals.len()
    );
    assert!(
        matches!(&plain.points[5].action, Action::EndThread { assignments } if assignments.is_empty())
    );
    let threaded = begun(&text, None, &[("main", 1)]).expect("it is there");
    let threads = threaded.threads.as_ref().expect("one was asked for");
    assert_eq!((threads.exclusive, &*threads.own), (1, &[0][..]));
    assert_eq!(threaded.shown_globals().len(), 1);
    assert_eq!(threaded.shown_locals(threaded.entry).len(), 1);
    assert_eq!(threaded.procedures[0].saved, 1);
    for created in [
        "start_thread main();",
        "start_thread call main();",
        "L: start_thread goto L;",
    ] {
        assert!(
            program(&format!("main() {{ {created} }}"))
                .threads
                .is_some(),
            "{created}"
        );
    }
}

#[test]
fn an_atomic_block_has_a_point_at_either_end() {
    let text = "thread main(); decl g;
void main() begin
  L: atomic begin
    g := 1;
  end;
  atomic { atomic { } }
end";
    assert_eq!(
        points(text),
        [
            "0 3:6 L: atomic -> [1]",
            "1 4:5 g := 1; -> [2]",
            "2 5:3 end -> [3]",
            "3 6:3 atomic -> [4]",
            "4 6:12 atomic -> [5]",
            "5 6:21 skip -> [6]",
            "6 6:21 } -> [7]",
            "7 6:23 } -> [8]",
            "8 7:1 end -> []",
        ]
    );
}

/// `target=value` for each assignment of a point: hidden locals are `s0`, `s1`, the hidden
/// global is `e`.
fn effect(program: &Program, point: usize) -> String {
    let exclusive = program.threads.as_ref().map(|threads| threads.exclusive);
    let name = |variable: VariableId| match variable {
        VariableId::Global(index) if Some(index) == exclusive => "e".to_owned(),
        VariableId::Local(index) => {
            let shown = program.shown_locals(program.points[point].procedure).len();
            format!("s{}", index as usize - shown)
        }
        VariableId::Global(index) => format!("g{index}"),
    };
    let one = |target: &Target, value: &Value| {
        let Target::Cell(cell) = target else {
            panic!("{target:?}");
        };
        let expression = value.expression().expect("it is known");
        let value = match program.expressions.operations(expression) {
            [Operation::Constant(value)] => u8::from(*value).to_string(),
            [Operation::Read(variable)] => name(*variable),
            other => panic!("{other:?}"),
        };
        format!("{}={value}", name(*cell))
    };
    let effects: Vec<_> = match &program.points[point].action {
        Action::Assign {
            targets, values, ..
        } => targets.iter().zip(values).map(|(t, v)| one(t, v)).collect(),
        Action::Return { assignments, .. } | Action::EndThread { assignments } => {
            assignments.iter().map(|(t, v)| one(t, v)).collect()
        }
        _ => Vec::new(),
    };
    effects.join(" ")
}

#[test]
fn blocks_keep_and_restore_what_the_thread_was() {
    let text = "thread main(); void main() begin decl x;
        atomic { atomic_end; atomic { return; } atomic_begin; end_thread; } return; end";
    let nested = program(text);
    let points = 0..nested.points.len();
    let effects: Vec<_> = points.map(|point| effect(&nested, point)).collect();
    let expected = [
        "s0=e e=1",
        "e=0",
        "s1=e e=1",
        "e=s0",
        "e=s1 s1=0",
        "e=1",
        "e=0",
        "e=s0 s0=0",
        "",
        "",
    ];
    assert_eq!(effects, expected);
    // Where nothing can end the outer block early, the inner one changes nothing.
    let text = text.replace("atomic_end;", "skip;");
    let nested = program(&text);
    assert_eq!(nested.procedures[0].saved, 1);
    let points = 0..nested.points.len();
    let effects: Vec<_> = points.map(|point| effect(&nested, point)).collect();
    let expected = [
        "s0=e e=1",
        "",
        "",
        "e=s0",
        "",
        "e=1",
        "e=0",
        "e=s0 s0=0",
        "",
        "",
    ];
    assert_eq!(effects, expected);
}

#[test]
fn threads_are_created_by_statements() {
    let text = "decl g; void p(x, y) begin skip; end void main() begin
        start_thread p(g, *); start_thread call p(0, 1); start_thread goto L;
        L: skip; ASYNC_one: p(1, 1); ASYNC_two: two: call p(0, 0); M: g := 0; end";
    let program = program(text);
    let created = program
        .points
        .iter()
        .filter_map(|point| match &point.action {
            Action::StartThread { thread, .. } => Some(match thread {
                NewThread::Call { callee, arguments } => {
                    format!("{} {}", callee.0, arguments.len())
                }
                NewThread::Copy { at, label } => {
                    format!("at {} {}", at.0, program.names.text(*label))
                }
            }),
            _ => None,
        });
    let created: Vec<_> = created.collect();
    assert_eq!(created, ["0 2", "0 2", "at 5 L", "0 2", "0 2"]);
}

#[test]
fn none_of_the_words_is_reserved() {
    let text = "decl thread_local, atomic; decl thread, start_thread, end_thread, wait;
        decl thread_local thread_own, sync;
        void atomic(goto_, init) begin decl thread_local, broadcast; thread_local := 1; end
        bool atomic_begin() begin return atomic; end
        void end_thread() begin skip; end void start_thread() begin skip; end
        void atomic_end() begin skip; end void sync() begin skip; end
        void thread(thread) begin thread := !thread; end
        void main() begin
            atomic: atomic := thread; start_thread, end_thread := 1, 0;
            atomic_begin: atomic = atomic_begin(); end_thread(); start_thread(); sync();
            thread(1); call atomic(0, 1); wait := 0; thread: end_thread := wait; atomic_end();
            start_thread: end_thread: atomic_end: skip; goto atomic, thread;
        end";
    let plain = program(text);
    assert!(plain.threads.is_none());
    assert_eq!(plain.globals.len(), 8);
}

#[test]
fn a_label_that_stands_twice_at_a_statement_is_one() {
    let program = program("void main() begin L: M: L: skip; end");
    assert_eq!(program.labels.len(), 2);
}
