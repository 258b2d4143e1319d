//! Runs one dialogue, turn by turn.

use super::context::RunContext;
use super::redact::recorded;
use super::state::{DialogueState, NextTurn, say, system_message};
use super::transcript::TranscriptDraft;
use super::turn::{TurnContext, TurnFailure};
use ifs_draw::{DrawError, ScriptTurn};
use ifs_inference::Client;
use ifs_inference::provider::{Conversation, FailureKind, MessageRole};
use ifs_model::table::Overflow;
use ifs_score::{Ending, NoText};

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
    let state = DialogueState::new(run.drawer, run.seed, index, run.max_turns);
    run_from(client, run, index, state).await
}

/// Runs a dialogue of turns that are drawn already.
///
/// # Errors
/// An error of the scenario that prevents writing a message.
pub async fn run_turns(
    client: &Client<'_>,
    run: &RunContext<'_>,
    index: u64,
    turns: Vec<ScriptTurn>,
) -> Result<(Ending, String), DrawError> {
    run_from(client, run, index, DialogueState::of_turns(run.drawer, turns)).await
}

async fn run_from(
    client: &Client<'_>,
    run: &RunContext<'_>,
    index: u64,
    mut state: DialogueState<'_>,
) -> Result<(Ending, String), DrawError> {
    let table = run.drawer.dialogue().table;
    let mut draft = TranscriptDraft::new(&table.name, index, run.seed.0);
    // Begun when the first turn says what comes before it.
    let mut conversation: Option<Conversation> = None;
    let mut system = None;
    let mut is_beyond_context = false;
    let ending = loop {
        if client.context.cancel.is_cancelled() {
            break Ending::Interrupted;
        }
        let turn = match state.next_turn()? {
            NextTurn::Over(ending) => break ending,
            NextTurn::Turn(turn) => *turn,
        };
        let set = run.utterances.filter(|_| turn.given.is_none());
        let turn = match set.map(|set| set.message(index, turn.turn)) {
            None => turn,
            Some(Some(message)) => ScriptTurn { ask: message.to_owned(), ..turn },
            // The set holds fewer turns of this dialogue than of others.
            Some(None) if turn.turn > 1 => break Ending::MaxTurns,
            Some(None) => {
                let why = format!("the utterance set has no message for turn {}", turn.turn);
                break Ending::PermanentFailure(why);
            }
        };
        if conversation.is_none() {
            system = system_message(run.system, turn.system.as_deref());
        }
        let conversation =
            conversation.get_or_insert_with(|| run.tested.model.conversation(system.as_deref()));
        let keep = |held| match &client.context.hidden {
            Some(hidden) => recorded(hidden, run.drawer.plan(), table, held),
            None => held,
        };
        // Simulated judges need no messages.
        let keep_asks = run.panel.makes_calls();
        if turn.given.is_some() {
            let pictures = &run.drawer.plan().model.pictures;
            if let Err(failure) = say(conversation, &turn, &turn.ask, pictures) {
                break Ending::PermanentFailure(failure.to_string());
            }
            let held = state.finish_given(turn, keep_asks);
            conversation.push_text(MessageRole::Assistant, held.reply());
            draft.turn(&keep(held));
            continue;
        }
        let asked = TurnContext {
            run,
            index,
            turn: &turn,
            system: system.as_deref(),
            asks: state.asks(),
            replies: state.replies(),
            is_beyond_context,
        };
        let (samples, rounds) = match asked.run_turn(client, conversation).await {
            Ok(responses) => responses,
            Err(TurnFailure::Draw(error)) => return Err(error),
            Err(TurnFailure::Call(failure)) => {
                break match failure.kind {
                    FailureKind::Stopped => Ending::Interrupted,
                    FailureKind::Permanent => Ending::PermanentFailure(failure.to_string()),
                    _ => Ending::Failed(failure.to_string()),
                };
            }
        };
        if samples.first().is_some_and(|first| first.no_text == Some(NoText::ContextLength)) {
            match table.overflow {
                Overflow::Omitted => break Ending::ContextLength,
                Overflow::Missed => is_beyond_context = true,
            }
        }
        let held = state.answered(turn, samples, rounds, keep_asks);
        conversation.push_text(MessageRole::Assistant, held.reply());
        draft.turn(&keep(held));
    };
    // Patience that is spent by turns that do not fit is spent by misses.
    let ending = match ending {
        Ending::Condition(_) | Ending::Script | Ending::MaxTurns if is_beyond_context => {
            Ending::ContextLength
        }
        ending => ending,
    };
    let line = draft.end(&ending);
    Ok((ending, line))
}
