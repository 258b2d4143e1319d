//! Numbers, patterns, templates and lists that are too large.

use super::*;

#[test]
fn aliases_that_grow() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for at in 1..12 {
        let inner = vec![format!("*a{}", at - 1); 9].join(", ");
        bomb.push_str(&format!("a{at}: &a{at} [{inner}]\n"));
    }
    bank("a YAML bomb", "a.yaml", bomb).is("bad-bank");
    let wide = format!("- name: &a {}\n{}", "x".repeat(100_000), "- name: *a\n".repeat(2_000));
    bank("a wide YAML bomb", "a.yaml", wide).is("bad-bank");
    bank("an alias of itself", "a.yaml", "- &a\n  name: *a\n").is("bad-bank");
}

#[test]
fn numbers_at_the_edge() {
    let domain = |domain: &str| {
        let check = match domain.contains("keywords") {
            true => "check count(word) > len(n)",
            false => "check count(word) > n",
        };
        talk(&format!("  constraint c(n: {domain}) {{\n    say \"{{{{ n }}}}\"\n    {check}\n  }}"))
    };
    for (domain_text, code) in [
        ("int in 0..=99999999999999999999", Some("bad-number")),
        ("int in 1..=9223372036854775807 step 1", None),
        ("int in 1..=9223372036854775807 step 9223372036854775807", None),
        ("int in -9223372036854775808..=9223372036854775807", Some("bad-number")),
        ("int in -9223372036854775807..=9223372036854775807", None),
        ("int in -9223372036854775807..=9223372036854775807 step 3", None),
        ("int in 5..=1", Some("empty-domain")),
        ("int in 1..=5 step 0", Some("bad-domain")),
        ("int in 1..=5 step -1", Some("bad-domain")),
        ("float in 0.0..=1.0 step 0.0", Some("bad-domain")),
        ("float in 0.0..=1.0 step 0.000000000000000000001", None),
        ("float in 0.0..=99999999999999999999999999999999999999.0 step 0.1", None),
        ("1..=9223372036854775807 of topic.keywords", None),
        ("0..=0 of topic.keywords", None),
        ("one_of []", Some("empty-domain")),
    ] {
        let fate = of(domain_text, &domain(domain_text));
        match code {
            Some(code) => _ = fate.is(code),
            None => fate.good().draws(),
        }
    }
    // A number beyond the integers is a decimal one.
    for (value, shown) in [
        ("9223372036854775807 + 1", Ok("9223372036854776000.0")),
        (
            "9223372036854775807 * 9223372036854775807",
            Ok("85070591730234620000000000000000000000.0"),
        ),
        ("-9223372036854775807 - 2", Ok("-9223372036854776000.0")),
        ("(-9223372036854775807 - 1) / -1", Ok("9223372036854776000.0")),
        (
            "0.00000000000000000000000000000000000000000000001",
            Ok("0.00000000000000000000000000000000000000000000001"),
        ),
        ("1 / 0", Err("division by zero")),
        ("1 % 0", Err("division by zero")),
        ("1e999", Err("expected an expression, found `1e999`")),
        ("round(1.0 / 0.0)", Err("`x` has no value: nothing can be divided by 0")),
        ("abs(-9223372036854775807 - 1)", Err("`x` has no value: the number is too large")),
    ] {
        let text = format!(
            "ifs 1\ndialogue d {{\n  let x = {value}\n  turn t {{ ask \"{{{{ x }}}}\" }}\n}}\n"
        );
        let fate = of(value, &text);
        match shown {
            Ok(shown) => assert_eq!(fate.good().asks, [shown], "{value}"),
            Err(why) => {
                assert!(fate.asks.is_empty(), "{value}: {fate:?}");
                fate.says(why);
            }
        }
    }
    let text = talk("  constraint c { say \"c\" check count(word) > 1 }");
    let none = None;
    let number = Some("bad-number");
    let (start, end) = (Some("nothing-to-draw"), Some("endless-flow"));
    for (turns, [stays, ends, starts, evolves, patience]) in [
        ("0", [number, none, none, Some("no-effect"), number]),
        ("4294967295", [number, end, start, none, number]),
        ("4294967296", [number, end, start, none, number]),
        ("9223372036854775807", [number, end, start, none, number]),
        ("99999999999999999999", [number, number, number, number, number]),
    ] {
        for (from, to, code) in [
            ("at least 2 turns", format!("at least {turns} turns"), stays),
            ("turns >= 9", format!("turns >= {turns}"), ends),
            ("start with 1", format!("start with {turns}"), starts),
            ("evolve one", format!("evolve 1..={turns}"), evolves),
            ("end   when", format!("patience {turns}\n  end when"), patience),
        ] {
            let fate = of(&to, &text.replace(from, &to));
            match code {
                Some(code) => _ = fate.is(code),
                None => fate.good().draws(),
            }
        }
    }
}

