//! `ifs import chats`: a table of chats over pictures.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::exit::{CommandError, Exit};
use super::files;
use super::load::counted;
use super::output::Output;
use ifs_author::import::chats::{self, Chats, MAX_TURNS, PictureSource};
use ifs_author::import::drawn;
use ifs_base::world::MemoryWorld;

/// The maximum number of faults that are printed.
const MAX_FAULTS: usize = 20;

pub(super) struct ChatTable<'a> {
    pub file: &'a Path,
    /// The folder of the pictures; by default the table's own.
    pub images: Option<&'a Path>,
    /// The columns by content, as `prompt=NAME`.
    pub columns: &'a [String],
    pub out: &'a Path,
    pub leave_out: bool,
}

pub(super) fn run(table: &ChatTable<'_>, output: &mut Output) -> Result<Exit, CommandError> {
    let shown = table.file.display();
    let bytes = files::read_decompressed(table.file)
        .map_err(|error| CommandError::input(format!("`{shown}` cannot be read: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        CommandError::input(format!(
            "`{shown}` is not UTF-8: byte {} begins no character",
            error.utf8_error().valid_up_to()
        ))
        .help("save the table as UTF-8")
    })?;
    let folder = table.file.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = table.images.or(folder).unwrap_or(Path::new("."));
    let named = table.columns.iter().map(|column| {
        column
            .split_once('=')
            .map(|(role, name)| (role.trim().to_owned(), name.trim().to_owned()))
            .ok_or_else(|| {
                CommandError::usage(format!(
                    "`--column {column}` names no column: expected ROLE=NAME"
                ))
                .help("write, for example, `--column prompt=Question`")
            })
    });
    let named = named.collect::<Result<Vec<_>, _>>()?;
    let mut pictures = PictureFolder { folder, read: BTreeMap::new() };
    let mut chats = chats::read(&text, &named, &mut pictures).map_err(|error| {
        CommandError::input(format!("`{shown}`: {error}")).help(
            "a table has a row for each turn, with the columns `chat`, `turn` and `prompt`, and perhaps \
             `all_instructions`, `image1` to `image5`, `answer`, `capability` and `topic`",
        )
    })?;
    report(table, &chats, output);
    if !chats.faults.is_empty() && !table.leave_out {
        return Err(CommandError::input(format!(
            "`{shown}` has {}; nothing was written",
            counted(chats.faults.len(), "fault")
        ))
        .help("correct them, or leave out the chats that have any with `--leave-out`"));
    }
    chats.leave_out();
    if chats.chats.is_empty() {
        return Err(CommandError::input("no chat is left; nothing was written"));
    }
    let files = chats::files(&chats);
    let mut world = MemoryWorld::new(files.iter().map(|(name, text)| (&**name, text.as_str())));
    let shown_pictures =
        pictures.read.iter().map(|(name, bytes)| (format!("images/{name}"), bytes.clone()));
    world.files.extend(shown_pictures);
    drawn::checked(&world, true)
        .map_err(|error| CommandError::input(format!("`{shown}`: {error}")))?;
    for (name, text) in files {
        write(&table.out.join(name), text.as_bytes())?;
    }
    for name in chats.chats.iter().flat_map(|chat| &chat.images) {
        if let Some(bytes) = pictures.read.remove(name) {
            write(&table.out.join("images").join(name), &bytes)?;
        }
    }
    let turns: usize = chats.chats.iter().map(|chat| chat.turns.len()).sum();
    output.line(&format!(
        "{}: {} of {}, {}",
        table.out.display(),
        counted(chats.chats.len(), "chat"),
        counted(turns, "turn"),
        match chats.instructs() {
            true => format!("{} of the data", counted(chats.says.len(), "instruction")),
            false => "instructions drawn for each dialogue".to_owned(),
        }
    ));
    Ok(Exit::Good)
}

/// Finds pictures by name in a folder, and those of a chat in a subfolder with its name.
struct PictureFolder<'a> {
    folder: &'a Path,
    read: BTreeMap<String, Vec<u8>>,
}

impl PictureSource for PictureFolder<'_> {
    fn check_picture(&mut self, name: &str) -> Result<(), String> {
        if !ifs_parts::image::is_address(name) && !self.read.contains_key(name) {
            self.read.insert(name.to_owned(), picture(self.folder, name)?);
        }
        Ok(())
    }

    fn of_chat(&mut self, chat: &str) -> Vec<String> {
        let plain = Path::new(chat).components().all(|part| matches!(part, Component::Normal(_)));
        let Some(entries) = plain.then(|| std::fs::read_dir(self.folder.join(chat)).ok()).flatten()
        else {
            return Vec::new();
        };
        let files = entries.flatten().filter(|entry| entry.path().is_file());
        let mut names: Vec<String> =
            files.map(|file| format!("{chat}/{}", file.file_name().to_string_lossy())).collect();
        names.sort();
        names
    }
}

/// The bytes of a picture, in a format that can be sent.
fn picture(folder: &Path, name: &str) -> Result<Vec<u8>, String> {
    let within = |part: Component<'_>| matches!(part, Component::Normal(_));
    if !Path::new(name).components().all(within) {
        return Err(format!("its name leads out of `{}`", folder.display()));
    }
    let path: PathBuf = folder.join(name);
    let bytes = files::read_decompressed(&path)
        .map_err(|error| format!("`{}` cannot be read: {error}", path.display()))?;
    match ifs_parts::image::decode(bytes.clone()) {
        Ok(_) => Ok(bytes),
        Err(fault) => Err(format!("{} ({})", fault.message, fault.help)),
    }
}

/// Prints the mistakes in the table, with their positions.
fn report(table: &ChatTable<'_>, chats: &Chats, output: &mut Output) {
    for fault in chats.faults.iter().take(MAX_FAULTS) {
        output.note(&format!(
            "{}:{}: column `{}`: {} (chat `{}`)",
            table.file.display(),
            fault.line,
            fault.column,
            fault.what,
            fault.chat
        ));
    }
    if chats.faults.len() > MAX_FAULTS {
        output.note(&format!("and {} more", chats.faults.len() - MAX_FAULTS));
    }
    if chats.cut > 0 {
        let turns = counted(chats.cut, "turn");
        output.note(&format!("{turns} beyond the first {MAX_TURNS} of a chat left out"));
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    let write = || -> std::io::Result<()> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        ifs_base::replace::write_named(path, bytes)
    };
    write().map_err(|error| {
        CommandError::infrastructure(format!("`{}` cannot be written: {error}", path.display()))
    })
}
