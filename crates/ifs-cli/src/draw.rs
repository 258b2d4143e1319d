//! `ifs draw`

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use clap::ValueEnum;
use serde::Serialize;

use super::exit::{CommandError, Exit};
use super::output::Output;
use super::{distinct, load, variety};
use ifs_base::parallel::{in_order, workers};
use ifs_draw::proof::{Proof, Prover, Steps};
use ifs_draw::{CriterionKind, Drawer, Related, ScriptTurn, Seed, ShownContent};
use ifs_model::table::{Context, DecidedBy};
use ifs_predicate::print::print;
use ifs_run::{DialogueTexts, Limit, select_distinct};

/// Draw dialogues from a seed, without a model.
///
/// The same scenario, seed and number give the same dialogue, byte for byte, on every machine.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs draw scenarios/evolif/evolif.ifs                     one dialogue to read
  ifs draw a.ifs -n 150 --turns 30 --format jsonl > set.jsonl
  ifs draw a.ifs --seed 7 --index 41 --from 90             from its 90th turn on
  ifs draw a.ifs -n 200 --turns 100 --variety              how often users repeat themselves
  ifs draw a.ifs --dialogue short --variant impatient")]
pub(crate) struct Args {
    #[command(flatten)]
    which: load::DialogueArgs,
    /// Number of dialogues
    #[arg(short = 'n', long, default_value_t = 1, value_parser = distinct::count)]
    count: u64,
    /// Seed of the dialogues; the release's seed, else 1, by default
    #[arg(long)]
    seed: Option<u64>,
    /// Index of the first dialogue
    #[arg(long, default_value_t = 0)]
    index: u64,
    /// Maximum number of turns in a dialogue; by default 20 where moves or flows choose the turns, and
    /// otherwise all that are written
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    turns: Option<u32>,
    /// First turn to print
    #[arg(long, default_value_t = 1)]
    from: u32,
    /// Keep only dialogues that the release accepts
    #[arg(long)]
    release: bool,
    /// Do not search for witnesses; the script is the same
    #[arg(long)]
    no_witness: bool,
    /// Measure how varied the user messages are, instead of printing them
    #[arg(long, conflicts_with_all = ["from", "no_witness"])]
    variety: bool,
    /// Draw both sides of each branch, one after the other, instead of one of them
    #[arg(long, conflicts_with = "variety")]
    both_sides: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = DrawFormat::Text)]
    format: DrawFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DrawFormat {
    /// Human-readable text
    Text,
    /// One line of JSON per turn
    #[value(alias = "json")]
    Jsonl,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let (program, dialogue) = load::dialogue(&args.which, output)?;
    let name = dialogue.table.name.as_str();
    let release = program
        .plan
        .model
        .releases
        .iter()
        .find(|release| release.counts.iter().any(|(_, of)| of == name));
    let seed = Seed(args.seed.or(release.and_then(|release| release.seed)).unwrap_or(1));
    let drawer = program.drawer(name)?;
    let turns = args.turns.unwrap_or(match dialogue.table.is_written_out() {
        true => MAX_WRITTEN_TURNS,
        false => DEFAULT_TURNS,
    });
    if args.count > 1 {
        let known = ifs_run::distinct(&drawer, seed, MAX_COMPARED_TURNS)?.map(Limit::Exactly);
        distinct::require_distinct(&drawer, args.count, known)?;
    }
    let indices: Box<dyn Iterator<Item = u64> + Send> = if args.release {
        let wanted = args.index.saturating_add(args.count);
        if wanted > distinct::MAX_SELECTED_DIALOGUES {
            let most = distinct::MAX_SELECTED_DIALOGUES;
            return Err(CommandError::usage(format!("a release keeps at most {most} dialogues"))
                .help("request fewer with `-n` and `--index`, or leave out `--release`"));
        }
        let selection = select_distinct(&drawer, release, seed, wanted, MAX_COMPARED_TURNS)?;
        distinct::selected(wanted, &selection)?;
        distinct::require_distinct(&drawer, args.count, selection.limit)?;
        let kept = selection.dialogues.into_iter().skip(args.index as usize);
        Box::new(kept.map(|selected| selected.index))
    } else {
        // An iterator, since a list of `-n` numbers might not fit into memory.
        Box::new(args.index..args.index.saturating_add(args.count))
    };
    /// More dialogues than these are not compared with one another: they are drawn for statistics.
    const MAX_COMPARED_DIALOGUES: u64 = 10_000;
    let mut indices = indices;
    let compared: Vec<u64> = match args.count {
        2..=MAX_COMPARED_DIALOGUES => indices.by_ref().collect(),
        _ => Vec::new(),
    };
    if let Some(note) = repeats(&drawer, seed, &compared)? {
        output.note(&note);
    }
    let mut indices = (0_u64..).zip(compared.into_iter().chain(indices));
    if args.variety {
        let numbers = indices.map(|(_, index)| index);
        let found = variety::measured(&drawer, (seed, turns), numbers)?;
        match args.format {
            DrawFormat::Text => output.print(&variety::variety_text(&found)),
            DrawFormat::Jsonl => {
                output.json_line(&serde_json::to_string(&found).unwrap_or_default());
            }
        }
        return Ok(Exit::Good);
    }
    let steps = Steps::default();
    let cut = AtomicU64::new(0);
    let drawing =
        DrawCommand { args: &args, turns, cut: &cut, program, drawer: &drawer, name, seed, steps };
    // A dialogue without an end is printed while it is drawn.
    if turns > MAX_STREAMED_TURNS {
        for index in indices.by_ref() {
            drawing.draw(index, &mut Vec::new(), &mut |bytes| {
                let open = write_bytes(bytes, args.format, output);
                bytes.clear();
                open
            })?;
        }
        return Ok(Exit::Good);
    }
    // Batches are small enough to give all threads work, and large enough to keep the overhead low.
    // Dialogues with witnesses may wait for one another, so each is a batch.
    let most = if args.no_witness { 8 } else { 1 };
    let batch = (args.count / (workers() as u64 * 16)).clamp(1, most) as usize;
    let mut batches = std::iter::from_fn(|| {
        let batch: Vec<(u64, u64)> = indices.by_ref().take(batch).collect();
        (!batch.is_empty()).then_some(batch)
    });
    // Buffers are reused: touching new memory costs more than drawing a turn.
    let spare: Mutex<Vec<Vec<u8>>> = Mutex::default();
    let spares = || spare.lock().unwrap_or_else(PoisonError::into_inner);
    let drawn = in_order(
        workers(),
        || Ok(batches.next()),
        |indices| {
            let mut whole = spares().pop().unwrap_or_default();
            let end = indices
                .iter()
                .try_for_each(|index| drawing.draw(*index, &mut whole, &mut |_| true));
            (whole, end)
        },
        |(mut whole, end)| {
            let open = write_bytes(&whole, args.format, output);
            end?;
            whole.clear();
            spares().push(whole);
            // The reader has closed the output.
            if open { Ok(()) } else { Err(CommandError::output_closed()) }
        },
    );
    match drawn {
        Err(_) if output.is_closed() => return Ok(Exit::Good),
        drawn => drawn?,
    }
    let cut = cut.into_inner();
    if args.turns.is_none() && cut > 0 {
        let all = load::counted(usize::try_from(args.count).unwrap_or(usize::MAX), "dialogue");
        let more = turns.saturating_mul(5);
        output.note(&format!(
            "{cut} of {all} cut after {turns} turns; `--turns {more}` draws up to {more}"
        ));
    }
    Ok(Exit::Good)
}

