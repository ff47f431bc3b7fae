//! Sets of configurations against single ones: what `post*` and `pre*` of a regular set hold
//! is what the interpreter finds, step by step, with whole stacks.

#[path = "configurations/explicit.rs"]
mod explicit;
mod library;
#[path = "configurations/sets.rs"]
mod sets;

use derny::Overflow;
use derny::generate::random;
use derny::internals::configurations::{Language as _, ProgramNames, resolve, with_model};
use derny::internals::interpreter::{Valuation, View, Waiting};
use derny::internals::program::{
    Cell, Domain, Language, PointId, ProcedureId, Program, VariableId,
};
use derny::internals::source::Source;
use derny::internals::watch::{Stop, Watch};
use explicit::{Configuration, calls, reachable, starts};
use indexmap::IndexSet;
use library::{read, read_remopla};
use proptest::prelude::*;
use sets::{MEMORY, read_or_refused};

/// A program with its exact model.
type Sets<'a> = sets::Sets<'a, ProgramNames<'a>>;

fn with_sets<T>(program: &Program, work: impl FnOnce(&Sets<'_>) -> T) -> T {
    let names = ProgramNames::new(program);
    let watch = Watch::default();
    let result: Result<T, Stop> = with_model(&names, MEMORY, &watch, |model| {
        let names = &names;
        Ok(work(&Sets { names, model }))
    });
    result.unwrap()
}

/// A condition that fixes all values.
fn fixed(program: &Program, of: ProcedureId, values: &[(VariableId, u64)]) -> String {
    let is_remopla = program.language == Language::Remopla;
    let literals = values.iter().map(|(variable, value)| {
        let cell = program.cell(of, *variable);
        let name = program.names.text(cell.name);
        match cell.domain {
            Domain::Boolean if *value == 1 => name.to_owned(),
            Domain::Boolean => format!("!{name}"),
            Domain::Integer { .. } => format!("{name} == {value}"),
            Domain::Enumeration { id, .. } => {
                let value = program.enumerations[id as usize].names[*value as usize];
                format!("{name} == {}", program.names.text(value))
            }
        }
    });
    let literals: Vec<String> = literals.collect();
    match literals.is_empty() {
        true => String::new(),
        false => format!(
            " {{ {} }}",
            literals.join(if is_remopla { " && " } else { " & " })
        ),
    }
}

fn locals(values: &[u64]) -> Vec<(VariableId, u64)> {
    let values = values.iter().copied().zip(0..);
    values
        .map(|(value, i)| (VariableId::Local(i), value))
        .collect()
}

fn globals(values: &[u64]) -> Vec<(VariableId, u64)> {
    let values = values.iter().copied().zip(0..);
    values
        .map(|(value, i)| (VariableId::Global(i), value))
        .collect()
}

/// A configuration as text.
fn written(names: &ProgramNames<'_>, configuration: &Configuration) -> String {
    let program = names.program;
    let symbol = |point: PointId, values: &[(VariableId, u64)]| {
        let condition = fixed(program, program.point(point).procedure, values);
        format!("<{}{condition}>", names.show(point))
    };
    match configuration {
        Configuration::Error(values) => {
            format!("error{}", fixed(program, program.entry, &globals(values)))
        }
        Configuration::Terminated(values) => {
            format!(
                "terminated{}",
                fixed(program, program.entry, &globals(values))
            )
        }
        Configuration::Running(view, stack) => {
            let mut values = locals(view.valuation.locals());
            values.extend(globals(view.valuation.globals()));
            let mut text = symbol(view.at, &values);
            for waiting in stack.iter().rev() {
                text.push(' ');
                text.push_str(&symbol(waiting.at, &locals(&waiting.locals)));
            }
            text
        }
    }
}

/// The same configuration with one value changed.
fn changed(
    program: &Program,
    configuration: &Configuration,
    number: usize,
) -> Option<Configuration> {
    let next = |cell: &Cell, value: u64| (value + 1) % cell.domain.size() as u64;
    let mut changed = configuration.clone();
    match &mut changed {
        Configuration::Error(values) | Configuration::Terminated(values) => {
            let value = values.get_mut(number)?;
            *value = next(&program.globals[number], *value);
        }
        Configuration::Running(view, stack) => {
            let globals = view.valuation.globals().len();
            let of_view = globals + view.valuation.locals().len();
            if number < of_view {
                let variable = match number.checked_sub(globals) {
                    None => VariableId::Global(number as u32),
                    Some(local) => VariableId::Local(local as u32),
                };
                let cell = program.cell(program.point(view.at).procedure, variable);
                let value = next(&cell, view.valuation.get(variable));
                view.valuation.set(variable, value);
            } else {
                let mut below = stack.iter_mut().flat_map(|waiting| {
                    let cells = &program.procedure_of(waiting.at).locals;
                    waiting.locals.iter_mut().zip(cells)
                });
                let (value, cell) = below.nth(number - of_view)?;
                *value = next(cell, *value);
            }
        }
    }
    Some(changed)
}

/// What an exit has fixed to be returned is no part of what is written.
fn shown(configuration: &Configuration) -> Configuration {
    let mut shown = configuration.clone();
    if let Configuration::Running(view, _) = &mut shown {
        view.returns = None;
    }
    shown
}

/// Compares `post*` of some configurations with the interpreter.
fn compare_post(
    text: &str,
    sets: &Sets<'_>,
    from: &str,
    found: &IndexSet<Configuration>,
    complete: bool,
) {
    let automaton = sets.post(from);
    let found: IndexSet<_> = found.iter().map(shown).collect();
    let step = (found.len() / 60).max(1);
    for configuration in found.iter().step_by(step) {
        let written = written(sets.names, configuration);
        assert!(
            sets.contains(&automaton, &written),
            "{written} from {from}\n{text}"
        );
        if !complete {
            continue;
        }
        for number in 0..12 {
            if let Some(other) = changed(sets.names.program, configuration, number) {
                let written = self::written(sets.names, &other);
                let expected = found.contains(&other);
                let contained = sets.contains(&automaton, &written);
                assert_eq!(contained, expected, "{written} from {from}\n{text}");
            }
        }
    }
    if complete {
        let heads: IndexSet<_> = found
            .iter()
            .filter_map(|configuration| match configuration {
                Configuration::Running(view, _) => Some((view.at, view.valuation.clone())),
                _ => None,
            })
            .collect();
        assert_eq!(
            sets.heads(&automaton),
            heads.len().to_string(),
            "{from}\n{text}"
        );
    }
}

fn small() -> random::Options {
    random::Options {
        globals: 2,
        locals: 1,
        parameters: 1,
        returns: 1,
        statements: 6,
        predicates: 0,
        ..random::Options::small()
    }
}

#[test]
fn from_the_start() {
    let mut complete_programs = 0;
    for seed in 0..60 {
        let text = random::program(seed, &small());
        let program = read(&text);
        let Some((found, complete)) = reachable(&program, starts(&program), 4, 3_000) else {
            continue;
        };
        complete_programs += usize::from(complete);
        with_sets(&program, |sets| {
            compare_post(&text, sets, &sets.names.start(), &found, complete);
        });
    }
    assert!(complete_programs > 20, "{complete_programs}");
}

/// Numbers, enumerations, arrays and structs; calls that change the frame that waits; values
/// that do not fit.
const REMOPLA: [&str; 3] = [
    "enum mode { idle, busy, done }; enum mode m; int n(2);
     module int(2) next(int k(2)) { int r(2); if :: k < 3 -> r = k + 1; :: else -> skip; fi return r; }
     module void main() { int x(2), y(2); x = 0; m = idle;
       do :: x < 2 -> x = next(x), y = x, m = busy; :: x == 2 -> m = done; break; od
       n = next(y), y = 1; }",
    "int a[2](1); bool b;
     module void set(int i(2)) { a[i] = 1; if :: i > 0 -> set(i - 1), b = !b; :: else -> skip; fi }
     module void main() { int i(2); set(i), i = i + 1; assert(b || a[0] == 1); }",
    "struct pair { int x(1); bool y; }; struct pair s;
     module struct pair swap(struct pair p) { bool z; z = p.y; p.y = p.x == 1;
       if :: z -> p.x = 1; :: !z -> p.x = 0; fi return p; }
     module void main() { struct pair t; t = s; s = swap(t), t.x = undef; }",
];

#[test]
fn numbers_and_calls_that_change_their_frame() {
    for text in REMOPLA {
        for overflow in [Overflow::Error, Overflow::Wrap, Overflow::Block] {
            let program = read_remopla(text, overflow);
            let found = reachable(&program, starts(&program), 6, 20_000);
            let (found, complete) = found.expect("few configurations");
            assert!(complete);
            with_sets(&program, |sets| {
                compare_post(text, sets, &sets.names.start(), &found, complete);
                for (i, configuration) in some_configurations(&program, 7).into_iter().enumerate() {
                    let from = written(sets.names, &configuration);
                    let found = reachable(&program, [configuration], 8, 20_000);
                    let (found, complete) = found.expect("few configurations");
                    compare_post(text, sets, &from, &found, complete);
                    // And back again.
                    let last = found.iter().nth_back(i).map(|c| written(sets.names, c));
                    let to = last.unwrap_or(from.clone());
                    assert!(
                        sets.contains(&sets.pre(&to), &from),
                        "{from} to {to}\n{text}"
                    );
                    let reaching = sets.pre(&to);
                    let all: u128 = possible_heads(&program);
                    assert!(sets.heads(&reaching).parse::<u128>().unwrap() <= all);
                    let ends = ["error", "terminated", "<main.exit>", "<main> *"];
                    let post = sets.post(&from);
                    for to in ends {
                        let (forward, pre) = (sets.contains(&post, to), sets.pre(to));
                        assert_eq!(
                            sets.contains(&pre, &from),
                            forward,
                            "{from} to {to}\n{text}"
                        );
                    }
                }
            });
        }
    }
}

/// How many heads there can be at all.
fn possible_heads(program: &Program) -> u128 {
    let size = |cells: &[Cell]| {
        cells
            .iter()
            .map(|cell| cell.domain.size())
            .product::<u128>()
    };
    let procedures = program.procedures.iter();
    let heads = procedures.map(|p| p.points.len() as u128 * size(&p.locals));
    heads.sum::<u128>() * size(&program.globals)
}

#[test]
fn values_outside_of_a_domain_are_not_counted() {
    for text in REMOPLA {
        let program = read_remopla(text, Overflow::Wrap);
        with_sets(&program, |sets| {
            let all = possible_heads(&program).to_string();
            assert_eq!(sets.heads(&sets.pre("_ *")), all, "{text}");
            assert_eq!(sets.heads(&sets.post("_ *")), all, "{text}");
        });
    }
}

/// Stacks that no execution from the start need have.
fn some_configurations(program: &Program, seed: u64) -> Vec<Configuration> {
    let calls = calls(program);
    let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = move |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below.max(1) as u64) as usize
    };
    let mut configurations = Vec::new();
    for _ in 0..4 {
        let mut stack = Vec::new();
        let depth = next(4);
        let mut procedure = next(program.procedures.len()) as u32;
        for _ in 0..depth {
            let from: Vec<_> = calls.iter().filter(|(_, of, _)| *of == procedure).collect();
            if from.is_empty() {
                break;
            }
            let (call, _, callee) = from[next(from.len())];
            let cells = &program.procedure(ProcedureId(procedure)).locals;
            let locals = cells
                .iter()
                .map(|cell| next(cell.domain.size() as usize) as u64);
            stack.push(Waiting {
                at: *call,
                locals: locals.collect(),
            });
            procedure = *callee;
        }
        let definition = program.procedure(ProcedureId(procedure));
        let at = PointId(definition.points.start + next(definition.points.len()) as u32);
        let mut values = |cells: &[Cell]| -> Vec<u64> {
            let values = cells
                .iter()
                .map(|cell| next(cell.domain.size() as usize) as u64);
            values.collect()
        };
        let globals = values(&program.globals);
        let locals = values(&definition.locals);
        let view = View {
            at,
            valuation: Valuation::new(&globals, &locals),
            returns: None,
        };
        configurations.push(Configuration::Running(view, stack));
    }
    configurations
}

