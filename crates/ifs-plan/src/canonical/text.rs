//! The notation of canonical texts: nested lists of words, quoted texts and numbers.

/// Writes `(word …)` lists. A list that is opened as a line starts on a new line.
#[derive(Default)]
pub(super) struct ListWriter {
    text: String,
    /// The number of open lines.
    depth: usize,
}

impl ListWriter {
    pub fn into_text(mut self) -> String {
        self.text.push('\n');
        self.text
    }

    /// A list on its own line, with its contents.
    pub fn line(&mut self, word: &str, hold: impl FnOnce(&mut ListWriter)) {
        if !self.text.is_empty() {
            self.text.push('\n');
            self.text.extend(std::iter::repeat_n("  ", self.depth));
        }
        self.text.push('(');
        self.text.push_str(word);
        self.depth += 1;
        hold(self);
        self.depth -= 1;
        self.text.push(')');
    }

    /// A list within a line.
    pub fn list(&mut self, word: &str, hold: impl FnOnce(&mut ListWriter)) {
        self.text.push_str(" (");
        self.text.push_str(word);
        hold(self);
        self.text.push(')');
    }

    /// A line with one text.
    pub fn text_line(&mut self, word: &str, text: &str) {
        self.line(word, |line| line.text(text));
    }

    /// A line with several texts; omitted if there are none.
    pub fn text_lines<S: AsRef<str>>(&mut self, word: &str, texts: impl IntoIterator<Item = S>) {
        let mut texts = texts.into_iter().peekable();
        if texts.peek().is_some() {
            self.line(word, |line| texts.for_each(|text| line.text(text.as_ref())));
        }
    }

    /// A line for a flag that is set.
    pub fn flag(&mut self, word: &str, is_so: bool) {
        if is_so {
            self.line(word, |_| {});
        }
    }

    /// A word of the notation.
    pub fn word(&mut self, word: &str) {
        self.text.push(' ');
        self.text.push_str(word);
    }

    pub fn int(&mut self, number: impl Into<i128>) {
        self.word(&number.into().to_string());
    }

    /// The shortest digits that parse to the same number, with a point: `1.0`, `1e100`.
    pub fn float(&mut self, number: f64) {
        self.word(&format!("{number:?}"));
    }

    /// A text of the author, quoted.
    pub fn text(&mut self, text: &str) {
        self.text.push_str(" \"");
        for letter in text.chars() {
            match letter {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\n' => self.text.push_str("\\n"),
                '\r' => self.text.push_str("\\r"),
                letter if u32::from(letter) < 0x20 => {
                    self.text.push_str(&format!("\\u{:04x}", u32::from(letter)));
                }
                letter => self.text.push(letter),
            }
        }
        self.text.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::ListWriter;

    #[test]
    fn lists_on_lines_and_within() {
        let mut writer = ListWriter::default();
        writer.line("a", |line| {
            line.text("x\n\"\\\u{1}é");
            line.line("b", |line| {
                line.list("c", |list| list.int(-3));
                line.float(1.0);
            });
            line.flag("d", true);
            line.flag("e", false);
            line.text_lines("f", Vec::<String>::new());
        });
        let expected = "(a \"x\\n\\\"\\\\\\u0001é\"\n  (b (c -3) 1.0)\n  (d))\n";
        assert_eq!(writer.into_text(), expected);
    }
}
