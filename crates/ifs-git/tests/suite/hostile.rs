//! Repositories that want a reader to wait, to fall or to fill the memory. Each is an error, or as if it
//! had no commit, and soon.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use ifs_git::{CommittedKind, Error, Repository};

use crate::planted::{Packed, Planted, deflate, hash, hex, varint};

/// The content of `main.ifs` in the commit that is checked out.
fn read(planted: &Planted) -> Result<Option<Vec<u8>>, Error> {
    let Some(repository) = Repository::discover(planted.folder.path())? else { return Ok(None) };
    let Some(commit) = repository.head()? else { return Ok(None) };
    repository.commit("HEAD~0", 0)?;
    let file = repository.locate(&commit, "main.ifs")?;
    let Some(file) = file.filter(|file| file.kind == CommittedKind::File) else { return Ok(None) };
    repository.read(&file.id).map(Some)
}

/// A machine may be busy with other tests.
const PATIENCE: Duration = Duration::from_secs(120);

fn is_refused(name: &str, planted: &Planted) -> Option<Error> {
    let begun = Instant::now();
    let refused = match read(planted) {
        Ok(Some(content)) => panic!("{name}: {} bytes were read", content.len()),
        Ok(None) => None,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            Some(error)
        }
    };
    assert!(begun.elapsed() < PATIENCE, "{name}: {:?}", begun.elapsed());
    refused
}

#[test]
fn a_sound_one_is_read() {
    let planted = Planted::new();
    assert_eq!(read(&planted).unwrap().unwrap(), b"ifs 1\n");
    // What looks like a repository in the work tree is not one.
    for name in ["HEAD", "config", "objects/info/x", "refs/heads/main"] {
        planted.write(&format!("inner/{name}"), b"ref: refs/heads/main\n");
    }
    let inner = Repository::discover(&planted.path("inner")).unwrap().unwrap();
    assert_eq!(inner.top(), fs::canonicalize(planted.folder.path()).unwrap());
    // An empty folder is passed over.
    fs::create_dir_all(planted.path("sub/.git")).unwrap();
    let sub = Repository::discover(&planted.path("sub")).unwrap().unwrap();
    assert_eq!(sub.top(), inner.top());
}

#[test]
fn pipes_are_not_opened() {
    let commit = Planted::new().check_out([1; 20]);
    let object = format!(".git/objects/{}/{}", &hex(commit)[..2], &hex(commit)[2..]);
    for name in [
        ".git",
        ".git/HEAD",
        ".git/commondir",
        ".git/refs/heads/main",
        ".git/objects/info/alternates",
        ".git/reftable/tables.list",
        &object,
    ] {
        let planted = Planted::new();
        planted.check_out([1; 20]);
        planted.pipe(name);
        let error = is_refused(name, &planted).unwrap();
        assert!(error.to_string().contains("not a regular file"), "{name}: {error}");
    }
    // These are looked at when nothing else has the object.
    for name in
        [".git/packed-refs", ".git/objects/pack/pack-1.idx", ".git/objects/pack/pack-1.pack"]
    {
        let planted = Planted::new();
        let blob = Packed::complete("blob", b"ifs 1\n");
        let id = hex(blob.id);
        planted.pack(&[blob]);
        fs::remove_file(planted.path(&format!(".git/objects/{}/{}", &id[..2], &id[2..]))).unwrap();
        assert!(read(&planted).unwrap().is_some());
        if name.ends_with("refs") {
            fs::remove_file(planted.path(".git/refs/heads/main")).unwrap();
        }
        planted.pipe(name);
        is_refused(name, &planted).unwrap();
    }
}

