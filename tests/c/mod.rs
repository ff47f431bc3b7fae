//! What the tests of C's front end share.

pub mod tree;
