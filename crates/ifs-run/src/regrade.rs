//! Recorded dialogues under other verdicts: those of another definition, of another judging, or of
//! another rule for votes. The turns are drawn again with what the new verdicts show, so that a
//! dialogue ends where they end it, and the end of the recording is told from the end of the dialogue.

use super::manifest::RunManifest;
use super::scored::reread;
use super::state::{DialogueProgress, observed, stopped};
use super::transcript::{Transcript, TranscriptTurn};
use ifs_draw::{Active, Criterion, DrawError, Drawer, Script, ScriptTurn, SecretKey, Seed};
use ifs_judge::{AggregationRule, Exchange, VerdictRecord};
use ifs_model::table::{DecidedBy, Dialogue, Question};
use ifs_plan::Plan;
use ifs_plan::changes::{ChangeKind, Changes, Class, DefinitionChange, between};
use ifs_score::{DecisionMethod, Ending};

/// Grades transcripts again.
pub struct Regrader<'p> {
    drawer: Drawer<'p>,
    /// The dialogues as they were run, for transcripts that leave prompts out.
    before: Option<Drawer<'p>>,
    old: &'p Plan,
    new: &'p Plan,
    /// The rule for aggregating votes; the recorded one by default.
    rule: Option<AggregationRule>,
    /// Whether models wrote the user messages, so that their required content is compared instead.
    written: bool,
    judged_alike: bool,
    /// How the definitions differ; `None` for the definition of the run.
    pub class: Option<Class>,
    pub counts: RegradeCounts,
}

/// What became of recorded dialogues.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegradeCounts {
    /// Dialogues with other messages, which are left out.
    pub left_out: u64,
    /// Verdicts of judges on other questions, which are not counted.
    pub dropped: u64,
    /// Dialogues that end before their recording does.
    pub cut: u64,
    /// Dialogues that would have gone on: their indexes, and the turns after which they would.
    pub unrecorded: Vec<(u64, u32)>,
}

