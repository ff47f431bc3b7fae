//! From a pushdown system as its users write it to the symbolic one.
//!
//! Each stack symbol is a head, and control states are data: so there is one control
//! location, as for programs. A symbol that is pushed is an entry. If frames remember
//! acceptance, a push goes on at a *returning* head, from which one internal rule leads to
//! the symbol below. Rules keep their numbers; those of returning heads come after them.
//! Where every configuration counts, the empty stack has a head, too.

use super::assembly::{Assembly, Frame, Handing};
use super::copies::{Copies, Copy};
use super::expression::evaluate;
use super::observer::{Observer, Places};
use super::product::{Memory, Product};
use super::rule::RuleRelations;
use super::transfer::Making;
use super::{EntryId, Head, Right, Spds, Transfer, TransferId};
use crate::analysis::pushdown::{Flow, Frames, Liveness, bits_of};
use crate::analysis::{DataVariable, Layout};
use crate::bdd::{Bdd, BddResult, OutOfNodes};
use crate::bits::{self, BitRows};
use crate::program::{VariableId, When};
use crate::property::Atom;
use crate::pushdown::{self, GroupId, RuleId, SymbolId, System};

/// What the encoding is made from.
pub struct SystemAnalyses<'a> {
    pub layout: &'a Layout,
    pub flow: &'a Flow,
    pub liveness: &'a Liveness,
    pub frames: &'a Frames,
    /// Whether whole configurations are asked for, on all their variables. Then `liveness`
    /// must have everything, the key of a frame is in its entry copies, and the values below
    /// the lowest symbol are kept.
    pub exact: bool,
}

/// The heads of a pushdown system.
#[derive(Clone, Debug)]
pub struct SystemHeads {
    symbols: u32,
    /// The push of each returning head.
    returning: Vec<RuleId>,
    has_empty: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemHead {
    Symbol(SymbolId),
    /// The symbol that this rule pushed is gone, and the one below has yet to go on.
    Returning(RuleId),
    /// The stack is empty.
    Empty,
}

impl SystemHeads {
    fn new(system: &System, analyses: &SystemAnalyses<'_>) -> Self {
        let is_push = |rule: &RuleId| system.rule(*rule).right.second().is_some();
        let pushes = system.rule_ids().filter(is_push);
        SystemHeads {
            symbols: system.symbols.len() as u32,
            returning: match analyses.layout.remembers {
                true => pushes.collect(),
                false => Vec::new(),
            },
            has_empty: analyses.exact,
        }
    }

    pub fn at(&self, symbol: SymbolId) -> Head {
        Head(symbol.0)
    }

    pub fn meaning(&self, head: Head) -> SystemHead {
        match head.0.checked_sub(self.symbols) {
            None => SystemHead::Symbol(SymbolId(head.0)),
            Some(index) => match self.returning.get(index as usize) {
                Some(rule) => SystemHead::Returning(*rule),
                None => SystemHead::Empty,
            },
        }
    }

    /// The head of the empty stack, if there is one.
    pub fn empty(&self) -> Option<Head> {
        let index = self.symbols + self.returning.len() as u32;
        self.has_empty.then_some(Head(index))
    }

    fn returning(&self, rule: RuleId) -> Option<Head> {
        let index = self.returning.binary_search(&rule).ok()?;
        Some(Head(self.symbols + index as u32))
    }

