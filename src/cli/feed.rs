//! `ifs feed`

use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueEnum};
use serde::Serialize;

use super::exit::{Exit, Problem};
use super::files;
use super::load::counted;
use super::output::Output;
use crate::diagnostic::Code;
use crate::feed::simulate::{Case, Simulated, Wording, written};
use crate::feed::{self, Event, EventTable, Read, Reader, Role, Schema};

/// Look at logs of events as feeds read them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs feed check games/*.json                   what is noticed in each file
  ifs feed show games/1.json                    the events in one form
  ifs feed show log.txt --as hupu_text --format csv > log.csv
  ifs feed simulate basketball --count 20 --seed 7 --with overtime --out games")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List everything that is noticed in logs
    Check(Check),
    /// Print the events of a log in one form
    Show(Show),
    /// Write logs of games that nobody played
    Simulate(Simulate),
}

#[derive(Debug, clap::Args)]
struct Simulate {
    /// basketball or hockey
    sport: String,
    /// The folder that the logs are written into
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    #[arg(long, default_value_t = 1, value_name = "N")]
    count: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How the plays are worded: the name of a reader of such logs
    #[arg(long = "as", value_name = "READER")]
    wording: Option<String>,
    /// What every game has: tie_at_break, tied_top, same_clock, overtime, stale_score
    #[arg(long = "with", value_delimiter = ',', value_name = "CASE")]
    cases: Vec<String>,
}

#[derive(Debug, clap::Args)]
struct Check {
    /// Logs, packed (.gz, .zst) or not
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// What reads them; found out by their content where it is left out
    #[arg(long = "as", value_name = "READER")]
    reader: Option<String>,
}

#[derive(Debug, clap::Args)]
struct Show {
    /// A log, packed (.gz, .zst) or not
    file: PathBuf,
    /// What reads it; found out by its content where it is left out
    #[arg(long = "as", value_name = "READER")]
    reader: Option<String>,
    /// How the events are printed
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For people
    Text,
    /// A record in each line
    Jsonl,
    /// A table
    Csv,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, Problem> {
    match args.command {
        Command::Check(args) => check(args, output),
        Command::Show(args) => show(args, output),
        Command::Simulate(args) => simulate(&args, output),
    }
}

fn simulate(args: &Simulate, output: &mut Output) -> Result<Exit, Problem> {
    let wordings: Vec<Wording> = Wording::of(&args.sport).collect();
    let Some(usual) = wordings.first() else {
        return Err(Problem::usage(format!("`{}` is no sport that is simulated", args.sport))
            .help("there are `basketball` and `hockey`"));
    };
    let wording = match &args.wording {
        None => *usual,
        Some(name) => {
            let found = wordings.iter().find(|wording| wording.reader() == name);
            let names: Vec<&str> = wordings.iter().map(|wording| wording.reader()).collect();
            *found.ok_or_else(|| {
                Problem::usage(format!("`{name}` is no wording of {}", args.sport))
                    .help(format!("there are {}", names.join(", ")))
            })?
        }
    };
    let known = || Case::ALL.into_iter().filter(|case| case.happens_in(wording.sport()));
    let mut cases = Vec::new();
    for name in &args.cases {
        let found = known().find(|case| case.word() == name);
        let names: Vec<&str> = known().map(Case::word).collect();
        cases.push(found.ok_or_else(|| {
            Problem::usage(format!("`{name}` is no case of {}", args.sport))
                .help(format!("there are {}", names.join(", ")))
        })?);
    }
    let simulated = Simulated { wording, cases };
    let failed = |error: std::io::Error| {
        Problem::machine(format!("`{}` cannot be written: {error}", args.out.display()))
    };
    std::fs::create_dir_all(&args.out).map_err(failed)?;
    for number in 0..args.count {
        let table = simulated.game(args.seed, "", number).ok_or_else(|| {
            Problem::input("no game with all of these cases was found")
                .help("ask for fewer cases at once, or take another `--seed`")
        })?;
        let path = args.out.join(format!("{}.txt", table.name));
        std::fs::write(&path, written(&table, wording)).map_err(failed)?;
        if let Some(reader) = feed::find(wording.reader()).filter(|_| args.count <= 20) {
            output.line(&format!("{}: {}", path.display(), summary(&table, reader)));
        }
    }
    output.note(&format!("{} in {}", counted(args.count as usize, "log"), args.out.display()));
    Ok(Exit::Good)
}

fn check(args: Check, output: &mut Output) -> Result<Exit, Problem> {
    let mut exit = Exit::Good;
    for file in &args.files {
        match read(file, args.reader.as_deref()) {
            Ok((reader, read)) => {
                for table in &read.tables {
                    output.line(&format!("{}: {}", file.display(), summary(table, reader)));
                }
                for notice in &read.notices {
                    output.line(&format!(
                        "  line {}: {}: {}",
                        notice.line,
                        notice.kind.word(),
                        notice.message
                    ));
                }
            }
            Err(problem) => {
                problem.tell(output);
                exit = Exit::Input;
            }
        }
    }
    Ok(exit)
}

/// A game in a line.
fn summary(table: &EventTable, reader: &Reader) -> String {
    let events = counted(table.events.len(), "event");
    let periods = counted(table.periods.len(), "period");
    let [away, home] = table.score();
    match table.teams.as_slice() {
        [first, second] => format!(
            "{} {away}, {} {home}; {events} in {periods} ({})",
            first.name, second.name, reader.name
        ),
        _ => format!("{}; {events} in {periods} ({})", table.name, reader.name),
    }
}

fn show(args: Show, output: &mut Output) -> Result<Exit, Problem> {
    let (reader, read) = read(&args.file, args.reader.as_deref())?;
    for table in &read.tables {
        match args.format {
            Form::Text => text(table, reader, output),
            Form::Jsonl => {
                for (at, event) in table.events.iter().enumerate() {
                    let row = Row::of(table, event, at);
                    output.line(&serde_json::to_string(&row).unwrap_or_default());
                }
            }
            Form::Csv => csv(table, output)?,
        }
    }
    Ok(Exit::Good)
}

fn text(table: &EventTable, reader: &Reader, output: &mut Output) {
    output.line(&summary(table, reader));
    for period in &table.periods {
        let [away, home] = table.line_score(period);
        output.line(&format!("{} ({away}-{home})", period.name));
        for event in table.plays(period) {
            let [away, home] = event.score;
            output.line(&format!(
                "  {:>7}  {away:>3}-{home:<3}  {:<12}  {}",
                &*event.clock,
                event.kind.word(),
                event.text.trim_end()
            ));
        }
    }
}

/// An event as a row.
#[derive(Serialize)]
struct Row<'t> {
    number: usize,
    period: u32,
    clock: &'t str,
    /// Milliseconds.
    time: i64,
    kind: &'t str,
    detail: &'t str,
    team: &'t str,
    player: &'t str,
    assists: String,
    points: i64,
    worth: i64,
    made: bool,
    away: i64,
    home: i64,
    text: &'t str,
}

