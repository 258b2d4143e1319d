//! The responses of simulated models that play what an audit tries.

use std::collections::BTreeSet;

use super::base::BaseAnswer;
use super::checks::{checks, kind_judge};
use super::course::Courses;
use super::materials::{other_answer, rosters, spoken};
use super::survey::{DialogueSurvey, Options, TurnExaminer};
use ifs_draw::{CriterionKind, ScriptTurn};
use ifs_forms::{BaseText, Bluff, BluffMaterials, Form, salad};
use ifs_score::Outcome;

/// What a simulated model does with a right answer.
#[derive(Clone)]
pub enum Habit {
    /// Writes it in these forms, where no check of the turn is about one.
    Forms(Vec<&'static Form>),
    /// Gives an answer that knows nothing in its place.
    Ignorant(&'static Bluff),
}

/// A response.
pub struct Played {
    pub text: String,
    /// Whether it is the right answer, in whatever form.
    pub right: bool,
}

/// The response of a model with a habit. `None` for a turn without a right answer.
pub fn played(
    courses: &Courses<'_>,
    index: u64,
    turn: &ScriptTurn,
    replies: &[String],
    habit: &Habit,
) -> Option<Played> {
    let base = courses.bases().right(courses.plan, courses.dialogue, turn, replies)?;
    match habit {
        Habit::Forms(forms) => {
            Some(Played { text: in_forms(courses, turn, replies, base, forms), right: true })
        }
        Habit::Ignorant(answer) => ignorant(courses, index, turn, &base, answer),
    }
}

/// The right answer in forms, each where it is about no check of the turn.
fn in_forms(
    courses: &Courses<'_>,
    turn: &ScriptTurn,
    replies: &[String],
    base: BaseAnswer,
    forms: &[&'static Form],
) -> String {
    let checks = checks(courses.plan, courses.dialogue, turn, replies);
    let votes = kind_judge(turn, courses.plan);
    let rosters = rosters(turn, &base);
    let options = Options::default();
    let survey = DialogueSurvey { courses, options: &options };
    let mut examiner = TurnExaminer::new(&survey, turn, replies, &checks, &votes);
    let right = examiner.verdicts(&base.text);
    let held: BTreeSet<&String> = right
        .iter()
        .filter(|(_, verdict)| verdict.outcome == Outcome::Held)
        .map(|(key, _)| key)
        .filter(|key| checks.contains_key(*key))
        .collect();
    let mut text = base.text;
    for form in forms {
        let tongue = spoken(turn, &text);
        let current = BaseText { text: &text, tongue, rosters: &rosters };
        let Some(found) = examiner.form(form, &current, &held) else { continue };
        if found.no_wording || found.applied.len() < held.len() {
            continue;
        }
        if let Some(framed) = form.applied(&current, found.attempt) {
            text = framed;
        }
    }
    text
}

fn ignorant(
    courses: &Courses<'_>,
    index: u64,
    turn: &ScriptTurn,
    base: &BaseAnswer,
    answer: &Bluff,
) -> Option<Played> {
    let has_fact = turn.criteria.iter().any(|one| one.kind == CriterionKind::Fact);
    if answer.of_facts && !has_fact {
        return Some(Played { text: base.text.clone(), right: true });
    }
    let position = courses.position_of(index, turn);
    let other = position.and_then(|position| other_answer(courses, index, position));
    let rosters = rosters(turn, base);
    let materials = BluffMaterials {
        base: BaseText { text: &base.text, tongue: spoken(turn, &base.text), rosters: &rosters },
        message: &turn.ask,
        other: other.as_deref(),
        constant: None,
        pool: &[],
    };
    let text = (answer.make)(&materials);
    // Without another record, its words are others at least.
    Some(Played { text: text.unwrap_or_else(|| salad(&base.text)), right: false })
}
