//! One path out of the rings: at each step the first rule, then the smallest values. Rounds
//! of a loop are taken where no rule leads on.

use super::graph::SummaryGraph;
use super::path::{Move, Path, Transition, Values};
use super::query::{Node, NodeSets, Query};
use crate::bdd::Bdd;
use crate::bits;
use crate::saturation::Increment;
use crate::spds::copies::Copy;
use crate::spds::{Right, Rule, RuleId};
use crate::watch::Stop;

impl SummaryGraph<'_> {
    /// Walks forwards: first rule, then smallest values.
    pub(super) fn pick(&self, query: &Query<'_>, kept: &[NodeSets]) -> Result<Path, Stop> {
        let mut node = (query.head, false);
        let first = self.copies.smallest(&kept[0][&node], Copy::Current)?;
        let mut moves: Vec<Move> = Vec::with_capacity(kept.len());
        let mut values = first.clone();
        let mut ring = 0;
        loop {
            let internal = self.spds.is_internal(node.0);
            if !internal {
                ring += 1;
                if ring == kept.len() {
                    break;
                }
            }
            let picked = self.pick_move(query, node, &values, &kept[ring])?;
            let (to, step) = picked.expect("what was kept has a successor that was kept");
            node = to;
            values = step.values.clone();
            moves.push(step);
        }
        Ok(Path {
            head: query.head,
            values: first,
            moves,
        })
    }

    fn pick_move(
        &self,
        query: &Query<'_>,
        node: Node,
        values: &Values,
        later: &NodeSets,
    ) -> Result<Option<(Node, Move)>, Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        // Only what matters at the head: a step may set the rest to anything.
        let here = self.minterm(values, bits::members(spds.variables(node.0)))?;
        let accepted = match self.spds.is_internal(node.0) {
            true => node.1,
            false => !bdds.is_false(&self.divide(query, node, &here)?[1]),
        };
        for id in self.rules_from(node.0) {
            let rule = spds.rule(id);
            let plain = match rule.right {
                Right::Pop { .. } => continue,
                Right::Step(to) if later.contains_key(&(to, accepted)) => {
                    Some((to, spds.transfer(rule).image(bdds, &here)?))
                }
                Right::Step(_) => continue,
                Right::Push { entry, .. } if query.may_enter => {
                    let to = spds.entry(entry).head;
                    Some((to, spds.pushed(bdds, rule, entry, &here)?))
                }
                Right::Push { .. } => None,
            };
            if let Some((to, after)) = plain
                && let Some(later) = later.get(&(to, accepted))
            {
                let set = bdds.and(&after, later)?;
                if !bdds.is_false(&set) {
                    let step = Move {
                        by: Transition::Rule(id),
                        head: to,
                        values: self.smallest(&set, Copy::Current)?,
                    };
                    return Ok(Some(((to, accepted), step)));
                }
            }
            let returned = self.pick_returned_call(query, id, rule, &here, accepted, later)?;
            if returned.is_some() {
                return Ok(returned);
            }
        }
        let node = (node.0, accepted);
        if let Some((jumps, later)) = query.jumps.zip(later.get(&node)) {
            for (index, way) in jumps.at(node.0)?.iter().enumerate() {
                let set = bdds.and(&jumps.image(way, &here)?, later)?;
                if !bdds.is_false(&set) {
                    let step = Move {
                        by: Transition::Way(index),
                        head: node.0,
                        values: self.smallest(&set, Copy::Current)?,
                    };
                    return Ok(Some((node, step)));
                }
            }
        }
        Ok(None)
    }

    /// A push that pops again: of the oldest increment possible, the smallest member.
    fn pick_returned_call(
        &self,
        query: &Query<'_>,
        id: RuleId,
        rule: &Rule,
        here: &Bdd,
        accepted: bool,
        later: &NodeSets,
    ) -> Result<Option<(Node, Move)>, Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        let Right::Push { entry, saved, .. } = rule.right else {
            return Ok(None);
        };
        let node = (saved, true);
        if let Some(through) = query.through.filter(|t| t.push == id && !accepted)
            && let Some(later) = later.get(&node)
        {
            let waiting = spds.transfer(rule).image(bdds, here)?;
            let uses = bdds.and(&through.member, &bdds.and(&waiting, later)?)?;
            if !bdds.is_false(&uses) {
                let step = Move {
                    by: Transition::Call(id, through.call.clone()),
                    head: saved,
                    values: self.smallest(&uses, Copy::Current)?,
                };
                return Ok(Some((node, step)));
            }
        }
        for inside in [false, true] {
            if accepted && inside {
                continue;
            }
            let node = (saved, accepted || inside);
            let Some(later) = later.get(&node) else {
                continue;
            };
            let waiting = spds.transfer(rule).image(bdds, here)?;
            let wanted = bdds.and(&waiting, later)?;
            for Increment { stamp, set, .. } in &self.summaries[entry].increments {
                if *stamp >= query.before_stamp {
                    break;
                }
                let uses = bdds.and(set, &wanted)?;
                let uses = match accepted {
                    true => uses,
                    false => self.summary_part(query, &uses, inside)?,
                };
                if bdds.is_false(&uses) {
                    continue;
                }
                let (call, values) = self.smallest_use(entry, *stamp, &uses)?;
                let step = Move {
                    by: Transition::Call(id, call),
                    head: saved,
                    values,
                };
                return Ok(Some((node, step)));
            }
        }
        Ok(None)
    }
}
