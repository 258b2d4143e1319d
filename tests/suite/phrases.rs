//! Banks of phrases next to a scenario's own templates.

use ifs::diagnostic::Code;
use ifs::model::check;
use ifs::model::table::Move;
use ifs::plan::build;
use ifs::script::{Drawer, Seed};
use ifs::world::MemoryWorld;

const PROGRAM: &str = r#"ifs 1
import topics "topics.jsonl" { name: text  request: text  kind: text }
import styles "styles.jsonl" { name: text  voice: text }
group g {
  constraint few(n: int in 2..=9) {
    say "Fewer than {{ n }} words."
    check count(word) < n
  }
}
group h {
  constraint dots { say "No full stops." check not contains(".") }
}
dialogue talk {
  topic from topics
  style from styles
  templates from "w"
  start with 1 constraint
  scope topic says "What I ask for belongs to its topic."
  flow { stay at least 2 turns  switch 70% { new 50%  backtrack 50% } }
  evolve one per turn { add 50%  modify 40%  drop 10%  when constraints == 1 { add 50%  modify 50% } }
  end when turns >= 30
}
"#;

const TOPICS: &str = r#"{"name":"tides","request":"Why tides?","kind":"why"}
{"name":"yeast","request":"What is yeast?","kind":"what"}
{"name":"moss","request":"Where is moss?","kind":"what"}
"#;

const VOICES: &str = "# Comments are not part of it.\ncurt:\n  lead: ['Do this: DO']\n  stays: ['As before: NOTES']\n";
const DEMANDS: &str = "g.few:\n  do: ['stay below {{ n }} words']\n  note: ['below {{ n }} words']\n  redo: ['go from {{ old.n }} to {{ n }} words']\n  undo: ['forget the {{ n }} words']\nh.dots:\n  do: ['leave out full stops']\n  note: ['no full stops']\n  undo: ['use full stops']\n";
const PHRASES: &str = "next:\n  why: ['Say why.']\n  what: ['Say what.']\n";
const CHANGES: &str = r#"{% for it in changes %}{{ pick(voice.lead, dice) | naming("DO", it.redo or it.do or it.undo) }}. {% endfor %}"#;
const CONTINUE: &str = r#"{{ pick(phrases.next[topic.kind], dice) }} {% include "changes.j2" %}"#;
const RETURN: &str = r#"Back. {% if restored %}{{ pick(voice.stays, dice) | naming("NOTES", restored | map(attribute="note") | join("; ")) }}. {% endif %}{% include "changes.j2" %}"#;

