//! Sets a computation up: plan, BDD variables, supplied relations; then relations are asked for
//! one after the other.

use super::atoms::Atoms;
use super::equations::{Equations, RelationId};
use super::evaluate::{Effort, Evaluator, Failure};
use super::frontier::without_guards;
use super::graph::Graph;
use super::initial::initial;
use super::levels::{Dimensions, Levels, Track};
use super::live::LiveVariables;
use super::plan::Plan;
use super::program::{Cache, ProgramRelations, Targets, dimensions};
use super::tuples::Listing;
use super::unite::united;
use crate::bdd::{Bdd, Bdds, Collection, Level, Natural, NodeList};
use crate::program::{Program, Threads};
use crate::rules::Subject;
use crate::spds::copies::{Copies, Order};
use crate::watch::{Stop, Watch};

/// What is to be computed, and with which means.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// `None` for equations about numbers alone.
    pub program: Option<&'a Program>,
    /// The threads that begin, if the program has any.
    pub threads: Option<&'a Threads>,
    /// Which relations there are.
    pub equations: &'a Equations,
    /// Where `Target` holds.
    pub targets: &'a Targets,
    /// What will be asked for.
    pub asked: &'a [RelationId],
    /// Bytes that BDD nodes may take.
    pub memory: u64,
    /// Whether equations only follow executions and nobody asks for tuples, so that dead
    /// variables do not matter.
    pub follows_executions: bool,
    /// Whether sizes are to be known.
    pub measures: bool,
    /// Whom long loops ask.
    pub watch: &'a Watch,
}

/// A computation that is set up.
pub struct Session<'a, 's> {
    evaluator: &'s mut Evaluator<'a>,
    listing: Option<Listing<'a>>,
    plan: &'a Plan,
    equations: &'a Equations,
    /// The relations that what is asked for needs as it is written.
    needed: Vec<usize>,
    bdds: &'a Bdds,
    watch: &'a Watch,
}

/// More BDD variables than this are refused.
const MOST_LEVELS: u32 = 1 << 17;

