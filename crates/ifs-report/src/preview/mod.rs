//! The preview of a scenario before a release, as one page: a sample of dialogues, what the checker
//! and a survey warn of, coverage, frequencies, wording and lengths.

mod coverage;
mod lengths;

use super::chat;
use super::document::HtmlPage;
use super::document::escape;
use super::words::{NO_NUMBER, percent};
use ifs_audit::Audit;
use ifs_draw::preview::{OverDialogues, Variety};
use ifs_draw::proof::Survey;
use ifs_draw::{ChoiceKind, Frequency};
use ifs_plan::analysis::PartialConflict;
use ifs_sets::Coverage;

pub use coverage::PossibleFeatures;
pub use lengths::Lengths;

const STYLE: &str = include_str!("preview.css");

/// The most lines of a kind of warning.
const MAX_WARNINGS: usize = 12;

/// The contents of a preview of one dialogue.
#[derive(Debug)]
pub struct Preview<'a> {
    pub title: &'a str,
    pub version: &'a str,
    pub dialogue: &'a str,
    pub variant: Option<&'a str>,
    /// The other dialogues of the scenario.
    pub others: &'a [&'a str],
    pub seed: u64,
    pub plan_hash: &'a str,
    pub ifs_version: &'a str,
    /// What the checker warns of.
    pub notices: &'a [PreviewWarning],
    /// The survey of the sample, with witnesses.
    pub survey: &'a Survey,
    /// The audit of its checks.
    pub audit: &'a Audit,
    pub partial: &'a [PartialConflict],
    pub coverage: &'a Coverage,
    pub possible: &'a PossibleFeatures,
    pub variety: &'a Variety,
    pub lengths: &'a Lengths,
    /// Dialogues as [`chat::article`]s.
    pub chats: &'a [String],
}

/// A warning with its place.
#[derive(Clone, Debug, Default)]
pub struct PreviewWarning {
    pub code: String,
    pub message: String,
    /// `main.ifs:12:3`
    pub place: Option<String>,
    pub help: Option<String>,
}

