//! The fixed-point calculus without programs: the symbolic evaluation against the naive one,
//! arithmetic, and every message.

use derny::internals::fixpoint::{
    Equations, Failure, RelationId, Session, Targets, Task, Vocabulary, evaluate, read,
    with_session,
};
use derny::internals::source::Source;
use derny::internals::watch::Watch;
use derny::{Language, Model, Solver};

/// A generator of numbers (xorshift), the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }

    /// A formula over these variables; `depth` bounds its size.
    fn form(&mut self, variables: &[&str], depth: u32) -> String {
        let term = |random: &mut Self| match random.below(4) {
            0 => random.below(4).to_string(),
            _ => random.pick(variables).to_owned(),
        };
        if depth == 0 || self.below(5) == 0 {
            let (one, other) = (term(self), term(self));
            return match self.below(7) {
                0 => format!("{one} = {other} + 1"),
                1 => format!("{one} < {other}"),
                2 => format!("{one} != {other}"),
                3 | 4 => format!("A({one}, {other})"),
                5 => format!("B({one})"),
                _ => format!("C({one}, {other})"),
            };
        }
        let depth = depth - 1;
        match self.below(8) {
            0 => format!("!({})", self.form(variables, depth)),
            1 | 2 => {
                let (one, other) = (self.form(variables, depth), self.form(variables, depth));
                format!("({one}) & ({other})")
            }
            3 | 4 => {
                let (one, other) = (self.form(variables, depth), self.form(variables, depth));
                format!("({one}) | ({other})")
            }
            5 => {
                let (one, other) = (self.form(variables, depth), self.form(variables, depth));
                format!("({one}) <-> ({other})")
            }
            quantifier => {
                let name = ["p", "q", "r"][depth as usize % 3];
                let domain = self.pick(&["0..2", "1..3", "bool"]);
                let mut inner = variables.to_vec();
                inner.push(name);
                let word = if quantifier == 6 { "exists" } else { "forall" };
                format!("{word} {name}: {domain}. ({})", self.form(&inner, depth))
            }
        }
    }

    fn equations(&mut self) -> String {
        let mut keyword = || ["mu", "mu", "nu", "let"][self.below(4) as usize];
        let (a, b, c) = (keyword(), keyword(), keyword());
        let (one, two) = (["x", "y"], ["x"]);
        format!(
            "{a} A(x: 0..2, y: 1..3) = {};\n{b} B(x: 0..3) = {};\n{c} C(x: bool, y: 0..2) = {};\n",
            self.form(&one, 3),
            self.form(&two, 3),
            self.form(&one, 2),
        )
    }
}

fn equations(text: &str) -> Result<Equations, Vec<String>> {
    let source = Source::new("test.mu", text.as_bytes().to_vec());
    let read = read(&source, Vocabulary::default(), &[]);
    read.map_err(|errors| errors.iter().map(ToString::to_string).collect())
}

