//! A drawn dialogue: its turns by number, their messages, grades and witnesses.

use std::sync::{Arc, Mutex, PoisonError};

use super::benchmark::OwnedScript;
use super::{Dialogue, Error, Message, Role, Turn, Verdict};
use ifs_draw::ScriptTurn;
use ifs_draw::proof::{Proof, Prover, prove};
use ifs_judge::grade::variants;
use ifs_judge::{self as judge, Exchange, VerdictRecord};
use ifs_model::table::Context;
use ifs_run::{parts_with_tools, system_message};
use ifs_score::{NoText, Outcome};
use ifs_text::part_reasoning;

/// A dialogue that is drawn as if every response satisfied everything: its turns depend on the seed
/// and the index alone. Turns are drawn when they are needed, so a dialogue may be endless.
///
/// Rounds of feedback, and an `end` that depends on verdicts, need a [`super::Session`]. So do
/// branches that follow the responses: here, a value is drawn for each observation.
///
/// ```
/// # let world = ifs::MemoryWorld::new([("a.ifs", "ifs 1
/// # constraint short { say \"Be short.\" check count(word) < 5 }
/// # dialogue talk { turn one { ask \"Why?\" impose 1 from short } turn two { ask \"And?\" } }
/// # ")]);
/// # let benchmark = ifs::Benchmark::check(&world, "a.ifs")?;
/// let drawn = benchmark.dialogue("talk")?.draw(1, 0);
/// let messages = drawn.messages(2, &["Because."])?;
/// assert_eq!(messages.len(), 3);
/// let grade = drawn.grade(1, "Because of the moon, as everyone knows.", &[])?;
/// assert_eq!((grade.strict, grade.share()), (Some(false), Some(0.0)));
/// # Ok::<(), ifs::Error>(())
/// ```
pub struct DrawnDialogue {
    dialogue: Dialogue,
    seed: u64,
    index: u64,
    turns: Mutex<DrawnTurns>,
}

struct DrawnTurns {
    drawn: Vec<Arc<ScriptTurn>>,
    /// The rest of the script; `None` after its last turn.
    script: Option<OwnedScript>,
}

/// The grade of a response to a turn.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TurnGrade {
    /// The verdicts on the constraints that apply, and on the criteria of the turn.
    pub verdicts: Vec<Verdict>,
    /// The lenient verdicts, in the same order: whether the response holds, or one of its forms
    /// without the first or last line, or without asterisks. `None` needs a judge.
    pub lenient: Vec<Option<bool>>,
    /// Whether everything holds; `None` if no rule is violated and the rest needs a judge.
    pub strict: Option<bool>,
    /// The same for the lenient verdicts.
    pub loose: Option<bool>,
}

impl TurnGrade {
    /// The grade that these verdicts make, without a loose reading.
    pub fn from_verdicts(verdicts: Vec<Verdict>) -> TurnGrade {
        let held: Vec<Option<bool>> = verdicts.iter().map(|one| passed(one.outcome)).collect();
        let strict = all(held.iter().copied());
        TurnGrade { verdicts, lenient: held, strict, loose: strict }
    }

    /// The share of verdicts by rule that hold, from 0 to 1: a reward with partial credit. `None`
    /// if no rule applies.
    pub fn share(&self) -> Option<f64> {
        let decided = self.verdicts.iter().filter(|one| one.outcome != Outcome::Unjudged);
        let (held, of) = decided.fold((0_u32, 0_u32), |(held, of), one| {
            (held + u32::from(one.outcome == Outcome::Held), of + 1)
        });
        (of > 0).then(|| f64::from(held) / f64::from(of))
    }
}

/// The result of a search for a text that satisfies every rule of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Witness {
    /// A text that satisfies every rule.
    Text(String),
    /// No rule is active, so any text does.
    NoRule,
    /// No text was found that satisfies all of these constraints.
    NotFound(Vec<String>),
}

impl DrawnDialogue {
    pub(super) fn new(dialogue: &Dialogue, seed: u64, index: u64) -> DrawnDialogue {
        let script = Some(dialogue.owned_script(seed, index));
        let turns = Mutex::new(DrawnTurns { drawn: Vec::new(), script });
        DrawnDialogue { dialogue: dialogue.clone(), seed, index, turns }
    }

