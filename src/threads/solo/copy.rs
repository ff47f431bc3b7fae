//! The copy of a procedure in the program of one thread: where its points lead.

use super::Role;
use super::condition::assume;
use crate::program::{
    Action, Call, Expression, PointId, Procedure, ProcedureId, Program, Target, Value, VariableId,
};
use rustc_hash::FxHashMap;

pub struct ProcedureCopy<'c> {
    pub id: ProcedureId,
    /// What it is a copy of.
    pub procedure: &'c Procedure,
    pub at: &'c FxHashMap<Role, PointId>,
    pub exit: PointId,
    /// That of the first frame: where that begins, and under which condition.
    pub root: Option<(PointId, Expression)>,
}

impl ProcedureCopy<'_> {
    /// The point of a role that is there; the exit for one that is not.
    pub fn to(&self, role: Role) -> PointId {
        self.at.get(&role).copied().unwrap_or(self.exit)
    }

    pub fn here(&self, point: PointId) -> PointId {
        self.to(Role::Here(point))
    }

    /// The points of those of these roles that are there.
    pub fn points(&self, roles: impl IntoIterator<Item = Role>) -> Vec<PointId> {
        let points = roles.into_iter().filter_map(|role| self.at.get(&role));
        let mut points: Vec<_> = points.copied().collect();
        points.sort_unstable();
        points.dedup();
        points
    }

    /// To any of these that are there.
    pub fn goto(&self, roles: impl IntoIterator<Item = Role>) -> Action {
        Action::Goto {
            targets: self.points(roles).into(),
        }
    }

    /// To any of these that are there, where the `enforce` holds.
    pub fn select(
        &self,
        enforce: Option<Expression>,
        roles: impl IntoIterator<Item = Role>,
    ) -> Action {
        let points = self.points(roles);
        let arms = enforce.map(|enforce| points.into_iter().map(|to| (enforce, to)).collect());
        Action::Select {
            arms: arms.unwrap_or_default(),
            otherwise: None,
        }
    }

    /// The statement at a point, as it is in the copy.
    pub fn statement(&self, original: &Program, point: PointId) -> Action {
        let here = |point: &PointId| self.here(*point);
        let arms = |arms: &[(Expression, PointId)]| {
            let arms = arms.iter();
            arms.map(|(condition, to)| (*condition, self.here(*to)))
                .collect()
        };
        match &original.point(point).action {
            Action::Goto { targets } => Action::Goto {
                targets: targets.iter().map(here).collect(),
            },
            Action::Assign {
                targets,
                values,
                constrain,
                next,
            } => Action::Assign {
                targets: targets.clone(),
                values: values.clone(),
                constrain: *constrain,
                next: here(next),
            },
            Action::Havoc { variables, next } => Action::Havoc {
                variables: variables.clone(),
                next: here(next),
            },
            Action::Branch {
                arms: all,
                otherwise,
            } => Action::Branch {
                arms: arms(all),
                otherwise: here(otherwise),
            },
            Action::Select {
                arms: all,
                otherwise,
            } => Action::Select {
                arms: arms(all),
                otherwise: otherwise.as_ref().map(here),
            },
            Action::Assert { condition, next } | Action::Assume { condition, next } => {
                assume(*condition, here(next))
            }
            Action::Call(call) => Action::Call(Box::new(Call {
                callee: call.callee,
                arguments: call.arguments.clone(),
                assignments: call.assignments.clone(),
                targets: call.targets.clone(),
                next: match self.at.get(&Role::Back(point)) {
                    Some(back) => *back,
                    None => here(&call.next),
                },
            })),
            Action::Return {
                values,
                assignments,
            } => {
                let first = self.procedure.locals.len() as u32;
                let kept = (first..).map(|local| Target::Cell(VariableId::Local(local)));
                let kept = kept.zip(values.iter().map(|value| Value::Of(*value)));
                let all = kept.chain(assignments.iter().copied());
                let (targets, values): (Vec<_>, Vec<_>) = all.unzip();
                Action::Assign {
                    targets: targets.into(),
                    values: values.into(),
                    constrain: None,
                    next: self.to(Role::Returned),
                }
            }
            Action::StartThread { next, .. } => Action::Goto {
                targets: Box::new([here(next)]),
            },
            // Off the end: there is nothing to return.
            Action::Exit => Action::Goto {
                targets: Box::new([self.exit]),
            },
            // Where the thread is to end it does so elsewhere; otherwise nothing comes of it.
            Action::EndThread { .. } => self.goto([Role::Statement(point)]),
        }
    }
}
