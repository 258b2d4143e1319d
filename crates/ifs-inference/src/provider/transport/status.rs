//! The meaning of a status other than 200, and of an error with status 200.

use std::time::{Duration, SystemTime};

use hyper::header::{self, HeaderMap};
use hyper::{StatusCode, Uri};
use serde_json::Value;

use super::refusal;
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
    let refused = || match &parsed {
        Some(body) => refusal::kind(Some(status.as_u16()), body),
        None => refusal::kind(Some(status.as_u16()), &Value::from(plain_text(body)?)),
    };
    let kind = match (status, wait) {
        // The requests in flight have used up the credit for now.
        (StatusCode::PAYMENT_REQUIRED, Some(_)) => FailureKind::Overloaded,
        (status, _) => {
            refused().unwrap_or_else(|| kind(status.as_u16(), parsed.as_ref().and_then(error)))
        }
    };
    let said = error_message(parsed.as_ref(), body);
    let name = status.canonical_reason().map(|name| format!(" {name}")).unwrap_or_default();
    let said = said.map(|said| format!(": {said}")).unwrap_or_default();
    let message = format!("{}{name}{said}", status.as_u16());
    CallFailure { kind, message, wait }
}

/// The error in a body with status 200, if there is one, preceded by `what`.
pub fn error_in_body(body: &Value, what: &str) -> Option<CallFailure> {
    error(body).map(|error| named_failure(error, what))
}

/// The failure that a response, or an event of a stream, is in place of text: an error in any of the
/// forms that servers and gateways have.
pub fn failure_in_response(body: &Value, what: &str) -> Option<CallFailure> {
    let body = body.get(0).unwrap_or(body);
    let Value::Object(fields) = body else {
        return Some(CallFailure::garbled(format!("{what}: {}", brief(body))));
    };
    if let Some(error) = error(body) {
        return Some(named_failure(error, what));
    }
    let is_set = |name: &str| match fields.get(name) {
        None | Some(Value::Null) => false,
        Some(Value::Bool(set)) => *set,
        Some(Value::Number(number)) => number.as_f64() != Some(0.0),
        Some(Value::Object(fields)) => !fields.is_empty(),
        Some(words) => is_said(words),
    };
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    let says_error = ["object", "type", "event", "status"].iter().any(|name| {
        let word = text(name).to_ascii_lowercase();
        word.contains("error") || word.ends_with("failed") || word == "fail"
    });
    let is_failure = |name: &str| fields.get(name).and_then(Value::as_bool) == Some(false);
    let is_status = |name: &str| status_number(fields.get(name)).is_some();
    // Only what has none of these can be an error by its message alone.
    let is_response = PARTS_OF_RESPONSES.iter().any(|name| fields.contains_key(*name));
    let is_error = says_error
        || ERROR_FIELDS.iter().any(|name| is_set(name))
        || ["success", "ok"].into_iter().any(is_failure)
        || !is_response
            && (STATUS_FIELDS.into_iter().any(is_status)
                || MESSAGE_FIELDS.into_iter().any(|name| fields.get(name).is_some_and(is_said)));
    is_error.then(|| named_failure(body, what))
}

/// The failure of an event that is an error by its name, whatever its data are.
pub fn failure_of_event(data: &str, what: &str) -> CallFailure {
    let body: Value = serde_json::from_str(data).unwrap_or_else(|_| Value::from(data));
    named_failure(error(&body).unwrap_or(&body), what)
}

/// The fields of responses and of their events that no error has.
const PARTS_OF_RESPONSES: [&str; 7] = [
    "candidates",
    "choices",
    "content",
    "content_block",
    "delta",
    "promptFeedback",
    "usageMetadata",
];

/// Fields that are set in errors alone; the names of statuses, and of messages.
const ERROR_FIELDS: [&str; 9] = [
    "Error",
    "err",
    "errcode",
    "error",
    "error_code",
    "error_message",
    "error_msg",
    "errors",
    "exception",
];
const STATUS_FIELDS: [&str; 5] = ["code", "status", "statusCode", "status_code", "error_code"];
const MESSAGE_FIELDS: [&str; 3] = ["message", "detail", "msg"];

fn is_said(words: &Value) -> bool {
    match words {
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => false,
    }
}

/// The status of an error in a field: a number, or a text of digits.
fn status_number(value: Option<&Value>) -> Option<u16> {
    let number = value?.as_u64().or_else(|| value?.as_str()?.parse().ok())?;
    u16::try_from(number).ok().filter(|status| (400..600).contains(status))
}

/// The failure of an error object, preceded by `what`.
fn named_failure(error: &Value, what: &str) -> CallFailure {
    let named = || {
        let known = |name: &str| NAMED_ERRORS.iter().find(|(known, _)| *known == name);
        let names =
            ["type", "status", "code"].iter().filter_map(|field| error.get(*field)?.as_str());
        names.filter_map(known).map(|(_, status)| *status).next()
    };
    let status = STATUS_FIELDS.iter().find_map(|name| status_number(error.get(*name)));
    let status = status.or_else(named);
    let by_status = || status.map_or(FailureKind::Passing, |status| kind(status, Some(error)));
    let kind = refusal::kind(status, error).unwrap_or_else(by_status);
    let status = status.map(|status| format!(" ({status})")).unwrap_or_default();
    CallFailure::new(kind, format!("{what}{status}: {}", words_of(error)))
}

