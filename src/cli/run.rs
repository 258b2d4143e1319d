//! `ifs run`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::exit::{Exit, Problem};
use super::extraction::{self, ExtractorArgs, extractors};
use super::judges::{self, JudgeArgs};
use super::output::Output;
use super::progress::{Progress, summary};
use super::requests::{ParameterArgs, RequestArgs, cancel_on_interrupt, journal};
use super::{Format, distinct, estimate, load, score, utterances};
use ifs::inference::{Caller, Concurrency, Event, Journal, Prices, RequestContext, Spent};
use ifs::panel::Panel;
use ifs::plan::Plan;
use ifs::provider;
use ifs::run::{
    Extractors, FinishedDialogue, Folder, FolderError, Manifest, Ordered, RunContext, SCHEMA,
    Selection, UTTERANCES, Written, drawable, run_all, select, select_distinct,
};
use ifs::score::{Ending, ScoredDialogue};
use ifs::script::{Drawer, Seed};
use ifs::synthesis::UtteranceSet;

/// Run dialogues against a model and score the responses.
///
/// Writes a folder with the plan, a journal of every response, the transcripts and
/// the scores, from which `ifs score` and `ifs report` give the same numbers again.
/// `--resume` continues a run that was stopped or killed: no response is requested
/// twice.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Models behind an endpoint; keys and addresses come from the environment or a .env file:
  openai/MODEL           OPENAI_API_KEY, OPENAI_BASE_URL
  anthropic/MODEL        ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL
  google/MODEL           GOOGLE_API_KEY, GOOGLE_BASE_URL
  openrouter/MODEL       OPENROUTER_API_KEY, OPENROUTER_BASE_URL
  ollama/MODEL           OLLAMA_BASE_URL (http://localhost:11434/v1)
  vllm/MODEL             VLLM_BASE_URL (http://localhost:8000/v1), VLLM_API_KEY
  openai-api/NAME/MODEL  NAME_API_KEY, NAME_BASE_URL: whatever speaks like OpenAI

Simulated models; everything runs offline:
  sim/oracle         follows every active constraint
  sim/noisy:0.1      misses each constraint with this probability
  sim/forgetful:0.03 misses older instructions more often (the default)
  sim/echo           repeats the user message
  sim/golden         gives the golden answer
  sim/replay:FILE    gives recorded responses
  sim/judge:0.1      a judge that knows what was missed, and misjudges it with this probability

Examples:
  ifs run scenarios/evolif/evolif.ifs
  ifs run a.ifs -m sim/noisy:0.2 -n 50 --seed 7 --out runs/noisy
  ifs run a.ifs --variant impatient           a variant that the dialogue declares
  ifs run a.ifs -m openai/gpt-4o -n 150 --dry-run
  ifs run a.ifs -m openai/gpt-4o -n 150 --budget 20 --out runs/gpt-4o
  ifs run a.ifs -m openai/gpt-4o --judge anthropic/claude-sonnet-4-5 --judge google/gemini-2.5-pro
  ifs run --resume runs/gpt-4o --budget 30")]
pub(crate) struct Args {
    /// The scenario
    #[arg(required_unless_present = "resume")]
    file: Option<PathBuf>,
    /// Resume the run in this folder
    #[arg(long, value_name = "FOLDER", conflicts_with_all = FIXED)]
    resume: Option<PathBuf>,
    /// Name of the dialogue; the first by default
    #[arg(short, long)]
    dialogue: Option<String>,
    /// Variant of the dialogue; none by default
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
    /// Model under test
    #[arg(short, long, default_value = provider::DEFAULT)]
    model: String,
    /// Number of dialogues; by default as many as the release declares, else 20, or all distinct
    /// ones where there are fewer, or all of the utterance set
    #[arg(short = 'n', long, value_parser = distinct::chosen)]
    count: Option<u64>,
    /// Number of responses to each turn; overrides the dialogue's `sample`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    samples: Option<u32>,
    /// Seed of the dialogues; the release's seed, else 1, by default
    #[arg(long)]
    seed: Option<u64>,
    /// Maximum number of turns in a dialogue; 1000 by default, or as many as the utterance set has
    #[arg(long)]
    max_turns: Option<u32>,
    /// Utterance set for the user messages, written by `ifs synthesize` and frozen by `ifs review`
    #[arg(long, value_name = "FILE")]
    utterances: Option<PathBuf>,
    /// Number of threads that draw and check; the number of processors by default
    #[arg(short = 'j', long)]
    workers: Option<usize>,
    /// With `--resume`: request responses again that were paid for and that the journal has lost
    #[arg(long, requires = "resume")]
    ask_again: bool,
    /// Folder of the run; a new one under `runs` by default
    #[arg(short, long)]
    out: Option<PathBuf>,
    /// Estimate the cost without sending a request
    #[arg(long)]
    dry_run: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    parameters: ParameterArgs,
    #[command(flatten)]
    judges: JudgeArgs,
    #[command(flatten)]
    extractors: ExtractorArgs,
    #[command(flatten)]
    requests: RequestArgs,
}

/// Options that a resumed run takes from its start.
const FIXED: [&str; 33] = [
    "file",
    "dialogue",
    "variant",
    "model",
    "count",
    "samples",
    "seed",
    "max_turns",
    "utterances",
    "out",
    "dry_run",
    "system",
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
    "judge_temperature",
    "judge_max_tokens",
    "judge_body",
    "coder",
    "extractor",
];

const AGAIN: &str = "take it back from a copy, or ask and pay for them again with `--ask-again`";

/// The transcripts of a run.
const TRANSCRIPTS: [&str; 2] = ["transcripts.jsonl", "transcripts.jsonl.part"];

/// Dialogues, and turns of each, where nothing says how many.
const COUNT: u64 = 20;
const MAX_TURNS: u32 = 1000;

pub(crate) fn run(mut args: Args, output: &mut Output) -> Result<Exit, Problem> {
    args.requests.dry_run = args.dry_run;
    match (&args.resume, &args.file) {
        (Some(folder), _) => resume(&args, folder, output),
        (None, Some(file)) => begin(&args, file, output),
        (None, None) => Err(Problem::usage("name a scenario")),
    }
}

/// A run that is about to start.
struct Job<'a> {
    drawer: &'a Drawer<'a>,
    selection: &'a Selection,
    folder: &'a Folder,
    manifest: Manifest,
    tested: Caller,
    panel: Panel,
    extractors: Option<Extractors>,
    prices: Prices,
    utterances: Option<UtteranceSet>,
}

fn begin(args: &Args, file: &Path, output: &mut Output) -> Result<Exit, Problem> {
    let parameters = args.parameters.parameters()?;
    let model = args.requests.model(&args.model, &parameters)?;
    let utterances = args.utterances.as_deref().map(UtteranceSet::read_frozen).transpose()?;
    let of_set = utterances.as_ref().map(|set| &set.made);
    let variant = args.variant.clone().or(of_set.and_then(|header| header.variant.clone()));
    let which = load::Which {
        file: file.to_owned(),
        dialogue: args.dialogue.clone().or(of_set.map(|header| header.dialogue.clone())),
        variant: variant.clone(),
    };
    let (program, dialogue) = match args.samples {
        None => load::dialogue(&which, output)?,
        Some(samples) => load::sampled(&which, samples, output)?,
    };
    let name = dialogue.table.name.as_str();
    let release = release(&program.plan, name);
    let of_release = release.and_then(|release| release.seed);
    let seed_of_set = of_set.map(|header| header.seed);
    let seed = Seed(args.seed.or(seed_of_set).or(of_release).unwrap_or(1));
    let drawer = program.drawer(name)?;
    let of_release = release.and_then(|release| release.count(name));
    let count = args.count.or(of_set.map(|header| header.dialogues)).or(of_release);
    let count = count.unwrap_or(COUNT);
    let max_turns = args.max_turns.or(of_set.map(|header| header.turns)).unwrap_or(MAX_TURNS);
    // Messages that models wrote differ even where they say the same.
    let distinct = utterances.is_none();
    let selection = match distinct {
        true => select_distinct(&drawer, release, seed, count, max_turns)?,
        false => select(&drawer, release, seed, count)?,
    };
    if args.count.is_some() {
        distinct::enough(&drawer, count, selection.limit)?;
    }
    if let Some(note) = distinct::noted(name, &selection) {
        output.note(&note);
    }
    if let Some(set) = &utterances {
        let asked = utterances::Asked {
            plan: &program.plan,
            dialogue: name,
            variant: variant.as_deref(),
            seed,
            max_turns,
        };
        utterances::fits(set, &asked, &selection)?;
    }
    let prices = args.requests.prices()?;
    let tested = args.requests.caller(model, &prices)?;
    let panel = args.judges.panel(&args.model, &args.requests, &prices)?;
    judges::warn(&panel.judging, &args.model, output);
    let [coder, extractor] = args.extractors.named(&args.requests)?;
    let named = [coder.as_ref(), extractor.as_ref()];
    let extractors = extractors(named, &dialogue.table, &args.requests, &prices)?;
    if args.dry_run {
        let sketch =
            estimate::Sketch { drawer: &drawer, seed, max_turns, utterances: utterances.as_ref() };
        let callers = estimate::Callers {
            tested: &tested,
            parameters: &parameters,
            panel: &panel,
            extractors: extractors.as_ref(),
            allowance: args.requests.allowance(),
        };
        return estimate::show(&sketch, &selection, &callers, &prices, output);
    }
    if !tested.model.is_simulated() || panel.makes_calls() || extractors.is_some() {
        drawable::<Problem>(&drawer, seed, &selection.dialogues, max_turns)?;
    }
    let folder = folder(args, &program.plan.benchmark.name, variant.as_deref(), seed)?;
    let manifest = Manifest {
        schema: SCHEMA,
        ifs_version: env!("CARGO_PKG_VERSION").to_owned(),
        benchmark: program.plan.benchmark.name.clone(),
        benchmark_version: program.plan.benchmark.version.clone(),
        plan_hash: program.plan.hash(),
        dialogue: name.to_owned(),
        variant: variant.clone(),
        model: args.model.clone(),
        simulated_model: tested.model.is_simulated(),
        simulated_judge: panel.judging.has_simulated(),
        judging: Some(panel.judging.clone()),
        coder,
        extractor,
        address: tested.model.address(),
        headers: args.requests.headers()?.into_iter().map(|header| header.name).collect(),
        parameters,
        seed: seed.0,
        count,
        dialogues: selection.dialogues.len() as u64,
        rejected: selection.rejected,
        distinct,
        repeats: selection.repeats,
        max_turns,
        utterances: utterances.as_ref().and_then(|set| set.hash.clone()),
        complete: false,
        transcripts: None,
        failed: 0,
        spent: Spent::default(),
    };
    folder.write("plan.json", &program.plan.to_json())?;
    folder.write_pictures(&program.plan.pictures)?;
    if let Some(set) = &utterances {
        set.write(&folder.file(UTTERANCES))?;
    }
    folder.write_json("run.json", &manifest)?;
    let (drawer, selection, folder) = (&drawer, &selection, &folder);
    let job =
        Job { drawer, selection, folder, manifest, tested, panel, extractors, prices, utterances };
    execute(args, job, output)
}

fn resume(args: &Args, path: &Path, output: &mut Output) -> Result<Exit, Problem> {
    let folder = Folder::resume(path)?;
    let manifest = folder.manifest()?;
    let mut plan = score::plan(&folder, &manifest)?;
    folder.read_pictures(&mut plan.pictures)?;
    let model = args.requests.model(&manifest.model, &manifest.parameters)?;
    if model.address() != manifest.address {
        let (was, is) = (manifest.address.unwrap_or_default(), model.address().unwrap_or_default());
        return Err(Problem::usage(format!("the run was begun with {was}, and this is {is}"))
            .help("set the base address to the former value"));
    }
    let prices = args.requests.prices()?;
    let tested = args.requests.caller(model, &prices)?;
    let panel = match &manifest.judging {
        Some(judging) => judges::panel(judging.clone(), &args.requests, &prices)?,
        None => args.judges.panel(&manifest.model, &args.requests, &prices)?,
    };
    let drawer = Drawer::new(&plan, &manifest.dialogue)?;
    let named = extraction::of_run(&manifest);
    let extractors = extractors(named, &drawer.dialogue().table, &args.requests, &prices)?;
    let seed = Seed(manifest.seed);
    let (release, count) = (release(&plan, &manifest.dialogue), manifest.count);
    let selection = match manifest.distinct {
        true => select_distinct(&drawer, release, seed, count, manifest.max_turns)?,
        false => select(&drawer, release, seed, count)?,
    };
    let utterances = match &manifest.utterances {
        None => None,
        Some(hash) => Some(utterances::kept(&folder.file(UTTERANCES), hash)?),
    };
    let (drawer, selection, folder) = (&drawer, &selection, &folder);
    let job =
        Job { drawer, selection, folder, manifest, tested, panel, extractors, prices, utterances };
    execute(args, job, output)
}

/// The release that a dialogue belongs to.
pub(crate) fn release<'p>(
    plan: &'p Plan,
    dialogue: &str,
) -> Option<&'p ifs::model::table::Release> {
    plan.releases.iter().find(|release| release.counts.iter().any(|(_, of)| of == dialogue))
}

