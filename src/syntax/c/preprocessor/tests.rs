//! The preprocessor on small texts: the examples of C11 (6.10.3.5), every directive, every mistake.

use super::*;
use std::io::ErrorKind;

/// A file, by its path and its text.
type InMemory<'a> = (&'a str, &'a str);

fn read(text: &str, files: &[InMemory<'_>]) -> Preprocessed {
    let reader = |path: &Path| {
        let found = files.iter().find(|(name, _)| Path::new(name) == path);
        let found = found.map(|(_, text)| text.as_bytes().to_vec());
        found.ok_or_else(|| io::Error::from(ErrorKind::NotFound))
    };
    let options = Options {
        directories: vec![PathBuf::from("include")],
        definitions: vec!["GIVEN".into(), "TWO=2".into(), "SQUARE(x)=((x)*(x))".into()],
        model: DataModel::Lp64,
        honours_markers: true,
        reader: &reader,
    };
    preprocess(vec![("t.c".into(), text.into())], &options)
}

fn spelled(unit: &Preprocessed) -> String {
    let tokens = unit.units[0].tokens.iter();
    let words = tokens.map(|token| unit.vocabulary.spelling(*token));
    words.collect::<Vec<_>>().join(" ").trim_end().to_owned()
}

/// The tokens of a text in which nothing is wrong.
fn tokens(text: &str) -> String {
    let unit = read(text, &[]);
    let spelled = spelled(&unit);
    let wrong: Vec<_> = unit.collector.finish();
    assert!(wrong.is_empty(), "{text}: {wrong:?}");
    spelled
}

/// What is wrong in a text: the underlined part, and the message.
fn wrong(text: &str) -> Vec<(String, String)> {
    wrong_in(text, &[])
}

fn wrong_in(text: &str, files: &[InMemory<'_>]) -> Vec<(String, String)> {
    let unit = read(text, files);
    let list = unit.collector.finish();
    let shown = list.iter().map(|one| {
        let place = unit.source.text(one.span).into_owned();
        (place, format!("{}: {}", one.severity, one.message))
    });
    shown.collect()
}

fn one_error(text: &str, place: &str, message: &str) {
    let expected = vec![(place.to_owned(), format!("error: {message}"))];
    assert_eq!(wrong(text), expected, "{text}");
}

fn one_warning(text: &str, place: &str, message: &str) {
    let expected = vec![(place.to_owned(), format!("warning: {message}"))];
    assert_eq!(wrong(text), expected, "{text}");
}

#[test]
fn example_3_of_the_standard() {
    let text = "
#define x 3
#define f(a) f(x * (a))
#undef x
#define x 2
#define g f
#define z z[0]
#define h g(~
#define m(a) a(w)
#define w 0,1
#define t(a) a
#define p() int
#define q(x) x
#define r(x,y) x ## y
#define str(x) # x
f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);
g(x+(3,4)-w) | h 5) & m
(f)^m(m);
p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };
char c[2][6] = { str(hello), str() };
";
    let expected = "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % \
        f ( 2 * ( 0 ) ) + t ( 1 ) ; \
        f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ \
        m ( 0 , 1 ) ; \
        int i [ ] = { 1 , 23 , 4 , 5 , } ; \
        char c [ 2 ] [ 6 ] = { \"hello\" , \"\" } ;";
    assert_eq!(tokens(text), expected);
}

#[test]
fn example_4_of_the_standard() {
    let text = r#"
#define str(s) # s
#define xstr(s) str(s)
#define debug(s, t) printf("x" # s "= %d, x" # t "= %s", x ## s, x ## t)
#define INCFILE(n) vers ## n
#define glue(a, b) a ## b
#define xglue(a, b) glue(a, b)
#define HIGHLOW "hello"
#define LOW LOW ", world"
debug(1, 2);
fputs(str(strncmp("abc\0d", "abc", '\4') // this goes away
 == 0) str(: @\n), s);
xstr(INCFILE(2).h)
glue(HIGH, LOW);
xglue(HIGH, LOW)
"#;
    let expected = r#"printf ( "x" "1" "= %d, x" "2" "= %s" , x1 , x2 ) ; fputs ( "strncmp(\"abc\\0d\", \"abc\", '\\4') == 0" ": @\n" , s ) ; "vers2.h" "hello" ; "hello" ", world""#;
    assert_eq!(tokens(text), expected);
}

