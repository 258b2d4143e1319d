//! Separates reasoning from the text of a response.
//!
//! A reasoning block is recognized by its shape: at the beginning of a response, a marker whose name
//! says thinking (`<think>`, `[THINK]`, `<|START_THINKING|>`, `◁think▷`, 【思考】), and everything up
//! to the marker that closes it. Elsewhere such markers are text, so a model may write about them.
//! Some servers put the opening marker into the prompt or remove the tokens of channels; a response
//! may then begin inside the block.
//!
//! Names in [`THINKING`] belong to blocks that models write: they are reasoning even if they are not
//! closed or nothing follows. A name that only contains a word for thinking (`<pondering>`) is
//! reasoning if its block is closed and a text follows; [`unknown_block`] reports it, and blocks of the
//! same shape with any other name.

use std::borrow::Cow;

/// The reasoning at the beginning of a response and the text after it; `None` without reasoning. A
/// block with a name that no model is known for keeps its markers.
pub fn part(response: &str) -> Option<(String, &str)> {
    if let Some((thought, text)) = channels(response) {
        return Some((thought, text));
    }
    let mut rest = trimmed(response);
    let mut reasoning: Vec<&str> = Vec::new();
    let mut any = false;
    while let Some(block) = leading_block(rest) {
        any = true;
        reasoning.push(block.thought.trim());
        rest = trimmed(block.rest);
    }
    if let Some((thought, after)) = split_open_block(rest) {
        any = true;
        reasoning.push(thought.trim());
        rest = trimmed(after);
    }
    if !any {
        return None;
    }
    reasoning.retain(|thought| !thought.is_empty());
    Some((reasoning.join("\n\n"), without_response_markers(rest)))
}

/// The marker of a block at the beginning of a text that has the shape of reasoning, but a name that
/// no model is known for.
pub fn unknown_block(text: &str) -> Option<&str> {
    let rest = trimmed(text);
    let marker = BlockMarker::parse(rest)?;
    let after = &rest[marker.text.len()..];
    let is_unknown = match marker.naming() {
        Naming::Response => false,
        // It would have been separated, if it were not for its title case: `[Reasoning] It is so.`
        Naming::Thinking => part(text).is_none(),
        Naming::Related => marker.bracket().is_token() || marker.end(after).is_some(),
        Naming::Other => {
            marker.bracket().is_token() && marker.name != "s" || {
                let is_html = HTML.contains(&marker.core().as_ref());
                let (end, next) = marker.exact_end(after)?;
                let follows = trimmed(&after[next..]);
                let is_structure = follows.is_empty() || BlockMarker::parse(follows).is_some();
                let is_short = end < MAX_OTHER_BYTES;
                !is_html && !is_structure && is_short
            }
        }
    };
    is_unknown.then_some(marker.text)
}

/// Opening and closing marks of markers.
struct Bracket {
    open: &'static str,
    close: &'static str,
}

const BRACKETS: [Bracket; 13] = [
    Bracket { open: "<|", close: "|>" },
    Bracket { open: "<｜", close: "｜>" },
    Bracket { open: "<<", close: ">>" },
    Bracket { open: "<", close: ">" },
    Bracket { open: "[[", close: "]]" },
    Bracket { open: "[", close: "]" },
    Bracket { open: "{{", close: "}}" },
    Bracket { open: "{", close: "}" },
    Bracket { open: "【", close: "】" },
    Bracket { open: "◁", close: "▷" },
    Bracket { open: "⟨", close: "⟩" },
    Bracket { open: "＜", close: "＞" },
    Bracket { open: "〖", close: "〗" },
];

impl Bracket {
    /// Whether only the tokens of chat templates have these marks.
    fn is_token(&self) -> bool {
        self.open.starts_with('<') && self.open.len() > 1 && self.open != "<<"
    }

    fn is_tag(&self) -> bool {
        matches!(self.open, "<" | "＜" | "◁")
    }
}

