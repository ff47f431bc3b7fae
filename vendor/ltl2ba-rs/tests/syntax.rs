//! The syntax: spellings, precedences, places of errors, warnings, depth.

mod common;

use common::Random;
use ltl2ba_rs::{Kind, Options, parse, split_operators, translate};

fn reading(text: &str) -> String {
    match parse(text) {
        Ok(parsed) => parsed.formula.parenthesized(),
        Err(error) => panic!("{}", error.render(text)),
    }
}

#[test]
fn every_spelling_is_read() {
    for (text, expected) in [
        ("[] a", "G a"),
        ("<> a", "F a"),
        ("G F X a", "G F X a"),
        ("!a", "!a"),
        ("~a", "!a"),
        ("a && b", "a & b"),
        ("a & b", "a & b"),
        ("a /\\ b", "a & b"),
        ("a || b", "a | b"),
        ("a | b", "a | b"),
        ("a \\/ b", "a | b"),
        ("a -> b", "a -> b"),
        ("a => b", "a -> b"),
        ("a <-> b", "a <-> b"),
        ("a <=> b", "a <-> b"),
        ("a ^ b", "a xor b"),
        ("a xor b", "a xor b"),
        ("a U b", "a U b"),
        ("a R b", "a R b"),
        ("a V b", "a R b"),
        ("a W b", "a W b"),
        ("a M b", "a M b"),
        ("true | false | 1 | 0", "((true | false) | true) | false"),
        ("\"any text\" & x", "\"any text\" & x"),
        ("[]<>a", "G F a"),
        ("((a))", "a"),
        ("[](!a)", "G !a"),
    ] {
        assert_eq!(reading(text), expected, "{text}");
    }
}

#[test]
fn precedence_is_as_documented() {
    for (text, expected) in [
        ("a | b & c", "a | (b & c)"),
        ("a xor b & c", "a xor (b & c)"),
        ("a | b xor c", "a | (b xor c)"),
        ("a -> b | c", "a -> (b | c)"),
        ("a -> b -> c", "a -> (b -> c)"),
        ("a <-> b -> c", "a <-> (b -> c)"),
        ("a U b U c", "a U (b U c)"),
        ("a U b R c", "a U (b R c)"),
        ("a U b & c", "(a U b) & c"),
        ("!a U b", "!a U b"),
        ("G a U b", "G a U b"),
        ("F a & b", "F a & b"),
        ("a & b & c", "(a & b) & c"),
    ] {
        assert_eq!(reading(text), expected, "{text}");
    }
}

#[test]
fn letters_are_names_where_no_operator_may_stand() {
    assert_eq!(reading("F R"), "F R");
    assert_eq!(reading("U U U"), "U U U");
    assert_eq!(reading("xor xor xor"), "xor xor xor");
    assert_eq!(reading("M & V"), "M & V");
    let parsed = parse("GFp").unwrap();
    assert_eq!(parsed.formula.propositions()[0].text, "GFp");
    let known = |name: &str| name == "p" || name == "Fp";
    assert_eq!(split_operators("GFp", known).as_deref(), Some("G Fp"));
    assert_eq!(split_operators("XXq", known), None);
    assert_eq!(split_operators("", known), None);
    assert_eq!(split_operators("GF", known), None);
}

#[test]
fn propositions_keep_their_text_and_kind() {
    let text = "p.x & {a == {b}} | \"q \\\" r\" -> at( L ) & in(p) & state(q) & p.{*x} & at";
    let parsed = parse(text).unwrap();
    let seen: Vec<(&str, Kind)> = parsed
        .formula
        .propositions()
        .iter()
        .map(|p| (p.text.as_str(), p.kind))
        .collect();
    assert_eq!(
        seen,
        [
            ("p.x", Kind::Word),
            ("{a == {b}}", Kind::Braces),
            ("q \" r", Kind::Quoted),
            ("at(L)", Kind::Call),
            ("in(p)", Kind::Call),
            ("state(q)", Kind::Call),
            ("p.{*x}", Kind::Word),
            ("at", Kind::Word),
        ]
    );
    for proposition in parsed.formula.propositions() {
        assert!(!text[proposition.span.clone()].is_empty());
    }
    assert_eq!(
        &text[parsed.formula.propositions()[3].span.clone()],
        "at( L )"
    );
}

#[test]
fn errors_have_their_place() {
    for (text, start, end) in [
        ("", 0, 0),
        ("a &", 3, 3),
        ("a b", 2, 3),
        ("(a", 0, 1),
        ("a)", 1, 2),
        ("a & & b", 4, 5),
        ("{a", 0, 1),
        ("\"a", 0, 1),
        ("a # b", 2, 3),
        ("G (a U )", 7, 8),
        ("2", 0, 1),
        ("a - b", 2, 3),
        ("p. & q", 1, 2),
        ("at()", 0, 4),
        ("ä", 0, 2),
        ("GF(a)", 2, 3),
        ("\"\"", 0, 2),
    ] {
        let error = parse(text).expect_err(text);
        assert_eq!(
            (error.span.start, error.span.end),
            (start, end),
            "{text}: {error}"
        );
        let rendered = error.render(text);
        assert!(rendered.contains('^'), "{rendered}");
    }
}

