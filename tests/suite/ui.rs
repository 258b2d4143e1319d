//! What an author sees: one mistake a file, the answer next to it byte for byte,
//! and the pages that explain each code.
//!
//! `tests/ui/NAME.ifs` has its answer in `NAME.stderr`; where a program has
//! several files, they live in `tests/ui/NAME/` and the first is `main.ifs`.
//! `IFS_BLESS=1` writes the answers again; read the difference before you commit it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use ifs::diagnostic::{CODES, Code, Diagnostic, Diagnostics, render};
use ifs::source::{Sources, Span};
use ifs::world::{FolderWorld, MemoryWorld, ReadError, World};

/// Codes that are reported when a program is tested, run or graded with, never when it is checked.
const LATER: [Code; 7] = [
    Code::BAD_ROW,
    Code::FAILED_TEST,
    Code::LOCK_DRIFT,
    Code::UNNEEDED_MINDS,
    Code::NEEDS_JUDGE,
    Code::SAME_FAMILY,
    Code::STALE_VERSION,
];

/// Everything that is found before a model is called, as the commands find it.
pub fn check_program(world: &dyn World, root: &str) -> (Diagnostics, Arc<Sources>) {
    let mut checked = ifs::program::find_in(world, root);
    checked.draw_first();
    (Diagnostics { list: checked.diagnostics }, checked.sources)
}

/// The files of a test. One that holds nothing but `… 70 MiB …` counts as that large.
struct Files<W>(W);

