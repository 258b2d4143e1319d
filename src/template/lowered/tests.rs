//! Filled in directly or by minijinja, the text is the same.

use super::super::{
    Fields, TEMPLATES, Templates, VOICES, compiled, environment, growth, rendered, value_in,
};
use super::*;

fn fields() -> Fields<'static> {
    let pair = Value::record([("left", Value::text("[")), ("n", Value::Int(7))]);
    let words = ["one", "two", "three"].map(Value::text);
    vec![
        ("n", Value::Int(-3)),
        ("word", Value::text("ü \"x\" <b>")),
        ("pair", pair),
        ("words", Value::list(words)),
        ("empty", Value::list([])),
        ("share", Value::Float(2.0)),
        ("yes", Value::Bool(true)),
    ]
}

fn filled(lowered: &Lowered, fields: &Fields<'_>) -> Option<String> {
    let mut text = String::new();
    lowered.fill(value_in(fields), Absent::Fault, &mut text).ok()?;
    Some(text)
}

fn both(text: &str, fields: &Fields<'_>) -> (Option<String>, Option<String>) {
    let lowered = Lowered::new(text, &BTreeMap::new());
    let direct = lowered.and_then(|lowered| filled(&lowered, fields));
    let environment = environment(Absent::Fault);
    let template = environment.template_from_str(text).ok();
    let rendered = template.and_then(|template| rendered(&template, fields.clone()).ok());
    (direct, rendered)
}

