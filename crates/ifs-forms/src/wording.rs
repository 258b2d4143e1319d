//! The words of frames and of answers that know nothing, by language.

use std::sync::LazyLock;

use ifs_text::{LanguageGuess, Text};

/// A language with wordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tongue {
    English,
    Chinese,
    German,
    Spanish,
    French,
    Italian,
    Portuguese,
    Russian,
}

impl Tongue {
    pub const ALL: [Tongue; 8] = [
        Tongue::English,
        Tongue::Chinese,
        Tongue::German,
        Tongue::Spanish,
        Tongue::French,
        Tongue::Italian,
        Tongue::Portuguese,
        Tongue::Russian,
    ];

    /// Its ISO 639-1 code.
    pub fn code(self) -> &'static str {
        match self {
            Tongue::English => "en",
            Tongue::Chinese => "zh",
            Tongue::German => "de",
            Tongue::Spanish => "es",
            Tongue::French => "fr",
            Tongue::Italian => "it",
            Tongue::Portuguese => "pt",
            Tongue::Russian => "ru",
        }
    }

    /// The language of a text, if it is one of these and certain.
    pub fn of_text(text: &str) -> Option<Tongue> {
        let of_script = |letter: char| match letter {
            '\u{4e00}'..='\u{9fff}' => Some(Tongue::Chinese),
            '\u{400}'..='\u{4ff}' => Some(Tongue::Russian),
            _ => None,
        };
        let letters = text.chars().filter(|letter| letter.is_alphabetic());
        let (mut all, mut foreign, mut script) = (0, 0, None);
        for letter in letters {
            all += 1;
            if let Some(tongue) = of_script(letter) {
                foreign += 1;
                script = script.or(Some(tongue));
            }
        }
        if foreign * 3 > all {
            return script;
        }
        let (LanguageGuess::Certain(code) | LanguageGuess::Likely(code)) =
            Text::new(text).language()
        else {
            return None;
        };
        Tongue::ALL.into_iter().find(|tongue| tongue.code() == code)
    }
}

/// The number of wordings of each kind of frame.
pub const WORDINGS: usize = 8;

/// A kind of wording: the second column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordingKind {
    Preamble,
    Closing,
    Before,
    After,
    Label,
    Sentence,
    Retraction,
    Negation,
    Hedge,
    Refusal,
}

const KINDS: [(&str, WordingKind); 10] = [
    ("preamble", WordingKind::Preamble),
    ("closing", WordingKind::Closing),
    ("before", WordingKind::Before),
    ("after", WordingKind::After),
    ("label", WordingKind::Label),
    ("sentence", WordingKind::Sentence),
    ("retraction", WordingKind::Retraction),
    ("negation", WordingKind::Negation),
    ("hedge", WordingKind::Hedge),
    ("refusal", WordingKind::Refusal),
];

struct Wording {
    tongue: Tongue,
    kind: WordingKind,
    text: &'static str,
}

static TABLE: LazyLock<Vec<Wording>> = LazyLock::new(|| {
    let rows = include_str!("wording.tsv").lines().filter_map(|line| {
        let mut cells = line.split('\t');
        let (code, kind, text) = (cells.next()?, cells.next()?, cells.next()?);
        let tongue = Tongue::ALL.into_iter().find(|tongue| tongue.code() == code)?;
        let (_, kind) = KINDS.iter().find(|(name, _)| *name == kind)?;
        Some(Wording { tongue, kind: *kind, text })
    });
    rows.collect()
});

/// A wording of a kind in a language.
pub(crate) fn wording(tongue: Tongue, kind: WordingKind, at: usize) -> Option<&'static str> {
    let mut rows = TABLE.iter().filter(|row| row.tongue == tongue && row.kind == kind);
    rows.nth(at).map(|row| row.text)
}

/// Whether a text is the label of an answer in one of the languages.
pub(crate) fn is_label(text: &str) -> bool {
    let text = text.to_lowercase();
    TABLE.iter().any(|row| row.kind == WordingKind::Label && row.text.to_lowercase() == text)
        || text == "final answer"
}

#[cfg(test)]
mod tests {
    use super::{KINDS, TABLE, Tongue, WORDINGS, WordingKind, wording};

    #[test]
    fn each_language_has_all_wordings() {
        assert_eq!(TABLE.len(), include_str!("wording.tsv").lines().count());
        for tongue in Tongue::ALL {
            for (name, kind) in KINDS {
                let count = (0..20).filter_map(|at| wording(tongue, kind, at)).count();
                let frame = matches!(
                    kind,
                    WordingKind::Preamble
                        | WordingKind::Closing
                        | WordingKind::Before
                        | WordingKind::After
                );
                assert!(count >= 1 && (!frame || count == WORDINGS), "{tongue:?} {name}: {count}");
            }
        }
    }

    #[test]
    fn languages_are_told_apart() {
        for (text, tongue) in [
            ("The lead changed hands four times in the second quarter.", Tongue::English),
            ("哈坎-格里夫得了两分。", Tongue::Chinese),
            ("Вы должны тридцать рублей за книги.", Tongue::Russian),
            ("Die Führung wechselte im zweiten Viertel viermal.", Tongue::German),
        ] {
            assert_eq!(Tongue::of_text(text), Some(tongue), "{text}");
        }
        assert_eq!(Tongue::of_text("30"), None);
    }
}
