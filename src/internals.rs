//! What the tests of this package see of the inside. It may change at any time.

use crate::model::{Form, Model};
use crate::report::{Conclusion, Evidence, Explanation, Ground, Report};
use std::sync::Arc;

pub mod analysis {
    pub use crate::analysis::control::Control;
}

pub mod c {
    pub use crate::syntax::c::{
        Constant, DataModel, Kind, Options, Preprocessed, Token, Unit, Vocabulary, output_of,
        preprocess,
    };
}

pub mod check {
    pub use crate::check::{Board, Finding, Options, TraceFinding, check};
    pub use crate::rules::Subject;
    pub use crate::threads::SwitchBounds;
}

pub mod configurations {
    pub use crate::configurations::{
        ConfigurationSet, Count, Language, Model, PAutomaton, ProgramNames, SetAutomaton,
        SystemNames, compile, count, meets, post, pre, resolve, with_model,
    };
}

pub mod cycles {
    pub use crate::cycles::Options;
}

pub mod execution {
    pub use crate::execution::{
        Beyond, Cause, Choice, Choices, End, EndKind, Externs, Failure, Kind, Listed, Machine,
        Options, Overflow, Random, Request, Shown, State, StepKind, StepPoint, Undefined, What,
    };
}

pub mod explicit {
    pub use crate::explicit::{Budget, has_infinite_run, reachable, violates};

    pub mod threads {
        pub use crate::explicit::threads::{Exploration, Found, explore};
        pub use crate::interpreter::threads::Measure;
    }
}

pub mod fixpoint {
    pub use crate::fixpoint::evaluate::Failure;
    pub use crate::fixpoint::naive::{Tuples, evaluate};
    pub use crate::fixpoint::{
        Equations, RelationId, Session, Targets, Task, Vocabulary, read, with_session,
    };
}

pub mod interpreter {
    pub use crate::interpreter::{Valuation, View, Waiting};

    pub mod step {
        pub use crate::interpreter::step::{Outcome, resumptions, successors};
    }

    pub mod threads {
        pub use crate::interpreter::threads::replay::{Replayed, replay};
        pub use crate::interpreter::threads::{
            Configuration, begins_round, is_switch, starts, steps, switches, to_step,
        };
    }
}

pub mod lower {
    pub use crate::lower::c;
    pub use crate::lower::{
        RemoplaOptions, Start, boolean_program, proposition, pushdown_system, remopla,
    };
}

pub mod order {
    pub use crate::analysis::order::{cells_of, sequential, show};
}

pub mod program {
    pub use crate::program::{
        Action, Cell, Domain, Language, PointId, ProcedureId, Program, VariableId,
    };
}

pub mod property {
    pub use crate::property::{Property, assertions, resolve, spelling};
}

pub mod pushdown {
    pub use crate::pushdown::{SymbolId, System};

    pub mod step {
        pub use crate::pushdown::step::{Frame, Outcome, Steps, View, state_of};
    }
}

pub mod refinement {
    pub use crate::refinement::{Conclusion, Loop, Plan};
}

pub mod reduction {
    pub use crate::reduction::{Goals, reduce};
}

pub mod source {
    pub use crate::source::Source;
}

pub mod threads {
    pub use crate::threads::product::Plan;
}

pub mod trace {
    pub use crate::interpreter::replay::replay;
    pub use crate::trace::{Fold, NestedId, SegmentId, Step, Trace};
}

pub mod translate {
    pub use crate::translate::{Translation, translate};
}

pub mod typing {
    pub use crate::typing::c::tree::*;
    pub use crate::typing::c::types::wrap;
    pub use crate::typing::c::weave::weave;
    pub use crate::typing::c::{Typed, program, program_and};
}

pub mod watch {
    pub use crate::watch::{Gauge, Stop, Watch};
}

#[cfg(feature = "cli")]
pub use crate::report::diagnostics::render;

use check::Finding;
use program::Program;
use pushdown::System;

/// The program that a model is, unless it is one in C.
pub fn program(model: &Model) -> Option<Arc<Program>> {
    match model.form() {
        Form::Program(program) => Some(program),
        Form::System(_) | Form::C(..) => None,
    }
}

/// The pushdown system that a model is.
pub fn system(model: &Model) -> Option<Arc<System>> {
    match model.form() {
        Form::System(system) => Some(system),
        Form::Program(_) | Form::C(..) => None,
    }
}

/// A report of findings about a program.
pub fn report(
    program: &Arc<Program>,
    findings: impl IntoIterator<Item = (crate::Property, Finding)>,
) -> Report {
    let findings = findings.into_iter();
    let (conclusions, explanations) = findings
        .map(|(property, finding)| {
            let resolved = crate::property::resolve(&**program, &property);
            let ground = Ground {
                form: Form::Program(program.clone()),
                property: resolved.unwrap_or(crate::property::Property::Assertions),
                watches: Arc::new([]),
            };
            let conclusion = Conclusion::new(property, &finding, None, true);
            (
                conclusion,
                Explanation::new(finding.trace, finding.execution, ground),
            )
        })
        .unzip();
    Report {
        conclusions,
        evidence: Evidence::Read(explanations),
        ..Report::unread(
            "program",
            &[],
            crate::Reason::Interrupted,
            &crate::Limits::new(),
        )
    }
}
