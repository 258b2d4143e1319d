//! The shards of a run are merged into what one process would have written.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use serde::Deserialize;

use super::folder::{Folder, FolderError, MAX_TRANSCRIPT_BYTES, TRANSCRIPTS_FILE, UTTERANCES};
use super::job::{JOURNAL, JobError};
use super::manifest::RunManifest;
use super::ordered::Ordered;
use super::shard::Shard;
use ifs_base::replace;
use ifs_base::world;
use ifs_inference::{ModelSpending, ServedNames, Spent, merge_journals, spending};

/// Why shards cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Job(#[from] JobError),
    #[error("the run in `{0}` is not a shard")]
    NotAShard(String),
    #[error("`{one}` and `{other}` are both shard {shard}")]
    Twice { one: String, other: String, shard: Shard },
    #[error("`{one}` is a shard of {of}, and `{other}` one of {others}")]
    OtherCount { one: String, of: u32, other: String, others: u32 },
    #[error("{} missing", missing(.list, *.of))]
    Missing { list: Vec<u32>, of: u32 },
    #[error("`{one}` and `{other}` are not shards of one run: `{field}` is {left} and {right}")]
    Differs { one: String, other: String, field: String, left: String, right: String },
    #[error("shard {shard} in `{folder}` is not complete")]
    Incomplete { folder: String, shard: Shard },
    #[error("`{folder}` has {found} dialogues, and its run.json says {expected}")]
    Count { folder: String, found: u64, expected: u64 },
    #[error("`{folder}` has dialogue {dialogue} number {index}, which another shard has too")]
    Overlap { folder: String, dialogue: String, index: u64 },
}