impl<'t> Row<'t> {
    fn of(table: &'t EventTable, event: &'t Event, at: usize) -> Row<'t> {
        let team = event.team.and_then(|team| table.teams.get(usize::from(team)));
        let assists: Vec<&str> = event.by(Role::Assist).collect();
        Row {
            number: at + 1,
            period: event.period,
            clock: &event.clock,
            time: event.time,
            kind: event.kind.word(),
            detail: &event.detail,
            team: team.map_or("", |team| &team.name),
            player: event.player(),
            assists: assists.join("; "),
            points: event.points,
            worth: event.worth,
            made: event.made,
            away: event.score[0],
            home: event.score[1],
            text: &event.text,
        }
    }
}

fn csv(table: &EventTable, output: &mut Output) -> Result<(), Problem> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |error: csv::Error| Problem::machine(error.to_string());
    for (at, event) in table.events.iter().enumerate() {
        writer.serialize(Row::of(table, event, at)).map_err(failed)?;
    }
    let bytes = writer.into_inner().map_err(|error| Problem::machine(error.to_string()))?;
    output.line(String::from_utf8_lossy(&bytes).trim_end());
    Ok(())
}

/// Reads a log by the named reader, or by the only one that can.
fn read(path: &Path, reader: Option<&str>) -> Result<(&'static Reader, Read), Problem> {
    let bytes = files::whole(path)
        .map_err(|error| Problem::input(format!("`{}` cannot be read: {error}", path.display())))?;
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("log");
    let reader = match reader {
        Some(named) => feed::find(named).ok_or_else(|| unknown(named))?,
        None => match feed::guess(&bytes) {
            Ok(Some(reader)) => reader,
            Ok(None) => {
                return Err(Problem::input(format!("`{}` is of no known source", path.display()))
                    .help(format!("name its reader by `--as`: {}", names())));
            }
            Err(fault) => return Err(damaged(path, &fault)),
        },
    };
    // A second file of the same game, where its source has one.
    let beside =
        reader.beside(name).and_then(|second| files::whole(&path.with_file_name(second)).ok());
    let read = reader.read(name, &bytes, beside.as_deref(), &Schema::default());
    read.map(|read| (reader, read)).map_err(|fault| damaged(path, &fault))
}

fn names() -> String {
    let sources = feed::READERS.iter().filter(|reader| reader.is_source());
    let names: Vec<String> = sources.map(|reader| format!("`{}`", reader.name)).collect();
    names.join(", ")
}

fn unknown(named: &str) -> Problem {
    Problem::usage(format!("there is no reader `{named}`")).help(format!("readers are {}", names()))
}

fn damaged(path: &Path, fault: &feed::Fault) -> Problem {
    let problem = Problem::input(format!(
        "`{}`, line {}: {} ({})",
        path.display(),
        fault.line,
        fault.message,
        Code::DAMAGED_FEED
    ));
    match &fault.help {
        Some(help) => problem.help(help.clone()),
        None => problem,
    }
}
