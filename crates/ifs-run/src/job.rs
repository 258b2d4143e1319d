//! A run from its settings to its folder: the selection of dialogues, the journal to resume from,
//! and the outcome. The command line and the library both use it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::folder::{Folder, FolderError, UTTERANCES};
use super::manifest::{ReplayedEntry, RunManifest, SCHEMA};
use super::pool::{FinishedDialogue, run_all};
use super::select::{once, select, select_distinct};
use super::selection::Selection;
use super::shard::Shard;
use super::{Extractors, Ordered, OrderedFile, Repeat, RunContext, Sample, TranscriptTurn};
use crate::curated_set::SetError;
use crate::utterances::UtteranceSet;
use ifs_draw::{DrawError, Drawer, Seed};
use ifs_inference::panel::Panel;
use ifs_inference::provider::{CallFailure, Parameters};
use ifs_inference::{
    BatchRecord, Caller, Concurrency, Journal, JournalError, PoolEvent, Prices, RequestContext,
    Spent, spending,
};
use ifs_judge::JudgePrompts;
use ifs_model::table::{Dialogue, Release};
use ifs_parts::template::TemplateFault;
use ifs_plan::Plan;
use ifs_score::{Ending, NoText, ScoredDialogue};
use jiff::Timestamp;

/// The default number of dialogues, and of turns of each.
const DEFAULT_DIALOGUES: u64 = 20;
const MAX_TURNS: u32 = 1000;

pub(super) const JOURNAL: &str = "journal";

/// The transcripts of a run.
const TRANSCRIPTS: [&str; 2] = ["transcripts.jsonl", "transcripts.jsonl.part"];

/// Why a run cannot start or continue.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    #[error(transparent)]
    Draw(#[from] DrawError),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Set(#[from] SetError),
    #[error("the template `{name}`, line {}: {fault}", fault.line)]
    Template { name: String, fault: TemplateFault },
    #[error("`{folder}` has no journal, and {paid}", paid = paid(*.calls))]
    NoJournal { folder: String, calls: u64 },
    #[error("`{path}` has lost {} before its last one", counted(*.lost, "record"))]
    LostRecords { path: String, lost: u64 },
    #[error("`{path}` has lost {} of the {of} that {says}", counted(*.lost, "answer"))]
    LostAnswers { path: String, lost: u64, of: u64, says: &'static str },
    /// A file of the run could not be written, or a thread could not be started.
    #[error("`{folder}`: {error}")]
    Io { folder: String, error: std::io::Error },
    #[error(transparent)]
    Infrastructure(#[from] std::io::Error),
    /// The run stopped early.
    #[error("{0}")]
    Ended(CallFailure),
    #[error("no free folder under `{0}`")]
    NoFolder(String),
    #[error("the run has {has} {what}, and {wanted} are fewer")]
    Fewer { has: u64, what: &'static str, wanted: u64 },
    #[error("the run has the {has} dialogues of a set, and {wanted} are more")]
    MoreThanSet { has: u64, wanted: u64 },
    #[error("the first {has} of {wanted} dialogues are not those of the run")]
    OtherSelection { has: u64, wanted: u64 },
}

fn paid(calls: u64) -> String {
    match calls {
        0 => "calls were made for it already".to_owned(),
        calls => format!("{} were paid for it already", counted(calls, "call")),
    }
}

fn counted(count: u64, word: &str) -> String {
    match count {
        1 => format!("1 {word}"),
        count => format!("{count} {word}s"),
    }
}

/// The release that a dialogue belongs to.
pub fn release_of<'p>(plan: &'p Plan, dialogue: &str) -> Option<&'p Release> {
    plan.model.releases.iter().find(|release| release.counts.iter().any(|(_, of)| of == dialogue))
}

/// The requested dialogues; settings may be left open.
#[derive(Clone, Copy, Debug, Default)]
pub struct DialogueOptions<'a> {
    pub seed: Option<u64>,
    pub count: Option<u64>,
    pub max_turns: Option<u32>,
    pub utterances: Option<&'a UtteranceSet>,
}

/// The selected dialogues.
#[derive(Clone, Debug)]
pub struct SelectedDialogues {
    pub seed: Seed,
    pub count: u64,
    pub max_turns: u32,
    /// Whether repeats of a text are skipped.
    pub distinct: bool,
    /// The part of the dialogues that is run, if it is not all of them.
    pub shard: Option<Shard>,
    pub selection: Selection,
    /// How many dialogues there are to run, if that is known.
    pub available: Option<u64>,
}

