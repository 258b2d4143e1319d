//! `ifs preview`

use std::collections::BTreeMap;
use std::path::PathBuf;

use base64::prelude::{BASE64_STANDARD, Engine as _};

use super::exit::{CommandError, Exit};
use super::output::Output;
use super::{distinct, load};
use ifs_audit::{Options, SampleSize};
use ifs_base::diagnostic::Severity;
use ifs_base::parallel::{in_order, workers};
use ifs_base::replace;
use ifs_base::source::Places;
use ifs_draw::preview::VarietyMeasure;
use ifs_draw::proof::{Prover, Steps, survey};
use ifs_draw::{DrawError, Drawer, ScriptTurn, Seed, ShownImage};
use ifs_model::table::DrawFrom;
use ifs_plan::{DialoguePlan, Plan, analysis};
use ifs_predicate::evaluate::record_meets;
use ifs_report::chat::{ChatView, TurnView, article};
use ifs_report::{Lengths, PossibleFeatures, Preview, PreviewWarning};
use ifs_sets::{Coverage, SetRow, SetTurn, count_coverage};

/// Write a page to read before a release.
///
/// It shows dialogues as chats with their active constraints and witnesses, what the checker and
/// `check --deep` warn of, what the sample covers, the frequencies declared and drawn, the variety
/// of the wording, and lengths. The page is one file that loads nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs preview scenarios/evolif/evolif.ifs --out preview.html
  ifs preview a.ifs -n 50 --turns 10 --out preview.html
  ifs preview a.ifs -d short --variant impatient > preview.html")]
pub(crate) struct Args {
    #[command(flatten)]
    which: load::DialogueArgs,
    /// Number of dialogues to show
    #[arg(short = 'n', long, default_value_t = 20, value_parser = count)]
    count: u64,
    /// Number of dialogues to count, and to search for witnesses
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = distinct::chosen)]
    sample: u64,
    /// Maximum number of turns in a dialogue
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    turns: u32,
    /// Seed of the dialogues; the release's seed, else 1, by default
    #[arg(long)]
    seed: Option<u64>,
    /// The file to write; standard output by default
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The most turns whose checks are audited.
const AUDITED_TURNS: usize = 200;
/// More dialogues would be a page that no one reads.
const MAX_DIALOGUES: u64 = 500;

fn count(text: &str) -> Result<u64, String> {
    match distinct::count(text)? {
        count @ ..=MAX_DIALOGUES => Ok(count),
        _ => Err(format!("a page shows at most {MAX_DIALOGUES} dialogues; `--sample` counts more")),
    }
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let (program, dialogue) = load::dialogue(&args.which, output)?;
    let (plan, name) = (&program.plan, dialogue.table.name.as_str());
    let release =
        plan.model.releases.iter().find(|release| release.counts.iter().any(|(_, of)| of == name));
    let seed = Seed(args.seed.or(release.and_then(|release| release.seed)).unwrap_or(1));
    let drawer = program.drawer(name)?;
    // More dialogues than there are distinct ones would be repeats.
    let most = ifs_run::distinct(&drawer, seed, args.turns)?.unwrap_or(u64::MAX).max(1);
    let sample = args.sample.min(most);
    let mut found = load::find(&args.which.file)?;
    found.draw_first();
    let drawing = PreviewDialogues { drawer: &drawer, seed, turns: args.turns };
    let (coverage, variety, lengths) = drawing.count_sample(sample)?;
    let survey = survey(&drawer, seed, sample, args.turns)?;
    let audited = SampleSize { dialogues: sample, turns: AUDITED_TURNS, seed };
    let audit = ifs_audit::survey(plan, &[name], audited, &Options::default())?;
    let partial = analysis::partial(plan);
    let chats = drawing.chats(args.count.min(most))?;
    let others: Vec<&str> = plan
        .model
        .dialogues
        .iter()
        .map(|other| other.name.as_str())
        .filter(|other| *other != name)
        .collect();
    let page = Preview {
        title: if plan.model.benchmark.name.is_empty() { name } else { &plan.model.benchmark.name },
        version: &plan.model.benchmark.version,
        dialogue: name,
        variant: args.which.variant.as_deref(),
        others: &others,
        seed: seed.0,
        plan_hash: &plan.hash(),
        ifs_version: env!("CARGO_PKG_VERSION"),
        notices: &notices(&found),
        survey: &survey,
        audit: &audit,
        partial: &partial,
        coverage: &coverage,
        possible: &possible(plan, dialogue),
        variety: &variety,
        lengths: &lengths,
        chats: &chats,
    }
    .write();
    let Some(path) = &args.out else {
        output.data(&page);
        return Ok(Exit::Good);
    };
    replace::write(path, page.as_bytes())
        .map_err(|error| CommandError::infrastructure(format!("`{}`: {error}", path.display())))?;
    output.note(&format!(
        "{} written to `{}`",
        load::counted(chats.len(), "dialogue"),
        path.display()
    ));
    Ok(Exit::Good)
}

fn notices(found: &load::CheckedScenario) -> Vec<PreviewWarning> {
    let mut places = Places::new(&found.sources);
    let diagnostics = found.diagnostics.iter();
    let warnings = diagnostics.filter(|one| one.severity == Severity::Warning);
    warnings
        .map(|one| PreviewWarning {
            code: one.code.to_string(),
            message: one.message.clone(),
            place: one.labels.first().map(|label| {
                let (line, column) = places.line_column(label.span.file, label.span.start);
                format!("{}:{line}:{column}", found.sources.name(label.span.file))
            }),
            help: one.help.clone(),
        })
        .collect()
}

