//! Parts of a run: a shard has every n-th dialogue of a selection.

use serde::{Deserialize, Serialize};

use super::selection::Selection;

/// A part of a run: the `index`-th of `of`, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Shard {
    pub index: u32,
    pub of: u32,
}

/// The maximum number of shards.
const MAX_SHARDS: u32 = 100_000;

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        const SHARD_FORM: &str = "a shard is written `1/4`, the first of four";
        let (index, of) = text.split_once('/').ok_or(SHARD_FORM)?;
        let number = |text: &str| text.parse::<u32>().map_err(|_| SHARD_FORM.to_owned());
        let shard = Shard { index: number(index)?, of: number(of)? };
        match shard {
            Shard { of: 0, .. } => Err("there is no run of 0 shards; write `1/1`".to_owned()),
            Shard { of, .. } if of > MAX_SHARDS => {
                Err(format!("a run has at most {MAX_SHARDS} shards"))
            }
            Shard { index, of } if !(1..=of).contains(&index) => {
                Err(format!("shards of {of} are `1/{of}` to `{of}/{of}`, and this is `{text}`"))
            }
            shard => Ok(shard),
        }
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl Shard {
    /// Whether the item at a position, from 0, is in the shard.
    pub fn contains(self, at: u64) -> bool {
        at % u64::from(self.of) == u64::from(self.index) - 1
    }

    /// Leaves the dialogues of other shards out.
    pub fn select(self, selection: &mut Selection) {
        let mut at = 0..;
        selection.dialogues.retain(|_| at.next().is_some_and(|at| self.contains(at)));
    }
}

#[cfg(test)]
mod tests {
    use super::Shard;

    #[test]
    fn a_shard_is_written_as_a_share() {
        assert_eq!("2/3".parse(), Ok(Shard { index: 2, of: 3 }));
        for (wrong, part) in [
            ("0/3", "`1/3` to `3/3`"),
            ("4/3", "this is `4/3`"),
            ("1/0", "0 shards"),
            ("2", "`1/4`"),
            ("a/b", "`1/4`"),
            ("1/999999", "at most 100000"),
        ] {
            let error = wrong.parse::<Shard>().unwrap_err();
            assert!(error.contains(part), "{wrong}: {error}");
        }
    }

    #[test]
    fn every_position_is_in_one_shard() {
        for of in 1..=7 {
            for at in 0..50 {
                let owners =
                    (1..=of).filter(|index| Shard { index: *index, of }.contains(at)).count();
                assert_eq!(owners, 1);
            }
        }
    }
}
