//! Live variables: at each symbol, those whose values can still matter.
//!
//! A variable matters where a rule's relation reads it, and where a rule keeps it for a
//! place where it matters. What matters after a pop is the same for all pops: the globals
//! that matter to some symbol below a pushed one. Globals that every rule keeps are
//! *constant*: they need not be handed over, since whoever waits knows them. What a property
//! speaks of matters everywhere.
//!
//! Symbols that no chain of rules leads to are left out. A few passes; more only for long
//! chains.

use super::{Flow, bits_of};
use crate::analysis::{Layout, Observed};
use crate::bits::{self, BitRows};
use crate::program::{VariableId, When};
use crate::pushdown::{GroupId, Right, RuleId, SymbolId, System};

pub struct Liveness {
    live: BitRows,
    /// The globals that matter after a pop.
    pub handed: Vec<u64>,
    /// The globals that every rule keeps.
    pub constant: Vec<u64>,
    /// For each symbol, whether rules lead to it.
    reachable: Vec<bool>,
}

impl Liveness {
    pub fn of(system: &System, layout: &Layout, flow: &Flow, observed: &[Observed]) -> Self {
        let words = (layout.len() as usize).div_ceil(64).max(1);
        let mut liveness = Liveness {
            live: BitRows::new(system.symbols.len(), layout.len() as usize),
            handed: vec![0; words],
            constant: vec![0; words],
            reachable: reachable(system),
        };
        liveness.find_constants(system, layout, flow);
        liveness.observe(system, layout, observed);
        let leading_to = leading_to(system);
        let mut queue: Vec<SymbolId> = system.symbol_ids().collect();
        let mut queued = vec![true; system.symbols.len()];
        let pops: Vec<_> = system
            .rule_ids()
            .filter(|rule| system.rule(*rule).right == Right::Pop)
            .map(|rule| system.rule(rule).from)
            .collect();
        while let Some(symbol) = queue.pop() {
            queued[symbol.0 as usize] = false;
            if !liveness.reachable[symbol.0 as usize] {
                continue;
            }
            let (grew, handed_grew) = liveness.visit(system, layout, flow, symbol);
            let rules = leading_to[symbol.0 as usize].iter().filter(|_| grew);
            let before = rules.map(|rule| system.rule(*rule).from);
            let popping = pops.iter().copied().filter(|_| handed_grew);
            for symbol in before.chain(popping) {
                if !std::mem::replace(&mut queued[symbol.0 as usize], true) {
                    queue.push(symbol);
                }
            }
        }
        liveness
    }

    /// As if everything mattered wherever it is in scope, and every symbol could be on top:
    /// for sets of configurations, in which every value counts.
    pub fn everything(system: &System, layout: &Layout) -> Self {
        let words = (layout.len() as usize).div_ceil(64).max(1);
        let mut liveness = Liveness {
            live: BitRows::new(system.symbols.len(), layout.len() as usize),
            handed: vec![0; words],
            constant: vec![0; words],
            reachable: vec![true; system.symbols.len()],
        };
        bits::insert_all(&mut liveness.handed, layout.global_range());
        for symbol in system.symbol_ids() {
            let group = system.symbol(symbol).group;
            let row = liveness.live.row_mut(symbol.0 as usize);
            bits::insert_all(row, layout.global_range());
            for i in 0..system.locals(group).len() as u32 {
                bits::insert_all(row, bits_of(layout, group, VariableId::Local(i)));
            }
        }
        liveness
    }

    pub fn at(&self, symbol: SymbolId) -> &[u64] {
        self.live.row(symbol.0 as usize)
    }

    pub fn is_reachable(&self, symbol: SymbolId) -> bool {
        self.reachable[symbol.0 as usize]
    }

    fn find_constants(&mut self, system: &System, layout: &Layout, flow: &Flow) {
        bits::insert_all(&mut self.constant, layout.global_range());
        for rule in system.rule_ids() {
            if self.is_reachable(system.rule(rule).from) {
                let kept = flow.kept(rule, When::After);
                for (word, kept) in self.constant.iter_mut().zip(kept) {
                    *word &= kept;
                }
            }
        }
    }

    fn observe(&mut self, system: &System, layout: &Layout, observed: &[Observed]) {
        for symbol in system.symbol_ids() {
            let group = system.symbol(symbol).group;
            let row = self.live.row_mut(symbol.0 as usize);
            for observed in observed {
                let variable = match observed {
                    Observed::Global(index) => VariableId::Global(*index),
                    Observed::Local(of, index) if GroupId(of.0) == group => {
                        VariableId::Local(*index)
                    }
                    Observed::Local(..) => continue,
                };
                bits::insert_all(row, bits_of(layout, group, variable));
            }
        }
    }

    /// Recomputes what is live at a symbol; whether it grew, and what is handed over.
    fn visit(
        &mut self,
        system: &System,
        layout: &Layout,
        flow: &Flow,
        symbol: SymbolId,
    ) -> (bool, bool) {
        let mut handed_grew = false;
        let mut set = self.at(symbol).to_vec();
        for rule in system.rules_of(symbol) {
            bits::join(&mut set, flow.reads(rule));
            match system.rule(rule).right {
                Right::Pop => keep(&mut set, flow, rule, When::After, &self.handed),
                Right::Step(to) => keep(&mut set, flow, rule, When::After, self.at(to)),
                Right::Push(first, second) => {
                    keep(&mut set, flow, rule, When::After, self.at(first));
                    keep(&mut set, flow, rule, When::Below, self.at(second));
                    for global in bits::members(self.live.row(second.0 as usize)) {
                        if !layout.global_range().contains(&global) {
                            continue;
                        }
                        match bits::contains(&self.constant, global) {
                            true => bits::insert(&mut set, global),
                            false => {
                                handed_grew |= !bits::contains(&self.handed, global);
                                bits::insert(&mut self.handed, global);
                            }
                        }
                    }
                }
            }
        }
        (self.live.join(symbol.0 as usize, &set), handed_grew)
    }
}

/// Adds what a rule keeps of what is live after it.
fn keep(set: &mut [u64], flow: &Flow, rule: RuleId, when: When, live: &[u64]) {
    let kept = flow.kept(rule, when);
    for (word, (kept, live)) in set.iter_mut().zip(kept.iter().zip(live)) {
        *word |= kept & live;
    }
}

/// For each symbol, the rules that have it on the right.
fn leading_to(system: &System) -> Vec<Vec<RuleId>> {
    let mut leading = vec![Vec::new(); system.symbols.len()];
    for rule in system.rule_ids() {
        let right = system.rule(rule).right;
        for symbol in right.first().into_iter().chain(right.second()) {
            leading[symbol.0 as usize].push(rule);
        }
    }
    leading
}

fn reachable(system: &System) -> Vec<bool> {
    let mut reachable = vec![false; system.symbols.len()];
    let mut todo = vec![system.start.symbol];
    while let Some(symbol) = todo.pop() {
        if std::mem::replace(&mut reachable[symbol.0 as usize], true) {
            continue;
        }
        for rule in system.rules_of(symbol) {
            let right = system.rule(rule).right;
            todo.extend(right.first().into_iter().chain(right.second()));
        }
    }
    reachable
}