    /// The dialogue of the benchmark.
    pub fn dialogue(&self) -> &Dialogue {
        &self.dialogue
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The index.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Returns a turn by its number, from 1; `None` after the last one.
    ///
    /// # Errors
    /// Returns [`Error::Draw`] if the turn cannot be drawn.
    pub fn turn(&self, number: u32) -> Result<Option<Turn>, Error> {
        Ok(self.find(number)?.map(|turn| Turn::from(&*turn)))
    }

    /// The messages to send on a turn, after these responses to the turns before it.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if there is no such turn, or if a response to an earlier turn is
    /// missing.
    pub fn messages<T: AsRef<str>>(
        &self,
        number: u32,
        responses: &[T],
    ) -> Result<Vec<Message>, Error> {
        let last = self.known(number)?;
        let before = number.saturating_sub(1);
        if responses.len() < before as usize {
            return Err(Error::usage(format!(
                "turn {number} needs the responses to the {before} turns before it, and {} are \
                 given",
                responses.len()
            )));
        }
        let is_golden = self.table_context() == Context::Golden;
        let mut messages = Vec::with_capacity(before as usize * 2 + 2);
        for (number, response) in (1..=before).zip(responses) {
            let turn = self.known(number)?;
            self.push_messages(&mut messages, &turn, &turn.ask)?;
            let golden = turn.golden.as_deref().filter(|_| is_golden);
            let text = golden.unwrap_or_else(|| without_reasoning(response.as_ref()));
            messages.push(Message::text_of(Role::Assistant, text));
        }
        match &last.reminder {
            // Only this turn has the reminder: later turns see the question without it.
            Some(reminder) => {
                self.push_messages(&mut messages, &last, &format!("{}\n\n{reminder}", last.ask))?;
            }
            None => self.push_messages(&mut messages, &last, &last.ask)?,
        }
        Ok(messages)
    }

    /// Grades a response to a turn by rule, without its reasoning (a leading `<think>` block).
    /// `responses` are those to earlier turns, for constraints that refer to them.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if there is no such turn, or if responses to earlier turns are
    /// given, but not to all of them.
    pub fn grade(
        &self,
        number: u32,
        response: &str,
        responses: &[String],
    ) -> Result<TurnGrade, Error> {
        let turn = self.known(number)?;
        let before = number.saturating_sub(1) as usize;
        if !responses.is_empty() && responses.len() < before {
            return Err(Error::usage(format!(
                "turn {number} comes after {before} responses, and {} are given",
                responses.len()
            )));
        }
        let replies: Vec<String>;
        let replies = match responses.get(..before).unwrap_or(&[]) {
            given if given.iter().any(|text| part_reasoning(text).is_some()) => {
                replies = given.iter().map(|text| without_reasoning(text).to_owned()).collect();
                replies.as_slice()
            }
            given => given,
        };
        let text = without_reasoning(response);
        let plan = self.dialogue.plan();
        let read = |answer: &str| {
            let dialogue = self.dialogue.name();
            let exchange =
                Exchange { dialogue, turn: &turn, answer, note: None, replies, extracted: &[] };
            let mut records = match NoText::from_text(answer) {
                Some(why) => judge::without_text(plan, &exchange, &why),
                None => judge::evaluate_constraints(plan, &exchange, &[]),
            };
            // Observations and overruled constraints are not required.
            records.retain(VerdictRecord::counts);
            records
        };
        let records = read(text);
        let mut lenient: Vec<Option<bool>> =
            records.iter().map(|one| passed(one.outcome)).collect();
        if lenient.contains(&Some(false)) && NoText::from_text(text).is_none() {
            for variant in variants(text) {
                let again = read(&variant);
                for (lenient, record) in lenient.iter_mut().zip(&records) {
                    // A form of the response may have fewer constraints that apply.
                    let same = |one: &&VerdictRecord| {
                        (one.kind, one.speaker, &one.constraint)
                            == (record.kind, record.speaker, &record.constraint)
                    };
                    if *lenient == Some(false)
                        && again
                            .iter()
                            .find(same)
                            .is_some_and(|one| passed(one.outcome) == Some(true))
                    {
                        *lenient = Some(true);
                    }
                }
                if !lenient.contains(&Some(false)) {
                    break;
                }
            }
        }
        let name = self.dialogue.name();
        let verdict = |record| Verdict::from_record(record, plan, name, &turn);
        Ok(TurnGrade {
            strict: all(records.iter().map(|one| passed(one.outcome))),
            loose: all(lenient.iter().copied()),
            lenient,
            verdicts: records.iter().map(verdict).collect(),
        })
    }

    /// Searches a text that satisfies every rule of a turn. Where constraints refer to earlier
    /// responses, those are `responses`, or else witnesses of the earlier turns.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if there is no such turn.
    pub fn witness(&self, number: u32, responses: &[String]) -> Result<Witness, Error> {
        let turn = self.known(number)?;
        let (plan, name) = (self.dialogue.plan(), self.dialogue.name());
        let before = number.saturating_sub(1);
        let mut prover = Prover::new(plan, name);
        let proof = if responses.len() >= before as usize || !prover.looks_back() {
            prove(plan, name, &turn, responses.get(..before as usize).unwrap_or(&[]))
        } else {
            for earlier in 1..number {
                prover.prove(&*self.known(earlier)?);
            }
            prover.prove(&turn)
        };
        Ok(match proof {
            Proof::Witness(text) => Witness::Text(text),
            Proof::Nothing => Witness::NoRule,
            Proof::Missing(names) => Witness::NotFound(names),
        })
    }

    fn table_context(&self) -> Context {
        self.dialogue.drawer.borrow_dependent().dialogue().table.context
    }

    /// Adds a user message, after the system message if it is the first.
    fn push_messages(
        &self,
        messages: &mut Vec<Message>,
        turn: &ScriptTurn,
        ask: &str,
    ) -> Result<(), Error> {
        if messages.is_empty()
            && let Some(system) = system_message(None, turn.system.as_deref())
        {
            messages.push(Message::text_of(Role::System, &system));
        }
        let parts = parts_with_tools(turn, ask, &self.dialogue.plan().model.pictures)
            .map_err(|failure| Error::Request { message: failure.message })?;
        messages.push(Message::from_parts(Role::User, &parts));
        Ok(())
    }

    fn known(&self, number: u32) -> Result<Arc<ScriptTurn>, Error> {
        if let Some(turn) = self.find(number)? {
            return Ok(turn);
        }
        let turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner).drawn.len();
        Err(Error::usage(format!(
            "dialogue {} number {} has no turn {number}: it has turns 1 to {turns}",
            self.dialogue.name(),
            self.index
        )))
    }

