//! The names with their fields, filters, tests, functions and loops of a template, in order.
//! Mistakes in them are found when a scenario is checked, instead of in the middle of a run.

use std::collections::BTreeSet;

use minijinja::ErrorKind;

use super::ENVIRONMENT;
use super::tokens::{PlacedToken, TemplateToken, braces, end_of_raw, next_brace, placed};

/// A range of bytes within the template.
pub type Range = (usize, usize);

/// A use of something in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateUse {
    /// A name with its fields. `guarded`: the template checks whether it is defined.
    Name {
        path: Vec<String>,
        range: Range,
        guarded: bool,
    },
    /// `{% for MEMBER in PATH %}`; without a path if the list is an expression.
    For {
        members: Vec<String>,
        list: Option<Vec<String>>,
        range: Range,
    },
    EndFor,
    /// `{% set NAME = PATH %}`
    Set {
        name: String,
        value: Option<Vec<String>>,
    },
    /// A filter, test or function that does not exist.
    Unknown {
        what: NameKind,
        name: String,
        range: Range,
    },
}

/// The kind of a name in the template language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    Filter,
    Test,
    Function,
    Method,
}

impl NameKind {
    pub fn word(self) -> &'static str {
        match self {
            NameKind::Filter => "filter",
            NameKind::Test => "test",
            NameKind::Function => "function",
            NameKind::Method => "method",
        }
    }

    /// The existing names, for suggestions.
    pub fn known(self) -> &'static [&'static str] {
        match self {
            NameKind::Filter | NameKind::Method => &FILTERS,
            NameKind::Test => &TESTS,
            NameKind::Function => &FUNCTIONS,
        }
    }
}

/// Filters for suggestions; minijinja knows which ones exist.
const FILTERS: [&str; 43] = [
    "abs",
    "attr",
    "bool",
    "capitalize",
    "chain",
    "count",
    "default",
    "dictsort",
    "escape",
    "first",
    "float",
    "groupby",
    "int",
    "items",
    "join",
    "last",
    "length",
    "lines",
    "list",
    "lower",
    "map",
    "max",
    "min",
    "naming",
    "pprint",
    "reject",
    "rejectattr",
    "replace",
    "reverse",
    "round",
    "safe",
    "saying",
    "select",
    "selectattr",
    "sort",
    "split",
    "string",
    "sum",
    "title",
    "trim",
    "unique",
    "upper",
    "zip",
];

const TESTS: [&str; 22] = [
    "boolean",
    "defined",
    "divisibleby",
    "endingwith",
    "eq",
    "even",
    "false",
    "float",
    "ge",
    "gt",
    "in",
    "integer",
    "iterable",
    "le",
    "lt",
    "mapping",
    "ne",
    "none",
    "number",
    "odd",
    "string",
    "undefined",
];

const FUNCTIONS: [&str; 3] = ["dict", "pick", "range"];

/// Keywords of the template language.
const KEYWORDS: [&str; 20] = [
    "true",
    "false",
    "none",
    "True",
    "False",
    "None",
    "not",
    "and",
    "or",
    "in",
    "is",
    "if",
    "else",
    "elif",
    "loop",
    "self",
    "super",
    "recursive",
    "ignore",
    "missing",
];

/// The uses in a template. Empty without braces.
pub fn outline(text: &str) -> Vec<TemplateUse> {
    let mut uses = Vec::new();
    for (kind, tokens, _) in braces(text) {
        match (kind, tokens.split_first()) {
            (b'%', Some(((TemplateToken::Word(word), _), rest))) => match *word {
                "for" => for_loop(rest, &mut uses),
                "endfor" => uses.push(TemplateUse::EndFor),
                "set" | "with" => assigned(rest, &mut uses),
                "if" | "elif" => expression(rest, &mut uses),
                _ => {}
            },
            (b'%', _) => {}
            _ => expression(&tokens, &mut uses),
        }
    }
    guard(&mut uses);
    uses
}

