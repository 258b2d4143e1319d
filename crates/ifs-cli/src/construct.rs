//! `ifs construct`

use std::path::PathBuf;

use super::collect::{CollectedResults, RESUME_HELP, run_concurrently};
use super::exit::{CommandError, Exit};
use super::load::{self, counted};
use super::output::Output;
use super::requests::{ParameterArgs, RequestArgs, cancel_on_interrupt, number};
use super::shell::quoted;
use super::spending::opened;
use ifs_author::construct::{
    ConstructedSetHeader, ConstructionAgent, ConstructionFailure, ConstructionPrompts,
    ConstructionRole, DialogueBrief, DialogueSet, MistakeRate, SetDialogue,
};
use ifs_draw::{Drawer, Seed};
use ifs_inference::provider::Parameters;
use ifs_inference::{Caller, Client, Concurrency, Prices, Spent};
use ifs_run::curated_set::ReviewState;
use ifs_run::release_of as release;
use ifs_run::{Selected, drawable};

/// Have models write dialogues along flows.
///
/// A flow, a topic, a task and a persona are drawn as for `ifs draw`. The planner decides the
/// purpose of each turn, the writer writes the messages, and the extractor lists what each response
/// is judged on; questions about the relations are added. Each stage is checked by rules, repeated
/// with the error if a check fails, and flagged after the last attempt. `ifs review` shows a person
/// the flagged dialogues; `ifs import dialogues` makes a release of the set.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Simulated models, for every role but the checker; everything runs offline:
  sim/plain           writes what the templates contain
  sim/careless:0.2    makes a mistake with this probability in each attempt

Examples:
  ifs construct scenarios/structflowbench/structflowbench.ifs --dialogue structured \\
      --planner sim/plain --writer sim/plain --extractor sim/plain --out talks.jsonl
  ifs construct a.ifs -n 155 --planner openai/gpt-4.1 --writer openai/gpt-4.1 \\
      --extractor openai/gpt-4.1-mini --checker openai/gpt-4.1-mini --out talks.jsonl
  ifs review talks.jsonl
  ifs import dialogues talks.jsonl --out ours
  ifs run ours/published.ifs --model …

Run the same command again to resume: responses are kept in a journal next to the file.")]
pub(crate) struct Args {
    #[command(flatten)]
    which: load::DialogueArgs,
    /// Model that writes the plan
    #[arg(long, value_name = "MODEL")]
    planner: String,
    /// Model that writes the dialogue
    #[arg(long, value_name = "MODEL")]
    writer: String,
    /// Model that extracts the constraints and their types
    #[arg(long, value_name = "MODEL")]
    extractor: String,
    /// Model that checks plans after the rules, or `rules` for rules only
    #[arg(long, value_name = "MODEL", default_value = "rules")]
    checker: String,
    /// Maximum number of attempts for a stage
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    tries: u32,
    /// Number of dialogues; by default the number that the scenario's release declares, or else 20
    #[arg(short = 'n', long, value_parser = super::distinct::chosen)]
    count: Option<u64>,
    /// Seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Output file
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Sampling temperature of the extractor and the checker
    #[arg(long, value_name = "NUMBER", default_value_t = 0.0)]
    reading_temperature: f64,
    /// Request responses again that were paid for but are missing from the journal
    #[arg(long)]
    ask_again: bool,
    #[command(flatten)]
    parameters: ParameterArgs,
    #[command(flatten)]
    requests: RequestArgs,
}

/// The default temperature of the planner and the writer: the same brief should not give the same
/// dialogue each time.
const DEFAULT_TEMPERATURE: f64 = 1.0;
/// The default number of dialogues, if there is no release.
const DEFAULT_DIALOGUES: u64 = 20;

/// The maximum number of turns of a dialogue that is written in one request.
const MAX_TURNS: usize = 30;

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    if args.out.exists() {
        return Err(CommandError::input(format!("`{}` already exists", args.out.display()))
            .help("continue with `ifs review`, or choose another file with `--out`"));
    }
    let prices = args.requests.prices()?;
    let temperature = number("--reading-temperature", Some(args.reading_temperature))?;
    let reads = Parameters { temperature, ..Parameters::default() };
    let mut writes = args.parameters.parameters()?;
    writes.temperature = writes.temperature.or(Some(DEFAULT_TEMPERATURE));
    let agent = ConstructionAgent {
        prompts: ConstructionPrompts::new()
            .map_err(|(name, fault)| CommandError::input(format!("{name}: {fault}")))?,
        planner: role(&args, &args.planner, &writes, &prices)?,
        writer: role(&args, &args.writer, &writes, &prices)?,
        extractor: role(&args, &args.extractor, &reads, &prices)?,
        checker: match args.checker.as_str() {
            "rules" => None,
            name => Some(Box::new(caller(&args, name, &reads, &prices)?)),
        },
        tries: args.tries,
    };
    let (program, dialogue) = load::dialogue(&args.which, output)?;
    let does = "a complete dialogue has one path";
    load::same_turns(&program.plan, dialogue, does)?;
    let name = dialogue.table.name.as_str();
    let drawer = program.drawer(name)?;
    let declared = release(&program.plan, name).and_then(|release| release.count(name));
    let count = args.count.or(declared).unwrap_or(DEFAULT_DIALOGUES);
    let selected: Vec<Selected> =
        (0..count).map(|index| Selected { dialogue: name.to_owned(), index }).collect();
    drawable::<CommandError>(&drawer, Seed(args.seed), &selected, MAX_TURNS as u32)?;
    let header = ConstructedSetHeader {
        benchmark: program.plan.model.benchmark.name.clone(),
        plan_hash: program.plan.hash(),
        dialogue: name.to_owned(),
        seed: args.seed,
        planner: args.planner.clone(),
        writer: args.writer.clone(),
        extractor: args.extractor.clone(),
        checker: args.checker.clone(),
        tries: args.tries,
        parameters: writes,
        simulated: [&agent.planner, &agent.writer, &agent.extractor]
            .iter()
            .any(|role| matches!(role, ConstructionRole::Simulated(_))),
    };
    write(&args, count, &agent, &drawer, header, &prices, output)
}

