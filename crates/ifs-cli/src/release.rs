//! `ifs release`, `ifs verify`, `ifs open` and `ifs secret`: sets of dialogues that can be verified
//! later.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use super::exit::{CommandError, Exit};
use super::load::{self, DialogueArgs, counted};
use super::output::Output;
use super::set_files::{
    MANIFEST, UNFINISHED_SET, of_secret, read_manifest, read_text, unwritten_secret,
};
use super::sign::{self, Signed};
use super::{lock, revision};
use ifs_audit::summary;
use ifs_base::diagnostic::visible_json;
use ifs_base::parallel::{in_order, workers};
use ifs_base::world;
use ifs_draw::{DrawError, Drawer, FIRST_ANCHOR, SecretKey, Seed};
use ifs_model::split::of_variant;
use ifs_plan::Plan;
use ifs_plan::lock::Lock;
use ifs_run::{
    DialogueOptions, GIT_IGNORE, Selection, SkipReason, SkippedDialogue, available, release_of,
};
use ifs_sets::{
    Beacon, Coverage, DrawnSet, MasterSecret, Mismatch, Opening, Secret, SetManifest, UnprovenTurn,
    WordingSample, draw_set, manifest, verify_opening,
};

const DIALOGUES_FILE: &str = "dialogues.jsonl";
const REJECTED_FILE: &str = "rejected.jsonl";
/// Says which file of the folder has the rows, for libraries and hubs that read data sets.
const CARD_FILE: &str = "README.md";

/// The longest data card that is read, in bytes.
const MAX_CARD_BYTES: u64 = 1 << 20;

/// The longest set that is read, in bytes.
const MAX_SET_BYTES: u64 = 4 << 30;

/// Write a new secret for hidden sets.
///
/// 32 bytes from the operating system, in a file that only its owner may read. Keep it out of
/// repositories and logs: with it, anyone can draw every set that was made with it. Each epoch has a
/// key of its own, which `ifs reveal` prints; with `--epoch`, the commitment to that key is printed,
/// for publication before the value of a beacon is known.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs secret ~/secrets/desk-2026.json
  ifs secret ~/secrets/desk-2026.json --epoch 2026-12
  ifs release desk.ifs --secret ~/secrets/desk-2026.json --epoch 2026-12 --out hidden")]
pub(crate) struct SecretArgs {
    /// The file to write; it must not exist, except with `--epoch`
    file: PathBuf,
    /// Print the commitment to the key of this epoch
    #[arg(long, value_name = "NAME")]
    epoch: Option<String>,
}

pub(crate) fn secret(args: SecretArgs, output: &mut Output) -> Result<Exit, CommandError> {
    let shown = args.file.display();
    if let Some(epoch) = args.epoch.as_ref().filter(|_| args.file.exists()) {
        let key = Secret::read(&args.file, epoch).map_err(|error| of_secret(&args.file, &error))?;
        output.line(&format!("{shown}: epoch {epoch}, commitment {}", key.commitment()));
        return Ok(Exit::Good);
    }
    let secret =
        MasterSecret::new().map_err(|error| CommandError::infrastructure(error.to_string()))?;
    secret.write_new(&args.file).map_err(|error| unwritten_secret(&args.file, &error))?;
    output.line(&match &args.epoch {
        Some(epoch) => {
            format!("{shown}: epoch {epoch}, commitment {}", secret.epoch(epoch).commitment())
        }
        None => format!("{shown}: a new secret; each epoch has its own commitment"),
    });
    Ok(Exit::Good)
}

/// Print the key of an epoch, so that anyone can verify its sets.
///
/// The key draws the sets of this epoch, and no others: neither the secret nor the key of another
/// epoch can be derived from it. Anchors, which all epochs share, are revealed only with
/// `--with-anchors`; a set that has anchors cannot be drawn again without them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs reveal ~/secrets/desk-2026.json --epoch 2026-12 > key-2026-12.json
  ifs verify hidden --scenario desk.ifs --secret key-2026-12.json")]
pub(crate) struct RevealArgs {
    /// The secret, which `ifs secret` wrote
    file: PathBuf,
    /// The epoch to reveal
    #[arg(long, value_name = "NAME")]
    epoch: String,
    /// Reveal the anchors of all epochs, too
    #[arg(long)]
    with_anchors: bool,
}

pub(crate) fn reveal(args: RevealArgs, output: &mut Output) -> Result<Exit, CommandError> {
    let secret = MasterSecret::read(&args.file).map_err(|error| of_secret(&args.file, &error))?;
    output.json_line(&secret.epoch(&args.epoch).reveal(args.with_anchors));
    Ok(Exit::Good)
}

