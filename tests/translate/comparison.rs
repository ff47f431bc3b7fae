//! A program and its translation, asked the same questions.
//!
//! The engines that check programs symbolically work on the rules that the translation writes
//! down, so that both sides could be wrong in the same way. The explicit engine runs the
//! program by its interpreter, which knows no rules, and the translation by the steps of the
//! text that was read back: where it can, it says the same of both.

use crate::library;
use derny::internals::check::{Options, Subject};
use derny::internals::explicit::Budget;
use derny::internals::program::{Domain, Language, Program};
use derny::internals::property::Property;
use derny::internals::pushdown::System;
use derny::internals::translate::{Translation, translate};
use derny::{Model, PropertyKind as Kind, Verdict};
use std::sync::Arc;

const MEMORY: u64 = 16 << 20;
/// What the explicit engine may keep, so that no question takes long.
const EXPLICIT_STATES: Budget<'static> = Budget::states(5_000);

/// Formulas without X; `A` and `B` are to be replaced.
const SHAPES: [&str; 18] = [
    "G F A",
    "F G A",
    "F A",
    "G A",
    "G (A -> F B)",
    "A U B",
    "A W B",
    "B R A",
    "(A U B) U A",
    "(G F A) -> G F B",
    "F (A && B)",
    "F (A && F (B && F A))",
    "G (A -> (A U B))",
    "G (A -> (B R !A))",
    "F error || G A",
    "F terminated || G F A",
    "F (error && A)",
    "F G (terminated && A)",
];

pub struct Pair {
    pub program: Arc<Program>,
    pub translation: Translation,
    pub system: Arc<System>,
}

/// How many questions were asked, to how many the answer is a violation, and how many the
/// explicit engine answered, too.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    pub asked: usize,
    pub violated: usize,
    pub explicit: usize,
}

impl Count {
    pub fn add(&mut self, other: Count) {
        self.asked += other.asked;
        self.violated += other.violated;
        self.explicit += other.explicit;
    }
}

/// The translation is read without any diagnostic.
pub fn read_system(text: &str) -> Result<Arc<System>, String> {
    let model = Model::parse(derny::Language::PushdownSystem, text);
    let model = model.map_err(|error| format!("{error}\n{text}"))?;
    if !model.warnings().is_empty() {
        return Err(format!("{}\n{text}", model.warnings()));
    }
    derny::internals::system(&model).ok_or_else(|| format!("no system\n{text}"))
}

impl Pair {
    pub fn new(program: Arc<Program>) -> Result<Self, String> {
        let translation = translate(&program).map_err(|wrong| format!("{wrong:?}"))?;
        let system = read_system(&translation.text)?;
        Ok(Pair {
            program,
            translation,
            system,
        })
    }

    /// How a name of the program is spelled.
    fn spelled(&self, kind: &str, name: &str) -> String {
        let mut renamed = self.translation.renamed.iter();
        let found = renamed.find(|r| r.kind == kind && r.original == name);
        found.map_or(name.to_owned(), |renamed| renamed.spelled.clone())
    }

    /// Every label, the assertions and termination, and formulas by `seed`.
    pub fn questions(&self, seed: u64, formulas: u64) -> Vec<[(Kind, String); 2]> {
        let mut asked = vec![
            [
                (Kind::Assertions, "assertions".to_owned()),
                (Kind::Reach, "error".to_owned()),
            ],
            [
                (Kind::Terminates, "terminates".to_owned()),
                (Kind::Ltl, "<> (terminated | error)".to_owned()),
            ],
        ];
        for [label, spelled] in self.labels() {
            asked.push([(Kind::Reach, label), (Kind::Reach, spelled)]);
        }
        let atoms = self.atoms();
        for turn in 0..formulas {
            let pick = |k: u64| {
                let number = seed.wrapping_mul(7).wrapping_add(turn * 5 + k * 11);
                &atoms[(number % atoms.len() as u64) as usize]
            };
            let shape = SHAPES[((seed + 5 * turn) % SHAPES.len() as u64) as usize];
            let formula = |side: usize| {
                let marked = shape.replace('A', "\u{1}").replace('B', "\u{2}");
                let first = marked.replace('\u{1}', &pick(0)[side]);
                first.replace('\u{2}', &pick(1)[side])
            };
            asked.push([(Kind::Ltl, formula(0)), (Kind::Ltl, formula(1))]);
        }
        asked
    }

    /// Labels, with and without the procedure.
    fn labels(&self) -> Vec<[String; 2]> {
        let mut labels = Vec::new();
        for (point, name) in &self.program.labels {
            let label = self.program.names.text(*name);
            let procedure = self.program.procedure_of(*point).name;
            let procedure = self.program.names.text(procedure);
            let spelled = self.spelled("label", label);
            let of = self.spelled("procedure", procedure);
            labels.push([label.to_owned(), spelled.clone()]);
            labels.push([format!("{procedure}.{label}"), format!("{of}.{spelled}")]);
        }
        labels.sort();
        labels.dedup();
        labels
    }

