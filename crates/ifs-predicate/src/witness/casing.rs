//! Sets the case of letters in a finished text.

use super::brief::Brief;
use super::frame::Rendered;

pub(super) fn cased(rendered: Rendered, brief: &Brief) -> String {
    if brief.no_lower {
        return change(&rendered, |c| c.to_uppercase().collect());
    }
    if brief.no_upper {
        return change(&rendered, |c| c.to_lowercase().collect());
    }
    match brief.share {
        None => natural(&rendered),
        Some((interval, _)) => {
            let low = interval.low.map_or(0.0, |end| end.value.float()).max(0.0);
            let high = interval.high.map_or(100.0, |end| end.value.float()).min(100.0);
            shared(&rendered, low, high)
        }
    }
}

/// Changes every letter outside of fixed ranges.
fn change(rendered: &Rendered, to: impl Fn(char) -> String) -> String {
    let mut out = String::with_capacity(rendered.text.len());
    let mut fixed = rendered.fixed.iter().peekable();
    for (at, c) in rendered.text.char_indices() {
        while fixed.peek().is_some_and(|range| range.end <= at) {
            fixed.next();
        }
        let keep = fixed.peek().is_some_and(|range| range.contains(&at));
        if keep || c.is_ascii() && !c.is_ascii_alphabetic() {
            out.push(c);
        } else {
            out.push_str(&to(c));
        }
    }
    out
}

/// A capital where a sentence starts.
fn natural(rendered: &Rendered) -> String {
    let text = &rendered.text;
    let mut out = String::with_capacity(text.len() + 8);
    let mut done = 0;
    for start in &rendered.starts {
        let Some((at, c)) = first_letter(rendered, *start) else { continue };
        if at < done {
            continue;
        }
        out.push_str(text.get(done..at).unwrap_or(""));
        out.extend(c.to_uppercase());
        done = at + c.len_utf8();
    }
    out.push_str(text.get(done..).unwrap_or(""));
    out
}

/// The first letter of a sentence; `None` if it is fixed or its capital is longer.
fn first_letter(rendered: &Rendered, start: usize) -> Option<(usize, char)> {
    let rest = rendered.text.get(start..)?;
    let (offset, c) = rest.char_indices().take(8).find(|(_, c)| c.is_alphabetic())?;
    let at = start + offset;
    let fixed = rendered.fixed.iter().any(|range| range.contains(&at));
    (!fixed && c.to_uppercase().count() == 1 && c.is_lowercase()).then_some((at, c))
}

/// Capitalizes letters until their share is between two percentages.
fn shared(rendered: &Rendered, low: f64, high: f64) -> String {
    let small = change(rendered, |c| c.to_lowercase().collect());
    let upper = small.chars().filter(|c| c.is_uppercase()).count();
    let lower = small.chars().filter(|c| c.is_lowercase()).count();
    let all = (upper + lower) as f64;
    let middle = libm::round(all * (low + high) / 200.0) as usize;
    let mut wanted = middle.saturating_sub(upper);
    // First the starts of sentences, as far as allowed, then complete words from the front.
    let mut capital: Vec<bool> = vec![false; small.len()];
    let mut mark = |at: usize, c: char, wanted: &mut usize| {
        // Only letters whose capital has the same length are used.
        let mut raised = c.to_uppercase();
        let one = raised.next().filter(|_| raised.next().is_none());
        let same = one.is_some_and(|one| one.is_uppercase() && one.len_utf8() == c.len_utf8());
        let fixed = rendered.fixed.iter().any(|range| range.contains(&at));
        if *wanted > 0 && c.is_lowercase() && same && !fixed && !capital[at] {
            capital[at] = true;
            *wanted -= 1;
        }
    };
    // Tags keep one case: raising one letter of a pair would break it.
    let skipped = markup(&small);
    if low + high > 100.0 {
        for (at, c) in small.char_indices() {
            if skipped.iter().any(|range| range.contains(&at)) {
                mark(at, c, &mut wanted);
            }
        }
    }
    if small.len() == rendered.text.len() {
        for start in &rendered.starts {
            if let Some((at, c)) = first_letter(rendered, *start) {
                mark(at, c, &mut wanted);
            }
        }
    }
    for (at, c) in small.char_indices() {
        if !skipped.iter().any(|range| range.contains(&at)) {
            mark(at, c, &mut wanted);
        }
    }
    small
        .char_indices()
        .map(|(at, c)| if capital[at] { c.to_uppercase().next().unwrap_or(c) } else { c })
        .collect()
}

fn markup(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find('<')).map(|offset| at + offset)
    {
        let tag = text
            .get(start + 1..)
            .is_some_and(|rest| rest.starts_with(|c: char| c == '/' || c.is_ascii_alphabetic()));
        let end = text
            .get(start..)
            .and_then(|rest| rest.find('>'))
            .map_or(text.len(), |end| start + end + 1);
        if tag {
            found.push(start..end);
            at = end;
        } else {
            at = start + 1;
        }
    }
    found
}
