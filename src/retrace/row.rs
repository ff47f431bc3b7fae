//! A list in which parts are repeated, perhaps without end: what is in a place of it.
//!
//! Folded rounds of a loop make the choices of a few rounds many times. A look-up goes down into one part on
//! each level, and searches there in logarithmic time.

/// The list, with the place at which each item begins.
#[derive(Debug)]
pub struct Row<T> {
    items: Vec<(u64, Item<T>)>,
    length: u64,
}

#[derive(Debug)]
enum Item<T> {
    One(T),
    /// Again and again, up to where the next item begins.
    Many(Row<T>),
}

impl<T> Default for Row<T> {
    fn default() -> Self {
        Row {
            items: Vec::new(),
            length: 0,
        }
    }
}

impl<T: Copy> Row<T> {
    pub fn push(&mut self, one: T) {
        self.items.push((self.length, Item::One(one)));
        self.length = self.length.saturating_add(1);
    }

    /// Adds a part so many times; [`u64::MAX`] is without end.
    pub fn repeat(&mut self, part: Row<T>, times: u64) {
        let length = part.length.saturating_mul(times);
        self.items.push((self.length, Item::Many(part)));
        self.length = self.length.saturating_add(length);
    }

    pub fn get(&self, place: u64) -> Option<T> {
        let (mut row, mut place) = (self, place);
        while place < row.length {
            let after = row.items.partition_point(|(start, _)| *start <= place);
            let (start, item) = row.items.get(after.checked_sub(1)?)?;
            match item {
                Item::One(one) => return Some(*one),
                Item::Many(part) => {
                    place = (place - start) % part.length.max(1);
                    row = part;
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Row;

    fn row(text: &str) -> Row<char> {
        let mut row = Row::default();
        text.chars().for_each(|one| row.push(one));
        row
    }

    #[test]
    fn parts_are_repeated() {
        // a (b (cd)³ e)² f (g)…
        let mut inner = row("b");
        inner.repeat(row("cd"), 3);
        inner.push('e');
        let mut whole = row("a");
        whole.repeat(inner, 2);
        whole.repeat(row(""), 7);
        whole.push('f');
        whole.repeat(row("g"), u64::MAX);
        let text: String = (0..21).filter_map(|place| whole.get(place)).collect();
        assert_eq!(text, "abcdcdcdebcdcdcdefggg");
        assert_eq!(whole.get(u64::MAX - 1), Some('g'));
        assert_eq!(row("ab").get(2), None);
        assert_eq!(Row::<char>::default().get(0), None);
    }
}
