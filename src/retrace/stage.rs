//! An execution of C as a trace that can be shown: its places are the points of a program of their
//! own, and its values the names of an enumeration, which spells all that occur.
//!
//! A variable is a row of cells, as many as it ever shows. The empty name stands for what is not
//! there: a variable that is not in scope, a member of a union that is not live, an element that
//! was not touched. Linear in what is shown.

use super::alignment::align;
use super::part::Parts;
use super::script::Made;
use super::walk::{Ending, Moment, Walk};
use super::{Chosen, Input, Note, Original, Retraced, chosen, spelled};
use crate::execution::{EndKind, Failure, Outcome, Shown, State, StepKind, StepPoint};
use crate::names::{Name, Names};
use crate::program::{
    Action, Cell, Declaration, Domain, Enumeration, Expressions, Field, Language, Overflow, Point,
    PointId, Procedure, ProcedureId, Program, Ruled, Shape, VariableId,
};
use crate::source::{Source, Span};
use crate::trace::failure::{Failure as Failed, Reason};
use crate::trace::{Location, Step, Trace, Valuation};
use crate::typing::c::tree::{self, FunctionId};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::Arc;

type Map<K, V> = IndexMap<K, V, FxBuildHasher>;

/// What a variable looks like, whenever it is seen.
#[derive(Clone, Debug, Default)]
enum Form {
    /// Nothing is known of it.
    #[default]
    Unknown,
    Scalar,
    List(usize, Box<Form>),
    Object(Map<String, Form>),
}

impl Form {
    /// Also what this is. (Types are not deep: no deeper than is shown.)
    fn meet(&mut self, shown: &Shown) {
        match (&mut *self, shown) {
            (_, Shown::Undetermined) => {}
            (Form::List(length, element), Shown::List(values)) => {
                *length = values.len().max(*length);
                values.iter().for_each(|value| element.meet(value));
            }
            (Form::Object(fields), Shown::Object(entries)) => {
                for (name, value) in entries {
                    fields.entry(name.clone()).or_default().meet(value);
                }
            }
            (Form::Unknown, shown) => {
                *self = match shown {
                    Shown::List(_) => Form::List(0, Box::default()),
                    Shown::Object(_) => Form::Object(Map::default()),
                    _ => Form::Scalar,
                };
                self.meet(shown);
            }
            _ => {}
        }
    }

    fn shape(&self, names: &mut Names) -> Shape {
        match self {
            Form::Unknown | Form::Scalar => Shape::Scalar,
            Form::List(length, element) => {
                let element = element.shape(names);
                Shape::Array {
                    low: 0,
                    length: *length as u32,
                    stride: element.cells(),
                    element: Box::new(element),
                }
            }
            Form::Object(fields) => {
                let mut offset = 0;
                let fields = fields.iter().map(|(name, form)| {
                    let field = Field {
                        name: names.intern(name),
                        offset,
                        shape: form.shape(names),
                    };
                    offset += field.shape.cells();
                    field
                });
                Shape::Struct {
                    fields: fields.collect(),
                }
            }
        }
    }
}

/// What kind of value is shown; of one name there may be variables of several.
fn kind(shown: &Shown) -> u8 {
    match shown {
        Shown::Undetermined | Shown::Integer(_) | Shown::Text(_) => 0,
        Shown::List(_) => 1,
        Shown::Object(_) => 2,
    }
}

/// The variables that are in scope somewhere.
#[derive(Default)]
struct Scope {
    variables: Map<(String, u8), Form>,
    /// Once all are known: where each begins.
    firsts: Vec<usize>,
    cells: usize,
}

impl Scope {
    fn meet(&mut self, values: &[(String, Shown)]) {
        for (name, shown) in values {
            let key = (name.clone(), kind(shown));
            self.variables.entry(key).or_default().meet(shown);
        }
    }

