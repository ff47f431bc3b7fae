//! What threads mean, fact by fact: small programs with the fewest switches and rounds within which
//! each label is reached and an assertion fails, found by hand.

use super::{Answer, check};

/// Reached within so many switches and rounds, but not within fewer.
fn within(switches: u32, rounds: u32) -> Answer {
    Some((switches, rounds))
}

const NEVER: Answer = None;

#[test]
fn the_first_procedure_runs_alone_to_its_end() {
    check(
        "decl g; thread p(); void init() begin g := 1; I: skip; g := 0; end
         void p() begin if (g) then L: skip; else M: skip; fi end",
        &[("I", within(0, 1)), ("L", NEVER), ("M", within(0, 1))],
    );
}

#[test]
fn no_thread_starts_if_the_first_procedure_does_not_end() {
    for rest in [
        "while (1) do skip; od",
        "assume(0);",
        "atomic begin assume(0); end",
    ] {
        check(
            &format!(
                "thread p(); void init() begin I: skip; {rest} end void p() begin L: skip; end"
            ),
            &[("I", within(0, 1)), ("L", NEVER)],
        );
    }
}

#[test]
fn an_assertion_may_fail_before_the_threads() {
    check(
        "decl g; thread p()[2]; void init() begin g := 0; assert(g); end
         void p() begin L: skip; end",
        &[("!", within(0, 1)), ("L", NEVER)],
    );
}

#[test]
fn the_first_procedure_may_end_exclusive_or_by_end_thread() {
    for body in [
        "atomic_begin;",
        "f();",
        "atomic begin f(); end",
        "atomic begin return; end",
        "atomic begin end_thread; end",
    ] {
        check(
            &format!(
                "thread p(); void init() begin {body} end void f() begin end_thread; end
                 void p() begin L: skip; end"
            ),
            &[("L", within(0, 1))],
        );
    }
}

#[test]
fn what_the_first_procedure_creates_waits_for_its_end() {
    check(
        "decl g; thread p(); void init() begin g := 1; start_thread q(); g := 0; end
         void p() begin P: skip; end
         void q() begin Q: skip; if (g) then L: skip; fi end",
        &[("P", within(0, 1)), ("Q", within(0, 1)), ("L", NEVER)],
    );
}

#[test]
fn any_thread_may_be_the_first() {
    check(
        "thread p(), q()[2], r(); void p() begin P: skip; end void q() begin Q: skip; end
         void r() begin R: skip; end",
        &[
            ("P", within(0, 1)),
            ("Q", within(0, 1)),
            ("R", within(0, 1)),
        ],
    );
}

#[test]
fn arguments_are_as_declared() {
    check(
        "thread p(0), q(1, *); void p(a) begin if (a) then L: skip; else M: skip; fi end
         void q(a, b) begin if (!a) then N: skip; fi if (b) then O: skip; else P: skip; fi end",
        &[
            ("L", NEVER),
            ("M", within(0, 1)),
            ("N", NEVER),
            ("O", within(0, 1)),
            ("P", within(0, 1)),
        ],
    );
}

#[test]
fn each_thread_chooses_its_arguments() {
    check(
        "decl g; thread p(*)[2]; void init() begin g := 0; end
         void p(a) begin if (a) then g := 1; else assume(g); L: skip; fi end",
        &[("L", within(1, 1))],
    );
    check(
        "decl g; thread p(1)[2]; void init() begin g := 0; end
         void p(a) begin if (a) then g := 1; else assume(g); L: skip; fi end",
        &[("L", NEVER)],
    );
}

#[test]
fn other_locals_are_arbitrary() {
    let body = "begin decl x; if (x) then L: skip; else M: skip; fi end";
    check(
        &format!("thread p(); void p() {body}"),
        &[("L", within(0, 1)), ("M", within(0, 1))],
    );
    check(
        &format!("void main() begin start_thread p(); end void p() {body}"),
        &[("L", within(1, 1)), ("M", within(1, 1))],
    );
}

#[test]
fn own_globals_are_as_the_first_procedure_left_them() {
    check(
        "decl thread_local o; decl g; thread p()[2]; void init() begin o := 1; g := 0; end
         void p() begin assert(o); o := 0; g := !g; end",
        &[("!", NEVER)],
    );
}

