//! Scenarios of strangers execute nothing.
//!
//! Git takes programs from the configuration, the attributes and the hooks of a repository, and from the
//! environment. `ways.txt` plants each way next to a scenario, and every command that reads a scenario
//! runs there. That the traps are good is tested with git, where it is installed.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::{OpenOptionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use serde_json::Value as Json;
use tempfile::TempDir;

const WAYS: &str = include_str!("foreign_programs/ways.txt");

const SCENARIO: &str = r#"ifs 1

benchmark desk {
  version "1.0"
}

import topics "topics.jsonl" {
  name: text
  request: text
}

constraint short(n: int in 5..=9) {
  say   "At most {{ n }} words."
  check count(word) <= n
}

dialogue talk {
  topic from topics
  constraints from short
  start with 1 constraint
  turn first {
    ask "{{ topic.request }}"
  }
}
"#;

const TOPICS: &str = "{\"name\": \"tides\", \"request\": \"Write about tides.\"}\n";

/// Every command that reads a scenario, or what was made of one.
const COMMANDS: &str = "\
check main.ifs
check . --against HEAD
fmt --check main.ifs
lock main.ifs
check main.ifs --locked
test main.ifs
graph main.ifs
draw main.ifs
prove main.ifs
preview main.ifs --out OUT/page.html
scene main.ifs
power main.ifs --strengths 0.5 0.9
diff HEAD main.ifs
diff HEAD:main.ifs HEAD:.
diff main.ifs main.ifs
run main.ifs -n 2 -m sim/noisy:0.9 --out OUT/run
run main.ifs -n 2 --out OUT/oracle
run --resume OUT/run
score OUT/run
score OUT/run --under HEAD:main.ifs
score OUT/run --under main.ifs
report OUT/run
report OUT/run --format html
show OUT/run
gate OUT/oracle --fail-under ISR=0
agreement OUT/run
compare OUT/run OUT/oracle
shrink OUT/run --all
release main.ifs -n 2 --out OUT/set
verify OUT/set --scenario main.ifs
compare-sets OUT/set OUT/set
turn next main.ifs -m openai/x --out OUT/turns
synthesize main.ifs --synthesizer sim/plain --checker sim/literal --out OUT/utterances.jsonl
construct main.ifs --planner sim/plain --writer sim/plain --extractor sim/plain --out OUT/talks.jsonl
explain topic
new OUT/new
";

const HOOKS: [&str; 24] = [
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "p4-changelist",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-receive",
    "post-rewrite",
    "post-update",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "prepare-commit-msg",
    "proc-receive",
    "push-to-checkout",
    "reference-transaction",
    "update",
];

/// A way to have a program started, as its lines.
#[derive(Clone, Copy)]
struct Way<'w> {
    name: &'w str,
    lines: &'w str,
}

impl<'w> Way<'w> {
    fn all() -> Vec<Way<'w>> {
        let ways = WAYS.split("\n== ").skip(1);
        ways.map(|way| way.split_once('\n').unwrap())
            .map(|(name, lines)| Way { name, lines })
            .collect()
    }

    /// What follows a word at the beginning of a line.
    fn with(self, word: &'static str) -> impl Iterator<Item = &'w str> {
        self.lines.lines().filter_map(move |line| line.strip_prefix(word)?.strip_prefix(' '))
    }
}

