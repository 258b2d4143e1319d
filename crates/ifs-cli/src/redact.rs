//! `--redact`

use clap::ValueEnum;

use ifs_run::Redaction;

/// The parts that reports leave out.
#[derive(Debug, Default, clap::Args)]
pub(super) struct RedactArgs {
    /// Leave out prompts or responses, and the reasons that quote them; both as `prompts,responses`
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    redact: Vec<RedactedPart>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RedactedPart {
    /// Messages, drawn values, golden answers, criteria, pictures and names of records
    Prompts,
    /// Responses, reasoning, and feedback on them
    Responses,
}

impl RedactArgs {
    pub(super) fn redaction(&self) -> Redaction {
        let has = |what| self.redact.contains(&what);
        Redaction { prompts: has(RedactedPart::Prompts), responses: has(RedactedPart::Responses) }
    }
}
