//! `ifs run`

mod several;

use std::path::{Path, PathBuf};
use std::time::Duration;

use self::several::RunSeries;
use super::exit::{CommandError, Exit};
use super::extraction::{self, ExtractorArgs, extractors};
use super::judges::{self, JudgeArgs};
use super::output::Output;
use super::progress::{ProgressLine, summary};
use super::requests::{self, ParameterArgs, RequestArgs, Sending, cancel_on_interrupt};
use super::sets::{ComparedSet, SetArgs};
use super::shell::quoted;
use super::{Format, distinct, estimate, load, recorded, score, sign, utterances};
use ifs_author::synthesis::UtteranceSet;
use ifs_draw::Drawer;
use ifs_inference::provider::{self, FailureKind, Provider};
use ifs_inference::{
    BatchStore, Concurrency, Files, HiddenRecords, OpenRequest, Prices, RequestContext, Rounds,
};
use ifs_run::{
    DialogueOptions, Folder, GIT_IGNORE, Job, JobError, JobEvent, JobJournal, JobOutcome,
    RunManifest, SelectedDialogues, Shard, UTTERANCES, drawable, free_folder,
};
use ifs_sets::signing::SigningKey;

/// The lines of the providers come from their table.
fn help_text() -> String {
    let mut text = String::from(
        "Models behind an endpoint; keys and addresses come from the environment or a .env file:\n",
    );
    for Provider { name, variables, needs_key, base, .. } in provider::PROVIDERS {
        let model = format!("{name}/MODEL");
        let read = match needs_key {
            true => format!("{variables}_API_KEY, {variables}_BASE_URL"),
            false => format!("{variables}_BASE_URL ({base}), {variables}_API_KEY"),
        };
        text.push_str(&format!("  {model:<22} {read}\n"));
    }
    text + PROVIDERS_HELP
}

const PROVIDERS_HELP: &str = "\
\x20 openai-api/NAME/MODEL  NAME_API_KEY, NAME_BASE_URL: any endpoint with OpenAI's API

Simulated models; everything runs offline:
  sim/oracle         follows every active constraint
  sim/noisy:0.1      misses each constraint with this probability
  sim/forgetful:0.03 misses older instructions more often (the default)
  sim/distracted     misses the second constraint on turns that change the topic
  sim/innumerate:20  misses constraints with larger whole numbers
  sim/misled         follows whoever spoke last
  sim/polite:FORM,…  gives right answers in other forms: a polite beginning and end by default
  sim/offtopic       gives the right answer of another record
  sim/salad          gives words that mean nothing in the form of the right answer
  sim/hedge          gives the right answer or another one, without a choice
  sim/retract        gives the right answer and takes it back
  sim/echo           repeats the user message
  sim/golden         gives the golden answer
  sim/judge:0.1      a judge that knows what was missed, and misjudges it with this probability
  sim/noisy:0.1,shared   makes its mistakes where other models with `,shared` make them; others are independent
Recorded responses, which are not requested:
  replay:FILE        the transcripts of a run, or JSON lines

Examples:
  ifs run scenarios/evolif/evolif.ifs
  ifs run a.ifs -m sim/noisy:0.2 -n 50 --seed 7 --out runs/noisy
  ifs run a.ifs --variant impatient           a variant that the dialogue declares
  ifs run a.ifs -m openai/gpt-4o -n 150 --dry-run
  ifs run a.ifs -m openai/gpt-4o -n 150 --budget 20 --out runs/gpt-4o
  ifs run a.ifs -m openai/gpt-4o --judge anthropic/claude-sonnet-4-5 --judge google/gemini-2.5-pro
  ifs run a.ifs -m openai/gpt-4o -m google/gemini-2.5-pro --budget 40 --out runs/both
  ifs run a.ifs -m openai/gpt-4o -n 10000 --shard 2/8 --out shards/2
  ifs run a.ifs -m openai/gpt-4o -n 150 --batch --out runs/gpt-4o
  ifs run --resume runs/gpt-4o --budget 30
  ifs run --resume runs/gpt-4o -n 300 --samples 3        more dialogues, more responses to each turn";

