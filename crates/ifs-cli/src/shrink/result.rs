//! The result for a dialogue, as text and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::exit::CommandError;
use crate::load::counted;
use crate::output::Output;
use crate::shell::{quoted, quoted_word};
use ifs_draw::{Active, DialoguePiece, DialoguePieces, Reduction, ScriptTurn};
use ifs_plan::Plan;
use ifs_report::chat::{ChatView, Latencies, TurnFilter, text};
use ifs_run::graded;
use ifs_run::shrink::{FailureTarget, Neighbour, NeighbourDifference, SearchStop, Shrinker, Trial};

/// The result for one dialogue.
pub(super) struct Found {
    index: u64,
    target: FailureTarget,
    pieces: DialoguePieces,
    trial: Trial,
    /// The form of the trial; the complete dialogue if it did not fail again.
    reduction: Reduction,
    written: String,
    neighbour: Option<Neighbour>,
    pub stopped: Option<SearchStop>,
    trials: usize,
    dialogues: u32,
    /// Only this form was run.
    only: bool,
}

/// How a result is shown.
pub(super) struct Display<'a> {
    pub plan: &'a Plan,
    pub run: &'a Path,
    pub shows_prompts: bool,
    pub color: bool,
}

impl Found {
    fn from_reduction(
        shrinker: &Shrinker<'_>,
        index: u64,
        trial: Trial,
        reduction: Reduction,
    ) -> Found {
        Found {
            index,
            target: shrinker.target.clone(),
            pieces: shrinker.pieces.clone(),
            written: shrinker.written(&reduction),
            trial,
            reduction,
            neighbour: None,
            stopped: None,
            trials: shrinker.trials(),
            dialogues: shrinker.dialogues,
            only: false,
        }
    }

    /// Shrinks the dialogue.
    pub fn shrunk(shrinker: &mut Shrinker<'_>, index: u64) -> Result<Found, SearchStop> {
        match shrinker.shrink()? {
            Ok(shrunk) => Ok(Found {
                neighbour: shrunk.neighbour,
                stopped: shrunk.stopped,
                ..Found::from_reduction(shrinker, index, shrunk.trial, shrunk.reduction)
            }),
            Err(trial) => {
                let complete = Reduction { kept: shrinker.pieces.all(), value: None };
                Ok(Found::from_reduction(shrinker, index, trial, complete))
            }
        }
    }

    /// Runs one form of the dialogue.
    pub fn run_one_form(
        shrinker: &mut Shrinker<'_>,
        form: &str,
        index: u64,
    ) -> Result<Found, CommandError> {
        let reduction = shrinker.parse_reduction(form).map_err(|part| {
            let pieces = &shrinker.pieces;
            let names: Vec<String> = pieces.all().iter().map(|it| pieces.name(it)).collect();
            CommandError::usage(format!(
                "`--only`: `{part}` is not a part of the dialogue, or needs one that is left out"
            ))
            .help(format!("the parts are {}", names.join(", ")))
        })?;
        let trial = shrinker.run_trial(&reduction).map_err(super::stopped)?;
        Ok(Found { only: true, ..Found::from_reduction(shrinker, index, trial, reduction) })
    }

    /// `3 of 3 times`
    fn times_text(trial: &Trial) -> String {
        let Trial { failed, fails, of, .. } = trial;
        format!("{} of {of} times", if *failed { *fails } else { of - fails })
    }

    /// The kept turns, and the kept statements of instructions.
    fn size(&self) -> (usize, usize) {
        let turns =
            self.reduction.kept.iter().filter(|it| matches!(it, DialoguePiece::Turn(_))).count();
        (turns, self.instructions().count())
    }

    fn instructions(&self) -> impl Iterator<Item = &DialoguePiece> {
        let kept = &self.reduction.kept;
        kept.iter().filter(|it| is_instruction(it) && self.pieces.is_stated(it, kept))
    }

    fn last_turn(&self) -> Option<&ScriptTurn> {
        self.trial.transcript.turns.last().map(|turn| &turn.script)
    }

    /// The active constraint that fails.
    fn failing(&self) -> Option<&Active> {
        let mut active = self.last_turn()?.active_constraints.iter();
        active.find(|active| active.key() == self.target.key).map(|active| &**active)
    }

