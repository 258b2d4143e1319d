//! The rimes of English words, as far as their spelling determines them.
//!
//! A rime is written in a notation of our own (`ay` for `day`, `awt` for `thought`). Spellings with
//! two pronunciations have two rimes, and words rhyme if they have one in common: `bow` rhymes with
//! `cow` and with `snow`. Common irregular words are in a table.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Words and spellings with their rimes.
struct RimeTable {
    words: BTreeMap<&'static str, Vec<&'static str>>,
    /// A vowel and the rest of the word.
    ends: BTreeMap<&'static str, Vec<&'static str>>,
}

static TABLE: LazyLock<RimeTable> = LazyLock::new(|| {
    let mut table = RimeTable { words: BTreeMap::new(), ends: BTreeMap::new() };
    for line in include_str!("rime.txt").lines().filter(|line| !line.starts_with('#')) {
        let Some((rimes, words)) = line.split_once(": ") else { continue };
        let rimes: Vec<&str> = rimes.split(' ').collect();
        for word in words.split(' ') {
            match word.strip_prefix('-') {
                Some(end) => table.ends.insert(end, rimes.clone()),
                None => table.words.insert(word, rimes.clone()),
            };
        }
    }
    table
});

/// The rimes of a word; empty without letters from a to z.
pub fn rimes(word: &str) -> BTreeSet<String> {
    let word: String = word.to_lowercase().chars().filter(char::is_ascii_lowercase).collect();
    let mut found = BTreeSet::new();
    if !word.is_empty() {
        add_rimes(&word, &mut found, 0);
    }
    found
}

/// Whether two words rhyme. A word rhymes with itself.
pub fn rhymes(one: &str, other: &str) -> bool {
    !rimes(one).is_disjoint(&rimes(other))
}

fn is_vowel(c: u8) -> bool {
    b"aeiouy".contains(&c)
}

fn is_vowel_letter(c: char) -> bool {
    u8::try_from(c).is_ok_and(is_vowel)
}

/// Words with a stressed final `y`.
const LONG_Y: &[&str] = &[
    "apply", "reply", "deny", "supply", "july", "rely", "ally", "obey", "survey", "below", "allow",
    "bestow",
];

fn has_vowel(text: &str) -> bool {
    text.bytes().enumerate().any(|(at, c)| is_vowel(c) && !(at == 0 && c == b'y'))
}

/// Adds the rimes of a word. `depth` limits the recursion.
fn add_rimes(word: &str, found: &mut BTreeSet<String>, depth: usize) {
    if let Some(rimes) = TABLE.words.get(word) {
        found.extend(rimes.iter().map(|rime| (*rime).to_owned()));
        return;
    }
    let word = &without_silent_letters(word);
    if depth < 4 && with_ending(word, found, depth) {
        return;
    }
    found.extend(plain(word));
}

/// Removes letters that only indicate a pronunciation: `guide`, `league`, `wand`, `swarm`.
fn without_silent_letters(word: &str) -> String {
    let mut word = word.replace("gue", "ge").replace("gui", "gi");
    for (written, said) in [
        ("wand", "wond"),
        ("want", "wont"),
        ("wash", "wosh"),
        ("wasp", "wosp"),
        ("watch", "wotch"),
        ("swan", "swon"),
        ("warm", "worm"),
        ("warn", "worn"),
        ("ward", "word"),
        ("wart", "wort"),
        ("warp", "worp"),
        ("dwarf", "dworf"),
    ] {
        word = word.replace(written, said);
    }
    word
}