#[test]
fn from_anywhere() {
    let mut complete_sets = 0;
    for seed in 0..60 {
        let text = random::program(seed, &small());
        let program = read(&text);
        with_sets(&program, |sets| {
            for configuration in some_configurations(&program, seed) {
                let from = written(sets.names, &configuration);
                let depth = configuration.depth() + 3;
                let found = reachable(&program, [configuration], depth, 1_000);
                if let Some((found, complete)) = found {
                    complete_sets += usize::from(complete);
                    compare_post(&text, sets, &from, &found, complete);
                }
            }
        });
    }
    assert!(complete_sets > 80, "{complete_sets}");
}

#[test]
fn backwards_is_the_converse_of_forwards() {
    let mut answers = [0, 0];
    for seed in 0..60 {
        let text = random::program(seed, &small());
        let program = read(&text);
        let some = some_configurations(&program, seed);
        with_sets(&program, |sets| {
            let mut texts: Vec<_> = some.iter().map(|c| written(sets.names, c)).collect();
            for configuration in &some {
                let found = reachable(
                    &program,
                    [configuration.clone()],
                    configuration.depth() + 2,
                    300,
                );
                if let Some((found, _)) = found {
                    let last = found.iter().rev().take(2);
                    texts.extend(last.map(|c| written(sets.names, c)));
                }
            }
            texts.extend(
                [
                    "error",
                    "terminated",
                    "<main> *",
                    "<_> _+",
                    "_ _",
                    "<main.exit>",
                ]
                .map(str::to_owned),
            );
            let possible = |text: &String| {
                let source = Source::new("", text.as_bytes().to_vec());
                resolve(sets.names, &source).is_ok()
            };
            texts.retain(possible);
            texts.dedup();
            sets.compare_directions(&texts, &text, &mut answers);
        });
    }
    assert!(answers.iter().all(|count| *count > 1_000), "{answers:?}");
}

