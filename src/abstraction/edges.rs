//! The steps of a program as terms.
//!
//! A point has an *edge* for each way on: where it leads, when it is taken, and what the
//! variables are afterwards. Conditions and values are terms over the variables before the step,
//! and over new ones for what is chosen. What is cut off has no edge.

use super::symbols::{Frame, Symbols};
use crate::program::{
    Action, Call, Domain, Expression, Moment, Overflow, PointId, ProcedureId, Program, Target,
    Value, VariableId,
};
use crate::terms::translate::{Valued, translate};
use crate::terms::{Sort, Term, Terms};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

/// What variables are after a step; the others stay what they are.
pub type Updates = IndexMap<VariableId, Term, FxBuildHasher>;

/// Where an edge leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    Point(PointId),
    /// The program fails: an assertion, or anything else.
    Error {
        assertion: bool,
    },
    /// A frame is pushed.
    Callee,
    /// The frame is popped.
    Caller,
    /// The program ends.
    End,
}

/// One way on.
#[derive(Clone, Debug)]
pub struct Edge {
    pub condition: Term,
    pub updates: Updates,
    pub to: To,
}

/// What a call and a return pass on.
#[derive(Clone, Debug)]
pub struct Passing {
    /// What the parameters get.
    pub arguments: Vec<Term>,
    /// Stand for what the callee returns, in the edges of the return.
    pub results: Vec<Term>,
    /// From the callee's exit; globals are those that it leaves.
    pub resumed: Vec<Edge>,
}

/// All steps from a point.
#[derive(Clone, Debug)]
pub struct Steps {
    pub edges: Vec<Edge>,
    /// At a call.
    pub passing: Option<Passing>,
}

/// Makes the edges of a procedure.
struct Maker<'a> {
    program: &'a Program,
    symbols: &'a Symbols,
    terms: &'a mut Terms,
    procedure: ProcedureId,
}