/// The longest marker, and the longest block with a name that does not say thinking.
const MAX_MARKER_BYTES: usize = 160;
const MAX_OTHER_BYTES: usize = 1 << 16;

/// `<think>`, `</think>`, `[THINK]`, `<|end_of_thought|>`
struct BlockMarker<'t> {
    text: &'t str,
    bracket: usize,
    /// Without attributes and the slash of a closing marker.
    name: &'t str,
    attributes: &'t str,
    slash: bool,
}

/// What the name of a marker says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    Thinking,
    /// A word that contains one for thinking.
    Related,
    /// The response: `<|START_RESPONSE|>`, `[Answer]`.
    Response,
    Other,
}

/// Words for thinking in the names of markers, in lower case.
const THINKING: [&str; 45] = [
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "scratchpad",
    "monologue",
    "innermonologue",
    "innerthought",
    "innerthoughts",
    "thoughtprocess",
    "thinkingprocess",
    "reasoningprocess",
    "chainofthought",
    "chainofthoughts",
    "cot",
    "thinkaloud",
    "antthinking",
    // Chinese, Japanese, Korean
    "思考",
    "思考过程",
    "思考過程",
    "思维",
    "思维链",
    "思维过程",
    "思索",
    "推理",
    "推理过程",
    "推論",
    "考え",
    "생각",
    "추론",
    // German, French, Spanish, Italian, Portuguese, Russian
    "denken",
    "denkprozess",
    "gedanken",
    "gedankengang",
    "nachdenken",
    "überlegung",
    "überlegungen",
    "réflexion",
    "raisonnement",
    "razonamiento",
    "pensamiento",
    "ragionamento",
    "raciocínio",
    "рассуждение",
];

/// Beginnings of words that are about thinking, wherever they are in a name.
const RELATED: [&str; 43] = [
    "think",
    "thought",
    "reason",
    "rational",
    "reflect",
    "ponder",
    "deliberat",
    "contemplat",
    "cogitat",
    "musing",
    "ruminat",
    "introspect",
    "brainstorm",
    "monolog",
    "scratch",
    "analysis",
    "analyz",
    "critique",
    "consider",
    "思",
    "推理",
    "推敲",
    "反思",
    "分析",
    "考慮",
    "考虑",
    "생각",
    "denk",
    "gedank",
    "überleg",
    "ueberleg",
    "erwäg",
    "grübel",
    "analyse",
    "réflex",
    "raison",
    "razona",
    "pensam",
    "pensier",
    "ragion",
    "racioc",
    "мысл",
    "рассужд",
];

/// Words for the response in the names of markers.
const RESPONSE: [&str; 16] = [
    "answer",
    "response",
    "solution",
    "final",
    "output",
    "reply",
    "result",
    "conclusion",
    "回答",
    "答案",
    "最终答案",
    "回复",
    "antwort",
    "ergebnis",
    "réponse",
    "respuesta",
];

/// Words that say which end of a block a marker is, and words without content.
const ENDS: [&str; 5] = ["end", "stop", "close", "closed", "ende"];
const FILLERS: [&str; 20] = [
    "begin",
    "start",
    "open",
    "of",
    "the",
    "my",
    "your",
    "a",
    "process",
    "block",
    "section",
    "mode",
    "inner",
    "internal",
    "private",
    "hidden",
    "chain",
    "aloud",
    "assistant",
    "ai",
];

/// HTML elements that a response may begin with.
const HTML: [&str; 58] = [
    "a",
    "abbr",
    "address",
    "article",
    "aside",
    "b",
    "blockquote",
    "body",
    "button",
    "center",
    "cite",
    "code",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "html",
    "i",
    "ins",
    "kbd",
    "label",
    "li",
    "main",
    "mark",
    "nav",
    "ol",
    "p",
    "pre",
    "q",
    "s",
    "script",
    "section",
    "small",
    "span",
    "strong",
    "style",
    "sub",
    "sup",
    "table",
    "u",
    "ul",
];

