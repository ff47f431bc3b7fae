//! C expressions over a lowered program, as conditions and watches speak of them.
//!
//! An expression is lowered as inside a function, by the same machine: as one term, without a step.
//! Where it would be undefined it is false. The variables of a function are seen while a frame of it
//! is on top and control is behind their declaration, in the same block: that is found by places in
//! the source. Linear in the function.

use super::body::{Body, Task};
use super::origin::PointKind;
use super::reach::Reach;
use super::term::Term;
use super::{Lowered, Options};
use crate::program::{Expressions, Operation, PointId, ProcedureId};
use crate::source::Span;
use crate::typing::c::tree::{
    Conversion, ExpressionId, ExpressionKind, FunctionId, List, ObjectId, PlaceId, PlaceKind,
    Program, StatementId, StatementKind, Storage,
};
use rustc_hash::FxHashMap;

/// What an expression is in a lowered program.
#[derive(Clone, Debug)]
pub struct Observation {
    /// Whether it is defined and not 0.
    pub truth: Vec<Operation>,
    /// Its value.
    pub value: Vec<Operation>,
    /// Whose variables it speaks of.
    pub procedure: Option<ProcedureId>,
    /// How many of them there are.
    pub locals: u32,
    /// The points at which they are in scope, if it speaks of some.
    pub scope: Option<Vec<PointId>>,
}

/// The objects of static storage that the expression speaks of of which a function consists.
pub fn statics(typed: &Program, function: FunctionId) -> Vec<ObjectId> {
    let expression = only_expression(typed, function);
    let objects = expression.and_then(|expression| variables(typed, expression));
    let is_static = |id: &ObjectId| {
        let storage = typed.objects[id.0 as usize].storage;
        matches!(storage, Storage::Static { .. })
    };
    objects.into_iter().flatten().filter(is_static).collect()
}

/// The expression that a function consists of, lowered; or why it cannot be.
pub fn observe(
    typed: &Program,
    entry: FunctionId,
    options: &Options,
    lowered: &Lowered,
    function: FunctionId,
) -> Result<Observation, String> {
    let expression = only_expression(typed, function)?;
    let objects = variables(typed, expression)?;
    let mut owner = None;
    for object in &objects {
        let of = typed.objects[object.0 as usize].function;
        match (of, owner) {
            (None, _) => {}
            (Some(_), None) => owner = of,
            (Some(of), Some(other)) if of == other => {}
            _ => return Err("variables of two functions are never in scope together".to_owned()),
        }
    }
    let reach = Reach::new(typed, entry, options);
    let mut names = typed.names.clone();
    let pinned = &lowered.origin.pinned;
    let mut unit = super::unit(typed, entry, options, &reach, pinned, &mut names);
    let procedure = owner.map(|owner| unit.procedures.get(&owner).copied());
    if procedure == Some(None) {
        // No execution comes to the function.
        return Ok(Observation {
            truth: vec![Operation::Constant(false)],
            value: vec![Operation::Constant(false)],
            procedure: None,
            locals: 0,
            scope: Some(Vec::new()),
        });
    }
    let procedure = procedure.flatten();
    let mut expressions = Expressions::with_capacity(0);
    let id = procedure.unwrap_or(ProcedureId(0));
    let mut body = Body::new(&mut unit, &mut expressions, owner, id);
    for object in &objects {
        if body.home(*object).is_none() {
            let name = typed.objects[object.0 as usize].name;
            let name = name.map_or("it", |name| typed.names.text(name));
            return Err(format!("`{name}` is nothing that executions use"));
        }
    }
    let locals = body.locals.len() as u32;
    // Inside a branch of a term no step is made.
    body.branches.push((0, Term::truth(true)));
    body.tasks.push(Task::Expression(expression));
    body.run();
    let value = body.pop_term();
    if body.assembler.count() > 0 || body.step.writes() || body.locals.len() as u32 != locals {
        return Err("this is too much for a condition".to_owned());
    }
    let mut truth = Term::truth(true);
    for guard in std::mem::take(&mut body.step.guards) {
        if let PointKind::Outside { what } = guard.kind {
            return Err(format!("this is not decided: {what}"));
        }
        truth = truth.and(guard.holds);
    }
    let truth = truth.and(value.clone().into_truth());
    let scope = owner.map(|owner| scope(typed, owner, &objects, lowered));
    Ok(Observation {
        truth: truth.operations().to_vec(),
        value: value.operations().to_vec(),
        procedure,
        locals,
        scope: scope.transpose()?,
    })
}

