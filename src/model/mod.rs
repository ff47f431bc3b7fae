//! What is to be checked, in any language.

mod c;
mod observation;
mod reader;
mod rule;
mod translation;

use c::Lowering;
pub(crate) use c::{Unit, Variant};
pub use reader::{Reader, Reading};

use crate::diagnostic::Diagnostic;
use crate::error::{Diagnostics, Error};
use crate::lower::c::Lowered;
use crate::program::{Boundary, Program};
use crate::property::{self, InC, Naming, OTHERS, Request};
use crate::pushdown::System;
use crate::retrace::Provenance;
use crate::rules::Subject;
use crate::source::Source;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// The language of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Boolean programs, in files `.bp`.
    BooleanProgram,
    /// Remopla programs, in files `.rem`.
    Remopla,
    /// Symbolic pushdown systems, in files `.pds`.
    PushdownSystem,
    /// C, in files `.c`, and preprocessed in files `.i`.
    C,
}

impl Language {
    /// The language of files with this extension.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "bp" => Some(Language::BooleanProgram),
            "rem" => Some(Language::Remopla),
            "pds" => Some(Language::PushdownSystem),
            "c" | "i" => Some(Language::C),
            _ => None,
        }
    }
}

/// A program or a pushdown system without errors. A clone is the same one.
///
/// ```
/// # fn main() -> Result<(), derny::Error> {
/// let model = derny::Model::read("examples/lock.bp")?;
/// assert_eq!(model.language(), derny::Language::BooleanProgram);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Model {
    content: Content,
    language: Language,
    source: Arc<Source>,
    warnings: Diagnostics,
    /// When it began to be read, and to be parsed.
    pub(crate) times: [Instant; 2],
}

/// What was read.
#[derive(Clone, Debug)]
enum Content {
    Program(Arc<Program>),
    System(Arc<System>),
    C(Arc<Unit>),
}

/// What is checked: a model, or what has been made of it for a property.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    Program(Arc<Program>),
    System(Arc<System>),
    /// A variant of a C program.
    C(Arc<Unit>, Arc<Lowered>),
}

impl Form {
    /// Whether a C program declares a function, or a variable of one or of none, whether it has a role
    /// in the form or not.
    pub(crate) fn declares(&self, function: Option<&str>, name: &str) -> bool {
        match self {
            Form::C(unit, _) => unit.declares(function, name),
            Form::Program(_) | Form::System(_) => false,
        }
    }

    pub(crate) fn subject(&self) -> Subject<'_> {
        match self {
            Form::Program(program) => Subject::Program(program),
            Form::System(system) => Subject::System(system),
            Form::C(_, lowered) => Subject::Program(&lowered.program),
        }
    }

    /// What names mean in it.
    pub(crate) fn naming(&self) -> Naming<'_> {
        let c = match self {
            Form::Program(_) | Form::System(_) => None,
            Form::C(unit, lowered) => Some(InC {
                typed: &unit.typed,
                program: &lowered.program,
                observed: &unit.observed,
                origin: &lowered.origin,
            }),
        };
        let subject = self.subject();
        Naming { subject, c }
    }

    /// Of a C program, what it was made from; `whole` is the form that it was made smaller from.
    pub(crate) fn provenance(&self, whole: &Form) -> Option<Arc<dyn Provenance>> {
        match (self, whole) {
            (Form::C(unit, lowered), Form::C(_, whole)) => Some(Arc::new(Lowering {
                unit: unit.clone(),
                lowered: lowered.clone(),
                whole: whole.clone(),
            })),
            _ => None,
        }
    }

    /// Whether points and variables have the same numbers in both.
    pub(crate) fn is(&self, other: &Form) -> bool {
        match (self, other) {
            (Form::C(_, one), Form::C(_, other)) => Arc::ptr_eq(one, other),
            (Form::C(..), _) | (_, Form::C(..)) => false,
            _ => true,
        }
    }

    /// The places that no execution gets past, although the real program might.
    pub(crate) fn boundaries(&self) -> Vec<Boundary> {
        match self {
            Form::Program(_) | Form::System(_) => Vec::new(),
            Form::C(unit, lowered) => unit.boundaries(&lowered.origin),
        }
    }
}

