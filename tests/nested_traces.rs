//! Traces through deep recursion: calls nested inside each other that stay folded, and frames
//! that are left waiting. On recursion that is short enough they are compared with the whole
//! trace; on recursion that is not, with what arithmetic says.

mod folded;
mod library;
mod support;

use derny::internals::check::{Options, TraceFinding};
use derny::internals::program::Program;
use derny::internals::trace::{Fold, NestedId, SegmentId, Step, Trace, replay};
use derny::{Acceleration, PropertyKind as Kind};
use folded::{Chance, find, folding, list, read, result, without_notes};
use serde_json::Value;
use std::sync::Arc;
use support::Written;

/// As [`folding`], and recursion is closed from the first call.
fn nesting(trace_limit: u64) -> Options {
    Options {
        accelerate: Acceleration::Always,
        ..folding(trace_limit)
    }
}

/// The whole trace, nothing folded.
fn whole(program: &Arc<Program>, kind: Kind, property: &str) -> Value {
    let options = Options {
        accelerate: Acceleration::Never,
        ..Options::default()
    };
    let whole = result(program, kind, property, &options);
    assert!(whole.get("trace_omitted").is_none(), "{whole:#}");
    whole
}

/// How many frames lie below a step.
fn depth(step: &Value) -> u64 {
    step["depth"].as_u64().expect("a step has a depth")
}

/// What a trace leaves out: `(what, how many rounds, by how much the depth changes)`.
fn left_out(items: &[Value]) -> Vec<(&'static str, u64, i128)> {
    let what = |item: &Value| {
        let names = ["nested", "returned", "repeated"];
        names.into_iter().find(|name| item.get(*name).is_some())
    };
    let mut found = Vec::new();
    for (i, item) in items.iter().enumerate() {
        let Some(name) = what(item) else { continue };
        let rounds = item[name].as_u64().expect("a number");
        let after = match name {
            "repeated" => list(&item["steps"]).last(),
            _ => items.get(i + 1),
        };
        let (before, after) = (&items[i - 1], after.expect("the trace goes on"));
        found.push((
            name,
            rounds,
            i128::from(depth(after)) - i128::from(depth(before)),
        ));
    }
    found
}

/// All rounds are alike: every step that is shown is one of the whole trace, in this order,
/// and there are as many steps. What is left out of stem and loop.
fn compare_with_whole(text: &str, kind: Kind, property: &str) -> Vec<(&'static str, u64, i128)> {
    let program = read(text);
    let whole = whole(&program, kind, property);
    let folded = result(&program, kind, property, &nesting(200));
    assert_eq!(folded["trace"], Value::Null, "{folded:#}");
    let mut expected = Vec::new();
    let mut items = Vec::new();
    for part in ["stem", "loop"] {
        expected.extend(list(&whole["trace"][part]));
        items.extend(list(&folded["trace_folded"][part]).iter().cloned());
    }
    assert_eq!(folded["trace_omitted"], expected.len(), "{folded:#}");
    let mut rest = expected.iter();
    let mut todo: Vec<&Value> = items.iter().rev().collect();
    while let Some(item) = todo.pop() {
        if item.get("repeated").is_some() {
            todo.extend(list(&item["steps"]).iter().rev());
        } else if item.get("nested").is_none() && item.get("returned").is_none() {
            let shown = item.get("folded").is_none();
            let item = without_notes(item);
            let is_it = |step: &Value| !shown || without_notes(step) == item;
            assert!(rest.any(|step| is_it(step)), "{item:#}");
        }
    }
    left_out(&items)
}

const DEPTH: &str = "module int(9) f(int n(9)) { int r(9);
        if :: n == 0 -> return 0; :: else -> skip; fi
        r = f(n - 1); return r + 1; }
    module void main() { int y(9); y = f(300); L: assert(y != 300); }";

#[test]
fn calls_that_return_are_nested_between_the_first_and_the_last() {
    // 300 calls above the first one, of which the first two and the last two are shown.
    let expected = [("nested", 296, 296), ("returned", 296, -297)];
    assert_eq!(compare_with_whole(DEPTH, Kind::Reach, "L"), expected);
    assert_eq!(
        compare_with_whole(DEPTH, Kind::Assertions, "assertions"),
        expected
    );
}

