//! `ifs shrink`

use std::path::{Path, PathBuf};

use super::exit::{CommandError, Exit};
use super::extraction::{self, extractors};
use super::load::counted;
use super::output::Output;
use super::progress::summary;
use super::requests::{RequestArgs, cancel_on_interrupt, journal};
use super::sets::{ResentPrompts, expose_again, key_of_run};
use super::{Format, judges, recorded};
use ifs_draw::{Drawer, Seed};
use ifs_inference::{Concurrency, HiddenRecords, Spent};
use ifs_run::shrink::{FailureRule, FailureTarget, SearchStop, Shrinker};
use ifs_run::{Folder, Repeat, RunContext, RunManifest, Transcript};

mod result;

use result::{Display, Found, of_all, result_text};

/// Shrink a dialogue in which the model failed to the shortest one that still fails.
///
/// Turns, constraints, changes of constraints and wordings are removed, and the responses are
/// requested again: the rest of the dialogue stays as it was drawn. A form of the dialogue fails if the same
/// constraint is missed on its last turn in at least `--fails` of `--repeats` repetitions. The
/// result is a dialogue from which nothing can be taken away, a dialogue next to it that holds, and
/// the command that runs it again. Requests go to the model and the judges of the run; the journal
/// and the cache are in the run's folder `shrink`, so the same command resumes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs shrink runs/gpt-4o --dialogue 3
  ifs shrink runs/gpt-4o --dialogue 3 --turn 7 --constraint length --budget-calls 300
  ifs shrink runs/gpt-4o --dialogue 3 --repeats 5 --fails 4
  ifs shrink runs/gpt-4o --all --budget 2      every dialogue that failed, and what they share")]
pub(crate) struct Args {
    /// The folder of a run
    run: PathBuf,
    /// The dialogue with this index
    #[arg(long, value_name = "N", required_unless_present = "all")]
    dialogue: Option<u64>,
    /// Every dialogue with a failure: the first failure of each
    #[arg(long, conflicts_with_all = ["dialogue", "turn", "only"])]
    all: bool,
    /// The turn that failed; the first that did by default
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u32).range(1..))]
    turn: Option<u32>,
    /// The constraint, group or criterion that was missed; the first on the turn by default
    #[arg(long, value_name = "NAME")]
    constraint: Option<String>,
    /// Maximum number of repetitions of each form of the dialogue
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    repeats: u32,
    /// Number of repetitions that have to fail; more than half by default
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    fails: Option<u32>,
    /// Maximum number of forms of a dialogue that are tried
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..))]
    trials: u32,
    /// Only run this form of the dialogue, as `1,7,length.long@1`: the turns that are left, and the
    /// constraints by name and turn
    #[arg(long, value_name = "PARTS")]
    only: Option<String>,
    /// The folder of the run's hidden set, whose ledger records that it is sent again
    #[arg(long, value_name = "FOLDER")]
    set: Option<PathBuf>,
    /// The secret of a hidden set
    #[arg(long, value_name = "FILE")]
    secret: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    requests: RequestArgs,
}

/// The folder of a run for the requests of its reduced dialogues.
const SHRINK_FOLDER: &str = "shrink";

const RESTORE_HELP: &str =
    "restore it from a copy, or remove the run's folder `shrink` and pay again";

