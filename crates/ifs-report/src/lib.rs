//! Reports of a scorecard: one file per format, each a function from [`Report`] to text.
//!
//! If a run is incomplete, or a model or judge was simulated, every format begins with a warning.

#[cfg(feature = "arrow")]
mod arrow;
pub mod audit;
mod breakdown;
mod chart;
pub mod chat;
mod columns;
mod contents;
mod csv;
mod document;
mod dots;
pub mod every_eval_ever;
mod grid;
mod heat_map;
mod html;
pub mod inspect;
mod json;
pub mod junit;
mod live;
mod paper;
mod parts_of_runs;
mod preview;
mod profile;
mod scatter;
pub mod schema;
mod several;
mod sheet;
mod svg;
mod terminal;
mod words;

use std::collections::BTreeMap;
use std::io::Write;

pub use chart::{Chart, Series};
pub use columns::{folded, wrap};
pub use grid::{Grid, GridCell};
pub use html::tables;
pub use live::live_page;
pub use paper::cells;
pub use preview::{Lengths, PossibleFeatures, Preview, PreviewWarning};
pub use several::page_of_runs;
pub use sheet::Sheet;
pub use words::{number_with_unit, spending_grid};

use jiff::Timestamp;
use serde::Serialize;

use ifs_inference::panel::Judging;
use ifs_inference::provider::is_name_of;
use ifs_inference::{ModelSpending, ServedNames};
use ifs_model::split::described;
use ifs_run::{Gaps, ReplayedEntry, SetEntry};
use ifs_score::{DialogueSource, MetricScore, Scorecard};

/// The contents of a report.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    pub title: &'a str,
    pub benchmark_version: &'a str,
    /// The variant of the dialogue, if one was run.
    pub variant: Option<&'a str>,
    /// The names of the scenario's splits, which are variants.
    pub splits: &'a [String],
    pub plan_hash: &'a str,
    /// What the run was made with.
    pub origin: Origin<'a>,
    /// For a hidden set, no dialogue can be derived from it.
    pub seed: u64,
    /// The set that was released before it was run.
    pub set: Option<&'a SetEntry>,
    /// How many dialogues there are to run, if that is known.
    pub available: Option<u64>,
    pub model: &'a str,
    /// The model was simulated: the numbers say nothing about any real one.
    pub simulated: bool,
    /// The models that answered, by the names that they were asked by.
    pub served: &'a ServedNames,
    /// The responses were recorded before the run: what is known about their source.
    pub replayed: Option<&'a ReplayedEntry>,
    /// What the requests to each model in each role took.
    pub spending: &'a [ModelSpending],
    /// When the run was started, and when it ended.
    pub times: [Option<Timestamp>; 2],
    /// What the benchmark says about itself: its author, licence, paper and address.
    pub about: &'a BTreeMap<String, String>,
    /// The judges, for constraints without a rule.
    pub judging: Option<&'a Judging>,
    /// The metrics to show, in this order; the default ones if empty.
    pub metrics: &'a [String],
    /// What slices are by: the expression of `report … by`, or the value of `--by`.
    pub by: Option<&'a str>,
    pub scorecard: &'a Scorecard,
    /// The gaps of the run.
    pub gaps: &'a Gaps,
    /// Pictures that were shown, for pages.
    pub exhibits: &'a [ShownPicture],
    /// The plan of the dialogue as an SVG document, for pages.
    pub picture: Option<&'a str>,
    /// The description of each group of constraints: its doc comment.
    pub docs: &'a BTreeMap<String, String>,
    /// Every dialogue as a chat, for pages.
    pub browser: Option<&'a chat::Browser>,
    /// What is left out of it by `--redact`: `prompts`, `responses`.
    pub redacted: &'a [&'static str],
}

/// What a run was made with.
#[derive(Clone, Copy, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct Origin<'a> {
    pub ifs_version: &'a str,
    /// The edition of the language; 0 for runs that do not say it.
    pub edition: u32,
    /// The git commit of the scenario, and whether files that it was read from differed from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<&'a str>,
    pub dirty: bool,
}

