//! Variable orders: which cells have their bits interleaved, and what comes first.
//!
//! An order is a list of *groups* of cells whose bits are interleaved, so that sums and
//! comparisons inside a group stay small (Moped, section 5). In the interleaved order a group
//! are the cells that meet in some sum, comparison or assignment, directly or through others.
//! A truth value meets nobody: it stays where it was declared. Locals come above globals.
//!
//! Where there are sums, the least significant bits are on top, since carries go upwards.
//! Values that are only compared and copied have the most significant bits on top: once these
//! differ, two values are in order whatever follows. A relation between an array and the same
//! array sorted has to remember how the elements are ordered so far; with the bits the other
//! way round, every permutation that may still come out.

use super::meetings::Meetings;
use crate::diagnostic::suggestion;
use crate::program::{ProcedureId, VariableId};
use crate::rules::{Condition, DataVariable, Layout, Rules};
use nom::bytes::complete::{tag, take_till1, take_while};
use nom::combinator::{map, opt};
use nom::multi::many0;
use nom::sequence::preceded;
use nom::{IResult, Parser};
use rustc_hash::FxHashSet;
use std::fmt;
use std::ops::Range;

/// A cell and what it is called in an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCell {
    pub name: String,
    pub bits: Range<DataVariable>,
}

/// Which order is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The bits of variables that meet in sums, comparisons or assignments are interleaved.
    #[default]
    Interleaved,
    /// All bits of a variable stand together, in the order of declaration.
    Sequential,
    /// As a user has written it: groups of names, a line each.
    Given(String),
}

/// What is wrong with an order that a user has written; lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderError {
    /// No variable has this name.
    Unknown {
        /// Where the name stands.
        line: usize,
        /// The name as it is written.
        name: String,
        /// What to do about it, if that is known: a name that may have been meant.
        suggestion: Option<String>,
    },
    /// A variable is named for the second time.
    Twice {
        /// Where that is.
        line: usize,
        /// The name as it is written.
        name: String,
    },
}

impl fmt::Display for OrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OrderError::Unknown {
                line,
                name,
                suggestion,
            } => {
                write!(f, "line {line}: no variable `{name}`")?;
                match suggestion {
                    Some(hint) => write!(f, "; {hint}"),
                    None => Ok(()),
                }
            }
            OrderError::Twice { line, name } => write!(f, "line {line}: `{name}` is named twice"),
        }
    }
}

impl std::error::Error for OrderError {}

/// Cells whose bits are interleaved, as indices into a list of [`NamedCell`]s.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    pub cells: Vec<usize>,
    /// The most significant bits are on top; otherwise the least significant ones.
    pub high_first: bool,
}

/// From the top down.
pub type Groups = Vec<Group>;

/// What a line begins with whose group has its most significant bits on top. No name of a
/// cell has a colon in it.
const HIGH_FIRST: &str = "high:";

/// All cells: the locals of each kind of frame, the globals, the returned values.
pub fn cells_of(rules: &Rules<'_>) -> Vec<NamedCell> {
    let layout = &rules.layout;
    let mut cells = Vec::new();
    let frames = || rules.frames.iter().zip((0..).map(ProcedureId));
    for (frame, id) in frames() {
        for (local, i) in frame.locals.iter().zip(0..) {
            cells.push(NamedCell {
                name: format!("{}.{}", frame.name, rules.names.text(local.name)),
                bits: layout.cell(id, VariableId::Local(i)),
            });
        }
    }
    for (global, i) in rules.globals.iter().zip(0..) {
        let name = match rules.state_cell == Some(i) {
            true => "state()",
            false => rules.names.text(global.name),
        };
        cells.push(NamedCell {
            name: name.to_owned(),
            bits: layout.global(i),
        });
    }
    for (frame, id) in frames() {
        for i in 0..frame.returns.len() as u32 {
            cells.push(NamedCell {
                name: format!("{}.return[{i}]", frame.name),
                bits: layout.returned(id, i),
            });
        }
    }
    cells
}

/// Each cell by itself, as declared.
pub fn sequential(cells: &[NamedCell]) -> Groups {
    (0..cells.len()).map(Group::alone).collect()
}

