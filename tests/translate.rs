//! `derny translate`: a program and the pushdown system that is written for it have the same
//! verdicts.

#[path = "translate/comparison.rs"]
mod comparison;
mod library;
// Labels and conditions are taken from the program form.
#[allow(dead_code)]
#[path = "remopla/random.rs"]
mod remopla_random;
mod support;

use comparison::{Count, Pair};
use derny::generate::random;
use derny::internals::program::Program;
use derny::internals::translate::translate;
use derny::{Language, Overflow, PropertyKind as Kind, Reader, Verdict};
use library::read_remopla;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn program(reader: Reader, text: &str) -> Arc<Program> {
    let model = reader.read_from("program", std::io::Cursor::new(text.to_owned()));
    let model = model.unwrap_or_else(|error| panic!("{error}\n{text}"));
    derny::internals::program(&model).expect("a program")
}

fn boolean_program(text: &str, entry: &str) -> Arc<Program> {
    let reader = Reader::new().language(Language::BooleanProgram);
    program(reader.entry(entry), text)
}

const OVERFLOWS: [Overflow; 3] = [Overflow::Error, Overflow::Wrap, Overflow::Block];

/// Compares one program after the other; a panic is a failure like any other.
#[derive(Default)]
struct Comparisons {
    count: Count,
    failures: Vec<String>,
}

impl Comparisons {
    fn run(&mut self, name: &str, compare: impl FnOnce() -> Result<Count, String>) {
        let outcome = catch_unwind(AssertUnwindSafe(compare));
        match outcome.unwrap_or_else(|_| Err("it panicked".to_owned())) {
            Ok(count) => self.count.add(count),
            Err(error) => {
                println!("{name}: {error}\n");
                self.failures.push(name.to_owned());
            }
        }
    }

    /// All agree, both verdicts occur, and the explicit engine had a say in this many of a
    /// hundred.
    fn finish(self, percent: usize) {
        assert!(self.failures.is_empty(), "{:?}", self.failures);
        let Count {
            asked,
            violated,
            explicit,
        } = self.count;
        println!("{asked} questions, {violated} violations, {explicit} asked explicitly");
        assert!(explicit * 100 >= asked * percent);
        assert!(violated * 10 >= asked && (asked - violated) * 10 >= asked);
    }
}

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<PathBuf> = (std::fs::read_dir(folder).expect("the folder is there"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .collect();
    paths.sort();
    paths
}

/// The word after each of these options in a line.
fn values<'l>(line: &'l str, option: &str) -> Vec<&'l str> {
    let words: Vec<_> = line.split_whitespace().collect();
    let pairs = words.windows(2).filter(|pair| pair[0] == option);
    pairs.map(|pair| pair[1]).collect()
}

#[test]
fn every_program_of_the_corpus() {
    let mut comparisons = Comparisons::default();
    let paths = files("tests/corpus", "bp");
    assert!(paths.len() >= 60, "the corpus is complete");
    for (path, seed) in paths.into_iter().chain(files("examples", "bp")).zip(0..) {
        let text = std::fs::read_to_string(&path).expect("a program is UTF-8");
        let header = text.lines().take_while(|line| line.starts_with("//"));
        let entry = header.flat_map(|line| values(line, "--entry")).next();
        comparisons.run(&path.display().to_string(), || {
            let pair = Pair::new(boolean_program(&text, entry.unwrap_or("main")))?;
            pair.compare(seed, 12, seed % 4 == 0)
        });
    }
    comparisons.finish(25);
}

