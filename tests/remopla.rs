//! What Remopla programs mean: one small program for each rule, with its verdicts, on every
//! engine.

mod support;

use support::Run;

struct Case {
    rule: &'static str,
    program: &'static str,
    options: &'static [&'static str],
    /// Options that ask, and whether the answer is that it holds (or cannot be reached).
    asked: &'static [(&'static [&'static str], bool)],
}

const ASSERTIONS: &[&str] = &["--assertions"];
const TERMINATES: &[&str] = &["--terminates"];

const fn case(
    rule: &'static str,
    program: &'static str,
    asked: &'static [(&'static [&'static str], bool)],
) -> Case {
    Case {
        rule,
        program,
        options: &[],
        asked,
    }
}

const fn with(options: &'static [&'static str], case: Case) -> Case {
    Case { options, ..case }
}

const OVERFLOW: &str = "int x(2); module void main() { x = 3; x = x + 1; L: assert(x == 0); }";
const INDEX: &str = "int a[2], i(2); module void main() { i = 2; a[i] = 1; L: skip; }";
const DIVISION: &str = "int x; module void main() { x = 0; x = 7 / x; L: skip; }";
const NEGATIVE: &str = "int x; module void main() { x = 1; x = (x - 2) & 1; L: skip; }";
const SHIFT: &str = "int x; bool b; module void main() { x = 65; b = 1 << x == 0; L: skip; }";
const REACH: &[&str] = &["--reach", "L"];

