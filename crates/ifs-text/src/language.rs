//! Language identification. The only file that names the `langdetect` crate, which contains
//! langdetect's profiles of 55 languages and reproduces its random walk.
//!
//! Most scripts belong to one language, and then the sensible definition uses only the script,
//! which also covers languages that langdetect lacks. langdetect uses random numbers; here they
//! come from a fixed seed, so that a text has one result. langdetect's result for an uncertain text
//! depends on the seed; the sensible definition then returns no language.

use std::sync::OnceLock;

#[cfg(feature = "languages")]
use langdetect::{DetectorFactory, Seed};

use super::python;

/// Whether this build identifies languages. Otherwise, a scenario that needs it is refused.
pub const IDENTIFIES_LANGUAGES: bool = cfg!(feature = "languages");

/// The minimum probability of a language that is certain.
#[cfg(feature = "languages")]
const MIN_PROBABILITY: f64 = 0.7;

/// In a script of many languages, fewer letters than these say nothing about the language.
const MIN_LETTERS: usize = 12;

/// Fewer letters than these may be in another language than the likeliest: `bread, milk, eggs`.
const MIN_LETTERS_OF_PROSE: usize = 28;

/// A shorter text without a word of [`COMMON_WORDS`] may be a list of names.
const MIN_LETTERS_WITHOUT_COMMON_WORDS: usize = 60;

/// A longer text whose language is uncertain is in several.
const MAX_UNCERTAIN_LETTERS: usize = 120;

/// For a longer text, only the beginning is examined.
const MAX_EXAMINED_BYTES: usize = 4096;

/// What is known of the language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LanguageGuess {
    /// This language, by its ISO 639-1 code.
    Certain(&'static str),
    /// The text is short: probably this language, perhaps another one of its script.
    Likely(&'static str),
    /// The text is short: some language of the script of this one.
    Script(&'static str),
    /// There are no letters, or those of several languages.
    Unknown,
}

impl LanguageGuess {
    /// The language, if it is certain.
    pub fn certain(self) -> Option<&'static str> {
        match self {
            LanguageGuess::Certain(code) => Some(code),
            LanguageGuess::Likely(_) | LanguageGuess::Script(_) | LanguageGuess::Unknown => None,
        }
    }

    /// Whether the language is this one; `None` if the text is too short to tell.
    pub fn is(self, code: &str) -> Option<bool> {
        match self {
            LanguageGuess::Certain(found) => Some(found == code),
            LanguageGuess::Likely(found) if found == code => Some(true),
            LanguageGuess::Likely(found) | LanguageGuess::Script(found) => {
                (script_of(found) != script_of(code)).then_some(false)
            }
            LanguageGuess::Unknown => Some(false),
        }
    }
}

/// The codes of all languages that can be identified, in order.
pub fn known() -> &'static [&'static str] {
    static KNOWN: OnceLock<Vec<&'static str>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let by_script = SCRIPTS.iter().filter_map(|(written, _)| match written {
            ScriptLanguages::By(codes) => Some(codes.iter().copied()),
            ScriptLanguages::Many => None,
        });
        let mut all: Vec<&str> = by_script.flatten().chain(detected()).collect();
        all.sort_unstable();
        all.dedup();
        all
    })
}

/// The codes that langdetect gives, in order.
#[cfg(feature = "languages")]
pub fn known_released() -> Vec<&'static str> {
    let mut all: Vec<&str> = detector().langlist().iter().map(String::as_str).collect();
    all.sort_unstable();
    all
}

#[cfg(not(feature = "languages"))]
pub fn known_released() -> Vec<&'static str> {
    Vec::new()
}

/// The code of a language that was named otherwise: in English, by itself, or with a region.
pub fn code_of(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let named = NAMES.iter().find(|(_, names)| names.split(' ').any(|known| known == name));
    let base = name.split(['-', '_']).next().unwrap_or(&name);
    let code = named.map_or(base, |(code, _)| code);
    known().iter().find(|known| **known == code).copied()
}

