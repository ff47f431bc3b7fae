//! Programs and their control points, cells and operations.

use super::{RemoplaOptions, remopla};
use crate::diagnostic::Diagnostic;
use crate::program::{
    Action, Expression, Operation, PointId, ProcedureId, Program, Target, Value, VariableId,
};
use crate::source::Source;
use std::sync::Arc;

fn read(text: &str, options: &RemoplaOptions) -> (Option<Program>, Vec<Diagnostic>) {
    let source = Arc::new(Source::new("t.rem", text.into()));
    remopla(source, None, options)
}

fn program(text: &str) -> Program {
    let (program, diagnostics) = read(text, &RemoplaOptions::default());
    assert!(diagnostics.is_empty(), "{text}\n{diagnostics:?}");
    program.expect("there is no error")
}

fn first_error(text: &str) -> String {
    let (program, diagnostics) = read(text, &RemoplaOptions::default());
    assert!(program.is_none(), "{text}");
    let mut errors = diagnostics.iter().filter(|d| d.is_error());
    errors.next().expect("there is an error").message.clone()
}

/// How an action is shown: everything in postfix form.
struct Postfix<'a> {
    program: &'a Program,
    procedure: ProcedureId,
}

impl Postfix<'_> {
    fn cell(&self, cell: VariableId) -> &str {
        self.program.variable_name(self.procedure, cell)
    }

    fn expression(&self, expression: Expression) -> String {
        let operations = self.program.expressions.operations(expression).iter();
        let words: Vec<String> = operations
            .map(|operation| match *operation {
                Operation::Constant(value) => value.to_string(),
                Operation::Number(number) => number.to_string(),
                Operation::Read(cell) => self.cell(cell).to_owned(),
                Operation::ReadElement { first, count, .. } => {
                    format!("{}+{count}", self.cell(first))
                }
                Operation::Index { count } => format!("?{count}"),
                Operation::Not => "!".into(),
                Operation::And => "&&".into(),
                Operation::Or => "||".into(),
                Operation::Xor => "^^".into(),
                Operation::Equal => "<=>".into(),
                Operation::NumbersEqual => "==".into(),
                Operation::Less => "<".into(),
                Operation::LessEqual => "<=".into(),
                Operation::Add => "+".into(),
                Operation::Subtract => "-".into(),
                Operation::Multiply => "*".into(),
                Operation::Divide => "/".into(),
                Operation::ShiftLeft => "<<".into(),
                Operation::ShiftRight => ">>".into(),
                Operation::BitAnd => "&".into(),
                Operation::BitOr => "|".into(),
                Operation::BitXor => "^".into(),
                other => format!("{other:?}"),
            })
            .collect();
        words.join(" ")
    }

    fn target(&self, target: Target) -> String {
        match target {
            Target::Discard => "_".into(),
            Target::Cell(cell) => self.cell(cell).to_owned(),
            Target::Element {
                first,
                count,
                index,
            } => format!("({})={}+{count}", self.expression(index), self.cell(first)),
        }
    }

    fn pair(&self, target: Target, value: Value) -> String {
        let value = match value {
            Value::Any => "undef".into(),
            Value::Of(expression) => self.expression(expression),
        };
        format!("{} = {value}", self.target(target))
    }

    fn action(&self, action: &Action) -> String {
        match action {
            Action::Goto { targets } => format!("-> {}", targets[0].0),
            Action::Assign {
                targets,
                values,
                next,
                ..
            } => {
                let pairs = targets.iter().zip(values);
                let pairs: Vec<_> = pairs.map(|(t, v)| self.pair(*t, *v)).collect();
                format!("{} -> {}", pairs.join(", "), next.0)
            }
            Action::Select { arms, otherwise } => {
                let arms = arms.iter();
                let mut arms: Vec<_> = arms
                    .map(|(c, p)| format!("[{}] -> {}", self.expression(*c), p.0))
                    .collect();
                arms.extend(otherwise.map(|p| format!("else -> {}", p.0)));
                arms.join(" ")
            }
            Action::Assert { condition, next } => {
                format!("assert {} -> {}", self.expression(*condition), next.0)
            }
            Action::Assume { condition, next } => {
                format!("assume {} -> {}", self.expression(*condition), next.0)
            }
            Action::Call(call) => {
                let callee = self.program.procedure(call.callee).name;
                let arguments = call.arguments.iter();
                let arguments: Vec<_> = arguments.map(|a| self.expression(*a)).collect();
                let targets: Vec<_> = call.targets.iter().map(|t| self.target(*t)).collect();
                let with = call.assignments.iter();
                let with: Vec<_> = with.map(|(t, v)| self.pair(*t, *v)).collect();
                format!(
                    "[{}] = {}({}) with {{{}}} -> {}",
                    targets.join(", "),
                    self.program.names.text(callee),
                    arguments.join(", "),
                    with.join(", "),
                    call.next.0
                )
            }
            Action::Return { values, .. } => {
                let values: Vec<_> = values.iter().map(|v| self.expression(*v)).collect();
                format!("return {}", values.join(", "))
            }
            other => format!("{other:?}"),
        }
    }
}

