//! The command line tool.

fn main() -> std::process::ExitCode {
    derny::cli::run()
}
