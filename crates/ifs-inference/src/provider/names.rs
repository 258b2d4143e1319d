//! Models by one string.

use super::environment::{NotForIt, Variable};
use super::wire::{Anthropic, ChatCompletions, Google, Wire};
use super::{Environment, HttpHeader, Model, Parameters, Timeouts, simulated};

/// The known providers.
pub struct Provider {
    /// The part before the slash.
    pub name: &'static str,
    pub wire: &'static dyn Wire,
    pub base: &'static str,
    /// `OPENAI` in `OPENAI_API_KEY` and `OPENAI_BASE_URL`.
    pub variables: &'static str,
    pub needs_key: bool,
    /// Whether it has batches.
    pub batches: bool,
}

const OPENAI_COMPATIBLE: &ChatCompletions = &ChatCompletions { max_tokens: "max_tokens" };

pub const PROVIDERS: &[Provider] = &[
    Provider {
        name: "openai",
        wire: &ChatCompletions { max_tokens: "max_completion_tokens" },
        base: "https://api.openai.com/v1",
        variables: "OPENAI",
        needs_key: true,
        batches: true,
    },
    Provider {
        name: "anthropic",
        wire: &Anthropic,
        base: "https://api.anthropic.com",
        variables: "ANTHROPIC",
        needs_key: true,
        batches: true,
    },
    Provider {
        name: "google",
        wire: &Google,
        base: "https://generativelanguage.googleapis.com",
        variables: "GOOGLE",
        needs_key: true,
        batches: false,
    },
    Provider {
        name: "openrouter",
        wire: OPENAI_COMPATIBLE,
        base: "https://openrouter.ai/api/v1",
        variables: "OPENROUTER",
        needs_key: true,
        batches: false,
    },
    Provider {
        name: "ollama",
        wire: OPENAI_COMPATIBLE,
        base: "http://localhost:11434/v1",
        variables: "OLLAMA",
        needs_key: false,
        batches: false,
    },
    Provider {
        name: "vllm",
        wire: OPENAI_COMPATIBLE,
        base: "http://localhost:8000/v1",
        variables: "VLLM",
        needs_key: false,
        batches: false,
    },
];

/// Why a name does not name a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownModel {
    #[error(
        "`{0}` names no model; write PROVIDER/MODEL, as in `openai/gpt-4o` or `sim/oracle`, or replay:FILE"
    )]
    NoProvider(String),
    #[error("there is no provider `{provider}`")]
    Provider { provider: String, model: String },
    #[error("there is no simulated model `sim/{0}`")]
    Simulated(String),
    #[error("`{given}` is not valid for `{model}`: {wanted}")]
    BadNumber { model: String, given: String, wanted: &'static str },
    #[error("the replay `{path}` cannot be read: {why}")]
    Replay { path: String, why: String },
    #[error("`{model}` needs {variable}, in the environment or in a `.env` file")]
    Missing { model: String, variable: String },
    #[error(
        "{variable} is set {place}, and {key} is not: a key from the shell is not sent to an address from a file"
    )]
    NotForIt { variable: String, key: String, place: String },
    #[error("{variable} is not an address: {why}")]
    BadAddress { variable: String, why: String },
    #[error("`{model}`: {why}")]
    Unsuitable { model: String, why: String },
    #[error("`{0}` needs HTTP, which this build of ifs does not include")]
    NoHttp(String),
}

/// Whether the name under which a model answered is that of the requested one, `PROVIDER/MODEL`.
///
/// The folders before a name and capitals do not count, and neither do a date or a version after it:
/// a request for `gpt-4o` is answered by `gpt-4o-2024-08-06`, and `gpt-4o-mini` is another model.
pub fn is_name_of(served: &str, requested: &str) -> bool {
    let plain = |name: &str| {
        let name = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
        let without = ["-latest", ":latest", ":free", ":nitro", ":floor"].iter();
        without.fold(name, |name, end| name.strip_suffix(end).map_or(name.clone(), str::to_owned))
    };
    let (served, requested) = (plain(served), plain(requested));
    // Either may be the snapshot, and the other its alias.
    [(&served, &requested), (&requested, &served)].into_iter().any(|(long, short)| {
        let Some(rest) = long.strip_prefix(short.as_str()) else { return false };
        let digits = rest.strip_prefix(['-', '@', ':']).unwrap_or(rest);
        let is_version = |letter: char| letter.is_ascii_digit() || "-.".contains(letter);
        rest.is_empty()
            || rest.len() > digits.len() && digits.len() >= 3 && digits.chars().all(is_version)
    })
}

/// The model with this name. `read` returns the text of a file, for a replay.
pub fn model(
    name: &str,
    parameters: &Parameters,
    headers: &[HttpHeader],
    timeouts: Timeouts,
    environment: &Environment,
    read: impl Fn(&str) -> Result<String, String>,
) -> Result<Model, UnknownModel> {
    if let Some(path) = name.strip_prefix("replay:") {
        return simulated::replay(name, path, parameters.raw_text, read).map(Model::Simulated);
    }
    let (provider, rest) = name
        .split_once('/')
        .filter(|(_, rest)| !rest.is_empty())
        .ok_or_else(|| UnknownModel::NoProvider(name.to_owned()))?;
    if provider == "sim" {
        return simulated::simulated(name, rest).map(Model::Simulated);
    }
    let plan = address(name, provider, rest, environment)?;
    #[cfg(feature = "http")]
    {
        let endpoint =
            super::Endpoint::new(plan, parameters.clone(), headers, timeouts, environment)?;
        Ok(Model::Remote(std::sync::Arc::new(endpoint)))
    }
    #[cfg(not(feature = "http"))]
    {
        let (_, _, _) = (parameters, headers, timeouts);
        Err(UnknownModel::NoHttp(plan.name))
    }
}