impl Preview<'_> {
    #[must_use]
    pub fn write(&self) -> String {
        let title = format!("{} {}: preview of {}", self.title, self.version, self.dialogue);
        let mut page = String::new();
        self.page_head(&mut page);
        self.warnings(&mut page);
        self.numbers(&mut page);
        coverage::write(&mut page, self);
        crate::audit::section(self.audit, &mut page);
        self.frequencies(&mut page);
        self.wording(&mut page);
        lengths::write(&mut page, self.lengths);
        self.dialogues(&mut page);
        let styles = [chat::STYLE, STYLE];
        HtmlPage { title: &title, styles: &styles, body: &[&page], script: None }.text()
    }

    fn page_head(&self, page: &mut String) {
        let variant = self.variant.map(|variant| format!(" · variant <b>{}</b>", escape(variant)));
        page.push_str(&format!(
            "<h1>{}</h1>\n<p class=\"run\">dialogue <b>{}</b>{} · seed <b>{}</b> · <code>{}</code> · ifs {}",
            escape(&format!("{} {}", self.title, self.version)),
            escape(self.dialogue),
            variant.unwrap_or_default(),
            self.seed,
            escape(self.plan_hash),
            escape(self.ifs_version),
        ));
        if !self.others.is_empty() {
            let others: Vec<String> = self
                .others
                .iter()
                .map(|name| format!("<code>-d {}</code>", escape(name)))
                .collect();
            page.push_str(&format!("<br>other dialogues of this scenario: {}", others.join(", ")));
        }
        page.push_str("</p>\n<nav class=\"contents\" aria-label=\"Contents\">");
        for (anchor, name) in [
            ("warnings", "Warnings"),
            ("coverage", "Coverage"),
            ("audit", "Audit"),
            ("frequencies", "Frequencies"),
            ("wording", "Wording"),
            ("lengths", "Lengths"),
            ("dialogues", "Dialogues"),
        ] {
            page.push_str(&format!("<a href=\"#{anchor}\">{name}</a> "));
        }
        page.push_str("</nav>\n");
    }

    /// The reports of the checker, then those of the sample.
    fn warnings(&self, page: &mut String) {
        page.push_str("<h2 id=\"warnings\">Warnings and notes</h2>\n");
        let found = self.survey_findings();
        if self.notices.is_empty() && found.is_empty() {
            page.push_str("<p class=\"good\">✓ The checker and the sample report none.</p>\n");
            return;
        }
        page.push_str("<ul class=\"notices\">\n");
        for PreviewWarning { code, message, place, help } in self.notices {
            page.push_str(&format!("<li><b>{}</b> <code>{}</code>", escape(message), escape(code)));
            let lines =
                place.iter().map(|place| format!("<small><code>{}</code></small>", escape(place)));
            let help = help.iter().map(|help| format!("<small>{}</small>", escape(help)));
            lines.chain(help).for_each(|line| page.push_str(&line));
            page.push_str("</li>\n");
        }
        for (what, lines) in found {
            page.push_str(&format!("<li><b>{what}</b>"));
            let more = lines.len().saturating_sub(MAX_WARNINGS);
            for line in lines.iter().take(MAX_WARNINGS) {
                page.push_str(&format!("<small>{}</small>", escape(line)));
            }
            if more > 0 {
                page.push_str(&format!("<small>and {more} more</small>"));
            }
            page.push_str("</li>\n");
        }
        page.push_str("</ul>\n");
    }

    /// What the survey of the sample found.
    fn survey_findings(&self) -> Vec<(&'static str, Vec<String>)> {
        let survey = self.survey;
        let missing = survey
            .missing
            .iter()
            .map(|set| format!("{} on {}", set.constraints.join(", "), counted(set.turns, "turn")));
        let refused = survey.refusals.iter().map(|pair| {
            format!(
                "{} was rejected {} next to {}",
                pair.drawn,
                counted(pair.times, "time"),
                pair.beside.join(" and ")
            )
        });
        let partial = self.partial.iter().map(|partial| {
            let [one, other] = &partial.constraints;
            let [here, there] = &partial.example;
            format!(
                "{one} and {other}: {} of {}, such as ({here}) and ({there})",
                partial.excluded, partial.of
            )
        });
        let mut far: Vec<&Frequency> =
            survey.frequencies.iter().filter(|one| one.is_significant()).collect();
        far.sort_by(|one, other| other.deviations.abs().total_cmp(&one.deviations.abs()));
        let far = far.into_iter().map(|one| {
            let (drawn, declared) = (percent(one.effective), percent(one.declared));
            format!("{}: {}: declared {declared}, drawn {drawn}", choice(one), one.name)
        });
        let all = [
            ("No witness was found", missing.collect::<Vec<_>>()),
            ("Never drawn in the sample", coverage::never(self)),
            ("Frequencies that differ from the declared ones", far.collect()),
            (
                "Draws that were rejected, because active constraints exclude them",
                refused.collect(),
            ),
            ("Values that are never drawn together", partial.collect()),
        ];
        all.into_iter().filter(|(_, lines)| !lines.is_empty()).collect()
    }

    fn numbers(&self, page: &mut String) {
        let survey = self.survey;
        let share = |part: u64, of: u64| match of {
            0 => NO_NUMBER.to_owned(),
            of => percent(part as f64 / of as f64),
        };
        let proven = survey.proven_at_first + survey.proven_later;
        let all = [
            ("dialogues in the sample", survey.dialogues.to_string()),
            ("turns", survey.turns.to_string()),
            ("turns with a witness", share(proven, survey.turns)),
            ("turns without an active rule", share(survey.nothing_to_prove, survey.turns)),
            ("turns without a witness", share(survey.unproven, survey.turns)),
            ("draws accepted", share(survey.draws - survey.refused, survey.draws)),
        ];
        page.push_str("<dl class=\"numbers\">\n");
        for (what, value) in all {
            page.push_str(&format!("<div><dd>{value}</dd><dt>{what}</dt></div>\n"));
        }
        page.push_str("</dl>\n");
    }

    fn frequencies(&self, page: &mut String) {
        page.push_str("<h2 id=\"frequencies\">Frequencies, declared and drawn</h2>\n");
        let all = &self.survey.frequencies;
        if all.is_empty() {
            page.push_str("<p class=\"none\">No choice with weights was drawn.</p>\n");
            return;
        }
        page.push_str(
            "<p class=\"none\">Bars are drawn shares, ticks are declared ones. Values that differ by more \
             than four standard errors are marked.</p>\n",
        );
        let mut of: Option<String> = None;
        for one in all {
            let what = choice(one);
            if of.as_ref() != Some(&what) {
                if of.is_some() {
                    page.push_str("</tbody></table></details>\n");
                }
                let is_far =
                    all.iter().any(|other| choice(other) == what && other.is_significant());
                page.push_str(&format!(
                    "<details{}><summary>{}</summary>\n<table class=\"shares\"><thead><tr><th></th>\
                     <th class=\"number\">declared</th><th class=\"number\">drawn</th>\
                     <th class=\"number\">of</th><th></th></tr></thead><tbody>\n",
                    if is_far || one.choice <= ChoiceKind::Modified { " open" } else { "" },
                    escape(&what)
                ));
                of = Some(what);
            }
            let far = if one.is_significant() { " class=\"bad\"" } else { "" };
            page.push_str(&format!(
                "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\"><span{far}>{}</span></td>\
                 <td class=\"number\">{}</td><td class=\"share\"><s><i style=\"width:{:.1}%\"></i>\
                 <b style=\"left:{:.1}%\"></b></s></td></tr>\n",
                escape(&one.name),
                percent(one.declared),
                percent(one.effective),
                one.choices,
                one.effective * 100.0,
                one.declared * 100.0,
            ));
        }
        page.push_str("</tbody></table></details>\n");
    }

    fn wording(&self, page: &mut String) {
        let Variety { messages, tokens, distinct: [one, two, three], .. } = self.variety;
        page.push_str(&format!(
            "<h2 id=\"wording\">Variety of wording</h2>\n<p>{messages} user messages, {tokens} words and \
             marks. Distinct n-grams per token: <b>{one:.3}</b> for one, <b>{two:.3}</b> for two, \
             <b>{three:.3}</b> for three.</p>\n<table class=\"rates\"><thead><tr><th>within a dialogue</th>\
             <th class=\"number\">mean</th><th class=\"number\">most</th><th>where</th></tr></thead><tbody>\n"
        ));
        for (what, over, digits) in [
            ("longest span that two messages share, in tokens", &self.variety.longest_span, 1),
            ("most alike messages (Jaccard of 3-grams)", &self.variety.nearest_pair, 2),
            ("most frequent sentence, times", &self.variety.repeated_sentence, 1),
        ] {
            let OverDialogues { mean, most, dialogue, example } = over;
            let example = match example.is_empty() {
                true => String::new(),
                false => {
                    format!("dialogue {dialogue}: <q>{}</q>", chat::html_text(&shortened(example)))
                }
            };
            page.push_str(&format!(
                "<tr><th scope=\"row\">{what}</th><td class=\"number\">{mean:.digits$}</td>\
                 <td class=\"number\">{most:.digits$}</td><td><small>{example}</small></td></tr>\n"
            ));
        }
        page.push_str("</tbody></table>\n");
    }

    fn dialogues(&self, page: &mut String) {
        page.push_str(&format!(
            "<h2 id=\"dialogues\">{}</h2>\n",
            counted(self.chats.len() as u64, "dialogue")
        ));
        for (at, chat) in self.chats.iter().enumerate() {
            // A browser opens the one that a link names.
            let open = if at == 0 { " open" } else { "" };
            let index =
                chat.split_once("id=\"dialogue-").and_then(|(_, rest)| rest.split_once('"'));
            let index = index.map_or("", |(index, _)| index);
            page.push_str(&format!(
                "<details class=\"drawn\"{open}><summary>Dialogue {index}</summary>\n{chat}</details>\n"
            ));
        }
    }
}

/// The kind of a choice and what it is of.
fn choice(one: &Frequency) -> String {
    match one.choice {
        ChoiceKind::Change => "changes".to_owned(),
        ChoiceKind::Added => "groups to add".to_owned(),
        ChoiceKind::Modified => "groups to modify".to_owned(),
        ChoiceKind::Constraint => format!("constraints of {}", one.of),
        ChoiceKind::Value => format!("values of {}", one.of),
        ChoiceKind::Case => format!("cases by {}", one.of),
    }
}

fn counted(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}

/// At most 240 characters of an example.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(240) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
