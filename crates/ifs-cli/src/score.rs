//! `ifs score`

use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, sync_channel};

use super::Format;
use super::by::{DialogueGroups, ReportBy};
use super::exit::{CommandError, Exit};
use super::extraction::ExtractorArgs;
use super::judges::JudgeArgs;
use super::judging::{self, VerdictsByDialogue};
use super::output::Output;
use super::recorded;
use super::requests::RequestArgs;
use super::sets::key_of_run;
use super::under;
use ifs_base::parallel::{in_order, workers};
use ifs_inference::RequestRole;
use ifs_inference::panel::Judging;
use ifs_judge::AggregationRule;
use ifs_plan::Plan;
use ifs_predicate::print::print;
use ifs_report::chat::Browser;
use ifs_report::{self as report, Origin, Report, ShownPicture};
use ifs_run::{
    Folder, Gaps, GradedDialogue, JudgingManifest, Redaction, Regrader, RunManifest, Transcript,
    graded, scored,
};
use ifs_score::{Dialogues, ScoreOptions, Scorecard, ScoredDialogue, score_all};

/// Score a recorded run again.
///
/// Checks every rule again on the recorded responses and keeps the recorded verdicts of
/// judges; no request is sent. `--judge` sends the recorded responses to judges, `--coder`
/// and `--extractor` extract their parts again; the model under test gets no request in
/// either case. Without `--judge`, recorded verdicts stay, except on parts that were
/// extracted again. New verdicts are saved in the run's folder `judgings`, by judges and
/// options. The same command resumes a judging that was interrupted, and requests nothing
/// twice.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs score runs/evolif-sim-forgetful-seed1
  ifs score runs/evolif-sim-forgetful-seed1 --patience 1 --format json
  ifs score runs/evolif-sim-forgetful-seed1 --by style.register
  ifs score runs/gpt-4o --judge anthropic/claude-sonnet-4-5 --dry-run
  ifs score runs/gpt-4o --judge anthropic/claude-sonnet-4-5 --judge google/gemini-2.5-pro
  ifs score runs/gpt-4o --coder openai/gpt-4.1       extract parts again
  ifs score runs/gpt-4o --under scenarios/desk     by the current definition
  ifs score runs/gpt-4o --judge-rule consensus      aggregate the recorded votes again")]
pub(crate) struct Args {
    /// The folder of a run
    run: PathBuf,
    /// Replay a shorter patience than the run's
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    patience: Option<u32>,
    /// Use a judging of the run instead of its own verdicts, by its name under `judgings`
    #[arg(long, value_name = "NAME", conflicts_with_all = ["judges", "coder", "extractor", "extract_all"])]
    judging: Option<String>,
    /// Grade the recorded responses under another definition: a path or REVISION:PATH.
    /// Dialogues in which a model would have got other messages are left out
    #[arg(long, value_name = "SIDE", conflicts_with_all = ["judges", "coder", "extractor", "extract_all"])]
    under: Option<String>,
    /// The folder of the run's hidden set, with `--judge`: its ledger records that it is sent again
    #[arg(long, value_name = "FOLDER")]
    set: Option<PathBuf>,
    /// The secret of a hidden set, with `--under`
    #[arg(long, value_name = "FILE", requires = "under")]
    secret: Option<PathBuf>,
    /// Score groups separately: by `synthesizer`, `style`, `topic`, or a field as in
    /// `style.register`
    #[arg(long, value_name = "NAME")]
    by: Option<ReportBy>,
    /// Estimate the cost without sending a request
    #[arg(long)]
    dry_run: bool,
    /// Exit with status 0 even if the run is not complete
    #[arg(long)]
    allow_incomplete: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    judges: JudgeArgs,
    #[command(flatten)]
    extractors: ExtractorArgs,
    #[command(flatten)]
    requests: RequestArgs,
}

