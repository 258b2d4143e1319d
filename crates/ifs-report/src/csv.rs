//! One row for each outcome of a constraint, for spreadsheets and data frames. The first column has
//! the warning about an incomplete run, and is empty for a complete one.

use std::io::Write;

use super::{Report, ReportError, Sheet};
use ifs_score::{DecisionMethod, DialogueSource, Ending, Outcome};

/// The columns of every table of outcomes, in their order.
pub(super) const COLUMNS: [&str; 42] = [
    "incomplete",
    "benchmark",
    "version",
    "variant",
    "plan",
    "run_seed",
    "model",
    "model_simulated",
    "judge_simulated",
    "dialogue",
    "index",
    "seed",
    "turn",
    "topic",
    "transition",
    "constraint",
    "group",
    "age",
    "outcome",
    "by",
    "why",
    "ending",
    "no_text",
    "text",
    "name",
    "points",
    "classes",
    "characters",
    "sent",
    "prompt_tokens",
    "served",
    "without_stop_reason",
    "ifs_version",
    "revision",
    "speaker",
    "slice",
    "author",
    "licence",
    "cites",
    "homepage",
    "spending",
    "available",
];

pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> Result<(), ReportError> {
    let mut sheet = Sheet::to(out, COLUMNS)?;
    rows(report, |cells| Ok(sheet.row(cells)?))?;
    Ok(sheet.flush()?)
}

/// Gives the cells of each row, in the order of [`COLUMNS`].
pub(super) fn rows(
    report: &Report<'_>,
    mut give: impl FnMut([&str; COLUMNS.len()]) -> Result<(), ReportError>,
) -> Result<(), ReportError> {
    let incomplete = report.gaps.warning().unwrap_or_default();
    let simulated = simulated_word(report.simulated);
    let simulated_judge = simulated_word(report.has_simulated_judge());
    let run_seed = if report.is_hidden() { String::new() } else { report.seed.to_string() };
    let changed = if report.origin.dirty { " changed" } else { "" };
    let revision = report.origin.revision.map(|commit| format!("{commit}{changed}"));
    let revision = revision.unwrap_or_default();
    let about = ["author", "licence", "cites", "homepage"];
    let about = about.map(|name| report.about.get(name).map_or("", String::as_str));
    let spending = match report.spending {
        [] => String::new(),
        spending => serde_json::to_string(spending)?,
    };
    let available = report.available.map(|count| count.to_string()).unwrap_or_default();
    let mut rows = 0;
    for dialogue in report.scorecard.dialogues.each() {
        let (index, seed) = (dialogue.index.to_string(), dialogue.seed.to_string());
        // Rows with the same number have the same text: one cluster for any test.
        let text = dialogue.text.map(|text| text.to_string()).unwrap_or_default();
        for turn in &dialogue.turns {
            let place = turn.turn.to_string();
            let slice = turn.slice.as_ref().or(dialogue.slice.as_ref());
            let slice = slice.map_or("", String::as_str);
            let name = turn.name.as_deref().unwrap_or_default();
            let no_text = turn.no_text.as_ref().map(ToString::to_string).unwrap_or_default();
            let classes = turn.classes.join("; ");
            let characters = turn.characters.map(|count| count.to_string()).unwrap_or_default();
            let sent = turn.sent.map(|count| count.to_string()).unwrap_or_default();
            let served = served_names(&turn.served);
            let unstated = match turn.without_stop_reason {
                0 => String::new(),
                count => count.to_string(),
            };
            let tokens = turn.prompt_tokens.map(|count| count.to_string()).unwrap_or_default();
            let scored = turn.constraints.iter().map(|one| (one, one.outcome.word()));
            // Their outcomes have words of their own, so that no rate counts them.
            let overruled = turn.overruled.iter().map(|one| (one, overruled_outcome(one.outcome)));
            for (constraint, outcome) in scored.chain(overruled) {
                rows += 1;
                let points = constraint.points.map(|points| points.to_string()).unwrap_or_default();
                give([
                    incomplete.as_str(),
                    report.title,
                    report.benchmark_version,
                    report.variant.unwrap_or_default(),
                    report.plan_hash,
                    run_seed.as_str(),
                    report.model,
                    simulated,
                    simulated_judge,
                    dialogue.dialogue.as_str(),
                    index.as_str(),
                    seed.as_str(),
                    place.as_str(),
                    turn.topic.as_deref().unwrap_or_default(),
                    turn.transition.as_deref().unwrap_or_default(),
                    constraint.constraint.as_str(),
                    constraint.group.as_str(),
                    constraint.age.to_string().as_str(),
                    outcome,
                    reading(constraint.by),
                    constraint.why.as_deref().unwrap_or_default(),
                    ending(&dialogue.ending),
                    no_text.as_str(),
                    text.as_str(),
                    name,
                    points.as_str(),
                    classes.as_str(),
                    characters.as_str(),
                    sent.as_str(),
                    tokens.as_str(),
                    served.as_str(),
                    unstated.as_str(),
                    report.origin.ifs_version,
                    revision.as_str(),
                    constraint.speaker.word(),
                    slice,
                    about[0],
                    about[1],
                    about[2],
                    about[3],
                    spending.as_str(),
                    available.as_str(),
                ])?;
            }
        }
    }
    if rows == 0 && !incomplete.is_empty() {
        // A file without rows would look like a run without constraints.
        let mut row = [""; COLUMNS.len()];
        row[0] = &incomplete;
        give(row)?;
    }
    Ok(())
}