/// The end of a thought, and the start of what follows it.
type ThoughtEnd = (usize, usize);

impl<'t> BlockMarker<'t> {
    /// The marker that a text begins with.
    fn parse(text: &'t str) -> Option<BlockMarker<'t>> {
        let number = BRACKETS.iter().position(|bracket| text.starts_with(bracket.open))?;
        BlockMarker::parse_in(text, number).or_else(|| {
            // `<<` that is not a marker may still begin with one.
            let single = BRACKETS.iter().skip(number + 1);
            let (next, _) = (number + 1..).zip(single).find(|(_, it)| text.starts_with(it.open))?;
            BlockMarker::parse_in(text, next)
        })
    }

    fn parse_in(text: &'t str, number: usize) -> Option<BlockMarker<'t>> {
        let bracket = &BRACKETS[number];
        let inside = text.strip_prefix(bracket.open)?;
        let window = floor(inside, MAX_MARKER_BYTES);
        let length = inside[..window].find(bracket.close)?;
        let end = bracket.open.len() + length + bracket.close.len();
        let label = inside[..length].trim();
        // `<|/think|>`, `<\/think>`
        let bare = label.trim_start_matches(['/', '\\']);
        let slash = bare.len() < label.len();
        let bare = bare.trim_end_matches([':', '：', '.', '…']).trim();
        let (name, attributes) = match bare.split_once(char::is_whitespace) {
            Some((name, attributes)) if bracket.is_tag() => (name, attributes),
            _ => (bare, ""),
        };
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.' | ' ');
        let valid = name.chars().next().is_some_and(char::is_alphabetic)
            && name.chars().all(is_name)
            && !attributes.contains(['<', '\n']);
        // `[text](address)`, `[text]: address`; a response may begin with a bracket behind `[/THINK]`.
        let links = bracket.open == "[" && !slash && text[end..].starts_with(['(', '[', ':']);
        (valid && !links).then_some(BlockMarker {
            text: &text[..end],
            bracket: number,
            name,
            attributes,
            slash,
        })
    }

    fn bracket(&self) -> &'static Bracket {
        &BRACKETS[self.bracket]
    }

    fn words(&self) -> Vec<String> {
        let words = self.name.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    }

    /// The name without what says which end of the block it is.
    fn core(&self) -> Cow<'t, str> {
        let is_end = |word: &String| {
            ENDS.contains(&word.as_str()) || matches!(word.as_str(), "begin" | "start" | "of")
        };
        let words = self.words();
        let kept: Vec<String> = words.iter().filter(|word| !is_end(word)).cloned().collect();
        Cow::Owned(if kept.is_empty() { words.concat() } else { kept.concat() })
    }

    fn closes(&self) -> bool {
        self.slash || self.words().iter().any(|word| ENDS.contains(&word.as_str()))
    }

    fn naming(&self) -> Naming {
        let words = self.words();
        let says = |list: &[&str], word: &String| list.contains(&word.as_str());
        let thinks = words.iter().any(|word| says(&THINKING, word));
        let filled = |word: &String| says(&FILLERS, word) || says(&ENDS, word);
        // A token or a tag may name its model: `<seed:think>`.
        let named = (self.bracket().is_tag() || self.bracket().is_token()) && words.len() <= 3;
        let exact = words.iter().all(|word| says(&THINKING, word) || filled(word)) || named;
        if thinks && exact {
            return Naming::Thinking;
        }
        if words.iter().any(|word| says(&RESPONSE, word)) {
            return Naming::Response;
        }
        // `<details type="reasoning">`
        let attributes = self.attributes.to_lowercase();
        if self.name.eq_ignore_ascii_case("details") {
            let thinks = ["think", "thought", "reason", "思考", "推理"];
            return match thinks.iter().any(|word| attributes.contains(word)) {
                true => Naming::Thinking,
                false => Naming::Other,
            };
        }
        let related = |word: &String| RELATED.iter().any(|stem| word.starts_with(stem));
        if thinks || words.iter().any(related) { Naming::Related } else { Naming::Other }
    }

