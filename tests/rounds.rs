//! Rounds of predicate abstraction as files, and predicates as text: what `--keep` writes is decided by
//! itself as in its round, and what `--show-predicates` shows is read again, whatever the program's names are.

mod support;

use std::path::Path;
use std::process::Command;

/// A program, the file that it is in, a rule about it, options, and how it ends.
struct Case {
    file: &'static str,
    program: &'static str,
    rule: Option<&'static str>,
    options: &'static [&'static str],
    verdict: &'static str,
}

impl Case {
    const fn c(program: &'static str, verdict: &'static str) -> Self {
        Case {
            file: "p.c",
            program,
            rule: None,
            options: &[],
            verdict,
        }
    }
}

const CASES: [Case; 13] = [
    // Names that mean something in boolean programs, and labels like those that are written there.
    Case::c(
        "int x; void skip(void) { x = 1; } int T(int decl) { return decl > 3 ? 2 : 1; }
         void begin(void) { } int call(int a) { return a + 1; } int P3(int P4) { P4++; return P4; }
         void wait(void) { } void assert(int);
         int main(void) {
           skip(); begin(); wait(); int n = T(x);
           end: n--; P3: if (n > 0) goto end; P7: if (n) goto P3; ASYNC_1: wait();
           if (call(x) != 2) goto P20; assert(P3(x) == 2); return 0;
           P20: assert(0);
         }",
        "holds",
    ),
    Case {
        options: &["--reach", "L"],
        ..Case::c(
            "int nondet(void); int main(void) { int x = nondet(); if (x > 3) { x++; if (x < 2) { L: x = 1; } } }",
            "violated",
        )
    },
    Case {
        options: &["--reach", "L"],
        ..Case::c(
            "int nondet(void); int main(void) { int x = nondet();
             if (x > 3 && x < 9) { x++; if (x < 2) { L: x = 1; } if (x == 3) goto L; } }",
            "holds",
        )
    },
    Case {
        options: &["--defined"],
        ..Case::c(
            "int nondet(void); int main(void) { int x = nondet(); if (x > 0) return 1 / x; }",
            "holds",
        )
    },
    // Executions begin elsewhere.
    Case {
        options: &["--entry", "start"],
        ..Case::c(
            "void assert(int); int main(int a) { return a > 3 ? 3 : a; }
             int start(int b, int c) { if (b > 5) { c = main(b); assert(c == 3); } return c; }",
            "holds",
        )
    },
    Case {
        options: &["--entry", "start"],
        ..Case::c(
            "void assert(int); int start(int b) { assert(b != 5); return b; }",
            "violated",
        )
    },
    // Variables of functions that are kept for good, and those that pointers lead to.
    Case::c(
        "void assert(int); int f(void) { static int n = 0; n++; return n; }
         int main(void) { int r = f(); r = f(); assert(r == 2); }",
        "holds",
    ),
    Case::c(
        "void assert(int); int g; int main(void) { int x = 1; int *p = &x; *p = 3; assert(x == 3);
         p = &g; *p = 1; assert(x == 3 && g == 1); }",
        "holds",
    ),
    Case::c(
        "void assert(int); void *malloc(unsigned long); void free(void *);
         int main(void) { int *p = malloc(4); *p = 3; assert(*p == 3); free(p); }",
        "holds",
    ),
    // What a function returns, by what it was given.
    Case::c(
        "void assert(int); int nondet(void); int f(int a) { a++; return a; }
         int main(void) { int x = nondet(); if (x < 100) { int y = f(x); assert(y == x + 1); } }",
        "holds",
    ),
    // A rule has functions of its own; several are about one event.
    Case {
        rule: Some(
            "watch m; f.exit { if ($1 != 1) abort; } f.return { if ($1 != 1 || $return != 5) abort; }
             f.call { if ($1 == m) { } }",
        ),
        ..Case::c(
            "int f(int x) { x = 5; return x; } int main(void) { f(1); f(1); return 0; }",
            "holds",
        )
    },
    Case {
        rule: Some(
            "state { int n; } f.call { n++; } f.call { if (n > 2) abort; } main.entry { n = 0; }",
        ),
        ..Case::c(
            "int f(int x) { return x; } int main(void) { f(1); f(1); f(1); }",
            "violated",
        )
    },
    Case {
        file: "p.rem",
        program: "int x(8); module int(8) f(int x(8)) { x = x + 1; return x; }
            init main; module void main() { int y(8); y = 3; y = f(y); x = y;
            if :: x != 4 -> L: skip; :: else -> skip; fi; }",
        rule: None,
        options: &["--reach", "L"],
        verdict: "holds",
    },
];

fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_derny"))
        .current_dir(folder)
        .args(arguments)
        .args(["--timeout", "60"])
        .output()
        .expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// The verdict and the number of rounds of the one property.
fn result(folder: &Path, arguments: &[&str]) -> (String, u64) {
    let (_, out, wrong) = run(folder, &[arguments, &["--format", "json"]].concat());
    let report: serde_json::Value =
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {wrong}"));
    let result = &report["results"][0];
    let rounds = result["abstraction"]["rounds"].as_u64();
    let verdict = result["verdict"].as_str().expect("a verdict");
    (verdict.to_owned(), rounds.expect("rounds"))
}

#[test]
fn rounds_are_repeated_and_predicates_are_read_again() {
    for case in CASES {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        std::fs::write(folder.join(case.file), case.program).expect("it is written");
        let mut arguments = vec!["check", case.file];
        arguments.extend(case.options);
        if let Some(rule) = case.rule {
            std::fs::write(folder.join("r.slic"), rule).expect("it is written");
            arguments.extend(["--slic", "r.slic"]);
        }
        let through = [&arguments[..], &["--abstraction", "predicates"]].concat();
        let keeping = [&through[..], &["--keep", "rounds"]].concat();
        let (verdict, rounds) = result(folder, &keeping);
        assert_eq!(verdict, case.verdict, "{}", case.program);
        let kept = (1..).take_while(|n| folder.join(format!("rounds/{n}.bp")).exists());
        for round in kept.collect::<Vec<u64>>() {
            let file = format!("rounds/{round}.bp");
            let (code, out, wrong) = run(folder, &["check", &file, "--no-trace"]);
            let fails = folder.join(format!("rounds/{round}.trace.json")).exists();
            let expected = i32::from(fails);
            let text = std::fs::read_to_string(folder.join(&file)).expect("it is there");
            assert_eq!(
                code,
                Some(expected),
                "{}\n{text}\n{out}{wrong}",
                case.program
            );
            // A label is still there.
            if let ["--reach", label] = case.options {
                let (code, out, wrong) =
                    run(folder, &["check", &file, "--no-trace", "--reach", label]);
                assert_eq!(
                    code,
                    Some(expected),
                    "{}\n{text}\n{out}{wrong}",
                    case.program
                );
            }
        }
        let showing = [&through[..], &["--show-predicates", "--no-trace"]].concat();
        let (_, shown, _) = run(folder, &showing);
        let lines: Vec<&str> = shown.lines().skip(1).collect();
        let file = format!("# what was shown\n\n{}\n", lines.join("\n"));
        std::fs::write(folder.join("shown"), file).expect("it is written");
        let again = [&arguments[..], &["--predicates", "shown"]].concat();
        let (verdict, fewer) = result(folder, &again);
        assert_eq!(verdict, case.verdict, "{}\n{shown}", case.program);
        assert!(fewer <= rounds, "{} instead of {rounds}: {shown}", fewer);
        let (_, shown_again, _) = run(
            folder,
            &[&again[..], &["--show-predicates", "--no-trace"]].concat(),
        );
        for line in lines {
            assert!(
                shown_again.lines().any(|one| one == line),
                "{line}: {shown_again}"
            );
        }
    }
}