/// Draw a set of dialogues, freeze its messages, and commit to it.
///
/// Writes `dialogues.jsonl`, a line for each dialogue, and `manifest.json`: hashes, canary, coverage,
/// and what was rejected. With `--secret` the set is hidden: its manifest can be published,
/// because no dialogue can be derived from it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs release desk.ifs --out public
  ifs release desk.ifs --secret key.json --epoch 2026-12 --out hidden \\
      --holder 'the authors' --reveal 'on 1 March 2027'
  ifs verify hidden --scenario desk.ifs --secret key.json")]
pub(crate) struct Args {
    #[command(flatten)]
    which: DialogueArgs,
    /// The folder to write; it must not exist
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Number of dialogues; by default that of the scenario's release, or else one for each record
    /// that the dialogue goes over, or else 20
    #[arg(short = 'n', long, value_name = "N", value_parser = super::distinct::chosen)]
    count: Option<u64>,
    /// Maximum number of turns of a dialogue that are written; by default 100 where moves or flows choose
    /// the turns, and otherwise 1000
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    turns: Option<u32>,
    /// Seed of a public set; that of the scenario's release by default, or 1
    #[arg(long, conflicts_with = "secret")]
    seed: Option<u64>,
    /// Draw a hidden set with the secret in this file
    #[arg(long, value_name = "FILE")]
    secret: Option<PathBuf>,
    /// The period that the set is for; another one gives another set with the same distribution
    #[arg(long, default_value = "1", value_name = "NAME")]
    epoch: String,
    /// Public randomness that was not known when the commitment was published
    #[arg(long, value_name = "HEX", requires_all = ["secret", "beacon_source", "beacon_round"])]
    beacon: Option<String>,
    /// Where the value of the beacon is published, such as `drand quicknet`
    #[arg(long, value_name = "TEXT", requires = "beacon")]
    beacon_source: Option<String>,
    /// The round of the beacon
    #[arg(long, value_name = "TEXT", requires = "beacon")]
    beacon_round: Option<String>,
    /// The rule by which results will be interpreted
    #[arg(long, default_value = "", value_name = "TEXT")]
    decision_rule: String,
    /// Who keeps the secret
    #[arg(long, default_value = "", value_name = "TEXT")]
    holder: String,
    /// When the secret is revealed
    #[arg(long, default_value = "", value_name = "TEXT")]
    reveal: String,
    /// Release turns for which no witness was found; the manifest records it
    #[arg(long)]
    allow_unproven: bool,
}