/// An endpoint from a name and the environment.
pub(super) struct Address {
    pub name: String,
    /// The model's name at the endpoint.
    #[cfg_attr(not(feature = "http"), expect(dead_code))]
    pub model: String,
    #[cfg_attr(not(feature = "http"), expect(dead_code))]
    pub wire: &'static dyn Wire,
    /// Whether the endpoint has batches.
    #[cfg_attr(not(feature = "http"), expect(dead_code))]
    pub batches: bool,
    #[cfg_attr(not(feature = "http"), expect(dead_code))]
    pub base: String,
    /// The variable for the base address.
    #[cfg_attr(not(feature = "http"), expect(dead_code))]
    pub base_variable: String,
    #[cfg_attr(not(feature = "http"), expect(dead_code))]
    pub key: Option<Variable>,
    /// The variable that overrides the provider's address, and its source.
    #[cfg_attr(not(feature = "http"), expect(dead_code))]
    pub elsewhere: Option<String>,
    /// The source of the key.
    #[cfg_attr(not(feature = "http"), expect(dead_code))]
    pub key_variable: String,
}

/// The key that may be sent to an address: its variable and value.
fn key(
    environment: &Environment,
    (variable, base): (&str, Option<&Variable>),
    key: &str,
) -> Result<Option<Variable>, UnknownModel> {
    environment.key(base, key).map_err(|NotForIt| UnknownModel::NotForIt {
        variable: variable.to_owned(),
        key: key.to_owned(),
        place: base.map(|base| environment.source_of(base)).unwrap_or_default(),
    })
}

fn address(
    name: &str,
    provider: &str,
    rest: &str,
    environment: &Environment,
) -> Result<Address, UnknownModel> {
    let missing = |variable: String| UnknownModel::Missing { model: name.to_owned(), variable };
    if provider == "openai-api" {
        let (service, model) = rest
            .split_once('/')
            .filter(|(service, model)| !service.is_empty() && !model.is_empty())
            .ok_or_else(|| UnknownModel::Unsuitable {
                model: name.to_owned(),
                why: "write `openai-api/NAME/MODEL`".to_owned(),
            })?;
        let variables = service.to_ascii_uppercase().replace('-', "_");
        let base_variable = format!("{variables}_BASE_URL");
        let base =
            environment.variable(&base_variable).ok_or_else(|| missing(base_variable.clone()))?;
        let key_variable = format!("{variables}_API_KEY");
        let key = key(environment, (&base_variable, Some(&base)), &key_variable)?
            .ok_or_else(|| missing(key_variable.clone()))?;
        let elsewhere = Some(format!("{base_variable} {}", environment.source_of(&base)));
        return Ok(Address {
            name: name.to_owned(),
            model: model.to_owned(),
            wire: OPENAI_COMPATIBLE,
            batches: true,
            base: base.value,
            base_variable,
            elsewhere,
            key: Some(key),
            key_variable,
        });
    }
    let known = PROVIDERS.iter().find(|known| known.name == provider).ok_or_else(|| {
        UnknownModel::Provider { provider: provider.to_owned(), model: rest.to_owned() }
    })?;
    let base_variable = format!("{}_BASE_URL", known.variables);
    let key_variable = format!("{}_API_KEY", known.variables);
    let base = environment.variable(&base_variable);
    let key = key(environment, (&base_variable, base.as_ref()), &key_variable)?;
    if key.is_none() && known.needs_key {
        return Err(missing(key_variable));
    }
    Ok(Address {
        name: name.to_owned(),
        model: rest.to_owned(),
        wire: known.wire,
        batches: known.batches,
        elsewhere: base
            .as_ref()
            .filter(|base| base.value.trim_end_matches('/') != known.base)
            .map(|base| format!("{base_variable} {}", environment.source_of(base))),
        base: base.map_or_else(|| known.base.to_owned(), |base| base.value),
        base_variable,
        key,
        key_variable,
    })
}

#[cfg(test)]
mod tests {
    use super::is_name_of;

    #[test]
    fn served_names() {
        for (served, requested) in [
            ("gpt-4o", "openai/gpt-4o"),
            ("gpt-4o-2024-08-06", "openai/gpt-4o"),
            ("gpt-4-0613", "openai/gpt-4"),
            ("claude-3-5-sonnet-20241022", "anthropic/claude-3-5-sonnet-latest"),
            ("models/gemini-2.0-flash-001", "google/gemini-2.0-flash"),
            (
                "meta-llama/llama-3.1-8b-instruct",
                "openrouter/meta-llama/Llama-3.1-8B-Instruct:free",
            ),
            ("llama3.2:latest", "ollama/llama3.2"),
            ("gpt-4o", "openai/gpt-4o-2024-08-06"),
        ] {
            assert!(is_name_of(served, requested), "{served} for {requested}");
        }
        for (served, requested) in [
            ("gpt-4o-mini", "openai/gpt-4o"),
            ("gpt-4o-mini-2024-07-18", "openai/gpt-4o"),
            ("gpt-3.5-cheap", "openai/gpt-4o"),
            ("gpt-4", "openai/gpt-4o"),
            ("gpt-4.1", "openai/gpt-4"),
            ("llama3:70b", "ollama/llama3:8b"),
            ("qwen2", "vllm/qwen25"),
            ("", "openai/m"),
            ("m-2", "openai/m"),
        ] {
            assert!(!is_name_of(served, requested), "{served} for {requested}");
        }
    }
}
