//! `ifs compare --marks`: marks of judges and people.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use super::{CompareFormat, json, table};
use crate::exit::CommandError;
use ifs_base::world::MAX_FILE_BYTES;
use ifs_score::compare::{
    AnswerMark, Bias, ComparedRun, Marked, MarkedRuns, Preference, bias, marked, preferences,
    read_marks,
};

const COLUMNS: &str = "its columns are judge, model, item and mark, and perhaps quality and other";

fn read(file: &Path) -> Result<Vec<AnswerMark>, CommandError> {
    let shown = file.display();
    let text = ifs_base::world::read_text(file, MAX_FILE_BYTES)
        .map_err(|error| CommandError::input(format!("`{shown}`: {error}")))?;
    read_marks(&text)
        .map_err(|error| CommandError::input(format!("`{shown}`: {error}")).help(COLUMNS))
}

/// The bias of judges towards models.
#[derive(Serialize)]
struct Judges {
    #[serde(flatten)]
    bias: Bias,
    preferences: Vec<Preference>,
}

/// Marks against the scores of runs.
pub(super) fn compare_marks(
    file: &Path,
    sides: &[ComparedRun],
    form: CompareFormat,
) -> Result<String, CommandError> {
    let found = marked(&read(file)?, sides).map_err(|error| {
        CommandError::input(format!("`{}`: {error}", file.display())).help(
            "`model` is the name of the run's model, and `item` the number of a dialogue and of a turn: `3/7`",
        )
    })?;
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    match form {
        CompareFormat::Markdown
        | CompareFormat::Latex
        | CompareFormat::Html
        | CompareFormat::Junit => {
            Err(CommandError::usage("marks are compared as text, JSON or CSV")
                .help("`--format csv`"))
        }
        CompareFormat::Text => Ok(marked_text(&found)),
        CompareFormat::Json => json(&found),
        CompareFormat::Csv => {
            let head = [
                "judge", "quality", "score", "model", "count", "mark", "mean", "pearson",
                "spearman",
            ];
            let rows = found.rows.iter().map(|row| {
                vec![
                    row.judge.clone(),
                    row.quality.clone(),
                    row.score.to_owned(),
                    row.model.clone().unwrap_or_default(),
                    row.count.to_string(),
                    row.mark.to_string(),
                    row.mean.to_string(),
                    number(row.pearson),
                    number(row.spearman),
                ]
            });
            table(&head, rows)
        }
    }
}

fn marked_text(found: &MarkedRuns) -> String {
    let mut text = String::new();
    let alike = |one: &Marked, next: &Marked| {
        (&one.judge, &one.quality, one.score) == (&next.judge, &next.quality, next.score)
    };
    let correlation =
        |value: Option<f64>| value.map_or_else(|| "    -".to_owned(), |it| format!("{it:5.2}"));
    for rows in found.rows.chunk_by(alike) {
        let Some(first) = rows.first() else { continue };
        let quality = match first.quality.as_str() {
            "" => String::new(),
            quality => format!(" on {quality}"),
        };
        writeln!(text, "Marks of {}{quality} beside {}", first.judge, first.score)
            .unwrap_or_default();
        let name = |row: &Marked| row.model.clone().unwrap_or_else(|| "all runs".to_owned());
        let wide = rows.iter().map(|row| name(row).chars().count()).max().unwrap_or(0);
        for row in rows {
            writeln!(
                text,
                "  {:wide$}  Pearson {}, Spearman {}; mean mark {:.2}, mean {} {:.3}, of {}",
                name(row),
                correlation(row.pearson),
                correlation(row.spearman),
                row.mark,
                row.score,
                row.mean,
                row.count,
            )
            .unwrap_or_default();
        }
    }
    if found.unmatched > 0 {
        let left = "marks are for responses that are not in these runs; they are left out";
        writeln!(text, "{} {left}", found.unmatched).unwrap_or_default();
    }
    text
}

