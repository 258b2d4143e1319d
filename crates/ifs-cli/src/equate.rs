//! `ifs equate`

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::Format;
use super::exit::{CommandError, Exit};
use super::output::Output;
use super::score;
use ifs_run::{Folder, RunManifest};
use ifs_score::compare::{ComparedRun, Equated, Estimate, anchors, equate};

/// Equate the scores of two epochs by their common anchors.
///
/// The dialogues that are the same in every epoch (`anchors 20` in the release) show how far the
/// second model differs from the first. Prints this shift with its standard error, how much the
/// sets differ, and the score that the second run would have had on the first set. Runs without
/// common anchors are refused: their scores cannot be put on one scale.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs equate runs/december runs/march
  ifs equate runs/december runs/march --metric CSR --format json")]
pub(crate) struct Args {
    /// The folders of two runs, the older one first
    #[arg(num_args = 2, required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// The metrics to equate; by default those that the scenario reports
    #[arg(long = "metric", value_name = "METRIC")]
    metrics: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

struct EquatedRun {
    manifest: RunManifest,
    side: ComparedRun,
    reported: Vec<String>,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let one = read(&args.runs[0], output)?;
    let other = read(&args.runs[1], output)?;
    let name = |at: usize| args.runs[at].display().to_string();
    same_release(&one.manifest, &other.manifest)?;
    let epoch = |run: &EquatedRun| {
        let set = run.manifest.set.as_ref()?;
        set.hidden.as_ref().map(|hidden| hidden.epoch.clone())
    };
    let same = epoch(&one).map(|epoch_of_one| Some(epoch_of_one) == epoch(&other));
    let found = anchors(&one.side, &other.side, same);
    if let Some((dialogue, index)) = found.different.first() {
        return Err(CommandError::input(format!(
            "the anchor with index {index} of `{dialogue}` has other messages in the two runs"
        ))
        .help("an anchor is keyed by secret, definition and release: these have to be the same"));
    }
    if found.common.len() < 2 {
        return Err(CommandError::input(format!(
            "`{}` and `{}` have {} in common, so a difference between their sets cannot be distinguished from one between their models",
            name(0),
            name(1),
            super::load::counted(found.common.len(), "anchor")
        ))
        .help("declare `anchors 20` in the release, and release both epochs again"));
    }
    let [rest_one, rest_other] =
        [&one, &other].map(|run| run.side.dialogues.len() - found.common.len());
    if found.shared > 0 && found.shared == rest_one.min(rest_other) {
        return Err(CommandError::input(
            "both runs have the same dialogues, so there is nothing to equate",
        )
        .help("compare them directly: `ifs compare RUN RUN`"));
    }
    let wanted = if args.metrics.is_empty() { &one.reported } else { &args.metrics };
    let mut rows = Vec::new();
    for metric in wanted {
        if one.side.place(metric).is_none() {
            return Err(CommandError::usage(format!("there is no metric `{metric}`"))
                .help("`ifs explain metrics` lists them"));
        }
        rows.extend(equate(&one.side, &other.side, &found, metric));
    }
    if rows.is_empty() {
        return Err(CommandError::input("none of the metrics can be equated")
            .help("the anchors, and the other dialogues of each run, need at least two dialogues with the metric; name another with `--metric CSR`"));
    }
    match args.format {
        Format::Json => {
            let json = serde_json::json!({
                "runs": [name(0), name(1)],
                "anchors": found.common.len(),
                "others": [rest_one, rest_other],
                "metrics": rows,
            });
            output.json_line(&serde_json::to_string_pretty(&json).unwrap_or_default());
        }
        Format::Text => output.print(&equated_text(
            &args,
            &rows,
            found.common.len(),
            [rest_one, rest_other],
            [&one, &other],
        )),
    }
    Ok(Exit::Good)
}

fn read(path: &Path, output: &mut Output) -> Result<EquatedRun, CommandError> {
    let folder = Folder::open(path)?;
    let scored = score::read(&folder, &score::RescoreOptions::default(), None, output)?;
    if let Some(warning) = scored.gaps.warning() {
        output.warn(&format!("{}: {warning}", path.display()));
    }
    let side = ComparedRun::new(scored.manifest.model.clone(), &scored.scorecard);
    Ok(EquatedRun { manifest: scored.manifest, side, reported: scored.metrics })
}

/// Refuses runs whose anchors cannot be the same.
fn same_release(one: &RunManifest, other: &RunManifest) -> Result<(), CommandError> {
    let hidden = |run: &RunManifest| -> Option<(Option<String>, String)> {
        let hidden = run.set.as_ref()?.hidden.as_ref()?;
        Some((hidden.anchors.clone(), hidden.release.clone()))
    };
    let different = [
        ("definitions", one.plan_hash != other.plan_hash),
        ("dialogues", one.dialogue != other.dialogue),
        ("variants", one.variant != other.variant),
        ("secrets or releases", hidden(one) != hidden(other)),
    ];
    match different.iter().find(|(_, differ)| *differ) {
        None => Ok(()),
        Some((what, _)) => Err(CommandError::input(format!("the runs are of different {what}"))
            .help("only epochs of one release have common anchors")),
    }
}

fn equated_text(
    args: &Args,
    rows: &[Equated],
    anchors: usize,
    rest: [usize; 2],
    runs: [&EquatedRun; 2],
) -> String {
    let mut text = String::new();
    for (at, run) in runs.iter().enumerate() {
        let epoch = match run.manifest.set.as_ref().and_then(|set| set.hidden.as_ref()) {
            Some(hidden) => format!(", epoch {}", hidden.epoch),
            None => format!(", seed {}", run.manifest.seed),
        };
        let _ = writeln!(
            text,
            "{}  {}: {}{epoch}; {anchors} anchors, {} other dialogues",
            at + 1,
            args.runs[at].display(),
            run.manifest.model,
            rest[at]
        );
    }
    let shown = |it: Estimate| format!("{:+.4} ± {:.4}", it.value, it.standard_error);
    let plain = |it: Estimate| format!("{:.4} ± {:.4}", it.value, it.standard_error);
    for row in rows {
        let [first, second] = row.anchors;
        let _ = write!(
            text,
            "\n{}\n  on the anchors       {first:.4}, {second:.4}; shift {}\n  on the others        {}, {}\n  \
             the second set gives {}\n  equated              {} (run 2, as if on the first set)\n",
            row.metric,
            shown(row.shift),
            plain(row.others[0]),
            plain(row.others[1]),
            shown(row.sets),
            plain(row.equated),
        );
    }
    text.push_str("\n± is the standard error, by dialogues\n");
    text
}