/// Names of languages, in English and by themselves, and longer codes.
const NAMES: &[(&str, &str)] = &[
    ("af", "afrikaans afr"),
    ("ar", "arabic العربية ara"),
    ("bg", "bulgarian български bul"),
    ("bn", "bengali bangla বাংলা ben"),
    ("ca", "catalan català cat"),
    ("cs", "czech čeština česky ces cze cz"),
    ("cy", "welsh cymraeg cym"),
    ("da", "danish dansk dan dk"),
    ("de", "german deutsch deu ger"),
    ("el", "greek ελληνικά ell gre gr"),
    ("en", "english eng"),
    ("es", "spanish español castellano castilian spa"),
    ("et", "estonian eesti est"),
    ("fa", "persian farsi فارسی fas per"),
    ("fi", "finnish suomi fin"),
    ("fr", "french français fra fre"),
    ("gu", "gujarati ગુજરાતી guj"),
    ("he", "hebrew עברית heb iw"),
    ("hi", "hindi हिन्दी हिंदी hin"),
    ("hr", "croatian hrvatski hrv"),
    ("hu", "hungarian magyar hun"),
    ("hy", "armenian հայերեն hye arm"),
    ("id", "indonesian indonesia ind"),
    ("it", "italian italiano ita"),
    ("ja", "japanese 日本語 jpn jp"),
    ("ka", "georgian ქართული kat geo"),
    ("km", "khmer cambodian ខ្មែរ khm"),
    ("kn", "kannada ಕನ್ನಡ kan"),
    ("ko", "korean 한국어 kor kr"),
    ("lo", "lao laotian ລາວ"),
    ("lt", "lithuanian lietuvių lit"),
    ("lv", "latvian latviešu lav"),
    ("mk", "macedonian македонски mkd"),
    ("ml", "malayalam മലയാളം mal"),
    ("mr", "marathi मराठी mar"),
    ("ne", "nepali नेपाली nep"),
    ("nl", "dutch nederlands flemish nld dut"),
    ("no", "norwegian norsk nor nb nn bokmål nynorsk"),
    ("or", "odia oriya ଓଡ଼ିଆ ori"),
    ("pa", "punjabi panjabi ਪੰਜਾਬੀ pan"),
    ("pl", "polish polski pol"),
    ("pt", "portuguese português por"),
    ("ro", "romanian română ron rum moldovan"),
    ("ru", "russian русский rus"),
    ("si", "sinhala sinhalese සිංහල sin"),
    ("sk", "slovak slovenčina slk slo"),
    ("sl", "slovenian slovene slovenščina slv"),
    ("so", "somali soomaali som"),
    ("sq", "albanian shqip sqi alb"),
    ("sv", "swedish svenska swe se"),
    ("sw", "swahili kiswahili swa"),
    ("ta", "tamil தமிழ் tam"),
    ("te", "telugu తెలుగు tel"),
    ("th", "thai ไทย tha"),
    ("tl", "tagalog filipino fil tgl"),
    ("tr", "turkish türkçe tur"),
    ("uk", "ukrainian українська ukr ua"),
    ("ur", "urdu اردو urd"),
    ("vi", "vietnamese việt vie vn"),
    ("zh", "chinese mandarin cantonese 中文 汉语 漢語 zho chi cn"),
];

/// What is known of the language of a text.
pub(super) fn sensible(text: &str) -> LanguageGuess {
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
    let Some(most) = (0..SCRIPTS.len()).find(|at| scripts[*at] * 2 > letters) else {
        return LanguageGuess::Unknown;
    };
    let first = match SCRIPTS[most].0 {
        ScriptLanguages::By([code]) => return LanguageGuess::Certain(code),
        ScriptLanguages::By(codes) => codes.first().copied().unwrap_or(ENGLISH),
        ScriptLanguages::Many => ENGLISH,
    };
    if letters < MIN_LETTERS {
        return LanguageGuess::Script(first);
    }
    // A detected language with another script is wrong.
    let detected = detect(start, capitals * 2 > letters);
    match detected.filter(|(code, _)| script_of(code) == most) {
        Some((code, true)) if is_prose(start, letters, code) => LanguageGuess::Certain(code),
        Some((code, _)) if letters < MAX_UNCERTAIN_LETTERS => LanguageGuess::Likely(code),
        None if letters < MAX_UNCERTAIN_LETTERS => LanguageGuess::Script(first),
        _ => LanguageGuess::Unknown,
    }
}

const ENGLISH: &str = "en";

/// Whether a text in a script of many languages is long enough, or has enough words that hardly any
/// other language has, for what it was identified as.
fn is_prose(text: &str, letters: usize, code: &str) -> bool {
    if letters >= MIN_LETTERS_WITHOUT_COMMON_WORDS {
        return true;
    }
    let Some((_, common)) = COMMON_WORDS.iter().find(|(known, _)| *known == code) else {
        return (code == ENGLISH || script_of(code) != LATIN) && letters >= MIN_LETTERS_OF_PROSE;
    };
    let lowered = text.to_lowercase();
    let mut found: Vec<&str> = lowered
        .split(|c: char| !python::is_letter(c))
        .filter(|word| common.split(' ').any(|known| known == *word))
        .collect();
    found.sort_unstable();
    found.dedup();
    found.len() >= if letters >= MIN_LETTERS_OF_PROSE { 1 } else { 2 }
}

