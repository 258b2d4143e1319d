//! Adds up what was found on the turns.

use std::collections::{BTreeMap, BTreeSet};

use super::audit::{
    Audit, BluffRow, CheckRow, ExampleKind, FlippedText, FormRow, LimitRow, MissedBase, TurnRow,
    Unneeded,
};
use super::base::BaseSource;
use super::checks::{CheckId, TurnCheck, kind_judge};
use super::course::Course;
use super::declared::Declarations;
use super::examples::ExampleResult;
use super::limits::exceeds;
use super::materials::{rosters, spoken};
use super::survey::{DialogueSurvey, LeftOutTurns, Options, TurnResult, kind_of};
use ifs_draw::{CriterionKind, ScriptTurn, Seed};
use ifs_forms::{ANSWERS, BaseText, forms};
use ifs_judge::VerdictRecord;
use ifs_plan::Plan;
use ifs_score::Outcome;
use ifs_text::Aspects;

/// The version of the format.
pub const SCHEMA: u32 = 1;

#[derive(Default)]
struct CheckTally {
    check: Option<TurnCheck>,
    sees: Aspects,
    verdicts: u64,
    changed_by_any: u64,
    changed: BTreeMap<&'static str, u64>,
    minded: BTreeMap<&'static str, u64>,
    because: BTreeSet<String>,
    missed: u64,
    evaded_by_any: u64,
    evaded: BTreeMap<&'static str, u64>,
    /// By answer: how often it was given, and how often the check held.
    floor: BTreeMap<&'static str, (u64, u64)>,
}

#[derive(Default)]
struct AnswerTally {
    applied: u64,
    dropped: u64,
    points: f64,
    all_held: u64,
    rules_held: u64,
}

#[derive(Default)]
struct KindTally {
    count: u64,
    has_content: bool,
    formal: u64,
    no_natural: u64,
    answers: BTreeMap<&'static str, AnswerTally>,
}

pub(crate) struct Tally<'p> {
    plan: &'p Plan,
    options: &'p Options,
    declared: Declarations<'p>,
    audit: Audit,
    forms: BTreeMap<&'static str, FormRow>,
    checks: BTreeMap<(String, CheckId), CheckTally>,
    /// By dialogue and kind.
    kinds: BTreeMap<(String, String), KindTally>,
    /// The turns on which some form changes a verdict, and such responses of tests.
    changed: u64,
    test_changes: u64,
    shown: BTreeMap<(ExampleKind, String, &'static str), usize>,
}