    /// Whether a block that is not closed is reasoning: `[Reasoning] It is so.` may be a response.
    fn may_be_open(&self, after: &str) -> bool {
        let bracket = self.bracket();
        let is_title =
            self.name.chars().any(char::is_uppercase) && self.name.chars().any(char::is_lowercase);
        bracket.is_tag()
            || bracket.is_token()
            || !is_title
            || after.trim_start_matches([' ', '\t']).starts_with(['\n', '\r'])
    }

    /// The end of the thought behind the opening marker, and the start of what follows it, by a
    /// marker that closes this name.
    fn exact_end(&self, after: &str) -> Option<ThoughtEnd> {
        self.ends(after).0
    }

    /// The same by any marker that closes a block of reasoning, or opens the response.
    fn end(&self, after: &str) -> Option<ThoughtEnd> {
        let (exact, other) = self.ends(after);
        exact.or(other)
    }

    fn ends(&self, after: &str) -> (Option<ThoughtEnd>, Option<ThoughtEnd>) {
        let core = self.core();
        let open = self.bracket().open;
        let (mut depth, mut first, mut other) = (1_usize, None, None);
        let mut from = 0;
        while let Some(start) = after[from..].find(open).map(|at| at + from) {
            from = start + open.len();
            let Some(marker) = BlockMarker::parse_in(&after[start..], self.bracket) else {
                continue;
            };
            let end = start + marker.text.len();
            from = end;
            let begins_line = after[..start].trim_end_matches([' ', '\t']).ends_with(['\n', '\r']);
            match (marker.core() == core, marker.closes()) {
                (true, true) => {
                    first = first.or(Some((start, end)));
                    depth -= 1;
                    if depth == 0 {
                        return (Some((start, end)), other);
                    }
                }
                (true, false) => depth += 1,
                (false, true) if marker.naming() == Naming::Thinking => {
                    other = other.or(Some((start, end)));
                }
                // The marker of a response is only consumed if it is a token or a bracket.
                (false, false) if marker.naming() == Naming::Response && begins_line => {
                    let kept = if self.bracket().is_tag() { start } else { end };
                    other = other.or(Some((start, kept)));
                }
                _ => {}
            }
        }
        // Markers that are only mentioned in the thought do not nest.
        (first, other)
    }
}

struct Block<'t> {
    thought: &'t str,
    rest: &'t str,
}

/// The block of reasoning that a text begins with.
fn leading_block(text: &str) -> Option<Block<'_>> {
    if let Some(block) = written_block(text).or_else(|| fenced_block(text)) {
        return Some(block);
    }
    let marker = BlockMarker::parse(text).filter(|marker| !marker.closes())?;
    let after = &text[marker.text.len()..];
    let naming = match marker.naming() {
        Naming::Other if summary_says_thinking(&marker, after) => Naming::Thinking,
        naming => naming,
    };
    match naming {
        Naming::Thinking => match marker.end(after) {
            Some((end, next)) => Some(Block { thought: &after[..end], rest: &after[next..] }),
            None if marker.may_be_open(after) => Some(Block { thought: after, rest: "" }),
            None => None,
        },
        Naming::Related => {
            let (_, next) = marker.exact_end(after)?;
            let follows = trimmed(&after[next..]);
            let is_structure = match BlockMarker::parse(follows) {
                Some(next) => next.naming() == Naming::Other && next.bracket == marker.bracket,
                None => follows.is_empty(),
            };
            let whole = marker.text.len() + next;
            (!is_structure).then_some(Block { thought: &text[..whole], rest: &text[whole..] })
        }
        Naming::Response | Naming::Other => None,
    }
}

