//! Printing. A closed pipe ends the program quietly; colours are used only on terminals.
//!
//! All output goes through here, including untrusted text from scenarios, feeds, servers and
//! models. Text for people never contains invisible characters or terminal control sequences; data
//! for programs keeps every byte, except on a terminal.

#![expect(clippy::disallowed_methods, reason = "colours and width follow the environment")]

use std::borrow::Cow;
use std::io::{IsTerminal, Write};

use super::{Color, Exit};
use ifs_base::diagnostic::{visible_json, visible_lines, visible_painted, visible_text};
use ifs_report::folded;

/// Scripts are written in chunks of this many bytes.
const BUFFER_BYTES: usize = 64 << 10;

pub(crate) struct Output {
    out: std::io::BufWriter<std::io::Stdout>,
    color_out: bool,
    color_err: bool,
    /// Whether standard output is a terminal.
    shown: bool,
    /// Whether the output was closed (`ifs draw … | head`).
    closed: bool,
    /// Writing failed for another reason.
    failed: Option<String>,
}

/// Prints a line to standard error, without an [`Output`].
pub(crate) fn note(text: &str) {
    let mut text = visible_lines(text);
    if std::io::stderr().is_terminal() {
        text = folded(&text, Output::width());
    }
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// A line of a log to standard error, in place of the line of progress that a terminal shows.
pub(crate) fn log(text: &str) {
    if std::io::stderr().is_terminal() {
        let _ = write!(std::io::stderr(), "\r\u{1b}[2K");
    }
    note(text);
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
            out: std::io::BufWriter::with_capacity(BUFFER_BYTES, std::io::stdout()),
            color_out: wanted(std::io::stdout().is_terminal()),
            color_err: wanted(std::io::stderr().is_terminal()),
            shown: std::io::stdout().is_terminal(),
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

    /// The width of the terminal, from `COLUMNS` or the terminal; 100 by default.
    pub fn width() -> usize {
        let given = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let shown = || terminal_size::terminal_size().map(|(columns, _)| usize::from(columns.0));
        given.or_else(shown).unwrap_or(100).clamp(40, 160)
    }

    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Prints the result of a command as text, to standard output.
    pub fn print(&mut self, text: &str) {
        self.write_visible(visible_lines(text).as_bytes());
    }

    /// The same for text with long lines, which a terminal would break within words.
    pub fn print_folded(&mut self, text: &str) {
        let text = visible_lines(text);
        match self.shown {
            true => self.write_visible(folded(&text, Output::width()).as_bytes()),
            false => self.write_visible(text.as_bytes()),
        }
    }

    /// Prints text whose colours were added after its parts were made visible.
    pub fn painted(&mut self, text: &str) {
        let text = self.as_painted(text);
        self.write_visible(text.as_bytes());
    }

    /// The same text for another program that shows it on the terminal.
    pub fn as_painted(&self, text: &str) -> String {
        if self.color_out { visible_painted(text) } else { visible_lines(text) }
    }

    /// Whether standard output is a terminal.
    pub fn is_shown(&self) -> bool {
        self.shown
    }

    pub fn line(&mut self, text: &str) {
        self.print(text);
        self.write_visible(b"\n");
    }

    /// Prints the result of a command as JSON: one value, or one value per line.
    pub fn json(&mut self, text: &str) {
        let text = if self.shown { Cow::Owned(visible_json(text)) } else { Cow::Borrowed(text) };
        self.write_visible(text.as_bytes());
    }

    pub fn json_line(&mut self, text: &str) {
        self.json(text);
        self.write_visible(b"\n");
    }

    /// Prints the result of a command in another machine-readable format.
    pub fn data(&mut self, text: &str) {
        let text = if self.shown { Cow::Owned(visible_lines(text)) } else { Cow::Borrowed(text) };
        self.write_visible(text.as_bytes());
    }

    /// The same for data that is written part by part. A closed pipe is not an error.
    pub fn data_of<E>(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.shown {
            let mut text = Vec::new();
            write(&mut text)?;
            self.data(&String::from_utf8_lossy(&text));
            return Ok(());
        }
        write(&mut Data(self))
    }

    fn write_visible(&mut self, text: &[u8]) {
        if self.closed || self.failed.is_some() {
            return;
        }
        if let Err(error) = self.out.write_all(text) {
            self.broken(&error);
        }
    }

    /// Flushes the output before waiting for input.
    pub fn flush(&mut self) {
        if !self.closed
            && let Err(error) = self.out.flush()
        {
            self.broken(&error);
        }
    }

    /// Prints a message to standard error while a command is working, after what was printed before it.
    pub fn note(&mut self, text: &str) {
        self.flush();
        note(text);
    }

    /// The same for text whose colours were added after its parts were made visible.
    pub fn painted_note(&mut self, text: &str) {
        let text = if self.color_err { visible_painted(text) } else { visible_lines(text) };
        self.flush();
        let _ = writeln!(std::io::stderr(), "{text}");
    }

    pub fn error(&mut self, text: &str) {
        self.labelled("error", "31;1", text);
    }

    pub fn warn(&mut self, text: &str) {
        self.labelled("warning", "33;1", text);
    }

    pub fn help(&mut self, text: &str) {
        self.labelled("help", "", text);
    }

    fn labelled(&mut self, label: &str, color: &str, text: &str) {
        let mut line = format!("{label}: {}", visible_lines(text));
        if self.has_terminal() {
            line = folded(&line, Output::width());
        }
        if self.color_err && !color.is_empty() {
            line.replace_range(..label.len(), &format!("\u{1b}[{color}m{label}\u{1b}[0m"));
        }
        self.painted_note(&line);
    }

    /// Whether progress can be shown on a terminal.
    pub fn has_terminal(&self) -> bool {
        std::io::stderr().is_terminal()
    }

    /// Replaces the last line of progress; does nothing without a terminal.
    pub fn progress(&mut self, text: &str) {
        if self.has_terminal() {
            // A long line is cut at the edge: a second line would not be overwritten.
            let text = visible_text(text);
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

    /// Flushes the output, and returns an error if that fails.
    pub fn finish(mut self, exit: Exit) -> Exit {
        self.flush();
        match self.failed.take() {
            Some(why) => {
                self.error(&format!("the output cannot be written: {why}"));
                Exit::Infrastructure
            }
            None => exit,
        }
    }
}

/// Writes data to the output, which remembers its errors until it is finished.
struct Data<'o>(&'o mut Output);

impl Write for Data<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write_visible(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
