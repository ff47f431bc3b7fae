//! The symbolic model of what is checked: analyses, BDDs, and the pushdown system.

use super::{Accelerate, Board, Options, Phase, Run};
use crate::acceleration::{Accelerator, Budget, Recursion};
use crate::analysis::{Analyses, Observed};
use crate::bdd::{Bdd, Bdds, OutOfNodes};
use crate::cycles::{Attempts, Method, Repeating, repeating_after};
use crate::error::Error;
use crate::limits::abstraction::TRACE_OPERATIONS;
use crate::limits::witness::{TRACEABLE_FACTOR, TRACEABLE_ROUNDS};
use crate::property::{Property, Temporal};
use crate::rules::{Ending, Layout, Meaning, Rules, Subject};
use crate::saturation::{EntrySummaries, PostStar};
use crate::spds::copies::{ALL_COPIES, COPIES, Copies, Copy, Order};
use crate::spds::{Head, Observer, Right, RuleId, Spds, encode, extend_layout};
use crate::watch::Watch;
use crate::witness::{Folding, Search, SummaryGraph, Walker};

/// What a property looks at besides control.
#[derive(Default)]
pub struct Observation {
    pub variables: Vec<Observed>,
    /// The control state of a pushdown system.
    pub state: bool,
}

/// Everything a symbolic check works on.
pub struct Model<'a> {
    pub subject: Subject<'a>,
    pub rules: &'a Rules<'a>,
    pub analyses: &'a Analyses,
    pub options: &'a Options,
    pub watch: &'a Watch,
    pub board: &'a Board,
    pub bdds: &'a Bdds,
    pub copies: &'a Copies<'a>,
    pub spds: &'a Spds,
    pub layout: Layout,
}

/// Heads that are asked for, with the valuations wanted.
pub type Goals = Vec<(Head, Bdd)>;

