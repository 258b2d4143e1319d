//! The values of a structured response: JSON values, and rows of CSV.

use std::rc::Rc;

use super::Expect::{Fails, Faults, Holds, Int, Text, Texts};
use super::hooks::{Demand, Derived, FORMAT, Finding, HAVE_FORM, Sees};
use super::{Arguments, Func, Function, ParamType, ReturnType, SUBJECT, optional, param};
use crate::bound::no_facts;
use crate::fault::EvalError;
use crate::operand::Operand;
use crate::schema::{Schema, released};
use crate::value::Value;
use ifs_text::shape::unwrapped;

pub(super) const ROWS: &[&Function] = &[&JSON, &FITS_SCHEMA, &MISSED_FIELDS_AS_RELEASED, &CSV_ROWS];

/// Those that rules about several functions name.
impl Func {
    pub const JSON: Func = Func::named("json");
    pub const FITS_SCHEMA: Func = Func::named("fits_schema");
}

const JSON: Function = Function {
    name: "json",
    params: &[SUBJECT, optional("pointer", ParamType::Text)],
    subject: true,
    returns: ReturnType::Any,
    doc: "The JSON value that the response is, or the part of it that a JSON Pointer (RFC 6901, \
          places from 0) leads to: objects are records, arrays are lists. Fields may also be \
          written with a dot, and members by ordinal: `json.people[1].name`. A response that is \
          one fenced code block is unwrapped. No value when the response is not JSON, the pointer \
          leads nowhere, a key occurs twice, a whole number needs more than 64 bits, or it nests \
          more than 127 deep.",
    examples: &[
        ("json.name", "{\"name\": \"Ada\"}", Text("Ada")),
        (
            "json(it, \"/people/1/first name\")",
            "{\"people\": [{}, {\"first name\": \"Ada\"}]}",
            Text("Ada"),
        ),
        ("sum(json.age) > 30", "[{\"age\": 10}, {\"age\": 21}]", Holds),
        ("every p in json.people: p.age >= 18", "{\"people\": [{\"age\": 7}]}", Fails),
        ("json(it, \"/b\")", "{\"a\": 1}", Faults),
        ("json.a == 1 or true", "no JSON", Holds),
        ("count(json.n) == 2", "[{\"n\": 1}, {\"n\": 2}]", Holds),
        ("count(json.n) == 2", "[{\"n\": 1}, {\"m\": 2}]", Faults),
        ("count(json.n) == 2", "[[], []]", Faults),
        ("json", "no JSON", Faults),
    ],
    call: |given| {
        let value = parse_json(given.text(0)?).map_err(EvalError::new)?;
        match given.optional(1) {
            None => Ok(Operand::Value(value)),
            Some(_) => {
                let pointer = given.text(1)?;
                lookup(&value, pointer)
                    .map(|value| Operand::Value(value.clone()))
                    .ok_or_else(|| EvalError::new(format!("there is nothing at `{pointer}`")))
            }
        }
    },
    derived: Derived::JsonValue,
    sees: Sees::Also(FORMAT),
    ..Function::BARE
};

const FITS_SCHEMA: Function = Function {
    name: "fits_schema",
    params: &[param("value", ParamType::Any), param("schema", ParamType::Schema)],
    subject: false,
    returns: ReturnType::Bool,
    doc: "Whether a value is as a JSON Schema says, written as a record, as a text of JSON, or as \
          the path of a `.json` file of the scenario. Known are `type`, `enum`, `const`, \
          `properties`, `required`, `additionalProperties`, `items`, `uniqueItems`, `pattern` \
          (a regular expression of this language, anywhere in the text), `minimum`, `maximum`, \
          `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `minLength`, `maxLength`, \
          `minItems`, `maxItems`, `minProperties`, `maxProperties`, `allOf`, `anyOf`, `oneOf` and \
          `not`. Other keywords of the standard that demand something (`$ref`, `if`, \
          `patternProperties`, …) are a mistake; annotations (`title`, `format`, …) and names that \
          the standard does not know demand nothing, and `check` warns of the latter.",
    examples: &[
        ("fits_schema(json.age, { type: \"integer\", minimum: 0 })", "{\"age\": 7}", Holds),
        ("fits_schema(json.age, { type: \"integer\" })", "{\"age\": \"7\"}", Fails),
        ("fits_schema(json(it, \"/age\"), { type: \"integer\" })", "no JSON", Faults),
        ("fits_schema(json, \"{\\\"required\\\": [\\\"a\\\"]}\")", "{}", Fails),
        ("fits_schema(json, { format: \"date\" })", "\"x\"", Holds),
        ("fits_schema(json, \"{\\\"if\\\": true}\")", "\"x\"", Faults),
    ],
    call: |given| {
        let value = given.get(0)?;
        let value = value
            .value()
            .ok_or_else(|| EvalError::new(format!("{} has no value by itself", value.kind())))?;
        Ok(Operand::bool(schema(given, 1)?.fits(&value).is_ok()))
    },
    demand: Some(Demand::Plain(HAVE_FORM)),
    finding: Some(Finding::Misfit),
    // A value from JSON exists only if the JSON does.
    implies: Some(|read, call, wanted| match call.arg(0).filter(|_| wanted) {
        Some(taken) => vec![read.json_facts(call.tree, taken)],
        None => no_facts(),
    }),
    repair: Some(|repairer, at, wanted| match at.call.arguments {
        [value, schema] if wanted => repairer.fits_schema(Some(value), schema, at.text),
        _ => None,
    }),
    sees: Sees::Arguments,
    ..Function::BARE
};

