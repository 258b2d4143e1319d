//! Known changes: each is found and classified.

use super::*;
use crate::build;
use ifs_base::world::MemoryWorld;
use ifs_model::check;

const TOPICS: &str = "- { name: tides, request: Write about tides. }\n- { name: kites, request: Write about kites. }\n- { name: bread, request: Write about bread. }\n";

const DESK: &str = r#"ifs 1
benchmark desk { version "1.2.0" title "Desk" }
import topics "topics.yaml" { name: text, request: text }
group length {
  /// Short.
  constraint short(n: int in 5..=9) { say "At most {{ n }} words." check count(word) <= n }
  constraint long(n: int in 40..=60 step 10) { say "At least {{ n }} words." check count(word) >= n }
}
constraint mood(m: one_of ["calm", "glad"]) { say "Sound {{ m }}." judge "Does it sound {{ m }}?" }
constraint spare { say "No commas." check not contains(",") }
dialogue talk {
  system "You are brief."
  topic from topics
  constraints from length, mood
  start with 1 constraint
  flow { stay at least 2 turns  switch 40% { new 50%  backtrack 50% } }
  evolve one per turn { add 60%  modify 40% }
  patience 2
  end when patience == 0 or turns >= 12
  report CSR, ISR
  variant calm { patience 3 }
}
dialogue fixed {
  turn first { ask "Why?" require brief count(word) <= 10 say "Use ten words." }
  turn second { ask "And then?" }
}
release public { 5 dialogues of talk }
"#;

fn plan_of(desk: &str, topics: &str) -> Plan {
    let world = MemoryWorld::new([("desk.ifs", desk), ("topics.yaml", topics)]);
    let checked = check(&world, "desk.ifs");
    let found: Vec<String> =
        checked.diagnostics.list.iter().map(|one| one.message.clone()).collect();
    build(checked.model.unwrap_or_else(|| panic!("{found:?}")))
}

/// The changes of a replacement, one per line.
fn planted(from: &str, to: &str) -> Vec<String> {
    let new = DESK.replacen(from, to, 1);
    assert_ne!(new, DESK, "`{from}` is not in the scenario");
    lines(&between(&plan_of(DESK, TOPICS), &plan_of(&new, TOPICS)))
}

fn lines(changes: &Changes) -> Vec<String> {
    let line = |change: &DefinitionChange| {
        format!("{} | {} | {}", change.class.phrase(), change.subject, change.place)
    };
    changes.changes.iter().map(line).collect()
}

#[test]
fn equivalent_definitions_are_unchanged() {
    for (from, to) in [
        ("/// Short.\n", "/// Another comment.\n"),
        ("  patience 2\n", "  patience   2\n"),
        ("constraints from length, mood", "constraints from mood, length"),
    ] {
        assert_eq!(planted(from, to), Vec::<String>::new(), "{from}");
    }
}

#[test]
fn each_planted_change_is_named() {
    for (from, to, expected) in [
        ("5..=9", "5..=12", "not comparable | constraint length.short | n: domain widened"),
        ("5..=9", "6..=9", "not comparable | constraint length.short | n: domain narrowed"),
        ("5..=9", "7..=12", "not comparable | constraint length.short | n: domain"),
        (
            "40..=60 step 10",
            "40..=60 step 5",
            "not comparable | constraint length.long | n: domain widened",
        ),
        (
            r#"["calm", "glad"]"#,
            r#"["calm", "glad", "wry"]"#,
            "not comparable | constraint mood | m: domain widened",
        ),
        (
            r#"["calm", "glad"]"#,
            r#"["calm"]"#,
            "not comparable | constraint mood | m: domain narrowed",
        ),
        (
            "At most {{ n }} words.",
            "No more than {{ n }} words.",
            "comparable with care | constraint length.short | say",
        ),
        (
            "count(word) <= n }",
            "count(word) < n }",
            "not comparable | constraint length.short | check",
        ),
        (
            "Does it sound {{ m }}?",
            "Is the tone {{ m }}?",
            "not comparable | constraint mood | judge",
        ),
        ("switch 40%", "switch 45%", "not comparable | dialogue talk | switch"),
        ("stay at least 2", "stay at least 3", "not comparable | dialogue talk | stay"),
        ("add 60%  modify 40%", "add 50%  modify 50%", "not comparable | dialogue talk | evolve"),
        ("turns >= 12", "turns >= 20", "not comparable | dialogue talk | end"),
        ("patience 3", "patience 4", "not comparable | dialogue talk, variant calm | patience"),
        ("You are brief.", "Be brief.", "comparable with care | dialogue talk | system message"),
        ("report CSR, ISR", "report CSR", "scores stay comparable | dialogue talk | report"),
        (
            r#"ask "And then?""#,
            r#"ask "And now?""#,
            "comparable with care | dialogue fixed | turn second, ask",
        ),
        (
            "count(word) <= 10",
            "count(word) <= 11",
            "not comparable | dialogue fixed | turn first, require brief, check",
        ),
        (
            "\n  turn second { ask \"And then?\" }",
            "",
            "not comparable | dialogue fixed | turn second removed",
        ),
        (
            r#"title "Desk""#,
            r#"title "The desk""#,
            "scores stay comparable | benchmark | description title",
        ),
        (
            "5 dialogues of talk",
            "9 dialogues of talk",
            "comparable with care | release public | number of dialogues",
        ),
        ("No commas.", "Without commas.", "scores stay comparable | constraint spare | say"),
    ] {
        let found = planted(from, to);
        assert_eq!(found, [expected], "{from} -> {to}");
    }
}

