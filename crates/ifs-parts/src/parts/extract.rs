//! Verifies the extraction of a model: every piece must occur in the response.

use ifs_text::python;

/// The result of an extractor's reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extracted {
    /// Pieces as they are in the response.
    Pieces(Vec<String>),
    /// The part does not exist.
    Nothing,
}

/// Why a reply cannot be used, as reported to the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    #[error("it is neither a JSON array of texts nor ALL or NONE")]
    NoList,
    #[error("this does not occur in the response: {0}")]
    Invented(String),
    #[error("the pieces are not in the order of the response")]
    Unordered,
}

/// How many pieces may precede the previous one: each time the response is searched again.
const MAX_EARLIER_PIECES: usize = 50;

/// Parses a reply, and finds its pieces in the response, ignoring differences in whitespace.
///
/// # Errors
/// Returns an error if it is not a list, or if a piece does not occur in the response.
pub fn read(reply: &str, answer: &str) -> Result<Extracted, Unusable> {
    let word = reply.trim().trim_matches(['.', '"', '`', '*']);
    if word.eq_ignore_ascii_case("all") {
        return Ok(match answer.trim() {
            "" => Extracted::Nothing,
            whole => Extracted::Pieces(vec![whole.to_owned()]),
        });
    }
    if word.eq_ignore_ascii_case("none") {
        return Ok(Extracted::Nothing);
    }
    let said = array(reply).ok_or(Unusable::NoList)?;
    let answer = Condensed::new(answer);
    let mut pieces = Vec::new();
    let mut at = 0;
    let mut back = 0;
    for piece in &said {
        let wanted = Condensed::new(piece).text;
        if wanted.is_empty() {
            continue;
        }
        let found = answer.text[at..].find(&wanted).map(|found| at + found);
        let found = match found {
            Some(found) => found,
            None => {
                back += 1;
                if back > MAX_EARLIER_PIECES {
                    return Err(Unusable::Unordered);
                }
                let shown: String = piece.chars().take(60).collect();
                answer.text.find(&wanted).ok_or(Unusable::Invented(shown))?
            }
        };
        at = found + wanted.len();
        pieces.push(answer.original_text(found, at).to_owned());
    }
    Ok(if pieces.is_empty() { Extracted::Nothing } else { Extracted::Pieces(pieces) })
}

/// The array of texts in a reply, with any text around it.
fn array(reply: &str) -> Option<Vec<String>> {
    let start = reply.find('[')?;
    let mut values = serde_json::Deserializer::from_str(&reply[start..]).into_iter::<Vec<String>>();
    values.next()?.ok()
}

/// A text with runs of whitespace collapsed, and the original offsets of its bytes.
struct Condensed<'t> {
    source: &'t str,
    text: String,
    places: Vec<u32>,
}

impl<'t> Condensed<'t> {
    fn new(source: &'t str) -> Condensed<'t> {
        let mut text = String::with_capacity(source.len());
        let mut places = Vec::with_capacity(source.len());
        let mut pending = false;
        for (at, c) in source.char_indices() {
            if python::is_space(c) {
                pending = !text.is_empty();
                continue;
            }
            if std::mem::take(&mut pending) {
                text.push(' ');
                places.push(at as u32 - 1);
            }
            text.push(c);
            places.extend((at..at + c.len_utf8()).map(|at| at as u32));
        }
        Condensed { source, text, places }
    }

    /// The original text of a range that is not empty.
    fn original_text(&self, start: usize, end: usize) -> &'t str {
        let from = self.places.get(start).map_or(0, |at| *at as usize);
        let to = self.places.get(end - 1).map_or(0, |at| *at as usize + 1);
        self.source.get(from..to).unwrap_or("").trim()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = "Sure!\n1. So good,\n   want it\n2. 真好吃！\n3. so good\nBye.";

    fn pieces(reply: &str) -> Result<Extracted, Unusable> {
        read(reply, ANSWER)
    }

    #[test]
    fn pieces_are_verbatim() {
        let found = pieces("```json\n[\"So good, want it\", \"真好吃！\", \"so good\"]\n```");
        let wanted = ["So good,\n   want it", "真好吃！", "so good"].map(str::to_owned).to_vec();
        assert_eq!(found, Ok(Extracted::Pieces(wanted)));
        let found = pieces("[\"so good\", \"真好吃！\"]");
        assert!(matches!(found, Ok(Extracted::Pieces(pieces)) if pieces.len() == 2));
    }

    #[test]
    fn text_that_does_not_occur_is_refused() {
        assert_eq!(pieces("[\"so nice\"]"), Err(Unusable::Invented("so nice".into())));
        assert_eq!(
            pieces("[\"So Good, want it\"]"),
            Err(Unusable::Invented("So Good, want it".into()))
        );
        assert_eq!(pieces("I cannot do that."), Err(Unusable::NoList));
        assert_eq!(pieces("[1, 2]"), Err(Unusable::NoList));
    }

    #[test]
    fn all_and_none() {
        assert_eq!(pieces("ALL"), Ok(Extracted::Pieces(vec![ANSWER.to_owned()])));
        assert_eq!(pieces("None."), Ok(Extracted::Nothing));
        assert_eq!(pieces("[]"), Ok(Extracted::Nothing));
        assert_eq!(pieces("[\" \"]"), Ok(Extracted::Nothing));
        assert_eq!(read("ALL", " \n"), Ok(Extracted::Nothing));
    }

    #[test]
    fn replies_with_many_reversals_are_refused() {
        let reply = serde_json::to_string(&["Sure!", "Bye."].repeat(60)).unwrap();
        assert_eq!(pieces(&reply), Err(Unusable::Unordered));
    }
}
