//! Strict and loose readings of an answer.
//!
//! The loose one forgives what models put around an answer (Zhou et al. 2023, arXiv:2311.07911,
//! section 3.1): a constraint holds when it holds of the answer, or of the answer without its first
//! line, its last line or both, or of one of these four without asterisks.

use std::sync::OnceLock;

use crate::text::{Text, python};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    Strict,
    Both,
}

impl Reading {
    pub fn is_loose(self) -> bool {
        self == Reading::Both
    }
}

/// The trimmed forms of an answer, each once; neither the answer itself nor blank ones.
pub fn variants(answer: &str) -> Vec<String> {
    // Lines end at LF only, as in the released program.
    let after_first = answer.find('\n').map_or(answer.len(), |at| at + 1);
    let before_last = answer.rfind('\n').unwrap_or(0);
    let trimmed = [
        &answer[after_first..],
        &answer[..before_last],
        answer.get(after_first..before_last).unwrap_or(""),
    ]
    .map(|part| python::strip(part).to_owned());
    let mut variants: Vec<String> = Vec::new();
    let mut add = |variant: String| {
        if variant != answer && !python::strip(&variant).is_empty() && !variants.contains(&variant)
        {
            variants.push(variant);
        }
    };
    if answer.contains('*') {
        add(answer.replace('*', ""));
        trimmed.iter().for_each(|part| add(part.replace('*', "")));
    }
    trimmed.into_iter().for_each(add);
    variants
}

/// The same, made when the first constraint asks for them, and segmented once for all.
pub(super) struct Variants<'a> {
    answer: &'a str,
    made: &'a OnceLock<Vec<String>>,
    texts: OnceLock<Vec<Text<'a>>>,
}

impl<'a> Variants<'a> {
    /// `made` is where they are kept.
    pub fn new(answer: &'a str, made: &'a OnceLock<Vec<String>>) -> Variants<'a> {
        Variants { answer, made, texts: OnceLock::new() }
    }

    pub fn texts(&self) -> &[Text<'a>] {
        self.texts.get_or_init(|| {
            let made = self.made.get_or_init(|| variants(self.answer));
            made.iter().map(|text| Text::new(text)).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::variants;

    #[test]
    fn lines_and_asterisks_are_taken_away() {
        let found = variants("Sure!\n\n**One**\n two \nBye.");
        let wanted = [
            "Sure!\n\nOne\n two \nBye.",
            "One\n two \nBye.",
            "Sure!\n\nOne\n two",
            "One\n two",
            "**One**\n two \nBye.",
            "Sure!\n\n**One**\n two",
            "**One**\n two",
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn one_line_leaves_nothing_to_take() {
        assert!(variants("One line.").is_empty());
        assert!(variants("").is_empty());
        assert_eq!(variants("a\nb"), ["b", "a"]);
        assert_eq!(variants("*a*"), ["a"]);
    }
}