#[test]
fn own_globals_are_arbitrary_in_each_thread_without_one() {
    check(
        "decl thread_local o; decl g; thread p(), q();
         void p() begin g := 0; assume(o); g := 1; end
         void q() begin assume(g); if (o) then L: skip; else M: skip; fi end",
        &[("L", within(0, 1)), ("M", within(0, 1))],
    );
    // That `g` is 1 at the start does not help here.
    check(
        "decl thread_local o; decl g, h; thread p(), q();
         void p() begin g := 0; assume(o); h := g; g := 1; assume(!h); h := 1; P: skip; end
         void q() begin h := 0; assume(g); assume(h); if (o) then L: skip; else M: skip; fi end",
        &[
            ("P", within(0, 1)),
            ("L", within(2, 2)),
            ("M", within(2, 2)),
        ],
    );
}

#[test]
fn a_created_thread_has_copies_of_its_creators_own_globals() {
    check(
        "decl thread_local o; void main() begin o := 1; start_thread p(); o := 0; start_thread q(); end
         void p() begin if (o) then L: skip; else M: skip; fi end
         void q() begin if (o) then N: skip; else O: skip; fi o := 1; end",
        &[
            ("L", within(1, 1)),
            ("M", NEVER),
            ("N", NEVER),
            ("O", within(1, 1)),
        ],
    );
}

#[test]
fn the_arguments_of_a_creation_are_evaluated_in_the_creator() {
    check(
        "decl g; void main() begin decl x; x := 1; g := 1; start_thread p(x & g, *); x := 0; g := 0; end
         void p(a, b) begin assume(!g); if (a) then L: skip; else M: skip; fi
         if (b) then N: skip; else O: skip; fi end",
        &[
            ("L", within(1, 1)),
            ("M", NEVER),
            ("N", within(1, 1)),
            ("O", within(1, 1)),
        ],
    );
}

#[test]
fn a_thread_that_begins_at_a_label_has_copies_of_the_locals() {
    check(
        "void main() begin decl a; a := 1; start_thread goto L; a := 0;
         L: if (a) then M: skip; else N: skip; fi end",
        &[
            ("M", within(1, 1)),
            ("N", within(0, 1)),
            ("L", within(0, 1)),
        ],
    );
}

#[test]
fn a_thread_that_begins_at_a_label_has_one_frame() {
    check(
        "decl twice; void main() begin twice := 0; f(); assert(!twice); twice := 1; end
         void f() begin start_thread goto L; L: skip; end",
        &[("!", NEVER), ("L", within(0, 1))],
    );
}

#[test]
fn the_others_go_on_after_the_end_of_main() {
    check(
        "decl g; void main() begin g := 0; start_thread p(); g := 1; end
         void p() begin P: assume(g); L: skip; end",
        &[("P", within(1, 1)), ("L", within(1, 1))],
    );
}

#[test]
fn a_thread_that_waits_at_its_first_statement_has_not_reached_it() {
    check(
        "void main() begin atomic_begin; start_thread p(); while (1) do skip; od end
         void p() begin L: skip; end",
        &[("L", NEVER)],
    );
    check(
        "void main() begin M: start_thread p(); end void p() begin L: skip; end",
        &[("M", within(0, 1)), ("L", within(1, 1))],
    );
}

#[test]
fn a_creation_by_its_old_name() {
    check(
        "void main() begin ASYNC_1: p(); M: while (1) do skip; od end void p() begin L: skip; end",
        &[("M", within(0, 1)), ("L", within(1, 1))],
    );
}

#[test]
fn a_step_is_indivisible() {
    check(
        "decl g, h; thread p(), q(); void init() begin g, h := 0, 0; end
         void p() begin while (1) do g, h := !g, !h; od end void q() begin assert(g = h); end",
        &[("!", NEVER)],
    );
    check(
        "decl g, h; thread p(), q(); void init() begin g, h := 0, 0; end
         void p() begin while (1) do g := !g; h := !h; od end void q() begin assert(g = h); end",
        &[("!", within(1, 1))],
    );
}

