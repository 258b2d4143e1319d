//! The frame of a response: what is said to the user before and after the answer.
//!
//! "Certainly! Here is the list:" and "I hope this helps." are addressed to the user; the list is the
//! answer. Only complete lines at the beginning and the end of a response are examined, and a line is
//! dropped only if every sentence of it is one of these:
//!
//! * at the beginning, an acceptance ("Of course!", "好的", "Gern!"), or an announcement ("Here is
//!   …:"); an announcement that ends without a colon has to refer to the request or the user;
//! * at the end, a hope, an offer, a request for feedback, a count of words, or a note about the
//!   request ("I hope this helps.", "Would you like another tone?", "(95 words)");
//! * a rule (`---`) between such a line and the answer.
//!
//! A title or a label before the answer is no address, but around it as well: a heading or a line in
//! bold that is the only one of its kind, a first line that ends in a colon, `**Answer:**`, and one
//! fence around everything.
//!
//! A line that a requirement is about stays: the caller says which. If everything is an acceptance
//! ("Sure!"), that is the answer; if everything is said about an answer, there is none.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::markdown::{LineKind, classify_lines};

/// What a response consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The answer, without what is addressed to the user.
    pub answer: Range<usize>,
    /// The same without a title or label before it, and without a fence around it.
    pub body: Range<usize>,
}

/// The frame of a response. `is_content` says of a line that it belongs to the answer, although it
/// looks like a part of the frame.
pub fn frame(text: &str, is_content: &dyn Fn(&str) -> bool) -> Frame {
    let lines = text_lines(text);
    let (mut first, mut last) = (0, lines.len());
    let mut has_statement = false;
    while first < last && first < MAX_LINES {
        let line = lines[first];
        let role =
            opening(line.text(text)).filter(|_| !line.is_code && !is_content(line.text(text)));
        // `Sure!` may be the first of several slogans.
        let next = lines.get(first + 1).filter(|_| role == Some(FrameOpening::Accepted));
        if next.is_some_and(|next| is_alike(line, next, text)) {
            break;
        }
        match role {
            Some(role) => has_statement |= role == FrameOpening::Announced,
            None if line.is_rule && first > 0 => {}
            None => break,
        }
        first += 1;
    }
    let (from, mut closed) = (last, false);
    while first < last && from - last < MAX_LINES {
        let line = lines[last - 1];
        let before = lines[first..last - 1].last().filter(|before| is_listed(**before));
        let after_list = before.is_some_and(|before| are_apart(*before, line, text));
        let closes = !line.is_code
            && is_closing(line.text(text), after_list)
            && !is_content(line.text(text));
        if !(closes || line.is_rule && closed) {
            break;
        }
        closed |= closes;
        last -= 1;
    }
    has_statement |= closed;
    if first >= last {
        // A bare "Sure!" is an answer.
        let whole = if has_statement || lines.is_empty() { 0..0 } else { 0..text.len() };
        return Frame { answer: whole.clone(), body: whole };
    }
    let range = |first: usize, last: usize| lines[first].start..lines[last - 1].end;
    let inside =
        announced(lines[first].text(text)).filter(|_| !is_content(lines[first].text(text)));
    let mut answer = range(first, last);
    answer.start += inside.unwrap_or(0);
    let body = body(text, &lines, first, last, answer.clone(), is_content);
    Frame { answer, body }
}

/// Whether a text names words of a frame that a line has: `I hope this helps` in "I hope this helps!",
/// but not `black sea` in "Here is a text about the Black Sea:".
pub fn names_frame(wanted: &str, line: &str) -> bool {
    let wanted = normal(wanted);
    let mut words =
        wanted.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|w| !w.is_empty());
    let is_cue = |word: &str| {
        CUES.contains(&word) || !word.is_ascii() && HAN_CUES.iter().any(|cue| word.contains(cue))
    };
    !wanted.is_empty()
        && words.next().is_some_and(is_cue)
        && words.all(is_cue)
        && normal(line).contains(&wanted)
}

/// The largest number of lines of a frame on each side.
const MAX_LINES: usize = 5;

/// A longer line is no frame.
const MAX_LINE_BYTES: usize = 600;

/// A line that is not blank.
#[derive(Clone, Copy)]
struct TextLine {
    start: usize,
    end: usize,
    kind: LineKind,
    is_rule: bool,
    /// Whether it is in a fenced block, or is its fence.
    is_code: bool,
}

impl TextLine {
    fn text<'t>(&self, text: &'t str) -> &'t str {
        &text[self.start..self.end]
    }
}

fn text_lines(text: &str) -> Vec<TextLine> {
    let lines = classify_lines(text);
    let filled = lines.iter().filter(|line| !matches!(line.kind, LineKind::Blank));
    let filled = filled.map(|line| TextLine {
        start: line.marker,
        end: line.end,
        kind: line.kind,
        is_rule: line.kind == LineKind::Rule
            || text[line.marker..line.end].trim_matches('—').is_empty(),
        is_code: matches!(line.kind, LineKind::Code | LineKind::FenceOpen | LineKind::FenceClose),
    });
    filled.collect()
}

/// Whether a line follows at once that is as short, and in no list.
fn is_alike(line: TextLine, next: &TextLine, text: &str) -> bool {
    const MAX_WORDS: usize = 3;
    let words = next.text(text);
    let most = if words.is_ascii() { 24 } else { 8 };
    let is_short = words.split_whitespace().count() <= MAX_WORDS && words.chars().count() <= most;
    let follows = text[line.end..next.start].matches('\n').count() == 1;
    is_short && follows && next.kind == LineKind::Text && !next.is_rule
}

/// Whether a line is of a list, a table or a fenced block.
fn is_listed(line: TextLine) -> bool {
    line.is_code || matches!(line.kind, LineKind::Item { .. } | LineKind::TableRow)
}

/// Whether a blank line is between two lines.
fn are_apart(before: TextLine, after: TextLine, text: &str) -> bool {
    text[before.end..after.start].matches('\n').count() > 1
}

/// The answer without a title, a label, and a fence.
fn body(
    text: &str,
    lines: &[TextLine],
    mut first: usize,
    mut last: usize,
    mut answer: Range<usize>,
    is_content: &dyn Fn(&str) -> bool,
) -> Range<usize> {
    if answer.start == lines[first].start && last - first > 1 && is_title(text, &lines[first..last])
    {
        first += 1;
        // A rule below the title, and an announcement.
        while first + 1 < last {
            let line = lines[first];
            let announces = opening(line.text(text)) == Some(FrameOpening::Announced);
            if !line.is_rule && (!announces || line.is_code || is_content(line.text(text))) {
                break;
            }
            first += 1;
        }
        answer.start = lines[first].start;
    }
    if let Some(length) = generic_label(&text[answer.start..lines[first].end]) {
        answer.start += length;
    }
    let fences = lines[first..last]
        .iter()
        .filter(|line| matches!(line.kind, LineKind::FenceOpen | LineKind::FenceClose));
    let is_fenced = lines[first].kind == LineKind::FenceOpen
        && lines[last - 1].kind == LineKind::FenceClose
        && fences.count() == 2;
    if is_fenced && last - first > 2 && answer.start == lines[first].start {
        first += 1;
        last -= 1;
        return lines[first].start..lines[last - 1].end;
    }
    answer
}