/// The names that a template uses only in conditions, and the maximum number of texts that these
/// conditions choose among.
pub fn names_in_conditions_only(text: &str) -> (BTreeSet<String>, u64) {
    let (mut printed, mut asked) = (String::new(), String::new());
    let (mut at, mut branches) = (0, 0);
    while let Some(found) = next_brace(text, at) {
        let close = if text.as_bytes()[found + 1] == b'%' { b'%' } else { b'}' };
        let (tokens, end) = placed(text, found + 2, close);
        let is_condition = close == b'%'
            && matches!(tokens.first(), Some((TemplateToken::Word("if" | "elif"), _)));
        branches += u32::from(is_condition);
        if is_condition { &mut asked } else { &mut printed }.push_str(&text[found..end]);
        at = end;
    }
    let names = |text: &str| -> BTreeSet<String> {
        let uses = outline(text).into_iter();
        let first = |found| match found {
            TemplateUse::Name { path, .. } => path.into_iter().next(),
            _ => None,
        };
        uses.filter_map(first).collect()
    };
    let printed = names(&printed);
    let only = names(&asked).into_iter().filter(|name| !printed.contains(name)).collect();
    (only, 2u64.saturating_pow(branches))
}

/// Single braces around a name, `{n}`, outside of template braces: the name and the range.
pub fn single_braces(text: &str) -> Vec<(String, Range)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find('{').map(|open| open + at) {
        let rest = &text[open..];
        match rest.as_bytes().get(1) {
            Some(b'#') => {
                at = rest.find("#}").map_or(text.len(), |end| open + end + 2);
                continue;
            }
            Some(kind @ (b'{' | b'%')) => {
                let close = if *kind == b'%' { b'%' } else { b'}' };
                let (tokens, end) = placed(text, open + 2, close);
                let raw =
                    tokens.first().is_some_and(|(token, _)| *token == TemplateToken::Word("raw"));
                at = if raw && *kind == b'%' { end_of_raw(text, end) } else { end };
                continue;
            }
            _ => {}
        }
        at = open + 1;
        let Some(close) = rest.find('}') else { break };
        let inside = rest[1..close].trim_matches(' ');
        let is_name = |part: &str| {
            part.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        if inside.split('.').all(is_name) && !text[..open].ends_with('$') {
            found.push((inside.to_owned(), (open, open + close + 1)));
        }
    }
    found
}

/// A name that is tested by `x is defined` or `x | default(…)` may be missing everywhere.
fn guard(uses: &mut [TemplateUse]) {
    let asked: Vec<Vec<String>> = uses
        .iter()
        .filter_map(|found| match found {
            TemplateUse::Name { path, guarded: true, .. } => Some(path.clone()),
            _ => None,
        })
        .collect();
    for found in uses {
        if let TemplateUse::Name { path, guarded, .. } = found {
            *guarded |= asked.iter().any(|known| path.starts_with(known));
        }
    }
}

