//! Transcripts of hidden sets: the responses and the verdicts, without prompts.
//!
//! What scores need stays: names of constraints, criteria, topics and moves, outcomes, and counts.
//! Messages, drawn values, and reasons, which quote both, are left out. The run's journal and the
//! secret give them again.

use std::sync::Arc;

use super::transcript::{HiddenTurn, TranscriptTurn};
use ifs_draw::{Active, Criterion, InstructionChange, ScriptTurn, TurnHash};
use ifs_inference::{HIDDEN_PROMPT, HiddenRecords};
use ifs_judge::VerdictRecord;
use ifs_model::table::{DecidedBy, Dialogue};
use ifs_plan::Plan;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;

/// The turn as it is recorded: with keyed hashes of what was asked, and without its prompts unless
/// they are kept.
pub fn recorded(
    hidden: &HiddenRecords,
    plan: &Plan,
    table: &Dialogue,
    turn: TranscriptTurn,
) -> TranscriptTurn {
    let TurnHash { messages, judged } = TurnHash::from_turn(plan, table, &turn.script);
    let asked = TurnHash {
        messages: hidden.number("messages", messages),
        judged: hidden.number("judged", judged),
    };
    let turn = TranscriptTurn { asked: Some(asked), ..turn };
    if hidden.keeps_prompts { turn } else { redact(hidden, turn) }
}

fn redact(hidden: &HiddenRecords, turn: TranscriptTurn) -> TranscriptTurn {
    let known = HiddenTurn {
        said: super::scored::history_characters(&turn.script),
        reminder: turn.script.reminder.as_deref().map_or(0, super::scored::characters),
        feedback: turn.rounds.iter().map(|round| super::scored::characters(&round.ask)).sum(),
        history: turn.history.as_deref().map(super::scored::characters),
    };
    let mut turn = TranscriptTurn {
        script: script(&|name| hidden.key.name(name), &turn.script),
        history: None,
        hidden: Some(known),
        ..turn
    };
    for sample in turn.responses_mut() {
        sample.reasoning = reasoning(std::mem::take(&mut sample.reasoning));
        sample.verdicts.iter_mut().for_each(without_reason);
    }
    turn.rounds.iter_mut().for_each(|round| HIDDEN_PROMPT.clone_into(&mut round.ask));
    turn
}

/// Every field is named, so that a new one is thought about.
///
/// `named` gives the name that is written for that of a record.
pub(super) fn script(named: &dyn Fn(&str) -> String, turn: &ScriptTurn) -> ScriptTurn {
    let ScriptTurn {
        turn: number,
        dice: _,
        witness: _,
        transition,
        name,
        relations,
        over,
        topic,
        style,
        changes,
        tries,
        active_constraints,
        slice,
        most_rounds,
        system,
        show: _,
        ask: _,
        reminder: _,
        golden: _,
        given,
        classes,
        parts: _,
        criteria,
    } = turn;
    let optional = |name: &Option<String>| name.as_deref().map(named);
    ScriptTurn {
        turn: *number,
        transition: *transition,
        name: name.clone(),
        relations: relations.clone(),
        over: optional(over),
        topic: named(topic),
        style: optional(style),
        changes: changes.iter().map(changed).collect(),
        tries: *tries,
        active_constraints: active_constraints.iter().map(|active| without_args(active)).collect(),
        slice: optional(slice),
        most_rounds: *most_rounds,
        system: system.as_ref().map(|_| HIDDEN_PROMPT.to_owned()),
        ask: HIDDEN_PROMPT.to_owned(),
        given: given.as_ref().map(|_| HIDDEN_PROMPT.to_owned()),
        classes: classes.iter().map(|class| named(class)).collect(),
        criteria: criteria.iter().map(criterion).collect(),
        ..ScriptTurn::default()
    }
}

fn without_args(active: &Active) -> Arc<Active> {
    let Active { constraint, args: _, since, speaker, overruled, called } = active;
    Arc::new(Active {
        constraint: constraint.clone(),
        args: Vec::new(),
        since: *since,
        speaker: *speaker,
        overruled: overruled.clone(),
        called: *called,
    })
}

fn changed(changed: &InstructionChange) -> InstructionChange {
    let InstructionChange { change, after, before } = changed;
    let bare = |active: &Option<Arc<Active>>| active.as_deref().map(without_args);
    InstructionChange { change: *change, after: bare(after), before: bare(before) }
}

fn criterion(criterion: &Criterion) -> Criterion {
    let Criterion { kind, name, by: _, says: _, after, tags, points, weight } = criterion;
    Criterion {
        kind: *kind,
        name: name.clone(),
        // Its rule has drawn values. Nothing evaluates it: the verdicts are recorded.
        by: DecidedBy::Rule(Tree::without_place(Node::Value(Value::Bool(true)))),
        says: None,
        after: after.clone(),
        tags: tags.clone(),
        points: *points,
        weight: *weight,
    }
}

pub(super) fn without_reason(verdict: &mut VerdictRecord) {
    (verdict.why, verdict.itself) = (None, None);
    for vote in &mut verdict.votes {
        (vote.why, vote.reply) = (None, None);
    }
}

fn reasoning(text: String) -> String {
    if text.is_empty() { text } else { HIDDEN_PROMPT.to_owned() }
}
