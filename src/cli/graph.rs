//! `ifs graph`

use std::path::PathBuf;

use clap::ValueEnum;

use super::exit::{Exit, Problem};
use super::load;
use super::output::Output;
use crate::plan::{DialoguePlan, Plan, picture};

/// Draw the turns of a dialogue as a graph.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs graph scenarios/evolif/evolif.ifs > evolif.svg
  ifs graph a.ifs --dialogue short --as mermaid")]
pub(crate) struct Args {
    /// The scenario
    file: PathBuf,
    /// Which dialogue; the first when it is left out
    #[arg(short, long)]
    dialogue: Option<String>,
    /// The form of the picture
    #[arg(long = "as", value_enum, default_value_t = Form::Svg, value_name = "FORM")]
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    Svg,
    Dot,
    Mermaid,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, Problem> {
    let program = load::load(&args.file, output)?;
    let dialogue = dialogue(&program.plan, args.dialogue.as_deref())?;
    let doc = program.plan.docs.get(&dialogue.table.name).map(String::as_str);
    let text = match args.form {
        Form::Svg => picture::svg(dialogue, doc),
        Form::Dot => picture::dot(dialogue, doc),
        Form::Mermaid => picture::mermaid(dialogue, doc),
    };
    output.print(&text);
    Ok(Exit::Good)
}

/// The dialogue of a name, or the first.
pub(crate) fn dialogue<'p>(
    plan: &'p Plan,
    name: Option<&str>,
) -> Result<&'p DialoguePlan, Problem> {
    match name {
        None => plan.dialogues.first().ok_or_else(|| {
            Problem::input("there is no dialogue in this scenario")
                .help("write `dialogue NAME { … }`")
        }),
        Some(name) => plan.dialogue(name).ok_or_else(|| {
            let names: Vec<String> = plan
                .dialogues
                .iter()
                .map(|dialogue| format!("`{}`", dialogue.table.name))
                .collect();
            Problem::input(format!("there is no dialogue `{name}`"))
                .help(format!("there are {}", names.join(", ")))
        }),
    }
}