#[test]
fn frames_that_are_never_left_are_rounds() {
    let text = "module void f(int n(9)) { if :: n == 0 -> L: skip; :: else -> f(n - 1); fi }
        module void main() { f(300); }";
    assert_eq!(
        compare_with_whole(text, Kind::Reach, "L"),
        [("repeated", 298, 298)]
    );
}

#[test]
fn recursion_for_ever_leaves_frames_in_every_round() {
    let text = "module void f(int n(8)) { f(n + 1); } module void main() { f(0); }";
    let program = read(text);
    let options = nesting(200);
    let folded = result(&program, Kind::Terminates, "terminates", &options);
    let around = list(&folded["trace_folded"]["loop"]);
    assert_eq!(left_out(around), [("repeated", 254, 254)]);
    let stem = list(&folded["trace_folded"]["stem"]);
    let (first, last) = (&stem[stem.len() - 1], &around[around.len() - 1]);
    assert_eq!(depth(last) - depth(first), 256);
    assert_eq!(first["locals"], last["locals"]);
}

#[test]
fn procedures_that_call_each_other_are_nested_by_rounds() {
    let text = "module bool even(int n(9)) { bool r;
            if :: n == 0 -> return true; :: else -> skip; fi r = odd(n - 1); return r; }
        module bool odd(int n(9)) { bool r;
            if :: n == 0 -> return false; :: else -> skip; fi r = even(n - 1); skip; return r; }
        module void main() { bool b; b = even(400); L: assert(!b); }";
    assert_eq!(
        compare_with_whole(text, Kind::Reach, "L"),
        [("nested", 196, 392), ("returned", 196, -393)]
    );
}

#[test]
fn two_ways_down_that_take_turns_are_one_round() {
    // 200 rounds of two calls; one call at either end is a round of its own.
    let text = "module int(9) f(int n(9)) { int r(9);
            if :: n == 0 -> return 0;
               :: (n & 1) == 1 -> r = f(n - 1);
               :: else -> skip; r = f(n - 1); fi
            return r + 1; }
        module void main() { int y(9); y = f(400); L: assert(y != 400); }";
    assert_eq!(
        compare_with_whole(text, Kind::Reach, "L"),
        [("nested", 195, 390), ("returned", 195, -391)]
    );
}

#[test]
fn a_deep_call_in_every_round_of_a_loop() {
    let text = "int g(8);
        module void f(int n(8)) { if :: n == 0 -> return; :: else -> skip; fi
            g = g + 1; f(n - 1); g = g - 1; }
        module void main() { g = 0; do :: true -> f(250); P: skip; od }";
    let expected = [("nested", 246, 246), ("returned", 246, -247)];
    for (kind, property) in [(Kind::Terminates, "terminates"), (Kind::Ltl, "F G f")] {
        assert_eq!(compare_with_whole(text, kind, property), expected);
    }
    // The automaton accepts inside the call only.
    assert_eq!(
        compare_with_whole(text, Kind::Ltl, "!G F {g == 250}"),
        expected
    );
}

#[test]
fn an_error_on_the_way_back_comes_after_frames_that_are_left() {
    let text = "module int(5) f(int n(8)) { int r(5);
            if :: n == 0 -> return 0; :: else -> skip; fi
            r = f(n - 1); assert(r < 30); return r + 1; }
        module void main() { int y(5); y = f(250); }";
    let expected = [
        ("repeated", 217, 217),
        ("nested", 26, 26),
        ("returned", 26, -27),
    ];
    assert_eq!(
        compare_with_whole(text, Kind::Assertions, "assertions"),
        expected
    );
}

#[test]
fn calls_with_other_calls_in_every_frame() {
    let text = "int g(9); int h(2);
        module int(9) id(int i(9)) { h = h + 1; return i; }
        module int(9) f(int n(9)) { int r(9);
            if :: n == 0 -> return 0; :: else -> skip; fi
            n = id(n); r = f(n - 1); r = id(r); return r + 1; }
        module void main() { int y(9); y = f(300); L: assert(y != 300); }";
    let program = read(text);
    let folded = result(&program, Kind::Reach, "L", &nesting(200));
    let whole = whole(&program, Kind::Reach, "L");
    assert_eq!(folded["trace_omitted"], list(&whole["trace"]["stem"]).len());
    let stem = list(&folded["trace_folded"]["stem"]);
    assert_eq!(
        left_out(stem),
        [("nested", 296, 296), ("returned", 296, -297)]
    );
}

