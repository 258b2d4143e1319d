//! What a response asserts: its values with their stances, and whether it gives an expected value as its
//! answer. `ifs_text::claims` reads the text.

use std::sync::Arc;

use super::Expect::{Fails, Faults, Holds, Int, Ints, Text, Texts};
use super::hooks::{Demand, Finding, Repaired};
use super::{Function, ParamType, ReturnType, SUBJECT, param};
use crate::evaluate::Env;
use crate::explain::{Labels, VerbForm, excerpt, fill_placeholders};
use crate::fault::EvalError;
use crate::number::Number;
use crate::operand::Operand;
use crate::tree::Tree;
use crate::value::Value;
use crate::witness::Repairer;
use ifs_text::claims::{
    self, AssertedKind, Claim, ClaimValue, ClaimVerdict, ClauseReading, Column, Expected,
    GamePeriod, NameList, Row, Stance,
};

pub(super) const ROWS: &[&Function] =
    &[&CLAIMS, &ASSERTS, &CLAIMED_ROWS, &ASSERTS_ROW, &ASSERTS_OF];

/// The kinds of values that a text names.
const KINDS: &[&str] = &["number", "percent", "time", "yes or no", "call"];

/// The kinds of values that a record names, with its list.
const LISTED_KINDS: &[&str] = &["name", "option", "names", "order"];

/// The kinds of columns, next to lists of names.
const COLUMN_KINDS: &[&str] = &["number", "percent", "time"];

/// A reading of claims looks at every word with its clause and each list of names.
const NODES_PER_CLAIMED_BYTE: usize = 8;

/// The demand of a row with this name.
macro_rules! demand {
    ($name:literal) => {
        Demand::Own(|arguments, env, who, form| demand($name, arguments, env, who, form))
    };
}
const CLAIMS: Function = Function {
    name: "claims",
    nodes_per_byte: NODES_PER_CLAIMED_BYTE,
    params: &[SUBJECT, param("kind", ParamType::Any)],
    subject: true,
    returns: ReturnType::Any,
    doc: "The values of a kind that the text mentions, in order: records of `value`, `said` (the words), \
          `stance` and `unit`. The kinds are `\"number\"`, `\"percent\"`, `\"time\"`, `\"yes or no\"`, `\"call\"`, and with a list `{ name: \
          names }` and `{ option: texts }` (a letter or its text). The stance is `asserted`, `unsure` (`I think`), \
          `negated`, `hedged` (one of several, or a bound), `retracted`, `reported` (of somebody else, another time, a \
          condition) or `asked`. Numbers may be in words, and names shortened where that is unique; a list of texts \
          among the names is one name with its synonyms. English, Chinese and German are read.",
    examples: &[
        ("claims(\"number\") each it.value", "Not 25 but 30.", Ints(&[25, 30])),
        ("claims(\"number\") each it.stance", "Not 25 but 30.", Texts(&["negated", "asserted"])),
        ("claims(\"time\")[1].value", "9:30 left in the first quarter", Text("Q1 9:30")),
        (
            "claims({ name: [\"Cole Jarvis\", \"Ann Palmer\"] }) each it.value",
            "Jarvis, ahead of Palmer",
            Texts(&["Cole Jarvis", "Ann Palmer"]),
        ),
        ("claims(\"colour\")", "red", Faults),
    ],
    call: |given| {
        let question = ClaimKind::new(given.get(1)?)?;
        let piece = given.piece(0)?;
        let text = piece.as_str();
        let kind = question.kind()?;
        let found = piece.read(|read| claims::claims(text, read.clauses(), kind));
        let record = |claim: Claim| {
            Value::record([
                ("value", question.shown(&claim.value)),
                ("said", Value::text(text.get(claim.place).unwrap_or(""))),
                ("stance", Value::text(claim.stance.name())),
                ("unit", Value::text(claim.unit.as_deref().unwrap_or(""))),
            ])
        };
        Ok(Operand::Value(Value::list(found.into_iter().map(record))))
    },
    ..Function::BARE
};

