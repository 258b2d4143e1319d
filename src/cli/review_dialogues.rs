//! `ifs review` of dialogues that models wrote.

use std::io::BufRead as _;
use std::path::Path;

use super::construct::show;
use super::exit::{Exit, Problem};
use super::output::Output;
use crate::construct::{DialogueSet, Entry};
use crate::synthesis::State;

pub(crate) fn run(
    path: &Path,
    all: bool,
    only_summary: bool,
    output: &mut Output,
) -> Result<Exit, Problem> {
    let mut set = DialogueSet::read(path)?;
    if only_summary {
        show(&set, output);
        return Ok(Exit::Good);
    }
    let open = |entry: &Entry| match entry.state {
        State::Flagged => true,
        State::Passed | State::Retried => all,
        State::Accepted | State::Edited | State::Rejected => false,
    };
    let open: Vec<usize> = (0..set.entries.len()).filter(|at| open(&set.entries[*at])).collect();
    let mut lines = std::io::stdin().lock().lines();
    for (number, at) in open.iter().enumerate() {
        tell(&set.entries[*at], (number + 1, open.len()), output);
        let state = loop {
            output.print("[a]ccept, [r]eject, [s]kip, [q]uit: ");
            output.flush();
            let said = lines.next().transpose();
            let said = said.map_err(|error| Problem::machine(format!("the input: {error}")))?;
            let said = said.map(|said| said.trim().to_ascii_lowercase());
            match said.as_deref() {
                Some("a" | "accept") if !is_whole(&set.entries[*at]) => {
                    output.line("a stage is missing: it can be rejected, not accepted");
                }
                Some("a" | "accept") => break Some(Some(State::Accepted)),
                Some("r" | "reject") => break Some(Some(State::Rejected)),
                Some("s" | "skip") => break Some(None),
                Some("q" | "quit") | None => break None,
                Some(_) => output.line("one letter: a, r, s or q"),
            }
        };
        match state {
            None => break,
            Some(None) => {}
            Some(Some(state)) => {
                set.entries[*at].state = state;
                set.header.hash = None;
                set.write(path)?;
            }
        }
    }
    output.line("");
    if set.header.hash.is_none() && set.freeze() {
        set.write(path)?;
    }
    show(&set, output);
    let path = path.display();
    output.note(&match &set.header.hash {
        Some(hash) => format!(
            "frozen as version {}, hash {}; `ifs import dialogues {path}` makes a release",
            set.header.version,
            &hash[..16.min(hash.len())],
        ),
        None => format!("{} left to look at; `ifs review {path}` goes on", set.flagged()),
    });
    Ok(Exit::Good)
}

/// Whether every turn has its words and something to be judged on.
fn is_whole(entry: &Entry) -> bool {
    let whole = |turn: &crate::release::Turn| {
        !turn.ask.is_empty() && !turn.answer.is_empty() && !turn.checks.is_empty()
    };
    entry.talk.turns.iter().all(whole)
}

fn tell(entry: &Entry, (number, of): (usize, usize), output: &mut Output) {
    let Entry { index, talk, why, .. } = entry;
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
