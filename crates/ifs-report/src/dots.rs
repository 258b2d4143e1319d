//! Values of several runs as a table with a dot plot in its last column, which is readable without the
//! picture.

use super::chart::colour;
use super::document::escape;
use super::words::{NO_NUMBER, number_with_unit};
use ifs_score::ConfidenceInterval;
use ifs_score::MetricUnit;

pub(super) struct Dots<'a> {
    /// The heading of the first column.
    pub corner: &'a str,
    /// The names of the runs.
    pub series: Vec<&'a str>,
    pub rows: Vec<DotRow>,
}

pub(super) struct DotRow {
    pub name: String,
    pub unit: DotUnit,
    /// One for each run.
    pub values: Vec<Option<Dot>>,
}

#[derive(Clone, Copy)]
pub(super) enum DotUnit {
    Of(MetricUnit),
    /// A count, such as of characters.
    Count,
}

#[derive(Clone, Copy)]
pub(super) struct Dot {
    pub value: f64,
    pub interval: Option<ConfidenceInterval>,
}

impl Dots<'_> {
    /// All rows share a scale; with `alone`, each row has its own.
    pub fn table(&self, alone: bool) -> String {
        let most = self.rows.iter().map(DotRow::most).fold(0.0, f64::max);
        let corner = match self.corner {
            "" => "<td></td>".to_owned(),
            corner => format!("<th scope=\"col\">{}</th>", escape(corner)),
        };
        let mut html =
            format!("<div class=\"wide\" tabindex=\"0\"><table class=\"dots\"><thead><tr>{corner}");
        for (at, name) in self.series.iter().enumerate() {
            html.push_str(&format!(
                "<th class=\"number\" scope=\"col\"><i class=\"dot\" style=\"background:{}\"></i> {}</th>",
                colour(at, self.series.len()),
                escape(name)
            ));
        }
        html.push_str("<td class=\"track\" aria-hidden=\"true\"></td></tr></thead>\n<tbody>\n");
        for row in &self.rows {
            html.push_str(&row.html(if alone { row.most() } else { most }));
        }
        html.push_str("</tbody></table></div>\n");
        html
    }
}

impl DotRow {
    /// The end of the scale.
    fn most(&self) -> f64 {
        let ends = self.values.iter().flatten();
        let ends = ends.map(|dot| dot.interval.map_or(dot.value, |it| it.upper.max(dot.value)));
        match self.unit {
            DotUnit::Of(MetricUnit::Share) => 1.0,
            _ => ends.fold(0.0, f64::max),
        }
    }

    fn html(&self, most: f64) -> String {
        let mut html = format!("<tr><th scope=\"row\">{}</th>", escape(&self.name));
        for value in &self.values {
            let text = value.map_or_else(|| NO_NUMBER.to_owned(), |dot| self.text(dot));
            html.push_str(&format!("<td class=\"number\">{text}</td>"));
        }
        html.push_str(&format!(
            "<td class=\"track\" aria-hidden=\"true\">{}</td></tr>\n",
            dot_track(&self.values, most)
        ));
        html
    }

    fn text(&self, dot: Dot) -> String {
        let number = |number: f64| match self.unit {
            DotUnit::Of(unit) => number_with_unit(number, unit),
            DotUnit::Count => format!("{number:.0}"),
        };
        let interval = dot.interval.map(|ConfidenceInterval { lower, upper, .. }| {
            let lower = number(lower);
            let lower = lower.strip_suffix(" %").unwrap_or(&lower);
            format!("<br><small>{lower} to {}</small>", number(upper))
        });
        format!("{}{}", number(dot.value), interval.unwrap_or_default())
    }
}

/// A lane for each run, with its dot and its interval.
pub(super) fn dot_track(values: &[Option<Dot>], most: f64) -> String {
    let place =
        |value: f64| if most > 0.0 { (100.0 * value / most).clamp(0.0, 100.0) } else { 0.0 };
    let mut html = String::from("<s>");
    for (at, dot) in values.iter().enumerate() {
        let colour = colour(at, values.len());
        html.push_str("<span>");
        if let Some(Dot { value, interval }) = dot {
            if let Some(interval) = interval {
                let (left, right) = (place(interval.lower), place(interval.upper));
                html.push_str(&format!(
                    "<b style=\"left:{left:.1}%;width:{:.1}%;background:{colour}\"></b>",
                    right - left
                ));
            }
            html.push_str(&format!(
                "<i style=\"left:{:.1}%;background:{colour}\"></i>",
                place(*value)
            ));
        }
        html.push_str("</span>");
    }
    html.push_str("</s>");
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_on_one_scale() {
        let dot = |value| Some(Dot { value, interval: None });
        let interval = Some(ConfidenceInterval::between(0.25, 0.75));
        let row = |unit, values| DotRow { name: "<part>".to_owned(), unit, values };
        let dots = Dots {
            corner: "part",
            series: vec!["a", "b"],
            rows: vec![
                row(DotUnit::Of(MetricUnit::Share), vec![Some(Dot { value: 0.5, interval }), None]),
                row(DotUnit::Count, vec![dot(50.0), dot(200.0)]),
            ],
        };
        let alone = dots.table(true);
        assert!(
            alone.contains("&lt;part&gt;") && alone.contains(">50.0 %<br><small>25.0 to 75.0 %")
        );
        assert!(
            alone.contains("left:25.0%;width:50.0%") && alone.contains("left:100.0%"),
            "{alone}"
        );
        assert!(alone.contains(">–</td>") && alone.contains(">200</td>"), "{alone}");
    }
}
