//! The table of units of text: names and documentation.

use crate::aspect::{Aspect, Aspects};

/// A unit of text. `Unit::Word` is the sensible definition; a variant such as `Unit::WordPattern`
/// is an alternative definition, selected by name (`word.pattern`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    Char,
    Grapheme,
    Letter,
    Word,
    WordPart,
    WordPattern,
    WordSpace,
    WordIcu,
    Token,
    Sentence,
    SentencePunkt,
    SentenceSimple,
    Paragraph,
    ParagraphReleased,
    Line,
    LineAll,
    LineEntry,
    Item,
    ItemBullet,
    ItemNumbered,
    ItemNested,
    ItemReleased,
    Section,
    Heading,
    CodeBlock,
    Table,
    TableRow,
    Number,
    NumberDigits,
    Date,
    Quote,
    Emoji,
    Placeholder,
    PlaceholderReleased,
    Highlight,
    HighlightItalic,
    HighlightBold,
}

/// One row of [`UNITS`], for reference pages, completion and tests.
#[derive(Debug, Clone, Copy)]
pub struct UnitEntry {
    pub unit: Unit,
    /// Its name in the language; a dot separates the unit from its variant.
    pub name: &'static str,
    /// The English singular, for messages.
    pub one: &'static str,
    /// The English plural.
    pub many: &'static str,
    /// The definition, with its edge cases.
    pub doc: &'static str,
    /// Texts, each with its count of this unit.
    pub examples: &'static [(&'static str, usize)],
}

impl Unit {
    /// The number of units: the length of [`UNITS`], which cannot be used here because the
    /// definition would be circular.
    pub const COUNT: usize = Unit::HighlightBold as usize + 1;

    /// The unit with this name, or `None`.
    pub fn from_name(name: &str) -> Option<Unit> {
        UNITS.iter().find(|e| e.name == name).map(|e| e.unit)
    }

