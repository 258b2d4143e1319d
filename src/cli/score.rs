//! `ifs score`

use std::path::PathBuf;

use super::Format;
use super::exit::{Exit, Problem};
use super::output::Output;
use crate::plan::Plan;
use crate::report::{self, Report};
use crate::run::{Folder, Manifest, scored};
use crate::score::{Options, Scorecard, score_all};

/// Score a recorded run again.
///
/// Every rule is read again from the recorded answers; the model is not asked.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs score runs/evolif-sim-forgetful-seed1
  ifs score runs/evolif-sim-forgetful-seed1 --patience 1 --format json")]
pub(crate) struct Args {
    /// The folder of a run
    run: PathBuf,
    /// Replay a shorter patience than the dialogues were held with
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    patience: Option<u32>,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, Problem> {
    let folder = Folder::open(&args.run)?;
    score_folder(&folder, args.patience, args.format, output)?;
    Ok(Exit::Good)
}

/// A run with its scores.
pub(crate) struct Scored {
    pub manifest: Manifest,
    pub docs: std::collections::BTreeMap<String, String>,
    /// What the dialogue's `report` names.
    pub metrics: Vec<String>,
    pub scorecard: Scorecard,
}

impl Scored {
    pub fn report(&self) -> Report<'_> {
        Report {
            title: match self.manifest.benchmark.as_str() {
                "" => &self.manifest.dialogue,
                benchmark => benchmark,
            },
            benchmark_version: &self.manifest.benchmark_version,
            variant: self.manifest.variant.as_deref(),
            plan_hash: &self.manifest.plan_hash,
            seed: self.manifest.seed,
            model: &self.manifest.model,
            simulated: self.manifest.simulated_model,
            simulated_judge: self.manifest.simulated_judge,
            metrics: &self.metrics,
            scorecard: &self.scorecard,
            docs: &self.docs,
        }
    }
}

pub(crate) fn read(
    folder: &Folder,
    patience: Option<u32>,
    output: &mut Output,
) -> Result<Scored, Problem> {
    let manifest = folder.manifest()?;
    let plan = plan(folder, &manifest)?;
    let mut dialogues = Vec::new();
    let torn = folder.each_transcript(|transcript| dialogues.push(scored(&plan, &transcript)))?;
    if torn {
        output.note("the last transcript was torn off while it was written; it is left out");
    }
    let scorecard = score_all(dialogues, &Options { patience });
    let metrics = plan
        .dialogue(&manifest.dialogue)
        .map_or_else(Vec::new, |dialogue| dialogue.table.metrics.clone());
    Ok(Scored { manifest, docs: plan.docs, metrics, scorecard })
}

/// The plan of a run, if it is the one that the run was begun with.
pub(crate) fn plan(folder: &Folder, manifest: &Manifest) -> Result<Plan, Problem> {
    let plan = folder.plan()?;
    if plan.hash() != manifest.plan_hash {
        return Err(Problem::input(format!(
            "`{}`: plan.json is not the plan of this run",
            folder.path().display()
        ))
        .help("its hash differs from the one in run.json"));
    }
    Ok(plan)
}

/// Scores a run; the scores of its own patience go into the folder.
pub(crate) fn score_folder(
    folder: &Folder,
    patience: Option<u32>,
    format: Format,
    output: &mut Output,
) -> Result<(), Problem> {
    let scored = read(folder, patience, output)?;
    let write = |format| {
        report::write(&scored.report(), format).map_err(|error| Problem::machine(error.to_string()))
    };
    let json = write(report::Format::Json)?;
    if patience.is_none() {
        folder.write("scores.json", &json)?;
    }
    match format {
        Format::Json => output.line(json.trim_end()),
        Format::Text => {
            let form = report::Format::Terminal { color: output.color(), width: Output::width() };
            output.print(&write(form)?);
        }
    }
    Ok(())
}
