//! Language identification. The only file that names the `langdetect` crate, which contains
//! langdetect's profiles of 55 languages and reproduces its random walk.
//!
//! Most scripts belong to one language, and then the sensible definition uses only the script,
//! which also covers languages that langdetect lacks. langdetect uses random numbers; here they
//! come from a fixed seed, so that a text has one result. langdetect's result for an uncertain text
//! depends on the seed; the sensible definition then returns no language.

#[cfg(feature = "languages")]
use std::sync::OnceLock;

#[cfg(feature = "languages")]
use langdetect::{DetectorFactory, Seed};

use super::python;

/// Whether this build identifies languages. Otherwise, a scenario that needs it is refused.
pub const IDENTIFIES_LANGUAGES: bool = cfg!(feature = "languages");

/// The minimum probability of a language in the sensible definition.
#[cfg(feature = "languages")]
const MIN_PROBABILITY: f64 = 0.7;

/// In a script of many languages, fewer letters than these are not enough.
const MIN_LETTERS: usize = 12;

/// For a longer text, only the beginning is examined.
const MAX_EXAMINED_BYTES: usize = 4096;

/// The language as an ISO 639-1 code, if it is certain.
pub(super) fn sensible(text: &str) -> Option<&'static str> {
    let start = &text[..text.floor_char_boundary(MAX_EXAMINED_BYTES)];
    let (mut letters, mut capitals) = (0, 0);
    let mut scripts = [0; SCRIPTS.len()];
    for letter in start.chars().filter(|c| python::is_letter(*c)) {
        letters += 1;
        capitals += usize::from(letter.is_uppercase());
        if let Some(at) = SCRIPTS.iter().position(|(_, ranges)| {
            ranges.iter().any(|(first, last)| (*first..=*last).contains(&letter))
        }) {
            scripts[at] += 1;
        }
    }
    // Kana among ideographs mean Japanese.
    if scripts[KANA] * 10 > scripts[HAN] {
        scripts[KANA] += std::mem::take(&mut scripts[HAN]);
    }
    let most = (0..SCRIPTS.len()).find(|at| scripts[*at] * 2 > letters)?;
    if let ScriptLanguages::By([code]) = SCRIPTS[most].0 {
        return Some(code);
    }
    let likely = || detect(start, capitals * 2 > letters);
    // A detected language with another script is wrong.
    (letters >= MIN_LETTERS).then(likely).flatten().filter(|code| script_of(code) == most)
}

/// Whether the letters include some of every text in that language.
pub fn letters(language: &str) -> &'static [(char, char)] {
    SCRIPTS[script_of(language)].1
}

fn script_of(language: &str) -> usize {
    let by = |(written, _): &WritingSystem| matches!(written, ScriptLanguages::By(codes) if codes.contains(&language));
    SCRIPTS.iter().position(by).unwrap_or(LATIN)
}

#[cfg(not(feature = "languages"))]
fn detect(_: &str, _: bool) -> Option<&'static str> {
    None
}

#[cfg(not(feature = "languages"))]
pub(super) fn released(_: &str) -> Option<&'static str> {
    None
}

/// The result of langdetect, if it is certain. It treats words in capitals as acronyms.
#[cfg(feature = "languages")]
fn detect(text: &str, capitals: bool) -> Option<&'static str> {
    let lowered;
    let text = if capitals {
        lowered = text.to_lowercase();
        lowered.as_str()
    } else {
        text
    };
    let found = detector().detect_langs(text).ok()?;
    let best = found.first().filter(|best| best.prob >= MIN_PROBABILITY)?;
    detector().langlist().iter().find(|code| **code == best.lang).map(String::as_str)
}

/// The languages of a script.
#[derive(Clone, Copy)]
enum ScriptLanguages {
    /// Almost only these languages.
    By(&'static [&'static str]),
    /// Any other language.
    Many,
}

