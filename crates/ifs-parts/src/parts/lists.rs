//! Items of lists: numbered in any common style, or with bullets.

/// The marker of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marker {
    Number,
    Bullet,
    /// A heading with a number.
    Heading,
}

/// The items of numbered lists. Where a text has none, numbered headings are the items.
pub(super) fn numbered(text: &str) -> Vec<&str> {
    let found = items(text, Marker::Number);
    if found.is_empty() { items(text, Marker::Heading) } else { found }
}

/// The items of bulleted lists. A number at the same level ends an item.
pub(super) fn bullets(text: &str) -> Vec<&str> {
    items(text, Marker::Bullet)
}

/// The text of each line, without an item's marker.
pub(super) fn lines(text: &str) -> Vec<&str> {
    let said = |line: &'_ str| -> bool { !is_heading(line) && !is_fence(line) && !is_rule(line) };
    line_ranges(text)
        .map(|(start, end)| text[start..end].trim())
        .filter(|line| !line.is_empty() && said(line))
        .map(|line| unmarked(line).trim_start())
        .filter(|line| !line.is_empty())
        .collect()
}

/// A fenced block without its fences.
pub(super) fn unfenced(block: &str) -> &str {
    let inside = block.find('\n').map_or("", |at| &block[at + 1..]);
    let last = inside.trim_end().rfind('\n').map_or(0, |at| at + 1);
    if is_fence(inside[last..].trim()) { &inside[..last] } else { inside }
}

struct OpenList {
    start: usize,
    end: usize,
    indent: usize,
}

fn items(text: &str, wanted: Marker) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    let mut open: Option<OpenList> = None;
    let mut blank = false;
    for (start, end) in line_ranges(text) {
        let raw = &text[start..end];
        let line = raw.trim();
        if line.is_empty() {
            blank = true;
            continue;
        }
        let after_blank = std::mem::take(&mut blank);
        let lead = raw.len() - raw.trim_start().len();
        let indent = indent(&raw[..lead]);
        let deeper = open.as_ref().is_some_and(|item| indent >= item.indent + 2);
        match marker(line) {
            Some((kind, skip)) if kind == wanted && !deeper => {
                found.extend(closed(text, &mut open));
                let content = start + lead + skip;
                open = Some(OpenList { start: content, end: start + lead + line.len(), indent });
                continue;
            }
            Some((Marker::Number, _)) if wanted == Marker::Bullet && !deeper => {
                found.extend(closed(text, &mut open));
                continue;
            }
            _ => {}
        }
        let ends = is_heading(line) || is_rule(line) || is_fence(line) || after_blank;
        if ends && !deeper {
            found.extend(closed(text, &mut open));
        } else if let Some(item) = &mut open {
            item.end = start + lead + line.len();
        }
    }
    found.extend(closed(text, &mut open));
    found
}

/// The open item, which ends here.
fn closed<'t>(text: &'t str, open: &mut Option<OpenList>) -> Option<&'t str> {
    open.take().map(|item| text[item.start..item.end].trim())
}

/// The ranges of lines, which end with LF, CR LF or CR.
fn line_ranges(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let start = at;
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        at = start + length + 1;
        if rest[length..].starts_with("\r\n") {
            at += 1;
        }
        Some((start, start + length))
    })
}

fn indent(blanks: &str) -> usize {
    blanks
        .chars()
        .map(|c| match c {
            '\t' => 4,
            '\u{3000}' => 2,
            _ => 1,
        })
        .sum()
}

pub(super) fn is_heading(line: &str) -> bool {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    (1..=6).contains(&level) && line[level..].starts_with([' ', '\t'])
}

fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// `---`, `***`, `* * *`, `___`
fn is_rule(line: &str) -> bool {
    let mut marks = line.chars().filter(|c| !c.is_whitespace());
    let Some(first @ ('-' | '*' | '_' | '—')) = marks.next() else { return false };
    let mut count = 1;
    for mark in marks {
        if mark != first {
            return false;
        }
        count += 1;
    }
    count >= 3
}

