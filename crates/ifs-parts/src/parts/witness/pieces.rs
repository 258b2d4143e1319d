//! Pieces for each part: the required number of them, each satisfying its goals.

use std::cell::Cell;
use std::collections::BTreeSet;

use ifs_predicate::evaluate::{TextContext, Variables, holds};
use ifs_predicate::value::Value;
use ifs_predicate::witness::{Effort, Goal, TextTopic, any_text, witness_within as of_whole};
use ifs_text::Text;

use super::WitnessPart;
use super::runs::{LineForm, Materials};
use super::schema::Condition;
use super::split::SplitGoals;
use crate::parts::PartReader;

/// The maximum number of pieces of a part.
const MAX_PIECES: usize = 200;
/// The number of candidates for each piece.
const CANDIDATES_PER_PIECE: u64 = 12;

/// The steps of trying a piece, in addition to reading those before it.
const PIECE_COST: usize = 100;

/// The pieces of every part, in order.
pub(super) fn pieces(
    parts: &[WitnessPart],
    split: &SplitGoals<'_>,
    about: &TextTopic<'_>,
    seed: u64,
    (effort, steps): (Effort, &Cell<usize>),
) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let each = split.each.get(at).map_or([].as_slice(), Vec::as_slice);
        let others: Vec<&Condition<'_>> =
            split.others.iter().filter(|other| other.tree.mentions(&part.name)).collect();
        let seed = seed.wrapping_add(at as u64 * 977);
        let source = PieceGenerator::new(part, each, &others, about, (seed, effort, steps));
        if !part.list {
            let text = source.piece(0, 0, None);
            all.push(vec![text.unwrap_or_else(|| "piece".to_owned())]);
            continue;
        }
        let counts = split.counts.get(at).map_or([].as_slice(), Vec::as_slice);
        let mut made: Vec<String> = Vec::new();
        for number in 0..count(part, counts, &all, parts) {
            let piece = source.next_piece(&mut made, number as u64, &others, parts, &all);
            made.push(piece);
        }
        all.push(made);
    }
    all
}

/// The number of pieces of a part: the smallest number that satisfies its goals, from 3 up and then
/// below.
fn count(
    part: &WitnessPart,
    counts: &[Condition<'_>],
    before: &[Vec<String>],
    parts: &[WitnessPart],
) -> usize {
    let fits = |number: usize| {
        let list = Value::list((0..number).map(|_| Value::text("a")));
        let values = vec![(part.name.clone(), list)];
        counts.iter().all(|count| condition_holds(count, &values, ""))
    };
    // Columns of one table, and fields of one list, have the same length.
    let beside =
        parts.iter().zip(before).find(|(other, _)| read_same_pieces(&other.reader, &part.reader));
    if let Some((_, made)) = beside
        && fits(made.len())
    {
        return made.len();
    }
    (3..=MAX_PIECES).chain([2, 1]).find(|number| fits(*number)).unwrap_or(3)
}

fn read_same_pieces(one: &PartReader, other: &PartReader) -> bool {
    match (one, other) {
        (PartReader::Table(_), PartReader::Table(_)) => true,
        (PartReader::Json(one), PartReader::Json(other)) => {
            let list = |path: &str| path.rsplit_once('.').map(|(list, _)| list.to_owned());
            list(one).is_some() && list(one) == list(other)
        }
        (PartReader::In(one, within), PartReader::In(other, beside)) => {
            within == beside && read_same_pieces(one, other)
        }
        _ => false,
    }
}

fn condition_holds(condition: &Condition<'_>, values: &Vec<(String, Value)>, it: &str) -> bool {
    let both: (&dyn Variables, &dyn Variables) = (values, condition.variables);
    let text = Text::new(it);
    holds(&condition.tree, &TextContext { it: &text, variables: &both })
}

/// The generator of the pieces of one part.
struct PieceGenerator<'a> {
    part: &'a WitnessPart,
    each: &'a [Condition<'a>],
    about: &'a TextTopic<'a>,
    materials: Materials,
    /// The form that was found; `None` if only the general witness satisfies the goals.
    form: Option<LineForm>,
    seed: u64,
    effort: Effort,
    /// The remaining steps of all pieces.
    steps: &'a Cell<usize>,
}

impl<'a> PieceGenerator<'a> {
    fn new(
        part: &'a WitnessPart,
        each: &'a [Condition<'a>],
        others: &[&Condition<'a>],
        about: &'a TextTopic<'a>,
        (seed, effort, steps): (u64, Effort, &'a Cell<usize>),
    ) -> PieceGenerator<'a> {
        let all: Vec<&Condition<'_>> = each.iter().chain(others.iter().copied()).collect();
        let materials = Materials::from_conditions(&all);
        let form = None;
        let mut source = PieceGenerator { part, each, about, materials, form, seed, effort, steps };
        let mut wrong = |text: &str| source.wrong(text);
        let (form, left) = source.materials.form(&mut wrong, seed, source.has_lines());
        if left == 0 {
            source.form = Some(form);
        }
        source
    }

