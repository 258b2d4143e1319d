//! Tokens of what a response says: words, numbers in digits and marks, without the marks of its
//! layout.
//!
//! Emphasis, list marks, headings, HTML tags and LaTeX commands are read and dropped. Typographic
//! variants of a character are one token. A table is read as its rows, with the header before each
//! cell: `| Team | Points |` over `| Gulls | 101 |` is `Team: Gulls | Points: 101`.

use std::ops::Range;

use unicode_normalization::char::{compose, is_combining_mark};

use crate::content::HiddenElements;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A run of letters of a script with blanks between words, with inner apostrophes.
    Word,
    /// Digits with separators: `1,234.5`.
    Digits,
    /// One Chinese character or one character of kana.
    Han,
    /// Any other visible character, or a line end.
    Mark,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    /// In small letters; a mark is one character.
    pub text: String,
    pub kind: TokenKind,
    /// Bytes of the response.
    pub place: Range<usize>,
    /// Whether a blank or a line end precedes it.
    pub spaced: bool,
    pub is_capital: bool,
    pub is_bold: bool,
    /// Struck through, which takes it back.
    pub is_struck: bool,
    /// Inside `\boxed{…}`.
    pub is_boxed: bool,
    /// The number of a list item.
    pub is_ordinal: bool,
    /// `Jarvis's`, as `jarvis`.
    pub is_possessive: bool,
}

impl Token {
    pub fn mark(&self) -> Option<char> {
        match self.kind {
            TokenKind::Mark => self.text.chars().next(),
            _ => None,
        }
    }

    pub fn is_mark(&self, mark: char) -> bool {
        self.mark() == Some(mark)
    }

    pub fn is_word(&self) -> bool {
        matches!(self.kind, TokenKind::Word | TokenKind::Han)
    }

    pub fn is_digits(&self) -> bool {
        self.kind == TokenKind::Digits
    }

    /// Whether it is only digits.
    pub fn whole_number(&self) -> Option<u32> {
        if self.is_digits() { self.text.parse().ok() } else { None }
    }
}

/// The end of a line.
pub(super) const LINE_END: char = '\n';
/// The end of a line that a blank line follows.
pub(super) const PARAGRAPH_END: char = '\u{b}';
/// Between two cells of a table, or two items of a line.
pub(super) const CELL: char = '|';

/// The tokens of a text.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut scanner = TokenScanner {
        text,
        at: 0,
        tokens: Vec::new(),
        spaced: true,
        bold: 0,
        is_struck: false,
        boxed: Vec::new(),
        hidden: HiddenElements::default(),
    };
    scanner.run();
    laid_out(unquoted(scanner.tokens))
}

/// The tokens without a pair of quotation marks around all of them: `"30"` is 30.
fn unquoted(mut tokens: Vec<Token>) -> Vec<Token> {
    let is_quote = |token: &Token| token.is_mark('"');
    let first = tokens.iter().position(|token| !token.is_mark(LINE_END));
    let last = tokens.iter().rposition(|token| !token.is_mark(LINE_END) && !token.is_mark('.'));
    if let (Some(first), Some(last)) = (first, last)
        && is_quote(&tokens[first])
        && is_quote(&tokens[last])
        && tokens.iter().filter(|token| is_quote(token)).count() == 2
    {
        tokens.remove(last);
        tokens.remove(first);
    }
    tokens
}

pub(super) fn is_han(c: char) -> bool {
    matches!(u32::from(c),
        0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF
        | 0x3007)
}

/// One form for variants of a character.
fn fold(c: char) -> char {
    match c {
        '‘' | '’' | '‚' | '‛' | '′' | 'ʼ' | '´' | '＇' => '\'',
        '“' | '”' | '„' | '‟' | '″' | '«' | '»' | '‹' | '›' | '「' | '」' | '『' | '』' | '《'
        | '》' | '〈' | '〉' => '"',
        '‐' | '‑' | '‒' | '–' | '−' | '﹣' => '-',
        '―' => '—',
        '。' | '｡' => '.',
        '〜' => '~',
        '∶' | '꞉' => ':',
        '‧' | '・' => '·',
        '時' => '时',
        '點' => '点',
        '【' | '〔' => '[',
        '】' | '〕' => ']',
        '∗' | '⋅' | '✕' => '×',
        '✖' => '✗',
        '➜' | '➔' | '⇒' | '➡' | '⟶' => '→',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        _ => c,
    }
}

