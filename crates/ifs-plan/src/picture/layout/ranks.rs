//! The rank of each mark: the longest path from the start.

use super::LayoutInput;

pub(super) fn ranks(input: &LayoutInput) -> Vec<usize> {
    let count = input.marks.len();
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (at, edge) in input.edges.iter().enumerate() {
        if edge.from != edge.to {
            out[edge.from].push(at);
        }
    }
    let (turned, finished) = walk(input, &out);

    // With back edges reversed, every mark comes before those that are finished earlier.
    let mut down: Vec<Vec<(usize, usize)>> = vec![Vec::new(); count];
    for (at, edge) in input.edges.iter().enumerate().filter(|(_, edge)| edge.from != edge.to) {
        let long = if edge.label.is_some() { 2 } else { 1 };
        let (upper, lower) = if turned[at] { (edge.to, edge.from) } else { (edge.from, edge.to) };
        down[upper].push((lower, long));
    }
    let mut ranks = vec![0; count];
    for upper in finished.into_iter().rev() {
        for (lower, long) in &down[upper] {
            ranks[*lower] = ranks[*lower].max(ranks[upper] + long);
        }
    }
    ranks
}

/// Depth-first search: the back edges, and the marks in the order in which they are finished.
fn walk(input: &LayoutInput, out: &[Vec<usize>]) -> (Vec<bool>, Vec<usize>) {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum VisitState {
        New,
        Open,
        Left,
    }
    let mut states = vec![VisitState::New; out.len()];
    let mut turned = vec![false; input.edges.len()];
    let mut finished = Vec::new();
    for start in 0..out.len() {
        if states[start] != VisitState::New {
            continue;
        }
        states[start] = VisitState::Open;
        let mut path = vec![(start, 0)];
        while let Some((at, next)) = path.last_mut() {
            let Some(edge) = out[*at].get(*next) else {
                states[*at] = VisitState::Left;
                finished.push(*at);
                path.pop();
                continue;
            };
            *next += 1;
            let to = input.edges[*edge].to;
            match states[to] {
                VisitState::New => {
                    states[to] = VisitState::Open;
                    path.push((to, 0));
                }
                VisitState::Open => turned[*edge] = true,
                VisitState::Left => {}
            }
        }
    }
    (turned, finished)
}
