//! Another preprocessor, run as a child process.

use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::thread;

/// What a shell command writes if it is given a text as standard input. Its messages go where
/// ours do. The text is written by a thread, because the command may write before it has read all.
pub fn output_of(command: &str, text: &[u8]) -> io::Result<Vec<u8>> {
    let (shell, flag) = match cfg!(windows) {
        true => ("cmd", "/C"),
        false => ("sh", "-c"),
    };
    let mut child = Command::new(shell)
        .args([flag, command])
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
