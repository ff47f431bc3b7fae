//! What the engines may spend before they try something else: every tuning constant of the
//! symbolic engines and of traces, by the module that obeys it.
//!
//! None of them changes a verdict; they decide which method answers, how soon, and how much of
//! an execution a trace shows. Where it is not said how one was found, it was chosen, not measured.

/// The preprocessor of C (`syntax::c::preprocessor`).
pub mod c {
    /// Tokens that macros may make in one run, those of arguments included. With 16 bytes each
    /// they fit into memory; programs that people write need a thousandth of it.
    pub const EXPANDED_TOKENS: usize = 20_000_000;
    /// How deep files may include each other, as in gcc.
    pub const INCLUDE_DEPTH: usize = 200;
    /// Bytes of included files, each counted as often as it is read.
    pub const INCLUDED_BYTES: u64 = 1 << 28;
}

/// Predicate abstraction (`abstraction`, `refinement`).
pub mod abstraction {
    /// An exact relation of a step has at most so many patterns.
    pub const PATTERNS: usize = 256;
    /// What is learnt of steps from one path, each time it is looked at.
    pub const LEMMAS: usize = 2_000;
    /// Predicates before a step that its relation looks at, ...
    pub const RELEVANT_PREDICATES: usize = 16;
    /// ... and after it: together they fit into a pattern of 64 bits.
    pub const TOLD_PREDICATES: usize = 40;
    /// With so many values before and after a step, what it does to all of them is one relation; ...
    pub const JOINT_VALUES: usize = 9;
    /// ... with more, each value after it has its own, with so many before.
    pub const PART_PREDICATES: usize = 8;
    /// Points of straight-line code that are one step.
    pub const BLOCK_POINTS: usize = 24;
    /// Random values that are tried before the solver is asked.
    pub const RANDOM_VALUES: usize = 100;
    /// Random executions for candidates, ...
    pub const SAMPLE_RUNS: u64 = 48;
    /// ... the steps of each that are noted, ...
    pub const SAMPLE_STEPS: usize = 250;
    /// ... those that may follow, to where something fails, ...
    pub const SAMPLE_TAIL: usize = 2_000;
    /// ... the frames of each, ...
    pub const SAMPLE_FRAMES: usize = 64;
    /// ... and what they may cost: steps times variables.
    pub const SAMPLE_WORK: usize = 600_000;
    /// Further executions, whose choices are less small, for failures only. They may cost as much again.
    pub const BOLD_RUNS: u64 = 96;
    /// Variables that are put into one equation of samples.
    pub const SAMPLE_VARIABLES: usize = 10;
    /// The predicates in an impossible combination.
    pub const CLAUSE_SIZE: usize = 3;
    /// Conflicts for one question about a step, ...
    pub const RELATION_CONFLICTS: u64 = 3_000;
    /// ... and for one about a whole path.
    pub const PATH_CONFLICTS: u64 = 400_000;
    /// Conflicts for one question about candidates.
    pub const DISCOVERY_CONFLICTS: u64 = 50_000;
    /// The loop of an infinite execution is unrolled so many times, ...
    pub const LASSO_ROUNDS: usize = 32;
    /// ... and each round is compared with so many before it.
    pub const REPEATED_ROUNDS: usize = 6;
    /// Predicates of which the clauses of an invariant are made, ...
    pub const INVARIANT_PREDICATES: usize = 14;
    /// ... and how many clauses are tried in all.
    pub const PROBES: usize = 4_000;
    /// BDD operations after which a direct search looks hopeless.
    pub const DIRECT_OPERATIONS: u64 = 300_000;
    /// Bytes of BDD nodes after which it does. A single operation, the product of two numbers of 32 bits say, may make more
    /// than all the others, and is ended by nothing else.
    pub const DIRECT_MEMORY: u64 = 128 << 20;
    /// BDD nodes that a direct search may make for a trace once it has a verdict, before predicates are asked
    /// for one: half a second or so.
    pub const TRACE_NODES: usize = 500_000;
    /// How many operations that search may make: on small BDDs, 2,000,000 took 1.3 s.
    pub const TRACE_OPERATIONS: u64 = 4_000_000;
    /// How many times predicates are added for the sake of a trace alone.
    pub const TRACE_REFINEMENTS: u64 = 20;
    /// Traces that are tried in one round.
    pub const TRACES: usize = 32;
    /// A goal is divided if there are no more ways into it.
    pub const WAYS_TO_A_GOAL: usize = 32;
    /// A trace of the boolean program with more steps is not tried.
    pub const TRACE_STEPS: u64 = 20_000;
}

