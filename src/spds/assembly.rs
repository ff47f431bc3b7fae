//! The parts of a symbolic pushdown system, collected while it is made.
//!
//! Interfaces and what is quantified on return are shared wherever they are the same.

use super::copies::{Copies, Copy};
use super::interface::make_interface;
use super::{
    Entry, EntryId, Head, Interface, InterfaceId, ResumeId, Right, Rule, RuleId, Spds, Transfer,
    TransferId,
};
use crate::bdd::{Bdd, OutOfNodes};
use crate::bits::{self, BitRows, BitSet};
use crate::index::{IndexVec, Ranges};
use crate::rules::{self, Layout};
use rustc_hash::FxHashMap;

/// What a frame takes over, what of that it cannot change, and what it leaves behind.
pub struct InterfaceVariables<'h> {
    pub key: &'h [u64],
    pub rigid: &'h [u64],
    pub handed: &'h [u64],
    /// Further variables that a pop may leave and nobody needs.
    pub lost: &'h [u64],
}

pub struct Assembly<'a, 'b> {
    copies: &'a Copies<'b>,
    rules: IndexVec<RuleId, Rule>,
    pub entries: IndexVec<EntryId, Entry>,
    interfaces: IndexVec<InterfaceId, Interface>,
    known_interfaces: FxHashMap<Vec<u64>, InterfaceId>,
    resumes: IndexVec<ResumeId, Bdd>,
    known_resumes: FxHashMap<Vec<u64>, ResumeId>,
}

/// What is known once all rules are there.
pub struct Frame {
    pub layout: Layout,
    pub transfers: IndexVec<TransferId, Transfer>,
    /// For each head, the data variables its valuations speak of.
    pub variables: BitRows<Head>,
    pub ranks: IndexVec<Head, u32>,
    pub backward_ranks: IndexVec<Head, u32>,
    pub start: Head,
    pub start_set: Bdd,
    pub bottom: Option<Head>,
    /// The variables that matter below the lowest frame.
    pub bottom_variables: BitSet,
    pub stopped: Vec<Head>,
    pub accepting: Option<Bdd>,
}

impl<'a, 'b> Assembly<'a, 'b> {
    /// With room for so many rules and entries: growing would copy them again and again.
    pub fn new(copies: &'a Copies<'b>, rules: usize, entries: usize) -> Self {
        Assembly {
            copies,
            rules: Vec::with_capacity(rules).into(),
            entries: Vec::with_capacity(entries).into(),
            interfaces: IndexVec::new(),
            known_interfaces: FxHashMap::default(),
            resumes: IndexVec::new(),
            known_resumes: FxHashMap::default(),
        }
    }

    /// Adds the next entry. `initial` constrains variables outside the key, and is different
    /// only if `constrained` is.
    pub fn add_entry(
        &mut self,
        head: Head,
        handing: &InterfaceVariables<'_>,
        constrained: &[u64],
        initial: &Bdd,
    ) -> Result<(), OutOfNodes> {
        let InterfaceVariables {
            key,
            rigid,
            handed,
            lost,
        } = *handing;
        let known = [key, rigid, handed, lost, constrained].concat();
        let interface = match self.known_interfaces.get(&known) {
            Some(interface) => *interface,
            None => {
                let made = make_interface(self.copies, handing, initial)?;
                let interface = self.interfaces.push(made);
                self.known_interfaces.insert(known, interface);
                interface
            }
        };
        self.entries.push(Entry { head, interface });
        Ok(())
    }

    pub fn add_rule(
        &mut self,
        from: Head,
        transfer: TransferId,
        right: Right,
        internal: bool,
        origin: rules::RuleId,
    ) {
        self.rules.push(Rule {
            from,
            transfer,
            right,
            internal,
            origin,
        });
    }

    /// What is quantified when a frame resumes where the variables `needed` matter: see
    /// [`Spds::resumes`].
    pub fn resume(
        &mut self,
        key: &[u64],
        handed: &[u64],
        needed: &[u64],
    ) -> Result<ResumeId, OutOfNodes> {
        let mut unneeded = BitSet::from(handed);
        bits::without(&mut unneeded, needed);
        let known = [key, &unneeded].concat();
        if let Some(resume) = self.known_resumes.get(&known) {
            return Ok(*resume);
        }
        let key = bits::members(key).map(|v| self.copies.level(v, Copy::Next));
        let unneeded = bits::members(&unneeded).map(|v| self.copies.level(v, Copy::Current));
        let resume = self.resumes.push(self.copies.cube(key.chain(unneeded))?);
        self.known_resumes.insert(known, resume);
        Ok(resume)
    }

    pub fn finish(self, frame: Frame) -> Result<Spds, OutOfNodes> {
        let heads = self.rules.iter().map(|rule| rule.from);
        let by_head = Ranges::new(heads, frame.ranks.len());
        let (copies, layout) = (self.copies, &frame.layout);
        let all = 0..layout.len();
        let current = |v| copies.level(v, Copy::Current);
        let entry = |v| copies.level(v, Copy::Entry);
        let is_needed = |v: &u32| bits::contains(&frame.bottom_variables, *v);
        let unneeded = all.clone().filter(|v| !is_needed(v));
        Ok(Spds {
            globals: layout.global_range(),
            ranks: frame.ranks,
            backward_ranks: frame.backward_ranks,
            rules: self.rules,
            by_head,
            transfers: frame.transfers,
            entries: self.entries,
            interfaces: self.interfaces,
            resumes: self.resumes,
            all_current: copies.cube(all.clone().map(current))?,
            all_entry: copies.cube(all.clone().map(entry))?,
            all_current_and_entry: copies
                .cube(all.clone().map(current).chain(all.clone().map(entry)))?,
            variables: frame.variables,
            start: frame.start,
            start_set: frame.start_set,
            bottom: frame.bottom,
            bottom_forget: copies.cube(unneeded.map(current))?,
            stopped: frame.stopped,
            accepting: frame.accepting,
            memory: layout.seen().zip(layout.seen_returned()),
        })
    }
}