const ASSERTS: Function = Function {
    name: "asserts",
    nodes_per_byte: NODES_PER_CLAIMED_BYTE,
    params: &[SUBJECT, param("kind", ParamType::Any), param("value", ParamType::Any)],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the text gives this value of a kind as its answer, and no other one. The kinds are those of \
          `claims`, `{ number: 2 }` (a number that is off by at most 2), `{ names: list }` (exactly these of the list) and \
          `{ order: list }` (these in their order). Any text may surround the answer. A line such as `Answer: 30`, a \
          conclusion, bold, or the first sentence chooses among several values; a value that is denied, taken back, \
          asked, only a bound, or one of two that may be meant is no answer.",
    examples: &[
        ("asserts(\"number\", 30)", "You owe **30 euros** (10 books × 3).", Holds),
        ("asserts(\"number\", 30)", "30. No wait, 40.", Fails),
        ("asserts({ number: 2 }, 12)", "It was 13.", Holds),
        ("asserts(\"yes or no\", \"yes\")", "是的，但不久。", Holds),
        ("asserts({ option: [\"10\", \"15\"] }, \"B\")", "It takes 15 seconds.", Holds),
        (
            "asserts({ name: [\"Gulls\", \"Cranes\"] }, \"Gulls\")",
            "The Cranes trail the Gulls.",
            Holds,
        ),
        ("asserts(\"time\", \"14:50\")", "Um 14.50 Uhr.", Holds),
        (
            "asserts({ order: [\"Ida\", \"Mara\", \"Ole\"] }, [\"Mara\", \"Ole\"])",
            "First Ole, then Mara.",
            Fails,
        ),
    ],
    call: |given| {
        let asked = Expectation::of_value(given.get(1)?, given.get(2)?)?;
        let piece = given.piece(0)?;
        let verdict = piece.read(|read| asked.verdict(piece.as_str(), read.clauses()))?;
        Ok(Operand::bool(verdict == ClaimVerdict::Held))
    },
    demand: Some(demand!("asserts")),
    finding: Some(Finding::Claim),
    repair: Some(repair),
    ..Function::BARE
};

const CLAIMED_ROWS: Function = Function {
    name: "claimed_rows",
    nodes_per_byte: NODES_PER_CLAIMED_BYTE,
    params: &[SUBJECT, param("columns", ParamType::Any), param("besides", ParamType::Any)],
    subject: true,
    returns: ReturnType::Any,
    doc: "The values that the text asserts together, in lines, tables or prose: records with the fields of the record \
          `columns`, and `said`, the words around them. A column is `\"number\"`, `\"percent\"`, `\"time\"` (`\"time in Q2\"` \
          if the text need not name the period) or a list of names; two columns with one list are two names, in the \
          alphabetical order of their fields: `{ by: players, over: players }`. The first column of names, in this order, is what \
          rows are about: what names nobody goes on with the name before. A value that is not given is \"\". What is denied, taken back or hedged is in no row, nor is a row with \
          the values of the record `besides`, such as those of the question (`[]` for none).",
    examples: &[
        (
            "claimed_rows({ player: [\"Ann Example\", \"Bo Stone\"], points: \"number\", at: \"time\" }, [])[2].at",
            "Ann Example, 2, Q1 9:30\nBo Stone, 3 points, 8:15 in Q1",
            Text("Q1 8:15"),
        ),
        (
            "claimed_rows({ side: [\"Gulls\", \"Cranes\"], points: \"number\" }, []) each it.points",
            "101-99 for the Gulls.",
            Ints(&[101, 99]),
        ),
        (
            "count(claimed_rows({ side: [\"Gulls\", \"Cranes\"], points: \"number\" }, []))",
            "Gulls 101 or 99",
            Int(0),
        ),
        ("claimed_rows({ side: \"colour\" }, [])", "red", Faults),
    ],
    call: |given| {
        let table = RowTable::new(given.get(1)?)?;
        let piece = given.piece(0)?;
        let text = piece.as_str();
        let found = piece.read(|read| table.rows(read.clauses()));
        let record = |row: &Row| {
            let said = Value::text(text.get(row.around.clone()).unwrap_or(""));
            let fields = row.values.iter().zip(&table.columns);
            let fields = fields.map(|(value, column)| (column.name.clone(), column.shown(value)));
            Value::record(fields.chain(std::iter::once(("said".to_owned(), said))))
        };
        let besides = table.besides(given.get(2)?)?;
        let is_asserted = |row: &&Row| row.stance.is_asserted() && !is_beside(row, &besides);
        Ok(Operand::Value(Value::list(found.iter().filter(is_asserted).map(record))))
    },
    ..Function::BARE
};