const MISSED_FIELDS_AS_RELEASED: Function = Function {
    name: "missed_fields_as_released",
    params: &[SUBJECT, param("schema", ParamType::Schema), param("checkers", ParamType::Text)],
    subject: true,
    returns: ReturnType::Texts,
    doc: "The fields that Meeseeks' released code checks a response for and does not find as a \
          JSON Schema says: those in `required` and, in the elements of arrays, all of \
          `properties`; its `checkers` for `zh` look into fields that are not required, those for \
          `en` do not. \
          Keywords other than the fields (`minItems`) are not checked, JSON is also read from \
          literals of Python and taken out of prose, and a field that some elements of an array \
          lack is found.",
    examples: &[
        (
            "missed_fields_as_released({ type: \"object\", required: [\"a\", \"b\"] }, \"zh\")",
            "Here: {\"a\": 1}",
            Texts(&["b"]),
        ),
        ("missed_fields_as_released({ type: \"array\" }, \"en\")", "no JSON", Texts(&[])),
    ],
    call: |given| {
        let schema = match given.get(1)?.value().unwrap_or(Value::Nothing) {
            Value::Text(text) => {
                serde_json::from_str(&text).map_err(|error| EvalError::new(error.to_string()))?
            }
            schema => schema,
        };
        let nested = given.text(2)? == "zh";
        let missed = released::missed_paths(given.text(0)?, &schema, nested);
        Ok(Operand::Value(Value::list(missed.iter().map(|path| Value::text(path)))))
    },
    member_nouns: Some([
        "field that is missing or not as it should be",
        "fields that are missing or not as they should be",
    ]),
    ..Function::BARE
};

const CSV_ROWS: Function = Function {
    name: "csv_rows",
    params: &[SUBJECT, optional("between", ParamType::Text)],
    subject: true,
    returns: ReturnType::Rows,
    doc: "The rows of the response read as CSV, each the list of its cells without their quotes; \
          `between` separates two cells, a comma unless given. Lines that are empty are \
          skipped. A response that is one fenced code block is unwrapped. No value when \
          `between` is not one ASCII character.",
    examples: &[
        ("count(csv_rows)", "a,b\n1,2\n", Int(2)),
        ("csv_rows[2][1]", "a,b\n\"1, 2\",3", Text("1, 2")),
        ("every row in csv_rows(it, \"\\t\"): count(row) == 2", "a\tb\n1\t2\t3", Fails),
        ("csv_rows(it, \"::\")", "a::b", Faults),
    ],
    call: |given| {
        let between = if given.len() > 1 { given.text(1)? } else { "," };
        let [between] = between.as_bytes() else {
            return Err(EvalError::new("cells are told apart by one ASCII character"));
        };
        let text = given.text(0)?;
        let part = text.get(unwrapped(text)).unwrap_or("");
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(*between)
            .from_reader(part.as_bytes());
        let mut rows = Vec::new();
        for row in reader.records() {
            let row = row.map_err(|error| EvalError::new(format!("this is no CSV: {error}")))?;
            rows.push(Value::list(row.iter().map(Value::text)));
        }
        Ok(Operand::Value(Value::list(rows)))
    },
    // Another row like the last.
    grow: Some(|_, at| {
        let text = at.text.trim_end();
        Some(format!("{text}\n{}", text.lines().last()?))
    }),
    member_nouns: Some(["row", "rows"]),
    derived: Derived::Rows,
    sees: Sees::Also(FORMAT),
    ..Function::BARE
};

/// The JSON value of a text, or why it is not JSON.
pub(crate) fn parse_json(text: &str) -> Result<Value, String> {
    let part = text.get(unwrapped(text)).unwrap_or("");
    serde_json::from_str(part).map_err(|error| format!("this is not JSON: {error}"))
}

/// The schema given as an argument.
pub(super) fn schema(given: &Arguments<'_, '_>, at: usize) -> Result<Rc<Schema>, EvalError> {
    let schema = given.get(at)?.value().unwrap_or(Value::Nothing);
    Schema::remembered(&schema).map_err(|unfit| EvalError::new(format!("in the schema, {unfit}")))
}

/// What a JSON Pointer leads to.
fn lookup<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    if pointer.is_empty() {
        return Some(value);
    }
    pointer.strip_prefix('/')?.split('/').try_fold(value, |value, part| {
        let part = part.replace("~1", "/").replace("~0", "~");
        match value {
            Value::Record(fields) => fields.get(&part),
            Value::List(members) => {
                let plain = part.bytes().all(|b| b.is_ascii_digit())
                    && (part == "0" || !part.starts_with('0'));
                members.get(part.parse::<usize>().ok().filter(|_| plain)?)
            }
            _ => None,
        }
    })
}