/// The number of turns of a dialogue whose turns are chosen by moves or flows, which may not end.
const DEFAULT_TURNS: u32 = 20;

/// The same where all turns are written.
const MAX_WRITTEN_TURNS: u32 = 1000;

/// Dialogues are compared with one another up to this many turns.
const MAX_COMPARED_TURNS: u32 = 1000;

/// How many of the dialogues repeat another's text, if any.
fn repeats(
    drawer: &Drawer<'_>,
    seed: Seed,
    indices: &[u64],
) -> Result<Option<String>, CommandError> {
    if indices.len() < 2 {
        return Ok(None);
    }
    let mut texts = DialogueTexts::new(drawer, seed, MAX_COMPARED_TURNS);
    let mut repeats = 0;
    for index in indices {
        repeats += usize::from(texts.add(*index)?.is_some());
    }
    Ok((repeats > 0).then(|| {
        let all = load::counted(indices.len(), "dialogue");
        format!("{all} with {} distinct texts; `ifs run` skips repeats", indices.len() - repeats)
    }))
}

/// Dialogues with more turns than these are drawn one by one.
const MAX_STREAMED_TURNS: u32 = 10_000;

/// Whether the output is still open.
fn write_bytes(bytes: &[u8], format: DrawFormat, output: &mut Output) -> bool {
    let text = String::from_utf8_lossy(bytes);
    match format {
        DrawFormat::Text => output.print_folded(&text),
        DrawFormat::Jsonl => output.json(&text),
    }
    !output.is_closed()
}

