//! The command line. It is a crate of its own above the library: a change here compiles only this
//! one.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
