//! Pictures: validated before they are sent, drawn from scenes, and encoded as PNG.
//!
//! A picture of the scenario is a file or a URL. Files are decoded completely when the scenario is
//! checked, so that a broken one does not stop a run. URLs are not fetched, and are sent to the
//! endpoint unchanged.

mod canvas;
mod colour;
mod decode;
mod drawing;
mod font;
mod png;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use colour::{COLOURS, colour};
pub use decode::{ImageError, decode};
pub use drawing::{Drawing, DrawnShape, FieldKind, SHAPES, ShapeForm};

/// A picture in definitions, scripts and transcripts: its hash and type, without the bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct Picture {
    /// BLAKE3 of the bytes, in hexadecimal.
    pub hash: String,
    /// `image/png`, `image/jpeg`, `image/webp`
    pub media_type: String,
    pub width: u32,
    pub height: u32,
    /// Not part of a plan; read again where the picture is sent or shown.
    #[serde(skip)]
    pub bytes: ImageBytes,
}

/// The bytes of a picture, shared.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ImageBytes(Arc<[u8]>);

impl ImageBytes {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for ImageBytes {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} bytes", self.0.len())
    }
}

impl From<Vec<u8>> for ImageBytes {
    fn from(bytes: Vec<u8>) -> ImageBytes {
        ImageBytes(bytes.into())
    }
}

impl Picture {
    /// The file name of a picture in a folder of pictures: its hash.
    pub fn file_name(&self) -> String {
        let ending = self.media_type.rsplit_once('/').map_or("", |(_, ending)| ending);
        format!("{}.{ending}", &self.hash)
    }
}

/// The pictures of a scenario by name.
pub type Pictures = BTreeMap<String, Picture>;

/// Whether an image is a URL, which only the endpoint fetches.
pub fn is_address(image: &str) -> bool {
    let scheme = image.split_once("://").map_or("", |(scheme, _)| scheme);
    scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")
}
