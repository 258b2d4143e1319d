//! `ifs test`

use std::path::PathBuf;

use super::exit::{CommandError, Exit};
use super::load;
use super::output::Output;
use ifs_judge::testing::{TestOutcome, run_tests};

/// Run the `test` blocks of a scenario.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs test scenarios/evolif/evolif.ifs
  ifs test scenarios/std/evolif.ifs    a module of the library")]
pub(crate) struct Args {
    /// Scenarios, or folders with one
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let (mut passed, mut of_library, mut failed, mut judged) = (0, 0, 0, 0);
    for file in &args.files {
        let program = load::load(file, output)?;
        for result in run_tests(&program.tested()) {
            match &result.outcome {
                TestOutcome::AsSaid if result.library => of_library += 1,
                TestOutcome::AsSaid => passed += 1,
                TestOutcome::Judged => judged += 1,
                TestOutcome::Otherwise(why) => {
                    failed += 1;
                    let wanted = if result.pass { "pass" } else { "fail" };
                    output.line(&format!(
                        "FAILED {}: {wanted} {:?}\n       {why}",
                        result.constraint, result.answer
                    ));
                }
            }
        }
    }
    let judged = if judged > 0 {
        format!(", {judged} need a judge and were not run")
    } else {
        String::new()
    };
    let of_library = match of_library {
        0 => String::new(),
        count => format!("; {count} tests of the library passed"),
    };
    output.line(&format!("{passed} passed, {failed} failed{judged}{of_library}"));
    Ok(if failed > 0 { Exit::Failed } else { Exit::Good })
}
