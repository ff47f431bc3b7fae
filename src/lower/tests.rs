//! Programs and their control points.

mod threads;

use super::{Start, boolean_program};
use crate::program::{Action, Operation, PointId, Program, Target};
use crate::source::Source;
use std::sync::Arc;

fn program(text: &str) -> Program {
    let source = Arc::new(Source::new("t.bp", text.into()));
    let (program, diagnostics) = boolean_program(source, &Start::default());
    program.unwrap_or_else(|| panic!("{text}\n{diagnostics:?}"))
}

/// One line for each point: its number, position, labels, text and successors.
fn points(text: &str) -> Vec<String> {
    let program = program(text);
    let ids = (0..program.points.len() as u32).map(PointId);
    ids.map(|id| {
        let exit = program.procedure_of(id).exit();
        let mut successors = Vec::new();
        let action = &program.point(id).action;
        action.for_each_successor(exit, |next| successors.push(next.0));
        let position = program.position_of(id);
        let labels: String = program.labels_of(id).map(|l| format!("{l}: ")).collect();
        format!(
            "{} {}:{} {labels}{} -> {successors:?}",
            id.0,
            position.line,
            position.column,
            program.text_of(id)
        )
    })
    .collect()
}

#[test]
fn one_point_for_each_statement_and_an_exit() {
    let text = "decl g;
void main() begin
  L: M: g := !g ;
  if (g) then
    skip;
  elsif (!g) then
    return
  fi;
  while * do g := 0; od
end";
    assert_eq!(
        points(text),
        [
            "0 3:9 L: M: g := !g ; -> [1]",
            "1 4:3 if (g) -> [2, 3, 4]",
            "2 5:5 skip; -> [4]",
            "3 7:5 return -> [6]",
            "4 9:3 while * -> [5, 6]",
            "5 9:14 g := 0; -> [4]",
            "6 10:1 end -> []",
        ]
    );
}

#[test]
fn an_empty_sequence_is_a_skip_at_the_word_that_closes_it() {
    let text = "void main() begin
  if (*) then elsif (*) then else fi
  while (*) do od
  if (*) then fi
end
f() {
  if (*) { } else { }
  while (*) { }
}
g() { }";
    assert_eq!(
        points(text),
        [
            "0 2:3 if (*) -> [1, 2, 3]",
            "1 2:15 skip -> [4]",
            "2 2:30 skip -> [4]",
            "3 2:35 skip -> [4]",
            "4 3:3 while (*) -> [5, 6]",
            "5 3:16 skip -> [4]",
            "6 4:3 if (*) -> [7, 8]",
            "7 4:15 skip -> [8]",
            "8 5:1 end -> []",
            "9 7:3 if (*) -> [10, 11]",
            "10 7:12 skip -> [12]",
            "11 7:21 skip -> [12]",
            "12 8:3 while (*) -> [13, 14]",
            "13 8:15 skip -> [12]",
            "14 9:1 } -> []",
            "15 10:7 skip -> [16]",
            "16 10:7 } -> []",
        ]
    );
}

#[test]
fn else_if_is_a_statement_of_its_own_but_elsif_is_not() {
    let text = "main() {
  if (*) { skip; } else if (1) { skip; } else if (0) then skip; fi
  while (*) { if (*) { goto L; } }
  L: skip
}";
    assert_eq!(
        points(text),
        [
            "0 2:3 if (*) -> [1, 2]",
            "1 2:12 skip; -> [6]",
            "2 2:25 if (1) -> [3, 4]",
            "3 2:34 skip; -> [6]",
            "4 2:47 if (0) -> [5, 6]",
            "5 2:59 skip; -> [6]",
            "6 3:3 while (*) -> [7, 9]",
            "7 3:15 if (*) -> [8, 6]",
            "8 3:24 goto L; -> [9]",
            "9 4:6 L: skip -> [10]",
            "10 5:1 } -> []",
        ]
    );
}

#[test]
fn braces_open_a_block_or_a_name() {
    let text = "decl {x > 0}, {else};
main() {
  if ({x > 0}) { {x > 0} = 0; } else { {else} := {x > 0}; }
  if {x > 0} then {else} := 1; else {else} := 0; fi
  f(1)
  {x > 0} := 1;
}
f({a}) { return; }";
    let program = program(text);
    assert_eq!(program.globals.len(), 2);
    assert_eq!(program.names.text(program.globals[0].name), "{x > 0}");
    assert_eq!(program.points.len(), 11);
}

#[test]
fn declarations_stand_between_statements_and_after_use() {
    let text = "void main() begin g := 1; decl x; x := g; end decl g;";
    let program = program(text);
    assert_eq!(program.procedures[0].locals.len(), 1);
    assert!(program.globals.len() == 1 && program.points.len() == 3);
}