impl Args {
    fn beacon(&self) -> Result<Option<Beacon>, CommandError> {
        let (Some(value), Some(source), Some(round)) =
            (&self.beacon, &self.beacon_source, &self.beacon_round)
        else {
            return Ok(None);
        };
        // 128 bits: a holder could try all secrets for a shorter one.
        const MIN_DIGITS: usize = 32;
        let is_hex = value.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        if !is_hex || value.len() < MIN_DIGITS || value.len() > 1024 {
            return Err(CommandError::usage(format!(
                "`--beacon {value}`: {MIN_DIGITS} or more lower-case hexadecimal digits are expected"
            ))
            .help("give the randomness of one round as its source publishes it"));
        }
        let (source, round) = (source.clone(), round.clone());
        Ok(Some(Beacon { source, round, value: value.clone() }))
    }
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let secret = match &args.secret {
        Some(path) => {
            Some(Secret::read(path, &args.epoch).map_err(|error| of_secret(path, &error))?)
        }
        None => None,
    };
    let beacon = args.beacon()?;
    let (program, dialogue) = load::dialogue(&args.which, output)?;
    let plan = &program.plan;
    let public = load::public(&args.which)?;
    let name = dialogue.table.name.as_str();
    let release = release_of(plan, name);
    let own_seed = release.and_then(|release| release.seed);
    let mut made = SetManifest {
        release: release.map_or("set", |release| release.name.as_str()).to_owned(),
        epoch: args.epoch.clone(),
        dialogue: name.to_owned(),
        split: args.which.split.clone(),
        variant: args.which.varied(),
        dialogues: args.count.or(available(&program.drawer(name)?)).unwrap_or(20),
        turns: args.turns.unwrap_or(if dialogue.table.is_written_out() { 1000 } else { 100 }),
        seed: if secret.is_none() { args.seed.or(own_seed).or(Some(1)) } else { None },
        decision_rule: args.decision_rule.clone(),
        holder: args.holder.clone(),
        reveal: args.reveal.clone(),
        beacon,
        allow_unproven: args.allow_unproven,
        ..manifest_origin(plan, &args.which.file)?
    };
    if let Some((commit, dirty)) = revision::checked_out(&args.which.file, &program.inputs, output)
    {
        (made.revision, made.dirty) = (Some(commit), dirty);
    }
    made.commit(secret.as_ref());
    let folder = SetFolder::begin(&args.out, output)?;
    let write = || -> Result<SetManifest, CommandError> {
        if secret.is_some() {
            let path = args.out.join(GIT_IGNORE);
            let written = ifs_base::replace::write(&path, HIDDEN_SET_IGNORED.as_bytes());
            written.map_err(|error| at(&path, &error))?;
        }
        let path = args.out.join(DIALOGUES_FILE);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if secret.is_some() {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let file = options.open(&path).map_err(|error| at(&path, &error))?;
        let mut file = BufWriter::new(file);
        let set = draw(&made, plan, public.as_ref(), secret.as_ref(), |_, line| {
            file.write_all(line).map_err(|error| at(&path, &error))
        })?;
        if !args.allow_unproven {
            refuse_unproven(&set)?;
        }
        let SetWithRejected { manifest: drawn, rejected, .. } = set;
        let file = file.into_inner().map_err(|error| at(&path, error.error()))?;
        file.sync_all().map_err(|error| at(&path, &error))?;
        let path = args.out.join(REJECTED_FILE);
        ifs_base::replace::write(&path, rejected.as_bytes()).map_err(|error| at(&path, &error))?;
        let path = args.out.join(CARD_FILE);
        let written = ifs_base::replace::write(&path, card(&drawn).as_bytes());
        written.map_err(|error| at(&path, &error))?;
        let mut text = serde_json::to_string_pretty(&drawn).unwrap_or_default();
        text.push('\n');
        folder.finish(&text)?;
        Ok(drawn)
    };
    let made = write().inspect_err(|_| folder.remove())?;
    let coverage = &made.coverage;
    output.line(&format!(
        "{}: {}, {}; {} with a witness, {} only a judge can decide, {} without a witness",
        args.out.display(),
        load::counted(usize::try_from(made.dialogues).unwrap_or(usize::MAX), "dialogue"),
        load::counted(usize::try_from(coverage.turns).unwrap_or(usize::MAX), "turn"),
        coverage.witnessed,
        coverage.judged_only,
        coverage.without_witness,
    ));
    for line in made.audit.iter().flat_map(super::deep::audit_lines) {
        output.line(line.trim_start());
    }
    output.line(&format!("root {}", made.root));
    match &made.commitment {
        Some(commitment) => {
            output.line(&format!("commitment {commitment}; publish {MANIFEST} alone"))
        }
        None => output.line(&format!("seed {}", made.seed.unwrap_or_default())),
    }
    Ok(Exit::Good)
}

fn at(path: &Path, error: &std::io::Error) -> CommandError {
    match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            CommandError::input(format!("`{}` already exists", path.display()))
                .help("choose another folder; nothing was changed")
        }
        std::io::ErrorKind::NotFound => {
            let parent = path.parent().unwrap_or(path).display().to_string();
            CommandError::input(format!("`{}`: there is no folder `{parent}`", path.display()))
                .help("create it first, or choose another folder")
        }
        _ => CommandError::infrastructure(format!("`{}`: {error}", path.display())),
    }
}

/// The data card of a set. Without its head, the manifest would be read as rows of the data.
fn card(made: &SetManifest) -> String {
    let SetManifest { benchmark, version, dialogue, dialogues, root, .. } = made;
    let scenario = format!("{benchmark} {version}");
    format!(
        "---\nconfigs:\n- config_name: default\n  data_files: {DIALOGUES_FILE}\n---\n\n# {}\n\n\
         {dialogues} dialogues of `{dialogue}`, which `ifs release` drew. `{MANIFEST}` has their root, \
         `{root}`, and `ifs verify` draws them again.\n",
        scenario.trim()
    )
}

/// How the data card of a set differs from the one that follows from its manifest. Another version of
/// ifs may have written another text.
pub(crate) fn card_difference(set: &Path) -> Result<Option<String>, CommandError> {
    let manifest = read_manifest(&set.join(MANIFEST))?;
    if manifest.ifs_version != env!("CARGO_PKG_VERSION") {
        return Ok(None);
    }
    let path = set.join(CARD_FILE);
    Ok(match world::read_text(&path, MAX_CARD_BYTES) {
        Ok(text) if text == card(&manifest) => None,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Some(format!("`{CARD_FILE}` is missing"))
        }
        Ok(_) | Err(_) => {
            Some(format!("`{CARD_FILE}` is not the one that follows from the manifest"))
        }
    })
}

/// Of a hidden set, only the manifest may be published.
const HIDDEN_SET_IGNORED: &str = "\
# The set is hidden: only its manifest may be published.
*
!.gitignore
!manifest.json
!manifest.signed.json
";

/// The folder of a set that is being written. Its manifest comes last; until then a file says that
/// the set is unfinished, and the same command may draw it again.
struct SetFolder<'p> {
    path: &'p Path,
    /// The lock, so that two commands do not write to it at a time.
    _claim: Option<std::fs::File>,
}