    /// Turns since the failing constraint was stated.
    fn age(&self) -> Option<u32> {
        Some(self.last_turn()?.turn.saturating_sub(self.failing()?.since))
    }

    /// The names of the instructions that are left.
    fn remaining_names(&self) -> Vec<String> {
        let name = |piece: &DialoguePiece| match self.pieces.name(piece).rsplit_once('@') {
            Some((name, _)) => name.to_owned(),
            None => String::new(),
        };
        let mut names: Vec<String> = self.instructions().map(name).collect();
        if self.failing().is_none() && !names.contains(&self.target.key) {
            names.push(self.target.key.clone());
        }
        names.sort();
        names.dedup();
        names
    }

    fn command(&self, run: &Path) -> String {
        format!(
            "ifs shrink {} --dialogue {} --turn {} --constraint {} --only {}",
            quoted(run),
            self.index,
            self.target.turn,
            quoted_word(&self.target.key),
            quoted_word(&self.written)
        )
    }
}

fn is_instruction(piece: &DialoguePiece) -> bool {
    matches!(
        piece,
        DialoguePiece::Constraint(_) | DialoguePiece::Change(..) | DialoguePiece::Requirement(..)
    )
}

fn turn_and_instruction_counts(count: (usize, usize)) -> String {
    format!("{} with {}", counted(count.0, "turn"), counted(count.1, "instruction"))
}

/// A result as text.
pub(super) fn result_text(found: &Found, how: &Display<'_>) -> String {
    let mut text = String::new();
    let Found { index, target: FailureTarget { turn, key }, trial, .. } = found;
    let times = Found::times_text(trial);
    let mut line = |words: String| writeln!(text, "{words}").unwrap_or_default();
    if !trial.failed {
        let what = if found.only { "this form of dialogue" } else { "dialogue" };
        line(format!("`{key}` holds {times} on turn {turn} of {what} {index}."));
        if !found.only {
            line(
                "The failure of the run did not occur again: more `--repeats` may show it.".into(),
            );
        }
        return text;
    }
    line(format!("`{key}` fails {times} on turn {turn} of dialogue {index}."));
    if !found.only {
        let all = found.pieces.all();
        let all = (*turn as usize, all.iter().filter(|it| is_instruction(it)).count());
        line(format!("From {}", turn_and_instruction_counts(all)));
        line(format!("to   {}:", turn_and_instruction_counts(found.size())));
        let counts = (counted(found.trials, "form"), counted(found.dialogues as usize, "dialogue"));
        line(format!("{} of the dialogue tried, {} run.", counts.0, counts.1));
    }
    text.push('\n');
    text.push_str(&chat(trial, how));
    if let Some(next) = &found.neighbour {
        let name = |piece: &DialoguePiece| found.pieces.name(piece);
        let (fails, holds) = match &next.difference {
            NeighbourDifference::Value { param, fails, holds } => {
                (format!("{key} with {param} = {fails}"), format!("{key} with {param} = {holds}"))
            }
            NeighbourDifference::Without(piece @ DialoguePiece::Turn(_)) => {
                let turn = format!("turn {} of the run's dialogue", name(piece));
                (format!("with {turn}"), format!("without {turn}"))
            }
            NeighbourDifference::Without(piece) => {
                (format!("with {}", name(piece)), format!("without {}", name(piece)))
            }
        };
        let one = match &next.difference {
            NeighbourDifference::Without(DialoguePiece::Turn(_)) => "turn",
            NeighbourDifference::Without(
                DialoguePiece::Style | DialoguePiece::System | DialoguePiece::Reminder,
            ) => "wording",
            NeighbourDifference::Value { .. } | NeighbourDifference::Without(_) => "instruction",
        };
        writeln!(text, "\nA dialogue that differs in one {one} holds:").unwrap_or_default();
        writeln!(text, "  fails {times}  {fails}").unwrap_or_default();
        writeln!(text, "  holds {}  {holds}\n", Found::times_text(&next.trial)).unwrap_or_default();
        text.push_str(&chat(&next.trial, how));
    }
    if !found.only {
        writeln!(text, "\nRun it again:\n  {}", found.command(how.run)).unwrap_or_default();
    }
    text
}