const CASES: &[Case] = &[
    case(
        "an `if` takes any branch whose condition holds",
        "int x; module void main() { x = 1;
           if :: x == 1 -> L: skip; :: x < 2 -> M: skip; :: else -> N: skip; fi }",
        &[
            (REACH, false),
            (&["--reach", "M"], false),
            (&["--reach", "N"], true),
        ],
    ),
    case(
        "`else` is taken if no other can be",
        "int x; module void main() { x = 3;
           if :: x == 1 -> L: skip; :: else -> M: skip; fi }",
        &[(REACH, true), (&["--reach", "M"], false)],
    ),
    case(
        "where no branch can be taken the execution is cut off",
        "int x; module void main() { x = 3; if :: x == 1 -> skip; fi L: skip;
           do :: true -> skip; od }",
        &[(REACH, true), (TERMINATES, true), (ASSERTIONS, true)],
    ),
    case(
        "a `do` goes on until `break`",
        "int x; module void main() { x = 0;
           do :: x < 5 -> x = x + 1; :: x == 5 -> break; od assert(x == 5); }",
        &[(ASSERTIONS, true), (TERMINATES, true)],
    ),
    case(
        "a `do` without `break` goes on for ever",
        "module void main() { do :: true -> skip; od L: skip; }",
        &[(TERMINATES, false), (REACH, true)],
    ),
    case(
        "`break` leaves the innermost `do` only",
        "int x; module void main() { x = 0;
           do :: x < 3 -> do :: true -> break; od x = x + 1; :: else -> break; od
           assert(x == 3); }",
        &[(ASSERTIONS, true), (TERMINATES, true)],
    ),
    case(
        "an `int` has 8 bits",
        "int x; module void main() { x = 254; x = x + 1; L: x = x + 1; M: skip; }",
        &[
            (REACH, false),
            (&["--reach", "M"], true),
            (ASSERTIONS, false),
        ],
    ),
    case(
        "terms are computed exactly",
        "int x; module void main() { x = 255; x = x * x + x - x * x; assert(x == 255);
           x = (0 - x) / 2 + 127; assert(x == 0); }",
        &[(ASSERTIONS, true)],
    ),
    case(
        "a value that does not fit is an error",
        OVERFLOW,
        &[(ASSERTIONS, false), (REACH, true)],
    ),
    with(
        &["--overflow", "wrap"],
        case(
            "or is taken modulo",
            OVERFLOW,
            &[(ASSERTIONS, true), (REACH, false)],
        ),
    ),
    with(
        &["--overflow", "block"],
        case(
            "or cuts off",
            OVERFLOW,
            &[(ASSERTIONS, true), (REACH, true)],
        ),
    ),
    case(
        "an index outside is an error",
        INDEX,
        &[(ASSERTIONS, false), (REACH, true)],
    ),
    with(
        &["--overflow", "wrap"],
        case(
            "also under wrap",
            INDEX,
            &[(ASSERTIONS, false), (REACH, true)],
        ),
    ),
    with(
        &["--overflow", "block"],
        case(
            "and cuts off under block",
            INDEX,
            &[(ASSERTIONS, true), (REACH, true)],
        ),
    ),
    case(
        "a division by 0 is an error",
        DIVISION,
        &[(ASSERTIONS, false), (REACH, true)],
    ),
    with(
        &["--overflow", "block"],
        case(
            "and cuts off under block",
            DIVISION,
            &[(ASSERTIONS, true), (REACH, true)],
        ),
    ),
    with(
        &["--overflow", "wrap"],
        case(
            "negative numbers have no bits",
            NEGATIVE,
            &[(ASSERTIONS, false), (REACH, true)],
        ),
    ),
    with(
        &["--overflow", "wrap"],
        case(
            "shifts end at 2^64",
            SHIFT,
            &[(ASSERTIONS, false), (REACH, true)],
        ),
    ),
    case(
        "`&&`, `||` and quantifiers stop when decided",
        "int x(3), a[2](1); bool b; module void main() { x = 0, a[0] = 1;
           b = x != 0 && 7 / x == 7; assert(!b);
           b = x == 0 || 7 / x == 7; assert(b);
           b = E i (0,2) a[i] == 1; assert(b);
           b = A i (0,2) a[i] == 0; assert(!b); }",
        &[(ASSERTIONS, true)],
    ),
    case(
        "a guard that errs gives one more step and is not true",
        "int x; module void main() { x = 0;
           if :: 7 / x == 1 -> L: skip; :: x == 0 -> M: skip; :: else -> N: skip; fi }",
        &[
            (REACH, true),
            (&["--reach", "M"], false),
            (&["--reach", "N"], true),
            (ASSERTIONS, false),
        ],
    ),
    case(
        "`else` counts a guard that errs as not true",
        "int x; module void main() { x = 0; if :: 7 / x == 1 -> L: skip; :: else -> M: skip; fi }",
        &[
            (REACH, true),
            (&["--reach", "M"], false),
            (ASSERTIONS, false),
        ],
    ),
    with(
        &["--overflow", "block"],
        case(
            "under block a guard that errs gives no step",
            "int x; module void main() { x = 0; if :: 7 / x == 1 -> skip; :: else -> M: skip; fi }",
            &[(&["--reach", "M"], false), (ASSERTIONS, true)],
        ),
    ),
    case(
        "arguments are checked in the call step",
        "module void f(int n(1)) { L: skip; } module void main() { int x; x = 2; f(x); }",
        &[(REACH, true), (ASSERTIONS, false)],
    ),
    case(
        "return values are checked against the module's type",
        "int x; module int(1) f() { L: return x; }
         module void main() { int y; x = 2; y = f(); M: skip; }",
        &[
            (REACH, false),
            (&["--reach", "M"], true),
            (ASSERTIONS, false),
        ],
    ),
    case(
        "results are checked against the target on leaving the exit",
        "int x(1); module int f() { return 2; } module void main() { x = f(); L: skip; }",
        &[(REACH, true), (ASSERTIONS, false)],
    ),
    case(
        "what comes with a call is evaluated with the arguments and holds in the callee",
        "int g; module void f(int n) { assert(n == 1 && g == 2); g = 3; }
         module void main() { int i; g = 1, i = 5; f(g), g = g + 1, i = g + 6;
           assert(g == 3 && i == 7); }",
        &[(ASSERTIONS, true)],
    ),
    case(
        "the index of a result is evaluated on the return",
        "int i(1), a[2]; module int f() { i = 1; return 7; }
         module void main() { a[0] = 0, a[1] = 0, i = 0; a[i] = f();
           assert(a[0] == 0 && a[1] == 7); }",
        &[(ASSERTIONS, true)],
    ),
    case(
        "all assignments of a statement happen at once",
        "int x, y; module void main() { x = 1, y = 2; x = y, y = x; assert(x == 2 && y == 1); }",
        &[(ASSERTIONS, true)],
    ),
    case(
        "so do those of a quantifier",
        "int a[1,3](2); module void main() { a[1] = 1, a[2] = 2, a[3] = 3;
           A i (1,3) a[i] = a[4-i]; assert(a[1] == 3 && a[2] == 2 && a[3] == 1); }",
        &[(ASSERTIONS, true)],
    ),
    case(
        "where two targets meet the later one wins",
        "int a[2], i(1); module void main() { i = 0; a[i] = 1, a[0] = 2; assert(a[0] == 2);
           i = 1; a[1] = 1, a[i] = 2; assert(a[1] == 2); }",
        &[(ASSERTIONS, true)],
    ),
    case(
        "`goto` with assignments is one step",
        "int x; module void main() { x = 0; goto L, x = x + 1; M: skip; L: assert(x == 1); }",
        &[(ASSERTIONS, true), (&["--reach", "M"], true)],
    ),
    case(
        "arrays and structs are passed and returned by value",
        "define DEFAULT_INT_BITS 3 struct s { int x; bool y[2]; }; struct s g, h;
         module struct s f(struct s p, int a[2]) {
           p.x = p.x + a[1], p.y[0] = true; a[0] = 7; return p; }
         module void main() { int a[2]; a[0] = 1, a[1] = 2, g.x = 3, g.y[0] = false, g.y[1] = true;
           h = f(g, a);
           assert(a[0] == 1 && g.x == 3 && !g.y[0] && h.x == 5 && h.y[0] && h.y[1]); }",
        &[(ASSERTIONS, true)],
    ),
    case(
        "entries of arrays of structs",
        "struct s { int x(1); bool y; }; struct s g[2][1,2], t; int i(1), j(2);
         module void main() { i = 1, j = 2;
           g[i][j].x = 1, g[i][1].x = 0, g[1][2].y = false;
           t = g[i][j]; assert(t.x == 1 && !t.y && g[1][2].x == 1 && g[i][j-1].x == 0);
           g[0][1] = t; assert(g[i-1][1].x == 1 && !g[0][i].y);
           t.y = undef; g[i][1] = t; assert(g[1][i].x == 1 && g[1][1].y == t.y); }",
        &[(ASSERTIONS, true)],
    ),
    case(
        "arrays in structs in arrays",
        "struct s { int x(1); bool y[1,2]; }; struct s g[2], t; int i(1), j(2);
         module void main() { i = 1, j = 2; g[i].y[j] = true, g[1].y[1] = false, g[i].x = 0;
           t = g[i]; assert(t.y[2] && !t.y[1] && g[1].y[2] && !g[i].y[i]);
           g[0] = t; assert(g[i-1].y[j] && !g[0].y[j-1] && g[0].x == 0); }",
        &[(ASSERTIONS, true)],
    ),
    case(
        "rows and columns",
        "int m[2][1,3](1), i(1), j(2); module void main() {
           A k (0,1) A l (1,3) m[k][l] = k + l & 1; i = 1, j = 3;
           assert(m[i][j] == 0 && m[0][j] == 1 && m[i][1] == 0 && m[i-1][j-1] == 0);
           m[i][j] = 1; assert(m[1][3] == 1 && m[1][2] == 1 && m[1][1] == 0);
           j = 0; M: m[i][j] = 1; L: skip; }",
        &[
            (ASSERTIONS, false),
            (&["--reach", "M"], false),
            (REACH, true),
        ],
    ),
    case(
        "`undef` is any value, and never one outside",
        "enum color { red, green, blue } c; int x(2); bool b;
         module void main() { c = undef, x = undef, b = undef; assert(c <= blue && x <= 3);
           if :: c == blue && x == 3 && b -> L: skip; :: else -> skip; fi }",
        &[(ASSERTIONS, true), (REACH, false)],
    ),
    case(
        "variables are arbitrary at first, within their range",
        "enum { red, green, blue } c; module void f() { enum e d; assert(d == a || d == b); }
         enum e { a, b }; module void main() { assert(c <= blue); f();
           if :: c == red -> L: skip; :: c == blue -> M: skip; :: else -> skip; fi }",
        &[
            (ASSERTIONS, true),
            (REACH, false),
            (&["--reach", "M"], false),
        ],
    ),
    case(
        "a value outside an enumeration is out of range",
        "enum { red, green, blue } c; module void main() { c = green + 2; L: skip; }",
        &[(ASSERTIONS, false), (REACH, true)],
    ),
    case(
        "`skip(c)` and `assume(c)` go on only where the condition holds",
        "int x; module void main() { skip(x < 3); assume(x > 1); assert(x == 2); }",
        &[(ASSERTIONS, true)],
    ),
    case(
        "a module that runs off its end returns any value",
        "int x(1); module int(1) f() { skip; } module void main() { x = f();
           if :: x == 0 -> L: skip; :: else -> M: skip; fi }",
        &[(REACH, false), (&["--reach", "M"], false)],
    ),
    with(
        &["-D", "N=5"],
        case(
            "defines that depend on a given one follow it",
            "define N 3 define M N * 2 int a[M](1); module void main() { a[9] = 1; assert(a[9] == 1 && M == 10); }",
            &[(ASSERTIONS, true)],
        ),
    ),
    case(
        "executions begin in the module after `init`",
        "init f; module void main() { L: skip; } module void f() { M: skip; }",
        &[(REACH, true), (&["--reach", "M"], false)],
    ),
    case(
        "recursion",
        "int r; module void fac(int n(3)) {
           if :: n == 0 -> r = 1; :: else -> fac(n - 1); r = r * n; fi }
         module void main() { fac(5); assert(r == 120); }",
        &[(ASSERTIONS, true), (TERMINATES, true)],
    ),
    case(
        "conditions in formulas",
        "define N 3 int x(2), a[2](1); module void p(int n(2)) { skip; }
         module void main() { x = 0, a[0] = 1, a[1] = 1;
           do :: x < N -> p(x); x = x + 1; :: else -> break; od }",
        &[
            (&["--ltl", "F {x == N}"], true),
            (&["--ltl", "G {x != N}"], false),
            (&["--ltl", "F G {A i (0,1) a[i] == 1}"], true),
            // An index outside makes a comparison false, and its negation true.
            (&["--ltl", "F ({x == 2} & {a[x] != 1})"], false),
            (&["--ltl", "F ({x == 2} & {!(a[x] == 1)})"], true),
            // So does a local whose module is not on top.
            (&["--ltl", "G (main -> {!(p.n == 0)})"], true),
            (&["--ltl", "G (main -> {p.n != 0})"], false),
            (&["--ltl", "F {p.n == 2}"], true),
            (&["--ltl", "G (p -> {p.n == x})"], true),
        ],
    ),
];

