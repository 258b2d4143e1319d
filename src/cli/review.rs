//! `ifs review`

use std::io::BufRead as _;
use std::path::{Path, PathBuf};

use super::exit::{CommandError, Exit};
use super::output::Output;
use super::{Format, review_dialogues, synthesize};
use ifs::construct::DialogueSet;
use ifs::curated_set::{CuratedEntry, CuratedSet, ReviewState};
use ifs::synthesis::{UtteranceLine, UtteranceSet};

/// Review the user messages that no check accepted, and freeze the set.
///
/// Shows each flagged turn: its required content, the message, and the errors in it. Every decision
/// is saved at once, so a review can be interrupted and resumed. When nothing is left, the set is
/// frozen: it gets a version and a content hash, and `ifs run --utterances` accepts it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Decisions:
  a  accept the message
  e  edit: write the message again; a line with a single dot ends it
  r  reject: the message of the templates is used instead
  s  skip until the next review
  q  quit

Examples:
  ifs review utterances.jsonl
  ifs review utterances.jsonl --all              every turn that no person has reviewed
  ifs review utterances.jsonl --summary --format json")]
pub(crate) struct Args {
    /// The file that `ifs synthesize` or `ifs construct` wrote
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

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    if DialogueSet::is_one(&args.file) {
        return review_dialogues::run(&args.file, args.all, args.summary, output);
    }
    let mut set = UtteranceSet::read(&args.file)?;
    if !args.summary {
        let walk = SetReview { file: &args.file, all: args.all, edits: true };
        walk.review_open(&mut set, report, decided, output)?;
    }
    synthesize::show(&set, args.format, output);
    if !args.summary {
        print_state(&set, &args.file, "run --utterances", output);
    }
    Ok(Exit::Good)
}

fn decided(line: &mut UtteranceLine, decision: Decision) -> Result<(), &'static str> {
    match decision {
        Decision::Accept => line.state = ReviewState::Accepted,
        Decision::Edit(words) => (line.state, line.message) = (ReviewState::Edited, words),
        Decision::Reject => {
            line.state = ReviewState::Rejected;
            line.message.clone_from(&line.plain);
        }
    }
    Ok(())
}

/// A review of a set.
pub(crate) struct SetReview<'a> {
    pub file: &'a Path,
    /// Whether entries that passed are reviewed too.
    pub all: bool,
    /// Whether an entry can be edited.
    pub edits: bool,
}

pub(crate) enum Decision {
    Accept,
    Edit(String),
    Reject,
}

enum Answer {
    Decided(Decision),
    Skip,
    Leave,
}

impl SetReview<'_> {
    /// Shows each open entry and reads a decision. `decided` applies the decision, or returns why
    /// it cannot. Every decision is saved at once; when nothing is left, the set is frozen.
    pub fn review_open<E: CuratedEntry>(
        &self,
        set: &mut CuratedSet<E>,
        report: impl Fn(&CuratedSet<E>, &E, (usize, usize), &mut Output),
        decided: impl Fn(&mut E, Decision) -> Result<(), &'static str>,
        output: &mut Output,
    ) -> Result<(), CommandError> {
        let open = |entry: &E| match entry.state() {
            ReviewState::Flagged => true,
            ReviewState::Passed | ReviewState::Retried => self.all,
            ReviewState::Accepted | ReviewState::Edited | ReviewState::Rejected => false,
        };
        let open: Vec<usize> =
            (0..set.entries.len()).filter(|at| open(&set.entries[*at])).collect();
        let mut input = std::io::stdin().lock().lines();
        let mut next = || -> Result<Option<String>, CommandError> {
            let line = input.next().transpose();
            line.map_err(|error| CommandError::infrastructure(format!("the input: {error}")))
        };
        'entries: for (number, at) in open.iter().enumerate() {
            report(set, &set.entries[*at], (number + 1, open.len()), output);
            loop {
                match self.ask(&mut next, output)? {
                    Answer::Leave => break 'entries,
                    Answer::Skip => break,
                    Answer::Decided(decision) => match decided(&mut set.entries[*at], decision) {
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
        next: &mut impl FnMut() -> Result<Option<String>, CommandError>,
        output: &mut Output,
    ) -> Result<Answer, CommandError> {
        let edit = if self.edits { "[e]dit, " } else { "" };
        loop {
            output.print(&format!("[a]ccept, {edit}[r]eject, [s]kip, [q]uit: "));
            output.flush();
            let Some(said) = next()? else { return Ok(Answer::Leave) };
            return Ok(match said.trim().to_ascii_lowercase().as_str() {
                "a" | "accept" => Answer::Decided(Decision::Accept),
                "r" | "reject" => Answer::Decided(Decision::Reject),
                "s" | "skip" => Answer::Skip,
                "q" | "quit" => Answer::Leave,
                "e" | "edit" if self.edits => {
                    output.line("write the message; a line with a single dot ends it");
                    output.flush();
                    match read_message(next)? {
                        None => Answer::Leave,
                        Some(words) if words.is_empty() => {
                            output.line("a message must not be empty");
                            continue;
                        }
                        Some(words) => Answer::Decided(Decision::Edit(words)),
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

/// The lines up to a single dot; `None` without one, since the text is then incomplete.
fn read_message(
    next: &mut impl FnMut() -> Result<Option<String>, CommandError>,
) -> Result<Option<String>, CommandError> {
    let mut words: Vec<String> = Vec::new();
    while let Some(line) = next()? {
        if line.trim() == "." {
            return Ok(Some(words.join("\n").trim().to_owned()));
        }
        words.push(line);
    }
    Ok(None)
}

/// Prints the state of the set, and the next command.
pub(crate) fn print_state<E: CuratedEntry>(
    set: &CuratedSet<E>,
    path: &Path,
    takes: &str,
    output: &mut Output,
) {
    let path = path.display();
    output.note(&match &set.hash {
        Some(hash) => format!(
            "frozen as version {}, hash {}; use it with `ifs {takes} {path}`",
            set.version,
            &hash[..16.min(hash.len())],
        ),
        None => format!("{} left to review; continue with `ifs review {path}`", set.flagged()),
    });
}

fn report(
    set: &UtteranceSet,
    line: &UtteranceLine,
    (number, of): (usize, usize),
    output: &mut Output,
) {
    let dialogue = &set.made.dialogue;
    output.line(&format!(
        "\n{number} of {of} · dialogue {dialogue} number {}, turn {} · written {} by {}",
        line.index,
        line.turn,
        super::load::counted(line.tries as usize, "time"),
        line.by,
    ));
    output.line("from the templates:");
    indented(&line.plain, output);
    if !line.demands.is_empty() {
        output.line("demands:");
        line.demands.iter().for_each(|ask| indented(&format!("- {ask}"), output));
    }
    output.line("the message:");
    indented(&line.message, output);
    if let Some(why) = &line.why {
        output.line("why it was rejected:");
        indented(why, output);
    }
}

fn indented(text: &str, output: &mut Output) {
    for line in text.lines() {
        output.line(&format!("    {line}"));
    }
}
