//! Stable hashes of names and places, which are the same on every
//! machine.

/// A hash key that can be extended by names and numbers.
///
/// Not cryptographic. Each step is a bijection that spreads every bit over all
/// others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamKey(u64);

impl StreamKey {
    pub const NONE: StreamKey = StreamKey(0);

    pub fn new(name: &str) -> StreamKey {
        StreamKey::NONE.and(name)
    }

    pub fn and(self, name: &str) -> StreamKey {
        self.and_bytes(name.as_bytes())
    }

    fn and_bytes(self, bytes: &[u8]) -> StreamKey {
        let mut chunks = bytes.chunks_exact(8);
        // The length distinguishes a name from the same name followed by zeros.
        let mut key = self.and_number(bytes.len() as u64);
        for chunk in chunks.by_ref() {
            key = key.and_number(little_endian(chunk));
        }
        match chunks.remainder() {
            [] => key,
            rest => key.and_number(little_endian(rest)),
        }
    }

    pub fn and_number(self, number: u64) -> StreamKey {
        // The odd constant maps zero to something other than zero.
        StreamKey(mix(self.0 ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15))
    }

    pub fn number(self) -> u64 {
        self.0
    }
}

/// Up to eight bytes as a number.
pub fn little_endian(bytes: &[u8]) -> u64 {
    if let Ok(eight) = bytes.try_into() {
        return u64::from_le_bytes(eight);
    }
    // Four from each end, which may overlap.
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let last = u64::from(u32::from_le_bytes(*last));
        return u64::from(u32::from_le_bytes(*first)) | last << (8 * (bytes.len() - 4));
    }
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// A name as a number, for choices among named things.
pub fn name_number(name: &str) -> u64 {
    StreamKey::new(name).number()
}

/// An integer by its digits: the same as `name_number` of its decimal form.
pub fn int_number(number: i64) -> u64 {
    let mut digits = [0; 20];
    let (mut at, mut left) = (digits.len(), number.unsigned_abs());
    loop {
        at -= 1;
        digits[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    if number < 0 {
        at -= 1;
        digits[at] = b'-';
    }
    StreamKey::NONE.and_bytes(&digits[at..]).number()
}

/// Spreads the bits of a number (the finaliser of SplitMix64, Steele et al. 2014).
pub fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_numbers_from_the_lowest() {
        let bytes = [0x81, 2, 0xf3, 4, 5, 0x96, 7, 0xa8];
        for length in 0..=8 {
            let low_first = bytes[..length].iter().rev();
            let number = low_first.fold(0, |number, byte| number * 256 + u64::from(*byte));
            assert_eq!(little_endian(&bytes[..length]), number);
        }
    }

    #[test]
    fn whole_numbers_are_named_by_their_digits() {
        for number in [0, 7, 10, -1, 4_096, i64::MAX, i64::MIN] {
            assert_eq!(int_number(number), name_number(&number.to_string()));
        }
    }

    #[test]
    fn names_have_separate_numbers() {
        let mut seen = std::collections::BTreeSet::new();
        for number in 0..20_000 {
            for name in [format!("{number}"), format!("keyword {number}"), "a".repeat(number % 50)]
            {
                seen.insert((name_number(&name), name));
            }
        }
        let numbers: std::collections::BTreeSet<u64> = seen.iter().map(|(at, _)| *at).collect();
        assert_eq!(numbers.len(), seen.len());
        assert_ne!(StreamKey::new("ab").and("c"), StreamKey::new("a").and("bc"));
        assert_ne!(name_number(""), name_number("\0"));
    }
}
