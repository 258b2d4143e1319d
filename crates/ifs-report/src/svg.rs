//! The survival curve as inline SVG; its colours are in the page's style sheet.

use ifs_score::SurvivalPoint;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 40.0;
const MAX_TICKS: u32 = 12;

/// Whether a response was judged on any turn; without one there is nothing to draw.
pub(super) fn any_decided(points: &[SurvivalPoint]) -> bool {
    points.iter().any(|point| point.successful.is_some())
}

/// `None` if no turn was played.
pub(super) fn curve(points: &[SurvivalPoint]) -> Option<String> {
    let last = points.last().filter(|_| any_decided(points))?.turn;
    let across = |turn: f64| LEFT + (WIDTH - LEFT - RIGHT) * turn / f64::from(last);
    let down = |share: f64| TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - share);

    let mut svg = format!(
        "<svg class=\"curve\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"Share of dialogues with patience left, and success rate, by turn\">\n"
    );
    for quarter in 0..=4 {
        let share = f64::from(quarter) / 4.0;
        let (y, end) = (down(share), WIDTH - RIGHT);
        svg.push_str(&format!(
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{end}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{} %</text>\n",
            LEFT - 8.0,
            y + 4.0,
            quarter * 25
        ));
    }
    let step = last.div_ceil(MAX_TICKS).max(1);
    for turn in (1..=last).filter(|turn| turn % step == 0 || *turn == 1) {
        let x = across(f64::from(turn) - 0.5);
        svg.push_str(&format!(
            "<text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{turn}</text>\n",
            HEIGHT - BOTTOM + 18.0
        ));
    }
    svg.push_str(&format!(
        "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">turn</text>\n",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 4.0
    ));

    if points.iter().any(|point| point.lost > 0) {
        svg.push_str(&interval_band(points, &across, &down));
        let mut path = format!("M{:.1} {:.1}", across(0.0), down(1.0));
        for point in points {
            path.push_str(&format!(
                "H{:.1}V{:.1}",
                across(f64::from(point.turn)),
                down(point.patient)
            ));
        }
        svg.push_str(&format!("<path class=\"patient\" d=\"{path}\"/>\n"));
    }
    let most = points.iter().map(|point| point.at_risk).max().unwrap_or(1);
    svg.push_str(&joined(points, &across, &down));
    for point in points {
        let Some(share) = point.successful else { continue };
        // Paler for fewer dialogues.
        let weight = 0.25 + 0.75 * point.at_risk as f64 / most as f64;
        svg.push_str(&format!(
            "<circle class=\"successful\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\" fill-opacity=\"{weight:.2}\">\
             <title>turn {}: {} of {} successful</title></circle>\n",
            across(f64::from(point.turn) - 0.5),
            down(share),
            point.turn,
            point.successes,
            point.at_risk - point.undecided
        ));
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

/// A thin line through the shares of successful turns, interrupted where none was decided.
fn joined(
    points: &[SurvivalPoint],
    across: &impl Fn(f64) -> f64,
    down: &impl Fn(f64) -> f64,
) -> String {
    let (mut path, mut next) = (String::new(), None);
    for point in points {
        let Some(share) = point.successful else { continue };
        let step = if next == Some(point.turn) { 'L' } else { 'M' };
        let (x, y) = (across(f64::from(point.turn) - 0.5), down(share));
        path.push_str(&format!("{step}{x:.1} {y:.1}"));
        next = Some(point.turn + 1);
    }
    format!("<path class=\"joined\" d=\"{path}\"/>\n")
}

/// The interval of each step; nothing where it is not known.
fn interval_band(
    points: &[SurvivalPoint],
    across: &impl Fn(f64) -> f64,
    down: &impl Fn(f64) -> f64,
) -> String {
    let mut band = String::new();
    for point in points {
        let Some(interval) = &point.interval else { continue };
        let (left, right) = (across(f64::from(point.turn)), across(f64::from(point.turn) + 1.0));
        let last = points.last().is_some_and(|last| last.turn == point.turn);
        let (top, bottom) = (down(interval.upper), down(interval.lower));
        // The last step ends with the axis.
        if !last && bottom > top {
            band.push_str(&format!("M{left:.1} {top:.1}H{right:.1}V{bottom:.1}H{left:.1}Z"));
        }
    }
    match band.is_empty() {
        true => band,
        false => format!("<path class=\"band\" d=\"{band}\"/>\n"),
    }
}
