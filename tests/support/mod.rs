//! What several test files need: running the real binary, and an outline of a program that
//! the shape of a trace is compared with.
//!
//! Nothing here uses the library: outline and trace checker are written from the language's
//! description alone, so that a mistake in the parser or the replay does not hide itself.

// Each test file is a crate of its own and uses a part of this.
#![allow(dead_code)]

pub mod c;
pub mod expectations;
pub mod outline;
pub mod schema;
pub mod trace;

use serde_json::Value;
use std::path::Path;

/// `L` is reachable with g = 1, `M` is not, and no assertion fails.
pub const PROGRAM: &str = "\
decl g;
bool not_(x)
begin
  return !x;
end
main()
begin
  decl h;
  h := not_(g);
  if (g) then
    L: skip;
  fi
  if (g & h) then
    M: skip;
  fi
  assert(g | h);
end
";

/// The assertion fails.
pub const FAILS: &str = "decl g;\nmain() begin\n  L: skip;\n  assert(g);\nend\n";

/// `init` runs first; the assertion fails if `stopper` runs between the test and the assertion.
pub const THREADS: &str = "\
decl x, stop;
decl thread_local mine;
thread adder(), stopper(), adder();
void init() begin
  x, stop, mine := 0, 0, 1;
end
void adder() begin
  if (!stop) then
    mine := !mine;
    bump();
    assert(!stop);
  fi
end
void bump() begin
  atomic begin x := !x; end
end
void stopper() begin
  stop := 1;
end
";

/// The input is refused, with this in the message.
pub fn assert_bad_input(run: &Run, message: &str) {
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert_eq!(run.stdout, "", "standard output is empty on exit code 2");
    assert!(run.stderr.contains(message), "{message}: {}", run.stderr);
}

/// How a run of the binary ended.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// Standard output as JSON; of a check, as its schema has it.
    pub fn json(&self) -> Value {
        let json = serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
            panic!(
                "standard output is no JSON ({error}), exit code {}:\n{}\n{}",
                self.code, self.stdout, self.stderr
            )
        });
        if let Value::Object(object) = &json
            && object.contains_key("schema")
        {
            schema::check_report(&json);
        }
        json
    }

    /// The list of results of a JSON report.
    pub fn results(&self) -> Vec<Value> {
        let json = self.json();
        json["results"]
            .as_array()
            .expect("results is a list")
            .clone()
    }
}

pub fn command() -> assert_cmd::Command {
    assert_cmd::Command::new(env!("CARGO_BIN_EXE_derny"))
}

pub fn run_command(mut command: assert_cmd::Command) -> Run {
    let output = command.output().expect("the binary starts");
    Run {
        code: output.status.code().expect("an exit code, not a signal"),
        stdout: String::from_utf8(output.stdout).expect("standard output is UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
    }
}

/// Runs `derny` with these arguments.
pub fn derny(arguments: &[&str]) -> Run {
    let mut command = command();
    command.args(arguments);
    run_command(command)
}

/// Runs `derny check FILE` with these further arguments.
pub fn check(file: &Path, arguments: &[&str]) -> Run {
    let mut command = command();
    command.arg("check").arg(file).args(arguments);
    run_command(command)
}

/// A program in a folder that goes away with the value.
pub struct Written {
    folder: tempfile::TempDir,
}

impl Written {
    pub fn new(program: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder for a program");
        std::fs::write(folder.path().join("program.bp"), program).expect("the program is written");
        Written { folder }
    }

    pub fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("program.bp")
    }

    pub fn check(&self, arguments: &[&str]) -> Run {
        check(&self.path(), arguments)
    }
}