/// A word with a suffix: the stem's rime is continued.
fn with_ending(word: &str, found: &mut BTreeSet<String>, depth: usize) -> bool {
    let mut through = |stem: &str, sound: &str| {
        let mut of_stem = BTreeSet::new();
        add_rimes(stem, &mut of_stem, depth + 1);
        found.extend(of_stem.iter().map(|rime| format!("{rime}{sound}")));
        !of_stem.is_empty()
    };
    // nation, station: the rime begins at the vowel before.
    for (ending, sound) in [("tion", "shun"), ("ssion", "shun"), ("sion", "zhun"), ("cian", "shun")]
    {
        if let Some(stem) = word.strip_suffix(ending).filter(|stem| has_vowel(stem)) {
            let vowel = stem.bytes().last().filter(|last| is_vowel(*last));
            return match vowel {
                Some(b'a') => insert(found, format!("ay{sound}")),
                Some(b'o') => insert(found, format!("oh{sound}")),
                Some(b'u') => insert(found, format!("oo{sound}")),
                Some(b'e') => insert(found, format!("ee{sound}")),
                Some(_) => insert(found, format!("i{sound}")),
                None => through(stem, sound),
            };
        }
    }
    if let Some(stem) = word.strip_suffix("ture").filter(|stem| has_vowel(stem)) {
        return match stem.bytes().last() {
            Some(b'a') => insert(found, "aycher".to_owned()),
            Some(b'u') => insert(found, "oocher".to_owned()),
            Some(c) if is_vowel(c) => insert(found, "eecher".to_owned()),
            _ => through(stem, "cher"),
        };
    }
    // happy, hollow: an unstressed ending rhymes with the vowel before it.
    for (ending, sound) in [("ey", "ee"), ("y", "ee"), ("ow", "oh")] {
        if let Some(stem) = word.strip_suffix(ending)
            && has_vowel(stem)
            && !stem.ends_with(is_vowel_letter)
            && !LONG_Y.contains(&word)
            && !word.ends_with("fy")
        {
            return through(&base_stem(stem), sound);
        }
    }
    for (ending, sound) in [("ing", "ing"), ("er", "er"), ("ed", "d")] {
        let Some(stem) = word.strip_suffix(ending) else { continue };
        if stem.len() < 2 || !has_vowel(stem) || ending != "ing" && stem.ends_with('e') {
            continue;
        }
        let (stem, sound) = match (ending, stem.bytes().last()) {
            ("ed", Some(b't' | b'd')) => (stem, "id"),
            ("ed", Some(b'p' | b'k' | b's' | b'x' | b'f' | b'h' | b'c')) => (stem, "t"),
            _ => (stem, sound),
        };
        return through(&base_stem(stem), sound);
    }
    if let Some(stem) = word.strip_suffix("le")
        && stem.bytes().last().is_some_and(|last| !is_vowel(last))
        && has_vowel(stem)
    {
        let doubled = stem.as_bytes().windows(2).last().is_some_and(|pair| pair[0] == pair[1]);
        let open = stem.len() >= 2 && is_vowel(stem.as_bytes()[stem.len() - 2]);
        return match (doubled, open) {
            // apple, little: short
            (true, _) => through(&stem[..stem.len() - 1], "l"),
            // table, title: long
            (false, true) if stem.len() >= 3 || open => through(&format!("{stem}e"), "l"),
            _ => through(stem, "l"),
        };
    }
    // Plurals and similar; `ss`, `us` and `is` are not suffixes.
    if let Some(stem) = word.strip_suffix('s')
        && stem.len() > 2
        && has_vowel(stem)
        && !stem.ends_with(['s', 'u', 'i'])
    {
        let voiceless = |stem: &str| {
            stem.ends_with(['p', 't', 'k', 'f'])
                || ["pe", "te", "ke", "fe"].iter().any(|end| stem.ends_with(end))
        };
        if let Some(stem) = stem.strip_suffix("ie") {
            return through(&format!("{stem}y"), "z");
        }
        if let Some(hissing) = stem
            .strip_suffix('e')
            .filter(|stem| ["s", "x", "z", "ch", "sh"].iter().any(|end| stem.ends_with(end)))
        {
            return through(
                &if hissing.ends_with(['s', 'z']) { stem.to_owned() } else { hissing.to_owned() },
                "iz",
            );
        }
        return through(stem, if voiceless(stem) { "s" } else { "z" });
    }
    false
}

