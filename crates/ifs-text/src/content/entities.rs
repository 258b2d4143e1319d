//! Character references of HTML and XML: `&eacute;`, `&#233;`, `&#xe9;`.

/// The character at the start of `text`, and the length of its reference.
pub(super) fn reference(text: &str) -> Option<(char, usize)> {
    let inner = text.strip_prefix('&')?;
    let end = inner.bytes().take(MAX_NAME_LENGTH + 1).position(|byte| byte == b';')?;
    let name = inner.get(..end)?;
    let c = match name.strip_prefix('#') {
        Some(number) => numeric(number)?,
        None => named(name)?,
    };
    Some((c, end + 2))
}

const MAX_NAME_LENGTH: usize = 10;

fn numeric(number: &str) -> Option<char> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    char::from_u32(code).filter(|c| !c.is_control() || c.is_whitespace())
}

fn named(name: &str) -> Option<char> {
    let latin = LATIN_NAMES.split_ascii_whitespace().position(|known| known == name);
    let latin = latin.and_then(|at| char::from_u32(0xa0 + u32::try_from(at).ok()?));
    latin.or_else(|| OTHER_NAMES.iter().find(|(known, _)| *known == name).map(|(_, c)| *c))
}

/// The names of U+00A0 to U+00FF, in order.
const LATIN_NAMES: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy \
    reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 \
    frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml \
    Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute \
    Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute \
    ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash \
    ugrave uacute ucirc uuml yacute thorn yuml";

const OTHER_NAMES: &[(&str, char)] = &[
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("ndash", '–'),
    ("mdash", '—'),
    ("hellip", '…'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("sbquo", '‚'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("bdquo", '„'),
    ("lsaquo", '‹'),
    ("rsaquo", '›'),
    ("bull", '•'),
    ("euro", '€'),
    ("trade", '™'),
    ("ensp", '\u{2002}'),
    ("emsp", '\u{2003}'),
    ("thinsp", '\u{2009}'),
    ("zwnj", '\u{200c}'),
    ("zwj", '\u{200d}'),
    ("minus", '−'),
    ("larr", '←'),
    ("rarr", '→'),
    ("le", '≤'),
    ("ge", '≥'),
    ("OElig", 'Œ'),
    ("oelig", 'œ'),
    ("Scaron", 'Š'),
    ("scaron", 'š'),
    ("comma", ','),
    ("period", '.'),
    ("colon", ':'),
    ("semi", ';'),
    ("excl", '!'),
    ("quest", '?'),
    ("lpar", '('),
    ("rpar", ')'),
    ("ast", '*'),
    ("lowbar", '_'),
    ("lbrace", '{'),
    ("rbrace", '}'),
    ("lbrack", '['),
    ("rbrack", ']'),
];

#[cfg(test)]
mod tests {
    use super::reference;

    #[test]
    fn references_are_read() {
        for (text, found) in [
            ("&eacute;t", Some(('é', 8))),
            ("&szlig;", Some(('ß', 7))),
            ("&#233;", Some(('é', 6))),
            ("&#xE9;", Some(('é', 6))),
            ("&nbsp;", Some(('\u{a0}', 6))),
            ("&yuml;", Some(('ÿ', 6))),
            ("&amp;lt;", Some(('&', 5))),
            ("&", None),
            ("& so;", None),
            ("&unheard;", None),
            ("&#xd800;", None),
            ("AT&T", None),
        ] {
            assert_eq!(reference(text), found, "{text}");
        }
    }
}