    fn count(&self) -> usize {
        self.symbols as usize + self.returning.len() + usize::from(self.has_empty)
    }
}

/// The symbolic form of a pushdown system, or its product with an observer's automaton, and
/// the meaning of its heads.
pub fn encode_system(
    system: &System,
    analyses: &SystemAnalyses<'_>,
    copies: &Copies<'_>,
    observer: Option<Observer<'_, '_, System>>,
) -> Result<(Spds, SystemHeads), OutOfNodes> {
    let heads = SystemHeads::new(system, analyses);
    let entries = entries(system, analyses);
    let encoder = Encoder {
        variables: Variables::choose(system, analyses, &heads, &entries),
        entry_of: entry_of(system, &entries),
        entries,
        heads,
        system,
        analyses,
        copies,
        product: Product::new(copies, analyses.layout, observer),
        relations: RuleRelations {
            system,
            layout: analyses.layout,
            flow: analyses.flow,
            copies,
        },
        transfers: Vec::new(),
        assembly: Assembly::new(copies),
    };
    encoder.run()
}

/// The symbol that executions begin with, and those that are pushed.
fn entries(system: &System, analyses: &SystemAnalyses<'_>) -> Vec<SymbolId> {
    let mut entries = vec![system.start.symbol];
    for rule in &system.rules {
        if let pushdown::Right::Push(first, _) = rule.right
            && analyses.liveness.is_reachable(rule.from)
        {
            entries.push(first);
        }
    }
    entries.sort_unstable();
    entries.dedup();
    entries
}

fn entry_of(system: &System, entries: &[SymbolId]) -> Vec<Option<EntryId>> {
    let mut entry_of = vec![None; system.symbols.len()];
    for (symbol, id) in entries.iter().zip((0..).map(EntryId)) {
        entry_of[symbol.0 as usize] = Some(id);
    }
    entry_of
}

/// Sets of data variables as bit rows.
struct Variables {
    /// For each head.
    heads: BitRows,
    /// For each entry.
    keys: BitRows,
    rigid: BitRows,
    /// For each symbol, by the number of its frames: what is rigid in some of them.
    baggage: BitRows,
    /// What every pop hands over.
    handed: Vec<u64>,
}

impl Variables {
    fn choose(
        system: &System,
        analyses: &SystemAnalyses<'_>,
        heads: &SystemHeads,
        entries: &[SymbolId],
    ) -> Self {
        let SystemAnalyses {
            layout,
            flow,
            liveness,
            frames,
            exact,
        } = *analyses;
        let width = layout.len() as usize;
        let mut variables = Variables {
            heads: BitRows::new(heads.count(), width),
            keys: BitRows::new(entries.len(), width),
            rigid: BitRows::new(entries.len(), width),
            baggage: BitRows::new(system.symbols.len(), width),
            handed: liveness.handed.clone(),
        };
        // What some push gives a value to.
        let entry_of = entry_of(system, entries);
        for rule in system.rule_ids() {
            let pushed = match system.rule(rule).right {
                pushdown::Right::Push(first, _) => entry_of[first.0 as usize],
                _ => None,
            };
            if let Some(entry) = pushed {
                let row = entry.0 as usize;
                variables.keys.join(row, flow.kept(rule, When::After));
                variables.keys.join(row, flow.mentioned(rule, When::After));
            }
        }
        for (row, symbol) in entries.iter().enumerate() {
            let key = variables.keys.row_mut(row);
            meet(key, liveness.at(*symbol));
            let rigid = variables.rigid.row_mut(row);
            if !exact {
                bits::join(rigid, key);
                meet(rigid, frames.stable(*symbol));
                without(rigid, &liveness.handed);
            }
            layout.state_range().for_each(|bit| bits::insert(key, bit));
            let number = frames.number(*symbol) as usize;
            variables.baggage.join(number, rigid);
        }
        for symbol in system.symbol_ids() {
            let row = heads.at(symbol).0 as usize;
            variables.heads.join(row, liveness.at(symbol));
            let baggage = variables.baggage.row(frames.number(symbol) as usize);
            variables.heads.join(row, baggage);
            let automaton = layout.state_range().chain(layout.seen());
            automaton.for_each(|bit| bits::insert(variables.heads.row_mut(row), bit));
        }
        for rule in &heads.returning {
            if let (Some(second), Some(head)) =
                (system.rule(*rule).right.second(), heads.returning(*rule))
            {
                let row = head.0 as usize;
                variables.heads.join_rows(row, heads.at(second).0 as usize);
                let seen = layout.seen_returned().into_iter();
                seen.for_each(|bit| bits::insert(variables.heads.row_mut(row), bit));
            }
        }
        if let Some(empty) = heads.empty() {
            variables.heads.join(empty.0 as usize, &liveness.handed);
        }
        let automaton = layout.state_range().chain(layout.seen_returned());
        automaton.for_each(|bit| bits::insert(&mut variables.handed, bit));
        variables
    }

