//! Rules of the library, read again by plain loops and expressions that know nothing of the
//! program's own: what a witness is held to besides *evaluate*.

use ifs::predicate::value::Value;
use regex::Regex;

/// The values of a rule's parameters.
pub(super) struct Given<'a>(pub(super) &'a [(String, Value)]);

impl Given<'_> {
    fn value(&self, name: &str) -> &Value {
        let found = self.0.iter().rev().find(|(have, _)| have == name);
        &found.unwrap_or_else(|| panic!("no parameter {name}")).1
    }

    fn int(&self, name: &str) -> usize {
        self.value(name).as_int().and_then(|n| usize::try_from(n).ok()).expect("a number")
    }

    fn text(&self, name: &str) -> &str {
        self.value(name).as_str().expect("a text")
    }

    fn texts(&self, name: &str) -> Vec<&str> {
        self.value(name).as_list().expect("a list").iter().filter_map(Value::as_str).collect()
    }

    fn field<'s>(&'s self, name: &str, field: &str) -> &'s str {
        self.value(name).field(field).and_then(Value::as_str).expect("a field")
    }

    /// `at least` or `less than` so many.
    fn amount(&self, relation: &str, number: &str, have: usize) -> bool {
        if self.text(relation) == "less than" {
            have < self.int(number)
        } else {
            have >= self.int(number)
        }
    }
}

/// Whether a text meets a rule; nothing where these counts cannot tell.
type Own = fn(&str, &Given<'_>) -> Option<bool>;

pub(super) fn meets(
    module: &str,
    rule: &str,
    text: &str,
    given: &[(String, Value)],
) -> Option<bool> {
    let (_, own) = RULES.iter().find(|(name, _)| name.split_once(' ') == Some((module, rule)))?;
    own(text, &Given(given))
}

fn re(pattern: &str) -> Regex {
    Regex::new(pattern).expect("an expression")
}

fn hits(pattern: &str, text: &str) -> usize {
    re(pattern).find_iter(text).count()
}

/// How often something is in a text, ignoring case and not within a word.
fn phrases(text: &str, part: &str) -> usize {
    let text: Vec<char> = text.to_lowercase().chars().collect();
    let part: Vec<char> = part.to_lowercase().chars().collect();
    let in_word = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric() || *c == '_');
    let (mut at, mut count) = (0, 0);
    while at + part.len() <= text.len() {
        let end = at + part.len();
        let inside = (in_word(part.first())
            && in_word(at.checked_sub(1).and_then(|b| text.get(b))))
            || (in_word(part.last()) && in_word(text.get(end)));
        if text[at..end] == part[..] && !inside {
            count += 1;
            at = end;
        } else {
            at += 1;
        }
    }
    count
}

/// Runs of letters, digits and underscores; with ` ' . , ` inside as Unicode has it; ideographs
/// one by one.
fn words(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let han = |c: char| hits(r"^[\p{Han}]$", &c.to_string()) > 0;
    let kana = |c: char| hits(r"^[\p{Hiragana}\p{Katakana}ー]$", &c.to_string()) > 0;
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    for (at, c) in chars.iter().copied().enumerate() {
        let (before, after) = (at.checked_sub(1).map(|at| chars[at]), chars.get(at + 1).copied());
        let both = |test: fn(char) -> bool| before.is_some_and(test) && after.is_some_and(test);
        let letter = |c: char| c.is_alphabetic();
        let joins = ("'’.:·".contains(c) && both(letter))
            || (".,;'’".contains(c) && both(|c| c.is_numeric()));
        let mark = hits(r"^\p{M}$", &c.to_string()) > 0;
        if !c.is_ascii() && han(c) {
            words.push(c.to_string());
            open = false;
        } else if c.is_alphanumeric() || c == '_' || mark || (joins && open) {
            let apart = !c.is_ascii() && before.is_some_and(|b| kana(b) != kana(c));
            if !open || apart {
                words.push(String::new());
            }
            words.last_mut().expect("one").push(c);
            open = true;
        } else {
            open = false;
        }
    }
    words.retain(|word| word.chars().any(char::is_alphanumeric));
    words
}

fn low(text: &str) -> Vec<String> {
    words(text).into_iter().map(|word| word.to_lowercase()).collect()
}

/// Runs of `\w`.
fn runs(text: &str) -> usize {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|run| !run.is_empty()).count()
}

