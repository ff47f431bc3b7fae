//! What tests of the inside have in common: a program or pushdown system of a text, what a
//! property means in it, and the findings of a check.

// Each test file is a crate of its own and uses a part of this.
#![allow(dead_code)]

use derny::internals::check::{Board, Finding, Options, Subject, check};
use derny::internals::program::Program;
use derny::internals::property::{Property, resolve};
use derny::internals::pushdown::System;
use derny::internals::{program, system, watch::Watch};
use derny::{Error, Language, Overflow, PropertyKind, Reader};
use std::io::Cursor;
use std::sync::Arc;
use std::time::Instant;

fn program_by(reader: &Reader, text: &str) -> Result<Arc<Program>, Error> {
    let model = reader.read_from("program", Cursor::new(text.to_owned()))?;
    Ok(program(&model).expect("this language is one of programs"))
}

/// A boolean program.
pub fn boolean_program(text: &str) -> Result<Arc<Program>, Error> {
    program_by(&Reader::new().language(Language::BooleanProgram), text)
}

/// A Remopla program.
pub fn remopla(text: &str, overflow: Overflow) -> Result<Arc<Program>, Error> {
    let reader = Reader::new().language(Language::Remopla);
    program_by(&reader.overflow(overflow), text)
}

/// A pushdown system.
pub fn pushdown_system(text: &str) -> Result<Arc<System>, Error> {
    let model = derny::Model::parse(Language::PushdownSystem, text)?;
    Ok(system(&model).expect("this language is one of pushdown systems"))
}

/// A program that has no errors.
pub fn read(text: &str) -> Arc<Program> {
    boolean_program(text).unwrap_or_else(|error| panic!("the program has errors: {error}\n{text}"))
}

/// A Remopla program that has no errors.
pub fn read_remopla(text: &str, overflow: Overflow) -> Arc<Program> {
    let program = remopla(text, overflow);
    program.unwrap_or_else(|error| panic!("the program has errors: {error}\n{text}"))
}

/// What a property means; or that it means nothing.
pub fn property<'s>(
    subject: impl Into<Subject<'s>>,
    kind: PropertyKind,
    text: &str,
) -> Result<Property, String> {
    let subject: Subject<'s> = subject.into();
    let property = resolve(subject, &derny::Property::new(kind, text));
    property.map_err(|error| format!("{text}: {error:?}"))
}

/// What a check finds.
pub fn findings<'s>(
    subject: impl Into<Subject<'s>>,
    properties: &[Property],
    options: &Options,
) -> Result<Vec<Finding>, Error> {
    let board = Board::new(Instant::now(), properties.len());
    check(subject, properties, options, &Watch::default(), &board)?;
    Ok(board.take_findings())
}
