//! A person at a terminal: a command and its input.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs the program in a folder with some input.
pub fn ifs(folder: &Path, args: &[&str], said: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ifs"))
        .current_dir(folder)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(said.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}