/// A scenario in a repository, with a trap.
struct Trap {
    base: TempDir,
    commit: String,
    environment: Vec<(String, String)>,
    /// The folder of the scenario.
    scenario: PathBuf,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// Adds a loose object to a repository.
fn object(git: &Path, kind: &str, content: &[u8]) -> Vec<u8> {
    let object = [format!("{kind} {}\0", content.len()).as_bytes(), content].concat();
    let id = digest(&SHA1_FOR_LEGACY_USE_ONLY, &object).as_ref().to_vec();
    let digits = hex(&id);
    let path = git.join("objects").join(&digits[..2]).join(&digits[2..]);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut encoder = ZlibEncoder::new(File::create(path).unwrap(), Compression::fast());
    encoder.write_all(&object).unwrap();
    encoder.finish().unwrap();
    id
}

/// `remote.origin.url=x` as lines of a file.
fn configuration(setting: &str) -> String {
    let (key, value) = setting.split_once('=').unwrap();
    let (section, key) = key.rsplit_once('.').unwrap();
    let section = match section.split_once('.') {
        Some((section, name)) => format!("[{section} \"{name}\"]"),
        None => format!("[{section}]"),
    };
    format!("{section}\n\t{key} = \"{}\"\n", value.replace('\\', "\\\\").replace('"', "\\\""))
}

impl Trap {
    fn set(way: Way<'_>) -> Trap {
        let base = TempDir::new().unwrap();
        let mut trap = Trap {
            scenario: base.path().join("repo"),
            base,
            commit: String::new(),
            environment: Vec::new(),
        };
        let top = trap.path("");
        write(&trap.path("main.ifs"), SCENARIO);
        write(&trap.path("topics.jsonl"), TOPICS);
        fs::create_dir_all(trap.base.path().join("out")).unwrap();
        let git = trap.path(".git");
        fs::create_dir_all(git.join("refs/heads")).unwrap();
        let blobs =
            [object(&git, "blob", SCENARIO.as_bytes()), object(&git, "blob", TOPICS.as_bytes())];
        let tree =
            [b"100644 main.ifs\0", &blobs[0][..], b"100644 topics.jsonl\0", &blobs[1]].concat();
        let tree = hex(&object(&git, "tree", &tree));
        let person = "a <a@example.invalid> 1 +0000";
        let commit = format!("tree {tree}\nauthor {person}\ncommitter {person}\n\nOne\n");
        trap.commit = hex(&object(&git, "commit", commit.as_bytes()));
        write(&git.join("HEAD"), "ref: refs/heads/main\n");
        write(&git.join("refs/heads/main"), &format!("{}\n", trap.commit));
        // The index, if git is here; before there is anything to start.
        _ = trap.command("git").args(["read-tree", "HEAD"]).status();
        trap.program(&trap.evil());
        for line in way.lines.lines() {
            let Some((word, rest)) = line.split_once(' ') else { continue };
            let line = rest.replace("TOP", top.to_str().unwrap());
            let line = line.replace("EVIL", trap.evil().to_str().unwrap());
            let two = || line.split_once(' ').unwrap();
            match word {
                "config" => write(&git.join("config"), &configuration(&line)),
                "include" => write(&trap.path(two().0), &configuration(two().1)),
                "file" => {
                    let (path, line) =
                        line.split_once(": ").unwrap_or((line.trim_end_matches(':'), ""));
                    write(&trap.path(path), &format!("{line}\n"));
                }
                "program" if line.ends_with("HOOK") => {
                    HOOKS
                        .iter()
                        .for_each(|hook| trap.program(&trap.path(&line.replace("HOOK", hook))));
                }
                "program" => trap.program(&trap.path(&line)),
                "copy" => {
                    write(&trap.path(two().1), &fs::read_to_string(trap.path(two().0)).unwrap())
                }
                "move" => {
                    let target = trap.path(two().1);
                    fs::create_dir_all(target.parent().unwrap()).unwrap();
                    fs::rename(trap.path(two().0), target).unwrap();
                }
                "link" => symlink(two().0, trap.path(two().1)).unwrap(),
                "without" => {
                    assert_eq!(line, "main.ifs");
                    let digits = hex(&blobs[0]);
                    fs::remove_file(git.join("objects").join(&digits[..2]).join(&digits[2..]))
                        .unwrap();
                }
                "env" => {
                    let (name, value) = line.split_once('=').unwrap();
                    let value = value.replace("PATH", &path());
                    trap.environment.push((name.to_owned(), value));
                }
                "in" => trap.scenario = trap.path(&line),
                "needs" | "run" => {}
                other => panic!("{other}"),
            }
        }
        trap
    }

