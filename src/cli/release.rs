//! `ifs release`, `ifs verify`, `ifs open` and `ifs secret`: sets of dialogues that can be verified
//! later.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use super::exit::{CommandError, Exit};
use super::load::{self, DialogueArgs, counted};
use super::output::Output;
use super::set_files::{MANIFEST, of_secret, read_manifest, read_text};
use super::sign::{self, Signed};
use super::{lock, revision};
use ifs::diagnostic::visible_json;
use ifs::hidden::{
    Coverage, DrawnSet, Mismatch, Opening, Secret, SetManifest, WordingSample, draw_set, manifest,
    verify_opening,
};
use ifs::lock::Lock;
use ifs::model::split::of_variant;
use ifs::parallel::{in_order, workers};
use ifs::plan::Plan;
use ifs::run::{DialogueOptions, Selection, SkipReason, SkippedDialogue, release_of};
use ifs::script::{DrawError, Drawer, FIRST_ANCHOR, SecretKey, Seed};
use ifs::world;

const DIALOGUES_FILE: &str = "dialogues.jsonl";
const REJECTED_FILE: &str = "rejected.jsonl";

/// The longest set that is read, in bytes.
const MAX_SET_BYTES: u64 = 4 << 30;

/// Write a new secret for hidden sets.
///
/// 32 bytes from the operating system, in a file that only its owner may read. Keep it out of
/// repositories and logs: with it, anyone can draw every set that was made with it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs secret ~/secrets/desk-2026.json
  ifs release desk.ifs --secret ~/secrets/desk-2026.json --epoch 2026-12 --out hidden")]
pub(crate) struct SecretArgs {
    /// The file to write; it must not exist
    file: PathBuf,
}

pub(crate) fn secret(args: SecretArgs, output: &mut Output) -> Result<Exit, CommandError> {
    let secret = Secret::new().map_err(|error| CommandError::infrastructure(error.to_string()))?;
    secret.write_new(&args.file).map_err(|error| of_secret(&args.file, &error))?;
    output.line(&format!("{}: commitment {}", args.file.display(), secret.commitment()));
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
    /// Number of dialogues; that of the scenario's release by default, or 20
    #[arg(short = 'n', long, value_name = "N", value_parser = super::distinct::chosen)]
    count: Option<u64>,
    /// Maximum number of turns of a dialogue that are written
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    turns: u32,
    /// Seed of a public set; that of the scenario's release by default, or 1
    #[arg(long, conflicts_with = "secret")]
    seed: Option<u64>,
    /// Draw a hidden set with the secret in this file
    #[arg(long, value_name = "FILE")]
    secret: Option<PathBuf>,
    /// The period that the set is for; another one gives another set with the same distribution
    #[arg(long, default_value = "1", value_name = "NAME")]
    epoch: String,
    /// The rule by which results will be interpreted
    #[arg(long, default_value = "", value_name = "TEXT")]
    decision_rule: String,
    /// Who keeps the secret
    #[arg(long, default_value = "", value_name = "TEXT")]
    holder: String,
    /// When the secret is revealed
    #[arg(long, default_value = "", value_name = "TEXT")]
    reveal: String,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let secret = match &args.secret {
        Some(path) => Some(Secret::read(path).map_err(|error| of_secret(path, &error))?),
        None => None,
    };
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
        dialogues: args.count.or(release.and_then(|release| release.count(name))).unwrap_or(20),
        turns: args.turns,
        seed: if secret.is_none() { args.seed.or(own_seed).or(Some(1)) } else { None },
        decision_rule: args.decision_rule.clone(),
        holder: args.holder.clone(),
        reveal: args.reveal.clone(),
        ..manifest_origin(plan, &args.which.file)?
    };
    if let Some((commit, dirty)) = revision::checked_out(&args.which.file) {
        (made.revision, made.dirty) = (Some(commit), dirty);
    }
    made.commit(secret.as_ref());
    let at = |path: &Path, error: &std::io::Error| match error.kind() {
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
    };
    std::fs::create_dir(&args.out).map_err(|error| at(&args.out, &error))?;
    let write = || -> Result<SetManifest, CommandError> {
        let path = args.out.join(DIALOGUES_FILE);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if secret.is_some() {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let file = options.open(&path).map_err(|error| at(&path, &error))?;
        let mut file = BufWriter::new(file);
        let (drawn, rejected) = draw(&made, plan, public.as_ref(), secret.as_ref(), |_, line| {
            file.write_all(line).map_err(|error| at(&path, &error))
        })?;
        let file = file.into_inner().map_err(|error| at(&path, error.error()))?;
        file.sync_all().map_err(|error| at(&path, &error))?;
        let path = args.out.join(REJECTED_FILE);
        ifs::replace::write(&path, rejected.as_bytes()).map_err(|error| at(&path, &error))?;
        let path = args.out.join(MANIFEST);
        let mut text = serde_json::to_string_pretty(&drawn).unwrap_or_default();
        text.push('\n');
        ifs::replace::write(&path, text.as_bytes()).map_err(|error| at(&path, &error))?;
        Ok(drawn)
    };
    // The folder is new, so removing it loses nothing else.
    let made = write().inspect_err(|_| _ = std::fs::remove_dir_all(&args.out))?;
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
    output.line(&format!("root {}", made.root));
    match &made.commitment {
        Some(commitment) => {
            output.line(&format!("commitment {commitment}; publish {MANIFEST} alone"))
        }
        None => output.line(&format!("seed {}", made.seed.unwrap_or_default())),
    }
    Ok(Exit::Good)
}

