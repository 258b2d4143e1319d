//! Simulated models, which see the constraints of a turn.
//!
//! * `sim/oracle` satisfies all active constraints, if that is possible.
//! * `sim/noisy:P` violates each constraint with probability P (0.1).
//! * `sim/forgetful:P` violates older constraints more often: with probability 1 - (1 - P)^(age +
//!   1), P 0.03. A constraint that the turn repeats has age 0.
//! * `sim/distracted` violates the second of the active constraints on a turn that changes the topic.
//! * `sim/innumerate:N` violates each constraint with a whole number above N (20) among its arguments.
//! * `sim/misled` satisfies whoever spoke last: an overruled constraint that was said after the one
//!   that overrules it, which it violates.
//! * `sim/echo` returns the user message.
//! * `sim/golden` returns the golden answer.
//! * `sim/replay:FILE` returns recorded responses.

mod mistakes;
mod text_cache;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use self::mistakes::with_mistakes;
use self::text_cache::WitnessCache;
use super::{CallFailure, Reply, StopReason, UnknownModel};
use crate::judge::{Exchange, Note};
use crate::model::table::Move;
use crate::parts::witness::{WitnessPart, missed, witness_within};
use crate::plan::Plan;
use crate::predicate::value::Value;
use crate::predicate::witness::{Effort, Goal, SEARCH_STEPS, TextTopic, WitnessFailure};
use crate::proof::{TurnTopic, required_parts, rules_and_observations};
use crate::score::NoText;
use crate::script::{Active, Criterion, CriterionKind, ScriptTurn, Seed};

/// The input of a simulated model, which a real one never
/// sees.
#[derive(Clone, Copy)]
pub struct SimulationInput<'a> {
    pub plan: &'a Plan,
    pub dialogue: &'a str,
    pub seed: Seed,
    pub index: u64,
    pub turn: &'a ScriptTurn,
    pub replies: &'a [String],
    /// The round of feedback.
    pub round: u32,
    /// The sample.
    pub sample: u32,
}

/// A simulated model. Its responses are deterministic.
pub trait SimulatedModel: Send + Sync {
    /// The model's name as the user gave it: `sim/oracle`.
    fn name(&self) -> &str;

    /// Answers the turn.
    fn answer(&self, brief: &SimulationInput<'_>) -> Result<Reply, CallFailure>;
}

/// The simulated model with this name. `read` returns the text of a file for a replay.
pub(super) fn simulated(
    name: &str,
    inner: &str,
    raw_text: bool,
    read: impl Fn(&str) -> Result<String, String>,
) -> Result<Box<dyn SimulatedModel>, UnknownModel> {
    let (kind, given) = match inner.split_once(':') {
        Some((kind, given)) => (kind, Some(given)),
        None => (inner, None),
    };
    let habit = match kind {
        "oracle" if given.is_none() => MissPolicy::Noisy(0.0),
        "noisy" => MissPolicy::Noisy(probability(name, given, 0.1)?),
        "forgetful" => MissPolicy::Forgetful(probability(name, given, 0.03)?),
        "distracted" if given.is_none() => MissPolicy::Distracted,
        "innumerate" => MissPolicy::Innumerate(whole_number(name, given, 20)?),
        "misled" if given.is_none() => MissPolicy::Misled,
        "echo" if given.is_none() => return Ok(Box::new(Echo)),
        "golden" if given.is_none() => return Ok(Box::new(Golden)),
        "replay" => {
            let path = given.unwrap_or("").to_owned();
            let replay = |why| UnknownModel::Replay { path: path.clone(), why };
            let text = read(&path).map_err(replay)?;
            return ReplayModel::new(name, &text, raw_text)
                .map(|model| Box::new(model) as Box<dyn SimulatedModel>)
                .map_err(replay);
        }
        _ => return Err(UnknownModel::Simulated(inner.to_owned())),
    };
    Ok(Box::new(ViolatingModel {
        name: name.to_owned(),
        habit,
        found: WitnessCache::default(),
        built: WitnessCache::default(),
    }))
}

fn probability(model: &str, given: Option<&str>, default: f64) -> Result<f64, UnknownModel> {
    let Some(given) = given else { return Ok(default) };
    given.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| {
        UnknownModel::BadNumber {
            model: model.to_owned(),
            given: given.to_owned(),
            wanted: "write a probability from 0 to 1",
        }
    })
}

