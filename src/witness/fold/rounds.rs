//! Paths on which the rounds of loops are folded.
//!
//! A path of 2³² steps cannot be found ring by ring, let alone be shown. Most of its steps are
//! rounds of a loop, though, and the closure of each way round it is one relation
//! ([`crate::acceleration::Ways`]). In a search with *jumps* such a closure is one more step, from the
//! loop's head to itself. The powers of the way then tell how many rounds a jump stands for,
//! and where the execution is after any number of them. From that the first round and
//! the last are found as paths of their own; those between stay folded, but for *samples*:
//! rounds that are made step by step only to be checked.
//!
//! Rounds may have loops inside, which are folded in turn. A path that is found like this has
//! few jumps, but need not be a shortest.

use crate::acceleration::{Budget, Way, Ways};
use crate::bdd::{Bdd, BddResult};
use crate::bits;
use crate::limits::acceleration::COMPONENT_HEADS;
use crate::limits::witness::{FOLD_DEPTH, FOLDED_LOOPS, JUMP_RINGS, ROUND_RINGS, UNFOLDED_ROUNDS};
use crate::relations::Components;
use crate::spds::copies::Copy;
use crate::spds::{Head, Right, Spds};
use crate::trace::folded_length;
use crate::watch::{Abort, Stop};
use crate::witness::path::{Move, Path, Sample, Transition, Values};
use crate::witness::query::{Found, Jumps, Query};
use crate::witness::search::Search;
use std::ops::Range;
use std::rc::Rc;

/// When rounds are folded.
#[derive(Clone, Copy, Debug)]
pub struct Folding {
    /// How many rings are searched without that.
    pub rings: usize,
    /// A path of no more configurations is not folded.
    pub steps: u64,
    pub budget: Budget,
}

/// From which heads a search jumps.
struct LoopJumps<'a> {
    search: &'a Search<'a>,
    ways: Ways<'a>,
    /// Only summaries with smaller stamps are used.
    before_stamp: u64,
    /// Whether they may push frames that are not popped.
    may_enter: bool,
    /// Not from these heads, since their rounds are just being looked at.
    without: &'a [Head],
}

impl Jumps for LoopJumps<'_> {
    /// The ways round the loop with this head, and those of a recursion with this entry.
    fn at(&self, head: Head) -> Result<Rc<[Way]>, Stop> {
        let (graph, folds) = (&self.search.graph, &self.search.folds);
        let spds = graph.spds;
        let entry = folds.entry_at(spds, head).filter(|_| self.may_enter);
        let is_loop_head = folds.loops(spds).is_loop_head(head);
        if !(is_loop_head || entry.is_some())
            || spds.is_internal(head)
            || self.without.contains(&head)
        {
            return Ok(Rc::default());
        }
        let key = (head, self.before_stamp, self.may_enter);
        if let Some(ways) = folds.ways.borrow().get(&key) {
            return Ok(ways.clone());
        }
        // Without summaries that do not fit in memory there are fewer ways.
        let summary = |entry| graph.summary_before(entry, self.before_stamp).ok()?;
        let mut ways = Vec::new();
        if is_loop_head && self.is_worth_it(folds.loops(spds), head) {
            ways = self.ways.within(folds.loops(spds), head, &summary)?;
        }
        if let Some(entry) = entry
            && self.is_worth_it(folds.recursions(spds), head)
        {
            ways.extend(self.ways.above(folds.recursions(spds), entry, &summary)?);
        }
        let ways: Rc<[Way]> = ways.into();
        folds.ways.borrow_mut().insert(key, ways.clone());
        Ok(ways)
    }

    fn image(&self, way: &Way, set: &Bdd) -> BddResult {
        self.ways.image(way, set)
    }

    fn preimage(&self, way: &Way, set: &Bdd) -> BddResult {
        self.ways.preimage(way, set)
    }
}

impl LoopJumps<'_> {
    fn is_worth_it(&self, components: &Components, head: Head) -> bool {
        let heads = components.with(head).len();
        let known = self.search.folds.ways.borrow().len();
        (1..=COMPONENT_HEADS).contains(&heads) && known < FOLDED_LOOPS
    }
}

