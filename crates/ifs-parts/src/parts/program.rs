//! Extraction programs, which a coder model writes to extract a part of one response.
//!
//! A program is a few steps, one per line, each from a list of pieces to a list of pieces; it
//! starts with the response as the only piece. No step creates text, so every result occurs in the
//! response (texts in JSON without their escapes). There are no loops and no names, so every
//! program ends. Its length, its pieces and the work of its patterns are bounded. Exceeding a limit
//! is a [`Failure`], and so is finding nothing.

mod parse;

use std::borrow::Cow;

use super::PartReader;
use ifs_predicate::tree::Pattern;

pub use parse::{BadProgram, parse, written_in};

/// The maximum number of steps.
pub const MAX_STEPS: usize = 16;
/// The maximum size of a program, in bytes.
pub const MAX_PROGRAM_BYTES: usize = 4_000;
/// The maximum number of pieces after a step.
pub const MAX_PIECES: usize = 100_000;
/// The maximum number of bytes that the patterns of a program may scan, if every search goes to the
/// end of its piece: repeated searches are not linear for every pattern.
const MAX_SCANNED_BYTES: usize = 1_000_000_000;
/// The maximum length of a piece that patterns search.
const MAX_SEARCHED_BYTES: usize = 20_000_000;

/// A parsed program.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtractionProgram {
    pub steps: Vec<ProgramStep>,
}

/// One line of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum ProgramStep {
    /// The text after the first match, to the end of the piece; pieces without a match are dropped.
    After(StepTarget),
    /// The text before the first match; pieces without a match are kept.
    Before(StepTarget),
    Between(String, String),
    Split(StepTarget),
    /// Each match; its first group if it has one.
    Find(Pattern),
    Keep(StepTarget),
    Drop(StepTarget),
    /// Removes matches from both ends of each piece.
    Strip(StepTarget),
    First(usize),
    Last(usize),
    Skip(usize),
    /// From the start of the first piece to the end of the last.
    Span,
    Read(PartReader),
}

#[derive(Clone, Debug, PartialEq)]
pub enum StepTarget {
    Text(String),
    Pattern(Pattern),
}

/// Why a program extracted nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("step {step} leaves nothing")]
    Nothing { step: usize },
    #[error("step {step} leaves more than {MAX_PIECES} pieces")]
    TooManyPieces { step: usize },
    #[error("step {step} takes too long on an answer of this length")]
    TooMuchWork { step: usize },
}

type TrimmedPiece<'t> = Cow<'t, str>;

impl ExtractionProgram {
    /// The pieces of a response, trimmed and without blank ones.
    ///
    /// # Errors
    /// Returns an error if a step leaves no pieces or too many, or takes too long.
    pub fn run<'t>(&self, answer: &'t str) -> Result<Vec<TrimmedPiece<'t>>, Failure> {
        self.run_within(answer, WorkBudget(MAX_SCANNED_BYTES))
    }

    fn run_within<'t>(
        &self,
        answer: &'t str,
        mut work: WorkBudget,
    ) -> Result<Vec<TrimmedPiece<'t>>, Failure> {
        let mut pieces: Vec<TrimmedPiece<'t>> = vec![Cow::Borrowed(answer)];
        for (at, step) in self.steps.iter().enumerate() {
            let number = at + 1;
            let next = step.apply(answer, pieces, &mut work);
            let next = next.ok_or(Failure::TooMuchWork { step: number })?;
            pieces = next;
            if pieces.len() > MAX_PIECES {
                return Err(Failure::TooManyPieces { step: number });
            }
            if pieces.iter().all(|piece| piece.trim().is_empty()) {
                return Err(Failure::Nothing { step: number });
            }
        }
        Ok(pieces
            .into_iter()
            .map(|piece| map_pieces(piece, |text| vec![text.trim()]))
            .flat_map(Vec::into_iter)
            .filter(|piece| !piece.is_empty())
            .collect())
    }
}

/// The remaining work.
struct WorkBudget(usize);

impl WorkBudget {
    fn spend(&mut self, bytes: usize) -> Option<()> {
        self.0 = self.0.checked_sub(bytes)?;
        Some(())
    }
}

/// Applies a function to each piece; parts of a piece that occurs in the response also do.
fn map_pieces<'t>(
    piece: TrimmedPiece<'t>,
    cut: impl FnOnce(&str) -> Vec<&str>,
) -> Vec<TrimmedPiece<'t>> {
    match piece {
        Cow::Borrowed(text) => cut(text).into_iter().map(Cow::Borrowed).collect(),
        Cow::Owned(text) => {
            cut(&text).into_iter().map(|part| Cow::Owned(part.to_owned())).collect()
        }
    }
}

