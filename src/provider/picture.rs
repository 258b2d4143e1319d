//! Pictures in requests.

use base64::prelude::{BASE64_STANDARD, Engine as _};

use super::{CallFailure, Image};
use crate::image::Pictures;
use crate::script;

impl Image {
    /// Loads a picture; the bytes of files are in `pictures`.
    ///
    /// # Errors
    /// Returns an error if the picture is not the one in the script.
    pub fn of(shown: &script::Image, pictures: &Pictures) -> Result<Image, CallFailure> {
        let picture = match shown {
            script::Image::Address(address) => return Ok(Image::Address(address.clone())),
            script::Image::Drawn { drawing, .. } => drawing.paint(),
            script::Image::File { name, hash } => match pictures.get(name) {
                Some(known) if known.hash == *hash && !known.bytes.is_empty() => known.clone(),
                _ => {
                    let why = format!("the picture `{name}` is not the one that was checked");
                    return Err(CallFailure::permanent(why));
                }
            },
        };
        let base64 = BASE64_STANDARD.encode(picture.bytes.as_slice());
        Ok(Image::Data { media_type: picture.media_type, base64 })
    }
}
