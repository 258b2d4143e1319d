//! Other forms of the same answer, and answers that know nothing.
//!
//! A form ([`FORMS`]) changes how an answer is written and not what it says: a preamble, a fence,
//! curly quotation marks, a number in words. Each row says what of a text it changes
//! ([`Form::touches`]); a check that notices nothing of that must not change its verdict. An answer
//! that knows nothing ([`ANSWERS`]) is made from an answer without knowing the task: word salad in
//! the same form, everything listed, the right answer taken back.
//!
//! Everything here is a function of texts. Which check notices what, and which forms apply to a
//! turn, is decided by `ifs-audit`.

mod answers;
mod frames;
mod marks;
mod reasoning;
mod salad;
mod typography;
mod values;
mod wording;
mod wraps;

pub use answers::{ANSWERS, Bluff, BluffMaterials};
pub use frames::{FramePlace, control};
pub use salad::{one_word_everywhere, salad};
pub use wording::{Tongue, WORDINGS};

use ifs_text::{Aspects, Shape, Text};

/// An answer, with what the forms have to know of it.
#[derive(Clone, Copy, Debug)]
pub struct BaseText<'a> {
    pub text: &'a str,
    /// The language that frames are written in.
    pub tongue: Tongue,
    /// Lists of names among which those of the answer are.
    pub rosters: &'a [Vec<String>],
}

/// The kinds of checks that a form applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckSubject {
    /// The response: a constraint, or a requirement about `it`.
    Response,
    /// A part of it.
    Part,
    /// What it answers: a fact, a void, an observation.
    Answer,
}

impl CheckSubject {
    pub fn word(self) -> &'static str {
        match self {
            CheckSubject::Response => "response",
            CheckSubject::Part => "part",
            CheckSubject::Answer => "answer",
        }
    }
}

const ALL: &[CheckSubject] = &[CheckSubject::Response, CheckSubject::Part, CheckSubject::Answer];
const ANSWER: &[CheckSubject] = &[CheckSubject::Answer];

/// The group of a form, by which several are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FormGroup {
    Frames,
    Wraps,
    Typography,
    Transport,
    Marks,
    Values,
    Reasoning,
}

impl FormGroup {
    pub const ALL: [FormGroup; 7] = [
        FormGroup::Frames,
        FormGroup::Wraps,
        FormGroup::Typography,
        FormGroup::Transport,
        FormGroup::Marks,
        FormGroup::Values,
        FormGroup::Reasoning,
    ];

    pub fn name(self) -> &'static str {
        match self {
            FormGroup::Frames => "frames",
            FormGroup::Wraps => "wraps",
            FormGroup::Typography => "typography",
            FormGroup::Transport => "transport",
            FormGroup::Marks => "marks",
            FormGroup::Values => "values",
            FormGroup::Reasoning => "reasoning",
        }
    }

    /// What its forms have in common.
    pub fn doc(self) -> &'static str {
        match self {
            FormGroup::Frames => "what is said to the user around the answer",
            FormGroup::Wraps => "marks around the answer, or around its end",
            FormGroup::Typography => "other characters for the same letters and signs",
            FormGroup::Transport => "what editors and servers add to a text",
            FormGroup::Marks => "another layout of the same lines",
            FormGroup::Values => "the same numbers, times and names in other forms",
            FormGroup::Reasoning => "a block of reasoning before the answer",
        }
    }
}

/// How a form is made.
#[derive(Clone, Copy)]
pub enum Apply {
    /// From the answer alone. `None` where it does not occur.
    Text(fn(&BaseText<'_>) -> Option<String>),
    /// With words around the answer, of which there are several.
    Frame(FramePlace),
}

/// Another form of an answer.
pub struct Form {
    pub name: &'static str,
    pub group: FormGroup,
    pub doc: &'static str,
    /// An answer, and the same in this form.
    pub example: (&'static str, &'static str),
    /// What of a text it changes.
    pub touches: Aspects,
    /// The kinds of checks that it applies to.
    pub subjects: &'static [CheckSubject],
    pub apply: Apply,
}

impl Form {
    /// The answer in this form; `None` where it does not occur in it, or changes nothing. `attempt`
    /// chooses among several wordings.
    pub fn applied(&self, base: &BaseText<'_>, attempt: usize) -> Option<String> {
        let text = match self.apply {
            Apply::Text(apply) if attempt == 0 => apply(base),
            Apply::Text(_) => None,
            Apply::Frame(frame) => frames::framed(frame, base, attempt),
        };
        text.filter(|text| text != base.text)
    }

    /// The same with neutral words in place of its own: what of a change is not due to them.
    pub fn control(&self, base: &BaseText<'_>, attempt: usize) -> Option<String> {
        match self.apply {
            Apply::Text(_) => None,
            Apply::Frame(frame) => frames::control(frame, base, attempt),
        }
    }

    /// How many wordings it has.
    pub fn wordings(&self) -> usize {
        match self.apply {
            Apply::Text(_) => 1,
            Apply::Frame(_) => WORDINGS,
        }
    }
}

/// Every form, by group.
pub static FORMS: &[&[Form]] = &[
    frames::FORMS,
    wraps::FORMS,
    typography::FORMS,
    typography::TRANSPORT,
    marks::FORMS,
    values::FORMS,
    reasoning::FORMS,
];

/// All forms.
pub fn forms() -> impl Iterator<Item = &'static Form> {
    FORMS.iter().copied().flatten()
}

/// The form with a name.
pub fn form(name: &str) -> Option<&'static Form> {
    forms().find(|form| form.name == name)
}