fn execute(args: &Args, job: Job<'_>, output: &mut Output) -> Result<Exit, Problem> {
    let Job {
        drawer,
        selection,
        folder,
        mut manifest,
        tested,
        panel,
        extractors,
        prices,
        utterances,
    } = job;
    let threads =
        args.workers.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let offline = tested.model.is_simulated() && !panel.makes_calls() && extractors.is_none();
    // A simulated model answers at once: more dialogues than threads would only take memory.
    let at_once = if offline { threads } else { args.requests.at_once() };
    let (kept, spent) = if offline {
        (None, Spent::default())
    } else {
        let identity = manifest.identity();
        let has = |name: &str| std::fs::symlink_metadata(folder.file(name)).is_ok();
        // Transcripts are begun when there is a journal.
        let begun = TRANSCRIPTS.into_iter().any(has);
        if (manifest.spent.calls > 0 || begun) && !has("journal") && !args.ask_again {
            let path = folder.path().display();
            let paid = match usize::try_from(manifest.spent.calls).unwrap_or(usize::MAX) {
                0 => "calls were made for it already".to_owned(),
                calls => format!("{} were paid for it already", load::counted(calls, "call")),
            };
            return Err(Problem::input(format!("`{path}` has no journal, and {paid}"))
            .help("take its file `journal` back from a copy, or ask and pay for them again with `--ask-again`"));
        }
        let refused = (!args.ask_again).then_some(AGAIN);
        let opened = journal(&folder.file("journal"), &identity, &prices, refused, output);
        let (kept, spent) = opened.map_err(|problem| match problem.help {
            None if problem.exit == Exit::Input => {
                problem.help("it or run.json was changed; restore both from a copy")
            }
            _ => problem,
        })?;
        if !args.ask_again {
            none_lost(folder, &manifest, &kept, spent)?;
        }
        (Some(kept), spent)
    };
    let concurrency = Concurrency { threads, at_once };
    let cancel = cancel_on_interrupt();
    let context = args.requests.context(kept, spent, cancel)?;
    let prompts = judges::prompts(drawer.plan())?;
    let run = RunContext {
        drawer,
        tested: &tested,
        panel: &panel,
        prompts: &prompts,
        extractors: extractors.as_ref(),
        system: manifest.parameters.system.as_deref(),
        seed: Seed(manifest.seed),
        max_turns: manifest.max_turns,
        utterances: utterances.as_ref(),
    };
    // From here on the run is not complete, whatever ends it, and what the journal holds was paid.
    manifest.complete = false;
    if spent.calls > manifest.spent.calls {
        manifest.spent = spent;
    }
    manifest.failed = 0;
    folder.write_json("run.json", &manifest)?;
    let (tally, scored, transcripts) =
        run_selected(&context, &run, selection, folder, concurrency, output).map_err(
            |problem| {
                // A journal that is gone is the cause, and a file that cannot be written a
                // consequence.
                let cause = context.ended.get().map(|why| Problem::machine(why.to_string()));
                cause.unwrap_or(problem)
            },
        )?;
    let by_hand = cancel.is_cancelled() && context.ended.get().is_none();
    let hash = transcripts.hash.clone();
    if manifest.transcripts.as_ref().is_some_and(|before| *before != hash) {
        manifest.transcripts = None;
        folder.write_json("run.json", &manifest)?;
    }
    transcripts.settle().map_err(|error| unwritten(folder, &error))?;
    manifest.transcripts = Some(hash);
    manifest.complete = tally.whole == selection.dialogues.len();
    manifest.failed = tally.failed;
    manifest.spent = context.budget.spent();
    folder.write_json("run.json", &manifest)?;
    score::score_held(folder, &manifest, drawer.plan(), scored, args.format, output)?;
    report(&context, offline, &prices, folder, &manifest, output);
    if let Some(why) = context.ended.get() {
        return Err(Problem::machine(why.to_string()).help(resumable(folder)));
    }
    Ok(match () {
        () if by_hand => Exit::Interrupted,
        () if tally.failed > 0 => Exit::Machine,
        () => Exit::Good,
    })
}

