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
//! * `sim/polite:FORM,…` writes right answers in other forms, by default with a polite beginning and end.
//! * `sim/offtopic` gives the right answer of another record, `sim/salad` words that mean nothing in its
//!   form; `sim/hedge` and `sim/retract` do not commit themselves to a right answer, or take it back.
//! * `sim/echo` returns the user message.
//! * `sim/golden` returns the golden answer.
//!
//! `replay:FILE` returns recorded responses, which may be those of a real model.
//!
//! Two models draw their mistakes independently, as real ones do. With `,shared` at the end of its name
//! (`sim/noisy:0.2,shared`), a model makes its mistakes where every other such model that makes more of
//! them does: a difference between two of them then needs fewer dialogues.

mod mistakes;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use self::mistakes::with_mistakes;
use super::{CallFailure, Reply, StopReason, UnknownModel};
use ifs_audit::{Bases, Courses, Habit, Played, played};
use ifs_draw::proof::{TurnTopic, WitnessCache, required_parts, rules_and_observations};
use ifs_draw::{Active, Criterion, CriterionKind, ScriptTurn, Seed};
use ifs_forms::Form;
use ifs_judge::{Exchange, Note};
use ifs_model::table::Move;
use ifs_parts::parts::witness::{WitnessPart, missed, witness_within};
use ifs_plan::Plan;
use ifs_predicate::value::Value;
use ifs_predicate::witness::{Effort, Goal, SEARCH_STEPS, TextTopic, WitnessFailure, any_text};
use ifs_score::NoText;

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

    /// For responses that were recorded, what is known about the model that gave them.
    fn recorded(&self) -> Option<&RecordedOrigin> {
        None
    }
}

/// What is known about recorded responses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedOrigin {
    /// The model that gave them, according to the `run.json` next to the file.
    pub model: Option<String>,
    /// Whether that model was simulated.
    pub simulated: bool,
}

/// Recorded responses as a model. `read` returns the text of a file.
pub(super) fn replay(
    name: &str,
    path: &str,
    raw_text: bool,
    read: impl Fn(&str) -> Result<String, String>,
) -> Result<Box<dyn SimulatedModel>, UnknownModel> {
    let failed = |why| UnknownModel::Replay { path: path.to_owned(), why };
    let text = read(path).map_err(failed)?;
    let mut model = ReplayModel::new(name, &text, raw_text).map_err(failed)?;
    let manifest = std::path::Path::new(path).with_file_name("run.json");
    // Most files of responses are not in the folder of a run.
    let manifest = manifest.to_str().and_then(|path| read(path).ok());
    let manifest = manifest.and_then(|text| serde_json::from_str::<RecordedManifest>(&text).ok());
    if let Some(RecordedManifest { model: of, simulated_model, replayed }) = manifest {
        let of = replayed.map_or(Some(of), |before| before.model);
        model.origin = RecordedOrigin { model: of, simulated: simulated_model };
    }
    Ok(Box::new(model))
}

/// The simulated model with this name.
pub(super) fn simulated(name: &str, inner: &str) -> Result<Box<dyn SimulatedModel>, UnknownModel> {
    let (own, is_shared) = match inner.strip_suffix(SHARED_NOISE) {
        Some(own) => (own, true),
        None => (inner, false),
    };
    let (kind, given) = match own.split_once(':') {
        Some((kind, given)) => (kind, Some(given)),
        None => (own, None),
    };
    let habit = match kind {
        "oracle" if given.is_none() => MissPolicy::Noisy(0.0),
        "noisy" => MissPolicy::Noisy(probability(name, given, 0.1)?),
        "forgetful" => MissPolicy::Forgetful(probability(name, given, 0.03)?),
        "distracted" if given.is_none() => MissPolicy::Distracted,
        "innumerate" => MissPolicy::Innumerate(whole_number(name, given, 20)?),
        "misled" if given.is_none() => MissPolicy::Misled,
        "polite" if !is_shared => {
            return Ok(Box::new(Player::new(name, Habit::Forms(forms_of(name, given)?))));
        }
        "offtopic" | "salad" | "hedge" | "retract" if given.is_none() && !is_shared => {
            let answer = match kind {
                "offtopic" => "other",
                "hedge" => "hedged",
                "retract" => "retracted",
                kind => kind,
            };
            let unknown = || UnknownModel::Simulated(inner.to_owned());
            let answer = ifs_forms::answer(answer).ok_or_else(unknown)?;
            return Ok(Box::new(Player::new(name, Habit::Ignorant(answer))));
        }
        "echo" if given.is_none() && !is_shared => return Ok(Box::new(Echo)),
        "golden" if given.is_none() && !is_shared => return Ok(Box::new(Golden)),
        _ => return Err(UnknownModel::Simulated(inner.to_owned())),
    };
    Ok(Box::new(ViolatingModel {
        name: name.to_owned(),
        noise: if is_shared { String::new() } else { name.to_owned() },
        habit,
        found: WitnessCache::default(),
        built: WitnessCache::default(),
    }))
}

