//! `ifs explain`

use clap::CommandFactory;

use super::Cli;
use super::exit::{CommandError, Exit};
use super::output::Output;
use ifs_base::diagnostic::{CODES, Code, closest};
use ifs_model::LIBRARY;
use ifs_model::reference::{self, LibraryItemKind};
use ifs_predicate::functions;
use ifs_score::{Direction, METRICS, Metric, MetricUnit};
use ifs_syntax::statement::{
    BLOCK_TABLE, BlockRow, DialogueForm, StatementPlace, StatementRow, TABLE, Times,
};
use ifs_text::UNITS;

/// The glossary; each entry is a paragraph that begins with its term.
const GLOSSARY_PAGE: &str = include_str!("../../../docs/glossary.md");
/// The page with the formula of each metric, as table rows.
const METRICS_PAGE: &str = include_str!("../../../docs/metrics.md");

/// The page with the table of simulated models.
const MODELS_PAGE: &str = include_str!("../../../docs/models.md");

/// Words that are part of statements: the word, the forms that it is part of, and what it says.
const CLAUSE_ENTRIES: [(&str, &str, &str); 13] = [
    (
        "by",
        "impose … by SPEAKER",
        "Who states the constraint: `system`, `user` (as without `by`) or `tool`.",
    ),
    (
        "by",
        "report NAME, … by TEXT",
        "Scores dialogues with the same text separately; or turns, if the text depends on names that \
         turns bind or that change from turn to turn.",
    ),
    (
        "by",
        "for NAME in LIST by (CHECK) { … }",
        "Lets the last response choose the next member of the list: the first one for which the \
         check holds, or else the first one.",
    ),
    ("by", "show TEXT by tool \"NAME\"", "The tool whose message the text is."),
    (
        "against",
        "impose … by SPEAKER against SPEAKER",
        "Draws constraints that contradict one of this speaker's, or relate to it as `case` says.",
    ),
    (
        "case",
        "impose … against SPEAKER case TEXT",
        "How a constraint relates to those of the other speaker: `conflicting` (contradicts one of \
         them; the default), `aligned` (follows from one) or `unrelated`. The text may be drawn.",
    ),
    (
        "called",
        "impose called NAME given RECORD from MODULE",
        "Imposes the constraint that has this name of published data as an `alias`.",
    ),
    (
        "given",
        "impose called NAME given RECORD from MODULE",
        "The arguments of published data, under their published names.",
    ),
    (
        "given",
        "with probability 1 - given / groups",
        "In conditions: the number of groups that have given a constraint.",
    ),
    (
        "unsaid",
        "impose called … from MODULE unsaid scope dialogue",
        "The user message already states the constraint, so no sentence is added for it. Written after \
         the modules, and before `scope`.",
    ),
    (
        "unsaid",
        "scope topic unsaid",
        "No message states that constraints are inactive on other topics and active again on a return.",
    ),
    (
        "missed",
        "when missed { … }, end when missed",
        "Whether the last response missed a constraint, a requirement or a fact. It needs no \
         `observe`.",
    ),
    (
        "missed",
        "metric … of turn { return missed }",
        "In a metric: whether a turn missed something, or an outcome is a miss. What was not judged \
         is neither `held` nor `missed`.",
    ),
];

/// Explain a keyword, a metric, an option, a code, or a name of the standard library.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs explain ifs::endless-flow
  ifs explain starts_with
  ifs explain sentence.punkt
  ifs explain impose                   a statement: what it does, and where it may be
  ifs explain unsaid                   a word within statements
  ifs explain CSR                      a metric: its formula and its source
  ifs explain sim/misled               a simulated model
  ifs explain --temperature            an option of a command
  ifs explain witness                  a word of the glossary
  ifs explain std.evolif.startwith     a group; with one name more, a constraint
  ifs explain                          list everything")]
