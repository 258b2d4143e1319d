//! Reports right answers that no message determines.
//!
//! If two dialogues have the same messages up to a turn but different right answers on it, no model
//! can know which one is right. Such dialogues are made by replacing one record by another; for a
//! game, also by exchanging the sides of its players, which changes no line that does not name a
//! team. If a dialogue shows what its answers are about, an expected name must occur in its
//! messages.

use std::collections::BTreeSet;

use super::{LazyTurns, Previewed, place, reported};
use crate::{Criterion, CriterionKind, ScriptTurn, Seed, ShownContent};
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_model::table::{Context, DecidedBy, TurnPart};
use ifs_plan::{DialoguePlan, Plan};
use ifs_predicate::tree::{Node, Quantifier, Tree};
use ifs_predicate::value::Value;

/// The number of records of a dialogue that are compared.
const MAX_RECORDS: usize = 6;

/// The number of dialogues of one record that are drawn, to see what the draws change.
const DRAWS_PER_RECORD: u64 = 8;

pub(super) fn check(previewed: &Previewed<'_>) -> Option<Diagnostic> {
    let (plan, dialogue) = (previewed.plan, previewed.dialogue);
    let (from, _) = dialogue.table.over.as_ref()?;
    if !judges(plan, dialogue) {
        return None;
    }
    let (keys, records) = plan.records(from)?;
    let records = keys.iter().zip(records).take(MAX_RECORDS);
    let mut all: Vec<LazyTurns<'_>> =
        records.map(|(key, record)| with_record(previewed, 0, (key, record))).collect();
    let context = dialogue.table.context;
    let (first, others) = all.split_first_mut()?;
    for other in others {
        if let Some(at) = first_difference(first, other, context) {
            let keys =
                [&*first, &*other].map(|turns| turns.drawn[0].over.clone().unwrap_or_default());
            let [one, other] = keys;
            return Some(
                Diagnostic::warning(
                    Code::UNSHOWN_ANSWER,
                    format!(
                        "with `{one}` and with `{other}` of `{from}` the messages up to this turn are the same, but the right answers differ"
                    ),
                )
                .label(place(plan, dialogue, &first.drawn[at].name), "no message says which is right")
                .help("show or ask what the right answer depends on, in `system`, `show` or `ask`"),
            );
        }
    }
    sides(previewed, &mut all).or_else(|| names(plan, dialogue, &mut all))
}

/// For a flow of topics: expected names that no message contains.
pub(super) fn of_topics(previewed: &Previewed<'_>) -> Option<Diagnostic> {
    let (plan, dialogue) = (previewed.plan, previewed.dialogue);
    // Only what turns expect is looked for in what was sent.
    if !judges(plan, dialogue) {
        return None;
    }
    let mut all: Vec<LazyTurns<'_>> =
        (0..DRAWS_PER_RECORD).map(|index| LazyTurns::new(previewed.script(index))).collect();
    names(plan, dialogue, &mut all)
}

/// Two dialogues with the same record, or without one, that have the same messages but are judged
/// on different values: no message contains the drawn value.
pub(super) fn drawn_values(previewed: &Previewed<'_>) -> Option<Diagnostic> {
    let (plan, dialogue) = (previewed.plan, previewed.dialogue);
    if !judges(plan, dialogue) {
        return None;
    }
    let drawn = |index| match &dialogue.table.over {
        None => Some(LazyTurns::new(previewed.script(index))),
        Some((from, _)) => {
            let (keys, records) = plan.records(from)?;
            Some(with_record(previewed, index, (keys.first()?, records.first()?)))
        }
    };
    let mut all: Vec<LazyTurns<'_>> = (0..DRAWS_PER_RECORD).map(drawn).collect::<Option<_>>()?;
    let count = all.len();
    let mut pairs = (0..count).flat_map(|one| (one + 1..count).map(move |other| (one, other)));
    let turn = pairs.find_map(|(one, other)| {
        let (before, from) = all.split_at_mut(other);
        let at = first_difference(&mut before[one], &mut from[0], dialogue.table.context)?;
        before[one].drawn.get(at).cloned()
    })?;
    Some(
        Diagnostic::warning(
            Code::UNSHOWN_ANSWER,
            format!(
                "two dialogues that are the same for a model up to turn {} are judged on different \
                 values",
                turn.turn
            ),
        )
        .label(place(plan, dialogue, &turn.name), "no message says which are right")
        .help("name the drawn value in `system`, `show`, `ask`, or the `say` of what requires it"),
    )
}