/// Run dialogues against a model and score the responses.
///
/// Writes a folder with the plan, a journal of every response, the transcripts and
/// the scores, from which `ifs score` and `ifs report` give the same numbers again.
/// `--resume` continues a run that was stopped or killed: no response is requested
/// twice.
#[derive(Debug, clap::Args)]
#[command(after_help = help_text())]
pub(crate) struct Args {
    /// The scenario
    #[arg(required_unless_present = "resume")]
    pub file: Option<PathBuf>,
    /// Resume the run in this folder
    #[arg(long, value_name = "FOLDER", conflicts_with_all = RESUMED_OPTIONS)]
    pub resume: Option<PathBuf>,
    /// Name of the dialogue; the first by default
    #[arg(short, long)]
    dialogue: Option<String>,
    /// Variant of the dialogue; none by default
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
    /// Split to draw; by default nothing that a split holds out is drawn
    #[arg(long, value_name = "NAME")]
    split: Option<String>,
    /// Model under test; may be given several times: a run for each, and one table of all
    #[arg(short, long = "model", value_name = "MODEL", default_value = provider::DEFAULT)]
    pub models: Vec<String>,
    /// Number of dialogues; by default the number of the release, the size of the utterance set, one
    /// for each record that the dialogue goes over, or else 20 (all distinct ones if there are fewer). With `--resume`: a larger number than the run has
    #[arg(short = 'n', long, value_parser = distinct::chosen)]
    count: Option<u64>,
    /// Run one part of the dialogues: `2/8` is the second of eight. `ifs runs merge` makes one run
    /// of all parts
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Number of responses to each turn; overrides the dialogue's `sample`. With `--resume`: a larger
    /// number than the run has
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    samples: Option<u32>,
    /// Seed of the dialogues; the release's seed, else 1, by default
    #[arg(long)]
    seed: Option<u64>,
    /// Maximum number of turns in a dialogue; by default that of the utterance set, or else 1000
    #[arg(long)]
    max_turns: Option<u32>,
    /// Utterance set for the user messages, written by `ifs synthesize` and frozen by `ifs review`
    #[arg(long, value_name = "FILE")]
    utterances: Option<PathBuf>,
    /// Number of threads that draw and check; the number of processors by default
    #[arg(short = 'j', long)]
    workers: Option<usize>,
    /// With `--resume`: request responses again that were paid for but are missing from the journal
    #[arg(long, requires = "resume")]
    ask_again: bool,
    /// Folder of the run; a new one under `runs` by default. With several models, the folder of
    /// their runs
    #[arg(short, long)]
    pub out: Option<PathBuf>,
    /// Send all requests of a round as one batch, at half the price: OpenAI's and Anthropic's batches,
    /// which take up to a day. `--resume` finds its batch
    #[arg(long, conflicts_with = "stream")]
    pub batch: bool,
    /// Wait before a batch is polled again; it grows to five minutes
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = requests::duration)]
    batch_poll: Duration,
    /// Estimate the cost without sending a request
    #[arg(long)]
    pub dry_run: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Sign the run at its end with this key, which `ifs key` wrote
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    sign: Option<PathBuf>,
    #[command(flatten)]
    set: SetArgs,
    #[command(flatten)]
    parameters: ParameterArgs,
    #[command(flatten)]
    judges: JudgeArgs,
    #[command(flatten)]
    extractors: ExtractorArgs,
    #[command(flatten)]
    pub requests: RequestArgs,
}

/// What may be published of a run whose transcripts have the prompts of a hidden set.
const KEPT_PROMPTS_IGNORED: &str = "\
# The transcripts have the prompts of a hidden set.
*
!.gitignore
!manifest.json
!scores.json
";

/// Options that a resumed run takes from its folder.
const RESUMED_OPTIONS: [&str; 37] = [
    "file",
    "set",
    "dialogue",
    "variant",
    "split",
    "models",
    "shard",
    "seed",
    "max_turns",
    "utterances",
    "out",
    "dry_run",
    "system",
    "system_as",
    "temperature",
    "top_p",
    "max_tokens",
    "model_seed",
    "stop",
    "stream",
    "raw_text",
    "body",
    "judges",
    "judge_rule",
    "judge_repeats",
    "judge_tries",
    "judge_apart",
    "judge_history",
    "judge_plain",
    "judge_without_pictures",
    "judge_system_as",
    "judge_temperature",
    "judge_max_tokens",
    "judge_body",
    "coder",
    "extractor",
    "extract_all",
];

