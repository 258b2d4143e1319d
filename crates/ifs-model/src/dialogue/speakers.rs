//! Who says a constraint, and whose constraints are followed: `by`, `against` and `priority`.

use super::DialogueChecker;
use crate::lower::known_value;
use crate::table::{
    Against, Case, DecidedBy, Dialogue, Domain, Impose, SemanticModel, Speaker, Step, Turn,
    TurnPart,
};
use crate::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_predicate::tree::Node;
use ifs_predicate::types::Type;
use ifs_predicate::value::Value;
use ifs_syntax::ast::{self, Expr, Name, TextLiteral};

impl DialogueChecker<'_, '_> {
    fn speaker(&mut self, name: &Name) -> Option<Speaker> {
        let found = Speaker::named(&name.text);
        if found.is_none() {
            self.report(
                Diagnostic::error(
                    Code::BAD_SPEAKER,
                    format!("there is no speaker `{}`", name.text),
                )
                .label(name.span, "")
                .help("write `system`, `user` or `tool`")
                .did_you_mean(&name.text, Speaker::ALL.map(Speaker::word)),
            );
        }
        found
    }

    /// The speakers of a `priority`, highest first.
    pub(super) fn priority(&mut self, names: &[Name], span: Span) -> Vec<Speaker> {
        let mut priority: Vec<Speaker> = Vec::new();
        for name in names {
            let Some(speaker) = self.speaker(name) else { return Vec::new() };
            if priority.contains(&speaker) {
                self.report(
                    Diagnostic::error(
                        Code::DUPLICATE_NAME,
                        format!("`{}` is in the order twice", name.text),
                    )
                    .label(name.span, "second time")
                    .help("keep one of them"),
                );
                return Vec::new();
            }
            priority.push(speaker);
        }
        if priority.len() < 2 {
            self.report(
                Diagnostic::error(Code::BAD_SPEAKER, "`priority` needs two speakers")
                    .label(span, "")
                    .help("write `priority system > user`, or `priority system > user > tool`"),
            );
        }
        priority
    }

    /// The tool of a `show … by tool "NAME"`.
    pub(crate) fn tool(&mut self, (speaker, name): &(Name, TextLiteral)) -> Option<String> {
        if self.speaker(speaker)? != Speaker::Tool {
            self.report(
                Diagnostic::error(
                    Code::BAD_SPEAKER,
                    format!("`show` has no form for `by {}`", speaker.text),
                )
                .label(speaker.span, "")
                .help(
                    "write `show TEXT by tool \"NAME\"`; without `by`, the text is in the user \
                     message, and `system` sets the system message",
                ),
            );
            return None;
        }
        let text = &name.value;
        let starts = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        let plain = |one: char| one.is_ascii_alphanumeric() || one == '_' || one == '-';
        if !starts || text.len() > 64 || !text.chars().all(plain) {
            self.report(
                Diagnostic::error(
                    Code::BAD_SPEAKER,
                    format!("\"{text}\" is not a name that every endpoint accepts for a tool"),
                )
                .label(name.span, "")
                .help("write up to 64 letters, digits, `_` and `-`, a letter or `_` first"),
            );
            return None;
        }
        Some(text.clone())
    }

    /// Who says what an `impose` gives, and against whom.
    pub(super) fn spoken(
        &mut self,
        written: &ast::Impose,
        span: Span,
        in_turn: bool,
        vars: &Vars,
    ) -> Option<(Speaker, Option<Against>)> {
        let by = match &written.by {
            Some(name) => self.speaker(name)?,
            None => Speaker::User,
        };
        let place = written.by.as_ref().map_or(span, |name| name.span);
        let wrong = |message: &str, label: &str, help: &str| {
            Diagnostic::error(Code::BAD_SPEAKER, message).label(place, label).help(help.to_owned())
        };
        let found = match by {
            Speaker::System if in_turn => Some(wrong(
                "the system message is before all turns",
                "in a turn",
                "write the `impose … by system` in the dialogue",
            )),
            Speaker::System if written.since.is_some() || written.applies.is_some() => Some(wrong(
                "the system message applies from the first turn on",
                "with a condition on the turn",
                "leave `from turn` and `applies when` out, or write `by user`",
            )),
            Speaker::System if written.scope.as_ref().is_some_and(|it| it.text != "dialogue") => {
                Some(wrong(
                    "the system message applies to the complete dialogue",
                    "with another scope",
                    "write `scope dialogue`, or leave the scope out",
                ))
            }
            Speaker::Tool if !in_turn => Some(wrong(
                "a tool states a constraint on the turn that shows its text",
                "in the dialogue",
                "write the `impose … by tool` in a turn with `show TEXT by tool \"NAME\"`",
            )),
            _ => None,
        };
        if let Some(found) = found {
            self.report(found);
            return None;
        }
        let against = match &written.against {
            Some(against) => Some(self.against(against, by, vars)?),
            None => None,
        };
        Some((by, against))
    }

    fn against(&mut self, written: &ast::Against, by: Speaker, vars: &Vars) -> Option<Against> {
        let speaker = self.speaker(&written.speaker)?;
        let place = written.speaker.span;
        if speaker == by {
            self.report(
                Diagnostic::error(
                    Code::BAD_SPEAKER,
                    format!("the constraints of one speaker agree: this is `by {}`", by.word()),
                )
                .label(place, "the same speaker")
                .help("name another speaker, or leave `against` out"),
            );
            return None;
        }
        if by == Speaker::System {
            self.report(
                Diagnostic::error(Code::BAD_SPEAKER, "the system message speaks first")
                    .label(place, "has said nothing before it")
                    .help(format!(
                        "write `against system` on the constraint of the {}; `priority` says whose \
                         is followed",
                        speaker.word()
                    )),
            );
            return None;
        }
        let case = match &written.case {
            Some(case) => {
                let tree = self.lowering().expect(case, &Type::Text, vars)?;
                if let Some(Value::Text(word)) = known_value(&tree) {
                    self.case(case, &word)?;
                }
                Some(tree)
            }
            None => None,
        };
        Some(Against { speaker, case })
    }