/// The actions of all points.
fn actions(program: &Program) -> Vec<String> {
    let points = program.points.iter();
    points
        .map(|point| {
            let procedure = point.procedure;
            Postfix { program, procedure }.action(&point.action)
        })
        .collect()
}

/// The actions of a `main` with these declarations and statements, its exit left out.
fn main_actions(declarations: &str, statements: &str) -> Vec<String> {
    let text = format!("{declarations} module void main() {{ {statements} }}");
    let mut all = actions(&program(&text));
    all.pop();
    all
}

/// The operations of `value` as it is assigned to `x`.
fn operations(declarations: &str, x: &str, value: &str) -> String {
    let statement = format!("{x} = {value};");
    let actions = main_actions(declarations, &statement);
    let action = actions[0].strip_suffix(" -> 1").expect("one step");
    let equals = action.find(" = ").expect("an assignment");
    action[equals + 3..].to_owned()
}

#[test]
fn one_point_for_each_statement_and_an_exit() {
    let text = "int n(3); bool b;
module void main() {
  L: n = 0;
  do
  :: n < 7 -> n = n + 1;
     if :: b -> skip; M: break; :: else -> goto L, b = true; fi;
  :: n == 7 -> break;
  od
  skip(b); assert(b); assume(!b);
}
module void f() { }";
    let program = program(text);
    let listed: Vec<_> = (0..program.points.len() as u32)
        .map(|index| {
            let id = PointId(index);
            let position = program.position_of(id);
            let labels: String = program.labels_of(id).map(|l| format!("{l}: ")).collect();
            let text = program.text_of(id);
            format!(
                "{index} {}:{} {labels}{text}",
                position.line, position.column
            )
        })
        .collect();
    assert_eq!(
        listed,
        [
            "0 3:6 L: n = 0;",
            "1 4:3 do",
            "2 5:15 n = n + 1;",
            "3 6:6 if",
            "4 6:17 skip;",
            "5 6:26 M: break;",
            "6 6:44 goto L, b = true;",
            "7 7:16 break;",
            "8 9:3 skip(b);",
            "9 9:12 assert(b);",
            "10 9:23 assume(!b);",
            "11 10:1 }",
            "12 11:19 skip",
            "13 11:19 }",
        ]
    );
    assert_eq!(
        actions(&program),
        [
            "n = 0 -> 1",
            "[n 7 <] -> 2 [n 7 ==] -> 7",
            "n = n 1 + -> 3",
            "[b] -> 4 else -> 6",
            "-> 5",
            "-> 8",
            "b = true -> 0",
            "-> 8",
            "assume b -> 9",
            "assert b -> 10",
            "assume b ! -> 11",
            "Exit",
            "-> 13",
            "Exit",
        ]
    );
}

#[test]
fn the_end_of_a_branch_leads_behind_an_if_and_back_to_a_do() {
    let statements = "if :: else -> do :: b -> skip; :: !b -> break; od :: b -> skip; fi
        do :: true -> if :: b -> break; :: else -> skip; fi od";
    assert_eq!(
        main_actions("bool b;", statements),
        [
            "[b] -> 4 else -> 1",
            "[b] -> 2 [b !] -> 3",
            "-> 1",
            "-> 5",
            "-> 5",
            "[true] -> 6",
            "[b] -> 7 else -> 8",
            "-> 9",
            "-> 5",
        ]
    );
}

