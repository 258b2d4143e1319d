//! Dialogues, flows and turns in canonical texts.

use super::constraint::{draw_from, param, write_changes, write_checker, write_named};
use super::text::ListWriter;
use super::tree::{line, line_if, reader, tree};
use super::words;
use ifs_model::table::{
    Against, CalledConstraint, Context, Dialogue, Evolve, Feedback, Flow, Impose,
    ImposedConstraint, JudgeSees, MetricForm, Move, Overflow, OwnMetric, Relation, Retry, Scope,
    ScopeSentence, Share, Show, Step, TextSource, TopicRule, TopicRules, Turn, TurnPart,
};

pub(super) fn dialogue(dialogue: &Dialogue, into: &mut ListWriter) {
    into.line("dialogue", |into| {
        into.text(&dialogue.name);
        content(dialogue, into);
        // Variants are unordered.
        let mut variants: Vec<_> = dialogue.variants.iter().collect();
        variants.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (name, variant) in variants {
            into.line("variant", |into| {
                into.text(name);
                content(variant, into);
            });
        }
    });
}

/// Everything except its name and its variants.
fn content(dialogue: &Dialogue, into: &mut ListWriter) {
    let Dialogue {
        name: _,
        over,
        topic,
        style,
        groups,
        start,
        scope,
        scope_said,
        // It only suppresses a diagnostic and changes no message.
        scope_unsaid: _,
        scope_span: _,
        endless,
        endless_span: _,
        topics,
        flows,
        flow_shares,
        steps,
        evolve,
        redraws,
        witness_draws,
        imposes,
        priority,
        patience,
        end,
        context,
        overflow,
        retry,
        retry_rounds,
        sample,
        system,
        words: templates,
        without_words,
        only_words,
        judge_template,
        judge_history,
        judge_sees,
        weights,
        metrics,
        own_metrics,
        slice,
        slices_turns,
        repeat_instructions,
        facts_by_judge,
        variants: _,
        span: _,
        end_span: _,
    } = dialogue;
    if let Some((from, record)) = over {
        into.text_lines("over", [from, record]);
    }
    draw_from("topic", topic.as_ref(), into);
    draw_from("style", style.as_ref(), into);
    // Draws are keyed by names, so the order of groups, and of alternative flows, does not matter.
    into.text_lines("constraints", sorted(groups));
    line("start", start, into);
    into.line("scope", |line| line.word(self::scope(*scope)));
    if let Some(ScopeSentence { words, again }) = scope_said {
        write_text("scope-said", words, into);
        into.flag("scope-said-again", *again);
    }
    into.flag("endless", *endless);
    if let Some(rules) = topics {
        topic_rules(rules, into);
    }
    if flow_shares.is_empty() {
        into.text_lines("flow-of", sorted(flows));
    } else {
        let mut shares: Vec<(&str, Share)> = dialogue.weighed_flows().collect();
        shares.sort_unstable();
        for (flow, Share(share)) in shares {
            into.line("flow-share", |line| {
                line.text(flow);
                line.int(share);
            });
        }
    }
    into.line("steps", |into| steps.iter().for_each(|step| self::step(step, into)));
    if let Some(Evolve { low, high, rules }) = evolve {
        into.line("evolve", |into| {
            tree(low, into);
            tree(high, into);
            write_changes(rules, into);
        });
    }
    into.flag("redraws", *redraws);
    if let Some(draws) = witness_draws {
        into.line("redraws_until_witness", |line| line.int(*draws));
    }
    imposes.iter().for_each(|part| turn_part(part, into));
    if !priority.is_empty() {
        into.line("priority", |line| priority.iter().for_each(|one| line.word(one.word())));
    }
    if let Some(patience) = patience {
        into.line("patience", |line| line.int(*patience));
    }
    line_if("end", end.as_ref(), into);
    into.flag("context-golden", *context == Context::Golden);
    into.flag("overflow-omitted", *overflow == Overflow::Omitted);
    if let Some(Retry { rounds, form }) = retry {
        into.line("retry", |line| {
            match retry_rounds {
                Some(rounds) => tree(rounds, line),
                None => line.int(*rounds),
            }
            line.word(match form {
                Feedback::Chat => "chat",
                Feedback::Fresh => "fresh",
            });
        });
    }
    if *sample != 1 {
        into.line("sample", |line| line.int(*sample));
    }
    if let Some(words) = system {
        write_text("system", words, into);
    }
    templates.iter().for_each(|(name, text)| into.text_lines("template", [name, text]));
    words::built_in(dialogue, into);
    into.text_lines("without-words", without_words);
    into.text_lines("only-words", only_words);
    if let Some((name, text)) = judge_template {
        into.text_lines("judge-template", [name, text]);
    }
    if let Some(JudgeSees { system, history, message }) = judge_sees {
        into.line("judge-sees", |into| {
            into.flag("system", *system);
            into.flag("history", *history);
            into.flag("message", *message);
        });
    }
    if let Some(turns) = judge_history {
        into.line("judge-history", |line| line.int(*turns));
    }
    weights.iter().for_each(|(of, weight)| write_named("weight", of, weight, into));
    into.text_lines("metrics", metrics);
    for OwnMetric { name, of, tree: value, lower, form, not_negative: _, doc: _ } in own_metrics {
        into.line("metric", |into| {
            into.text(name);
            into.flag("lower", *lower);
            into.flag("percent", *form == MetricForm::Percent);
            into.line(of.word(), |into| tree(value, into));
        });
    }
    line_if("slice", slice.as_ref(), into);
    into.flag("slices-turns", *slices_turns);
    into.flag("repeat-instructions", *repeat_instructions);
    into.flag("facts-by-judge", *facts_by_judge);
}

