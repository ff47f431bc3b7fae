//! Sets of configurations of a system with its exact model, as text and as automata.

// Each test file is a crate of its own and uses a part of this.
#![allow(dead_code)]

use derny::internals::configurations::{
    ConfigurationSet, Count, Language, Model, PAutomaton, SetAutomaton, compile, count, meets,
    post, pre, resolve,
};
use derny::internals::source::Source;

/// Bytes that the nodes of a model may take.
pub const MEMORY: u64 = 64 << 20;

pub struct Sets<'a, L> {
    pub names: &'a L,
    pub model: &'a Model<'a>,
}

impl<L: Language> Sets<'_, L> {
    pub fn given(&self, text: &str) -> SetAutomaton {
        let source = Source::new("CONFIGS", text.as_bytes().to_vec());
        let set: ConfigurationSet =
            resolve(self.names, &source).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"));
        compile(self.model, &set).unwrap()
    }

    pub fn post(&self, from: &str) -> PAutomaton {
        post(self.model, &self.given(from)).unwrap()
    }

    pub fn pre(&self, to: &str) -> PAutomaton {
        pre(self.model, &self.given(to)).unwrap()
    }

    pub fn contains(&self, automaton: &PAutomaton, text: &str) -> bool {
        meets(self.model, automaton, &self.given(text)).unwrap()
    }

    pub fn count(&self, automaton: &PAutomaton) -> Count {
        count(self.model, automaton).unwrap()
    }

    pub fn heads(&self, automaton: &PAutomaton) -> String {
        self.count(automaton).heads.to_string()
    }

    /// Each of these sets leads to each other one forwards if and only if it does backwards.
    /// Adds up how often it does not, and does.
    pub fn compare_directions(&self, texts: &[String], system: &str, answers: &mut [usize; 2]) {
        let pres: Vec<_> = texts.iter().map(|to| self.pre(to)).collect();
        for from in texts {
            let post = self.post(from);
            for (to, pre) in texts.iter().zip(&pres) {
                let forward = self.contains(&post, to);
                let backward = self.contains(pre, from);
                assert_eq!(forward, backward, "from {from} to {to}\n{system}");
                answers[usize::from(forward)] += 1;
            }
        }
    }
}

/// A text is a set, or is refused with a place inside of it (or right behind).
pub fn read_or_refused(names: &dyn Language, text: &str) -> Option<ConfigurationSet> {
    let source = Source::new("--from", text.as_bytes().to_vec());
    match resolve(names, &source) {
        Ok(set) => Some(set),
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty());
            for diagnostic in &diagnostics {
                assert!(diagnostic.span.start <= diagnostic.span.end);
                assert!(
                    diagnostic.span.start as usize <= text.len(),
                    "{diagnostic:?}"
                );
            }
            derny::internals::render(&source, &diagnostics, false);
            None
        }
    }
}
