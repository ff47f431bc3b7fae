//! Tuples of a relation: how many there are, and the smallest ones in source terms.
//!
//! A state is shown as its place, then its globals, then its locals: `main:12 g=1 x=0`. Tuples
//! are ordered by what is shown, from the left. Listing costs one BDD operation for each bit of
//! each tuple that is shown.

use super::domain::{Domain, DomainId, Domains, Leaf, STATE};
use super::equations::Relation;
use super::levels::Levels;
use super::plan::RelationPlan;
use super::program::{ProgramRelations, Scope};
use crate::bdd::{Bdd, Level};
use crate::program::{PointId, VariableId};
use crate::rules::DataVariable;
use crate::watch::{Stop, Watch};
use rustc_hash::FxHashMap;

/// Shows tuples of relations on a program.
pub struct Listing<'a> {
    relations: &'a ProgramRelations<'a>,
    domains: &'a Domains,
    levels: &'a Levels,
    /// How each point is called.
    points: Vec<String>,
}

impl<'a> Listing<'a> {
    pub fn new(
        relations: &'a ProgramRelations<'a>,
        domains: &'a Domains,
        levels: &'a Levels,
    ) -> Self {
        Listing {
            points: points(relations),
            relations,
            domains,
            levels,
        }
    }

    /// The smallest tuples, at most `most`.
    pub fn tuples(
        &self,
        relation: &Relation,
        plan: &RelationPlan,
        value: &Bdd,
        most: usize,
        watch: &Watch,
    ) -> Result<Vec<String>, Stop> {
        let mut levels: Vec<Level> = Vec::new();
        for range in &plan.parameters {
            let mut leaves: Vec<_> = (0..).zip(&*range.leaves).collect();
            // In a state, globals are shown before locals.
            for state in &range.states {
                leaves.swap(*state as usize + 1, *state as usize + 2);
            }
            let tracks = leaves.iter().map(|(_, (track, _))| *track);
            levels.extend(tracks.flat_map(|track| self.levels.of(track)));
        }
        let mut shown = Vec::new();
        let mut path: Vec<(Level, bool)> = Vec::new();
        let mut open = vec![(value.clone(), 0, false)];
        let bdds = self.relations.copies.bdds;
        while let Some((set, depth, bit)) = open.pop() {
            watch.check()?;
            if shown.len() == most {
                break;
            }
            if depth > 0 {
                path.truncate(depth - 1);
                path.push((levels[depth - 1], bit));
            }
            if bdds.is_false(&set) {
                continue;
            }
            let Some(level) = levels.get(depth) else {
                let values = path.iter().copied().collect();
                shown.push(self.show(relation, plan, &values));
                continue;
            };
            let variable = bdds.variable(*level);
            open.push((bdds.and(&set, &variable)?, depth + 1, true));
            open.push((bdds.difference(&set, &variable)?, depth + 1, false));
        }
        Ok(shown)
    }

    fn show(
        &self,
        relation: &Relation,
        plan: &RelationPlan,
        values: &FxHashMap<Level, bool>,
    ) -> String {
        let parameters = relation.variables.iter().zip(&plan.parameters);
        let shown = parameters.map(|(variable, range)| {
            let bits = range.leaves.iter().map(|(track, leaf)| {
                let bits = self.levels.of(*track).iter();
                (*leaf, bits.map(|level| values[level]).collect())
            });
            let leaves: Vec<(Leaf, Vec<bool>)> = bits.collect();
            let mut rest = &leaves[..];
            self.value(variable.domain, &mut rest)
        });
        let shown: Vec<_> = shown.collect();
        shown.join(", ")
    }

