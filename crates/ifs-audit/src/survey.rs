//! The survey of a dialogue: the forms and the answers that know nothing, turn by turn.

use std::collections::{BTreeMap, BTreeSet};

use super::audit::{Audit, AuditSummary};
use super::base::{BaseAnswer, BaseSource, Bases};
use super::checks::{TurnCheck, checks, is_judged, kind_judge};
use super::course::{Course, Courses};
use super::declared::tolerance;
use super::examples::examples;
use super::limits::GivenLimits;
use super::materials::{
    asks_by_observation, demands_values, expected, has_fact, other_answer, rosters, says_the_same,
    spoken,
};
use super::received;
use super::tally::Tally;
use ifs_base::parallel;
use ifs_draw::{CriterionKind, DrawError, ScriptTurn, Seed};
use ifs_forms::{ANSWERS, BaseText, Bluff, BluffMaterials, CheckSubject, Form, forms};
use ifs_judge::{
    AggregatedVote, Exchange, Note, VerdictRecord, evaluate_constraints, evaluate_outcomes,
};
use ifs_model::table::Test;
use ifs_plan::Plan;
use ifs_score::Outcome;

/// How much is drawn.
#[derive(Clone, Copy, Debug)]
pub struct SampleSize {
    /// The most dialogues.
    pub dialogues: u64,
    /// The most turns of each dialogue of the scenario, over all that are drawn.
    pub turns: usize,
    pub seed: Seed,
}

/// Recorded responses, by dialogue, index and turn.
pub type Recorded = BTreeMap<(String, u64, u32), Vec<String>>;

/// What is tried.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The names of the forms; all if absent.
    pub forms: Option<BTreeSet<String>>,
    /// The names of the answers that know nothing; all if absent.
    pub answers: Option<BTreeSet<String>>,
    pub recorded: Recorded,
    /// The tests of constraints, whose responses are tried too.
    pub tests: Vec<Test>,
    pub limits: GivenLimits,
    /// The most examples of each kind.
    pub examples: usize,
}

/// Examines the dialogues of a scenario with these names.
///
/// # Errors
/// Returns an error if a dialogue cannot be drawn.
pub fn survey(
    plan: &Plan,
    dialogues: &[&str],
    sample: SampleSize,
    options: &Options,
) -> Result<Audit, DrawError> {
    let mut tally = Tally::new(plan, options, sample.seed);
    let bases = Bases::default();
    for dialogue in dialogues {
        let courses = Courses::new(plan, dialogue, sample.seed, &bases);
        let survey = DialogueSurvey { courses: &courses, options };
        let drawn = survey.draw(sample)?;
        tally.add_dialogue(&drawn.courses, drawn.left_out);
        let turns = &drawn.turns;
        let constants = survey.constants(&drawn);
        let work = |turn: &Place| survey.examine(&drawn, *turn, &constants);
        let results = examined(turns, work);
        for (place, result) in turns.iter().zip(results) {
            tally.add(&survey, &drawn.courses[place.course], place.position, result);
        }
    }
    let first = dialogues.first().copied().unwrap_or("");
    let examples = examples(plan, first, &options.tests, &tally.constraints(), options);
    tally.add_examples(first, examples);
    Ok(tally.finish())
}

/// The audit of one dialogue in short, on a small sample.
///
/// # Errors
/// Returns an error if the dialogue cannot be drawn.
pub fn summary(plan: &Plan, dialogue: &str, seed: Seed) -> Result<AuditSummary, DrawError> {
    let sample = SampleSize { dialogues: 20, turns: SUMMARY_TURNS, seed };
    survey(plan, &[dialogue], sample, &Options::default()).map(|audit| audit.summary())
}

/// The most turns of a summary.
const SUMMARY_TURNS: usize = 100;

/// The checks of a turn times the bytes of its right answer, on the average of a sample. Ten checks of
/// 500 bytes are a tenth of it; each turn is evaluated in some 40 forms.
const EFFORT_PER_TURN: usize = 50_000;

/// Each turn on one of several threads, in order.
fn examined<R: Send>(turns: &[Place], work: impl Fn(&Place) -> R + Sync) -> Vec<R> {
    let mut batches = turns.chunks(4);
    let mut results: Vec<R> = Vec::with_capacity(turns.len());
    let done = parallel::in_order(
        parallel::workers().min(turns.len().div_ceil(4)),
        || Ok::<_, std::io::Error>(batches.next()),
        |batch| batch.iter().map(&work).collect::<Vec<R>>(),
        |batch| {
            results.extend(batch);
            Ok(())
        },
    );
    match done {
        Ok(()) => results,
        // No thread could be started: this one does it.
        Err(_) => turns.iter().map(work).collect(),
    }
}

