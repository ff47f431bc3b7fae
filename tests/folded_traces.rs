//! Traces with folded rounds: on loops that are short enough they are compared, step by step,
//! with the whole trace; on loops that are not, with what arithmetic says.

mod folded;
mod library;
mod support;

use derny::internals::check::{Options, TraceFinding};
use derny::internals::program::Program;
use derny::internals::trace::{Fold, Trace, replay};
use derny::{Acceleration, PropertyKind as Kind};
use folded::{Chance, find, folding, list, read, result, without_notes};
use serde_json::Value;
use std::sync::Arc;
use support::Written;

/// Every step of some items, with its place in the execution, which begins at `at`; all
/// rounds are as long as the one that is shown.
fn placed<'v>(items: &'v [Value], at: &mut usize, steps: &mut Vec<(usize, &'v Value)>) {
    for item in items {
        let Some(rounds) = item["repeated"].as_u64() else {
            steps.push((*at, item));
            *at += 1;
            continue;
        };
        let (begin, mut inside) = (*at, Vec::new());
        placed(list(&item["steps"]), at, &mut inside);
        let hidden = (*at - begin) * (rounds as usize - 1);
        steps.extend(inside.into_iter().map(|(at, step)| (at + hidden, step)));
        *at += hidden;
    }
}

/// All rounds are alike: every step that is shown is the whole trace's step in its place.
/// How many rounds each fold has.
fn compare_with_whole(text: &str, kind: Kind, property: &str) -> Vec<u64> {
    let program = read(text);
    let whole = result(&program, kind, property, &Options::default());
    let folded = result(&program, kind, property, &folding(60));
    assert!(whole.get("trace_folded").is_none() && whole.get("trace_omitted").is_none());
    assert_eq!(folded["trace"], Value::Null);
    let mut at = 0;
    let mut steps = Vec::new();
    let mut counts = Vec::new();
    let mut expected: Vec<&Value> = Vec::new();
    for part in ["stem", "loop"] {
        let items = list(&folded["trace_folded"][part]);
        placed(items, &mut at, &mut steps);
        counts.extend(items.iter().filter_map(|item| item["repeated"].as_u64()));
        expected.extend(list(&whole["trace"][part]));
        assert_eq!(at, expected.len(), "{part} of {folded:#}");
    }
    for (at, step) in steps {
        let (step, expected) = (without_notes(step), without_notes(expected[at]));
        assert_eq!(step, expected, "step {at}");
    }
    assert_eq!(folded["trace_omitted"], expected.len());
    counts
}

#[test]
fn a_loop_is_folded_between_its_first_round_and_its_last() {
    let text = "module void main() { int x(12); bool odd; odd = false; x = 3;
        do :: x < 4000 -> x = x + 1; odd = !odd; :: else -> break; od; L: skip; }
        init main;";
    // 3997 rounds, of which two are shown by themselves.
    assert_eq!(compare_with_whole(text, Kind::Reach, "L"), [3995]);
}

#[test]
fn each_way_round_a_loop_is_folded_by_itself() {
    let text = "module void main() { int x(8); int y(8); x = 0; y = 0;
        do :: x < 200 -> x = x + 1;
           :: x == 200 && y < 150 -> y = y + 2; skip;
           :: else -> break; od; assert(y != 150); }
        init main;";
    assert_eq!(
        compare_with_whole(text, Kind::Assertions, "assertions"),
        [198, 73]
    );
}

#[test]
fn two_ways_that_take_turns_are_one_round() {
    let text = "module void main() { int x(9); bool y; x = 0; y = false;
        do :: x < 400 && (x & 1) == 0 -> x = x + 1;
           :: x < 400 && (x & 1) == 1 -> x = x + 1; y = !y;
           :: else -> break; od; L: assert(y); }
        init main;";
    assert_eq!(compare_with_whole(text, Kind::Reach, "L"), [198]);
}

#[test]
fn values_that_do_not_matter_are_those_of_the_last_round() {
    // `t` and `u` are never read again where rounds begin.
    let text = "module void main() { int x(9); int t(9); int u(9); x = 0; u = 5;
        do :: x < 500 -> t = x; x = t + 1; u = t; :: else -> break; od; L: skip; }
        init main;";
    assert_eq!(compare_with_whole(text, Kind::Reach, "L"), [498]);
}

