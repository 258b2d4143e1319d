//! Runs: dialogues with a model, judged, stored in a folder, and scored.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::Notify;

use super::{Dialogue, Ending, Error, ModelHandle, Scorecard};
use ifs_draw::Drawer;
use ifs_inference::panel::{JudgeEntry, Judging, Panel, PanelJudge, same_family};
use ifs_inference::provider::Parameters;
use ifs_inference::{
    AdaptiveLimit, Allowance, Budget, Caller, CallerRecord, CancelToken, Concurrency, Meter, Money,
    Prices, RequestContext, Retries, Window,
};
use ifs_judge::AggregationRule;
use ifs_plan::Plan;
use ifs_run::{
    DialogueOptions, Folder, FolderError, Job, JobError, JobEvent, JobOutcome, RunManifest,
    SelectedDialogues, drawable, free_folder,
};
use ifs_score::ScoreOptions;

/// The judge for a simulated model, if no judge is given.
const SIMULATED_JUDGE: &str = "sim/judge";

/// Settings of a run. Nothing happens before [`Run::start`].
///
/// ```no_run
/// let benchmark = ifs::Benchmark::open("scenarios/evolif")?;
/// let finished = benchmark
///     .dialogue("evolving")?
///     .run("openai/gpt-4o")
///     .judge("anthropic/claude-sonnet-4-5")
///     .dialogues(20)
///     .budget_dollars("5")?
///     .folder("runs/gpt-4o")
///     .start()?;
/// println!("{}", finished.scorecard());
/// # Ok::<(), ifs::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Run {
    dialogue: Option<Dialogue>,
    model: Option<ModelHandle>,
    judges: Vec<ModelHandle>,
    seed: Option<u64>,
    count: Option<u64>,
    max_turns: Option<u32>,
    samples: Option<u32>,
    allowance: Allowance,
    folder: Option<PathBuf>,
    resumed: bool,
    parameters: Parameters,
    at_once: usize,
    retries: Retries,
    threads: usize,
    stop: Stop,
}

/// Stops a run from another thread: the requests in flight are finished, and no further one is
/// sent. [`Run::resume`] continues the run.
///
/// ```
/// let stop = ifs::Stop::new();
/// let other = stop.clone();
/// std::thread::spawn(move || other.stop()).join().unwrap();
/// assert!(stop.is_stopped());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Returns a new one, for [`Run::stop`].
    pub fn new() -> Stop {
        Stop::default()
    }

    /// Stops the runs that have it.
    pub fn stop(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// The progress of a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Dialogues that have ended.
    pub done: usize,
    /// Dialogues in the run.
    pub of: usize,
    /// The ending of the dialogue that has just ended; `None` if only time has passed.
    pub ending: Option<Ending>,
    /// Responses from models so far, without those of earlier sessions.
    pub responses: u64,
}

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    scorecard: Scorecard,
    folder: PathBuf,
    manifest: RunManifest,
    stopped: Option<String>,
}

impl Run {
    pub(super) fn new(dialogue: Dialogue, model: ModelHandle) -> Run {
        Run { dialogue: Some(dialogue), model: Some(model), ..Run::empty() }
    }

    /// Resumes the run in a folder: recorded requests are not sent again. Models that were given by
    /// name are found by name; models of the program's own have to be given again.
    pub fn resume(folder: impl Into<PathBuf>) -> Run {
        Run { folder: Some(folder.into()), resumed: true, ..Run::empty() }
    }

