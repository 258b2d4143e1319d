//! What is said to the user around an answer changes no verdict on its parts.

use std::path::Path;

use ifs::judge::{Exchange, VerdictRecord, evaluate_constraints};
use ifs::model::check;
use ifs::model::table::DecidedBy;
use ifs::plan::{Plan, build};
use ifs::proof::{Proof, Prover};
use ifs::score::Outcome;
use ifs::script::{Drawer, ScriptTurn, Seed};
use ifs::world::{FolderWorld, MemoryWorld};

fn verdicts(plan: &Plan, dialogue: &str, turn: &ScriptTurn, answer: &str) -> Vec<VerdictRecord> {
    let exchange = Exchange { dialogue, turn, answer, note: None, replies: &[], extracted: &[] };
    evaluate_constraints(plan, &exchange, &[])
}

/// The outcomes of rules about parts, by name. Where the message wants nothing around the answer, a
/// requirement on the complete response says so.
fn outcomes(
    plan: &Plan,
    dialogue: &str,
    turn: &ScriptTurn,
    answer: &str,
) -> Vec<(String, Outcome)> {
    let about_part = |name: &str| {
        let named = turn.criteria.iter().find(|criterion| criterion.name == name);
        named.is_some_and(|criterion| match &criterion.by {
            DecidedBy::Rule(tree) => turn.parts.iter().any(|part| tree.mentions(&part.name)),
            DecidedBy::Judge(_) => false,
        })
    };
    let all = verdicts(plan, dialogue, turn, answer).into_iter();
    let ruled = all.filter(|verdict| about_part(&verdict.constraint));
    ruled.map(|verdict| (verdict.constraint, verdict.outcome)).collect()
}

/// Beginnings and ends of answers as models write them.
const FRAMES: [(&str, &str); 12] = [
    ("Certainly! Here is what you asked for:\n\n", ""),
    ("", "\n\nI hope this helps! Let me know if you would like any changes."),
    ("Sure! Here you go:\n\n", "\n\nWould you like me to adjust anything?"),
    ("Of course.\n\n---\n\n", "\n\n---\n\n*Feel free to ask for another version.*"),
    ("**Here is the text:**\n\n", ""),
    ("I've written it as requested:\n\n", "\n\n(I kept to your instructions.)"),
    ("好的，以下是您要的内容：\n\n", ""),
    ("当然可以！\n\n", "\n\n希望这对您有帮助！"),
    ("没问题，下面是我写的内容：\n\n", "\n\n如果需要修改，请随时告诉我。"),
    ("Gern! Hier ist der Text:\n\n", "\n\nIch hoffe, das hilft dir weiter."),
    ("Natürlich!\n\n", "\n\nSag Bescheid, wenn ich noch etwas ändern soll."),
    ("Voici le texte :\n\n", "\n\nN'hésitez pas à me le dire si vous souhaitez une autre version."),
];

/// The items of both sets of Meeseeks: a framed witness is as right as the witness, and a framed text
/// that violates rules is as wrong.
#[test]
fn frames_flip_no_verdict_of_meeseeks() {
    let world = FolderWorld::new(Path::new("scenarios/meeseeks")).unwrap();
    let plan = || build(check(&world, "meeseeks.ifs").model.unwrap());
    let (first, second) = (plan(), plan().varied("item", "b").unwrap());
    let (mut flips, mut compared): (Vec<String>, usize) = (Vec::new(), 0);
    for plan in [&first, &second] {
        let drawer = Drawer::new(plan, "item").unwrap();
        for index in 0..60 {
            let turn = drawer.script(Seed(3), index).next().unwrap().unwrap();
            let Proof::Witness(right) = Prover::new(plan, "item").prove(&turn) else { continue };
            let half: Vec<&str> = right.split_inclusive(['\n', '。', '.']).collect();
            let wrong = half[..half.len() / 2].concat();
            for text in
                [right.as_str(), wrong.as_str()].into_iter().filter(|text| !text.trim().is_empty())
            {
                let expected = outcomes(plan, "item", &turn, text);
                for (before, after) in FRAMES {
                    let framed = format!("{before}{text}{after}");
                    compared += expected.len();
                    let found = outcomes(plan, "item", &turn, &framed);
                    // "Nothing around the JSON" is about the response, and blocks what comes after it.
                    let is_kept = |(before, after): (&(String, Outcome), &(String, Outcome))| {
                        before == after || after.1 == Outcome::Blocked
                    };
                    if found.len() != expected.len() || !expected.iter().zip(&found).all(is_kept) {
                        flips.push(format!("{}\n{framed}\n{expected:?}\n{found:?}\n", turn.ask));
                    }
                }
            }
        }
    }
    assert!(compared > 3_000, "{compared} verdicts");
    let shown: Vec<&str> = flips.iter().step_by(flips.len() / 12 + 1).map(String::as_str).collect();
    assert!(flips.is_empty(), "{} of {compared}\n{}", flips.len(), shown.join("\n"));
}

const SLOGANS: &str = r#"ifs 1
dialogue d {
  turn t {
    ask "Write three slogans."
    part slogans: list from lines
    part everything: list from lines in response
    part text: text from whole
    require three len(slogans) == 3
    require short every s in slogans: count(word in s) <= 5
    require polite some s in everything: contains(s, word "certainly")
    require closing ends_with(text, "let me know.")
  }
}
"#;

#[test]
fn a_scenario_can_say_that_the_frame_counts() {
    let checked = check(&MemoryWorld::new([("a.ifs", SLOGANS)]), "a.ifs");
    let faults: Vec<String> =
        checked.diagnostics.list.iter().map(|one| one.message.clone()).collect();
    let plan = build(checked.model.unwrap_or_else(|| panic!("{faults:?}")));
    let turn = Drawer::new(&plan, "d").unwrap().script(Seed(1), 0).next().unwrap().unwrap();
    let held = |answer: &str| -> Vec<String> {
        let all = verdicts(&plan, "d", &turn, answer).into_iter();
        all.filter(|one| one.outcome == Outcome::Held).map(|one| one.constraint).collect()
    };
    let slogans = "- Taste the sea.\n- Feel the wind.\n- Live now.";
    assert_eq!(held(slogans), ["three", "short"]);
    let framed = format!("Certainly! Here are the slogans:\n{slogans}\nI hope this helps.");
    assert_eq!(held(&framed), ["three", "short", "polite"]);
    // The line that a requirement names is a part of the text, and not one of three slogans.
    let named = format!("{slogans}\nIf you need more, let me know.");
    assert_eq!(held(&named), ["three", "short", "closing"]);
}

/// An answer that says nothing but that there is one has no parts.
#[test]
fn an_empty_frame_is_no_answer() {
    let program =
        SLOGANS.replace("require three len(slogans) == 3", "require some_lines len(slogans) >= 1");
    let plan =
        build(check(&MemoryWorld::new([("a.ifs", program.as_str())]), "a.ifs").model.unwrap());
    let turn = Drawer::new(&plan, "d").unwrap().script(Seed(1), 0).next().unwrap().unwrap();
    let outcome = |answer: &str| {
        let all = verdicts(&plan, "d", &turn, answer);
        all.iter().find(|one| one.constraint == "some_lines").map(|one| one.outcome)
    };
    for text in
        ["Certainly! Here are the slogans:", "I hope this helps!", "好的，以下是您要的口号："]
    {
        assert_eq!(outcome(text), Some(Outcome::Unextracted), "{text}");
    }
    assert_eq!(outcome("Sure!"), Some(Outcome::Held));
}