#[test]
fn references_do_not_lead_astray() {
    for head in [
        "",
        "\n",
        "ref:",
        "ref: \n",
        "ref: HEAD\n",
        "ref: /etc/passwd\n",
        "ref: ../../../../../../etc/passwd\n",
        "ref: refs/heads/../../HEAD\n",
        "ref: refs/heads/../../../main.ifs\n",
        "ref: refs//heads/main\n",
        "ref: refs/heads/main.lock\n",
        "ref: refs/heads/.hidden\n",
        "ref: refs\\heads\\main\n",
        "ref: refs/heads/a\0b\n",
        "ref: refs/heads/none\n",
        "ref: refs/heads\n",
        "ref: refs/heads/loop\n",
        "ref: refs/heads/hidden\n",
        "0123\n",
        "0000000000000000000000000000000000000000\n",
        "ffffffffffffffffffffffffffffffffffffffff\n",
        "gggggggggggggggggggggggggggggggggggggggg\n",
        &"f".repeat(64),
        &"f".repeat(3 << 20),
        &format!("ref: refs/{}\n", "a/".repeat(100_000)),
        &format!("ref: refs/{}\n", "a".repeat(100_000)),
    ] {
        let planted = Planted::new();
        planted.write(".git/refs/heads/loop", b"ref: refs/heads/pool\n");
        planted.write(".git/refs/heads/pool", b"ref: refs/heads/loop\n");
        planted.write(".git/refs/heads/hidden", b"ref: refs/heads/../heads/main\n");
        planted.write(".git/HEAD", head.as_bytes());
        is_refused(&head[..head.len().min(60)], &planted);
    }
    let planted = Planted::new();
    planted.write(".git/HEAD", b"ref: refs/heads/\xff\xfe\n");
    is_refused("not UTF-8", &planted);
    // A chain that is too long, and packed references that are no ids.
    for step in 0..40 {
        let next = format!("ref: refs/heads/{}\n", step + 1);
        planted.write(&format!(".git/refs/heads/{step}"), next.as_bytes());
    }
    planted.write(".git/HEAD", b"ref: refs/heads/0\n");
    is_refused("a long chain", &planted).unwrap();
    planted.write(".git/HEAD", b"ref: refs/heads/packed\n");
    planted.write(".git/packed-refs", b"# pack-refs\n../x refs/heads/packed\n^zz\n\n   \n");
    is_refused("packed references", &planted).unwrap();
}

#[test]
fn pointers_do_not_lead_astray() {
    for pointer in [
        "",
        "gitdir:",
        "gitdir: ",
        "gitdir: \n",
        "gitdir: .\n",
        "gitdir: .git\n",
        "gitdir: /\n",
        "gitdir: /dev/zero\n",
        "gitdir: /proc/self/fd\n",
        "gitdir: \0\n",
        "gitdir: none\n",
        "GITDIR: real\n",
        " gitdir: real\n",
        &"gitdir: ".repeat(100_000),
    ] {
        let planted = Planted::new();
        fs::rename(planted.path(".git"), planted.path("real")).unwrap();
        fs::write(planted.path(".git"), pointer).unwrap();
        is_refused(&pointer[..pointer.len().min(30)], &planted).unwrap();
        fs::write(planted.path(".git"), "gitdir: real\r\n").unwrap();
        assert!(read(&planted).unwrap().is_some());
    }
    for target in [".git", "/dev/zero", "/proc/self/mem"] {
        let planted = Planted::new();
        fs::rename(planted.path(".git"), planted.path("real")).unwrap();
        symlink(target, planted.path(".git")).unwrap();
        is_refused(target, &planted).unwrap();
    }
    for target in ["HEAD", "/dev/zero", "/dev/stdin", "/proc/kmsg", "/proc/self/mem", "/none", "/"]
    {
        let planted = Planted::new();
        fs::remove_file(planted.path(".git/HEAD")).unwrap();
        symlink(target, planted.path(".git/HEAD")).unwrap();
        is_refused(target, &planted);
    }
    for common in ["", ".", "..", "/none", "commondir", "\0", &"../".repeat(5000)] {
        let planted = Planted::new();
        fs::write(planted.path(".git/commondir"), common).unwrap();
        match common {
            "." => assert!(read(&planted).unwrap().is_some()),
            _ => _ = is_refused(common, &planted),
        }
    }
    // Alternates that name one another, themselves or devices take nothing away.
    let planted = Planted::new();
    let all: String = (0..2000).map(|place| format!("../alternate{place}\n")).collect();
    planted.write(
        ".git/objects/info/alternates",
        format!(".\n../objects\n/dev\n#x\n\n{all}").as_bytes(),
    );
    planted.write(".git/alternate1/info/alternates", b"../objects\n../alternate1\n");
    assert!(read(&planted).unwrap().is_some());
}

/// A repository whose `main.ifs` has this id, whose object does not exist yet.
fn with_blob(id: [u8; 20]) -> Planted {
    let planted = Planted::new();
    let tree = planted.tree(&[("100644", b"main.ifs", id)]);
    planted.check_out(tree);
    planted
}

