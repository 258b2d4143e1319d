//! Changes between two definitions that drawn dialogues confirm.
//!
//! [`ifs_plan::changes`] classifies what the texts of two definitions say. Here both are drawn: where
//! the dialogues differ in more than the class of the changes allows, that is a change of its own.

use ifs_base::work;
use serde::Serialize;

use super::{
    Active, Criterion, DrawError, Drawer, PartCriterion, ScriptTurn, Seed, ShownContent, ShownImage,
};
use ifs_model::table::{Context, DecidedBy, Move, Question, Speaker};
use ifs_plan::Plan;
use ifs_plan::changes::{ChangeKind, Changes, Class, DefinitionChange, between};
use ifs_predicate::print::print;
use ifs_predicate::value::Value;

/// The number of dialogues that a comparison draws, if its caller has no other number.
pub const COMPARED_DIALOGUES: u64 = 20;

/// The number of turns of a dialogue that are compared.
const COMPARED_TURNS: usize = 50;

/// The steps of drawing both sides, for the default number of dialogues: some seconds.
const COMPARED_STEPS: u64 = 20_000_000;

/// How many drawn dialogues have the same messages on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MessageCounts {
    pub dialogue: String,
    pub drawn: u64,
    pub same: u64,
}

/// The changes from one definition to another, and how many drawn dialogues have the same messages.
/// Drawing has a limit of steps; a change reports dialogues that it does not suffice for.
///
/// # Errors
/// A dialogue cannot be drawn at all.
pub fn compare_drawn(
    old: &Plan,
    new: &Plan,
    dialogues: u64,
) -> Result<(Changes, Vec<MessageCounts>), DrawError> {
    let limit = COMPARED_STEPS.saturating_mul(dialogues.div_ceil(COMPARED_DIALOGUES));
    work::within(limit, || compare_sides(old, new, dialogues)).0
}

fn compare_sides(
    old: &Plan,
    new: &Plan,
    dialogues: u64,
) -> Result<(Changes, Vec<MessageCounts>), DrawError> {
    let mut changes = between(old, new);
    let mut counts = Vec::new();
    let mut unestablished = Unestablished::default();
    for table in &new.model.dialogues {
        let Some(before) = old.dialogue(&table.name) else { continue };
        let (drawn, count) = compare_dialogue((old, new), &table.name, dialogues)?;
        counts.push(count);
        if unestablished.add(&table.name, &drawn) {
            continue;
        }
        add_unexplained(&table.name, None, drawn, &mut changes);
        for (variant, _) in &table.variants {
            if !before.table.variants.iter().any(|(name, _)| name == variant) {
                continue;
            }
            let varied = |plan: &Plan| plan.clone().varied(&table.name, variant);
            let (Some(old), Some(new)) = (varied(old), varied(new)) else { continue };
            // A variant differs from its dialogue in a few statements.
            let (drawn, _) = compare_dialogue((&old, &new), &table.name, dialogues.div_ceil(4))?;
            if unestablished.add(&table.name, &drawn) {
                break;
            }
            add_unexplained(&table.name, Some(variant), drawn, &mut changes);
        }
    }
    unestablished.add_to(&mut changes);
    changes.sort();
    Ok((changes, counts))
}

/// The dialogues whose comparison took too much work.
#[derive(Default)]
struct Unestablished {
    dialogues: Vec<String>,
    /// The first dialogue whose drawing was ended.
    first: Option<String>,
}

impl Unestablished {
    /// Adds a dialogue if its drawing was ended, and returns whether it was.
    fn add(&mut self, dialogue: &str, drawn: &DrawnDifferences) -> bool {
        let Some(error) = &drawn.too_much_work else { return false };
        self.dialogues.push(dialogue.to_owned());
        self.first.get_or_insert_with(|| format!("dialogue {dialogue}, {error}"));
        true
    }

    /// One change for all of them that are affected by others.
    fn add_to(self, changes: &mut Changes) {
        let is_changed = |name: &String| !changes.of_dialogue(name).is_empty();
        let dialogues: Vec<String> = self.dialogues.into_iter().filter(is_changed).collect();
        let noun = match dialogues.len() {
            0 => return,
            1 => "dialogue",
            _ => "dialogues",
        };
        changes.changes.push(DefinitionChange {
            class: Class::NotComparable,
            aspect: ChangeKind::Data,
            subject: format!("{noun} {}", dialogues.join(", ")),
            place: "drawn dialogues".to_owned(),
            before: None,
            after: self.first,
            reason: "nothing is established of dialogues that take too much work to draw"
                .to_owned(),
            dialogues,
        });
    }
}

