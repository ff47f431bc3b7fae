//! What threads can come to, and what goes round in circles.

use super::program;
use crate::analysis::control::Control;
use crate::program::{Action, PointId, Program};

/// The labels that are not come to.
fn unreached(program: &Program) -> Vec<&str> {
    let control = Control::of(program);
    let labels = program.labels.iter();
    let unreached = labels.filter(|(point, _)| !control.reaches(*point));
    unreached
        .map(|(_, name)| program.names.text(*name))
        .collect()
}

#[test]
fn calls_jumps_and_constant_conditions_tell_what_is_reached() {
    let text = "decl g; thread p();
        void init() begin g := 0; if (g) then A: skip; fi
            if (0) then B: skip; elsif (1 | g) then C: skip; else D: skip; fi end
        void p() begin while (1) do if (*) then never(); E: skip; fi q(); P: skip; od G: skip; end
        void q() begin assume(!(g & 0)); H: skip; assume(0); I: skip; end
        void never() begin goto J; K: skip; J: end_thread; end
        void uncalled() begin L: skip; end";
    // `q` never returns, as nothing gets past its second `assume`.
    let expected = ["B", "D", "E", "P", "G", "I", "K", "L"];
    assert_eq!(unreached(&program(text)), expected);
    let endless = "thread p(); void init() begin while (1) do skip; od end
        void p() begin A: skip; end";
    assert_eq!(unreached(&program(endless)), ["A"]);
    let ended = "thread p(); void init() begin end_thread; end void p() begin A: skip; end";
    assert!(unreached(&program(ended)).is_empty());
}

#[test]
fn assertions_that_cannot_fail() {
    let text = "decl g; thread p(); void p() begin
        assert(1); assert(g => 1); assert(g); if (0) then assert(0); fi assert(*); end";
    let program = program(text);
    let control = Control::of(&program);
    let points = (0..program.points.len() as u32).map(PointId);
    let assertions =
        points.filter(|point| matches!(program.point(*point).action, Action::Assert { .. }));
    let may_fail: Vec<_> = assertions
        .map(|point| control.may_fail(&program, point))
        .collect();
    assert_eq!(may_fail, [false, false, true, false, true]);
}

#[test]
fn finite_programs() {
    for (text, finite, creates_for_ever) in [
        (
            "thread main(); main() { q(); q(); } q() { skip; }",
            true,
            false,
        ),
        (
            "thread main(); main() { q(); } q() { if (*) { main(); } }",
            false,
            false,
        ),
        (
            "main() { start_thread q(); start_thread q(); } q() { while (*) { skip; } }",
            true,
            false,
        ),
        (
            "main() { while (*) { start_thread q(); } } q() { skip; }",
            false,
            true,
        ),
        (
            "main() { while (*) { r(); } } r() { start_thread q(); } q() { skip; }",
            false,
            true,
        ),
        (
            "main() { start_thread q(); } q() { start_thread q(); }",
            false,
            true,
        ),
        ("main() { L: start_thread goto L; }", false, true),
        (
            "main() { start_thread goto L; while (*) { q(); } L: skip; } q() { skip; }",
            true,
            false,
        ),
        (
            "main() { r(); } r() { start_thread q(); r(); } q() { skip; }",
            false,
            true,
        ),
        // What is never run does not count.
        (
            "main() { start_thread q(); while (0) { start_thread q(); } } q() { skip; } r() { r(); }",
            true,
            false,
        ),
    ] {
        let program = program(text);
        let control = Control::of(&program);
        assert_eq!(control.is_finite(), finite, "{text}");
        let again = control.creation_on_a_cycle().is_some();
        assert_eq!(again, creates_for_ever, "{text}");
    }
}