impl<'p> SetFolder<'p> {
    /// Creates the folder, or continues one that a killed command left.
    fn begin(path: &'p Path, output: &mut Output) -> Result<SetFolder<'p>, CommandError> {
        let created = std::fs::create_dir(path);
        let is_unfinished = created.is_err() && path.join(UNFINISHED_SET).is_file();
        match created {
            Err(_) if is_unfinished => {}
            // It was killed before its first file.
            Err(error) if std::fs::read_dir(path).is_ok_and(|mut all| all.next().is_none()) => {
                drop(error);
            }
            other => other.map_err(|error| at(path, &error))?,
        }
        // If the system cannot lock a folder, the user must not start two commands in it.
        let claim = std::fs::File::open(path).ok();
        if let Some(Err(std::fs::TryLockError::WouldBlock)) =
            claim.as_ref().map(std::fs::File::try_lock)
        {
            let why = format!("`{}` is being written by another ifs", path.display());
            return Err(CommandError::infrastructure(why).help("wait until it is done, or stop it"));
        }
        let folder = SetFolder { path, _claim: claim };
        if is_unfinished {
            output.note(&format!(
                "the set in {} is unfinished, because a command was stopped: it is drawn again",
                path.display()
            ));
            folder.remove_files();
        }
        let marker = path.join(UNFINISHED_SET);
        // Without a draft: the file is there or not.
        ifs_base::replace::fresh(&marker).map_err(|error| at(&marker, &error))?;
        Ok(folder)
    }

    /// Writes the manifest, with which the set is finished.
    fn finish(&self, manifest: &str) -> Result<(), CommandError> {
        let (marker, path) = (self.path.join(UNFINISHED_SET), self.path.join(MANIFEST));
        let renamed = ifs_base::replace::write(&marker, manifest.as_bytes())
            .and_then(|()| std::fs::rename(&marker, &path));
        renamed.map_err(|error| at(&path, &error))?;
        ifs_base::replace::sync_folder(&path);
        Ok(())
    }

    /// Removes the files of an unfinished set, and nothing else.
    fn remove_files(&self) {
        let entries = std::fs::read_dir(self.path).into_iter().flatten().flatten();
        for name in entries.filter_map(|entry| entry.file_name().into_string().ok()) {
            if ifs_base::replace::is_any_draft(&name)
                || [DIALOGUES_FILE, REJECTED_FILE, CARD_FILE, GIT_IGNORE].contains(&name.as_str())
            {
                let _ = std::fs::remove_file(self.path.join(name));
            }
        }
    }

    /// Removes them and the folder, if nothing else is in it.
    fn remove(&self) {
        self.remove_files();
        let _ = std::fs::remove_file(self.path.join(UNFINISHED_SET));
        let _ = std::fs::remove_dir(self.path);
    }
}

/// The origin of a scenario, for the manifest.
fn manifest_origin(plan: &Plan, file: &Path) -> Result<SetManifest, CommandError> {
    let (_, locked) = lock::locked(file)?;
    // A comment in the library changes no set.
    // A moved file does not either.
    let locked =
        locked.map(|lock| Lock { library: BTreeMap::new(), files: BTreeMap::new(), ..lock });
    let locked = serde_json::to_vec(&locked).unwrap_or_default();
    Ok(SetManifest {
        ifs_release: manifest::FORMAT,
        benchmark: plan.model.benchmark.name.clone(),
        about: plan.model.benchmark.fields.clone(),
        version: plan.model.benchmark.version.clone(),
        edition: plan.model.edition,
        ifs_version: env!("CARGO_PKG_VERSION").to_owned(),
        definition: plan.hash(),
        lock: blake3_of(&locked),
        ..SetManifest::default()
    })
}

fn blake3_of(bytes: &[u8]) -> String {
    format!("blake3:{}", ifs_sets::tree::hash(bytes))
}

/// A set that was drawn.
struct SetWithRejected {
    manifest: SetManifest,
    /// The lines of rejected dialogues.
    rejected: String,
    /// The first turns without a witness.
    unproven: Vec<UnprovenTurn>,
}

/// Names the turns without a witness: a model may fail them whatever it says.
fn refuse_unproven(set: &SetWithRejected) -> Result<(), CommandError> {
    if set.unproven.is_empty() {
        return Ok(());
    }
    let all = set.manifest.coverage.without_witness;
    let mut lines: Vec<String> = set
        .unproven
        .iter()
        .map(|UnprovenTurn { index, turn, constraints }| {
            let names: Vec<String> = constraints.iter().map(|name| format!("`{name}`")).collect();
            format!("dialogue {index}, turn {turn}: {}", names.join(", "))
        })
        .collect();
    let more = all.saturating_sub(lines.len() as u64);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    let turns = counted(usize::try_from(all).unwrap_or(usize::MAX), "turn");
    Err(CommandError::input(format!(
        "no text was found that satisfies what is required on {turns} of the set\n{}",
        lines.join("\n")
    ))
    .help(
        "let the dialogue `redraw until witness`, require less, give such turns an `answer`, or \
         release them with --allow-unproven",
    ))
}

/// Draws the set of a manifest, and fills in the results.
fn draw(
    made: &SetManifest,
    plan: &Plan,
    public: Option<&Plan>,
    secret: Option<&Secret>,
    mut give: impl FnMut(u64, &[u8]) -> Result<(), CommandError> + Send,
) -> Result<SetWithRejected, CommandError> {
    let drawer = Drawer::new(plan, &made.dialogue)?;
    let drawer = match secret {
        Some(secret) => drawer.hidden(secret.key(made)),
        None => drawer,
    };
    let wanted = DialogueOptions {
        // The seed of a hidden set is not used.
        seed: Some(made.seed.unwrap_or_default()),
        count: Some(made.dialogues),
        max_turns: Some(made.turns),
        utterances: None,
    };
    let chosen = wanted.choose(&drawer)?;
    let selection = &chosen.selection;
    let found = selection.dialogues.len() as u64;
    super::distinct::selected(made.dialogues, selection)?;
    if found < made.dialogues {
        return Err(CommandError::input(format!(
            "{} are requested, and {found} with different texts are found among {} that were drawn",
            counted(usize::try_from(made.dialogues).unwrap_or(usize::MAX), "dialogue"),
            found + selection.passed.len() as u64,
        ))
        .help(format!("`-n {found}` releases them")));
    }
    let rejected = rejected(selection, &made.canary, secret.is_some());
    let mut file = ifs_sets::tree::Hasher::default();
    let set = DrawnSet {
        drawer: &drawer,
        seed: Seed(made.seed.unwrap_or_default()),
        selected: &selection.dialogues,
        turns: made.turns,
        canary: &made.canary,
        release: &made.release,
        epoch: &made.epoch,
    };
    let salt = |number| secret.map_or([0; 32], |secret| secret.leaf_salt(made, number));
    let written = draw_set(&set, salt, |number, line| {
        file.update(line);
        give(number, line)
    })?;
    let coverage = match secret {
        Some(secret) => without_long_names(written.coverage, secret.key(made)),
        None => written.coverage,
    };
    let mut drawn = SetManifest {
        root: ifs_sets::tree::root(&written.leaves).to_hex().to_string(),
        file: secret.is_none().then(|| format!("blake3:{}", file.finish())),
        acceptance: acceptance(selection),
        audit: Some(summary(plan, &made.dialogue, Seed(made.seed.unwrap_or(1)))?),
        rejected: blake3_of(rejected.as_bytes()),
        public: match public {
            Some(public) => Some(shared_wording(made, public, &written.wording)?),
            None => None,
        },
        coverage,
        difficulty: written.difficulty,
        ..made.clone()
    };
    drawn.seal(secret);
    Ok(SetWithRejected { manifest: drawn, rejected, unproven: written.unproven })
}

fn acceptance(selection: &Selection) -> manifest::Acceptance {
    let count = |is: fn(&SkipReason) -> bool| {
        selection.passed.iter().filter(|passed| is(&passed.reason)).count() as u64
    };
    let anchors = selection.dialogues.iter().filter(|selected| selected.index >= FIRST_ANCHOR);
    manifest::Acceptance {
        candidates: (selection.dialogues.len() + selection.passed.len()) as u64,
        rejected: count(|reason| *reason == SkipReason::Keep),
        repeats: count(|reason| matches!(reason, SkipReason::Repeats(_))),
        near_duplicates: count(|reason| matches!(reason, SkipReason::Alike { .. })),
        over_quota: count(|reason| matches!(reason, SkipReason::Quota(_))),
        not_needed: count(|reason| *reason == SkipReason::NotNeeded),
        anchors: anchors.count() as u64,
    }
}

/// A dialogue that was skipped, as a line of the file.
#[derive(serde::Serialize)]
struct RejectedRow<'a> {
    canary: &'a str,
    index: u64,
    reason: &'static str,
    /// The dialogue that it repeats or resembles.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    share: Option<f64>,
    /// The feature whose quota was full.
    #[serde(skip_serializing_if = "Option::is_none")]
    full: Option<&'a str>,
}

