//! A file that is replaced as a whole when a run ends, and until then is as it was.
//!
//! What is written goes to another file in the same folder, which then takes the place of the
//! old one. Before the run it is found out whether that can be done.

use anyhow::Context;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

pub struct Replacement {
    /// Links are followed: what they lead to is replaced.
    file: PathBuf,
    /// Where what is new is written; `None` for what is no file, such as a terminal.
    beside: Option<PathBuf>,
}

impl Replacement {
    /// Makes sure that a file can be written, and leaves it as it is.
    pub fn prepare(path: &Path) -> anyhow::Result<Self> {
        let file = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let cannot = || format!("cannot write `{}`", path.display());
        let is_file = match fs::metadata(&file) {
            Ok(metadata) => {
                let opened = OpenOptions::new().append(true).open(&file);
                opened.with_context(cannot)?;
                metadata.is_file()
            }
            Err(_) => true,
        };
        let beside = file.with_file_name(format!(".derny-{}.tmp", std::process::id()));
        if is_file {
            File::create_new(&beside).with_context(cannot)?;
            fs::remove_file(&beside).with_context(cannot)?;
        }
        Ok(Replacement {
            file,
            beside: is_file.then_some(beside),
        })
    }

    /// Writes the file anew.
    pub fn write(
        &self,
        write: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
    ) -> anyhow::Result<()> {
        let to = self.beside.as_ref().unwrap_or(&self.file);
        let written = File::create(to).and_then(|file| {
            let mut out = BufWriter::new(file);
            write(&mut out)?;
            out.flush()
        });
        let replaced = match &self.beside {
            None => written,
            Some(beside) => {
                let replaced = written.and_then(|()| {
                    if let Ok(metadata) = fs::metadata(&self.file) {
                        fs::set_permissions(beside, metadata.permissions())?;
                    }
                    fs::rename(beside, &self.file)
                });
                replaced.inspect_err(|_| {
                    let _ = fs::remove_file(beside);
                })
            }
        };
        replaced.with_context(|| format!("cannot write `{}`", self.file.display()))
    }
}