/// Characters that show nothing.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{61c}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Tags between which lines end, and tags of cells.
const LINE_TAGS: &[&str] = &[
    "br", "p", "li", "tr", "div", "ul", "ol", "table", "h1", "h2", "h3", "h4", "hr", "summary",
    "小结",
];

struct TokenScanner<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<Token>,
    spaced: bool,
    /// How many bold spans are open.
    bold: usize,
    is_struck: bool,
    /// The depth of braces in each open `\boxed{`.
    boxed: Vec<usize>,
    hidden: HiddenElements,
}

impl TokenScanner<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn run(&mut self) {
        while let Some(c) = self.rest().chars().next() {
            self.step(c);
        }
    }

    fn push(&mut self, text: String, kind: TokenKind, place: Range<usize>, is_capital: bool) {
        self.tokens.push(Token {
            text,
            kind,
            place,
            spaced: self.spaced,
            is_capital,
            is_bold: self.bold > 0,
            is_struck: self.is_struck,
            is_boxed: !self.boxed.is_empty(),
            is_ordinal: false,
            is_possessive: false,
        });
        self.spaced = false;
    }

    fn push_mark(&mut self, mark: char, length: usize) {
        let place = self.at..self.at + length;
        self.at += length;
        self.push(mark.to_string(), TokenKind::Mark, place, false);
        if mark == LINE_END {
            self.spaced = true;
        }
    }

    fn skip(&mut self, length: usize) {
        self.at += length;
    }

    fn starts_line(&self) -> bool {
        self.tokens.last().is_none_or(|token| token.is_mark(LINE_END))
    }

    fn step(&mut self, c: char) {
        let length = c.len_utf8();
        match c {
            '\r' if self.rest().starts_with("\r\n") => self.skip(1),
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => {
                // Emphasis ends with its paragraph.
                if self.starts_line() {
                    (self.bold, self.is_struck) = (0, false);
                }
                self.push_mark(LINE_END, length);
            }
            _ if c.is_whitespace() => {
                self.spaced = true;
                self.skip(length);
            }
            _ if is_hidden(c) => self.skip(length),
            '*' | '_' => self.emphasis(c),
            '~' if self.rest().starts_with("~~") => {
                self.is_struck = !self.is_struck;
                self.skip(2);
            }
            '`' => self.code_mark(),
            '<' => self.tag(),
            '&' => self.entity(),
            '\\' => self.command(),
            '$' | '{' | '}' => self.delimiter(c),
            _ => self.visible(c),
        }
    }

    fn emphasis(&mut self, c: char) {
        let run = self.rest().chars().take_while(|other| *other == c).count();
        let after = self.rest().chars().nth(run);
        let is_blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let before = self.text.get(..self.at).and_then(|text| text.chars().next_back());
        let between_digits =
            before.is_some_and(|c| c.is_ascii_digit()) && after.is_some_and(|c| c.is_ascii_digit());
        if c == '*' && run == 1 && self.starts_line() && is_blank(after) {
            self.push_mark('-', 1);
        } else if c == '*' && run == 1 && (between_digits || (is_blank(before) && is_blank(after)))
        {
            self.push_mark('×', 1);
        } else {
            if run >= 2 {
                self.bold = usize::from(self.bold == 0);
            }
            self.skip(run);
        }
    }

    /// Code marks are dropped, and the line that opens a fence.
    fn code_mark(&mut self) {
        let run = self.rest().chars().take_while(|other| *other == '`').count();
        if run >= 3 && self.starts_line() {
            let line = self.rest().find('\n').unwrap_or(self.rest().len());
            let info = self.rest().get(run..line).unwrap_or("");
            if !info.contains('`') {
                self.skip(line);
                return;
            }
        }
        self.skip(run);
    }

    fn tag(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or("");
        if rest.starts_with("<!--") {
            let end = rest.find("-->").map_or(rest.len(), |end| end + 3);
            self.skip(end);
            return;
        }
        if let Some(length) = self.hidden.length(rest) {
            self.skip(length);
            return;
        }
        let inner = rest.get(1..).unwrap_or("");
        let is_closing = inner.starts_with('/');
        let name_start = usize::from(is_closing);
        let named = inner.get(name_start..).unwrap_or("");
        let name: String = named.chars().take_while(|c| c.is_alphanumeric()).collect();
        let end = inner.find(['>', '\n', '<']);
        let Some(end) = end.filter(|end| inner[*end..].starts_with('>') && !name.is_empty()) else {
            self.visible('<');
            return;
        };
        let name = name.to_lowercase();
        match name.as_str() {
            "b" | "strong" => self.bold = usize::from(!is_closing),
            "s" | "del" | "strike" => self.is_struck = !is_closing,
            "td" | "th" if !is_closing => {
                self.push_mark(CELL, 0);
            }
            _ if LINE_TAGS.contains(&name.as_str()) => self.push_mark(LINE_END, 0),
            _ => {}
        }
        self.spaced |=
            !matches!(name.as_str(), "b" | "strong" | "i" | "em" | "code" | "sup" | "sub");
        self.skip(end + 2);
    }

    fn entity(&mut self) {
        for (name, mark) in [
            ("&nbsp;", ' '),
            ("&amp;", '&'),
            ("&lt;", '<'),
            ("&gt;", '>'),
            ("&quot;", '"'),
            ("&#39;", '\''),
        ] {
            if self.rest().starts_with(name) {
                if mark == ' ' {
                    self.spaced = true;
                    self.skip(name.len());
                } else {
                    self.push_mark(mark, name.len());
                }
                return;
            }
        }
        self.visible('&');
    }

    /// A command of LaTeX.
    fn command(&mut self) {
        let rest = self.rest().get(1..).unwrap_or("");
        let name: String = rest.chars().take_while(char::is_ascii_alphabetic).collect();
        let length = 1 + name.len();
        match name.as_str() {
            "" => match rest.chars().next() {
                Some(c @ ('$' | '%' | '#' | '&' | '_' | '*' | '[' | ']')) => {
                    // An escaped mark; `\[` and `\]` enclose a formula.
                    if matches!(c, '[' | ']') {
                        self.spaced = true;
                        self.skip(2);
                    } else {
                        self.skip(1);
                        self.push_mark(c, 1);
                    }
                }
                Some(c) if c.is_ascii_punctuation() || c == ' ' => self.skip(1 + c.len_utf8()),
                _ => self.skip(1),
            },
            "boxed" | "fbox" => {
                self.skip(length);
                if self.rest().starts_with('{') {
                    self.skip(1);
                    self.boxed.push(0);
                }
            }
            "times" | "cdot" => self.push_mark('×', length),
            "div" => self.push_mark('÷', length),
            "approx" | "sim" => self.push_mark('≈', length),
            "geq" | "ge" => self.push_mark('≥', length),
            "leq" | "le" => self.push_mark('≤', length),
            "to" | "rightarrow" | "Rightarrow" => self.push_mark('→', length),
            _ => self.skip(length),
        }
    }

    /// Braces of LaTeX, and the dollar, which is a currency before a digit.
    fn delimiter(&mut self, c: char) {
        match (c, self.boxed.last_mut()) {
            ('{', Some(depth)) => *depth += 1,
            ('}', Some(0)) => {
                self.boxed.pop();
            }
            ('}', Some(depth)) => *depth -= 1,
            _ => {}
        }
        if c != '$' {
            self.spaced = true;
        }
        self.skip(1);
    }

    fn visible(&mut self, c: char) {
        let folded = fold(c);
        if folded.is_ascii_digit() {
            self.digits();
        } else if is_han(c) {
            let place = self.at..self.at + c.len_utf8();
            self.at = place.end;
            self.push(folded.to_string(), TokenKind::Han, place, false);
        } else if folded.is_alphabetic() {
            self.word();
        } else if c == '\u{20e3}' {
            // The frame of a keycap numbers an item.
            if let Some(number) = self.tokens.last_mut() {
                number.is_ordinal = true;
            }
            self.skip(c.len_utf8());
            self.spaced = true;
        } else if let 0x2460..=0x2473 | 0x2776..=0x277f = u32::from(c) {
            self.spaced = true;
            self.skip(c.len_utf8());
        } else if c == '✖' && self.is_between_digits(c) {
            self.push_mark('×', c.len_utf8());
        } else if c == '…' {
            self.push_mark('.', c.len_utf8());
        } else {
            self.push_mark(folded, c.len_utf8());
        }
    }

    /// Whether the tokens around a character are digits.
    fn is_between_digits(&self, c: char) -> bool {
        let after = self.rest().trim_start_matches([c, '\u{fe0f}', ' ']);
        self.tokens.last().is_some_and(Token::is_digits)
            && after.starts_with(|c: char| c.is_ascii_digit())
    }

    fn digits(&mut self) {
        let start = self.at;
        let mut text = String::new();
        let mut end = start;
        let mut chars = self.rest().char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            // `1{,}250` and `1\,250` of LaTeX.
            let rest = self.rest().get(at..).unwrap_or("");
            let group = ["{,}", "{.}", "\\,"].into_iter().find(|group| rest.starts_with(group));
            if let Some(group) = group
                && self.groups_thousands(&text, at + group.len())
            {
                text.push(' ');
                chars.nth(group.len() - 2);
                continue;
            }
            let folded = fold(c);
            // A full-width comma separates clauses.
            let separates = matches!(
                c,
                ',' | '.' | '\'' | '’' | '_' | '\u{a0}' | '\u{202f}' | '\u{2009}' | ' '
            ) && chars.peek().is_some_and(|(_, next)| fold(*next).is_ascii_digit());
            if folded.is_ascii_digit() {
                text.push(folded);
            } else if separates
                && (!c.is_whitespace() || self.groups_thousands(&text, at + c.len_utf8()))
            {
                text.push(if c.is_whitespace() { ' ' } else { folded });
            } else {
                break;
            }
            end = start + at + c.len_utf8();
        }
        self.at = end;
        self.push(text, TokenKind::Digits, start..end, false);
    }

    /// Whether three digits and no more follow a blank after one to three digits: `90 000`.
    fn groups_thousands(&self, before: &str, at: usize) -> bool {
        let group = before.rsplit(' ').next().unwrap_or(before);
        let is_first = group.len() == before.len();
        let fits = group.bytes().all(|byte| byte.is_ascii_digit())
            && if is_first {
                (1..=3).contains(&group.len()) && !group.starts_with('0')
            } else {
                group.len() == 3
            };
        let rest = self.rest().get(at..).unwrap_or("");
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let next = rest.get(digits..).and_then(|rest| rest.chars().next());
        fits && digits == 3 && !next.is_some_and(|c| matches!(c, ':' | '%'))
    }

    fn word(&mut self) {
        let start = self.at;
        let mut text = String::new();
        let mut last = None;
        let mut is_capital = false;
        let mut end = start;
        let mut chars = self.rest().char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if is_combining_mark(c) {
                let composed = last.and_then(|last| compose(last, c));
                if let Some(composed) = composed {
                    text.pop();
                    text.push(composed);
                    last = Some(composed);
                }
            } else if is_hidden(c) {
                // Invisible, so it is inside the word.
            } else if fold(c).is_alphabetic() && !is_han(c) {
                let folded = fold(c);
                is_capital |= text.is_empty() && folded.is_uppercase();
                let small = folded.to_lowercase().next().unwrap_or(folded);
                text.push(small);
                last = Some(small);
            } else if fold(c) == '\''
                && chars.peek().is_some_and(|(_, next)| next.is_alphabetic() && !is_han(*next))
            {
                text.push('\'');
                last = None;
            } else {
                break;
            }
            end = start + at + c.len_utf8();
        }
        self.at = end;
        // A possessive is the name itself. `Jarvis'` has its mark after the word.
        let mut is_possessive = text.ends_with('s')
            && self.rest().starts_with(['\'', '’'])
            && self.rest().chars().nth(1).is_some_and(char::is_whitespace);
        for ending in ["'s", "'"] {
            if let Some(stem) = text.strip_suffix(ending)
                && !matches!(
                    stem,
                    "it" | "that" | "there" | "here" | "what" | "who" | "let" | "he" | "she"
                )
            {
                text.truncate(stem.len());
                is_possessive = true;
            }
        }
        self.push(text, TokenKind::Word, start..end, is_capital);
        if let Some(word) = self.tokens.last_mut() {
            word.is_possessive = is_possessive;
        }
    }
}

