//! derny: a model checker for recursive programs.
//!
//! A program with procedures, unbounded recursion and finite data has infinitely many
//! configurations, because the stack has no bound; its properties are decidable all the
//! same. This crate decides whether a label can be reached, whether an assertion can fail,
//! whether every execution ends, and whether every execution satisfies an LTL formula. The
//! answer is exact in both directions, and a violation comes with an execution that shows it.
//!
//! # The way of the data
//!
//! ```text
//! source text ─▶ syntax ─▶ lower ─▶ program ─▶ analysis
//!                                      │
//!       property (formula, automaton) ─┼─▶ spds: symbolic pushdown system, or product
//!                                      ▼
//!                          saturation: post*, pre* ─▶ cycles: repeating heads
//!                                      ▼
//!                          witness ─▶ interpreter: replay ─▶ check: verdicts ─▶ report
//! ```
//!
//! * Control is explicit and data are symbolic: control points are plain indices, sets of
//!   variable values are BDDs. Path edges, summaries and the shortest trace are those of
//!   Bebop (Ball, Rajamani, *Bebop: A Symbolic Model Checker for Boolean Programs*, SPIN 2000).
//! * A program is a symbolic pushdown system and the reachable configurations are a
//!   P-automaton with BDDs on its edges; a violated formula is a reachable repeating head
//!   (Esparza, Schwoon, *A BDD-based Model Checker for Recursive Programs*, CAV 2001; Moped).
//! * Each statement is one small relation over what it reads and sets, and variables are
//!   dropped where they are dead (Wang, Yang, Ivančić, Gupta, *Disjunctive image computation
//!   for software verification*, 2007).
//!
//! `docs/architecture.md` has the code map, the invariants and the algorithms.

#![warn(missing_docs)]

// What everything stands on: typed indices, sets of small numbers, what is wrong in an input, interned names,
// source text and places in it, cancellation.
mod source;

mod index;

mod bits;
mod components;
mod diagnostic;
mod limits;
mod names;
mod watch;

// Benchmark programs.
pub mod generate;

// Procedures, control points, actions: the form of programs that all later stages take.
mod program;

// Executions as lists of steps.
mod trace;

// The concrete meaning, step by step; replays traces.
mod interpreter;

// Symbolic pushdown systems given as such, and their concrete meaning.
mod pushdown;

// Text to syntax tree, with all mistakes.
mod syntax;

// What names mean and types are, where that is a stage of its own.
mod typing;

// The concrete meaning of C.
mod execution;

// What names mean, the static rules, control points.
mod lower;

// Expressions as nodes of one graph, and which values make them true.
mod terms;

mod sat;

// Programs seen through predicates.
mod abstraction;

// Programs made smaller: ranges, constants, slices.
mod reduction;

// Traces of lowered C programs as executions in C.
mod retrace;

// Programs and pushdown systems as rules: the one form behind both.
mod rules;

// Programs as pushdown systems, in text form.
mod translate;

// What is known before any state is looked at: calls, MOD/REF, live variables.
mod analysis;

// What is asked: labels, propositions, formulas, automata.
mod property;

// What goes wrong.
mod error;

// A worker thread, and who watches over it: limits, cancellation.
mod supervisor;

// What is read from a file.
mod model;

// The one module that names the BDD library.
mod bdd;

// The program, or its product with an automaton, as rules with relations.
mod spds;

// Equations over relations on states, and their fixed points.
mod fixpoint;

// `post*` and `pre*`.
mod saturation;

// Relations between heads: many steps at once.
mod relations;

// Closures of loops and recursion: many rounds at once.
mod acceleration;

// Threads, by bounded context switches.
mod threads;

// Repeating heads.
mod cycles;

// Regular sets of configurations, as text and as P-automata.
mod configurations;

// From "reachable" to an execution.
mod witness;

// The naive twin: the same questions on explicit states.
mod explicit;

// The whole check: from a program and properties to verdicts and traces.
mod check;

// The loop of predicate abstraction.
mod refinement;

// What an observer sees of a run, and how it is supervised.
mod event;
mod supervision;

// What people and scripts see: text, JSON, diagnostics, graphs.
mod report;

// The front door: equations, checks, sets of configurations.
mod solver;

mod checker;
mod sets;

// What the tests of this package see of the inside.
#[doc(hidden)]
pub mod internals;

pub use abstraction::{Seconds as AbstractionSeconds, Summary as AbstractionSummary};
pub use analysis::order::{Choice as Order, OrderError};
pub use check::{Accelerate as Acceleration, Direction, Engine, Phase, Statistics, Verdict};
pub use checker::Checker;
pub use cycles::Method as CycleMethod;
pub use diagnostic::{Advice, Diagnostic, Severity};
pub use error::{Diagnostics, Error, PropertyError, PropertyWarning, Reason};
pub use event::{Event, Progress};
pub use lower::c::Externs;
pub use model::{Language, Model, Reader, Reading};
pub use program::Overflow;
pub use property::{Kind as PropertyKind, Request as Property, SpecificationError};
pub use refinement::Abstraction;
pub use report::configurations::SetReport;
pub use report::graph::Graph;
pub use report::notices::Notice;
pub use report::solution::Solution;
pub use report::steps::{StepKind, Trace, TraceInput, TracePart, TraceStep, TraceThread};
pub use report::values::Value;
pub use report::{Finding, Report, TextStyle};
pub use sets::SetQuery;
pub use solver::Solver;
pub use source::{Position, Span};
pub use supervisor::{Cancellation, Limits};
pub use syntax::c::DataModel;
