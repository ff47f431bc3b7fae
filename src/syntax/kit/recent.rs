//! The names met lately, so that most of them are found without hashing their text.
//!
//! A boolean program has few names, most of them short, and uses each again and again. A
//! name of at most eight bytes fits into a word; a small table, in which the word finds its
//! place by multiplication, remembers the names it stood for.

use crate::names::{Name, Names};
use std::ops::Range;

const PLACES_BITS: u32 = 10;

pub struct RecentNames {
    /// The word of a name, and the name. No name is the word 0, because none is empty.
    places: Box<[(u64, Option<Name>)]>,
}

impl Default for RecentNames {
    fn default() -> Self {
        RecentNames {
            places: vec![(0, None); 1 << PLACES_BITS].into(),
        }
    }
}

impl RecentNames {
    /// The name at this place of the source, which is interned if it is new. It is UTF-8: a plain
    /// name is ASCII, and one in braces has been checked.
    #[inline]
    pub fn intern(&mut self, names: &mut Names, source: &[u8], range: Range<usize>) -> Name {
        let length = range.len();
        // The last bytes of a source are not worth a way of their own.
        let (1..=8, Some(eight)) = (length, source.get(range.start..range.start + 8)) else {
            return intern(names, &source[range]);
        };
        let eight = u64::from_le_bytes(eight.try_into().unwrap_or_default());
        let word = eight & (u64::MAX >> (64 - 8 * length as u32));
        let place = word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - PLACES_BITS);
        let entry = &mut self.places[place as usize];
        // No name ends in a zero byte, so that the word tells its length too.
        if let (known, Some(name)) = *entry
            && known == word
        {
            return name;
        }
        let name = intern(names, &source[range]);
        *entry = (word, Some(name));
        name
    }
}

fn intern(names: &mut Names, text: &[u8]) -> Name {
    names.intern(std::str::from_utf8(text).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_same_names_as_the_set_itself() {
        let mut names = Names::default();
        let mut recent = RecentNames::default();
        let texts = (0..5000).map(|i| format!("x{}", i * 7919 % 3000));
        for text in texts.chain(["{}".into(), "{\0}".into(), "a_very_long_name".into()]) {
            let source = format!("{text}        ");
            let range = 0..text.len();
            let name = recent.intern(&mut names, source.as_bytes(), range.clone());
            assert_eq!(names.text(name), text);
            assert_eq!(
                recent.intern(&mut names, source.as_bytes(), range.clone()),
                name
            );
            assert_eq!(recent.intern(&mut names, text.as_bytes(), range), name);
            assert_eq!(names.intern(&text), name);
        }
    }
}