#[test]
fn examples_5_and_7_of_the_standard() {
    let text = "
#define t(x,y,z) x ## y ## z
int j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,) };
#define debug(...) fprintf(stderr, __VA_ARGS__)
#define showlist(...) puts(#__VA_ARGS__)
#define report(test, ...) ((test)?puts(#test): printf(__VA_ARGS__))
debug(\"Flag\");
debug(\"X = %d\\n\", x);
showlist(The first, second, and third items.);
report(x>y, \"x is %d but y is %d\", x, y);
";
    let expected = "int j [ ] = { 123 , 45 , 67 , 89 , 10 , 11 , 12 , } ; \
        fprintf ( stderr , \"Flag\" ) ; fprintf ( stderr , \"X = %d\\n\" , x ) ; \
        puts ( \"The first, second, and third items.\" ) ; \
        ( ( x > y ) ? puts ( \"x>y\" ) : printf ( \"x is %d but y is %d\" , x , y ) ) ;";
    assert_eq!(tokens(text), expected);
}

#[test]
fn hash_hash_of_the_standard() {
    let text = "
#define hash_hash # ## #
#define mkstr(a) # a
#define in_between(a) mkstr(a)
#define join(c, d) in_between(c hash_hash d)
char p[] = join(x, y);
";
    assert_eq!(tokens(text), "char p [ ] = \"x ## y\" ;");
}

#[test]
fn variadic_macros_of_gnu() {
    let text = "
#define a(f, ...) p(f, ##__VA_ARGS__)
#define b(f, rest...) p(f, ##rest) q(rest)
#define c(...) d(0, ##__VA_ARGS__)
a(1) a(1,) a(1, 2, 3) b(1) b(1, 2, 3) c() c(x)
";
    let expected = "p ( 1 ) p ( 1 , ) p ( 1 , 2 , 3 ) p ( 1 ) q ( ) \
        p ( 1 , 2 , 3 ) q ( 2 , 3 ) d ( 0 ) d ( 0 , x )";
    assert_eq!(tokens(text), expected);
}

#[test]
fn names_are_painted() {
    assert_eq!(tokens("#define foo (4 + foo)\nfoo"), "( 4 + foo )");
    let text = "#define x (4 + y)\n#define y (2 * x)\nx y";
    assert_eq!(tokens(text), "( 4 + ( 2 * x ) ) ( 2 * ( 4 + y ) )");
    let text = "#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)";
    assert_eq!(tokens(text), "2 * 9 * g");
    let text = "#define f(x) x f\nf(1)(2)";
    assert_eq!(tokens(text), "1 f ( 2 )");
    let text = "#define NIL(xxx) xxx\n#define G_0(arg) NIL(G_1)(arg)\n\
        #define G_1(arg) NIL(arg)\nG_0(42)";
    assert_eq!(tokens(text), "42");
}

#[test]
fn what_is_given_and_predefined() {
    assert_eq!(tokens("GIVEN TWO SQUARE(a)"), "1 2 ( ( a ) * ( a ) )");
    assert_eq!(tokens("__LINE__\n __FILE__ __LINE__"), "1 \"t.c\" 2");
    assert_eq!(tokens("__COUNTER__ __COUNTER__"), "0 1");
    let text = "#define here(x) __LINE__ x\n\nhere(\n1)";
    assert_eq!(tokens(text), "3 1");
    assert_eq!(
        tokens("__SIZE_TYPE__ __INT_MAX__"),
        "long unsigned int 0x7fffffff"
    );
}

#[test]
fn conditions() {
    let truths = [
        "1",
        "2 > 1",
        "-1 < 0",
        "-1 > 0u",
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "1 ? 2 : 0",
        "0 ? 0 : 1 ? 1 : 0",
        "0 || 1 && 1",
        "!0 && ~0 == -1",
        "1 || 1 / 0",
        "!(0 && 1 / 0)",
        "1 ? 1 : 1 / 0",
        "(2 || 1 / 0) == 1",
        "'a' == 97 && '\\377' < 0",
        "0x10 == 16 && 010 == 8 && 0b11 == 3",
        "defined GIVEN && defined(TWO) && !defined THREE",
        "SQUARE(3) == 9",
        "unknown == 0",
        "-9223372036854775807 - 1 < 0",
        "18446744073709551615u == -1",
        "(1 << 4) >> 2 == 4 && -8 >> 1 == -4",
        "10 % 4 == 2 && -7 / 2 == -3",
        "(0, 1)",
        "__has_include(<stdio.h>) && !__has_include(\"no.h\")",
        "defined __has_include",
        "__STDC_VERSION__ >= 201112L",
        "7 & 3 | 8 ^ 1",
        "__has_attribute(noreturn) && __has_builtin(__builtin_expect) && !__has_builtin(f)",
    ];
    for condition in truths {
        assert_eq!(
            tokens(&format!("#if {condition}\nyes\n#endif")),
            "yes",
            "{condition}"
        );
        let negated = format!("#if !({condition})\nno\n#else\nyes\n#endif");
        assert_eq!(tokens(&negated), "yes", "{condition}");
    }
    let text = "#define D defined(GIVEN)\n#if D\nyes\n#endif";
    assert_eq!(tokens(text), "yes");
}

#[test]
fn groups() {
    let text = "
#ifdef GIVEN
1
#else
2
#endif
#ifndef GIVEN
3
#elif TWO == 2
4
#elif 1 / 0
5
#else
6
#endif
#if 0
  it's skipped \"
# if 1
# else
# error no
# endif
# unknown
#elif 0
#else
7
#endif
";
    assert_eq!(tokens(text), "1 4 7");
}

#[test]
fn included_files() {
    let files = [
        (
            "a.h",
            "#ifndef A\n#define A\nint a;\n#include \"sub/b.h\"\n#endif\n",
        ),
        (
            "sub/b.h",
            "#pragma once\n#include \"c.h\"\n#include \"../a.h\"\nint b;",
        ),
        ("sub/c.h", "int c;\n"),
        ("include/d.h", "int d = __LINE__; /* x */"),
    ];
    let text = "#define D <d.h>\n#include \"a.h\"\n#include \"a.h\"\n#include \"sub/b.h\"\n\
        #include D\n#include \"d.h\"\nint e;";
    let unit = read(text, &files);
    let expected = "int a ; int c ; int b ; int d = 1 ; int d = 1 ; int e ;";
    assert_eq!(spelled(&unit), expected);
    let place = |word: &str| {
        let tokens = unit.units[0].tokens.iter();
        let mut found = tokens.filter(|token| unit.vocabulary.spelling(**token) == word);
        let start = found.next().map_or(0, |token| token.span.start);
        (
            unit.source.file_of(start).to_owned(),
            unit.source.position(start).line,
        )
    };
    assert_eq!(place("a"), ("a.h".into(), 3));
    assert_eq!(place("b"), ("sub/b.h".into(), 4));
    assert_eq!(place("d"), ("include/d.h".into(), 1));
    assert_eq!(place("e"), ("t.c".into(), 7));
    assert!(unit.collector.finish().is_empty());
}

#[test]
fn the_next_file_of_this_name() {
    let files = [
        ("include/stddef.h", "int mine;\n#include_next <stddef.h>\n"),
        ("a.h", "int a;\n#include_next <b.h>\n"),
        ("include/b.h", "int b;"),
    ];
    let unit = read("#include <stddef.h>\n#include \"a.h\"", &files);
    let text = spelled(&unit);
    assert!(
        text.starts_with("int mine ; typedef long unsigned int size_t"),
        "{text}"
    );
    assert!(text.ends_with("int a ; int b ;"), "{text}");
    assert!(unit.collector.finish().is_empty());
}

#[test]
fn mistakes_in_included_files() {
    let files = [("a.h", "int a;\n\n  #else\n"), ("include/b.h", "#error b")];
    let expected = [
        ("#else", "error: `#else` without `#if`"),
        ("#error", "error: `#error`: b"),
    ];
    let expected = expected.map(|(place, message)| (place.to_owned(), message.to_owned()));
    assert_eq!(
        wrong_in("#include \"a.h\"\n#include <b.h>\n", &files),
        expected
    );
}

#[test]
fn headers_of_the_library() {
    for (header, _) in include::HEADERS {
        tokens(&format!("#include <{header}>\n#include <{header}>"));
    }
    let asserts = tokens("#include <assert.h>\nassert(x)");
    assert!(asserts.ends_with("assert ( ( x ) != 0 )"), "{asserts}");
    let none = tokens("#define NDEBUG\n#include <assert.h>\nassert(x)");
    assert!(none.ends_with("( ( void ) 0 )"), "{none}");
}

#[test]
fn other_lines() {
    let text =
        "a\n#line 70 \"y.y\"\nb __LINE__ __FILE__\n# 5 \"z.z\" 2\nc __LINE__\n#line 9\nd __FILE__";
    let unit = read(text, &[]);
    assert_eq!(spelled(&unit), "a b 70 \"y.y\" c 5 d \"z.z\"");
    let places = unit.units[0].tokens.iter().map(|token| {
        let start = token.span.start;
        (unit.source.file_of(start), unit.source.position(start).line)
    });
    let places: Vec<_> = places.collect();
    assert_eq!(places[0], ("t.c", 1));
    assert_eq!(places[1], ("y.y", 70));
    assert_eq!(places[4], ("z.z", 5));
    assert_eq!(places[6], ("z.z", 9));
}

#[test]
fn strings_and_pragmas() {
    let text = "_Pragma(\"x\") #pragma\n#pragma anything 'goes\n\"a\" /* c */ \"b\"\n L\"c\"";
    assert!(wrong(text).is_empty());
    let unit = read("\"a\" \"b\"", &[]);
    let token = unit.units[0].tokens[0];
    assert_eq!(unit.source.text(token.span), "\"a\" \"b\"");
    assert_eq!(unit.units[0].tokens.len(), 2);
}

#[test]
fn tokens_stand_where_the_user_wrote_them() {
    let text = "#define MAX(a, b) ((a) > (b) ? (a) : (b))\nint x = MAX(one, 2) + three;";
    let unit = read(text, &[]);
    let tokens = &unit.units[0].tokens;
    let shown = |span| unit.source.text(span).into_owned();
    let of = |word: &str| {
        let mut found = tokens
            .iter()
            .filter(|token| unit.vocabulary.spelling(**token) == word);
        found
            .next()
            .map(|token| shown(token.span))
            .unwrap_or_default()
    };
    assert_eq!(of("?"), "MAX(one, 2)");
    assert_eq!(of("one"), "one");
    assert_eq!(of("three"), "three");
    let one = text.rfind("one").unwrap_or_default() as u32;
    assert_eq!(shown(unit.whole(Span::new(one, one + 3))), "MAX(one, 2)");
    let equals = text.rfind('=').unwrap_or_default() as u32;
    assert_eq!(
        shown(unit.whole(Span::new(equals, one + 1))),
        "= MAX(one, 2)"
    );
    assert_eq!(shown(unit.whole(Span::new(equals, equals + 1))), "=");
}

#[test]
fn mistakes_in_macros() {
    one_error("#define", "#define", "the name of a macro is missing");
    one_error(
        "#define 1 2",
        "1",
        "the name of a macro must be an identifier, found `1`",
    );
    one_error(
        "#define defined",
        "defined",
        "`defined` cannot be the name of a macro",
    );
    one_error("#define f(a", "(", "the parameters of the macro do not end");
    one_error("#define f(a, a) a", "a", "two parameters with the name `a`");
    one_error("#define f(1) 1", "1", "expected a parameter, found `1`");
    one_error("#define f(a b) 1", "b", "expected `,` or `)`, found `b`");
    one_error("#define f(..., b) 1", ",", "expected `)`, found `,`");
    one_error(
        "#define f(a) #b",
        "#",
        "`#` must stand before a parameter of the macro",
    );
    one_error(
        "#define a ## b",
        "##",
        "`##` must stand between two tokens of the macro",
    );
    one_error(
        "#define a b ##",
        "##",
        "`##` must stand between two tokens of the macro",
    );
    one_error(
        "#define f(a) a\nf(1",
        "f",
        "the arguments of the macro `f` do not end",
    );
    one_error(
        "#define f(a) a\nf(1, 2) x",
        "f(1, 2)",
        "the macro `f` takes 1 argument, found 2",
    );
    one_error(
        "#define f() a\nf(1) x",
        "f(1)",
        "the macro `f` takes 0 arguments, found 1",
    );
    let message = "the macro `f` takes at least 2 arguments, found 1";
    one_error("#define f(a, b, ...) a\nf(1) x", "f(1)", message);
    let message = "`+` and `-` together are no token";
    one_error("#define p(a, b) a ## b\n p(+, -) x", "+", message);
    one_warning("#define a 1\n#define a 2", "a", "`a` is defined again");
    assert!(wrong("#define a 1 + 2\n#define a  1  +  2\n#undef a\n#define a 3").is_empty());
}

#[test]
fn mistakes_in_directives() {
    one_error("#unknwon", "#unknwon", "there is no directive `#unknwon`");
    one_error("#else", "#else", "`#else` without `#if`");
    one_error("#endif", "#endif", "`#endif` without `#if`");
    one_error("x\n#if 1", "#if", "there is no `#endif` for this");
    one_error(
        "#if 0\n#else\n#else\n#endif",
        "#else",
        "`#else` after `#else`",
    );
    one_error(
        "#error it's \"wrong\"",
        "#error",
        "`#error`: it's \"wrong\"",
    );
    one_warning("#warning careful", "#warning", "`#warning`: careful");
    one_error("#include", "#include", "the name of a file is missing");
    one_error("#include <no.h>", "<no.h>", "there is no file `no.h`");
    one_error(
        "#line x",
        "#line",
        "this directive needs the number of a line",
    );
    one_error("a /* b", "/*", "the comment does not end");
    one_error("#if 0\n/* b\n#endif", "/*", "the comment does not end");
    one_warning(
        "#ifdef a b\n#endif",
        "b",
        "text behind `#ifdef` means nothing",
    );
    for (condition, place, message) in [
        ("", "#if", "the condition is missing"),
        (
            "1 +",
            "+",
            "the condition ends where an operand is expected",
        ),
        ("(1", "(", "the parenthesis is not closed"),
        ("1)", ")", "expected an operator, found `)`"),
        ("1 2", "2", "expected an operator, found `2`"),
        ("1 ? 2", "?", "`?` without `:`"),
        ("1 : 2", ":", "expected an operator, found `:`"),
        ("1 / 0", "/", "division by zero"),
        ("1.5", "1.5", "a floating constant cannot be in a condition"),
        (
            "\"a\"",
            "\"a\"",
            "expected a number or a name, found `\"a\"`",
        ),
        ("f(1)", "(", "expected an operator, found `(`"),
        ("defined", "defined", "`defined` must be followed by a name"),
        ("a = 1", "=", "expected an operator, found `=`"),
        ("08", "08", "`8` is no octal digit"),
    ] {
        one_error(&format!("#if {condition}\n#endif"), place, message);
    }
}

#[test]
fn mistakes_in_tokens() {
    one_error("x = \"abc", "\"abc", "there is no other `\"` on this line");
    one_error("x = 'a;", "'a;", "there is no other `'` on this line");
    one_error("x @ y", "@", "`@` means nothing in C");
    one_error(
        "12abc",
        "12abc",
        "`abc` is no suffix of an integer constant",
    );
    one_error("''", "''", "a character constant needs a character");
    one_warning("'ab'", "'ab'", "the constant has more than one character");
    assert!(wrong("#define unused \"abc\n#if 0\n'\n#endif").is_empty());
}

#[test]
fn files_that_include_each_other() {
    let files = [
        ("a.h", "#include \"b.h\"\n#include \"b.h\"\n"),
        ("b.h", "#include \"a.h\"\n"),
    ];
    let unit = read("#include \"a.h\"\nint x;", &files);
    assert_eq!(spelled(&unit), "int x ;");
    let list = unit.collector.finish();
    assert_eq!(list.len(), 1);
    assert_eq!(
        list[0].message,
        "files include each other more than 200 deep"
    );
    let hint = list[0].hint.as_deref().unwrap_or_default();
    assert!(
        hint.starts_with("`b.h` includes `a.h` includes `b.h`"),
        "{hint}"
    );
}

#[test]
fn a_macro_bomb_ends() {
    let mut text = String::from("#define A0 x x\n");
    for level in 1..40 {
        text += &format!("#define A{level} A{} A{}\n", level - 1, level - 1);
    }
    text += "A39";
    let list = wrong(&text);
    assert_eq!(list.len(), 1);
    assert_eq!(list[0].1, "error: macros make more than 20000000 tokens");
    let text = "#define D(x) x x\n".to_owned() + &"D(".repeat(60) + "1" + &")".repeat(60);
    assert_eq!(wrong(&text).len(), 1);
}

#[test]
fn nothing_recurses() {
    const DEEP: usize = 100_000;
    let text = format!(
        "#define f(x) x\nf({}1{})",
        "(".repeat(DEEP),
        ")".repeat(DEEP)
    );
    assert_eq!(read(&text, &[]).units[0].tokens.len(), 2 * DEEP + 2);
    let text = "#if 1\n".repeat(DEEP) + "x\n" + &"#endif\n".repeat(DEEP);
    assert_eq!(tokens(&text), "x");
    let text = "#if 0\n".repeat(DEEP) + "x\n" + &"#endif\n".repeat(DEEP);
    assert_eq!(tokens(&text), "");
    let text = format!("#if {}1{}\nx\n#endif", "(".repeat(DEEP), ")".repeat(DEEP));
    assert_eq!(tokens(&text), "x");
    let text = format!("#if {}1\nx\n#endif", "!".repeat(DEEP));
    assert_eq!(tokens(&text), "x");
    let text = format!("#if {}1\nx\n#endif", "1 ? 1 : ".repeat(DEEP));
    assert_eq!(tokens(&text), "x");
    let mut text = String::new();
    for level in 0..DEEP {
        text += &format!("#define A{} A{level}\n", level + 1);
    }
    text += &format!("A{DEEP}");
    assert_eq!(tokens(&text), "A0");
    let text = format!("#define f(x) x\n{}1{}", "f(".repeat(1000), ")".repeat(1000));
    assert_eq!(tokens(&text), "1");
}
