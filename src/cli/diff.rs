//! `ifs diff`

use std::path::PathBuf;

use serde::Serialize;

use super::Format;
use super::exit::{CommandError, Exit};
use super::line_diff;
use super::load::{CheckedScenario, show};
use super::output::Output;
use super::revision::{self, Library, ScenarioAt};
use ifs::changes::{Changes, Class, DefinitionChange, Version, between, required};
use ifs::diagnostic::Severity;
use ifs::lock::Lock;
use ifs::model::table::Context;
use ifs::plan::canonical::short;
use ifs::plan::{Plan, analysis};
use ifs::script::{DrawError, Drawer, ScriptTurn, Seed, try_dialogues};

/// Show the changes between two definitions, and their effect on scores.
///
/// A side is a file, a folder with a scenario, or one of these in a git revision, as in
/// `HEAD~2:scenarios/desk/desk.ifs`. A side that is only a revision takes the path of the other.
/// Definitions are compared, not their texts: comments, layout and the order of declarations are
/// not changes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs diff HEAD scenarios/evolif/evolif.ifs
  ifs diff v1.0:desk.ifs v1.1:desk.ifs --format json
  ifs diff old/ new/ --exit-code

As git's diff program for scenarios:
  echo '*.ifs diff=ifs' >> .gitattributes
  git config diff.ifs.command 'ifs diff'
  git diff --ext-diff; git log -p --ext-diff
  git difftool --extcmd 'ifs diff' --no-prompt")]
pub(crate) struct Args {
    /// The older and the newer side; or the arguments of an external diff program of git
    #[arg(required = true, num_args = 1.., value_name = "SIDE")]
    sides: Vec<String>,
    /// Number of dialogues to draw on both sides and compare
    #[arg(long, default_value_t = 20, value_name = "N")]
    draws: u64,
    /// Exit with status 1 if there is a change
    #[arg(long)]
    exit_code: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// The number of turns of a dialogue that are compared.
const COMPARED_TURNS: usize = 50;

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let (names, libraries, old, new) = match args.sides.as_slice() {
        [old, new] => {
            let (old, new) = sides(old, new);
            let libraries = [old.library()?, new.library()?];
            // `git difftool` gives copies outside of the folder that their imports are in.
            #[expect(clippy::disallowed_methods, reason = "`git difftool` says it this way")]
            let merged = std::env::var_os("MERGED").map(PathBuf::from);
            match (&old, &new, merged) {
                (ScenarioAt::Path(one), ScenarioAt::Path(other), Some(merged))
                    if one.is_file() && other.is_file() && merged.is_file() =>
                {
                    let names = [merged.display().to_string(), merged.display().to_string()];
                    let replaced = |by| revision::replaced(&merged, by);
                    (names, libraries, replaced(one)?, replaced(other)?)
                }
                _ => ([old.show(), new.show()], libraries, old.find()?, new.find()?),
            }
        }
        // git: PATH OLD-FILE OLD-HEX OLD-MODE NEW-FILE NEW-HEX NEW-MODE [NEW-PATH SIMILARITY]
        [path, old, _, _, new, ..] if matches!(args.sides.len(), 7 | 9) => {
            return external(path, old, new, &args, output);
        }
        other => {
            return Err(CommandError::usage(format!(
                "two sides are compared; {} are given",
                other.len()
            ))
            .help("`ifs diff OLD NEW`, where a side is a path, REVISION:PATH or a revision"));
        }
    };
    compare(&names, (&old, &new), &libraries, &args, output)
}

/// The unknown facts about the library of a side.
fn of_library(name: &str, plan: &Plan, library: &Library) -> Option<String> {
    let Library::Present(lock) = library else { return None };
    let present = Lock::for_plan(plan, std::collections::BTreeMap::new());
    if present.library.is_empty() {
        return None;
    }
    Some(match lock.as_ref().filter(|lock| !lock.library.is_empty()) {
        None => unknown(name, &present),
        Some(lock) => match lock.other_library(&present).join(", ") {
            others if others.is_empty() => return None,
            others => format!(
                "{name}: its lock pins another {others}; it was read with that of this ifs, so \
                 changes of it are not listed"
            ),
        },
    })
}

fn unknown(name: &str, present: &Lock) -> String {
    let modules: Vec<String> =
        present.library.keys().map(|module| format!("std.{module}")).collect();
    format!(
        "{name}: {} was read from this ifs ({}); whether it was another one then is not known",
        modules.join(", "),
        env!("CARGO_PKG_VERSION")
    )
}

/// A side that does not exist takes the path of the other.
fn sides(old: &str, new: &str) -> (ScenarioAt, ScenarioAt) {
    let at = |revision: &str, other: &ScenarioAt| {
        let (ScenarioAt::Path(path) | ScenarioAt::Revision { path, .. }) = other.clone();
        ScenarioAt::Revision { revision: revision.to_owned(), path }
    };
    match (ScenarioAt::parse(old), ScenarioAt::parse(new)) {
        (one, other) if !one.exists() && other.exists() => (at(old, &other), other),
        (one, other) if one.exists() && !other.exists() => {
            let other = at(new, &one);
            (one, other)
        }
        sides => sides,
    }
}

