//! Whether a set of words is of the run that is to be held with it.

use std::path::Path;

use super::exit::Problem;
use ifs::plan::Plan;
use ifs::run::Selection;
use ifs::script::Seed;
use ifs::synthesis::WordSet;

/// What a run is about to hold.
pub(crate) struct Asked<'a> {
    pub plan: &'a Plan,
    pub dialogue: &'a str,
    pub variant: Option<&'a str>,
    pub seed: Seed,
    pub max_turns: u32,
}

const ANEW: &str = "make words for it with `ifs words`, or run what the set was made of";

/// Refuses words of another definition, dialogue or seed, and words that do not reach.
pub(crate) fn fits(set: &WordSet, asked: &Asked<'_>, selection: &Selection) -> Result<(), Problem> {
    let header = &set.made;
    let other = |what: &str| Err(Problem::input(what).help(ANEW));
    if header.dialogue != asked.dialogue || header.variant.as_deref() != asked.variant {
        let variant = header.variant.iter().map(|variant| format!(", variant `{variant}`"));
        let of = format!("`{}`{}", header.dialogue, variant.collect::<String>());
        return other(&format!("the words are of the dialogue {of}"));
    }
    if header.plan_hash != asked.plan.hash() {
        return other("the words are of another definition: its hash is not the one in the set");
    }
    if header.seed != asked.seed.0 {
        let (was, is) = (header.seed, asked.seed.0);
        return other(&format!("the words are of seed {was}, and this is seed {is}"));
    }
    if header.turns < asked.max_turns {
        return Err(Problem::input(format!(
            "there are words for {} turns of a dialogue, and {} were asked for",
            header.turns, asked.max_turns
        ))
        .help(format!(
            "leave out `--max-turns`, or write more words with `ifs words --turns {}`",
            asked.max_turns
        )));
    }
    match selection.dialogues.iter().find(|selected| !set.has(selected.index)) {
        Some(selected) => Err(Problem::input(format!(
            "there are no words for dialogue number {}: the set holds {}",
            selected.index, header.dialogues
        ))
        .help("ask for fewer with `-n`, or write words for more with `ifs words -n`")),
        None => Ok(()),
    }
}

/// The words of a run that goes on.
pub(crate) fn kept(path: &Path, hash: &str) -> Result<WordSet, Problem> {
    let set = WordSet::read_frozen(path)?;
    if set.hash.as_deref() == Some(hash) {
        return Ok(set);
    }
    Err(Problem::input(format!(
        "`{}` holds other words than the run was begun with",
        path.display()
    ))
    .help("take the file back as it was; its hash is in run.json"))
}