    /// Its name in the language.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The English noun for `n` of them: `word` for 1, `words` for any other number.
    pub fn noun(self, n: usize) -> &'static str {
        if n == 1 { self.entry().one } else { self.entry().many }
    }

    /// The definition, with its edge cases.
    pub fn doc(self) -> &'static str {
        self.entry().doc
    }

    /// What of a text's form decides how many of this unit it has.
    pub fn sees(self) -> Aspects {
        use Aspect::{Case, Characters, Code, Glyphs, Letters, Lines, Marks};
        use Aspect::{Sentences, Signs, Values, Words};
        Aspects::of(match self {
            Unit::Char => &[Characters, Code, Glyphs],
            Unit::Grapheme => &[Characters],
            Unit::Letter => &[Words, Letters, Values],
            Unit::Word | Unit::WordPart | Unit::WordIcu => &[Words, Values],
            Unit::WordPattern => &[Words, Marks, Code, Values],
            Unit::WordSpace => &[Words, Marks, Values],
            Unit::Token => &[Words, Sentences, Signs, Glyphs, Marks, Code, Values],
            Unit::Sentence => &[Sentences, Lines],
            Unit::SentencePunkt => &[Sentences, Lines, Marks, Case, Code],
            Unit::SentenceSimple => &[Sentences, Lines, Marks, Case],
            Unit::Paragraph | Unit::ParagraphReleased | Unit::Line => &[Lines, Marks],
            Unit::LineAll => &[Lines, Marks, Code],
            Unit::LineEntry => &[Lines],
            Unit::Item | Unit::ItemBullet | Unit::ItemNumbered => &[Marks],
            Unit::ItemReleased => &[Words, Sentences, Lines, Marks, Code],
            Unit::Section | Unit::Heading | Unit::CodeBlock => &[Marks],
            Unit::Table | Unit::TableRow => &[Marks],
            Unit::Number => &[Values],
            Unit::Date => &[Values, Glyphs],
            Unit::NumberDigits => &[Values, Marks],
            Unit::Quote => &[Signs],
            Unit::Emoji | Unit::Placeholder | Unit::PlaceholderReleased | Unit::ItemNested => &[],
            Unit::Highlight | Unit::HighlightBold => &[Marks],
            Unit::HighlightItalic => &[Marks, Code],
        })
    }

    /// Whether prose consists of it: any text that is added has some.
    pub fn is_in_prose(self) -> bool {
        match self {
            Unit::Char
            | Unit::Grapheme
            | Unit::Letter
            | Unit::Word
            | Unit::WordPart
            | Unit::WordPattern
            | Unit::WordSpace
            | Unit::WordIcu
            | Unit::Token
            | Unit::Sentence
            | Unit::SentencePunkt
            | Unit::SentenceSimple
            | Unit::Paragraph
            | Unit::ParagraphReleased
            | Unit::Line
            | Unit::LineAll
            | Unit::LineEntry => true,
            Unit::Item
            | Unit::ItemBullet
            | Unit::ItemNumbered
            | Unit::ItemNested
            | Unit::ItemReleased
            | Unit::Section
            | Unit::Heading
            | Unit::CodeBlock
            | Unit::Table
            | Unit::TableRow
            | Unit::Number
            | Unit::NumberDigits
            | Unit::Date
            | Unit::Quote
            | Unit::Emoji
            | Unit::Placeholder
            | Unit::PlaceholderReleased
            | Unit::Highlight
            | Unit::HighlightItalic
            | Unit::HighlightBold => false,
        }
    }

    /// Whether it is read from what a text says. The others are read from what is written.
    pub fn is_of_content(self) -> bool {
        match self {
            Unit::Letter
            | Unit::Word
            | Unit::WordPart
            | Unit::Sentence
            | Unit::Paragraph
            | Unit::Line
            | Unit::Item
            | Unit::ItemBullet
            | Unit::ItemNumbered
            | Unit::ItemNested
            | Unit::Section
            | Unit::Heading
            | Unit::Table
            | Unit::TableRow
            | Unit::Number
            | Unit::Date
            | Unit::Quote
            | Unit::Emoji => true,
            Unit::Char
            | Unit::Grapheme
            | Unit::WordPattern
            | Unit::WordSpace
            | Unit::WordIcu
            | Unit::Token
            | Unit::SentencePunkt
            | Unit::SentenceSimple
            | Unit::ParagraphReleased
            | Unit::LineAll
            | Unit::LineEntry
            | Unit::ItemReleased
            | Unit::CodeBlock
            | Unit::NumberDigits
            | Unit::Placeholder
            | Unit::PlaceholderReleased
            | Unit::Highlight
            | Unit::HighlightItalic
            | Unit::HighlightBold => false,
        }
    }

    /// The row of this unit.
    pub fn entry(self) -> &'static UnitEntry {
        // INVARIANT: UNITS lists the variants in the order of their declaration (tested below).
        &UNITS[self as usize]
    }
}

const fn entry(
    unit: Unit,
    name: &'static str,
    nouns: (&'static str, &'static str),
    doc: &'static str,
    examples: &'static [(&'static str, usize)],
) -> UnitEntry {
    UnitEntry { unit, name, one: nouns.0, many: nouns.1, doc, examples }
}

