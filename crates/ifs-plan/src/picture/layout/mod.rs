//! A layered layout after Sugiyama, Tagawa and Toda (1981).
//!
//! Back edges are reversed; ranks are the longest path from the start; long edges and labels get
//! their own positions in the ranks between; the order in a rank follows the barycentres of the
//! neighbours; and horizontal positions are as close to the neighbours as the distances allow.
//! Relations run in lanes to the right of what they pass. Nothing overlaps, because everything has
//! a position in a rank.

mod order;
mod place;
mod ranks;
mod routes;

use ifs_base::work::{self, Task};

pub(super) use routes::{Route, RoutePiece};

pub(super) struct LayoutInput {
    pub marks: Vec<LabelSize>,
    pub edges: Vec<LayoutEdge>,
    /// From a mark to an earlier one.
    pub relations: Vec<(usize, usize)>,
}

#[derive(Clone, Copy)]
pub(super) struct LabelSize {
    pub width: f64,
    pub height: f64,
}

pub(super) struct LayoutEdge {
    pub from: usize,
    pub to: usize,
    pub label: Option<LabelSize>,
}

pub(super) struct PictureLayout {
    /// Centres.
    pub marks: Vec<LayoutPoint>,
    pub edges: Vec<Route>,
    pub relations: Vec<Route>,
    pub width: f64,
    pub height: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LayoutPoint {
    pub x: f64,
    pub y: f64,
}

/// The extent of an edge from a mark to itself.
const LOOP_WIDTH: f64 = 30.0;

/// About what an item takes at least: it is placed in each of forty sweeps.
const STEPS_PER_ITEM: u64 = 100;

/// `None` if the work is too much.
pub(super) fn layout(input: &LayoutInput) -> Option<PictureLayout> {
    let ranks = ranks::ranks(input);
    let rank = |(from, to): (usize, usize)| ranks[from].abs_diff(ranks[to]) as u64 + 1;
    // The items of edges and relations, each of which is in its rank.
    let edges = input.edges.iter().map(|edge| rank((edge.from, edge.to)));
    let relations = input.relations.iter().map(|relation| rank(*relation));
    let items: u64 = edges.chain(relations).sum();
    // What is too much is not begun.
    let least = items.saturating_mul(STEPS_PER_ITEM);
    if !work::spend(Task::Layout, if least < work::steps_left() { items } else { least }) {
        return None;
    }
    let mut grid = RankGrid::new(input, &ranks);
    order::order(&mut grid);
    grid.add_lanes(input);
    if work::is_exhausted() {
        return None;
    }
    let x = place::horizontal_positions(&grid);
    (!work::is_exhausted()).then(|| routes::routes(input, &grid, &x))
}

/// The items of each rank, from left to right.
struct RankGrid {
    items: Vec<LayoutItem>,
    ranks: Vec<Vec<usize>>,
    /// The edges from top to bottom: the items that they pass, including both ends.
    edges: Vec<Vec<usize>>,
    /// Lanes from top to bottom.
    lanes: Vec<Vec<usize>>,
}

struct LayoutItem {
    kind: LayoutItemKind,
    rank: usize,
    /// The extent to both sides of its centre.
    left: f64,
    right: f64,
    height: f64,
    above: Vec<usize>,
    below: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LayoutItemKind {
    Mark,
    /// The position of a long edge in a rank.
    Bend,
    Label,
    /// The position of a relation in a rank.
    Lane,
}

impl RankGrid {
    fn new(input: &LayoutInput, of: &[usize]) -> RankGrid {
        let count = of.iter().max().map_or(0, |last| last + 1);
        let mut grid = RankGrid {
            items: Vec::new(),
            ranks: vec![Vec::new(); count],
            edges: Vec::new(),
            lanes: Vec::new(),
        };
        for (mark, size) in input.marks.iter().enumerate() {
            let item = grid.add(LayoutItemKind::Mark, of[mark], size.width / 2.0, size.height);
            grid.ranks[of[mark]].push(item);
        }
        for edge in &input.edges {
            if edge.from == edge.to {
                let label = edge.label.map_or(0.0, |label| label.width + 4.0);
                let item = &mut grid.items[edge.from];
                item.left = item.left.max(input.marks[edge.from].width / 2.0 + LOOP_WIDTH + label);
                if let Some(label) = edge.label {
                    item.height = item.height.max(label.height);
                }
                grid.edges.push(Vec::new());
                continue;
            }
            let turned = of[edge.from] > of[edge.to];
            let (upper, lower) = if turned { (edge.to, edge.from) } else { (edge.from, edge.to) };
            let middle = (of[upper] + of[lower]).div_ceil(2);
            let mut passed = vec![upper];
            for rank in of[upper] + 1..of[lower] {
                let item = match edge.label {
                    Some(label) if rank == middle => {
                        grid.add(LayoutItemKind::Label, rank, label.width / 2.0, label.height)
                    }
                    Some(_) | None => grid.add(LayoutItemKind::Bend, rank, 3.0, 0.0),
                };
                grid.ranks[rank].push(item);
                passed.push(item);
            }
            passed.push(lower);
            for pair in passed.windows(2) {
                if let [above, below] = pair {
                    grid.items[*above].below.push(*below);
                    grid.items[*below].above.push(*above);
                }
            }
            grid.edges.push(passed);
        }
        grid
    }