/// Acts as git's diff program: files that do not compile are compared line by line.
fn external(
    path: &str,
    old: &str,
    new: &str,
    args: &Args,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let is_none = |file: &str| matches!(file, "/dev/null" | "nul");
    if is_none(old) || is_none(new) {
        output.line(&format!("{path}: {}", if is_none(old) { "added" } else { "removed" }));
        return Ok(Exit::Good);
    }
    let at = PathBuf::from(path);
    let (before, after) =
        (revision::replaced(&at, old.as_ref())?, revision::replaced(&at, new.as_ref())?);
    if before.checked.is_none() || after.checked.is_none() {
        let text = |file: &str| {
            ifs::world::read_text(file.as_ref(), ifs::world::MAX_FILE_BYTES)
                .map_err(|error| CommandError::input(format!("`{file}`: {error}")))
        };
        let side = if after.checked.is_none() { "the newer side" } else { "the older side" };
        output.line(&format!("{path}: {side} has mistakes; lines are compared"));
        output.print(&line_diff::diff(&text(old)?, &text(new)?));
        return Ok(Exit::Good);
    }
    let names = [path.to_owned(), path.to_owned()];
    compare(&names, (&before, &after), &[Library::Own, Library::Own], args, output)?;
    // git interprets every other status as a failure.
    Ok(Exit::Good)
}

fn compare(
    names: &[String; 2],
    (old, new): (&CheckedScenario, &CheckedScenario),
    libraries: &[Library; 2],
    args: &Args,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let mut plans = Vec::new();
    for (name, found) in names.iter().zip([old, new]) {
        match &found.checked {
            Some((plan, _)) => plans.push(plan),
            None => {
                show(found, Format::Text, output);
                output.note(&format!("`{name}` cannot be compared before it compiles"));
                return Err(CommandError::already_printed());
            }
        }
    }
    let (old, new) = (plans[0], plans[1]);
    for (name, plan) in names.iter().zip([old, new]) {
        let mut found = analysis::check(plan);
        found.extend(try_dialogues(plan).list);
        if let Some(first) = found.into_iter().find(|one| one.severity == Severity::Error) {
            output.warn(&format!("`{name}` does not pass `ifs check`: {}", first.message));
        }
    }
    let changes = between(old, new);
    let library = [(old, 0), (new, 1)]
        .into_iter()
        .filter_map(|(plan, at)| of_library(&names[at], plan, &libraries[at]))
        .collect();
    let found = Diff {
        old: DefinitionInfo::from_plan(&names[0], old),
        new: DefinitionInfo::from_plan(&names[1], new),
        class: changes.class(),
        required_version: required(Version::parse(&old.model.benchmark.version), &changes),
        messages: messages(old, new, args.draws)?,
        library,
        changes,
    };
    match args.format {
        Format::Json => {
            output.json_line(&serde_json::to_string_pretty(&found).unwrap_or_default());
        }
        Format::Text => output.painted(&found.text(Output::width(), output.color())),
    }
    Ok(if args.exit_code && !found.changes.is_empty() { Exit::Failed } else { Exit::Good })
}

#[derive(Serialize)]
struct DefinitionInfo {
    name: String,
    definition: String,
    version: String,
}

impl DefinitionInfo {
    fn from_plan(name: &str, plan: &Plan) -> DefinitionInfo {
        let version = plan.model.benchmark.version.clone();
        DefinitionInfo { name: name.to_owned(), definition: plan.hash(), version }
    }
}

/// How many drawn dialogues have the same messages on both sides.
#[derive(Serialize)]
struct MessageCounts {
    dialogue: String,
    drawn: u64,
    same: u64,
}

#[derive(Serialize)]
struct Diff {
    old: DefinitionInfo,
    new: DefinitionInfo,
    class: Class,
    /// The version that the newer side needs.
    required_version: Version,
    /// For each dialogue of both sides.
    messages: Vec<MessageCounts>,
    /// The unknown facts about the library of a side.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    library: Vec<String>,
    #[serde(flatten)]
    changes: Changes,
}

fn messages(old: &Plan, new: &Plan, draws: u64) -> Result<Vec<MessageCounts>, CommandError> {
    let mut found = Vec::new();
    for dialogue in &new.model.dialogues {
        let name = &dialogue.name;
        if old.dialogue(name).is_none() || draws == 0 {
            continue;
        }
        let (one, other) = (Drawer::new(old, name)?, Drawer::new(new, name)?);
        let (mut drawn, mut same) = (0, 0);
        for index in 0..draws {
            // A version that cannot be drawn can still be compared.
            let (Ok(one), Ok(other)) = (sent_messages(&one, index), sent_messages(&other, index))
            else {
                continue;
            };
            drawn += 1;
            same += u64::from(one == other);
        }
        found.push(MessageCounts { dialogue: name.clone(), drawn, same });
    }
    Ok(found)
}

