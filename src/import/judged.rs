//! Answers that were judged elsewhere, as a recorded run.

use crate::judge::Verdict;
use crate::model::table::By;
use crate::plan::Plan;
use crate::provider::Usage;
use crate::release::ReleasedDialogue;
use crate::run::{Transcript, TranscriptTurn};
use crate::score::{Ending, NoText, Outcome, Reading};
use crate::script::{Criterion, DrawError, Drawer, ScriptTurn, Seed};

/// The outcome of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// What a model answered.
    pub response: Option<String>,
    /// What a judge said to each question, in their order.
    pub judgements: Vec<Judgement>,
}

/// What a judge said of one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    Yes,
    /// With what the judge, or the reader of its reply, has to say.
    No(String),
    /// Nothing that could be read, and why.
    None(String),
}

/// What recorded dialogues are drawn from: nothing in them is left to chance.
pub const SEED: Seed = Seed(1);

/// The transcripts of a release's dialogues as if they had been held, with the verdicts that were
/// given elsewhere. `dialogue` goes over the talks, in their order.
///
/// # Errors
/// When the plan does not draw the talks.
pub fn transcripts(
    plan: &Plan,
    dialogue: &str,
    talks: &[ReleasedDialogue],
    judged: &[Vec<Judged>],
) -> Result<Vec<Transcript>, DrawError> {
    let drawer = Drawer::new(plan, dialogue)?;
    let one = |(index, (talk, judged)): (u64, (&ReleasedDialogue, &Vec<Judged>))| {
        let turns = drawer.script(SEED, index).zip(talk.turns.iter().zip(judged));
        let turns = turns.map(|(script, (turn, judged))| {
            let script = script?;
            let mut left: Vec<_> = turn.checks.iter().zip(&judged.judgements).collect();
            let mut found = |criterion: &Criterion| {
                let at = left.iter().position(|(check, _)| is_about(criterion, &check.question))?;
                Some(left.remove(at).1)
            };
            let verdicts =
                script.criteria.iter().map(|criterion| verdict(criterion, found(criterion)));
            let verdicts = verdicts.collect();
            Ok(TranscriptTurn { verdicts, ..turn_of(script, judged.response.as_ref()) })
        });
        Ok(Transcript {
            dialogue: dialogue.to_owned(),
            index,
            seed: SEED.0,
            turns: turns.collect::<Result<_, DrawError>>()?,
            ending: Ending::Script,
        })
    };
    (0..).zip(talks.iter().zip(judged)).map(one).collect()
}

/// A turn with what was answered, before it has verdicts.
pub(super) fn turn_of(script: ScriptTurn, response: Option<&String>) -> TranscriptTurn {
    TranscriptTurn {
        history: None,
        script,
        answer: response.cloned().unwrap_or_default(),
        no_text: match response {
            None => Some(NoText::Endpoint("no response was published".to_owned())),
            Some(_) => None,
        },
        reasoning: String::new(),
        note: None,
        stop: None,
        usage: Usage::default(),
        extracted: Vec::new(),
        verdicts: Vec::new(),
        rounds: Vec::new(),
        samples: Vec::new(),
        patience: None,
    }
}

/// Whether a criterion asks this question. Those of a kind keep their order, and so do equal ones.
fn is_about(criterion: &Criterion, asked: &str) -> bool {
    matches!(&criterion.by, By::Judge(question) if question.text == asked)
}

fn verdict(criterion: &Criterion, judgement: Option<&Judgement>) -> Verdict {
    let (outcome, why) = match judgement {
        Some(Judgement::Yes) => (Outcome::Held, None),
        Some(Judgement::No(why)) => (Outcome::Missed, Some(why.as_str())),
        Some(Judgement::None(why)) => (Outcome::Unjudged, Some(why.as_str())),
        None => (Outcome::Unjudged, Some("it was not judged")),
    };
    as_recorded(criterion, outcome, why.map(str::to_owned))
}

/// A verdict that was given elsewhere, by a judge.
pub(super) fn as_recorded(criterion: &Criterion, outcome: Outcome, why: Option<String>) -> Verdict {
    Verdict {
        votes: Vec::new(),
        constraint: criterion.name.clone(),
        kind: Some(criterion.kind),
        outcome,
        by: Reading::Judge,
        why,
        cause: None,
        itself: None,
    }
}
