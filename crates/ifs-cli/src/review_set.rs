//! The review of a set by a person: what `ifs review` asks of each entry.

use std::io::BufRead as _;
use std::path::Path;

use super::exit::CommandError;
use super::output::Output;
use super::shell::quoted;
use ifs_run::curated_set::{CuratedEntry, CuratedSet, ReviewState};

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
    let path = quoted(path);
    output.note(&match &set.hash {
        Some(hash) => format!(
            "frozen as version {}, hash {}; use it with `ifs {takes} {path}`",
            set.version,
            &hash[..16.min(hash.len())],
        ),
        None => format!("{} left to review; continue with `ifs review {path}`", set.flagged()),
    });
}
