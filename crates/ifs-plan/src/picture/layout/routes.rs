//! The heights of the ranks, and the lines between their items.

use super::{LOOP_WIDTH, LayoutInput, LayoutItemKind, LayoutPoint, PictureLayout, RankGrid};

/// A line, and the centre of its label.
pub(in super::super) struct Route {
    pub start: LayoutPoint,
    pub pieces: Vec<RoutePiece>,
    pub label: Option<LayoutPoint>,
}

pub(in super::super) enum RoutePiece {
    Line(LayoutPoint),
    /// Two control points, and the end.
    Curve(LayoutPoint, LayoutPoint, LayoutPoint),
}

const RANK_GAP: f64 = 30.0;
/// The distance between the ports of a mark.
const PORT_GAP: f64 = 16.0;
const SIDE_PORT: f64 = 7.0;
const CORNER_RADIUS: f64 = 7.0;

pub(super) fn routes(input: &LayoutInput, grid: &RankGrid, x: &[f64]) -> PictureLayout {
    let bands = bands(grid, x);
    let middle = |item: usize| {
        let band = bands[grid.items[item].rank];
        LayoutPoint { x: x[item], y: (band.0 + band.1) / 2.0 }
    };
    let ports = Ports::new(input, grid, x);
    let edges = (0..input.edges.len())
        .map(|at| route_of(input, grid, &bands, &ports, &middle, at))
        .collect();
    let mut right = grid.items.iter().zip(x).map(|(item, x)| x + item.right).fold(0.0, f64::max);
    let mut relations = Vec::new();
    for at in 0..input.relations.len() {
        let lane = grid.lanes[at].iter().map(|item| x[*item]).fold(0.0, f64::max);
        right = right.max(lane + 4.0);
        relations.push(relation(input, grid, &ports, &middle, at, lane));
    }
    PictureLayout {
        marks: (0..input.marks.len()).map(middle).collect(),
        edges,
        relations,
        width: right,
        height: bands.last().map_or(0.0, |band| band.1),
    }
}

/// The top and the bottom of each rank. Ranks are further apart if lines between them span a large
/// distance.
fn bands(grid: &RankGrid, x: &[f64]) -> Vec<(f64, f64)> {
    let mut bands = Vec::with_capacity(grid.ranks.len());
    let mut top = 0.0;
    for row in &grid.ranks {
        let height = row.iter().map(|item| grid.items[*item].height).fold(0.0, f64::max);
        bands.push((top, top + height));
        let far = row
            .iter()
            .flat_map(|item| grid.items[*item].below.iter().map(|next| (x[*item] - x[*next]).abs()))
            .fold(0.0, f64::max);
        top += height + RANK_GAP + (far * 0.14).min(36.0);
    }
    bands
}

/// The ports where lines meet a mark, as distances from its centre.
struct Ports {
    /// The port of each edge at its upper and its lower end.
    edges: Vec<(f64, f64)>,
    /// The port of each relation at its source and its target.
    relations: Vec<(f64, f64)>,
}

impl Ports {
    fn new(input: &LayoutInput, grid: &RankGrid, x: &[f64]) -> Ports {
        let mut ports = Ports {
            edges: vec![(0.0, 0.0); input.edges.len()],
            relations: vec![(0.0, 0.0); input.relations.len()],
        };
        let mut below: Vec<Vec<(f64, usize)>> = vec![Vec::new(); input.marks.len()];
        let mut above = below.clone();
        for (at, passed) in grid.edges.iter().enumerate() {
            if let ([upper, second, ..], [.., last, lower]) = (&passed[..], &passed[..]) {
                below[*upper].push((x[*second], at));
                above[*lower].push((x[*last], at));
            }
        }
        for (mark, size) in input.marks.iter().enumerate() {
            let spread = |ends: &mut Vec<(f64, usize)>| -> Vec<(usize, f64)> {
                ends.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)));
                let room = (size.width - 16.0).max(0.0);
                spaced(ends.len(), PORT_GAP, room)
                    .zip(&*ends)
                    .map(|(at, end)| (end.1, at))
                    .collect()
            };
            for (edge, port) in spread(&mut below[mark]) {
                ports.edges[edge].0 = port;
            }
            for (edge, port) in spread(&mut above[mark]) {
                ports.edges[edge].1 = port;
            }
        }
        ports.sides(input, grid, x);
        ports
    }

    /// From top to bottom: upward lines, outermost last, then lines from below, outermost first. So
    /// none crosses another.
    fn sides(&mut self, input: &LayoutInput, grid: &RankGrid, x: &[f64]) {
        let mut ends: Vec<Vec<(bool, f64, usize, bool)>> = vec![Vec::new(); input.marks.len()];
        for (at, (from, to)) in input.relations.iter().enumerate() {
            let lane = grid.lanes[at].iter().map(|item| x[*item]).fold(0.0, f64::max);
            let up = grid.items[*from].rank >= grid.items[*to].rank;
            let key = |down: bool| if down { -lane } else { lane };
            ends[*from].push((!up, key(!up), at, true));
            ends[*to].push((up, key(up), at, false));
        }
        for (mark, ends) in ends.iter_mut().enumerate() {
            ends.sort_by(|left, right| {
                left.0.cmp(&right.0).then(left.1.total_cmp(&right.1)).then(left.2.cmp(&right.2))
            });
            let room = (input.marks[mark].height - 10.0).max(0.0);
            for ((_, _, at, source), port) in ends.iter().zip(spaced(ends.len(), SIDE_PORT, room)) {
                let port_of = &mut self.relations[*at];
                *(if *source { &mut port_of.0 } else { &mut port_of.1 }) = port;
            }
        }
    }
}