    /// The next piece of a list: the first of several candidates that fits the earlier pieces.
    fn next_piece(
        &self,
        made: &mut Vec<String>,
        number: u64,
        others: &[&Condition<'_>],
        parts: &[WitnessPart],
        before: &[Vec<String>],
    ) -> String {
        let mut best: Option<(usize, String)> = None;
        let known: BTreeSet<String> = made.iter().map(|piece| piece.to_lowercase()).collect();
        for candidate in 0..CANDIDATES_PER_PIECE {
            if self.steps.get() == 0 {
                break;
            }
            let last = made.last().map(String::as_str);
            let Some(piece) = self.piece(number, candidate, last) else { continue };
            let read = before.iter().flatten().chain(&*made).map(String::len).sum::<usize>();
            self.steps.set(self.steps.get().saturating_sub(PIECE_COST + read / 16));
            let twice = usize::from(known.contains(&piece.to_lowercase()));
            let mut wrong = 0;
            if !others.is_empty() {
                made.push(piece.clone());
                let mut values: Vec<(String, Value)> = parts
                    .iter()
                    .zip(before)
                    .map(|(part, pieces)| (part.name.clone(), value(part, pieces)))
                    .collect();
                values.push((self.part.name.clone(), value(self.part, made)));
                let later: Vec<&WitnessPart> = parts.iter().skip(before.len() + 1).collect();
                let ready = |other: &&&Condition<'_>| {
                    !later.iter().any(|part| other.tree.mentions(&part.name))
                };
                wrong = others
                    .iter()
                    .filter(ready)
                    .filter(|other| !condition_holds(other, &values, ""))
                    .count();
                made.pop();
            }
            let wrong = 2 * wrong + twice;
            if wrong == 0 {
                return piece;
            }
            if best.as_ref().is_none_or(|(best, _)| wrong < *best) {
                best = Some((wrong, piece));
            }
        }
        best.map_or_else(|| format!("piece {number}"), |(_, piece)| piece)
    }

    /// A candidate for a piece: of the form that was found, or with a change that other pieces may
    /// require.
    fn piece(&self, number: u64, candidate: u64, last: Option<&str>) -> Option<String> {
        let seed = self.seed.wrapping_add(number * CANDIDATES_PER_PIECE + candidate);
        let Some(form) = &self.form else {
            // Each is expensive.
            return (candidate < 3).then(|| self.worded(seed)).flatten();
        };
        let letters: Vec<char> =
            last.unwrap_or("").chars().filter(|c| c.is_alphanumeric()).collect();
        let plain = |form: &LineForm| Some(form.clone());
        let literals = self.materials.literals.len() as u64;
        let changed = match candidate {
            0 => plain(form),
            1 => letters.last().map(|c| LineForm { first: Some(*c), ..form.clone() }),
            2 => letters.last().map(|c| LineForm { last: Some(*c), ..form.clone() }),
            3 => letters.first().map(|c| LineForm { last: Some(*c), ..form.clone() }),
            4.. if candidate < 4 + literals => {
                return self.with_literal(form, (candidate - 4) as usize, seed);
            }
            _ => plain(form),
        }?;
        let text = self.materials.text(&changed, seed);
        self.fits(&text).then_some(text)
    }

    /// The form with one more literal, and another size if necessary.
    fn with_literal(&self, form: &LineForm, at: usize, seed: u64) -> Option<String> {
        let more = self.materials.with_one_more(form, at);
        let near = self.materials.neighbours(&more, 0, false);
        std::iter::once(more)
            .chain(near)
            .map(|form| self.materials.text(&form, seed))
            .find(|text| self.fits(text))
    }

    /// Words from the general witness, on one line if the reader reads lines.
    fn worded(&self, seed: u64) -> Option<String> {
        let goals: Vec<Goal<'_>> = self
            .each
            .iter()
            .map(|each| Goal { tree: &each.tree, variables: each.variables, wanted: true })
            .collect();
        let mut steps = self.steps.get();
        if steps == 0 {
            return None;
        }
        let text = of_whole(&goals, self.about, seed, (self.effort, &mut steps));
        self.steps.set(steps);
        let text = any_text(text).ok()?;
        let text = match self.has_lines() {
            true => text.trim().to_owned(),
            false => text.split_whitespace().collect::<Vec<_>>().join(" "),
        };
        self.fits(&text).then_some(text)
    }

    fn has_lines(&self) -> bool {
        !self.part.list
            || matches!(
                self.part.reader,
                PartReader::Paragraphs | PartReader::Between(..) | PartReader::Code
            )
    }

    fn fits(&self, piece: &str) -> bool {
        self.wrong(piece) == 0
    }

    /// The number of conditions that a piece violates; an empty piece violates one more.
    fn wrong(&self, piece: &str) -> usize {
        let nothing = Vec::new();
        let missed =
            self.each.iter().filter(|each| !condition_holds(each, &nothing, piece)).count();
        missed + usize::from(!piece.chars().any(char::is_alphanumeric))
    }
}

fn value(part: &WitnessPart, pieces: &[String]) -> Value {
    match part.list {
        true => Value::list(pieces.iter().map(|piece| Value::text(piece))),
        false => Value::text(pieces.first().map_or("", String::as_str)),
    }
}
