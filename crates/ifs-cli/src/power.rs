//! `ifs power`

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::Format;
use super::exit::{CommandError, Exit};
use super::load::{self, DialogueArgs};
use super::output::Output;
use ifs_draw::{Drawer, Seed};
use ifs_run::release_of;
use ifs_sets::power::{
    FeaturePower, Models, Outcomes, SplitMix64, StrengthOf, moved_features, needed_for_any,
    patience_of, separated, shapes,
};
use ifs_sets::{SetFeatures, SetRow, SetTurn};

/// Compute how many dialogues separate two models, or two sets.
///
/// With `--strengths`, dialogues are drawn and two models of these strengths are simulated on them;
/// printed are the dialogues that `ifs compare` needs to find the difference, and how much
/// a score varies from set to set. With `--moved` or `--against`, printed are the dialogues of each
/// set that `ifs compare-sets` needs. docs/comparing.md has the formulas.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs power desk.ifs --strengths 0.80 0.85
  ifs power desk.ifs --strengths 0.50 0.55 --of turn --power 0.9
  ifs power desk.ifs --moved 1.2                  a frequency that is a fifth higher
  ifs power desk.ifs --against altered.ifs        two definitions")]
pub(crate) struct Args {
    #[command(flatten)]
    which: DialogueArgs,
    /// The shares of constraints that a weaker and a stronger model follow
    #[arg(long, num_args = 2, value_names = ["WEAKER", "STRONGER"], required_unless_present_any = ["moved", "against"])]
    strengths: Vec<f64>,
    /// The unit of a strength
    #[arg(long, value_enum, default_value_t = Of::Constraint, requires = "strengths")]
    of: Of,
    /// The correlation of the outcomes in one dialogue
    #[arg(long, default_value_t = 0.2, value_name = "R", requires = "strengths")]
    correlation: f64,
    /// The part of that correlation that both models share: dialogues are hard for both
    #[arg(long, default_value_t = 0.5, value_name = "S", requires = "strengths")]
    shared: f64,
    /// Factor by which the frequency of a feature changes
    #[arg(long, value_name = "FACTOR", conflicts_with_all = ["strengths", "against"])]
    moved: Option<f64>,
    /// Another definition, whose sets are compared with those of this one
    #[arg(long, value_name = "FILE", conflicts_with = "strengths")]
    against: Option<PathBuf>,
    /// One minus the probability of a false positive
    #[arg(long, default_value_t = 0.95, value_name = "C")]
    confidence: f64,
    /// Probability of finding the difference
    #[arg(long, default_value_t = 0.8, value_name = "P")]
    power: f64,
    /// Number of dialogues that are drawn; 500 by default, for features 2000
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=100_000))]
    sample: Option<u64>,
    /// Maximum number of turns of a dialogue
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    turns: u32,
    /// Seed of the dialogues and of the simulation
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Of {
    /// Of the constraints of a turn (CSR)
    Constraint,
    /// Of the turns (ISR)
    Turn,
}

/// Dialogues that are simulated, and sets that are made of them to measure the power.
const SIMULATED_DIALOGUES: usize = 20_000;
const SIMULATED_SETS: u32 = 1000;

/// Sets that are larger are not simulated: the normal approximation is good there.
const MAX_SIMULATED_SIZE: f64 = 20_000.0;

/// Dialogues that are drawn for features by default.
const DEFAULT_SAMPLE: u64 = 2000;

/// Features that are printed.
const MAX_FEATURES: usize = 20;

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let between = |name: &str, value: f64| match value > 0.0 && value < 1.0 {
        true => Ok(()),
        false => Err(CommandError::usage(format!("`{name} {value}` is not between 0 and 1"))),
    };
    between("--confidence", args.confidence)?;
    between("--power", args.power)?;
    match args.strengths.as_slice() {
        [weaker, stronger] => {
            between("--strengths", *weaker)?;
            between("--strengths", *stronger)?;
            if weaker >= stronger {
                return Err(CommandError::usage(format!(
                    "`--strengths {weaker} {stronger}`: the second has to be greater"
                )));
            }
            for (name, value) in [("--correlation", args.correlation), ("--shared", args.shared)] {
                if !(0.0..=1.0).contains(&value) || (name == "--correlation" && value == 1.0) {
                    let range = if name == "--shared" { "0 to 1" } else { "0 to below 1" };
                    return Err(CommandError::usage(format!(
                        "`{name} {value}` is not from {range}"
                    )));
                }
            }
            of_models(&args, [*weaker, *stronger], output)
        }
        _ => of_features(&args, output),
    }
}

