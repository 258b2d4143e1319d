//! Which dialogues are repeats: those whose messages, and what they are judged on, are those of an
//! earlier one from the first turn to the last.

use std::collections::BTreeMap;

use ifs_draw::{DrawError, Drawer, Script, Seed, TurnHash};
use ifs_value::stable_hash::StreamKey;

/// Texts of dialogues, each read only as far as it takes to distinguish it from the others.
pub struct DialogueTexts<'d> {
    drawer: &'d Drawer<'d>,
    seed: Seed,
    /// The number of turns that are compared.
    most: u32,
    /// The known texts with a common start, by the hash of all messages up to a turn.
    known: BTreeMap<u64, Beginning>,
}

/// Who begins in a way.
#[derive(Clone, Copy)]
enum Beginning {
    /// One dialogue, by its index.
    Alone(u64),
    /// Several, which part later.
    Several,
}

impl<'d> DialogueTexts<'d> {
    pub fn new(drawer: &'d Drawer<'d>, seed: Seed, most: u32) -> DialogueTexts<'d> {
        DialogueTexts { drawer, seed, most, known: BTreeMap::new() }
    }

    /// Adds a dialogue. Gives the one before it that has the same text.
    pub fn add(&mut self, index: u64) -> Result<Option<u64>, DrawError> {
        let mut mine = self.read_dialogue(index);
        // The one it began like so far, read up to the same turn.
        let mut other: Option<(u64, DialogueReading<'d>)> = None;
        loop {
            mine.step()?;
            match self.known.get(&mine.so_far.number()) {
                None => {
                    self.known.insert(mine.so_far.number(), Beginning::Alone(index));
                    return Ok(None);
                }
                Some(Beginning::Several) => {}
                Some(Beginning::Alone(alone)) if mine.is_over => return Ok(Some(*alone)),
                Some(Beginning::Alone(alone)) => {
                    let alone = *alone;
                    let mut theirs = match other.take() {
                        Some((index, theirs)) if index == alone => theirs,
                        _ => self.read_dialogue(alone),
                    };
                    while theirs.turns <= mine.turns && !theirs.is_over {
                        theirs.step()?;
                    }
                    self.known.insert(mine.so_far.number(), Beginning::Several);
                    self.known.insert(theirs.so_far.number(), Beginning::Alone(alone));
                    other = Some((alone, theirs));
                }
            }
        }
    }

    fn read_dialogue(&self, index: u64) -> DialogueReading<'d> {
        DialogueReading {
            drawer: self.drawer,
            most: self.most,
            script: self.drawer.script(self.seed, index).take_both_sides(),
            so_far: StreamKey::new("text"),
            turns: 0,
            is_over: false,
        }
    }

    /// Whether anything is drawn in a dialogue, so that seeds differ.
    fn is_drawn(&self, index: u64) -> Result<bool, DrawError> {
        let mut reading = self.read_dialogue(index);
        while !reading.is_over && !reading.script.has_chosen() {
            reading.step()?;
        }
        Ok(reading.script.has_chosen())
    }
}

/// A dialogue that is read turn by turn, up to the end that a model without misses would reach, with
/// both sides of its branches.
struct DialogueReading<'d> {
    drawer: &'d Drawer<'d>,
    most: u32,
    script: Script<'d>,
    /// All that was asked.
    so_far: StreamKey,
    turns: u32,
    is_over: bool,
}

impl DialogueReading<'_> {
    /// Goes on by a turn, or to the end.
    fn step(&mut self) -> Result<(), DrawError> {
        let table = self.drawer.dialogue().table;
        let next = match self.turns >= self.most {
            true => None,
            false => self.script.next().transpose()?,
        };
        match next {
            Some(turn) => {
                let TurnHash { messages, judged } =
                    TurnHash::from_turn(self.drawer.plan(), table, &turn);
                self.so_far = self.so_far.and_number(messages).and_number(judged);
                for choice in self.script.take_choices() {
                    self.so_far = self.so_far.and(&ifs_predicate::print::print(&choice));
                }
                self.turns += 1;
            }
            None => {
                self.so_far = self.so_far.and("end");
                self.is_over = true;
            }
        }
        Ok(())
    }
}

/// The number of distinct dialogues, if it is known without drawing many: a dialogue in
/// which nothing is chosen and that goes over few records has at most one for each.
pub fn distinct(drawer: &Drawer<'_>, seed: Seed, most: u32) -> Result<Option<u64>, DrawError> {
    /// The maximum number of records that are considered.
    const MAX_RECORDS: u64 = 64;
    match drawer.period().filter(|period| *period <= MAX_RECORDS) {
        Some(period) => exactly(drawer, seed, most, period),
        None => Ok(None),
    }
}

/// The same for this many records.
pub(super) fn exactly(
    drawer: &Drawer<'_>,
    seed: Seed,
    most: u32,
    period: u64,
) -> Result<Option<u64>, DrawError> {
    let mut texts = DialogueTexts::new(drawer, seed, most);
    let mut distinct = 0;
    for index in 0..period {
        if texts.is_drawn(index)? {
            return Ok(None);
        }
        distinct += u64::from(texts.add(index)?.is_none());
    }
    Ok(Some(distinct))
}
