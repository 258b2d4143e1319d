//! Runs one dialogue, turn by turn.

use super::extraction::Extractors;
use super::success_of;
use super::transcript::{Draft, TranscriptTurn};
use super::turn::{Answered, Asked, Broken};
use crate::inference::{Caller, Client};
use crate::judge::Prompts;
use crate::model::table::{Context, Dialogue};
use crate::panel::Panel;
use crate::provider::{Conversation, FailureKind, Role};
use crate::score::Ending;
use crate::script::{DrawError, Drawer, ScriptTurn, Seed, Seen, Shown};
use crate::synthesis::UtteranceSet;
use crate::text::Text;

/// What the dialogues of a run share.
#[derive(Clone, Copy)]
pub struct RunContext<'a> {
    pub drawer: &'a Drawer<'a>,
    /// The model under test.
    pub tested: &'a Caller,
    /// The judges.
    pub panel: &'a Panel,
    pub prompts: &'a Prompts<'a>,
    /// Models that extract parts without a reader.
    pub extractors: Option<&'a Extractors>,
    /// The system message of the run, before that of the dialogue.
    pub system: Option<&'a str>,
    pub seed: Seed,
    /// The maximum number of turns of a dialogue.
    pub max_turns: u32,
    /// User messages that replace those made by templates.
    pub utterances: Option<&'a UtteranceSet>,
}

/// Runs a dialogue. A failed request ends only this dialogue. Returns its ending and the line of
/// its transcript.
///
/// # Errors
/// An error of the scenario that prevents drawing the dialogue.
pub async fn run_dialogue(
    client: &Client<'_>,
    run: &RunContext<'_>,
    index: u64,
) -> Result<(Ending, String), DrawError> {
    let table = &run.drawer.dialogue().table;
    let mut draft = Draft::new(&table.name, index, run.seed.0);
    let mut ending = Ending::Script;
    let mut tokens = 0;
    // Begun when the first turn says what comes before it.
    let mut conversation: Option<Conversation> = None;
    let mut system = None;
    let (mut asks, mut replies): (Vec<(String, Vec<Shown>)>, Vec<String>) = Default::default();
    let mut patience = table.patience;
    let mut script = run.drawer.script(run.seed, index);
    loop {
        if client.context.cancel.is_cancelled() {
            ending = Ending::Interrupted;
            break;
        }
        script.saw(Seen { patience, tokens });
        if script.is_stopped()? {
            ending = stopped(table, patience);
            break;
        }
        if script.state().turn >= run.max_turns {
            if script.next().is_some() {
                ending = Ending::MaxTurns;
            }
            break;
        }
        let turn = match script.next() {
            None => break,
            Some(turn) => turn?,
        };
        let turn = match run.utterances.map(|set| set.message(index, turn.turn)) {
            None => turn,
            Some(Some(message)) => ScriptTurn { ask: message.to_owned(), ..turn },
            // The set holds fewer turns of this dialogue than of others.
            Some(None) if turn.turn > 1 => {
                ending = Ending::MaxTurns;
                break;
            }
            Some(None) => {
                ending = Ending::Failed(format!(
                    "the utterance set has no message for turn {}",
                    turn.turn
                ));
                break;
            }
        };
        if conversation.is_none() {
            system = system_message(run.system, turn.system.as_deref());
        }
        let conversation =
            conversation.get_or_insert_with(|| run.tested.model.conversation(system.as_deref()));
        let asked = Asked {
            run,
            index,
            turn: &turn,
            system: system.as_deref(),
            asks: &asks,
            replies: &replies,
        };
        let held = match asked.run_turn(client, conversation).await {
            Ok(held) => held,
            Err(Broken::Draw(error)) => return Err(error),
            Err(Broken::Call(failure)) => {
                ending = match failure.kind {
                    FailureKind::Stopped => Ending::Interrupted,
                    _ => Ending::Failed(failure.to_string()),
                };
                break;
            }
        };
        let Answered { first, extracted, verdicts, rounds, samples } = held;
        let first_no_text = first.no_text();
        let no_text = match rounds.last() {
            Some(round) => &round.no_text,
            None => &first_no_text,
        };
        patience =
            match (patience, table.patience, success_of(no_text.as_ref(), &verdicts, &rounds)) {
                (Some(left), _, Some(false)) => Some(left.saturating_sub(1)),
                (Some(_), whole, Some(true)) => whole,
                (left, ..) => left,
            };
        let answers = [(&first.text, &first.usage)].into_iter();
        for (answer, usage) in answers.chain(rounds.iter().map(|it| (&it.answer, &it.usage))) {
            // Counted as words by `\w+` where no endpoint reports its own.
            let words = || Text::new(answer).count(crate::text::Unit::WordPattern) as u64;
            tokens += usage.output.unwrap_or_else(words);
        }
        // Every turn that another follows has one.
        let history = turn.golden.clone().filter(|_| table.context == Context::Golden);
        let held = TranscriptTurn {
            script: turn,
            answer: first.text,
            no_text: first_no_text,
            reasoning: first.reasoning,
            note: first.note,
            stop: first.stop,
            usage: first.usage,
            extracted,
            verdicts,
            rounds,
            samples,
            history,
            patience,
        };
        conversation.say(Role::Assistant, held.reply());
        // Simulated judges look at nothing.
        if run.panel.makes_calls() {
            asks.push((held.script.ask.clone(), held.script.show.clone()));
        }
        replies.push(held.reply().to_owned());
        draft.turn(&held);
    }
    let line = draft.end(&ending);
    Ok((ending, line))
}

/// The system message: that of the run, then that of the dialogue, without empty
/// texts.
pub fn system_message(of_run: Option<&str>, of_dialogue: Option<&str>) -> Option<String> {
    let reported = of_run.into_iter().chain(of_dialogue);
    let reported: Vec<&str> = reported.filter(|text| !text.trim().is_empty()).collect();
    (!reported.is_empty()).then(|| reported.join("\n\n"))
}

/// The ending of a dialogue whose `end` holds.
fn stopped(table: &Dialogue, patience: Option<u32>) -> Ending {
    match &table.end {
        Some(end) if patience == Some(0) && end.mentions("patience") => Ending::Patience,
        Some(end) => Ending::Condition(crate::predicate::print::print(end)),
        None => Ending::Script,
    }
}