fn sorted(names: &[String]) -> Vec<&String> {
    let mut names: Vec<&String> = names.iter().collect();
    names.sort();
    names
}

pub(super) fn flow(flow: &Flow, into: &mut ListWriter) {
    let Flow { name, steps, span: _ } = flow;
    into.line("flow", |into| {
        into.text(name);
        steps.iter().for_each(|step| self::step(step, into));
    });
}

fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Turn => "turn",
        Scope::Topic => "topic",
        Scope::Dialogue => "dialogue",
    }
}

fn write_text(word: &str, words: &TextSource, into: &mut ListWriter) {
    match words {
        // The name of a template's file does not matter.
        TextSource::Template { name: _, text } => into.text_line(word, text),
        TextSource::Expr(expression) => line(word, expression, into),
    }
}

fn topic_rules(rules: &TopicRules, into: &mut ListWriter) {
    let TopicRules { rules, until, turns } = rules;
    into.line("topic-flow", |into| {
        for TopicRule { guard, stay, switch, new, backtrack, span: _ } in rules {
            into.line("rule", |into| {
                line_if("when", guard.as_ref(), into);
                into.line("stay", |line| line.int(*stay));
                let shares = [switch, new, backtrack];
                into.line("switch", |line| shares.into_iter().for_each(|it| line.int(it.0)));
            });
        }
        line_if("until", until.as_ref(), into);
        for (to, of) in turns {
            into.line("on", |into| {
                into.word(match to {
                    None => "every",
                    Some(Move::New) => "new",
                    Some(Move::Stay) => "stay",
                    Some(Move::Backtrack) => "backtrack",
                });
                turn(of, into);
            });
        }
    });
}

fn step(step: &Step, into: &mut ListWriter) {
    match step {
        Step::Turn(of) => turn(of, into),
        Step::Flow => into.line("flow", |_| {}),
        Step::Let(name, value) => write_named("let", name, value, into),
        Step::Param(of) => param(of, into),
        Step::For { name, list, by, body } => into.line("for", |into| {
            into.text(name);
            tree(list, into);
            line_if("by", by.as_ref(), into);
            body.iter().for_each(|step| self::step(step, into));
        }),
        Step::When { condition, body, otherwise } => into.line("branch", |into| {
            tree(condition, into);
            body.iter().for_each(|step| self::step(step, into));
            if !otherwise.is_empty() {
                into.line("else", |into| {
                    otherwise.iter().for_each(|step| self::step(step, into));
                });
            }
        }),
    }
}

