//! The expressions in properties, and in sets of configurations: `{ x > 3 & l }`.
//!
//! In properties a name means the local of the symbol on top if that has one, otherwise the global. Where
//! there is neither, a truth value is false, and so is a comparison. Where it is known which
//! symbols are meant, they must have the variable.

use super::check::Check;
use super::constants::Constants;
use super::emit::emit;
use super::scope::{Scope, View};
use super::{MOST_OPERATIONS, carriers};
use crate::diagnostic::Diagnostic;
use crate::program::Operation;
use crate::pushdown::{GroupId, System};
use crate::source::Source;
use crate::syntax::pds;

/// A condition for each group of symbols, in the order of [`System::groups`]; or what is
/// wrong with the text.
pub fn proposition(system: &System, text: &str) -> Result<Vec<Box<[Operation]>>, Diagnostic> {
    let groups = (0..system.groups.len() as u32).map(GroupId);
    let views = groups.map(|group| View {
        lenient: true,
        ..View::of_one_configuration(Some(group))
    });
    conditions(system, text, views)
}

/// A condition on configurations with a symbol of this group on top, or without any; or what
/// is wrong with the text.
pub fn condition(
    system: &System,
    group: Option<GroupId>,
    text: &str,
) -> Result<Box<[Operation]>, Diagnostic> {
    let view = View::of_one_configuration(group);
    let conditions = conditions(system, text, std::iter::once(view))?;
    Ok(conditions.into_iter().next().unwrap_or_default())
}

/// A condition as it is seen in each of these ways.
fn conditions(
    system: &System,
    text: &str,
    views: impl Iterator<Item = View>,
) -> Result<Vec<Box<[Operation]>>, Diagnostic> {
    let source = Source::new("", text.as_bytes().to_vec());
    let (tree, expression, mut collector) = pds::parse_expression(&source, system.names.clone());
    let constants = Constants::of(system.constants.iter().copied());
    let scope = Scope::new(
        constants,
        &system.globals,
        &system.declarations,
        &system.groups,
    );
    let carriers = |name| carriers(&scope, name, system.symbols.iter(), &tree.names);
    let mut conditions = Vec::new();
    for view in views {
        let mut check = Check {
            tree: &tree,
            names: &tree.names,
            scope: &scope,
            view,
            collector: &mut collector,
            carriers: &carriers,
        };
        let checked = expression.and_then(|expression| check.condition(expression));
        let (Some(expression), Some(checked)) = (expression, checked) else {
            break;
        };
        if checked.operations > MOST_OPERATIONS {
            return Err(Diagnostic::error(tree.span_of(expression), super::TOO_LONG));
        }
        let operations = emit(&tree, &scope, view, expression, &checked);
        conditions.push(operations.into());
    }
    match collector.finish().into_iter().find(Diagnostic::is_error) {
        Some(wrong) => Err(wrong),
        None => Ok(conditions),
    }
}
