//! Programs with threads: facts about their meaning, and engines that share little agree on
//! programs nobody wrote.

#[path = "threads/engines.rs"]
mod engines;
#[path = "threads/equations.rs"]
mod equations;
#[path = "threads/facts.rs"]
mod facts;
#[path = "threads/generator.rs"]
mod generator;
mod library;

use derny::generate::random::Random;
use derny::internals::explicit::Budget;
use derny::internals::explicit::threads::{Exploration, Found, Measure, explore};
use derny::internals::interpreter::threads::{
    Configuration, Replayed, begins_round, is_switch, replay, starts, steps, switches, to_step,
};
use derny::internals::program::{PointId, Program, VariableId};
use derny::internals::trace::Trace;
use engines::{Inquiry, Tally};
use library::read;

/// The fewest switches and the fewest rounds within which something happens, if it ever does.
type Answer = Option<(u32, u32)>;

/// What the twin looks at for each bound; more than any program of the facts has.
const BUDGET: Budget<'static> = Budget::states(50_000);
const MOST_SWITCHES: u32 = 6;
const MOST_ROUNDS: u32 = 4;

/// The points of a label, `L` or `p.L`.
fn points(program: &Program, label: &str) -> Vec<PointId> {
    let (procedure, label) = match label.split_once('.') {
        Some((procedure, label)) => (Some(procedure), label),
        None => (None, label),
    };
    let is_meant = |(point, name): &&(PointId, _)| {
        let owner = program.names.text(program.procedure_of(*point).name);
        program.names.text(*name) == label && procedure.is_none_or(|name| name == owner)
    };
    let points: Vec<PointId> = (program.labels.iter().filter(is_meant))
        .map(|(point, _)| *point)
        .collect();
    assert!(!points.is_empty(), "no label {label}");
    points
}

/// The cheapest way to a label, or for `!` to a failed assertion.
fn cheapest(program: &Program, exploration: &Exploration, question: &str) -> Option<Found> {
    let found: Vec<Found> = match question {
        "!" => exploration.failed.values().copied().collect(),
        label => (points(program, label).iter())
            .filter_map(|point| exploration.points.get(point).copied())
            .collect(),
    };
    found
        .into_iter()
        .min_by_key(|found| (found.bound, found.steps))
}

/// Replays a trace of the twin.
fn replays(program: &Program, trace: &Trace) -> Replayed {
    let replayed = replay(program, trace).unwrap_or_else(|mismatch| {
        panic!("{mismatch}: {:#?}", &trace.stem[..=mismatch.index]);
    });
    assert_eq!(replayed.threads, trace.threads);
    replayed
}

/// Checks that every question has its answer.
#[track_caller]
fn check(text: &str, questions: &[(&str, Answer)]) {
    let program = read(text);
    let explore = |measure, most| explore(&program, measure, most, BUDGET).expect("it is small");
    let by_switches = explore(Measure::Switches, MOST_SWITCHES);
    let by_rounds = explore(Measure::Rounds, MOST_ROUNDS);
    assert!(by_switches.is_complete && by_rounds.is_complete, "{text}");
    for (question, expected) in questions {
        let least = cheapest(&program, &by_switches, question);
        let few = cheapest(&program, &by_rounds, question);
        let found = least.zip(few).map(|(least, few)| (least.bound, few.bound));
        assert_eq!(found, *expected, "{question} by the twin\n{text}");
        if let Some((least, few)) = least.zip(few) {
            let replayed = replays(&program, &by_switches.trace(&program, least));
            assert_eq!(replayed.switches, u64::from(least.bound), "{text}");
            let replayed = replays(&program, &by_rounds.trace(&program, few));
            assert_eq!(replayed.rounds, u64::from(few.bound), "{text}");
        }
    }
    let questions: Vec<&str> = questions.iter().map(|(question, _)| *question).collect();
    for (measure, most, twin) in [
        (Measure::Switches, MOST_SWITCHES, &by_switches),
        (Measure::Rounds, MOST_ROUNDS, &by_rounds),
    ] {
        for most in [measure.least(), most] {
            let inquiry = Inquiry {
                program: &program,
                questions: &questions,
                measure,
                most,
                is_bounded: true,
                twin,
            };
            let asked = inquiry.ask();
            assert!(asked.is_ok(), "{}\n{text}", asked.unwrap_err());
        }
    }
}

/// Threads by number and name at the end of the cheapest way to a label.
fn names(text: &str, question: &str) -> Vec<(u32, String)> {
    let program = read(text);
    let found = explore(&program, Measure::Switches, MOST_SWITCHES, BUDGET).expect("it is small");
    let cheapest = cheapest(&program, &found, question).expect("it is reached");
    let replayed = replays(&program, &found.trace(&program, cheapest));
    let threads = replayed.threads.into_iter();
    threads.map(|thread| (thread.id, thread.name)).collect()
}

