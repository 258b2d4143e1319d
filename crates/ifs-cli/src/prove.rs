//! `ifs prove`

use super::exit::{CommandError, Exit};
use super::output::Output;
use super::{Format, load};
use ifs_base::diagnostic::{Code, Diagnostic, Severity, render, visible_lines};
use ifs_base::source::Span;
use ifs_draw::proof::{DialogueBudget, Proof, Prover, reason_for_missing};
use ifs_draw::{ScriptTurn, Seed};
use ifs_plan::Plan;
use ifs_predicate::bound::{Exclusion, Texts};

/// Print a text that satisfies every rule of a turn, or the constraints that rule one out.
///
/// If no text was found, prints a minimal set of active constraints without one: as "contradictory"
/// if that is proven, as "unlikely in prose" if only a text without sentences or words could satisfy
/// it, otherwise as "not found". Of up to five active constraints it is the smallest such set. The
/// exit status is then 1.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs prove a.ifs                          the first turn of the first dialogue
  ifs prove a.ifs --index 41 --turn 7      the seventh turn of the 42nd
  ifs prove a.ifs --turn 3 --format json")]
pub(crate) struct Args {
    #[command(flatten)]
    which: load::DialogueArgs,
    /// Seed of the dialogues; the release's seed, else 1, by default
    #[arg(long)]
    seed: Option<u64>,
    /// Index of the dialogue, from 0
    #[arg(long, default_value_t = 0, value_name = "N")]
    index: u64,
    /// Number of the turn, from 1
    #[arg(long, default_value_t = 1, value_name = "T", value_parser = clap::value_parser!(u32).range(1..))]
    turn: u32,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let (program, dialogue) = load::dialogue(&args.which, output)?;
    let (plan, name) = (&program.plan, dialogue.table.name.as_str());
    let release =
        plan.model.releases.iter().find(|release| release.counts.iter().any(|(_, of)| of == name));
    let seed = Seed(args.seed.or(release.and_then(|release| release.seed)).unwrap_or(1));
    let drawer = program.drawer(name)?;
    let mut script = drawer.script(seed, args.index);
    let mut prover = Prover::new(plan, name);
    let mut replies = Vec::new();
    let (turn, proof) = loop {
        let Some(turn) = script.next() else {
            let turns = load::counted(script.state().turn as usize, "turn");
            let index = args.index;
            return Err(CommandError::input(format!("dialogue {name} number {index} has {turns}"))
                .help("give one of them with `--turn`"));
        };
        let turn = turn?;
        if turn.turn < args.turn && !prover.looks_back() {
            continue;
        }
        if turn.turn == args.turn {
            // Independent of the budget that earlier turns used.
            prover = prover.with_budget(DialogueBudget::default());
        }
        let proof = prover.prove(&turn);
        if turn.turn == args.turn {
            break (turn, proof);
        }
        replies.push(match proof {
            Proof::Witness(text) => text,
            Proof::Nothing | Proof::Missing(_) => turn.given.unwrap_or_default(),
        });
    };
    let why = match &proof {
        Proof::Missing(names) => reason_for_missing(plan, name, &turn, &replies, names),
        Proof::Witness(_) | Proof::Nothing => None,
    };
    let place = ProvedTurn { name, seed, index: args.index, turn: &turn };
    match args.format {
        Format::Json => output.line(&json(&place, &proof, why.as_ref())),
        Format::Text => {
            output.line(&place.title());
            output.line(&proof_text(&proof, why.as_ref()));
            if let (Proof::Missing(names), Some(exclusion)) = (&proof, &why) {
                let shown = labelled(plan, names, exclusion);
                let shown = render(&[shown], &plan.sources, output.color_err(), Output::width());
                output.note(shown.trim_end_matches('\n'));
            }
        }
    }
    Ok(match proof {
        Proof::Witness(_) | Proof::Nothing => Exit::Good,
        Proof::Missing(_) => Exit::Failed,
    })
}

/// The turn to prove.
struct ProvedTurn<'a> {
    name: &'a str,
    seed: Seed,
    index: u64,
    turn: &'a ScriptTurn,
}

