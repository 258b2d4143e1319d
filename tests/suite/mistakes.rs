//! One mistake at a time, as people make them: one message each, at the right
//! place, and a help that says what to write.

use ifs::source::Sources;

use crate::tree_shape::read;

const PROGRAM: &str = "\
ifs 1\n\
\n\
group g {\n\
\x20 constraint c(n: int in 50..=400 step 10) {\n\
\x20   say   \"Write at least {{ n }} words.\"\n\
\x20   check count(word) >= n\n\
\x20 }\n\
}\n\
\n\
dialogue d {\n\
\x20 topic from topics\n\
\x20 start with 1 constraint\n\
\x20 flow {\n\
\x20   stay at least 4 turns\n\
\x20   switch 80% { new 40%  backtrack 60% }\n\
\x20 }\n\
\x20 evolve one per turn {\n\
\x20   add 50%  modify 40%  drop 10%\n\
\x20   when constraints == 1 { add 50%  modify 50% }\n\
\x20 }\n\
\x20 turn t follows u {\n\
\x20   ask \"x\"\n\
\x20   part a: list \"the a\"\n\
\x20   require r len(a) == 3 after q tag b\n\
\x20   expect 0.5 \"x\"\n\
\x20 }\n\
\x20 end when patience == 0\n\
}\n\
\n\
release {\n\
\x20 150 dialogues of d\n\
}\n\
";

