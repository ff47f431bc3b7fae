//! The product of two relations within a budget of steps.
//!
//! What the library does in one operation cannot be ended: where many variables are forgotten, the
//! steps grow much faster than the nodes that they make, and where there are more of them than the
//! cache has room for, they are done again and again. A closure is an attempt that may be given up, so its
//! products are made here, step by step: each pair of nodes once, and none at all where one half of
//! a forgotten variable says *true* already. Of a product that is worth it the steps are
//! some times the nodes. A step costs several of the library's, so relations that are not much
//! larger than others that were harmless go there.

use crate::bdd::{Bdd, Bdds, Level};
use crate::limits::relations::{FEW_STEPS, LEAST_STEPS, MANY_STEPS};
use crate::spds::copies::Copies;
use crate::watch::Abort;
use rustc_hash::FxHashMap;

/// There are values of the variables of `cube` for which both hold. Over budget after many steps.
pub fn join(copies: &Copies<'_>, f: &Bdd, g: &Bdd, cube: &Bdd) -> Result<Bdd, Abort> {
    let bdds = copies.bdds;
    let nodes = bdds.node_count(f) + bdds.node_count(g);
    if nodes <= copies.harmless.get() {
        return Ok(bdds.and_exists(f, g, cube)?);
    }
    let mut forgotten = Vec::new();
    let mut rest = cube.clone();
    while let Some((level, _, below)) = bdds.branch(&rest) {
        forgotten.push(level);
        rest = below;
    }
    let mut join = Join {
        bdds,
        forgotten,
        known: FxHashMap::default(),
        most_steps: LEAST_STEPS.max(MANY_STEPS * nodes),
    };
    let product = join.of(f.clone(), g.clone())?;
    if join.known.len() <= FEW_STEPS * nodes {
        // A little more is harmless, too.
        copies.harmless.set(nodes + nodes / 4);
    }
    Ok(product)
}

struct Join<'a> {
    bdds: &'a Bdds,
    /// From the top down.
    forgotten: Vec<Level>,
    known: FxHashMap<(Bdd, Bdd), Bdd>,
    most_steps: usize,
}

/// What is to be done for a pair of nodes, behind what it needs.
enum Task {
    Visit(Bdd, Bdd),
    /// Both halves are done; of a variable that stays, at this level.
    Combine(Option<Level>, Pair),
    /// Of a variable to be forgotten, the half where it is true is done: the other one, unless that
    /// was enough.
    Second(Pair, Pair),
}

type Pair = (Bdd, Bdd);

const VISITED: &str = "a pair is visited before its result is taken";

impl Join<'_> {
    fn of(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Abort> {
        let mut tasks = vec![Task::Visit(f, g)];
        let mut done: Vec<Bdd> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(f, g) => match self.visit(f, g)? {
                    Visited::Done(bdd) => done.push(bdd),
                    Visited::Halves(level, pair, no, yes) => {
                        match self.forgotten.binary_search(&level).is_ok() {
                            true => tasks.push(Task::Second(pair, no)),
                            false => {
                                tasks.push(Task::Combine(Some(level), pair));
                                tasks.push(Task::Visit(no.0, no.1));
                            }
                        }
                        tasks.push(Task::Visit(yes.0, yes.1));
                    }
                },
                Task::Second(pair, no) => {
                    let is_enough = done.last().is_some_and(|yes| self.bdds.is_true(yes));
                    match is_enough {
                        true => {
                            self.known.insert(pair, self.bdds.constant(true));
                        }
                        false => {
                            tasks.push(Task::Combine(None, pair));
                            tasks.push(Task::Visit(no.0, no.1));
                        }
                    }
                }
                Task::Combine(level, pair) => {
                    let no = done.pop().expect(VISITED);
                    let yes = done.pop().expect(VISITED);
                    let bdd = match level.map(|level| self.bdds.variable(level)) {
                        None => self.bdds.or(&no, &yes)?,
                        Some(variable) => self.bdds.if_then_else(&variable, &yes, &no)?,
                    };
                    self.known.insert(pair, bdd.clone());
                    done.push(bdd);
                }
            }
        }
        Ok(done.pop().expect(VISITED))
    }

    fn visit(&mut self, f: Bdd, g: Bdd) -> Result<Visited, Abort> {
        let bdds = self.bdds;
        if bdds.is_false(&f) || bdds.is_false(&g) {
            return Ok(Visited::Done(bdds.constant(false)));
        }
        let pair = (f, g);
        if let Some(known) = self.known.get(&pair) {
            return Ok(Visited::Done(known.clone()));
        }
        let (f, g) = &pair;
        let (left, right) = (bdds.branch(f), bdds.branch(g));
        let levels = [&left, &right].map(|one| one.as_ref().map_or(Level::MAX, |(at, ..)| *at));
        let level = levels[0].min(levels[1]);
        // Nothing is forgotten below.
        if self.forgotten.last().is_none_or(|last| *last < level) {
            return Ok(Visited::Done(bdds.and(f, g)?));
        }
        if self.known.len() >= self.most_steps {
            return Err(Abort::OverBudget);
        }
        let halves = |node: &Bdd, branch: Option<(Level, Bdd, Bdd)>| match branch {
            Some((at, no, yes)) if at == level => (no, yes),
            _ => (node.clone(), node.clone()),
        };
        let (f_no, f_yes) = halves(f, left);
        let (g_no, g_yes) = halves(g, right);
        Ok(Visited::Halves(level, pair, (f_no, g_no), (f_yes, g_yes)))
    }
}

enum Visited {
    Done(Bdd),
    Halves(Level, Pair, Pair, Pair),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bdd::Collection;

    /// Random functions of ten variables: a product by steps is the library's.
    #[test]
    fn products_are_the_librarys() {
        let bdds = Bdds::new(10, 1 << 26, Collection::Rare).expect("small");
        bdds.session(|| {
            let mut chance = 88_172_645_463_325_252_u64;
            let mut below = |bound: usize| {
                chance ^= chance << 13;
                chance ^= chance >> 7;
                chance ^= chance << 17;
                (chance % bound as u64) as usize
            };
            let mut known: Vec<Bdd> = (0..10).map(|level| bdds.variable(level)).collect();
            for round in 0..300 {
                let f = known[below(known.len())].clone();
                let g = known[known.len() - 1 - below(8)].clone();
                let made = match round % 3 {
                    0 => bdds.and(&f, &bdds.not(&g).expect("small")),
                    1 => bdds.or(&f, &g),
                    _ => bdds.xor(&f, &g),
                };
                known.push(made.expect("small"));
                let forgotten: Vec<Level> = (0..10).filter(|_| below(3) == 0).collect();
                let cube = bdds.cube(forgotten.iter().copied()).expect("small");
                let mut join = Join {
                    bdds: &bdds,
                    forgotten,
                    known: FxHashMap::default(),
                    most_steps: usize::MAX,
                };
                let product = join.of(f.clone(), g.clone()).expect("few steps");
                assert!(product == bdds.and_exists(&f, &g, &cube).expect("small"));
            }
        });
    }
}
