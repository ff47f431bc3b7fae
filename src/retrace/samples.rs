//! Executions of C that are too long to be made: of the rounds that a trace has folded, only its
//! samples are.
//!
//! The trace is read as one list of steps, with *marks* where a sample ends. When the
//! execution has come to a mark, what rounds may change must be there as the trace has it; then it leaps to
//! where the next sample begins: of what the rounds between may have changed, what matters has the values of
//! the trace, and all else is lost. In between it goes on by itself, with the choices of the trace, and must
//! not depend on what is lost. So every step that is shown is one of C, and so is every sample. Linear in the
//! samples, times the cells in scope.

use super::Original;
use super::folding::Gap;
use super::left_out::LeftOut;
use super::part::{Part, Parts};
use crate::execution::{Choice, Machine};
use crate::program::{PointId, VariableId};
use crate::source::Span;
use crate::trace::{Fold, Step, Trace, folded_length};
use crate::typing::c::tree::{FunctionId, ObjectId};
use rustc_hash::FxHashMap;

/// A place where a sample begins or ends.
#[derive(Debug)]
pub struct Mark {
    /// The function on top, how many frames are below it, and the step that is next.
    site: (FunctionId, usize, Span),
    /// How often the execution comes there after the mark before; 0 if it is there already.
    visits: u64,
    /// What must be there of what the rounds may change.
    expected: Vec<(Part, Choice)>,
    /// What comes of the rounds that are left out, if some are.
    leap: Option<Leap>,
    pub turn: Turn,
}

/// What rounds have done that are left out.
#[derive(Debug, Default)]
struct Leap {
    /// Parts of which nobody knows what they hold,
    lost: Vec<Part>,
    /// objects of which all is lost,
    lost_objects: Vec<ObjectId>,
    /// and whether those without names are.
    loses_nameless: bool,
    /// What is known.
    puts: Vec<(Part, Choice)>,
}

/// What a mark is between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Folded rounds begin; whether they are shown.
    Begin { is_shown: bool },
    /// A sample ends that stands for so many rounds, and another one begins; whether it is the last.
    Next { rounds: u64, is_last: bool },
    /// The last sample ends.
    End { rounds: u64 },
    /// The loop of an infinite execution begins,
    Loop,
    /// and ends.
    Close,
}

/// The marks of a trace; none if it folds more than rounds that leave no frame behind, if its loop leaves
/// some, or if a sample ends at something that C has not.
pub fn marks(original: Original<'_>, parts: &Parts<'_>, trace: &Trace) -> Option<Vec<Mark>> {
    let entry = original.program.entry;
    let reader = Reader {
        original,
        parts,
        left_out: LeftOut::new(original),
        starts_apart: original.origin.functions[entry.0 as usize].is_none(),
        visits: FxHashMap::default(),
        marks: Vec::new(),
    };
    reader.read(trace)
}

/// What is still to be read.
enum Task<'t> {
    /// Steps over so many frames.
    Steps {
        steps: &'t [Step],
        below: u64,
        /// Whether the first of them is where the ones before have ended.
        is_there: bool,
        is_shown: bool,
    },
    /// Between samples, over so many frames: the one before, and the first step of the next, if rounds are
    /// left out between them.
    Turn {
        below: u64,
        at: &'t Step,
        sample: Option<&'t [Step]>,
        next: Option<&'t Step>,
        turn: Turn,
    },
}

struct Reader<'a> {
    original: Original<'a>,
    parts: &'a Parts<'a>,
    left_out: LeftOut<'a>,
    /// Whether the lowered program has a frame below that of the entry.
    starts_apart: bool,
    /// How often points were come to since the last mark, at which depths.
    visits: FxHashMap<(u32, u64), u64>,
    marks: Vec<Mark>,
}

