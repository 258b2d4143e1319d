//! Requests that an endpoint refuses for what they are: too long for the model's context window, or
//! blocked by a filter. Every provider has its own status, code and words for it.

use serde_json::Value;

use crate::provider::FailureKind;

/// The statuses with which an endpoint refuses one request for good. Those of keys, accounts, rates
/// and addresses are never about what a request says.
const STATUSES: [u16; 7] = [400, 403, 413, 414, 422, 451, 500];

/// Fields of an error that have its code or its words. Others may repeat the request.
const FIELDS: [&str; 22] = [
    "code",
    "description",
    "detail",
    "details",
    "error",
    "error_code",
    "error_description",
    "error_message",
    "error_msg",
    "error_type",
    "errors",
    "innererror",
    "inner_error",
    "message",
    "metadata",
    "msg",
    "raw",
    "reason",
    "reasons",
    "status",
    "title",
    "type",
];

/// The longest error that is read, in bytes: an endpoint may repeat a long prompt.
const MAX_BYTES: usize = 4096;

/// Why an error is about what the request says, or about its length; `None` for every other error.
pub fn kind(status: Option<u16>, error: &Value) -> Option<FailureKind> {
    if status.is_some_and(|status| !STATUSES.contains(&status)) {
        return None;
    }
    // "Unavailable for legal reasons" is about what was asked, whatever the words are.
    if status == Some(451) {
        return Some(FailureKind::Blocked);
    }
    let mut words = String::new();
    collect(error, 0, &mut words);
    kind_of_words(&words.to_lowercase(), error)
}

fn kind_of_words(words: &str, error: &Value) -> Option<FailureKind> {
    let has = |any: &[&str]| any.iter().any(|part| words.contains(part));
    // A rate, an account or a key: it has nothing to do with the prompt.
    if has(&["per min", "per day", "rate limit", "rate_limit", "quota", "billing", "api key"]) {
        return None;
    }
    if is_too_long(words) && !is_about_parameter(words, error) {
        return Some(FailureKind::ContextLength);
    }
    let is_about_account = has(&[
        "account",
        "organization",
        "organisation",
        "suspended",
        "terminated",
        "deactivated",
        "your access",
        "user location",
    ]);
    (is_filtered(words) && !is_about_account).then_some(FailureKind::Blocked)
}

/// Codes and phrases that only an exceeded context has.
const TOO_LONG: [&str; 18] = [
    "context_length_exceeded",
    "context_window_exceeded",
    "contextwindowexceeded",
    "exceed_context_size",
    "model_max_prompt_tokens_exceeded",
    "tokens_limit_reached",
    "request_too_large",
    "prompt_too_long",
    "input_too_long",
    "string_above_max_length",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "input too long",
    "longer than the maximum model length",
    "greater than max_seq_len",
    "range of input length",
    "超长",
];

/// What is measured, that it is too much, and what it is of.
const LENGTHS: [&str; 7] = [
    "token",
    "context length",
    "context size",
    "context window",
    "context limit",
    "prompt length",
    "input length",
];
const EXCESSES: [&str; 15] = [
    "exceed",
    "too long",
    "too many",
    "too large",
    "maximum",
    "at most",
    "must be <=",
    "must be less",
    "must have less",
    "longer than",
    "larger than",
    "greater than",
    "more than",
    "overflow",
    "only supports up to",
];
const INPUTS: [&str; 8] = [
    "prompt",
    "input",
    "request",
    "messages",
    "conversation",
    "context length",
    "context window",
    "context size",
];

fn is_too_long(words: &str) -> bool {
    let has = |any: &[&str]| any.iter().any(|part| words.contains(part));
    has(&TOO_LONG) || has(&LENGTHS) && has(&EXCESSES) && has(&INPUTS)
}

/// Whether an error that has such words is about a parameter: `max_tokens` may be more than a model
/// writes, whatever the prompt is.
fn is_about_parameter(words: &str, error: &Value) -> bool {
    let has = |any: &[&str]| any.iter().any(|part| words.contains(part));
    let parameter = ["max_tokens", "max_completion_tokens", "max_output_tokens", "maxoutputtokens"];
    let named = error.pointer("/param").or_else(|| error.pointer("/error/param"));
    let named = named.and_then(Value::as_str).unwrap_or_default();
    let is_named = parameter.contains(&named) || has(&parameter);
    // What the prompt needs is part of the sum.
    let counts_prompt = has(&[
        "input token",
        "input length",
        "input_token",
        "in the messages",
        "in your prompt",
        "prompt token",
        "of text input",
        "`inputs` tokens",
        "the messages or completion",
        "context_length_exceeded",
        "however, you requested",
        "you requested a total",
        "request has",
    ]);
    is_named && !counts_prompt
}