    fn lay_out(&mut self, names: &mut Names, domain: Domain) -> (Vec<Cell>, Vec<Declaration>) {
        let (mut cells, mut declarations) = (Vec::new(), Vec::new());
        for ((name, _), form) in &self.variables {
            let shape = form.shape(names);
            let first = cells.len();
            self.firsts.push(first);
            name_cells(name, &shape, names, domain, &mut cells);
            declarations.push(Declaration {
                name: names.intern(name),
                shape,
                first: first as u32,
            });
        }
        self.cells = cells.len();
        (cells, declarations)
    }

    /// The cells' values, as numbers of spellings.
    fn values(&self, values: &[(String, Shown)], spellings: &mut Spellings) -> Vec<u64> {
        let mut row = vec![0; self.cells];
        for (name, shown) in values {
            let key = (name.clone(), kind(shown));
            if let Some((index, _, form)) = self.variables.get_full(&key) {
                fill(&mut row, self.firsts[index], form, shown, spellings);
            }
        }
        row
    }
}

/// The cells of a variable, in the order of its shape. (Shapes are not deep.)
fn name_cells(name: &str, shape: &Shape, names: &mut Names, domain: Domain, cells: &mut Vec<Cell>) {
    match shape {
        Shape::Scalar => cells.push(Cell::new(names.intern(name), domain)),
        Shape::Array {
            length, element, ..
        } => {
            for index in 0..*length {
                name_cells(&format!("{name}[{index}]"), element, names, domain, cells);
            }
        }
        Shape::Struct { fields } => {
            for field in fields {
                let own = names.text(field.name).to_owned();
                // An element of a long array is called by its number.
                let name = match own.starts_with(|first: char| first.is_ascii_digit()) {
                    true => format!("{name}[{own}]"),
                    false => format!("{name}.{own}"),
                };
                name_cells(&name, &field.shape, names, domain, cells);
            }
        }
    }
}

fn cells(form: &Form) -> usize {
    match form {
        Form::Unknown | Form::Scalar => 1,
        Form::List(length, element) => length * cells(element),
        Form::Object(fields) => fields.values().map(cells).sum(),
    }
}

fn fill(row: &mut [u64], first: usize, form: &Form, shown: &Shown, spellings: &mut Spellings) {
    match (form, shown) {
        (Form::List(_, element), Shown::List(values)) => {
            let stride = cells(element);
            for (index, value) in values.iter().enumerate() {
                fill(row, first + index * stride, element, value, spellings);
            }
        }
        (Form::Object(fields), Shown::Object(entries)) => {
            let mut at = first;
            for (name, form) in fields {
                if let Some((_, value)) = entries.iter().find(|(own, _)| own == name) {
                    fill(row, at, form, value, spellings);
                }
                at += cells(form);
            }
        }
        (form, Shown::Undetermined) => row[first..first + cells(form)].fill(Spellings::UNKNOWN),
        (Form::Scalar | Form::Unknown, Shown::Integer(number)) => {
            row[first] = spellings.number(*number);
        }
        (Form::Scalar | Form::Unknown, Shown::Text(text)) => row[first] = spellings.text(text),
        _ => {}
    }
}

/// All values that occur.
struct Spellings {
    texts: IndexSet<String, FxBuildHasher>,
    numbers: FxHashMap<i128, u64>,
}

impl Spellings {
    const UNKNOWN: u64 = 1;

    fn new() -> Self {
        let texts = ["", "?"].map(str::to_owned).into_iter().collect();
        Spellings {
            texts,
            numbers: FxHashMap::default(),
        }
    }

    fn text(&mut self, text: &str) -> u64 {
        match self.texts.get_index_of(text) {
            Some(index) => index as u64,
            None => self.texts.insert_full(text.to_owned()).0 as u64,
        }
    }

    fn number(&mut self, number: i128) -> u64 {
        if let Some(known) = self.numbers.get(&number) {
            return *known;
        }
        let index = self.text(&number.to_string());
        self.numbers.insert(number, index);
        index
    }
}

