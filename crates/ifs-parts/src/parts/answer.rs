//! The text that a reader looks at: the answer, without what is said to the user around it.
//!
//! [`ifs_text::frame`] has the rules. A line of the frame is content if a requirement on the part
//! names words of it: where a text has to end with "I hope this helps", that line is a part of it.

use std::borrow::Cow;

use super::{PartReader, TableColumn};
use ifs_base::work::{self, Task};
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;
use ifs_text::{Frame, compiled_regex, frame, names_frame};

/// The bytes that are read in a step of work.
const BYTES_PER_STEP: usize = 16;

/// The texts and patterns that the requirements on a part name.
#[derive(Clone, Debug, Default)]
pub struct NamedTexts {
    texts: Vec<String>,
    /// Patterns with their flags.
    patterns: Vec<(String, String)>,
}

impl NamedTexts {
    /// The texts that some checks name.
    pub fn from_checks<'t>(checks: impl IntoIterator<Item = &'t Tree>) -> NamedTexts {
        let mut named = NamedTexts::default();
        checks.into_iter().for_each(|check| named.add(check));
        named
    }

    fn add(&mut self, tree: &Tree) {
        match &tree.node {
            Node::Value(value) => self.add_value(value),
            Node::Pattern(pattern) => {
                self.patterns.push((pattern.pattern.clone(), pattern.flags.clone()));
            }
            _ => tree.children().into_iter().for_each(|child| self.add(child)),
        }
    }

    fn add_value(&mut self, value: &Value) {
        match value {
            Value::List(members) => members.iter().for_each(|member| self.add_value(member)),
            value => {
                let text = value.as_str().map(str::trim).filter(|text| !text.is_empty());
                self.texts.extend(text.map(str::to_owned));
            }
        }
    }

    /// Whether a requirement is about a line of a frame.
    fn name_words_of(&self, line: &str) -> bool {
        let begins = |text: &str| {
            let is_phrase = text.split_whitespace().nth(1).is_some() || !text.is_ascii();
            is_phrase
                && line.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text))
        };
        let matches = |(pattern, flags): &(String, String)| {
            let regex = compiled_regex(pattern, flags);
            let words = pattern.split(|c: char| !c.is_alphabetic() && c != '\'');
            words.filter(|word| word.len() > 1).any(|word| names_frame(word, line))
                && regex.is_ok_and(|regex| regex.is_match(line))
        };
        self.texts.iter().any(|text| begins(text) || names_frame(text, line))
            || self.patterns.iter().any(matches)
    }
}

/// What a reader leaves out.
enum AnswerExtent {
    /// Nothing.
    Everything,
    /// What is addressed to the user.
    Answer,
    /// Also a title, a label and a fence around the answer.
    Body,
}

