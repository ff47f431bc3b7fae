//! The head graph as relations: steps inside a frame, and pushes.

use super::elimination::{Elimination, Paths};
use super::relation::{Failure, Relation, Relations};
use crate::analysis::DataVariable;
use crate::bdd::Bdd;
use crate::bits;
use crate::components::cyclic_components;
use crate::saturation::Watch;
use crate::spds::copies::Copy;
use crate::spds::{EntryId, Head, Right, RuleId, Spds};

/// How the frames of an entry are popped, as far as that is known.
pub type Summaries<'s> = dyn Fn(EntryId) -> Option<Bdd> + 's;

/// Where a rule that stays in its frame, or comes back to it, leads.
fn target(right: Right) -> Option<Head> {
    match right {
        Right::Pop { .. } => None,
        Right::Step(to) => Some(to),
        Right::Push { saved, .. } => Some(saved),
    }
}

/// The rules from a head to one of `heads`, and which one that is. `heads` are in rising
/// order.
pub fn steps_within<'s>(
    spds: &'s Spds,
    from: Head,
    heads: &'s [Head],
) -> impl Iterator<Item = (RuleId, usize)> + 's {
    spds.rules_from(from).filter_map(|id| {
        let to = target(spds.rule(id).right)?;
        Some((id, heads.binary_search(&to).ok()?))
    })
}

/// The relation of a rule that stays in its frame: a step, or a push that pops again as its
/// summary says.
pub fn stay(
    spds: &Spds,
    relations: &Relations<'_>,
    id: RuleId,
    summaries: &Summaries<'_>,
) -> Result<Option<Relation>, Failure> {
    let (copies, bdds) = (relations.copies, relations.copies.bdds);
    let rule = spds.rule(id);
    let transfer = spds.transfer(rule);
    let (entry, saved) = match rule.right {
        Right::Pop { .. } => return Ok(None),
        Right::Step(_) => {
            let relation = Relation {
                bdd: transfer.relation.clone(),
                changed: transfer.changed.clone(),
            };
            return Ok(Some(relation));
        }
        Right::Push { entry, saved, .. } => (entry, saved),
    };
    let Some(summary) = summaries(entry) else {
        return Ok(None);
    };
    let summary = relations.small(summary)?;
    let mut bdd = spds.across(bdds, rule, entry, &summary)?;
    // What the push changes in the frame that waits; it is not handed over.
    let own = transfer.changed.iter().copied();
    if transfer.set.is_some() {
        let pairs = own
            .clone()
            .map(|v| (copies.level(v, Copy::Below), copies.level(v, Copy::Next)));
        bdd = copies.renaming(pairs)?.apply(bdds, &bdd)?;
    }
    let needed = spds.variables(saved);
    let handed = spds.interface(entry).handed.iter().copied();
    let (mut changed, lost): (Vec<_>, Vec<_>) =
        own.chain(handed).partition(|v| bits::contains(needed, *v));
    changed.sort_unstable();
    let relation = Relation {
        bdd: bdds.exists(&bdd, &relations.cube_next(&lost)?)?,
        changed: changed.into(),
    };
    Ok(Some(relation))
}

/// The relation of a push that is never popped, to the first head of the pushed frame.
pub fn enter(spds: &Spds, relations: &Relations<'_>, id: RuleId) -> Result<Relation, Failure> {
    let (copies, bdds) = (relations.copies, relations.copies.bdds);
    let rule = spds.rule(id);
    let transfer = spds.transfer(rule);
    let Right::Push { entry, .. } = rule.right else {
        return Err(Failure::TooLarge);
    };
    let interface = spds.interface(entry);
    let needed = spds.variables(spds.entry(entry).head);
    let in_key = |v: &DataVariable| interface.key.binary_search(v).is_ok();
    let others = (0..copies.data_variables()).filter(|v| !in_key(v));
    let pairs = others.map(|v| (copies.level(v, Copy::Current), copies.level(v, Copy::Next)));
    let initial = copies.renaming(pairs)?.apply(bdds, &interface.initial)?;
    let lost = (0..copies.data_variables()).filter(|v| !bits::contains(needed, *v));
    let lost = copies.cube(lost.map(|v| copies.level(v, Copy::Next)))?;
    let pushed = bdds.exists(&transfer.relation, &transfer.below)?;
    Ok(Relation {
        bdd: bdds.and_exists(&pushed, &initial, &lost)?,
        changed: bits::members(needed).collect(),
    })
}

