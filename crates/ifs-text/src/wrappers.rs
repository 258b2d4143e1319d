//! Structure around a response: fences, front matter, tags.

use super::python;

/// The text without the parts that EvolIF intended to remove before it checks the edges of a
/// response: a code fence at the beginning (with the text after the closing fence), YAML front
/// matter, opening tags at the beginning and closing tags at the end. In the released program this
/// step never runs.
///
/// Reconstructed from verdicts. A response that is one JSON object is treated differently there, in
/// a way that the verdicts do not determine, and is unchanged here.
pub fn without_wrappers(text: &str) -> &str {
    let text = fenced(python::strip(text));
    let text = after_front_matter(text);
    let text = after_tags(text);
    before_closing_tags(text)
}

fn fenced(text: &str) -> &str {
    let content = text.strip_prefix("```").and_then(|rest| rest.split_once('\n'));
    match content.and_then(|(_, content)| content.split_once("```")) {
        Some((inside, _)) => inside,
        None => text,
    }
}

fn after_front_matter(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("---") else {
        return text;
    };
    let mut at = text.len() - rest.len();
    for (index, line) in rest.split_inclusive('\n').enumerate() {
        at += line.len();
        let is_fence = if index == 0 { "" } else { "---" } == line.trim_end();
        match (index, is_fence, line.ends_with('\n')) {
            (0, false, _) => return text,
            (1.., true, true) => return &text[at..],
            _ => {}
        }
    }
    text
}

fn after_tags(mut text: &str) -> &str {
    while let Some(inside) = text.trim_start_matches(python::is_space).strip_prefix('<') {
        match inside.split_once('>') {
            Some((name, rest)) if !name.is_empty() => text = rest,
            _ => break,
        }
    }
    text
}

fn before_closing_tags(mut text: &str) -> &str {
    while let Some(inside) = text.trim_end_matches(python::is_space).strip_suffix('>') {
        // The name contains no `>`, so the tag opens after the previous one.
        let after = inside.rfind('>').map_or(0, |at| at + 1);
        match inside[after..].find("</") {
            Some(at) if after + at + 2 < inside.len() => text = &inside[..after + at],
            _ => break,
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrappers_are_removed() {
        for (text, inside) in [
            ("```json\n[1]\n```\nDone.", "[1]\n"),
            ("---\ntitle: x\n---\nBody", "Body"),
            ("---\nno end", "---\nno end"),
            ("<root><a x='1'>t</a><b/></root> ", "t</a><b/>"),
            ("<<a>> and <<b>>", "> and <<b>>"),
            ("<p>one<p>two", "one<p>two"),
            ("plain", "plain"),
            ("</>", ""),
            ("<>", "<>"),
        ] {
            assert_eq!(without_wrappers(text), inside, "{text}");
        }
    }
}
