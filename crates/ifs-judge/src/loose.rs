//! The loose reading of a response: what models add around it is left out.

use ifs_text::python;

/// The trimmed forms of a response, without duplicates, blank forms and the response itself.
pub fn variants(answer: &str) -> Vec<String> {
    // Lines end at LF only, as in the released program.
    let after_first = answer.find('\n').map_or(answer.len(), |at| at + 1);
    let before_last = answer.rfind('\n').unwrap_or(0);
    let trimmed = [
        &answer[after_first..],
        &answer[..before_last],
        answer.get(after_first..before_last).unwrap_or(""),
    ]
    .map(|part| python::strip(part).to_owned());
    let mut variants: Vec<String> = Vec::new();
    let mut add = |variant: String| {
        if variant != answer && !python::strip(&variant).is_empty() && !variants.contains(&variant)
        {
            variants.push(variant);
        }
    };
    if answer.contains('*') {
        add(answer.replace('*', ""));
        trimmed.iter().for_each(|part| add(part.replace('*', "")));
    }
    trimmed.into_iter().for_each(add);
    variants
}

#[cfg(test)]
mod tests {
    use super::variants;

    #[test]
    fn lines_and_asterisks_are_removed() {
        let found = variants("Sure!\n\n**One**\n two \nBye.");
        let wanted = [
            "Sure!\n\nOne\n two \nBye.",
            "One\n two \nBye.",
            "Sure!\n\nOne\n two",
            "One\n two",
            "**One**\n two \nBye.",
            "Sure!\n\n**One**\n two",
            "**One**\n two",
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_single_line_has_no_trimmed_forms() {
        assert!(variants("One line.").is_empty());
        assert!(variants("").is_empty());
        assert_eq!(variants("a\nb"), ["b", "a"]);
        assert_eq!(variants("*a*"), ["a"]);
    }
}
