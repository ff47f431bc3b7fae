//! What pointers may point to, whenever and wherever they are looked at: Andersen's analysis.
//!
//! A node is a value of an expression, a leaf of an object, or what a function returns; of
//! records, one for each pointer in them. The targets of a pointer are objects as wholes, functions,
//! places in the program that allocate memory, and what is no object. What an access may
//! reach in an object is told by the type that is accessed. So `p->f` of a struct reads `f` of
//! the structs in the objects that `p` may point to, and no other member.
//!
//! Memory that is allocated gets the type that its address is converted to at once, otherwise the
//! one it is accessed as: then it begins again.

use super::Options;
use super::flow::Flow;
use super::inclusion::Analysis;
use super::layout::{Layout, Layouts};
use super::library::{Allocation, Meaning};
use super::reach::Reach;
use crate::typing::c::tree::{
    Binary, Callee, Conversion, ExpressionId, ExpressionKind, FunctionId, Integer, ObjectId,
    Origin, Program, Role, Type, TypeId,
};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::rc::Rc;

/// What may have an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Region {
    Object(ObjectId),
    /// The memory that a call allocates: an index into [`PointsTo::sites`].
    Site(u32),
}

/// What a pointer may point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    Null,
    /// What is no more.
    Dangling,
    /// A local of a frame deep in a recursion.
    Buried,
    /// Any number, because nothing was written there.
    Uninitialised,
    /// Any number that is no object's address.
    Stranger,
    Function(FunctionId),
    Region(Region),
}

/// What holds a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Holder {
    /// Of an expression's value, this leaf of its type.
    Value(ExpressionId, u32),
    /// A leaf of a region.
    Memory(Region, u32),
    /// A leaf of what a function returns.
    Result(FunctionId, u32),
}

/// A call that allocates memory.
#[derive(Clone, Debug)]
pub struct Site {
    pub call: ExpressionId,
    /// The function that calls it.
    pub function: FunctionId,
    /// The function with which it ends, if it is on the stack.
    pub frame: FunctionId,
    pub allocation: Allocation,
    /// In bytes, if it is known.
    pub size: Option<u64>,
    /// Of which type, if that is known.
    pub element: Option<TypeId>,
    pub layout: Option<Rc<Layout>>,
}

#[derive(Default)]
pub struct PointsTo {
    pub sites: Vec<Site>,
    /// The functions that each function may call.
    pub calls: Vec<Vec<usize>>,
    pub holders: IndexSet<Holder, FxBuildHasher>,
    pub targets: IndexSet<Target, FxBuildHasher>,
    pub flow: Flow,
    /// The pointers that are compared, subtracted.
    pub compared: Vec<(ExpressionId, ExpressionId)>,
    /// Those that are made integers.
    pub made_integers: Vec<ExpressionId>,
    /// What is given to `free`.
    pub freed: Vec<ExpressionId>,
}

impl PointsTo {
    pub fn set(&self, holder: Holder) -> impl Iterator<Item = Target> + '_ {
        let node = self.holders.get_index_of(&holder);
        let set = node.map(|node| self.flow.set(node as u32));
        set.into_iter()
            .flatten()
            .map(|index| self.targets[*index as usize])
    }
}

/// The targets of all pointers.
pub fn points_to(
    program: &Program,
    reach: &Reach,
    entry: FunctionId,
    options: &Options,
    layouts: &mut Layouts<'_>,
) -> PointsTo {
    let mut elements: FxHashMap<ExpressionId, TypeId> = reach
        .expressions
        .iter()
        .filter_map(|(id, _)| {
            let expression = program.expressions[id.0 as usize];
            let ExpressionKind::Convert(Conversion::Pointer, operand) = expression.kind else {
                return None;
            };
            let target = program.types.target(expression.type_id)?.id;
            layouts.size(target)?;
            Some((operand, target))
        })
        .collect();
    loop {
        let mut analysis = Analysis::new(program, reach, options, layouts, &elements);
        analysis.generate(entry);
        analysis.solve();
        let uses = analysis.uses();
        let known = elements.len();
        for (call, type_id) in uses {
            elements.entry(call).or_insert(type_id);
        }
        if elements.len() == known {
            return analysis.result;
        }
    }
}

