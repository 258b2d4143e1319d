//! Why a script cannot be drawn: an error of the scenario, with the expression, its values and the
//! current dialogue.

use std::fmt;
use std::sync::Arc;

use ifs_base::diagnostic::{Code, Diagnostic, visible_text};
use ifs_base::source::{Sources, Span};
use ifs_base::work::TooMuchWork;
use ifs_model::table::Domain;
use ifs_parts::template::TemplateFault;
use ifs_predicate::evaluate::{TextContext, Variables, evaluate};
use ifs_predicate::fault::EvalError;
use ifs_predicate::print::print;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;
use ifs_text::NOTHING;

#[derive(Clone, Debug, thiserror::Error)]
pub enum DrawError {
    #[error("there is no dialogue `{0}`")]
    NoDialogue(String),
    #[error("the dialogue `{0}` has no topics")]
    NoTopics(String),
    #[error("the template `{name}` cannot be filled in: line {line}: {message}", line = fault.line, message = fault.message)]
    Template { name: String, fault: TemplateFault },
    /// A text of the scenario itself.
    #[error("the text \"{}\" cannot be filled in: {}", excerpt(&text.text), fault.message)]
    Text { text: Box<ScenarioExcerpt>, fault: TemplateFault },
    #[error("the records of `{0}` have no `request`, with which a user opens a topic")]
    NoRequest(String),
    #[error("no constraint can be imposed on turn {turn}")]
    NothingToImpose { turn: u32 },
    #[error("there are no records in `{0}`")]
    NothingToGoOver(String),
    #[error(transparent)]
    NoValue(Box<NoValue>),
    #[error("`{param}` of `{constraint}` is given `{value}` on turn {turn}, and is {wanted}")]
    OutsideDomain {
        constraint: String,
        param: String,
        value: String,
        wanted: String,
        turn: u32,
        span: Span,
    },
    #[error("{0}")]
    NotCalled(Box<NotCalled>),
    #[error("turn {turn} has no message: it has no `ask`, and the dialogue has no topic")]
    NothingToAsk { turn: u32 },
    #[error("drawing turn {turn} takes {too_much}")]
    TooMuchWork { too_much: TooMuchWork, turn: u32 },
    #[error("the dialogue has more than {most} turns")]
    TooLong { most: usize },
    #[error(
        "{what} is in {have} {unit} among {chosen} dialogues, and the release needs {of}; it was \
         drawn {found} times in {drawn} candidates"
    )]
    NotCovered {
        what: String,
        unit: &'static str,
        have: u64,
        of: u64,
        chosen: u64,
        drawn: u64,
        found: u64,
        span: Span,
    },
    #[error(
        "turn {turn} has no witness in {draws} draws: no text was found that satisfies {}",
        keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")
    )]
    NoWitness { draws: u32, keys: Vec<String>, turn: u32, span: Span },
    #[error("{0}")]
    NoThread(String),
    /// Any of these, with the dialogue.
    #[error("{0}")]
    At(Box<Located>),
}

/// A constraint of published data that cannot be imposed.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct NotCalled {
    pub code: Code,
    pub message: String,
    pub help: Option<String>,
    /// The expression whose value is wrong.
    pub span: Span,
    /// What the value is.
    pub label: &'static str,
}

impl NotCalled {
    /// The label of what published data names.
    const BY_RECORD: &'static str = "named by the record";

    /// A value of published data that is wrong.
    pub fn by_record(code: Code, message: String, help: Option<String>, span: Span) -> DrawError {
        let label = NotCalled::BY_RECORD;
        DrawError::NotCalled(Box::new(NotCalled { code, message, help, span, label }))
    }
}

/// A text of the scenario, and its span.
#[derive(Clone, Debug)]
pub struct ScenarioExcerpt {
    pub text: String,
    pub span: Span,
}

/// An expression without a value, or with one that does not fit.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{what} {}{why}", if *unfit { "" } else { "has no value: " })]
pub struct NoValue {
    /// The purpose of the value: "`score`", "the count of `start with`".
    pub what: String,
    /// Why there is no value; of one that does not fit, "is -1, and 0 or above is expected".
    pub why: String,
    pub unfit: bool,
    /// The expression, as text.
    pub expression: String,
    /// The values of names in it: "`period.plays` is empty".
    pub found: Vec<String>,
    /// The part of it without a value.
    pub span: Span,
}

