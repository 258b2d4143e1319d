//! The command line. It is in crates/ifs-cli, which the Python package uses, too.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(ifs_cli::main(std::env::args_os()))
}
