//! `ifs audit`

mod judged;

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::ValueEnum;

use super::exit::{CommandError, Exit};
use super::judges::JudgeArgs;
use super::load::{self, LoadedScenario};
use super::output::Output;
use super::requests::RequestArgs;
use ifs_audit::{Audit, FlippedText, GivenLimits, Options, Recorded, SampleSize, survey};
use ifs_base::diagnostic::{Code, Diagnostic, closest, render};
use ifs_base::replace;
use ifs_draw::Seed;
use ifs_forms::{ANSWERS, Form, FormGroup, forms};
use ifs_model::table::Test;
use ifs_plan::Plan;
use ifs_report::audit;
use ifs_run::Folder;
use judged::JudgedAudit;

/// Examine the checks of a scenario: right answers in other forms, and answers that know nothing.
///
/// For each drawn turn it takes a right answer (recorded, golden, or constructed from the rules),
/// writes it in other forms (a preamble, a fence, curly quotation marks, a number in words, …), and
/// evaluates the checks on each. A form that a check is not about must not change its verdict: it
/// must not make a right answer missed, nor let a wrong one pass. Answers that know nothing (word
/// salad in the same form, everything listed, the right answer taken back, …) must not pass. The exit
/// status is 1 if a limit is missed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs audit a.ifs                           all dialogues, without a model
  ifs audit a.ifs --show preamble           the texts that a preamble makes fail
  ifs audit a.ifs --forms frames,curly --answers salad
  ifs audit a.ifs --responses runs/gpt-4o   right answers of a model
  ifs audit a.ifs --format html --out audit.html
  ifs audit a.ifs --judge openai/gpt-4o --dry-run
  ifs audit --list                          every form, and every answer that knows nothing")]
pub(crate) struct Args {
    /// The scenario
    #[arg(required_unless_present = "list")]
    file: Option<PathBuf>,
    /// Name of the dialogue; all by default
    #[arg(short, long)]
    dialogue: Option<String>,
    /// Variant of the dialogue; none by default
    #[arg(long, value_name = "NAME", requires = "dialogue")]
    variant: Option<String>,
    /// Split to draw; by default nothing that a split holds out is drawn
    #[arg(long, value_name = "NAME", requires = "dialogue")]
    split: Option<String>,
    /// Maximum number of dialogues of each kind
    #[arg(short = 'n', long, default_value_t = 40, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,
    /// Maximum number of turns of each dialogue of the scenario
    #[arg(long, default_value_t = 400, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    turns: u32,
    /// Seed of the dialogues; the release's seed, else 1, by default
    #[arg(long)]
    seed: Option<u64>,
    /// Folder of a recorded run: responses on which everything held are right answers
    #[arg(long, value_name = "RUN")]
    responses: Vec<PathBuf>,
    /// Forms to try, by name or group; all by default
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    forms: Vec<String>,
    /// Answers that know nothing to try, by name; all by default
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    answers: Vec<String>,
    /// Largest share of turns on which a form changes a verdict; 0 % by default
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    max_changed: Option<f64>,
    /// Largest share of the turns of a kind that an answer passes which knows nothing; 5 % by default
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    max_floor: Option<f64>,
    /// Largest share of missed verdicts that another form lets pass; 0 % by default
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    max_evaded: Option<f64>,
    /// Maximum number of turns on which judges are asked
    #[arg(long, default_value_t = 25, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    judge_sample: u32,
    /// With `--judge`, print the number of requests and their estimated cost, and send none
    #[arg(long, requires = "judges")]
    dry_run: bool,
    #[command(flatten)]
    judges: JudgeArgs,
    #[command(flatten)]
    requests: RequestArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = AuditFormat::Text)]
    format: AuditFormat,
    /// The file to write; standard output by default
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Show the texts of a check, a form, an answer or a kind of turn
    #[arg(long, value_name = "NAME")]
    show: Option<String>,
    /// Print all rows of all tables
    #[arg(long)]
    all: bool,
    /// List the forms and the answers that know nothing
    #[arg(long, conflicts_with_all = ["file", "show", "responses"])]
    list: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AuditFormat {
    /// Human-readable text
    Text,
    /// JSON, for programs
    Json,
    /// A page with the texts that flipped
    Html,
}

/// The most examples of a check and a form, for pages and `--show`.
const EXAMPLES: usize = 3;
const SHOWN_EXAMPLES: usize = 20;

