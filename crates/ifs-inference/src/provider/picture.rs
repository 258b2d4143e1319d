//! Pictures in requests.

use base64::prelude::{BASE64_STANDARD, Engine as _};

use super::{CallFailure, MessageImage};
use ifs_draw as script;
use ifs_parts::image::Pictures;

impl MessageImage {
    /// Loads a picture; the bytes of files are in `pictures`.
    ///
    /// # Errors
    /// Returns an error if the picture is not the one in the script.
    pub fn load(
        shown: &script::ShownImage,
        pictures: &Pictures,
    ) -> Result<MessageImage, CallFailure> {
        let picture = match shown {
            script::ShownImage::Address(address) => {
                return Ok(MessageImage::Address(address.clone()));
            }
            script::ShownImage::Drawn { drawing, .. } => drawing.paint(),
            script::ShownImage::File { name, hash } => match pictures.get(name) {
                Some(known) if known.hash == *hash && !known.bytes.is_empty() => known.clone(),
                _ => {
                    let why = format!("the picture `{name}` is not the one that was checked");
                    return Err(CallFailure::permanent(why));
                }
            },
        };
        let base64 = BASE64_STANDARD.encode(picture.bytes.as_slice());
        Ok(MessageImage::Data { media_type: picture.media_type, base64 })
    }
}