fn missing(list: &[u32], of: u32) -> String {
    let names: Vec<String> = list.iter().take(5).map(|index| format!("{index}/{of}")).collect();
    let more = list.len().saturating_sub(names.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let (noun, verb) = if list.len() == 1 { ("shard", "is") } else { ("shards", "are") };
    format!("{noun} {}{more} {verb}", names.join(", "))
}

/// A shard that was read.
struct ShardFolder {
    folder: Folder,
    manifest: RunManifest,
    shard: Shard,
}

impl ShardFolder {
    fn open(path: &Path) -> Result<ShardFolder, MergeError> {
        let folder = Folder::open(path)?;
        let manifest = folder.manifest()?;
        let name = path.display().to_string();
        let Some(shard) = manifest.shard else { return Err(MergeError::NotAShard(name)) };
        Ok(ShardFolder { folder, manifest, shard })
    }

    fn name(&self) -> String {
        self.folder.path().display().to_string()
    }
}

/// Merges the shards of a run into a new folder, and returns its manifest. Nothing is requested.
///
/// # Errors
/// Returns an error if the folders are not all shards of one run, complete and each there once, or
/// if the new folder cannot be written. The shards stay as they are.
pub fn merge<P: AsRef<Path>>(
    shards: &[P],
    out: &Path,
) -> Result<(Folder, RunManifest), MergeError> {
    let mut parts = Vec::with_capacity(shards.len());
    for path in shards {
        parts.push(ShardFolder::open(path.as_ref())?);
    }
    parts.sort_by_key(|part| part.shard.index);
    checked(&parts)?;
    let Some(first) = parts.first() else {
        return Err(MergeError::Missing { list: vec![1], of: 1 });
    };
    let folder = Folder::begin_merge(out)?;
    let plan = first.folder.plan()?;
    folder.write("plan.json", &first.folder.read("plan.json")?)?;
    let mut pictures = plan.model.pictures;
    first.folder.read_pictures(&mut pictures)?;
    folder.write_pictures(&pictures)?;
    for name in [UTTERANCES, SET_MANIFEST] {
        if first.folder.file(name).is_file() {
            folder.write(name, &first.folder.read(name)?)?;
        }
    }
    let mut manifest = shared_manifest(&first.manifest);
    manifest.dialogues = parts.iter().map(|part| part.manifest.dialogues).sum();
    manifest.addresses = addresses(&parts);
    for part in &parts {
        manifest.spent.add(&part.manifest.spent);
        for (model, names) in &part.manifest.served {
            let all = manifest.served.entry(model.clone()).or_default();
            for (name, count) in names {
                *all.entry(name.clone()).or_default() += count;
            }
        }
    }
    manifest.started = parts.iter().filter_map(|part| part.manifest.started).min();
    manifest.ended = parts.iter().filter_map(|part| part.manifest.ended).max();
    // Until the transcripts are there, the folder is one of a run that has not ended.
    folder.write_manifest(&manifest)?;
    let journal = |part: &ShardFolder| (part.folder.file(JOURNAL), part.manifest.identity());
    let journals: Vec<_> = parts.iter().map(journal).collect();
    if journals.iter().any(|(journal, _)| journal.is_file()) {
        merge_journals(&journals, &folder.file(JOURNAL), &manifest.identity())
            .map_err(JobError::from)?;
        let path = folder.file(JOURNAL);
        let merged = spending(&path, |_| None);
        manifest.spending =
            merged.map_err(|error| FolderError::Io { path: path.display().to_string(), error })?;
        add_money(&mut manifest.spending, &parts);
    }
    manifest.transcripts = Some(interleave(&parts, &folder)?);
    manifest.complete = true;
    folder.write_manifest(&manifest)?;
    folder.end_merge()?;
    Ok((folder, manifest))
}

/// Each shard was paid by the prices of its day.
fn add_money(merged: &mut [ModelSpending], parts: &[ShardFolder]) {
    let of_parts = || parts.iter().flat_map(|part| &part.manifest.spending);
    for all in merged {
        let is_same = |it: &&ModelSpending| it.role == all.role && it.model == all.model;
        all.priced = of_parts().filter(is_same).all(|part| part.priced);
        for part in of_parts().filter(is_same) {
            all.spent.money = all.spent.money.plus(part.spent.money);
        }
    }
}

/// The manifest of a set, which `ifs run --set` copies into the folder.
const SET_MANIFEST: &str = "manifest.json";

/// The manifest without what differs between shards.
fn shared_manifest(manifest: &RunManifest) -> RunManifest {
    RunManifest {
        shard: None,
        dialogues: 0,
        complete: false,
        transcripts: None,
        failed: 0,
        permanent: 0,
        served: ServedNames::default(),
        spent: Spent::default(),
        spending: Vec::new(),
        started: None,
        ended: None,
        ..manifest.clone()
    }
}

/// The models that shards used at several addresses, with all of them, in the order of the shards.
/// A model has one name and may be served on many machines.
fn addresses(parts: &[ShardFolder]) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for part in parts {
        for (model, address) in located(&mut part.manifest.clone()) {
            let Some(address) = address.take() else { continue };
            let known = all.entry(model).or_default();
            if !known.contains(&address) {
                known.push(address);
            }
        }
    }
    all.retain(|_, known| known.len() > 1);
    all
}

/// The models of a run with their addresses.
fn located(manifest: &mut RunManifest) -> Vec<(String, &mut Option<String>)> {
    let mut all = vec![(manifest.model.clone(), &mut manifest.address)];
    let judges = manifest.judging.iter_mut().flat_map(|judging| &mut judging.judges);
    all.extend(judges.map(|judge| (judge.model.clone(), &mut judge.address)));
    let extractors = [&mut manifest.coder, &mut manifest.extractor].into_iter().flatten();
    all.extend(extractors.map(|entry| (entry.model.clone(), &mut entry.address)));
    all
}

/// Checks that the parts are all shards of one run.
fn checked(parts: &[ShardFolder]) -> Result<(), MergeError> {
    let Some(first) = parts.first() else { return Ok(()) };
    for pair in parts.windows(2) {
        let [one, other] = pair else { continue };
        if one.shard.of != other.shard.of {
            return Err(MergeError::OtherCount {
                one: one.name(),
                of: one.shard.of,
                other: other.name(),
                others: other.shard.of,
            });
        }
        if one.shard == other.shard {
            let shard = one.shard;
            return Err(MergeError::Twice { one: one.name(), other: other.name(), shard });
        }
    }
    for other in parts.iter().skip(1) {
        differs(first, other)?;
    }
    let given: BTreeSet<u32> = parts.iter().map(|part| part.shard.index).collect();
    let list: Vec<u32> = (1..=first.shard.of).filter(|index| !given.contains(index)).collect();
    if !list.is_empty() {
        return Err(MergeError::Missing { list, of: first.shard.of });
    }
    match parts.iter().find(|part| !part.manifest.complete) {
        None => Ok(()),
        Some(part) => Err(MergeError::Incomplete { folder: part.name(), shard: part.shard }),
    }
}

