//! `ifs key`, `ifs sign`, and the part of `ifs verify` that checks signatures.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::exit::{CommandError, Exit};
use super::output::Output;
use super::score;
use super::set_files::{MANIFEST, of_secret, read_manifest, read_text, unwritten_secret};
use super::sets::{EXPOSURE_FILE, LEDGER_FILE};
use super::shell::quoted;
use ifs_base::world;
use ifs_report as report;
use ifs_run::Folder;
use ifs_sets::signing::{
    Digests, Envelope, InTotoStatement, PublicKey, STATEMENT_TYPE, Sha256, SignedFile, SigningKey,
};

/// The receipt in the folder of a run, and the signature of a set's manifest.
pub(crate) const RECEIPT: &str = "receipt.json";
pub(crate) const SIGNED_MANIFEST: &str = "manifest.signed.json";

const RUN_PREDICATE_TYPE: &str = "urn:ifs:run:1";
const SET_PREDICATE_TYPE: &str = "urn:ifs:set:1";

const RUN_FILE: &str = "run.json";
const SCORES_FILE: &str = "scores.json";

/// The files of a run that a receipt binds, and what they are.
const RUN_FILES: [(&str, &str); 8] = [
    (MANIFEST, "the manifest of the set"),
    (RUN_FILE, "the description of the run"),
    ("plan.json", "the definition"),
    (EXPOSURE_FILE, "its lines in the ledger of the set"),
    ("utterances.jsonl", "the utterance set"),
    ("journal", "the journal"),
    ("transcripts.jsonl", "the transcripts"),
    (SCORES_FILE, "the scores"),
];

/// Write a new key that signs runs and manifests.
///
/// An ed25519 key of 32 bytes from the operating system, in a file that only its owner may read. The
/// public key is printed, and written next to it with `.pub` added to the name.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs key ~/secrets/signing.json
  ifs sign runs/desk --key ~/secrets/signing.json
  ifs verify runs/desk --public ~/secrets/signing.json.pub")]
pub(crate) struct KeyArgs {
    /// The file to write; it must not exist
    file: PathBuf,
}

pub(crate) fn key(args: KeyArgs, output: &mut Output) -> Result<Exit, CommandError> {
    let key = SigningKey::new().map_err(|error| CommandError::infrastructure(error.to_string()))?;
    let mut other = args.file.clone().into_os_string();
    other.push(".pub");
    let other = PathBuf::from(other);
    if other.exists() {
        return Err(CommandError::input(format!("`{}` already exists", other.display()))
            .help("a key is never overwritten; choose another name"));
    }
    key.write_new(&args.file).map_err(|error| unwritten_secret(&args.file, &error))?;
    let public = key.public().to_string();
    // The key is new: without its public part the same command works again once there is room.
    ifs_base::replace::write(&other, format!("{public}\n").as_bytes())
        .inspect_err(|_| _ = std::fs::remove_file(&args.file))
        .map_err(|error| CommandError::infrastructure(format!("`{}`: {error}", other.display())))?;
    output.line(&format!("{}: {public}", args.file.display()));
    Ok(Exit::Good)
}

fn key_error(path: &Path, error: &ifs_sets::SecretError) -> CommandError {
    use ifs_sets::SecretError;
    match error {
        SecretError::Format(_) => CommandError::input(format!("`{}`: {error}", path.display()))
            .help("`ifs key FILE` writes one"),
        other => of_secret(path, other),
    }
}

pub(crate) fn read_key(path: &Path) -> Result<SigningKey, CommandError> {
    SigningKey::read(path).map_err(|error| key_error(path, &error))
}

/// A public key, or a file that has one.
fn public_key(text: &str) -> Result<PublicKey, CommandError> {
    if let Some(key) = PublicKey::parse(text) {
        return Ok(key);
    }
    let wrong = |why: String| {
        CommandError::input(format!("`{text}`: {why}"))
            .help("`ifs key FILE` writes the public key into FILE.pub: `ed25519:` and 64 digits")
    };
    let found =
        world::read_text(Path::new(text), 4096).map_err(|error| wrong(error.to_string()))?;
    PublicKey::parse(&found).ok_or_else(|| wrong("it is not a public key".to_owned()))
}

