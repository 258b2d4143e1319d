//! `ifs agreement`

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::exit::{CommandError, Exit};
use super::load::counted;
use super::output::Output;
use super::{Format, judging, recorded, score};
use ifs_base::world::MAX_FILE_BYTES;
use ifs_inference::panel::{HumanLabel, LabelKey, LabelValue, labels};
use ifs_judge::{VerdictRecord, Vote, VoteValue};
use ifs_model::table::Scale;
use ifs_plan::Plan;
use ifs_run::{Folder, Transcript, scale, scored_as_held};
use ifs_score::agreement::{
    AgreementEstimate, AgreementMeasure, RatedItem, RaterDifference, estimate,
};
use ifs_score::{DecisionMethod, Outcome, ScoredDialogue, number_texts};

/// Measure the agreement of the judges of a run: with one another, and with people.
///
/// The judges are those of the run and of every judging of it that `ifs score --judge` made; each
/// repeat of a judge counts as a rater. Human labels come from a CSV file with the columns
/// dialogue, index, turn, constraint and label, and optionally rater and sample.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs agreement runs/gpt-4o
  ifs agreement runs/gpt-4o --labels labels.csv --format json")]
pub(crate) struct Args {
    /// The folder of a run
    run: PathBuf,
    /// Human labels, as CSV
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Seed of the bootstrap
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Exit with status 0 even if the run is not complete
    #[arg(long)]
    allow_incomplete: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let folder = Folder::open(&args.run)?;
    let manifest = folder.manifest()?;
    let plan = recorded::plan(&folder, &manifest)?;
    let mut readings = Readings::new(&plan);
    let mut transcripts = Vec::new();
    let mut gaps = folder.each_transcript(&manifest, |transcript| transcripts.push(transcript))?;
    readings.number(&transcripts, manifest.distinct);
    let alone = manifest.judging.as_ref().and_then(|judging| judging.judges.first());
    let alone = alone.map_or("sim/judge", |judge| judge.model.as_str());
    readings.take(&transcripts, "", alone);
    for name in judging::judging_names(&folder) {
        let (written, judged) = judging::read(&folder, &name)?;
        let mut again = transcripts.clone();
        for transcript in &mut again {
            match judged.get(&(transcript.dialogue.clone(), transcript.index)) {
                Some(found) => found.put_into(transcript),
                None => gaps.unjudged += transcript.turns.len() as u64,
            }
        }
        gaps.unjudged += written.failed;
        let alone = written.judging.judges.first();
        readings.take(&again, &name, alone.map_or("sim/judge", |judge| judge.model.as_str()));
    }
    if let Some(path) = &args.labels {
        let shown = path.display();
        let text = ifs_base::world::read_text(path, MAX_FILE_BYTES)
            .map_err(|error| CommandError::input(format!("`{shown}`: {error}")))?;
        let read = labels(&text)
            .map_err(|(line, why)| CommandError::input(format!("`{shown}`, line {line}: {why}")))?;
        for label in &read {
            let said = readings.label(label);
            said.map_err(|why| {
                CommandError::input(format!("`{shown}`, line {}: {why}", label.line))
            })?;
        }
    }
    let incomplete = gaps.warning();
    if let Some(warning) = &incomplete {
        output.warn(&format!("`{}`: {warning}", args.run.display()));
    }
    let found = Agreement { incomplete, ..readings.agreement(args.seed) };
    match args.format {
        Format::Json => {
            let json = serde_json::to_string_pretty(&found);
            output
                .json_line(&json.map_err(|error| CommandError::infrastructure(error.to_string()))?);
        }
        Format::Text => report(&found, output),
    }
    Ok(score::exit_of(&gaps, args.allow_incomplete))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum RaterKind {
    Judge,
    /// The aggregated votes.
    Panel,
    Person,
}

/// The votes of all raters on all items.
struct Readings<'p> {
    plan: &'p Plan,
    raters: Vec<(RaterKind, String)>,
    things: BTreeMap<LabelKey, ItemVotes>,
    /// The number of each dialogue's text.
    texts: BTreeMap<(String, u64), usize>,
    simulated: bool,
}

#[derive(Default)]
struct ItemVotes {
    scale: Option<Scale>,
    /// By rater: whether the item passes, and the mark.
    said: BTreeMap<usize, (bool, Option<i64>)>,
}

#[derive(Serialize)]
struct Agreement {
    /// The gaps of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete: Option<String>,
    /// Whether one of the raters is simulated.
    simulated: bool,
    raters: Vec<Rater>,
    comparisons: Vec<RaterComparison>,
}

#[derive(Serialize)]
struct Rater {
    name: String,
    kind: RaterKind,
    things: u64,
}

/// The agreement between some raters.
#[derive(Serialize)]
struct RaterComparison {
    raters: Vec<String>,
    /// The kind of values: `verdicts` (pass or miss) or `marks`.
    of: &'static str,
    #[serde(flatten)]
    found: AgreementEstimate,
}