/// Whether the first of several lines is a title of the others: the only one of its form.
fn is_title(text: &str, lines: &[TextLine]) -> bool {
    let form = |line: &TextLine| title_form(line.text(text), line);
    let Some(first) = form(&lines[0]) else { return false };
    let others = lines[1..].iter().filter_map(form);
    others.into_iter().all(|other| other != first)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TitleForm {
    Heading,
    Bold,
    Bracketed,
    Label,
}

fn title_form(line: &str, class: &TextLine) -> Option<TitleForm> {
    const MAX_TITLE: usize = 120;
    if class.is_code || line.chars().count() > MAX_TITLE {
        return None;
    }
    if class.kind == LineKind::Heading {
        return Some(TitleForm::Heading);
    }
    let is_item =
        matches!(class.kind, LineKind::Item { .. } | LineKind::TableRow | LineKind::TableHead);
    let bare = line.trim_end_matches([':', '：']).trim_end();
    let within = |open: &str, close: &str| {
        bare.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)).is_some_and(|inside| {
            !inside.trim().is_empty() && !inside.contains(open) && !inside.contains(close)
        })
    };
    if is_item {
        return None;
    }
    if within("**", "**") || within("__", "__") {
        return Some(TitleForm::Bold);
    }
    if within("【", "】") || within("《", "》") {
        return Some(TitleForm::Bracketed);
    }
    let plain = bare.trim_matches(['*', '_']);
    let ends = line.trim_end_matches(['*', '_', ' ']).ends_with([':', '：']);
    (ends && !plain.contains(['.', '!', '?', '。', '！', '？', ':', '：']))
        .then_some(TitleForm::Label)
}

/// The length of `**Answer:** ` before an answer on the same line.
fn generic_label(line: &str) -> Option<usize> {
    static LABEL: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?i)^[*_]{0,3}(?:(?:my |the |final |meine |die )?(?:final )?(?:answer|response|result|output|text|reply|antwort|ergebnis|lösung|endfassung)|答案|回答|结果|正文|回复|输出)[*_]{0,3}\s*[:：][*_]{0,3}\s*",
        )
        .ok()
    });
    let label = LABEL.as_ref()?.find(line)?;
    (label.end() < line.len()).then_some(label.end())
}

/// What an opening line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FrameOpening {
    /// "Of course!"
    Accepted,
    /// "Here is the list:"
    Announced,
}

/// The role of a line before an answer, if all of it is addressed to the user.
fn opening(line: &str) -> Option<FrameOpening> {
    if line.len() > MAX_LINE_BYTES || is_marked(line) {
        return None;
    }
    let line = normal(line);
    let mut rest = unmarked(&line);
    let mut role = None;
    let mut accepted = false;
    while !rest.is_empty() {
        if let Some(length) = find(&ACCEPTS, rest) {
            rest = unmarked(&rest[length..]);
            accepted = true;
            role = role.or(Some(FrameOpening::Accepted));
            continue;
        }
        if let Some(length) = find(&GREETS, rest) {
            rest = unmarked(&rest[length..]);
            continue;
        }
        let end = sentence_end(rest);
        let (sentence, after) = rest.split_at(end);
        let is_last = unmarked(after).is_empty();
        // What follows a colon is content.
        if sentence.trim_end_matches(OUTER).trim_end_matches([':', '：']).contains([':', '：']) {
            return None;
        }
        let colon = is_last && sentence.trim_end_matches(OUTER).ends_with([':', '：']);
        let is_address = find(&ANNOUNCES, sentence).is_some()
            && (colon || accepted || find(&REFERS, sentence).is_some())
            || (accepted || !is_last) && find(&PROMISES, sentence).is_some()
            || find(&EXPLAINS, sentence).is_some()
            || find(&PRESENTS, sentence.trim_end_matches(OUTER)).is_some()
            || !is_last
                && (is_exclamation(sentence) || find(&EXCUSES, sentence).is_some())
                && ends_in_announcement(after)
            || accepted
                && role == Some(FrameOpening::Announced)
                && find(&DESCRIBES, sentence).is_some();
        if !is_address {
            return None;
        }
        role = Some(FrameOpening::Announced);
        rest = unmarked(after);
    }
    role
}

/// `Sounds like a fun project!`
fn is_exclamation(sentence: &str) -> bool {
    const MAX_CHARS: usize = 48;
    sentence.ends_with(['!', '！']) && sentence.chars().count() <= MAX_CHARS
}

/// Whether a line ends in an announcement of a response: `Here is the corrected list:`
fn ends_in_announcement(text: &str) -> bool {
    let mut rest = unmarked(text);
    while !unmarked(&rest[sentence_end(rest)..]).is_empty() {
        rest = unmarked(&rest[sentence_end(rest)..]);
    }
    rest.trim_end_matches(OUTER).ends_with([':', '：'])
        && find(&ANNOUNCES, rest).is_some()
        && (find(&REFERS, rest).is_some() || find(&NAMES, rest).is_some())
}

/// The length of an announcement before an answer on the same line: `Here is the summary: `.
fn announced(line: &str) -> Option<usize> {
    static INLINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(&format!(
            r"(?i)^[*_]{{0,3}}(?:(?:certainly|sure|of course|absolutely|gern|gerne|natürlich|klar|好的|当然|当然可以)[,，.!！。]?\s*)?(?:(?:here(?:['’]s| is| are)|hier (?:ist|sind|kommt)|(?:以下|下面|这)是)[^:：\n.!?。！？]{{0,80}}(?:{NOUNS})[^:：\n.!?。！？]{{0,60}})[:：][*_]{{0,3}}\s*"
        ))
        .ok()
    });
    let announcement = INLINE.as_ref()?.find(line)?;
    (announcement.end() < line.len()).then_some(announcement.end())
}

/// Whether a line after an answer is addressed to the user. `after_list` if the answer ends with a list,
/// a table or a fence, which no letter does.
fn is_closing(line: &str, after_list: bool) -> bool {
    if line.len() > MAX_LINE_BYTES || is_marked(line) {
        return false;
    }
    let line = normal(line);
    let mut rest = unmarked(&line);
    let is_something = !rest.is_empty();
    while !rest.is_empty() {
        // A note in brackets is one sentence.
        if find(&COUNTS, rest).is_some_and(|length| unmarked(&rest[length..]).is_empty()) {
            return true;
        }
        let (sentence, after) = rest.split_at(sentence_end(rest));
        let bare = sentence.trim_start_matches(OUTER);
        let role = find(&NOTES, sentence).or(find(&COUNTS, sentence)).or(find(&KEEPS, bare));
        let wish = after_list && find(&WISHES, bare).is_some();
        if !wish && role.or(find(&CLOSES, bare)).or(find(&EXPLAINS, bare)).is_none() {
            return false;
        }
        rest = unmarked(after);
    }
    is_something
}

/// Whether a line is an item of a list or a row of a table, which belong to an answer.
fn is_marked(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = number.len() < line.len() && number.starts_with(['.', ')', '、']);
    let is_bullet = line.starts_with(['-', '+', '•', '|', '·']) || line.starts_with("* ");
    is_numbered || is_bullet
}

/// Marks that may be around a sentence without changing it.
const OUTER: [char; 20] = [
    ' ', '\t', '*', '_', '`', '#', '>', '"', '“', '”', '(', ')', '（', '）', '[', ']', '【', '】',
    '～', '~',
];

/// The text in lower case, without emphasis, and with plain apostrophes and blanks.
fn normal(line: &str) -> String {
    let plain = |c: char| match c {
        '’' | 'ʼ' | '‘' => '\'',
        '\u{a0}' | '\u{202f}' | '\u{3000}' => ' ',
        c => c,
    };
    let unmarked = line.chars().filter(|c| !matches!(c, '*' | '`'));
    unmarked.map(plain).collect::<String>().to_lowercase()
}

/// The text without marks, stops and emoji before it.
fn unmarked(text: &str) -> &str {
    let is_said =
        |c: char| c.is_alphanumeric() || matches!(c, '(' | '（' | '[' | '【' | '~' | '¿' | '¡');
    let text = text.trim_start_matches(|c: char| !is_said(c));
    let text = text.trim_start_matches(['¿', '¡']);
    if text.chars().any(char::is_alphanumeric) { text } else { "" }
}

/// The end of the first sentence.
fn sentence_end(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let next = chars.peek().map(|(_, next)| *next);
        let spaced = next.is_none_or(|next| next.is_whitespace() || OUTER.contains(&next));
        // `ca. 95 words`
        let is_short =
            c == '.' && text[..at].chars().rev().take_while(|c| c.is_alphabetic()).count() <= 2;
        if matches!(c, '。' | '！' | '？') || matches!(c, '.' | '!' | '?') && spaced && !is_short
        {
            return end;
        }
    }
    text.len()
}

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new($text).ok());
    };
}

