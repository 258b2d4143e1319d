//! The possible lemmas of an English word, by its spelling and a table of irregular words.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

static IRREGULAR: LazyLock<BTreeMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let lines = include_str!("lemma.txt").lines().filter(|line| !line.starts_with('#'));
    let mut forms: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in lines {
        let mut words = line.split(' ');
        let Some(base) = words.next() else { continue };
        for form in words {
            let bases = forms.entry(form).or_default();
            bases.extend((base != "=").then_some(base));
        }
    }
    forms
});

/// The possible lemmas of a word in lower case, including itself. An ambiguous spelling gives both:
/// `hoping` may be a form of `hope` or `hop`.
pub fn lemmas(word: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::from([word.to_owned()]);
    if let Some(bases) = IRREGULAR.get(word) {
        found.extend(bases.iter().map(|base| (*base).to_owned()));
        return found;
    }
    let mut add = |base: String| {
        if base.chars().count() >= 2 && base.contains(['a', 'e', 'i', 'o', 'u', 'y']) {
            found.insert(base);
        }
    };
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() >= 2) {
        add(format!("{stem}y"));
    } else if let Some(stem) = word
        .strip_suffix("es")
        .filter(|stem| ["s", "x", "z", "ch", "sh", "o"].iter().any(|end| stem.ends_with(end)))
    {
        add(stem.to_owned());
        add(format!("{stem}e"));
    } else if let Some(stem) = word.strip_suffix('s')
        && !stem.ends_with(['s', 'u', 'i'])
        && stem.len() >= 2
    {
        add(stem.to_owned());
    }
    if let Some(stem) = word.strip_suffix("ied").filter(|stem| stem.len() >= 2) {
        add(format!("{stem}y"));
    }
    for ending in ["ed", "ing"] {
        let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.len() >= 2) else { continue };
        let mut letters = stem.chars().rev();
        match (letters.next(), letters.next()) {
            // `running`, `stopped`; but `falling` and `passed`.
            (Some(last), Some(before)) if last == before && !"aeiou".contains(last) => {
                add(stem[..stem.len() - last.len_utf8()].to_owned());
                add(stem.to_owned());
            }
            _ => {
                add(stem.to_owned());
                add(format!("{stem}e"));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::lemmas;

    #[test]
    fn forms_lead_to_their_words() {
        for (form, base) in [
            ("tides", "tide"),
            ("cities", "city"),
            ("boxes", "box"),
            ("writing", "write"),
            ("running", "run"),
            ("stopped", "stop"),
            ("passed", "pass"),
            ("tried", "try"),
            ("geese", "goose"),
            ("was", "be"),
            ("analyses", "analysis"),
            ("tide", "tide"),
        ] {
            assert!(lemmas(form).contains(base), "{form}: {:?}", lemmas(form));
        }
        for (form, other) in [("yes", "ye"), ("bring", "br"), ("glass", "glas"), ("red", "r")] {
            assert!(!lemmas(form).contains(other), "{form}: {:?}", lemmas(form));
        }
    }
}
