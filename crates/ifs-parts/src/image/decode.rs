//! Whether bytes are a picture that every endpoint accepts. The type is detected from the first
//! bytes, not from the file name, and the complete picture is decoded.

use std::io::Cursor;

use super::Picture;

/// The maximum size: 5 MiB in base64, the lowest limit of the providers.
pub const MAX_IMAGE_BYTES: usize = (5 << 20) / 4 * 3;

/// The maximum number of pixels along a side, which is Anthropic's limit.
pub const MAX_SIDE_PIXELS: u32 = 8_000;

/// The maximum number of pixels, so that a small file cannot use gigabytes.
pub const MAX_PIXELS: u64 = 25_000_000;

/// What is wrong with a picture, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageError {
    pub message: String,
    pub help: String,
}

impl ImageError {
    fn new(message: impl Into<String>, help: impl Into<String>) -> ImageError {
        ImageError { message: message.into(), help: help.into() }
    }
}

/// Validates a picture.
pub fn decode(bytes: Vec<u8>) -> Result<Picture, ImageError> {
    if bytes.is_empty() {
        return Err(ImageError::new("the file is empty", "save the picture again"));
    }
    if bytes.len() > MAX_IMAGE_BYTES {
        return Err(ImageError::new(
            format!("it has {} KiB; at most {} are sent", bytes.len() >> 10, MAX_IMAGE_BYTES >> 10),
            "save it smaller",
        ));
    }
    let (media_type, (width, height)) = match &bytes[..] {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => ("image/png", png(&bytes)?),
        [0xff, 0xd8, 0xff, ..] => ("image/jpeg", jpeg(&bytes)?),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => {
            ("image/webp", webp(&bytes)?)
        }
        _ => return Err(unknown(&bytes)),
    };
    Ok(Picture {
        hash: blake3::hash(&bytes).to_hex().to_string(),
        media_type: media_type.to_owned(),
        width,
        height,
        bytes: bytes.into(),
    })
}

fn unknown(bytes: &[u8]) -> ImageError {
    let help = "pictures are PNG, JPEG or WebP files, which every provider accepts";
    let what = match bytes {
        [b'G', b'I', b'F', b'8', ..] => "it is a GIF",
        [b'B', b'M', ..] => "it is a BMP",
        [b'%', b'P', b'D', b'F', ..] => "it is a PDF",
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => "it is a HEIC, an AVIF or a video",
        [b'I', b'I', b'*', 0, ..] | [b'M', b'M', 0, b'*', ..] => "it is a TIFF",
        _ => match std::str::from_utf8(bytes) {
            Ok(text) if text.contains("<svg") => "it is an SVG",
            Ok(_) => "it is text, despite its extension",
            Err(_) => "it does not begin as a picture does",
        },
    };
    ImageError::new(what, help)
}

/// Refuses a picture that is too large before it is decoded.
fn sized(width: u32, height: u32) -> Result<(u32, u32), ImageError> {
    if width == 0 || height == 0 {
        return Err(broken(format!("it is {width} by {height} pixels")));
    }
    if width > MAX_SIDE_PIXELS || height > MAX_SIDE_PIXELS {
        return Err(ImageError::new(
            format!("it is {width} by {height} pixels; a side has at most {MAX_SIDE_PIXELS}"),
            "scale it down",
        ));
    }
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(ImageError::new(
            format!("it is {width} by {height} pixels; at most {MAX_PIXELS} in total"),
            "scale it down",
        ));
    }
    Ok((width, height))
}

fn broken(why: impl std::fmt::Display) -> ImageError {
    ImageError::new(
        format!("it cannot be decoded: {why}"),
        "the file may be cut off: copy or save it again",
    )
}

fn png(bytes: &[u8]) -> Result<(u32, u32), ImageError> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    let info = decoder.read_header_info().map_err(broken)?;
    let size = sized(info.width, info.height)?;
    let mut reader = decoder.read_info().map_err(broken)?;
    while reader.next_interlaced_row().map_err(broken)?.is_some() {}
    reader.finish().map_err(broken)?;
    // The last chunk with its checksum: decoders do not require it.
    if !bytes.windows(8).any(|eight| eight == b"IEND\xae\x42\x60\x82") {
        return Err(broken("it ends too early"));
    }
    Ok(size)
}

