//! Whatever comes in as a Remopla program, the front end ends with a result: no panic, no
//! overflow of the stack, in time that grows with the size of the input only.

use derny::Diagnostic;
use derny::internals::lower::{RemoplaOptions, remopla};
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
    let source = Arc::new(Source::new("hostile.rem", bytes));
    let options = RemoplaOptions::default();
    let (program, diagnostics) = remopla(source.clone(), None, &options);
    let drawn = render(&source, &diagnostics, true);
    assert!(drawn.len() < 400_000, "{} bytes drawn", drawn.len());
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

const DEEP: usize = 200_000;

#[test]
fn deep_expressions() {
    let main =
        |statement: String| format!("int x, a[256]; bool b; module void main() {{ {statement} }}");
    for (open, close) in [("(", ")"), ("x & (", ")"), ("x + ", "")] {
        let (open, close) = (open.repeat(DEEP), close.repeat(DEEP));
        accepted(main(format!("x = {open}x{close};")));
        refused(main(format!("x = {open};")));
        refused(main(format!("x = {open}")));
    }
    for (open, close) in [
        ("(", ")"),
        ("!", ""),
        ("b && (", ")"),
        ("b == ", ""),
        ("true && (", ")"),
    ] {
        let (open, close) = (open.repeat(DEEP), close.repeat(DEEP));
        accepted(main(format!("b = {open}b{close};")));
        refused(main(format!("b = {open}")));
    }
    let nested = |depth| format!("x = {}x{};", "a[".repeat(depth), "]".repeat(depth));
    accepted(main(nested(1000)));
    refused(main(nested(DEEP)));
    refused(main(format!("x = {}", "a[".repeat(DEEP))));
    // Terms that get wider and wider.
    refused(main(format!("x = {}x;", "x * ".repeat(DEEP))));
    refused(main(format!("b = {}b;", "A i (0,1) ".repeat(DEEP))));
    refused(main(format!("b = {}b;", "A i (0,0) ".repeat(DEEP))));
    refused(main(format!("{}a[i] = 1;", "A i (0,1) ".repeat(DEEP))));
    refused(main(format!("x = x{};", ".f".repeat(DEEP))));
    refused(main(format!("x = x{};", "[1]".repeat(DEEP))));
}

#[test]
fn deep_statements() {
    for (open, close) in [
        ("if :: b -> ", " fi"),
        ("do :: b -> ", " od;"),
        ("if :: b -> skip; :: else -> ", " fi"),
    ] {
        let (opened, closed) = (open.repeat(DEEP), close.repeat(DEEP));
        accepted(format!(
            "bool b; module void main() {{ {opened}skip;{closed} }}"
        ));
        refused(format!("bool b; module void main() {{ {opened}"));
        refused(format!("bool b; module void main() {{ {opened} }}"));
        refused(format!("bool b; module void main() {{ skip; {closed} }}"));
    }
    let mixed = "if :: b -> do :: b -> ".repeat(DEEP);
    let closers = "fi ".repeat(DEEP);
    refused(format!(
        "bool b; module void main() {{ {mixed} {closers} }}"
    ));
    refused("struct s { ".repeat(DEEP));
    refused("enum { ".repeat(DEEP));
    refused("module int[".repeat(DEEP));
}

#[test]
fn long_names_lines_and_lists() {
    let name = "x".repeat(1 << 20);
    accepted(format!(
        "int {name}; module void main() {{ {name} = {name}; }}"
    ));
    assert_eq!(
        refused(format!("module void main() {{ {name} = {name}; }}")).len(),
        1
    );
    let declared: String = (0..100_000).map(|i| format!(", x{i}")).collect();
    let assigned: String = (0..100_000).map(|i| format!(", x{i} = x{i} + 1")).collect();
    accepted(format!(
        "int y{declared}; module void main() {{ y = 1{assigned}; }}"
    ));
    let twice = ", y = 1".repeat(100_000);
    refused(format!("int y; module void main() {{ y = 1{twice}; }}"));
    let labels: String = (0..100_000).map(|i| format!("L{i}: ")).collect();
    accepted(format!("module void main() {{ {labels} skip; }}"));
    let defines: String = (1..100_000)
        .map(|i| format!("define N{i} N{} + 1\n", i - 1))
        .collect();
    accepted(format!(
        "define N0 0 {defines} int x(32); module void main() {{ x = N99999; }}"
    ));
    refused("/*".repeat(DEEP));
}

#[test]
fn huge_numbers() {
    let digits = "9".repeat(1 << 20);
    for text in [
        format!("define N {digits} module void main() {{ skip; }}"),
        format!("int a[{digits}]; module void main() {{ skip; }}"),
        "int a[1 << 63]; module void main() { skip; }".into(),
        "int a[0, 18446744073709551615]; module void main() { skip; }".into(),
        "int a[9223372036854775808,9223372036854775808]; module void main() { skip; }".into(),
        "int a[1048576], b; module void main() { skip; }".into(),
        "int a[1000][1000], b[1000][1000]; module void main() { skip; }".into(),
        "struct s { int x[1000][1000]; }; struct s t[1000][1000]; module void main() { skip; }"
            .into(),
        "int x(18446744073709551615); module void main() { skip; }".into(),
        "define N (1<<63)*(1<<62)*2 int x; module void main() { x = N; }".into(),
        "bool b; module void main() { b = A i (0,18446744073709551615) true; }".into(),
        "bool b; module void main() { b = A i (0,1000) A j (0,1000) A k (0,1000) b; }".into(),
        "int a[9]; module void main() { A i (0,18446744073709551615) a[i] = 1; }".into(),
    ] {
        let (_, diagnostics) = check(text.into_bytes());
        assert!(diagnostics.len() <= 4);
    }
    accepted("int a[9223372036854775807,9223372036854775807]; module void main() { skip; }".into());
    accepted("define N (1<<63)*(1<<62) int x(64); module void main() { x = N / (1<<62); }".into());
    accepted("int a[1048575]; int i(64); module void main() { a[i] = a[i + 1]; }".into());
}