/// Sign a recorded run, or the manifest of a set.
///
/// A run gets `receipt.json`, which binds the manifest of its set, its model and settings, its
/// journal, its transcripts and its scores. A set gets `manifest.signed.json`. Both are in-toto
/// statements in DSSE envelopes, signed with ed25519.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs sign runs/desk --key ~/secrets/signing.json
  ifs sign hidden --key ~/secrets/signing.json        the manifest of a set
  ifs verify runs/desk --public ~/secrets/signing.json.pub")]
pub(crate) struct Args {
    /// The folder of a run or of a set
    folder: PathBuf,
    /// The key, which `ifs key` wrote
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let key = read_key(&args.key)?;
    if args.folder.join(RUN_FILE).is_file() {
        sign_run(&Folder::resume(&args.folder)?, &key, output)?;
    } else {
        sign_set(&args.folder, &key, output)?;
    }
    Ok(Exit::Good)
}

/// Writes the receipt of a run.
pub(crate) fn sign_run(
    folder: &Folder,
    key: &SigningKey,
    output: &mut Output,
) -> Result<(), CommandError> {
    let scored = score::read(folder, &score::RescoreOptions::default(), None, output)?;
    let manifest = &scored.manifest;
    let shown = folder.path().display();
    if !manifest.complete {
        output.warn(&format!("`{shown}` is not complete, and its receipt says so"));
    }
    let computed = report::write(&scored.report(), report::Format::Json)
        .map_err(|error| CommandError::infrastructure(error.to_string()))?;
    let written = read_text(&folder.file(SCORES_FILE))?;
    if written != computed {
        return Err(CommandError::input(format!(
            "`{}` does not match the transcripts",
            folder.file(SCORES_FILE).display()
        ))
        .help(format!("`ifs score {}` writes it again", quoted(folder.path()))));
    }
    let set = match &manifest.set {
        None => Json::Null,
        Some(entry) => {
            let path = folder.file(MANIFEST);
            let set = read_manifest(&path)?;
            if set.root != entry.root {
                return Err(CommandError::input(format!(
                    "`{}` is not the manifest of the set that was run",
                    path.display()
                ))
                .help("copy it from the folder of the set"));
            }
            parse(&path)?
        }
    };
    let mut subject = Vec::new();
    for (name, _) in RUN_FILES {
        if let Some(sha256) = hash(&folder.file(name))? {
            subject.push(SignedFile { name: name.to_owned(), digest: Digests { sha256 } });
        }
    }
    let predicate = json!({
        "ifs_version": env!("CARGO_PKG_VERSION"),
        "model": manifest.model,
        "run": parse(&folder.file(RUN_FILE))?,
        "set": set,
        "files": names_in(folder.path())?,
        "scores": metrics(&parse(&folder.file(SCORES_FILE))?),
    });
    let path = folder.file(RECEIPT);
    write(&path, key, RUN_PREDICATE_TYPE, subject, predicate)?;
    output.line(&format!("{}: signed by {}", path.display(), key.public()));
    Ok(())
}

fn sign_set(folder: &Path, key: &SigningKey, output: &mut Output) -> Result<(), CommandError> {
    let path = folder.join(MANIFEST);
    if !path.is_file() {
        return Err(CommandError::input(format!(
            "`{}` is neither the folder of a run nor of a set",
            folder.display()
        ))
        .help("a run has `run.json`, a set has `manifest.json`"));
    }
    read_manifest(&path)?;
    let sha256 = hash(&path)?.unwrap_or_default();
    let subject = vec![SignedFile { name: MANIFEST.to_owned(), digest: Digests { sha256 } }];
    let predicate = json!({ "set": parse(&path)?, "files": names_in(folder)? });
    let to = folder.join(SIGNED_MANIFEST);
    write(&to, key, SET_PREDICATE_TYPE, subject, predicate)?;
    output.line(&format!("{}: signed by {}", to.display(), key.public()));
    Ok(())
}

