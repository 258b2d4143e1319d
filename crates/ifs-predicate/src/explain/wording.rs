//! The texts of explanations in each language: tables with placeholders.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::functions::Func;
use crate::needles::SearchKind;
use crate::turn_fact::TurnFact;
use ifs_text::Unit;

/// A struct that is read from a table by the names of its fields. Derived code for this many fields
/// would be 2 % of the binary; so would code that leaves at the first field that cannot be read.
macro_rules! table {
    (
        $(#[$meta:meta])*
        pub struct $name:ident { $($(#[$field_meta:meta])* $vis:vis $field:ident: $type:ty,)* }
    ) => {
        $(#[$meta])*
        pub struct $name { $($(#[$field_meta])* $vis $field: $type,)* }

        impl $name {
            fn read(mut entries: Entries) -> Result<$name, String> {
                let read = $name { $($field: entries.take(stringify!($field)),)* };
                entries.finish().map(|()| read)
            }
        }
    };
}

/// The entries of a table, by name.
struct Entries {
    left: BTreeMap<String, serde_yaml::Value>,
    error: Option<String>,
}

impl Entries {
    /// An entry; after an error, a default.
    #[inline(never)]
    fn take<T: DeserializeOwned + Default>(&mut self, name: &str) -> T {
        let value = self.left.remove(name).unwrap_or_default();
        serde_yaml::from_value(value).unwrap_or_else(|error| {
            self.error.get_or_insert(format!("`{name}`: {error}"));
            T::default()
        })
    }

    /// The first error, which may be an entry that was not taken.
    fn finish(self) -> Result<(), String> {
        let unknown = self.left.into_keys().next();
        let unknown = unknown.map(|name| format!("no text is called `{name}`"));
        self.error.or(unknown).map_or(Ok(()), Err)
    }
}

table! {
    /// The texts of a language. `templates/reasons/en.yaml` says what each is.
    #[derive(Debug)]
    pub struct Wording {
        pub answer: String,
        pub it: String,
        pub that: String,
        pub also: String,
        pub and: String,
        pub or: String,
        pub not: String,
        pub must: String,
        pub alone: String,
        pub are_these: String,
        pub part_named: String,
        pub list_of: String,
        pub valued: String,
        pub asked: String,
        pub otherwise: String,
        pub look_alike: String,
        pub fault: String,
        pub some_fail: String,
        pub none_may: String,
        pub too_many: String,
        pub too_few: String,
        pub too_few_values: String,
        pub too_few_of: String,
        pub has_none: String,
        pub shown: String,
        pub holds: String,
        pub fails: String,
        pub has: String,
        pub has_no: String,
        pub is: String,
        pub are: String,
        pub empty: String,
        pub measure_is: String,
        pub starts: String,
        pub ends: String,
        pub runs: String,
        pub contains: String,
        pub contains_this: String,
        pub lacks: String,
        pub twice: String,
        pub has_small: String,
        pub has_capital: String,
        pub no_case: String,
        pub no_json: String,
        pub misfit: String,
        pub is_shape: String,
        pub no_shape: String,
        pub place: String,
        pub place_at_end: String,
        misfit_whole: String,
        misfit_at: String,
        either: String,
        /// Descriptions of JSON values that do not fit a schema.
        misfits: BTreeMap<String, String>,
        json_types: BTreeMap<String, String>,
        /// One, and several.
        json_sizes: BTreeMap<String, [String; 2]>,
        /// What a text asserts instead of an expected value.
        pub claims: BTreeMap<String, String>,
        pub claim_demand: String,
        pub satisfy: String,
        pub have_every: String,
        pub have: String,
        pub unique: String,
        pub be_shape: String,
        pub be_value: String,
        pub same_as: String,
        pub be_one_of: String,
        pub even: String,
        pub odd: String,
        pub divisible: String,
        /// Demands of functions, by the English of their rows; absent in English.
        demands: Option<BTreeMap<String, String>>,
        /// Infinitive, third person and plural; then the same negated.
        verbs: BTreeMap<String, [String; 6]>,
        pub exactly: String,
        pub but: String,
        pub fewer: String,
        pub at_most: String,
        pub more: String,
        pub at_least: String,
        pub between: String,
        pub half_open: String,
        pub any: String,
        pub have_amount: String,
        pub have_none: String,
        pub be_amount: String,
        pub measure_amount: String,
        pub nth: String,
        pub every: String,
        pub some: String,
        pub no: String,
        pub at_least_of: String,
        pub at_most_of: String,
        pub exactly_of: String,
        /// One, and several.
        pub member: [String; 2],
        pub occurrence: [String; 2],
        pub matches: [String; 2],
        pub matching: String,
        pub asked_for: String,
        pub decides: String,
        pub decides_in: String,
        pub more_such: String,
        pub things_that: String,
        pub different: String,
        pub different_values: [String; 2],
        pub frequency: String,
        pub in_all: String,
        pub pair: String,
        pub of: String,
        pub rest: String,
        pub part: String,
        pub and_more: String,
        pub sought: String,
        pub text: String,
        pub marks: String,
        pub line_end: String,
        pub blank_mark: String,
        pub number: String,
        pub last: String,
        pub last_but_one: String,
        pub from_end: String,
        /// Nouns for units and shapes that their own tables lack.
        units: BTreeMap<String, Noun>,
        shapes: BTreeMap<String, String>,
        /// Nouns for kinds of needles that are not units.
        needles: BTreeMap<String, String>,
        /// What functions measure; absent in English, which their rows have.
        measures: Option<BTreeMap<String, String>>,
        facts: BTreeMap<String, String>,
        /// One member of a list that a function makes of a text, and several; absent in English.
        lists: Option<BTreeMap<String, [String; 2]>>,
        /// One match of a pattern, and several.
        patterns: BTreeMap<String, [String; 2]>,
        /// Beginnings of demands, and what reads better.
        smoother: BTreeMap<String, String>,
        /// Replacements anywhere in a reason, such as nouns with the article of their gender.
        polish: BTreeMap<String, String>,
        /// The quotation marks around excerpts, if they are not “ and ”.
        quotes: Option<[char; 2]>,
    }
}

/// A noun: the same for any number, or one and several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Noun {
    Same(String),
    Counted([String; 2]),
}

/// The form of a demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerbForm {
    pub verb: Verb,
    pub negated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// What must be: `have`.
    Do,
    /// The verb for a single owner: `has`.
    Does,
    /// The plural form: `have`, but `are`.
    They,
}

impl VerbForm {
    /// Positive and negated.
    pub fn for_polarity(wanted: bool) -> VerbForm {
        VerbForm { verb: Verb::Do, negated: !wanted }
    }

    pub fn for_count(n: usize) -> VerbForm {
        VerbForm { verb: if n == 1 { Verb::Does } else { Verb::They }, negated: false }
    }

    pub fn opposite(self) -> VerbForm {
        VerbForm { negated: !self.negated, ..self }
    }

    pub fn plain(self) -> VerbForm {
        VerbForm { negated: false, ..self }
    }
}

static ENGLISH: LazyLock<Wording> =
    LazyLock::new(|| read(include_str!("../../../../templates/reasons/en.yaml")));
static CHINESE: LazyLock<Wording> =
    LazyLock::new(|| read(include_str!("../../../../templates/reasons/zh.yaml")));
static GERMAN: LazyLock<Wording> =
    LazyLock::new(|| read(include_str!("../../../../templates/reasons/de.yaml")));

fn read(table: &str) -> Wording {
    let entries = serde_yaml::from_str(table).map_err(|error| error.to_string());
    match entries.and_then(|left| Wording::read(Entries { left, error: None })) {
        Ok(wording) => wording,
        // The tables are embedded, and a test reads them.
        Err(error) => unreachable!("{error}"),
    }
}

impl Wording {
    pub fn english() -> &'static Wording {
        &ENGLISH
    }

    /// The table of a language by its code, if there is one: `zh`.
    pub fn for_language(language: &str) -> Option<&'static Wording> {
        match language.split('-').next().unwrap_or_default() {
            "en" => Some(&ENGLISH),
            "zh" => Some(&CHINESE),
            "de" => Some(&GERMAN),
            _ => None,
        }
    }

    /// The noun of a unit.
    pub fn unit(&self, unit: Unit, n: usize) -> &str {
        let plain = unit.name().split('.').next().unwrap_or_default();
        match self.units.get(plain) {
            Some(Noun::Same(noun)) => noun,
            Some(Noun::Counted([one, many])) => {
                if n == 1 {
                    one
                } else {
                    many
                }
            }
            None => unit.noun(n),
        }
    }

    /// Applies the replacements to a complete reason.
    pub fn apply_replacements(&self, reason: String) -> String {
        let reason = match self.quotes {
            Some([left, right]) => requoted(&reason, left, right),
            None => reason,
        };
        self.polish.iter().fold(reason, |reason, (found, better)| reason.replace(found, better))
    }

    /// The noun for a kind of needle that is not a unit; `None` if its text is enough.
    pub fn needle(&self, kind: SearchKind) -> Option<&str> {
        self.needles.get(kind.name()).map(String::as_str)
    }

    /// The noun for a shape, by its name and its English noun.
    pub fn shape<'w>(&'w self, name: &str, noun: &'w str) -> &'w str {
        let plain = name.split('.').next().unwrap_or(name);
        self.shapes.get(plain).map_or(noun, String::as_str)
    }

    /// The value that does not fit a schema: at a pointer, or the complete value.
    pub fn misfit(&self, pointer: &str, why: &str) -> String {
        let text = if pointer.is_empty() { &self.misfit_whole } else { &self.misfit_at };
        fill_placeholders(text, &[("pointer", pointer), ("why", why)])
    }

    pub fn why_unfit(&self, key: &str, places: &[(&str, &str)]) -> String {
        fill_placeholders(self.misfits.get(key).map_or(key, String::as_str), places)
    }

    /// The conjunction between alternatives.
    pub fn either(&self) -> &str {
        &self.either
    }

    pub fn json_type<'w>(&'w self, name: &'w str) -> &'w str {
        self.json_types.get(name).map_or(name, String::as_str)
    }

    /// A number of characters, fields or members.
    pub fn json_size(&self, amount: usize, of: &str) -> String {
        let n = amount.to_string();
        let text = self.json_sizes.get(of).map(|[one, many]| if amount == 1 { one } else { many });
        text.map_or_else(|| format!("{n} {of}"), |text| fill_placeholders(text, &[("n", &n)]))
    }

    pub fn member(&self, n: usize) -> &str {
        let [one, many] = &self.member;
        if n == 1 { one } else { many }
    }

    /// The noun for occurrences.
    pub fn occurrence(&self, sought: &str, one: bool) -> String {
        let [single, many] = &self.occurrence;
        fill_placeholders(if one { single } else { many }, &[("sought", sought)])
    }

    /// The noun for matches of a pattern that has no name.
    pub fn matches(&self, n: usize) -> &str {
        let [one, many] = &self.matches;
        if n == 1 { one } else { many }
    }

    /// What a function demands, from the English of its row; `None` if this language has no words
    /// for it.
    pub fn phrase<'w>(&'w self, english: &'w str) -> Option<&'w str> {
        match &self.demands {
            Some(demands) => demands.get(english).map(String::as_str),
            None => Some(english),
        }
    }

    pub fn measure(&self, function: Func) -> Option<&str> {
        match &self.measures {
            Some(measures) => measures.get(function.name).map(String::as_str),
            None => function.noun,
        }
    }

    pub fn fact(&self, fact: TurnFact) -> Option<&str> {
        self.facts.get(fact.name()).map(String::as_str)
    }

    /// The noun for the members of a list that a function returns.
    pub fn list(&self, function: Func, n: usize) -> Option<&str> {
        let [one, many] = match &self.lists {
            Some(lists) => lists.get(function.name)?.each_ref().map(String::as_str),
            None => function.member_nouns?,
        };
        Some(if n == 1 { one } else { many })
    }

    /// The sought text, in quotation marks that it does not contain.
    pub fn quoted(&self, text: &str, shown: &str) -> String {
        match text {
            "\n" => self.line_end.clone(),
            _ if shown.is_empty() => self.blank_mark.clone(),
            _ if text.contains('"') => fill_placeholders(&self.marks, &[("text", shown)]),
            _ => fill_placeholders(&self.text, &[("text", shown)]),
        }
    }

    /// The noun for matches of a pattern, if it has one.
    pub fn pattern(&self, pattern: &str, n: usize) -> Option<&str> {
        self.patterns.get(pattern).map(|[one, many]| if n == 1 { one } else { many }.as_str())
    }

    /// The label of a part of the response: the author's description, else its name.
    pub fn part(&self, name: &str, about: Option<&str>, list: bool) -> String {
        let Some(about) = about else {
            return fill_placeholders(&self.part_named, &[("name", &name.replace('_', " "))]);
        };
        match list {
            true => fill_placeholders(
                &self.list_of,
                &[("things", about.strip_prefix("the ").unwrap_or(about))],
            ),
            false => about.to_owned(),
        }
    }

    fn replace_beginning(&self, said: String) -> String {
        let found = self.smoother.iter().find(|(start, _)| said.starts_with(start.as_str()));
        match found {
            Some((start, better)) => format!("{better}{}", &said[start.len()..]),
            None => said,
        }
    }

    /// A demand in the form that the sentence needs.
    pub fn demand(&self, text: &str, form: VerbForm, places: &[(&str, &str)]) -> String {
        let marked =
            text.split_once('<').and_then(|(before, rest)| Some((before, rest.split_once('>')?)));
        let Some((before, (verb, behind))) = marked else {
            let said = self.replace_beginning(fill_placeholders(text, places));
            return if form.negated {
                fill_placeholders(&self.not, &[("demand", &said)])
            } else {
                said
            };
        };
        let at = form.verb as usize + if form.negated { 3 } else { 0 };
        let said = match self.verbs.get(verb) {
            Some(forms) => forms[at].clone(),
            None => regular_form(verb, at),
        };
        fill_placeholders(&format!("{before}{said}{behind}"), places)
    }
}

/// A form of an English verb that has no line in the table.
fn regular_form(verb: &str, at: usize) -> String {
    match at {
        1 => format!("{verb}s"),
        3 => format!("not {verb}"),
        4 => format!("does not {verb}"),
        5 => format!("do not {verb}"),
        _ => verb.to_owned(),
    }
}

/// A text with “ and ” as the quotation marks of a language, whose own closing mark may be “.
fn requoted(text: &str, left: char, right: char) -> String {
    let mut quoted = String::with_capacity(text.len());
    for c in text.chars() {
        match (c, quoted.rfind('“')) {
            ('”', Some(opened)) => {
                quoted
                    .replace_range(opened..opened + '“'.len_utf8(), left.encode_utf8(&mut [0; 4]));
                quoted.push(right);
            }
            _ => quoted.push(c),
        }
    }
    quoted
}

/// Precedes a noun that is its own measure word, so `个` is left out.
const NO_MEASURE_WORD: char = '\u{2060}';

/// Fills in the placeholders of a text. Values are not searched for placeholders.
pub fn fill_placeholders(text: &str, places: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(text.len() + 32);
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((name, behind)) = after.split_once('}') else { break };
        let value = places.iter().find(|(place, _)| *place == name);
        let value = value.map_or("", |(_, value)| value);
        match value.strip_prefix(NO_MEASURE_WORD) {
            // `2个` and what is a measure itself, `行`: `2行`.
            Some(value) => {
                if filled.ends_with('个') {
                    filled.pop();
                }
                filled.push_str(value);
            }
            None => filled.push_str(value),
        }
        rest = behind;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions;
    use crate::functions::hooks::{CONTAIN, Demand, HAVE_FORM};

    #[test]
    fn the_tables_of_all_languages_are_read_and_have_the_same_places() {
        let (english, chinese) =
            (Wording::english(), Wording::for_language("zh-cn").expect("Chinese"));
        let german = Wording::for_language("de").expect("German");
        assert_eq!((&*english.it, &*chinese.it, &*german.it), ("it", "它", "es"));
        assert!(Wording::for_language("fr").is_none());
        // A placeholder that English lacks stays empty.
        let places = |table: &str| -> BTreeMap<String, Vec<String>> {
            let texts: BTreeMap<String, serde_yaml::Value> =
                serde_yaml::from_str(table).expect("a table");
            let place = regex::Regex::new(r"\{(\w+)\}").expect("a pattern");
            let of = |text: &serde_yaml::Value| {
                let text = serde_json::to_string(text).expect("a text");
                place.captures_iter(&text).map(|found| found[1].to_owned()).collect()
            };
            texts.iter().map(|(name, text)| (name.clone(), of(text))).collect()
        };
        let english = places(include_str!("../../../../templates/reasons/en.yaml"));
        let chinese = places(include_str!("../../../../templates/reasons/zh.yaml"));
        let german = places(include_str!("../../../../templates/reasons/de.yaml"));
        // A language may name the place of a schema's field, and the category of several things.
        let more = ["pointer".to_owned(), "members".to_owned()];
        let of_rows = ["demands", "measures", "lists"];
        let own = |(name, _): &(&String, _)| {
            !["polish", "quotes"].contains(&name.as_str()) && !of_rows.contains(&name.as_str())
        };
        for (name, places) in chinese.iter().chain(&german).filter(own) {
            let known = &english[name];
            let unknown =
                places.iter().find(|place| !known.contains(place) && !more.contains(place));
            assert_eq!(unknown, None, "{name}");
        }
    }

    /// Each text that a language has for functions is used, and has the places of the English one.
    #[test]
    fn texts_for_functions_are_those_of_their_rows() {
        let mut demands = vec![CONTAIN, HAVE_FORM];
        demands.extend(functions::all().filter_map(|function| match function.demand? {
            Demand::Plain(text) | Demand::Sought(text) | Demand::Pair(text) => Some(text),
            Demand::Own(_) => None,
        }));
        let places = |text: &str| -> Vec<String> {
            let place = regex::Regex::new(r"\{(\w+)\}").expect("a pattern");
            let mut all: Vec<_> =
                place.captures_iter(text).map(|found| found[1].to_owned()).collect();
            all.sort();
            all
        };
        for language in ["zh", "de"] {
            let words = Wording::for_language(language).expect("a table");
            for (english, text) in words.demands.as_ref().expect("demands") {
                assert!(demands.contains(&english.as_str()), "{language}: {english}");
                assert_eq!(places(english), places(text), "{language}: {english}");
            }
            for name in words.measures.as_ref().expect("measures").keys() {
                let function = functions::lookup(name);
                assert!(function.is_some_and(|it| it.noun.is_some()), "{language}: {name}");
            }
            for name in words.lists.as_ref().expect("lists").keys() {
                let function = functions::lookup(name);
                assert!(function.is_some_and(|it| it.member_nouns.is_some()), "{language}: {name}");
            }
        }
    }

    #[test]
    fn quotation_marks_are_those_of_the_language() {
        assert_eq!(
            requoted("mit „a“ enden; Ende ist “b”, “c”", '„', '“'),
            "mit „a“ enden; Ende ist „b“, „c“"
        );
        assert_eq!(requoted("5” und „a“", '„', '“'), "5” und „a“");
    }

    #[test]
    fn inserted_values_are_not_filled_again() {
        assert_eq!(fill_placeholders("{a} and {b}", &[("a", "{b}"), ("b", "c")]), "{b} and c");
        assert_eq!(fill_placeholders("no places", &[]), "no places");
    }
}