impl<'p> Regrader<'p> {
    /// `new` is the definition to grade by, which may be that of the run. `key` is that of a hidden
    /// set, which is drawn with it under both definitions.
    ///
    /// # Errors
    /// Returns an error of a scenario that prevents drawing its dialogue.
    pub fn new(
        old: &'p Plan,
        new: &'p Plan,
        manifest: &RunManifest,
        key: Option<SecretKey>,
        rule: Option<AggregationRule>,
    ) -> Result<Regrader<'p>, DrawError> {
        let drawer = |plan| -> Result<Drawer<'p>, DrawError> {
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
        let table = |plan: &Plan| plan.dialogue(&manifest.dialogue).map(|it| prompt(it.table));
        let is_other = !std::ptr::eq(old, new);
        Ok(Regrader {
            drawer,
            before,
            old,
            new,
            rule,
            written: manifest.utterances.is_some(),
            judged_alike: table(old) == table(new),
            class: is_other
                .then(|| class_of_verdicts(&between(old, new).of_dialogue(&manifest.dialogue))),
            counts: RegradeCounts::default(),
        })
    }

    /// The transcript with its new verdicts and its new end; `None` if the model would have received
    /// other messages under another definition.
    ///
    /// # Errors
    /// Returns an error of a scenario that prevents drawing a turn.
    pub fn grade(&mut self, mut transcript: Transcript) -> Result<Option<Transcript>, DrawError> {
        if let Some(before) = &self.before {
            restore(before, &mut transcript)?;
        }
        // Feedback depends on verdicts, which may have changed.
        if self.class.is_some_and(|class| class > Class::Comparable)
            && transcript.turns.iter().any(|turn| !turn.rounds.is_empty())
        {
            self.counts.left_out += 1;
            return Ok(None);
        }
        let table = self.drawer.dialogue().table;
        let mut progress = DialogueProgress::new(table);
        let mut script = self.drawer.script(Seed(transcript.seed), transcript.index);
        let recorded = std::mem::take(&mut transcript.turns);
        let (count, mut replies, mut dropped) = (recorded.len(), Vec::new(), 0);
        let mut ending = None;
        for mut turn in recorded {
            script.record_outcome(progress.observed());
            if script.is_stopped()? {
                ending = Some(stopped(table, progress.patience));
                break;
            }
            let Some(drawn) = script.next().transpose()? else {
                ending = Some(Ending::Script);
                break;
            };
            if !self.sends_the_same(&turn.script, &drawn) {
                if self.class.is_some() {
                    self.counts.left_out += 1;
                    return Ok(None);
                }
                // By the new verdicts, the dialogue takes another branch here.
                ending = Some(Ending::Unrecorded);
                break;
            }
            dropped += self.judge_again(&transcript.dialogue, &mut turn, drawn, &replies);
            progress.add(&mut turn);
            replies.push(turn.reply().to_owned());
            transcript.turns.push(turn);
        }
        transcript.ending = match ending {
            Some(ending) => ending,
            None => end(script, &mut progress, transcript.ending)?,
        };
        self.counts.dropped += dropped;
        if transcript.turns.len() < count {
            self.counts.cut += 1;
        }
        if transcript.ending == Ending::Unrecorded {
            let last = transcript.turns.last().map_or(0, |turn| turn.script.turn);
            self.counts.unrecorded.push((transcript.index, last));
        }
        Ok(Some(transcript))
    }

    /// Replaces the turn and the verdicts on its responses. Returns the number of verdicts that are
    /// about other questions.
    fn judge_again(
        &self,
        dialogue: &str,
        turn: &mut TranscriptTurn,
        drawn: ScriptTurn,
        replies: &[String],
    ) -> u64 {
        let mut dropped = 0;
        let asked = std::mem::take(&mut turn.script);
        for sample in turn.responses_mut() {
            let before = sample.verdicts.len();
            sample.verdicts.retain(|verdict| {
                verdict.by == DecisionMethod::Rule || self.is_same_question(verdict, &asked, &drawn)
            });
            dropped += (before - sample.verdicts.len()) as u64;
            let exchange = Exchange {
                dialogue,
                turn: &drawn,
                answer: &sample.answer,
                note: sample.note.as_ref(),
                replies,
                extracted: &sample.extracted,
            };
            let no_text = sample.no_text();
            let verdicts =
                reread(self.new, &exchange, no_text.as_ref(), &sample.verdicts, self.rule);
            sample.verdicts = verdicts;
        }
        // It is judged on something else now.
        if self.class.is_some() {
            turn.asked = None;
        }
        turn.script = ScriptTurn { ask: asked.ask, ..drawn };
        dropped
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
                    let is_its = |it: &&Criterion| it.kind == kind && it.name == verdict.constraint;
                    judge(&turn.criteria.iter().find(is_its)?.by).map(|it| (it, Vec::new()))
                }
                None => {
                    let is_its = |it: &&std::sync::Arc<Active>| {
                        it.constraint == verdict.constraint && it.speaker == verdict.speaker
                    };
                    let active = turn.active_constraints.iter().find(is_its);
                    let args = active.map(|it| format!("{:?}", it.args));
                    let constraint = plan.constraint(&verdict.constraint)?;
                    judge(&constraint.by).map(|it| (it, args.into_iter().collect()))
                }
            }
        };
        self.judged_alike && question(self.old, held) == question(self.new, drawn)
    }
}

/// The class of the changes on which messages and verdicts can depend: metrics are computed from
/// them.
fn class_of_verdicts(changes: &Changes) -> Class {
    let is_counted = |change: &&DefinitionChange| {
        !matches!(change.aspect, ChangeKind::Metric | ChangeKind::Breakdown)
    };
    let classes = changes.changes.iter().filter(is_counted).map(|change| change.class);
    classes.max().unwrap_or(Class::Comparable)
}

/// How a dialogue ends after its last recorded turn.
fn end(
    mut script: Script<'_>,
    progress: &mut DialogueProgress<'_>,
    recorded: Ending,
) -> Result<Ending, DrawError> {
    script.record_outcome(progress.observed());
    if script.is_stopped()? {
        return Ok(stopped(progress.table, progress.patience));
    }
    if matches!(recorded, Ending::Interrupted | Ending::Failed(_)) {
        return Ok(recorded);
    }
    Ok(match script.next().transpose()? {
        // The log of another program may name an end that the scenario has no rule for.
        None if progress.table.end.is_none() => recorded,
        None => Ending::Script,
        Some(_) if recorded == Ending::MaxTurns => Ending::MaxTurns,
        Some(_) => Ending::Unrecorded,
    })
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