fn write(
    path: &Path,
    key: &SigningKey,
    predicate_type: &str,
    subject: Vec<SignedFile>,
    predicate: Json,
) -> Result<(), CommandError> {
    let statement = InTotoStatement {
        ty: STATEMENT_TYPE.to_owned(),
        subject,
        predicate_type: predicate_type.to_owned(),
        predicate,
    };
    let mut text = serde_json::to_string_pretty(&key.sign(&statement)).unwrap_or_default();
    text.push('\n');
    ifs_base::replace::write(path, text.as_bytes())
        .map_err(|error| CommandError::infrastructure(format!("`{}`: {error}", path.display())))
}

/// The names of the files in a folder, without those that signing writes and the ledger, which grows.
fn names_in(folder: &Path) -> Result<Vec<String>, CommandError> {
    let unread =
        |error: std::io::Error| CommandError::input(format!("`{}`: {error}", folder.display()));
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unread)? {
        let name = entry.map_err(unread)?.file_name().to_string_lossy().into_owned();
        if ![RECEIPT, SIGNED_MANIFEST, LEDGER_FILE].contains(&name.as_str()) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// The SHA-256 hash of a file; `None` if there is none.
fn hash(path: &Path) -> Result<Option<String>, CommandError> {
    let wrong =
        |error: std::io::Error| CommandError::input(format!("`{}`: {error}", path.display()));
    let mut file = match world::open_regular(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(wrong)?,
    };
    let (mut hasher, mut bytes) = (Sha256::default(), vec![0; 1 << 16]);
    loop {
        let read = file.read(&mut bytes).map_err(wrong)?;
        if read == 0 {
            return Ok(Some(hasher.finish()));
        }
        hasher.update(&bytes[..read]);
    }
}

fn parse(path: &Path) -> Result<Json, CommandError> {
    serde_json::from_str(&read_text(path)?)
        .map_err(|error| CommandError::input(format!("`{}`: {error}", path.display())))
}

/// The values of the metrics by name.
fn metrics(scores: &Json) -> Json {
    let entries = scores["metrics"].as_array().into_iter().flatten();
    let value = |entry: &Json| Some((entry["name"].as_str()?.to_owned(), entry["value"].clone()));
    Json::Object(entries.filter_map(value).collect())
}

/// What a signature was checked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signed {
    Run,
    Set,
}

/// Checks the signature of a run or of a manifest, and that nothing was changed since.
pub(crate) fn verify(
    path: &Path,
    public: &str,
    output: &mut Output,
) -> Result<Signed, CommandError> {
    let key = public_key(public)?;
    let (folder, envelope) = match path.is_dir() {
        true if [RUN_FILE, RECEIPT].iter().any(|name| path.join(name).is_file()) => {
            (path, path.join(RECEIPT))
        }
        true => (path, path.join(SIGNED_MANIFEST)),
        false => (path.parent().unwrap_or(Path::new("")), path.to_owned()),
    };
    let shown = envelope.display();
    let unsigned = |error: &dyn std::fmt::Display| {
        CommandError::input(format!("`{shown}`: {error}"))
            .help(format!("`ifs sign {} --key FILE` writes it", quoted(folder)))
    };
    let text = world::read_text(&envelope, 64 << 20).map_err(|error| unsigned(&error))?;
    let read: Envelope = serde_json::from_str(&text).map_err(|error| unsigned(&error))?;
    let failed = |message: String| {
        let mut problem = CommandError::input(format!("`{shown}`: {message}"));
        problem.exit = Exit::Failed;
        problem
    };
    let statement = read.verified_statement(&key).map_err(|refused| failed(refused.to_string()))?;
    let of = match statement.predicate_type.as_str() {
        RUN_PREDICATE_TYPE => Signed::Run,
        SET_PREDICATE_TYPE => Signed::Set,
        other => return Err(failed(format!("it is a statement of the type `{other}`"))),
    };
    let expected = if envelope.ends_with(SIGNED_MANIFEST) { Signed::Set } else { Signed::Run };
    if path.is_dir() && of != expected {
        return Err(failed("it is a statement about something else".to_owned()));
    }
    let alone = !folder.join(RUN_FILE).is_file() && !folder.join(MANIFEST).is_file();
    if !alone {
        let differences = differences(folder, of, &statement)?;
        if !differences.is_empty() {
            return Err(failed(differences.join("; ")));
        }
    }
    let said = &statement.predicate;
    let subject = match of {
        Signed::Run => format!(
            "a run of {} with {} dialogues",
            said["model"].as_str().unwrap_or_default(),
            said["run"]["dialogues"]
        ),
        Signed::Set => format!("the set {}", said["set"]["root"].as_str().unwrap_or_default()),
    };
    output.line(&format!("verified: {key} signed {subject}"));
    match alone {
        true => output.line("only the signature was checked: no signed file is next to it"),
        false => {
            let names: Vec<&str> = statement.subject.iter().map(|of| of.name.as_str()).collect();
            output.line(&format!("unchanged since: {}", names.join(", ")));
        }
    }
    Ok(of)
}

