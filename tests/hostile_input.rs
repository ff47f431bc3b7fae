//! Whatever comes in, the front end ends with a result: no panic, no overflow of the stack,
//! in time that grows with the size of the input only.

use derny::Diagnostic;
use derny::internals::lower::{Start, boolean_program};
use derny::internals::program::Program;
use derny::internals::render;
use derny::internals::source::Source;
use proptest::prelude::*;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Far more than any of these needs, and far less than quadratic time would.
const LIMIT: Duration = Duration::from_secs(20);

fn check(bytes: Vec<u8>) -> (Option<Program>, Vec<Diagnostic>) {
    let begin = Instant::now();
    let source = Arc::new(Source::new("hostile.bp", bytes));
    let (program, diagnostics) = boolean_program(source.clone(), &Start::default());
    let drawn = render(&source, &diagnostics, true);
    assert!(drawn.len() < 200_000, "{} bytes drawn", drawn.len());
    let errors = diagnostics.iter().any(Diagnostic::is_error);
    assert_eq!(program.is_none(), errors);
    for diagnostic in &diagnostics {
        let span = diagnostic.span;
        assert!(span.start <= span.end && span.end as usize <= source.bytes().len());
    }
    assert!(begin.elapsed() < LIMIT, "{:?}", begin.elapsed());
    (program, diagnostics)
}

fn accepted(text: String) -> Program {
    let (program, diagnostics) = check(text.into_bytes());
    assert!(program.is_some(), "{:?}", diagnostics.first());
    program.expect("just looked")
}

fn refused(text: String) -> Vec<Diagnostic> {
    let (program, diagnostics) = check(text.into_bytes());
    assert!(program.is_none());
    diagnostics
}

const DEEP: usize = 300_000;

#[test]
fn deep_expressions() {
    for (open, close) in [
        ("(", ")"),
        ("!", ""),
        ("not ", ""),
        ("a ? ", " : b"),
        ("b ? a : ", ""),
        ("schoose[", ",b]"),
        ("a => ", ""),
        ("a & (b = ", ")"),
        ("a & b = (", ")"),
    ] {
        let (open, close) = (open.repeat(DEEP), close.repeat(DEEP));
        accepted(format!("decl a, b; main() {{ a = {open}a{close}; }}"));
        refused(format!("decl a, b; main() {{ a = {open}; }}"));
        refused(format!("decl a, b; main() {{ a = {open}"));
    }
    let closed = ")".repeat(DEEP);
    assert_eq!(refused(format!("main() {{ assert(1{closed}; }}")).len(), 1);
}

#[test]
fn deep_statements() {
    for (open, close, points) in [
        ("if(*)then ", " fi", 1),
        ("while(*)do ", " od", 1),
        ("if(*){", "}", 1),
        ("while(*){", "}", 1),
        ("if(*){}else ", "{}", 0),
        ("if(*){}else{", "}", 2),
        ("if * then elsif * then ", " fi", 2),
        ("atomic begin ", " end", 2),
        ("atomic{", "}", 2),
        ("L", "", 0),
    ] {
        if points > 0 {
            let (opened, closed) = (open.repeat(DEEP), close.repeat(DEEP));
            let program = accepted(format!("main() {{ {opened}skip;{closed} }}"));
            assert_eq!(program.points.len(), points * DEEP + 2, "{open}");
        }
        refused(format!("main() {{ {}", open.repeat(DEEP)));
        refused(format!("main() begin {} end", open.repeat(DEEP)));
        refused(format!(
            "main() begin skip; {} end",
            close.repeat(DEEP) + "!"
        ));
    }
    let chain = "if(*){}else ".repeat(DEEP);
    let program = accepted(format!("main() {{ {chain}if(*){{}} }}"));
    assert_eq!(program.points.len(), 2 * (DEEP + 1) + 1);
}

#[test]
fn long_names_lines_and_lists() {
    let name = "x".repeat(1 << 20);
    accepted(format!("decl {name}; main() {{ {name} = !{name}; }}"));
    assert_eq!(refused(format!("main() {{ {name} = !{name}; }}")).len(), 1);
    let braces = format!("{{{}}}", "é".repeat(1 << 19));
    accepted(format!("decl {braces}; main() {{ {braces} = 1; }}"));
    let labels: String = (0..100_000).map(|i| format!("L{i}: ")).collect();
    let program = accepted(format!("main() {{ {labels} skip; }}"));
    assert_eq!(program.labels.len(), 100_000);
    let targets: String = (0..100_000).map(|i| format!(",x{i}")).collect();
    let values = ",*".repeat(100_000);
    accepted(format!(
        "decl y{targets}; main() {{ y{targets} = 0{values}; }}"
    ));
    let twice = ", y".repeat(100_000);
    refused(format!("decl y; main() {{ y{twice} = 0{values}; }}"));
    refused("decl ".to_string() + &"{".repeat(DEEP));
    refused("/*".repeat(DEEP));
}

