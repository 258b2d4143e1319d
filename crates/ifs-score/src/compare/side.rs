//! A run in a comparison: the messages of each turn, and the share of instructions that was
//! followed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{SplitBy, SurvivalTime};
use crate::{
    Breakdown, CriterionKind, DialogueSource, Ending, ExactShare, METRICS, MetricScore, Outcome,
    PifMean, RoundScore, Scorecard, ScoredConstraint, ScoredDialogue, Slice, TurnHash, TurnOutcome,
    age_row, followed, own_sums, points, profile, tag_levels,
};
use ifs_value::stable_hash::StreamKey;

/// A dialogue's name and its number.
pub type DialogueKey = (String, u64);

#[derive(Clone, Debug)]
pub struct ComparedRun {
    /// The run's name in tables: its model and its variant.
    pub name: String,
    pub dialogues: BTreeMap<DialogueKey, ComparedDialogue>,
    /// One score for each of [`METRICS`], in that order, then those by expressions.
    pub metrics: Vec<MetricScore>,
    pub slices: Vec<Slice>,
    pub rounds: Vec<RoundScore>,
    pub breakdown: Breakdown,
    /// PIF by turn number.
    pub by_turn: Vec<PifMean>,
}

/// A dialogue of a run.
#[derive(Clone, Debug)]
pub struct ComparedDialogue {
    /// Equal for dialogues of the run with the same text.
    pub text: u64,
    pub life: SurvivalTime,
    turns: BTreeMap<u32, ComparedTurn>,
    /// The held and judged counts of each of its parts.
    parts: BTreeMap<SplitBy, BTreeMap<String, (f64, f64)>>,
    /// Whether the responses decided which turns were asked.
    reacts: bool,
    /// Its contributions for each value of `report … by` that it or its turns have.
    slices: Vec<(String, Vec<(f64, f64)>)>,
    /// The dialogue's contribution to the two sums of each metric of the run.
    terms: Vec<(f64, f64)>,
}

#[derive(Clone, Copy, Debug)]
struct ComparedTurn {
    asked: Option<TurnHash>,
    /// The messages up to and including the turn.
    history: StreamKey,
    share: Option<ExactShare>,
    points: Option<f64>,
    /// Whether everything held; `None` if that is not decided.
    is_successful: Option<bool>,
    is_empty: bool,
}

impl ComparedRun {
    /// Creates a side from a scorecard, whose texts are numbered.
    pub fn new(name: String, card: &Scorecard) -> ComparedRun {
        let terms_of = |dialogue: &ScoredDialogue| {
            let own = card.options.metrics.iter().map(|metric| own_sums(metric, dialogue));
            METRICS.iter().map(|metric| metric.sums(dialogue)).chain(own).collect::<Vec<_>>()
        };
        let held = |(at, dialogue): (u64, ScoredDialogue)| {
            let mut history = StreamKey::NONE;
            let turn = |turn: &crate::ScoredTurn| {
                history = history.and_number(turn.asked.map_or(0, |asked| asked.messages));
                let share = followed(&turn.constraints);
                let points = points(turn);
                let is_empty = turn.constraints.is_empty();
                let is_successful = match turn.verdict() {
                    TurnOutcome::Success => Some(true),
                    TurnOutcome::Failure => Some(false),
                    TurnOutcome::Undecided | TurnOutcome::Empty => None,
                };
                let asked = turn.asked;
                (turn.turn, ComparedTurn { asked, history, share, points, is_successful, is_empty })
            };
            let turns = dialogue.turns.iter().map(turn).collect();
            let place = (dialogue.dialogue.clone(), dialogue.index);
            let terms = terms_of(&dialogue);
            let text = dialogue.text.unwrap_or(at);
            let life = SurvivalTime {
                turns: u32::try_from(dialogue.turns.len()).unwrap_or(u32::MAX),
                is_lost: dialogue.ending == Ending::Patience,
            };
            let parts = count_parts(&dialogue, !card.rounds.is_empty());
            let reacts = dialogue.reacts;
            let slices = dialogue.slices().into_iter();
            let slices = slices.filter_map(|part| Some((part.slice.clone()?, terms_of(&part))));
            let slices = slices.collect();
            (place, ComparedDialogue { text, life, turns, parts, reacts, slices, terms })
        };
        ComparedRun {
            name,
            dialogues: (0..).zip(card.dialogues.each()).map(held).collect(),
            metrics: card.metrics.clone(),
            slices: card.slices.clone(),
            rounds: card.rounds.clone(),
            breakdown: card.breakdown.clone(),
            by_turn: profile(&card.dialogues).by_turn,
        }
    }

    /// The index of a metric, also among the terms of dialogues.
    pub fn place(&self, metric: &str) -> Option<usize> {
        self.metrics.iter().position(|score| score.name == metric)
    }

