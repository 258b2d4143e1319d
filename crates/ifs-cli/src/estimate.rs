//! `ifs run --dry-run`: the estimated cost of a run.
//!
//! The dialogues are run with a simulated model, which determines their lengths, and the messages
//! that the real model would receive are counted.

use super::exit::{CommandError, Exit};
use super::judges;
use super::load::counted;
use super::output::Output;
use ifs_author::synthesis::UtteranceSet;
use ifs_draw::{Drawer, Seed, ShownContent};
use ifs_inference::panel::{Panel, PanelJudge};
use ifs_inference::provider::{DEFAULT, Environment, Parameters, Timeouts, Usage, model};
use ifs_inference::{
    AdaptiveLimit, Allowance, BYTES_PER_TOKEN, Budget, Caller, CancelToken, Concurrency, Meter,
    Money, PoolEvent, Price, Prices, RequestContext, Retries, Spent, TOKENS_PER_PICTURE,
};
use ifs_judge::JudgePrompts;
use ifs_parts::parts::ExtractionRole;
use ifs_plan::Plan;
use ifs_run::{
    Extractors, RunContext, Selection, Transcript, recorded, replies, run_all, system_of,
};

/// The dialogues to estimate.
pub(crate) struct EstimateInput<'a> {
    pub drawer: &'a Drawer<'a>,
    pub seed: Seed,
    pub max_turns: u32,
    /// The number of responses to each turn.
    pub samples: u32,
    pub utterances: Option<&'a UtteranceSet>,
}

/// The models that would receive requests.
pub(crate) struct Callers<'a> {
    pub tested: &'a Caller,
    pub parameters: &'a Parameters,
    pub panel: &'a Panel,
    pub extractors: Option<&'a Extractors>,
    /// The budget of the run.
    pub allowance: Allowance,
}

/// The note below an estimate with only judges.
pub(crate) const JUDGES_NOTE: &str = "Estimated with 4 bytes per token and 40 tokens per statement \
of a judge; repeated requests and reasoning are not counted. No request was sent.";

/// Estimated tokens of a judge's reply about one item.
const VERDICT_TOKENS: u64 = 40;

/// Estimated tokens of an extraction program.
const PROGRAM_TOKENS: u64 = 40;

pub(crate) fn show(
    sketch: &EstimateInput<'_>,
    selection: &Selection,
    callers: &Callers<'_>,
    prices: &Prices,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let Callers { tested, parameters, panel, extractors, allowance } = *callers;
    let plan = sketch.drawer.plan();
    let prompts = judges::prompts(plan)?;
    let transcripts = simulated_transcripts(sketch, selection, &prompts)?;
    let counts = transcripts.iter().fold(EstimateCounts::default(), |counts, it| {
        counts.and(count(it, parameters, tested.price))
    });
    output.line(&format!(
        "{} of `{}` with {}",
        counted(transcripts.len(), "dialogue"),
        sketch.drawer.dialogue().table.name,
        tested.model.name(),
    ));
    let mut all = Total::default();
    report(tested, counts, prices, &mut all, output);
    if panel.makes_calls() {
        let system = parameters.system.as_deref();
        let each = counted_calls(panel, plan, &prompts, &transcripts, system)?;
        report_judges(panel, &each, prices, &mut all, output);
    }
    if let Some(extractors) = extractors {
        report_extractors(extractors, &transcripts, prices, &mut all, output);
    }
    all.report(allowance, output);
    output.line(&format!(
        "Estimated as if the model answered like {DEFAULT}, with {BYTES_PER_TOKEN} bytes per token \
         and {TOKENS_PER_PICTURE} tokens per picture; reasoning is not counted. No request was sent."
    ));
    let lasting =
        transcripts.iter().filter(|held| held.turns.len() as u32 >= sketch.max_turns).count();
    if lasting > 0 {
        output.line(&format!("{} of them reached --max-turns {}.", lasting, sketch.max_turns));
    }
    Ok(Exit::Good)
}

#[derive(Clone, Copy, Default)]
pub(crate) struct EstimateCounts {
    calls: u64,
    /// Tokens of requests and of responses.
    input: u64,
    output: u64,
    /// The cost, if there is a price.
    money: Money,
}

impl EstimateCounts {
    fn and(self, more: EstimateCounts) -> EstimateCounts {
        EstimateCounts {
            calls: self.calls + more.calls,
            input: self.input + more.input,
            output: self.output + more.output,
            money: self.money.plus(more.money),
        }
    }

    /// Counts the same request this many times.
    fn calls(times: u64, (input, output): (u64, u64), price: Option<Price>) -> EstimateCounts {
        let usage = Usage { input: Some(input), output: Some(output), ..Usage::default() };
        let each = price.map_or(Money::ZERO, |price| price.cost(&usage));
        let money = (0..times).fold(Money::ZERO, |sum, _| sum.plus(each));
        EstimateCounts { calls: times, input: times * input, output: times * output, money }
    }
}

