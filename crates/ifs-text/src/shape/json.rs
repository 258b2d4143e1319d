//! Checks JSON without building values and without recursion.

use super::ShapeError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// JSON by RFC 8259.
    Strict,
    /// JSON by Python's `json.loads`: also `NaN`, `Infinity` and `-Infinity`.
    Python,
}

/// A single value. Both dialects allow duplicate keys, lone surrogates and any top-level value;
/// neither allows a byte order mark, raw control characters or leading zeros.
pub(super) fn check(text: &str, dialect: Dialect) -> Result<(), ShapeError> {
    let mut scanner = JsonScanner { text, bytes: text.as_bytes(), at: 0, dialect };
    // The brackets still open, innermost last.
    let mut open: Vec<u8> = Vec::new();
    loop {
        scanner.blanks();
        match scanner.peek() {
            Some(b'{') => {
                scanner.at += 1;
                scanner.blanks();
                if scanner.peek() != Some(b'}') {
                    open.push(b'}');
                    scanner.key()?;
                    continue;
                }
                scanner.at += 1;
            }
            Some(b'[') => {
                scanner.at += 1;
                scanner.blanks();
                if scanner.peek() != Some(b']') {
                    open.push(b']');
                    continue;
                }
                scanner.at += 1;
            }
            _ => scanner.scalar()?,
        }
        if scanner.after_value(&mut open)? {
            return Ok(());
        }
    }
}

struct JsonScanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    dialect: Dialect,
}

impl JsonScanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn misfit<T>(&self, expected: &str) -> Result<T, ShapeError> {
        let found = match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            None => "the end".to_owned(),
            Some(c) if c.is_control() || c == '\u{feff}' => format!("U+{:04X}", u32::from(c)),
            Some(c) => format!("`{c}`"),
        };
        let at = (0..=self.at).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0);
        Err(ShapeError::new(at, format!("expected {expected}, found {found}")))
    }

    /// Closes the brackets that end here, up to the start of the next value; true at the end.
    fn after_value(&mut self, open: &mut Vec<u8>) -> Result<bool, ShapeError> {
        loop {
            self.blanks();
            let Some(closer) = open.last().copied() else {
                return if self.peek().is_none() { Ok(true) } else { self.misfit("nothing more") };
            };
            match self.peek() {
                Some(b',') => {
                    self.at += 1;
                    if closer == b'}' {
                        self.blanks();
                        self.key()?;
                    }
                    return Ok(false);
                }
                Some(byte) if byte == closer => {
                    self.at += 1;
                    open.pop();
                }
                _ if closer == b'}' => return self.misfit("`,` or `}`"),
                _ => return self.misfit("`,` or `]`"),
            }
        }
    }

    fn key(&mut self) -> Result<(), ShapeError> {
        if self.peek() != Some(b'"') {
            return self.misfit("a key in double quotes");
        }
        self.string()?;
        self.blanks();
        if self.peek() != Some(b':') {
            return self.misfit("`:` after the key");
        }
        self.at += 1;
        Ok(())
    }

    fn scalar(&mut self) -> Result<(), ShapeError> {
        match self.peek() {
            Some(b'"') => return self.string(),
            Some(b'-' | b'0'..=b'9') => return self.number(),
            _ => {}
        }
        let words: &[&str] = match self.dialect {
            Dialect::Strict => &["true", "false", "null"],
            Dialect::Python => &["true", "false", "null", "NaN", "Infinity"],
        };
        match words.iter().find(|word| self.bytes[self.at..].starts_with(word.as_bytes())) {
            Some(word) => {
                self.at += word.len();
                Ok(())
            }
            None => self.misfit("a value"),
        }
    }

    fn number(&mut self) -> Result<(), ShapeError> {
        if self.dialect == Dialect::Python && self.bytes[self.at..].starts_with(b"-Infinity") {
            self.at += "-Infinity".len();
            return Ok(());
        }
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
            if self.peek().is_some_and(|b| b.is_ascii_digit()) {
                return self.misfit("no digit after a leading zero");
            }
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), ShapeError> {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { self.misfit("a digit") } else { Ok(()) }
    }

    /// A string, from its opening quote.
    fn string(&mut self) -> Result<(), ShapeError> {
        self.at += 1;
        loop {
            match self.peek() {
                None => return self.misfit("the closing `\"` of a string"),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.escape()?;
                }
                Some(0..0x20) => return self.misfit("an escape for a control character"),
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<(), ShapeError> {
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek().is_some_and(|b| b.is_ascii_hexdigit()) {
                        return self.misfit("four hexadecimal digits after `\\u`");
                    }
                    self.at += 1;
                }
            }
            _ => return self.misfit("a known escape after `\\`"),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_both_dialects() {
        for text in [
            "{}",
            "[]",
            " [1, -0.5e+3, \"\\u00e9\\n\", {\"a\": [null, true]}] ",
            "\"\\ud800\"",
            "0",
            "{\"a\":1,\"a\":2}",
        ] {
            assert_eq!(check(text, Dialect::Strict), Ok(()), "{text}");
            assert_eq!(check(text, Dialect::Python), Ok(()), "{text}");
        }
        for text in ["NaN", "[Infinity, -Infinity]"] {
            assert!(check(text, Dialect::Strict).is_err() && check(text, Dialect::Python).is_ok());
        }
    }

    #[test]
    fn mistakes_have_names_and_places() {
        for (text, at, why) in [
            ("", 0, "expected a value, found the end"),
            ("\u{feff}{}", 0, "expected a value, found U+FEFF"),
            ("{'a': 1}", 1, "expected a key in double quotes, found `'`"),
            ("[1, 2", 5, "expected `,` or `]`, found the end"),
            ("[1,]", 3, "expected a value, found `]`"),
            ("{\"a\" 1}", 5, "expected `:` after the key, found `1`"),
            ("{\"a\": 1,}", 8, "expected a key in double quotes, found `}`"),
            ("01", 1, "expected no digit after a leading zero, found `1`"),
            ("1.", 2, "expected a digit, found the end"),
            ("\"a\nb\"", 2, "expected an escape for a control character, found U+000A"),
            ("\"\\é\"", 2, "expected a known escape after `\\`, found `é`"),
            ("{} x", 3, "expected nothing more, found `x`"),
        ] {
            assert_eq!(check(text, Dialect::Python), Err(ShapeError::new(at, why)), "{text}");
        }
    }

    #[test]
    fn nesting_uses_no_stack() {
        let deep = "[".repeat(200_000) + &"]".repeat(200_000);
        assert_eq!(check(&deep, Dialect::Strict), Ok(()));
        assert!(check(&"{\"a\":".repeat(100_000), Dialect::Strict).is_err());
    }
}
