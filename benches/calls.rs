//! Calls to an endpoint: CPU and wall time of whole runs against a server of our
//! own in the same run. The server is this program, started again.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use super::IFS;

/// Dialogues held at the same time.
const AT_ONCE: usize = 1000;

const SCENARIO: &str = r#"ifs 1
import topics "topics.jsonl" { name: text  request: text }
group length {
  constraint most(n: int in 40..=90 step 10) {
    say "Use at most {{ n }} words."
    change "At most {{ n }} words from now on."
    check count(word) <= n
  }
}
group words {
  constraint keyword(wanted: one_of ["tide", "leaf", "bread"]) {
    say "Use the word {{ wanted }}."
    change "Use the word {{ wanted }} now."
    check contains(wanted)
  }
}
group form {
  constraint sentences(n: int in 1..=4) {
    say "Write at least {{ n }} sentences."
    change "At least {{ n }} sentences from now on."
    check count(sentence) >= n
  }
}
dialogue talk {
  topic from topics
  constraints from length, words, form
  start with 3 constraints
  flow { stay at least 100 turns }
  evolve one per turn { modify 100% }
  end when turns >= TURNS
}
"#;

/// 20 words, as in the comparison with other frameworks.
const ANSWER: &str = r#"{"id":"a","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"The tide comes and goes twice a day. The leaf falls once a year. Bread rises in an hour, if warm."}}],"usage":{"prompt_tokens":300,"completion_tokens":24,"total_tokens":324}}"#;

pub fn compare(folder: &Path) {
    println!();
    println!("calls, {AT_ONCE} dialogues in flight (server in the same run)");
    println!(
        "{:<34} {:>8} {:>12} {:>10} {:>9}",
        "", "calls/s", "of the ideal", "CPU a call", "peak"
    );
    let ours = run(folder, "10 turns, no delay", 10, (Duration::ZERO, AT_ONCE));
    let delay = Duration::from_millis(50);
    run(folder, "30 turns, 50 ms", 30, (delay, AT_ONCE));
    // As a user sees it who says nothing of the fewest: 20 at first, twice as many each round trip.
    run(folder, "the same, from 20 calls on", 30, (delay, 1));
    run(folder, "100 turns, no delay", 100, (Duration::ZERO, AT_ONCE));
    run(folder, "100 turns, 50 ms", 100, (delay, AT_ONCE));
    if !std::env::args().any(|arg| arg == "alone") {
        peer(ours);
    }
}

/// The same in inspect_ai, set up under `target/`: fewer dialogues, since each call takes long.
fn peer(ours: f64) {
    let benches = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches");
    let setup = Command::new(benches.join("calls-peer.sh")).stderr(Stdio::inherit()).output();
    let setup = setup.expect("the script that sets it up");
    if !setup.status.success() {
        return println!("inspect_ai could not be set up");
    }
    let python = String::from_utf8_lossy(&setup.stdout).trim().to_owned();
    let (address, _server) = server(Duration::ZERO);
    let (mut rates, mut cpus, mut peaks) = (vec![], vec![], vec![]);
    for _ in 0..3 {
        let told = Command::new(&python)
            .arg(benches.join("calls-peer.py"))
            .args([&address, "100", "10", "100"])
            .env("PEER_API_KEY", "none")
            .stderr(Stdio::inherit())
            .output()
            .expect("Python starts");
        let told: serde_json::Value =
            serde_json::from_slice(&told.stdout).expect("what it measured");
        let number = |name: &str| told[name].as_f64().expect("a number");
        rates.push(number("calls_per_second"));
        cpus.push(number("cpu_ms"));
        peaks.push(number("peak_mib"));
    }
    let cpu = super::median(cpus);
    println!(
        "{:<34} {:>8.0} {:>12} {cpu:>7.3} ms {:>5.0} MiB  {:.0} times ours",
        "inspect_ai, 100 x 10 turns",
        super::median(rates),
        "–",
        super::median(peaks),
        cpu / ours
    );
}

/// A server of this program, with its address.
fn server(delay: Duration) -> (String, Killed) {
    let port = free_port();
    let own = std::env::current_exe().expect("the path of this program");
    let server = Command::new(own)
        .args(["server", &port.to_string(), &delay.as_millis().to_string()])
        .spawn()
        .expect("the server starts");
    let server = Killed(server);
    let address = format!("127.0.0.1:{port}");
    while std::net::TcpStream::connect(&address).is_err() {
        std::thread::sleep(Duration::from_millis(5));
    }
    (address, server)
}