/// A line for each dialogue that was skipped. A hidden set names no feature of it.
fn rejected(selection: &Selection, canary: &str, is_hidden: bool) -> String {
    let mut text = String::new();
    for SkippedDialogue { index, reason } in &selection.passed {
        let (word, of, share, full) = match reason {
            SkipReason::Keep => ("keep", None, None, None),
            SkipReason::Repeats(of) => ("repeats", Some(*of), None, None),
            SkipReason::Alike { of, share } => {
                ("alike", Some(*of), Some((share * 100.0).round() / 100.0), None)
            }
            SkipReason::Quota(of) => {
                ("quota", None, None, Some(of.as_str()).filter(|_| !is_hidden))
            }
            SkipReason::NotNeeded => ("not needed", None, None, None),
        };
        let row = RejectedRow { canary, index: *index, reason: word, of, share, full };
        text.push_str(&serde_json::to_string(&row).unwrap_or_default());
        text.push('\n');
    }
    text
}

/// The wording that a set shares with the public one of the same size.
fn shared_wording(
    made: &SetManifest,
    public: &Plan,
    wording: &WordingSample,
) -> Result<manifest::SharedWording, CommandError> {
    let drawer = Drawer::new(public, &made.dialogue)?;
    let wanted = DialogueOptions {
        count: Some(made.dialogues),
        max_turns: Some(made.turns),
        ..DialogueOptions::default()
    };
    let chosen = wanted.choose(&drawer)?;
    let selected = &chosen.selection.dialogues;
    let mut of = WordingSample::default();
    let mut left = selected.iter();
    in_order::<_, _, CommandError>(
        workers(),
        || Ok(left.next()),
        |selected| -> Result<Vec<String>, DrawError> {
            let script = drawer.script(chosen.seed, selected.index).take_both_sides();
            let turns = script.take(made.turns as usize);
            turns.map(|turn| turn.map(|turn| turn.ask)).collect()
        },
        |asks| {
            asks?.iter().for_each(|ask| of.add(ask));
            Ok(())
        },
    )?;
    let rounded = |share: f64| (share * 10_000.0).round() / 10_000.0;
    let [messages, grams] = wording.shares_in(&of).map(rounded);
    Ok(manifest::SharedWording {
        dialogues: selected.len() as u64,
        seed: chosen.seed.0,
        messages,
        grams,
    })
}

