//! Texts of strangers in a terminal.

/// What cannot be seen, or would move the cursor, is shown as a sign for it.
pub fn visible(letter: char) -> char {
    match letter {
        '\t' => '\t',
        '\0'..='\u{1f}' => char::from_u32(0x2400 + letter as u32).unwrap_or('\u{FFFD}'),
        '\u{7f}' => '\u{2421}',
        // They would turn the rest of the line round.
        '\u{80}'..='\u{9f}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{2066}'..='\u{2069}' => '\u{FFFD}',
        letter => letter,
    }
}

/// A text of strangers on one line.
pub fn visible_text(text: &str) -> String {
    text.chars().map(visible).collect()
}

/// A text of strangers whose lines stay lines.
pub fn visible_lines(text: &str) -> String {
    text.chars().map(|letter| if letter == '\n' { letter } else { visible(letter) }).collect()
}