impl DialogueOptions<'_> {
    /// Settings that are left open come from the utterance set, or from the release. Without either
    /// all records that a dialogue goes over are run.
    ///
    /// # Errors
    /// Returns an error of the scenario that prevents drawing a dialogue.
    pub fn choose(self, drawer: &Drawer<'_>) -> Result<SelectedDialogues, DrawError> {
        let name = drawer.dialogue().table.name.as_str();
        let set = self.utterances.map(|set| &set.made);
        let release = release_of(drawer.plan(), name);
        let of_release = release.and_then(|release| release.seed);
        let seed = self.seed.or(set.map(|set| set.seed)).or(of_release).unwrap_or(1);
        let available = set.map(|set| set.dialogues).or(available(drawer));
        let count = self.count.or(available).unwrap_or(DEFAULT_DIALOGUES);
        let max_turns = self.max_turns.or(set.map(|set| set.turns)).unwrap_or(MAX_TURNS);
        // Messages that models wrote differ even if they say the same.
        let distinct = set.is_none();
        let chosen =
            SelectedDialogues::select_again(drawer, Seed(seed), count, max_turns, distinct)?;
        // Without a number all are run: `keep` rejected what is missing, or it repeats others.
        let available = match self.count {
            Some(_) => available,
            None => Some(chosen.selection.dialogues.len() as u64),
        };
        Ok(SelectedDialogues { available, ..chosen })
    }
}

/// How many dialogues a definition has, if it says so: those of its release, or one for each record
/// that the dialogue goes over.
pub fn available(drawer: &Drawer<'_>) -> Option<u64> {
    let name = drawer.dialogue().table.name.as_str();
    let of_release = release_of(drawer.plan(), name).and_then(|release| release.count(name));
    of_release.or(drawer.records())
}

impl SelectedDialogues {
    /// Selects the dialogues of an existing run again.
    ///
    /// # Errors
    /// Returns an error of the scenario that prevents drawing a dialogue.
    pub fn of_run(
        drawer: &Drawer<'_>,
        manifest: &RunManifest,
    ) -> Result<SelectedDialogues, DrawError> {
        let RunManifest { seed, count, max_turns, distinct, shard, .. } = *manifest;
        let chosen =
            SelectedDialogues::select_again(drawer, Seed(seed), count, max_turns, distinct)?;
        Ok(match shard {
            Some(shard) => chosen.shard(shard),
            None => chosen,
        })
    }

    /// Selects more dialogues for an existing run, after those that it has.
    ///
    /// # Errors
    /// Returns an error for fewer dialogues, for more than the set of the run has, and if what a
    /// release declares (`cover`, `quota`) would replace dialogues that were run.
    pub fn raised(
        drawer: &Drawer<'_>,
        manifest: &mut RunManifest,
        wanted: u64,
    ) -> Result<SelectedDialogues, JobError> {
        let has = manifest.count;
        match wanted {
            _ if wanted < has => return Err(JobError::Fewer { has, what: "dialogues", wanted }),
            _ if wanted > has && (manifest.set.is_some() || manifest.utterances.is_some()) => {
                return Err(JobError::MoreThanSet { has, wanted });
            }
            _ => {}
        }
        let before = SelectedDialogues::of_run(drawer, manifest)?;
        manifest.count = wanted;
        let chosen = SelectedDialogues::of_run(drawer, manifest)?;
        if !chosen.selection.dialogues.starts_with(&before.selection.dialogues) {
            return Err(JobError::OtherSelection { has, wanted });
        }
        manifest.describe(&chosen);
        Ok(chosen)
    }

    fn select_again(
        drawer: &Drawer<'_>,
        seed: Seed,
        count: u64,
        max_turns: u32,
        distinct: bool,
    ) -> Result<SelectedDialogues, DrawError> {
        let release = release_of(drawer.plan(), &drawer.dialogue().table.name);
        let selection = match distinct {
            true => select_distinct(drawer, release, seed, count, max_turns)?,
            false => select(drawer, release, seed, count)?,
        };
        // Records may have the same text.
        let distinct = distinct && once(drawer, release).is_none();
        let available = None;
        Ok(SelectedDialogues {
            seed,
            count,
            max_turns,
            distinct,
            shard: None,
            selection,
            available,
        })
    }

    /// Keeps one part of the dialogues.
    #[must_use]
    pub fn shard(mut self, shard: Shard) -> SelectedDialogues {
        shard.select(&mut self.selection);
        self.shard = Some(shard);
        self
    }
}