/// A dialogue of a trial.
fn chat(trial: &Trial, how: &Display<'_>) -> String {
    let graded = graded(how.plan, &trial.transcript, None);
    let mut chat = ChatView::of_run(&trial.transcript, graded, &Latencies::new());
    chat.seed = None;
    let chat = if how.shows_prompts { chat } else { chat.without_prompts() };
    text(&chat, &TurnFilter::default(), how.color, Output::width()).unwrap_or_default()
}

/// The common features of the minimal failures of all dialogues.
pub(super) fn of_all(all: &[Found], run: &Path) -> String {
    let mut text = String::new();
    let minimal: Vec<&Found> = all.iter().filter(|found| found.trial.failed).collect();
    let gone = all.len() - minimal.len();
    writeln!(text, "{} shrunk", counted(minimal.len(), "failure")).unwrap_or_default();
    if gone > 0 {
        writeln!(text, "{} did not occur again", counted(gone, "failure")).unwrap_or_default();
    }
    let mut table = |heading: &str, rows: BTreeMap<String, usize>| {
        if rows.is_empty() {
            return;
        }
        writeln!(text, "\n{heading}").unwrap_or_default();
        let mut rows: Vec<(String, usize)> = rows.into_iter().collect();
        rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        for (name, count) in rows {
            writeln!(text, "{count:>5}  {name}").unwrap_or_default();
        }
    };
    table("what fails", count(&minimal, |found| Some(found.target.key.clone())));
    table("turns since it was stated", count(&minimal, |found| Some(found.age()?.to_string())));
    table(
        "instructions that it needs",
        count(&minimal, |found| Some(found.remaining_names().join(" + "))),
    );
    table("turns", count(&minimal, |found| Some(found.size().0.to_string())));
    table("difference from a dialogue that holds", count(&minimal, difference));
    if !minimal.is_empty() {
        text.push_str("\nRun one again:\n");
    }
    for found in minimal {
        writeln!(text, "  {}", found.command(run)).unwrap_or_default();
    }
    text
}

/// `length.at_least n = 21, holds with 20`
fn difference(found: &&Found) -> Option<String> {
    Some(match &found.neighbour.as_ref()?.difference {
        NeighbourDifference::Value { param, fails, holds } => {
            format!("{} {param} = {fails}, holds with {holds}", found.target.key)
        }
        NeighbourDifference::Without(DialoguePiece::Turn(_)) => "a turn".to_owned(),
        NeighbourDifference::Without(piece) => {
            let name = found.pieces.name(piece);
            name.rsplit_once('@').map_or(name.as_str(), |(name, _)| name).to_owned()
        }
    })
}

fn count(all: &[&Found], of: impl Fn(&&Found) -> Option<String>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for name in all.iter().filter_map(of) {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

/// The results for programs.
pub(super) fn json(all: &[Found], how: &Display<'_>) -> String {
    let trial = |trial: &Trial| {
        let mut transcript = serde_json::to_value(&trial.transcript).unwrap_or_default();
        if !how.shows_prompts {
            transcript = serde_json::Value::Null;
        }
        serde_json::json!({ "fails": trial.fails, "of": trial.of, "transcript": transcript })
    };
    let one = |found: &Found| {
        let neighbour = found.neighbour.as_ref().map(|next| {
            let difference = match &next.difference {
                NeighbourDifference::Value { param, fails, holds } => {
                    serde_json::json!({ "param": param, "fails": fails, "holds": holds })
                }
                NeighbourDifference::Without(piece) => {
                    serde_json::json!({ "without": found.pieces.name(piece) })
                }
            };
            serde_json::json!({ "difference": difference, "trial": trial(&next.trial) })
        });
        let (turns, instructions) = found.size();
        serde_json::json!({
            "dialogue": found.index,
            "turn": found.target.turn,
            "constraint": found.target.key,
            "failed": found.trial.failed,
            "minimal": found.trial.failed && found.stopped.is_none() && !found.only,
            "turns": turns,
            "instructions": instructions,
            "names": found.remaining_names(),
            "age": found.age(),
            "parts": found.written,
            "command": found.command(how.run),
            "trial": trial(&found.trial),
            "neighbour": neighbour,
            "trials": found.trials,
            "dialogues": found.dialogues,
        })
    };
    let all: Vec<serde_json::Value> = all.iter().map(one).collect();
    serde_json::to_string_pretty(&all).unwrap_or_default()
}
