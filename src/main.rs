//! The command line. It is a crate of its own on top of the library, so a change here compiles only
//! this crate.

mod cli;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(cli::main(std::env::args_os()))
}
