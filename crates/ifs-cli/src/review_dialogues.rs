//! `ifs review` of dialogues that models wrote.

use std::path::Path;

use super::construct::show;
use super::exit::{CommandError, Exit};
use super::output::Output;
use super::review_set::{Decision, SetReview, print_state};
use ifs_author::construct::{DialogueSet, SetDialogue};
use ifs_run::curated_set::ReviewState;

pub(crate) fn run(
    path: &Path,
    all: bool,
    only_summary: bool,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let mut set = DialogueSet::read(path)?;
    if !only_summary {
        let walk = SetReview { file: path, all, edits: false };
        walk.review_open(
            &mut set,
            |_, entry, place, output| report(entry, place, output),
            decided,
            output,
        )?;
    }
    show(&set, output);
    if !only_summary {
        print_state(&set, path, "import dialogues", output);
    }
    Ok(Exit::Good)
}

fn decided(entry: &mut SetDialogue, decision: Decision) -> Result<(), &'static str> {
    entry.state = match decision {
        Decision::Accept if !is_whole(entry) => {
            return Err("a stage is missing: it can be rejected, not accepted");
        }
        Decision::Accept => ReviewState::Accepted,
        Decision::Reject => ReviewState::Rejected,
        Decision::Edit(_) => return Err("a dialogue is not written in a terminal"),
    };
    Ok(())
}

/// Whether every turn has messages and something to be judged on.
fn is_whole(entry: &SetDialogue) -> bool {
    let whole = |turn: &ifs_author::release::ReleaseTurn| {
        !turn.ask.is_empty() && !turn.answer.is_empty() && !turn.checks.is_empty()
    };
    entry.talk.turns.iter().all(whole)
}

fn report(entry: &SetDialogue, (number, of): (usize, usize), output: &mut Output) {
    let SetDialogue { index, talk, why, .. } = entry;
    output.line(&format!(
        "\n{number} of {of}: dialogue number {index}, {}, {}",
        talk.topic, talk.task
    ));
    output.line(&format!("  {}", talk.purpose));
    for turn in &talk.turns {
        let relations: Vec<String> = turn
            .relations
            .iter()
            .map(|edge| format!("{} {}", edge.kind, edge.to.join(", ")))
            .collect();
        output.line(&format!("  {} {}: {}", turn.name, relations.join(" and "), turn.plan));
        for (who, text) in [("user", &turn.ask), ("assistant", &turn.answer)] {
            output.line(&format!("    {who}: {}", text.replace('\n', "\n      ")));
        }
        for check in &turn.checks {
            output.line(&format!("    ? {}: {}", check.kind, check.question));
        }
    }
    if let Some(why) = why {
        output.line(&format!("  turned away: {why}"));
    }
}
