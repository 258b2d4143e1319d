//! The rules of IFBench.

use super::*;

pub(super) const RULES: &[(&str, Own)] = &[
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
            if let Some(at) = "([{（［｛【".chars().position(|mark| mark == c) {
                open.push(at);
            } else if let Some(at) = ")]}）］｝】".chars().position(|mark| mark == c) {
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
        Some(t.trim().trim_end_matches('.').to_lowercase() == "this sentence is my whole answer")
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
