//! `ifs scene`

use std::path::{Path, PathBuf};

use serde_json::json;

use super::exit::{CommandError, Exit};
use super::load;
use super::output::Output;
use ifs_draw::{Seed, draw_scene};
use ifs_model::table::Scene;
use ifs_parts::image::Picture;
use ifs_predicate::value::Value;

/// Draw the pictures of a scene, with their facts and questions.
///
/// Prints a line of JSON for each picture; with `--out`, also writes the picture as a PNG file. The
/// same scene, seed and number give the same bytes on every machine.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs scene scenarios/mmmt/mmmt.ifs                    list the scenes
  ifs scene scenarios/mmmt/mmmt.ifs shelf -n 5 --out pictures
  ifs scene a.ifs chart --seed 7 --index 41")]
pub(crate) struct Args {
    /// The scenario
    file: PathBuf,
    /// Name of the scene; the names of all scenes by default
    scene: Option<String>,
    /// Number of pictures
    #[arg(short = 'n', long, default_value_t = 1, value_parser = super::distinct::count)]
    count: u64,
    /// Seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Index of the first picture
    #[arg(long, default_value_t = 0)]
    index: u64,
    /// Output folder
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let program = load::load(&args.file, output)?;
    let scenes = &program.plan.model.scenes;
    let Some(name) = &args.scene else {
        for scene in scenes {
            output.line(&format!("{} {} by {}", scene.name, scene.width, scene.height));
        }
        if scenes.is_empty() {
            output.note("there is no scene in this scenario");
        }
        return Ok(Exit::Good);
    };
    let Some(scene) = scenes.iter().find(|scene| scene.name == *name) else {
        let names: Vec<&str> = scenes.iter().map(|scene| scene.name.as_str()).collect();
        return Err(CommandError::input(format!("there is no scene `{name}`"))
            .help(format!("there are: {}", names.join(", "))));
    };
    if let Some(folder) = &args.out {
        ifs_base::replace::make_folder(folder).map_err(|error| write_error(folder, &error))?;
    }
    for index in args.index..args.index.saturating_add(args.count) {
        let drawn = draw_scene(scene, Seed(args.seed), index)
            .map_err(|fault| CommandError::input(fault.to_string()))?;
        let picture = drawn.drawing.paint();
        let file = match &args.out {
            Some(folder) => Some(write(folder, scene, &args, index, &picture)?),
            None => None,
        };
        output.json_line(&line(index, file.as_deref(), &picture, &drawn.value).to_string());
        if output.is_closed() {
            break;
        }
    }
    Ok(Exit::Good)
}

fn write(
    folder: &Path,
    scene: &Scene,
    args: &Args,
    index: u64,
    picture: &Picture,
) -> Result<String, CommandError> {
    let file = folder.join(format!("{}-{}-{index}.png", scene.name, args.seed));
    ifs_base::replace::write_again(&file, picture.bytes.as_slice())
        .map_err(|error| write_error(&file, &error))?;
    Ok(file.display().to_string())
}

fn write_error(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::infrastructure(format!("`{}`: {error}", path.display()))
}

fn line(index: u64, file: Option<&str>, picture: &Picture, drawn: &Value) -> serde_json::Value {
    let mut facts = serde_json::Map::new();
    if let Value::Record(fields) = drawn {
        for (name, value) in fields.iter().filter(|(name, _)| *name != "picture") {
            facts.insert(name.to_owned(), serde_json::to_value(value).unwrap_or_default());
        }
    }
    let questions = facts.remove("questions");
    let mut line = json!({ "index": index });
    if let Some(file) = file {
        line["file"] = file.into();
    }
    line["hash"] = picture.hash.clone().into();
    line["facts"] = facts.into();
    line["questions"] = questions.unwrap_or_default();
    line
}