/// The first differences between the drawn dialogues of two sides.
#[derive(Default)]
struct DrawnDifferences {
    message: Option<(String, String)>,
    requirement: Option<(String, String)>,
    /// The first dialogue that cannot be drawn on one side.
    undrawn: Option<String>,
    /// The dialogue with which the work of drawing was ended.
    too_much_work: Option<String>,
}

fn compare_dialogue(
    (old, new): (&Plan, &Plan),
    name: &str,
    dialogues: u64,
) -> Result<(DrawnDifferences, MessageCounts), DrawError> {
    let (old, new) = (Drawer::new(old, name)?, Drawer::new(new, name)?);
    let mut found = DrawnDifferences::default();
    let mut count = MessageCounts { dialogue: name.to_owned(), drawn: 0, same: 0 };
    for index in 0..dialogues {
        let sides = draw(&old, index).and_then(|old| Ok((old, draw(&new, index)?)));
        let (old, new) = match sides {
            Ok(sides) => sides,
            // Every further dialogue could take as much.
            Err(error) if matches!(error.cause(), DrawError::TooMuchWork { .. }) => {
                found.too_much_work = Some(format!("number {}: {error}", index + 1));
                break;
            }
            // A version that cannot be drawn can still be compared.
            Err(error) => {
                found.undrawn.get_or_insert_with(|| format!("dialogue {}: {error}", index + 1));
                continue;
            }
        };
        count.drawn += 1;
        let message = first_difference(&old, &new, |turn| &turn.messages, shown_messages);
        count.same += u64::from(message.is_none());
        found.message = found.message.take().or(message);
        if found.requirement.is_none() {
            found.requirement =
                first_difference(&old, &new, |turn| &turn.requirements, shown_requirements);
        }
    }
    Ok((found, count))
}

/// A change for each difference that no listed change of the dialogue allows.
fn add_unexplained(
    dialogue: &str,
    variant: Option<&str>,
    drawn: DrawnDifferences,
    changes: &mut Changes,
) {
    let listed = changes.of_dialogue(dialogue);
    let class = listed.class();
    if class == Class::NotComparable {
        return;
    }
    let subject = match variant {
        None => format!("dialogue {dialogue}"),
        Some(variant) => format!("dialogue {dialogue}, variant {variant}"),
    };
    let mut add = |aspect, place: &str, reason: &str, sides: (Option<String>, Option<String>)| {
        changes.changes.push(DefinitionChange {
            class: Class::NotComparable,
            aspect,
            subject: subject.clone(),
            place: place.to_owned(),
            before: sides.0,
            after: sides.1,
            reason: reason.to_owned(),
            dialogues: vec![dialogue.to_owned()],
        });
    };
    // Draws are keyed by names and by the places of records: with others, other dialogues of the
    // same distribution are drawn.
    let is_redrawn = listed.changes.iter().any(|change| {
        change.aspect == ChangeKind::Renamed
            || change.class == Class::WithCare
                && change.aspect == ChangeKind::Records
                && !change.place.ends_with(" changed")
    });
    if let (Some((old, new)), Class::Comparable) = (drawn.message, class) {
        let reason = "drawn dialogues have other messages, which no change of it explains";
        add(ChangeKind::Data, "drawn messages", reason, (Some(old), Some(new)));
    } else if let (Some((old, new)), false) = (drawn.requirement, is_redrawn) {
        let reason = "drawn dialogues have other requirements or expected answers";
        add(ChangeKind::Data, "drawn requirements", reason, (Some(old), Some(new)));
    }
    if let (Some(dialogue), false) = (drawn.undrawn, listed.is_empty()) {
        let reason = "nothing is established of dialogues that cannot be drawn";
        add(ChangeKind::Data, "drawn dialogues", reason, (None, Some(dialogue)));
    }
}

/// What a turn sends, and what its response is judged by.
struct TurnContent {
    messages: SentMessages,
    requirements: TurnRequirements,
}

/// The messages to a model, and the response that replaces its own in the history.
#[derive(PartialEq)]
struct SentMessages {
    system: Option<String>,
    show: Vec<ShownContent>,
    ask: String,
    reminder: Option<String>,
    history: Option<String>,
}