impl Report<'_> {
    /// Whether the page has every dialogue as a chat.
    fn has_browser(&self) -> bool {
        self.browser.is_some_and(|browser| !browser.is_empty())
    }

    /// The variant and the split that were run, in words.
    fn variation(&self) -> Option<String> {
        self.variant.map(|variant| described(variant, self.splits))
    }

    /// Whether no dialogue follows from the seed.
    fn is_hidden(&self) -> bool {
        self.set.is_some_and(|set| set.hidden.is_some())
    }

    /// What the benchmark says about itself that who uses its scores needs, and when they were made: a
    /// label and its value.
    fn credits(&self) -> Vec<(&'static str, String)> {
        let about = ["author", "licence", "cites", "homepage"].into_iter();
        let about = about.filter_map(|name| Some((name, self.about.get(name)?.clone())));
        let times = ["started", "ended"].into_iter().zip(self.times);
        let times = times.filter_map(|(name, time)| Some((name, seconds(time?))));
        about.chain(times).collect()
    }

    /// What the dialogues were drawn from: a label and its value.
    fn drawn_from(&self) -> (&'static str, String) {
        match self.set.filter(|set| set.hidden.is_some()) {
            Some(set) => ("hidden set", set.root.get(..12).unwrap_or(&set.root).to_owned()),
            None => ("seed", self.seed.to_string()),
        }
    }
}

impl Origin<'_> {
    /// `ifs 0.1.0, edition 1, git 1f0c2a9d (changed)`
    fn description(&self) -> String {
        let mut words = format!("ifs {}", self.ifs_version);
        if self.edition > 0 {
            words.push_str(&format!(", edition {}", self.edition));
        }
        if let Some(revision) = self.revision {
            words.push_str(&format!(", git {}", revision.get(..8).unwrap_or(revision)));
            words.push_str(if self.dirty { " (changed)" } else { "" });
        }
        words
    }
}

/// `2026-11-27T18:41:01Z`
fn seconds(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A picture that was shown, with its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownPicture {
    /// `album 3, turn 1`
    pub place: String,
    /// The picture's name.
    pub label: String,
    /// The question about it.
    pub asked: String,
    /// The picture as a `data:` URL; `None` for a URL, which is not fetched.
    pub data: Option<String>,
}

/// A name, its number of dialogues or turns, and its metrics.
type MetricRow<'a> = (&'a str, u64, &'a [MetricScore]);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `width` is in columns; at least 60 are used.
    Terminal {
        color: bool,
        width: usize,
    },
    Json,
    Html,
    /// One row for each outcome of a constraint.
    Csv,
    /// A summary for a pull request.
    Markdown,
    /// A table of the scores, with the package `booktabs`.
    Latex,
    /// A test case for each dialogue.
    Junit,
    /// The rows of the CSV.
    #[cfg(feature = "arrow")]
    Parquet,
    /// The same in the file format of Arrow IPC.
    #[cfg(feature = "arrow")]
    Arrow,
}

