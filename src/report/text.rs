//! Results as text, for people: the verdict first, then why, then the trace.

use super::steps::Annotated;
use super::style::{Paint, TextStyle, TextWriter};
use super::summary::{lanes, overview, reason};
use super::{Conclusion, Evidence, Explanation, Report, ShownTrace, trace};
use crate::check::{TraceFinding, Verdict};
use crate::diagnostic::Advice;
use crate::error::Reason;
use crate::program::{Boundary, BoundaryKind};
use crate::property::Kind;
use crate::rules::Subject;
use crate::witness::fold::unfold::is_length_exact;
use std::io::Write;
use std::time::Duration;

/// One line a property, the verdict first, and the trace under a violation.
pub fn write(report: &Report, style: &TextStyle, out: &mut impl Write) -> std::io::Result<()> {
    let mut writer = TextWriter { out, style };
    let findings = 0..report.conclusions.len();
    findings
        .into_iter()
        .try_for_each(|index| write_finding(report, index, &mut writer))
}

/// The line of one property, and the trace under it.
pub fn write_finding<W: Write>(
    report: &Report,
    index: usize,
    writer: &mut TextWriter<'_, W>,
) -> std::io::Result<()> {
    let advice = report.advice;
    write_conclusion(&report.conclusions[index], advice, writer)?;
    match &report.evidence {
        Evidence::Unread => Ok(()),
        Evidence::Read(list) => {
            let explanation = &list[index];
            let subject = explanation.ground.subject();
            write_explanation(subject, explanation, explanation.shown(), advice, writer)
        }
    }
}

fn write_conclusion<W: Write>(
    conclusion: &Conclusion,
    advice: Advice,
    writer: &mut TextWriter<'_, W>,
) -> std::io::Result<()> {
    let Conclusion {
        property, verdict, ..
    } = conclusion;
    let (paint, word) = match (verdict, property.kind == Kind::Reach) {
        (Some(Verdict::Holds), false) => (Paint::Good, "holds"),
        (Some(Verdict::Violated), false) => (Paint::Bad, "violated"),
        (Some(Verdict::Holds), true) => (Paint::Good, "unreachable"),
        (Some(Verdict::Violated), true) => (Paint::Bad, "reachable"),
        (None, _) => (Paint::Unsure, "unknown"),
    };
    let name = match &property.name {
        Some(name) => format!(" {name}: {}", property.title()),
        None => format!(" {}", property.title()),
    };
    let about = |reason: Reason| format!("{reason}{}", advice.about(reason));
    let reason = match (verdict, conclusion.reason, conclusion.bound) {
        (None, Some(reason), _) => format!(" ({}{})", conclusion.progress(), about(reason)),
        (Some(_), Some(reason), _) => format!(" (no trace: {})", about(reason)),
        (Some(Verdict::Holds), None, Some(bound)) if !bound.complete => format!(" ({bound})"),
        (_, None, _) => String::new(),
    };
    let pieces = [
        (paint, word),
        (Paint::Plain, &name[..]),
        (Paint::Plain, &reason[..]),
    ];
    writer.line(&pieces, 2)?;
    // Where a property holds although executions are cut off, a warning has said so.
    let boundaries = conclusion.boundaries.iter();
    for boundary in boundaries.filter(|one| one.kind != BoundaryKind::Undefined) {
        let Boundary {
            file,
            line,
            column,
            what,
            ..
        } = boundary;
        let text = format!("  {file}:{line}:{column}: not decided: {what}");
        writer.line(&[(Paint::Plain, &text)], 4)?;
    }
    for (kind, advice) in [
        (BoundaryKind::Outside, advice.unsupported),
        (BoundaryKind::Heap, advice.heap),
        (BoundaryKind::Length, advice.cells),
    ] {
        let mut boundaries = conclusion.boundaries.iter();
        if boundaries.any(|one| one.kind == kind) && !advice.is_empty() {
            let text = format!("  what to do: {advice}");
            writer.line(&[(Paint::Plain, &text)], 4)?;
        }
    }
    Ok(())
}

impl Advice {
    /// What stands after a reason.
    pub(super) fn about(self, reason: Reason) -> String {
        after_colon(match reason {
            Reason::Timeout => self.time,
            Reason::Memory => self.memory,
            Reason::Interrupted => "",
            Reason::Bound => self.switches,
            Reason::Unsupported
            | Reason::Heap
            | Reason::Refinements
            | Reason::Predicates
            | Reason::Trace => "",
        })
    }
}

fn after_colon(advice: &str) -> String {
    match advice {
        "" => String::new(),
        advice => format!(": {advice}"),
    }
}

fn write_explanation<W: Write>(
    subject: Subject<'_>,
    explanation: &Explanation,
    shown: Option<&ShownTrace>,
    advice: Advice,
    writer: &mut TextWriter<'_, W>,
) -> std::io::Result<()> {
    if let Some(remark) = remark(&explanation.trace, advice) {
        writer.line(&[(Paint::Plain, &format!("  ({remark})"))], 3)?;
    }
    let Some(shown) = shown else {
        return Ok(());
    };
    let annotated = shown.annotated(subject);
    let Annotated {
        subject,
        trace,
        annotation,
        ..
    } = annotated;
    if let Some(reason) = reason(subject, trace, annotation) {
        writer.line(&[(Paint::Strong, "  why: "), (Paint::Plain, &reason)], 7)?;
    }
    for lane in lanes(trace, annotation, writer.style.width) {
        writer.line(&[(Paint::Plain, "  "), (Paint::Plain, &lane)], 4)?;
    }
    if let Some(overview) = overview(trace, annotation, writer.style) {
        let overview = overview + &after_colon(advice.long_trace);
        writer.line(&[(Paint::Plain, "  "), (Paint::Faint, &overview)], 4)?;
    }
    trace::write(annotated, writer)
}

/// Why there is no trace, or not all of it.
pub fn remark(trace: &TraceFinding, advice: Advice) -> Option<String> {
    match trace {
        TraceFinding::None | TraceFinding::Found(_) => None,
        TraceFinding::TooLong(steps) => {
            let advice = after_colon(advice.trace_limit);
            Some(format!("the trace has {steps} steps{advice}"))
        }
        TraceFinding::TooDeep => Some(
            "no trace: every one found goes through a recursion too deep to be written out"
                .to_owned(),
        ),
        TraceFinding::Repeating(steps, trace) => {
            let about = match *steps {
                u64::MAX => "more than ",
                _ if is_length_exact(trace) => "",
                _ => "about ",
            };
            Some(format!(
                "the trace has {about}{steps} steps: what is repeated is folded"
            ))
        }
    }
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
