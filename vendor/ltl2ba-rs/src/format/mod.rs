//! Automata as text: the Hanoi Omega-Automata format in and out, Spin's never claims and
//! Graphviz drawings out.

pub(crate) mod dot;
pub(crate) mod hoa_error;
pub(crate) mod hoa_header;
pub(crate) mod hoa_label;
pub(crate) mod hoa_read;
pub(crate) mod hoa_token;
pub(crate) mod hoa_write;
pub(crate) mod never;