const ASSERTS_ROW: Function = Function {
    name: "asserts_row",
    nodes_per_byte: NODES_PER_CLAIMED_BYTE,
    params: &[
        SUBJECT,
        param("row", ParamType::Any),
        param("columns", ParamType::Any),
        param("times", ParamType::Int),
        param("besides", ParamType::Any),
    ],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the text asserts the values of a record together, as a row of `claimed_rows`, at least so many `times`; \
          rows with the values of the record `besides` do not count (`[]` for none). A column that the record lacks is not compared.",
    examples: &[
        (
            "asserts_row({ player: \"Ann\", at: \"Q1 9:30\" }, { player: [\"Ann\", \"Bo\"], points: \"number\", at: \"time\" }, 1, [])",
            "With 9:30 left in the first quarter Ann made two.",
            Holds,
        ),
        (
            "asserts_row({ player: \"Ann\", points: 2 }, { player: [\"Ann\", \"Bo\"], points: \"number\", at: \"time\" }, 1, [])",
            "Ann, 3, Q1 9:30\nBo, 2, Q1 8:15",
            Fails,
        ),
    ],
    call: |given| {
        let asked = Expectation::of_row(given.get(1)?, given.get(2)?, given.get(4)?)?;
        let times = given.int(3)?;
        let piece = given.piece(0)?;
        Ok(Operand::bool(piece.read(|read| asked.matching_rows(read.clauses())) as i64 >= times))
    },
    demand: Some(demand!("asserts_row")),
    finding: Some(Finding::Claim),
    repair: Some(repair),
    ..Function::BARE
};

const ASSERTS_OF: Function = Function {
    name: "asserts_of",
    nodes_per_byte: NODES_PER_CLAIMED_BYTE,
    params: &[SUBJECT, param("row", ParamType::Any), param("columns", ParamType::Any)],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the text gives the number of a record to its names, and no other one: wherever a row of \
          `claimed_rows` has these names, it has this number. Where the text names nothing for a column, what it says is of \
          any name.",
    examples: &[
        (
            "asserts_of({ side: \"Gulls\", points: 101 }, { side: [\"Gulls\", \"Cranes\"], points: \"number\" })",
            "The Gulls lead 101-99.",
            Holds,
        ),
        (
            "asserts_of({ side: \"Cranes\", points: 99 }, { side: [\"Gulls\", \"Cranes\"], points: \"number\" })",
            "Gulls 101, Cranes 99 or 98",
            Fails,
        ),
        (
            "asserts_of({ name: \"Ann\", what: \"threes\", n: 8 }, { name: [\"Ann\"], what: [\"twos\", \"threes\"], n: \"number\" })",
            "Ann made 9 twos and 8 threes.",
            Holds,
        ),
    ],
    call: |given| {
        let asked = Expectation::of_names(given.get(1)?, given.get(2)?)?;
        let piece = given.piece(0)?;
        let verdict = piece.read(|read| asked.verdict(piece.as_str(), read.clauses()))?;
        Ok(Operand::bool(verdict == ClaimVerdict::Held))
    },
    demand: Some(demand!("asserts_of")),
    finding: Some(Finding::Claim),
    repair: Some(repair),
    ..Function::BARE
};

fn number(operand: &Operand<'_>) -> Result<f64, EvalError> {
    operand
        .as_number()
        .map(Number::float)
        .ok_or_else(|| EvalError::new(format!("a number is expected, not {}", operand.kind())))
}

/// The names of a list; a list in it is one name with its synonyms.
fn roster(list: &Operand<'_>) -> Result<NameList, EvalError> {
    let names = |member: Operand<'_>| -> Result<Vec<String>, EvalError> {
        if let Some(name) = member.as_str() {
            return Ok(vec![name.to_owned()]);
        }
        let synonyms: Option<Vec<String>> = (member.as_number().is_none()
            && member.list_len().is_some())
        .then(|| member.members().map(|name| name.as_str().map(str::to_owned)).collect())
        .flatten();
        synonyms.filter(|names| !names.is_empty()).ok_or_else(|| {
            EvalError::new(format!("a name is a text or a list of synonyms, not {}", member.kind()))
        })
    };
    if list.list_len().is_none() {
        return Err(EvalError::new(format!("a list of names is expected, not {}", list.kind())));
    }
    Ok(NameList::new(list.members().map(names).collect::<Result<_, _>>()?))
}

/// A kind of values, with the names or the options that it is about.
struct ClaimKind {
    name: String,
    roster: NameList,
    options: Vec<String>,
    /// How far a number may be off.
    within: f64,
}