/// `<details><summary>Thought for 5 seconds</summary>`
fn summary_says_thinking(marker: &BlockMarker<'_>, after: &str) -> bool {
    if !marker.name.eq_ignore_ascii_case("details") {
        return false;
    }
    let Some(rest) = trimmed(after).strip_prefix("<summary>") else { return false };
    let summary = rest.split("</summary>").next().unwrap_or_default().to_lowercase();
    let mut words = summary.split(|c: char| !c.is_alphanumeric());
    summary.len() < MAX_MARKER_BYTES && words.any(|word| THINKING.contains(&word))
}

/// Beginnings and ends of blocks that are no markers.
const WRITTEN: [(&str, &str); 5] = [
    ("<|channel>thought", "<channel|>"),
    ("<unused94>thought", "<unused95>"),
    ("<unused94>", "<unused95>"),
    ("thinking...", "...done thinking."),
    ("here is my thought process:", "here is my response:"),
];

fn written_block(text: &str) -> Option<Block<'_>> {
    WRITTEN.iter().find_map(|(opening, closing)| {
        let after = text.get(opening.len()..)?;
        if !text[..opening.len()].eq_ignore_ascii_case(opening) {
            return None;
        }
        match find(after, closing) {
            Some(end) => {
                Some(Block { thought: &after[..end], rest: &after[end + closing.len()..] })
            }
            // A sentence may be a response.
            None if opening.starts_with('<') => Some(Block { thought: after, rest: "" }),
            None => None,
        }
    })
}

/// A fenced block whose language is thinking.
fn fenced_block(text: &str) -> Option<Block<'_>> {
    let fence = ["```", "~~~"].into_iter().find(|fence| text.starts_with(fence))?;
    let (first, after) = text.split_once('\n')?;
    let language = first[fence.len()..].trim().to_lowercase();
    if !THINKING.contains(&language.as_str()) {
        return None;
    }
    let mut offset = 0;
    for line in after.split_inclusive('\n') {
        if line.trim() == fence {
            return Some(Block { thought: &after[..offset], rest: &after[offset + line.len()..] });
        }
        offset += line.len();
    }
    Some(Block { thought: after, rest: "" })
}

/// A response that begins inside a block: a closing marker on a line of its own, or at the end of a
/// line before a blank one.
fn split_open_block(response: &str) -> Option<(&str, &str)> {
    let mut offset = 0;
    let mut fenced = false;
    let mut lines = response.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let trimmed_line = line.trim();
        if trimmed_line.starts_with("```") || trimmed_line.starts_with("~~~") {
            fenced = !fenced;
        }
        let marker = BRACKETS.iter().find(|bracket| trimmed_line.ends_with(bracket.close));
        let start = marker.filter(|_| !fenced).and_then(|bracket| {
            let start = trimmed_line.rfind(bracket.open)?;
            let marker = BlockMarker::parse(&trimmed_line[start..])?;
            let ends = start + marker.text.len() == trimmed_line.len();
            let blank = lines.peek().is_some_and(|next| next.trim().is_empty());
            let glued = !trimmed_line[..start].ends_with(char::is_whitespace);
            // A text about markers names the opening one, too.
            let opening = [bracket.open, marker.name].concat();
            let is_unopened =
                marker.slash && lines.peek().is_some() && !response.contains(&opening);
            let placed = start == 0 || glued && (blank || is_unopened);
            let closes = marker.closes() && marker.naming() == Naming::Thinking;
            (ends && placed && closes).then_some(start)
        });
        if let Some(start) = start {
            let indent = line.len() - line.trim_start().len();
            return Some((&response[..offset + indent + start], &response[offset + line.len()..]));
        }
        offset += line.len();
    }
    None
}