#[test]
fn operators_bind_as_in_c() {
    let declarations = "int a, b, c, d; bool p, q, r, s;";
    for (expression, postfix) in [
        ("a + b * c", "a b c * +"),
        ("a - b - c", "a b - c -"),
        ("a << b + c", "a b c + <<"),
        ("a & b | c ^ d", "a b & c d ^ |"),
        ("a / b * c", "a b / c *"),
        ("(a | b) & c", "a b | c &"),
        ("a >> b >> c", "a b >> c >>"),
    ] {
        assert_eq!(operations(declarations, "d", expression), postfix);
    }
    for (expression, postfix) in [
        ("p || q && r", "p q r && ||"),
        ("p ^^ q && r || s", "p q r && ^^ s ||"),
        ("p == q && r", "p q <=> r &&"),
        ("a + 1 < b == p", "a 1 + b < p <=>"),
        ("a >= b != (c > d)", "a b < ! c d <= ! ^^"),
        ("!p && q", "p ! q &&"),
        ("!p == q", "p q <=> !"),
        ("!a == b && p", "a b == ! p &&"),
        ("!!(a != b)", "a b == ! ! !"),
        ("p == !q == r", "p q r <=> ! <=>"),
        ("a << 1 <= b", "a 1 << b <="),
        ("a == b", "a b =="),
    ] {
        assert_eq!(operations(declarations, "s", expression), postfix);
    }
}

#[test]
fn quantifiers_are_written_out_from_the_smallest_value_on() {
    let declarations = "int a[3], x; bool b[2,3], r;";
    for (expression, postfix) in [
        ("A i (0,2) a[i] == i", "a[0] 0 == a[1] 1 == && a[2] 2 == &&"),
        ("E i (1,2) a[i] < x", "a[1] x < a[2] x < ||"),
        ("A i (0,0) r", "r"),
        ("!A i (2,3) b[i] && r", "b[2] b[3] && ! r &&"),
        (
            "E i (0,1) A j (0,i) a[j] == x",
            "a[0] x == a[0] x == a[1] x == && ||",
        ),
        ("A i (2,3) b[i] == b[5-i]", "b[2] b[3] <=> b[3] b[2] <=> &&"),
        ("(A i (2,3) b[i]) == r", "b[2] b[3] && r <=>"),
        ("A i (0,2) (i == 1 || r)", "r r &&"),
        ("E i (0,2) (i == 1 && r)", "r"),
        (
            "E i (0,1) ((A i (1,1) a[i] == 0) && x == i)",
            "a[1] 0 == x 0 == && a[1] 0 == x 1 == && ||",
        ),
    ] {
        assert_eq!(
            operations(declarations, "r", expression),
            postfix,
            "{expression}"
        );
    }
}

#[test]
fn what_is_constant_is_computed() {
    let declarations =
        "define N 3 define M N * 2 - 1 enum {red, green} c; int a[M], x(64); bool r;";
    for (expression, postfix) in [
        ("M", "5"),
        ("green + N << 1", "8"),
        ("0 - 3 + x", "0 3 - x +"),
        ("1 - 3 + 4", "2"),
        ("7 / 2 * x", "3 x *"),
        ("x * 0", "0"),
        ("a[N] + a[M-1]", "a[3] a[4] +"),
        ("(1 << 63) * 4 / 8", "4611686018427387904"),
        ("(x + (1 << 64)) / 2", "x 2 9223372036854775808 * 0 + + 2 /"),
        ("1 / (x - x)", "1 x x - /"),
    ] {
        assert_eq!(
            operations(declarations, "x", expression),
            postfix,
            "{expression}"
        );
    }
    for (expression, postfix) in [
        ("true && r", "r"),
        ("r && false", "false"),
        ("false || r == true", "r true <=>"),
        ("1 / x == 1 && false", "1 x / 1 == false &&"),
        ("false && 1 / x == 1", "false"),
        ("N < M ^^ r", "true r ^^"),
        ("!(N == M)", "true"),
    ] {
        assert_eq!(
            operations(declarations, "r", expression),
            postfix,
            "{expression}"
        );
    }
}

