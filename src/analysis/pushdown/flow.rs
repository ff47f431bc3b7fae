//! What each rule does to each bit: reads it, keeps it, mentions it, or leaves it open.
//!
//! A condition "`x'` is `x`" *keeps* `x`, if both have the same bits; it then takes no part
//! in the rule's relation, and wherever else `x'` is read, `x` is meant. All other
//! conditions are the relation: what they read before the step they *read*, what they read
//! after it they *mention*.

use super::bits_of;
use crate::analysis::{DataVariable, Layout};
use crate::bits::{self, BitRows};
use crate::program::{Expression, Operation, VariableId, When};
use crate::pushdown::{Rule, RuleId, System};
use std::ops::Range;

pub struct Flow {
    /// For each rule: what is read before the step.
    reads: BitRows,
    /// For each rule: what is kept in the first symbol and the globals, or in the second.
    kept: [BitRows; 2],
    /// For each rule: what the relation mentions there.
    mentioned: [BitRows; 2],
    /// For each rule, the conditions of its relation.
    conditions: Vec<Box<[Expression]>>,
}

/// The bits of every cell that operations may read, and when.
pub fn bits_read<'o>(
    system: &'o System,
    layout: &'o Layout,
    rule: &Rule,
    operations: &'o [Operation],
) -> impl Iterator<Item = (Range<DataVariable>, When)> + 'o {
    let groups = system.groups_of(rule);
    let reads = operations.iter().filter_map(Operation::cells_read);
    reads.flat_map(move |(first, count, when)| {
        let cell = move |k| (bits_of(layout, groups[when as usize], first.plus(k)), when);
        (0..count).map(cell)
    })
}

impl Flow {
    pub fn of(system: &System, layout: &Layout) -> Self {
        let rows = || BitRows::new(system.rules.len(), layout.len() as usize);
        let mut flow = Flow {
            reads: rows(),
            kept: [rows(), rows()],
            mentioned: [rows(), rows()],
            conditions: Vec::with_capacity(system.rules.len()),
        };
        for id in system.rule_ids() {
            flow.add_rule(system, layout, id);
        }
        flow
    }

    fn add_rule(&mut self, system: &System, layout: &Layout, id: RuleId) {
        let rule = system.rule(id);
        let row = id.0 as usize;
        let mut conditions = Vec::new();
        for condition in &rule.relation {
            match kept_bits(system, layout, rule, *condition) {
                Some((bits, when)) => {
                    bits::insert_all(self.kept[after(when)].row_mut(row), bits);
                }
                None => conditions.push(*condition),
            }
        }
        for condition in &conditions {
            let operations = system.expressions.operations(*condition);
            for (bits, when) in bits_read(system, layout, rule, operations) {
                let is_kept =
                    when != When::Before && bits.clone().all(|bit| self.keeps(id, when, bit));
                match when != When::Before && !is_kept {
                    true => bits::insert_all(self.mentioned[after(when)].row_mut(row), bits),
                    false => bits::insert_all(self.reads.row_mut(row), bits),
                }
            }
        }
        self.conditions.push(conditions.into());
    }

    pub fn reads(&self, rule: RuleId) -> &[u64] {
        self.reads.row(rule.0 as usize)
    }

    /// What a rule keeps in the first symbol on the right and the globals, or in the second.
    pub fn kept(&self, rule: RuleId, when: When) -> &[u64] {
        self.kept[after(when)].row(rule.0 as usize)
    }

    pub fn keeps(&self, rule: RuleId, when: When, bit: DataVariable) -> bool {
        // A cell without bits may stand behind the last one.
        let kept = self.kept(rule, when);
        (bit as usize) < kept.len() * u64::BITS as usize && bits::contains(kept, bit)
    }

    /// What the relation of a rule says something about there.
    pub fn mentioned(&self, rule: RuleId, when: When) -> &[u64] {
        self.mentioned[after(when)].row(rule.0 as usize)
    }

    /// The conditions of a rule that are more than "this is kept".
    pub fn conditions(&self, rule: RuleId) -> &[Expression] {
        &self.conditions[rule.0 as usize]
    }
}

fn after(when: When) -> usize {
    match when {
        When::Before | When::After => 0,
        When::Below => 1,
    }
}

/// The bits that a condition keeps, if that is all it says.
fn kept_bits(
    system: &System,
    layout: &Layout,
    rule: &Rule,
    condition: Expression,
) -> Option<(Range<DataVariable>, When)> {
    let kept = system.kept_by(condition)?;
    let groups = system.groups_of(rule);
    let place = |variable: VariableId, when: When| {
        let group = groups[when as usize];
        (
            bits_of(layout, group, variable),
            system.domain(group, variable),
        )
    };
    let (before, after) = (
        place(kept.before, When::Before),
        place(kept.after, kept.when),
    );
    (before == after).then_some((after.0, kept.when))
}
