//! Witnesses in SV-COMP's format 2.0: YAML, for validators of other tools.
//!
//! What predicates have proved has the invariants of loops. A violation is a sequence of segments. Each but the last is what a function without body has returned,
//! at its call; the last one is the target, where the violation happens. Linear in the inputs.

mod invariants;
mod sha256;

use super::steps::Annotated;
use super::{Evidence, Report};
use crate::check::Verdict;
use crate::model::Form;
use crate::program::{PointId, Program};
use crate::property::{Kind, Request};
use crate::retrace::Input;
use crate::rules::Subject;
use sha256::sha256;
use std::fmt::Write as _;
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

/// Writes the witness of the first violation that has one, or else of the first property that
/// predicates have proved. Whether there is one.
pub fn write(report: &Report, time: SystemTime, out: &mut impl Write) -> std::io::Result<bool> {
    let Evidence::Read(list) = &report.evidence else {
        return Ok(false);
    };
    let conclusions = report.conclusions.iter().zip(list);
    for (conclusion, explanation) in conclusions {
        let kind = conclusion.property.kind;
        let is_finite = !matches!(kind, Kind::Terminates | Kind::Ltl | Kind::Never);
        if conclusion.verdict != Some(Verdict::Violated) || !is_finite {
            continue;
        }
        let Some(shown) = explanation.shown() else {
            continue;
        };
        let annotated = shown.annotated(explanation.ground.subject());
        let Some(execution) = &shown.execution else {
            continue;
        };
        let task = Task {
            files: given(&execution.program),
            data_model: execution.data_model,
            specification: specification(&conclusion.property),
            time,
        };
        let mut text = String::from("- entry_type: violation_sequence\n");
        task.write_metadata(&mut text);
        // Of rounds that were left out the inputs are not known, nor which of all it is that comes next.
        let inputs = match execution.is_whole {
            true => &execution.inputs[..],
            false => &[],
        };
        write_content(&mut text, annotated, inputs, rule(&conclusion.property));
        out.write_all(text.as_bytes())?;
        return Ok(true);
    }
    for (conclusion, explanation) in report.conclusions.iter().zip(list) {
        let summary = conclusion.abstraction.as_ref();
        let invariants = summary.and_then(|summary| summary.invariants.as_ref());
        if let (Some(Verdict::Holds), None) = (conclusion.verdict, conclusion.reason)
            && let (Some(invariants), Form::C(unit, lowered)) =
                (invariants, &explanation.ground.form)
        {
            let task = Task {
                files: given(&lowered.program),
                data_model: unit.typed.types.model.name(),
                specification: specification(&conclusion.property),
                time,
            };
            let mut text = String::from("- entry_type: invariant_set\n");
            task.write_metadata(&mut text);
            invariants::write(&mut text, &unit.typed, lowered, invariants);
            out.write_all(text.as_bytes())?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// What a witness says beside its content.
struct Task<'a> {
    /// The files that were given, with the hashes of their bytes.
    files: Vec<(&'a str, String)>,
    data_model: &'static str,
    specification: String,
    time: SystemTime,
}

/// The file that was given: those that it includes are no inputs.
fn given(program: &Program) -> Vec<(&str, String)> {
    let source = &program.source;
    let first = source.first_file();
    vec![(source.name(), sha256(first))]
}

/// The file of the rule that a property is, if it is one: nothing there is a place of the program.
fn rule(property: &Request) -> Option<&str> {
    (property.kind == Kind::Slic).then_some(&property.text[..])
}

fn write_content(
    text: &mut String,
    annotated: Annotated<'_>,
    inputs: &[Input],
    rule: Option<&str>,
) {
    text.push_str("  content:\n");
    for input in inputs {
        let place = Place {
            file: &input.file,
            // The parenthesis that closes the call.
            line: input.end_line,
            column: input.end_column,
            function: &input.caller,
        };
        // Other pointers have no name that a validator could know.
        let value = match input.value.parse::<i128>() {
            Ok(_) => input.value.clone(),
            Err(_) if input.value == "null" => "0".to_owned(),
            // The name of an enumeration's constant.
            Err(_) if !input.value.contains(['&', ' ']) => input.value.clone(),
            Err(_) => continue,
        };
        let constraint = format!("\\result == {value}");
        segment(text, "function_return", &place, Some(&constraint));
    }
    if let Some(place) = target(annotated, rule) {
        segment(text, "target", &place, None);
    }
}

/// Where something is.
struct Place<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    function: &'a str,
}

/// The place of the last step that has one in the program.
fn target<'a>(annotated: Annotated<'a>, rule: Option<&str>) -> Option<Place<'a>> {
    let Subject::Program(program) = annotated.subject else {
        return None;
    };
    let steps = annotated.trace.stem.iter().rev();
    let mut points = steps.filter_map(|step| Some(program.point(PointId(step.at()?))));
    let point = points.find(|point| Some(program.source.file_of(point.span.start)) != rule)?;
    let position = program.source.position(point.span.start);
    Some(Place {
        file: program.source.file_of(point.span.start),
        line: position.line,
        column: position.column,
        function: program.names.text(program.procedure(point.procedure).name),
    })
}