#[test]
fn places_become_cells_or_elements() {
    let declarations = "struct point { int x(2), y[1,2](2); bool set; };
        struct point p, ps[3]; int a[4](2), m[2][3](2), i(2), big;";
    for (place, postfix) in [
        ("p.x", "p.x"),
        ("p.y[2]", "p.y[2]"),
        ("a[1]", "a[1]"),
        ("a[i]", "i a[0]+4"),
        ("a[big]", "big a[0]+4"),
        ("a[i + 1]", "i 1 + a[0]+4"),
        ("p.y[i]", "i 1 - p.y[1]+2"),
        ("m[1][2]", "m[1][2]"),
        ("m[1][i]", "i m[1][0]+3"),
        ("m[i][1]", "i ?2 3 * m[0][1]+4"),
        ("m[i][big]", "i ?2 3 * big ?3 + m[0][0]+6"),
        ("ps[2].x", "ps[2].x"),
        ("ps[i].x", "i ps[0].x+3"),
        ("ps[i].y[1]", "i ps[0].y[1]+3"),
        ("ps[i].y[i]", "i ?3 i 1 - ?2 3 * + ps[0].y[1]+6"),
        ("a[a[i]]", "i a[0]+4 a[0]+4"),
    ] {
        assert_eq!(operations(declarations, "big", place), postfix, "{place}");
    }
    assert_eq!(
        main_actions(
            declarations,
            "m[i][big] = 1, ps[1].set = true, a[i] = undef;"
        ),
        ["(i ?2 3 * big ?3 +)=m[0][0]+6 = 1, ps[1].set = true, (i)=a[0]+4 = undef -> 1"]
    );
}

#[test]
fn whole_arrays_and_structs_are_taken_cell_by_cell() {
    let declarations = "struct point { int x; bool set; };
        struct point p, ps[2]; int a[2], b[2], i;";
    assert_eq!(
        main_actions(
            declarations,
            "a = b; p = ps[i]; ps[i] = p; ps = undef; a = undef, i = 1;"
        ),
        [
            "a[0] = b[0], a[1] = b[1] -> 1",
            "p.x = i ps[0].x+2, p.set = i ps[0].set+2 -> 2",
            "(i)=ps[0].x+2 = p.x, (i)=ps[0].set+2 = p.set -> 3",
            "ps[0].x = undef, ps[0].set = undef, ps[1].x = undef, ps[1].set = undef -> 4",
            "a[0] = undef, a[1] = undef, i = 1 -> 5",
        ]
    );
}

#[test]
fn assignments_for_every_value_at_once() {
    assert_eq!(
        main_actions("int a[3], x;", "A i (0,2) a[i] = a[2-i] + i, x = 0;"),
        ["a[0] = a[2] 0 +, a[1] = a[1] 1 +, a[2] = a[0] 2 +, x = 0 -> 1"]
    );
    assert_eq!(
        main_actions("int m[2][2];", "A i (0,1) A j (i,1) m[i][j] = undef;"),
        ["m[0][0] = undef, m[0][1] = undef, m[1][1] = undef -> 1"]
    );
}

#[test]
fn calls_pass_and_return_cells() {
    let text = "struct s { int x; bool y[2]; }; struct s t, ts[2]; int g, a[2];
        module struct s f(int n(3), struct s p, int b[2]);
        module void main() {
          int i;
          f(1, t, a), g = i + 1, i = 2;
          ts[i] = f(i, ts[1], a), t = undef;
          a = h();
          h();
        }
        module struct s f(int n(3), struct s p, int b[2]) { return p; }
        module int[2] h() { return a; }";
    let program = program(text);
    assert_eq!(
        actions(&program),
        [
            "[] = f(1, t.x, t.y[0], t.y[1], a[0], a[1]) with {g = i 1 +, i = 2} -> 1",
            "[(i)=ts[0].x+2, (i)=ts[0].y[0]+2, (i)=ts[0].y[1]+2] = f(i, ts[1].x, ts[1].y[0], \
             ts[1].y[1], a[0], a[1]) with {t.x = undef, t.y[0] = undef, t.y[1] = undef} -> 2",
            "[a[0], a[1]] = h() with {} -> 3",
            "[] = h() with {} -> 4",
            "Exit",
            "return p.x, p.y[0], p.y[1]",
            "Exit",
            "return a[0], a[1]",
            "Exit",
        ]
    );
    let f = &program.procedures[1];
    assert_eq!((f.parameters, f.returns.len(), f.locals.len()), (6, 3, 6));
    assert_eq!(f.declarations.len(), 3);
    assert_eq!(f.return_shapes.len(), 1);
}