fn insert(found: &mut BTreeSet<String>, rime: String) -> bool {
    found.insert(rime);
    true
}

/// The stem before `ing`, `er` or `ed`: `runn` was `run`, `mak` was `make`.
fn base_stem(stem: &str) -> String {
    let bytes = stem.as_bytes();
    let n = bytes.len();
    let doubled = n >= 3 && bytes[n - 1] == bytes[n - 2] && !is_vowel(bytes[n - 1]);
    if doubled
        && !stem.ends_with("ss")
        && !stem.ends_with("ll")
        && !stem.ends_with("zz")
        && !stem.ends_with("ff")
    {
        return stem[..n - 1].to_owned();
    }
    let single = n >= 2
        && !is_vowel(bytes[n - 1])
        && !b"wxy".contains(&bytes[n - 1])
        && is_vowel(bytes[n - 2])
        && (n < 3 || !is_vowel(bytes[n - 3]) || &bytes[n - 3..n - 1] == b"ui");
    let needs = stem.ends_with(['c', 'v', 'u', 'g']) && !stem.ends_with("ng")
        || single
        || stem.ends_with("dg")
        || stem.ends_with("as") && n > 3;
    if needs { format!("{stem}e") } else { stem.to_owned() }
}

/// The rimes of a word without such a suffix: its last vowel and the rest.
fn plain(word: &str) -> Vec<String> {
    let bytes = word.as_bytes();
    let n = bytes.len();
    let syllable_before = |at: usize| has_vowel(&word[..at]);
    // A final y: `sky`, `happy`.
    if bytes[n - 1] == b'y' && (n == 1 || !is_vowel(bytes[n - 2])) {
        let rime = if syllable_before(n - 1) && !word.ends_with("fy") && !LONG_Y.contains(&word) {
            "ee"
        } else {
            "ie"
        };
        return vec![rime.to_owned()];
    }
    // A silent e lengthens the vowel before it: `late`.
    if bytes[n - 1] == b'e' && n >= 3 && !is_vowel(bytes[n - 2]) && has_vowel(&word[..n - 1]) {
        return with_silent_e(&word[..n - 1]);
    }
    let Some(end) = word.bytes().rposition(is_vowel) else { return vec![word.to_owned()] };
    let mut start = end;
    while start > 0
        && is_vowel(bytes[start - 1])
        && !(bytes[start - 1] == b'u' && start >= 2 && bytes[start - 2] == b'q')
        && !(start == 1 && bytes[0] == b'y')
    {
        start -= 1;
    }
    let tail = &word[start..];
    if let Some((known, rimes)) = longest(tail) {
        let coda = final_consonants(&tail[known..]);
        return rimes.iter().map(|rime| format!("{rime}{coda}")).collect();
    }
    let vowel = &bytes[end..=end];
    let after = final_consonants(&word[end + 1..]);
    let open = after.is_empty();
    let sound = match (vowel, open) {
        (b"a", true) => "ar",
        (b"e", true) => "ee",
        (b"i", true) => "ie",
        (b"o", true) => "oh",
        (b"u", true) => "oo",
        (b"y", _) => "i",
        (one, _) => std::str::from_utf8(one).unwrap_or(""),
    };
    vec![format!("{sound}{after}")]
}

