//! Untrusted text on a terminal.

/// A visible replacement for characters that are invisible or would move the cursor.
pub fn visible(letter: char) -> char {
    match letter {
        '\t' => '\t',
        '\0'..='\u{1f}' => char::from_u32(0x2400 + letter as u32).unwrap_or('\u{FFFD}'),
        '\u{7f}' => '\u{2421}',
        // These reverse the rest of the line, break it, or are invisible in it.
        '\u{80}'..='\u{9f}'
        | '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}' => '\u{FFFD}',
        letter => letter,
    }
}

/// An untrusted text on one line.
pub fn visible_text(text: &str) -> String {
    text.chars().map(visible).collect()
}

/// An untrusted text with its line breaks.
pub fn visible_lines(text: &str) -> String {
    shown(text, |_| 0)
}

/// The same for a text that was coloured after its untrusted parts were made visible: colour
/// sequences (`ESC [ 1 ; 31 m`) are kept.
pub fn visible_painted(text: &str) -> String {
    shown(text, paint)
}

/// A JSON text in which terminal control characters are escaped: the same data.
pub fn visible_json(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\r' => written.push(letter),
            letter if visible(letter) == letter => written.push(letter),
            // All of them are in the first plane, so one escape is enough.
            letter => written.push_str(&format!("\\u{:04x}", letter as u32)),
        }
    }
    written
}

/// `kept` returns how many bytes at the start of a text are kept unchanged.
fn shown(text: &str, kept: impl Fn(&str) -> usize) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        // Most of a text is plain letters, which are copied at once.
        let plain = rest.bytes().position(|byte| !matches!(byte, b'\n' | b'\t' | b' '..=b'~'));
        let (plain, other) = rest.split_at(plain.unwrap_or(rest.len()));
        written.push_str(plain);
        rest = other;
        let Some(letter) = rest.chars().next() else { break };
        let keep = kept(rest);
        if keep > 0 {
            written.push_str(&rest[..keep]);
            rest = &rest[keep..];
            continue;
        }
        match letter {
            // A Windows line ending.
            '\r' if rest.starts_with("\r\n") => {}
            letter => written.push(visible(letter)),
        }
        rest = &rest[letter.len_utf8()..];
    }
    written
}

/// The length of a colour sequence at the start of a text; 0 if there is none.
fn paint(text: &str) -> usize {
    let Some(codes) = text.strip_prefix("\u{1b}[") else { return 0 };
    let digits = codes.bytes().take_while(|it| it.is_ascii_digit() || *it == b';').count();
    if codes[digits..].starts_with('m') { digits + 3 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_escapes_are_removed() {
        let strange = "a\u{1b}[2Jb\u{9b}31m\u{202e}c\u{61c}\u{feff}\td\r\ne\rf\u{7f}";
        assert_eq!(visible_lines(strange), "a␛[2Jb\u{fffd}31m\u{fffd}c\u{fffd}\u{fffd}\td\ne␍f␡");
        assert_eq!(
            visible_painted("\u{1b}[1;31mx\u{1b}[0m\u{1b}]0;t\u{7}"),
            "\u{1b}[1;31mx\u{1b}[0m␛]0;t␇"
        );
    }

    #[test]
    fn json_stays_the_same_data() {
        let strange = "a\u{1b}\u{9b}\u{202e}\u{7f}\u{feff}";
        let json = serde_json::to_string_pretty(&[strange]).unwrap();
        let shown = visible_json(&json);
        assert!(shown.chars().all(|it| it == '\n' || visible(it) == it), "{shown}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&shown).unwrap(), [strange]);
    }
}
