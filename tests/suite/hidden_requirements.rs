//! Criteria that a model cannot know, found when a scenario is checked; and similar sound
//! scenarios, without warnings.

use ifs::diagnostic::{Code, Diagnostic};
use ifs::script::{Drawer, Seed};
use ifs::world::MemoryWorld;

use crate::ui::check_program;

const TOPICS: &str = "// file: topics.jsonl\n\
    {\"name\":\"tides\",\"request\":\"Why are there tides?\",\"keywords\":[\"moon\",\"sea\"]}\n\
    {\"name\":\"yeast\",\"request\":\"What does yeast do?\",\"keywords\":[\"sugar\"]}\n";

/// What is found in a program of several files, the first of which is `main.ifs`.
fn found(program: &str) -> Vec<Diagnostic> {
    let mut files: Vec<(&str, String)> = vec![("main.ifs", "ifs 1\n".to_owned())];
    for line in program.lines() {
        match line.trim_start().strip_prefix("// file: ") {
            Some(name) => files.push((name.trim(), String::new())),
            None => {
                let last = files.len() - 1;
                files[last].1.push_str(line);
                files[last].1.push('\n');
            }
        }
    }
    let world = MemoryWorld::new(files.iter().map(|(name, text)| (*name, text.as_str())));
    check_program(&world, "main.ifs").0.list
}

fn codes(program: &str) -> Vec<Code> {
    found(program).iter().map(|found| found.code).collect()
}

#[track_caller]
fn silent(program: &str) {
    let found = found(program);
    assert!(found.is_empty(), "{program}\n{found:?}");
}

#[track_caller]
fn says(program: &str, code: Code, words: &str) {
    let found = found(program);
    let [only] = found.as_slice() else { panic!("{program}\n{found:?}") };
    let help = only.help.clone().unwrap_or_default();
    assert_eq!(only.code, code, "{only:?}");
    assert!(format!("{}. {help}", only.message).contains(words), "{only:?}");
}

fn constraint(head: &str, body: &str) -> String {
    format!("constraint c({head}) {{\n{body}\n}}\n")
}

#[test]
fn parameters_that_no_wording_names() {
    for (head, body) in [
        ("n: int in 30..=80", "say \"Keep it short.\"\ncheck count(word) <= n"),
        ("n: int in 30..=80", "say \"Short.\", \"Keep it short.\"\ncheck count(word) <= n"),
        ("n: int", "say \"Short.\"\nchange \"{{ n }} now.\"\ncheck count(word) <= n"),
        (
            "n: int in 30..=80",
            "say \"{% if n > 50 %}Long.{% else %}Short.{% endif %}\"\ncheck count(word) <= n",
        ),
        (
            "how: one_of [\"sad\", \"glad\"]",
            "say \"Have a mood.\"\njudge \"Does it sound {{ how }}?\"",
        ),
    ] {
        says(&constraint(head, body), Code::UNSAID_PARAMETER, "no `say` names it");
    }
    for (head, body) in [
        ("n: int in 30..=80", "say \"{{ n }} words.\"\ncheck count(word) <= n"),
        (
            "n: int in 1..=2",
            "say \"{% if n > 1 %}Two words{% else %}A word{% endif %}.\"\ncheck count(word) <= n",
        ),
        (
            "low: int in 3..=9, high: int in low + 2..=low + 2",
            "say \"{{ low }} words or two more.\"\ncheck count(word) in low..=high",
        ),
        ("n: int in 1..=2", "say \"{{ n | string }} words.\"\ncheck count(word) <= n"),
    ] {
        silent(&constraint(head, body));
    }
    // What a relation gives is in earlier messages.
    silent(
        "constraint again(earlier: text) {\nsay \"Once more.\"\ncheck it == earlier\nrelation recalls\n}",
    );
}

#[test]
fn single_braces_around_a_known_name() {
    for say in ["At most {n} words.", "At most { n } words, {{ n }} or fewer.", "{n}{{ n }}"] {
        let body = format!("say \"{say}\"\ncheck count(word) <= n");
        says(&constraint("n: int in 3..=8", &body), Code::SINGLE_BRACES, "write `{{ n }}`");
    }
    let dialogue = "dialogue d {\nlet who = \"Ada\"\nturn t { ask \"Ask {who} or {{ who }}.\" }\n}";
    says(dialogue, Code::SINGLE_BRACES, "not as the value of `who`");
    for say in [
        "Write {{ n }} and {name}.",
        "JSON with {{ n }} fields: {\\\"a\\\": 1}",
        "{{ n }}: use {{ \\\"{n}\\\" }}",
        "{{ n }}{% raw %}{n}{% endraw %}",
        "${n} {{ n }}",
    ] {
        silent(&constraint("n: int in 3..=8", &format!("say \"{say}\"\ncheck count(word) <= n")));
    }
}