/// Loops with one path round them, whose number of rounds arithmetic tells.
#[test]
fn loops_of_many_shapes() {
    let bodies = [
        "x = x + S;",
        "t = x; x = t + S; skip;",
        "b = !b; x = x + S; u = x;",
        "x = x + S; y = y + 3; a[0] = y;",
        "skip; t = x; x = t; if :: true -> x = x + S; fi;",
        "x = id(x); x = x + S; b = !b;",
    ];
    for seed in 0..12 {
        let (start, stride, rounds) = (seed % 7, 1 + seed % 3, 100 + 37 * seed % 51);
        let body = bodies[seed as usize % bodies.len()].replace('S', &stride.to_string());
        let text = format!(
            "module int(9) id(int i(9)) {{ return i; }}
             module void main() {{
             int x(9); int y(2); int t(9); int u(9); bool b; int a[2](2);
             x = {start}; y = {}; t = 0; u = 1; b = false; a[0] = 0; a[1] = 0;
             do :: x < {} -> {body} :: else -> break; od;
             L: y = y; if :: b -> skip; :: else -> skip; fi; }} init main;",
            seed % 4,
            start + stride * rounds
        );
        let program = read(&text);
        let folded = result(&program, Kind::Reach, "L", &folding(60));
        let items = list(&folded["trace_folded"]["stem"]);
        let counts: Vec<_> = items
            .iter()
            .filter_map(|i| i["repeated"].as_u64())
            .collect();
        assert_eq!(counts, [rounds - 2], "{text}");
        let whole = result(&program, Kind::Reach, "L", &Options::default());
        let whole = list(&whole["trace"]["stem"]);
        assert_eq!(folded["trace_omitted"], whole.len(), "{text}");
        // With a call in the loop the whole trace shows more.
        if !body.contains("id") {
            compare_with_whole(&text, Kind::Reach, "L");
        }
        assert_eq!(items[items.len() - 1], whole[whole.len() - 1], "{text}");
    }
}

#[test]
fn a_loop_for_ever_is_folded_too() {
    let text = "module void main() { int x(8); x = 0; do :: true -> x = x + 1; od; }
        init main;";
    assert_eq!(
        compare_with_whole(text, Kind::Terminates, "terminates"),
        [254]
    );
    let formula = "!G F {main.x == 5}";
    assert_eq!(compare_with_whole(text, Kind::Ltl, formula), [253]);
}

#[test]
fn deep_recursion_keeps_its_frames_below_a_folded_loop() {
    let text = "module void f(int n(3)) { int x(8); x = 0;
            if :: n > 0 -> f(n - 1); :: else -> skip; fi;
            do :: x < 250 -> x = x + 1; :: else -> break; od;
            if :: n == 2 -> L: skip; :: else -> skip; fi; }
        module void main() { f(4); }
        init main;";
    let program = read(text);
    let folded = result(&program, Kind::Reach, "L", &folding(60));
    let stem = list(&folded["trace_folded"]["stem"]);
    let depth = |step: &Value| step["depth"].as_u64();
    let repeated: Vec<_> = stem.iter().filter(|item| depth(item).is_none()).collect();
    // The calls of f(1) and f(0) return, and are folded.
    assert_eq!(repeated.len(), 1);
    let inside = list(&repeated[0]["steps"]);
    assert!(inside.iter().all(|step| depth(step) == Some(3)));
    assert_eq!(depth(&stem[stem.len() - 1]), Some(3));
}

#[test]
fn rounds_with_loops_inside_are_counted_exactly_if_they_grow_evenly() {
    let text = "module void main() { int x(7); int y(7); y = 0;
        do :: y < 100 -> x = 0; do :: x < y -> x = x + 1; :: else -> break; od; y = y + 1;
           :: else -> break; od; L: skip; }
        init main;";
    let program = read(text);
    let whole = result(&program, Kind::Reach, "L", &Options::default());
    let whole = list(&whole["trace"]["stem"]);
    let folded = result(&program, Kind::Reach, "L", &folding(200));
    assert_eq!(folded["trace_omitted"], whole.len());
    // All that is shown happens in this order.
    let mut rest = whole.iter();
    let mut todo: Vec<&Value> = list(&folded["trace_folded"]["stem"]).iter().rev().collect();
    let mut counts = Vec::new();
    while let Some(item) = todo.pop() {
        match item["repeated"].as_u64() {
            Some(rounds) => {
                counts.push(rounds);
                todo.extend(list(&item["steps"]).iter().rev());
            }
            None => {
                let item = without_notes(item);
                assert!(rest.any(|step| without_notes(step) == item), "{item}");
            }
        }
    }
    // The outer loop; the inner one in the last round that is folded, and in the last.
    assert_eq!(counts, [98, 96, 97]);
}

