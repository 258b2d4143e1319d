//! Grades recorded responses under another definition: `ifs score RUN --under SIDE`.

use std::path::Path;

use super::Format;
use super::exit::CommandError;
use super::load::{CheckedScenario, LoadedScenario, show, summary};
use super::output::Output;
use super::revision::ScenarioAt;
use ifs::changes::{Class, between};
use ifs::judge::VerdictRecord;
use ifs::model::table::{DecidedBy, Dialogue, Question};
use ifs::plan::Plan;
use ifs::run::{RunManifest, Transcript, observed};
use ifs::score::DecisionMethod;
use ifs::script::{Active, Criterion, DrawError, Drawer, ScriptTurn, SecretKey, Seed};

/// The plan of another definition, with the variant of the run.
pub(super) fn plan(
    side: &str,
    run: &Path,
    manifest: &RunManifest,
    output: &mut Output,
) -> Result<Plan, CommandError> {
    let place = ScenarioAt::parse(side);
    let found = place.find()?;
    let CheckedScenario { checked: Some((plan, tests)), .. } = found else {
        show(&found, Format::Text, output);
        output.note(&summary(found.errors(), found.warnings()));
        return Err(CommandError::already_printed());
    };
    let LoadedScenario { plan, .. } = LoadedScenario { plan, tests };
    let dialogue = &manifest.dialogue;
    let missing = |what: String| {
        CommandError::input(format!(
            "`{}` is a run of {what}, which `{side}` does not have",
            run.display()
        ))
        .help("name the scenario of the run as it is now, or as it was: `HEAD:desk.ifs`")
    };
    if plan.dialogue(dialogue).is_none() {
        return Err(missing(format!("the dialogue `{dialogue}`")));
    }
    match &manifest.variant {
        None => Ok(plan),
        Some(variant) => plan
            .varied(dialogue, variant)
            .ok_or_else(|| missing(format!("the variant `{variant}` of `{dialogue}`"))),
    }
}

/// Grades transcripts under another definition.
pub(super) struct Regrader<'p> {
    drawer: Drawer<'p>,
    /// The dialogues as they were run, for transcripts that leave prompts out.
    before: Option<Drawer<'p>>,
    old: &'p Plan,
    new: &'p Plan,
    /// Whether models wrote the user messages, so that their required content is compared instead.
    written: bool,
    judged_alike: bool,
    class: Class,
    /// Dialogues with other messages, and verdicts of judges on other questions.
    pub left_out: u64,
    pub dropped: u64,
}

