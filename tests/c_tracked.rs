//! Arrays of which one element is followed, against the same arrays with a cell for each element.
//!
//! Random programs over small arrays: global and local, of one and of two dimensions, behind pointers,
//! passed to functions, initialised, filled by `memset`, in a recursion. The ordinary lowering has
//! cells for all elements, and decides. Where reads of other elements are outside, whatever can be
//! reached can be reached there; where they give any value, whatever can be reached there can be
//! reached, too, whichever accesses choose the element: all that read, none, one alone, those before a
//! variable was written, or the last two for two elements.

#[path = "c_random/dice.rs"]
mod dice;
#[path = "c_random/reading.rs"]
mod reading;
mod support;

use derny::Verdict;
use derny::internals::check::{Board, Options, check};
use derny::internals::lower::c::{Lowered, Options as Lowering, PointKind, Sites, Tracking};
use derny::internals::program::PointId;
use derny::internals::property::Property;
use derny::internals::reduction::{Goals, reduce};
use derny::internals::watch::Watch;
use dice::Dice;
use reading::{Read, read};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Instant;
use support::c::{check as run, verdicts};

/// The program with cells for all elements, or followed arrays.
fn lowered(read: &Read, tracking: Option<Tracking>) -> Lowered {
    let usual = Lowering::default();
    read.lowered(&Lowering {
        most_cells: tracking.map_or(usual.most_cells, |_| 0),
        tracking: tracking.unwrap_or_default(),
        ..usual
    })
}

/// Decides about a program that was made smaller for the question.
fn verdict(lowered: &Lowered, property: Property) -> Option<Verdict> {
    let mut smaller = lowered.clone();
    let points = match &property {
        Property::Reach(points) => points.clone(),
        _ => Vec::new(),
    };
    let goals = Goals {
        points: &points,
        observed: &|_, _| false,
        infinite: matches!(property, Property::Terminates),
        steps: false,
    };
    reduce(&mut smaller, &goals);
    let options = Options {
        trace: false,
        memory: 1 << 29,
        operations: 60_000,
        ..Options::default()
    };
    let board = Board::new(Instant::now(), 1);
    let watch = Watch::default();
    // What is out of budget has no verdict.
    let _ = check(&smaller.program, &[property], &options, &watch, &board);
    board.verdict(0)
}

/// What can be asked of every form: by name, because points have other numbers in each. Undefined
/// steps at one place count as one.
fn questions(lowered: &Lowered) -> BTreeMap<String, Property> {
    let mut places: BTreeMap<String, Vec<PointId>> = BTreeMap::new();
    for (point, origin) in lowered.origin.undefined_points() {
        if let PointKind::Undefined { what } = &origin.kind {
            let name = format!("{what} at {}", origin.span.start);
            places.entry(name).or_default().push(point);
        }
    }
    let places = places.into_iter();
    let mut all: BTreeMap<_, _> = places
        .map(|(name, points)| (name, Property::Reach(points)))
        .collect();
    all.insert("assertions".into(), Property::Assertions);
    all.insert("terminates".into(), Property::Terminates);
    all
}

/// The places at which it is not decided what happens.
fn outside(lowered: &Lowered) -> Property {
    let points = lowered.origin.outside_points();
    Property::Reach(points.map(|(point, _)| point).collect())
}

/// How many answers were decided by following one element.
#[derive(Default)]
struct Decided {
    violated: usize,
    holds: usize,
}