/// Parts of sets, and what does not belong there.
fn fragments() -> impl Strategy<Value = String> {
    let parts = vec![
        "<main.entry>",
        "<main>",
        "<p",
        ">",
        "<p.L {x}>",
        "{",
        "}",
        "(",
        ")",
        "|",
        "*",
        " *",
        "+",
        "?",
        "_",
        ".",
        " ",
        "error",
        "terminated",
        "@3:5",
        "<main@1:",
        "<p {g & }>",
        "{{",
        "é",
        "<p@99999999999999999999:1>",
        "<{p}.{q}>",
        "<p.>",
        "<.p>",
        "<@>",
        "\u{0}",
        "<_ {p.x}>",
        "<p {p.x = main.g}>",
        "<p {g ? x : (}>",
        "\n",
    ];
    let parts = prop_oneof![
        4 => proptest::sample::select(parts).prop_map(str::to_owned),
        1 => "\\PC{0,3}",
    ];
    proptest::collection::vec(parts, 0..8).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    /// Whatever is written is read, or refused with a place inside of it (or right behind).
    #[test]
    fn nothing_that_is_written_panics(text in fragments()) {
        let program = read("decl g; p(x) begin L: p(*); end main() begin p(g); end");
        read_or_refused(&ProgramNames::new(&program), &text);
    }
}