pub(crate) fn run(mut args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    args.requests.dry_run = args.dry_run;
    let folder = Folder::open(&args.run)?;
    folder.remove_drafts();
    let rule = args.judges.judge_rule.map(|rule| rule.rule());
    let (judging, by) = (args.judging.clone(), args.by.clone());
    let under = args.under.clone();
    let secret = args.secret.clone();
    let redaction = Redaction::default();
    let again =
        RescoreOptions { patience: args.patience, rule, judging, by, under, secret, redaction };
    if args.judges.judges.is_empty() && args.extractors.is_empty() {
        if args.dry_run {
            return Err(CommandError::usage("no judge, coder or extractor was named")
                .help("`--dry-run` requires `--judge`, `--coder` or `--extractor`"));
        }
        return score_folder(&folder, &again, args.format, output)
            .map(|gaps| exit_of(&gaps, args.allow_incomplete));
    }
    let job = judging::JudgedRun {
        folder: &folder,
        set: args.set.as_deref(),
        judges: &args.judges,
        extractors: &args.extractors,
        requests: &args.requests,
    };
    if args.dry_run {
        return judging::estimate(&job, output);
    }
    let (exit, judging) = judging::ask(&job, output)?;
    let again = RescoreOptions { judging: Some(judging), ..again };
    let gaps = score_folder(&folder, &again, args.format, output)?;
    Ok(match exit {
        Exit::Good => exit_of(&gaps, args.allow_incomplete),
        other => other,
    })
}

/// The exit status of a command whose run has gaps.
pub(crate) fn exit_of(gaps: &Gaps, allowed: bool) -> Exit {
    if gaps.is_none() || allowed { Exit::Good } else { Exit::Failed }
}

/// The settings for scoring a run again.
#[derive(Clone, Debug, Default)]
pub(crate) struct RescoreOptions {
    pub patience: Option<u32>,
    /// The rule for aggregating votes; the recorded one by default.
    pub rule: Option<AggregationRule>,
    /// The verdicts of this judging.
    pub judging: Option<String>,
    /// The definition to grade under, in place of the run's own.
    pub under: Option<String>,
    /// The secret of a hidden set, which is drawn again under the other definition.
    pub secret: Option<PathBuf>,
    /// The groups for separate scores, in place of the dialogue's `report`.
    pub by: Option<ReportBy>,
    /// What is left out of transcripts and reasons.
    pub redaction: Redaction,
}

impl RescoreOptions {
    /// Whether the scores are those of `scores.json`.
    fn is_plain(&self) -> bool {
        self.patience.is_none() && self.rule.is_none() && self.by.is_none() && self.under.is_none()
    }
}

/// A run with its scores.
pub(crate) struct ScoredRun {
    pub manifest: RunManifest,
    pub docs: std::collections::BTreeMap<String, String>,
    /// The metrics of the dialogue's `report`.
    pub metrics: Vec<String>,
    /// What slices are by.
    pub by: Option<String>,
    /// The names of the scenario's splits.
    pub splits: Vec<String>,
    pub scorecard: Scorecard,
    /// The gaps of the run.
    pub gaps: Gaps,
    /// Pictures of the first dialogues, if a report shows them.
    pub exhibits: Vec<ShownPicture>,
    /// The plan as a picture, if a report shows it.
    pub picture: Option<String>,
    /// The dialogues as chats, if a report shows them.
    pub browser: Option<Browser>,
    /// What is left out: `prompts`, `responses`.
    pub redacted: Vec<&'static str>,
}

