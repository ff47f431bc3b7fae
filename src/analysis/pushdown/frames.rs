//! Which symbols can be in one frame, what no rule inside changes, and an order of work.
//!
//! A frame begins with a symbol that was pushed and goes on with what takes its place: by a
//! step, or below a push. Symbols that are joined by such rules are taken together, whatever
//! frame they come from. A bit is *stable* among them if every rule either keeps it, or says
//! nothing about it and leads to where it does not matter: then it may as well be kept.

use super::{Flow, Liveness};
use crate::analysis::Layout;
use crate::bits::{self, BitRows};
use crate::components::cyclic_components;
use crate::program::When;
use crate::pushdown::{Right, RuleId, SymbolId, System};

pub struct Frames {
    /// For each symbol, those it is taken together with.
    numbers: Vec<u32>,
    stable: BitRows,
    /// All reachable symbols: pushed ones before those that push them, and inside a frame
    /// along the rules, loops before what follows.
    pub order: Vec<SymbolId>,
}

/// Where a rule goes on in the same frame, and which values it finds there.
pub fn goes_on(right: Right) -> Option<(SymbolId, When)> {
    match right {
        Right::Pop => None,
        Right::Step(to) => Some((to, When::After)),
        Right::Push(_, second) => Some((second, When::Below)),
    }
}

impl Frames {
    pub fn of(system: &System, layout: &Layout, flow: &Flow, liveness: &Liveness) -> Self {
        let numbers = join(system);
        let count = system.symbols.len();
        let mut stable = BitRows::new(count, layout.len() as usize);
        for row in 0..count {
            bits::insert_all(stable.row_mut(row), 0..layout.len());
        }
        for rule in system.rule_ids() {
            let from = system.rule(rule).from;
            if let Some((to, when)) = goes_on(system.rule(rule).right)
                && liveness.is_reachable(from)
            {
                let row = stable.row_mut(numbers[from.0 as usize] as usize);
                for (at, word) in row.iter_mut().enumerate() {
                    *word &= unchanged(flow, rule, when, liveness, to, at);
                }
            }
        }
        let mut frames = Frames {
            numbers,
            stable,
            order: Vec::new(),
        };
        frames.order = frames.order_of_work(system, liveness);
        frames
    }

    /// The number of the symbols that one is taken together with: that of one of them.
    pub fn number(&self, symbol: SymbolId) -> u32 {
        self.numbers[symbol.0 as usize]
    }

    /// What no rule changes in the frames that a symbol is in.
    pub fn stable(&self, symbol: SymbolId) -> &[u64] {
        self.stable.row(self.number(symbol) as usize)
    }

    fn order_of_work(&self, system: &System, liveness: &Liveness) -> Vec<SymbolId> {
        let mut inside = vec![Vec::new(); system.symbols.len()];
        let mut pushed = vec![Vec::new(); system.symbols.len()];
        for rule in &system.rules {
            if let Some((to, _)) = goes_on(rule.right) {
                inside[rule.from.0 as usize].push(to.0 as usize);
            }
            if let Right::Push(first, _) = rule.right {
                pushed[rule.from.0 as usize].push(first.0 as usize);
            }
        }
        // A loop's own symbols are visited last, so that they come first.
        let mut component = vec![None; system.symbols.len()];
        for (number, members) in cyclic_components(&inside).iter().enumerate() {
            for member in members {
                component[*member] = Some(number);
            }
        }
        for (from, successors) in inside.iter_mut().enumerate() {
            let is_loop =
                |to: &usize| component[from].is_some() && component[*to] == component[from];
            successors.sort_by_key(|to| !is_loop(to));
        }
        let mut search = Search {
            inside: &inside,
            pushed: &pushed,
            seen: vec![false; system.symbols.len()],
            order: Vec::new(),
        };
        search.frame(system.start.symbol.0 as usize);
        // Then those that only sets of configurations begin with.
        for symbol in 0..system.symbols.len() {
            if !search.seen[symbol] {
                search.frame(symbol);
            }
        }
        search.order.retain(|symbol| liveness.is_reachable(*symbol));
        search.order
    }
}

/// One word of the bits that a rule keeps, or could keep, where the frame goes on.
fn unchanged(
    flow: &Flow,
    rule: RuleId,
    when: When,
    liveness: &Liveness,
    to: SymbolId,
    at: usize,
) -> u64 {
    // Below a push, globals are what the pushed frame makes of them.
    let kept = flow.kept(rule, when)[at] | liveness.constant[at];
    let mentioned = flow.mentioned(rule, when)[at];
    kept | !mentioned & !liveness.at(to)[at]
}

/// For each symbol, one that stands for all it is joined with.
fn join(system: &System) -> Vec<u32> {
    let mut parents: Vec<u32> = (0..system.symbols.len() as u32).collect();
    fn root(parents: &mut [u32], mut symbol: u32) -> u32 {
        while parents[symbol as usize] != symbol {
            let above = parents[parents[symbol as usize] as usize];
            parents[symbol as usize] = above;
            symbol = above;
        }
        symbol
    }
    for rule in &system.rules {
        if let Some((to, _)) = goes_on(rule.right) {
            let (a, b) = (root(&mut parents, rule.from.0), root(&mut parents, to.0));
            parents[a.max(b) as usize] = a.min(b);
        }
    }
    (0..parents.len() as u32)
        .map(|symbol| root(&mut parents, symbol))
        .collect()
}

struct Search<'a> {
    inside: &'a [Vec<usize>],
    pushed: &'a [Vec<usize>],
    seen: Vec<bool>,
    order: Vec<SymbolId>,
}

impl Search<'_> {
    /// The frames that begin with `start`, those of pushed symbols first.
    fn frame(&mut self, start: usize) {
        // Each entry: the symbols of one frame, and how many of them have been searched for
        // frames on top of them.
        let mut open = vec![(self.inside_of(start), 0, 0)];
        while let Some((members, looked, pushes)) = open.last_mut() {
            let Some(member) = members.get(*looked) else {
                let (members, ..) = open.pop().unwrap_or_default();
                let symbols = members.into_iter().map(|symbol| SymbolId(symbol as u32));
                self.order.extend(symbols);
                continue;
            };
            let Some(first) = self.pushed[*member].get(*pushes) else {
                *looked += 1;
                *pushes = 0;
                continue;
            };
            *pushes += 1;
            if !self.seen[*first] {
                let members = self.inside_of(*first);
                open.push((members, 0, 0));
            }
        }
    }

    /// The symbols that a frame goes on with, in reverse postorder, as far as they are new.
    fn inside_of(&mut self, start: usize) -> Vec<usize> {
        let mut order = Vec::new();
        let mut path = vec![(start, 0)];
        self.seen[start] = true;
        while let Some((symbol, looked)) = path.last_mut() {
            // The last successor first: see where they are sorted.
            let successors = &self.inside[*symbol];
            match successors.len().checked_sub(*looked + 1) {
                None => {
                    order.push(*symbol);
                    path.pop();
                }
                Some(at) => {
                    *looked += 1;
                    let next = successors[at];
                    if !std::mem::replace(&mut self.seen[next], true) {
                        path.push((next, 0));
                    }
                }
            }
        }
        order.reverse();
        order
    }
}