#[test]
fn floods_of_mistakes() {
    for piece in [
        "@ ",
        "é",
        "x := ; ",
        "y := x; ",
        "f(); ",
        "fi ",
        "end ",
        "} ",
        "{ ",
        "goto L; ",
        "; ",
        "if ",
        "if (",
        "while x do ",
        "x ",
        "x, ",
        "decl ",
        "decl x ",
        "void ",
        "void f( ",
        "f() begin ",
        "' ",
        "? ",
        "( ",
        "begin ",
        "else ",
        "L: ",
        "x := a & b = c; ",
        "\u{0} ",
        "skip ",
        "enforce x; ",
        "return ",
        "dead ",
        "start_thread ",
        "start_thread x(); ",
        "start_thread goto L; ",
        "atomic ",
        "atomic { ",
        "atomic begin ",
        "ASYNC_a: f(); ",
        "wait; ",
        "thread ",
        "thread x(); ",
    ] {
        refused(piece.repeat(50_000));
        refused(format!("void main() begin {}", piece.repeat(50_000)));
        refused(format!("void main() begin {} end ! ", piece.repeat(50_000)));
    }
}

#[test]
fn many_unknown_names_among_many_known_ones() {
    let globals: String = (0..50_000).map(|i| format!(", known{i}")).collect();
    let uses: String = (0..50_000)
        .map(|i| format!("f{i}(unknwn{i}); goto M{i};"))
        .collect();
    refused(format!("decl g{globals}; main() {{ {uses} }}"));
}

const PROGRAM: &str = "decl g, {x==0}; // a comment
bool<2> f(a, b) begin
  decl c; enforce a | b;
  L: c, a := schoose[a, b], g ? * : ! b constrain 'c => (a = b);
  if (a) then goto L, M; elsif b then dead c; else print(a, b); fi
  while (!a ^ b) do M: skip; abortif(c); od;
  return (a, b);
end
main() {
  if (g) { f(g, 1) } else if ({x==0}) { _, g = call f(T, FALSE); } else { assert(g); }
  while (*) { assume(g <=> {x==0}); }
  /* the end */ return
}
";

#[test]
fn every_beginning_of_a_program() {
    let (program, _) = check(PROGRAM.into());
    assert!(program.is_some());
    for length in 0..PROGRAM.len() {
        check(PROGRAM.as_bytes()[..length].into());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        check(bytes);
    }

    #[test]
    fn arbitrary_words(words in prop::collection::vec(prop::sample::select(vec![
        "decl", "void", "bool", "<", "2", ">", "dfs", "main", "x", "{y}", "{", "}", "(", ")",
        "begin", "end", "if", "then", "elsif", "else", "fi", "while", "do", "od", "skip", ";",
        ":", ":=", "=", ",", "goto", "return", "call", "constrain", "'", "assert", "assume",
        "dead", "abortif", "enforce", "schoose", "[", "]", "!", "?", "*", "&", "|", "^", "=>",
        "<=>", "!=", "not", "print", "_", "0", "1", "T", "\n", "/*", "*/", "//", "@",
        "thread", "thread_local", "start_thread", "end_thread", "atomic", "atomic_begin",
        "atomic_end", "ASYNC_x", "wait",
    ]), 0..120)) {
        check(words.join(" ").into_bytes());
        let body = format!("decl x; void main() begin {} end", words.join(" "));
        check(body.into_bytes());
    }

    #[test]
    fn a_program_with_a_stretch_left_out_or_doubled(
        from in 0..PROGRAM.len(), length in 0..60usize, doubled in any::<bool>(),
    ) {
        let bytes = PROGRAM.as_bytes();
        let to = (from + length).min(bytes.len());
        let end = if doubled { &bytes[from..] } else { &bytes[to..] };
        check([&bytes[..to.max(from).min(if doubled { to } else { from })], end].concat());
    }
}
