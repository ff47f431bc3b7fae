//! Which locals matter at each head.
//!
//! A frame's locals are read by its own steps, and by the creation of a thread that takes them
//! over; by nothing else. So this is a backward data flow inside each procedure. Returned
//! values matter at an exit, and until the caller has taken them over. Globals are not looked at:
//! other threads may read them at any time. A few passes over the rules, more only for loops
//! inside each other.

use crate::analysis::pass;
use crate::bits::{self, BitRows};
use crate::rules::{Head, Right, Rules};

/// For each head, the locals and returned values that matter there.
pub fn live_locals(rules: &Rules<'_>) -> BitRows {
    let width = rules.layout.len() as usize;
    let mut live = BitRows::new(rules.heads(), width);
    let mut set = vec![0; bits::words(width)];
    loop {
        let mut grew = false;
        // Points are numbered along the text, so that most of this flows against the numbers.
        for head in (0..rules.heads() as u32).rev().map(Head) {
            set.fill(0);
            visit(rules, &live, head, &mut set);
            grew |= live.join(head.0 as usize, &set);
        }
        if !grew {
            return live;
        }
    }
}

/// Adds what matters at a head, by what matters where its rules lead.
fn visit(rules: &Rules<'_>, live: &BitRows, head: Head, set: &mut [u64]) {
    let layout = &rules.layout;
    let at = |head: Head| live.row(head.0 as usize);
    for rule in rules.rules_from(head) {
        let footprint = rules.footprint(rule);
        bits::join(set, &footprint.reads);
        match rule.right {
            Right::Step(to) => pass(set, footprint, at(to)),
            Right::Pop => {
                let frame = rules.frame_of(head).into_iter();
                for (frame, i) in frame.flat_map(|frame| {
                    let returns = rules.cells(frame).returns.len() as u32;
                    (0..returns).map(move |i| (frame, i))
                }) {
                    bits::insert_all(set, layout.returned(frame, i));
                }
            }
            Right::Push { saved, .. } => {
                let below = &footprint.below.overwritten;
                bits::join_without(set, at(saved), below);
                // These are made by the frame above.
                bits::remove_all(set, layout.returned_range());
            }
        }
    }
    if let Some(creation) = rules.creation(head) {
        let footprint = rules.effects.footprint(creation.effect);
        bits::join(set, &footprint.reads);
        let first = at(creation.first);
        for copy in &footprint.copies {
            if copy.to.clone().any(|bit| bits::contains(first, bit)) {
                bits::insert_all(set, copy.from.clone());
            }
        }
    }
    bits::remove_all(set, layout.global_range());
}
