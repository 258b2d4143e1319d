//! Long text on a terminal, a page at a time.

#![expect(clippy::disallowed_methods, reason = "the pager follows the environment")]

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use super::output::Output;

/// Standard output through a pager, if it is a terminal.
pub(crate) struct Pager<'o> {
    output: &'o mut Output,
    child: Option<Child>,
    closed: bool,
}

impl<'o> Pager<'o> {
    /// Starts the program in `PAGER`, or `less`. Without one, text is printed as it is.
    pub fn start(output: &'o mut Output) -> Pager<'o> {
        let child = if output.is_shown() { spawn() } else { None };
        Pager { output, child, closed: false }
    }

    /// Text whose colours were added after its parts were made visible. Whether the reader wants
    /// more.
    pub fn write(&mut self, text: &str) -> bool {
        let Some(child) = &mut self.child else {
            self.output.painted(text);
            return !self.output.is_closed();
        };
        let text = self.output.as_painted(text);
        let written = child.stdin.as_mut().map(|input| input.write_all(text.as_bytes()));
        // The reader left the pager.
        self.closed |= !matches!(written, Some(Ok(())));
        !self.closed
    }

    /// Waits until the reader leaves the pager.
    pub fn finish(self) {
        if let Some(mut child) = self.child {
            drop(child.stdin.take());
            let _ = child.wait();
        }
    }
}

/// `PAGER` is a shell command, as for git and man; empty or `cat` means none. A program is looked for in
/// the absolute folders of `PATH`: others are relative to a folder that may be a stranger's.
fn spawn() -> Option<Child> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> =
        std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    let program = |name: &str| {
        let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        folders.iter().map(|folder| folder.join(&name)).find(|path| path.is_file())
    };
    let given = std::env::var("PAGER").ok();
    let mut command = match given.as_deref().map(str::trim) {
        Some("" | "cat") => return None,
        Some(pager) => {
            let mut command = Command::new(program("sh")?);
            command.args(["-c", pager]);
            command
        }
        None => Command::new(program("less")?),
    };
    command.env("PATH", std::env::join_paths(&folders).ok()?);
    // Quit if it fits, keep colours, leave the text on the screen.
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    command.stdin(Stdio::piped()).spawn().ok()
}