/// Codes and phrases of filters.
const FILTERED: [&str; 35] = [
    "blocked input",
    "blocked output",
    "sensitive information",
    "sensitive word",
    "content_filter",
    "content filter",
    "contentfilter",
    "content_policy",
    "content policy",
    "content management policy",
    "content_blocked",
    "content_moderation",
    "content exists risk",
    "content risk",
    "considered high risk",
    "data_inspection_failed",
    "datainspectionfailed",
    "guardrail",
    "inappropriate content",
    "invalid_prompt",
    "moderation",
    "policyviolation",
    "policy_violation",
    "prohibited_content",
    "prohibited content",
    "responsibleai",
    "responsible ai",
    "safety system",
    "safety filter",
    "safety_check",
    "safety check",
    "sensitive content",
    "usage guidelines",
    "unsafe content",
    "敏感",
];

/// Who refuses, and what for, where no phrase says both.
const REFUSALS: [&str; 7] =
    ["blocked", "flagged", "filtered", "rejected", "refused", "violat", "disallowed"];
const CAUSES: [&str; 10] = [
    "safety",
    "policy",
    "policies",
    "harmful",
    "sensitive",
    "unsafe",
    "prompt was",
    "input was",
    "content was",
    "request was",
];

fn is_filtered(words: &str) -> bool {
    let has = |any: &[&str]| any.iter().any(|part| words.contains(part));
    has(&FILTERED) || has(&REFUSALS) && has(&CAUSES)
}

