//! A model of the Bluetooth driver of Windows: some threads use it while others stop it.
//!
//! `pendingIo` counts, in three bits, who uses the driver, and one more until it is stopped. An
//! adder that finds the driver running asserts that it has not been stopped; the question is within
//! how many context switches that can fail.

use std::io::{self, Write};

/// Writes the program with so many threads of either kind.
pub fn write(adders: u32, stoppers: u32, out: &mut impl Write) -> io::Result<()> {
    let starts = [("adder", adders), ("stopper", stoppers)];
    let starts = starts.iter().filter(|(_, count)| *count > 0);
    let starts: Vec<_> = starts
        .map(|(name, count)| match count {
            1 => format!("{name}()"),
            count => format!("{name}()[{count}]"),
        })
        .collect();
    writeln!(
        out,
        "// The Bluetooth driver: adders use it ({adders} of them), stoppers stop it ({stoppers})."
    )?;
    if !starts.is_empty() {
        writeln!(out, "thread {};", starts.join(", "))?;
    }
    out.write_all(BODY.as_bytes())
}

const BODY: &str = "\
decl stoppingFlag, stoppingEvent, stopped;
decl pendingIo2, pendingIo1, pendingIo0; // a number, its highest bit first

void init()
begin
  stoppingFlag, stoppingEvent, stopped := 0, 0, 0;
  pendingIo2, pendingIo1, pendingIo0 := 0, 0, 1;
end

void adder()
begin
  decl failed;
  failed := IoIncrement();
  if (!failed) then
    assert(!stopped);
  fi
  IoDecrement();
end

void stopper()
begin
  stoppingFlag := 1;
  IoDecrement();
  assume(stoppingEvent);
  stopped := 1;
end

// Returns whether the driver is being stopped. The number is not changed if it is 7.
bool IoIncrement()
begin
  pendingIo2, pendingIo1, pendingIo0 :=
    pendingIo2 ^ (pendingIo1 & pendingIo0), pendingIo1 ^ pendingIo0, !pendingIo0
    constrain !(pendingIo2 & pendingIo1 & pendingIo0);
  if (stoppingFlag) then
    IoDecrement();
    return 1;
  fi
  return 0;
end

// The number is not changed if it is 0.
void IoDecrement()
begin
  decl last;
  pendingIo2, pendingIo1, pendingIo0, last :=
    pendingIo2 ^ (!pendingIo1 & !pendingIo0), pendingIo1 ^ !pendingIo0, !pendingIo0,
    !pendingIo2 & !pendingIo1 & pendingIo0
    constrain pendingIo2 | pendingIo1 | pendingIo0;
  if (last) then
    stoppingEvent := 1;
  fi
end
";