fn compare(text: &str, decided: &mut Decided) -> Result<(), String> {
    let read = read(text);
    let usual = lowered(&read, None);
    // What is outside as ever has nothing to do with arrays.
    if verdict(&usual, outside(&usual)) != Some(Verdict::Holds) {
        return Ok(());
    }
    let expected: BTreeMap<String, Option<Verdict>> = questions(&usual)
        .into_iter()
        .map(|(name, property)| (name, verdict(&usual, property)))
        .collect();
    let exact = lowered(&read, Some(Tracking::Exact));
    for (name, property) in questions(&exact) {
        let wrong = expected.get(&name).copied().flatten() == Some(Verdict::Holds);
        if verdict(&exact, property) == Some(Verdict::Violated) {
            if wrong {
                return Err(format!("exact: {name} is violated\n{text}"));
            }
            decided.violated += 1;
        }
    }
    let reads = lowered(&read, Some(Tracking::Any(Sites::Reads)));
    let singles = (0..reads.origin.accesses.len() as u32).map(Sites::One);
    // Two of the accesses are enough for one program: which ones, its length says.
    let skipped = text.len() % reads.origin.accesses.len().max(1);
    let singles = singles.skip(skipped).take(2);
    let written = reads.origin.written.len() as u32;
    let skipped = text.len() % written.max(1) as usize;
    let kept = (0..written).map(Sites::Before).skip(skipped).take(1);
    let all = [Sites::Reads, Sites::None, Sites::LastTwo].into_iter();
    for sites in all.chain(singles).chain(kept) {
        let any = lowered(&read, Some(Tracking::Any(sites)));
        if verdict(&any, outside(&any)) != Some(Verdict::Holds) {
            continue;
        }
        let asked = questions(&any);
        // With two elements each question takes long: only those are asked whose answer can be wrong.
        let takes_long = matches!(sites, Sites::LastTwo | Sites::Before(_));
        for (name, expected) in &expected {
            if takes_long && *expected != Some(Verdict::Violated) {
                continue;
            }
            let found = asked
                .get(name)
                .map(|property| verdict(&any, property.clone()));
            // A place that is not there cannot be reached.
            let holds = found.is_none_or(|found| found == Some(Verdict::Holds));
            if holds && *expected == Some(Verdict::Violated) {
                return Err(format!("any, {sites:?}: {name} holds\n{text}"));
            }
            decided.holds += usize::from(holds && found.is_some());
        }
    }
    Ok(())
}

struct Writer {
    dice: Dice,
    text: String,
    /// Of `main` or `f`: which arrays there are.
    elements: &'static [&'static str],
}

const EVERYWHERE: [&str; 8] = [
    "a[@]",
    "a[@]",
    "b[@ % 3]",
    "m[@ & 1][@ % 3]",
    "p[@]",
    "*p",
    "a[@]",
    "b[@]",
];
const IN_MAIN: [&str; 8] = [
    "a[@]",
    "l[@]",
    "l[@]",
    "b[@ % 3]",
    "m[@ & 1][@ % 3]",
    "p[@]",
    "*p",
    "a[@]",
];

impl Writer {
    fn element(&mut self) -> String {
        let mut parts = self.dice.pick(self.elements).split('@');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let index = self.dice.pick(&[
                "i",
                "j",
                "(i & 3)",
                "(j & 3)",
                "(i & 3)",
                "0",
                "1",
                "2",
                "3",
                "(a[i & 3] & 3)",
            ]);
            text.push_str(index);
            text.push_str(part);
        }
        text
    }

    fn value(&mut self) -> String {
        match self.dice.below(8) {
            0 => self.dice.pick(&["0", "1", "2", "3"]).to_owned(),
            1 => self.dice.pick(&["i", "j", "x"]).to_owned(),
            2 => "(any() & 3)".to_owned(),
            3 => format!("(({} + 1) & 3)", self.element()),
            4 => format!("({} & {})", self.element(), self.element()),
            5 => format!("(x < 2 ? {} : 1)", self.element()),
            _ => self.element(),
        }
    }

    fn condition(&mut self) -> String {
        let compare = self.dice.pick(&["<", "==", "!=", "<=", "=="]);
        match self.dice.below(6) {
            0 => "any() & 1".to_owned(),
            1 => format!("i < 4 && {} {compare} {}", self.element(), self.value()),
            2 => format!("x {compare} {}", self.value()),
            _ => format!("{} {compare} {}", self.element(), self.value()),
        }
    }

    fn block(&mut self, depth: u32) {
        for _ in 0..=self.dice.below(3) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        let kind = self.dice.below(if depth == 0 { 13 } else { 18 });
        let line = match kind {
            0..=2 => format!("{} = {};", self.element(), self.value()),
            3 => format!("x = {};", self.value()),
            4 => format!("{} = any() & 3;", self.dice.pick(&["i", "j"])),
            5 => format!(
                "{} {} 1;",
                self.element(),
                self.dice.pick(&["^=", "|=", "&="])
            ),
            6 => format!("x = ({} = {}) & 3;", self.element(), self.value()),
            7 | 8 => format!("assert({});", self.condition()),
            9 => format!("__VERIFIER_assume({});", self.condition()),
            10 => format!(
                "p = {};",
                self.dice.pick(&["a", "b", "a + 1", "m[1]", "&a[i & 3]"])
            ),
            11 => format!("f({});", self.dice.pick(&["a", "b", "m[0]", "p"])),
            12 => self
                .dice
                .pick(&[
                    "memset(a, 1, sizeof a);",
                    "memset(m, 0, sizeof m);",
                    "memset(b, 0, 2);",
                ])
                .to_owned(),
            13 | 14 => {
                let condition = self.condition();
                let _ = writeln!(self.text, "if ({condition}) {{");
                self.block(depth - 1);
                let _ = writeln!(self.text, "}} else {{");
                self.block(depth - 1);
                "}".to_owned()
            }
            15 => {
                let condition = self.condition();
                let _ = writeln!(self.text, "while ({condition}) {{");
                self.block(depth - 1);
                "}".to_owned()
            }
            _ => {
                let bound = self.dice.pick(&["4", "3", "4", "5"]);
                let _ = writeln!(self.text, "for (i = 0; i < {bound}; i++) {{");
                self.block(depth - 1);
                "}".to_owned()
            }
        };
        let _ = writeln!(self.text, "{line}");
    }
}

