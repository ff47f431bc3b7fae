//! The expressions in properties, and in sets of configurations: `{ x > 3 & l }`.
//!
//! In properties a name means the local of the symbol on top if that has one, otherwise the global. Where
//! there is neither, a truth value is false, and so is a comparison. Where it is known which
//! symbols are meant, they must have the variable.

use super::scope::View;
use crate::diagnostic::Diagnostic;
use crate::lower::expression::Evaluator;
use crate::program::Operation;
use crate::pushdown::{GroupId, System};
use crate::source::Source;
use crate::syntax::pds;

/// A condition for each group of symbols, in the order of [`System::groups`]; or what is
/// wrong with the text.
pub fn proposition(system: &System, text: &str) -> Result<Vec<Box<[Operation]>>, Diagnostic> {
    let groups = system.groups.indices();
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
    let (tree, expression, collector) = pds::parse_expression(&source, system.names.clone());
    let mut machine = Evaluator::of_system(&tree, collector);
    let scope = &mut machine.language.scope;
    for (name, value) in &system.constants {
        scope.define(*name, *value);
    }
    scope.declare(
        &system.globals,
        &system.declarations,
        system.groups.as_slice(),
    );
    scope.assign(system.symbols.iter());
    let mut conditions = Vec::new();
    for view in views {
        machine.begin_statement();
        let sound = expression.and_then(|expression| machine.condition(expression, view));
        if sound.is_none() {
            break;
        }
        conditions.push(machine.operations.as_slice().into());
    }
    let diagnostics = machine.collector.finish();
    match diagnostics.into_iter().find(Diagnostic::is_error) {
        Some(wrong) => Err(wrong),
        None => Ok(conditions),
    }
}
