//! Short excerpts of a response.

use unicode_segmentation::UnicodeSegmentation;

/// The longest excerpt, in graphemes.
const MAX_EXCERPT: usize = 40;
/// The longest part of a check that is printed.
const MAX_CHECK_EXCERPT: usize = 80;
/// The longest part of the instruction that is quoted.
const MAX_INSTRUCTION_EXCERPT: usize = 200;
/// The longest start or end that is shown.
const MAX_EDGE_EXCERPT: usize = 24;

/// At most 40 characters of the start, on one line; a cut is marked by `…`.
pub(crate) fn excerpt(text: &str) -> String {
    shorten(text.graphemes(true), MAX_EXCERPT)
}

/// A part of the check, truncated if it is long: a model will read it.
pub(super) fn code(text: &str) -> String {
    shorten(text.graphemes(true), MAX_CHECK_EXCERPT)
}

/// The instruction, on one line.
pub(super) fn instruction_line(text: &str) -> String {
    shorten(text.graphemes(true), MAX_INSTRUCTION_EXCERPT)
}

/// The first few words.
pub(super) fn first_words(text: &str) -> String {
    shorten(text.trim_start().graphemes(true), MAX_EDGE_EXCERPT)
}

/// The last few words.
pub(super) fn tail(text: &str) -> String {
    let text = text.trim_end();
    let mut kept: Vec<&str> = Vec::new();
    let mut all = text.graphemes(true).rev();
    for grapheme in all.by_ref().take(MAX_EDGE_EXCERPT) {
        kept.push(grapheme);
    }
    let cut = all.next().is_some();
    if cut {
        kept.pop();
    }
    kept.reverse();
    let shown: String = kept.iter().map(|grapheme| visible(grapheme)).collect();
    if cut { format!("…{}", shown.trim_start()) } else { shown }
}

fn shorten<'t>(mut graphemes: impl Iterator<Item = &'t str>, length: usize) -> String {
    let mut shown: Vec<&str> = graphemes.by_ref().take(length).map(visible).collect();
    if graphemes.next().is_none() {
        return shown.concat().trim().to_owned();
    }
    shown.pop();
    format!("{}…", shown.concat().trim_end())
}

/// Line ends are shown as blanks; a grapheme of many marks is cut to what fits.
fn visible(grapheme: &str) -> &str {
    match grapheme {
        "\n" | "\r\n" | "\r" | "\t" => " ",
        // A letter under a thousand accents is one grapheme.
        grapheme if grapheme.len() > 64 => "…",
        grapheme => grapheme,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_short_and_whole_graphemes() {
        assert_eq!(excerpt("one\ntwo"), "one two");
        let long = "👨‍👩‍👧".repeat(50);
        assert_eq!(excerpt(&long).graphemes(true).count(), 40);
        assert_eq!(first_words("  So it goes on and on and on"), "So it goes on and on an…");
        assert_eq!(tail("So it goes on and on and on  "), "…t goes on and on and on");
        assert_eq!(tail("short"), "short");
    }
}
