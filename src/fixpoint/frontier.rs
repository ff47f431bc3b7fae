//! Rounds that are written by hand: a cycle that looks only at what its last round found is the
//! monotone cycle without that look.
//!
//! A relation `S` keeps its slice c if one disjunct of its body is `S(c, x, …, z)`, with its own
//! parameters but for the first (or another) place, and every other disjunct says that this place
//! is c. Then the slice only grows from round to round, and any other slice is the slice c of the
//! round before. So `F(p) = exists …. (S(c, …) & !S(d, …) & v.pc = p)` holds where the last round
//! found something: such a relation is a *frontier*. Let all other relations H of the cycle be
//! least fixed points, and every clause (the disjuncts, multiplied out) use `S` in its slice c
//! and H, positively, in one of these ways:
//! * with nothing of the cycle;
//! * with one H alone;
//! * with some `S`, and guards: disjunctions of which for each of these `S` one says that the
//!   frontier holds of its point.
//!
//! **The limit of `S` is its value in the same equations with every guard true.** The rounds stay
//! below that, since guards only take away. And whatever follows without guards is found: of the
//! premises of a clause of the third kind, consider the round in which the last one was found. In
//! the next one all are there, the frontier holds of the point of that last one, and so do the
//! guards. What is found of H by the second kind is found in the same round. In the limit all
//! slices are equal, with guards and without. If the cycle is entered through `S` alone, nothing
//! else of it is ever seen. (`efopt.mu` is written so; without its guards it is monotone, and
//! computed from what is new.)
//!
//! Linear in the formulas, but for the clauses, of which there may be few.

use super::equations::{Argument, Equations, Formula, FormulaId, LeafRef, Relation, RelationId};
use super::graph::{Graph, Strategy};
use super::slices::Slice;
use super::tree::{Comparison, Fixpoint};

/// More clauses than this are not looked at.
const MOST_CLAUSES: usize = 64;

/// A relation with a slice that it keeps.
struct Kept {
    relation: usize,
    slice: Slice,
}

/// A relation that says where the last round found something: at this argument of what is kept.
struct Frontier {
    relation: usize,
    argument: usize,
}

/// The equations with all guards true that change nothing which is asked for, if there are any.
pub fn without_guards(equations: &Equations, asked: &[RelationId]) -> Option<Equations> {
    let graph = Graph::of(equations);
    let asked: Vec<usize> = asked.iter().map(|id| id.0 as usize).collect();
    let components = graph.components(&asked, &[]);
    let mut guards = Vec::new();
    for members in &components {
        if graph.is_cyclic(members) && graph.strategy(members) == Strategy::Nested {
            let others = components.iter().flatten().copied();
            let others = others.filter(|other| !members.contains(other));
            let mut seen: Vec<usize> = others
                .flat_map(|other| &graph.successors[other])
                .chain(&asked)
                .copied()
                .filter(|seen| members.contains(seen))
                .collect();
            seen.sort_unstable();
            seen.dedup();
            let cycle = Cycle { equations, members };
            guards.extend(cycle.guards(&seen).unwrap_or_default());
        }
    }
    if guards.is_empty() {
        return None;
    }
    let mut without = equations.clone();
    for guard in guards {
        without.formulas[guard.0 as usize] = Formula::Constant(true);
    }
    Some(without)
}

struct Cycle<'a> {
    equations: &'a Equations,
    members: &'a [usize],
}

