//! The rules of MMMT-IF.

use super::*;

pub(super) const RULES: &[(&str, Own)] = &[
    ("mmmt response_length.short", |t, _| Some(sentences(t)?.len() <= 4)),
    ("mmmt response_length.long", |t, _| Some(sentences(t)?.len() >= 5)),
    ("mmmt sentence_start.with_s", |t, _| {
        Some(sentences(t)?.iter().all(|one| first(one) == first("S")))
    }),
    ("mmmt sentence_start.with_b", |t, _| {
        Some(sentences(t)?.iter().all(|one| first(one) == first("B")))
    }),
    ("mmmt sentence_end.question_mark", |t, _| {
        Some(sentences(t)?.iter().all(|one| one.ends_with('?')))
    }),
    ("mmmt sentence_end.exclamation_mark", |t, _| {
        Some(sentences(t)?.iter().all(|one| one.ends_with('!')))
    }),
    ("mmmt favorite_word.like", |t, _| Some(phrases(t, "like") > 0)),
    ("mmmt favorite_word.itself", |t, _| Some(phrases(t, "itself") > 0)),
    ("mmmt favorite_word.per_se", |t, _| Some(phrases(t, "per se") > 0)),
    ("mmmt sentence_length.short", |t, _| {
        Some(sentences(t)?.iter().all(|one| words(one).len() <= 18))
    }),
    ("mmmt sentence_length.long", |t, _| {
        Some(sentences(t)?.iter().all(|one| words(one).len() >= 18))
    }),
    ("mmmt include_number.even", |t, _| {
        Some(
            re(r"\d+")
                .find_iter(t)
                .any(|m| m.as_str().parse::<u64>().is_ok_and(|n| n > 5 && n % 2 == 0)),
        )
    }),
    ("mmmt include_number.odd", |t, _| {
        Some(
            re(r"\d+")
                .find_iter(t)
                .any(|m| m.as_str().parse::<u64>().is_ok_and(|n| n > 5 && n % 2 == 1)),
        )
    }),
];
