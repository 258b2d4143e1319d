//! The nesting depth of paired marks.

/// The greatest depth of closed pairs. A mark in `left` is closed by the one at the same index of
/// `right`; a mark that is in both, such as a straight quotation mark, closes if it is the
/// innermost open one. An unmatched closing mark resets the depth, and an apostrophe between two
/// letters is not a mark.
pub fn depth(text: &str, left: &[char], right: &[char]) -> usize {
    // The closing mark of each open mark, and the depth inside.
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut deepest = 0;
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let apostrophe = matches!(c, '\'' | '’')
            && before.is_alphabetic()
            && chars.peek().is_some_and(|behind| behind.is_alphabetic());
        before = c;
        if apostrophe {
            continue;
        }
        if let Some((closer, inside)) = open.last().copied()
            && closer == c
        {
            open.pop();
            deepest = deepest.max(inside + 1);
            if let Some((_, outer)) = open.last_mut() {
                *outer = (*outer).max(inside + 1);
            }
        } else if let Some(closer) =
            left.iter().position(|mark| *mark == c).and_then(|at| right.get(at))
        {
            open.push((*closer, 0));
        } else if right.contains(&c) {
            open.clear();
        }
    }
    deepest
}

/// The greatest number of open brackets when a bracket is closed by its partner, as in IFBench's
/// released checker: brackets that were closed before count, up to the next unmatched one.
pub fn brackets_as_released(text: &str) -> usize {
    let (mut open, mut most, mut deepest) = (Vec::new(), 0, 0);
    for c in text.chars() {
        match c {
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' if open.last() == Some(&c) => {
                open.pop();
                deepest = deepest.max(most);
            }
            ')' | ']' | '}' => {
                open.clear();
                most = 0;
            }
            _ => {}
        }
        most = most.max(open.len());
    }
    deepest
}

/// The greatest decrease in the number of open straight quotation marks, as in IFBench's released
/// checker: a mark closes if it is the innermost open one.
pub fn quotes_as_released(text: &str) -> usize {
    let (mut open, mut most, mut closed) = (Vec::new(), 0, 0);
    for c in text.chars().filter(|c| matches!(c, '"' | '\'')) {
        if open.last() == Some(&c) {
            open.pop();
            closed = closed.max(most - open.len());
        } else {
            open.push(c);
            most = most.max(open.len());
        }
    }
    closed
}

#[cfg(test)]
mod tests {
    use super::depth;

    #[test]
    fn only_closed_brackets_count() {
        let brackets = |text| depth(text, &['(', '[', '{'], &[')', ']', '}']);
        assert_eq!(brackets("(a [b {c}]) (d)"), 3);
        assert_eq!(brackets("(((((a)"), 1);
        assert_eq!(brackets("([)] (a)"), 1);
        assert_eq!(brackets(""), 0);
        let quotes = |text| depth(text, &['"', '\''], &['"', '\'']);
        assert_eq!(quotes("\"She said 'I heard \"no\", didn't I?'\""), 3);
        assert_eq!(quotes("\"a\" and \"b\""), 1);
    }

    #[test]
    fn nesting_uses_no_stack() {
        let deep = "(".repeat(100_000) + &")".repeat(100_000);
        assert_eq!(depth(&deep, &['('], &[')']), 100_000);
    }
}