/// The total over all models.
#[derive(Default)]
pub(crate) struct Total {
    counts: EstimateCounts,
    models: usize,
    /// Models without a price are not in the sum.
    unpriced: bool,
}

impl Total {
    fn add(&mut self, caller: &Caller, counts: EstimateCounts) {
        self.counts = self.counts.and(counts);
        self.models += 1;
        self.unpriced |= caller.price.is_none() && !caller.model.is_simulated();
    }

    pub fn report(&self, allowance: Allowance, output: &mut Output) {
        let EstimateCounts { calls, input, output: said, money } = self.counts;
        if self.models > 1 {
            let money = match self.unpriced {
                true => String::new(),
                false => format!(", {money}"),
            };
            output
                .line(&format!("in all       {calls} calls, {input} tokens in, {said} out{money}"));
        }
        let spent = Spent { calls, input, output: said, reasoning: 0, money };
        if let Some(what) = allowance.exceeded_by(&spent) {
            output.line(&format!("That is more than {what}: the run would stop before its end."));
        }
    }
}

fn report(
    caller: &Caller,
    counts: EstimateCounts,
    prices: &Prices,
    all: &mut Total,
    output: &mut Output,
) {
    all.add(caller, counts);
    output.line(&format!("calls        {}", counts.calls));
    output.line(&format!("tokens in    {}", counts.input));
    output.line(&format!("tokens out   {}", counts.output));
    if caller.price.is_some() {
        let money = counts.money;
        output.line(&format!("money        {money} at the prices of {}", prices.day()));
    } else if caller.model.is_simulated() {
        output.line("money        nothing: the model is simulated");
    } else {
        output.line("money        unknown: the model has no price (see `--prices`)");
    }
}

/// The requests to each judge of a panel.
pub(crate) fn report_judges(
    panel: &Panel,
    each: &[EstimateCounts],
    prices: &Prices,
    all: &mut Total,
    output: &mut Output,
) {
    for (judge, counts) in panel.judges.iter().zip(each) {
        match judge {
            PanelJudge::Simulated(name, _) => output.line(&format!("judge {name}: no calls")),
            PanelJudge::Model(caller) => {
                output.line(&format!("judge {}", caller.model.name()));
                report(caller, *counts, prices, all, output);
            }
        }
    }
}

/// The requests for extraction, if every first reply can be used.
pub(crate) fn report_extractors(
    extractors: &Extractors,
    transcripts: &[Transcript],
    prices: &Prices,
    all: &mut Total,
    output: &mut Output,
) {
    let roles = [
        (ExtractionRole::Coder, &extractors.coder),
        (ExtractionRole::Extractor, &extractors.extractor),
    ];
    for (role, caller) in roles {
        let Some(caller) = caller else { continue };
        let mut counts = EstimateCounts::default();
        for turn in transcripts.iter().flat_map(|held| &held.turns) {
            for (_, given) in turn.responses() {
                let asked = extractors.first_prompts(&turn.script, &given.answer).into_iter();
                for (_, prompt) in asked.filter(|(whom, _)| *whom == role) {
                    let copied = given.answer.len() as u64 / BYTES_PER_TOKEN + 1;
                    // At most the complete response is copied; a program is short.
                    let output =
                        if role == ExtractionRole::Coder { PROGRAM_TOKENS } else { copied };
                    let input = prompt.len() as u64 / BYTES_PER_TOKEN + 1;
                    counts = counts.and(EstimateCounts::calls(1, (input, output), caller.price));
                }
            }
        }
        let word = match role {
            ExtractionRole::Coder => "coder",
            ExtractionRole::Extractor if extractors.coder.is_some() => {
                "extractor, if the coder fails"
            }
            ExtractionRole::Extractor => "extractor",
        };
        output.line(&format!("{word}: {}", caller.model.name()));
        report(caller, counts, prices, all, output);
    }
}

