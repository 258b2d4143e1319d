//! A row: a response, its constraints, and the conversation before it.

use std::borrow::Cow;

use serde::Deserialize;

use ifs_base::diagnostic::Code;
use ifs_predicate::evaluate::Variables;
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;

/// Why a row cannot be graded.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct RowError {
    pub code: Code,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl RowError {
    pub fn new(code: Code, message: impl Into<String>) -> RowError {
        RowError { code, message: message.into(), help: None }
    }

    pub fn help(mut self, help: impl Into<String>) -> RowError {
        self.help = Some(help.into());
        self
    }
}

impl std::fmt::Display for RowError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        self.help.as_ref().map_or(Ok(()), |help| write!(f, "; {help}"))
    }
}

/// One constraint of a row that has several.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RowConstraint<'a> {
    #[serde(borrow)]
    pub constraint: Cow<'a, str>,
    #[serde(default, alias = "arguments")]
    pub args: Option<Value>,
}

/// Other fields are ignored: rows may have any.
#[derive(Debug, Deserialize)]
pub(super) struct GradeRow<'a> {
    #[serde(borrow, default, alias = "response")]
    answer: Option<Cow<'a, str>>,
    #[serde(default)]
    id: Option<Value>,
    #[serde(default)]
    pub key: Option<Value>,
    /// One constraint …
    #[serde(borrow, default)]
    pub constraint: Option<Cow<'a, str>>,
    #[serde(default, alias = "arguments")]
    pub args: Option<Value>,
    /// … or several …
    #[serde(borrow, default)]
    pub constraints: Option<Vec<RowConstraint<'a>>>,
    /// … or by the names that published data has for them.
    #[serde(borrow, default)]
    pub instruction_id_list: Option<Vec<Cow<'a, str>>>,
    /// The same under another name; other rows may have any value here.
    #[serde(default)]
    instructions: Option<Value>,
    #[serde(default)]
    pub kwargs: Option<Vec<Value>>,
    #[serde(borrow, default)]
    pub prompt: Option<Cow<'a, str>>,
    #[serde(default)]
    replies: Option<Value>,
    #[serde(default)]
    turn: Option<i64>,
    #[serde(default)]
    age: Option<i64>,
    #[serde(default)]
    topic: Option<Value>,
    #[serde(default)]
    style: Option<Value>,
}

impl<'a> GradeRow<'a> {
    pub fn parse(line: &'a [u8]) -> Result<GradeRow<'a>, RowError> {
        let text = std::str::from_utf8(line).map_err(|error| {
            let at = error.valid_up_to() + 1;
            RowError::new(Code::BAD_ROW, format!("the line is not UTF-8 from byte {at} on"))
        })?;
        let text = text.trim_start_matches('\u{feff}');
        let no_row = |why: String| {
            RowError::new(Code::BAD_ROW, format!("the line is not a row: {why}"))
                .help("a row is a JSON object on one line with `answer`, `constraint` and `args`")
        };
        // serde would read a list as the fields in order.
        if !text.trim_start().starts_with('{') {
            return Err(no_row("it does not begin with `{`".to_owned()));
        }
        serde_json::from_str(text).map_err(|error| {
            let (why, at) = (error.to_string(), format!(" at line 1 column {}", error.column()));
            let why = why.strip_suffix(&at).unwrap_or(&why);
            let row_error = no_row(format!("{why} (column {})", error.column()));
            match why.contains("hex escape") {
                true => row_error.help(
                    "a character beyond U+FFFF is two escapes, `\\ud83d\\ude00`; half of them is not a text",
                ),
                false => row_error,
            }
        })
    }

    pub fn answer(&self) -> Result<&str, RowError> {
        self.answer.as_deref().ok_or_else(|| {
            RowError::new(Code::BAD_ROW, "the row has no response").help(
                "give it as `answer` (or `response`), a text; an empty text is a response too",
            )
        })
    }

    /// The constraints by their names in published data, with their arguments. `instructions`
    /// counts if nothing else names any and it is a list of names, or of records with an `id`.
    pub fn published(&self) -> Option<Vec<(&str, Option<&Value>)>> {
        if let Some(names) = &self.instruction_id_list {
            return Some(names.iter().map(|name| (&**name, None)).collect());
        }
        if self.constraint.is_some() || self.constraints.is_some() {
            return None;
        }
        let list = self.instructions.as_ref()?.as_list()?;
        list.iter()
            .map(|one| match one {
                Value::Text(name) => Some((&**name, None)),
                one => Some((one.field("id")?.as_str()?, one.field("args"))),
            })
            .collect()
    }

    /// The row's name in its own data.
    pub fn name(&self) -> Option<&Value> {
        self.id.as_ref().or(self.key.as_ref())
    }

    pub fn facts(&self) -> RowVariables<'_> {
        let asked =
            self.replies.as_ref().and_then(Value::as_list).map(|list| list.len() as i64 + 1);
        RowVariables {
            prompt: self.prompt.as_deref(),
            replies: self.replies.as_ref(),
            turn: self.turn.or(asked),
            age: self.age,
            topic: self.topic.as_ref(),
            style: self.style.as_ref(),
        }
    }
}

/// The facts of the turn that a check may refer to.
pub(super) struct RowVariables<'a> {
    pub prompt: Option<&'a str>,
    replies: Option<&'a Value>,
    turn: Option<i64>,
    age: Option<i64>,
    topic: Option<&'a Value>,
    style: Option<&'a Value>,
}

impl RowVariables<'_> {
    /// The facts that are available, with their fields in a row.
    pub const FACTS: [(TurnFact, &'static str); 7] = [
        (TurnFact::Age, "age"),
        (TurnFact::Prompt, "prompt"),
        (TurnFact::Replies, "replies"),
        (TurnFact::Reply, "replies"),
        (TurnFact::Style, "style"),
        (TurnFact::Topic, "topic"),
        (TurnFact::Turn, "turn"),
    ];
}

impl Variables for RowVariables<'_> {
    fn get(&self, _name: &str) -> Option<Value> {
        None
    }

    fn fact(&self, fact: TurnFact) -> Option<Value> {
        match fact {
            TurnFact::Age => self.age.map(Value::Int),
            TurnFact::Prompt => self.prompt.map(Value::text),
            TurnFact::Replies => self.replies.cloned(),
            TurnFact::Reply | TurnFact::Turn => self.turn.map(Value::Int),
            TurnFact::Style => self.style.cloned(),
            TurnFact::Topic => self.topic.cloned(),
            _ => None,
        }
    }
}