    fn path(&self, name: &str) -> PathBuf {
        self.base.path().join("repo").join(name)
    }

    fn evil(&self) -> PathBuf {
        self.base.path().join("evil.sh")
    }

    fn canary(&self) -> PathBuf {
        self.base.path().join("canary")
    }

    /// A program that leaves a mark.
    fn program(&self, path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file =
            OpenOptions::new().write(true).create_new(true).mode(0o755).open(path).unwrap();
        let canary = self.canary();
        write!(file, "#!/bin/sh\necho \"$0 $*\" >> '{}'\nexit 1\n", canary.display()).unwrap();
    }

    /// A command in the folder of the scenario, in an environment that has nothing but the trap.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.scenario).stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(Stdio::null()).env_clear();
        command.envs([("PATH", path().as_str()), ("TERM", "xterm"), ("GIT_TERMINAL_PROMPT", "0")]);
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", self.base.path());
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), "a")
                .env(format!("GIT_{role}_EMAIL"), "a@example.invalid");
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    fn sprung(&self) -> Option<String> {
        fs::read_to_string(self.canary()).ok()
    }

    /// The exit status of every command of ifs there.
    fn statuses(&self, name: &str) -> Vec<(&'static str, Option<i32>)> {
        let out = self.base.path().join("out");
        let run = |line: &'static str| {
            let args = line.split(' ').map(|word| word.replace("OUT", out.to_str().unwrap()));
            let status = self.command(env!("CARGO_BIN_EXE_ifs")).args(args).status().unwrap();
            assert_eq!(self.sprung(), None, "{name}: ifs {line}");
            (line, status.code())
        };
        COMMANDS.lines().map(run).collect()
    }
}

fn path() -> String {
    std::env::var("PATH").unwrap()
}

const SOUND: Way<'static> = Way { name: "nothing", lines: "" };