/// The expression that is the one statement of a function.
fn only_expression(typed: &Program, function: FunctionId) -> Result<ExpressionId, String> {
    let wrong = || "this is no C expression".to_owned();
    let body = typed.functions[function.0 as usize].body.as_ref();
    let block = body.ok_or_else(wrong)?.block;
    let StatementKind::Block(list) = typed.statements[block.0 as usize].kind else {
        return Err(wrong());
    };
    let [only] = typed.blocks[range(list)] else {
        return Err(wrong());
    };
    match typed.statements[only.0 as usize].kind {
        StatementKind::Expression(id) => match typed.expressions[id.0 as usize].kind {
            ExpressionKind::Convert(Conversion::Void, inner) => Ok(inner),
            _ => Ok(id),
        },
        _ => Err(wrong()),
    }
}

/// The variables that an expression speaks of. It changes nothing and calls nobody.
fn variables(typed: &Program, expression: ExpressionId) -> Result<Vec<ObjectId>, String> {
    enum Item {
        Expression(ExpressionId),
        Place(PlaceId),
    }
    let mut found = Vec::new();
    let mut items = vec![Item::Expression(expression)];
    while let Some(item) = items.pop() {
        let id = match item {
            Item::Expression(id) => id,
            Item::Place(id) => {
                match typed.places[id.0 as usize].kind {
                    PlaceKind::Object(object) => found.push(object),
                    PlaceKind::Target(inner) => items.push(Item::Expression(inner)),
                    PlaceKind::Field(outer, _) => items.push(Item::Place(outer)),
                    PlaceKind::Element(outer, index) => {
                        items.push(Item::Place(outer));
                        items.push(Item::Expression(index));
                    }
                    PlaceKind::Compound(..) | PlaceKind::Temporary(_) => {
                        return Err("a condition makes no objects".to_owned());
                    }
                }
                continue;
            }
        };
        let mut operands = |list: &[ExpressionId]| {
            items.extend(list.iter().map(|id| Item::Expression(*id)));
        };
        match typed.expressions[id.0 as usize].kind {
            ExpressionKind::Constant(_) | ExpressionKind::Null | ExpressionKind::Function(_) => {}
            ExpressionKind::Load(place) => items.push(Item::Place(place)),
            ExpressionKind::Address(_) | ExpressionKind::Decay(_) => {
                return Err("a condition takes no addresses".to_owned());
            }
            ExpressionKind::Convert(_, a) | ExpressionKind::Unary(_, a) => operands(&[a]),
            ExpressionKind::Binary(_, a, b)
            | ExpressionKind::PointerDifference(a, b)
            | ExpressionKind::And(a, b)
            | ExpressionKind::Or(a, b)
            | ExpressionKind::Comma(a, b) => operands(&[a, b]),
            ExpressionKind::PointerAdd { pointer, index, .. } => operands(&[pointer, index]),
            ExpressionKind::Conditional { condition, yes, no } => operands(&[condition, yes, no]),
            ExpressionKind::Elvis { value, no, .. } => operands(&[value, no]),
            ExpressionKind::Outside(what) => {
                return Err(format!(
                    "this is not decided: {}",
                    what.describe(&typed.names)
                ));
            }
            ExpressionKind::Assign(..)
            | ExpressionKind::Update { .. }
            | ExpressionKind::Old(_)
            | ExpressionKind::Call(..)
            | ExpressionKind::Statement(_)
            | ExpressionKind::Builtin(..) => {
                return Err("a condition changes nothing and calls no function".to_owned());
            }
        }
    }
    Ok(found)
}

/// A block of a function, and the block around it.
struct Block {
    around: usize,
    /// Where its last statement ends.
    end: u32,
}

