//! `ifs compare`

mod marks;
mod pairs;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;

use crate::cli::asked_alike::{Asking, Unlike, unlike};
use crate::cli::exit::{Exit, Problem};
use crate::cli::output::Output;
use crate::cli::score;
use ifs::compare::{Comparison, Pair, Side, compare};
use ifs::plan::Plan;
use ifs::run::{Folder, Manifest};
use ifs::score::Measured;

/// Compare runs turn by turn, or judges with people.
///
/// Of every two runs, on the turns that both have and that ask for something: the mean difference in
/// PIF (the share of what is asked for that is followed: constraints, requirements, facts and
/// relations), Wilcoxon's signed-rank test over distinct dialogues, and whether one is better whatever
/// a higher share is worth (first-order stochastic dominance). Runs that did not ask the same are
/// refused, with a list of what differs.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs compare runs/a runs/b runs/c
  ifs compare --allow-differences runs/plain runs/reminded   two variants: what the second one brings
  ifs compare --marks marks.csv                judges beside people; columns judge, model, item, mark, quality")]
pub(crate) struct Args {
    /// The folders of two or more runs
    #[arg(value_name = "RUN", required_unless_present = "marks", num_args = 1..)]
    runs: Vec<PathBuf>,
    /// Compare runs that did not ask the same too, and list what differs
    #[arg(long, conflicts_with = "marks")]
    allow_differences: bool,
    /// Marks of judges and of people, as CSV
    #[arg(long, value_name = "FILE", conflicts_with = "runs")]
    marks: Option<PathBuf>,
    /// Who in the column `judge` stands for people
    #[arg(long, value_name = "NAME", default_value = "human", requires = "marks")]
    human: String,
    /// Exit with status 0 although a run is not complete
    #[arg(long)]
    allow_incomplete: bool,
    /// The form of the comparison
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For the terminal
    Text,
    Json,
    /// A row for each two runs, or for each judge on each model
    Csv,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, Problem> {
    let (text, complete) = match &args.marks {
        Some(file) => (marks::judges(file, &args.human, args.format)?, true),
        None => runs(&args, output)?,
    };
    match args.format {
        Form::Text => output.print(&text),
        Form::Json => output.json(&text),
        Form::Csv => output.data(&text),
    }
    Ok(if complete || args.allow_incomplete { Exit::Good } else { Exit::Failed })
}

/// A run that was read.
struct Run {
    folder: Folder,
    manifest: Manifest,
    plan: Plan,
    side: Side,
    /// What the run lacks, if it is not complete.
    incomplete: Option<String>,
}

impl Run {
    fn asking(&self) -> Asking<'_> {
        let Run { folder, manifest, plan, side, .. } = self;
        Asking { folder, manifest, plan, side }
    }
}

/// The comparison, what its runs lack, and what they do not have in common.
#[derive(Serialize)]
struct Found {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    incomplete: Vec<String>,
    #[serde(flatten)]
    comparison: Comparison,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differences: Vec<Unlike>,
}

/// The comparison, and whether all runs are complete.
fn runs(args: &Args, output: &mut Output) -> Result<(String, bool), Problem> {
    let folders = &args.runs;
    if folders.len() < 2 {
        return Err(Problem::usage("one run has nothing to be compared with")
            .help("name two or more: `ifs compare RUN RUN`"));
    }
    let mut runs: Vec<Run> = Vec::new();
    for path in folders {
        let run = read(path, &runs, output)?;
        runs.push(run);
    }
    once_each(folders)?;
    let differences = unlike_pairs(&runs)?;
    if let Some(first) = differences.first()
        && !args.allow_differences
    {
        let lines = first.told().join("\n  ");
        return Err(Problem::input(format!(
            "`{}` and `{}` did not ask the same, so a difference in scores would say nothing about \
             the models\n  {lines}",
            first.one, first.other
        ))
        .help("`--allow-differences` compares them all the same, turn by turn, and lists what differs"));
    }
    let incomplete = runs.iter().filter_map(|run| run.incomplete.clone()).collect();
    let sides: Vec<Side> = runs.into_iter().map(|run| run.side).collect();
    let comparison = compare(&sides);
    if let Some(pair) = comparison.pairs.iter().find(|pair| pair.turns == 0) {
        return Err(nothing_to_compare(pair, &sides));
    }
    let found = Found { incomplete, comparison, differences };
    let text = match args.format {
        Form::Text => pairs::comparison_text(&found),
        Form::Json => json(&found)?,
        Form::Csv => pairs::comparison_csv(&found.comparison, &found.incomplete.join(" "))?,
    };
    Ok((text, found.incomplete.is_empty()))
}

