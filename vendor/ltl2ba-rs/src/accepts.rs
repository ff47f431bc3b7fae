//! Whether an automaton accepts a word given as a lasso.
//!
//! The product of word and automaton is a finite graph; the word is accepted iff a
//! reachable strongly connected part of it has every mark. The parts are found by plain
//! forward and backward reachability, quadratic and independent of the components that
//! the translator uses: this is an oracle for tests and for checking witnesses.

use crate::automaton::Automaton;
use crate::evaluate::Lasso;

/// Whether the automaton has an accepting run on the word.
///
/// # Panics
/// If the cycle is empty.
pub fn accepts(automaton: &Automaton, word: &Lasso) -> bool {
    assert!(!word.cycle.is_empty(), "an infinite word needs a cycle");
    let states = automaton.states as usize;
    let count = states * word.length();
    let place = |position: usize, state: u32| position * states + state as usize;
    // Edges of the product, as target and marks.
    let mut edges: Vec<Vec<(usize, u128)>> = vec![Vec::new(); count];
    for position in 0..word.length() {
        let valuation = word.valuation(position);
        let after = word.successor(position);
        for edge in automaton
            .edges
            .iter()
            .filter(|edge| edge.label.holds(valuation))
        {
            let target = place(after, edge.target);
            edges[place(position, edge.source)].push((target, edge.marks.0));
        }
    }
    let mut reverse: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (source, out) in edges.iter().enumerate() {
        for &(target, _) in out {
            reverse[target].push(source);
        }
    }
    let starts: Vec<usize> = automaton
        .initial
        .iter()
        .map(|&state| place(0, state))
        .collect();
    let reachable = closure(count, &starts, |node, visit| {
        edges[node].iter().for_each(|&(target, _)| visit(target));
    });
    let wanted = crate::automaton::Marks::first(automaton.acceptance_sets).0;
    let mut settled = vec![false; count];
    for node in (0..count).filter(|&node| reachable[node]) {
        if settled[node] {
            continue;
        }
        // The strongly connected part of the node: what it reaches and is reached from.
        let after = closure(count, &[node], |node, visit| {
            edges[node].iter().for_each(|&(target, _)| visit(target));
        });
        let before = closure(count, &[node], |node, visit| {
            reverse[node].iter().for_each(|&source| visit(source));
        });
        let inside = |node: usize| after[node] && before[node];
        let mut marks = 0;
        let mut cyclic = false;
        for member in (0..count).filter(|&member| inside(member)) {
            settled[member] = true;
            for &(target, mark) in &edges[member] {
                if inside(target) {
                    cyclic = true;
                    marks |= mark;
                }
            }
        }
        if cyclic && marks & wanted == wanted {
            return true;
        }
    }
    false
}

/// Everything that `step` reaches from the starts.
fn closure(
    count: usize,
    starts: &[usize],
    step: impl Fn(usize, &mut dyn FnMut(usize)),
) -> Vec<bool> {
    let mut seen = vec![false; count];
    let mut stack: Vec<usize> = Vec::new();
    for &start in starts {
        if !seen[start] {
            seen[start] = true;
            stack.push(start);
        }
    }
    while let Some(node) = stack.pop() {
        step(node, &mut |next| {
            if !seen[next] {
                seen[next] = true;
                stack.push(next);
            }
        });
    }
    seen
}