/// With the small constants that the examples announce.
#[test]
fn every_remopla_example() {
    let mut comparisons = Comparisons::default();
    for path in files("examples", "rem") {
        let text = std::fs::read_to_string(&path).expect("a program is UTF-8");
        let mut seen: Vec<String> = Vec::new();
        let announced = ["// derny: ", "// derny-symbolic: "];
        let is_small = |line: &&str| announced.iter().any(|begin| line.starts_with(begin));
        for line in text.lines().filter(is_small) {
            let overflow = match values(line, "--overflow").first() {
                Some(&"wrap") => Overflow::Wrap,
                Some(&"block") => Overflow::Block,
                _ => Overflow::Error,
            };
            let mut reader = Reader::new().language(Language::Remopla).overflow(overflow);
            for define in values(line, "-D") {
                let (name, value) = define.split_once('=').expect("NAME=VALUE");
                reader = reader.define(name, value.parse().expect("a number"));
            }
            if let Some(entry) = values(line, "--entry").first() {
                reader = reader.entry(*entry);
            }
            let name = format!("{} {reader:?}", path.display());
            if seen.contains(&name) {
                continue;
            }
            comparisons.run(&name, || {
                Pair::new(program(reader, &text))?.compare(3, 6, false)
            });
            seen.push(name);
        }
        assert!(!seen.is_empty(), "{}", path.display());
    }
    comparisons.finish(5);
}

fn compare_seeds(seeds: std::ops::Range<u64>, options: &random::Options) {
    let mut comparisons = Comparisons::default();
    for seed in seeds {
        let text = random::program(seed, options);
        comparisons.run(&format!("seed {seed}:\n{text}"), || {
            Pair::new(boolean_program(&text, "main"))?.compare(seed, 6, seed % 8 == 0)
        });
    }
    comparisons.finish(25);
}

#[test]
fn small_random_programs() {
    compare_seeds(0..200, &random::Options::small());
}

#[test]
fn recursive_random_programs() {
    let options = random::Options {
        recursion: 90,
        calls: 40,
        ..random::Options::small()
    };
    compare_seeds(1000..1100, &options);
}

#[test]
fn random_remopla_programs() {
    let mut comparisons = Comparisons::default();
    for seed in 0..210 {
        let generated = remopla_random::program(seed);
        let overflow = OVERFLOWS[(seed % 3) as usize];
        let name = format!("seed {seed} {overflow:?}:\n{}", generated.text);
        comparisons.run(&name, || {
            let program = read_remopla(&generated.text, overflow);
            Pair::new(program)?.compare(seed, 5, seed % 8 == 0)
        });
    }
    comparisons.finish(25);
}

/// Programs for what is easily lost in a translation.
#[test]
fn boolean_programs_with_a_point() {
    let programs = [
        // The values of `f` are arbitrary, whatever `g` returned at its end.
        "decl x; bool<1> g() begin return 1; end
         bool<1> f() begin g(); end
         void main() begin x := f(); if (x) then one: skip; else zero: skip; fi end",
        // The same where the last call sets something.
        "decl x, y; bool<1> g() begin return 1; end
         bool<1> f() begin y := g(); end
         void main() begin x := f(); if (x) then one: skip; else zero: skip; fi end",
        // A frame that waits keeps its locals, and its callee has its own.
        "decl g; void p(x) begin decl y; y := !x; if (*) then p(y); fi
           if (y = x) then never: skip; else always: skip; fi end
         void main() begin p(*); end",
        // The local hides the global, which must be kept all the same.
        "decl g; void p() begin decl g; g := 0; end
         void main() begin g := 1; p(); if (g) then one: skip; else zero: skip; fi end",
        // What main calls itself ends before the program does.
        "decl g; void main() begin if (*) then main(); L: skip; fi g := 1; end",
        // A state that breaks an `enforce` is reached, but not left; and not returned to.
        "decl g; void p() begin g := *; end
         void main() begin enforce g; first: p(); second: g := 0; third: skip; end",
        // Choices, each on its own.
        "decl a, b; void main() begin a, b := schoose[a, b], * ^ a; L: skip;
           a := (* ? b : !b) = (a & *); M: skip; assert(* | a);
           a, b := b, a constrain 'a | (* & 'b); N: skip; goto L, M; end",
        // Several labels at one statement, one label in several procedures.
        "decl g; void p() begin L: M: g := !g; end
         void main() begin L: p(); N: O: g := *; if (g) then goto L; fi end",
    ];
    let mut comparisons = Comparisons::default();
    for program in programs {
        comparisons.run(program, || {
            Pair::new(boolean_program(program, "main"))?.compare(1, 40, true)
        });
    }
    comparisons.finish(25);
}