/// A run before it starts or resumes.
pub struct Job<'a> {
    pub drawer: &'a Drawer<'a>,
    pub selection: &'a Selection,
    pub folder: &'a Folder,
    pub manifest: RunManifest,
    pub tested: Caller,
    pub panel: Panel,
    pub extractors: Option<Extractors>,
    pub utterances: Option<UtteranceSet>,
}

/// The journal to resume from; `None` if everything is simulated.
#[derive(Default)]
pub struct JobJournal {
    pub journal: Option<Journal>,
    /// The cost of the journal's requests.
    pub spent: Spent,
    /// A partial last record: its size, and the file that it was moved to.
    pub torn: Option<(u64, PathBuf)>,
    /// Batches of earlier sessions.
    pub batches: Vec<BatchRecord>,
}

/// Events while dialogues run.
pub enum JobEvent<'e> {
    /// A dialogue has ended; `None` if it was interrupted.
    Over(Option<&'e Ending>),
    /// Nothing new happened; progress displays show that time passes.
    Tick,
}

/// The outcome of a run.
pub struct JobOutcome {
    pub manifest: RunManifest,
    /// The scored dialogues, in the order of the selection.
    pub scored: Vec<ScoredDialogue>,
}

impl RunManifest {
    /// The manifest of a new run of a plan. The caller fills in the models.
    pub fn new(
        plan: &Plan,
        dialogue: &str,
        variant: Option<&str>,
        chosen: &SelectedDialogues,
    ) -> RunManifest {
        let mut manifest = RunManifest {
            schema: SCHEMA,
            ifs_version: env!("CARGO_PKG_VERSION").to_owned(),
            edition: plan.model.edition,
            benchmark: plan.model.benchmark.name.clone(),
            benchmark_version: plan.model.benchmark.version.clone(),
            about: plan.model.benchmark.fields.clone(),
            plan_hash: plan.hash(),
            dialogue: dialogue.to_owned(),
            variant: variant.map(str::to_owned),
            seed: chosen.seed.0,
            count: chosen.count,
            shard: chosen.shard,
            max_turns: chosen.max_turns,
            available: chosen.available,
            ..RunManifest::default()
        };
        manifest.describe(chosen);
        manifest
    }

    /// Fills in what is known about the selected dialogues.
    fn describe(&mut self, chosen: &SelectedDialogues) {
        self.dialogues = chosen.selection.dialogues.len() as u64;
        self.rejected = chosen.selection.rejected;
        self.distinct = chosen.distinct;
        self.repeats = chosen.selection.repeats;
    }

    /// Raises the number of responses to each turn of an existing run.
    ///
    /// # Errors
    /// Returns an error for fewer responses.
    pub fn raise_samples(&mut self, table: &Dialogue, wanted: u32) -> Result<(), JobError> {
        let has = self.samples(table);
        if wanted < has {
            let what = "responses to each turn";
            return Err(JobError::Fewer { has: has.into(), what, wanted: wanted.into() });
        }
        if wanted > has {
            self.samples = Some(wanted);
        }
        Ok(())
    }

    /// Fills in the model under test and the judges.
    pub fn models(&mut self, tested: &Caller, parameters: Parameters, panel: &Panel) {
        let recorded = tested.model.recorded();
        self.simulated_model = tested.model.gives_simulated();
        self.replayed = recorded.map(|origin| ReplayedEntry { model: origin.model.clone() });
        self.simulated_judge = panel.judging.has_simulated();
        self.judging = Some(panel.judging.clone());
        self.address = tested.model.address();
        self.parameters = parameters;
    }
}

/// The time, which is in `run.json` alone: no draw and no score depends on it.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "a run says when it was made")]
pub fn now() -> Timestamp {
    Timestamp::now()
}

/// The first unused folder under `root` for a run, named after what is run.
///
/// # Errors
/// Returns an error if a folder cannot be created.
pub fn free_folder(
    root: &Path,
    plan: &Plan,
    variant: Option<&str>,
    model: &str,
    seed: Seed,
) -> Result<Folder, JobError> {
    let benchmark = match plan.model.benchmark.name.as_str() {
        "" => "run",
        name => name,
    };
    let variant = variant.iter().map(|variant| format!("-{}", file_name(variant)));
    let of = format!("{}{}", file_name(benchmark), variant.collect::<String>());
    let base = format!("{of}-{}-seed{}", file_name(model), seed.0);
    for number in 1.. {
        let name = if number == 1 { base.clone() } else { format!("{base}-{number}") };
        match Folder::create(&root.join(name)) {
            Err(FolderError::Taken(_) | FolderError::InUse(_) | FolderError::Foreign { .. }) => {}
            other => return Ok(other?),
        }
    }
    Err(JobError::NoFolder(root.display().to_string()))
}