/// The length of a match at the beginning.
fn find(pattern: &LazyLock<Option<Regex>>, text: &str) -> Option<usize> {
    pattern.as_ref()?.find(text).map(|found| found.end())
}

/// Nouns for what a user asks for.
const NOUNS: &str = "list|text|summary|version|advert|ad|poem|story|response|answer|reply|slogan|draft|e-?mail|letter|message|article|essay|table|translation|steps?|comment|review|report|speech|plan|outline|paragraph|sentence|lines?|titles?|headline|names?|ideas?|examples?|items?|tips|questions?|options?|words|code|json|csv|html|script|recipe|description|caption|tagline|posts?|tweet|piece|result|rewrite|dialogue|conversation|leaflet|notes?|points|suggestions?|verses?|haiku|limerick|song|lyrics|invitation|announcement|complaint|quiz|schedule|request|liste|gedicht|brief|zusammenfassung|antwort|entwurf|vorschl|rede|bericht|sätze|zeilen|fassung|geschichte|tabelle|übersetzung|werbe|清单|列表|文本|总结|摘要|版本|广告|诗|故事|回答|答案|口号|草稿|邮件|信|文章|表格|译文|翻译|步骤|评论|报告|演讲|计划|大纲|段落|句子|标题|建议|文案|内容|作文";

// A noun for what a user asks for, anywhere.
pattern!(NAMES, &format!(r"^.*?(?:\b|\p{{Han}})(?:{NOUNS})"));

// An acceptance at the beginning of a line. It has to end at a stop or at the end of the line.
pattern!(
    ACCEPTS,
    r"(?x)^(?:(?:
      certainly|sure(?:\ thing)?|of\ course|absolutely|definitely|gladly|with\ pleasure
      |(?:i'm\ |i\ am\ |i'd\ be\ |i\ would\ be\ |always\ )?(?:more\ than\ )?(?:happy|glad|delighted|pleased)\ to(?:\ [^.!?:。！？：—–]*)?
      |i(?:'d|\ would)\ love\ to(?:\ [^.!?:]*)?|i\ can\ (?:certainly\ |definitely\ )?help(?:\ you)?\ with\ that|let\ me\ help(?:\ you)?(?:\ with\ that)?
      |okay|ok|alright|all\ right|got\ it|understood|noted|no\ (?:problem|worries)|you\ got\ it|right\ away|my\ pleasure|will\ do|on\ it
      |(?:that's\ |what\ )?an?\ (?:\w+\ ){0,3}(?:question|idea|request|choice|topic|task|prompt)
      |(?:great|good|nice|excellent|wonderful|lovely|fun|interesting|fantastic|awesome|cool)\ (?:question|idea|request|choice|topic|task|prompt)
      |thanks?(?:\ you)?\ for\ (?:your|the|asking|sharing|reaching)[^.!?:]*
      |yes,?\ (?:of\ course|certainly|sure|gladly|absolutely)
      |(?:ja,?\ )?(?:(?:sehr|aber|na\ klar,?)\ )?(?:gern|gerne)(?:\ (?:doch|geschehen|helfe\ ich\ (?:dir|ihnen|euch)))?|(?:das\ )?mache?\ ich(?:\ (?:doch\ )?gerne?)?|mit\ freude|(?:ja,?\ )?(?:na\ )?(?:natürlich|klar(?:\ doch)?|selbstverständlich|sicher|gewiss)|aber\ sicher
      |alles\ klar|kein\ problem|mit\ vergnügen|einverstanden|verstanden|(?:gute|tolle|schöne|interessante)\ (?:frage|idee|aufgabe)
      |(?:vielen\ )?dank\ für\ (?:deine|die|ihre|das)[^.!?:]*|danke\ für\ [^.!?:]*|ich\ helfe\ (?:dir|ihnen)\ (?:gern|gerne)[^.!?:]*
      |好的|好|当然可以|当然|没问题|没有问题|可以的|明白了?|收到|了解|乐意(?:效劳|为您服务)?|非常(?:乐意|荣幸|高兴)[^。！？：:，,]*|很(?:高兴|乐意)[^。！？：:，,]*
      |(?:这是)?(?:一)?个?(?:很|非常)?好(?:的)?(?:问题|想法|主意)|谢谢(?:您|你)的[^。！？：:，,]*|感谢(?:您|你)的[^。！？：:，,]*
      |bien\ sûr|certainement|avec\ plaisir|d'accord|volontiers|absolument|très\ bien
      |claro(?:\ que\ sí)?|por\ supuesto|desde\ luego|con\ (?:mucho\ )?gusto|de\ acuerdo|entendido|perfecto
      |certo|certamente|volentieri|naturalmente|va\ bene|d'accordo|assolutamente|con\ piacere
      |com\ certeza|com\ (?:muito\ )?prazer|sem\ problemas?|perfeito
      |конечно(?:\ же)?|разумеется|с\ удовольствием|хорошо|без\ проблем|да,\ конечно
      |もちろん(?:です)?|はい|承知(?:しました|いたしました)|かしこまりました|わかりました|分かりました
      |물론(?:이죠|입니다)?|네|알겠습니다|좋습니다
    )\s*(?:[,.!:;，。！、：—–…-]+|$))"
);

// Words that say nothing about an answer by themselves: `Perfect! Here is the list:`.
pattern!(
    GREETS,
    r"(?x)^(?:(?:
      perfect|great|wonderful|excellent|awesome|fantastic|sounds\ (?:good|great)|hello|hi|hey|hello\ there|hi\ there|you're\ welcome|done|yes
      |super|perfekt|prima|toll|hallo|guten\ tag|ja|fertig|right|thanks|thank\ you|voilà|danke|很好|太好了|嗯+|您好|你好|完成了?|好嘞
    )\s*(?:[,.!:;，。！、：—–…-]+|$))"
);

// A short announcement, whatever its end.
pattern!(
    PRESENTS,
    r"(?x)^(?:here\ (?:it\ is|they\ are|you\ go|you\ are|we\ go)|[^.!?:]{0,60}\bcoming\ (?:right\ )?up|let\ me\ (?:write|do|make|draft|create|try)\ (?:that|this|it|one|some|these|those)(?:\ for\ you)?|there\ you\ (?:go|have\ it)|let's\ (?:go|begin|start|get\ started)|here\ goes|los\ geht's|dann\ mal\ los|bitte\ (?:sehr|schön))\s*[.!:。！：]*$"
);

// A promise, after an acceptance: `Of course! I'll keep it short.`
pattern!(
    PROMISES,
    r"(?x)^(?:
      (?:i'll|i\ will|i\ can|i\ could|i'd|let\ me|let's|we\ can)\ (?:\w+\ )?(?:do|try|write|make|keep|help|give|create|draft|come\ up|put|see|start|get|go|take|follow|stick|craft|compose|list|provide|share|prepare|work)\b
      |i'm\ on\ it\b|on\ it\b|ich\ (?:mache|schreibe|versuche|gebe|liste|erstelle|formuliere|halte|fasse|helfe|kümmere)\b|(?:das\ )?(?:mache|schaffe|erledige)\ ich\b
      |(?:我)?(?:这就|马上|立刻|立即|现在就)|我(?:来|会|将|可以|试)
    )"
);

// What an announcement of a corrected answer begins with.
pattern!(
    EXCUSES,
    r"(?x)^(?:i(?:'m|\ am)?\ (?:so\ |very\ |sincerely\ )?(?:apologi[sz]e|sorry|understand|see|misread|missed)|sorry|(?:my\ )?apologies|you(?:'re|\ are)\ (?:absolutely\ |quite\ )?right|good\ (?:point|catch)
      |entschuldig|verzeih|tut\ mir\ leid|du\ hast\ recht|sie\ haben\ recht|guter\ punkt|抱歉|非常抱歉|对不起|不好意思|(?:您|你)说得对|之前|désolé|je\ suis\ désolé|lo\ siento|scusa|mi\ dispiace|desculp|извини|прошу\ прощения)[^.!?。！？]{0,120}[.!。！]"
);