    fn at(&self, head: Head) -> &[u64] {
        self.heads.row(head.0 as usize)
    }
}

fn meet(set: &mut [u64], other: &[u64]) {
    for (word, other) in set.iter_mut().zip(other) {
        *word &= other;
    }
}

fn without(set: &mut [u64], other: &[u64]) {
    for (word, other) in set.iter_mut().zip(other) {
        *word &= !other;
    }
}

struct Encoder<'a, 'b> {
    system: &'a System,
    analyses: &'a SystemAnalyses<'a>,
    copies: &'a Copies<'b>,
    heads: SystemHeads,
    entries: Vec<SymbolId>,
    entry_of: Vec<Option<EntryId>>,
    variables: Variables,
    product: Product<'a, 'b, System>,
    relations: RuleRelations<'a, 'b>,
    transfers: Vec<Transfer>,
    assembly: Assembly<'a, 'b>,
}

/// What becomes of the variables that matter where a rule leads: which are set by its
/// relation, and which may have any value. All others are kept.
struct Fates {
    set: Vec<DataVariable>,
    arbitrary: Vec<DataVariable>,
}

impl Encoder<'_, '_> {
    fn run(mut self) -> Result<(Spds, SystemHeads), OutOfNodes> {
        let memory = self.product.initial_memory()?;
        for (row, symbol) in self.entries.iter().enumerate() {
            let rigid = self.variables.rigid.row(row);
            let number = self.analyses.frames.number(*symbol) as usize;
            let mut lost = self.variables.baggage.row(number).to_vec();
            without(&mut lost, rigid);
            without(&mut lost, &self.variables.handed);
            let handing = Handing {
                key: self.variables.keys.row(row),
                rigid,
                handed: &self.variables.handed,
                lost: &lost,
            };
            let head = self.heads.at(*symbol);
            self.assembly.add_entry(head, &handing, &[], &memory)?;
        }
        for rule in self.system.rule_ids() {
            self.encode_rule(rule)?;
        }
        for index in 0..self.heads.returning.len() {
            self.encode_returning(self.heads.returning[index])?;
        }
        self.finish()
    }

    fn add_transfer(&mut self, transfer: Transfer) -> TransferId {
        self.transfers.push(transfer);
        TransferId(self.transfers.len() as u32 - 1)
    }

    fn encode_rule(&mut self, id: RuleId) -> Result<(), OutOfNodes> {
        let rule = self.system.rule(id);
        let from = self.heads.at(rule.from);
        let (right, transfer) = match rule.right {
            pushdown::Right::Pop => self.pop(id, from)?,
            pushdown::Right::Step(to) => self.step(id, from, to)?,
            pushdown::Right::Push(first, second) => self.push(id, from, first, second)?,
        };
        let transfer = self.add_transfer(transfer);
        self.assembly.add_rule(from, transfer, right, false);
        Ok(())
    }

    /// The conditions of a rule together with what the automaton does; false for a rule
    /// that is never looked at.
    fn relation(&mut self, id: RuleId, memory: Memory, needed: [&[u64]; 2]) -> BddResult {
        let bdds = self.copies.bdds;
        let from = self.system.rule(id).from;
        if !self.analyses.liveness.is_reachable(from) {
            return Ok(bdds.constant(false));
        }
        let relation = self.relations.relation(id, needed)?;
        match self.product.watch(from, memory)? {
            Some(number) => bdds.and(&relation, self.product.moves(number)),
            None => Ok(relation),
        }
    }

    /// What becomes of `after`, the variables that matter where a rule leads. `live` are
    /// those whose values matter there; any others may as well keep theirs.
    fn fates(&self, id: RuleId, when: When, after: &[u64], live: &[u64]) -> Fates {
        let flow = self.analyses.flow;
        let before = self.variables.at(self.heads.at(self.system.rule(id).from));
        let mut fates = Fates {
            set: Vec::new(),
            arbitrary: Vec::new(),
        };
        for bit in bits::members(after) {
            let constant = bits::contains(&self.analyses.liveness.constant, bit);
            let kept = constant || flow.keeps(id, when, bit) || !bits::contains(live, bit);
            if bits::contains(flow.mentioned(id, when), bit) {
                fates.set.push(bit);
            } else if !kept || !bits::contains(before, bit) {
                fates.arbitrary.push(bit);
            }
        }
        fates
    }

    fn making<'m>(&'m self, from: Head, relation: Bdd) -> Making<'m, 'm> {
        Making {
            copies: self.copies,
            before: self.variables.at(from),
            relation,
        }
    }

