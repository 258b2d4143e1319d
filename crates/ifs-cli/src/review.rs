//! `ifs review`

use std::path::PathBuf;

use super::exit::{CommandError, Exit};
use super::output::Output;
use super::review_set::{Decision, SetReview, print_state};
use super::{Format, review_dialogues, synthesize};
use ifs_author::construct::DialogueSet;
use ifs_author::synthesis::{UtteranceLine, UtteranceSet};
use ifs_run::curated_set::ReviewState;

/// Review the user messages that no check accepted, and freeze the set.
///
/// Shows each flagged turn: its required content, the message, and the errors in it. Every decision
/// is saved at once, so a review can be interrupted and resumed. When nothing is left, the set is
/// frozen: it gets a version and a content hash, and `ifs run --utterances` accepts it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Decisions:
  a  accept the message
  e  edit: write the message again; a line with a single dot ends it
  r  reject: the message of the templates is used instead
  s  skip until the next review
  q  quit

Examples:
  ifs review utterances.jsonl
  ifs review utterances.jsonl --all              every turn that no person has reviewed
  ifs review utterances.jsonl --summary --format json")]
pub(crate) struct Args {
    /// The file that `ifs synthesize` or `ifs construct` wrote
    file: PathBuf,
    /// Also review the turns that passed
    #[arg(long)]
    all: bool,
    /// Print the summary only
    #[arg(long)]
    summary: bool,
    /// Format of the summary
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    if DialogueSet::is_one(&args.file) {
        return review_dialogues::run(&args.file, args.all, args.summary, output);
    }
    let mut set = UtteranceSet::read(&args.file)?;
    if !args.summary {
        let walk = SetReview { file: &args.file, all: args.all, edits: true };
        walk.review_open(&mut set, report, decided, output)?;
    }
    synthesize::show(&set, args.format, output);
    if !args.summary {
        print_state(&set, &args.file, "run --utterances", output);
    }
    Ok(Exit::Good)
}

fn decided(line: &mut UtteranceLine, decision: Decision) -> Result<(), &'static str> {
    match decision {
        Decision::Accept => line.state = ReviewState::Accepted,
        Decision::Edit(words) => (line.state, line.message) = (ReviewState::Edited, words),
        Decision::Reject => {
            line.state = ReviewState::Rejected;
            line.message.clone_from(&line.plain);
        }
    }
    Ok(())
}

fn report(
    set: &UtteranceSet,
    line: &UtteranceLine,
    (number, of): (usize, usize),
    output: &mut Output,
) {
    let dialogue = &set.made.dialogue;
    output.line(&format!(
        "\n{number} of {of} · dialogue {dialogue} number {}, turn {} · written {} by {}",
        line.index,
        line.turn,
        super::load::counted(line.tries as usize, "time"),
        line.by,
    ));
    output.line("from the templates:");
    indented(&line.plain, output);
    if !line.demands.is_empty() {
        output.line("demands:");
        line.demands.iter().for_each(|ask| indented(&format!("- {ask}"), output));
    }
    output.line("the message:");
    indented(&line.message, output);
    if let Some(why) = &line.why {
        output.line("why it was rejected:");
        indented(why, output);
    }
}

fn indented(text: &str, output: &mut Output) {
    for line in text.lines() {
        output.line(&format!("    {line}"));
    }
}