pub(super) fn judges(
    file: &Path,
    human: &str,
    form: CompareFormat,
) -> Result<String, CommandError> {
    let marks = read(file)?;
    let rated: Vec<AnswerMark> =
        marks.iter().filter(|mark| mark.other.is_empty()).cloned().collect();
    // A file with only comparisons has no marks to correlate.
    let found = match rated.is_empty() && !marks.is_empty() {
        true => Bias { human: human.to_owned(), rows: Vec::new(), unmatched: 0 },
        false => bias(&rated, human).map_err(|error| {
            CommandError::input(format!("`{}`: {error}", file.display())).help(COLUMNS)
        })?,
    };
    let found = Judges { bias: found, preferences: preferences(&marks) };
    match form {
        CompareFormat::Markdown
        | CompareFormat::Latex
        | CompareFormat::Html
        | CompareFormat::Junit => {
            Err(CommandError::usage("marks are compared as text, JSON or CSV")
                .help("`--format csv`"))
        }
        CompareFormat::Text => Ok(bias_text(&found.bias) + &preferences_text(&found.preferences)),
        CompareFormat::Json => json(&found),
        CompareFormat::Csv => {
            let head = [
                "quality",
                "judge",
                "model",
                "count",
                "mean",
                "human",
                "favour",
                "place",
                "human_place",
                "own",
            ];
            let rows = found.bias.rows.iter().map(|row| {
                vec![
                    row.quality.clone(),
                    row.judge.clone(),
                    row.model.clone(),
                    row.count.to_string(),
                    row.mean.to_string(),
                    row.human.to_string(),
                    row.favour.to_string(),
                    row.place.to_string(),
                    row.human_place.to_string(),
                    row.own.to_string(),
                ]
            });
            table(&head, rows)
        }
    }
}

fn bias_text(found: &Bias) -> String {
    let mut text = String::new();
    for judge in
        found.rows.chunk_by(|one, next| (&one.quality, &one.judge) == (&next.quality, &next.judge))
    {
        let Some(first) = judge.first() else { continue };
        let quality = match first.quality.as_str() {
            "" => String::new(),
            quality => format!(" on {quality}"),
        };
        writeln!(text, "{}{quality}, beside {}", first.judge, found.human).unwrap_or_default();
        let wide = judge.iter().map(|row| row.model.chars().count()).max().unwrap_or(0);
        for row in judge {
            let own = if row.own { "  its own" } else { "" };
            writeln!(
                text,
                "  {:wide$}  {:6.2}, {} {:6.2}  favour {:+.2}  place {} of {}, by people {}{own}",
                row.model,
                row.mean,
                found.human,
                row.human,
                row.favour,
                row.place,
                judge.len(),
                row.human_place,
            )
            .unwrap_or_default();
        }
    }
    if found.unmatched > 0 {
        let left = "marks are for responses without another mark; they are left out";
        writeln!(text, "{} {left}", found.unmatched).unwrap_or_default();
    }
    text
}

/// How often each judge prefers one model to another.
fn preferences_text(found: &[Preference]) -> String {
    let mut text = String::new();
    let alike = |one: &Preference, next: &Preference| {
        (&one.judge, &one.quality) == (&next.judge, &next.quality)
    };
    for rows in found.chunk_by(alike) {
        let Some(first) = rows.first() else { continue };
        let quality = match first.quality.as_str() {
            "" => String::new(),
            quality => format!(" on {quality}"),
        };
        writeln!(text, "Preferred by {}{quality}", first.judge).unwrap_or_default();
        for row in rows {
            let share = |count: usize| 100.0 * count as f64 / row.items().max(1) as f64;
            writeln!(
                text,
                "  {} to {}: win {:.1} %, tie {:.1} %, loss {:.1} %, of {}",
                row.one,
                row.other,
                share(row.wins),
                share(row.ties),
                share(row.losses),
                row.items(),
            )
            .unwrap_or_default();
        }
    }
    text
}
