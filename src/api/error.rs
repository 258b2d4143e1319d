//! Errors of the library.

use std::fmt;

use ifs_base::diagnostic::{Diagnostic, Severity};
use ifs_base::source::{Places, Sources};
use ifs_draw::DrawError;
use ifs_draw::program::NoScenario;
use ifs_judge::grade::RowError;

/// An error: what is wrong and, if possible, what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The scenario has errors.
    #[non_exhaustive]
    Scenario {
        /// All diagnostics, errors and warnings, in source order.
        problems: Vec<Problem>,
        /// The same for a person: with excerpts of the source if the feature `cli` is on, as the
        /// command line prints them, otherwise a line for each.
        rendered: String,
    },
    /// There is no scenario at the path.
    #[non_exhaustive]
    NoScenario {
        /// The path, and the reason.
        message: String,
    },
    /// The name does not exist.
    #[non_exhaustive]
    Unknown {
        /// `dialogue`, `variant`, `model`, …
        what: &'static str,
        /// The name that was given.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// A dialogue cannot be drawn: an error in the scenario that only drawing can find.
    #[non_exhaustive]
    Draw {
        /// What has no value, and in which dialogue and turn.
        message: String,
        /// What to write instead.
        help: Option<String>,
    },
    /// A row cannot be graded.
    #[non_exhaustive]
    Row {
        /// The code of the error, as in `ifs explain CODE`.
        code: String,
        /// What is wrong with the row.
        message: String,
        /// What to write instead.
        help: Option<String>,
    },
    /// An invalid call: a response without a request, a setting out of its range.
    #[non_exhaustive]
    Usage {
        /// What is invalid.
        message: String,
    },
    /// An endpoint cannot be reached or refused the requests, or a budget is spent.
    #[non_exhaustive]
    Request {
        /// The model, and the error that it returned.
        message: String,
    },
    /// The folder of a run cannot be used.
    #[non_exhaustive]
    Folder {
        /// The folder, and the reason.
        message: String,
        /// Whether the content of the folder is invalid; otherwise the machine could not read or
        /// write it.
        is_input: bool,
    },
    /// The system failed: no thread, no memory, a full disk.
    #[non_exhaustive]
    Infrastructure {
        /// What failed.
        message: String,
    },
}

/// Who has to act on an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The caller: an argument, a name, a setting.
    Usage,
    /// The author of a scenario or of data.
    Input,
    /// The operator of the machine or the endpoint.
    Infrastructure,
}

impl ErrorKind {
    /// The exit status of the command line for this kind: 2, 3 or 4.
    pub fn exit_status(self) -> u8 {
        match self {
            ErrorKind::Usage => 2,
            ErrorKind::Input => 3,
            ErrorKind::Infrastructure => 4,
        }
    }
}

impl Error {
    /// Who has to act on this error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Unknown { .. } | Error::Usage { .. } => ErrorKind::Usage,
            Error::Scenario { .. }
            | Error::NoScenario { .. }
            | Error::Draw { .. }
            | Error::Row { .. }
            | Error::Folder { is_input: true, .. } => ErrorKind::Input,
            Error::Request { .. } | Error::Folder { .. } | Error::Infrastructure { .. } => {
                ErrorKind::Infrastructure
            }
        }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Error {
        Error::Usage { message: message.into() }
    }

    pub(crate) fn unknown(
        what: &'static str,
        name: &str,
        known: impl Iterator<Item = impl Into<String>>,
    ) -> Error {
        Error::Unknown { what, name: name.to_owned(), known: known.map(Into::into).collect() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Scenario { problems, .. } => {
                let mut errors = problems.iter().filter(|problem| problem.is_error);
                match errors.next() {
                    None => f.write_str("the scenario has errors")?,
                    Some(first) => write!(f, "{first}")?,
                }
                match errors.count() {
                    0 => Ok(()),
                    1 => f.write_str(" (and 1 more error)"),
                    more => write!(f, " (and {more} more errors)"),
                }
            }
            Error::Unknown { what, name, known } if known.is_empty() => {
                write!(f, "there is no {what} `{name}`")
            }
            Error::Unknown { what, name, known } => {
                write!(f, "there is no {what} `{name}`; there is {}", known.join(", "))
            }
            Error::Draw { message, help } | Error::Row { message, help, .. } => {
                f.write_str(message)?;
                help.as_ref().map_or(Ok(()), |help| write!(f, "; {help}"))
            }
            Error::NoScenario { message }
            | Error::Usage { message }
            | Error::Request { message }
            | Error::Folder { message, .. }
            | Error::Infrastructure { message } => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}

impl From<DrawError> for Error {
    fn from(error: DrawError) -> Error {
        Error::Draw { message: error.to_string(), help: error.advice().map(Into::into) }
    }
}

impl From<NoScenario> for Error {
    fn from(error: NoScenario) -> Error {
        let help = error.help().map(|help| format!("; {help}")).unwrap_or_default();
        Error::NoScenario { message: format!("{error}{help}") }
    }
}

impl From<RowError> for Error {
    fn from(RowError { code, message, help }: RowError) -> Error {
        Error::Row { code: code.to_string(), message, help }
    }
}

/// A diagnostic about a scenario: an error or a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// Whether it is an error, which makes the scenario unusable; otherwise it is a warning.
    pub is_error: bool,
    /// The diagnostic's code, as in `ifs explain CODE`.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
    /// The file, line and column, from 1.
    pub place: Option<(String, usize, usize)>,
}

impl Problem {
    pub(crate) fn rendered(list: &[Diagnostic], sources: &Sources) -> String {
        ifs_base::diagnostic::render(list, sources, false, 100)
    }

    pub(crate) fn all(list: &[Diagnostic], sources: &Sources) -> Vec<Problem> {
        let mut places = Places::new(sources);
        let each = list.iter().map(|found| Problem {
            is_error: found.severity == Severity::Error,
            code: found.code.to_string(),
            message: found.message.clone(),
            help: found.help.clone(),
            place: found.span().and_then(|span| {
                let file = sources.get(span.file)?;
                let (line, column) = places.line_column(span.file, span.start);
                Some((file.name.clone(), line, column))
            }),
        });
        each.collect()
    }
}

/// `error[unknown-name] at a.ifs:3:9: there is no …; help: …`
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = if self.is_error { "error" } else { "warning" };
        write!(f, "{severity}[{}]", self.code)?;
        if let Some((file, line, column)) = &self.place {
            write!(f, " at {file}:{line}:{column}")?;
        }
        write!(f, ": {}", self.message)?;
        match &self.help {
            Some(help) => write!(f, "; help: {help}"),
            None => Ok(()),
        }
    }
}