/// The tokens without list marks, headings and quotation bars, and with tables as rows.
fn laid_out(tokens: Vec<Token>) -> Vec<Token> {
    let mut lines: Vec<Vec<Token>> = vec![Vec::new()];
    for token in tokens {
        if token.is_mark(LINE_END) {
            if let Some(line) = lines.last_mut() {
                line.push(token);
            }
            lines.push(Vec::new());
        } else if let Some(line) = lines.last_mut() {
            line.push(token);
        }
    }
    number_items(&mut lines);
    let mut result: Vec<Token> = Vec::new();
    let mut header: Option<Vec<Vec<Token>>> = None;
    let mut lines = lines.into_iter().peekable();
    while let Some(line) = lines.next() {
        if is_delimiter_row(&line) {
            continue;
        }
        let opens_table = lines.peek().is_some_and(|next| is_delimiter_row(next));
        if opens_table {
            header = Some(cells(&line));
            continue;
        }
        if !line.iter().any(|token| token.is_mark(CELL)) {
            header = None;
        }
        if line.iter().all(|token| token.is_mark(LINE_END)) {
            // A blank line ends the paragraph.
            if let Some(last) = result.last_mut().filter(|last| last.is_mark(LINE_END)) {
                last.text = PARAGRAPH_END.to_string();
            }
            continue;
        }
        match &header {
            Some(header) => add_row(&mut result, header, line),
            None => result.extend(unmarked(line)),
        }
    }
    result
}