/// A turn of a drawn dialogue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub course: usize,
    pub position: usize,
}

/// Turns that are not examined.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LeftOutTurns {
    pub without_rule: u64,
    /// Those without a text that satisfies the rules.
    pub without_base: u64,
    /// Those beyond the effort of the sample.
    pub too_large: u64,
}

/// The dialogues of a sample, and the turns to examine.
pub(crate) struct Drawn {
    pub courses: Vec<Course>,
    /// Those with a rule and a right answer, each once.
    pub turns: Vec<Place>,
    pub left_out: LeftOutTurns,
    /// Right answers by kind of turn.
    pools: BTreeMap<String, Vec<String>>,
}

/// The verdicts on a text by their keys.
pub(crate) type Verdicts = BTreeMap<String, VerdictRecord>;

pub(crate) struct DialogueSurvey<'a, 'p> {
    pub courses: &'a Courses<'p>,
    pub options: &'a Options,
}

/// What was found on a turn.
pub(crate) struct TurnResult {
    pub checks: BTreeMap<String, TurnCheck>,
    pub base: Verdicts,
    pub forms: Vec<FormResult>,
    pub answers: Vec<AnswerResult>,
    /// The missed verdicts on wrong answers, by check.
    pub missed: BTreeMap<String, u64>,
    pub evaded: Vec<Evaded>,
    pub judged: u64,
    pub has_content: bool,
    pub texts: u64,
}

/// What a form did.
pub(crate) struct FormResult {
    pub form: &'static Form,
    /// The wording that was used.
    pub attempt: usize,
    /// The keys of the checks to which it applies.
    pub applied: Vec<String>,
    /// The keys of verdicts that it changes, and of those that became undecided.
    pub changed: Vec<String>,
    pub undecided: Vec<String>,
    pub no_wording: bool,
}

/// What an answer that knows nothing gets.
pub(crate) struct AnswerResult {
    pub answer: &'static Bluff,
    pub text: String,
    /// Whether it was right by chance.
    pub dropped: bool,
    pub points: f64,
    pub all_held: bool,
    pub rules_held: bool,
    /// The keys of what holds.
    pub held: Vec<String>,
}

/// A wrong answer that holds in another form.
pub(crate) struct Evaded {
    pub form: &'static Form,
    pub key: String,
    pub base: String,
    pub text: String,
}

impl DialogueSurvey<'_, '_> {
    fn draw(&self, sample: SampleSize) -> Result<Drawn, DrawError> {
        let courses = self.courses;
        let dialogues = courses.period()?.map_or(sample.dialogues, |all| all.min(sample.dialogues));
        let mut drawn = Drawn {
            courses: Vec::new(),
            turns: Vec::new(),
            left_out: LeftOutTurns::default(),
            pools: BTreeMap::new(),
        };
        let mut seen = BTreeSet::new();
        let mut effort = sample.turns.saturating_mul(EFFORT_PER_TURN);
        let mut count = 0;
        for index in 0..dialogues {
            if count >= sample.turns {
                break;
            }
            let recorded =
                |turn: &ScriptTurn, replies: &[String]| self.recorded(index, turn, replies);
            let course = courses.course(index, sample.turns - count, &recorded)?;
            for (position, turn) in course.turns.iter().enumerate() {
                if turn.given.is_some() {
                    continue;
                }
                count += 1;
                let rules =
                    checks(courses.plan, courses.dialogue, turn, &course.replies[..position]);
                let Some(base) = &course.bases[position] else {
                    match rules.is_empty() {
                        true => drawn.left_out.without_rule += 1,
                        false => drawn.left_out.without_base += 1,
                    }
                    continue;
                };
                if rules.is_empty() {
                    drawn.left_out.without_rule += 1;
                    continue;
                }
                let pool = drawn.pools.entry(kind_of(turn)).or_default();
                if !pool.contains(&base.text) && pool.len() < MAX_POOL {
                    pool.push(base.text.clone());
                }
                if seen.insert(signature(turn, base)) {
                    let size = rules.len() * base.text.len();
                    if size > effort {
                        drawn.left_out.too_large += 1;
                        continue;
                    }
                    effort -= size;
                    drawn.turns.push(Place { course: drawn.courses.len(), position });
                }
            }
            drawn.courses.push(course);
        }
        Ok(drawn)
    }

