//! Reading what is to be checked, in any language, from files or other readers.

use crate::diagnostic::{Advice, Diagnostic};
use crate::error::{Diagnostics, Error};
use crate::lower::c::{Origin, PointKind};
use crate::lower::{self, RemoplaOptions, Start};
use crate::program::{Boundary, BoundaryKind, Overflow, PointId, Program};
use crate::property::{self, OTHERS, Request};
use crate::pushdown::System;
use crate::rules::Subject;
use crate::source::{MAX_SOURCE_BYTES, Source, Span};
use crate::supervisor::{self, Limits, Outcome};
use crate::syntax;
use crate::typing;
use crate::watch::Watch;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

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
    pub(crate) form: Form,
    language: Language,
    source: Arc<Source>,
    warnings: Diagnostics,
    /// Of a C program: what its points and cells are there.
    pub(crate) origin: Option<Arc<Origin>>,
    /// When it began to be read, and to be parsed.
    pub(crate) times: [Instant; 2],
}

/// What a model is.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    Program(Arc<Program>),
    System(Arc<System>),
}

impl Form {
    pub(crate) fn subject(&self) -> Subject<'_> {
        match self {
            Form::Program(program) => Subject::Program(program),
            Form::System(system) => Subject::System(system),
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
        match &self.form {
            Form::Program(program) => program.threads.is_some(),
            Form::System(_) => false,
        }
    }

    /// Says what is not possible if it is a program with threads.
    pub(crate) fn without_threads(&self, otherwise: &'static str) -> Result<(), Error> {
        match self.has_threads() {
            true => Err(Error::Unsupported(otherwise)),
            false => Ok(()),
        }
    }

    /// The places that no execution gets past, although the real program might.
    pub(crate) fn boundaries(&self) -> Vec<Boundary> {
        let points = self.origin.iter().flat_map(|origin| &origin.points);
        let boundaries = points.zip((0..).map(PointId)).filter_map(|(point, id)| {
            let (kind, what) = match &point.kind {
                PointKind::Outside { what } => (BoundaryKind::Outside, what.as_str()),
                PointKind::Heap => (BoundaryKind::Heap, "more objects on the heap"),
                PointKind::Undefined { what } => (BoundaryKind::Undefined, what.as_str()),
                _ => return None,
            };
            let position = self.source.position(point.span.start);
            Some(Boundary {
                point: id,
                what: what.to_owned(),
                kind,
                file: self.source.file_of(point.span.start).to_owned(),
                line: position.line,
                column: position.column,
            })
        });
        boundaries.collect()
    }

    /// What is doubtful about it.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// The program, or what is said of a pushdown system.
    pub(crate) fn program(&self, otherwise: &'static str) -> Result<&Program, Error> {
        match &self.form {
            Form::Program(program) => Ok(program),
            Form::System(_) => Err(Error::Unsupported(otherwise)),
        }
    }

    /// A property for each assertion of a program, in the order of the text; in Remopla one
    /// more, for overflow, indices and division.
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

/// How far reading a model has come.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Reading {
    /// How many bytes have been read.
    pub read: u64,
    /// How many there are, if that is known.
    pub length: Option<u64>,
    /// How many of them have been parsed and understood, once all are read.
    pub parsed: Option<u64>,
    /// Since the limits' clock began to run.
    pub elapsed: Duration,
}

/// What the thread that reads tells the one that supervises it.
#[derive(Debug, Default)]
struct Gauges {
    read: AtomicU64,
    /// 0 if it is not known.
    length: AtomicU64,
    source: OnceLock<Arc<Source>>,
}

impl Gauges {
    fn reading(&self, elapsed: Duration) -> Reading {
        let length = self.length.load(Ordering::Relaxed);
        Reading {
            read: self.read.load(Ordering::Relaxed),
            length: Some(length).filter(|length| *length > 0),
            parsed: self.source.get().map(|source| source.bytes_done()),
            elapsed,
        }
    }
}

/// A reader that counts what it reads.
struct Counted<'g, R> {
    reader: R,
    read: &'g AtomicU64,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Options of reading a model.
///
/// ```
/// # fn main() -> Result<(), derny::Error> {
/// use derny::{Overflow, Reader};
/// let model = Reader::new().overflow(Overflow::Wrap).read("examples/quicksort.rem")?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Reader {
    language: Option<Language>,
    entry: Option<String>,
    threads: Option<Vec<(String, u64)>>,
    defines: Vec<(String, i128)>,
    overflow: Option<Overflow>,
    limits: Option<Limits>,
    advice: Advice,
}

impl Reader {
    /// As each language has it.
    pub fn new() -> Self {
        Self::default()
    }

    /// In this language, whatever the file is called.
    pub fn language(mut self, language: Language) -> Self {
        self.language = Some(language);
        self
    }

