//! How the program ends: distinct statuses that scripts can use.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use super::output::Output;
use super::shell::quoted;
use ifs_base::diagnostic::{Diagnostic, render};
use ifs_base::source::Sources;
use ifs_draw::DrawError;
use ifs_draw::program::NoScenario;
use ifs_inference::JournalError;
use ifs_run::curated_set::SetError;
use ifs_run::{FolderError, JobError};

/// The files are for people to review.
const SET_FILE_HELP: &str = "`ifs synthesize` and `ifs construct` write such files";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Good,
    /// A check failed: a test, the format, a warning under `--deny-warnings`.
    Failed,
    Usage,
    /// The input is invalid.
    Input,
    /// An infrastructure error.
    Infrastructure,
    Interrupted,
}

impl Exit {
    pub fn status(self) -> u8 {
        match self {
            Exit::Good => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Input => 3,
            Exit::Infrastructure => 4,
            Exit::Interrupted => 130,
        }
    }
}

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct CommandError {
    pub exit: Exit,
    pub message: String,
    pub help: Option<String>,
    /// An error of the scenario, rendered as a diagnostic.
    pub of_scenario: Option<Box<OfScenario>>,
}

#[derive(Debug)]
pub(crate) struct OfScenario {
    pub diagnostic: Diagnostic,
    pub sources: Arc<Sources>,
}

impl CommandError {
    fn new(exit: Exit, message: impl Into<String>) -> CommandError {
        CommandError { exit, message: message.into(), help: None, of_scenario: None }
    }

    pub fn input(message: impl Into<String>) -> CommandError {
        CommandError::new(Exit::Input, message)
    }

    pub fn infrastructure(message: impl Into<String>) -> CommandError {
        CommandError::new(Exit::Infrastructure, message)
    }

    pub fn usage(message: impl Into<String>) -> CommandError {
        CommandError::new(Exit::Usage, message)
    }

    pub fn help(mut self, help: impl Into<String>) -> CommandError {
        self.help = Some(help.into());
        self
    }

    /// The diagnostics were already printed.
    pub fn already_printed() -> CommandError {
        CommandError::input("")
    }

    /// The output was closed, which is not an error.
    pub fn output_closed() -> CommandError {
        CommandError::new(Exit::Good, "")
    }

    /// Prints it in the format of the compiler. A plan that was read from a file has no source
    /// positions.
    pub fn with_diagnostic(
        mut self,
        diagnostic: Diagnostic,
        sources: &Arc<Sources>,
    ) -> CommandError {
        if diagnostic.span().is_some_and(|at| sources.get(at.file).is_some()) {
            let sources = Arc::clone(sources);
            self.of_scenario = Some(Box::new(OfScenario { diagnostic, sources }));
        }
        self
    }

    pub fn report(self, output: &mut Output) -> Exit {
        if let Some(OfScenario { diagnostic, sources }) = self.of_scenario.as_deref() {
            let (color, width) = (output.color_err(), Output::width());
            let text = render(std::slice::from_ref(diagnostic), sources, color, width);
            output.painted_note(text.trim_end_matches('\n'));
            return self.exit;
        }
        if !self.message.is_empty() {
            output.error(&self.message);
        }
        if let Some(help) = &self.help {
            output.help(help);
        }
        self.exit
    }
}

impl From<std::io::Error> for CommandError {
    fn from(error: std::io::Error) -> CommandError {
        CommandError::infrastructure(error.to_string())
    }
}

impl From<NoScenario> for CommandError {
    fn from(error: NoScenario) -> CommandError {
        let problem = CommandError::input(error.to_string());
        match error.help() {
            Some(help) => problem.help(help),
            None => problem,
        }
    }
}

impl From<FolderError> for CommandError {
    fn from(error: FolderError) -> CommandError {
        match &error {
            FolderError::Io { .. } => CommandError::infrastructure(error.to_string()),
            FolderError::Damaged { .. } => CommandError::input(error.to_string())
                .help("undo the change, or restore the file from a backup"),
            FolderError::Changed { folder, .. } => {
                let help = format!(
                    "restore it from a backup, or let `ifs run --resume {}` write it again from the journal, which repeats no request",
                    quoted(Path::new(folder))
                );
                CommandError::input(error.to_string()).help(help)
            }
            FolderError::InUse(_) => CommandError::infrastructure(error.to_string())
                .help("wait until it is done, or stop it"),
            FolderError::Taken(_) => CommandError::input(error.to_string())
                .help("choose another folder with `--out`, or remove that one"),
            FolderError::Foreign { .. } => CommandError::input(error.to_string())
                .help("choose a new folder with `--out`, or an empty one"),
            FolderError::Link(_) => CommandError::input(error.to_string())
                .help("put the folder that it leads to in its place"),
            FolderError::Unfinished(_) => CommandError::input(error.to_string()).help(
                "run the same `ifs runs merge` again, which finishes it, or remove the folder",
            ),
            FolderError::OtherJournal(_) => CommandError::input(error.to_string()).help(
                "one of the two files was changed or copied from another run: restore both from a backup",
            ),
            FolderError::NoRun(_) => CommandError::input(error.to_string())
                .help("`ifs run SCENARIO` creates one and prints its path"),
        }
    }
}

