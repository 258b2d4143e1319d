//! `ifs check`

use std::path::{Path, PathBuf};

use super::exit::{CommandError, Exit};
use super::output::Output;
use super::revision::ScenarioAt;
use super::shell::quoted;
use super::{Format, deep, load, lock};
use ifs_base::diagnostic::{Code, Diagnostic, to_json};
use ifs_draw::{COMPARED_DIALOGUES, Seed, compare_drawn};
use ifs_plan::canonical::short;
use ifs_plan::changes::{Class, Version, required};
use ifs_plan::{DialoguePlan, Plan, analysis};

/// Check scenarios and explain every mistake.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs check scenarios/evolif/evolif.ifs
  ifs check a.ifs b.ifs --deny-warnings
  ifs check a.ifs --deep                 draw a sample and search for witnesses
  ifs check a.ifs --format json
  ifs check a.ifs --against main         was the version raised with the definition?
  ifs check a.ifs --locked               does everything match a.lock?")]
pub(crate) struct Args {
    /// Scenarios, or folders with one
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Treat warnings as errors (exit status 1)
    #[arg(long)]
    deny_warnings: bool,
    /// Warn if the definition changed since this git revision and its version was not raised
    #[arg(long, value_name = "REVISION")]
    against: Option<String>,
    /// Refuse a scenario that differs from its lock (`ifs lock`)
    #[arg(long)]
    locked: bool,
    /// Draw a sample of each dialogue, search for witnesses, and report what was rejected
    #[arg(long)]
    deep: bool,
    /// Number of dialogues to draw for `--deep`
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = super::distinct::chosen)]
    sample: u64,
    /// Number of turns to draw of each dialogue
    #[arg(long, default_value_t = 50, value_name = "N")]
    turns: u32,
    /// Seed of the sample
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let (mut errors, mut warnings, mut unread) = (0, 0, false);
    for file in &args.files {
        let found = match load::find(file) {
            Ok(mut found) => {
                found.draw_first();
                if args.locked && found.checked.is_some() {
                    found.diagnostics.extend(lock::drift(file)?);
                }
                if let (Some(revision), Some((plan, _))) = (&args.against, &found.checked) {
                    let stale = stale_version(revision, file, plan, output)?;
                    found.diagnostics.extend(stale);
                }
                found
            }
            Err(problem) => {
                problem.report(output);
                unread = true;
                continue;
            }
        };
        errors += found.errors();
        warnings += found.warnings();
        let deep = match &found.checked {
            Some((plan, _)) if args.deep => {
                let sample = deep::SurveyedSample {
                    dialogues: args.sample,
                    turns: args.turns,
                    seed: Seed(args.seed),
                };
                Some(deep::deep_check(plan, &sample)?)
            }
            _ => None,
        };
        match (args.format, &deep) {
            (Format::Json, Some(deep)) => {
                let diagnostics = to_json(&found.diagnostics, &found.sources);
                let all = serde_json::json!({ "diagnostics": diagnostics, "deep": deep });
                output.json_line(&serde_json::to_string_pretty(&all).unwrap_or_default());
            }
            _ => load::show(&found, args.format, output),
        }
        if let (Some((plan, _)), Format::Text) = (&found.checked, args.format) {
            output.print_folded(&format!("{}: {}\n", file.display(), describe(plan)));
            if let Some(deep) = &deep {
                output.line(&deep.text());
            }
        }
    }
    if errors + warnings > 0 && args.format == Format::Text {
        output.note(&load::summary(errors, warnings));
    }
    Ok(match () {
        () if errors > 0 || unread => Exit::Input,
        () if warnings > 0 && args.deny_warnings => Exit::Failed,
        () => Exit::Good,
    })
}

