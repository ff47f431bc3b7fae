//! Vectors that are indexed by numbers of one kind.
//!
//! Heads, entries, classes of frames and effects are all numbers from 0 on. A vector that has
//! something for each of one kind takes an index of that kind only: a head where an entry is
//! meant does not compile. It costs nothing at run time.

use std::marker::PhantomData;
use std::ops::{self, Range};

/// A number that things of one kind are told apart by, from 0 on.
pub trait Index: Copy {
    fn from_index(index: usize) -> Self;
    fn index(self) -> usize;
}

impl Index for usize {
    fn from_index(index: usize) -> Self {
        index
    }

    fn index(self) -> usize {
        self
    }
}

/// Makes indices of types that hold a `u32`.
macro_rules! indices {
    ($($name:ident),+) => {
        $(impl $crate::index::Index for $name {
            fn from_index(index: usize) -> Self {
                $name(index as u32)
            }

            fn index(self) -> usize {
                self.0 as usize
            }
        })+
    };
}
pub(crate) use indices;

/// The first so many indices.
pub fn first<I: Index>(count: usize) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator {
    (0..count).map(I::from_index)
}

/// Something for each of the first indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexVec<I, T> {
    items: Vec<T>,
    kind: PhantomData<fn(I)>,
}

impl<I: Index, T> IndexVec<I, T> {
    pub fn new() -> Self {
        Vec::new().into()
    }

    /// The same for each of the first `count` indices.
    pub fn filled(value: T, count: usize) -> Self
    where
        T: Clone,
    {
        vec![value; count].into()
    }

    /// Adds what the next index has, and returns that.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::from_index(self.items.len() - 1)
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn get(&self, index: I) -> Option<&T> {
        self.items.get(index.index())
    }

    pub fn indices(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        first(self.items.len())
    }

    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// All that is there, with its indices.
    pub fn enumerate(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        let items = self.items.iter().enumerate();
        items.map(|(index, item)| (I::from_index(index), item))
    }

    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// Keeps what `is_kept` says of its index; the rest moves up.
    pub fn retain(&mut self, is_kept: impl Fn(I) -> bool) {
        let mut next = 0;
        self.items.retain(|_| {
            next += 1;
            is_kept(I::from_index(next - 1))
        });
    }
}

impl<I, T> From<Vec<T>> for IndexVec<I, T> {
    fn from(items: Vec<T>) -> Self {
        IndexVec {
            items,
            kind: PhantomData,
        }
    }
}

impl<I, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<I, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<S: IntoIterator<Item = T>>(items: S) -> Self {
        Vec::from_iter(items).into()
    }
}

impl<'v, I, T> IntoIterator for &'v IndexVec<I, T> {
    type Item = &'v T;
    type IntoIter = std::slice::Iter<'v, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<I: Index, T> ops::Index<I> for IndexVec<I, T> {
    type Output = T;

    fn index(&self, index: I) -> &T {
        &self.items[index.index()]
    }
}

impl<I: Index, T> ops::IndexMut<I> for IndexVec<I, T> {
    fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.items[index.index()]
    }
}

/// Which of a row of things belong to each index, if the row is ordered by index.
#[derive(Clone, Debug)]
pub struct Ranges<I> {
    /// Those of index `i` begin at `starts[i]` and end at `starts[i + 1]`.
    starts: Vec<u32>,
    kind: PhantomData<fn(I)>,
}

impl<I: Index> Ranges<I> {
    /// The ranges of `count` indices; `owners` tells what each thing belongs to, in any order.
    pub fn new(owners: impl Iterator<Item = I>, count: usize) -> Self {
        let mut starts = vec![0; count + 1];
        for owner in owners {
            starts[owner.index() + 1] += 1;
        }
        for index in 0..count {
            starts[index + 1] += starts[index];
        }
        Ranges {
            starts,
            kind: PhantomData,
        }
    }

    /// How many indices there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn of(&self, index: I) -> Range<u32> {
        self.starts[index.index()]..self.starts[index.index() + 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Room(u32);
    indices!(Room);

    #[test]
    fn a_vector_hands_out_the_indices_it_takes() {
        let mut names = IndexVec::<Room, _>::new();
        let hall = names.push("hall");
        let attic = names.push("attic");
        assert_eq!((hall, attic), (Room(0), Room(1)));
        assert_eq!((names[hall], names.get(Room(2))), ("hall", None));
        names[attic] = "loft";
        let all: Vec<_> = names.enumerate().collect();
        assert_eq!(all, [(Room(0), &"hall"), (Room(1), &"loft")]);
        assert!(names.indices().eq([Room(0), Room(1)]));
        names.retain(|room| room != hall);
        assert_eq!(names.as_slice(), ["loft"]);
    }

    #[test]
    fn ranges_follow_each_other() {
        // Two things of room 1, none of room 0, one of room 2.
        let ranges = Ranges::new([Room(1), Room(2), Room(1)].into_iter(), 3);
        let all: Vec<_> = first(ranges.len()).map(|room| ranges.of(room)).collect();
        assert_eq!(all, [0..0, 0..2, 2..3]);
    }
}