/// A predicate may be about what the entry does not come to, but not about what is not declared.
#[test]
fn predicates_are_about_what_is_declared() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let program = "void assert(int); int g, a[2]; struct { int b; } s; enum { Many = 10 };
        int dead(int z) { static int n; return n + z; }
        int main(void) { int x = 0, *p = &x; for (int i = 0; i < 10; i++) x++; assert(*p == 10); }";
    std::fs::write(folder.join("p.c"), program).expect("it is written");
    let known = [
        "g > 0",
        "a[1] == 0x1F",
        "s.b <= 3u",
        "dead: z > 0",
        "dead: n > 0",
        "main: g == 1",
        "main: x <= 012",
        "main: x == i",
        "main: x <= 10ul",
    ];
    for line in known {
        std::fs::write(folder.join("given"), line).expect("it is written");
        let (code, _, wrong) = run(folder, &["check", "p.c", "--predicates", "given"]);
        assert_eq!(code, Some(0), "{line}: {wrong}");
    }
    let unknown = [
        "h > 0",
        "x > 0",
        "ded: z > 0",
        "main: z > 0",
        "main: x > 08",
    ];
    for line in unknown {
        std::fs::write(folder.join("given"), line).expect("it is written");
        let (code, out, _) = run(folder, &["check", "p.c", "--predicates", "given"]);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{line}");
    }
}

/// Published programs are decided in few rounds: those with locks in 20, those with rules and without loops in 10.
#[test]
fn few_rounds_are_enough() {
    let Some((folder, published)) = support::c::published() else {
        return;
    };
    let mut count = 0;
    for case in &published {
        let (file, property) = (&case.file, &case.property);
        let text = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
        let has_loops = ["for", "while", "goto"]
            .iter()
            .any(|word| text.contains(&format!("{word} (")));
        let rule = property.strip_prefix("slic:");
        let (rule, most) = match (rule, file.split_once('/')) {
            (Some(rule), Some((group, _))) if !has_loops => (Some(format!("{group}/{rule}")), 10),
            (None, Some(("locks", _))) if property == "unreach-call" => (None, 20),
            _ => continue,
        };
        let mut arguments = vec![
            "check",
            file,
            "--abstraction",
            "predicates",
            "--model",
            &case.model,
        ];
        match &rule {
            Some(rule) => arguments.extend(["--slic", rule]),
            None => arguments.push("--assertions"),
        }
        let (verdict, rounds) = result(&folder, &[&arguments[..], &["--no-trace"]].concat());
        assert_eq!(verdict, case.verdict, "{file}");
        assert!(rounds <= most, "{file}: {rounds} rounds");
        count += 1;
    }
    assert!(count >= 40, "{count}");
}

/// A place that is outside and was not excluded: why it was not is the reason.
#[test]
fn places_outside_are_excluded_or_say_why_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let program = "int nondet(void); int main(void) { int x = nondet();
        if (x > 3) { if (x < 2) { double d = 1.5; x = d > 1; } } return x; }";
    std::fs::write(folder.join("p.c"), program).expect("it is written");
    for (refinements, verdict, reason) in [("0", "unknown", "refinements"), ("9", "holds", "null")]
    {
        let arguments = [
            "check",
            "p.c",
            "--refinements",
            refinements,
            "--format",
            "json",
        ];
        let through = [&arguments[..], &["--abstraction", "predicates"]].concat();
        let (_, out, wrong) = run(folder, &through);
        let report: serde_json::Value =
            serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {wrong}"));
        let result = &report["results"][0];
        assert_eq!(result["verdict"], verdict, "{result}");
        let found = result["reason"].as_str().unwrap_or("null");
        assert_eq!(found, reason, "{result}");
    }
}

/// Each mistake in a file of predicates stands where it was made.
#[test]
fn mistakes_in_files_of_predicates_have_their_places() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(
        folder.join("p.c"),
        "int main(void) { int x = 1; return x; }",
    )
    .expect("it is written");
    let lines = "# what I think\nmain: x == 1\n\n  main: x == y\nno: x\n";
    std::fs::write(folder.join("mine"), lines).expect("it is written");
    let (code, out, wrong) = run(folder, &["check", "p.c", "--predicates", "mine"]);
    assert_eq!((code, out.as_str()), (Some(2), ""), "{wrong}");
    for place in [" --> mine:4:14\n", " --> mine:5:1\n"] {
        assert!(wrong.contains(place), "{place}: {wrong}");
    }
}
