//! Simulated models. They write a dialogue from its brief, so the complete command can be tried
//! offline. Careless ones sometimes make a mistake that their stage must catch.

use serde_json::json;

use super::Stage;
use super::brief::{DialogueBrief, TurnBrief};
use crate::release::{ReleaseTurn, ReleasedDialogue};
use ifs_value::stable_hash::StreamKey;

/// How often a simulated model makes a mistake: `sim/plain` never, `sim/careless:P` with
/// probability P at each try.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MistakeRate(f64);

impl MistakeRate {
    /// Parses the name of a simulated model.
    pub fn parse(name: &str) -> Option<MistakeRate> {
        let inner = name.strip_prefix("sim/")?;
        match inner.split_once(':') {
            None if inner == "plain" => Some(MistakeRate(0.0)),
            None if inner == "careless" => Some(MistakeRate(0.2)),
            Some(("careless", share)) => {
                share.parse().ok().filter(|share| (0.0..=1.0).contains(share)).map(MistakeRate)
            }
            _ => None,
        }
    }

    /// Whether it makes a mistake at a place in a run, the same in every run.
    fn makes_mistake(self, place: &str) -> bool {
        let drawn = StreamKey::new(place).number() >> 11;
        (drawn as f64 / (1u64 << 53) as f64) < self.0
    }

    /// The reply to a stage; `turn` is the one whose message is examined.
    pub(super) fn reply(
        self,
        stage: Stage,
        (brief, talk): (&DialogueBrief, &ReleasedDialogue),
        turn: Option<usize>,
        place: &str,
    ) -> String {
        let slips = self.makes_mistake(place);
        match stage {
            Stage::Plan => plan(brief, slips),
            Stage::Dialogue => dialogue(brief, talk, slips),
            Stage::Questions => questions(brief, turn.and_then(|at| brief.turns.get(at)), slips),
        }
    }
}

/// The aspect of the topic that a turn is about.
fn angle(brief: &DialogueBrief, at: usize) -> &str {
    match at.checked_sub(1) {
        Some(at) if !brief.angles.is_empty() => &brief.angles[at % brief.angles.len()],
        _ => &brief.topic,
    }
}

/// The mistake of this stage: the last turn is missing.
fn plan(brief: &DialogueBrief, slips: bool) -> String {
    let sentence = |at: usize, turn: &TurnBrief| {
        if turn.relations.is_empty() {
            return format!("The user asks about {}: {}", brief.topic, brief.request);
        }
        let parts: Vec<String> = turn
            .relations
            .iter()
            .map(|relation| {
                let (to, angle) = (relation.to.join(" and "), angle(brief, at));
                match relation.kind.as_str() {
                    "follows" => format!("goes on from {to} and asks about {angle}"),
                    "refines" => {
                        format!("asks for what came of {to} again, with other demands")
                    }
                    "recalls" => format!("comes back to {to} and what was said there"),
                    "expands" => format!("goes into one part of {to}, {angle}"),
                    "summarizes" => format!("wants {to} drawn together"),
                    _ => "opens something else".to_owned(),
                }
            })
            .collect();
        format!("In turn {} the user {}.", at + 1, parts.join(" and "))
    };
    let turns: Vec<_> = brief
        .turns
        .iter()
        .enumerate()
        .take(brief.turns.len() - usize::from(slips))
        .map(|(at, turn)| {
            json!({
                "name": turn.name,
                "plan": sentence(at, turn),
                "explanation": explanation(turn),
            })
        })
        .collect();
    let purpose = format!("The user wants to understand {} from several sides.", brief.topic);
    json!({ "purpose": purpose, "turns": turns }).to_string()
}

fn explanation(turn: &TurnBrief) -> String {
    let relations = turn.relations.iter();
    let said = relations.map(|relation| match relation.to.is_empty() {
        true => "opens another subject".to_owned(),
        false => format!("{} {}", relation.kind, relation.to.join(", ")),
    });
    match said.collect::<Vec<_>>().join(" and ") {
        none if none.is_empty() => "It opens the dialogue.".to_owned(),
        all => format!("It {all}."),
    }
}

/// The mistake of this stage: the assistant says nothing in the first turn.
fn dialogue(brief: &DialogueBrief, talk: &ReleasedDialogue, slips: bool) -> String {
    let turns: Vec<_> = brief
        .turns
        .iter()
        .zip(&talk.turns)
        .enumerate()
        .map(|(at, (turn, planned))| {
            let said = match slips && at == 0 {
                true => String::new(),
                false => match &turn.golden {
                    Some(golden) => golden.clone(),
                    None => write_answer(brief, at, turn, planned),
                },
            };
            json!({ "name": turn.name, "user": turn.plain, "assistant": said })
        })
        .collect();
    json!({ "turns": turns }).to_string()
}

fn write_answer(
    brief: &DialogueBrief,
    at: usize,
    turn: &TurnBrief,
    planned: &ReleaseTurn,
) -> String {
    let opening = match turn.relations.first().map(|relation| relation.kind.as_str()) {
        Some("refines") => "Here it is again, with the change.",
        Some("recalls") => "As I said further up:",
        Some("summarizes") => "In short:",
        Some("expands") => "Looking at that part more closely:",
        Some("follows") => "Going on from there:",
        _ => "Gladly.",
    };
    format!(
        "{opening} On {}: what matters most is {}. (A simulated answer to: {})",
        brief.topic,
        angle(brief, at + 1),
        planned.plan
    )
}

/// The mistake of this stage: the type of the first question does not exist. A message without
/// drawn demands still asks for something.
fn questions(brief: &DialogueBrief, turn: Option<&TurnBrief>, slips: bool) -> String {
    let mut asked = turn.map_or_else(Vec::new, |turn| turn.asked.clone());
    if let (true, Some(kind)) = (asked.is_empty(), brief.kinds.first()) {
        let question = "Does the response do what the message asks for?";
        asked.push((kind.name.clone(), question.to_owned()));
    }
    let list: Vec<_> = asked
        .iter()
        .enumerate()
        .map(|(at, (kind, question))| {
            let kind = if slips && at == 0 { "whatever" } else { kind };
            json!({
                "type": kind,
                "question": question,
                "explanation": "The message asks for it.",
            })
        })
        .collect();
    json!({ "questions": list }).to_string()
}