#[test]
fn floods_of_mistakes() {
    for piece in [
        "@ ",
        "é",
        "x = ; ",
        "y = x; ",
        "y[1] = x.f; ",
        "f(); ",
        "f(x), y = 1; ",
        "fi ",
        "od ",
        "} ",
        "{ ",
        ":: ",
        ":: x -> ",
        "goto L; ",
        "; ",
        "if ",
        "do ",
        "if :: ",
        "x ",
        "x, ",
        "int ",
        "int x; ",
        "int a[N]; ",
        "enum e ",
        "enum { a } ",
        "struct s { int x; }; ",
        "module ",
        "module void ",
        "module void f( ",
        "module void f(); ",
        "module void f() { ",
        "define ",
        "define N ",
        "define N M ",
        "init ",
        "A i ",
        "A i (0,1) ",
        "( ",
        "else ",
        "L: ",
        "x = A i (0,1) b == c; ",
        "\u{0} ",
        "skip ",
        "return ",
        "break; ",
        "return 1 / 0; ",
        "undef ",
    ] {
        refused(piece.repeat(30_000));
        refused(format!("module void main() {{ {}", piece.repeat(30_000)));
        refused(format!(
            "module void main() {{ {} }} ! ",
            piece.repeat(30_000)
        ));
    }
}

#[test]
fn many_unknown_names_among_many_known_ones() {
    let globals: String = (0..50_000).map(|i| format!(", known{i}")).collect();
    let uses: String = (0..50_000)
        .map(|i| format!("f{i}(unknwn{i}); goto M{i};"))
        .collect();
    refused(format!("int g{globals}; module void main() {{ {uses} }}"));
    let arrays: String = (0..50_000)
        .map(|i| format!("int a{i}[unknwn{i}];"))
        .collect();
    refused(format!(
        "int g{globals}; {arrays} module void main() {{ skip; }}"
    ));
}

const PROGRAM: &str = "# a comment
define N 3
define DEFAULT_INT_BITS N + 1
enum color { red, green, blue };
enum { on, off } state;
struct point { int x(2), ys[1,2]; bool set; };
shared int g, m[2][1,3](3); struct point p, ps[N]; bool b;
module struct point f(int n, struct point q, bool c[2]);
init main;
module void main() {
  int i, a[N]; bool d[2];
  L: g = g + 1 << 2 & 7, m[i][2] = undef, b = !b ^^ (A k (0,N-1) a[k] <= a[N-1]) || g / 2 >= 1;
  do
  :: i < N && E k (1,2) p.ys[k] == i -> A k (0,N-1) a[k] = a[N-1-k], i = i + 1; // one
  :: state == off -> if :: b -> break; :: else -> goto L, state = on; fi;
  :: else -> ps[i] = f(a[i], p, d), g = 0; /* two */
  od
  skip(b); assume(g != green * 2 - 1); assert(ps[0].set == true);
}
module struct point f(int n, struct point q, bool c[2]) {
  struct point r;
  if :: c[0] -> r = q; r.x = n | 1 ^ 2 >> 1; return r; :: else -> return q; fi
}
";

#[test]
fn every_beginning_of_a_program() {
    let (program, diagnostics) = check(PROGRAM.into());
    assert!(
        program.is_some() && diagnostics.is_empty(),
        "{diagnostics:?}"
    );
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
        "define", "shared", "bool", "int", "enum", "struct", "module", "void", "init", "main",
        "x", "a", "s", "f", "N", "A", "E", "i", "{", "}", "(", ")", "[", "]", "if", "fi", "do",
        "od", "::", "->", "else", "skip", ";", ":", "=", ",", ".", "goto", "break", "return",
        "assert", "assume", "undef", "true", "false", "!", "&&", "||", "^^", "&", "|", "^", "==",
        "!=", "<", "<=", ">", ">=", "<<", ">>", "+", "-", "*", "/", "0", "1", "7", "99", "\n",
        "#", "/*", "*/", "//", "@", "unsigned",
    ]), 0..120)) {
        check(words.join(" ").into_bytes());
        let body = format!(
            "define N 3 struct s {{ int f[2]; }}; int x, a[N]; struct s s; \
             module void main() {{ {} }}",
            words.join(" ")
        );
        check(body.into_bytes());
    }

    #[test]
    fn a_program_with_a_stretch_left_out_or_doubled(
        from in 0..PROGRAM.len(), length in 0..60usize, doubled in any::<bool>(),
    ) {
        let bytes = PROGRAM.as_bytes();
        let to = (from + length).min(bytes.len());
        let end = if doubled { &bytes[from..] } else { &bytes[to..] };
        check([&bytes[..if doubled { to } else { from }], end].concat());
    }
}