#[test]
fn filters_and_fields_that_templates_do_not_have() {
    let say = |say: &str| {
        constraint("n: int in 3..=8", &format!("say \"{say}\"\ncheck count(word) <= n"))
    };
    for (text, words) in [
        ("{{ n | uper }}", "no filter `uper`. did you mean `upper`"),
        ("{{ upper(n) }}", "`{{ VALUE | upper }}`"),
        ("{{ n }}{{ topic.upper() }}", "no method `upper`"),
        ("{% if n is evne %}x{% endif %}", "no test `evne`. did you mean `even`"),
        ("{{ n }}{{ pik([1], n) }}", "no function `pik`. did you mean `pick`"),
    ] {
        says(&say(text), Code::UNKNOWN_FILTER, words);
    }
    says(&say("{% for w in turn %}{{ w }}{{ n }}{% endfor %}"), Code::WRONG_TYPE, "through a list");
    says(&say("{% for w in n %}{{ w }}{% endfor %}"), Code::WRONG_TYPE, "`n` is a whole number");
    says(&say("{{ n.m }}"), Code::UNKNOWN_FIELD, "has no field `m`");
    for text in [
        "{{ n | round }} {{ n | string | upper }}",
        "{% for w in [n, 2] %}{{ w }}{{ loop.index }}{% endfor %}",
        "{% for w in range(n) %}{{ w }}{% endfor %}",
        "{{ n }} {{ topic.name | default(\\\"x\\\") }}",
        "{{ n }}{% if n is even %}x{% endif %}",
        "{% set many = n > 4 %}{{ many }}{{ [n] | map(\\\"string\\\") | join(\\\", \\\") }}",
    ] {
        silent(&say(text));
    }
}

#[test]
fn templates_of_turns_and_in_files() {
    let dialogue = |turn: &str| {
        format!(
            "import topics \"topics.jsonl\"\ndialogue d over topics as t {{\nturn a {{\n{turn}\n}}\n}}\n{TOPICS}"
        )
    };
    for (turn, code, words) in [
        ("ask \"{{ t.nmae }}\"", Code::UNKNOWN_FIELD, "did you mean `name`"),
        ("ask \"{{ t.keywords.first }}\"", Code::UNKNOWN_FIELD, "{% for one in t.keywords %}"),
        ("ask \"x\"\nanswer \"{{ t.name | uper }}\"", Code::UNKNOWN_FILTER, "`upper`"),
        (
            "ask \"{{ t.name }}\"\nexpect 1 \"{{ t.request | capitalise }}\" check contains(\"a\")",
            Code::UNKNOWN_FILTER,
            "`capitalize`",
        ),
        ("ask \"{{ t.name }}\"\nvoid \"{{ t.mane }}\"", Code::UNKNOWN_FIELD, "`name`"),
        (
            "ask \"{{ t.name }}\"\nrequire r judge \"Is it {{ t.name | uper }}?\"",
            Code::UNKNOWN_FILTER,
            "`upper`",
        ),
        (
            "ask \"{% for k in t.keywords %}{{ k.word }}{% endfor %}\"",
            Code::UNKNOWN_FIELD,
            "`k` is a text",
        ),
        (
            "ask template \"ask.j2\"\n}\n}\n// file: ask.j2\nAbout {{ t.nmae }}.\n// file: rest.txt",
            Code::UNKNOWN_FIELD,
            "`name`",
        ),
        (
            "ask template \"ask.j2\"\n}\n}\n// file: ask.j2\nAbout {{ topicc }}.\n// file: rest.txt",
            Code::UNKNOWN_NAME,
            "no `topicc`",
        ),
    ] {
        says(&dialogue(turn), code, words);
    }
    silent(&dialogue(
        "ask \"{% for k in t.keywords %}{{ k | upper }}{% endfor %} {{ t.name }} {{ t.request }}\"",
    ));
}

