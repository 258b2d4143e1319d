//! Text in columns: its width on a terminal, and how to pad, cut, wrap and draw it.

use unicode_segmentation::UnicodeSegmentation;

pub(super) use ifs_base::source::width;

/// As much as fits; the last column is an ellipsis if something was cut.
pub(super) fn cut(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 1;
    for grapheme in text.graphemes(true) {
        used += width(grapheme);
        if used > most {
            break;
        }
        kept.push_str(grapheme);
    }
    kept.push('…');
    kept
}

/// With the end of a name that is too long: names of one level begin alike.
pub(super) fn truncate_start(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut used = 1;
    for grapheme in text.graphemes(true).rev() {
        used += width(grapheme);
        if used > most {
            break;
        }
        kept.push(grapheme);
    }
    kept.reverse();
    format!("…{}", kept.concat())
}

pub(super) fn pad_right(text: &str, columns: usize) -> String {
    let text = cut(text, columns);
    let fill = columns.saturating_sub(width(&text));
    format!("{text}{}", " ".repeat(fill))
}

pub(super) fn pad_left(text: &str, columns: usize) -> String {
    let text = cut(text, columns);
    let fill = columns.saturating_sub(width(&text));
    format!("{}{text}", " ".repeat(fill))
}

/// Lines of at most `most` columns, broken at spaces; a longer word is cut.
pub fn wrap(text: &str, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let word = cut(word, most);
        if !line.is_empty() && width(&line) + 1 + width(&word) > most {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// The same text with lines of at most `most` columns: longer ones are broken at a blank, and continue
/// two columns further in. A longer word is not broken.
pub fn folded(text: &str, most: usize) -> String {
    let mut folded = String::with_capacity(text.len() + text.len() / 16);
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let mut used = 0;
        for (at, word) in line.split_inclusive(' ').enumerate() {
            let length = width(word.trim_end());
            if at > indent && used > indent + 2 && used + length > most {
                folded.truncate(folded.trim_end_matches(' ').len());
                folded.push('\n');
                folded.push_str(&" ".repeat(indent + 2));
                used = indent + 2;
            }
            folded.push_str(word);
            used += width(word);
        }
    }
    folded
}

/// A bar of `columns` cells, in eighths: `(filled, rest)`.
pub(super) fn bar(share: f64, columns: usize) -> (String, String) {
    const PARTIAL_BLOCKS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let eighths = (share * columns as f64 * 8.0 + 0.5) as usize;
    let whole = "█".repeat(eighths / 8);
    let part = PARTIAL_BLOCKS.get(eighths % 8).copied().unwrap_or_default();
    let filled = format!("{whole}{part}");
    let rest = "·".repeat(columns.saturating_sub(width(&filled)));
    (filled, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_exact() {
        assert_eq!(pad_right("tea", 5), "tea  ");
        assert_eq!(pad_left("tea", 5), "  tea");
        assert_eq!(pad_right("teatime", 4), "tea…");
        assert_eq!(pad_right("茶茶茶", 4), "茶… ");
        for share in [-1.0, 0.0, 0.01, 0.33, 0.5, 0.999, 1.0, 2.0, f64::NAN] {
            let (filled, rest) = bar(share, 10);
            assert_eq!(width(&filled) + width(&rest), 10, "{share}");
        }
        assert_eq!(bar(0.5, 3).0, "█▌");
    }

    #[test]
    fn folding_keeps_what_fits() {
        assert_eq!(folded("a  b\n\n  c d\n", 9), "a  b\n\n  c d\n");
        assert_eq!(
            folded("  one two three four\nfive", 11),
            "  one two\n    three\n    four\nfive"
        );
        assert_eq!(folded("  https://example.org/long x", 10), "  https://example.org/long\n    x");
        assert_eq!(folded("茶茶 茶茶 茶", 9), "茶茶 茶茶\n  茶");
    }

    #[test]
    fn wrapping_keeps_every_word() {
        assert_eq!(wrap("one two  three", 7), ["one two", "three"]);
        assert!(wrap("  ", 7).is_empty());
    }
}
