//! The files of a simulated game.

/// The files of a game.
pub struct GameFiles {
    /// The log, which the reader of that wording reads.
    pub log: String,
    /// The second file, if the source has one.
    pub companion: Option<String>,
}

impl GameFiles {
    pub(super) fn single_file(log: String) -> GameFiles {
        GameFiles { log, companion: None }
    }
}