#[test]
fn templates_of_a_folder_of_words() {
    let program = |name: &str, text: &str| {
        format!(
            "import topics \"topics.jsonl\"\ngroup g {{ constraint c {{ say \"x\" check contains(\"a\") }} }}\n\
             dialogue d {{\ntopic from topics\ntemplates from \"words\"\nstart with 1 constraint\n\
             flow {{ stay at least 1 turn  switch 50% }}\nretry up to 1 round with feedback\nend when turns >= 2\n}}\n\
             // file: words/{name}\n{text}\n{TOPICS}"
        )
    };
    let open = |text: &str| program("open.j2", text);
    says(&open("{{ topic.request }} {{ tpoic.name }}"), Code::UNKNOWN_NAME, "`topic`");
    says(&open("{{ topic.request | uper }}"), Code::UNKNOWN_FILTER, "`upper`");
    let place = found(&open("a\n{{ topic.request | uper }}"))[0].labels[0].span;
    assert_eq!((place.start, place.end), (21, 25));
    silent(&open("{{ topic.request }} {% include \"changes.j2\" %}{{ kept }}{{ voice.hello[0] }}"));
    silent(&program("feedback.j2", "{% for it in missed %}{{ it.name }} {{ round }}{% endfor %}"));
    says(&program("feedback.j2", "{{ topic.name }}"), Code::UNKNOWN_NAME, "no `topic`");
}

#[test]
fn names_of_a_dialogue_in_a_constraint() {
    let program = |constraint: &str| {
        format!(
            "import topics \"topics.jsonl\"\n{constraint}\ndialogue d over topics as p {{\nlet k = p.name\n\
             turn t {{\nimpose 1 from c\nask \"{{{{ p.request }}}} {{{{ k }}}}\"\n}}\n}}\n{TOPICS}"
        )
    };
    for constraint in [
        "constraint c { say \"Name {{ p.name }}.\" check contains(\"a\") }",
        "constraint c { say \"Name {{ k }}.\" check contains(\"a\") }",
        "constraint c { say \"Name it.\" check contains(text (p.name)) }",
        "constraint c { say \"Name it.\" judge \"Does it name {{ p.name }}?\" }",
    ] {
        says(&program(constraint), Code::DIALOGUE_NAME, "which no constraint knows");
    }
    says(
        &program("constraint c { say \"Name {{ q }}.\" check contains(\"a\") }"),
        Code::UNKNOWN_NAME,
        "there is no `q`",
    );
    silent(&program("constraint c(p: one_of [\"a\"]) { say \"{{ p }}\" check contains(p) }"));
}

#[test]
fn voices() {
    let program = |dialogue: &str, styles: &str| {
        format!(
            "import topics \"topics.jsonl\"\nimport styles \"styles.jsonl\"\n\
             dialogue d {{\ntopic from topics\n{dialogue}\nflow {{ stay at least 1 turn  switch 50% }}\n\
             end when turns >= 2\n}}\n// file: styles.jsonl\n{styles}\n{TOPICS}"
        )
    };
    let grumpy = "{\"name\":\"a\",\"voice\":\"plain\"}\n{\"name\":\"b\",\"voice\":\"grumpy\"}";
    says(&program("style from styles", grumpy), Code::UNKNOWN_VOICE, "voices are `plain`, `terse`");
    says(
        &program("style from styles", "{\"name\":\"a\",\"voice\":\"chaty\"}"),
        Code::UNKNOWN_VOICE,
        "did you mean `chatty`",
    );
    silent(&program("style from styles where it.name == \"a\"", grumpy));
    silent(&program("style from styles", "{\"name\":\"a\",\"tone\":\"grumpy\"}"));
    assert_eq!(codes(&program("style from styles", "{\"name\":\"a\",\"voice\":\"dry\"}")), []);
}

