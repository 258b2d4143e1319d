//! Breakdowns of several runs as inline SVG: a radar for named parts, lines for numbered ones.

use std::collections::BTreeSet;
use std::f64::consts::TAU;

use super::document::escape;
use super::words::NO_NUMBER;
use super::words::number_with_unit;
use ifs_score::MetricUnit;

/// The values of some parts, a series for each run.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    pub title: String,
    pub unit: MetricUnit,
    pub parts: Vec<String>,
    pub series: Vec<Series>,
    /// A value applies until the next one, as in a survival curve.
    pub is_stepped: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    pub name: String,
    /// One for each part; none where it is not known.
    pub values: Vec<Option<f64>>,
}

/// With fewer parts a radar has no area.
const MIN_RADAR_PARTS: usize = 3;
const WIDTH: f64 = 720.0;
const RADAR_HEIGHT: f64 = 420.0;
const RADIUS: f64 = 150.0;
const LINES_HEIGHT: f64 = 280.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 36.0;
const RINGS: u32 = 4;
/// Labels under the lines: with more parts, some have none.
const MAX_TICKS: usize = 12;
const DASHES: [&str; 3] = ["", "6 3", "2 3"];
/// The colours of the style sheet that distinguish runs.
const RUN_COLOURS: usize = 8;

/// The colour of a run among `count` runs, as a value of CSS.
pub(super) fn colour(at: usize, count: usize) -> String {
    match count {
        ..=RUN_COLOURS => format!("var(--run-{})", at + 1),
        count => format!("hsl({} 60% 48%)", 360 * at / count),
    }
}

/// The smallest of 1, 2, 2.5 and 5, times a power of ten, that is not below a number; 0.25 for 0.
fn round_step(least: f64) -> f64 {
    if least <= 0.0 || !least.is_finite() {
        return 0.25;
    }
    let mut power = 1.0;
    while power * 10.0 <= least {
        power *= 10.0;
    }
    while power > least {
        power /= 10.0;
    }
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|step| step * power);
    steps.into_iter().find(|step| *step >= least).unwrap_or(least)
}

impl Chart {
    /// One chart for parts that are numbers in their order; otherwise one for the parts of each
    /// level: those of `kind.intra` are another radar than those of `kind`. Parts that are too few
    /// for a radar have none.
    #[must_use]
    pub fn split_by_level(self) -> Vec<Chart> {
        if self.is_ordered() {
            return vec![self];
        }
        let level = |part: &str| part.rsplit_once('.').map_or("", |(level, _)| level).to_owned();
        let levels: BTreeSet<String> = self.parts.iter().map(|part| level(part)).collect();
        let of_level = |above: &String| {
            let at: Vec<usize> =
                (0..self.parts.len()).filter(|at| level(&self.parts[*at]) == *above).collect();
            let name =
                |at: &usize| self.parts[*at][above.len()..].trim_start_matches('.').to_owned();
            let of = |one: &Series| Series {
                name: one.name.clone(),
                values: at.iter().map(|at| one.values.get(*at).copied().flatten()).collect(),
            };
            Chart {
                title: match above.as_str() {
                    "" => self.title.clone(),
                    above => format!("{}, {above}", self.title),
                },
                unit: self.unit,
                parts: at.iter().map(name).collect(),
                series: self.series.iter().map(of).collect(),
                is_stepped: self.is_stepped,
            }
        };
        levels.iter().map(of_level).filter(|chart| chart.parts.len() >= MIN_RADAR_PARTS).collect()
    }

    /// Whether the first numbers of the names increase.
    pub(super) fn is_ordered(&self) -> bool {
        let number = |part: &String| {
            let digits = part.trim_start_matches(|letter: char| !letter.is_ascii_digit());
            let end = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
            let is_named = part.len() - digits.len() > "first ".len();
            digits[..end].parse::<u64>().ok().filter(|_| !is_named)
        };
        let numbers: Option<Vec<u64>> = self.parts.iter().map(number).collect();
        numbers.is_some_and(|numbers| {
            numbers.len() > 1 && numbers.windows(2).all(|pair| pair[0] < pair[1])
        })
    }