/// A journal has every answer that `run.json` says was paid for, and that is in the transcripts: of
/// a run that was killed only they tell.
fn none_lost(
    folder: &Folder,
    manifest: &Manifest,
    journal: &Journal,
    spent: Spent,
) -> Result<(), Problem> {
    let refuse = |lost: u64, of: u64, says: &str| {
        let lost = load::counted(usize::try_from(lost).unwrap_or(usize::MAX), "answer");
        let path = folder.file("journal");
        let path = path.display();
        Err(Problem::input(format!("`{path}` has lost {lost} of the {of} that {says}")).help(AGAIN))
    };
    if manifest.spent.calls > spent.calls {
        let paid = manifest.spent.calls;
        return refuse(paid - spent.calls, paid, "run.json says were paid for");
    }
    if manifest.simulated_model {
        return Ok(());
    }
    let mut held = 0;
    // Transcripts that cannot be read are made again from the journal.
    let _ = folder.each_transcript(manifest, |transcript| {
        held += transcript.turns.iter().map(|turn| turn.answers().count() as u64).sum::<u64>();
    });
    match held.checked_sub(journal.answers()) {
        None | Some(0) => Ok(()),
        Some(lost) => refuse(lost, held, "the transcripts of the run hold"),
    }
}

#[derive(Default)]
struct Tally {
    /// Dialogues that ended.
    whole: usize,
    /// Dialogues that an infrastructure error ended.
    failed: u64,
}