fn segment(text: &mut String, kind: &str, place: &Place<'_>, constraint: Option<&str>) {
    let _ = write!(
        text,
        "  - segment:\n    - waypoint:\n        type: {kind}\n        action: follow\n"
    );
    if let Some(constraint) = constraint {
        let _ = write!(
            text,
            "        constraint:\n          value: {}\n          format: acsl_expression\n",
            quoted(constraint)
        );
    }
    let _ = write!(
        text,
        "        location:\n          file_name: {}\n          line: {}\n          column: {}\n          \
         function: {}\n",
        quoted(place.file),
        place.line,
        place.column,
        quoted(place.function)
    );
}

impl Task<'_> {
    /// What every witness says of itself.
    fn write_metadata(&self, text: &mut String) {
        let _ = write!(
            text,
            "  metadata:\n    format_version: \"2.0\"\n    uuid: {}\n    creation_time: {}\n    \
             producer:\n      name: derny\n      version: {}\n    task:\n      input_files:\n",
            quoted(&self.uuid()),
            quoted(&date(self.time)),
            quoted(env!("CARGO_PKG_VERSION")),
        );
        for (file, _) in &self.files {
            let _ = writeln!(text, "      - {}", quoted(file));
        }
        text.push_str("      input_file_hashes:\n");
        for (file, hash) in &self.files {
            let _ = writeln!(text, "        {}: {}", quoted(file), quoted(hash));
        }
        let _ = write!(
            text,
            "      specification: {}\n      data_model: {}\n      language: C\n",
            quoted(&self.specification),
            self.data_model
        );
    }

    /// A number for the witness that is the same for the same task: of version 8, which is free to
    /// be made from a hash.
    fn uuid(&self) -> String {
        let files = self
            .files
            .iter()
            .map(|(file, hash)| format!("{file}:{hash};"));
        let all: String = files.chain([self.specification.clone()]).collect();
        let hash = sha256(all.as_bytes());
        format!(
            "{}-{}-8{}-8{}-{}",
            &hash[..8],
            &hash[8..12],
            &hash[12..15],
            &hash[15..18],
            &hash[18..30]
        )
    }
}

/// The property, as SV-COMP writes it.
fn specification(property: &Request) -> String {
    let what = match property.kind {
        Kind::NoOverflow => "overflow".to_owned(),
        Kind::Reach => {
            let text = &property.text;
            match text
                .strip_prefix("call(")
                .and_then(|rest| rest.strip_suffix(')'))
            {
                Some(function) => format!("call({function}())"),
                None => format!("label({text})"),
            }
        }
        Kind::Defined => return "CHECK( init(main()), LTL(G def-behavior) )".to_owned(),
        Kind::Terminates => return "CHECK( init(main()), LTL(F end) )".to_owned(),
        Kind::Ltl => return format!("CHECK( init(main()), LTL({}) )", property.text),
        _ => "call(reach_error())".to_owned(),
    };
    format!("CHECK( init(main()), LTL(G ! {what}) )")
}

/// A time as ISO 8601 has it, in UTC.
fn date(time: SystemTime) -> String {
    let since = time
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    let (days, seconds) = (since / 86_400, since % 86_400);
    // Years that begin in March, counted from the year 0 (Hinnant's algorithm).
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let year = era * 400 + year + u64::from(month >= 10);
    let month = if month < 10 { month + 3 } else { month - 9 };
    let (hour, minute) = (seconds / 3_600, seconds % 3_600 / 60);
    let second = seconds % 60;
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// A text in double quotes.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            character if character.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(character));
            }
            character => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_are_written_as_dates() {
        let at = |seconds| date(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_735_689_599), "2024-12-31T23:59:59Z");
    }
}