fn whole_number(model: &str, given: Option<&str>, default: i64) -> Result<i64, UnknownModel> {
    let Some(given) = given else { return Ok(default) };
    given.parse().map_err(|_| UnknownModel::BadNumber {
        model: model.to_owned(),
        given: given.to_owned(),
        wanted: "write a whole number",
    })
}

/// How an actor chooses the constraints to violate.
enum MissPolicy {
    Noisy(f64),
    Forgetful(f64),
    Distracted,
    Innumerate(i64),
    Misled,
}

/// Writes a response that satisfies the active constraints, except those that it violates.
struct ViolatingModel {
    name: String,
    habit: MissPolicy,
    /// Texts from searches. The same constraints occur turn after turn.
    found: WitnessCache,
    /// Constructed texts. Samples of one turn often violate the same constraints.
    built: WitnessCache,
}

impl ViolatingModel {
    fn misses(&self, brief: &SimulationInput<'_>, key: &str, age: u32) -> bool {
        let share = match self.habit {
            MissPolicy::Noisy(share) => share,
            MissPolicy::Forgetful(share) => {
                // A constraint that is repeated at the end has the age 0.
                let age = if brief.turn.reminder.is_some() { 0 } else { age };
                let kept = (0..=age).fold(1.0, |kept, _| kept * (1.0 - share));
                1.0 - kept
            }
            MissPolicy::Distracted | MissPolicy::Innumerate(_) | MissPolicy::Misled => {
                return false;
            }
        };
        coin(brief, key) < share
    }

    /// Whether a constraint is violated for what it is, and not by chance.
    fn never_satisfies(&self, turn: &ScriptTurn, at: usize, active: &Active) -> bool {
        match self.habit {
            MissPolicy::Distracted => at == 1 && turn.turn > 1 && turn.transition != Move::Stay,
            MissPolicy::Innumerate(most) => {
                let mut values = active.args.iter().map(|(_, value)| value);
                values.any(|value| matches!(value, Value::Int(number) if *number > most))
            }
            MissPolicy::Noisy(_) | MissPolicy::Forgetful(_) | MissPolicy::Misled => false,
        }
    }
}

/// A number in [0, 1) that decides about one constraint or criterion on one turn.
fn coin(brief: &SimulationInput<'_>, key: &str) -> f64 {
    let mut hasher = blake3::Hasher::new_derive_key("ifs: habits of simulated models");
    hasher.update(&brief.seed.0.to_le_bytes());
    hasher.update(&brief.index.to_le_bytes());
    hasher.update(&brief.turn.turn.to_le_bytes());
    hasher.update(brief.dialogue.as_bytes());
    hasher.update(&[0]);
    hasher.update(key.as_bytes());
    // The first response has its own number, whatever follows.
    for (what, number) in [(b'r', brief.round), (b's', brief.sample)] {
        if number > 0 {
            hasher.update(&[0, what]);
            hasher.update(&number.to_le_bytes());
        }
    }
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    (u64::from_le_bytes(bytes) >> 11) as f64 / (1u64 << 53) as f64
}

/// Whether a key is that of an observation, which nothing requires.
fn is_observed(key: &str) -> bool {
    // A constraint may have that name, and a speaker after it.
    key.split_once(' ').is_some_and(|(kind, name)| {
        kind == CriterionKind::Observation.word() && !name.starts_with("by ")
    })
}

impl SimulatedModel for ViolatingModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn answer(&self, brief: &SimulationInput<'_>) -> Result<Reply, CallFailure> {
        let misled =
            matches!(self.habit, MissPolicy::Misled).then(|| follow_last_speaker(brief.turn));
        let (turn, given_up) = match &misled {
            Some((turn, given_up)) => (turn, given_up.as_slice()),
            None => (brief.turn, &[][..]),
        };
        let brief = &SimulationInput { turn, ..*brief };
        let exchange = Exchange {
            dialogue: brief.dialogue,
            turn,
            answer: "",
            note: None,
            replies: brief.replies,
            extracted: &[],
        };
        let mut note = Note::default();
        for (at, active) in turn.active_constraints.iter().enumerate() {
            let key = active.key();
            if self.never_satisfies(turn, at, active)
                || given_up.contains(&key)
                || active.overruled.is_some()
                || self.misses(brief, &key, turn.turn.saturating_sub(active.since))
            {
                note.missed.push(key);
            }
        }
        let keys = turn.criteria.iter().map(Criterion::key);
        note.missed.extend(keys.filter(|key| match is_observed(key) {
            // Either way, so that both sides of a branch are asked.
            true => coin(brief, key) < 0.5,
            false => self.misses(brief, key, 0),
        }));
        let rules = rules_and_observations(brief.plan, &exchange);
        let goals: Vec<(&str, Goal<'_>)> = rules
            .iter()
            .map(|rule| (rule.key.as_str(), rule.goal(!note.missed.contains(&rule.key))))
            .collect();
        let parts = required_parts(turn);
        let required = goals.iter().filter(|(key, _)| !is_observed(key));
        let only: Vec<Goal<'_>> = required.map(|(_, goal)| *goal).collect();
        // The turn has a golden answer: it is returned, with the required violations.
        let slipped = turn.golden.as_ref().and_then(|golden| with_mistakes(golden, &parts, &only));
        let text = slipped.unwrap_or_else(|| self.write(brief, &parts, goals, &mut note));
        Ok(Reply { note: Some(note), ..Reply::from_text(text) })
    }
}

