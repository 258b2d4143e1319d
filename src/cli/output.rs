//! Printing. A closed pipe ends the program quietly; colours only where they help.

#![expect(clippy::disallowed_methods, reason = "colours and width follow the environment")]

use std::io::{IsTerminal, Write};

use super::{Color, Exit};

/// Scripts are written in stretches of this many bytes.
const BUFFER: usize = 64 << 10;

pub(crate) struct Output {
    out: std::io::BufWriter<std::io::Stdout>,
    color_out: bool,
    color_err: bool,
    /// Nobody reads any more (`ifs draw … | head`).
    closed: bool,
    /// Writing failed for another reason.
    failed: Option<String>,
}

impl Output {
    pub fn new(color: Color) -> Output {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let wanted = |terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && !no_color,
        };
        Output {
            out: std::io::BufWriter::with_capacity(BUFFER, std::io::stdout()),
            color_out: wanted(std::io::stdout().is_terminal()),
            color_err: wanted(std::io::stderr().is_terminal()),
            closed: false,
            failed: None,
        }
    }

    pub fn color(&self) -> bool {
        self.color_out
    }

    pub fn color_err(&self) -> bool {
        self.color_err
    }

    /// Columns of the terminal; 100 where there is none.
    pub fn width() -> usize {
        std::env::var("COLUMNS")
            .ok()
            .and_then(|columns| columns.parse().ok())
            .unwrap_or(100)
            .clamp(40, 160)
    }

    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The result of a command, to standard output.
    pub fn print(&mut self, text: &str) {
        self.put(text.as_bytes());
    }

    pub fn put(&mut self, text: &[u8]) {
        if self.closed || self.failed.is_some() {
            return;
        }
        if let Err(error) = self.out.write_all(text) {
            self.broken(&error);
        }
    }

    pub fn line(&mut self, text: &str) {
        self.print(text);
        self.print("\n");
    }

    /// Shows what was printed so far, before an answer is waited for.
    pub fn flush(&mut self) {
        if !self.closed
            && let Err(error) = self.out.flush()
        {
            self.broken(&error);
        }
    }

    /// News on the way, to standard error.
    pub fn note(&mut self, text: &str) {
        let _ = writeln!(std::io::stderr(), "{text}");
    }

    pub fn error(&mut self, text: &str) {
        let word = if self.color_err { "\u{1b}[31;1merror\u{1b}[0m" } else { "error" };
        self.note(&format!("{word}: {text}"));
    }

    pub fn warn(&mut self, text: &str) {
        let word = if self.color_err { "\u{1b}[33;1mwarning\u{1b}[0m" } else { "warning" };
        self.note(&format!("{word}: {text}"));
    }

    /// Whether someone may be watching.
    pub fn has_terminal(&self) -> bool {
        std::io::stderr().is_terminal()
    }

    /// Over the last line of progress; nothing where no terminal shows it.
    pub fn progress(&mut self, text: &str) {
        if self.has_terminal() {
            // A line that is too long is cut at the edge: one that went on below would stay there.
            let _ = write!(std::io::stderr(), "\r\u{1b}[2K\u{1b}[?7l{text}\u{1b}[?7h");
            let _ = std::io::stderr().flush();
        }
    }

    fn broken(&mut self, error: &std::io::Error) {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            self.closed = true;
        } else {
            self.failed = Some(error.to_string());
        }
    }

    /// Writes what is left, and says when that did not work.
    pub fn finish(mut self, exit: Exit) -> Exit {
        self.flush();
        match self.failed.take() {
            Some(why) => {
                self.error(&format!("the output cannot be written: {why}"));
                Exit::Machine
            }
            None => exit,
        }
    }
}