/// A row of nothing but bars, hyphens and colons.
fn is_delimiter_row(line: &[Token]) -> bool {
    let has = |mark: char| line.iter().any(|token| token.is_mark(mark));
    has('-')
        && has(CELL)
        && line.iter().all(|token| matches!(token.mark(), Some('-' | CELL | ':' | LINE_END)))
}

fn cells(line: &[Token]) -> Vec<Vec<Token>> {
    let line: Vec<Token> = line.iter().filter(|token| !token.is_mark(LINE_END)).cloned().collect();
    let mut cells: Vec<Vec<Token>> =
        line.split(|token| token.is_mark(CELL)).map(<[Token]>::to_vec).collect();
    if cells.first().is_some_and(Vec::is_empty) {
        cells.remove(0);
    }
    if cells.last().is_some_and(Vec::is_empty) {
        cells.pop();
    }
    cells
}

/// A row of a table, each cell after its header.
fn add_row(result: &mut Vec<Token>, header: &[Vec<Token>], line: Vec<Token>) {
    let end = line.last().filter(|token| token.is_mark(LINE_END)).cloned();
    let numbers_rows = header.first().is_some_and(|title| is_row_number(title));
    for (at, cell) in cells(&line).into_iter().enumerate() {
        let Some(first) = cell.first() else { continue };
        if at == 0 && numbers_rows && cell.iter().all(|token| token.whole_number().is_some()) {
            continue;
        }
        let mark = |mark: char| Token {
            text: mark.to_string(),
            kind: TokenKind::Mark,
            place: first.place.start..first.place.start,
            spaced: false,
            is_capital: false,
            is_bold: false,
            is_struck: false,
            is_boxed: false,
            is_ordinal: false,
            is_possessive: false,
        };
        if at > 0 {
            result.push(mark(CELL));
        }
        if let Some(title) = header.get(at).filter(|title| !title.is_empty()) {
            result.extend(title.iter().cloned());
            result.push(mark(':'));
        }
        result.extend(cell);
    }
    result.extend(end);
}