    fn empty() -> Run {
        Run {
            dialogue: None,
            model: None,
            judges: Vec::new(),
            seed: None,
            count: None,
            max_turns: None,
            samples: None,
            allowance: Allowance::default(),
            folder: None,
            resumed: false,
            parameters: Parameters::default(),
            at_once: 100,
            retries: Retries::default(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            stop: Stop::default(),
        }
    }

    /// Sets the model under test, to resume a run with a model of the program's own.
    #[must_use]
    pub fn model(mut self, model: impl Into<ModelHandle>) -> Run {
        self.model = Some(model.into());
        self
    }

    /// Adds a judge for constraints without a rule; several judges form a panel with a majority
    /// vote. A simulated model has the simulated judge by default.
    #[must_use]
    pub fn judge(mut self, judge: impl Into<ModelHandle>) -> Run {
        self.judges.push(judge.into());
        self
    }

    /// Sets the number of dialogues. Default: the number of the scenario's release, or else one for each
    /// record that the dialogue goes over, or else 20; all distinct dialogues if there are fewer. A run that is resumed may get more than it has.
    #[must_use]
    pub fn dialogues(mut self, count: u64) -> Run {
        self.count = Some(count);
        self
    }

    /// Sets the number of responses to each turn. Default: the `sample` of the dialogue, or else 1. A
    /// run that is resumed may get more than it has.
    #[must_use]
    pub fn samples(mut self, responses: u32) -> Run {
        self.samples = Some(responses.max(1));
        self
    }

    /// Sets the seed of the dialogues. Default: the seed of the scenario's release, or else 1.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Run {
        self.seed = Some(seed);
        self
    }

    /// Sets the maximum number of turns of a dialogue. Default: 1000.
    #[must_use]
    pub fn max_turns(mut self, turns: u32) -> Run {
        self.max_turns = Some(turns);
        self
    }

    /// Sets the maximum number of responses from models, including those of earlier sessions.
    #[must_use]
    pub fn budget_responses(mut self, responses: u64) -> Run {
        self.allowance.calls = Some(responses);
        self
    }

    /// Sets the maximum number of tokens in requests and responses, including those of earlier
    /// sessions.
    #[must_use]
    pub fn budget_tokens(mut self, tokens: u64) -> Run {
        self.allowance.tokens = Some(tokens);
        self
    }

    /// Sets the maximum cost in dollars (`5`, `0.25`), including the cost of earlier sessions.
    /// Every model then needs a price; models of the program's own have none.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if it is not an amount.
    pub fn budget_dollars(mut self, dollars: &str) -> Result<Run, Error> {
        let money = Money::parse(dollars).ok_or_else(|| {
            Error::usage(format!("`{dollars}` is not an amount; write dollars as `5` or `0.25`"))
        })?;
        self.allowance.money = Some(money);
        Ok(self)
    }