fn of_models(args: &Args, strengths: [f64; 2], output: &mut Output) -> Result<Exit, CommandError> {
    let sample = args.sample.unwrap_or(500);
    let (program, dialogue) = load::dialogue(&args.which, output)?;
    let table = dialogue.table;
    let drawer = Drawer::new(&program.plan, &table.name)?;
    let shapes = shapes(&drawer, Seed(args.seed), sample, args.turns)?;
    let turns: usize = shapes.iter().map(|shape| shape.instructions.len()).sum();
    let all: u64 =
        shapes.iter().flat_map(|shape| &shape.instructions).map(|count| u64::from(*count)).sum();
    if turns == 0 {
        return Err(CommandError::input(format!("no turn of `{}` has an instruction", table.name))
            .help("power is about constraints and criteria that a response can miss"));
    }
    let models = Models {
        strengths,
        of: match args.of {
            Of::Constraint => StrengthOf::Constraint,
            Of::Turn => StrengthOf::Turn,
        },
        correlation: args.correlation,
        shared: args.shared,
    };
    let mut random = SplitMix64::new(args.seed);
    let outcomes = models.simulate(&shapes, patience_of(table), SIMULATED_DIALOGUES, &mut random);
    let level = 1.0 - args.confidence;
    let needed = fewest_dialogues(&outcomes, level, args.power, &mut random);
    let released = release_of(&program.plan, &table.name).and_then(|of| of.count(&table.name));
    let power = |count: u64, random: &mut SplitMix64| -> Option<f64> {
        (count as f64 <= MAX_SIMULATED_SIZE).then(|| {
            outcomes.power(
                usize::try_from(count).unwrap_or(usize::MAX),
                level,
                SIMULATED_SETS,
                random,
            )
        })
    };
    let mut sizes: Vec<u64> = vec![(needed / 2).max(2), needed, needed * 2];
    sizes.extend(released);
    sizes.sort_unstable();
    sizes.dedup();
    let rows: Vec<_> = sizes
        .into_iter()
        .map(|count| (count, power(count, &mut random), outcomes.scores(count)))
        .collect();
    let means = [turns as f64 / sample as f64, all as f64 / turns as f64];
    match args.format {
        Format::Json => {
            let rows = rows.iter().map(|(count, power, scores)| {
                let score = |(mean, deviation): (f64, f64)| json!({ "mean": mean, "standard_deviation": deviation });
                json!({ "dialogues": count, "power": power, "scores": scores.map(score) })
            });
            print_json(
                output,
                &json!({
                    "dialogue": table.name, "strengths": strengths, "confidence": args.confidence,
                    "power": args.power, "correlation": args.correlation, "shared": args.shared,
                    "turns": means[0], "instructions": means[1], "needed": needed,
                    "sizes": rows.collect::<Vec<Json>>(),
                }),
            );
        }
        Format::Text => {
            let unit = if args.of == Of::Turn { "turns" } else { "constraints" };
            let metric = if args.of == Of::Turn { "ISR" } else { "CSR" };
            let [one, other] = strengths.map(|strength| format!("{:.1} %", 100.0 * strength));
            let mut text = format!(
                "{}: {:.1} turns, {:.1} instructions a turn ({} dialogues, seed {})\n\
                 models that follow {one} and {other} of {unit}; correlation in a dialogue {}, \
                 {} of it shared\n\n\
                 {needed} dialogues separate them at {} % confidence with a power of {} %\n\n",
                table.name,
                means[0],
                means[1],
                sample,
                args.seed,
                args.correlation,
                args.shared,
                percent(args.confidence),
                percent(args.power),
            );
            text.push_str(&format!(
                "{:>10} {:>8}   {metric} of a set, and its standard deviation from seed to seed\n",
                "dialogues", "power"
            ));
            for (count, power, scores) in &rows {
                let power =
                    power.map_or("–".to_owned(), |power| format!("{:.1} %", 100.0 * power));
                let [one, other] = scores.map(|(mean, deviation)| {
                    format!("{:.1} % ± {:.1}", 100.0 * mean, 100.0 * deviation)
                });
                let release = if Some(*count) == released { "   (release)" } else { "" };
                text.push_str(
                    format!("{count:>10} {power:>8}   {one:<16} {other:<16}{release}").trim_end(),
                );
                text.push('\n');
            }
            output.print(&text);
        }
    }
    Ok(Exit::Good)
}