#[test]
fn calls_inside_a_round_are_folded_in_it() {
    let text = "int g(8);
        module int(8) next(int a(8)) { g = a; return a + 1; }
        module void main() { int x(8); x = 0;
        do :: x < 250 -> x = next(x); :: else -> break; od; L: skip; }
        init main;";
    let program = read(text);
    let whole = result(&program, Kind::Reach, "L", &Options::default());
    let folded = result(&program, Kind::Reach, "L", &folding(60));
    assert_eq!(folded["trace_omitted"], list(&whole["trace"]["stem"]).len());
    let stem = list(&folded["trace_folded"]["stem"]);
    let item = stem.iter().find(|item| item["repeated"].is_u64()).unwrap();
    assert_eq!(item["repeated"], 248);
    let calls = list(&item["steps"]).iter();
    assert!(calls.clone().any(|step| step["folded"] == true));
    let last = &stem[stem.len() - 1];
    assert_eq!(last["locals"]["x"], 250);
    assert_eq!(last["globals"]["g"], 249);
}

#[test]
fn a_short_trace_is_never_folded() {
    let text = "module void main() { int x(8); x = 0;
        do :: x < 9 -> x = x + 1; :: else -> break; od; L: skip; } init main;";
    let program = read(text);
    let options = folding(100);
    let TraceFinding::Found(trace) = find(&program, Kind::Reach, "L", &options) else {
        panic!("the trace fits");
    };
    assert!(trace.rounds.is_empty() && trace.segments.is_empty());
    assert_eq!(trace.stem.len(), 22);
}

/// A program with loops inside loops and calls, made by chance.
struct Loops(Chance);

impl Loops {
    fn variable(&mut self) -> &'static str {
        ["x", "y", "g"][self.0.below(3) as usize]
    }

    fn statement(&mut self) -> String {
        let (v, w, c) = (self.variable(), self.variable(), self.0.below(15));
        match self.0.below(8) {
            0 => "b = !b;".to_owned(),
            1 => format!("{v} = {w};"),
            2 => format!("t = {v}; a[0] = t;"),
            3 => format!("{v} = {c};"),
            4 => format!("{v} = {w} + 1;"),
            5 => format!("{v} = f({w}, {c});"),
            6 => format!("if :: {v} < {c} -> {w} = {c}; :: true -> skip; fi;"),
            _ => "skip;".to_owned(),
        }
    }

    /// Two loops, one in the other or one after the other.
    fn loops(&mut self) -> String {
        let head = |i: &str, c: u64| format!("{i} = 0; do :: {i} < {c} -> {i} = {i} + 1;");
        let end = ":: else -> break; od;";
        let (outer, inner) = (
            head("i", 5 + self.0.below(9)),
            head("j", 5 + self.0.below(9)),
        );
        let (one, other) = (self.statement(), self.statement());
        match self.0.below(2) {
            0 => format!("{outer} {one} {inner} {other} {end} {end}"),
            _ => format!("{outer} {one} {end} {inner} {other} {end}"),
        }
    }

    fn program(&mut self) -> String {
        format!(
            "int g(4); bool b; int a[2](4);
             module int(4) f(int x(4), int y(4)) {{ int t(4);
               do :: x < y -> x = x + 1; {} :: else -> break; od; return x; }}
             module void main() {{ int x(4); int y(4); int t(4); int i(4); int j(4);
               x = 0; y = 0; g = 0; b = false; {} L: skip; do :: true -> {} od; }} init main;",
            ["skip;", "g = g + 1;", "b = !b;"][self.0.below(3) as usize],
            self.loops(),
            self.loops(),
        )
    }
}

/// Every trace with folded rounds replays, is confirmed, and is no shorter than the shortest.
#[test]
fn random_loops() {
    let asked = [
        (Kind::Reach, "L"),
        (Kind::Terminates, "terminates"),
        (Kind::Ltl, "F {main.x == 9}"),
        (Kind::Ltl, "!F G {g > 3}"),
        (Kind::Ltl, "G ({g == 2} -> F {b})"),
    ];
    let mut folds = [0; 5];
    for seed in 1..=60 {
        let text = Loops(Chance(seed * 0x9e37_79b9)).program();
        let program = read(&text);
        for (i, (kind, property)) in asked.into_iter().enumerate() {
            let plain = Options {
                accelerate: Acceleration::Never,
                ..Options::default()
            };
            let shortest = match find(&program, kind, property, &plain) {
                TraceFinding::None | TraceFinding::TooLong(_) => continue,
                TraceFinding::Found(trace) => (trace.stem.len() + trace.cycle.len()) as u64,
                other => panic!("{other:?}"),
            };
            // A trace that is folded must be longer than this, but not as it is shown. Of a
            // lasso one of the two parts is folded.
            let limit = match kind {
                Kind::Reach => shortest - 1,
                _ => shortest / 2,
            };
            match find(&program, kind, property, &folding(limit)) {
                TraceFinding::Repeating(steps, _) => {
                    folds[i] += 1;
                    assert!(steps > limit, "seed {seed}: {property}\n{text}");
                }
                TraceFinding::Found(_) | TraceFinding::TooLong(_) => {}
                TraceFinding::None | TraceFinding::TooDeep => {
                    panic!("seed {seed}: {property}\n{text}")
                }
            }
        }
    }
    assert!(folds.iter().all(|count| *count > 1), "{folds:?}");
}

