//! The meaning of a status other than 200, and of an error with status 200.

use std::time::Duration;

use hyper::header::{self, HeaderMap};
use hyper::{StatusCode, Uri};
use serde_json::Value;

use crate::provider::{CallFailure, FailureKind};

/// Errors without a number, with the equivalent status.
const NAMED_ERRORS: [(&str, u16); 8] = [
    ("invalid_request_error", 400),
    ("authentication_error", 401),
    ("billing_error", 402),
    ("permission_error", 403),
    ("not_found_error", 404),
    ("rate_limit_error", 429),
    ("RESOURCE_EXHAUSTED", 429),
    ("overloaded_error", 529),
];

pub fn failure(status: StatusCode, headers: &HeaderMap, body: &str, host: &str) -> CallFailure {
    if status.is_redirection() {
        return redirected(headers, host);
    }
    let parsed: Option<Value> = serde_json::from_str(body).ok();
    let wait = retry_after(headers);
    let kind = match (status, wait) {
        // The requests in flight have used up the credit for now.
        (StatusCode::PAYMENT_REQUIRED, Some(_)) => FailureKind::Overloaded,
        (status, _) => kind(status.as_u16(), parsed.as_ref().and_then(error)),
    };
    let said = error_message(parsed.as_ref(), body);
    let name = status.canonical_reason().map(|name| format!(" {name}")).unwrap_or_default();
    let said = said.map(|said| format!(": {said}")).unwrap_or_default();
    let message = format!("{}{name}{said}", status.as_u16());
    CallFailure { kind, message, wait }
}

/// The error in a body with status 200, if there is one, preceded by `what`.
pub fn error_in_body(body: &Value, what: &str) -> Option<CallFailure> {
    let error = error(body)?;
    let number = |code: &Value| code.as_u64().or_else(|| code.as_str()?.parse().ok());
    let status = error.get("code").and_then(number).and_then(|code| u16::try_from(code).ok());
    let named = || {
        let known = |name: &str| NAMED_ERRORS.iter().find(|(known, _)| *known == name);
        let names =
            ["type", "status", "code"].iter().filter_map(|field| error.get(*field)?.as_str());
        names.filter_map(known).map(|(_, status)| *status).next()
    };
    let status = status.filter(|code| (400..600).contains(code)).or_else(named);
    let kind = status.map_or(FailureKind::Passing, |status| kind(status, Some(error)));
    let status = status.map(|status| format!(" ({status})")).unwrap_or_default();
    Some(CallFailure::new(kind, format!("{what}{status}: {}", words_of(error))))
}

/// The error message of the endpoint. HTML pages are ignored.
fn error_message(parsed: Option<&Value>, body: &str) -> Option<String> {
    let Some(parsed) = parsed else {
        let text = body.trim();
        return (!text.is_empty() && !text.starts_with('<')).then(|| text.to_owned());
    };
    let text = |name: &str| parsed.get(name)?.as_str().map(str::to_owned);
    let reported = error(parsed).map(words_of);
    reported.or_else(|| text("message")).or_else(|| text("detail"))
}

/// The error object of a response: of all of it, or of its only choice.
fn error(body: &Value) -> Option<&Value> {
    let places = ["/error", "/0/error", "/choices/0/error"];
    places.iter().filter_map(|place| body.pointer(place)).find(|error| match error {
        Value::String(text) => !text.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => false,
    })
}

/// The message of an error.
fn words_of(error: &Value) -> String {
    let text = error.as_str().or_else(|| error.get("message")?.as_str());
    text.map_or_else(|| error.to_string(), str::to_owned)
}

fn kind(status: u16, error: Option<&Value>) -> FailureKind {
    match status {
        401..=405 | 407 | 410 => FailureKind::Refused,
        // Google's error reason for an invalid key.
        400 if error.is_some_and(|error| reasons(error).any(|it| it == "API_KEY_INVALID")) => {
            FailureKind::Refused
        }
        // Some endpoints use 429 for an exhausted account, for which retries do not help.
        429 if code(error) == Some("insufficient_quota") => FailureKind::Refused,
        429 | 503 | 529 => FailureKind::Overloaded,
        408 | 409 | 425 => FailureKind::Passing,
        501 | 505 => FailureKind::Permanent,
        500.. => FailureKind::Passing,
        _ => FailureKind::Permanent,
    }
}

