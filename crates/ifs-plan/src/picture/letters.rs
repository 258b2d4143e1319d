//! The width of a text in a sans-serif font, so that pictures can be made without a font. The
//! widths are those of Helvetica, which Arial, Liberation Sans and similar fonts share.

/// In thousandths of the font size, from the space to the tilde.
const GLYPH_WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, // to /
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, // to ?
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, // to O
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, // to _
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, // to o
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, // to ~
];

/// A margin, since other fonts may be a little wider.
const WIDTH_MARGIN: f64 = 1.06;
const BOLD_FACTOR: f64 = 1.08;

pub(super) fn width(text: &str, size: f64) -> f64 {
    let thousandths: u32 = text.chars().map(|letter| u32::from(letter_width(letter))).sum();
    f64::from(thousandths) / 1000.0 * size * WIDTH_MARGIN
}

pub(super) fn bold_width(text: &str, size: f64) -> f64 {
    width(text, size) * BOLD_FACTOR
}

/// The length at which a text is drawn, whatever the font; `None` if it has letters whose widths are
/// only estimated.
pub(super) fn length(text: &str, size: f64, is_bold: bool) -> Option<f64> {
    let wide = if is_bold { bold_width(text, size) } else { width(text, size) };
    let is_known = text.chars().all(|letter| (' '..='~').contains(&letter));
    (is_known && !text.is_empty()).then_some(wide / WIDTH_MARGIN)
}

fn letter_width(letter: char) -> u16 {
    let place = u32::from(letter).checked_sub(32).and_then(|place| usize::try_from(place).ok());
    match place.and_then(|place| GLYPH_WIDTHS.get(place)) {
        Some(width) => *width,
        // From Hangul on, most characters are square.
        None if u32::from(letter) >= 0x1100 => 1000,
        None => 640,
    }
}

#[cfg(test)]
mod tests {
    use super::{length, width};

    #[test]
    fn widths() {
        assert!(width("iii", 10.0) < width("mmm", 10.0));
        assert!(width("中文", 10.0) >= 20.0);
        assert!(length("iii", 10.0, true) > length("iii", 10.0, false));
        assert_eq!((length("中文", 10.0, false), length("", 10.0, false)), (None, None));
    }
}