    fn case(&mut self, written: &Expr, word: &str) -> Option<Case> {
        let found = Case::named(word);
        if found.is_none() {
            self.report(
                Diagnostic::error(Code::BAD_SPEAKER, format!("there is no case \"{word}\""))
                    .label(written.span, "")
                    .help("write \"conflicting\", \"aligned\" or \"unrelated\"")
                    .did_you_mean(word, Case::ALL.map(Case::word)),
            );
        }
        found
    }
}

/// Reports speakers that a complete dialogue lacks: an order between two, someone to be against, a
/// tool's text, and a drawn case that is none.
pub(super) fn check(dialogue: &Dialogue, model: &SemanticModel) -> Vec<Diagnostic> {
    let turns = dialogue.written_turns(&model.flows);
    let imposes: Vec<&Impose> = dialogue.all_imposes(&model.flows).collect();
    let mut found = Vec::new();
    for turn in &turns {
        let by_tool = turn.imposes().into_iter().find(|impose| impose.by == Speaker::Tool);
        if let Some(impose) = by_tool.filter(|_| !turn.has_tool()) {
            found.push(
                Diagnostic::error(
                    Code::BAD_SPEAKER,
                    format!("no tool speaks in the turn `{}`", turn.name),
                )
                .label(impose.span, "there is no text to say it after")
                .help("write `show TEXT by tool \"NAME\"` in the turn"),
            );
        }
    }
    let speaks = |speaker: Speaker| match speaker {
        Speaker::User => {
            known_value(&dialogue.start) != Some(Value::Int(0))
                || dialogue.evolve.is_some()
                || imposes.iter().any(|impose| impose.by == speaker)
        }
        Speaker::System | Speaker::Tool => imposes.iter().any(|impose| impose.by == speaker),
    };
    for impose in &imposes {
        let Some(against) = &impose.against else { continue };
        let (by, other) = (impose.by, against.speaker);
        let ranked = |speaker| dialogue.priority.contains(&speaker);
        if !speaks(other) {
            found.push(
                Diagnostic::error(
                    Code::BAD_SPEAKER,
                    format!("nothing is imposed by {} in this dialogue", other.word()),
                )
                .label(impose.span, format!("against {}", other.word()))
                .help(format!("write an `impose … by {}`, or leave `against` out", other.word())),
            );
        } else if !ranked(by) || !ranked(other) {
            found.push(
                Diagnostic::error(
                    Code::BAD_SPEAKER,
                    format!(
                        "no order says whether the {} or the {} is followed",
                        other.word(),
                        by.word()
                    ),
                )
                .label(impose.span, "may contradict the other")
                .help(
                    "write `priority system > user > tool` in the dialogue: the first is followed",
                ),
            );
        } else if let Some(group) = judged_group(impose, dialogue, model) {
            found.push(
                Diagnostic::error(
                    Code::BAD_SPEAKER,
                    format!("only a judge decides the constraints of `{group}`"),
                )
                .label(impose.span, "nothing shows what they contradict")
                .help("impose constraints with `check`, or leave `against` out"),
            );
        } else if let Some((word, span)) = missing_case(against, dialogue, &turns) {
            found.push(
                Diagnostic::error(Code::BAD_SPEAKER, format!("there is no case \"{word}\""))
                    .label(span, "may be drawn")
                    .label(impose.span, "as the case here")
                    .help("the cases are \"conflicting\", \"aligned\" and \"unrelated\""),
            );
        }
    }
    found
}

/// The group of constraints of which none has a rule.
fn judged_group<'i>(
    impose: &'i Impose,
    dialogue: &'i Dialogue,
    model: &SemanticModel,
) -> Option<&'i String> {
    let from = if impose.from.is_empty() { &dialogue.groups } else { &impose.from };
    let groups = model.groups.iter().filter(|group| from.contains(&group.name));
    let of = |name: &str| impose.given.as_ref().is_none_or(|given| given.constraint == name);
    let mut all =
        groups.flat_map(|group| &group.constraints).filter(|one| of(&one.name)).peekable();
    all.peek()?;
    let judged = all.all(|constraint| matches!(constraint.by, DecidedBy::Judge(_)));
    from.first().filter(|_| judged)
}

/// A value of the parameter that gives the case, which is none.
fn missing_case(against: &Against, dialogue: &Dialogue, turns: &[&Turn]) -> Option<(String, Span)> {
    let Node::Var(name) = &against.case.as_ref()?.node else { return None };
    let outer = dialogue.steps.iter().filter_map(|step| match step {
        Step::Param(param) => Some(&**param),
        _ => None,
    });
    let inner = turns.iter().flat_map(|turn| &turn.body).filter_map(|part| match part {
        TurnPart::Param(param) => Some(param),
        _ => None,
    });
    let named = outer.chain(inner).filter(|param| param.name == *name);
    let values = named.flat_map(|param| match &param.domain {
        Domain::Choices(choices) => choices.iter().map(|(tree, _)| (tree, param.span)).collect(),
        _ => Vec::new(),
    });
    let wrong = values.filter_map(|(tree, span)| match known_value(tree)? {
        Value::Text(word) if Case::named(&word).is_none() => Some((word.to_string(), span)),
        _ => None,
    });
    wrong.into_iter().next()
}