/// The text without tokens around it that say that it is the response.
fn without_response_markers(text: &str) -> &str {
    let Some(marker) = BlockMarker::parse(text) else { return text };
    if !marker.bracket().is_token() || marker.naming() != Naming::Response {
        return text;
    }
    let inside = trimmed(&text[marker.text.len()..]);
    match marker.exact_end(inside) {
        Some((end, next)) if inside[next..].trim().is_empty() => inside[..end].trim_end(),
        _ => inside,
    }
}

/// The messages of a response in channels (OpenAI's Harmony): the text of the channel `final`, and
/// the texts of all others as reasoning. Without special tokens, only the names of channels are left.
fn channels(response: &str) -> Option<(String, &str)> {
    let mut rest = trimmed(response);
    rest = rest
        .strip_prefix("<|start|>")
        .map_or(rest, |rest| rest.split_once("<|").map_or(rest, |(role, _)| &rest[role.len()..]));
    if !rest.starts_with("<|channel|>") {
        return bare_channels(response);
    }
    let (mut thoughts, mut text) = (Vec::new(), "");
    while let Some((_, message)) = rest.split_once("<|channel|>") {
        let Some((channel, body)) = message.split_once("<|message|>") else {
            break;
        };
        let ends = ["<|end|>", "<|return|>", "<|call|>", "<|start|>", "<|channel|>"];
        let end = ends.iter().filter_map(|end| body.find(end)).min().unwrap_or(body.len());
        let message_text = body[..end].trim();
        rest = &body[end..];
        match channel.split_whitespace().next() {
            Some("final") => text = message_text,
            _ => thoughts.push(message_text),
        }
    }
    Some((thoughts.join("\n\n"), text))
}

/// `analysisLet me see.assistantfinalYes.`
fn bare_channels(response: &str) -> Option<(String, &str)> {
    const FINAL: &str = "assistantfinal";
    let after = trimmed(response).strip_prefix("analysis")?;
    let end = after.rfind(FINAL)?;
    let glued = !after.starts_with(|c: char| c.is_whitespace() || c.is_lowercase());
    let thoughts = after[..end].replace("assistantcommentary", "\n\n");
    let thoughts = thoughts.replace("assistantanalysis", "\n\n");
    glued.then(|| (thoughts.trim().to_owned(), after[end + FINAL.len()..].trim_start()))
}

fn trimmed(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'))
}

