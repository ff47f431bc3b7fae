//! What several tests need: random formulas and words, the corpus, and the comparison of
//! an automaton with the evaluator.
#![allow(dead_code, reason = "each test file uses its own part")]

use ltl2ba_rs::{
    Automaton, Binary, Formula, Lasso, Node, NodeId, Proposition, Unary, accepts, evaluate,
};
use std::path::PathBuf;

/// Xorshift, seeded: every run sees the same numbers.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A word: of every density, with quiet tails, and now and then all false.
    pub fn word(&mut self, propositions: usize) -> Lasso {
        let density = self.below(5) as u64;
        let row = |random: &mut Random, density: u64| -> Vec<bool> {
            (0..propositions)
                .map(|_| random.next() % 4 < density)
                .collect()
        };
        let (stem, cycle) = (self.below(7), self.below(4) + 1);
        let stem = (0..stem).map(|_| row(self, density)).collect();
        let quiet = self.below(5) == 0;
        let density = if self.below(3) == 0 {
            self.below(5) as u64
        } else {
            density
        };
        let cycle = if quiet {
            vec![vec![false; propositions]]
        } else {
            (0..cycle).map(|_| row(self, density)).collect()
        };
        Lasso { stem, cycle }
    }

    /// A formula of about `size` operators.
    pub fn formula(&mut self, propositions: usize, size: usize) -> Formula {
        let mut formula = Formula::new();
        for index in 0..propositions {
            formula.add_proposition(Proposition::word(format!("p{index}")));
        }
        let root = self.node(&mut formula, propositions, size);
        formula.set_root(root);
        formula
    }

    /// A Boolean combination of `parts` towers such as `G F p`, which is what the rules
    /// for suspendable terms and the first event are about.
    pub fn fairness(&mut self, propositions: usize, parts: usize) -> Formula {
        let mut formula = Formula::new();
        for index in 0..propositions {
            formula.add_proposition(Proposition::word(format!("p{index}")));
        }
        let mut root = self.tower(&mut formula, propositions);
        for _ in 1..parts {
            let other = self.tower(&mut formula, propositions);
            let operator = BINARIES[[0, 0, 0, 1, 1, 1, 3, 4, 5, 6][self.below(10)]];
            root = formula.add(Node::Binary(operator, root, other));
            if self.below(6) == 0 {
                let operator = [Unary::Finally, Unary::Globally][self.below(2)];
                root = formula.add(Node::Unary(operator, root));
            }
        }
        formula.set_root(root);
        formula
    }

    fn tower(&mut self, formula: &mut Formula, propositions: usize) -> NodeId {
        let size = [0, 0, 1, 2][self.below(4)];
        let mut node = self.node(formula, propositions, size);
        for _ in 0..self.below(4) {
            let operators = [Unary::Finally, Unary::Globally, Unary::Next, Unary::Not];
            node = formula.add(Node::Unary(
                operators[[0, 0, 1, 1, 2, 3][self.below(6)]],
                node,
            ));
        }
        node
    }

    fn node(&mut self, formula: &mut Formula, propositions: usize, size: usize) -> NodeId {
        if size == 0 {
            let node = match self.below(12) {
                0 => Node::Constant(self.below(2) == 0),
                _ => Node::Proposition(self.below(propositions) as u32),
            };
            return formula.add(node);
        }
        if self.below(5) < 2 || size == 1 {
            let operator = [Unary::Not, Unary::Next, Unary::Finally, Unary::Globally];
            let operator = operator[self.below(4)];
            let f = self.node(formula, propositions, size - 1);
            return formula.add(Node::Unary(operator, f));
        }
        let operator = BINARIES[self.below(BINARIES.len())];
        let left = self.below(size);
        let f = self.node(formula, propositions, left);
        let g = self.node(formula, propositions, size - 1 - left);
        formula.add(Node::Binary(operator, f, g))
    }
}

pub const BINARIES: [Binary; 9] = [
    Binary::And,
    Binary::Or,
    Binary::Xor,
    Binary::Implies,
    Binary::Iff,
    Binary::Until,
    Binary::Release,
    Binary::WeakUntil,
    Binary::StrongRelease,
];

/// Words that are always worth a try: nothing ever, everything always.
pub fn plain_words(propositions: usize) -> Vec<Lasso> {
    let constant = |value: bool| Lasso {
        stem: Vec::new(),
        cycle: vec![vec![value; propositions]],
    };
    vec![constant(false), constant(true)]
}

/// Compares the automata of a formula and of its negation with the evaluator.
pub fn compare(formula: &Formula, automaton: &Automaton, negation: &Automaton, words: &[Lasso]) {
    for word in words {
        let expected = evaluate(formula, word);
        assert_eq!(accepts(automaton, word), expected, "{formula} on {word:?}");
        assert_eq!(
            accepts(negation, word),
            !expected,
            "!({formula}) on {word:?}"
        );
    }
}

/// The formulas of the corpus by file, or nothing where the corpus is missing.
pub fn corpus() -> Vec<(String, Vec<String>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/ltl");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!(
            "skipped: there is no corpus of formulas at {}",
            folder.display()
        );
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "ltl"));
    files.sort();
    let mut corpus = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a readable corpus file");
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let formulas = text
            .lines()
            .map(|line| line.split('#').next().unwrap_or_default().trim().to_owned())
            .filter(|line| !line.is_empty());
        corpus.push((name, formulas.collect()));
    }
    corpus
}
