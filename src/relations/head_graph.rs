//! The head graph as relations: steps inside a frame, and pushes.

use super::{Paths, Relation, Relations};
use crate::analysis::DataVariable;
use crate::bdd::Bdd;
use crate::bits;
use crate::components::cyclic_components;
use crate::index::IndexVec;
use crate::spds::copies::Copy;
use crate::spds::{EntryId, Head, Right, RuleId, Spds};
use crate::watch::Abort;

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
) -> Result<Option<Relation>, Abort> {
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
pub fn enter(spds: &Spds, relations: &Relations<'_>, id: RuleId) -> Result<Relation, Abort> {
    let (copies, bdds) = (relations.copies, relations.copies.bdds);
    let rule = spds.rule(id);
    let transfer = spds.transfer(rule);
    let Right::Push { entry, .. } = rule.right else {
        return Err(Abort::OverBudget);
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

/// The paths along a rule that stays in its frame, without some variables, among them those
/// that remember acceptance.
pub fn staying_paths(
    spds: &Spds,
    relations: &Relations<'_>,
    id: RuleId,
    summaries: &Summaries<'_>,
    hidden: &[DataVariable],
) -> Result<Option<Paths>, Abort> {
    let (copies, bdds) = (relations.copies, relations.copies.bdds);
    let Some(relation) = stay(spds, relations, id, summaries)? else {
        return Ok(None);
    };
    let mut paths = accepting_paths(spds, relations, relation, hidden)?;
    if let (Some((_, returned)), Right::Push { entry, .. }) = (spds.memory, spds.rule(id).right)
        && let (Some(accepting), Some(summary)) = (&paths.accepting, summaries(entry))
    {
        // Or in the frame that was pushed and popped meanwhile.
        let inside = bdds.and(&summary, &copies.variable(returned, Copy::Current))?;
        let inside = |_: EntryId| Some(inside.clone());
        if let Some(relation) = stay(spds, relations, id, &inside)? {
            let relation = without(relations, relation, hidden)?;
            paths.accepting = Some(relations.union(accepting, &relation)?);
        }
    }
    Ok(Some(paths))
}

/// The paths along a push that is never popped, without some variables.
pub fn entering_paths(
    spds: &Spds,
    relations: &Relations<'_>,
    id: RuleId,
    hidden: &[DataVariable],
) -> Result<Paths, Abort> {
    let relation = enter(spds, relations, id)?;
    accepting_paths(spds, relations, relation, hidden)
}

/// A relation and the part of it that begins with acceptance, if that is not all.
fn accepting_paths(
    spds: &Spds,
    relations: &Relations<'_>,
    relation: Relation,
    hidden: &[DataVariable],
) -> Result<Paths, Abort> {
    let all = without(relations, relation, hidden)?;
    let accepting = match (spds.memory, &spds.accepting) {
        (Some(_), Some(accepting)) => Some(Relation {
            bdd: relations.copies.bdds.and(&all.bdd, accepting)?,
            changed: all.changed.clone(),
        }),
        _ => None,
    };
    Ok(Paths { all, accepting })
}

/// The cycles of control inside frames, or with pushes that are never popped.
pub struct Components {
    /// For each head the number of its component, or none.
    numbers: IndexVec<Head, Option<u32>>,
    /// Heads that an edge of their own component leads back to.
    is_loop_head: IndexVec<Head, bool>,
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
        let mut successors = IndexVec::<Head, _>::filled(Vec::new(), spds.heads());
        for rule in &spds.rules {
            if let Some(to) = target(rule.right) {
                successors[rule.from].push(to);
            }
            if let Right::Push { entry, .. } = rule.right
                && through_pushes
            {
                let to = spds.entry(entry).head;
                successors[rule.from].push(to);
            }
        }
        let mut numbers = IndexVec::<Head, _>::filled(None, spds.heads());
        let mut members = Vec::new();
        for mut component in cyclic_components(successors.as_slice()) {
            for member in &component {
                numbers[*member] = Some(members.len() as u32);
            }
            component.sort_unstable();
            members.push(component);
        }
        let mut is_loop_head = IndexVec::filled(false, spds.heads());
        let rank = |head: Head| spds.ranks[head];
        for rule in &spds.rules {
            let Some(to) = target(rule.right) else {
                continue;
            };
            let component = numbers[to];
            if component.is_some() && component == numbers[rule.from] && rank(rule.from) >= rank(to)
            {
                is_loop_head[to] = true;
            }
        }
        Components {
            numbers,
            is_loop_head,
            members,
        }
    }

    pub fn is_loop_head(&self, head: Head) -> bool {
        self.is_loop_head[head]
    }

    /// In which turn a head may be taken out of its component: those of inner loops before
    /// those around them, and all others first.
    pub fn turn(&self, spds: &Spds, head: Head) -> u32 {
        match self.is_loop_head(head) {
            true => u32::MAX - spds.ranks[head],
            false => 0,
        }
    }

    /// The heads on cycles with this one that do not lead past the head of a loop around it:
    /// such cycles are for that one to close.
    pub fn loop_of(&self, spds: &Spds, head: Head) -> Vec<Head> {
        let rank = |head: &Head| spds.ranks[*head];
        let all = self.with(head).iter().copied();
        all.filter(|other| rank(other) >= rank(&head)).collect()
    }

    /// The heads on cycles with this one.
    pub fn with(&self, head: Head) -> &[Head] {
        match self.numbers[head] {
            Some(number) => &self.members[number as usize],
            None => &[],
        }
    }
}

/// The relation without some variables, in either copy.
fn without(
    relations: &Relations<'_>,
    relation: Relation,
    variables: &[DataVariable],
) -> Result<Relation, Abort> {
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
