//! `ifs synthesize`

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::Format;
use super::collect::{CollectedResults, RESUME_HELP, run_concurrently};
use super::exit::{CommandError, Exit};
use super::load::{self, counted};
use super::output::Output;
use super::requests::{ParameterArgs, RequestArgs, cancel_on_interrupt};
use super::shell::quoted;
use super::spending::opened;
use ifs_author::synthesis::{
    Base, MessageChecker, SynthesisAgent, SynthesisFailure, SynthesisPrompts, Synthesizer,
    UtteranceSet, UtteranceSetHeader, Voice, split_weight,
};
use ifs_draw::Seed;
use ifs_inference::provider::Parameters;
use ifs_inference::{BYTES_PER_TOKEN, Caller, Concurrency, Prices, Spent};
use ifs_plan::Plan;
use ifs_run::release_of as release;
use ifs_run::{Folder, Selection, drawable, select};
use ifs_score::Ending;

/// Have models write user messages.
///
/// A model gets what each turn has to say and writes it in the user's style. Rules and
/// a checker verify that the message says all of it and nothing else; if not, it is
/// written again, and flagged after the last attempt. `ifs review` shows a person what
/// is flagged; `ifs run --utterances` uses these messages, the same for every model.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Simulated models; everything runs offline:
  --synthesizer sim/plain         writes the message of the templates
  --synthesizer sim/careless:0.2  omits an instruction with this probability in each attempt
  --checker sim/literal           looks for the sentences of the instructions
  --checker rules                 rules only

Examples:
  ifs synthesize a.ifs --synthesizer sim/careless --checker sim/literal --out utterances.jsonl
  ifs synthesize a.ifs --synthesizer openai/gpt-4.1 --checker openai/gpt-4.1-mini \\
      -n 150 --turns 100 --temperature 1.2 --out utterances.jsonl --dry-run
  ifs synthesize a.ifs --synthesizer openai/gpt-4.1=2 --synthesizer google/gemini-2.5-flash \\
      --checker anthropic/claude-haiku-4-5 --out utterances.jsonl
  ifs synthesize a.ifs --extend utterances.jsonl --turns 200 --for runs/gpt-5 \\
      --synthesizer openai/gpt-4.1 --checker openai/gpt-4.1-mini --out utterances-200.jsonl
  ifs review utterances.jsonl
  ifs run a.ifs --utterances utterances.jsonl -m openai/gpt-4o

Run the same command again to resume: responses are kept in a journal next to the file.")]
pub(crate) struct Args {
    #[command(flatten)]
    which: load::DialogueArgs,
    /// Model that writes user messages; of several, one is drawn by weight for each dialogue
    #[arg(long = "synthesizer", value_name = "MODEL[=WEIGHT]", required = true)]
    synthesizers: Vec<String>,
    /// Model that checks the messages, or `rules`
    #[arg(long, value_name = "MODEL")]
    checker: String,
    /// Maximum number of attempts for a turn
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    tries: u32,
    /// Number of dialogues; 20 by default, or those of the set that is extended
    #[arg(short = 'n', long, value_parser = super::distinct::chosen, conflicts_with = "extend")]
    count: Option<u64>,
    /// Frozen set to extend with further turns; its messages stay
    #[arg(long, value_name = "FILE", conflicts_with = "seed")]
    extend: Option<PathBuf>,
    /// Extend only dialogues that this run played to the end of their messages; may be given
    /// several times
    #[arg(long = "for", value_name = "RUN", requires = "extend")]
    runs: Vec<PathBuf>,
    /// Maximum number of turns in a dialogue
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    turns: u32,
    /// Seed of the dialogues; the release's seed, else 1, by default
    #[arg(long)]
    seed: Option<u64>,
    /// Output file
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Number of threads; the number of processors by default
    #[arg(short = 'j', long)]
    workers: Option<usize>,
    /// Estimate the cost without sending a request
    #[arg(long)]
    dry_run: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    parameters: ParameterArgs,
    /// Request responses again that were paid for and that the journal has lost
    #[arg(long)]
    ask_again: bool,
    #[command(flatten)]
    requests: RequestArgs,
}

