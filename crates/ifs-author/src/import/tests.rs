use super::structflowbench::{PublishedFile, read};
use super::{DefectKind, ImportError, Judgement};

/// A dialogue of two turns, with some fields replaced.
fn file(replaced: &[(&str, &str)]) -> String {
    let mut text = r#"[{"conv_purpose":"p","conv_topic":"tea","conv_task":"Casual Chat: just talk",
"user_type":1,"summarized prompts":[{"name":"c1","description":"asks"},{"name":"c2","description":"again"}],
"structure":[{"source":["c1"],"target":"c2","relation":"follow-up"}],
"whole_conv":[
{"name":"c1","user prompt":"Tea?","assistant answer":"Yes.","constraints":[{"type":"Content Constraint","content":"About tea?"}],"response":"No.","judge result":[{"judgement":"Yes"}]},
{"name":"c2","user prompt":"Why?","assistant answer":"So.","constraints":[{"type":"follow-up","content":"Goes on?"},{"type":"Style Constraint","content":"Plain?"}],"response":"Well.","judge result":[{"judgement":"No","reason":"it does not"},{"judgement":"N/A"}]}
]}]"#
        .to_owned();
    for (from, to) in replaced {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    text
}

fn published(replaced: &[(&str, &str)]) -> PublishedFile {
    read(file(replaced).as_bytes()).unwrap()
}

fn defects(replaced: &[(&str, &str)]) -> Vec<(DefectKind, String)> {
    published(replaced).defects.into_iter().map(|defect| (defect.kind, defect.what)).collect()
}

#[test]
fn a_dialogue_becomes_a_record() {
    let published = published(&[]);
    let talk = &published.talks[0];
    assert_eq!((talk.name.as_str(), talk.task.as_str()), ("d001", "Casual Chat"));
    assert_eq!((talk.about.as_str(), talk.user.as_str()), ("just talk", "expert"));
    let turn = &talk.turns[1];
    assert_eq!((turn.plan.as_str(), turn.answer.as_str()), ("again", "So."));
    assert_eq!(
        (turn.relations[0].kind.as_str(), &*turn.relations[0].to),
        ("follow_up", &["c1".to_owned()][..])
    );
    let kinds: Vec<&str> = turn.checks.iter().map(|check| check.kind.as_str()).collect();
    assert_eq!(kinds, ["follow_up", "style"]);
}

#[test]
fn only_yes_counts_as_yes() {
    let published = published(&[]);
    let judged: Vec<&Judgement> =
        published.judged[0].iter().flat_map(|turn| &turn.judgements).collect();
    let no = |why: &str| Judgement::No(why.to_owned());
    assert_eq!(judged, [&Judgement::Yes, &no("it does not"), &no("the judge said `N/A`")]);
    let odd = (DefectKind::OddJudgement, "`N/A` on question 2 counts as `No`".to_owned());
    assert_eq!(published.defects.into_iter().map(|d| (d.kind, d.what)).collect::<Vec<_>>(), [odd]);
}