/// The text without an item's marker, if it has one.
pub(super) fn unmarked(line: &str) -> &str {
    marker(line).map_or(line, |(_, skip)| &line[skip..])
}

/// Whether a line begins with a Chinese numeral and `、`, like a heading.
pub(super) fn is_numeral_heading(line: &str) -> bool {
    let rest = line.trim_start_matches(is_numeral);
    rest.len() < line.len() && rest.starts_with('、') && line.chars().count() <= 40
}

/// The marker of a trimmed line, and its length in bytes with the blanks after it.
fn marker(line: &str) -> Option<(Marker, usize)> {
    let (kind, rest) = match number(line) {
        Some(rest) => (Marker::Number, rest),
        None => match bullet(line) {
            Some(rest) => (Marker::Bullet, rest),
            None if is_heading(line) => {
                (Marker::Heading, number(line.trim_start_matches('#').trim_start())?)
            }
            None => return None,
        },
    };
    let content = rest.trim_start();
    Some((kind, line.len() - content.len()))
}

/// The text after a bullet. ASCII bullets require a blank: `-5` and `*a*` are not items.
fn bullet(line: &str) -> Option<&str> {
    let mut chars = line.chars();
    let first = chars.next()?;
    let rest = chars.as_str();
    match first {
        '-' | '*' | '+' | '–' | '—' if rest.is_empty() || rest.starts_with(char::is_whitespace) => {
            (!is_rule(line)).then_some(rest)
        }
        '•' | '●' | '○' | '◦' | '▪' | '■' | '◆' | '·' | '・' | '‣' | '⁃' => {
            Some(rest)
        }
        _ => None,
    }
}

/// The text after a number and its punctuation. Both may be in bold.
fn number(line: &str) -> Option<&str> {
    let (line, bold) = match line.strip_prefix("**") {
        Some(rest) => (rest, true),
        None => (line, false),
    };
    let rest = plain_number(line).or_else(|| labelled_number(line, bold))?;
    Some(if bold { rest.strip_prefix("**").unwrap_or(rest) } else { rest })
}

/// Words that number an item, in small letters.
const LABELS: [&str; 14] = [
    "step", "tip", "point", "item", "part", "phase", "stage", "no.", "schritt", "punkt", "teil",
    "nr.", "步骤", "步驟",
];

/// The text after `Step 1:`.
fn labelled_number(line: &str, bold: bool) -> Option<&str> {
    let lower = line.chars().take(12).collect::<String>().to_lowercase();
    let label = LABELS.iter().find(|label| lower.starts_with(**label))?;
    let rest = digits_or_numerals(line.get(label.len()..)?.trim_start())?;
    let closed = rest.strip_prefix("**").filter(|_| bold);
    closed
        .and_then(|rest| rest.strip_prefix([':', '：', '.']))
        .or_else(|| rest.strip_prefix([':', '：', '.', ')']))
        .or_else(|| rest.trim_start().strip_prefix(['–', '—', '-']))
        .or(closed)
}

fn digits_or_numerals(text: &str) -> Option<&str> {
    digits(text).or_else(|| numerals(text))
}

fn plain_number(line: &str) -> Option<&str> {
    let first = line.chars().next()?;
    if is_circled(first) {
        return Some(&line[first.len_utf8()..]);
    }
    if let Some(inside) = line.strip_prefix(['(', '（', '[', '【']) {
        let rest = digits(inside).or_else(|| numerals(inside))?;
        return rest.strip_prefix([')', '）', ']', '】']);
    }
    if let Some(inside) = line.strip_prefix('第') {
        let rest = digits(inside).or_else(|| numerals(inside))?;
        let rest = rest.trim_start_matches([
            '条', '步', '句', '首', '个', '点', '项', '则', '段', '题', '章', '节',
        ]);
        return rest.strip_prefix(['：', ':', '、', '，', '.', '．']);
    }
    if let Some(rest) = digits(line) {
        // A keycap.
        if let Some(rest) = rest.trim_start_matches('\u{fe0f}').strip_prefix('\u{20e3}') {
            return Some(rest);
        }
        let after = rest.strip_prefix(['.', ')', '、', '．', '）', '：', ':'])?;
        // `3.5 metres` and `12:30` are not items.
        let is_decimal =
            rest.starts_with(['.', ':']) && after.starts_with(|c: char| c.is_ascii_digit());
        return (!is_decimal).then_some(after);
    }
    numerals(line)?.strip_prefix(['、', '．', '.'])
}

