//! The search for a minimal set of parts.

use std::collections::BTreeSet;

use ifs_draw::{DialoguePiece, DialoguePieces};

/// Takes parts away while the rest fails: first all of them, then halves, and so on, until no single
/// part can be taken away, with what depends on it. Returns what is left, and why the search
/// stopped before that.
pub fn minimize<E>(
    pieces: &DialoguePieces,
    fixed: &BTreeSet<DialoguePiece>,
    all: BTreeSet<DialoguePiece>,
    mut fails: impl FnMut(&BTreeSet<DialoguePiece>) -> Result<bool, E>,
) -> (BTreeSet<DialoguePiece>, Option<E>) {
    let mut kept = pieces.consistent(all);
    let mut size = kept.len().max(1);
    loop {
        let mut smaller = false;
        let mut at = 0;
        loop {
            let open: Vec<DialoguePiece> = kept.difference(fixed).cloned().collect();
            let Some(chunk) = open.get(at..).filter(|left| !left.is_empty()) else { break };
            let chunk: BTreeSet<DialoguePiece> = chunk.iter().take(size).cloned().collect();
            let rest = pieces.consistent(kept.difference(&chunk).cloned().collect());
            let failed = match fixed.is_subset(&rest) {
                true => fails(&rest),
                false => Ok(false),
            };
            match failed {
                Ok(true) => (kept, smaller) = (rest, true),
                Ok(false) => at += size,
                Err(stop) => return (kept, Some(stop)),
            }
        }
        if size == 1 && !smaller {
            return (kept, None);
        }
        size = (size / 2).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(numbers: &[u32]) -> BTreeSet<DialoguePiece> {
        numbers.iter().map(|turn| DialoguePiece::Turn(*turn)).collect()
    }

    fn pieces_of_turns(last: u32) -> DialoguePieces {
        let mut pieces = DialoguePieces::default();
        pieces.last = last;
        pieces
    }

    #[test]
    fn shrinking_keeps_the_cause() {
        let pieces = pieces_of_turns(40);
        let needed = turns(&[3, 17, 18, 40]);
        let mut tests = 0;
        let (kept, stopped) = minimize(&pieces, &turns(&[40]), pieces.all(), |kept| {
            tests += 1;
            Ok::<bool, ()>(needed.is_subset(kept))
        });
        assert_eq!((kept, stopped), (needed, None));
        assert!(tests < 60, "{tests}");
    }

    #[test]
    fn results_before_a_stop_are_kept() {
        let pieces = pieces_of_turns(8);
        let mut left = 3;
        let (kept, stopped) = minimize(&pieces, &turns(&[8]), pieces.all(), |kept| {
            left -= 1;
            if left == 0 { Err("spent") } else { Ok(kept.contains(&DialoguePiece::Turn(7))) }
        });
        assert_eq!((kept, stopped), (turns(&[5, 6, 7, 8]), Some("spent")));
    }
}