impl<'p> Tally<'p> {
    pub fn new(plan: &'p Plan, options: &'p Options, seed: Seed) -> Tally<'p> {
        let benchmark = &plan.model.benchmark;
        let audit = Audit {
            schema: SCHEMA,
            title: benchmark.name.clone(),
            benchmark_version: benchmark.version.clone(),
            plan_hash: plan.hash(),
            seed: seed.0,
            ..Audit::default()
        };
        Tally {
            plan,
            options,
            declared: Declarations::new(plan),
            audit,
            forms: BTreeMap::new(),
            checks: BTreeMap::new(),
            kinds: BTreeMap::new(),
            changed: 0,
            test_changes: 0,
            shown: BTreeMap::new(),
        }
    }

    pub fn add_dialogue(&mut self, drawn: &[Course], left_out: LeftOutTurns) {
        let sample = &mut self.audit.sample;
        sample.dialogues += drawn.len() as u64;
        sample.without_rule += left_out.without_rule;
        sample.without_base += left_out.without_base;
        sample.too_large += left_out.too_large;
    }

    /// Adds the result of one turn.
    pub fn add(
        &mut self,
        survey: &DialogueSurvey<'_, '_>,
        course: &Course,
        position: usize,
        result: TurnResult,
    ) {
        let turn = &course.turns[position];
        let Some(base) = &course.bases[position] else { return };
        let dialogue = survey.courses.dialogue;
        let kind = (dialogue.to_owned(), kind_of(turn));
        let sample = &mut self.audit.sample;
        sample.turns += 1;
        sample.texts += result.texts;
        sample.judged += result.judged;
        sample.no_natural_base += u64::from(!base.natural);
        match base.source {
            BaseSource::Recorded => sample.recorded += 1,
            BaseSource::Golden => sample.golden += 1,
            BaseSource::Witness => sample.witnesses += 1,
        }
        let tally = self.kinds.entry(kind.clone()).or_default();
        tally.count += 1;
        tally.has_content |= result.has_content;
        tally.no_natural += u64::from(!base.natural);
        for (key, check) in &result.checks {
            let tally = self.checks.entry((dialogue.to_owned(), check.id.clone())).or_default();
            tally.sees = tally.sees | check.sees;
            tally.check.get_or_insert_with(|| check.clone());
            if result.base.get(key).is_some_and(|verdict| verdict.outcome == Outcome::Held) {
                tally.verdicts += 1;
                self.audit.sample.verdicts += 1;
            }
            tally.missed += result.missed.get(key).copied().unwrap_or(0);
        }
        self.add_golden(survey, course, position, &result);
        self.add_forms(survey, course, position, &result);
        self.add_answers(survey, course, position, &result);
        self.add_evasions(survey, course, position, &result);
    }

    fn id_of(result: &TurnResult, key: &str) -> Option<CheckId> {
        result.checks.get(key).map(|check| check.id.clone())
    }

    /// Right answers that miss something, which is the first thing to mend.
    fn add_golden(
        &mut self,
        survey: &DialogueSurvey<'_, '_>,
        course: &Course,
        position: usize,
        result: &TurnResult,
    ) {
        let (turn, replies) = (&course.turns[position], &course.replies[..position]);
        let Some(golden) = &turn.golden else { return };
        self.audit.sample.with_golden += 1;
        let verdicts = survey.verdicts(turn, replies, golden, &kind_judge(turn, self.plan));
        // It answers the question; constraints that were drawn are not written for it.
        let is_missed = |(key, verdict): &(&String, &VerdictRecord)| {
            let check = result.checks.get(*key);
            let audited = check.is_some_and(|check| !check.unread && check.kind.is_some());
            audited && verdict.counts() && verdict.outcome.is_missed()
        };
        let Some((key, _)) = verdicts.iter().find(is_missed) else { return };
        let why = survey.reason(turn, replies, golden, key).unwrap_or_default();
        self.audit.golden_missed.push(MissedBase {
            dialogue: survey.courses.dialogue.to_owned(),
            index: course.index,
            turn: turn.turn,
            check: key.clone(),
            answer: golden.clone(),
            why,
        });
    }

    fn add_forms(
        &mut self,
        survey: &DialogueSurvey<'_, '_>,
        course: &Course,
        position: usize,
        result: &TurnResult,
    ) {
        let turn = &course.turns[position];
        let dialogue = survey.courses.dialogue;
        let mut flipped: BTreeSet<&str> = BTreeSet::new();
        let mut any = false;
        for found in &result.forms {
            let name = found.form.name;
            let row = self.forms.entry(name).or_default();
            match (found.applied.is_empty(), found.no_wording) {
                (true, _) => row.exempt += 1,
                (_, true) => row.no_wording += 1,
                (_, false) => row.applied += 1,
            }
            for check in found.applied.iter().filter_map(|key| result.checks.get(key)) {
                self.declared.note_form(dialogue, turn, check, found.form);
            }
            let (mut changed, mut minded, mut undecided) = (false, false, false);
            let keys = found.changed.iter().map(|key| (key, false));
            for (key, open) in keys.chain(found.undecided.iter().map(|key| (key, true))) {
                let Some(check) = result.checks.get(key) else { continue };
                let tally = self.checks.entry((dialogue.to_owned(), check.id.clone())).or_default();
                if let Some(because) = self.declared.minds(dialogue, turn, check, name) {
                    *tally.minded.entry(name).or_default() += 1;
                    tally.because.insert(because.to_owned());
                    minded = true;
                    continue;
                }
                *tally.changed.entry(name).or_default() += 1;
                flipped.insert(key);
                changed = true;
                undecided |= open;
                let label = label(dialogue, &check.id);
                *row.by_check.entry(label.clone()).or_default() += 1;
                let count =
                    self.shown.entry((ExampleKind::Changed, label.clone(), name)).or_default();
                if *count < self.options.examples {
                    *count += 1;
                    let example = changed_example(survey, course, position, found, key, open);
                    self.audit
                        .examples
                        .extend(example.map(|one| FlippedText { check: label, ..one }));
                }
            }
            row.changed += u64::from(changed);
            row.undecided += u64::from(undecided);
            row.minded += u64::from(minded);
            any |= changed;
        }
        for key in flipped {
            if let Some(id) = Tally::id_of(result, key) {
                self.checks.entry((dialogue.to_owned(), id)).or_default().changed_by_any += 1;
            }
        }
        self.changed += u64::from(any);
    }

    fn add_answers(
        &mut self,
        survey: &DialogueSurvey<'_, '_>,
        course: &Course,
        position: usize,
        result: &TurnResult,
    ) {
        let turn = &course.turns[position];
        let Some(base) = &course.bases[position] else { return };
        let dialogue = survey.courses.dialogue;
        let kind = (dialogue.to_owned(), kind_of(turn));
        let passes = |name: &str| {
            let given = result.answers.iter().find(|found| found.answer.name == name);
            given.is_none_or(|found| !found.dropped && found.rules_held)
        };
        let formal = result.judged == 0
            && passes("salad")
            && passes("other")
            && result.answers.iter().any(|found| found.answer.name == "salad");
        let tally = self.kinds.entry(kind.clone()).or_default();
        tally.formal += u64::from(formal);
        for found in &result.answers {
            let name = found.answer.name;
            let row = tally.answers.entry(name).or_default();
            if found.dropped {
                row.dropped += 1;
                continue;
            }
            row.applied += 1;
            row.points += found.points;
            row.all_held += u64::from(found.all_held);
            row.rules_held += u64::from(found.rules_held);
            for (key, check) in &result.checks {
                let tally = self.checks.entry((dialogue.to_owned(), check.id.clone())).or_default();
                let (given, held) = tally.floor.entry(name).or_default();
                *given += 1;
                *held += u64::from(found.held.contains(key));
            }
            if !found.all_held || !result.has_content {
                continue;
            }
            let label = kind_label(dialogue, &kind.1);
            let count = self.shown.entry((ExampleKind::Passed, label.clone(), name)).or_default();
            if *count < self.options.examples {
                *count += 1;
                self.audit.examples.push(FlippedText {
                    kind: ExampleKind::Passed,
                    form: name.to_owned(),
                    check: label,
                    dialogue: dialogue.to_owned(),
                    index: course.index,
                    turn: turn.turn,
                    base: base.text.clone(),
                    text: found.text.clone(),
                    why: None,
                    undecided: false,
                });
            }
        }
    }

    fn add_evasions(
        &mut self,
        survey: &DialogueSurvey<'_, '_>,
        course: &Course,
        position: usize,
        result: &TurnResult,
    ) {
        let (turn, replies) = (&course.turns[position], &course.replies[..position]);
        let dialogue = survey.courses.dialogue;
        let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
        for found in &result.evaded {
            let name = found.form.name;
            let Some(check) = result.checks.get(&found.key) else { continue };
            if self.declared.minds(dialogue, turn, check, name).is_some() {
                continue;
            }
            let tally = self.checks.entry((dialogue.to_owned(), check.id.clone())).or_default();
            *tally.evaded.entry(name).or_default() += 1;
            tally.evaded_by_any += u64::from(seen.insert((&found.base, &found.key)));
            self.forms.entry(name).or_default().evaded += 1;
            let label = label(dialogue, &check.id);
            let count = self.shown.entry((ExampleKind::Evaded, label.clone(), name)).or_default();
            if *count < self.options.examples {
                *count += 1;
                self.audit.examples.push(FlippedText {
                    kind: ExampleKind::Evaded,
                    form: name.to_owned(),
                    check: label,
                    dialogue: dialogue.to_owned(),
                    index: course.index,
                    turn: turn.turn,
                    base: found.base.clone(),
                    text: found.text.clone(),
                    why: survey.reason(turn, replies, &found.base, &found.key),
                    undecided: false,
                });
            }
        }
    }

    /// The names of the constraints that were active.
    pub fn constraints(&self) -> BTreeSet<String> {
        let names = self.checks.keys().filter(|(_, id)| id.turn.is_empty());
        names.map(|(_, id)| id.name.split(" by ").next().unwrap_or(&id.name).to_owned()).collect()
    }

    /// Adds what was found on the responses of tests. They belong to no turn, so no share of turns
    /// has them.
    pub fn add_examples(&mut self, dialogue: &str, results: Vec<ExampleResult>) {
        for result in results {
            self.audit.sample.test_responses += 1;
            let id = result.check.id.clone();
            // Its row, whichever dialogue it was first seen in.
            let key = self.checks.keys().find(|(_, known)| *known == id).cloned();
            let key = key.unwrap_or_else(|| (dialogue.to_owned(), id.clone()));
            let label = label(&key.0, &id);
            let turn = ScriptTurn::default();
            if !result.as_written {
                self.audit.golden_missed.push(MissedBase {
                    dialogue: "test".to_owned(),
                    index: 0,
                    turn: 0,
                    check: id.name.clone(),
                    answer: result.text.clone(),
                    why: match result.right {
                        true => "a test says that it passes".to_owned(),
                        false => "a test says that it fails".to_owned(),
                    },
                });
                continue;
            }
            for form in &result.tried {
                self.declared.note_form(&key.0, &turn, &result.check, form);
            }
            let mut any = false;
            for (form, text) in &result.changed {
                let minds = self.declared.minds(&key.0, &turn, &result.check, form);
                let tally = self.checks.entry(key.clone()).or_default();
                if let Some(because) = minds {
                    *tally.minded.entry(form).or_default() += 1;
                    tally.because.insert(because.to_owned());
                    continue;
                }
                any = true;
                let row = self.forms.entry(form).or_default();
                let kind = match result.right {
                    true => {
                        *tally.changed.entry(form).or_default() += 1;
                        *row.by_check.entry(label.clone()).or_default() += 1;
                        ExampleKind::Changed
                    }
                    false => {
                        *tally.evaded.entry(form).or_default() += 1;
                        row.evaded += 1;
                        ExampleKind::Evaded
                    }
                };
                let count = self.shown.entry((kind, label.clone(), form)).or_default();
                if *count < self.options.examples {
                    *count += 1;
                    self.audit.examples.push(FlippedText {
                        kind,
                        form: (*form).to_owned(),
                        check: label.clone(),
                        dialogue: "test".to_owned(),
                        index: 0,
                        turn: 0,
                        base: result.text.clone(),
                        text: text.clone(),
                        why: None,
                        undecided: false,
                    });
                }
            }
            let tally = self.checks.entry(key).or_default();
            tally.check.get_or_insert_with(|| result.check.clone());
            match result.right {
                true => {
                    tally.verdicts += 1;
                    tally.changed_by_any += u64::from(any);
                    self.test_changes += u64::from(any);
                }
                false => {
                    tally.missed += 1;
                    tally.evaded_by_any += u64::from(any);
                }
            }
        }
    }

    /// The rows, and which limits are met.
    pub fn finish(mut self) -> Audit {
        let names = self.names();
        self.form_rows(&names);
        self.check_rows(&names);
        let above = self.turn_rows();
        self.answer_rows(&above);
        self.limit_rows(&above);
        let sources = &self.plan.sources;
        let unneeded = self.declared.unneeded();
        self.audit.unneeded = unneeded
            .into_iter()
            .map(|span| Unneeded {
                place: format!("{}:{}", sources.name(span.file), sources.line_column(span).0),
                text: sources.text(span).split_whitespace().collect::<Vec<_>>().join(" "),
                span,
            })
            .collect();
        for example in &mut self.audit.examples {
            if let Some((_, name)) = names.iter().find(|(_, (raw, _))| *raw == example.check) {
                example.check.clone_from(&name.1);
            }
        }
        self.audit
    }

    /// The name of each check: facts of a turn are numbered in the order in which they are written.
    fn names(&self) -> BTreeMap<(String, CheckId), (String, String)> {
        let mut count: BTreeMap<(String, String, String), usize> = BTreeMap::new();
        let mut names = BTreeMap::new();
        for key in self.checks.keys() {
            let (dialogue, id) = key;
            let raw = label(dialogue, id);
            let name = if id.turn.is_empty() {
                id.name.clone()
            } else {
                let prefix = kind_label(dialogue, &id.turn);
                let same = (dialogue.clone(), id.turn.clone(), id.name.clone());
                let number = count.entry(same).and_modify(|number| *number += 1).or_insert(1);
                match id.name.split_once(' ') {
                    Some(_) if *number == 1 => format!("{prefix} {}", id.name),
                    _ => format!("{prefix} {} {number}", id.name),
                }
            };
            names.insert(key.clone(), (raw, name));
        }
        names
    }

    fn form_rows(&mut self, names: &BTreeMap<(String, CheckId), (String, String)>) {
        let by_raw: BTreeMap<&String, &String> =
            names.values().map(|(raw, name)| (raw, name)).collect();
        for form in forms() {
            let Some(row) = self.forms.remove(form.name) else { continue };
            let by_check = row.by_check.iter().map(|(raw, count)| {
                (by_raw.get(raw).map_or_else(|| raw.clone(), |name| (*name).clone()), *count)
            });
            let by_check = by_check.collect();
            let (name, group) = (form.name.to_owned(), form.group.name().to_owned());
            self.audit.forms.push(FormRow { name, group, by_check, ..row });
        }
    }

    fn check_rows(&mut self, names: &BTreeMap<(String, CheckId), (String, String)>) {
        let own = |counts: &BTreeMap<&'static str, u64>| -> BTreeMap<String, u64> {
            counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
        };
        for (key, tally) in &self.checks {
            let Some(check) = &tally.check else { continue };
            let (_, name) = names.get(key).cloned().unwrap_or_default();
            let sources = &self.plan.sources;
            let (line, _) = sources.line_column(check.span);
            let written = sources.text(check.span);
            let floor: BTreeMap<String, f64> = tally
                .floor
                .iter()
                .map(|(name, (given, held))| ((*name).to_owned(), share(*held, *given)))
                .collect();
            let (given, passed) = tally.floor.get("salad").copied().unwrap_or_default();
            let is_fact = check.kind == Some(CriterionKind::Fact);
            let formal = is_fact && given > 0 && passed * 20 >= given * 19;
            let kind = check.kind.map_or("constraint", CriterionKind::word);
            let declared = formal && self.declared.is_formal(&key.0, check);
            self.audit.checks.push(CheckRow {
                name,
                kind: kind.to_owned(),
                turn: check.id.turn.clone(),
                place: match written.is_empty() {
                    true => String::new(),
                    false => format!("{}:{line}", sources.name(check.span.file)),
                },
                check: written.split_whitespace().collect::<Vec<_>>().join(" "),
                subject: check.subject.word().to_owned(),
                sees: tally.sees.iter().map(|aspect| aspect.name().to_owned()).collect(),
                verdicts: tally.verdicts,
                changed_by_any: tally.changed_by_any,
                changed: own(&tally.changed),
                minded: own(&tally.minded),
                because: tally.because.iter().cloned().collect(),
                missed: tally.missed,
                evaded_by_any: tally.evaded_by_any,
                evaded: own(&tally.evaded),
                floor,
                formal,
                declared,
            });
        }
    }

    /// The kinds of turns, and for each answer the highest share above its limit.
    fn turn_rows(&mut self) -> BTreeMap<&'static str, f64> {
        let mut above: BTreeMap<&'static str, f64> = BTreeMap::new();
        for ((dialogue, kind), tally) in &self.kinds {
            let (dialogue, kind) = (dialogue.as_str(), kind.as_str());
            let mut row = TurnRow {
                name: kind_label(dialogue, kind),
                count: tally.count,
                has_content: tally.has_content,
                formal: tally.formal,
                no_natural_base: tally.no_natural,
                ..TurnRow::default()
            };
            for (name, answer) in &tally.answers {
                let found = share(answer.all_held, answer.applied);
                let declared = self.declared.floor(dialogue, kind, name);
                let default = self.declared.limits(self.options).floor;
                let limit = declared.unwrap_or(default);
                if tally.has_content {
                    self.declared.note_floor((dialogue, kind), name, found, default);
                }
                if *name == "other" {
                    row.guess = share(answer.dropped, answer.dropped + answer.applied);
                }
                if tally.has_content && exceeds(answer.all_held, answer.applied, limit) {
                    row.above.push((*name).to_owned());
                    let most = above.entry(name).or_default();
                    *most = most.max(found);
                }
                row.all_held.insert((*name).to_owned(), found);
                if let Some(declared) = declared {
                    row.declared.insert((*name).to_owned(), declared);
                }
            }
            self.audit.turns.push(row);
        }
        above
    }

    fn answer_rows(&mut self, above: &BTreeMap<&'static str, f64>) {
        for answer in ANSWERS {
            let mut sum = AnswerTally::default();
            let (mut with_content, mut passed) = (0, 0);
            let mut declared: f64 = 0.0;
            for ((dialogue, kind), tally) in &self.kinds {
                let Some(row) = tally.answers.get(answer.name) else { continue };
                sum.applied += row.applied;
                sum.dropped += row.dropped;
                sum.points += row.points;
                sum.all_held += row.all_held;
                sum.rules_held += row.rules_held;
                if tally.has_content {
                    with_content += row.applied;
                    passed += row.all_held;
                    let own = self.declared.floor(dialogue, kind, answer.name).unwrap_or(0.0);
                    declared = declared.max(own);
                }
            }
            if sum.applied + sum.dropped == 0 {
                continue;
            }
            self.audit.answers.push(BluffRow {
                name: answer.name.to_owned(),
                applied: sum.applied,
                dropped: sum.dropped,
                points: if sum.applied == 0 { 0.0 } else { sum.points / sum.applied as f64 },
                all_held: share(sum.all_held, sum.applied),
                rules_held: share(sum.rules_held, sum.applied),
                floor: share(passed, with_content),
                declared,
                limit_met: !above.contains_key(answer.name),
            });
        }
    }

    fn limit_rows(&mut self, above: &BTreeMap<&'static str, f64>) {
        let limits = self.declared.limits(self.options);
        let turns = self.audit.sample.turns;
        let missed: u64 = self.audit.checks.iter().map(|check| check.missed).sum();
        let evaded: u64 = self.audit.checks.iter().map(|check| check.evaded_by_any).sum();
        let golden = self.audit.golden_missed.len() as u64;
        let answers = self.audit.sample.with_golden + self.audit.sample.test_responses;
        let mut limit = |name: &str, count: u64, all: u64, limit: f64| {
            self.audit.limits.push(LimitRow {
                name: name.to_owned(),
                limit,
                found: share(count, all),
                met: !exceeds(count, all, limit),
            });
        };
        limit("golden", golden, answers, limits.golden);
        // A response of a test counts as a turn.
        let all = turns + self.audit.sample.test_responses;
        limit("changed", self.changed + self.test_changes, all, limits.changed);
        limit("evaded", evaded, missed, limits.evaded);
        let formal = self.audit.checks.iter().filter(|check| check.formal && !check.declared);
        let formal = if formal.count() > 0 { 1.0 } else { 0.0 };
        let found = above.values().copied().fold(formal, f64::max);
        self.audit.limits.push(LimitRow {
            name: "floor".to_owned(),
            limit: limits.floor,
            found,
            met: found <= 0.0,
        });
    }
}