/// One of very many calls does what matters, and it is shown.
#[test]
fn a_call_that_changes_a_truth_value_is_shown_however_deep() {
    let text = "bool bad;
        module void f(int n(9)) {
            if :: n == 0 -> return; :: else -> skip; fi
            if :: n == 123 -> K: bad = true; :: else -> skip; fi
            f(n - 1); }
        module void main() { bad = false; f(400); assert(!bad); L: skip; }";
    let asked = [
        (Kind::Assertions, "assertions"),
        (Kind::Ltl, "G !K"),
        (Kind::Ltl, "G !{f.n == 123}"),
    ];
    for (kind, property) in asked {
        // Above the call and below it, and as many returns.
        let left = compare_with_whole(text, kind, property);
        let names: Vec<_> = left.iter().map(|(name, ..)| *name).collect();
        assert_eq!(names, ["nested", "nested", "returned", "returned"]);
        assert_eq!((left[0].1, left[1].1), (left[3].1, left[2].1));
        assert!((390..396).contains(&(left[0].1 + left[1].1)), "{left:?}");
        let program = read(text);
        let folded = result(&program, kind, property, &nesting(200));
        let mut shown = list(&folded["trace_folded"]["stem"]).iter();
        assert!(shown.any(|step| step["labels"][0] == "K"), "{folded:#}");
    }
}

/// If even the nested frames do not fit the limit, calls are folded as a whole.
#[test]
fn a_small_limit_folds_the_whole_call() {
    let program = read(DEPTH);
    let found = result(&program, Kind::Reach, "L", &nesting(5));
    let stem = list(&found["trace"]["stem"]);
    assert_eq!(stem[0]["folded"], true);
    assert_eq!(stem.len(), 2);
}

#[test]
fn only_whole_calls_are_marked_as_folded() {
    let program = read(DEPTH);
    let found = result(&program, Kind::Reach, "L", &nesting(60));
    let stem = list(&found["trace_folded"]["stem"]);
    assert!(
        stem.iter().all(|item| item.get("folded").is_none()),
        "{found:#}"
    );
}

#[test]
fn a_recursion_that_is_short_is_never_folded() {
    let program = read(&DEPTH.replace("300", "30"));
    for options in [Options::default(), nesting(10_000)] {
        let options = Options {
            trace_patience: 100,
            ..options
        };
        match find(&program, Kind::Reach, "L", &options) {
            TraceFinding::Found(trace) => {
                assert!(trace.nested.is_empty() && trace.segments.is_empty());
            }
            other => panic!("{other:?}"),
        }
    }
}

/// A program with two procedures that may call each other and themselves, made by chance.
struct Recursions(Chance);

impl Recursions {
    fn statement(&mut self) -> String {
        let chance = &mut self.0;
        let variable = chance.one_of(&["n", "r", "g"]);
        let value = chance.one_of(&["n", "r", "g", "n + 1", "r + 1", "g + 1", "3", "0"]);
        match chance.below(6) {
            0 => format!("{variable} = {value};"),
            1 => "b = !b;".to_owned(),
            2 => format!("if :: {variable} < 5 -> g = {value}; :: true -> skip; fi"),
            3 => "r = r + 1;".to_owned(),
            _ => "skip;".to_owned(),
        }
    }

    fn procedure(&mut self, name: &str) -> String {
        let (before, after, last) = (self.statement(), self.statement(), self.statement());
        let stop = self.0.one_of(&["n == 0", "n < 2", "n == 0 || b"]);
        let callee = self.0.one_of(&["f", "f", "h", "h"]);
        let less = self.0.one_of(&["n - 1", "n - 1", "n - 2", "n"]);
        let result = self.0.one_of(&["r", "r + 1", "n", "0"]);
        let check = self
            .0
            .one_of(&["skip;", "skip;", "assert(r < 28);", "assert(g != 9);"]);
        format!(
            "module int(5) {name}(int n(5)) {{ int r(5); r = 0;
               if :: {stop} -> {last} return {result}; :: else -> skip; fi
               {before} r = {callee}({less}); {after} {check} return {result}; }}\n"
        )
    }

    fn program(&mut self) -> String {
        let (f, h) = (self.procedure("f"), self.procedure("h"));
        let again = self.0.one_of(&["skip;", "y = f(30);", "y = h(y);"]);
        format!(
            "int g(5); bool b;\n{f}{h}
             module void main() {{ int y(5); g = 0; b = false; y = f(29); L: skip;
               do :: true -> {again} M: skip; od }}"
        )
    }
}