    fn step(
        &mut self,
        id: RuleId,
        from: Head,
        to: SymbolId,
    ) -> Result<(Right, Transfer), OutOfNodes> {
        let after = self.program_part(self.variables.at(self.heads.at(to)));
        let relation = self.relation(id, Memory::Step, [&after, &[]])?;
        let live = self.analyses.liveness.at(to);
        let mut fates = self.fates(id, When::After, &after, live);
        fates.set.extend(self.product.set_by(Memory::Step));
        let all = self.variables.at(self.heads.at(to));
        let making = self.making(from, relation);
        let transfer = making.step(all, &fates.set, &fates.arbitrary)?;
        Ok((Right::Step(self.heads.at(to)), transfer))
    }

    /// Without the automaton's variables.
    fn program_part(&self, set: &[u64]) -> Vec<u64> {
        let mut part = set.to_vec();
        let layout = self.analyses.layout;
        bits::remove_all(&mut part, layout.state_bit(0)..layout.len());
        part
    }

    fn pop(&mut self, id: RuleId, from: Head) -> Result<(Right, Transfer), OutOfNodes> {
        let symbol = self.system.rule(id).from;
        let number = self.analyses.frames.number(symbol) as usize;
        let mut all = self.variables.handed.clone();
        bits::join(&mut all, self.variables.baggage.row(number));
        // What is rigid is the value at entry, whatever the pop makes of it.
        let after = self.program_part(&self.variables.handed);
        let relation = self.relation(id, Memory::Pop, [&after, &[]])?;
        let live = &self.analyses.liveness.handed;
        let mut fates = self.fates(id, When::After, &after, live);
        fates.set.extend(self.product.set_by(Memory::Pop));
        let making = self.making(from, relation);
        let transfer = making.step(&all, &fates.set, &fates.arbitrary)?;
        // All interfaces hand over the same.
        Ok((Right::Pop { interface: 0 }, transfer))
    }

    fn push(
        &mut self,
        id: RuleId,
        from: Head,
        first: SymbolId,
        second: SymbolId,
    ) -> Result<(Right, Transfer), OutOfNodes> {
        let (copies, bdds) = (self.copies, self.copies.bdds);
        let flow = self.analyses.flow;
        let saved = self.heads.returning(id);
        let saved = saved.unwrap_or(self.heads.at(second));
        // A rule that is never looked at may push what is never pushed.
        let entry = self.entry_of[first.0 as usize].unwrap_or(EntryId(0));
        let key = self.variables.keys.row(entry.0 as usize).to_vec();
        let mut kept = self.variables.at(saved).to_vec();
        without(&mut kept, &self.variables.handed);
        let below = self.program_part(&kept);
        let mut relation = self.relation(id, Memory::Push, [&key, &below])?;
        let mut passed = self.product.set_by(Memory::Push);
        for bit in bits::members(&self.program_part(&key)) {
            if flow.keeps(id, When::After, bit) {
                let current = copies.variable(bit, Copy::Current);
                let same = bdds.equivalent(&current, &copies.variable(bit, Copy::Next))?;
                relation = bdds.and(&relation, &same)?;
                passed.push(bit);
            } else if bits::contains(flow.mentioned(id, When::After), bit) {
                passed.push(bit);
            }
        }
        let live = self.analyses.liveness.at(second);
        let fates = self.fates(id, When::Below, &below, live);
        let making = self.making(from, relation);
        let transfer = making.push(&key, &passed, &kept, &fates.set, &fates.arbitrary)?;
        let needed = self.variables.heads.row(saved.0 as usize);
        let right = Right::Push {
            entry,
            saved,
            below: self.heads.at(second),
            resume: self.assembly.resume(&key, &self.variables.handed, needed)?,
        };
        Ok((right, transfer))
    }

    /// The internal rule after a return: it puts together what both frames have seen.
    fn encode_returning(&mut self, id: RuleId) -> Result<(), OutOfNodes> {
        let rule = self.system.rule(id);
        let (Some(second), Some(from)) = (rule.right.second(), self.heads.returning(id)) else {
            return Ok(());
        };
        let number = self.product.watch(rule.from, Memory::Return)?;
        let relation = match number {
            Some(number) => self.product.moves(number).clone(),
            None => self.copies.bdds.constant(true),
        };
        let set = self.product.set_by(Memory::Return);
        let to = self.heads.at(second);
        let making = self.making(from, relation);
        let transfer = making.step(self.variables.at(to), &set, &[])?;
        let transfer = self.add_transfer(transfer);
        self.assembly
            .add_rule(from, transfer, Right::Step(to), true);
        Ok(())
    }

