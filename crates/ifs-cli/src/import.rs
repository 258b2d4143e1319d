//! `ifs import`

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::exit::{CommandError, Exit};
use super::files;
use super::load::counted;
use super::output::Output;
use super::shell::quoted;
use ifs_author::construct::DialogueSet;
use ifs_author::import::evolif::Logs;
use ifs_author::import::records::{self, DataSource};
use ifs_author::import::structflowbench::{self, PublishedFile};
use ifs_author::import::{Defect, DefectKind, ImportError, SEED, drawn, transcripts};
use ifs_author::release;
use ifs_plan::Plan;
use ifs_run::{Folder, RunManifest, SCHEMA, Transcript};

/// Convert published data into a release.
///
/// The release is a folder with a scenario and its bank: `ifs draw` and `ifs run` use it like any
/// other, and its scenario declares a release of all records. Defects of the data are printed and
/// written to `defects.jsonl` in that folder; a record that cannot be read or drawn stops the import.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs import structflowbench StructFlowBench.json --out official
  ifs run official/published.ifs --model …
  ifs import structflowbench gpt4o_evaluate.json.gz --judged --out gpt4o
  ifs score gpt4o                      the scores of an imported run
  ifs import dialogues talks.jsonl --out ours
  ifs import evolif dialog --out official            a folder of dialog_N.jsonl
  ifs import evolif evaluation/gpt-5 --judged --out gpt-5    its eval_N.jsonl, to `ifs score`
  ifs import chats chats.csv --images photos --out album
  ifs import chats chats.csv --images photos --column prompt=Frage --out album
  ifs import multi-if multi_if.csv --out multi_if
  ifs import ifbench IFBench_test.jsonl --out ifbench
  ifs import sysbench system_benchmark_eval_datas.json --out sysbench
  ifs import multichallenge benchmark_questions.jsonl --out multichallenge
  ifs import sharded sharded_instructions_600.json --leave-out --out sharded   its arithmetic problems")]
pub(crate) struct Args {
    /// Format of the data
    #[arg(value_enum)]
    from: ImportSource,
    /// Input file, or for EvolIF a folder; .gz and .zst are decompressed, `-` is standard input
    file: PathBuf,
    /// Folder to create
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// The file has a model's responses and the verdicts on them: create a recorded run
    #[arg(long)]
    judged: bool,
    /// Model that responded; by default the name of the file
    #[arg(long, value_name = "NAME", requires = "judged")]
    model: Option<String>,
    /// Folder of the pictures that a table of chats names, or with one folder for each chat; by
    /// default the table's own folder
    #[arg(long, value_name = "FOLDER")]
    images: Option<PathBuf>,
    /// Column of a table of chats by content (chat, turn, prompt, instructions, image, answer,
    /// capability, topic); columns with a usual name are found without it
    #[arg(long = "column", value_name = "ROLE=NAME")]
    columns: Vec<String>,
    /// Skip records that cannot be read or drawn, instead of stopping
    #[arg(long)]
    leave_out: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ImportSource {
    /// Dialogues with their flows and questions (StructFlowBench.json), and judged responses to
    /// them
    Structflowbench,
    /// A frozen set from `ifs construct`
    Dialogues,
    /// A folder of EvolIF's dialogues (dialog_N.jsonl), or of a model's logs (eval_N.jsonl)
    Evolif,
    /// Chats over pictures, as CSV with a row for each turn (MMMT-IF's columns)
    Chats,
    /// Multi-IF's rows (JSON lines or CSV)
    MultiIf,
    /// IFBench's prompts, its two-turn conversations, or training prompts of IF-RLVR (JSON lines)
    Ifbench,
    /// SysBench's dialogues (system_benchmark_eval_datas.json)
    Sysbench,
    /// MultiChallenge's conversations (JSON lines)
    Multichallenge,
    /// Sharded instructions of "LLMs Get Lost In Multi-Turn Conversation" (JSON): the arithmetic
    /// problems
    Sharded,
}

impl ImportSource {
    /// The data that are records of a shipped scenario.
    fn records(self) -> Option<DataSource> {
        match self {
            ImportSource::MultiIf => Some(DataSource::MultiIf),
            ImportSource::Ifbench => Some(DataSource::Ifbench),
            ImportSource::Sysbench => Some(DataSource::Sysbench),
            ImportSource::Multichallenge => Some(DataSource::Multichallenge),
            ImportSource::Sharded => Some(DataSource::Sharded),
            ImportSource::Structflowbench
            | ImportSource::Dialogues
            | ImportSource::Evolif
            | ImportSource::Chats => None,
        }
    }
}

/// The number of defects of one kind that are printed; the file has all of them.
const MAX_DEFECTS: usize = 5;

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    if args.out.exists() {
        return Err(CommandError::input(format!("`{}` exists already", args.out.display()))
            .help("choose another folder with `--out`, or remove that one"));
    }
    if args.images.is_some() && args.from != ImportSource::Chats {
        return Err(
            CommandError::usage("`--images` requires `ifs import chats`").help("leave it out")
        );
    }
    if !args.columns.is_empty() && args.from != ImportSource::Chats {
        return Err(
            CommandError::usage("`--column` requires `ifs import chats`").help("leave it out")
        );
    }
    if args.from == ImportSource::Dialogues {
        return constructed(&args, output);
    }
    if args.from == ImportSource::Evolif {
        return evolif(&args, output);
    }
    if args.from == ImportSource::Chats {
        if args.judged {
            return Err(CommandError::usage("a table of chats holds no judged responses")
                .help("`--judged` requires `ifs import structflowbench`"));
        }
        let table = super::import_chats::ChatTable {
            file: &args.file,
            images: args.images.as_deref(),
            columns: &args.columns,
            out: &args.out,
            leave_out: args.leave_out,
        };
        return super::import_chats::run(&table, output);
    }
    let bytes = files::read_decompressed(&args.file).map_err(|error| {
        CommandError::input(format!("`{}` cannot be read: {error}", args.file.display()))
    })?;
    if let Some(source) = args.from.records() {
        return of_records(&args, source, &bytes, output);
    }
    let mut published =
        structflowbench::read(&bytes).map_err(|error| import_error(&args.file, &error))?;
    if args.judged {
        published.note_unjudged();
    }
    report(&published.defects, output);
    if !published.is_whole() && !args.leave_out {
        return Err(CommandError::input(format!(
            "`{}` holds records that cannot be converted; nothing was written",
            args.file.display()
        ))
        .help("correct them, or leave them out with `--leave-out`"));
    }
    if published.talks.is_empty() {
        return Err(CommandError::input("no record is left; nothing was written"));
    }
    if args.judged {
        return write_run(&args, &published, output);
    }
    write_release(&args, release::files(&published.talks), &published.defects)?;
    output.line(&format!(
        "{}: {}, {}",
        args.out.display(),
        summary(&published),
        counted(published.defects.len(), "defect")
    ));
    Ok(Exit::Good)
}

