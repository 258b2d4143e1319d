//! `ifs ranks`

use std::fmt::Write as _;
use std::path::PathBuf;

use serde::Serialize;

use super::Format;
use super::by::By;
use super::exit::{Exit, Problem};
use super::output::Output;
use super::score::{self, Again};
use ifs::compare::{pearson, ranks, spearman};
use ifs::run::Folder;
use ifs::score::{METRICS, Options, ScoredDialogue, Unit, Value, score_all};

/// Say how stable the order of models is.
///
/// A metric of several runs over all dialogues, and over the first ones alone (`--sizes`) or over
/// each part of them (`--by`): what it is there, how a run's rank moves, and how far each column
/// agrees with that of all dialogues, by Pearson's and by Spearman's correlation.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs ranks runs/a runs/b runs/c --sizes 30,60,90,120       EvolIF's table 4
  ifs ranks runs/a runs/b runs/c --by synthesizer           its table 8 and figure 6
  ifs ranks runs/a runs/b runs/c --by style.register        its figure 7
  ifs ranks runs/a runs/b --metric EDR_acc --patience 1")]
pub(crate) struct Args {
    /// The folders of two or more runs
    #[arg(value_name = "RUN", required = true, num_args = 2..)]
    runs: Vec<PathBuf>,
    /// The metric
    #[arg(long, value_name = "NAME", default_value = "ROB")]
    metric: String,
    /// Numbers of dialogues; the first ones are taken
    #[arg(long, value_name = "N,…", value_delimiter = ',', conflicts_with = "by",
        value_parser = clap::value_parser!(u64).range(1..))]
    sizes: Vec<u64>,
    /// Apart by `synthesizer`, `style`, `topic`, or a field of these records: `style.register`
    #[arg(long, value_name = "NAME")]
    by: Option<By>,
    /// Replay a shorter patience than the dialogues were held with
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    patience: Option<u32>,
    /// Exit with status 0 although a run is not complete
    #[arg(long)]
    allow_incomplete: bool,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// The metric of every run on the same part of the dialogues.
