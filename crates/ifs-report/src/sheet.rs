//! Tables as CSV, for spreadsheets and data frames: the only place where cells are written.

use std::io::{self, Write};

use csv::Writer;

/// Rows of cells.
#[derive(Debug)]
pub struct Sheet<W: Write = Vec<u8>> {
    writer: Writer<W>,
}

impl Sheet {
    /// Creates a table in memory whose first row names its columns.
    ///
    /// # Errors
    ///
    /// Returns an error if the row cannot be written, which does not happen for rows of the same
    /// length.
    pub fn new<S: AsRef<str>>(head: impl IntoIterator<Item = S>) -> Result<Sheet, csv::Error> {
        Sheet::to(Vec::new(), head)
    }

    /// # Errors
    ///
    /// Returns the errors of [`Sheet::row`].
    pub fn finish(self) -> Result<String, csv::Error> {
        let bytes =
            self.writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl<W: Write> Sheet<W> {
    /// Writes a table whose first row names its columns.
    ///
    /// # Errors
    ///
    /// Returns an error if the row cannot be written.
    pub fn to<S: AsRef<str>>(
        out: W,
        head: impl IntoIterator<Item = S>,
    ) -> Result<Sheet<W>, csv::Error> {
        let mut sheet = Sheet { writer: Writer::from_writer(out) };
        sheet.row(head)?;
        Ok(sheet)
    }

    /// # Errors
    ///
    /// Returns an error if the row has more or fewer cells than the first.
    pub fn row<S: AsRef<str>>(
        &mut self,
        cells: impl IntoIterator<Item = S>,
    ) -> Result<(), csv::Error> {
        for cell in cells {
            let cell = cell.as_ref();
            match is_formula(cell) {
                true => self.writer.write_field(format!("'{cell}"))?,
                false => self.writer.write_field(cell)?,
            }
        }
        self.writer.write_record(None::<&[u8]>)
    }

    /// Writes the rows that are still in memory.
    ///
    /// # Errors
    ///
    /// Returns an error if they cannot be written.
    pub fn flush(mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Whether a spreadsheet would evaluate the cell: texts from a scenario or a model must not be
/// formulas.
fn is_formula(cell: &str) -> bool {
    cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number(cell)
}

fn is_number(cell: &str) -> bool {
    let digits = |it: char| it.is_ascii_digit() || matches!(it, '.' | 'e' | 'E' | '+' | '-');
    cell.chars().all(digits) && cell.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula_and_numbers_stay_numbers() -> Result<(), csv::Error> {
        let mut sheet = Sheet::new(["=a", "b"])?;
        for cell in ["=1+1", "+cmd", "-x", "@SUM(A1)", "\t=1", "\r=1", "-1+1", "-inf"] {
            sheet.row([cell, "a=b"])?;
        }
        for number in ["-1", "-1.5e-7", "+3"] {
            sheet.row([number, ""])?;
        }
        let text = sheet.finish()?;
        assert!(
            text.starts_with("'=a,b\n'=1+1,a=b\n'+cmd,a=b\n'-x,a=b\n'@SUM(A1),a=b\n"),
            "{text}"
        );
        assert!(text.ends_with("'-1+1,a=b\n'-inf,a=b\n-1,\n-1.5e-7,\n+3,\n"), "{text}");
        assert_eq!(
            text.matches("\"'\r=1\"").count() + text.matches("'\t=1").count(),
            2,
            "{text:?}"
        );
        Ok(())
    }
}