/// A program; which one, the seed says.
fn random(seed: u64) -> String {
    let mut writer = Writer {
        dice: Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
        text: String::new(),
        elements: &EVERYWHERE,
    };
    for _ in 0..4 {
        writer.dice.below(2);
    }
    writer.text.push_str(
        "extern unsigned char __VERIFIER_nondet_uchar(void);\nextern void assert(int);\n\
         extern void __VERIFIER_assume(int);\n\
         extern void *memset(void *, int, unsigned long);\n\
         unsigned char any(void) { return __VERIFIER_nondet_uchar(); }\n\
         unsigned char a[4], m[2][3], i, j, x;\n",
    );
    writer.text.push_str(writer.dice.pick(&[
        "unsigned char b[3];\n",
        "unsigned char b[3] = { 1, 2 };\n",
        "extern unsigned char b[3];\n",
    ]));
    writer
        .text
        .push_str("int depth;\nvoid f(unsigned char *p) {\n");
    if writer.dice.below(2) == 0 {
        // Each frame has its own.
        writer.text.push_str(
            "unsigned char l[3];\nl[i % 3] = x;\n\
             if (depth < 2) { depth++; f(any() & 1 ? p : l); depth--; }\n\
             x = l[j % 3] & 3;\n",
        );
    }
    writer.block(1);
    writer.text.push_str("}\nint main(void) {\n");
    writer.text.push_str(writer.dice.pick(&[
        "unsigned char l[4];\n",
        "unsigned char l[4] = { 0 };\n",
        "unsigned char l[4] = { 1, 2, 3 };\n",
    ]));
    writer.text.push_str("unsigned char *p = a;\n");
    writer.elements = &IN_MAIN;
    for _ in 0..2 {
        writer.block(2);
    }
    let condition = writer.condition();
    let _ = writeln!(writer.text, "assert({condition});\nreturn 0;\n}}");
    writer.text
}

/// `DERNY_SEEDS=1000+500` is 500 seeds from 1000 on.
fn seeds(count: u64) -> std::ops::Range<u64> {
    match std::env::var("DERNY_SEEDS") {
        Ok(text) => {
            let (first, count) = text.split_once('+').expect("FIRST+COUNT");
            let first: u64 = first.parse().expect("a number");
            first..first + count.parse::<u64>().expect("a number")
        }
        Err(_) => 0..count,
    }
}

