//! Another preprocessor, run as a child process.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

/// What a shell command writes if it is given a text as standard input. Its messages go where
/// ours do. What the text includes with quotes may be in a directory, of which compilers learn by
/// a variable of the environment. The text is written by a thread, because the command may write before it has read all.
pub fn output_of(command: &str, directory: &Path, text: &[u8]) -> io::Result<Vec<u8>> {
    let (shell, flag) = match cfg!(windows) {
        true => ("cmd", "/C"),
        false => ("sh", "-c"),
    };
    let mut child = Command::new(shell)
        .args([flag, command])
        .env("CPATH", search_path(directory))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let input = child.stdin.take();
    let output = thread::scope(|scope| {
        let writer = scope.spawn(|| match input {
            Some(mut input) => input.write_all(text),
            None => Ok(()),
        });
        let output = child.wait_with_output();
        // A command that needs no more of its input may leave: then the rest cannot be written.
        let _ = writer.join();
        output
    })?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(io::Error::other(format!(
            "`{command}` failed: {}",
            output.status
        ))),
    }
}

/// Where compilers look for included files: in this directory first.
fn search_path(directory: &Path) -> OsString {
    let here = match directory.as_os_str().is_empty() {
        true => Path::new("."),
        false => directory,
    };
    let before = env::var_os("CPATH").unwrap_or_default();
    let others = env::split_paths(&before).filter(|path| !path.as_os_str().is_empty());
    let all = env::join_paths(std::iter::once(here.to_owned()).chain(others));
    // A directory whose name cannot be in a list is not looked into.
    all.unwrap_or(before)
}