/// The steps from a point.
pub fn steps(program: &Program, symbols: &Symbols, terms: &mut Terms, at: PointId) -> Steps {
    let procedure = program.point(at).procedure;
    let mut maker = Maker {
        program,
        symbols,
        terms,
        procedure,
    };
    let mut edges = Vec::new();
    let mut passing = None;
    match &program.point(at).action {
        Action::Goto { targets } => {
            edges.extend(targets.iter().map(|target| plain(Term::TRUE, *target)));
        }
        Action::Assign {
            targets,
            values,
            constrain,
            next,
        } => {
            let pairs = targets.iter().zip(values);
            let (updates, fits) = maker.updates(pairs);
            let allowed = match constrain {
                Some(constrain) => maker.constraint(*constrain, &updates),
                None => Term::TRUE,
            };
            edges.push(Edge {
                condition: maker.terms.and(fits, allowed),
                updates,
                to: To::Point(*next),
            });
            maker.fail_unless(fits, &mut edges);
        }
        Action::Havoc { variables, next } => {
            let updates = variables.iter().map(|variable| {
                let domain = program.cell(procedure, *variable).domain;
                (*variable, maker.terms.unknown(Sort::of(domain)))
            });
            edges.push(Edge {
                condition: Term::TRUE,
                updates: updates.collect(),
                to: To::Point(*next),
            });
        }
        Action::Branch { arms, otherwise } => {
            let mut before = Term::TRUE;
            for (condition, target) in arms {
                let condition = maker.value(*condition);
                let truth = maker.terms.as_truth(condition.term);
                let there = maker.terms.and(before, condition.defined);
                edges.push(plain(maker.terms.and(there, truth), *target));
                let not = maker.terms.not(truth);
                before = maker.terms.and(there, not);
            }
            edges.push(plain(before, *otherwise));
        }
        Action::Select { arms, otherwise } => {
            let mut none = Term::TRUE;
            let mut defined = Term::TRUE;
            for (condition, target) in arms {
                let condition = maker.value(*condition);
                let truth = maker.terms.as_truth(condition.term);
                let is_true = maker.terms.and(condition.defined, truth);
                edges.push(plain(is_true, *target));
                let not = maker.terms.not(is_true);
                none = maker.terms.and(none, not);
                defined = maker.terms.and(defined, condition.defined);
            }
            edges.extend(otherwise.map(|target| plain(none, target)));
            maker.fail_unless(defined, &mut edges);
        }
        Action::Assert { condition, next } => {
            let condition = maker.value(*condition);
            let truth = maker.terms.as_truth(condition.term);
            edges.push(plain(maker.terms.and(condition.defined, truth), *next));
            let not = maker.terms.not(truth);
            edges.push(Edge {
                condition: maker.terms.and(condition.defined, not),
                updates: Updates::default(),
                to: To::Error { assertion: true },
            });
            maker.fail_unless(condition.defined, &mut edges);
        }
        Action::Assume { condition, next } => {
            let condition = maker.value(*condition);
            let truth = maker.terms.as_truth(condition.term);
            edges.push(plain(maker.terms.and(condition.defined, truth), *next));
            maker.fail_unless(condition.defined, &mut edges);
        }
        Action::Call(call) => passing = Some(maker.call(call, &mut edges)),
        Action::Return {
            values,
            assignments,
        } => {
            let returns = &program.procedure(procedure).returns;
            let frame = Frame::of(program, procedure);
            let mut fits = Term::TRUE;
            let mut returned = Vec::new();
            for ((value, domain), i) in values.iter().zip(returns).zip(0..) {
                let (value, has) = maker.fitted(*value, *domain);
                fits = maker.terms.and(fits, has);
                returned.push((frame.returned(i), value));
            }
            let (mut updates, _) = maker.updates(assignments.iter().map(|(t, v)| (t, v)));
            updates.extend(returned);
            edges.push(Edge {
                condition: fits,
                updates,
                to: To::Point(program.procedure(procedure).exit()),
            });
            maker.fail_unless(fits, &mut edges);
        }
        Action::EndThread { assignments } => {
            let (updates, _) = maker.updates(assignments.iter().map(|(t, v)| (t, v)));
            edges.push(Edge {
                condition: Term::TRUE,
                updates,
                to: To::End,
            });
        }
        Action::Exit => edges.push(Edge {
            condition: Term::TRUE,
            updates: Updates::default(),
            to: To::Caller,
        }),
        // Programs with threads are not abstracted.
        Action::StartThread { .. } => {}
    }
    edges.retain(|edge| edge.condition != Term::FALSE);
    Steps { edges, passing }
}

fn plain(condition: Term, target: PointId) -> Edge {
    Edge {
        condition,
        updates: Updates::default(),
        to: To::Point(target),
    }
}

