//! From the bytes of a file to its text.

use std::borrow::Cow;

use super::notice::FeedError;

/// Decodes the text of a feed's file: UTF-8 with or without a byte order mark, or UTF-16 with one.
///
/// # Errors
/// Returns an error if it has another encoding, or is empty.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, FeedError> {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => Cow::Owned(utf16(rest, u16::from_le_bytes)?),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(utf16(rest, u16::from_be_bytes)?),
        [0x1f, 0x8b, ..] => {
            return Err(FeedError::new(1, "it is compressed, but its name does not say so")
                .help("rename it to `….gz`, or decompress it"));
        }
        _ => {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            match std::str::from_utf8(bytes) {
                Ok(text) => Cow::Borrowed(text),
                Err(error) => {
                    let line = 1 + bytes[..error.valid_up_to()]
                        .iter()
                        .filter(|byte| **byte == b'\n')
                        .count();
                    return Err(
                        FeedError::new(line, "it is not UTF-8 text").help("save the file as UTF-8")
                    );
                }
            }
        }
    };
    if text.trim().is_empty() {
        return Err(FeedError::new(1, "the file is empty").help("download it again"));
    }
    if let Some(at) = memchr::memchr(0, text.as_bytes()) {
        let line = 1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count();
        return Err(FeedError::new(
            line,
            "there is a zero byte in it: UTF-16 without its mark, or no text",
        )
        .help("save the file as UTF-8"));
    }
    Ok(text)
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, FeedError> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| unit(*pair));
    let text: Result<String, _> = char::decode_utf16(units).collect();
    match text {
        Ok(text) if rest.is_empty() => Ok(text),
        _ => Err(FeedError::new(1, "it begins like UTF-16 text but is not")
            .help("save the file as UTF-8")),
    }
}

/// The first characters of a text, to show what was found.
pub fn starts(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{} …", &text[..at]),
        None => text.to_owned(),
    }
}
