//! Groups, constraints, parameters and scenes in canonical texts.

use super::text::ListWriter;
use super::tree::{compare, line, line_if, tree, ty};
use ifs_model::table::{
    Alias, Change, ChangeRule, ChangeRules, Constraint, DecidedBy, Domain, DrawFrom, Mask, Param,
    Question, Scale, Scene, ScenePart, Tag,
};

/// A constraint. Its aliases are part of it if an `impose called` looks for them.
pub(super) fn constraint(constraint: &Constraint, is_called: bool, into: &mut ListWriter) {
    let Constraint {
        name,
        params,
        say,
        change,
        withdraw,
        by,
        applies,
        weight,
        excludes,
        tags,
        relation,
        aliases,
        library: _,
        span: _,
    } = constraint;
    into.line("constraint", |into| {
        into.text(name);
        params.iter().for_each(|param| self::param(param, into));
        into.text_lines("say", say);
        into.text_lines("change", change);
        into.text_lines("withdraw", withdraw);
        self::write_checker(by, into);
        line_if("applies", applies.as_ref(), into);
        if *weight != 1 {
            into.line("weight", |line| line.int(*weight));
        }
        let mut excludes: Vec<&String> = excludes.iter().collect();
        excludes.sort();
        into.text_lines("excludes", excludes);
        into.text_lines("tag", tags);
        if let Some(kind) = relation {
            into.line("relation", |line| line.word(kind.word()));
        }
        aliases.iter().filter(|_| is_called).for_each(|of| alias(of, into));
    });
}

fn alias(alias: &Alias, into: &mut ListWriter) {
    let Alias { name, args, condition } = alias;
    into.line("alias", |into| {
        into.text(name);
        args.iter().for_each(|(param, value)| write_named("argument", param, value, into));
        line_if("where", condition.as_ref(), into);
    });
}

pub(super) fn write_checker(by: &DecidedBy, into: &mut ListWriter) {
    match by {
        DecidedBy::Rule(check) => line("check", check, into),
        DecidedBy::Judge(Question { text, scale, rubric, good, is_no_good }) => {
            into.line(if *rubric { "rubric" } else { "judge" }, |into| {
                into.text(text);
                if let Some(Scale { low, high, pass, threshold }) = scale {
                    into.line("scale", |line| {
                        line.int(*low);
                        line.int(*high);
                        line.word(compare(*pass));
                        line.int(*threshold);
                    });
                }
                into.flag("no-is-good", *is_no_good);
                if let Some(good) = good {
                    line("good", good, into);
                }
            });
        }
    }
}

pub(super) fn param(param: &Param, into: &mut ListWriter) {
    let Param { name, ty: of, domain, evolve, span: _ } = param;
    into.line("param", |into| {
        into.text(name);
        ty(of, into);
        self::domain(domain, into);
        if let Some(changes) = evolve {
            into.line("evolve", |into| self::write_changes(changes, into));
        }
    });
}

fn domain(domain: &Domain, into: &mut ListWriter) {
    match domain {
        Domain::Int { low, high, step } | Domain::Float { low, high, step } => {
            let word = if matches!(domain, Domain::Int { .. }) { "int" } else { "float" };
            into.line(word, |line| [low, high, step].into_iter().for_each(|end| tree(end, line)));
        }
        Domain::Choices(choices) => into.line("choices", |into| {
            for (choice, weight) in choices {
                into.list("choice", |list| {
                    tree(choice, list);
                    list.int(*weight);
                });
            }
        }),
        Domain::OneOf(list) => line("one-of", list, into),
        Domain::Some { low, high, of, with } => into.line("some", |into| {
            [low, high, of].into_iter().for_each(|part| tree(part, into));
            with.iter().for_each(|param| self::param(param, into));
        }),
        Domain::Window { within, by, condition } => into.line("window", |into| {
            tree(within, into);
            line_if("by", by.as_ref(), into);
            line_if("where", condition.as_ref(), into);
        }),
        Domain::Scene(of) => scene(of, into),
        Domain::Given => into.line("given", |_| {}),
    }
}

pub(super) fn scene(scene: &Scene, into: &mut ListWriter) {
    let Scene { name, width, height, body, span: _ } = scene;
    into.line("scene", |into| {
        into.text(name);
        into.int(*width);
        into.int(*height);
        body.iter().for_each(|part| scene_part(part, into));
    });
}

fn scene_part(part: &ScenePart, into: &mut ListWriter) {
    match part {
        ScenePart::Param(of) => param(of, into),
        ScenePart::Let(name, value) => write_named("let", name, value, into),
        ScenePart::Draw { shape, fields, span: _ } => into.line("draw", |into| {
            into.word(shape);
            fields.iter().for_each(|(name, value)| write_named("field", name, value, into));
        }),
        ScenePart::For { name, list, body } => into.line("for", |into| {
            into.text(name);
            tree(list, into);
            body.iter().for_each(|part| scene_part(part, into));
        }),
        ScenePart::Question { name, body, ask, answer, span: _ } => {
            into.line("question", |into| {
                into.text(name);
                body.iter().for_each(|part| scene_part(part, into));
                into.text_lines("ask", ask);
                into.text_line("answer", answer);
            });
        }
    }
}

/// A line with a name and its value.
pub(super) fn write_named(
    word: &str,
    name: &str,
    value: &ifs_predicate::tree::Tree,
    into: &mut ListWriter,
) {
    into.line(word, |line| {
        line.text(name);
        tree(value, line);
    });
}

pub(super) fn write_changes(changes: &ChangeRules, into: &mut ListWriter) {
    let ChangeRules { changes, guards, span: _ } = changes;
    self::alternatives(changes, into);
    for (guard, changes) in guards {
        into.line("when", |into| {
            tree(guard, into);
            alternatives(changes, into);
        });
    }
}

fn alternatives(changes: &[ChangeRule], into: &mut ListWriter) {
    for ChangeRule { change, share, amount } in changes {
        let word = match change {
            Change::Add => "add",
            Change::Modify => "modify",
            Change::Drop => "drop",
        };
        into.line(word, |line| {
            line.int(share.0);
            if let Some(amount) = amount {
                tree(amount, line);
            }
        });
    }
}

pub(super) fn mask(mask: &Mask, into: &mut ListWriter) {
    let Mask { left, right } = mask;
    into.line("mask", |into| {
        for (word, side) in [("one", left), ("other", right)] {
            into.line(word, |line| {
                for (constraint, param) in side {
                    line.text(constraint);
                    line.text(param);
                }
            });
        }
    });
}

/// Tags of one level are unordered.
pub(super) fn tags(tags: &[Tag], into: &mut ListWriter) {
    let mut tags: Vec<&Tag> = tags.iter().collect();
    tags.sort_by(|one, other| one.name.cmp(&other.name));
    for Tag { name, children } in tags {
        into.line("tag", |into| {
            into.text(name);
            self::tags(children, into);
        });
    }
}

pub(super) fn draw_from(word: &str, from: Option<&DrawFrom>, into: &mut ListWriter) {
    let Some(DrawFrom { bank, condition }) = from else { return };
    into.line(word, |into| {
        into.text(bank);
        line_if("where", condition.as_ref(), into);
    });
}