impl Maker<'_> {
    fn value(&mut self, expression: Expression) -> Valued {
        let operations = self.program.expressions.operations(expression);
        let (symbols, procedure) = (self.symbols, self.procedure);
        translate(self.terms, operations, &mut |_, variable, _| {
            symbols.term(procedure, variable)
        })
    }

    /// A value in a cell, and where it has one that fits.
    fn fitted(&mut self, expression: Expression, domain: Domain) -> (Term, Term) {
        let value = self.value(expression);
        let (term, fits) = self.terms.fit(self.program.overflow, value.term, domain);
        (term, self.terms.and(value.defined, fits))
    }

    /// A step that needs what is false somewhere leads to *error* there.
    fn fail_unless(&mut self, fits: Term, edges: &mut Vec<Edge>) {
        if self.program.overflow != Overflow::Block {
            edges.push(Edge {
                condition: self.terms.not(fits),
                updates: Updates::default(),
                to: To::Error { assertion: false },
            });
        }
    }

    /// What assignments make of each cell, and where all of them fit.
    fn updates<'t>(
        &mut self,
        assignments: impl Iterator<Item = (&'t Target, &'t Value)>,
    ) -> (Updates, Term) {
        let mut updates = Updates::default();
        let mut fits = Term::TRUE;
        for (target, value) in assignments {
            let Some((first, _)) = target.cells() else {
                continue;
            };
            let domain = self.program.cell(self.procedure, first).domain;
            let (value, has) = match value {
                Value::Any => (self.terms.unknown(Sort::of(domain)), Term::TRUE),
                Value::Of(expression) => self.fitted(*expression, domain),
            };
            let is_there = self.put(target, value, &mut updates);
            let both = self.terms.and(has, is_there);
            fits = self.terms.and(fits, both);
        }
        (updates, fits)
    }

    /// Sets a target, and says where there is one.
    fn put(&mut self, target: &Target, value: Term, updates: &mut Updates) -> Term {
        let (first, count, index) = match target {
            Target::Discard => return Term::TRUE,
            Target::Cell(variable) => {
                updates.insert(*variable, value);
                return Term::TRUE;
            }
            Target::Element {
                first,
                count,
                index,
            } => (*first, *count, *index),
        };
        let index = self.value(index);
        let at = self.terms.as_number(index.term);
        for k in 0..count {
            let variable = first.plus(k);
            let number = self.terms.number(k.into());
            let here = self.terms.same(at, number);
            if here == Term::FALSE {
                continue;
            }
            let old = updates.get(&variable).copied();
            let old = old.unwrap_or_else(|| self.symbols.term(self.procedure, variable));
            updates.insert(variable, self.terms.choose(here, value, old));
        }
        let inside = self.terms.is_below(at, count);
        self.terms.and(index.defined, inside)
    }

    fn constraint(&mut self, constrain: Expression, updates: &Updates) -> Term {
        let operations = self.program.expressions.operations(constrain);
        let (symbols, procedure) = (self.symbols, self.procedure);
        let value = translate(self.terms, operations, &mut |_, variable, when| {
            let after = updates.get(&variable).filter(|_| when == Moment::After);
            after
                .copied()
                .unwrap_or_else(|| symbols.term(procedure, variable))
        });
        let truth = self.terms.as_truth(value.term);
        self.terms.and(value.defined, truth)
    }

    fn call(&mut self, call: &Call, edges: &mut Vec<Edge>) -> Passing {
        let program = self.program;
        let callee = program.procedure(call.callee);
        let mut fits = Term::TRUE;
        let mut arguments = Vec::new();
        for (argument, cell) in call.arguments.iter().zip(&callee.locals) {
            let (value, has) = self.fitted(*argument, cell.domain);
            fits = self.terms.and(fits, has);
            arguments.push(value);
        }
        let (updates, set) = self.updates(call.assignments.iter().map(|(t, v)| (t, v)));
        let fits = self.terms.and(fits, set);
        edges.push(Edge {
            condition: fits,
            updates,
            to: To::Callee,
        });
        self.fail_unless(fits, edges);
        // Where control runs off the end, what is returned is any value of its domain.
        let returns = callee.returns.iter();
        let results: Vec<Term> = returns
            .map(|domain| self.terms.unknown(Sort::of(*domain)))
            .collect();
        let mut updates = Updates::default();
        let mut fits = Term::TRUE;
        for (target, result) in call.targets.iter().zip(&results) {
            let Some((first, _)) = target.cells() else {
                continue;
            };
            let domain = program.cell(self.procedure, first).domain;
            let (value, has) = self.terms.fit(program.overflow, *result, domain);
            let is_there = self.put(target, value, &mut updates);
            let both = self.terms.and(has, is_there);
            fits = self.terms.and(fits, both);
        }
        let mut resumed = vec![Edge {
            condition: fits,
            updates,
            to: To::Point(call.next),
        }];
        self.fail_unless(fits, &mut resumed);
        resumed.retain(|edge| edge.condition != Term::FALSE);
        Passing {
            arguments,
            results,
            resumed,
        }
    }
}
