//! From a path on the command line to a checked scenario.

use std::path::{Path, PathBuf};

use super::Format;
use super::exit::{CommandError, Exit};
use super::output::Output;
use ifs_base::diagnostic::{render_abridged, to_json};
use ifs_draw::Drawer;
pub(crate) use ifs_draw::program::CheckedScenario;
use ifs_model::SemanticModel;
use ifs_model::split::variant_of;
use ifs_model::table::Test;
use ifs_plan::lock::Inputs;
use ifs_plan::{DialoguePlan, Plan};

/// A scenario without errors.
pub(crate) struct LoadedScenario {
    pub plan: Plan,
    /// The examples of its constraints.
    pub tests: Vec<Test>,
    pub inputs: Inputs,
}

impl LoadedScenario {
    /// The constraints with their examples, as a model.
    pub fn tested(&self) -> SemanticModel {
        let (groups, tests) = (self.plan.model.groups.clone(), self.tests.clone());
        SemanticModel { groups, tests, ..SemanticModel::default() }
    }

    /// The drawer of a dialogue.
    pub fn drawer(&self, dialogue: &str) -> Result<Drawer<'_>, CommandError> {
        Ok(Drawer::new(&self.plan, dialogue)?)
    }
}

/// Checks the scenario in a file, with the analyses of its plan.
pub(crate) fn find(path: &Path) -> Result<CheckedScenario, CommandError> {
    Ok(ifs_draw::program::find(path)?)
}

/// The selection of a scenario, a dialogue and a variant.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct DialogueArgs {
    /// The scenario
    pub file: PathBuf,
    /// Name of the dialogue; the first by default
    #[arg(short, long)]
    pub dialogue: Option<String>,
    /// Variant of the dialogue; none by default
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    /// Split to draw; by default nothing that a split holds out is drawn
    #[arg(long, value_name = "NAME")]
    pub split: Option<String>,
}

impl DialogueArgs {
    /// The variant that is drawn: one of the dialogue's, or that of the split.
    pub fn varied(&self) -> Option<String> {
        match &self.split {
            Some(split) => Some(variant_of(split, self.variant.as_deref())),
            None => self.variant.clone(),
        }
    }
}

/// Reports a dialogue whose turns depend on the responses, for a command that needs all turns
/// beforehand.
pub(crate) fn same_turns(
    plan: &Plan,
    dialogue: DialoguePlan<'_>,
    does: &str,
) -> Result<(), CommandError> {
    if !dialogue.table.is_reactive(&plan.model.flows) {
        return Ok(());
    }
    let name = &dialogue.table.name;
    Err(CommandError::input(format!("`{name}` has turns that depend on the responses; {does}")).help(
        "name a dialogue or a variant (`--variant`) without `when` around turns, or run this one \
         with the messages of its scenario",
    ))
}

/// The selected dialogue and its scenario. If a variant was selected, it replaces the dialogue in
/// the plan.
pub(crate) fn dialogue(
    which: &DialogueArgs,
    output: &mut Output,
) -> Result<(&'static LoadedScenario, DialoguePlan<'static>), CommandError> {
    let mut program = program(find(&which.file)?, output)?;
    if program.plan.model.dialogues.is_empty() {
        let file = which.file.display();
        return Err(CommandError::input(format!("there is no dialogue in `{file}`"))
            .help("write `dialogue NAME { … }`, or name the file that imports this one"));
    }
    let name = find_dialogue(&program.plan, which.dialogue.as_deref())?.table.name.clone();
    if let Some(split) = &which.split {
        known_split(&program.plan, &name, split)?;
    }
    if let Some(variant) = &which.varied() {
        let variants = &find_dialogue(&program.plan, Some(&name))?.table.variants;
        let unknown = if variants.is_empty() {
            CommandError::input(format!("the dialogue `{name}` has no variants"))
                .help("write `variant NAME { … }` in it, or leave out `--variant`")
        } else {
            CommandError::input(format!("the dialogue `{name}` has no variant `{variant}`"))
                .help(listed_names(variants.iter().map(|(name, _)| name.as_str())))
        };
        program.plan = program.plan.varied(&name, variant).ok_or(unknown)?;
    }
    let program = leak(program);
    Ok((program, find_dialogue(&program.plan, Some(&name))?))
}