#[derive(PartialEq)]
struct TurnRequirements {
    name: String,
    transition: Move,
    over: Option<String>,
    topic: String,
    active: Vec<ComparedConstraint>,
    criteria: Vec<Criterion>,
    parts: Vec<PartCriterion>,
    golden: Option<String>,
    most_rounds: Option<u32>,
}

/// A constraint, its arguments, who says it, and what overrules it.
type ComparedConstraint = (String, Vec<(String, Value)>, Speaker, Option<String>);

fn draw(drawer: &Drawer<'_>, index: u64) -> Result<Vec<TurnContent>, DrawError> {
    let is_golden = drawer.dialogue().table.context == Context::Golden;
    let turns = drawer.script(Seed(1), index).take_both_sides().take(COMPARED_TURNS);
    turns
        .map(|turn| {
            let turn: ScriptTurn = turn?;
            let history = turn.given.or_else(|| turn.golden.clone().filter(|_| is_golden));
            // The name of a picture's file is not sent.
            let show = turn.show.into_iter().map(|shown| match shown {
                ShownContent::Image(ShownImage::File { hash, .. }) => {
                    ShownContent::Image(ShownImage::File { name: String::new(), hash })
                }
                shown => shown,
            });
            let messages = SentMessages {
                system: turn.system,
                show: show.collect(),
                ask: turn.ask,
                reminder: turn.reminder,
                history,
            };
            let active = turn.active_constraints.iter().map(|active| {
                let Active { constraint, args, speaker, overruled, .. } = &**active;
                (constraint.clone(), args.clone(), *speaker, overruled.clone())
            });
            // Sentences are messages, and tags group scores.
            let criteria = turn.criteria.into_iter().map(|criterion| Criterion {
                says: None,
                tags: Vec::new(),
                ..criterion
            });
            let requirements = TurnRequirements {
                name: turn.name,
                transition: turn.transition,
                over: turn.over,
                topic: turn.topic,
                active: active.collect(),
                criteria: criteria.collect(),
                parts: turn.parts,
                golden: turn.golden,
                most_rounds: turn.most_rounds,
            };
            Ok(TurnContent { messages, requirements })
        })
        .collect()
}

/// The first turn that differs, as text of both sides.
fn first_difference<T: PartialEq>(
    old: &[TurnContent],
    new: &[TurnContent],
    compared: impl Fn(&TurnContent) -> &T,
    shown: impl Fn(&T) -> String,
) -> Option<(String, String)> {
    let differs = |place: &usize| old.get(*place).map(&compared) != new.get(*place).map(&compared);
    let place = (0..old.len().max(new.len())).find(differs)?;
    let side = |turns: &[TurnContent]| match turns.get(place) {
        None => format!("no turn {}", place + 1),
        Some(turn) => format!("turn {}: {}", place + 1, shown(compared(turn))),
    };
    Some((side(old), side(new)))
}

fn shown_messages(sent: &SentMessages) -> String {
    let SentMessages { system, show, ask, reminder, history } = sent;
    let shown = show.iter().map(|shown| match shown {
        ShownContent::Text(text) | ShownContent::Tool { text, .. } => text.clone(),
        ShownContent::Image(ShownImage::Address(address)) => address.clone(),
        ShownContent::Image(ShownImage::File { hash, .. } | ShownImage::Drawn { hash, .. }) => {
            format!("picture {hash}")
        }
    });
    let texts = system.iter().cloned().chain(shown).chain([ask.clone()]);
    let texts = texts.chain(reminder.iter().chain(history).cloned());
    texts.collect::<Vec<_>>().join(" | ")
}

fn shown_requirements(requirements: &TurnRequirements) -> String {
    let TurnRequirements { name, transition, over, topic, active, criteria, .. } = requirements;
    let mut words = vec![format!("{transition:?}").to_lowercase()];
    words.extend(over.iter().chain([name, topic]).filter(|name| !name.is_empty()).cloned());
    words.extend(active.iter().map(|(constraint, args, ..)| {
        let args = args.iter().map(|(name, value)| {
            format!("{name}: {}", serde_json::to_string(value).unwrap_or_default())
        });
        format!("{constraint}({})", args.collect::<Vec<_>>().join(", "))
    }));
    words.extend(criteria.iter().map(|criterion| {
        let by = match &criterion.by {
            DecidedBy::Rule(tree) => print(tree),
            DecidedBy::Judge(Question { text, .. }) => text.clone(),
        };
        format!("{} {by}", criterion.name)
    }));
    words.extend(requirements.golden.iter().map(|golden| format!("answer {golden:?}")));
    words.join(", ")
}
