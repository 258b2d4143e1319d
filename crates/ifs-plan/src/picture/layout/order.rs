//! The order of the items in each rank: few crossings, by barycentres.

use super::{LayoutItemKind, RankGrid};
use ifs_base::work::{self, Task};

const ORDER_SWEEPS: usize = 12;

pub(super) fn order(grid: &mut RankGrid) {
    let mut places = vec![0.0; grid.items.len()];
    let mut best = grid.ranks.clone();
    let mut fewest = crossings(grid, &mut places);
    for sweep in 0..ORDER_SWEEPS {
        if work::is_exhausted() {
            break;
        }
        let downwards = sweep % 2 == 0;
        let count = grid.ranks.len();
        for step in 0..count {
            let rank = if downwards { step } else { count - 1 - step };
            sort_rank(grid, rank, downwards, &places);
            number(&grid.ranks[rank], &mut places);
        }
        let now = crossings(grid, &mut places);
        if now < fewest {
            fewest = now;
            best.clone_from(&grid.ranks);
        }
    }
    grid.ranks = best;
}

fn number(row: &[usize], places: &mut [f64]) {
    for (place, item) in row.iter().enumerate() {
        // Relative to the middle, so that short rows are centred over long ones.
        places[*item] = place as f64 - (row.len() as f64 - 1.0) / 2.0;
    }
}

fn sort_rank(grid: &mut RankGrid, rank: usize, downwards: bool, places: &[f64]) {
    let mut row = std::mem::take(&mut grid.ranks[rank]);
    let key = |item: &usize| {
        let near = &grid.items[*item];
        let next = if downwards { &near.above } else { &near.below };
        let middle = match next.len() {
            0 => places[*item],
            count => next.iter().map(|next| places[*next]).sum::<f64>() / count as f64,
        };
        // Items that only pass go to the left, since relations run on the right.
        match near.kind {
            LayoutItemKind::Bend => middle - 0.01,
            LayoutItemKind::Mark | LayoutItemKind::Label | LayoutItemKind::Lane => middle,
        }
    };
    row.sort_by(|left, right| key(left).total_cmp(&key(right)));
    grid.ranks[rank] = row;
}

fn crossings(grid: &RankGrid, places: &mut [f64]) -> usize {
    grid.ranks.iter().for_each(|row| number(row, places));
    let mut all = 0;
    for row in &grid.ranks {
        let lines: Vec<(f64, f64)> = row
            .iter()
            .flat_map(|above| grid.items[*above].below.iter().map(move |below| (*above, *below)))
            .map(|(above, below)| (places[above], places[below]))
            .collect();
        let pairs = lines.len() as u64 * lines.len() as u64 / 16;
        if !work::spend(Task::Layout, pairs) {
            return all;
        }
        for (at, left) in lines.iter().enumerate() {
            all += lines[..at]
                .iter()
                .filter(|right| (left.0 - right.0) * (left.1 - right.1) < 0.0)
                .count();
        }
    }
    all
}