/// A name of a check that is the same for all turns, and by which a row is found.
fn label(dialogue: &str, id: &CheckId) -> String {
    format!("{dialogue}\0{}\0{}\0{:?}", id.turn, id.name, id.start)
}

fn kind_label(dialogue: &str, kind: &str) -> String {
    match kind {
        "" => dialogue.to_owned(),
        kind => format!("{dialogue}.{kind}"),
    }
}

fn share(part: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}

/// A right answer, the same in a form that changes a verdict, and why.
fn changed_example(
    survey: &DialogueSurvey<'_, '_>,
    course: &Course,
    position: usize,
    found: &super::survey::FormResult,
    key: &str,
    undecided: bool,
) -> Option<FlippedText> {
    let (turn, replies) = (&course.turns[position], &course.replies[..position]);
    let base = course.bases[position].as_ref()?;
    let rosters = rosters(turn, base);
    let tongue = spoken(turn, &base.text);
    let form_base = BaseText { text: &base.text, tongue, rosters: &rosters };
    let text = found.form.applied(&form_base, found.attempt)?;
    Some(FlippedText {
        kind: ExampleKind::Changed,
        form: found.form.name.to_owned(),
        check: String::new(),
        dialogue: survey.courses.dialogue.to_owned(),
        index: course.index,
        turn: turn.turn,
        base: base.text.clone(),
        why: survey.reason(turn, replies, &text, key),
        text,
        undecided,
    })
}