/// The points of a function at which all these objects are in scope.
fn scope(
    typed: &Program,
    function: FunctionId,
    objects: &[ObjectId],
    lowered: &Lowered,
) -> Result<Vec<PointId>, String> {
    let extents = extents(typed, function);
    let mut within = Span::new(0, u32::MAX);
    for id in objects {
        let object = &typed.objects[id.0 as usize];
        if object.function != Some(function) {
            continue;
        }
        let Some(extent) = extents.get(id) else {
            return Err("a variable inside `({ … })` cannot be observed".to_owned());
        };
        within.start = within.start.max(extent.start);
        within.end = within.end.min(extent.end);
    }
    let procedures = &lowered.origin.functions;
    let points = lowered.program.points.iter().zip((0..).map(PointId));
    let inside = points.filter(|(point, id)| {
        let at = lowered.origin.point(*id).span.start;
        procedures[point.procedure.0 as usize] == Some(function)
            && within.start <= at
            && at <= within.end
    });
    Ok(inside.map(|(_, id)| id).collect())
}

/// From where to where each variable of a function is in scope. What its outermost block declares
/// is so up to the end.
pub(super) fn extents(typed: &Program, function: FunctionId) -> FxHashMap<ObjectId, Span> {
    let mut extents = FxHashMap::default();
    let Some(body) = &typed.functions[function.0 as usize].body else {
        return extents;
    };
    for parameter in &body.parameters {
        extents.insert(*parameter, Span::new(0, u32::MAX));
    }
    let mut blocks = vec![Block {
        around: 0,
        end: u32::MAX,
    }];
    let mut declared: Vec<(ObjectId, usize)> = Vec::new();
    let mut open: Vec<(StatementId, usize)> = Vec::new();
    if let StatementKind::Block(list) = typed.statements[body.block.0 as usize].kind {
        open.extend(typed.blocks[range(list)].iter().map(|id| (*id, 0)));
    }
    while let Some((id, block)) = open.pop() {
        let statement = &typed.statements[id.0 as usize];
        let end = &mut blocks[block].end;
        *end = (*end).max(statement.span.end);
        match statement.kind {
            StatementKind::Declaration(object, _) => declared.push((object, block)),
            StatementKind::Block(list) => {
                blocks.push(Block {
                    around: block,
                    end: statement.span.end,
                });
                let inner = blocks.len() - 1;
                open.extend(typed.blocks[range(list)].iter().map(|id| (*id, inner)));
            }
            StatementKind::If {
                then, otherwise, ..
            } => {
                open.push((then, block));
                open.extend(otherwise.map(|otherwise| (otherwise, block)));
            }
            StatementKind::While { body, .. } | StatementKind::Switch { body, .. } => {
                open.push((body, block));
            }
            StatementKind::Do { body, end, .. } => {
                let known = &mut blocks[block].end;
                *known = (*known).max(end.end);
                open.push((body, block));
            }
            StatementKind::For { initial, body, .. } => {
                // What is declared first lives as long as the loop.
                blocks.push(Block {
                    around: block,
                    end: statement.span.end,
                });
                let inner = blocks.len() - 1;
                open.push((body, inner));
                if let Some(initial) = initial {
                    match typed.statements[initial.0 as usize].kind {
                        StatementKind::Block(list) => {
                            let parts = typed.blocks[range(list)].iter();
                            open.extend(parts.map(|id| (*id, inner)));
                        }
                        _ => open.push((initial, inner)),
                    }
                }
            }
            StatementKind::Labelled(_, inner) => open.push((inner, block)),
            _ => {}
        }
    }
    // A block is listed before those in it.
    for index in (1..blocks.len()).rev() {
        let Block { around, end } = blocks[index];
        blocks[around].end = blocks[around].end.max(end);
    }
    for (object, block) in declared {
        let begin = typed.objects[object.0 as usize].span.start;
        extents.insert(object, Span::new(begin, blocks[block].end));
    }
    for id in &body.objects {
        let object = &typed.objects[id.0 as usize];
        // They have no declaration among the statements.
        if matches!(object.storage, Storage::Static { .. }) {
            extents.insert(*id, Span::new(object.span.start, u32::MAX));
        }
    }
    extents
}

fn range(list: List) -> std::ops::Range<usize> {
    list.start as usize..list.end as usize
}