    /// A recorded response on which everything holds that a rule decides.
    fn recorded(&self, index: u64, turn: &ScriptTurn, replies: &[String]) -> Option<BaseAnswer> {
        let key = (self.courses.dialogue.to_owned(), index, turn.turn);
        let texts = self.options.recorded.get(&key)?;
        let votes = kind_judge(turn, self.courses.plan);
        let holds = |text: &&String| {
            let verdicts = self.verdicts(turn, replies, text, &votes);
            !verdicts.is_empty()
                && verdicts.values().all(|verdict| {
                    verdict.outcome == Outcome::Held
                        || verdict.is_observation()
                        || !verdict.counts()
                })
        };
        let text = texts.iter().find(holds)?;
        Some(BaseAnswer::new(received(text).to_owned(), BaseSource::Recorded))
    }

    /// The verdicts on a text, without reasons.
    pub(crate) fn verdicts(
        &self,
        turn: &ScriptTurn,
        replies: &[String],
        text: &str,
        votes: &[AggregatedVote],
    ) -> Verdicts {
        let note = Note::default();
        let exchange = Exchange {
            dialogue: self.courses.dialogue,
            turn,
            answer: received(text),
            note: Some(&note),
            replies,
            extracted: &[],
        };
        let verdicts = evaluate_outcomes(self.courses.plan, &exchange, votes);
        verdicts.into_iter().map(|verdict| (verdict.key(), verdict)).collect()
    }

    /// Why a check is missed on a text.
    pub(crate) fn reason(
        &self,
        turn: &ScriptTurn,
        replies: &[String],
        text: &str,
        key: &str,
    ) -> Option<String> {
        let note = Note::default();
        let exchange = Exchange {
            dialogue: self.courses.dialogue,
            turn,
            answer: received(text),
            note: Some(&note),
            replies,
            extracted: &[],
        };
        let votes = kind_judge(turn, self.courses.plan);
        let verdicts = evaluate_constraints(self.courses.plan, &exchange, &votes);
        verdicts.into_iter().find(|verdict| verdict.key() == key)?.why
    }

    /// The one text that passes most turns of each kind, if their right answers differ.
    fn constants(&self, drawn: &Drawn) -> BTreeMap<String, String> {
        let mut kinds: BTreeMap<String, Vec<Place>> = BTreeMap::new();
        for place in &drawn.turns {
            let turn = &drawn.courses[place.course].turns[place.position];
            kinds.entry(kind_of(turn)).or_default().push(*place);
        }
        let wanted = self.options.answers.as_ref().is_none_or(|names| names.contains("constant"));
        let kinds = kinds
            .into_iter()
            .filter(|(kind, _)| wanted && drawn.pools.get(kind).is_some_and(|pool| pool.len() > 1));
        let best = kinds.filter_map(|(kind, places)| {
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            for place in &places {
                let base = drawn.courses[place.course].bases[place.position].as_ref()?;
                *counts.entry(&base.text).or_default() += 1;
            }
            let mut texts: Vec<(&str, usize)> = counts.into_iter().collect();
            texts.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
            texts.truncate(MAX_CONSTANTS);
            let tried = parallel_counts(&texts, |text| {
                let passes = places.iter().filter(|place| self.passes(drawn, **place, text));
                passes.count()
            });
            let best = tried
                .into_iter()
                .zip(&texts)
                .max_by(|one, other| one.0.cmp(&other.0).then(other.1.0.cmp(one.1.0)))?;
            Some((kind, best.1.0.to_owned()))
        });
        best.collect()
    }

    fn passes(&self, drawn: &Drawn, place: Place, text: &str) -> bool {
        let course = &drawn.courses[place.course];
        let turn = &course.turns[place.position];
        let votes = kind_judge(turn, self.courses.plan);
        let verdicts = self.verdicts(turn, &course.replies[..place.position], text, &votes);
        let observed = asks_by_observation(turn);
        let counts = |verdict: &&VerdictRecord| observed || verdict.counts();
        verdicts.values().filter(counts).all(is_held)
    }

