//! A transcript as scores are computed from it.

use super::transcript::Transcript;
use super::weight::weight;
use crate::judge::{Exchange, Note, Verdict, read};
use crate::plan::Plan;
use crate::score::{ScoredConstraint, ScoredDialogue, ScoredTurn};
use crate::script::{CriterionKind, ScriptTurn};

/// Every rule is read again from the answers, so that scoring never needs the model.
pub fn scored(plan: &Plan, transcript: &Transcript) -> ScoredDialogue {
    let mut replies: Vec<String> = Vec::new();
    let mut turns = Vec::new();
    let table = plan.dialogue(&transcript.dialogue).map(|dialogue| &dialogue.table);
    for turn in &transcript.turns {
        let outcomes = |answer: &str, note: Option<&Note>| {
            let exchange = Exchange {
                dialogue: &transcript.dialogue,
                turn: &turn.script,
                answer,
                note,
                replies: &replies,
            };
            let verdicts = read(plan, &exchange).into_iter();
            let outcomes = verdicts.map(|verdict| outcome(plan, &turn.script, verdict));
            let weighed = outcomes.map(|outcome| ScoredConstraint {
                weight: table.and_then(|table| weight(table, &outcome.group, &outcome.tags)),
                ..outcome
            });
            weighed.collect::<Vec<_>>()
        };
        let rounds = turn.rounds.iter();
        let samples = turn.samples.iter();
        turns.push(ScoredTurn {
            turn: turn.script.turn,
            topic: Some(turn.script.topic.clone()).filter(|topic| !topic.is_empty()),
            transition: Some(transition(&turn.script)),
            constraints: outcomes(&turn.answer, turn.note.as_ref()),
            rounds: rounds.map(|round| outcomes(&round.answer, round.note.as_ref())).collect(),
            samples: samples.map(|sample| outcomes(&sample.answer, sample.note.as_ref())).collect(),
        });
        replies.push(turn.last_answer().to_owned());
    }
    ScoredDialogue {
        dialogue: transcript.dialogue.clone(),
        index: transcript.index,
        seed: transcript.seed,
        turns,
        ending: transcript.ending.clone(),
        slice: None,
    }
}

/// How a turn follows from those before it.
fn transition(turn: &ScriptTurn) -> String {
    if turn.relations.is_empty() {
        return turn.transition.clone();
    }
    let words: Vec<&str> = turn.relations.iter().map(|relation| relation.kind.word()).collect();
    words.join(" and ")
}

fn outcome(plan: &Plan, turn: &ScriptTurn, verdict: Verdict) -> ScoredConstraint {
    let Verdict { constraint: name, kind, outcome, by, why, cause: _ } = verdict;
    let scored = ScoredConstraint {
        constraint: name,
        group: String::new(),
        outcome,
        age: 0,
        by,
        why,
        kind,
        tags: Vec::new(),
        points: None,
        weight: None,
    };
    let Some(kind) = kind else {
        let active = turn.in_force.iter().find(|active| active.constraint == scored.constraint);
        let group = active.map_or(&*scored.constraint, |active| active.group()).to_owned();
        let tags = plan.constraint(&scored.constraint).map(|known| known.tags.clone());
        return ScoredConstraint {
            group,
            age: active.map_or(0, |active| turn.turn.saturating_sub(active.since)),
            tags: tags.unwrap_or_default(),
            ..scored
        };
    };
    let same = |it: &&crate::script::Criterion| it.kind == kind && it.name == scored.constraint;
    let criterion = turn.criteria.iter().find(same);
    // Facts and voiding conditions have no names of their own; a relation is one by its word.
    let constraint = match kind {
        CriterionKind::Requirement => scored.constraint,
        CriterionKind::Relation => {
            scored.constraint.split(' ').next().unwrap_or_default().to_owned()
        }
        CriterionKind::Fact | CriterionKind::Void => kind.word().to_owned(),
    };
    ScoredConstraint {
        constraint,
        group: kind.word().to_owned(),
        tags: criterion.map(|criterion| criterion.tags.clone()).unwrap_or_default(),
        points: criterion.and_then(|criterion| criterion.points),
        ..scored
    }
}
