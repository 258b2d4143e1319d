//! CSV in the dialect of spreadsheets: commas, double quotes, and doubled quotes within quotes.

use super::ShapeError;

/// At least two rows with the same number of columns, at least two, quoted correctly.
pub(super) fn check(text: &str) -> Result<(), ShapeError> {
    let rows = rows(text);
    if let Some(at) = rows.mistake {
        return Err(ShapeError::new(
            at,
            "a quote that is neither doubled nor at the edge of a field",
        ));
    }
    let columns = same_columns(&rows.rows)?;
    if columns < 2 {
        return Err(ShapeError::new(0, "there is only one column"));
    }
    if rows.rows.len() < 2 {
        return Err(ShapeError::new(text.len(), "there is only one row"));
    }
    Ok(())
}

/// Every row has as many columns as the first, which is not blank; quoting is not checked. A CR
/// outside of quotes ends the last row, or precedes other line ends.
pub(super) fn check_released(text: &str) -> Result<(), ShapeError> {
    let rows = rows(text);
    match rows.lone {
        Some(at) => Err(ShapeError::new(at, "a carriage return is within a row")),
        None => same_columns(&rows.rows).map(|_| ()),
    }
}

struct CsvRow {
    at: usize,
    /// A blank line is a row without columns.
    columns: usize,
}

struct CsvRows {
    rows: Vec<CsvRow>,
    /// The position of the first invalid quote.
    mistake: Option<usize>,
    /// The position of the first CR that ends a row without an LF.
    lone: Option<usize>,
}

fn same_columns(rows: &[CsvRow]) -> Result<usize, ShapeError> {
    let Some(first) = rows.first() else {
        return Err(ShapeError::new(0, "there is no row"));
    };
    if first.columns == 0 {
        return Err(ShapeError::new(0, "the first row is blank"));
    }
    for (index, row) in rows.iter().enumerate() {
        if row.columns == first.columns {
            continue;
        }
        let why = if row.columns == 0 {
            format!("row {} is blank", index + 1)
        } else {
            format!("row {} has {}, row 1 has {}", index + 1, columns(row.columns), first.columns)
        };
        return Err(ShapeError::new(row.at, why));
    }
    Ok(first.columns)
}

fn columns(count: usize) -> String {
    format!("{count} column{}", if count == 1 { "" } else { "s" })
}

fn rows(text: &str) -> CsvRows {
    #[derive(PartialEq)]
    enum CsvState {
        RowStart,
        FieldStart,
        Plain,
        Quoted,
        /// After a quote within quotes, which closes unless another one follows.
        QuoteInQuoted,
    }
    let mut read = CsvRows { rows: Vec::new(), mistake: None, lone: None };
    let mut state = CsvState::RowStart;
    let mut row = CsvRow { at: 0, columns: 0 };
    let mut opened = 0;
    let mut bytes = text.bytes().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        if state == CsvState::Quoted {
            if byte == b'"' {
                state = CsvState::QuoteInQuoted;
            }
            continue;
        }
        match byte {
            b'\n' | b'\r' => {
                if byte == b'\r' {
                    while bytes.next_if(|(_, next)| *next == b'\r').is_some() {}
                    let ends = bytes.next_if(|(_, next)| *next == b'\n').is_some();
                    if !ends && bytes.peek().is_some() {
                        read.lone.get_or_insert(at);
                    }
                }
                let columns = row.columns + usize::from(state != CsvState::RowStart);
                read.rows.push(CsvRow { at: row.at, columns });
                row = CsvRow { at: bytes.peek().map_or(text.len(), |(next, _)| *next), columns: 0 };
                state = CsvState::RowStart;
            }
            b',' => {
                row.columns += 1;
                state = CsvState::FieldStart;
            }
            b'"' if matches!(
                state,
                CsvState::RowStart | CsvState::FieldStart | CsvState::QuoteInQuoted
            ) =>
            {
                opened = at;
                state = CsvState::Quoted;
            }
            _ => {
                if byte == b'"' || state == CsvState::QuoteInQuoted {
                    read.mistake.get_or_insert(at - usize::from(byte != b'"'));
                }
                state = CsvState::Plain;
            }
        }
    }
    if state == CsvState::Quoted {
        read.mistake.get_or_insert(opened);
    }
    if state != CsvState::RowStart {
        read.rows.push(CsvRow { at: row.at, columns: row.columns + 1 });
    }
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_needs_two_columns_and_two_rows() {
        for (text, why) in [
            ("a,b\n1,\"x, \"\"y\"\"\nz\"", None),
            ("a,b\r\n1,2\r\n", None),
            ("a", Some("there is only one column")),
            ("a,b", Some("there is only one row")),
            ("a,b\n1", Some("row 2 has 1 column, row 1 has 2")),
            ("a,b\n\n1,2", Some("row 2 is blank")),
            ("a,\"b\n1,2", Some("a quote that is neither doubled nor at the edge of a field")),
            ("a,b\"c\n1,2", Some("a quote that is neither doubled nor at the edge of a field")),
            ("a,\"b\"é\n1,2", Some("a quote that is neither doubled nor at the edge of a field")),
            ("", Some("there is no row")),
        ] {
            assert_eq!(check(text).err().map(|m| m.why).as_deref(), why, "{text:?}");
        }
    }

    #[test]
    fn released_takes_one_column() {
        assert_eq!(check_released("One line of prose"), Ok(()));
        assert_eq!(check_released("a,\"b\n1,2"), Ok(()));
        assert!(check_released("").is_err() && check_released("a\n\nb").is_err());
        assert!(check_released("a, b\nc").is_err_and(|m| m.at == 5));
        assert!(check_released("a,b\r1,2").is_err_and(|m| m.at == 3));
        assert_eq!(check_released("a,\"b\rc\"\r\r\n1,2\r"), Ok(()));
    }
}
