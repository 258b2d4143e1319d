//! A table of rows and columns, as text, Markdown and LaTeX.

use std::borrow::Cow;

use super::columns::{cut, pad_left, pad_right, truncate_start, width, wrap};
use super::document::escape;

/// Cells under a head; the first column names the rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    pub title: String,
    pub head: Vec<String>,
    pub rows: Vec<Vec<GridCell>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GridCell {
    pub text: String,
    /// Whether it is the best value of its column.
    pub is_best: bool,
}

impl GridCell {
    #[must_use]
    pub fn plain(text: impl Into<String>) -> GridCell {
        GridCell { text: text.into(), is_best: false }
    }
}

/// The mark of the best value of a metric on a terminal, without bold text.
const BEST_MARK: &str = "*";
/// The maximum width of the first column.
const MAX_NAME_WIDTH: usize = 28;
/// The width of the text of an `article`, in digits of its font.
const LATEX_WIDTH: usize = 66;

impl Grid {
    /// Transposes the table. The title stays.
    #[must_use]
    pub fn transpose(&self) -> Grid {
        let corner = self.head.first().cloned().unwrap_or_default();
        let names = self.rows.iter().filter_map(|row| row.first()).map(|cell| cell.text.clone());
        let cell = |row: &Vec<GridCell>, at: usize| row.get(at).cloned().unwrap_or_default();
        let row = |(at, name): (usize, &String)| {
            let cells = self.rows.iter().map(|row| cell(row, at));
            std::iter::once(GridCell::plain(name)).chain(cells).collect()
        };
        Grid {
            title: self.title.clone(),
            head: std::iter::once(corner).chain(names).collect(),
            rows: self.head.iter().enumerate().skip(1).map(row).collect(),
        }
    }

    /// Lines of at most this many columns. The table is transposed if that takes fewer pieces, and
    /// split into several pieces, one below the other, if it is still too wide.
    #[must_use]
    pub fn text(&self, columns: usize) -> String {
        self.best_orientation(columns).lines(columns)
    }

