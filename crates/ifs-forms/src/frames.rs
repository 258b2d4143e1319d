//! What is said to the user around an answer.

use ifs_text::{Aspect, Aspects};

use super::wording::{Tongue, WordingKind, wording};
use super::{ALL, has_marks};
use super::{ANSWER, Apply, BaseText, Form, FormGroup, is_one_line, payload};

/// Where the words of a frame are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FramePlace {
    /// A paragraph before the answer.
    Before,
    /// A line before it.
    LineBefore,
    /// A paragraph after it.
    After,
    Around,
    /// A sentence of explanation before it, and after it.
    ExplainedBefore,
    ExplainedAfter,
    /// A label in bold before it.
    Label,
    /// A heading.
    Heading,
    /// A sentence that contains it.
    Sentence,
}

/// What any frame changes.
const FRAMED: Aspects = Aspects::of(&[
    Aspect::Characters,
    Aspect::Words,
    Aspect::Sentences,
    Aspect::Lines,
    Aspect::Every,
    Aspect::Case,
    Aspect::Letters,
    Aspect::Format,
]);
const BEFORE: Aspects = FRAMED.and(Aspect::Start.set());
const AFTER: Aspects = FRAMED.and(Aspect::End.set());

const fn frame(
    name: &'static str,
    frame: FramePlace,
    touches: Aspects,
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Form {
    Form {
        name,
        group: FormGroup::Frames,
        doc,
        example,
        touches,
        subjects: ALL,
        apply: Apply::Frame(frame),
    }
}

pub(crate) const FORMS: &[Form] = &[
    frame(
        "preamble",
        FramePlace::Before,
        BEFORE,
        "A polite sentence to the user in a paragraph before the answer.",
        ("30", "Certainly. Here is what you asked for:\n\n30"),
    ),
    frame(
        "preamble_line",
        FramePlace::LineBefore,
        BEFORE,
        "The same in the line before the answer.",
        ("30", "Certainly. Here is what you asked for:\n30"),
    ),
    frame(
        "closing",
        FramePlace::After,
        AFTER,
        "A polite sentence to the user in a paragraph after the answer.",
        ("30", "30\n\nI hope this helps."),
    ),
    frame(
        "both_ends",
        FramePlace::Around,
        BEFORE.and(AFTER),
        "A polite sentence before the answer, and another one after it.",
        ("30", "Certainly. Here is what you asked for:\n\n30\n\nI hope this helps."),
    ),
    frame(
        "explained_before",
        FramePlace::ExplainedBefore,
        BEFORE,
        "A sentence about how the answer was found, in a paragraph before it.",
        ("30", "I went through what you sent me before I wrote this down.\n\n30"),
    ),
    frame(
        "explained_after",
        FramePlace::ExplainedAfter,
        AFTER,
        "A sentence about how the answer was found, in a paragraph after it.",
        ("30", "30\n\nThis follows from what you sent me."),
    ),
    frame(
        "bold_label",
        FramePlace::Label,
        BEFORE.and(Aspect::Marks.set()),
        "A label in bold before the answer; an answer that has a label gets it in bold.",
        ("Answer: 30", "**Answer:** 30"),
    ),
    frame(
        "heading",
        FramePlace::Heading,
        BEFORE.and(Aspect::Marks.set()),
        "A heading of Markdown above the answer.",
        ("30", "## Answer\n\n30"),
    ),
    Form {
        name: "sentence",
        group: FormGroup::Frames,
        doc: "A sentence that contains the answer. An answer with a label has none.",
        example: ("30", "The answer is 30."),
        touches: BEFORE.and(AFTER),
        subjects: ANSWER,
        apply: Apply::Frame(FramePlace::Sentence),
    },
];

/// The answer in a frame.
pub(crate) fn framed(frame: FramePlace, base: &BaseText<'_>, attempt: usize) -> Option<String> {
    placed(frame, base, attempt, &|text| text.to_owned())
}

/// The same with as many words that no check is about, and without signs.
pub fn control(frame: FramePlace, base: &BaseText<'_>, attempt: usize) -> Option<String> {
    placed(frame, base, attempt, &neutral)
}

fn placed(
    frame: FramePlace,
    base: &BaseText<'_>,
    attempt: usize,
    words: &dyn Fn(&str) -> String,
) -> Option<String> {
    let BaseText { text, tongue, .. } = *base;
    let word = |kind| wording(tongue, kind, attempt).map(words);
    let end = text.trim_end_matches('\n');
    Some(match frame {
        FramePlace::Before => format!("{}\n\n{text}", word(WordingKind::Preamble)?),
        FramePlace::LineBefore => format!("{}\n{text}", word(WordingKind::Preamble)?),
        FramePlace::After => format!("{end}\n\n{}", word(WordingKind::Closing)?),
        FramePlace::Around => {
            format!("{}\n\n{end}\n\n{}", word(WordingKind::Preamble)?, word(WordingKind::Closing)?)
        }
        FramePlace::ExplainedBefore => format!("{}\n\n{text}", word(WordingKind::Before)?),
        FramePlace::ExplainedAfter => format!("{end}\n\n{}", word(WordingKind::After)?),
        FramePlace::Label => match payload(text) {
            // The label is demanded, and so are its words.
            Some((before, value)) if attempt == 0 => {
                let (rest, line) = match before.rfind('\n') {
                    Some(at) => before.split_at(at + 1),
                    None => ("", before),
                };
                let label = line.trim_end();
                if label.contains('*') {
                    return None;
                }
                format!("{rest}**{label}** {value}")
            }
            Some(_) => return None,
            None => {
                let label = label(tongue, attempt, words)?;
                let between = if is_one_line(text) && !has_marks(text) { " " } else { "\n\n" };
                format!("**{label}{}**{between}{text}", colon(tongue))
            }
        },
        FramePlace::Heading => format!("## {}\n\n{text}", label(tongue, attempt, words)?),
        FramePlace::Sentence => {
            if attempt > 0 || payload(text).is_some() || !is_short_phrase(text) {
                return None;
            }
            let value = text.trim().trim_end_matches(['.', '。']);
            let template = wording(tongue, WordingKind::Sentence, 0)?;
            let (before, after) = template.split_once("{}")?;
            format!("{}{value}{after}", words(before))
        }
    })
}

fn label(tongue: Tongue, attempt: usize, words: &dyn Fn(&str) -> String) -> Option<String> {
    wording(tongue, WordingKind::Label, attempt).map(words)
}

fn colon(tongue: Tongue) -> &'static str {
    match tongue {
        Tongue::Chinese => "：",
        _ => ":",
    }
}

