//! Responses that were judged elsewhere, as a recorded run.

use crate::release::ReleasedDialogue;
use ifs_draw::{Criterion, DrawError, Drawer, ScriptTurn, Seed};
use ifs_judge::VerdictRecord;
use ifs_model::table::{DecidedBy, Speaker};
use ifs_plan::Plan;
use ifs_run::{Sample, Transcript, TranscriptTurn};
use ifs_score::{DecisionMethod, Ending, NoText, Outcome};
use ifs_text::part_reasoning;

/// The outcome of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedOutcome {
    /// The response of the model.
    pub response: Option<String>,
    /// The judge's replies to the questions, in order.
    pub judgements: Vec<Judgement>,
}

/// The judge's reply to one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    Yes,
    /// With the reason of the judge, or of the parser of its reply.
    No(String),
    /// Unreadable, with the reason.
    None(String),
}

/// The seed of recorded dialogues, which have nothing random.
pub const SEED: Seed = Seed(1);

/// The transcripts of a release's dialogues as if they had been run, with the verdicts that were
/// given elsewhere. `dialogue` iterates over the dialogues, in order.
///
/// # Errors
/// Returns an error if the plan does not draw the dialogues.
pub fn transcripts(
    plan: &Plan,
    dialogue: &str,
    talks: &[ReleasedDialogue],
    judged: &[Vec<JudgedOutcome>],
) -> Result<Vec<Transcript>, DrawError> {
    let drawer = Drawer::new(plan, dialogue)?;
    let one = |(index, (talk, judged)): (u64, (&ReleasedDialogue, &Vec<JudgedOutcome>))| {
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
            Ok(recorded_turn(script, judged.response.as_ref(), verdicts))
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

/// A turn with its response and the verdicts on it.
pub(super) fn recorded_turn(
    script: ScriptTurn,
    response: Option<&String>,
    verdicts: Vec<VerdictRecord>,
) -> TranscriptTurn {
    let text = response.map_or("", String::as_str);
    let (reasoning, answer) = part_reasoning(text).unwrap_or((String::new(), text));
    let sample = Sample {
        answer: answer.to_owned(),
        no_text: match response {
            None => Some(NoText::Endpoint("no response was published".to_owned())),
            Some(_) if !reasoning.is_empty() => {
                NoText::from_text(answer).map(|_| NoText::ReasoningOnly)
            }
            Some(_) => None,
        },
        reasoning,
        verdicts,
        ..Sample::default()
    };
    TranscriptTurn { script, samples: vec![sample], ..TranscriptTurn::default() }
}

/// Whether this question is a criterion's. Criteria of one kind keep their order, and so do equal
/// ones.
fn is_about(criterion: &Criterion, asked: &str) -> bool {
    matches!(&criterion.by, DecidedBy::Judge(question) if question.text == asked)
}

fn verdict(criterion: &Criterion, judgement: Option<&Judgement>) -> VerdictRecord {
    let (outcome, why) = match judgement {
        Some(Judgement::Yes) => (Outcome::Held, None),
        Some(Judgement::No(why)) => (Outcome::Missed, Some(why.as_str())),
        Some(Judgement::None(why)) => (Outcome::Unjudged, Some(why.as_str())),
        None => (Outcome::Unjudged, Some("it was not judged")),
    };
    as_recorded(criterion, outcome, why.map(str::to_owned))
}

/// A verdict by a judge that was given elsewhere.
pub(super) fn as_recorded(
    criterion: &Criterion,
    outcome: Outcome,
    why: Option<String>,
) -> VerdictRecord {
    VerdictRecord {
        speaker: Speaker::User,
        overruled: false,
        loose: false,
        votes: Vec::new(),
        places: Vec::new(),
        constraint: criterion.name.clone(),
        kind: Some(criterion.kind),
        outcome,
        by: DecisionMethod::Judge,
        why,
        cause: None,
        itself: None,
    }
}