/// An error with its dialogue.
#[derive(Clone, Debug)]
pub struct Located {
    pub error: DrawError,
    pub dialogue: String,
    /// The variant or split of the dialogue: "split hidden".
    pub variant: Option<String>,
    /// The span of the dialogue.
    pub span: Span,
    /// The index of the dialogue for its seed.
    pub index: Option<u64>,
    /// The turn from 1; 0 before the first.
    pub turn: u32,
    /// The dialogue's record and the record of the topic: "the record \"g7\" of `games`".
    pub records: Vec<String>,
    pub sources: Arc<Sources>,
}

impl NoValue {
    /// For an expression without a value.
    pub(super) fn error(
        what: &str,
        tree: &Tree,
        fault: EvalError,
        names: &dyn Variables,
    ) -> DrawError {
        let span = if fault.span == Span::default() { tree.span } else { fault.span };
        NoValue::with_names(what, (fault.message, false), span, tree, names)
    }

    /// For an expression whose value does not fit.
    pub(super) fn unfit(
        what: &str,
        tree: &Tree,
        value: &Value,
        expected: &str,
        names: &dyn Variables,
    ) -> DrawError {
        let is_absent = *value == Value::Nothing;
        let it = if is_absent { "it " } else { "" };
        let why = format!("{it}is {}, and {expected} is expected", short(value));
        NoValue::with_names(what, (why, !is_absent), tree.span, tree, names)
    }

    fn with_names(
        what: &str,
        (why, unfit): (String, bool),
        span: Span,
        tree: &Tree,
        names: &dyn Variables,
    ) -> DrawError {
        let mut found = Vec::new();
        reported(tree, names, &mut found);
        DrawError::NoValue(Box::new(NoValue {
            what: what.to_owned(),
            why,
            unfit,
            expression: excerpt(&print(tree)),
            found,
            span,
        }))
    }

    /// For a draw without an expression.
    pub(super) fn without_expression(what: &str, why: String, span: Span) -> DrawError {
        DrawError::NoValue(Box::new(NoValue {
            what: what.to_owned(),
            why,
            unfit: false,
            expression: String::new(),
            found: Vec::new(),
            span,
        }))
    }

    /// For an empty text, where one has to say something.
    pub(super) fn empty_text(what: &str, span: Span) -> DrawError {
        NoValue::without_expression(what, EMPTY_TEXT.to_owned(), span)
    }

    /// For a parameter whose domain is empty.
    pub(super) fn empty(
        what: &str,
        span: Span,
        domain: &Domain,
        names: &dyn Variables,
    ) -> DrawError {
        let mut found = Vec::new();
        let printed = |tree: &Tree| {
            let value = evaluate(tree, &TextContext { it: &NOTHING, variables: names });
            value.map(|value| short(&value)).unwrap_or_default()
        };
        let why = match domain {
            Domain::Int { low, high, .. } | Domain::Float { low, high, .. } => {
                format!("there is no number from {} to {}", printed(low), printed(high))
            }
            Domain::Choices(_) | Domain::OneOf(_) => "there is nothing to choose from".to_owned(),
            Domain::Some { low, of, .. } => {
                format!("{} different members are needed, of {}", printed(low), printed(of))
            }
            Domain::Window { within, .. } => {
                format!(
                    "no consecutive members satisfy the condition, which is {}",
                    printed(within)
                )
            }
            Domain::Scene(_) => "the picture cannot be drawn".to_owned(),
            Domain::Given => "its constraint is drawn, and nothing gives it a value".to_owned(),
        };
        expressions(domain).into_iter().for_each(|tree| reported(tree, names, &mut found));
        DrawError::NoValue(Box::new(NoValue {
            what: what.to_owned(),
            why,
            unfit: false,
            expression: String::new(),
            found,
            span,
        }))
    }
}

/// The expressions of a domain that are evaluated before anything is drawn.
pub(super) fn expressions(domain: &Domain) -> Vec<&Tree> {
    match domain {
        Domain::Int { low, high, step } | Domain::Float { low, high, step } => {
            vec![low, high, step]
        }
        Domain::Choices(choices) => choices.iter().map(|(tree, _)| tree).collect(),
        Domain::OneOf(list) => vec![list],
        Domain::Some { low, high, of, .. } => vec![low, high, of],
        Domain::Window { within, .. } => vec![within],
        Domain::Scene(_) | Domain::Given => Vec::new(),
    }
}

/// Why a text that has to say something has no value.
const EMPTY_TEXT: &str = "the text is empty";

/// The maximum number of names that are listed.
const MAX_NAMES: usize = 4;