/// The same dialogue as it is without the split; `None` if no split is drawn.
pub(crate) fn public(which: &DialogueArgs) -> Result<Option<Plan>, CommandError> {
    if which.split.is_none() {
        return Ok(None);
    }
    let Some((plan, _)) = find(&which.file)?.checked else { return Ok(None) };
    let name = find_dialogue(&plan, which.dialogue.as_deref())?.table.name.clone();
    match &which.variant {
        Some(variant) => Ok(plan.varied(&name, variant)),
        None => Ok(Some(plan)),
    }
}

/// Reports a split that does not exist, or that holds out nothing of the dialogue.
fn known_split(plan: &Plan, dialogue: &str, split: &str) -> Result<(), CommandError> {
    if plan.model.splits.is_empty() {
        return Err(CommandError::input("the scenario has no splits")
            .help("write `split NAME { groups …  topics from … }`, or leave out `--split`"));
    }
    if !plan.model.splits.iter().any(|known| known == split) {
        return Err(CommandError::input(format!("the scenario has no split `{split}`"))
            .help(listed_names(plan.model.splits.iter().map(String::as_str))));
    }
    let table = &find_dialogue(plan, Some(dialogue))?.table;
    match table.variants.iter().any(|(name, _)| name == split) {
        true => Ok(()),
        false => Err(CommandError::input(format!(
            "the split `{split}` holds nothing out of the dialogue `{dialogue}`"
        ))
        .help("leave out `--split`: its dialogues are the public ones")),
    }
}

/// The dialogue with this name, or the first one.
fn find_dialogue<'p>(plan: &'p Plan, name: Option<&str>) -> Result<DialoguePlan<'p>, CommandError> {
    match name {
        None => plan.dialogues().next().ok_or_else(|| {
            CommandError::input("there is no dialogue in this scenario")
                .help("write `dialogue NAME { … }`")
        }),
        Some(name) => plan.dialogue(name).ok_or_else(|| {
            let names = plan.model.dialogues.iter().map(|dialogue| dialogue.name.as_str());
            CommandError::input(format!("there is no dialogue `{name}`")).help(listed_names(names))
        }),
    }
}

/// "there is `a`", "there are `a`, `b`"
fn listed_names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    format!("there {} {}", if names.len() == 1 { "is" } else { "are" }, names.join(", "))
}

/// Prints the diagnostics, and returns the scenario if there are no errors.
pub(crate) fn load(
    path: &Path,
    output: &mut Output,
) -> Result<&'static LoadedScenario, CommandError> {
    program(find(path)?, output).map(leak)
}

/// The same, with the first dialogues drawn, as `ifs check` draws them.
pub(crate) fn load_drawn(
    path: &Path,
    output: &mut Output,
) -> Result<&'static LoadedScenario, CommandError> {
    let mut found = find(path)?;
    found.draw_first();
    program(found, output).map(leak)
}

/// Keeps a scenario until the process ends: freeing every record of its banks would only take time.
fn leak(program: LoadedScenario) -> &'static LoadedScenario {
    Box::leak(Box::new(program))
}

fn program(found: CheckedScenario, output: &mut Output) -> Result<LoadedScenario, CommandError> {
    show(&found, Format::Text, output);
    let warnings = found.warnings();
    match found.checked {
        Some((plan, tests)) => Ok(LoadedScenario { plan, tests, inputs: found.inputs }),
        None => {
            output.note(&summary(found.diagnostics.len() - warnings, warnings));
            Err(CommandError { exit: Exit::Input, ..CommandError::already_printed() })
        }
    }
}

/// Diagnostics go to standard error as text, or to standard output as JSON.
pub(crate) fn show(found: &CheckedScenario, format: Format, output: &mut Output) {
    match format {
        Format::Json => {
            let json = to_json(&found.diagnostics, &found.sources);
            output.json_line(&serde_json::to_string_pretty(&json).unwrap_or_default());
        }
        Format::Text if found.diagnostics.is_empty() => {}
        Format::Text => {
            let (color, width) = (output.color_err(), Output::width());
            let text = render_abridged(&found.diagnostics, &found.sources, color, width);
            output.painted_note(text.trim_end_matches('\n'));
        }
    }
}

pub(crate) fn summary(errors: usize, warnings: usize) -> String {
    format!("{}, {}", counted(errors, "error"), counted(warnings, "warning"))
}

/// `1 error`, `2 errors`
pub(crate) fn counted(count: usize, word: &str) -> String {
    match count {
        1 => format!("1 {word}"),
        count => format!("{count} {word}s"),
    }
}
