//! What people and scripts see.

pub mod annotation;
mod columns;
pub mod configurations;
#[cfg(feature = "cli")]
pub mod diagnostics;
#[cfg(feature = "cli")]
mod excerpt;
mod failure;
mod folded;
pub mod graph;
mod graphviz;
mod harmless;
mod html;
pub mod json;
pub mod notices;
mod place;
mod sarif;
mod selection;
pub mod solution;
pub mod steps;
mod style;
mod summary;
pub mod text;
mod threads;
mod trace;
pub mod values;
mod witness;

use crate::abstraction::Summary as AbstractionSummary;
use crate::check::{self, Phase, Statistics, TraceFinding, Verdict};
use crate::diagnostic::Advice;
use crate::error::Reason;
use crate::event::Progress;
use crate::model::Form;
use crate::program::{Boundary, BoundaryKind};
use crate::property::{Kind, Property, Request, Temporal};
use crate::retrace::Retraced;
use crate::rules::Subject;
use crate::supervisor::Limits;
use crate::threads::Bound;
use annotation::{Annotation, Watch, annotate, annotate_execution, stay_ended, stay_stopped};
use folded::shown;
use std::fmt;
use std::io::Write;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};
use steps::{Annotated, Trace};
pub use style::TextStyle;
use style::TextWriter;

/// What came of a check: a finding for each property, in the order in which they were given.
#[derive(Debug)]
pub struct Report {
    /// The name of the input.
    pub(crate) input: String,
    /// Of a C program: what else there is to say of it.
    pub(crate) c: Option<CRemarks>,
    pub(crate) conclusions: Vec<Conclusion>,
    pub(crate) evidence: Evidence,
    pub(crate) warnings: Vec<String>,
    pub(crate) progress: Progress,
    pub(crate) statistics: Statistics,
    /// How long each phase took, in the order they were entered; one that was entered again is
    /// added up.
    pub(crate) phases: Vec<(Phase, Duration)>,
    /// Whether scripts see the statistics.
    pub(crate) is_measured: bool,
    pub(crate) advice: Advice,
}

/// What is said of a C program as a whole.
#[derive(Debug)]
pub(crate) struct CRemarks {
    /// All its files.
    pub files: Vec<String>,
    /// The functions without body that something was assumed of.
    pub assumed: Vec<String>,
}

/// What is known about one property, but for its trace.
#[derive(Debug)]
pub(crate) struct Conclusion {
    pub property: Request,
    pub verdict: Option<Verdict>,
    /// Why the verdict or the trace is missing.
    pub reason: Option<Reason>,
    /// Of a program with threads, how far it was looked for.
    pub bound: Option<Bound>,
    /// Where executions were not followed any further.
    pub boundaries: Vec<Boundary>,
    /// If it was looked at through predicates.
    pub abstraction: Option<AbstractionSummary>,
    /// From the beginning of the run until this was complete; without a verdict, how long it
    /// was looked for.
    pub time: Duration,
}

/// The traces of all properties, with what they are traces of.
#[derive(Debug)]
pub(crate) enum Evidence {
    /// The run ended before anything was read.
    Unread,
    Read(Vec<Explanation>),
}

/// What a property was decided on.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    pub form: Form,
    /// What the property means there.
    pub property: Property,
    /// Expressions whose values are shown along traces.
    pub watches: Arc<[Watch]>,
}

impl Ground {
    pub fn subject(&self) -> Subject<'_> {
        self.form.subject()
    }

    fn temporal(&self) -> Option<&Temporal> {
        match &self.property {
            Property::Temporal(temporal) => Some(temporal),
            _ => None,
        }
    }
}

/// The trace of a violated property.
#[derive(Debug)]
pub(crate) struct Explanation {
    pub trace: TraceFinding,
    /// Of a C program, the execution that it stands for.
    execution: Option<Arc<Retraced>>,
    pub ground: Ground,
    /// The trace as it is shown, once it is needed.
    shown: OnceLock<Option<ShownTrace>>,
}

/// A trace as it is shown, and what is known of it.
#[derive(Debug)]
pub(crate) struct ShownTrace {
    pub trace: crate::trace::Trace,
    pub annotation: Annotation,
    /// If it is an execution of a C program: what else is known of it.
    pub execution: Option<Arc<Retraced>>,
}

impl ShownTrace {
    /// What the steps are of, if those of the lowered trace are of this.
    pub fn subject<'a>(&'a self, lowered: Subject<'a>) -> Subject<'a> {
        match &self.execution {
            Some(execution) => Subject::Program(&execution.program),
            None => lowered,
        }
    }

    fn annotated<'a>(&'a self, lowered: Subject<'a>) -> Annotated<'a> {
        Annotated {
            subject: self.subject(lowered),
            trace: &self.trace,
            annotation: &self.annotation,
            inputs: self
                .execution
                .as_ref()
                .map(|execution| &execution.inputs[..]),
        }
    }
}

impl Explanation {
    pub fn new(trace: TraceFinding, execution: Option<Arc<Retraced>>, ground: Ground) -> Self {
        Explanation {
            trace,
            execution,
            ground,
            shown: OnceLock::new(),
        }
    }

