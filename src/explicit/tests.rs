//! Verdicts on small programs, each with its proof.

mod unfolding;

use super::{Budget, has_infinite_run, reachable, violates};
use crate::lower::{Start, boolean_program};
use crate::program::Program;
use crate::property::Temporal;
use crate::source::Source;
use crate::watch::{Abort, Stop, Watch};
use std::sync::Arc;

const ALLOWED: Budget<'static> = Budget::states(100_000);

pub fn program(text: &str) -> Program {
    let source = Arc::new(Source::new("t.bp", text.into()));
    let (program, diagnostics) = boolean_program(source, &Start::default());
    program.unwrap_or_else(|| panic!("{text}\n{diagnostics:?}"))
}

fn holds(program: &Program, formula: &str) -> bool {
    let temporal = Temporal::from_formula(program, formula).unwrap();
    !violates(program, &temporal, ALLOWED).unwrap()
}

/// Every formula of the first list holds, none of the second does.
#[track_caller]
fn check(text: &str, hold: &[&str], fail: &[&str]) {
    let program = program(text);
    for formula in hold {
        assert!(holds(&program, formula), "should hold: {formula}\n{text}");
    }
    for formula in fail {
        assert!(!holds(&program, formula), "should fail: {formula}\n{text}");
    }
    let ends = holds(&program, "F (terminated || error)");
    assert_eq!(
        ends,
        !has_infinite_run(&program, ALLOWED).unwrap(),
        "{text}"
    );
}

#[test]
fn a_watch_ends_the_work() {
    let program = program("decl g; void main() begin while (1) do g := !g; od end");
    let temporal = Temporal::from_formula(&program, "G F g").unwrap();
    let watch = Watch::default();
    let budget = Budget::watched(100_000, &watch);
    assert_eq!(violates(&program, &temporal, budget), Ok(false));
    watch.cancel();
    let cancelled = Abort::Stop(Stop::Cancelled);
    assert_eq!(violates(&program, &temporal, budget), Err(cancelled));
    assert_eq!(has_infinite_run(&program, budget), Err(cancelled));
    assert_eq!(reachable(&program, budget).err(), Some(cancelled));
}

/// The one execution from each start goes `L`, assignment, `L`, …, and `g` changes in each
/// round, so at `L` it is 1 in every second round.
#[test]
fn a_loop() {
    check(
        "decl g; void main() begin L: while (1) do g := !g; od end",
        &[
            "G F g",
            "G F !g",
            "L",
            "G (L -> X !L)",
            "G (L -> X X L)",
            "G !terminated",
            "G main",
        ],
        &[
            "F G g",
            "F terminated",
            "G (L -> X L)",
            "G g",
            "F (L && g && X X (L && g))",
        ],
    );
}

/// Each step pushes a frame; none is ever popped. `L` is the only statement.
#[test]
fn infinite_recursion_is_a_cycle_through_a_push() {
    check(
        "void main() begin L: main(); end",
        &["G L", "G main", "G !terminated"],
        &["F terminated", "F !L"],
    );
}

/// A frame calls at most once and makes no other loop, so an execution either goes on
/// calling for ever, or stops calling at some depth and pops everything.
#[test]
fn recursion_that_may_end() {
    check(
        "void main() begin if (*) then L: main(); M: skip; fi end",
        &[
            "F terminated || G F L",
            "F terminated <-> F G !L",
            "G (M -> F terminated)",
            "G F L -> G !M",
        ],
        &[
            "F terminated",
            "G F L",
            "F terminated || F G !L",
            "F M",
            "G !M",
        ],
    );
}

/// If `g` is 0 at first, `main` ends without a call. Otherwise the inner `main` ends with
/// `g` 0, which pops its frame but terminates nothing: `L` comes after it.
#[test]
fn a_recursive_call_of_main_is_not_the_lowest_frame() {
    check(
        "decl g; void main() begin if (g) then g := 0; main(); L: skip; fi end",
        &[
            "g -> F L",
            "F terminated",
            "G (terminated -> G terminated)",
            "G !(terminated && g)",
        ],
        &["F L", "G !L", "g -> (!terminated U L) && G !L"],
    );
}