#[test]
fn diff_finds_added_removed_and_renamed_parts() {
    let spare = "constraint spare { say \"No commas.\" check not contains(\",\") }\n";
    assert_eq!(planted(spare, ""), ["scores stay comparable | constraint spare | "]);
    let found = planted("  patience 2\n", "  patience 2\n  weigh mood 3\n");
    assert!(found.iter().all(|line| line.starts_with("not comparable")), "{found:?}");
    // Renamed, and used under its new name.
    let new = DESK.replace("mood", "tone");
    let changes = between(&plan_of(DESK, TOPICS), &plan_of(&new, TOPICS));
    assert_eq!(lines(&changes), ["comparable with care | constraint tone | name"]);
    let new = DESK.replace("length", "size");
    let changes = between(&plan_of(DESK, TOPICS), &plan_of(&new, TOPICS));
    assert_eq!(lines(&changes), ["comparable with care | group size | name"]);
    // Renamed, with another wording.
    let new = DESK.replace("mood", "tone").replace("Sound {{ m }}", "Be {{ m }}");
    let changes = between(&plan_of(DESK, TOPICS), &plan_of(&new, TOPICS));
    assert_eq!(
        lines(&changes),
        [
            "comparable with care | constraint tone | name",
            "comparable with care | constraint tone | say"
        ]
    );
}

#[test]
fn records_are_identified_by_key() {
    let topics = "- { name: tides, request: Write about tides. }\n- { name: bread, request: Write about bread. }\n- { name: rain, request: Write about rain. }\n- { name: snow, request: Write about snow. }\n";
    let changes = between(&plan_of(DESK, TOPICS), &plan_of(DESK, topics));
    assert_eq!(
        lines(&changes),
        [
            "comparable with care | bank topics | 1 record removed",
            "comparable with care | bank topics | 2 records added"
        ]
    );
    assert_eq!(changes.changes[1].after.as_deref(), Some("rain, snow"));
    assert_eq!(changes.changes[0].dialogues, ["talk"]);
}

/// Changes from one record of a dialogue to another.
fn of_task(turn: &str, old: &str, new: &str) -> Vec<String> {
    let base = "{\"name\":\"a\",\"ask\":\"Write.\",\"n\":2,\"want\":\"yes\",\"w\":1,\"tag\":\"x\",\"shards\":[\"s\"]}\n";
    let scenario = format!(
        "ifs 1\nimport tasks \"tasks.jsonl\"\ntags axis {{ x, y }}\n\
         constraint brief(n: int in 1..=99) {{ say \"{{{{ n }}}} words.\" check count(word) <= n }}\n\
         dialogue t over tasks as task {{ {turn} }}"
    );
    let changed = base.replacen(old, new, 1);
    assert_ne!(changed, base, "`{old}` is not in the record");
    let plan = |tasks: &str| {
        let world = MemoryWorld::new([("desk.ifs", scenario.as_str()), ("tasks.jsonl", tasks)]);
        let checked = check(&world, "desk.ifs");
        let found: Vec<String> =
            checked.diagnostics.list.iter().map(|one| one.message.clone()).collect();
        build(checked.model.unwrap_or_else(|| panic!("{turn}: {found:?}")))
    };
    let found = between(&plan(base), &plan(&changed));
    let line = |change: &DefinitionChange| format!("{} | {}", change.class.phrase(), change.reason);
    found.changes.iter().map(line).collect()
}