type WritingSystem = (ScriptLanguages, &'static [(char, char)]);

const HAN: usize = 0;
const KANA: usize = 1;
const LATIN: usize = 2;

/// The code point ranges of each script.
const SCRIPTS: [WritingSystem; 23] = [
    (
        ScriptLanguages::By(&["zh"]),
        &[('\u{3400}', '\u{9fff}'), ('\u{f900}', '\u{faff}'), ('\u{20000}', '\u{3ffff}')],
    ),
    (
        ScriptLanguages::By(&["ja"]),
        &[('\u{3040}', '\u{30ff}'), ('\u{31f0}', '\u{31ff}'), ('\u{ff66}', '\u{ff9f}')],
    ),
    // Latin, Cyrillic, Arabic, Devanagari.
    (ScriptLanguages::Many, &[('A', '\u{24f}'), ('\u{1e00}', '\u{1eff}')]),
    (ScriptLanguages::By(&["bg", "mk", "ru", "uk"]), &[('\u{400}', '\u{52f}')]),
    (
        ScriptLanguages::By(&["ar", "fa", "ur"]),
        &[
            ('\u{600}', '\u{6ff}'),
            ('\u{750}', '\u{77f}'),
            ('\u{fb50}', '\u{fdff}'),
            ('\u{fe70}', '\u{feff}'),
        ],
    ),
    (ScriptLanguages::By(&["hi", "mr", "ne"]), &[('\u{900}', '\u{97f}')]),
    (
        ScriptLanguages::By(&["ko"]),
        &[('\u{ac00}', '\u{d7af}'), ('\u{1100}', '\u{11ff}'), ('\u{3130}', '\u{318f}')],
    ),
    (ScriptLanguages::By(&["el"]), &[('\u{370}', '\u{3ff}'), ('\u{1f00}', '\u{1fff}')]),
    (ScriptLanguages::By(&["he"]), &[('\u{590}', '\u{5ff}')]),
    (ScriptLanguages::By(&["hy"]), &[('\u{530}', '\u{58f}')]),
    (ScriptLanguages::By(&["ka"]), &[('\u{10a0}', '\u{10ff}'), ('\u{1c90}', '\u{1cbf}')]),
    (ScriptLanguages::By(&["bn"]), &[('\u{980}', '\u{9ff}')]),
    (ScriptLanguages::By(&["pa"]), &[('\u{a00}', '\u{a7f}')]),
    (ScriptLanguages::By(&["gu"]), &[('\u{a80}', '\u{aff}')]),
    (ScriptLanguages::By(&["or"]), &[('\u{b00}', '\u{b7f}')]),
    (ScriptLanguages::By(&["ta"]), &[('\u{b80}', '\u{bff}')]),
    (ScriptLanguages::By(&["te"]), &[('\u{c00}', '\u{c7f}')]),
    (ScriptLanguages::By(&["kn"]), &[('\u{c80}', '\u{cff}')]),
    (ScriptLanguages::By(&["ml"]), &[('\u{d00}', '\u{d7f}')]),
    (ScriptLanguages::By(&["si"]), &[('\u{d80}', '\u{dff}')]),
    (ScriptLanguages::By(&["th"]), &[('\u{e00}', '\u{e7f}')]),
    (ScriptLanguages::By(&["lo"]), &[('\u{e80}', '\u{eff}')]),
    (ScriptLanguages::By(&["km"]), &[('\u{1780}', '\u{17ff}')]),
];

/// The result of langdetect.
#[cfg(feature = "languages")]
pub(super) fn released(text: &str) -> Option<&'static str> {
    let found = detector().detect(text).ok()?;
    let code = detector().langlist().iter().find(|code| **code == found);
    Some(code.map_or("unknown", String::as_str))
}

/// The language profiles, loaded on first use.
#[cfg(feature = "languages")]
fn detector() -> &'static DetectorFactory {
    static DETECTOR: OnceLock<DetectorFactory> = OnceLock::new();
    DETECTOR.get_or_init(|| {
        let mut detector = DetectorFactory::builtin().clone();
        detector.seed = Seed::Int(0);
        detector
    })
}

#[cfg(all(test, feature = "languages"))]
mod tests {
    use super::*;