/// The text after one to three digits.
fn digits(line: &str) -> Option<&str> {
    let is_digit = |c: char| c.is_ascii_digit() || ('０'..='９').contains(&c);
    let rest = line.trim_start_matches(is_digit);
    let count = line[..line.len() - rest.len()].chars().count();
    (1..=3).contains(&count).then_some(rest)
}

/// The text after one to five Chinese numerals.
fn numerals(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(is_numeral);
    let count = line[..line.len() - rest.len()].chars().count();
    (1..=5).contains(&count).then_some(rest)
}

fn is_numeral(c: char) -> bool {
    "〇零一二三四五六七八九十百".contains(c)
}

fn is_circled(c: char) -> bool {
    matches!(c, '①'..='⑳' | '㉑'..='㉟' | '㊱'..='㊿' | '❶'..='❿')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_all_their_forms() {
        let text = "1. a\n2) b\n（3） c\n四、d\n⑤e\n第六条：f\n７．g\n**8.** h\n[9] i\n十一、j\n12.k\n13、l";
        assert_eq!(numbered(text), ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]);
    }

    #[test]
    fn labels_keycaps_and_headings_number_items() {
        let text = "Step 1: a\n**Step 2:** b\n**Step 3**: c\nSchritt 4 – d\n步骤五：e\n6\u{fe0f}\u{20e3} f\nNo. 7: g";
        assert_eq!(numbered(text), ["a", "b", "c", "d", "e", "f", "g"]);
        assert_eq!(numbered("# Tea\n### 1. a\n### 2. b\ngoes on"), ["a", "b\ngoes on"]);
        assert_eq!(numbered("## 1. Casual\n1. a\n2. b\n## 2. Formal\n1. c"), ["a", "b", "c"]);
        assert_eq!(numbered("Step by step\nStep 1 is hard\nNo. 5"), [""; 0]);
        assert_eq!(lines("Step 1: a\n## 2. T\nb"), ["a", "b"]);
    }

    #[test]
    fn numbers_that_are_no_markers() {
        let text = "3.5 metres\n12:30 lunch\n2024. A year\n一心一意\n(see 3) x\n- 1 a";
        assert_eq!(numbered(text), [""; 0]);
    }

    #[test]
    fn indented_lines_belong_to_the_item_above() {
        let text =
            "Intro:\n1. a\n   - a1\n   - a2\n2. b\n   1. b1\n\n   more of b\n\nThat is all.\n3. c";
        assert_eq!(numbered(text), ["a\n   - a1\n   - a2", "b\n   1. b1\n\n   more of b", "c"]);
        assert_eq!(
            bullets("* a\n\t* a1\n* b\ngoes on\n\n* c\n## End\nx"),
            ["a\n\t* a1", "b\ngoes on", "c"]
        );
    }

    #[test]
    fn line_ends_of_all_kinds() {
        assert_eq!(numbered("1. a\r\n2. b\r\n"), ["a", "b"]);
        assert_eq!(bullets("- a\r- b"), ["a", "b"]);
        assert_eq!(lines("# T\r\n\r\na\r\n---\r\n- b\r\n```\r\n1. c"), ["a", "b", "c"]);
    }

    #[test]
    fn bullets_need_a_blank() {
        assert_eq!(bullets("-5 degrees\n*so*\n* * *\n• a\n·b\n- c\n+ d"), ["a", "b", "c", "d"]);
        assert_eq!(bullets("- a\n1. b\n- c"), ["a", "c"]);
    }

    #[test]
    fn fences_are_removed() {
        assert_eq!(unfenced("```json\n{}\n```"), "{}\n");
        assert_eq!(unfenced("```\nopen"), "open");
        assert_eq!(unfenced("```"), "");
    }
}
