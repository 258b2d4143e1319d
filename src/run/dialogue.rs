//! One dialogue: drawn, held and read turn by turn, until it ends.

use super::success;
use super::transcript::{Draft, Sample, TranscriptTurn};
use crate::calls::{Call, Caller, Desk};
use crate::judge::{Earlier, Exchange, Prompts, Verdict, read};
use crate::model::table::Dialogue;
use crate::panel::{Case, Panel};
use crate::predicate::evaluate::{Scene, evaluate};
use crate::predicate::value::Value;
use crate::provider::{Brief, CallFailure, FailureKind, Reply, Role};
use crate::score::Ending;
use crate::script::{Drawer, ScriptTurn, Seed};
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
    /// What it is told before everything else.
    pub system: Option<&'a str>,
    pub seed: Seed,
    /// Bounds dialogues whose own end may never come.
    pub max_turns: u32,
}

/// Holds a dialogue. Whatever fails ends this one only: no later turn is built on
/// a gap. What comes back is the line of its transcript.
pub async fn hold(desk: &Desk<'_>, talks: &Talks<'_>, index: u64) -> (Ending, String) {
    let table = &talks.drawer.dialogue().table;
    let mut draft = Draft::new(&table.name, index, talks.seed.0);
    let mut ending = Ending::Script;
    let mut so_far = SoFar::default();
    let mut conversation = talks.tested.model.conversation(talks.system);
    let (mut asks, mut replies): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
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
            Some(Ok(turn)) => turn,
            Some(Err(error)) => {
                ending = Ending::Failed(error.to_string());
                break;
            }
        };
        conversation.say(Role::User, &turn.ask);
        let asked = Asked { talks, index, turn: &turn, asks: &asks, replies: &replies };
        let read = match asked.answers(desk, &conversation, table.sample.max(1)).await {
            Ok(answers) => asked.read_all(desk, answers).await,
            Err(failure) => Err(failure),
        };
        let mut read = match read {
            Ok(read) => read.into_iter(),
            Err(failure) => {
                ending = match failure.kind {
                    FailureKind::Stopped => Ending::Interrupted,
                    _ => Ending::Failed(failure.to_string()),
                };
                break;
            }
        };
        // The dialogue goes on from the first of several answers.
        let Some((reply, verdicts)) = read.next() else { break };
        let samples = read
            .map(|(reply, verdicts)| Sample { verdicts, answer: reply.text, note: reply.note })
            .collect();
        patience = match (patience, table.patience, success(&verdicts)) {
            (Some(left), _, Some(false)) => Some(left.saturating_sub(1)),
            (Some(_), whole, Some(true)) => whole,
            (left, ..) => left,
        };
        conversation.say(Role::Assistant, &reply.text);
        asks.push(turn.ask.clone());
        replies.push(reply.text.clone());
        // Counted as words by `\w+` where no endpoint reports its own.
        so_far.tokens += reply
            .usage
            .output
            .unwrap_or_else(|| Text::new(&reply.text).count(crate::text::Unit::WordPattern) as u64);
        so_far.add(&turn);
        draft.turn(&TranscriptTurn {
            script: turn,
            answer: reply.text,
            note: reply.note,
            stop: reply.stop,
            usage: reply.usage,
            verdicts,
            samples,
            patience,
        });
    }
    let line = draft.end(&ending);
    (ending, line)
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
    tokens: u64,
}

impl SoFar {
    fn add(&mut self, turn: &ScriptTurn) {
        self.turns += 1;
        self.topics.insert(turn.topic.clone());
        self.topic_turns = if turn.transition == "stay" { self.topic_turns + 1 } else { 1 };
        self.constraints = turn.in_force.len();
    }
}

/// A turn of a dialogue, with what came before it.
struct Asked<'a> {
    talks: &'a Talks<'a>,
    index: u64,
    turn: &'a ScriptTurn,
    /// What was said on the turns before.
    asks: &'a [String],
    replies: &'a [String],
}

impl Asked<'_> {
    fn dialogue(&self) -> &str {
        &self.talks.drawer.dialogue().table.name
    }

    /// So many answers to the turn, asked for at the same time.
    async fn answers(
        &self,
        desk: &Desk<'_>,
        conversation: &crate::provider::Conversation,
        count: u32,
    ) -> Result<Vec<Reply>, CallFailure> {
        let brief = Brief {
            plan: self.talks.drawer.plan(),
            dialogue: self.dialogue(),
            seed: self.talks.seed,
            index: self.index,
            turn: self.turn,
            replies: self.replies,
        };
        let one = |sample: u32| async move {
            let at = place(self.dialogue(), self.index, self.turn.turn, "answer", sample);
            let call = Call { at: &at, conversation, sample, brief: Some(brief) };
            desk.ask(self.talks.tested, call).await
        };
        if count == 1 {
            return Ok(vec![one(0).await?]);
        }
        futures_util::future::join_all((0..count).map(one)).await.into_iter().collect()
    }

    /// Several answers with their verdicts.
    async fn read_all(
        &self,
        desk: &Desk<'_>,
        answers: Vec<Reply>,
    ) -> Result<Vec<(Reply, Vec<Verdict>)>, CallFailure> {
        let each = (0..).zip(answers).map(async |(sample, reply)| {
            let verdicts = self.read(desk, &reply, sample).await?;
            Ok((reply, verdicts))
        });
        futures_util::future::try_join_all(each).await
    }

    async fn read(
        &self,
        desk: &Desk<'_>,
        reply: &Reply,
        sample: u32,
    ) -> Result<Vec<Verdict>, CallFailure> {
        let Talks { drawer, panel, prompts, .. } = self.talks;
        let exchange = Exchange {
            dialogue: self.dialogue(),
            turn: self.turn,
            answer: &reply.text,
            note: reply.note.as_ref(),
            replies: self.replies,
        };
        let at = place(self.dialogue(), self.index, self.turn.turn, "judge", sample);
        let history = panel.judging.history as usize;
        let from = self.asks.len().saturating_sub(history);
        let earlier: Vec<Earlier<'_>> = (1..)
            .zip(self.asks.iter().zip(self.replies))
            .skip(from)
            .map(|(turn, (ask, answer))| Earlier { turn, ask, answer })
            .collect();
        let case = Case { exchange: &exchange, earlier: &earlier, at: &at };
        let rulings = panel.rule(desk, drawer.plan(), prompts, &case).await?;
        Ok(read(drawer.plan(), &exchange, &rulings))
    }
}

/// The place of a call in a journal: `talk/3/7/answer`, and `talk/3/7/answer/1`
/// for a second sample.
pub fn place(dialogue: &str, index: u64, turn: u32, purpose: &str, sample: u32) -> String {
    match sample {
        0 => format!("{dialogue}/{index}/{turn}/{purpose}"),
        sample => format!("{dialogue}/{index}/{turn}/{purpose}/{sample}"),
    }
}

/// Whether the dialogue's `end` holds after the turns so far.
fn ended(
    end: &crate::predicate::tree::Tree,
    table: &Dialogue,
    so_far: &SoFar,
    patience: Option<u32>,
) -> Option<Ending> {
    let SoFar { turns, topics, topic_turns, constraints, tokens } = so_far;
    let (turns, constraints) = (i64::from(*turns), *constraints as i64);
    let facts = [
        ("turn", Value::Int(turns)),
        ("turns", Value::Int(turns)),
        ("topics", Value::Int(topics.len() as i64)),
        ("topic_turns", Value::Int(i64::from(*topic_turns))),
        ("constraints", Value::Int(constraints)),
        // A group has at most one constraint in force.
        ("given", Value::Int(constraints)),
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