impl Model<'_> {
    /// Nothing but traces is searched for from now on.
    pub fn turn_to_traces(&self) {
        if let Some(nodes) = self.options.trace_nodes {
            self.bdds.grow_at_most(nodes, TRACE_OPERATIONS);
        }
    }

    /// How many control points were reached.
    pub fn reached_points(&self, post_star: &PostStar<'_>) -> usize {
        let heads = (0..self.rules.symbols).map(Head);
        heads.filter(|head| post_star.is_reached(*head)).count()
    }

    /// Whether a head stands for configurations by itself.
    pub fn is_configuration(&self, head: Head) -> bool {
        !matches!(self.rules.meaning(head), Meaning::Returning(_))
    }

    /// The heads, with valuations, that a property asks for; `None` if it asks for a cycle.
    pub fn goals(&self, property: &Property) -> Result<Option<Goals>, OutOfNodes> {
        let goals = |heads: Vec<Head>, wanted: Bdd| {
            let goals = heads.into_iter().map(|head| (head, wanted.clone()));
            Ok(Some(goals.collect()))
        };
        let truth = self.bdds.constant(true);
        match property {
            Property::Reach(points) => goals(points.iter().map(|p| Head(p.0)).collect(), truth),
            Property::Assertions => goals(self.rules.error.into_iter().collect(), truth),
            Property::OnTop { symbols, state } => {
                let heads = symbols.iter().map(|symbol| Head(symbol.0)).collect();
                let Some((state, cell)) = state.zip(self.rules.state_cell) else {
                    return goals(heads, truth);
                };
                let bits = self.layout.global(cell).zip(0..);
                let literals = bits.map(|(bit, place)| {
                    let level = self.copies.level(bit, Copy::Current);
                    (level, state.0 >> place & 1 == 1)
                });
                goals(heads, self.bdds.minterm(literals)?)
            }
            Property::Assertion(_) | Property::OtherFailures => {
                let rules = self.failing_rules(property).into_iter();
                let goals = rules.map(|id| {
                    let rule = self.spds.rule(id);
                    let before = self.spds.transfer(rule).preimage(self.bdds, &truth)?;
                    Ok((rule.from, before))
                });
                goals.collect::<Result<_, _>>().map(Some)
            }
            Property::Terminates | Property::Temporal(_) | Property::Unsupported => Ok(None),
        }
    }

    /// The rules by which the program fails as a property says.
    pub fn failing_rules(&self, property: &Property) -> Vec<RuleId> {
        let (spds, error) = (self.spds, self.rules.error);
        let leads_to_error = |id: &RuleId| match spds.rule(*id).right {
            Right::Step(to) => error == Some(to) && error != Some(spds.rule(*id).from),
            Right::Pop { .. } | Right::Push { .. } => false,
        };
        let is_assertion = |id: &RuleId| {
            let origin = spds.rule(*id).origin;
            self.rules
                .rules
                .get(origin)
                .is_some_and(|rule| !rule.is_failure)
        };
        let all = || spds.rules.indices();
        match property {
            Property::Assertion(points) => {
                let rules = points
                    .iter()
                    .flat_map(|point| spds.rules_from(Head(point.0)));
                let rules = rules.filter(leads_to_error).filter(is_assertion);
                rules.collect()
            }
            Property::OtherFailures => {
                let rules = all().filter(leads_to_error);
                rules.filter(|id| !is_assertion(id)).collect()
            }
            Property::Assertions => all().filter(leads_to_error).collect(),
            _ => Vec::new(),
        }
    }

    /// What follows paths of the model.
    pub fn walker(&self) -> Walker<'_> {
        Walker {
            rules: self.rules,
            analyses: self.analyses,
            copies: self.copies,
            spds: self.spds,
        }
    }

    /// Whether an execution that ends goes on for ever by staying where it is.
    pub fn stays(&self) -> bool {
        self.rules.ending == Ending::Stays
    }

    /// Whether some execution was found that ends as it should.
    pub fn ends(&self, post_star: &PostStar<'_>) -> bool {
        let mut error = self.rules.error.into_iter();
        !self.stays()
            || self.terminates(post_star)
            || error.any(|error| post_star.is_reached(error))
    }

    /// Whether some execution ends: its last frame is popped, or a step ends it.
    pub fn terminates(&self, post_star: &PostStar<'_>) -> bool {
        let mut empty = self.rules.empty.into_iter();
        post_star.terminates_somehow() || empty.any(|empty| post_star.is_reached(empty))
    }

    /// `post*` from the start, not yet saturated.
    pub fn post_star(&self) -> Result<PostStar<'_>, Error> {
        let mut post_star = self.plain_recursion()?;
        if let Some(budget) = self.budget() {
            let recursion = Recursion::new(self.spds, self.copies, self.watch, budget);
            post_star.shorten_recursion(recursion);
        }
        Ok(post_star)
    }

    /// `post*` from the start, not yet saturated, by which deep recursion is followed call by
    /// call.
    fn plain_recursion(&self) -> Result<PostStar<'_>, Error> {
        let mut post_star = PostStar::new(self.spds, self.bdds, self.watch)?;
        if let Some(budget) = self.budget() {
            let accelerator = Accelerator::new(self.spds, self.copies, self.watch, budget);
            post_star.shorten_loops(accelerator);
        }
        Ok(post_star)
    }

    fn budget(&self) -> Option<Budget> {
        match self.options.accelerate {
            Accelerate::Never => None,
            Accelerate::Auto => Some(Budget::auto(self.layout.is_wide())),
            Accelerate::Always => Some(Budget::ALWAYS),
        }
    }

    /// `post*` without shortcuts through deep recursion, after one with them, as far as it
    /// comes in many rounds.
    pub fn without_shortcuts(&self, post_star: &PostStar<'_>) -> Result<PostStar<'_>, Error> {
        let mut plain = self.plain_recursion()?;
        let further = TRACEABLE_FACTOR.saturating_mul(post_star.rounds());
        let most = TRACEABLE_ROUNDS.saturating_add(further);
        plain.run_rounds(most, |_| false)?;
        Ok(plain)
    }

    /// The search for paths with these summaries. In a deep recursion there may be nothing
    /// but paths that are too long for anybody.
    pub fn search<'s>(&'s self, summaries: &'s EntrySummaries, is_deep: bool) -> Search<'s> {
        let folding = Folding {
            rings: self.options.trace_patience,
            steps: self.options.trace_limit,
            budget: Budget::ALWAYS,
        };
        let is_wanted = self.options.accelerate != Accelerate::Never;
        let graph = SummaryGraph::new(self.spds, self.copies, self.watch, summaries);
        let search = Search::new(graph, is_wanted.then_some(folding), self.layout.flags());
        let most = self.options.trace_limit.max(TRACEABLE_ROUNDS);
        match is_deep {
            true => search.up_to(most.try_into().unwrap_or(usize::MAX)),
            false => search,
        }
    }

    /// The repeating heads among those that a finished `post*` has reached.
    pub fn repeating(&self, post_star: &PostStar<'_>) -> Result<Option<Repeating>, Error> {
        self.board.enter(Phase::Cycles);
        let options = self.options.cycles;
        // Other methods were asked for by name.
        let is_free = options.method == Method::Auto || self.options.accelerate != Accelerate::Auto;
        let attempts = self.budget().filter(|_| is_free).map(|budget| Attempts {
            budget,
            is_wide: self.layout.is_wide(),
        });
        Ok(repeating_after(post_star, self.copies, options, attempts)?)
    }
}

