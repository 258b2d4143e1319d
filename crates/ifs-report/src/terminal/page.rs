//! Lines of styled text; the only place that writes escape codes. Text is made visible before it is
//! coloured.

use super::super::columns::wrap;
use ifs_base::diagnostic::visible_text;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextStyle {
    Plain,
    Strong,
    Faint,
    Good,
    Bad,
    Accent,
    Warning,
    /// A stretch of a response that a rule blames.
    Marked,
}

impl TextStyle {
    fn code(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Strong => Some("1"),
            Self::Faint => Some("2"),
            Self::Good => Some("32"),
            Self::Bad => Some("31"),
            Self::Accent => Some("36"),
            Self::Warning => Some("1;33"),
            Self::Marked => Some("4;31"),
        }
    }
}

pub(crate) struct Page {
    text: String,
    color: bool,
    pub(crate) width: usize,
}

impl Page {
    pub(crate) fn new(color: bool, width: usize) -> Self {
        Self { text: String::new(), color, width }
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }

    pub(crate) fn gap(&mut self) {
        self.text.push('\n');
    }

    pub(crate) fn heading(&mut self, text: &str) {
        self.gap();
        self.line(&[(TextStyle::Strong, text)]);
    }

    /// Joins the parts of a line; blanks at its end are dropped.
    pub(crate) fn line(&mut self, parts: &[(TextStyle, &str)]) {
        let whole: usize = parts.iter().map(|(_, text)| text.len()).sum();
        let joined: String = parts.iter().map(|(_, text)| *text).collect();
        let mut left = whole - (joined.len() - joined.trim_end().len());
        for (style, text) in parts {
            let shown = text.get(..left.min(text.len())).unwrap_or(text);
            left -= shown.len();
            self.paint(*style, shown);
        }
        self.gap();
    }

    /// As many lines as necessary, the first after `mark` and the others indented to it.
    pub(crate) fn wrapped(&mut self, style: TextStyle, mark: &str, text: &str) {
        let indent = mark.chars().count();
        for (place, line) in wrap(text, self.width.saturating_sub(indent)).iter().enumerate() {
            let start = if place == 0 { mark.to_owned() } else { " ".repeat(indent) };
            self.line(&[(style, &start), (style, line)]);
        }
    }

    fn paint(&mut self, style: TextStyle, text: &str) {
        let text = visible_text(text);
        match style.code() {
            Some(code) if self.color && !text.is_empty() => {
                self.text.push_str("\u{1b}[");
                self.text.push_str(code);
                self.text.push('m');
                self.text.push_str(&text);
                self.text.push_str("\u{1b}[0m");
            }
            Some(_) | None => self.text.push_str(&text),
        }
    }
}
