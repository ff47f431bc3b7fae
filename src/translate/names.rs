//! How names are spelled in `.pds`.
//!
//! A name keeps its spelling if `.pds` can read it and it does not take the place of another:
//! keywords, `error` and `terminated` have a meaning already, and procedures and labels are
//! both atoms there. Where a procedure and a label have one name, both are spelled otherwise,
//! so that a property which speaks of that name is refused and not misunderstood.
//!
//! Spelled names have no dots, and none begins with a digit; `p.x`, `p.L` and `p.3` therefore
//! never mean two things.

use crate::names::Name;
use crate::program::{ProcedureId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// The words of `.pds`, and the symbols that every translation has.
const RESERVED: [&str; 10] = [
    "A", "E", "atoms", "bool", "define", "global", "int", "local", ERROR, TERMINATED,
];

pub const ERROR: &str = "error";
pub const TERMINATED: &str = "terminated";

/// A name that is spelled otherwise than in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// What it is: "label", "global".
    pub kind: &'static str,
    pub original: String,
    pub spelled: String,
}

/// Names that are spelled so already, and those that had to be changed.
#[derive(Debug, Default)]
pub struct Spelling {
    taken: FxHashSet<String>,
    pub renamed: Vec<Renamed>,
}

fn is_spelled_alike(text: &str) -> bool {
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let goes_on = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    begins && goes_on && !RESERVED.contains(&text)
}

/// Something like the name that `.pds` can read.
fn likeness(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let plain = text.chars().map(|c| if is_plain(c) { c } else { '_' });
    let mut like: String = plain.collect();
    if !like.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        like.insert(0, '_');
    }
    if RESERVED.contains(&like.as_str()) {
        like.push('_');
    }
    like
}

impl Spelling {
    pub fn is_taken(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// Takes a name that is free, this one if possible.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut number = 1_u64;
        while RESERVED.contains(&name.as_str()) || !self.taken.insert(name.clone()) {
            number += 1;
            name = format!("{wanted}_{number}");
        }
        name
    }

    /// Spells names of one kind, those that need no change first. Each has a prefix of its
    /// own, which is spelled already.
    pub fn spell(&mut self, kind: &'static str, names: &[(String, &str)]) -> Vec<String> {
        let mut spelled = vec![None; names.len()];
        for (place, (prefix, text)) in spelled.iter_mut().zip(names) {
            let whole = format!("{prefix}{text}");
            if is_spelled_alike(text) && self.taken.insert(whole.clone()) {
                *place = Some(whole);
            }
        }
        let spelled = spelled
            .into_iter()
            .zip(names)
            .map(|(known, (prefix, text))| {
                known.unwrap_or_else(|| {
                    let spelled = self.fresh(&format!("{prefix}{}", likeness(text)));
                    self.renamed.push(Renamed {
                        kind,
                        original: (*text).to_owned(),
                        spelled: spelled.clone(),
                    });
                    spelled
                })
            });
        spelled.collect()
    }
}

/// The names of what atoms stand for.
#[derive(Debug)]
pub struct Atoms {
    pub procedures: Vec<String>,
    labels: FxHashMap<Name, String>,
}

impl Atoms {
    pub fn of(program: &Program, spelling: &mut Spelling) -> Self {
        let mut labels: Vec<Name> = program.labels.iter().map(|(_, name)| *name).collect();
        labels.sort_unstable();
        labels.dedup();
        let procedures: Vec<Name> = program.procedures.iter().map(|p| p.name).collect();
        let of_procedures: FxHashSet<Name> = procedures.iter().copied().collect();
        // What is both is nobody's.
        for name in labels.iter().filter(|name| of_procedures.contains(name)) {
            spelling.taken.insert(program.names.text(*name).to_owned());
        }
        let texts = |list: &[Name]| -> Vec<(String, &str)> {
            let texts = list.iter().map(|name| program.names.text(*name));
            texts.map(|text| (String::new(), text)).collect()
        };
        let spelled = spelling.spell("procedure", &texts(&procedures));
        let of_labels = spelling.spell("label", &texts(&labels));
        Atoms {
            procedures: spelled,
            labels: labels.into_iter().zip(of_labels).collect(),
        }
    }

    pub fn procedure(&self, id: ProcedureId) -> &str {
        &self.procedures[id.0 as usize]
    }

    pub fn label(&self, name: Name) -> &str {
        &self.labels[&name]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spell(spelling: &mut Spelling, texts: &[&str]) -> Vec<String> {
        let names: Vec<_> = texts.iter().map(|text| (String::new(), *text)).collect();
        spelling.spell("global", &names)
    }

    #[test]
    fn what_can_be_spelled_keeps_its_name() {
        let mut spelling = Spelling::default();
        assert_eq!(spell(&mut spelling, &["a", "_b1", "F"]), ["a", "_b1", "F"]);
        assert!(spelling.renamed.is_empty());
    }

    #[test]
    fn the_rest_gets_names_that_are_free() {
        let mut spelling = Spelling::default();
        let names = ["{a}", "$a$", "_a_", "A", "error", "{*p==*q}", "int"];
        assert_eq!(
            spell(&mut spelling, &names),
            ["_a__2", "_a__3", "_a_", "A_", "error_", "__p___q_", "int_"]
        );
        assert_eq!(spelling.renamed.len(), 6);
        assert_eq!(spelling.renamed[0].original, "{a}");
        assert_eq!(spelling.fresh("_a_"), "_a__4");
    }
}