impl<'p> Regrader<'p> {
    /// `key` is that of a hidden set, which is drawn with it under both definitions.
    pub fn new(
        old: &'p Plan,
        new: &'p Plan,
        manifest: &RunManifest,
        key: Option<SecretKey>,
    ) -> Result<Regrader<'p>, CommandError> {
        let drawer = |plan| -> Result<Drawer<'p>, CommandError> {
            let drawer = Drawer::new(plan, &manifest.dialogue)?;
            Ok(match key {
                Some(key) => drawer.hidden(key),
                None => drawer,
            })
        };
        let before = manifest.leaves_prompts_out().then(|| drawer(old)).transpose()?;
        let drawer = drawer(new)?;
        let prompt = |table: &Dialogue| {
            (table.judge_template.clone(), table.judge_history, table.judge_sees)
        };
        let table = |plan: &Plan| plan.dialogue(&manifest.dialogue).map(|of| prompt(of.table));
        Ok(Regrader {
            drawer,
            before,
            old,
            new,
            written: manifest.utterances.is_some(),
            judged_alike: table(old) == table(new),
            class: between(old, new).of_dialogue(&manifest.dialogue).class(),
            left_out: 0,
            dropped: 0,
        })
    }

    /// The transcript, graded by the other definition; `None` if the model would have received
    /// other messages.
    pub fn grade(&mut self, mut transcript: Transcript) -> Result<Option<Transcript>, DrawError> {
        let mut script = self.drawer.script(Seed(transcript.seed), transcript.index);
        let mut dropped = 0;
        if let Some(before) = &self.before {
            restore(before, &mut transcript)?;
        }
        // Feedback depends on verdicts, which may have changed.
        if self.class > Class::Comparable
            && transcript.turns.iter().any(|turn| !turn.rounds.is_empty())
        {
            self.left_out += 1;
            return Ok(None);
        }
        let mut seen = observed(&transcript.turns).into_iter();
        for turn in &mut transcript.turns {
            script.record_outcome(seen.next().unwrap_or_default());
            let Some(drawn) = script.next().transpose()? else {
                self.left_out += 1;
                return Ok(None);
            };
            if !self.sends_the_same(&turn.script, &drawn) {
                self.left_out += 1;
                return Ok(None);
            }
            let lists = std::iter::once(&mut turn.verdicts)
                .chain(turn.rounds.iter_mut().map(|round| &mut round.verdicts))
                .chain(turn.samples.iter_mut().map(|sample| &mut sample.verdicts));
            for verdicts in lists {
                let before = verdicts.len();
                verdicts.retain(|verdict| {
                    verdict.by == DecisionMethod::Rule
                        || self.is_same_question(verdict, &turn.script, &drawn)
                });
                dropped += (before - verdicts.len()) as u64;
            }
            let ask = std::mem::take(&mut turn.script.ask);
            // It is judged on something else now.
            turn.asked = None;
            turn.script = ScriptTurn { ask, ..drawn };
        }
        self.dropped += dropped;
        Ok(Some(transcript))
    }

    fn sends_the_same(&self, held: &ScriptTurn, drawn: &ScriptTurn) -> bool {
        let sent = |turn: &ScriptTurn| {
            (
                turn.system.clone(),
                turn.show.clone(),
                turn.reminder.clone(),
                turn.golden.clone(),
                turn.given.clone(),
            )
        };
        sent(held) == sent(drawn)
            && match self.written {
                false => held.ask == drawn.ask,
                true => held.changes == drawn.changes && held.topic == drawn.topic,
            }
    }

    /// Whether a judge's verdict is about the question of the new definition.
    fn is_same_question(
        &self,
        verdict: &VerdictRecord,
        held: &ScriptTurn,
        drawn: &ScriptTurn,
    ) -> bool {
        let question = |plan: &Plan, turn: &ScriptTurn| -> Option<(Question, Vec<String>)> {
            match verdict.kind {
                Some(kind) => {
                    let found = |of: &&Criterion| of.kind == kind && of.name == verdict.constraint;
                    judge(&turn.criteria.iter().find(found)?.by).map(|of| (of, Vec::new()))
                }
                None => {
                    let active = |of: &&std::sync::Arc<Active>| {
                        of.constraint == verdict.constraint && of.speaker == verdict.speaker
                    };
                    let args = turn
                        .active_constraints
                        .iter()
                        .find(active)
                        .map(|of| format!("{:?}", of.args));
                    let constraint = plan.constraint(&verdict.constraint)?;
                    judge(&constraint.by).map(|of| (of, args.into_iter().collect()))
                }
            }
        };
        self.judged_alike && question(self.old, held) == question(self.new, drawn)
    }

    /// Prints warnings about verdicts and dialogues that are left out.
    pub fn warn(&self, of: u64, output: &mut Output) {
        if self.left_out > 0 {
            output.warn(&format!(
                "{} of {of} dialogues are left out: their messages differ under this definition ({})",
                self.left_out,
                self.class.phrase()
            ));
        }
        if self.dropped > 0 {
            output.warn(&format!(
                "{} verdicts of judges answer other questions and are not counted",
                self.dropped
            ));
        }
    }
}

/// Draws again what a transcript of a hidden set leaves out.
fn restore(before: &Drawer<'_>, transcript: &mut Transcript) -> Result<(), DrawError> {
    let mut script = before.script(Seed(transcript.seed), transcript.index);
    let mut seen = observed(&transcript.turns).into_iter();
    for turn in &mut transcript.turns {
        script.record_outcome(seen.next().unwrap_or_default());
        let Some(drawn) = script.next().transpose()? else { break };
        if turn.hidden.take().is_some_and(|hidden| hidden.history.is_some()) {
            turn.history = drawn.given.clone().or_else(|| drawn.golden.clone());
        }
        turn.script = drawn;
    }
    Ok(())
}

fn judge(by: &DecidedBy) -> Option<Question> {
    match by {
        DecidedBy::Rule(_) => None,
        DecidedBy::Judge(question) => Some(question.clone()),
    }
}
