//! A dialogue as its readers see it, as a chat: the same on the page of a report, on the page of a
//! preview, and on a terminal.

mod browser;
mod html;
mod terminal;

use std::collections::BTreeMap;
use std::ops::Range;

pub use browser::Browser;
pub use html::article;
pub(super) use html::escape_text as html_text;
pub use terminal::{TurnFilter, text};

use super::columns::cut;
use super::words::milliseconds;
use ifs_draw::proof::Proof;
use ifs_draw::{Active, Criterion, Related, ScriptTurn};
use ifs_inference::provider::{StopReason, Usage};
use ifs_judge::{VerdictRecord, VoteValue};
use ifs_model::table::{Change, DecidedBy};
use ifs_predicate::print::print;
use ifs_predicate::tree::Node;
use ifs_predicate::value::Value;
use ifs_run::{GradedDialogue, Transcript};
use ifs_score::{Ending, NoText, Outcome, ScoredTurn, TurnOutcome};

/// The style of chats, and of the browser of dialogues with its script.
pub(super) const STYLE: &str = include_str!("chat.css");
pub(super) const BROWSER_STYLE: &str = include_str!("browser.css");
pub(super) const BROWSER_SCRIPT: &str = include_str!("browser.js");

/// A dialogue, drawn or run.
#[derive(Debug)]
pub struct ChatView<'a> {
    pub dialogue: &'a str,
    pub index: u64,
    /// `None` for a hidden set, whose dialogues follow from no number.
    pub seed: Option<u64>,
    pub turns: Vec<TurnView<'a>>,
    /// `None` if it was not run.
    pub ending: Option<&'a Ending>,
    /// Whether messages, golden answers and criteria are shown. Those of a hidden set are not.
    pub prompts: bool,
    /// The number of the run on a page of several, from 1.
    pub run: Option<usize>,
}

/// A turn, with the responses to it if it was run, or its witness if it was not.
#[derive(Debug)]
pub struct TurnView<'a> {
    pub script: &'a ScriptTurn,
    pub proof: Option<Proof>,
    pub outcome: Option<TurnOutcome>,
    pub answers: Vec<ChatAnswer<'a>>,
    /// What the dialogue continues with in place of the response: the golden answer, with `context
    /// golden`, or the `reply` of a given turn. Empty if it is left out.
    pub history: Option<&'a str>,
    pub patience: Option<u32>,
}

/// A response: the first one, one to feedback, or a further sample.
#[derive(Debug)]
pub struct ChatAnswer<'a> {
    pub round: u32,
    pub sample: u32,
    /// The feedback that it responds to.
    pub feedback: Option<&'a str>,
    pub text: &'a str,
    pub reasoning: &'a str,
    pub no_text: Option<NoText>,
    pub stop: Option<&'a StopReason>,
    /// The model that answered, as the endpoint names it.
    pub served: Option<&'a str>,
    pub usage: Usage,
    /// How long the endpoint took, if the journal says so.
    pub latency_ms: Option<u64>,
    pub verdicts: Vec<VerdictRecord>,
}

/// The latencies of requests in milliseconds, by their places.
pub type Latencies = BTreeMap<String, u64>;

