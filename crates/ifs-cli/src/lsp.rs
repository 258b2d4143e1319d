//! `ifs lsp`

use super::exit::{CommandError, Exit};
use super::explain;

/// Serve an editor on standard input and output.
///
/// Editors start this command: docs/editors.md has their configuration.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs lsp                              speak the Language Server Protocol until the editor ends")]
pub(crate) struct Args {
    /// Use standard input and output, as without it: some editors pass it
    #[arg(long, hide = true)]
    stdio: bool,
}

pub(crate) fn run(Args { stdio: _ }: Args) -> Result<Exit, CommandError> {
    ifs_lsp::serve_stdio(explain::word)
        .map(|()| Exit::Good)
        .map_err(|error| CommandError::input(format!("the client: {error}")))
}