    /// The trace, if there is one: the same for every output.
    pub fn shown(&self) -> Option<&ShownTrace> {
        let make = || {
            let trace = match &self.trace {
                TraceFinding::Found(trace) => shown(trace, false),
                TraceFinding::Repeating(_, trace) => shown(trace, true),
                TraceFinding::None | TraceFinding::TooLong(_) | TraceFinding::TooDeep => {
                    return None;
                }
            };
            let (subject, temporal) = (self.ground.subject(), self.ground.temporal());
            if let Some(execution) = &self.execution {
                let (lowered, watches) = ((subject, &*trace), &self.ground.watches);
                let mut own = execution.trace.clone();
                if let Some(temporal) = temporal {
                    stay_ended(lowered, execution, &mut own, temporal);
                }
                let shown = (&**execution, &own);
                return Some(ShownTrace {
                    annotation: annotate_execution(lowered, shown, temporal, watches),
                    trace: own,
                    execution: Some(execution.clone()),
                });
            }
            let mut trace = trace.into_owned();
            if let Some(temporal) = temporal {
                stay_stopped(subject, &mut trace, temporal);
            }
            Some(ShownTrace {
                annotation: annotate(subject, &trace, temporal, &self.ground.watches),
                trace,
                execution: None,
            })
        };
        self.shown.get_or_init(make).as_ref()
    }
}

/// Why a property that was not violated is not known to hold.
fn unfollowed(boundaries: &[Boundary]) -> Option<Reason> {
    let reasons = boundaries
        .iter()
        .filter_map(|boundary| match boundary.kind {
            BoundaryKind::Outside => Some(Reason::Unsupported),
            BoundaryKind::Heap | BoundaryKind::Length => Some(Reason::Heap),
            BoundaryKind::Undefined => None,
        });
    reasons.min_by_key(|reason| *reason == Reason::Heap)
}

impl Conclusion {
    /// Of a finding of a check that ended early for some reason.
    pub fn new(
        property: Request,
        finding: &check::Finding,
        reason: Option<Reason>,
        wants_trace: bool,
    ) -> Self {
        let is_complete = match finding.verdict {
            None => false,
            Some(Verdict::Violated) => !wants_trace || !matches!(finding.trace, TraceFinding::None),
            Some(Verdict::Holds) => true,
        };
        // Nothing else stopped the search.
        let unbounded = finding.bound.map(|_| Reason::Bound);
        let unbounded = unbounded.or(unfollowed(&finding.boundaries));
        let unbounded = unbounded.or(finding.reason);
        let unsupported = (property.kind == Kind::Prp).then_some(Reason::Unsupported);
        let unbounded = unsupported.or(unbounded);
        let unbounded = unbounded.filter(|_| finding.verdict.is_none());
        Conclusion {
            property,
            verdict: finding.verdict,
            reason: reason.filter(|_| !is_complete).or(unbounded),
            bound: finding
                .bound
                .filter(|_| finding.verdict != Some(Verdict::Violated)),
            boundaries: finding.boundaries.clone(),
            abstraction: finding.abstraction.clone(),
            time: finding.time,
        }
    }

    /// What stands before the reason of a missing verdict: how far was looked in vain.
    fn progress(&self) -> String {
        let bound = self.bound.map(|bound| format!("nothing found {bound}; "));
        bound.unwrap_or_default()
    }
}

impl Report {
    /// A report of a run that ended before its input was read.
    pub fn unread(
        input: impl Into<String>,
        properties: &[Request],
        reason: Reason,
        limits: &Limits,
    ) -> Self {
        let conclusion = |property: &Request| Conclusion {
            property: property.clone(),
            verdict: None,
            reason: Some(reason),
            bound: None,
            boundaries: Vec::new(),
            abstraction: None,
            time: limits.begin().elapsed(),
        };
        Report {
            input: input.into(),
            c: None,
            conclusions: properties.iter().map(conclusion).collect(),
            evidence: Evidence::Unread,
            warnings: Vec::new(),
            progress: Progress {
                elapsed: limits.begin().elapsed(),
                ..Progress::default()
            },
            statistics: Statistics::default(),
            phases: Vec::new(),
            is_measured: false,
            advice: Advice::default(),
        }
    }

    /// With advice in what people see.
    pub fn advise(mut self, advice: Advice) -> Self {
        self.advice = advice;
        self
    }

    /// With statistics in what scripts see, or without.
    pub fn with_statistics(mut self, wanted: bool) -> Self {
        self.is_measured = wanted;
        self
    }

