//! `ifs turn`: a run whose requests a person hands to an engine, round by round.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};
use serde_json::Value;

use super::Format;
use super::exit::{CommandError, Exit};
use super::load::counted;
use super::output::Output;
use super::requests::Sending;
use super::run::{self, ManualRun, ManualRunState, RunMode};
use super::shell::quoted;
use ifs_inference::provider::{BatchForm, BatchRow, CallFailure};
use ifs_inference::{Files, OpenRequest};
use ifs_run::Folder;

/// Run dialogues by hand: write the requests of the next turn, take the responses.
///
/// For engines that read OpenAI's batch files, such as `vllm run-batch` and Ray Data.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: TurnCommand,
}

#[derive(Debug, Subcommand)]
enum TurnCommand {
    /// Write the requests of the next round
    Next(Box<NextTurnArgs>),
    /// Take responses, and print the next step
    Take(Take),
}

/// Write the requests of the next round as a batch file, to standard output.
///
/// A scenario starts a run, with the options of `ifs run`; the folder of a run continues it. A round has
/// one request of every dialogue: the next turn, a judge's, or the next attempt. Nothing is sent.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs turn next a.ifs -m vllm/qwen --out runs/qwen >requests.jsonl
  vllm run-batch -i requests.jsonl -o responses.jsonl --model qwen
  ifs turn take runs/qwen responses.jsonl
  ifs turn next runs/qwen >requests.jsonl")]
struct NextTurnArgs {
    /// Write the requests for this model alone, if a round has those of several
    #[arg(long, value_name = "MODEL")]
    only: Option<String>,
    #[command(flatten)]
    run: run::Args,
}

/// Take responses to the requests of a round, and say what is next.
///
/// A file may have some of the responses, in any order, and may be taken again.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs turn take runs/qwen responses.jsonl
  ifs turn take runs/qwen part-*.jsonl")]