/// Checks that the ledger of a set has the exposures that the receipt of a run binds.
pub(crate) fn verify_receipt(
    set: &Path,
    receipt: &Path,
    public: &str,
    output: &mut Output,
) -> Result<(), CommandError> {
    let key = public_key(public)?;
    let shown = receipt.display();
    let failed = |message: String| {
        let mut problem = CommandError::input(format!("`{shown}`: {message}"));
        problem.exit = Exit::Failed;
        problem
    };
    let envelope: Envelope = serde_json::from_str(&read_text(receipt)?)
        .map_err(|error| CommandError::input(format!("`{shown}`: {error}")))?;
    let statement = envelope.verified_statement(&key).map_err(|why| failed(why.to_string()))?;
    if statement.predicate_type != RUN_PREDICATE_TYPE {
        return Err(CommandError::input(format!("`{shown}` is not the receipt of a run")).help(
            format!("`ifs sign RUN --key FILE` writes `{RECEIPT}` into the folder of the run"),
        ));
    }
    let manifest = read_manifest(&set.join(MANIFEST))?;
    let root = statement.predicate["set"]["root"].as_str().unwrap_or_default();
    if root != manifest.root {
        return Err(failed(format!(
            "it is about a run of another set: its root is {root}, that of `{}` is {}",
            set.display(),
            manifest.root
        )));
    }
    let bound = statement.subject.iter().find(|subject| subject.name == EXPOSURE_FILE);
    let Some(bound) = bound.map(|subject| &subject.digest.sha256) else {
        return Err(failed(format!(
            "it binds no `{EXPOSURE_FILE}`: the run sent the set to no one"
        )));
    };
    let path = receipt.parent().unwrap_or(Path::new("")).join(EXPOSURE_FILE);
    let is_bound = hash(&path)?.as_ref() == Some(bound);
    let lines = if is_bound { Some(read_text(&path)?) } else { None };
    let count =
        super::sets::find_exposures(set, &manifest, bound, lines.as_deref()).map_err(|why| {
            let mut problem = CommandError::input(format!("`{}`: {why}", set.display()));
            problem.exit = Exit::Failed;
            problem
        })?;
    let exposures = super::load::counted(count, "exposure");
    output.line(&format!("verified: the ledger has {exposures} of the receipt `{shown}`"));
    Ok(())
}

/// Fields of a file that are named.
const MAX_FIELDS: usize = 5;

