//! `ifs report`

use std::path::PathBuf;

use clap::ValueEnum;

use super::by::ReportBy;
use super::exit::{CommandError, Exit};
use super::output::Output;
use super::recorded::{latencies, picture_data};
use super::redact::RedactArgs;
use super::{export, runs_table, score};
use ifs_draw::{ShownContent, ShownImage};
use ifs_parts::image::Pictures;
use ifs_plan::picture;
use ifs_report::chat::{Browser, ChatView};
use ifs_report::{self as report, ShownPicture};
use ifs_run::{Folder, GradedDialogue, Transcript};

/// Report on a recorded run, or on several in one table.
///
/// For several runs, the table has a row for each model and a column for each task (a dialogue,
/// with its variant). Runs of one model on one task are pooled if they are of one definition, for
/// example those of several seeds; `--pool` also pools definitions, for example the same task in
/// several languages. `overall` is the mean of the tasks. Below it are the scores of each kind of
/// question, by the name of its turns.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs report runs/evolif-sim-forgetful-seed1
  ifs report runs/evolif-sim-forgetful-seed1 --format html > report.html
  ifs report runs/mars/*                       all tasks and models in one table
  ifs report runs/a runs/b --format html > report.html
  ifs report runs/a runs/b --metric CSR
  ifs report runs/a --format parquet > outcomes.parquet
  ifs report runs/* --format inspect --out logs    then `inspect view --log-dir logs`")]
pub(crate) struct Args {
    /// The folder of a run, or of several
    #[arg(value_name = "RUN", required = true, num_args = 1..)]
    runs: Vec<PathBuf>,
    /// The metric of a table of several runs; by default the first one that their dialogue reports
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
    /// Replay a shorter patience than the run's
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    patience: Option<u32>,
    /// Use a judging of the run instead of its own verdicts, by its name under `judgings`
    #[arg(long, value_name = "NAME")]
    judging: Option<String>,
    /// Score groups separately: by `synthesizer`, `style`, `topic`, or a field as in
    /// `style.register`
    #[arg(long, value_name = "NAME")]
    by: Option<ReportBy>,
    /// Of several runs, count the dialogues of different definitions of a task together
    #[arg(long)]
    pool: bool,
    #[command(flatten)]
    redact: RedactArgs,
    /// Exit with status 0 even if the run is not complete
    #[arg(long)]
    allow_incomplete: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
    /// The folder for the files of `--format inspect`
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// For the terminal
    Text,
    Json,
    /// One self-contained page
    Html,
    /// One row for each outcome of a constraint
    Csv,
    /// A summary for a pull request
    Markdown,
    /// A table of the scores, with the package `booktabs`
    Latex,
    /// Test results for build servers: a case for each dialogue
    Junit,
    /// A record of Every Eval Ever, of one run
    EveryEvalEver,
    /// A log of inspect_ai for each run, in the folder of `--out`
    Inspect,
    /// The rows of the CSV as Parquet, if this ifs was built with the feature `arrow`
    Parquet,
    /// The same in the file format of Arrow
    Arrow,
}

impl ReportFormat {
    /// The format of a report that is printed; `None` for files.
    fn printed(self, output: &Output) -> Option<report::Format> {
        Some(match self {
            ReportFormat::Text => {
                report::Format::Terminal { color: output.color(), width: Output::width() }
            }
            ReportFormat::Json => report::Format::Json,
            ReportFormat::Html => report::Format::Html,
            ReportFormat::Csv => report::Format::Csv,
            ReportFormat::Markdown => report::Format::Markdown,
            ReportFormat::Latex => report::Format::Latex,
            ReportFormat::Junit => report::Format::Junit,
            #[cfg(feature = "arrow")]
            ReportFormat::Parquet => report::Format::Parquet,
            #[cfg(feature = "arrow")]
            ReportFormat::Arrow => report::Format::Arrow,
            #[cfg(not(feature = "arrow"))]
            ReportFormat::Parquet | ReportFormat::Arrow => return None,
            ReportFormat::EveryEvalEver | ReportFormat::Inspect => return None,
        })
    }
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let Args { runs, metric, patience, judging, by, pool, redact, allow_incomplete, format, out } =
        args;
    let redaction = redact.redaction();
    let again = score::RescoreOptions { patience, judging, by, redaction, ..Default::default() };
    if matches!(format, ReportFormat::Parquet | ReportFormat::Arrow) {
        check_columnar(&runs, output)?;
    }
    let Some(form) = format.printed(output) else {
        if format == ReportFormat::EveryEvalEver {
            let complete = export::every_eval_ever(&runs, &again, output)?;
            return Ok(exit(complete, allow_incomplete));
        }
        let complete = export::inspect_logs(&runs, out.as_deref(), &again, output)?;
        return Ok(exit(complete, allow_incomplete));
    };
    if out.is_some() {
        return Err(CommandError::usage("`--out` is for `--format inspect`")
            .help("other formats are printed; write them to a file with `>`"));
    }
    let [run] = runs.as_slice() else {
        let complete = match format {
            ReportFormat::Html => {
                let (text, complete) = pages(&runs, metric.as_deref(), &again, output)?;
                output.data(&text);
                complete
            }
            ReportFormat::Junit => suites(&runs, metric.as_deref(), &again, output)?,
            _ => table(&runs, (metric.as_deref(), pool), &again, form, output)?,
        };
        return Ok(exit(complete, allow_incomplete));
    };
    if pool {
        return Err(CommandError::usage("`--pool` requires several runs").help("leave it out"));
    }
    if metric.is_some() {
        return Err(CommandError::usage("`--metric` requires several runs")
            .help("the report of one run shows every metric that its dialogue reports"));
    }
    let folder = Folder::open(run)?;
    let scored = match format {
        ReportFormat::Html => page(&folder, &again, output)?,
        _ => score::read(&folder, &again, None, output)?,
    };
    let report = scored.report();
    match form {
        report::Format::Terminal { .. } => {
            let text = report::write(&report, form);
            output.painted(&text.map_err(|error| CommandError::infrastructure(error.to_string()))?);
        }
        report::Format::Json if output.is_shown() => {
            let text = report::write(&report, form);
            output.json(&text.map_err(|error| CommandError::infrastructure(error.to_string()))?);
        }
        _ => output
            .data_of(|out| report::write_to(&report, form, out))
            .map_err(|error| CommandError::infrastructure(error.to_string()))?,
    }
    Ok(score::exit_of(&scored.gaps, allow_incomplete))
}

/// Refuses Parquet and Arrow where they cannot be written.
fn check_columnar(runs: &[PathBuf], output: &Output) -> Result<(), CommandError> {
    if !cfg!(feature = "arrow") {
        return Err(CommandError::usage("this ifs was built without the feature `arrow`")
            .help("`cargo install --path . --features arrow`, or take `--format csv`: it has the same rows"));
    }
    if runs.len() > 1 {
        return Err(CommandError::usage("Parquet and Arrow are of one run")
            .help("write a file for each run: readers join them, and each row names its model"));
    }
    if output.is_shown() {
        return Err(CommandError::usage("Parquet and Arrow are not for a terminal")
            .help("write them to a file with `>`"));
    }
    Ok(())
}

fn exit(complete: bool, allowed: bool) -> Exit {
    if complete || allowed { Exit::Good } else { Exit::Failed }
}

/// Several runs as one table. Whether all of them are complete.
fn table(
    runs: &[PathBuf],
    metric: (Option<&str>, bool),
    again: &score::RescoreOptions,
    form: report::Format,
    output: &mut Output,
) -> Result<bool, CommandError> {
    let table = runs_table::read(runs, metric, again, output)?;
    match form {
        report::Format::Csv => output.data(&table.csv()?),
        report::Format::Json => {
            let text = serde_json::to_string_pretty(&table)
                .map_err(|error| CommandError::infrastructure(error.to_string()))?;
            output.json_line(&text);
        }
        report::Format::Markdown => output.data(&table.markdown()),
        report::Format::Latex => output.data(&table.latex()),
        // The others are of one run, or were handled before.
        _ => output.print(&table.format_lines(Output::width())),
    }
    Ok(table.is_complete())
}

/// The test results of several runs. Whether all of them are complete.
fn suites(
    runs: &[PathBuf],
    metric: Option<&str>,
    again: &score::RescoreOptions,
    output: &mut Output,
) -> Result<bool, CommandError> {
    if metric.is_some() {
        return Err(CommandError::usage("`--metric` is not for test results")
            .help("a dialogue passes if no turn of it failed; `ifs gate` tests metrics"));
    }
    let (mut suites, mut complete) = (Vec::new(), true);
    for run in runs {
        let scored = score::read(&Folder::open(run)?, again, None, output)?;
        suites.push(report::junit::suite(&scored.report()));
        complete &= scored.gaps.is_none();
    }
    output.data(&report::junit::document(&suites));
    Ok(complete)
}

/// A run with its dialogues as chats, and its pictures.
fn page(
    folder: &Folder,
    again: &score::RescoreOptions,
    output: &mut Output,
) -> Result<score::ScoredRun, CommandError> {
    let (mut browser, mut pictures) = (Browser::default(), ShownPictures::default());
    let shown = &mut |transcript: &Transcript| pictures.add(transcript);
    let mut scored = add_to_browser(folder, again, &mut browser, None, shown, output)?;
    let plan = folder.plan()?;
    if !scored.manifest.is_hidden() && !again.redaction.prompts {
        scored.exhibits = pictures.exhibits(folder, &plan.model.pictures)?;
    }
    let dialogue = plan.dialogue(&scored.manifest.dialogue);
    scored.picture = dialogue.and_then(|dialogue| picture::svg(&plan, dialogue).ok());
    scored.browser = Some(browser.finished());
    Ok(scored)
}

/// A run whose dialogues are added to a browser, and given to `look`.
fn add_to_browser(
    folder: &Folder,
    again: &score::RescoreOptions,
    browser: &mut Browser,
    run: Option<usize>,
    look: &mut dyn FnMut(&Transcript),
    output: &mut Output,
) -> Result<score::ScoredRun, CommandError> {
    let manifest = folder.manifest()?;
    let is_hidden = manifest.is_hidden();
    let latencies = latencies(folder, "")?;
    let mut add = |transcript: &Transcript, graded: GradedDialogue| {
        look(transcript);
        let chat = ChatView { run, ..ChatView::of_run(transcript, graded, &latencies) };
        browser.add(&if is_hidden { chat.without_prompts() } else { chat });
    };
    score::read(folder, again, Some(&mut add), output)
}

/// The page of a run, or of several.
pub(crate) fn html(
    runs: &[PathBuf],
    metric: Option<&str>,
    again: &score::RescoreOptions,
    output: &mut Output,
) -> Result<String, CommandError> {
    let [run] = runs else { return Ok(pages(runs, metric, again, output)?.0) };
    let scored = page(&Folder::open(run)?, again, output)?;
    report::write(&scored.report(), report::Format::Html)
        .map_err(|error| CommandError::infrastructure(error.to_string()))
}

/// Several runs on one page, and whether all of them are complete.
fn pages(
    runs: &[PathBuf],
    metric: Option<&str>,
    again: &score::RescoreOptions,
    output: &mut Output,
) -> Result<(String, bool), CommandError> {
    if metric.is_some() {
        return Err(CommandError::usage("`--metric` is for tables as text, JSON or CSV")
            .help("the page of several runs shows every metric that their dialogue reports"));
    }
    let folders = runs.iter().map(|run| Folder::open(run)).collect::<Result<Vec<_>, _>>()?;
    let models = folders.iter().map(|folder| Ok(folder.manifest()?.model));
    let models = models.collect::<Result<Vec<String>, CommandError>>()?;
    let (mut browser, mut all, mut names) = (Browser::default(), Vec::new(), Vec::new());
    for (folder, model) in folders.iter().zip(&models) {
        let alone = models.iter().filter(|other| *other == model).count() == 1;
        let name = match alone {
            true => model.clone(),
            false => format!("{model} ({})", folder.path().display()),
        };
        let run = browser.begin_run(&name);
        all.push(add_to_browser(folder, again, &mut browser, Some(run), &mut |_| {}, output)?);
        names.push(name);
    }
    let browser = browser.finished();
    let reports: Vec<report::NamedReport<'_>> =
        names.iter().map(String::as_str).zip(all.iter().map(score::ScoredRun::report)).collect();
    let title = format!("{} runs", all.len());
    let text = report::page_of_runs(&title, &reports, &browser);
    Ok((text, all.iter().all(|run| run.gaps.is_none())))
}

/// The maximum number of pictures on a page.
const MAX_PICTURES: usize = 12;

/// The first pictures that were shown, without duplicates: where, with which message.
#[derive(Default)]
struct ShownPictures(Vec<(String, String, ShownImage)>);

impl ShownPictures {
    fn add(&mut self, transcript: &Transcript) {
        for turn in &transcript.turns {
            for image in &turn.script.show {
                let ShownContent::Image(image) = image else { continue };
                let known = self.0.iter().any(|(.., known)| known == image);
                if self.0.len() < MAX_PICTURES && !known {
                    let Transcript { dialogue, index, .. } = transcript;
                    let place = format!("{dialogue} {index}, turn {}", turn.script.turn);
                    self.0.push((place, turn.script.ask.clone(), image.clone()));
                }
            }
        }
    }

    fn exhibits(
        self,
        folder: &Folder,
        pictures: &Pictures,
    ) -> Result<Vec<ShownPicture>, CommandError> {
        let exhibit = |(place, asked, image): (String, String, ShownImage)| {
            let data = picture_data(folder, pictures, &image)?;
            Ok(ShownPicture { place, label: image.label(), asked, data })
        };
        self.0.into_iter().map(exhibit).collect()
    }
}