#[test]
fn lets_that_nothing_uses() {
    for program in [
        "dialogue d {\nlet k = 2\nturn t { ask \"x\" }\n}",
        "dialogue d {\nturn t {\nlet k = 2\nask \"x\"\n}\n}",
        "dialogue d {\nfor n in [1, 2] {\nlet k = n\nturn t { ask \"{{ n }}\" }\n}\n}",
        "dialogue d {\nlet k = 2\nturn t { ask \"x\" }\nturn u {\nlet k = 3\nask \"{{ k }}\"\n}\n}",
        "def f(n: int) {\nlet k = n + 1\nreturn n\n}\ndialogue d { turn t { ask to_text(f(1)) } }",
        "scene s 100 by 100 {\nfor n in [1] {\nlet k = n\ndraw rect { x: 9, y: n, width: 3, height: 3 }\n}\n}",
    ] {
        says(program, Code::UNUSED_NAME, "`k` is never used");
    }
    for program in [
        "dialogue d {\nlet k = 2\nturn t { ask \"{{ k }}\" }\n}",
        "dialogue d {\nlet k = 2\nturn t { ask \"x\" }\nturn u { ask \"y\" }\nend when turns >= k\n}",
        "dialogue d {\nlet k = 2\nsystem template \"s.j2\"\nturn t { ask \"x\" }\n}\n// file: s.j2\n{{ k }}",
        "dialogue d {\nlet k = 2\nlet j = k\nturn t { ask \"x\" answer \"{% if j %}a{% endif %}\" }\n}",
        "dialogue d {\nlet k = 2\nturn t { ask \"x\" }\nvariant v { turn t { ask \"{{ k }}\" } }\n}",
        "dialogue d {\nlet k = \"a\"\nturn t {\nask \"x\"\npart p: text \"the {{ k }}\"\nrequire r len(p) == 3\n}\n}",
        "def f(n: int) {\nlet k = n + 1\nreturn k\n}\ndialogue d { turn t { ask to_text(f(1)) } }",
        "scene s 100 by 100 {\nlet k = 3\ndraw rect { x: 9, y: 9, width: 3, height: 3 }\n}",
    ] {
        silent(program);
    }
}

#[test]
fn the_outer_member_that_cannot_be_reached() {
    let dialogue = |value: &str| {
        format!(
            "let xs = [1, 2]\nlet people = [{{ name: \"Ada\", team: \"red\" }}, {{ name: \"Bo\", team: \"blue\" }}]\n\
             let teams = [{{ lead: \"Ada\", size: 3 }}]\n\
             dialogue d {{\nlet k = {value}\nturn t {{ ask \"{{{{ k | length }}}}{{{{ xs }}}}\" }}\n}}\n"
        )
        .replace("{{ xs }}", "")
    };
    for value in [
        "xs each ([4, 5] each it + it)",
        "people where some teams: it.lead == \"Ada\"",
        "people each (teams where it.size > 2 and it.lead == it.lead)",
        "people where it.name != \"\" and (some people: it.team == it.team)",
    ] {
        let found: Vec<_> = found(&dialogue(value))
            .into_iter()
            .filter(|found| {
                found.message != "`xs` is never used" && !found.message.contains("never used")
                    || found.code == Code::SHADOWED_IT
            })
            .collect();
        let [only] = found.as_slice() else { panic!("{value}: {found:?}") };
        assert_eq!(only.code, Code::SHADOWED_IT, "{value}: {only:?}");
    }
    let error = &found(&dialogue("people where some teams: it.lead == it.name"));
    assert!(error.iter().any(|found| found.code == Code::SHADOWED_IT), "{error:?}");
    for value in [
        "people each count(teams where it.lead == \"Ada\" and it.size > 1) + len(it.name)",
        "people where some team in teams: team.lead == it.name",
        "people each sorted_by(word in it.name, len(it))",
        "people where count(word in it.name where len(it) > 2) > 0",
        "xs each it + 1",
    ] {
        let found = codes(&dialogue(value));
        assert!(!found.contains(&Code::SHADOWED_IT), "{value}: {found:?}");
    }
    for check in [
        "every sentence: some word: len(it) > 3",
        "every sentence: count(word) < 9 and (some word: it == \"a\")",
        "some line: line[1]: contains(\"a\")",
        "every line: no word: starts_with(\"x\")",
    ] {
        silent(&constraint("", &format!("say \"x\"\ncheck {check}")));
    }
}

/// A log whose lines name the scorer without the team.
const LOG: &str = "// file: games/one.txt\n\
    Match: Hill Foxes vs Lake Otters\n\
    Hill Foxes: Ada Stone, Bo Lind\n\
    Lake Otters: Cy Moor, Di Reed\n\n\
    12:00\tAda Stone vs. Cy Moor (Bo Lind gains possession)\n\
    11:40\tBo Lind makes 4-foot jumper\n\
    11:20\tCy Moor makes 25-foot three point jumper\n\
    11:00\tOtters Full timeout\n\
    10:40\tAda Stone makes 10-foot hook shot\n\
    10:20\tEnd of the 1st Quarter\n";

