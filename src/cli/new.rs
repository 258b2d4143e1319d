//! `ifs new`

use std::path::PathBuf;

use super::exit::{Exit, Problem};
use super::output::Output;
use ifs::replace;

/// Write a new scenario that compiles, passes its tests and runs.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs new reviews                      makes the folder reviews with reviews.ifs
  ifs new benchmarks/reviews")]
pub(crate) struct Args {
    /// Folder to create; its last part names the benchmark
    folder: PathBuf,
}

const SCENARIO: &str = include_str!("../../templates/new/scenario.ifs");
const TOPICS: &str = include_str!("../../templates/new/topics.jsonl");

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, Problem> {
    let name: String = args
        .folder
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or("")
        .chars()
        .map(
            |letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' },
        )
        .collect();
    if !name.starts_with(|letter: char| letter.is_ascii_lowercase()) {
        return Err(Problem::usage(format!("`{}` names no benchmark", args.folder.display()))
            .help("choose a name that begins with a letter, such as `reviews`"));
    }
    if std::fs::symlink_metadata(&args.folder).is_ok() {
        return Err(Problem::input(format!("`{}` is there already", args.folder.display()))
            .help("choose another name; nothing was changed"));
    }
    let wrong =
        |error: std::io::Error| Problem::machine(format!("`{}`: {error}", args.folder.display()));
    let file = args.folder.join(format!("{name}.ifs"));
    let make = || {
        std::fs::create_dir_all(args.folder.join("banks"))?;
        replace::write(&args.folder.join("banks/topics.jsonl"), TOPICS.as_bytes())?;
        replace::write(&file, SCENARIO.replace("NAME", &name).as_bytes())
    };
    // The folder is new, so it is removed: the same command works again once there is room.
    make().inspect_err(|_| _ = std::fs::remove_dir_all(&args.folder)).map_err(wrong)?;
    let plain = |letter: char| letter.is_alphanumeric() || "/._-".contains(letter);
    let file = match file.display().to_string() {
        file if file.chars().all(plain) => file,
        // Quoted for the shell.
        file => format!("'{}'", file.replace('\'', r"'\''")),
    };
    output.line(&format!("made {file}\n\nNext:\n  ifs check {file}\n  ifs test {file}\n  ifs draw {file}\n  ifs run {file}"));
    Ok(Exit::Good)
}
