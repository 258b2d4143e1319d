//! Runs of sets that `ifs release` wrote, and the ledger of who was sent a hidden one.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::exit::CommandError;
use super::set_files::{MANIFEST, of_secret, read_manifest, read_text};
use super::shell::quoted;
use ifs_draw::{Drawer, SecretKey};
use ifs_run::SetEntry;
use ifs_sets::signing::Sha256;
use ifs_sets::{Mismatch, Secret, SetManifest};

pub(crate) const LEDGER_FILE: &str = "ledger.jsonl";

/// The lines of a run in the ledger of its set, in the folder of the run.
pub(crate) const EXPOSURE_FILE: &str = "exposure.jsonl";

/// The set that a run takes, and the secret of a hidden one.
#[derive(Debug, clap::Args)]
pub(crate) struct SetArgs {
    /// Run the dialogues of the set in this folder, which `ifs release` wrote
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["dialogue", "variant", "count", "seed", "max_turns", "utterances"])]
    set: Option<PathBuf>,
    /// The secret of a hidden set
    #[arg(long, value_name = "FILE")]
    secret: Option<PathBuf>,
    /// Keep the prompts of a hidden set in the transcripts of the run
    #[arg(long)]
    pub keep_prompts: bool,
}

/// A set with what it is drawn by.
pub(crate) struct ComparedSet {
    pub folder: PathBuf,
    pub manifest: SetManifest,
    /// The bytes of the manifest, for the folder of the run.
    pub text: String,
    secret: Option<Secret>,
}

impl SetArgs {
    /// The set of a new run.
    pub fn read(&self) -> Result<Option<ComparedSet>, CommandError> {
        let Some(folder) = &self.set else {
            return match &self.secret {
                Some(_) => Err(CommandError::usage("`--secret` goes with `--set`")
                    .help("`--set FOLDER` names the hidden set")),
                None if self.keep_prompts => Err(nothing_left_out()),
                None => Ok(None),
            };
        };
        let manifest = read_manifest(&folder.join(MANIFEST))?;
        let text = read_text(&folder.join(MANIFEST))?;
        let commitment = manifest.commitment.as_deref();
        let secret = secret_of(self.secret.as_deref(), (commitment, &manifest.epoch), folder)?;
        if manifest.acceptance.anchors > 0
            && secret.as_ref().is_some_and(|secret| !secret.has_anchors())
        {
            return Err(no_anchors(folder));
        }
        if secret.is_none() && self.keep_prompts {
            return Err(nothing_left_out());
        }
        if let Some(fields) = manifest.changed_fields(secret.as_ref()) {
            let changed = Mismatch::Seal(fields);
            return Err(CommandError::input(format!("`{}`: {changed}", folder.display())));
        }
        Ok(Some(ComparedSet { folder: folder.clone(), manifest, text, secret }))
    }

    /// The drawer of a run that is resumed.
    pub fn resume_drawer<'p>(
        &self,
        drawer: Drawer<'p>,
        run: &ifs_run::RunManifest,
        folder: &Path,
    ) -> Result<Drawer<'p>, CommandError> {
        let key = key_of_run(self.secret.as_deref(), run, folder)?;
        if key.is_none() && self.keep_prompts {
            return Err(nothing_left_out());
        }
        Ok(match key {
            Some(key) => drawer.hidden(key),
            None => drawer,
        })
    }
}

/// The key of an epoch draws no anchors.
pub(crate) fn no_anchors(set: &Path) -> CommandError {
    CommandError::input(format!(
        "`{}` has anchors, and the key of an epoch does not draw them",
        set.display()
    ))
    .help("use the secret, or a key that `ifs reveal --with-anchors` wrote")
}

/// The key of a set with this commitment and epoch.
fn secret_of(
    secret: Option<&Path>,
    (commitment, epoch): (Option<&str>, &str),
    of: &Path,
) -> Result<Option<Secret>, CommandError> {
    match (secret, commitment) {
        (None, None) => Ok(None),
        (Some(_), None) => Err(CommandError::usage(format!("`{}` is a public set", of.display()))
            .help("leave out `--secret`")),
        (None, Some(_)) => Err(CommandError::usage(format!("`{}` is a hidden set", of.display()))
            .help("`--secret FILE` names its secret; there is no other way to draw it")),
        (Some(path), Some(commitment)) => {
            let secret = Secret::read(path, epoch).map_err(|error| of_secret(path, &error))?;
            if secret.commitment() != commitment {
                return Err(CommandError::input(format!(
                    "`{}` is not the secret that `{}` commits to",
                    path.display(),
                    of.display()
                )));
            }
            Ok(Some(secret))
        }
    }
}

