//! Calls nested deeper than could be unfolded one by one.
//!
//! A member of a summary that was found by closing a recursion follows from an older one
//! through very many frames. The closures that led to it are made again, with their powers
//! ([`crate::acceleration::Nestings`]). They tell how many frames these are and which member
//! each of them stands for. Some are unfolded: denser and denser towards both ends, as with
//! the rounds of loops ([`super::rounds`]). The others stay *nested*: a member that is known to
//! be called, and so many frames above it another one that is unfolded again.
//!
//! Frames go their own way inside, and one among billions may do what matters. It is found by
//! what it changes: where a global truth value, or the automaton's state, is not the same on
//! both sides of nested frames, these are divided until the change is in a single one.

use super::rounds::sampled;
use crate::acceleration::{Nesting, Nestings, Rounds};
use crate::analysis::DataVariable;
use crate::bdd::Bdd;
use crate::bits;
use crate::limits::acceleration::SUMMARY_TURNS;
use crate::limits::witness::FLAG_SPLITS;
use crate::saturation::Link;
use crate::spds::EntryId;
use crate::watch::Abort;
use crate::witness::graph::SummaryGraph;
use crate::witness::path::{CallUse, Path};
use crate::witness::query::CallStep;
use crate::witness::search::Search;
use crate::witness::segments::{Segments, Unfolding, add, execution};
use std::ops::Range;
use std::rc::Rc;

/// Frames above each other that are not unfolded.
pub struct NestedFrames {
    /// The first of them, as it begins.
    pub begin: Path,
    /// How many rounds of frames these are.
    pub rounds: u64,
    /// The frames of the next round, the lowest first: these are unfolded.
    pub round: Vec<CallUse>,
    /// What the last of them calls.
    pub inner: CallUse,
    /// Whether that round is another than those around it, and should be seen.
    pub is_notable: bool,
}

/// Some frames above each other, from a call to another that it follows from.
struct Leg<'n> {
    nesting: &'n Nesting,
    outer: CallUse,
    inner: CallUse,
}

/// The frames of one round that are unfolded, the lowest first, and what they call.
struct Round {
    calls: Vec<CallUse>,
    hole: CallUse,
    /// How many rounds are not unfolded before the next.
    skipped: u64,
    /// Whether a flag changes in it.
    is_notable: bool,
}

/// The frames that a call was found through, if a recursion was closed for it.
pub fn links<'a>(graph: &SummaryGraph<'a>, call: &CallUse) -> Option<&'a [Link]> {
    let increments = &graph.summaries[call.entry].increments;
    let increment = increments.iter().find(|one| one.stamp == call.stamp)?;
    increment.links.as_deref()
}

/// Unfolds a call that was found through such frames.
pub fn unfold_nested(
    search: &Search<'_>,
    call: &CallUse,
    links: &[Link],
    segments: &mut Segments,
) -> Result<(), Abort> {
    let (graph, folds) = (&search.graph, &search.folds);
    let folding = folds.folding.ok_or(Abort::OverBudget)?;
    let nestings = Nestings::within(folding.budget, graph.spds, graph.copies, graph.watch);
    let key = (call.entry, call.stamp);
    let known = folds.nestings.borrow().get(&key).cloned();
    let found = match known {
        Some(known) => known,
        None => {
            let summary = |entry| graph.summary_before(entry, call.stamp).ok()?;
            let found: Rc<[Nesting]> = nestings.all(call.entry, links, &summary, true)?.into();
            folds.nestings.borrow_mut().insert(key, found.clone());
            found
        }
    };
    let chain = Chain { search, nestings };
    for leg in chain.legs(call, &found)? {
        chain.unfold(&leg, segments)?;
    }
    Ok(())
}

struct Chain<'s> {
    search: &'s Search<'s>,
    nestings: Nestings<'s>,
}