/// A name as part of a file's name: every other character is a `-`.
pub fn file_name(text: &str) -> String {
    text.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect()
}

impl Job<'_> {
    /// Whether no request is sent.
    pub fn is_offline(&self) -> bool {
        let panel = self.panel.makes_calls();
        self.tested.model.is_simulated() && !panel && self.extractors.is_none()
    }

    /// Writes the files that a run has from the start.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written.
    pub fn write_beginning(&self) -> Result<(), JobError> {
        let (folder, plan) = (self.folder, self.drawer.plan());
        folder.write("plan.json", &plan.to_json())?;
        folder.write_pictures(&plan.model.pictures)?;
        if let Some(set) = &self.utterances {
            set.write(&folder.file(UTTERANCES))?;
        }
        Ok(folder.write_manifest(&self.manifest)?)
    }

    /// Opens the journal to resume from. Unless `ask_again` is set, a journal that lost paid
    /// responses is refused.
    ///
    /// # Errors
    /// Returns an error for such a journal, and for one that cannot be read or belongs to another
    /// run.
    pub fn journal(&self, prices: &Prices, ask_again: bool) -> Result<JobJournal, JobError> {
        if self.is_offline() {
            return Ok(JobJournal::default());
        }
        let (folder, manifest) = (self.folder, &self.manifest);
        let has = |name: &str| std::fs::symlink_metadata(folder.file(name)).is_ok();
        let path = folder.file(JOURNAL);
        if !has(JOURNAL) {
            // Transcripts are started only after there is a journal.
            let begun = TRANSCRIPTS.into_iter().any(has);
            if (manifest.spent.calls > 0 || begun) && !ask_again {
                let folder = folder.path().display().to_string();
                return Err(JobError::NoJournal { folder, calls: manifest.spent.calls });
            }
            let journal = Some(Journal::create(&path, &manifest.identity())?);
            return Ok(JobJournal { journal, ..JobJournal::default() });
        }
        let price = |model: &str| prices.for_model(model);
        let (journal, opened) = Journal::open(&path, &manifest.identity(), price)?;
        if opened.lost > 0 && !ask_again {
            let path = path.display().to_string();
            return Err(JobError::LostRecords { path, lost: opened.lost });
        }
        if !ask_again {
            self.check_lost_records(&journal, opened.spent)?;
        }
        let torn = (opened.torn > 0).then_some((opened.torn, opened.torn_in));
        // Where lost responses are paid for again, so are those of batches.
        let batches = if ask_again { Vec::new() } else { opened.batches };
        Ok(JobJournal { journal: Some(journal), spent: opened.spent, torn, batches })
    }

    /// Checks that the journal has every response that was paid for according to `run.json` and to
    /// the transcripts. For a run that was killed, only the transcripts have this information.
    fn check_lost_records(&self, journal: &Journal, spent: Spent) -> Result<(), JobError> {
        let (folder, manifest) = (self.folder, &self.manifest);
        let path = folder.file(JOURNAL).display().to_string();
        if let Some(lost @ 1..) = manifest.spent.calls.checked_sub(spent.calls) {
            let says = "run.json says were paid for";
            return Err(JobError::LostAnswers { path, lost, of: manifest.spent.calls, says });
        }
        if manifest.simulated_model {
            return Ok(());
        }
        let mut of = 0;
        // Unreadable transcripts are recreated from the journal.
        let _ = folder.each_transcript(manifest, |transcript| {
            // Turns beyond the context window are not requested.
            let is_requested = |sample: &Sample| sample.no_text != Some(NoText::ContextLength);
            let responses = transcript.turns.iter().flat_map(TranscriptTurn::responses);
            of += responses.filter(|(_, sample)| is_requested(sample)).count() as u64;
        });
        match of.checked_sub(journal.response_count()) {
            None | Some(0) => Ok(()),
            Some(lost) => {
                let says = "the transcripts of the run hold";
                Err(JobError::LostAnswers { path, lost, of, says })
            }
        }
    }

    /// Runs all dialogues, writes their transcripts, and records the outcome in `run.json`.
    ///
    /// # Errors
    /// Returns an error of the scenario, or an error if a file cannot be written. A run that
    /// stopped early (`context.ended`) is not an error: its results are written.
    pub fn execute(
        mut self,
        context: &RequestContext<'_>,
        prices: &Prices,
        concurrency: Concurrency,
        mut listen: impl FnMut(JobEvent<'_>),
    ) -> Result<JobOutcome, JobError> {
        let plan = self.drawer.plan();
        let prompts =
            JudgePrompts::new(plan).map_err(|(name, fault)| JobError::Template { name, fault })?;
        let system = self.manifest.parameters.system.clone();
        // From here on the run counts as incomplete until it ends normally, and the journal's
        // requests count as paid.
        self.manifest.complete = false;
        let spent = context.budget.spent();
        if spent.calls > self.manifest.spent.calls {
            self.manifest.spent = spent;
        }
        (self.manifest.failed, self.manifest.permanent) = (0, 0);
        self.manifest.started.get_or_insert_with(now);
        self.folder.write_manifest(&self.manifest)?;
        let run = RunContext {
            drawer: self.drawer,
            tested: &self.tested,
            panel: &self.panel,
            prompts: &prompts,
            extractors: self.extractors.as_ref(),
            system: system.as_deref(),
            seed: Seed(self.manifest.seed),
            max_turns: self.manifest.max_turns,
            samples: self.manifest.samples(self.drawer.dialogue().table),
            utterances: self.utterances.as_ref(),
            repeat: Repeat::default(),
        };
        let held = self.hold(context, &run, concurrency, &mut listen).map_err(|error| {
            // If the journal failed, a file that cannot be written is only a consequence.
            context.ended.get().map_or(error, |why| JobError::Ended(why.clone()))
        })?;
        let RunCounts { whole, failed, permanent, scored, transcripts } = held;
        let hash = transcripts.hash.clone();
        let mut manifest = self.manifest.clone();
        // A run that is resumed and has nothing to do ended when it did.
        if manifest.transcripts.as_ref() != Some(&hash) {
            manifest.ended = None;
        }
        if manifest.transcripts.as_ref().is_some_and(|before| *before != hash) {
            manifest.transcripts = None;
            self.folder.write_manifest(&manifest)?;
        }
        transcripts.settle().map_err(|error| self.io(error))?;
        manifest.transcripts = Some(hash);
        manifest.complete = whole == self.selection.dialogues.len();
        (manifest.failed, manifest.permanent) = (failed, permanent);
        manifest.served = context.meter.served();
        manifest.spent = context.budget.spent();
        if context.journal.is_some() {
            let path = self.folder.file(JOURNAL);
            let found = spending(&path, |model| prices.for_model(model));
            manifest.spending = found.map_err(|error| self.io(error))?;
        }
        manifest.ended.get_or_insert_with(now);
        self.folder.write_manifest(&manifest)?;
        Ok(JobOutcome { manifest, scored })
    }

    fn hold(
        &self,
        context: &RequestContext<'_>,
        run: &RunContext<'_>,
        concurrency: Concurrency,
        listen: &mut impl FnMut(JobEvent<'_>),
    ) -> Result<RunCounts, JobError> {
        let mut ordered =
            Ordered::create(self.folder.path(), TRANSCRIPTS[0]).map_err(|error| self.io(error))?;
        let (mut whole, mut failed, mut permanent) = (0, 0, 0);
        let mut scored = BTreeMap::new();
        run_all(context, run, &self.selection.dialogues, concurrency, |news| {
            let PoolEvent::Done(at, held) = news else {
                listen(JobEvent::Tick);
                return Ok(());
            };
            let FinishedDialogue { ending, line, scored: score } = held?;
            ordered.write(at, &line).map_err(|error| self.io(error))?;
            scored.insert(at, score.map_err(|error| self.io(error.into()))?);
            failed += u64::from(ending.failure().is_some());
            permanent += u64::from(matches!(ending, Ending::PermanentFailure(_)));
            whole += usize::from(ending.is_complete());
            let is_over = !matches!(ending, Ending::Interrupted);
            listen(JobEvent::Over(Some(&ending).filter(|_| is_over)));
            Ok::<(), JobError>(())
        })?;
        let transcripts = ordered.finish().map_err(|error| self.io(error))?;
        let scored = scored.into_values().collect();
        Ok(RunCounts { whole, failed, permanent, scored, transcripts })
    }

    fn io(&self, error: std::io::Error) -> JobError {
        JobError::Io { folder: self.folder.path().display().to_string(), error }
    }
}

/// Counts of dialogues that were run.
struct RunCounts {
    /// Dialogues that ran to their end.
    whole: usize,
    /// Dialogues that an infrastructure error stopped, and those of them that it would stop again.
    failed: u64,
    permanent: u64,
    scored: Vec<ScoredDialogue>,
    transcripts: OrderedFile,
}