pub(crate) struct Args {
    /// What to explain
    #[arg(allow_hyphen_values = true)]
    name: Option<String>,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let Some(name) = args.name else {
        list(output);
        return Ok(Exit::Good);
    };
    if explained(&name, output) {
        return Ok(Exit::Good);
    }
    let held = if name.starts_with("std") { reference::entries() } else { Vec::new() };
    let options = options();
    let known = CODES.iter().map(|(code, _)| code.name());
    let known = known
        .chain(functions::all().map(|function| function.name))
        .chain(UNITS.iter().map(|unit| unit.name))
        .chain(statement_words())
        .chain(METRICS.iter().map(|metric| metric.name))
        .chain(CLAUSE_ENTRIES.iter().map(|(word, ..)| *word))
        .chain(simulated_models().map(|(name, _)| name))
        .chain(ifs_forms::forms().map(|form| form.name))
        .chain(ifs_forms::ANSWERS.iter().map(|answer| answer.name))
        .chain(glossary().map(|(word, _)| word))
        .chain(options.iter().map(|option| option.name.as_str()))
        .chain(held.iter().map(|entry| entry.name.as_str()));
    let problem = CommandError::input(format!("there is nothing called `{name}` to explain"));
    let written = name.strip_prefix("ifs::").unwrap_or(&name);
    Err(match closest(written, known) {
        Some(near) => problem.help(format!("did you mean `{near}`? `ifs explain` lists all")),
        None => problem.help("`ifs explain` lists everything"),
    })
}

/// Explains everything with this name, and returns whether there is anything. A word may have
/// several meanings: `patience` is a statement, a glossary entry and an option.
fn explained(name: &str, output: &mut Output) -> bool {
    if let Some(code) = Code::find(name) {
        output.line(code.page().trim_end());
        return true;
    }
    if name.split('.').next() == Some("std") {
        return library(name, output);
    }
    let others: [fn(&str) -> Option<String>; 3] = [simulated_model, option, explain_word];
    let others = others.iter().filter_map(|explain| explain(name));
    let found: Vec<String> = word(name).into_iter().chain(others).collect();
    if !found.is_empty() {
        output.line(found.join("\n").trim_end());
        return true;
    }
    // The last part of a name of the library, such as that of a metric.
    let ends = format!(".{name}");
    let entries = reference::entries();
    let named: Vec<_> = entries.iter().filter(|entry| entry.name.ends_with(&ends)).collect();
    for entry in &named {
        library(&entry.name, output);
    }
    !named.is_empty()
}

/// What a word of the language means, in each of its meanings.
pub(crate) fn word(name: &str) -> Option<String> {
    let kinds: [fn(&str) -> Option<String>; 6] =
        [function, unit, statement, clause, metric, super::audit::explained];
    let found: Vec<String> = kinds.iter().filter_map(|explain| explain(name)).collect();
    (!found.is_empty()).then(|| found.join("\n"))
}

fn function(name: &str) -> Option<String> {
    let function = functions::lookup(name)?;
    let mut text = format!("{}\n\n{}\n\n", function.signature(), function.doc);
    for (expression, sample, expected) in function.examples {
        text.push_str(&format!("  {expression}   of {sample:?}: {expected}\n"));
    }
    Some(text)
}

fn unit(name: &str) -> Option<String> {
    let unit = UNITS.iter().find(|unit| unit.name == name)?;
    let mut text = format!("{} (a unit)\n\n{}\n\n", unit.name, unit.doc);
    for (sample, count) in unit.examples {
        text.push_str(&format!("  {count} in {sample:?}\n"));
    }
    Some(text)
}

fn metric(name: &str) -> Option<String> {
    let metric = Metric::named(name)?;
    let unit = match metric.unit {
        MetricUnit::Share => "a share",
        MetricUnit::Turns => "in turns",
        MetricUnit::Marks => "on a judge's scale",
        MetricUnit::Number => "a number",
    };
    let better = match metric.direction {
        Direction::HigherIsBetter => "higher is better",
        Direction::LowerIsBetter => "lower is better",
    };
    let mut text = format!("{name} (a metric, {unit}; {better})\n\n{}\n\n", metric.doc);
    if let Some(formula) = formula(name) {
        text.push_str(&format!("  {formula}\n"));
    }
    text.push_str(&format!("  source: {}\n  docs/metrics.md has the definitions\n", metric.source));
    Some(text)
}

/// The second cell of the metric's row.
fn formula(name: &str) -> Option<String> {
    let begins = format!("| `{name}` | ");
    let row = METRICS_PAGE.lines().find_map(|line| line.strip_prefix(&begins))?;
    // A vertical bar in a formula is escaped.
    let cell = row.replace("\\|", "\u{0}");
    Some(cell.split(" | ").next()?.replace('\u{0}', "|"))
}