#[test]
fn arguments_are_passed_in_the_step_of_the_call() {
    check(
        "decl g; thread p(), q(); void init() begin g := 0; end
         void p() begin f(g); end void f(a) begin if (a != g) then L: skip; fi end
         void q() begin g := 1; end",
        &[("L", within(2, 2))],
    );
}

#[test]
fn a_return_sets_its_targets_in_one_step() {
    // Between a `return` and the step that leaves the frame others may run.
    check(
        "decl g, h; thread p(), q(); void init() begin g, h := 0, 0; end
         void p() begin g, h := f(); P: skip; end bool<2> f() begin return 1, 1; end
         void q() begin assert(g = h); if (g) then L: skip; else M: skip; fi end",
        &[
            ("!", NEVER),
            ("P", within(0, 1)),
            ("L", within(1, 1)),
            ("M", within(0, 1)),
        ],
    );
}

#[test]
fn a_blocked_thread_goes_on_later() {
    // In the order of their numbers, and against it.
    let rest = "void init() begin g := 0; end void p() begin assume(g); L: skip; end
                void q() begin g := 1; end";
    check(
        &format!("decl g; thread p(), q(); {rest}"),
        &[("L", within(1, 2))],
    );
    check(
        &format!("decl g; thread q(), p(); {rest}"),
        &[("L", within(1, 1))],
    );
}