/// Every trace through closed recursion replays, shows what it should, and says so. (What does
/// not is an error of the check, which `find` does not let pass.)
#[test]
fn random_recursion() {
    let asked = [
        (Kind::Reach, "L"),
        (Kind::Assertions, "assertions"),
        (Kind::Terminates, "terminates"),
        (Kind::Ltl, "F {g == 9}"),
        (Kind::Ltl, "!G F {b}"),
        (Kind::Ltl, "G (L -> G !M)"),
    ];
    let mut nested = [0; 6];
    let mut deep = 0;
    let more: u64 = std::env::var("DERNY_MORE_SEEDS").map_or(0, |n| n.parse().unwrap_or(0));
    for seed in 1..=60 + more {
        let text = Recursions(Chance(seed * 0x9e37_79b9)).program();
        let program = read(&text);
        for (i, (kind, property)) in asked.into_iter().enumerate() {
            let plain = Options {
                accelerate: Acceleration::Never,
                ..Options::default()
            };
            let is_violated = !matches!(find(&program, kind, property, &plain), TraceFinding::None);
            match find(&program, kind, property, &nesting(1_000)) {
                TraceFinding::None => assert!(!is_violated, "seed {seed}: {property}\n{text}"),
                found => {
                    assert!(is_violated, "seed {seed}: {property}\n{text}");
                    match found {
                        TraceFinding::Repeating(_, trace) => {
                            nested[i] += usize::from(!trace.nested.is_empty());
                        }
                        TraceFinding::TooDeep => deep += 1,
                        _ => {}
                    }
                }
            }
        }
    }
    assert!(nested.iter().all(|count| *count > 1), "{nested:?}");
    assert!(
        deep <= nested.iter().sum::<usize>() / 20,
        "{deep} of {nested:?}"
    );
}

/// The folded trace of 300 nested calls.
fn nested_trace() -> (Arc<Program>, Trace) {
    let program = read(DEPTH);
    match find(&program, Kind::Reach, "L", &nesting(60)) {
        TraceFinding::Repeating(_, trace) => (program, trace),
        other => panic!("{other:?}"),
    }
}

#[test]
fn replay_checks_every_frame_that_is_unfolded() {
    let (program, trace) = nested_trace();
    assert_eq!(replay(&program, &trace), Ok(()));
    assert!(trace.nested.len() > 4, "{}", trace.nested.len());
    let fails = |change: &dyn Fn(&mut Trace)| {
        let mut changed = trace.clone();
        change(&mut changed);
        assert!(replay(&program, &changed).is_err());
    };
    // Frames stand on others that come before them.
    let last = SegmentId(trace.segments.len() as u32 - 1);
    fails(&|trace| trace.nested.clear());
    fails(&|trace| trace.nested[0].round.clear());
    fails(&|trace| trace.nested[0].round[0] = last);
    fails(&|trace| trace.nested[0].inner = last);
    fails(&|trace| trace.nested[0].rounds = 0);
    // Each nested frame begins and ends with what the frame around it says.
    let is_nested = |steps: &&Vec<Step>| matches!(steps[0].folded, Some(Fold::Nested(_)));
    let hidden: Vec<usize> = trace
        .segments
        .iter()
        .enumerate()
        .filter_map(|(i, steps)| is_nested(&steps).then_some(i))
        .collect();
    assert_eq!(hidden.len(), trace.nested.len());
    for i in hidden {
        fails(&|trace| {
            let n = derny::internals::program::VariableId::Local(0);
            let entry = &mut trace.segments[i][0].valuation;
            entry.set(n, entry.get(n) ^ 1);
        });
        fails(&|trace| {
            let exit = &mut trace.segments[i][1];
            exit.returns = Some(vec![exit.returns.as_ref().map_or(0, |r| r[0] ^ 1)].into());
        });
        fails(&|trace| drop(trace.segments[i].pop()));
        fails(&|trace| trace.segments[i][0].folded = Some(Fold::Returned(NestedId(0))));
    }
    // The others are executions.
    for i in 0..trace.segments.len() {
        fails(&|trace| drop(trace.segments[i].remove(1)));
    }
}

