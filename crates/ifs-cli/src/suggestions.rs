//! Suggestions for options that have another name in other tools.

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The suggestion for an option that does not exist.
pub(super) fn suggestion(error: &Error) -> Option<&'static str> {
    let named = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let written = named(ContextKind::InvalidArg)?;
    let option = written.split(['=', ' ']).next().unwrap_or(written);
    match error.kind() {
        ErrorKind::UnknownArgument => replacement_option(option),
        _ => None,
    }
}

fn replacement_option(option: &str) -> Option<&'static str> {
    Some(match option {
        "--concurrency" | "--parallel" | "--parallelism" | "--max-concurrency"
        | "--num-threads" | "--threads" | "--max-workers" | "--batch-size" => {
            "`--max-connections N` limits the requests in flight"
        }
        "--limit" | "--samples" | "--num-samples" | "--max-samples" | "--num" | "--dialogues"
        | "--num-dialogues" | "--size" => "`-n N` (`--count N`) sets the number of dialogues",
        "--as" => "the output format is `--format FORMAT`; a feed's reader is `--reader READER`",
        "--json" => "write `--format json`",
        "--output" | "--output-dir" | "--output-path" | "--log-dir" | "--dir" => {
            "write `--out PATH`"
        }
        "--retries" | "--max-tries" => "write `--max-retries N`",
        "--max-turn" | "--num-turns" | "--rounds" => {
            "`ifs run` takes `--max-turns N`, `ifs draw` takes `--turns N`"
        }
        "--system-prompt" | "--system-message" => "write `--system TEXT`",
        "--judge-model" | "--grader" | "--evaluator" => "write `--judge MODEL`",
        "--models" => "write `-m MODEL` once for each model",
        "--dry" | "--estimate" | "--cost" => "write `--dry-run`",
        "--random-seed" => "write `--seed N`",
        "--max-cost" | "--cost-limit" => "write `--budget DOLLARS`",
        "--rate-limit" => "write `--rpm N` for requests a minute, `--tpm N` for tokens a minute",
        _ => return None,
    })
}
