//! Rows and columns of markdown tables.

use super::TableColumn;
use ifs_text::{Text, Unit};

/// The cells of a column in every table that has it; without a column, the rows.
pub(super) fn read<'t>(text: &'t str, column: Option<&TableColumn>) -> Vec<&'t str> {
    let read = Text::new(text);
    let mut found = Vec::new();
    for table in read.pieces(Unit::Table) {
        let mut rows = table.lines().map(str::trim);
        let head = rows.next().unwrap_or("");
        let at = match column {
            None => {
                found.extend(rows.skip(1).map(inner));
                continue;
            }
            Some(TableColumn::Number(number)) => Some(*number as usize - 1),
            Some(TableColumn::Name(name)) => {
                let name = without_emphasis(name).to_lowercase();
                cells(head)
                    .into_iter()
                    .position(|cell| without_emphasis(cell).to_lowercase() == name)
            }
        };
        let Some(at) = at else { continue };
        found.extend(rows.skip(1).filter_map(|row| cells(row).into_iter().nth(at).map(plain)));
    }
    found
}

/// A cell without emphasis of all of it.
fn plain(cell: &str) -> &str {
    let inside = ["**", "__", "*", "_", "`"].iter().find_map(|mark| {
        let inside = cell.strip_prefix(mark)?.strip_suffix(mark)?;
        (!inside.is_empty() && !inside.contains(mark)).then_some(inside)
    });
    inside.map_or(cell, str::trim)
}

/// A document whose tables are in HTML, with its rows as those of Markdown.
pub(super) fn of_html(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    if lower.len() != text.len() || !lower.contains("<table") {
        return None;
    }
    let mut rows: Vec<String> = Vec::new();
    for row in lower.match_indices("<tr").map(|(at, _)| at) {
        let end = lower[row..].find("</tr").map_or(text.len(), |end| row + end);
        let starts = lower[row..end]
            .match_indices("<t")
            .map(|(at, _)| row + at)
            .filter(|at| lower[*at..].starts_with("<td") || lower[*at..].starts_with("<th"));
        let cell = |start: usize| {
            let inside = start + text[start..end].find('>')? + 1;
            let length = ["</td", "</th", "<td", "<th"]
                .iter()
                .filter_map(|mark| lower[inside..end].find(mark))
                .min()
                .unwrap_or(end - inside);
            let shown = Text::new(&text[inside..inside + length]);
            Some(shown.reading().str().trim().replace('|', "\\|").replace('\n', " "))
        };
        let cells: Vec<String> = starts.filter_map(cell).collect();
        if rows.is_empty() {
            rows.push(format!("| {} |", cells.join(" | ")));
            rows.push(format!("|{}", "---|".repeat(cells.len())));
        } else {
            rows.push(format!("| {} |", cells.join(" | ")));
        }
    }
    Some(rows.join("\n"))
}

/// Without emphasis.
fn without_emphasis(cell: &str) -> &str {
    cell.trim_matches(['*', '_', '`', ' '])
}

/// A row without the pipes at its ends.
fn inner(row: &str) -> &str {
    let row = row.strip_prefix('|').unwrap_or(row);
    let closed = row.strip_suffix('|').filter(|before| !before.ends_with('\\'));
    closed.unwrap_or(row).trim()
}

/// The cells of a row, separated by unescaped pipes.
fn cells(row: &str) -> Vec<&str> {
    let row = inner(row);
    let mut cells = Vec::new();
    let mut start = 0;
    let mut escaped = false;
    for (at, c) in row.char_indices() {
        if c == '|' && !escaped {
            cells.push(row[start..at].trim());
            start = at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    cells.push(row[start..].trim());
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_by_name_and_by_number() {
        let text = "x\n\n| **Tea** | Price |\n|---|---:|\n| mint | 3 |\n| a\\|b | 4 |\n\nend";
        assert_eq!(read(text, Some(&TableColumn::Name("tea".into()))), ["mint", "a\\|b"]);
        assert_eq!(read(text, Some(&TableColumn::Number(2))), ["3", "4"]);
        assert_eq!(read(text, Some(&TableColumn::Number(3))), [""; 0]);
        assert_eq!(read(text, Some(&TableColumn::Name("Cost".into()))), [""; 0]);
        assert_eq!(read(text, None), ["mint | 3", "a\\|b | 4"]);
        assert_eq!(read("a | b\nc | d", None), [""; 0]);
        let bold = "| Tea | Price |\n|---|---|\n| **mint** | `3` |\n| a **b** | **4** or **5** |";
        assert_eq!(read(bold, Some(&TableColumn::Number(1))), ["mint", "a **b**"]);
        assert_eq!(read(bold, Some(&TableColumn::Number(2))), ["3", "**4** or **5**"]);
    }

    #[test]
    fn tables_of_html_are_read_as_rows() {
        let text = "<table><tr><th>Tea</th><th>Price</th></tr><tr><td><b>mint</b></td><td>3</td></tr></table>";
        let made = of_html(text).unwrap();
        assert_eq!(read(&made, Some(&TableColumn::Name("Price".into()))), ["3"]);
        assert_eq!(read(&made, Some(&TableColumn::Number(1))), ["mint"]);
        assert_eq!(of_html("<p>so</p>"), None);
    }
}
