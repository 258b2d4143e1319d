//! One dialogue: drawn, held and read turn by turn, until it ends.

use super::cutting::Cutters;
use super::success_of;
use super::transcript::{Draft, TranscriptTurn};
use super::turn::{Answered, Asked, Broken};
use crate::calls::{Caller, Desk};
use crate::judge::Prompts;
use crate::model::table::{Context, Dialogue};
use crate::panel::Panel;
use crate::predicate::evaluate::{Scene, evaluate};
use crate::predicate::value::Value;
use crate::proof::golden;
use crate::provider::{Conversation, FailureKind, Role};
use crate::score::Ending;
use crate::script::{DrawError, Drawer, ScriptTurn, Seed, Shown};
use crate::synthesis::WordSet;
use crate::text::Text;

/// What all dialogues of a run have in common.
#[derive(Clone, Copy)]
pub struct Talks<'a> {
    pub drawer: &'a Drawer<'a>,
    /// The model under test.
    pub tested: &'a Caller,
    /// Who reads what no rule can.
    pub panel: &'a Panel,
    pub prompts: &'a Prompts<'a>,
    /// Who cuts out of answers what no reader finds.
    pub cutters: Option<&'a Cutters>,
    /// What it is told before everything else.
    pub system: Option<&'a str>,
    pub seed: Seed,
    /// Bounds dialogues whose own end may never come.
    pub max_turns: u32,
    /// Words in the place of those that templates make.
    pub words: Option<&'a WordSet>,
}

/// Runs a dialogue. A call that fails ends this one only: no later turn is built on
/// a gap. What comes back is the line of its transcript.
///
/// # Errors
/// An error of the scenario, which the dialogue cannot be drawn past.
pub async fn hold(
    desk: &Desk<'_>,
    talks: &Talks<'_>,
    index: u64,
) -> Result<(Ending, String), DrawError> {
    let table = &talks.drawer.dialogue().table;
    let mut draft = Draft::new(&table.name, index, talks.seed.0);
    let mut ending = Ending::Script;
    let mut so_far = SoFar::default();
    // Begun when the first turn says what comes before it.
    let mut conversation: Option<Conversation> = None;
    let (mut asks, mut replies): (Vec<(String, Vec<Shown>)>, Vec<String>) = Default::default();
    let mut patience = table.patience;
    let mut script = talks.drawer.script(talks.seed, index);
    loop {
        if desk.calls.stop.is_asked() {
            ending = Ending::Interrupted;
            break;
        }
        if let Some(end) = &table.end
            && let Some(found) = ended(end, table, &so_far, patience)
        {
            ending = found;
            break;
        }
        if so_far.turns >= talks.max_turns {
            break;
        }
        let turn = match script.next() {
            None => break,
            Some(turn) => turn?,
        };
        let turn = match talks.words.map(|set| set.words(index, turn.turn)) {
            None => turn,
            Some(Some(words)) => ScriptTurn { ask: words.to_owned(), ..turn },
            Some(None) => {
                ending = Ending::Failed(format!("there are no words for turn {}", turn.turn));
                break;
            }
        };
        let conversation = conversation.get_or_insert_with(|| begun(talks, &turn));
        let asked = Asked { talks, index, turn: &turn, asks: &asks, replies: &replies };
        let held = match asked.hold(desk, conversation).await {
            Ok(held) => held,
            Err(Broken::Draw(error)) => return Err(error),
            Err(Broken::Call(failure)) => {
                ending = match failure.kind {
                    FailureKind::Stopped => Ending::Interrupted,
                    _ => Ending::Failed(failure.to_string()),
                };
                break;
            }
        };
        let Answered { first, cuts, verdicts, rounds, samples } = held;
        let first_no_text = first.no_text();
        let no_text = match rounds.last() {
            Some(round) => &round.no_text,
            None => &first_no_text,
        };
        patience =
            match (patience, table.patience, success_of(no_text.as_ref(), &verdicts, &rounds)) {
                (Some(left), _, Some(false)) => Some(left.saturating_sub(1)),
                (Some(_), whole, Some(true)) => whole,
                (left, ..) => left,
            };
        let answers = [(&first.text, &first.usage)].into_iter();
        for (answer, usage) in answers.chain(rounds.iter().map(|it| (&it.answer, &it.usage))) {
            // Counted as words by `\w+` where no endpoint reports its own.
            let words = || Text::new(answer).count(crate::text::Unit::WordPattern) as u64;
            so_far.tokens += usage.output.unwrap_or_else(words);
        }
        so_far.add(&turn);
        let history = (table.context == Context::Golden)
            .then(|| golden(talks.drawer.plan(), &table.name, &turn, &replies));
        let held = TranscriptTurn {
            script: turn,
            answer: first.text,
            no_text: first_no_text,
            reasoning: first.reasoning,
            note: first.note,
            stop: first.stop,
            usage: first.usage,
            cuts,
            verdicts,
            rounds,
            samples,
            history,
            patience,
        };
        conversation.say(Role::Assistant, held.reply());
        // Simulated judges look at nothing.
        if talks.panel.makes_calls() {
            asks.push((held.script.ask.clone(), held.script.show.clone()));
        }
        replies.push(held.reply().to_owned());
        draft.turn(&held);
    }
    let line = draft.end(&ending);
    Ok((ending, line))
}

