//! Random boolean programs: the same seed and options give the same bytes on every machine.
//!
//! Two uses. Small programs with every kind of statement are what the engines are compared
//! on; large ones have the shape of the device drivers that SLAM checked, which were never
//! published. Either way the front end accepts them without a word.
//!
//! First a plan settles all headers; then each procedure is written from its own
//! stream of random numbers, so that a program of any size needs no more memory than its
//! longest procedure.

mod body;
mod expression;
mod options;
mod plan;
mod randomness;
mod statement;
#[cfg(test)]
mod tests;

pub use options::Options;
pub use randomness::Random;

use plan::{Beginning, Plan};
use std::io::{self, Write};

/// The stream of random numbers for the arguments of declared threads; procedures use the streams
/// from 1 on.
const THREAD_STREAM: u64 = u64::MAX;

/// The program of a seed.
pub fn program(seed: u64, options: &Options) -> String {
    let mut bytes = Vec::new();
    // Writing to memory does not fail.
    let _ = write(seed, options, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The labels one may ask about in the program of a seed: `L0`, `L1`, ...; each stands
/// exactly once in the program.
pub fn labels(seed: u64, options: &Options) -> Vec<String> {
    let count = Plan::new(seed, options).labels();
    (0..count).map(|number| format!("L{number}")).collect()
}

/// Writes the boolean program of a seed.
pub fn write(seed: u64, options: &Options, out: &mut impl Write) -> io::Result<()> {
    let plan = Plan::new(seed, options);
    writeln!(
        out,
        "// Random program {seed}: {} procedures, labels L0 to L{}.",
        plan.procedures.len(),
        plan.labels().saturating_sub(1)
    )?;
    let (shared, own) = plan.globals.split_at(plan.globals.len() - plan.own);
    for (word, names) in [("decl", shared), ("decl thread_local", own)] {
        if !names.is_empty() {
            writeln!(out, "{word} {};", names.join(", "))?;
        }
    }
    if plan.begins != Beginning::Main {
        let mut random = Random::new(seed, THREAD_STREAM);
        let starts = plan.threads.iter().map(|index| {
            let signature = &plan.procedures[*index as usize];
            let values = ["0", "1", "*"];
            let arguments = signature.parameters.iter().map(|_| *random.pick(&values));
            let arguments: Vec<_> = arguments.collect();
            format!("{}({})", signature.name, arguments.join(", "))
        });
        let starts: Vec<_> = starts.collect();
        writeln!(out, "thread {};", starts.join(", "))?;
    }
    if options.careful {
        // Known to main only: see there.
        writeln!(out, "decl {};", body::UNLOADED)?;
    }
    for index in 0..plan.procedures.len() {
        out.write_all(body::write(seed, options, &plan, index).as_bytes())?;
    }
    Ok(())
}