/// Does something for each way, on two threads.
fn for_each_way(action: impl Fn(Way<'_>) + Sync) {
    let ways = Way::all();
    assert!(ways.len() > 90);
    std::thread::scope(|scope| {
        for half in ways.chunks(ways.len().div_ceil(2)) {
            let action = &action;
            scope.spawn(move || half.iter().for_each(|way| action(*way)));
        }
    });
}

#[test]
fn no_command_starts_a_program_of_the_folder() {
    let sound = Trap::set(SOUND).statuses("nothing");
    for (line, status) in &sound {
        assert_eq!(*status, Some(0), "ifs {line}");
    }
    for_each_way(|way| {
        let trap = Trap::set(way);
        let is_partial = way.with("without").next().is_some();
        let is_inner = way.with("in").next().is_some();
        for ((line, status), (_, usual)) in trap.statuses(way.name).into_iter().zip(&sound) {
            // What is not in the clone, and what is not in the commit, cannot be compared.
            let expected =
                if (is_partial || is_inner) && line.contains("HEAD") { Some(3) } else { *usual };
            assert_eq!(status, expected, "{}: ifs {line}", way.name);
        }
        // The commit is known all the same: the one of the repository, not of what looks like one.
        for file in ["run/run.json", "set/manifest.json"] {
            let text = fs::read_to_string(trap.base.path().join("out").join(file)).unwrap();
            let record: Json = serde_json::from_str(&text).unwrap();
            assert_eq!(record["revision"], trap.commit, "{}: {file}", way.name);
            assert_eq!(
                record["dirty"].as_bool().unwrap_or(false),
                is_inner,
                "{}: {file}",
                way.name
            );
        }
    });
}

fn has_program(name: &str) -> bool {
    let test = "command -v \"$0\" || test -e \"$(git --exec-path)/$0\"";
    let mut command = Command::new("sh");
    command.args(["-c", test, name]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[test]
fn git_starts_the_programs() {
    if !has_program("git") {
        eprintln!("git is not installed: the traps are not tried");
        return;
    }
    for_each_way(|way| {
        let missing = way.with("needs").find(|program| !has_program(program));
        if let Some(missing) = missing {
            eprintln!("{}: {missing} is not installed", way.name);
            return;
        }
        let Some(line) = way.with("run").next() else { return };
        let trap = Trap::set(way);
        let line = line.replace("TOP", trap.path("").to_str().unwrap());
        let mut command = trap.command("/bin/sh");
        command.current_dir(trap.path("")).args(["-c", &line]).status().unwrap();
        assert!(trap.sprung().is_some(), "{}: `{line}` starts nothing", way.name);
    });
}

/// Every variable that the documentation of git lists, all at once.
#[test]
fn no_variable_of_git_starts_a_program() {
    let list = Command::new("git").args(["help", "--config-for-completion"]).output();
    let list = list.map(|output| String::from_utf8(output.stdout).unwrap()).unwrap_or_default();
    if list.is_empty() {
        eprintln!("git is not installed: its variables are not known");
        return;
    }
    let lines: Vec<String> = list
        .lines()
        .filter(|variable| variable.contains('.') && !variable.starts_with("include"))
        .map(|variable| {
            let variable = variable.replace('*', "x");
            let filled = match variable.split_once('<').zip(variable.split_once('>')) {
                Some(((before, _), (_, after))) => format!("{before}x{after}"),
                None => variable,
            };
            let is_whole = filled.rsplit('.').next().is_some_and(|key| !key.is_empty());
            let key = if is_whole { filled } else { format!("{filled}x") };
            format!("config {key}=EVIL\nfile .gitattributes: * filter=x diff=x merge=x\n")
        })
        .collect();
    assert!(lines.len() > 500, "{}", lines.len());
    let trap = Trap::set(Way { name: "all variables", lines: &lines.concat() });
    for (line, status) in trap.statuses("all variables") {
        assert_eq!(status, Some(0), "{line}");
    }
}

/// What a clone lacks is not fetched.
#[test]
fn no_server_is_contacted() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let url = format!("http://127.0.0.1:{}/x", server.local_addr().unwrap().port());
    let lines = format!(
        "without main.ifs\nconfig core.repositoryformatversion=1\nconfig extensions.partialClone=origin\n\
         config remote.origin.promisor=true\nconfig remote.origin.url={url}\n"
    );
    let trap = Trap::set(Way { name: "a server", lines: &lines });
    trap.statuses("a server");
    assert_eq!(server.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
    if has_program("git") && has_program("git-remote-http") {
        let mut git =
            trap.command("git").args(["cat-file", "-p", "HEAD:main.ifs"]).spawn().unwrap();
        server.set_nonblocking(false).unwrap();
        drop(server.accept().unwrap());
        drop(server);
        git.wait().unwrap();
    }
}

/// The pager is not one of the folder.
#[test]
fn the_pager_is_not_of_the_folder() {
    if !has_program("script") {
        eprintln!("`script` is not installed: no terminal is simulated");
        return;
    }
    for folder in ["", ".", "bin", "./bin"] {
        let lines = format!(
            "env PATH={folder}:PATH\nprogram less\nprogram sh\nprogram bin/less\nprogram bin/sh\n"
        );
        let trap = Trap::set(Way { name: "a pager", lines: &lines });
        let ifs = env!("CARGO_BIN_EXE_ifs");
        trap.command(ifs).args(["run", "main.ifs", "-n", "2", "--out", "r"]).status().unwrap();
        // What fits is shown without waiting for a key.
        let show = format!("stty rows 200 cols 200; '{ifs}' show r");
        for line in [show.clone(), format!("export PAGER='less -R'; {show}")] {
            let mut script = trap.command("/usr/bin/script");
            let shown = script.args(["-qec", &line, "/dev/null"]).env("SHELL", "/bin/sh").status();
            assert!(shown.unwrap().success(), "{line}");
            assert_eq!(trap.sprung(), None, "{line} with {folder:?} in PATH");
        }
        // Another program finds it there.
        let mut shell = trap.command("/bin/sh");
        shell.args(["-c", "less main.ifs"]).status().unwrap();
        assert!(trap.sprung().is_some());
    }
}