#[test]
fn loose_objects_are_what_they_claim() {
    let zeros = vec![0; 80 << 20];
    let bomb = deflate(&[b"blob 10\0", &zeros[..]].concat());
    let truncated = &deflate(b"blob 6\0ifs 1\n")[..12];
    let mut flipped = deflate(b"blob 6\0ifs 1\n");
    *flipped.last_mut().unwrap() ^= 1;
    // A zlib stream of a million stored blocks that are empty.
    let mut idle = vec![0x78, 1];
    idle.extend([0, 0, 0, 0xff, 0xff].repeat(1_000_000));
    let trickle = [&idle[..], &deflate(b"blob 6\0ifs 1\n")[2..]].concat();
    for (name, bytes) in [
        ("nothing", Vec::new()),
        ("not zlib", b"blob 6\0ifs 1\n".to_vec()),
        ("truncated", truncated.to_vec()),
        ("checksum", flipped),
        ("more than claimed", deflate(b"blob 5\0ifs 1\n")),
        ("less than claimed", deflate(b"blob 7\0ifs 1\n")),
        ("other content", deflate(b"blob 6\0ifs 2\n")),
        ("other kind", deflate(b"tree 6\0ifs 1\n")),
        ("no kind", deflate(b"glob 6\0ifs 1\n")),
        ("no size", deflate(b"blob \0ifs 1\n")),
        ("negative size", deflate(b"blob -6\0ifs 1\n")),
        ("endless header", deflate(&b"blob ".repeat(1000))),
        ("claims 100 TB", deflate(b"blob 100000000000000\0ifs 1\n")),
        ("claims 2^64", deflate(b"blob 18446744073709551615\0ifs 1\n")),
        ("claims 65 MiB", deflate(format!("blob {}\0x", 65 << 20).as_bytes())),
        ("bomb", bomb),
        ("empty blocks", idle),
        ("many empty blocks", trickle),
    ] {
        let planted = with_blob(hash("blob", b"ifs 1\n"));
        planted.loose(hash("blob", b"ifs 1\n"), &bytes);
        is_refused(name, &planted).unwrap();
    }
    // One as large as the largest file of a scenario is read.
    let large = &zeros[..64 << 20];
    let planted = with_blob(hash("blob", large));
    planted.object("blob", large);
    assert_eq!(read(&planted).unwrap().unwrap().len(), 64 << 20);
    let planted = with_blob(hash("blob", &zeros));
    planted.object("blob", &zeros);
    assert!(matches!(is_refused("80 MiB", &planted), Some(Error::TooLarge { .. })));
}

#[test]
fn packed_objects_are_what_they_claim() {
    let base = b"ifs 1\n";
    let id = hash("blob", b"none of these");
    let steps =
        |size: u64, rest: &[u8]| [varint(base.len() as u64), varint(size), rest.to_vec()].concat();
    let complete = || Packed::complete("blob", base);
    let change = |steps: &[u8]| vec![complete(), Packed::change(id, hash("blob", base), steps)];
    let form = |form: u8, base: &[u8]| {
        let (base, data) = (base.to_vec(), deflate(b"x"));
        vec![complete(), Packed { id, form, size: 1, base, data }]
    };
    let sized =
        |size: u64| vec![Packed { id, form: 3, size, base: Vec::new(), data: deflate(b"x") }];
    for (name, entries) in [
        ("another object", change(&steps(6, &[0x90, 6]))),
        ("no steps", change(&[])),
        ("an endless size", change(&[0xff; 40])),
        ("a wrong base", change(&[varint(7), varint(1), vec![1, b'x']].concat())),
        ("too short", change(&steps(7, &[0x90, 6]))),
        ("too long", change(&steps(5, &[0x90, 6]))),
        ("the reserved step", change(&steps(1, &[0, 1]))),
        ("copies from outside", change(&steps(9, &[0x91, 200, 9]))),
        ("copies from far outside", change(&steps(9, &[0xff, 255, 255, 255, 255, 255, 255, 255]))),
        ("copies without a place", change(&steps(9, &[0xff, 1]))),
        ("new bytes that are missing", change(&steps(9, &[9, b'x']))),
        ("claims 100 TB", change(&steps(100_000_000_000_000, &[0x90, 6]))),
        ("claims 2^63", change(&steps(1 << 62, &[0x90, 6]))),
        ("form 0", form(0, &[])),
        ("form 5", form(5, &[])),
        ("itself before it", form(6, &[0])),
        ("far before it", form(6, &[0xff, 0xff, 0x7f])),
        ("endlessly before it", form(6, &[0xff; 30])),
        ("an unknown base", form(7, &[9; 20])),
        ("its own base", vec![Packed::change(id, id, &steps(6, &[0x90, 6]))]),
        ("size 65 MiB", sized(65 << 20)),
        ("size 2^60", sized(1 << 60)),
        ("size 9", sized(9)),
        ("size 0", sized(0)),
        (
            "each the base of the other",
            vec![
                Packed::change(id, [7; 20], &steps(6, &[0x90, 6])),
                Packed::change([7; 20], id, &steps(6, &[0x90, 6])),
            ],
        ),
    ] {
        let planted = with_blob(id);
        planted.pack(&entries);
        is_refused(name, &planted).unwrap();
    }
    // An honest change.
    let wanted = b"ifs 1\nifs 1\n!";
    let planted = with_blob(hash("blob", wanted));
    let honest = steps(13, &[0x90, 6, 0x90, 6, 1, b'!']);
    planted.pack(&[complete(), Packed::change(hash("blob", wanted), hash("blob", base), &honest)]);
    assert_eq!(read(&planted).unwrap().unwrap(), wanted);
}