/// The origin of a scenario, for the manifest.
fn manifest_origin(plan: &Plan, file: &Path) -> Result<SetManifest, CommandError> {
    let (_, locked) = lock::locked(file)?;
    // A comment in the library changes no set.
    let locked = locked.map(|lock| Lock { library: BTreeMap::new(), ..lock });
    let locked = serde_json::to_vec(&locked).unwrap_or_default();
    Ok(SetManifest {
        ifs_release: manifest::FORMAT,
        benchmark: plan.model.benchmark.name.clone(),
        version: plan.model.benchmark.version.clone(),
        edition: plan.model.edition,
        ifs_version: env!("CARGO_PKG_VERSION").to_owned(),
        definition: plan.hash(),
        lock: blake3_of(&locked),
        ..SetManifest::default()
    })
}

fn blake3_of(bytes: &[u8]) -> String {
    format!("blake3:{}", ifs::hidden::tree::hash(bytes))
}

/// Draws the set of a manifest, and fills in the results; with the lines of rejected dialogues.
fn draw(
    made: &SetManifest,
    plan: &Plan,
    public: Option<&Plan>,
    secret: Option<&Secret>,
    mut give: impl FnMut(u64, &[u8]) -> Result<(), CommandError> + Send,
) -> Result<(SetManifest, String), CommandError> {
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
    let mut file = ifs::hidden::tree::Hasher::default();
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
        root: ifs::hidden::tree::root(&written.leaves).to_hex().to_string(),
        file: secret.is_none().then(|| format!("blake3:{}", file.finish())),
        acceptance: acceptance(selection),
        rejected: blake3_of(rejected.as_bytes()),
        public: match public {
            Some(public) => Some(shared_wording(made, public, &written.wording)?),
            None => None,
        },
        coverage,
        difficulty: written.difficulty,
        ..made.clone()
    };
    drawn.seal = drawn.sealed_by(secret);
    Ok((drawn, rejected))
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
  ifs verify runs/desk --public signing.json.pub          the receipt of a run")]
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
}

pub(crate) fn verify(args: VerifyArgs, output: &mut Output) -> Result<Exit, CommandError> {
    if let Some(public) = &args.public {
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
            Some(Secret::revealed(path).map_err(|error| of_secret(path, &error))?)
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
    if manifest.sealed_by(secret.as_ref()) != manifest.seal {
        return Err(differs(&Mismatch::Seal));
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
    let (varied, _) = load::dialogue(&which, output)?;
    let public = load::public(&which)?;
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
    let (drawn, rejected) = draw(&manifest, plan, public, secret.as_ref(), |number, line| {
        count += 1;
        let held = usize::try_from(number).ok().and_then(|at| lines.get(at)).copied();
        if first.is_none() && held.is_some_and(|held| held != line) {
            let held = held.unwrap_or_default();
            let byte = held.iter().zip(line).take_while(|(one, other)| one == other).count();
            first = Some(Mismatch::Line { number, byte });
        }
        Ok(())
    })?;
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
    output.line(&format!(
        "verified: {} drawn again from {}, every byte is the same",
        counted(lines.len(), "dialogue"),
        scenario.display()
    ));
    if let Some(exposed) = super::sets::exposed(&args.set)? {
        output.line(&exposed);
    }
    Ok(Exit::Good)
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
        Some(path) => Some(Secret::read(path).map_err(|error| of_secret(path, &error))?),
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