/// `L` and nothing else is in the callee, which every round of the loop calls and leaves:
/// the accepting state of the automaton for `G F L` is seen only inside a summary.
#[test]
fn a_mark_that_is_seen_only_inside_a_call() {
    check(
        "void main() begin while (1) do p(); od end
         void p() begin L: skip; end",
        &["G F L", "G (p -> F main)", "G (L -> X p && X X main)"],
        &["F G !L", "F terminated", "F G p", "F G main"],
    );
    // Now the callee may go past `L` in every round.
    check(
        "void main() begin while (1) do p(); od end
         void p() begin if (*) then L: skip; fi end",
        &["G F p", "G F main"],
        &["F G !L", "G F L"],
    );
}

/// Whoever wants both `L` and `M` infinitely often must call both procedures infinitely
/// often, with a summary for each and, one call deeper, with both in one.
#[test]
fn two_marks_from_two_calls() {
    let both = "!(G F L && G F M)";
    let (p, q) = ("void p() begin L: skip; end", "void q() begin M: skip; end");
    let choosing = "if (*) then p(); else q(); fi";
    let inside = format!("void main() begin while (1) do {choosing} od end {p} {q}");
    check(
        &inside,
        &["G F L || G F M"],
        &[both, "G F L", "G F M", "F G !L", "F G !M"],
    );
    let deeper =
        format!("void main() begin while (1) do r(); od end void r() begin p(); q(); end {p} {q}");
    check(&deeper, &["G F L", "G F M", "G (L -> F M)"], &[both]);
    // The choice is made once: each execution has one of them only.
    let before = "void main() begin
        if (*) then while (1) do p(); od else while (1) do q(); od fi end";
    check(
        &format!("{before} {p} {q}"),
        &[both, "G F L || G F M"],
        &["G F L", "G F M"],
    );
}

/// The callee never returns in an execution that counts: `M` is not reached, and the cycle
/// is in the callee, above a frame that waits for ever.
#[test]
fn a_call_that_never_returns() {
    check(
        "void main() begin p(); M: skip; end
         void p() begin L: goto L; end",
        &["G !M", "F G L", "X G p"],
        &["F terminated", "G main"],
    );
}

/// Nothing comes after the `assume`, so there is no infinite execution at all and even
/// `false` holds, although `L` is reached.
#[test]
fn what_is_cut_off_does_not_count() {
    let text = "void main() begin L: skip; assume(0); end";
    check(text, &["G !L", "false", "F terminated"], &[]);
    assert!(reachable(&program(text), ALLOWED).unwrap().points.len() == 2);
    // `enforce` lets no step be taken from `L`, where `g` is 0, nor from a start with `g` 0.
    check(
        "decl g; void main() begin enforce (g); g := 0; L: skip; end",
        &["G !L", "false"],
        &[],
    );
    // Only the outcome 1 is let back into `main`, whatever `g` was in between; the start
    // with `g` 0 is cut off at once.
    check(
        "decl g; void main() begin enforce (g); p(); L: skip; end
         void p() begin g := *; g := *; end",
        &["g", "F L", "G (main -> g)", "F G (terminated && g)"],
        &["G g", "G F !g"],
    );
    // From 1 there is no outcome.
    check(
        "decl g; void main() begin g := * constrain 'g & !g; end",
        &["!g", "X G g", "F terminated"],
        &["false", "G !g"],
    );
    // A loop that can only be left where it is cut off still runs for ever.
    check(
        "void main() begin L: while (*) do skip; od assume(0); end",
        &["G F L", "G !terminated"],
        &["F terminated"],
    );
}

/// The configurations: `skip`, exit point, terminated, terminated, …
#[test]
fn terminated_stays_so_with_its_globals() {
    check(
        "decl g; void main() begin decl x; L: skip; end",
        &[
            "X X terminated",
            "!terminated && X !terminated",
            "F G terminated",
            "G !error",
            "g -> G g",
            "L && X G !L",
            "X X G !main",
            "X X G !main.x",
            "X main",
            "X X {!main.x}",
        ],
        &[
            "X terminated",
            "G !terminated",
            "G g",
            "main.x -> G main.x",
            "G F main",
        ],
    );
}