/// The possible draws of the dialogue.
fn possible(plan: &Plan, dialogue: DialoguePlan<'_>) -> PossibleFeatures {
    let table = dialogue.table;
    let written = table.written_turns(&plan.model.flows);
    let imposed: Vec<_> = table.all_imposes(&plan.model.flows).collect();
    let given = imposed.iter().filter_map(|it| it.given.as_ref());
    let given: Vec<&str> = given.map(|given| given.constraint.as_str()).collect();
    let drawn: Vec<&String> = table
        .groups
        .iter()
        .chain(imposed.iter().filter(|it| it.draws()).flat_map(|it| &it.from))
        .collect();
    let mut groups = BTreeMap::new();
    for group in &plan.model.groups {
        let all = group.constraints.iter().map(|one| &one.name);
        let all: Vec<String> = match drawn.contains(&&group.name) {
            true => all.cloned().collect(),
            false => all.filter(|name| given.contains(&name.as_str())).cloned().collect(),
        };
        if !all.is_empty() {
            groups.insert(group.name.clone(), all);
        }
    }
    let keys =
        |from: &Option<DrawFrom>| from.as_ref().map_or_else(Vec::new, |from| allowed(plan, from));
    let mut relations: Vec<String> = written
        .iter()
        .flat_map(|turn| &turn.relations)
        .map(|relation| relation.kind.word().to_owned())
        .collect();
    relations.sort();
    relations.dedup();
    PossibleFeatures { groups, topics: keys(&table.topic), styles: keys(&table.style), relations }
}

/// The keys of the records that a dialogue draws from.
fn allowed(plan: &Plan, from: &DrawFrom) -> Vec<String> {
    let Some(bank) = plan.bank(&from.bank) else { return Vec::new() };
    let meets = |record| from.condition.as_ref().is_none_or(|it| record_meets(it, record));
    let all = bank.keys.iter().zip(&bank.records);
    all.filter(|(_, record)| meets(record)).map(|(key, _)| key.clone()).collect()
}

/// The dialogues of a seed.
struct PreviewDialogues<'a> {
    drawer: &'a Drawer<'a>,
    seed: Seed,
    turns: u32,
}

impl PreviewDialogues<'_> {
    fn script(&self, index: u64) -> Result<Vec<ScriptTurn>, DrawError> {
        self.drawer.script(self.seed, index).take(self.turns as usize).collect()
    }

    /// What the first dialogues cover, how varied they are, and their lengths.
    fn count_sample(
        &self,
        sample: u64,
    ) -> Result<(Coverage, ifs_draw::preview::Variety, Lengths), CommandError> {
        let (plan, name) = (self.drawer.plan(), &self.drawer.dialogue().table.name);
        let (mut coverage, mut measure) = (Coverage::default(), VarietyMeasure::default());
        let (mut lengths, mut indices) = (Lengths::default(), 0..sample);
        in_order(
            workers(),
            || Ok::<_, CommandError>(indices.next()),
            |index| (index, self.script(index)),
            |(index, script)| {
                let script = script?;
                let messages: Vec<String> = script.iter().map(|turn| turn.ask.clone()).collect();
                measure.add(index, &messages);
                lengths.add(
                    script.iter().map(|turn| (turn.ask.as_str(), turn.active_constraints.len())),
                );
                let turns = script.into_iter().map(|script| SetTurn {
                    script,
                    witness: None,
                    no_witness: Vec::new(),
                    no_rules: false,
                });
                let row = SetRow {
                    canary: String::new(),
                    release: String::new(),
                    epoch: String::new(),
                    dialogue: name.clone(),
                    number: index,
                    index,
                    anchor: false,
                    turns: turns.collect(),
                };
                count_coverage(plan, &row, &mut coverage);
                Ok(())
            },
        )?;
        Ok((coverage, measure.finish(), lengths))
    }

    /// The first dialogues as chats, with witnesses.
    fn chats(&self, count: u64) -> Result<Vec<String>, CommandError> {
        let (plan, name) = (self.drawer.plan(), self.drawer.dialogue().table.name.as_str());
        let steps = Steps::default();
        let mut indices = 0..count;
        let mut chats = Vec::new();
        in_order(
            workers(),
            || Ok::<_, CommandError>(indices.next()),
            |index| -> Result<String, DrawError> {
                let share = steps.share(index);
                let script = self.script(index)?;
                let mut prover = Prover::new(plan, name).with_budget(share);
                let turns = script.iter().map(|script| TurnView {
                    script,
                    proof: Some(prover.prove(script)),
                    outcome: None,
                    answers: Vec::new(),
                    history: None,
                    patience: None,
                });
                let turns = turns.collect();
                let seed = Some(self.seed.0);
                let chat = ChatView {
                    dialogue: name,
                    index,
                    seed,
                    turns,
                    ending: None,
                    prompts: true,
                    run: None,
                };
                Ok(article(&chat, &mut |image| picture(plan, image)))
            },
            |chat| {
                chats.push(chat?);
                Ok(())
            },
        )?;
        Ok(chats)
    }
}

/// A picture as a `data:` URL; addresses are not fetched.
fn picture(plan: &Plan, image: &ShownImage) -> Option<String> {
    let (media_type, bytes) = match image {
        ShownImage::Address(_) => return None,
        ShownImage::Drawn { drawing, .. } => {
            let picture = drawing.paint();
            (picture.media_type.to_string(), picture.bytes.as_slice().to_vec())
        }
        ShownImage::File { name, .. } => {
            let picture = plan.model.pictures.get(name)?;
            (picture.media_type.to_string(), picture.bytes.as_slice().to_vec())
        }
    };
    Some(format!("data:{media_type};base64,{}", BASE64_STANDARD.encode(&bytes)))
}
