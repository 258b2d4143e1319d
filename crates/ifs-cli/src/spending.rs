//! The journal next to a set that models write, and the record of its cost, for `ifs synthesize`
//! and `ifs construct`. A set is written when it is complete; until then only this record shows
//! whether responses are missing from the journal.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::exit::{CommandError, Exit};
use super::load::counted;
use super::output::Output;
use super::requests::journal;
use ifs_base::replace;
use ifs_base::world;
use ifs_inference::{Journal, Prices, RequestContext, Spent};
use ifs_run::sealed;

/// The recorded cost of a set.
pub(crate) struct RecordedCost {
    path: PathBuf,
    kept: SpentFile,
}

#[derive(Serialize, Deserialize)]
struct SpentFile {
    /// The name of the set's requests, as in its journal.
    set: String,
    spent: Spent,
}

const OTHER_COMMAND_HELP: &str =
    "the journal next to the file belongs to another command; choose another `--out`, or remove it";

/// Opens or creates the journal of the set in `out`, with its cost so far.
pub(crate) fn opened(
    out: &Path,
    set: &str,
    prices: &Prices,
    ask_again: bool,
    output: &mut Output,
) -> Result<(Journal, Spent, RecordedCost), CommandError> {
    let (other, path) = (out.with_extension("journal"), out.with_extension("spent"));
    let before = read(&path)?;
    let missing = std::fs::symlink_metadata(&other).is_err();
    if missing && before.as_ref().is_some_and(|before| before.set != set) {
        let why = format!("`{}` says what was paid for another set", path.display());
        return Err(CommandError::input(why).help(OTHER_COMMAND_HELP));
    }
    let lost = missing && before.is_some();
    let calls = before.map_or(0, |before| before.spent.calls);
    let number = |calls: u64| usize::try_from(calls).unwrap_or(usize::MAX);
    if lost && !ask_again {
        return Err(CommandError::input(format!(
            "`{}` is missing, and `{}` says that {} were paid for it",
            other.display(),
            path.display(),
            counted(number(calls), "call")
        ))
        .help(ASK_AGAIN_HELP));
    }
    let (journal, spent) =
        journal(&other, set, prices, (!ask_again).then_some(ASK_AGAIN_HELP), output).map_err(
            |problem| match problem.help {
                None if problem.exit == Exit::Input => problem.help(OTHER_COMMAND_HELP),
                _ => problem,
            },
        )?;
    if calls > spent.calls && !ask_again {
        return Err(CommandError::input(format!(
            "`{}` has lost {} of the {calls} that `{}` says were paid for",
            other.display(),
            counted(number(calls - spent.calls), "answer"),
            path.display()
        ))
        .help(ASK_AGAIN_HELP));
    }
    let paid = RecordedCost { path, kept: SpentFile { set: set.to_owned(), spent } };
    Ok((journal, spent, paid))
}

const ASK_AGAIN_HELP: &str =
    "restore it from a backup, or request and pay for them again with `--ask-again`";

fn read(path: &Path) -> Result<Option<SpentFile>, CommandError> {
    let bytes = match world::read_regular(path, world::MAX_FILE_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(CommandError::infrastructure(format!("`{}`: {error}", path.display())));
        }
    };
    let damaged = |error: serde_json::Error| {
        CommandError::input(format!("`{}` does not say what was paid: {error}", path.display()))
            .help("restore it from a copy, or remove it")
    };
    let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(damaged)?;
    if sealed::is_intact(&value) == Some(false) {
        return Err(damaged(serde::de::Error::custom("its checksum does not match")));
    }
    serde_json::from_value(value).map(Some).map_err(damaged)
}

impl RecordedCost {
    /// Records the cost so far.
    pub fn note(&mut self, context: &RequestContext<'_>) -> Result<(), CommandError> {
        self.kept.spent = context.budget.spent();
        // Serializing texts and numbers to memory cannot fail.
        let text = serde_json::to_string_pretty(&self.kept).unwrap_or_default();
        let text = sealed::seal(&text).unwrap_or_default();
        replace::write(&self.path, text.as_bytes()).map_err(|error| {
            CommandError::infrastructure(format!("`{}`: {error}", self.path.display()))
        })
    }
}