/// The coverage of a hidden set: a name that is as long as a prompt may be one.
fn without_long_names(coverage: Coverage, key: SecretKey) -> Coverage {
    let names = |map: BTreeMap<String, u64>| -> BTreeMap<String, u64> {
        map.into_iter().map(|(name, count)| (key.name(&name), count)).collect()
    };
    Coverage { topics: names(coverage.topics), styles: names(coverage.styles), ..coverage }
}

/// Check a set against its manifest, one opened dialogue, or a signature.
///
/// Draws the set again from the definition, and from the secret once it is revealed, and
/// compares every byte. With `--public` it checks who signed a run or a manifest, and that nothing
/// was changed since. What differs is named, and the exit status is 1.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs verify public --scenario desk.ifs
  ifs verify hidden --scenario desk.ifs --secret key.json
  ifs verify dialogue-7.json --manifest manifest.json     one dialogue, without the secret
  ifs verify runs/desk --public signing.json.pub          the receipt of a run
  ifs verify hidden --receipt runs/desk/receipt.json --public signing.json.pub")]
pub(crate) struct VerifyArgs {
    /// The folder of a set or of a signed run, or a file that `ifs open` or `ifs sign` wrote
    set: PathBuf,
    /// The scenario that the set was drawn from
    #[arg(long, value_name = "FILE", required_unless_present_any = ["manifest", "public"])]
    scenario: Option<PathBuf>,
    /// The secret of a hidden set
    #[arg(long, value_name = "FILE")]
    secret: Option<PathBuf>,
    /// The manifest that an opened dialogue belongs to
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scenario", "secret"])]
    manifest: Option<PathBuf>,
    /// Check a signature with this public key, or the file that has it
    #[arg(long, value_name = "KEY", conflicts_with = "manifest")]
    public: Option<String>,
    /// Check that the ledger of the set has the exposures of this signed run
    #[arg(long, value_name = "FILE", requires = "public")]
    receipt: Option<PathBuf>,
}

