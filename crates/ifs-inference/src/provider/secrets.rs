//! Secrets in the texts of endpoints, and in addresses.

/// What is written in place of a secret.
const PLACEHOLDER: &str = "[secret]";

/// Shorter secrets are not replaced, since they may be ordinary words.
const MIN_SECRET_BYTES: usize = 12;

/// Texts that must not be recorded or printed.
#[derive(Default)]
pub struct Secrets {
    /// Without gaps, in lower case.
    plain: Vec<String>,
}

impl Secrets {
    /// Adds a secret, verbatim and URL-encoded. A short one is left out.
    pub fn add(&mut self, secret: &str) {
        if secret.len() < MIN_SECRET_BYTES {
            return;
        }
        let unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let encoded: String = secret
            .bytes()
            .map(|byte| match unreserved(byte) {
                true => char::from(byte).to_string(),
                false => format!("%{byte:02X}"),
            })
            .collect();
        for form in [without_gaps(secret), without_gaps(&encoded)] {
            if form.len() >= MIN_SECRET_BYTES && !self.plain.contains(&form) {
                self.plain.push(form);
            }
        }
    }

    pub fn are_in(&self, text: &str) -> bool {
        let text = if self.plain.is_empty() { String::new() } else { without_gaps(text) };
        self.plain.iter().any(|secret| text.contains(secret))
    }

    /// Replaces them in a text, in any case, and with spaces, line breaks or invisible letters
    /// within.
    pub fn replace_in(&self, text: &mut String) {
        if !self.are_in(text) {
            return;
        }
        // The bytes of the text without gaps, with the letters that they are of.
        let (mut plain, mut letters) = (String::new(), Vec::new());
        for (at, letter) in text.char_indices().filter(|(_, letter)| !is_gap(*letter)) {
            plain.push(letter.to_ascii_lowercase());
            letters.resize(plain.len(), at..at + letter.len_utf8());
        }
        let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
        for secret in &self.plain {
            let found = plain.match_indices(secret.as_str());
            ranges
                .extend(found.map(|(at, _)| letters[at].start..letters[at + secret.len() - 1].end));
        }
        ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        let (mut cleaned, mut end) = (String::with_capacity(text.len()), 0);
        for range in ranges {
            if range.start >= end {
                cleaned.push_str(&text[end..range.start]);
                cleaned.push_str(PLACEHOLDER);
            }
            end = end.max(range.end);
        }
        cleaned.push_str(&text[end..]);
        *text = cleaned;
    }

    /// A path of an address as it is shown and recorded: without the parts that are secrets or look
    /// like one, which are secrets from now on.
    pub fn hidden_path(&mut self, path: &str) -> String {
        let parts = path.split('/').map(|part| {
            if !is_token(part) && !self.are_in(part) {
                return part;
            }
            self.add(part);
            PLACEHOLDER
        });
        parts.collect::<Vec<&str>>().join("/")
    }
}

fn without_gaps(text: &str) -> String {
    text.chars()
        .filter(|letter| !is_gap(*letter))
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}

/// Whether a letter between those of a secret leaves it readable.
fn is_gap(letter: char) -> bool {
    letter.is_whitespace()
        || letter.is_control()
        || matches!(letter, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// How keys of known providers begin.
const KEY_PREFIXES: [&str; 14] = [
    "sk-", "sk_", "pk-", "key-", "aiza", "gsk_", "xai-", "hf_", "r8_", "nvapi-", "pplx-", "ghp_",
    "eyj", "akia",
];

/// Digits and letters in a row from which on a part of a path is no name.
const TOKEN_LENGTH: usize = 20;

/// Whether a part of a path looks like a key: names of models and deployments have words and
/// versions between separators.
fn is_token(part: &str) -> bool {
    let lower = part.to_ascii_lowercase();
    let has_prefix =
        part.len() >= 16 && KEY_PREFIXES.iter().any(|begins| lower.starts_with(begins));
    let is_random = |run: &str| {
        let digits = run.bytes().filter(u8::is_ascii_digit).count();
        run.len() >= TOKEN_LENGTH && digits >= 3 && run.len() - digits >= 3
    };
    let runs: Vec<&str> = part.split(|letter: char| !letter.is_ascii_alphanumeric()).collect();
    let is_hex = |run: &&str| run.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_uuid = runs.iter().map(|run| run.len()).eq([8, 4, 4, 4, 12]) && runs.iter().all(is_hex);
    has_prefix || is_uuid || runs.iter().any(|run| is_random(run))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(secrets: &[&str], text: &str) -> String {
        let mut known = Secrets::default();
        secrets.iter().for_each(|secret| known.add(secret));
        let mut text = text.to_owned();
        known.replace_in(&mut text);
        text
    }

    #[test]
    fn secrets_in_any_form() {
        const KEY: &str = "sk-canary-0123456789abcdef";
        for form in [
            KEY.to_owned(),
            KEY.to_uppercase(),
            KEY.replace("0123", "01\n23"),
            KEY.replace('-', "\u{200b}-\u{feff}"),
            KEY.chars().map(|letter| format!("{letter} ")).collect(),
        ] {
            let text = cleaned(&[KEY], &format!("é {form}. Twice: {form}"));
            assert_eq!(text.matches(PLACEHOLDER).count(), 2, "{text}");
            assert!(text.starts_with("é [secret]") && !text.contains("cdef"), "{text}");
        }
        let encoded = cleaned(&["a key with/slash+sign"], "a%20key%20with%2fslash%2Bsign!");
        assert_eq!(encoded, "[secret]!");
        for kept in ["sk-canary-0123456789abcde", "short", ""] {
            assert_eq!(cleaned(&[KEY, "short"], kept), kept);
        }
        // One within another, and two in a row.
        let text = cleaned(&["0123456789ab", "0123456789abcdef"], "x0123456789abcdef0123456789ab");
        assert_eq!(text, "x[secret][secret]");
    }

    #[test]
    fn keys_in_paths() {
        let hidden = |path: &str| Secrets::default().hidden_path(path);
        for key in [
            "sk-canary-0123456789abcdef",
            "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
            "f3b2c9d8e7a6f5b4c3d2e1f0a9b8c7d6",
            "Zx9Kq27LmNoP4RsT6UvW",
            "123e4567-e89b-12d3-a456-426614174000",
        ] {
            assert_eq!(hidden(&format!("/v1/{key}/gateway/openai")), "/v1/[secret]/gateway/openai");
        }
        for kept in [
            "/v1",
            "",
            "/openai/deployments/gpt-4o-2024-08-06",
            "/models/Meta-Llama-3.1-70B-Instruct-Turbo",
            "/accounts/fireworks/models/llama-v3p1-8b-instruct",
            "/projects/my-project-123456/locations/us-central1/publishers",
            "/v1beta/models/gemini-2.5-pro-preview-05-06:generateContent",
            "/internationalisation-of-everything",
        ] {
            assert_eq!(hidden(kept), kept);
        }
        let mut secrets = Secrets::default();
        secrets.hidden_path("/v1/sk-canary-0123456789abcdef");
        assert!(secrets.are_in("no such path: /v1/SK-canary-0123456789abcdef"));
    }
}