/// Compares all settings of two shards, except at which address a model is.
fn differs(one: &ShardFolder, other: &ShardFolder) -> Result<(), MergeError> {
    // A manifest has texts, numbers and lists of them, which always serialize.
    let fields = |part: &ShardFolder| {
        let mut manifest = shared_manifest(&part.manifest);
        for (_, address) in located(&mut manifest) {
            *address = address.take().map(|_| String::new());
        }
        match serde_json::to_value(manifest) {
            Ok(serde_json::Value::Object(fields)) => fields,
            _ => serde_json::Map::default(),
        }
    };
    let (left, right) = (fields(one), fields(other));
    let names: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    let shown = |value: Option<&serde_json::Value>| match value {
        Some(value) => value.to_string(),
        None => "not given".to_owned(),
    };
    match names.into_iter().find(|name| left.get(*name) != right.get(*name)) {
        None => Ok(()),
        Some(name) => Err(MergeError::Differs {
            one: one.name(),
            other: other.name(),
            field: name.clone(),
            left: shown(left.get(name)),
            right: shown(right.get(name)),
        }),
    }
}

/// The beginning of a transcript.
#[derive(Deserialize)]
struct TranscriptHead {
    dialogue: String,
    index: u64,
}

/// Writes the transcripts in the order of the selection: one of each shard in turn. Returns their
/// hash.
fn interleave(parts: &[ShardFolder], folder: &Folder) -> Result<String, MergeError> {
    let io = |folder: &Folder, error| FolderError::Io {
        path: folder.file(TRANSCRIPTS_FILE).display().to_string(),
        error,
    };
    let mut readers = Vec::with_capacity(parts.len());
    for part in parts {
        let file = world::open_regular(&part.folder.file(TRANSCRIPTS_FILE))
            .map_err(|error| io(&part.folder, error))?;
        readers.push((part, BufReader::new(file), blake3::Hasher::new(), 0_u64));
    }
    let mut ordered =
        Ordered::create(folder.path(), TRANSCRIPTS_FILE).map_err(|e| io(folder, e))?;
    let (mut seen, mut at, mut line) = (BTreeSet::new(), 0, Vec::new());
    loop {
        let mut any = false;
        for (part, reader, hasher, count) in &mut readers {
            line.clear();
            let read = reader.take(MAX_TRANSCRIPT_BYTES + 1).read_until(b'\n', &mut line);
            if read.map_err(|error| io(&part.folder, error))? == 0 {
                continue;
            }
            (any, *count) = (true, *count + 1);
            hasher.update(&line);
            let text = std::str::from_utf8(&line).unwrap_or_default().trim_end_matches('\n');
            let head: TranscriptHead = serde_json::from_str(text)
                .map_err(|error| part.folder.damaged(TRANSCRIPTS_FILE, error))?;
            if !seen.insert((head.dialogue.clone(), head.index)) {
                let TranscriptHead { dialogue, index } = head;
                return Err(MergeError::Overlap { folder: part.name(), dialogue, index });
            }
            ordered.write(at, text).map_err(|error| io(folder, error))?;
            at += 1;
        }
        if !any {
            break;
        }
    }
    for (part, _, hasher, found) in &readers {
        let expected = part.manifest.dialogues;
        if *found != expected {
            return Err(MergeError::Count { folder: part.name(), found: *found, expected });
        }
        let hash = hasher.finalize().to_hex().to_string();
        if part.manifest.transcripts.as_deref() != Some(&hash) {
            return Err(part.folder.changed(TRANSCRIPTS_FILE, "its hash does not match").into());
        }
    }
    let written = ordered.finish().map_err(|error| io(folder, error))?;
    let hash = written.hash.clone();
    written.settle().map_err(|error| io(folder, error))?;
    replace::sync_folder(&folder.file(TRANSCRIPTS_FILE));
    Ok(hash)
}
