//! Options for models and requests, shared by all commands that send requests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use clap::ValueEnum;
use tokio::sync::Notify;

use super::exit::CommandError;
use super::load::counted;
use super::output::{self, Output};
use super::trace;
use ifs_base::diagnostic::closest;
use ifs_base::world::MAX_FILE_BYTES;
use ifs_inference::provider::{
    BatchForm, Environment, HttpHeader, Model, PROVIDERS, Parameters, SystemRole, Timeouts,
    UnknownModel, model,
};
use ifs_inference::{
    AdaptiveLimit, Allowance, Budget, Cache, Caller, CallerRecord, CancelToken, Journal, Meter,
    Money, Price, Prices, RateLimiter, RequestContext, Retries, Spent, Window,
};

/// The system message.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Model parameters")]
pub(crate) struct ParameterArgs {
    /// A system message, before the scenario's own
    #[arg(long, value_name = "TEXT")]
    pub system: Option<String>,
    /// Role of the system message: `user` puts it into the first user message, for endpoints without
    /// a system role
    #[arg(long, value_name = "ROLE", value_enum, default_value_t = SystemAs::System)]
    pub system_as: SystemAs,
    #[arg(
        long,
        value_name = "NUMBER",
        help = "Sampling temperature",
        allow_negative_numbers = true
    )]
    pub temperature: Option<f64>,
    /// Nucleus sampling: the probability mass of the tokens to sample from
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub top_p: Option<f64>,
    /// Maximum number of tokens in a response
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u64>,
    /// Sampling seed for endpoints that accept one
    #[arg(long, value_name = "N")]
    pub model_seed: Option<u64>,
    /// Stop sequence; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub stop: Vec<String>,
    /// Stream responses
    #[arg(long)]
    pub stream: bool,
    /// Keep blocks of reasoning in the response: they are judged and sent back like other text
    #[arg(long)]
    pub raw_text: bool,
    /// Extra fields for the request body, as a JSON object
    #[arg(long, value_name = "JSON")]
    pub body: Option<String>,
}

/// How the system message is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SystemAs {
    /// As a message of its own
    System,
    /// At the beginning of the first user message
    User,
}

impl SystemAs {
    pub fn role(self) -> SystemRole {
        match self {
            SystemAs::System => SystemRole::System,
            SystemAs::User => SystemRole::User,
        }
    }
}

impl ParameterArgs {
    pub fn parameters(&self) -> Result<Parameters, CommandError> {
        Ok(Parameters {
            system: self.system.clone(),
            system_as: self.system_as.role(),
            temperature: number("--temperature", self.temperature)?,
            top_p: number("--top-p", self.top_p)?,
            max_tokens: self.max_tokens,
            seed: self.model_seed,
            stop: self.stop.clone(),
            body: body("--body", self.body.as_deref())?,
            stream: self.stream,
            raw_text: self.raw_text,
        })
    }
}

/// Parses fields of a request's body.
pub(crate) fn body(
    option: &str,
    text: Option<&str>,
) -> Result<serde_json::Map<String, serde_json::Value>, CommandError> {
    let Some(text) = text else { return Ok(serde_json::Map::new()) };
    serde_json::from_str(text)
        .map_err(|error| CommandError::usage(format!("{option} is not a JSON object: {error}")))
}

/// Parses a number that is not negative.
pub(crate) fn number(option: &str, value: Option<f64>) -> Result<Option<f64>, CommandError> {
    match value {
        Some(value) if !value.is_finite() || value < 0.0 => {
            Err(CommandError::usage(format!("{option} wants a number from 0 on")))
        }
        value => Ok(value),
    }
}