#[derive(Serialize)]
struct Column {
    name: String,
    /// How many dialogues each run has in it.
    dialogues: Vec<usize>,
    values: Vec<Option<f64>>,
    ranks: Option<Vec<f64>>,
    pearson: Option<f64>,
    spearman: Option<f64>,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, Problem> {
    let Some(metric) = METRICS.iter().find(|metric| metric.name == args.metric) else {
        let names: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
        return Err(Problem::usage(format!("there is no metric `{}`", args.metric))
            .help(format!("metrics are {}", names.join(", "))));
    };
    let again = Again { patience: args.patience, by: args.by.clone(), ..Again::default() };
    let mut models: Vec<(String, Vec<ScoredDialogue>, bool)> = Vec::new();
    let mut complete = true;
    for path in &args.runs {
        let read = score::dialogues(&Folder::open(path)?, &again, output)?;
        complete &= read.gaps.is_none();
        models.push((read.manifest.model.clone(), read.dialogues, read.manifest.distinct));
    }
    let measured =
        |kept: &dyn Fn(usize, &ScoredDialogue) -> bool| -> (Vec<usize>, Vec<Option<f64>>) {
            let of = |(_, dialogues, distinct): &(String, Vec<ScoredDialogue>, bool)| {
                let part: Vec<ScoredDialogue> = dialogues
                    .iter()
                    .enumerate()
                    .filter(|(at, dialogue)| kept(*at, dialogue))
                    .map(|(_, dialogue)| dialogue.clone())
                    .collect();
                let count = part.len();
                let card =
                    score_all(part, &Options { patience: args.patience, distinct: *distinct });
                let value = match card.metric(metric.name).map(|measured| &measured.value) {
                    Some(Value::Number(number)) => Some(*number),
                    _ => None,
                };
                (count, value)
            };
            models.iter().map(of).unzip()
        };
    let mut columns = vec![column("all", measured(&|_, _| true), None)];
    for size in &args.sizes {
        let first = measured(&|at, _| (at as u64) < *size);
        columns.push(column(&size.to_string(), first, Some(&columns[0].values)));
    }
    let mut parts: Vec<&str> = models
        .iter()
        .flat_map(|(_, dialogues, _)| dialogues)
        .filter_map(|dialogue| dialogue.slice.as_deref())
        .collect();
    parts.sort_unstable();
    parts.dedup();
    for part in parts.into_iter().filter(|_| args.by.is_some()) {
        let found = measured(&|_, dialogue| dialogue.slice.as_deref() == Some(part));
        columns.push(column(part, found, Some(&columns[0].values)));
    }
    let names: Vec<&str> = models.iter().map(|(name, ..)| name.as_str()).collect();
    match args.format {
        Format::Json => {
            let json = serde_json::json!({
                "metric": metric.name,
                "models": names,
                "columns": columns,
                "spearman": between(&columns),
            });
            output.json_line(&serde_json::to_string_pretty(&json).unwrap_or_default());
        }
        Format::Text => {
            let share = metric.unit == Unit::Share;
            output.print(&table(metric.name, share, &names, &columns, args.by.is_some()));
        }
    }
    Ok(if complete || args.allow_incomplete { Exit::Good } else { Exit::Failed })
}

fn column(
    name: &str,
    (dialogues, values): (Vec<usize>, Vec<Option<f64>>),
    all: Option<&[Option<f64>]>,
) -> Column {
    let whole: Option<Vec<f64>> = values.iter().copied().collect();
    let all: Option<Vec<f64>> = all.and_then(|all| all.iter().copied().collect());
    let both = whole.as_deref().zip(all.as_deref());
    Column {
        name: name.to_owned(),
        dialogues,
        ranks: whole.as_deref().map(ranks),
        pearson: both.and_then(|(one, all)| pearson(one, all)),
        spearman: both.and_then(|(one, all)| spearman(one, all)),
        values,
    }
}

/// Spearman's correlation between every two columns.
fn between(columns: &[Column]) -> Vec<Vec<Option<f64>>> {
    let whole: Vec<Option<Vec<f64>>> =
        columns.iter().map(|column| column.values.iter().copied().collect()).collect();
    let row = |one: &Option<Vec<f64>>| {
        whole.iter().map(|other| spearman(one.as_deref()?, other.as_deref()?)).collect()
    };
    whole.iter().map(row).collect()
}

fn table(metric: &str, share: bool, names: &[&str], columns: &[Column], parts: bool) -> String {
    let shown = |value: Option<f64>| match value {
        Some(value) if share => format!("{:.2} %", value * 100.0),
        Some(value) => format!("{value:.2}"),
        None => "–".to_owned(),
    };
    let mut text = format!("{metric}, by rank over all dialogues\n");
    let most = names.iter().map(|name| name.chars().count()).chain([12]).max().unwrap_or(12);
    let width =
        columns.iter().map(|column| column.name.chars().count() + 2).max().unwrap_or(0).max(13);
    let line = |text: &mut String, name: &str, cells: Vec<String>| {
        let _ = write!(text, "{name:most$}");
        cells.iter().for_each(|cell| _ = write!(text, " {cell:>width$}"));
        *text = format!("{}\n", text.trim_end());
    };
    line(&mut text, "", columns.iter().map(|column| column.name.clone()).collect());
    let mut order: Vec<usize> = (0..names.len()).collect();
    if let Some(ranks) = &columns[0].ranks {
        order.sort_by(|one, other| ranks[*one].total_cmp(&ranks[*other]));
    }
    for at in order {
        let cell = |column: &Column| {
            let moved = match (&column.ranks, &columns[0].ranks) {
                (Some(here), Some(all)) if here[at] < all[at] => {
                    format!(" ↑{}", all[at] - here[at])
                }
                (Some(here), Some(all)) if here[at] > all[at] => {
                    format!(" ↓{}", here[at] - all[at])
                }
                _ => String::new(),
            };
            format!("{}{moved}", shown(column.values[at]))
        };
        line(&mut text, names[at], columns.iter().map(cell).collect());
    }
    let percent =
        |value: Option<f64>| value.map_or("–".to_owned(), |it| format!("{:.2} %", it * 100.0));
    if columns.len() > 1 {
        let of = |pick: fn(&Column) -> Option<f64>| -> Vec<String> {
            [String::new()]
                .into_iter()
                .chain(columns[1..].iter().map(|it| percent(pick(it))))
                .collect()
        };
        line(&mut text, "Pearson", of(|column| column.pearson));
        line(&mut text, "Spearman", of(|column| column.spearman));
    }
    let counts = columns.iter().map(|column| {
        let (least, most) = (column.dialogues.iter().min(), column.dialogues.iter().max());
        match (least, most) {
            (Some(least), Some(most)) if least != most => format!("{least}..{most}"),
            (Some(least), _) => least.to_string(),
            _ => String::new(),
        }
    });
    line(&mut text, "dialogues", counts.collect());
    if parts && columns.len() > 2 {
        text.push_str("\nSpearman between columns\n");
        line(&mut text, "", columns.iter().map(|column| column.name.clone()).collect());
        for (column, row) in columns.iter().zip(between(columns)) {
            line(&mut text, &column.name, row.into_iter().map(percent).collect());
        }
    }
    text
}