fn unwritten(folder: &Folder, error: &std::io::Error) -> Problem {
    Problem::machine(format!("`{}`: {error}", folder.path().display())).help(resumable(folder))
}

/// Runs all dialogues: their endings, scores and transcripts in the order of the
/// selection.
fn run_selected(
    context: &RequestContext<'_>,
    run: &RunContext<'_>,
    selection: &Selection,
    folder: &Folder,
    concurrency: Concurrency,
    output: &mut Output,
) -> Result<(Tally, Vec<ScoredDialogue>, Written), Problem> {
    let io = |error: std::io::Error| unwritten(folder, &error);
    let mut ordered = Ordered::create(folder.path(), "transcripts.jsonl").map_err(io)?;
    let mut tally = Tally::default();
    let mut scores = BTreeMap::new();
    let mut progress = Progress::new(selection.dialogues.len());
    let outcome = run_all(context, run, &selection.dialogues, concurrency, |news| {
        if let Event::Done(at, held) = news {
            let FinishedDialogue { ending, line, scored } = held?;
            ordered.put(at, &line).map_err(io)?;
            scores.insert(at, scored.map_err(|error| io(error.into()))?);
            match ending {
                Ending::Interrupted => {}
                Ending::Failed(_) => {
                    progress.done();
                    tally.failed += 1;
                }
                Ending::Patience | Ending::Condition(_) | Ending::Script | Ending::MaxTurns => {
                    progress.done();
                    tally.whole += 1;
                }
            }
        }
        progress.show(context, output);
        Ok::<(), Problem>(())
    });
    output.progress("");
    outcome?;
    let written = ordered.finish().map_err(io)?;
    Ok((tally, scores.into_values().collect(), written))
}