#[test]
fn random_programs_have_the_same_answers() {
    // Deep BDDs need a large stack.
    let thread = std::thread::Builder::new().stack_size(1 << 29);
    let work = || {
        let mut decided = Decided::default();
        for seed in seeds(40) {
            if let Err(wrong) = compare(&random(seed), &mut decided) {
                panic!("seed {seed}: {wrong}");
            }
        }
        decided
    };
    let thread = thread.spawn(work).expect("a thread");
    let decided = thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    eprintln!("{} violated, {} hold", decided.violated, decided.holds);
    let is_chosen = std::env::var_os("DERNY_SEEDS").is_some();
    assert!(is_chosen || (decided.violated >= 10 && decided.holds >= 800));
}

const HEAD: &str = "#include <assert.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int index(void) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < N);
  return i;
}
";

/// What `main` does, and what is said of it.
const TWINS: [(&str, &str, &str); 17] = [
    (
        "int a[N]; int i = index(); a[i] = 7; assert(a[i] == 7);",
        "--assertions",
        "holds",
    ),
    (
        "int a[N]; int i = index(), j = index(); a[i] = 7; assert(a[j] != 7);",
        "--assertions",
        "violated",
    ),
    (
        "int a[N]; for (int i = 0; i < N; i++) a[i] = 42; assert(a[index()] == 42);",
        "--assertions",
        "holds",
    ),
    (
        "int a[N]; for (int i = 0; i < N - 1; i++) a[i] = 42; assert(a[index()] == 42);",
        "--assertions",
        "violated",
    ),
    ("int a[N]; assert(a[2] != 9);", "--assertions", "violated"),
    (
        "int a[N]; a[2] = 9; assert(a[2] == 9);",
        "--assertions",
        "holds",
    ),
    (
        "static int a[N]; assert(a[index()] == 0);",
        "--assertions",
        "holds",
    ),
    (
        "int a[N] = { 1, 2 }; assert(a[1] == 2);",
        "--assertions",
        "holds",
    ),
    (
        "int a[N] = { 1, 2 }; assert(a[index()] != 2);",
        "--assertions",
        "violated",
    ),
    (
        "int a[N] = { [3] = 5 }; int i = index(); assert(a[i] == 0 || i == 3);",
        "--assertions",
        "holds",
    ),
    (
        "char a[N]; memset(a, 1, sizeof a); assert(a[index()] == 1);",
        "--assertions",
        "holds",
    ),
    (
        "int a[N]; put(a, 3, 4); assert(get(a, 3) == 4);",
        "--assertions",
        "holds",
    ),
    (
        "int a[N]; put(a, index(), 4); assert(get(a, index()) != 4);",
        "--assertions",
        "violated",
    ),
    (
        "int a[N]; int i = __VERIFIER_nondet_int(); a[i] = 1;",
        "--defined",
        "violated",
    ),
    (
        "int a[N]; int i = index(); a[i] = 1; if (i < N - 1) a[i + 1] = 1;",
        "--defined",
        "holds",
    ),
    (
        "int a[N]; int i = index(); a[i] = 1; a[i] = a[i] + 2147483647;",
        "--no-overflow",
        "violated",
    ),
    (
        "int a[N]; int n = 0; while (n < 3 && a[n] != 0) n++;",
        "--terminates",
        "holds",
    ),
];

fn twin(body: &str) -> String {
    format!(
        "{HEAD}void put(int *p, int i, int v) {{ p[i] = v; }}\n\
         int get(int *p, int i) {{ return p[i]; }}\nint main(void) {{ {body} return 0; }}\n"
    )
}

#[test]
fn a_large_array_is_like_a_small_one() {
    for (body, option, expected) in TWINS {
        for size in ["-DN=4", "-DN=5000"] {
            let found = verdicts(
                &twin(body),
                &[size, option, "--no-trace", "--timeout", "120"],
            );
            let verdict = found[0].split(' ').next_back();
            assert_eq!(verdict, Some(expected), "{size} {body}: {found:?}");
        }
    }
}

