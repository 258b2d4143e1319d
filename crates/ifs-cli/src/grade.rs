//! `ifs grade`

#[cfg(feature = "arrow")]
mod tables;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;

use super::exit::{CommandError, Exit};
use super::files::{FileLine, FileLines, MAX_LINE_BYTES, Sink};
use super::load;
use super::output::Output;
use ifs_base::diagnostic::Code;
use ifs_base::parallel::{in_order, workers};
use ifs_base::replace;
use ifs_judge::grade::{
    Catalogue, GradeTotals, Grader, RowError, RowGrades, RowPrompts, RowReading,
};
use ifs_predicate::value::Value;
use ifs_run::Shard;

/// Grade recorded responses, row by row.
///
/// A row is a JSON object on a line: `answer` (or `response`), `constraint` and its `args`, and if
/// the constraint uses them `prompt`, `replies` (the earlier responses), `turn`, `age`, `topic`,
/// `style`. `constraints` is a list of several; `instruction_id_list` with `kwargs` names them as
/// published data does. Each row gives an output row: whether its constraints hold by the strict
/// and the loose reading, why not, and what was measured. A row that cannot be graded gives an
/// error; a constraint that needs a judge is reported as `unjudged`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs grade answers.jsonl                          std.… constraints; verdicts to standard output
  ifs grade --with reviews.ifs answers.jsonl.gz --out verdicts.jsonl.zst
  ifs grade --prompts input_data.jsonl responses.jsonl --totals
                                                   IFEval's own files, its four accuracies
  ifs grade --format arrow-stream --shard 2/8 - <rows.arrows >graded.arrows
                                                   rows and verdicts as tables")]