/// `#`, `No.`, `Nr.`: the rows are numbered.
fn is_row_number(title: &[Token]) -> bool {
    let words: Vec<&str> =
        title.iter().filter(|token| !token.is_mark('.')).map(|token| token.text.as_str()).collect();
    matches!(words.as_slice(), ["#" | "№" | "no" | "nr" | "row" | "zeile"] | ["序", "号"])
}

const BULLETS: [char; 14] = ['-', '•', '+', '◦', '▪', '·', '→', '✓', '✔', '✅', '●', '○', '■', '►'];

/// What a German ordinal with a full stop precedes.
pub(super) const AFTER_ORDINALS: &[&str] =
    &["viertel", "drittel", "quartal", "halbzeit", "abschnitt", "minute", "platz", "mal", "stelle"];

/// A line without its marks of layout.
fn unmarked(line: Vec<Token>) -> Vec<Token> {
    let mut start = 0;
    while let Some(mark) = line.get(start).and_then(Token::mark) {
        let next_spaced = line.get(start + 1).is_some_and(|next| next.spaced);
        let is_layout = match mark {
            '>' | '#' => true,
            _ => BULLETS.contains(&mark) && next_spaced,
        };
        if !is_layout {
            break;
        }
        start += 1;
    }
    let number = line.get(start).filter(|token| token.is_ordinal).is_some();
    if number {
        start += 1;
        while line
            .get(start)
            .is_some_and(|token| matches!(token.mark(), Some('.' | ')' | '、' | ':')))
        {
            start += 1;
        }
    }
    let mut rest = line.into_iter().skip(start).collect::<Vec<_>>();
    if let Some(first) = rest.first_mut() {
        first.spaced = true;
    }
    rest
}

