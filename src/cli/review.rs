//! `ifs review`

use std::io::BufRead as _;
use std::path::{Path, PathBuf};

use super::exit::{Exit, Problem};
use super::output::Output;
use super::{Format, review_dialogues, words};
use ifs::construct::DialogueSet;
use ifs::curated_set::{Entry, Set, State};
use ifs::synthesis::{Line, WordSet};

/// Go through the words that no check passed, and freeze the set.
///
/// Shows each flagged turn: what it has to say, the message, and what was wrong with
/// it. Every decision is saved at once, so a review can be interrupted and resumed.
/// When nothing is left the set is frozen: it gets a version and a hash of its
/// content, and `ifs run --words` accepts it.
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
    /// Also review the turns that passed
    #[arg(long)]
    all: bool,
    /// Print the summary only
    #[arg(long)]
    summary: bool,
    /// Format of the summary
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, Problem> {
    if DialogueSet::is_one(&args.file) {
        return review_dialogues::run(&args.file, args.all, args.summary, output);
    }
    let mut set = WordSet::read(&args.file)?;
    if !args.summary {
        let walk = Walk { file: &args.file, all: args.all, edits: true };
        walk.through(&mut set, tell, decided, output)?;
    }
    words::show(&set, args.format, output);
    if !args.summary {
        told(&set, &args.file, "run --words", output);
    }
    Ok(Exit::Good)
}

fn decided(line: &mut Line, decision: Decision) -> Result<(), &'static str> {
    match decision {
        Decision::Accept => line.state = State::Accepted,
        Decision::Edit(words) => (line.state, line.words) = (State::Edited, words),
        Decision::Reject => {
            line.state = State::Rejected;
            line.words.clone_from(&line.plain);
        }
    }
    Ok(())
}

/// A person's way through a set.
pub(crate) struct Walk<'a> {
    pub file: &'a Path,
    /// Whether what passed is looked at, too.
    pub all: bool,
    /// Whether an entry can be written anew.
    pub edits: bool,
}

pub(crate) enum Decision {
    Accept,
    Edit(String),
    Reject,
}

enum Said {
    Decided(Decision),
    Skip,
    Leave,
}

impl Walk<'_> {
    /// Shows each open entry and asks what to do with it. `decided` carries that out, or says why
    /// it cannot be done. Every decision is written down at once; when nothing is left the set is
    /// frozen.
    pub fn through<E: Entry>(
        &self,
        set: &mut Set<E>,
        tell: impl Fn(&Set<E>, &E, (usize, usize), &mut Output),
        decided: impl Fn(&mut E, Decision) -> Result<(), &'static str>,
        output: &mut Output,
    ) -> Result<(), Problem> {
        let open = |entry: &E| match entry.state() {
            State::Flagged => true,
            State::Passed | State::Retried => self.all,
            State::Accepted | State::Edited | State::Rejected => false,
        };
        let open: Vec<usize> =
            (0..set.entries.len()).filter(|at| open(&set.entries[*at])).collect();
        let mut input = std::io::stdin().lock().lines();
        let mut next = || -> Result<Option<String>, Problem> {
            let line = input.next().transpose();
            line.map_err(|error| Problem::machine(format!("the input: {error}")))
        };
        'entries: for (number, at) in open.iter().enumerate() {
            tell(set, &set.entries[*at], (number + 1, open.len()), output);
            loop {
                match self.ask(&mut next, output)? {
                    Said::Leave => break 'entries,
                    Said::Skip => break,
                    Said::Decided(decision) => match decided(&mut set.entries[*at], decision) {
                        Err(why) => output.line(why),
                        Ok(()) => {
                            set.hash = None;
                            set.write(self.file)?;
                            break;
                        }
                    },
                }
            }
        }
        output.line("");
        if set.hash.is_none() && set.freeze() {
            set.write(self.file)?;
        }
        Ok(())
    }

    fn ask(
        &self,
        next: &mut impl FnMut() -> Result<Option<String>, Problem>,
        output: &mut Output,
    ) -> Result<Said, Problem> {
        let edit = if self.edits { "[e]dit, " } else { "" };
        loop {
            output.print(&format!("[a]ccept, {edit}[r]eject, [s]kip, [q]uit: "));
            output.flush();
            let Some(said) = next()? else { return Ok(Said::Leave) };
            return Ok(match said.trim().to_ascii_lowercase().as_str() {
                "a" | "accept" => Said::Decided(Decision::Accept),
                "r" | "reject" => Said::Decided(Decision::Reject),
                "s" | "skip" => Said::Skip,
                "q" | "quit" => Said::Leave,
                "e" | "edit" if self.edits => {
                    output.line("write the words; a line with a single dot ends them");
                    output.flush();
                    match written(next)? {
                        None => Said::Leave,
                        Some(words) if words.is_empty() => {
                            output.line("a turn needs words");
                            continue;
                        }
                        Some(words) => Said::Decided(Decision::Edit(words)),
                    }
                }
                _ => {
                    let edit = if self.edits { "e, " } else { "" };
                    output.line(&format!("one letter: a, {edit}r, s or q"));
                    continue;
                }
            });
        }
    }
}

/// Lines up to one with a single dot; nothing without it, since they are not whole then.
fn written(
    next: &mut impl FnMut() -> Result<Option<String>, Problem>,
) -> Result<Option<String>, Problem> {
    let mut words: Vec<String> = Vec::new();
    while let Some(line) = next()? {
        if line.trim() == "." {
            return Ok(Some(words.join("\n").trim().to_owned()));
        }
        words.push(line);
    }
    Ok(None)
}

/// Where the set stands, and which command is next.
pub(crate) fn told<E: Entry>(set: &Set<E>, path: &Path, takes: &str, output: &mut Output) {
    let path = path.display();
    output.note(&match &set.hash {
        Some(hash) => format!(
            "frozen as version {}, hash {}; `ifs {takes} {path}` takes it",
            set.version,
            &hash[..16.min(hash.len())],
        ),
        None => format!("{} left to look at; `ifs review {path}` goes on", set.flagged()),
    });
}

fn tell(set: &WordSet, line: &Line, (number, of): (usize, usize), output: &mut Output) {
    let dialogue = &set.made.dialogue;
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

fn indented(text: &str, output: &mut Output) {
    for line in text.lines() {
        output.line(&format!("    {line}"));
    }
}
