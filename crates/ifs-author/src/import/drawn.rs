//! Whether imported data can be checked and drawn, which is found before anything is written.

use std::collections::BTreeMap;

use super::ImportError;
use ifs_base::diagnostic::{Diagnostic, Severity};
use ifs_base::world::MemoryWorld;
use ifs_draw::program::{self, CheckedScenario};
use ifs_draw::{DrawError, Drawer};
use ifs_plan::Plan;

/// The number of turns of a dialogue that are drawn.
const MAX_TURNS: usize = 1000;

/// The files of a release in memory, by their names in its folder.
#[must_use]
pub fn world(files: &BTreeMap<&'static str, String>) -> MemoryWorld {
    MemoryWorld::new(files.iter().map(|(name, text)| (*name, text.as_str())))
}

/// The plan of a release.
///
/// # Errors
/// Returns the first error that `ifs check` finds, with or without the one from drawing dialogues.
pub fn checked(world: &MemoryWorld, draws: bool) -> Result<Plan, ImportError> {
    let mut scenario: CheckedScenario = program::find_in(world, super::MAIN);
    if draws {
        scenario.draw_first();
    }
    let wrong = |found: &&Diagnostic| found.severity == Severity::Error;
    match (scenario.diagnostics.iter().find(wrong), scenario.checked) {
        (None, Some((plan, _))) => Ok(plan),
        (found, _) => Err(ImportError::Refused(found.map_or_else(String::new, words))),
    }
}

/// The dialogues that cannot be drawn: the index of each one's record, and why.
///
/// # Errors
/// Returns an error of the scenario, which is that of every dialogue.
pub fn undrawable(plan: &Plan, dialogue: &str) -> Result<Vec<(usize, String)>, ImportError> {
    let refused = |error: DrawError| ImportError::Refused(cause(&error));
    let drawer = Drawer::new(plan, dialogue).map_err(refused)?;
    let records = drawer.records().unwrap_or_default();
    let error = |index| {
        let script = drawer.script(super::SEED, index).take_both_sides();
        script.take(MAX_TURNS).map(Result::err).find_map(|error| error)
    };
    let found = (0..records).filter_map(|index| Some((index as usize, cause(&error(index)?))));
    Ok(found.collect())
}

fn cause(error: &DrawError) -> String {
    words(&Diagnostic { help: error.advice().map(str::to_owned), ..error.diagnostic() })
}

/// A message with its help in one line.
fn words(found: &Diagnostic) -> String {
    let help = found.help.iter().map(|help| format!(" ({})", help.replace('\n', "; ")));
    found.message.clone() + &help.collect::<String>()
}