    /// A figure with its title and a legend.
    pub(super) fn figure(&self) -> String {
        self.drawn(&format!("<figcaption>{}</figcaption>\n", escape(&self.title)))
    }

    /// The figure below a heading that is its title.
    pub(super) fn without_caption(&self) -> String {
        self.drawn("")
    }

    fn drawn(&self, caption: &str) -> String {
        let drawn = if self.is_ordered() { self.lines() } else { self.radar() };
        let mut page = format!("<figure class=\"chart\">\n{caption}<p class=\"legend\">");
        for (at, series) in self.series.iter().enumerate() {
            page.push_str(&format!(
                "<span><svg viewBox=\"0 0 26 8\" width=\"26\" height=\"8\" aria-hidden=\"true\">\
                 <line x1=\"0\" x2=\"26\" y1=\"4\" y2=\"4\" {}/></svg> {}</span> ",
                self.dash_attribute(at),
                escape(&series.name)
            ));
        }
        page.push_str(&format!("</p>\n{drawn}</figure>\n"));
        page
    }

    /// The values as a table that is opened on demand, for those who cannot see the figure.
    pub(super) fn data(&self) -> String {
        let head: String = self
            .series
            .iter()
            .map(|series| format!("<th class=\"number\">{}</th>", escape(&series.name)))
            .collect();
        let mut table = format!(
            "<details class=\"data\"><summary>{} as a table</summary>\n<table class=\"rates\">\
             <thead><tr><td></td>{head}</tr></thead>\n<tbody>\n",
            escape(&self.title)
        );
        for (at, part) in self.parts.iter().enumerate() {
            table.push_str(&format!("<tr><th scope=\"row\">{}</th>", escape(part)));
            for series in &self.series {
                let value = series.values.get(at).copied().flatten();
                let value = value
                    .map_or_else(|| NO_NUMBER.to_owned(), |it| number_with_unit(it, self.unit));
                table.push_str(&format!("<td class=\"number\">{value}</td>"));
            }
            table.push_str("</tr>\n");
        }
        table.push_str("</tbody></table></details>\n");
        table
    }

    /// The dash distinguishes neighbours without colour.
    fn dash_attribute(&self, at: usize) -> String {
        let dash = match DASHES[at % DASHES.len()] {
            "" => String::new(),
            dash => format!(" stroke-dasharray=\"{dash}\""),
        };
        let colour = colour(at, self.series.len());
        format!("fill=\"none\" style=\"stroke:{colour}\" stroke-width=\"2\"{dash}")
    }

    /// From where to where the values are drawn: shares from 0 to 1, or from 50 % where all are
    /// above it; other numbers from 0 to a round one.
    fn range(&self) -> (f64, f64) {
        let values = || self.series.iter().flat_map(|series| &series.values).flatten().copied();
        let least = values().fold(f64::INFINITY, f64::min);
        match self.unit {
            MetricUnit::Share if least >= 0.5 && least.is_finite() => (0.5, 1.0),
            MetricUnit::Share => (0.0, 1.0),
            MetricUnit::Turns | MetricUnit::Marks | MetricUnit::Number => {
                let most = values().fold(0.0, f64::max);
                (0.0, f64::from(RINGS) * round_step(most / f64::from(RINGS)))
            }
        }
    }

    /// The label of a line.
    fn tick(&self, value: f64) -> String {
        match self.unit {
            MetricUnit::Share => number_with_unit(value, self.unit),
            MetricUnit::Turns | MetricUnit::Marks | MetricUnit::Number => {
                let text = format!("{value:.3}");
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            }
        }
    }

    /// How many lines divide the range: every 10 % of half of the shares, every quarter of the rest.
    fn rings(&self) -> u32 {
        if self.unit == MetricUnit::Share && self.range().0 > 0.0 { 5 } else { RINGS }
    }

