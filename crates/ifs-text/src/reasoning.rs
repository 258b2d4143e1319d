//! Separates reasoning in tags from the text of a response.
//!
//! Reasoning is recognized only at the beginning of a response: elsewhere, `<think>` is text. Some
//! servers put the opening tag into the prompt, so a response may begin inside the block; then the
//! closing tag must be on a line of its own.

/// Opening and closing tags, in lower case.
const TAGS: [(&str, &str); 4] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<|thinking|>", "<|/thinking|>"),
    ("◁think▷", "◁/think▷"),
];

/// The reasoning at the beginning of a response and the text after it; `None` without reasoning. An
/// unclosed block includes everything.
pub fn part(response: &str) -> Option<(String, &str)> {
    let mut rest = response.trim_start();
    let mut reasoning: Vec<&str> = Vec::new();
    while let Some((opening, closing)) =
        TAGS.iter().find(|(opening, _)| starts_with_tag(rest, opening))
    {
        let inner = &rest[opening.len()..];
        let (thought, after) = match find(inner, closing) {
            Some(at) => (&inner[..at], &inner[at + closing.len()..]),
            None => (inner, ""),
        };
        reasoning.push(thought.trim());
        rest = after.trim_start();
    }
    if reasoning.is_empty() {
        let (thought, after) = split_open_block(response)?;
        return Some((thought.trim().to_owned(), after.trim_start()));
    }
    Some((reasoning.join("\n\n"), rest))
}

/// A response that begins inside a block.
fn split_open_block(response: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    let mut fenced = false;
    for line in response.split_inclusive('\n') {
        let told = line.trim();
        if told.starts_with("```") || told.starts_with("~~~") {
            fenced = !fenced;
        }
        let closing = TAGS.iter().any(|(_, closing)| told.eq_ignore_ascii_case(closing));
        if closing && !fenced {
            return Some((&response[..at], &response[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

fn starts_with_tag(text: &str, tag: &str) -> bool {
    text.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag))
}

fn find(text: &str, tag: &str) -> Option<usize> {
    let (text, tag) = (text.as_bytes(), tag.as_bytes());
    text.windows(tag.len()).position(|window| window.eq_ignore_ascii_case(tag))
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn reasoning_ends_where_the_response_begins() {
        for (response, reasoning, text) in [
            ("<think>Hm.</think>Yes.", "Hm.", "Yes."),
            ("\n <THINK>\nHm.\n</Think>\n\nYes.\n", "Hm.", "Yes.\n"),
            ("<thinking>Hm.</thinking> Yes.", "Hm.", "Yes."),
            ("◁think▷Hm.◁/think▷Yes.", "Hm.", "Yes."),
            ("<think></think>\n\nYes.", "", "Yes."),
            ("<think>a</think>\n<think>b</think>Yes.", "a\n\nb", "Yes."),
            ("<think>Hm, it was cut", "Hm, it was cut", ""),
            ("<think>", "", ""),
            ("<think>Hm.</think>", "Hm.", ""),
            ("Hm. I was begun for.\n</think>\n\nYes.", "Hm. I was begun for.", "Yes."),
            ("</think>\nYes.", "", "Yes."),
            ("<think>about </thinking></think>Yes.", "about </thinking>", "Yes."),
        ] {
            assert_eq!(part(response), Some((reasoning.to_owned(), text)), "{response:?}");
        }
    }

    #[test]
    fn tags_in_running_text_are_kept() {
        for response in [
            "",
            "Yes.",
            "Write <think> before you answer.",
            "Yes. <think>Hm.</think>",
            "The tag `</think>` ends it.",
            "Like so:\n```\n<think>\nHm.\n</think>\n```\n",
            "<thinker>Rodin</thinker>",
            "<b>think</b>",
            "é",
        ] {
            assert_eq!(part(response), None, "{response:?}");
        }
    }
}
