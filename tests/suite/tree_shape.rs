//! Trees without their places: what two layouts of a program must agree in.

use ifs::diagnostic::Diagnostics;
use ifs::source::FileId;
use ifs::syntax::ast::Ast;
use ifs::syntax::parse;

pub fn read(text: &str) -> (Ast, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    let ast = parse(FileId(0), text, &mut diagnostics);
    (ast, diagnostics)
}

/// The tree without spans and parentheses, and the comments without their order.
pub fn shape(ast: &Ast) -> (String, Vec<&str>) {
    let edition = ast.edition.as_ref().map(|edition| edition.number);
    let mut comments: Vec<&str> =
        ast.comments.iter().map(|comment| comment.text.as_str()).collect();
    comments.sort_unstable();
    (strip(&format!("{edition:?} {:?}", ast.items)), comments)
}

/// Takes `span: …` and `Paren(Expr { kind: … })` out of a tree's `Debug` output.
fn strip(debug: &str) -> String {
    let paren = "Paren(Expr { kind: ";
    let mut out = String::with_capacity(debug.len());
    let mut open = Vec::new();
    let mut rest = debug;
    while let Some(letter) = rest.chars().next() {
        if letter == '"' {
            let end = string_end(rest);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        let spans = [", span: ", "span: ", ", covers: "];
        if let Some(span) = spans.iter().find_map(|name| rest.strip_prefix(name)) {
            rest = span.trim_start_matches(|letter: char| {
                ".:".contains(letter) || letter.is_ascii_digit()
            });
            continue;
        }
        if let Some(inner) = rest.strip_prefix(paren) {
            open.push(true);
            rest = inner;
            continue;
        }
        if open.last() == Some(&true)
            && let Some(behind) = skip_span(rest).strip_prefix(" })")
        {
            open.pop();
            rest = behind;
            continue;
        }
        match letter {
            '(' | '[' | '{' => open.push(false),
            ')' | ']' | '}' => _ = open.pop(),
            _ => {}
        }
        out.push(letter);
        rest = &rest[letter.len_utf8()..];
    }
    out
}

fn skip_span(rest: &str) -> &str {
    rest.strip_prefix(", span: ").map_or(rest, |span| {
        span.trim_start_matches(|letter: char| ".:".contains(letter) || letter.is_ascii_digit())
    })
}

fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[test]
fn strips_parentheses_and_places() {
    let same =
        ["let x = (a + (b)) * 2", "let  x = ((a+b))*2  // c"].map(|text| shape(&read(text).0).0);
    assert_eq!(same[0], same[1]);
    let other =
        ["let x = a + b * 2", "let x = \"Paren(Expr { kind: \""].map(|text| shape(&read(text).0).0);
    assert_ne!(same[0], other[0]);
    assert!(other[1].contains("Paren(Expr { kind: "));
}