impl<W: World> World for Files<W> {
    fn read(&self, name: &str) -> Result<Vec<u8>, ReadError> {
        let bytes = self.0.read(name)?;
        let large = str::from_utf8(&bytes).ok().and_then(|text| {
            text.trim().strip_prefix("… ")?.strip_suffix(" MiB …")?.parse::<u64>().ok()
        });
        large.map_or(Ok(bytes), |size| Err(ReadError::TooLarge(size, 64)))
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, ReadError> {
        self.0.list(folder)
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui")
}

struct Fixture {
    name: String,
    found: Vec<Diagnostic>,
    drawn: String,
}

/// Checked once for the tests that read them.
static FIXTURES: LazyLock<Vec<Fixture>> = LazyLock::new(fixtures);

fn fixtures() -> Vec<Fixture> {
    let mut fixtures = Vec::new();
    for entry in std::fs::read_dir(folder()).expect("tests/ui is there") {
        let path = entry.expect("its entries can be listed").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let (folder, root) = if path.extension().is_some_and(|ending| ending == "ifs") {
            (folder(), format!("{name}.ifs"))
        } else if path.join("main.ifs").exists() {
            (path, "main.ifs".to_owned())
        } else {
            continue;
        };
        let world = Files(FolderWorld::new(&folder).expect("the folder is there"));
        let (found, sources) = check_program(&world, &root);
        let drawn = render(&found.list, &sources, false, 100);
        fixtures.push(Fixture { name, found: found.list, drawn });
    }
    fixtures.sort_by(|one, other| one.name.cmp(&other.name));
    fixtures
}

#[test]
fn diagnostics_match_their_files() {
    #[expect(clippy::disallowed_methods, reason = "an environment variable requests blessing")]
    let bless = std::env::var_os("IFS_BLESS").is_some();
    let mut wrong = Vec::new();
    let mut covered = BTreeSet::new();
    for fixture in FIXTURES.iter() {
        let name = &fixture.name;
        let path = folder().join(format!("{name}.stderr"));
        if bless {
            std::fs::write(&path, &fixture.drawn).expect("the answer can be written");
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        if expected != fixture.drawn {
            wrong.push(format!("{name} now says\n{}", fixture.drawn));
        }
        let wanted = if name.starts_with("two_") { 2 } else { 1 };
        if fixture.found.len() != wanted {
            wrong.push(format!("{name} says {} things:\n{}", fixture.found.len(), fixture.drawn));
        }
        covered.extend(fixture.found.iter().map(|diagnostic| diagnostic.code.name()));
    }
    for (code, _) in CODES.iter().filter(|(code, _)| !LATER.contains(code)) {
        if !covered.contains(code.name()) {
            wrong.push(format!("no fixture in tests/ui has `{code}`"));
        }
    }
    assert!(wrong.is_empty(), "{}\n{} are wrong", wrong.join("\n"), wrong.len());
    assert!(FIXTURES.len() >= 90, "{}", FIXTURES.len());
}

/// Laws of every message that has an example.
#[test]
fn message_style() {
    for fixture in FIXTURES.iter() {
        for diagnostic in &fixture.found {
            let Diagnostic { message, labels, help, .. } = diagnostic;
            let name = &fixture.name;
            assert!(!message.is_empty() && !message.ends_with('.'), "{name}: {message}");
            let first = message.chars().next().unwrap_or(' ');
            assert!(!first.is_uppercase(), "{name}: {message}");
            assert!(!labels.is_empty(), "{name}: nowhere: {message}");
            assert!(help.as_ref().is_none_or(|help| !help.ends_with('.')), "{name}: {help:?}");
            for word in ["Some(", "None", "Type::", "Ok(", "Err("] {
                assert!(!fixture.drawn.contains(word), "{name} speaks of `{word}`");
            }
        }
        let tabs = fixture.drawn.contains('\t') || fixture.drawn.contains('\u{1b}');
        assert!(!tabs, "{}: not plain", fixture.name);
    }
}

#[test]
fn diagnostic_pages_show_mistake_and_correction() {
    let mut wrong = Vec::new();
    for (code, page) in CODES {
        let mut lines = page.lines();
        let heading = lines.next().unwrap_or("");
        if heading != format!("# {}", code.name()) {
            wrong.push(format!("{code}: the page begins with `{heading}`"));
        }
        if page.lines().count() > 60 {
            wrong.push(format!("{code}: the page is too long"));
        }
        let programs = programs(page);
        let [mistaken, mended] = programs.as_slice() else {
            wrong.push(format!("{code}: {} programs instead of two", programs.len()));
            continue;
        };
        let (found, sources) = check_program(mistaken, "main.ifs");
        let later = LATER.contains(code);
        let codes: Vec<Code> = found.list.iter().map(|diagnostic| diagnostic.code).collect();
        if codes != if later { vec![] } else { vec![*code] } {
            let drawn = render(&found.list, &sources, false, 100);
            wrong.push(format!("{code}: the mistake gives {codes:?}\n{drawn}"));
        }
        let (found, sources) = check_program(mended, "main.ifs");
        if !found.list.is_empty() {
            let drawn = render(&found.list, &sources, false, 100);
            wrong.push(format!("{code}: the mended program has\n{drawn}"));
        }
    }
    assert!(wrong.is_empty(), "{}\n{} are wrong", wrong.join("\n"), wrong.len());
}

/// The fenced programs of a page. A line `// file: NAME` begins another file; what
/// is before the first of them is `main.ifs`.
fn programs(page: &str) -> Vec<Files<MemoryWorld>> {
    let mut programs = Vec::new();
    let mut rest = page;
    while let Some((_, behind)) = rest.split_once("```ifs\n") {
        let (program, behind) = behind.split_once("```").unwrap_or((behind, ""));
        rest = behind;
        let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        let mut name = "main.ifs";
        for line in program.split_inclusive('\n') {
            match line.trim_end().strip_prefix("// file: ") {
                Some(other) => name = other,
                None => files.entry(name.to_owned()).or_default().extend(line.as_bytes()),
            }
        }
        programs.push(Files(MemoryWorld { files }));
    }
    programs
}

/// Two hundred mistakes in one line of ten megabytes are reported in little room.
#[test]
fn a_long_line_of_mistakes() {
    let mut sources = Sources::default();
    let file = sources.add("long.ifs", "word ".repeat(2 << 20)).expect("there is room for one");
    let mistake = |at: usize| {
        let label = |at: usize| Span::new(file, at * 50_000, at * 50_000 + 4);
        Diagnostic::error(Code::SYNTAX, "`word` does not belong here")
            .label(label(at), "here")
            .label(label(at / 2), "as here")
    };
    let found: Vec<Diagnostic> = (0..200).map(mistake).collect();
    let drawn = render(&found, &sources, false, 100);
    let list = ifs::diagnostic::to_json(&found, &sources);
    assert!(drawn.len() < 400_000, "{}", drawn.len());
    assert_eq!(list.as_array().map(Vec::len), Some(200));
    assert_eq!(list[199]["labels"][0]["column"], 199 * 50_000 + 1);
}