impl Group {
    fn alone(cell: usize) -> Self {
        Group {
            cells: vec![cell],
            high_first: false,
        }
    }
}

/// Cells that meet share a group. Groups stand where their first cell was declared, but what
/// chooses among the elements of an array stands above it, in a group of its own even if the
/// two meet: otherwise it would have to be remembered of each element whether it may be the
/// one.
pub fn interleaved(cells: &[NamedCell], meetings: &Meetings) -> Groups {
    let chosen: FxHashSet<_> = meetings.choices().map(|(_, chosen)| chosen).collect();
    let meets = |(a, b): &(DataVariable, DataVariable)| meetings.class(*a) == meetings.class(*b);
    let entangled = meetings.choices().filter(meets).map(|(index, _)| index);
    let apart: FxHashSet<_> = entangled.filter(|index| !chosen.contains(index)).collect();
    let key = |first: DataVariable| (meetings.class(first), apart.contains(&first));
    let mut groups: indexmap::IndexMap<_, Group> = indexmap::IndexMap::new();
    for (index, cell) in cells.iter().enumerate() {
        let first = cell.bits.start;
        let group = groups.entry(key(first)).or_default();
        group.cells.push(index);
        group.high_first |= cell.bits.len() > 1 && !meetings.is_counted(meetings.class(first));
    }
    let mut above: Vec<Vec<usize>> = vec![Vec::new(); groups.len()];
    for (index, chosen) in meetings.choices() {
        let places = groups
            .get_index_of(&key(index))
            .zip(groups.get_index_of(&key(chosen)));
        if let Some((index, chosen)) = places
            && index != chosen
            && !above[chosen].contains(&index)
        {
            above[chosen].push(index);
        }
    }
    let groups: Groups = groups.into_values().collect();
    let order = dependencies_first(&above);
    order
        .into_iter()
        .map(|group| groups[group].clone())
        .collect()
}

/// All numbers in rising order, but each behind those it depends on (as far as these do not
/// depend on it themselves).
fn dependencies_first(dependencies: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(dependencies.len());
    let mut seen = vec![false; dependencies.len()];
    for root in 0..dependencies.len() {
        // Each entry: a number, and how many of its dependencies were looked at.
        let mut stack = vec![(root, 0)];
        while let Some((number, looked)) = stack.last_mut() {
            if *looked == 0 && std::mem::replace(&mut seen[*number], true) {
                stack.pop();
                continue;
            }
            match dependencies[*number].get(*looked) {
                Some(next) => {
                    *looked += 1;
                    let next = *next;
                    if !seen[next] {
                        stack.push((next, 0));
                    }
                }
                None => {
                    order.push(*number);
                    stack.pop();
                }
            }
        }
    }
    order
}

/// The data variables of the order wanted, from the top down; `None` if they stand as they were
/// declared. The rules are needed for other orders only.
pub fn resolve<'r>(
    choice: &Choice,
    layout: &Layout,
    rules: impl FnOnce() -> Rules<'r>,
    conditions: &[Condition<'_>],
) -> Result<Option<Vec<DataVariable>>, OrderError> {
    match choice {
        Choice::Interleaved if layout.is_wide() => {
            let rules = rules();
            let (cells, meetings) = (cells_of(&rules), meetings(&rules, conditions));
            Ok(Some(flatten(&cells, &interleaved(&cells, &meetings))))
        }
        Choice::Interleaved | Choice::Sequential => Ok(None),
        Choice::Given(text) => {
            let cells = cells_of(&rules());
            Ok(Some(flatten(&cells, &parse(text, &cells)?)))
        }
    }
}

/// The order wanted in the form that [`parse`] reads.
pub fn describe(
    choice: &Choice,
    rules: &Rules<'_>,
    conditions: &[Condition<'_>],
) -> Result<String, OrderError> {
    let cells = cells_of(rules);
    let groups = match choice {
        Choice::Interleaved => interleaved(&cells, &meetings(rules, conditions)),
        Choice::Sequential => sequential(&cells),
        Choice::Given(text) => parse(text, &cells)?,
    };
    Ok(show(&cells, &groups))
}

/// What meets in the program, and in such conditions.
fn meetings(rules: &Rules<'_>, conditions: &[Condition<'_>]) -> Meetings {
    let mut meetings = Meetings::of(rules);
    for (operations, locals) in conditions {
        meetings.meet_in_condition(&rules.layout, operations, locals);
    }
    meetings
}