fn code(error: Option<&Value>) -> Option<&str> {
    error?.get("code")?.as_str()
}

fn reasons(error: &Value) -> impl Iterator<Item = &str> {
    let details = error.get("details").and_then(Value::as_array).into_iter().flatten();
    details.filter_map(|detail| detail.get("reason")?.as_str())
}

/// Redirects are not followed, because the key would be sent along.
fn redirected(headers: &HeaderMap, host: &str) -> CallFailure {
    let to = headers.get(header::LOCATION).and_then(|to| to.to_str().ok()).unwrap_or_default();
    let to = to.parse::<Uri>().ok();
    let other = to.as_ref().and_then(|to| to.authority()).filter(|to| to.as_str() != host);
    let message = match (other, &to) {
        (Some(other), _) => {
            format!("{host} redirects to {other}, and the key is not sent there")
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

/// The delay in `Retry-After`: seconds, or a date.
#[expect(clippy::disallowed_methods, reason = "the time to wait depends on the clock")]
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
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
    fn retry_after_is_respected() {
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
    fn statuses_are_transient_or_permanent() {
        let kind = |status| of(status, "x", "y", "").kind;
        use FailureKind::*;
        for (status, expected) in [
            (400, Permanent),
            (401, Refused),
            (402, Refused),
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
        assert_eq!(failure.message, "429 Too Many Requests: pay  first");
        assert_eq!(of(402, "retry-after", "3", "").kind, Overloaded);
        let key =
            r#"{"error":{"code":400,"message":"no","details":[{"reason":"API_KEY_INVALID"}]}}"#;
        assert_eq!(of(400, "x", "y", key).kind, Refused);
    }

    #[test]
    fn endpoint_messages_are_shown() {
        let message = |status, body| of(status, "x", "y", body).message;
        assert_eq!(message(404, r#"{"detail":"Not here"}"#), "404 Not Found: Not here");
        assert_eq!(message(400, r#"{"message":"too long"}"#), "400 Bad Request: too long");
        assert_eq!(message(502, "no upstream"), "502 Bad Gateway: no upstream");
        assert_eq!(message(502, "<html>no upstream</html>"), "502 Bad Gateway");
        assert_eq!(message(529, r#"{"error":"busy"}"#), "529: busy");
    }

    #[test]
    fn errors_that_come_with_status_200() {
        use FailureKind::*;
        for (body, expected) in [
            (r#"{"error":{"code":402,"message":"no"}}"#, Refused),
            (r#"{"error":{"code":"429","message":"no"}}"#, Overloaded),
            (r#"{"error":{"code":400,"message":"no"},"choices":[]}"#, Permanent),
            (r#"{"error":{"message":"no"}}"#, Passing),
            (r#"{"error":"no"}"#, Passing),
            (r#"{"type":"error","error":{"type":"overloaded_error","message":"no"}}"#, Overloaded),
            (r#"[{"error":{"status":"RESOURCE_EXHAUSTED","message":"no"}}]"#, Overloaded),
            (r#"{"choices":[{"error":{"code":502,"message":"no"}}]}"#, Passing),
        ] {
            let failure = error_in_body(&serde_json::from_str(body).unwrap(), "instead").unwrap();
            assert_eq!(failure.kind, expected, "{body}");
            assert!(failure.message.ends_with(": no"), "{}", failure.message);
        }
        for body in [r#"{"error":null}"#, r#"{"error":""}"#, r#"{"error":{}}"#, "[]", "3"] {
            assert_eq!(
                error_in_body(&serde_json::from_str(body).unwrap(), "instead"),
                None,
                "{body}"
            );
        }
    }

    #[test]
    fn no_redirect_is_followed() {
        let failure = of(307, "location", "https://elsewhere.example/v1?k=1", "");
        assert_eq!(failure.kind, FailureKind::Refused);
        assert!(failure.message.contains("elsewhere.example, and the key is not sent there"));
        for (to, reported) in [
            ("/v2/chat?k=1", "here sends requests on to /v2/chat, and redirects"),
            ("https://here/v1", "sends requests on to https://here/v1, and redirects"),
            ("", "here sends requests on, and redirects"),
        ] {
            let failure = of(308, "location", to, "");
            assert_eq!(failure.kind, FailureKind::Refused);
            assert!(failure.message.contains(reported), "{}", failure.message);
            assert!(failure.message.contains("set the base address"));
        }
    }
}