/// A shipped scenario with the records of the data.
fn of_records(
    args: &Args,
    source: DataSource,
    bytes: &[u8],
    output: &mut Output,
) -> Result<Exit, CommandError> {
    if args.judged {
        return Err(CommandError::usage("these data hold no judged responses")
            .help("`--judged` requires `ifs import structflowbench` or `evolif`"));
    }
    let release = records::read(source, bytes).map_err(|error| import_error(&args.file, &error))?;
    report(&release.defects, output);
    if !release.defects.is_empty() && !args.leave_out {
        return Err(CommandError::input(format!(
            "`{}` holds records that cannot be converted; nothing was written",
            args.file.display()
        ))
        .help("correct them, or leave them out with `--leave-out`"));
    }
    if release.dialogues == 0 {
        return Err(CommandError::input("no record is left; nothing was written"));
    }
    write_release(args, release.files, &release.defects)?;
    let dialogues = counted(release.records, "dialogue");
    let dialogues = match release.dialogues == release.records {
        true => dialogues,
        false => format!("{} of {dialogues}", release.dialogues),
    };
    output.line(&format!(
        "{}: {dialogues}, {}",
        args.out.display(),
        counted(release.defects.len(), "defect")
    ));
    Ok(Exit::Good)
}

/// A release of dialogues that models wrote, without rejected ones.
fn constructed(args: &Args, output: &mut Output) -> Result<Exit, CommandError> {
    let set = DialogueSet::read(&args.file)?;
    let path = args.file.display();
    if set.hash.is_none() {
        return Err(CommandError::input(format!(
            "`{path}` is not frozen: {} to look at",
            counted(set.flagged(), "dialogue")
        ))
        .help(format!("review them and freeze the set with `ifs review {}`", quoted(&args.file))));
    }
    let published = PublishedFile {
        talks: ifs_author::construct::released_dialogues(&set),
        ..PublishedFile::default()
    };
    if published.talks.is_empty() {
        return Err(CommandError::input("every dialogue was rejected; nothing was written"));
    }
    let files = release::files(&published.talks);
    checked(args, &files)?;
    for (name, text) in files {
        write(&args.out.join(name), &text)?;
    }
    if set.made.simulated {
        output.note("simulated: these are not dialogues of a real model");
    }
    output.line(&format!("{}: {}", args.out.display(), summary(&published)));
    Ok(Exit::Good)
}