/// Before a silent e.
fn with_silent_e(stem: &str) -> Vec<String> {
    let full = format!("{stem}e");
    let bytes = stem.as_bytes();
    let Some(end) = stem.bytes().rposition(is_vowel) else { return vec![full] };
    let mut start = end;
    while start > 0
        && is_vowel(bytes[start - 1])
        && !(bytes[start - 1] == b'u' && start >= 2 && bytes[start - 2] == b'q')
    {
        start -= 1;
    }
    let tail = &full[start..];
    if let Some((known, rimes)) = longest(tail) {
        let rest = tail[known..].strip_suffix('e').unwrap_or(&tail[known..]);
        return codas(rest)
            .iter()
            .flat_map(|coda| rimes.iter().map(move |rime| format!("{rime}{coda}")))
            .collect();
    }
    let behind = &stem[end + 1..];
    // Two consonants keep the vowel short: `dance`, `bridge`; but `range`, `waste`.
    let short = behind.len() > 1 && !["th", "ng", "st", "ch"].contains(&behind);
    let sound = match bytes[end] {
        b'a' if short => "a",
        b'e' if short => "e",
        b'i' if short => "i",
        b'o' if short => "o",
        b'u' if short => "u",
        b'a' => "ay",
        b'e' => "ee",
        b'i' if behind == "ng" => "i",
        b'i' | b'y' => "ie",
        b'o' => "oh",
        _ => "oo",
    };
    codas(behind).iter().map(|coda| format!("{sound}{coda}")).collect()
}

/// The longest spelling in the table that is a prefix of the tail, and its rimes.
fn longest(tail: &str) -> Option<(usize, &'static [&'static str])> {
    (1..=tail.len()).rev().find_map(|length| {
        let rimes = TABLE.ends.get(tail.get(..length)?)?;
        Some((length, &**rimes))
    })
}

/// Consonants before a silent e: `c` is soft, and `s` is ambiguous.
fn codas(letters: &str) -> Vec<String> {
    match letters {
        "s" => vec!["z".to_owned(), "s".to_owned()],
        "g" => vec!["j".to_owned()],
        "dg" => vec!["j".to_owned()],
        "ng" => vec!["nj".to_owned()],
        _ => match letters.strip_suffix('c') {
            Some(rest) => vec![format!("{}s", final_consonants(rest))],
            None => vec![final_consonants(letters)],
        },
    }
}