/// The names of the models that gave the responses to a turn, each once.
fn served_names(names: &[String]) -> String {
    let mut once: Vec<&str> = Vec::new();
    for name in names {
        if !once.contains(&name.as_str()) {
            once.push(name);
        }
    }
    once.join("; ")
}

/// Whether an overruled constraint is satisfied anyway.
fn overruled_outcome(outcome: Outcome) -> &'static str {
    if outcome == Outcome::Held { "obeyed" } else { "not_obeyed" }
}

/// The flag as a word; `simulated` instead of `true`, so that a row is clear on its own.
fn simulated_word(simulated: bool) -> &'static str {
    if simulated { "simulated" } else { "no" }
}

/// The ending of the dialogue, so that incomplete ones can be filtered.
fn ending(ending: &Ending) -> &'static str {
    match ending {
        Ending::Patience => "patience",
        Ending::Condition(_) => "condition",
        Ending::Script => "script",
        Ending::MaxTurns => "max_turns",
        Ending::ContextLength => "context_length",
        Ending::Interrupted => "interrupted",
        Ending::Failed(_) => "machine_failed",
        Ending::PermanentFailure(_) => "permanent_failure",
        Ending::Unrecorded => "unrecorded",
    }
}

fn reading(by: DecisionMethod) -> &'static str {
    match by {
        DecisionMethod::Rule => "rule",
        DecisionMethod::Judge => "judge",
        DecisionMethod::SimulatedJudge => "simulated_judge",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::tests::{edge_case_scorecard, report};
    use super::*;
    use ifs_score::ScoredDialogue;

    #[test]
    fn rows_round_trip() -> Result<(), ReportError> {
        let (mut card, docs) = (edge_case_scorecard(), BTreeMap::new());
        let mut dialogues: Vec<ScoredDialogue> = card.dialogues.each().collect();
        for turn in dialogues.iter_mut().flat_map(|dialogue| &mut dialogue.turns) {
            turn.classes = vec!["capability: counting".to_owned(), "topic: shapes".to_owned()];
            turn.characters = Some(41);
        }
        card.dialogues = dialogues.into();
        let text = crate::write(&report(&card, &docs), crate::Format::Csv)?;
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let rows = reader.records().collect::<Result<Vec<_>, _>>()?;
        let tally = card.totals.constraints;
        assert_eq!(rows.len() as u64, tally.judged() + tally.unjudged);
        let why = rows.iter().filter_map(|row| row.get(20)).find(|why| !why.is_empty());
        assert!(why.is_some_and(|why| why.contains('\n') && why.contains("\"14\"")));
        assert_eq!(reader.headers()?.get(26), Some("classes"));
        assert!(rows.iter().all(|row| row.get(26) == Some("capability: counting; topic: shapes")));
        assert!(rows.iter().all(|row| row.get(27) == Some("41")));
        Ok(())
    }
}