    /// Everything about one turn.
    fn examine(
        &self,
        drawn: &Drawn,
        place: Place,
        constants: &BTreeMap<String, String>,
    ) -> TurnResult {
        let course = &drawn.courses[place.course];
        let turn = &course.turns[place.position];
        let replies = &course.replies[..place.position];
        let plan = self.courses.plan;
        let checks = checks(plan, self.courses.dialogue, turn, replies);
        let votes = kind_judge(turn, plan);
        // `draw` leaves out turns without a right answer.
        let nothing = BaseAnswer::new(String::new(), BaseSource::Witness);
        let base = course.bases[place.position].as_ref().unwrap_or(&nothing);
        let rosters = rosters(turn, base);
        let tongue = spoken(turn, &base.text);
        let mut examiner = TurnExaminer::new(self, turn, replies, &checks, &votes);
        let form_base = BaseText { text: &base.text, tongue, rosters: &rosters };
        let right = examiner.verdicts(&base.text);
        let audited = |key: &String| {
            checks
                .get(key)
                .is_some_and(|check| !(check.unread && base.source == BaseSource::Golden))
        };
        let held: BTreeSet<&String> = right
            .iter()
            .filter(|(key, verdict)| audited(key) && is_held(verdict))
            .map(|(key, _)| key)
            .collect();
        let forms: Vec<FormResult> =
            self.forms().filter_map(|form| examiner.form(form, &form_base, &held)).collect();
        let kind = kind_of(turn);
        let materials = BluffMaterials {
            base: form_base,
            message: &turn.ask,
            other: None,
            constant: constants.get(&kind).map(String::as_str),
            pool: drawn.pools.get(&kind).map_or(&[], Vec::as_slice),
        };
        let other = other_answer(self.courses, course.index, place.position);
        let materials = BluffMaterials { other: other.as_deref(), ..materials };
        let answers = examiner.answers(&materials, base);
        let mut wrong = self.courses.bases().wrong(plan, self.courses.dialogue, turn, replies);
        if has_fact(turn)
            && let Some(swapped) =
                answer_named("swapped").and_then(|answer| (answer.make)(&materials))
        {
            wrong.push(swapped);
        }
        let (missed, evaded) = examiner.evasions(&wrong, tongue, &rosters);
        let judged = right.values().filter(|verdict| is_judged(verdict)).count() as u64;
        let has_content = asks_by_observation(turn)
            || turn.criteria.iter().any(|criterion| match criterion.kind {
                CriterionKind::Fact | CriterionKind::Requirement | CriterionKind::Relation => true,
                CriterionKind::Void | CriterionKind::Observation => false,
            });
        let texts = examiner.texts;
        drop(held);
        TurnResult {
            checks,
            base: right,
            forms,
            answers,
            missed,
            evaded,
            judged,
            has_content,
            texts,
        }
    }

    fn forms(&self) -> impl Iterator<Item = &'static Form> {
        let names = &self.options.forms;
        forms().filter(move |form| names.as_ref().is_none_or(|names| names.contains(form.name)))
    }
}

/// Evaluates texts on one turn.
pub(crate) struct TurnExaminer<'a, 'p> {
    survey: &'a DialogueSurvey<'a, 'p>,
    turn: &'a ScriptTurn,
    replies: &'a [String],
    checks: &'a BTreeMap<String, TurnCheck>,
    votes: &'a [AggregatedVote],
    texts: u64,
}

impl<'a, 'p> TurnExaminer<'a, 'p> {
    pub(crate) fn new(
        survey: &'a DialogueSurvey<'a, 'p>,
        turn: &'a ScriptTurn,
        replies: &'a [String],
        checks: &'a BTreeMap<String, TurnCheck>,
        votes: &'a [AggregatedVote],
    ) -> TurnExaminer<'a, 'p> {
        TurnExaminer { survey, turn, replies, checks, votes, texts: 0 }
    }

    pub(crate) fn verdicts(&mut self, text: &str) -> Verdicts {
        self.texts += 1;
        self.survey.verdicts(self.turn, self.replies, text, self.votes)
    }

    /// Whether a form must not matter to a check.
    fn applies(&self, form: &Form, key: &str) -> bool {
        let Some(check) = self.checks.get(key) else { return false };
        let courses = self.survey.courses;
        applies(courses.plan, courses.dialogue, self.turn, form, check)
    }