pub(crate) struct Args {
    /// Files of rows, one after another; `-` is standard input, .gz and .zst are decompressed. A
    /// row has an `answer` and its `constraint` with `args`, or several `instructions` of `id` and
    /// `args` each
    #[arg(required = true, value_name = "ROWS")]
    rows: Vec<PathBuf>,
    /// Scenario whose constraints the rows may name; may be given several times
    #[arg(long, value_name = "FILE")]
    with: Vec<PathBuf>,
    /// Rows of prompts with their constraints; rows of answers refer to them by `key` or `prompt`
    #[arg(long, value_name = "FILE")]
    prompts: Option<PathBuf>,
    /// How responses are read; the loose reading also tries them without first line, last line or
    /// asterisks
    #[arg(long, value_enum, default_value_t = ReadingChoice::Both)]
    reading: ReadingChoice,
    /// Write verdicts without reasons and measures, which is faster
    #[arg(long)]
    brief: bool,
    /// Grade responses unchanged, as released programs do: with a leading block of reasoning, and
    /// blank ones by their checks
    #[arg(long)]
    raw_text: bool,
    /// Output file; .gz and .zst are compressed
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Grade one part of the rows: `2/8` is every eighth row, from the second. The parts can be
    /// graded on several machines
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Print the totals instead of the verdicts
    #[arg(long)]
    totals: bool,
    /// Format of the rows, the verdicts and the totals
    #[arg(long, value_enum, default_value_t = RowFormat::Text)]
    format: RowFormat,
    /// Number of threads; the number of processors by default
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReadingChoice {
    Strict,
    Both,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RowFormat {
    /// Lines of JSON, with totals for people
    Text,
    /// Lines of JSON, with totals for programs
    Json,
    /// The same as `text`
    Jsonl,
    /// Streams of Arrow, if this ifs was built with the feature `arrow`
    ArrowStream,
    /// Parquet, if this ifs was built with the feature `arrow`
    Parquet,
}

/// Where verdicts are written.
struct GradeOutput<'a> {
    sink: Option<(Sink, &'a PathBuf)>,
    to_output: bool,
}

impl<'a> GradeOutput<'a> {
    fn create(args: &'a Args) -> Result<GradeOutput<'a>, CommandError> {
        let file = args.out.as_ref().filter(|file| file.as_path() != Path::new("-"));
        let sink = match file {
            Some(file) => {
                let sink = Sink::create(file).map_err(|error| write_error(file, &error))?;
                Some((sink, file))
            }
            None => None,
        };
        let to_output = file.is_none() && (args.out.is_some() || !args.totals);
        Ok(GradeOutput { sink, to_output })
    }

    fn lines(&mut self, text: &[u8], output: &mut Output) -> Result<(), CommandError> {
        match &mut self.sink {
            None if self.to_output => output.json(&String::from_utf8_lossy(text)),
            _ => self.write(text)?,
        }
        // The reader has closed the output.
        if output.is_closed() { Err(CommandError::output_closed()) } else { Ok(()) }
    }

    #[cfg(feature = "arrow")]
    fn bytes(&mut self, bytes: &[u8], output: &mut Output) -> Result<(), CommandError> {
        match &mut self.sink {
            None if self.to_output => output
                .data_of(|out| out.write_all(bytes))
                .map_err(|error| write_error(Path::new("-"), &error))?,
            _ => self.write(bytes)?,
        }
        if output.is_closed() { Err(CommandError::output_closed()) } else { Ok(()) }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), CommandError> {
        let Some((sink, file)) = &mut self.sink else { return Ok(()) };
        sink.write(bytes).map_err(|error| write_error(file, &error))
    }

    /// Without it, an existing output file is kept.
    fn finish(self) -> Result<(), CommandError> {
        let Some((sink, file)) = self.sink else { return Ok(()) };
        sink.finish().map_err(|error| write_error(file, &error))
    }
}

/// The maximum number and size of rows in a batch for a worker.
const MAX_BATCH: (usize, usize) = (64, 1 << 20);

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let mut scenarios = Vec::new();
    for file in &args.with {
        scenarios.push(load::load(file, output)?.tested());
    }
    let catalogue = Catalogue::new(scenarios);
    let prompts = match &args.prompts {
        Some(file) => Some(read_prompts(file, &catalogue)?),
        None => None,
    };
    let reading = match args.reading {
        ReadingChoice::Strict => RowReading::Strict,
        ReadingChoice::Both => RowReading::Both,
    };
    let grader = Grader {
        catalogue: &catalogue,
        prompts: prompts.as_ref(),
        reading,
        brief: args.brief,
        raw_text: args.raw_text,
    };
    if let Some(out) = &args.out {
        let read = args.rows.iter().chain(&args.with).chain(&args.prompts);
        if let Some(input) = read.into_iter().find(|input| replace::same_file(input, out)) {
            let (input, out) = (input.display(), out.display());
            return Err(CommandError::usage(format!(
                "`--out {out}` is the file that is read, `{input}`"
            ))
            .help("name another file for the verdicts"));
        }
    }
    let mut verdicts = GradeOutput::create(&args)?;
    let (totals, reported) = match args.format {
        RowFormat::Text | RowFormat::Json | RowFormat::Jsonl => {
            lines(&args, &grader, &mut verdicts, output)
        }
        RowFormat::ArrowStream | RowFormat::Parquet => {
            tables(&args, &grader, &mut verdicts, output)
        }
    };
    let to_output = verdicts.to_output;
    // After an error, an existing output file is kept: the rows so far do not cover the input.
    if reported.is_ok() {
        verdicts.finish()?;
    }
    if output.is_closed() {
        return Ok(Exit::Good);
    }
    // Totals of no rows are not a result.
    if totals.answers.of == 0
        && totals.errors() == 0
        && totals.unjudged.answers == 0
        && totals.undecided.answers == 0
    {
        reported?;
        let files: Vec<String> =
            args.rows.iter().map(|file| format!("`{}`", file.display())).collect();
        return Err(CommandError::input(format!("there is no row in {}", files.join(", ")))
            .help("a row is a JSON object on a line, with `answer`, `constraint` and `args`"));
    }
    let unanswered = prompts.as_ref().map(RowPrompts::unanswered);
    let is_json = args.format == RowFormat::Json;
    let report = match is_json {
        true => json(&totals, reading, unanswered),
        false => totals_text(&totals, reading, unanswered, args.raw_text),
    };
    match is_json {
        _ if to_output => output.note(report.trim_end()),
        true => output.json(&report),
        false => output.print(&report),
    }
    reported?;
    let good = totals.errors() == 0 && unanswered.unwrap_or(0) == 0;
    Ok(if good { Exit::Good } else { Exit::Input })
}

/// Grades lines of JSON. Returns the totals, also if it ends early.
fn lines(
    args: &Args,
    grader: &Grader<'_>,
    verdicts: &mut GradeOutput<'_>,
    output: &mut Output,
) -> (GradeTotals, Result<(), CommandError>) {
    let workers = args.workers.map_or_else(workers, usize::from);
    let mut files = args.rows.iter();
    let mut open: Option<(FileLines, &PathBuf)> = None;
    let mut totals = GradeTotals::default();
    let (many, mut rows) = (args.rows.len() > 1, 0);
    let reported = in_order(
        workers,
        || batch(&mut files, &mut open, (many, &mut rows, args.shard)),
        |rows: Vec<InputRow>| grade(grader, &rows),
        |(text, part)| {
            totals.merge(part);
            verdicts.lines(&text, output)
        },
    );
    (totals, reported)
}

#[cfg(feature = "arrow")]
fn tables(
    args: &Args,
    grader: &Grader<'_>,
    verdicts: &mut GradeOutput<'_>,
    output: &mut Output,
) -> (GradeTotals, Result<(), CommandError>) {
    use ifs_judge::grade::table::TableEncoding;

    let form = if args.format == RowFormat::Parquet {
        TableEncoding::Parquet
    } else {
        TableEncoding::ArrowStream
    };
    if verdicts.to_output && output.is_shown() {
        let problem = CommandError::usage("Parquet and Arrow are not for a terminal")
            .help("write them to a file with `--out` or `>`, or print `--totals`");
        return (GradeTotals::default(), Err(problem));
    }
    let mut totals = GradeTotals::default();
    let graded = tables::grade((args, form), grader, (verdicts, &mut totals), output);
    (totals, graded)
}

#[cfg(not(feature = "arrow"))]
fn tables(
    _: &Args,
    _: &Grader<'_>,
    _: &mut GradeOutput<'_>,
    _: &mut Output,
) -> (GradeTotals, Result<(), CommandError>) {
    let problem = CommandError::usage("this ifs was built without the feature `arrow`").help(
        "`cargo install --path . --features arrow`, or use the `ifs` of the Python package, or \
         rows as lines of JSON",
    );
    (GradeTotals::default(), Err(problem))
}

/// A line of a file, and its position.
struct InputRow {
    file: Option<String>,
    number: u64,
    line: FileLine,
}

fn batch<'f>(
    files: &mut std::slice::Iter<'f, PathBuf>,
    open: &mut Option<(FileLines, &'f PathBuf)>,
    (many, rows, shard): (bool, &mut u64, Option<Shard>),
) -> Result<Option<Vec<InputRow>>, CommandError> {
    let mut batch = Vec::new();
    let mut bytes = 0;
    while batch.len() < MAX_BATCH.0 && bytes < MAX_BATCH.1 {
        let (lines, file) = match open {
            Some(open) => open,
            None => {
                let Some(file) = files.next() else { break };
                let lines = FileLines::open(file).map_err(|error| read_error(file, 0, &error))?;
                open.insert((lines, file))
            }
        };
        match lines.next_line().map_err(|error| read_error(file, lines.read(), &error))? {
            None => *open = None,
            Some(line) => {
                // Blank lines are not rows.
                let size = match &line {
                    FileLine::Whole(text) if text.iter().all(u8::is_ascii_whitespace) => continue,
                    FileLine::Whole(text) => text.len(),
                    FileLine::TooLong => 0,
                };
                let at = *rows;
                *rows += 1;
                if shard.is_some_and(|shard| !shard.contains(at)) {
                    continue;
                }
                bytes += size;
                let file = many.then(|| file.display().to_string());
                batch.push(InputRow { file, number: lines.read(), line });
            }
        }
    }
    Ok((!batch.is_empty()).then_some(batch))
}

/// The output for a row.
#[derive(Serialize)]
struct GradedRow<'w> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'w str>,
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Value>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    graded: Option<&'w RowGrades>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'w RowError>,
}

fn grade(grader: &Grader<'_>, rows: &[InputRow]) -> (Vec<u8>, GradeTotals) {
    let (mut text, mut totals) = (Vec::new(), GradeTotals::default());
    for row in rows {
        let (id, result) = match &row.line {
            FileLine::Whole(line) => grader.line(line),
            FileLine::TooLong => {
                let most = MAX_LINE_BYTES >> 20;
                let error = format!("the line is longer than {most} MiB");
                (None, Err(RowError::new(Code::TOO_LARGE, error)))
            }
        };
        match &result {
            Ok(graded) => totals.add(graded),
            Err(error) => totals.add_error(error),
        }
        let written = GradedRow {
            file: row.file.as_deref(),
            line: row.number,
            id,
            graded: result.as_ref().ok(),
            error: result.as_ref().err(),
        };
        // It contains only texts, numbers and lists of them.
        let _ = serde_json::to_writer(&mut text, &written);
        text.push(b'\n');
    }
    (text, totals)
}

fn read_prompts<'c>(file: &Path, catalogue: &'c Catalogue) -> Result<RowPrompts<'c>, CommandError> {
    let mut lines = FileLines::open(file).map_err(|error| read_error(file, 0, &error))?;
    let mut prompts = RowPrompts::default();
    while let Some(line) =
        lines.next_line().map_err(|error| read_error(file, lines.read(), &error))?
    {
        let FileLine::Whole(line) = line else {
            return Err(CommandError::input(format!("`{}`: a line is too long", file.display())));
        };
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        prompts.add(&line, catalogue).map_err(|error| {
            let problem = CommandError::input(format!(
                "`{}`, line {}: {} ({})",
                file.display(),
                lines.read(),
                error.message,
                error.code
            ));
            match error.help {
                Some(help) => problem.help(help),
                None => problem,
            }
        })?;
    }
    Ok(prompts)
}

