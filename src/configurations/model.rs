//! The exact symbolic model that sets of configurations are computed on: every variable is
//! live wherever it is in scope, every frame reads and changes every global, and frames that
//! wait keep all they have.

use super::language::{Family, FrameKind, Language, Variable, Waiting};
use crate::analysis::{Analyses, order};
use crate::bdd::{Bdd, BddResult, Bdds, Collection};
use crate::program::{Domain, ProcedureId, VariableId};
use crate::property::Atom;
use crate::rules::{DataVariable, Right, Rules, Subject};
use crate::spds::copies::{COPIES, Copies, Copy, Order};
use crate::spds::{EntryId, Head, Spds, encode, truth_in};
use crate::watch::{Stop, Watch};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::ops::Range;

/// A system as the symbolic engine has it.
pub struct Model<'a> {
    /// What is known of names.
    pub language: &'a dyn Language,
    rules: &'a Rules<'a>,
    /// The BDD variables.
    pub copies: &'a Copies<'a>,
    /// The rules with their relations.
    pub spds: &'a Spds,
    /// Whom long loops ask.
    pub watch: &'a Watch,
    /// Every symbol that may wait, in rising order.
    pub waiting: Vec<Waiting>,
    /// The variables that belong to no frame; the control state, if there is one, is last.
    pub globals: Vec<Variable>,
    valid: RefCell<FxHashMap<(Option<FrameKind>, Scope), Bdd>>,
}

/// Which variables have values of their domains.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Scope {
    Frame,
    Top,
    /// The values to be returned as well.
    Exit,
    /// These and the globals.
    Handed,
}