#[test]
fn defines_may_be_given_and_others_follow() {
    let text = "define N 3 define M N + 1 define DEFAULT_INT_BITS M
        int x, a[N], y(2); module void main() { x = M; }";
    let bits = |program: &Program, index: usize| program.globals[index].domain.bits();
    let plain = program(text);
    assert_eq!((bits(&plain, 0), plain.globals.len()), (4, 5));
    let options = RemoplaOptions {
        defines: vec![("N".into(), 9), ("N".into(), 6)],
        ..RemoplaOptions::default()
    };
    let (given, diagnostics) = read(text, &options);
    let given = given.unwrap_or_else(|| panic!("{diagnostics:?}"));
    assert_eq!((bits(&given, 0), given.globals.len()), (7, 8));
    assert_eq!(actions(&given)[0], "x = 7 -> 1");
    let options = RemoplaOptions {
        defines: vec![("DEFAULT_INT_BITS".into(), 2)],
        ..RemoplaOptions::default()
    };
    let (given, _) = read("int x; module void main() { }", &options);
    assert_eq!(bits(&given.expect("it is correct"), 0), 2);
    let options = RemoplaOptions {
        defines: vec![("NN".into(), 2)],
        ..RemoplaOptions::default()
    };
    let (none, diagnostics) = read(text, &options);
    assert!(none.is_none());
    assert_eq!(diagnostics[0].hint.as_deref(), Some("did you mean `N=…`?"));
}

#[test]
fn executions_begin_where_it_is_said() {
    let modules = "module void f() { skip; } module void main() { f(); }";
    let entry = |text: &str, given: Option<&str>| {
        let source = Arc::new(Source::new("t.rem", text.into()));
        let (program, _) = remopla(source, given, &RemoplaOptions::default());
        let program = program.expect("it is correct");
        let name = program.procedure(program.entry).name;
        program.names.text(name).to_owned()
    };
    assert_eq!(entry(modules, None), "main");
    assert_eq!(entry(&format!("init f; {modules}"), None), "f");
    assert_eq!(entry(&format!("init f; {modules}"), Some("main")), "main");
}

#[test]
fn terms_are_at_most_126_bits_wide() {
    let too_wide = "the value of this term may need more than 126 bits";
    let statement = |declarations: &str, term: &str| {
        first_error(&format!(
            "{declarations} module void main() {{ x = {term}; }}"
        ))
    };
    assert_eq!(statement("int x(64);", "x * x"), too_wide);
    assert_eq!(statement("int x(32);", "x * x * x * x"), too_wide);
    assert_eq!(statement("int x(8);", "(1 << 64) * (1 << 62)"), too_wide);
    program("int x(62); module void main() { x = x * x + x; }");
    program("int x(64); module void main() { x = (x << x) / 2; }");
}

#[test]
fn truth_values_and_numbers_are_not_mixed() {
    let condition = |condition: &str| {
        let text = format!("int x, a[3]; bool b; module void main() {{ assert({condition}); }}");
        first_error(&text)
    };
    assert_eq!(condition("x"), "expected a condition, found a number");
    assert_eq!(
        condition("x == b"),
        "a truth value is compared with a number"
    );
    assert_eq!(
        condition("x && b"),
        "`&&` joins conditions, but this is a number"
    );
    assert_eq!(
        condition("!x"),
        "`!` negates conditions, but this is a number"
    );
    assert_eq!(
        condition("b & b"),
        "`&` takes numbers, but this is a truth value"
    );
    assert_eq!(
        condition("b < x"),
        "`<` takes numbers, but this is a truth value"
    );
    assert_eq!(
        condition("a == a"),
        "a whole array or struct cannot be compared"
    );
    assert_eq!(
        condition("a[b] == 1"),
        "an index is a number, but this is a truth value"
    );
    assert_eq!(
        condition("A i (0,1) b == true"),
        "this could mean two things without parentheses"
    );
    assert_eq!(
        condition("A i (0,1) a[i] == 1 && a[i] == 2"),
        "the quantifier does not reach here: `i` is unknown"
    );
}
