//! `ifs compare-sets`

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use super::Format;
use super::exit::{CommandError, Exit};
use super::output::Output;
use ifs_base::world;
use ifs_sets::{Likeness, NEAR_DUPLICATE_SHARE, SetFeatures, SetRow, likeness, overlap};

/// Test whether two sets come from one distribution, and measure how much wording they share.
///
/// Every feature (turns, active constraints, words, each constraint, move, relation, topic, style)
/// is compared over dialogues by a z test with Holm's correction. A feature that too few
/// dialogues have is not tested. The exit status is 1 if one differs.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs compare-sets public hidden
  ifs compare-sets public hidden --corpus articles.txt --format json")]
pub(crate) struct Args {
    /// Folders that `ifs release` wrote
    #[arg(num_args = 2, required = true, value_name = "SET")]
    sets: Vec<PathBuf>,
    /// Texts whose wording the second set may share
    #[arg(long, value_name = "FILE")]
    corpus: Vec<PathBuf>,
    /// Significance level
    #[arg(long, default_value_t = 0.05, value_name = "P")]
    level: f64,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Features that are printed where none differs.
const MAX_FEATURES: usize = 10;

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    if !(args.level > 0.0 && args.level < 1.0) {
        return Err(CommandError::usage(format!(
            "`--level {}` is not between 0 and 1",
            args.level
        )));
    }
    let [one, other] = [&args.sets[0], &args.sets[1]].map(|path| read(path));
    let (one, other) = (one?, other?);
    let found = likeness(&one, &other);
    let mut corpora = Vec::new();
    for path in &args.corpus {
        let text = world::read_text(path, 1 << 30)
            .map_err(|error| CommandError::input(format!("`{}`: {error}", path.display())))?;
        let mut corpus = SetFeatures::default();
        corpus.add_text(&text);
        corpora.push((path.display().to_string(), overlap(&other, &corpus)));
    }
    let differ = found.different(args.level).count();
    match args.format {
        Format::Json => {
            let json = serde_json::json!({ "likeness": found, "corpora": corpora });
            output.json_line(&serde_json::to_string_pretty(&json).unwrap_or_default());
        }
        Format::Text => output.print(&likeness_text(&args, &found, &corpora, differ)),
    }
    Ok(if differ > 0 { Exit::Failed } else { Exit::Good })
}

fn read(path: &Path) -> Result<SetFeatures, CommandError> {
    let path = match path.is_dir() {
        true => path.join("dialogues.jsonl"),
        false => path.to_owned(),
    };
    let wrong =
        |why: &dyn std::fmt::Display| CommandError::input(format!("`{}`: {why}", path.display()));
    let file = world::open_regular(&path).map_err(|error| wrong(&error))?;
    let mut features = SetFeatures::default();
    for (number, line) in BufReader::new(file).lines().enumerate() {
        let line = line.map_err(|error| wrong(&error))?;
        let row: SetRow = serde_json::from_str(&line).map_err(|error| {
            wrong(&format!("line {} is not a dialogue of a set: {error}", number + 1))
                .help("`ifs release` writes sets")
        })?;
        features.add(&row);
    }
    Ok(features)
}

fn likeness_text(
    args: &Args,
    found: &Likeness,
    corpora: &[(String, f64)],
    differ: usize,
) -> String {
    let Likeness { dialogues: [one, other], tested, untested, .. } = found;
    let mut text = format!(
        "{}: {one} dialogues   {}: {other} dialogues\n{} features tested, {untested} too rare to test\n\n",
        args.sets[0].display(),
        args.sets[1].display(),
        tested.len()
    );
    text.push_str(&match differ {
        0 => format!("no feature differs at level {} (Holm)\n", args.level),
        1 => format!("1 feature differs at level {} (Holm)\n", args.level),
        count => format!("{count} features differ at level {} (Holm)\n", args.level),
    });
    let name = |feature: &str| -> String { feature.chars().take(44).collect() };
    text.push_str(&format!("  {:<44} {:>9} {:>9} {:>9}\n", "feature", "one", "other", "p"));
    for tested in tested.iter().take(differ.max(MAX_FEATURES)) {
        text.push_str(&format!(
            "  {:<44} {:>9.4} {:>9.4} {:>9.4}\n",
            name(&tested.feature),
            tested.mean_one,
            tested.mean_other,
            tested.p
        ));
    }
    text.push_str(&format!(
        "\nwording of the second set that is in the first: {:.1} % of messages, {:.1} % of 8-grams\n",
        100.0 * found.shared_messages,
        100.0 * found.shared_grams
    ));
    text.push_str(&format!(
        "dialogues that are nearly one of the first set (over {} % of 4-grams): {}\n",
        (100.0 * NEAR_DUPLICATE_SHARE).round(),
        found.near_duplicates
    ));
    for (path, share) in corpora {
        text.push_str(&format!("and in {path}: {:.1} % of 8-grams\n", 100.0 * share));
    }
    text
}
