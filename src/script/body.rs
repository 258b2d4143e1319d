//! What stands in a turn that is written out, with its values drawn and filled in.

use super::criterion::{Criterion, CriterionKind, Part, Related, Shown};
use super::drawer::DrawError;
use super::fold::fold;
use super::stream::Streams;
use super::texts::{Texts, literal};
use super::written::{Names, Placed, drawn, members, value};
use crate::dice::Key;
use crate::model::table::{By, Impose, Question, Scale, Show, TurnPart, Words};
use crate::predicate::evaluate::Variables;
use crate::predicate::tree::{Node, Tree};
use crate::predicate::value::Value;

/// A turn with its values.
#[derive(Default)]
pub(super) struct Body<'p> {
    pub name: String,
    pub relations: Vec<Related>,
    /// The words before all others; on the first turn.
    pub system: Option<String>,
    pub show: Vec<Shown>,
    /// The user's words, before those for what is imposed.
    pub ask: Option<String>,
    pub golden: Option<String>,
    pub parts: Vec<Part>,
    pub criteria: Vec<Criterion>,
    /// What is imposed on this turn, and the names known where that is written.
    pub imposes: Vec<(&'p Impose, Names)>,
}

/// What a turn is filled in from.
pub(super) struct Source<'a> {
    pub streams: &'a Streams,
    pub facts: &'a dyn Variables,
    pub texts: &'a Texts,
}

impl Source<'_> {
    pub fn body<'p>(&self, placed: &Placed<'p>) -> Result<Body<'p>, DrawError> {
        let mut body = Body {
            name: placed.turn.name.clone(),
            relations: placed.relations.clone(),
            ..Body::default()
        };
        let mut names = placed.names.clone();
        self.parts(&placed.turn.body, placed.key, &mut names, &mut body)?;
        Ok(body)
    }

    fn parts<'p>(
        &self,
        parts: &'p [TurnPart],
        key: Key,
        names: &mut Names,
        body: &mut Body<'p>,
    ) -> Result<(), DrawError> {
        for part in parts {
            match part {
                TurnPart::Let(name, tree) => {
                    let value = value(tree, name, &(&*names, self.facts))?;
                    names.push((name.clone(), value));
                }
                TurnPart::Param(param) => {
                    let value = drawn(param, key, names, self.facts, self.streams)?;
                    names.push((param.name.clone(), value));
                }
                TurnPart::For { name, list, body: inner } => {
                    let all = members(list, name, &(&*names, self.facts))?;
                    for (at, member) in all.iter().enumerate() {
                        let outside = names.len();
                        names.push((name.clone(), member.clone()));
                        self.parts(inner, key.and(name).and_number(at as u64), names, body)?;
                        names.truncate(outside);
                    }
                }
                TurnPart::Impose(impose) => body.imposes.push((impose, names.clone())),
                _ => self.part(part, names, body)?,
            }
        }
        Ok(())
    }

    /// A part that binds no name of the turn.
    fn part(&self, part: &TurnPart, names: &Names, body: &mut Body<'_>) -> Result<(), DrawError> {
        let vars: (&dyn Variables, &dyn Variables) = (names, self.facts);
        match part {
            TurnPart::Ask(words) => body.ask = Some(self.words(words, "ask", &vars)?),
            TurnPart::Show(Show { what, pictures }) => {
                body.show.extend(shown(what, *pictures, &vars)?);
            }
            TurnPart::Answer(text) => body.golden = Some(self.text(text, &vars)?),
            TurnPart::Part { name, list, reader, about } => {
                let about = about.as_ref().map(|about| self.text(about, &vars)).transpose()?;
                let reader = reader.as_ref().map(|reader| fold(reader, &vars, &[]));
                body.parts.push(Part { name: name.clone(), list: *list, reader, about });
            }
            TurnPart::Require { name, by, after, tags } => {
                let by = self.by(by, &vars, &body.parts)?;
                let (after, tags) = (after.clone(), tags.clone());
                let criterion = criterion(CriterionKind::Requirement, name.clone(), by);
                body.criteria.push(Criterion { after, tags, ..criterion });
            }
            TurnPart::Expect { points, fact } => {
                let worth = match value(points, "expect", &vars)? {
                    Value::Int(points) => points as f64,
                    Value::Float(points) => points,
                    _ => return Err(DrawError::NoValue { name: "expect".to_owned() }),
                };
                let by = asked(self.text(fact, &vars)?, None);
                let fact = criterion(CriterionKind::Fact, numbered(body, CriterionKind::Fact), by);
                body.criteria.push(Criterion { points: Some(worth), ..fact });
            }
            TurnPart::Void(text) => {
                let by = asked(self.text(text, &vars)?, None);
                let name = numbered(body, CriterionKind::Void);
                body.criteria.push(criterion(CriterionKind::Void, name, by));
            }
            TurnPart::Let(..) | TurnPart::Param(_) | TurnPart::For { .. } | TurnPart::Impose(_) => {
            }
        }
        Ok(())
    }

    /// A text of the program, or what an expression comes to.
    pub fn words(
        &self,
        words: &Words,
        what: &str,
        vars: &dyn Variables,
    ) -> Result<String, DrawError> {
        match words {
            Words::Template { text, .. } => {
                self.text(text, vars).map(|text| text.trim().to_owned())
            }
            Words::Expr(tree) => match literal(tree) {
                Some(text) => self.text(text, vars),
                None => Ok(value(tree, what, vars)?.to_string()),
            },
        }
    }

    fn text(&self, text: &str, vars: &dyn Variables) -> Result<String, DrawError> {
        self.texts.fill(text, vars).map_err(|fault| {
            let name = text.lines().next().unwrap_or_default().to_owned();
            DrawError::Template { name, fault }
        })
    }

    /// A rule with its drawn values, or a question in words. What a question says of a part is
    /// filled in when the answer is there.
    fn by(&self, by: &By, vars: &dyn Variables, parts: &[Part]) -> Result<By, DrawError> {
        match by {
            By::Rule(tree) => {
                let open: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
                Ok(By::Rule(fold(tree, vars, &open)))
            }
            By::Judge(Question { text, scale }) => {
                let places: Names = parts
                    .iter()
                    .map(|part| (part.name.clone(), Value::text(&part.place())))
                    .collect();
                let vars: (&dyn Variables, &dyn Variables) = (&places, vars);
                Ok(asked(self.text(text, &vars)?, scale.clone()))
            }
        }
    }
}