/// The error message of the endpoint. HTML pages are ignored.
fn error_message(parsed: Option<&Value>, body: &str) -> Option<String> {
    let Some(parsed) = parsed else { return plain_text(body).map(str::to_owned) };
    let text = |name: &str| parsed.get(name)?.as_str().map(str::to_owned);
    let reported = error(parsed).map(words_of);
    reported.or_else(|| text("message")).or_else(|| text("detail"))
}

/// A body that is words, and no page.
fn plain_text(body: &str) -> Option<&str> {
    let text = body.trim();
    (!text.is_empty() && !text.starts_with('<')).then_some(text)
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
    const NAMES: [&str; 7] =
        ["message", "detail", "msg", "error_message", "error_msg", "error", "text"];
    let named = || NAMES.iter().find_map(|name| error.get(*name)?.as_str());
    error.as_str().or_else(named).map_or_else(|| brief(error), str::to_owned)
}

/// The texts and numbers of a value. JSON would escape letters in which a secret is looked for.
fn brief(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(brief).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| format!("{name} {}", brief(value)));
            fields.collect::<Vec<_>>().join(", ")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
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

/// The delay in `Retry-After`: seconds, or a date, which is one of the server's clock.
#[expect(clippy::disallowed_methods, reason = "a server without a clock leaves only this one")]
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(wait) = text("retry-after-ms").and_then(|wait| wait.parse().ok()) {
        return Some(Duration::from_millis(wait));
    }
    let after = text("retry-after")?;
    let seconds = after.parse().ok().and_then(|wait| Duration::try_from_secs_f64(wait).ok());
    seconds.or_else(|| {
        let date = httpdate::parse_http_date(after).ok()?;
        let now = text("date").and_then(|date| httpdate::parse_http_date(date).ok());
        Some(date.duration_since(now.unwrap_or_else(SystemTime::now)).unwrap_or_default())
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
    fn dates_are_those_of_the_server() {
        let wait = |date: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert("retry-after", "Sun, 06 Nov 1994 08:49:40 GMT".parse().unwrap());
            if let Some(date) = date {
                headers.insert("date", date.parse().unwrap());
            }
            failure(StatusCode::TOO_MANY_REQUESTS, &headers, "", "here").wait
        };
        // Years before the clock of this machine, and three seconds after that of the server.
        assert_eq!(wait(Some("Sun, 06 Nov 1994 08:49:37 GMT")), Some(Duration::from_secs(3)));
        assert_eq!(wait(Some("Sun, 06 Nov 1994 08:50:37 GMT")), Some(Duration::ZERO));
        assert_eq!(wait(Some("soon")), Some(Duration::ZERO));
        assert_eq!(wait(None), Some(Duration::ZERO));
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

    /// Every form of an error in which servers and gateways have been seen, and what has no error.
    #[test]
    fn errors_in_place_of_responses() {
        let found = |text: &str| {
            failure_in_response(&serde_json::from_str(text).unwrap(), "instead")
                .map(|failure| (failure.kind, failure.message))
        };
        for text in [
            r#"{"error":{"message":"no"}}"#,
            r#"{"error":["no"]}"#,
            r#"{"error":true,"message":"no"}"#,
            r#"{"object":"error","message":"no"}"#,
            r#"{"type":"error","message":"no"}"#,
            r#"{"type":"response.failed","msg":"no"}"#,
            r#"{"event":"error","message":"no"}"#,
            r#"{"status":"failed","message":"no"}"#,
            r#"{"success":false,"message":"no"}"#,
            r#"{"code":500,"message":"no"}"#,
            r#"{"detail":"no"}"#,
            r#"{"detail":[{"msg":"no"}]}"#,
            r#"{"message":"no"}"#,
            r#"{"errors":["no"]}"#,
            r#"{"error_code":50001,"text":"no"}"#,
            r#"{"error_code":50001,"text":"no","choices":[]}"#,
            r#"{"error_msg":"no","choices":[{"finish_reason":"stop"}]}"#,
            r#"[{"error":{"message":"no"}}]"#,
        ] {
            let (kind, message) = found(text).unwrap_or_else(|| panic!("{text}"));
            assert!(kind == FailureKind::Passing && message.ends_with("no"), "{text}: {message}");
        }
        for text in ["null", "3", "[]", r#""no""#] {
            assert_eq!(found(text).unwrap().0, FailureKind::Garbled, "{text}");
        }
        for text in [
            r#"{"choices":[{"delta":{"content":"a"}}],"error":null,"error_code":0}"#,
            r#"{"id":"a","object":"chat.completion.chunk","usage":{"prompt_tokens":3}}"#,
            r#"{"code":200,"msg":"success","success":true,"choices":[]}"#,
            r#"{"type":"message_start","message":{"content":[]}}"#,
            r#"{"type":"ping"}"#,
            r#"{"candidates":[],"usageMetadata":{}}"#,
            "{}",
        ] {
            assert_eq!(found(text), None, "{text}");
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
