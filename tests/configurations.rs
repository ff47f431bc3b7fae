//! Sets of configurations against single ones: what `post*` and `pre*` of a regular set hold
//! is what the interpreter finds, step by step, with whole stacks.

#[path = "configurations/explicit.rs"]
mod explicit;

use derny::configurations::program::{ProgramModel, ProgramNames, with_program_model};
use derny::configurations::{Given, PAutomaton, compile, count, meets, post, pre, resolve};
use derny::generate::random;
use derny::program::{PointId, ProcedureId, Program, VariableId};
use derny::saturation::{Stop, Watch};
use derny::source::Source;
use explicit::{Configuration, calls, reachable, starts};
use indexmap::IndexSet;
use proptest::prelude::*;
use std::sync::Arc;

const MEMORY: u64 = 64 << 20;

fn read(text: &str) -> Program {
    let source = Arc::new(Source::new("program.bp", text.as_bytes().to_vec()));
    let (program, diagnostics) = derny::lower::boolean_program(source, "main");
    program.unwrap_or_else(|| panic!("the program has errors: {diagnostics:?}\n{text}"))
}

/// A program with its exact model.
struct Sets<'a> {
    names: &'a ProgramNames<'a>,
    model: &'a ProgramModel<'a>,
}

impl Sets<'_> {
    fn given(&self, text: &str) -> Given {
        let source = Source::new("CONFIGS", text.as_bytes().to_vec());
        let set = resolve(self.names, &source).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"));
        compile(self.model, &set).unwrap()
    }

    fn post(&self, from: &str) -> PAutomaton {
        post(self.model, &self.given(from)).unwrap()
    }

    fn pre(&self, to: &str) -> PAutomaton {
        pre(self.model, &self.given(to)).unwrap()
    }

    fn contains(&self, automaton: &PAutomaton, text: &str) -> bool {
        meets(self.model, automaton, &self.given(text)).unwrap()
    }

    fn heads(&self, automaton: &PAutomaton) -> String {
        count(self.model, automaton).unwrap().heads.to_string()
    }
}

fn with_sets<T>(program: &Program, work: impl FnOnce(&Sets<'_>) -> T) -> T {
    let names = ProgramNames::new(program);
    let watch = Watch::default();
    let result: Result<T, Stop> = with_program_model(&names, MEMORY, &watch, |model| {
        let names = &names;
        Ok(work(&Sets { names, model }))
    });
    result.unwrap()
}

/// A condition that fixes all values.
fn fixed(program: &Program, of: ProcedureId, values: &[(VariableId, bool)]) -> String {
    let literals = values.iter().map(|(variable, value)| {
        let name = program.variable_name(of, *variable);
        format!("{}{name}", if *value { "" } else { "!" })
    });
    let literals: Vec<String> = literals.collect();
    match literals.is_empty() {
        true => String::new(),
        false => format!(" {{ {} }}", literals.join(" & ")),
    }
}

fn locals(values: &[bool]) -> Vec<(VariableId, bool)> {
    let values = values.iter().copied().zip(0..);
    values
        .map(|(value, i)| (VariableId::Local(i), value))
        .collect()
}

fn globals(values: &[bool]) -> Vec<(VariableId, bool)> {
    let values = values.iter().copied().zip(0..);
    values
        .map(|(value, i)| (VariableId::Global(i), value))
        .collect()
}

/// A configuration as text.
fn written(names: &ProgramNames<'_>, configuration: &Configuration) -> String {
    let program = names.program;
    let symbol = |point: PointId, values: &[(VariableId, bool)]| {
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
            // A local may hide a global of the same name.
            let mut values = locals(view.valuation.locals());
            values.extend(globals(view.valuation.globals()));
            let mut text = symbol(view.at, &values);
            for (call, values) in stack.iter().rev() {
                text.push(' ');
                text.push_str(&symbol(*call, &locals(values)));
            }
            text
        }
    }
}

/// The same configuration with one value changed.
fn changed(configuration: &Configuration, number: usize) -> Option<Configuration> {
    let mut changed = configuration.clone();
    match &mut changed {
        Configuration::Error(values) | Configuration::Terminated(values) => {
            let value = values.get_mut(number)?;
            *value = !*value;
        }
        Configuration::Running(view, stack) => {
            let globals = view.valuation.globals().len();
            let of_view = globals + view.valuation.locals().len();
            if number < of_view {
                let variable = match number.checked_sub(globals) {
                    None => VariableId::Global(number as u32),
                    Some(local) => VariableId::Local(local as u32),
                };
                let value = view.valuation.get(variable);
                view.valuation.set(variable, !value);
            } else {
                let mut below = stack.iter_mut().flat_map(|(_, locals)| locals);
                let value = below.nth(number - of_view)?;
                *value = !*value;
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
            if let Some(other) = changed(configuration, number) {
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
            let count = program.procedure(ProcedureId(procedure)).locals.len();
            let values = (0..count).map(|_| next(2) == 1).collect();
            stack.push((*call, values));
            procedure = *callee;
        }
        let definition = program.procedure(ProcedureId(procedure));
        let at = PointId(definition.points.start + next(definition.points.len()) as u32);
        let globals: Vec<_> = program.globals.iter().map(|_| next(2) == 1).collect();
        let values: Vec<_> = definition.locals.iter().map(|_| next(2) == 1).collect();
        let view = derny::interpreter::View {
            at,
            valuation: derny::interpreter::Valuation::new(&globals, &values),
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
            let pres: Vec<_> = texts.iter().map(|to| sets.pre(to)).collect();
            for from in &texts {
                let post = sets.post(from);
                for (to, pre) in texts.iter().zip(&pres) {
                    let forward = sets.contains(&post, to);
                    let backward = sets.contains(pre, from);
                    assert_eq!(forward, backward, "from {from} to {to}\n{text}");
                    answers[usize::from(forward)] += 1;
                }
            }
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
        let names = ProgramNames::new(&program);
        let source = Source::new("--from", text.clone().into_bytes());
        if let Err(diagnostics) = resolve(&names, &source) {
            prop_assert!(!diagnostics.is_empty());
            for diagnostic in &diagnostics {
                prop_assert!(diagnostic.span.start <= diagnostic.span.end);
                prop_assert!(diagnostic.span.start as usize <= text.len(), "{diagnostic:?}");
            }
            derny::report::diagnostics::render(&source, &diagnostics, false);
        }
    }
}