/// The state that the dialogues of a command share.
struct DrawCommand<'a> {
    args: &'a Args,
    /// The maximum number of turns of a dialogue, and how many dialogues have more.
    turns: u32,
    cut: &'a AtomicU64,
    program: &'a load::LoadedScenario,
    drawer: &'a Drawer<'a>,
    name: &'a str,
    seed: Seed,
    steps: Steps,
}

impl DrawCommand<'_> {
    /// Appends a dialogue to the buffer, and checks after each turn whether the output is still
    /// open.
    fn draw(
        &self,
        (place, index): (u64, u64),
        bytes: &mut Vec<u8>,
        give: &mut dyn FnMut(&mut Vec<u8>) -> bool,
    ) -> Result<(), CommandError> {
        let DrawCommand { args, turns, name, seed, ref steps, .. } = *self;
        // Taken immediately: later dialogues may wait for it.
        let share = steps.share(place);
        let mut script = self.drawer.script(seed, index);
        if args.both_sides {
            script = script.take_both_sides();
        }
        let prover = || Prover::new(&self.program.plan, name).with_budget(share);
        let mut prover = (!args.no_witness).then(prover);
        if !prover.as_ref().is_some_and(Prover::looks_back) {
            script.skip_to(args.from)?;
        }
        if args.format == DrawFormat::Text {
            let golden = match self.drawer.dialogue().table.context {
                Context::Golden => ", context golden",
                Context::Own => "",
            };
            let title = format!("dialogue {name} number {index}, seed {}{golden}\n", seed.0);
            bytes.extend_from_slice(title.as_bytes());
        }
        while script.state().turn < turns
            && let Some(turn) = script.next()
        {
            let turn = turn?;
            let proof = prover.as_mut().map(|prover| prover.prove(&turn));
            if turn.turn < args.from {
                continue;
            }
            match args.format {
                DrawFormat::Text => {
                    let text = turn_text(&turn, proof.as_ref(), script.observed());
                    bytes.extend_from_slice(text.as_bytes());
                }
                DrawFormat::Jsonl => {
                    DrawnRow::new((name, seed, index), &turn, proof.as_ref()).write_json(bytes)
                }
            }
            if !give(bytes) {
                return Ok(());
            }
        }
        if args.turns.is_none() && script.state().turn >= turns && script.next().is_some() {
            self.cut.fetch_add(1, Ordering::Relaxed);
        }
        if args.format == DrawFormat::Text {
            bytes.push(b'\n');
        }
        give(bytes);
        Ok(())
    }
}

/// The number of the schema of a line. Lines do not carry it.
const SCHEMA: u32 = 1;

/// The schema of a line of `--format jsonl`.
pub(super) fn schema() -> serde_json::Value {
    ifs_report::schema::schema_of::<DrawnRow<'static>>("draw", SCHEMA)
}

/// A turn as a line of JSON.
#[derive(Serialize, schemars::JsonSchema)]
struct DrawnRow<'a> {
    dialogue: &'a str,
    seed: Seed,
    index: u64,
    #[serde(flatten)]
    turn: &'a ScriptTurn,
    /// The hash of its witness.
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<String>,
    /// The constraints for which no witness was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_witness: Option<&'a [String]>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    no_rules: bool,
}

impl<'a> DrawnRow<'a> {
    fn new(
        (dialogue, seed, index): (&'a str, Seed, u64),
        turn: &'a ScriptTurn,
        proof: Option<&'a Proof>,
    ) -> DrawnRow<'a> {
        let no_witness = match proof {
            Some(Proof::Missing(constraints)) => Some(constraints.as_slice()),
            _ => None,
        };
        let no_rules = proof == Some(&Proof::Nothing) && turn.given.is_none();
        let witness = proof.and_then(Proof::hash);
        DrawnRow { dialogue, seed, index, turn, witness, no_witness, no_rules }
    }