#[test]
fn remopla_programs_with_a_point() {
    let programs = [
        // Every pattern of bits is a value in `.pds`, but not of an enumeration.
        "enum colour { red, green, blue }; enum one { only }; enum colour c; enum one o;
         module enum colour any() { enum colour e; skip; L: return e; }
         module void main() { enum colour d; c = any(); M: d = undef; c = d; o = undef;
           if :: c == blue -> B: skip; :: c > blue -> never: skip; :: o != only -> nothing: skip;
              :: else -> N: skip; fi; }",
        // Numbers of either sign, far outside the range of what they are assigned to.
        "int x(3), y(3); module void main() { x = undef; y = undef;
           x = x * y * y - 7 * y * x; L: y = 0 - x; M: x = x - y * 30; N: skip; }",
        // Bitwise, with operands that may be negative.
        "int x(3), y(3); module void main() { x = (x & 5) | (y ^ 3); L: y = (x - y) & 3;
           M: y = (x << y) >> (x - 1); N: x = 1 << (x << 4); O: skip; }",
        // Division, and conditions that are decided before they fail.
        "int x(2), y(2); bool b; module void main() { b = y == 0 || x / y > 1; L: skip;
           b = x / y == 1 && y > 0; M: assert(x / (y - 1) < 3); N: skip; }",
        // Each guard fails on its own, and `else` takes it as not true.
        "int x(2), a[1,2](2); module void main() { int i(2);
           do :: a[i] == x -> L: i = i + 1; :: x / a[i] == 1 -> M: break;
              :: else -> N: x = undef; i = undef; od; }",
        // Entries that meet: the later one wins; indices are those before the step.
        "int a[1,3](2), i(1), j(1); module void main() {
           a[i + 1] = 1, a[j + 2] = 2, i = j, j = i; L: a[i] = i, a[i - j] = undef; M: skip;
           if :: a[2] == 1 -> N: skip; :: a[2] == 2 -> O: skip; :: else -> P: skip; fi; }",
        // Tables, structs, arrays of structs and of arrays, by value.
        "struct s { bool p; int r[2](1); }; struct s u, v[2]; int t[2][1,2](1);
         module struct s turn(struct s w) { w.r[0] = w.r[1], w.r[1] = w.r[0]; return w; }
         module void main() { int i(1); i = undef; u = turn(v[i]); L: v[1 - i] = u;
           M: t[i][u.r[0] + 1] = v[i].r[1]; t[0][1] = t[i][2]; N: assert(u.p == v[i].p);
           if :: v[0].r[i] == u.r[1 - i] -> O: skip; :: else -> P: skip; fi; }",
        // What `f` returns at its end is arbitrary, but never more than it may return.
        "int x(3); bool b; module int(1) f() { if :: b -> return 1; :: else -> skip; fi; }
         module int(3) g() { return 7; }
         module void main() { x = g(); L: x = f();
           if :: x > 1 -> never: skip; :: x == 1 -> M: skip; :: else -> N: skip; fi; }",
        // Assignments that come with a call; a result that does not fit; a value thrown away.
        "int x(1), y(2), a[2](1); module int(2) f(int n(1)) { L: return n + y; }
         module void main() { int k(1); k = 0; x = f(k), k = 1, y = y + 1; M: a[k] = f(k);
           f(k + y); N: skip; }",
        // Off the end of a module that returns a value, into something narrower.
        "int x(1); bool b; module int(2) f() { if :: b -> return 2; :: else -> skip; fi; }
         module void main() { L: x = f(); M: skip; }",
    ];
    let mut comparisons = Comparisons::default();
    for program in programs {
        for overflow in OVERFLOWS {
            comparisons.run(&format!("{overflow:?} {program}"), || {
                let program = read_remopla(program, overflow);
                Pair::new(program)?.compare(1, 30, true)
            });
        }
    }
    comparisons.finish(25);
}