/// The turns of a dialogue with this record instead of its own, by key and value.
fn with_record<'d>(
    previewed: &'d Previewed<'_>,
    index: u64,
    (key, record): (&str, &Value),
) -> LazyTurns<'d> {
    let record = (key.to_owned(), record.clone());
    let drawer = previewed.drawer();
    LazyTurns::new(drawer.map(|it| it.script_with(Seed(1), index, record).take_both_sides()))
}

/// Whether a response is judged on something that depends on the record.
fn judges(plan: &Plan, dialogue: DialoguePlan<'_>) -> bool {
    fn depends_on_record(parts: &[TurnPart]) -> bool {
        parts.iter().any(|part| match part {
            TurnPart::Expect { .. } | TurnPart::Require { .. } | TurnPart::Answer(_) => true,
            TurnPart::For { body, .. } => depends_on_record(body),
            _ => false,
        })
    }
    dialogue.table.written_turns(&plan.model.flows).iter().any(|turn| depends_on_record(&turn.body))
}

/// The index of the first turn on which two dialogues with the same messages expect different
/// answers.
fn first_difference(
    one: &mut LazyTurns<'_>,
    other: &mut LazyTurns<'_>,
    context: Context,
) -> Option<usize> {
    for at in 0.. {
        if !one.has(at) || !other.has(at) {
            return None;
        }
        let sides = [&one.drawn, &other.drawn];
        let [sent, other_sent] = sides.map(|turns| {
            let before = at.checked_sub(1).map(|before| &turns[before]);
            (reported(&turns[at], before, context), &turns[at].parts)
        });
        if sent != other_sent {
            return None;
        }
        // If something else is judged, the golden answer is one of many.
        let [one, other] = sides.map(|turns| &turns[at]);
        let wanted = [expected(one), expected(other)];
        let written = wanted.iter().all(Vec::is_empty) && one.golden != other.golden;
        if written || wanted[0] != wanted[1] {
            return Some(at);
        }
    }
    None
}

/// The required content of a response.
fn expected(turn: &ScriptTurn) -> Vec<&Criterion> {
    let wanted =
        |it: &&Criterion| matches!(it.kind, CriterionKind::Fact | CriterionKind::Requirement);
    turn.criteria.iter().filter(wanted).collect()
}

/// A game whose players have changed sides.
fn sides(previewed: &Previewed<'_>, all: &mut [LazyTurns<'_>]) -> Option<Diagnostic> {
    let (plan, dialogue) = (previewed.plan, previewed.dialogue);
    let (from, name) = dialogue.table.over.as_ref()?;
    let feed = plan.feed(from)?;
    for (game, turns) in feed.games.iter().zip(all) {
        let Some(swapped) = game.with_sides_changed() else { continue };
        let mut other = with_record(previewed, 0, (&swapped.name, &swapped.value()));
        let Some(at) = first_difference(turns, &mut other, dialogue.table.context) else {
            continue;
        };
        let help = format!(
            "say who plays for whom, in `system` or in an `ask`: \
             `{{{{ {name}.away.name }}}}: {{{{ {name}.away.players | join(\", \") }}}}`, and the same \
             of `{name}.home`"
        );
        return Some(
            Diagnostic::warning(
                Code::UNSHOWN_ANSWER,
                format!(
                    "the right answer depends on which team a player of `{name}` plays for, and no \
                     message up to this turn says it"
                ),
            )
            .label(
                place(plan, dialogue, &turns.drawn[at].name),
                "if the players changed sides, the messages would be the same",
            )
            .help(help),
        );
    }
    None
}