impl Chain<'_> {
    /// The legs from a call inwards to one with a smaller stamp.
    fn legs<'n>(&self, call: &CallUse, nestings: &'n [Nesting]) -> Result<Vec<Leg<'n>>, Abort> {
        let bdds = self.search.graph.bdds;
        let base = self.search.graph.summary_before(call.entry, call.stamp)?;
        let mut layers = vec![(None, base.ok_or(Abort::OverBudget)?)];
        let member = self.search.graph.member(call)?;
        let meets =
            |set: &Bdd| -> Result<bool, Abort> { Ok(!bdds.is_false(&bdds.and(set, &member)?)) };
        // As they were applied when the member was found.
        let mut turns = (0..SUMMARY_TURNS).flat_map(|_| nestings);
        while !meets(&layers[layers.len() - 1].1)? {
            let nesting = turns.next().ok_or(Abort::OverBudget)?;
            let known = &layers[layers.len() - 1].1;
            let further = self.nestings.image(nesting.closure(), known)?;
            let all = bdds.or(known, &further)?;
            if all != *known {
                layers.push((Some(nesting), all));
            }
        }
        let mut legs = Vec::new();
        let mut outer = call.clone();
        while let Some((Some(nesting), _)) = layers.pop() {
            let member = self.search.graph.member(&outer)?;
            let (_, known) = layers.last().ok_or(Abort::OverBudget)?;
            if !bdds.is_false(&bdds.and(&member, known)?) {
                continue;
            }
            let before = self.nestings.preimage(nesting.closure(), &member)?;
            let before = bdds.and(&before, known)?;
            let inner = self.inner(call, &before)?;
            let is_older = inner.place == 0;
            legs.push(Leg {
                nesting,
                outer: std::mem::replace(&mut outer, inner.clone()),
                inner,
            });
            if is_older {
                return Ok(legs);
            }
        }
        Err(Abort::OverBudget)
    }

    /// The oldest of some members that a call follows from: one with a smaller stamp if there
    /// is any.
    fn inner(&self, call: &CallUse, members: &Bdd) -> Result<CallUse, Abort> {
        let graph = &self.search.graph;
        for increment in &graph.summaries[call.entry].increments {
            if increment.stamp >= call.stamp {
                break;
            }
            let older = graph.bdds.and(&increment.set, members)?;
            if !graph.bdds.is_false(&older) {
                return Ok(graph.smallest_use(call.entry, increment.stamp, &older)?.0);
            }
        }
        self.placed(call.entry, call.stamp, members)
    }

    /// The smallest of some members, in a place of its own.
    fn placed(&self, entry: EntryId, stamp: u64, members: &Bdd) -> Result<CallUse, Abort> {
        if self.search.graph.bdds.is_false(members) {
            return Err(Abort::OverBudget);
        }
        let place = self.search.folds.next_place();
        let (placed, _) = self.search.graph.smallest_use(entry, stamp, members)?;
        Ok(CallUse { place, ..placed })
    }

    /// Unfolds some of the frames of a leg, and leaves the others nested.
    fn unfold(&self, leg: &Leg<'_>, segments: &mut Segments) -> Result<(), Abort> {
        let rounds = self.unfold_samples(leg, segments)?;
        for two in rounds.windows(2) {
            let (round, next) = (&two[0], &two[1]);
            if round.skipped > 0 {
                let nested = NestedFrames {
                    begin: self.begin(leg, round, next)?,
                    rounds: round.skipped,
                    round: next.calls.clone(),
                    inner: next.hole.clone(),
                    is_notable: next.is_notable,
                };
                segments.insert(round.hole.clone(), Some(Unfolding::Nested(nested)));
            }
        }
        Ok(())
    }

    /// Unfolds the samples among the rounds of a leg, from the outermost inwards.
    fn unfold_samples(&self, leg: &Leg<'_>, segments: &mut Segments) -> Result<Vec<Round>, Abort> {
        let Leg { nesting, .. } = *leg;
        let innermost = self.search.graph.member(&leg.inner)?;
        let outermost = self.search.graph.member(&leg.outer)?;
        let count = self
            .nestings
            .least_rounds(nesting, &innermost, &outermost)?;
        let count = count.ok_or(Abort::OverBudget)?;
        let mut rounds: Vec<Round> = Vec::new();
        let mut at = leg.outer.clone();
        // What changes with every round is not worth noting.
        let mut changing = Vec::new();
        let mut splits = FLAG_SPLITS;
        let mut ranges = sampled(count);
        ranges.reverse();
        while let Some(Range { start, end }) = ranges.pop() {
            self.search.graph.watch.check()?;
            let here = self.search.graph.member(&at)?;
            let next = match end == count {
                true => leg.inner.clone(),
                false => {
                    let inner = (&innermost, count - end);
                    let set = self
                        .nestings
                        .between(nesting, inner, (&here, end - start))?;
                    self.placed(leg.outer.entry, leg.outer.stamp, &set)?
                }
            };
            let skipped = end - start - 1;
            if skipped > 0 && splits > 0 && self.is_notable(&at, &next, &changing) {
                splits -= 1;
                let middle = start + (end - start) / 2;
                ranges.extend([middle..end, start..middle]);
                continue;
            }
            let hole = match skipped {
                0 => next.clone(),
                _ => self.further(leg, &at, (&next, skipped))?,
            };
            let is_notable = start > 0 && self.is_notable(&at, &hole, &changing);
            if start == 0 {
                changing = self.changed(&at, &hole);
            }
            let calls = self.round(nesting, &at, &hole, segments)?;
            rounds.push(Round {
                calls,
                hole,
                skipped,
                is_notable,
            });
            at = next;
        }
        Ok(rounds)
    }

    /// Whether some flag has changed between two calls, but for those that always do.
    fn is_notable(&self, outer: &CallUse, inner: &CallUse, changing: &[DataVariable]) -> bool {
        let mut changed = self.changed(outer, inner).into_iter();
        changed.any(|flag| !changing.contains(&flag))
    }

    /// The flags that two calls of one entry do not have in common, at their entries or exits.
    fn changed(&self, outer: &CallUse, inner: &CallUse) -> Vec<DataVariable> {
        let (_, left) = outer.handed(self.search.graph.spds);
        let (_, returned) = inner.handed(self.search.graph.spds);
        let flags = bits::members(&self.search.folds.flags);
        let differs = |flag: &DataVariable| {
            let flag = *flag as usize;
            outer.key[flag] != inner.key[flag] || left[flag] != returned[flag]
        };
        flags.filter(differs).collect()
    }

    /// The call one round inside another, and so many rounds outside a third.
    fn further(
        &self,
        leg: &Leg<'_>,
        outer: &CallUse,
        (inner, rounds): (&CallUse, u64),
    ) -> Result<CallUse, Abort> {
        let (inner, here) = (
            self.search.graph.member(inner)?,
            self.search.graph.member(outer)?,
        );
        let set = self
            .nestings
            .between(leg.nesting, (&inner, rounds), (&here, 1))?;
        self.placed(leg.outer.entry, leg.outer.stamp, &set)
    }

    /// How the first frame that is not unfolded begins: as it would if it were.
    fn begin(&self, leg: &Leg<'_>, round: &Round, next: &Round) -> Result<Path, Abort> {
        let inner = &next.calls[0];
        let hole = match round.skipped {
            1 => inner.clone(),
            more => self.further(leg, &round.hole, (inner, more - 1))?,
        };
        let calls = self.between(leg.nesting, &round.hole, &hole)?;
        let path = self.frame(leg.nesting, 0, &round.hole, &calls[1])?;
        Ok(Path {
            moves: Vec::new(),
            ..path
        })
    }

    /// Unfolds the frames of a single round: all but the last of these calls.
    fn round(
        &self,
        nesting: &Nesting,
        outer: &CallUse,
        inner: &CallUse,
        segments: &mut Segments,
    ) -> Result<Vec<CallUse>, Abort> {
        let mut calls = self.between(nesting, outer, inner)?;
        for (i, two) in calls.windows(2).enumerate() {
            let path = self.frame(nesting, i, &two[0], &two[1])?;
            add(segments, two[0].clone(), path);
        }
        calls.pop();
        Ok(calls)
    }

    /// The calls of a single round, from one to another inside it.
    fn between(
        &self,
        nesting: &Nesting,
        outer: &CallUse,
        inner: &CallUse,
    ) -> Result<Vec<CallUse>, Abort> {
        // What each frame's call may be, as far as what is inside it tells.
        let mut from_inside = vec![self.search.graph.member(inner)?];
        for (_, step) in nesting.frames[1..].iter().rev() {
            let last = &from_inside[from_inside.len() - 1];
            from_inside.push(self.nestings.image(step, last)?);
        }
        let mut calls = vec![outer.clone()];
        for ((_, step), inside) in nesting.frames.iter().zip(from_inside[1..].iter().rev()) {
            let here = self.search.graph.member(&calls[calls.len() - 1])?;
            let set = self.nestings.preimage(step, &here)?;
            let set = self.search.graph.bdds.and(&set, inside)?;
            calls.push(self.placed(step.upper, outer.stamp, &set)?);
        }
        calls.push(inner.clone());
        Ok(calls)
    }

    /// An execution of one frame of a round, which makes the call of the next.
    fn frame(
        &self,
        nesting: &Nesting,
        frame: usize,
        call: &CallUse,
        inner: &CallUse,
    ) -> Result<Path, Abort> {
        let through = CallStep {
            push: nesting.frames[frame].0,
            call: inner.clone(),
            member: self.search.graph.member(inner)?,
        };
        let path = execution(self.search, call, Some(&through))?;
        path.ok_or(Abort::OverBudget)
    }
}