/// Offsets around 0, spaced evenly if there is room.
fn spaced(count: usize, step: f64, room: f64) -> impl Iterator<Item = f64> {
    let steps = count.saturating_sub(1).max(1) as f64;
    let step = step.min(room / steps);
    let all = count.saturating_sub(1) as f64 * step;
    (0..count).map(move |at| at as f64 * step - all / 2.0)
}

fn route_of(
    input: &LayoutInput,
    grid: &RankGrid,
    bands: &[(f64, f64)],
    ports: &Ports,
    middle: &impl Fn(usize) -> LayoutPoint,
    at: usize,
) -> Route {
    let edge = &input.edges[at];
    let passed = &grid.edges[at];
    let half = |mark: usize| input.marks[mark].height / 2.0;
    let ([upper, inner @ .., lower], false) = (&passed[..], edge.from == edge.to) else {
        return own_loop(input, middle(edge.from), at);
    };
    let mut points = Vec::new();
    let from = middle(*upper);
    let x = from.x + ports.edges[at].0;
    points.push(LayoutPoint { x, y: from.y + half(*upper) });
    points.push(LayoutPoint { x, y: bands[grid.items[*upper].rank].1 });
    let mut label = None;
    for item in inner {
        let (top, bottom) = bands[grid.items[*item].rank];
        let LayoutPoint { x, y } = middle(*item);
        if grid.items[*item].kind == LayoutItemKind::Label {
            label = Some(LayoutPoint { x, y });
        }
        points.extend([LayoutPoint { x, y: top }, LayoutPoint { x, y: bottom }]);
    }
    let to = middle(*lower);
    let x = to.x + ports.edges[at].1;
    points.push(LayoutPoint { x, y: bands[grid.items[*lower].rank].0 });
    points.push(LayoutPoint { x, y: to.y - half(*lower) });
    if edge.from == *lower {
        points.reverse();
    }
    let mut points = points.into_iter();
    let start = points.next().unwrap_or(from);
    let mut here = start;
    let mut pieces = Vec::new();
    for next in points {
        let height = (next.y + here.y) / 2.0;
        if (next.x - here.x).abs() < 0.05 {
            if next != here {
                pieces.push(RoutePiece::Line(next));
            }
        } else {
            let pulls =
                (LayoutPoint { x: here.x, y: height }, LayoutPoint { x: next.x, y: height });
            pieces.push(RoutePiece::Curve(pulls.0, pulls.1, next));
        }
        here = next;
    }
    Route { start, pieces, label }
}

fn own_loop(input: &LayoutInput, middle: LayoutPoint, at: usize) -> Route {
    let edge = &input.edges[at];
    let x = middle.x - input.marks[edge.from].width / 2.0;
    let out = x - LOOP_WIDTH * 1.2;
    let point = |x, y| LayoutPoint { x, y: middle.y + y };
    let end = point(x, -6.0);
    let label =
        edge.label.map(|label| LayoutPoint { x: x - LOOP_WIDTH - label.width / 2.0, y: middle.y });
    let pieces = vec![RoutePiece::Curve(point(out, 20.0), point(out, -20.0), end)];
    Route { start: point(x, 6.0), pieces, label }
}

/// Out to its lane, along it and back, with round corners.
fn relation(
    input: &LayoutInput,
    grid: &RankGrid,
    ports: &Ports,
    middle: &impl Fn(usize) -> LayoutPoint,
    at: usize,
    lane: f64,
) -> Route {
    let (from, to) = input.relations[at];
    let end = |mark: usize, port: f64| {
        let middle = middle(mark);
        LayoutPoint { x: middle.x + input.marks[mark].width / 2.0, y: middle.y + port }
    };
    let (start, end) = (end(from, ports.relations[at].0), end(to, ports.relations[at].1));
    let down = if grid.items[from].rank < grid.items[to].rank { 1.0 } else { -1.0 };
    let bend = CORNER_RADIUS * down;
    let point = |x, y| LayoutPoint { x, y };
    let pieces = vec![
        RoutePiece::Line(point(lane - CORNER_RADIUS, start.y)),
        RoutePiece::Curve(point(lane, start.y), point(lane, start.y), point(lane, start.y + bend)),
        RoutePiece::Line(point(lane, end.y - bend)),
        RoutePiece::Curve(
            point(lane, end.y),
            point(lane, end.y),
            point(lane - CORNER_RADIUS, end.y),
        ),
        RoutePiece::Line(end),
    ];
    Route { start, pieces, label: None }
}
