//! Lines with a checksum, of which a changed byte is noticed.

/// Hexadecimal digits of a checksum.
pub const CHECKSUM_DIGITS: usize = 16;

pub fn checksum(text: &str) -> String {
    let mut hex = blake3::hash(text.as_bytes()).to_hex().to_string();
    hex.truncate(CHECKSUM_DIGITS);
    hex
}

/// A text of one line, after its checksum.
pub fn line(text: &str) -> String {
    format!("{} {text}\n", checksum(text))
}

/// The text of such a line. Line ends and a byte order mark, which a copy may add, are ignored.
///
/// # Errors
/// Says that it is not what was written.
pub fn open(line: &str) -> Result<&str, &'static str> {
    let line = line.strip_prefix('\u{feff}').unwrap_or(line);
    let (sum, text) = line
        .trim_end_matches(['\r', '\n'])
        .split_once(' ')
        .filter(|(sum, _)| sum.len() == CHECKSUM_DIGITS)
        .ok_or("it has no checksum")?;
    if sum == checksum(text) { Ok(text) } else { Err("its checksum does not match") }
}