/// Makes the model of a subject, or of its product with the automaton of a temporal
/// property, and runs `work` on it. The variables `observed` matter everywhere, and so does
/// the control state if a property asks for it.
pub fn with_model(
    run: &Run<'_>,
    temporal: Option<&Temporal>,
    observed: Observation,
    work: impl FnOnce(&Model<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let Run {
        subject,
        options,
        watch,
        board,
        ..
    } = *run;
    board.enter(Phase::Analysis);
    let mut layout = subject.layout();
    if let Some(temporal) = temporal {
        layout = extend_layout(layout, temporal);
    }
    let rules = subject.rules(layout.clone(), false);
    let state = rules.state_cell.filter(|_| observed.state);
    let mut variables = observed.variables;
    variables.extend(state.map(Observed::Global));
    let analyses = Analyses::of(&rules, &variables);
    board.enter(Phase::Encoding);
    let count = match options.accelerate {
        Accelerate::Always => ALL_COPIES,
        Accelerate::Auto if layout.is_wide() => ALL_COPIES,
        Accelerate::Auto | Accelerate::Never => COPIES + u32::from(rules.sets_below()),
    };
    let levels = layout.len() * count;
    let bdds = Bdds::with_jobs(levels, options.memory, options.collection(), options.jobs)?
        .watched_by(watch)
        .limited_to(options.operations);
    let result = bdds.session(|| {
        let order = Order::new(&layout.order(run.order.as_deref()));
        let mut copies = Copies::new(&bdds, order, count);
        if layout.is_wide() {
            copies.weigh(layout.heaviest_first());
        }
        let copies = copies;
        let observer = temporal.map(|temporal| Observer::new(temporal, layout.clone(), &copies));
        let spds = encode(&rules, &analyses, &copies, observer, watch)?;
        board.measure(|statistics| {
            statistics.procedures = rules.entries.len();
            statistics.points = rules.symbols as usize;
            statistics.rules = statistics.rules.max(spds.rules.len());
            statistics.bdd_variables = statistics.bdd_variables.max(layout.len() * count);
        });
        let result = work(&Model {
            subject,
            rules: &rules,
            analyses: &analyses,
            options,
            watch,
            board,
            bdds: &bdds,
            copies: &copies,
            spds: &spds,
            layout: layout.clone(),
        });
        board.measure(|statistics| {
            statistics.operations += bdds.operations();
            statistics.peak_live_nodes = statistics.peak_live_nodes.max(bdds.peak_live_nodes());
        });
        result
    });
    // An operation that was cancelled fails as if nodes had run out.
    if let Err(Error::Stopped(_)) = result {
        watch.check()?;
    }
    result
}