impl<'a> ChatView<'a> {
    /// A dialogue that was run.
    #[must_use]
    pub fn of_run(
        transcript: &'a Transcript,
        graded: GradedDialogue,
        latencies: &Latencies,
    ) -> ChatView<'a> {
        let GradedDialogue { scored, verdicts } = graded;
        // Given turns are not scored.
        let score = |turn: u32| scored.turns.iter().find(|scored| scored.turn == turn);
        let turns = transcript.turns.iter().zip(verdicts);
        let turns = turns.map(|(turn, verdicts)| {
            let answers = turn.responses().zip(verdicts).map(|((place, given), verdicts)| {
                let again =
                    (place.round as usize).checked_sub(1).and_then(|at| turn.rounds.get(at));
                // The place of the request in the journal.
                let latency = || {
                    let purpose = match place.round {
                        0 => "answer".to_owned(),
                        round => format!("round{round}/answer"),
                    };
                    let Transcript { dialogue, index, .. } = transcript;
                    let at = format!("{dialogue}/{index}/{}/{purpose}", turn.script.turn);
                    let at = match place.sample {
                        0 => at,
                        sample => format!("{at}/{sample}"),
                    };
                    latencies.get(&at).copied()
                };
                ChatAnswer {
                    round: place.round,
                    sample: place.sample,
                    feedback: again.map(|again| again.ask.as_str()),
                    text: &given.answer,
                    reasoning: &given.reasoning,
                    no_text: given.no_text(),
                    stop: given.stop.as_ref(),
                    served: given.served.as_deref(),
                    usage: given.usage,
                    latency_ms: if latencies.is_empty() { None } else { latency() },
                    verdicts,
                }
            });
            TurnView {
                script: &turn.script,
                proof: None,
                outcome: score(turn.script.turn).map(ScoredTurn::verdict),
                answers: answers.collect(),
                history: turn.history.as_deref().or_else(|| {
                    turn.hidden.is_some_and(|hidden| hidden.history.is_some()).then_some("")
                }),
                patience: turn.patience,
            }
        });
        ChatView {
            dialogue: &transcript.dialogue,
            index: transcript.index,
            seed: Some(transcript.seed),
            turns: turns.collect(),
            ending: Some(&transcript.ending),
            prompts: true,
            run: None,
        }
    }

    /// The same without what a hidden set keeps to itself.
    #[must_use]
    pub fn without_prompts(self) -> ChatView<'a> {
        ChatView { seed: None, prompts: false, ..self }
    }

    /// Its anchor on a page: `dialogue-12`, `run-2-dialogue-12`.
    fn anchor(&self) -> String {
        match self.run {
            Some(run) => format!("run-{run}-dialogue-{}", self.index),
            None => format!("dialogue-{}", self.index),
        }
    }

    /// Decided turns: those that succeeded, and all.
    fn successes(&self) -> (usize, usize) {
        let count = |wanted| self.turns.iter().filter(|turn| turn.outcome == Some(wanted)).count();
        let good = count(TurnOutcome::Success);
        (good, good + count(TurnOutcome::Failure))
    }

    /// `7 of 9 turns successful`, if it was run.
    fn outcome(&self) -> Option<String> {
        self.ending?;
        let (good, all) = self.successes();
        Some(format!("{good} of {all} turns successful"))
    }
}

impl TurnView<'_> {
    /// How the turn relates to earlier ones, its record, topic and style.
    pub(super) fn facts(&self) -> Vec<String> {
        let script = self.script;
        let relations: Vec<String> = script.relations.iter().map(Related::label).collect();
        let how = if relations.is_empty() {
            script.transition.word().to_owned()
        } else {
            relations.join(" and ")
        };
        let over = script.over.clone().unwrap_or_default();
        let style = script.style.as_ref().map(|style| format!("style {style}"));
        let classes = script.classes.iter().map(|class| format!("class {class}"));
        let parts = [script.name.clone(), how, over, script.topic.clone()];
        let parts = parts.into_iter().chain(style).chain(classes);
        parts.filter(|part| !part.is_empty()).collect()
    }

    /// What the dialogue continues with, if it is neither its response nor its golden answer.
    fn other_history(&self) -> Option<&str> {
        let golden = self.script.golden.as_deref();
        self.history.filter(|history| !history.is_empty() && golden != Some(*history))
    }

    /// How many verdicts on the first response are missed, and how many there are.
    fn missed_and_total(&self) -> (usize, usize) {
        let verdicts = self.answers.first().map_or(&[][..], |first| &first.verdicts);
        let required = || verdicts.iter().filter(|one| one.counts());
        (required().filter(|one| one.is_missed()).count(), required().count())
    }

    /// `2 of 7 missed`, in one phrase.
    fn state(&self) -> Option<String> {
        let outcome = self.outcome?;
        let (missed, all) = self.missed_and_total();
        Some(match outcome {
            TurnOutcome::Success => format!("{all} of {all} held"),
            TurnOutcome::Failure => format!("{missed} of {all} missed"),
            TurnOutcome::Undecided => "undecided".to_owned(),
            TurnOutcome::Empty => "nothing to judge".to_owned(),
        })
    }

    /// The active constraints, and those that were removed.
    fn instructions(&self) -> Vec<Instruction<'_>> {
        let script = self.script;
        let changed = |active: &Active| {
            script.changes.iter().find(|changed| {
                changed.after.as_ref().is_some_and(|after| {
                    after.constraint == active.constraint && after.speaker == active.speaker
                })
            })
        };
        let active = script.active_constraints.iter().map(|active| {
            let changed = changed(active);
            let fresh = active.since == script.turn;
            Instruction {
                active,
                change: changed.map(|it| it.change).or(fresh.then_some(Change::Add)),
                before: changed.and_then(|it| it.before.as_deref()),
            }
        });
        let gone = script.changes.iter().filter(|changed| changed.after.is_none());
        let gone = gone.filter_map(|changed| changed.before.as_deref()).map(|active| Instruction {
            active,
            change: Some(Change::Drop),
            before: None,
        });
        active.chain(gone).collect()
    }

    /// The rule or question of the criterion that a verdict is about.
    fn asked_by(&self, verdict: &VerdictRecord) -> Option<String> {
        let kind = verdict.kind?;
        let same = |it: &&Criterion| it.kind == kind && it.name == verdict.constraint;
        let found = self.script.criteria.iter().find(same)?;
        // A transcript without prompts has this in place of every rule.
        let is_left_out = matches!(&found.by, DecidedBy::Rule(tree) if tree.node == Node::Value(Value::Bool(true)));
        (!is_left_out).then(|| of_criterion(found))
    }

    /// The name of a constraint with its arguments, or the key of a criterion.
    pub(super) fn verdict_name(&self, verdict: &VerdictRecord) -> String {
        let same = |it: &&std::sync::Arc<Active>| {
            it.constraint == verdict.constraint && it.speaker == verdict.speaker
        };
        match self.script.active_constraints.iter().find(same).filter(|_| verdict.kind.is_none()) {
            Some(active) => with_arguments(active),
            None => verdict.key(),
        }
    }
}

