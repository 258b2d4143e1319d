//! The part of an audit that asks judges.

use crate::estimate::{self, counted_calls};
use crate::exit::CommandError;
use crate::judges::{self, JudgeArgs};
use crate::load::counted;
use crate::output::Output;
use crate::progress::{ProgressLine, summary};
use crate::requests::{RequestArgs, cancel_on_interrupt};
use ifs_audit::{
    JudgeAudit, JudgedCase, Options, judge_audit, judged_cases, judged_sample, known_cases,
};
use ifs_draw::{ScriptTurn, Seed};
use ifs_inference::panel::Panel;
use ifs_inference::{Client, Concurrency, PoolEvent, run_in_pool};
use ifs_judge::VerdictRecord;
use ifs_plan::Plan;
use ifs_run::{Readers, Sample, Transcript, TranscriptTurn, judge_again};
use ifs_score::Ending;

/// The judges of an audit.
pub(super) struct JudgedAudit<'a> {
    pub plan: &'a Plan,
    pub dialogues: &'a [&'a str],
    pub seed: Seed,
    /// The most turns on which judges are asked.
    pub turns: usize,
    pub options: &'a Options,
    pub judges: &'a JudgeArgs,
    pub requests: &'a RequestArgs,
}

/// The texts for one plan: as it is, or with questions in place of rules.
struct JudgedTexts {
    plan: Plan,
    cases: Vec<JudgedCase>,
    transcripts: Vec<Transcript>,
}

impl JudgedAudit<'_> {
    fn texts(&self) -> Result<[JudgedTexts; 2], CommandError> {
        let sample = judged_sample(self.seed);
        let judged = judged_cases(self.plan, self.dialogues, sample, self.options, self.turns)?;
        let (asking, known) = known_cases(self.plan, self.dialogues, sample)?;
        let texts = |plan: Plan, cases: Vec<JudgedCase>| {
            let transcripts = cases.iter().map(|case| transcript(case, self.seed)).collect();
            JudgedTexts { plan, cases, transcripts }
        };
        Ok([texts(self.plan.clone(), judged), texts(asking, known)])
    }

    /// Prints the number of requests and their estimated cost.
    pub fn estimate(&self, output: &mut Output) -> Result<(), CommandError> {
        let prices = self.requests.prices()?;
        let panel = self.judges.panel("", false, self.requests, &prices)?;
        let mut all = estimate::Total::default();
        for texts in &self.texts()? {
            output.line(&format!("{} to judge", counted(texts.cases.len(), "text")));
            let prompts = judges::prompts(&texts.plan)?;
            let calls = counted_calls(&panel, &texts.plan, &prompts, &texts.transcripts, None)?;
            estimate::report_judges(&panel, &calls, &prices, &mut all, output);
        }
        all.report(self.requests.allowance(), output);
        Ok(())
    }

    /// Asks the judges about every text.
    pub fn ask(&self, output: &mut Output) -> Result<JudgeAudit, CommandError> {
        let prices = self.requests.prices()?;
        let panel = self.judges.panel("", false, self.requests, &prices)?;
        judges::warn(&panel.judging, "", output);
        let cancel = cancel_on_interrupt();
        let context = self.requests.context(None, Default::default(), cancel)?;
        let (mut cases, mut verdicts) = (Vec::new(), Vec::new());
        for texts in self.texts()? {
            let found = judged(&texts, &panel, &context, self.requests, output)?;
            cases.extend(texts.cases);
            verdicts.extend(found);
        }
        if panel.makes_calls() {
            output.note(&summary(&context, &prices.day()));
        }
        let names = panel.judging.judges.iter().map(|judge| judge.model.clone()).collect();
        Ok(judge_audit(names, &cases, &verdicts))
    }
}

/// A text as a recorded dialogue whose last response is judged.
fn transcript(case: &JudgedCase, seed: Seed) -> Transcript {
    let last = case.turns.len().saturating_sub(1);
    let turn = |(at, turn): (usize, &ScriptTurn)| {
        let recorded = TranscriptTurn::from_given(turn.clone());
        let sample = || Sample {
            answer: case.answer.clone(),
            note: Some(case.note.clone()),
            ..Sample::default()
        };
        match at == last {
            true => TranscriptTurn { samples: vec![sample()], ..recorded },
            false => recorded,
        }
    };
    Transcript {
        dialogue: case.dialogue.clone(),
        index: case.index,
        seed: seed.0,
        turns: case.turns.iter().enumerate().map(turn).collect(),
        ending: Ending::Script,
    }
}

/// The verdicts on the last response of each text.
fn judged(
    texts: &JudgedTexts,
    panel: &Panel,
    context: &ifs_inference::RequestContext<'_>,
    requests: &RequestArgs,
    output: &mut Output,
) -> Result<Vec<Vec<VerdictRecord>>, CommandError> {
    let prompts = judges::prompts(&texts.plan)?;
    let readers =
        Readers { panel, plan: &texts.plan, prompts: &prompts, system: None, extractors: None };
    let mut verdicts = vec![Vec::new(); texts.transcripts.len()];
    let at_once = if panel.makes_calls() { requests.concurrent_dialogues() } else { 1 };
    let mut progress = ProgressLine::new(texts.transcripts.len());
    let mut failed = 0;
    let judge = async |client: &Client<'_>, at: usize| {
        judge_again(client, &readers, &texts.transcripts[at]).await
    };
    let concurrency = Concurrency { threads: 1, at_once };
    let outcome = run_in_pool(context, texts.transcripts.len(), concurrency, judge, |news| {
        if let PoolEvent::Done(at, mut judged) = news {
            failed += judged.failed;
            let last = judged.turns.pop().and_then(|mut turn| turn.responses.pop());
            verdicts[at] = last.map_or_else(Vec::new, |response| response.verdicts);
            progress.finish_line();
        }
        progress.show(context, output);
        Ok::<(), std::io::Error>(())
    });
    output.progress("");
    outcome.map_err(|error| CommandError::infrastructure(error.to_string()))?;
    if let Some(why) = context.ended.get() {
        return Err(CommandError::infrastructure(why.to_string())
            .help("with `--cache FOLDER`, the same command does not pay again"));
    }
    if failed > 0 {
        return Err(CommandError::infrastructure(format!("{failed} requests to judges failed"))
            .help("with `--cache FOLDER`, the same command does not pay again"));
    }
    Ok(verdicts)
}
