//! Finds values of a template that would grow without bound, before it is rendered.
//!
//! minijinja counts steps and not bytes: thirty times `{% set x = x ~ x %}` are few
//! steps and a gigabyte. The output has a limit; a value grows only if a
//! name is bound to a combination of other values. So no tag that captures text is
//! known here, and each name has a weight: how many values went into it at most.

use std::collections::BTreeMap;

use super::TemplateFault;
use super::tokens::{TemplateToken, braces};

/// The maximum number of values in one. An included template starts from there again.
const MAX_VALUES: u64 = 1_000;

const TAG_KEYWORDS: [&str; 11] =
    ["elif", "else", "endfor", "endif", "endraw", "endwith", "for", "if", "include", "raw", "with"];

/// The template that others include.
const INCLUDED_TEMPLATE: &str = "changes.j2";

/// # Errors
///
/// A tag that is not allowed, or a value that grows beyond the limit. Syntax errors are not
/// reported here.
pub(super) fn check(text: &str) -> Result<(), TemplateFault> {
    // Without tags only a product can be larger than the template.
    if !text.contains("{%") && !text.contains('*') {
        return Ok(());
    }
    let mut weights: BTreeMap<&str, u64> = BTreeMap::new();
    for (kind, placed, (found, end)) in braces(text) {
        let tokens: Vec<TemplateToken<'_>> = placed.into_iter().map(|(token, _)| token).collect();
        let fault = |message: String| TemplateFault {
            message,
            line: text[..found].matches('\n').count() + 1,
            range: Some((found, end)),
        };
        if kind == b'{' {
            check_weight(weigh(&tokens, &weights)).map_err(fault)?;
            continue;
        }
        if tokens == [TemplateToken::Word("raw")] {
            continue;
        }
        tag(&tokens, &mut weights).map_err(fault)?;
    }
    Ok(())
}

fn tag<'t>(
    tokens: &[TemplateToken<'t>],
    weights: &mut BTreeMap<&'t str, u64>,
) -> Result<(), String> {
    let (word, rest) = match tokens.split_first() {
        Some((TemplateToken::Word(word), rest)) => (*word, rest),
        _ => return Ok(()),
    };
    match word {
        "set" | "with" => {
            for assigned in split(rest, ',') {
                let Some(sign) = equals(assigned) else {
                    let caught = word == "set" && !rest.contains(&TemplateToken::Sign('='));
                    if caught {
                        return Err("`set` takes a value here: `{% set NAME = VALUE %}`".to_owned());
                    }
                    continue;
                };
                let weight = weigh(&assigned[sign + 1..], weights);
                check_weight(weight)?;
                name(&assigned[..sign], weight, weights);
            }
        }
        "for" => {
            if rest.contains(&TemplateToken::Word("recursive")) {
                return Err("a loop of a template does not call itself".to_owned());
            }
            let list =
                rest.iter().position(|token| *token == TemplateToken::Word("in")).unwrap_or(0);
            let weight = weigh(&rest[list..], weights);
            check_weight(weight)?;
            name(&rest[..list], weight, weights);
        }
        "include" => {
            if rest != [TemplateToken::Text(INCLUDED_TEMPLATE)] {
                return Err(format!("a template includes nothing but \"{INCLUDED_TEMPLATE}\""));
            }
        }
        word if TAG_KEYWORDS.contains(&word) => check_weight(weigh(rest, weights))?,
        word => {
            return Err(format!(
                "there is no tag `{word}` here; there are `if`, `for`, `set`, `with`, `include` and `raw`"
            ));
        }
    }
    Ok(())
}

fn name<'t>(names: &[TemplateToken<'t>], weight: u64, weights: &mut BTreeMap<&'t str, u64>) {
    for token in names {
        if let TemplateToken::Word(name) = token {
            // The branch that is taken is unknown: the heavier one counts.
            let known = weights.entry(name).or_default();
            *known = weight.max(*known);
        }
    }
}