/// A change since a revision that the version does not show.
fn stale_version(
    revision: &str,
    file: &Path,
    plan: &Plan,
    output: &mut Output,
) -> Result<Option<Diagnostic>, CommandError> {
    let place = ScenarioAt::Revision { revision: revision.to_owned(), path: file.to_owned() };
    let before = place.find()?;
    let Some((old, _)) = &before.checked else {
        output
            .note(&format!("`{}` does not compile; there is no version to compare", place.show()));
        return Ok(None);
    };
    let (changes, _) = compare_drawn(old, plan, COMPARED_DIALOGUES)?;
    let needed = required(Version::parse(&old.model.benchmark.version), &changes);
    let declared = Version::parse(&plan.model.benchmark.version);
    if changes.is_empty() || declared.is_some_and(|declared| declared >= needed) {
        return Ok(None);
    }
    let what = match changes.class() {
        Class::NotComparable => "scores are not comparable with those of",
        Class::WithCare => "scores are comparable only with care with those of",
        Class::Comparable => "the definition is not that of",
    };
    let version = match plan.model.benchmark.version.as_str() {
        "" => "no version is declared".to_owned(),
        version => format!("the version is {version}"),
    };
    let diagnostic = Diagnostic::warning(
        Code::STALE_VERSION,
        format!("{what} `{revision}`, and {version}; {needed} is needed"),
    )
    .help(format!(
        "write `version \"{needed}\"`; `ifs diff {revision} {}` lists what changed",
        quoted(file)
    ));
    let known = plan.sources.get(plan.model.benchmark.span.file).is_some();
    Ok(Some(if known { diagnostic.label(plan.model.benchmark.span, "") } else { diagnostic }))
}

/// The summary of a correct scenario, and the expected shape of its dialogues.
fn describe(plan: &Plan) -> String {
    let constraints: usize = plan.model.groups.iter().map(|group| group.constraints.len()).sum();
    let mut text = format!(
        "ok. {} with {}, {}, {}; definition {}",
        load::counted(plan.model.groups.len(), "group"),
        load::counted(constraints, "constraint"),
        load::counted(plan.model.banks.len(), "bank"),
        load::counted(plan.model.dialogues.len(), "dialogue"),
        short(&plan.hash(), 12),
    );
    for dialogue in plan.dialogues() {
        text.push_str(&format!("\n  dialogue {}:", dialogue.table.name));
        expect(plan, dialogue, "    ", &mut text);
        for (name, table, graph) in plan.variants(dialogue.table) {
            text.push_str(&format!("\n    variant {name}:"));
            expect(plan, DialoguePlan { table, graph: &graph }, "      ", &mut text);
        }
    }
    text
}

/// The expected shape of a dialogue.
fn expect(plan: &Plan, dialogue: DialoguePlan<'_>, indent: &str, text: &mut String) {
    let expectations = analysis::expectations(plan, dialogue);
    if expectations.turns > 0 && dialogue.table.topics.is_none() {
        text.push_str(&format!(" {} written", load::counted(expectations.turns, "turn")));
    }
    if let Some(turns) = expectations.max_turns {
        let comma = if text.ends_with("written") { "," } else { "" };
        text.push_str(&format!("{comma} at most {}", load::counted(turns as usize, "turn")));
    }
    if expectations.max_turns.is_none() {
        text.push_str(match dialogue.table.topics {
            Some(_) => " no maximum",
            None => ", depending on its loops",
        });
    }
    if !expectations.shares.is_empty() {
        let shares: Vec<String> = expectations
            .shares
            .iter()
            .map(|(name, share)| format!("{name} {:.1} %", share * 100.0))
            .collect();
        text.push_str(&format!("; steady state: {}", shares.join(", ")));
    }
    if dialogue.table.patience.is_some() && !expectations.expected.is_empty() {
        let lengths: Vec<String> = expectations
            .expected
            .iter()
            .map(|(share, turns)| format!("{turns:.1} at {:.0} %", share * 100.0))
            .collect();
        text.push_str(&format!(
            "\n{indent}expected turns by the share of turns a model satisfies: {}",
            lengths.join(", ")
        ));
    }
}
