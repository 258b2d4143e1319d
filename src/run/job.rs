//! A run from its settings to its folder: the selection of dialogues, the journal to resume from,
//! and the outcome. The command line and the library both use it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::folder::{Folder, FolderError, UTTERANCES};
use super::manifest::{RunManifest, SCHEMA};
use super::pool::{FinishedDialogue, run_all};
use super::select::{once, select, select_distinct};
use super::selection::Selection;
use super::shard::Shard;
use super::{Extractors, Ordered, OrderedFile, Repeat, RunContext};
use crate::curated_set::SetError;
use crate::inference::{
    BatchRecord, Caller, Concurrency, Journal, JournalError, PoolEvent, Prices, RequestContext,
    Spent,
};
use crate::judge::JudgePrompts;
use crate::model::table::Release;
use crate::panel::Panel;
use crate::plan::Plan;
use crate::provider::{CallFailure, Parameters};
use crate::score::{Ending, ScoredDialogue};
use crate::script::{DrawError, Drawer, Seed};
use crate::synthesis::UtteranceSet;
use crate::template::TemplateFault;

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
}

impl DialogueOptions<'_> {
    /// Settings that are left open come from the utterance set, or from the release.
    ///
    /// # Errors
    /// Returns an error of the scenario that prevents drawing a dialogue.
    pub fn choose(self, drawer: &Drawer<'_>) -> Result<SelectedDialogues, DrawError> {
        let name = drawer.dialogue().table.name.as_str();
        let set = self.utterances.map(|set| &set.made);
        let release = release_of(drawer.plan(), name);
        let of_release = release.and_then(|release| release.seed);
        let seed = self.seed.or(set.map(|set| set.seed)).or(of_release).unwrap_or(1);
        let of_release = release.and_then(|release| release.count(name));
        let count =
            self.count.or(set.map(|set| set.dialogues)).or(of_release).unwrap_or(DEFAULT_DIALOGUES);
        let max_turns = self.max_turns.or(set.map(|set| set.turns)).unwrap_or(MAX_TURNS);
        // Messages that models wrote differ even if they say the same.
        let distinct = set.is_none();
        SelectedDialogues::select_again(drawer, Seed(seed), count, max_turns, distinct)
    }
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
        Ok(SelectedDialogues { seed, count, max_turns, distinct, shard: None, selection })
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
        RunManifest {
            schema: SCHEMA,
            ifs_version: env!("CARGO_PKG_VERSION").to_owned(),
            edition: plan.model.edition,
            benchmark: plan.model.benchmark.name.clone(),
            benchmark_version: plan.model.benchmark.version.clone(),
            plan_hash: plan.hash(),
            dialogue: dialogue.to_owned(),
            variant: variant.map(str::to_owned),
            seed: chosen.seed.0,
            count: chosen.count,
            shard: chosen.shard,
            dialogues: chosen.selection.dialogues.len() as u64,
            rejected: chosen.selection.rejected,
            distinct: chosen.distinct,
            repeats: chosen.selection.repeats,
            max_turns: chosen.max_turns,
            ..RunManifest::default()
        }
    }

    /// Fills in the model under test and the judges.
    pub fn models(&mut self, tested: &Caller, parameters: Parameters, panel: &Panel) {
        self.simulated_model = tested.model.is_simulated();
        self.simulated_judge = panel.judging.has_simulated();
        self.judging = Some(panel.judging.clone());
        self.address = tested.model.address();
        self.parameters = parameters;
    }
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
        Ok(folder.write_json("run.json", &self.manifest)?)
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
            of += transcript.turns.iter().map(|turn| turn.answers().count() as u64).sum::<u64>();
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
        self.manifest.failed = 0;
        self.folder.write_json("run.json", &self.manifest)?;
        let run = RunContext {
            drawer: self.drawer,
            tested: &self.tested,
            panel: &self.panel,
            prompts: &prompts,
            extractors: self.extractors.as_ref(),
            system: system.as_deref(),
            seed: Seed(self.manifest.seed),
            max_turns: self.manifest.max_turns,
            utterances: self.utterances.as_ref(),
            repeat: Repeat::default(),
        };
        let held = self.hold(context, &run, concurrency, &mut listen).map_err(|error| {
            // If the journal failed, a file that cannot be written is only a consequence.
            context.ended.get().map_or(error, |why| JobError::Ended(why.clone()))
        })?;
        let RunCounts { whole, failed, scored, transcripts } = held;
        let hash = transcripts.hash.clone();
        let mut manifest = self.manifest.clone();
        if manifest.transcripts.as_ref().is_some_and(|before| *before != hash) {
            manifest.transcripts = None;
            self.folder.write_json("run.json", &manifest)?;
        }
        transcripts.settle().map_err(|error| self.io(error))?;
        manifest.transcripts = Some(hash);
        manifest.complete = whole == self.selection.dialogues.len();
        manifest.failed = failed;
        manifest.spent = context.budget.spent();
        self.folder.write_json("run.json", &manifest)?;
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
        let (mut whole, mut failed) = (0, 0);
        let mut scored = BTreeMap::new();
        run_all(context, run, &self.selection.dialogues, concurrency, |news| {
            let PoolEvent::Done(at, held) = news else {
                listen(JobEvent::Tick);
                return Ok(());
            };
            let FinishedDialogue { ending, line, scored: score } = held?;
            ordered.write(at, &line).map_err(|error| self.io(error))?;
            scored.insert(at, score.map_err(|error| self.io(error.into()))?);
            match &ending {
                Ending::Interrupted => {}
                Ending::Failed(_) => failed += 1,
                Ending::Patience | Ending::Condition(_) | Ending::Script | Ending::MaxTurns => {
                    whole += 1;
                }
            }
            let is_over = !matches!(ending, Ending::Interrupted);
            listen(JobEvent::Over(Some(&ending).filter(|_| is_over)));
            Ok::<(), JobError>(())
        })?;
        let transcripts = ordered.finish().map_err(|error| self.io(error))?;
        Ok(RunCounts { whole, failed, scored: scored.into_values().collect(), transcripts })
    }

    fn io(&self, error: std::io::Error) -> JobError {
        JobError::Io { folder: self.folder.path().display().to_string(), error }
    }
}

/// Counts of dialogues that were run.
struct RunCounts {
    /// Dialogues that ran to their end.
    whole: usize,
    /// Dialogues that an infrastructure error stopped.
    failed: u64,
    scored: Vec<ScoredDialogue>,
    transcripts: OrderedFile,
}