    /// Sets the folder of the run, which must be new or empty. Default: a new folder under `runs`.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Run {
        self.folder = Some(folder.into());
        self
    }

    /// Adds a system message before the scenario's own.
    #[must_use]
    pub fn system(mut self, text: impl Into<String>) -> Run {
        self.parameters.system = Some(text.into());
        self
    }

    /// Sets the sampling temperature of models that are given by name.
    #[must_use]
    pub fn temperature(mut self, temperature: f64) -> Run {
        self.parameters.temperature = Some(temperature);
        self
    }

    /// Sets the maximum number of tokens in a response of models that are given by name.
    #[must_use]
    pub fn max_tokens(mut self, tokens: u64) -> Run {
        self.parameters.max_tokens = Some(tokens);
        self
    }

    /// Sets the maximum number of requests in flight. Default: 100.
    #[must_use]
    pub fn concurrency(mut self, requests: usize) -> Run {
        self.at_once = requests.max(1);
        self
    }

    /// Sets how often a request is sent again after a transient error, and the delay before the
    /// first retry, which doubles with each further one.
    #[must_use]
    pub fn retries(mut self, most: u32, wait: Duration) -> Run {
        self.retries = Retries { most, wait };
        self
    }

    /// Lets another thread stop the run.
    #[must_use]
    pub fn stop(mut self, stop: &Stop) -> Run {
        self.stop = stop.clone();
        self
    }

    /// Starts the run and blocks until all dialogues have ended. In an async program, call it where
    /// blocking is allowed.
    ///
    /// # Errors
    /// Returns an error for invalid settings, a scenario that cannot be drawn, or a folder that
    /// cannot be used. Failed requests are not errors: their dialogues are incomplete. A run that
    /// stops early ([`Finished::stopped`]) is not an error either: its results so far are kept.
    pub fn start(self) -> Result<Finished, Error> {
        self.start_with(|_| {})
    }

    /// Starts the run and reports its progress to a function: after each dialogue, and every 200
    /// milliseconds.
    ///
    /// # Errors
    /// Returns the errors of [`Run::start`].
    pub fn start_with(self, listen: impl FnMut(&Progress)) -> Result<Finished, Error> {
        match (&self.dialogue, self.resumed) {
            (Some(dialogue), false) => self.run_dialogue(dialogue, listen),
            _ => self.continue_in_folder(listen),
        }
    }

    fn run_dialogue(
        &self,
        dialogue: &Dialogue,
        listen: impl FnMut(&Progress),
    ) -> Result<Finished, Error> {
        let drawer = dialogue.drawer.borrow_dependent();
        let plan: &Plan = dialogue.plan();
        let model = self.model.as_ref().ok_or_else(|| Error::usage("no model is named"))?;
        let wanted = DialogueOptions {
            seed: self.seed,
            count: self.count,
            max_turns: self.max_turns,
            utterances: None,
        };
        let chosen = wanted.choose(drawer)?;
        if let (Some(count), Some(limit)) = (self.count, chosen.selection.limit)
            && limit.distinct() < count
        {
            return Err(Error::usage(format!(
                "{count} dialogues are requested, but `{}` has {} distinct ones",
                dialogue.name(),
                limit.distinct()
            )));
        }
        let prices = Prices::built_in();
        let tested = self.caller(model, &self.parameters, &prices)?;
        let judging = self.judging(model.name());
        let panel = self.panel(judging, &self.judges, &prices)?;
        let (name, variant) = (dialogue.name(), dialogue.variant_name());
        let mut manifest = RunManifest::new(plan, name, variant, &chosen);
        manifest.models(&tested, self.parameters.clone(), &panel);
        manifest.model = model.name().to_owned();
        manifest.samples = self.samples;
        if !tested.model.is_simulated() || panel.makes_calls() {
            let SelectedDialogues { seed, max_turns, selection, .. } = &chosen;
            drawable::<JobError>(drawer, *seed, &selection.dialogues, *max_turns)?;
        }
        let folder = match &self.folder {
            Some(path) => Folder::create(path)?,
            None => free_folder(Path::new("runs"), plan, variant, model.name(), chosen.seed)?,
        };
        let job = Job {
            drawer,
            selection: &chosen.selection,
            folder: &folder,
            manifest,
            tested,
            panel,
            extractors: None,
            utterances: None,
        };
        job.write_beginning()?;
        self.execute(job, &prices, listen)
    }

    fn continue_in_folder(&self, listen: impl FnMut(&Progress)) -> Result<Finished, Error> {
        let path = self.folder.as_ref().ok_or_else(|| Error::usage("no folder is named"))?;
        let folder = Folder::resume(path)?;
        let mut manifest = folder.manifest()?;
        if let Some(why) = manifest.never_resumed() {
            return Err(Error::usage(format!("the run in `{}` {why}", path.display())));
        }
        if manifest.coder.is_some() || manifest.extractor.is_some() || manifest.utterances.is_some()
        {
            return Err(Error::usage(format!(
                "the run in `{}` has extractors or an utterance set: continue it with `ifs run \
                 --resume`",
                path.display()
            )));
        }
        if manifest.set.as_ref().is_some_and(|set| set.hidden.is_some()) {
            return Err(Error::usage(format!(
                "the run in `{}` is one of a hidden set: continue it with `ifs run --resume` and \
                 its `--secret`",
                path.display()
            )));
        }
        let mut plan = folder.plan()?;
        if plan.hash() != manifest.plan_hash {
            let message = format!("`{}`: plan.json is not the plan of this run", path.display());
            return Err(Error::Folder { message, is_input: true });
        }
        folder.read_pictures(&mut plan.model.pictures)?;
        let drawer = Drawer::new(&plan, &manifest.dialogue)?;
        let model = match &self.model {
            Some(model) if model.name() == manifest.model => model.clone(),
            Some(model) => {
                return Err(Error::usage(format!(
                    "the run was started with `{}`, and this is `{}`",
                    manifest.model,
                    model.name()
                )));
            }
            None => ModelHandle::named(manifest.model.as_str()),
        };
        let prices = Prices::built_in();
        let tested = self.caller(&model, &manifest.parameters, &prices)?;
        if tested.model.address() != manifest.address {
            return Err(Error::usage(format!(
                "the run was started with `{}` at {}: give it the same model, at the same address",
                manifest.model,
                manifest.address.as_deref().unwrap_or("no address, as a model of your own"),
            )));
        }
        let panel = match &manifest.judging {
            Some(judging) => self.panel(judging.clone(), &self.judges, &prices)?,
            None => self.panel(self.judging(&manifest.model), &self.judges, &prices)?,
        };
        if let Some(samples) = self.samples {
            manifest.raise_samples(drawer.dialogue().table, samples)?;
        }
        let chosen = match self.count {
            None => SelectedDialogues::of_run(&drawer, &manifest)?,
            Some(count) => SelectedDialogues::raised(&drawer, &mut manifest, count)?,
        };
        let job = Job {
            drawer: &drawer,
            selection: &chosen.selection,
            folder: &folder,
            manifest,
            tested,
            panel,
            extractors: None,
            utterances: None,
        };
        self.execute(job, &prices, listen)
    }

    fn execute(
        &self,
        job: Job<'_>,
        prices: &Prices,
        mut listen: impl FnMut(&Progress),
    ) -> Result<Finished, Error> {
        let journal = job.journal(prices, false)?;
        let cancel = CancelToken::stopped_by(self.stop.0.clone());
        let context = RequestContext {
            journal: journal.journal,
            cache: None,
            hidden: None,
            rounds: None,
            budget: Budget::new(self.allowance, journal.spent),
            retries: self.retries,
            meter: Meter::default(),
            cancel: &cancel,
            room: Notify::new(),
            ended: OnceLock::new(),
        };
        let at_once = if job.is_offline() { self.threads } else { self.at_once };
        let concurrency = Concurrency { threads: self.threads, at_once };
        let (folder, of) = (job.folder, job.selection.dialogues.len());
        let metrics = job.drawer.dialogue().table.own_metrics.clone();
        let mut done = 0;
        let outcome = job.execute(&context, prices, concurrency, |event| {
            // Wakes the requests that wait for a retry or a limit.
            if self.stop.is_stopped() {
                cancel.cancel();
            }
            let ending = match event {
                JobEvent::Over(ending) => {
                    done += usize::from(ending.is_some());
                    ending.cloned()
                }
                JobEvent::Tick => None,
            };
            let responses = context.meter.counts().answered;
            listen(&Progress { done, of, ending, responses });
        })?;
        let JobOutcome { manifest, scored } = outcome;
        let options =
            ScoreOptions { distinct: manifest.distinct, metrics, ..ScoreOptions::default() };
        Ok(Finished {
            scorecard: Scorecard::new(scored, options),
            folder: folder.path().to_owned(),
            stopped: context.ended.get().map(ToString::to_string).or_else(|| {
                let cut = self.stop.is_stopped() && !manifest.complete;
                cut.then(|| "the program stopped it".to_owned())
            }),
            manifest,
        })
    }

    fn caller(
        &self,
        model: &ModelHandle,
        parameters: &Parameters,
        prices: &Prices,
    ) -> Result<Caller, Error> {
        let model = model.resolve(parameters)?;
        let price = prices.for_model(model.name());
        if self.allowance.money.is_some() && price.is_none() && !model.is_simulated() {
            return Err(Error::usage(format!(
                "a budget of money is given, and `{}` has no price",
                model.name()
            )));
        }
        Ok(Caller {
            model,
            limits: AdaptiveLimit::new(Window::at_most(self.at_once)),
            price,
            requests: None,
            tokens: None,
            record: CallerRecord::default(),
        })
    }

    fn judging(&self, tested: &str) -> Judging {
        let mut names: Vec<&str> = self.judges.iter().map(ModelHandle::name).collect();
        if names.is_empty() && tested.starts_with("sim/") {
            names.push(SIMULATED_JUDGE);
        }
        let entry = |name: &str| JudgeEntry {
            model: name.to_owned(),
            address: None,
            same_family: same_family(name, tested),
        };
        Judging {
            judges: names.into_iter().map(entry).collect(),
            rule: AggregationRule::default(),
            repeats: 1,
            tries: 3,
            apart: false,
            plain: false,
            without_pictures: false,
            history: None,
            parameters: Parameters::default(),
        }
    }

    /// The judges of a run: the given ones, or those with these names.
    fn panel(
        &self,
        mut judging: Judging,
        given: &[ModelHandle],
        prices: &Prices,
    ) -> Result<Panel, Error> {
        let mut judges = Vec::new();
        for entry in &mut judging.judges {
            let own = given.iter().find(|given| !given.is_named() && given.name() == entry.model);
            let handle = own.cloned().unwrap_or_else(|| ModelHandle::named(entry.model.as_str()));
            let simulated = own.is_none().then(|| Panel::simulated(&entry.model)).flatten();
            judges.push(match simulated {
                Some(Ok(judge)) => judge,
                Some(Err(given)) => {
                    return Err(Error::usage(format!("`{given}` is not a probability")));
                }
                None => {
                    let caller = self.caller(&handle, &judging.parameters, prices)?;
                    if caller.model.is_simulated() {
                        return Err(Error::usage(format!(
                            "`{}` is not a judge; the simulated judge is `sim/judge`",
                            entry.model
                        )));
                    }
                    let address = caller.model.address();
                    if entry.address.is_some() && entry.address != address {
                        return Err(Error::usage(format!(
                            "the judge `{}` was requested at another address",
                            entry.model
                        )));
                    }
                    entry.address = address;
                    PanelJudge::Model(Box::new(caller))
                }
            });
        }
        Ok(Panel { judges, judging })
    }
}

