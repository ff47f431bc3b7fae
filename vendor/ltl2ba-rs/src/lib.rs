//! LTL to Büchi automata.
