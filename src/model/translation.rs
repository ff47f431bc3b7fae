//! Reading C: which files there are, what their preprocessor knows, and how wide numbers are.

use super::observation::Input;
use super::reader::{Gauges, Reader};
use super::{Content, Language, Model, Unit};
use crate::diagnostic::{Diagnostic, suggestion};
use crate::error::{Diagnostics, Error};
use crate::lower::c::{self as lowering, Externs};
use crate::program::Overflow;
use crate::source::{MAX_SOURCE_BYTES, Source};
use crate::syntax::c::{DataModel, Options, output_of, preprocess};
use crate::typing;
use crate::typing::c::tree::Program;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// What only readers of C are told.
#[derive(Clone, Debug, Default)]
pub(super) struct Translation {
    /// Files besides the first one.
    files: Vec<PathBuf>,
    directories: Vec<PathBuf>,
    /// `NAME` or `NAME=TEXT`.
    macros: Vec<String>,
    /// The command that is used as preprocessor.
    command: Option<String>,
    model: DataModel,
    lowering: lowering::Options,
    /// Whether anything was said at all.
    pub is_given: bool,
}

/// Options for C.
impl Reader {
    fn in_c(mut self, change: impl FnOnce(&mut Translation)) -> Self {
        change(&mut self.translation);
        self.translation.is_given = true;
        self
    }

