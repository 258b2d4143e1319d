//! The input of scores, computed from a transcript.

use std::sync::Arc;

use super::state::observations;
use super::transcript::{ResponsePlace, Transcript, TranscriptTurn};
use super::weight::weight;
use ifs_draw::{CriterionKind, ScriptTurn, ShownContent, TurnHash, written_name};
use ifs_inference::provider::StopReason;
use ifs_judge::{
    AggregatedVote, AggregationRule, Exchange, VerdictRecord, Vote, VoteValue,
    evaluate_constraints, without_text,
};
use ifs_model::table::{DecidedBy, Feedback, Scale};
use ifs_plan::Plan;
use ifs_score::{NoText, Outcome, ScoredConstraint, ScoredDialogue, ScoredTurn};
use ifs_text::unknown_block;

/// Rules are evaluated again on the responses, and the recorded votes of judges are used, so
/// scoring calls no model.
///
/// With `rule`, votes are aggregated again by that rule. Where prompts are left out, the recorded
/// verdicts count: rules need the drawn values.
pub fn scored(
    plan: &Plan,
    transcript: &Transcript,
    rule: Option<AggregationRule>,
) -> ScoredDialogue {
    by_verdicts(plan, transcript, again(plan, transcript, rule), |_, _| {})
}

/// Evaluates rules again, unless prompts are left out.
fn again<'a>(
    plan: &'a Plan,
    transcript: &Transcript,
    rule: Option<AggregationRule>,
) -> impl Fn(&Exchange<'_>, Option<&NoText>, &[VerdictRecord]) -> Vec<VerdictRecord> + use<'a> {
    let leaves_prompts_out = transcript.turns.iter().any(|turn| turn.hidden.is_some());
    move |exchange, no_text, recorded| match leaves_prompts_out {
        true => recorded.to_vec(),
        false => reread(plan, exchange, no_text, recorded, rule),
    }
}

/// The scores of a dialogue, and the verdicts that they were made from.
pub struct GradedDialogue {
    pub scored: ScoredDialogue,
    /// For each turn, the verdicts on each of its responses, in the order of
    /// `TranscriptTurn::responses`.
    pub verdicts: Vec<Vec<Vec<VerdictRecord>>>,
}

/// The same as [`scored`], for those who show the transcript.
pub fn graded(
    plan: &Plan,
    transcript: &Transcript,
    rule: Option<AggregationRule>,
) -> GradedDialogue {
    let mut verdicts = vec![Vec::new(); transcript.turns.len()];
    let scored = by_verdicts(plan, transcript, again(plan, transcript, rule), |turn, given| {
        verdicts[turn].push(given.to_vec());
    });
    GradedDialogue { scored, verdicts }
}

/// The verdicts on a response: of rules by evaluation, of judges as recorded.
pub(super) fn reread(
    plan: &Plan,
    exchange: &Exchange<'_>,
    no_text: Option<&NoText>,
    recorded: &[VerdictRecord],
    rule: Option<AggregationRule>,
) -> Vec<VerdictRecord> {
    if let Some(why) = no_text {
        return without_text(plan, exchange, why);
    }
    let aggregated: Vec<AggregatedVote> = recorded
        .iter()
        .filter_map(VerdictRecord::aggregated)
        .map(|aggregated| counted(plan, exchange.turn, aggregated, rule))
        .collect();
    evaluate_constraints(plan, exchange, &aggregated)
}

/// A dialogue whose rules were just evaluated, so they are not evaluated again.
pub fn scored_as_held(plan: &Plan, transcript: &Transcript) -> ScoredDialogue {
    by_verdicts(plan, transcript, |_, _, verdicts| verdicts.to_vec(), |_, _| {})
}

/// `give` gets the verdicts on each response, with the position of its turn.
fn by_verdicts(
    plan: &Plan,
    transcript: &Transcript,
    verdicts: impl Fn(&Exchange<'_>, Option<&NoText>, &[VerdictRecord]) -> Vec<VerdictRecord>,
    mut give: impl FnMut(usize, &[VerdictRecord]),
) -> ScoredDialogue {
    let mut replies: Vec<String> = Vec::new();
    let mut turns = Vec::new();
    let table = plan.dialogue(&transcript.dialogue).map(|dialogue| dialogue.table);
    let slices_turns = table.is_some_and(|table| table.slices_turns);
    let retry = table.and_then(|table| table.retry);
    let is_chat = retry.is_some_and(|retry| retry.form == Feedback::Chat);
    let mut history = 0;
    for (at, turn) in transcript.turns.iter().enumerate() {
        history +=
            turn.hidden.map_or_else(|| history_characters(&turn.script), |hidden| hidden.said);
        let reminder = || turn.script.reminder.as_deref().map_or(0, characters);
        let mut scored = ScoredTurn {
            slice: turn.script.slice.clone().filter(|_| slices_turns),
            classes: turn.script.classes.clone(),
            characters: Some(turn.samples.first().map_or(0, |first| characters(&first.answer))),
            sent: Some(history + turn.hidden.map_or_else(reminder, |hidden| hidden.reminder)),
            prompt_tokens: turn.samples.first().and_then(|first| first.usage.input),
            turn: turn.script.turn,
            name: Some(turn.script.name.clone()).filter(|name| !name.is_empty()),
            topic: Some(turn.script.topic.clone()).filter(|topic| !topic.is_empty()),
            transition: Some(transition(&turn.script)),
            asked: turn
                .asked
                .or_else(|| table.map(|it| TurnHash::from_turn(plan, it, &turn.script))),
            ..ScoredTurn::default()
        };
        let mut voided: Vec<ScoredConstraint> = Vec::new();
        for (place, given) in turn.responses() {
            let exchange = Exchange {
                dialogue: &transcript.dialogue,
                turn: &turn.script,
                answer: &given.answer,
                note: given.note.as_ref(),
                replies: &replies,
                extracted: &given.extracted,
            };
            let no_text = given.no_text();
            match given.stop.as_ref().filter(|_| no_text.is_none()) {
                Some(StopReason::Length) => scored.cut += 1,
                Some(StopReason::Filter) => scored.withheld += 1,
                Some(
                    StopReason::End
                    | StopReason::ContextLength
                    | StopReason::Missing
                    | StopReason::Other(_),
                )
                | None => {}
            }
            scored.without_stop_reason += u64::from(given.stop == Some(StopReason::Missing));
            scored.served.extend(given.served.clone());
            scored.reasoned += u64::from(!given.reasoning.is_empty());
            let marker = |text: &str| unknown_block(text).map(str::to_owned);
            scored.unknown_reasoning.extend(marker(&given.reasoning));
            scored.unknown_blocks.extend(marker(&given.answer));
            let verdicts = verdicts(&exchange, no_text.as_ref(), &given.verdicts);
            give(at, &verdicts);
            if place.sample == 0 {
                scored.observations = observations(&verdicts);
            }
            let (overruled, verdicts): (Vec<VerdictRecord>, Vec<VerdictRecord>) = verdicts
                .into_iter()
                .filter(|verdict| !verdict.is_observation())
                .partition(|verdict| verdict.overruled);
            if place == ResponsePlace::FIRST {
                let outcomes = overruled.into_iter();
                let outcomes = outcomes.map(|verdict| outcome(plan, &turn.script, verdict));
                scored.overruled = outcomes.map(Arc::new).collect();
            }
            match (no_text, place.round, place.sample) {
                (Some(why), 0, 0) => scored.no_text = Some(why),
                (Some(why), ..) => scored.more_without_text.push(why),
                (None, ..) => {}
            }
            if place == ResponsePlace::FIRST {
                scored.unjudged = verdicts.iter().filter_map(unjudged_reason).collect();
            }
            let outcomes = verdicts.into_iter().map(|verdict| outcome(plan, &turn.script, verdict));
            let weighed = outcomes.map(|outcome| {
                let declared = table.and_then(|it| weight(it, &outcome.group, &outcome.tags));
                ScoredConstraint { weight: outcome.weight.or(declared), ..outcome }
            });
            let mut weighed: Vec<ScoredConstraint> = weighed.collect();
            // A violated condition that must never happen stays violated in later rounds.
            if place.sample == 0 {
                for one in &mut weighed {
                    let earlier = voided.iter().find(|void| void.constraint == one.constraint);
                    match (one.kind, earlier) {
                        (Some(CriterionKind::Void), Some(earlier)) => *one = earlier.clone(),
                        (Some(CriterionKind::Void), None) if one.outcome.is_missed() => {
                            voided.push(one.clone());
                        }
                        _ => {}
                    }
                }
            }
            let weighed = weighed.into_iter().map(Arc::new).collect();
            match place {
                ResponsePlace::FIRST => scored.constraints = weighed,
                ResponsePlace { round: 0, .. } => scored.samples.push(weighed),
                ResponsePlace { .. } => scored.rounds.push(weighed),
            }
        }
        if !turn.is_given() {
            turns.push(scored);
        }
        history += match (turn.hidden.and_then(|hidden| hidden.history), &turn.history) {
            (Some(golden), _) => golden,
            (None, Some(golden)) => characters(golden),
            (None, None) if is_chat => rounds_of(turn) + characters(turn.reply()),
            (None, None) => characters(turn.reply()),
        };
        replies.push(turn.reply().to_owned());
    }
    let first = transcript.turns.first();
    ScoredDialogue {
        dialogue: transcript.dialogue.clone(),
        index: transcript.index,
        seed: transcript.seed,
        turns,
        ending: transcript.ending.clone(),
        slice: first.and_then(|first| first.script.slice.clone()).filter(|_| !slices_turns),
        reacts: table.is_some_and(|table| table.is_reactive(&plan.model.flows)),
        text: None,
    }
}

/// Why an outcome could not be judged, without what differs from response to response; `None` if it
/// was judged.
fn unjudged_reason(verdict: &VerdictRecord) -> Option<String> {
    if verdict.outcome != Outcome::Unjudged {
        return None;
    }
    let why = verdict.why.as_deref().unwrap_or_default();
    let unread = verdict.votes.iter().find(|vote| vote.value == VoteValue::Unreadable);
    Some(match unread {
        Some(vote) => {
            let said = vote.why.as_deref().unwrap_or("it is unreadable");
            let said = said.strip_prefix("its reply cannot be read: ").unwrap_or(said);
            let advice = match said.contains("token limit") {
                true => "; raise `--judge-max-tokens`",
                false => "",
            };
            format!("a reply of {} cannot be read: {said}{advice}", vote.judge)
        }
        None if !verdict.votes.is_empty() => "the votes of the judges give no result".to_owned(),
        None if why == "no judge was asked" => "no judge was asked (`--judge`)".to_owned(),
        None if verdict.cause.is_some() && why.starts_with("comes after") => {
            "a requirement that comes first was not judged".to_owned()
        }
        None if why.is_empty() => "no reason was recorded".to_owned(),
        None => why.to_owned(),
    })
}

/// The number of characters of a turn's messages that stay in the history.
pub(super) fn history_characters(turn: &ScriptTurn) -> u64 {
    let lines = turn.show.iter().map(|shown| match shown {
        ShownContent::Text(line) => characters(line),
        ShownContent::Tool { text, .. } => characters(text),
        ShownContent::Image(_) => 0,
    });
    let system = turn.system.as_deref().map_or(0, characters);
    system + lines.sum::<u64>() + characters(&turn.ask)
}

/// The number of characters of the rounds of a turn before its last response: each response that
/// something was missed in, and the feedback on it.
fn rounds_of(turn: &TranscriptTurn) -> u64 {
    let asks = || turn.rounds.iter().map(|round| characters(&round.ask)).sum();
    let feedback = turn.hidden.map_or_else(asks, |hidden| hidden.feedback);
    let answers = || turn.conversation().map(|sample| characters(&sample.answer)).sum::<u64>();
    match turn.rounds.is_empty() {
        true => 0,
        false => feedback + answers() - characters(turn.reply()),
    }
}

pub(super) fn characters(text: &str) -> u64 {
    text.chars().count() as u64
}

/// Recorded votes, aggregated by another rule.
fn counted(
    plan: &Plan,
    turn: &ScriptTurn,
    aggregated: AggregatedVote,
    rule: Option<AggregationRule>,
) -> AggregatedVote {
    let Some(rule) = rule.filter(|_| !aggregated.votes.is_empty()) else { return aggregated };
    let scale = scale(plan, turn, &aggregated.name);
    AggregatedVote::aggregate(&aggregated.name, aggregated.votes, rule, scale)
}

/// The scale of marks of a constraint, or of a criterion by its key.
pub fn scale<'a>(plan: &'a Plan, turn: &'a ScriptTurn, key: &str) -> Option<&'a Scale> {
    let constraint = plan.constraint(key).map(|constraint| &constraint.by);
    let criterion = || turn.criteria.iter().find(|criterion| criterion.key() == key);
    match constraint.or_else(|| criterion().map(|criterion| &criterion.by))? {
        DecidedBy::Judge(question) => question.scale.as_ref(),
        DecidedBy::Rule(_) => None,
    }
}

/// The flow move or relations of a turn.
fn transition(turn: &ScriptTurn) -> String {
    if turn.relations.is_empty() {
        return turn.transition.word().to_owned();
    }
    let words: Vec<&str> = turn.relations.iter().map(|relation| relation.kind.word()).collect();
    words.join(" and ")
}

/// The mean of the marks among votes.
fn mark(votes: &[Vote]) -> Option<f64> {
    let marks = votes.iter().filter_map(|vote| match vote.value {
        VoteValue::Mark(mark) => Some(mark as f64),
        VoteValue::Yes | VoteValue::No | VoteValue::Unreadable => None,
    });
    let marks: Vec<f64> = marks.collect();
    (!marks.is_empty()).then(|| marks.iter().sum::<f64>() / marks.len() as f64)
}

fn outcome(plan: &Plan, turn: &ScriptTurn, verdict: VerdictRecord) -> ScoredConstraint {
    let VerdictRecord { constraint: name, kind, outcome, by, why, votes, cause, .. } = verdict;
    let VerdictRecord { speaker, loose, .. } = verdict;
    let scored = ScoredConstraint {
        constraint: name,
        group: String::new(),
        outcome,
        speaker,
        loose,
        age: 0,
        by,
        why,
        kind,
        tags: Vec::new(),
        points: None,
        // An item that was decided without its votes has no mark of its own.
        mark: if cause.is_none() { mark(&votes) } else { None },
        weight: None,
    };
    let Some(kind) = kind else {
        let active = turn.active_constraints.iter().find(|active| scored.is_of(active));
        let group = active.map_or(&*scored.constraint, |active| active.group()).to_owned();
        let tags = plan.constraint(&scored.constraint).map(|known| known.tags.clone());
        return ScoredConstraint {
            group,
            age: active.map_or(0, |active| turn.turn.saturating_sub(active.since)),
            tags: tags.unwrap_or_default(),
            ..scored
        };
    };
    let same = |it: &&ifs_draw::Criterion| it.kind == kind && it.name == scored.constraint;
    let criterion = turn.criteria.iter().find(same);
    // Facts and voiding conditions have no names; a relation is named by its keyword.
    let constraint = match kind {
        CriterionKind::Requirement | CriterionKind::Relation | CriterionKind::Observation => {
            written_name(&scored.constraint).to_owned()
        }
        CriterionKind::Fact | CriterionKind::Void => kind.word().to_owned(),
    };
    ScoredConstraint {
        constraint,
        group: kind.word().to_owned(),
        tags: criterion.map(|criterion| criterion.tags.clone()).unwrap_or_default(),
        points: criterion.and_then(|criterion| criterion.points),
        weight: criterion.and_then(|criterion| criterion.weight),
        ..scored
    }
}

/// The weight of a verdict in weighted scores, if one is declared.
pub fn weight_of(
    plan: &Plan,
    dialogue: &str,
    turn: &ScriptTurn,
    verdict: &VerdictRecord,
) -> Option<f64> {
    let table = plan.dialogue(dialogue)?.table;
    let is_weighed = !table.weights.is_empty()
        || turn.criteria.iter().any(|criterion| criterion.weight.is_some());
    if !is_weighed {
        return None;
    }
    let outcome = outcome(plan, turn, verdict.clone());
    outcome.weight.or_else(|| weight(table, &outcome.group, &outcome.tags))
}