struct Take {
    /// The folder of the run
    run: PathBuf,
    /// Files of responses; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The secret of a hidden set
    #[arg(long, value_name = "FILE")]
    secret: Option<PathBuf>,
    /// Output format of the scores, when the run is complete
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// The file in the run's folder with the names of the requests that were written last.
const WRITTEN_REQUESTS: &str = "requests.txt";

/// The options of `ifs run` alone.
#[derive(Debug, Parser)]
struct RunOptions {
    #[command(flatten)]
    run: run::Args,
}

/// Writes `--resume` before the folder of a run, so that options which only a new run takes are refused.
pub(crate) fn with_resume(mut args: Vec<OsString>) -> Vec<OsString> {
    let next = args.windows(2).position(|two| two[0] == "turn" && two[1] == "next");
    let Some(next) = next else { return args };
    let is_run = |at: usize| {
        let is_value =
            ["--out", "-o", "--cache", "--set", "--resume"].iter().any(|it| args[at - 1] == *it);
        !is_value && Path::new(&args[at]).join("run.json").is_file()
    };
    if let Some(at) = (next + 2..args.len()).find(|at| is_run(*at)) {
        args.insert(at, "--resume".into());
    }
    args
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    match args.command {
        TurnCommand::Next(args) => next_turn(*args, output),
        TurnCommand::Take(args) => take(&args, output),
    }
}

fn next_turn(args: NextTurnArgs, output: &mut Output) -> Result<Exit, CommandError> {
    let NextTurnArgs { only, run } = args;
    if run.batch || run.dry_run {
        let option = if run.batch { "--batch" } else { "--dry-run" };
        return Err(CommandError::usage(format!(
            "`ifs turn next` sends nothing and takes no `{option}`"
        ))
        .help(format!("leave it out, or write `ifs run … {option}`")));
    }
    let (exit, state) = by_hand(run, (BTreeMap::new(), true), output)?;
    if state.open.is_empty() {
        let folder = quoted(&state.folder);
        output.note(&match exit {
            Exit::Good => format!("the run is complete; `ifs score {folder}` prints its scores"),
            _ => "no request is open".to_owned(),
        });
        return Ok(exit);
    }
    let mut models: BTreeMap<&str, usize> = BTreeMap::new();
    for request in &state.open {
        *models.entry(request.model.as_str()).or_default() += 1;
    }
    if let Some(only) = &only
        && !models.contains_key(only.as_str())
    {
        let names: Vec<String> = models.keys().map(|name| format!("`{name}`")).collect();
        return Err(CommandError::usage(format!("the round has no request for `{only}`"))
            .help(format!("it has requests for {}", names.join(" and "))));
    }
    let is_written = |it: &&OpenRequest| only.as_ref().is_none_or(|only| *only == it.model);
    let written: Vec<&OpenRequest> = state.open.iter().filter(is_written).collect();
    let names: String = written.iter().flat_map(|request| [request.id.as_str(), "\n"]).collect();
    Folder::new(&state.folder).write(WRITTEN_REQUESTS, &names)?;
    written.iter().for_each(|request| output.json_line(&request.row));
    let each: Vec<String> = models
        .iter()
        .map(|(name, count)| format!("{} for {name}", counted(*count, "request")))
        .collect();
    output.note(&format!("the round has {}", each.join(" and ")));
    if models.len() > 1 && only.is_none() {
        output.note("an engine that serves one model takes a file of `--only MODEL`");
    }
    output.note(&format!("take the responses with `ifs turn take {} FILE`", quoted(&state.folder)));
    Ok(Exit::Good)
}

fn take(args: &Take, output: &mut Output) -> Result<Exit, CommandError> {
    let mut responses = GivenResponses::default();
    for path in &args.files {
        responses.read(path, output)?;
    }
    let mut line: Vec<OsString> = vec!["ifs".into(), "--resume".into(), args.run.clone().into()];
    if let Some(secret) = &args.secret {
        line.extend(["--secret".into(), secret.clone().into()]);
    }
    let mut options =
        RunOptions::try_parse_from(line).map_err(|error| CommandError::usage(error.to_string()))?;
    options.run.format = args.format;
    let found = responses.rows.iter().map(|(id, row)| (id.clone(), row.found.clone()));
    let (exit, mut state) = by_hand(options.run, (found.collect(), false), output)?;
    // A request that failed is open again, in the same round or, where its dialogue ended, the next.
    let is_open = |id: &String| state.open.iter().any(|open| open.id == *id);
    let (again, ended): (Vec<_>, Vec<_>) = responses
        .rows
        .iter()
        .filter(|(id, row)| is_open(id) || row.found.is_err() && !state.unknown.contains(id))
        .partition(|(id, _)| is_open(id));
    let (failed, ended) = (again.len() + ended.len(), ended.len());
    state.taken = state.taken.saturating_sub(failed as u64);
    for id in &state.differing {
        if let Some(row) = responses.rows.get(id) {
            responses.wrong += 1;
            output.error(&format!(
                "{}: another response to `{id}` than the one that was taken before, which stays",
                row.place
            ));
        }
    }
    for id in &state.unknown {
        if let Some(row) = responses.rows.get(id) {
            responses.wrong += 1;
            output.error(&format!("{}: no request of the run is named `{id}`", row.place));
        }
    }
    for row in responses.rows.values() {
        if let Err(failure) = &row.found {
            output.warn(&format!("{}: {failure}", row.place));
        }
    }
    report_missing(&state, output);
    output.note(&summary(&state, ended));
    Ok(match responses.wrong {
        0 => exit,
        _ => {
            output.note(
                "help: rows are what an engine answers to the rows of `ifs turn next`, one a line",
            );
            Exit::Input
        }
    })
}

fn by_hand(
    mut args: run::Args,
    (responses, is_writing): (BTreeMap<String, Result<Value, CallFailure>>, bool),
    output: &mut Output,
) -> Result<(Exit, ManualRunState), CommandError> {
    args.requests.sending = Sending::Files;
    // No key is needed where nothing is sent.
    args.requests.dry_run = true;
    let files = Some(Files::new(responses));
    let mut by_hand = ManualRun { files, is_writing, state: ManualRunState::default() };
    let how = RunMode { by_hand: Some(&mut by_hand), ..RunMode::default() };
    let exit = run::run_or_resume(args, how, output)?;
    Ok((exit, by_hand.state))
}

/// Warns about requests that were written last and have no response.
fn report_missing(state: &ManualRunState, output: &mut Output) {
    const MAX_LISTED_REQUESTS: usize = 3;
    // Without that file, no requests were written.
    let written = std::fs::read_to_string(state.folder.join(WRITTEN_REQUESTS)).unwrap_or_default();
    let written: BTreeSet<&str> = written.lines().collect();
    let missing = state.open.iter().filter(|request| written.contains(request.id.as_str()));
    let missing: Vec<String> = missing.map(|request| format!("`{}`", request.id)).collect();
    if !missing.is_empty() {
        let more = if missing.len() > MAX_LISTED_REQUESTS { " and others" } else { "" };
        output.warn(&format!(
            "{} without a response: {}{more}",
            counted(missing.len(), "request"),
            missing[..missing.len().min(MAX_LISTED_REQUESTS)].join(", ")
        ));
    }
}

/// The taken responses, and the next round; dialogues that ended with a failed request repeat it.
fn summary(state: &ManualRunState, ended: usize) -> String {
    let many = |count: u64, what: &str| counted(usize::try_from(count).unwrap_or(usize::MAX), what);
    let mut parts = vec![format!("took {}", many(state.taken, "response"))];
    if state.before > 0 {
        parts.push(format!("{} taken before", state.before));
    }
    let next = match state.open.len() + ended {
        0 => "no request is open".to_owned(),
        open => format!(
            "the next round has {}: write them with `ifs turn next {}`",
            counted(open, "request"),
            quoted(&state.folder)
        ),
    };
    format!("{}\n{next}", parts.join(", "))
}

#[derive(Default)]
struct GivenResponses {
    rows: BTreeMap<String, GivenResponse>,
    /// Rows that cannot be used.
    wrong: usize,
}

struct GivenResponse {
    /// Its file and line.
    place: String,
    line: String,
    found: Result<Value, CallFailure>,
}

impl GivenResponses {
    fn read(&mut self, path: &Path, output: &mut Output) -> Result<(), CommandError> {
        let failed =
            |error: std::io::Error| CommandError::input(format!("`{}`: {error}", path.display()));
        let bytes = match path == Path::new("-") {
            true => {
                let mut bytes = Vec::new();
                std::io::stdin().read_to_end(&mut bytes).map_err(failed)?;
                bytes
            }
            false => std::fs::read(path).map_err(failed)?,
        };
        let mut twice = Vec::new();
        for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
            let place = format!("`{}`, line {number}", path.display());
            let line = match std::str::from_utf8(line) {
                Ok(line) => line.trim_start_matches('\u{feff}').trim(),
                Err(_) => {
                    self.refuse(&place, "it is not UTF-8 text", output);
                    continue;
                }
            };
            if line.is_empty() {
                continue;
            }
            let BatchRow { id, found } = match BatchForm::OpenAi.result(line) {
                Ok(row) => row,
                Err(why) => {
                    self.refuse(&place, &why, output);
                    continue;
                }
            };
            match self.rows.get(&id) {
                Some(before) if before.line == line => {
                    output.warn(&format!("{place}: the same row as in {}", before.place));
                }
                Some(before) => {
                    let why = format!(
                        "a second response to `{id}`; the first is in {}, and neither is taken",
                        before.place
                    );
                    self.refuse(&place, &why, output);
                    twice.push(id);
                }
                None => {
                    self.rows.insert(id, GivenResponse { place, line: line.to_owned(), found });
                }
            }
        }
        twice.iter().for_each(|id| drop(self.rows.remove(id)));
        Ok(())
    }

    fn refuse(&mut self, place: &str, why: &str, output: &mut Output) {
        self.wrong += 1;
        output.error(&format!("{place}: {why}"));
    }
}
