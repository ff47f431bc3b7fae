//! Options with a few values: how the command line spells the enumerations of the library, and
//! what its help says of each value.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use derny::generate::quicksort::Variant;
use derny::{
    Abstraction, Acceleration, CycleMethod, DataModel, Direction, Engine, Externs, Language,
    Overflow,
};

/// The spelling of a value, what the help says of it, and the value itself.
type Choice<T> = (&'static str, &'static str, T);

pub const LANGUAGES: &[Choice<Language>] = &[
    ("bp", "Boolean program", Language::BooleanProgram),
    ("rem", "Remopla", Language::Remopla),
    ("pds", "Symbolic pushdown system", Language::PushdownSystem),
    ("c", "C", Language::C),
];

pub const OVERFLOWS: &[Choice<Overflow>] = &[
    ("error", "The program fails", Overflow::Error),
    (
        "wrap",
        "It is taken modulo the number of values",
        Overflow::Wrap,
    ),
    ("block", "The execution is cut off", Overflow::Block),
];

pub const DATA_MODELS: &[Choice<DataModel>] = &[
    (
        "ilp32",
        "`int`, `long`, pointers: 32 bits",
        DataModel::Ilp32,
    ),
    (
        "lp64",
        "`int`: 32 bits, `long`, pointers: 64 bits",
        DataModel::Lp64,
    ),
];

pub const EXTERNS: &[Choice<Externs>] = &[
    (
        "pure",
        "They return any value and change nothing",
        Externs::Pure,
    ),
    (
        "havoc",
        "They may also change globals, and what arguments point to",
        Externs::Havoc,
    ),
    ("refuse", "Nothing is decided behind them", Externs::Refuse),
];

pub const ALLOCATIONS: &[Choice<bool>] = &[
    ("never-fails", "It does not", false),
    ("may-fail", "It may", true),
];

pub const ABSTRACTIONS: &[Choice<Abstraction>] = &[
    ("none", "The program itself, bit by bit", Abstraction::None),
    (
        "predicates",
        "The program seen through predicates, which are found on the way",
        Abstraction::Predicates,
    ),
    (
        "auto",
        "The program itself, and predicates where that looks hopeless",
        Abstraction::Auto,
    ),
];

pub const ENGINES: &[Choice<Engine>] = &[
    ("symbolic", "", Engine::Symbolic),
    ("explicit", "", Engine::Explicit),
];

pub const DIRECTIONS: &[Choice<Direction>] = &[
    ("forward", "From the start (post*)", Direction::Forward),
    ("backward", "From the goal (pre*)", Direction::Backward),
];

pub const CYCLE_METHODS: &[Choice<CycleMethod>] = &[
    (
        "auto",
        "Sets of heads, and relations where these take too many rounds",
        CycleMethod::Auto,
    ),
    (
        "owcty",
        "Sets: reach acceptance, then trim",
        CycleMethod::Owcty,
    ),
    (
        "emerson-lei",
        "Sets: nested fixed point",
        CycleMethod::EmersonLei,
    ),
    (
        "closure",
        "Relations: transitive closure",
        CycleMethod::Closure,
    ),
];

pub const ACCELERATIONS: &[Choice<Acceleration>] = &[
    (
        "auto",
        "Where plain iteration takes many rounds",
        Acceleration::Auto,
    ),
    ("always", "From the first round", Acceleration::Always),
    ("never", "Never", Acceleration::Never),
];

pub const QUICKSORTS: &[Choice<Variant>] = &[
    ("faulty", "Does not always terminate", Variant::Faulty),
    ("corrected", "Terminates", Variant::Corrected),
    ("sorting", "With the array", Variant::Sorting),
    (
        "random",
        "With the array, and any entry as pivot",
        Variant::Random,
    ),
];

/// Reads one of these values.
pub fn one_of<T: Copy + Send + Sync + 'static>(
    choices: &'static [Choice<T>],
) -> impl TypedValueParser<Value = T> {
    let values = choices.iter().map(|(name, help, _)| {
        let help = Some(*help).filter(|help| !help.is_empty());
        PossibleValue::new(*name).help(help)
    });
    PossibleValuesParser::new(values).try_map(move |name| {
        let mut known = choices.iter().filter(|(known, ..)| *known == name);
        let value = known.next().map(|(.., value)| *value);
        value.ok_or_else(|| format!("`{name}` is no value of this option"))
    })
}
