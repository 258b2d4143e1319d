//! `ifs compare`

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;

use super::asked_alike::{Asking, Unlike, unlike};
use super::exit::{Exit, Problem};
use super::load::counted;
use super::output::Output;
use super::score;
use ifs::compare::{
    Bias, Comparison, Dominance, Method, Pair, Side, Summary, Unmatched, bias, compare, read_marks,
};
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
        Some(file) => (judges(file, &args.human, args.format)?, true),
        None => runs(&args, output)?,
    };
    output.print(&text);
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
        Form::Text => comparison_text(&found),
        Form::Json => json(&found)?,
        Form::Csv => comparison_csv(&found.comparison, &found.incomplete.join(" "))?,
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

fn comparison_text(found: &Found) -> String {
    let mut text = String::new();
    for warning in &found.incomplete {
        writeln!(text, "! {warning}").unwrap_or_default();
    }
    for unlike in &found.differences {
        writeln!(text, "! `{}` and `{}` did not ask the same:", unlike.one, unlike.other)
            .unwrap_or_default();
        for line in unlike.told() {
            writeln!(text, "  {line}").unwrap_or_default();
        }
        text.push('\n');
    }
    text.push_str("PIF, the share of what a turn asks for that the response follows\n");
    for side in &found.comparison.sides {
        text.push_str(&side_text(side));
    }
    for pair in &found.comparison.pairs {
        text.push_str(&pair_text(pair));
    }
    text
}

fn side_text(side: &Summary) -> String {
    let pif = side.pif.map_or("none".to_owned(), |pif| format!("{pif:.3}"));
    let below: Vec<String> = side
        .distribution
        .iter()
        .map(|step| format!("{:.2}: {:.1} %", step.value, 100.0 * step.up_to))
        .collect();
    let mut dialogues = counted(side.dialogues, "dialogue");
    if side.distinct < side.dialogues {
        write!(dialogues, " ({} distinct)", side.distinct).unwrap_or_default();
    }
    let unjudged = match side.unjudged {
        0 => String::new(),
        unjudged => format!("; {} not judged and left out", counted(unjudged, "turn")),
    };
    format!(
        "  {}: {pif} over {} of {dialogues}{unjudged}\n    turns up to a share of {}\n",
        side.name,
        counted(side.turns, "turn"),
        below.join(", ")
    )
}

fn pair_text(pair: &Pair) -> String {
    let Pair { one, other, turns, dialogues, difference, wilcoxon, dominance, by_turn, .. } = pair;
    let method = match wilcoxon.method {
        Method::Exact => "exact",
        Method::Normal => "normal approximation",
        Method::None => "nothing differs",
    };
    let ahead = match dominance {
        Dominance::First => format!("`{one}` dominates"),
        Dominance::Second => format!("`{other}` dominates"),
        Dominance::Equal => "the same distribution".to_owned(),
        Dominance::Neither => "neither dominates".to_owned(),
    };
    let error = pair.standard_error.map(|error| format!(" ± {error:.3}")).unwrap_or_default();
    let count = |wanted: Dominance| by_turn.iter().filter(|turn| turn.dominance == wanted).count();
    let mut text = format!(
        "\n{one} less {other}\n  mean difference {difference:+.3}{error} over {} of {} that both \
         have\n  Wilcoxon signed-rank over distinct dialogues ({method}): {} of {dialogues} differ, \
         W+ {}, W- {},\n    p {} (two-sided), {} (first larger), {} (second larger)\n  stochastic \
         dominance of turns: {ahead};\n    by number of the turn: first {}, second {}, equal {}, \
         neither {}\n",
        counted(*turns, "turn"),
        counted(*dialogues, "distinct dialogue"),
        wilcoxon.differing,
        wilcoxon.plus,
        wilcoxon.minus,
        chance(wilcoxon.two_sided),
        chance(wilcoxon.first_larger),
        chance(wilcoxon.second_larger),
        count(Dominance::First),
        count(Dominance::Second),
        count(Dominance::Equal),
        count(Dominance::Neither),
    );
    let Unmatched { only_one, only_other, turns_one, turns_other } = &pair.unmatched;
    for (name, dialogues, turns) in [(one, only_one, turns_one), (other, only_other, turns_other)] {
        if !dialogues.is_empty() {
            let (all, numbers) = (counted(dialogues.len(), "dialogue"), ranges(dialogues));
            writeln!(text, "  left out: {all} of `{name}` alone (number {numbers})")
                .unwrap_or_default();
        }
        if *turns > 0 {
            let turns = counted(*turns, "turn");
            writeln!(text, "  left out: {turns} of `{name}` alone, of dialogues that both have")
                .unwrap_or_default();
        }
    }
    text
}

/// `3, 5 to 9, 12` of numbers in their order.
fn ranges(numbers: &[u64]) -> String {
    let runs = numbers.chunk_by(|one, next| one + 1 == *next);
    let run = |run: &[u64]| match run {
        [] => String::new(),
        [one] => one.to_string(),
        [first, .., last] => format!("{first} to {last}"),
    };
    runs.map(run).collect::<Vec<_>>().join(", ")
}

fn chance(number: f64) -> String {
    if number < 0.000_1 { format!("{number:.1e}") } else { format!("{number:.4}") }
}

fn comparison_csv(found: &Comparison, incomplete: &str) -> Result<String, Problem> {
    let head = [
        "incomplete",
        "one",
        "other",
        "turns",
        "dialogues",
        "difference",
        "standard_error",
        "differing",
        "w_plus",
        "w_minus",
        "p_two_sided",
        "p_first_larger",
        "p_second_larger",
        "dominance",
    ];
    let rows = found.pairs.iter().map(|pair| {
        let Pair { one, other, turns, dialogues, difference, wilcoxon, dominance, .. } = pair;
        let error = pair.standard_error.map(|error| error.to_string()).unwrap_or_default();
        let dominance = format!("{dominance:?}").to_lowercase();
        vec![
            incomplete.to_owned(),
            one.clone(),
            other.clone(),
            turns.to_string(),
            dialogues.to_string(),
            difference.to_string(),
            error,
            wilcoxon.differing.to_string(),
            wilcoxon.plus.to_string(),
            wilcoxon.minus.to_string(),
            wilcoxon.two_sided.to_string(),
            wilcoxon.first_larger.to_string(),
            wilcoxon.second_larger.to_string(),
            dominance,
        ]
    });
    table(&head, rows)
}

fn judges(file: &Path, human: &str, form: Form) -> Result<String, Problem> {
    let shown = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|error| Problem::input(format!("`{shown}`: {error}")))?;
    let found = read_marks(&text).and_then(|marks| bias(&marks, human)).map_err(|error| {
        Problem::input(format!("`{shown}`: {error}"))
            .help("its columns are judge, model, item and mark, and perhaps quality")
    })?;
    match form {
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

fn json(found: &impl serde::Serialize) -> Result<String, Problem> {
    serde_json::to_string_pretty(found)
        .map(|text| text + "\n")
        .map_err(|error| Problem::machine(error.to_string()))
}

fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Result<String, Problem> {
    let wrong = |error: csv::Error| Problem::machine(error.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(head).map_err(wrong)?;
    for row in rows {
        writer.write_record(&row).map_err(wrong)?;
    }
    let bytes = writer.into_inner().map_err(|error| Problem::machine(error.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
