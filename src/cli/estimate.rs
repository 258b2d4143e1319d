//! `ifs run --dry-run`: what a run would cost.
//!
//! The dialogues are held with a simulated model, which tells how long they get,
//! and the messages that the real one would see are counted.

use super::exit::{Exit, Problem};
use super::load::counted;
use super::output::Output;
use crate::calls::{
    Allowance, BYTES_A_TOKEN, Budget, Caller, Calls, Crew, Limits, Meter, News, Prices, Retries,
    Spent, Stop,
};
use crate::provider::{DEFAULT, Environment, Parameters, Timeouts, Usage, model};
use crate::run::{Selection, Talks, Transcript, run_all};
use crate::script::{Drawer, Seed};
use crate::synthesis::WordSet;

/// The dialogues in question.
pub(crate) struct Sketch<'a> {
    pub drawer: &'a Drawer<'a>,
    pub seed: Seed,
    pub max_turns: u32,
    pub words: Option<&'a WordSet>,
}

pub(crate) fn show(
    sketch: &Sketch<'_>,
    selection: &Selection,
    caller: &Caller,
    parameters: &Parameters,
    prices: &Prices,
    output: &mut Output,
) -> Result<Exit, Problem> {
    let transcripts = played(sketch, selection)?;
    let usage = transcripts.iter().fold((0, 0, 0), |(calls, input, output), transcript| {
        let (more, read, written) = counts(transcript, parameters);
        (calls + more, input + read, output + written)
    });
    let (calls, read, written) = usage;
    output.line(&format!(
        "{} of `{}` with {}",
        counted(transcripts.len(), "dialogue"),
        sketch.drawer.dialogue().table.name,
        caller.model.name(),
    ));
    output.line(&format!("calls        {calls}"));
    output.line(&format!("tokens in    {read}"));
    output.line(&format!("tokens out   {written}"));
    if let Some(price) = caller.price {
        let usage = Usage { input: Some(read), output: Some(written), ..Usage::default() };
        output.line(&format!(
            "money        {} by the prices of {}",
            price.of(&usage),
            prices.as_of
        ));
    } else if caller.model.is_simulated() {
        output.line("money        nothing: the model is simulated");
    } else {
        output.line("money        unknown: the model has no price (see `--prices`)");
    }
    output.line(&format!(
        "Estimated as if the model answered like {DEFAULT}, with {BYTES_A_TOKEN} bytes to a token; \
         reasoning is not counted. No call was made."
    ));
    let lasting =
        transcripts.iter().filter(|held| held.turns.len() as u32 >= sketch.max_turns).count();
    if lasting > 0 {
        output.line(&format!("{} of them came to --max-turns {}.", lasting, sketch.max_turns));
    }
    Ok(Exit::Good)
}

/// The dialogues as a simulated model would hold them.
fn played(sketch: &Sketch<'_>, selection: &Selection) -> Result<Vec<Transcript>, Problem> {
    let parameters = Parameters::default();
    let simulated =
        model(DEFAULT, &parameters, &[], Timeouts::default(), &Environment::default(), |path| {
            Err(path.to_owned())
        })
        .map_err(|error| Problem::machine(error.to_string()))?;
    let stop = Stop::new();
    let calls = Calls {
        journal: None,
        cache: None,
        budget: Budget::new(Allowance::default(), Spent::default()),
        retries: Retries::default(),
        meter: Meter::default(),
        stop: &stop,
        ended: std::sync::OnceLock::new(),
    };
    let caller = Caller {
        model: simulated,
        limits: Limits::new(crate::calls::Window::default()),
        price: None,
        requests: None,
        tokens: None,
    };
    let talks = Talks {
        drawer: sketch.drawer,
        tested: &caller,
        system: None,
        seed: sketch.seed,
        max_turns: sketch.max_turns,
        words: sketch.words,
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut lines = Vec::new();
    let crew = Crew { threads, at_once: threads };
    run_all(&calls, &talks, &selection.dialogues, crew, |news| {
        if let News::Done(_, held) = news {
            lines.push(held.line);
        }
        Ok::<(), std::io::Error>(())
    })
    .map_err(|error| Problem::machine(error.to_string()))?;
    let read = |line: &String| serde_json::from_str(line);
    lines
        .iter()
        .map(read)
        .collect::<Result<_, _>>()
        .map_err(|error| Problem::machine(error.to_string()))
}

/// Calls, tokens of requests and tokens of answers of a dialogue.
fn counts(transcript: &Transcript, parameters: &Parameters) -> (u64, u64, u64) {
    let system = parameters.system.as_deref().map_or(0, str::len) as u64;
    let (mut calls, mut input, mut output) = (0, 0, 0);
    let mut history = system;
    for turn in &transcript.turns {
        let answers = 1 + turn.samples.len() as u64;
        let most = parameters.max_tokens.unwrap_or(u64::MAX);
        history += turn.script.ask.len() as u64;
        calls += answers;
        input += answers * (history / BYTES_A_TOKEN + 1);
        output += answers * (turn.answer.len() as u64 / BYTES_A_TOKEN + 1).min(most);
        history += turn.answer.len() as u64;
    }
    (calls, input, output)
}
