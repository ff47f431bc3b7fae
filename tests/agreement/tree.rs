//! Programs as trees, made by proptest: whatever is taken away, a program remains.
//!
//! A variable is a number that is taken modulo how many are in scope, a callee a number modulo
//! the procedures, so that every tree means a program; labels are numbered while printing.

use proptest::prelude::*;
use std::fmt::{self, Display, Formatter};

const GLOBALS: usize = 2;

#[derive(Clone, Debug)]
pub enum Expression {
    Constant(bool),
    Choice,
    Variable(usize),
    Not(Box<Expression>),
    Binary(&'static str, Box<Expression>, Box<Expression>),
    Schoose(Box<Expression>, Box<Expression>),
    Ternary(Box<Expression>, Box<Expression>, Box<Expression>),
}

#[derive(Clone, Debug)]
pub enum Statement {
    Skip,
    Assign(usize, Expression),
    /// Two targets at once; a single one where both numbers mean the same variable.
    Parallel([usize; 2], [Expression; 2], Option<Expression>),
    /// Whether the values are kept in a target.
    Call(usize, [Expression; 2], Option<usize>),
    Assume(Expression),
    AbortIf(Expression),
    Assert(Expression),
    Dead(usize),
    Return(Expression),
    If(Expression, Vec<Statement>, Vec<Statement>),
    While(Expression, Vec<Statement>),
    /// To the number of a label of the procedure, modulo how many there are.
    Goto(usize),
    /// A statement that can be asked for and jumped to.
    Label,
}

#[derive(Clone, Debug)]
pub struct Procedure {
    locals: usize,
    enforce: Option<Expression>,
    body: Vec<Statement>,
}

/// `main` and others; every one but `main` has a parameter and returns a value.
#[derive(Clone, Debug)]
pub struct Program {
    procedures: Vec<Procedure>,
}

fn expression() -> impl Strategy<Value = Expression> {
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(Expression::Constant),
        1 => Just(Expression::Choice),
        4 => (0..6usize).prop_map(Expression::Variable),
    ];
    let operator = prop::sample::select(vec!["&", "|", "^", "=", "!=", "=>", "<=>"]);
    leaf.prop_recursive(2, 6, 3, move |inner| {
        let boxed = inner.prop_map(Box::new);
        prop_oneof![
            boxed.clone().prop_map(Expression::Not),
            (operator.clone(), boxed.clone(), boxed.clone())
                .prop_map(|(operator, a, b)| Expression::Binary(operator, a, b)),
            (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Expression::Schoose(a, b)),
            (boxed.clone(), boxed.clone(), boxed)
                .prop_map(|(c, a, b)| Expression::Ternary(c, a, b)),
        ]
    })
}

fn statement() -> impl Strategy<Value = Statement> {
    let leaf = prop_oneof![
        1 => Just(Statement::Skip),
        4 => Just(Statement::Label),
        4 => (0..6usize, expression()).prop_map(|(x, e)| Statement::Assign(x, e)),
        2 => (
            [0..6usize, 0..6usize],
            [expression(), expression()],
            prop::option::of(expression()),
        ).prop_map(|(targets, values, constrain)| Statement::Parallel(targets, values, constrain)),
        4 => (0..4usize, [expression(), expression()], prop::option::of(0..6usize))
            .prop_map(|(callee, arguments, target)| Statement::Call(callee, arguments, target)),
        1 => expression().prop_map(Statement::Assume),
        1 => expression().prop_map(Statement::AbortIf),
        1 => expression().prop_map(Statement::Assert),
        1 => (0..6usize).prop_map(Statement::Dead),
        1 => expression().prop_map(Statement::Return),
        1 => (0..4usize).prop_map(Statement::Goto),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        let block = prop::collection::vec(inner, 0..3);
        prop_oneof![
            (expression(), block.clone(), block.clone())
                .prop_map(|(c, a, b)| Statement::If(c, a, b)),
            (expression(), block).prop_map(|(c, a)| Statement::While(c, a)),
        ]
    })
}

fn procedure() -> impl Strategy<Value = Procedure> {
    (
        0..3usize,
        prop::option::weighted(0.15, expression()),
        prop::collection::vec(statement(), 0..7),
    )
        .prop_map(|(locals, enforce, body)| Procedure {
            locals,
            enforce,
            body,
        })
}

pub fn program() -> impl Strategy<Value = Program> {
    prop::collection::vec(procedure(), 1..4).prop_map(|procedures| Program { procedures })
}

impl Program {
    /// The labels that can be asked for.
    pub fn labels(&self) -> Vec<String> {
        let labels = |(p, procedure): (usize, &Procedure)| {
            (0..count_labels(&procedure.body)).map(move |i| label(p, i))
        };
        self.procedures
            .iter()
            .enumerate()
            .flat_map(labels)
            .collect()
    }
}

fn count_labels(body: &[Statement]) -> usize {
    let count = |statement: &Statement| match statement {
        Statement::Label => 1,
        Statement::If(_, a, b) => count_labels(a) + count_labels(b),
        Statement::While(_, a) => count_labels(a),
        _ => 0,
    };
    body.iter().map(count).sum()
}

