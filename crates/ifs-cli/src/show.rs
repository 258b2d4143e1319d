//! `ifs show`

use std::path::PathBuf;

use super::exit::{CommandError, Exit};
use super::output::Output;
use super::pager::Pager;
use super::recorded::latencies;
use super::redact::RedactArgs;
use super::score;
use ifs_report::chat::{ChatView, TurnFilter, text};
use ifs_run::{Folder, graded};

/// Show the dialogues of a recorded run as chats.
///
/// Each turn has its user message, what changed, the active constraints, the response, the verdicts
/// with their reasons, the judges' reasons, tokens and latency. A part of the response that a rule
/// blames is within ⟦ and ⟧, with the number of the verdict. On a terminal the text is shown by
/// the program in PAGER, or `less`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs show runs/evolif-sim-forgetful-seed1                        every dialogue
  ifs show runs/evolif-sim-forgetful-seed1 --dialogue 12 --turn 3
  ifs show runs/evolif-sim-forgetful-seed1 --failed               only the turns that failed
  ifs show runs/evolif-sim-forgetful-seed1 --constraint length --failed")]
pub(crate) struct Args {
    /// The folder of a run
    run: PathBuf,
    /// Only the dialogue with this index
    #[arg(long, value_name = "N")]
    dialogue: Option<u64>,
    /// Only turns that failed; with `--constraint`, those on which it was missed
    #[arg(long)]
    failed: bool,
    /// Only turns with this constraint, group or criterion
    #[arg(long, value_name = "NAME")]
    constraint: Option<String>,
    /// Only turns with this number
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u32).range(1..))]
    turn: Option<u32>,
    #[command(flatten)]
    redact: RedactArgs,
    /// Use a judging of the run instead of its own verdicts, by its name under `judgings`
    #[arg(long, value_name = "NAME")]
    judging: Option<String>,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let folder = Folder::open(&args.run)?;
    let wanted =
        TurnFilter { failed: args.failed, constraint: args.constraint.clone(), turn: args.turn };
    let again = score::RescoreOptions { judging: args.judging, ..Default::default() };
    let (color, width) = (output.color(), Output::width());
    let (mut shown, mut all, mut last) = (0_u64, 0_u64, None);
    let reader = score::RunReader::open(&folder, &again)?;
    let is_hidden = reader.manifest.is_hidden();
    let places = match args.dialogue {
        Some(index) => format!("{}/{index}/", reader.manifest.dialogue),
        None => String::new(),
    };
    let latencies = latencies(&folder, &places)?;
    let mut pager = Pager::start(output);
    let mut open = true;
    let redaction = args.redact.redaction();
    let gaps = reader.each_transcript(|mut transcript| {
        all += 1;
        last = last.max(Some(transcript.index));
        if !open || args.dialogue.is_some_and(|wanted| wanted != transcript.index) {
            return;
        }
        let mut graded = graded(&reader.plan, &transcript, None);
        redaction.apply(&mut transcript, &mut graded);
        let mut chat = ChatView::of_run(&transcript, graded, &latencies);
        chat.seed = chat.seed.filter(|_| !is_hidden);
        if let Some(text) = text(&chat, &wanted, color, width) {
            shown += 1;
            open = pager.write(&text);
        }
    })?;
    pager.finish();
    if let Some(warning) = gaps.warning() {
        output.warn(&format!("`{}`: {warning}", folder.path().display()));
    }
    if shown > 0 || all == 0 {
        return Ok(Exit::Good);
    }
    Err(match args.dialogue {
        Some(index) if last < Some(index) => {
            let last = last.unwrap_or_default();
            CommandError::input(format!("the run has no dialogue {index}"))
                .help(format!("it has {all}, with indices up to {last}"))
        }
        _ => CommandError::input("no turn of the run is selected").help(
            "leave out `--failed`, `--turn` or `--constraint`; `ifs report RUN` has the names",
        ),
    })
}
