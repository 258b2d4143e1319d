//! Basketball in Chinese, as Hupu words it.

use super::Sentence;
use crate::table::{EventKind, EventRole};

/// Parses a sentence; `Kind::Other` for an unknown wording.
pub fn hupu(text: &str) -> Sentence<'_> {
    let text = text.trim();
    if text.is_empty() {
        return Sentence::new(EventKind::Blank);
    }
    if let Some((team, rest)) = text.split_once("阵容调整") {
        let names = rest.trim().trim_matches(['(', ')', '（', '）']);
        let mut said = Sentence::new(EventKind::Substitution);
        said.team = Some(team.trim());
        for name in names.split([';', '；']) {
            said = said.who(EventRole::Player, name);
        }
        return said;
    }
    if text.contains("对阵") || text.starts_with("跳球") {
        return jump(text);
    }
    if text.starts_with("停止") || text.contains("暂停") {
        return Sentence::new(EventKind::Timeout);
    }
    if text.starts_with("复审") || text.contains("挑战") {
        let mut said = Sentence::new(EventKind::Review);
        said.team = text.strip_suffix("申请挑战").map(str::trim);
        return said;
    }
    if text.contains("比赛结束") {
        return Sentence::new(EventKind::GameEnd);
    }
    if text.contains("节结束") {
        return Sentence::new(EventKind::PeriodEnd);
    }
    if let Some((who, _)) = text.split_once("驱逐") {
        let who = who.trim().trim_end_matches('被');
        return Sentence::new(EventKind::Ejection).who(EventRole::Player, who);
    }
    for (form, kind, made, worth) in EVENT_FORMS {
        if let Some((who, rest)) = text.split_once(form) {
            let detail = match kind {
                EventKind::Turnover => rest.trim_matches(['(', ')', '（', '）']),
                EventKind::FreeThrow => rest,
                _ => form,
            };
            return Sentence::new(kind.clone())
                .shot(*made, *worth)
                .detail(detail)
                .who(EventRole::Player, who);
        }
    }
    for (ending, kind) in [("犯规", EventKind::Foul), ("违例", EventKind::Violation)] {
        if text.contains(ending) {
            let (who, what) = text.rsplit_once(' ').unwrap_or(("", text));
            return Sentence::new(kind).detail(what).who(EventRole::Player, who);
        }
    }
    // Fouls of a bench are in English.
    super::basketball(text)
}

/// The text after a name: the kind, whether the shot was made, and its points.
const EVENT_FORMS: &[(&str, EventKind, bool, i64)] = &[
    ("三分球进", EventKind::FieldGoal, true, 3),
    ("两分球进", EventKind::FieldGoal, true, 2),
    ("三分不中", EventKind::FieldGoal, false, 3),
    ("两分不中", EventKind::FieldGoal, false, 2),
    ("罚球命中", EventKind::FreeThrow, true, 1),
    ("罚球不中", EventKind::FreeThrow, false, 1),
    ("篮板球", EventKind::Rebound, false, 0),
    ("失误", EventKind::Turnover, false, 0),
];

/// `甲 对阵 乙 (丙 获得控球权)`, `跳球. 甲 vs 乙, (丙) 获得所有权)`
fn jump(text: &str) -> Sentence<'_> {
    let said = Sentence::new(EventKind::JumpBall);
    let text = text.trim_start_matches("跳球").trim_start_matches(['.', ' ']);
    let Some((one, rest)) = text.split_once("对阵").or_else(|| text.split_once(" vs ")) else {
        return said;
    };
    let (other, gains) = rest.split_once('(').unwrap_or((rest, ""));
    let gains = gains.split(['获', ')']).next().unwrap_or("");
    said.who(EventRole::Player, one)
        .who(EventRole::Against, other.trim().trim_end_matches(','))
        .who(EventRole::Gains, gains)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences() {
        let cases = [
            ("周-三宝 两分球进", EventKind::FieldGoal, true, 2),
            ("周-三宝 三分不中", EventKind::FieldGoal, false, 3),
            ("周-三宝 罚球命中 2罚中第1罚", EventKind::FreeThrow, true, 1),
            ("周-三宝 罚球不中 1罚中第1罚", EventKind::FreeThrow, false, 1),
            ("周-三宝 篮板球", EventKind::Rebound, false, 0),
            ("周-三宝 失误(丢球)", EventKind::Turnover, false, 0),
            ("周-三宝 恶意犯规1", EventKind::Foul, false, 0),
            ("防守干扰球违例", EventKind::Violation, false, 0),
            ("停止 ()", EventKind::Timeout, false, 0),
            ("复审", EventKind::Review, false, 0),
            ("周-三宝 被驱逐出场", EventKind::Ejection, false, 0),
            ("周-三宝 驱逐", EventKind::Ejection, false, 0),
        ];
        for (text, kind, made, worth) in cases {
            let said = hupu(text);
            assert_eq!((said.kind, said.made, said.worth), (kind, made, worth), "{text}");
        }
        assert_eq!(hupu("周-三宝 被驱逐出场").who, [(EventRole::Player, "周-三宝")]);
        let said = hupu("山狐 阵容调整 (李 一; 王 二)");
        assert_eq!((said.team, said.who.len()), (Some("山狐"), 2));
        let said = hupu("李 一 对阵 王 二 (周-三宝 获得控球权)");
        let names: Vec<&str> = said.who.iter().map(|(_, name)| *name).collect();
        assert_eq!(names, ["李 一", "王 二", "周-三宝"]);
    }
}