/// The mark before a token of a line: `Jarvis. 1) the Gulls, 2) the Cranes`.
fn before_item(lines: &[Vec<Token>], row: usize, at: usize) -> Option<char> {
    lines.get(row)?.get(at.checked_sub(1)?)?.mark()
}

/// Finds the numbers of list items, at the start of lines and in a line (`1. Mara, 2. Ole`): they
/// count from 1, or go on from the item before.
fn number_items(lines: &mut [Vec<Token>]) {
    // The number, its line and its place in the line.
    let mut found: Vec<(u32, usize, usize, bool)> = Vec::new();
    for (row, line) in lines.iter().enumerate() {
        for (at, token) in line.iter().enumerate() {
            let Some(number) = token.whole_number().filter(|number| *number < 1000) else {
                continue;
            };
            let closes = line.get(at + 1).and_then(Token::mark);
            let body = line.get(at + 2);
            let has_body = body.is_some_and(|body| {
                !body.is_mark(LINE_END)
                    && (body.spaced || closes == Some('、') || body.kind == TokenKind::Han)
            });
            let is_period = body.is_some_and(|body| AFTER_ORDINALS.contains(&body.text.as_str()));
            if !matches!(closes, Some('.' | ')' | '、')) || !has_body || is_period {
                continue;
            }
            let before = at.checked_sub(1).and_then(|before| line.get(before));
            let starts_line = line
                .iter()
                .take(at)
                .all(|token| matches!(token.mark(), Some('#' | '>' | '-' | '(')));
            let in_line = before.is_some_and(|before| {
                matches!(before.mark(), Some(',' | ';' | ':' | '(' | '，'))
                    || before.is_mark('.') && closes == Some(')')
            });
            if starts_line || in_line {
                found.push((number, row, at, starts_line));
            }
        }
    }
    for index in 0..found.len() {
        let (number, row, at, starts_line) = found[index];
        // `1) Ann (1)`: the numbers of lines count among themselves.
        let is_alike = |other: &&(u32, usize, usize, bool)| other.3 == starts_line;
        let before = found[..index].iter().rfind(is_alike);
        let follows = before.is_some_and(|before| before.0 + 1 == number)
            || index.checked_sub(1).is_some_and(|last| found[last].0 + 1 == number);
        let leads =
            found[index + 1..].iter().find(is_alike).is_some_and(|next| next.0 == number + 1)
                || number == 1
                    && before_item(lines, row, at) == Some('.')
                    && found.get(index + 1).is_some_and(|next| next.0 == 2);
        let is_item =
            if number <= 1 { starts_line || leads } else { follows || (starts_line && leads) };
        if is_item && let Some(token) = lines.get_mut(row).and_then(|line| line.get_mut(at)) {
            token.is_ordinal = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        tokens(text).into_iter().map(|token| token.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn layout_is_dropped() {
        for (text, wanted) in [
            ("**Answer:** 30", "answer : 30"),
            ("# Result\n\n- 30 euros", "result \u{b} 30 euros"),
            ("1. Mara\n2. Ole", "mara \n ole"),
            ("6. That is it.", "6 . that is it ."),
            ("3 * 4 = 12", "3 × 4 = 12"),
            ("\\boxed{30}", "30"),
            ("Answer: $30$", "answer : 30"),
            ("| Team | Points |\n|---|---|\n| Gulls | 101 |", "team : gulls | points : 101"),
            ("第一节 9：30", "第 一 节 9 : 30"),
            ("90 000 and 1,234.5", "90 000 and 1,234.5"),
            ("Cafe\u{301} don’t", "café don't"),
            ("```json\n{\"answer\": 30}\n```", "\" answer \" : 30 \u{b}"),
            ("> Answer: 9", "answer : 9"),
            ("<p>30</p>", "30 \u{b}"),
            ("Ben 3, Jo 5", "ben 3 , jo 5"),
        ] {
            assert_eq!(read(text), wanted, "{text:?}");
        }
    }
}
