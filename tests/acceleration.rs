//! Deep loops and deep recursion: programs whose verdicts are the same for every width of
//! their integers. Narrow ones are checked in every way there is, wide ones must be decided,
//! which plain rounds would not do in years.

mod support;

use support::derny;

struct Deep {
    what: &'static str,
    /// `define B` is put before it: the width of integers.
    program: &'static str,
    /// What is asked, and whether it holds (or cannot be reached).
    asked: &'static [(&'static [&'static str], bool)],
    /// Wide integers are left out: plain rounds are all there is.
    is_plain: bool,
}

const ASSERTIONS: &[&str] = &["--assertions"];
const TERMINATES: &[&str] = &["--terminates"];
const REACH: &[&str] = &["--reach", "L"];

const fn deep(
    what: &'static str,
    program: &'static str,
    asked: &'static [(&'static [&'static str], bool)],
) -> Deep {
    Deep {
        what,
        program,
        asked,
        is_plain: false,
    }
}

const PROGRAMS: &[Deep] = &[
    deep(
        "a loop that counts up",
        "define MAX (1 << B) - 1
         int x(B); module void main() { x = 0;
           do :: x < MAX -> x = x + 1; :: else -> break; od
           L: assert(x == MAX); }",
        &[(ASSERTIONS, true), (TERMINATES, true), (REACH, false)],
    ),
    deep(
        "a loop inside a loop",
        "define MAX (1 << B) - 1
         int x(B), y(B); module void main() { x = 0;
           do
           :: x < MAX -> y = x; do :: y < MAX -> y = y + 1; :: else -> break; od x = x + 1;
           :: else -> break; od
           assert(x == MAX); }",
        &[(ASSERTIONS, true), (TERMINATES, true)],
    ),
    deep(
        "a loop through a choice between nothing and any value",
        "int y(B); module void main() { bool x; x = false; y = 0;
           do :: true ->
             if :: true -> skip; :: true -> x = undef; fi
             if :: !x -> break; :: else -> skip; fi
             x = false;
           od }",
        &[(TERMINATES, false)],
    ),
    deep(
        "recursion that counts down",
        "define MAX (1 << B) - 1
         module void f(int n(B)) { if :: n == 0 -> L: skip; :: else -> f(n - 1); fi }
         module void main() { f(MAX); M: skip; }",
        &[
            (REACH, false),
            (&["--reach", "M"], false),
            (TERMINATES, true),
            (&["--ltl", "F f.L"], true),
            (&["--ltl", "F M"], true),
            (&["--ltl", "G (L -> F terminated)"], true),
            (&["--ltl", "G !M"], false),
        ],
    ),
    deep(
        "recursion that returns how deep it was",
        "define MAX (1 << B) - 1
         module int f(int n(B)) { int r(B);
           if :: n == 0 -> return 0; :: else -> skip; fi
           r = f(n - 1); return r + 1; }
         module void main() { int y(B), z(B); y = f(z); assert(y == z); L: assert(y != MAX); }",
        &[(ASSERTIONS, false), (REACH, false), (TERMINATES, true)],
    ),
    deep(
        "recursion that counts in a global variable, up and down",
        "int g(B); module void f(int n(B)) {
           if :: n == 0 -> return; :: else -> skip; fi
           g = g + 1; f(n - 1); g = g - 1; }
         module void main() { g = 0; f((1 << B) - 2); assert(g == 0); L: skip; }",
        &[(ASSERTIONS, true), (REACH, false), (TERMINATES, true)],
    ),
    deep(
        "recursion with a step of three that misses its end",
        "module void f(int n(B)) {
           if :: n == 0 -> L: skip; :: n > 2 -> f(n - 3); :: else -> skip; fi }
         module void main() { f(((1 << B) - 2) / 3 * 3 + 1); M: skip; }",
        &[
            (REACH, true),
            (&["--reach", "M"], false),
            (TERMINATES, true),
        ],
    ),
    deep(
        "two procedures that call each other",
        "module bool even(int n(B)) { bool r;
           if :: n == 0 -> return true; :: else -> skip; fi r = odd(n - 1); return r; }
         module bool odd(int n(B)) { bool r;
           if :: n == 0 -> return false; :: else -> skip; fi r = even(n - 1); return r; }
         module void main() { bool b; int n(B);
           b = even(n); assert(b == ((n & 1) == 0)); assert(!b); }",
        &[(ASSERTIONS, false), (TERMINATES, true)],
    ),
    deep(
        "recursion that may go on for ever at its deepest",
        "module void f(int n(B)) {
           if :: n == 0 -> L: f(0); :: else -> f(n - 1); fi }
         module void main() { f((1 << B) - 1); M: skip; }",
        &[
            (REACH, false),
            (&["--reach", "M"], true),
            (TERMINATES, false),
        ],
    ),
    deep(
        "two ways down, and one of them twice as fast",
        "module int f(int n(B)) { int r(B);
           if :: n == 0 -> return 0; :: n > 1 -> r = f(n - 2); :: n > 0 -> r = f(n - 1); fi
           return r; }
         module void main() { int y(B); y = f((1 << B) - 1); assert(y == 0); L: skip; }",
        &[(ASSERTIONS, true), (REACH, false), (TERMINATES, true)],
    ),
    deep(
        "a loop with two ways that take turns",
        "define MAX (1 << B) - 1
         int x(B); bool y; module void main() { x = 0; y = false;
           do :: x < MAX && (x & 1) == 0 -> x = x + 1;
              :: x < MAX && (x & 1) == 1 -> x = x + 1; y = !y;
              :: else -> break; od
           L: assert(x == MAX); assert(!y); }",
        &[(ASSERTIONS, false), (REACH, false), (TERMINATES, true)],
    ),
    deep(
        "recursion with two ways down that take turns",
        "module int(B) f(int n(B)) { int r(B);
           if :: n == 0 -> L: return 0;
              :: (n & 1) == 1 -> r = f(n - 1);
              :: (n & 1) == 0 && n > 0 -> skip; r = f(n - 1); fi
           return r + 1; }
         module void main() { int y(B), z(B); z = (1 << B) - 1; y = f(z); M: assert(y != z); }",
        &[
            (ASSERTIONS, false),
            (REACH, false),
            (&["--reach", "M"], false),
            (TERMINATES, true),
        ],
    ),
    Deep {
        is_plain: true,
        ..deep(
            "a recursion that calls itself twice",
            "module int f(int n(B)) { int r(B), s(B);
               if :: n < 2 -> return n; :: else -> skip; fi
               r = f(n - 1); s = f(n - 2);
               if :: r >= s -> return r; :: else -> L: return s; fi }
             module void main() { int y(B); y = f((1 << B) - 1); assert(y == 1); }",
            &[(ASSERTIONS, true), (REACH, true), (TERMINATES, true)],
        )
    },
];

