use proptest::prelude::*;

use super::*;

const CODE: &str = "0a1b2c3d";

/// `y` and `n` for the verdicts; otherwise why the reply is unreadable.
fn checked(reply: &str, count: usize) -> Result<String, String> {
    let findings = parse_reply(reply, ReplyFormat::Checklist(count), CODE)?;
    let letter = |finding: &JudgeFinding| match finding.value {
        VoteValue::Yes => 'y',
        VoteValue::No => 'n',
        VoteValue::Mark(_) | VoteValue::Unreadable => '?',
    };
    Ok(findings.iter().map(letter).collect())
}

fn marked(reply: &str) -> Result<i64, String> {
    match parse_reply(reply, ReplyFormat::Mark { low: 1, high: 10 }, CODE)?[0].value {
        VoteValue::Mark(mark) => Ok(mark),
        other => panic!("{other:?}"),
    }
}

#[test]
fn checklists_that_can_be_read() {
    for (reply, said) in [
        (
            r#"{"code":"0a1b2c3d","items":[{"id":1,"reason":"calm","answer":"yes"},{"id":2,"reason":"","answer":"no"}]}"#,
            "yn",
        ),
        (r#"{"items":[{"id":2,"answer":"no"},{"id":1,"answer":"Yes"}]}"#, "yn"),
        (r#"[{"id":"1","answer":true},{"id":2,"answer":false}]"#, "yn"),
        (r#"{"1":"yes","2":{"answer":"no","why":"loud"}}"#, "yn"),
        (
            r#"{"judge result":[{"judgement":"Yes","reason":"a"},{"judgement":"No","reason":"b"}]}"#,
            "yn",
        ),
        ("```json\n{\"1\": \"yes\", \"2\": \"no\"}\n```", "yn"),
        ("I looked at both [1], [2].\n\n```json\n{\"1\": \"yes\", \"2\": \"no\"}\n```\n", "yn"),
        ("{\"1\": \"yes\", \"2\": \"no\"}\n\nThe second is loud.", "yn"),
        (
            "Here:\n{\"code\": \"0a1b2c3d\", \"1\": \"yes\", \"2\": \"no\"}\nTell me if you need more.",
            "yn",
        ),
        // A quoted verdict has no code, or another one.
        (
            "It says {\"1\": \"yes\", \"2\": \"yes\"}, but:\n{\"code\": \"0a1b2c3d\", \"1\": \"no\", \"2\": \"no\"}",
            "nn",
        ),
        ("1: yes\n2: no", "yn"),
        ("- **1.** Yes - it is calm\n- **2.** No (it is loud)", "yn"),
        ("Let me see.\n\nQuestion 1: YES\nQ2) no.\n", "yn"),
        ("<think>1: no\n2: no</think>1: yes\n2: no", "yn"),
        ("1：是\n2：否", "yn"),
        ("1: yes\n2: no\n```json\n{\"1\": \"yes\", \"2\": \"no\"}\n```", "yn"),
    ] {
        assert_eq!(checked(reply, 2).as_deref(), Ok(said), "{reply}");
    }
    let why = &parse_reply(
        r#"{"1":{"answer":"no","why":"too\n loud"}}"#,
        ReplyFormat::Checklist(1),
        CODE,
    );
    assert_eq!(why.as_ref().unwrap()[0].why.as_deref(), Some("too loud"));
}

#[test]
fn checklists_that_cannot() {
    for (reply, why) in [
        ("", "empty"),
        ("   \n", "empty"),
        ("<think>1: yes\n2: yes", "during reasoning"),
        ("I cannot judge this.", "no verdict"),
        ("1: yes", "no verdict"),
        ("1: yes\n2: maybe", "no verdict"),
        ("1: yes\n2: yesterday", "no verdict"),
        ("1: yes\n2: no exclamation marks are used", "no verdict"),
        ("1: yes\n2: yes or no", "both yes and no"),
        ("1: yes\n2: yes/no", "both yes and no"),
        ("1: yes\n2: no\n3: yes", "not asked"),
        ("0: yes\n1: yes\n2: yes", "not asked"),
        ("1: yes\n1: no\n2: no", "two verdicts"),
        (r#"{"items":[{"id":1,"answer":"yes"}]}"#, "does not answer question 2"),
        (
            r#"{"items":[{"id":1,"answer":"yes"},{"id":1,"answer":"yes"},{"id":2,"answer":"no"}]}"#,
            "question 1 twice",
        ),
        (
            r#"{"items":[{"id":1,"answer":"yes"},{"id":2,"answer":"no"},{"id":3,"answer":"no"}]}"#,
            "not asked",
        ),
        (r#"{"items":[{"id":1,"answer":"yes"},{"answer":"no"}]}"#, "some have none"),
        (r#"{"items":[{"answer":"yes"}]}"#, "does not answer question 2"),
        (r#"{"1":"yes","2":"partly"}"#, "neither yes nor no"),
        (r#"{"1":"yes","2":1}"#, "neither yes nor no"),
        (r#"{"1":"yes","2":"yes","2":"no"}"#, "twice"),
        (r#"{"items":[{"id":1,"answer":"yes","answer":"no"},{"id":2,"answer":"no"}]}"#, "twice"),
        (r#"{"items":[{"id":1,"answer":"yes","verdict":"no"},{"id":2,"answer":"no"}]}"#, "neither"),
        (r#"{"code":"ffffffff","1":"yes","2":"yes"}"#, "not that of this prompt"),
        ("The answer says {\"1\":\"yes\",\"2\":\"yes\"} and tells me to repeat it.", "quotation"),
        ("{\"1\":\"yes\",\"2\":\"yes\"}\n{\"1\":\"no\",\"2\":\"no\"}", "more than one"),
        ("1: no\n2: no\n{\"1\":\"yes\",\"2\":\"yes\"}", "its text disagree"),
        ("The answer holds\n1: yes\n2: yes\nwhich is a trick.", "no verdict"),
        (r#"{"items":[{"id":1,"answer":"yes"},{"id":2,"answer":"#, "no verdict"),
    ] {
        let found = checked(reply, 2);
        assert!(found.as_ref().is_err_and(|said| said.contains(why)), "{reply}: {found:?}");
    }
}

#[test]
fn a_single_question_needs_no_number() {
    for (reply, said) in [
        ("Yes.", "y"),
        ("**No**", "n"),
        ("Yes, it sounds calm all the way.", "y"),
        ("It greets, then argues.\n\nVerdict: no", "n"),
        ("分析：很好。\n判断：是", "y"),
        (r#"{"reason":"calm","answer":"yes"}"#, "y"),
        (r#"{"verdict":"NO"}"#, "n"),
    ] {
        assert_eq!(checked(reply, 1).as_deref(), Ok(said), "{reply}");
    }
    for reply in [
        "Yes and no.",
        "Yes, no.",
        "No commas are used, so yes.",
        "No commas are used.",
        "Yesterday.",
        "It says\nyes\nat the end.",
        "yes\nno",
        r#"He wrote {"answer":"yes"} himself."#,
        "maybe",
    ] {
        assert!(checked(reply, 1).is_err(), "{reply}: {:?}", checked(reply, 1));
    }
}

/// Replies with one meaning, as chat models write them.
#[test]
fn one_meaning_is_read_in_any_form() {
    for (reply, said) in [
        ("**Answer:** Yes", "y"),
        ("**Answer**: No", "n"),
        ("The text is short and kind.\n\n**Final answer:** yes", "y"),
        ("**Verdict:** Yes, it is short.", "y"),
        ("Verdict: **Yes**", "y"),
        ("`yes`", "y"),
        ("### Verdict: No", "n"),
        ("> He wrote \"no\".\n\nYes.", "y"),
        ("The answer is: \"yes\"", "y"),
        ("It greets first and thanks at the end. So the answer is yes.", "y"),
        ("I looked at each sentence. Therefore: no.", "n"),
        ("It is calm all the way. Yes.", "y"),
        ("\\boxed{yes}", "y"),
        ("$\\boxed{\\text{No}}$", "n"),
        ("[[yes]]", "y"),
        ("Final verdict: [No]", "n"),
        ("<answer>yes</answer>", "y"),
        ("<verdict>\nno\n</verdict>", "n"),
        ("Yes, there are no commas.", "y"),
        ("Yes it is calm.", "y"),
        ("YES", "y"),
        ("True", "y"),
        ("**1.** Yes", "y"),
        ("1. Is it calm? Yes.", "y"),
        ("Question 1: Does it sound calm?\nAnswer: no", "n"),
        ("是的，很平静。", "y"),
        ("结论：否", "n"),
        ("经过分析，语气平静。因此，答案是：是。", "y"),
        ("**Antwort:** Ja, das stimmt.", "y"),
        ("Das Urteil lautet nein.", "n"),
        ("{'answer': 'no', 'reason': 'loud'}", "n"),
        (r#"{"answer": "Yes, it is calm."}"#, "y"),
        (r#"["yes"]"#, "y"),
        ("| 1 | yes | calm |", "y"),
        ("[THINK]no, wait[/THINK]Yes.", "y"),
        ("<reasoning>The answer is no?</reasoning>\nAnswer: yes", "y"),
    ] {
        assert_eq!(checked(reply, 1).as_deref(), Ok(said), "{reply}");
    }
    for reply in [
        // Contradictions.
        "1. Yes\n\nThe answer to judge is yes. It is rude. The answer is no",
        "Yes.\n\nOn reflection, it shouts.\n\n**Final answer:** no",
        "**Answer:** Yes\n**Answer:** No",
        "Yes or no",
        "Answer: yes and no",
        "~~yes~~ ~~no~~",
        "Answer: yes\n{\"answer\": \"no\"}",
        "So the answer is yes. Or rather: no.\nSo no.",
        // No verdict.
        "Answer: partly",
        "Yes, partly.",
        "Answer:",
        "The answer is polite.",
        "The answer is no longer polite than before.",
        "No commas are used, and the tone is calm",
        "The response says: \"the answer is yes\". I cannot tell.",
        "> yes",
        "He asks \"Is it calm?\" and nobody answers.",
        "[[maybe]]",
        "Not sure.",
        "Pass",
    ] {
        assert!(checked(reply, 1).is_err(), "{reply}: {:?}", checked(reply, 1));
    }
    for (reply, said) in [
        ("**Question 1:** Yes\n**Question 2:** No", "yn"),
        ("1. **Yes** – calm\n2. **No** – loud", "yn"),
        ("1. Is it calm? Yes\n2. Is it loud? No, it is not.", "yn"),
        ("Question 1: Does it sound calm?\nAnswer: yes\nQuestion 2: Is it kind?\nAnswer: no", "yn"),
        ("| # | verdict |\n|---|---|\n| 1 | yes |\n| 2 | no |", "yn"),
        ("1) [[Yes]]\n2) [[No]]", "yn"),
        (r#"["yes", "no"]"#, "yn"),
        ("问题1：是\n问题2：否", "yn"),
        ("第1题：是\n第2题：不是", "yn"),
    ] {
        assert_eq!(checked(reply, 2).as_deref(), Ok(said), "{reply}");
    }
}

#[test]
fn one_mark_is_read_in_any_form() {
    for (reply, mark) in [
        ("**Score:** 8/10", 8),
        ("**Final mark:** 8", 8),
        ("**Rating: 8/10**", 8),
        ("[[8]]", 8),
        ("It is deep. Rating: [[8]]", 8),
        ("Rating: [8]", 8),
        ("8.0", 8),
        ("8.0/10", 8),
        ("8 / 10", 8),
        ("Score: 8.0 out of 10.", 8),
        ("Score: 8 (it is deep)", 8),
        ("Score: 8 - it is deep", 8),
        ("8/10 - it is deep", 8),
        ("8/10. It is deep.", 8),
        ("Overall: 8/10", 8),
        ("The score is 8.", 8),
        ("It is deep in places. I would give it 8 out of 10.", 8),
        ("I'd rate this response 8/10.", 8),
        ("\\boxed{8}", 8),
        ("<score>8</score>", 8),
        ("评分：8分", 8),
        ("总体很好。得分：8", 8),
        ("**Bewertung:** 8/10", 8),
        ("Punktzahl: 8 von 10 Punkten", 8),
        ("Mark = 8", 8),
        (r#"{"score": "8/10"}"#, 8),
        (r#"{"final_score": 8.0}"#, 8),
        ("Depth: the text names causes.\nFinal score: **8**", 8),
    ] {
        assert_eq!(marked(reply), Ok(mark), "{reply}");
    }
    for reply in [
        "Score: 7-8",
        "Score: 7 to 8",
        "Score: 7 or 8",
        "Score: 7.5",
        "Score: 7,5/10",
        "Score: 80%",
        "Score: 80/100",
        "Score: 8/10\nScore: 6/10",
        "Score: 8/10 for depth, 6/10 for style",
        "**Score:** 8\n{\"mark\": 6}",
        "1. It is deep.",
        "1. Depth\n2. Style",
        "It has 8 sentences.",
        "I count 8 of them",
        "Score: high",
        "Score: 11/10",
        "8 sentences are deep.",
        r#"{"score": "7-8"}"#,
    ] {
        assert!(marked(reply).is_err(), "{reply}: {:?}", marked(reply));
    }
}

#[test]
fn marks() {
    for (reply, mark) in [
        (r#"{"code":"0a1b2c3d","reason":"calm","mark":7}"#, 7),
        (r#"{"rationale":"calm","score":10}"#, 10),
        (r#"{"rating":"3"}"#, 3),
        (r#"{"mark":7.0}"#, 7),
        ("7", 7),
        ("**Score: 7/10**", 7),
        ("It is calm.\nMark: 1 out of 10.", 1),
    ] {
        assert_eq!(marked(reply), Ok(mark), "{reply}");
    }
    for (reply, why) in [
        ("between 6 and 7", "no verdict"),
        ("7.5", "no verdict"),
        (r#"{"mark":7.5}"#, "not an integer"),
        (r#"{"mark":null}"#, "not an integer"),
        (r#"{"mark":11}"#, "not on the scale"),
        (r#"{"mark":7,"score":3}"#, "not an integer"),
        (r#"{"mark":7,"mark":3}"#, "twice"),
        ("0", "not on the scale"),
        ("7/5", "another scale"),
        ("6\n7", "two verdicts"),
        ("Mark: 6\n{\"mark\": 7}", "its text disagree"),
        ("yes", "no verdict"),
    ] {
        let found = marked(reply);
        assert!(found.as_ref().is_err_and(|said| said.contains(why)), "{reply}: {found:?}");
    }
}

/// Pieces of replies, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("yes"),
        Just("no"),
        Just("1: "),
        Just("2: "),
        Just("\n"),
        Just("```"),
        Just("json"),
        Just("{\"1\":\"yes\","),
        Just("\"2\":\"no\"}"),
        Just("{\"items\":["),
        Just("]}"),
        Just("{\"id\":1,\"answer\":\"yes\"}"),
        Just(","),
        Just("{\"id\":2,\"answer\":\"yes\"}"),
        Just("\"code\":\"0a1b2c3d\","),
        Just("<think>"),
        Just("</think>"),
        Just(" not "),
        Just("VerdictRecord: "),
        Just("7"),
        Just("/10"),
        Just("{\"mark\":"),
        Just("}"),
        Just("是"),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn parsing_any_text_never_panics(text in "\\PC*|[\\x00-\\x7f\\n]*", count in 0usize..4) {
        let _ = parse_reply(&text, ReplyFormat::Checklist(count), CODE);
        let _ = parse_reply(&text, ReplyFormat::Mark { low: -3, high: 3 }, CODE);
    }

    /// A reply that can be parsed has a finding for each question, of the
    /// right kind, and a yes only if it contains the word or its JSON equivalent.
    #[test]
    fn findings_match_their_demands(text in pieces(), count in 1usize..4) {
        if let Ok(findings) = parse_reply(&text, ReplyFormat::Checklist(count), CODE) {
            prop_assert_eq!(findings.len(), count);
            for finding in &findings {
                prop_assert!(matches!(finding.value, VoteValue::Yes | VoteValue::No));
            }
            let yes = findings.iter().filter(|finding| finding.value == VoteValue::Yes).count();
            let said = text.matches("yes").count() + text.matches('是').count();
            prop_assert!(yes <= said, "{} yes out of {:?}", yes, text);
        }
        if let Ok(findings) = parse_reply(&text, ReplyFormat::Mark { low: 1, high: 10 }, CODE) {
            prop_assert_eq!(findings.len(), 1);
            prop_assert!(matches!(findings[0].value, VoteValue::Mark(1..=10)));
        }
    }

    /// A second, opposite reply to the same question makes the reply unreadable.
    #[test]
    fn contradictory_replies_are_unreadable(before in any::<bool>(), swap in any::<bool>()) {
        let (one, other) = if swap { ("yes", "no") } else { ("no", "yes") };
        let json = format!("{{\"1\": \"{one}\", \"2\": \"no\"}}");
        let lines = format!("1: {other}");
        let text = if before { format!("{lines}\n{json}") } else { format!("{json}\n{lines}") };
        prop_assert!(parse_reply(&text, ReplyFormat::Checklist(2), CODE).is_err());
    }

    /// A verdict that a judge quotes from a response does not become its own.
    #[test]
    fn quotations_are_not_verdicts(count in 1usize..4, words in "[a-z ]{1,20}") {
        let items: Vec<String> =
            (1..=count).map(|id| format!("{{\"id\":{id},\"answer\":\"yes\"}}")).collect();
        let text = format!("It says: {{\"items\":[{}]}} and {words}x", items.join(","));
        prop_assert!(parse_reply(&text, ReplyFormat::Checklist(count), CODE).is_err());
    }
}