    fn add(&mut self, kind: LayoutItemKind, rank: usize, half: f64, height: f64) -> usize {
        let (above, below) = (Vec::new(), Vec::new());
        self.items.push(LayoutItem { kind, rank, left: half, right: half, height, above, below });
        self.items.len() - 1
    }

    /// Adds a lane for each relation, the longer ones further out: in each rank to the right of the
    /// items between the two marks.
    fn add_lanes(&mut self, input: &LayoutInput) {
        self.lanes = vec![Vec::new(); input.relations.len()];
        let mut order: Vec<usize> = (0..input.relations.len()).collect();
        let span = |at: &usize| {
            let (from, to) = input.relations[*at];
            (self.items[from].rank.abs_diff(self.items[to].rank), *at)
        };
        order.sort_by_key(span);
        let mut beginning = vec![false; input.marks.len()];
        let mut ending = beginning.clone();
        for at in order {
            let (from, to) = input.relations[at];
            let turned = self.items[from].rank < self.items[to].rank;
            let (upper, lower) = if turned { (from, to) } else { (to, from) };
            let between = self.items_between(upper, lower);
            if !work::spend(Task::Layout, between.len() as u64) {
                return;
            }
            let (first, last_rank) = (self.items[upper].rank, self.items[lower].rank);
            for rank in first..=last_rank {
                // A relation that ends where another begins may share its lane.
                let shared =
                    (rank == first && ending[upper]) || (rank == last_rank && beginning[lower]);
                if shared && (rank == first || !self.lanes[at].is_empty()) {
                    continue;
                }
                let lane = self.add(LayoutItemKind::Lane, rank, 2.0, 0.0);
                let row = &self.ranks[rank];
                work::spend(Task::Layout, row.len() as u64 / 4);
                let last = row.iter().rposition(|item| between.contains(item));
                let mut behind = last.map_or(row.len(), |last| last + 1);
                while row
                    .get(behind)
                    .is_some_and(|item| self.items[*item].kind == LayoutItemKind::Lane)
                {
                    behind += 1;
                }
                self.ranks[rank].insert(behind, lane);
                self.lanes[at].push(lane);
            }
            beginning[upper] = true;
            ending[lower] = true;
        }
    }

    /// The items on downward paths from one mark to another, including both.
    fn items_between(&self, upper: usize, lower: usize) -> std::collections::BTreeSet<usize> {
        let last = self.items[lower].rank;
        let down = self.reachable_items(upper, |item| &item.below, |rank| rank <= last);
        let first = self.items[upper].rank;
        let up = self.reachable_items(lower, |item| &item.above, |rank| rank >= first);
        let mut between: std::collections::BTreeSet<usize> =
            down.intersection(&up).copied().collect();
        between.extend([upper, lower]);
        between
    }

    fn reachable_items(
        &self,
        from: usize,
        next: impl Fn(&LayoutItem) -> &Vec<usize>,
        within: impl Fn(usize) -> bool,
    ) -> std::collections::BTreeSet<usize> {
        let mut reached = std::collections::BTreeSet::from([from]);
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            for next in next(&self.items[at]) {
                if within(self.items[*next].rank) && reached.insert(*next) {
                    open.push(*next);
                }
            }
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{LabelSize, LayoutEdge, LayoutInput, LayoutPoint, layout};

    fn overlap(left: (LayoutPoint, LabelSize), right: (LayoutPoint, LabelSize)) -> bool {
        (left.0.x - right.0.x).abs() * 2.0 < left.1.width + right.1.width - 0.2
            && (left.0.y - right.0.y).abs() * 2.0 < left.1.height + right.1.height - 0.2
    }

    proptest! {
        #[test]
        fn pictures_have_no_overlaps(
            widths in prop::collection::vec(18.0..160.0f64, 2..14),
            lines in prop::collection::vec((0usize..14, 0usize..14, any::<bool>()), 0..24),
            relations in prop::collection::vec((0usize..14, 0usize..14), 0..8),
        ) {
            let count = widths.len();
            let marks: Vec<LabelSize> =
                widths.iter().map(|width| LabelSize { width: *width, height: 30.0 }).collect();
            let edges: Vec<LayoutEdge> = lines
                .iter()
                .map(|(from, to, label)| LayoutEdge {
                    from: from % count,
                    to: to % count,
                    label: label.then_some(LabelSize { width: 90.0, height: 20.0 }),
                })
                .collect();
            let relations: Vec<(usize, usize)> =
                relations.iter().map(|(from, to)| (from % count, to % count)).collect();
            let input = LayoutInput { marks, edges, relations };
            let layout = layout(&input).expect("little work");
            let mut boxes: Vec<(LayoutPoint, LabelSize)> =
                layout.marks.iter().copied().zip(input.marks.iter().copied()).collect();
            // Several labels of edges from one mark to itself would overlap.
            let labels = layout.edges.iter().zip(&input.edges).filter(|(_, edge)| edge.from != edge.to);
            boxes.extend(labels.filter_map(|(route, edge)| Some((route.label?, edge.label?))));
            for (at, one) in boxes.iter().enumerate() {
                prop_assert!(one.0.x - one.1.width / 2.0 > -0.1);
                prop_assert!(one.0.x + one.1.width / 2.0 < layout.width + 0.1);
                for other in &boxes[..at] {
                    prop_assert!(!overlap(*one, *other), "{one:?} {other:?}",
                        one = (one.0, one.1.width), other = (other.0, other.1.width));
                }
            }
        }
    }
}
