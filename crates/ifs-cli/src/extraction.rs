//! Options for the models that extract parts of responses.

use super::exit::CommandError;
use super::requests::RequestArgs;
use ifs_inference::provider::Parameters;
use ifs_inference::{Caller, Prices};
use ifs_model::table::Dialogue;
use ifs_parts::parts::ExtractionPrompts;
use ifs_run::{ExtractorEntry, Extractors, RunManifest};

/// Models that extract parts of responses.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Extraction")]
pub(crate) struct ExtractorArgs {
    /// Model that writes an extraction program for each part without a reader
    #[arg(long, value_name = "MODEL")]
    coder: Option<String>,
    /// Model that extracts the part if there is no such program
    #[arg(long, value_name = "MODEL")]
    extractor: Option<String>,
    /// Let these models extract every part, also those with a reader
    #[arg(long)]
    extract_all: bool,
}

impl ExtractorArgs {
    pub fn is_empty(&self) -> bool {
        self.coder.is_none() && self.extractor.is_none()
    }

    /// The given models, with their addresses.
    pub fn resolve_models(
        &self,
        requests: &RequestArgs,
    ) -> Result<[Option<ExtractorEntry>; 2], CommandError> {
        if self.extract_all && self.is_empty() {
            return Err(CommandError::usage("`--extract-all` names no model")
                .help("add `--extractor MODEL`, `--coder MODEL`, or both"));
        }
        let entry = |option: &str, name: &Option<String>| {
            let Some(name) = name else { return Ok(None) };
            let model = requests.model(name, &Parameters::default())?;
            if model.is_simulated() {
                return Err(CommandError::usage(format!("`{name}` cannot extract parts")).help(
                    format!(
                        "leave `{option}` out: parts of simulated responses are read without a model"
                    ),
                ));
            }
            Ok(Some(ExtractorEntry {
                model: name.clone(),
                address: model.address(),
                all_parts: self.extract_all,
            }))
        };
        Ok([entry("--coder", &self.coder)?, entry("--extractor", &self.extractor)?])
    }
}

/// The models of a run; `None` if it has none.
pub(crate) fn extractors(
    [coder, extractor]: [Option<&ExtractorEntry>; 2],
    dialogue: &Dialogue,
    requests: &RequestArgs,
    prices: &Prices,
) -> Result<Option<Extractors>, CommandError> {
    if coder.is_none() && extractor.is_none() {
        return Ok(None);
    }
    let prompts = ExtractionPrompts::new(&dialogue.words).map_err(|(name, fault)| {
        CommandError::input(format!("the template `{name}`, line {}: {fault}", fault.line))
    })?;
    let caller =
        |entry: Option<&ExtractorEntry>| entry.map(|it| caller(it, requests, prices)).transpose();
    let all_parts = coder.into_iter().chain(extractor).any(|entry| entry.all_parts);
    Ok(Some(Extractors {
        coder: caller(coder)?,
        extractor: caller(extractor)?,
        all_parts,
        prompts,
    }))
}

/// The models of an existing run.
pub(crate) fn of_run(manifest: &RunManifest) -> [Option<&ExtractorEntry>; 2] {
    [manifest.coder.as_ref(), manifest.extractor.as_ref()]
}

fn caller(
    entry: &ExtractorEntry,
    requests: &RequestArgs,
    prices: &Prices,
) -> Result<Caller, CommandError> {
    let model = requests.model(&entry.model, &Parameters::default())?;
    let address = model.address();
    if address != entry.address {
        let (was, is) = (entry.address.as_deref().unwrap_or_default(), address.unwrap_or_default());
        return Err(CommandError::usage(format!(
            "{} was called at {was} before, and at {is} now",
            entry.model
        ))
        .help("set the base address to the former value"));
    }
    requests.caller(model, prices)
}