    fn find(&self, number: u32) -> Result<Option<Arc<ScriptTurn>>, Error> {
        let Some(at) = number.checked_sub(1) else { return Ok(None) };
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        let turns = &mut *turns;
        while turns.drawn.len() <= at as usize {
            let Some(script) = &mut turns.script else { return Ok(None) };
            match script.with_dependent_mut(|_, script| script.next()) {
                Some(turn) => turns.drawn.push(Arc::new(turn?)),
                None => turns.script = None,
            }
        }
        Ok(turns.drawn.get(at as usize).cloned())
    }
}

impl std::fmt::Debug for DrawnDialogue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Drawn")
            .field("dialogue", &self.dialogue)
            .field("seed", &self.seed)
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}

fn without_reasoning(text: &str) -> &str {
    part_reasoning(text).map_or(text, |(_, text)| text)
}

/// Whether a verdict counts as held or missed; `None` if it is open.
fn passed(outcome: Outcome) -> Option<bool> {
    match outcome {
        Outcome::Unjudged => None,
        outcome => Some(outcome == Outcome::Held),
    }
}

/// Whether all hold. A missed one decides, independent of judged ones.
fn all(held: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let (mut missed, mut open) = (false, false);
    for one in held {
        missed |= one == Some(false);
        open |= one.is_none();
    }
    (missed || !open).then_some(!missed)
}