/// The requests to each judge of a panel about recorded dialogues.
pub(crate) fn counted_calls(
    panel: &Panel,
    plan: &Plan,
    prompts: &JudgePrompts<'_>,
    transcripts: &[Transcript],
    system: Option<&str>,
) -> Result<Vec<EstimateCounts>, CommandError> {
    let price = |judge: &PanelJudge| match judge {
        PanelJudge::Simulated(..) => None,
        PanelJudge::Model(caller) => caller.price,
    };
    let prices: Vec<Option<Price>> = panel.judges.iter().map(price).collect();
    let mut each = vec![EstimateCounts::default(); prices.len()];
    for transcript in transcripts {
        let replies = replies(transcript);
        let system = system_of(system, transcript);
        let mut all = recorded(transcript, &replies, system.as_deref());
        all.retain(|recorded| recorded.no_text.is_none());
        for recorded in all {
            let asked =
                panel.prompts(plan, prompts, &recorded.case()).map_err(|(name, fault)| {
                    CommandError::input(format!(
                        "the template `{name}`, line {}: {fault}",
                        fault.line
                    ))
                })?;
            for prompt in &asked {
                let bytes = (prompt.system.len() + prompt.user.len()) as u64;
                let shown = prompt.pictures.len() as u64 * TOKENS_PER_PICTURE;
                let input = bytes / BYTES_PER_TOKEN + shown + 1;
                let said = (input, VERDICT_TOKENS * prompt.items.len() as u64);
                for (counts, price) in each.iter_mut().zip(&prices) {
                    let times = u64::from(panel.judging.repeats);
                    *counts = counts.and(EstimateCounts::calls(times, said, *price));
                }
            }
        }
    }
    Ok(each)
}

/// The dialogues, run against a simulated model.
fn simulated_transcripts(
    sketch: &EstimateInput<'_>,
    selection: &Selection,
    prompts: &JudgePrompts<'_>,
) -> Result<Vec<Transcript>, CommandError> {
    let parameters = Parameters::default();
    let simulated =
        model(DEFAULT, &parameters, &[], Timeouts::default(), &Environment::default(), |path| {
            Err(path.to_owned())
        })
        .map_err(|error| CommandError::infrastructure(error.to_string()))?;
    let cancel = CancelToken::new();
    let context = RequestContext {
        journal: None,
        cache: None,
        hidden: None,
        rounds: None,
        budget: Budget::new(Allowance::default(), Spent::default()),
        retries: Retries::default(),
        meter: Meter::default(),
        cancel: &cancel,
        room: tokio::sync::Notify::new(),
        ended: std::sync::OnceLock::new(),
    };
    let caller = Caller {
        model: simulated,
        limits: AdaptiveLimit::new(ifs_inference::Window::default()),
        price: None,
        requests: None,
        tokens: None,
        record: ifs_inference::CallerRecord::default(),
    };
    let panel = Panel::simulated_alone();
    let run = RunContext {
        drawer: sketch.drawer,
        tested: &caller,
        panel: &panel,
        prompts,
        extractors: None,
        system: None,
        seed: sketch.seed,
        max_turns: sketch.max_turns,
        samples: sketch.samples,
        utterances: sketch.utterances,
        repeat: ifs_run::Repeat::default(),
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut lines = Vec::new();
    let concurrency = Concurrency { threads, at_once: threads };
    run_all(&context, &run, &selection.dialogues, concurrency, |news| {
        if let PoolEvent::Done(_, held) = news {
            lines.push(held?.line);
        }
        Ok::<(), CommandError>(())
    })?;
    let read = |line: &String| serde_json::from_str(line);
    lines
        .iter()
        .map(read)
        .collect::<Result<_, _>>()
        .map_err(|error| CommandError::infrastructure(error.to_string()))
}

/// The estimate for a dialogue.
fn count(transcript: &Transcript, parameters: &Parameters, price: Option<Price>) -> EstimateCounts {
    let system = parameters.system.as_deref().map_or(0, str::len) as u64;
    let most = parameters.max_tokens.unwrap_or(u64::MAX);
    let tokens = |bytes: u64| bytes / BYTES_PER_TOKEN + 1;
    let mut counts = EstimateCounts::default();
    let (mut history, mut pictures) = (system, 0);
    for turn in &transcript.turns {
        for shown in &turn.script.show {
            match shown {
                ShownContent::Text(line) => history += line.len() as u64 + 1,
                ShownContent::Tool { name, text } => history += (name.len() + text.len()) as u64,
                ShownContent::Image(_) => pictures += TOKENS_PER_PICTURE,
            }
        }
        history += turn.script.ask.len() as u64;
        if turn.is_given() {
            history += turn.reply().len() as u64;
            continue;
        }
        let said = |answer: &str| tokens(answer.len() as u64).min(most);
        let first = turn.samples.first().map_or("", |first| &first.answer);
        let answers = turn.samples.len() as u64;
        let call = (tokens(history) + pictures, said(first));
        counts = counts.and(EstimateCounts::calls(answers, call, price));
        for round in &turn.rounds {
            let asked = tokens(history + (first.len() + round.ask.len()) as u64);
            let call = (asked + pictures, said(&round.sample.answer));
            counts = counts.and(EstimateCounts::calls(1, call, price));
        }
        history += turn.reply().len() as u64;
    }
    counts
}