/// Sets a computation up and runs `work` on it.
pub fn with_session<T>(
    task: &Task<'_>,
    work: impl FnOnce(&mut Session<'_, '_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let subject = task.program.map(Subject::Program);
    let is_whole = !task.follows_executions;
    let rules = subject.map(|subject| subject.rules(subject.layout(), is_whole));
    let live = match (task.program, &rules) {
        (Some(program), Some(rules)) if !is_whole => LiveVariables::of(program, rules),
        _ => None,
    };
    let dimensions = match (task.program, &rules) {
        (Some(program), Some(rules)) => dimensions(program, rules),
        _ => Dimensions::default(),
    };
    let written = needed(task.equations, task.asked);
    let without_guards = without_guards(task.equations, task.asked);
    let equations = without_guards.as_ref().unwrap_or(task.equations);
    let united = united(equations, task.asked);
    let equations = united.as_ref().unwrap_or(equations);
    let needed = needed(equations, task.asked);
    let plan = Plan::of(equations, &dimensions, &needed);
    let initial = initial(task, &needed)?;
    let levels = Levels::new(&dimensions, &plan.tracks, &plan.above);
    if levels.count > MOST_LEVELS {
        return Err(Failure::Stop(Stop::OutOfNodes));
    }
    let collection = match task.measures {
        true => Collection::Measured,
        false => Collection::Rare,
    };
    let bdds = Bdds::new(levels.count, task.memory, collection)?.watched_by(task.watch);
    bdds.session(|| {
        let order = order(&levels, &dimensions);
        let copies = Copies::new(&bdds, order, levels.copies);
        let relations = match (task.program, &rules) {
            (Some(program), Some(rules)) => Some(ProgramRelations {
                program,
                rules,
                copies: &copies,
                levels: &levels,
                dimensions: &dimensions,
                targets: task.targets,
                threads: task.threads,
                live: live.as_ref(),
                initial: initial.as_ref(),
                cache: Cache::default(),
            }),
            _ => None,
        };
        let atoms = Atoms {
            bdds: &bdds,
            levels: &levels,
            program: relations.as_ref(),
        };
        let domains = &equations.domains;
        let listing = relations.as_ref();
        let listing = listing.map(|relations| Listing::new(relations, domains, &levels));
        let mut evaluator = Evaluator::new(equations, &plan, atoms, task.watch, task.measures);
        work(&mut Session {
            evaluator: &mut evaluator,
            listing,
            plan: &plan,
            equations,
            needed: written,
            bdds: &bdds,
            watch: task.watch,
        })
    })
}

/// The relations that some need, those first that others are made of.
fn needed(equations: &Equations, asked: &[RelationId]) -> Vec<usize> {
    let asked: Vec<_> = asked.iter().map(|id| id.0 as usize).collect();
    let components = Graph::of(equations).components(&asked, &[]);
    components.into_iter().flatten().collect()
}

/// The order of data variables, below what has room above them.
fn order(levels: &Levels, dimensions: &Dimensions) -> Order {
    let count = dimensions.order.len() as u32;
    let above = count..count + levels.padding;
    let all: Vec<_> = above.chain(dimensions.order.iter().copied()).collect();
    Order::new(&all)
}

impl Session<'_, '_> {
    /// The value of a relation.
    pub fn relation(&mut self, relation: RelationId) -> Result<Bdd, Failure> {
        self.evaluator.relation(relation)
    }

    /// The value of a query, which is a relation without parameters.
    pub fn query(&mut self, relation: RelationId) -> Result<bool, Failure> {
        self.evaluator.query(relation)
    }

    /// The nodes of a relation on one track, their levels the numbers of its bits.
    pub fn nodes(&mut self, relation: RelationId, track: Track) -> Result<NodeList, Failure> {
        let value = self.evaluator.relation(relation)?;
        let levels = self.evaluator.levels().of(track);
        let mut list = self.bdds.nodes(&value, usize::MAX).unwrap_or_default();
        for (level, ..) in &mut list.nodes {
            let place = levels.iter().position(|other| other == level);
            *level = place.map_or(*level, |place| place as Level);
        }
        Ok(list)
    }

    /// How many tuples a relation has.
    pub fn count(&mut self, relation: RelationId) -> Result<Natural, Failure> {
        let value = self.evaluator.relation(relation)?;
        let plan = self.plan.relation(relation);
        let levels = plan.parameters.iter().flat_map(|range| &*range.leaves);
        let tracks = levels.map(|(track, _)| track);
        let levels = self.evaluator.levels().of_all(tracks);
        Ok(self.bdds.count(&value, levels.len() as u32))
    }

    /// The smallest tuples of a relation.
    pub fn tuples(&mut self, relation: RelationId, most: usize) -> Result<Vec<String>, Failure> {
        let value = self.evaluator.relation(relation)?;
        let plan = self.plan.relation(relation);
        let known = self.equations.relation(relation);
        match &self.listing {
            Some(listing) => Ok(listing.tuples(known, plan, &value, most, self.watch)?),
            None => Ok(Vec::new()),
        }
    }

    /// Whether numbers are a tuple of a relation.
    pub fn contains(&mut self, relation: RelationId, tuple: &[i128]) -> Result<bool, Failure> {
        let value = self.evaluator.relation(relation)?;
        let plan = self.plan.relation(relation);
        Ok(self.evaluator.contains(plan, &value, tuple))
    }

    /// Whether a relation is part of what is asked for, even if what it says was found as part of another one.
    pub fn needs(&self, relation: RelationId) -> bool {
        self.needed.contains(&(relation.0 as usize))
    }

    /// What each relation took, and the size of its value.
    pub fn effort(&mut self, relation: RelationId) -> (Effort, usize) {
        self.evaluator.effort(relation)
    }
}