fn asked(text: String, scale: Option<Scale>) -> By {
    By::Judge(Question { text, scale })
}

fn criterion(kind: CriterionKind, name: String, by: By) -> Criterion {
    Criterion { kind, name, by, after: Vec::new(), tags: Vec::new(), points: None }
}

/// The next number among the criteria of a kind.
fn numbered(body: &Body<'_>, kind: CriterionKind) -> String {
    let before = body.criteria.iter().filter(|criterion| criterion.kind == kind).count();
    (before + 1).to_string()
}

/// What is shown: texts and pictures, of a list one after the other.
fn shown(tree: &Tree, images: bool, vars: &dyn Variables) -> Result<Vec<Shown>, DrawError> {
    fn put(value: &Value, shown: fn(String) -> Shown, all: &mut Vec<Shown>) {
        match value {
            Value::List(members) => members.iter().for_each(|member| put(member, shown, all)),
            Value::Nothing => {}
            other => all.push(shown(other.to_string())),
        }
    }
    let mut all = Vec::new();
    put(&value(tree, "show", vars)?, if images { Shown::Image } else { Shown::Text }, &mut all);
    Ok(all)
}

/// Whether a tree asks for one of the parts.
pub(crate) fn asks_for<'a>(tree: &Tree, parts: &'a [Part]) -> Vec<&'a Part> {
    fn asks(tree: &Tree, name: &str) -> bool {
        if let Node::Quantified(quantified) = &tree.node
            && quantified.binder.as_deref() == Some(name)
        {
            return asks(&quantified.domain, name);
        }
        matches!(&tree.node, Node::Var(var) if var == name)
            || tree.children().into_iter().any(|child| asks(child, name))
    }
    parts.iter().filter(|part| asks(tree, &part.name)).collect()
}