impl ClaimKind {
    fn new(kind: &Operand<'_>) -> Result<ClaimKind, EvalError> {
        let plain = |name: &str| ClaimKind {
            name: name.to_owned(),
            roster: NameList::default(),
            options: Vec::new(),
            within: 0.0,
        };
        if let Some(name) = kind.as_str().filter(|name| KINDS.contains(name)) {
            return Ok(plain(name));
        }
        let shown =
            || kind.as_str().map_or_else(|| kind.kind().to_owned(), |name| format!("`{name}`"));
        let unknown = || {
            let listed: Vec<String> =
                LISTED_KINDS.iter().map(|name| format!("{{ {name}: … }}")).collect();
            EvalError::new(format!(
                "{} is not a kind of values: {}, {}",
                shown(),
                KINDS.join(", "),
                listed.join(", ")
            ))
        };
        let Some(Value::Record(record)) = kind.value() else { return Err(unknown()) };
        let mut fields = record.iter();
        let (Some((name, value)), None) = (fields.next(), fields.next()) else {
            return Err(unknown());
        };
        let value = Operand::Value(value.clone());
        if matches!(name, "number" | "percent") {
            return Ok(ClaimKind { within: number(&value)?, ..plain(name) });
        }
        if !LISTED_KINDS.contains(&name) {
            return Err(unknown());
        }
        let roster = roster(&value)?;
        let options = (0..roster.len()).map(|at| roster.name(at).to_owned()).collect();
        Ok(ClaimKind { roster, options, ..plain(name) })
    }

    fn kind(&self) -> Result<AssertedKind<'_>, EvalError> {
        Ok(match self.name.as_str() {
            "number" => AssertedKind::Number,
            "percent" => AssertedKind::Percent,
            "time" => AssertedKind::Clock,
            "option" => AssertedKind::Choice(&self.options),
            "yes or no" => AssertedKind::YesNo,
            "call" => AssertedKind::Call,
            _ => AssertedKind::Name(&self.roster),
        })
    }

    /// A claimed value in the language.
    fn shown(&self, value: &ClaimValue) -> Value {
        match value {
            ClaimValue::Number(number) => number_value(*number),
            ClaimValue::Clock(clock) => Value::text(&clock.to_string()),
            ClaimValue::Name(name) => Value::text(name.map_or("", |at| self.roster.name(at))),
            ClaimValue::Choice(at) => Value::text(&letter(*at)),
            ClaimValue::Answer(true) => Value::text("yes"),
            ClaimValue::Answer(false) => Value::text("no"),
            ClaimValue::Call(call) => Value::text(call),
        }
    }

    /// An expected value.
    fn expected(&self, value: &Operand<'_>) -> Result<Expected, EvalError> {
        let text = || {
            value.as_str().ok_or_else(|| {
                EvalError::new(format!(
                    "the kind `{}` needs a text as its value, not {}",
                    self.name,
                    value.kind()
                ))
            })
        };
        Ok(match self.name.as_str() {
            "number" | "percent" => Expected::Number { value: number(value)?, within: self.within },
            "time" => {
                let text = text()?;
                let clock = claims::clock(text).ok_or_else(|| {
                    EvalError::new(format!("`{text}` is not a time such as `9:30` or `Q1 9:30`"))
                })?;
                Expected::Value(ClaimValue::Clock(clock))
            }
            "option" => {
                let text = text()?;
                let by_letter = match text.as_bytes() {
                    [letter] => Some(usize::from(letter.to_ascii_uppercase().wrapping_sub(b'A'))),
                    _ => None,
                };
                let at = by_letter
                    .filter(|at| *at < self.options.len())
                    .or_else(|| self.options.iter().position(|option| option == text))
                    .ok_or_else(|| {
                        EvalError::new(format!(
                            "`{text}` is not one of {} options",
                            self.options.len()
                        ))
                    })?;
                Expected::Value(ClaimValue::Choice(at))
            }
            "yes or no" => match text()? {
                "yes" => Expected::Value(ClaimValue::Answer(true)),
                "no" => Expected::Value(ClaimValue::Answer(false)),
                other => {
                    return Err(EvalError::new(format!(
                        "the value is `yes` or `no`, not `{other}`"
                    )));
                }
            },
            "call" => Expected::Value(ClaimValue::Call(claims::evened_call(text()?))),
            _ => Expected::Value(ClaimValue::Name(Some(self.entry(text()?)?))),
        })
    }

    fn entry(&self, name: &str) -> Result<usize, EvalError> {
        entry(&self.roster, name)
    }
}

