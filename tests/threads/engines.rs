//! The symbolic engines against the twin: verdicts, bounds, and the fewest switches or rounds.

use super::{cheapest, points};
use derny::internals::check::{Finding, Options, SwitchBounds, TraceFinding};
use derny::internals::explicit::threads::{Exploration, Found, Measure};
use derny::internals::interpreter::threads::replay;
use derny::internals::program::Program;
use derny::internals::property::Property;
use derny::internals::threads::Plan;
use derny::internals::trace::Trace;
use derny::{PropertyKind as Kind, Verdict};

/// BDD nodes of programs this small take little; a larger store only takes time to make.
const MEMORY: u64 = 16 << 20;
/// More than any of them needs.
const OPERATIONS: u64 = 200_000;

/// What is asked of an engine about each question.
pub struct Inquiry<'a> {
    pub program: &'a Program,
    /// Labels, and `!` for the assertions.
    pub questions: &'a [&'a str],
    pub measure: Measure,
    /// The bound that is given, or else how far the search goes without one.
    pub most: u32,
    pub is_bounded: bool,
    /// What the twin has found, at least up to the bound.
    pub twin: &'a Exploration,
}

/// How many were violated, held, and remained unknown.
pub type Tally = [usize; 3];

impl Inquiry<'_> {
    /// Asks, and says what is wrong with the answers.
    pub fn ask(&self) -> Result<Tally, String> {
        let findings = self.findings()?;
        let mut tally = [0; 3];
        for (question, finding) in self.questions.iter().zip(findings) {
            let twin = cheapest(self.program, self.twin, question);
            let judged = match finding.verdict {
                Some(Verdict::Violated) => self.violated(&finding, question, twin).map(|()| 0),
                Some(Verdict::Holds) => self.holds(&finding, twin).map(|()| 1),
                None => self.unknown(&finding, twin).map(|()| 2),
            };
            let (measure, most) = (self.measure, self.most);
            let bound = if self.is_bounded { "within" } else { "up to" };
            tally[judged
                .map_err(|error| format!("{question}, {measure:?} {bound} {most}: {error}"))?] += 1;
        }
        Ok(tally)
    }

    fn findings(&self) -> Result<Vec<Finding>, String> {
        let given = self.is_bounded.then_some(self.most);
        let bounds = SwitchBounds {
            switches: given.filter(|_| self.measure == Measure::Switches),
            rounds: given.filter(|_| self.measure == Measure::Rounds),
            most: self.most,
        };
        let options = Options {
            bounds,
            memory: MEMORY,
            operations: OPERATIONS,
            ..Options::default()
        };
        let property = |question: &&str| match *question {
            "!" => super::library::property(self.program, Kind::Assertions, "assertions"),
            label => super::library::property(self.program, Kind::Reach, label),
        };
        let properties: Vec<Property> = (self.questions.iter())
            .map(property)
            .collect::<Result<_, _>>()?;
        super::library::findings(self.program, &properties, &options)
            .map_err(|error| format!("{error:?}"))
    }

    fn is_finite(&self) -> bool {
        Plan::of(self.program).is_some()
    }

    /// The twin has seen everything that is within a bound.
    fn is_exact(&self, bound: u32) -> bool {
        self.twin.is_complete || self.twin.exact.is_some_and(|exact| exact >= bound)
    }

    fn violated(
        &self,
        finding: &Finding,
        question: &str,
        twin: Option<Found>,
    ) -> Result<(), String> {
        let TraceFinding::Found(trace) = &finding.trace else {
            return Err(format!("no trace: {:?}", finding.trace));
        };
        let replayed = replay(self.program, trace).map_err(|mismatch| mismatch.to_string())?;
        let count = match self.measure {
            Measure::Switches => replayed.switches,
            Measure::Rounds => replayed.rounds,
        };
        let count = count as u32;
        // Without a bound, all of a finite program is looked at.
        if count > self.most && (self.is_bounded || !self.is_finite()) {
            return Err(format!("a trace with {count}"));
        }
        if !shows(self.program, trace, question) {
            return Err("a trace that leads elsewhere".into());
        }
        match twin {
            Some(found) if count > found.bound => Err(format!(
                "a trace with {count}, but {} are enough",
                found.bound
            )),
            Some(found) if count < found.bound && self.is_exact(count) => {
                Err(format!("a trace with {count}, which the twin has not seen"))
            }
            None if self.is_exact(count) => Err("the twin has seen no such thing".into()),
            _ => Ok(()),
        }
    }

    fn holds(&self, finding: &Finding, twin: Option<Found>) -> Result<(), String> {
        let bound = finding.bound.ok_or("no bound")?;
        if self.is_bounded && bound.value != self.most {
            return Err(format!("it holds within {} only", bound.value));
        }
        match twin {
            Some(found) if bound.complete || found.bound <= bound.value => Err(format!(
                "it holds ({bound:?}), but the twin needs {} only",
                found.bound
            )),
            _ if !self.is_bounded && !bound.complete => Err("it holds, but not always".into()),
            _ => Ok(()),
        }
    }

    fn unknown(&self, finding: &Finding, twin: Option<Found>) -> Result<(), String> {
        let bound = finding.bound.ok_or("unknown, and no bound")?;
        match twin {
            _ if self.is_finite() => Err(format!("unknown, though finite: {bound:?}")),
            _ if self.is_bounded || bound.value != self.most || bound.complete => {
                Err(format!("unknown: {bound:?}"))
            }
            Some(found) if found.bound <= bound.value => Err(format!(
                "unknown ({bound:?}), but the twin needs {} only",
                found.bound
            )),
            _ => Ok(()),
        }
    }
}

/// Whether a trace ends with what is asked for.
fn shows(program: &Program, trace: &Trace, question: &str) -> bool {
    let Some(last) = trace.stem.last() else {
        return false;
    };
    match question {
        "!" => last.is_stopped() && trace.failure.is_some(),
        label => {
            let points = points(program, label);
            points.iter().any(|point| last.at() == Some(point.0))
        }
    }
}
