//! `ifs score RUN --judge`, `--coder`, `--extractor`: judges a recorded run again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::estimate::{self, counted_calls};
use super::exit::{CommandError, Exit};
use super::extraction::{self, ExtractorArgs};
use super::judges::{self, JudgeArgs};
use super::load::counted;
use super::output::Output;
use super::progress::{ProgressLine, summary};
use super::recorded;
use super::requests::{RequestArgs, cancel_on_interrupt, journal};
use super::sets::{ResentPrompts, expose_again};
use ifs_inference::panel::Panel;
use ifs_inference::{Concurrency, PoolEvent, Prices, RequestContext, run_in_pool, spending};
use ifs_plan::Plan;
use ifs_run::{
    DialogueVerdicts, ExtractorEntry, Extractors, Folder, FolderError, Gaps, JudgingManifest,
    Ordered, Readers, RunManifest, SCHEMA, Transcript, judge_again,
};

/// The run to judge, and its judges.
pub(crate) struct JudgedRun<'a> {
    pub folder: &'a Folder,
    /// The folder of the run's hidden set, if it is one of such a set.
    pub set: Option<&'a Path>,
    pub judges: &'a JudgeArgs,
    pub extractors: &'a ExtractorArgs,
    pub requests: &'a RequestArgs,
}

/// The resolved job.
struct Ready {
    manifest: RunManifest,
    plan: Plan,
    transcripts: Vec<Transcript>,
    gaps: Gaps,
    panel: Panel,
    /// The models for extraction.
    named: [Option<ExtractorEntry>; 2],
    extractors: Option<Extractors>,
    prices: Prices,
}

/// The verdicts of a judging by dialogue and index.
pub(crate) type VerdictsByDialogue = BTreeMap<(String, u64), DialogueVerdicts>;

const MANIFEST_FILE: &str = "judging.json";

const VERDICTS_FILE: &str = "verdicts.jsonl";

/// The folder of a run's judgings.
const JUDGINGS_FOLDER: &str = "judgings";

/// The path of a judging of a run.
fn judging_path(run: &Folder, name: &str) -> Result<PathBuf, CommandError> {
    let plain = |letter: char| letter.is_ascii_alphanumeric();
    if name.is_empty() || !name.chars().all(plain) {
        return Err(CommandError::usage(format!("`{name}` is not the name of a judging")));
    }
    Ok(run.file(JUDGINGS_FOLDER).join(name))
}

/// The folder of a judging of a run.
pub(crate) fn folder(run: &Folder, name: &str) -> Result<Folder, CommandError> {
    let path = judging_path(run, name)?;
    for part in [run.file(JUDGINGS_FOLDER), path.clone()] {
        if std::fs::symlink_metadata(&part).is_ok_and(|facts| facts.is_symlink()) {
            return Err(FolderError::Link(part.display().to_string()).into());
        }
    }
    Ok(Folder::new(&path))
}

