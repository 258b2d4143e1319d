//! An example of each statement, and how its effect is seen.

use std::collections::BTreeSet;

use ifs::syntax::statement::{Statement, StatementPlace};
use serde_json::Value;

use super::Seen;
use super::programs::Base;

pub struct Example {
    /// The statement, and what it needs in its own block.
    pub write: String,
    /// Further statements of the dialogue, with and without it.
    pub with: String,
    pub without: String,
    /// Statements of the dialogue in both cases, even if the statement is in a variant.
    pub around: &'static str,
    /// Statements of the first written turn, in both cases.
    pub body: &'static str,
    /// Whether its lines take the place of the form's own that begin with the same word.
    pub replaces: bool,
    /// What follows the dialogue's name, with it and without it.
    pub over: Option<&'static str>,
    pub over_without: Option<&'static str>,
    /// The run is of the variant `v`.
    pub as_variant: bool,
    pub seen: fn(&Seen) -> bool,
}

fn of(write: impl Into<String>, seen: fn(&Seen) -> bool) -> Example {
    Example {
        write: write.into(),
        with: String::new(),
        without: String::new(),
        around: "",
        body: "",
        replaces: true,
        over: None,
        over_without: None,
        as_variant: false,
        seen,
    }
}

impl Example {
    /// Without the surroundings that give it an effect, for places where it is invalid.
    pub fn alone(self) -> Example {
        let write = self.write.lines().next().unwrap_or("").to_owned();
        let (over, around) = (self.over, if self.over.is_some() { self.around } else { "" });
        Example { write, over, around, with: String::new(), without: String::new(), ..self }
    }

    /// The statements next to it, with and without it.
    fn beside(self, lines: &str) -> Example {
        Example { with: lines.to_owned(), without: lines.to_owned(), ..self }
    }

    /// The statements next to it, and those without it.
    fn instead(self, with: &str, without: &str) -> Example {
        Example { with: with.to_owned(), without: without.to_owned(), ..self }
    }

    fn in_turn(self, body: &'static str) -> Example {
        Example { body, ..self }
    }

    fn added(self) -> Example {
        Example { replaces: false, ..self }
    }
}

fn topics(seen: &Seen) -> usize {
    let name = |turn: &Value| turn["topic"].as_str().unwrap_or_default().to_owned();
    let names = seen.turns.iter().map(name).filter(|name| !name.is_empty());
    names.collect::<BTreeSet<String>>().len()
}

fn criterion(seen: &Seen, name: &str) -> bool {
    seen.transcript().contains(&format!("\"{name}\""))
}

const START: &str = "start with 1 constraint\nconstraints from plain";

/// Where a name that is bound at a place is used there.
fn uses(name: &str, place: StatementPlace) -> String {
    match place {
        StatementPlace::Dialogue | StatementPlace::Variant => {
            format!("system \"Use {{{{ {name} }}}}.\"")
        }
        StatementPlace::Loop | StatementPlace::Branch | StatementPlace::Flow => {
            format!("turn more {{ ask \"Use {{{{ {name} }}}}.\" answer \"GOLDEN.\" }}")
        }
        StatementPlace::Turn | StatementPlace::TurnLoop => {
            format!("expect 1 \"uses {{{{ {name} }}}}\"")
        }
        StatementPlace::Topics => String::new(),
    }
}

/// An example for this form where the table lists it.
pub fn example(statement: Statement, place: StatementPlace, base: Base) -> Example {
    let example = one(statement, place, base);
    let turns = [Statement::Turn, Statement::Relation, Statement::For, Statement::Branch];
    let turns = turns.contains(&statement);
    match (place, base) {
        // Turns of a variant come after the flow of its dialogue, which has to be left.
        (StatementPlace::Variant, Base::Topics | Base::Mixed) if turns => {
            let flow = "flow { switch 100% { new } until turns >= 1 turn { answer \"GOLDEN.\" } }";
            Example { write: format!("{flow}\n{}", example.write), ..example }
        }
        _ => example,
    }
}

