//! Estimates the cost of synthesis: prompts are built, but no request is sent.

use std::collections::BTreeMap;

use super::{MessageChecker, MessageRequirements, SynthesisAgent, SynthesisFailure, Voice};
use ifs_inference::provider::Usage;
use ifs_inference::{BYTES_PER_TOKEN, Caller, Spent};

/// The estimated length of a checker's reply, in characters.
const VERDICT_CHARACTERS: usize = 60;

impl SynthesisAgent<'_> {
    /// Adds the cost of a dialogue, by model, if each turn passes at the first attempt.
    pub fn estimate(
        &self,
        index: u64,
        into: &mut BTreeMap<String, Spent>,
    ) -> Result<(), SynthesisFailure> {
        let turns = self.script(index)?;
        let open = turns.iter();
        let open =
            open.filter(|turn| turn.given.is_none() && self.written(index, turn.turn).is_none());
        for turn in open {
            let intention =
                MessageRequirements::from_script(self.drawer, (self.seed, index), &turns, turn)?;
            let words = intention.plain.as_str();
            let mut ask =
                |caller: &Caller, prompt: &str, answer: usize| -> Result<(), SynthesisFailure> {
                    let prompt = self.prompts.render(prompt, intention.fields(Some(words)))?;
                    add(caller, prompt.len(), answer, into);
                    Ok(())
                };
            if let Voice::Model(caller) = &self.synthesizer(index).voice {
                ask(caller, "write.j2", words.len())?;
            }
            if let MessageChecker::Model(caller) = &self.checker {
                if intention.moves() {
                    ask(caller, "check_topic.j2", VERDICT_CHARACTERS)?;
                }
                ask(caller, "check_message.j2", VERDICT_CHARACTERS)?;
            }
        }
        Ok(())
    }
}

fn add(caller: &Caller, read: usize, written: usize, into: &mut BTreeMap<String, Spent>) {
    let system = caller.model.system().map_or(0, str::len);
    let tokens = |bytes: usize| Some(bytes as u64 / BYTES_PER_TOKEN + 1);
    let usage = Usage { input: tokens(system + read), output: tokens(written), ..Usage::default() };
    into.entry(caller.model.name().to_owned()).or_default().add(&Spent {
        calls: 1,
        input: usage.input.unwrap_or(0),
        output: usage.output.unwrap_or(0),
        reasoning: 0,
        money: caller.price.map(|price| price.cost(&usage)).unwrap_or_default(),
    });
}