/// The forms in which a polite model answers.
fn forms_of(model: &str, given: Option<&str>) -> Result<Vec<&'static Form>, UnknownModel> {
    let mut forms = Vec::new();
    for name in given.unwrap_or("both_ends").split(',') {
        let selected = ifs_forms::selected(name.trim());
        if selected.is_empty() {
            return Err(UnknownModel::BadNumber {
                model: model.to_owned(),
                given: name.to_owned(),
                wanted: "write a form such as `preamble`; `ifs audit --list` has all",
            });
        }
        forms.extend(selected.into_iter().filter_map(ifs_forms::form));
    }
    Ok(forms)
}

/// The end of the name of a model that shares its noise with others.
const SHARED_NOISE: &str = ",shared";

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

/// The most searches for one response.
const MAX_SEARCHES: u32 = 2;

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
    /// The name of its random draws; empty for those that models share.
    noise: String,
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
        self.coin(brief, key) < share
    }

    /// A number in [0, 1) that decides about one constraint or criterion on one turn.
    fn coin(&self, brief: &SimulationInput<'_>, key: &str) -> f64 {
        let mut hasher = blake3::Hasher::new_derive_key("ifs: habits of simulated models");
        hasher.update(&brief.seed.0.to_le_bytes());
        hasher.update(&brief.index.to_le_bytes());
        hasher.update(&brief.turn.turn.to_le_bytes());
        for text in [brief.dialogue, key, &self.noise] {
            hasher.update(text.as_bytes());
            hasher.update(&[0]);
        }
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
            true => self.coin(brief, key) < 0.5,
            false => self.misses(brief, key, 0),
        }));
        let rules = rules_and_observations(brief.plan, &exchange.place());
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
        let mut searches = MAX_SEARCHES;
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
            let found = built.or_else(|built| {
                // Each goal that gives way would cost a search; few turns need more than the first.
                if searches == 0 {
                    return Err(built);
                }
                searches -= 1;
                self.search_or_fail(parts, &only, &about, (brief.turn.turn, built))
            });
            let failed = match any_text(found) {
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
        (turn, built): (u32, WitnessFailure),
    ) -> Result<String, WitnessFailure> {
        let all: Vec<Goal<'_>> = goals.iter().map(|goal| Goal { wanted: true, ..*goal }).collect();
        let right = self
            .found
            .text(parts, &all, about)
            .or_else(|_| self.prove(parts, &all, about, u64::from(turn)));
        if goals.iter().all(|goal| goal.wanted) {
            return right;
        }
        let slipped = right.ok().and_then(|right| with_mistakes(&right, parts, goals));
        slipped.filter(|text| missed(parts, goals, text).is_empty()).ok_or(built)
    }
}