#[test]
fn unreadable_replies_are_not_judgements() {
    for reply in [r#"{"error":"Invalid JSON","content":"{"}"#, r#"{"max try error":"API error"}"#] {
        let mut published = published(&[(r#"[{"judgement":"Yes"}]"#, reply)]);
        assert!(matches!(published.judged[0][0].judgements[..], [Judgement::None(_)]));
        published.note_unjudged();
        let kinds: Vec<_> = published.defects.iter().map(|defect| defect.kind).collect();
        assert!(kinds.contains(&DefectKind::NotJudged), "{kinds:?}");
    }
}

#[test]
fn too_few_or_too_many_judgements() {
    let few = published(&[(r#",{"judgement":"N/A"}"#, "")]);
    assert!(matches!(few.judged[0][1].judgements[1], Judgement::None(_)));
    let many =
        published(&[(r#"[{"judgement":"Yes"}]"#, r#"[{"judgement":"Yes"},{"judgement":"No"}]"#)]);
    assert_eq!(many.judged[0][0].judgements, [Judgement::Yes]);
    assert!(many.defects.iter().any(|defect| defect.what.starts_with("2 judgements on 1")));
}

#[test]
fn defects_have_kinds() {
    let cases: [(&str, &str, DefectKind); 11] = [
        (r#""target":"c2""#, r#""target":"c9""#, DefectKind::DanglingEdge),
        (
            r#""source":["c1"],"target":"c2""#,
            r#""source":["c2"],"target":"c1""#,
            DefectKind::BackwardEdge,
        ),
        (r#""relation":"follow-up""#, r#""relation":"sequel""#, DefectKind::UnknownRelation),
        (r#""relation":"follow-up""#, r#""relation":"recall""#, DefectKind::UnaskedRelation),
        (
            r#""relation":"follow-up""#,
            r#""relation":"unrelatedness""#,
            DefectKind::UnfoundedQuestion,
        ),
        ("Style Constraint", "Mood Constraint", DefectKind::UnknownType),
        ("Casual Chat:", "Small Talk:", DefectKind::UnknownTask),
        (r#""user_type":1"#, r#""user_type":2"#, DefectKind::UnknownUser),
        (r#""assistant answer":"Yes.""#, r#""assistant answer":7"#, DefectKind::MissingField),
        (r#""conv_topic":"tea""#, r#""conv_topic":" ""#, DefectKind::EmptyText),
        (r#""name":"c2","user"#, r#""name":"c1","user"#, DefectKind::RepeatedTurn),
    ];
    for (from, to, kind) in cases {
        let found = defects(&[(from, to)]);
        assert!(found.iter().any(|(found, _)| *found == kind), "{to}: {found:?}");
        assert_eq!(published(&[(from, to)]).talks.len(), 1, "{to}");
    }
}

#[test]
fn duplicate_turn_names_get_their_position() {
    let published = published(&[(r#""name":"c2","user"#, r#""name":"c1","user"#)]);
    let names: Vec<_> = published.talks[0].turns.iter().map(|turn| turn.name.as_str()).collect();
    assert_eq!(names, ["c1", "c2"]);
    assert_eq!(published.talks[0].turns[1].relations.len(), 1);
    assert!(published.defects.iter().any(|defect| defect.kind == DefectKind::DanglingEdge));
}

#[test]
fn the_same_dialogue_twice() {
    let one = file(&[]);
    let twice = format!("{},{}", one.trim_end_matches(']'), one.trim_start_matches('['));
    let published = read(twice.as_bytes()).unwrap();
    assert_eq!(published.talks.len(), 2);
    let found = published.defects.iter().find(|defect| defect.kind == DefectKind::RepeatedDialogue);
    assert_eq!(found.map(|defect| defect.record.as_str()), Some("d002"));
}

#[test]
fn unusable_records() {
    for (from, to) in [
        (r#""whole_conv":["#, r#""whole":["#),
        (r#""user prompt":"Why?""#, r#""user prompt":null"#),
        (r#"[{"conv_purpose""#, r#"[7,{"conv_purpose""#),
        (r#"[{"conv_purpose""#, r#"[{"whole_conv":{"error":"Invalid JSON"}},{"conv_purpose""#),
        (r#"[{"conv_purpose""#, r#"[{"whole_conv":[]},{"conv_purpose""#),
    ] {
        assert!(!published(&[(from, to)]).is_whole(), "{to}");
    }
    assert!(published(&[]).is_whole());
}

#[test]
fn invalid_files() {
    let of = |text: &str| read(text.as_bytes()).unwrap_err();
    assert!(matches!(of(""), ImportError::Empty));
    assert!(matches!(of(" \r\n\t"), ImportError::Empty));
    assert!(matches!(of("[]"), ImportError::NoDialogues));
    assert!(matches!(of("{\"a\":1}"), ImportError::NoList { found: "an object" }));
    assert!(matches!(of("dialogues"), ImportError::NoJson(_)));
    let whole = file(&[]);
    for end in [1, 20, whole.len() / 2, whole.len() - 1] {
        assert!(matches!(of(&whole[..end]), ImportError::BreaksOff(_)), "{end}");
    }
}

#[test]
fn line_endings_and_a_byte_order_mark_change_nothing() {
    let dressed = format!("\u{feff}{}", file(&[]).replace('\n', "\r\n"));
    assert_eq!(read(dressed.as_bytes()).unwrap(), published(&[]));
}