    /// One more file of the same C program.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let [main, other] = ["main.c", "other.c"].map(|name| folder.path().join(name));
    /// std::fs::write(&main, "int f(void); int main(void) { return f(); }")?;
    /// std::fs::write(&other, "int f(void) { return 1; }")?;
    /// let model = derny::Reader::new().file(other).read(main)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn file(self, path: impl Into<PathBuf>) -> Self {
        self.in_c(|c| c.files.push(path.into()))
    }

    /// Where files are looked for that a C program includes, behind those before.
    pub fn include(self, directory: impl Into<PathBuf>) -> Self {
        self.in_c(|c| c.directories.push(directory.into()))
    }

    /// Defines a macro of C before the first line; without a text it is `1`.
    pub fn define_macro(self, name: impl AsRef<str>, text: Option<&str>) -> Self {
        let definition = match text {
            Some(text) => format!("{}={text}", name.as_ref()),
            None => name.as_ref().to_owned(),
        };
        self.in_c(|c| c.macros.push(definition))
    }

    /// Lets this command preprocess C files: it reads one from standard input and writes the result
    /// to standard output. Macros and directories are added to it as `-D` and `-I`. Files `.i`
    /// have been preprocessed already.
    pub fn preprocessor(self, command: impl Into<String>) -> Self {
        self.in_c(|c| c.command = Some(command.into()))
    }

    /// How wide the integers and pointers of C are; by default as on 64-bit systems.
    pub fn data_model(self, model: DataModel) -> Self {
        self.in_c(|c| c.model = model)
    }

    /// What functions of a C program do that have no body; by default they return any value and
    /// change nothing.
    pub fn externs(self, externs: Externs) -> Self {
        self.in_c(|c| c.lowering.externs = externs)
    }

    /// Whether `malloc` may return a null pointer; by default it does not.
    pub fn malloc_may_fail(self, may_fail: bool) -> Self {
        self.in_c(|c| c.lowering.malloc_may_fail = may_fail)
    }

    /// How many objects each call of `malloc` in the text of a C program has at a time; by default 4.
    pub fn heap(self, objects: u32) -> Self {
        self.in_c(|c| c.lowering.heap = objects)
    }

    /// How many elements an object of C has at most whose size is no constant; by default 64.
    pub fn cells(self, elements: u32) -> Self {
        self.in_c(|c| c.lowering.cells = elements)
    }

    /// A C program, of whose first file these are the bytes: all that it includes is read here, and
    /// its other files.
    pub(super) fn read_c(
        &self,
        path: &Path,
        bytes: Vec<u8>,
        reading: Instant,
        gauges: &Gauges,
    ) -> Result<Model, Error> {
        let c = &self.translation;
        let mut files = vec![(path.to_owned(), bytes)];
        for path in &c.files {
            let bytes = std::fs::read(path).map_err(|error| Error::Read(path.clone(), error))?;
            if bytes.len() as u64 > MAX_SOURCE_BYTES {
                return Err(Error::TooLong(path.clone()));
            }
            gauges.read.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            files.push((path.clone(), bytes));
        }
        let definitions = self.defines.iter();
        let definitions = definitions.map(|(name, value)| format!("{name}={value}"));
        let mut definitions: Vec<_> = definitions.chain(c.macros.iter().cloned()).collect();
        let mut directories = c.directories.clone();
        if let Some(command) = &c.command {
            let command = with_options(command, &directories, &definitions);
            for (path, bytes) in files.iter_mut().filter(|(path, _)| !is_preprocessed(path)) {
                // The command only sees a text, so that it is told whose.
                let name = name(path).replace('\\', "\\\\").replace('"', "\\\"");
                let text = [format!("#line 1 \"{name}\"\n").as_bytes(), bytes].concat();
                let directory = path.parent().unwrap_or(Path::new(""));
                let output = output_of(&command, directory, &text);
                *bytes = output.map_err(|error| Error::Read(path.clone(), error))?;
            }
            definitions.clear();
            directories.clear();
        }
        let parsing = Instant::now();
        let options = Options {
            directories,
            definitions,
            model: c.model,
            honours_markers: true,
            reader: &|path: &Path| std::fs::read(path),
        };
        let names = files.iter().map(|(path, _)| name(path)).collect();
        let files = files.into_iter().map(|(path, bytes)| (name(&path), bytes));
        let files: Vec<(String, Vec<u8>)> = files.collect();
        let read = preprocess(files.clone(), &options);
        let typed = typing::c::program(read, c.model);
        let source = Arc::new(typed.source);
        let mut diagnostics = typed.diagnostics;
        let entry_name = self.entry.as_deref().unwrap_or("main");
        let begun = typed.program.and_then(|program| {
            let found = lowering::entry(&program, entry_name);
            if found.is_none() {
                diagnostics.push(no_entry(&source, &program, entry_name));
            }
            Some((program, found?))
        });
        let mut diagnostics = Diagnostics::new(source.clone(), diagnostics);
        let Some((program, entry)) = begun else {
            return Err(Error::Diagnostics(diagnostics));
        };
        let lowering = lowering::Options {
            overflow: self.overflow.unwrap_or(Overflow::Wrap),
            ..c.lowering.clone()
        };
        let mut unit = Unit::new(source.clone(), names, program, entry, lowering);
        unit.rules = self.weave(&files, &options, &unit, &mut diagnostics)?;
        unit.input = Some(Arc::new(Input {
            files,
            rule: None,
            directories: options.directories,
            definitions: options.definitions,
            model: c.model,
            entry: entry_name.to_owned(),
        }));
        Ok(Model {
            content: Content::C(Arc::new(unit)),
            language: Language::C,
            source,
            warnings: diagnostics,
            times: [reading, parsing],
        })
    }
}

fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn is_preprocessed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "i")
}

/// A command with what it is to know, quoted for the shell.
fn with_options(command: &str, directories: &[PathBuf], definitions: &[String]) -> String {
    let directories = directories.iter();
    let directories = directories.map(|path| format!("-I{}", path.to_string_lossy()));
    let definitions = definitions.iter().map(|text| format!("-D{text}"));
    let mut command = command.to_owned();
    for option in directories.chain(definitions) {
        command.push_str(" '");
        command.push_str(&option.replace('\'', r"'\''"));
        command.push('\'');
    }
    command
}

fn no_entry(source: &Source, program: &Program, entry: &str) -> Diagnostic {
    let message = format!("there is no function `{entry}` to begin with");
    let functions = program.functions.iter().filter(|one| one.body.is_some());
    let near = suggestion(entry, functions.map(|one| program.names.text(one.name)));
    let error = Diagnostic::error(source.whole(), message);
    match near {
        Some(near) => error.with_hint(near),
        None => error,
    }
}