impl PartReader {
    /// The pieces in a response: in the answer, or in all of it for `response` and readers of it.
    pub fn read_answer<'t>(&self, text: &'t str, named: &NamedTexts) -> Vec<Cow<'t, str>> {
        work::spend(Task::Evaluation, (text.len() / BYTES_PER_STEP) as u64);
        let Frame { answer, body } = match self.reads() {
            AnswerExtent::Everything => return self.read(text),
            AnswerExtent::Answer | AnswerExtent::Body => {
                frame(text, &|line| named.name_words_of(line))
            }
        };
        match self.reads() {
            AnswerExtent::Body => self.read(&text[body]),
            _ => {
                let pieces = self.read(&text[answer.clone()]);
                let is_nothing = pieces.iter().all(|piece| piece.trim().is_empty());
                match is_nothing && answer.len() < text.len() && self.is_located() {
                    true => self.read(text),
                    false => pieces,
                }
            }
        }
    }

    /// What it reads, in words for a model that extracts it.
    pub fn description(&self) -> String {
        const TEXT: &str = "the text that was asked for, without a title and without what is said to \
                            the user before and after it";
        match self {
            PartReader::Response => "the complete answer".to_owned(),
            PartReader::Whole => TEXT.to_owned(),
            PartReader::Lines => format!("each line of {TEXT}"),
            PartReader::Paragraphs => format!("each paragraph of {TEXT}"),
            PartReader::Sentences => format!("each sentence of {TEXT}"),
            PartReader::Numbered => "each item of the numbered list".to_owned(),
            PartReader::Bullets => "each item of the list".to_owned(),
            PartReader::Quoted => "each quotation, without its marks".to_owned(),
            PartReader::Code => "the content of each code block".to_owned(),
            PartReader::Table(None) => "each row of the table".to_owned(),
            PartReader::Table(Some(TableColumn::Name(name))) => {
                format!("each cell of the column “{name}” of the table")
            }
            PartReader::Table(Some(TableColumn::Number(number))) => {
                format!("each cell of column {number} of the table")
            }
            PartReader::Json(path) if path.is_empty() => "the JSON".to_owned(),
            PartReader::Json(path) => format!("the value at `{path}` of the JSON"),
            PartReader::Between(open, close) => {
                format!("each stretch between “{open}” and “{close}”, without these marks")
            }
            PartReader::Section(name) => format!("the text under the heading “{name}”"),
            PartReader::Label(name) => format!("the text after the label “{name}”"),
            PartReader::In(reader, source) => {
                format!("{}, but only in this part: {}", reader.description(), source.description())
            }
        }
    }

    /// Whether it looks for marks of its own, which it finds wherever they are.
    fn is_located(&self) -> bool {
        match self {
            PartReader::In(_, source) => source.is_located(),
            PartReader::Numbered | PartReader::Bullets | PartReader::Quoted => false,
            reader => matches!(reader.reads(), AnswerExtent::Answer),
        }
    }

    fn reads(&self) -> AnswerExtent {
        match self {
            PartReader::Response => AnswerExtent::Everything,
            PartReader::Whole
            | PartReader::Lines
            | PartReader::Paragraphs
            | PartReader::Sentences => AnswerExtent::Body,
            PartReader::Numbered
            | PartReader::Bullets
            | PartReader::Quoted
            | PartReader::Code
            | PartReader::Table(_)
            | PartReader::Json(_)
            | PartReader::Between(..)
            | PartReader::Section(_)
            | PartReader::Label(_) => AnswerExtent::Answer,
            PartReader::In(_, source) => source.reads(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(reader: &PartReader, text: &str) -> Vec<String> {
        let named = NamedTexts::default();
        reader.read_answer(text, &named).into_iter().map(Cow::into_owned).collect()
    }

    fn within(reader: PartReader, source: PartReader) -> PartReader {
        PartReader::In(Box::new(reader), Box::new(source))
    }

    const POLITE: &str = "Certainly! Here are the “three” slogans:\n\n1. Taste the sea.\n2. Feel the wind.\n3. Live now.\nI hope this helps!";

    #[test]
    fn readers_find_the_answer_within_its_frame() {
        let slogans = ["Taste the sea.", "Feel the wind.", "Live now."];
        assert_eq!(read(&PartReader::Lines, POLITE), slogans);
        assert_eq!(read(&PartReader::Numbered, POLITE), slogans);
        assert_eq!(read(&PartReader::Quoted, POLITE), [""; 0]);
        assert_eq!(read(&PartReader::Whole, "Sure!\n\n# Sea\n\nIt ebbs.\n\nEnjoy!"), ["It ebbs."]);
        assert_eq!(read(&PartReader::Paragraphs, "**Sea**\n\na\n\nb"), ["a", "b"]);
        let quoted = "Here are two quotations, “not this one”:\n“a” and “b”";
        assert_eq!(read(&PartReader::Quoted, quoted), ["a", "b"]);
    }

    #[test]
    fn readers_of_marks_keep_what_they_look_for() {
        let section = within(PartReader::Bullets, PartReader::Section("Casual".into()));
        let text = "Here are the casual comments:\n\n## Casual\n- a\n- b\n\nI hope this helps!";
        assert_eq!(read(&section, text), ["a", "b"]);
        let whole = within(PartReader::Whole, PartReader::Section("Casual".into()));
        assert_eq!(read(&whole, text), ["- a\n- b"]);
        assert_eq!(
            read(&PartReader::Label("Note".into()), "Note: I kept it under 5 words."),
            ["I kept it under 5 words."]
        );
        assert_eq!(read(&PartReader::Code, "Sure!\n```\nx\n```\nEnjoy!"), ["x\n"]);
        assert_eq!(read(&PartReader::Json("a".into()), "Here is the JSON:\n{\"a\": \"x\"}"), ["x"]);
    }

    #[test]
    fn the_complete_response_is_a_reader_too() {
        assert_eq!(read(&PartReader::Response, POLITE), [POLITE]);
        let lines = within(PartReader::Lines, PartReader::Response);
        assert_eq!(read(&lines, POLITE).len(), 5);
    }

    #[test]
    fn requirements_make_lines_content() {
        let text = "The tide turns.\nI hope this helps.";
        let check = ifs_predicate::tree::Tree::without_place(Node::Value(Value::text(
            "I hope this helps.",
        )));
        let named = NamedTexts::from_checks([&check]);
        assert_eq!(PartReader::Lines.read_answer(text, &named).len(), 2);
        assert_eq!(PartReader::Lines.read_answer(text, &NamedTexts::default()).len(), 1);
    }
}