fn label(procedure: usize, number: usize) -> String {
    format!("L{procedure}_{number}")
}

/// Prints one procedure.
struct Printer {
    procedure: usize,
    /// The variables in scope.
    names: Vec<String>,
    procedures: usize,
    labels: usize,
    next_label: usize,
    text: String,
}

impl Printer {
    fn name(&self, variable: usize) -> &str {
        &self.names[variable % self.names.len()]
    }

    fn expression(&self, expression: &Expression) -> String {
        let text = |e: &Expression| self.expression(e);
        match expression {
            Expression::Constant(value) => u8::from(*value).to_string(),
            Expression::Choice => "*".to_owned(),
            Expression::Variable(variable) => self.name(*variable).to_owned(),
            Expression::Not(a) => format!("!{}", text(a)),
            Expression::Binary(operator, a, b) => format!("({} {operator} {})", text(a), text(b)),
            Expression::Schoose(a, b) => format!("schoose[{}, {}]", text(a), text(b)),
            Expression::Ternary(c, a, b) => format!("({} ? {} : {})", text(c), text(a), text(b)),
        }
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.text += &format!("{}{text}\n", "  ".repeat(depth));
    }

    fn block(&mut self, body: &[Statement], depth: usize) {
        for statement in body {
            self.statement(statement, depth);
        }
    }

    fn statement(&mut self, statement: &Statement, depth: usize) {
        let line = match statement {
            Statement::Skip => "skip;".to_owned(),
            Statement::Label => {
                self.next_label += 1;
                format!("{}: skip;", label(self.procedure, self.next_label - 1))
            }
            Statement::Assign(x, e) => format!("{} := {};", self.name(*x), self.expression(e)),
            Statement::Parallel([x, y], [e, f], constrain) => {
                let (x, y) = (self.name(*x), self.name(*y));
                let constrain = match constrain {
                    // What is assigned is what makes a constraint worth having.
                    Some(condition) => {
                        format!(" constrain '{x} | {}", self.expression(condition))
                    }
                    None => String::new(),
                };
                let (e, f) = (self.expression(e), self.expression(f));
                match x == y {
                    true => format!("{x} := {e}{constrain};"),
                    false => format!("{x}, {y} := {e}, {f}{constrain};"),
                }
            }
            Statement::Call(callee, [first, _], target) => {
                let callee = callee % self.procedures;
                if callee == 0 {
                    "main();".to_owned()
                } else {
                    let target = target.map(|target| format!("{} := ", self.name(target)));
                    let target = target.unwrap_or_default();
                    format!("{target}p{callee}({});", self.expression(first))
                }
            }
            Statement::Assume(e) => format!("assume({});", self.expression(e)),
            Statement::AbortIf(e) => format!("abortif({});", self.expression(e)),
            Statement::Assert(e) => format!("assert({});", self.expression(e)),
            Statement::Dead(x) => format!("dead {};", self.name(*x)),
            Statement::Return(_) if self.procedure == 0 => "return;".to_owned(),
            Statement::Return(e) => format!("return {};", self.expression(e)),
            Statement::Goto(_) if self.labels == 0 => "skip;".to_owned(),
            Statement::Goto(to) => format!("goto {};", label(self.procedure, to % self.labels)),
            Statement::If(c, a, b) => {
                self.line(depth, &format!("if ({}) then", self.expression(c)));
                self.block(a, depth + 1);
                if !b.is_empty() {
                    self.line(depth, "else");
                    self.block(b, depth + 1);
                }
                "fi".to_owned()
            }
            Statement::While(c, a) => {
                self.line(depth, &format!("while ({}) do", self.expression(c)));
                self.block(a, depth + 1);
                "od".to_owned()
            }
        };
        self.line(depth, &line);
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let globals: Vec<String> = (0..GLOBALS).map(|i| format!("g{i}")).collect();
        writeln!(f, "decl {};", globals.join(", "))?;
        for (i, procedure) in self.procedures.iter().enumerate() {
            let locals: Vec<String> = (0..procedure.locals).map(|i| format!("x{i}")).collect();
            let mut names = [&locals[..], &globals[..]].concat();
            match i {
                0 => writeln!(f, "main()\nbegin")?,
                _ => {
                    names.insert(0, "a".to_owned());
                    writeln!(f, "bool p{i}(a)\nbegin")?;
                }
            }
            if !locals.is_empty() {
                writeln!(f, "  decl {};", locals.join(", "))?;
            }
            let mut printer = Printer {
                procedure: i,
                names,
                procedures: self.procedures.len(),
                labels: count_labels(&procedure.body),
                next_label: 0,
                text: String::new(),
            };
            if let Some(condition) = &procedure.enforce {
                let condition = printer.expression(condition);
                printer.line(1, &format!("enforce {condition};"));
            }
            printer.block(&procedure.body, 1);
            writeln!(f, "{}end", printer.text)?;
        }
        Ok(())
    }
}