#[test]
fn enforce_and_constrain_block_as_well() {
    check(
        "decl g, e; thread p(), q(); void init() begin g, e := 0, 0; end
         void p() begin enforce !e | g; E: e := 1; L: skip; M: skip; end
         void q() begin assume(e); g := 1; end",
        // It arrives at L, where it waits.
        &[("L", within(0, 1)), ("M", within(2, 2))],
    );
    check(
        "decl g, e; thread p(), q(); void init() begin g, e := 0, 0; end
         void p() begin e := 1; e := * constrain ('e & g); M: skip; end
         void q() begin assume(e); g := 1; end",
        &[("M", within(2, 2))],
    );
}

#[test]
fn a_blocked_thread_that_is_exclusive_cuts_the_execution_off() {
    let program = |open: &str, close: &str| {
        format!(
            "decl e, g; thread p(), q(); void init() begin e, g := 0, 0; end
             void p() begin {open} e := 1; assume(g); L: skip; {close} end
             void q() begin assume(e); M: g := 1; end"
        )
    };
    for (open, close) in [
        ("atomic begin", "end"),
        ("atomic {", "}"),
        ("atomic_begin;", "atomic_end;"),
    ] {
        check(&program(open, close), &[("L", NEVER), ("M", NEVER)]);
    }
    check(
        &program("", ""),
        &[("L", within(2, 2)), ("M", within(1, 1))],
    );
}

#[test]
fn switches_from_a_thread_that_ended_count() {
    check(
        "decl g; thread p(), q(); void init() begin g := 0; end void p() begin g := 1; end
         void q() begin assume(g); g := 0; L: skip; end",
        &[("L", within(1, 1))],
    );
}

/// Two threads, the second of which fails if it sees `x`.
fn sees(body: &str, more: &str) -> String {
    format!(
        "decl x; thread p(), q(); void init() begin x := 0; end
         void p() begin {body} end {more} void q() begin assert(!x); end"
    )
}

#[test]
fn nobody_sees_what_is_inside_an_atomic_block() {
    for body in [
        "atomic begin x := 1; x := 0; end",
        "atomic { x := 1; x := 0; }",
        "atomic_begin; x := 1; x := 0; atomic_end;",
        // The closing token is inside.
        "atomic begin if (1) then x := 1; fi x := 0; end",
        "atomic begin while (*) do x := 1; x := 0; od end",
        "atomic begin atomic begin x := 1; end x := 0; end",
        "atomic begin x := 1; atomic begin skip; end x := 0; end",
        "atomic_begin; atomic begin x := 1; end x := 0; atomic_end;",
        "atomic begin atomic_begin; x := 1; x := 0; end",
        "atomic begin x := 1; atomic_begin; x := 0; end",
    ] {
        check(&sees(body, ""), &[("!", NEVER)]);
    }
}

#[test]
fn everybody_sees_what_is_outside() {
    for body in [
        "x := 1; x := 0;",
        "atomic begin x := 1; end x := 0;",
        "atomic begin x := 1; end atomic begin x := 0; end",
        "atomic begin x := 1; atomic_end; x := 0; end",
        "atomic_begin; x := 1; atomic_end; x := 0;",
        "atomic begin atomic begin x := 1; end atomic_end; x := 0; end",
        // What it was on entry, whatever happened inside.
        "atomic begin atomic_begin; x := 1; end x := 0;",
        "atomic begin atomic_end; x := 1; end x := 0;",
        "atomic_begin; atomic_begin; x := 1; atomic_end; x := 0;",
    ] {
        check(&sees(body, ""), &[("!", within(1, 1))]);
    }
}

#[test]
fn leaving_a_block_restores_what_the_thread_was() {
    // Exclusive before the block: exclusive after it, whatever happens inside.
    let body = "atomic_begin; atomic begin atomic_end; atomic_begin; end x := 1; x := 0;";
    check(&sees(body, ""), &[("!", NEVER)]);
    let body = "atomic_begin; atomic begin atomic_end; end x := 1; x := 0;";
    check(&sees(body, ""), &[("!", NEVER)]);
    // An inner block is left to what it was when it was entered.
    let body = "atomic begin atomic_end; atomic begin x := 1; end x := 0; end";
    check(&sees(body, ""), &[("!", within(1, 1))]);
    let body = "atomic begin atomic_end; atomic begin x := 1; x := 0; end end";
    check(&sees(body, ""), &[("!", NEVER)]);
}

#[test]
fn blocks_nest_across_calls() {
    let block = "void f() begin atomic begin x := 1; end end";
    check(&sees("f(); x := 0;", block), &[("!", within(1, 1))]);
    check(
        &sees("atomic begin f(); x := 0; end", block),
        &[("!", NEVER)],
    );
    check(
        &sees("atomic_begin; f(); x := 0; atomic_end;", block),
        &[("!", NEVER)],
    );
    // What a call leaves behind stays so.
    let begins = "void f() begin atomic_begin; end";
    check(&sees("f(); x := 1; x := 0;", begins), &[("!", NEVER)]);
    let ends = "void f() begin atomic_end; end";
    check(
        &sees("atomic begin f(); x := 1; x := 0; end", ends),
        &[("!", within(1, 1))],
    );
    // In a recursive call each frame knows its own.
    let calls = "void f(a) begin atomic begin if (a) then f(0); x := 1; fi end x := 0; end";
    check(&sees("f(1);", calls), &[("!", within(1, 1))]);
    check(&sees("atomic begin f(1); end", calls), &[("!", NEVER)]);
}

#[test]
fn a_return_leaves_all_blocks_around_it() {
    let returns = [
        "void f() begin atomic begin x := 1; return; end end",
        "void f() begin atomic begin atomic begin x := 1; return; end end end",
        "void f() begin atomic begin atomic_end; atomic begin x := 1; return; end end end",
        "void f() begin atomic begin if (1) then x := 1; return; fi end end",
    ];
    for f in returns {
        // It is no longer exclusive at the exit of `f`, nor after that.
        check(&sees("f(); x := 0;", f), &[("!", within(1, 1))]);
        // It is what it was on entry to the outermost block of `f`.
        check(&sees("atomic begin f(); x := 0; end", f), &[("!", NEVER)]);
        check(
            &sees("atomic_begin; f(); x := 0; atomic_end;", f),
            &[("!", NEVER)],
        );
    }
    // A return outside blocks changes nothing.
    let f = "void f() begin atomic_begin; x := 1; return; end";
    check(&sees("f(); x := 0;", f), &[("!", NEVER)]);
}

#[test]
fn a_return_value_is_computed_inside_the_block() {
    check(
        "decl g; thread p(), q(); void init() begin g := 0; end
         void p() begin decl a; a := f(); if (a) then L: skip; fi end
         bool f() begin atomic begin g := 1; if (*) then g := 0; return !g; fi g := 0; end return g; end
         void q() begin assert(!g); end",
        &[("!", NEVER), ("L", within(0, 1))],
    );
}

#[test]
fn a_thread_that_terminates_is_no_longer_exclusive() {
    for (body, more) in [
        ("atomic_begin; x := 1;", ""),
        ("atomic begin x := 1; end_thread; end", ""),
        (
            "atomic begin f(); end",
            "void f() begin x := 1; end_thread; end",
        ),
        ("atomic_begin; x := 1; return;", ""),
        ("atomic begin atomic_begin; x := 1; return; end", ""),
    ] {
        check(&sees(body, more), &[("!", within(1, 1))]);
    }
}

#[test]
fn end_thread_ends_whatever_the_stack_is() {
    check(
        "decl g; thread p(), q(); void init() begin g := 0; end
         void p() begin f(1); L: skip; end
         void f(a) begin g := 1; if (a) then f(0); fi M: end_thread; N: skip; end
         void q() begin assume(g); Q: skip; end",
        &[
            ("L", NEVER),
            ("N", NEVER),
            ("M", within(0, 1)),
            ("Q", within(1, 1)),
        ],
    );
}

#[test]
fn the_program_stops_when_an_assertion_fails() {
    check(
        "decl g, h; thread p(), q(); void init() begin g, h := 0, 0; end
         void p() begin g := 1; assert(h); g := 0; h := 1; end
         void q() begin assume(h); L: skip; end",
        &[("!", within(0, 1)), ("L", NEVER)],
    );
}

#[test]
fn rounds_follow_the_numbers() {
    // a, b, c take turns by g, h: first the one, then the next, then the last.
    let rest = "void init() begin g, h := 0, 0; end
        void a() begin g := 1; end void b() begin assume(g); h := 1; end
        void c() begin assume(h); L: skip; end";
    let threads = |order: &str| format!("decl g, h; thread {order}; {rest}");
    check(&threads("a(), b(), c()"), &[("L", within(2, 1))]);
    check(&threads("a(), c(), b()"), &[("L", within(2, 2))]);
    check(&threads("b(), a(), c()"), &[("L", within(2, 2))]);
    check(&threads("b(), c(), a()"), &[("L", within(2, 2))]);
    check(&threads("c(), a(), b()"), &[("L", within(2, 2))]);
    check(&threads("c(), b(), a()"), &[("L", within(2, 3))]);
}

#[test]
fn fewest_switches_and_fewest_rounds_need_not_be_one_execution() {
    // From 1 to 2 and back, in two rounds; or from each to the next, with one more switch.
    check(
        "decl g, h; thread p(), q(), r(), s(); void init() begin g, h := 0, 0; end
         void p() begin g := 1; if (*) then assume(h); L: skip; fi end
         void q() begin assume(g); h := 1; end
         void r() begin assume(h); g := 0; end
         void s() begin assume(!g & h); L: skip; end",
        &[
            ("p.L", within(2, 2)),
            ("s.L", within(3, 1)),
            ("L", within(2, 1)),
        ],
    );
}

#[test]
fn a_created_thread_comes_last_in_the_round() {
    check(
        "decl g; void main() begin g := 0; start_thread p(); assume(g); M: skip; end
         void p() begin start_thread q(); P: skip; end void q() begin Q: g := 1; end",
        &[
            ("P", within(1, 1)),
            ("Q", within(2, 1)),
            ("M", within(3, 2)),
        ],
    );
    // Declared threads come before the created ones.
    check(
        "decl g; thread p(), q(); void init() begin g := 0; end
         void p() begin start_thread r(); end void r() begin g := 1; end
         void q() begin assume(g); L: skip; end",
        &[("L", within(2, 2))],
    );
}

#[test]
fn threads_that_recur_keep_their_stacks_apart() {
    check(
        "decl g; thread p()[2]; void init() begin g := 0; end
         void p() begin decl a; a := g; f(a); if (a != g) then L: skip; fi end
         void f(b) begin if (b) then return; fi g := 1; f(1); M: skip; end",
        &[("L", within(0, 1)), ("M", within(0, 1))],
    );
}