/// The key of the dialogues of a run; `None` if they are public.
pub(crate) fn key_of_run(
    secret: Option<&Path>,
    run: &ifs_run::RunManifest,
    folder: &Path,
) -> Result<Option<SecretKey>, CommandError> {
    let Some(SetEntry { hidden: Some(hidden), .. }) = &run.set else {
        return match secret {
            Some(_) => Err(CommandError::usage("the run is not one of a hidden set")
                .help("leave out `--secret`")),
            None => Ok(None),
        };
    };
    let of = SetManifest {
        definition: run.plan_hash.clone(),
        dialogue: run.dialogue.clone(),
        variant: run.variant.clone(),
        release: hidden.release.clone(),
        epoch: hidden.epoch.clone(),
        beacon: hidden.beacon.clone(),
        ..SetManifest::default()
    };
    let committed = (Some(hidden.commitment.as_str()), hidden.epoch.as_str());
    let secret = secret_of(secret, committed, folder)?;
    Ok(secret.map(|secret| secret.key(&of)))
}

fn nothing_left_out() -> CommandError {
    CommandError::usage("`--keep-prompts` is for runs of hidden sets")
        .help("leave it out: the prompts of other runs are always kept")
}

/// The error where something needs the prompts of a run that left them out.
pub(crate) fn prompts_needed(run: &Path, what: &str) -> CommandError {
    CommandError::usage(format!(
        "{what} needs the prompts, and `{}` leaves out those of its hidden set",
        run.display()
    ))
    .help(format!(
        "`ifs run --resume {} --secret FILE --keep-prompts` writes them into its transcripts, \
             without a request",
        quoted(run)
    ))
}

impl ComparedSet {
    /// The drawer of the set's dialogues.
    pub fn drawer<'p>(&self, drawer: Drawer<'p>) -> Result<Drawer<'p>, CommandError> {
        let found = drawer.plan().hash();
        if found != self.manifest.definition {
            return Err(CommandError::input(format!(
                "`{}` is a set of another definition: {found} is given, {} is needed",
                self.folder.display(),
                self.manifest.definition
            ))
            .help("`git log` has the scenario as it was when the set was released"));
        }
        Ok(match &self.secret {
            Some(secret) => drawer.hidden(secret.key(&self.manifest)),
            None => drawer,
        })
    }

    /// Its description in the run's manifest.
    pub fn entry(&self) -> SetEntry {
        let SetManifest { root, release, epoch, commitment, .. } = &self.manifest;
        SetEntry {
            root: root.clone(),
            hidden: commitment.as_ref().map(|commitment| ifs_run::HiddenEntry {
                release: release.clone(),
                epoch: epoch.clone(),
                commitment: commitment.clone(),
                anchors: self.manifest.anchor_commitment.clone(),
                beacon: self.manifest.beacon.clone(),
            }),
        }
    }

    /// Writes down that the set is sent somewhere, before it is.
    pub fn expose(&self, run: &ifs_run::RunManifest, folder: &Path) -> Result<(), CommandError> {
        if self.secret.is_none() {
            return Ok(());
        }
        let judges = run.judging.iter().flat_map(|judging| &judging.judges);
        let line = Exposure {
            before: String::new(),
            canary: self.manifest.canary.clone(),
            unix_time: seconds_now(),
            model: run.model.clone(),
            address: run.address.clone(),
            judges: judges.map(|judge| judge.model.clone()).collect(),
            dialogues: run.dialogues,
            of: self.manifest.dialogues,
            run: folder.display().to_string(),
        };
        line.append(&self.folder, folder)
    }
}

#[expect(clippy::disallowed_methods, reason = "a ledger says when")]
fn seconds_now() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}

/// Who is sent prompts of a recorded run again.
pub(crate) struct ResentPrompts {
    /// `None` if only judges are asked.
    pub model: Option<String>,
    pub judges: Vec<String>,
    pub dialogues: u64,
}

