//! The rules of IFEval.

use super::*;

pub(super) const RULES: &[(&str, Own)] = &[
    ("ifeval keywords.existence", |t, g| {
        Some(g.texts("keywords").iter().all(|word| phrases(t, word) > 0))
    }),
    ("ifeval keywords.existence_as_released", |t, g| {
        Some(g.texts("keywords").iter().all(|word| hits(&format!("(?i){word}"), t) > 0))
    }),
    ("ifeval keywords.frequency", |t, g| {
        Some(g.amount("relation", "frequency", phrases(t, g.text("keyword"))))
    }),
    ("ifeval keywords.frequency_as_released", |t, g| {
        let word = format!("(?i){}", g.text("keyword"));
        Some(g.amount("relation", "frequency", hits(&word, t)))
    }),
    ("ifeval keywords.forbidden_words", |t, g| {
        Some(g.texts("forbidden_words").iter().all(|word| phrases(t, word) == 0))
    }),
    ("ifeval keywords.forbidden_words_as_released", |t, g| {
        let found = |word: &&str| hits(&format!(r"(?i)\b{word}\b"), t) > 0;
        Some(!g.texts("forbidden_words").iter().any(found))
    }),
    ("ifeval keywords.letter_frequency", |t, g| {
        Some(g.amount("let_relation", "let_frequency", letter(t, g.text("the_letter"))))
    }),
    ("ifeval length_constraints.number_sentences", |t, g| {
        Some(g.amount("relation", "num_sentences", sentences(t)?.len()))
    }),
    ("ifeval length_constraints.number_sentences_as_released", |t, g| {
        Some(g.amount("relation", "num_sentences", sentences(t)?.len()))
    }),
    ("ifeval length_constraints.number_paragraphs", |t, g| {
        let split = re(r"(?m)^[ \t]*\*\*\*[ \t]*$");
        Some(split.split(t).filter(|part| !blank(part)).count() == g.int("num_paragraphs"))
    }),
    ("ifeval length_constraints.number_paragraphs_as_released", |t, g| {
        let all: Vec<&str> = t.split("***").collect();
        let inner = all.get(1..all.len() - 1).unwrap_or(&[]);
        Some(parts(t, "***").len() == g.int("num_paragraphs") && !inner.iter().any(|p| blank(p)))
    }),
    ("ifeval length_constraints.number_words", |t, g| {
        Some(g.amount("relation", "num_words", words(t).len()))
    }),
    ("ifeval length_constraints.number_words_as_released", |t, g| {
        Some(g.amount("relation", "num_words", runs(t)))
    }),
    ("ifeval length_constraints.nth_paragraph_first_word", |t, g| {
        let found = paragraphs(t);
        let begins =
            found.get(g.int("nth_paragraph") - 1).and_then(|one| words(one).first().cloned());
        Some(
            found.len() == g.int("num_paragraphs")
                && begins
                    .is_some_and(|word| word.to_lowercase() == g.text("first_word").to_lowercase()),
        )
    }),
    ("ifeval detectable_content.number_placeholders_as_released", |t, g| {
        Some(hits(r"\[.*?\]", t) >= g.int("num_placeholders"))
    }),
    ("ifeval detectable_content.postscript", |t, g| {
        Some(filled(t).iter().any(|line| {
            letter(line, g.text("postscript_marker")) > 0 && hits(r"^[^\w]*(?i:p)", line) > 0
        }))
    }),
    ("ifeval detectable_content.postscript_as_released", |t, g| {
        Some(match g.text("postscript_marker") {
            "P.P.S" => hits(r"(?i)p\.\s?p\.\s?s", t) > 0,
            "P.S." => hits(r"(?i)p\.\s?s\.", t) > 0,
            _ => return None,
        })
    }),
    ("ifeval detectable_format.number_bullet_lists", |t, g| {
        Some(bullets(t)? == g.int("num_bullets"))
    }),
    ("ifeval detectable_format.number_bullet_lists_as_released", |t, g| {
        let stars = hits(r"(?m)^\s*\*[^\*].*$", t);
        Some(stars + hits(r"(?m)^\s*-.*$", t) == g.int("num_bullets"))
    }),
    ("ifeval detectable_format.constrained_response", |t, _| {
        let lower = t.to_lowercase();
        Some(["yes", "no", "maybe"].iter().any(|a| lower.contains(&format!("my answer is {a}."))))
    }),
    ("ifeval detectable_format.number_highlighted_sections_as_released", |t, g| {
        let some = |pattern: &str| {
            let all = re(pattern);
            let found = all.find_iter(t).filter(|m| !blank(m.as_str().trim_matches('*')));
            found.count()
        };
        Some(some(r"\*[^\n\*]*\*") + some(r"\*\*[^\n\*]*\*\*") >= g.int("num_highlights"))
    }),
    ("ifeval detectable_format.multiple_sections_as_released", |t, g| {
        let pattern = format!(r"\s?{}\s?\d+\s?", g.text("section_spliter"));
        Some(hits(&pattern, t) >= g.int("num_sections"))
    }),
    ("ifeval detectable_format.json_format", |t, _| Some(json(t).is_some())),
    ("ifeval detectable_format.title", |t, _| Some(hits(r"<<[^<>\n]*[^<>\s][^<>\n]*>>", t) > 0)),
    ("ifeval detectable_format.title_as_released", |t, _| {
        let all = re(r"<<[^\n]+>>");
        Some(all.find_iter(t).any(|m| !blank(m.as_str().trim_matches(['<', '>']))))
    }),
    ("ifeval combination.two_responses", |t, _| {
        let two = parts(t, "******");
        Some(two.len() == 2 && two[0] != two[1])
    }),
    ("ifeval combination.two_responses_as_released", |t, _| {
        let two = parts(t, "******");
        Some(two.len() == 2 && two[0].trim() != two[1].trim())
    }),
    ("ifeval combination.repeat_prompt", |t, g| {
        Some(t.trim().to_lowercase().starts_with(&g.text("prompt_to_repeat").to_lowercase()))
    }),
    ("ifeval startend.end_checker", |t, g| {
        let end = t.trim().trim_end_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let phrase = g.text("end_phrase").to_lowercase();
        Some(end.ends_with(phrase.trim_end_matches(|c: char| !c.is_alphanumeric())))
    }),
    ("ifeval startend.end_checker_as_released", |t, g| {
        let end = t.trim().trim_matches('"').to_lowercase();
        Some(end.ends_with(&g.text("end_phrase").trim().to_lowercase()))
    }),
    ("ifeval startend.quotation", |t, _| {
        let t = t.trim();
        let in_pair = |a, b| t.chars().count() > 1 && t.starts_with(a) && t.ends_with(b);
        Some(in_pair('"', '"') || in_pair('“', '”'))
    }),
    ("ifeval startend.quotation_as_released", |t, _| {
        let t = t.trim();
        Some(t.len() > 1 && t.starts_with('"') && t.ends_with('"'))
    }),
    ("ifeval change_case.capital_word_frequency", |t, g| {
        let capital = words(t).iter().filter(|word| upper(word)).count();
        Some(g.amount("capital_relation", "capital_frequency", capital))
    }),
    ("ifeval change_case.english_capital", |t, _| Some(upper(t))),
    ("ifeval change_case.english_capital_as_released", |t, _| Some(upper(t))),
    ("ifeval change_case.english_lowercase", |t, _| Some(!t.chars().any(char::is_uppercase))),
    ("ifeval change_case.english_lowercase_as_released", |t, _| {
        Some(!t.chars().any(char::is_uppercase))
    }),
    ("ifeval punctuation.no_comma", |t, _| Some(!blank(t) && !t.contains(','))),
];
