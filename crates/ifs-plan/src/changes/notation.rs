//! Parses canonical texts to trees, and prints their expressions in the language.

use std::fmt::Write as _;

/// A list of the notation: `(check (<= (call count …) 5))`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotationItem {
    pub head: String,
    pub parts: Vec<NotationPart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotationPart {
    /// A word of the notation, or a number.
    Word(String),
    /// A text of the author.
    Text(String),
    Item(NotationItem),
}

impl NotationItem {
    /// Parses a canonical text. Only [`crate::canonical`] writes them, so invalid parts are
    /// left out without an error.
    pub fn parse(text: &str) -> NotationItem {
        let mut reader = NotationParser { rest: text.trim_start() };
        reader.next_if('(');
        reader.item()
    }

    pub fn items(&self) -> impl Iterator<Item = &NotationItem> {
        self.parts.iter().filter_map(|part| match part {
            NotationPart::Item(item) => Some(item),
            _ => None,
        })
    }

    /// The first child with this head.
    pub fn child(&self, head: &str) -> Option<&NotationItem> {
        self.items().find(|item| item.head == head)
    }

    /// The texts that are not in a nested list.
    pub fn direct_texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            NotationPart::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// Its name: the first text.
    pub fn name(&self) -> Option<&str> {
        match self.parts.first() {
            Some(NotationPart::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The numbers and words that are not in a nested list.
    pub fn direct_words(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            NotationPart::Word(word) => Some(word.as_str()),
            _ => None,
        })
    }

    /// The item without its name.
    pub fn unnamed(&self) -> NotationItem {
        let named = usize::from(self.name().is_some());
        NotationItem { head: self.head.clone(), parts: self.parts[named..].to_vec() }
    }

    /// Replaces every text that has a replacement.
    pub fn map_texts(&mut self, map: &dyn Fn(&str) -> Option<String>) {
        for part in &mut self.parts {
            match part {
                NotationPart::Word(_) => {}
                NotationPart::Text(text) => {
                    if let Some(other) = map(text) {
                        *text = other;
                    }
                }
                NotationPart::Item(item) => item.map_texts(map),
            }
        }
        // Names without an order are sorted.
        self.sort_names();
    }

    /// Sorts the lists of names that have no order.
    fn sort_names(&mut self) {
        let unordered =
            ["constraints", "flow-of", "excludes", "held-groups", "with-groups", "held-flows"];
        if unordered.contains(&self.head.as_str()) {
            self.parts.sort_by_key(print_part);
        }
    }

    /// The item with the bodies of functions in place of their names.
    pub fn opened(&self) -> NotationItem {
        let (head, parts) = match self.head.as_str() {
            "applied" => ("defined", &self.parts[1.min(self.parts.len())..]),
            head => (head, self.parts.as_slice()),
        };
        let parts = parts.iter().map(|part| match part {
            NotationPart::Item(item) => NotationPart::Item(item.opened()),
            part => part.clone(),
        });
        NotationItem { head: head.to_owned(), parts: parts.collect() }
    }

    /// Whether it contains the name, or a name below it (`group.member`).
    pub fn mentions(&self, name: &str) -> bool {
        self.parts.iter().any(|part| match part {
            NotationPart::Word(_) => false,
            NotationPart::Text(text) => {
                text.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            }
            NotationPart::Item(item) => item.mentions(name),
        })
    }

    /// An expression in the notation of the language, or a statement by its words.
    pub fn print(&self) -> String {
        let mut out = String::new();
        print_item(self, &mut out);
        out
    }

    /// The parts after the head, in the notation of the language.
    pub fn print_parts(&self) -> String {
        let parts: Vec<String> = self.parts.iter().map(print_part).collect();
        parts.join(" ")
    }
}

pub fn print_part(part: &NotationPart) -> String {
    match part {
        NotationPart::Word(word) => word.clone(),
        NotationPart::Text(text) => format!("{text:?}"),
        NotationPart::Item(item) => item.print(),
    }
}

fn print_item(item: &NotationItem, out: &mut String) {
    let parts: Vec<String> = item
        .parts
        .iter()
        .map(|part| match part {
            // Operands; a nested infix operator needs parentheses.
            NotationPart::Item(inner) if is_infix(&item.head) && is_infix(&inner.head) => {
                format!("({})", inner.print())
            }
            part => print_part(part),
        })
        .collect();
    let name = item.name().unwrap_or_default();
    let first = parts.first().map_or("", String::as_str);
    let rest = parts.get(1..).unwrap_or_default();
    let written = match item.head.as_str() {
        "var" => name.to_owned(),
        "field" => format!("{first}.{}", item.direct_texts().last().unwrap_or_default()),
        "index" => format!("{first}[{}]", rest.join(", ")),
        "units" if rest == ["it"] => first.to_owned(),
        "units" => format!("{first} in {}", rest.join(" ")),
        "needle" => format!("{first} {}", rest.join(" ")),
        "pattern" => format!("/{name}/{}", item.direct_texts().nth(1).unwrap_or_default()),
        "call" => format!("{first}({})", rest.join(", ")),
        "applied" => {
            let arguments: Vec<String> = item
                .items()
                .filter(|inner| inner.head == "argument")
                .map(|inner| inner.unnamed().print_parts())
                .collect();
            format!("{name}({})", arguments.join(", "))
        }
        "not" => format!("not {first}"),
        "negative" => format!("-{first}"),
        "list" => format!("[{}]", parts.join(", ")),
        "record" => {
            let fields: Vec<String> = parts
                .chunks(2)
                .map(|pair| format!("{}: {}", pair[0].trim_matches('"'), pair[1..].join(" ")))
                .collect();
            format!("{{ {} }}", fields.join(", "))
        }
        "range-to" => parts.join("..=").replace("open", ""),
        "range-below" => parts.join("..").replace("open", ""),
        "every" | "some" | "no" => quantified(&item.head, &parts),
        "at-least" | "at-most" | "exactly" => {
            quantified(&format!("{} {first}", item.head.replace('-', " ")), rest)
        }
        "if" => match rest {
            [then, otherwise] => format!("if {first} then {then} else {otherwise}"),
            _ => format!("if {first} then {}", rest.join(" ")),
        },
        "at" => format!("{first}: {}", rest.join(" ")),
        head if is_infix(head) => parts.join(&format!(" {head} ")),
        head if parts.is_empty() => head.to_owned(),
        head => format!("{head} {}", parts.join(" ")),
    };
    let _ = write!(out, "{written}");
}

fn quantified(head: &str, parts: &[String]) -> String {
    match parts {
        [binder, domain, body] if binder == "it" => format!("{head} {domain}: {body}"),
        [binder, domain, body] => {
            format!("{head} {} in {domain}: {body}", binder.trim_matches('"'))
        }
        other => format!("{head} {}", other.join(" ")),
    }
}

fn is_infix(head: &str) -> bool {
    matches!(
        head,
        "and"
            | "or"
            | "in"
            | "where"
            | "each"
            | "=="
            | "!="
            | "<"
            | "<="
            | ">"
            | ">="
            | "+"
            | "-"
            | "*"
            | "/"
            | "%"
    )
}

struct NotationParser<'t> {
    rest: &'t str,
}