/// A share: `5 %`, `5%` or `0.05`.
fn parse_share(text: &str) -> Result<f64, String> {
    let wanted = || "write a share such as `5%` or `0.05`".to_owned();
    let number = match text.trim().strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().map(|number| number / 100.0),
        None => text.trim().parse::<f64>(),
    };
    number.ok().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(wanted)
}

pub(crate) fn run(mut args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    if args.list {
        list(output);
        return Ok(Exit::Good);
    }
    let file = args.file.clone().unwrap_or_default();
    let (program, names) = chosen(&args, file.clone(), output)?;
    let plan = &program.plan;
    let options = options(&args, &program.tests)?;
    let seed = Seed(args.seed.or_else(|| release_seed(plan, &names)).unwrap_or(1));
    let sample = SampleSize { dialogues: args.count, turns: args.turns as usize, seed };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    args.requests.dry_run = args.dry_run;
    let judges = JudgedAudit {
        plan,
        dialogues: &names,
        seed,
        turns: args.judge_sample as usize,
        options: &options,
        judges: &args.judges,
        requests: &args.requests,
    };
    if args.dry_run {
        judges.estimate(output)?;
        return Ok(Exit::Good);
    }
    let mut found = survey(plan, &names, sample, &options)?;
    if !args.judges.judges.is_empty() {
        found.judge = Some(judges.ask(output)?);
    }
    if found.title.is_empty() {
        found.title =
            file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    }
    for one in &found.unneeded {
        let message = "nothing on these turns needs this declaration".to_owned();
        let warning = Diagnostic::warning(Code::UNNEEDED_MINDS, message)
            .label(one.span, "no check depends on it")
            .help("remove it, or examine more turns");
        let shown = render(&[warning], &plan.sources, output.color_err(), Output::width());
        output.note(shown.trim_end_matches('\n'));
    }
    let exit = if found.is_good() { Exit::Good } else { Exit::Failed };
    let text = match (&args.show, args.format) {
        (Some(show), AuditFormat::Text) => shown(&found, show)?,
        (_, AuditFormat::Text) => audit::text(&found, &file.display().to_string(), args.all) + "\n",
        (_, AuditFormat::Json) => {
            serde_json::to_string_pretty(&found)
                .map_err(|error| CommandError::infrastructure(error.to_string()))?
                + "\n"
        }
        (_, AuditFormat::Html) => audit::page(&found),
    };
    match &args.out {
        Some(path) => {
            replace::write(path, text.as_bytes()).map_err(|error| {
                CommandError::infrastructure(format!("`{}`: {error}", path.display()))
            })?;
            output.note(&format!("written to `{}`", path.display()));
        }
        None if args.format == AuditFormat::Text => output.print(&text),
        None => output.data(&text),
    }
    Ok(exit)
}

/// The plan, and the names of the dialogues to examine.
fn chosen(
    args: &Args,
    file: PathBuf,
    output: &mut Output,
) -> Result<(&'static LoadedScenario, Vec<String>), CommandError> {
    let which = load::DialogueArgs {
        file,
        dialogue: args.dialogue.clone(),
        variant: args.variant.clone(),
        split: args.split.clone(),
    };
    let (program, dialogue) = load::dialogue(&which, output)?;
    let names = match &args.dialogue {
        Some(_) => vec![dialogue.table.name.clone()],
        None => program.plan.model.dialogues.iter().map(|one| one.name.clone()).collect(),
    };
    Ok((program, names))
}

/// The seed of the release that draws one of the dialogues.
fn release_seed(plan: &Plan, names: &[String]) -> Option<u64> {
    let releases = plan.model.releases.iter();
    let mut draws =
        releases.filter(|release| release.counts.iter().any(|(_, name)| names.contains(name)));
    draws.next()?.seed
}

fn options(args: &Args, tests: &[Test]) -> Result<Options, CommandError> {
    let limits = GivenLimits {
        changed: args.max_changed,
        floor: args.max_floor,
        evaded: args.max_evaded,
        golden: None,
    };
    let examples = match (args.format, &args.show) {
        (_, Some(_)) => SHOWN_EXAMPLES,
        (AuditFormat::Text, None) => 0,
        (AuditFormat::Json | AuditFormat::Html, None) => EXAMPLES,
    };
    Ok(Options {
        forms: selected_forms(&args.forms)?,
        answers: selected_answers(&args.answers)?,
        recorded: recorded(&args.responses)?,
        tests: tests.to_vec(),
        limits,
        examples,
    })
}