fn filled(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

fn paragraphs(text: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for line in text.lines() {
        match line.trim() {
            "" => found.push(String::new()),
            line => found.last_mut().expect("one").push_str(&format!("{line}\n")),
        }
    }
    found.retain(|paragraph| !paragraph.is_empty());
    found
}

/// Lines without bullet or number; no headings, rules or fences.
fn entries(text: &str) -> Option<Vec<String>> {
    let marker = re(r"^(?:[-*+•]|\d{1,9}[.)])(?:[ \t]+|$)");
    if hits(r"(?m)^\s*(```|~~~|>|=+\s*$)", text) > 0 || hits("[\u{b}\u{c}\u{85}\u{2028}]", text) > 0
    {
        return None;
    }
    let lines = filled(text).into_iter().filter(|line| {
        hits(r"^#{1,6}(\s|$)", line) == 0 && hits(r"^([-*_][ \t]*){3,}$", line) == 0
    });
    let mut entries = Vec::new();
    for line in lines {
        let bare = marker.replace(line, "").trim().to_owned();
        // A marker after a marker, or nothing after it: others may read that otherwise.
        if bare.is_empty()
            || marker.is_match(&bare)
            || hits(r"^[-*+•\d(#]", line) > 0 && !marker.is_match(line)
        {
            return None;
        }
        entries.push(bare);
    }
    Some(entries)
}

/// Sentences of plain prose only: words of letters, one stop after each sentence.
fn sentences(text: &str) -> Option<Vec<String>> {
    if hits(r"^(?:[A-Z][a-z']*(?:[, ]+[a-z]+)*[a-z]{2}[.!?](?:\s+|$))+$", text.trim()) != 1 {
        return None;
    }
    let one = re(r"[^.!?]+[.!?]");
    Some(one.find_iter(text).map(|found| found.as_str().trim().to_owned()).collect())
}

fn letters(text: &str) -> Vec<char> {
    text.chars().filter(|c| c.is_alphabetic()).collect()
}

fn letter(text: &str, letter: &str) -> usize {
    text.to_lowercase().matches(&letter.to_lowercase()).count()
}

fn first(word: &str) -> Option<char> {
    word.chars().next()?.to_lowercase().next()
}

fn every(text: &str, holds: impl Fn(&String) -> bool) -> Option<bool> {
    let entries = entries(text)?;
    Some(!entries.is_empty() && entries.iter().all(holds))
}

fn pairs<T>(list: &[T], holds: impl Fn(&T, &T) -> bool) -> bool {
    list.windows(2).all(|pair| holds(&pair[0], &pair[1]))
}

fn unique<T: Ord>(mut list: Vec<T>) -> bool {
    list.sort();
    list.windows(2).all(|pair| pair[0] != pair[1])
}

fn json(text: &str) -> Option<serde_json::Value> {
    let text = text.trim();
    let bare = text.strip_prefix("```").and_then(|text| text.strip_suffix("```")).unwrap_or(text);
    serde_json::from_str(bare.trim_start_matches(|c: char| c.is_ascii_alphabetic()))
        .ok()
        .or_else(|| serde_json::from_str(text).ok())
}

fn blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn parts<'t>(text: &'t str, between: &str) -> Vec<&'t str> {
    text.split(between).filter(|part| !blank(part)).collect()
}

fn share_upper(text: &str) -> f64 {
    let upper = text.chars().filter(|c| c.is_uppercase()).count() as f64;
    let lower = text.chars().filter(|c| c.is_lowercase()).count() as f64;
    100.0 * upper / (upper + lower)
}

fn bullets(text: &str) -> Option<usize> {
    // Code and JSON hold no items, and how deep an item may be is another matter.
    let plain = hits(r"(?m)^( {2,}|\t)|```|~~~", text) == 0;
    plain
        .then(|| filled(text).iter().filter(|line| hits(r"^[-*+•] +\S", line) > 0).count())
        .filter(|_| hits(r"(?m)^[-*+•][^ ]|^[-*+•] +[-*+•]|^([-*_] *){3,}$", text) == 0)
}

fn upper(text: &str) -> bool {
    text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase)
}

fn is_prime(n: usize) -> bool {
    n > 1 && (2..n).all(|by| !n.is_multiple_of(by))
}

fn han(text: &str) -> usize {
    hits(r"\p{Han}", text)
}

fn often(text: &str, term: &str) -> usize {
    if han(term) > 0 { text.matches(term).count() } else { phrases(text, term) }
}

