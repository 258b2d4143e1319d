//! How fast the compiler and the drawing of scripts are, as whole processes,
//! against bare prototypes of the same work in the same run.
//!
//! `cargo bench` starts each pair alternately (A B A B …) and prints the processor
//! time (user and system) that each process took, as median and as the least, the
//! median of wall time, and the median of the ratios of processor time, which
//! holds where the machine's speed does not. Nothing here fails when it is slow.
//! `cargo bench -- calls` is the part about endpoints.

#![expect(clippy::disallowed_methods, reason = "a benchmark looks at the clock")]

mod calls;
mod generate;
mod prototype;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const IFS: &str = env!("CARGO_BIN_EXE_ifs");
const PAIRS: usize = 15;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args.get(1).is_some_and(|arg| arg == "prototype") {
        return prototype::run(&args[2..]);
    }
    if args.get(1).is_some_and(|arg| arg == "server") {
        return calls::serve(&args[2..]);
    }
    let folder = std::env::temp_dir().join(format!("ifs-bench-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("banks")).expect("a folder for what is measured");
    if args.iter().any(|arg| arg == "calls") {
        calls::compare(&folder);
        let _ = std::fs::remove_dir_all(&folder);
        return;
    }
    let write = |name: &str, text: &str| -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a file in it");
        path
    };
    write("banks/topics.jsonl", &generate::topics(50));
    let plain = write("plain.ifs", &generate::one_pool(false));
    let library = write("library.ifs", &generate::one_pool(true));
    let megabyte = write("large.ifs", &generate::scenario_of_bytes(1 << 20));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let evolif = root.join("scenarios/evolif/evolif.ifs");
    let banks = root.join("scenarios/evolif/banks");

    println!("{:<34} {:>19} {:>9} {:>9} {:>7}", "", "cpu, least, median", "wall", "bare", "ratio");
    pairs("start: --version", &["--version".as_ref()], &["nothing".as_ref()]);
    pairs("check: 250 lines", &["check".as_ref(), &plain], &["read".as_ref(), &plain]);
    pairs(
        "check: 250 lines, with std.evolif",
        &["check".as_ref(), &library],
        &["read".as_ref(), &library],
    );
    pairs(
        "check: evolif with its banks",
        &["check".as_ref(), &evolif],
        &["banks".as_ref(), &banks],
    );
    pairs("check: 1 MB", &["check".as_ref(), &megabyte], &["read".as_ref(), &megabyte]);
    let draw: Vec<&Path> =
        ["-n", "150", "--turns", "30", "--format", "jsonl"].map(Path::new).into();
    let mut command: Vec<&Path> = vec!["draw".as_ref(), &evolif];
    command.extend(draw);
    let proven = command.clone();
    command.push("--no-witness".as_ref());
    pairs("draw: 150 dialogues of 30 turns", &command, &["draw".as_ref(), &banks]);
    pairs("draw: the same, with proofs", &proven, &["draw".as_ref(), &banks]);
    calls::compare(&folder);
    let _ = std::fs::remove_dir_all(&folder);
}

/// Runs both commands in turn and prints what they took.
fn pairs(name: &str, ifs: &[&Path], bare: &[&Path]) {
    let own = std::env::current_exe().expect("the path of this program");
    let bare: Vec<&Path> =
        std::iter::once("prototype".as_ref()).chain(bare.iter().copied()).collect();
    let (mut firsts, mut walls, mut seconds, mut ratios) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for at in 0..=PAIRS {
        let first = time(Path::new(IFS), ifs);
        let second = time(&own, &bare);
        // The first pair warms up the caches of the system.
        if at > 0 {
            ratios.push(first.cpu / second.cpu);
            firsts.push(first.cpu);
            walls.push(first.wall);
            seconds.push(second.cpu);
        }
    }
    let least = firsts.iter().copied().fold(f64::INFINITY, f64::min);
    println!(
        "{name:<34} {least:>7.1} {:>8.1} ms {:>6.1} ms {:>6.1} ms {:>7.1}",
        median(firsts),
        median(walls),
        median(seconds),
        median(ratios)
    );
}

/// What one process took, in milliseconds.
struct Took {
    /// User and system time together.
    cpu: f64,
    wall: f64,
}

/// The processor time of all processes that were started here and have ended.
#[cfg(unix)]
fn cpu_of_children() -> f64 {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike as _;

    let used = getrusage(UsageWho::RUSAGE_CHILDREN).expect("what children used");
    let spent = used.user_time() + used.system_time();
    spent.num_microseconds() as f64 / 1e3
}

/// Not known there.
#[cfg(not(unix))]
fn cpu_of_children() -> f64 {
    f64::NAN
}

fn time(program: &Path, args: &[&Path]) -> Took {
    let (start, before) = (Instant::now(), cpu_of_children());
    let status = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("the program starts");
    let took = Took { cpu: cpu_of_children() - before, wall: start.elapsed().as_secs_f64() * 1e3 };
    assert!(status.success(), "{} {args:?}: {status}", program.display());
    took
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
