//! Patterns in quotation marks, which are looked for as they are written.

use std::sync::LazyLock;

use super::Lowering;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_predicate::print::print;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;
use regex::Regex;

/// Texts that are written like a pattern and are hardly ever meant as they are written.
static PATTERNS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        \[[^\]\s]+\](?:[+*?]|\{[0-9])    # [0-9]+
        | \\[dDwWsSbB](?:[+*?\\{)\]]|$)   # \d+
        | \.[*+]                          # .*
        | ^\(\?[a-zA-Z:!=<]               # (?i)
        | [\w\])]\{[0-9]+(?:,[0-9]*)?\}   # x{2,}
        | ^\^.*\$$                        # ^…$
        ",
    )
    .ok()
});

/// Words with bars between them: `yes|no`.
static ALTERNATIVES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^[\p{L}\p{N}'’.-]+(?:\|[\p{L}\p{N}'’.-]+)+$").ok());

/// One pattern between slashes: `/END/`.
static SLASHED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^/([^/\s]+)/[a-z]{0,3}$").ok());

/// Names of files: `*.pdf`.
static FILES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\*\.([a-zA-Z0-9]+)$").ok());

/// The regular expression that a text seems to be meant as.
fn meant_pattern(text: &str) -> Option<String> {
    let captured = |regex: &LazyLock<Option<Regex>>| {
        let found = regex.as_ref()?.captures(text)?;
        found.get(1).map(|inner| inner.as_str().to_owned())
    };
    if let Some(inner) = captured(&SLASHED) {
        return Some(inner);
    }
    if let Some(ending) = captured(&FILES) {
        return Some(format!(r"\S+\.{ending}\b"));
    }
    let is = |regex: &LazyLock<Option<Regex>>| regex.as_ref().is_some_and(|it| it.is_match(text));
    (is(&PATTERNS) || is(&ALTERNATIVES)).then(|| text.replace('/', "\\/"))
}

impl Lowering<'_, '_> {
    /// Warns of a text that is looked for and looks like a pattern.
    pub(super) fn quoted_pattern(&mut self, function: &str, sought: &Tree, place: Span) {
        let Node::Value(Value::Text(text)) = &sought.node else { return };
        let Some(pattern) = meant_pattern(text) else { return };
        let written = print(sought);
        let instead = match function {
            "contains" | "in" => format!("`matches(/{pattern}/)`"),
            "" => format!("`matches(/{pattern}/)`, or `count(/{pattern}/)`"),
            name => format!("`{name}(/{pattern}/)`; `matches(/{pattern}/)` finds it anywhere"),
        };
        self.report(
            Diagnostic::warning(
                Code::QUOTED_PATTERN,
                format!("{written} is looked for as it is written, not as a pattern"),
            )
            .label(place, "")
            .help(format!(
                "write {instead}; or `text {written}` if exactly these characters are meant"
            )),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::meant_pattern;

    #[test]
    fn patterns_are_told_from_texts() {
        for (text, pattern) in [
            ("[0-9]+", "[0-9]+"),
            ("yes|no", "yes|no"),
            ("/END/", "END"),
            ("/end/i", "end"),
            ("*.pdf", r"\S+\.pdf\b"),
            (r"\d+", r"\d+"),
            (r"\bcat\b", r"\bcat\b"),
            ("Dear .*", "Dear .*"),
            ("(?i)tide", "(?i)tide"),
            ("a{2,}", "a{2,}"),
            ("^Yes$", "^Yes$"),
        ] {
            assert_eq!(meant_pattern(text).as_deref(), Some(pattern), "{text}");
        }
        for text in [
            "[intake]",
            "[name]",
            "***",
            "******",
            "?",
            "?!",
            "...",
            "a/b",
            "and/or",
            "/etc/hosts",
            "| a | b |",
            "|",
            "||",
            "$5",
            "US$",
            "^_^",
            "(so)",
            "{name}",
            "C:\\data",
            "3 + 4",
            "C++",
            "e.g.",
            "100%",
            "{{ n }}",
            "# ",
            "- ",
            "1.",
            "[1]",
            "(?)",
            "a*b",
            "What?",
            "\\",
        ] {
            assert_eq!(meant_pattern(text), None, "{text}");
        }
    }
}