/// A run beside itself shows nothing, and naming it twice is a slip.
fn once_each(folders: &[PathBuf]) -> Result<(), Problem> {
    let real = |path: &PathBuf| std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    let mut seen = BTreeSet::new();
    match folders.iter().find(|path| !seen.insert(real(path))) {
        None => Ok(()),
        Some(twice) => Err(Problem::usage(format!("the run `{}` is named twice", twice.display()))
            .help("name two different runs: one has nothing to be compared with in itself")),
    }
}

/// Reads a run, and gives it a name that those before it do not have.
fn read(path: &Path, before: &[Run], output: &mut Output) -> Result<Run, Problem> {
    let folder = Folder::open(path)?;
    let scored = score::read(&folder, &score::Again::default(), output)?;
    let plan = folder.plan()?;
    let incomplete = scored.gaps.warning().map(|warning| format!("{}: {warning}", path.display()));
    let manifest = scored.manifest;
    let mut name = manifest.model.clone();
    if let Some(variant) = &manifest.variant {
        write!(name, ", {variant}").unwrap_or_default();
    }
    if before.iter().any(|run| run.side.name == name) {
        write!(name, " ({})", path.display()).unwrap_or_default();
    }
    let pif = scored.scorecard.metric("PIF").and_then(Measured::number);
    let side = Side::new(name, &scored.scorecard.dialogues, pif);
    Ok(Run { folder, manifest, plan, side, incomplete })
}

/// Of every two runs that did not ask the same, what differs.
fn unlike_pairs(runs: &[Run]) -> Result<Vec<Unlike>, Problem> {
    let mut found = Vec::new();
    for (at, one) in runs.iter().enumerate() {
        for other in &runs[at + 1..] {
            found.extend(unlike(&one.asking(), &other.asking())?);
        }
    }
    Ok(found)
}

fn nothing_to_compare(pair: &Pair, sides: &[Side]) -> Problem {
    let Pair { one, other, .. } = pair;
    let empty = |name: &str| {
        let side = sides.iter().find(|side| side.name == name);
        side.is_some_and(|side| side.dialogues.values().all(|held| held.shares().next().is_none()))
    };
    match [one, other].into_iter().find(|name| empty(name)) {
        Some(name) => Problem::input(format!(
            "there is nothing to compare: on no turn of `{name}` was anything that is asked for judged"
        ))
        .help(
            "a turn is compared by its constraints, requirements, facts and relations; questions for \
             a judge need one (`ifs score --judge`)",
        ),
        None => Problem::input(format!("`{one}` and `{other}` have no turn in common"))
            .help("run the same dialogues with both models: the same scenario, seed and `-n`"),
    }
}

fn json(found: &impl serde::Serialize) -> Result<String, Problem> {
    serde_json::to_string_pretty(found)
        .map(|text| text + "\n")
        .map_err(|error| Problem::machine(error.to_string()))
}

fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Result<String, Problem> {
    let wrong = |error: csv::Error| Problem::machine(error.to_string());
    let mut sheet = ifs::report::Sheet::new(head).map_err(wrong)?;
    for row in rows {
        sheet.row(row).map_err(wrong)?;
    }
    sheet.finish().map_err(wrong)
}
