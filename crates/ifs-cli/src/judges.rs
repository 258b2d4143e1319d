//! Options for judges, shared by all commands that use judges.

use clap::ValueEnum;

use super::exit::CommandError;
use super::output::Output;
use super::requests::{RequestArgs, SystemAs, body, number};
use ifs_inference::Prices;
use ifs_inference::panel::{JudgeEntry, Judging, Panel, PanelJudge, same_family};
use ifs_inference::provider::Parameters;
use ifs_judge::{AggregationRule, JudgePrompts};
use ifs_plan::Plan;

/// The judges.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Judges")]
pub(crate) struct JudgeArgs {
    /// Judge model; several form a panel. `sim/judge:0.1` misjudges each item with that probability
    #[arg(long = "judge", value_name = "MODEL")]
    pub judges: Vec<String>,
    /// How the votes of a panel are aggregated into a verdict; majority by default
    #[arg(long, value_enum, value_name = "RULE")]
    pub judge_rule: Option<RuleName>,
    /// Number of times each judge is asked the same question
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    judge_repeats: u32,
    /// Maximum number of requests until a judge's reply can be parsed
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10))]
    judge_tries: u32,
    /// Send each question in a separate request, if the scenario has no checklist
    #[arg(long)]
    judge_apart: bool,
    /// Number of earlier turns that a judge sees; overrides the dialogue's `judge history`; 3 by
    /// default
    #[arg(long, value_name = "N")]
    judge_history: Option<u32>,
    /// Do not request structured output from judges, for endpoints without it
    #[arg(long)]
    judge_plain: bool,
    /// Do not send pictures to judges, for models without vision
    #[arg(long)]
    judge_without_pictures: bool,
    /// Role of the system message for judges, as `--system-as`
    #[arg(long, value_name = "ROLE", value_enum, default_value_t = SystemAs::System)]
    judge_system_as: SystemAs,
    #[arg(long, value_name = "NUMBER", help = "Sampling temperature of judges")]
    judge_temperature: Option<f64>,
    /// Maximum number of tokens in a judge's reply
    #[arg(long, value_name = "N")]
    judge_max_tokens: Option<u64>,
    /// Extra fields for the body of requests to judges, as a JSON object
    #[arg(long, value_name = "JSON")]
    judge_body: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RuleName {
    /// The verdict of more than half of all votes
    Majority,
    /// The verdict that all votes agree on
    Consensus,
    /// The mean of the marks, compared with the threshold
    Mean,
}

impl RuleName {
    pub fn rule(self) -> AggregationRule {
        match self {
            RuleName::Majority => AggregationRule::Majority,
            RuleName::Consensus => AggregationRule::Consensus,
            RuleName::Mean => AggregationRule::Mean,
        }
    }
}

/// The default judge of a simulated model.
const SIMULATED_JUDGE: &str = "sim/judge";

impl JudgeArgs {
    /// The panel for the responses of a model. By default, responses of a simulated model have the
    /// simulated judge, also where they are replayed, and those of any other model have none.
    pub fn panel(
        &self,
        tested: &str,
        are_simulated: bool,
        requests: &RequestArgs,
        prices: &Prices,
    ) -> Result<Panel, CommandError> {
        let simulated = [SIMULATED_JUDGE.to_owned()];
        let names = match &self.judges[..] {
            [] if are_simulated => &simulated[..],
            names => names,
        };
        for (at, name) in names.iter().enumerate() {
            if names[..at].contains(name) {
                return Err(CommandError::usage(format!("the judge `{name}` is named twice"))
                    .help("`--judge-repeats 2` asks each judge twice"));
            }
        }
        let entry = |name: &String| JudgeEntry {
            model: name.clone(),
            address: None,
            same_family: same_family(name, tested),
        };
        let judging = Judging {
            judges: names.iter().map(entry).collect(),
            rule: self.judge_rule.map(RuleName::rule).unwrap_or_default(),
            repeats: self.judge_repeats,
            tries: self.judge_tries,
            apart: self.judge_apart,
            plain: self.judge_plain,
            without_pictures: self.judge_without_pictures,
            history: self.judge_history,
            parameters: Parameters {
                system_as: self.judge_system_as.role(),
                temperature: number("--judge-temperature", self.judge_temperature)?,
                max_tokens: self.judge_max_tokens,
                body: body("--judge-body", self.judge_body.as_deref())?,
                ..Parameters::default()
            },
        };
        panel(judging, requests, prices)
    }
}

/// The panel of a judging; the addresses of its judges are filled in unless they are recorded.
pub(crate) fn panel(
    mut judging: Judging,
    requests: &RequestArgs,
    prices: &Prices,
) -> Result<Panel, CommandError> {
    let mut judges = Vec::new();
    for entry in &mut judging.judges {
        let judge = match Panel::simulated(&entry.model) {
            Some(Ok(judge)) => judge,
            Some(Err(given)) => {
                return Err(CommandError::usage(format!("`{given}` is not a probability"))
                    .help("write `sim/judge:0.1`, a number from 0 to 1"));
            }
            None => {
                let model = requests.model(&entry.model, &judging.parameters)?;
                if model.is_simulated() {
                    return Err(CommandError::usage(format!("`{}` is not a judge", entry.model))
                        .help("the simulated judge is `sim/judge`, or `sim/judge:0.1`"));
                }
                let address = model.address();
                if entry.address.is_some() && entry.address != address {
                    let (was, is) = (entry.address.take(), address.unwrap_or_default());
                    let was = was.unwrap_or_default();
                    return Err(CommandError::usage(format!(
                        "the address of the judge was {was} and is {is} now"
                    ))
                    .help("set the base address to the former value"));
                }
                entry.address = address;
                PanelJudge::Model(Box::new(requests.caller(model, prices)?))
            }
        };
        judges.push(judge);
    }
    Ok(Panel { judges, judging })
}

/// The prompts of a plan.
pub(crate) fn prompts(plan: &Plan) -> Result<JudgePrompts<'_>, CommandError> {
    JudgePrompts::new(plan).map_err(|(name, fault)| {
        CommandError::input(format!("the template `{name}`, line {}: {fault}", fault.line))
    })
}

/// Warns about judges of the same family.
pub(crate) fn warn(judging: &Judging, tested: &str, output: &mut Output) {
    for warning in judging.warnings(tested) {
        output.note(&format!("warning: {warning}"));
    }
}