/// Limits and settings of the endpoint.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Requests")]
pub(crate) struct RequestArgs {
    /// Extra HTTP header, as `Name: value`; may be given several times. Values are never recorded
    #[arg(long, value_name = "HEADER")]
    header: Vec<String>,
    /// Maximum number of concurrent requests; lowered while the endpoint is rate limiting
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    max_connections: u32,
    /// Minimum number of concurrent requests under rate limiting
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    min_connections: u32,
    /// Rate limit in requests per minute
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    rpm: Option<u64>,
    /// Rate limit in tokens per minute, prompts and completions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    tpm: Option<u64>,
    /// Maximum number of retries after a transient error
    #[arg(long, value_name = "N", default_value_t = Retries::default().most)]
    max_retries: u32,
    /// Wait before the first retry; doubled for each further one
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration)]
    retry_wait: Duration,
    /// Timeout for opening a connection
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    connect_timeout: Duration,
    /// Timeout for the first byte of a response
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = duration)]
    first_byte_timeout: Duration,
    /// Timeout between two chunks of a response
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = duration)]
    idle_timeout: Duration,
    /// Timeout for a complete request
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    timeout: Duration,
    /// Cache responses in this folder
    #[arg(long, value_name = "FOLDER")]
    cache: Option<PathBuf>,
    /// Log each attempt to standard error: status, latency, tokens; -vv adds waits and cache hits
    #[arg(short, long, action = clap::ArgAction::Count)]
    verbose: u8,
    #[command(flatten)]
    budget: BudgetArgs,
    /// Only an estimate is needed, so models need no key.
    #[arg(skip)]
    pub dry_run: bool,
    #[arg(skip)]
    pub sending: Sending,
}

/// How requests reach a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sending {
    #[default]
    OneByOne,
    /// In batches of the endpoint.
    Batches,
    /// In files that a person hands to an engine.
    Files,
}

/// Budgets, which include earlier sessions of a resumed run.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Budgets")]
pub(crate) struct BudgetArgs {
    /// Budget in dollars
    #[arg(long, value_name = "DOLLARS", value_parser = money)]
    budget: Option<Money>,
    /// Maximum number of responses
    #[arg(long, value_name = "N")]
    budget_calls: Option<u64>,
    /// Maximum number of tokens, prompts and completions
    #[arg(long, value_name = "N")]
    budget_tokens: Option<u64>,
    /// File of prices that override the built-in ones
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
}

impl RequestArgs {
    pub fn timeouts(&self) -> Timeouts {
        Timeouts {
            connect: self.connect_timeout,
            first_byte: self.first_byte_timeout,
            idle: self.idle_timeout,
            whole: self.timeout,
        }
    }

    /// The number of dialogues that run at the same time with an endpoint's model.
    pub fn concurrent_dialogues(&self) -> usize {
        self.max_connections as usize
    }

    /// Caches responses in this folder, unless another one is given.
    pub fn cache_in(&mut self, folder: &Path) {
        self.cache.get_or_insert_with(|| folder.to_owned());
    }

    pub fn headers(&self) -> Result<Vec<HttpHeader>, CommandError> {
        let read = |text: &String| HttpHeader::parse(text).map_err(CommandError::usage);
        self.header.iter().map(read).collect()
    }

    pub fn prices(&self) -> Result<Prices, CommandError> {
        let Some(path) = &self.budget.prices else { return Ok(Prices::built_in()) };
        let shown = path.display();
        let text = ifs_base::world::read_text(path, MAX_FILE_BYTES)
            .map_err(|error| CommandError::input(format!("`{shown}`: {error}")))?;
        let own = Prices::parse(&text).map_err(|error| {
            CommandError::input(format!("`{shown}`: {error}")).help(PRICES_HELP)
        })?;
        Ok(own.followed_by(Prices::built_in()))
    }

    pub fn model(&self, name: &str, parameters: &Parameters) -> Result<Model, CommandError> {
        let here = std::env::current_dir().map_err(|error| {
            CommandError::infrastructure(format!("the working directory: {error}"))
        })?;
        let environment =
            Environment::read(&here).map_err(CommandError::input)?.without_keys(self.dry_run);
        let read = |path: &str| {
            let text = ifs_base::world::read_text(std::path::Path::new(path), MAX_FILE_BYTES);
            text.map_err(|error| error.to_string())
        };
        let model = model(name, parameters, &self.headers()?, self.timeouts(), &environment, read)
            .map_err(unknown)?;
        if let Some(elsewhere) = model.other_address().filter(|_| !self.dry_run) {
            print_once(elsewhere);
        }
        Ok(model)
    }

