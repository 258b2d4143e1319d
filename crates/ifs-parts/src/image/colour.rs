//! The colours of pictures: few and distinct, each with a common name.

/// A colour's name, and its red, green and blue.
pub const COLOURS: &[(&str, [u8; 3])] = &[
    ("white", [255, 255, 255]),
    ("black", [0, 0, 0]),
    ("grey", [150, 150, 150]),
    ("pale grey", [226, 226, 226]),
    ("dark grey", [84, 84, 84]),
    ("red", [212, 38, 38]),
    ("orange", [240, 136, 24]),
    ("yellow", [246, 210, 36]),
    ("green", [44, 150, 60]),
    ("blue", [36, 84, 196]),
    ("pale blue", [176, 212, 244]),
    ("purple", [128, 52, 160]),
    ("pink", [244, 144, 184]),
    ("brown", [128, 80, 40]),
    ("beige", [240, 224, 192]),
    ("teal", [20, 136, 140]),
];

/// The index of a colour in the table.
pub fn colour(word: &str) -> Option<u8> {
    COLOURS.iter().position(|(known, _)| *known == word).and_then(|at| u8::try_from(at).ok())
}