/// A path from the query's set to its goal on which rounds are folded, those of the
/// loops with the heads `without` aside; `None` if there is no path at all.
pub fn with_folded_rounds(
    search: &Search<'_>,
    query: &Query<'_>,
    without: &[Head],
) -> Result<Option<Path>, Abort> {
    let Some(folding) = search.folds.folding.filter(|_| without.len() < FOLD_DEPTH) else {
        return Err(Abort::OverBudget);
    };
    let graph = &search.graph;
    let jumps = LoopJumps {
        search,
        ways: Ways::new(graph.spds, graph.copies, graph.watch, folding.budget),
        before_stamp: query.before_stamp,
        may_enter: query.may_enter,
        without,
    };
    let jumping = Query {
        set: query.set.clone(),
        jumps: Some(&jumps),
        ..*query
    };
    let path = match search.within(&jumping, JUMP_RINGS)? {
        Found::Path(path) => path,
        Found::Nothing => return Ok(None),
        Found::TooFar => return Err(Abort::OverBudget),
    };
    let mut counted = Path {
        moves: Vec::with_capacity(path.moves.len()),
        ..path
    };
    for step in path.moves {
        let Transition::Way(way) = step.by else {
            counted.moves.push(step);
            continue;
        };
        let way = &jumps.at(step.head)?[way];
        let (_, from) = counted.end();
        let rounds = JumpRounds {
            search,
            query,
            without: &[without, &[step.head]].concat(),
            head: step.head,
            ways: &jumps.ways,
            way,
        };
        let moves = rounds.moves(from.into(), step.values)?;
        counted.moves.extend(moves);
    }
    Ok(Some(counted))
}

/// How many steps a path has, if a call that returns is one; see [`folded_length`].
pub fn steps(spds: &Spds, path: &Path) -> u64 {
    let steps = path.moves.iter().map(|step| match &step.by {
        Transition::Rounds(samples) => {
            let round = |sample: &Sample| (sample.rounds, self::steps(spds, &sample.path));
            folded_length(samples.iter().map(round))
        }
        Transition::Rule(_) | Transition::Call(..) | Transition::Way(_) => {
            u64::from(!spds.is_internal(step.head))
        }
    });
    steps.fold(0, u64::saturating_add)
}
/// How many frames a path leaves waiting.
fn pushed(spds: &Spds, path: &Path) -> u64 {
    let pushed = path.moves.iter().map(|step| match &step.by {
        Transition::Rule(rule) => match spds.rule(*rule).right {
            Right::Push { .. } => 1,
            Right::Step(_) | Right::Pop { .. } => 0,
        },
        Transition::Call(..) | Transition::Way(_) => 0,
        Transition::Rounds(samples) => samples.iter().fold(0, |sum, sample| {
            let pushed = self::pushed(spds, &sample.path).saturating_mul(sample.rounds);
            pushed.saturating_add(sum)
        }),
    });
    pushed.fold(0, u64::saturating_add)
}

/// Which of so many rounds are made step by step, and up to which others each stands for:
/// denser and denser towards both ends. The first and the last stand for themselves.
pub fn sampled(rounds: u64) -> Vec<Range<u64>> {
    let powers = || (0..u64::BITS).map(|j| 1_u64 << j);
    let early = powers().map(|power| power - 1);
    let late = powers().map_while(|power| rounds.checked_sub(power));
    let mut begins: Vec<u64> = early
        .take_while(|begin| *begin < rounds / 2)
        .chain(late.filter(|begin| *begin >= rounds / 2))
        .chain([0])
        .collect();
    begins.sort_unstable();
    begins.dedup();
    let ends = begins.iter().copied().skip(1).chain([rounds]);
    begins
        .iter()
        .zip(ends)
        .map(|(begin, end)| *begin..end)
        .collect()
}

/// The rounds of one jump.
struct JumpRounds<'c> {
    search: &'c Search<'c>,
    /// That of the path with the jump.
    query: &'c Query<'c>,
    without: &'c [Head],
    head: Head,
    ways: &'c Ways<'c>,
    way: &'c Way,
}

