//! Marks of judges beside those of people: `ifs compare --marks`.

use std::fmt::Write as _;
use std::path::Path;

use super::{Form, json, table};
use crate::cli::exit::Problem;
use ifs::compare::{Bias, bias, read_marks};
use ifs::world::MAX_FILE;

pub(super) fn judges(file: &Path, human: &str, form: Form) -> Result<String, Problem> {
    let shown = file.display();
    let text = ifs::world::read_text(file, MAX_FILE)
        .map_err(|error| Problem::input(format!("`{shown}`: {error}")))?;
    let found = read_marks(&text).and_then(|marks| bias(&marks, human)).map_err(|error| {
        Problem::input(format!("`{shown}`: {error}"))
            .help("its columns are judge, model, item and mark, and perhaps quality")
    })?;
    match form {
        Form::Markdown | Form::Latex => {
            Err(Problem::usage("marks are compared as text, JSON or CSV").help("`--format csv`"))
        }
        Form::Text => Ok(bias_text(&found)),
        Form::Json => json(&found),
        Form::Csv => {
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
            let rows = found.rows.iter().map(|row| {
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
        let left = "marks are for answers that nobody else marked; they are left out";
        writeln!(text, "{} {left}", found.unmatched).unwrap_or_default();
    }
    text
}
