//! What names mean in nested scopes, for languages in which a declaration holds from its place
//! on.
//!
//! A table has the meaning of each name now; what a scope has changed is written down and undone
//! at its end. Looking up and declaring take constant time, closing a scope as long as opening it
//! has taken.

use crate::names::Name;

#[derive(Debug)]
pub struct Scoped<T> {
    /// The meaning of each name, and how many scopes were open where it got it.
    meanings: Vec<Option<(T, u32)>>,
    /// What was changed, and how it was before.
    changes: Vec<(Name, Option<(T, u32)>)>,
    /// Where the changes of each open scope begin.
    scopes: Vec<usize>,
}

impl<T> Default for Scoped<T> {
    fn default() -> Self {
        Scoped {
            meanings: Vec::new(),
            changes: Vec::new(),
            scopes: Vec::new(),
        }
    }
}

impl<T: Copy> Scoped<T> {
    #[inline]
    pub fn get(&self, name: Name) -> Option<T> {
        let meaning = self.meanings.get(name.index())?.as_ref();
        meaning.map(|(meaning, _)| *meaning)
    }

    /// What the innermost scope itself says of the name.
    pub fn get_here(&self, name: Name) -> Option<T> {
        let depth = self.depth() as u32;
        let meaning = self.meanings.get(name.index())?.as_ref();
        meaning
            .filter(|(_, declared)| *declared == depth)
            .map(|(meaning, _)| *meaning)
    }

    pub fn declare(&mut self, name: Name, meaning: T) {
        let index = name.index();
        if index >= self.meanings.len() {
            self.meanings.resize(index + 1, None);
        }
        let depth = self.depth() as u32;
        let before = self.meanings[index].replace((meaning, depth));
        self.changes.push((name, before));
    }

    pub fn open(&mut self) {
        self.scopes.push(self.changes.len());
    }

    /// Closes the innermost scope.
    pub fn close(&mut self) {
        let start = self.scopes.pop().unwrap_or(0);
        while self.changes.len() > start
            && let Some((name, before)) = self.changes.pop()
        {
            self.meanings[name.index()] = before;
        }
    }

    /// The names that the innermost scope has declared, in order, with what they mean.
    pub fn here(&self) -> impl Iterator<Item = (Name, T)> {
        let start = self.scopes.last().copied().unwrap_or(0);
        let names = self.changes[start..].iter().map(|(name, _)| *name);
        names.filter_map(|name| Some((name, self.get(name)?)))
    }

    /// The names that mean something here, those of outer scopes too; some more than once.
    pub fn all(&self) -> impl Iterator<Item = (Name, T)> {
        let names = self.changes.iter().map(|(name, _)| *name);
        names.filter_map(|name| Some((name, self.get(name)?)))
    }

    /// How many scopes are open.
    pub fn depth(&self) -> usize {
        self.scopes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Names;

    #[test]
    fn an_inner_scope_hides_and_gives_back() {
        let mut names = Names::default();
        let [x, y] = ["x", "y"].map(|text| names.intern(text));
        let mut scoped = Scoped::default();
        scoped.declare(x, 1);
        scoped.open();
        assert_eq!((scoped.get(x), scoped.get_here(x)), (Some(1), None));
        scoped.declare(x, 2);
        scoped.declare(y, 3);
        scoped.declare(x, 4);
        assert_eq!((scoped.get(x), scoped.get_here(x)), (Some(4), Some(4)));
        assert_eq!(scoped.here().count(), 3);
        scoped.close();
        assert_eq!((scoped.get(x), scoped.get(y)), (Some(1), None));
        assert_eq!((scoped.depth(), scoped.get_here(x)), (0, Some(1)));
    }
}
