//! Reproducible random numbers: a generator, and everything that is derived from its draws.
//!
//! Scripts and simulated games depend on every number here, so no library decides how it is
//! computed. The generator is SplitMix64 (Steele et al. 2014), which is fixed by its publication;
//! ranges and shares are derived from its draws below. Golden numbers pin all of it.
//!
//! `rand` is used for what must differ from process to process (the waits before retries, names of
//! temporary files): [`unpredictable`]. Through its traits a test gives the same code a fixed seed.

use std::convert::Infallible;

use rand::{SeedableRng, TryRng};

use crate::stable_hash::mix;

/// A generator, identified by its position in the cycle.
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    place: u64,
}

impl SplitMix64 {
    pub fn new(place: u64) -> SplitMix64 {
        SplitMix64 { place }
    }

    /// The position in the cycle.
    pub fn place(&self) -> u64 {
        self.place
    }

    /// The next 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.place = self.place.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.place)
    }

    /// An integer below `range`, or 0 if `range` is 0.
    ///
    /// Canon's method: the draw is multiplied by the range, and the upper half is the number. If
    /// the lower half shows that a more precise draw could give the next number, one more draw
    /// decides. The bias is at most one part in 2^64.
    pub fn integer_below(&mut self, range: u64) -> u64 {
        if range == 0 {
            return 0;
        }
        let (number, rest) = halves(u128::from(self.draw()) * u128::from(range));
        if rest <= range.wrapping_neg() {
            return number;
        }
        let (more, _) = halves(u128::from(self.draw()) * u128::from(range));
        number + u64::from(rest.checked_add(more).is_none())
    }

    /// The same, with draws of 128 bits, lower half first.
    pub fn below_wide(&mut self, range: u128) -> u128 {
        if range == 0 {
            return 0;
        }
        let (number, rest) = product(self.draw_wide(), range);
        if rest <= range.wrapping_neg() {
            return number;
        }
        let (more, _) = product(self.draw_wide(), range);
        number + u128::from(rest.checked_add(more).is_none())
    }

    fn draw_wide(&mut self) -> u128 {
        u128::from(self.draw()) | u128::from(self.draw()) << 64
    }
}

/// This generator works wherever one of rand's does. What rand makes of its draws may differ
/// between versions of rand, so no script and no score depends on it.
impl TryRng for SplitMix64 {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.draw() >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.draw())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for part in bytes.chunks_mut(size_of::<u64>()) {
            part.copy_from_slice(&self.draw().to_le_bytes()[..part.len()]);
        }
        Ok(())
    }
}

impl SeedableRng for SplitMix64 {
    type Seed = [u8; size_of::<u64>()];

    fn from_seed(seed: Self::Seed) -> SplitMix64 {
        SplitMix64::new(u64::from_le_bytes(seed))
    }

    fn seed_from_u64(seed: u64) -> SplitMix64 {
        SplitMix64::new(seed)
    }
}

/// A generator seeded by the operating system, for what must differ from process to process and
/// occurs in no output.
#[cfg(not(target_family = "wasm"))]
#[expect(clippy::disallowed_methods, reason = "waits and temporary names, never a draw")]
pub fn unpredictable() -> impl rand::Rng {
    rand::make_rng::<rand::rngs::SmallRng>()
}

/// A browser gives no seed without JavaScript: there every generator of a process draws others.
#[cfg(target_family = "wasm")]
pub fn unpredictable() -> impl rand::Rng {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    SplitMix64::new(COUNT.fetch_add(1, Ordering::Relaxed))
}

/// A number in (0, 1] from the upper 53 of 64 bits.
pub fn share(bits: u64) -> f64 {
    ((bits >> 11) + 1) as f64 / (1u64 << 53) as f64
}

/// A waiting time with mean 1 from 64 bits, exponentially distributed. libm's logarithm is the same
/// on every machine.
pub fn wait(bits: u64) -> f64 {
    -libm::log(share(bits))
}

/// The upper and the lower half of a number.
fn halves(number: u128) -> (u64, u64) {
    ((number >> 64) as u64, number as u64)
}

/// The product as 256 bits: its upper and its lower half.
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
    use super::*;

    /// These numbers are part of edition 1: a change here changes every script.
    #[test]
    fn golden_numbers() {
        let mut random = SplitMix64::new(1_234_567);
        // The first outputs of the reference implementation for this seed.
        assert_eq!([(); 3].map(|()| random.draw()), REFERENCE);
        let mut random = SplitMix64::new(7);
        let small = [1, 2, 3, 10, 1 << 40, u64::MAX].map(|range| random.integer_below(range));
        assert_eq!(small, SMALL);
        let wide = [1, 3, 1 << 70, u128::MAX].map(|range| random.below_wide(range));
        assert_eq!(wide, WIDE);
        let bits = 0x123_4567_89ab_cdef;
        assert_eq!([share(bits), wait(bits)].map(f64::to_bits), SHARES);
        assert_eq!((share(u64::MAX), wait(u64::MAX)), (1.0, -0.0));
    }

    const REFERENCE: [u64; 3] =
        [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
    const SMALL: [u64; 6] = [0, 0, 2, 5, 497_465_124_458, 4_601_199_455_465_548_305];
    const WIDE: [u128; 4] =
        [0, 0, 1_083_806_229_877_998_015_421, 294_006_572_363_092_710_450_511_893_903_913_870_384];
    const SHARES: [u64; 2] = [4_571_774_117_729_713_408, 4_617_784_005_365_680_152];

    /// Ranges near the largest need a second draw for about half of all numbers.
    #[test]
    fn ranges_are_sampled_uniformly() {
        let mut random = SplitMix64::new(1);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[random.integer_below(7) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (9_600..10_400).contains(count)), "{counts:?}");
        let high = 3 << 62;
        let low = (0..20_000).filter(|_| random.integer_below(high) < high / 2).count();
        assert!((9_700..10_300).contains(&low), "{low}");
        let high = 3 << 126;
        let low = (0..20_000).filter(|_| random.below_wide(high) < high / 2).count();
        assert!((9_700..10_300).contains(&low), "{low}");
        assert_eq!((random.integer_below(0), random.below_wide(0)), (0, 0));
    }

    /// rand's traits give the same draws as the generator itself.
    #[test]
    fn draws_by_the_traits_of_rand() {
        use rand::Rng as _;
        let mut random = SplitMix64::seed_from_u64(1_234_567);
        assert_eq!([(); 3].map(|()| random.next_u64()), REFERENCE);
        let mut random = SplitMix64::from_seed(1_234_567_u64.to_le_bytes());
        let mut bytes = [0; 11];
        random.fill_bytes(&mut bytes);
        assert_eq!(bytes[..8], REFERENCE[0].to_le_bytes());
        assert_eq!(bytes[8..], REFERENCE[1].to_le_bytes()[..3]);
        assert_eq!(u64::from(random.next_u32()), REFERENCE[2] >> 32);
    }

    #[cfg(not(target_family = "wasm"))]
    #[test]
    fn every_process_draws_for_itself() {
        use rand::Rng as _;
        let [one, other] = [(); 2].map(|()| unpredictable().next_u64());
        assert_ne!(one, other);
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
