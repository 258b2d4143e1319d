//! The marks that end sentences, and the English abbreviations that do not.

/// Whether `c` may end a sentence before a blank.
pub(super) fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '‽' | '؟' | '۔') || is_wide_stop(c)
}

/// Whether `c` ends a sentence whatever follows: the stops of scripts without blanks after them.
pub(super) fn is_wide_stop(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '｡' | '．' | '।' | '॥' | '።' | '။')
}

/// Whether `c` after a stop belongs to the previous sentence.
pub(super) fn is_closer(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | ')'
            | ']'
            | '}'
            | '”'
            | '’'
            | '»'
            | '›'
            | '」'
            | '』'
            | '）'
            | '】'
            | '》'
            | '〉'
            | '*'
            | '_'
            | '`'
    )
}

/// Whether `c` may precede the first letter of a sentence.
pub(super) fn is_opener(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | '('
            | '['
            | '{'
            | '“'
            | '‘'
            | '„'
            | '«'
            | '‹'
            | '「'
            | '『'
            | '（'
            | '【'
            | '《'
            | '〈'
            | '*'
            | '_'
            | '`'
            | '¿'
            | '¡'
    )
}

/// Whether an abbreviation with a stop may end a sentence, depending on the next word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Abbreviation {
    /// Never: `Dr.`, `e.g.`
    Never,
    /// Not before a digit: `No. 5`, `Jan. 3`.
    BeforeNumber,
    /// Only before a word that often begins sentences, because names may follow: `Inc.`, `U.S.`, an
    /// initial.
    BeforeStarter,
    /// Before a capital: `etc.`, `p.m.`
    BeforeCapital,
}

/// The kind of the abbreviation `word` (without its stop), if it is one.
pub(super) fn abbreviation(word: &str) -> Option<Abbreviation> {
    let mut letters = word.chars();
    if let (Some(letter), None) = (letters.next(), letters.next())
        && letter.is_uppercase()
    {
        return (letter != 'I').then_some(Abbreviation::BeforeStarter);
    }
    let lower = word.to_lowercase();
    let listed = |list: &[&str]| list.contains(&lower.as_str());
    if listed(NEVER_STOPS) {
        Some(Abbreviation::Never)
    } else if listed(BEFORE_NUMBER) {
        Some(Abbreviation::BeforeNumber)
    } else if listed(BEFORE_CAPITAL) {
        Some(Abbreviation::BeforeCapital)
    } else if listed(BEFORE_STARTER) || is_dotted(word) {
        Some(Abbreviation::BeforeStarter)
    } else {
        None
    }
}

/// Whether a stop is within `z. B.`, `d. h.` and their like: German abbreviations of two words.
pub(super) fn is_within_pair(word: &str, next: &str) -> bool {
    let mut rest = next.chars();
    matches!(word, "z" | "d" | "u" | "i" | "o" | "s" | "v")
        && rest.next().is_some_and(char::is_alphabetic)
        && rest.next() == Some('.')
}

/// Whether `before`, in front of a stop, ends with such an abbreviation.
pub(super) fn is_pair(before: &str) -> bool {
    ["z. B", "d. h", "u. a", "u. U", "v. a", "i. d. R", "i. A", "o. g"].iter().any(|pair| {
        before.strip_suffix(pair).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
    })
}

/// Whether a full stop after `word` makes it a day, as in `am 3. Mai` and `am 3. 4. Mai`.
pub(super) fn is_day(word: &str, next: &str) -> bool {
    let is_day = |text: &str| {
        (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let another = next.split_once('.').is_some_and(|(number, _)| is_day(number));
    is_day(word) && (another || GERMAN_MONTHS.iter().any(|month| next.starts_with(month)))
}

/// As they begin: `Nov.` and `November`.
pub(super) const GERMAN_MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mär", "Apr", "Mai", "Juni", "Juli", "Aug", "Sep", "Okt", "Nov", "Dez"];

/// Whether `word` often begins a sentence and seldom a name.
pub(super) fn is_starter(word: &str) -> bool {
    STARTERS.contains(&word)
}

/// Whether a word goes on a name that has a mark of its own: `Yahoo! Inc.`
pub(super) fn is_company(word: &str) -> bool {
    matches!(
        word,
        "Inc" | "Ltd" | "Corp" | "Co" | "Group" | "Holdings" | "LLC" | "GmbH" | "AG" | "Japan"
    )
}

/// Letters with stops between them: `U.S`. `Ph.D` is in the list.
fn is_dotted(word: &str) -> bool {
    word.contains('.')
        && word.split('.').all(|part| {
            let mut chars = part.chars();
            chars.next().is_some_and(char::is_alphabetic) && chars.next().is_none()
        })
}

const NEVER_STOPS: &[&str] = &[
    "mr", "mrs", "ms", "mx", "dr", "prof", "st", "gen", "sgt", "capt", "col", "lt", "maj", "cmdr",
    "adm", "rev", "hon", "gov", "sen", "rep", "pres", "messrs", "mme", "mlle", "fr", "mt", "ft",
    "vs", "e.g", "i.e", "cf", "viz", "approx", "ca", "esp", // and German ones
    "z.b", "d.h", "bzw", "ggf", "evtl", "inkl", "zzgl", "vgl", "sog", "hr", "hrn", "frl", "phil",
    "med", "jur", "gem", "einschl", "bspw", "mind", "bzgl",
    "entspr", // Spanish, French, Italian and Russian
    "sra", "srta", "dra", "ud", "uds", "ee", "uu", "núm", "avda", "mgr", "sig", "dott", "avv", "г",
    "ул", "т.е", "им", "проф", "т.к", "стр", "рис",
];

const BEFORE_NUMBER: &[&str] = &[
    "no", "nos", "vol", "vols", "pp", "pg", "ch", "sec", "fig", "figs", "eq", "art", "para", "jan",
    "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "nr", "abs",
    "tel", "kap", "abb", "taf", "p", "s", "ziff", "aufl", "bd", "pág", "págs", "cap", "гл", "д",
    "кв", "т",
];

const BEFORE_CAPITAL: &[&str] = &["etc", "a.m", "p.m", "usw"];

const BEFORE_STARTER: &[&str] = &[
    "inc", "ltd", "co", "corp", "bros", "jr", "sr", "al", "ave", "blvd", "dept", "univ", "assn",
    "ph.d", "ed", "eds", "est",
];

const STARTERS: &[&str] = &[
    "A",
    "After",
    "All",
    "Also",
    "Although",
    "An",
    "And",
    "Another",
    "As",
    "At",
    "Because",
    "Before",
    "Both",
    "But",
    "By",
    "Each",
    "Every",
    "Finally",
    "For",
    "From",
    "He",
    "Her",
    "Here",
    "His",
    "How",
    "However",
    "I",
    "If",
    "In",
    "It",
    "Its",
    "It's",
    "Let",
    "Many",
    "Meanwhile",
    "Moreover",
    "Most",
    "My",
    "No",
    "Not",
    "On",
    "One",
    "Or",
    "Our",
    "She",
    "Since",
    "So",
    "Some",
    "That",
    "The",
    "Their",
    "Then",
    "There",
    "These",
    "They",
    "This",
    "Those",
    "Thus",
    "To",
    "We",
    "What",
    "When",
    "Where",
    "While",
    "Who",
    "Why",
    "With",
    "Yes",
    "Yet",
    "You",
    "Your",
];