fn entry(roster: &NameList, name: &str) -> Result<usize, EvalError> {
    roster
        .position(name)
        .ok_or_else(|| EvalError::new(format!("`{name}` is not in the list of names")))
}

fn letter(at: usize) -> String {
    let letter = u8::try_from(at).ok().and_then(|at| b'A'.checked_add(at)).unwrap_or(b'?');
    char::from(letter).to_string()
}

fn number_value(number: f64) -> Value {
    // A whole number that fits is an integer.
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return Value::Int(number as i64);
    }
    Number::finite(number).map_or(Value::Nothing, Number::value)
}

/// The columns of rows, with their names.
struct RowTable {
    columns: Vec<RowColumn>,
}

struct RowColumn {
    name: String,
    kind: ColumnKind,
}

enum ColumnKind {
    Number,
    Percent,
    Time(Option<GamePeriod>),
    Names(NameList),
}

impl ColumnKind {
    /// Names come first and numbers after them, since the fields of a record have no order of their own.
    fn rank(&self) -> u8 {
        match self {
            ColumnKind::Names(_) => 0,
            ColumnKind::Time(_) => 1,
            ColumnKind::Number | ColumnKind::Percent => 2,
        }
    }
}

/// The fields of a record.
fn record_fields(
    operand: &Operand<'_>,
    what: &str,
) -> Result<Vec<(String, Operand<'static>)>, EvalError> {
    let Some(Value::Record(record)) = operand.value() else {
        return Err(EvalError::new(format!("{what} are a record, not {}", operand.kind())));
    };
    let field = |(name, value): (&str, &Value)| (name.to_owned(), Operand::Value(value.clone()));
    Ok(record.iter().map(field).collect())
}

impl RowTable {
    fn new(columns: &Operand<'_>) -> Result<RowTable, EvalError> {
        let kind = |member: &Operand<'_>| -> Result<ColumnKind, EvalError> {
            let Some(kind) = member.as_str() else { return roster(member).map(ColumnKind::Names) };
            match kind {
                "number" => Ok(ColumnKind::Number),
                "percent" => Ok(ColumnKind::Percent),
                "time" => Ok(ColumnKind::Time(None)),
                _ => match kind.strip_prefix("time in ").and_then(claims::period) {
                    Some(period) => Ok(ColumnKind::Time(Some(period))),
                    None => Err(EvalError::new(format!(
                        "`{kind}` is not a kind of column: {}, or a list of names",
                        COLUMN_KINDS.join(", ")
                    ))),
                },
            }
        };
        let mut columns: Vec<RowColumn> = record_fields(columns, "columns")?
            .into_iter()
            .map(|(name, member)| Ok(RowColumn { name, kind: kind(&member)? }))
            .collect::<Result<_, EvalError>>()?;
        columns.sort_by_key(|column| column.kind.rank());
        if columns.is_empty() {
            return Err(EvalError::new("there are no columns"));
        }
        Ok(RowTable { columns })
    }

    fn rows(&self, reading: &ClauseReading) -> Arc<Vec<Row>> {
        let column = |column: &'_ RowColumn| match &column.kind {
            ColumnKind::Number => Column::Number,
            ColumnKind::Percent => Column::Percent,
            ColumnKind::Time(period) => Column::Clock(*period),
            ColumnKind::Names(_) => Column::Number,
        };
        let columns: Vec<Column<'_>> = self
            .columns
            .iter()
            .map(|own| match &own.kind {
                ColumnKind::Names(roster) => Column::Name(roster),
                _ => column(own),
            })
            .collect();
        claims::rows(reading, &columns)
    }

    /// The expected values of a record, for each column that it has.
    fn expected(&self, row: &Operand<'_>) -> Result<Vec<Option<Expected>>, EvalError> {
        let mut expected: Vec<Option<Expected>> = self.columns.iter().map(|_| None).collect();
        for (name, value) in record_fields(row, "the values of a row")? {
            let at =
                self.columns.iter().position(|column| column.name == name).ok_or_else(|| {
                    let names: Vec<&str> =
                        self.columns.iter().map(|column| column.name.as_str()).collect();
                    EvalError::new(format!("there is no column `{name}`: {}", names.join(", ")))
                })?;
            if let Some(slot) = expected.get_mut(at) {
                *slot = Some(self.columns[at].expected(&value)?);
            }
        }
        Ok(expected)
    }

    /// The values of a row that does not count.
    fn besides(&self, row: &Operand<'_>) -> Result<Vec<Option<Expected>>, EvalError> {
        if row.list_len() == Some(0) { Ok(Vec::new()) } else { self.expected(row) }
    }
}

