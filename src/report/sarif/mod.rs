//! Results as SARIF 2.1.0, for code scanning and editors.
//!
//! A result is a violation, or an error of the input: viewers show every result as a problem,
//! so what holds is a property of the run, and what is unknown a notification. The trace of a
//! violation is a code flow (`flow`). Everything is drawn from the annotated trace.
//!
//! Linear in the report. A log that would be larger than consumers take is written again with
//! less in its flows.

mod flow;
mod log;
mod place;
mod rules;

use super::notices::Notice;
use super::place::place as place_of;
use super::steps::Annotated;
use super::{Conclusion, Evidence, Explanation, Report, summary, text, trace};
use crate::check::Verdict;
use crate::diagnostic::Severity;
use crate::error::Error;
use crate::property::{Kind, Property, Request};
use crate::rules::Subject;
use crate::source::Position;
use crate::trace::{Location, Step, Valuation};
use log::{
    ArtifactLocation, Findings, Fingerprints, Log, Notification, PropertyObject, Region,
    ResultObject, ResultProperties,
};
use place::{BEGINNING, artifact_of, fingerprint, location, message, procedure, region, uri};
use rules::{INPUT, INTERNAL, UNKNOWN, rule_of};
use std::io::Write;

/// How much is written of each trace.
#[derive(Clone, Copy)]
struct Detail {
    /// The most locations in a flow; if there may be none, there are no flows.
    locations: usize,
    has_state: bool,
}

/// From the most to the least; the first is taken that makes the log small enough.
const DETAILS: [Detail; 5] = {
    const fn detail(locations: usize, has_state: bool) -> Detail {
        Detail {
            locations,
            has_state,
        }
    }
    [
        detail(1000, true),
        detail(1000, false),
        detail(200, false),
        detail(20, false),
        detail(0, false),
    ]
};

/// A log stays below this.
const MOST_BYTES: usize = 10_000_000;
/// That many locations take more than that many bytes.
const MOST_LOCATIONS: usize = 50_000;
/// Longer names and formulas are cut in messages.
const LONGEST_NAME: usize = 2000;

/// Writes a report as one log.
pub fn write(report: &Report, out: &mut impl Write) -> std::io::Result<()> {
    let mut text = Vec::new();
    for detail in DETAILS {
        let Some(log) = log_of(report, detail) else {
            continue;
        };
        text = serde_json::to_vec(&log)?;
        if text.len() < MOST_BYTES {
            break;
        }
    }
    out.write_all(&text)?;
    writeln!(out)
}

/// The log, unless there are so many locations in it that it is too large.
fn log_of(report: &Report, detail: Detail) -> Option<Log<'_>> {
    let artifact = ArtifactLocation {
        uri: uri(&report.input),
        index: Some(0),
    };
    let mut findings = Findings::default();
    let mut locations = 0;
    for (i, conclusion) in report.conclusions.iter().enumerate() {
        match (conclusion.verdict, &report.evidence) {
            (Some(Verdict::Holds), _) => findings.holds.push(object(&conclusion.property)),
            (Some(Verdict::Violated), Evidence::Read(list)) => {
                let violation = Violation {
                    report,
                    subject: list[i].ground.subject(),
                    conclusion,
                    explanation: &list[i],
                };
                let result = violation.result(&artifact, detail);
                let flows = result.code_flows.iter();
                locations += flows
                    .map(|flow| flow.thread_flows[0].locations.len())
                    .sum::<usize>();
                if locations > MOST_LOCATIONS {
                    return None;
                }
                findings.results.push(result);
            }
            _ => findings.notifications.push(unknown(conclusion)),
        }
    }
    let is_complete = findings.notifications.is_empty();
    Some(Log::new(&artifact.uri, is_complete, findings))
}

fn object(property: &Request) -> PropertyObject<'_> {
    PropertyObject {
        kind: property.kind.name(),
        text: &property.text,
        name: property.name.as_deref(),
    }
}

fn unknown(conclusion: &Conclusion) -> Notification<'_> {
    let property = &conclusion.property;
    let reason = conclusion.reason;
    let reason = reason.map(|reason| format!(": {}{reason}", conclusion.progress()));
    let text = format!(
        "{} is undecided{}.",
        title(property),
        reason.unwrap_or_default()
    );
    Notification {
        descriptor: UNKNOWN,
        associated_rule: Some(rule_of(property.kind)),
        level: "warning",
        message: message(&text),
        properties: Some(ResultProperties {
            property: object(property),
        }),
    }
}