/// Milliseconds of CPU a call.
fn run(folder: &Path, name: &str, turns: usize, (delay, fewest): (Duration, usize)) -> f64 {
    let scenario = folder.join("calls.ifs");
    std::fs::write(&scenario, SCENARIO.replace("TURNS", &turns.to_string())).expect("a scenario");
    let topics: String = (0..50)
        .map(|at| format!("{{\"name\": \"t{at}\", \"request\": \"Tell me of topic {at}.\"}}\n"))
        .collect();
    std::fs::write(folder.join("topics.jsonl"), topics).expect("a bank");
    let (address, _server) = server(delay);
    let (mut rates, mut shares, mut cpus, mut peaks) = (vec![], vec![], vec![], vec![]);
    for at in 0..4 {
        let out = folder.join(format!("calls-{turns}-{at}"));
        let (wall, cpu, peak) = held(&scenario, &out, (&address, fewest));
        // The first one warms up.
        if at > 0 {
            let calls = (AT_ONCE * turns) as f64;
            rates.push(calls / wall.as_secs_f64());
            shares.push((delay * turns as u32).as_secs_f64() / wall.as_secs_f64());
            cpus.push(cpu.as_secs_f64() * 1e3 / calls);
            peaks.push(peak as f64 / 1024.0);
        }
        let _ = std::fs::remove_dir_all(out);
    }
    let share = match delay.is_zero() {
        true => "–".to_owned(),
        false => format!("{:.0} %", super::median(shares) * 100.0),
    };
    let cpu = super::median(cpus);
    println!(
        "{name:<34} {:>8.0} {share:>12} {cpu:>7.3} ms {:>5.0} MiB",
        super::median(rates),
        super::median(peaks)
    );
    cpu
}

/// A process that ends with the measurement, whatever becomes of that.
struct Killed(std::process::Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Wall time, CPU time and the most memory (KiB) of a run.
fn held(
    scenario: &Path,
    out: &Path,
    (address, fewest): (&str, usize),
) -> (Duration, Duration, u64) {
    let (at_once, fewest) = (AT_ONCE.to_string(), fewest.to_string());
    let before = children();
    let begun = Instant::now();
    let mut child = Command::new(IFS)
        .arg("run")
        .arg(scenario)
        .args(["-m", "vllm/m", "-n", &at_once, "--format", "json"])
        .args(["--max-connections", &at_once, "--min-connections", &fewest])
        .arg("--out")
        .arg(out)
        .env("VLLM_BASE_URL", format!("http://{address}/v1"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let ended = loop {
        peak = peak.max(high_water(&status));
        if let Some(ended) = child.try_wait().expect("it ends") {
            break ended;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let wall = begun.elapsed();
    assert!(ended.success(), "{ended}");
    (wall, children() - before, peak)
}

/// CPU time of all children that ended, in steps of 10 ms.
fn children() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse().ok()).unwrap_or(0u64);
    Duration::from_millis((ticks(13) + ticks(14)) * 10)
}

fn high_water(status: &str) -> u64 {
    let text = std::fs::read_to_string(status).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("its number").port()
}

/// Answers every request after a delay, until it is killed.
pub fn serve(args: &[String]) {
    let number = |at: usize| args.get(at).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    let delay = Duration::from_millis(number(1));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let socket = TcpSocket::new_v4().expect("a socket");
        let place = SocketAddr::from(([127, 0, 0, 1], number(0) as u16));
        socket.bind(place).expect("the port");
        // Room for all connections that come at once, as servers of models have.
        let listener = socket.listen(2048).expect("it listens");
        loop {
            let Ok((stream, _)) = listener.accept().await else { continue };
            tokio::spawn(connection(stream, delay));
        }
    });
}

async fn connection(mut stream: TcpStream, delay: Duration) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let response = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{ANSWER}",
        ANSWER.len()
    );
    let mut read = Vec::with_capacity(1 << 16);
    loop {
        let head = loop {
            if let Some(at) = read.windows(4).position(|part| part == b"\r\n\r\n") {
                break at + 4;
            }
            if stream.read_buf(&mut read).await.ok()? == 0 {
                return None;
            }
        };
        let text = String::from_utf8_lossy(&read[..head]).to_ascii_lowercase();
        let length = text.split("content-length: ").nth(1)?.split('\r').next()?;
        let whole = head + length.parse::<usize>().ok()?;
        while read.len() < whole {
            if stream.read_buf(&mut read).await.ok()? == 0 {
                return None;
            }
        }
        read.drain(..whole);
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        stream.write_all(response.as_bytes()).await.ok()?;
    }
}