/// The start of the character at an offset, or the length of the text.
fn floor(text: &str, mut at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn find(text: &str, wanted: &str) -> Option<usize> {
    let (text, wanted) = (text.as_bytes(), wanted.as_bytes());
    text.windows(wanted.len()).position(|window| window.eq_ignore_ascii_case(wanted))
}

#[cfg(test)]
mod tests {
    use super::{part, unknown_block};

    #[test]
    fn reasoning_ends_where_the_response_begins() {
        for (response, reasoning, text) in [
            ("<think>Hm.</think>Yes.", "Hm.", "Yes."),
            ("\n <THINK>\nHm.\n</Think>\n\nYes.\n", "Hm.", "Yes.\n"),
            ("\u{feff}<thinking>Hm.</thinking> Yes.", "Hm.", "Yes."),
            ("<think budget=\"5\">Hm.</think>Yes.", "Hm.", "Yes."),
            ("◁think▷Hm.◁/think▷Yes.", "Hm.", "Yes."),
            ("<think></think>\n\nYes.", "", "Yes."),
            ("[THINK]Hm.[/THINK][Update] 9:9", "Hm.", "[Update] 9:9"),
            ("[THINK]Hm.[/THINK](Yes.)", "Hm.", "(Yes.)"),
            ("<think>a</think>\n<think>b</think>Yes.", "a\n\nb", "Yes."),
            ("<think>a<think>b</think>c</think>Yes.", "a<think>b</think>c", "Yes."),
            ("<think>Write <think> first?</think>Yes.", "Write <think> first?", "Yes."),
            ("<think>Hm, it was cut", "Hm, it was cut", ""),
            ("<think>", "", ""),
            ("<think>Hm.</think>", "Hm.", ""),
            ("<think>Hm.</thinking>Yes.", "Hm.", "Yes."),
            ("<think>about </thinking></think>Yes.", "about </thinking>", "Yes."),
            ("<think>Hm.\n<answer>Yes.</answer>", "Hm.", "<answer>Yes.</answer>"),
            ("Hm. I was begun for.\n</think>\n\nYes.", "Hm. I was begun for.", "Yes."),
            ("Hm. So it is.</think>\n\nYes.", "Hm. So it is.", "Yes."),
            ("Hm.\n[/THINK]\nYes.", "Hm.", "Yes."),
            ("</think>\nYes.", "", "Yes."),
            ("<reasoning>Hm.</reasoning>Yes.", "Hm.", "Yes."),
            ("<thought>\nHm.\n</thought>\nYes.", "Hm.", "Yes."),
            ("<inner_monologue>Hm.</inner_monologue>Yes.", "Hm.", "Yes."),
            ("<seed:think>Hm.</seed:think>Yes.", "Hm.", "Yes."),
            ("<longcat_think>Hm.</longcat_think>\nYes.", "Hm.", "Yes."),
            ("<chain-of-thought>Hm.</chain-of-thought>Yes.", "Hm.", "Yes."),
            ("[THINK]Hm.[/THINK]Yes.", "Hm.", "Yes."),
            ("[THINK]Hm, it was cut", "Hm, it was cut", ""),
            ("[Thinking]\nHm.\n[Answer]\nYes.", "Hm.", "Yes."),
            ("[START OF REASONING]Hm.[END OF REASONING]Yes.", "Hm.", "Yes."),
            ("{{thinking}}Hm.{{/thinking}}Yes.", "Hm.", "Yes."),
            ("<|thinking|>Hm.<|/thinking|>Yes.", "Hm.", "Yes."),
            ("<|think|>Hm.<|end_think|>Yes.", "Hm.", "Yes."),
            (
                "<|begin_of_thought|>Hm.<|end_of_thought|>\n<|begin_of_solution|>\nYes.\n<|end_of_solution|>",
                "Hm.",
                "Yes.",
            ),
            (
                "<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Yes.<|END_RESPONSE|>",
                "Hm.",
                "Yes.",
            ),
            ("<|START_THINKING|>Hm, it was cut", "Hm, it was cut", ""),
            ("<unused94>thought\nHm.<unused95>Yes.", "Hm.", "Yes."),
            ("<|channel>thought\nHm.\n<channel|>Yes.", "Hm.", "Yes."),
            ("【思考】想一想。【/思考】好。", "想一想。", "好。"),
            ("【思考过程】\n想一想。\n【回答】\n好。", "想一想。", "好。"),
            ("<思考>想一想。</思考>好。", "想一想。", "好。"),
            ("<gedanken>Hm.</gedanken>Ja.", "Hm.", "Ja."),
            ("```thinking\nHm.\n```\nYes.", "Hm.", "Yes."),
            (
                "<details type=\"reasoning\" done=\"true\">\n<summary>x</summary>\nHm.\n</details>\nYes.",
                "<summary>x</summary>\nHm.",
                "Yes.",
            ),
            (
                "<details><summary>Thought for 5 seconds</summary>Hm.</details>Yes.",
                "<summary>Thought for 5 seconds</summary>Hm.",
                "Yes.",
            ),
            ("Thinking...\nHm.\n...done thinking.\n\nYes.", "Hm.", "Yes."),
            ("Here is my thought process:\nHm.\nHere is my response:\nYes.", "Hm.", "Yes."),
            (
                "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>",
                "Hm.",
                "Yes.",
            ),
            (
                "<|start|>assistant<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>{}",
                "Hm.\n\nI look.",
                "{}",
            ),
            ("<|channel|>final<|message|>Yes.", "", "Yes."),
            ("<|channel|>analysis<|message|>Hm, it was cut", "Hm, it was cut", ""),
            ("<|channel|>analysis", "", ""),
            (
                "analysisWe need two words.assistantfinalYes, two.",
                "We need two words.",
                "Yes, two.",
            ),
            // A name that no model is known for keeps its markers.
            ("<pondering>Hm.</pondering>\nYes.", "<pondering>Hm.</pondering>", "Yes."),
            (
                "<think>a</think><reflection>b</reflection>Yes.",
                "a\n\n<reflection>b</reflection>",
                "Yes.",
            ),
            ("[ANALYSIS]Hm.[/ANALYSIS]Yes.", "[ANALYSIS]Hm.[/ANALYSIS]", "Yes."),
        ] {
            assert_eq!(part(response), Some((reasoning.to_owned(), text)), "{response:?}");
        }
    }

    #[test]
    fn markers_in_running_text_are_kept() {
        for response in [
            "",
            "Yes.",
            "Write <think> before you answer.",
            "Yes. <think>Hm.</think>",
            "The tag `</think>` ends it.",
            "Begin with <think>, end with </think>\n\nThat is all.",
            "Like so:\n```\n<think>\nHm.\n</think>\n```\n",
            "<thinker>Rodin</thinker>",
            "<b>think</b>",
            "<p>I think so.</p>",
            "<analysis><point>Costs fell.</point></analysis>",
            "<reflection>\n<p>It was a long year.</p>\n</reflection>",
            "<reflections><one>a</one></reflections><answers><one>b</one></answers>",
            "[Thought experiment] Imagine a cat.",
            "[Reasoning] It is so because it was so.",
            "[think](https://example.org) of it",
            "[THINK]: https://example.org",
            "{\"think\": 1}",
            "【思维导图】可以这样画。",
            "[x] Think of it",
            "analysis of the final assistant",
            "analysisResult = 5",
            "Thinking... it over, I would go.",
            "Here is my thought process: first, look.",
            "```python\nthink()\n```",
            "<details><summary>Recipe</summary>Boil.</details>",
            "é",
            "<",
            "<|",
            "[",
        ] {
            assert_eq!(part(response), None, "{response:?}");
        }
    }

    #[test]
    fn unknown_blocks_of_the_same_shape_are_reported() {
        for (text, marker) in [
            ("<plan>First this.</plan>\n\nDear Ann,", "<plan>"),
            ("[PLAN]First this.[/PLAN] Dear Ann,", "[PLAN]"),
            ("<|scribble|>First this. Dear Ann,", "<|scribble|>"),
            ("<notes>First this.</notes>Dear Ann,", "<notes>"),
            ("<pondering>Hm.</pondering>", "<pondering>"),
            ("[Reasoning] It is so.", "[Reasoning]"),
        ] {
            assert_eq!(unknown_block(text), Some(marker), "{text:?}");
        }
        for text in [
            "Dear Ann,",
            "<p>Dear Ann,</p> yours",
            "<note><to>Ann</to></note>",
            "<title>A</title><body>b</body>",
            "<think>Hm.</think>Yes.",
            "[1] It is so.",
            "[Name], hello.",
            "{\"a\": 1}",
            "{a} and {/b}",
            "<answer>Yes</answer> It is.",
            "Hm.",
            "",
        ] {
            assert_eq!(unknown_block(text), None, "{text:?}");
        }
    }

    #[test]
    fn any_text_is_separated_in_linear_time_without_panic() {
        for piece in
            ["<think>", "</think>", "[THINK]", "<|", "|>", "<|channel|>", "【思", "\n</", "é"]
        {
            let text = piece.repeat(60_000);
            let _ = (part(&text), unknown_block(&text));
        }
        let many = "<think>a</think>".repeat(20_000);
        assert_eq!(part(&many).map(|(_, text)| text.len()), Some(0));
    }
}
