//! The progress of a run: one line that changes on a terminal, plain lines elsewhere.

use std::time::Duration;

use super::load::counted;
use super::output::Output;
use ifs_inference::{RequestContext, RequestCounts};

/// The interval between two plain lines.
const PLAIN_INTERVAL: Duration = Duration::from_secs(15);

pub(crate) struct ProgressLine {
    of: usize,
    done: usize,
    last_plain: Duration,
    /// Whether "stopping" was printed.
    stopping: bool,
}

impl ProgressLine {
    pub fn new(of: usize) -> ProgressLine {
        ProgressLine { of, done: 0, last_plain: Duration::ZERO, stopping: false }
    }

    pub fn finish_line(&mut self) {
        self.done += 1;
    }

    pub fn show(&mut self, context: &RequestContext<'_>, output: &mut Output) {
        for news in context.meter.news() {
            output.progress("");
            output.note(&news);
        }
        if output.has_terminal() {
            output.progress(&self.line(context));
            return;
        }
        let now = context.meter.elapsed();
        let stopping = context.cancel.is_cancelled() && context.ended.get().is_none();
        let news = stopping && !std::mem::replace(&mut self.stopping, stopping);
        if news || now.saturating_sub(self.last_plain) >= PLAIN_INTERVAL {
            self.last_plain = now;
            output.note(&self.line(context));
        }
    }

    fn line(&self, context: &RequestContext<'_>) -> String {
        let counts = context.meter.counts();
        let mut parts = vec![format!("{} of {}", self.done, counted(self.of, "dialogue"))];
        if counts.answered + counts.in_flight + counts.waiting > 0 {
            parts.push(counted(usize::try_from(counts.answered).unwrap_or(usize::MAX), "request"));
            parts.push(format!("{} in flight", counts.in_flight));
        }
        if let Some(next) = context.meter.next_try().filter(|_| counts.waiting > 0) {
            parts.push(format!("{} waiting, next in {}", counts.waiting, time(next)));
        }
        parts.extend(spending_parts(context));
        if counts.failed > 0 {
            let failed = usize::try_from(counts.failed).unwrap_or(usize::MAX);
            parts.push(format!("{} failed", counted(failed, "request")));
        }
        parts.extend(
            self.remaining_time(counts, context.meter.elapsed())
                .map(|it| format!("about {} left", time(it))),
        );
        if context.cancel.is_cancelled() {
            // First, so that no narrow terminal cuts it off.
            let notice = "stopping: waiting for the requests in flight; Ctrl-C exits at once";
            parts.insert(0, notice.to_owned());
        }
        parts.join(" · ")
    }

    /// The estimated remaining time, from the rate so far. Recorded responses are left out, since
    /// they take no time.
    fn remaining_time(&self, counts: RequestCounts, elapsed: Duration) -> Option<Duration> {
        let RequestCounts { answered, recorded, hits, .. } = counts;
        if self.done == 0 || self.done >= self.of || (answered == 0 && recorded + hits > 0) {
            return None;
        }
        let asked = answered.max(1) as f64;
        let share = (answered.max(1) + recorded + hits) as f64 / asked;
        let each = elapsed.as_secs_f64() * share / self.done as f64;
        Duration::try_from_secs_f64(each * (self.of - self.done) as f64).ok()
    }
}

fn spending_parts(context: &RequestContext<'_>) -> Vec<String> {
    let spent = context.budget.spent();
    let tokens = (spent.tokens() > 0).then(|| format!("{} tokens", spent.tokens()));
    let money = (spent.money > ifs_inference::Money::ZERO).then(|| spent.money.to_string());
    tokens.into_iter().chain(money).collect()
}

