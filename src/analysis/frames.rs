//! Which heads can be in one frame, who pushes whom, and an order of work.
//!
//! A frame begins with a head that was pushed and goes on with what takes its place: by a
//! step, or below a push. Heads that are joined by such rules are one *class*, whatever frame
//! they come from; the heads of one procedure are always one class. Strongly connected
//! components of "pushes" tell recursion apart. Linear in the rules.

use crate::components::{components, cyclic_components, is_cyclic};
use crate::index::{IndexVec, indices};
use crate::rules::{Head, Right, Rules};

/// Heads that can be in one frame, an index into [`Frames::classes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub u32);

indices!(ClassId);

#[derive(Clone, Debug, Default)]
pub struct Class {
    /// Those that can be reached, in reverse postorder, loops before what follows: the order
    /// in which a saturation makes the fewest detours.
    pub heads: Vec<Head>,
    /// The heads among them where frames begin.
    pub entries: Vec<Head>,
    /// The classes it pushes frames of, in rising order.
    pub pushed: Vec<ClassId>,
    /// The classes that push frames of it.
    pub pushing: Vec<ClassId>,
    /// Whether a frame of it can come to lie above another one.
    pub is_recursive: bool,
}

#[derive(Debug)]
pub struct Frames {
    class_of: IndexVec<Head, Option<ClassId>>,
    pub classes: IndexVec<ClassId, Class>,
    /// The classes that can be reached, pushed ones before those that push them.
    pub bottom_up: Vec<ClassId>,
}

/// Where a rule goes on in the same frame.
pub fn goes_on(right: Right) -> Option<Head> {
    match right {
        Right::Pop => None,
        Right::Step(to) | Right::Push { saved: to, .. } => Some(to),
    }
}

impl Frames {
    pub fn of(rules: &Rules<'_>) -> Self {
        let class_of = classes(rules);
        let count = class_of.iter().flatten().max().map_or(0, |id| id.0 + 1);
        let mut frames = Frames {
            class_of,
            classes: IndexVec::filled(Class::default(), count as usize),
            bottom_up: Vec::new(),
        };
        for entry in &rules.entries {
            if let Some(class) = frames.class(*entry) {
                frames.classes[class].entries.push(*entry);
            }
        }
        for rule in &rules.rules {
            if let Right::Push { first, .. } = rule.right
                && let (Some(from), Some(to)) = (frames.class(rule.from), frames.class(first))
            {
                frames.classes[from].pushed.push(to);
                frames.classes[to].pushing.push(from);
            }
        }
        for class in frames.classes.iter_mut() {
            class.pushed.sort_unstable();
            class.pushed.dedup();
            class.pushing.sort_unstable();
            class.pushing.dedup();
        }
        frames.find_recursion(rules);
        frames.order_heads(rules);
        frames
    }

    /// The class of a head; none if it is where executions have stopped.
    pub fn class(&self, head: Head) -> Option<ClassId> {
        self.class_of[head]
    }

    pub fn get(&self, class: ClassId) -> &Class {
        &self.classes[class]
    }

    fn find_recursion(&mut self, rules: &Rules<'_>) {
        let start = self.class(rules.start.head);
        let others = self.classes.indices().filter(|_| rules.is_whole);
        let pushed = self.classes.iter().map(|class| class.pushed.clone());
        let pushed: IndexVec<ClassId, _> = pushed.collect();
        for members in components(pushed.as_slice(), start.into_iter().chain(others)) {
            let is_recursive = is_cyclic(pushed.as_slice(), &members);
            for member in &members {
                self.classes[*member].is_recursive = is_recursive;
            }
            self.bottom_up.extend(members);
        }
    }