    /// The two sums of a metric over some of the dialogues.
    pub fn sums<'s>(
        &'s self,
        metric: usize,
        dialogues: impl IntoIterator<Item = &'s ComparedDialogue>,
    ) -> (f64, f64) {
        let terms = dialogues.into_iter().map(|held| held.term(metric));
        terms.fold((0.0, 0.0), |sum, term| (sum.0 + term.0, sum.1 + term.1))
    }

    /// Whether the metric is a ratio of two sums over dialogues, so that it can be tested dialogue
    /// by dialogue. `REC_as_released` is not: one dialogue can make it undefined.
    pub fn is_summed(&self, metric: usize) -> bool {
        let Some(score) = self.metrics.get(metric) else { return false };
        let (above, below) = self.sums(metric, self.dialogues.values());
        let near = |sum: f64, whole: f64| (sum - whole).abs() <= 1e-9 * whole.abs().max(1.0);
        near(above, score.measured.numerator) && near(below, score.measured.denominator)
    }
}

/// The held and judged counts of each part of a dialogue. With several rounds, tags are those of
/// the last one, at every level.
fn count_parts(
    dialogue: &ScoredDialogue,
    has_rounds: bool,
) -> BTreeMap<SplitBy, BTreeMap<String, (f64, f64)>> {
    let mut parts: BTreeMap<SplitBy, BTreeMap<String, (f64, f64)>> = BTreeMap::new();
    let mut add = |by: SplitBy, part: &str, held: f64| {
        let sum = parts.entry(by).or_default().entry(part.to_owned()).or_default();
        *sum = (sum.0 + held, sum.1 + 1.0);
    };
    let judged = |one: &&Arc<ScoredConstraint>| one.outcome != Outcome::Unjudged;
    let is_held = |one: &ScoredConstraint| if one.outcome == Outcome::Held { 1.0 } else { 0.0 };
    for turn in &dialogue.turns {
        if let Some(share) = followed(&turn.constraints) {
            add(SplitBy::Turn, &turn.turn.to_string(), share.number());
        }
        let name_of = |name: &Option<String>| name.clone().unwrap_or_else(|| "(none)".to_owned());
        let (topic, transition) = (name_of(&turn.topic), name_of(&turn.transition));
        let active = turn.constraints.len().to_string();
        for one in turn.constraints.iter().filter(judged) {
            let held = is_held(one);
            for (by, part) in [
                (SplitBy::Group, one.group.as_str()),
                (SplitBy::Constraint, &one.constraint),
                (SplitBy::Topic, &topic),
                (SplitBy::Age, age_row(one.age)),
                (SplitBy::Active, &active),
                (SplitBy::Transition, &transition),
            ] {
                add(by, part, held);
            }
            if one.kind.is_none() {
                add(SplitBy::Speaker, one.speaker.word(), held);
            }
            if one.kind == Some(CriterionKind::Relation) {
                add(SplitBy::Relation, &one.constraint, held);
            }
            turn.name.iter().for_each(|name| add(SplitBy::Name, name, held));
            turn.classes.iter().for_each(|class| add(SplitBy::Class, class, held));
        }
        for one in turn.rounds.last().unwrap_or(&turn.constraints).iter().filter(judged) {
            let held = is_held(one);
            match has_rounds {
                true => {
                    tag_levels(&one.tags).into_iter().for_each(|tag| add(SplitBy::Tag, tag, held))
                }
                false => one.tags.iter().for_each(|tag| add(SplitBy::Tag, tag, held)),
            }
        }
    }
    parts
}

impl ComparedDialogue {
    /// The two sums of each part: what held and what was judged, or those of the metric for the
    /// dialogue's slice. A round is of a complete run.
    pub fn parts(&self, by: SplitBy, metric: usize) -> impl Iterator<Item = (&str, (f64, f64))> {
        let slices = self.slices.iter().filter(move |_| by == SplitBy::Slice);
        let term = move |terms: &Vec<(f64, f64)>| terms.get(metric).copied().unwrap_or_default();
        let counted = self.parts.get(&by).into_iter().flatten();
        let counted = counted.map(|(part, sums)| (part.as_str(), *sums));
        counted.chain(slices.map(move |(slice, terms)| (slice.as_str(), term(terms))))
    }

    /// Whether the turns that both runs reached have the same messages.
    pub fn is_same_question(&self, other: &ComparedDialogue) -> bool {
        let theirs = |number: &u32| other.turns.get(number);
        // The responses may lead to other turns after the first.
        let looked_at = if self.reacts { 1 } else { usize::MAX };
        self.turns
            .iter()
            .take(looked_at)
            .all(|(number, turn)| theirs(number).is_none_or(|theirs| turn.asked == theirs.asked))
    }

    pub fn term(&self, metric: usize) -> (f64, f64) {
        self.terms.get(metric).copied().unwrap_or_default()
    }