pub(crate) fn run(mut args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    args.requests.dry_run = args.dry_run;
    if args.batch {
        args.requests.sending = Sending::Batches;
    }
    match args.models.len() > 1 {
        true => several::run(args, output),
        false => run_or_resume(args, RunMode::default(), output),
    }
}

/// How a run differs from that of one model behind an endpoint.
#[derive(Default)]
pub(crate) struct RunMode<'h> {
    pub by_hand: Option<&'h mut ManualRun>,
    /// The runs of several models, of which this is one.
    pub series: Option<&'h mut RunSeries>,
}

/// A run whose responses are read from files: what is read, and then what came of it.
pub(crate) struct ManualRun {
    pub files: Option<Files>,
    /// Standard output is for requests, not for scores.
    pub is_writing: bool,
    pub state: ManualRunState,
}

#[derive(Default)]
pub(crate) struct ManualRunState {
    pub folder: PathBuf,
    /// Requests that have no response.
    pub open: Vec<OpenRequest>,
    /// Responses that were used, those whose request was answered before, and those of no request.
    pub taken: u64,
    pub before: u64,
    pub unknown: Vec<String>,
    /// Requests that were answered before with another text.
    pub differing: Vec<String>,
}

/// Runs or resumes.
pub(crate) fn run_or_resume(
    mut args: Args,
    how: RunMode<'_>,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    // Before a folder is created or a request is sent.
    let key = args.sign.as_deref().map(sign::read_key).transpose()?;
    match (args.resume.clone(), args.file.clone()) {
        (Some(folder), _) => resume(&mut args, &folder, (key.as_ref(), how), output),
        (None, Some(file)) => {
            let [model] = args.models.as_slice() else {
                return Err(CommandError::usage("`ifs turn` runs one model")
                    .help("write `ifs turn next` once for each `--model`"));
            };
            let target = Target { file: &file, model, out: args.out.clone() };
            start_run(&args, &target, (key.as_ref(), how), output)
        }
        (None, None) => Err(CommandError::usage("name a scenario")),
    }
}

/// What is run, and where.
struct Target<'t> {
    file: &'t Path,
    model: &'t str,
    out: Option<PathBuf>,
}

