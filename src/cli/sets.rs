//! Runs of sets that `ifs release` wrote, and the ledger of who was sent a hidden one.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::exit::CommandError;
use super::set_files::{MANIFEST, of_secret, read_manifest, read_text};
use ifs::hidden::{Secret, SetManifest};
use ifs::run::SetEntry;
use ifs::script::{Drawer, SecretKey};

const LEDGER_FILE: &str = "ledger.jsonl";

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
        let secret = self.secret_of(manifest.commitment.as_deref(), folder)?;
        if secret.is_none() && self.keep_prompts {
            return Err(nothing_left_out());
        }
        if manifest.sealed_by(secret.as_ref()) != manifest.seal {
            return Err(CommandError::input(format!(
                "`{}`: the manifest was changed after it was made: its seal does not match",
                folder.display()
            )));
        }
        Ok(Some(ComparedSet { folder: folder.clone(), manifest, text, secret }))
    }

    fn secret_of(
        &self,
        commitment: Option<&str>,
        of: &Path,
    ) -> Result<Option<Secret>, CommandError> {
        secret_of(self.secret.as_deref(), commitment, of)
    }

    /// The drawer of a run that is resumed.
    pub fn resume_drawer<'p>(
        &self,
        drawer: Drawer<'p>,
        run: &ifs::run::RunManifest,
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

/// The secret of a set with this commitment.
fn secret_of(
    secret: Option<&Path>,
    commitment: Option<&str>,
    of: &Path,
) -> Result<Option<Secret>, CommandError> {
    match (secret, commitment) {
        (None, None) => Ok(None),
        (Some(_), None) => Err(CommandError::usage(format!("`{}` is a public set", of.display()))
            .help("leave out `--secret`")),
        (None, Some(_)) => Err(CommandError::usage(format!("`{}` is a hidden set", of.display()))
            .help("`--secret FILE` names its secret; there is no other way to draw it")),
        (Some(path), Some(commitment)) => {
            let secret = Secret::read(path).map_err(|error| of_secret(path, &error))?;
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
    run: &ifs::run::RunManifest,
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
        ..SetManifest::default()
    };
    let secret = secret_of(secret, Some(&hidden.commitment), folder)?;
    Ok(secret.map(|secret| secret.key(&of)))
}

fn nothing_left_out() -> CommandError {
    CommandError::usage("`--keep-prompts` is for runs of hidden sets")
        .help("leave it out: the prompts of other runs are always kept")
}

/// The error where something needs the prompts of a run that left them out.
pub(crate) fn prompts_needed(run: &Path, what: &str) -> CommandError {
    let run = run.display();
    CommandError::usage(format!(
        "{what} needs the prompts, and `{run}` leaves out those of its hidden set"
    ))
    .help(format!(
        "`ifs run --resume {run} --secret FILE --keep-prompts` writes them into its transcripts, \
             without a request"
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
            hidden: commitment.as_ref().map(|commitment| ifs::run::HiddenEntry {
                release: release.clone(),
                epoch: epoch.clone(),
                commitment: commitment.clone(),
            }),
        }
    }

    /// Writes down that the set is sent somewhere, before it is.
    pub fn expose(&self, run: &ifs::run::RunManifest, folder: &Path) -> Result<(), CommandError> {
        if self.secret.is_none() {
            return Ok(());
        }
        let judges = run.judging.iter().flat_map(|judging| &judging.judges);
        let line = Exposure {
            canary: self.manifest.canary.clone(),
            unix_time: seconds_now(),
            model: run.model.clone(),
            address: run.address.clone(),
            judges: judges.map(|judge| judge.model.clone()).collect(),
            dialogues: run.dialogues,
            of: self.manifest.dialogues,
            run: folder.display().to_string(),
        };
        line.append(&self.folder)
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
    run: &ifs::run::RunManifest,
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
        canary: manifest.canary,
        unix_time: seconds_now(),
        address: sent.model.as_ref().and(run.address.clone()),
        model: sent.model.unwrap_or_default(),
        judges: sent.judges,
        dialogues: sent.dialogues,
        of: manifest.dialogues,
        run: folder.display().to_string(),
    };
    line.append(set)
}

/// A run that sent a hidden set to an endpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Exposure {
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
    fn append(&self, set: &Path) -> Result<(), CommandError> {
        let mut text = serde_json::to_string(self).unwrap_or_default();
        text.push('\n');
        let path = set.join(LEDGER_FILE);
        let append = || {
            let mut file = std::fs::OpenOptions::new().append(true).create(true).open(&path)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()
        };
        append()
            .map_err(|error| CommandError::infrastructure(format!("`{}`: {error}", path.display())))
    }
}

/// The models that a set was sent to, as text.
pub(crate) fn exposed(folder: &Path) -> Result<Option<String>, CommandError> {
    let path = folder.join(LEDGER_FILE);
    if !path.exists() {
        return Ok(None);
    }
    let wrong =
        |why: &dyn std::fmt::Display| CommandError::input(format!("`{}`: {why}", path.display()));
    let text = ifs::world::read_text(&path, 64 << 20).map_err(|error| wrong(&error))?;
    let lines: Result<Vec<Exposure>, _> = text.lines().map(serde_json::from_str).collect();
    let lines = lines.map_err(|error| wrong(&error))?;
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
    Ok((!lines.is_empty()).then(|| format!("exposed: it was sent to {}", models.join(", "))))
}