/// Writes down that prompts of a run's hidden set are sent again, before they are. The run does not
/// know the folder of its set, which has to be named; runs of other sets have no ledger.
pub(crate) fn expose_again(
    set: Option<&Path>,
    run: &ifs_run::RunManifest,
    folder: &Path,
    sent: ResentPrompts,
) -> Result<(), CommandError> {
    let Some(entry) = run.set.as_ref().filter(|set| set.hidden.is_some()) else {
        return match set {
            None => Ok(()),
            Some(_) => {
                Err(CommandError::usage("the run is not one of a hidden set")
                    .help("leave out `--set`"))
            }
        };
    };
    let Some(set) = set else {
        return Err(CommandError::usage(format!(
            "`{}` is a run of a hidden set, and its prompts would be sent to an endpoint without a line \
             in the set's ledger",
            folder.display()
        ))
        .help("name the folder of the set: `--set FOLDER`; the line is written before the first request"));
    };
    let manifest = read_manifest(&set.join(MANIFEST))?;
    if manifest.root != entry.root {
        return Err(CommandError::input(format!(
            "`{}` is not the set of the run: its root is {}, that of the run {}",
            set.display(),
            manifest.root,
            entry.root
        )));
    }
    let line = Exposure {
        before: String::new(),
        canary: manifest.canary,
        unix_time: seconds_now(),
        address: sent.model.as_ref().and(run.address.clone()),
        model: sent.model.unwrap_or_default(),
        judges: sent.judges,
        dialogues: sent.dialogues,
        of: manifest.dialogues,
        run: folder.display().to_string(),
    };
    line.append(set, folder)
}

/// A run that sent a hidden set to an endpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Exposure {
    /// The hash of the line before it, or of the canary in the first: no line can be removed or
    /// altered without those after it.
    before: String,
    canary: String,
    unix_time: u64,
    /// Empty if only judges were asked.
    model: String,
    address: Option<String>,
    judges: Vec<String>,
    dialogues: u64,
    of: u64,
    run: String,
}

impl Exposure {
    /// Adds the line to the ledger of a set, and to the folder of the run, where a receipt binds it.
    fn append(mut self, set: &Path, run: &Path) -> Result<(), CommandError> {
        let path = set.join(LEDGER_FILE);
        let failed = |error: std::io::Error| {
            CommandError::infrastructure(format!("`{}`: {error}", path.display()))
        };
        let mut file = std::fs::OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&path)
            .map_err(failed)?;
        // Another run may append at the same time.
        file.lock().map_err(failed)?;
        let ledger = read_ledger(&path)?;
        let Ledger { head, .. } =
            Ledger::parse(&ledger, &self.canary).map_err(|damage| damage.into_error(&path))?;
        self.before = head;
        let line = serde_json::to_string(&self).unwrap_or_default();
        append_line(&mut file, &ledger, &line).map_err(failed)?;
        // A run may have several lines: that of its requests, and those of later ones.
        let path = run.join(EXPOSURE_FILE);
        let failed = |error: std::io::Error| {
            CommandError::infrastructure(format!("`{}`: {error}", path.display()))
        };
        let mut copy = std::fs::OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&path)
            .map_err(failed)?;
        append_line(&mut copy, &read_ledger(&path)?, &line).map_err(failed)
    }
}

/// Adds a line to a file with this text, whose last line may have lost its line end.
fn append_line(file: &mut std::fs::File, text: &str, line: &str) -> std::io::Result<()> {
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    file.write_all(format!("{end}{line}\n").as_bytes())?;
    file.sync_all()
}

/// What is wrong with a ledger.
enum LedgerDamage {
    /// The last line has neither its end nor all of its fields: a write was interrupted, or the file
    /// was cut.
    IncompleteLine(usize),
    Line(String),
}

impl LedgerDamage {
    fn into_error(self, ledger: &Path) -> CommandError {
        match self {
            LedgerDamage::Line(why) => {
                CommandError::input(format!("`{}`: {why}", ledger.display()))
            }
            LedgerDamage::IncompleteLine(number) => CommandError::input(format!(
                "`{}`: line {number} is incomplete: writing it was interrupted, or the file was cut",
                ledger.display()
            ))
            .help(format!(
                "if the last line of `{EXPOSURE_FILE}` in the run's folder begins like it, put that line \
                 in its place; if no run has it, nothing was sent: remove the line"
            )),
        }
    }
}

/// The lines of a ledger whose chain is intact.
#[derive(Default)]
struct Ledger {
    lines: Vec<Exposure>,
    /// The hash of the last line, which the next one names.
    head: String,
}