impl JumpRounds<'_> {
    /// The moves that lead along the way from some values to others: the first round, a jump,
    /// and the last round.
    fn moves(&self, from: Values, to: Values) -> Result<Vec<Move>, Abort> {
        let (first, last) = (self.point(&from)?, self.point(&to)?);
        let rounds = self.ways.least_rounds(self.way, &first, &last)?;
        let rounds = rounds.ok_or(Abort::OverBudget)?;
        let mut moves = Vec::new();
        let mut at = from;
        let mut made = 0;
        while made < rounds {
            if made == 1 && rounds > UNFOLDED_ROUNDS {
                // All but the last.
                let folded = rounds - 2;
                let next = self.between(&at, folded, &to, 1)?;
                let samples = self.samples(at, &next, folded)?;
                moves.push(Move {
                    by: Transition::Rounds(samples),
                    head: self.head,
                    values: next.clone(),
                });
                made += folded;
                at = next;
            }
            let next = match rounds - made {
                1 => to.clone(),
                left => self.between(&at, 1, &to, left - 1)?,
            };
            moves.extend(self.round(&at, &next)?.moves);
            made += 1;
            at = next;
        }
        Ok(moves)
    }

    /// The samples out of so many rounds.
    fn samples(&self, from: Values, to: &Values, rounds: u64) -> Result<Vec<Sample>, Abort> {
        let mut samples = Vec::new();
        let mut at = from;
        for Range { start, end } in sampled(rounds) {
            let count = end - start;
            let next = self.between(&at, count, to, rounds - end)?;
            let after = match count {
                1 => next.clone(),
                _ => self.between(&at, 1, &next, count - 1)?,
            };
            samples.push(Sample {
                path: self.round(&at, &after)?,
                rounds: count,
            });
            at = next;
        }
        // So that it is known how many frames all rounds together leave waiting.
        let mut two = samples.windows(2);
        let frames = |sample: &Sample| pushed(self.search.graph.spds, &sample.path);
        match two.all(|two| frames(&two[0]) == frames(&two[1])) {
            true => Ok(samples),
            false => Err(Abort::OverBudget),
        }
    }

    fn point(&self, values: &[bool]) -> Result<Bdd, Stop> {
        let variables = bits::members(self.search.graph.spds.variables(self.head));
        Ok(self.search.graph.minterm(values, variables)?)
    }

    /// The values so many rounds after some, and so many before others.
    fn between(
        &self,
        first: &Values,
        after: u64,
        second: &Values,
        before: u64,
    ) -> Result<Values, Abort> {
        self.search.graph.watch.check()?;
        let (first, second) = (self.point(first)?, self.point(second)?);
        let set = self
            .ways
            .between(self.way, (&first, after), (&second, before))?;
        match self.search.graph.bdds.is_false(&set) {
            true => Err(Abort::OverBudget),
            false => Ok(self.search.graph.smallest(&set, Copy::Current)?),
        }
    }

    /// A single round.
    fn round(&self, from: &Values, to: &Values) -> Result<Path, Abort> {
        let search = self.search;
        let to = self.point(to)?;
        let goal = |head| Ok((head == self.head).then(|| to.clone()));
        let query = Query {
            head: self.head,
            set: self.point(from)?,
            accepting: false,
            moves_on: true,
            through: None,
            jumps: None,
            may_enter: self.way.leaves_frames,
            goal: &goal,
            ..*self.query
        };
        let rings = search
            .folds
            .folding
            .map_or(ROUND_RINGS, |folding| folding.rings);
        let path = match search.within(&query, rings.min(ROUND_RINGS))? {
            Found::Path(path) => Some(path),
            Found::Nothing => None,
            Found::TooFar => with_folded_rounds(search, &query, self.without)?,
        };
        path.ok_or(Abort::OverBudget)
    }
}

#[cfg(test)]
mod tests {
    use super::sampled;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn samples_divide_all_rounds_and_are_dense_at_both_ends(
            rounds in prop_oneof![1..200_u64, any::<u64>().prop_map(|n| n.max(1))],
        ) {
            let samples = sampled(rounds);
            prop_assert_eq!(samples.first().map(|sample| sample.start), Some(0));
            prop_assert_eq!(samples.last().map(|sample| sample.end), Some(rounds));
            for two in samples.windows(2) {
                prop_assert_eq!(two[0].end, two[1].start);
            }
            for sample in &samples {
                let length = sample.end - sample.start;
                let distance = sample.start.min(rounds - sample.end);
                let is_middle = sample.contains(&(rounds / 2)) || sample.end == rounds / 2;
                prop_assert!(length >= 1 && (length <= distance + 1 || is_middle));
            }
            prop_assert!(samples[0].end == 1 && samples[samples.len() - 1].start == rounds - 1);
            prop_assert!(samples.len() <= 2 * u64::BITS as usize);
        }
    }
}