impl ScoredRun {
    fn new(
        manifest: RunManifest,
        plan: &Plan,
        (dialogues, gaps): (Dialogues, Gaps),
        again: &RescoreOptions,
    ) -> ScoredRun {
        let scorecard = score_all(
            dialogues,
            &ScoreOptions {
                patience: again.patience,
                distinct: manifest.distinct,
                metrics: plan
                    .dialogue(&manifest.dialogue)
                    .map_or_else(Vec::new, |dialogue| dialogue.table.own_metrics.clone()),
            },
        );
        let metrics = plan
            .dialogue(&manifest.dialogue)
            .map_or_else(Vec::new, |dialogue| dialogue.table.metrics.clone());
        let written = plan.dialogue(&manifest.dialogue).and_then(|dialogue| {
            let turns = dialogue.table.written_turns(&plan.model.flows);
            let of_turns = turns.into_iter().find_map(|turn| turn.slice.as_ref());
            dialogue.table.slice.as_ref().or(of_turns).map(print)
        });
        ScoredRun {
            manifest,
            docs: plan.model.docs.clone(),
            metrics,
            by: again.by.as_ref().map(ReportBy::name).or(written),
            splits: plan.model.splits.clone(),
            scorecard,
            gaps,
            exhibits: Vec::new(),
            picture: None,
            browser: None,
            redacted: again.redaction.names(),
        }
    }

    pub fn report(&self) -> Report<'_> {
        Report {
            title: match self.manifest.benchmark.as_str() {
                "" => &self.manifest.dialogue,
                benchmark => benchmark,
            },
            benchmark_version: &self.manifest.benchmark_version,
            variant: self.manifest.variant.as_deref(),
            splits: &self.splits,
            plan_hash: &self.manifest.plan_hash,
            origin: Origin {
                ifs_version: &self.manifest.ifs_version,
                edition: self.manifest.edition,
                revision: self.manifest.revision.as_deref(),
                dirty: self.manifest.dirty,
            },
            seed: self.manifest.seed,
            set: self.manifest.set.as_ref(),
            available: self.manifest.available,
            model: &self.manifest.model,
            simulated: self.manifest.simulated_model,
            served: &self.manifest.served,
            replayed: self.manifest.replayed.as_ref(),
            spending: &self.manifest.spending,
            times: [self.manifest.started, self.manifest.ended],
            about: &self.manifest.about,
            judging: self.manifest.judging.as_ref(),
            metrics: &self.metrics,
            by: self.by.as_deref(),
            scorecard: &self.scorecard,
            gaps: &self.gaps,
            exhibits: &self.exhibits,
            picture: self.picture.as_deref(),
            docs: &self.docs,
            browser: self.browser.as_ref(),
            redacted: &self.redacted,
        }
    }
}

/// The dialogues of a run.
pub(crate) struct RunDialogues {
    pub manifest: RunManifest,
    pub plan: Plan,
    pub dialogues: Dialogues,
    pub gaps: Gaps,
}

/// What a caller does with each transcript and its verdicts.
pub(crate) type TranscriptVisitor<'l> = &'l mut dyn FnMut(&Transcript, GradedDialogue);

pub(crate) fn read(
    folder: &Folder,
    again: &RescoreOptions,
    look: Option<TranscriptVisitor<'_>>,
    output: &mut Output,
) -> Result<ScoredRun, CommandError> {
    let RunDialogues { manifest, plan, dialogues, gaps } = dialogues(folder, again, look, output)?;
    Ok(ScoredRun::new(manifest, &plan, (dialogues, gaps), again))
}

/// A run, and the verdicts that are read for it.
pub(crate) struct RunReader<'f> {
    folder: &'f Folder,
    pub manifest: RunManifest,
    pub plan: Plan,
    judged: Option<(JudgingManifest, VerdictsByDialogue)>,
}