fn for_loop(tokens: &[PlacedToken<'_>], uses: &mut Vec<TemplateUse>) {
    let within = tokens.iter().position(|(token, _)| *token == TemplateToken::Word("in"));
    let (members, list) = tokens.split_at(within.unwrap_or(0));
    let list = list.get(1..).unwrap_or(&[]);
    let members = members.iter().filter_map(|(token, _)| match token {
        TemplateToken::Word(word) => Some((*word).to_owned()),
        _ => None,
    });
    let members = members.collect();
    // A condition after the list may use the members.
    let condition = list.iter().position(|(token, _)| *token == TemplateToken::Word("if"));
    let (list, condition) = list.split_at(condition.unwrap_or(list.len()));
    expression(list, uses);
    let range = match (list.first(), list.last()) {
        (Some((_, first)), Some((_, last))) => (first.0, last.1),
        _ => (0, 0),
    };
    uses.push(TemplateUse::For { members, list: as_path(list), range });
    expression(condition, uses);
}

fn assigned(tokens: &[PlacedToken<'_>], uses: &mut Vec<TemplateUse>) {
    let equals = tokens.iter().position(|(token, _)| *token == TemplateToken::Sign('='));
    let Some(equals) = equals else { return expression(tokens, uses) };
    let (names, value) = tokens.split_at(equals);
    let value = value.get(1..).unwrap_or(&[]);
    expression(value, uses);
    for (token, _) in names {
        if let TemplateToken::Word(name) = token {
            let value = as_path(value).filter(|_| names.len() == 1);
            uses.push(TemplateUse::Set { name: (*name).to_owned(), value });
        }
    }
}

/// The path that tokens consist of, if they contain nothing else.
fn as_path(tokens: &[PlacedToken<'_>]) -> Option<Vec<String>> {
    let (path, rest) = path(tokens)?;
    rest.is_empty().then_some(path)
}

/// `a.b.c` at the start of tokens, and the rest.
fn path<'s, 't>(tokens: &'s [PlacedToken<'t>]) -> Option<(Vec<String>, &'s [PlacedToken<'t>])> {
    let ((TemplateToken::Word(first), _), mut rest) = tokens.split_first()? else { return None };
    if KEYWORDS.contains(first) {
        return None;
    }
    let mut path = vec![(*first).to_owned()];
    while let [(TemplateToken::Sign('.'), _), (TemplateToken::Word(field), _), more @ ..] = rest {
        path.push((*field).to_owned());
        rest = more;
    }
    Some((path, rest))
}

fn expression(tokens: &[PlacedToken<'_>], uses: &mut Vec<TemplateUse>) {
    let mut rest = tokens;
    let mut before = None;
    while let Some(((token, place), more)) = rest.split_first() {
        let (token, place) = (*token, *place);
        match (before, token) {
            (Some(TemplateToken::Sign('|')), TemplateToken::Word(name)) => {
                push_use(NameKind::Filter, name, place, uses)
            }
            (Some(TemplateToken::Word("is")), TemplateToken::Word("not")) => {
                // `is not defined`: the name of the test is next.
                rest = more;
                continue;
            }
            (Some(TemplateToken::Word("is")), TemplateToken::Word(name)) => {
                push_use(NameKind::Test, name, place, uses)
            }
            // A field of an expression, or of a member by index.
            (Some(TemplateToken::Sign('.')), TemplateToken::Word(name)) => {
                if matches!(more.first(), Some((TemplateToken::Sign('('), _))) {
                    method(name, place, uses);
                }
            }
            (_, TemplateToken::Word(_)) => {
                let given = matches!(more.first(), Some((TemplateToken::Sign('='), _)))
                    && !matches!(more.get(1), Some((TemplateToken::Sign('='), _)));
                if given {
                    // The name of an argument.
                } else if let Some((path, after)) = path(rest) {
                    before = Some(token);
                    named(path, place, rest, after, uses);
                    rest = after;
                    continue;
                }
            }
            _ => {}
        }
        before = Some(token);
        rest = more;
    }
}

fn named(
    mut path: Vec<String>,
    place: Range,
    from: &[PlacedToken<'_>],
    after: &[PlacedToken<'_>],
    uses: &mut Vec<TemplateUse>,
) {
    let last = from.len() - after.len();
    let end = from.get(last - 1).map_or(place, |(_, place)| *place);
    if matches!(after.first(), Some((TemplateToken::Sign('('), _))) {
        match path.pop() {
            Some(name) if path.is_empty() => push_use(NameKind::Function, &name, end, uses),
            Some(name) => {
                uses.push(TemplateUse::Name { path, range: (place.0, end.1), guarded: true });
                method(&name, end, uses);
            }
            None => {}
        }
        return;
    }
    let word = |at: usize| match after.get(at) {
        Some((TemplateToken::Word(word), _)) => *word,
        _ => "",
    };
    let asked = if word(1) == "not" { word(2) } else { word(1) };
    let guarded = (word(0) == "is" && matches!(asked, "defined" | "undefined"))
        || (matches!(after.first(), Some((TemplateToken::Sign('|'), _)))
            && matches!(word(1), "default" | "d"));
    uses.push(TemplateUse::Name { path, range: (place.0, end.1), guarded });
}

fn push_use(what: NameKind, name: &str, range: Range, uses: &mut Vec<TemplateUse>) {
    if !is_known(what, name) {
        uses.push(TemplateUse::Unknown { what, name: name.to_owned(), range });
    }
}

/// Values in templates have no methods.
fn method(name: &str, range: Range, uses: &mut Vec<TemplateUse>) {
    uses.push(TemplateUse::Unknown { what: NameKind::Method, name: name.to_owned(), range });
}

fn is_known(what: NameKind, name: &str) -> bool {
    let probe = match what {
        NameKind::Filter => format!("{{{{ 1 | {name} }}}}"),
        NameKind::Test => format!("{{{{ 1 is {name} }}}}"),
        NameKind::Function => format!("{{{{ {name}() }}}}"),
        NameKind::Method => return false,
    };
    let filled = ENVIRONMENT.render_str(&probe, ());
    !filled.is_err_and(|error| {
        let unknown = [
            ErrorKind::UnknownFilter,
            ErrorKind::UnknownTest,
            ErrorKind::UnknownFunction,
            ErrorKind::UndefinedError,
        ];
        unknown.contains(&error.kind())
    })
}

#[cfg(test)]
mod tests {
    use super::{NameKind, TemplateUse, is_known, outline, single_braces};

    fn unknown(text: &str) -> Vec<String> {
        let uses = outline(text).into_iter();
        let unknown = uses.filter_map(|found| match found {
            TemplateUse::Unknown { what, name, .. } => Some(format!("{} {name}", what.word())),
            _ => None,
        });
        unknown.collect()
    }

    fn names(text: &str) -> Vec<String> {
        let uses = outline(text).into_iter();
        let names = uses.filter_map(|found| match found {
            TemplateUse::Name { path, guarded, .. } => {
                Some(format!("{}{}", path.join("."), if guarded { "?" } else { "" }))
            }
            _ => None,
        });
        names.collect()
    }

    #[test]
    fn unknown_template_names() {
        assert_eq!(unknown("{{ n | uper }}"), ["filter uper"]);
        assert_eq!(unknown("{% if n is defnied %}{% endif %}"), ["test defnied"]);
        assert_eq!(unknown("{{ n is not evn }}"), ["test evn"]);
        assert_eq!(unknown("{{ upper(n) }}"), ["function upper"]);
        assert_eq!(unknown("{{ n.upper() }}{{ a[0].lower() }}"), ["method upper", "method lower"]);
        assert_eq!(
            unknown("{{ ns | map(attribute=\"a\") | join(', ') }}{{ pick(a, 3) }}{{ range(3) }}"),
            Vec::<String>::new()
        );
        assert_eq!(unknown("{% raw %}{{ n | uper }}{% endraw %}{# {{ n | uper }} #}"), [""; 0]);
    }

    #[test]
    fn names_with_their_fields() {
        assert_eq!(names("{{ a.b.c ~ d }} {{ 'e' }}"), ["a.b.c", "d"]);
        assert_eq!(names("{% for x in a.b if x.c %}{{ x.d }}{% endfor %}"), ["a.b", "x.c", "x.d"]);
        assert_eq!(names("{% if a.b is defined %}{{ a.b }}{% endif %}"), ["a.b?", "a.b?"]);
        assert_eq!(names("{{ a | default('x') }}{{ b | round(precision=n) }}"), ["a?", "b", "n"]);
        assert_eq!(names("{{ loop.index }}{{ a[0].b }}{{ x if y else z }}"), ["a", "x", "y", "z"]);
    }

    #[test]
    fn braces_that_fill_nothing_in() {
        let found = |text: &str| {
            single_braces(text).into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(found("At most {n} words, {{ n }} or { topic.name }."), "n topic.name");
        assert_eq!(found("{\"a\": 1} {} {1} ${n} {% raw %}{n}{% endraw %} {# {n} #}"), "");
    }

    #[test]
    fn suggestions_exist() {
        for what in [NameKind::Filter, NameKind::Test, NameKind::Function] {
            for name in what.known() {
                assert!(is_known(what, name), "{} {name}", what.word());
            }
        }
    }
}
