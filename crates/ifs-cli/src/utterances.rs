//! Checks that an utterance set belongs to the run that uses it.

use std::path::Path;

use super::exit::CommandError;
use ifs_author::synthesis::UtteranceSet;
use ifs_draw::Seed;
use ifs_plan::Plan;
use ifs_run::Selection;

/// The dialogues that a run is about to start.
pub(crate) struct PlannedRun<'a> {
    pub plan: &'a Plan,
    pub dialogue: &'a str,
    pub variant: Option<&'a str>,
    pub seed: Seed,
    pub max_turns: u32,
}

const SYNTHESIZE_AGAIN: &str =
    "write a set for it with `ifs synthesize`, or run the scenario that the set was written for";

/// Refuses a set of another definition, dialogue or seed, and one that is too short.
pub(crate) fn require_fit(
    set: &UtteranceSet,
    planned: &PlannedRun<'_>,
    selection: &Selection,
) -> Result<(), CommandError> {
    let header = &set.made;
    let other = |what: &str| Err(CommandError::input(what).help(SYNTHESIZE_AGAIN));
    if header.dialogue != planned.dialogue || header.variant.as_deref() != planned.variant {
        let variant = header.variant.iter().map(|variant| format!(", variant `{variant}`"));
        let of = format!("`{}`{}", header.dialogue, variant.collect::<String>());
        return other(&format!("the utterance set is for the dialogue {of}"));
    }
    if header.plan_hash != planned.plan.hash() {
        return other("the utterance set was written for another definition: the hashes differ");
    }
    if header.seed != planned.seed.0 {
        let (was, is) = (header.seed, planned.seed.0);
        return other(&format!("the utterance set has seed {was}, and this run has seed {is}"));
    }
    if header.turns < planned.max_turns {
        return Err(CommandError::input(format!(
            "the utterance set has {} turns for each dialogue, and this run may have {}",
            header.turns, planned.max_turns
        ))
        .help(format!(
            "leave out `--max-turns`, or write more turns with `ifs synthesize --turns {}`",
            planned.max_turns
        )));
    }
    match selection.dialogues.iter().find(|selected| !set.has_dialogue(selected.index)) {
        Some(selected) => Err(CommandError::input(format!(
            "the utterance set has no dialogue {}: it has {}",
            selected.index, header.dialogues
        ))
        .help("request fewer with `-n`, or write more with `ifs synthesize -n`")),
        None => Ok(()),
    }
}

/// The utterance set of a run that is resumed.
pub(crate) fn stored_set(path: &Path, hash: &str) -> Result<UtteranceSet, CommandError> {
    let set = UtteranceSet::read_frozen(path)?;
    if set.hash.as_deref() == Some(hash) {
        return Ok(set);
    }
    Err(CommandError::input(format!(
        "`{}` is not the utterance set that the run was started with",
        path.display()
    ))
    .help("restore the original file; its hash is in run.json"))
}