fn one(statement: Statement, place: StatementPlace, base: Base) -> Example {
    let topics_form = matches!(base, Base::Topics | Base::Mixed);
    match statement {
        Statement::Topic => {
            let example = of("topic from topics where it.name == \"TIDES\"", |seen| {
                seen.says("user", "TIDES")
            });
            match topics_form {
                true => example,
                false => example.instead("turn last { ask \"On {{ topic.name }}.\" }", "").added(),
            }
        }
        Statement::Style => {
            of("style from styles where it.name == \"ODD\"", |seen| seen.says("user", "for ODD"))
                .instead("impose 1 from styled", "")
        }
        Statement::Constraints => of("constraints from plain", |seen| seen.says("user", "PLAIN"))
            .instead("impose 1", "impose 1 from other"),
        Statement::Start => of("start with 1 constraint", |seen| seen.says("user", "PLAIN"))
            .instead("constraints from plain", ""),
        Statement::Scope => {
            of("scope turn", |seen| seen.says("user", "PLAIN") && !seen.says_at_last("PLAIN"))
                .beside(&format!("{START}\nrepeat instructions at end"))
        }
        Statement::Evolve => of("evolve one per turn { add }", |seen| seen.says("user", "PLAIN"))
            .instead("constraints from plain", ""),
        // What is consistent with a short response: few constraints of most groups, all of one.
        Statement::Redraw => of("redraw on conflict", |seen| {
            seen.asked[0].iter().any(|(_, said)| said.contains("FITS"))
        })
        .beside("impose brief\nimpose 1 from wide_a, wide_b, wide_c, wide_d, fitting"),
        // Only marks satisfy the one that is drawn first.
        Statement::RedrawUntil => of("redraw until witness within 1000 draws", |seen| {
            seen.asked[0].iter().any(|(_, said)| said.contains("SOLVED"))
        })
        .beside("impose 1 from tricky"),
        Statement::Impose => of("impose 1 from plain", |seen| seen.says("user", "PLAIN")),
        Statement::Since => {
            // In a turn, that turn; in a dialogue, all turns from the second on.
            match place {
                StatementPlace::Turn | StatementPlace::TurnLoop => {
                    of("from turn 1 impose plain", |seen| seen.says("user", "PLAIN"))
                }
                _ => of("from turn 2 impose plain", |seen| {
                    seen.says("user", "PLAIN")
                        && seen.asked[0].iter().all(|(_, said)| !said.contains("PLAIN"))
                }),
            }
        }
        Statement::Called => {
            of("impose called \"data:marked\" given { n: 3 } from published", |seen| {
                seen.transcript().contains("published.marked")
            })
        }
        Statement::Spoken => match place {
            StatementPlace::Turn | StatementPlace::TurnLoop => {
                of("impose plain by tool", |seen| seen.says("tool", "PLAIN"))
                    .in_turn("show \"PAGE.\" by tool \"search\"")
            }
            _ => of("impose plain by system", |seen| seen.says("system", "PLAIN")),
        },
        Statement::Priority => of("priority user > system", |seen| {
            seen.transcript().contains("\"overruled\":\"short\"")
        })
        .instead(
            "impose long by system\nimpose short by user against system",
            "impose short by user",
        ),
        Statement::Patience => of("patience 1", |seen| seen.asked.len() == 1).instead(
            "impose 1 from plain\nend when patience == 0 or turns >= 9",
            "impose 1 from plain\nend when turns >= 3",
        ),
        Statement::End => of("end when turns >= 2", |seen| seen.asked.len() == 2),
        // Without it, an `end` without a bound is an error.
        Statement::Endless => of("endless", |seen| seen.asked.len() >= 3)
            .instead("end when topics >= 2 and turns >= 3", "end when turns >= 2"),
        Statement::System => of("system \"MARKSYSTEM.\"", |seen| seen.says("system", "MARKSYSTEM")),
        Statement::Param => {
            let write = format!("param p: one_of [\"MARKP\"]\n{}", uses("p", place));
            of(write, |seen| {
                seen.judge_reads("MARKP")
                    || ["user", "system"].iter().any(|role| seen.says(role, "MARKP"))
            })
        }
        Statement::Let => {
            let write = format!("let p = \"MARKP\"\n{}", uses("p", place));
            of(write, |seen| {
                seen.judge_reads("MARKP")
                    || ["user", "system"].iter().any(|role| seen.says(role, "MARKP"))
            })
        }
        Statement::Templates => of("templates from \"words\"", |seen| seen.says("user", "MARKASK"))
            .beside("impose 1 from plain"),
        Statement::Context => of("context golden", |seen| seen.says("assistant", "GOLDEN")),
        Statement::Overflow => {
            of("overflow omitted", |seen| seen.turns.is_empty()).beside("system \"SMALLWINDOW\"")
        }
        Statement::Sample => of("sample 2", |seen| seen.asked.len() == 2 * seen.turns.len()),
        Statement::Retry => {
            of("retry up to 1 round with feedback", |seen| seen.asked.len() == 2 * seen.turns.len())
                .beside("impose 1 from plain")
        }
        Statement::Repeat => {
            of("repeat instructions at end", |seen| seen.says_at_last("PLAIN")).beside(START)
        }
        Statement::Judge => {
            of("judge checklist by \"judge.j2\"", |seen| seen.judge_reads("MARKLIST"))
                .beside("impose 1 from judged")
        }
        Statement::JudgeHistory => of("judge history 0", |seen| {
            !seen.judged.is_empty() && !seen.judge_reads("earlier answer")
        })
        .beside("impose 1 from judged"),
        Statement::JudgeSees => of("judge sees answer", |seen| {
            let message = |text: &String| text.contains("The user's message");
            !seen.judged.is_empty() && !seen.judged.iter().any(message)
        })
        .beside("impose 1 from judged"),
        Statement::Facts => of("facts by judge", |seen| seen.judge_reads("MARKFACT"))
            .in_turn("expect 1 \"says MARKFACT\" check contains(\"x\")"),
        Statement::Weigh => of("weigh plain 3", |seen| {
            let metrics = seen.scores["metrics"].as_array().into_iter().flatten();
            let of = |one: &&Value| one["name"] == "WCSR";
            metrics.clone().find(of).is_some_and(|one| one["value"].is_number())
        })
        .beside("impose 1 from plain"),
        Statement::Report => {
            of("report ISR", |seen| seen.printed.contains("ISR ") && !seen.printed.contains("ROB "))
                .beside("impose 1 from plain")
        }
        Statement::Records => {
            let named = "system \"For {{ person.name }}.\"";
            let example = of("", |seen| seen.says("system", "For ADA")).instead(named, "");
            Example { over: Some("over people as person"), ..example }
        }
        Statement::Over => {
            let named = "system \"For {{ person.name }}.\"";
            let example = of("over others", |seen| seen.says("system", "For BOB"));
            let over = Some("over people as person");
            match place {
                StatementPlace::Variant => {
                    Example { over, over_without: over, around: named, ..example }
                }
                _ => example,
            }
        }
        Statement::Variant => {
            let example =
                of("variant v { sample 2 }", |seen| seen.asked.len() == 2 * seen.turns.len());
            Example { as_variant: place == StatementPlace::Dialogue, ..example }
        }
        Statement::Topics => match topics_form {
            true => of("flow { stay at least 9 turns }", |seen| topics(seen) == 1),
            false => of("flow { stay at least 9 turns }", |seen| seen.says("user", "About "))
                .instead("topic from topics\nend when turns >= 3", "")
                .added(),
        },
        Statement::Flow => {
            let example = of("flow marked", |seen| seen.says("user", "MARKFLOW"));
            if base == Base::Flow { example } else { example.added() }
        }
        Statement::Turn if place == StatementPlace::Topics => {
            of("turn { expect 1 \"says MARKTURN\" }", |seen| seen.judge_reads("MARKTURN")).added()
        }
        Statement::Turn => of("turn extra { ask \"MARKTURN.\" answer \"GOLDEN.\" }", |seen| {
            seen.says("user", "MARKTURN")
        })
        .added(),
        Statement::Relation => {
            let write = match place {
                StatementPlace::Topics => "switch 0% { new }\nturn stay follows topic",
                _ => "turn first { ask \"Begin.\" } turn extra follows first { ask \"Go on.\" }",
            };
            let example = of(write, |seen| seen.transcript().contains("\"kind\":\"follows\""));
            if place == StatementPlace::Topics { example } else { example.added() }
        }
        Statement::For => {
            let write = match place {
                StatementPlace::Turn | StatementPlace::TurnLoop => {
                    "for k in [1] { expect 1 \"says MARKFOR\" }"
                }
                _ => "for k in [1] { turn extra { ask \"MARKFOR.\" answer \"GOLDEN.\" } }",
            };
            of(write, |seen| seen.judge_reads("MARKFOR") || seen.says("user", "MARKFOR")).added()
        }
        Statement::ImposeLoop => {
            let write = "for k in [3] { for j in [0] { impose called \"data:marked\" given { n: k + j } from published } }";
            of(write, |seen| seen.says("user", "N 3.")).added()
        }
        Statement::Branch => {
            let lead = "turn led { ask \"Led?\" answer \"GOLDEN.\" observe zebra contains(\"z\") }";
            let sides =
                "when zebra { turn yes { ask \"Zebra.\" } } else { turn no { ask \"MARKNO.\" } }";
            let write = match place {
                // A turn of a flow of topics is a move.
                StatementPlace::Topics => sides.to_owned(),
                _ => format!("{lead}\n{sides}"),
            };
            of(write, |seen| seen.says("user", "MARKNO")).added()
        }
        Statement::Ask => of("ask \"MARKASK1.\"", |seen| seen.says("user", "MARKASK1")),
        Statement::Show => of("show [\"MARKSHOW\"]", |seen| seen.says("user", "MARKSHOW")),
        Statement::ToolMessage => {
            of("show \"MARKPAGE.\" by tool \"search\"", |seen| seen.says("tool", "MARKPAGE"))
        }
        Statement::Part => {
            let write = match place {
                StatementPlace::Turn | StatementPlace::TurnLoop => {
                    "part p: text from whole\nrequire partly p == \"x\""
                }
                _ => "part p: text from whole",
            };
            of(write, |seen| criterion(seen, "partly"))
        }
        Statement::Require => {
            of("require marked contains(\"x\")", |seen| criterion(seen, "marked"))
        }
        Statement::Expect => {
            of("expect 1 \"says MARKEXPECT\"", |seen| seen.judge_reads("MARKEXPECT"))
        }
        Statement::Observe => of("observe marked contains(\"x\")", |seen| {
            seen.transcript().contains("\"observation\"")
        }),
        Statement::Void => of("void \"says MARKVOID\"", |seen| seen.judge_reads("MARKVOID")),
        Statement::Answer => {
            of("answer \"MARKANSWER.\"", |seen| seen.says("assistant", "MARKANSWER"))
                .beside(if place == StatementPlace::Turn { "context golden" } else { "" })
        }
        Statement::Reply => {
            of("reply \"MARKREPLY.\"", |seen| seen.transcript().contains("MARKREPLY"))
                .beside("turn last { ask \"Last.\" answer \"GOLDEN.\" }")
                .added()
        }
        Statement::Class => of("class \"MARKCLASS\"", |seen| seen.printed.contains("MARKCLASS"))
            .in_turn("impose 1 from plain class \"other\"")
            .beside("report PIF"),
        Statement::Stay => of("stay at least 9 turns", |seen| topics(seen) == 1),
        Statement::Switch => of("switch 0% { new }", |seen| topics(seen) == 1),
        Statement::Until => of("until turns >= 2", |seen| seen.asked.len() == 2),
        Statement::When => {
            of("when turns >= 1 { stay at least 9 turns }", |seen| topics(seen) == 1)
        }
    }
}