    /// Propositions over everything that keeps its meaning.
    fn atoms(&self) -> Vec<[String; 2]> {
        let status = ["error", "terminated"].map(|s| [s.to_owned(), s.to_owned()]);
        let mut atoms = Vec::from(status);
        let qualified = self.labels().into_iter().filter(|[l, _]| l.contains('.'));
        atoms.extend(qualified.map(|both| both.map(|label| format!("at({label})"))));
        for procedure in &self.program.procedures {
            let name = self.program.names.text(procedure.name);
            let spelled = self.spelled("procedure", name);
            atoms.push([name.to_owned(), spelled].map(|name| format!("in({name})")));
        }
        atoms.extend(self.conditions());
        atoms
    }

    /// Conditions on global cells.
    fn conditions(&self) -> Vec<[String; 2]> {
        let mut conditions = Vec::new();
        for cell in &self.program.globals {
            let name = self.program.names.text(cell.name);
            let spelled = match self.program.language {
                Language::BooleanProgram => Some(self.spelled("global", name)),
                Language::Remopla | Language::C => element(name),
            };
            let Some(spelled) = spelled else { continue };
            match cell.domain {
                Domain::Boolean => {
                    let braced = name.starts_with('{');
                    // `{x}` may itself be the name of another variable.
                    let asked = match braced {
                        true => name.into(),
                        false => format!("{{({name})}}"),
                    };
                    conditions.push([asked, format!("{{{spelled}}}")]);
                }
                domain => {
                    let last = domain.size() - 1;
                    conditions.push([
                        format!("{{{name} == {last}}}"),
                        format!("{{{spelled} = {last}}}"),
                    ]);
                    conditions.push([format!("{{{name} < 1}}"), format!("{{{spelled} < 1}}")]);
                }
            }
        }
        conditions
    }

    /// Asks both; what differs is a failure.
    pub fn compare(&self, seed: u64, formulas: u64, trace: bool) -> Result<Count, String> {
        let questions = self.questions(seed, formulas);
        let side = |k: usize| questions.iter().map(move |question| &question[k]);
        let of_program = properties(&*self.program, side(0))?;
        let of_system = properties(&*self.system, side(1))?;
        let verdicts_of_program = verdicts(&*self.program, &of_program, trace)?;
        let verdicts_of_system = verdicts(&*self.system, &of_system, trace)?;
        let mut count = Count::default();
        // What has too many states for one question has too many for all.
        let mut is_small = true;
        for (k, [(_, asked), (_, spelled)]) in questions.iter().enumerate() {
            let verdict = verdicts_of_program[k];
            let explicit = is_small.then(|| {
                let of_program = explicitly(&*self.program, &of_program[k])?;
                Some([of_program, explicitly(&*self.system, &of_system[k])?])
            });
            let explicit = explicit.flatten();
            is_small = explicit.is_some();
            let symbolic = [verdict, verdicts_of_system[k]];
            let mut all = symbolic.into_iter().chain(explicit.into_iter().flatten());
            if all.any(|answer| answer != verdict) {
                return Err(format!(
                    "{asked} of the program, {spelled} of its translation: \
                     symbolically {symbolic:?}, explicitly {explicit:?}\n{}",
                    self.translation.text
                ));
            }
            count.add(Count {
                asked: 1,
                violated: usize::from(verdict == Verdict::Violated),
                explicit: usize::from(is_small),
            });
        }
        Ok(count)
    }
}

/// The verdict of the explicit engine; `None` if there are too many states.
fn explicitly<'s>(subject: impl Into<Subject<'s>>, property: &Property) -> Option<Verdict> {
    let violated = subject.into().violates(property, EXPLICIT_STATES).ok()?;
    Some(if violated {
        Verdict::Violated
    } else {
        Verdict::Holds
    })
}

/// `s[1].x` is `s.x[1]` in a pushdown system; with several indices it is numbered anew.
fn element(name: &str) -> Option<String> {
    let Some((before, rest)) = name.split_once('[') else {
        return Some(name.to_owned());
    };
    let (index, after) = rest.split_once(']')?;
    (!after.contains('[')).then(|| format!("{before}{after}[{index}]"))
}

/// One question.
pub fn decide<'s>(
    subject: impl Into<Subject<'s>>,
    kind: Kind,
    text: &str,
) -> Result<Verdict, String> {
    let subject = subject.into();
    let asked = properties(subject, [(kind, text.to_owned())].iter())?;
    let verdicts = verdicts(subject, &asked, true)?;
    verdicts.first().copied().ok_or("no answer".to_owned())
}

fn properties<'q, 's>(
    subject: impl Into<Subject<'s>>,
    questions: impl Iterator<Item = &'q (Kind, String)>,
) -> Result<Vec<Property>, String> {
    let subject = subject.into();
    let property = |(kind, text): &(Kind, String)| library::property(subject, *kind, text);
    questions.map(property).collect()
}

fn verdicts<'s>(
    subject: impl Into<Subject<'s>>,
    properties: &[Property],
    trace: bool,
) -> Result<Vec<Verdict>, String> {
    let options = Options {
        memory: MEMORY,
        trace,
        ..Options::default()
    };
    let findings = library::findings(subject, properties, &options);
    let findings = findings.map_err(|error| format!("{error:?}"))?.into_iter();
    let verdicts = findings.map(|finding| finding.verdict.ok_or("undecided".to_owned()));
    verdicts.collect()
}