fn named(expected: &[(u32, &str)]) -> Vec<(u32, String)> {
    let expected = expected.iter();
    expected
        .map(|(id, name)| (*id, (*name).to_owned()))
        .collect()
}

#[test]
fn threads_have_numbers_and_names() {
    let declared =
        "thread p(0), q()[2], p(1); void p(a) begin skip; end void q() begin L: skip; end";
    let all = named(&[(1, "p"), (2, "q"), (3, "q#2"), (4, "p#2")]);
    assert_eq!(names(declared, "L"), all);
    // Thread 0 does not count, and what it creates comes after the declared ones.
    let text = "thread p(), q(); void init() begin start_thread q(); start_thread init2(); end
        void init2() begin L: skip; end void p() begin skip; end void q() begin skip; end";
    let all = named(&[(0, "init"), (1, "p"), (2, "q"), (3, "q#2"), (4, "init2")]);
    assert_eq!(names(text, "L"), all);
    let text = "decl g; thread init(), p(); void init() begin L: g := 0; end
        void p() begin M: start_thread init(); N: skip; end";
    let all = [(0, "init"), (1, "init"), (2, "p"), (3, "init#2")];
    assert_eq!(names(text, "M"), named(&all[..3]));
    assert_eq!(names(text, "N"), named(&all));
    // After a label that was written, and in the order of creation.
    let text = "void main() begin start_thread goto B; start_thread p(); start_thread goto A;
        start_thread goto B; if (*) then A: B: skip; p(); fi L: skip; end
        void p() begin skip; end";
    let all = [(1, "main"), (2, "B"), (3, "p"), (4, "A"), (5, "B#2")];
    assert_eq!(names(text, "L"), named(&all));
}

#[test]
fn a_thread_that_fails_inside_a_section_is_still_exclusive() {
    for (body, exclusive) in [("atomic begin assert(0); end", 1), ("assert(0);", 0)] {
        let program = read(&format!("thread p(); void p() begin {body} end"));
        let found = explore(&program, Measure::Switches, 0, BUDGET).expect("it is small");
        let cheapest = cheapest(&program, &found, "!").expect("it fails");
        let trace = found.trace(&program, cheapest);
        replays(&program, &trace);
        let last = trace.stem.last().expect("it has steps");
        assert_eq!((last.thread, last.at()), (1, None));
        assert_eq!(last.valuation.globals(), [exclusive]);
    }
}

#[test]
fn without_threads_sections_do_nothing_and_end_thread_ends_the_program() {
    let program = read(
        "decl thread_local o; void main() begin o := 1; atomic begin f(); L: skip; end M: skip; end
         void f() begin atomic_begin; assert(o); atomic { if (*) then end_thread; N: skip; fi } end",
    );
    assert!(program.threads.is_none());
    let found = derny::internals::explicit::reachable(&program, BUDGET).expect("it is small");
    let reached = |label| {
        points(&program, label)
            .iter()
            .all(|p| found.points.contains(p))
    };
    assert_eq!(["L", "M", "N"].map(reached), [true, true, false]);
    assert!(found.terminated && !found.error);
}

/// Every way to go on.
fn moves(program: &Program, from: &Configuration) -> Vec<Configuration> {
    let mut moves = steps(program, from, 1000).expect("few steps");
    moves.extend(switches(program, from, 1000).expect("few threads"));
    moves
}

#[test]
fn random_walks_replay() {
    let mut changes = 0;
    for seed in 0..300 {
        let text = generator::program(seed).text;
        let program = read(&text);
        let threads = program.threads.as_ref().expect("it has threads");
        let mut random = Random::new(seed, 9);
        let starts = starts(&program, 100_000).expect("few starts");
        let mut walk = vec![random.pick(&starts).clone()];
        let (mut switched, mut rounds) = (0, 1);
        for _ in 0..40 {
            let before = &walk[walk.len() - 1];
            let moves = moves(&program, before);
            if moves.is_empty() {
                break;
            }
            let next = random.pick(&moves).clone();
            switched += u64::from(is_switch(before.running, next.running));
            rounds += u64::from(begins_round(before.running, next.running));
            walk.push(next);
        }
        let last = &walk[walk.len() - 1];
        let trace = Trace {
            stem: walk.iter().map(|c| to_step(&program, c)).collect(),
            threads: last.named_threads(&program),
            failure: last.failure(&program),
            ..Trace::default()
        };
        let replayed = replays(&program, &trace);
        assert_eq!(
            (replayed.switches, replayed.rounds),
            (switched, rounds),
            "{text}"
        );
        // A switch changes no global but the threads' own.
        let is_change = |i: &usize| trace.stem[i - 1].thread != trace.stem[*i].thread;
        for i in (1..walk.len()).filter(is_change) {
            for global in (0..threads.exclusive).filter(|global| !threads.is_own(*global)) {
                let cell = VariableId::Global(global);
                let mut wrong = trace.clone();
                let valuation = &mut wrong.stem[i].valuation;
                valuation.set(cell, 1 - valuation.get(cell));
                let mismatch = replay(&program, &wrong).expect_err("the value is another");
                assert_eq!(mismatch.index, i, "{text}");
                changes += 1;
            }
        }
    }
    assert!(changes > 1000, "{changes}");
}