/// The values of the names in an expression, and of their fields.
fn reported(tree: &Tree, names: &dyn Variables, into: &mut Vec<String>) {
    if into.len() >= MAX_NAMES {
        return;
    }
    if is_path(tree)
        && let Ok(value) = evaluate(tree, &TextContext { it: &NOTHING, variables: names })
    {
        let line = format!("`{}` is {}", print(tree), short(&value));
        if !into.contains(&line) {
            into.push(line);
        }
        return;
    }
    tree.children().into_iter().for_each(|child| reported(child, names, into));
}

/// `game`, `game.periods`, `game.periods[2].plays`
fn is_path(tree: &Tree) -> bool {
    match &tree.node {
        Node::Var(_) | Node::Fact(_) => true,
        Node::Field(record, _) => is_path(record),
        Node::Index(list, at) => is_path(list) && matches!(at.node, Node::Value(_)),
        _ => false,
    }
}

/// A short description of a value.
pub(super) fn short(value: &Value) -> String {
    match value {
        Value::Nothing => "absent".to_owned(),
        Value::Text(text) => format!("\"{}\"", excerpt(text)),
        Value::List(members) if members.is_empty() => "an empty list".to_owned(),
        Value::List(members) => {
            let simple = members.iter().all(|it| !matches!(it, Value::List(_) | Value::Record(_)));
            match (members.len(), simple) {
                (len, false) => format!("a list of {len}"),
                (len, true) if len > 8 => format!("a list of {len}"),
                (_, true) => {
                    let members: Vec<String> = members.iter().map(short).collect();
                    format!("[{}]", members.join(", "))
                }
            }
        }
        Value::Record(fields) => {
            let names: Vec<&str> = fields.iter().take(6).map(|(name, _)| name).collect();
            let more = if fields.len() > names.len() { ", …" } else { "" };
            format!("a record with {}{more}", names.join(", "))
        }
        Value::Bool(_) | Value::Int(_) | Value::Float(_) => value.to_string(),
    }
}

/// The beginning of a text, on one line.
fn excerpt(text: &str) -> String {
    const MAX_EXCERPT_CHARACTERS: usize = 60;
    let line = text.trim().lines().next().unwrap_or_default();
    let cut = line.char_indices().nth(MAX_EXCERPT_CHARACTERS).map_or(line.len(), |(at, _)| at);
    let more = if cut < text.trim().len() { "…" } else { "" };
    visible_text(&format!("{}{more}", &line[..cut]))
}

impl DrawError {
    /// The error in a variant or split of its dialogue: "split hidden".
    #[must_use]
    pub fn in_variant(mut self, described: String) -> DrawError {
        if let DrawError::At(located) = &mut self {
            located.variant = Some(described);
        }
        self
    }

    /// The error without its dialogue.
    pub fn cause(&self) -> &DrawError {
        match self {
            DrawError::At(located) => located.error.cause(),
            error => error,
        }
    }

    fn code(&self) -> Code {
        match self.cause() {
            DrawError::NoDialogue(_) => Code::UNKNOWN_NAME,
            DrawError::Template { .. } | DrawError::Text { .. } => Code::UNFILLED_TEXT,
            DrawError::NoRequest(_) => Code::UNKNOWN_FIELD,
            DrawError::NoTopics(_)
            | DrawError::NothingToImpose { .. }
            | DrawError::NothingToGoOver(_) => Code::NOTHING_TO_DRAW,
            DrawError::NothingToAsk { .. } => Code::MISSING_STATEMENT,
            DrawError::OutsideDomain { .. } => Code::BAD_ARGUMENT,
            DrawError::NotCalled(not) => not.code,
            DrawError::TooLong { .. } | DrawError::TooMuchWork { .. } => Code::TOO_LARGE,
            DrawError::NoWitness { .. } => Code::UNPROVEN_TURN,
            DrawError::NotCovered { .. } | DrawError::NoThread(_) => Code::NOTHING_TO_DRAW,
            DrawError::NoValue(_) | DrawError::At(_) => Code::NO_VALUE,
        }
    }

    /// The span of the expression; `None` if no expression caused it.
    fn place(&self) -> Option<(Span, String)> {
        match self.cause() {
            DrawError::NoValue(missing) => {
                let label = match missing.found.as_slice() {
                    [] if missing.unfit => "this value".to_owned(),
                    [] => "this has no value".to_owned(),
                    found => found.join(", "),
                };
                Some((missing.span, label))
            }
            DrawError::Text { text, fault } => {
                let label = match fault.line {
                    0 | 1 => fault.message.clone(),
                    line => format!("line {line} of it: {}", fault.message),
                };
                Some((text.span, label))
            }
            DrawError::NoWitness { span, .. } => {
                Some((*span, "it says `redraw until witness`".to_owned()))
            }
            DrawError::NotCovered { span, .. } => Some((*span, "declared here".to_owned())),
            DrawError::OutsideDomain { value, span, .. } => Some((*span, format!("`{value}`"))),
            DrawError::NotCalled(not) if not.code == Code::BAD_SPEAKER => {
                Some((not.span, "imposed here".to_owned()))
            }
            DrawError::NotCalled(not) => Some((not.span, not.label.to_owned())),
            _ => None,
        }
        .filter(|(span, _)| *span != Span::default())
    }