/// The names of all judgings of a run.
pub(crate) fn judging_names(run: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(run.file(JUDGINGS_FOLDER)).into_iter().flatten().flatten();
    let judged = entries.filter(|entry| entry.path().join(MANIFEST_FILE).is_file());
    let mut names: Vec<String> =
        judged.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

fn read_manifest(folder: &Folder) -> Result<JudgingManifest, FolderError> {
    folder.read_sealed(MANIFEST_FILE, |manifest: &JudgingManifest| manifest.schema >= SCHEMA)
}

/// A judging that was recorded.
pub(crate) fn read(
    run: &Folder,
    name: &str,
) -> Result<(JudgingManifest, VerdictsByDialogue), CommandError> {
    if !judging_names(run).iter().any(|known| known == name) {
        let names = judging_names(run).join(", ");
        let problem = CommandError::input(format!("the run has no judging `{name}`"));
        return Err(match names.as_str() {
            "" => problem.help("`ifs score RUN --judge MODEL` makes one"),
            names => problem.help(format!("its judgings are {names}")),
        });
    }
    let folder = folder(run, name)?;
    let damaged = |file: &str, why: String| {
        CommandError::from(FolderError::Damaged {
            path: folder.file(file).display().to_string(),
            why,
        })
    };
    let manifest = read_manifest(&folder)?;
    let of_run = run.manifest()?;
    if manifest.run != of_run.identity() {
        return Err(damaged(MANIFEST_FILE, "it belongs to another run".to_owned()));
    }
    if manifest.transcripts != of_run.transcripts {
        return Err(CommandError::input(format!(
            "the judging `{name}` is of other transcripts than the run's current ones"
        ))
        .help(
            "the run continued after it: judge it again with the same `ifs score RUN --judge …`",
        ));
    }
    let mut verdicts = VerdictsByDialogue::new();
    let text = match folder.read(VERDICTS_FILE) {
        // The judging was stopped before its first verdict.
        Err(FolderError::Io { error, .. })
            if error.kind() == std::io::ErrorKind::NotFound && manifest.verdicts.is_none() =>
        {
            String::new()
        }
        other => other?,
    };
    let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
    if manifest.verdicts.as_ref().is_some_and(|wanted| *wanted != hash) {
        let why = format!("its hash is not the one in {MANIFEST_FILE}");
        return Err(damaged(VERDICTS_FILE, why).help("judge the run again with the same command"));
    }
    for (at, line) in text.lines().enumerate() {
        let judged: DialogueVerdicts = serde_json::from_str(line)
            .map_err(|error| damaged(VERDICTS_FILE, format!("line {}: {error}", at + 1)))?;
        verdicts.insert((judged.dialogue.clone(), judged.index), judged);
    }
    Ok((manifest, verdicts))
}

fn resolve(job: &JudgedRun<'_>, output: &mut Output) -> Result<Ready, CommandError> {
    let manifest = job.folder.manifest()?;
    if manifest.leaves_prompts_out() {
        return Err(super::sets::prompts_needed(job.folder.path(), "judging a run again"));
    }
    let mut plan = recorded::plan(job.folder, &manifest)?;
    let prices = job.requests.prices()?;
    let panel =
        job.judges.panel(&manifest.model, manifest.simulated_model, job.requests, &prices)?;
    if panel.makes_calls() && !panel.judging.without_pictures {
        job.folder.read_pictures(&mut plan.model.pictures)?;
    }
    judges::warn(&panel.judging, &manifest.model, output);
    let named = job.extractors.resolve_models(job.requests)?;
    let dialogue = plan.dialogue(&manifest.dialogue).map(|dialogue| dialogue.table);
    let extractors = match dialogue {
        Some(dialogue) => {
            let [coder, extractor] = &named;
            extraction::extractors(
                [coder.as_ref(), extractor.as_ref()],
                dialogue,
                job.requests,
                &prices,
            )?
        }
        None => None,
    };
    let mut transcripts = Vec::new();
    let gaps = job.folder.each_transcript(&manifest, |transcript| transcripts.push(transcript))?;
    Ok(Ready { manifest, plan, transcripts, gaps, panel, named, extractors, prices })
}

/// Prints the estimated cost of the judging.
pub(crate) fn estimate(job: &JudgedRun<'_>, output: &mut Output) -> Result<Exit, CommandError> {
    let Ready { manifest, plan, transcripts, gaps, panel, prices, extractors, .. } =
        resolve(job, output)?;
    if let Some(warning) = gaps.warning() {
        output.line(&format!("! {warning}"));
    }
    output.line(&format!("{} to judge", counted(transcripts.len(), "dialogue")));
    let mut all = estimate::Total::default();
    if let Some(extractors) = &extractors {
        estimate::report_extractors(extractors, &transcripts, &prices, &mut all, output);
    }
    let system = manifest.parameters.system.as_deref();
    let calls = counted_calls(&panel, &plan, &judges::prompts(&plan)?, &transcripts, system)?;
    estimate::report_judges(&panel, &calls, &prices, &mut all, output);
    all.report(job.requests.allowance(), output);
    output.line(estimate::JUDGES_NOTE);
    Ok(Exit::Good)
}

const RESTORE_HELP: &str =
    "restore it from a copy, or remove the folder of the judging and pay again";

/// Sends the requests; returns how that ended, and the name of the judging.
pub(crate) fn ask(
    job: &JudgedRun<'_>,
    output: &mut Output,
) -> Result<(Exit, String), CommandError> {
    let Ready { manifest, plan, transcripts, panel, named, extractors, prices, .. } =
        resolve(job, output)?;
    let [coder, extractor] = &named;
    let name = JudgingManifest::name(&panel.judging, [coder.as_ref(), extractor.as_ref()]);
    let makes_calls = panel.makes_calls() || extractors.is_some();
    let folder = job.folder.within(&[JUDGINGS_FOLDER, &name])?;
    let run = manifest.identity();
    let (kept, spent) = if makes_calls {
        let judges = panel.judging.judges.iter().map(|judge| judge.model.clone());
        let judges = judges.chain(named.iter().flatten().map(|one| one.model.clone())).collect();
        let sent = ResentPrompts { model: None, judges, dialogues: transcripts.len() as u64 };
        expose_again(job.set, &manifest, job.folder.path(), sent)?;
        let identity = format!("{run}-{name}");
        let path = folder.file("journal");
        let (kept, spent) = journal(&path, &identity, &prices, Some(RESTORE_HELP), output)?;
        let before = match folder.file(MANIFEST_FILE).exists() {
            true => Some(read_manifest(&folder)?),
            false => None,
        };
        let before = before.map_or(0, |before| before.spent.calls);
        if before > spent.calls {
            let lost = usize::try_from(before - spent.calls).unwrap_or(usize::MAX);
            return Err(CommandError::input(format!(
                "`{}` has lost {} of the {before} that {MANIFEST_FILE} says were paid for",
                path.display(),
                counted(lost, "answer"),
            ))
            .help(RESTORE_HELP));
        }
        (Some(kept), spent)
    } else {
        (None, Default::default())
    };
    let cancel = cancel_on_interrupt();
    let context = job.requests.context(kept, spent, cancel)?;
    let mut written = JudgingManifest {
        schema: SCHEMA,
        ifs_version: env!("CARGO_PKG_VERSION").to_owned(),
        run,
        judging: panel.judging.clone(),
        coder: coder.clone(),
        extractor: extractor.clone(),
        complete: false,
        transcripts: manifest.transcripts.clone(),
        verdicts: None,
        failed: 0,
        spent,
        spending: Vec::new(),
    };
    folder.write_sealed(MANIFEST_FILE, &written)?;
    let prompts = judges::prompts(&plan)?;
    let readers = Readers {
        panel: &panel,
        plan: &plan,
        prompts: &prompts,
        system: manifest.parameters.system.as_deref(),
        extractors: extractors.as_ref(),
    };
    let work = JudgingJob { readers: &readers, transcripts: &transcripts };
    let at_once = if makes_calls { job.requests.concurrent_dialogues() } else { 1 };
    let (done, failed, hash) = work.all(&context, at_once, &folder, output)?;
    written.failed = failed;
    written.verdicts = Some(hash);
    written.complete = failed == 0 && done == transcripts.len();
    written.spent = context.budget.spent();
    if makes_calls {
        written.spending = spending(&folder.file("journal"), |model| prices.for_model(model))
            .map_err(|error| CommandError::infrastructure(format!("the journal: {error}")))?;
    }
    folder.write_sealed(MANIFEST_FILE, &written)?;
    if makes_calls {
        output.note(&summary(&context, &prices.day()));
    }
    output.note(&format!("the judging is in {}", folder.path().display()));
    if failed > 0 {
        output.note(&format!(
            "{} not judged because a request to a judge failed: an infrastructure error, which no response is scored for",
            match failed {
                1 => "1 answer was".to_owned(),
                more => format!("{more} answers were"),
            }
        ));
    }
    if !written.complete {
        output.note("run the same command again to resume");
    }
    if let Some(why) = context.ended.get() {
        return Err(CommandError::infrastructure(why.to_string())
            .help("run the same command again to resume"));
    }
    let exit = match () {
        () if cancel.is_cancelled() => Exit::Interrupted,
        () if failed > 0 => Exit::Infrastructure,
        () => Exit::Good,
    };
    Ok((exit, name))
}

struct JudgingJob<'a> {
    readers: &'a Readers<'a>,
    transcripts: &'a [Transcript],
}