impl Reader<'_> {
    fn read(mut self, trace: &Trace) -> Option<Vec<Mark>> {
        let outermost = |steps, is_there| Task::Steps {
            steps,
            below: 0,
            is_there,
            is_shown: true,
        };
        let mut tasks = Vec::new();
        if let ([first, ..], false) = (&trace.cycle[..], trace.has_stopped()) {
            let turn = |turn| Task::Turn {
                below: 0,
                at: first,
                sample: None,
                next: None,
                turn,
            };
            tasks.push(turn(Turn::Close));
            // Where it comes to its first step again, it has as many frames as before.
            tasks.push(outermost(std::slice::from_ref(first), false));
            tasks.push(outermost(&trace.cycle, true));
            tasks.push(turn(Turn::Loop));
            tasks.push(outermost(std::slice::from_ref(first), false));
        }
        tasks.push(outermost(&trace.stem, false));
        while let Some(task) = tasks.pop() {
            let (steps, below, is_there, is_shown) = match task {
                Task::Steps {
                    steps,
                    below,
                    is_there,
                    is_shown,
                } => (steps, below, is_there, is_shown),
                Task::Turn {
                    below,
                    at,
                    sample,
                    next,
                    turn,
                } => {
                    self.mark((at, below), sample, next, turn)?;
                    continue;
                }
            };
            let [step, rest @ ..] = steps else {
                continue;
            };
            if let (Some(point), false) = (step.at(), is_there) {
                *self.visits.entry((point, below + step.depth)).or_default() += 1;
            }
            let after = |is_there| Task::Steps {
                steps: rest,
                below,
                is_there,
                is_shown,
            };
            match step.folded {
                None => tasks.push(after(false)),
                Some(Fold::Call(id)) => {
                    tasks.push(after(false));
                    tasks.push(Task::Steps {
                        steps: trace.segments.get(id.0 as usize)?,
                        below: below + step.depth + 1,
                        is_there: false,
                        is_shown,
                    });
                }
                Some(Fold::Rounds(id)) => {
                    // Where the rounds end there is a step for it.
                    tasks.push(after(true));
                    let below = below + step.depth;
                    let mut next = None;
                    for (sample, steps) in trace.samples(id).rev() {
                        let (first, last) = (steps.first()?, steps.last()?);
                        let rounds = sample.rounds;
                        let is_last = next.is_none();
                        let after = next.filter(|(_, _, follows)| rounds > 1 || *follows > 1);
                        tasks.push(Task::Turn {
                            below,
                            at: last,
                            sample: Some(steps),
                            next: after.map(|(first, ..)| first),
                            turn: match next {
                                None => Turn::End { rounds },
                                Some((_, is_last, _)) => Turn::Next { rounds, is_last },
                            },
                        });
                        tasks.push(Task::Steps {
                            steps,
                            below,
                            is_there: true,
                            is_shown: is_shown && is_last,
                        });
                        next = Some((first, is_last, rounds));
                    }
                    let (at, ..) = next?;
                    tasks.push(Task::Turn {
                        below,
                        at,
                        sample: None,
                        next: None,
                        turn: Turn::Begin { is_shown },
                    });
                }
                Some(Fold::Nested(_) | Fold::Returned(_)) => return None,
            }
        }
        Some(self.marks)
    }

    fn mark(
        &mut self,
        (at, below): (&Step, u64),
        sample: Option<&[Step]>,
        next: Option<&Step>,
        turn: Turn,
    ) -> Option<()> {
        let point = at.at()?;
        let first = sample.and_then(|steps| steps.first());
        let is_there = |other: &&Step| other.at() == Some(point) && other.depth == at.depth;
        if !first.iter().chain(&next).all(is_there) {
            return None;
        }
        let Original {
            program, origin, ..
        } = self.original;
        let depth = below + at.depth;
        let function = origin.functions[program.point(PointId(point)).procedure.0 as usize]?;
        let above = usize::try_from(depth - u64::from(self.starts_apart)).ok()?;
        let visits = self.visits.remove(&(point, depth)).unwrap_or_default();
        self.visits.clear();
        let changed = match sample {
            Some(_) => self.left_out.changed(PointId(point)),
            None => Vec::new(),
        };
        let expected = changed.iter().filter_map(|cell| {
            let is_known = self.left_out.is_known(PointId(point), *cell);
            let part = self.parts.at(at, *cell).filter(|_| is_known)?;
            Some((part, self.parts.value(at, *cell)?))
        });
        let expected = expected.collect();
        let leap = match next {
            Some(next) => Some(self.leap(PointId(point), &changed, next)?),
            None => None,
        };
        self.marks.push(Mark {
            site: (function, above, origin.point(PointId(point)).span),
            visits,
            expected,
            leap,
            turn,
        });
        Some(())
    }

    /// What comes of rounds from a point to itself that change some cells, before a step; none if something
    /// matters there that cannot be said in C.
    fn leap(&self, point: PointId, changed: &[VariableId], next: &Step) -> Option<Leap> {
        let Original {
            program, origin, ..
        } = self.original;
        let procedure = program.point(point).procedure;
        let mut leap = Leap::default();
        for cell in changed {
            let is_known = self.left_out.is_known(point, *cell);
            let part = self.parts.at(next, *cell);
            let of = origin.cell(procedure, *cell);
            match (part, of.object) {
                (Some(_), Some(object)) if of.key.is_some() => leap.lost_objects.push(object),
                (Some(part), _) if !is_known => leap.lost.push(part),
                (None, Some(object)) if !is_known => leap.lost_objects.push(object),
                // What is inside an expression is not there between steps.
                (None, None) if !is_known => {
                    leap.loses_nameless |= matches!(cell, VariableId::Global(_));
                }
                _ => {}
            }
            if is_known {
                leap.puts.push((part?, self.parts.value(next, *cell)?));
            }
        }
        Some(leap)
    }
}

