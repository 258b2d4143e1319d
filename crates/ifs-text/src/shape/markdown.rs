//! Markdown: closed fences and at least one element of markdown.

use super::ShapeError;
use crate::{Text, Unit, python};

/// Checks that fences are closed, and that there is at least one element of markdown.
pub(super) fn check(text: &str) -> Result<(), ShapeError> {
    check_fences(text)?;
    let read = Text::new(text);
    let blocks = [Unit::Heading, Unit::Item, Unit::CodeBlock, Unit::Table, Unit::Highlight];
    let has_words = text.chars().any(char::is_alphanumeric);
    let is_set_off = || {
        has_words && (text.lines().any(|line| is_quoted(line) || is_rule(line)) || has_strike(text))
    };
    if blocks.iter().any(|unit| read.count(*unit) > 0)
        || has_code(text)
        || has_link(text)
        || is_set_off()
    {
        return Ok(());
    }
    let missing = "there is no heading, list, table, quotation, rule, emphasis, code or link";
    Err(ShapeError::new(0, missing))
}

/// An even number of triple backticks, and of lines that begin with them. Nearly all texts conform,
/// including the empty one, except those that open and close a fence on one line.
pub(super) fn check_released(text: &str) -> Result<(), ShapeError> {
    check_fences(text)?;
    let opens = |line: &&str| python::strip(line).starts_with("```");
    match python::splitlines(text).iter().filter(|line| opens(line)).count() % 2 {
        0 => Ok(()),
        _ => {
            let at = text.rfind("```").unwrap_or(0);
            Err(ShapeError::new(at, "this code fence is not on a line of its own"))
        }
    }
}

/// An even number of triple backticks.
fn check_fences(text: &str) -> Result<(), ShapeError> {
    let mut last = None;
    let mut count = 0;
    for (at, _) in text.match_indices("```") {
        last = Some(at);
        count += 1;
    }
    match last {
        Some(at) if count % 2 == 1 => Err(ShapeError::new(at, "a code fence is not closed")),
        _ => Ok(()),
    }
}

/// `> so`
fn is_quoted(line: &str) -> bool {
    line.trim_start().strip_prefix('>').is_some_and(|rest| !rest.trim().is_empty())
}

/// Three or more of `-`, `*` or `_` on a line of their own.
fn is_rule(line: &str) -> bool {
    let marks: String = line.split_whitespace().collect();
    marks.len() >= 3 && ["-", "*", "_"].iter().any(|mark| marks.replace(mark, "").is_empty())
}

/// `~~so~~` on one line.
fn has_strike(text: &str) -> bool {
    text.lines().any(|line| {
        let mut parts = line.split("~~").skip(1);
        parts.next().is_some_and(|struck| !struck.trim().is_empty()) && parts.next().is_some()
    })
}

/// `code` between two backticks on one line.
fn has_code(text: &str) -> bool {
    text.lines().any(|line| line.matches('`').count() > 1)
}

/// `[text](target)` on one line.
fn has_link(text: &str) -> bool {
    text.lines().any(|line| {
        let Some(open) = line.find('[') else {
            return false;
        };
        let Some(middle) = line[open..].find("](") else {
            return false;
        };
        line[open + middle..].contains(')')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_markdown_holds_some() {
        for text in [
            "# A",
            "- a",
            "a *b* c",
            "`x`",
            "see [a](b)",
            "```\nx\n```",
            "|a|b|\n|-|-|",
            "> a",
            "a ~~b~~ c",
            "a\n\n---\n\nb",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
        for text in ["", "prose only", "# A\n```\nx", "a](b) [c", ">", "a ~~ b", "--", "---", "> -"]
        {
            assert!(check(text).is_err(), "{text}");
        }
    }

    #[test]
    fn released_markdown_is_nearly_everything() {
        assert_eq!(check_released(""), Ok(()));
        assert_eq!(check_released("a ``` b ```"), Ok(()));
        assert_eq!(check_released("\u{a0}```\nx\n ```"), Ok(()));
        assert_eq!(
            check_released("a ``` b"),
            Err(ShapeError::new(2, "a code fence is not closed"))
        );
        assert!(check_released("a\n ```x```").is_err_and(|misfit| misfit.at == 7));
    }
}
