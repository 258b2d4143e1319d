//! Times as inspect_ai writes them.

/// `2026-11-23T18:41:01.250+00:00`, from milliseconds since 1970.
pub(super) fn utc(milliseconds: i64) -> String {
    let [year, month, day, hour, minute, second, rest] = parts(milliseconds);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{rest:03}+00:00")
}

/// The same for the name of a file, to the second: `2026-11-23T18-41-01`.
pub(super) fn for_name(milliseconds: i64) -> String {
    let [year, month, day, hour, minute, second, _] = parts(milliseconds);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}-{minute:02}-{second:02}")
}

fn parts(milliseconds: i64) -> [i64; 7] {
    const DAY: i64 = 86_400_000;
    let (days, rest) = (milliseconds.div_euclid(DAY), milliseconds.rem_euclid(DAY));
    // Days of the Gregorian calendar in periods of 400 years, with years that begin in March.
    let days = days + 719_468;
    let (period, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = period * 400 + year + i64::from(month <= 2);
    [year, month, day, rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60, rest % 1_000]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leap_years_and_times_before_1970() {
        for (milliseconds, wanted) in [
            (0, "1970-01-01T00:00:00.000+00:00"),
            (-1, "1969-12-31T23:59:59.999+00:00"),
            (951_782_400_000, "2000-02-29T00:00:00.000+00:00"),
            (1_709_251_199_500, "2024-02-29T23:59:59.500+00:00"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000+00:00"),
        ] {
            assert_eq!(utc(milliseconds), wanted);
        }
        assert_eq!(for_name(1_709_251_199_500), "2024-02-29T23-59-59");
    }
}