pub(crate) fn run(mut args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    args.requests.dry_run = args.dry_run;
    if args.out.exists() {
        return Err(CommandError::input(format!("`{}` already exists", args.out.display()))
            .help("continue with `ifs review`, or choose another file with `--out`"));
    }
    let prices = args.requests.prices()?;
    let parameters = args.parameters.parameters()?;
    let synthesizers = synthesizers(&args, &parameters, &prices)?;
    let checker = checker(&args, &prices)?;
    let (program, dialogue) = load::dialogue(&args.which, output)?;
    let plan = &program.plan;
    let does = "a set of user messages has one for each number of a turn";
    load::same_turns(plan, dialogue, does)?;
    let name = dialogue.table.name.as_str();
    let release = release(plan, name);
    let base = args.extend.as_deref().map(UtteranceSet::read_frozen).transpose()?;
    let of_base = base.as_ref().map(|set| set.made.seed);
    let seed = args.seed.or(of_base).or(release.and_then(|release| release.seed)).unwrap_or(1);
    let seed = Seed(seed);
    let drawer = program.drawer(name)?;
    let of_base = base.as_ref().map(|set| set.made.dialogues);
    let selection = select(&drawer, release, seed, args.count.or(of_base).unwrap_or(20))?;
    drawable::<CommandError>(&drawer, seed, &selection.dialogues, args.turns)?;
    let prompts = SynthesisPrompts::new(&dialogue.table.words)
        .map_err(|error| CommandError::input(error.to_string()))?;
    let agent = SynthesisAgent {
        drawer: &drawer,
        seed,
        turns: args.turns,
        prompts,
        synthesizers,
        checker,
        tries: args.tries,
        base: base.map(|set| extended(&args, set, plan, name)).transpose()?,
    };
    if args.dry_run {
        return estimate(&agent, &selection, &prices, output);
    }
    let header = header(&args, plan, &agent, &selection);
    write(&args, &agent, header, &selection, &prices, output)
}

/// The set to extend, if it is of this dialogue and these models.
fn extended(
    args: &Args,
    set: UtteranceSet,
    plan: &Plan,
    dialogue: &str,
) -> Result<Base, CommandError> {
    let path = args.extend.as_deref().unwrap_or(&args.out).display();
    let other = |what: String| Err(CommandError::input(format!("`{path}` {what}")));
    let header = &set.made;
    if header.plan_hash != plan.hash() || header.dialogue != dialogue {
        return other("was written for another definition or dialogue".to_owned());
    }
    let named: Vec<String> =
        header.synthesizers.iter().map(|(name, weight)| format!("{name}={weight}")).collect();
    let asked: Result<Vec<_>, _> =
        args.synthesizers.iter().map(|text| split_weight(text)).collect();
    let asked = asked.map_err(CommandError::usage)?;
    let same =
        asked.iter().map(|(name, weight)| format!("{name}={weight}")).eq(named.iter().cloned());
    if !same {
        return other(format!("was written by {}", named.join(", "))).map_err(
            |problem: CommandError| {
                problem.help("name the same synthesizers: each dialogue has one writer")
            },
        );
    }
    if header.turns >= args.turns {
        return other(format!("has {} turns of a dialogue already", header.turns))
            .map_err(|problem: CommandError| problem.help("request more with `--turns`"));
    }
    let mut only = (!args.runs.is_empty()).then(BTreeSet::new);
    for run in &args.runs {
        let folder = Folder::open(run)?;
        let manifest = folder.manifest()?;
        if manifest.plan_hash != header.plan_hash
            || manifest.seed != header.seed
            || manifest.set.as_ref().is_some_and(|set| set.hidden.is_some())
        {
            return Err(CommandError::input(format!(
                "`{}` is a run of other dialogues than the set",
                run.display()
            )));
        }
        folder.each_transcript(&manifest, |transcript| {
            let all = transcript.turns.len() >= set.turns(transcript.index);
            if let (true, Ending::MaxTurns, Some(only)) = (all, &transcript.ending, &mut only) {
                only.insert(transcript.index);
            }
        })?;
    }
    if only.as_ref().is_some_and(BTreeSet::is_empty) {
        return Err(CommandError::input(
            "none of these runs reached the last message of a dialogue",
        ));
    }
    Ok(Base { set, only })
}

fn synthesizers(
    args: &Args,
    parameters: &Parameters,
    prices: &Prices,
) -> Result<Vec<Synthesizer>, CommandError> {
    let mut all: Vec<Synthesizer> = Vec::new();
    for text in &args.synthesizers {
        let (name, weight) = split_weight(text).map_err(CommandError::usage)?;
        if all.iter().any(|known| known.name == name) {
            return Err(CommandError::usage(format!("the synthesizer `{name}` is named twice"))
                .help("write `MODEL=WEIGHT` for one that writes more than others"));
        }
        let voice = match Voice::simulated(name) {
            Some(voice) => voice,
            None => Voice::Model(Box::new(caller_for_role(
                args,
                name,
                parameters,
                prices,
                "a synthesizer",
            )?)),
        };
        all.push(Synthesizer { name: name.to_owned(), weight, voice });
    }
    Ok(all)
}