fn read_error(file: &Path, lines: u64, error: &std::io::Error) -> CommandError {
    let after = if lines > 0 { format!(", after line {lines}") } else { String::new() };
    CommandError::input(format!("`{}` cannot be read{after}: {error}", file.display()))
}

fn write_error(file: &Path, error: &std::io::Error) -> CommandError {
    CommandError::infrastructure(format!("`{}` cannot be written: {error}", file.display()))
}

/// For people.
fn totals_text(
    totals: &GradeTotals,
    reading: RowReading,
    unanswered: Option<usize>,
    raw_text: bool,
) -> String {
    let mut text = format!(
        "{}, {}; {} could not be graded\n",
        load::counted(totals.answers.of as usize, "answer"),
        load::counted(totals.constraints.of as usize, "constraint"),
        load::counted(totals.errors() as usize, "row"),
    );
    for (code, count) in &totals.errors {
        text.push_str(&format!("  {code}: {}\n", load::counted(*count as usize, "row")));
    }
    if let Some(unanswered) = unanswered.filter(|unanswered| *unanswered > 0) {
        text.push_str(&format!("{} without an answer\n", load::counted(unanswered, "prompt")));
    }
    if totals.without_text > 0 {
        let so = if raw_text { "graded unchanged" } else { "so no constraint holds for them" };
        let answers = load::counted(totals.without_text as usize, "answer");
        text.push_str(&format!("without text, {so}: {answers}\n"));
    }
    if totals.with_reasoning > 0 {
        text.push_str(&format!(
            "reasoning stored separately (`--raw-text` grades it too): {}\n",
            load::counted(totals.with_reasoning as usize, "answer")
        ));
    }
    for (marker, count) in &totals.unknown_blocks {
        text.push_str(&format!(
            "begins with the block `{marker}`, which no known model writes; see whether it is \
             reasoning: {}\n",
            load::counted(*count as usize, "answer")
        ));
    }
    if totals.unjudged.constraints > 0 {
        text.push_str(&format!(
            "decided by a judge, not graded: {}; left out of the totals: {}\n",
            load::counted(totals.unjudged.constraints as usize, "constraint"),
            load::counted(totals.unjudged.answers as usize, "answer"),
        ));
    }
    if totals.undecided.constraints > 0 {
        text.push_str(&format!(
            "undecided, since the answer does not tell: {}; left out of the totals: {}\n",
            load::counted(totals.undecided.constraints as usize, "constraint"),
            load::counted(totals.undecided.answers as usize, "answer"),
        ));
    }
    let share = |held: u64, of: u64| match of {
        0 => "–".to_owned(),
        of => format!("{:.2} %", held as f64 * 100.0 / of as f64),
    };
    let rows = [
        ("prompt level: responses that satisfy all constraints", totals.answers),
        ("instruction level: satisfied constraints", totals.constraints),
    ];
    let loose = if reading.is_loose() { "     loose" } else { "" };
    text.push_str(&format!("{:<54}    strict{loose}\n", ""));
    for (name, count) in rows {
        text.push_str(&format!("{name:<54}{:>10}", share(count.strict, count.of)));
        if reading.is_loose() {
            text.push_str(&format!("{:>10}", share(count.loose, count.of)));
        }
        text.push('\n');
    }
    text
}

/// For programs.
fn json(totals: &GradeTotals, reading: RowReading, unanswered: Option<usize>) -> String {
    #[derive(Serialize)]
    struct Accuracy {
        strict: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        loose: Option<f64>,
    }
    #[derive(Serialize)]
    struct GradeSummary<'t> {
        prompt_level: Accuracy,
        instruction_level: Accuracy,
        #[serde(flatten)]
        totals: &'t GradeTotals,
        #[serde(skip_serializing_if = "Option::is_none")]
        unanswered: Option<usize>,
    }
    let accuracy = |count: ifs_judge::grade::GradeCount| {
        let share = |held: u64| (count.of > 0).then(|| held as f64 / count.of as f64);
        let loose = if reading.is_loose() { share(count.loose) } else { None };
        Accuracy { strict: share(count.strict), loose }
    };
    let summary = GradeSummary {
        prompt_level: accuracy(totals.answers),
        instruction_level: accuracy(totals.constraints),
        totals,
        unanswered,
    };
    let mut text = serde_json::to_string_pretty(&summary).unwrap_or_default();
    text.push('\n');
    text
}