/// The trace with folded rounds of a loop with 250 rounds.
fn folded_trace() -> (Arc<Program>, Trace) {
    let program = read(
        "module void main() { int x(8); x = 0;
         do :: x < 250 -> x = x + 1; :: else -> break; od; L: skip; } init main;",
    );
    match find(&program, Kind::Reach, "L", &folding(60)) {
        TraceFinding::Repeating(_, trace) => (program, trace),
        other => panic!("{other:?}"),
    }
}

#[test]
fn replay_checks_the_samples_and_both_ends() {
    let (program, trace) = folded_trace();
    assert_eq!(replay(&program, &trace), Ok(()));
    let fails = |change: &dyn Fn(&mut Trace)| {
        let mut changed = trace.clone();
        change(&mut changed);
        assert!(replay(&program, &changed).is_err());
    };
    // The rounds end where the last sample does, and begin where the first does.
    fails(&|trace| trace.rounds[0].truncate(1));
    fails(&|trace| trace.rounds[0].rotate_left(1));
    fails(&|trace| trace.rounds.clear());
    // Two samples with nothing between them fit together.
    fails(&|trace| trace.rounds[0][1].rounds = 1);
    // A sample is an execution, and a whole round.
    fails(&|trace| drop(trace.segments[3].remove(1)));
    fails(&|trace| drop(trace.segments[3].pop()));
    // What is folded comes before what it is folded in.
    fails(&|trace| {
        let fold = trace.stem.iter().find_map(|step| step.folded);
        assert!(matches!(fold, Some(Fold::Rounds(_))));
        trace.segments[0][0].folded = fold;
    });
}

#[test]
fn a_counterexample_of_billions_of_steps_is_shown() {
    let program = read(
        "module void main() { int x(32); x = 0;
         do :: x < 4000000000 -> x = x + 1; :: else -> break; od; L: skip; } init main;",
    );
    let found = result(&program, Kind::Reach, "L", &Options::default());
    assert_eq!(found["trace"], Value::Null);
    assert_eq!(found["trace_omitted"], 8_000_000_004_u64);
    let stem = list(&found["trace_folded"]["stem"]);
    assert_eq!(stem[4]["repeated"], 3_999_999_998_u64);
    assert_eq!(stem[4]["steps"][1]["locals"]["x"], 3_999_999_999_u64);
    assert_eq!(stem[stem.len() - 1]["labels"][0], "L");
    assert_eq!(found["trace_folded"]["loop"], Value::Array(Vec::new()));
}

const COUNTER: &str = "global int x(32);
(q (x = 0) <loop>)
q <loop> --> q <loop> \"count\" (x < 4000000000 & x' = x + 1)
q <loop> --> q <end> \"stop\" (x = 4000000000 & x' = x)
";

#[test]
fn pushdown_systems_have_them_too() {
    let system = Written::new(COUNTER);
    let arguments = ["--lang", "pds", "--reach", "end"];
    let run = system.check(&[&arguments[..], &["--format", "json"]].concat());
    let result = &run.results()[0];
    assert_eq!(result["trace_omitted"], 4_000_000_002_u64);
    let stem = list(&result["trace_folded"]["stem"]);
    assert_eq!(stem[2]["repeated"], 3_999_999_998_u64);
    assert_eq!(
        system.check(&arguments).stdout,
        "\
reachable end
  (the trace has 4000000002 steps: what is repeated is folded)
   1  3  q <loop>  count  x=0
   2  3  q <loop>  count  x=1
         ... 3999999998 more rounds like this ...
   3  3  q <loop>  count  x=3999999999
   4  4  q <loop>  stop   x=4000000000
   5     q <end>
"
    );
}

#[test]
fn the_text_says_how_many_rounds_there_are() {
    let text = "module void main() {
  int x(32);
  x = 0;
  do
  :: x < 4000000000 -> x = x + 1;
  :: else -> break;
  od;
  L: skip;
}
init main;
";
    let reach = Written::new(text).check(&["--lang", "rem", "--reach", "L"]);
    assert_eq!(
        reach.stdout,
        "\
reachable L
  (the trace has 8000000004 steps: what is repeated is folded)
   1  3  x = 0;                main
   2  4  do :: x < 4000000000  x=0
   3  5  x = x + 1;
   4  4  do                    x=1
         ... 3999999998 more rounds like this ...
   5  4  do :: x < 4000000000  x=3999999999
   6  5  x = x + 1;
   7  4  do :: else            x=4000000000
   8  6  break;
   9  8  L: skip;
"
    );
}