/// Large arrays of C (`checker::proof`).
pub mod tracking {
    /// BDD operations of one try to prove a property with reads of any value.
    pub const OPERATIONS: u64 = 100_000;
    /// How many accesses are tried that choose the element alone.
    pub const TRIES: usize = 12;
    /// How many variables are tried whose last write chooses the elements.
    pub const VARIABLES: usize = 4;
}

/// BDDs (`bdd`).
pub mod bdd {
    /// Bytes a node costs, with its share of the unique table.
    pub const BYTES_PER_NODE: u64 = 32;
    /// Below this many nodes a collection is not worth its price.
    pub const COLLECTED_NODES: usize = 3_000_000;
    /// From so many live nodes on, memory is dearer than the time of a collection: garbage is
    /// collected when they have doubled, not only when there are four times as many. The large
    /// problems of the benchmarks then peak lower, for few more collections.
    pub const MANY_LIVE_NODES: usize = 8_000_000;
    /// Nodes are counted, to see whether there are too many, once in as many operations as there
    /// are so many variables: a count takes as long as there are variables.
    pub const COUNTED_VARIABLES: usize = 32;
    /// The least number of nodes at which live ones are counted for statistics.
    pub const MEASURED_NODES: usize = 256;
    /// With fewer live nodes than this, operations are too short to be divided among threads.
    /// Measured on the sorting programs of the benchmarks, which two threads do in a quarter
    /// less time; the threshold itself was chosen.
    pub const PARALLEL_NODES: usize = 500_000;
}

/// Programs with threads (`threads`).
pub mod threads {
    /// With more contexts than this, recursive threads are not looked at: each costs a copy of
    /// every variable.
    pub const MOST_CONTEXTS: u32 = 64;
    /// A thread's part of a trace is made step by step up to so many steps, even if fewer are
    /// shown: what is folded is folded when all parts are put together.
    pub const TRACE_STEPS: u64 = 200_000;
    /// From how many schedules the one with the shortest trace is chosen.
    pub const MOST_SCHEDULES: usize = 4;
    /// The threads of a program whose configurations are explored as a whole.
    pub const THREADS: u32 = 64;
    /// The BDD variables that these configurations may take.
    pub const VARIABLES: u32 = 1 << 16;
}

/// Closures of relations (`relations`).
pub mod relations {
    /// How many times closures of single paths are multiplied in turn before the closure of
    /// all of them is given up.
    pub const CLOSURE_TURNS: u32 = 64;
    /// After how many of these turns the product is squared, too: paths that can only be
    /// taken alternately need it, others are smaller without.
    pub const TURNS_BEFORE_SQUARES: u32 = 4;
    /// How often closures are applied in turn to a set before plain rounds go on. What takes
    /// longer has a better place to be closed: of nested loops, the head of the outer one.
    pub const IMAGE_TURNS: u32 = 4;
    /// Relations with no more nodes together than this are multiplied without counting steps.
    pub const HARMLESS_NODES: usize = 2_000;
    /// A product that takes no more steps for each node of its factors is harmless. Closures of 32
    /// bits that were worth it took 6, ...
    pub const FEW_STEPS: usize = 8;
    /// ... and those that were not up to 67: a product that takes more is given up, ...
    pub const MANY_STEPS: usize = 16;
    /// ... but not before so many steps.
    pub const LEAST_STEPS: usize = 50_000;
    /// A square with no more nodes than this may grow as fast as it likes.
    pub const GROWTH_NODES: usize = 300;
    /// The first squares, whose growth is no sign of anything.
    pub const GROWTH_SQUARES: u32 = 3;
    /// After how many squares in a row that grow by half or more a closure is given up.
    pub const STEEP_SQUARES: u32 = 3;
    /// Paths are put together in twos if there are no more than this.
    pub const PAIRED_PATHS: usize = 4;
    /// The nodes of a relation of two paths. Those that can only be taken in turn are simple;
    /// others are not worth much.
    pub const PAIR_NODES: usize = 10_000;
}

/// Deep loops and deep recursion (`acceleration`).
pub mod acceleration {
    /// After how many rounds at one head its loops are closed.
    pub const PATIENCE: u32 = 40;
    /// After how many rounds if there are integers of several bits, which are what makes loops
    /// deep.
    pub const WIDE_PATIENCE: u32 = 8;
    /// The nodes of one relation, at least. With ten times as many, a binary search took longer
    /// than by plain rounds.
    pub const RELATION_NODES: usize = 30_000;
    /// The nodes of one relation for each variable: relations that are worth it grow with
    /// their number, not faster.
    pub const NODES_A_VARIABLE: usize = 250;
    /// How many nodes of a relation one plain round is worth.
    pub const NODES_A_ROUND: usize = 250;
    /// The paths round one loop; with more they are put together.
    pub const LOOP_PATHS: usize = 64;
    /// If closing each path by itself has not helped after so many rounds, each two of them are
    /// closed as one. A loop with one path for odd and one for even numbers needs it.
    pub const PAIRS_AFTER: u32 = 128;
    /// The heads of one component. Eliminating more one by one takes longer than plain rounds.
    pub const COMPONENT_HEADS: usize = 300;
    /// How many frames a step between summaries may go through, if its closure is to be made.
    pub const SUMMARY_FRAMES: usize = 4;
    /// How often heads are looked at behind one call.
    pub const SUMMARY_ROUNDS: u32 = 1000;
    /// How often closures of summaries are applied in turn before plain rounds go on; and how
    /// many of these applications a trace is searched through.
    pub const SUMMARY_TURNS: u32 = 64;
}

