//! A Merkle tree over salted hashes of dialogues, so that one of them can be shown to be in a set
//! without the others (RFC 9162, section 2.1, with BLAKE3).

use blake3::Hash;

/// The hash of bytes, in hexadecimal digits.
pub fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// The hash of a concatenation.
#[derive(Default)]
pub struct Hasher(blake3::Hasher);

impl Hasher {
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub fn finish(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}

/// The prefixes of leaves and inner nodes, so that no leaf can be presented as a node.
const LEAF_PREFIX: u8 = 0;
const NODE_PREFIX: u8 = 1;

/// The leaf of a dialogue's line.
pub fn leaf(salt: &[u8; 32], line: &[u8]) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[LEAF_PREFIX]);
    hasher.update(salt);
    hasher.update(line);
    hasher.finalize()
}

fn node(left: Hash, right: Hash) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[NODE_PREFIX]);
    hasher.update(left.as_bytes());
    hasher.update(right.as_bytes());
    hasher.finalize()
}

/// The root: the leaf itself for one leaf, the hash of the empty string for none.
pub fn root(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => blake3::hash(b""),
        [one] => *one,
        leaves => {
            let (left, right) = leaves.split_at(split(leaves.len()));
            node(root(left), root(right))
        }
    }
}

/// The largest power of two below a count.
fn split(count: usize) -> usize {
    count.next_power_of_two() / 2
}

/// The hashes that lead from a leaf to the root, from below.
pub fn path(leaves: &[Hash], at: usize) -> Vec<Hash> {
    if leaves.len() <= 1 {
        return Vec::new();
    }
    let middle = split(leaves.len());
    let (left, right) = leaves.split_at(middle);
    if at < middle {
        let mut path = path(left, at);
        path.push(root(right));
        path
    } else {
        let mut path = path(right, at - middle);
        path.push(root(left));
        path
    }
}

/// The root that a leaf at a place among `count` leads to by a path; `None` if the path does not
/// have the length of the place.
pub fn climb(leaf: Hash, at: usize, count: usize, path: &[Hash]) -> Option<Hash> {
    if at >= count {
        return None;
    }
    if count == 1 {
        return path.is_empty().then_some(leaf);
    }
    let (last, below) = path.split_last()?;
    let middle = split(count);
    if at < middle {
        Some(node(climb(leaf, at, middle, below)?, *last))
    } else {
        Some(node(*last, climb(leaf, at - middle, count - middle, below)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_leaf_leads_to_the_root_and_no_other_does() {
        for count in 1..40 {
            let leaves: Vec<Hash> =
                (0..count).map(|at: u64| leaf(&[7; 32], &at.to_le_bytes())).collect();
            let top = root(&leaves);
            for (at, one) in leaves.iter().enumerate() {
                let path = path(&leaves, at);
                assert_eq!(climb(*one, at, leaves.len(), &path), Some(top));
                assert_ne!(climb(leaf(&[8; 32], b"other"), at, leaves.len(), &path), Some(top));
                let elsewhere = (at + 1) % leaves.len();
                if leaves.len() > 1 {
                    assert_ne!(climb(*one, elsewhere, leaves.len(), &path), Some(top));
                }
                assert_eq!(climb(*one, leaves.len(), leaves.len(), &path), None);
            }
        }
        assert_ne!(root(&[]), root(&[leaf(&[7; 32], b"")]));
    }
}