impl ProgramStep {
    /// `None` when it takes too long.
    fn apply<'t>(
        &self,
        answer: &'t str,
        pieces: Vec<TrimmedPiece<'t>>,
        work: &mut WorkBudget,
    ) -> Option<Vec<TrimmedPiece<'t>>> {
        let mut all = Vec::new();
        match self {
            ProgramStep::First(number) => return Some(pieces.into_iter().take(*number).collect()),
            ProgramStep::Last(number) => {
                let skip = pieces.len().saturating_sub(*number);
                return Some(pieces.into_iter().skip(skip).collect());
            }
            ProgramStep::Skip(number) => return Some(pieces.into_iter().skip(*number).collect()),
            ProgramStep::Span => return Some(span(answer, pieces)),
            ProgramStep::Read(reader) => {
                for piece in pieces {
                    all.extend(reader.read_piece(piece));
                    if all.len() > MAX_PIECES {
                        break;
                    }
                }
                return Some(all);
            }
            ProgramStep::Keep(sought) | ProgramStep::Drop(sought) => {
                let wanted = matches!(self, ProgramStep::Keep(_));
                for piece in pieces {
                    if sought.first_match(&piece, work)?.is_some() == wanted {
                        all.push(piece);
                    }
                }
                return Some(all);
            }
            _ => {}
        }
        for piece in pieces {
            let mut spent = Some(());
            let parts = map_pieces(piece, |text| {
                let parts = self.part(text, work);
                spent = parts.as_ref().map(|_| ());
                parts.unwrap_or_default()
            });
            spent?;
            all.extend(parts);
            if all.len() > MAX_PIECES {
                break;
            }
        }
        Some(all)
    }

    /// The result of a step for one piece.
    fn part<'p>(&self, text: &'p str, work: &mut WorkBudget) -> Option<Vec<&'p str>> {
        Some(match self {
            ProgramStep::After(sought) => match sought.first_match(text, work)? {
                Some((_, end)) => vec![&text[end..]],
                None => Vec::new(),
            },
            ProgramStep::Before(sought) => match sought.first_match(text, work)? {
                Some((start, _)) => vec![&text[..start]],
                None => vec![text],
            },
            ProgramStep::Between(open, close) => super::reader::texts_between(text, open, close),
            ProgramStep::Split(sought) => {
                let mut parts = Vec::new();
                let mut start = 0;
                for (from, to) in sought.all(text, work)? {
                    parts.push(&text[start..from]);
                    start = to;
                }
                parts.push(&text[start..]);
                parts
            }
            ProgramStep::Find(pattern) => {
                let sought = StepTarget::Pattern(pattern.clone());
                sought.all(text, work)?.into_iter().map(|(from, to)| &text[from..to]).collect()
            }
            ProgramStep::Strip(sought) => vec![sought.strip_matches(text, work)?],
            ProgramStep::Read(_)
            | ProgramStep::First(_)
            | ProgramStep::Last(_)
            | ProgramStep::Skip(_)
            | ProgramStep::Span
            | ProgramStep::Keep(_)
            | ProgramStep::Drop(_) => vec![text],
        })
    }
}

/// From the start of the first piece to the end of the last, if they occur in the response.
fn span<'t>(answer: &'t str, pieces: Vec<TrimmedPiece<'t>>) -> Vec<TrimmedPiece<'t>> {
    let place = |piece: &TrimmedPiece<'t>| {
        let start = (piece.as_ptr() as usize).checked_sub(answer.as_ptr() as usize)?;
        matches!(piece, Cow::Borrowed(_)).then_some((start, start + piece.len()))
    };
    let ends = pieces.first().and_then(place).zip(pieces.last().and_then(place));
    match ends.and_then(|((start, _), (_, end))| answer.get(start..end)) {
        Some(whole) => vec![Cow::Borrowed(whole)],
        None => pieces,
    }
}

impl StepTarget {
    /// The first match.
    fn first_match(&self, text: &str, work: &mut WorkBudget) -> Option<Option<(usize, usize)>> {
        work.spend(text.len())?;
        Some(match self {
            StepTarget::Text(wanted) => {
                text.find(wanted.as_str()).map(|at| (at, at + wanted.len()))
            }
            StepTarget::Pattern(pattern) => {
                if text.len() > MAX_SEARCHED_BYTES {
                    return None;
                }
                pattern
                    .regex()
                    .and_then(|regex| regex.find(text))
                    .map(|found| (found.start(), found.end()))
            }
        })
    }