/// A property as it is spoken of.
fn title(property: &Request) -> String {
    let text = match &property.name {
        Some(name) => format!("{name}: {}", property.text),
        None => property.title().into_owned(),
    };
    format!("`{}`", clipped(&text, LONGEST_NAME))
}

/// The beginning of a text that is too long.
fn clipped(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// A property that is violated, with what is known of it.
struct Violation<'a> {
    report: &'a Report,
    subject: Subject<'a>,
    conclusion: &'a Conclusion,
    explanation: &'a Explanation,
}

/// Where a violation is shown.
struct Site {
    /// Of several files, which.
    file: Option<String>,
    region: Region,
    procedure: String,
    statement: String,
}

/// The statement that fails, has the label, or begins the loop; where that is none, the last one
/// before.
fn site(Annotated { subject, trace, .. }: Annotated<'_>) -> Option<Site> {
    let first = trace.cycle.iter().take(1);
    let mut before = first.chain(trace.stem.iter().rev());
    before.find_map(|step| site_of(subject, step))
}

fn site_of(subject: Subject<'_>, step: &Step) -> Option<Site> {
    let place = place_of(subject, step);
    Some(Site {
        file: place.file.map(str::to_owned),
        region: region(place.range?),
        procedure: place.procedure.to_owned(),
        statement: place.text.split_whitespace().collect::<Vec<_>>().join(" "),
    })
}

impl<'a> Violation<'a> {
    fn result(&self, artifact: &ArtifactLocation, detail: Detail) -> ResultObject<'a> {
        let property = &self.conclusion.property;
        let shown = self.explanation.shown();
        let shown = shown.map(|shown| shown.annotated(self.subject));
        let site = shown.and_then(site);
        let site = site.unwrap_or_else(|| self.site_without_trace());
        let annotated = shown.filter(|_| detail.locations > 0);
        let flow = annotated.and_then(|annotated| flow::flow(annotated, artifact, detail));
        let remark = flow.as_ref().and_then(|flow| flow.remark.clone());
        let text = self.message(shown, remark);
        let rule = rule_of(property.kind);
        let name = property.name.as_deref().unwrap_or_default();
        // The text of other properties is their kind, or a place.
        let asked = match property.kind {
            Kind::Ltl | Kind::Never | Kind::Reach => &property.text[..],
            _ => "",
        };
        let statement = fingerprint(&[rule.id, name, asked, &site.procedure, &site.statement]);
        let mut at = location(artifact_of(artifact, site.file.as_deref()), site.region);
        at.logical_locations = procedure(&site.procedure);
        ResultObject {
            rule_id: rule.id,
            rule_index: rule.index,
            level: "error",
            message: message(&text),
            locations: [at],
            partial_fingerprints: Fingerprints { statement },
            code_flows: flow.map(|flow| flow.code_flow).into_iter().collect(),
            properties: Some(ResultProperties {
                property: object(property),
            }),
        }
    }

    /// What is violated, why, and what of the trace is shown.
    fn message(&self, shown: Option<Annotated<'_>>, remark: Option<String>) -> String {
        let property = &self.conclusion.property;
        let mut text = match property.kind {
            Kind::Assertions => "An assertion can fail".to_owned(),
            Kind::Assertion => format!("Some execution fails ({})", property.title()),
            Kind::Reach => format!("{} is reachable", title(property)),
            Kind::Terminates => "Some execution never ends".to_owned(),
            Kind::Ltl | Kind::Prp => format!("{} is violated", title(property)),
            Kind::NoOverflow => "A signed computation can overflow".to_owned(),
            Kind::Defined => "An undefined step can be taken".to_owned(),
            Kind::Slic => format!("The rule {} can be violated", title(property)),
            Kind::Never => format!("{} accepts some execution", title(property)),
        };
        if let Some(Annotated {
            subject,
            trace,
            annotation,
            ..
        }) = shown
        {
            if let Some(reason) = summary::reason(subject, trace, annotation) {
                text = format!("{text}: {}", clipped(&reason, LONGEST_NAME));
            }
            let around = trace::describe_loop(subject, trace);
            if !around.is_empty() {
                text = format!("{text}; {}", clipped(&around, LONGEST_NAME));
            }
        }
        text.push('.');
        let missing = self
            .conclusion
            .reason
            .map(|reason| format!("No trace: {reason}"));
        let missing = missing.or(text::remark(&self.explanation.trace, self.report.advice));
        for sentence in missing.into_iter().chain(remark) {
            text.push(' ');
            let mut rest = sentence.chars();
            text.extend(rest.next().into_iter().flat_map(char::to_uppercase));
            text.extend(rest.chain(['.']));
        }
        text
    }

    /// The label that is reached, the one assertion that fails, or where executions begin.
    fn site_without_trace(&self) -> Site {
        let goal = &self.explanation.ground.property;
        let step = |number| Step::new(Location::At(number), 0, Valuation::new(&[], &[]));
        let step = match (self.subject, goal) {
            (Subject::Program(_), Property::Reach(points) | Property::Assertion(points)) => {
                points.first().map(|point| step(point.0))
            }
            (Subject::Program(program), _) => Some(step(program.entry_point().0)),
            (Subject::System(system), Property::OnTop { symbols, .. }) => {
                let mut rules = symbols.iter().flat_map(|symbol| system.rules_of(*symbol));
                rules.next().map(|rule| Step {
                    rule: Some(rule.0),
                    ..step(0)
                })
            }
            (Subject::System(_), _) => None,
        };
        let site = step.and_then(|step| site_of(self.subject, &step));
        site.unwrap_or_else(|| Site {
            file: None,
            region: BEGINNING,
            procedure: String::new(),
            statement: String::new(),
        })
    }
}