/// Every unit, in the order of [`Unit`]'s variants.
pub const UNITS: &[UnitEntry] = &[
    entry(
        Unit::Char,
        "char",
        ("character", "characters"),
        "A Unicode code point, blanks and line ends included. A letter with a combining accent is \
         two; a flag is two. For what a reader sees as one character use `grapheme`.",
        &[("", 0), ("abc", 3), ("e\u{301}", 2), ("a b\n", 4), ("😀", 1), ("日本", 2)],
    ),
    entry(
        Unit::Grapheme,
        "grapheme",
        ("visible character", "visible characters"),
        "An extended grapheme cluster: what a reader sees as one character. A letter with its \
         accents, a flag, a family emoji and a CR LF pair are one each.",
        &[("", 0), ("e\u{301}", 1), ("🇩🇪", 1), ("👨‍👩‍👧", 1), ("a\r\nb", 3)],
    ),
    entry(
        Unit::Letter,
        "letter",
        ("letter", "letters"),
        "A code point of general category L, of any script. Digits, marks, `_` and emoji are not \
         letters.",
        &[("a1_é!", 2), ("日本", 2), ("123", 0), ("e\u{301}", 1)],
    ),
    entry(
        Unit::Word,
        "word",
        ("word", "words"),
        "A word as people count them: contractions, decimals, dates, times and compounds with hyphens \
         are one word each; punctuation, emoji and the numerals of lists are not words. Without a \
         dictionary each ideograph is a word, and so is each unbroken run of hiragana, of \
         katakana, and of Thai, Lao, Khmer or Burmese.",
        &[
            ("", 0),
            ("one two three", 3),
            ("Don't panic - it's 3.14!", 4),
            ("a well-known mother-in-law", 3),
            ("on 15/06/2023 at 7:00", 4),
            ("1. one\n2. two", 2),
            ("<p>of<b>ten</b></p>", 1),
            ("...", 0),
            ("你好世界", 4),
            ("カタカナ と ひらがな", 3),
            ("สวัสดี ครับ", 2),
            ("naïve café", 2),
            ("*bold* `code`", 2),
        ],
    ),
    entry(
        Unit::WordPart,
        "word.part",
        ("word", "words"),
        "A word by Unicode segmentation (UAX 29) with a letter or a digit: as `word`, but a hyphen \
         separates, and so do the marks in dates and times.",
        &[("a well-known mother-in-law", 6), ("Don't panic", 2), ("at 7:00", 3)],
    ),
    entry(
        Unit::WordPattern,
        "word.pattern",
        ("word", "words"),
        "A maximal run of word characters (`\\w+` as Python reads it: letters and numbers of any \
         script and `_`, but no combining marks). `don't` is two; `3.14` is two.",
        &[("Don't panic", 3), ("3.14", 2), ("snake_case", 1), ("你好世界", 1), ("e\u{301}a", 2)],
    ),
    entry(
        Unit::WordSpace,
        "word.space",
        ("word", "words"),
        "A piece of the text between blanks; separate punctuation counts.",
        &[("Don't panic - it's fine.", 5), ("  ", 0), ("a\u{a0}b", 2), ("你好世界", 1)],
    ),
    entry(
        Unit::WordIcu,
        "word.icu",
        ("word", "words"),
        "As `word.part`, but runs of Thai, Lao, Khmer and Burmese are divided into words by the models of \
         ICU (the crate icu_segmenter), which know most words and guess others.",
        &[
            ("one two three", 3),
            ("สวัสดี ครับ", 2),
            ("ตลาดเปิดทุกวัน", 4),
            ("你好世界", 4),
            ("Thai: ไทย", 2),
        ],
    ),
    entry(
        Unit::Token,
        "token",
        ("token", "tokens"),
        "A token by the Penn Treebank conventions, sentence by sentence (`sentence.punkt`): \
         punctuation is separate, contractions are split (`do` + `n't`), decimals are not split.",
        &[("", 0), ("Don't stop.", 4), ("\"Hi,\" he said", 6), ("It costs $3.50.", 5)],
    ),
    entry(
        Unit::Sentence,
        "sentence",
        ("sentence", "sentences"),
        "A piece of prose up to a stop (`.`, `!`, `?`, `…`, `。` …) with the quotes and brackets \
         that close after it, or up to the end of its block (paragraph, list item, table row). A \
         heading or a title without a stop is none. Abbreviations (English and German), initials, decimals, days (`am 3. Mai`) and an \
         ellipsis before a small letter do not end one. Something without a letter or digit is not a sentence of its own. List markers and \
         heading signs are outside; fenced code has none.",
        &[
            ("", 0),
            ("...", 0),
            ("Dr. Smith paid $3.50. He left.", 2),
            ("J. R. R. Tolkien wrote it.", 1),
            ("Well... maybe. Yes!", 2),
            ("\"Stop!\" she said. (Really.)", 2),
            ("今天很好。真的吗？「好！」", 3),
            ("# Title\n\n- one\n- two", 2),
            ("<<Tides>>\n\nThey turn.", 1),
            ("1. First.\n2. Second.", 2),
            ("all small. no capitals. fine.", 3),
            ("It rained.[1] We left.[2]", 2),
            ("a\n\n```\nx = 1. y = 2.\n```", 1),
        ],
    ),
    entry(
        Unit::SentencePunkt,
        "sentence.punkt",
        ("sentence", "sentences"),
        "A sentence by the Punkt procedure (Kiss and Strunk 2006) with its parameters trained on \
         English: what the released checkers of several benchmarks count. Anything visible is a \
         sentence; CJK stops end none; a list marker `1.` may.",
        &[("", 0), ("...", 1), ("Mr. Smith left. He ran.", 2), ("今天很好。真的。", 1)],
    ),
    entry(
        Unit::SentenceSimple,
        "sentence.simple",
        ("sentence", "sentences"),
        "A piece of the text, split after every `.`, `!` or `?` that a blank follows. \
         `Dr. Smith` is split in two.",
        &[("", 0), ("Dr. Smith left. He ran.", 3), ("3.5 is a number", 1), ("Hm... so? Yes!", 3)],
    ),
    entry(
        Unit::Paragraph,
        "paragraph",
        ("paragraph", "paragraphs"),
        "A block of lines between blank lines, headings and rules; a line of nothing but blanks is \
         blank. A single line end does not start a paragraph. A line that is bold from end to end, \
         without a stop, is a heading. Something without a letter or digit is not a paragraph.",
        &[
            ("", 0),
            ("one", 1),
            ("one\ntwo", 1),
            ("one\n\ntwo", 2),
            ("a\n \t\nb\n\n\nc\n", 3),
            ("# Title\n\none\n\n---\n\ntwo", 2),
            ("**Title**\n\none", 1),
            ("<p>one</p><p>two</p>", 2),
        ],
    ),
    entry(
        Unit::ParagraphReleased,
        "paragraph.released",
        ("paragraph", "paragraphs"),
        "A block of lines between blank lines, as EvolIF's released checker counts them: headings and \
         rules count.",
        &[("", 0), ("# Title\n\none", 2), ("a\n\n---", 2), ("a\nb", 1)],
    ),
    entry(
        Unit::Line,
        "line",
        ("line", "lines"),
        "A line that is not blank. Lines end at LF, CR LF or CR. The fence around an answer and \
         comments are no lines.",
        &[("", 0), ("a\n\nb\n", 2), ("a\r\nb", 2), ("   \n", 0), ("```\na\n```", 1)],
    ),
    entry(
        Unit::LineAll,
        "line.all",
        ("line", "lines"),
        "Every line, blank ones too. A line end closes a line and does not open another, so the \
         empty text has none.",
        &[("", 0), ("a\n\nb\n", 3), ("\n", 1), ("a", 1)],
    ),
    entry(
        Unit::LineEntry,
        "line.entry",
        ("entry", "entries"),
        "The text of a line that is not blank, without its list marker (a bullet or a number) and \
         blanks around it: the entries of a list that has one on each line, marked or not. Fences \
         of code, rules and headings are none.",
        &[
            ("1. a\n2) b\n- c\nd\n\n", 4),
            ("# Title\n\n* a\n---\n* b", 2),
            ("1.5 litres", 1),
            ("", 0),
        ],
    ),
    entry(
        Unit::Item,
        "item",
        ("list item", "list items"),
        "A markdown list item, bulleted (`*`, `-`, `+`, `•`) or numbered (`1.`, `1)`), nested ones \
         too. The marker is followed by a blank and some content. Rules (`---`), `**bold**` lines, \
         negative numbers and anything in fenced code are not items. An item of a list in HTML is one.",
        &[
            ("<ul><li>a</li><li>b</li></ul>", 2),
            ("- a\n- b\n  - c", 3),
            ("1. a\n2) b", 2),
            ("---\n* * *\n**bold**\n-5 degrees", 0),
            ("So:\n```\n- a\n```", 0),
            ("• a\n•b", 2),
            ("-", 0),
        ],
    ),
    entry(
        Unit::ItemBullet,
        "item.bullet",
        ("bullet point", "bullet points"),
        "A list item with a bullet: `*`, `-`, `+` or `•`.",
        &[("- a\n1. b\n+ c", 2)],
    ),
    entry(
        Unit::ItemNumbered,
        "item.numbered",
        ("numbered item", "numbered items"),
        "A list item with a number and `.` or `)`.",
        &[("- a\n1. b\n22) c", 2), ("1.5 litres", 0)],
    ),
    entry(
        Unit::ItemNested,
        "item.nested",
        ("nested item", "nested items"),
        "A list item under another one: its marker is at least two columns further to the right \
         (a tab goes on to the next multiple of four). A heading, a rule, or other text at the left \
         of the list ends the list. The items at the top are `count(item) - count(item.nested)`.",
        &[
            ("- a\n  - b\n    1. c\n- d", 2),
            ("1. a\n\t* b\n\n\t* c", 2),
            ("- a\n - b", 0),
            ("- a\n\nText.\n\n  - b", 0),
        ],
    ),
    entry(
        Unit::ItemReleased,
        "item.released",
        ("bullet point", "bullet points"),
        "A line that begins with `-`, or with one `*` that no second `*` follows, as the released \
         checkers of IFEval and EvolIF count them: rules and negative numbers count, numbered items \
         do not, fenced code counts too.",
        &[("- a\n* b\n1. c", 2), ("---\n-5", 2), ("**bold**", 0), ("*\n* b", 1), ("*", 0)],
    ),
    entry(
        Unit::Section,
        "section",
        ("section", "sections"),
        "A markdown heading and what follows it, up to the next heading of any level. What precedes \
         the first heading is in no section.",
        &[("intro\n# A\nx\n## B\ny", 2), ("no heading", 0)],
    ),
    entry(
        Unit::Heading,
        "heading",
        ("heading", "headings"),
        "A markdown heading: `#` to `######`, a blank and a title, or a line underlined with `=`. A line underlined with `-` does not count, since responses use it as a rule.",
        &[("# A\n## B\n#tag\n####### seven", 2), ("A\n===", 1), ("a\n```\n# a\n```", 0)],
    ),
    entry(
        Unit::CodeBlock,
        "code_block",
        ("code block", "code blocks"),
        "A fenced block, from its opening to its closing fence (three or more backticks or tildes). \
         One that is never closed runs to the end.",
        &[("```\na\n```\n~~~\nb\n~~~", 2), ("```\nopen", 1), ("`inline`", 0)],
    ),
    entry(
        Unit::Table,
        "table",
        ("table", "tables"),
        "A markdown table: a header row, a delimiter row of as many columns, and the rows that \
         follow.",
        &[("| a | b |\n|---|---|\n| 1 | 2 |", 1), ("a | b", 0)],
    ),
    entry(
        Unit::TableRow,
        "table_row",
        ("table row", "table rows"),
        "A body row of a markdown table; the header and the delimiter row do not count.",
        &[("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", 2)],
    ),
    entry(
        Unit::Number,
        "number",
        ("number", "numbers"),
        "An integer or a decimal in digits, with its sign and thousands separators. Digits inside a \
         word (`Image1`), and dotted runs such as versions (`1.2.3`), do not count; a unit may follow (`5km`). A minus between two numbers is no sign.",
        &[
            ("1,234.5 and -7", 2),
            ("1,2,3", 3),
            ("v1.2.3 1.2.3", 0),
            ("Image1", 0),
            ("5km, 10%, 3rd", 3),
            ("3-5", 2),
        ],
    ),
    entry(
        Unit::NumberDigits,
        "number.digits",
        ("number", "numbers"),
        "A longest run of decimal digits of any script (`\\d+`).",
        &[("1,234.5", 3), ("Image1", 1), ("٣٤", 1)],
    ),
    entry(
        Unit::Date,
        "date",
        ("date", "dates"),
        "A calendar date: `2024-05-31`, `31.05.2024`, `5/31/2024`, `31 May 2024`, `May 31st, 2024`, \
         `May 31`, `2024年5月31日`. Month and day must exist; month names are English.",
        &[
            ("2024-05-31 and 31.05.2024", 2),
            ("May 31st, 2024", 1),
            ("on 3 June", 1),
            ("am 3. Juni", 1),
            ("2024-13-01", 0),
            ("2024年5月31日", 1),
            ("may 5 people", 0),
        ],
    ),
    entry(
        Unit::Quote,
        "quote",
        ("quotation", "quotations"),
        "Something in quotation marks, straight or typographic, within one paragraph; the outermost \
         of nested ones. An apostrophe opens none, nor does a mark that is never closed.",
        &[
            ("\"a\" and “b” and «c» and 「d」", 4),
            ("“outer ‘inner’”", 1),
            ("it's \"open", 0),
            ("\"a\n\nb\"", 0),
        ],
    ),
    entry(
        Unit::Emoji,
        "emoji",
        ("emoji", "emoji"),
        "A visible character shown as an emoji: flags, keycaps and joined families are one each. \
         Digits, `©` and other text symbols count only with the emoji variation mark.",
        &[("😀👍🏽", 2), ("🇩🇪", 1), ("1️⃣ 1 ©", 1), ("👨‍👩‍👧", 1), ("❤️", 1), ("❤", 0)],
    ),
    entry(
        Unit::Placeholder,
        "placeholder",
        ("placeholder", "placeholders"),
        "A placeholder in square brackets on one line: `[name]`. The text of a markdown link, the \
         number of a footnote, a check box, brackets without a letter, and comments do not count.",
        &[("[name] and [address]", 2), ("[a](http://b) [ ] [x] [] [^1] [2]", 0), ("[a\nb]", 0)],
    ),
    entry(
        Unit::PlaceholderReleased,
        "placeholder.released",
        ("placeholder", "placeholders"),
        "A match of `\\[.*?\\]`, as IFEval's released checker counts them: links, check boxes and \
         empty brackets count.",
        &[("[a](http://b) [ ] []", 3), ("[a\nb]", 0), ("[[a]]", 1)],
    ),
    entry(
        Unit::Highlight,
        "highlight",
        ("highlighted passage", "highlighted passages"),
        "A passage on one line between stars or underscores: `*x*`, `**x**`, `***x***` or `_x_`, \
         without a blank just inside. Each passage counts once; list markers open none, and \
         something without a letter or digit is none.",
        &[
            ("*a* and **b c** and ***d*** and _e_", 4),
            ("* a * b", 0),
            ("* *a*", 1),
            ("2 * 3 * 4", 0),
            ("*.* snake_case_name", 0),
        ],
    ),
    entry(
        Unit::HighlightItalic,
        "highlight.italic",
        ("highlighted passage", "highlighted passages"),
        "A match of `\\*[^\\n\\*]*\\*` that is not blank. IFEval's released count is the sum of this \
         and `highlight.bold`.",
        &[("*a* * *", 1), ("**a**", 0), ("* **a**", 1)],
    ),
    entry(
        Unit::HighlightBold,
        "highlight.bold",
        ("highlighted passage", "highlighted passages"),
        "A match of `\\*\\*[^\\n\\*]*\\*\\*` that is not blank.",
        &[("**a** ** **", 1), ("*a*", 0)],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Text;

    #[test]
    fn the_table_is_in_the_order_of_the_variants() {
        assert_eq!(UNITS.len(), Unit::COUNT);
        for (index, entry) in UNITS.iter().enumerate() {
            assert_eq!(entry.unit as usize, index, "{}", entry.name);
            assert_eq!(Unit::from_name(entry.name), Some(entry.unit));
        }
    }

    #[test]
    fn every_example_has_its_count() {
        for entry in UNITS {
            for (text, count) in entry.examples {
                let read = Text::new(text);
                let found: Vec<&str> =
                    read.units(entry.unit).iter().map(|r| &text[r.clone()]).collect();
                assert_eq!(found.len(), *count, "{} in {text:?}: {found:?}", entry.name);
                assert_eq!(Text::new(text).count(entry.unit), *count, "{text:?}");
            }
        }
    }
}