    /// All matches without overlaps; for a pattern with groups, its first group.
    fn all(&self, text: &str, work: &mut WorkBudget) -> Option<Vec<(usize, usize)>> {
        work.spend(text.len())?;
        let mut found = Vec::new();
        match self {
            StepTarget::Text(wanted) => {
                found.extend(
                    text.match_indices(wanted.as_str()).map(|(at, part)| (at, at + part.len())),
                );
            }
            StepTarget::Pattern(pattern) => {
                if text.len() > MAX_SEARCHED_BYTES {
                    return None;
                }
                let Some(regex) = pattern.regex() else { return Some(found) };
                let group = usize::from(regex.captures_len() > 1);
                for captures in regex.captures_iter(text) {
                    let whole = captures.get(0)?;
                    work.spend(text.len() - whole.start())?;
                    if let Some(part) = captures.get(group).filter(|part| !part.is_empty()) {
                        found.push((part.start(), part.end()));
                    }
                    if found.len() > MAX_PIECES {
                        break;
                    }
                }
            }
        }
        Some(found)
    }

    /// A piece without matches at its ends.
    fn strip_matches<'p>(&self, text: &'p str, work: &mut WorkBudget) -> Option<&'p str> {
        let text = text.trim();
        match self {
            StepTarget::Text(wanted) => {
                let text = text.strip_prefix(wanted.as_str()).unwrap_or(text);
                Some(text.strip_suffix(wanted.as_str()).unwrap_or(text).trim())
            }
            StepTarget::Pattern(_) => {
                let places = self.all(text, work)?;
                let start = places.first().filter(|place| place.0 == 0).map_or(0, |place| place.1);
                let end = places
                    .last()
                    .filter(|place| place.1 == text.len() && place.0 >= start)
                    .map_or(text.len(), |place| place.0);
                Some(text[start..end].trim())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run<'t>(program: &str, answer: &'t str) -> Result<Vec<Cow<'t, str>>, Failure> {
        parse(program).expect(program).run(answer)
    }

    const ANSWER: &str = "Sure! Two kinds:\n\n## Casual\n1. so good\n2. want it\n\n## Formal\n1. A fine product.\n2. Well done.\n\nHope that helps!";

    #[test]
    fn steps_extract_existing_text() {
        let found = run("after \"## Casual\"\nbefore \"##\"\nnumbered", ANSWER);
        assert_eq!(found.unwrap(), ["so good", "want it"]);
        let found = run("section \"formal\"\nfind /^\\d\\. (.+)$/m", ANSWER);
        assert_eq!(found.unwrap(), ["A fine product.", "Well done."]);
        let found = run("lines\nskip 1\nlast 3\nfirst 2\nspan", ANSWER);
        assert_eq!(found.unwrap(), ["A fine product.\n2. Well done."]);
        assert_eq!(run("split \"|\"\nstrip /\\d/", "1a|b2|c").unwrap(), ["a", "b", "c"]);
        assert_eq!(run("lines\ndrop /^#/\nkeep \"b\"", "#b\nab\na").unwrap(), ["ab"]);
        assert_eq!(run("json \"a\"", "{\"a\": [\"x\"]}").unwrap(), ["x"]);
    }

    #[test]
    fn failed_programs_report_the_step() {
        assert_eq!(run("lines\nafter \"zebra\"", ANSWER), Err(Failure::Nothing { step: 2 }));
        assert_eq!(run("lines", " \n\t"), Err(Failure::Nothing { step: 1 }));
    }

    #[test]
    fn pieces_and_work_are_bounded() {
        let many = "a\n".repeat(MAX_PIECES + 1);
        assert_eq!(run("split \"\\n\"", &many), Err(Failure::TooManyPieces { step: 1 }));
        // Every search for this goes to the end before it returns one letter.
        let long = "A".repeat(100_000);
        let program = parse("find /.*[^A]|[A]/").unwrap();
        let failed = program.run_within(&long, WorkBudget(10_000_000));
        assert_eq!(failed, Err(Failure::TooMuchWork { step: 1 }));
    }

    #[test]
    fn ten_megabytes() {
        let answer = "1. a b c\n".repeat(1_100_000);
        assert_eq!(run("find /\\d+\\. (a+)+$/m", &answer), Err(Failure::Nothing { step: 1 }));
        assert_eq!(run("numbered", &answer), Err(Failure::TooManyPieces { step: 1 }));
        assert_eq!(run("after \"1. a\"\nbefore \"1. a\"", &answer).unwrap(), ["b c"]);
    }
}
