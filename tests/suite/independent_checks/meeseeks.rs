//! The rules of Meeseeks.

use super::*;

pub(super) const RULES: &[(&str, Own)] = &[
    ("meeseeks each_length", |t, g| {
        every(t, |e| (g.int("low")..=g.int("high")).contains(&words(e).len()))
    }),
    ("meeseeks total_length", |t, g| {
        let all: usize = entries(t)?.iter().map(|e| words(e).len()).sum();
        Some((g.int("low")..=g.int("high")).contains(&all))
    }),
    ("meeseeks item_count", |t, g| {
        Some((g.int("low")..=g.int("high")).contains(&entries(t)?.len()))
    }),
    ("meeseeks keywords", |t, g| every(t, |e| g.texts("terms").iter().all(|w| often(e, w) > 0))),
    ("meeseeks any_keywords", |t, g| {
        Some(g.texts("terms").iter().filter(|w| often(t, w) > 0).count() >= g.int("n"))
    }),
    ("meeseeks non_keywords", |t, g| Some(g.texts("terms").iter().all(|w| often(t, w) == 0))),
    ("meeseeks word_freq", |t, g| Some(g.texts("terms").iter().all(|w| often(t, w) == g.int("n")))),
    ("meeseeks non_word_freq", |t, g| {
        Some(g.texts("terms").iter().all(|w| often(t, w) <= g.int("n")))
    }),
    ("meeseeks any_word_freq", |t, g| {
        every(t, |e| g.texts("terms").iter().map(|w| often(e, w)).sum::<usize>() == g.int("n"))
    }),
    ("meeseeks notation_freq", |t, g| {
        every(t, |e| g.texts("notations").iter().all(|m| e.matches(m).count() == g.int("n")))
    }),
    ("meeseeks non_special_notation", |t, g| Some(!t.contains(g.text("notation")))),
    ("meeseeks repeat_each", |t, _| {
        Some(unique(entries(t)?.iter().map(|e| e.to_lowercase()).collect()))
    }),
    ("meeseeks no_word_repeat", |t, _| Some(unique(low(t)))),
    ("meeseeks no_character_repeat", |t, _| {
        Some(
            entries(t)?.iter().all(|e| {
                unique(e.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect())
            }),
        )
    }),
    ("meeseeks startswith_each", |t, g| {
        every(t, |e| g.texts("starts").iter().any(|start| e.starts_with(start)))
    }),
    ("meeseeks endswith_each", |t, g| {
        every(t, |e| g.texts("ends").iter().any(|end| e.ends_with(end)))
    }),
    ("meeseeks no_end_with_punctuation", |t, _| {
        Some(entries(t)?.iter().all(|e| hits(r"\p{P}$", e) == 0))
    }),
    ("meeseeks regex", |t, g| every(t, |e| hits(&format!("^(?:{})$", g.text("pattern")), e) == 1)),
    ("meeseeks non_regex", |t, g| Some(hits(g.text("pattern"), t) == 0)),
    ("meeseeks jielong1", |t, _| {
        let all: Vec<Vec<char>> = entries(t)?.iter().map(|e| letters(&e.to_lowercase())).collect();
        Some(all.len() >= 2 && pairs(&all, |a, b| a.last() == b.first()))
    }),
    ("meeseeks jielong2", |t, _| {
        let begins = |(e, c): (&String, char)| e.trim_start_matches('"').starts_with(c);
        let all = entries(t)?;
        Some(!all.is_empty() && all.iter().zip("一二三四五六七八九十".chars()).all(begins))
    }),
    ("meeseeks jielong3", |t, _| {
        let all: Vec<Vec<char>> = entries(t)?.iter().map(|e| letters(&e.to_lowercase())).collect();
        Some(all.len() >= 2 && pairs(&all, |a, b| a.first() == b.last()))
    }),
    ("meeseeks word_structure", |t, g| {
        let shape = |e: &String| -> String {
            let all = letters(&e.to_lowercase());
            let mut seen: Vec<char> = Vec::new();
            all.iter()
                .map(|c| {
                    let at = seen.iter().position(|have| have == c).unwrap_or_else(|| {
                        seen.push(*c);
                        seen.len() - 1
                    });
                    char::from(b'A' + u8::try_from(at).unwrap_or(25))
                })
                .collect()
        };
        every(t, |e| shape(e) == g.text("structure"))
    }),
    ("meeseeks chinese_english_ratio", |t, g| {
        every(t, |e| {
            let english = hits("[A-Za-z]+", e);
            english > 0 && han(e) * g.int("english") == english * g.int("chinese")
        })
    }),
    ("meeseeks count_mixed_chinese_english_words", |t, g| {
        every(t, |e| (g.int("low")..=g.int("high")).contains(&(han(e) + hits("[A-Za-z]+", e))))
    }),
    ("meeseeks ENG_cap_num", |t, g| {
        Some(entries(t)?.iter().filter(|e| upper(e)).count() == g.int("n"))
    }),
    ("meeseeks ENG_low_num", |t, g| {
        let small =
            |e: &&String| e.chars().any(char::is_lowercase) && !e.chars().any(char::is_uppercase);
        Some(entries(t)?.iter().filter(small).count() == g.int("n"))
    }),
    ("meeseeks compound_word_num", |t, g| {
        every(t, |e| (g.int("low")..=g.int("high")).contains(&hits(r"\p{L}+(?:[-'’]\p{L}+)+", e)))
    }),
    ("meeseeks character_freq", |t, g| {
        Some((g.int("low")..=g.int("high")).contains(&letter(t, g.text("the_letter"))))
    }),
    ("meeseeks schema", |t, _| Some(json(t).is_some())),
    ("meeseeks schema_field", |t, g| {
        Some(json(t).is_some_and(|value| value.pointer(g.text("pointer")).is_some()))
    }),
];
