//! Pictures: looked at before a model is, drawn where a scene says how, written as PNG.
//!
//! A picture of the scenario is a file or an address. Files are decoded whole when the program is
//! checked, so that no dialogue stumbles over a broken one in the middle of a run; addresses are
//! not fetched, and go to the endpoint as they are.

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
pub use decode::{Fault, look};
pub use drawing::{Drawing, FieldKind, SHAPES, Shape, ShapeForm};

/// A picture as definitions, scripts and transcripts speak of it: by what it is, not by its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct Picture {
    /// BLAKE3 of the bytes, in hexadecimal.
    pub hash: String,
    /// `image/png`, `image/jpeg`, `image/webp`
    pub media_type: String,
    pub width: u32,
    pub height: u32,
    /// Not part of a plan: whoever sends or shows the picture has them, or reads them again.
    #[serde(skip)]
    pub bytes: Bytes,
}

/// The bytes of a picture, shared.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Bytes(Arc<[u8]>);

impl Bytes {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} bytes", self.0.len())
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        Bytes(bytes.into())
    }
}

impl Picture {
    /// How a picture is called in a folder of pictures: by its hash.
    pub fn file_name(&self) -> String {
        let ending = self.media_type.rsplit_once('/').map_or("", |(_, ending)| ending);
        format!("{}.{ending}", &self.hash)
    }
}

/// The pictures of a program by their names within the scenario.
pub type Pictures = BTreeMap<String, Picture>;

/// Whether an image is an address, which no one but the endpoint looks after.
pub fn is_address(image: &str) -> bool {
    let scheme = image.split_once("://").map_or("", |(scheme, _)| scheme);
    scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")
}