impl<'f> RunReader<'f> {
    pub fn open(folder: &'f Folder, again: &RescoreOptions) -> Result<RunReader<'f>, CommandError> {
        let mut manifest = folder.manifest()?;
        let plan = recorded::plan(folder, &manifest)?;
        if again.rule.is_some() && manifest.leaves_prompts_out() {
            return Err(super::sets::prompts_needed(folder.path(), "`--judge-rule`"));
        }
        let judged = again.judging.as_ref().map(|name| judging::read(folder, name)).transpose()?;
        if let Some((judging, _)) = &judged {
            let Judging { rule, .. } = judging.judging;
            manifest.simulated_judge = judging.judging.has_simulated();
            manifest.judging = Some(Judging { rule, ..judging.judging.clone() });
            // Who judged the run, and what that took, is another matter.
            manifest.spending.retain(|one| one.role == RequestRole::Model);
            manifest.spending.extend(judging.spending.iter().cloned());
        }
        if let (Some(rule), Some(judging)) = (again.rule, &mut manifest.judging) {
            judging.rule = rule;
        }
        Ok(RunReader { folder, manifest, plan, judged })
    }

    /// Gives every transcript, with the verdicts of the judging if there is one.
    pub fn each_transcript(&self, mut give: impl FnMut(Transcript)) -> Result<Gaps, CommandError> {
        let mut unjudged = self.judged.as_ref().map_or(0, |(judging, _)| judging.failed);
        let gaps = self.folder.each_transcript(&self.manifest, |mut transcript| {
            if let Some((_, judged)) = &self.judged {
                match judged.get(&(transcript.dialogue.clone(), transcript.index)) {
                    Some(found) => found.put_into(&mut transcript),
                    None => unjudged += transcript.turns.len() as u64,
                }
            }
            give(transcript);
        })?;
        Ok(Gaps { unjudged, ..gaps })
    }
}

/// Reads the dialogues of a run with their outcomes.
pub(crate) fn dialogues(
    folder: &Folder,
    again: &RescoreOptions,
    mut look: Option<TranscriptVisitor<'_>>,
    output: &mut Output,
) -> Result<RunDialogues, CommandError> {
    let reader = RunReader::open(folder, again)?;
    let (manifest, plan) = (&reader.manifest, &reader.plan);
    let parts =
        again.by.as_ref().map(|by| DialogueGroups::new(by, folder, manifest, plan)).transpose()?;
    let other = match &again.under {
        Some(side) => Some(under::plan(side, folder.path(), manifest, output)?),
        None => None,
    };
    let key = match &other {
        Some(_) => key_of_run(again.secret.as_deref(), manifest, folder.path())?,
        None => None,
    };
    let graded_by = other.as_ref().unwrap_or(plan);
    // Other verdicts may end a dialogue elsewhere. Without prompts its turns cannot be drawn again.
    let is_regraded = other.is_some()
        || (again.judging.is_some() || again.rule.is_some()) && !manifest.leaves_prompts_out();
    let regrader = is_regraded.then(|| Regrader::new(plan, graded_by, manifest, key, again.rule));
    let mut under = regrader.transpose()?;
    let with_verdicts = look.is_some();
    // Rules are evaluated on several threads while further dialogues are read.
    let work = |transcripts: Vec<Transcript>| {
        let graded = |transcript: Transcript| {
            let part = parts.as_ref().map(|parts| parts.group_of(&transcript));
            let graded = match with_verdicts {
                true => graded(graded_by, &transcript, again.rule),
                false => GradedDialogue {
                    scored: scored(graded_by, &transcript, again.rule),
                    verdicts: Vec::new(),
                },
            };
            (transcript, part, graded)
        };
        transcripts.into_iter().map(graded).collect::<Vec<_>>()
    };
    let mut dialogues = Dialogues::default();
    let write = |batch: Vec<(Transcript, Option<Result<_, CommandError>>, GradedDialogue)>| {
        for (mut transcript, part, mut graded) in batch {
            let mut dialogue = match &mut look {
                Some(look) => {
                    let dialogue = graded.scored.clone();
                    again.redaction.apply(&mut transcript, &mut graded);
                    look(&transcript, graded);
                    dialogue
                }
                None => graded.scored,
            };
            if let Some(part) = part {
                dialogue.slice = part?;
                dialogue.turns.iter_mut().for_each(|turn| turn.slice = None);
            }
            again.redaction.scores(&mut dialogue);
            dialogues.push(dialogue);
        }
        Ok(())
    };
    let gaps = std::thread::scope(|scope| {
        let (give, take) = sync_channel(1);
        let (reader, under) = (&reader, &mut under);
        let reading = scope.spawn(move || read_batches(reader, under.as_mut(), &give));
        let written = in_order(workers(), move || Ok(take.recv().ok()), work, write);
        let gaps = reading.join().unwrap_or_else(|panic| resume_unwind(panic));
        written.and(gaps)
    })?;
    if let Some(warning) = gaps.warning() {
        output.warn(&format!("`{}`: {warning}", folder.path().display()));
    }
    if let Some(under) = &under {
        under::warn(under, dialogues.len() as u64, output);
    }
    drop(under);
    let RunReader { mut manifest, plan, .. } = reader;
    let plan = match other {
        Some(other) => {
            manifest.plan_hash = other.hash();
            manifest.benchmark_version = other.model.benchmark.version.clone();
            other
        }
        None => plan,
    };
    Ok(RunDialogues { manifest, plan, dialogues, gaps })
}

/// Passes on the transcripts of a run, some at a time, graded by another definition if there is one.
fn read_batches(
    reader: &RunReader<'_>,
    mut under: Option<&mut Regrader<'_>>,
    give: &SyncSender<Vec<Transcript>>,
) -> Result<Gaps, CommandError> {
    const BATCH_DIALOGUES: usize = 16;

    let mut failed = None;
    let mut batch = Vec::with_capacity(BATCH_DIALOGUES);
    let gaps = reader.each_transcript(|transcript| {
        let transcript = match &mut under {
            None => transcript,
            Some(under) => match under.grade(transcript) {
                Ok(Some(graded)) => graded,
                Ok(None) => return,
                Err(error) => {
                    failed.get_or_insert(CommandError::from(error));
                    return;
                }
            },
        };
        batch.push(transcript);
        if batch.len() == BATCH_DIALOGUES {
            // Without a receiver, the error that ended the work is reported.
            let _ = give.send(std::mem::take(&mut batch));
        }
    })?;
    let _ = give.send(batch);
    failed.map_or(Ok(gaps), Err)
}

/// Scores a run; without other settings, the scores are written to the folder.
pub(crate) fn score_folder(
    folder: &Folder,
    again: &RescoreOptions,
    format: Format,
    output: &mut Output,
) -> Result<Gaps, CommandError> {
    let scored = read(folder, again, None, output)?;
    show(folder, &scored, again, Some(format), output)?;
    Ok(scored.gaps)
}

/// Scores a run that just ended.
pub(crate) fn score_held(
    folder: &Folder,
    manifest: &RunManifest,
    plan: &Plan,
    dialogues: Vec<ScoredDialogue>,
    format: Option<Format>,
    output: &mut Output,
) -> Result<(), CommandError> {
    let again = RescoreOptions::default();
    let mut gaps = Gaps::declared_by(manifest);
    for dialogue in &dialogues {
        gaps.found(&dialogue.ending, dialogue.turns.is_empty());
    }
    let scored = ScoredRun::new(manifest.clone(), plan, (dialogues.into(), gaps), &again);
    show(folder, &scored, &again, format, output)
}

/// Writes the scores into the folder, and prints them in a format if there is one.
fn show(
    folder: &Folder,
    scored: &ScoredRun,
    again: &RescoreOptions,
    format: Option<Format>,
    output: &mut Output,
) -> Result<(), CommandError> {
    let write = |format| {
        report::write(&scored.report(), format)
            .map_err(|error| CommandError::infrastructure(error.to_string()))
    };
    let json = write(report::Format::Json)?;
    if again.is_plain() {
        match &again.judging {
            None => folder.write("scores.json", &json)?,
            Some(name) => judging::folder(folder, name)?.write("scores.json", &json)?,
        }
    }
    match format {
        None => {}
        Some(Format::Json) => output.json_line(json.trim_end()),
        Some(Format::Text) => {
            let form = report::Format::Terminal { color: output.color(), width: Output::width() };
            output.painted(&write(form)?);
        }
    }
    Ok(())
}