/// Expected names of the record that occur in no message, if the dialogue shows what its answers
/// are about.
fn names(plan: &Plan, dialogue: DialoguePlan<'_>, all: &mut [LazyTurns<'_>]) -> Option<Diagnostic> {
    if !may_show_more(plan, dialogue) {
        return None;
    }
    let over = dialogue.table.over.as_ref().map(|(from, _)| from);
    let topics = dialogue.table.topic.as_ref();
    for turns in all {
        let turns = turns.all();
        let shows = |turn: &ScriptTurn| {
            turn.show
                .iter()
                .any(|it| matches!(it, ShownContent::Text(_) | ShownContent::Tool { .. }))
        };
        let pictures =
            |turn: &ScriptTurn| turn.show.iter().any(|it| matches!(it, ShownContent::Image(_)));
        // The contents of a picture are in no text.
        if !turns.iter().any(shows) || turns.iter().any(pictures) {
            continue;
        }
        let of_dialogue = over.zip(turns.first()?.over.as_ref()).and_then(|(from, key)| {
            Some((from, key, all_names_in(&plan.record_called(from, key)?)))
        });
        let (mut sent, mut before) = (String::new(), None);
        for turn in turns {
            for text in reported(turn, before, dialogue.table.context) {
                sent.push_str(&text);
                sent.push('\n');
            }
            let expected = required_texts(turn);
            let of_topic = topics.and_then(|from| {
                let record = plan.record(from, &turn.topic)?;
                Some((&from.bank, &turn.topic, all_names_in(record)))
            });
            for (from, key, known) in of_dialogue.iter().chain(&of_topic) {
                let missing = known.iter().find(|name| {
                    !mentions(&sent, name) && expected.iter().any(|text| mentions(text, name))
                });
                let Some(name) = missing else { continue };
                return Some(
                    Diagnostic::warning(
                        Code::UNSHOWN_ANSWER,
                        format!("`{name}` is expected here, and no message up to this turn has it"),
                    )
                    .label(place(plan, dialogue, &turn.name), format!("with `{key}` of `{from}`"))
                    .help("show it before the question, or expect something else"),
                );
            }
            before = Some(turn);
        }
    }
    None
}

/// Whether a turn may show something besides its user message.
fn may_show_more(plan: &Plan, dialogue: DialoguePlan<'_>) -> bool {
    fn any_shown(parts: &[TurnPart]) -> bool {
        parts.iter().any(|part| match part {
            TurnPart::Show(_) => true,
            TurnPart::For { body, .. } => any_shown(body),
            _ => false,
        })
    }
    let table = dialogue.table;
    table.written_turns(&plan.model.flows).iter().any(|turn| any_shown(&turn.body))
        || table.all_imposes(&plan.model.flows).any(|it| !it.by.is_user() || it.called.is_some())
}

/// The texts that a right answer must contain: the golden answer, the judge's criterion, and what
/// rules search for.
fn required_texts(turn: &ScriptTurn) -> Vec<String> {
    let mut texts: Vec<String> = turn.golden.iter().cloned().collect();
    for criterion in expected(turn).into_iter().filter(|it| it.kind == CriterionKind::Fact) {
        match &criterion.by {
            DecidedBy::Judge(question) => texts.push(question.text.clone()),
            DecidedBy::Rule(tree) => sought(tree, &mut texts),
        }
    }
    texts
}

/// The texts that a rule requires.
fn sought(tree: &Tree, texts: &mut Vec<String>) {
    match &tree.node {
        Node::Value(Value::Text(text)) => texts.push(text.to_string()),
        // One of several, or none.
        Node::Value(_) | Node::Or(_) | Node::Not(_) | Node::If(..) => {}
        Node::Quantified(quantified) if quantified.quantifier == Quantifier::No => {}
        _ => tree.children().into_iter().for_each(|child| sought(child, texts)),
    }
}

fn all_names_in(record: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    names_in(record, &mut names);
    names
}

/// The texts of a record that look like names: a few capitalized words, or a few characters of a
/// script without capitals.
fn names_in(value: &Value, names: &mut BTreeSet<String>) {
    /// The maximum number of names, since a record may be a game with thousands of plays.
    const MAX_NAMES: usize = 2_000;
    if names.len() >= MAX_NAMES {
        return;
    }
    match value {
        Value::List(members) => members.iter().for_each(|member| names_in(member, names)),
        Value::Record(fields) => fields.iter().for_each(|(_, value)| names_in(value, names)),
        Value::Text(text) if reads_like_a_name(text) => {
            names.insert(text.to_string());
        }
        _ => {}
    }
}

fn reads_like_a_name(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    let capital = |word: &&str| {
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_uppercase)
            && letters.all(|c| c.is_alphabetic() || matches!(c, '\'' | '-' | '.' | '’'))
            && word.chars().count() > 1
    };
    // A single word may be the beginning of a sentence: `Goal`.
    (2..=4).contains(&words.len()) && words.iter().all(capital)
}

/// Whether a text contains a name, and not as part of a longer word.
fn mentions(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, found)| {
        !text[..at].ends_with(char::is_alphanumeric)
            && !text[at + found.len()..].starts_with(char::is_alphanumeric)
    })
}