    /// What to write instead.
    pub fn advice(&self) -> Option<&str> {
        match self.cause() {
            DrawError::NotCalled(not) => not.help.as_deref(),
            DrawError::NotCovered { .. } => Some(
                "release more dialogues, ask for fewer times, or name the groups that can be \
                 active together: `cover pairs of A, B at least 2 times`",
            ),
            DrawError::TooMuchWork { too_much, .. } => Some(too_much.most.advice()),
            DrawError::NoWitness { .. } => Some(
                "change the constraints so that fewer combinations are impossible, or allow more draws: \
                 `redraw until witness within 500 draws`",
            ),
            DrawError::NoRequest(_) => Some(
                "give each record a `request`, or write templates of your own and \
                 `templates from \"FOLDER\"`",
            ),
            DrawError::NothingToImpose { .. } => Some(
                "fewer groups can give a constraint than requested: check `start with`, \
                 weights, `excludes` and domains",
            ),
            DrawError::NoValue(missing) if missing.unfit => {
                Some("correct the value, or leave records that have it out with `where`")
            }
            DrawError::NoValue(missing) if missing.why == EMPTY_TEXT => {
                Some("give the record a text, or leave it out with `where`")
            }
            DrawError::NoValue(missing) if missing.expression.is_empty() => {
                Some("leave the record out with `where`, or widen the domain of the value")
            }
            DrawError::NoValue(_) => Some(
                "an absent field, an empty list or a member that is not there has no value: leave \
                 such records out with `where`, or write `if … then … else …`",
            ),
            DrawError::Text { .. } => Some(
                "give every record that field, leave such records out with `where`, or write \
                 `{% if … %}` around it",
            ),
            _ => None,
        }
    }

    /// The error as a diagnostic.
    pub fn diagnostic(&self) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(self.code(), self.cause().to_string());
        let place = self.place();
        let named = place.is_some();
        if let Some((span, label)) = place {
            diagnostic = diagnostic.label(span, label);
        }
        let mut help: Vec<String> = Vec::new();
        if let DrawError::At(located) = self {
            if !named && located.span != Span::default() {
                diagnostic = diagnostic.label(located.span, "of this dialogue");
            }
            help.push(located.drawn());
        }
        help.extend(self.advice().map(str::to_owned));
        if help.is_empty() { diagnostic } else { diagnostic.help(help.join("\n")) }
    }

    /// The texts for its diagnostic; `None` if the scenario came from a plan.
    pub fn sources(&self) -> Option<&Arc<Sources>> {
        match self {
            DrawError::At(located) => Some(&located.sources),
            _ => None,
        }
    }
}

impl Located {
    /// "found in turn 2 of dialogue `live_page` number 3, with the record "g7" of `games`"
    fn drawn(&self) -> String {
        let number = self.index.map(|index| format!(" number {index}")).unwrap_or_default();
        let turn = match self.turn {
            0 => "before the first turn".to_owned(),
            turn => format!("on turn {turn}"),
        };
        let with = match self.records.as_slice() {
            [] => String::new(),
            records => format!(", with {}", records.join(" and ")),
        };
        let variant = self.variant.as_ref().map(|it| format!(", {it},")).unwrap_or_default();
        let variant = if number.is_empty() { variant.trim_end_matches(',') } else { &variant };
        format!("found {turn} of dialogue `{}`{variant}{number}{with}", self.dialogue)
    }
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.error.place();
        let span = place.map_or(self.span, |(span, _)| span);
        if span != Span::default() && self.sources.get(span.file).is_some() {
            let (line, column) = self.sources.line_column(span);
            write!(f, "{}:{line}:{column}: ", self.sources.name(span.file))?;
        }
        write!(f, "{}", self.error)?;
        if let DrawError::NoValue(missing) = self.error.cause()
            && !missing.expression.is_empty()
        {
            write!(f, " (in `{}`)", missing.expression)?;
        }
        write!(f, "; {}", self.drawn())
    }
}
