//! The number of syllables of an English word, estimated from its spelling.

/// Counts runs of the vowels among the letters a to z: some such as `ia` are two syllables, and a
/// silent `e` is none. At least 1 for a word with such a letter, otherwise 0.
pub fn by_spelling(word: &str) -> usize {
    let word: Vec<u8> =
        word.bytes().map(|b| b.to_ascii_lowercase()).filter(u8::is_ascii_lowercase).collect();
    if word.is_empty() {
        return 0;
    }
    let mut count = 0;
    let mut at = 0;
    while at < word.len() {
        let len = word[at..].iter().take_while(|b| is_vowel(**b)).count();
        if len > 0 {
            count += of_vowels(&word[..at], &word[at..at + len], &word[at + len..]);
        }
        at += len.max(1);
    }
    let stem = ["ly", "ness", "less", "ments", "ment", "ful"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending.as_bytes()));
    if stem.is_some_and(|stem| is_silent(stem, b"") && stem.iter().rev().skip(2).any(is_vowel_ref))
    {
        count -= 1;
    }
    if is_silent(&word, b"")
        || word
            .strip_suffix(b"s")
            .is_some_and(|word| is_silent(word, b"szcgx") && !ends_in_sibilant(word))
        || word.strip_suffix(b"d").is_some_and(|word| is_silent(word, b"td"))
    {
        count = count.saturating_sub(1);
    }
    if [&b"ism"[..], b"isms", b"asm", b"asms", b"thm", b"thms"]
        .iter()
        .any(|ending| word.ends_with(ending))
    {
        count += 1;
    }
    count.max(1)
}

/// The number of syllables of a run of vowels, given its context.
fn of_vowels(before: &[u8], vowels: &[u8], behind: &[u8]) -> usize {
    let last = before.last().copied();
    let vowels = match vowels {
        [b'y', rest @ ..] if before.is_empty() && !rest.is_empty() => rest,
        vowels => vowels,
    };
    let ends = |endings: &[&[u8]]| endings.contains(&behind) && before.len() > 1;
    match vowels {
        [_] => 1,
        // qu, gu
        [b'u', ..] if matches!(last, Some(b'q' | b'g')) => 1,
        // nation, special, region
        [b'i', b'o' | b'a', ..] | [b'e', b'o', ..]
            if matches!(last, Some(b't' | b'c' | b'x' | b'g')) =>
        {
            1
        }
        [b'i', b'o'] if last == Some(b's') => 1,
        [b'i', b'e'] if ends(&[b"r", b"rs", b"st", b"ty"]) => 2,
        [b'u' | b'o', b'e'] if ends(&[b"r", b"rs", b"l", b"t"]) => 2,
        [_, b'y', _] => 2,
        vowels => {
            let apart = vowels.windows(2).any(|pair| {
                matches!(
                    pair,
                    [b'i', b'a' | b'o' | b'u' | b'i']
                        | [b'u', b'a' | b'o' | b'u']
                        | [b'e', b'o']
                        | [b'y', b'i']
                        | [b'a', b'o']
                )
            });
            1 + usize::from(apart)
        }
    }
}

/// Whether a word ends with a silent `e` after one or more consonants other than `spoken`: `cake`,
/// but not `table`.
fn is_silent(word: &[u8], spoken: &[u8]) -> bool {
    match word {
        [.., before, b'l', b'e'] if !is_vowel(*before) => *before == b'l' && spoken.is_empty(),
        [.., before, b'e'] => !is_vowel(*before) && !spoken.contains(before),
        _ => false,
    }
}

fn ends_in_sibilant(word: &[u8]) -> bool {
    word.ends_with(b"she") || word.ends_with(b"che")
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

fn is_vowel_ref(byte: &u8) -> bool {
    is_vowel(*byte)
}

#[cfg(test)]
mod tests {
    use super::by_spelling;

    #[test]
    fn usual_words() {
        for (word, count) in [
            ("tide", 1),
            ("table", 2),
            ("tables", 2),
            ("cakes", 1),
            ("dishes", 2),
            ("wanted", 2),
            ("walked", 1),
            ("nation", 2),
            ("radio", 3),
            ("quiet", 1),
            ("carrier", 3),
            ("lovely", 2),
            ("rhythm", 2),
            ("optimism", 4),
            ("beautiful", 3),
            ("the", 1),
            ("Don't", 1),
            ("hmm", 1),
            ("42", 0),
            ("", 0),
        ] {
            assert_eq!(by_spelling(word), count, "{word}");
        }
    }
}