    /// Takes the leaves of a value off the front. (Domains are not deep.)
    fn value(&self, domain: DomainId, rest: &mut &[(Leaf, Vec<bool>)]) -> String {
        if let (STATE, [(_, point), (_, locals), (_, globals), others @ ..]) = (domain, *rest) {
            *rest = others;
            return self.state(point, locals, globals);
        }
        let list = |shown: Vec<String>| shown.join(", ");
        match self.domains.get(domain) {
            Domain::Record(fields) => {
                let fields = fields.iter();
                let fields =
                    fields.map(|(name, field)| format!("{name}: {}", self.value(*field, rest)));
                format!("{{{}}}", list(fields.collect()))
            }
            Domain::Array { low, high, element } => {
                let elements = (*low..=*high).map(|_| self.value(*element, rest));
                format!("[{}]", list(elements.collect()))
            }
            _ => {
                let Some(((leaf, bits), others)) = rest.split_first() else {
                    return String::new();
                };
                *rest = others;
                match leaf {
                    Leaf::Number { low, .. } => (low + i128::from(number(bits))).to_string(),
                    Leaf::Point => self.point(bits).1,
                    Leaf::Globals => self.globals(bits),
                    Leaf::Locals => {
                        let bits = bits.iter().map(|bit| if *bit { '1' } else { '0' });
                        bits.collect()
                    }
                }
            }
        }
    }

    fn point(&self, bits: &[bool]) -> (u32, String) {
        let point = number(bits) as u32;
        let name = self.points.get(point as usize).cloned();
        (point, name.unwrap_or_default())
    }

    fn state(&self, point: &[bool], locals: &[bool], globals: &[bool]) -> String {
        let (point, mut shown) = self.point(point);
        let globals = self.globals(globals);
        let locals = self.locals(self.relations.scope(point), locals);
        for part in [globals, locals] {
            if !part.is_empty() {
                shown.push(' ');
                shown.push_str(&part);
            }
        }
        shown
    }

    fn globals(&self, bits: &[bool]) -> String {
        let program = self.relations.program;
        let names = program.globals.iter().zip(0..);
        let shown = names.map(|(cell, index)| {
            let first = self.relations.dimensions.globals.start;
            let range = self.relations.rules.layout.global(index);
            let bits = &bits[(range.start - first) as usize..(range.end - first) as usize];
            format!("{}={}", program.names.text(cell.name), least_first(bits))
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    /// The variables of a frame, and at an exit point what it returns.
    fn locals(&self, scope: Scope, bits: &[bool]) -> String {
        let Scope::Frame(frame, _) = scope else {
            return String::new();
        };
        let id = frame.procedure;
        let relations = self.relations;
        let (layout, program) = (&relations.rules.layout, relations.program);
        let value = |range: std::ops::Range<DataVariable>| {
            let place =
                |bit: DataVariable| relations.dimensions.locals.iter().position(|l| *l == bit);
            let bits: Vec<bool> = range.filter_map(place).map(|place| bits[place]).collect();
            least_first(&bits)
        };
        let locals = (0..frame.locals).map(|local| {
            let variable = VariableId::Local(local);
            let name = program.variable_name(id, variable);
            format!("{name}={}", value(layout.cell(id, variable)))
        });
        let returned = (0..frame.returned)
            .map(|index| format!("returns[{index}]={}", value(layout.returned(id, index))));
        locals.chain(returned).collect::<Vec<_>>().join(" ")
    }
}

/// A number whose most significant bit comes first.
fn number(bits: &[bool]) -> u64 {
    bits.iter()
        .fold(0, |number, bit| number << 1 | u64::from(*bit))
}

fn least_first(bits: &[bool]) -> u64 {
    let bits = bits.iter().rev();
    bits.fold(0, |number, bit| number << 1 | u64::from(*bit))
}

/// The names of all points: procedure and line, and the column where a line has several.
fn points(relations: &ProgramRelations<'_>) -> Vec<String> {
    let program = relations.program;
    let mut lines: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let ids = || (0..program.points.len() as u32).map(PointId);
    let line = |id: PointId| (program.point(id).procedure.0, program.position_of(id).line);
    let is_exit = |id: PointId| program.procedure_of(id).exit() == id;
    for id in ids().filter(|id| !is_exit(*id)) {
        *lines.entry(line(id)).or_default() += 1;
    }
    let name = |id: PointId| {
        let procedure = program.names.text(program.procedure_of(id).name);
        let position = program.position_of(id);
        match lines.get(&line(id)) {
            _ if is_exit(id) => format!("{procedure}:exit"),
            Some(2..) => format!("{procedure}:{}:{}", position.line, position.column),
            _ => format!("{procedure}:{}", position.line),
        }
    };
    let stopped = ["error", "terminated"].map(str::to_owned);
    ids().map(name).chain(stopped).collect()
}