/// The maximum number of values in an expression.
fn weigh(tokens: &[TemplateToken<'_>], weights: &BTreeMap<&str, u64>) -> u64 {
    let mut sum = 0_u64;
    for token in tokens {
        sum = sum.saturating_add(match token {
            TemplateToken::Word(word) => weights.get(word).copied().unwrap_or(1),
            TemplateToken::Text(_) | TemplateToken::Number(_) => 1,
            TemplateToken::Sign(_) => 0,
        });
    }
    for (at, token) in tokens.iter().enumerate() {
        if *token == TemplateToken::Sign('*') {
            for beside in [at.checked_sub(1), Some(at + 1)].into_iter().flatten() {
                if let Some(TemplateToken::Number(times)) = tokens.get(beside) {
                    sum = sum.saturating_mul((*times).max(1));
                }
            }
        }
    }
    sum
}

fn check_weight(weight: u64) -> Result<(), String> {
    if weight > MAX_VALUES {
        return Err(format!("a value in it is made of more than {MAX_VALUES} others"));
    }
    Ok(())
}

/// The `=` that is not part of `==`, `!=`, `<=` or `>=`, outside of parentheses.
fn equals(tokens: &[TemplateToken<'_>]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TemplateToken::Sign('(' | '[' | '{') => depth += 1,
            TemplateToken::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            TemplateToken::Sign('=') if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// The parts between a sign outside of parentheses.
fn split<'s, 't>(tokens: &'s [TemplateToken<'t>], sign: char) -> Vec<&'s [TemplateToken<'t>]> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TemplateToken::Sign('(' | '[' | '{') => depth += 1,
            TemplateToken::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            TemplateToken::Sign(found) if depth == 0 && *found == sign => {
                parts.push(&tokens[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tokens[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::template::{TEMPLATES, names_in};

    fn fault(text: &str) -> Option<String> {
        check(text).err().map(|fault| fault.message)
    }

    #[test]
    fn templates_that_grow() {
        let doubled = "{% set a = 'x' %}".to_owned() + &"{% set a = a ~ a %}".repeat(12);
        let through = (1..12).fold("{% set a0 = 'x' %}".to_owned(), |text, at| {
            text + &format!("{{%- set a{at} = [a{}, a{}] -%}}", at - 1, at - 1)
        });
        let loops = "{% for a in [a ~ a] %}".repeat(12);
        let with = (1..12).fold("{% with a0 = 'x'".to_owned(), |text, at| {
            text + &format!(", a{at} = a{} ~ a{}", at - 1, at - 1)
        }) + " %}";
        for text in [
            &*doubled,
            &through,
            &loops,
            &with,
            "{{ 'x' * 99999999 }}",
            "{{ 99_999_999 * word }}",
            "{% set a = '%}' %}{% set b = (a ~ a) * 9999 %}",
            "{{ {'a': {'b': '{#'}} }}{{ 'x' * 9999 }}{# #}",
        ] {
            assert!(fault(text).is_some_and(|why| why.contains("more than 1000")), "{text}");
        }
        assert_eq!(fault("{{ 'x' * 9999"), fault("{{ 'x' * 9999 }}"));
        assert!(check(&doubled).is_err_and(|fault| fault.line == 1 && fault.range.is_some()));
    }

    #[test]
    fn cdata_and_raw_text_tags() {
        for (text, said) in [
            ("{% set a %}x{% endset %}", "takes a value"),
            ("{% macro m() %}x{% endmacro %}", "no tag `macro`"),
            ("{% filter upper %}x{% endfilter %}", "no tag `filter`"),
            ("{%- block a -%}x{% endblock %}", "no tag `block`"),
            ("{% for a in b recursive %}{{ loop(a) }}{% endfor %}", "call itself"),
            ("{% include 'g.c/say/0' %}", "includes nothing but"),
            ("{% include name %}", "includes nothing but"),
        ] {
            assert!(fault(text).is_some_and(|why| why.contains(said)), "{text}: {:?}", fault(text));
        }
    }

    #[test]
    fn templates_that_do_not_grow() {
        for text in [
            "{# {% macro %} 'x' * 9999 #}{{ n }}",
            "{% raw %}{% macro %}{{ 'x' * 9999 }}{% endraw %}{{ n }}",
            "{% set a, b = x, y %}{% if a == b %}{{ a }}{% elif a != 9 * b %}{% else %}{% endif %}",
            "{% for a, b in pairs if a %}{{ loop.index * 5 }}{% endfor %}",
            "{% with a = f(b=1), c = 2 %}{{ a * c }}{% endwith %}",
            "{% include \"changes.j2\" %}",
            "a * b, { c }",
        ] {
            assert_eq!(fault(text), None, "{text}");
        }
        for (name, text) in TEMPLATES {
            assert!(names_in(text).is_ok(), "{name}");
        }
    }
}