/// The answer that knows nothing with a name.
pub fn answer(name: &str) -> Option<&'static Bluff> {
    ANSWERS.iter().find(|answer| answer.name == name)
}

/// The names of the forms that a name or the name of a group selects; none for an unknown one.
pub fn selected(name: &str) -> Vec<&'static str> {
    forms()
        .filter(|form| form.name == name || form.group.name() == name)
        .map(|form| form.name)
        .collect()
}

/// Whether the answer is in a format in which marks and signs have a meaning of their own.
fn is_formatted(text: &str) -> bool {
    is_json(text) || is_markup(text) || text.contains("```") || is_csv(text)
}

fn is_shape(shape: Shape, text: &str) -> bool {
    shape.conforms(&Text::new(text)).is_ok()
}

/// Whether a text is a list, an object or a string of JSON.
fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[', '"']) && is_shape(Shape::Json, text)
}

fn is_markup(text: &str) -> bool {
    text.contains('<') && (is_shape(Shape::Html, text) || is_shape(Shape::Xml, text))
}

/// Whether a text is CSV, and no prose with commas.
fn is_csv(text: &str) -> bool {
    !text.contains(". ") && is_shape(Shape::Csv, text)
}

/// Whether the answer is one line.
fn is_one_line(text: &str) -> bool {
    !text.trim().is_empty() && !text.trim().contains('\n')
}

/// Whether an answer has marks of Markdown that begin a line.
fn has_marks(text: &str) -> bool {
    let text = Text::new(text);
    [ifs_text::Unit::Item, ifs_text::Unit::Heading, ifs_text::Unit::Table]
        .into_iter()
        .any(|unit| text.count(unit) > 0)
}

/// The label that begins the last line, such as `Answer:`, with its colon; and what follows it.
/// Labels are demanded by messages, so a form changes what follows them.
fn payload(text: &str) -> Option<(&str, &str)> {
    let end = text.trim_end();
    let line = end.rsplit('\n').next().unwrap_or(end);
    let colon = line.find([':', '：'])?;
    let (label, rest) = line.split_at(colon);
    let bare = label.trim_matches(['*', ' ', '#', '_']);
    let is_label = wording::is_label(bare);
    let sign = rest.chars().next()?.len_utf8();
    let value = rest.get(sign..)?.trim();
    (is_label && !value.is_empty()).then(|| {
        let start = end.len() - value.len();
        (&text[..start], value)
    })
}

#[cfg(test)]
mod tests {
    use super::{ANSWERS, BaseText, FormGroup, Tongue, form, forms, payload};

    #[test]
    fn examples_are_what_the_forms_make() {
        for form in forms() {
            let (before, after) = form.example;
            let tongue = Tongue::of_text(before).unwrap_or(Tongue::English);
            let rosters = vec![vec!["Cole Jarvis".to_owned(), "Ole Brandt".to_owned()]];
            let base = BaseText { text: before, tongue, rosters: &rosters };
            assert_eq!(form.applied(&base, 0).as_deref(), Some(after), "{}", form.name);
            assert!(!form.doc.is_empty() && form.doc.ends_with('.'), "{}", form.name);
        }
    }

    #[test]
    fn names_occur_once() {
        let mut names: Vec<&str> = forms().map(|form| form.name).collect();
        names.extend(ANSWERS.iter().map(|answer| answer.name));
        names.extend(FormGroup::ALL.map(FormGroup::name));
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
        assert!(form("preamble").is_some() && form("nothing").is_none());
    }

    #[test]
    fn labels_are_kept() {
        assert_eq!(payload("So.\nAnswer: 30"), Some(("So.\nAnswer: ", "30")));
        assert_eq!(payload("Answer：30\n"), Some(("Answer：", "30")));
        assert_eq!(payload("Gulls: 30"), None);
        assert_eq!(payload("Answer:"), None);
    }
}