#[test]
fn records_that_decide_verdicts_are_not_only_messages() {
    let care = "comparable with care | messages are drawn from other records";
    let decides = |field: &str| {
        format!("not comparable | `{field}` decides what is imposed, judged or counted")
    };
    let judged = "require r judge \"Is it?\"";
    let ask = "turn { ask task.ask require r judge \"Is it?\" }";
    assert_eq!(of_task(ask, "Write.", "Draw."), [care]);
    let tagged = format!("turn {{ ask task.ask {judged} tag axis[task.tag] }}");
    assert_eq!(of_task(&tagged, "\"x\"", "\"y\""), [care]);
    for (turn, field, old, new) in [
        ("turn { ask task.ask impose brief(n: task.n) }", "n", ":2", ":3"),
        ("turn { ask task.ask require r count(word) > task.n }", "n", ":2", ":3"),
        (
            "let most = task.n + 1 turn { ask task.ask require r count(word) > most }",
            "n",
            ":2",
            ":3",
        ),
        (
            "retry up to task.n rounds with feedback turn { ask task.ask require r contains(\"x\") }",
            "n",
            ":2",
            ":3",
        ),
        ("turn { ask task.ask require r judge \"Is it?\" pass == task.want }", "want", "yes", "no"),
        ("turn { ask task.ask require r judge \"Is it {{ task.want }}?\" }", "want", "yes", "no"),
        (
            "turn { ask task.ask require r judge \"Is it?\" weigh task.w }",
            "w",
            "\"w\":1",
            "\"w\":9",
        ),
        (
            "for shard in task.shards { turn { ask shard require r judge \"Is it?\" } }",
            "shards",
            "[\"s\"]",
            "[\"s\",\"t\"]",
        ),
        (
            "turn { ask task.ask reply task.want } turn { ask \"And?\" require r judge \"Is it?\" }",
            "want",
            "yes",
            "no",
        ),
        (
            "turn { ask task.ask for it in task.shards { require r judge \"Is it {{ it }}?\" } }",
            "shards",
            "\"s\"",
            "\"t\"",
        ),
    ] {
        let turn = turn.replace(" it in", " one in").replace("{{ it }}", "{{ one }}");
        assert_eq!(of_task(&turn, old, new), [decides(field)], "{turn}");
    }
    // Other fields of the same record are messages, and a new record decides whatever a record does.
    let turn = "turn { ask task.ask impose brief(n: task.n) }";
    assert_eq!(of_task(turn, "Write.", "Draw."), [care]);
    let other = "\"name\":\"a\"";
    let found = of_task(turn, other, "\"name\":\"b\"");
    assert_eq!(found, [decides("n"), decides("n")]);
}

#[test]
fn golden_answers_and_branches_are_classified() {
    let old = "ifs 1\ndialogue d {\n  context golden\n  turn a { ask \"A\" answer \"GOLD\" }\n  \
               turn b { ask \"B\" require r judge \"Q?\" }\n}\ndialogue e {\n  judge history 2\n  \
               turn a { ask \"A\" observe o contains(\"x\") require r judge \"Q?\" }\n  \
               when o { turn b { ask \"B\" } }\n}\n";
    let lines = |from: &str, to: &str| -> Vec<String> {
        let changes = between(&plan_of(old, TOPICS), &plan_of(&old.replacen(from, to, 1), TOPICS));
        let line = |change: &DefinitionChange| {
            let side = |side: &Option<String>| side.clone().unwrap_or_default();
            format!("{}: {} -> {}", change.place, side(&change.before), side(&change.after))
        };
        assert!(changes.changes.iter().all(|change| change.class == Class::NotComparable));
        changes.changes.iter().map(line).collect()
    };
    assert_eq!(lines("GOLD", "SILVER"), ["turn a, answer: \"GOLD\" -> \"SILVER\""]);
    assert_eq!(lines("history 2", "history all"), ["history that judges see: 2 -> all"]);
    assert_eq!(lines("when o", "when not o"), ["when: when o -> when not o"]);
}

#[test]
fn versions_follow_the_class() {
    let required_after = |from: &str, to: &str| {
        let changes =
            between(&plan_of(DESK, TOPICS), &plan_of(&DESK.replacen(from, to, 1), TOPICS));
        required(Version::parse("1.2.0"), &changes).to_string()
    };
    assert_eq!(required_after("5..=9", "5..=12"), "2.0");
    assert_eq!(required_after("At most", "No more than"), "1.3");
    assert_eq!(required_after("/// Short.", "/// Brief."), "1.2");
}