    fn order_heads(&mut self, rules: &Rules<'_>) {
        let loops = match rules.is_frame_by_kind {
            // The rules of a program are in the order of its text: loops come first.
            true => IndexVec::new(),
            false => loops(rules),
        };
        let mut walk = Postorder {
            rules,
            loops,
            seen: IndexVec::filled(false, rules.heads()),
            stack: Vec::new(),
        };
        let mut others = IndexVec::filled(Vec::new(), self.classes.len());
        if rules.is_whole {
            for head in rules.head_ids() {
                if let Some(class) = self.class(head) {
                    others[class].push(head);
                }
            }
        }
        for (class, others) in self.classes.iter_mut().zip(&others) {
            let entries = class.entries.iter().copied();
            for root in entries.chain(others.iter().copied()) {
                let first = class.heads.len();
                walk.extend(&mut class.heads, root);
                class.heads[first..].reverse();
            }
        }
    }
}

enum Visit {
    Enter(Head),
    Leave(Head),
}

/// A depth-first walk through the heads of frames.
struct Postorder<'a> {
    rules: &'a Rules<'a>,
    /// For each head, the number of the loop it is in; empty if rules have loops first.
    loops: IndexVec<Head, Option<u32>>,
    seen: IndexVec<Head, bool>,
    stack: Vec<Visit>,
}

impl Postorder<'_> {
    /// Adds the heads that a frame goes on with from `root`, as far as they have not been seen.
    fn extend(&mut self, order: &mut Vec<Head>, root: Head) {
        self.stack.push(Visit::Enter(root));
        while let Some(visit) = self.stack.pop() {
            match visit {
                Visit::Leave(head) => order.push(head),
                Visit::Enter(head) => self.enter(head),
            }
        }
    }

    fn enter(&mut self, head: Head) {
        if std::mem::replace(&mut self.seen[head], true) {
            return;
        }
        self.stack.push(Visit::Leave(head));
        // The last one (what follows a loop) is visited first, finishes first, and comes last
        // in the reversed order.
        let first = self.stack.len();
        for rule in self.rules.rules_from(head) {
            if let Some(next) = goes_on(rule.right)
                && self.rules.frame_of(next).is_some()
            {
                self.stack.push(Visit::Enter(next));
            }
        }
        if let Some(own) = self.loops.get(head).copied().flatten() {
            let is_outside = |visit: &Visit| match visit {
                Visit::Enter(next) => self.loops[*next] != Some(own),
                Visit::Leave(_) => false,
            };
            self.stack[first..].sort_by_key(is_outside);
        }
    }
}

/// For each head, the number of the loop it is in.
fn loops(rules: &Rules<'_>) -> IndexVec<Head, Option<u32>> {
    let mut inside = IndexVec::<Head, _>::filled(Vec::new(), rules.heads());
    for rule in &rules.rules {
        if let Some(to) = goes_on(rule.right) {
            inside[rule.from].push(to);
        }
    }
    let mut loops = IndexVec::filled(None, rules.heads());
    for (members, number) in cyclic_components(inside.as_slice()).iter().zip(0..) {
        for member in members {
            loops[*member] = Some(number);
        }
    }
    loops
}

/// The class of each head, numbered in the order of the first heads.
fn classes(rules: &Rules<'_>) -> IndexVec<Head, Option<ClassId>> {
    let heads = rules.head_ids();
    if rules.is_frame_by_kind {
        let class = |head| rules.frame_of(head).map(|frame| ClassId(frame.0));
        return heads.map(class).collect();
    }
    let mut parents: IndexVec<Head, Head> = rules.head_ids().collect();
    fn root(parents: &mut IndexVec<Head, Head>, mut head: Head) -> Head {
        while parents[head] != head {
            let above = parents[parents[head]];
            parents[head] = above;
            head = above;
        }
        head
    }
    for rule in &rules.rules {
        if let Some(to) = goes_on(rule.right) {
            let (a, b) = (root(&mut parents, rule.from), root(&mut parents, to));
            parents[a.max(b)] = a.min(b);
        }
    }
    let mut numbers = IndexVec::<Head, _>::filled(None, rules.heads());
    let mut next = 0;
    let class = |head: Head| {
        rules.frame_of(head)?;
        let number = numbers[root(&mut parents, head)].get_or_insert_with(|| {
            next += 1;
            ClassId(next - 1)
        });
        Some(*number)
    };
    heads.map(class).collect()
}