fn percent(share: f64) -> String {
    let text = format!("{:.2}", 100.0 * share);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The fewest dialogues with this power, by simulation; by the normal approximation where they are
/// too many to simulate.
fn fewest_dialogues(outcomes: &Outcomes, level: f64, power: f64, random: &mut SplitMix64) -> u64 {
    let about = outcomes.approximately(level, power);
    if about > MAX_SIMULATED_SIZE / 2.0 {
        return libm::ceil(about.min(1e15)) as u64;
    }
    let from = random.place();
    // The same draws for each size: the power then rises with it, except for small steps.
    let reaches = |count: usize| {
        outcomes.power(count, level, SIMULATED_SETS, &mut SplitMix64::new(from)) >= power
    };
    let (mut low, mut high) = (1, (libm::ceil(about) as usize).max(2));
    while !reaches(high) && high < 1 << 20 {
        (low, high) = (high, high * 2);
    }
    while high - low > 1 + high / 100 {
        let middle = low + (high - low) / 2;
        if reaches(middle) { high = middle } else { low = middle }
    }
    high as u64
}

fn of_features(args: &Args, output: &mut Output) -> Result<Exit, CommandError> {
    let level = 1.0 - args.confidence;
    let one = features(args, &args.which.file, output)?;
    let (found, what): (Vec<FeaturePower>, String) = match (&args.against, args.moved) {
        (Some(other), _) => {
            let theirs = features(args, other, output)?;
            let what = format!("distinguished from {}", other.display());
            (separated(&one, &theirs, level, args.power), what)
        }
        (None, Some(factor)) if factor > 0.0 && factor.is_finite() && factor != 1.0 => (
            moved_features(&one, factor, level, args.power),
            format!("moved by a factor of {factor}"),
        ),
        (None, factor) => {
            return Err(CommandError::usage(format!(
                "`--moved {}` is not a factor",
                factor.unwrap_or(1.0)
            ))
            .help("`--moved 1.2` is a frequency that is a fifth higher"));
        }
    };
    // Of features that are moved one at a time, no two differ at once.
    let any = args.against.as_ref().and_then(|_| needed_for_any(&found));
    match args.format {
        Format::Json => print_json(
            output,
            &json!({
                "confidence": args.confidence, "power": args.power, "sample": args.sample.unwrap_or(DEFAULT_SAMPLE),
                "any_feature": any, "features": found,
            }),
        ),
        Format::Text => {
            let mut text = format!(
                "{}: {what} ({} dialogues drawn, seed {})\n\
                 dialogues of each set that `ifs compare-sets` needs at {} % confidence, power {} %\n\n\
                 {:>10}   {:<44} {:>9} {:>9}\n",
                args.which.file.display(),
                args.sample.unwrap_or(DEFAULT_SAMPLE),
                args.seed,
                percent(args.confidence),
                percent(args.power),
                "dialogues",
                "feature",
                "mean",
                "other"
            );
            if let Some(any) = any {
                text.push_str(&format!("{any:>10}   any feature, at most\n"));
            }
            for one in found.iter().take(MAX_FEATURES) {
                let needed = one.dialogues.map_or("–".to_owned(), |count| count.to_string());
                let name: String = one.feature.chars().take(44).collect();
                text.push_str(&format!(
                    "{needed:>10}   {name:<44} {:>9.4} {:>9.4}\n",
                    one.mean, one.other
                ));
            }
            if found.len() > MAX_FEATURES {
                text.push_str(&format!(
                    "and {} features that need more\n",
                    found.len() - MAX_FEATURES
                ));
            }
            output.print(&text);
        }
    }
    Ok(Exit::Good)
}

/// The features of drawn dialogues, as those of a set.
fn features(args: &Args, file: &Path, output: &mut Output) -> Result<SetFeatures, CommandError> {
    let which = DialogueArgs { file: file.to_owned(), ..args.which.clone() };
    let (program, dialogue) = load::dialogue(&which, output)?;
    let drawer = Drawer::new(&program.plan, &dialogue.table.name)?;
    let mut features = SetFeatures::default();
    for index in 0..args.sample.unwrap_or(DEFAULT_SAMPLE) {
        let mut row = SetRow {
            canary: String::new(),
            release: String::new(),
            epoch: String::new(),
            dialogue: dialogue.table.name.clone(),
            number: index,
            index,
            anchor: false,
            turns: Vec::new(),
        };
        for script in drawer.script(Seed(args.seed), index).take(args.turns as usize) {
            let script = script?;
            // Features do not include witnesses.
            row.turns.push(SetTurn {
                script,
                witness: None,
                no_witness: Vec::new(),
                no_rules: false,
            });
        }
        features.add(&row);
    }
    Ok(features)
}

fn print_json(output: &mut Output, json: &Json) {
    output.json_line(&serde_json::to_string_pretty(json).unwrap_or_default());
}
