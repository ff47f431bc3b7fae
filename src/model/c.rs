//! A C program as it was read, and the program forms that its properties need.
//!
//! What is kept is the typed tree. How it becomes a program depends on what is asked: overflow that
//! wraps for one property is a failure for another. Each of these *variants* is made when a property
//! first needs it, and then shared by all that do.

use super::observation::{Input, Observed};
use crate::execution;
use crate::lower::c::{Checks, Externs, Lowered, Options, Origin, PointKind, Tracking, lower};
use crate::program::{Boundary, BoundaryKind, Overflow, PointId};
use crate::property::Kind;
use crate::retrace::{Original, Provenance};
use crate::source::{Source, Span};
use crate::typing::c::tree::{FunctionId, Program};
use std::sync::{Arc, OnceLock};

/// Which program form a property needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// Overflow does what the options say.
    Plain,
    /// A signed computation that overflows fails.
    Overflow,
    /// What overflows and is undefined is undefined, whatever the options say of overflow.
    Undefined,
    /// Each step of C has a point of its own.
    Stepwise,
}

/// The translation units of a program, linked and typed.
#[derive(Debug)]
pub(crate) struct Unit {
    pub source: Arc<Source>,
    /// The names of its files, as they were given.
    pub files: Vec<String>,
    pub typed: Program,
    /// Where executions begin.
    pub entry: FunctionId,
    pub options: Options,
    /// The rules about it, each with the program that it is woven into.
    pub rules: Vec<(String, Arc<Unit>)>,
    /// What it was read from, to read it again with what is observed.
    pub input: Option<Arc<Input>>,
    /// What is observed.
    pub observed: Observed,
    /// One for each variant.
    forms: [OnceLock<Arc<Lowered>>; 4],
}

impl Unit {
    pub fn new(
        source: Arc<Source>,
        files: Vec<String>,
        typed: Program,
        entry: FunctionId,
        options: Options,
    ) -> Self {
        Unit {
            source,
            files,
            typed,
            entry,
            options,
            rules: Vec::new(),
            input: None,
            observed: Vec::new(),
            forms: Default::default(),
        }
    }

    /// The program that the rule in a file is woven into.
    pub fn rule(&self, file: &str) -> Option<&Arc<Unit>> {
        let mut rules = self.rules.iter();
        rules.find(|(name, _)| name == file).map(|(_, unit)| unit)
    }

    /// Whether it declares a function, or a variable that is seen in one or everywhere: `s.f`, `a[1]` by
    /// their first names.
    pub fn declares(&self, function: Option<&str>, name: &str) -> bool {
        let text = |name| self.typed.names.text(name);
        let is_in = |id: FunctionId| Some(text(self.typed.functions[id.0 as usize].name));
        let end = name.find(['.', '[', '#', ':']).unwrap_or(name.len());
        let variable = &name[..end];
        let mut functions = self.typed.functions.iter();
        let mut objects = self.typed.objects.iter();
        let is_function =
            function == Some(name) && functions.any(|function| text(function.name) == name);
        is_function
            || objects.any(|object| {
                let is_seen = object.function.is_none_or(|id| is_in(id) == function);
                is_seen && object.name.is_some_and(|one| text(one) == variable)
            })
    }

    /// The variant that a property of this kind is decided on.
    pub fn variant(&self, kind: Kind) -> Variant {
        match kind {
            Kind::NoOverflow => Variant::Overflow,
            Kind::Ltl | Kind::Never => Variant::Stepwise,
            Kind::Defined if self.options.overflow != Overflow::Wrap => Variant::Undefined,
            _ => Variant::Plain,
        }
    }

    /// The program form of a variant.
    pub fn lowered(&self, variant: Variant) -> &Arc<Lowered> {
        self.forms[variant as usize].get_or_init(|| Arc::new(self.lower(variant, Tracking::Exact)))
    }

    /// The program form of a variant in which large arrays are looked at otherwise; none if there
    /// are no such arrays, or expressions are observed, which are about the usual form.
    pub fn lowered_as(&self, variant: Variant, tracking: Tracking) -> Option<Lowered> {
        let origin = &self.lowered(variant).origin;
        let is_wanted = origin.has_tracked() && self.observed.is_empty();
        is_wanted.then(|| self.lower(variant, tracking))
    }

    fn lower(&self, variant: Variant, tracking: Tracking) -> Lowered {
        let checks = Checks {
            overflow: variant == Variant::Overflow,
            undefined: variant == Variant::Undefined,
        };
        let options = Options {
            checks,
            tracking,
            keeps_steps: variant == Variant::Stepwise,
            ..self.options.clone()
        };
        lower(self.source.clone(), &self.typed, self.entry, &options)
    }

    /// How the C interpreter executes it.
    fn execution(&self) -> execution::Options {
        execution::Options {
            overflow: match self.options.overflow {
                Overflow::Wrap => execution::Overflow::Wrap,
                Overflow::Error => execution::Overflow::Error,
                Overflow::Block => execution::Overflow::Block,
            },
            externs: match self.options.externs {
                Externs::Pure => execution::Externs::Pure,
                Externs::Havoc => execution::Externs::Havoc,
                Externs::Refuse => execution::Externs::Refuse,
            },
            malloc_may_fail: self.options.malloc_may_fail,
            ..execution::Options::new(self.entry)
        }
    }

    /// The functions without body that a variant assumes something of, in the order of the source:
    /// their names, and where they are declared.
    pub fn assumed(&self, origin: &Origin) -> Vec<(String, Span)> {
        let functions = origin.assumed.iter();
        let functions = functions.map(|id| &self.typed.functions[id.0 as usize]);
        let named = functions.map(|one| (self.typed.names.text(one.name).to_owned(), one.span));
        named.collect()
    }

    /// The places that no execution gets past, although the real program might.
    pub fn boundaries(&self, origin: &Origin) -> Vec<Boundary> {
        let points = origin.points.iter().zip((0..).map(PointId));
        let boundaries = points.filter_map(|(point, id)| {
            let (kind, what) = match &point.kind {
                PointKind::Outside { what } => (BoundaryKind::Outside, what.as_str()),
                PointKind::Heap => (BoundaryKind::Heap, "more objects on the heap"),
                PointKind::Length => (
                    BoundaryKind::Length,
                    "more elements in an object of no constant size",
                ),
                PointKind::Undefined { what } => (BoundaryKind::Undefined, what.as_str()),
                _ => return None,
            };
            let position = self.source.position(point.span.start);
            Some(Boundary {
                point: id,
                what: what.to_owned(),
                kind,
                file: self.source.file_of(point.span.start).to_owned(),
                line: position.line,
                column: position.column,
            })
        });
        boundaries.collect()
    }
}

/// A program form, what it was made from, and as it was before it was made smaller.
#[derive(Debug)]
pub(crate) struct Lowering {
    pub unit: Arc<Unit>,
    pub lowered: Arc<Lowered>,
    pub whole: Arc<Lowered>,
}

impl Provenance for Lowering {
    fn original(&self) -> Original<'_> {
        let Lowering {
            unit,
            lowered,
            whole,
        } = self;
        Original {
            typed: &unit.typed,
            program: &lowered.program,
            whole: &whole.program,
            origin: &lowered.origin,
            options: unit.execution(),
        }
    }
}
