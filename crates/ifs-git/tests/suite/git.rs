//! Compares with git itself, where it is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use ifs_git::{CommittedKind, Error, Id, Repository};
use tempfile::TempDir;

fn try_git(folder: &Path, args: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .current_dir(folder)
        .args(["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "protocol.file.allow=always"])
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap().trim_end().to_owned())
}

fn git(folder: &Path, args: &[&str]) -> String {
    try_git(folder, args).unwrap_or_else(|| panic!("git {args:?}"))
}

fn is_git_here() -> bool {
    let is_here = Command::new("git").arg("--version").output().is_ok();
    if !is_here {
        eprintln!("git is not installed: nothing is compared with it");
    }
    is_here
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A history with a merge, tags, a remote, a log and files that resemble each other.
fn history(format: &[&str]) -> Option<TempDir> {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    try_git(at, &[&["init", "-q", "-b", "main"], format].concat())?;
    let long: String = (0..2000).map(|line| format!("line {line} of the bank\n")).collect();
    for version in 0..12 {
        write(at, "bank.txt", &format!("{long}version {version}\n{long}"));
        write(at, "sets/one/a.ifs", &format!("version {version}"));
        write(at, &format!("sets/two/{version}.txt"), &"x".repeat(version));
        git(at, &["add", "-A"]);
        git(at, &["commit", "-qm", &format!("Version {version}")]);
        if version == 3 {
            git(at, &["tag", "light"]);
            git(at, &["tag", "-a", "v1.0", "-m", "One"]);
            git(at, &["tag", "-a", "again", "-m", "A tag of a tag", "v1.0"]);
        }
    }
    git(at, &["checkout", "-q", "-b", "side/way", "HEAD~4"]);
    write(at, "side.txt", "side");
    git(at, &["add", "-A"]);
    git(at, &["commit", "-qm", "Side"]);
    git(at, &["checkout", "-q", "main"]);
    git(at, &["merge", "-q", "--no-ff", "-m", "Merge", "side/way"]);
    git(at, &["update-ref", "refs/remotes/origin/main", "HEAD~1"]);
    git(at, &["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    Some(folder)
}

fn open(folder: &Path) -> Repository {
    Repository::discover(folder).unwrap().unwrap()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

const REVISIONS: [&str; 46] = [
    "HEAD",
    "@",
    "main",
    "heads/main",
    "refs/heads/main",
    "side/way",
    "light",
    "v1.0",
    "again",
    "tags/v1.0",
    "v1.0^{}",
    "v1.0^{commit}",
    "v1.0^0",
    "v1.0~1",
    "again~2",
    "HEAD~",
    "HEAD~0",
    "HEAD~3",
    "HEAD^",
    "HEAD^1",
    "HEAD^2",
    "HEAD^2~1",
    "HEAD~~~",
    "HEAD^^",
    "HEAD^2^",
    "main~2^0~1",
    "origin/main",
    "origin",
    "remotes/origin/main",
    "ORIG_HEAD",
    // There is none of these.
    "none",
    "HEAD~400",
    "HEAD^3",
    "",
    "-x",
    "HEAD:bank.txt",
    "..",
    "main..side/way",
    "config",
    "refs/heads",
    "sets",
    "HEAD^{",
    "HEAD~x",
    "HEAD@",
    "@@",
    "HEAD~99999999999999999999",
];

fn compare_revisions(folder: &Path, revisions: &[&str]) {
    let repository = open(folder);
    for revision in revisions {
        let wanted = format!("{revision}^{{commit}}");
        let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted];
        let wanted = try_git(folder, &args);
        let seen = repository.commit(revision, now()).ok().map(|id| id.to_string());
        assert_eq!(seen, wanted, "{revision}");
    }
}

fn compare_files(folder: &Path, revision: &str) {
    let repository = open(folder);
    let commit = repository.commit(revision, 0).unwrap();
    let list = git(folder, &["ls-tree", "-r", "--full-tree", &commit.to_string()]);
    assert!(!list.is_empty());
    for line in list.lines() {
        let (facts, name) = line.split_once('\t').unwrap();
        let id = facts.split(' ').nth(2).unwrap();
        let located = repository.locate(&commit, name).unwrap().unwrap();
        assert_eq!((located.id.to_string().as_str(), located.path.as_str()), (id, name));
        let content = repository.read(&located.id).unwrap();
        assert!(located.id.is_of_file(&content));
        let shown = Command::new("git").current_dir(folder).args(["cat-file", "blob", id]).output();
        assert!(shown.unwrap().stdout == content, "{name}");
    }
    assert_eq!(repository.locate(&commit, "no/such/file").unwrap(), None);
}

#[test]
fn revisions_are_those_of_git() {
    if !is_git_here() {
        return;
    }
    for format in [
        &[][..],
        &["--object-format=sha256"],
        &["--ref-format=reftable"],
        &["--ref-format=reftable", "--object-format=sha256"],
    ] {
        let Some(folder) = history(format) else {
            eprintln!("this git does not know {format:?}");
            continue;
        };
        let at = folder.path();
        let is_in_files = !format.contains(&"--ref-format=reftable");
        let compare = || {
            compare_revisions(at, &REVISIONS);
            let head = git(at, &["rev-parse", "HEAD~2"]);
            let described = git(at, &["describe", "--tags", "HEAD~2"]);
            let digits = [4, 5, 7, 12, 39].map(|length| &head[..length]);
            compare_revisions(at, &digits);
            compare_revisions(
                at,
                &[&head, &described, &head.to_uppercase(), &format!("{described}~2")],
            );
            if is_in_files {
                compare_revisions(
                    at,
                    &[
                        "@{0}",
                        "@{1}",
                        "main@{1}",
                        "main@{3}~1",
                        "main@{99}",
                        "HEAD@{2}",
                        "@{-1}",
                        "@{-2}",
                        "@{-9}",
                        "@{now}",
                        "main@{0 seconds ago}",
                        "side/way@{0}",
                    ],
                );
            }
            for revision in ["HEAD", "v1.0", "HEAD~7"] {
                compare_files(at, revision);
            }
            assert_eq!(
                open(at).head().unwrap().unwrap().to_string(),
                git(at, &["rev-parse", "HEAD"])
            );
        };
        compare();
        // References and objects in packs, with changes to one another.
        git(at, &["gc", "-q", "--aggressive", "--prune=now"]);
        assert!(fs::read_dir(at.join(".git/objects/pack")).unwrap().count() >= 2);
        compare();
        git(at, &["commit", "-q", "--allow-empty", "-m", "Loose and packed"]);
        git(at, &["tag", "-d", "light"]);
        compare();
        // A commit that is checked out without a branch.
        git(at, &["checkout", "-q", "--detach", "HEAD~3"]);
        compare();
    }
}

/// Other places where git keeps a repository.
#[test]
fn repositories_are_found_where_git_finds_them() {
    if !is_git_here() {
        return;
    }
    let folder = history(&[]).unwrap();
    let at = folder.path();
    let others = TempDir::new().unwrap();
    let other = |name: &str| others.path().join(name);
    let path = |path: &Path| path.to_str().unwrap().to_owned();
    git(at, &["worktree", "add", "-q", &path(&other("tree")), "side/way"]);
    git(at, &["clone", "-q", "--shared", ".", &path(&other("shared"))]);
    git(at, &["clone", "-q", "--reference", ".", ".", &path(&other("reference"))]);
    git(
        at,
        &[
            "clone",
            "-q",
            "--separate-git-dir",
            &path(&other("apart.git")),
            ".",
            &path(&other("apart")),
        ],
    );
    let url = format!("file://{}", path(at));
    git(at, &["clone", "-q", "--depth", "2", &url, &path(&other("shallow"))]);
    fs::create_dir(other("super")).unwrap();
    git(&other("super"), &["init", "-q"]);
    git(&other("super"), &["submodule", "--quiet", "add", &url, "inner"]);
    git(&other("super"), &["commit", "-qm", "One"]);
    let tops: Vec<PathBuf> =
        ["tree", "shared", "reference", "apart", "shallow", "super/inner", "super"]
            .map(other)
            .into();
    for top in &tops {
        let repository = open(top);
        assert_eq!(repository.top(), fs::canonicalize(top).unwrap());
        let head = git(top, &["rev-parse", "HEAD"]);
        assert_eq!(repository.head().unwrap().unwrap().to_string(), head, "{top:?}");
        if top.join("sets").exists() {
            let inner = open(&top.join("sets/one"));
            assert_eq!(inner.top(), repository.top());
            compare_files(top, "HEAD");
        }
    }
    compare_revisions(&tops[0], &["HEAD", "main", "side/way", "@{-1}", "HEAD@{0}", "v1.0"]);
    // The history ends where the clone was cut, and a submodule is another repository.
    let cut = open(&other("shallow")).commit("HEAD~3", 0).unwrap_err();
    assert!(matches!(cut, Error::NoObject(_)), "{cut}");
    let outer = open(&other("super"));
    let commit = outer.commit("HEAD", 0).unwrap();
    assert_eq!(outer.locate(&commit, "inner/bank.txt").unwrap(), None);
    // Before the first commit, and outside of any repository.
    fs::create_dir(other("new")).unwrap();
    git(&other("new"), &["init", "-q"]);
    assert_eq!(open(&other("new")).head(), Ok(None));
    fs::create_dir(other("plain")).unwrap();
    assert!(Repository::discover(&other("plain")).unwrap().is_none());
}

#[cfg(unix)]
#[test]
fn links_lead_where_they_lead_in_the_commit() {
    use std::os::unix::fs::symlink;

    if !is_git_here() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    git(at, &["init", "-q"]);
    write(at, "a/real.txt", "real");
    write(at, "b/c/deep.txt", "deep");
    let long = "x/".repeat(400) + "x";
    for (target, link) in [
        ("real.txt", "a/near"),
        ("../a/near", "b/far"),
        ("b", "folder"),
        ("../../../etc/passwd", "a/outside"),
        ("/etc/passwd", "a/absolute"),
        ("loop", "a/loop"),
        ("two", "a/one"),
        ("one", "a/two"),
        ("nothing", "a/nothing"),
        (&long, "a/long"),
    ] {
        symlink(target, at.join(link)).unwrap();
    }
    git(at, &["add", "-A"]);
    git(at, &["commit", "-qm", "Links"]);
    let repository = open(at);
    let commit = repository.commit("HEAD", 0).unwrap();
    let place = |path: &str| {
        let located = repository.locate(&commit, path).unwrap();
        located.map(|located| (located.kind, located.path))
    };
    for (path, leads_to) in [
        ("a/near", "a/real.txt"),
        ("b/far", "a/real.txt"),
        ("folder/c/deep.txt", "b/c/deep.txt"),
        ("folder/../folder/far", "a/real.txt"),
        ("./a//real.txt", "a/real.txt"),
    ] {
        assert_eq!(place(path), Some((CommittedKind::File, leads_to.to_owned())), "{path}");
    }
    assert_eq!(place("folder/c/"), Some((CommittedKind::Folder, "b/c".to_owned())));
    assert_eq!(place(""), Some((CommittedKind::Folder, String::new())));
    for path in [
        "a/outside",
        "a/absolute",
        "a/loop",
        "a/one",
        "a/nothing",
        "a/long",
        "..",
        "../a/real.txt",
        "a/real.txt/",
        "a/real.txt/x",
        "a/near/x",
    ] {
        assert_eq!(place(path), None, "{path}");
    }
    let files = repository.files(&commit, "folder").unwrap().unwrap();
    assert_eq!(files, ["far"]);
    assert_eq!(repository.files(&commit, "").unwrap().unwrap(), [""; 0]);
    assert_eq!(repository.files(&commit, "nothing").unwrap(), None);
}

#[test]
fn line_ends_do_not_differ() {
    if !is_git_here() {
        return;
    }
    let folder = TempDir::new().unwrap();
    git(folder.path(), &["init", "-q"]);
    for (name, text) in [("lf", "one\ntwo\n"), ("crlf", "one\r\ntwo\r\n"), ("binary", "\0\n")] {
        write(folder.path(), name, text);
    }
    git(folder.path(), &["-c", "core.autocrlf=false", "add", "-A"]);
    git(folder.path(), &["commit", "-qm", "One"]);
    let repository = open(folder.path());
    let commit = repository.commit("HEAD", 0).unwrap();
    let id = |name: &str| -> Id { repository.locate(&commit, name).unwrap().unwrap().id };
    for (name, content, is_same) in [
        ("lf", &b"one\ntwo\n"[..], true),
        ("lf", b"one\r\ntwo\r\n", true),
        ("lf", b"one\r\ntwo\n", true),
        ("lf", b"one\rtwo\r", false),
        ("lf", b"one\r\r\ntwo\n", false),
        ("lf", b"one\ntwo", false),
        ("lf", b"", false),
        ("crlf", b"one\r\ntwo\r\n", true),
        ("binary", b"\0\n", true),
        ("binary", b"\0\r\n", false),
    ] {
        assert_eq!(id(name).is_of_file(content), is_same, "{name} {content:?}");
    }
}

/// A flipped byte of a repository changes no content and ends in no panic.
#[test]
fn flipped_bytes_are_noticed() {
    fn files(folder: &Path) -> Vec<PathBuf> {
        let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
    }

    if !is_git_here() {
        return;
    }
    let begun = Instant::now();
    for format in [&[][..], &["--ref-format=reftable"]] {
        let Some(folder) = history(format) else { continue };
        let at = folder.path();
        git(at, &["gc", "-q", "--aggressive", "--prune=now"]);
        write(at, "bank.txt", "loose");
        git(at, &["commit", "-qam", "Loose"]);
        let head = git(at, &["rev-parse", "HEAD"]);
        let read = || -> Result<Vec<Vec<u8>>, Error> {
            let Some(repository) = Repository::discover(at)? else { return Ok(Vec::new()) };
            let mut contents = Vec::new();
            for revision in [&head, "HEAD~5"] {
                let commit = repository.commit(revision, 0)?;
                for name in ["bank.txt", "sets/one/a.ifs"] {
                    let located = repository.locate(&commit, name)?;
                    contents.push(repository.read(&located.ok_or(Error::TooMuchWork)?.id)?);
                }
            }
            Ok(contents)
        };
        let whole = read().unwrap();
        assert_eq!(whole.len(), 4);
        let (mut flips, mut noticed) = (0, 0);
        let mut state = 1_u64;
        let git_folder = fs::canonicalize(at.join(".git")).unwrap();
        for path in files(&git_folder) {
            let name = path.strip_prefix(&git_folder).unwrap().to_str().unwrap();
            let is_read = ["objects/", "refs/", "reftable/", "HEAD", "packed-refs"];
            if !is_read.iter().any(|start| name.starts_with(start)) {
                continue;
            }
            let bytes = fs::read(&path).unwrap();
            let mut permissions = fs::metadata(&path).unwrap().permissions();
            #[expect(clippy::permissions_set_readonly_false, reason = "a file of this test")]
            permissions.set_readonly(false);
            fs::set_permissions(&path, permissions).unwrap();
            for _ in 0..40.min(bytes.len()) {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let place = (state >> 33) as usize % bytes.len();
                let mut damaged = bytes.clone();
                damaged[place] ^= 1 << (state >> 20 & 7);
                fs::write(&path, damaged).unwrap();
                flips += 1;
                match read() {
                    // What HEAD names may be another commit now; the contents of a commit are its own.
                    Ok(contents) => assert!(
                        contents.is_empty() || contents[..2] == whole[..2],
                        "{name} at {place}"
                    ),
                    Err(_) => noticed += 1,
                }
            }
            fs::write(&path, bytes).unwrap();
        }
        assert!(flips > 300 && noticed > 50, "{flips} {noticed}");
        assert_eq!(read().unwrap(), whole);
    }
    assert!(begun.elapsed().as_secs() < 60);
}
