//! Results as text, for people.

use super::folded::shown;
use super::{Checked, Measured, Results, pushdown, trace};
use crate::check::{Execution, TraceFinding, Verdict};
use crate::property::Kind;
use crate::witness::unfold::is_length_exact;
use std::io::Write;

/// One line a property, the verdict first, and the trace under a violation.
pub fn write(results: &Results<'_>, out: &mut impl Write) -> std::io::Result<()> {
    for result in &results.list {
        let reach = result.request.kind == Kind::Reach;
        let verdict = match (result.finding.verdict, reach) {
            (Some(Verdict::Holds), false) => "holds",
            (Some(Verdict::Violated), false) => "violated",
            (Some(Verdict::Holds), true) => "unreachable",
            (Some(Verdict::Violated), true) => "reachable",
            (None, _) => "unknown",
        };
        write!(out, "{verdict} ")?;
        if let Some(name) = &result.request.name {
            write!(out, "{name}: ")?;
        }
        write!(out, "{}", result.request.text)?;
        match (result.finding.verdict, result.reason) {
            (None, Some(reason)) => writeln!(out, " ({})", reason.advice())?,
            (Some(_), Some(reason)) => writeln!(out, " (no trace: {})", reason.advice())?,
            (_, None) => writeln!(out)?,
        }
        let execution = match &result.finding.trace {
            TraceFinding::None => None,
            TraceFinding::Found(execution) => Some(execution),
            TraceFinding::TooLong(steps) => {
                writeln!(
                    out,
                    "  (the trace has {steps} steps: --trace-limit allows longer ones to be shown)"
                )?;
                None
            }
            TraceFinding::TooDeep => {
                writeln!(
                    out,
                    "  (no trace: every one found goes through a recursion too deep to be written out)"
                )?;
                None
            }
            TraceFinding::Repeating(steps, execution) => {
                let is_exact = match execution {
                    Execution::Program(trace) => is_length_exact(trace),
                    Execution::System(trace) => is_length_exact(trace),
                };
                let about = match *steps {
                    u64::MAX => "more than ",
                    _ if is_exact => "",
                    _ => "about ",
                };
                writeln!(
                    out,
                    "  (the trace has {about}{steps} steps: what is repeated is folded)"
                )?;
                Some(execution)
            }
        };
        let is_folded = matches!(result.finding.trace, TraceFinding::Repeating(..));
        match (execution, results.checked) {
            (Some(Execution::Program(found)), Some(Checked::Program(program))) => {
                let found = shown(found, is_folded);
                trace::write(program, &found, &result.finding.observed, out)?;
            }
            (Some(Execution::System(found)), Some(Checked::System(system))) => {
                let found = shown(found, is_folded);
                pushdown::write(system, &found, out)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// What `--stats` shows on standard error.
pub fn write_statistics(measured: &Measured, out: &mut impl Write) -> std::io::Result<()> {
    let sizes = &measured.statistics;
    let rows: [(&str, u64); 8] = [
        ("procedures", sizes.procedures as u64),
        ("control points", sizes.points as u64),
        ("reached points", sizes.reached_points as u64),
        ("rules", sizes.rules as u64),
        ("automaton edges", sizes.edges as u64),
        ("BDD variables", sizes.bdd_variables.into()),
        ("BDD operations", sizes.operations),
        ("peak live BDD nodes", sizes.peak_live_nodes as u64),
    ];
    for (name, value) in rows {
        writeln!(out, "{name:<20} {value:>12}")?;
    }
    for (name, seconds) in &measured.phases {
        writeln!(out, "{name:<20} {seconds:>12.3} s")?;
    }
    let total: f64 = measured.phases.iter().map(|(_, seconds)| seconds).sum();
    writeln!(out, "{:<20} {total:>12.3} s", "total")
}