pub(crate) fn verify(args: VerifyArgs, output: &mut Output) -> Result<Exit, CommandError> {
    if let (Some(public), Some(receipt)) = (&args.public, &args.receipt) {
        sign::verify_receipt(&args.set, receipt, public, output)?;
        if args.scenario.is_none() {
            return Ok(Exit::Good);
        }
    } else if let Some(public) = &args.public {
        let of = sign::verify(&args.set, public, output)?;
        match (&args.scenario, of) {
            (None, _) => return Ok(Exit::Good),
            (Some(_), Signed::Set) => {}
            (Some(_), Signed::Run) => {
                return Err(CommandError::usage("`--scenario` is for sets, and this is a run")
                    .help("leave it out; `ifs verify SET --scenario FILE` draws a set again"));
            }
        }
    }
    let differs = |mismatch: &Mismatch| {
        let mut problem = CommandError::input(format!("`{}`: {mismatch}", args.set.display()));
        problem.exit = Exit::Failed;
        problem
    };
    if let Some(path) = &args.manifest {
        let manifest = read_manifest(path)?;
        let text = read_text(&args.set)?;
        let opening: Opening = serde_json::from_str(&text).map_err(|error| {
            CommandError::input(format!(
                "`{}` is not an opened dialogue: {error}",
                args.set.display()
            ))
            .help("`ifs open` writes one")
        })?;
        verify_opening(&opening, &manifest).map_err(|mismatch| differs(&mismatch))?;
        output.line(&format!(
            "verified: dialogue {} of {} is in the set {}",
            opening.number, opening.dialogues, manifest.root
        ));
        return Ok(Exit::Good);
    }
    let manifest = read_manifest(&args.set.join(MANIFEST))?;
    let secret = match (&args.secret, manifest.is_hidden()) {
        (Some(path), true) => {
            let secret =
                Secret::revealed(path, &manifest.epoch).map_err(|error| of_secret(path, &error))?;
            if manifest.acceptance.anchors > 0 && !secret.has_anchors() {
                return Err(super::sets::no_anchors(&args.set));
            }
            Some(secret)
        }
        (None, true) => {
            return Err(CommandError::usage(format!("`{}` is a hidden set", args.set.display()))
                .help("it is drawn again with `--secret FILE`, once the secret is revealed"));
        }
        (Some(_), false) => {
            return Err(CommandError::usage(format!("`{}` is a public set", args.set.display()))
                .help("leave out `--secret`"));
        }
        (None, false) => None,
    };
    let scenario = args.scenario.clone().unwrap_or_default();
    if let Some(secret) = &secret
        && Some(secret.commitment()) != manifest.commitment
    {
        return Err(differs(&Mismatch::Secret));
    }
    if let Some(fields) = manifest.changed_fields(secret.as_ref()) {
        return Err(differs(&Mismatch::Seal(fields)));
    }
    let added = added_files(&args.set)?;
    if !added.is_empty() {
        return Err(differs_in(&args.set, format!("{} was added to the set", added.join(", "))));
    }
    if manifest.ifs_version != env!("CARGO_PKG_VERSION") {
        output.warn(&format!(
            "the set was made by ifs {}, and this is {}",
            manifest.ifs_version,
            env!("CARGO_PKG_VERSION")
        ));
    }
    let which = DialogueArgs {
        file: scenario.clone(),
        dialogue: Some(manifest.dialogue.clone()),
        variant: match &manifest.split {
            Some(_) => manifest.variant.as_deref().and_then(of_variant).map(str::to_owned),
            None => manifest.variant.clone(),
        },
        split: manifest.split.clone(),
    };
    if which.varied() != manifest.variant {
        return Err(differs(&Mismatch::Field("the split")));
    }
    let loaded = load::dialogue(&which, output).and_then(|(varied, _)| {
        let public = load::public(&which)?;
        Ok((varied, public))
    });
    let (varied, public) = loaded?;
    let origin = manifest_origin(&varied.plan, &scenario)?;
    if origin.definition != manifest.definition {
        let (found, expected) = (origin.definition, manifest.definition.clone());
        return Err(differs(&Mismatch::Definition { found, expected }));
    }
    if origin.lock != manifest.lock {
        return Err(differs(&Mismatch::Lock));
    }
    let bytes = read_set(&args.set.join(DIALOGUES_FILE))?;
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let mut first: Option<Mismatch> = None;
    let mut count = 0;
    let rejected_before = read_text(&args.set.join(REJECTED_FILE))?;
    let (plan, public) = (&varied.plan, public.as_ref());
    let again = draw(&manifest, plan, public, secret.as_ref(), |number, line| {
        count += 1;
        let held = usize::try_from(number).ok().and_then(|at| lines.get(at)).copied();
        if first.is_none() && held.is_some_and(|held| held != line) {
            let held = held.unwrap_or_default();
            let byte = held.iter().zip(line).take_while(|(one, other)| one == other).count();
            first = Some(Mismatch::Line { number, byte });
        }
        Ok(())
    });
    let SetWithRejected { manifest: drawn, rejected, .. } = again?;
    if first.is_none() && lines.len() as u64 != count {
        first = Some(Mismatch::Count { found: lines.len() as u64, expected: count });
    }
    let fields: [(&'static str, bool); 9] = [
        ("the canary", {
            let mut again = manifest.clone();
            again.commit(secret.as_ref());
            again.canary == manifest.canary
        }),
        ("the acceptance", drawn.acceptance == manifest.acceptance),
        ("the coverage", drawn.coverage == manifest.coverage),
        ("the difficulty", drawn.difficulty == manifest.difficulty),
        ("the wording shared with the public set", drawn.public == manifest.public),
        ("the hash of the rejected dialogues", drawn.rejected == manifest.rejected),
        ("the list of rejected dialogues", rejected == rejected_before),
        ("the hash of the file", drawn.file == manifest.file),
        (
            "the version",
            (&origin.benchmark, &origin.version, origin.edition)
                == (&manifest.benchmark, &manifest.version, manifest.edition),
        ),
    ];
    let first = first
        .or((drawn.root != manifest.root).then_some(Mismatch::Root))
        .or(fields.iter().find(|(_, same)| !same).map(|(field, _)| Mismatch::Field(field)));
    if let Some(mismatch) = first {
        return Err(differs(&mismatch));
    }
    if let Some(difference) = card_difference(&args.set)? {
        return Err(differs_in(&args.set, difference));
    }
    output.line(&format!(
        "verified: {} drawn again from {}, every byte is the same",
        counted(lines.len(), "dialogue"),
        scenario.display()
    ));
    if let Some(exposed) = super::sets::exposed(&args.set, &manifest)? {
        output.line(&exposed);
    }
    if args.public.is_none() && args.set.join(sign::SIGNED_MANIFEST).exists() {
        output.note(&format!(
            "{} was not looked at: `--public KEY` checks a signature",
            sign::SIGNED_MANIFEST
        ));
    }
    Ok(Exit::Good)
}

/// The files in the folder of a set that `ifs` did not write.
fn added_files(set: &Path) -> Result<Vec<String>, CommandError> {
    const WRITTEN: [&str; 7] = [
        MANIFEST,
        sign::SIGNED_MANIFEST,
        DIALOGUES_FILE,
        REJECTED_FILE,
        CARD_FILE,
        super::sets::LEDGER_FILE,
        ".gitignore",
    ];
    let unread =
        |error: std::io::Error| CommandError::input(format!("`{}`: {error}", set.display()));
    let mut added = Vec::new();
    for entry in std::fs::read_dir(set).map_err(unread)? {
        let name = entry.map_err(unread)?.file_name().to_string_lossy().into_owned();
        if !WRITTEN.contains(&name.as_str()) {
            added.push(format!("`{name}`"));
        }
    }
    added.sort();
    Ok(added)
}

fn differs_in(set: &Path, what: String) -> CommandError {
    let mut problem = CommandError::input(format!("`{}`: {what}", set.display()));
    problem.exit = Exit::Failed;
    problem
}

/// Print one dialogue of a hidden set with a proof that anyone can check.
///
/// Writes the dialogue with its salt and the hashes that lead to the root in the manifest. The
/// others, and the secret, stay hidden.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs open hidden --number 7 --secret key.json > dialogue-7.json
  ifs verify dialogue-7.json --manifest manifest.json")]
pub(crate) struct OpenArgs {
    /// The folder of a set
    set: PathBuf,
    /// Number of the dialogue in the set, from 0
    #[arg(long, value_name = "N")]
    number: u64,
    /// The secret of a hidden set
    #[arg(long, value_name = "FILE")]
    secret: Option<PathBuf>,
}

pub(crate) fn open_dialogue(args: OpenArgs, output: &mut Output) -> Result<Exit, CommandError> {
    let manifest = read_manifest(&args.set.join(MANIFEST))?;
    let secret = match &args.secret {
        Some(path) => {
            Some(Secret::read(path, &manifest.epoch).map_err(|error| of_secret(path, &error))?)
        }
        None if manifest.is_hidden() => {
            return Err(CommandError::usage(format!("`{}` is a hidden set", args.set.display()))
                .help("`--secret FILE` names its secret"));
        }
        None => None,
    };
    let bytes = read_set(&args.set.join(DIALOGUES_FILE))?;
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    if args.number >= lines.len() as u64 {
        return Err(CommandError::usage(format!(
            "the set has {}; there is no number {}",
            counted(lines.len(), "dialogue"),
            args.number
        ))
        .help("numbers begin with 0"));
    }
    let opening = Opening::open_line(&manifest, secret.as_ref(), &lines, args.number);
    verify_opening(&opening, &manifest).map_err(|mismatch| {
        CommandError::input(format!("`{}`: {mismatch}", args.set.display()))
            .help("the set or the secret is not the one of the manifest")
    })?;
    // The output is data for other programs: escaped, it is the same on every terminal.
    let text = serde_json::to_string_pretty(&opening).unwrap_or_default();
    output.json_line(&visible_json(&text));
    Ok(Exit::Good)
}

fn read_set(path: &Path) -> Result<Vec<u8>, CommandError> {
    world::read_regular(path, MAX_SET_BYTES)
        .map_err(|error| CommandError::input(format!("`{}`: {error}", path.display())))
}