/// The messages to a model in a dialogue, if it satisfies everything, and the responses that
/// replace its own in the history.
fn sent_messages(drawer: &Drawer<'_>, index: u64) -> Result<Vec<[Option<String>; 5]>, DrawError> {
    let is_golden = drawer.dialogue().table.context == Context::Golden;
    let turns = drawer.script(Seed(1), index).take_both_sides().take(COMPARED_TURNS);
    turns
        .map(|turn| {
            let ScriptTurn { system, ask, reminder, show, given, golden, .. } = turn?;
            let history = given.or(golden.filter(|_| is_golden));
            Ok([system, Some(ask), reminder, Some(format!("{show:?}")), history])
        })
        .collect()
}

impl Diff {
    fn text(&self, width: usize, color: bool) -> String {
        let mut text = format!(
            "{} ({})\n{} ({})\n",
            self.old.name,
            short(&self.old.definition, 12),
            self.new.name,
            short(&self.new.definition, 12)
        );
        for note in &self.library {
            text.push('\n');
            for line in wrapped(note, width) {
                text.push_str(&format!("{line}\n"));
            }
        }
        if self.changes.is_empty() {
            text.push_str("\nno changes: both are the same definition\n");
            return text;
        }
        for class in [Class::NotComparable, Class::WithCare, Class::Comparable] {
            let of: Vec<&DefinitionChange> =
                self.changes.changes.iter().filter(|change| change.class == class).collect();
            if of.is_empty() {
                continue;
            }
            text.push_str(&format!("\n{}\n", bold(class.phrase(), color)));
            let mut subject = "";
            for change in of {
                if change.subject != subject {
                    subject = &change.subject;
                    text.push_str(&format!("  {subject}\n"));
                }
                describe(change, width, color, &mut text);
            }
        }
        let version = if self.old.version.is_empty() { "none" } else { &self.old.version };
        let declared = if self.new.version.is_empty() { "none" } else { &self.new.version };
        text.push_str(&format!(
            "\nversion: {version} before; these changes need {} or later, {declared} is declared\n",
            self.required_version
        ));
        for MessageCounts { dialogue, drawn, same } in &self.messages {
            text.push_str(&format!(
                "{dialogue}: {same} of {drawn} drawn dialogues have the same messages\n"
            ));
        }
        text
    }
}

fn describe(change: &DefinitionChange, width: usize, color: bool, text: &mut String) {
    let what = match change.place.as_str() {
        "" => format!("{:?}", change.aspect).to_lowercase(),
        place => place.to_owned(),
    };
    let line = format!("{what}: {}", change.reason);
    for (at, line) in wrapped(&line, width.saturating_sub(6)).iter().enumerate() {
        text.push_str(if at == 0 { "    " } else { "      " });
        text.push_str(line);
        text.push('\n');
    }
    let (before, after) = (&change.before, &change.after);
    for (mark, side, other, paint) in [('-', before, after, 31), ('+', after, before, 32)] {
        let Some(side) = side else { continue };
        let side = &excerpt(side, other.as_deref());
        for (at, line) in wrapped(side, width.saturating_sub(8)).iter().enumerate() {
            let line = format!("      {} {line}", if at == 0 { mark } else { ' ' });
            text.push_str(&if color { format!("\u{1b}[{paint}m{line}\u{1b}[0m") } else { line });
            text.push('\n');
        }
    }
}

/// A long text is cut to what differs from the other side, and that to a few lines.
fn excerpt(text: &str, other: Option<&str>) -> String {
    const MAX_EXCERPT_CHARACTERS: usize = 240;
    const CONTEXT_CHARACTERS: usize = 40;
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= MAX_EXCERPT_CHARACTERS {
        return text.to_owned();
    }
    let other: Vec<char> = other.unwrap_or_default().chars().collect();
    let same = letters.iter().zip(&other).take_while(|(one, other)| one == other).count();
    let ends = letters.iter().rev().zip(other.iter().rev());
    let tail = ends.take_while(|(one, other)| one == other).count();
    let start = same.saturating_sub(CONTEXT_CHARACTERS);
    let end = (letters.len() - tail.min(letters.len() - same)) + CONTEXT_CHARACTERS;
    let end = end.min(letters.len()).min(start + MAX_EXCERPT_CHARACTERS);
    let mut cut: String = letters[start..end].iter().collect();
    if start > 0 {
        cut.insert(0, '…');
    }
    if end < letters.len() {
        cut.push('…');
    }
    cut
}

fn bold(text: &str, color: bool) -> String {
    if color { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// Broken at spaces, a word that is longer than a line where the line ends.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(20);
    let mut lines = vec![String::new()];
    let mut length = 0;
    for word in ifs::diagnostic::visible_text(text).split(' ') {
        let letters: Vec<char> = word.chars().collect();
        if length > 0 && length + 1 + letters.len() > width {
            lines.push(String::new());
            length = 0;
        }
        if length > 0 {
            lines.last_mut().into_iter().for_each(|line| line.push(' '));
            length += 1;
        }
        for letter in letters {
            if length == width {
                lines.push(String::new());
                length = 0;
            }
            lines.last_mut().into_iter().for_each(|line| line.push(letter));
            length += 1;
        }
    }
    lines
}
