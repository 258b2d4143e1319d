//! The rules of EvolIF.

use super::*;

pub(super) const RULES: &[(&str, Own)] = &[
    ("evolif startwith.letter_first", |t, g| {
        Some(
            letters(t).first().copied().and_then(|c| c.to_lowercase().next()) == first(g.text("c")),
        )
    }),
    ("evolif endwith.letter_last", |t, g| {
        Some(letters(t).last().copied().and_then(|c| c.to_lowercase().next()) == first(g.text("c")))
    }),
    ("evolif startwith.emoji_first", |t, g| {
        Some(
            t.trim_start_matches(|c: char| c.is_ascii() && !c.is_alphanumeric())
                .starts_with(g.text("mark")),
        )
    }),
    ("evolif endwith.emoji_last", |t, g| {
        Some(
            t.trim_end_matches(|c: char| c.is_ascii() && !c.is_alphanumeric())
                .ends_with(g.text("mark")),
        )
    }),
    ("evolif startwith.pair_first", |t, g| {
        let (left, right) = (g.field("pair", "left"), g.field("pair", "right"));
        Some(t.trim().strip_prefix(left).is_some_and(|rest| rest.contains(right)))
    }),
    ("evolif endwith.pair_last", |t, g| {
        let (left, right) = (g.field("pair", "left"), g.field("pair", "right"));
        Some(t.trim().strip_suffix(right).is_some_and(|rest| rest.contains(left)))
    }),
    ("evolif format.json", |t, _| Some(json(t).is_some())),
    ("evolif format.html", |t, _| {
        Some(
            t.trim().starts_with('<')
                && t.trim().ends_with('>')
                && hits("<[a-z]+>", &t.to_lowercase()) > 0,
        )
    }),
    ("evolif format.xml", |t, _| {
        let opened = re(r"<([A-Za-z]+)>").captures(t).map(|c| format!("</{}>", &c[1]));
        Some(opened.is_some_and(|close| t.contains(&close)))
    }),
    ("evolif format.csv", |t, _| {
        let mut rows = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(t.trim().as_bytes());
        let lengths: Vec<usize> =
            rows.records().map(|row| row.map_or(0, |row| row.len())).collect();
        Some(lengths.len() >= 2 && lengths.iter().all(|cells| *cells >= 2))
    }),
    ("evolif countable_items.bullets", |t, g| {
        let stars = hits(r"(?m)^\s*\*[^\*].*$", t);
        Some(stars + hits(r"(?m)^\s*-.*$", t) == g.int("n"))
    }),
    ("evolif length.words_under", |t, g| Some(runs(t) < g.int("n"))),
    ("evolif length.words_over", |t, g| Some(runs(t) > g.int("n"))),
    ("evolif length.words_exactly", |t, g| Some(runs(t) == g.int("n"))),
    ("evolif length.paragraphs_under", |t, g| Some(paragraphs(t).len() < g.int("n"))),
    ("evolif length.paragraphs_over", |t, g| Some(paragraphs(t).len() > g.int("n"))),
    ("evolif length.paragraphs_exactly", |t, g| Some(paragraphs(t).len() == g.int("n"))),
    ("evolif length.characters_under", |t, g| Some(t.trim().chars().count() < g.int("n"))),
    ("evolif length.characters_over", |t, g| Some(t.trim().chars().count() > g.int("n"))),
    ("evolif length.characters_exactly", |t, g| Some(t.trim().chars().count() == g.int("n"))),
    ("evolif length.sentences_under", |t, g| Some(sentences(t)?.len() < g.int("n"))),
    ("evolif length.sentences_over", |t, g| Some(sentences(t)?.len() > g.int("n"))),
    ("evolif length.sentences_exactly", |t, g| Some(sentences(t)?.len() == g.int("n"))),
    ("evolif case.all_upper", |t, _| Some(!t.chars().any(char::is_lowercase))),
    ("evolif case.all_lower", |t, _| Some(!t.chars().any(char::is_uppercase))),
    ("evolif case.share_of_capitals", |t, g| {
        Some(letters(t).is_empty() || (share_upper(t) - g.int("n") as f64).abs() <= 3.000_001)
    }),
    ("evolif punctuation.include", |t, g| Some(t.contains(g.text("mark")))),
    ("evolif punctuation.exclude", |t, g| Some(!t.contains(g.text("mark")))),
];
