//! Python literals, which models write instead of JSON: `{'a': True}`. Only those that have a JSON
//! value.

use crate::value::Value;

/// How deep one may be within others.
const MAX_DEPTH: usize = 90;

/// The value of a text that is one literal; nothing for any other text.
pub fn parse_literal(text: &str) -> Option<Value> {
    let mut reader = LiteralParser { rest: text.trim_start_matches([' ', '\t']) };
    let value = reader.value(0)?;
    reader.blank();
    reader.rest.is_empty().then_some(value)
}

struct LiteralParser<'t> {
    rest: &'t str,
}

impl LiteralParser<'_> {
    /// Blanks, line ends and comments.
    fn blank(&mut self) {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r', '\u{c}']);
            match self.rest.strip_prefix('#') {
                Some(comment) => self.rest = comment.trim_start_matches(|c| c != '\n'),
                None => return,
            }
        }
    }

    fn consume(&mut self, mark: &str) -> bool {
        self.blank();
        let rest = self.rest.strip_prefix(mark);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.blank();
        match self.rest.chars().next()? {
            '[' => self.members("[", "]", depth).map(|(members, _)| Value::list(members)),
            '(' => {
                let (mut members, comma) = self.members("(", ")", depth)?;
                // One in parentheses is itself.
                match members.len() {
                    1 if !comma => members.pop(),
                    _ => Some(Value::list(members)),
                }
            }
            '{' => self.record(depth),
            '\'' | '"' => self.parse_adjacent_strings(),
            '-' | '+' | '.' | '0'..='9' => self.number(),
            _ => {
                let names = [
                    ("True", Value::Bool(true)),
                    ("False", Value::Bool(false)),
                    ("None", Value::Nothing),
                ];
                let (name, value) =
                    names.into_iter().find(|(name, _)| self.rest.starts_with(name))?;
                let rest = self.rest.strip_prefix(name)?;
                if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
                    return None;
                }
                self.rest = rest;
                Some(value)
            }
        }
    }

    /// The members between two marks, and whether a comma is after the last.
    fn members(&mut self, open: &str, close: &str, depth: usize) -> Option<(Vec<Value>, bool)> {
        self.consume(open);
        let (mut members, mut comma) = (Vec::new(), false);
        while !self.consume(close) {
            if !members.is_empty() && !comma {
                return None;
            }
            members.push(self.value(depth + 1)?);
            comma = self.consume(",");
        }
        Some((members, comma))
    }

    fn record(&mut self, depth: usize) -> Option<Value> {
        self.consume("{");
        let (mut fields, mut comma) = (Vec::<(String, Value)>::new(), true);
        while !self.consume("}") {
            if !comma {
                return None;
            }
            let name = self.value(depth + 1)?;
            let name = name.as_str()?.to_owned();
            if !self.consume(":") {
                return None;
            }
            let value = self.value(depth + 1)?;
            // The last of the same name counts.
            fields.retain(|(known, _)| *known != name);
            fields.push((name, value));
            comma = self.consume(",");
        }
        Some(Value::record(fields))
    }

    /// Adjacent string literals are concatenated.
    fn parse_adjacent_strings(&mut self) -> Option<Value> {
        let mut all = String::new();
        while self.rest.starts_with(['\'', '"']) {
            self.parse_string(&mut all)?;
            self.blank();
        }
        Some(Value::text(&all))
    }

    fn parse_string(&mut self, all: &mut String) -> Option<()> {
        let triple = ["'''", "\"\"\""].into_iter().find(|mark| self.rest.starts_with(mark));
        let mark = triple.or_else(|| self.rest.get(..1))?;
        self.rest = self.rest.strip_prefix(mark)?;
        loop {
            if let Some(rest) = self.rest.strip_prefix(mark) {
                self.rest = rest;
                return Some(());
            }
            let c = self.rest.chars().next()?;
            self.rest = self.rest.get(c.len_utf8()..)?;
            match c {
                '\\' => self.escape(all)?,
                '\n' | '\r' if triple.is_none() => return None,
                c => all.push(c),
            }
        }
    }

    fn escape(&mut self, all: &mut String) -> Option<()> {
        let c = self.rest.chars().next()?;
        self.rest = self.rest.get(c.len_utf8()..)?;
        let digits = match c {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            '\n' => return Some(()),
            '\\' | '\'' | '"' => {
                all.push(c);
                return Some(());
            }
            'n' | 't' | 'r' | 'a' | 'b' | 'f' | 'v' => {
                all.push(match c {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'a' => '\u{7}',
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    _ => '\u{b}',
                });
                return Some(());
            }
            '0'..='7' => {
                let more = self.rest.bytes().take(2).take_while(|b| (b'0'..=b'7').contains(b));
                let more = more.count();
                let octal = format!("{c}{}", self.rest.get(..more)?);
                self.rest = self.rest.get(more..)?;
                all.push(char::from_u32(u32::from_str_radix(&octal, 8).ok()?)?);
                return Some(());
            }
            // Anything else after a backslash is unchanged.
            c => {
                all.push('\\');
                all.push(c);
                return Some(());
            }
        };
        let code = u32::from_str_radix(self.rest.get(..digits)?, 16).ok()?;
        all.push(char::from_u32(code)?);
        self.rest = self.rest.get(digits..)?;
        Some(())
    }

    fn number(&mut self) -> Option<Value> {
        let signs = self.rest.len() - self.rest.trim_start_matches(['-', '+', ' ']).len();
        let (signs, rest) = self.rest.split_at(signs);
        let is_part = |(at, c): &(usize, char)| {
            c.is_ascii_digit()
                || matches!(c, '.' | '_' | 'e' | 'E')
                || matches!(c, '-' | '+')
                    && rest.get(..*at).is_some_and(|before| before.ends_with(['e', 'E']))
        };
        let length = rest.char_indices().take_while(is_part).count();
        let (digits, behind) = (rest.get(..length)?, rest.get(length..)?);
        if behind.starts_with(char::is_alphanumeric) || digits.ends_with('_') {
            return None;
        }
        self.rest = behind;
        let plain = digits.replace('_', "");
        let negative = signs.matches('-').count() % 2 == 1;
        if plain.bytes().all(|b| b.is_ascii_digit()) {
            // `007` is not a number.
            if plain.len() > 1 && plain.starts_with('0') && plain.bytes().any(|b| b != b'0') {
                return None;
            }
            if let Ok(number) = plain.parse::<i64>() {
                return Some(Value::Int(if negative { -number } else { number }));
            }
        }
        let number: f64 = plain.parse().ok().filter(|number: &f64| number.is_finite())?;
        Some(Value::Float(if negative { -number } else { number }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_parsed_strictly() {
        for (text, json) in [
            ("{'a': True, 'b': None,}", r#"{"a":true,"b":null}"#),
            ("[1, -2.5, '中\\u6587', \"it's\" 'so']  # all", r#"[1,-2.5,"中文","it'sso"]"#),
            ("(1, [2,],)", "[1,[2]]"),
            ("('a')", r#""a""#),
            ("'''a\nb'''", r#""a\nb""#),
            ("1_000", "1000"),
        ] {
            let expected: Value = serde_json::from_str(json).unwrap();
            assert_eq!(parse_literal(text), Some(expected), "{text}");
        }
        for text in
            ["", "true", "{'a': 1", "[1 2]", "'a\nb'", "{1: 2}", "007", "[] x", "Truer", "[,]"]
        {
            assert_eq!(parse_literal(text), None, "{text}");
        }
    }
}