// What an announcement says about the answer, after an acceptance.
pattern!(
    DESCRIBES,
    r"(?x)^(?:
      (?:this|these|both|each|the)\ (?:\w+\ ){0,2}(?:templates?|letters?|versions?|examples?|list|table|text|message|response|draft|document|sections?|file|page|code|rubric|resume|proposal)\ (?:\w+ly\ )?(?:includes?|incorporates?|is|are|contains?|uses?|maintains?|has|have|focus\w*|follows?|covers?|provides?|highlights?)\b
      |(?:please\ )?(?:make\ sure\ to|customi[sz]e|adjust|replace|fill|note\ that)\b|you\ can\ (?:\w+\ )?(?:fill|use|adjust|customi[sz]e|replace|modify|adapt)\b|i(?:'ll|\ will|'ve|\ have)\ (?:\w+\ )?(?:use|used|include|included|highlight|highlighted|keep|kept|make|made|try|tried|add|added|then|break)
    )"
);

// An announcement.
pattern!(
    ANNOUNCES,
    r"(?x)^(?:(?:and|so|then|now),?\ )?(?:
      your\ (?:requested\ )?(?:\w+\ )?(?:list|text|summary|slogans?|poem|story|table|translation|comments?|letter|e-?mail)(?:\ (?:is|are)\ (?:below|here|as\ follows))?\s*[:.]
      |here(?:'s|'re|\ is|\ are|\ it\ is|\ they\ are|\ you\ go|\ you\ are|\ comes?|\ goes)\b
      |below(?:,)?\ (?:is|are|you|i)\b|the\ following\b|following\ (?:is|are)\b
      |i(?:'ve|\ have)?\ (?:\w+\ )?(?:written|prepared|put\ together|created|drafted|compiled|made|came\ up|come\ up|gathered|wrote|composed|crafted|listed|rewritten|rewrote|revised|translated|summari[sz]ed|collected|kept|tried)\b
      |i(?:'ll|\ will)\ (?:\w+\ )?(?:write|give|list|provide|start|begin|present|share|create|draft|compose|do|follow)\b
      |let\ me\ (?:\w+\ )?(?:write|give|list|provide|start|begin|share|present|do|try|show)\b|let's\ (?:start|begin|get\ started|dive\ in|take\ a\ look)\b
      |(?:exactly\ |just\ )?as\ (?:you\ )?(?:requested|asked|desired|instructed|wished|wanted)\b|per\ your\ |based\ on\ your\ |in\ response\ to\ your\ |please\ (?:find|see)\b|see\ below\b
      |(?:this|these|my)\ (?:is|are)?\ ?(?:the|your|my|an?)?\ ?(?:\w+\ ){0,4}(?:list|text|summary|version|advert|advertisement|ad|poem|story|response|answer|reply|slogans?|draft|email|letter|message|article|essay|table|translation|attempt|suggestion|result)\b
      |hier\ (?:ist|sind|kommt|kommen|hast\ du|haben\ sie|finden\ sie|findest\ du|folgt|folgen|der|die|das|ein|eine|einige|dein|deine|ihre?|meine?|noch)\b|im\ folgenden\b|nachfolgend\b|nachstehend\b|anbei\b|unten\ (?:findest|finden|steht|stehen)\b|folgende[rsnm]?\b
      |ich\ habe\ [^.!?:]*(?:geschrieben|erstellt|verfasst|zusammengestellt|formuliert|vorbereitet|entworfen|gesammelt|aufgelistet|gehalten|gekürzt|überarbeitet|angepasst|umgeschrieben|übersetzt)
      |wie\ (?:gewünscht|erbeten|verlangt|besprochen)\b|mein\ (?:vorschlag|text|entwurf|versuch)\b|meine\ (?:antwort|liste|fassung|version)\b
      |(?:以下|下面|下列|如下|下文)|这(?:里|儿)?(?:就)?是|(?:我)?(?:已经?)?(?:这就|马上|立刻|立即|现在)?(?:为|给|帮|替)(?:您|你)(?:写|准备|整理|创作|撰写|列|拟|做|编|设计|生成|找|推荐)|(?:根据|按照|依照|按)[^。！？]{0,20}(?:要求|需求|指示|提示)|我(?:来|会|将)(?:为|给|帮|按)
      |voici\b|voilà\b|ci-dessous\b|j'ai\ (?:écrit|rédigé|préparé|créé)\b
      |aquí\ (?:tienes|está|están|va|te\ dejo)\b|a\ continuación\b|he\ (?:escrito|preparado|creado)\b
      |ecco\b|di\ seguito\b|qui\ sotto\b|ho\ (?:scritto|preparato|creato)\b
      |aqui\ (?:está|estão|vai|tem)\b|seguem?\b|abaixo\ (?:está|estão)\b
      |вот\b|ниже\b|я\ (?:написала?|составила?|подготовила?)\b
      |以下(?:に|は|が)|こちら(?:が|は)|下記
      |다음은|아래(?:는|에)|여기
    )"
);

// A reference to the request or to the user.
pattern!(
    REFERS,
    r"(?x)(?:
      \byou(?:'ve|\ have)?\ (?:asked|requested|wanted|specified|described)\b|\byour\ (?:request|instructions?|requirements?|question|prompt|criteria|constraints?|specifications?|guidelines?|brief|rules?|wishes)\b
      |\bas\ (?:you\ )?(?:requested|asked|instructed|desired|wished)\b|\bbelow\b|\bas\ follows\b|\bi(?:'ll|\ will)\ (?:write|give|provide|create|draft|compose|list|share)\ (?:you\ )?(?:an?|the|my|some|\w+)\ (?:\w+\ ){0,3}(?:list|text|summary|poems?|haikus?|slogans?|adverts?|drafts?|versions?|translation|tips|ideas|options|titles|headlines|suggestions|examples|sentences|paragraphs?|lines|leaflet|questions|reviews?|tweets?)\b|\bhere(?:'s|\ is|\ are)\ your\ (?:\w+\ ){0,4}(?:list|text|summary|version|advert|advertisement|poem|story|response|answer|reply|slogans?|draft|email|letter|message|article|essay|table|translation|speech|report|review)\b
      |\bhere(?:'s|\ is|\ are)\ (?:an?|the|my|some|a\ few|\d+|two|three|four|five|six|seven|eight|nine|ten)\ (?:\w+\ ){0,3}(?:list|summary|poems?|haikus?|slogans?|adverts?|advertisement|drafts?|version|translation|table|tips|ideas|options|titles|headlines|suggestions|examples|sentences|taglines|captions|outline|rewrite|response|answer|limerick|sonnet|e-?mail|leaflet|questions|steps|reviews?|tweets?|names)\b
      |\bhier\ (?:ist|sind|kommt|kommen)\ (?:ein|eine|einige|ein\ paar|der|die|das|dein|deine|ihr|ihre|\d+|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn)\ (?:\w+\ ){0,2}(?:slogans?|liste|gedicht|text|entwurf|vorschläge|sätze|titel|ideen|tipps|zusammenfassung|übersetzung|antwort|fassung|werbetext|anzeige|fragen|schritte)\b
      |(?:以下|下面)是[^。！？]{0,12}(?:口号|清单|列表|广告|文案|诗|总结|摘要|回答|答案|建议|步骤|标题|句子|例子|译文|草稿|名字|问题)
      |(?:du|sie)\ (?:dir\ |sich\ )?(?:gewünscht|gebeten|verlangt|wolltest|wollten|gefragt)|(?:deine[rnms]?|ihre[rnms]?)\ (?:wunsch|bitte|anfrage|vorgaben|anforderungen|anweisungen|frage|wünsche)|gewünschte?[nrs]?\b|im\ folgenden|nachfolgend
      |(?:您|你)(?:的)?(?:要求|需求|指示|请求|需要)|如下|供(?:您|你)参考|(?:为|给|帮)(?:您|你)(?:写|准备|整理|创作|撰写|列|拟)(?:了|好|的|出|一)
    )"
);

// An explanation of how the answer follows the request.
pattern!(
    EXPLAINS,
    r"(?x)^(?:
      wie\ gewünscht\b|as\ requested\b
      |(?:i|i've|i\ have|this|these|those|that's|each|all|every|it|they|the)\b[^.!?]*(?:\bwhat\ you\ (?:asked|requested|wanted)\b|\byou(?:'ve|\ have)?\ (?:asked|requested|specified)\b|\byour\ (?:request|instructions?|requirements?|criteria|constraints?|specifications?|guidelines?|brief|rules?)\b|\bas\ (?:you\ )?(?:requested|instructed)\b|\bthe\ (?:word|length|character)\ (?:limit|count)\b)
      |(?:i|i've|i\ have|each|all|every|they|it|this)\ (?:\w+\ )?(?:have\ |has\ )?(?:followed|follows?|kept\ to|observed|respects?|respected|satisf(?:y|ied|ies)|meets?|fulfil(?:s|led|l)?)\ (?:\w+\ ){0,4}(?:instructions|requirements|constraints|guidelines|rules|criteria)(?:\ (?:given|provided|above))?\s*[.!]*$
      |ich\ habe\ [^.!?]*(?:vorgaben|anforderungen|anweisungen|wünsche|bedingungen|regeln)[^.!?]*(?:beachtet|eingehalten|befolgt|berücksichtigt|erfüllt|umgesetzt)
      |(?:ich|das|dies|diese[rs]?|der|die|es|alle[sr]?)\b[^.!?]*(?:(?:deine[rnms]?|ihre[rnms]?)\ (?:wunsch|bitte|anfrage|vorgaben|anforderungen|anweisungen|wünsche)|wie\ gewünscht|(?:du|sie)\ (?:gewünscht|verlangt)\ ha)
      |(?:我|这|以上|上面|每|所有|全部)[^。！？]*(?:(?:您|你)(?:的)?(?:要求|需求|指示)|字数要求)
    )"
);

// A closing sentence.
pattern!(
    CLOSES,
    r"(?x)^(?:
      (?:i\ |we\ )?(?:really\ |do\ |sincerely\ )?(?:hope|trust)\ (?:this|that|these|those|it|they|you|the|(?:one|some|any)\ of\ (?:these|them|those))\b[^.!?]*(?:help|useful|meet|works?\ |suit|fit|answer|serve|what\ you|\b(?:like|enjoy|love)\ (?:it|this|that|them|these|the)\b|you\ (?:like|enjoy|love)|satisf|liking|expect|looking\ for|inspir|need)
      |(?:please\ |just\ )?(?:let\ me\ know|tell\ me)\b(?:[^.!?]*(?:adjust|chang|modif|revis|edit|tweak|another|other|\bmore\b|else|different|further|\bhelp\b|question|version|tone|feedback|would\ like|'d\ like|like\ me|want\ me|prefer|favou?rite|which\ one|need\ (?:any|it|this|something|help|work)|what\ you\ (?:were|had|are)|if\ any\b|you\ think|how\ (?:it|this|that|they|these)\ (?:goes|go|works?|sounds?|looks?)|thoughts|(?:this|that|it|these|they|everything)\ works?\b|shorter|longer)|\s*[.!]*$)
      |(?:please\ )?(?:review|check|have\ a\ look|take\ a\ look)\b[^.!?]*(?:let\ me\ know|tell\ me)|i'd\ (?:love|like)\ to\ hear\ (?:your|what)\b
      |(?:need\ )?anything\ (?:else|you'd\ like|you\ would\ like)\b[^.!]*\?|do\ (?:these|they|any\ of\ (?:these|them))\ (?:work|sound|look|fit|match|help|suit)\b[^.!]*(?:you\b|okay|good|right|need)[^.!]*\?|that's\ (?:all|it)\b[^.!?]*
      |(?:please\ )?feel\ free\ to\b[^.!?]*(?:\bask|reach\ out\s*(?:$|[.!]|to\ me|if|with|any|for)|\blet\b|adjust|modif|chang|\buse\ (?:it|this|them|these|any)|edit|tweak|contact|request|copy|tell|\bmix|combine|adapt|tailor|swap|customi[sz]e)
      |(?:please\ )?(?:don't|do\ not)\ hesitate\b
      |(?:if|should)\ (?:you|there|anything|it|this|any\ of)\b[^.!?]*(?:let\ me\ know|\b(?:i\ can|i'll|i\ could|i'd|i\ would|happy\ to|glad\ to)\ (?:be\ )?(?:\w+\ )?(?:\w+\ )?(?:adjust|chang|modif|revis|edit|tweak|add|make|write|rewrite|provide|offer|help|assist|shorten|lengthen|expand|extend|include|create|draft|translate|refine|update|elaborate|explain|suggest|continue|simplify)|feel\ free|just\ (?:ask|tell|say)|tell\ me|please\ (?:ask|say))
      |just\ (?:ask|say\ (?:so|the\ word)|tell\ me|let\ me\ know)\b|there\ you\ (?:go|have\ it)\b|you\ (?:can|could|may)\ (?:\w+\ )?(?:adjust|change|edit|tweak|adapt|replace)\b[^.!?]*(?:tone|text|wording|names?|details|placeholder|as\ (?:needed|you\ like))
      |(?:need|want|prefer)\ (?:it|this|that|them|me|another|more|something|any|a\ (?:different|shorter|longer|new))\b[^.!]*\?
      |(?:i\ can|i\ could|i'd|i\ would)\b[^.!?]*\bif\ (?:needed|necessary|desired|you(?:'d)?\ (?:like|want|need|prefer|wish))
      |would\ you\ like\ (?:me|to\ (?:see|have|add|change|hear|make|adjust)|any|another|more|something|it|this|that|these|them|an?\ (?:\w+\ ){0,2}(?:version|option|draft|one|list|example|translation|tone|style))\b[^.!]*\?
      |(?:do|did)\ you\ (?:want|need|prefer|like)\ (?:me|it|this|that|these|them|any|another|more|something|a\ (?:different|shorter|longer))\b[^.!]*\?
      |(?:shall|should|may|can|could)\ i\ (?:\w+\ )?(?:adjust|change|add|make|write|revise|shorten|expand|continue|include|provide|translate|rewrite|help|assist|create|draft|refine|simplify|do\ (?:anything|something|more)|get\ you)\b[^.!]*\?
      |(?:should|shall)\ i\ (?:go\ on|keep\ going|continue)\s*\?|you're\ welcome\s*[.!]*$|(?:use|pick|choose)\ (?:the\ one|whichever)\b[^.!?]*\byou\b|i'd\ be\ (?:happy|glad)\ to\ (?:write|make|add|create|do)\ [^.!?]*(?:more|another|others?)\b
      |(?:would|could|is|are|do|does|did|was|shall|should|soll|sollen|wünsch\w*|willst|wollen|wäre|darf|请问|是否|要不要)\b?[^.!?。！？]*(?:(?:another|different|longer|shorter|other|further|alternative)\ (?:version|draft|tone|style|option|slogan|text|variant|wording)|(?:andere|weitere|längere|kürzere|neue)[nrs]?\ (?:version|fassung|variante|ton|stil|vorschläge)|noch\ mehr\ sein|(?:您|你)的(?:要求|需求|预期)|版本)[^.!?。！？]*[?？]
      |is\ there\ (?:anything|something)\b[^.!]*(?:else|you(?:'d)?\ (?:like|want|need)|\bi\ can|to\ (?:add|change|adjust))[^.!]*\?|(?:is|was|does)\ (?:this|that)\b[^.!]*(?:help|what\ you|okay|ok|work|sound|fit)[^.!]*\?
      |how\ (?:does|do)\ (?:that|this|these|it|they)\ (?:sound|look|work|feel|read)\b[^.!]*\?|how(?:'s|\ is|\ are)\ (?:that|this|these)\s*\?|what\ do\ you\ think(?:\ (?:of|about)\ (?:this|that|it|them|these|the\ \w+))\s*\?
      |which\ (?:one|version|option|of\ (?:these|them|the))\b[^.!]*(?:like|prefer|favou?rite|best|want)[^.!]*\?|(?:any|do\ you\ have\ any)\ (?:other\ |more\ |further\ )?(?:questions|feedback|thoughts)\b[^.!]*\?|(?:any\ |your\ )?feedback\ is\ (?:always\ )?(?:welcome|appreciated)|(?:i'm\ |i\ am\ )?looking\ forward\ to\ (?:your\ feedback|hearing\ what\ you\ think)
      |(?:(?:i'm|i\ am|i'd\ be|i'll\ be|i\ would\ be|always)\ (?:always\ |more\ than\ )?)?(?:happy|glad|here|delighted)\b[^.!?]*(?:\bhelp|assist|adjust|revis|provid|make\ (?:any|further|more|some|changes|adjustments|it|them|this)|\banswer|elaborat|expand|chang|refine|tweak|(?:you|anything)\b[^.!?]*need)
      |enjoy(?:\ (?:it|this|them|the\ (?:poem|story|text|list|read|song)|your\ (?:meal|trip|read|reading)))?\s*[.!]+$|happy\ (?:writing|cooking|baking|reading|coding|learning|travels|planning|gardening)\s*[.!]+$
      |(?:ich\ )?(?:hoffe|wünsche),?\ (?:das|dies|es|dass|die|der|sie|du|damit)\b[^.!?]*(?:hilft|helfen|gefällt|gefallen|passt|passen|entspricht|entsprechen|nützlich|hilfreich|weiter|vorstell|wünsch|freude)
      |(?:ich\ )?hoffe,?\ (?:das|es|dies)\ passt\b|ich\ hoffe,?\ ich\ konnte\b|(?:auf\ wunsch|bei\ bedarf)\ kann\ ich\b|melden?\ (?:sie\ sich|dich)\b[^.!?]*(?:rückfrag|frage|gern|jederzeit|änder)|hoffentlich\ (?:hilft|gefällt|passt|entspricht|trifft)\b
      |(?:sag|sagen\ sie|sage|gib|geben\ sie|lass|lassen\ sie|melde|melden\ sie|schreib|schreiben\ sie|frag|fragen\ sie)\b[^.!?]*(?:bescheid|wissen|jederzeit|feedback|rückmeldung|(?:wenn|falls|ob)\b[^.!?]*(?:\bich\b|noch|ander|änder|brauch|möcht|wünsch|passt|gefällt|frage))
      |(?:wenn|falls|sollten?)\ (?:du|sie|dir|ihnen|etwas|noch|es|das|ihr)\b[^.!?]*(?:bescheid|\bsag\b|\bgib\b|geben\ sie|\blass|\bmeld|\bhelfe\b|\bpasse\b|\bändere\b|überarbeite|schreib\ mir|\bfrag|verfügung|kann\ ich\b[^.!?]*(?:ändern|anpassen|kürzen|erweitern|umschreiben|helfen|liefern|schreiben|erstellen|machen|ergänzen|überarbeiten|hinzufügen))
      |(?:möchtest\ du|möchten\ sie|brauchst\ du|brauchen\ sie|willst\ du|wollen\ sie|hast\ du|haben\ sie|gibt\ es|kann\ ich|darf\ ich)\b[^.!]*(?:\bnoch\b|weitere|ander|\bhilfe\b|\bhelfen\b|version|fassung|änder|anpass|kürz|länger|mehr\ |dass\ ich|\bsonst\b|fragen)[^.!]*\?
      |(?:soll\ ich|sollen\ wir)\ [^.!]*(?:noch|etwas|text|version|fassung|änder|anpass|kürz|läng|ergänz|umschreib|übersetz|hinzufüg|schreiben)[^.!]*\?|passt\ (?:das|dir\ das|es|der\ text)\b[^.!]*\?|(?:wie\ )?gefällt\ (?:dir|ihnen|euch|es)\ ?(?:das|der\ text|die\ fassung|die\ liste|es|dir|ihnen)?(?:\ so)?\s*\?|ist\ (?:das|dies|es)\ (?:so\ )?(?:in\ ordnung|okay|ok|gut|richtig|recht|passend|in\ (?:deinem|ihrem)\ sinne?)\b[^.!]*\?
      |bei\ (?:weiteren\ )?(?:fragen|wünschen|rückfragen|änderungswünschen)\b[^.!?]*(?:\bich\b|bescheid|meld|\bfrag|verfügung|schreib)|(?:gerne?|auf\ wunsch)\ (?:helfe|passe|ändere|überarbeite|kürze|ergänze|stehe|erstelle|schreibe|liefere|mache|formuliere|schicke|übersetze|zeige)\ ich\b[^.!?]*|ich\ (?:helfe|passe|ändere|überarbeite|kürze|stehe)\b[^.!?]*(?:\b(?:dir|ihnen|euch|es|den\ text)\b[^.!?]*gern|gern\b[^.!?]*\b(?:weiter|an|dir|ihnen)\b|verfügung|jederzeit)
      |(?:du\ kannst|sie\ können)\ (?:den\ text|das|es|sie|ihn|die\ \w+)\b[^.!?]*(?:anpassen|ändern|kürzen|erweitern|verwenden|übernehmen)|(?:ich\ freue\ mich\ (?:auf|über)\ (?:dein|ihr|deine|ihre)\ )(?:feedback|rückmeldung)|viel\ (?:spaß|freude|vergnügen)(?:\ (?:damit|dabei|beim\ \w+))?\s*[.!]+$
      |(?:希望|但愿)[^。！？]*(?:帮助|帮到|帮上|有用|满意|喜欢[。！!～~😊\ ]*$|喜欢(?:这[些个篇段份首条]?(?:文|内容|版本|口号|广告|故事|诗|回答|答案|评论)|以上)|符合|满足|参考|合适|启发|要求|需要)
      |(?:如果|如|若|要是|倘若)[^。！？]*(?:告诉我|告知|联系我|问我|[跟和对]我说|提出|我(?:可以|会|再|来|能)[^。！？]*(?:改|调整|写|补充|提供|帮|继续|创作|生成|为[您你])|(?:不妥|不足|不满意|错误|遗漏)|(?:修改|调整|其他|更多|需要|问题|疑问|想法|意见)[^。！？]*(?:请|欢迎|随时|再说))
      |(?:请|您可以|你可以)?(?:随时|欢迎)[^。！？]*(?:告诉|联系我|提问|提出|告知|吩咐|找我|指正|反馈|问我|修改)
      |(?:请问)?(?:您|你)?(?:还)?(?:是否)?(?:还)?(?:需要|想要|希望|想让|要不要)[^。！？]*(?:我|改|调整|其他|别的|更多|版本|帮|补充)[^。！？]*(?:吗|？|呢)|(?:请问)?(?:您|你)?(?:还)?有(?:什么|其他|别的|任何)[^。！？]*(?:需要|问题|要求|想法|意见|建议|疑问|帮)[^。！？]*(?:吗|？|问我|联系|告诉|随时|提出)|(?:请问)?(?:您看|你看|您觉得|你觉得|这样|这个|这些|这份|这篇|以上|内容)[^。！？]{0,10}(?:满意|可以|合适|如何|怎么样|行)(?:吗)?？
      |(?:请问)?(?:您|你)对[^。！？]*(?:版本|内容|结果|文案|回答|清单|这)[^。！？]*(?:满意|意见|想法|看法)[^。！？]*？
      |不知道?(?:您|你|这)[^。！？]*(?:满意|合适|可以|符合)[^。！？]*
      |请(?:您|你)?(?:查收|过目|参考)|期待(?:您|你)的(?:反馈|回复|意见)
      |以上(?:就|即|便)?(?:是|为)?[^。！？]*(?:希望|参考|内容|要求|全部|回答|广告|文案|清单|列表|口号)
      |j'espère\b|n'hésite[zs]?\b|si\ (?:vous|tu)\ (?:souhaite|voulez|avez|veux|as|désire)|(?:souhaitez|voulez)-vous\b|(?:faites|dites)-moi\b|bonne\ lecture
      |espero\ que\b|no\ dudes?\b|si\ (?:quieres|necesitas|deseas|tienes)\b|(?:quieres|te\ gustaría|necesitas|deseas)\b[^.!]*\?|avísame|hazme\ saber|déjame\ saber
      |spero\ (?:che|ti)\b|fammi\ sapere|non\ esitare|se\ (?:vuoi|hai|desideri)\b|vuoi\ che\b
      |se\ (?:quiser|precisar|tiver)\b|avise-me|me\ avise|fique\ à\ vontade|(?:gostaria|quer)\ que\b
      |надеюсь|если\ (?:вам|тебе|вы|хотите|нужно|понадобится)|дайте\ знать|обращайтесь|хотите\b
      |お役に立て|参考になれば|他に(?:も)?|ご(?:不明|質問|要望)|何か(?:ありましたら|あれば)
      |도움이\ 되|더\ (?:필요|궁금)|궁금한|언제든지
    )"
);

// A wish, which may also end a letter: after a list, a table or a fence it is said to the user.
pattern!(
    WISHES,
    r"(?x)^(?:
      thank(?:s|\ you)(?:\ for\ (?:reading|asking|your|the\ (?:chance|opportunity))\b|\s*[.!]*$)|have\ (?:a|an)\ (?:\w+\ )?(?:great|nice|wonderful|lovely|good|amazing|fantastic)\b|(?:best\ of|good)\ luck\b|all\ the\ best\b|(?:i'm\ )?looking\ forward\ to\b|what\ do\ you\ think\b|cheers\b|happy\ \w+ing\b
      |viel\ (?:erfolg|glück|spaß|freude)\b|(?:einen\ )?schönen\ (?:tag|abend)|ich\ freue\ mich\b|alles\ gute\b|danke\b
      |(?:预)?祝(?:您|你|大家)|期待|谢谢|感谢
      |bonne?\ |merci\b|buena\ suerte|gracias\b|grazie\b|obrigad
    )"
);

// A note about the answer.
pattern!(
    NOTES,
    r"(?x)^[(\[（【]?\s*(?:please\ )?(?:note|nb|p\.?s|hinweis|anmerkung|注|备注|说明|提示)\b?\s*(?:that\b|[:：])[^\n]*(?:\bi\b|\bi've\b|request|instruction|requirement|limit|constraint|version|\babove\b|placeholder|template|customi[sz]e|word|character|wörter|vorgabe|wunsch|anforderung|\boben\b|fassung|字|要求|您|你|以上|版本)"
);

// What the answer keeps to: `Each slogan is under ten words.`
pattern!(
    KEEPS,
    r"(?x)^(?:
      (?:all|each|every|everything|the|this|these|those|they|it|both|i|i've|i\ have)\b[^.!?]*(?:\b(?:under|below|within|exactly|precisely|fewer\ than|less\ than|at\ most|at\ least|no\ more\ than|more\ than|up\ to|between|maximum\ of)\ (?:the\ )?(?:\w+\ and\ )?(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|\w+teen|eleven|twelve|\w+ty|(?:a\ )?hundred|word|character)[\ -](?:words?|characters?|letters|sentences?|lines?|paragraphs?|syllables?|limit)\b|\b(?:constraints|requirements|instructions|conditions|criteria|guidelines)\ (?:have\ been|has\ been|are|were|is)\ (?:all\ |fully\ )?(?:met|satisfied|followed|fulfilled|observed|respected|covered))
      |(?:i\ |i've\ |i\ have\ )(?:avoided|left\ out|(?:did\ not|didn't|haven't|have\ not)\ use[d]?)\ [^.!?]*(?:commas?|letter|words?|exclamation\ marks?|bullet\ points?|capitals?|emojis?)\b|no\ (?:commas?|exclamation\ marks?|capital\ letters?|emojis?|bullet\ points?)\ (?:were|was|are|have\ been)\ used
      |(?:alle[sr]?|jede[rs]?|der|die|das|dies|diese[rs]?|beide)\b[^.!?]*(?:(?:weniger\ als|höchstens|maximal|genau|exakt|unter|mindestens|mehr\ als|zwischen)\ (?:\w+\ und\ )?\w+\ (?:wörter|wörtern|worte|worten|zeichen|sätze|sätzen|zeilen|absätze|absätzen|silben)\b|(?:vorgaben|anforderungen|anweisungen|bedingungen|regeln)\ (?:sind|wurden|ist)\ (?:alle\ )?(?:erfüllt|eingehalten|befolgt|beachtet|umgesetzt))
      |(?:每|所有|全部|以上|各)[^。！？]*(?:不超过|少于|不少于|不到|以内|控制在|恰好|正好|均为|都是|都在)[^。！？]*(?:字|词|句|行|段)
    )[^.!?。！？]*[.!。！]*$"
);

// A count of words.
pattern!(
    COUNTS,
    r"(?x)^[(\[（【]?\s*(?:
      (?:end|ende)\ (?:of|der)\ (?:response|answer|text|list|antwort|liste)
      |(?:(?:total|approx\.?|approximate|estimated)\ )?(?:word|character|sentence|line|item)s?\ ?(?:count|total)?\s*[:=：]\s*(?:~|≈|about\ |around\ |approx\.?\ |approximately\ |exactly\ )?\d+(?:\ ?/\ ?\d+)?(?:\ words|\ characters)?
      |(?:~|≈|about\ |around\ |approximately\ |approx\.?\ |exactly\ |(?:in\ )?total:?\ )?\d+\ (?:words|characters|sentences|lines|items|wörter|worte|zeichen|sätze|zeilen)(?:\ (?:in\ total|long|insgesamt))?
      |(?:ca\.\ |etwa\ |rund\ |genau\ |insgesamt:?\ )?\d+\ (?:wörter|worte|zeichen|sätze|zeilen)|(?:wortzahl|wortanzahl|wörterzahl|anzahl\ der\ (?:wörter|zeichen)|zeichenzahl|zeichenanzahl|wörter|zeichen|umfang|länge)\s*:\s*(?:ca\.\ |etwa\ |genau\ )?\d+(?:\ wörter|\ zeichen)?
      |(?:that's|that\ is|that\ makes|in\ total:?|these\ are|das\ sind)\ (?:exactly\ |genau\ )?(?:\d+|two|three|four|five|six|seven|eight|nine|ten|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn)\ (?:\w+\ )?(?:words|characters|sentences|lines|items|slogans|paragraphs|points|wörter|worte|zeichen|sätze|zeilen|punkte|absätze)\b[^.!?]*
      |(?:there\ are|insgesamt\ sind\ es|es\ sind)\ (?:exactly\ |about\ |genau\ |etwa\ )?\d+\ (?:words|characters|sentences|lines|items|wörter|worte|zeichen|sätze|zeilen)(?:\ in\ (?:this|the)\ (?:text|response|answer|list))?
      |(?:this|the|my)\ (?:\w+\ ){0,3}(?:has|have|is|contains?|comes\ to|totals?|runs\ to)\ (?:exactly\ |about\ |~)?\d+\ (?:words|characters|sentences|lines|items)\b(?:\ long)?
      |(?:der|die|das|dies|es|dieser|diese|dieses)\ (?:\w+\ ){0,3}(?:hat|haben|umfasst|enthält|sind)\ (?:genau\ |etwa\ )?\d+\ (?:wörter|worte|zeichen|sätze|zeilen)
      |(?:全文|本文|以上|共|总共|共计|合计|全篇|字数|总字数|约)[^。！？\d]{0,8}[:：]?\s*(?:约|共)?\d+\s*[个条点段项篇词首句行字]?(?:汉字|字|评论|口号|建议|句子|文案|内容)?
      |\d+\s*个?字
    )\s*[)\]）】.。!！]*$"
);

// Words that frames consist of.
const CUES: [&str; 96] = [
    "a",
    "absolutely",
    "again",
    "all",
    "any",
    "anything",
    "are",
    "as",
    "ask",
    "asked",
    "below",
    "can",
    "certainly",
    "course",
    "do",
    "don't",
    "else",
    "enjoy",
    "feel",
    "following",
    "for",
    "free",
    "glad",
    "happy",
    "have",
    "helps",
    "help",
    "helpful",
    "here",
    "here's",
    "hesitate",
    "hope",
    "i",
    "i'd",
    "i'm",
    "if",
    "is",
    "it",
    "just",
    "know",
    "let",
    "like",
    "me",
    "more",
    "need",
    "of",
    "ok",
    "okay",
    "other",
    "please",
    "question",
    "questions",
    "requested",
    "sure",
    "the",
    "this",
    "to",
    "want",
    "what",
    "would",
    "you",
    "your",
    "great",
    "note",
    "count",
    "word",
    "words",
    "understood",
    "further",
    "hoffe",
    "ich",
    "gern",
    "gerne",
    "natürlich",
    "klar",
    "hier",
    "ist",
    "sind",
    "das",
    "hilft",
    "dir",
    "ihnen",
    "bei",
    "fragen",
    "weiteren",
    "wenn",
    "du",
    "sie",
    "noch",
    "etwas",
    "brauchst",
    "sag",
    "bescheid",
    "soll",
    "folgenden",
    "im",
];

const HAN_CUES: [&str; 12] = [
    "好的",
    "当然",
    "没问题",
    "以下",
    "下面",
    "希望",
    "帮助",
    "随时",
    "告诉我",
    "如果",
    "需要",
    "字数",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (&str, &str) {
        let Frame { answer, body } = frame(text, &|_| false);
        (&text[answer], &text[body])
    }

    const ANSWERS: [&str; 4] = [
        "- Taste the sea.\n- Feel the wind.\n- Live now.",
        "The tide turns at noon. Nobody waits for it.\n\nThe moon pulls, the water follows.",
        "海水每天涨落两次。月亮牵引着它。",
        "Die Flut kommt am Mittag. Niemand wartet auf sie.",
    ];

    #[test]
    fn what_is_said_to_the_user_is_dropped() {
        let mut wrong: Vec<String> = Vec::new();
        let mut read = |text: String, answer: &str| {
            if parts(&text).1 != answer {
                wrong.push(text);
            }
        };
        for answer in ANSWERS {
            assert_eq!(parts(answer), (answer, answer));
            for opening in include_str!("../samples/frame-openings.txt").lines() {
                for gap in ["\n", "\n\n", "\r\n\r\n", "\n\n---\n\n"] {
                    read(format!("{opening}{gap}{answer}"), answer);
                }
            }
            for closing in include_str!("../samples/frame-closings.txt").lines() {
                for gap in ["\n\n", "\n", "\n\n---\n\n"] {
                    let text = format!("{answer}{gap}{closing}");
                    read(format!("Sure! Here it is:\n\n{text}\n"), answer);
                    read(text, answer);
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    /// After a list they are said to the user; a letter may end with them.
    #[test]
    fn wishes_belong_to_letters_and_not_to_lists() {
        let letter = "Dear Ann,\nthe tide turns.";
        for wish in [
            "Thanks for reading!",
            "Have a great day!",
            "Good luck with your project!",
            "What do you think?",
            "祝您一切顺利！",
            "Viel Erfolg mit der Bäckerei!",
        ] {
            assert_eq!(parts(&format!("{}\n\n{wish}", ANSWERS[0])).0, ANSWERS[0], "{wish}");
            let (text, glued) = (format!("{letter}\n\n{wish}"), format!("{}\n{wish}", ANSWERS[0]));
            assert_eq!((parts(&text).0, parts(&glued).0), (&text[..], &glued[..]), "{wish}");
        }
    }

    /// First and last lines of texts that people ask for.
    #[test]
    fn content_is_kept() {
        let mut wrong: Vec<String> = Vec::new();
        for line in include_str!("../samples/frame-content.txt").lines() {
            let others = [format!("{line}\nThe tide turns."), format!("The tide turns.\n{line}")];
            for text in others.into_iter().chain([line.to_owned()]) {
                if parts(&text).0 != text {
                    wrong.push(text);
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn frames_alone_are_no_answer_but_acceptances_are() {
        for text in [
            "Certainly. Here is what you asked for:",
            "I hope this helps!",
            "Sure! Here is the list:\n\nI hope this helps!",
            "好的，以下是您要的广告：",
            "Gern! Hier ist die Liste:",
            "",
            " \n",
        ] {
            assert_eq!(parts(text).0, "", "{text}");
        }
        for text in ["Sure!", "Of course.", "好的。", "Klar!", "Sure!\nFresh!\nFun!"] {
            assert_eq!(parts(text).0, text);
        }
    }

    #[test]
    fn titles_labels_and_fences_are_around_the_body() {
        for (text, body) in [
            ("# The Sea\n\nIt ebbs.\nIt flows.", "It ebbs.\nIt flows."),
            ("**The Sea**\n\nIt ebbs.", "It ebbs."),
            ("**Three slogans:**\n- a\n- b\n- c", "- a\n- b\n- c"),
            ("《海》\n潮起\n潮落", "潮起\n潮落"),
            ("Three slogans for the shop:\n- a\n- b", "- a\n- b"),
            ("## Answer\n\nHere are the slogans:\n- a\n- b", "- a\n- b"),
            ("**Answer:** It ebbs.", "It ebbs."),
            ("Antwort: Es ebbt.", "Es ebbt."),
            ("答案：退潮。", "退潮。"),
            ("```\nIt ebbs.\nIt flows.\n```", "It ebbs.\nIt flows."),
            ("Sure! Here it is:\n\n```text\nIt ebbs.\n```\n\nI hope this helps!", "It ebbs."),
            ("Here is the summary: It ebbs and flows.", "It ebbs and flows."),
            // Sections, and lines of one form, are content.
            ("# A\na\n# B\nb", "# A\na\n# B\nb"),
            ("**a**\n**b**\n**c**", "**a**\n**b**\n**c**"),
            ("Morning:\n- a\nEvening:\n- b", "Morning:\n- a\nEvening:\n- b"),
            ("# The Sea", "# The Sea"),
            ("Title: The Sea\nIt ebbs.", "Title: The Sea\nIt ebbs."),
            ("```\na\n```\nb\n```\nc\n```", "```\na\n```\nb\n```\nc\n```"),
            ("Here is the thing: it ebbs.", "Here is the thing: it ebbs."),
        ] {
            assert_eq!(parts(text).1, body, "{text}");
        }
    }

    #[test]
    fn lines_that_a_requirement_names_stay() {
        let text = "Certainly! Here is a text about the Black Sea:\nIt ebbs.\nI hope this helps.";
        let kept = |wanted: &[&str]| {
            let is_content = |line: &str| wanted.iter().any(|wanted| names_frame(wanted, line));
            text[frame(text, &is_content).answer].lines().count()
        };
        assert_eq!(kept(&[]), 1);
        assert_eq!(kept(&["I hope this helps"]), 2);
        assert_eq!(kept(&["Certainly"]), 2);
        assert_eq!(kept(&["black sea", "text"]), 1);
        assert_eq!(kept(&["hope", "certainly"]), 3);
        assert!(names_frame("希望", "希望这对您有帮助！") && !names_frame("", "Sure!"));
    }

    #[test]
    fn any_text_has_a_frame_in_its_bounds() {
        for text in
            ["\u{feff}", "é", "---", "---\n---", "```", "**", "：", "(", "Sure!\n---", "a\n\n\n"]
        {
            let Frame { answer, body } = frame(text, &|_| false);
            assert!(text.get(answer).is_some() && text.get(body).is_some(), "{text:?}");
        }
        let long = "Sure!\n".repeat(50_000);
        assert!(long.get(frame(&long, &|_| false).body).is_some());
    }
}
