//! Corners of C where a verdict hangs on what may be left out, and methods must agree: each program
//! is decided directly and through predicates, and by hand.

mod support;

use support::Run;
use support::c::Folder;

struct Case(Folder);

impl Case {
    fn new(text: &str) -> Self {
        Case(Folder::new(&[("p.c", text)]))
    }

    fn check(&self, arguments: &[&str]) -> Run {
        let begin = ["check", "p.c", "--timeout", "60"];
        self.0.run(&[&begin, arguments].concat())
    }

    /// By every method.
    fn decide(&self, arguments: &[&str], expected: &str) {
        for method in ["none", "predicates", "auto"] {
            let run = self.check(&[arguments, &["--abstraction", method]].concat());
            let verdict = run.stdout.lines().next().unwrap_or_default();
            assert_eq!(verdict, expected, "{method}: {}{}", run.stdout, run.stderr);
        }
    }
}

/// A divisor whose quotient nobody needs keeps its value as long as something is divided by it.
#[test]
fn divisors_of_what_is_not_needed() {
    let quotient = Case::new(
        "extern _Bool any(void);
         int main(void) { int g = 2, p = 6; if (any()) g = 4; p = p / g; L: return 0; }",
    );
    for formula in ["G !at(L)", "F error", "G !terminated"] {
        quotient.decide(&["--ltl", formula], &format!("violated {formula}"));
    }
    let result = Case::new(
        "#include <assert.h>
         extern _Bool any(void);
         int g = 2;
         int f(void) { return 5 % g; }
         int main(void) { if (any()) g = 4; f(); assert(1); }",
    );
    result.decide(&[], "holds assertions");
}

/// While a call runs, what a frame knows is about the globals as they were.
#[test]
fn frames_that_wait_speak_of_earlier_globals() {
    let text = "#include <assert.h>
         unsigned char g;
         void f(void) { g = 0; }
         int main(void) { unsigned char x = 3; g = 5; f(); assert(g != 0); }";
    let predicates = "g == 0\nmain: g <= x\n";
    let case = Case(Folder::new(&[("p.c", text), ("mine.pred", predicates)]));
    let formula = "G !{g <= main.x} || G !{g == 0}";
    case.decide(&["--ltl", formula], &format!("violated {formula}"));
    let run = case.check(&["--predicates", "mine.pred", "--abstraction", "predicates"]);
    assert!(
        run.stdout.starts_with("violated assertions"),
        "{}{}",
        run.stdout,
        run.stderr
    );
}

/// What is not decided at all is unknown, whoever is asked.
#[test]
fn what_is_not_supported_does_not_hold() {
    let text = "#include <stdlib.h>
         int main(void) { int *p = malloc(4); free(p); free(p); return 0; }";
    let property = "CHECK( init(main()), LTL(G valid-free) )\n";
    let case = Case(Folder::new(&[("p.c", text), ("free.prp", property)]));
    for method in ["none", "predicates", "auto"] {
        let run = case.check(&["--prp", "free.prp", "--abstraction", method]);
        assert_eq!(run.code, 3, "{method}: {}{}", run.stdout, run.stderr);
        assert!(run.stdout.starts_with("unknown"), "{}", run.stdout);
    }
}

/// Each round of the loop is one frame deeper, and has a local of any value.
#[test]
fn loops_that_leave_frames() {
    let case = Case::new("void f(void) { int x; f(); } int main(void) { f(); return 0; }");
    case.decide(&["--ltl", "F terminated"], "violated F terminated");
}

/// All properties count their rounds together.
#[test]
fn kept_rounds_are_not_written_twice() {
    let case = Case::new(
        "#include <assert.h>
         extern int any(void);
         int main(void) { int x = any(), y = 3; if (x > 0) y = x; assert(y > 0); return 6 / y; }",
    );
    let count = |properties: &[&str]| {
        let folder = tempfile::tempdir().expect("a folder");
        let keep = folder.path().to_str().expect("UTF-8");
        let method = ["--abstraction", "predicates", "--no-trace", "--keep", keep];
        let run = case.check(&[properties, &method].concat());
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
        let files = std::fs::read_dir(keep).expect("a folder");
        let names = files.map(|file| file.expect("a file").file_name());
        let is_program = |name: &std::ffi::OsString| name.to_string_lossy().ends_with(".bp");
        names.filter(is_program).count()
    };
    let alone = ["--assertions", "--defined"].map(|property| count(&[property]));
    // What was learned for the first serves the second.
    let together = count(&["--assertions", "--defined"]);
    assert!(together > alone[0].max(alone[1]), "{alone:?} {together}");
}

/// Variables that only a formula compares stand side by side in the order: otherwise 32 bits of
/// each would be told apart before the first of the other.
#[test]
fn what_a_formula_compares_meets() {
    let case = Case::new(
        "extern int any(void);
         int g, h;
         int main(void) { g = any(); h = any(); return 0; }",
    );
    for (formula, verdict) in [("F {g == h}", "holds"), ("G {g <= h}", "violated")] {
        let run = case.check(&["--ltl", formula, "--abstraction", "none", "--no-trace"]);
        assert_eq!(
            run.stdout,
            format!("{verdict} {formula}\n"),
            "{}",
            run.stderr
        );
    }
}
