//! What a definition, a seed and an index fix, on every machine: the definition hash, the drawn
//! turns, the verdicts on the responses of a simulated model, and the scores. `tests/golden.txt`
//! has a digest of each for every dialogue of the project; CI compares it on each system.
//! `IFS_BLESS=1` writes it again: read the difference, and say in CHANGELOG.md why it is one.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use ifs::{Benchmark, Dialogue};
use tempfile::TempDir;

const SEED: u64 = 7;
const MAX_TURNS: u32 = 5;

fn scenarios(folder: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.extension() {
            _ if path.is_dir() => paths.extend(scenarios(&path)),
            Some(ending) if ending == "ifs" => paths.push(path),
            _ => {}
        }
    }
    paths.sort();
    paths
}

fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..16].to_owned()
}

/// The digests of the drawn turns, of the transcripts with their verdicts, and of the scores.
fn digests(dialogue: &Dialogue) -> [String; 3] {
    let turns = dialogue.script(SEED, 0).take(MAX_TURNS as usize);
    let drawn: Vec<String> = turns.map(|turn| format!("{:?}", turn.unwrap())).collect();
    let folder = TempDir::new().unwrap();
    let run = dialogue.run("sim/forgetful").dialogues(2).seed(SEED).max_turns(MAX_TURNS);
    let finished = run.folder(folder.path().join("run")).start().unwrap();
    assert!(finished.is_complete());
    let transcripts = fs::read(finished.folder().join("transcripts.jsonl")).unwrap();
    let scores = finished.scorecard().to_json();
    [digest(drawn.join("\n").as_bytes()), digest(&transcripts), digest(scores.as_bytes())]
}

/// A line for each dialogue of a scenario.
fn lines(path: &Path) -> Vec<String> {
    let benchmark = Benchmark::open(path).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let name: Vec<_> = path.strip_prefix(root).unwrap().iter().map(|it| it.to_str()).collect();
    let name = name.into_iter().map(Option::unwrap).collect::<Vec<_>>().join("/");
    let definition = digest(benchmark.definition_hash().as_bytes());
    let line = |dialogue: &str| {
        let [draws, verdicts, scores] = digests(&benchmark.dialogue(dialogue).unwrap());
        format!(
            "{name} {dialogue} definition {definition} draws {draws} verdicts {verdicts} \
             scores {scores}"
        )
    };
    benchmark.dialogues().map(line).collect()
}

#[test]
fn digests_are_those_on_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = scenarios(&root.join("scenarios"));
    paths.retain(|path| !path.starts_with(root.join("scenarios/std")));
    let (queue, written) = (Mutex::new(paths), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        let work = || {
            loop {
                let Some(path) = queue.lock().unwrap().pop() else { break };
                let lines = lines(&path);
                written.lock().unwrap().extend(lines);
            }
        };
        scope.spawn(work);
        work();
    });
    let mut lines = written.into_inner().unwrap();
    lines.sort();
    let file = root.join("tests/golden.txt");
    #[expect(clippy::disallowed_methods, reason = "an environment variable requests blessing")]
    if std::env::var_os("IFS_BLESS").is_some() {
        fs::write(&file, lines.join("\n") + "\n").unwrap();
    }
    let expected = fs::read_to_string(&file).unwrap();
    let expected: Vec<&str> = expected.lines().collect();
    let changed: Vec<&String> =
        lines.iter().filter(|line| !expected.contains(&line.as_str())).collect();
    assert!(changed.is_empty(), "other digests than on file:\n{changed:#?}");
    assert_eq!(lines.len(), expected.len(), "tests/golden.txt has dialogues that are gone");
}