/// The symbol that sets what a call returns is the callee's exit, one step longer.
#[test]
fn the_returning_symbol_bears_the_name_of_the_callee() {
    let program = "decl g; bool<1> f() begin return 1; end
        void main() begin g := 0; L: M: g := f(); N: skip; L2: f(); end";
    let pair = Pair::new(boolean_program(program, "main")).unwrap();
    let lines: Vec<_> = pair.translation.text.lines().collect();
    let atoms = |symbol: &str| {
        let begin = format!("atoms {symbol} ");
        let mut found = lines.iter().filter_map(|line| line.strip_prefix(&begin));
        found.next().unwrap_or_else(|| panic!("{symbol} has atoms"))
    };
    assert_eq!(atoms("main.0"), "main");
    assert_eq!(atoms("main.1"), "main, L, main.L, M, main.M");
    assert_eq!(atoms("main.1.return"), "f");
    assert_eq!(atoms("main.2"), "main, N, main.N");
    assert_eq!(atoms("f.1"), "f");
    // Nothing is left to do on the second return.
    assert!(!pair.translation.text.contains("main.3.return"));
    // While `f` is on top, `g` is 0; at once with its end control is at `N`, and `g` is 1.
    for (formula, holds) in [
        ("G (in(f) -> !g) U N", false),
        ("(L -> F N) & G (L -> (L U (f U N)))", true),
        ("G (N -> g)", true),
        ("!g | main U (main & !g)", true),
        ("F (f & g)", true),
        ("!(f & g) U N", true),
        ("(!main | !g | !f) U terminated", true),
        ("(main & !g) | ((main & g) U (main & !g U f))", true),
    ] {
        let asked = comparison::decide(&*pair.program, Kind::Ltl, formula).unwrap();
        let answered = comparison::decide(&*pair.system, Kind::Ltl, formula).unwrap();
        assert_eq!(asked, answered, "{formula}");
        let expected = if holds {
            Verdict::Holds
        } else {
            Verdict::Violated
        };
        assert_eq!(asked, expected, "{formula}");
    }
}

#[test]
fn names_that_cannot_be_spelled() {
    let program = "decl {*p==*q}, __p___q_, $x, error, int, lock, same;
        void lock(A) begin decl int, {a b}, lock; E: {a b} := A; lock := {a b}; $x := lock; end
        void same() begin same: terminated: skip; q: start: {*p==*q} := !{*p==*q}; end
        void $y() begin i: int := !error; end
        void main() begin same(); lock(*); $y(); error: __p___q_ := {*p==*q}; assert(int); end";
    let pair = Pair::new(boolean_program(program, "main")).unwrap();
    let renamed: Vec<_> = (pair.translation.renamed.iter())
        .map(|renamed| format!("{} {} {}", renamed.kind, renamed.original, renamed.spelled))
        .collect();
    assert_eq!(
        renamed,
        [
            "procedure same same_2",
            "procedure $y _y",
            "label error error_",
            "label same same_3",
            "label E E_",
            "label terminated terminated_",
            "global {*p==*q} __p___q__2",
            "global $x _x",
            "global error error_",
            "global int int_",
            "local A lock.A_",
            "local int lock.int_",
            "local {a b} lock._a_b_",
        ]
    );
    for renamed in &pair.translation.renamed {
        let (kind, spelled, original) = (renamed.kind, &renamed.spelled, &renamed.original);
        let row = format!("#   {kind:<10} {spelled:<24} {original}\n");
        assert!(pair.translation.text.contains(&row), "{row}");
    }
    pair.compare(5, 100, false).unwrap();
    // What is both a procedure and a label has no name of its own any more.
    let asked = comparison::decide(&*pair.system, Kind::Ltl, "F in(same)");
    assert!(asked.is_err_and(|error| error.contains("no symbol has the atom")));
}

#[test]
fn what_cannot_be_written_is_refused() {
    // Exact intervals know that this is a number below 16, those of `.pds` do not.
    let wide = "int x(64), y(64); module void main() { x = (x & y) & 15; }";
    let program = read_remopla(wide, Overflow::Error);
    let wrong = translate(&program).unwrap_err();
    assert!(wrong.message.contains("more than 126 bits"), "{wrong:?}");
    assert_eq!(program.source.text(wrong.span), "x = (x & y) & 15;");
    // The truth and the falsehood of each part need both of the part before.
    let parts: Vec<_> = (0..40).map(|k| format!("(* & a{k} | b)")).collect();
    let names: Vec<_> = (0..40).map(|k| format!("a{k}")).collect();
    let (names, parts) = (names.join(", "), parts.join(" ^ "));
    let long = format!("decl b, {names}; void main() begin b := {parts}; end");
    let wrong = translate(&boolean_program(&long, "main")).unwrap_err();
    assert!(wrong.message.contains("too long"), "{wrong:?}");
}

