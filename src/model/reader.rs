//! Reading models: options, limits, and the way from bytes to a model in each language.

use super::translation::Translation;
use super::{Content, Language, Model};
use crate::diagnostic::{Advice, Diagnostic};
use crate::error::{Diagnostics, Error};
use crate::lower::{self, RemoplaOptions, Start};
use crate::program::Overflow;
use crate::source::{MAX_SOURCE_BYTES, Source};
use crate::supervisor::{self, Limits, Outcome};
use crate::watch::Watch;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

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
pub(super) struct Gauges {
    pub(super) read: AtomicU64,
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
    pub(super) entry: Option<String>,
    threads: Option<Vec<(String, u64)>>,
    pub(super) defines: Vec<(String, i128)>,
    pub(super) overflow: Option<Overflow>,
    limits: Option<Limits>,
    advice: Advice,
    pub(super) translation: Translation,
    /// Rules about a C program.
    pub(super) rules: Vec<PathBuf>,
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

    /// Gives a defined name another value; in C it is a macro.
    pub fn define(mut self, name: impl Into<String>, value: i128) -> Self {
        self.defines.push((name.into(), value));
        self
    }

    /// What happens to a number that does not fit its variable; in C, to a signed one that is
    /// computed. By default it fails, but wraps in C.
    pub fn overflow(mut self, overflow: Overflow) -> Self {
        self.overflow = Some(overflow);
        self
    }

    /// Also reads the rule in this file, in SLIC, about a C program; one is asked for by
    /// [`Property::slic`](crate::Property::slic).
    ///
    /// ```
    /// # fn main() -> Result<(), derny::Error> {
    /// use derny::{Checker, Property, Reader, Verdict};
    /// let model = Reader::new().rule("specs/file.slic").read("examples/rules/file.c")?;
    /// let report = Checker::new(&model).property(Property::slic("specs/file.slic")).check()?;
    /// assert_eq!(report.findings().next().and_then(|finding| finding.verdict()), Some(Verdict::Holds));
    /// # Ok(())
    /// # }
    /// ```
    pub fn rule(mut self, file: impl Into<PathBuf>) -> Self {
        self.rules.push(file.into());
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
            Language::BooleanProgram | Language::Remopla | Language::PushdownSystem
                if !self.rules.is_empty() =>
            {
                "rules are about C programs"
            }
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
            Language::BooleanProgram | Language::Remopla | Language::PushdownSystem
                if self.translation.is_given =>
            {
                "only C programs have several files, macros, a preprocessor, widths of types, \
                 functions without body and a heap"
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
            return self.read_c(&path, bytes, reading, gauges);
        }
        let source = Arc::new(Source::new(path.to_string_lossy(), bytes));
        gauges
            .length
            .store(source.bytes().len() as u64, Ordering::Relaxed);
        gauges.source.get_or_init(|| source.clone());
        let times = [reading, Instant::now()];
        let (content, list) = self.lower(language, &source);
        let diagnostics = Diagnostics::new(source.clone(), list);
        match content {
            None => Err(Error::Diagnostics(diagnostics)),
            Some(content) => Ok(Model {
                content,
                language,
                source,
                warnings: diagnostics,
                times,
            }),
        }
    }

    fn lower(
        &self,
        language: Language,
        source: &Arc<Source>,
    ) -> (Option<Content>, Vec<Diagnostic>) {
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
                    system.map(|system| Content::System(Arc::new(system))),
                    diagnostics,
                );
            }
        };
        (
            program.map(|program| Content::Program(Arc::new(program))),
            diagnostics,
        )
    }
}