fn jpeg(bytes: &[u8]) -> Result<(u32, u32), ImageError> {
    let mut decoder = zune_jpeg::JpegDecoder::new(Cursor::new(bytes));
    decoder.decode_headers().map_err(broken)?;
    let (width, height) = decoder.dimensions().ok_or_else(|| broken("it has no size"))?;
    let side = |side: usize| u32::try_from(side).unwrap_or(u32::MAX);
    let size = sized(side(width), side(height))?;
    // Decoders fill the missing part of a truncated file with grey; such a file has no end marker
    // after its last data.
    let last = bytes.windows(2).rposition(|two| two == [0xff, 0xda]);
    if !bytes[last.unwrap_or(0)..].windows(2).any(|two| two == [0xff, 0xd9]) {
        return Err(broken("it ends too early"));
    }
    decoder.decode().map_err(broken)?;
    Ok(size)
}

fn webp(bytes: &[u8]) -> Result<(u32, u32), ImageError> {
    // The size that the file declares, without its eight header bytes.
    let said = bytes.get(4..8).and_then(|four| <[u8; 4]>::try_from(four).ok());
    let said = said.map_or(u64::MAX, |four| u64::from(u32::from_le_bytes(four)) + 8);
    if said > bytes.len() as u64 {
        return Err(broken("it ends too early"));
    }
    let mut decoder = image_webp::WebPDecoder::new(Cursor::new(bytes)).map_err(broken)?;
    let (width, height) = decoder.dimensions();
    let size = sized(width, height)?;
    if decoder.is_animated() {
        return Err(ImageError::new("it is a video, not a picture", "save one frame of it"));
    }
    let mut pixels = vec![0; decoder.output_buffer_size().ok_or_else(|| broken("too large"))?];
    decoder.read_image(&mut pixels).map_err(broken)?;
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = include_bytes!("../../../../tests/ui/data/pictures/good.png");
    const JPEG: &[u8] = include_bytes!("../../../../tests/ui/data/pictures/good.jpg");

    fn webp() -> Vec<u8> {
        let mut bytes = Vec::new();
        let pixels: Vec<u8> = (0..24 * 16 * 3_u32).map(|at| (at * 7 % 251) as u8).collect();
        let encoder = image_webp::WebPEncoder::new(&mut bytes);
        encoder.encode(&pixels, 24, 16, image_webp::ColorType::Rgb8).unwrap();
        bytes
    }

    #[test]
    fn three_formats_are_detected_by_content() {
        let seen = |bytes: &[u8]| {
            let picture = decode(bytes.to_vec()).unwrap();
            (picture.media_type, picture.width, picture.height)
        };
        assert_eq!(seen(PNG), ("image/png".to_owned(), 24, 16));
        assert_eq!(seen(JPEG), ("image/jpeg".to_owned(), 96, 64));
        assert_eq!(seen(&webp()), ("image/webp".to_owned(), 24, 16));
    }

    /// A picture that is truncated anywhere is refused, even if a decoder accepts it.
    #[test]
    fn truncated_pictures_are_refused() {
        for whole in [PNG, JPEG, &webp()] {
            for length in 0..whole.len() {
                assert!(decode(whole[..length].to_vec()).is_err(), "{length} of {}", whole.len());
            }
        }
    }

    /// With any byte changed, the result is an error or a correct size.
    #[test]
    fn a_picture_with_a_wrong_byte() {
        for whole in [PNG, JPEG, &webp()] {
            for at in 0..whole.len() {
                let mut bytes = whole.to_vec();
                bytes[at] ^= 0xa5;
                if let Ok(picture) = decode(bytes) {
                    assert!(picture.width <= MAX_SIDE_PIXELS && picture.height <= MAX_SIDE_PIXELS);
                }
            }
        }
    }

    #[test]
    fn invalid_pictures_are_reported() {
        let why = |bytes: &[u8]| decode(bytes.to_vec()).unwrap_err().message;
        assert!(why(b"<svg xmlns='http://www.w3.org/2000/svg'/>").contains("SVG"));
        assert!(why(b"%PDF-1.7").contains("PDF"));
        assert!(why(b"\0\0\0\x18ftypheic").contains("HEIC"));
        assert!(why(b"Dear all,").contains("text"));
        assert!(why(&vec![0; MAX_IMAGE_BYTES + 1]).contains("KiB"));
    }
}