fn checker(args: &Args, prices: &Prices) -> Result<MessageChecker, CommandError> {
    Ok(match args.checker.as_str() {
        "rules" => MessageChecker::Rules,
        "sim/literal" => MessageChecker::Literal,
        name => {
            let parameters = Parameters::default();
            MessageChecker::Model(Box::new(caller_for_role(
                args,
                name,
                &parameters,
                prices,
                "a checker",
            )?))
        }
    })
}

/// A model behind an endpoint, in a role without simulated models.
fn caller_for_role(
    args: &Args,
    name: &str,
    parameters: &Parameters,
    prices: &Prices,
    role: &str,
) -> Result<Caller, CommandError> {
    if name.starts_with("sim/") {
        return Err(CommandError::usage(format!("`{name}` cannot be {role}"))
            .help("`ifs synthesize --help` lists the simulated models that can"));
    }
    args.requests.caller(args.requests.model(name, parameters)?, prices)
}

fn header(
    args: &Args,
    plan: &Plan,
    agent: &SynthesisAgent<'_>,
    selection: &Selection,
) -> UtteranceSetHeader {
    let simulated = |one: &Synthesizer| matches!(one.voice, Voice::Simulated { .. });
    UtteranceSetHeader {
        benchmark: plan.model.benchmark.name.clone(),
        plan_hash: plan.hash(),
        dialogue: agent.drawer.dialogue().table.name.clone(),
        variant: args.which.varied(),
        seed: agent.seed.0,
        turns: agent.turns,
        dialogues: selection.dialogues.len() as u64,
        synthesizers: agent.synthesizers.iter().map(|one| (one.name.clone(), one.weight)).collect(),
        checker: agent.checker.name().to_owned(),
        tries: agent.tries,
        simulated: agent.checker.is_simulated() || agent.synthesizers.iter().any(simulated),
    }
}

/// The models that are called over HTTP.
fn callers<'a>(agent: &'a SynthesisAgent<'_>) -> impl Iterator<Item = &'a Caller> {
    let synthesizers = agent.synthesizers.iter().filter_map(|one| match &one.voice {
        Voice::Model(caller) => Some(&**caller),
        Voice::Simulated { .. } => None,
    });
    let checker = match &agent.checker {
        MessageChecker::Model(caller) => Some(&**caller),
        MessageChecker::Rules | MessageChecker::Literal => None,
    };
    synthesizers.chain(checker)
}

/// A name for everything that the requests depend on: a journal belongs to one set.
fn identity(
    header: &UtteranceSetHeader,
    agent: &SynthesisAgent<'_>,
    parameters: &Parameters,
) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("ifs: calls for words");
    let mut put = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    // Texts and numbers only; such are always written.
    put(&serde_json::to_string(header).unwrap_or_default());
    put(&parameters.identity());
    if let Some(base) = &agent.base {
        put(base.set.hash.as_deref().unwrap_or_default());
        let only: Option<Vec<u64>> = base.only.as_ref().map(|only| only.iter().copied().collect());
        put(&serde_json::to_string(&only).unwrap_or_default());
    }
    callers(agent).for_each(|caller| put(&caller.model.address().unwrap_or_default()));
    hasher.finalize().to_hex().as_str()[..32].to_owned()
}

fn write(
    args: &Args,
    agent: &SynthesisAgent<'_>,
    header: UtteranceSetHeader,
    selection: &Selection,
    prices: &Prices,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let asks = callers(agent).next().is_some();
    let (kept, spent, mut paid) = match asks {
        true => {
            let identity = identity(&header, agent, &args.parameters.parameters()?);
            let (kept, spent, paid) = opened(&args.out, &identity, prices, args.ask_again, output)?;
            (Some(kept), spent, Some(paid))
        }
        false => (None, Spent::default(), None),
    };
    let context = args.requests.context(kept, spent, cancel_on_interrupt())?;
    let threads =
        args.workers.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let at_once = if asks { args.requests.concurrent_dialogues() } else { threads };
    let concurrency = Concurrency { threads, at_once };
    let work = async |client: &ifs_inference::Client<'_>, at: usize| {
        agent.write(client, selection.dialogues[at].index).await
    };
    let count = selection.dialogues.len();
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
    if done.len() < count {
        return Err(unfinished(selection, &failed, output));
    }
    let mut set = UtteranceSet::new(header, done.into_values().flatten().collect());
    set.version = agent.base.as_ref().map_or(set.version, |base| base.set.version);
    let frozen = set.freeze();
    set.write(&args.out)?;
    show(&set, args.format, output);
    let (path, word) = (args.out.display(), quoted(&args.out));
    output.note(&match frozen {
        true => format!("wrote {path}, frozen; use it with `ifs run --utterances {word}`"),
        false => format!(
            "wrote {path}; review the {} with `ifs review {word}`, which then freezes the set",
            counted(set.flagged(), "flagged turn"),
        ),
    });
    Ok(Exit::Good)
}

