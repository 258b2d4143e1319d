//! The built-in words in canonical texts.
//!
//! A dialogue is worded by built-in templates and voices where its scenario has none of its own, so
//! they identify its definition, too. Version 1 of the notation stands for the words below and does
//! not write them. Words with another hash are written: with them, the same scenario is another
//! definition.

use super::text::ListWriter;
use ifs_model::table::{Dialogue, Feedback};
use ifs_parts::template::{OWN_VOICES, TEMPLATES, VOICES};

/// The BLAKE3 hashes of the words that version 1 of the notation stands for.
const WORDS_OF_VERSION_1: &[(&str, &str)] = &[
    ("open.j2", "a632eb5b4245508fb4b1d119b46bb5c6dbd42768816e096c61fedc0d5b90b03d"),
    ("continue.j2", "c90fbf27ef891d36ebfb9cf56b8f7bf3dce11f1ad02584b268fb7d76fe36905d"),
    ("return.j2", "ffb2532aae1a1da64312e9927ec02f4de964f7a63e38ea15406866faa6ae1c37"),
    ("changes.j2", "c946ce9f268e31ad0d12f16bf07eacd23671064ba12a988faa00380a3e855f96"),
    ("asked.j2", "0e4d7f2ead9be8f10e81061bea469d8d0707824747cb090ba149ec054448ae9d"),
    ("related.j2", "f838dafccea3e97dce05ac27522b87e3d9a9d2e96bcb185b25f8ef33532bed3a"),
    ("answer.j2", "2219fa1ffedaca1ec6841ed6e76ef26cd8a89f357ecbd03f3b64621dc068ea30"),
    ("repeated.j2", "7cbfd722d2dbda4e4f59f9a7349981fa068b3dc3cd8bf011f63feadfd71de24d"),
    ("feedback.j2", "bcb59f45dca74ae91b26e178f42a7e3e6d6bfc9123b53bc6bb1c5c4c217932ea"),
    ("fresh.j2", "7fe45896861e060b3f8bd1250bcad3b0f9eb1c4652885572bf0b68904076131a"),
    ("relation.j2", "075f5ad32bb48005d96bc03ff84fd4127bf90573c9440cd054be06812328f725"),
    ("coder.j2", "1243f956b87a1c77d8dd6159f85caa59a23e1b37499efd2d3cffc9aca35c1b9c"),
    ("extractor.j2", "8ee47a72fb60b818b11030a4762a43727e67f403c07a53086f865b32f5136f15"),
    (OWN_VOICES, "0c077b3236588d877100e7d385e2047207a55cd0b466f04f536ca022e32814a8"),
];

/// The built-in words of a dialogue.
pub(super) fn built_in(dialogue: &Dialogue, into: &mut ListWriter) {
    write(dialogue, TEMPLATES.iter().chain([&(OWN_VOICES, VOICES)]), into);
}

fn write<'w>(
    dialogue: &Dialogue,
    words: impl Iterator<Item = &'w (&'w str, &'w str)>,
    into: &mut ListWriter,
) {
    for (name, text) in words.filter(|(name, _)| is_used(dialogue, name)) {
        let hash = blake3::hash(text.as_bytes()).to_hex();
        if !WORDS_OF_VERSION_1.contains(&(*name, hash.as_str())) {
            into.text_lines("built-in", [*name, hash.as_str()]);
        }
    }
}

/// Whether a dialogue may be worded by a built-in template. Own voices are next to the others.
fn is_used(dialogue: &Dialogue, name: &str) -> bool {
    let retry = dialogue.retry.as_ref().map(|retry| retry.form);
    match name {
        OWN_VOICES => true,
        _ if dialogue.words.contains_key(name) => false,
        "repeated.j2" => dialogue.repeat_instructions,
        "feedback.j2" => retry == Some(Feedback::Chat),
        "fresh.j2" => retry == Some(Feedback::Fresh),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ifs_base::source::Span;

    fn written(dialogue: &Dialogue, words: &[(&str, &str)]) -> String {
        let mut into = ListWriter::default();
        write(dialogue, words.iter(), &mut into);
        into.into_text()
    }

    #[test]
    fn other_built_in_words_are_another_definition() {
        let mut dialogue = Dialogue::new("talk".to_owned(), Span::default());
        let same: Vec<(&str, &str)> = TEMPLATES.to_vec();
        assert_eq!(written(&dialogue, &same), "\n");
        for (name, text) in [("open.j2", "Hello."), (OWN_VOICES, "{}")] {
            let hash = blake3::hash(text.as_bytes()).to_hex();
            let line = format!("(built-in \"{name}\" \"{hash}\")\n");
            assert_eq!(written(&dialogue, &[(name, text)]), line);
        }
        // What is not used is not part of it.
        assert_eq!(written(&dialogue, &[("feedback.j2", "No."), ("repeated.j2", "Again.")]), "\n");
        dialogue.words.insert("open.j2".to_owned(), "Own.".to_owned());
        assert_eq!(written(&dialogue, &[("open.j2", "Hello.")]), "\n");
    }
}