impl<'p> Readings<'p> {
    fn new(plan: &'p Plan) -> Readings<'p> {
        let (raters, things) = (Vec::new(), BTreeMap::new());
        Readings { plan, raters, things, texts: BTreeMap::new(), simulated: false }
    }

    /// Numbers the texts of a run, since repeats of a text are resampled together.
    fn number(&mut self, transcripts: &[Transcript], distinct: bool) {
        let of = |transcript: &Transcript| scored_as_held(self.plan, transcript);
        let mut dialogues: Vec<ScoredDialogue> = transcripts.iter().map(of).collect();
        number_texts(&mut dialogues, distinct);
        for (at, dialogue) in dialogues.into_iter().enumerate() {
            let text = dialogue.text.and_then(|text| usize::try_from(text).ok());
            self.texts.insert((dialogue.dialogue, dialogue.index), text.unwrap_or(at));
        }
    }

    fn rater(&mut self, kind: RaterKind, name: String) -> usize {
        let rater = (kind, name);
        self.raters.iter().position(|known| *known == rater).unwrap_or_else(|| {
            self.raters.push(rater);
            self.raters.len() - 1
        })
    }

    /// Collects the votes in transcripts under the name of a judging. A verdict without votes is
    /// the vote of `alone`.
    fn take(&mut self, transcripts: &[Transcript], judging: &str, alone: &str) {
        for transcript in transcripts {
            for turn in &transcript.turns {
                for (place, given) in turn.responses().filter(|(place, _)| place.round == 0) {
                    for verdict in
                        given.verdicts.iter().filter(|one| one.by != DecisionMethod::Rule)
                    {
                        let key = verdict.key();
                        let scale = scale(self.plan, &turn.script, &key).cloned();
                        let about = (
                            transcript.dialogue.clone(),
                            transcript.index,
                            turn.script.turn,
                            place.sample,
                            key,
                        );
                        self.verdict(about, (verdict, scale), judging, alone);
                    }
                }
            }
        }
    }

    fn verdict(
        &mut self,
        about: LabelKey,
        (verdict, scale): (&VerdictRecord, Option<Scale>),
        judging: &str,
        alone: &str,
    ) {
        self.simulated |= verdict.by == DecisionMethod::SimulatedJudge;
        let named = |name: &str| match judging {
            "" => name.to_owned(),
            judging => format!("{name} ({judging})"),
        };
        let mut said: Vec<(usize, (bool, Option<i64>))> = Vec::new();
        let outcome = match verdict.outcome {
            Outcome::Held => Some(true),
            Outcome::Missed => Some(false),
            // An outcome that was decided otherwise is not a judge's verdict.
            _ => None,
        };
        for Vote { judge, repeat, value: vote, .. } in &verdict.votes {
            let name = match repeat {
                0 => judge.clone(),
                repeat => format!("{judge} #{}", repeat + 1),
            };
            let rater = self.rater(RaterKind::Judge, named(&name));
            let mark = match vote {
                VoteValue::Mark(mark) => Some(*mark),
                VoteValue::Yes | VoteValue::No | VoteValue::Unreadable => None,
            };
            said.extend(vote.passes(scale.as_ref()).map(|passed| (rater, (passed, mark))));
        }
        if verdict.votes.len() != 1
            && let Some(passed) = outcome
        {
            let (kind, name) = match verdict.votes.len() {
                0 => (RaterKind::Judge, alone),
                _ => (RaterKind::Panel, "panel"),
            };
            said.push((self.rater(kind, named(name)), (passed, None)));
        }
        let read = self.things.entry(about).or_default();
        read.scale = scale;
        read.said.extend(said);
    }

    fn label(&mut self, label: &HumanLabel) -> Result<(), String> {
        let rater = self.rater(RaterKind::Person, label.rater.clone());
        let Some(read) = self.things.get_mut(&label.about) else {
            let (dialogue, index, turn, _, constraint) = &label.about;
            return Err(format!(
                "nothing was judged about `{constraint}` on turn {turn} of {dialogue} {index}"
            ));
        };
        let said = match (label.said, &read.scale) {
            (LabelValue::Held(held), _) => (held, None),
            (LabelValue::Number(mark), Some(scale)) => {
                if !(scale.low..=scale.high).contains(&mark) {
                    return Err(format!(
                        "the mark {mark} is not on the scale from {} to {}",
                        scale.low, scale.high
                    ));
                }
                (scale.passes(mark), Some(mark))
            }
            (LabelValue::Number(0), None) => (false, None),
            (LabelValue::Number(1), None) => (true, None),
            (LabelValue::Number(mark), None) => {
                return Err(format!("{mark} is a mark, and this has no scale"));
            }
        };
        match read.said.insert(rater, said) {
            None => Ok(()),
            Some(_) => Err(format!("`{}` labels this twice", label.rater)),
        }
    }

    /// Verdicts, or marks, as rated items.
    fn rated_items(&self, marks: bool) -> Vec<RatedItem> {
        let read = self.things.iter().map(|((dialogue, index, ..), read)| {
            let dialogue = self.texts.get(&(dialogue.clone(), *index)).copied().unwrap_or(0);
            let value = |rater: usize| {
                let (passed, mark) = read.said.get(&rater)?;
                if marks { *mark } else { Some(i64::from(*passed)) }
            };
            RatedItem { dialogue, values: (0..self.raters.len()).map(value).collect() }
        });
        read.collect()
    }

    fn agreement(&self, seed: u64) -> Agreement {
        let (verdicts, marks) = (self.rated_items(false), self.rated_items(true));
        let mut comparisons = Vec::new();
        let mut compare = |of, measure, raters: &[usize], things: &[RatedItem]| {
            let found = estimate(measure, things, raters, seed);
            if found.things > 0 {
                let raters = raters.iter().map(|at| self.raters[*at].1.clone()).collect();
                comparisons.push(RaterComparison { raters, of, found });
            }
        };
        for (one, (kind, _)) in self.raters.iter().enumerate() {
            for (other, (with, _)) in self.raters.iter().enumerate().skip(one + 1) {
                // A panel agrees with its own members.
                let (low, high) = (kind.min(with), kind.max(with));
                if *high == RaterKind::Panel && *low != RaterKind::Person {
                    continue;
                }
                compare("verdicts", AgreementMeasure::Agreement, &[one, other], &verdicts);
                compare("verdicts", AgreementMeasure::CohenKappa, &[one, other], &verdicts);
            }
        }
        for kind in [RaterKind::Judge, RaterKind::Person] {
            let all: Vec<usize> =
                (0..self.raters.len()).filter(|at| self.raters[*at].0 == kind).collect();
            if all.len() < 2 {
                continue;
            }
            compare("verdicts", AgreementMeasure::FleissKappa, &all, &verdicts);
            let alpha = AgreementMeasure::KrippendorffAlpha;
            compare("verdicts", alpha(RaterDifference::Nominal), &all, &verdicts);
            compare("marks", alpha(RaterDifference::Ordinal), &all, &marks);
            compare("marks", alpha(RaterDifference::Interval), &all, &marks);
        }
        let raters = self.raters.iter().enumerate().map(|(at, (kind, name))| Rater {
            name: name.clone(),
            kind: *kind,
            things: self.things.values().filter(|read| read.said.contains_key(&at)).count() as u64,
        });
        Agreement {
            incomplete: None,
            simulated: self.simulated,
            raters: raters.collect(),
            comparisons,
        }
    }
}

fn report(found: &Agreement, output: &mut Output) {
    if let Some(warning) = &found.incomplete {
        output.line(&format!("! {warning}"));
    }
    if found.simulated {
        output.line("! SIMULATED JUDGE: this says nothing about a real one");
    }
    for rater in &found.raters {
        let kind = match rater.kind {
            RaterKind::Judge => "judge",
            RaterKind::Panel => "panel",
            RaterKind::Person => "person",
        };
        output.line(&format!("{kind:6}  {}  read {}", rater.name, rater.things));
    }
    if found.comparisons.is_empty() {
        output.line("No two of them rated the same item.");
    }
    let mut before: Option<&[String]> = None;
    for comparison in &found.comparisons {
        if before != Some(&comparison.raters[..]) {
            output.line("");
            output.line(&comparison.raters.join(", "));
        }
        before = Some(&comparison.raters);
        output.line(&row(comparison));
    }
}

fn row(comparison: &RaterComparison) -> String {
    let AgreementEstimate { measure, value, interval, things, dialogues, undefined_resamples } =
        &comparison.found;
    let name = match measure {
        AgreementMeasure::Agreement => "agreement",
        AgreementMeasure::CohenKappa => "Cohen's kappa",
        AgreementMeasure::FleissKappa => "Fleiss' kappa",
        AgreementMeasure::KrippendorffAlpha(RaterDifference::Nominal) => "Krippendorff's alpha",
        AgreementMeasure::KrippendorffAlpha(RaterDifference::Ordinal) => "alpha of marks, ordinal",
        AgreementMeasure::KrippendorffAlpha(RaterDifference::Interval) => {
            "alpha of marks, interval"
        }
    };
    let value = match value {
        Some(value) => format!("{value:.3}"),
        None => "undefined, all agree".to_owned(),
    };
    let mut text = format!("  {name:24}  {value:>6}");
    if let Some((low, high)) = interval {
        text.push_str(&format!("  95 %: {low:.3} to {high:.3}"));
    }
    let dialogues = counted(usize::try_from(*dialogues).unwrap_or(usize::MAX), "dialogue");
    text.push_str(&format!("  of {things} in {dialogues}"));
    if *undefined_resamples > 0 {
        text.push_str(&format!(", undefined in {undefined_resamples} of 1000 resamples"));
    }
    text
}