impl RowColumn {
    fn shown(&self, value: &Option<ClaimValue>) -> Value {
        match (value, &self.kind) {
            (Some(ClaimValue::Number(number)), _) => number_value(*number),
            (Some(ClaimValue::Clock(clock)), _) => Value::text(&clock.to_string()),
            (Some(ClaimValue::Name(Some(name))), ColumnKind::Names(roster)) => {
                Value::text(roster.name(*name))
            }
            _ => Value::text(""),
        }
    }

    fn expected(&self, value: &Operand<'_>) -> Result<Expected, EvalError> {
        let text = || {
            value.as_str().ok_or_else(|| {
                EvalError::new(format!(
                    "the column `{}` needs a text, not {}",
                    self.name,
                    value.kind()
                ))
            })
        };
        Ok(match &self.kind {
            ColumnKind::Number | ColumnKind::Percent => {
                Expected::Number { value: number(value)?, within: 0.0 }
            }
            ColumnKind::Time(period) => {
                let text = text()?;
                let mut clock = claims::clock(text).ok_or_else(|| {
                    EvalError::new(format!("`{text}` is not a time such as `Q1 9:30`"))
                })?;
                clock.period = clock.period.or(*period);
                Expected::Value(ClaimValue::Clock(clock))
            }
            ColumnKind::Names(roster) => {
                Expected::Value(ClaimValue::Name(Some(entry(roster, text()?)?)))
            }
        })
    }
}

/// What a text has to assert.
enum Expectation {
    Value {
        question: ClaimKind,
        expected: Expected,
    },
    Names {
        question: ClaimKind,
        expected: Vec<usize>,
    },
    Row {
        table: RowTable,
        row: Vec<Option<Expected>>,
        besides: Vec<Option<Expected>>,
    },
    /// The last column has one value wherever the others have theirs.
    Of {
        table: RowTable,
        row: Vec<Option<Expected>>,
    },
}

impl Expectation {
    fn of_value(kind: &Operand<'_>, value: &Operand<'_>) -> Result<Expectation, EvalError> {
        let question = ClaimKind::new(kind)?;
        if matches!(question.name.as_str(), "names" | "order") {
            if value.list_len().is_none() || value.as_number().is_some() {
                return Err(EvalError::new(format!(
                    "a list of names is expected, not {}",
                    value.kind()
                )));
            }
            let entry = |name: Operand<'_>| question.entry(name.as_str().unwrap_or(""));
            let expected = value.members().map(entry).collect::<Result<_, _>>()?;
            return Ok(Expectation::Names { question, expected });
        }
        let expected = question.expected(value)?;
        Ok(Expectation::Value { question, expected })
    }

    fn of_row(
        row: &Operand<'_>,
        columns: &Operand<'_>,
        besides: &Operand<'_>,
    ) -> Result<Expectation, EvalError> {
        let table = RowTable::new(columns)?;
        let row = table.expected(row)?;
        let besides = table.besides(besides)?;
        Ok(Expectation::Row { table, row, besides })
    }

    fn of_names(row: &Operand<'_>, columns: &Operand<'_>) -> Result<Expectation, EvalError> {
        let table = RowTable::new(columns)?;
        let row = table.expected(row)?;
        Ok(Expectation::Of { table, row })
    }