/// Runs `work` on the equations, without a program.
fn compute<T>(
    equations: &Equations,
    relation: RelationId,
    work: impl FnOnce(&mut Session<'_, '_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let (watch, targets) = (Watch::default(), Targets::default());
    let task = Task {
        program: None,
        threads: None,
        equations,
        targets: &targets,
        asked: &[relation],
        memory: 1 << 28,
        follows_executions: false,
        measures: false,
        watch: &watch,
    };
    with_session(&task, work)
}

/// Both evaluations agree on a relation: on each tuple near its domain, or on the rounds after
/// which it is known never to settle.
fn assert_agree(text: &str, equations: &Equations, relation: RelationId) -> bool {
    let naive = evaluate(equations, relation);
    let arity = equations.relation(relation).parameters;
    let symbolic = compute(equations, relation, |session| {
        session.relation(relation)?;
        let mut found = Vec::new();
        for code in 0..4_i128.pow(arity) {
            let tuple: Vec<i128> = (0..arity).map(|i| code / 4_i128.pow(i) % 4).collect();
            let is_value = match (relation_name(equations, relation), &tuple[..]) {
                ("A", [x, y]) => *x <= 2 && *y >= 1,
                ("C", [x, y]) => *x <= 1 && *y <= 2,
                _ => true,
            };
            if is_value && session.contains(relation, &tuple)? {
                found.push(tuple);
            }
        }
        let count = session.count(relation)?;
        assert_eq!(count.to_string(), found.len().to_string(), "{text}");
        Ok(found)
    });
    match (naive, symbolic) {
        (Ok(naive), Ok(symbolic)) => {
            assert_eq!(naive, symbolic.into_iter().collect(), "{text}");
            true
        }
        (Err(naive), Err(Failure::Unsettled(other, rounds))) => {
            // Where several never settle, either may be met first.
            if naive.relation == relation && other == relation {
                assert_eq!(naive.rounds, rounds, "{text}");
            }
            false
        }
        (naive, symbolic) => panic!("{text}: {naive:?} and {symbolic:?}"),
    }
}

fn relation_name(equations: &Equations, relation: RelationId) -> &str {
    &equations.relation(relation).name
}

#[test]
fn random_equations_have_the_values_of_the_naive_evaluation() {
    let mut random = Random(88_172_645_463_325_252);
    let [mut settled, mut unsettled, mut monotone] = [0, 0, 0];
    for _ in 0..400 {
        let text = random.equations();
        // A cycle of `let`s alone is refused.
        let Ok(equations) = equations(&text) else {
            continue;
        };
        monotone += usize::from(equations.warnings.is_empty());
        for name in ["A", "B", "C"] {
            let relation = equations.find(name).expect("it is defined");
            match assert_agree(&text, &equations, relation) {
                true => settled += 1,
                false => unsettled += 1,
            }
        }
    }
    assert!(settled > 300, "{settled}");
    assert!(unsettled > 30, "{unsettled}");
    assert!(monotone > 30, "{monotone}");
}

#[test]
fn messages() {
    let cases = [
        ("mu A(x: bool) = B(x);", "unknown relation `B`"),
        ("mu Abc(x: bool) = Abd(x);", "did you mean `Abc`?"),
        (
            "mu A(x: bool) = y;",
            "unknown variable `y`: it is free here",
        ),
        (
            "query q = x = 1;",
            "the query `q` is open: `x` is a free variable in it",
        ),
        (
            "mu A(x: bol) = x;",
            "unknown type `bol` (did you mean `bool`?)",
        ),
        (
            "mu A(x: bool) = A(x, x);",
            "`A` has 1 argument, and 2 are given",
        ),
        (
            "mu A(u: State) = A(1);",
            "`A` needs an argument of domain State here, and this is the number 1",
        ),
        (
            "mu A(u: State) = Entry(u);",
            "`Entry` needs an argument of domain PC here, and this is a value of domain State",
        ),
        (
            "mu A(x: bool) = x; nu A(x: bool) = x;",
            "two definitions of the relation `A`",
        ),
        (
            "mu Entry(x: bool) = x;",
            "the relation `Entry` is supplied by the program",
        ),
        (
            "type State = bool;",
            "the type `State` is supplied by the program",
        ),
        (
            "mu A(a: bool[0..2]) = a[3];",
            "the index 3 is outside of 0..2",
        ),
        (
            "mu A(u: State) = u.pq = u.pc;",
            "there is no field `pq` in State (did you mean `pc`?)",
        ),
        (
            "param KICK = 2; query p = exists x: 0..3. x = KICC;",
            "did you mean `KICK`?",
        ),
        (
            "query c = exists e: bool[2..1], t: 0..3. Entry(e[t]);",
            "`Entry` needs an argument of domain PC here",
        ),
        (
            "query d = exists e: State[2..1], t: 0..3. e[t].foo = 1;",
            "there is no field `foo` in State",
        ),
        (
            "query q = exists a: bool[0..2]. all i in 1..0. Entry(a[i + 5]);",
            "`Entry` needs an argument of domain PC here",
        ),
        (
            "query q = exists a: bool[0..2]. all i in 1..0. a[7];",
            "the index 7 is outside of 0..2",
        ),
        (
            "let A(x: bool) = B(x); let B(x: bool) = A(x);",
            "a cycle of `let`s alone has no meaning: `A`, `B`",
        ),
        (
            "mu A(u: State, t: bool) = Start(t, u);",
            "there is no `Start` here: it is for programs with threads",
        ),
        (
            "mu A(t: Thread) = true;",
            "`Thread` is for programs with threads",
        ),
        (
            "mu A(u: State) = u.pc < u.pc;",
            "only numbers are ordered, and these are of domain PC",
        ),
        (
            "mu A(u: State) = u.pc = u.L;",
            "a value of domain PC cannot be compared with a value of domain Locals",
        ),
        (
            "mu A(x: 0..3) = A(x + 1);",
            "a sum with a variable can only be compared",
        ),
        (
            "mu A(x: 0..3) = x;",
            "a formula is needed here, and this is a value of domain 0..3",
        ),
        ("mu A(x: bool) order y ~ x = x;", "unknown variable `y`"),
        ("type T = { a: T };", "the type `T` is part of itself"),
        (
            "mu A(x: bool) = x",
            "expected `;`, found the end of the file",
        ),
        ("mu A(x, x: bool) = x;", "two variables `x`"),
        (
            "mu A(x: 0..99999999999999999999) = true;",
            "this number is too large",
        ),
        ("mu A(x: bool) = some i in 0..K. x;", "unknown constant `K`"),
        ("mu mu(x: bool) = x;", "`mu` is a keyword"),
        ("mu A(x: bool) = x @ x;", "unknown character `@`"),
        (
            "mu A(u: State) = u.pc + 1 = u.pc;",
            "only numbers have sums, and this is of domain PC",
        ),
        (
            "param N = 2; mu A(x: bool) = N.a = x;",
            "`N` is a constant: it has no parts",
        ),
        (
            "mu A(x: bool) = n = 1;",
            "`n` is for programs with threads, and this one has none",
        ),
        (
            "type T = { a: bool, a: bool }; mu A(x: T) = x.a;",
            "two fields `a`",
        ),
        (
            "mu A(x: bool[0..20000]) = x[1];",
            "a value of this domain has 20001 parts: at most 10000 are possible",
        ),
        (
            "mu A(x: 0 - 1 .. 18446744073709551615) = true;",
            "this range has more than 18446744073709551616 values",
        ),
        (
            "mu A(x: 0..3) = some i in 0..x. x = i;",
            "`x` is a variable, and a constant is needed",
        ),
        ("query = true;", "expected the name of a query, found `=`"),
        (
            "mu A(x: ) = x;",
            "expected a domain: `bool`, a range such as `0..3`, or the name of a type, found `)`",
        ),
        (
            "mu A(x: bool) = x. ;",
            "expected the name of a field, found `;`",
        ),
        (
            "query q = some i in 0..999999. (some j in 0..99. i = j);",
            "unrolled, there are more than 400000 formulas",
        ),
    ];
    for (text, message) in cases {
        let errors = equations(text).map(|_| ()).expect_err(text).join("\n");
        assert!(errors.contains(message), "{text}: {errors}");
    }
    let (open, close) = ("(".repeat(300), ")".repeat(300));
    let deep = equations(&format!("mu A(x: bool) = {open}x{close};")).map(|_| ());
    let deep = deep.expect_err("too deep").join("\n");
    assert!(deep.contains("nested deeper than 200 levels"), "{deep}");
    let two = equations("mu A(x: bool) = y | B(x); query q = z;").map(|_| ());
    assert_eq!(two.expect_err("three errors").len(), 3);
}

#[test]
fn empty_ranges_are_no_errors() {
    let text = "param K = 0;\n\
                mu A(a: bool[1..K]) = (all i in 1..K. a[i]) & !(some i in 1..K. a[i]);\n\
                mu B(x: 1..0) = true;\n";
    let equations = equations(text).expect("nothing is wrong");
    let count = |name: &str| count(&equations, name);
    assert_eq!([count("A"), count("B")], ["1", "0"]);
}

fn count(equations: &Equations, name: &str) -> String {
    let relation = equations.find(name).expect("it is defined");
    let count = compute(equations, relation, |session| session.count(relation));
    count.expect("it has a value").to_string()
}

#[test]
fn arithmetic_is_exact() {
    let text = "type Big = 0..18446744073709551615;\n\
                mu A(x: Big, y: Big) = x = y + 1;\n\
                mu B(x: 0..3, y: 5..9) = x + 5 = y;\n\
                mu C(x: 0..3) = x = x + 1;\n\
                mu D(x: 2..5) = E(x); mu E(x: 0..3) = true;\n\
                mu F(a: bool[0..3], t: 0..7) = a[t];\n\
                mu G(x: 1..18446744073709551615) = true;\n\
                mu H(x: bool) = true + 1 = 2 & x;\n";
    let equations = equations(text).expect("nothing is wrong");
    let expected = [
        ("A", "18446744073709551615"),
        ("B", "4"),
        ("C", "0"),
        ("D", "2"),
        ("F", "32"),
        ("G", "18446744073709551615"),
        ("H", "1"),
    ];
    for (name, expected) in expected {
        assert_eq!(count(&equations, name), expected, "{name}");
    }
}

#[test]
fn hostile_texts_are_refused_or_read() {
    let deep = "(".repeat(100_000) + "true" + &")".repeat(100_000);
    let chain = vec!["true"; 100_000].join(" -> ");
    let nots = "!".repeat(100_000) + "true";
    let types: String = (0..10_000)
        .map(|i| format!("type T{} = {{ a, b: T{i} }};\n", i + 1))
        .collect();
    let texts = [
        format!("query q = {deep};"),
        format!("query q = {chain};"),
        format!("query q = {nots};"),
        format!("type T0 = bool;\n{types}mu A(x: T9999) = true;"),
        "mu A(a: bool[0..1000000]) = a[0];".to_owned(),
        "query q = all i in 0..18446744073709551615. true;".to_owned(),
        "query q = all i in 0..999. all j in 0..999. all k in 0..999. i = j;".to_owned(),
        "exists exists exists . . . ;;; } { ] [".to_owned(),
        "mu".to_owned(),
        String::from_utf8_lossy(&[0xff, 0, 1, 2, b'\n', 0xc3, 0x28]).into_owned(),
    ];
    for text in &texts {
        let _ = equations(text);
    }
    let source = Source::new("bytes", (0..=255).cycle().take(10_000).collect());
    assert!(read(&source, Vocabulary::default(), &[]).is_err());
}

/// A cycle that looks only at what its last round found has the value that the rounds come to, as
/// they are written; and what only looks like one is left as it is.
#[test]
fn rounds_that_are_written_by_hand() {
    let with = |frontier: &str, found: &str| {
        format!(
            "mu S(fr: 0..3, x: 0..3) = (fr = 1 & x = 0) | S(1, x) | (fr = 1 & New(x));\n\
             mu F(p: 0..3) = {frontier};\n\
             mu New(x: 0..3) = {found};\n"
        )
    };
    let last = "exists x: 0..3. (S(1, x) & !S(0, x) & x = p)";
    let step = "(exists y: 0..3. (New(y) & x = y + 2))";
    let texts = [
        with(last, &format!("(S(1, x) & F(x)) | {step}")),
        with(
            last,
            &format!(
                "(S(1, x) & F(x)) | {step} | (exists y, z: 0..3. (S(1, y) & S(1, z) \
             & (F(z) | F(y)) & x = y + 1 & z = 2))"
            ),
        ),
        // Of two premises, only one is looked at.
        with(
            last,
            &format!(
                "(S(1, x) & F(x)) | {step} | (exists y, z: 0..3. (S(1, y) & S(1, z) \
             & F(y) & y = 0 & x = y + 1 & z = 2))"
            ),
        ),
        // What was found in an earlier round is needed later.
        with(
            last,
            "(S(1, x) & F(x)) | (exists y, z: 0..3. (New(y) & S(1, z) & x = y + 1 & z = y))",
        ),
        with(
            last,
            "exists y, z: 0..3. (S(1, y) & F(y) & New2(z) & x = y + 1); \
             mu New2(x: 0..3) = S(1, x) & F(x)",
        ),
        // A frontier of other values, of some of them, of none, and one that is no frontier.
        with(
            "exists x: 0..3. (S(1, x) & !S(0, x) & x = p + 1)",
            &format!("(S(1, x) & F(x)) | {step}"),
        ),
        with(
            "exists x: 0..1. (S(1, x) & !S(0, x) & x = p)",
            "exists y: 0..3. (S(1, y) & F(y) & x = y + 1)",
        ),
        with(
            "exists x: 0..3. (S(1, x) & !S(1, x) & x = p)",
            "exists y: 0..3. (S(1, y) & F(y) & x = y + 1)",
        ),
        with(
            "exists x: 0..3. (S(0, x) & !S(1, x) & x = p)",
            "exists y: 0..3. (S(1, y) & F(y) & x = y + 1)",
        ),
        with(last, "exists y: 0..3. (S(1, y) & !F(y) & x = y + 1)"),
        with(last, "exists y: 0..3. (S(2, y) & F(y) & x = y + 1)"),
        with(last, "exists y: 0..3. (S(1, y) & (F(y) -> x = y + 1))"),
        // Another slice has something of its own.
        with(last, "exists y: 0..3. (S(1, y) & F(y) & x = y + 1)")
            .replace("(fr = 1 & x = 0)", "(fr <= 1 & x = 0)"),
        with(last, "exists y: 0..3. (S(1, y) & F(y) & x = y + 1)")
            .replace("| S(1, x)", "| S(1, x) | S(2, x)"),
        with(last, "exists y: 0..3. (S(1, y) & F(y) & x = y + 1)")
            .replace("| S(1, x)", "| S(1, x + 0)"),
    ];
    let mut settled = 0;
    for text in texts {
        let Ok(equations) = equations(&text) else {
            continue;
        };
        for name in ["S", "F", "New"] {
            let relation = equations.find(name).expect("it is defined");
            settled += usize::from(assert_agree(&text, &equations, relation));
        }
    }
    assert!(settled > 25, "{settled}");
}

/// What a cycle says twice is computed once, where nobody asks for the relations themselves.
#[test]
fn relations_that_say_the_same_are_one() {
    let step = "exists y: 0..7. (N(y) & x = y + 2)";
    let seen = "mu Q(x: 0..7) = S(1, x); mu R(x: 0..7) = S(1, x) & !N(x);";
    let texts = [
        // N is the slice 1 of S, and M is used once.
        format!(
            "mu S(fr: 0..3, x: 0..7) = (fr = 1 & x = 0) | S(1, x) | (fr = 1 & (N(x) | M(x))); \
             mu N(x: 0..7) = S(1, x) | ({step}); \
             mu M(x: 0..7) = exists y: 0..7. (S(1, y) & y = 4 & x = 1); {seen}"
        ),
        // The slice is the last place, and is not said of what comes from outside.
        "mu S(x: 0..7, fr: 0..3) = (x = 0 & fr <= 2) | S(x, 2) | (fr = 2 & N(x)); \
         mu N(x: 0..7) = S(x, 2) | (exists y: 0..7. (N(y) & x = y + 3)); mu Q(x: 0..7) = S(x, 2); \
         mu R(x: 0..7) = N(x) & x <= 5;"
            .to_owned(),
        // No slice at all; each has something of its own.
        format!(
            "mu S(x: 0..7) = x = 1 | N(x) | (exists y: 0..7. (S(y) & y = x + 4)); \
             mu N(x: 0..7) = S(x) | x = 6 | ({step}); mu Q(x: 0..7) = S(x); mu R(x: 0..7) = N(x);"
        ),
        // One of them has less: they are not the same.
        format!(
            "mu S(x: 0..7) = x = 1 | N(x); mu N(x: 0..7) = (S(x) & x <= 3) | ({step}); \
             mu Q(x: 0..7) = S(x); mu R(x: 0..7) = N(x);"
        ),
        "mu S(x: 0..7) = x = 3 | N(x); mu N(x: 0..3) = S(x) | (exists y: 0..3. (N(y) & x = y + 1)); \
         mu Q(x: 0..7) = S(x); mu R(x: 0..3) = N(x);"
            .to_owned(),
        // The places are changed.
        "mu S(x: 0..3, y: 0..3) = (x = 0 & y = 1) | N(x, y); \
         mu N(x: 0..3, y: 0..3) = S(y, x) | (exists z: 0..3. (N(x, z) & y = z + 1)); \
         mu Q(x: 0..3, y: 0..3) = S(x, y); mu R(x: 0..3, y: 0..3) = N(x, y);"
            .to_owned(),
        // Another slice is looked at, too.
        format!(
            "mu S(fr: 0..3, x: 0..7) = (fr = 1 & x = 0) | S(1, x) | (fr = 1 & N(x)) | (fr = 2 & x = 5); \
             mu N(x: 0..7) = S(1, x) | ({step}); mu Q(x: 0..7) = S(2, x); mu R(x: 0..7) = N(x);"
        ),
        // There is no such slice.
        format!(
            "mu S(fr: 0..3, x: 0..7) = x = 0 | S(9, x) | N(x); mu N(x: 0..7) = S(9, x) | x = 3 | ({step}); \
             mu Q(x: 0..7) = S(9, x); mu R(x: 0..7) = N(x);"
        ),
        // Two relations are handed on through a third one.
        format!(
            "mu S(x: 0..7) = x = 0 | M(x); mu M(x: 0..7) = N(x) | (exists y: 0..7. (S(y) & x = y + 5)); \
             mu N(x: 0..7) = S(x) | ({step}); mu Q(x: 0..7) = S(x); mu R(x: 0..7) = M(x) & !N(x);"
        ),
    ];
    for text in texts {
        let equations = equations(&text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        for name in ["Q", "R", "S", "N"] {
            let relation = equations.find(name).expect("it is defined");
            let naive = evaluate(&equations, relation).expect("it settles");
            let symbolic = compute(&equations, relation, |session| {
                let mut found = 0;
                for tuple in &naive {
                    found += usize::from(session.contains(relation, tuple)?);
                }
                Ok((found, session.count(relation)?.to_string()))
            });
            let expected = (naive.len(), naive.len().to_string());
            assert_eq!(
                symbolic.expect("it has a value"),
                expected,
                "{name}: {text}"
            );
        }
    }
}

/// Interleaved, two equal numbers take few nodes; one above the other, one for each value.
#[test]
fn a_definition_may_ask_for_an_order() {
    let nodes = |order: &str| {
        let text = format!("mu A(x: 0..4095, y: 0..4095) order {order} = x = y;\nquery q = true;");
        let model = Model::parse(Language::BooleanProgram, "main() begin skip; end");
        let solver = Solver::new(&model.expect("a program"), "order.mu", text);
        let solution = solver.count("A").measure(true).solve().expect("a solution");
        let mut json = Vec::new();
        solution
            .write_json(&mut json)
            .expect("memory takes everything");
        let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
        assert_eq!(json["relations"][0]["count"], "4096");
        json["stats"]["relations"][0]["nodes"]
            .as_u64()
            .expect("a number")
    };
    let (together, apart) = (nodes("x ~ y"), nodes("x < y"));
    assert!(together < 100 && apart > 4096, "{together}, {apart}");
    // Variables that a quantifier binds may be named, too, and wishes may contradict each other.
    let text = "mu A(x: 0..3) order x < y, y < x = exists y: 0..3. (x = y);\n";
    let equations = equations(text).expect("nothing is wrong");
    assert_eq!(count(&equations, "A"), "4");
}