fn role(
    args: &Args,
    name: &str,
    parameters: &Parameters,
    prices: &Prices,
) -> Result<ConstructionRole, CommandError> {
    match MistakeRate::parse(name) {
        Some(careless) => Ok(ConstructionRole::Simulated(careless)),
        None => Ok(ConstructionRole::Model(Box::new(caller(args, name, parameters, prices)?))),
    }
}

fn caller(
    args: &Args,
    name: &str,
    parameters: &Parameters,
    prices: &Prices,
) -> Result<Caller, CommandError> {
    if name.starts_with("sim/") {
        return Err(CommandError::usage(format!("`{name}` has no part in writing dialogues"))
            .help("`ifs construct --help` lists the simulated models that have"));
    }
    args.requests.caller(args.requests.model(name, parameters)?, prices)
}

/// The models that are requested over HTTP.
fn callers(agent: &ConstructionAgent) -> impl Iterator<Item = &Caller> {
    let roles = [&agent.planner, &agent.writer, &agent.extractor].into_iter();
    let roles = roles.filter_map(|role| match role {
        ConstructionRole::Model(caller) => Some(&**caller),
        ConstructionRole::Simulated(_) => None,
    });
    roles.chain(agent.checker.as_deref())
}

/// A name for all settings that the requests depend on: a journal belongs to one set.
fn identity(header: &ConstructedSetHeader, count: u64, agent: &ConstructionAgent) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("ifs: calls for dialogues");
    // Texts and numbers always serialize.
    hasher.update(serde_json::to_string(header).unwrap_or_default().as_bytes());
    hasher.update(&count.to_le_bytes());
    for caller in callers(agent) {
        hasher.update(caller.model.address().unwrap_or_default().as_bytes());
    }
    hasher.finalize().to_hex().as_str()[..32].to_owned()
}

fn write(
    args: &Args,
    count: u64,
    agent: &ConstructionAgent,
    drawer: &Drawer<'_>,
    header: ConstructedSetHeader,
    prices: &Prices,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let asks = callers(agent).next().is_some();
    let (kept, spent, mut paid) = match asks {
        true => {
            let identity = identity(&header, count, agent);
            let (kept, spent, paid) = opened(&args.out, &identity, prices, args.ask_again, output)?;
            (Some(kept), spent, Some(paid))
        }
        false => (None, Spent::default(), None),
    };
    let context = args.requests.context(kept, spent, cancel_on_interrupt())?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let concurrency = Concurrency {
        threads,
        at_once: if asks { args.requests.concurrent_dialogues() } else { threads },
    };
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let name = header.dialogue.clone();
    let work = async |client: &Client<'_>, at: usize| -> Result<SetDialogue, ConstructionFailure> {
        let index = at as u64;
        let turns: Result<Vec<_>, _> =
            drawer.script(Seed(args.seed), index).take(MAX_TURNS).collect();
        let brief = DialogueBrief::from_script(drawer, &turns?);
        agent.write(client, &format!("{name}/{index}"), index, &brief).await
    };
    let Some(CollectedResults { done, failed }) = run_concurrently(
        &context,
        count,
        concurrency,
        work,
        paid.as_mut().map(|paid| (prices, paid)),
        output,
    )?
    else {
        return Ok(Exit::Interrupted);
    };
    if let Some((at, why)) = failed.first_key_value() {
        let message = format!(
            "{} could not be written; number {at}: {why}",
            counted(failed.len(), "dialogue")
        );
        return Err(match why {
            ConstructionFailure::Call(_) => CommandError::infrastructure(message).help(RESUME_HELP),
            ConstructionFailure::Draw(_) | ConstructionFailure::Prompt(_) => {
                CommandError::input(message)
            }
        });
    }
    let mut set = DialogueSet::new(header, done.into_values().collect());
    let frozen = set.freeze();
    set.write(&args.out)?;
    show(&set, output);
    let (path, word) = (args.out.display(), quoted(&args.out));
    output.note(&match frozen {
        true => format!(
            "the dialogues are in {path}, frozen; `ifs import dialogues {word}` makes a release"
        ),
        false => format!(
            "the dialogues are in {path}; `ifs review {word}` goes through the {} and freezes them",
            counted(set.flagged(), "flagged dialogue"),
        ),
    });
    Ok(Exit::Good)
}

/// Prints the outcome of the dialogues.
pub(crate) fn show(set: &DialogueSet, output: &mut Output) {
    let count =
        |state: ReviewState| set.entries.iter().filter(|entry| entry.state == state).count();
    let turns: usize = set.entries.iter().map(|entry| entry.talk.turns.len()).sum();
    let questions = set.entries.iter().flat_map(|entry| &entry.talk.turns);
    let questions: usize = questions.map(|turn| turn.checks.len()).sum();
    output.line(&format!(
        "{} of {} with {}: {} passed at once, {} at a later try, {} flagged, {} accepted, {} rejected",
        counted(set.entries.len(), "dialogue"),
        counted(turns, "turn"),
        counted(questions, "question"),
        count(ReviewState::Passed),
        count(ReviewState::Retried),
        count(ReviewState::Flagged),
        count(ReviewState::Accepted) + count(ReviewState::Edited),
        count(ReviewState::Rejected),
    ));
    if set.made.simulated {
        output.line("simulated: these are not dialogues of a real model");
    }
}