/// The summary of the requests of a run.
pub(crate) fn summary(context: &RequestContext<'_>, as_of: &str) -> String {
    let RequestCounts {
        answered,
        recorded,
        hits,
        misses,
        unkept,
        uncounted,
        failed_tries,
        failed,
        ..
    } = context.meter.counts();
    let spent = context.budget.spent();
    let of = |count: u64, [one, more]: [&str; 2], what: &str| {
        format!("{count} {}{what}", if count == 1 { one } else { more })
    };
    const RESPONSES: [&str; 2] = ["response", "responses"];
    let mut parts = vec![of(answered, ["request", "requests"], " answered")];
    let more = [
        (recorded, ["from the journal"; 2], ""),
        (failed_tries, ["attempt", "attempts"], " failed"),
        (failed, ["request", "requests"], " failed for good"),
        (uncounted, RESPONSES, " whose tokens are estimated"),
        (unkept, RESPONSES, " that could not be cached"),
    ];
    let reported = more.into_iter().filter(|(count, ..)| *count > 0);
    parts.extend(reported.map(|(count, words, what)| of(count, words, what)));
    if context.cache.is_some() {
        let (hits, misses) = (of(hits, ["hit", "hits"], ""), of(misses, ["miss", "misses"], ""));
        parts.push(format!("cache: {hits}, {misses}"));
    }
    let mut text = parts.join("; ");
    text.push_str(&format!(
        "\ntotal: {} calls, {} tokens in, {} tokens out",
        spent.calls, spent.input, spent.output
    ));
    if spent.reasoning > 0 {
        text.push_str(&format!(" ({} of them reasoning)", spent.reasoning));
    }
    if spent.money > ifs_inference::Money::ZERO {
        text.push_str(&format!(", {} at the prices of {as_of}", spent.money));
    }
    text
}

fn time(time: Duration) -> String {
    match time.as_secs() {
        0 => "1 s".to_owned(),
        seconds @ 1..100 => format!("{seconds} s"),
        seconds @ 100..6000 => format!("{} min", (seconds + 30) / 60),
        seconds => format!("{} h", (seconds + 1800) / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ifs_inference::{Allowance, Budget, CancelToken, Meter, Money, Retries, Spent};

    fn context<'a>(cancel: &'a CancelToken, spent: Spent) -> RequestContext<'a> {
        RequestContext {
            journal: None,
            cache: None,
            hidden: None,
            rounds: None,
            budget: Budget::new(Allowance::default(), spent),
            retries: Retries::default(),
            meter: Meter::default(),
            cancel,
            room: tokio::sync::Notify::new(),
            ended: std::sync::OnceLock::new(),
        }
    }

    #[test]
    fn progress_lines_show_the_state() {
        let cancel = CancelToken::new();
        let money = Money::parse("1.5").unwrap();
        let spent = Spent { calls: 7, input: 900, output: 100, money, ..Spent::default() };
        let context = context(&cancel, spent);
        context.meter.count(|counts| {
            (counts.answered, counts.in_flight, counts.failed) = (7, 3, 1);
        });
        let _waiting = context.meter.wait(Duration::from_secs(3600));
        let mut progress = ProgressLine::new(10);
        assert_eq!(
            progress.line(&context),
            "0 of 10 dialogues · 7 requests · 3 in flight · 1 waiting, next in 60 min · 1000 tokens · \
             $1.50 · 1 request failed"
        );
        progress.finish_line();
        cancel.cancel();
        let line = progress.line(&context);
        assert!(line.starts_with("stopping: waiting for the requests in flight; "), "{line}");
        assert!(
            line.contains(" · 1 of 10 dialogues · ") && line.contains("about 1 s left"),
            "{line}"
        );
    }

    #[test]
    fn existing_responses_take_no_time() {
        let mut progress = ProgressLine::new(100);
        (0..50).for_each(|_| progress.finish_line());
        let minute = Duration::from_secs(60);
        let counts = RequestCounts { answered: 100, ..RequestCounts::default() };
        assert_eq!(progress.remaining_time(counts, minute), Some(minute));
        // Of 50 dialogues, 40 came from the journal: the minute was spent on the ten others.
        let resumed = RequestCounts { answered: 20, recorded: 60, hits: 20, ..counts };
        assert_eq!(progress.remaining_time(resumed, minute), Some(5 * minute));
        assert_eq!(progress.remaining_time(RequestCounts { answered: 0, ..resumed }, minute), None);
    }
}