fn start_run(
    args: &Args,
    target: &Target<'_>,
    (key, how): (Option<&SigningKey>, RunMode<'_>),
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let parameters = args.parameters.parameters()?;
    let model = args.requests.model(target.model, &parameters)?;
    let utterances = args.utterances.as_deref().map(UtteranceSet::read_frozen).transpose()?;
    let of_set = utterances.as_ref().map(|set| &set.made);
    let set = args.set.read()?;
    let released = set.as_ref().map(|set| &set.manifest);
    let asked = args.split.is_some().then(|| args.variant.clone());
    let variant = asked.unwrap_or_else(|| {
        args.variant
            .clone()
            .or(of_set.and_then(|header| header.variant.clone()))
            .or(released.and_then(|manifest| manifest.variant.clone()))
    });
    let which = load::DialogueArgs {
        file: target.file.to_owned(),
        dialogue: args
            .dialogue
            .clone()
            .or(of_set.map(|header| header.dialogue.clone()))
            .or(released.map(|manifest| manifest.dialogue.clone())),
        variant,
        split: args.split.clone(),
    };
    let variant = which.varied();
    let (program, dialogue) = load::dialogue(&which, output)?;
    let name = dialogue.table.name.as_str();
    let drawer = program.drawer(name)?;
    let drawer = match &set {
        Some(set) => set.drawer(drawer)?,
        None => drawer,
    };
    let wanted = DialogueOptions {
        // That of a hidden set has no part in it.
        seed: args.seed.or(released.map(|manifest| manifest.seed.unwrap_or_default())),
        count: args.count.or(released.map(|manifest| manifest.dialogues)),
        max_turns: args.max_turns.or(released.map(|manifest| manifest.turns)),
        utterances: utterances.as_ref(),
    };
    let chosen = wanted.choose(&drawer)?;
    distinct::selected(chosen.count, &chosen.selection)?;
    if args.count.is_some() {
        distinct::require_distinct(&drawer, chosen.count, chosen.selection.limit)?;
    }
    if let Some(note) = distinct::selection_note(name, &chosen.selection) {
        output.note(&note);
    }
    if let Some(set) = &utterances {
        let planned = utterances::PlannedRun {
            plan: &program.plan,
            dialogue: name,
            variant: variant.as_deref(),
            seed: chosen.seed,
            max_turns: chosen.max_turns,
        };
        utterances::require_fit(set, &planned, &chosen.selection)?;
    }
    let chosen = match args.shard {
        Some(shard) => shard_of(chosen, shard)?,
        None => chosen,
    };
    let prices = args.requests.prices()?;
    let tested = args.requests.caller(model, &prices)?;
    let panel =
        args.judges.panel(target.model, tested.model.gives_simulated(), &args.requests, &prices)?;
    judges::warn(&panel.judging, target.model, output);
    let [coder, extractor] = args.extractors.resolve_models(&args.requests)?;
    let named = [coder.as_ref(), extractor.as_ref()];
    let extractors = extractors(named, dialogue.table, &args.requests, &prices)?;
    let is_offline = tested.model.is_simulated() && !panel.makes_calls() && extractors.is_none();
    if is_offline && args.requests.sending != Sending::OneByOne {
        let why = format!("`{}` is simulated: no request is sent for it", target.model);
        return Err(CommandError::usage(why).help("name a model behind an endpoint with `--model`"));
    }
    if args.dry_run {
        let sketch = estimate::EstimateInput {
            drawer: &drawer,
            seed: chosen.seed,
            max_turns: chosen.max_turns,
            samples: args.samples.unwrap_or(dialogue.table.sample).max(1),
            utterances: utterances.as_ref(),
        };
        let callers = estimate::Callers {
            tested: &tested,
            parameters: &parameters,
            panel: &panel,
            extractors: extractors.as_ref(),
            allowance: args.requests.allowance(),
        };
        return estimate::show(&sketch, &chosen.selection, &callers, &prices, output);
    }
    let mut manifest = RunManifest::new(&program.plan, name, variant.as_deref(), &chosen);
    manifest.available = released.map(|manifest| manifest.dialogues).or(manifest.available);
    manifest.models(&tested, parameters, &panel);
    manifest.model = target.model.to_owned();
    manifest.batch = args.batch;
    manifest.samples = args.samples;
    if let Some((revision, dirty)) =
        super::revision::checked_out(&which.file, &program.inputs, output)
    {
        (manifest.revision, manifest.dirty) = (Some(revision), dirty);
    }
    manifest.set = set.as_ref().map(ComparedSet::entry);
    manifest.prompts_kept = args.set.keep_prompts;
    (manifest.coder, manifest.extractor) = (coder, extractor);
    manifest.headers = args.requests.headers()?.into_iter().map(|header| header.name).collect();
    manifest.utterances = utterances.as_ref().and_then(|set| set.hash.clone());
    // If drawing fails, no folder is created.
    if !is_offline {
        let SelectedDialogues { seed, max_turns, selection, .. } = &chosen;
        drawable::<CommandError>(&drawer, *seed, &selection.dialogues, *max_turns)?;
    }
    let folder = match &target.out {
        Some(path) => Folder::create(path)?,
        None => {
            let (plan, variant) = (&program.plan, variant.as_deref());
            free_folder(Path::new("runs"), plan, variant, target.model, chosen.seed)?
        }
    };
    let (drawer, selection, folder) = (&drawer, &chosen.selection, &folder);
    let job = Job { drawer, selection, folder, manifest, tested, panel, extractors, utterances };
    job.write_beginning()?;
    if let Some(set) = &set {
        folder.write(super::set_files::MANIFEST, &set.text)?;
    }
    if let Some(set) = &set
        && !job.is_offline()
    {
        set.expose(&job.manifest, job.folder.path())?;
    }
    execute(args, job, &prices, (key, how), output)
}

/// One part of the selected dialogues.
fn shard_of(chosen: SelectedDialogues, shard: Shard) -> Result<SelectedDialogues, CommandError> {
    let all = chosen.selection.dialogues.len();
    let chosen = chosen.shard(shard);
    match chosen.selection.dialogues.is_empty() {
        false => Ok(chosen),
        true => Err(CommandError::usage(format!(
            "shard {shard} is empty: the run has {}",
            load::counted(all, "dialogue")
        ))
        .help(format!("divide it into at most {all} shards"))),
    }
}

fn resume(
    args: &mut Args,
    path: &Path,
    (key, how): (Option<&SigningKey>, RunMode<'_>),
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let folder = Folder::resume(path)?;
    let mut manifest = folder.manifest()?;
    if let Some(why) = manifest.never_resumed() {
        return Err(CommandError::usage(format!("the run in `{}` {why}", path.display()))
            .help("nothing is left to request: `ifs score` and `ifs report` read it"));
    }
    manifest.prompts_kept |= args.set.keep_prompts;
    if manifest.batch && how.by_hand.is_some() {
        let why = format!("the run in `{}` is sent in batches", path.display());
        return Err(CommandError::usage(why).help(format!(
            "its results may be paid for already: continue with `ifs run --resume {}`",
            quoted(path)
        )));
    }
    manifest.batch |= args.batch;
    if manifest.batch {
        args.requests.sending = Sending::Batches;
    }
    let mut plan = recorded::plan(&folder, &manifest)?;
    folder.read_pictures(&mut plan.model.pictures)?;
    let model = args.requests.model(&manifest.model, &manifest.parameters)?;
    if model.address() != manifest.address {
        let (was, is) = (manifest.address.unwrap_or_default(), model.address().unwrap_or_default());
        return Err(CommandError::usage(format!(
            "the run was started with {was}, and this is {is}"
        ))
        .help("set the base address to the former value"));
    }
    let prices = args.requests.prices()?;
    let tested = args.requests.caller(model, &prices)?;
    let panel = match &manifest.judging {
        Some(judging) => judges::panel(judging.clone(), &args.requests, &prices)?,
        None => {
            args.judges.panel(&manifest.model, manifest.simulated_model, &args.requests, &prices)?
        }
    };
    let drawer = Drawer::new(&plan, &manifest.dialogue)?;
    let drawer = args.set.resume_drawer(drawer, &manifest, path)?;
    let named = extraction::of_run(&manifest);
    let extractors = extractors(named, drawer.dialogue().table, &args.requests, &prices)?;
    if let Some(samples) = args.samples {
        manifest.raise_samples(drawer.dialogue().table, samples)?;
    }
    let chosen = match args.count {
        None => SelectedDialogues::of_run(&drawer, &manifest)?,
        Some(count) => {
            let chosen = SelectedDialogues::raised(&drawer, &mut manifest, count)?;
            distinct::selected(chosen.count, &chosen.selection)?;
            distinct::require_distinct(&drawer, count, chosen.selection.limit)?;
            chosen
        }
    };
    let utterances = match &manifest.utterances {
        None => None,
        Some(hash) => Some(utterances::stored_set(&folder.file(UTTERANCES), hash)?),
    };
    let (drawer, selection, folder) = (&drawer, &chosen.selection, &folder);
    let job = Job { drawer, selection, folder, manifest, tested, panel, extractors, utterances };
    execute(args, job, &prices, (key, how), output)
}

fn execute(
    args: &Args,
    job: Job<'_>,
    prices: &Prices,
    (key, how): (Option<&SigningKey>, RunMode<'_>),
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let RunMode { mut by_hand, mut series } = how;
    let threads =
        args.workers.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let (offline, folder, plan) = (job.is_offline(), job.folder, job.drawer.plan());
    if job.manifest.is_hidden() && job.manifest.prompts_kept {
        folder.write(GIT_IGNORE, KEPT_PROMPTS_IGNORED)?;
    }
    let JobJournal { journal, spent, torn, batches } = job.journal(prices, args.ask_again)?;
    if let Some((bytes, path)) = torn {
        output.note(&requests::partial_record_message(bytes, &path));
    }
    let cancel = cancel_on_interrupt();
    let mut context = args.requests.context(journal, spent, cancel)?;
    if let Some(series) = &mut series {
        series.folders.push(folder.path().to_owned());
        context.budget = context.budget.shared_with(series.spent);
    }
    let files = by_hand.as_mut().and_then(|by_hand| by_hand.files.take());
    context.rounds = match files {
        Some(files) => Some(Rounds::from_files(files)),
        None if args.requests.sending == Sending::Batches => {
            Some(Rounds::of_batches(BatchStore::new(args.batch_poll, batches)))
        }
        None => None,
    };
    let at_once = match () {
        // A simulated model answers immediately: more dialogues than threads would only use memory.
        () if offline => threads,
        // A round has a request of every dialogue.
        () if context.rounds.is_some() => job.selection.dialogues.len(),
        () => args.requests.concurrent_dialogues(),
    };
    context.hidden = job
        .drawer
        .secret_key()
        .map(|key| HiddenRecords { key: *key, keeps_prompts: job.manifest.prompts_kept });
    if context.hidden.is_some() && by_hand.is_none() {
        output.note(match job.manifest.prompts_kept {
            true => "the run's folder has the prompts of a hidden set: publish only its scores",
            false => "hidden set: its prompts are left out of the run's folder (`--keep-prompts` keeps them)",
        });
    }
    let concurrency = Concurrency { threads, at_once };
    let mut progress = ProgressLine::new(job.selection.dialogues.len());
    let outcome = job.execute(&context, prices, concurrency, |event| {
        if let JobEvent::Over(Some(_)) = event {
            progress.finish_line();
        }
        match by_hand {
            None => progress.show(&context, output),
            Some(_) => context.meter.news().iter().for_each(|news| output.note(news)),
        }
    });
    output.progress("");
    let JobOutcome { manifest, scored } = outcome.map_err(|error| match error {
        JobError::Io { .. } => CommandError::from(error).help(resumable(folder)),
        error => error.into(),
    })?;
    if let (Some(by_hand), Some(files)) = (by_hand, context.rounds.as_ref().and_then(Rounds::files))
    {
        by_hand.state = manual_run_state(files, folder);
        let is_open = !by_hand.state.open.is_empty();
        if (is_open || by_hand.is_writing) && context.ended.get().is_none() {
            return Ok(if manifest.failed > 0 && !is_open {
                Exit::Infrastructure
            } else {
                Exit::Good
            });
        }
    }
    let interrupted = cancel.is_cancelled() && context.ended.get().is_none();
    let format = series.is_none().then_some(args.format);
    score::score_held(folder, &manifest, plan, scored, format, output)?;
    if let Some(series) = &mut series {
        series.spent.add(&context.budget.spent());
    }
    report(&context, offline, prices, folder, &manifest, output);
    if let Some(key) = key {
        match manifest.complete {
            true => sign::sign_run(folder, key, output)?,
            false => output.warn("the run is not complete, and was not signed"),
        }
    }
    if let Some(why) = context.ended.get() {
        let help = match why.kind {
            FailureKind::Permanent => format!(
                "every request would be refused again: start a run with other settings, or {} when \
                 the endpoint accepts them",
                resumable(folder)
            ),
            _ => resumable(folder),
        };
        return Err(CommandError::infrastructure(why.to_string()).help(help));
    }
    Ok(match () {
        () if interrupted => Exit::Interrupted,
        () if manifest.failed > 0 => Exit::Infrastructure,
        () => Exit::Good,
    })
}

fn manual_run_state(files: &Files, folder: &Folder) -> ManualRunState {
    let (taken, before) = files.counts();
    ManualRunState {
        folder: folder.path().to_owned(),
        open: files.open_requests(),
        taken,
        before,
        unknown: files.unknown(),
        differing: files.differing(),
    }
}

/// Prints the outcome of the run, without its scores.
fn report(
    context: &RequestContext<'_>,
    offline: bool,
    prices: &Prices,
    folder: &Folder,
    manifest: &RunManifest,
    output: &mut Output,
) {
    if !offline {
        let halved = if manifest.batch { ", halved for batches" } else { "" };
        output.note(&summary(context, &format!("{}{halved}", prices.day())));
    }
    output.note(&format!("the run is in {}", folder.path().display()));
    if manifest.failed > 0 {
        let dialogues =
            load::counted(usize::try_from(manifest.failed).unwrap_or(usize::MAX), "dialogue");
        output.note(&format!(
            "{dialogues} incomplete because a request failed (an infrastructure error, not a miss of the model)"
        ));
    }
    if manifest.complete || context.ended.get().is_some() {
        return;
    }
    let complete = manifest.dialogues.saturating_sub(manifest.failed);
    output.note(&match manifest.permanent {
        // Dialogues that were interrupted are not among the failed ones.
        all if all > 0 && all == manifest.failed && !context.cancel.is_cancelled() => format!(
            "{complete} of {} dialogues are complete, and the same requests would fail again: remove \
             the cause, then {}",
            manifest.dialogues,
            resumable(folder)
        ),
        _ => resumable(folder),
    });
}

fn resumable(folder: &Folder) -> String {
    format!("resume it with `ifs run --resume {}`", quoted(folder.path()))
}