fn check(case: &Case, engine: &[&str]) -> Run {
    let folder = tempfile::tempdir().expect("a folder for a program");
    let path = folder.path().join("program.rem");
    std::fs::write(&path, case.program).expect("the program is written");
    let mut arguments = vec!["--format", "json"];
    arguments.extend(engine);
    arguments.extend(case.options);
    arguments.extend(case.asked.iter().flat_map(|(options, _)| *options));
    support::check(&path, &arguments)
}

fn run_cases(engine: &[&str]) {
    let mut failures = String::new();
    for case in CASES {
        let run = check(case, engine);
        let fine = case.asked.iter().all(|(_, holds)| *holds);
        if run.code != i32::from(!fine) {
            failures += &format!("{}: exit code {}, {}\n", case.rule, run.code, run.stderr);
            if run.stdout.is_empty() {
                continue;
            }
        }
        for result in run.results() {
            let (kind, text) = (&result["property"]["kind"], &result["property"]["text"]);
            let asked = case.asked.iter().find(|(options, _)| match options {
                [_, given] => text == given,
                _ => options[0].strip_prefix("--") == kind.as_str(),
            });
            let (_, holds) = asked.expect("it was asked");
            let verdict = if *holds { "holds" } else { "violated" };
            if result["verdict"] != verdict {
                failures += &format!("{}: {text} is {}\n", case.rule, result["verdict"]);
            }
        }
    }
    assert!(failures.is_empty(), "with {engine:?}:\n{failures}");
}

