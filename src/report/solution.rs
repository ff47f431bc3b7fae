//! Values of queries and relations: text, JSON, and what they took.

use super::harmless::harmless;
use crate::bdd::Natural;
use crate::diagnostic::Advice;
use crate::error::Reason;
use serde::Serialize;
use serde_json::json;
use std::fmt;
use std::io::{self, Write};

/// What was computed of the relations that equations define. Displayed, it is the text.
#[derive(Debug, Default)]
pub struct Solution {
    /// The name of the program.
    pub(crate) input: String,
    pub(crate) queries: Vec<QueryValue>,
    pub(crate) relations: Vec<RelationValue>,
    pub(crate) efforts: Vec<RelationEffort>,
    pub(crate) is_measured: bool,
    pub(crate) seconds: f64,
    /// Why something is missing, if it is.
    pub(crate) reason: Option<Reason>,
    pub(crate) advice: Advice,
}

#[derive(Debug, Serialize)]
pub(crate) struct QueryValue {
    pub name: String,
    /// `None` as long as it is not known.
    pub value: Option<bool>,
}

impl QueryValue {
    pub fn unknown(name: String) -> Self {
        QueryValue { name, value: None }
    }
}

#[derive(Debug)]
pub(crate) struct RelationValue {
    pub name: String,
    pub count: Option<Natural>,
    pub tuples: Option<Vec<String>>,
    /// How many tuples are not listed.
    pub more: Option<String>,
}

impl RelationValue {
    pub fn unknown(name: &str) -> Self {
        RelationValue {
            name: name.to_owned(),
            count: None,
            tuples: None,
            more: None,
        }
    }
}

/// What it took to compute a relation.
#[derive(Debug, Serialize)]
pub(crate) struct RelationEffort {
    pub name: String,
    pub rounds: u64,
    /// BDD nodes at the end, and at most.
    pub nodes: usize,
    pub peak_nodes: usize,
    pub seconds: f64,
}

impl Solution {
    /// With advice in what people see.
    pub fn advise(mut self, advice: Advice) -> Self {
        self.advice = advice;
        self
    }

    /// The queries in their order, each with its value, if that is known.
    pub fn queries(&self) -> impl Iterator<Item = (&str, Option<bool>)> {
        let queries = self.queries.iter();
        queries.map(|query| (query.name.as_str(), query.value))
    }

    /// The value of a query, if it is known.
    pub fn query(&self, name: &str) -> Option<bool> {
        let mut queries = self.queries();
        queries.find(|(known, _)| *known == name)?.1
    }

    /// How many tuples a relation has, in decimal digits; `None` if that was not asked, or is
    /// not known.
    pub fn count(&self, relation: &str) -> Option<String> {
        let mut relations = self.relations.iter();
        let found = relations.find(|known| known.name == relation)?;
        found.count.as_ref().map(Natural::to_string)
    }

    /// The tuples of a relation that are listed; `None` if that was not asked, or they are not
    /// known.
    pub fn tuples(&self, relation: &str) -> Option<&[String]> {
        let mut relations = self.relations.iter();
        let found = relations.find(|known| known.name == relation)?;
        found.tuples.as_deref()
    }

    /// Why something is missing, if it is.
    pub fn reason(&self) -> Option<Reason> {
        self.reason
    }

    /// Writes queries, counts and tuples for people.
    pub fn write_text(&self, mut out: impl Write) -> io::Result<()> {
        let unknown = match self.reason {
            Some(reason) => format!(" ({reason}{})", self.advice.about(reason)),
            None => String::new(),
        };
        for query in &self.queries {
            match query.value {
                Some(value) => writeln!(out, "{value} {}", query.name)?,
                None => writeln!(out, "unknown {}{unknown}", query.name)?,
            }
        }
        for relation in &self.relations {
            let name = &relation.name;
            match (&relation.count, &relation.tuples) {
                (None, None) => writeln!(out, "unknown {name}{unknown}")?,
                (Some(count), _) => writeln!(out, "{count} {name}")?,
                (None, Some(_)) => writeln!(out, "{name}:")?,
            }
            for tuple in relation.tuples.iter().flatten() {
                writeln!(out, "  {}", harmless(tuple))?;
            }
            if let Some(more) = &relation.more {
                writeln!(out, "  ... and {more} more")?;
            }
        }
        if self.queries.is_empty() && self.relations.is_empty() && self.reason.is_some() {
            writeln!(out, "unknown{unknown}")?;
        }
        Ok(())
    }

    /// Writes one JSON object and a line break.
    pub fn write_json(&self, mut out: impl Write) -> io::Result<()> {
        let relations = self.relations.iter().map(|relation| {
            json!({
                "name": relation.name,
                "count": relation.count.as_ref().map(Natural::to_string),
                "tuples": relation.tuples,
            })
        });
        let relations: Vec<_> = relations.collect();
        let mut stats = json!({ "seconds": self.seconds });
        if self.is_measured {
            stats["relations"] = json!(self.efforts);
        }
        let whole = json!({
            "queries": self.queries,
            "relations": relations,
            "stats": stats,
        });
        serde_json::to_writer(&mut out, &whole)?;
        writeln!(out)
    }

    /// Writes what each relation took, for people.
    pub fn write_statistics(&self, mut out: impl Write) -> io::Result<()> {
        writeln!(out, "{}: {:.3} s", self.input, self.seconds)?;
        for effort in &self.efforts {
            if effort.rounds == 0 {
                writeln!(out, "{}: no rounds of its own", effort.name)?;
                continue;
            }
            writeln!(
                out,
                "{}: {} rounds, {} nodes, at most {}, {:.3} s",
                effort.name, effort.rounds, effort.nodes, effort.peak_nodes, effort.seconds
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Solution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        self.write_text(&mut text).map_err(|_| fmt::Error)?;
        f.write_str(String::from_utf8_lossy(&text).trim_end())
    }
}