fn files(demands: &str, voices: &str) -> MemoryWorld {
    MemoryWorld::new([
        ("main.ifs", PROGRAM),
        ("topics.jsonl", TOPICS),
        ("styles.jsonl", r#"{"name":"Ada","voice":"curt"}"#),
        ("w/voices.yaml", voices),
        ("w/demands.yaml", demands),
        ("w/phrases.yaml", PHRASES),
        ("w/open.j2", r#"{{ topic.request }} {% include "changes.j2" %}"#),
        ("w/continue.j2", CONTINUE),
        ("w/return.j2", RETURN),
        ("w/changes.j2", CHANGES),
    ])
}

#[test]
fn users_speak_in_phrases_of_the_scenario() {
    let plan = build(check(&files(DEMANDS, VOICES), "main.ifs").model.unwrap());
    let drawer = Drawer::new(&plan, "talk").unwrap();
    let (mut redone, mut restored) = (0, 0);
    for index in 0..8 {
        for turn in drawer.script(Seed(1), index) {
            let turn = turn.unwrap();
            let [changed] = turn.changes.as_slice() else { panic!("{turn:?}") };
            assert!(!turn.ask.contains("Fewer"), "the demand is in its own form: {}", turn.ask);
            assert!(turn.ask.contains("Do this: "), "{}", turn.ask);
            // Forms of the scenario's own are parts of sentences, which its phrases end.
            assert!(!turn.ask.contains(".."), "{}", turn.ask);
            if let (Some(after), Some(before)) = (&changed.after, &changed.before)
                && after.constraint == "g.few"
                && before.constraint == "g.few"
            {
                let (new, old) = (after.arg("n").unwrap(), before.arg("n").unwrap());
                assert!(
                    turn.ask.contains(&format!("go from {old} to {new} words")),
                    "{}",
                    turn.ask
                );
                redone += 1;
            }
            if turn.transition == Move::Stay {
                let why = if turn.topic == "tides" { "Say why." } else { "Say what." };
                assert!(turn.ask.starts_with(why), "{}", turn.ask);
            }
            if turn.transition == Move::Backtrack {
                // Active constraints that this turn does not change are repeated unchanged.
                let unsaid = turn.active_constraints.iter().filter(|active| {
                    changed.after.as_ref().is_none_or(|after| after.constraint != active.constraint)
                });
                for active in unsaid {
                    let said = match active.arg("n") {
                        Some(n) => format!("below {n} words"),
                        None => "no full stops".to_owned(),
                    };
                    let (still, _) = turn.ask.split_once("Do this").unwrap();
                    assert!(still.contains("As before: ") && still.contains(&said), "{}", turn.ask);
                    restored += 1;
                }
            }
        }
    }
    assert!(redone > 10 && restored > 10, "{redone} {restored}");
}

#[test]
fn comments_and_layout_of_banks_change_no_hash() {
    let hash =
        |voices: &str| build(check(&files(DEMANDS, voices), "main.ifs").model.unwrap()).hash();
    assert_eq!(
        hash(VOICES),
        hash("curt:\n  lead:\n    - 'Do this: DO'\n  stays:\n    - 'As before: NOTES'\n")
    );
    assert_ne!(hash(VOICES), hash(&VOICES.replace("As before", "Still")));
}

#[test]
fn mistakes_in_banks() {
    for (demands, voices, code, message, help) in [
        (
            "g.fewer:\n  do: ['x']\n",
            VOICES,
            Code::UNKNOWN_NAME,
            "`w/demands.yaml` has phrases for `g.fewer`, which is not a constraint",
            "did you mean `g.few`?",
        ),
        (
            "g.few:\n  does: ['x']\n",
            VOICES,
            Code::UNKNOWN_NAME,
            "`w/demands.yaml` has `does` for `g.few`, which is not a form",
            "did you mean `do`? forms are `do`, `note`, `redo`, `undo`",
        ),
        (
            "g.few:\n  do: ['{{ m }} words']\n",
            VOICES,
            Code::UNKNOWN_NAME,
            "`w/demands.yaml`: \"{{ m }} words\" asks for `m`, which `g.few` does not have",
            "it may ask for `n`",
        ),
        (
            "g.few:\n  do: ['{{ n words']\n",
            VOICES,
            Code::BAD_TEMPLATE,
            "`w/demands.yaml`: \"{{ n words\" cannot be read",
            "close each `{{` with `}}`",
        ),
        (
            DEMANDS,
            "curt:\n  lead: []\n",
            Code::UNREADABLE_FILE,
            "`w/voices.yaml`, line 1: the list `lead` of `curt` is empty",
            "a map of maps of lists of texts, in YAML",
        ),
        (
            DEMANDS,
            "curt:\n  lead: 'Do'\n",
            Code::UNREADABLE_FILE,
            "`w/voices.yaml`, line 2: ",
            "a map of maps of lists of texts, in YAML",
        ),
    ] {
        let found = check(&files(demands, voices), "main.ifs").diagnostics.list;
        let [found] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(found.code, code, "{}", found.message);
        assert!(found.message.starts_with(message), "{}", found.message);
        let said = found.help.as_deref().unwrap_or_default();
        assert!(said.contains(help), "{said}");
    }
    let other = check(&files(DEMANDS, "blunter:\n  lead: ['DO']\n"), "main.ifs");
    // All templates are the scenario's own, so it may name its voices as it likes.
    assert_eq!(other.diagnostics.errors(), 0);
}