/// Words that are in most sentences of a language with Latin letters.
const COMMON_WORDS: &[(&str, &str)] = &[
    ("ca", "els amb és però aquest per les una dels"),
    ("cs", "je se na že jsem jsou není který aby"),
    ("da", "og er det jeg ikke af til på en som"),
    (
        "de",
        "der die das und ist nicht bis zum zur ein eine ich wir sie auf mit für im den dem von zu",
    ),
    ("es", "el los las y es una con por para del que no la se lo está"),
    ("fi", "ja on ei se että olen ovat tai mutta"),
    ("fr", "le les est et des une je vous du dans pour pas la au aux ce sur il elle nous"),
    ("hr", "je se na da nije koji su za ali"),
    ("hu", "a az és nem egy hogy van is de"),
    ("id", "yang dan di ini itu dengan untuk tidak dari"),
    ("it", "il è che di della gli non per una lo sono con la alla nel del"),
    ("nl", "het een van de en niet ik je dat op voor zijn met te"),
    ("no", "og er det jeg ikke av til på en som"),
    ("pl", "jest nie się na i to że z do jak"),
    ("pt", "não é uma com para os do da que e em o um na no dos"),
    ("ro", "și este nu un o la cu pe din că sunt în"),
    ("sk", "je sa na že som sú nie ktorý aby"),
    ("sl", "je se na da ni ki so za ali in"),
    ("sv", "och är att på det jag inte en som av till"),
    ("tr", "bir ve bu için ile çok değil ben de da"),
    ("vi", "là và của không có một cho được này"),
];

/// Whether the letters include some of every text in that language.
pub fn letters(language: &str) -> &'static [(char, char)] {
    SCRIPTS[script_of(language)].1
}

fn script_of(language: &str) -> usize {
    let by = |(written, _): &WritingSystem| matches!(written, ScriptLanguages::By(codes) if codes.contains(&language));
    SCRIPTS.iter().position(by).unwrap_or(LATIN)
}

#[cfg(not(feature = "languages"))]
fn detect(_: &str, _: bool) -> Option<(&'static str, bool)> {
    None
}

#[cfg(not(feature = "languages"))]
fn detected() -> Vec<&'static str> {
    Vec::new()
}

/// The languages that langdetect knows, with Chinese as one.
#[cfg(feature = "languages")]
fn detected() -> Vec<&'static str> {
    let codes = detector().langlist().iter().map(String::as_str);
    codes.filter(|code| !code.starts_with("zh-")).collect()
}

#[cfg(not(feature = "languages"))]
pub(super) fn released(_: &str) -> Option<&'static str> {
    None
}

/// The likeliest language by langdetect, and whether it is certain. It treats words in capitals as
/// acronyms.
#[cfg(feature = "languages")]
fn detect(text: &str, capitals: bool) -> Option<(&'static str, bool)> {
    let lowered;
    let text = if capitals {
        lowered = text.to_lowercase();
        lowered.as_str()
    } else {
        text
    };
    let found = detector().detect_langs(text).ok()?;
    let best = found.first()?;
    let code = detector().langlist().iter().find(|code| **code == best.lang)?;
    Some((code, best.prob >= MIN_PROBABILITY))
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
            assert_eq!(sensible(text).is(code), Some(true), "{text}");
            assert!(known().contains(&code));
            let own =
                |c: char| letters(code).iter().any(|(first, last)| (*first..=*last).contains(&c));
            assert!(text.contains(own), "{text}");
            let released = released(text);
            assert!(released.is_some_and(|found| found.starts_with(code)), "{text}: {released:?}");
        }
    }

    #[test]
    fn short_texts_are_uncertain() {
        for text in ["", "42", "...", "😀", "አማርኛ", "\u{1d400}"] {
            assert_eq!(sensible(text), LanguageGuess::Unknown, "{text}");
        }
        for (text, code, is) in [
            ("Hello world", "en", None),
            ("Hello world", "fr", None),
            ("Hello world", "ru", Some(false)),
            ("Да, конечно.", "ru", None),
            ("Да, конечно.", "de", Some(false)),
            ("მთვარე", "ka", Some(true)),
            ("月が海を引く", "ja", Some(true)),
            ("THE MOON PULLS THE WATER OF THE SEA", "en", Some(true)),
            ("The moon, луна, القمر", "en", Some(false)),
            ("1. PIXEL PRODIGY\n2. CODE CONSTRUCT\n3. DIGITAL DYNAMICS", "en", None),
            ("das wasser steigt heute bis zum abend.", "en", Some(false)),
            ("il mare è calmo stasera.", "en", Some(false)),
            ("la marea baja por la tarde y el puerto queda vacío.", "en", Some(false)),
        ] {
            assert_eq!(sensible(text).is(code), is, "{text}");
        }
        assert_eq!(released("42"), None);
        assert!(known().contains(&"hy") && !known().contains(&"is") && known().len() == 60);
        assert!(known().iter().copied().eq(NAMES.iter().map(|(code, _)| *code)));
        for (name, code) in [
            ("French", Some("fr")),
            ("Français", Some("fr")),
            ("zh-TW", Some("zh")),
            ("pt_BR", Some("pt")),
            ("DE", Some("de")),
            ("is", None),
            ("xx", None),
        ] {
            assert_eq!(code_of(name), code, "{name}");
        }
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
