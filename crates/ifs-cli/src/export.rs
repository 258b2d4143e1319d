//! Runs as files for other programs: `ifs report --format inspect`.

use std::io::BufWriter;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::exit::CommandError;
use super::output::Output;
use super::recorded::{latencies, picture_data};
use super::score::{self, RescoreOptions, RunReader};
use ifs_base::replace::{self, Draft};
use ifs_draw::ShownImage;
use ifs_model::table::Feedback;
use ifs_report::chat::ChatView;
use ifs_report::every_eval_ever::{Provenance, record};
use ifs_report::inspect::{InspectLog, LoggedRun};
use ifs_run::{Folder, GradedDialogue, Transcript};
use ifs_score::{ScoreOptions, score_all};

/// Writes a log of inspect_ai for each run, and prints its path. Whether all runs are complete.
pub(super) fn inspect_logs(
    runs: &[PathBuf],
    to: Option<&Path>,
    again: &RescoreOptions,
    output: &mut Output,
) -> Result<bool, CommandError> {
    let to = to.ok_or_else(|| {
        CommandError::usage("`--format inspect` requires `--out`").help(
            "name the folder for the logs, for example `--out logs`; `inspect view` opens this folder",
        )
    })?;
    let folders = runs.iter().map(|run| Folder::open(run)).collect::<Result<Vec<_>, _>>()?;
    replace::make_folder(to).map_err(|error| write_error(to, &error))?;
    let mut complete = true;
    for folder in &folders {
        complete &= inspect_log(folder, to, again, output)?;
    }
    Ok(complete)
}

fn inspect_log(
    folder: &Folder,
    to: &Path,
    again: &RescoreOptions,
    output: &mut Output,
) -> Result<bool, CommandError> {
    let RunReader { mut manifest, plan, .. } = RunReader::open(folder, again)?;
    let table = plan.dialogue(&manifest.dialogue).map(|dialogue| dialogue.table);
    let mut hasher = blake3::Hasher::new_derive_key("ifs: a log of inspect_ai");
    let judging = again.judging.as_deref();
    for text in [Some(manifest.identity().as_str()), manifest.transcripts.as_deref(), judging] {
        hasher.update(text.unwrap_or_default().as_bytes());
        hasher.update(&[0]);
    }
    hasher.update(&again.patience.unwrap_or_default().to_le_bytes());
    let title =
        if manifest.benchmark.is_empty() { &manifest.dialogue } else { &manifest.benchmark };
    let left_out = again.redaction.names();
    hasher.update(left_out.join(",").as_bytes());
    let id = hasher.finalize().to_hex().as_str()[..22].to_owned();
    if again.redaction.prompts {
        manifest.parameters.system = None;
    }
    let run = LoggedRun {
        manifest: &manifest,
        title,
        metrics: table.map_or(&[][..], |table| &table.metrics),
        id: &id,
        fresh_rounds: table
            .and_then(|table| table.retry)
            .is_some_and(|retry| retry.form == Feedback::Fresh),
    };
    let path = to.join(run.file_name());
    let failed = |error: std::io::Error| write_error(&path, &error);
    let draft = Draft::for_named_file(&path).map_err(failed)?;
    let mut log = InspectLog::new(run, BufWriter::new(draft));
    let latencies = latencies(folder, "")?;
    let pictures =
        if manifest.is_hidden() { Default::default() } else { folder.plan()?.model.pictures };
    let metrics = table.map_or_else(Vec::new, |table| table.own_metrics.clone());
    let options = ScoreOptions { patience: again.patience, distinct: manifest.distinct, metrics };
    let mut added = Ok(());
    let mut add = |transcript: &Transcript, graded: GradedDialogue| {
        if added.is_err() {
            return;
        }
        let card = score_all(vec![graded.scored.clone()].into(), &options);
        let chat = ChatView::of_run(transcript, graded, &latencies);
        let chat = if manifest.is_hidden() { chat.without_prompts() } else { chat };
        let mut unread = None;
        let mut picture = |image: &ShownImage| match picture_data(folder, &pictures, image) {
            Ok(data) => data,
            Err(problem) => {
                unread = Some(problem);
                None
            }
        };
        added = log.add(&chat, &card, &mut picture).map_err(failed);
        if let (Ok(()), Some(problem)) = (&added, unread) {
            added = Err(problem);
        }
    };
    let scored = score::read(folder, again, Some(&mut add), output)?;
    added?;
    let file = log.finish(&scored.report()).map_err(failed)?;
    let draft = file.into_inner().map_err(|error| failed(error.into_error()))?;
    draft.finish().map_err(failed)?;
    output.line(&path.display().to_string());
    Ok(scored.gaps.is_none())
}

/// Prints the record of a run for Every Eval Ever. Whether the run is complete.
pub(super) fn every_eval_ever(
    runs: &[PathBuf],
    again: &RescoreOptions,
    output: &mut Output,
) -> Result<bool, CommandError> {
    let [run] = runs else {
        return Err(CommandError::usage("a record of Every Eval Ever is of one run")
            .help("write one file for each run"));
    };
    let folder = Folder::open(run)?;
    let scored = score::read(&folder, again, None, output)?;
    let parameters = &scored.manifest.parameters;
    let provenance = Provenance {
        ended: scored.manifest.ended.unwrap_or(Timestamp::UNIX_EPOCH),
        organization: "unknown",
        temperature: parameters.temperature,
        top_p: parameters.top_p,
        max_tokens: parameters.max_tokens,
    };
    let text = record(&scored.report(), &provenance)
        .map_err(|error| CommandError::infrastructure(error.to_string()))?;
    output.json(&text);
    Ok(scored.gaps.is_none())
}

fn write_error(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::infrastructure(format!("`{}` cannot be written: {error}", path.display()))
}