/// An active constraint, or one that was removed on this turn.
struct Instruction<'a> {
    active: &'a Active,
    change: Option<Change>,
    /// What it was before a modification.
    before: Option<&'a Active>,
}

impl Instruction<'_> {
    /// `+`, `~`, `−`, or nothing for what did not change.
    fn mark(&self) -> &'static str {
        match self.change {
            Some(Change::Add) => "+",
            Some(Change::Modify) => "~",
            Some(Change::Drop) => "−",
            None => "",
        }
    }

    /// The earlier form, as short as it can be: only the arguments of the same constraint.
    fn earlier(&self) -> Option<String> {
        let before = self.before?;
        match before.constraint == self.active.constraint {
            true => Some(arguments(before)).filter(|it| !it.is_empty()),
            false => Some(with_arguments(before)),
        }
    }
}

/// `n: 50, word: tea`
fn arguments(active: &Active) -> String {
    let arguments = active.args.iter().map(|(name, value)| format!("{name}: {value}"));
    arguments.collect::<Vec<_>>().join(", ")
}

/// `length.at_most (n: 50)`
pub(super) fn with_arguments(active: &Active) -> String {
    let name = match arguments(active).as_str() {
        "" => active.constraint.clone(),
        arguments => format!("{} ({arguments})", active.constraint),
    };
    format!("{name}{}", speaker(active))
}

/// ` by system`, ` by user, overruled by length.at_most by system`
fn speaker(active: &Active) -> String {
    active.standing().strip_prefix(&active.constraint).unwrap_or_default().to_owned()
}

/// The longest part of a rule that is shown, in columns.
const MAX_RULE_WIDTH: usize = 240;

fn of_criterion(criterion: &Criterion) -> String {
    let what = match &criterion.by {
        // A rule contains the values that the dialogue has drawn, which may be a complete game.
        DecidedBy::Rule(tree) => cut(&print(tree), MAX_RULE_WIDTH),
        DecidedBy::Judge(question) => question.text.clone(),
    };
    let points = criterion.points.map(|points| format!(" · worth {points}"));
    let points = points.or(criterion.weight.map(|weight| format!(" · weight {weight}")));
    let after =
        (!criterion.after.is_empty()).then(|| format!(" · after {}", criterion.after.join(", ")));
    format!("{what}{}{}", points.unwrap_or_default(), after.unwrap_or_default())
}

fn outcome_mark(outcome: Outcome) -> char {
    match outcome {
        Outcome::Held => '✓',
        Outcome::Missed | Outcome::Unextracted | Outcome::Blocked => '✗',
        Outcome::Unjudged => '?',
    }
}