/// Executions of C for a trace (`retrace`).
pub mod retrace {
    /// So many steps are made where rounds of a trace are folded.
    pub const FOLDED_STEPS: u64 = 100_000_000;
    /// A step of C is hardly more than so many of the lowered program: where a trace has more than that for each
    /// step that is made, none is.
    pub const LOWERED_STEPS: u64 = 10;
}

/// Repeating heads (`cycles`).
pub mod cycles {
    /// How many heads of a component trimming may look at before relations are tried.
    pub const TRIMMED_HEADS: u64 = 200_000;
}

/// Traces (`witness`, `check::trace`).
pub mod witness {
    /// How many rings are searched before rounds are folded.
    pub const RINGS_BEFORE_FOLDS: usize = 2_000;
    /// How many steps of a trace are written.
    pub const TRACE_STEPS: u64 = 100_000;
    /// Rings of a search that jumps over rounds: far more than a program's own length is not
    /// worth it.
    pub const JUMP_RINGS: usize = 20_000;
    /// Rings of the search for one round, without folding the loops inside it.
    pub const ROUND_RINGS: usize = 100;
    /// How many loops are looked at, each once for every stamp that summaries must be older
    /// than.
    pub const FOLDED_LOOPS: usize = 1_000;
    /// How deep loops are folded inside each other.
    pub const FOLD_DEPTH: usize = 8;
    /// A loop that is taken no more often than this is not folded.
    pub const UNFOLDED_ROUNDS: u64 = 3;
    /// A call of no more steps is shown, if it is made by one of the frames deep inside.
    pub const SHORT_CALL: u64 = 50;
    /// How often rounds are halved to find the one where a flag changes.
    pub const FLAG_SPLITS: u32 = 300;
    /// How often a path goes on to find a cycle, if its steps are limited: each time costs a
    /// search for a cycle that may not be found for that limit.
    pub const LASSO_TRIES: usize = 8;
    /// The rounds of a cycle in which values that matter are looked for: what matters in a
    /// later round shows in one of these.
    pub const RELEVANT_ROUNDS: u64 = 3;
    /// The variables of an expression that are tried to be done without; the search is
    /// quadratic.
    pub const RELEVANT_READS: usize = 24;
    /// How many rounds are spent on following a deep recursion call by call for the sake of a
    /// trace, at least ...
    pub const TRACEABLE_ROUNDS: u64 = 20_000;
    /// ... and how many for each that was needed with shortcuts.
    pub const TRACEABLE_FACTOR: u64 = 20;
    /// A trace with deeper recursion than this is no better than a folded one: so many calls
    /// for each ring that is searched before rounds are folded.
    pub const CALLS_A_RING: u64 = 10;
}

/// Formulas that hold vacuously (`check::vacuity`).
pub mod vacuity {
    /// BDD operations that all checks of strengthened formulas may make in one run. The formulas
    /// of the examples take from 250 to 750 each; so many operations on small BDDs are done in a
    /// few hundredths of a second.
    pub const OPERATIONS: u64 = 20_000;
    /// Bytes that their BDD nodes may take: with large BDDs few operations take long, too.
    pub const MEMORY: u64 = 1 << 20;
    /// Bytes that they may take where there are wide integers, whose relations are soon large.
    pub const WIDE_MEMORY: u64 = 1 << 18;
    /// The subformulas of one formula that are looked at.
    pub const OCCURRENCES: usize = 24;
}

/// The explicit engine (`explicit`).
pub mod explicit {
    /// How many path edges it may keep.
    pub const STATES: usize = 5_000_000;
}

/// Annotated traces (`annotation`).
pub mod annotation {
    /// Above so many steps the cause of a formula's falsity is not looked for: that takes
    /// quadratic time.
    pub const CAUSE_STEPS: usize = 2000;
    /// Bytes that the texts of all subformulas may have.
    pub const SUBFORMULA_TEXT: usize = 4 << 20;
    /// How many other steps are looked at where a value might have come out otherwise.
    pub const ALTERNATIVES: usize = 16;
    /// How much is tried to find another step of a pushdown system.
    pub const SYSTEM_TRIES: usize = 4096;
}
