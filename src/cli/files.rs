//! Files that are written beside the usual output.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
/// Where they go.
pub struct OutputFiles {
    /// Also write one HTML page with all results, and traces to walk through in a browser
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,

    /// Also write violations, or errors of the input, as SARIF 2.1.0, for code scanning and editors
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub sarif: Option<PathBuf>,

    /// Also write a witness of the first violation of a C program, or of what predicates prove, in
    /// SV-COMP's format 2.0
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub witness: Option<PathBuf>,
}
