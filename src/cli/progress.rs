//! How far a run is: one line that changes in a terminal, plain lines elsewhere.

use std::time::Duration;

use super::load::counted;
use super::output::Output;
use crate::calls::{Calls, Counts};

/// Between two plain lines.
const PLAIN: Duration = Duration::from_secs(15);

pub(crate) struct Progress {
    of: usize,
    done: usize,
    last_plain: Duration,
}

impl Progress {
    pub fn new(of: usize) -> Progress {
        Progress { of, done: 0, last_plain: Duration::ZERO }
    }

    pub fn done(&mut self) {
        self.done += 1;
    }

    pub fn show(&mut self, calls: &Calls<'_>, output: &mut Output) {
        for news in calls.meter.news() {
            output.progress("");
            output.note(&news);
        }
        if output.has_terminal() {
            output.progress(&self.line(calls));
            return;
        }
        let now = calls.meter.elapsed();
        if now.saturating_sub(self.last_plain) >= PLAIN {
            self.last_plain = now;
            output.note(&self.line(calls));
        }
    }

    fn line(&self, calls: &Calls<'_>) -> String {
        let counts = calls.meter.counts();
        let mut parts = vec![format!("{} of {}", self.done, counted(self.of, "dialogue"))];
        if counts.answered + counts.in_flight + counts.waiting > 0 {
            parts.push(counted(usize::try_from(counts.answered).unwrap_or(usize::MAX), "call"));
            parts.push(format!("{} in flight", counts.in_flight));
        }
        if let Some(next) = calls.meter.next_try().filter(|_| counts.waiting > 0) {
            parts.push(format!("{} waiting, next in {}", counts.waiting, time(next)));
        }
        parts.extend(spent(calls));
        if self.done > 0 && self.done < self.of {
            let left = calls.meter.elapsed() / u32::try_from(self.done).unwrap_or(u32::MAX);
            let left = left * u32::try_from(self.of - self.done).unwrap_or(u32::MAX);
            parts.push(format!("about {} left", time(left)));
        }
        if calls.stop.is_asked() {
            parts.push("stopping: what is in flight is finished; Ctrl-C ends at once".to_owned());
        }
        parts.join(" · ")
    }
}

fn spent(calls: &Calls<'_>) -> Vec<String> {
    let spent = calls.budget.spent();
    let tokens = (spent.tokens() > 0).then(|| format!("{} tokens", spent.tokens()));
    let money = (spent.money > crate::calls::Money::ZERO).then(|| spent.money.to_string());
    tokens.into_iter().chain(money).collect()
}

/// What the calls of a run came to, when it is over.
pub(crate) fn summary(calls: &Calls<'_>, as_of: &str) -> String {
    let Counts {
        answered, recorded, hits, misses, unkept, uncounted, failed_tries, failed, ..
    } = calls.meter.counts();
    let spent = calls.budget.spent();
    let mut parts = vec![format!("{answered} answers to calls")];
    let more = [
        (recorded, "from the journal"),
        (failed_tries, "tries without an answer"),
        (failed, "calls given up"),
        (uncounted, "answers whose tokens are estimated"),
        (unkept, "answers that the cache could not keep"),
    ];
    parts.extend(more.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
    if calls.cache.is_some() {
        parts.push(format!("cache: {hits} hits, {misses} misses"));
    }
    let mut text = parts.join("; ");
    text.push_str(&format!(
        "\nspent in all: {} calls, {} tokens in, {} tokens out",
        spent.calls, spent.input, spent.output
    ));
    if spent.reasoning > 0 {
        text.push_str(&format!(" ({} of them reasoning)", spent.reasoning));
    }
    if spent.money > crate::calls::Money::ZERO {
        text.push_str(&format!(", {} by the prices of {as_of}", spent.money));
    }
    text
}

fn time(time: Duration) -> String {
    match time.as_secs() {
        0 => "1 s".to_owned(),
        seconds @ 1..100 => format!("{seconds} s"),
        seconds @ 100..6000 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}
