//! Suspension: letting terms wait that do not mind waiting.
//!
//! The truth of a suspendable term (a Boolean combination of `GF` and `FG`) is the same
//! at all positions. Where such a term `s` stands beside an eventuality, `s & F f`, the
//! tableau would carry `s` and all its acceptance sets through the states that still
//! wait for `f`, although the run may loop there only finitely often. `F (f & s)` means
//! the same and starts `s` only afterwards. And a Boolean combination of `GF` and `FG` is
//! brought into disjunctive form and each disjunct into `F (G f & GF g & …)`, so that one
//! waiting state serves all disjuncts: for `n` Streett pairs `1 + 2^n` states instead of
//! `3^n`.
//!
//! This is what Babiak, Badie, Duret-Lutz, Křetínský, Strejček do on automata in
//! *Compositional Approach to Suspension and Other Improvements to LTL Translation*
//! (SPIN 2013), done on terms. The constructors' rules pull suspendable terms outwards
//! to let them cancel, so this pass runs last.

use crate::logic::terms::{TRUE, Term, TermId, Terms};

/// A disjunctive form of more disjuncts than this is not attempted.
const DISJUNCTS: usize = 256;
/// Boolean structure nested deeper than this is left as it is.
const DEPTH: u32 = 50;

/// An equivalent term whose suspendable parts start as late as they can.
pub(crate) fn suspend(root: TermId, terms: &mut Terms) -> TermId {
    rewrite(root, terms, DEPTH)
}

fn rewrite(id: TermId, terms: &mut Terms, depth: u32) -> TermId {
    if depth == 0 {
        return id;
    }
    if terms.is_suspendable(id) {
        return disjunctive(id, terms);
    }
    match terms.get(id).clone() {
        Term::Or(operands) => {
            let parts = operands
                .iter()
                .map(|&f| rewrite(f, terms, depth - 1))
                .collect();
            join_finally(parts, terms)
        }
        Term::And(operands) => {
            let (waiting, mut rest): (Vec<_>, Vec<_>) =
                operands.iter().partition(|&&f| terms.is_suspendable(f));
            if waiting.is_empty() {
                return id;
            }
            let waiting = terms.and(waiting);
            let waiting = disjunctive(waiting, terms);
            // The eventuality written last is as good as any other to wait behind.
            let host = rest.iter().rposition(|&f| eventuality(f, terms).is_some());
            match host {
                Some(at) => rest[at] = push(rest[at], waiting, terms, depth - 1),
                None => rest.push(waiting),
            }
            terms.plain_junction(rest, false)
        }
        _ => id,
    }
}

/// The `f` of `F f`.
fn eventuality(id: TermId, terms: &Terms) -> Option<TermId> {
    match *terms.get(id) {
        Term::Until(TRUE, f) => Some(f),
        _ => None,
    }
}

/// `host & waiting` for a host `F f`, with `waiting` behind the innermost eventuality.
fn push(host: TermId, waiting: TermId, terms: &mut Terms, depth: u32) -> TermId {
    let Some(body) = eventuality(host, terms) else {
        return terms.plain_junction(vec![host, waiting], false);
    };
    let mut operands = terms.operands(body, false);
    let inner = operands
        .iter()
        .rposition(|&f| eventuality(f, terms).is_some());
    match inner {
        Some(at) if depth > 0 => operands[at] = push(operands[at], waiting, terms, depth - 1),
        _ => operands.push(waiting),
    }
    let body = terms.plain_junction(operands, false);
    terms.plain_finally(body)
}

/// `F f | F g` as `F (f | g)`, leaving everything else in the disjunction alone.
fn join_finally(parts: Vec<TermId>, terms: &mut Terms) -> TermId {
    let (mut bodies, mut rest) = (Vec::new(), Vec::new());
    for part in parts {
        for f in terms.operands(part, true) {
            match eventuality(f, terms) {
                Some(body) => bodies.push(body),
                None => rest.push(f),
            }
        }
    }
    if !bodies.is_empty() {
        let body = terms.plain_junction(bodies, true);
        rest.push(terms.plain_finally(body));
    }
    terms.plain_junction(rest, true)
}

/// A suspendable term as a disjunction of `GF …` conjunctions and one `F (G … & GF …)`.
fn disjunctive(id: TermId, terms: &mut Terms) -> TermId {
    let Some(products) = products(id, terms, DEPTH) else {
        return id;
    };
    let mut disjuncts = Vec::new();
    for product in products {
        disjuncts.push(terms.and(product));
    }
    let sum = terms.or(disjuncts);
    let mut parts = Vec::new();
    for disjunct in terms.operands(sum, true) {
        let operands = terms.operands(disjunct, false);
        let host = operands
            .iter()
            .position(|&f| eventuality(f, terms).is_some());
        match host.and_then(|at| Some((at, eventuality(operands[at], terms)?))) {
            Some((at, body)) => {
                let mut inner = operands;
                inner[at] = body;
                let inner = terms.plain_junction(inner, false);
                parts.push(terms.plain_finally(inner));
            }
            None => parts.push(disjunct),
        }
    }
    // Behind one eventuality the rest may wait too: the state that waits is then the
    // initial one.
    if parts.iter().any(|&part| eventuality(part, terms).is_some()) {
        for part in &mut parts {
            if eventuality(*part, terms).is_none() {
                *part = terms.plain_finally(*part);
            }
        }
    }
    join_finally(parts, terms)
}

/// The term as a sum of products of terms that are no junctions.
fn products(id: TermId, terms: &Terms, depth: u32) -> Option<Vec<Vec<TermId>>> {
    match terms.get(id) {
        _ if depth == 0 => None,
        Term::Or(operands) => {
            let mut sum = Vec::new();
            for &f in operands.iter() {
                sum.extend(products(f, terms, depth - 1)?);
                if sum.len() > DISJUNCTS {
                    return None;
                }
            }
            Some(sum)
        }
        Term::And(operands) => {
            let mut sum = vec![Vec::new()];
            for &f in operands.iter() {
                let factors = products(f, terms, depth - 1)?;
                if sum.len() * factors.len() > DISJUNCTS {
                    return None;
                }
                sum = sum
                    .iter()
                    .flat_map(|left: &Vec<TermId>| {
                        factors
                            .iter()
                            .map(|right| [left.as_slice(), right].concat())
                    })
                    .collect();
            }
            Some(sum)
        }
        _ => Some(vec![vec![id]]),
    }
}
