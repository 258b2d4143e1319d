//! `ifs explain`

use super::exit::{Exit, Problem};
use super::output::Output;
use crate::diagnostic::{CODES, Code, closest};
use crate::predicate::functions;
use crate::text::UNITS;

/// Explain a code, a function or a unit of the language.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs explain ifs::endless-flow
  ifs explain starts_with
  ifs explain sentence.punkt
  ifs explain                          list all there is to explain")]
pub(crate) struct Args {
    /// What to explain
    name: Option<String>,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, Problem> {
    let Some(name) = args.name else {
        list(output);
        return Ok(Exit::Good);
    };
    if let Some(code) = Code::find(&name) {
        output.line(code.page().trim_end());
    } else if let Some(function) = functions::lookup(&name) {
        output.line(&format!("{}\n\n{}\n", function.signature(), function.doc));
        for (expression, text, expected) in function.examples {
            output.line(&format!("  {expression}   of {text:?}: {expected}"));
        }
    } else if let Some(unit) = UNITS.iter().find(|unit| unit.name == name) {
        output.line(&format!("{} (a unit)\n\n{}\n", unit.name, unit.doc));
        for (text, count) in unit.examples {
            output.line(&format!("  {count} in {text:?}"));
        }
    } else {
        let known = CODES.iter().map(|(code, _)| code.name());
        let known = known
            .chain(functions::all().map(|function| function.name))
            .chain(UNITS.iter().map(|unit| unit.name));
        let problem = Problem::input(format!("there is nothing called `{name}` to explain"));
        return Err(match closest(&name, known) {
            Some(near) => problem.help(format!("did you mean `{near}`? `ifs explain` lists all")),
            None => problem.help("`ifs explain` lists all there is"),
        });
    }
    Ok(Exit::Good)
}

fn list(output: &mut Output) {
    let mut section = |title: &str, names: Vec<&str>| {
        output.line(title);
        for name in names {
            output.line(&format!("  {name}"));
        }
    };
    section("Codes:", CODES.iter().map(|(code, _)| code.name()).collect());
    section("Functions:", functions::all().map(|function| function.name).collect());
    section("Units:", UNITS.iter().map(|unit| unit.name).collect());
}
