//! The objects of a SARIF log that are written here, with the names that the standard gives
//! them.

use super::rules::{NOTIFICATIONS, RULES, Rule};
use serde::Serialize;
use std::collections::BTreeMap;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

#[derive(Serialize)]
pub struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Run<'a> {
    tool: Tool,
    invocations: [Invocation<'a>; 1],
    artifacts: [Artifact; 1],
    column_kind: &'static str,
    results: Vec<ResultObject<'a>>,
    properties: RunProperties<'a>,
}

/// What a run found.
#[derive(Default)]
pub struct Findings<'a> {
    pub results: Vec<ResultObject<'a>>,
    pub holds: Vec<PropertyObject<'a>>,
    /// Why there is no answer, or not all of it.
    pub notifications: Vec<Notification<'a>>,
}

impl<'a> Log<'a> {
    /// The log of a run on one input.
    pub fn new(uri: &str, is_successful: bool, findings: Findings<'a>) -> Self {
        let run = Run {
            tool: Tool {
                driver: Driver {
                    name: "derny",
                    semantic_version: env!("CARGO_PKG_VERSION"),
                    rules: &RULES,
                    notifications: &NOTIFICATIONS,
                },
            },
            invocations: [Invocation {
                execution_successful: is_successful,
                tool_execution_notifications: findings.notifications,
            }],
            artifacts: [Artifact {
                location: ArtifactLocation {
                    uri: uri.to_owned(),
                    index: Some(0),
                },
                roles: ["analysisTarget"],
            }],
            column_kind: "unicodeCodePoints",
            results: findings.results,
            properties: RunProperties {
                holds: findings.holds,
            },
        };
        Log {
            schema: SCHEMA,
            version: "2.1.0",
            runs: [run],
        }
    }
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    rules: &'static [Rule],
    notifications: &'static [Rule],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation<'a> {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Notification<'a> {
    pub descriptor: Reference,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub associated_rule: Option<Reference>,
    pub level: &'static str,
    pub message: Message,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<ResultProperties<'a>>,
}

/// A rule, or a kind of notification.
#[derive(Serialize)]
pub struct Reference {
    pub id: &'static str,
    pub index: usize,
}

#[derive(Serialize)]
struct Artifact {
    location: ArtifactLocation,
    roles: [&'static str; 1],
}

#[derive(Serialize)]
struct RunProperties<'a> {
    /// What no execution violates.
    holds: Vec<PropertyObject<'a>>,
}

/// A property as JSON reports have it.
#[derive(Serialize)]
pub struct PropertyObject<'a> {
    pub kind: &'static str,
    pub text: &'a str,
    pub name: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultObject<'a> {
    pub rule_id: &'static str,
    pub rule_index: usize,
    pub level: &'static str,
    pub message: Message,
    pub locations: [Location; 1],
    pub partial_fingerprints: Fingerprints,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub code_flows: Vec<CodeFlow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<ResultProperties<'a>>,
}

#[derive(Serialize)]
pub struct ResultProperties<'a> {
    pub property: PropertyObject<'a>,
}

#[derive(Serialize)]
pub struct Fingerprints {
    #[serde(rename = "propertyAndStatement/v1")]
    pub statement: String,
}

/// A text that is shown, with nothing in it that could be taken for a placeholder or a link.
#[derive(Serialize)]
pub struct Message {
    pub text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    pub physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logical_locations: Vec<LogicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PhysicalLocation {
    pub artifact_location: ArtifactLocation,
    pub region: Region,
}

#[derive(Clone, Serialize)]
pub struct ArtifactLocation {
    pub uri: String,
    /// Among the artifacts of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
}

/// Lines and columns from 1; the last column is the one after the last character.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Region {
    pub start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<u32>,
}

#[derive(Serialize)]
pub struct LogicalLocation {
    pub name: String,
    pub kind: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CodeFlow {
    /// One, or with threads one for each that runs.
    pub thread_flows: Vec<ThreadFlow>,
}

#[derive(Serialize)]
pub struct ThreadFlow {
    /// The name of the thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub locations: Vec<FlowLocation>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FlowLocation {
    pub location: Location,
    pub kinds: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<BTreeMap<String, Message>>,
    pub nesting_level: u32,
    pub execution_order: usize,
    pub importance: &'static str,
}