/// The data variables of the interleaved order; `None` if each cell is one bit, and all stand
/// as they were declared.
pub fn interleaved_bits(rules: &Rules<'_>) -> Option<Vec<DataVariable>> {
    rules.layout.is_wide().then(|| {
        let cells = cells_of(rules);
        flatten(&cells, &interleaved(&cells, &Meetings::of(rules)))
    })
}

/// The data variables of an order from the top down, group by group. A bit that several
/// procedures share stands where it is named first.
pub fn flatten(cells: &[NamedCell], groups: &Groups) -> Vec<DataVariable> {
    let end = cells.iter().map(|cell| cell.bits.end).max().unwrap_or(0);
    let mut order = Vec::with_capacity(end as usize);
    let mut placed = vec![false; end as usize];
    for group in groups {
        let widths = group
            .cells
            .iter()
            .map(|cell| cells[*cell].bits.len() as u32);
        let widest = widths.max().unwrap_or(0);
        for step in 0..widest {
            let place = match group.high_first {
                true => widest - 1 - step,
                false => step,
            };
            for cell in &group.cells {
                let bit = cells[*cell].bits.start + place;
                if cells[*cell].bits.contains(&bit)
                    && !std::mem::replace(&mut placed[bit as usize], true)
                {
                    order.push(bit);
                }
            }
        }
    }
    order
}

/// An order that a user has written: one group a line, names from the top down; `high:` at
/// the beginning puts its most significant bits on top, `#` begins a comment. Cells that are
/// not named come last, each by itself.
pub fn parse(text: &str, cells: &[NamedCell]) -> Result<Groups, OrderError> {
    let mut groups = Groups::new();
    let mut named = vec![false; cells.len()];
    for (text, number) in text.lines().zip(1..) {
        let (_, (high_first, names)) = line(text).unwrap_or_default();
        let mut group = Group {
            cells: Vec::new(),
            high_first,
        };
        for name in names {
            let place = cells.iter().position(|cell| cell.name == name);
            let Some(place) = place else {
                let known = cells.iter().map(|cell| cell.name.as_str());
                return Err(OrderError::Unknown {
                    line: number,
                    name: name.to_owned(),
                    suggestion: suggestion(name, known),
                });
            };
            if std::mem::replace(&mut named[place], true) {
                return Err(OrderError::Twice {
                    line: number,
                    name: name.to_owned(),
                });
            }
            group.cells.push(place);
        }
        if !group.cells.is_empty() {
            groups.push(group);
        }
    }
    let rest = (0..cells.len()).filter(|cell| !named[*cell]);
    groups.extend(rest.map(Group::alone));
    Ok(groups)
}

/// Whether the most significant bits of a line's group come first, and the names on it.
fn line(text: &str) -> IResult<&str, (bool, Vec<&str>)> {
    let blanks = || take_while(char::is_whitespace);
    let name = take_till1(|c: char| c.is_whitespace() || c == '#');
    let high_first = map(opt(tag(HIGH_FIRST)), |prefix| prefix.is_some());
    let names = many0(preceded(blanks(), name));
    preceded(blanks(), (high_first, names)).parse(text)
}