    /// The table, or its transpose if that takes fewer pieces.
    fn best_orientation(&self, columns: usize) -> Cow<'_, Grid> {
        let turned = self.transpose();
        match turned.pieces(columns).len() < self.pieces(columns).len() {
            true => Cow::Owned(turned),
            false => Cow::Borrowed(self),
        }
    }

    fn lines(&self, columns: usize) -> String {
        let mut text = wrap(&self.title, columns).join("\n") + "\n";
        let names = self.name_width(columns);
        for (at, piece) in self.pieces(columns).into_iter().enumerate() {
            if at > 0 {
                text.push('\n');
            }
            let mut line = |cells: &mut dyn Iterator<Item = String>, name: &str| {
                let cells: String = cells.collect();
                // Paths such as `content.word_count.exact` differ at their ends.
                let name =
                    if name.contains('.') { truncate_start(name, names) } else { cut(name, names) };
                let line = format!("  {}{cells}", pad_right(&name, names));
                text.push_str(line.trim_end());
                text.push('\n');
            };
            let head = |at: &usize| {
                pad_left(self.head.get(*at).map_or("", String::as_str), self.column_width(*at))
            };
            line(&mut piece.iter().map(head), self.head.first().map_or("", String::as_str));
            for row in &self.rows {
                let cell = |at: &usize| pad_left(&cell_text(row.get(*at)), self.column_width(*at));
                line(&mut piece.iter().map(cell), row.first().map_or("", |cell| &cell.text));
            }
        }
        text
    }

    /// The columns of each piece.
    fn pieces(&self, columns: usize) -> Vec<Vec<usize>> {
        let room = columns.saturating_sub(2 + self.name_width(columns));
        let mut pieces: Vec<Vec<usize>> = Vec::new();
        let mut used = usize::MAX;
        for at in 1..self.head.len() {
            let wide = self.column_width(at);
            used = used.saturating_add(wide);
            match pieces.last_mut() {
                Some(piece) if used <= room => piece.push(at),
                _ => {
                    used = wide;
                    pieces.push(vec![at]);
                }
            }
        }
        pieces
    }

    /// The width of the first column.
    fn name_width(&self, columns: usize) -> usize {
        let names = self.rows.iter().filter_map(|row| row.first()).map(|cell| width(&cell.text));
        let corner = self.head.first().map_or(0, |corner| width(corner));
        let others: usize = (1..self.head.len()).map(|at| self.column_width(at)).sum();
        let most = columns.saturating_sub(2 + others).max(MAX_NAME_WIDTH);
        names.max().unwrap_or(0).max(corner).min(most)
    }

    /// The width of a column, with the two spaces before it.
    fn column_width(&self, at: usize) -> usize {
        let cells = self.rows.iter().map(|row| width(&cell_text(row.get(at))));
        let head = self.head.get(at).map_or(0, |head| width(head));
        cells.max().unwrap_or(0).max(head).min(MAX_NAME_WIDTH) + 2
    }

    #[must_use]
    pub fn markdown(&self) -> String {
        let escaped = |text: &str| text.replace('\\', "\\\\").replace('|', "\\|");
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = format!("**{}**\n\n", escaped(&self.title));
        text.push_str(&line(self.head.iter().map(|head| escaped(head)).collect()));
        let rule = |at: usize| if at == 0 { "---" } else { "---:" }.to_owned();
        text.push_str(&line((0..self.head.len()).map(rule).collect()));
        for row in &self.rows {
            let cell = |cell: &GridCell| match cell.is_best {
                true => format!("**{}**", escaped(&cell.text)),
                false => escaped(&cell.text),
            };
            text.push_str(&line(row.iter().map(cell).collect()));
        }
        text
    }

    /// A title and a table that scrolls where it is wider than the page.
    #[must_use]
    pub fn html(&self) -> String {
        let mut text = format!(
            "<h2>{0}</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\">\
             <table class=\"grid\"><thead><tr>",
            escape(&self.title)
        );
        for (at, head) in self.head.iter().enumerate() {
            if head.is_empty() {
                text.push_str("<td></td>");
                continue;
            }
            let class = if at == 0 { "" } else { " class=\"number\"" };
            text.push_str(&format!("<th{class} scope=\"col\">{}</th>", escape(head)));
        }
        text.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            text.push_str("<tr>");
            for (at, cell) in row.iter().enumerate() {
                let shown = escape(&cell.text);
                text.push_str(&match (at, cell.is_best) {
                    (0, _) => format!("<th scope=\"row\">{shown}</th>"),
                    (_, true) => format!("<td class=\"number\"><b>{shown}</b></td>"),
                    (_, false) => format!("<td class=\"number\">{shown}</td>"),
                });
            }
            text.push_str("</tr>\n");
        }
        text.push_str("</tbody></table></div>\n");
        text
    }

    /// A LaTeX `table` as wide as the text of an `article`, which needs the package `booktabs`. Like
    /// `text`, it is transposed or split into several `tabular`s if it is too wide.
    #[must_use]
    pub fn latex(&self) -> String {
        let grid = self.best_orientation(LATEX_WIDTH);
        let tabular = |piece: &Vec<usize>| grid.tabular(piece);
        let pieces: Vec<String> = grid.pieces(LATEX_WIDTH).iter().map(tabular).collect();
        let caption = escape_latex(&self.title);
        format!(
            "\\begin{{table}}\n\\centering\n{}\\caption{{{caption}}}\n\\end{{table}}\n",
            pieces.join("\n\\medskip\n")
        )
    }

    /// The first column and these as a LaTeX `tabular`.
    fn tabular(&self, piece: &[usize]) -> String {
        let line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
        let chosen = || std::iter::once(0).chain(piece.iter().copied());
        let columns = "r".repeat(piece.len());
        let mut text = format!("\\begin{{tabular}}{{l{columns}}}\n\\toprule\n");
        let head = |at: usize| escape_latex(self.head.get(at).map_or("", String::as_str));
        text.push_str(&line(chosen().map(head).collect()));
        text.push_str("\\midrule\n");
        for row in &self.rows {
            let cell = |at: usize| match row.get(at) {
                None => String::new(),
                Some(cell) if cell.is_best => format!("\\textbf{{{}}}", escape_latex(&cell.text)),
                Some(cell) => escape_latex(&cell.text),
            };
            text.push_str(&line(chosen().map(cell).collect()));
        }
        text + "\\bottomrule\n\\end{tabular}\n"
    }
}

