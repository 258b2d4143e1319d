//! Dialogues with a right answer to each turn.

use std::sync::{Arc, OnceLock, PoisonError};

use super::base::{BaseAnswer, Bases};
use ifs_draw::{DrawError, Drawer, ScriptTurn, Seed};
use ifs_plan::Plan;

/// A drawn dialogue: its turns on both sides of each branch, with right answers.
#[derive(Debug)]
pub struct Course {
    pub index: u64,
    pub turns: Vec<ScriptTurn>,
    pub bases: Vec<Option<BaseAnswer>>,
    /// The right answers as the replies to earlier turns.
    pub replies: Vec<String>,
}

/// The most turns of a dialogue among which the answer of another record is looked for.
const MAX_TURNS: usize = 400;

/// Draws the dialogues of a scenario, each once.
pub struct Courses<'p> {
    pub plan: &'p Plan,
    pub dialogue: &'p str,
    pub seed: Seed,
    bases: &'p Bases,
    drawer: OnceLock<Drawer<'p>>,
}

impl<'p> Courses<'p> {
    pub fn new(plan: &'p Plan, dialogue: &'p str, seed: Seed, bases: &'p Bases) -> Courses<'p> {
        Courses { plan, dialogue, seed, bases, drawer: OnceLock::new() }
    }

    pub fn bases(&self) -> &'p Bases {
        self.bases
    }

    fn drawer(&self) -> Result<&Drawer<'p>, DrawError> {
        if let Some(drawer) = self.drawer.get() {
            return Ok(drawer);
        }
        let drawer = Drawer::new(self.plan, self.dialogue)?;
        Ok(self.drawer.get_or_init(|| drawer))
    }

    /// Where the plan is: dialogues are remembered for as long as it is there.
    fn address(&self) -> usize {
        std::ptr::from_ref(self.plan).addr()
    }

    /// The number of different dialogues, if there are so many only.
    ///
    /// # Errors
    /// Returns an error if the dialogue cannot be drawn.
    pub fn period(&self) -> Result<Option<u64>, DrawError> {
        let key = (self.address(), self.dialogue.to_owned());
        let known = || self.bases.periods.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(period) = known().get(&key) {
            return Ok(*period);
        }
        let period = self.drawer()?.period();
        known().insert(key, period);
        Ok(period)
    }

    /// The turns of a dialogue.
    ///
    /// # Errors
    /// Returns an error if a turn cannot be drawn.
    pub fn script(&self, index: u64) -> Result<Arc<Vec<ScriptTurn>>, DrawError> {
        let key = (self.address(), self.dialogue.to_owned(), self.seed.0, index);
        let known = || self.bases.scripts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turns) = known().get(&key) {
            return Ok(Arc::clone(turns));
        }
        let turns = Arc::new(self.drawn(index, MAX_TURNS)?);
        known().insert(key, Arc::clone(&turns));
        Ok(turns)
    }

    /// The position of a turn among those of its dialogue, on both sides of each branch.
    pub(crate) fn position_of(&self, index: u64, turn: &ScriptTurn) -> Option<usize> {
        let turns = self.script(index).ok()?;
        let same = |one: &ScriptTurn| one.name == turn.name && one.ask == turn.ask;
        turns
            .iter()
            .position(|one| same(one) && one.turn == turn.turn)
            .or_else(|| turns.iter().position(same))
    }

    fn drawn(&self, index: u64, turns: usize) -> Result<Vec<ScriptTurn>, DrawError> {
        self.drawer()?.script(self.seed, index).take_both_sides().take(turns).collect()
    }

    /// A dialogue with its right answers: for a turn what `recorded` has, else the golden or a
    /// constructed one.
    ///
    /// # Errors
    /// Returns an error if a turn cannot be drawn.
    pub fn course(
        &self,
        index: u64,
        turns: usize,
        recorded: &dyn Fn(&ScriptTurn, &[String]) -> Option<BaseAnswer>,
    ) -> Result<Course, DrawError> {
        let turns = match turns <= MAX_TURNS {
            true => self.script(index)?.iter().take(turns).cloned().collect(),
            false => self.drawn(index, turns)?,
        };
        let (mut bases, mut replies) = (Vec::new(), Vec::new());
        for turn in &turns {
            if let Some(given) = &turn.given {
                bases.push(None);
                replies.push(given.clone());
                continue;
            }
            let base = recorded(turn, &replies)
                .or_else(|| self.bases.right(self.plan, self.dialogue, turn, &replies));
            replies.push(base.as_ref().map_or_else(String::new, |base| base.text.clone()));
            bases.push(base);
        }
        Ok(Course { index, turns, bases, replies })
    }
}
