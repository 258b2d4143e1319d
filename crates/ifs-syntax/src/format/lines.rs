//! Final layout of lines: padding of first words, alignment of comments.

use super::LINE_WIDTH;
use ifs_base::source::width;

/// Longer first words are not padded for.
const MAX_ALIGNED_WIDTH: usize = 8;

#[derive(Default)]
pub(super) struct FormattedLine {
    /// Without its comment; empty for a blank line.
    pub text: String,
    pub comment: Option<String>,
    /// The range of the first word, if it is padded to those of its neighbours.
    pub word: Option<(usize, usize)>,
    /// Whether it is a line of code, which a comment can follow.
    pub code: bool,
}

impl FormattedLine {
    fn width(&self) -> usize {
        width(&self.text)
    }
}

pub(super) fn render(mut lines: Vec<FormattedLine>) -> String {
    pad(&mut lines);
    let mut text = String::new();
    for run in lines.chunk_by(|left, right| left.comment.is_some() && right.comment.is_some()) {
        let column = run.iter().map(FormattedLine::width).max().unwrap_or(0) + 2;
        for line in run {
            text.push_str(&line.text);
            if let Some(comment) = &line.comment {
                text.extend(std::iter::repeat_n(' ', column - line.width()));
                text.push_str(comment);
            }
            text.push('\n');
        }
    }
    text
}

fn pad(lines: &mut [FormattedLine]) {
    let same = |left: &FormattedLine, right: &FormattedLine| match (left.word, right.word) {
        (Some((left, _)), Some((right, _))) => left == right,
        _ => false,
    };
    for run in lines.chunk_by_mut(same) {
        let length = |line: &FormattedLine| line.word.map_or(0, |(start, end)| end - start);
        let longest = run.iter().map(length).max().unwrap_or(0);
        let fits = |line: &FormattedLine| line.width() + longest - length(line) <= LINE_WIDTH;
        if longest > MAX_ALIGNED_WIDTH || !run.iter().all(fits) {
            continue;
        }
        for line in run {
            let blanks = longest - length(line);
            if let Some((_, end)) = line.word.filter(|(_, end)| *end < line.text.len()) {
                line.text.insert_str(end, &" ".repeat(blanks));
            }
        }
    }
}
