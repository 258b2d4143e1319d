//! `ifs explain`

use super::exit::{Exit, Problem};
use super::output::Output;
use ifs::diagnostic::{CODES, Code, closest};
use ifs::model::LIBRARY;
use ifs::model::reference::{self, Kind};
use ifs::predicate::functions;
use ifs::syntax::statement::{Form, Place, TABLE, Times};
use ifs::text::UNITS;

/// Explain a code, a function, a unit, a statement of dialogues, or what the standard library holds.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs explain ifs::endless-flow
  ifs explain starts_with
  ifs explain sentence.punkt
  ifs explain system                   a statement: where it may be, and what it needs
  ifs explain std.evolif.startwith     a group; with one name more, a constraint
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
    } else if TABLE.iter().any(|row| row.word == name) {
        statement(&name, output);
    } else if name.split('.').next() == Some("std") && library(&name, output) {
    } else {
        let held = if name.starts_with("std") { reference::entries() } else { Vec::new() };
        let known = CODES.iter().map(|(code, _)| code.name());
        let known = known
            .chain(functions::all().map(|function| function.name))
            .chain(UNITS.iter().map(|unit| unit.name))
            .chain(TABLE.iter().map(|row| row.word))
            .chain(held.iter().map(|entry| entry.name.as_str()));
        let problem = Problem::input(format!("there is nothing called `{name}` to explain"));
        return Err(match closest(&name, known) {
            Some(near) => problem.help(format!("did you mean `{near}`? `ifs explain` lists all")),
            None => problem.help("`ifs explain` lists all there is"),
        });
    }
    Ok(Exit::Good)
}

/// Explains something of the library, and says whether there is such a thing.
fn library(name: &str, output: &mut Output) -> bool {
    let entries = reference::entries();
    let Some(entry) = entries.iter().find(|entry| entry.name == name) else { return false };
    let noun = match &entry.kind {
        Kind::Module => "a module of the library",
        Kind::Group(_) => "a group of constraints",
        Kind::Constraint(_) => "a constraint",
        Kind::Flow(_) => "a flow",
        Kind::Function(_) => "a function",
        Kind::Scene(..) => "a scene",
    };
    output.line(&format!("{name} ({noun})"));
    if !entry.doc.is_empty() {
        output.line(&format!("\n{}", entry.doc));
    }
    match &entry.kind {
        Kind::Module | Kind::Group(_) => {
            output.line("");
            let inner = format!("{name}.");
            for other in &entries {
                let Some(rest) = other.name.strip_prefix(&inner) else { continue };
                if !rest.contains('.') {
                    let doc = other.doc.lines().next().unwrap_or("");
                    output.line(format!("  {rest:<24} {doc}").trim_end());
                }
            }
        }
        Kind::Constraint(facts) => {
            output.line("");
            for (param, domain) in &facts.params {
                output.line(&format!("  {param}: {domain}"));
            }
            for say in &facts.say {
                output.line(&format!("  say {say:?}"));
            }
            output.line(&format!("  {}", facts.by));
            for (word, example) in [("pass", &facts.pass), ("fail", &facts.fail)] {
                if let Some((args, answer)) = example {
                    output.line(&format!("  test ({args}) {{ {word} {answer:?} }}"));
                }
            }
        }
        Kind::Scene((width, height), questions) => {
            output.line(&format!("\n  {width} by {height}; questions: {}", questions.join(", ")));
        }
        Kind::Flow(turns) => output.line(&format!("\n  {}", turns.join(", "))),
        Kind::Function(written) => output.line(&format!("\n{written}")),
    }
    true
}

/// Where a statement may be, in which form of dialogue it acts, and what it needs.
fn statement(word: &str, output: &mut Output) {
    for (at, row) in TABLE.iter().filter(|row| row.word == word).enumerate() {
        if at > 0 {
            output.line("");
        }
        output.line(&format!("{} (a statement)\n", row.form));
        for (place, times) in Place::ALL.into_iter().filter_map(|at| Some((at, row.times(at)?))) {
            let times = match times {
                Times::Once => "once",
                Times::Many => "any number of times",
            };
            output.line(&format!("  in {:<22} {times}", place.noun()));
        }
        match row.acts {
            [Form::Topics] => output.line("\n  acts in a dialogue with a flow of topics"),
            [Form::Written] => output.line("\n  acts in a dialogue whose turns are written out"),
            _ => {}
        }
        if !row.needs.is_empty() {
            let needs: Vec<&str> = row.needs.iter().map(|need| need.noun()).collect();
            output.line(&format!("\n  needs {}", needs.join(", and ")));
        }
    }
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
    let mut words: Vec<&str> = TABLE.iter().map(|row| row.word).collect();
    words.sort_unstable();
    words.dedup();
    section("Statements of dialogues, flows and turns:", words);
    let modules: Vec<String> = LIBRARY.iter().map(|(name, _)| format!("std.{name}")).collect();
    section("Modules of the library:", modules.iter().map(String::as_str).collect());
}