pub(super) const RULES: &[(&str, Own)] = &[
    // ---- IFEval
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
        Some(["yes", "no", "maybe"].iter().any(|a| t.contains(&format!("My answer is {a}."))))
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
    // ---- EvolIF
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
    ("evolif length.characters_under", |t, g| Some(t.chars().count() < g.int("n"))),
    ("evolif length.characters_over", |t, g| Some(t.chars().count() > g.int("n"))),
    ("evolif length.characters_exactly", |t, g| Some(t.chars().count() == g.int("n"))),
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
    // ---- MMMT-IF
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
    // ---- Meeseeks
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
        let begins = |(e, c): (&String, char)| e.starts_with(c);
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
    // ---- IFBench
    ("ifbench count.word_count_range", |t, g| {
        Some((g.int("min_words")..=g.int("max_words")).contains(&words(t).len()))
    }),
    ("ifbench count.unique_word_count", |t, g| {
        let mut all = low(t);
        all.sort();
        all.dedup();
        Some(all.len() >= g.int("N"))
    }),
    ("ifbench count.conjunctions", |t, g| {
        let all = low(t);
        let used = ["and", "but", "for", "nor", "or", "so", "yet"];
        Some(
            used.iter().filter(|word| all.iter().any(|have| have == *word)).count()
                >= g.int("small_n"),
        )
    }),
    ("ifbench count.punctuation", |t, _| {
        let rest = re(r"\?!|!\?|‽").replace_all(t, "");
        Some(rest.len() < t.len() && ".,;:!?".chars().all(|c| rest.contains(c)))
    }),
    ("ifbench count.words_japanese", |t, g| {
        let all: Vec<&str> = t.split_whitespace().collect();
        let every = all.iter().skip(g.int("N") - 1).step_by(g.int("N"));
        Some(
            all.len() >= g.int("N")
                && every.clone().all(|word| hits(r"[\p{Hiragana}\p{Katakana}\p{Han}]", word) > 0),
        )
    }),
    ("ifbench count.keywords_multiple", |t, g| {
        Some(
            [1, 2, 3, 5, 7]
                .iter()
                .enumerate()
                .all(|(at, times)| phrases(t, g.text(&format!("keyword{}", at + 1))) == *times),
        )
    }),
    ("ifbench words.vowel", |t, _| {
        let mut vowels: Vec<char> =
            t.to_lowercase().chars().filter(|c| "aeiou".contains(*c)).collect();
        vowels.sort_unstable();
        vowels.dedup();
        Some(paragraphs(t).len() == 1 && vowels.len() <= 3)
    }),
    ("ifbench words.consonants", |t, _| {
        let all = words(t);
        Some(!all.is_empty() && all.iter().all(|w| hits("(?i)[b-df-hj-np-tv-z]{2}", w) > 0))
    }),
    ("ifbench words.palindrome", |t, _| {
        Some(
            low(t)
                .iter()
                .filter(|w| {
                    let all: Vec<char> = w.chars().filter(|c| c.is_alphanumeric()).collect();
                    w.chars().count() >= 5 && all.len() > 1 && all.iter().eq(all.iter().rev())
                })
                .count()
                >= 10,
        )
    }),
    ("ifbench words.prime_lengths", |t, _| {
        let all = words(t);
        Some(!all.is_empty() && all.iter().all(|w| is_prime(hits(r"\w", w))))
    }),
    ("ifbench words.repeats", |t, g| {
        let all = low(t);
        Some(all.iter().all(|w| all.iter().filter(|o| *o == w).count() <= g.int("small_n")))
    }),
    ("ifbench words.alphabet", |t, _| {
        let starts: Vec<char> = low(t).iter().filter_map(|w| w.chars().next()).collect();
        Some(pairs(&starts, |a, b| {
            a.is_ascii_lowercase() && (*b as u32 - 'a' as u32) == (*a as u32 - 'a' as u32 + 1) % 26
        }))
    }),
    ("ifbench words.no_consecutive", |t, _| Some(pairs(&words(t), |a, b| first(a) != first(b)))),
    ("ifbench words.last_first", |t, _| {
        let all: Vec<Vec<String>> = sentences(t)?.iter().map(|one| low(one)).collect();
        Some(all.len() >= 2 && pairs(&all, |a, b| a.last() == b.first()))
    }),
    ("ifbench words.paragraph_last_first", |t, _| {
        let lines: Vec<Vec<String>> = t.lines().map(low).filter(|line| !line.is_empty()).collect();
        Some(!lines.is_empty() && lines.iter().all(|line| line.first() == line.last()))
    }),
    ("ifbench words.words_position", |t, g| {
        let all = low(t);
        let word = g.text("keyword").to_lowercase();
        Some(all.get(1) == Some(&word) && all.iter().rev().nth(1) == Some(&word))
    }),
    ("ifbench words.keywords_specific_position", |t, g| {
        let all = sentences(t)?;
        let word = low(all.get(g.int("n") - 1)?).get(g.int("m") - 1).cloned();
        Some(word == Some(g.text("keyword").to_lowercase()))
    }),
    ("ifbench sentence.increment", |t, g| {
        let counts: Vec<usize> = sentences(t)?.iter().map(|one| words(one).len()).collect();
        Some(counts.len() >= 2 && pairs(&counts, |a, b| *b == a + g.int("small_n")))
    }),
    ("ifbench sentence.keyword", |t, g| {
        Some(
            sentences(t)?
                .get(g.int("N") - 1)
                .is_some_and(|one| phrases(one, g.text("the_word")) > 0),
        )
    }),
    ("ifbench format.parentheses", |t, _| {
        let (mut open, mut most) = (Vec::new(), 0);
        for c in t.chars() {
            if let Some(at) = "([{".find(c) {
                open.push(at);
            } else if let Some(at) = ")]}".find(c) {
                most = most.max(open.len());
                if open.pop() != Some(at) {
                    return None;
                }
            }
        }
        Some(most >= 5)
    }),
    ("ifbench format.newline", |t, _| {
        Some(!filled(t).is_empty() && filled(t).iter().all(|l| l.split_whitespace().count() == 1))
    }),
    ("ifbench format.line_indent", |t, _| {
        let indents: Vec<usize> = t
            .lines()
            .filter(|l| !blank(l))
            .map(|l| l.len() - l.trim_start_matches([' ', '\t']).len())
            .collect();
        Some(indents.len() >= 2 && pairs(&indents, |a, b| a < b))
    }),
    ("ifbench format.list", |t, g| {
        Some(filled(t).iter().filter(|l| l.starts_with(g.text("sep"))).count() >= 2)
    }),
    ("ifbench format.quote_unquote", |t, _| {
        Some(hits(r#"["”»]\s*["“«]"#, t) == 0 && hits(r#"["”»]\W*$"#, t) == 0)
    }),
    ("ifbench format.output_template", |t, _| {
        let places: Vec<Option<usize>> =
            ["My Answer:", "My Conclusion:", "Future Outlook:"].iter().map(|p| t.find(p)).collect();
        Some(places.iter().all(Option::is_some) && pairs(&places, |a, b| a < b))
    }),
    ("ifbench format.no_whitespace", |t, _| Some(!t.is_empty() && hits(r"\s", t) == 0)),
    ("ifbench custom.multiples", |t, _| {
        let all: Vec<String> = re(r"\d+").find_iter(t).map(|m| m.as_str().to_owned()).collect();
        Some(all == ["14", "21", "28", "35", "42", "49"])
    }),
    ("ifbench custom.word_reverse", |t, _| {
        let all: Vec<String> = low(t).into_iter().rev().collect();
        Some(all.join(" ").contains("bald eagle"))
    }),
    ("ifbench custom.character_reverse", |t, _| {
        Some(t.chars().rev().collect::<String>().to_lowercase().contains("bald eagle"))
    }),
    ("ifbench custom.sentence_alphabet", |t, _| {
        let starts: String = sentences(t)?.iter().filter_map(|one| first(one)).collect();
        Some(starts == "abcdefghijklmnopqrstuvwxyz")
    }),
    ("ifbench custom.european_capitals_sort", |t, _| {
        Some(t.split(',').count() == 28 && t.starts_with("Reyk") && t.trim().ends_with("Zagreb"))
    }),
    ("ifbench custom.csv_city", |t, _| {
        let lines: Vec<&str> = t.trim().lines().collect();
        if t.contains('"') {
            return None;
        }
        Some(
            lines.len() == 8
                && lines[0] == "ID,Country,City,Year,Count"
                && lines.iter().all(|line| line.split(',').count() == 5),
        )
    }),
    ("ifbench custom.csv_quotes", |t, _| {
        Some(
            filled(t).len() == 4
                && filled(t)
                    .iter()
                    .all(|l| l.split('\t').count() == 5 && l.starts_with('"') && l.ends_with('"')),
        )
    }),
    ("ifbench custom.date_format_list", |t, _| {
        Some(t.split(',').all(|d| hits(r"^\d{4}-\d\d-\d\d$", d.trim()) == 1))
    }),
    ("ifbench repeat.repeat_change", |t, g| {
        let (mine, theirs): (Vec<&str>, Vec<&str>) = (
            t.split_whitespace().collect(),
            g.text("prompt_to_repeat").split_whitespace().collect(),
        );
        Some(
            mine.len() == theirs.len()
                && mine[1..] == theirs[1..]
                && mine[0].to_lowercase() != theirs[0].to_lowercase(),
        )
    }),
    ("ifbench repeat.repeat_simple", |t, _| {
        Some(t.trim().to_lowercase() == "this sentence is my whole answer.")
    }),
    ("ifbench repeat.repeat_span", |t, g| {
        let theirs: Vec<&str> = g.text("prompt_to_repeat").split_whitespace().collect();
        let span = theirs[g.int("n_start")..=g.int("n_end")].join(" ");
        Some(
            t.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
                == span.to_lowercase(),
        )
    }),
];