    fn write_json(&self, into: &mut Vec<u8>) {
        // The keys are texts and nothing is written to a file, so this cannot fail.
        let _ = serde_json::to_writer(&mut *into, self);
        into.push(b'\n');
    }
}

/// A turn as text.
/// `observed` are the values that branches depend on, which are drawn: there are no responses.
fn turn_text(
    turn: &ScriptTurn,
    proof: Option<&Proof>,
    observed: &[(String, Option<bool>)],
) -> String {
    let active: Vec<String> =
        turn.active_constraints.iter().map(|active| active.standing()).collect();
    let active = match active.is_empty() {
        true => String::new(),
        false => format!(" · active: {}", active.join(", ")),
    };
    let mark = match proof {
        Some(Proof::Witness(_)) => " · satisfiable".to_owned(),
        Some(Proof::Nothing) => " · no rules".to_owned(),
        Some(Proof::Missing(constraints)) => format!(" · no witness: {}", constraints.join(", ")),
        None => String::new(),
    };
    let mark = if turn.given.is_some() { " · given".to_owned() } else { mark };
    let relations: Vec<String> = turn.relations.iter().map(Related::label).collect();
    let relations = relations.join(" and ");
    let over = turn.over.as_deref().unwrap_or_default();
    let how = if relations.is_empty() { turn.transition.word() } else { &relations };
    let head: Vec<&str> = [turn.name.as_str(), how, over, &turn.topic]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    let classes = turn.classes.iter().map(|class| format!(" · class: {class}"));
    let slice = turn.slice.iter().map(|slice| format!(" · part: {slice}"));
    let mark: String = classes.chain(slice).chain([mark]).collect();
    let (number, head) = (turn.turn, head.join(" · "));
    let mut text = format!("\n{number:>3}  {head}{active}{mark}\n");
    let mut put = |before: &str, said: &str| {
        for line in said.lines() {
            // Without the blank lines between paragraphs, since each line has a prefix.
            if line.is_empty() && before.ends_with(": ") {
                continue;
            }
            text.push_str("     ");
            text.push_str(before);
            text.push_str(line);
            text.push('\n');
        }
    };
    turn.system.iter().for_each(|system| put("system: ", system));
    for shown in &turn.show {
        match shown {
            ShownContent::Text(shown) => put("| ", shown),
            ShownContent::Image(image) => put("| ", &format!("[{}]", image.label())),
            ShownContent::Tool { .. } => {}
        }
    }
    put("", &turn.ask);
    turn.tools().for_each(|(name, text)| put(&format!("tool {name}: "), text));
    turn.reminder.iter().for_each(|reminder| put("", reminder));
    turn.given.iter().for_each(|given| put("reply: ", given));
    turn.golden.iter().for_each(|golden| put("answer: ", golden));
    for criterion in &turn.criteria {
        let what = match &criterion.by {
            DecidedBy::Rule(tree) => print(tree),
            DecidedBy::Judge(question) => question.text.clone(),
        };
        let points = criterion.points.map(|points| format!(", worth {points}"));
        let points = points.or(criterion.weight.map(|weight| format!(", weight {weight}")));
        let after = (!criterion.after.is_empty())
            .then(|| format!(", after {}", criterion.after.join(", ")));
        let tags =
            (!criterion.tags.is_empty()).then(|| format!(", tag {}", criterion.tags.join(", ")));
        let pass = match &criterion.by {
            DecidedBy::Judge(question) => question.passes().map(|pass| format!(", {pass}")),
            DecidedBy::Rule(_) => None,
        };
        let value = observed.iter().find(|(name, _)| {
            criterion.kind == CriterionKind::Observation && *name == criterion.name
        });
        let value = value.and_then(|(_, value)| *value);
        let value = value.map(|held| format!(", drawn: {}", if held { "yes" } else { "no" }));
        let more: String =
            points.into_iter().chain(tags).chain(pass).chain(after).chain(value).collect();
        put("", &format!("[{}{more}] {what}", criterion.key()));
    }
    text
}
