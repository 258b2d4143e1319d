//! `ifs new`

use std::path::PathBuf;

use super::exit::{CommandError, Exit};
use super::new_domain::{self, DomainOptions};
use super::output::Output;
use super::shell::quoted;
use ifs_base::replace;

/// Write a new scenario that compiles, passes its tests and runs.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs new reviews                      creates the folder reviews with reviews.ifs
  ifs new benchmarks/reviews
  ifs new --domain museum              asks for title, language, topics and groups
  ifs new --domain museum --language de --topics exhibits.csv --groups laenge,anrede,zahlen")]
pub(crate) struct Args {
    /// Folder to create; its last part names the benchmark
    #[arg(required_unless_present = "domain")]
    folder: Option<PathBuf>,
    /// Folder of a complete domain to create: groups, users, a hidden part, a README
    #[arg(long, value_name = "NAME", conflicts_with = "folder")]
    domain: Option<PathBuf>,
    #[command(flatten)]
    wanted: DomainOptions,
}

const SCENARIO: &str = include_str!("../../../templates/new/scenario.ifs");
const TOPICS_BANK: &str = include_str!("../../../templates/new/topics.jsonl");

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let (folder, is_domain) = match (args.domain, args.folder) {
        (Some(domain), _) => (domain, true),
        (None, folder) => (folder.unwrap_or_default(), false),
    };
    let name: String = folder
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or("")
        .chars()
        .map(
            |letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' },
        )
        .collect();
    if !name.starts_with(|letter: char| letter.is_ascii_lowercase()) {
        return Err(CommandError::usage(format!("`{}` names no benchmark", folder.display()))
            .help("choose a name that begins with a letter, such as `reviews`"));
    }
    if std::fs::symlink_metadata(&folder).is_ok() {
        return Err(CommandError::input(format!("`{}` already exists", folder.display()))
            .help("choose another name; nothing was changed"));
    }
    let files = match is_domain {
        true => new_domain::files(&name, args.wanted, output)?,
        false => vec![
            ("banks/topics.jsonl".to_owned(), TOPICS_BANK.to_owned()),
            (format!("{name}.ifs"), SCENARIO.replace("NAME", &name)),
        ],
    };
    let wrong = |error: std::io::Error| {
        CommandError::infrastructure(format!("`{}`: {error}", folder.display()))
    };
    let file = folder.join(format!("{name}.ifs"));
    let make = || {
        for (path, text) in &files {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap_or(&folder))?;
            replace::write(&path, text.as_bytes())?;
        }
        Ok(())
    };
    // The folder is new, so it is removed: the same command works again once there is room.
    make().inspect_err(|_| _ = std::fs::remove_dir_all(&folder)).map_err(wrong)?;
    if is_domain {
        new_domain::prove(&file, output)?;
    }
    let file = quoted(&file);
    output.line(&format!("created {file}\n\nNext:\n  ifs check {file}\n  ifs test {file}\n  ifs draw {file}\n  ifs run {file}"));
    Ok(Exit::Good)
}
