//! What a status other than 200 means for the call.

use std::time::Duration;

use hyper::header::{self, HeaderMap};
use hyper::{StatusCode, Uri};
use serde_json::Value;

use crate::provider::{CallFailure, FailureKind, wire};

/// The most letters of an endpoint's own words that are shown.
const MOST: usize = 300;

pub fn failure(status: StatusCode, headers: &HeaderMap, body: &str, host: &str) -> CallFailure {
    if status.is_redirection() {
        return redirected(headers, host);
    }
    let parsed: Option<Value> = serde_json::from_str(body).ok();
    let kind = kind(status, parsed.as_ref());
    let said = parsed.as_ref().and_then(wire::said);
    let message = match said {
        Some(said) => format!("{status}: {}", said.chars().take(MOST).collect::<String>()),
        None => status.to_string(),
    };
    CallFailure { kind, message, wait: wait(headers) }
}

fn kind(status: StatusCode, body: Option<&Value>) -> FailureKind {
    match status.as_u16() {
        401 | 403 | 404 => FailureKind::Refused,
        // Some say with 429 that the account is empty, which no waiting mends.
        429 if code(body) == Some("insufficient_quota") => FailureKind::Refused,
        429 | 503 | 529 => FailureKind::Overloaded,
        408 | 409 | 425 => FailureKind::Passing,
        501 | 505 => FailureKind::Permanent,
        500.. => FailureKind::Passing,
        _ => FailureKind::Permanent,
    }
}

fn code(body: Option<&Value>) -> Option<&str> {
    body?.pointer("/error/code")?.as_str()
}

/// No redirect is followed: the key would go along.
fn redirected(headers: &HeaderMap, host: &str) -> CallFailure {
    let to = headers.get(header::LOCATION).and_then(|to| to.to_str().ok()).unwrap_or_default();
    let to = to.parse::<Uri>().ok();
    let other = to.as_ref().and_then(|to| to.authority()).filter(|to| to.as_str() != host);
    let message = match (other, &to) {
        (Some(other), _) => {
            format!("{host} sends requests on to {other}, and the key does not follow")
        }
        // Another path, or `https` instead of `http`.
        (None, Some(to)) => {
            let scheme = to.scheme_str().map(|scheme| format!("{scheme}://{host}"));
            let place = format!("{}{}", scheme.unwrap_or_default(), to.path());
            format!("{host} sends requests on to {place}, and redirects are not followed")
        }
        (None, None) => format!("{host} sends requests on, and redirects are not followed"),
    };
    CallFailure::new(
        FailureKind::Refused,
        format!("{message}; set the base address to where the API is"),
    )
}

/// What `Retry-After` asks for: seconds, or a date.
#[expect(clippy::disallowed_methods, reason = "a date to wait for is told by the clock")]
fn wait(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(wait) = text("retry-after-ms").and_then(|wait| wait.parse().ok()) {
        return Some(Duration::from_millis(wait));
    }
    let after = text("retry-after")?;
    let seconds = after.parse().ok().and_then(|wait| Duration::try_from_secs_f64(wait).ok());
    seconds.or_else(|| {
        let date = httpdate::parse_http_date(after).ok()?;
        Some(date.duration_since(std::time::SystemTime::now()).unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: u16, name: &'static str, value: &str, body: &str) -> CallFailure {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        failure(StatusCode::from_u16(status).unwrap(), &headers, body, "here")
    }

    #[test]
    fn waits_as_it_is_told() {
        let wait = |name, value| of(429, name, value, "").wait;
        assert_eq!(wait("retry-after", "2"), Some(Duration::from_secs(2)));
        assert_eq!(wait("retry-after", "0.5"), Some(Duration::from_millis(500)));
        assert_eq!(wait("retry-after-ms", "30"), Some(Duration::from_millis(30)));
        let past = "Sun, 06 Nov 1994 08:49:37 GMT";
        assert_eq!(wait("retry-after", past), Some(Duration::ZERO));
        assert_eq!(wait("retry-after", "soon"), None);
        assert_eq!(wait("retry-after", "-1"), None);
    }

    #[test]
    fn what_may_pass_and_what_not() {
        let kind = |status| of(status, "x", "y", "").kind;
        use FailureKind::*;
        for (status, expected) in [
            (400, Permanent),
            (401, Refused),
            (404, Refused),
            (408, Passing),
            (422, Permanent),
            (429, Overloaded),
            (500, Passing),
            (501, Permanent),
            (503, Overloaded),
            (529, Overloaded),
        ] {
            assert_eq!(kind(status), expected, "{status}");
        }
        let empty = r#"{"error":{"code":"insufficient_quota","message":"pay  first"}}"#;
        let failure = of(429, "x", "y", empty);
        assert_eq!(failure.kind, Refused);
        assert_eq!(failure.message, "429 Too Many Requests: pay first");
    }

    #[test]
    fn no_redirect_is_followed() {
        let failure = of(307, "location", "https://elsewhere.example/v1?k=1", "");
        assert_eq!(failure.kind, FailureKind::Refused);
        assert!(failure.message.contains("elsewhere.example, and the key does not follow"));
        for (to, told) in [
            ("/v2/chat?k=1", "here sends requests on to /v2/chat, and redirects"),
            ("https://here/v1", "sends requests on to https://here/v1, and redirects"),
            ("", "here sends requests on, and redirects"),
        ] {
            let failure = of(308, "location", to, "");
            assert_eq!(failure.kind, FailureKind::Refused);
            assert!(failure.message.contains(told), "{}", failure.message);
            assert!(failure.message.contains("set the base address"));
        }
    }
}