    /// The verdict on a text.
    fn verdict(&self, text: &str, reading: &ClauseReading) -> Result<ClaimVerdict, EvalError> {
        Ok(match self {
            Expectation::Value { question, expected } => {
                claims::verdict(text, reading, question.kind()?, expected)
            }
            Expectation::Names { question, expected } => {
                let is_ordered = question.name == "order";
                claims::names_verdict(reading, &question.roster, expected, is_ordered)
            }
            Expectation::Row { table, row, besides } => {
                let rows = table.rows(reading);
                let rows: Vec<&Row> = rows.iter().filter(|row| !is_beside(row, besides)).collect();
                let fits = |own: &&&Row| fits_row(own, row, row.len());
                match rows.iter().filter(|own| own.stance.is_asserted()).find(fits) {
                    Some(_) => ClaimVerdict::Held,
                    None => row_verdict(&rows, row, row.len()),
                }
            }
            Expectation::Of { table, row } => {
                let rows = table.rows(reading);
                let key = row.len().saturating_sub(1);
                // The names fit, or are not given.
                let has_number = |own: &&&Row| match (own.values.get(key), row.get(key)) {
                    (Some(Some(value)), Some(Some(expected))) => expected.is_met_by(value),
                    _ => false,
                };
                let own: Vec<&Row> = rows
                    .iter()
                    .filter(|own| own.stance.is_asserted() && is_of_names(own, row, key))
                    .collect();
                match own.iter().find(|own| !has_number(own)) {
                    Some(other) if own.iter().any(|own| has_number(&own)) => {
                        ClaimVerdict::Several {
                            places: own.iter().map(|own| own.place.clone()).collect(),
                            cue: other.cue.clone(),
                        }
                    }
                    Some(other) => ClaimVerdict::Other { place: other.place.clone() },
                    None if own.is_empty() => {
                        row_verdict(&rows.iter().collect::<Vec<_>>(), row, key)
                    }
                    None => ClaimVerdict::Held,
                }
            }
        })
    }

    /// How many rows are the expected one.
    fn matching_rows(&self, reading: &ClauseReading) -> usize {
        match self {
            Expectation::Row { table, row, besides } => table
                .rows(reading)
                .iter()
                .filter(|own| {
                    own.stance.is_asserted()
                        && fits_row(own, row, row.len())
                        && !is_beside(own, besides)
                })
                .count(),
            Expectation::Value { .. } | Expectation::Names { .. } | Expectation::Of { .. } => 0,
        }
    }
}

/// Whether the first values of a row are the expected ones.
fn fits_row(own: &Row, row: &[Option<Expected>], count: usize) -> bool {
    own.values.iter().zip(row).take(count).all(|(value, expected)| match (value, expected) {
        (Some(value), Some(expected)) => expected.is_met_by(value),
        (_, None) => true,
        (None, Some(_)) => false,
    })
}

/// Whether a row is the one that does not count.
fn is_beside(own: &Row, besides: &[Option<Expected>]) -> bool {
    !besides.is_empty() && fits_row(own, besides, besides.len())
}

/// The same where a name that is not given is any.
fn is_of_names(own: &Row, row: &[Option<Expected>], key: usize) -> bool {
    let named = own.values.iter().zip(row).take(key);
    let has_value = own.values.get(key).is_some_and(Option::is_some);
    has_value
        && named.clone().any(|(value, _)| value.is_some())
        && named.into_iter().all(|(value, expected)| match (value, expected) {
            (Some(value), Some(expected)) => expected.is_met_by(value),
            _ => true,
        })
}

/// Why no row is the expected one: it is there and not asserted, or others are.
fn row_verdict(rows: &[&Row], row: &[Option<Expected>], count: usize) -> ClaimVerdict {
    if let Some(own) =
        rows.iter().rfind(|own| !own.stance.is_asserted() && fits_row(own, row, count))
    {
        return ClaimVerdict::NotAsserted {
            place: own.place.clone(),
            stance: own.stance,
            cue: own.cue.clone(),
        };
    }
    // The row that has most in common.
    let shared = |own: &&&Row| {
        own.values
            .iter()
            .zip(row)
            .filter(|(value, expected)| {
                value
                    .as_ref()
                    .zip(expected.as_ref())
                    .is_some_and(|(value, expected)| expected.is_met_by(value))
            })
            .count()
    };
    let asserted = rows.iter().filter(|own| own.stance.is_asserted());
    match asserted.max_by_key(shared) {
        Some(other) => ClaimVerdict::Other { place: other.place.clone() },
        None => ClaimVerdict::Nothing,
    }
}

/// The arguments of a call, evaluated.
fn asked_in<'a>(name: &str, arguments: &'a [Tree], env: &Env<'_, 'a>) -> Option<Expectation> {
    let operand = |at: usize| env.operand(arguments.get(at)?).ok();
    match name {
        "asserts" => Expectation::of_value(&operand(1)?, &operand(2)?).ok(),
        "asserts_row" => Expectation::of_row(&operand(1)?, &operand(2)?, &operand(4)?).ok(),
        "asserts_of" => Expectation::of_names(&operand(1)?, &operand(2)?).ok(),
        _ => None,
    }
}