/// The forms of statements that a word is part of.
fn clause(word: &str) -> Option<String> {
    let of_word = CLAUSE_ENTRIES.iter().filter(|(known, ..)| *known == word);
    let texts = of_word.map(|(_, form, doc)| format!("{form} (a clause)\n\n{doc}\n"));
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The simulated models, as `-m` names them, and what their responses do.
fn simulated_models() -> impl Iterator<Item = (&'static str, &'static str)> {
    let row = |line: &'static str| {
        let (name, responses) = line.strip_prefix("| `sim/")?.split_once("` | ")?;
        let responses = responses.strip_suffix(" |").filter(|cell| !cell.contains(" | "))?;
        Some((name, responses))
    };
    MODELS_PAGE.lines().filter_map(row)
}

fn simulated_model(name: &str) -> Option<String> {
    let wanted = name.strip_prefix("sim/").unwrap_or(name);
    let wanted = wanted.split(':').next().unwrap_or(wanted);
    let is_it = |(known, _): &(&str, &str)| known.split(':').next() == Some(wanted);
    let (name, responses) = simulated_models().find(is_it)?;
    Some(format!(
        "sim/{name} (a simulated model)\n\nIts responses {responses}.\n\n  \
         docs/models.md has all of them\n"
    ))
}

/// An option of the command line, with its commands and help texts.
struct CliOption {
    /// The option's name, with its dashes.
    name: String,
    commands: Vec<(String, String)>,
}

