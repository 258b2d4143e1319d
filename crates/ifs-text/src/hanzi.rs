//! The readings of Chinese characters. The only file that names the pinyin tables.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use pinyin::{Pinyin, ToPinyin, ToPinyinMulti};

/// Whether a character is Chinese and has a reading in the tables.
pub fn is_known(c: char) -> bool {
    c.to_pinyin().is_some()
}

/// The distinct readings of a character, without tones; empty for any other character.
pub fn readings(c: char) -> Vec<&'static str> {
    let mut readings = Vec::new();
    for reading in c.to_pinyin_multi().into_iter().flatten() {
        if !readings.contains(&reading.plain()) {
            readings.push(reading.plain());
        }
    }
    readings
}

/// Whether the character is written differently in traditional script.
pub fn is_simplified(c: char) -> bool {
    static SIMPLIFIED: LazyLock<BTreeSet<char>> = LazyLock::new(|| {
        let lines = include_str!("simplified.txt").lines().filter(|line| !line.starts_with('#'));
        lines.flat_map(str::chars).collect()
    });
    SIMPLIFIED.contains(&c)
}

/// The tone of the most common reading: 1 to 4, and 5 for the neutral tone.
pub fn tone_of(c: char) -> Option<i64> {
    let reading = c.to_pinyin().map(Pinyin::with_tone_num_end)?;
    let tone = reading.chars().next_back().and_then(|last| last.to_digit(10));
    Some(tone.map_or(5, i64::from))
}

/// The rhyme class of a reading in Meeseeks' code, where the finals of `zhi`, `si` and `ji` have
/// the same vowel.
pub fn rhyme_as_released(reading: &str) -> Option<usize> {
    rhyme(reading).map(|class| if class == 4 { 6 } else { class })
}

/// The number of rhyme classes.
pub const RHYMES: usize = 18;

/// The rhyme class of a reading, from 0: the eighteen classes of the Zhonghua Xinyun of 1941, by
/// the final of the syllable.
pub fn rhyme(reading: &str) -> Option<usize> {
    const INITIALS: [&str; 23] = [
        "zh", "ch", "sh", "b", "p", "m", "f", "d", "t", "n", "l", "g", "k", "h", "j", "q", "x",
        "r", "z", "c", "s", "y", "w",
    ];
    let initial = INITIALS.iter().find(|initial| reading.starts_with(*initial)).copied();
    let initial = initial.unwrap_or("");
    // `ju` is read as `jü`, and `yu` as `ü`.
    let front = matches!(initial, "j" | "q" | "x" | "y");
    let last = reading.strip_prefix(initial)?;
    Some(match last {
        "a" | "ia" | "ua" => 0,
        "o" | "uo" => 1,
        "e" if initial != "y" => 2,
        "e" | "ie" | "ue" | "ve" | "üe" => 3,
        "i" if matches!(initial, "zh" | "ch" | "sh" | "r" | "z" | "c" | "s") => 4,
        "er" => 5,
        "i" => 6,
        "ei" | "ui" => 7,
        "ai" | "uai" => 8,
        "u" if !front => 9,
        "u" | "v" | "ü" => 10,
        "ou" | "iu" => 11,
        "ao" | "iao" => 12,
        "an" | "ian" | "uan" => 13,
        "en" | "in" | "un" => 14,
        "ang" | "iang" | "uang" => 15,
        "eng" | "ing" => 16,
        "ong" | "iong" => 17,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_and_tones() {
        assert_eq!(readings('行').len(), 3, "{:?}", readings('行'));
        assert_eq!(readings('山'), ["shan"]);
        assert!(readings('a').is_empty() && readings('か').is_empty());
        assert_eq!(['山', '人', '水', '月', '吗'].map(tone_of), [1, 2, 3, 4, 5].map(Some));
        assert!(is_known('山') && !is_known('!'));
    }

    #[test]
    fn finals_depend_on_the_initial() {
        let same = |a: &str, b: &str| rhyme(a).is_some() && rhyme(a) == rhyme(b);
        assert!(same("xiao", "niao") && same("yan", "yuan") && same("you", "liu"));
        assert!(same("yu", "ju") && same("lv", "xu") && !same("lu", "lv"));
        assert!(same("ye", "xue") && !same("ye", "he") && same("si", "zhi") && !same("si", "xi"));
        assert!(same("wen", "lun") && same("weng", "ying") && !same("weng", "dong"));
        assert_eq!(rhyme("hng"), None);
    }

    #[test]
    fn every_reading_of_the_usual_characters_is_in_a_class() {
        // Except for syllables without a vowel, such as `ng`.
        for c in '\u{4e00}'..='\u{9fa5}' {
            for reading in readings(c) {
                let sounds = reading.contains(['a', 'e', 'i', 'o', 'u', 'v', 'ü']);
                assert_eq!(rhyme(reading).is_some(), sounds, "{c} {reading}");
            }
        }
    }
}