/// Makes the model of a system and runs `work` on it. BDD nodes may take `memory` bytes.
pub fn with_model<T>(
    language: &dyn Language,
    memory: u64,
    watch: &Watch,
    work: impl FnOnce(&Model<'_>) -> Result<T, Stop>,
) -> Result<T, Stop> {
    let subject = language.subject();
    let rules = subject.rules(subject.layout(), true);
    let analyses = Analyses::of(&rules, &[]);
    let order = order::interleaved_bits(&rules);
    let count = COPIES + u32::from(rules.sets_below());
    let bdds = Bdds::new(rules.layout.len() * count, memory, Collection::Rare)?.watched_by(watch);
    bdds.session(|| {
        let order = Order::new(&rules.layout.order(order.as_deref()));
        let copies = Copies::new(&bdds, order, count);
        let spds = encode(&rules, &analyses, &copies, None, watch)?;
        let globals = rules.globals.iter().zip(0..);
        let globals = globals.map(|(cell, i)| {
            let name = match rules.state_cell == Some(i) {
                true => STATE.to_owned(),
                false => rules.names.text(cell.name).to_owned(),
            };
            variable(subject, name, cell.domain, rules.layout.global(i))
        });
        work(&Model {
            language,
            globals: globals.collect(),
            waiting: waiting(&rules),
            rules: &rules,
            copies: &copies,
            spds: &spds,
            watch,
            valid: RefCell::default(),
        })
    })
}

/// What the control state is called among the variables, since no variable can be.
const STATE: &str = "state()";

fn variable(
    subject: Subject<'_>,
    name: String,
    domain: Domain,
    bits: Range<DataVariable>,
) -> Variable {
    let (names, values) = match (subject, domain) {
        (Subject::Program(program), Domain::Enumeration { id, .. }) => {
            let enumeration = &program.enumerations[id as usize];
            (&program.names, &enumeration.names[..])
        }
        (Subject::Program(program), _) => (&program.names, &[][..]),
        // Only the control state has names for its values.
        (Subject::System(system), Domain::Enumeration { .. }) => {
            (&system.names, system.states.as_slice())
        }
        (Subject::System(system), _) => (&system.names, &[][..]),
    };
    let values = values.iter().map(|value| names.text(*value).to_owned());
    Variable {
        values: values.collect(),
        name,
        bits,
        domain,
    }
}

/// Whose frame a symbol is.
fn kind(rules: &Rules<'_>, symbol: Head) -> FrameKind {
    FrameKind(rules.frame_of(symbol).map_or(0, |frame| frame.0))
}

/// All frames of a pushdown system hand over the globals, and any symbol may wait for any
/// other.
fn family(rules: &Rules<'_>, kind: FrameKind) -> Family {
    Family(if rules.is_frame_by_kind { kind.0 } else { 0 })
}

fn waiting(rules: &Rules<'_>) -> Vec<Waiting> {
    let waiting = |symbol, above| Waiting {
        symbol,
        kind: kind(rules, symbol),
        above: family(rules, above),
    };
    if !rules.is_frame_by_kind {
        let symbols = (0..rules.symbols).map(Head);
        return symbols
            .map(|symbol| waiting(symbol, FrameKind(0)))
            .collect();
    }
    let pushes = rules.rules.iter().filter_map(|rule| match rule.right {
        Right::Push { first, below, .. } => Some(waiting(below, kind(rules, first))),
        Right::Pop | Right::Step(_) => None,
    });
    pushes.collect()
}

impl Model<'_> {
    /// Whether there are numbers of several bits.
    pub fn is_wide(&self) -> bool {
        self.rules.layout.is_wide()
    }

    /// Every symbol that may be on top, in rising order.
    pub fn symbols(&self) -> impl Iterator<Item = Head> + use<> {
        (0..self.rules.symbols).map(Head)
    }

    /// Whose frame a symbol is.
    pub fn kind(&self, symbol: Head) -> FrameKind {
        kind(self.rules, symbol)
    }

    /// The family that a kind of frames belongs to.
    pub fn family(&self, kind: FrameKind) -> Family {
        family(self.rules, kind)
    }

    /// What is said of a family where there are several.
    pub fn show_family(&self, family: Family) -> Option<String> {
        let name = || self.rules.cells(ProcedureId(family.0)).name.to_owned();
        self.rules.is_frame_by_kind.then(name)
    }

    /// The frame that begins with a symbol.
    pub fn show_entry(&self, symbol: Head) -> String {
        let family = self.show_family(self.family(self.kind(symbol)));
        family.unwrap_or_else(|| self.language.show_symbol(symbol).name)
    }

    /// Where the frame of a waiting symbol goes on.
    pub fn saved(&self, symbol: Head) -> Head {
        let mut rules = self.rules.rules_from(symbol).iter();
        let saved = rules.find_map(|rule| match rule.right {
            Right::Push { saved, below, .. } if below == symbol => Some(saved),
            _ => None,
        });
        saved.unwrap_or(symbol)
    }

    /// The heads without a stack: of failed configurations, and of the empty stack.
    pub fn error(&self) -> Option<Head> {
        self.rules.error
    }

    /// The head of the empty stack, if control can come there.
    pub fn terminated(&self) -> Option<Head> {
        self.rules.empty
    }

    /// The kind of frames that an entry pushes.
    pub fn entered(&self, entry: EntryId) -> FrameKind {
        self.kind(self.spds.entry(entry).head)
    }

    /// What frames of a family hand over when they are popped. A family has the number of
    /// one of its entries.
    pub fn handed(&self, family: Family) -> &[DataVariable] {
        &self.spds.interface(EntryId(family.0)).handed
    }

    /// Where a condition holds, over current variables, of a frame of this kind.
    pub fn holds(&self, condition: &Atom, kind: Option<FrameKind>) -> BddResult {
        let frame = kind.map(|kind| ProcedureId(kind.0));
        truth_in(self.rules, self.copies, condition, frame)
    }

    /// Where all variables of a head (only those of its frame, if `of_frame`) have values of
    /// their domains.
    pub fn valid(&self, head: Head, of_frame: bool) -> BddResult {
        let kind = self.rules.frame_of(head).map(|frame| FrameKind(frame.0));
        let mut rules = self.rules.rules_from(head).iter();
        let scope = match of_frame {
            true => Scope::Frame,
            false if rules.any(|rule| rule.right == Right::Pop) => Scope::Exit,
            false => Scope::Top,
        };
        self.known_valid(kind, scope)
    }

    /// Where all that frames of a family hand over has values of its domains.
    pub fn valid_handed(&self, family: Family) -> BddResult {
        let kind = self.entered(EntryId(family.0));
        self.known_valid(Some(kind), Scope::Handed)
    }

    /// The control state, if there is one.
    pub fn control_state(&self) -> Option<&Variable> {
        let cell = self.rules.state_cell?;
        self.globals.get(cell as usize)
    }

    /// The variables of a frame.
    pub fn locals(&self, kind: FrameKind) -> Vec<Variable> {
        let frame = ProcedureId(kind.0);
        let locals = self.rules.cells(frame).locals.iter().zip(0..);
        let locals = locals.map(|(cell, i)| {
            let name = self.rules.names.text(cell.name).to_owned();
            let bits = self.rules.layout.cell(frame, VariableId::Local(i));
            variable(self.language.subject(), name, cell.domain, bits)
        });
        locals.collect()
    }

    /// The values that frames of a family return.
    pub fn returned(&self, family: Family) -> Vec<Variable> {
        let frame = ProcedureId(self.entered(EntryId(family.0)).0);
        let returns = self.rules.cells(frame).returns.iter().zip(0..);
        let returned = returns.map(|(domain, i)| {
            let name = format!("returns[{i}]");
            let bits = self.rules.layout.returned(frame, i);
            variable(self.language.subject(), name, *domain, bits)
        });
        returned.collect()
    }

    fn known_valid(&self, kind: Option<FrameKind>, scope: Scope) -> BddResult {
        if let Some(known) = self.valid.borrow().get(&(kind, scope)) {
            return Ok(known.clone());
        }
        let mut variables = Vec::new();
        if scope != Scope::Frame {
            variables.extend_from_slice(&self.globals);
        }
        if let Some(kind) = kind {
            if scope != Scope::Handed {
                variables.extend(self.locals(kind));
            }
            if matches!(scope, Scope::Exit | Scope::Handed) {
                variables.extend(self.returned(self.family(kind)));
            }
        }
        let bdds = self.copies.bdds;
        let mut valid = bdds.constant(true);
        for Variable { bits, domain, .. } in &variables {
            let inside = self.copies.valid(bits.clone(), *domain, Copy::Current)?;
            valid = bdds.and(&valid, &inside)?;
        }
        let mut known = self.valid.borrow_mut();
        known.insert((kind, scope), valid.clone());
        Ok(valid)
    }
}
