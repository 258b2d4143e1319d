//! The door of the command line; everything behind it is in the library.

fn main() -> std::process::ExitCode {
    ifs::cli::main()
}