    fn radar(&self) -> String {
        let ((low, high), rings) = (self.range(), self.rings());
        let (x, y) = (WIDTH / 2.0, RADAR_HEIGHT / 2.0);
        let place = |part: usize, far: f64| {
            let angle = TAU * part as f64 / self.parts.len() as f64 - TAU / 4.0;
            (x + RADIUS * far * angle.cos(), y + RADIUS * far * angle.sin())
        };
        let mut svg = self.opening_tag(RADAR_HEIGHT);
        for ring in 1..=rings {
            let far = f64::from(ring) / f64::from(rings);
            let corners: Vec<String> = (0..self.parts.len())
                .map(|part| place(part, far))
                .map(|(x, y)| format!("{x:.1},{y:.1}"))
                .collect();
            svg.push_str(&format!(
                "<polygon class=\"grid\" fill=\"none\" points=\"{}\"/>\
                 <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n",
                corners.join(" "),
                x + 3.0,
                y - RADIUS * far + 11.0,
                self.tick(low + (high - low) * far)
            ));
        }
        for (at, part) in self.parts.iter().enumerate() {
            let ((end, down), (across, below)) = (place(at, 1.0), place(at, 1.09));
            let anchor = match across - x {
                away if away > 8.0 => "start",
                away if away < -8.0 => "end",
                _ => "middle",
            };
            svg.push_str(&format!(
                "<line class=\"grid\" x1=\"{x}\" y1=\"{y}\" x2=\"{end:.1}\" y2=\"{down:.1}\"/>\
                 <text class=\"tick\" x=\"{across:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>\n",
                below + 4.0,
                escape(part)
            ));
        }
        for (at, series) in self.series.iter().enumerate() {
            let far = |value: f64| ((value - low) / (high - low)).clamp(0.0, 1.0);
            let points = series.values.iter().enumerate();
            let points = points.map(|(at, value)| value.map(|value| place(at, far(value))));
            svg.push_str(&self.path(at, points.collect(), true));
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn lines(&self) -> String {
        let ((low, high), rings) = (self.range(), self.rings());
        let last = self.parts.len().saturating_sub(1).max(1) as f64;
        let across = |at: usize| LEFT + 12.0 + (WIDTH - LEFT - RIGHT - 24.0) * at as f64 / last;
        let down = |value: f64| {
            TOP + (LINES_HEIGHT - TOP - BOTTOM)
                * (1.0 - ((value - low) / (high - low)).clamp(0.0, 1.0))
        };
        let mut svg = self.opening_tag(LINES_HEIGHT);
        for ring in 0..=rings {
            let value = low + (high - low) * f64::from(ring) / f64::from(rings);
            svg.push_str(&format!(
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/>\
                 <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n",
                WIDTH - RIGHT,
                down(value),
                down(value),
                LEFT - 8.0,
                down(value) + 4.0,
                self.tick(value)
            ));
        }
        for (at, part) in
            self.parts.iter().enumerate().step_by(self.parts.len().div_ceil(MAX_TICKS).max(1))
        {
            svg.push_str(&format!(
                "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n",
                across(at),
                LINES_HEIGHT - BOTTOM + 18.0,
                escape(part)
            ));
        }
        for (at, series) in self.series.iter().enumerate() {
            let points = series.values.iter().enumerate();
            let points = points.map(|(at, value)| value.map(|value| (across(at), down(value))));
            svg.push_str(&self.path(at, points.collect(), false));
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn opening_tag(&self, height: f64) -> String {
        format!(
            "<svg class=\"curve\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">\n",
            escape(&self.title)
        )
    }

    /// A series, interrupted where a value is not known; each value is named when it is pointed at.
    fn path(&self, at: usize, points: Vec<Option<(f64, f64)>>, is_closed: bool) -> String {
        let mut path = String::new();
        let mut is_drawing = false;
        for point in &points {
            if let Some((x, y)) = point {
                path.push_str(&match (is_drawing, self.is_stepped) {
                    (false, _) => format!("M{x:.1} {y:.1}"),
                    (true, false) => format!("L{x:.1} {y:.1}"),
                    (true, true) => format!("H{x:.1}V{y:.1}"),
                });
            }
            is_drawing = point.is_some();
        }
        if is_closed && points.iter().all(Option::is_some) {
            path.push('Z');
        }
        let stroke = self.dash_attribute(at);
        let mut svg = format!("<path {stroke} d=\"{path}\"/>\n");
        let series = &self.series[at];
        for ((point, part), value) in points.iter().zip(&self.parts).zip(&series.values) {
            let (Some((x, y)), Some(value)) = (point, value) else { continue };
            let label = format!("{}, {part}: {}", series.name, number_with_unit(*value, self.unit));
            svg.push_str(&format!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" style=\"fill:{}\"><title>{}</title></circle>\n",
                colour(at, self.series.len()),
                escape(&label)
            ));
        }
        svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(parts: &[&str]) -> Chart {
        let values = |step: f64| (0..parts.len()).map(|at| Some(1.0 - step * at as f64)).collect();
        Chart {
            title: "share held by tag".to_owned(),
            unit: MetricUnit::Share,
            parts: parts.iter().map(|part| (*part).to_owned()).collect(),
            series: [("a<b", 0.1), ("c", 0.2)]
                .map(|(name, step)| Series { name: name.to_owned(), values: values(step) })
                .to_vec(),
            is_stepped: false,
        }
    }

    #[test]
    fn each_level_of_parts_is_a_radar() {
        let charts = chart(&[
            "kind",
            "kind.intra",
            "kind.intra.style",
            "kind.intra.content",
            "kind.intra.template",
        ])
        .split_by_level();
        let [only] = &charts[..] else { panic!("{charts:?}") };
        assert_eq!(only.title, "share held by tag, kind.intra");
        assert_eq!(only.parts, ["style", "content", "template"]);
        let drawn = only.figure();
        assert_eq!(drawn.matches("<path ").count(), 2, "{drawn}");
        assert!(drawn.contains("Z\"/>") && drawn.contains("a&lt;b, style: 80.0 %"), "{drawn}");
    }

    #[test]
    fn numbered_parts_are_lines() {
        for parts in
            [["1", "2", "10"], ["1", "2 to 3", "4 to 7"], ["first 30", "first 60", "first 90"]]
        {
            let charts = chart(&parts).split_by_level();
            let drawn = charts[0].figure();
            assert!(
                charts.len() == 1 && !drawn.contains("polygon") && !drawn.contains("Z\""),
                "{drawn}"
            );
        }
        assert!(chart(&["b2", "b1", "b3"]).split_by_level()[0].figure().contains("polygon"));
    }

    #[test]
    fn axis_lines_are_at_round_numbers() {
        for (least, wanted) in [
            (0.0, 0.25),
            (0.3, 0.5),
            (1.0, 1.0),
            (1.1, 2.0),
            (109.1, 200.0),
            (240.0, 250.0),
            (0.002, 0.002),
        ] {
            assert!((round_step(least) - wanted).abs() < 1e-12, "{least}: {}", round_step(least));
        }
        let mut one = chart(&["1", "2"]);
        (one.unit, one.series[0].values) = (MetricUnit::Number, vec![Some(9.0), Some(3.0)]);
        let drawn = one.figure();
        assert!(drawn.contains(">2.5</text>"), "{drawn}");
        assert!(drawn.contains(">10</text>") && drawn.contains(">0</text>"), "{drawn}");
    }

    #[test]
    fn unknown_values_are_gaps_in_charts() {
        let mut one = chart(&["x", "y", "z"]);
        one.series[0].values[1] = None;
        let drawn = one.figure();
        assert_eq!(drawn.matches("Z\"/>").count(), 1, "{drawn}");
        assert!(!drawn.contains("a&lt;b, y") && drawn.contains("c, y"), "{drawn}");
    }
}