const WIDE: &str = "module int(32) f(int n(32)) {
  int r(32);
  if
  :: n == 0 -> return 0;
  :: else -> r = f(n - 1);
  fi
  return r + 1;
}
module void main() {
  int y(32);
  y = f(4000000000);
  assert(y != 4000000000);
}
";

#[test]
fn the_text_shows_the_first_frames_and_the_last() {
    let run = Written::new(WIDE).check(&["--lang", "rem"]);
    assert_eq!(run.code, 1);
    assert_eq!(
        run.stdout,
        "\
violated assertions
  (the trace has 16000000006 steps: what is repeated is folded)
  why: `assert(y != 4000000000);` fails (line 12, column 3, step 22)
    1  11  y = f(4000000000);                                                        main
    2   3    if :: else                                                              f: n=4000000000
    3   5    r = f(n - 1);
    4   3      if :: else                                                            f: n=3999999999
    5   5      r = f(n - 1);
    6   3        if                                                                  f: n=3999999998
                 ... 3999999996 more calls like this, each inside the one before ...
    7   3                                          [depth 3999999999] if :: else     f: n=2
    8   5                                          [depth 3999999999] r = f(n - 1);
    9   3                                          [depth 4000000000] if :: else     f: n=1
   10   5                                          [depth 4000000000] r = f(n - 1);
   11   3                                          [depth 4000000001] if :: n == 0   f: n=0
   12   4                                          [depth 4000000001] return 0;
   13   8                                          [depth 4000000001] }              returns 0
   14   7                                          [depth 4000000000] return r + 1;  r=0
   15   8                                          [depth 4000000000] }              returns 1
   16   7                                          [depth 3999999999] return r + 1;  r=1
   17   8                                          [depth 3999999999] }              returns 2
                                                   ... 3999999996 more returns like this ...
   18   7      return r + 1;                                                         r=3999999998
   19   8      }                                                                     returns 3999999999
   20   7    return r + 1;                                                           r=3999999999
   21   8    }                                                                       returns 4000000000
   22  12  assert(y != 4000000000);                                                  y=4000000000
   23      error: the assertion fails
"
    );
}

#[test]
fn wide_recursion_in_json() {
    let run = Written::new(WIDE).check(&["--lang", "rem", "--format", "json"]);
    let result = &run.results()[0];
    assert_eq!(result["trace"], Value::Null);
    assert_eq!(result["trace_omitted"], 16_000_000_006_u64);
    let stem = list(&result["trace_folded"]["stem"]);
    assert_eq!(
        left_out(stem),
        [
            ("nested", 3_999_999_996, 3_999_999_996),
            ("returned", 3_999_999_996, -3_999_999_997)
        ]
    );
}

#[test]
fn pushdown_systems_have_them_too() {
    let text = "global int x(32);
(q (x = 4000000000) <main>)
q <main> --> q <f end> \"call\" (x' = x)
q <f> --> q <f g> \"down\" (x > 0 & x' = x - 1)
q <f> --> q <> \"bottom\" (x = 0 & x' = 0)
q <g> --> q <> \"up\" (x' = x + 1)
q <end> --> q <bad> \"fail\" (x = 4000000000 & x' = x)
";
    let system = Written::new(text);
    let run = system.check(&["--lang", "pds", "--reach", "bad", "--format", "json"]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    let result = &run.results()[0];
    let stem = list(&result["trace_folded"]["stem"]);
    let left = left_out(stem);
    assert_eq!(left[0], ("nested", 3_999_999_996, 3_999_999_996));
    assert_eq!((left[1].0, left[1].1), ("returned", 3_999_999_996));
    assert_eq!(result["trace_omitted"], 8_000_000_004_u64);
    let text = system.check(&["--lang", "pds", "--reach", "bad"]).stdout;
    assert!(text.contains("3999999996 more calls like this"), "{text}");
}
