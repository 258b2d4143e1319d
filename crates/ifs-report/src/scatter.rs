//! Accuracy (points) and PIF of turns: a circle for the turns of a run with the same points and PIF, its
//! size for their number, and a cross at the means.

use super::chart::colour;
use super::document::escape;
use ifs_score::JointCount;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 92.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 28.0;
const BOTTOM: f64 = 66.0;
/// The radius of the largest circle.
const MAX_RADIUS: f64 = 22.0;
const CHART_TITLE: &str = "Accuracy and PIF of turns";

/// `None` if no run has a turn of which both are known.
pub(super) fn figure(runs: &[(&str, Vec<JointCount>)]) -> Option<String> {
    let most = runs.iter().flat_map(|(_, joint)| joint).map(|it| it.turns).max()?;
    let across = |points: f64| LEFT + (WIDTH - LEFT - RIGHT) * points;
    let down = |pif: f64| TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - pif);
    let mut svg = format!(
        "<svg class=\"curve\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{CHART_TITLE}\">\n"
    );
    for quarter in 0..=4 {
        let share = f64::from(quarter) / 4.0;
        let (x, y) = (across(share), down(share));
        svg.push_str(&format!(
            "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{:.1}M{x:.1} {TOP}V{:.1}\"/>\
             <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{} %</text>\
             <text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{} %</text>\n",
            WIDTH - RIGHT,
            HEIGHT - BOTTOM,
            LEFT - MAX_RADIUS - 4.0,
            y + 4.0,
            quarter * 25,
            HEIGHT - BOTTOM + MAX_RADIUS + 16.0,
            quarter * 25,
        ));
    }
    svg.push_str(&format!(
        "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">points</text>\
         <text class=\"tick\" x=\"14\" y=\"{:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {:.1})\">PIF</text>\n",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 8.0,
        (TOP + HEIGHT - BOTTOM) / 2.0,
        (TOP + HEIGHT - BOTTOM) / 2.0,
    ));
    for (at, (name, joint)) in runs.iter().enumerate() {
        for one in joint {
            let radius = 3.0 + (MAX_RADIUS - 3.0) * (one.turns as f64 / most as f64).sqrt();
            svg.push_str(&format!(
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius:.1}\" style=\"fill:{c};stroke:{c}\" \
                 fill-opacity=\".16\"><title>{}: points {:.2}, PIF {:.2}, {} turns</title></circle>\n",
                across(one.points),
                down(one.pif),
                escape(name),
                one.points,
                one.pif,
                one.turns,
                c = colour(at, runs.len()),
            ));
        }
    }
    let mut legend = String::new();
    for (at, (name, joint)) in runs.iter().enumerate() {
        let turns: u64 = joint.iter().map(|it| it.turns).sum();
        if turns == 0 {
            continue;
        }
        let mean = |of: fn(&JointCount) -> f64| {
            joint.iter().map(|it| of(it) * it.turns as f64).sum::<f64>() / turns as f64
        };
        let (points, pif) = (mean(|it| it.points), mean(|it| it.pif));
        let (x, y, c) = (across(points), down(pif), colour(at, runs.len()));
        svg.push_str(&format!(
            "<path class=\"mean\" d=\"M{:.1} {:.1}l14 14m0 -14l-14 14\" style=\"stroke:{c}\"/>\n",
            x - 7.0,
            y - 7.0
        ));
        legend.push_str(&format!(
            "<span><i class=\"dot\" style=\"background:{c}\"></i> {}: mean points {:.3}, mean PIF {:.3}, \
             {turns} turns</span> ",
            escape(name),
            points,
            pif
        ));
    }
    Some(format!(
        "<figure class=\"chart\">\n<p class=\"legend\">{legend}</p>\n{svg}</svg>\n\
         <p class=\"key\"><small>Each circle is the turns with the same points and PIF; its size shows their number. \
         A cross marks the means.</small></p>\n</figure>\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_and_means() {
        let joint = |points, pif, turns| JointCount { pif, points, turns };
        let drawn = figure(&[("a&b", vec![joint(1.0, 0.5, 3), joint(0.0, 1.0, 1)]), ("c", vec![])]);
        let drawn = drawn.unwrap_or_default();
        assert_eq!(drawn.matches("<circle").count(), 2, "{drawn}");
        assert!(drawn.contains("a&amp;b: mean points 0.750, mean PIF 0.625, 4 turns"), "{drawn}");
        assert_eq!(drawn.matches("class=\"mean\"").count(), 1, "{drawn}");
        assert!(figure(&[("c", vec![])]).is_none());
    }
}