/// The responses of recorded runs.
fn recorded(runs: &[PathBuf]) -> Result<Recorded, CommandError> {
    let mut responses = Recorded::new();
    for path in runs {
        let folder = Folder::open(path)?;
        let manifest = folder.manifest()?;
        folder.each_transcript(&manifest, |transcript| {
            for turn in &transcript.turns {
                let key = (transcript.dialogue.clone(), transcript.index, turn.script.turn);
                let texts = responses.entry(key).or_default();
                texts.extend(turn.responses().map(|(_, sample)| sample.answer.clone()));
            }
        })?;
    }
    Ok(responses)
}

/// The names of the forms in a list of forms and groups.
fn selected_forms(list: &[String]) -> Result<Option<BTreeSet<String>>, CommandError> {
    if list.is_empty() {
        return Ok(None);
    }
    let mut names = BTreeSet::new();
    for name in list {
        let selected = ifs_forms::selected(name);
        if selected.is_empty() {
            let known = forms().map(|form| form.name).chain(FormGroup::ALL.map(FormGroup::name));
            return Err(unknown("form", name, known));
        }
        names.extend(selected.into_iter().map(str::to_owned));
    }
    Ok(Some(names))
}

fn selected_answers(list: &[String]) -> Result<Option<BTreeSet<String>>, CommandError> {
    if list.is_empty() {
        return Ok(None);
    }
    for name in list {
        if ifs_forms::answer(name).is_none() {
            return Err(unknown("answer", name, ANSWERS.iter().map(|answer| answer.name)));
        }
    }
    Ok(Some(list.iter().cloned().collect()))
}

fn unknown<'n>(kind: &str, name: &str, known: impl Iterator<Item = &'n str>) -> CommandError {
    let problem = CommandError::usage(format!("there is no {kind} called `{name}`"));
    match closest(name, known) {
        Some(near) => problem.help(format!("did you mean `{near}`? `ifs audit --list` has all")),
        None => problem.help("`ifs audit --list` has all"),
    }
}

/// The texts of a check, a form, an answer or a kind of turn.
fn shown(found: &Audit, name: &str) -> Result<String, CommandError> {
    let fits = |example: &&FlippedText| {
        example.form == name
            || example.check == name
            || example.check.split(['.', ' ']).any(|part| part == name)
    };
    let examples: Vec<&FlippedText> = found.examples.iter().filter(fits).collect();
    if !examples.is_empty() {
        return Ok(audit::shown(&examples));
    }
    let known = ifs_forms::form(name).is_some()
        || ifs_forms::answer(name).is_some()
        || found.checks.iter().any(|check| check.name == name);
    if known {
        return Ok(format!("{name}: no text flips\n"));
    }
    let names = found.checks.iter().map(|check| check.name.as_str());
    let names = names.chain(forms().map(|form| form.name));
    let names = names.chain(ANSWERS.iter().map(|answer| answer.name));
    Err(unknown("check, form or answer", name, names))
}

fn list(output: &mut Output) {
    output.line("Forms of a right answer (`ifs explain NAME` has an example of each):");
    for group in FormGroup::ALL {
        output.line(&format!("\n  {}: {}", group.name(), group.doc()));
        for form in forms().filter(|form| form.group == group) {
            output.line(&format!("    {:<20}{}", form.name, form.doc));
        }
    }
    output.line("\nAnswers that know nothing:");
    for answer in ANSWERS {
        output.line(&format!("    {:<20}{}", answer.name, answer.doc));
    }
}

/// The page of a form, for `ifs explain`.
pub(crate) fn explained(name: &str) -> Option<String> {
    let form = |form: &Form| {
        let subjects: Vec<&str> = form.subjects.iter().map(|subject| subject.word()).collect();
        format!(
            "{} (a form of an answer: {})\n\n{}\n\n  {:?}\n  {:?}\n\nIt changes {} of a text, and applies to \
             checks of the {}. Where a check notices nothing of that, the form must not change its \
             verdict; `ifs audit` tries it.\n",
            form.name,
            form.group.name(),
            form.doc,
            form.example.0,
            form.example.1,
            form.touches,
            subjects.join(", the ")
        )
    };
    let answer = |answer: &ifs_forms::Bluff| {
        let facts = if answer.of_facts { " It is given on turns with facts." } else { "" };
        format!(
            "{} (an answer that knows nothing)\n\n{}{facts} For the right answer 30:\n\n  {}\n\nIt must \
             not pass; `ifs audit` tries it.\n",
            answer.name, answer.doc, answer.example
        )
    };
    ifs_forms::form(name).map(form).or_else(|| ifs_forms::answer(name).map(answer))
}