    fn finish(self) -> Result<(Spds, SystemHeads), OutOfNodes> {
        let bdds = self.copies.bdds;
        let mut start_set = self.start_set()?;
        let mut accepting = None;
        if let Some(observer) = &self.product.observer {
            start_set = bdds.and(&start_set, &observer.initial()?)?;
            start_set = bdds.and(&start_set, &self.product.initial_memory()?)?;
            accepting = Some(observer.accepting(Copy::Current)?);
        }
        let bottom = self.heads.empty();
        let frame = Frame {
            bottom_variables: match bottom {
                Some(_) => self.variables.handed.clone(),
                None => vec![0; self.variables.handed.len()],
            },
            // A configuration with an empty stack has no successor: no check asks for it.
            bottom,
            layout: self.analyses.layout.clone(),
            ranks: self.ranks(false),
            backward_ranks: self.ranks(true),
            transfers: self.transfers,
            variables: self.variables.heads,
            start: self.heads.at(self.system.start.symbol),
            start_set,
            stopped: Vec::new(),
            accepting,
        };
        Ok((self.assembly.finish(frame)?, self.heads))
    }

    /// The values that executions begin with, as far as they matter.
    fn start_set(&self) -> BddResult {
        let (bdds, copies, system) = (self.copies.bdds, self.copies, self.system);
        let group = system.symbol(system.start.symbol).group;
        let mut set = bdds.constant(true);
        for condition in &system.start.conditions {
            let operations = system.expressions.operations(*condition);
            let read = |variable, _| {
                let bits = bits_of(self.analyses.layout, group, variable);
                Some(copies.term(bits, system.domain(group, variable), Copy::Current))
            };
            let holds = evaluate(bdds, operations, read)?.be_one(bdds)?;
            set = bdds.and(&set, &holds)?;
        }
        let live = self.analyses.liveness.at(system.start.symbol);
        let all = 0..self.analyses.layout.len();
        let dead = all.filter(|bit| !bits::contains(live, *bit));
        let dead = copies.cube(dead.map(|bit| copies.level(bit, Copy::Current)))?;
        bdds.exists(&set, &dead)
    }

    fn ranks(&self, backward: bool) -> Vec<u32> {
        let mut ranks = vec![0; self.heads.count()];
        let place = |symbol: SymbolId, rank: u32, ranks: &mut Vec<u32>| {
            ranks[self.heads.at(symbol).0 as usize] = rank;
            for rule in self.system.rules_of(symbol) {
                if let Some(returning) = self.heads.returning(rule) {
                    ranks[returning.0 as usize] = if backward { rank - 1 } else { rank + 1 };
                }
            }
        };
        let order = self.analyses.frames.order.iter().zip(0..);
        for (symbol, i) in order {
            let count = self.analyses.frames.order.len() as u32;
            let rank = if backward { count - i } else { i };
            place(*symbol, 2 * rank + 2, &mut ranks);
        }
        ranks
    }
}

impl Places for System {
    type Place = SymbolId;

    fn known(&self, atoms: &[Atom], symbol: SymbolId) -> Vec<u8> {
        let mut known = Vec::new();
        for atom in atoms {
            match atom {
                Atom::OnTop(symbols) => known.push(u8::from(symbols.contains(&symbol))),
                _ => known.extend(self.symbol(symbol).group.0.to_le_bytes()),
            }
        }
        known
    }

    fn truth(
        &self,
        copies: &Copies<'_>,
        layout: &Layout,
        atom: &Atom,
        symbol: SymbolId,
    ) -> BddResult {
        let bdds = copies.bdds;
        let conditions = match atom {
            Atom::Conditions(conditions) => conditions,
            Atom::OnTop(symbols) => return Ok(bdds.constant(symbols.contains(&symbol))),
            _ => return Ok(bdds.constant(false)),
        };
        let group: GroupId = self.symbol(symbol).group;
        let read = |variable: VariableId, _| {
            let bits = bits_of(layout, group, variable);
            Some(copies.term(bits, self.domain(group, variable), Copy::Current))
        };
        evaluate(bdds, &conditions[group.0 as usize], read)?.be_one(bdds)
    }
}
