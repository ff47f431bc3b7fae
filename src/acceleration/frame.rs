//! The head graph as relations: steps inside a frame, and pushes.

use super::elimination::{Elimination, Paths};
use super::relation::{Failure, Relation, Relations};
use crate::analysis::DataVariable;
use crate::bdd::Bdd;
use crate::bits;
use crate::components::cyclic_components;
use crate::spds::copies::Copy;
use crate::spds::{EntryId, Head, Right, RuleId, Spds};
use crate::watch::Watch;

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

/// Where ways from a head back to itself are looked for.
pub struct Around<'a> {
    pub spds: &'a Spds,
    pub relations: Relations<'a>,
    pub watch: &'a Watch,
    pub path_limit: usize,
    pub components: &'a Components,
    pub summaries: &'a Summaries<'a>,
}

impl Around<'_> {
    /// The ways from a head back to itself inside `heads`: its component, or a part of it.
    pub fn within(&self, head: Head, heads: &[Head]) -> Result<Vec<Relation>, Failure> {
        let mut graph = self.graph(heads, &[]);
        for (from, head) in heads.iter().enumerate() {
            self.add_steps(&mut graph, from, *head, heads)?;
        }
        let Ok(at) = heads.binary_search(&head) else {
            return Ok(Vec::new());
        };
        let ways = graph.reduce_to(at)?;
        Ok(ways.into_iter().map(|way| way.all).collect())
    }

    /// The ways from a frame's entry to the entry of a frame above it, through pushes that
    /// are not popped; the components must be those with pushes.
    pub fn above(&self, entry: EntryId) -> Result<Vec<Relation>, Failure> {
        let (spds, relations) = (self.spds, &self.relations);
        let head = spds.entry(entry).head;
        let heads = self.components.with(head);
        // A frame that has just been entered is not one that comes back to its first head.
        let entered = heads.len();
        let mut graph = self.graph(heads, &[head]);
        let nodes = heads.iter().copied().enumerate();
        for (from, head) in nodes.chain([(entered, head)]) {
            self.add_steps(&mut graph, from, head, heads)?;
            for id in spds.rules_from(head) {
                let Right::Push { entry: pushed, .. } = spds.rule(id).right else {
                    continue;
                };
                let to = match pushed == entry {
                    true => Ok(entered),
                    false => heads.binary_search(&spds.entry(pushed).head),
                };
                if let Ok(to) = to {
                    let all = enter(spds, relations, id)?;
                    let accepting = None;
                    graph.add(from, to, Paths { all, accepting })?;
                }
            }
        }
        let ways = graph.reduce_to(entered)?;
        Ok(ways.into_iter().map(|way| way.all).collect())
    }

    /// A graph without edges on some heads, to be taken out in turn, and others.
    fn graph(&self, heads: &[Head], others: &[Head]) -> Elimination<'_> {
        let variables = heads.iter().chain(others);
        let variables = variables.map(|head| self.spds.variables(*head)).collect();
        let mut graph = Elimination::new(self.relations, self.watch, self.path_limit, variables);
        let turns = heads
            .iter()
            .map(|head| self.components.turn(self.spds, *head));
        graph.take_in_turn(turns.chain(others.iter().map(|_| 0)).collect());
        graph
    }

    /// Adds the steps from a head to one of `heads`.
    fn add_steps(
        &self,
        graph: &mut Elimination<'_>,
        from: usize,
        head: Head,
        heads: &[Head],
    ) -> Result<(), Failure> {
        for (id, to) in steps_within(self.spds, head, heads) {
            if let Some(all) = stay(self.spds, &self.relations, id, self.summaries)? {
                let accepting = None;
                graph.add(from, to, Paths { all, accepting })?;
            }
        }
        Ok(())
    }
}