    /// A model with its limits. A model without a price is refused under a budget in dollars.
    pub fn caller(&self, model: Model, prices: &Prices) -> Result<Caller, CommandError> {
        let price = prices.for_model(model.name());
        let price = match self.sending {
            Sending::Batches => price.map(Price::half),
            Sending::OneByOne | Sending::Files => price,
        };
        self.check_model(&model)?;
        if self.budget.budget.is_some() && price.is_none() && !model.is_simulated() {
            return Err(CommandError::usage(format!(
                "a budget of money was given, and `{}` has no price",
                model.name()
            ))
            .help(PRICES_HELP));
        }
        let window = Window {
            floor: self.min_connections.min(self.max_connections) as usize,
            ..Window::at_most(self.max_connections as usize)
        };
        Ok(Caller {
            model,
            limits: AdaptiveLimit::new(window),
            price,
            requests: self.rpm.map(RateLimiter::new),
            tokens: self.tpm.map(RateLimiter::new),
            record: CallerRecord::default(),
        })
    }

    /// Whether requests can be sent in that way.
    fn check_model(&self, model: &Model) -> Result<(), CommandError> {
        let Model::Remote(endpoint) = model else { return Ok(()) };
        let name = model.name();
        if self.sending != Sending::OneByOne && endpoint.parameters().stream {
            return Err(CommandError::usage(format!(
                "`{name}` is to stream its responses, and responses in a file cannot be streamed"
            ))
            .help("leave out `--stream`"));
        }
        match self.sending {
            Sending::Batches if endpoint.batches().is_none() => {
                let with: Vec<&str> =
                    PROVIDERS.iter().filter(|it| it.batches).map(|it| it.name).collect();
                Err(CommandError::usage(format!("`{name}` has no batches")).help(format!(
                    "leave out `--batch`; providers with batches are {} and `openai-api/NAME/MODEL`. For an \
                     engine that reads OpenAI's batch files, `ifs turn next` writes them",
                    with.join(", ")
                )))
            }
            Sending::Files if endpoint.wire().batch() != Some(BatchForm::OpenAi) => {
                Err(CommandError::usage(format!(
                    "`{name}` does not read OpenAI's batch files, which `ifs turn next` writes"
                ))
                .help("run it with `ifs run --batch`, or name a model of an engine that does, such as `vllm/MODEL`"))
            }
            Sending::OneByOne | Sending::Batches | Sending::Files => Ok(()),
        }
    }

    pub fn allowance(&self) -> Allowance {
        Allowance {
            calls: self.budget.budget_calls,
            tokens: self.budget.budget_tokens,
            money: self.budget.budget,
        }
    }

    pub fn context<'a>(
        &self,
        journal: Option<Journal>,
        spent: Spent,
        cancel: &'a CancelToken,
    ) -> Result<RequestContext<'a>, CommandError> {
        trace::start(self.verbose);
        let open = |folder: &PathBuf| {
            Cache::open(folder).map_err(|error| {
                CommandError::infrastructure(format!("`{}`: {error}", folder.display()))
            })
        };
        Ok(RequestContext {
            journal,
            cache: self.cache.as_ref().map(open).transpose()?,
            hidden: None,
            rounds: None,
            budget: Budget::new(self.allowance(), spent),
            retries: Retries { most: self.max_retries, wait: self.retry_wait },
            meter: Meter::default(),
            cancel,
            room: Notify::new(),
            ended: OnceLock::new(),
        })
    }
}

/// Prints where requests are sent, before the first one; several models may have one address.
fn print_once(what: &str) {
    static PRINTED_NOTES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if PRINTED_NOTES.lock().is_ok_and(|mut said| said.insert(what.to_owned())) {
        output::note(what);
    }
}

static CANCEL_TOKEN: CancelToken = CancelToken::new();

/// The token that Ctrl-C cancels. A second Ctrl-C exits at once.
pub(crate) fn cancel_on_interrupt() -> &'static CancelToken {
    // It fails if a handler exists already, which is this one.
    let _ = ctrlc::set_handler(|| {
        if CANCEL_TOKEN.is_cancelled() {
            std::process::exit(130);
        }
        CANCEL_TOKEN.cancel();
    });
    &CANCEL_TOKEN
}

const PRICES_HELP: &str = "write a file {\"as_of\": \"2026-01-31\", \"models\": {\"PROVIDER/MODEL\": \
{\"input\": 2.5, \"output\": 10}}}, in dollars for a million tokens, and name it with `--prices`";