    /// Executions begin in this procedure: by default `main`, or what a Remopla program says
    /// after `init`.
    pub fn entry(mut self, procedure: impl Into<String>) -> Self {
        self.entry = Some(procedure.into());
        self
    }

    /// This many threads of these procedures, in this order, with arbitrary arguments, instead of
    /// those that the program declares.
    ///
    /// ```
    /// # fn main() -> Result<(), derny::Error> {
    /// use derny::{Language, Reader};
    /// let text = "decl g; void p() begin g := !g; end";
    /// let reader = Reader::new().language(Language::BooleanProgram).threads([("p", 2)]);
    /// let model = reader.read_from("threads", text.as_bytes())?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn threads<P: Into<String>>(mut self, threads: impl IntoIterator<Item = (P, u64)>) -> Self {
        let threads = threads.into_iter();
        self.threads = Some(threads.map(|(name, count)| (name.into(), count)).collect());
        self
    }

    /// Gives a defined name another value.
    pub fn define(mut self, name: impl Into<String>, value: i128) -> Self {
        self.defines.push((name.into(), value));
        self
    }

    /// What happens to a number that does not fit its variable.
    pub fn overflow(mut self, overflow: Overflow) -> Self {
        self.overflow = Some(overflow);
        self
    }

    /// With advice in what is said of mistakes.
    pub fn advise(mut self, advice: Advice) -> Self {
        self.advice = advice;
        self
    }

    /// Gives up, with [`Error::Stopped`], when a limit has passed.
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.limits = Some(limits.clone());
        self
    }

    /// The model in a file.
    pub fn read(&self, path: impl AsRef<Path>) -> Result<Model, Error> {
        self.read_observed(path, |_| {})
    }

    /// The model in a file. With limits, `observe` is told many times a second how far it has
    /// come, on the thread that calls this.
    pub fn read_observed(
        &self,
        path: impl AsRef<Path>,
        observe: impl FnMut(Reading),
    ) -> Result<Model, Error> {
        let path = path.as_ref().to_owned();
        let open = {
            let path = path.clone();
            move || {
                let file = std::fs::File::open(path)?;
                let length = file.metadata().map_or(0, |metadata| metadata.len());
                Ok((file, length))
            }
        };
        self.supervise(path, open, observe)
    }

    /// The model that something else than a file gives. The name is for messages; its
    /// extension tells the language, unless it was said.
    pub fn read_from(
        &self,
        name: impl AsRef<Path>,
        reader: impl Read + Send + 'static,
    ) -> Result<Model, Error> {
        self.read_from_observed(name, reader, |_| {})
    }

    /// The model that something else than a file gives, observed as by
    /// [`read_observed`](Self::read_observed).
    pub fn read_from_observed(
        &self,
        name: impl AsRef<Path>,
        reader: impl Read + Send + 'static,
        observe: impl FnMut(Reading),
    ) -> Result<Model, Error> {
        self.supervise(name.as_ref().to_owned(), move || Ok((reader, 0)), observe)
    }

    fn supervise<R: Read>(
        &self,
        path: PathBuf,
        open: impl FnOnce() -> std::io::Result<(R, u64)> + Send + 'static,
        mut observe: impl FnMut(Reading),
    ) -> Result<Model, Error> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let language = self
            .language
            .or_else(|| Language::of_extension(extension?))
            .ok_or_else(|| Error::UnknownLanguage(path.clone()))?;
        self.supports(language)?;
        let Some(limits) = &self.limits else {
            return self.read_model(language, path, open, &Gauges::default());
        };
        let (reader, gauges) = (self.clone(), Arc::new(Gauges::default()));
        let told = gauges.clone();
        let work =
            move |_: &supervisor::Reporter<'_, ()>| reader.read_model(language, path, open, &told);
        let tell = |_| observe(gauges.reading(limits.begin().elapsed()));
        match supervisor::run(&limits.bounds(), &Watch::default(), tell, work)? {
            Outcome::Done(model) => model,
            Outcome::Stopped(reason, None) => Err(Error::Stopped(reason)),
            Outcome::Stopped(_, Some(model)) => model,
        }
    }

    fn supports(&self, language: Language) -> Result<(), Error> {
        let wrong = match language {
            Language::Remopla | Language::PushdownSystem | Language::C
                if self.threads.is_some() =>
            {
                "only boolean programs have threads"
            }
            Language::BooleanProgram if !self.defines.is_empty() => {
                "a boolean program defines no names"
            }
            Language::BooleanProgram if self.overflow.is_some() => {
                "a boolean program has no numbers"
            }
            Language::PushdownSystem if self.overflow.is_some() => {
                "in a pushdown system numbers are exact"
            }
            Language::PushdownSystem if self.entry.is_some() => {
                "a pushdown system says itself where it begins"
            }
            _ => return Ok(()),
        };
        Err(Error::Unsupported(wrong))
    }

    /// `open` also gives the length to be expected.
    fn read_model<R: Read>(
        &self,
        language: Language,
        path: PathBuf,
        open: impl FnOnce() -> std::io::Result<(R, u64)>,
        gauges: &Gauges,
    ) -> Result<Model, Error> {
        let reading = Instant::now();
        let mut bytes = Vec::new();
        let read = open().and_then(|(reader, length)| {
            if length > MAX_SOURCE_BYTES {
                return Ok(length);
            }
            bytes.reserve_exact(length as usize);
            gauges.length.store(length, Ordering::Relaxed);
            let reader = Counted {
                reader,
                read: &gauges.read,
            };
            let mut reader = reader.take(MAX_SOURCE_BYTES + 1);
            reader.read_to_end(&mut bytes).map(|length| length as u64)
        });
        if read.map_err(|error| Error::Read(path.clone(), error))? > MAX_SOURCE_BYTES {
            return Err(Error::TooLong(path));
        }
        if language == Language::C {
            return self.read_c(&path, bytes, [reading, Instant::now()]);
        }
        let source = Arc::new(Source::new(path.to_string_lossy(), bytes));
        gauges
            .length
            .store(source.bytes().len() as u64, Ordering::Relaxed);
        gauges.source.get_or_init(|| source.clone());
        let times = [reading, Instant::now()];
        let (form, list) = self.lower(language, &source);
        let diagnostics = Diagnostics::new(source.clone(), list);
        match form {
            None => Err(Error::Diagnostics(diagnostics)),
            Some(form) => Ok(Model {
                form,
                language,
                source,
                warnings: diagnostics,
                origin: None,
                times,
            }),
        }
    }

    /// A C program: all that it includes is read here.
    fn read_c(&self, path: &Path, bytes: Vec<u8>, times: [Instant; 2]) -> Result<Model, Error> {
        let language = Language::C;
        let definitions = self.defines.iter();
        let options = syntax::c::Options {
            directories: Vec::new(),
            definitions: definitions.map(|(n, v)| format!("{n}={v}")).collect(),
            model: syntax::c::DataModel::default(),
            honours_markers: path.extension().is_none_or(|extension| extension != "i"),
            reader: &|path: &Path| std::fs::read(path),
        };
        let name = path.to_string_lossy().into_owned();
        let read = syntax::c::preprocess(vec![(name, bytes)], &options);
        let typed = typing::c::program(read, options.model);
        let source = Arc::new(typed.source);
        let options = lower::c::Options {
            overflow: self.overflow.unwrap_or(Overflow::Wrap),
            ..lower::c::Options::default()
        };
        let entry = self.entry.as_deref().unwrap_or("main");
        let (lowered, diagnostics) = match &typed.program {
            None => (None, typed.diagnostics),
            Some(program) => match lower::c::entry(program, entry) {
                Some(entry) => {
                    let lowered = lower::c::lower(source.clone(), program, entry, &options);
                    (Some(lowered), typed.diagnostics)
                }
                None => {
                    let message = format!("there is no function `{entry}` to begin with");
                    (None, vec![Diagnostic::error(Span::default(), message)])
                }
            },
        };
        let diagnostics = Diagnostics::new(source.clone(), diagnostics);
        match lowered {
            None => Err(Error::Diagnostics(diagnostics)),
            Some(lowered) => Ok(Model {
                form: Form::Program(Arc::new(lowered.program)),
                language,
                source,
                warnings: diagnostics,
                origin: Some(Arc::new(lowered.origin)),
                times,
            }),
        }
    }

    fn lower(&self, language: Language, source: &Arc<Source>) -> (Option<Form>, Vec<Diagnostic>) {
        let entry = self.entry.as_deref();
        let (program, diagnostics) = match language {
            Language::BooleanProgram => {
                let start = Start {
                    entry,
                    threads: self.threads.as_deref(),
                    advice: self.advice,
                };
                lower::boolean_program(source.clone(), &start)
            }
            Language::Remopla => {
                let options = RemoplaOptions {
                    defines: self.defines.clone(),
                    overflow: self.overflow.unwrap_or_default(),
                    advice: self.advice,
                };
                lower::remopla(source.clone(), entry, &options)
            }
            Language::C => (None, Vec::new()),
            Language::PushdownSystem => {
                let (system, diagnostics) =
                    lower::pushdown_system(source.clone(), &self.defines, self.advice);
                return (
                    system.map(|system| Form::System(Arc::new(system))),
                    diagnostics,
                );
            }
        };
        (
            program.map(|program| Form::Program(Arc::new(program))),
            diagnostics,
        )
    }
}
