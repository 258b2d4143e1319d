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
        found.extend(rows.skip(1).filter_map(|row| cells(row).into_iter().nth(at)));
    }
    found
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
    }
}
