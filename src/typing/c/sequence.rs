//! Changes of one object in no fixed order: `i = i++`, `f(i++, i++)`, `a[i] = i++`.
//!
//! C leaves such expressions undefined. They have a meaning here, from left to right, but another
//! compiler may give them another one: so there is a warning, as gcc gives it.
//!
//! Each full expression is walked once, without recursion. What a part reads and writes is a map from
//! places to uses; where two parts have no order, a place in both that one of them writes is
//! doubtful, and so is one that is written again before an earlier write must have been made. Places are
//! told apart by how they are written: `a[i]` and `a[i]` are one place, `a[i]` and `a[j]` may be.
//! The smaller map goes into the larger one: n log n for n uses.

use super::Program;
use super::tree::{
    Callee, Expression, ExpressionId, ExpressionKind, List, PlaceId, PlaceKind, StatementKind,
    Written,
};
use crate::diagnostic::Diagnostic;
use crate::source::{Source, Span};
use crate::syntax::kit::tree::shorten;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// How a part of an expression uses a place.
#[derive(Clone, Copy, Default)]
struct Use {
    /// A write that may still be made when the value of the part is known: of which place, and
    /// where it stands.
    open: Option<(PlaceId, Span)>,
    /// A write that has been made then.
    done: Option<(PlaceId, Span)>,
}

impl Use {
    fn write(self) -> Option<(PlaceId, Span)> {
        self.open.or(self.done)
    }

    fn and(self, other: Use) -> Use {
        Use {
            open: self.open.or(other.open),
            done: self.done.or(other.done),
        }
    }
}

/// Places that are made of more parts are not told apart: finding them out would take quadratic time.
const LONGEST: usize = 16;

/// The number of a place among those that were met.
type Key = u32;

type Uses = FxHashMap<Key, Use>;

/// How a place is written, by the numbers of those that it is made of.
#[derive(PartialEq, Eq, Hash)]
enum Spelling {
    Object(u32),
    Field(Key, u32),
    /// At a constant index.
    Fixed(Key, i128),
    /// At an index that a place holds.
    Element(Key, Key),
    /// What the pointer at a place points to.
    Target(Key),
}

/// What is to be done; the uses of a part are pushed when it is done.
enum Task {
    Expression(ExpressionId),
    Place(PlaceId),
    /// The last two have no order.
    Unordered,
    /// The last one comes after the one before.
    After,
    /// One of the last two happens.
    Either,
    /// All has been done.
    Close,
    Read(PlaceId),
    Write(PlaceId, Span),
    Nothing,
}

/// The warnings about a program.
pub fn warnings(program: &Program, source: &Source) -> Vec<Diagnostic> {
    let mut walk = Walk {
        program,
        source,
        spellings: IndexSet::default(),
        tasks: Vec::new(),
        uses: Vec::new(),
        doubtful: FxHashSet::default(),
        warnings: Vec::new(),
    };
    for statement in &program.statements {
        match statement.kind {
            StatementKind::Expression(id)
            | StatementKind::Value(id)
            | StatementKind::If { condition: id, .. }
            | StatementKind::While { condition: id, .. }
            | StatementKind::Do { condition: id, .. }
            | StatementKind::Switch { value: id, .. }
            | StatementKind::Return(Some(id)) => walk.full(id),
            StatementKind::For {
                condition, step, ..
            } => condition
                .into_iter()
                .chain(step)
                .for_each(|id| walk.full(id)),
            StatementKind::Declaration(_, writes) => walk.initialiser(writes),
            _ => {}
        }
    }
    walk.warnings
}

struct Walk<'a> {
    program: &'a Program,
    source: &'a Source,
    spellings: IndexSet<Spelling, FxBuildHasher>,
    tasks: Vec<Task>,
    uses: Vec<Uses>,
    /// The places of the full expression that have been warned of.
    doubtful: FxHashSet<Key>,
    warnings: Vec<Diagnostic>,
}

