//! `ifs diff`

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Format;
use super::diff_file;
use super::exit::{CommandError, Exit};
use super::load::{CheckedScenario, show};
use super::output::Output;
use super::revision::{Library, ScenarioAt};
use ifs_base::diagnostic::Severity;
use ifs_base::work;
use ifs_draw::{COMPARED_DIALOGUES, MessageCounts, compare_drawn, try_dialogues};
use ifs_plan::canonical::short;
use ifs_plan::changes::{Changes, Class, DefinitionChange, Version, required};
use ifs_plan::lock::Lock;
use ifs_plan::{Plan, analysis};

/// The steps of checking and drawing both sides, for the default number of dialogues: some seconds.
const COMPARISON_STEPS: u64 = 20_000_000;

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
    /// Number of dialogues to draw on both sides and compare: what is not drawn is not established
    #[arg(long, default_value_t = COMPARED_DIALOGUES, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    draws: u64,
    /// Exit with status 1 if there is a change
    #[arg(long)]
    pub(super) exit_code: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let [old, new] = match args.sides.as_slice() {
        [old, new] => [old, new],
        // git: PATH OLD-FILE OLD-HEX OLD-MODE NEW-FILE NEW-HEX NEW-MODE [NEW-PATH SIMILARITY]
        [path, old, _, _, new, ..] if matches!(args.sides.len(), 7 | 9) => {
            return diff_file::external(Path::new(path), (old, new), &args, output);
        }
        other => {
            return Err(CommandError::usage(format!(
                "two sides are compared; {} are given",
                other.len()
            ))
            .help("`ifs diff OLD NEW`, where a side is a path, REVISION:PATH or a revision"));
        }
    };
    let (before, after) = sides(old, new);
    if let (ScenarioAt::Path(one), ScenarioAt::Path(other)) = (&before, &after) {
        // `git difftool` gives copies outside of the folder that their imports are in.
        #[expect(clippy::disallowed_methods, reason = "`git difftool` says it this way")]
        let merged = std::env::var_os("MERGED").map(PathBuf::from);
        if let Some(merged) = merged.filter(|merged| merged.is_file())
            && one.is_file()
            && other.is_file()
        {
            return diff_file::external(&merged, (old, new), &args, output);
        }
        let is_scenario = |path: &Path| path.extension().is_some_and(|ending| ending == "ifs");
        if one.is_file() && other.is_file() && !is_scenario(one) && !is_scenario(other) {
            return diff_file::lines(&other.display().to_string(), (old, new), &args, output);
        }
    }
    if let Some(importers) = diff_file::importers_of_sides(&before, &after)? {
        for (before, after) in importers {
            compare_sides(&before, &after, &args, output)?;
        }
        return Ok(Exit::Good);
    }
    compare_sides(&before, &after, &args, output)
}

fn compare_sides(
    old: &ScenarioAt,
    new: &ScenarioAt,
    args: &Args,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let libraries = [old.library()?, new.library()?];
    let names = [old.show(), new.show()];
    compare(&names, (&old.find()?, &new.find()?), &libraries, args, output)
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
    let was = if modules.len() == 1 { "was" } else { "were" };
    format!(
        "{name}: {} {was} read from this ifs ({}); whether it was another one then is not known",
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

pub(super) fn compare(
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
    let steps = COMPARISON_STEPS.saturating_mul(args.draws.div_ceil(COMPARED_DIALOGUES));
    // A side that takes too much work is drawn once, and not for the comparison again.
    let (compared, _) = work::within(steps, || {
        for (name, plan) in names.iter().zip([old, new]) {
            if work::is_exhausted() {
                break;
            }
            let mut found = analysis::check(plan);
            found.extend(try_dialogues(plan).list);
            if let Some(first) = found.into_iter().find(|one| one.severity == Severity::Error) {
                output.warn(&format!("`{name}` does not pass `ifs check`: {}", first.message));
            }
        }
        compare_drawn(old, new, args.draws)
    });
    let (changes, messages) = compared?;
    let library = [(old, 0), (new, 1)]
        .into_iter()
        .filter_map(|(plan, at)| of_library(&names[at], plan, &libraries[at]))
        .collect();
    let is_scenario = [old, new].iter().any(|plan| !plan.model.dialogues.is_empty());
    let found = Diff {
        old: DefinitionInfo::from_plan(&names[0], old),
        new: DefinitionInfo::from_plan(&names[1], new),
        class: is_scenario.then(|| changes.class()),
        required_version: is_scenario
            .then(|| required(Version::parse(&old.model.benchmark.version), &changes)),
        messages,
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

#[derive(Serialize)]
struct Diff {
    old: DefinitionInfo,
    new: DefinitionInfo,
    /// `null` for modules without a scenario: what uses them decides what their changes mean.
    class: Option<Class>,
    /// The version that the newer side needs.
    required_version: Option<Version>,
    /// For each dialogue of both sides.
    messages: Vec<MessageCounts>,
    /// The unknown facts about the library of a side.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    library: Vec<String>,
    #[serde(flatten)]
    changes: Changes,
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
            let phrase = match self.class {
                None => "no class: this module changes the scores of what imports it",
                Some(_) => class.phrase(),
            };
            text.push_str(&format!("\n{}\n", bold(phrase, color)));
            let mut subject = "";
            for change in of {
                if change.subject != subject {
                    subject = &change.subject;
                    text.push_str(&format!("  {subject}\n"));
                }
                describe(change, self.class.is_some(), width, color, &mut text);
            }
        }
        let Some(required) = &self.required_version else { return text };
        let version = if self.old.version.is_empty() { "none" } else { &self.old.version };
        let declared = if self.new.version.is_empty() { "none" } else { &self.new.version };
        text.push_str(&format!(
            "\nversion: {version} before; these changes need {required} or later, {declared} is declared\n"
        ));
        for MessageCounts { dialogue, drawn, same } in &self.messages {
            text.push_str(&format!(
                "{dialogue}: {same} of {drawn} drawn dialogues have the same messages\n"
            ));
        }
        text
    }
}

fn describe(
    change: &DefinitionChange,
    has_class: bool,
    width: usize,
    color: bool,
    text: &mut String,
) {
    let what = match change.place.as_str() {
        "" => format!("{:?}", change.aspect).to_lowercase(),
        place => place.to_owned(),
    };
    let line = match has_class {
        true => format!("{what}: {}", change.reason),
        false => what,
    };
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
    for word in ifs_base::diagnostic::visible_text(text).split(' ') {
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