/// The codes and words of an error. A gateway puts the JSON of the upstream error into a text.
fn collect(value: &Value, depth: u32, words: &mut String) {
    if depth > 6 || words.len() > MAX_BYTES {
        return;
    }
    match value {
        Value::String(text) => {
            let room = MAX_BYTES.saturating_sub(words.len());
            words.extend(text.chars().take(room));
            words.push('\n');
        }
        Value::Array(list) => list.iter().for_each(|value| collect(value, depth + 1, words)),
        Value::Object(fields) => {
            let known = fields.iter().filter(|(name, _)| FIELDS.contains(&name.as_str()));
            known.for_each(|(_, value)| collect(value, depth + 1, words));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kinds(cases: &[(u16, Value)], expected: Option<FailureKind>) {
        for (status, body) in cases {
            assert_eq!(kind(Some(*status), body), expected, "{status} {body}");
        }
    }

    fn message(text: &str) -> Value {
        json!({"error": {"message": text}})
    }

    /// What providers and engines answer to a prompt that is too long.
    #[test]
    fn exceeded_contexts() {
        let raw =
            json!({"error": {"message": "This model's maximum context length is 4096 tokens."}});
        kinds(
            &[
                (
                    400,
                    json!({"error": {"code": "context_length_exceeded", "param": "messages",
                    "message": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."}}),
                ),
                (
                    400,
                    json!({"error": {"code": "context_length_exceeded", "message": "Input tokens exceed the configured limit of 272000 tokens."}}),
                ),
                (
                    400,
                    message(
                        "the maximum context length of this model is 4096 tokens, and the request has 4131 input tokens",
                    ),
                ),
                (
                    400,
                    message(
                        "This model's maximum context length is 4096 tokens. However, you requested 4131 tokens (4031 in the messages, 100 in the completion).",
                    ),
                ),
                (
                    400,
                    json!({"object": "error", "type": "BadRequestError", "param": "max_tokens", "code": 400,
                    "message": "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 4096 tokens and your request has 51 input tokens (4096 > 4096 - 51)."}),
                ),
                (
                    400,
                    message(
                        "You passed 4131 input tokens and requested 1 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 4095 tokens.",
                    ),
                ),
                (
                    400,
                    message(
                        "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
                    ),
                ),
                (
                    400,
                    json!({"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens > 200000 maximum"}}),
                ),
                (
                    400,
                    message(
                        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again",
                    ),
                ),
                (
                    413,
                    json!({"type": "error", "error": {"type": "request_too_large", "message": "Request exceeds the maximum size"}}),
                ),
                (
                    400,
                    json!({"error": {"status": "INVALID_ARGUMENT", "message": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}}),
                ),
                (
                    400,
                    json!({"error": {"code": 400, "type": "exceed_context_size_error", "message": "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it"}}),
                ),
                (
                    500,
                    message(
                        "the request exceeds the available context size. try increasing the context size or enable context shift",
                    ),
                ),
                (
                    422,
                    json!({"error": "Input validation error: `inputs` must have less than 1024 tokens. Given: 2000", "error_type": "validation"}),
                ),
                (
                    422,
                    json!({"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 2000 `inputs` tokens and 100 `max_new_tokens`"}),
                ),
                (
                    400,
                    message(
                        "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
                    ),
                ),
                (
                    400,
                    message(
                        "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5000 tokens: 4900 tokens from the input messages and 100 tokens for the completion.",
                    ),
                ),
                (
                    400,
                    message(
                        "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
                    ),
                ),
                (
                    400,
                    json!({"object": "error", "message": "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", "type": "invalid_request_error", "code": 3051}),
                ),
                (
                    400,
                    json!({"message": "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000."}),
                ),
                (400, json!({"message": "Input is too long for requested model."})),
                (
                    400,
                    message(
                        "Your input exceeds the context window of this model. Please adjust your input and try again.",
                    ),
                ),
                (
                    400,
                    json!({"error": {"code": "invalid_parameter_error", "message": "Range of input length should be [1, 30720]"}}),
                ),
                (
                    400,
                    message(
                        "Unable to submit request because the input token count is 40000 but the model only supports up to 32768.",
                    ),
                ),
                (
                    400,
                    json!({"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": raw.to_string(), "provider_name": "X"}}}),
                ),
                (
                    400,
                    message(
                        "This endpoint's maximum context length is 8192 tokens. However, you requested about 9000 tokens (8900 of text input, 100 in the output).",
                    ),
                ),
                (
                    413,
                    json!({"error": {"code": "tokens_limit_reached", "message": "Request body too large for gpt-4o model. Max size: 8000 tokens."}}),
                ),
                (
                    400,
                    message(
                        "Please reduce the length of the messages or completion. Current length is 10000 tokens while limit is 8192 at most",
                    ),
                ),
                (400, json!({"detail": "Prompt length 5000 is greater than max_seq_len 4096"})),
            ],
            Some(FailureKind::ContextLength),
        );
    }

    /// What providers and gateways answer if a filter refuses the prompt.
    #[test]
    fn blocked_prompts() {
        kinds(
            &[
                (
                    400,
                    json!({"error": {"code": "content_filter", "param": "prompt", "message": "the prompt was filtered by the content policy",
                    "innererror": {"code": "ResponsibleAIPolicyViolation"}}}),
                ),
                (
                    400,
                    message(
                        "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
                    ),
                ),
                (
                    400,
                    json!({"error": {"code": 400, "message": "the upstream provider blocked the request: PROHIBITED_CONTENT"}}),
                ),
                (
                    403,
                    json!({"error": {"code": 403, "message": "openai/gpt-4o requires moderation on OpenAI. Your input was flagged for \"harassment\".",
                    "metadata": {"reasons": ["harassment"], "flagged_input": "kill"}}}),
                ),
                (
                    400,
                    json!({"type": "error", "error": {"type": "invalid_request_error", "message": "Output blocked by content filtering policy"}}),
                ),
                (
                    400,
                    json!({"error": {"code": "invalid_prompt", "message": "Invalid prompt: your prompt was flagged as potentially violating our usage policy."}}),
                ),
                (
                    400,
                    json!({"error": {"code": "data_inspection_failed", "message": "Input data may contain inappropriate content."}}),
                ),
                (400, message("Content Exists Risk")),
                (
                    400,
                    json!({"error": {"type": "content_filter", "message": "The request was rejected because it was considered high risk"}}),
                ),
                (
                    403,
                    json!({"error": "Content violates usage guidelines. Team: t, Model: grok, Failed check: SAFETY_CHECK_TYPE_BIO", "code": "The caller does not have permission"}),
                ),
                (
                    400,
                    json!({"error": {"code": "1301", "message": "系统检测到输入或生成内容可能包含不安全或敏感内容"}}),
                ),
                (400, message("The prompt was blocked: it is harmful.")),
                (400, message("blocked output: please try again with another prompt")),
                (451, message("no")),
                (451, message("This request was refused: sensitive subject")),
                (
                    400,
                    json!({"error": {"message": "Provider returned error", "metadata": {"raw": "{\"error\":{\"code\":\"content_policy_violation\"}}"}}}),
                ),
            ],
            Some(FailureKind::Blocked),
        );
    }

    /// Errors that have some of these words and another cause.
    #[test]
    fn other_errors() {
        kinds(
            &[
                (400, message("no such parameter")),
                (400, message("System role not supported")),
                (
                    400,
                    json!({"error": {"param": "max_tokens", "message": "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000."}}),
                ),
                (
                    400,
                    message(
                        "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for claude",
                    ),
                ),
                (
                    400,
                    message(
                        "`max_tokens` must be less than or equal to `4096`, the maximum value for `max_tokens` is less than the `context_window` for this model",
                    ),
                ),
                (
                    413,
                    json!({"error": {"code": "rate_limit_exceeded", "message": "Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 7000"}}),
                ),
                (
                    413,
                    json!({"error": {"message": "Request too large on tokens per min (TPM): Limit 30000, Requested 40000. The input tokens must be reduced"}}),
                ),
                (429, message("You exceeded the context length of your plan")),
                (401, message("the prompt was blocked by the content policy")),
                (403, message("Your organization was blocked for violating our usage policies")),
                (403, message("Your account was flagged: policy violation")),
                (400, message("User location is not supported: policy")),
                (
                    400,
                    message(
                        "Invalid 'stop': array too long. Expected an array with maximum length 4",
                    ),
                ),
                (400, message("temperature must be at most 2")),
                (
                    400,
                    json!({"detail": [{"loc": ["body"], "msg": "field required", "input": "the maximum context length of this model is 4096 tokens"}]}),
                ),
                (502, message("no upstream")),
                (500, message("internal error")),
            ],
            None,
        );
    }
}
