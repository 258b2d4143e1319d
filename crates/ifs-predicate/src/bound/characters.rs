//! Random texts with characters of every class that Python, Unicode and regular expressions tell apart,
//! for the laws of the analysis.

use ifs_value::random::SplitMix64;

/// Characters and sequences by what tells them apart. `\s` of regular expressions is `White_Space`,
/// and `str.isspace` of Python also has U+001C to U+001F; `str.splitlines` ends lines at more of them
/// than `str.split("\n")`; `\w` of both has other marks and numbers.
pub(super) const CHARACTERS: &[&[&str]] = &[
    // Letters: their case, no case, titles, letters whose case changes their number or their letter.
    &["a", "e", "S", "s", "o", "O", "E"],
    &[
        "é", "É", "ß", "ẞ", "ſ", "İ", "ı", "ŉ", "ﬁ", "ǆ", "ǅ", "Ǆ", "Σ", "σ", "ς", "K", "Å", "µ",
        "μ",
    ],
    &["я", "Ж", "ա", "Ა", "ა", "Ꭰ", "ꭰ", "𐐀", "𐐨"],
    // Letters without case, modifiers, and those with the case of a symbol or a number.
    &[
        "日", "本", "カ", "ｶ", "ー", "の", "한", "ᄒ", "א", "ع", "ٱ", "ก", "क", "த", "ʰ", "ª", "ⅷ",
        "Ⅷ", "ⓐ", "Ⓐ",
    ],
    // Marks that combine, vowel signs, and those that surround.
    &[
        "\u{301}", "\u{308}", "\u{345}", "\u{93f}", "\u{94d}", "\u{e31}", "\u{20dd}", "\u{fe0f}",
        "\u{fe0e}",
    ],
    // Digits, decimal and not, and other numbers.
    &["7", "1", "0", "٣", "७", "７", "𝟗", "²", "½", "①", "〇", "三", "৹", "௰"],
    // What joins and what divides words.
    &[
        "_", "‿", "＿", "-", "‐", "–", "—", "'", "’", "ʼ", "·", "\u{ad}", "\u{200b}", "\u{200c}",
        "\u{200d}", "\u{2060}",
    ],
    // Ends of sentences, and what follows them.
    &[".", "!", "?", "…", "。", "！", "？", "।", "؟", "։", "‽", "⸮", "．", "｡", "...", "?!"],
    &[
        ",", ";", ":", "、", "，", "：", "¿", "¡", "«", "»", "“", "”", "\"", "「", "」", "(", ")",
        "[", "]", "{", "}",
    ],
    // Signs of Markdown, JSON, CSV and tags.
    &[
        "#", "*", "**", "+", "=", "`", "```", "~~~", "~", "|", ">", "<", "&", "\\", "/", "@", "$",
        "%", "^", "•", "◦",
    ],
    // Blanks within a line, of both and of Python alone.
    &[
        " ", "  ", "\t", "\u{a0}", "\u{1680}", "\u{2003}", "\u{202f}", "\u{3000}", "\u{1c}",
        "\u{1d}", "\u{1e}", "\u{1f}",
    ],
    // Line ends.
    &[
        "\n", "\r", "\r\n", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}", "\n\n", "\n\n\n",
        "\r\n\r\n", "\n \n",
    ],
    // Emoji, alone and in sequences, and other symbols.
    &["😀", "❤", "❤️", "👍🏽", "👩‍👩‍👧", "🇩🇪", "🇩", "1️⃣", "☀", "©", "™", "→", "∑", "€", "★", "●"],
    // Controls, formats, private and unassigned ones.
    &[
        "\0", "\u{7}", "\u{1b}", "\u{7f}", "\u{feff}", "\u{202e}", "\u{61c}", "\u{e000}",
        "\u{378}", "\u{fffd}", "\u{fffe}",
    ],
];

/// Starts of lines that make them something else.
const LINE_STARTS: &[&str] = &[
    "# ", "## ", "- ", "* ", "*", "-", "+ ", "1. ", "2) ", "> ", "    ", "  - ", "| ", "|", "```",
    "~~~", "***", "---", "===", "[x] ", "{", "[", "\"", "P.S. ", "<p>",
];

/// Words and short texts that are repeated, so that counts meet.
const PARTS: &[&str] = &[
    "so",
    "So",
    "S",
    "s",
    "7",
    "77",
    "sea",
    "Sea",
    "a.b",
    "e.g.",
    "3.14",
    "1,000",
    "so.",
    "So!",
    "a@b.de",
    "don't",
    "| a | b |",
    "|---|---|",
    "<b>so</b>",
    "<b>",
    "</p>",
    "<br>",
    "&amp;",
    "\"\"",
    "<!--",
    "-->",
    "\"s\"",
    "{\"s\": 7}",
    "[7]",
    "**so**",
    "*so*",
    "_so_",
    "`so`",
    "[so]",
    "2024-01-02",
];

/// Random choices.
pub(super) struct Dice(pub(super) SplitMix64);

impl Dice {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0.integer_below(bound.max(1) as u64) as usize
    }

    pub(super) fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    /// A character of a class, each class as often as the others.
    pub(super) fn character(&mut self) -> &'static str {
        let class = CHARACTERS[self.below(CHARACTERS.len())];
        self.pick(class)
    }

    /// A text of a few lines.
    pub(super) fn text(&mut self) -> String {
        let mut text = String::new();
        // Few different characters meet more often in one text.
        let few: Vec<&str> = (0..2 + self.below(4)).map(|_| self.character()).collect();
        for _ in 0..self.below(18) {
            let part = match self.below(12) {
                0 => LINE_STARTS[self.below(LINE_STARTS.len())],
                1..=3 => self.pick(PARTS),
                4 => [". ", " ", "\n", "\n\n", ", "][self.below(5)],
                5..=8 => self.pick(&few),
                9 => {
                    text.push('\n');
                    self.pick(LINE_STARTS)
                }
                _ => self.character(),
            };
            text.push_str(part);
        }
        text
    }

    /// A text with some characters put into it.
    pub(super) fn insert_characters(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..self.below(4) {
            let places: Vec<usize> =
                text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let place = places[self.below(places.len())];
            text.insert_str(place, self.character());
        }
        text
    }
}

/// The random text of a seed.
pub(super) fn text_of(seed: u64) -> String {
    Dice(SplitMix64::new(seed)).text()
}