#[test]
fn weights_at_the_edge() {
    let weighed = |weight: &str| {
        talk(&format!(
            "  constraint a {{ say \"a\" check count(word) > 1 weight {weight} }}
  constraint b {{ say \"b\" check count(word) > 1 weight {weight} }}"
        ))
    };
    of("the largest weight", &weighed("1000000")).good().draws();
    of("a weight too large", &weighed("4294967295")).only("bad-weight");
    of("a weight of 33 bits", &weighed("4294967296")).only("bad-weight");
    of("a weight far too large", &weighed("99999999999999999999")).is("bad-number");
    of("no weight", &weighed("0")).only("bad-weight").says("every member has the weight 0");
    of("a weight below nothing", &weighed("-1")).only("bad-weight");
    of("half a weight", &weighed("0.5")).only("wrong-type");
    let text = talk("  constraint c { say \"c\" check count(word) > 1 }");
    for (shares, code) in [
        ("add 101%", "bad-weight"),
        ("add 60%  drop 60%", "weights-do-not-add-up"),
        ("add 0%  drop 0%  modify 0%", "weights-do-not-add-up"),
        ("add 0.00001%", "bad-weight"),
    ] {
        of(shares, &text.replace("add 50%  modify 40%  drop 10%", shares)).is(code);
    }
}

#[test]
fn exponential_templates() {
    let said = |say: &str| {
        talk(&format!(
            "  constraint c {{\n    say \"\"\"{say}\"\"\"\n    check count(word) > 1\n  }}"
        ))
    };
    for (what, say) in [
        ("a long loop", "{% for i in range(1000000) %}x{% endfor %}"),
        (
            "loops in loops",
            "{% for i in range(9999) %}{% for j in range(9999) %}x{% endfor %}{% endfor %}",
        ),
        ("a long text", "{{ 'x' * 1000000000 }}"),
        ("a long format", "{{ '%999999999d' | format(1) }}"),
        ("a long indent", "{{ 'x' | indent(999999999) }}"),
        (
            "doubling",
            "{% set ns = namespace(s='x') %}{% for i in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}{{ ns.s | length }}",
        ),
        (
            "doubling lists",
            "{% set ns = namespace(s=[1]) %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}{{ ns.s | length }}",
        ),
        (
            "doubling in a loop",
            "{% set x = 'x' %}{% for i in range(60) %}{% set x = x ~ x %}{{ x | length }}{% endfor %}{{ nobody }}",
        ),
        (
            "doubling line by line",
            &format!("{{% set x = 'x' %}}{}{{{{ x | length }}}}", "{% set x = x ~ x %}".repeat(60)),
        ),
        (
            "doubling behind what only minijinja prints",
            &format!(
                "{{{{ 1.5 }}}}{{% set x = [1] %}}{}{{{{ x | pprint | length }}}}",
                "{% set x = [x, x] %}".repeat(60)
            ),
        ),
        (
            "catching text",
            &format!(
                "{{% set x = 'x' %}}{}{{{{ x | length }}}}",
                "{% set x %}{{ x }}{{ x }}{% endset %}".repeat(60)
            ),
        ),
        ("many slices", "{{ [1] | slice(1000000000) | length }}"),
        ("large batches", "{{ [1] | batch(1000000000, 'x') | list | length }}"),
        ("recursion", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"),
        ("itself", "{% include 'g.c/say/0' %}"),
        ("the parent", "{% extends 'open.j2' %}"),
        ("another file", "{% include '/etc/passwd' %}"),
        ("a name nobody knows", "{{ nobody }}"),
        ("a division", "{{ 1 // 0 }}"),
        ("a tag that stays open", "{% if true %}x"),
        ("an end too many", "{% endfor %}"),
    ] {
        let fate = of(what, &said(say));
        let failed = !fate.codes.is_empty() || fate.draw.is_some();
        assert!(failed, "{what}: {:?}", fate.asks.iter().map(String::len).collect::<Vec<_>>());
    }
    let deep = Some("bad-template");
    for (what, say, code) in [
        (
            "deep parentheses",
            format!("{{{{ {}1{} }}}}", "(".repeat(20_000), ")".repeat(20_000)),
            deep,
        ),
        (
            "deep conditions",
            format!("{}x{}", "{% if true %}".repeat(20_000), "{% endif %}".repeat(20_000)),
            deep,
        ),
        ("deep lists", format!("{{{{ {} }}}}", "[".repeat(20_000)), deep),
        ("deep negations", format!("{{{{ {}1 }}}}", "not ".repeat(20_000)), None),
        ("a long sum", format!("{{{{ 1{} }}}}", " + 1".repeat(20_000)), None),
        ("a long chain", format!("{{{{ 'x'{} }}}}", " | upper".repeat(20_000)), None),
        ("many tags", "{{ 1 }}".repeat(50_000), None),
    ] {
        match (of(what, &said(&say)), code) {
            (fate, Some(code)) => _ = fate.is(code),
            (fate, None) => fate.good().draws(),
        }
    }
}

#[test]
fn exponential_patterns() {
    let checked =
        |check: &str| talk(&format!("  constraint c {{\n    say \"c\"\n    check {check}\n  }}"));
    for (what, pattern) in [
        ("counted twice", "(a{1000}){1000}"),
        ("counted thrice", "((a{100}){100}){100}"),
        ("all letters", r"(\p{L}{500}){50}"),
        ("deep", &"(".repeat(5_000)),
        ("deep and closed", &format!("{}{}", "(".repeat(5_000), ")".repeat(5_000))),
    ] {
        of(what, &checked(&format!("matches(/{pattern}/)"))).is("bad-regex");
    }
    of("many ways", &checked("matches(/(a|a)*(a|a)*(a|a)*b/)")).good();
    of("an empty one", &checked("contains(regex \"\")")).is("bad-needle");
    of("a broken one", &checked("matches(/(/)")).is("bad-regex");
}

/// Each is refused once, by its size, before it fills the memory.
#[test]
fn resource_limits_of_a_scenario() {
    let doubled: String = (1..26).map(|at| format!("let a{at} = [a{0}, a{0}]\n", at - 1)).collect();
    let of = |what: &str, text: &str| of(what, &format!("ifs 1\n\n{text}")).only("too-large");
    of("doubled lists", &format!("let a0 = [1, 2]\n{doubled}")).says("the value of `a1");
    of("lists of lists", "let a = len(1..=100000 each (1..=100000 each it))\n").says("too long");
    let lets: String =
        (0..20).map(|at| format!("let u{at} = len(1..=900 each (1..=900 each 1))\n")).collect();
    let reported = of("many lists of lists", &lets).reported;
    assert_eq!(reported.matches("takes too long").count(), 1, "{reported}");
    let long = "x".repeat(60_000);
    let text = format!("ifs 1\n\nlet t = \"{long}\"\nlet u = join(1..=100000 each t)\n");
    self::of("a text of gigabytes", &text).says("the text is too long");
    // One bank, imported many times.
    let imports: String = (0..300).map(|at| format!("import b{at} \"b.jsonl\"\n")).collect();
    let lines: String =
        (0..12_000).map(|at| format!("{{\"name\": \"{at}{}\"}}\n", "x".repeat(990))).collect();
    let program = format!("ifs 1\n\n{imports}");
    let world = MemoryWorld::new([("main.ifs", program.as_str()), ("b.jsonl", &lines)]);
    let fate = of_world("one bank, 300 times", world).only("too-large");
    assert_eq!(fate.reported.matches("needs more than 512 MiB").count(), 1, "{}", fate.reported);
    // Small records take more memory than their text.
    let rows = format!("a,b\n{}", "1,2\n".repeat(2_000_000));
    let feed = "ifs 1\n\nfeed log {\n  read csv \"a.csv\"\n  column kind: text from \"a\"\n}\n";
    let world = MemoryWorld::new([("main.ifs", feed), ("a.csv", &rows)]);
    of_world("a feed of two million rows", world).only("too-large").says("`a.csv`");
}

/// Thousands of fields that only one record has.
#[test]
fn records_that_have_nothing_in_common() {
    let record = |at: usize| {
        let fields: Vec<String> = (0..50).map(|field| format!("\"f{at}_{field}\": 1")).collect();
        format!("{{\"name\": \"r{at}\", {}}}\n", fields.join(", "))
    };
    let lines: String = (0..800).map(record).collect();
    let inferred = |what: &str, lines: &str| {
        let world =
            MemoryWorld::new([("main.ifs", "ifs 1\n\nimport a \"a.jsonl\"\n"), ("a.jsonl", lines)]);
        of_world(what, world)
    };
    inferred("fields of their own", &lines).good();
    // A value that does not fit is reported for the first record with it, by field.
    let lines =
        "{\"a\": {\"b\": 1}}\n{\"a\": {}, \"c\": 1}\n{\"a\": {\"b\": [\"x\"]}, \"c\": \"x\"}\n";
    inferred("two types", lines)
        .only("bad-bank")
        .says("record 3, field `a.b` is list of text; above it is int");
}

/// More pairs that follow from one another than a person reads.
#[test]
fn constraints_that_all_follow_from_one_another() {
    let one = |n: usize| {
        format!("constraint c{n} {{ say \"At least {n} words.\" check count(word) >= {n} }}\n")
    };
    let all: String = (1..=60).map(one).collect();
    let program = format!(
        "ifs 1\n\n{all}import t \"t.jsonl\" {{ name: text  request: text }}\ndialogue d {{\n  topic from t\n  \
         start with 1 constraint\n  flow {{ stay at least 3 turns }}\n  evolve one per turn {{ add 100% }}\n  \
         end when turns >= 3\n}}\n"
    );
    let topics = "{\"name\": \"a\", \"request\": \"Why?\"}\n";
    let world = MemoryWorld::new([("main.ifs", program.as_str()), ("t.jsonl", topics)]);
    let fate = of_world("60 bounds of one count", world).good();
    assert_eq!(fate.reported.matches("already follows from").count(), 500);
}

#[test]
fn games_beyond_number() {
    let program = "ifs 1\n\nfeed games { simulate basketball 10000 }\n\
                   dialogue d over games as g { turn { ask \"Who is {{ g.name }}?\" } }\n";
    of("10,000 games", program).only("bad-number").says("from 1 to 1000 can");
}

#[test]
fn yaml_that_is_deep() {
    for (what, text) in [
        ("brackets", "[".repeat(200_000)),
        ("braces", format!("- name: {}", "{a: ".repeat(50_000))),
        ("dashes", "- ".repeat(100_000)),
        ("blanks", (0..3_000).map(|deep| format!("{}-\n", " ".repeat(deep))).collect()),
    ] {
        bank(what, "a.yaml", text).only("too-deep");
    }
    // Brackets in a text do not nest.
    let rule = "-".repeat(300);
    bank("a rule", "a.yaml", format!("- name: |\n    {rule}\n    [[[[ {{{{\n")).good();
}
