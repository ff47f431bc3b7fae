//! The symbolic check, in the order of the paper's outline.

use super::{Board, CheckError, Direction, Options, Phase, TraceFinding, Verdict};
use crate::analysis::{CallGraph, Layout, Liveness, ModRef};
use crate::bdd::{Bdds, Collection};
use crate::interpreter::replay::replay;
use crate::program::Program;
use crate::property::Property;
use crate::saturation::{PostStar, PreStar, Watch};
use crate::spds::copies::{COPIES, Copies, Order};
use crate::spds::{Analyses, Head, ProgramHeads, Spds, encode};
use crate::witness::concrete::{Concretizer, concretize, unfold, unfolded_length};
use crate::witness::{Search, find};
use rustc_hash::FxHashSet;

pub fn check(
    program: &Program,
    properties: &[Property],
    options: &Options,
    watch: &Watch,
    board: &Board,
) -> Result<(), CheckError> {
    board.enter(Phase::Analysis);
    let layout = Layout::of(program);
    let calls = CallGraph::of(program);
    let mod_ref = ModRef::of(program, &layout, &calls);
    let liveness = Liveness::of(program, &layout, &calls, &mod_ref, &[]);
    board.enter(Phase::Encoding);
    let collection = match options.measure {
        true => Collection::Measured,
        false => Collection::Rare,
    };
    let bdds = Bdds::new(layout.len() * COPIES, options.memory, collection)?;
    bdds.session(|| {
        let copies = Copies::new(&bdds, Order::new(&layout.default_order()));
        let analyses = Analyses {
            layout,
            calls: &calls,
            mod_ref: &mod_ref,
            liveness: &liveness,
            observed: &[],
        };
        let (spds, heads) = encode(program, &analyses, &copies, None)?;
        board.measure(|statistics| {
            statistics.procedures = program.procedures.len();
            statistics.points = program.points.len();
            statistics.rules = spds.rules.len();
            statistics.bdd_variables = layout.len() * COPIES;
        });
        let check = Check {
            program,
            layout,
            options,
            watch,
            board,
            bdds: &bdds,
            copies: &copies,
            spds: &spds,
            heads: &heads,
            goals: properties.iter().map(|p| goals(p, &heads)).collect(),
        };
        let result = check.run();
        bdds.collect();
        board.measure(|statistics| {
            statistics.operations = bdds.operations();
            statistics.peak_live_nodes = bdds.peak_live_nodes();
        });
        result
    })
}

/// The heads whose reachability violates a property.
fn goals(property: &Property, heads: &ProgramHeads) -> FxHashSet<Head> {
    match property {
        Property::Reach(points) => points.iter().map(|point| heads.at(*point)).collect(),
        Property::Assertions => [heads.error()].into_iter().collect(),
    }
}

struct Check<'a> {
    program: &'a Program,
    layout: Layout,
    options: &'a Options,
    watch: &'a Watch,
    board: &'a Board,
    bdds: &'a Bdds,
    copies: &'a Copies<'a>,
    spds: &'a Spds,
    heads: &'a ProgramHeads,
    /// For each property, the heads that violate it.
    goals: Vec<FxHashSet<Head>>,
}

impl Check<'_> {
    fn run(&self) -> Result<(), CheckError> {
        self.board.enter(Phase::Saturation);
        let mut post_star = PostStar::new(self.spds, self.bdds, self.watch)?;
        let violated = match self.options.direction {
            Direction::Forward => self.forward(&mut post_star, self.options.trace)?,
            Direction::Backward => {
                let violated = self.backward()?;
                // Traces come from complete summaries, which are made forwards.
                if self.options.trace && !violated.is_empty() {
                    post_star.run(|_| false)?;
                }
                violated
            }
        };
        self.board
            .measure(|statistics| statistics.edges = post_star.edge_count());
        if self.options.trace {
            let summaries = post_star.summaries();
            let search = Search::new(self.spds, self.copies, self.watch, summaries);
            for property in violated {
                self.explain(&search, property)?;
            }
        }
        Ok(())
    }

    /// Decides all properties by one `post*`; complete if `whole`, otherwise as far as
    /// needed.
    fn forward(
        &self,
        post_star: &mut PostStar<'_>,
        whole: bool,
    ) -> Result<Vec<usize>, CheckError> {
        let mut violated = Vec::new();
        post_star.run(|head| {
            for (i, goals) in self.goals.iter().enumerate() {
                if goals.contains(&head) && !violated.contains(&i) {
                    violated.push(i);
                    self.board.decide(i, Verdict::Violated);
                }
            }
            !whole && violated.len() == self.goals.len()
        })?;
        violated.sort_unstable();
        for i in 0..self.goals.len() {
            if !violated.contains(&i) {
                self.board.decide(i, Verdict::Holds);
            }
        }
        Ok(violated)
    }

    fn backward(&self) -> Result<Vec<usize>, CheckError> {
        let mut violated = Vec::new();
        for (i, goals) in self.goals.iter().enumerate() {
            let truth = || self.bdds.constant(true);
            let goals = goals.iter().map(|goal| (*goal, truth()));
            let mut pre_star = PreStar::new(self.spds, self.bdds, self.watch, goals)?;
            let reached = pre_star.run()?;
            self.board.decide(i, super::verdict(reached));
            if reached {
                violated.push(i);
            }
        }
        Ok(violated)
    }

    /// Finds, replays and keeps a trace.
    fn explain(&self, search: &Search<'_>, property: usize) -> Result<(), CheckError> {
        self.board.enter(Phase::Trace);
        let goals = &self.goals[property];
        let missing = || CheckError::Internal("a violated property has no trace".into());
        let path = find(search, |head| goals.contains(&head))?.ok_or_else(missing)?;
        let concretizer = Concretizer {
            program: self.program,
            layout: self.layout,
            spds: self.spds,
            heads: self.heads,
        };
        let folded = concretize(&concretizer, &path)
            .map_err(|_| CheckError::Internal("the interpreter could not follow a trace".into()))?;
        let length = unfolded_length(&folded);
        let limit = self.options.trace_limit;
        self.board.enter(Phase::Replay);
        let finding = if length <= limit {
            let trace = unfold(&folded);
            replay(self.program, &trace)?;
            TraceFinding::Found(trace)
        } else {
            replay(self.program, &folded)?;
            match folded.stem.len() as u64 <= limit {
                true => TraceFinding::Found(folded),
                false => TraceFinding::TooLong(length),
            }
        };
        self.board.explain(property, finding);
        Ok(())
    }
}
