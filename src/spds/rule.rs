//! The relation of a pushdown system's rule, from its conditions.
//!
//! What a rule keeps is in no relation: it is read where it was before. What is mentioned
//! and does not matter after the step is quantified as soon as no other condition speaks of
//! it, so that relations stay small.

use super::copies::{Copies, Copy};
use super::expression::evaluate;
use crate::analysis::pushdown::{Flow, bits_of, bits_read};
use crate::analysis::{DataVariable, Layout};
use crate::bdd::{Bdd, BddResult, OutOfNodes};
use crate::bits;
use crate::program::{Expression, VariableId, When};
use crate::pushdown::{GroupId, Rule, RuleId, System};

pub struct RuleRelations<'a, 'b> {
    pub system: &'a System,
    pub layout: &'a Layout,
    pub flow: &'a Flow,
    pub copies: &'a Copies<'b>,
}

/// Some conditions together, and what they speak of after the step.
struct Part {
    bdd: Bdd,
    /// In next, and in below copies.
    mentions: [Vec<u64>; 2],
}

impl RuleRelations<'_, '_> {
    /// The conjunction of a rule's conditions, without what it mentions in next and in below
    /// copies beside what is `needed` there.
    pub fn relation(&self, id: RuleId, needed: [&[u64]; 2]) -> BddResult {
        let bdds = self.copies.bdds;
        let conditions = self.flow.conditions(id).iter();
        let parts = conditions.map(|condition| self.part(id, *condition));
        let mut parts = parts.collect::<Result<Vec<_>, _>>()?;
        for (copy, index) in [(Copy::Next, 0), (Copy::Below, 1)] {
            let when = [When::After, When::Below][index];
            let mentioned = bits::members(self.flow.mentioned(id, when));
            for bit in mentioned.filter(|bit| !bits::contains(needed[index], *bit)) {
                let level = self.copies.level(bit, copy);
                self.quantify(&mut parts, index, bit, level)?;
            }
        }
        parts.sort_by_cached_key(|part| bdds.node_count(&part.bdd));
        let mut relation = bdds.constant(true);
        for part in &parts {
            relation = bdds.and(&relation, &part.bdd)?;
        }
        Ok(relation)
    }

    /// Joins the parts that speak of a bit, and lets it go.
    fn quantify(
        &self,
        parts: &mut Vec<Part>,
        index: usize,
        bit: DataVariable,
        level: u32,
    ) -> Result<(), OutOfNodes> {
        let bdds = self.copies.bdds;
        let speaks = |part: &mut Part| bits::contains(&part.mentions[index], bit);
        let mut joined: Option<Part> = None;
        for part in parts.extract_if(.., speaks) {
            joined = Some(match joined {
                None => part,
                Some(mut joined) => {
                    joined.bdd = bdds.and(&joined.bdd, &part.bdd)?;
                    for (to, from) in joined.mentions.iter_mut().zip(&part.mentions) {
                        bits::join(to, from);
                    }
                    joined
                }
            });
        }
        if let Some(mut joined) = joined {
            joined.bdd = bdds.exists(&joined.bdd, &self.copies.cube([level])?)?;
            bits::remove(&mut joined.mentions[index], bit);
            parts.push(joined);
        }
        Ok(())
    }

    fn part(&self, id: RuleId, condition: Expression) -> Result<Part, OutOfNodes> {
        let rule = self.system.rule(id);
        let operations = self.system.expressions.operations(condition);
        let words = self.flow.reads(id).len();
        let mut mentions = [vec![0; words], vec![0; words]];
        for (bits, when) in bits_read(self.system, self.layout, rule, operations) {
            if self.copy(id, bits.start, when) != Copy::Current {
                bits::insert_all(&mut mentions[usize::from(when == When::Below)], bits);
            }
        }
        let bdds = self.copies.bdds;
        let read = |variable, when| Some(self.read(id, rule, variable, when));
        let bdd = evaluate(bdds, operations, read)?.be_one(bdds)?;
        Ok(Part { bdd, mentions })
    }

    /// The copy in which a bit is read: what is kept, where it was.
    fn copy(&self, id: RuleId, first: DataVariable, when: When) -> Copy {
        match when {
            When::Before => Copy::Current,
            When::After | When::Below if self.flow.keeps(id, when, first) => Copy::Current,
            When::After => Copy::Next,
            When::Below => Copy::Below,
        }
    }

    fn read(&self, id: RuleId, rule: &Rule, variable: VariableId, when: When) -> super::Term {
        let group: GroupId = self.system.groups_of(rule)[when as usize];
        let bits = bits_of(self.layout, group, variable);
        let copy = self.copy(id, bits.start, when);
        let domain = self.system.domain(group, variable);
        self.copies.term(bits, domain, copy)
    }
}