/// The expected value in words, from the arguments after the text: `30`, `Ann Example, 2, Q1 9:30`.
fn in_words(name: &str, arguments: &[Option<Value>]) -> Option<String> {
    // A kind comes before the value of `asserts`; the others begin with a row.
    let at = usize::from(name == "asserts");
    let value = match arguments.get(at)?.as_ref()? {
        Value::Record(row) => Value::list(row.iter().map(|(_, value)| value.clone())),
        other => other.clone(),
    };
    Some(match value.as_list() {
        Some(members) => members.iter().map(Value::to_string).collect::<Vec<_>>().join(", "),
        None => value.to_string(),
    })
}

fn demand<'a>(
    name: &str,
    arguments: &'a [Tree],
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    form: VerbForm,
) -> Option<String> {
    let value = expected_in_words(name, arguments, env)?;
    Some(who.words.demand(&who.words.claim_demand, form, &[("value", &value)]))
}

fn expected_in_words<'a>(name: &str, arguments: &'a [Tree], env: &Env<'_, 'a>) -> Option<String> {
    let value = |tree: &'a Tree| env.operand(tree).ok()?.value();
    in_words(name, &arguments.iter().skip(1).map(value).collect::<Vec<_>>())
}

/// What a text says instead of the expected value, and the place of it.
pub(crate) fn finding<'a>(
    name: &str,
    arguments: &'a [Tree],
    env: &Env<'_, 'a>,
    labels: (&Labels<'_>, &str),
    text: &str,
) -> Option<String> {
    let (who, owner) = labels;
    let asked = asked_in(name, arguments, env)?;
    let verdict = asked.verdict(text, &ClauseReading::of(text)).ok()?;
    let words = &who.words;
    let quoted = |place: &std::ops::Range<usize>| {
        excerpt::excerpt(text.get(place.clone()).unwrap_or("").trim())
    };
    let say = |key: &str, value: &str, cue: &str| {
        let template = words.claims.get(key).map_or("", String::as_str);
        let places = [("who", owner), ("value", value), ("cue", cue)];
        Some(fill_placeholders(template, &places))
    };
    match &verdict {
        ClaimVerdict::Held => say("held", &expected_in_words(name, arguments, env)?, ""),
        ClaimVerdict::Nothing => say("nothing", "", ""),
        ClaimVerdict::Other { place } => say("other", &quoted(place), ""),
        ClaimVerdict::Several { places, cue } => {
            let values: Vec<String> = places.iter().map(quoted).collect();
            let (first, last) = (values.first()?, values.last()?);
            let template = words.claims.get(if cue.is_some() { "hedged" } else { "several" })?;
            let cue = cue.as_ref().map(quoted).unwrap_or_default();
            let places = [("who", owner), ("value", &**first), ("other", &**last), ("cue", &*cue)];
            Some(fill_placeholders(template, &places))
        }
        ClaimVerdict::NotAsserted { place, stance, cue } => {
            let key = match stance {
                Stance::Negated => "negated",
                Stance::Retracted => "retracted",
                Stance::Reported => "reported",
                Stance::Asked => "asked",
                Stance::Hedged | Stance::Asserted | Stance::Unsure => "bound",
            };
            let cue = cue.as_ref().map(quoted).unwrap_or_default();
            say(key, &quoted(place), &cue)
        }
    }
}

/// A text that gives the expected value as its answer: in a line behind it, or alone. One that must not gets a line
/// that takes everything back.
fn repair(repairer: &mut Repairer<'_, '_>, at: &Repaired<'_>, wanted: bool) -> Option<String> {
    let text = at.text.trim_end();
    if !wanted {
        return Some(format!("{text}\nNo wait, that is wrong."));
    }
    let values: Vec<Option<Value>> =
        at.call.arguments.iter().skip(1).map(|tree| repairer.value(tree, at.text)).collect();
    let value = in_words(at.call.func.name, &values)?;
    let is_bare = match values.first() {
        Some(Some(Value::Text(kind))) => kind.to_string() == "yes or no",
        Some(Some(Value::Record(kind))) => {
            kind.get("option").is_some() || at.call.func.name != "asserts"
        }
        _ => true,
    };
    let line = if is_bare { value } else { format!("Answer: {value}") };
    let candidates = [format!("{text}\n{line}"), format!("{line}\n{text}"), line.clone()];
    let candidates = candidates.into_iter().map(|candidate| candidate.trim().to_owned());
    let met = |candidate: &String| repairer.holds(at.call.tree, candidate);
    candidates.into_iter().find(met).or(Some(line))
}