pub(crate) fn run(mut args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let rule = rule(&args)?;
    let folder = Folder::open(&args.run)?;
    let manifest = folder.manifest()?;
    can_shrink(&manifest, &args.run)?;
    let mut plan = recorded::plan(&folder, &manifest)?;
    folder.read_pictures(&mut plan.model.pictures)?;
    let model = args.requests.model(&manifest.model, &manifest.parameters)?;
    if !manifest.used(model.address().as_deref()) {
        let (was, is) = (manifest.address.unwrap_or_default(), model.address().unwrap_or_default());
        return Err(CommandError::usage(format!("the run was made with {was}, and this is {is}"))
            .help("set the base address to the former value"));
    }
    let prices = args.requests.prices()?;
    let tested = args.requests.caller(model, &prices)?;
    let panel = match &manifest.judging {
        Some(judging) => judges::panel(judging.clone(), &args.requests, &prices)?,
        None => return Err(CommandError::input("run.json does not name the judges of the run")),
    };
    let drawer = Drawer::new(&plan, &manifest.dialogue)?;
    let drawer = match key_of_run(args.secret.as_deref(), &manifest, &args.run)? {
        Some(key) => drawer.hidden(key),
        None => drawer,
    };
    let named = extraction::of_run(&manifest);
    let extractors = extractors(named, drawer.dialogue().table, &args.requests, &prices)?;
    let chosen = failures(&args, &folder, &manifest)?;
    let is_offline = tested.model.is_simulated() && !panel.makes_calls() && extractors.is_none();
    let (kept, spent) = match is_offline {
        true => (None, Spent::default()),
        false => {
            let judges = panel.judging.judges.iter().map(|judge| judge.model.clone()).collect();
            let dialogues = chosen.len() as u64;
            let sent = ResentPrompts { model: Some(manifest.model.clone()), judges, dialogues };
            expose_again(args.set.as_deref(), &manifest, &args.run, sent)?;
            let own = folder.within(&[SHRINK_FOLDER])?;
            args.requests.cache_in(&own.file("cache"));
            let identity = format!("{}-shrink", manifest.identity());
            let path = own.file("journal");
            let (kept, spent) = journal(&path, &identity, &prices, Some(RESTORE_HELP), output)?;
            (Some(kept), spent)
        }
    };
    let cancel = cancel_on_interrupt();
    let mut context = args.requests.context(kept, spent, cancel)?;
    context.hidden = drawer
        .secret_key()
        .map(|key| HiddenRecords { key: *key, keeps_prompts: manifest.prompts_kept });
    let prompts = judges::prompts(&plan)?;
    let run = RunContext {
        drawer: &drawer,
        tested: &tested,
        panel: &panel,
        prompts: &prompts,
        extractors: extractors.as_ref(),
        system: manifest.parameters.system.as_deref(),
        seed: Seed(manifest.seed),
        max_turns: manifest.max_turns,
        // The dialogue continues from the first response, and a trial looks at no other.
        samples: 1,
        utterances: None,
        repeat: Repeat::default(),
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let at_once = if is_offline { threads } else { args.requests.concurrent_dialogues() };
    let concurrency = Concurrency { threads, at_once };
    let (mut all, count) = (Vec::new(), chosen.len());
    for (transcript, target) in chosen {
        output.progress(&format!(
            "shrinking dialogue {} ({} of {count})",
            transcript.index,
            all.len() + 1
        ));
        let limits = (rule, args.trials);
        let mut shrinker = Shrinker::new(&context, run, concurrency, limits, &transcript, target)?;
        let found = match &args.only {
            Some(only) => Found::run_one_form(&mut shrinker, only, transcript.index)?,
            None => Found::shrunk(&mut shrinker, transcript.index).map_err(stopped)?,
        };
        let ends = found.stopped.as_ref().is_some_and(|stop| !matches!(stop, SearchStop::Tests(_)));
        all.push(found);
        if ends {
            break;
        }
    }
    output.progress("");
    let how = Display {
        plan: &plan,
        run: &args.run,
        shows_prompts: !manifest.leaves_prompts_out(),
        color: output.color(),
    };
    match (args.format, args.all) {
        (Format::Json, _) => output.json(&result::json(&all, &how)),
        (Format::Text, true) => output.print(&of_all(&all, &args.run)),
        (Format::Text, false) => {
            all.iter().for_each(|found| output.painted(&result_text(found, &how)));
        }
    }
    if !is_offline {
        output.note(&summary(&context, &prices.day()));
    }
    Ok(exit(&all, output))
}

/// The rule by which a form of the dialogue fails.
fn rule(args: &Args) -> Result<FailureRule, CommandError> {
    let fails = args.fails.unwrap_or(args.repeats / 2 + 1);
    if fails > args.repeats {
        return Err(CommandError::usage(format!(
            "`--fails {fails}` is more than the {} of `--repeats`",
            args.repeats
        )));
    }
    Ok(FailureRule { repeats: args.repeats, fails })
}

/// Runs whose dialogues have no other form.
fn can_shrink(manifest: &RunManifest, run: &Path) -> Result<(), CommandError> {
    if manifest.utterances.is_some() {
        return Err(CommandError::input(format!(
            "`{}` has the user messages of an utterance set, which was written for complete dialogues",
            run.display()
        ))
        .help("a run without `--utterances` has messages that can be written again without a part"));
    }
    if manifest.model.starts_with("replay:") {
        return Err(CommandError::input(
            "`replay:FILE` has responses to the recorded dialogues only",
        )
        .help("shrink a run of the model itself"));
    }
    Ok(())
}

/// The dialogues to shrink, each with what failed.
fn failures(
    args: &Args,
    folder: &Folder,
    manifest: &RunManifest,
) -> Result<Vec<(Transcript, FailureTarget)>, CommandError> {
    let (mut chosen, mut all, mut named) = (Vec::new(), 0, false);
    folder.each_transcript(manifest, |transcript| {
        all += 1;
        if args.dialogue.is_some_and(|wanted| wanted != transcript.index) {
            return;
        }
        named = true;
        let target =
            FailureTarget::first_failure(&transcript, args.turn, args.constraint.as_deref());
        chosen.extend(target.map(|target| (transcript, target)));
    })?;
    match (args.dialogue, named) {
        _ if !chosen.is_empty() => Ok(chosen),
        (Some(index), false) => {
            Err(CommandError::input(format!("the run has no dialogue {index}")).help(format!(
                "it has {}; `ifs show RUN --failed` lists failures",
                counted(all, "dialogue")
            )))
        }
        (Some(index), true) => {
            let turn = args.turn.map(|turn| format!("turn {turn} of ")).unwrap_or_default();
            let what = match &args.constraint {
                Some(name) => format!("does not miss `{name}`"),
                None => "has no failure".to_owned(),
            };
            Err(CommandError::input(format!("{turn}dialogue {index} {what}"))
                .help("`ifs show RUN --failed` lists failures"))
        }
        (None, _) => Err(CommandError::input("no dialogue of the run has such a failure")
            .help("there is nothing to shrink")),
    }
}

/// Why the complete dialogue could not be run again.
fn stopped(stop: SearchStop) -> CommandError {
    match stop {
        SearchStop::Draw(error) => CommandError::from(error),
        SearchStop::Io(error) => CommandError::from(error),
        SearchStop::Ended(why) => {
            CommandError::infrastructure(why).help("run the same command again to resume")
        }
        SearchStop::Interrupted => {
            CommandError { exit: Exit::Interrupted, ..CommandError::infrastructure("interrupted") }
        }
        SearchStop::Tests(most) => CommandError::usage(format!("`--trials {most}` is too small")),
    }
}

fn exit(all: &[Found], output: &mut Output) -> Exit {
    let Some(stop) = all.iter().find_map(|found| found.stopped.as_ref()) else {
        return Exit::Good;
    };
    let (why, exit) = match stop {
        SearchStop::Draw(error) => (error.to_string(), Exit::Input),
        SearchStop::Io(error) => (error.to_string(), Exit::Infrastructure),
        SearchStop::Ended(why) => (why.clone(), Exit::Infrastructure),
        SearchStop::Interrupted => ("interrupted".to_owned(), Exit::Interrupted),
        SearchStop::Tests(most) => (format!("`--trials {most}` are used up"), Exit::Failed),
    };
    output.note(&format!(
        "{why}: the result may not be minimal; the same command with a larger limit resumes"
    ));
    exit
}