impl JudgingJob<'_> {
    /// The number of dialogues that were judged, the number of responses for which a request
    /// failed, and the hash of the verdicts.
    fn all(
        &self,
        context: &RequestContext<'_>,
        at_once: usize,
        folder: &Folder,
        output: &mut Output,
    ) -> Result<(usize, u64, String), CommandError> {
        let io = |error: std::io::Error| {
            CommandError::infrastructure(format!("`{}`: {error}", folder.path().display()))
        };
        let JudgingJob { readers, transcripts } = *self;
        let mut ordered = Ordered::create(folder.path(), VERDICTS_FILE).map_err(io)?;
        let mut progress = ProgressLine::new(transcripts.len());
        let (mut done, mut failed) = (0, 0);
        let concurrency = Concurrency { threads: 1, at_once };
        let judge = async |client: &ifs_inference::Client<'_>, at: usize| {
            judge_again(client, readers, &transcripts[at]).await
        };
        let outcome = run_in_pool(context, transcripts.len(), concurrency, judge, |news| {
            if let PoolEvent::Done(at, judged) = news {
                done += 1;
                failed += judged.failed;
                ordered
                    .write(at, &serde_json::to_string(&judged).map_err(std::io::Error::from)?)?;
                progress.finish_line();
            }
            progress.show(context, output);
            Ok::<(), std::io::Error>(())
        });
        output.progress("");
        let verdicts = outcome.and_then(|()| ordered.finish()).map_err(io)?;
        let hash = verdicts.hash.clone();
        verdicts.settle().map_err(io)?;
        Ok((done, failed, hash))
    }
}