#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("cannot write the report as JSON")]
    Json(#[from] serde_json::Error),
    #[error("cannot write the report as CSV")]
    Csv(#[from] ::csv::Error),
    #[error("cannot write the report")]
    Io(#[from] std::io::Error),
}

/// # Errors
///
/// Returns an error if a value cannot be represented in the format, which does not happen for
/// scorecards of [`ifs_score::score`].
pub fn write(report: &Report<'_>, format: Format) -> Result<String, ReportError> {
    let mut text = Vec::new();
    write_to(report, format, &mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Writes a report part by part: one of many dialogues is larger than what it is made from.
///
/// # Errors
///
/// Returns the errors of [`write()`], and those of `out`.
pub fn write_to(
    report: &Report<'_>,
    format: Format,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let text = match format {
        Format::Json => return json::write(report, out),
        Format::Html => return Ok(html::write(report, out)?),
        Format::Csv => return csv::write(report, out),
        #[cfg(feature = "arrow")]
        Format::Parquet => return arrow::parquet(report, out),
        #[cfg(feature = "arrow")]
        Format::Arrow => return arrow::arrow(report, out),
        Format::Terminal { color, width } => terminal::write(report, color, width),
        Format::Markdown => paper::markdown(report),
        Format::Latex => paper::latex(report),
        Format::Junit => junit::write(report),
    };
    Ok(out.write_all(text.as_bytes())?)
}

impl Report<'_> {
    /// The metrics to show, from all of those of a scorecard or slice.
    fn shown_metrics<'s>(&self, scores: &'s [MetricScore]) -> Vec<&'s MetricScore> {
        if self.metrics.is_empty() {
            let common = |score: &&MetricScore| !score.is_on_request();
            return scores.iter().filter(common).collect();
        }
        let named = |name: &String| scores.iter().find(|score| score.name == *name);
        self.metrics.iter().filter_map(named).collect()
    }

    /// Whether a simulated judge decided an outcome. A judge that decided nothing does not count.
    fn has_simulated_judge(&self) -> bool {
        self.scorecard.totals.by_simulated_judge > 0
    }

    /// The judges, if anything was judged.
    fn judges(&self) -> Option<String> {
        let totals = &self.scorecard.totals;
        let judged = totals.by_judge + totals.by_simulated_judge > 0;
        self.judging.filter(|_| judged).map(Judging::reported)
    }

    /// Caveats about the numbers of a report.
    fn caveats(&self) -> Vec<String> {
        let judged = self.scorecard.totals.by_judge > 0;
        let warnings = self.judging.filter(|_| judged).map(|judging| judging.warnings(self.model));
        let warnings = warnings.into_iter().flatten().chain(self.names_that_differ());
        let replayed = self.replayed.map(|source| match &source.model {
            Some(model) => format!("the responses were replayed from a run of {model}; none was requested"),
            None => "the responses were replayed from a file, which does not name the model that gave them"
                .to_owned(),
        });
        let part = self.part().filter(|_| self.gaps.is_none()).map(|available| {
            format!(
                "{} of {available} dialogues were run: a part of the benchmark",
                self.scorecard.totals.dialogues
            )
        });
        let warnings = part.into_iter().chain(replayed).chain(warnings);
        warnings.chain(self.scorecard.caveats.iter().cloned()).collect()
    }

    /// The models that answered, as the endpoint names them, most often used first.
    fn answered_by(&self) -> Vec<&str> {
        let mut names: Vec<(&String, &u64)> = self.scorecard.totals.served.iter().collect();
        names.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        names.into_iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Caveats about models that answered under another name than they were asked by, and about
    /// judges with several.
    fn names_that_differ(&self) -> Vec<String> {
        let mut caveats = Vec::new();
        let mut others = self.answered_by();
        others.retain(|name| !is_name_of(name, self.model));
        if !others.is_empty() {
            let names: Vec<String> = others.iter().map(|name| format!("`{name}`")).collect();
            caveats.push(format!(
                "`{}` was requested, and the endpoint names the model that answered {}",
                self.model,
                names.join(" and ")
            ));
        }
        for (asked, names) in self.served.iter().filter(|(asked, _)| *asked != self.model) {
            let differs = names.keys().any(|name| !is_name_of(name, asked));
            if differs || names.len() > 1 {
                let names: Vec<String> =
                    names.iter().map(|(name, count)| format!("`{name}` {count}")).collect();
                caveats.push(format!("`{asked}` was answered by {}", names.join(", ")));
            }
        }
        caveats
    }

    /// The number of dialogues of which only a part was run.
    fn part(&self) -> Option<u64> {
        self.available.filter(|available| self.scorecard.totals.dialogues < *available)
    }

    /// The warnings at the top of every format; empty for a complete run of real models.
    fn warnings(&self) -> Vec<String> {
        let simulation = self.simulation().map(str::to_owned);
        let silent = self.nothing_to_score();
        self.gaps.warning().into_iter().chain(silent).chain(simulation).collect()
    }

    /// Why there is no meaningful score: no request was answered, or no response has text.
    fn nothing_to_score(&self) -> Option<String> {
        let totals = &self.scorecard.totals;
        if totals.dialogues == 0 {
            return None;
        }
        if totals.turns == 0 {
            let mut causes: BTreeMap<String, u64> = BTreeMap::new();
            for dialogue in self.scorecard.dialogues.each() {
                if let Some(why) = dialogue.ending.failure() {
                    *causes.entry(why.to_owned()).or_default() += 1;
                }
            }
            if causes.is_empty() {
                return None;
            }
            let causes: Vec<String> =
                causes.iter().map(|(why, count)| format!("{why} ({count}×)")).collect();
            return Some(format!(
                "NOTHING TO SCORE: every request failed. {}. Remove the cause; `ifs run --resume` then \
                 sends the requests again.",
                causes.join("; ")
            ));
        }
        let silent: u64 = totals.without_text.values().sum();
        (silent > 0 && silent == totals.turns).then(|| {
            format!(
                "NO TEXT: none of {silent} responses has text, so these numbers are about the model or \
                 its settings and not about instructions. Look at a response in transcripts.jsonl, and at \
                 the limit of tokens."
            )
        })
    }

    /// What was simulated; `None` for a real run.
    fn simulation(&self) -> Option<&'static str> {
        match (self.simulated, self.has_simulated_judge()) {
            (false, false) => None,
            (true, false) => Some("SIMULATED MODEL: these numbers say nothing about a real model"),
            (false, true) => {
                Some("SIMULATED JUDGE: judged constraints were not read by a real judge")
            }
            (true, true) => {
                Some("SIMULATED MODEL AND JUDGE: these numbers say nothing about a real model")
            }
        }
    }
}

/// A run with the name that it has among the others.
pub type NamedReport<'a> = (&'a str, Report<'a>);

#[cfg(test)]
mod tests {
    use super::*;
    use ifs_score::{DecisionMethod, ScoreOptions, ScoredDialogue, score, testing};

    /// A run with special cases: markup and control characters in its texts, an undecided turn, an
    /// empty turn, several endings.
    pub(super) fn edge_case_scorecard() -> Scorecard {
        let mut given = testing::dialogues(&["SFSFF", "SSSSF?FF", "FFM", "EES"]);
        for (index, dialogue) in (0..).zip(&mut given) {
            dialogue.index = index;
            add_hostile_texts(dialogue);
        }
        score(&given, &ScoreOptions { patience: Some(3), ..ScoreOptions::default() })
    }

    fn add_hostile_texts(dialogue: &mut ScoredDialogue) {
        for turn in &mut dialogue.turns {
            turn.topic = Some("<b>tea</b> & \"cake\"".to_owned());
            turn.transition = Some(if turn.turn == 1 { "new" } else { "stay" }.to_owned());
            for constraint in turn.constraints.iter_mut().map(std::sync::Arc::make_mut) {
                constraint.age = turn.turn - 1;
                if let Some(why) = &mut constraint.why {
                    *why = format!("\u{1b}[31m{why}, 12 of \"14\" <words>\nand more, 茶");
                }
            }
        }
    }

    pub(super) fn report<'a>(
        scorecard: &'a Scorecard,
        docs: &'a BTreeMap<String, String>,
    ) -> Report<'a> {
        const NO_GAPS: &Gaps = &Gaps {
            dialogues: 0,
            missing: 0,
            failed: 0,
            interrupted: 0,
            permanent: 0,
            complete: 0,
            unfinished: false,
            unjudged: 0,
        };
        const NOTHING: &BTreeMap<String, String> = &BTreeMap::new();
        Report {
            gaps: NO_GAPS,
            exhibits: &[],
            picture: None,
            title: "Tea & <Cake>",
            benchmark_version: "1.0",
            variant: None,
            splits: &[],
            plan_hash: "abc123",
            origin: Origin { ifs_version: "0.1.0", edition: 1, revision: None, dirty: false },
            seed: 42,
            set: None,
            model: "mock<1>",
            simulated: false,
            served: const { &ServedNames::new() },
            replayed: None,
            spending: &[],
            times: [None; 2],
            available: None,
            about: NOTHING,
            judging: None,
            metrics: &[],
            by: None,
            scorecard,
            docs,
            browser: None,
            redacted: &[],
        }
    }

    const FORMATS: [Format; 7] = [
        Format::Terminal { color: false, width: 80 },
        Format::Json,
        Format::Html,
        Format::Csv,
        Format::Markdown,
        Format::Latex,
        Format::Junit,
    ];

    #[test]
    fn every_format_names_the_variant() -> Result<(), ReportError> {
        let (card, docs) = (edge_case_scorecard(), BTreeMap::new());
        for format in FORMATS {
            let report = Report { variant: Some("impatient"), ..report(&card, &docs) };
            assert!(write(&report, format)?.contains("impatient"), "{format:?}");
        }
        Ok(())
    }

    #[test]
    fn every_format_marks_simulated_runs() -> Result<(), ReportError> {
        let (card, judged, docs) = (edge_case_scorecard(), judged_by_simulation(), BTreeMap::new());
        for format in FORMATS {
            for (simulated, card) in [(true, &card), (false, &judged), (true, &judged)] {
                let report = Report { simulated, ..report(card, &docs) };
                let text = write(&report, format)?.to_lowercase();
                assert!(text.contains("simulated"), "{format:?}");
            }
        }
        let real = write(&report(&card, &docs), Format::Terminal { color: false, width: 80 })?;
        assert!(!real.to_lowercase().contains("simulated"));
        Ok(())
    }

    #[test]
    fn every_format_starts_with_missing_dialogues() -> Result<(), ReportError> {
        let (card, docs) = (edge_case_scorecard(), BTreeMap::new());
        let gaps = Gaps { dialogues: 9, missing: 5, complete: 4, ..Gaps::default() };
        for format in FORMATS {
            let text = write(&Report { gaps: &gaps, ..report(&card, &docs) }, format)?;
            let at =
                text.find("INCOMPLETE RUN: 5 of 9 dialogues are missing").unwrap_or(usize::MAX);
            let number = text.find("Tea &").or(text.find("\"metrics\"")).unwrap_or(0);
            // Pages and test cases show a failure wherever it is written.
            let is_shown = matches!(format, Format::Html | Format::Junit) && at < usize::MAX;
            assert!(at < number || is_shown, "{format:?}: {text}");
            let nothing = score(&[], &ScoreOptions::default());
            let text = write(&Report { gaps: &gaps, ..report(&nothing, &docs) }, format)?;
            assert!(text.contains("INCOMPLETE RUN"), "{format:?}");
            assert!(!write(&report(&card, &docs), format)?.contains("INCOMPLETE"), "{format:?}");
        }
        Ok(())
    }

    fn judged_by_simulation() -> Scorecard {
        let mut given = testing::dialogues(&["SF"]);
        for turn in given.iter_mut().flat_map(|dialogue| &mut dialogue.turns) {
            for constraint in turn.constraints.iter_mut().map(std::sync::Arc::make_mut) {
                constraint.by = DecisionMethod::SimulatedJudge;
            }
        }
        score(&given, &ScoreOptions::default())
    }

    #[test]
    fn empty_runs_have_reports() -> Result<(), ReportError> {
        let (card, docs) = (score(&[], &ScoreOptions::default()), BTreeMap::new());
        for format in FORMATS {
            assert!(!write(&report(&card, &docs), format)?.is_empty());
        }
        Ok(())
    }

    #[test]
    fn texts_are_escaped_for_terminals_and_browsers() -> Result<(), ReportError> {
        let (card, docs) = (edge_case_scorecard(), BTreeMap::new());
        let report = report(&card, &docs);
        let terminal = write(&report, Format::Terminal { color: false, width: 80 })?;
        assert!(!terminal.contains('\u{1b}'));
        let html = write(&report, Format::Html)?;
        assert!(html.contains("&lt;words&gt;"));
        assert!(!html.contains("<b>tea") && !html.contains("<words>") && !html.contains("<1>"));
        assert!(!html.contains("http://") && !html.contains("https://"));
        Ok(())
    }
}
