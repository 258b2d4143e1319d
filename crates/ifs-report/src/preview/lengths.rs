//! How long messages and dialogues are, and how many constraints are active.

use super::super::document::escape;
use ifs_text::{Text, Unit};

/// The bars of a histogram.
const MAX_BARS: usize = 24;
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 150.0;
const AXIS_HEIGHT: f64 = 22.0;

/// The lengths in a sample.
#[derive(Clone, Debug, Default)]
pub struct Lengths {
    words: Vec<u64>,
    characters: Vec<u64>,
    turns: Vec<u64>,
    active: Vec<u64>,
    /// The sum of active constraints, and the dialogues, of each turn number.
    by_turn: Vec<(u64, u64)>,
}

impl Lengths {
    /// Adds a dialogue: the user message of each turn, and its number of active constraints.
    pub fn add<'t>(&mut self, turns: impl IntoIterator<Item = (&'t str, usize)>) {
        let mut count = 0;
        for (at, (message, active)) in turns.into_iter().enumerate() {
            count += 1;
            self.words.push(Text::new(message).count(Unit::Word) as u64);
            self.characters.push(message.chars().count() as u64);
            self.active.push(active as u64);
            if self.by_turn.len() <= at {
                self.by_turn.push((0, 0));
            }
            self.by_turn[at].0 += active as u64;
            self.by_turn[at].1 += 1;
        }
        self.turns.push(count);
    }
}

pub(super) fn write(page: &mut String, lengths: &Lengths) {
    page.push_str(
        "<h2 id=\"lengths\">Lengths</h2>\n<table class=\"rates\"><thead><tr><th></th><th class=\"number\">least</th>\
         <th class=\"number\">median</th><th class=\"number\">90 % are at most</th><th class=\"number\">most</th></tr></thead><tbody>\n",
    );
    for (what, values) in [
        ("words of a user message", &lengths.words),
        ("characters of a user message", &lengths.characters),
        ("turns of a dialogue", &lengths.turns),
        ("active constraints on a turn", &lengths.active),
    ] {
        let mut sorted = values.clone();
        sorted.sort_unstable();
        let at = |share: f64| {
            let place = (share * sorted.len().saturating_sub(1) as f64).round() as usize;
            sorted.get(place).map_or_else(|| "–".to_owned(), u64::to_string)
        };
        page.push_str(&format!("<tr><th scope=\"row\">{what}</th>"));
        for share in [0.0, 0.5, 0.9, 1.0] {
            page.push_str(&format!("<td class=\"number\">{}</td>", at(share)));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table>\n");
    histogram(page, "Words of user messages", "messages", &lengths.words);
    let by_turn: Vec<(String, f64, String)> = lengths
        .by_turn
        .iter()
        .enumerate()
        .map(|(at, (sum, count))| {
            let mean = *sum as f64 / (*count).max(1) as f64;
            (format!("{}", at + 1), mean, format!("turn {}: mean {mean:.1} of {count}", at + 1))
        })
        .collect();
    if by_turn.len() > 1 && lengths.active.iter().any(|active| *active > 0) {
        bars(page, "Active constraints by turn", &by_turn);
    }
}

fn histogram(page: &mut String, title: &str, of: &str, values: &[u64]) {
    let Some((least, most)) = values.iter().min().zip(values.iter().max()) else { return };
    let wide = (most - least + 1).div_ceil(MAX_BARS as u64).max(1);
    let mut counts = vec![0_u64; ((most - least) / wide + 1) as usize];
    values.iter().for_each(|value| counts[((value - least) / wide) as usize] += 1);
    let bars: Vec<(String, f64, String)> = (0..)
        .zip(&counts)
        .map(|(at, count)| {
            let from = least + at * wide;
            let label = match wide {
                1 => from.to_string(),
                wide => format!("{from} to {}", from + wide - 1),
            };
            (from.to_string(), *count as f64, format!("{label}: {count} {of}"))
        })
        .collect();
    self::bars(page, title, &bars);
}

/// A bar for each label, value and description.
fn bars(page: &mut String, title: &str, all: &[(String, f64, String)]) {
    let most = all.iter().map(|(_, value, _)| *value).fold(0.0, f64::max);
    if most <= 0.0 {
        return;
    }
    let step = WIDTH / all.len() as f64;
    let width = (step * 0.82).min(48.0);
    page.push_str(&format!(
        "<figure class=\"chart\">\n<svg class=\"curve\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n\
         <line class=\"grid\" x1=\"0\" x2=\"{WIDTH}\" y1=\"{:.1}\" y2=\"{:.1}\"/>\n",
        escape(title),
        HEIGHT - AXIS_HEIGHT,
        HEIGHT - AXIS_HEIGHT
    ));
    let labels = all.len().div_ceil(12).max(1);
    for (at, (label, value, description)) in all.iter().enumerate() {
        let middle = step * (at as f64 + 0.5);
        let tall = (HEIGHT - AXIS_HEIGHT - 6.0) * value / most;
        page.push_str(&format!(
            "<rect class=\"bar\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{tall:.1}\" rx=\"2\"><title>{}</title></rect>\n",
            middle - width / 2.0,
            HEIGHT - AXIS_HEIGHT - tall,
            escape(description)
        ));
        if at % labels == 0 {
            page.push_str(&format!(
                "<text class=\"tick\" x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n",
                HEIGHT - 6.0,
                escape(label)
            ));
        }
    }
    page.push_str(&format!("</svg>\n<figcaption>{}</figcaption>\n</figure>\n", escape(title)));
}