impl ViolatingModel {
    /// A text for as many goals as possible: first all of them; then those that must hold, without
    /// control over the violated ones; then the best attempt of the witness.
    fn write(
        &self,
        brief: &SimulationInput<'_>,
        parts: &[WitnessPart],
        mut goals: Vec<(&str, Goal<'_>)>,
        note: &mut Note,
    ) -> String {
        let subject = TurnTopic::from_turn(brief.plan, brief.dialogue, brief.turn);
        let about = subject.text_topic();
        let seed = brief.index.wrapping_mul(1_000_003).wrapping_add(u64::from(brief.turn.turn));
        loop {
            let only: Vec<Goal<'_>> = goals.iter().map(|(_, goal)| *goal).collect();
            let built = self.built.seeded(parts, &only, &about, seed, || {
                witness_within(
                    parts,
                    &only,
                    &about,
                    seed,
                    (Effort::Built, &mut SEARCH_STEPS.clone()),
                )
            });
            let failed =
                match built.or_else(|built| self.search_or_fail(parts, &only, &about, built)) {
                    Ok(text) => return text,
                    Err(unproven) => unproven.goals,
                };
            // Observations are dropped first, then goals that must fail, then those that must
            // hold.
            let gives_way = goals
                .iter()
                .position(|(key, _)| is_observed(key))
                .or_else(|| {
                    let fails = |at: &usize| goals.get(*at).is_some_and(|(_, goal)| !goal.wanted);
                    failed.iter().copied().find(fails)
                })
                .or_else(|| goals.iter().position(|(_, goal)| !goal.wanted))
                .or(failed.first().copied())
                .filter(|at| *at < goals.len());
            let Some(at) = gives_way else {
                return format!("This is about {}.", about.subject);
            };
            let (key, goal) = goals.remove(at);
            if goal.wanted && !is_observed(key) {
                note.no_witness.push(key.to_owned());
            }
        }
    }

    /// A text that could not be constructed: a search if all goals must hold, or otherwise such a
    /// text with violations. Texts with violations are not searched for, because the sets of
    /// violated constraints are random and rarely recur.
    fn search_or_fail(
        &self,
        parts: &[WitnessPart],
        goals: &[Goal<'_>],
        about: &TextTopic<'_>,
        built: WitnessFailure,
    ) -> Result<String, WitnessFailure> {
        let all: Vec<Goal<'_>> = goals.iter().map(|goal| Goal { wanted: true, ..*goal }).collect();
        let right = self.found.text(parts, &all, about);
        if goals.iter().all(|goal| goal.wanted) {
            return right;
        }
        let slipped = right.ok().and_then(|right| with_mistakes(&right, parts, goals));
        slipped.filter(|text| missed(parts, goals, text).is_empty()).ok_or(built)
    }
}

/// The turn for a model that follows the last speaker: constraints that were stated after those that
/// overrule them are not overruled. Also the keys of those that overruled them.
fn follow_last_speaker(turn: &ScriptTurn) -> (ScriptTurn, Vec<String>) {
    let mut misled = turn.clone();
    let mut given_up = Vec::new();
    // In a turn, the system message comes before the user message, and that before the text of a tool.
    let said = |active: &Active| (active.since, active.speaker);
    for active in &mut misled.active_constraints {
        let by = active.overruled.as_ref();
        let by = by.and_then(|by| turn.active_constraints.iter().find(|one| one.key() == *by));
        if let Some(by) = by.filter(|by| said(by) < said(active)) {
            given_up.push(by.key());
            *active = Arc::new(Active { overruled: None, ..Active::clone(active) });
        }
    }
    (misled, given_up)
}

struct Echo;

impl SimulatedModel for Echo {
    fn name(&self) -> &str {
        "sim/echo"
    }

    fn answer(&self, brief: &SimulationInput<'_>) -> Result<Reply, CallFailure> {
        Ok(Reply::from_text(brief.turn.ask.clone()))
    }
}

/// Returns the golden answers, so that the answers of a benchmark are judged themselves.
struct Golden;

impl SimulatedModel for Golden {
    fn name(&self) -> &str {
        "sim/golden"
    }

    fn answer(&self, brief: &SimulationInput<'_>) -> Result<Reply, CallFailure> {
        match &brief.turn.golden {
            // A golden answer satisfies everything, as far as a simulated judge is concerned.
            Some(golden) => {
                Ok(Reply { note: Some(Note::default()), ..Reply::from_text(golden.clone()) })
            }
            None => Err(CallFailure::permanent(format!(
                "turn {} has no `answer` for sim/golden to return",
                brief.turn.turn
            ))),
        }
    }
}

/// Recorded responses: lines of `{"dialogue", "index", "turn", "answer"}`, or the transcripts of a
/// run.
struct ReplayModel {
    name: String,
    /// By dialogue, index, turn, round and sample.
    answers: BTreeMap<(String, u64, u32, u32, u32), Reply>,
}

#[derive(Deserialize)]
struct RecordedReply {
    dialogue: String,
    index: u64,
    #[serde(default)]
    turn: u32,
    #[serde(flatten)]
    answer: RecordedAnswer,
    #[serde(default)]
    turns: Vec<RecordedTurn>,
}

#[derive(Deserialize)]
struct RecordedTurn {
    turn: u32,
    #[serde(flatten)]
    answer: RecordedAnswer,
    #[serde(default)]
    rounds: Vec<RecordedAnswer>,
    #[serde(default)]
    samples: Vec<RecordedAnswer>,
}

#[derive(Deserialize)]
struct RecordedAnswer {
    #[serde(default)]
    answer: String,
    note: Option<Note>,
    stop: Option<StopReason>,
    #[serde(default)]
    reasoning: String,
    no_text: Option<NoText>,
}

impl RecordedAnswer {
    fn reply(self, raw_text: bool) -> Reply {
        let RecordedAnswer { answer, note, stop, reasoning, no_text } = self;
        let called_tools = no_text == Some(NoText::ToolCalls);
        let stop = match no_text {
            Some(NoText::Endpoint(reason)) => Some(StopReason::Other(reason)),
            Some(NoText::Blocked) => Some(StopReason::Filter),
            _ => stop,
        };
        let mut reply = Reply { note, stop, reasoning, called_tools, ..Reply::from_text(answer) };
        if !raw_text {
            reply.part_reasoning();
        }
        reply
    }
}

impl ReplayModel {
    fn new(name: &str, text: &str, raw_text: bool) -> Result<ReplayModel, String> {
        let mut answers = BTreeMap::new();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let recorded: RecordedReply =
                serde_json::from_str(line).map_err(|error| format!("line {}: {error}", at + 1))?;
            let (dialogue, index) = (recorded.dialogue, recorded.index);
            let mut put = |turn, round, sample, answer: RecordedAnswer| {
                answers
                    .insert((dialogue.clone(), index, turn, round, sample), answer.reply(raw_text));
            };
            if recorded.turns.is_empty() && recorded.turn > 0 {
                put(recorded.turn, 0, 0, recorded.answer);
            }
            for turn in recorded.turns {
                put(turn.turn, 0, 0, turn.answer);
                for (round, again) in (1..).zip(turn.rounds) {
                    put(turn.turn, round, 0, again);
                }
                for (sample, other) in (1..).zip(turn.samples) {
                    put(turn.turn, 0, sample, other);
                }
            }
        }
        if answers.is_empty() {
            return Err("no answer is in it".to_owned());
        }
        Ok(ReplayModel { name: name.to_owned(), answers })
    }
}

impl SimulatedModel for ReplayModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn answer(&self, brief: &SimulationInput<'_>) -> Result<Reply, CallFailure> {
        let dialogue = brief.dialogue.to_owned();
        let key = (dialogue, brief.index, brief.turn.turn, brief.round, brief.sample);
        self.answers.get(&key).cloned().ok_or_else(|| {
            CallFailure::permanent(format!(
                "no response is recorded for dialogue {} number {}, turn {}",
                brief.dialogue, brief.index, brief.turn.turn
            ))
        })
    }
}