#[test]
fn the_twin_agrees_with_itself() {
    let budget = Budget::states(10_000);
    let (mut complete, mut reached, mut never) = (0, 0, 0);
    for seed in 0..300 {
        let generated = generator::program(seed);
        let text = &generated.text;
        let program = read(text);
        let explore = |measure, most| explore(&program, measure, most, budget).expect("few starts");
        let by_switches = explore(Measure::Switches, 4);
        let by_rounds = explore(Measure::Rounds, 3);
        let both = by_switches.is_complete && by_rounds.is_complete;
        complete += usize::from(both);
        let labels = generated.labels.iter().map(String::as_str);
        for question in labels.chain(["!"]) {
            let least = cheapest(&program, &by_switches, question);
            let few = cheapest(&program, &by_rounds, question);
            for (exploration, found) in [(&by_switches, least), (&by_rounds, few)] {
                let Some(found) = found else { continue };
                let trace = exploration.trace(&program, found);
                assert_eq!(trace.stem.len(), found.steps as usize + 1);
                let replayed = replays(&program, &trace);
                let count = match std::ptr::eq(exploration, &raw const by_switches) {
                    true => replayed.switches,
                    false => replayed.rounds,
                };
                assert_eq!(count, u64::from(found.bound), "{question}\n{text}");
            }
            match (least, few) {
                (Some(least), Some(few)) if both => {
                    // Each change leads to one more round at most.
                    assert!(few.bound <= least.bound + 1, "{question}\n{text}");
                    reached += 1;
                }
                (None, None) => never += 1,
                _ => assert!(!both, "{question}: {least:?}, {few:?}\n{text}"),
            }
        }
    }
    println!("{complete} complete, {reached} reached, {never} never");
    assert!(complete > 150 && reached > 300 && never > 100);
}

/// Compares the engines with the twin on one program.
fn compare(generated: &generator::Program, seed: u64) -> Result<Tally, String> {
    let program = read(&generated.text);
    let labels = generated.labels.iter().map(String::as_str);
    let questions: Vec<&str> = labels.chain(["!"]).collect();
    let budget = Budget::states(10_000);
    let mut sum = [0; 3];
    for (measure, most, is_bounded) in [
        (Measure::Switches, 4, true),
        (Measure::Switches, (seed % 4) as u32, true),
        (Measure::Switches, 3, false),
        (Measure::Rounds, 3, true),
        (Measure::Rounds, (seed % 2) as u32 + 1, true),
    ] {
        // Rounds are for programs that do not create threads for ever.
        if measure == Measure::Rounds && generated.creates_for_ever {
            continue;
        }
        let twin = explore(&program, measure, most + 1, budget).map_err(|e| e.to_string())?;
        let inquiry = Inquiry {
            program: &program,
            questions: &questions,
            measure,
            most,
            is_bounded,
            twin: &twin,
        };
        for (sum, count) in sum.iter_mut().zip(inquiry.ask()?) {
            *sum += count;
        }
    }
    Ok(sum)
}

#[test]
fn engines_agree_on_random_programs() {
    let mut failures = Vec::new();
    let mut sum = [0; 3];
    let factor = std::env::var("DERNY_MORE_SEEDS").ok();
    let factor: u64 = factor.and_then(|factor| factor.parse().ok()).unwrap_or(1);
    for seed in 0..300 * factor {
        let generated = generator::program(seed);
        let run = || compare(&generated, seed);
        let run = std::panic::catch_unwind(run);
        match run.unwrap_or_else(|_| Err("an engine panicked".into())) {
            Ok(tally) => sum.iter_mut().zip(tally).for_each(|(sum, n)| *sum += n),
            Err(error) => {
                println!("seed {seed}: {error}\n{}\n", generated.text);
                failures.push(seed);
            }
        }
    }
    println!("violated, held, unknown: {sum:?}");
    assert!(failures.is_empty(), "seeds that fail: {failures:?}");
    assert!(sum[0] > 1000 && sum[1] > 1000, "not all alike: {sum:?}");
}

/// The shipped equations answer as the twin does for every bound, and so do the engines on the
/// same programs.
#[test]
fn equations_agree_on_random_programs() {
    let (mut reached, mut not) = (0, 0);
    for seed in 0..100 {
        let generated = generator::declared_program(seed);
        let text = &generated.text;
        let asked = compare(&generated, seed).and_then(|_| equations::ask_all(&generated));
        let tally = asked.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        reached += tally[0];
        not += tally[1];
    }
    println!("reached {reached}, not reached {not}");
    assert!(
        reached > 150 && not > 150,
        "not all alike: {reached}, {not}"
    );
}