/// The configurations: `g := 1`, the call, `L`, error, error, …
#[test]
fn error_stays_so_with_its_globals() {
    check(
        "decl g; void main() begin g := 1; p(); end void p() begin L: assert(!g); end",
        &[
            "X X (L && p)",
            "X X X G (error && g && !p && !main && !L)",
            "G !terminated",
        ],
        &["F terminated", "X X error", "G !error", "G F L"],
    );
    // With a choice: some executions fail, all others terminate.
    check(
        "void main() begin assert(*); end",
        &[
            "F (terminated || error)",
            "F terminated xor F error",
            "X (main <-> X terminated)",
        ],
        &["F terminated", "F error"],
    );
}

/// The configurations: the call, `M`, exit point of `p`, `L`, exit point of `main`,
/// terminated. So a call is one step, and so is a return with its targets.
#[test]
fn each_step_is_one_position() {
    check(
        "decl g; void main() begin g := p(); L: skip; end
         bool<1> p() begin M: return 1; end",
        &[
            "main && X M",
            "X X p",
            "X X X (L && g)",
            "X X X X main",
            "X X X X X terminated",
            "G (M -> X X L)",
            "g -> G g",
            "!g -> !g U L",
        ],
        &[
            "X X L",
            "X X X X L",
            "X X X X terminated",
            "F M -> X L",
            "!g -> X X g",
        ],
    );
}

/// A returned value decides how the loop goes on: `x` is 1 after a call that went past `L`.
#[test]
fn summaries_keep_returns_apart() {
    check(
        "void main() begin decl x; x := 1; while (x) do x := p(); od N: skip; end
         bool<1> p() begin if (*) then L: return 1; else M: return 0; fi end",
        &[
            "G (M -> F N)",
            "F N || G F L",
            "(F N) <-> (F M)",
            "G (L -> F (L || M))",
        ],
        &["F N", "F L", "G (L -> F N)"],
    );
}

/// `p` either goes on for ever (at `L`) or returns; the automaton's state at the return
/// depends on what was seen inside.
#[test]
fn the_automaton_goes_through_calls() {
    check(
        "decl g; void main() begin g := 0; p(); N: skip; end
         void p() begin if (*) then L: p(); else g := 1; fi end",
        &[
            "G (N -> g)",
            "F N || G F L",
            "X (!g W (g && p))",
            "G (g && p -> F N)",
        ],
        &["F N", "(!L) U N", "G (L -> F N)", "F g"],
    );
}

/// A given automaton is used as it is: this one accepts the words with `L` infinitely often.
#[test]
fn an_automaton_of_the_forbidden_executions() {
    let hoa = r#"HOA: v1 States: 2 Start: 0 AP: 1 "L" acc-name: Buchi Acceptance: 1 Inf(0)
        properties: state-acc --BODY--
        State: 0 [!0] 0 [0] 1 State: 1 {0} [!0] 0 [0] 1 --END--"#;
    let may_go_past = "void main() begin while (*) do if (*) then L: skip; fi od end";
    let goes_past = "void main() begin L: while (1) do goto M; od M: goto M; end";
    for (text, violated) in [(may_go_past, true), (goes_past, false)] {
        let program = program(text);
        let temporal = Temporal::from_hoa(&program, hoa).unwrap();
        assert_eq!(
            violates(&program, &temporal, ALLOWED),
            Ok(violated),
            "{text}"
        );
        assert_eq!(holds(&program, "F G !L"), !violated, "{text}");
    }
}

/// Two executions, a loop and its end, need more than three path edges.
#[test]
fn a_limit_that_is_hit_is_told() {
    let program = program("decl g; void main() begin while (g) do skip; od end");
    let temporal = Temporal::from_formula(&program, "F terminated").unwrap();
    assert!(violates(&program, &temporal, Budget::states(3)).is_err());
    assert!(has_infinite_run(&program, Budget::states(3)).is_err());
    assert_eq!(violates(&program, &temporal, Budget::states(100)), Ok(true));
}