/// Why the messages of a dialogue cannot be written.
fn failure_message(why: SynthesisFailure) -> CommandError {
    match why {
        SynthesisFailure::Draw(error) => error.into(),
        SynthesisFailure::Call(failure) => {
            CommandError::infrastructure(failure.to_string()).help(RESUME_HELP)
        }
        SynthesisFailure::Synthesis(error) => CommandError::input(error.to_string()),
    }
}

/// Some dialogues failed: no file is written, and the journal keeps the responses.
fn unfinished(
    selection: &Selection,
    failed: &BTreeMap<usize, SynthesisFailure>,
    output: &mut Output,
) -> CommandError {
    const MAX_LISTED_DIALOGUES: usize = 3;
    for (at, why) in failed.iter().take(MAX_LISTED_DIALOGUES) {
        let index = selection.dialogues.get(*at).map_or(0, |selected| selected.index);
        output.note(&format!("dialogue number {index}: {why}"));
    }
    let by_machine = failed.values().any(|why| matches!(why, SynthesisFailure::Call(_)));
    let message = format!("{} could not be written", counted(failed.len(), "dialogue"));
    match by_machine {
        true => CommandError::infrastructure(message).help(RESUME_HELP),
        false => CommandError::input(message),
    }
}

/// The outcomes of the turns, by synthesizer.
pub(crate) fn show(set: &UtteranceSet, format: Format, output: &mut Output) {
    let (counts, total) = (set.counts(), set.total());
    if format == Format::Json {
        let json = serde_json::json!({
            "version": set.version,
            "hash": set.hash,
            "utterances": set.made,
            "synthesizers": counts,
            "all": total,
        });
        output.json_line(&serde_json::to_string_pretty(&json).unwrap_or_default());
        return;
    }
    let UtteranceSetHeader { dialogue, seed, dialogues, checker, tries, simulated, .. } = &set.made;
    let dialogues = counted(usize::try_from(*dialogues).unwrap_or(usize::MAX), "dialogue");
    output.line(&format!(
        "user messages of {dialogues} of `{dialogue}`, seed {seed}; checked by {checker}, at most {} for each turn",
        counted(*tries as usize, "time"),
    ));
    if *simulated {
        output.line("SIMULATED: the writer or the checker is not a real model");
    }
    let most = counts.keys().map(|name| name.len()).chain([20]).max().unwrap_or(20);
    output.line(&format!(
        "{:most$} {:>8} {:>9} {:>9} {:>9}   of these accepted, edited, rejected",
        "", "turns", "at once", "retried", "flagged"
    ));
    for (name, counts) in
        counts.iter().map(|(name, counts)| (*name, counts)).chain([("all", &total)])
    {
        let share = |part: u64| {
            let share = part as f64 / counts.turns.max(1) as f64 * 100.0;
            format!("{share:.2} %")
        };
        output.line(&format!(
            "{name:most$} {:>8} {:>9} {:>9} {:>9}   {}, {}, {}",
            counts.turns,
            share(counts.at_once),
            share(counts.retried),
            share(counts.flagged),
            counts.accepted,
            counts.edited,
            counts.rejected,
        ));
    }
}

fn estimate(
    agent: &SynthesisAgent<'_>,
    selection: &Selection,
    prices: &Prices,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let mut all: BTreeMap<String, Spent> = BTreeMap::new();
    for selected in &selection.dialogues {
        let added = agent.estimate(selected.index, &mut all);
        added.map_err(failure_message)?;
    }
    output.line(&format!("user messages of {}", counted(selection.dialogues.len(), "dialogue")));
    for (name, Spent { calls, input, output: written, money, .. }) in &all {
        let priced =
            callers(agent).any(|caller| caller.model.name() == name && caller.price.is_some());
        let money = match priced {
            true => format!("{money} at the prices of {}", prices.day()),
            false => "no price (see `--prices`)".to_owned(),
        };
        output.line(&format!(
            "{name}: {calls} calls, {input} tokens in, {written} tokens out, {money}"
        ));
    }
    output.line(&format!(
        "Estimated as if every message passed at once, with {BYTES_PER_TOKEN} bytes per token; reasoning \
         is not counted. No request was sent."
    ));
    Ok(Exit::Good)
}
