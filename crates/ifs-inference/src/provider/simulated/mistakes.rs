//! Golden answers with mistakes, for simulated models that violate some criteria. Changing the
//! right answer is faster than generating another text, and violates only the intended criteria.

use ifs_parts::parts::witness::{WitnessPart, missed};
use ifs_predicate::witness::Goal;

/// The right answer, changed to violate as many as possible of the goals that must fail, and none
/// of those that must hold. `None` if the right answer itself violates one of these.
pub(super) fn with_mistakes(
    right: &str,
    parts: &[WitnessPart],
    goals: &[Goal<'_>],
) -> Option<String> {
    let mut kept: Vec<Goal<'_>> = goals.iter().filter(|goal| goal.wanted).copied().collect();
    if !missed(parts, &kept, right).is_empty() {
        return None;
    }
    let mut text = right.to_owned();
    for goal in goals.iter().filter(|goal| !goal.wanted) {
        let slipped = if missed(parts, &[*goal], &text).is_empty() {
            Some(text.clone())
        } else {
            let fits = |slip: &String| {
                missed(parts, &[*goal], slip).is_empty() && missed(parts, &kept, slip).is_empty()
            };
            single_changes(&text).find(fits)
        };
        if let Some(slipped) = slipped {
            text = slipped;
            kept.push(*goal);
        }
    }
    Some(text)
}

/// Texts with a single change: a number is increased by one, a name is reversed, a letter is
/// replaced by the next one, a line is deleted or duplicated. Of a text with one line the first word
/// is kept: a response without text is no mistake, but none at all.
fn single_changes(text: &str) -> impl Iterator<Item = String> {
    let numbers = stretches(text, |letter| letter.is_ascii_digit()).filter_map(|(at, number)| {
        let more = number.parse::<u64>().ok()?.checked_add(1)?;
        Some(replaced(text, at, number, &more.to_string()))
    });
    let names = stretches(text, char::is_alphabetic).map(|(at, name)| {
        let other: String = match name.as_bytes() {
            [letter @ b'A'..=b'Y'] => char::from(letter + 1).to_string(),
            _ => name.chars().rev().collect(),
        };
        replaced(text, at, name, &other)
    });
    let lines = text.split_inclusive('\n');
    let without = lines.clone().scan(0, |end, line| {
        let at = *end;
        *end += line.len();
        let rest = replaced(text, at, line, "");
        Some(match rest.trim() {
            "" => text.split_whitespace().next().unwrap_or_default().to_owned(),
            _ => rest,
        })
    });
    let twice = lines.map(|line| format!("{}\n{}", text.trim_end(), line.trim_end()));
    numbers.chain(names).chain(without).chain(twice)
}

/// The longest runs of characters of one kind, with their positions.
fn stretches(text: &str, kind: impl Fn(char) -> bool) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let at = rest + text[rest..].find(&kind)?;
        let end = text[at..].find(|letter| !kind(letter)).map_or(text.len(), |len| at + len);
        rest = end;
        Some((at, &text[at..end]))
    })
}

fn replaced(text: &str, at: usize, part: &str, by: &str) -> String {
    format!("{}{by}{}", &text[..at], &text[at + part.len()..])
}

#[cfg(test)]
mod tests {
    use super::single_changes;

    #[test]
    fn mistakes_change_one_place() {
        let found: Vec<String> = single_changes("Ann, 9\nB").collect();
        assert_eq!(
            found,
            [
                "Ann, 10\nB",
                "nnA, 9\nB",
                "Ann, 9\nC",
                "B",
                "Ann, 9\n",
                "Ann, 9\nB\nAnn, 9",
                "Ann, 9\nB\nB"
            ]
        );
        let found: Vec<String> = single_changes("Ann, 9").collect();
        assert_eq!(found, ["Ann, 10", "nnA, 9", "Ann,", "Ann, 9\nAnn, 9"]);
    }
}