#[test]
fn the_number_of_return_values() {
    let text = "f() begin return (1), 0; end bool g() begin skip; end bool<3> h() begin return(1,0,*); end
        k() begin return (1 | 0); end void main() begin decl a, b, c; a, b := f(); a := g(); a, b, c := h(); a := k(); f(); end";
    let returns: Vec<_> = program(text)
        .procedures
        .iter()
        .map(|p| p.returns.len())
        .collect();
    assert_eq!(returns, [2, 1, 3, 1, 0]);
}

/// The operations of the only assignment in `void main() begin decl a,…,e; a := … end`.
fn operations(expression: &str) -> String {
    let text = format!("void main() begin decl a, b, c, d, e; a := {expression}; end");
    let program = program(&text);
    let Action::Assign { values, .. } = &program.points[0].action else {
        panic!("{text}");
    };
    let operations = program
        .expressions
        .operations(values[0].expression().expect("a value"))
        .iter();
    let letters = operations.map(|operation| match *operation {
        Operation::Constant(false) => "0",
        Operation::Constant(true) => "1",
        Operation::Read(variable) => program.variable_name(program.entry, variable),
        Operation::ReadNext(_) => "'",
        Operation::Choose => "*",
        Operation::Not => "!",
        Operation::And => "&",
        Operation::Or => "|",
        Operation::Xor => "^",
        Operation::Equal => "=",
        Operation::Implies => ">",
        Operation::IfThenElse => "?",
        Operation::Schoose => "S",
        other => panic!("{other:?} in a boolean program"),
    });
    letters.collect()
}

#[test]
fn operators_bind_as_in_moped_and_getafix() {
    for (expression, postfix) in [
        ("a & b = c", "abc=&"),
        ("a | b ^ c & d = e", "abcde=&^|"),
        ("a = b & c ^ d | e", "ab=c&d^e|"),
        ("a => b => c", "abc>>"),
        ("a <=> b => c", "abc>="),
        ("a => b <=> c", "ab>c="),
        ("a & b & c", "ab&c&"),
        ("a != b == c", "ab^c="),
        ("!a = b", "a!b="),
        ("!~not a", "a!!!"),
        ("!(a || b) && c", "ab|!c&"),
        ("a ? b : c ? d : e", "abcde??"),
        ("a ? b ? c : d : e", "abcd?e?"),
        ("a ? ? : *", "a**?"),
        ("? ? ? : ?", "***?"),
        ("a <=> b ? c => d : e | a", "ab=cd>ea|?"),
        ("schoose[a ? b : c, d] | e", "abc?dSe|"),
        ("!schoose[F, true]", "01S!"),
        ("((a))", "a"),
        ("b ? false : *", "b0*?"),
    ] {
        assert_eq!(operations(expression), postfix, "{expression}");
    }
}

#[test]
fn statements_become_their_actions() {
    let text = "decl g; void main() begin decl x;
        x, _ := g, 1 constrain 'x = g; abortif(g); constrain(g); assume(x); dead x, g, x; print(x, g);
        assert(g); x := call f(); call f(); _ := f(); enforced(); end
        bool f() begin return *; end void enforced() begin enforce g; goto L, L; L: skip; end";
    let program = program(text);
    let actions: Vec<_> = program.points.iter().map(|p| &p.action).collect();
    assert!(
        matches!(actions[0], Action::Assign { targets, constrain: Some(_), .. } if targets.len() == 2 && targets[1] == Target::Discard)
    );
    let Action::Assume { condition, .. } = actions[1] else {
        panic!("{:?}", actions[1]);
    };
    let last = program.expressions.operations(*condition).last();
    assert_eq!(last, Some(&Operation::Not));
    assert!(matches!(actions[2], Action::Assume { .. }));
    assert!(matches!(actions[3], Action::Assume { .. }));
    assert!(matches!(actions[4], Action::Havoc { variables, .. } if variables.len() == 2));
    assert!(matches!(actions[5], Action::Goto { .. }));
    assert!(matches!(actions[6], Action::Assert { .. }));
    assert!(matches!(actions[7], Action::Call(call) if call.targets.len() == 1));
    assert!(matches!(actions[8], Action::Call(call) if call.targets.is_empty()));
    assert!(matches!(actions[9], Action::Call(call) if *call.targets == [Target::Discard]));
    assert!(program.procedures[2].enforce.is_some());
}

#[test]
fn the_entry_may_be_another_procedure() {
    let source = Arc::new(Source::new(
        "t",
        "f() begin skip; end g() begin skip; end".into(),
    ));
    let (program, _) = boolean_program(
        source,
        &Start {
            entry: Some("g"),
            ..Start::default()
        },
    );
    let program = program.expect("it is correct");
    assert_eq!(
        program.names.text(program.procedure(program.entry).name),
        "g"
    );
}