impl Error {
    /// Writes the SARIF 2.1.0 log of a run that came to this error: what is wrong with the
    /// input, a result for each.
    pub fn write_sarif(&self, input: &str, mut out: impl Write) -> std::io::Result<()> {
        let Error::Internal(_) = self else {
            return Notice::write_sarif(&self.notices(), input, out);
        };
        // That is no mistake of the input.
        let notification = Notification {
            descriptor: INTERNAL,
            associated_rule: None,
            level: "error",
            message: message(&self.to_string()),
            properties: None,
        };
        let findings = Findings {
            notifications: vec![notification],
            ..Findings::default()
        };
        write_failure(input, findings, &mut out)
    }
}

impl Notice {
    /// Writes the SARIF 2.1.0 log of a run that could not begin: the errors among these, a
    /// result for each.
    pub fn write_sarif(
        notices: &[Notice],
        input: &str,
        mut out: impl Write,
    ) -> std::io::Result<()> {
        let errors = notices.iter().filter(|one| one.level == Severity::Error);
        let findings = Findings {
            results: errors.map(|error| wrong_input(input, error)).collect(),
            ..Findings::default()
        };
        write_failure(input, findings, &mut out)
    }
}

fn write_failure(input: &str, findings: Findings<'_>, out: &mut impl Write) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, &Log::new(&uri(input), false, findings))?;
    writeln!(out)
}

fn wrong_input(input: &str, error: &Notice) -> ResultObject<'static> {
    let hint = error.hint.as_ref().map(|hint| format!(" ({hint})"));
    let text = format!("{}{}.", error.message, hint.unwrap_or_default());
    // What was written on the command line is shown at the beginning of the input.
    let file = error.file.as_deref().unwrap_or(input);
    let places = [
        (error.line, error.column),
        (error.end_line, error.end_column),
    ];
    let region = match (&error.file, places) {
        (Some(_), [(1.., 1..), (1.., 1..)]) => {
            region(places.map(|(line, column)| Position { line, column }))
        }
        (Some(_), [(start_line @ 1.., _), _]) => Region {
            start_line,
            ..BEGINNING
        },
        _ => BEGINNING,
    };
    let artifact = ArtifactLocation {
        uri: uri(file),
        index: (file == input).then_some(0),
    };
    ResultObject {
        rule_id: INPUT.id,
        rule_index: INPUT.index,
        level: "error",
        message: message(&clipped(&text, LONGEST_NAME)),
        locations: [location(artifact, region)],
        partial_fingerprints: Fingerprints {
            statement: fingerprint(&[INPUT.id, &error.message]),
        },
        code_flows: Vec::new(),
        properties: None,
    }
}