impl<'t> NotationParser<'t> {
    fn next_if(&mut self, letter: char) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(letter);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn word(&mut self) -> &'t str {
        self.rest = self.rest.trim_start();
        let end = self.rest.find([' ', '\n', '(', ')']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    /// The rest of a list after its opening parenthesis. Its depth is that of the plan, which the
    /// parser limits.
    fn item(&mut self) -> NotationItem {
        let head = self.word().to_owned();
        let mut parts = Vec::new();
        loop {
            if self.next_if(')') || self.rest.is_empty() {
                return NotationItem { head, parts };
            }
            parts.push(if self.next_if('(') {
                NotationPart::Item(self.item())
            } else if self.next_if('"') {
                NotationPart::Text(self.text())
            } else {
                NotationPart::Word(self.word().to_owned())
            });
        }
    }

    /// The rest of a text after its opening quotation mark.
    fn text(&mut self) -> String {
        let mut text = String::new();
        let mut letters = self.rest.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '"' => break,
                '\\' => match letters.next() {
                    Some('n') => text.push('\n'),
                    Some('r') => text.push('\r'),
                    Some('u') => {
                        let digits: String = letters.by_ref().take(4).collect();
                        text.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
                    }
                    Some(other) => text.push(other),
                    None => {}
                },
                other => text.push(other),
            }
        }
        self.rest = letters.as_str();
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip() {
        let item = NotationItem::parse("(a \"x\\n\\\"\\\\\\u0001é\"\n  (b (c -3) 1.0)\n  (d))\n");
        assert_eq!(item.name(), Some("x\n\"\\\u{1}é"));
        let child = item.child("b").unwrap();
        assert_eq!(child.direct_words().collect::<Vec<_>>(), ["1.0"]);
        assert_eq!(child.child("c").unwrap().direct_words().collect::<Vec<_>>(), ["-3"]);
        assert_eq!(item.child("d").unwrap().parts, []);
    }

    #[test]
    fn expressions_parse_as_in_scenarios() {
        for (notation, expected) in [
            ("(<= (call count (units word it)) (var \"n\"))", "count(word) <= n"),
            ("(and (not (call is_json)) (> 1 2))", "not is_json() and (1 > 2)"),
            (
                "(every it (units sentence it) (< (call count (units word it)) 5))",
                "every sentence: count(word) < 5",
            ),
            ("(list \"a\" \"b\")", "[\"a\", \"b\"]"),
            ("(pattern \"x+\" \"i\")", "/x+/i"),
        ] {
            assert_eq!(NotationItem::parse(notation).print(), expected);
        }
    }
}
