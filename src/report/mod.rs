//! What people see.

pub mod diagnostics;
mod excerpt;