/// Final consonants by sound.
fn final_consonants(letters: &str) -> String {
    let plain = match letters {
        "ck" | "que" | "c" => "k",
        "ff" | "ph" => "f",
        "ss" => "s",
        "ll" => "l",
        "zz" => "z",
        "tt" => "t",
        "dd" => "d",
        "gg" => "g",
        "nn" => "n",
        "bb" => "b",
        "rr" => "r",
        "tch" => "ch",
        "x" => "ks",
        "ct" => "kt",
        "mb" | "mn" => "m",
        "lm" => "lm",
        "lf" => "lf",
        "gh" | "h" => "",
        "gn" => "n",
        "pt" => "pt",
        "w" => "",
        other => other,
    };
    plain.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RHYMING: &str = "night/light bright/site kite/height day/they late/eight straight/gate rain/lane \
        reign/pain nation/station action/fraction mission/permission vision/division \
        thought/caught bought/taught though/snow dough/go rough/stuff enough/cuff through/blue \
        shoe/new cow/bough now/how house/mouse sound/round shout/doubt town/crown moon/tune \
        June/spoon sea/tree dream/theme seat/street piece/fleece believe/leave head/bed said/red \
        bread/thread love/above come/drum one/sun son/run blood/mud good/could book/look sky/pie \
        fly/buy high/cry time/climb mind/kind child/wild line/sign fire/choir bear/chair \
        there/care fear/deer here/near door/more four/war bird/word turn/earn girl/pearl \
        heart/part far/are call/crawl walk/hawk saw/draw boy/toy coin/join road/code home/foam \
        gold/cold most/coast bone/loan back/track fox/clocks tax/tracks running/gunning \
        making/taking maker/baker lights/nights trees/seas played/made looked/cooked \
        apple/grapple table/cable little/brittle age/page bridge/ridge judge/grudge dance/chance \
        place/race rose/those lamb/jam sleep/deep stone/grown mouth/south voice/choice \
        fruit/boot wheel/meal hair/square shirt/hurt north/forth paint/saint smile/aisle \
        prize/eyes flour/hour laugh/staff half/calf ink/think spring/wing gloves/doves \
        dishes/wishes faces/places pages/stages jumping/pumping flying/crying shining/mining \
        waited/dated tickle/pickle candle/handle future/suture season/reason letter/better \
        winter/printer summer/drummer mother/brother ending/bending money/honey funny/sunny \
        city/pity hollow/follow yellow/mellow power/tower weight/plate freight/great suite/meet \
        beauty/duty view/few queue/due rhyme/lime plough/cow crumb/thumb fuel/cruel sphere/cheer \
        quite/white brief/grief wrist/missed bold/rolled pray/weigh scene/mean guide/side \
        praise/days crowd/loud chief/leaf guest/west tired/wired hymn/trim flies/wise rare/stair \
        knife/life ocean/notion stories/glories marry/carry double/trouble mountain/fountain \
        ever/never silly/chilly treasure/measure thunder/wonder story/glory center/enter \
        stars/cars waves/caves roses/noses tossed/cost";

    const NOT_RHYMING: &str = "though/rough cough/bough through/tough night/bit bead/bed love/move have/wave come/home \
        some/dome one/bone done/stone gone/phone blood/mood good/food foot/boot put/but \
        said/maid heart/heard word/lord work/fork war/car warm/harm there/here bear/near \
        nation/action mission/vision sky/happy cat/cake cat/cot sun/sin day/sky tree/tray \
        moon/moan line/lion bright/breed walk/wall sound/sand house/hose cow/coy ship/sheep \
        live/leave mate/mat kite/kit hope/hop cube/cub pin/pine star/stair fear/fair road/rod \
        coast/cost bold/ball king/kind long/lung making/running maker/river table/apple \
        lights/leaves cold/called time/tame fire/fear age/edge judge/page dance/dunce rose/rise \
        lamb/limb back/bake sleep/slip stone/town mouth/moth voice/vase fruit/fright wheel/while \
        hair/her shirt/short north/south paint/pant smile/small prize/praise flour/floor \
        laugh/through half/hall ink/ing gloves/drives dishes/dashes faces/foxes jumping/camping \
        flying/saying shining/winning waited/wilted tickle/tackle candle/kindle future/pasture \
        letter/later winter/water summer/hammer mother/bother money/bony funny/tiny city/duty \
        hollow/yellow power/lower weight/height sweat/seat beard/heard break/freak dear/pear \
        worse/horse cave/have comb/bomb tomb/comb lose/rose shove/stove daughter/laughter \
        ear/err wool/pool food/flood plead/head daughter/laughter pint/mint wand/hand \
        watch/catch swarm/farm cork/work dull/full rush/push howl/bowl grow/brow through/cough \
        eight/height key/grey chief/chafe tool/toll wait/white mile/mill stare/star ban/bane \
        least/lest fuel/full ghost/lost soul/foul shoes/goes anger/danger finger/ginger \
        river/diver seven/even wander/sander over/cover hood/rood wolf/golf friend/fiend \
        tongue/league boat/boot wine/win";

    fn pairs(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
        text.split_whitespace().filter_map(|pair| pair.split_once('/'))
    }

    #[test]
    fn words_rhyme_by_their_sounds() {
        assert!(pairs(RHYMING).count() >= 60 && pairs(NOT_RHYMING).count() >= 60);
        for (one, other) in pairs(RHYMING) {
            assert!(rhymes(one, other), "{one} {:?}, {other} {:?}", rimes(one), rimes(other));
        }
        for (one, other) in pairs(NOT_RHYMING) {
            assert!(!rhymes(one, other), "{one} {:?}, {other} {:?}", rimes(one), rimes(other));
        }
    }

    #[test]
    fn non_words_rhyme_with_nothing() {
        assert!(rimes("").is_empty() && rimes("42").is_empty() && rimes("潮").is_empty());
        assert!(!rhymes("", ""));
        for odd in
            ["hmm", "q", "queue", "aeiou", "shh", "eee", "yyy", "ttion", "xings", "ed", "ing"]
        {
            assert!(!rimes(odd).is_empty(), "{odd}");
        }
    }
}