fn turn(turn: &Turn, into: &mut ListWriter) {
    let Turn { name, relations, body, slice, span: _ } = turn;
    into.line("turn", |into| {
        into.text(name);
        for Relation { kind, to, span: _ } in relations {
            into.line(kind.word(), |line| to.iter().for_each(|name| line.text(name)));
        }
        body.iter().for_each(|part| turn_part(part, into));
        line_if("slice", slice.as_ref(), into);
    });
}

fn turn_part(part: &TurnPart, into: &mut ListWriter) {
    match part {
        TurnPart::Ask(words) => write_text("ask", words, into),
        TurnPart::Show(Show { what, pictures, tool }) => match tool {
            Some(tool) => write_named("show-by-tool", tool, what, into),
            None => line(if *pictures { "show-pictures" } else { "show" }, what, into),
        },
        TurnPart::Let(name, value) => write_named("let", name, value, into),
        TurnPart::Param(of) => param(of, into),
        TurnPart::Part { name, list, reader, about } => {
            into.line(if *list { "parts" } else { "part" }, |into| {
                into.text(name);
                if let Some(of) = reader {
                    into.line("reader", |line| self::reader(of, line));
                }
                into.text_lines("about", about);
            });
        }
        TurnPart::Require { name, by: read, says, after, tags, tagged, weight } => {
            into.line("require", |into| {
                into.text(name);
                into.text_lines("say", says);
                write_checker(read, into);
                into.text_lines("after", after);
                into.text_lines("tag", tags);
                tagged.iter().for_each(|(of, text)| write_named("tag-of", of, text, into));
                line_if("weigh", weight.as_ref(), into);
            })
        }
        TurnPart::Observe { name, by: read } => into.line("observe", |into| {
            into.text(name);
            write_checker(read, into);
        }),
        TurnPart::Answer(text) => into.text_line("answer", text),
        TurnPart::Reply(words) => write_text("reply", words, into),
        TurnPart::Class(name) => into.text_line("class", name),
        TurnPart::Expect { points, fact, check } => into.line("expect", |into| {
            tree(points, into);
            into.text(fact);
            line_if("check", check.as_ref(), into);
        }),
        TurnPart::Void(text, condition) => into.line("void", |into| {
            into.text(text);
            line_if("when", condition.as_ref(), into);
        }),
        TurnPart::Impose(of) => impose(of, into),
        TurnPart::For { name, list, body } => into.line("for", |into| {
            into.text(name);
            tree(list, into);
            body.iter().for_each(|part| turn_part(part, into));
        }),
    }
}

fn impose(impose: &Impose, into: &mut ListWriter) {
    let Impose { low, high, new_group, from, given, called, since, scope, .. } = impose;
    let Impose { by, against, probability, applies, span: _, .. } = impose;
    into.line("impose", |into| {
        tree(low, into);
        tree(high, into);
        into.flag("new-group", *new_group);
        into.text_lines("from", from);
        if let Some(ImposedConstraint { constraint, params }) = given {
            into.line("given", |into| {
                into.text(constraint);
                params.iter().for_each(|of| param(of, into));
            });
        }
        if let Some(called) = called {
            let CalledConstraint { name, given, unsaid } = &**called;
            into.line("called", |into| {
                tree(name, into);
                line_if("given", given.as_ref(), into);
                into.flag("unsaid", *unsaid);
            });
        }
        line_if("since", since.as_ref(), into);
        into.line("scope", |line| line.word(self::scope(*scope)));
        // As it was before there were other speakers.
        if !by.is_user() {
            into.line("by", |line| line.word(by.word()));
        }
        if let Some(Against { speaker, case }) = against {
            into.line("against", |into| {
                into.word(speaker.word());
                line_if("case", case.as_ref(), into);
            });
        }
        line_if("probability", probability.as_ref(), into);
        line_if("applies", applies.as_ref(), into);
    });
}