    /// What a form does to the checks that hold.
    pub(crate) fn form(
        &mut self,
        form: &'static Form,
        base: &BaseText<'_>,
        held: &BTreeSet<&String>,
    ) -> Option<FormResult> {
        let keys: Vec<&String> =
            held.iter().copied().filter(|key| self.applies(form, key)).collect();
        let mut result = FormResult {
            form,
            attempt: 0,
            applied: keys.iter().map(|key| (*key).clone()).collect(),
            changed: Vec::new(),
            undecided: Vec::new(),
            no_wording: false,
        };
        for attempt in 0..form.wordings() {
            let Some(text) = form.applied(base, attempt) else { continue };
            if keys.is_empty() {
                return Some(result);
            }
            let verdicts = self.verdicts(&text);
            let flipped = |wanted: fn(&VerdictRecord) -> bool| -> Vec<String> {
                let flips = keys.iter().filter(|key| verdicts.get(**key).is_some_and(wanted));
                flips.map(|key| (*key).clone()).collect()
            };
            result.changed = flipped(is_missed);
            result.undecided = flipped(is_undecided);
            result.attempt = attempt;
            result.no_wording = false;
            if result.changed.is_empty() && result.undecided.is_empty() {
                return Some(result);
            }
            let Some(control) = form.control(base, attempt) else { return Some(result) };
            // What only the words do is no fault of the check.
            let control = self.verdicts(&control);
            let by_words = |key: &String| control.get(key).is_some_and(is_held);
            if !result.changed.iter().chain(&result.undecided).any(by_words) {
                return Some(result);
            }
            result.no_wording = true;
        }
        result.no_wording.then(|| FormResult {
            changed: Vec::new(),
            undecided: Vec::new(),
            ..result
        })
    }

    /// What the answers get that know nothing.
    fn answers(&mut self, materials: &BluffMaterials<'_>, base: &BaseAnswer) -> Vec<AnswerResult> {
        let has_fact = has_fact(self.turn);
        let expected = expected(self.turn, base);
        let names = &self.survey.options.answers;
        // What is demanded of a response may be said anyhow; it may not be one of everything.
        let can_be_listed = !has_fact && demands_values(self.turn, base);
        let mut results = Vec::new();
        for answer in ANSWERS {
            let wanted = names.as_ref().is_none_or(|names| names.contains(answer.name));
            let applies =
                !answer.of_facts || has_fact || (answer.name == "listed" && can_be_listed);
            if !wanted || !applies {
                continue;
            }
            let Some(text) = (answer.make)(materials) else { continue };
            let same = if answer.may_be_right { expected.as_slice() } else { &[] };
            // The one text that is right most often is given as it is.
            let dropped = answer.name != "constant" && says_the_same(&text, base, same);
            if dropped {
                results.push(AnswerResult {
                    answer,
                    text,
                    dropped,
                    points: 0.0,
                    all_held: false,
                    rules_held: false,
                    held: Vec::new(),
                });
                continue;
            }
            let verdicts = self.verdicts(&text);
            results.push(self.scored(answer, text, &verdicts));
        }
        results
    }

    fn scored(&self, answer: &'static Bluff, text: String, verdicts: &Verdicts) -> AnswerResult {
        let observed = asks_by_observation(self.turn);
        let counted: Vec<(&String, &VerdictRecord)> =
            verdicts.iter().filter(|(_, verdict)| observed || verdict.counts()).collect();
        let rules = || counted.iter().filter(|(_, verdict)| !is_judged(verdict));
        let rules_held = rules().count() > 0 && rules().all(|(_, verdict)| is_held(verdict));
        let judged = counted.iter().any(|(_, verdict)| is_judged(verdict));
        let held: Vec<String> = rules()
            .filter(|(_, verdict)| is_held(verdict))
            .map(|(key, _)| (*key).clone())
            .collect();
        let points_of = |key: &str| self.checks.get(key).map_or(0.0, |check| check.points);
        let facts = self.turn.criteria.iter().filter_map(|criterion| criterion.points);
        let all: f64 = facts.sum();
        let points = if all > 0.0 {
            let is_void = counted.iter().any(|(_, verdict)| {
                verdict.kind == Some(CriterionKind::Void) && verdict.outcome.is_missed()
            });
            match is_void {
                true => 0.0,
                false => held.iter().map(|key| points_of(key)).sum::<f64>() / all,
            }
        } else {
            held.len() as f64 / counted.len().max(1) as f64
        };
        AnswerResult {
            answer,
            text,
            dropped: false,
            points,
            all_held: rules_held && !judged,
            rules_held,
            held,
        }
    }