/// Groups in the form in which a user writes them.
pub fn show(cells: &[NamedCell], groups: &Groups) -> String {
    let line = |group: &Group| {
        let prefix = group.high_first.then_some(HIGH_FIRST);
        let names = group.cells.iter().map(|cell| cells[*cell].name.as_str());
        let words: Vec<_> = prefix.into_iter().chain(names).collect();
        words.join(" ") + "\n"
    };
    groups.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::remopla::{RemoplaOptions, remopla};
    use crate::rules::Layout;
    use crate::source::Source;
    use std::sync::Arc;

    /// The cells and groups of a program's interleaved order.
    fn order(text: &str) -> (Vec<NamedCell>, Groups) {
        let source = Arc::new(Source::new("program.rem", text.as_bytes().to_vec()));
        let (program, diagnostics) = remopla(source, None, &RemoplaOptions::default());
        let program = program.unwrap_or_else(|| panic!("{diagnostics:?}"));
        let rules = Rules::of_program(&program, Layout::of(&program), false);
        let cells = cells_of(&rules);
        let groups = interleaved(&cells, &Meetings::of(&rules));
        (cells, groups)
    }

    #[test]
    fn what_is_only_compared_has_its_high_bits_on_top() {
        let text = "int a[1,2](2), p(2), i(2); module void main() {
            i = i + 1; p = a[i]; if :: a[1] < p -> a[2] = p; :: else -> skip; fi }";
        let (cells, groups) = order(text);
        assert_eq!(show(&cells, &groups), "i\nhigh: a[1] a[2] p\n");
        let names = |bit: &DataVariable| {
            let cell = cells.iter().find(|cell| cell.bits.contains(bit));
            cell.map(|cell| format!("{}.{}", cell.name, bit - cell.bits.start))
        };
        let flat: Vec<_> = flatten(&cells, &groups).iter().filter_map(names).collect();
        let wanted = "i.0 i.1 a[1].1 a[2].1 p.1 a[1].0 a[2].0 p.0";
        assert_eq!(flat.join(" "), wanted);
    }

    #[test]
    fn indices_stand_above_arrays() {
        let text = "int a[2](2), b[2](2), i(2), j(2), z(2); module void main() {
            a[i] = b[j]; z = 1; }";
        let (cells, groups) = order(text);
        assert_eq!(
            show(&cells, &groups),
            "high: i\nhigh: j\nhigh: a[0] a[1] b[0] b[1]\nhigh: z\n"
        );
    }

    #[test]
    fn an_index_that_meets_its_array_stands_apart() {
        let text = "int a[2](2), i(2), j(2); module void main() {
            assert(a[i] == i); assert(i < j); }";
        let (cells, groups) = order(text);
        assert_eq!(show(&cells, &groups), "high: i\nhigh: a[0] a[1] j\n");
    }

    #[test]
    fn dependencies_come_first() {
        assert_eq!(dependencies_first(&[vec![2], vec![], vec![1]]), [1, 2, 0]);
        assert_eq!(dependencies_first(&[vec![1], vec![0], vec![2]]), [1, 0, 2]);
    }

    #[test]
    fn counters_of_one_loop_meet() {
        let text = "int x(2), y(2), z(2); module void main() { x = 0, y = 0, z = 0;
            do :: x < 3 -> x = x + 1; y = y + 1; :: else -> break; od z = z + 1; }";
        let (cells, groups) = order(text);
        assert_eq!(show(&cells, &groups), "x y\nz\n");
    }

    #[test]
    fn counters_of_one_recursion_meet() {
        let text = "int g(2); module void f(int n(2)) {
            if :: n > 0 -> g = g + 1; f(n - 1); :: else -> skip; fi }
            module void main() { g = 0; f(3); }";
        let (cells, groups) = order(text);
        assert_eq!(show(&cells, &groups), "f.n g\n");
    }

    #[test]
    fn what_is_shown_can_be_read() {
        let text = "int a[1,3](2), i(3), k(3); bool b; module void main() {
            i = i + 1; k = i; if :: a[i] < a[2] -> b = true; :: else -> skip; fi }";
        let (cells, groups) = order(text);
        assert_eq!(parse(&show(&cells, &groups), &cells), Ok(groups));
        let wrong = |text: &str| parse(text, &cells).map_err(|error| error.to_string());
        let unknown = "line 1: no variable `nothing`";
        assert_eq!(wrong("high: a[1] nothing"), Err(unknown.to_owned()));
        let near = "line 3: no variable `bb`; did you mean `b`?";
        assert_eq!(wrong(" # none\n\n\thigh:i bb#k"), Err(near.to_owned()));
        let twice = "line 2: `i` is named twice";
        assert_eq!(wrong("i # k\nhigh: i"), Err(twice.to_owned()));
    }
}
