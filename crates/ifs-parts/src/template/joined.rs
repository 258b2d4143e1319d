//! Values joined by `~` must exist: minijinja writes an absent one as "none".
//!
//! Each operand of a `~` is passed through the filter `needed`, which receives how the operand is
//! written.

use std::borrow::Cow;

use super::tokens::{PlacedToken, TemplateToken, braces};
use super::{ABSENT_VALUE, Absent, absent_value};

const NEEDED_FILTER: &str = "needed";

pub(super) fn add(environment: &mut minijinja::Environment<'_>, mode: Absent) {
    environment.add_filter(NEEDED_FILTER, move |value: minijinja::Value, written: &str| {
        if !value.is_none() {
            return Ok(value);
        }
        if mode == Absent::LeftOut {
            return Ok(minijinja::Value::from(""));
        }
        let message = match written {
            "" => ABSENT_VALUE.to_owned(),
            written => absent_value(Some(written), written).message,
        };
        Err(minijinja::Error::new(minijinja::ErrorKind::InvalidOperation, message))
    });
}

/// The template with the filter after each operand of a `~`.
pub(super) fn checked(text: &str) -> Cow<'_, str> {
    if !text.contains('~') {
        return Cow::Borrowed(text);
    }
    let mut operands: Vec<(usize, usize)> = Vec::new();
    for (_, tokens, _) in braces(text) {
        of_tokens(&tokens, &mut operands);
    }
    operands.sort_by_key(|(_, end)| *end);
    let mut checked = String::with_capacity(text.len() + 16 * operands.len());
    let mut copied = 0;
    for (start, end) in operands {
        checked.push_str(&text[copied..end]);
        // An operand with quotation marks of its own is not named.
        let written = text[start..end].trim();
        let written = if written.contains(['"', '\\', '\n']) { "" } else { written };
        checked.push_str(&format!(" | {NEEDED_FILTER}(\"{written}\")"));
        copied = end;
    }
    checked.push_str(&text[copied..]);
    Cow::Owned(checked)
}

/// An operand that may become one of a `~`.
#[derive(Clone, Copy, Default)]
struct JoinOperand {
    /// From its first token to its last; `None` before the first.
    range: Option<(usize, usize)>,
    /// Whether it has something else than one quoted text.
    is_value: bool,
    follows_join: bool,
}

impl JoinOperand {
    fn take(&mut self, (start, end): (usize, usize), is_value: bool) {
        self.is_value |= is_value || self.range.is_some();
        self.range = Some((self.range.map_or(start, |(first, _)| first), end));
    }

    fn finish(&mut self, is_joined: bool, operands: &mut Vec<(usize, usize)>) {
        if let Some(range) =
            self.range.filter(|_| self.is_value && (is_joined || self.follows_join))
        {
            operands.push(range);
        }
        *self = JoinOperand { follows_join: is_joined, ..JoinOperand::default() };
    }
}

fn of_tokens(tokens: &[PlacedToken<'_>], operands: &mut Vec<(usize, usize)>) {
    let mut open: Vec<JoinOperand> = Vec::new();
    let mut operand = JoinOperand::default();
    for (token, range) in tokens {
        match token {
            TemplateToken::Sign('~') => operand.finish(true, operands),
            TemplateToken::Sign('(' | '[' | '{') => {
                operand.take(*range, true);
                open.push(std::mem::take(&mut operand));
            }
            TemplateToken::Sign(')' | ']' | '}') => {
                operand.finish(false, operands);
                operand = open.pop().unwrap_or_default();
                operand.take(*range, true);
            }
            TemplateToken::Sign('+' | '-' | '=' | '!' | '<' | '>' | ',' | ':')
            | TemplateToken::Word("and" | "or" | "not" | "if" | "else" | "is" | "in") => {
                operand.finish(false, operands);
            }
            TemplateToken::Text(_) => operand.take(*range, false),
            TemplateToken::Word(_) | TemplateToken::Number(_) | TemplateToken::Sign(_) => {
                operand.take(*range, true)
            }
        }
    }
    operand.finish(false, operands);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_get_the_filter() {
        for (text, wanted) in [
            ("{{ a ~ b }}", "{{ a | needed(\"a\") ~ b | needed(\"b\") }}"),
            ("{{ 'x' ~ p.mood }}", "{{ 'x' ~ p.mood | needed(\"p.mood\") }}"),
            (
                "{{ \" \" ~ behind if behind }}",
                "{{ \" \" ~ behind | needed(\"behind\") if behind }}",
            ),
            (
                "{% set s = (x[:1] | upper) ~ x[1:] %}",
                "{% set s = (x[:1] | upper) | needed(\"(x[:1] | upper)\") ~ x[1:] | needed(\"x[1:]\") %}",
            ),
            ("{{ f(a ~ b, c) }}", "{{ f(a | needed(\"a\") ~ b | needed(\"b\"), c) }}"),
            ("{{ a ~ -b }}", "{{ a | needed(\"a\") ~ -b }}"),
            ("{{ a | join('~') }} ~ {# a ~ b #}", "{{ a | join('~') }} ~ {# a ~ b #}"),
            ("{% raw %}{{ a ~ b }}{% endraw %}", "{% raw %}{{ a ~ b }}{% endraw %}"),
            ("{{ a[\"k\"] ~ 'x' }}", "{{ a[\"k\"] | needed(\"\") ~ 'x' }}"),
        ] {
            assert_eq!(checked(text), wanted);
        }
    }
}