impl Leap {
    /// Whether an execution can be taken to where the rounds end.
    fn enact(&self, machine: &mut Machine<'_>) -> bool {
        let is_between_steps = machine.next_step().is_some_and(|step| step.is_outermost);
        if self.loses_nameless {
            machine.lose_nameless();
        }
        let mut objects = self.lost_objects.iter();
        let mut lost = self.lost.iter();
        let mut puts = self.puts.iter();
        is_between_steps
            && objects.all(|object| machine.lose_all(*object))
            && lost.all(|part| machine.lose(part.object, part.bit))
            && puts.all(|(part, choice)| machine.put(part.object, part.bit, *choice))
    }
}

/// How far an execution has come with the marks of its trace.
pub struct Course<'a> {
    marks: std::slice::Iter<'a, Mark>,
    /// How often it was at the site of the next one.
    visits: u64,
    /// Whether it is where the last one was.
    is_there: bool,
    /// What the configuration was with which the loop has begun.
    begun: Option<u128>,
}

impl<'a> Course<'a> {
    pub fn new(marks: &'a [Mark]) -> Self {
        Course {
            marks: marks.iter(),
            visits: 0,
            is_there: false,
            begun: None,
        }
    }

    /// Before a step: the marks that the execution has come to, after whose leaps it goes on. `None` if
    /// it has not what the trace has there.
    pub fn pass(&mut self, machine: &mut Machine<'_>) -> Option<Vec<Turn>> {
        let mut passed = Vec::new();
        while let Some(mark) = self.marks.as_slice().first() {
            if mark.visits > 0 {
                let is_new = !std::mem::replace(&mut self.is_there, true);
                let site = || {
                    let (function, _, depth) = machine.site()?;
                    Some((function, depth, machine.next_step()?.span))
                };
                if !is_new || site() != Some(mark.site) {
                    break;
                }
                self.visits += 1;
                if self.visits < mark.visits {
                    break;
                }
            }
            self.marks.next();
            self.visits = 0;
            self.is_there = true;
            let is_as_expected =
                |(part, choice): &(Part, Choice)| machine.agrees(part.object, part.bit, *choice);
            if !mark.expected.iter().all(is_as_expected) {
                return None;
            }
            if let Some(leap) = &mark.leap
                && !leap.enact(machine)
            {
                return None;
            }
            match mark.turn {
                Turn::Loop => self.begun = machine.fingerprint(),
                Turn::Close if self.begun.is_none() || machine.fingerprint() != self.begun => {
                    return None;
                }
                _ => {}
            }
            passed.push(mark.turn);
        }
        Some(passed)
    }

    /// After a step.
    pub fn advance(&mut self) {
        self.is_there = false;
    }