/// The outcome of the run, without its scores.
fn report(
    context: &RequestContext<'_>,
    offline: bool,
    prices: &Prices,
    folder: &Folder,
    manifest: &Manifest,
    output: &mut Output,
) {
    if !offline {
        output.note(&summary(context, &prices.day()));
    }
    output.note(&format!("the run is in {}", folder.path().display()));
    if manifest.failed > 0 {
        let dialogues =
            load::counted(usize::try_from(manifest.failed).unwrap_or(usize::MAX), "dialogue");
        output.note(&format!(
            "{dialogues} incomplete because a request failed (an infrastructure error, not a miss of the model)"
        ));
    }
    if !manifest.complete && context.ended.get().is_none() {
        output.note(&resumable(folder));
    }
}

fn resumable(folder: &Folder) -> String {
    format!("resume it with `ifs run --resume {}`", folder.path().display())
}

/// The folder that was named, or the first free one under `runs`.
fn folder(
    args: &Args,
    benchmark: &str,
    variant: Option<&str>,
    seed: Seed,
) -> Result<Folder, Problem> {
    if let Some(path) = &args.out {
        return Ok(Folder::create(path)?);
    }
    let plain = |text: &str| -> String {
        text.chars()
            .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
            .collect()
    };
    let benchmark = if benchmark.is_empty() { "run" } else { benchmark };
    let variant = variant.iter().map(|variant| format!("-{}", plain(variant)));
    let of = format!("{}{}", plain(benchmark), variant.collect::<String>());
    let base = format!("{of}-{}-seed{}", plain(&args.model), seed.0);
    for number in 1.. {
        let name = if number == 1 { base.clone() } else { format!("{base}-{number}") };
        let path = Path::new("runs").join(name);
        match Folder::create(&path) {
            Err(FolderError::Taken(_) | FolderError::InUse(_) | FolderError::Foreign { .. }) => {}
            other => return Ok(other?),
        }
    }
    Err(Problem::machine("no free folder under `runs`"))
}