fn over_a_game(dialogue: &str) -> String {
    format!(
        "use std.sport.*\nfeed games {{ read espn_text \"games/*.txt\" }}\n\
         dialogue d over games as game {{\n{dialogue}\n}}\n{LOG}"
    )
}

const SCORE: &str = "turn told {\nlet s = game.score_after(game.plays[-1])\nshow game.plays.line\n\
    ask \"{{ game.away.name }} and {{ game.home.name }}: what is the score?\"\n\
    answer \"{{ s.away }} to {{ s.home }}\"\n\
    expect 1 \"{{ s.away }}\" check contains(word (to_text(s.away)))\n}";

#[test]
fn games_without_a_roster() {
    says(&over_a_game(SCORE), Code::UNSHOWN_ANSWER, "which team a player of `game` plays for");
    let roster = "{{ game.away.players | join(\\\", \\\") }} against {{ game.home.players | join(\\\", \\\") }}";
    silent(&over_a_game(&format!("system \"{roster}\"\n{SCORE}")));
    // What happened, and not for whom.
    silent(&over_a_game(
        "turn told {\nparam goal: one_of game.plays where it.scoring\nshow game.plays.line\n\
         ask \"Who scored at {{ goal.clock }}?\"\nanswer \"{{ goal.player }}\"\n\
         expect 1 \"{{ goal.player }}\" check contains(text (goal.player))\n}",
    ));
}

#[test]
fn expected_names_missing_from_messages() {
    let half = "turn told {\nlet goal = game.plays[-2]\nshow (game.plays where it.number <= 3).line\n\
        ask \"Who scored last?\"\nanswer \"{{ goal.player }}\"\n\
        expect 1 \"{{ goal.player }}\" check contains(text (goal.player))\n}";
    says(
        &over_a_game(&half.replace("it.number <= 3", "it.number in 2..=3")),
        Code::UNSHOWN_ANSWER,
        "`Ada Stone` is expected here",
    );
    silent(&over_a_game(&half.replace("it.number <= 3", "it.number <= 6")));
}

fn over_reports(dialogue: &str) -> String {
    format!(
        "import reports \"reports.jsonl\"\ndialogue d over reports as r {{\n{dialogue}\n}}\n\
         // file: reports.jsonl\n\
         {{\"name\":\"tides\",\"author\":\"Ada Stone\",\"text\":\"Ada Stone measured the tide.\",\"least\":9,\"most\":40}}\n\
         {{\"name\":\"yeast\",\"author\":\"Bo Lind\",\"text\":\"Somebody baked bread.\",\"least\":60,\"most\":40}}\n"
    )
}

#[test]
fn records_with_the_same_messages() {
    for turn in [
        "turn a { ask \"Who wrote it?\" answer \"{{ r.author }}\" }",
        "turn a {\nask \"Who wrote it?\"\nexpect 1 \"it is {{ r.author }}\" check contains(text (r.author))\n}",
        "system \"Be kind.\"\nturn a { ask \"Hello.\" answer \"Hi.\" }\nturn b {\nask \"Who?\"\nrequire w contains(text (r.author))\n}",
        "turn a {\nask \"Who wrote it?\"\nrequire w judge \"Is it {{ r.author }}?\"\n}",
    ] {
        says(&over_reports(turn), Code::UNSHOWN_ANSWER, "the right answers differ");
    }
    for turn in [
        // Knowledge that a model may have anyway.
        "turn a { ask \"Who wrote about {{ r.name }}?\" answer \"{{ r.author }}\" }",
        "system \"{{ r.author }} wrote it.\"\nturn a { ask \"Who?\" answer \"{{ r.author }}\" }",
        "turn a { ask \"{{ r.text }}\" answer \"Fine.\" }",
        "turn a {\nparam n: int in 3..=9\nask \"{{ r.name }} asks: what is {{ n }} and {{ n }}?\"\nlet sum = n + n\nanswer \"{{ sum }}\"\n}",
    ] {
        silent(&over_reports(turn));
    }
    says(
        &over_reports("turn a {\nshow r.text\nask \"Who did it?\"\nanswer \"{{ r.author }}\"\n}"),
        Code::UNSHOWN_ANSWER,
        "`Bo Lind` is expected here, and no message",
    );
    // The same of the topics of a flow.
    let of_topics = over_reports(
        "topic from reports\nflow { switch 50%  turn {\nshow topic.text\nask \"Who did it?\"\n\
         expect 1 \"It is {{ topic.author }}.\" check contains(text (topic.author))\n} }\n\
         end when turns >= 4",
    );
    let of_topics = of_topics.replace("dialogue d over reports as r {", "dialogue d {");
    let of_topics = of_topics.replace("\"text\":", "\"request\":\"Read this.\",\"text\":");
    says(&of_topics, Code::UNSHOWN_ANSWER, "`Bo Lind` is expected here, and no message");
    let author = of_topics.replace("\"Who did it?\"", "\"Was it {{ topic.author }}?\"");
    silent(&author);
}