/// Dialogues of EvolIF, or runs of them.
fn evolif(args: &Args, output: &mut Output) -> Result<Exit, CommandError> {
    let mut logs = Logs::default();
    for (name, path) in numbered(&args.file)? {
        let bytes = files::read_decompressed(&path).map_err(|error| {
            CommandError::input(format!("`{}` cannot be read: {error}", path.display()))
        })?;
        let text = String::from_utf8(bytes)
            .map_err(|_| CommandError::input(format!("`{}` is not UTF-8 text", path.display())))?;
        logs.parse_constraint(&name, &text);
    }
    report(&logs.defects, output);
    let unusable = logs.defects.iter().any(|defect| defect.kind == DefectKind::Unusable);
    if unusable && !args.leave_out {
        return Err(CommandError::input(format!(
            "`{}` holds lines that cannot be converted; nothing was written",
            args.file.display()
        ))
        .help("correct them, or leave them out with `--leave-out`"));
    }
    let turns: usize = logs.dialogues.iter().map(|dialogue| dialogue.turns.len()).sum();
    if turns == 0 {
        return Err(CommandError::input("no dialogue is left; nothing was written"));
    }
    let summary =
        format!("{} of {}", counted(logs.dialogues.len(), "dialogue"), counted(turns, "turn"));
    if args.judged {
        if logs.recorded.iter().flatten().all(|turn| turn.response.is_none()) {
            return Err(CommandError::input(format!("`{}` has no responses", args.file.display()))
                .help("a log has `response` and `eval` on each line; without `--judged` the dialogues alone are taken"));
        }
        let plan = compiled(args, &logs.files())?;
        let transcripts = logs.transcripts(&plan, DIALOGUE_NAME)?;
        return recorded(args, &plan, &transcripts, (&logs.defects, &summary), output);
    }
    write_release(args, logs.files(), &logs.defects)?;
    output.line(&format!(
        "{}: {summary}, {}",
        args.out.display(),
        counted(logs.defects.len(), "defect")
    ));
    Ok(Exit::Good)
}

/// The numbered files of a folder, in order, with their names; or a single file.
fn numbered(path: &Path) -> Result<Vec<(String, PathBuf)>, CommandError> {
    let unread = |error: io::Error| {
        CommandError::input(format!("`{}` cannot be read: {error}", path.display()))
    };
    let stem = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("dialogue");
        name.split('.').next().unwrap_or(name).to_owned()
    };
    if !path.is_dir() {
        return Ok(vec![(stem(path), path.to_owned())]);
    }
    let mut found: Vec<(u64, String, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(path).map_err(unread)? {
        let path = entry.map_err(unread)?.path();
        let name = stem(&path);
        let number = ["dialog_", "eval_"].iter().find_map(|before| name.strip_prefix(before));
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            found.push((number, name, path));
        }
    }
    if found.is_empty() {
        return Err(CommandError::input(format!("`{}` has no dialogues", path.display()))
            .help("give the folder of `dialog_0.jsonl`, … or of `eval_0.jsonl`, …"));
    }
    found.sort();
    Ok(found.into_iter().map(|(_, name, path)| (name, path)).collect())
}

/// The dialogue of every release of published data.
const DIALOGUE_NAME: &str = "published";

/// A recorded run for `ifs score` and `ifs report`.
fn write_run(
    args: &Args,
    published: &PublishedFile,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    if published.judged.iter().flatten().all(|turn| turn.response.is_none()) {
        return Err(CommandError::input(format!("`{}` has no responses", args.file.display()))
            .help("a file with responses has `response` and `judge result` in each turn; without `--judged` only the dialogues are imported"));
    }
    let plan = compiled(args, &release::files(&published.talks))?;
    let transcripts = transcripts(&plan, DIALOGUE_NAME, &published.talks, &published.judged)?;
    recorded(args, &plan, &transcripts, (&published.defects, &summary(published)), output)
}