impl Ledger {
    fn parse(text: &str, canary: &str) -> Result<Ledger, LedgerDamage> {
        let refused = |why: String| Err(LedgerDamage::Line(why));
        let hash = |text: &str| blake3_hex(text.as_bytes());
        let mut ledger = Ledger { lines: Vec::new(), head: hash(canary) };
        let (count, ends) = (text.lines().count(), text.ends_with('\n'));
        for (number, text) in (1..).zip(text.lines()) {
            let line: Exposure = match serde_json::from_str(text) {
                Ok(line) => line,
                Err(error) if error.is_eof() && number == count && !ends => {
                    return Err(LedgerDamage::IncompleteLine(number));
                }
                Err(error) => return refused(format!("line {number}: {error}")),
            };
            if line.canary != canary {
                return refused(format!("line {number} is about another set"));
            }
            if line.before != ledger.head {
                return refused(format!(
                    "a line before line {number} was removed or changed: it follows {}, and the \
                     hash of what is before it is {}",
                    line.before, ledger.head
                ));
            }
            ledger.head = hash(text);
            ledger.lines.push(line);
        }
        Ok(ledger)
    }
}

fn blake3_hex(bytes: &[u8]) -> String {
    ifs_sets::tree::hash(bytes)
}

fn read_ledger(path: &Path) -> Result<String, CommandError> {
    ifs_base::world::read_text(path, 64 << 20)
        .map_err(|error| CommandError::input(format!("`{}`: {error}", path.display())))
}

/// The text of the ledger of a set, and its lines, if its chain is intact; `None` without a ledger.
fn intact_ledger(
    folder: &Path,
    manifest: &SetManifest,
) -> Result<Option<(String, Ledger)>, CommandError> {
    let path = folder.join(LEDGER_FILE);
    if !path.exists() {
        return Ok(None);
    }
    let text = read_ledger(&path)?;
    let ledger = Ledger::parse(&text, &manifest.canary).map_err(|damage| {
        let mut problem = damage.into_error(&path);
        problem.exit = super::exit::Exit::Failed;
        problem
    })?;
    Ok(Some((text, ledger)))
}

/// Whether the ledger of a set has the exposures that a receipt binds by their hash. `lines` are those
/// in the folder of the run, if they have this hash: they name the one that is missing.
pub(crate) fn find_exposures(
    set: &Path,
    manifest: &SetManifest,
    bound: &str,
    lines: Option<&str>,
) -> Result<usize, String> {
    let read = intact_ledger(set, manifest).map_err(|problem| problem.message)?;
    let (text, ledger) = read.unwrap_or_else(|| (String::new(), Ledger::default()));
    let mut runs: BTreeMap<&str, String> = BTreeMap::new();
    for (text, line) in text.lines().zip(&ledger.lines) {
        let exposures = runs.entry(&line.run).or_default();
        exposures.push_str(text);
        exposures.push('\n');
        let mut hasher = Sha256::default();
        hasher.update(exposures.as_bytes());
        if hasher.finish() == bound {
            return Ok(exposures.lines().count());
        }
    }
    let Some(lines) = lines else {
        return Err(format!(
            "`{LEDGER_FILE}` lacks exposures that the receipt binds; `{EXPOSURE_FILE}` in the folder of \
             the run has them"
        ));
    };
    let missing = lines.lines().find(|line| !text.lines().any(|known| known == *line));
    let Some(missing) = missing else { return Ok(lines.lines().count()) };
    Err(match serde_json::from_str::<Exposure>(missing) {
        Ok(Exposure { model, judges, run, unix_time, .. }) => {
            let models: Vec<&String> =
                Some(&model).into_iter().filter(|model| !model.is_empty()).chain(&judges).collect();
            let models = models.into_iter().cloned().collect::<Vec<_>>().join(", ");
            format!(
                "`{LEDGER_FILE}` lacks an exposure that the receipt binds: to {models}, in the run \
                 `{run}`, {unix_time} seconds after 1970"
            )
        }
        Err(_) => format!("`{LEDGER_FILE}` lacks a line that the receipt binds: {missing}"),
    })
}

/// The models that a set was sent to, as text.
pub(crate) fn exposed(
    folder: &Path,
    manifest: &SetManifest,
) -> Result<Option<String>, CommandError> {
    let Some((_, Ledger { lines, head })) = intact_ledger(folder, manifest)? else {
        return Ok(None);
    };
    let sent = |model: &str, role: &str, line: &Exposure| {
        format!("{model} ({role}{} of {} dialogues)", line.dialogues, line.of)
    };
    let mut models: Vec<String> = Vec::new();
    for line in &lines {
        if !line.model.is_empty() {
            models.push(sent(&line.model, "", line));
        }
        models.extend(line.judges.iter().map(|judge| sent(judge, "as a judge, ", line)));
    }
    models.sort();
    models.dedup();
    Ok((!lines.is_empty()).then(|| {
        format!("exposed: it was sent to {}; the head of the ledger is {head}", models.join(", "))
    }))
}
