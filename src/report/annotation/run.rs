//! A run of an automaton over a lasso: the states in which it reads the letters.
//!
//! The run is periodic with the lasso: at its last position it is in the state that it was in
//! at the last position of the stem, and on the way from there it was in an accepting one.
//! Forwards, the states that can be reached at each position are sets; the run is then taken
//! from them backwards, the smallest states first. For each candidate of the repeated state
//! linear in the word times the edges.

use ltl2ba_rs::Automaton;
use rustc_hash::FxHashMap;

/// The edges that a letter allows, as pairs of states.
type Moves = Vec<(u32, u32)>;

/// An accepting run, a state for each letter of stem and cycle; `None` if none has the
/// period of the cycle. The last letters of the stem and of the cycle must be equal.
pub fn accepting_run(
    automaton: &Automaton,
    letters: &[Vec<bool>],
    stem: usize,
) -> Option<Vec<u32>> {
    let first = stem.checked_sub(1)?;
    let moves = Letters::new(automaton, letters);
    let initial = automaton.initial.iter().map(|state| (*state, false));
    let reached = reach(automaton, initial, (0..first).map(|at| moves.at(at)), false);
    for state in 0..automaton.states {
        if !reached[first].contains(state, false) {
            continue;
        }
        let begin = [(state, automaton.is_accepting(state))];
        let round = reach(
            automaton,
            begin.into_iter(),
            (first..letters.len() - 1).map(|at| moves.at(at)),
            true,
        );
        if !round.last()?.contains(state, true) {
            continue;
        }
        let mut run = trace_back(automaton, &reached, |at| moves.at(at), (state, false));
        run.pop();
        let around = |at| moves.at(first + at);
        run.extend(trace_back(automaton, &round, around, (state, true)));
        return Some(run);
    }
    None
}

/// How often the last letter must be read again before a run over it can be periodic, and then
/// in how many letters it is: for executions that have stopped, where it is read for ever.
/// `None` if there is no accepting run.
pub fn settling(automaton: &Automaton, letters: &[Vec<bool>]) -> Option<(usize, usize)> {
    let (last, before) = letters.split_last()?;
    let moves = Letters::new(automaton, before);
    let initial = automaton.initial.iter().map(|state| (*state, false));
    let read = (0..before.len()).map(|at| moves.at(at));
    let reached = reach(automaton, initial, read, false);
    let states = 0..automaton.states;
    let stopped = Automaton {
        initial: states
            .filter(|state| reached[before.len()].contains(*state, false))
            .collect(),
        ..automaton.clone()
    };
    let most = automaton.states as usize;
    let mut tries =
        (1..=2 * most).flat_map(|sum| (1..=sum).map(move |period| (sum - period, period)));
    tries.find(|(again, period)| {
        let word = vec![last.clone(); again + 1 + period];
        accepting_run(&stopped, &word, again + 1).is_some()
    })
}

/// The moves of each letter, found once for equal letters.
struct Letters {
    kinds: Vec<u32>,
    moves: Vec<Moves>,
}

impl Letters {
    fn new(automaton: &Automaton, letters: &[Vec<bool>]) -> Self {
        let mut numbers: FxHashMap<&[bool], u32> = FxHashMap::default();
        let mut moves = Vec::new();
        let mut kinds = Vec::with_capacity(letters.len());
        for letter in letters {
            let number = *numbers.entry(letter).or_insert_with(|| {
                let edges = automaton.edges.iter();
                let allowed = edges.filter(|edge| edge.label.holds(letter));
                moves.push(allowed.map(|edge| (edge.source, edge.target)).collect());
                moves.len() as u32 - 1
            });
            kinds.push(number);
        }
        Letters { kinds, moves }
    }

    fn at(&self, position: usize) -> &Moves {
        &self.moves[self.kinds[position] as usize]
    }
}

/// States at one position, each with and without an accepting one on the way.
struct Layer(Vec<u64>);

impl Layer {
    fn none(automaton: &Automaton) -> Self {
        Layer(vec![0; automaton.states as usize * 2 / 64 + 1])
    }

    fn contains(&self, state: u32, accepted: bool) -> bool {
        let bit = state * 2 + u32::from(accepted);
        self.0[bit as usize / 64] >> (bit % 64) & 1 == 1
    }

    fn insert(&mut self, state: u32, accepted: bool) {
        let bit = state * 2 + u32::from(accepted);
        self.0[bit as usize / 64] |= 1 << (bit % 64);
    }
}

/// Whether an accepting state was met, once the next one is entered.
fn accepts(automaton: &Automaton, before: bool, counts: bool, state: u32) -> bool {
    before || counts && automaton.is_accepting(state)
}

fn reach<'m>(
    automaton: &Automaton,
    begin: impl Iterator<Item = (u32, bool)>,
    moves: impl Iterator<Item = &'m Moves>,
    counts: bool,
) -> Vec<Layer> {
    let mut layer = Layer::none(automaton);
    begin.for_each(|(state, accepted)| layer.insert(state, accepted));
    let mut layers = vec![layer];
    for moves in moves {
        let mut next = Layer::none(automaton);
        let last = &layers[layers.len() - 1];
        for (source, target) in moves {
            for accepted in [false, true] {
                if last.contains(*source, accepted) {
                    next.insert(*target, accepts(automaton, accepted, counts, *target));
                }
            }
        }
        layers.push(next);
    }
    layers
}

/// A way through the layers that ends in this state.
fn trace_back<'m>(
    automaton: &Automaton,
    layers: &[Layer],
    moves: impl Fn(usize) -> &'m Moves,
    end: (u32, bool),
) -> Vec<u32> {
    let mut run = vec![end.0];
    let mut now = end;
    for at in (0..layers.len() - 1).rev() {
        let (before, counts) = (&layers[at], end.1);
        let comes_from = |(source, target): &(u32, u32)| {
            let may_be = |accepted: &bool| {
                before.contains(*source, *accepted)
                    && accepts(automaton, *accepted, counts, *target) == now.1
            };
            let accepted = [false, true].into_iter().find(may_be)?;
            (*target == now.0).then_some((*source, accepted))
        };
        // Some state before leads there, since the layers were made that way.
        let Some(previous) = moves(at).iter().filter_map(comes_from).min() else {
            break;
        };
        now = previous;
        run.push(now.0);
    }
    run.reverse();
    run
}