/// Each object copies the one before it, whole or twice.
fn chain(length: u64, times: u64) -> Planted {
    let name = |place: u64| -> [u8; 20] {
        if place == 0 { hash("blob", b"ifs 1\n") } else { hash("blob", &place.to_be_bytes()) }
    };
    let mut entries = vec![Packed::complete("blob", b"ifs 1\n")];
    let mut size = 6_u64;
    for place in 1..=length {
        let mut steps = [varint(size), varint(size * times)].concat();
        for _ in 0..times {
            let mut copied = 0;
            while copied < size {
                let part = (size - copied).min(0xff_ffff);
                steps.push(0xff);
                steps.extend((copied as u32).to_le_bytes());
                steps.extend(&(part as u32).to_le_bytes()[..3]);
                copied += part;
            }
        }
        size *= times;
        entries.push(Packed::change(name(place), name(place - 1), &steps));
    }
    let planted = with_blob(name(length));
    planted.pack(&entries);
    planted
}

#[test]
fn chains_of_changes_end() {
    for (length, times) in
        [(1, 1), (100, 1), (4095, 1), (4096, 1), (20_000, 1), (22, 2), (23, 2), (26, 2)]
    {
        let error = is_refused(&format!("{length} of {times}"), &chain(length, times)).unwrap();
        // What they make has another hash, unless they are too many or too large before.
        assert!(matches!(error, Error::Damaged(_) | Error::TooLarge { .. }), "{error}");
    }
    // Many large steps: the limit of work ends it.
    let mut entries = vec![Packed::complete("blob", &vec![b'x'; 60 << 20])];
    let copy: Vec<u8> = (0..4_u32)
        .flat_map(|part| {
            let mut step = vec![0xff];
            step.extend((part * (15 << 20)).to_le_bytes());
            step.extend(&(15_u32 << 20).to_le_bytes()[..3]);
            step
        })
        .collect();
    let steps = [varint(60 << 20), varint(60 << 20), copy].concat();
    for place in 1..=4000_u64 {
        let base = entries.last().unwrap().id;
        entries.push(Packed::change(hash("blob", &place.to_be_bytes()), base, &steps));
    }
    let planted = with_blob(entries.last().unwrap().id);
    planted.pack(&entries);
    assert_eq!(is_refused("large steps", &planted), Some(Error::TooMuchWork));
}

