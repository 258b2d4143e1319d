//! Emoji.

use std::ops::Range;
use std::sync::LazyLock;

use super::charset::CharSet;
use super::words;

/// The graphemes that are displayed as emoji.
pub(super) fn emoji(text: &str) -> Vec<Range<usize>> {
    if text.is_ascii() {
        return Vec::new();
    }
    let mut graphemes = words::graphemes(text);
    graphemes.retain(|range| is_emoji(&text[range.clone()]));
    graphemes
}

/// Displayed as an emoji by itself, or with the variation selector U+FE0F; a regional indicator
/// only in a pair.
fn is_emoji(cluster: &str) -> bool {
    static SHOWN_AS_EMOJI: LazyLock<CharSet> =
        LazyLock::new(|| CharSet::from_class(r"\p{Emoji_Presentation}"));
    static EMOJI_CHARACTERS: LazyLock<CharSet> =
        LazyLock::new(|| CharSet::from_class(r"\p{Emoji}"));
    let mut chars = cluster.chars();
    let Some(first) = chars.next() else {
        return false;
    };
    let is_indicator = |c: char| ('\u{1f1e6}'..='\u{1f1ff}').contains(&c);
    if is_indicator(first) {
        return chars.next().is_some_and(is_indicator);
    }
    match chars.next() {
        Some('\u{fe0f}') => EMOJI_CHARACTERS.contains(first),
        Some('\u{fe0e}') => false,
        // A skin tone makes the character before it an emoji.
        Some('\u{1f3fb}'..='\u{1f3ff}') => EMOJI_CHARACTERS.contains(first),
        _ => SHOWN_AS_EMOJI.contains(first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_judged_whole() {
        for (cluster, yes) in [
            ("😀", true),
            ("☝🏽", true),
            ("☝", false),
            ("#️⃣", true),
            ("🇩", false),
            ("😀\u{fe0e}", false),
            ("©️", true),
            ("é", false),
        ] {
            assert_eq!(is_emoji(cluster), yes, "{cluster:?}");
        }
    }
}
