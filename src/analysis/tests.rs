//! The analyses on small programs and pushdown systems, by names.

mod control;

use super::{Analyses, Observed, Referenced};
use crate::bits;
use crate::lower::{Start, boolean_program, pushdown_system};
use crate::program::{ProcedureId, Program, VariableId};
use crate::pushdown::System;
use crate::rules::{EntryId, Head, Layout, Right, Rules};
use crate::source::Source;
use std::sync::Arc;

fn program(text: &str) -> Program {
    let source = Arc::new(Source::new("program.bp", text.as_bytes().to_vec()));
    let (program, diagnostics) = boolean_program(source, &Start::default());
    program.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

fn system(text: &str) -> System {
    let source = Arc::new(Source::new("system.pds", text.as_bytes().to_vec()));
    let (system, diagnostics) = pushdown_system(source, &[], Default::default());
    system.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

/// The names of a set's members, globals and the locals of the frame at a head.
fn names(rules: &Rules<'_>, head: Head, set: &[u64]) -> String {
    let mut names = Vec::new();
    let mut add = |name: &str, mut cell: std::ops::Range<u32>| {
        if cell.any(|bit| bits::contains(set, bit)) {
            names.push(name.to_owned());
        }
    };
    if let Some(frame) = rules.frame_of(head) {
        for (cell, i) in rules.cells(frame).locals.iter().zip(0..) {
            let bits = rules.layout.cell(frame, VariableId::Local(i));
            add(rules.names.text(cell.name), bits);
        }
    }
    for (cell, i) in rules.globals.iter().zip(0..) {
        if rules.state_cell != Some(i) {
            add(rules.names.text(cell.name), rules.layout.global(i));
        }
    }
    names.join(" ")
}

/// What is live at each labelled point.
fn live(program: &Program, observed: &[Observed]) -> Vec<(String, String)> {
    let rules = Rules::of_program(program, Layout::of(program), false);
    let analyses = Analyses::of(&rules, observed);
    let labels = program.labels.iter().map(|(point, label)| {
        let head = Head(point.0);
        let live = names(&rules, head, analyses.liveness.at(head));
        (program.names.text(*label).to_owned(), live)
    });
    labels.collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(label, live): &(&str, &str)| ((*label).to_owned(), (*live).to_owned());
    expected.iter().map(owned).collect()
}

#[test]
fn what_is_read_before_it_is_written_is_live() {
    let program = program(
        "decl a, b, c; void main() begin \
           A: a := b; B: b := a; C: if (b) then c := 1; else skip; fi D: skip; end",
    );
    let expected = [("A", "b"), ("B", "a"), ("C", "b"), ("D", "")];
    assert_eq!(live(&program, &[]), pairs(&expected));
}

#[test]
fn what_is_observed_is_live_everywhere() {
    let program = program("decl a, b; void main() begin A: a := 0; B: b := a; end");
    let expected = [("A", "b"), ("B", "a b")];
    assert_eq!(live(&program, &[Observed::Global(1)]), pairs(&expected));
}

#[test]
fn a_global_that_the_callee_does_not_change_stays_with_the_caller() {
    let program = program(
        "decl a, b, c; void p() begin P: b := 1; end \
         void main() begin A: p(); B: c := a & b; end",
    );
    // `b` is set by the callee, and `a` is none of its business.
    let expected = [("P", ""), ("A", "a"), ("B", "a b")];
    assert_eq!(live(&program, &[]), pairs(&expected));
}

#[test]
fn frames_hand_over_what_they_change_and_somebody_needs() {
    let program = program(
        "decl a, b, c; void p() begin b := a; c := a; end \
         void main() begin p(); a := b; end",
    );
    let rules = Rules::of_program(&program, Layout::of(&program), false);
    let analyses = Analyses::of(&rules, &[]);
    let entry = rules.entries[EntryId(0)];
    let class = analyses.frames.class(entry).expect("a frame");
    let handed = analyses.liveness.handed(class);
    assert_eq!(names(&rules, entry, handed), "b");
    assert_eq!(names(&rules, entry, analyses.modified.by(class)), "b c");
    assert_eq!(
        names(
            &rules,
            entry,
            Referenced::of(&rules, &analyses.frames).by(class)
        ),
        "a"
    );
    // What the frame reads and cannot change is part of its key, and rigid.
    assert_eq!(
        names(&rules, entry, analyses.carried.keys.row(EntryId(0))),
        "a"
    );
    assert_eq!(
        names(&rules, entry, analyses.carried.rigid.row(EntryId(0))),
        "a"
    );
}

#[test]
fn callees_come_first_and_recursion_is_found() {
    let program = program(
        "void p() begin q(); end void q() begin if (*) then p(); else r(); fi end \
         void r() begin skip; end void main() begin p(); end",
    );
    let rules = Rules::of_program(&program, Layout::of(&program), false);
    let frames = &Analyses::of(&rules, &[]).frames;
    let order = frames.bottom_up.iter().map(|class| {
        let name = rules.frames[ProcedureId(class.0)].name;
        (name, frames.get(*class).is_recursive)
    });
    let order: Vec<_> = order.collect();
    assert_eq!(order[0], ("r", false));
    assert_eq!(order[3], ("main", false));
    assert!(order[1..3].contains(&("p", true)) && order[1..3].contains(&("q", true)));
}

#[test]
fn rules_of_a_pushdown_system_tell_its_frames() {
    let system = system(
        "global bool x, y;\n(p <a>)\n\
         p <a> --> p <f b> ((x' == x) & (y' == y))\n\
         p <f> --> p <g> (x' == x)\n\
         p <g> --> p <> ((x' == x) & (y' == y))\n\
         p <b> --> p <b> (y & (x' == x) & (y' == y))\n",
    );
    let rules = Rules::of_system(&system, Layout::of_system(&system), false);
    let analyses = Analyses::of(&rules, &[]);
    let head = |name: &str| Head(system.find_symbol(name).expect("a symbol").0);
    let class = |name: &str| analyses.frames.class(head(name));
    assert_eq!(class("f"), class("g"));
    assert_eq!(class("a"), class("b"));
    assert_ne!(class("a"), class("f"));
    let inner = class("f").expect("a frame");
    // `y` may become anything in `f`, and is needed at `b`; `x` is needed nowhere.
    assert_eq!(names(&rules, head("f"), analyses.modified.by(inner)), "y");
    assert_eq!(
        names(&rules, head("f"), analyses.liveness.handed(inner)),
        "y"
    );
    assert_eq!(
        names(&rules, head("f"), analyses.liveness.at(head("f"))),
        ""
    );
    assert_eq!(
        names(&rules, head("g"), analyses.liveness.at(head("g"))),
        "y"
    );
}

#[test]
fn equal_statements_have_one_effect() {
    let program = program(
        "decl a, b; void main() begin a := b; skip; a := b; b := a; skip; end \
         void p() begin decl c; a := b; end",
    );
    let rules = Rules::of_program(&program, Layout::of(&program), true);
    let effects = |wanted: &str| {
        let points = (0..program.points.len() as u32).map(crate::program::PointId);
        let points = points.filter(|point| program.text_of(*point).starts_with(wanted));
        let rules = points.flat_map(|point| rules.rules_from(Head(point.0)));
        let steps = rules.filter(|rule| matches!(rule.right, Right::Step(_)));
        let mut effects: Vec<_> = steps.map(|rule| rule.effect).collect();
        effects.sort_unstable();
        effects.dedup();
        effects.len()
    };
    assert_eq!(effects("a := b"), 1);
    assert_eq!(effects("b := a"), 1);
    assert_eq!(effects("skip"), 1);
}