/// A conversation before its first turn: what the run tells every model, then what the dialogue
/// does.
fn begun(talks: &Talks<'_>, turn: &ScriptTurn) -> Conversation {
    let told: Vec<&str> = talks.system.into_iter().chain(turn.system.as_deref()).collect();
    let told = (!told.is_empty()).then(|| told.join("\n\n"));
    talks.tested.model.conversation(told.as_deref())
}

/// What the end of a dialogue may hang on.
#[derive(Default)]
struct SoFar {
    turns: u32,
    topics: std::collections::BTreeSet<String>,
    /// Turns on the topic at hand since it was opened or gone back to.
    topic_turns: u32,
    /// Constraints in force on the last turn.
    constraints: usize,
    /// Groups that have given a constraint.
    given: std::collections::BTreeSet<String>,
    tokens: u64,
}

impl SoFar {
    fn add(&mut self, turn: &ScriptTurn) {
        self.turns += 1;
        self.topics.insert(turn.topic.clone());
        self.topic_turns = if turn.transition == "stay" { self.topic_turns + 1 } else { 1 };
        self.constraints = turn.in_force.len();
        let added = turn.changes.iter().filter_map(|changed| changed.after.as_ref());
        self.given.extend(added.map(|active| active.group().to_owned()));
    }
}

/// Whether the dialogue's `end` holds after the turns so far.
fn ended(
    end: &crate::predicate::tree::Tree,
    table: &Dialogue,
    so_far: &SoFar,
    patience: Option<u32>,
) -> Option<Ending> {
    let SoFar { turns, topics, topic_turns, constraints, given, tokens } = so_far;
    let (turns, constraints) = (i64::from(*turns), *constraints as i64);
    let facts = [
        ("turn", Value::Int(turns)),
        ("turns", Value::Int(turns)),
        ("topics", Value::Int(topics.len() as i64)),
        ("topic_turns", Value::Int(i64::from(*topic_turns))),
        ("constraints", Value::Int(constraints)),
        ("given", Value::Int(given.len() as i64)),
        ("groups", Value::Int(table.groups.len() as i64)),
        ("patience", Value::Int(i64::from(patience.unwrap_or(1)))),
        ("tokens", Value::Int(i64::try_from(*tokens).unwrap_or(i64::MAX))),
    ];
    let nothing = Text::new("");
    let scene = Scene { it: &nothing, variables: &facts };
    if evaluate(end, &scene) != Ok(Value::Bool(true)) {
        return None;
    }
    Some(match patience {
        Some(0) if end.mentions("patience") => Ending::Patience,
        _ => Ending::Condition(crate::predicate::print::print(end)),
    })
}