fn cell_text(cell: Option<&GridCell>) -> String {
    match cell {
        None => String::new(),
        Some(cell) if cell.is_best => cut(&format!("{}{BEST_MARK}", cell.text), MAX_NAME_WIDTH),
        Some(cell) => cell.text.clone(),
    }
}

fn escape_latex(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(letter);
            }
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '±' => escaped.push_str("$\\pm$"),
            '–' => escaped.push_str("--"),
            '↑' => escaped.push_str("$\\uparrow$"),
            '↓' => escaped.push_str("$\\downarrow$"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let cell = |text: &str, is_best| GridCell { text: text.to_owned(), is_best };
        Grid {
            title: "Scores".to_owned(),
            head: ["model", "ROB", "EDR_len"].map(str::to_owned).to_vec(),
            rows: vec![
                vec![GridCell::plain("a|b_c"), cell("50.0 %", true), cell("3.00", false)],
                vec![GridCell::plain("茶"), cell("–", false), cell("12.00", true)],
            ],
        }
    }

    #[test]
    fn columns_are_aligned() {
        let wanted = "Scores\n  model      ROB  EDR_len\n  a|b_c  50.0 %*     3.00\n  茶           –   12.00*\n";
        assert_eq!(grid().text(80), wanted);
    }

    #[test]
    fn wide_tables_are_transposed_or_split() {
        let many = Grid {
            head: (0..30).map(|at| format!("column {at}")).collect(),
            rows: vec![(0..30).map(|at| GridCell::plain(at.to_string())).collect()],
            ..Grid::default()
        };
        assert_eq!(many.text(60).lines().count(), 31, "turned: a line for each column");
        let square = Grid {
            rows: (0..30).map(|_| (0..30).map(|_| GridCell::plain("0.5")).collect()).collect(),
            ..many
        };
        let text = square.text(60);
        assert!(text.lines().all(|line| width(line) <= 60), "{text}");
        assert!((0..30).all(|at| text.contains(&format!("column {at}"))));
    }

    #[test]
    fn names_of_one_level_stay_distinct() {
        let name = |last: &str| format!("ability.content.word_count.{last}");
        let rows = ["several_at_once", "multiple_of_reference"];
        let grid = Grid {
            head: vec!["part".to_owned(), "a".repeat(30)],
            rows: rows.map(|row| vec![GridCell::plain(name(row)), GridCell::plain("1")]).to_vec(),
            ..Grid::default()
        };
        let text = grid.text(80);
        assert!(text.contains(&name("several_at_once")), "there is room: {text}");
        let narrow = grid.lines(60);
        assert!(narrow.contains("….word_count.several_at_once"), "{narrow}");
        assert!(narrow.contains("…count.multiple_of_reference"), "{narrow}");
    }

    #[test]
    fn wide_latex_tables_are_transposed_or_split() {
        let cells = |count: usize| (0..count).map(|at| GridCell::plain(format!("{at}.123 ± 0.1")));
        let table = |columns: usize, rows: usize| Grid {
            title: "Scores".to_owned(),
            head: (0..=columns).map(|at| format!("column {at}")).collect(),
            rows: vec![cells(columns + 1).collect(); rows],
        };
        let of = |columns, rows| {
            let latex = table(columns, rows).latex();
            (latex.matches("\\begin{tabular}").count(), latex.matches("\\\\\n").count())
        };
        assert_eq!(of(3, 4), (1, 5), "as it is");
        assert_eq!(of(10, 3), (1, 11), "transposed");
        assert_eq!(of(10, 9), (3, 30), "split");
    }

    #[test]
    fn markdown_and_latex_escape_what_they_would_read() {
        let markdown = grid().markdown();
        assert!(markdown.contains("| a\\|b_c | **50.0 %** | 3.00 |"), "{markdown}");
        let latex = grid().latex();
        assert!(latex.contains("a|b\\_c & \\textbf{50.0 \\%} & 3.00 \\\\"), "{latex}");
        assert!(latex.contains("{lrr}") && latex.contains("EDR\\_len"), "{latex}");
        assert_eq!(
            escape_latex("\\^~{}"),
            "\\textbackslash{}\\textasciicircum{}\\textasciitilde{}\\{\\}"
        );
    }
}