    /// The turns with judged instructions, and the share that was followed.
    pub fn shares(&self) -> impl Iterator<Item = (u32, ExactShare)> {
        self.turns.iter().filter_map(|(number, turn)| Some((*number, turn.share?)))
    }

    pub fn share(&self, turn: u32) -> Option<ExactShare> {
        self.turns.get(&turn)?.share
    }

    /// Matches the turns of another run of the dialogue to the turns of this one, by question.
    /// Questions are the same if they are judged on the same; repeated questions are matched in
    /// order. If the other run has no such question, its turn with the same number counts, unless
    /// that is another question of this run.
    pub fn match_turns(&self, other: &ComparedDialogue) -> Vec<(u32, ExactShare, ExactShare)> {
        let shares =
            |(turn, theirs): (u32, u32)| Some((turn, self.share(turn)?, other.share(theirs)?));
        self.matched(other).into_iter().filter_map(shares).collect()
    }

    /// The scored turns, each with the other run's turn of the same question.
    fn matched(&self, other: &ComparedDialogue) -> Vec<(u32, u32)> {
        // A turn that responses led to is compared with one after the same messages.
        if self.reacts && other.reacts {
            let same = |turn: &u32| !self.had_other_messages(other, *turn) && other.has_turn(*turn);
            return self
                .shares()
                .map(|(turn, _)| (turn, turn))
                .filter(|(turn, _)| same(turn))
                .collect();
        }
        let (mine, theirs) = (self.questions(), other.questions());
        let by_question: BTreeMap<(u64, usize), u32> =
            theirs.iter().map(|(turn, question)| (*question, *turn)).collect();
        let asked_here: BTreeSet<(u64, usize)> = mine.values().copied().collect();
        let with = |turn: u32| match mine.get(&turn) {
            Some(question) => match by_question.get(question) {
                Some(found) => Some(*found),
                None => {
                    theirs.get(&turn).is_none_or(|one| !asked_here.contains(one)).then_some(turn)
                }
            },
            None => Some(turn),
        };
        self.shares().filter_map(|(turn, _)| Some((turn, with(turn)?))).collect()
    }

    /// Whether the messages up to a turn are other ones in another run, because the responses led to
    /// other turns.
    pub fn had_other_messages(&self, other: &ComparedDialogue, turn: u32) -> bool {
        let history = |of: &ComparedDialogue| of.turns.get(&turn).map(|turn| turn.history);
        let (mine, theirs) = (history(self), history(other));
        self.reacts && other.reacts && mine.is_some() && theirs.is_some() && mine != theirs
    }

    /// Whether each turn succeeded, here and in another run of the dialogue, where both are decided.
    /// Turns are matched as for their shares.
    pub fn successes_beside(&self, other: &ComparedDialogue) -> Vec<(bool, bool)> {
        let of = |dialogue: &ComparedDialogue, turn: u32| dialogue.turns.get(&turn)?.is_successful;
        self.matched(other)
            .into_iter()
            .filter_map(|(turn, theirs)| Some((of(self, turn)?, of(other, theirs)?)))
            .collect()
    }

    /// The criteria of each scored turn, and the number of turns so far with the same
    /// ones.
    fn questions(&self) -> BTreeMap<u32, (u64, usize)> {
        let mut times: BTreeMap<u64, usize> = BTreeMap::new();
        let scored = self.turns.iter().filter(|(_, turn)| turn.share.is_some());
        scored
            .filter_map(|(number, turn)| {
                let judged = turn.asked?.judged;
                let time = times.entry(judged).or_default();
                *time += 1;
                Some((*number, (judged, *time)))
            })
            .collect()
    }

    pub fn has_turn(&self, turn: u32) -> bool {
        self.turns.contains_key(&turn)
    }

    /// PIF of a turn, or its mean over all turns.
    pub fn pif(&self, turn: Option<u32>) -> Option<f64> {
        self.mean(turn, |turn| turn.share.map(ExactShare::number))
    }

    /// Points of a turn, or their mean over all turns that have facts.
    pub fn points(&self, turn: Option<u32>) -> Option<f64> {
        self.mean(turn, |turn| turn.points)
    }

    fn mean(&self, turn: Option<u32>, of: fn(&ComparedTurn) -> Option<f64>) -> Option<f64> {
        if let Some(turn) = turn {
            return of(self.turns.get(&turn)?);
        }
        let found: Vec<f64> = self.turns.values().filter_map(of).collect();
        (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
    }

    /// Turns with instructions none of which was judged.
    pub fn unjudged(&self) -> usize {
        self.turns.values().filter(|turn| turn.share.is_none() && !turn.is_empty).count()
    }

    /// The instructions of each turn, if known.
    pub fn instructions(&self) -> impl Iterator<Item = (u32, TurnHash)> {
        self.turns.iter().filter_map(|(number, turn)| Some((*number, turn.asked?)))
    }

    pub fn asked_on(&self, turn: u32) -> Option<TurnHash> {
        self.turns.get(&turn)?.asked
    }
}