    /// Whether there are marks that it has not come to.
    pub fn is_open(&self) -> bool {
        !self.marks.as_slice().is_empty()
    }
}

/// Counts the steps of an execution, those that are left out, too.
#[derive(Default)]
pub struct Tally {
    made: u64,
    /// So far in the sample that is open, or outside of all.
    steps: u64,
    open: Vec<Folded>,
    /// What is left out of what is shown.
    pub gaps: Vec<Gap>,
    /// The step with which the loop of an infinite execution begins.
    pub cycle: Option<u64>,
}

/// Rounds whose samples are being made.
struct Folded {
    is_shown: bool,
    /// The step at which they begin,
    from: u64,
    /// and the one with which the last sample does.
    last: u64,
    /// How many steps there were before.
    before: u64,
    /// For each sample how many rounds it stands for, and how many steps it has.
    samples: Vec<(u64, u64)>,
}

impl Tally {
    pub fn step(&mut self) {
        self.made += 1;
        self.steps = self.steps.saturating_add(1);
    }

    /// The steps that were made.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// All steps so far.
    pub fn length(&self) -> u64 {
        self.steps
    }

    /// At a step a mark was passed.
    pub fn turn(&mut self, at: u64, turn: Turn) {
        let steps = self.steps;
        match (turn, self.open.last_mut()) {
            (Turn::Begin { is_shown }, _) => {
                self.open.push(Folded {
                    is_shown,
                    from: at,
                    last: at,
                    before: steps,
                    samples: Vec::new(),
                });
                self.steps = 0;
            }
            (Turn::Next { rounds, is_last }, Some(folded)) => {
                folded.samples.push((rounds, steps));
                if is_last {
                    folded.last = at;
                }
                self.steps = 0;
            }
            (Turn::End { rounds }, Some(folded)) => {
                folded.samples.push((rounds, steps));
                let length = folded_length(folded.samples.iter().copied());
                self.steps = folded.before.saturating_add(length);
                let rounds = folded.samples.iter();
                let rounds = rounds.fold(0, |sum: u64, (rounds, _)| sum.saturating_add(*rounds));
                if folded.is_shown && folded.last > folded.from {
                    self.gaps.push(Gap {
                        from: folded.from,
                        sample: folded.last,
                        to: at,
                        rounds,
                    });
                    self.gaps.sort_unstable_by_key(|gap| gap.from);
                }
                self.open.pop();
            }
            (Turn::Loop, _) => self.cycle = Some(at),
            (Turn::Next { .. } | Turn::End { .. }, None) | (Turn::Close, _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two steps; a hundred rounds of three steps, of which the first, the 40th and the last are made, with
    /// a loop of fifty steps in each; one step.
    #[test]
    fn left_out_rounds_are_counted_through_their_samples() {
        let mut tally = Tally::default();
        let mut at = 0;
        let mut steps = |tally: &mut Tally, count: u64| {
            (0..count).for_each(|_| tally.step());
            at += count;
            at
        };
        let begin = steps(&mut tally, 2);
        tally.turn(begin, Turn::Begin { is_shown: true });
        for (rounds, is_shown) in [(39, false), (60, false), (1, true)] {
            let inner = steps(&mut tally, 2);
            tally.turn(inner, Turn::Begin { is_shown });
            let second = steps(&mut tally, 1);
            let is_last = true;
            tally.turn(
                second,
                Turn::Next {
                    rounds: 49,
                    is_last,
                },
            );
            let end = steps(&mut tally, 1);
            tally.turn(end, Turn::End { rounds: 1 });
            let end = steps(&mut tally, 1);
            let is_last = rounds == 60;
            tally.turn(
                end,
                match is_shown {
                    true => Turn::End { rounds },
                    false => Turn::Next { rounds, is_last },
                },
            );
        }
        steps(&mut tally, 1);
        assert_eq!((tally.length(), tally.made()), (2 + 100 * 53 + 1, 18));
        let gaps = [(2, 12, 17, 100), (14, 15, 16, 50)];
        let gaps = gaps.map(|(from, sample, to, rounds)| Gap {
            from,
            sample,
            to,
            rounds,
        });
        assert_eq!(tally.gaps, gaps);
    }
}
