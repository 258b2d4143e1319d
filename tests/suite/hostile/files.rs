//! Files that are not text, broken banks, and paths that lead elsewhere.

use super::*;

#[test]
fn binary_files_are_refused() {
    for bytes in [&b"ifs 1\nlet a = \"\xff\"\n"[..], b"\xff\xfei\0f\0s\0", b"ifs 1\n\xc3"] {
        let mut world = MemoryWorld::default();
        world.files.insert("main.ifs".to_owned(), bytes.to_vec());
        of_world("bytes", world).only("unreadable-file").says("UTF-8");
    }
    bank("a bank of bytes", "a.jsonl", b"{\"name\": \"a\"}\n\xff\xfe\n".to_vec())
        .only("unreadable-file")
        .says("line 2");
    of_world("no file", MemoryWorld::default()).only("unreadable-file").says("main.ifs");
}

#[test]
fn damaged_banks() {
    bank("a lone surrogate", "a.jsonl", "{\"name\": \"ok\"}\n{\"name\": \"\\ud800\"}\n")
        .only("bad-bank")
        .says("a.jsonl:2");
    bank("a lone surrogate", "a.json", "[{\"name\": \"\\udc00 x\"}]")
        .only("bad-bank")
        .says("a.json");
    bank("half a surrogate pair", "a.jsonl", "{\"name\": \"\\ud83d\\u0041\"}").only("bad-bank");
    for (name, open) in
        [("a.json", "["), ("a.jsonl", "["), ("a.json", "{\"name\":"), ("a.yaml", "[")]
    {
        let code = if name == "a.yaml" { "too-deep" } else { "bad-bank" };
        bank("10,000 deep", name, open.repeat(10_000)).only(code).says(name);
    }
    bank("deep lines of YAML", "a.yaml", "- ".repeat(10_000)).only("too-deep");
    let deep: String = (0..3_000).map(|at| format!("{}- \n", " ".repeat(at))).collect();
    bank("a staircase of YAML", "a.yaml", deep).only("too-deep");
    bank("half a file", "a.json", "[{\"name\": \"a\"}").only("bad-bank");
    bank("nothing", "a.json", "").only("bad-bank");
    bank("nothing", "a.jsonl", "").fails();
    bank("nothing", "a.csv", "").fails();
    bank("nothing", "a.yaml", "").fails();
    bank("NULs", "a.jsonl", "\0\0\0").only("bad-bank");
    bank("NULs", "a.csv", "\0\0\0").fails();
    bank("a field too few", "a.csv", "name,b\na\n").is("bad-bank");
    bank("quotes that stay open", "a.csv", "name\n\"a\n").says("a.csv");
    bank("another field", "a.jsonl", "{\"nmae\": \"a\"}").says("name");
    bank("another type", "a.jsonl", "{\"name\": [1, 2]}").says("name");
    bank("numbers too large", "a.jsonl", "{\"name\": 1e999}").is("bad-bank");
    bank("another kind of file", "a.exe", "MZ").says("a.exe");
}

#[test]
fn import_cycles() {
    let world = |files: &[(&str, &str)]| MemoryWorld::new(files.iter().copied());
    let files = [("main.ifs", "ifs 1\nimport me \"main.ifs\"\n")];
    of_world("itself", world(&files)).is("import-cycle").says("main.ifs");
    let files = [
        ("main.ifs", "ifs 1\nimport a \"a.ifs\"\n"),
        ("a.ifs", "ifs 1\nimport b \"./main.ifs\"\n"),
    ];
    of_world("two", world(&files)).is("import-cycle").says("`main.ifs` imports `a.ifs`");
    let files = [
        ("main.ifs", "ifs 1\nimport a \"x/a.ifs\"\n"),
        ("x/a.ifs", "ifs 1\nimport b \"y/b.ifs\"\n"),
        ("x/y/b.ifs", "ifs 1\nimport c \"../../main.ifs\"\n"),
    ];
    of_world("three", world(&files)).is("import-cycle").says("x/y/b.ifs");
    // A long chain is not a cycle, but deep.
    let mut chain = MemoryWorld::new([("main.ifs", "ifs 1\nimport a \"a0.ifs\"\n")]);
    for at in 0..3_000 {
        let text = format!("ifs 1\nimport a \"a{}.ifs\"\nlet x{at} = 1\n", at + 1);
        chain.files.insert(format!("a{at}.ifs"), text.into_bytes());
    }
    assert!(!of_world("a chain of 3,000", chain).codes.is_empty());
    of("let in a circle", "ifs 1\nlet a = b\nlet b = c\nlet c = a\n").is("dependency-cycle");
}

