//! Options about those who cut parts out of answers.

use super::calls::CallArgs;
use super::exit::Problem;
use ifs::calls::{Caller, Prices};
use ifs::model::table::Dialogue;
use ifs::parts::Prompts;
use ifs::provider::Parameters;
use ifs::run::{Cutter, Cutters, Manifest};

/// Who cuts out of answers what no reader finds.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Extraction")]
pub(crate) struct CutterArgs {
    /// Model that writes an extraction program for each part without a reader
    #[arg(long, value_name = "MODEL")]
    coder: Option<String>,
    /// Model that extracts the part, where there is no such program
    #[arg(long, value_name = "MODEL")]
    extractor: Option<String>,
}

impl CutterArgs {
    pub fn is_empty(&self) -> bool {
        self.coder.is_none() && self.extractor.is_none()
    }

    /// Those who were named, with where they are.
    pub fn named(&self, calls: &CallArgs) -> Result<[Option<Cutter>; 2], Problem> {
        let entry = |option: &str, name: &Option<String>| {
            let Some(name) = name else { return Ok(None) };
            let model = calls.model(name, &Parameters::default())?;
            if model.is_simulated() {
                return Err(Problem::usage(format!("`{name}` cuts no parts out of answers")).help(
                    format!(
                        "leave `{option}` out: what simulated models answer is cut without asking"
                    ),
                ));
            }
            Ok(Some(Cutter { model: name.clone(), address: model.address() }))
        };
        Ok([entry("--coder", &self.coder)?, entry("--extractor", &self.extractor)?])
    }
}

/// Those that a run names, ready to be asked; nothing where it names nobody.
pub(crate) fn cutters(
    [coder, extractor]: [Option<&Cutter>; 2],
    dialogue: &Dialogue,
    calls: &CallArgs,
    prices: &Prices,
) -> Result<Option<Cutters>, Problem> {
    if coder.is_none() && extractor.is_none() {
        return Ok(None);
    }
    let prompts = Prompts::new(&dialogue.words).map_err(|(name, fault)| {
        Problem::input(format!("the template `{name}`, line {}: {fault}", fault.line))
    })?;
    let caller = |cutter: Option<&Cutter>| cutter.map(|it| caller(it, calls, prices)).transpose();
    Ok(Some(Cutters { coder: caller(coder)?, extractor: caller(extractor)?, prompts }))
}

/// Those of a run that was begun.
pub(crate) fn of_run(manifest: &Manifest) -> [Option<&Cutter>; 2] {
    [manifest.coder.as_ref(), manifest.extractor.as_ref()]
}

fn caller(cutter: &Cutter, calls: &CallArgs, prices: &Prices) -> Result<Caller, Problem> {
    let model = calls.model(&cutter.model, &Parameters::default())?;
    let address = model.address();
    if address != cutter.address {
        let (was, is) =
            (cutter.address.as_deref().unwrap_or_default(), address.unwrap_or_default());
        return Err(Problem::usage(format!(
            "{} was asked at {was}, and this is {is}",
            cutter.model
        ))
        .help("set the base address to what it was"));
    }
    calls.caller(model, prices)
}