impl ProvedTurn<'_> {
    /// The constraints that are not overruled.
    fn active(&self) -> Vec<String> {
        let active = self.turn.active_constraints.iter();
        let followed = active.filter(|active| active.overruled.is_none());
        let followed = followed.map(|active| active.key());
        followed.chain(self.turn.criteria.iter().map(|criterion| criterion.key())).collect()
    }

    fn overruled(&self) -> Vec<String> {
        let active = self.turn.active_constraints.iter();
        active.filter(|active| active.overruled.is_some()).map(|active| active.standing()).collect()
    }

    fn title(&self) -> String {
        let ProvedTurn { name, seed, index, turn } = self;
        let active = self.active();
        let active = if active.is_empty() { "nothing".to_owned() } else { active.join(", ") };
        let overruled: String =
            self.overruled().iter().map(|one| format!("\noverruled: {one}")).collect();
        format!(
            "turn {} of dialogue {name} number {index}, seed {}\nactive: {active}{overruled}",
            turn.turn, seed.0
        )
    }
}

fn proof_text(proof: &Proof, why: Option<&Exclusion>) -> String {
    match (proof, why.map(|why| why.texts)) {
        (Proof::Witness(text), _) => {
            format!("satisfiable: this text meets every rule\n\n{}", visible_lines(text))
        }
        (Proof::Nothing, _) => {
            "no rules: no rule is active, so the turn is graded by a judge or not at all".to_owned()
        }
        (Proof::Missing(names), Some(Texts::All)) => {
            format!("contradictory: no text meets {}", listed(names))
        }
        (Proof::Missing(names), Some(Texts::Prose)) => format!(
            "unlikely in prose: no text was found that meets {}, and no prose does",
            listed(names)
        ),
        (Proof::Missing(names), None) => format!(
            "not found: no text was found that meets {}, and it is not known whether there is one",
            listed(names)
        ),
    }
}

fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, [one])) => format!("both {one} and {last}"),
        Some((last, others)) => format!("all of {} and {last}", others.join(", ")),
        None => "the rules".to_owned(),
    }
}

fn json(place: &ProvedTurn<'_>, proof: &Proof, why: Option<&Exclusion>) -> String {
    let mut all = serde_json::json!({
        "dialogue": place.name,
        "seed": place.seed.0,
        "index": place.index,
        "turn": place.turn.turn,
        "active": place.active(),
        "overruled": place.overruled(),
        "result": match (proof, why.map(|why| why.texts)) {
            (Proof::Witness(_), _) => "satisfiable",
            (Proof::Nothing, _) => "no rules",
            (Proof::Missing(_), Some(Texts::All)) => "contradictory",
            (Proof::Missing(_), Some(Texts::Prose)) => "unlikely in prose",
            (Proof::Missing(_), None) => "not found",
        },
    });
    match proof {
        Proof::Witness(text) => {
            all["witness"] = text.as_str().into();
            all["hash"] = proof.hash().into();
        }
        Proof::Missing(names) => {
            all["constraints"] = names.clone().into();
            let reason = |reason: &ifs_predicate::bound::ConflictReason| {
                serde_json::json!({
                    "constraint": names.get(reason.goal),
                    "says": reason.fragment,
                })
            };
            if let Some(why) = why {
                all["reasons"] = why.conflict.reasons.iter().map(reason).collect();
            }
        }
        Proof::Nothing => {}
    }
    serde_json::to_string_pretty(&all).unwrap_or_default()
}

/// A diagnostic that shows why no text is known.
fn labelled(
    plan: &Plan,
    names: &[String],
    Exclusion { conflict, texts }: &Exclusion,
) -> Diagnostic {
    let (what, severity, help) = match texts {
        Texts::All => {
            ("text", Severity::Error, "with other values, or without one of them, there may be one")
        }
        Texts::Prose => (
            "prose",
            Severity::Warning,
            "only an unusual text does, such as one of numbers or of code, if there is any",
        ),
    };
    let message = format!("no {what} meets {}", listed(names));
    let mut diagnostic = Diagnostic::error(Code::CONTRADICTORY_CONSTRAINTS, message);
    diagnostic.severity = severity;
    for reason in &conflict.reasons {
        let of = names.get(reason.goal).and_then(|name| plan.constraint(name));
        let span = match reason.span {
            span if span == Span::default() => of.map_or(span, |of| of.span),
            span => span,
        };
        diagnostic = diagnostic.label(span, reason.fragment.clone());
    }
    diagnostic.help(help)
}