/// Whether a text is a value that a sentence can contain: one line, without a verb of its own as far
/// as its length shows.
fn is_short_phrase(text: &str) -> bool {
    let text = text.trim().trim_end_matches(['.', '。']);
    is_one_line(text)
        && !has_marks(text)
        && text.split_whitespace().count() <= 4
        && text.chars().count() <= 40
        && !text.contains(['.', '!', '?', '。', '！', '？', '{', '<', '['])
}

/// Syllables of words that no check is about.
const SYLLABLES: [&str; 8] = ["ta", "vo", "re", "lin", "su", "ke", "mo", "pi"];
const HANZI: [char; 6] = ['某', '甲', '乙', '丙', '丁', '戊'];

/// As many words that no check is about, with the same first capitals, and without signs.
pub(crate) fn neutral(text: &str) -> String {
    let mut result = String::new();
    let mut inside = false;
    let mut count = 0;
    for letter in text.chars() {
        match letter {
            '\u{4e00}'..='\u{9fff}' => {
                result.push(HANZI[count % HANZI.len()]);
                count += 1;
            }
            letter if letter.is_alphanumeric() && !inside => {
                let word = [SYLLABLES[count % 8], SYLLABLES[(count * 3 + 1) % 8]].concat();
                match letter.is_uppercase() {
                    true => {
                        let (first, rest) = word.split_at(1);
                        result.push_str(&first.to_uppercase());
                        result.push_str(rest);
                    }
                    false => result.push_str(&word),
                }
                count += 1;
            }
            ' ' | '\n' => result.push(letter),
            _ => {}
        }
        inside = letter.is_alphanumeric() || (inside && matches!(letter, '\'' | '’' | '-'));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::{FramePlace, control, framed, neutral};
    use crate::{BaseText, Tongue};

    #[test]
    fn neutral_words_have_the_same_shape() {
        assert_eq!(neutral("Sure! Here you go:"), "Tavo Vosu repi linre");
        assert_eq!(neutral("I don't, say."), "Tavo vosu repi");
        assert_eq!(neutral("好的，谢谢。"), "某甲乙丙");
        for text in ["Certainly. Here is what you asked for:", "Yes"] {
            assert_eq!(neutral(text).split(' ').count(), text.split(' ').count());
        }
    }

    #[test]
    fn frames_are_around_the_answer() {
        let base = BaseText { text: "- a\n- b\n", tongue: Tongue::English, rosters: &[] };
        assert_eq!(
            framed(FramePlace::Around, &base, 1).unwrap(),
            "Sure! Here you go:\n\n- a\n- b\n\nLet me know if you need anything else!"
        );
        assert_eq!(framed(FramePlace::Label, &base, 0).unwrap(), "**Answer:**\n\n- a\n- b\n");
        assert_eq!(control(FramePlace::LineBefore, &base, 2).unwrap(), "Tavo vosu\n- a\n- b\n");
        assert_eq!(framed(FramePlace::Before, &base, 8), None);
        let long = BaseText { text: "The Gulls lead. They have 101.", ..base };
        assert_eq!(framed(FramePlace::Sentence, &long, 0), None);
    }
}
