//! What is settled before any body is written: headers, names of variables, and who has to
//! call whom so that no procedure is left over.

use super::options::Options;
use super::randomness::Random;
use std::ops::Range;

#[derive(Debug)]
pub struct Plan {
    pub globals: Vec<String>,
    pub procedures: Vec<Signature>,
    /// How many globals, the last ones, each thread has its own of.
    pub own: usize,
    /// The procedures of the threads that there are from the start, or that the first procedure
    /// creates.
    pub threads: Vec<u32>,
    pub begins: Beginning,
}

/// What the first procedure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// `main`, which may create threads.
    Main,
    /// `init`, which runs before declared threads do.
    Init,
    /// A declared thread.
    Thread,
}

#[derive(Debug)]
pub struct Signature {
    pub name: String,
    pub parameters: Vec<String>,
    pub locals: Vec<String>,
    /// The globals it deals with itself.
    pub globals: Vec<String>,
    pub returns: u32,
    /// Its labels are `L` and these numbers.
    pub labels: Range<u32>,
    /// The procedures that only this one is sure to call.
    pub duties: Vec<u32>,
}

/// The stream of random numbers that plans use; procedures use the streams from 1 on.
const PLAN_STREAM: u64 = 0;

impl Plan {
    pub fn new(seed: u64, options: &Options) -> Self {
        let mut random = Random::new(seed, PLAN_STREAM);
        let globals = names(&mut random, options, 'g', options.globals);
        let mut next_label = 0;
        let count = options.procedures.max(1);
        let mut procedures: Vec<Signature> = (0..count)
            .map(|index| {
                let signature = signature(&mut random, options, index, &globals, next_label);
                next_label = signature.labels.end;
                signature
            })
            .collect();
        // A tree over all procedures, callers first, not much deeper than the logarithm of
        // their number.
        for index in 1..count {
            let caller = random.between(index / 6, (index - 1) / 2 + index / 4);
            let caller = caller.min(index - 1) as usize;
            procedures[caller].duties.push(index);
        }
        let mut plan = Plan {
            globals,
            procedures,
            own: 0,
            threads: Vec::new(),
            begins: Beginning::Main,
        };
        // Without threads no number is drawn for them.
        if options.threads > 0 {
            plan.choose_threads(&mut random, options.threads);
        }
        plan
    }

    fn choose_threads(&mut self, random: &mut Random, most: u32) {
        self.own = random.below(2).min(self.globals.len() as u32) as usize;
        let last = self.procedures.len() as u32 - 1;
        let beginnings = [
            (2, Beginning::Main),
            (3, Beginning::Init),
            (1, Beginning::Thread),
        ];
        self.begins = match last {
            0 => Beginning::Main,
            _ => random.weighted(&beginnings),
        };
        let first = &mut self.procedures[0];
        match self.begins {
            Beginning::Main => {}
            Beginning::Init => {
                // What it would have to call are threads instead.
                first.name = "init".into();
                self.threads = std::mem::take(&mut first.duties);
            }
            Beginning::Thread => {
                first.name = "f0".into();
                self.threads.push(0);
            }
        }
        let count = random.between(2, most.max(2)) as usize;
        while self.threads.len() < count && last > 0 {
            self.threads.push(random.between(1, last));
        }
    }

    pub fn labels(&self) -> u32 {
        self.procedures.last().map_or(0, |last| last.labels.end)
    }
}

/// How many globals a procedure of a careful program deals with.
const OWN_GLOBALS: usize = 4;

/// The globals that a procedure deals with. Large programs are made of parts: neighbours
/// share globals, those far apart do not.
fn part<'a>(index: u32, options: &Options, globals: &'a [String]) -> &'a [String] {
    if !options.careful || globals.len() <= OWN_GLOBALS {
        return globals;
    }
    let places = (globals.len() - OWN_GLOBALS + 1) as u64;
    let place = u64::from(index) * places / u64::from(options.procedures.max(1));
    &globals[place as usize..][..OWN_GLOBALS]
}

fn signature(
    random: &mut Random,
    options: &Options,
    index: u32,
    globals: &[String],
    next_label: u32,
) -> Signature {
    // In programs that people write, most procedures are small: the smaller of two draws.
    // The first one after main shows how large they may be.
    let mut size = |low: u32, high: u32| match (index, options.careful) {
        (1, true) => high,
        (_, true) => random.between(low, high).min(random.between(low, high)),
        (_, false) => random.between(low, high),
    };
    let (mut parameters, mut returns) = (size(0, options.parameters), size(0, options.returns));
    if index == 0 {
        (parameters, returns) = (0, 0);
    }
    let locals = size(options.locals.min(1), options.locals);
    let labels = random.between(options.labels.min(1), options.labels);
    Signature {
        name: match index {
            0 => "main".into(),
            _ => format!("f{index}"),
        },
        parameters: names(random, options, 'a', parameters),
        locals: names(random, options, 'l', locals),
        globals: part(index, options, globals).to_vec(),
        returns,
        labels: next_label..next_label.saturating_add(labels),
        duties: Vec::new(),
    }
}

/// Plain names, and the predicates on C expressions that SLAM uses as names.
fn names(random: &mut Random, options: &Options, letter: char, count: u32) -> Vec<String> {
    let name = |i: u32| {
        if !random.percent(options.predicates) {
            return format!("{letter}{i}");
        }
        let operators = [
            "==0",
            "!=0",
            ">0",
            "->next==0",
            "<limit",
            "&1",
            "->irql == 2",
        ];
        format!("{{{letter}{i}{}}}", random.pick(&operators))
    };
    (0..count).map(name).collect()
}
