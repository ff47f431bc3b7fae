//! Results as text, for people.

use super::folded::shown;
use super::{Conclusion, Evidence, Explanation, Report, trace};
use crate::check::{TraceFinding, Verdict};
use crate::error::Reason;
use crate::property::Kind;
use crate::rules::Subject;
use crate::witness::fold::unfold::is_length_exact;
use std::io::Write;
use std::time::Duration;

/// One line a property, the verdict first, and the trace under a violation.
pub fn write(report: &Report, out: &mut impl Write) -> std::io::Result<()> {
    (0..report.conclusions.len()).try_for_each(|index| write_finding(report, index, out))
}

/// The line of one property, and the trace under it.
pub fn write_finding(report: &Report, index: usize, out: &mut impl Write) -> std::io::Result<()> {
    let advice = report.advice;
    write_conclusion(&report.conclusions[index], advice, out)?;
    match &report.evidence {
        Evidence::Unread => Ok(()),
        Evidence::Read(form, list) => write_explanation(form.subject(), &list[index], advice, out),
    }
}

fn write_conclusion(
    conclusion: &Conclusion,
    advice: Advice,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let Conclusion {
        property, verdict, ..
    } = conclusion;
    let word = match (verdict, property.kind == Kind::Reach) {
        (Some(Verdict::Holds), false) => "holds",
        (Some(Verdict::Violated), false) => "violated",
        (Some(Verdict::Holds), true) => "unreachable",
        (Some(Verdict::Violated), true) => "reachable",
        (None, _) => "unknown",
    };
    write!(out, "{word} ")?;
    if let Some(name) = &property.name {
        write!(out, "{name}: ")?;
    }
    write!(out, "{}", property.title())?;
    match (verdict, conclusion.reason) {
        (None, Some(reason)) => writeln!(out, " ({reason}{})", advice.about(reason)),
        (Some(_), Some(reason)) => {
            writeln!(out, " (no trace: {reason}{})", advice.about(reason))
        }
        (_, None) => writeln!(out),
    }
}

/// What the text of a report says of how limits are raised; by default nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Advice {
    /// How there is more time: "--timeout gives more".
    pub time: &'static str,
    /// How there is more memory.
    pub memory: &'static str,
    /// How longer traces are shown.
    pub trace_limit: &'static str,
}

impl Advice {
    /// What stands after a reason.
    pub(super) fn about(self, reason: Reason) -> String {
        after_colon(match reason {
            Reason::Timeout => self.time,
            Reason::Memory => self.memory,
            Reason::Interrupted => "",
        })
    }
}

fn after_colon(advice: &str) -> String {
    match advice {
        "" => String::new(),
        advice => format!(": {advice}"),
    }
}

fn write_explanation(
    subject: Subject<'_>,
    explanation: &Explanation,
    advice: Advice,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let trace = match &explanation.trace {
        TraceFinding::None => return Ok(()),
        TraceFinding::TooLong(steps) => {
            let advice = after_colon(advice.trace_limit);
            return writeln!(out, "  (the trace has {steps} steps{advice})");
        }
        TraceFinding::TooDeep => {
            return writeln!(
                out,
                "  (no trace: every one found goes through a recursion too deep to be written out)"
            );
        }
        TraceFinding::Found(trace) => shown(trace, false),
        TraceFinding::Repeating(steps, trace) => {
            let about = match *steps {
                u64::MAX => "more than ",
                _ if is_length_exact(trace) => "",
                _ => "about ",
            };
            writeln!(
                out,
                "  (the trace has {about}{steps} steps: what is repeated is folded)"
            )?;
            shown(trace, true)
        }
    };
    trace::write(subject, &trace, &explanation.observed, out)
}

/// What `--stats` shows on standard error.
pub fn write_statistics(report: &Report, out: &mut impl Write) -> std::io::Result<()> {
    let sizes = &report.statistics;
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
    let mut row = |name: &str, time: Duration| {
        let seconds = time.as_secs_f64();
        writeln!(out, "{name:<20} {seconds:>12.3} s")
    };
    for (phase, time) in &report.phases {
        row(phase.name(), *time)?;
    }
    row("total", report.phases.iter().map(|(_, time)| *time).sum())
}