/// What `main` does with a large array, and the verdict.
const NOTED: [(&str, &str); 7] = [
    (
        "static int a[N], b[N]; for (int i = 0; i < N; i++) { a[i] = __VERIFIER_nondet_int(); \
         b[i] = a[i] >= 0; } int ok = 1; for (int i = 0; i < N; i++) \
         if ((a[i] >= 0) != b[i]) ok = 0; assert(ok);",
        "holds",
    ),
    (
        "int a[N]; for (int i = 0; i < N; i++) a[i] = 3; int bad = 0; \
         for (int i = 0; i < N; i++) if (a[i] != 3) bad = 1; assert(!bad);",
        "holds",
    ),
    // Only what was read before the note counts.
    (
        "int a[N]; for (int i = 0; i < N - 1; i++) a[i] = 3; a[N - 1] = 4; int bad = 0; \
         for (int i = 0; i < N; i++) if (a[i] != 3) bad = 1; assert(!bad);",
        "not holds",
    ),
    (
        "int a[N]; int i = index(), j = index(); if (a[i] == a[j]) assert(a[j] == a[i]);",
        "holds",
    ),
    (
        "int a[N]; int i = index(), j = index(); a[i] = 1; a[j] = 2; \
         int x = a[i]; assert(i == j || a[j] > x);",
        "holds",
    ),
    (
        "int a[N]; int i = index(), j = index(); a[i] = 1; a[j] = 2; \
         int x = a[i]; assert(x < a[j]);",
        "not holds",
    ),
    (
        "int a[N]; int i = index(), j = index(); __VERIFIER_assume(a[i] == a[j]); a[i] = 1; \
         assert(a[j] == a[i]);",
        "not holds",
    ),
];

#[test]
fn two_elements_and_what_was_noted_of_one_are_followed() {
    for (body, expected) in NOTED {
        for size in ["-DN=4", "-DN=5000"] {
            let arguments = [size, "--assertions", "--no-trace", "--timeout", "120"];
            let found = verdicts(&twin(body), &arguments);
            let verdict = found[0].split(' ').next_back();
            let holds = verdict == Some("holds");
            assert_eq!(holds, expected == "holds", "{size} {body}: {found:?}");
            assert!(holds || size != "-DN=4" || verdict == Some("violated"));
        }
    }
}

#[test]
fn what_needs_three_elements_is_not_decided() {
    let body = "int a[N]; a[0] = 1; a[1] = 2; a[2] = 3; int x = a[0], y = a[1]; \
                assert(x + y + a[2] == 6);";
    let arguments = ["-DN=5000", "--assertions", "--format", "json"];
    let found = run(&twin(body), &arguments);
    assert_eq!(found.code, 3);
    let result = &found.results()[0];
    assert_eq!(result["reason"], "unsupported");
    let what = result["outside"][0]["what"].as_str();
    assert_eq!(
        what,
        Some("an array that is too large, or of such elements")
    );
    assert_eq!(
        verdicts(&twin(body), &["-DN=4", "--assertions"]),
        ["assertions assertions holds"]
    );
}

/// Which element is followed is nothing that a trace shows: it is one of the array.
#[test]
fn a_trace_has_the_elements_of_the_array() {
    let body = "int a[N]; int i = index(); __VERIFIER_assume(i == 4321); \
                a[i] = a[i] + 1; assert(a[i] != 78);";
    let arguments = ["-DN=5000", "--assertions", "--format", "json"];
    let found = run(&twin(body), &arguments);
    assert_eq!(found.code, 1, "{}", found.stderr);
    let text = found.results()[0]["trace"].to_string();
    assert!(text.contains("\"4321\":78"), "{text}");
    assert!(!text.contains('#'), "{text}");
}

/// What is several points of the program that is searched is one place for whoever reads of it.
#[test]
fn places_that_are_not_decided_are_named_once() {
    let text = "void reach_error(void); unsigned nd(void); const int a[100000] = {1, 2, 3, [77777] = 9};\n\
                int main(void) { unsigned i = nd(); if (i >= 100000) return 0;\n\
                if (a[i] == 9 && a[2] == 3 && a[i] == 9) reach_error(); return 0; }";
    let result = run(text, &["--format", "json"]).json()["results"][0].clone();
    let outside = result["outside"].as_array().expect("places");
    let mut places: Vec<String> = outside.iter().map(ToString::to_string).collect();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), outside.len(), "{result}");
}