impl Walk<'_> {
    fn full(&mut self, id: ExpressionId) {
        self.doubtful.clear();
        self.tasks.push(Task::Expression(id));
        while let Some(task) = self.tasks.pop() {
            self.perform(task);
        }
        self.uses.clear();
    }

    fn initialiser(&mut self, list: List) {
        for write in &self.program.writes[list.indices()] {
            if let Written::Value(value) = write.value {
                self.full(value);
            }
        }
    }

    fn perform(&mut self, task: Task) {
        match task {
            Task::Expression(id) => self.expression(self.program.expressions[id.0 as usize]),
            Task::Place(id) => self.place(id),
            Task::Nothing => self.uses.push(Uses::default()),
            Task::Unordered => {
                let (before, after) = self.pop_two();
                let joined = self.join(before, after, true);
                self.uses.push(joined);
            }
            Task::Either => {
                let (before, after) = self.pop_two();
                let joined = self.join(before, after, false);
                self.uses.push(joined);
            }
            Task::After => {
                let (mut before, after) = self.pop_two();
                close(&mut before);
                let joined = self.join(before, after, false);
                self.uses.push(joined);
            }
            Task::Close => self.uses.last_mut().into_iter().for_each(close),
            Task::Read(place) => {
                if let Some(key) = self.key(place)
                    && let Some(uses) = self.uses.last_mut()
                {
                    uses.entry(key).or_default();
                }
            }
            Task::Write(place, span) => {
                let Some(key) = self.key(place) else { return };
                let Some(uses) = self.uses.last_mut() else {
                    return;
                };
                let of = uses.entry(key).or_default();
                if of.open.replace((place, span)).is_some() {
                    self.warn(key, place, span);
                }
            }
        }
    }

    fn pop_two(&mut self) -> (Uses, Uses) {
        let after = self.uses.pop().unwrap_or_default();
        (self.uses.pop().unwrap_or_default(), after)
    }

    fn join(&mut self, one: Uses, other: Uses, are_unordered: bool) -> Uses {
        let (small, mut large) = match one.len() <= other.len() {
            true => (one, other),
            false => (other, one),
        };
        let mut keys: Vec<Key> = small.keys().copied().collect();
        keys.sort_unstable();
        for key in keys {
            let here = small[&key];
            let there = large.get(&key).copied();
            large.insert(key, there.unwrap_or_default().and(here));
            if let Some(there) = there.filter(|_| are_unordered)
                && let Some((place, span)) = here.write().or(there.write())
            {
                self.warn(key, place, span);
            }
        }
        large
    }

    fn warn(&mut self, key: Key, place: PlaceId, span: Span) {
        if self.doubtful.insert(key) {
            let place = self.program.places[place.0 as usize].span;
            let shown = shorten(&self.source.text(place));
            let message = format!(
                "`{shown}` is changed here and used elsewhere in the expression, in no fixed \
                 order: it is evaluated from left to right"
            );
            self.warnings.push(Diagnostic::warning(span, message));
        }
    }

    /// The uses of all of these have no order.
    fn unordered(&mut self, parts: impl DoubleEndedIterator<Item = ExpressionId>) {
        let mut tasks = vec![Task::Nothing];
        for part in parts {
            tasks.extend([Task::Expression(part), Task::Unordered]);
        }
        self.push(tasks);
    }

    /// The first one is done next.
    fn push(&mut self, tasks: impl IntoIterator<Item = Task, IntoIter: DoubleEndedIterator>) {
        self.tasks.extend(tasks.into_iter().rev());
    }

    fn expression(&mut self, expression: Expression) {
        use Task::{After, Close, Either, Nothing, Place, Read, Unordered, Write};
        let then = Task::Expression;
        match expression.kind {
            ExpressionKind::Load(place) => self.push([Place(place), Read(place)]),
            ExpressionKind::Address(place) | ExpressionKind::Decay(place) => {
                self.push([Place(place)]);
            }
            ExpressionKind::Convert(_, of) | ExpressionKind::Unary(_, of) => self.push([then(of)]),
            ExpressionKind::Binary(_, a, b) | ExpressionKind::PointerDifference(a, b) => {
                self.push([then(a), then(b), Unordered]);
            }
            ExpressionKind::PointerAdd { pointer, index, .. } => {
                self.push([then(pointer), then(index), Unordered]);
            }
            ExpressionKind::Assign(place, value) => {
                let write = Write(place, expression.span);
                self.push([Place(place), then(value), Unordered, write]);
            }
            ExpressionKind::Update { place, value, .. } => {
                let write = Write(place, expression.span);
                self.push([Place(place), Read(place), then(value), Unordered, write]);
            }
            ExpressionKind::And(a, b) | ExpressionKind::Or(a, b) | ExpressionKind::Comma(a, b) => {
                self.push([then(a), then(b), After]);
            }
            ExpressionKind::Conditional { condition, yes, no } => {
                self.push([then(condition), then(yes), then(no), Either, After]);
            }
            ExpressionKind::Elvis { value, no, .. } => self.push([then(value), then(no), After]),
            ExpressionKind::Call(callee, arguments) => {
                let function = match callee {
                    Callee::Function(_) => None,
                    Callee::Pointer(pointer) => Some(pointer),
                };
                let arguments = &self.program.arguments[arguments.indices()];
                let parts: Vec<_> = function.into_iter().chain(arguments.to_vec()).collect();
                self.tasks.push(Close);
                self.unordered(parts.into_iter());
            }
            ExpressionKind::Builtin(_, arguments) => {
                let arguments = self.program.arguments[arguments.indices()].to_vec();
                self.tasks.push(Close);
                self.unordered(arguments.into_iter());
            }
            ExpressionKind::Constant(_)
            | ExpressionKind::Null
            | ExpressionKind::Function(_)
            | ExpressionKind::Old(_)
            | ExpressionKind::Statement(_)
            | ExpressionKind::Outside(_) => self.push([Nothing]),
        }
    }

    fn place(&mut self, id: PlaceId) {
        match self.program.places[id.0 as usize].kind {
            PlaceKind::Object(_) => self.push([Task::Nothing]),
            PlaceKind::Target(of) | PlaceKind::Temporary(of) => self.push([Task::Expression(of)]),
            PlaceKind::Field(of, _) => self.push([Task::Place(of)]),
            PlaceKind::Element(of, index) => {
                self.push([Task::Place(of), Task::Expression(index), Task::Unordered]);
            }
            PlaceKind::Compound(_, list) => {
                let writes = self.program.writes[list.indices()].iter();
                let values = writes.filter_map(|write| match write.value {
                    Written::Value(value) => Some(value),
                    _ => None,
                });
                let mut tasks = vec![Task::Nothing];
                for value in values {
                    tasks.extend([Task::Expression(value), Task::After]);
                }
                self.push(tasks);
            }
        }
    }

    /// The number of a place that evaluating changes nothing in; none if it is made of more.
    fn key(&mut self, id: PlaceId) -> Option<Key> {
        // From the outside inwards, and back.
        let mut around = Vec::new();
        let mut place = id;
        let mut key = loop {
            if around.len() > LONGEST {
                return None;
            }
            match self.program.places[place.0 as usize].kind {
                PlaceKind::Object(id) => break self.number(Spelling::Object(id.0)),
                PlaceKind::Field(of, field) => {
                    around.push(Spelling::Field(0, field));
                    place = of;
                }
                PlaceKind::Element(of, index) => {
                    around.push(self.index(index)?);
                    place = of;
                }
                PlaceKind::Target(of) => {
                    around.push(Spelling::Target(0));
                    let (pointer, index) = match self.program.expressions[of.0 as usize].kind {
                        ExpressionKind::PointerAdd {
                            pointer,
                            index,
                            subtract: false,
                        } => (pointer, Some(index)),
                        _ => (of, None),
                    };
                    if let Some(index) = index {
                        around.push(self.index(index)?);
                    }
                    place = match self.program.expressions[pointer.0 as usize].kind {
                        ExpressionKind::Load(place) | ExpressionKind::Decay(place) => place,
                        _ => return None,
                    };
                }
                PlaceKind::Compound(..) | PlaceKind::Temporary(_) => return None,
            }
        };
        for spelling in around.into_iter().rev() {
            key = self.number(match spelling {
                Spelling::Field(_, field) => Spelling::Field(key, field),
                Spelling::Fixed(_, index) => Spelling::Fixed(key, index),
                Spelling::Element(_, index) => Spelling::Element(key, index),
                Spelling::Target(_) => Spelling::Target(key),
                object => object,
            });
        }
        Some(key)
    }

    /// An index that is a constant or a variable, perhaps converted once.
    fn index(&mut self, mut id: ExpressionId) -> Option<Spelling> {
        if let ExpressionKind::Convert(_, of) = self.program.expressions[id.0 as usize].kind {
            id = of;
        }
        match self.program.expressions[id.0 as usize].kind {
            ExpressionKind::Constant(value) => Some(Spelling::Fixed(0, value)),
            ExpressionKind::Load(place) => match self.program.places[place.0 as usize].kind {
                PlaceKind::Object(id) => {
                    let key = self.number(Spelling::Object(id.0));
                    Some(Spelling::Element(0, key))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn number(&mut self, spelling: Spelling) -> Key {
        self.spellings.insert_full(spelling).0 as Key
    }
}

/// All writes have been made.
fn close(uses: &mut Uses) {
    for of in uses.values_mut() {
        of.done = of.done.or(of.open.take());
    }
}