impl From<JobError> for CommandError {
    fn from(error: JobError) -> CommandError {
        const ASK_AGAIN_HELP: &str =
            "restore it from a backup, or request and pay for them again with `--ask-again`";
        let text = error.to_string();
        match error {
            JobError::Draw(error) => error.into(),
            JobError::Folder(error) => error.into(),
            JobError::Set(error) => error.into(),
            JobError::Journal(error) => match CommandError::from(error) {
                problem @ CommandError { exit: Exit::Input, help: None, .. } => {
                    problem.help("it or run.json was changed; restore both from a copy")
                }
                problem => problem,
            },
            JobError::Template { .. } => CommandError::input(text),
            JobError::Fewer { .. } => CommandError::usage(text)
                .help("a run can only be raised: `-n` and `--samples` are totals, not additions"),
            JobError::MoreThanSet { .. } => {
                CommandError::usage(text).help("start a run of a larger set")
            }
            JobError::OtherSelection { .. } => CommandError::usage(text)
                .help("the release declares `cover` or `quota`: start a new run with `-n`"),
            JobError::NoJournal { .. } => CommandError::input(text).help(
                "restore its file `journal` from a backup, or request and pay for them again with \
                 `--ask-again`",
            ),
            JobError::LostRecords { .. } | JobError::LostAnswers { .. } => {
                CommandError::input(text).help(ASK_AGAIN_HELP)
            }
            JobError::Io { .. }
            | JobError::Infrastructure(_)
            | JobError::Ended(_)
            | JobError::NoFolder(_) => CommandError::infrastructure(text),
        }
    }
}

impl From<JournalError> for CommandError {
    fn from(error: JournalError) -> CommandError {
        match &error {
            JournalError::Io { .. } => CommandError::infrastructure(error.to_string()),
            JournalError::InUse(_) => {
                CommandError::infrastructure(error.to_string()).help("wait until it is done, or stop it")
            }
            JournalError::Damaged { .. } => CommandError::input(error.to_string()).help(
                "a crash damages the end of a journal only, so this was something else: restore the \
                 file from a copy; `ifs score` and `ifs report` read the transcripts and need none",
            ),
            JournalError::Version { .. } => {
                CommandError::input(error.to_string()).help("continue with the version of ifs that wrote it")
            }
            JournalError::Empty(_) => CommandError::input(error.to_string())
                .help("restore the file from a copy; its content was paid for"),
            JournalError::Encoded { .. } => CommandError::input(error.to_string()).help(
                "the file was changed after it was written: undo the change, or restore it from a copy",
            ),
            JournalError::Link(_) => CommandError::input(error.to_string())
                .help("put the file that it leads to in its place"),
            JournalError::OtherRun(_) => CommandError::input(error.to_string()),
        }
    }
}

impl From<SetError> for CommandError {
    fn from(error: SetError) -> CommandError {
        let text = error.to_string();
        match error {
            SetError::Io { error, .. } => match error.kind() {
                ErrorKind::NotFound | ErrorKind::IsADirectory => CommandError::input(text).help(SET_FILE_HELP),
                ErrorKind::InvalidData | ErrorKind::FileTooLarge => CommandError::input(text),
                _ => CommandError::infrastructure(text),
            },
            SetError::Damaged { .. } => CommandError::input(text).help(SET_FILE_HELP),
            SetError::Form { .. } => CommandError::input(text).help("write it again with `ifs synthesize`"),
            SetError::Changed(_) => CommandError::input(text).help(
                "restore the original file, or change entries with `ifs review`, which freezes the set again",
            ),
            SetError::Open { path, .. } => {
                CommandError::input(text).help(format!("review them with `ifs review {}`", quoted(Path::new(&path))))
            }
        }
    }
}

impl From<DrawError> for CommandError {
    fn from(error: DrawError) -> CommandError {
        let problem = CommandError::input(error.to_string());
        let problem = match error.advice() {
            Some(advice) => problem.help(advice),
            None => problem,
        };
        match error.sources() {
            Some(sources) => problem.with_diagnostic(error.diagnostic(), sources),
            None => problem,
        }
    }
}