#[test]
fn errors_render_with_a_caret_line() {
    let error = parse("a &\nb c").unwrap_err();
    assert_eq!(
        error.render("a &\nb c"),
        "error: `c` cannot stand here, expected a binary operator\n  | b c\n  |   ^\n"
    );
    let error = parse("GF(a)").unwrap_err();
    assert_eq!(
        error.hint.as_deref(),
        Some("`GF` is one name; did you mean `G F (`?")
    );
    let error = parse("G & a").unwrap_err();
    assert!(error.hint.unwrap().contains("`\"G\"`"));
}

/// Spin and ltl2ba: `U V` and below `|| && -> <->`, each level to the left.
#[test]
fn mixes_that_spin_reads_differently_are_warned_about() {
    for (text, ours, theirs) in [
        ("a || b && c", "(a | (b & c))", "((a | b) & c)"),
        ("a U b U c", "(a U (b U c))", "((a U b) U c)"),
        ("a -> b && c", "(a -> (b & c))", "((a -> b) & c)"),
        ("a -> b -> c", "(a -> (b -> c))", "((a -> b) -> c)"),
        ("[] (p || q && r)", "(p | (q & r))", "((p | q) & r)"),
    ] {
        let parsed = parse(text).unwrap();
        assert_eq!(parsed.warnings.len(), 1, "{text}");
        assert_eq!(parsed.warnings[0].reading, ours);
        assert_eq!(parsed.warnings[0].spin_reading, theirs);
        assert!(parsed.warnings[0].render(text).contains('^'));
    }
    for text in [
        "a && b || c",
        "a && b -> c",
        "a U b && c",
        "a && b && c",
        "a xor b | c",
        "!a U b",
    ] {
        assert!(parse(text).unwrap().warnings.is_empty(), "{text}");
    }
}

#[test]
fn printed_formulas_read_back() {
    let mut random = Random(0x7777_1111_3333_5555);
    for round in 0..500 {
        let formula = random.formula(3, 1 + round % 12);
        let minimal = formula.to_string();
        let full = formula.parenthesized();
        assert_eq!(
            parse(&minimal).unwrap().formula.parenthesized(),
            full,
            "{minimal}"
        );
        assert_eq!(
            parse(&full).unwrap().formula.parenthesized(),
            full,
            "{full}"
        );
    }
}

#[test]
fn arbitrary_bytes_never_panic() {
    let mut random = Random(0x9999_8888_7777_6666);
    let alphabet = b"()[]<>!&|^-=~ aGFXURVWM01.{}\"\\/\xc3\xa4\n\tat(in)xor";
    for _ in 0..20_000 {
        let length = random.below(24);
        let bytes: Vec<u8> = (0..length)
            .map(|_| match random.below(10) {
                0 => random.next() as u8,
                _ => alphabet[random.below(alphabet.len())],
            })
            .collect();
        let text = String::from_utf8_lossy(&bytes);
        match parse(&text) {
            Ok(parsed) => drop(parsed.formula.to_string()),
            Err(error) => drop(error.render(&text)),
        }
    }
}

#[test]
fn nesting_may_be_deep() {
    let depth = 100_000;
    let parentheses = format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(reading(&parentheses), "a");
    for text in [
        format!("{}a", "!".repeat(depth)),
        format!("{}a", "G F ".repeat(depth)),
        format!("{}a", "a & !(".repeat(depth)) + &")".repeat(depth),
        format!("{}a{}", "(b -> ".repeat(depth), ")".repeat(depth)),
        format!("{}a{}", "F (a & G (".repeat(depth), "))".repeat(depth)),
    ] {
        let parsed = parse(&text).unwrap();
        assert!(parsed.formula.to_string().len() > depth / 2);
        let clone = parsed.formula.clone();
        drop(parsed);
        // An automaton or a limit that says why not; never an overflow.
        let _ = translate(&clone, &Options::default());
    }
    // Wide ones: as many propositions as are allowed, and more.
    for count in [3_000, 100_000] {
        for operator in [" & ", " | ", " | X "] {
            let names: Vec<String> = (0..count).map(|index| format!("p{index}")).collect();
            let formula = parse(&names.join(operator)).unwrap().formula;
            let result = translate(&formula, &Options::default());
            assert_eq!(
                result.is_ok(),
                count < 4_000,
                "{operator}: {:?}",
                result.err()
            );
        }
    }
    // Towers that the constructors' rules would like to take apart.
    for text in [
        format!("{}a", "X ".repeat(depth)),
        format!("F {}a", "X ".repeat(depth)),
        format!("({0}a) & ({0}b)", "X ".repeat(depth)),
        format!("{}a{}", "(a U ".repeat(3_000), ")".repeat(3_000)),
        format!("{}a{}", "(a | X (b & ".repeat(1_000), "))".repeat(1_000)),
    ] {
        let formula = parse(&text).unwrap().formula;
        let _ = translate(&formula, &Options::default());
    }
}
