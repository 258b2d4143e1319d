//! Responses that are a single table or list.

use super::ShapeError;
use crate::markdown::{self, LineKind};

/// One table and nothing else.
pub(super) fn check_table(text: &str) -> Result<(), ShapeError> {
    let lines = markdown::classify_lines(text);
    let mut tables = 0;
    for line in &lines {
        match line.kind {
            LineKind::TableHead => tables += 1,
            LineKind::TableDelimiter | LineKind::TableRow | LineKind::Blank => {}
            _ => {
                return Err(ShapeError::new(line.marker, "there is a line outside the table"));
            }
        }
        if tables > 1 {
            return Err(ShapeError::new(line.marker, "there is a second table"));
        }
    }
    if tables == 0 { Err(ShapeError::new(0, "there is no table")) } else { Ok(()) }
}

/// One list and nothing else, numbered or bulleted at its outermost level. Items continue in
/// indented lines and in lines directly below.
pub(super) fn check_list(text: &str, numbered: bool) -> Result<(), ShapeError> {
    let mut outermost = None;
    let mut after_blank = false;
    for line in markdown::classify_lines(text) {
        let start = text[..line.marker].rfind('\n').map_or(0, |end| end + 1);
        let indent = line.marker - start;
        let inside = outermost.is_some_and(|outer| indent > outer);
        match line.kind {
            LineKind::Item { numbered: found } => {
                if !inside && found != numbered {
                    return Err(ShapeError::new(line.marker, wrong_marker(numbered)));
                }
                outermost = Some(outermost.map_or(indent, |outer: usize| outer.min(indent)));
            }
            LineKind::Blank => {
                after_blank = true;
                continue;
            }
            LineKind::Text if inside || outermost.is_some() && !after_blank => {}
            LineKind::Code | LineKind::FenceOpen | LineKind::FenceClose if inside => {}
            _ => return Err(ShapeError::new(line.marker, "there is a line outside the list")),
        }
        after_blank = false;
    }
    match outermost {
        None => Err(ShapeError::new(0, "there is no list item")),
        Some(_) => Ok(()),
    }
}

fn wrong_marker(numbered: bool) -> &'static str {
    if numbered { "an item is bulleted, not numbered" } else { "an item is numbered, not bulleted" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_must_be_the_only_content() {
        assert_eq!(check_table("| a | b |\n|---|---|\n| 1 | 2 |\n"), Ok(()));
        assert!(check_table("Here:\n\n|a|b|\n|-|-|").is_err_and(|m| m.at == 0));
        assert!(check_table("a | b").is_err());
        assert!(check_table("").is_err_and(|m| m.why == "there is no table"));
    }

    #[test]
    fn lists_must_be_the_only_content() {
        assert_eq!(check_list("- a\n  1. b\n\n  more\n- c\nlazy", false), Ok(()));
        assert_eq!(check_list("1. a\n   - b\n2. c", true), Ok(()));
        assert!(check_list("- a\n1. b", false).is_err_and(|m| m.at == 4));
        assert!(check_list("Intro:\n- a", false).is_err_and(|m| m.at == 0));
        assert!(check_list("- a\n\nOutro", false).is_err_and(|m| m.at == 5));
        assert!(check_list("", true).is_err());
    }
}