    #[test]
    fn the_requested_languages_are_detected() {
        for (code, text) in [
            ("ar", "القمر يجذب مياه البحر مرتين كل يوم"),
            ("bg", "Луната привлича водата на морето два пъти на ден, защото Земята се върти."),
            ("bn", "চাঁদ দিনে দুবার সমুদ্রের জল টানে"),
            ("de", "Der Mond zieht das Wasser des Meeres zweimal am Tag an."),
            ("en", "The moon pulls the water of the sea twice a day."),
            ("es", "La luna atrae el agua del mar dos veces al día porque la tierra gira."),
            ("fa", "ماه آب دریا را دو بار در روز به سوی خود می‌کشد"),
            ("fi", "Kuu vetää meren vettä puoleensa kaksi kertaa päivässä."),
            ("fr", "La lune attire l'eau de la mer deux fois par jour."),
            ("gu", "ચંદ્ર દિવસમાં બે વાર સમુદ્રનું પાણી ખેંચે છે"),
            ("he", "הירח מושך את מי הים פעמיים ביום"),
            ("hi", "चाँद दिन में दो बार समुद्र का पानी खींचता है"),
            ("it", "La luna attira l'acqua del mare due volte al giorno perché la terra gira."),
            ("ja", "月は一日に二回、海の水を引き寄せます。"),
            ("kn", "ಚಂದ್ರನು ದಿನಕ್ಕೆ ಎರಡು ಬಾರಿ ಸಮುದ್ರದ ನೀರನ್ನು ಎಳೆಯುತ್ತಾನೆ"),
            ("ko", "달은 하루에 두 번 바닷물을 끌어당깁니다."),
            ("ml", "ചന്ദ്രൻ ദിവസത്തിൽ രണ്ടുതവണ കടലിലെ വെള്ളം വലിക്കുന്നു"),
            ("mr", "चंद्र दिवसातून दोनदा समुद्राचे पाणी ओढतो आणि त्यामुळे भरती येते"),
            ("ne", "चन्द्रमाले दिनमा दुई पटक समुद्रको पानी तान्छ र ज्वारभाटा हुन्छ"),
            ("pa", "ਚੰਦ ਦਿਨ ਵਿੱਚ ਦੋ ਵਾਰ ਸਮੁੰਦਰ ਦਾ ਪਾਣੀ ਖਿੱਚਦਾ ਹੈ"),
            ("pl", "Księżyc przyciąga wodę morską dwa razy na dobę."),
            ("pt", "A lua atrai a água do mar duas vezes por dia, porque a terra não para."),
            ("ru", "Луна притягивает воду моря два раза в день."),
            ("sw", "Mwezi huvuta maji ya bahari mara mbili kwa siku."),
            ("ta", "நிலா ஒரு நாளில் இரண்டு முறை கடல் நீரை ஈர்க்கிறது"),
            ("te", "చంద్రుడు రోజుకు రెండుసార్లు సముద్రపు నీటిని లాగుతాడు"),
            ("th", "ดวงจันทร์ดึงน้ำทะเลวันละสองครั้ง"),
            ("uk", "Місяць притягує воду моря двічі на день."),
            ("ur", "چاند دن میں دو بار سمندر کا پانی کھینچتا ہے"),
            ("vi", "Mặt trăng hút nước biển hai lần mỗi ngày."),
            ("zh", "月亮每天两次吸引海水。"),
        ] {
            assert_eq!(sensible(text), Some(code), "{text}");
            let own =
                |c: char| letters(code).iter().any(|(first, last)| (*first..=*last).contains(&c));
            assert!(text.contains(own), "{text}");
            let released = released(text);
            assert!(released.is_some_and(|found| found.starts_with(code)), "{text}: {released:?}");
        }
    }

    #[test]
    fn uncertain_texts_have_no_language() {
        for text in ["", "42", "OK", "Hello", "...", "😀", "አማርኛ", "\u{1d400}"] {
            assert_eq!(sensible(text), None, "{text}");
        }
        assert_eq!(sensible("მთვარე"), Some("ka"));
        assert_eq!(sensible("月が海を引く"), Some("ja"));
        assert_eq!(sensible("The moon, луна, القمر"), None);
        assert_eq!(sensible("THE MOON PULLS THE WATER OF THE SEA"), Some("en"));
        assert_eq!(released("42"), None);
    }

    #[test]
    fn verdicts_are_deterministic() {
        let planes: String = (0..0x11_0000).step_by(97).filter_map(char::from_u32).collect();
        for text in [planes.as_str(), "\u{202e}\u{2066}abc\u{2069}", "\0\u{ffff}"] {
            assert_eq!(sensible(text), sensible(text));
            assert_eq!(released(text), released(text));
        }
    }
}