/// The places and scopes of an execution.
struct Stage<'a> {
    typed: &'a tree::Program,
    names: Names,
    globals: Scope,
    /// The state of a rule.
    rule: Scope,
    /// The functions that are entered, with their variables and their places.
    functions: Map<FunctionId, (Scope, IndexSet<Span2, FxBuildHasher>)>,
    spellings: Spellings,
}

/// A place, comparable.
type Span2 = (Span, u8, u32, u32);

fn place_of(step: &StepPoint) -> Span2 {
    let (kind, detail) = match step.kind {
        StepKind::Expression => (0, 0),
        StepKind::Branch => (1, 0),
        StepKind::Goto => (2, 0),
        StepKind::Empty => (3, 0),
        StepKind::Label(label) => (4, label.0),
        StepKind::Call(function) => (5, function.map_or(u32::MAX, |function| function.0)),
        StepKind::Return => (6, 0),
        StepKind::Event => (7, 0),
    };
    (step.span, kind, detail, step.block)
}

/// Puts an execution on the stage.
///
/// Of an infinite one, `cycle` is the moment at which its loop begins.
pub fn stage(
    original: Original<'_>,
    (lowered, lowered_cycle): (&[&Step], usize),
    (walk, cycle): (Walk, Option<usize>),
    parts: &Parts<'_>,
) -> Retraced {
    let typed = original.typed;
    let mut stage = Stage {
        typed,
        names: typed.names.clone(),
        globals: Scope::default(),
        rule: Scope::default(),
        functions: Map::default(),
        spellings: Spellings::new(),
    };
    // Where it begins is there, even if it fails at once.
    stage.functions.entry(original.options.entry).or_default();
    for moment in &walk.moments {
        stage.meet(&moment.state);
    }
    let source = original.program.source.clone();
    let (program, firsts) = stage.program(source.clone(), original.options.entry);
    let cells = stage.cells(original, parts, &program);
    let aligned = align(original, lowered, lowered_cycle, &walk.moments);
    let mut steps = Vec::with_capacity(walk.moments.len() + 1);
    let mut notes = Vec::with_capacity(walk.moments.len() + 1);
    let mut inputs = Vec::new();
    let tell = |made: &[Made]| -> Vec<Chosen> {
        let all = made.iter();
        all.filter_map(|made| chosen(original, parts, lowered, made))
            .collect()
    };
    for moment in &walk.moments {
        steps.push(stage.step(&firsts, &moment.state));
        notes.push(Note {
            branch: moment.outcome.map(|outcome| branch(&source, outcome)),
            chosen: tell(&moment.made),
        });
        if walk.all.is_none() {
            let made = moment.made.iter();
            inputs
                .extend(made.filter_map(|made| stage.input(&source, moment.state.function, made)));
        }
    }
    let all = walk.all.iter().flatten();
    inputs.extend(all.filter_map(|(caller, made)| stage.input(&source, *caller, made)));
    let failure = walk.end.as_ref().map(failure);
    let mut aligned = aligned;
    if let Some(end) = &walk.end {
        steps.push(stage.end(&walk.moments, end));
        notes.push(Note::default());
        aligned.push(lowered.len().saturating_sub(1));
    }
    let spelled = stage.spellings.texts.iter();
    let mut program = program;
    let texts: Vec<Name> = spelled.map(|text| program.names.intern(text)).collect();
    program.enumerations = vec![Enumeration {
        name: None,
        names: texts,
    }];
    let cycle = match cycle {
        Some(first) => steps.split_off(first),
        None => Vec::new(),
    };
    Retraced {
        program: Arc::new(program),
        trace: Trace {
            stem: steps,
            cycle,
            failure: failure.flatten(),
            ..Trace::default()
        },
        aligned,
        notes,
        start: tell(&walk.begin),
        inputs,
        is_whole: true,
        data_model: typed.types.model.name(),
        cells,
        procedures: original
            .program
            .points
            .iter()
            .map(|point| point.procedure)
            .collect(),
    }
}