#[test]
fn nothing_recurses_over_an_expression() {
    let deep = 50_000;
    let (open, close) = ("(b & !(a | ".repeat(deep), "))".repeat(deep));
    let text = format!("decl a, b; void main() begin a := {open}a{close}; end");
    let pair = Pair::new(boolean_program(&text, "main")).unwrap();
    assert!(pair.translation.text.len() > 5 * deep);
}

/// The binary has an order of variables that is good enough for sums of wide numbers.
#[test]
fn numbers_of_64_bits() {
    let folder = tempfile::tempdir().expect("a folder");
    let (program, system) = (folder.path().join("p.rem"), folder.path().join("p.pds"));
    let text = "int x(64), y(64); module void main() { x = x + y; L: y = x - 1; M: skip;
        x = 18446744073709551615; x = x + y; N: assert(x >= y); }";
    for overflow in ["error", "wrap", "block"] {
        let options = ["--overflow", overflow];
        let run = translated(folder.path(), "p.rem", text, &options);
        std::fs::write(&system, &run.stdout).expect("it is written");
        for (asked, translated) in [
            (&["--assertions"][..], &["--reach", "error"][..]),
            (&["--reach", "N"], &["--reach", "N"]),
            (&["--ltl", "F {y < 1}"], &["--ltl", "F {y < 1}"]),
            (
                &["--ltl", "F (N & {x == 18446744073709551614})"],
                &["--ltl", "F (N & {x = 18446744073709551614})"],
            ),
            (
                &["--ltl", "G (M -> !{x < y})"],
                &["--ltl", "G (M -> !{x < y})"],
            ),
        ] {
            let asked = [asked, &options].concat();
            let (a, b) = (
                support::check(&program, &asked),
                support::check(&system, translated),
            );
            assert!(a.code < 2, "{}", a.stderr);
            assert_eq!(a.code, b.code, "{asked:?} {}", b.stderr);
        }
    }
}

/// Writes a program to a file, and what `derny translate` makes of it to another one.
fn translated(folder: &Path, name: &str, program: &str, options: &[&str]) -> support::Run {
    let path = folder.join(name);
    std::fs::write(&path, program).expect("the program is written");
    let mut arguments = vec!["translate", path.to_str().expect("a path in UTF-8")];
    arguments.extend(options);
    support::derny(&arguments)
}

#[test]
fn the_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let program = "define N 2\nint x(N); module void main() { x = 3; L: x = x + 1; M: skip; }";
    for (options, reaches, fails) in [
        (&[][..], false, true),
        (&["-D", "N=3"][..], true, false),
        (&["--overflow", "wrap"][..], true, false),
        (&["--overflow", "block"][..], false, false),
    ] {
        let run = translated(folder, "p.rem", program, options);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{options:?}");
        let again = translated(folder, "p.rem", program, options);
        assert_eq!(run.stdout, again.stdout, "the same each time");
        let system = folder.join("p.pds");
        std::fs::write(&system, &run.stdout).expect("it is written");
        for (label, reached) in [("L", true), ("M", reaches), ("error", fails)] {
            let checked = support::check(&system, &["--reach", label]);
            assert_eq!(checked.code, i32::from(reached), "{options:?} {label}");
            assert_eq!(checked.stderr, "");
        }
    }
    let run = translated(folder, "p.pds", "(q <s>)\nq <s> --> q <s>\n", &[]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("this is one already"), "{}", run.stderr);
    let run = translated(folder, "p.bp", "void main() begin x := 1; end", &[]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(
        run.stderr.contains("unknown variable `x`"),
        "{}",
        run.stderr
    );
    let wide = "int x(64), y(64); module void main() { x = x & y; }";
    let run = translated(folder, "p.rem", wide, &[]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("cannot be written"), "{}", run.stderr);
    assert!(run.stderr.contains("p.rem:1:"), "{}", run.stderr);
    let run = support::derny(&["translate", "-"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("--lang"), "{}", run.stderr);
}