impl Cycle<'_> {
    /// The guards of the cycle, if it is as described, and only what is kept is seen from
    /// outside.
    fn guards(&self, seen: &[usize]) -> Option<Vec<FormulaId>> {
        let mut relations = self.members.iter().map(|m| &self.equations.relations[*m]);
        if !relations.all(|relation| relation.fixpoint() == Some(Fixpoint::Least)) {
            return None;
        }
        let [relation] = seen else {
            return None;
        };
        let kept = self.kept(*relation)?;
        let mut frontiers = self.members.iter().filter_map(|m| self.frontier(*m, &kept));
        let (frontier, None) = (frontiers.next()?, frontiers.next()) else {
            return None;
        };
        let mut guards = Vec::new();
        for member in self.members {
            if *member == frontier.relation {
                continue;
            }
            let body = self.equations.relations[*member].body?;
            for clause in self.clauses(body, &frontier)? {
                let is_keeping = *member == kept.relation
                    && matches!(clause[..], [only] if self.equations.kept_slice(kept.relation, only).is_some());
                if !is_keeping {
                    guards.extend(self.guards_of(&clause, &kept, &frontier)?);
                }
            }
        }
        Some(guards)
    }

    /// The slice that a relation keeps.
    fn kept(&self, relation: usize) -> Option<Kept> {
        let known = &self.equations.relations[relation];
        let disjuncts = self.equations.disjuncts(known.body?);
        let slice = |part: &FormulaId| self.equations.kept_slice(relation, *part);
        let kept = disjuncts.iter().find_map(slice)?;
        let mut all = disjuncts.iter();
        let is_known = all.all(|part| match slice(part) {
            Some(other) => other == kept,
            None => self.equations.is_in_slice(relation, kept, *part),
        });
        is_known.then_some(Kept {
            relation,
            slice: kept,
        })
    }

    /// Whether a relation is a frontier of what is kept.
    fn frontier(&self, relation: usize, kept: &Kept) -> Option<Frontier> {
        let known = &self.equations.relations[relation];
        let mut parameters = known.parameter_leaves();
        let (Some((point, kind)), None) = (parameters.next(), parameters.next()) else {
            return None;
        };
        let conjuncts = self
            .equations
            .flattened(known.body?, |formula| match formula {
                Formula::And(parts) => Some(&parts[..]),
                Formula::Quantified {
                    exists: true, body, ..
                } => Some(std::slice::from_ref(body)),
                _ => None,
            });
        let (mut now, mut before, mut place) = (None, None, None);
        if conjuncts.len() != 3 {
            return None;
        }
        for conjunct in conjuncts {
            match self.equations.formula(conjunct) {
                Formula::Apply { .. } => now = self.equations.applied(conjunct, kept.relation),
                Formula::Not(inner) => before = self.equations.applied(*inner, kept.relation),
                Formula::Same(one, other) => place = other_of([*one, *other], point),
                Formula::Compare(Comparison::Equal, one, other)
                    if one.offset == 0 && other.offset == 0 =>
                {
                    place = other_of([one.leaf?, other.leaf?], point);
                }
                _ => return None,
            }
        }
        let (now, before, place) = (now?, before?, place?);
        let is_slice = |argument: Argument| argument == Argument::Number(kept.slice.value);
        let are_slices = is_slice(now[kept.slice.place])
            && matches!(before[kept.slice.place], Argument::Number(_))
            && !is_slice(before[kept.slice.place]);
        if !are_slices || !self.is_any_tuple(known, now, before, kept) {
            return None;
        }
        let argument = now
            .iter()
            .position(|argument| *argument == Argument::Leaf(place))?;
        // A frontier of fewer values would not hold of the others.
        let mut leaves = self.equations.relations[kept.relation].parameter_leaves();
        let has_all = leaves.nth(argument).is_some_and(|(_, leaf)| leaf == kind);
        has_all.then_some(Frontier { relation, argument })
    }

    /// Whether two applications of what is kept have the same arguments, but for the slice, and
    /// these are variables of a quantifier, each once, over the same domains as the parameters.
    fn is_any_tuple(
        &self,
        of: &Relation,
        now: &[Argument],
        before: &[Argument],
        kept: &Kept,
    ) -> bool {
        let relation = &self.equations.relations[kept.relation];
        let mut used = Vec::new();
        let mut first = 0;
        for parameter in &relation.variables[..relation.parameters as usize] {
            let places = first..first + parameter.leaves.len();
            first = places.end;
            if places.contains(&kept.slice.place) {
                if places.len() != 1 {
                    return false;
                }
                continue;
            }
            let Some(Argument::Leaf(LeafRef { variable, .. })) = now.get(places.start) else {
                return false;
            };
            let is_row = (0..).zip(places.clone()).all(|(leaf, place)| {
                let variable = *variable;
                now[place] == before[place]
                    && now[place] == Argument::Leaf(LeafRef { variable, leaf })
            });
            let is_bound = *variable >= of.parameters && !used.contains(variable);
            let has_domain = of.variables[*variable as usize].domain == parameter.domain;
            if !is_row || !is_bound || !has_domain {
                return false;
            }
            used.push(*variable);
        }
        true
    }

    /// The clauses of a formula, each a list of conjuncts. What speaks of frontiers alone, or of
    /// nothing in the cycle, is one conjunct. (Formulas are not deep.)
    fn clauses(&self, id: FormulaId, frontier: &Frontier) -> Option<Vec<Vec<FormulaId>>> {
        let formula = self.equations.formula(id);
        let is_other = |member: usize| member != frontier.relation;
        if !self.mentions(id, is_other) || matches!(formula, Formula::Apply { .. }) {
            return Some(vec![vec![id]]);
        }
        match formula {
            Formula::Or(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.clauses(*part, frontier)?);
                }
                (all.len() <= MOST_CLAUSES).then_some(all)
            }
            Formula::And(parts) => {
                let mut all = vec![Vec::new()];
                for part in parts {
                    let clauses = self.clauses(*part, frontier)?;
                    if all.len() * clauses.len() > MOST_CLAUSES {
                        return None;
                    }
                    let longer = all.iter().flat_map(|begun: &Vec<FormulaId>| {
                        let ways = clauses.iter();
                        ways.map(move |clause| begun.iter().chain(clause).copied().collect())
                    });
                    all = longer.collect();
                }
                Some(all)
            }
            Formula::Quantified {
                exists: true, body, ..
            } => self.clauses(*body, frontier),
            _ => None,
        }
    }

    /// Whether a formula applies some relation of the cycle.
    fn mentions(&self, root: FormulaId, which: impl Fn(usize) -> bool) -> bool {
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            let formula = self.equations.formula(id);
            open.extend(formula.parts().into_iter().map(|(part, _)| part));
            if let Formula::Apply { relation, .. } = formula {
                let member = relation.0 as usize;
                if self.members.contains(&member) && which(member) {
                    return true;
                }
            }
        }
        false
    }

    /// The guards of a clause, if it is of one of the three kinds.
    fn guards_of(
        &self,
        clause: &[FormulaId],
        kept: &Kept,
        frontier: &Frontier,
    ) -> Option<Vec<FormulaId>> {
        let (mut points, mut others, mut guards) = (Vec::new(), 0, Vec::new());
        for conjunct in clause {
            if let Some(arguments) = self.equations.applied(*conjunct, kept.relation) {
                if arguments[kept.slice.place] != Argument::Number(kept.slice.value) {
                    return None;
                }
                points.push(arguments[frontier.argument]);
            } else if self.mentions(*conjunct, |member| member == frontier.relation) {
                guards.push(*conjunct);
            } else if self.mentions(*conjunct, |_| true) {
                others += 1;
            }
        }
        let is_known = match (others, points.is_empty()) {
            (0, _) => true,
            (1, true) => guards.is_empty(),
            _ => false,
        };
        let holds_of = |guard: &FormulaId, point: &Argument| {
            let cases = self.equations.disjuncts(*guard);
            cases.iter().any(|case| {
                let arguments = self.equations.applied(*case, frontier.relation);
                arguments.is_some_and(|arguments| arguments == [*point])
            })
        };
        let mut all = guards.iter();
        let are_true = all
            .all(|guard| !points.is_empty() && points.iter().all(|point| holds_of(guard, point)));
        (is_known && are_true).then_some(guards)
    }
}

/// The other one of two leaves.
fn other_of([one, other]: [LeafRef; 2], leaf: LeafRef) -> Option<LeafRef> {
    match leaf {
        _ if leaf == one => Some(other),
        _ if leaf == other => Some(one),
        _ => None,
    }
}