impl ChatAnswer<'_> {
    /// `after feedback, round 2`, `sample 3`; nothing for the first response.
    fn label(&self) -> Option<String> {
        match (self.round, self.sample) {
            (0, 0) => None,
            (0, sample) => Some(format!("sample {}", sample + 1)),
            (round, _) => Some(format!("after feedback, round {round}")),
        }
    }

    /// `213 tokens, of them 40 reasoning · 1,204 in the request · 1.3 s · cut at the token limit`
    fn cost(&self) -> Vec<String> {
        let Usage { input, output, reasoning, cached, .. } = self.usage;
        let mut parts = Vec::new();
        if let Some(output) = output {
            let reasoning = reasoning.filter(|count| *count > 0);
            let reasoning = reasoning.map(|count| format!(", of them {count} reasoning"));
            parts.push(format!("{output} tokens{}", reasoning.unwrap_or_default()));
        }
        if let Some(input) = input {
            let cached = cached.filter(|count| *count > 0);
            let cached = cached.map(|count| format!(", of them {count} cached"));
            parts.push(format!("{input} in the request{}", cached.unwrap_or_default()));
        }
        parts.extend(self.latency_ms.map(milliseconds));
        match self.stop {
            Some(StopReason::Length) => parts.push("cut at the token limit".to_owned()),
            Some(StopReason::Filter) => parts.push("filtered by the endpoint".to_owned()),
            Some(StopReason::ContextLength) => {
                parts.push("beyond the context window".to_owned());
            }
            Some(StopReason::Missing) => parts.push("no stop reason".to_owned()),
            Some(StopReason::Other(why)) => parts.push(format!("stopped: {why}")),
            Some(StopReason::End) | None => {}
        }
        parts
    }

    /// The response in stretches: each with the numbers of the verdicts that blame it.
    fn stretches(&self) -> Vec<(&str, Vec<usize>)> {
        let numbered: Vec<(usize, &Range<usize>)> = self
            .blaming_verdicts()
            .into_iter()
            .zip(1..)
            .flat_map(|(verdict, number)| verdict.places.iter().map(move |place| (number, place)))
            .filter(|(_, place)| self.text.get(place.start..place.end).is_some())
            .collect();
        let mut ends: Vec<usize> =
            numbered.iter().flat_map(|(_, place)| [place.start, place.end]).collect();
        ends.extend([0, self.text.len()]);
        ends.sort_unstable();
        ends.dedup();
        let stretch = |pair: &[usize]| {
            let covers = |place: &Range<usize>| place.start <= pair[0] && pair[1] <= place.end;
            let by = numbered.iter().filter(|(_, place)| covers(place)).map(|(number, _)| *number);
            let mut by: Vec<usize> = by.collect();
            by.dedup();
            (&self.text[pair[0]..pair[1]], by)
        };
        ends.windows(2).map(stretch).collect()
    }

    /// The verdicts that blame a stretch of the response, in order: the numbers of its marks.
    fn blaming_verdicts(&self) -> Vec<&VerdictRecord> {
        self.verdicts.iter().filter(|verdict| !verdict.places.is_empty()).collect()
    }

    /// The number of a verdict's marks in the response.
    fn number(&self, verdict: &VerdictRecord) -> Option<usize> {
        self.blaming_verdicts().iter().position(|one| std::ptr::eq(*one, verdict)).map(|at| at + 1)
    }
}

/// The mark of a verdict and its word: for an observation, what the response showed.
fn mark(verdict: &VerdictRecord) -> (char, &'static str) {
    if verdict.overruled {
        return ('·', if verdict.outcome == Outcome::Held { "obeyed" } else { "not obeyed" });
    }
    match (verdict.is_observation(), verdict.outcome.observed()) {
        (false, _) => (outcome_mark(verdict.outcome), verdict.outcome.word()),
        (true, Some(true)) => ('·', "yes"),
        (true, Some(false)) => ('·', "no"),
        (true, None) => ('·', "not read"),
    }
}

/// The name by which verdicts are filtered: of a constraint, or of a criterion without its numbers.
fn filtered_by(verdict: &VerdictRecord) -> String {
    use ifs_draw::{CriterionKind, written_name};
    match verdict.kind {
        None => verdict.constraint.clone(),
        Some(CriterionKind::Requirement | CriterionKind::Relation | CriterionKind::Observation) => {
            written_name(&verdict.constraint).to_owned()
        }
        Some(kind @ (CriterionKind::Fact | CriterionKind::Void)) => kind.word().to_owned(),
    }
}

/// The reasons of a verdict: of the rule, of a blocked criterion itself, and of each judge. Where
/// judges voted, `why` repeats the votes that decided.
pub(super) fn reasons(verdict: &VerdictRecord) -> Vec<String> {
    let mut reasons: Vec<String> =
        verdict.why.iter().filter(|_| verdict.votes.is_empty()).cloned().collect();
    reasons.extend(verdict.itself.iter().map(|why| format!("also: {why}")));
    for vote in &verdict.votes {
        let value = match vote.value {
            VoteValue::Unreadable => "no vote could be read".to_owned(),
            VoteValue::Yes | VoteValue::No | VoteValue::Mark(_) => vote.answer(),
        };
        let again =
            if vote.repeat > 0 { format!(", repeat {}", vote.repeat + 1) } else { String::new() };
        let why = vote.why.as_deref().filter(|why| !why.is_empty());
        let why = why.map(|why| format!(": {why}")).unwrap_or_default();
        reasons.push(format!("{}{again}: {value}{why}", vote.judge));
    }
    reasons
}