    /// One for each property, in the order in which they were given.
    pub fn findings(&self) -> impl ExactSizeIterator<Item = Finding<'_>> {
        (0..self.conclusions.len()).map(|index| Finding {
            report: self,
            index,
        })
    }

    /// Why some property may have been left undecided, or without a trace.
    pub fn reason(&self) -> Option<Reason> {
        self.conclusions.iter().find_map(|one| one.reason)
    }

    /// What should be known beside the verdicts, such as a formula that holds for a reason
    /// nobody may have had in mind.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// How far the check had come when it ended.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Sizes of what was worked on.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// How long each phase took.
    pub fn phases(&self) -> &[(Phase, Duration)] {
        &self.phases
    }

    /// Writes a line for each property, the verdict first, and under a violation why it is
    /// one, and the trace.
    pub fn write_text(&self, out: impl Write) -> std::io::Result<()> {
        self.write_styled_text(&TextStyle::default(), out)
    }

    /// Writes the text laid out for a reader's terminal, with as much of each trace as wanted.
    pub fn write_styled_text(&self, style: &TextStyle, mut out: impl Write) -> std::io::Result<()> {
        text::write(self, style, &mut out)
    }

    /// Writes one JSON object and a line break, as a stream.
    pub fn write_json(&self, mut out: impl Write) -> std::io::Result<()> {
        json::write(self, &mut out)
    }

    /// Writes one HTML page: every property, and the traces of those that are violated, to
    /// walk through in a browser. It needs no other file, and no network.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use derny::{Checker, Model, Property};
    /// let model = Model::read("examples/lock-broken.bp")?;
    /// let report = Checker::new(&model).property(Property::assertions()).check()?;
    /// let mut page = Vec::new();
    /// report.write_html(&mut page)?;
    /// assert!(page.starts_with(b"<!DOCTYPE html>"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn write_html(&self, mut out: impl Write) -> std::io::Result<()> {
        html::write(self, &mut out)
    }

    /// Writes a SARIF 2.1.0 log, for code scanning and editors: a result for each violation,
    /// its trace as a code flow. What holds is among the properties of the run, and what is
    /// unknown a notification.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use derny::{Checker, Model, Property};
    /// let model = Model::read("examples/lock-broken.bp")?;
    /// let report = Checker::new(&model).property(Property::assertions()).check()?;
    /// let mut log = Vec::new();
    /// report.write_sarif(&mut log)?;
    /// assert!(String::from_utf8(log)?.contains(r#""ruleId":"assertion""#));
    /// # Ok(())
    /// # }
    /// ```
    pub fn write_sarif(&self, mut out: impl Write) -> std::io::Result<()> {
        sarif::write(self, &mut out)
    }

    /// Writes a witness of the first violation of a C program, in SV-COMP's format 2.0, made at this
    /// time. There is none of termination and formulas: then nothing is written, and the answer is
    /// false.
    pub fn write_witness(&self, time: SystemTime, mut out: impl Write) -> std::io::Result<bool> {
        witness::write(self, time, &mut out)
    }

    /// What the first trace is of.
    fn subject(&self) -> Option<Subject<'_>> {
        match &self.evidence {
            Evidence::Unread => None,
            Evidence::Read(list) => list.first().map(|one| one.ground.subject()),
        }
    }

    /// Writes sizes and times, a line for each.
    pub fn write_statistics(&self, mut out: impl Write) -> std::io::Result<()> {
        text::write_statistics(self, &mut out)
    }
}

/// What was found about one property. Displayed, it is a line with the verdict, and under it
/// the trace of a violation.
#[derive(Clone, Copy, Debug)]
pub struct Finding<'r> {
    report: &'r Report,
    index: usize,
}

impl<'r> Finding<'r> {
    /// What predicates had to do with it, if it was looked at through some.
    pub fn abstraction(&self) -> Option<&'r AbstractionSummary> {
        self.report.conclusions[self.index].abstraction.as_ref()
    }

    fn conclusion(&self) -> &'r Conclusion {
        &self.report.conclusions[self.index]
    }

    /// The property.
    pub fn property(&self) -> &'r Request {
        &self.conclusion().property
    }

    /// The verdict; `None` if there is none, for a reason.
    pub fn verdict(&self) -> Option<Verdict> {
        self.conclusion().verdict
    }

    /// Why there is no verdict, or a violation has no trace.
    pub fn reason(&self) -> Option<Reason> {
        self.conclusion().reason
    }

    /// From the beginning of the run until this was complete; without a verdict, how long it
    /// was looked for.
    pub fn time(&self) -> Duration {
        self.conclusion().time
    }

    /// Whether there is a trace, perhaps with parts of it folded.
    pub fn has_trace(&self) -> bool {
        match &self.report.evidence {
            Evidence::Unread => false,
            Evidence::Read(list) => matches!(
                list[self.index].trace,
                TraceFinding::Found(_) | TraceFinding::Repeating(..)
            ),
        }
    }

    /// The execution that shows a violation, perhaps with parts of it folded.
    pub fn trace(&self) -> Option<Trace<'r>> {
        let Evidence::Read(list) = &self.report.evidence else {
            return None;
        };
        let explanation = &list[self.index];
        let shown = explanation.shown()?;
        Some(Trace::new(shown.annotated(explanation.ground.subject())))
    }
}

impl fmt::Display for Finding<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut writer = TextWriter {
            out: Vec::new(),
            style: &TextStyle::default(),
        };
        text::write_finding(self.report, self.index, &mut writer).map_err(|_| fmt::Error)?;
        f.write_str(String::from_utf8_lossy(&writer.out).trim_end())
    }
}