fn unknown(error: UnknownModel) -> CommandError {
    let problem = CommandError::usage(error.to_string());
    match error {
        UnknownModel::Missing { .. } | UnknownModel::BadAddress { .. } => {
            problem.help("a `.env` file is looked for in this folder and those above it")
        }
        UnknownModel::NotForIt { variable, key, .. } => problem.help(format!(
            "write {key} into the same file; or, if you trust what {variable} says there, set \
             {variable} in the shell"
        )),
        UnknownModel::Replay { .. } | UnknownModel::Unsuitable { .. } | UnknownModel::NoHttp(_) => {
            problem
        }
        UnknownModel::Provider { provider, model } => {
            let known = PROVIDERS.iter().map(|known| known.name).chain(["sim", "openai-api"]);
            let meant = closest(&provider, known.clone());
            let meant = meant.map(|meant| format!("did you mean `{meant}`? ")).unwrap_or_default();
            let names: Vec<String> = known.map(|name| format!("`{name}`")).collect();
            let variables = provider.to_ascii_uppercase().replace('-', "_");
            problem.help(format!(
                "{meant}providers are {}; write `openrouter/{provider}/{model}` to reach it through \
                 OpenRouter, or `openai-api/{provider}/{model}` for any endpoint with OpenAI's API \
                 ({variables}_BASE_URL, {variables}_API_KEY)",
                names.join(", ")
            ))
        }
        UnknownModel::Simulated(written) if written.starts_with("replay") => {
            problem.help("recorded responses are `replay:FILE`")
        }
        UnknownModel::Simulated(written) => {
            let (kind, given) = match written.split_once(':') {
                Some((kind, given)) => (kind, format!(":{given}")),
                None => (written.as_str(), String::new()),
            };
            let names: Vec<String> =
                SIMULATED_NAMES.iter().map(|name| format!("`sim/{name}`")).collect();
            problem.help(match closest(kind, SIMULATED_NAMES) {
                Some(meant) => format!("did you mean `sim/{meant}{given}`?"),
                None => format!("simulated models are {}", names.join(", ")),
            })
        }
        UnknownModel::NoProvider(_) | UnknownModel::BadNumber { .. } => {
            problem.help("`ifs run --help` lists the models")
        }
    }
}

/// The names of simulated models after `sim/`.
const SIMULATED_NAMES: [&str; 13] = [
    "distracted",
    "echo",
    "forgetful",
    "golden",
    "hedge",
    "innumerate",
    "misled",
    "noisy",
    "offtopic",
    "oracle",
    "polite",
    "retract",
    "salad",
];

/// Parses `500ms`, `30s`, `2m` or plain seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "write a time as `500ms`, `30s` or `2m`".to_owned();
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    match &text[digits.len()..] {
        "ms" => Ok(Duration::from_millis(number)),
        "s" | "" => Ok(Duration::from_secs(number)),
        "m" => Ok(Duration::from_secs(number.saturating_mul(60))),
        _ => Err(wrong()),
    }
    .and_then(|time| if time.is_zero() { Err(wrong()) } else { Ok(time) })
}

fn money(text: &str) -> Result<Money, String> {
    Money::parse(text).ok_or_else(|| "write dollars as `5` or `0.25`".to_owned())
}

/// The message about a partial record.
pub(crate) fn partial_record_message(bytes: u64, path: &Path) -> String {
    let path = path.display();
    format!(
        "the last record of the journal is incomplete; its {bytes} bytes are now in \
         `{path}`"
    )
}

/// Opens or creates the journal of a run, with its cost so far. A journal that lacks records is
/// refused if there is a help text.
pub(crate) fn journal(
    path: &Path,
    run: &str,
    prices: &Prices,
    refused: Option<&str>,
    output: &mut Output,
) -> Result<(Journal, Spent), CommandError> {
    if std::fs::symlink_metadata(path).is_err() {
        return Ok((Journal::create(path, run)?, Spent::default()));
    }
    let (journal, opened) = Journal::open(path, run, |model| prices.for_model(model))?;
    if opened.torn > 0 {
        output.note(&partial_record_message(opened.torn, &opened.torn_in));
    }
    if let Some(help) = refused.filter(|_| opened.lost > 0) {
        let lost = counted(usize::try_from(opened.lost).unwrap_or(usize::MAX), "record");
        let why = format!("`{}` has lost {lost} before its last one", path.display());
        return Err(CommandError::input(why).help(help));
    }
    Ok((journal, opened.spent))
}
