//! What a program supplies to equations: names, domains, and which programs have them.

use super::domain::{DomainId, GLOBALS, POINT, STATE};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Supplied {
    Entry,
    Exit,
    Init,
    Target,
    Across,
    ProgramInt,
    IntoCall,
    Return,
    ReturnA,
    ReturnB,
    InProcedure,
    Start,
    StartGlobals,
    InitReaches,
    MaySwitch,
    End,
}

/// Which programs have a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    Always,
    WithThreads,
    WithoutThreads,
}

/// A parameter's domain: one of those that are known from the start, or that of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Of(DomainId),
    Thread,
}

pub struct Entry {
    pub relation: Supplied,
    pub name: &'static str,
    pub availability: Availability,
    pub parameters: &'static [(&'static str, Place)],
}

const PC: Place = Place::Of(POINT);
const S: Place = Place::Of(STATE);

const fn entry(
    relation: Supplied,
    name: &'static str,
    availability: Availability,
    parameters: &'static [(&'static str, Place)],
) -> Entry {
    Entry {
        relation,
        name,
        availability,
        parameters,
    }
}

use Availability::{Always, WithThreads, WithoutThreads};

pub const SUPPLIED: &[Entry] = &[
    entry(Supplied::Entry, "Entry", Always, &[("p", PC)]),
    entry(Supplied::Exit, "Exit", Always, &[("p", PC)]),
    entry(Supplied::Init, "Init", WithoutThreads, &[("p", PC)]),
    entry(Supplied::Target, "Target", Always, &[("p", PC)]),
    entry(Supplied::Across, "Across", Always, &[("c", PC), ("r", PC)]),
    entry(
        Supplied::ProgramInt,
        "ProgramInt",
        Always,
        &[("u", S), ("v", S)],
    ),
    entry(
        Supplied::IntoCall,
        "IntoCall",
        Always,
        &[("u", S), ("v", S)],
    ),
    entry(
        Supplied::Return,
        "Return",
        Always,
        &[("u", S), ("z", S), ("v", S)],
    ),
    entry(
        Supplied::ReturnA,
        "ReturnA",
        Always,
        &[("u", S), ("e", PC), ("v", S)],
    ),
    entry(
        Supplied::ReturnB,
        "ReturnB",
        Always,
        &[("c", PC), ("z", S), ("v", S)],
    ),
    entry(
        Supplied::InProcedure,
        "InProcedure",
        Always,
        &[("p", PC), ("q", PC)],
    ),
    entry(
        Supplied::Start,
        "Start",
        WithThreads,
        &[("t", Place::Thread), ("u", S)],
    ),
    entry(
        Supplied::StartGlobals,
        "StartGlobals",
        WithThreads,
        &[("g", Place::Of(GLOBALS))],
    ),
    entry(
        Supplied::InitReaches,
        "InitReaches",
        WithThreads,
        &[("p", PC)],
    ),
    entry(Supplied::MaySwitch, "MaySwitch", WithThreads, &[("u", S)]),
    entry(Supplied::End, "End", WithThreads, &[("u", S), ("v", S)]),
];

/// Names of domains and constants that are supplied.
pub const DOMAINS: [&str; 5] = ["PC", "Locals", "Globals", "State", "Thread"];

/// Why a program has no relation of this name, which others have.
pub fn missing(name: &str, has_threads: bool) -> Option<&'static str> {
    let entry = SUPPLIED.iter().find(|entry| entry.name == name)?;
    entry.missing(has_threads)
}

impl Entry {
    /// Why a program has no such relation, if it has none.
    pub fn missing(&self, has_threads: bool) -> Option<&'static str> {
        match (self.availability, has_threads) {
            (WithThreads, false) => Some("it is for programs with threads, and this one has none"),
            (WithoutThreads, true) => {
                Some("it is for programs without threads: use `Start` and `StartGlobals`")
            }
            _ => None,
        }
    }
}
