//! What reports read of a run in addition to its scores: latencies and pictures.

use std::io::ErrorKind;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::exit::CommandError;
use ifs_draw::ShownImage;
use ifs_parts::image::Pictures;
use ifs_plan::Plan;
use ifs_report::chat::Latencies;
use ifs_run::{Folder, RunManifest};

/// The latencies in the journal of a run whose places begin like this; none without a journal.
pub(crate) fn latencies(folder: &Folder, places: &str) -> Result<Latencies, CommandError> {
    match ifs_inference::latencies(&folder.file("journal"), places) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(CommandError::from(error)),
        found => Ok(found.unwrap_or_default()),
    }
}

/// A picture as a `data:` URL; `None` for a URL, which is not fetched.
pub(super) fn picture_data(
    folder: &Folder,
    pictures: &Pictures,
    image: &ShownImage,
) -> Result<Option<String>, CommandError> {
    let data = match image {
        ShownImage::Address(_) => None,
        ShownImage::Drawn { drawing, .. } => {
            let picture = drawing.paint();
            Some((picture.media_type, picture.bytes.as_slice().to_vec()))
        }
        ShownImage::File { name, .. } => match pictures.get(name) {
            Some(picture) => Some((picture.media_type.clone(), folder.read_picture(picture)?)),
            None => None,
        },
    };
    Ok(data.map(|(ty, bytes)| format!("data:{ty};base64,{}", BASE64_STANDARD.encode(&bytes))))
}

/// The plan of a run, if it is the one that the run started with.
pub(crate) fn plan(folder: &Folder, manifest: &RunManifest) -> Result<Plan, CommandError> {
    let plan = folder.plan()?;
    if plan.hash() != manifest.plan_hash {
        return Err(CommandError::input(format!(
            "`{}`: plan.json is not the plan of this run",
            folder.path().display()
        ))
        .help("its hash differs from the one in run.json"));
    }
    Ok(plan)
}
