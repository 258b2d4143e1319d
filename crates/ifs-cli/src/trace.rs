//! The log of requests that `-v` and `-vv` write to standard error.

use std::io::{self, Write};

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use super::output;

/// Starts the log: attempts with one `-v`, waits and cache hits with two. Only what the library
/// itself logs is printed, because other crates do not hide keys.
pub(crate) fn start(verbose: u8) {
    let level = match verbose {
        0 => return,
        1 => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
    let lines = fmt::layer()
        .with_writer(|| TraceWriter)
        .with_timer(fmt::time::uptime())
        .with_target(false)
        .with_ansi(false)
        .with_filter(Targets::new().with_target("ifs", level));
    // A command that opens two contexts starts it twice: the first one is kept.
    let _ = tracing_subscriber::registry().with(lines).try_init();
}

/// Writes each line through the one place that makes control characters visible.
struct TraceWriter;

impl Write for TraceWriter {
    /// A call has a complete line: the subscriber formats an event before it writes.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        output::log(String::from_utf8_lossy(bytes).trim_end());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
