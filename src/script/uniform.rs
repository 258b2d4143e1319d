//! Integers in a range, from draws of 64 bits: part of what fixes a script, so no library
//! decides how it is done.
//!
//! Canon's method: the draw is multiplied by the range and the upper half is the number. Where the
//! lower half says that a more exact draw could have come to the next number, one more draw
//! decides. A number is then more likely than another by at most one part in 2^64.

/// A number below `range`. There is none below 0: it gives 0.
pub fn below(range: u64, mut draw: impl FnMut() -> u64) -> u64 {
    if range == 0 {
        return 0;
    }
    let (number, rest) = halves(u128::from(draw()) * u128::from(range));
    if rest <= range.wrapping_neg() {
        return number;
    }
    let (more, _) = halves(u128::from(draw()) * u128::from(range));
    number + u64::from(rest.checked_add(more).is_none())
}

/// The same from draws of 128 bits, the lower half first.
pub fn below_wide(range: u128, mut draw: impl FnMut() -> u64) -> u128 {
    if range == 0 {
        return 0;
    }
    let mut wide = || u128::from(draw()) | u128::from(draw()) << 64;
    let (number, rest) = product(wide(), range);
    if rest <= range.wrapping_neg() {
        return number;
    }
    let (more, _) = product(wide(), range);
    number + u128::from(rest.checked_add(more).is_none())
}

/// The upper and the lower half.
fn halves(number: u128) -> (u64, u64) {
    ((number >> 64) as u64, number as u64)
}

/// A product of 256 bits: its upper and its lower half.
fn product(one: u128, other: u128) -> (u128, u128) {
    let ((one_high, one_low), (other_high, other_low)) = (halves(one), halves(other));
    let of = |one: u64, other: u64| u128::from(one) * u128::from(other);
    let low = of(one_low, other_low);
    let (first, second) = (of(one_low, other_high), of(one_high, other_low));
    let middle = (low >> 64) + u128::from(first as u64) + u128::from(second as u64);
    let high = of(one_high, other_high) + (first >> 64) + (second >> 64) + (middle >> 64);
    (high, middle << 64 | u128::from(low as u64))
}

#[cfg(test)]
mod tests {
    use rand::{Rng, RngExt, SeedableRng};
    use rand_xoshiro::SplitMix64;

    use super::{below, below_wide, product};

    /// Which numbers come out is part of edition 1: a change here changes every script.
    #[test]
    fn golden_numbers() {
        let mut rng = SplitMix64::from_seed(7u64.to_le_bytes());
        let small = [1, 2, 3, 10, 1 << 40, u64::MAX].map(|range| below(range, || rng.next_u64()));
        assert_eq!(small, SMALL);
        let wide = [1, 3, 1 << 70, u128::MAX].map(|range| below_wide(range, || rng.next_u64()));
        assert_eq!(wide, WIDE);
    }

    const SMALL: [u64; 6] = [0, 0, 2, 5, 497_465_124_458, 4_601_199_455_465_548_305];
    const WIDE: [u128; 4] =
        [0, 0, 1_083_806_229_877_998_015_421, 294_006_572_363_092_710_450_511_893_903_913_870_384];

    /// As `rand` 0.10 draws them, with which the first scripts of edition 1 were drawn.
    #[test]
    fn the_same_as_the_library_gave() {
        let rng = |seed: u64| SplitMix64::from_seed(seed.to_le_bytes());
        for seed in 0..20_000u64 {
            let range = below(u64::MAX >> (seed % 64), || rng(!seed).next_u64()).max(1);
            let mut ours = rng(seed);
            assert_eq!(
                below(range, || ours.next_u64()),
                rng(seed).random_range(0..range),
                "{range}"
            );
            for range in [u128::from(range), u128::MAX >> (seed % 128) | 1, 3 << 126] {
                let mut ours = rng(seed);
                let theirs: u128 = rng(seed).random_range(0..range);
                assert_eq!(below_wide(range, || ours.next_u64()), theirs, "{range}");
            }
        }
    }

    #[test]
    fn products_of_256_bits() {
        assert_eq!(product(u128::MAX, u128::MAX), (u128::MAX - 1, 1));
        assert_eq!(product(1 << 127, 6), (3, 0));
        assert_eq!(product(0, u128::MAX), (0, 0));
        assert_eq!(
            product(u128::from(u64::MAX), u128::from(u64::MAX)),
            (0, (1 << 64) * ((1 << 64) - 2) + 1)
        );
    }
}