/// The cycles of control inside frames, or with pushes that are never popped.
pub struct Components {
    /// For each head the number of its component, or none.
    numbers: Vec<Option<u32>>,
    /// Heads that an edge of their own component leads back to.
    is_loop_head: Vec<bool>,
    pub members: Vec<Vec<Head>>,
}

impl Components {
    pub fn within_frames(spds: &Spds) -> Self {
        Self::of(spds, false)
    }

    pub fn through_pushes(spds: &Spds) -> Self {
        Self::of(spds, true)
    }

    fn of(spds: &Spds, through_pushes: bool) -> Self {
        let mut successors = vec![Vec::new(); spds.heads()];
        for rule in &spds.rules {
            if let Some(to) = target(rule.right) {
                successors[rule.from.0 as usize].push(to.0 as usize);
            }
            if let Right::Push { entry, .. } = rule.right
                && through_pushes
            {
                let to = spds.entry(entry).head;
                successors[rule.from.0 as usize].push(to.0 as usize);
            }
        }
        let mut numbers = vec![None; spds.heads()];
        let mut members = Vec::new();
        for component in cyclic_components(&successors) {
            for member in &component {
                numbers[*member] = Some(members.len() as u32);
            }
            let mut heads: Vec<_> = component.into_iter().map(|i| Head(i as u32)).collect();
            heads.sort_unstable();
            members.push(heads);
        }
        let mut is_loop_head = vec![false; spds.heads()];
        let rank = |head: Head| spds.ranks[head.0 as usize];
        for rule in &spds.rules {
            let Some(to) = target(rule.right) else {
                continue;
            };
            let component = numbers[to.0 as usize];
            if component.is_some()
                && component == numbers[rule.from.0 as usize]
                && rank(rule.from) >= rank(to)
            {
                is_loop_head[to.0 as usize] = true;
            }
        }
        Components {
            numbers,
            is_loop_head,
            members,
        }
    }

    pub fn is_loop_head(&self, head: Head) -> bool {
        self.is_loop_head[head.0 as usize]
    }

    /// In which turn a head may be taken out of its component: those of inner loops before
    /// those around them, and all others first.
    pub fn turn(&self, spds: &Spds, head: Head) -> u32 {
        match self.is_loop_head(head) {
            true => u32::MAX - spds.ranks[head.0 as usize],
            false => 0,
        }
    }

    /// The heads on cycles with this one that do not lead past the head of a loop around it:
    /// such cycles are for that one to close.
    pub fn loop_of(&self, spds: &Spds, head: Head) -> Vec<Head> {
        let rank = |head: &Head| spds.ranks[head.0 as usize];
        let all = self.with(head).iter().copied();
        all.filter(|other| rank(other) >= rank(&head)).collect()
    }

    /// The heads on cycles with this one.
    pub fn with(&self, head: Head) -> &[Head] {
        match self.numbers[head.0 as usize] {
            Some(number) => &self.members[number as usize],
            None => &[],
        }
    }
}

/// The relation without some variables, in either copy.
pub fn without(
    relations: &Relations<'_>,
    relation: Relation,
    variables: &[DataVariable],
) -> Result<Relation, Failure> {
    let copies = relations.copies;
    let levels = variables
        .iter()
        .flat_map(|v| [Copy::Current, Copy::Next].map(|copy| copies.level(*v, copy)));
    let kept = relation.changed.iter().copied();
    Ok(Relation {
        bdd: copies.bdds.exists(&relation.bdd, &copies.cube(levels)?)?,
        changed: kept.filter(|v| !variables.contains(v)).collect(),
    })
}

/// The ways from a head back to itself inside a component, or a part of one.
pub fn ways_around(
    spds: &Spds,
    relations: Relations<'_>,
    watch: &Watch,
    path_limit: usize,
    components: &Components,
    (head, component): (Head, &[Head]),
    summaries: &Summaries<'_>,
) -> Result<Vec<Relation>, Failure> {
    let variables = component.iter().map(|head| spds.variables(*head)).collect();
    let mut elimination = Elimination::new(relations, watch, path_limit, variables);
    let turns = component.iter().map(|head| components.turn(spds, *head));
    elimination.take_in_turn(turns.collect());
    for (from, head) in component.iter().enumerate() {
        for (id, to) in steps_within(spds, *head, component) {
            if let Some(all) = stay(spds, &relations, id, summaries)? {
                let accepting = None;
                elimination.add(from, to, Paths { all, accepting })?;
            }
        }
    }
    let Ok(at) = component.binary_search(&head) else {
        return Ok(Vec::new());
    };
    let ways = elimination.reduce_to(at)?;
    Ok(ways.into_iter().map(|way| way.all).collect())
}