fn branch(source: &Source, outcome: Outcome) -> String {
    match outcome {
        Outcome::Truth(value) => value.to_string(),
        Outcome::Case(Some(span)) => {
            let text = source.text(span);
            text.trim_end_matches(':').trim().to_owned()
        }
        Outcome::Case(None) => "else".to_owned(),
    }
}

fn failure(end: &Ending) -> Option<Failed> {
    let reason = match end.kind {
        EndKind::Ended => return None,
        EndKind::Failed(Failure::Assertion) => Reason::Assertion,
        _ => Reason::Stated(end.what.clone()),
    };
    Some(Failed {
        procedure: ProcedureId(0),
        reason,
    })
}

impl Stage<'_> {
    fn meet(&mut self, state: &State) {
        self.globals.meet(&state.globals);
        self.rule.meet(&state.rule);
        let (scope, places) = self.functions.entry(state.function).or_default();
        scope.meet(&state.locals);
        places.insert(place_of(&state.step));
    }

    /// The program, and for each function its procedure and the first of its points.
    fn program(
        &mut self,
        source: Arc<Source>,
        entry: FunctionId,
    ) -> (Program, FxHashMap<FunctionId, u32>) {
        // How many spellings there are in the end does not matter for what is shown.
        let domain = Domain::Enumeration {
            id: 0,
            size: u32::MAX,
        };
        let (mut globals, mut declarations) = self.globals.lay_out(&mut self.names, domain);
        let (state, mut declared) = self.rule.lay_out(&mut self.names, domain);
        for declaration in &mut declared {
            declaration.first += globals.len() as u32;
        }
        let mut rule = Ruled {
            events: Vec::new(),
            state: declared.len(),
        };
        globals.extend(state);
        declarations.extend(declared);
        let mut points = Vec::new();
        let mut labels = Vec::new();
        let mut procedures = Vec::new();
        let mut firsts = FxHashMap::default();
        let mut first_procedure = ProcedureId(0);
        for (id, (scope, places)) in &mut self.functions {
            let (locals, declarations) = scope.lay_out(&mut self.names, domain);
            let procedure = ProcedureId(procedures.len() as u32);
            if *id == entry {
                first_procedure = procedure;
            }
            let first = points.len() as u32;
            firsts.insert(*id, first);
            let function = &self.typed.functions[id.0 as usize];
            let close = function
                .body
                .as_ref()
                .map_or(function.span, |body| body.close);
            for (span, kind, detail, _) in places.iter() {
                if *kind == 4 {
                    let name = self.typed.labels[*detail as usize].name;
                    labels.extend(name.map(|name| (PointId(points.len() as u32), name)));
                }
                if *kind == 7 {
                    rule.events.push(PointId(points.len() as u32));
                }
                points.push(point(procedure, *span));
            }
            points.push(point(procedure, close));
            procedures.push(Procedure {
                name: function.name,
                span: function.span,
                locals,
                declarations,
                parameters: 0,
                saved: 0,
                returns: Box::default(),
                return_shapes: Box::default(),
                enforce: None,
                points: first..points.len() as u32,
            });
        }
        let program = Program {
            source,
            names: std::mem::take(&mut self.names),
            globals,
            declarations,
            enumerations: Vec::new(),
            constants: Vec::new(),
            language: Language::C,
            overflow: Overflow::Wrap,
            procedures,
            points,
            labels,
            guards: Vec::new(),
            expressions: Expressions::with_capacity(0),
            entry: first_procedure,
            threads: None,
            rule: (rule != Ruled::default()).then_some(rule),
        };
        (program, firsts)
    }

    /// Which cells of the lowered program are which of those that are shown.
    fn cells(
        &self,
        original: Original<'_>,
        parts: &Parts<'_>,
        program: &Program,
    ) -> FxHashMap<(Option<ProcedureId>, VariableId), (Option<ProcedureId>, VariableId)> {
        let mut shown = FxHashMap::default();
        let names =
            |cells: &[Cell], variable: fn(u32) -> VariableId| -> Vec<(String, VariableId)> {
                let cells = cells.iter().zip(0..);
                let name = |cell: &Cell| program.names.text(cell.name).to_owned();
                cells
                    .map(|(cell, index)| (name(cell), variable(index)))
                    .collect()
            };
        for (name, cell) in names(&program.globals, VariableId::Global) {
            shown.insert((None, name), (None, cell));
        }
        for (function, id) in self.functions.keys().zip(program.procedure_ids()) {
            let locals = &program.procedure(id).locals;
            for (name, cell) in names(locals, VariableId::Local) {
                shown.insert((Some(*function), name), (Some(id), cell));
            }
        }
        let lowered = original.program;
        let globals = (0..lowered.globals.len() as u32).map(VariableId::Global);
        let globals = globals.map(|cell| (lowered.entry, cell));
        let locals = lowered.procedure_ids().flat_map(|id| {
            let count = lowered.procedure(id).locals.len() as u32;
            (0..count).map(move |index| (id, VariableId::Local(index)))
        });
        let all = globals.chain(locals).filter_map(|(id, cell)| {
            let name = parts.name(id, cell)?;
            let key = match cell {
                VariableId::Global(_) => (None, cell),
                VariableId::Local(_) => (Some(id), cell),
            };
            Some((key, *shown.get(&name)?))
        });
        all.collect()
    }

    fn step(&mut self, firsts: &FxHashMap<FunctionId, u32>, state: &State) -> Step {
        let globals = self.global_values(state);
        let (scope, places) = &self.functions[&state.function];
        let locals = scope.values(&state.locals, &mut self.spellings);
        let function = &self.typed.functions[state.function.0 as usize];
        let close = function.body.as_ref().map(|body| body.close);
        let first = firsts[&state.function];
        // The end of a function is its exit.
        let number = match state.step.kind == StepKind::Return && Some(state.step.span) == close {
            true => places.len(),
            false => places.get_index_of(&place_of(&state.step)).unwrap_or(0),
        };
        let location = Location::At(first + number as u32);
        let valuation = Valuation::new(&globals, &locals);
        Step::new(location, (state.depth - state.hidden) as u64, valuation)
    }

    /// The values of the globals, and of the state of a rule.
    fn global_values(&mut self, state: &State) -> Vec<u64> {
        let mut globals = self.globals.values(&state.globals, &mut self.spellings);
        globals.extend(self.rule.values(&state.rule, &mut self.spellings));
        globals
    }

    /// The last step, after which nothing happens.
    fn end(&mut self, moments: &[Moment], end: &Ending) -> Step {
        let globals = match moments.last() {
            Some(last) => self.global_values(&last.state),
            None => vec![0; self.globals.cells + self.rule.cells],
        };
        let location = match end.kind {
            EndKind::Ended => Location::Terminated,
            _ => Location::Error,
        };
        Step::new(location, 0, Valuation::new(&globals, &[]))
    }

    /// What a function without body has returned, if that was chosen.
    fn input(&self, source: &Source, caller: FunctionId, made: &Made) -> Option<Input> {
        let name = |function: FunctionId| {
            let name = self.typed.functions[function.0 as usize].name;
            self.typed.names.text(name).to_owned()
        };
        let function = made.input(self.typed)?;
        let [begin, end] = source.ends(made.request.span);
        Some(Input {
            function: name(function),
            file: source.file_of(made.request.span.start).to_owned(),
            line: begin.line,
            end_line: end.line,
            end_column: end.column,
            caller: name(caller),
            value: spelled(self.typed, made),
        })
    }
}

fn point(procedure: ProcedureId, span: Span) -> Point {
    Point {
        procedure,
        span,
        implicit: false,
        saved: 0,
        action: Action::Exit,
    }
}