impl Model {
    /// The model in a file, whose extension tells the language. [`Reader`] has options.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        Reader::new().read(path)
    }

    /// The model in a text.
    ///
    /// ```
    /// # fn main() -> Result<(), derny::Error> {
    /// use derny::{Language, Model};
    /// let model = Model::parse(Language::BooleanProgram, "main() begin assert(1); end")?;
    /// let wrong = Model::parse(Language::BooleanProgram, "main() begin x := 1; end");
    /// assert!(wrong.unwrap_err().to_string().contains("unknown variable"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn parse(language: Language, text: impl Into<Vec<u8>>) -> Result<Self, Error> {
        let reader = Reader::new().language(language);
        reader.read_from("input", std::io::Cursor::new(text.into()))
    }

    /// The language it was written in.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The name of its file.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// Whether it is a program with threads: they are declared, or asked for by
    /// [`Reader::threads`], or created.
    pub fn has_threads(&self) -> bool {
        match &self.content {
            Content::Program(program) => program.threads.is_some(),
            Content::System(_) | Content::C(_) => false,
        }
    }

    /// The files that it was read from, if there may be several.
    pub(crate) fn files(&self) -> Option<&[String]> {
        match &self.content {
            Content::Program(_) | Content::System(_) => None,
            Content::C(unit) => Some(&unit.files),
        }
    }

    /// The form that a property is decided on. That of a C program is made when it is first needed,
    /// which can take a while.
    pub(crate) fn form_for(&self, request: &Request, watches: &[String]) -> Result<Form, Error> {
        let Content::C(unit) = &self.content else {
            return Ok(self.form());
        };
        let woven = match request.kind() {
            property::Kind::Slic => Some(unit.rule(request.text()).ok_or(Error::Unsupported(
                "the program was not read with this rule",
            ))?),
            _ => None,
        };
        let unit = woven.unwrap_or(unit);
        let variant = unit.variant(request.kind());
        let mut texts = request.expressions();
        texts.extend(watches.iter().map(|text| text.trim().to_owned()));
        if let Some((unit, lowered)) = Some(&texts)
            .filter(|texts| !texts.is_empty())
            .and_then(|texts| unit.observing(texts, variant))
        {
            return Ok(Form::C(unit, lowered));
        }
        let lowered = unit.lowered(variant);
        Ok(Form::C(unit.clone(), lowered.clone()))
    }

    /// The form that most properties are decided on.
    pub(crate) fn form(&self) -> Form {
        match &self.content {
            Content::Program(program) => Form::Program(program.clone()),
            Content::System(system) => Form::System(system.clone()),
            Content::C(unit) => {
                let lowered = unit.lowered(Variant::Plain);
                Form::C(unit.clone(), lowered.clone())
            }
        }
    }

    /// The same, borrowed.
    pub(crate) fn subject(&self) -> Subject<'_> {
        match &self.content {
            Content::Program(program) => Subject::Program(program),
            Content::System(system) => Subject::System(system),
            Content::C(unit) => Subject::Program(&unit.lowered(Variant::Plain).program),
        }
    }

    /// Says what is not possible if it is a program with threads.
    pub(crate) fn without_threads(&self, otherwise: &'static str) -> Result<(), Error> {
        match self.has_threads() {
            true => Err(Error::Unsupported(otherwise)),
            false => Ok(()),
        }
    }

    /// What is doubtful about it.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// The program, or what is said of a pushdown system.
    fn program(&self, otherwise: &'static str) -> Result<&Program, Error> {
        match self.subject() {
            Subject::Program(program) => Ok(program),
            Subject::System(_) => Err(Error::Unsupported(otherwise)),
        }
    }

    /// A property for each assertion of a program, in the order of the text; in Remopla one
    /// more, for overflow, indices and division, and in C where overflow fails.
    ///
    /// ```
    /// # fn main() -> Result<(), derny::Error> {
    /// use derny::{Language, Model};
    /// let text = "main() begin assert(1); end";
    /// let model = Model::parse(Language::BooleanProgram, text)?;
    /// assert_eq!(model.assertions()?[0].text(), "1:14");
    /// # Ok(())
    /// # }
    /// ```
    pub fn assertions(&self) -> Result<Vec<Request>, Error> {
        let program = self.program("a pushdown system has no assertions")?;
        if let Some(c) = self.form().naming().c {
            let mut places: Vec<_> = c.assertions().into_iter().map(|(place, _)| place).collect();
            places.dedup();
            places.extend(c.can_overflow().then(|| OTHERS.to_owned()));
            return Ok(places.into_iter().map(Request::assertion).collect());
        }
        let mut places: Vec<_> = property::assertions(program)
            .into_iter()
            .map(|(place, _)| property::spelling(place))
            .collect();
        places.dedup();
        let others = (self.language == Language::Remopla).then(|| OTHERS.to_owned());
        Ok(places
            .into_iter()
            .chain(others)
            .map(Request::assertion)
            .collect())
    }

    /// A program as a symbolic pushdown system, in the text form `.pds`, that has the same
    /// properties.
    ///
    /// ```
    /// # fn main() -> Result<(), derny::Error> {
    /// use derny::{Language, Model};
    /// let program = Model::read("examples/lock.bp")?;
    /// let system = Model::parse(Language::PushdownSystem, program.translate()?)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn translate(&self) -> Result<String, Error> {
        let program = self.program("this is a pushdown system already")?;
        self.without_threads(
            "translate is not for programs with threads: a pushdown system has one stack",
        )?;
        let translation = crate::translate::translate(program);
        let translation = translation.map_err(|wrong| self.diagnostics(wrong))?;
        Ok(translation.text)
    }

    fn diagnostics(&self, diagnostic: Diagnostic) -> Error {
        Error::Diagnostics(Diagnostics::new(self.source.clone(), vec![diagnostic]))
    }
}