/// A file with the program for integers of this width.
fn file(deep: &Deep, bits: u32) -> tempfile::NamedTempFile {
    let text = format!("define B {bits}\n{}", deep.program);
    let file = tempfile::Builder::new().suffix(".rem").tempfile();
    let file = file.expect("a file");
    std::fs::write(file.path(), text).expect("the file is written");
    file
}

fn find(what: &str) -> &'static Deep {
    let found = PROGRAMS.iter().find(|deep| deep.what.contains(what));
    found.expect("there is such a program")
}

fn check(deep: &Deep, bits: u32, options: &[&str]) {
    let file = file(deep, bits);
    let path = file.path().to_str().expect("a readable path");
    for (asked, holds) in deep.asked {
        let arguments = [&["check", path], options, *asked].concat();
        let run = derny(&arguments);
        let expected = i32::from(!holds);
        assert_eq!(
            run.code, expected,
            "{}, {bits} bits, {options:?} {asked:?}\n{}{}\n{}",
            deep.what, run.stdout, run.stderr, deep.program
        );
    }
}

#[test]
fn narrow_integers_in_every_way() {
    for deep in PROGRAMS {
        for accelerate in ["auto", "always", "never"] {
            check(deep, 3, &["--accelerate", accelerate]);
            check(deep, 5, &["--accelerate", accelerate, "--no-trace"]);
        }
        check(deep, 3, &["--engine", "explicit"]);
        check(deep, 3, &["--search", "backward"]);
        check(
            deep,
            4,
            &["--accelerate", "always", "--order", "sequential"],
        );
    }
}

#[test]
fn wide_integers_are_decided() {
    for deep in PROGRAMS.iter().filter(|deep| !deep.is_plain) {
        check(deep, 24, &["--no-trace", "--timeout", "60"]);
        check(deep, 32, &["--no-trace", "--timeout", "60"]);
    }
}

/// More rounds than can be counted in 64 bits are closed all the same.
#[test]
fn recursion_with_the_widest_integers() {
    check(
        find("returns how deep"),
        64,
        &["--no-trace", "--timeout", "60"],
    );
    check(find("counts down"), 64, &["--no-trace", "--timeout", "60"]);
}

/// Where a recursion is not very deep, it is followed call by call for the trace.
#[test]
fn traces_through_recursion() {
    let file = file(find("returns how deep"), 6);
    let path = file.path().to_str().expect("a readable path");
    let run = derny(&["check", path, "--format", "json"]);
    let trace = &run.results()[0]["trace"];
    let steps = trace["stem"].as_array().expect("there is a trace");
    let deepest = steps.iter().filter_map(|step| step["depth"].as_u64()).max();
    assert_eq!(deepest, Some(64), "63 calls above the first one");
}