#[test]
fn indices_are_checked() {
    let planted = with_blob(hash("blob", b"packed"));
    planted.pack(&[Packed::complete("blob", b"packed")]);
    assert_eq!(read(&planted).unwrap().unwrap(), b"packed");
    let path = planted.path(".git/objects/pack/pack-1.idx");
    let whole = fs::read(&path).unwrap();
    let with = |place: usize, bytes: &[u8]| {
        let mut index = whole.clone();
        index[place..place + bytes.len()].copy_from_slice(bytes);
        index
    };
    let offsets = 8 + 1024 + 20 + 4;
    for (name, index) in [
        ("empty", Vec::new()),
        ("version 1", whole[8..].to_vec()),
        ("version 3", with(7, &[3])),
        ("cut in the counts", whole[..500].to_vec()),
        ("cut in the ids", whole[..1040].to_vec()),
        ("falling counts", with(8, &[0, 0, 0, 200])),
        ("four thousand million objects", with(8, &[0xff; 1024])),
        ("an offset outside", with(offsets, &[0x7f, 0xff, 0xff, 0xff])),
        ("a large offset without a place", with(offsets, &[0xff; 4])),
        ("an offset of zero", with(offsets, &[0; 4])),
    ] {
        fs::write(&path, index).unwrap();
        is_refused(name, &planted).unwrap();
    }
}

#[test]
fn trees_and_commits_are_checked() {
    let planted = Planted::new();
    let blob = planted.object("blob", b"ifs 1\n");
    let tree = |bytes: &[u8]| planted.object("tree", bytes);
    let entry = |mode: &str, name: &[u8]| [mode.as_bytes(), b" ", name, b"\0", &blob].concat();
    for (name, tree) in [
        ("no zero byte", tree(b"100644 main.ifs")),
        ("half an id", tree(b"100644 main.ifs\0abc")),
        ("no mode", tree(&entry("", b"main.ifs"))),
        ("no number", tree(&entry("99", b"main.ifs"))),
        ("a large number", tree(&entry("77777777777777777777", b"main.ifs"))),
        ("no space", tree(&[b"main.ifs\0", &blob[..]].concat())),
        ("a blob", blob),
        ("a folder that is a blob", tree(&entry("40000", b"main.ifs"))),
        ("a submodule", tree(&entry("160000", b"main.ifs"))),
        ("a link to nothing", tree(&entry("120000", b"main.ifs"))),
        ("another name", tree(&entry("100644", b"../main.ifs"))),
        ("not there", [3; 20]),
    ] {
        planted.check_out(tree);
        is_refused(name, &planted);
    }
    for text in ["", "tree", "tree x\n", "parent 1\n\ntree y", "\n", "tree \n\u{e9}"] {
        let commit = planted.object("commit", text.as_bytes());
        planted.write(".git/HEAD", hex(commit).as_bytes());
        is_refused(text, &planted).unwrap();
    }
    // Tags that lead to one another.
    let mut target = planted.check_out(planted.tree(&[("100644", b"main.ifs", blob)]));
    for _ in 0..40 {
        target = planted.object("tag", format!("object {}\ntype tag\n", hex(target)).as_bytes());
    }
    planted.write(".git/refs/tags/deep", hex(target).as_bytes());
    let repository = Repository::discover(planted.folder.path()).unwrap().unwrap();
    assert!(repository.commit("deep", 0).is_err());
    for revision in [
        "HEAD~99999999999999999999999",
        "HEAD^^^{tree}",
        "HEAD^{é}é",
        "HEAD^{}é",
        "é",
        "a@{",
        "@{é}",
        "@{-99999999999999999999}",
        "@{99999999999999999999 days ago}",
        "HEAD^{",
        "{",
        "^main",
        "}",
        "@{u}",
        ":/x",
    ] {
        assert!(repository.commit(revision, 0).is_err(), "{revision}");
    }
}

/// A folder of many files, and a tree of many entries, cost what they cost, once.
#[test]
fn many_entries_end() {
    let planted = Planted::new();
    let blob = planted.object("blob", b"ifs 1\n");
    let mut tree = Vec::new();
    for place in 0..500_000 {
        tree.extend([format!("120000 {place}\0").as_bytes(), &blob].concat());
    }
    tree.extend([b"100644 main.ifs\0", &blob[..]].concat());
    let commit = planted.check_out(planted.object("tree", &tree));
    let begun = Instant::now();
    let repository = Repository::discover(planted.folder.path()).unwrap().unwrap();
    for _ in 0..1000 {
        let id = repository.head().unwrap().unwrap();
        if repository.locate(&id, "main.ifs") == Err(Error::TooMuchWork) {
            break;
        }
    }
    let files = Repository::discover(planted.folder.path()).unwrap().unwrap();
    assert!(hex(commit) == files.head().unwrap().unwrap().to_string());
    assert_eq!(files.files(&files.head().unwrap().unwrap(), ""), Err(Error::TooMuchWork));
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
}
