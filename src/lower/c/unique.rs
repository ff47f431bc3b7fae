//! Names of variables of the program form, each given once.

use crate::names::{Name, Names};
use rustc_hash::FxHashMap;

/// The names that are given, and which number comes next behind each.
#[derive(Default)]
pub struct UniqueNames {
    next: FxHashMap<Name, u32>,
}

impl UniqueNames {
    /// A name that is not given yet: with a number behind it, if need be.
    pub fn own(&mut self, names: &mut Names, name: &str) -> String {
        let mut text = name.to_owned();
        let plain = names.intern(&text);
        let mut number = self.next.get(&plain).copied().unwrap_or(2);
        let mut own = plain;
        while self.next.contains_key(&own) {
            text = format!("{name}#{number}");
            own = names.intern(&text);
            number += 1;
        }
        self.next.insert(plain, number);
        self.next.entry(own).or_insert(2);
        text
    }
}