/// The folder of an imported run.
fn recorded(
    args: &Args,
    plan: &Plan,
    transcripts: &[Transcript],
    (defects, summary): (&[Defect], &str),
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let folder = Folder::create(&args.out)?;
    let mut lines_of = String::new();
    for transcript in transcripts {
        // Serializing texts and numbers to memory cannot fail.
        lines_of.push_str(&serde_json::to_string(transcript).unwrap_or_default());
        lines_of.push('\n');
    }
    folder.write("transcripts.jsonl", &lines_of)?;
    folder.write("defects.jsonl", &lines(defects))?;
    folder.write("plan.json", &plan.to_json())?;
    let turns = transcripts.iter().map(|transcript| transcript.turns.len()).max().unwrap_or(0);
    folder.write_manifest(&RunManifest {
        schema: SCHEMA,
        ifs_version: env!("CARGO_PKG_VERSION").to_owned(),
        benchmark: plan.model.benchmark.name.clone(),
        benchmark_version: plan.model.benchmark.version.clone(),
        about: plan.model.benchmark.fields.clone(),
        plan_hash: plan.hash(),
        dialogue: DIALOGUE_NAME.to_owned(),
        model: args.model.clone().unwrap_or_else(|| model_of(&args.file)),
        seed: SEED.0,
        count: transcripts.len() as u64,
        dialogues: transcripts.len() as u64,
        max_turns: u32::try_from(turns).unwrap_or(u32::MAX),
        complete: true,
        transcripts: Some(blake3::hash(lines_of.as_bytes()).to_hex().to_string()),
        ..RunManifest::default()
    })?;
    let path = args.out.display();
    output.line(&format!(
        "{path}: {summary}, {}; `ifs score {}` reads it",
        counted(defects.len(), "defect"),
        quoted(&args.out)
    ));
    Ok(Exit::Good)
}

/// The plan of a release, as if its files had been written and compiled.
fn compiled(args: &Args, files: &BTreeMap<&'static str, String>) -> Result<Plan, CommandError> {
    drawn::checked(&drawn::world(files), false).map_err(|error| import_error(&args.file, &error))
}

/// Refuses a release that `ifs check` would refuse.
fn checked(args: &Args, files: &BTreeMap<&'static str, String>) -> Result<(), CommandError> {
    let checked = drawn::checked(&drawn::world(files), true);
    checked.map(drop).map_err(|error| import_error(&args.file, &error))
}

/// Writes the files of a release that can be drawn, with the defects of the data.
fn write_release(
    args: &Args,
    files: BTreeMap<&'static str, String>,
    defects: &[Defect],
) -> Result<(), CommandError> {
    checked(args, &files)?;
    for (name, text) in files {
        write(&args.out.join(name), &text)?;
    }
    write(&args.out.join("defects.jsonl"), &lines(defects))
}

/// `gpt4o` from `gpt4o_evaluate.json.gz`.
fn model_of(file: &Path) -> String {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or("unknown");
    let name = name.split('.').next().unwrap_or(name);
    name.strip_suffix("_evaluate").unwrap_or(name).to_owned()
}

fn summary(published: &PublishedFile) -> String {
    let turns = published.talks.iter().flat_map(|talk| &talk.turns);
    let questions: usize = turns.clone().map(|turn| turn.checks.len()).sum();
    format!(
        "{} of {} with {}",
        counted(published.talks.len(), "dialogue"),
        counted(turns.count(), "turn"),
        counted(questions, "question")
    )
}

/// Prints the defects by kind.
fn report(defects: &[Defect], output: &mut Output) {
    for kind in DefectKind::ALL {
        let of_kind: Vec<&Defect> = defects.iter().filter(|defect| defect.kind == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        output.note(&format!("{}: {}", kind.heading(), of_kind.len()));
        for Defect { record, turn, what, .. } in of_kind.iter().take(MAX_DEFECTS) {
            let turn = turn.as_ref().map(|turn| format!(", {turn}")).unwrap_or_default();
            output.note(&format!("  {record}{turn}: {what}"));
        }
        if of_kind.len() > MAX_DEFECTS {
            output.note(&format!("  and {} more", of_kind.len() - MAX_DEFECTS));
        }
    }
}

fn lines(defects: &[Defect]) -> String {
    // Serializing texts to memory cannot fail.
    let line = |defect: &Defect| serde_json::to_string(defect).unwrap_or_default() + "\n";
    defects.iter().map(line).collect()
}

fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    let write = || -> io::Result<()> {
        if let Some(folder) = path.parent() {
            ifs_base::replace::make_folder(folder)?;
        }
        ifs_base::replace::write_named(path, text.as_bytes())
    };
    write().map_err(|error| {
        CommandError::infrastructure(format!("`{}` cannot be written: {error}", path.display()))
    })
}

fn import_error(file: &Path, error: &ImportError) -> CommandError {
    let problem = CommandError::input(format!("`{}`: {error}", file.display()));
    match error {
        ImportError::BreaksOff(_) => {
            problem.help("the copy or download is incomplete: fetch it again")
        }
        ImportError::NoList { .. } => {
            problem.help("give the file of dialogues, such as StructFlowBench.json")
        }
        ImportError::Refused(_) => problem.help("correct the data; nothing was written"),
        ImportError::Empty | ImportError::NoJson(_) | ImportError::NoDialogues => problem,
    }
}
