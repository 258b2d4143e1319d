//! `ifs compare`

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::exit::{Exit, Problem};
use super::output::Output;
use super::score;
use crate::compare::{Bias, Comparison, Dominance, Method, Pair, Side, bias, compare, read_marks};
use crate::run::Folder;
use crate::score::Measured;

/// Compare runs turn by turn, or judges with people.
///
/// Of every two runs, on the turns that both have: the mean difference in PIF, Wilcoxon's signed-rank
/// test, and whether one is better whatever a higher share is worth (first-order stochastic dominance).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs compare runs/a runs/b runs/c
  ifs compare runs/plain runs/reminded         what saying all instructions again brings
  ifs compare --marks marks.csv                judges beside people; columns judge, model, item, mark, quality")]
pub(crate) struct Args {
    /// The folders of two or more runs
    #[arg(value_name = "RUN", required_unless_present = "marks", num_args = 1..)]
    runs: Vec<PathBuf>,
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
        None => runs(&args.runs, args.format, output)?,
    };
    output.print(&text);
    Ok(if complete || args.allow_incomplete { Exit::Good } else { Exit::Failed })
}

/// A comparison with what its runs lack.
#[derive(serde::Serialize)]
struct Compared<'a> {
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    incomplete: &'a [String],
    #[serde(flatten)]
    found: &'a Comparison,
}

/// The comparison, and whether all runs are complete.
fn runs(folders: &[PathBuf], form: Form, output: &mut Output) -> Result<(String, bool), Problem> {
    if folders.len() < 2 {
        return Err(Problem::usage("one run has nothing to be compared with")
            .help("name two or more: `ifs compare RUN RUN`"));
    }
    let mut sides: Vec<Side> = Vec::new();
    let mut incomplete = Vec::new();
    let mut seed = None;
    for path in folders {
        let folder = Folder::open(path)?;
        let scored = score::read(&folder, &score::Again::default(), output)?;
        if let Some(warning) = scored.gaps.warning() {
            incomplete.push(format!("{}: {warning}", path.display()));
        }
        let manifest = &scored.manifest;
        let drawn = (manifest.benchmark.clone(), manifest.dialogue.clone(), manifest.seed);
        if let Some(first) = &seed
            && *first != drawn
        {
            return Err(Problem::input(format!(
                "`{}` asked other questions than `{}`",
                path.display(),
                folders[0].display()
            ))
            .help(
                "runs are compared that have the benchmark, the dialogue and the seed in common",
            ));
        }
        seed = Some(drawn);
        let mut name = manifest.model.clone();
        if let Some(variant) = &manifest.variant {
            write!(name, ", {variant}").unwrap_or_default();
        }
        if sides.iter().any(|side| side.name == name) {
            write!(name, " ({})", path.display()).unwrap_or_default();
        }
        let pif = scored.scorecard.metric("PIF").and_then(Measured::number);
        sides.push(Side::new(name, &scored.scorecard.dialogues, pif));
    }
    let found = compare(&sides);
    if let Some(pair) = found.pairs.iter().find(|pair| pair.turns == 0) {
        return Err(Problem::input(format!(
            "`{}` and `{}` have no turn in common",
            pair.one, pair.other
        )));
    }
    let text = match form {
        Form::Text => {
            let warned: String =
                incomplete.iter().map(|warning| format!("! {warning}\n")).collect();
            warned + &comparison_text(&found)
        }
        Form::Json => json(&Compared { incomplete: &incomplete, found: &found })?,
        Form::Csv => comparison_csv(&found, &incomplete.join(" "))?,
    };
    Ok((text, incomplete.is_empty()))
}

fn comparison_text(found: &Comparison) -> String {
    let mut text = String::from("PIF, the share of instructions followed\n");
    for side in &found.sides {
        let pif = side.pif.map_or("none".to_owned(), |pif| format!("{pif:.3}"));
        let below: Vec<String> = side
            .distribution
            .iter()
            .map(|step| format!("{:.2}: {:.1} %", step.value, 100.0 * step.up_to))
            .collect();
        let line = format!(
            "  {}: {pif} over {} turns\n    turns up to a share of {}\n",
            side.name,
            side.turns,
            below.join(", ")
        );
        text.push_str(&line);
    }
    for pair in &found.pairs {
        text.push_str(&pair_text(pair));
    }
    text
}

fn pair_text(pair: &Pair) -> String {
    let Pair { one, other, turns, difference, wilcoxon, dominance, by_turn } = pair;
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
    let count = |wanted: Dominance| by_turn.iter().filter(|turn| turn.dominance == wanted).count();
    format!(
        "\n{one} less {other}\n  mean difference {difference:+.3} over {turns} turns that both have\n  \
         Wilcoxon signed-rank ({method}): {} turns differ, W+ {}, W- {}, p {} (two-sided), {} (first \
         larger), {} (second larger)\n  stochastic dominance: {ahead}; by number of the turn: first {}, \
         second {}, equal {}, neither {}\n",
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
    )
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
        "difference",
        "differing",
        "w_plus",
        "w_minus",
        "p_two_sided",
        "p_first_larger",
        "p_second_larger",
        "dominance",
    ];
    let rows = found.pairs.iter().map(|pair| {
        let Pair { one, other, turns, difference, wilcoxon, dominance, .. } = pair;
        let dominance = format!("{dominance:?}").to_lowercase();
        vec![
            incomplete.to_owned(),
            one.clone(),
            other.clone(),
            turns.to_string(),
            difference.to_string(),
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