#[test]
fn paths_that_lead_elsewhere() {
    for (path, code) in [
        ("/etc/passwd", "outside-root"),
        ("../..", "outside-root"),
        ("../../x.jsonl", "outside-root"),
        ("a/../../x.jsonl", "outside-root"),
        ("C:/x.jsonl", "outside-root"),
        ("..\\\\x.jsonl", "bad-path"),
        ("", "bad-path"),
        (".", "bad-path"),
        ("x\\u{0}.jsonl", "unreadable-file"),
        ("none.jsonl", "unreadable-file"),
    ] {
        let text = format!("ifs 1\nimport x \"{path}\" {{\n  name: text\n}}\n");
        of(path, &text).is(code).says("main.ifs:2");
        let text = format!("ifs 1\nimport x \"{path}\"\n");
        assert!(!of(path, &text).codes.is_empty(), "{path}");
    }
}

/// Links, devices and other special files.
#[cfg(unix)]
#[test]
fn special_files() {
    use ifs::world::FolderWorld;
    use std::os::unix::fs::symlink;

    let outside = tempfile::TempDir::new().unwrap();
    std::fs::write(outside.path().join("secret.jsonl"), "{\"name\": \"s\"}\n").unwrap();
    let folder = tempfile::TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("folder.jsonl")).unwrap();
    std::fs::create_dir(at("folder.ifs")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(at("pipe.jsonl")).status().unwrap();
    assert!(made.success());
    symlink(outside.path().join("secret.jsonl"), at("link.jsonl")).unwrap();
    symlink(outside.path(), at("linked")).unwrap();
    symlink("loop.jsonl", at("loop.jsonl")).unwrap();
    symlink("/dev/zero", at("zero.jsonl")).unwrap();
    std::fs::write(at("good.jsonl"), "{\"name\": \"g\"}\n").unwrap();
    symlink("good.jsonl", at("inside.jsonl")).unwrap();
    let long = "x".repeat(5_000);
    for (path, code) in [
        ("folder.jsonl", "unreadable-file"),
        ("folder.ifs", "unreadable-file"),
        ("pipe.jsonl", "unreadable-file"),
        ("link.jsonl", "outside-root"),
        ("linked/secret.jsonl", "outside-root"),
        ("loop.jsonl", "unreadable-file"),
        ("zero.jsonl", "outside-root"),
        ("good.jsonl/x.jsonl", "unreadable-file"),
        (long.as_str(), "unreadable-file"),
    ] {
        let fields = if path.ends_with(".ifs") { "" } else { " {\n  name: text\n}" };
        std::fs::write(at("main.ifs"), format!("ifs 1\nimport x \"{path}\"{fields}\n")).unwrap();
        let world = FolderWorld::new(folder.path()).unwrap();
        of_world(path, world).is(code).says("main.ifs:2");
    }
    let text = "ifs 1\nimport x \"inside.jsonl\" {\n  name: text\n}\n";
    std::fs::write(at("main.ifs"), text).unwrap();
    of_world("a link inside", FolderWorld::new(folder.path()).unwrap()).good();
    // The scenario itself may be any of these.
    for name in ["pipe.jsonl", "folder.ifs", "loop.jsonl", "zero.jsonl"] {
        let world = FolderWorld::new(folder.path()).unwrap();
        let fate = ends(name, STACK, move || fate(&world, name));
        assert_eq!(fate.codes.len(), 1, "{name}: {:?}", fate.codes);
    }
}

#[test]
fn a_bank_of_many_lines() {
    let lines: String = (0..200_000).map(|at| format!("{{\"name\": \"n{at}\"}}\n")).collect();
    let program = "ifs 1\nimport things \"a.jsonl\" {\n  name: text\n}\n";
    let world = MemoryWorld::new([("main.ifs", program), ("a.jsonl", &lines)]);
    ends("200,000 lines", STACK, move || fate(&world, "main.ifs")).good();
    let wrong = "{\"nmae\": 1}\n".repeat(20_000);
    let fate = bank("20,000 wrong lines", "a.jsonl", wrong);
    assert!(fate.reported.len() < 200_000, "{} bytes are told", fate.reported.len());
    let same = "{\"name\": \"a\"}\n".repeat(20_000);
    let fate = bank("20,000 times the same", "a.jsonl", same).is("bad-bank");
    assert!(fate.reported.len() < 200_000, "{} bytes are told", fate.reported.len());
}