#[test]
fn forward() {
    run_cases(&["--search", "forward"]);
}

#[test]
fn backward() {
    run_cases(&["--search", "backward"]);
}

#[test]
fn explicit() {
    run_cases(&["--engine", "explicit"]);
}

/// Arrays that are too large for explicit states. Traces are replayed.
#[test]
fn large_arrays() {
    let programs = [
        "int a[20](2), i(5), j(5); module void main() { A k (0,19) a[k] = k & 3;
           i = undef, j = undef; skip(i < 20 && j < 20 && i != j);
           a[i] = 3, i = j; assert(a[j] == (j & 3)); assert(a[i] == (j & 3));
           a[j] = a[j] + 1 & 3; assert(a[i] == (j + 1 & 3)); L: assert(a[j] != 3); }",
        "int a[20](2), i(5); module void main() { A k (0,19) a[k] = 0; i = undef;
           a[i] = 1; assert(i < 20); L: assert(E k (0,19) (a[k] != 0 && i == k));
           i = undef; assert(a[i] <= 1); }",
    ];
    for program in programs {
        let file = tempfile::Builder::new().suffix(".rem").tempfile();
        let file = file.expect("a file");
        std::fs::write(file.path(), program).expect("the file is written");
        let run = support::check(file.path(), &["--reach", "L", "--assertions"]);
        assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
        let verdicts: Vec<_> = run.stdout.lines().filter(|l| !l.starts_with(' ')).collect();
        assert_eq!(
            verdicts,
            ["reachable L", "violated assertions"],
            "{program}"
        );
        let blocked = ["--overflow", "block", "--assertions"];
        let run = support::check(file.path(), &blocked);
        // Only the last assertion of the first program fails.
        let expected = i32::from(program.contains("!= 3"));
        assert_eq!(run.code, expected, "{}{}", run.stdout, run.stderr);
    }
}