/// What differs from what was signed, in words.
fn differences(
    folder: &Path,
    of: Signed,
    statement: &InTotoStatement,
) -> Result<Vec<String>, CommandError> {
    let mut differences = Vec::new();
    for (name, what) in RUN_FILES {
        let signed = statement.subject.iter().find(|subject| subject.name == name);
        if signed.is_none() && of == Signed::Set {
            continue;
        }
        let found = hash(&folder.join(name))?;
        match (signed, found) {
            (None, None) => {}
            (None, Some(_)) => {
                differences.push(format!("`{name}` ({what}) was added after the run was signed"));
            }
            (Some(_), None) => differences.push(format!("`{name}` ({what}) is missing")),
            (Some(signed), Some(found)) if signed.digest.sha256 != found => {
                let mut fields = changed_fields(folder, name, &statement.predicate);
                let more = fields.len().saturating_sub(MAX_FIELDS);
                fields.truncate(MAX_FIELDS);
                if more > 0 {
                    fields.push(format!("and {more} more"));
                }
                let colon = if fields.is_empty() { "" } else { ": " };
                let fields = fields.join(", ");
                differences.push(format!("`{name}` ({what}) differs{colon}{fields}"));
            }
            (Some(_), Some(_)) => {}
        }
    }
    // Statements of earlier versions name no files.
    if let Some(signed) = statement.predicate["files"].as_array() {
        for name in names_in(folder)? {
            let is_bound = RUN_FILES.iter().any(|(bound, _)| *bound == name);
            if !is_bound && !signed.iter().any(|signed| *signed == *name) {
                differences.push(format!("`{name}` was added after it was signed"));
            }
        }
    }
    if of == Signed::Set {
        // The card follows from the manifest, so only a sound manifest tells what it has to be.
        if differences.is_empty() {
            differences.extend(super::release::card_difference(folder)?);
        }
        let set = &statement.predicate["set"];
        for (name, field) in [("rejected.jsonl", "rejected"), ("dialogues.jsonl", "file")] {
            let Some(signed) = set[field].as_str().filter(|hash| !hash.is_empty()) else {
                continue;
            };
            let Ok(bytes) = world::read_regular(&folder.join(name), 4 << 30) else { continue };
            if format!("blake3:{}", ifs_sets::tree::hash(&bytes)) != signed {
                differences.push(format!("`{name}` differs from what the manifest binds"));
            }
        }
    }
    for subject in &statement.subject {
        if !RUN_FILES.iter().any(|(name, _)| *name == subject.name) {
            differences.push(format!("`{}` is not a file that is signed", subject.name));
        }
    }
    Ok(differences)
}

/// The fields of a changed file that are not what was signed.
fn changed_fields(folder: &Path, name: &str, predicate: &Json) -> Vec<String> {
    let Ok(found) = parse(&folder.join(name)) else { return Vec::new() };
    let mut fields = Vec::new();
    match name {
        MANIFEST => compare("", &predicate["set"], &found, &mut fields),
        RUN_FILE => compare("", &predicate["run"], &found, &mut fields),
        SCORES_FILE => compare("", &predicate["scores"], &metrics(&found), &mut fields),
        _ => {}
    }
    fields
}

fn compare(place: &str, signed: &Json, found: &Json, fields: &mut Vec<String>) {
    if let (Json::Object(signed), Json::Object(found)) = (signed, found) {
        let names: std::collections::BTreeSet<&String> =
            signed.keys().chain(found.keys()).collect();
        for name in names {
            let place = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
            let value = |of: &serde_json::Map<String, Json>| of.get(name).cloned();
            let none = Json::Null;
            let (signed, found) = (value(signed), value(found));
            compare(
                &place,
                signed.as_ref().unwrap_or(&none),
                found.as_ref().unwrap_or(&none),
                fields,
            );
        }
        return;
    }
    if signed != found {
        let short = |value: &Json| -> String {
            let text = value.to_string();
            match text.chars().count() {
                0..=60 => text,
                _ => format!("{}…", text.chars().take(60).collect::<String>()),
            }
        };
        fields.push(format!("`{place}` is {}, and {} was signed", short(found), short(signed)));
    }
}
