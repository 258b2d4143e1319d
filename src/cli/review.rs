//! `ifs review`

use std::io::BufRead as _;
use std::path::{Path, PathBuf};

use super::exit::{Exit, Problem};
use super::output::Output;
use super::{Format, review_dialogues, words};
use crate::construct::DialogueSet;
use crate::synthesis::{Line, State, WordSet};

/// Go through the words that no check passed, and freeze the set.
///
/// Shows each flagged turn: what it has to say, the words, and what was wrong with
/// them. Every decision is written down at once, so it can be left at any time and
/// gone on with. When nothing is left the set is frozen: it gets a version and a
/// hash of all it holds, and `ifs run --words` takes it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Decisions:
  a  accept the words as they are
  e  edit: write them anew; a line with a single dot ends them
  r  reject: the words of the templates stand in their place
  s  skip, to be asked again next time
  q  quit

Examples:
  ifs review words.jsonl
  ifs review words.jsonl --all              every turn that no person has looked at
  ifs review words.jsonl --summary --format json")]
pub(crate) struct Args {
    /// The file that `ifs words` or `ifs construct` wrote
    file: PathBuf,
    /// Go through the turns that passed, too
    #[arg(long)]
    all: bool,
    /// Only tell what became of the turns
    #[arg(long)]
    summary: bool,
    /// How the summary is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, Problem> {
    if DialogueSet::is_one(&args.file) {
        return review_dialogues::run(&args.file, args.all, args.summary, output);
    }
    let mut set = WordSet::read(&args.file)?;
    if args.summary {
        words::show(&set, args.format, output);
        return Ok(Exit::Good);
    }
    let open: Vec<usize> = (0..set.lines.len())
        .filter(|at| match set.lines[*at].state {
            State::Flagged => true,
            State::Passed | State::Retried => args.all,
            State::Accepted | State::Edited | State::Rejected => false,
        })
        .collect();
    let mut input = std::io::stdin().lock().lines();
    let mut next = || -> Result<Option<String>, Problem> {
        let line = input.next().transpose();
        line.map_err(|error| Problem::machine(format!("the input: {error}")))
    };
    for (number, at) in open.iter().enumerate() {
        tell(&set, &set.lines[*at], (number + 1, open.len()), output);
        let Some(decision) = decide(&mut next, output)? else { break };
        let line = &mut set.lines[*at];
        match decision {
            Decision::Skip => continue,
            Decision::Accept => line.state = State::Accepted,
            Decision::Edit(words) => (line.state, line.words) = (State::Edited, words),
            Decision::Reject => {
                line.state = State::Rejected;
                line.words.clone_from(&line.plain);
            }
        }
        set.header.hash = None;
        set.write(&args.file)?;
    }
    finish(&mut set, &args.file, args.format, output)
}

enum Decision {
    Accept,
    Edit(String),
    Reject,
    Skip,
}

/// What the person wants; `None` to leave.
fn decide(
    next: &mut impl FnMut() -> Result<Option<String>, Problem>,
    output: &mut Output,
) -> Result<Option<Decision>, Problem> {
    loop {
        output.print("[a]ccept, [e]dit, [r]eject, [s]kip, [q]uit: ");
        output.flush();
        let Some(said) = next()? else { return Ok(None) };
        match said.trim().to_ascii_lowercase().as_str() {
            "a" | "accept" => return Ok(Some(Decision::Accept)),
            "r" | "reject" => return Ok(Some(Decision::Reject)),
            "s" | "skip" => return Ok(Some(Decision::Skip)),
            "q" | "quit" => return Ok(None),
            "e" | "edit" => {
                output.line("write the words; a line with a single dot ends them");
                output.flush();
                let mut words: Vec<String> = Vec::new();
                // Without the dot the words are not whole.
                loop {
                    match next()? {
                        None => return Ok(None),
                        Some(line) if line.trim() == "." => break,
                        Some(line) => words.push(line),
                    }
                }
                let words = words.join("\n").trim().to_owned();
                if !words.is_empty() {
                    return Ok(Some(Decision::Edit(words)));
                }
                output.line("a turn needs words");
            }
            _ => output.line("one letter: a, e, r, s or q"),
        }
    }
}

fn tell(set: &WordSet, line: &Line, (number, of): (usize, usize), output: &mut Output) {
    let dialogue = &set.header.dialogue;
    output.line(&format!(
        "\n{number} of {of} · dialogue {dialogue} number {}, turn {} · written {} by {}",
        line.index,
        line.turn,
        super::load::counted(line.tries as usize, "time"),
        line.by,
    ));
    output.line("in plain words:");
    indented(&line.plain, output);
    if !line.asks.is_empty() {
        output.line("demands:");
        line.asks.iter().for_each(|ask| indented(&format!("- {ask}"), output));
    }
    output.line("the words:");
    indented(&line.words, output);
    if let Some(why) = &line.why {
        output.line("why they were turned away:");
        indented(why, output);
    }
}

/// A model's words may hold what a terminal would obey.
fn indented(text: &str, output: &mut Output) {
    for line in text.lines() {
        let line: String = line.chars().filter(|letter| !letter.is_control()).collect();
        output.line(&format!("    {line}"));
    }
}

/// Freezes the set if nothing is left to decide about.
fn finish(
    set: &mut WordSet,
    path: &Path,
    format: Format,
    output: &mut Output,
) -> Result<Exit, Problem> {
    output.line("");
    if set.header.hash.is_none() && set.freeze() {
        set.write(path)?;
    }
    words::show(set, format, output);
    let path = path.display();
    output.note(&match &set.header.hash {
        Some(hash) => format!(
            "frozen as version {}, hash {}; `ifs run --words {path}` takes it",
            set.header.version,
            &hash[..16.min(hash.len())],
        ),
        None => format!("{} left to look at; `ifs review {path}` goes on", set.flagged()),
    });
    Ok(Exit::Good)
}
