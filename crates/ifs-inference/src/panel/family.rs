//! Families of models: by the same maker, or built on one another. A judge favours responses of its
//! own family (Panickssery et al. 2024, arXiv:2404.13076).

/// A family, and the words that its models' names begin with or contain after a separator.
const FAMILIES: [(&str, &[&str]); 22] = [
    ("gpt", &["gpt", "chatgpt", "o1", "o3", "o4", "codex", "davinci"]),
    ("claude", &["claude"]),
    ("gemini", &["gemini", "gemma", "palm", "bison", "learnlm"]),
    ("llama", &["llama", "codellama", "vicuna", "alpaca"]),
    ("qwen", &["qwen", "qwq", "qvq"]),
    (
        "mistral",
        &["mistral", "mixtral", "ministral", "magistral", "codestral", "devstral", "pixtral"],
    ),
    ("deepseek", &["deepseek"]),
    ("command", &["command", "aya"]),
    ("grok", &["grok"]),
    ("phi", &["phi"]),
    ("glm", &["glm", "chatglm"]),
    ("kimi", &["kimi", "moonshot"]),
    ("minimax", &["minimax", "abab"]),
    ("yi", &["yi"]),
    ("nova", &["nova"]),
    ("granite", &["granite"]),
    ("nemotron", &["nemotron"]),
    ("olmo", &["olmo", "tulu"]),
    ("hunyuan", &["hunyuan"]),
    ("ernie", &["ernie"]),
    ("doubao", &["doubao", "seed"]),
    ("internlm", &["internlm"]),
];

/// Whether two models, by name, belong to one family. Simulated models have no family. If a name
/// contains no known family, its first word is the family.
pub fn same_family(one: &str, other: &str) -> bool {
    let (one, other) = (families(one), families(other));
    one.iter().any(|family| other.contains(family))
}

fn families(model: &str) -> Vec<String> {
    let (provider, rest) = model.split_once('/').unwrap_or(("", model));
    if provider == "sim" {
        return Vec::new();
    }
    // The last part of a name says more than the maker and the service.
    let name = rest.rsplit('/').next().unwrap_or(rest).to_lowercase();
    let words: Vec<&str> = name
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    // `llama3` and `gpt4o` contain the word of a family; `phinix` does not.
    let of = |word: &str, known: &str| {
        word.strip_prefix(known).is_some_and(|rest| {
            rest.is_empty() || rest.starts_with(|letter: char| letter.is_ascii_digit())
        })
    };
    let known: Vec<String> = FAMILIES
        .iter()
        .filter(|(_, starts)| words.iter().any(|word| starts.iter().any(|start| of(word, start))))
        .map(|(family, _)| (*family).to_owned())
        .collect();
    if !known.is_empty() {
        return known;
    }
    let first =
        words.first().map(|word| word.trim_end_matches(|letter: char| letter.is_ascii_digit()));
    first
        .filter(|word| !word.is_empty())
        .map(|word| format!("a name: {word}"))
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_by_their_names() {
        for (one, other) in [
            ("openai/gpt-4o", "openai/gpt-4.1-mini"),
            ("openai/o3", "openrouter/openai/gpt-4o"),
            ("openai/chatgpt-4o-latest", "openai-api/azure/gpt4o"),
            ("anthropic/claude-sonnet-4-5", "openrouter/anthropic/claude-3.5-haiku"),
            ("google/gemini-2.5-pro", "ollama/gemma3:27b"),
            ("ollama/llama3.1", "vllm/meta-llama/Llama-3.3-70B-Instruct"),
            // One model distilled into the other.
            ("ollama/deepseek-r1-distill-llama", "vllm/meta-llama/Llama-3.1-8B"),
            ("vllm/mymodel-7b", "openai-api/lab/mymodel-70b"),
        ] {
            assert!(same_family(one, other), "{one}, {other}");
        }
        for (one, other) in [
            ("openai/gpt-4o", "anthropic/claude-sonnet-4-5"),
            ("openrouter/openai/gpt-4o", "openrouter/qwen/qwen3-32b"),
            ("sim/oracle", "sim/judge"),
            ("vllm/phinix-2", "ollama/phi4"),
            ("vllm/ours-7b", "vllm/theirs-7b"),
        ] {
            assert!(!same_family(one, other), "{one}, {other}");
        }
    }
}