impl ViolatingModel {
    /// The search of [`ifs_draw::proof`] for the turn: a text that `ifs prove` finds is found.
    fn prove(
        &self,
        parts: &[WitnessPart],
        goals: &[Goal<'_>],
        about: &TextTopic<'_>,
        turn: u64,
    ) -> Result<String, WitnessFailure> {
        self.found.seeded(parts, goals, about, turn, || {
            let within = |effort| {
                let mut steps = SEARCH_STEPS;
                witness_within(parts, goals, about, turn, (effort, &mut steps))
            };
            within(Effort::Built).or_else(|_| within(Effort::Searched))
        })
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

/// Gives right answers in other forms, or answers that know nothing: the texts of `ifs audit`.
struct Player {
    name: String,
    habit: Habit,
    bases: Bases,
}

impl Player {
    fn new(name: &str, habit: Habit) -> Player {
        Player { name: name.to_owned(), habit, bases: Bases::default() }
    }
}

impl SimulatedModel for Player {
    fn name(&self) -> &str {
        &self.name
    }

    fn answer(&self, brief: &SimulationInput<'_>) -> Result<Reply, CallFailure> {
        let SimulationInput { plan, dialogue, seed, index, turn, replies, .. } = *brief;
        let courses = Courses::new(plan, dialogue, seed, &self.bases);
        let Some(Played { text, right }) = played(&courses, index, turn, replies, &self.habit)
        else {
            let subject = TurnTopic::from_turn(plan, dialogue, turn);
            let text = format!("This is about {}.", subject.text_topic().subject);
            return Ok(Reply { note: Some(Note::default()), ..Reply::from_text(text) });
        };
        let mut note = Note::default();
        if !right {
            // A judge that knows what was meant says no to everything.
            let constraints = turn.active_constraints.iter().map(|active| active.key());
            note.missed.extend(constraints.chain(turn.criteria.iter().map(Criterion::key)));
        }
        Ok(Reply { note: Some(note), ..Reply::from_text(text) })
    }
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

/// Recorded responses: lines of `{"dialogue", "index", "turn", "answer"}`, with `round` and `sample`
/// for further ones, or the transcripts of a run.
struct ReplayModel {
    name: String,
    origin: RecordedOrigin,
    /// By dialogue, index, turn, round and sample.
    answers: BTreeMap<(String, u64, u32, u32, u32), Reply>,
}

/// The part of the `run.json` of the run that recorded the responses.
#[derive(Deserialize)]
struct RecordedManifest {
    model: String,
    simulated_model: bool,
    replayed: Option<ReplayedManifest>,
}

/// That run replayed responses, too.
#[derive(Deserialize)]
struct ReplayedManifest {
    model: Option<String>,
}

#[derive(Deserialize)]
struct RecordedReply {
    dialogue: String,
    index: u64,
    #[serde(default)]
    turn: u32,
    #[serde(default)]
    round: u32,
    #[serde(default)]
    sample: u32,
    #[serde(flatten)]
    answer: RecordedAnswer,
    #[serde(default)]
    turns: Vec<RecordedTurn>,
    /// Why the dialogue ended, in the transcript of a run.
    #[serde(default)]
    ending: serde_json::Value,
}

#[derive(Deserialize)]
struct RecordedTurn {
    turn: u32,
    #[serde(default)]
    samples: Vec<RecordedAnswer>,
    #[serde(default)]
    rounds: Vec<RecordedAnswer>,
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
            Some(NoText::ContextLength) => Some(StopReason::ContextLength),
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
            if recorded.ending == "context_length" {
                // The turn that did not fit was left out of the transcript.
                let next = recorded.turns.last().map_or(1, |last| last.turn + 1);
                let beyond = Reply::refused(StopReason::ContextLength, String::new());
                answers.insert((dialogue.clone(), index, next, 0, 0), beyond);
            }
            let mut put = |turn, round, sample, answer: RecordedAnswer| {
                answers
                    .insert((dialogue.clone(), index, turn, round, sample), answer.reply(raw_text));
            };
            if recorded.turns.is_empty() && recorded.turn > 0 {
                put(recorded.turn, recorded.round, recorded.sample, recorded.answer);
            }
            for turn in recorded.turns {
                for (sample, answer) in (0..).zip(turn.samples) {
                    put(turn.turn, 0, sample, answer);
                }
                for (round, answer) in (1..).zip(turn.rounds) {
                    put(turn.turn, round, 0, answer);
                }
            }
        }
        if answers.is_empty() {
            return Err("no answer is in it".to_owned());
        }
        let origin = RecordedOrigin::default();
        Ok(ReplayModel { name: name.to_owned(), origin, answers })
    }
}

impl SimulatedModel for ReplayModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn recorded(&self) -> Option<&RecordedOrigin> {
        Some(&self.origin)
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
