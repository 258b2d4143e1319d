//! Horizontal positions: close to the neighbours above and below, at the minimum distance from
//! those in the row.

use super::{LayoutItemKind, RankGrid};
use ifs_base::work::{self, Task};

const PLACEMENT_SWEEPS: usize = 40;

/// The centres of the items, with the leftmost edge at 0.
pub(super) fn horizontal_positions(grid: &RankGrid) -> Vec<f64> {
    let mut x = vec![0.0; grid.items.len()];
    for row in &grid.ranks {
        let offsets = offsets(grid, row);
        let mut marks = row
            .iter()
            .zip(&offsets)
            .filter(|(item, _)| grid.items[**item].kind != LayoutItemKind::Lane);
        let width = marks.next_back().map_or(0.0, |(_, offset)| *offset);
        for (item, offset) in row.iter().zip(&offsets) {
            x[*item] = offset - width / 2.0;
        }
    }
    let lane_of = lane_of(grid);
    let before = items_before(grid);
    for sweep in 0..PLACEMENT_SWEEPS {
        if work::is_exhausted() {
            return x;
        }
        let count = grid.ranks.len();
        for step in 0..count {
            let downwards = sweep % 2 == 0;
            let rank = if downwards { step } else { count - 1 - step };
            settle_rank(grid, (rank, downwards), (&lane_of, &before), &mut x);
        }
    }
    let columns: Vec<Vec<usize>> = columns(grid).into_iter().chain(grid.lanes.clone()).collect();
    // Columns that cross cannot both be straight; then only the lanes are.
    if !straighten(grid, &columns, &mut x) {
        straighten(grid, &grid.lanes, &mut x);
    }
    let left =
        grid.items.iter().zip(&x).map(|(item, x)| x - item.left).fold(f64::INFINITY, f64::min);
    if left.is_finite() {
        x.iter_mut().for_each(|x| *x -= left);
    }
    x
}

/// Whether two items are each other's only successor and predecessor.
fn linked(grid: &RankGrid, above: usize, below: usize) -> bool {
    grid.items[above].below.len() == 1 && grid.items[below].above.len() == 1
}

/// Chains of such items, from top to bottom.
fn columns(grid: &RankGrid) -> Vec<Vec<usize>> {
    let mut columns: Vec<Vec<usize>> = Vec::new();
    let mut column_of: Vec<Option<usize>> = vec![None; grid.items.len()];
    for item in grid.ranks.iter().flatten().copied() {
        if grid.items[item].kind == LayoutItemKind::Lane {
            continue;
        }
        let column = match grid.items[item].above[..] {
            [above] if linked(grid, above, item) => column_of[above],
            _ => None,
        };
        let column = column.unwrap_or_else(|| {
            columns.push(Vec::new());
            columns.len() - 1
        });
        column_of[item] = Some(column);
        columns[column].push(item);
    }
    columns
}

/// Moves items to the right until each column is straight and all distances are kept. Returns
/// whether that is possible; otherwise nothing is moved.
fn straighten(grid: &RankGrid, columns: &[Vec<usize>], x: &mut Vec<f64>) -> bool {
    const MAX_ROUNDS: usize = 60;
    let before = x.clone();
    for _ in 0..MAX_ROUNDS {
        if !work::spend(Task::Layout, grid.items.len() as u64 / 4) {
            break;
        }
        let mut moved = false;
        let mut raise = |place: &mut f64, to: f64| {
            if to > *place + 0.01 {
                *place = to;
                moved = true;
            }
        };
        for column in columns {
            let place = column.iter().map(|item| x[*item]).fold(f64::NEG_INFINITY, f64::max);
            column.iter().for_each(|item| raise(&mut x[*item], place));
        }
        for row in &grid.ranks {
            for pair in row.windows(2) {
                if let [left, right] = pair {
                    let place = x[*left] + distance(grid, *left, *right);
                    raise(&mut x[*right], place);
                }
            }
        }
        if !moved {
            return true;
        }
    }
    *x = before;
    false
}

/// The minimum offset of each item from the first item of its row.
fn offsets(grid: &RankGrid, row: &[usize]) -> Vec<f64> {
    let mut offsets = Vec::with_capacity(row.len());
    let mut at = 0.0;
    for (place, item) in row.iter().enumerate() {
        if let Some(before) = place.checked_sub(1).map(|before| row[before]) {
            at += distance(grid, before, *item);
        }
        offsets.push(at);
    }
    offsets
}