/// A line of the program, what is there instead, the line and column of the
/// message, the message, its help.
type Mistake = (usize, &'static str, (usize, usize), &'static str, &'static str);

const MISTAKES: &[Mistake] = &[
    (
        6,
        "    check count(word) = n",
        (6, 23),
        "`=` does not belong here",
        "`==` compares; `=` only follows `let NAME`",
    ),
    (6, "    check count(word) >= n && x", (6, 28), "`&&` does not belong here", "write `and`"),
    (6, "    check count(word) >= n || x", (6, 28), "`||` does not belong here", "write `or`"),
    (6, "    check !is_upper", (6, 11), "expected an expression, found `!`", "write `not`"),
    (
        6,
        "    check",
        (6, 9),
        "expected an expression, found the end of the line",
        "write `check CONDITION`, such as `check count(word) >= 50`",
    ),
    (
        6,
        "    check count(word >= n",
        (6, 25),
        "expected `)` or `,`, found the end of the line",
        "close with `)`, or go on with `,`",
    ),
    (
        6,
        "    check count(word)) >= n",
        (6, 22),
        "`)` does not belong here",
        "there is no `(` for it",
    ),
    (
        6,
        "    check count(word) >=",
        (6, 24),
        "expected an expression, found the end of the line",
        "write `check CONDITION`, such as `check count(word) >= 50`",
    ),
    (
        6,
        "    check count word >= n",
        (6, 17),
        "`word` does not belong here",
        "write `check CONDITION`, such as `check count(word) >= 50`",
    ),
    (
        6,
        "    check every sentence starts_with(\"S\")",
        (6, 26),
        "expected `:`, found `starts_with`",
        "write a `:` before what must hold, as in `every sentence: starts_with(\"S\")`",
    ),
    (
        6,
        "    check if a b",
        (6, 16),
        "expected `then`, found `b`",
        "write `if A then B` or `if A then B else C`",
    ),
    (
        6,
        "    check f(a,, b)",
        (6, 15),
        "expected `)` or an expression, found `,`",
        "remove one of the commas",
    ),
    (
        6,
        "    check f(a b)",
        (6, 15),
        "expected `)` or `,`, found `b`",
        "close with `)`, or go on with `,`",
    ),
    (
        6,
        "    check starts_with('S')",
        (6, 23),
        "expected `)` or an expression, found `'`",
        "strings are in double quotation marks",
    ),
    (
        6,
        "    check [1, 2",
        (6, 15),
        "expected `,` or `]`, found the end of the line",
        "close with `]`, or go on with `,`",
    ),
    (
        6,
        "    check count(word) >= n;",
        (6, 27),
        "`;` does not belong here",
        "statements need no `;`",
    ),
    (
        6,
        "    check: count(word) >= n",
        (6, 10),
        "expected an expression, found `:`",
        "leave it out: a statement is its word and what follows",
    ),
    (
        6,
        "    count(word) >= n",
        (6, 5),
        "`count` is not a statement of a constraint",
        "a constraint takes `alias`, `applies`, `change`, `check`, `evolve`, `excludes`, `judge`, `relation`, `say`, `tag`, `test`, `weight`, `withdraw`",
    ),
    (
        6,
        "    check matches(/abc)",
        (6, 19),
        "expected `)` or an expression, found `/`",
        "a regular expression ends with `/` on the same line",
    ),
    (6, "    check count(word) => n", (6, 23), "`=>` does not belong here", "write `>=`"),
    (
        6,
        "    check count(word) between 3 and 5",
        (6, 23),
        "`between` does not belong here",
        "write `in 3..=5`",
    ),
    (6, "    check x is not y", (6, 13), "`is` does not belong here", "write `!=`"),
    (6, "    check x ? y : z", (6, 13), "`?` does not belong here", "write `if A then B else C`"),
    (
        5,
        "    say Write at least words.",
        (5, 9),
        "expected a string, found `Write`",
        "write `say \"…\"`, or several strings with commas between",
    ),
    (
        5,
        "    say \"Write at least {{ n }} words.",
        (5, 9),
        "this string is never closed",
        "end it with `\"` on this line",
    ),
    (
        5,
        "    say: \"x\"",
        (5, 8),
        "expected a string, found `:`",
        "leave it out: a statement is its word and what follows",
    ),
    (
        5,
        "    say = \"x\"",
        (5, 9),
        "expected a string, found `=`",
        "leave it out: a statement is its word and what follows",
    ),
    (
        5,
        "    say \"x\" \"y\"",
        (5, 13),
        "`\"` does not belong here",
        "write a comma between two strings",
    ),
    (
        5,
        "    say \"x\",",
        (5, 12),
        "expected a string, found the end of the line",
        "write `say \"…\"`, or several strings with commas between",
    ),
    (
        5,
        "    # a comment",
        (5, 5),
        "`#` is not a statement of a constraint",
        "comments begin with `//`",
    ),
    (
        4,
        "  constraint c(n int in 50..=400 step 10) {",
        (4, 18),
        "expected `:`, found `int`",
        "write `constraint NAME(PARAMETER: DOMAIN, …) { … }`; a domain is `int in 1..=9 step 2`, `one_of [\"a\", \"b\"]`, `one_of LIST`, `2 of LIST`, `scene NAME` or a type",
    ),
    (
        4,
        "  constraint c(n: int 50..=400) {",
        (4, 23),
        "expected `)`, `,` or `of`, found `50`",
        "write `in` before the range: `int in 1..=9`",
    ),
    (
        4,
        "  constraint c(n: 50..=400) {",
        (4, 27),
        "expected `of`, found `)`",
        "write the type before the range: `int in 3..=9`",
    ),
    (
        4,
        "  constraint c(n: int in 50..=400, step 10) {",
        (4, 41),
        "expected `:`, found `10`",
        "write `constraint NAME(PARAMETER: DOMAIN, …) { … }`; a domain is `int in 1..=9 step 2`, `one_of [\"a\", \"b\"]`, `one_of LIST`, `2 of LIST`, `scene NAME` or a type",
    ),
    (
        4,
        "  constraint c(n: int in 50..=400 m: int in 1..=2) {",
        (4, 35),
        "expected `)`, `,` or `step`, found `m`",
        "write `constraint NAME(PARAMETER: DOMAIN, …) { … }`; a domain is `int in 1..=9 step 2`, `one_of [\"a\", \"b\"]`, `one_of LIST`, `2 of LIST`, `scene NAME` or a type",
    ),
    (
        4,
        "  constraint c(n = 50) {",
        (4, 18),
        "expected `:`, found `=`",
        "write `:` and a domain, such as `n: int in 1..=5`",
    ),
    (
        4,
        "  constraint c(n: one_of \"a\", \"b\") {",
        (4, 31),
        "expected `)` or a name, found `\"`",
        "write `constraint NAME(PARAMETER: DOMAIN, …) { … }`; a domain is `int in 1..=9 step 2`, `one_of [\"a\", \"b\"]`, `one_of LIST`, `2 of LIST`, `scene NAME` or a type",
    ),
    (
        4,
        "  constraint c(n: int in 50..=400 step 10)",
        (4, 42),
        "expected `{`, found the end of the line",
        "write `constraint NAME(PARAMETER: DOMAIN, …) { … }`; a domain is `int in 1..=9 step 2`, `one_of [\"a\", \"b\"]`, `one_of LIST`, `2 of LIST`, `scene NAME` or a type",
    ),
    (
        4,
        "  constraint c(n: int in 50..=400 step 10 {",
        (4, 43),
        "expected `)` or `,`, found `{`",
        "write `constraint NAME(PARAMETER: DOMAIN, …) { … }`; a domain is `int in 1..=9 step 2`, `one_of [\"a\", \"b\"]`, `one_of LIST`, `2 of LIST`, `scene NAME` or a type",
    ),
    (
        4,
        "  constraint (n: int in 50..=400 step 10) {",
        (4, 14),
        "expected a name, found `(`",
        "write `constraint NAME(PARAMETER: DOMAIN, …) { … }`; a domain is `int in 1..=9 step 2`, `one_of [\"a\", \"b\"]`, `one_of LIST`, `2 of LIST`, `scene NAME` or a type",
    ),
    (
        4,
        "  constrain c(n: int in 50..=400 step 10) {",
        (4, 3),
        "`constrain` is not a statement of a group",
        "did you mean `constraint`? a group takes `constraint`, `test`",
    ),
    (3, "group {", (3, 7), "expected a name, found `{`", "write `group NAME { … }`"),
    (3, "group g", (4, 3), "expected `{`, found `constraint`", "write `group NAME { … }`"),
    (3, "group \"g\" {", (3, 7), "expected a name, found `\"`", "write `group NAME { … }`"),
    (
        11,
        "  topic topics",
        (11, 9),
        "expected `from`, found `topics`",
        "write `topic from NAME` or `topic from NAME where CONDITION`",
    ),
    (
        11,
        "  topic: topics",
        (11, 8),
        "expected `from`, found `:`",
        "write `topic from NAME` or `topic from NAME where CONDITION`",
    ),
    (
        12,
        "  start with constraint",
        (12, 23),
        "expected `constraint` or `constraints`, found the end of the line",
        "write `start with 1 constraint`",
    ),
    (
        12,
        "  start 1 constraint",
        (12, 9),
        "expected `with`, found `1`",
        "write `start with 1 constraint`",
    ),
    (14, "    stay 4 turns", (14, 10), "expected `at`, found `4`", "write `stay at least 4 turns`"),
    (
        14,
        "    stay at least 4",
        (14, 19),
        "expected `turn` or `turns`, found the end of the line",
        "write `stay at least 4 turns`",
    ),
    (
        15,
        "    switch 80 { new 40%  backtrack 60% }",
        (15, 12),
        "expected a share such as `40%`, found `80`",
        "write `80%`",
    ),
    (
        15,
        "    switch { new 40%  backtrack 60% }",
        (15, 12),
        "expected a share such as `40%`, found `{`",
        "write `switch 80% { new 40%  backtrack 60% }`",
    ),
    (
        15,
        "    switch 80% { old 40%  backtrack 60% }",
        (15, 18),
        "`old` is not one of `new` and `backtrack`",
        "write `switch 80% { new 40%  backtrack 60% }`",
    ),
    (
        17,
        "  evolve per turn {",
        (17, 14),
        "expected `per`, found `turn`",
        "write `evolve one per turn { add 50%  modify 40%  drop 10% }`",
    ),
    (
        17,
        "  evolve one every turn {",
        (17, 14),
        "expected `per`, found `every`",
        "write `evolve one per turn { add 50%  modify 40%  drop 10% }`",
    ),
    (
        18,
        "    add 50%;  modify 40%",
        (18, 12),
        "`;` does not belong here",
        "statements need no `;`",
    ),
    (
        19,
        "    if constraints == 1 { add 50%  modify 50% }",
        (19, 5),
        "`if` is not a statement of an evolution",
        "write `when CONDITION { … }`",
    ),
    (
        19,
        "    when { add 50%  modify 50% }",
        (19, 16),
        "expected `:`, found `50`",
        "write `when CONDITION { add 50%  modify 50% }`",
    ),
    (
        21,
        "  turn t after u {",
        (21, 10),
        "`after` does not belong here",
        "write `turn NAME { … }` or `turn NAME follows NAME and recalls NAME { … }`; the relations are `follows`, `recalls`, `refines`, `expands`, `summarizes`, `unrelated`",
    ),
    (
        21,
        "  turn t follows u recalls v {",
        (21, 20),
        "`recalls` does not belong here",
        "write `turn NAME { … }` or `turn NAME follows NAME and recalls NAME { … }`; the relations are `follows`, `recalls`, `refines`, `expands`, `summarizes`, `unrelated`",
    ),
    (
        21,
        "  turn t follows {",
        (21, 18),
        "expected a name, found `{`",
        "write `turn NAME { … }` or `turn NAME follows NAME and recalls NAME { … }`; the relations are `follows`, `recalls`, `refines`, `expands`, `summarizes`, `unrelated`",
    ),
    (
        22,
        "    ask x y",
        (22, 11),
        "`y` does not belong here",
        "write `ask \"…\"` or `ask template \"FILE\"`",
    ),
    (
        22,
        "    prompt \"x\"",
        (22, 5),
        "`prompt` is not a statement of a turn",
        "write `ask \"…\"` or `ask template \"FILE\"`",
    ),
    (
        23,
        "    part a list \"the a\"",
        (23, 12),
        "expected `:`, found `list`",
        "write `part NAME: list \"WHAT IT IS\"` or `part NAME: text \"WHAT IT IS\"`",
    ),
    (
        23,
        "    part a: number",
        (23, 13),
        "expected `list` or `text`, found `number`",
        "write `part NAME: list \"WHAT IT IS\"` or `part NAME: text \"WHAT IT IS\"`",
    ),
    (
        24,
        "    require r len(a) == 3 tag b after q",
        (24, 33),
        "`after` does not belong here",
        "write `require NAME CONDITION …`, `require NAME judge \"QUESTION?\" …` (with \
             `pass == TEXT` or `scale 1..=5 pass >= 4` after the question) or \
             `require NAME fits { SCHEMA } …`, with the clauses `say \"…\"`, `after NAME, NAME`, \
             `tag NAME, NAME` and `weigh N` in this order after it",
    ),
    (
        25,
        "    expect \"x\"",
        (25, 14),
        "expected a string, found the end of the line",
        "write `expect POINTS \"FACT\"`, such as `expect 0.5 \"Lyon won\"`",
    ),
    (
        25,
        "    expect \"x\" 0.5",
        (25, 16),
        "expected a string, found `0`",
        "write `expect POINTS \"FACT\"`, such as `expect 0.5 \"Lyon won\"`",
    ),
    (
        27,
        "  end patience == 0",
        (27, 7),
        "expected `when`, found `patience`",
        "write `end when CONDITION`",
    ),
    (
        27,
        "  end if patience == 0",
        (27, 7),
        "expected `when`, found `if`",
        "write `end when CONDITION`",
    ),
    (
        27,
        "  patience",
        (27, 10),
        "expected an expression, found the end of the line",
        "write `patience NUMBER`",
    ),
    (
        27,
        "  impose 1 scope topic from x",
        (27, 24),
        "`from` does not belong here",
        "write `impose COUNT new group from NAME scope NAME by SPEAKER against SPEAKER case TEXT with probability NUMBER applies when CONDITION`, or `impose NAME(PARAMETER: VALUE) …` for one constraint, or `impose called NAME given RECORD from MODULE unsaid …` for one of published data, with `from turn NUMBER` before it; clauses may be left out, the order stays",
    ),
    (
        31,
        "  150 of d",
        (31, 3),
        "`150` is not a statement of a release",
        "write `150 dialogues of NAME`, or one of `every`, `keep`, `seed`, `cover`, `quota`, `alike`, `anchors`",
    ),
    (
        31,
        "  dialogues 150 of d",
        (31, 3),
        "`dialogues` is not a statement of a release",
        "write `150 dialogues of NAME`, or one of `every`, `keep`, `seed`, `cover`, `quota`, `alike`, `anchors`",
    ),
    (
        31,
        "  keep mean(x) > 2",
        (31, 8),
        "expected `where`, found `mean`",
        "write `keep where CONDITION`",
    ),
    (16, "", (13, 8), "this `{` is never closed", "write `}` where the block ends"),
    (28, "", (10, 12), "this `{` is never closed", "write `}` where the block ends"),
    (1, "ifs", (1, 3), "expected a whole number, found the end of the line", "write `ifs 1`"),
    (1, "ifs 1.0", (1, 5), "expected a whole number, found `1`", "write `ifs 1`"),
    (1, "ifs \"1\"", (1, 5), "expected a whole number, found `\"`", "write `ifs 1`"),
    (
        1,
        "ifs 1\nimport \"x.yaml\"",
        (2, 8),
        "expected a name, found `\"`",
        "write `import NAME \"FILE\"`",
    ),
    (
        1,
        "ifs 1\nimport topics from \"x.yaml\"",
        (2, 15),
        "expected a string, found `from`",
        "write `import NAME \"FILE\"`",
    ),
    (
        1,
        "ifs 1\nuse std.*.a",
        (2, 10),
        "`.` does not belong here",
        "write `use std.NAME`, `use std.NAME.*` or `use std.NAME as NAME`",
    ),
    (
        1,
        "ifs 1\nuse \"std\"",
        (2, 5),
        "expected a name, found `\"`",
        "write `use std.NAME`, `use std.NAME.*` or `use std.NAME as NAME`",
    ),
    (1, "ifs 1\nlet x 3", (2, 7), "expected `=`, found `3`", "write `let NAME = EXPRESSION`"),
    (1, "ifs 1\nlet x == 3", (2, 7), "expected `=`, found `==`", "write `let NAME = EXPRESSION`"),
    (1, "ifs 1\nlet = 3", (2, 5), "expected a name, found `=`", "write `let NAME = EXPRESSION`"),
    (
        1,
        "ifs 1\nmask a b",
        (2, 8),
        "expected `,` or `against`, found `b`",
        "write `mask PARAMETERS against PARAMETERS`",
    ),
    (
        1,
        "ifs 1\nbenchmark b { version 1.0 }",
        (2, 23),
        "expected a string, found `1`",
        "write a name and a string, such as `version \"1.0.0\"`",
    ),
    (
        1,
        "ifs 1\nfeed f { column c text }",
        (2, 19),
        "expected `:`, found `text`",
        "write `column NAME: TYPE`, `column NAME: TYPE from \"HEADING\"` or `column NAME: TYPE = EXPRESSION`",
    ),
];

#[test]
fn one_mistake_is_one_message() {
    for (line, written, place, message, help) in MISTAKES {
        let mut lines: Vec<&str> = PROGRAM.lines().collect();
        lines[line - 1] = written;
        let text = lines.join("\n");
        let mut sources = Sources::default();
        sources.add("a.ifs", text.as_str());
        let found = read(&text).1.list;
        let [only] = found.as_slice() else { panic!("{written}: {found:?}") };
        let span = only.span().expect("a place");
        assert_eq!(
            (only.message.as_str(), sources.line_column(span)),
            (*message, *place),
            "{written}"
        );
        assert_eq!(only.help.as_deref(), Some(*help), "{written}");
    }
}

#[test]
fn random_scenarios_are_valid() {
    assert_eq!(read(PROGRAM).1.list, []);
}