/// What an expression allocates, of elements of a type, if it is a call that does.
pub fn find_site(
    program: &Program,
    reach: &Reach,
    (call, function): (ExpressionId, FunctionId),
    element: Option<TypeId>,
    options: &Options,
    layouts: &mut Layouts<'_>,
) -> Option<Site> {
    let kind = program.expressions[call.0 as usize].kind;
    let ExpressionKind::Call(Callee::Function(callee), list) = kind else {
        return None;
    };
    let Meaning::Allocation(allocation) = Meaning::of(program, callee) else {
        return None;
    };
    let frame = match allocation {
        Allocation::Stack => frame(program, reach, function)?,
        Allocation::Plain | Allocation::Cleared => function,
    };
    let arguments = &program.arguments[list.indices()];
    let sizes: Option<Vec<u64>> = arguments.iter().map(|id| constant(program, *id)).collect();
    let size = sizes.and_then(|sizes| sizes.into_iter().try_fold(1_u64, u64::checked_mul));
    let mut row = |element: TypeId| {
        let element = program.types.row_element(element);
        if layouts.open_element(element).is_some() {
            let (head, each) = open_end(program, element)?;
            let least = program.types.size(element)?;
            let count = match size {
                Some(size) if size < least => return None,
                Some(size) => u32::try_from((size - head) / each).ok()?.max(1),
                None => options.cells,
            };
            return layouts.open_ended(element, count);
        }
        let each = program.types.size(element).filter(|each| *each > 0)?;
        let count = match size {
            Some(size) if size % each == 0 => u32::try_from(size / each).ok()?,
            Some(_) => return None,
            None => options.cells,
        };
        layouts.row(element, count)
    };
    // What is never accessed, or in no way that fits, is bytes.
    let bytes = program.types.of(Integer::Char);
    let layout = element.and_then(&mut row).or_else(|| row(bytes));
    Some(Site {
        call,
        function,
        frame,
        allocation,
        size,
        element,
        layout,
    })
}

/// The function in whose frame a function allocates: of what only adds the events of a rule to a call, the
/// one that has that call.
fn frame(program: &Program, reach: &Reach, function: FunctionId) -> Option<FunctionId> {
    if program.functions[function.0 as usize].role != Role::Wrapper {
        return Some(function);
    }
    reach.expressions.iter().find_map(|(id, caller)| {
        let kind = program.expressions[id.0 as usize].kind;
        let is_call =
            matches!(kind, ExpressionKind::Call(Callee::Function(id), _) if id == function);
        caller.filter(|_| is_call)
    })
}

/// Where the array without length begins that ends a struct, and the size of its elements, in bytes.
pub fn open_end(program: &Program, id: TypeId) -> Option<(u64, u64)> {
    let last = program.types.record(id)?.layout.as_ref()?.fields.last()?;
    let Type::Array(element, _) = program.types.get(last.qualified.id) else {
        return None;
    };
    let each = program.types.size(element.id).filter(|each| *each > 0)?;
    Some((last.offset, each))
}

/// The globals that others may change.
pub fn globals(program: &Program, reach: &Reach) -> Vec<ObjectId> {
    let is_global = |id: &ObjectId| {
        let object = &program.objects[id.0 as usize];
        object.function.is_none()
            && object.origin == Origin::Variable
            && !object.qualified.qualifiers.constant
    };
    reach.statics.iter().copied().filter(is_global).collect()
}

/// The value of an expression of constants, if it is one.
pub fn constant(program: &Program, id: ExpressionId) -> Option<u64> {
    enum Task {
        Visit(ExpressionId),
        Apply(Binary),
    }
    let mut values: Vec<u64> = Vec::new();
    let mut tasks = vec![Task::Visit(id)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Visit(id) => match program.expressions[id.0 as usize].kind {
                ExpressionKind::Constant(value) => values.push(u64::try_from(value).ok()?),
                ExpressionKind::Convert(Conversion::Integer, operand) => {
                    tasks.push(Task::Visit(operand));
                }
                ExpressionKind::Binary(operator @ (Binary::Add | Binary::Multiply), a, b) => {
                    tasks.push(Task::Apply(operator));
                    tasks.push(Task::Visit(b));
                    tasks.push(Task::Visit(a));
                }
                _ => return None,
            },
            Task::Apply(operator) => {
                let (b, a) = (values.pop()?, values.pop()?);
                let value = match operator {
                    Binary::Add => a.checked_add(b)?,
                    _ => a.checked_mul(b)?,
                };
                // What is larger may have been another number in its type.
                values.push(Some(value).filter(|value| *value < 1 << 31)?);
            }
        }
    }
    values.pop()
}