    /// The verdicts on wrong texts that were missed, by check, and those that hold in another form.
    fn evasions(
        &mut self,
        wrong: &[String],
        tongue: ifs_forms::Tongue,
        rosters: &[Vec<String>],
    ) -> (BTreeMap<String, u64>, Vec<Evaded>) {
        let (mut missed, mut evaded) = (BTreeMap::new(), Vec::new());
        for text in wrong {
            let verdicts = self.verdicts(text);
            let keys: Vec<String> = verdicts
                .iter()
                .filter(|(key, verdict)| {
                    verdict.outcome == Outcome::Missed && self.checks.contains_key(*key)
                })
                .map(|(key, _)| key.clone())
                .collect();
            for key in &keys {
                *missed.entry(key.clone()).or_default() += 1;
            }
            let base = BaseText { text, tongue, rosters };
            for form in self.survey.forms() {
                let keys: Vec<&String> =
                    keys.iter().filter(|key| self.applies(form, key)).collect();
                if keys.is_empty() {
                    continue;
                }
                let Some(changed) = form.applied(&base, 0) else { continue };
                let verdicts = self.verdicts(&changed);
                let held = |key: &&&String| verdicts.get(**key).is_some_and(is_held);
                let mut holds: Vec<&String> = keys.iter().filter(held).copied().collect();
                if !holds.is_empty()
                    && let Some(control) = form.control(&base, 0)
                {
                    let control = self.verdicts(&control);
                    holds.retain(|key| control.get(*key).is_some_and(is_held));
                }
                evaded.extend(holds.into_iter().map(|key| Evaded {
                    form,
                    key: key.clone(),
                    base: text.clone(),
                    text: changed.clone(),
                }));
            }
        }
        (missed, evaded)
    }
}

/// Whether a form must not matter to a check, by what the check notices or by a declaration.
pub(crate) fn applies(
    plan: &Plan,
    dialogue: &str,
    turn: &ScriptTurn,
    form: &Form,
    check: &TurnCheck,
) -> bool {
    is_free_of(form, check)
        || tolerance(&plan.model.audit, dialogue, turn, check, form.name).is_some()
}

/// Whether a check notices nothing of what a form changes.
pub(crate) fn is_free_of(form: &Form, check: &TurnCheck) -> bool {
    if !form.subjects.contains(&check.subject) {
        return false;
    }
    match check.subject {
        CheckSubject::Answer => true,
        // What is said to the user around it belongs to no part.
        CheckSubject::Part if form.group == ifs_forms::FormGroup::Frames => true,
        CheckSubject::Part | CheckSubject::Response => !form.touches.meets(check.sees),
    }
}

fn is_held(verdict: &VerdictRecord) -> bool {
    verdict.outcome == Outcome::Held
}

/// Whether it is missed by itself: one that only comes after a missed one is not counted again.
fn is_missed(verdict: &VerdictRecord) -> bool {
    matches!(verdict.outcome, Outcome::Missed | Outcome::Unextracted)
}

fn is_undecided(verdict: &VerdictRecord) -> bool {
    // What comes after a requirement that nobody judged is undecided because of that one.
    verdict.outcome == Outcome::Unjudged && verdict.cause.is_none()
}

fn answer_named(name: &str) -> Option<&'static Bluff> {
    ifs_forms::answer(name)
}

/// The kind of a turn: its name, if it is written.
pub(crate) fn kind_of(turn: &ScriptTurn) -> String {
    turn.name.clone()
}

/// The most right answers of a kind that are kept.
const MAX_POOL: usize = 200;
/// The most texts that are tried as the one that passes most turns.
const MAX_CONSTANTS: usize = 30;

fn parallel_counts<I: Sync>(
    items: &[(I, usize)],
    count: impl Fn(&I) -> usize + Sync,
) -> Vec<usize> {
    items.iter().map(|(item, _)| count(item)).collect()
}

/// What makes a turn the same as another one: the message, what is checked, and the right answer.
fn signature(turn: &ScriptTurn, base: &BaseAnswer) -> String {
    let active: Vec<String> =
        turn.active_constraints.iter().map(|active| format!("{:?}", active.args)).collect();
    let names: Vec<String> = turn.active_constraints.iter().map(|active| active.key()).collect();
    let criteria = format!("{:?}", turn.criteria);
    format!("{}\0{}\0{names:?}{active:?}\0{criteria}\0{}", turn.name, turn.ask, base.text)
}
