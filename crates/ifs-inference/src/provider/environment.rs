//! The environment, which is the only source of keys.

#![expect(clippy::disallowed_methods, reason = "keys and addresses come from the environment")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Variables of the process, then those of the nearest `.env` file.
#[derive(Default)]
pub struct Environment {
    file: BTreeMap<String, String>,
    /// The path of the file, if there is one.
    place: PathBuf,
    process: bool,
    /// No request is sent, so no key is needed.
    keyless: bool,
}

/// The value of a variable and its source: a `.env` file may be untrusted.
pub struct Variable {
    pub value: String,
    pub of_file: bool,
}

/// The largest `.env` that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// A placeholder for a key that is never printed.
const NO_KEY: &str = "none";

impl Environment {
    /// Searches `.env` in a folder and its parents; the first one is used.
    pub fn read(folder: &Path) -> Result<Environment, String> {
        for folder in folder.ancestors() {
            let path = folder.join(".env");
            if path.is_file() {
                let text = ifs_base::world::read_text(&path, MAX_FILE_BYTES)
                    .map_err(|error| format!("`{}`: {error}", path.display()))?;
                let file = variables(&text).map_err(|line| {
                    format!("`{}`, line {line}: write NAME=value", path.display())
                })?;
                return Ok(Environment { file, place: path, process: true, keyless: false });
            }
        }
        Ok(Environment { process: true, ..Environment::default() })
    }

    /// Only these variables; for tests and other sources of keys.
    pub fn from_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Environment {
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Environment { file: pairs.into_iter().map(owned).collect(), ..Environment::default() }
    }

    /// The same for models that get no requests.
    pub fn without_keys(self, keyless: bool) -> Environment {
        Environment { keyless, ..self }
    }

    /// The key for an address. If the address is from a file, only a key from that file is used:
    /// the file may be untrusted, and must not redirect the shell's keys.
    ///
    /// # Errors
    /// Returns an error if the key is only in the shell and the address only in the file.
    pub fn key(&self, base: Option<&Variable>, name: &str) -> Result<Option<Variable>, NotForIt> {
        let none = || self.keyless.then(|| Variable { value: NO_KEY.to_owned(), of_file: true });
        if !base.is_some_and(|base| base.of_file) {
            return Ok(self.variable(name).or_else(none));
        }
        match (self.variable_from_file(name).or_else(none), self.variable_from_process(name)) {
            (None, Some(_)) => Err(NotForIt),
            (key, _) => Ok(key),
        }
    }

    pub fn variable(&self, name: &str) -> Option<Variable> {
        self.variable_from_process(name).or_else(|| self.variable_from_file(name))
    }

    fn variable_from_process(&self, name: &str) -> Option<Variable> {
        let value = self.process.then(|| std::env::var(name).ok()).flatten()?;
        (!value.is_empty()).then_some(Variable { value, of_file: false })
    }

    fn variable_from_file(&self, name: &str) -> Option<Variable> {
        let value = self.file.get(name).filter(|value| !value.is_empty())?;
        Some(Variable { value: value.clone(), of_file: true })
    }

    /// The source of a variable, for messages.
    pub fn source_of(&self, variable: &Variable) -> String {
        match variable.of_file {
            true => format!("in `{}`", self.place.display()),
            false => "in the environment".to_owned(),
        }
    }
}

/// A key of the shell, which is not used for an address from a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotForIt;

/// Parses `NAME=value` lines with `export`, quotes and comments as in shells. Returns the number of
/// the first invalid line.
fn variables(text: &str) -> Result<BTreeMap<String, String>, usize> {
    let mut found = BTreeMap::new();
    // Some editors write a byte order mark.
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    while !rest.is_empty() {
        let (whole, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let number = text[..text.len() - rest.len()].lines().count() + 1;
        let (before, line) = (rest, whole.trim());
        rest = after;
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, value) =
            line.strip_prefix("export ").unwrap_or(line).split_once('=').ok_or(number)?;
        let value = value.trim_start();
        // Quoted values may span several lines.
        let quoted = ['"', '\''].into_iter().find_map(|quote| {
            let from = before.find('=')? + 1;
            let inner = before[from..].trim_start().strip_prefix(quote)?;
            inner.split_once(quote)
        });
        let value = match quoted {
            Some((inner, behind)) => {
                if inner.contains('\n') {
                    rest = behind.split_once('\n').map_or("", |(_, rest)| rest);
                }
                inner
            }
            None => value.split_once(" #").map_or(value, |(before, _)| before.trim_end()),
        };
        found.insert(name.trim().to_owned(), value.to_owned());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn env_lines_in_shell_syntax() {
        let text = "# keys\nA=1\nexport B = \"two words\" # said\nC='x#y'\n\nD=4 # four\nE=\n";
        let found = variables(text).unwrap();
        let values: Vec<&str> =
            ["A", "B", "C", "D", "E"].iter().map(|name| found[*name].as_str()).collect();
        assert_eq!(values, ["1", "two words", "x#y", "4", ""]);
        assert_eq!(variables("A=1\nno sign\n"), Err(2));
        // A byte order mark, other line endings, and a quote that is never closed.
        let found = variables("\u{feff}A=1\r\nB=it's # so\r\nC='x\r\nD=4").unwrap();
        let values = ["A", "B", "C", "D"].map(|name| found[name].as_str());
        assert_eq!(values, ["1", "it's", "'x", "4"]);
        let found = variables("A=\"-----BEGIN\nno sign\nB=2\n-----END\" # so\nC=3\n").unwrap();
        assert_eq!(found.keys().collect::<Vec<_>>(), ["A", "C"]);
        assert_eq!((found["A"].lines().count(), found["C"].as_str()), (4, "3"));
        assert_eq!(variables("A='1\n2'\n\nno sign"), Err(4));
    }

    fn value(environment: &Environment, name: &str) -> Option<String> {
        environment.variable(name).map(|variable| variable.value)
    }

    #[test]
    fn the_nearest_file_upward_counts() {
        let root = tempfile::TempDir::new().unwrap();
        let deep = root.path().join("one/two");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(root.path().join(".env"), "IFS_TEST_FAR=far\nIFS_TEST_BOTH=far\n").unwrap();
        let far = Environment::read(&deep).unwrap();
        assert_eq!(value(&far, "IFS_TEST_BOTH").as_deref(), Some("far"));
        std::fs::write(root.path().join("one/.env"), "IFS_TEST_BOTH=near\n").unwrap();
        let near = Environment::read(&deep).unwrap();
        assert_eq!(value(&near, "IFS_TEST_BOTH").as_deref(), Some("near"));
        assert_eq!(value(&near, "IFS_TEST_FAR"), None);
    }
}
