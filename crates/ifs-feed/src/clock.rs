//! Game times, in milliseconds.

/// Parses a clock: `9:32`, `49.0`, `59.0"`, `PT11M38.00S`, `00:18:11.954`; or a date with a time of
/// day, as milliseconds since 1970: `2024-05-01T09:30:00Z`, `2024-05-01 09:30`.
pub fn parse_clock(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix("PT") {
        let (minutes, rest) = rest.split_once('M').unwrap_or(("0", rest));
        return minutes_and_seconds(minutes, rest.strip_suffix('S')?);
    }
    let text = text.strip_suffix('"').unwrap_or(text);
    if text.len() > 10 && text.as_bytes().get(4) == Some(&b'-') {
        return date(text);
    }
    let mut parts = text.split(':');
    match (parts.next()?, parts.next(), parts.next(), parts.next()) {
        (seconds, None, ..) => seconds_of(seconds),
        (minutes, Some(seconds), None, _) => minutes_and_seconds(minutes, seconds),
        (hours, Some(minutes), Some(seconds), None) => {
            let minutes = parse_integer(minutes).filter(|minutes| *minutes < 60)?;
            let hours = parse_integer(hours)?.checked_mul(60)?.checked_add(minutes)?;
            below_a_minute(seconds)?.checked_add(hours.checked_mul(60_000)?)
        }
        _ => None,
    }
}

fn minutes_and_seconds(minutes: &str, seconds: &str) -> Option<i64> {
    below_a_minute(seconds)?.checked_add(parse_integer(minutes)?.checked_mul(60_000)?)
}

fn below_a_minute(text: &str) -> Option<i64> {
    seconds_of(text).filter(|seconds| *seconds < 60_000)
}

fn parse_integer(text: &str) -> Option<i64> {
    if text.is_empty() || text.len() > 15 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// Numbers of this size or larger are milliseconds since 1970.
const EPOCH_MILLISECONDS: i64 = 100_000_000_000;

/// Parses seconds with up to three decimals; further ones are truncated.
fn seconds_of(text: &str) -> Option<i64> {
    let (seconds, decimals) = text.split_once('.').unwrap_or((text, "0"));
    if decimals.is_empty() || !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut unit = 100;
    let mut milliseconds = 0;
    for digit in decimals.bytes().take(3) {
        milliseconds += i64::from(digit - b'0') * unit;
        unit /= 10;
    }
    let seconds = parse_integer(seconds)?;
    // A time in seconds reaches this value only in the year 5138, so larger numbers are
    // milliseconds since 1970.
    if seconds >= EPOCH_MILLISECONDS {
        return Some(seconds);
    }
    seconds.checked_mul(1000)?.checked_add(milliseconds)
}

/// Parses `2024-05-01T09:30:00.5Z`, or `2024-05-01 09:30`, optionally followed by `+02:00`.
fn date(text: &str) -> Option<i64> {
    let (day, rest) = (text.get(..10)?, text.get(11..)?);
    if !matches!(text.as_bytes().get(10), Some(b'T' | b' ')) {
        return None;
    }
    let mut parts = day.split('-').map(parse_integer);
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let rest = rest.strip_suffix('Z').unwrap_or(rest);
    let (time, zone) = match rest.find(['+', '-']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let mut parts = time.splitn(3, ':');
    let (hour, minute) = (parse_integer(parts.next()?)?, parse_integer(parts.next()?)?);
    let seconds = parts.next().map_or(Some(0), below_a_minute)?;
    if hour > 24 || minute > 59 {
        return None;
    }
    let zone = match zone.split_at_checked(1) {
        None => 0,
        Some((sign, zone)) => {
            let (hours, minutes) = zone.split_once(':').unwrap_or(zone.split_at_checked(2)?);
            let minutes = if minutes.is_empty() { 0 } else { parse_integer(minutes)? };
            let offset = parse_integer(hours)? * 60 + minutes;
            if sign == "-" { -offset } else { offset }
        }
    };
    // Days since 1970 in the Gregorian calendar, with years that begin in March.
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (month * 306 + 5) / 10 + day - 1;
    Some(((days - 719_468) * 1440 + hour * 60 + minute - zone) * 60_000 + seconds)
}

/// A time as a scoreboard shows it: `9:32`, or `0:49.5` with tenths.
pub fn clock_text(milliseconds: i64) -> String {
    let sign = if milliseconds < 0 { "-" } else { "" };
    let milliseconds = milliseconds.unsigned_abs();
    let (minutes, seconds) = (milliseconds / 60_000, milliseconds / 1000 % 60);
    let rest = format!("{:03}", milliseconds % 1000);
    match rest.trim_end_matches('0') {
        "" => format!("{sign}{minutes}:{seconds:02}"),
        rest => format!("{sign}{minutes}:{seconds:02}.{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_of_all_sources() {
        let known = [
            ("9:32", 572_000),
            ("49.0", 49_000),
            ("0.0", 0),
            ("59.0\"", 59_000),
            ("PT11M38.50S", 698_500),
            ("20:00", 1_200_000),
            ("00:18:11.954", 1_091_954),
            ("00:00.0", 0),
            ("1970-01-02T00:00:01Z", 86_401_000),
            ("2024-02-29 12:00", 1_709_208_000_000),
            ("2024-02-29T12:00:00+02:00", 1_709_200_800_000),
        ];
        for (text, time) in known {
            assert_eq!(parse_clock(text), Some(time), "{text}");
        }
        for wrong in
            ["", ":", "9:60", "9:5x", "-1:00", "12:", "2月7日", "1:2:3:4", "2024-13-01 00:00"]
        {
            assert_eq!(parse_clock(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn times_read_back() {
        assert_eq!(clock_text(572_000), "9:32");
        assert_eq!(clock_text(49_500), "0:49.5");
        for time in [0, 999, 60_000, 719_900] {
            assert_eq!(parse_clock(&clock_text(time)), Some(time));
        }
    }
}