#[test]
fn direct_is_the_same() {
    let mut wrong = Vec::new();
    for text in [
        "",
        "text",
        "text\n",
        "text\n\n",
        "a } b {x} c }} d %}",
        "{{n}}",
        "a {{ n }}b{{  word }}",
        "{{ pair.left }}{{ pair.n }}",
        "\n {{ n }} \n ",
        "x {{- n -}} \n y",
        "{{ n + 2 * 3 - 1 }} {{ 7 // 2 }} {{ 7 % 4 }} {{ n ~ word ~ 1 }}",
        "{{ 2 * 3 ~ 4 }} {{ (1 + 2) ~ 3 }}",
        "{{ 'a' if n < 0 else 'b' }}{{ 'c' if n > 0 }}",
        "{{ 'a' if n == 1 else 'b' if n < 0 else 'c' if yes else 'd' }}",
        "{{ word or 'none' }} {{ '' or 'none' }} {{ 'x' if not empty and words }}",
        "{{ words | join(', ') }} {{ empty | join(', ') }}",
        "{{ word | replace('x', 'y') ~ '!' }} {{ 'SAY it' | saying('Now then') }}",
        "{{ 'Then SAY.' | saying('Write this.') }} {{ 'On X.' | naming('X', 'tides') }}",
        "{{ pick(words, 3) }} {{ pick(words, 3, 4) }} {{ pick(words, 3, 5) }}",
        "{% for w in words %}{{ w }}{{ ', ' if not loop.last }}{% endfor %}.",
        "{% for w in words %}\n  {{ loop.index }}{{ loop.index0 }}{{ w if loop.first }}\n{% endfor %}\nend",
        "{% set a = n %}\n{% if a == 1 %}\none\n  {% elif a < 0 %}\nminus\n{% else %}\nno\n{% endif %}\n{{ a }}",
        "  {% if yes %}  x  {% endif %}  y",
        "{{ n }} {% if yes %}x{% endif %} {% if n is defined %}d{% endif %}",
        "{% if missing is not defined %}{{ 'un\\'s' }}{{ \"q\\\"\\n\" }}{% endif %}",
        "{% for w in words %}{% set n = w %}{{ n }}{% endfor %}{{ n }}",
        "a\n{%- if yes %} b {%- endif -%} \n c",
        "a\r\n{% if yes %}\r\nb\r\n{% endif %}\r\nc\r\n",
    ] {
        let (direct, rendered) = both(text, &fields());
        if direct.is_none() || direct != rendered {
            wrong.push((text, direct, rendered));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn built_in_templates_can_be_read() {
    let sources: BTreeMap<String, String> =
        TEMPLATES.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    for (name, text) in &sources {
        assert_eq!(growth::check(text), Ok(()), "{name}");
    }
    assert!(compiled(&sources, Absent::Fault).is_ok());
}

#[test]
fn the_rest_is_left_to_minijinja() {
    for text in [
        "{{ share }}",
        "{{ words }}",
        "{{ yes }}",
        "{{ words[0] }}",
        "{{ words | length }}",
        "{{ n / 2 }}",
        "{{ n % 2 }}",
        "{{ -n }}",
        "{{ missing }}",
        "{{ pair.right }}",
        "{{ true }}",
        "{# note #}",
        "{% raw %}{{ n }}{% endraw %}",
        "{{ n",
        "{{ }}",
        "{% if yes %}",
        "{% endif %}",
        "{% for a, b in words %}{% endfor %}",
        "{{ word.upper() }}",
        "{{ loop.index }}",
        "{% if yes %}{% else %}{% else %}{% endif %}",
    ] {
        assert_eq!(both(text, &fields()).0, None, "{text:?}");
    }
}

#[test]
fn names_are_the_same() {
    for text in [
        "{{ n }} {{ pair.left }} {{ words | join(', ') }}",
        "{{ 'a' if n == 1 else word ~ pair.n }} {{ a or b and not c }}",
        "no names",
    ] {
        let environment = environment(Absent::Fault);
        let template = environment.template_from_str(text).unwrap();
        let names: BTreeSet<String> = template.undeclared_variables(true).into_iter().collect();
        assert_eq!(
            Lowered::new(text, &BTreeMap::new()).and_then(|lowered| lowered.names()),
            Some(names),
            "{text}"
        );
    }
}

/// The templates of a flow of topics, in every voice and with every kind of change.
#[test]
fn names_that_stand_alone_are_the_same() {
    let environment = environment(Absent::Fault);
    for text in ["none", "a {{ n }} b {{pair.left}}{{ n }}", "{{ _a1.b.c }} } ]", "{{n}}\n"] {
        let template = environment.template_from_str(text).unwrap();
        let names: BTreeSet<String> = template.undeclared_variables(true).into_iter().collect();
        assert_eq!(names_alone(text), Some(names), "{text}");
    }
    for text in [
        "{{ n + 1 }}",
        "{{ true }}",
        "{ {{ n }}",
        "{{ n",
        "{% if n %}{% endif %}",
        "{{ a.1 }}",
        "{{{ n }}",
    ] {
        assert_eq!(names_alone(text), None, "{text}");
    }
}

#[test]
fn templates_of_a_flow_are_lowered() {
    let sources =
        TEMPLATES.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let templates = Templates::new(sources).unwrap();
    let voices: BTreeMap<String, Value> = serde_json::from_str(VOICES).unwrap();
    let topic = Value::record([
        ("name", Value::text("tides")),
        ("request", Value::text("Why do tides turn?")),
    ]);
    let change = |kind: &str, modify: Value, withdraw: Value| {
        Value::record([
            ("change", Value::text(kind)),
            ("say", if kind == "drop" { Value::Nothing } else { Value::text("Use bullets.") }),
            ("modify", modify),
            ("before", Value::text("Use a list.")),
            ("withdraw", withdraw),
        ])
    };
    let text = || Value::text("A list is not needed.");
    let lists = [
        Value::list([]),
        Value::list([change("add", Value::Nothing, Value::Nothing)]),
        Value::list([change("modify", text(), text()), change("drop", Value::Nothing, text())]),
        Value::list([
            change("modify", Value::Nothing, text()),
            change("modify", Value::Nothing, Value::Nothing),
            change("drop", Value::Nothing, Value::Nothing),
            change("add", Value::Nothing, Value::Nothing),
        ]),
    ];
    for name in ["open.j2", "continue.j2", "return.j2", "changes.j2"] {
        for (at, voice) in voices.values().enumerate() {
            for (dice, changes) in (0..15).flat_map(|dice| lists.iter().map(move |l| (dice, l))) {
                let turn = 1 + (dice + at as i64) % 4;
                let mut fields: Fields = vec![
                    ("turn", Value::Int(turn)),
                    ("topic", topic.clone()),
                    ("topic_turns", Value::Int(1 + turn % 2)),
                    ("style", Value::Nothing),
                    ("voice", voice.clone()),
                    ("changes", changes.clone()),
                    ("kept", Value::Int(dice % 3)),
                    ("dice", Value::Int(dice)),
                    ("dialogue_dice", Value::Int(dice * 7919)),
                    ("again", Value::text(if dice % 3 == 0 { "Be calm." } else { "" })),
                ];
                if dice % 2 == 0 {
                    fields.push(("angle", Value::text("bays")));
                }
                let lowered = templates.lowered(name).unwrap();
                let direct = filled(lowered, &fields);
                assert!(direct.is_some(), "{name}");
                assert_eq!(direct, templates.render(name, fields).ok(), "{name}");
            }
        }
    }
}