fn options() -> Vec<CliOption> {
    let mut found: Vec<CliOption> = Vec::new();
    let cli = Cli::command();
    for command in cli.get_subcommands().filter(|command| !command.is_hide_set()) {
        for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
            let Some(long) = argument.get_long() else { continue };
            let (name, help) = (format!("--{long}"), argument.get_help());
            let said =
                (command.get_name().to_owned(), help.map_or(String::new(), ToString::to_string));
            match found.iter_mut().find(|option| option.name == name) {
                Some(option) => option.commands.push(said),
                None => found.push(CliOption { name, commands: vec![said] }),
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn option(name: &str) -> Option<String> {
    let name = format!("--{}", name.trim_start_matches('-'));
    let option = options().into_iter().find(|option| option.name == name)?;
    let mut text = format!("{name} (an option)\n\n");
    let mut texts: Vec<(String, Vec<String>)> = Vec::new();
    for (command, help) in option.commands {
        match texts.iter_mut().find(|(known, _)| *known == help) {
            Some((_, commands)) => commands.push(command),
            None => texts.push((help, vec![command])),
        }
    }
    for (help, commands) in texts {
        let commands: Vec<String> = commands.iter().map(|it| format!("ifs {it}")).collect();
        text.push_str(&format!("  {help}\n  ({})\n", commands.join(", ")));
    }
    Some(text)
}

/// The entries of the glossary.
fn glossary() -> impl Iterator<Item = (&'static str, &'static str)> {
    let entry = |text: &'static str| text.strip_prefix("**")?.split_once("**: ");
    GLOSSARY_PAGE.split("\n\n").filter_map(entry)
}

fn explain_word(name: &str) -> Option<String> {
    let spoken = name.replace(['-', '_'], " ");
    let (word, means) = glossary().find(|(word, _)| word.eq_ignore_ascii_case(&spoken))?;
    Some(format!("{word} (glossary)\n\n{}\n", means.trim_end()))
}

/// Explains a name of the standard library, and returns whether there is one.
fn library(name: &str, output: &mut Output) -> bool {
    let entries = reference::entries();
    let Some(entry) = entries.iter().find(|entry| entry.name == name) else { return false };
    let noun = match &entry.kind {
        LibraryItemKind::Module => "a module of the library",
        LibraryItemKind::Group(_) => "a group of constraints",
        LibraryItemKind::Constraint(_) => "a constraint",
        LibraryItemKind::Flow(_) => "a flow",
        LibraryItemKind::Function(written) if written.starts_with("metric ") => "a metric",
        LibraryItemKind::Function(_) => "a function",
        LibraryItemKind::Scene(..) => "a scene",
    };
    output.line(&format!("{name} ({noun})"));
    if !entry.doc.is_empty() {
        output.line(&format!("\n{}", entry.doc));
    }
    match &entry.kind {
        LibraryItemKind::Module | LibraryItemKind::Group(_) => {
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
        LibraryItemKind::Constraint(facts) => {
            output.line("");
            for (param, domain) in &facts.params {
                output.line(&format!("  {param}: {domain}"));
            }
            for say in &facts.say {
                output.line(&format!("  say {say:?}"));
            }
            output.line(&format!("  {}", facts.by));
            for alias in &facts.aliases {
                output.line(&format!("  {alias}"));
            }
            for (word, example) in [("pass", &facts.pass), ("fail", &facts.fail)] {
                if let Some((args, answer)) = example {
                    output.line(&format!("  test ({args}) {{ {word} {answer:?} }}"));
                }
            }
        }
        LibraryItemKind::Scene((width, height), questions) => {
            output.line(&format!("\n  {width} by {height}; questions: {}", questions.join(", ")));
        }
        LibraryItemKind::Flow(turns) => output.line(&format!("\n  {}", turns.join(", "))),
        LibraryItemKind::Function(written) => output.line(&format!("\n{written}")),
    }
    true
}

/// A statement: its effect, the blocks where it may be, the forms of dialogue in which it has an
/// effect, and what it needs.
fn statement(word: &str) -> Option<String> {
    let rows: Vec<&StatementRow> = TABLE.iter().filter(|row| row.word == word).collect();
    let others = BLOCK_TABLE.iter().filter(|row| row.word == word);
    let texts = rows.into_iter().map(row_text).chain(others.map(block_row_text));
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The keywords of all statements and items.
fn statement_words<'w>() -> impl Iterator<Item = &'w str> {
    TABLE.iter().map(|row| row.word).chain(BLOCK_TABLE.iter().map(|row| row.word))
}

fn block_row_text(row: &BlockRow) -> String {
    let mut text = format!("{} (a statement)\n\n{}\n\n", row.form, row.doc);
    for block in row.at {
        text.push_str(&format!("  in {}\n", block.noun()));
    }
    text
}

fn row_text(row: &StatementRow) -> String {
    let mut text = format!("{} (a statement)\n\n{}\n\n", row.form, row.doc);
    for (place, times) in
        StatementPlace::ALL.into_iter().filter_map(|at| Some((at, row.times(at)?)))
    {
        let times = match times {
            Times::Once => "once",
            Times::Many => "any number of times",
        };
        text.push_str(&format!("  in {:<22} {times}\n", place.noun()));
    }
    match row.acts {
        [DialogueForm::Topics] => text.push_str("\n  acts in a dialogue with a flow of topics\n"),
        [DialogueForm::Written] => {
            text.push_str("\n  acts in a dialogue whose turns are written out\n")
        }
        _ => {}
    }
    if !row.needs.is_empty() {
        let needs: Vec<&str> = row.needs.iter().map(|need| need.noun()).collect();
        text.push_str(&format!("\n  needs {}\n", needs.join(", and ")));
    }
    text
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
    let mut words: Vec<&str> = statement_words().collect();
    words.sort_unstable();
    words.dedup();
    section("Statements:", words);
    let mut clauses: Vec<&str> = CLAUSE_ENTRIES.iter().map(|(word, ..)| *word).collect();
    clauses.dedup();
    section("Clauses of statements:", clauses);
    section("Metrics:", METRICS.iter().map(|metric| metric.name).collect());
    let models: Vec<String> = simulated_models().map(|(name, _)| format!("sim/{name}")).collect();
    section("Simulated models:", models.iter().map(String::as_str).collect());
    section("Forms of an answer:", ifs_forms::forms().map(|form| form.name).collect());
    let answers = ifs_forms::ANSWERS.iter().map(|answer| answer.name);
    section("Answers that know nothing:", answers.collect());
    section("Words of the glossary:", glossary().map(|(word, _)| word).collect());
    let options = options();
    section("Options:", options.iter().map(|option| option.name.as_str()).collect());
    let modules: Vec<String> = LIBRARY.iter().map(|(name, _)| format!("std.{name}")).collect();
    section("Modules of the library:", modules.iter().map(String::as_str).collect());
}