fn distance(grid: &RankGrid, left: usize, right: usize) -> f64 {
    let (left, right) = (&grid.items[left], &grid.items[right]);
    let gap = match (left.kind, right.kind) {
        (LayoutItemKind::Lane, LayoutItemKind::Lane) => 8.0,
        (_, LayoutItemKind::Lane) => 18.0,
        (LayoutItemKind::Bend, LayoutItemKind::Bend) => 14.0,
        (
            LayoutItemKind::Mark
            | LayoutItemKind::Bend
            | LayoutItemKind::Label
            | LayoutItemKind::Lane,
            _,
        ) => 22.0,
    };
    left.right + gap + right.left
}

fn lane_of(grid: &RankGrid) -> Vec<Option<usize>> {
    let mut of = vec![None; grid.items.len()];
    for (lane, items) in grid.lanes.iter().enumerate() {
        items.iter().for_each(|item| of[*item] = Some(lane));
    }
    of
}

/// The item to the left of each in its row.
fn items_before(grid: &RankGrid) -> Vec<Option<usize>> {
    let mut before = vec![None; grid.items.len()];
    for pair in grid.ranks.iter().flat_map(|row| row.windows(2)) {
        if let [left, right] = pair {
            before[*right] = Some(*left);
        }
    }
    before
}

/// Moves the items of a rank to their desired positions as far as the distances allow: least
/// squares under an order, by pooling adjacent violators.
fn settle_rank(
    grid: &RankGrid,
    (rank, downwards): (usize, bool),
    (lane_of, before): (&[Option<usize>], &[Option<usize>]),
    x: &mut [f64],
) {
    struct Pool {
        sum: f64,
        weight: f64,
        count: usize,
    }
    let row = &grid.ranks[rank];
    if !work::spend(Task::Layout, row.len() as u64) {
        return;
    }
    let offsets = offsets(grid, row);
    let mut pools: Vec<Pool> = Vec::with_capacity(row.len());
    for (item, offset) in row.iter().zip(&offsets) {
        let (wanted, weight) = match lane_of[*item] {
            Some(lane) => (lane_place(grid, &grid.lanes[lane], before, x), 1.0),
            None => preferred_position(grid, *item, downwards, x),
        };
        pools.push(Pool { sum: (wanted - offset) * weight, weight, count: 1 });
        while let [.., before, last] = &pools[..]
            && before.sum * last.weight > last.sum * before.weight
        {
            let (sum, weight, count) = (last.sum, last.weight, last.count);
            pools.pop();
            if let Some(before) = pools.last_mut() {
                before.sum += sum;
                before.weight += weight;
                before.count += count;
            }
        }
    }
    let mut places = row.iter().zip(&offsets);
    for pool in pools {
        let place = pool.sum / pool.weight;
        for (item, offset) in places.by_ref().take(pool.count) {
            x[*item] = place + offset;
        }
    }
}

/// The mean of the neighbours; columns should be straight.
fn preferred_position(grid: &RankGrid, item: usize, downwards: bool, x: &[f64]) -> (f64, f64) {
    const STRAIGHT_WEIGHT: f64 = 16.0;
    let own = &grid.items[item];
    let behind = if downwards { &own.above } else { &own.below };
    if let [next] = behind[..] {
        let (above, below) = if downwards { (next, item) } else { (item, next) };
        if linked(grid, above, below) {
            return (x[next], STRAIGHT_WEIGHT);
        }
    }
    let (mut sum, mut weight) = (0.0, 0.0);
    let pairs = own.above.iter().map(|next| (*next, linked(grid, *next, item)));
    for (next, linked) in
        pairs.chain(own.below.iter().map(|next| (*next, linked(grid, item, *next))))
    {
        let pull = if linked { STRAIGHT_WEIGHT } else { 1.0 };
        sum += x[next] * pull;
        weight += pull;
    }
    if weight > 0.0 { (sum / weight, weight) } else { (x[item], 1.0) }
}

/// The leftmost position that is possible for all items of a lane.
fn lane_place(grid: &RankGrid, lane: &[usize], before: &[Option<usize>], x: &[f64]) -> f64 {
    work::spend(Task::Layout, lane.len() as u64 / 4);
    lane.iter()
        .filter_map(|item| before[*item].map(|before| x[before] + distance(grid, before, *item)))
        .fold(f64::NEG_INFINITY, f64::max)
        .max(-1e9)
}