impl Finished {
    /// The scores.
    pub fn scorecard(&self) -> &Scorecard {
        &self.scorecard
    }

    /// The folder of the run, which `ifs report` and `ifs score` read.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether every dialogue ran to its end.
    pub fn is_complete(&self) -> bool {
        self.manifest.complete
    }

    /// How many dialogues are incomplete because a request failed.
    pub fn incomplete(&self) -> u64 {
        self.manifest.failed
    }

    /// Why the run stopped early: a budget is spent, an endpoint refuses all requests, or the program
    /// stopped it ([`Run::stop`]).
    /// [`Run::resume`] continues it.
    pub fn stopped(&self) -> Option<&str> {
        self.stopped.as_deref()
    }

    /// The definition hash of the scenario.
    pub fn definition_hash(&self) -> &str {
        &self.manifest.plan_hash
    }
}

impl From<FolderError> for Error {
    fn from(error: FolderError) -> Error {
        let is_input = !matches!(error, FolderError::Io { .. } | FolderError::InUse(_));
        Error::Folder { message: error.to_string(), is_input }
    }
}

impl From<JobError> for Error {
    fn from(error: JobError) -> Error {
        let message = error.to_string();
        match error {
            JobError::Draw(error) => error.into(),
            JobError::Folder(error) => error.into(),
            JobError::Template { .. } => Error::Draw { message, help: None },
            JobError::Ended(_) => Error::Request { message },
            JobError::Fewer { .. }
            | JobError::MoreThanSet { .. }
            | JobError::OtherSelection { .. } => Error::usage(message),
            JobError::Journal(_)
            | JobError::Set(_)
            | JobError::NoJournal { .. }
            | JobError::LostRecords { .. }
            | JobError::LostAnswers { .. } => Error::Folder { message, is_input: true },
            JobError::Io { .. } | JobError::Infrastructure(_) | JobError::NoFolder(_) => {
                Error::Infrastructure { message }
            }
        }
    }
}