#[test]
fn records_whose_constraints_contradict() {
    let turn = |most: &str| {
        format!(
            "turn a {{\nask \"{{{{ r.text }}}} From {{{{ r.least }}}} to {{{{ r.most }}}} words.\"\n\
             require long count(word) >= r.least\nrequire short count(word) <= {most}\n}}"
        )
    };
    says(&over_reports(&turn("r.most")), Code::CLASHING_RECORD, "the record `yeast` of `reports`");
    silent(&over_reports(&turn("r.most + 40")));
}

/// Why the second dialogue of a program cannot be drawn, with fields that are declared.
fn undrawn(statements: &str) -> String {
    undrawn_of("{ name: text  request: text  mood?: text }", statements)
}

fn undrawn_of(fields: &str, statements: &str) -> String {
    let program = format!("ifs 1\nimport people \"people.jsonl\" {fields}\n{statements}");
    let people = "{\"name\":\"Ada\",\"request\":\"Hi.\",\"mood\":\"angry\"}\n{\"name\":\"Bo\",\"request\":\"Ho.\"}";
    let files = [("main.ifs", program.as_str()), ("people.jsonl", people)];
    let checked = ifs::model::check(&MemoryWorld::new(files), "main.ifs");
    let model = checked.model.unwrap_or_else(|| panic!("{statements}: {:?}", checked.diagnostics));
    let plan = ifs::plan::build(model);
    let drawer = Drawer::new(&plan, "d").unwrap();
    let all = (0..8).flat_map(|index| drawer.script(Seed(1), index).take(4).collect::<Vec<_>>());
    let error = all.into_iter().find_map(Result::err);
    error.map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn absent_values_in_messages() {
    let over = |turn: &str| undrawn(&format!("dialogue d over people as p {{\n{turn}\n}}"));
    for turn in [
        "turn a { ask \"You are {{ p.mood }}.\" }",
        "turn a { ask \"You are {{ 'very ' ~ p.mood }}.\" }",
        "turn a { ask \"You are {{ p.mood }}, {{ p.name | upper }}.\" }",
        "turn a {\nask \"How are you?\"\nrequire r judge \"Is it {{ p.mood }}?\"\n}",
        "turn a {\nask \"How are you?\"\nanswer \"I am {{ p.mood }}.\"\n}",
    ] {
        let error = over(turn);
        assert!(error.contains("p.mood") && error.contains("is absent here"), "{turn}: {error}");
    }
    assert!(over("turn a { ask p.mood }").contains("`ask`"), "{}", over("turn a { ask p.mood }"));
    assert!(over("turn a { ask \"{% if p.mood %}x{% endif %}\" }").contains("`ask`"));
    for turn in [
        "turn a { ask \"Hello{% if p.mood %}, {{ p.mood }}{% endif %}.\" }",
        "turn a { ask \"Hello {{ p.mood or p.name }}.\" }",
        "system \"Mood: {{ p.mood }}\"\nturn a { ask \"Hello.\" }",
        "system p.mood\nturn a { ask \"Hello.\" }",
    ] {
        assert_eq!(over(turn), "", "{turn}");
        // Where the fields are inferred, the record lacks the field altogether.
        let program = format!("dialogue d over people as p {{\n{turn}\n}}");
        assert_eq!(undrawn_of("", &program), "", "{turn}");
    }
    let said = |say: &str| {
        undrawn(&format!(
            "constraint c {{ say \"{say}\" check contains(\"a\") }}\n\
             dialogue d {{\ntopic from people\nstart with 1 constraint\n\
             flow {{ stay at least 1 turn  switch 100% }}\nend when turns >= 4\n}}"
        ))
    };
    assert!(said("Be {{ topic.mood }}.").contains("`topic.mood` is absent here"));
    assert!(said("{% if topic.mood %}Be {{ topic.mood }}.{% endif %}").contains("says nothing"));
    assert_eq!(said("Be {{ topic.mood or 'calm' }}."), "");
}

#[test]
fn active_constraints_that_were_not_stated_last() {
    let program = |statements: &str| {
        format!(
            "import topics \"topics.jsonl\"\n\
             group tone {{\nconstraint calm {{ say \"Be calm.\" check not contains(\"!\") }}\n\
             constraint loud {{ say \"Shout!\" check contains(\"!\") }}\n}}\n\
             dialogue d {{\ntopic from topics\nstart with 1 constraint\n{statements}\n\
             turn first\nturn other unrelated\nturn again refines first\n}}\n{TOPICS}"
        )
    };
    says(&program("scope topic"), Code::UNSTATED_CONSTRAINT, "the last stated constraint");
    for statements in [
        "scope dialogue",
        "scope topic\nrepeat instructions at end",
        "scope topic\nsystem \"What I ask on a topic holds when we come back to it.\"",
        "scope dialogue\nevolve one per turn { add 50%  modify 50% }",
    ] {
        silent(&program(statements));
    }
}

#[test]
fn unstated_requirements() {
    let program = |statements: &str| {
        format!(
            "import topics \"topics.jsonl\"\ndialogue d {{\ntopic from topics\n{statements}\n\
             end when turns >= 6\n}}\n{TOPICS}"
        )
    };
    let short = "require short count(word) <= 80";
    for statements in [
        format!("flow {{ switch 50%\nturn {{ {short} }} }}"),
        format!("flow {{ switch 50%\nturn {{ {short} }}\nturn new {{ ask \"Hello.\" }} }}"),
        format!("turn first {{ ask \"Hello.\" }}\nturn then follows first {{ {short} }}"),
    ] {
        says(&program(&statements), Code::UNSTATED_CONSTRAINT, "the requirement `short` is judged");
    }
    for statements in [
        format!("flow {{ switch 50%\nturn {{ {short} say \"At most 80 words.\" }} }}"),
        format!("system \"Never more than 80 words.\"\nflow {{ switch 50%\nturn {{ {short} }} }}"),
        format!("flow {{ switch 50%\nturn {{ {short} }}\nturn {{ ask \"In 80 words?\" }} }}"),
    ] {
        silent(&program(&statements));
    }
}

#[test]
fn values_that_are_written_like_templates() {
    let program = |statements: &str| {
        format!(
            "dialogue d {{\nparam n: int in 1..=9\nparam who: one_of [\"Ada\", \"Bo\"]\n{statements}\n}}\n"
        )
    };
    for statements in [
        "let hello = \"Hello {{ who }}.\"\nturn { ask hello + to_text(n) }",
        "turn { ask \"Say {{ who }} and {{ n }}.\" require r contains(\"{{ who }}\") }",
        "turn { ask \"Say {{ n }}: {{ who }}: \" + who + to_text(n) }",
    ] {
        let found = found(&program(statements));
        assert!(found.iter().any(|it| it.code == Code::UNFILLED_TEXT), "{statements}\n{found:?}");
    }
    for statements in [
        "turn { ask \"Say {{ who }} and {{ n }}.\" require r contains(who) and contains(to_text(n)) }",
        "system \"You are {{ who }}.\"\nturn { ask \"Write the template {{ '{{ x }}' }} {{ n }} times.\" require r contains(\"{{ x }}\") }",
    ] {
        silent(&program(statements));
    }
}

#[test]
fn values_that_no_message_states() {
    let program =
        |statements: &str| format!("dialogue d {{\nparam n: int in 2..=9\n{statements}\n}}\n");
    says(
        &program("turn { ask \"Write lines.\" require r count(line) == n }"),
        Code::UNSHOWN_ANSWER,
        "judged on different values",
    );
    for statements in [
        "turn { ask \"Write {{ n }} lines.\" require r count(line) == n }",
        "system \"Always {{ n }} lines.\"\nturn { ask \"Write.\" require r count(line) == n }",
        "let half = n / 2\nturn { ask \"Half of {{ n }}?\" expect 1 \"{{ half }}\" check some number: it == half }",
    ] {
        silent(&program(statements));
    }
}
