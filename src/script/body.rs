//! What stands in a turn that is written out, with its values drawn and filled in.

use super::criterion::{Criterion, CriterionKind, Image, Part, Related, Shown};
use super::drawer::DrawError;
use super::fold::{fold, fold_reader};
use super::stream::Streams;
use super::texts::{Texts, literal};
use super::written::{Names, Placed, drawn, members, value};
use crate::dice::Key;
use crate::image::Pictures;
use crate::model::table::{By, Impose, Question, Show, TurnPart, Words};
use crate::predicate::evaluate::Variables;
use crate::predicate::tree::{Node, Tree};
use crate::predicate::value::Value;

/// Where in the loops of a turn something stands: the place of each loop among the statements
/// around it, and the round it is in.
type Rounds = Vec<(usize, usize)>;

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
    /// The rounds of the loops in which each requirement stands, by the place of the criterion.
    rounds: Vec<Rounds>,
    /// What is imposed on this turn, and the names known where that is written.
    pub imposes: Vec<(&'p Impose, Names)>,
}

/// The place at hand among the statements of a turn.
struct At {
    /// Where choices are drawn.
    key: Key,
    rounds: Rounds,
}

impl Body<'_> {
    /// Requirements in a loop stand there several times: `r`, `r 2`, `r 3`. One that comes after
    /// them comes after those of its own round, and from outside of the loop after all.
    fn tell_apart(&mut self) {
        let required = |it: &Criterion| it.kind == CriterionKind::Requirement;
        let written: Vec<String> = self.criteria.iter().map(|it| it.name.clone()).collect();
        for at in 0..self.criteria.len() {
            if !required(&self.criteria[at]) {
                continue;
            }
            let before = (0..at)
                .filter(|other| required(&self.criteria[*other]) && written[*other] == written[at])
                .count();
            if before > 0 {
                self.criteria[at].name = format!("{} {}", written[at], before + 1);
            }
        }
        for at in 0..self.criteria.len() {
            let after = std::mem::take(&mut self.criteria[at].after);
            let all = after.iter().flat_map(|name| {
                (0..written.len()).filter(|other| {
                    required(&self.criteria[*other])
                        && written[*other] == *name
                        && together(&self.rounds[at], &self.rounds[*other])
                })
            });
            self.criteria[at].after = all.map(|other| self.criteria[other].name.clone()).collect();
        }
    }
}

/// Whether two places are in the same rounds of the loops that both stand in.
fn together(one: &Rounds, other: &Rounds) -> bool {
    for (one, other) in one.iter().zip(other) {
        if one.0 != other.0 {
            return true;
        }
        if one.1 != other.1 {
            return false;
        }
    }
    true
}

/// What a turn is filled in from.
pub(super) struct Source<'a> {
    pub streams: &'a Streams,
    pub facts: &'a dyn Variables,
    pub facts_by_judge: bool,
    pub texts: &'a Texts,
    pub pictures: &'a Pictures,
}

impl Source<'_> {
    pub fn body<'p>(&self, placed: &Placed<'p>) -> Result<Body<'p>, DrawError> {
        let mut body = Body {
            name: placed.turn.name.clone(),
            relations: placed.relations.clone(),
            ..Body::default()
        };
        let mut names = placed.names.clone();
        let mut at = At { key: placed.key, rounds: Rounds::new() };
        self.parts(&placed.turn.body, &mut at, &mut names, &mut body)?;
        body.tell_apart();
        Ok(body)
    }

    fn parts<'p>(
        &self,
        parts: &'p [TurnPart],
        at: &mut At,
        names: &mut Names,
        body: &mut Body<'p>,
    ) -> Result<(), DrawError> {
        for (place, part) in parts.iter().enumerate() {
            match part {
                TurnPart::Let(name, tree) => {
                    let value = value(tree, name, &(&*names, self.facts))?;
                    names.push((name.clone(), value));
                }
                TurnPart::Param(param) => {
                    let value = drawn(param, at.key, names, self.facts, self.streams)?;
                    names.push((param.name.clone(), value));
                }
                TurnPart::For { name, list, body: inner } => {
                    let all = members(list, name, &(&*names, self.facts))?;
                    let key = at.key;
                    for (round, member) in all.iter().enumerate() {
                        let outside = names.len();
                        names.push((name.clone(), member.clone()));
                        at.key = key.and(name).and_number(round as u64);
                        at.rounds.push((place, round));
                        self.parts(inner, at, names, body)?;
                        at.rounds.pop();
                        names.truncate(outside);
                    }
                    at.key = key;
                }
                TurnPart::Impose(impose) => body.imposes.push((impose, names.clone())),
                _ => self.part(part, names, body)?,
            }
            body.rounds.resize(body.criteria.len(), at.rounds.clone());
        }
        Ok(())
    }

    /// A part that binds no name of the turn.
    fn part(&self, part: &TurnPart, names: &Names, body: &mut Body<'_>) -> Result<(), DrawError> {
        let vars: (&dyn Variables, &dyn Variables) = (names, self.facts);
        match part {
            TurnPart::Ask(words) => {
                let ask = self.words(words, "ask", &vars)?;
                // Words are needed where nothing is shown.
                if ask.trim().is_empty() && body.show.is_empty() {
                    return Err(DrawError::NoValue { name: "ask".to_owned() });
                }
                body.ask = Some(ask);
            }
            TurnPart::Show(Show { what, pictures }) => {
                let mut put = |text: String| match pictures {
                    true => Image::of(&text, self.pictures).map(Shown::Image),
                    false => Some(Shown::Text(text)),
                };
                let all = shown(&value(what, "show", &vars)?, &mut put);
                body.show
                    .extend(all.ok_or_else(|| DrawError::NoValue { name: "show".to_owned() })?);
            }
            TurnPart::Answer(text) => body.golden = Some(self.text(text, &vars)?),
            TurnPart::Part { name, list, reader, about } => {
                let about = about.as_ref().map(|about| self.text(about, &vars)).transpose()?;
                let reader = reader.as_ref().map(|reader| fold_reader(reader, &vars));
                body.parts.push(Part { name: name.clone(), list: *list, reader, about });
            }
            TurnPart::Require { name, by, says, after, tags } => {
                let by = self.by(by, &vars, &body.parts)?;
                let says = says.as_ref().map(|says| self.text(says, &vars)).transpose()?;
                let (after, tags) = (after.clone(), tags.clone());
                let criterion = criterion(CriterionKind::Requirement, name.clone(), by);
                body.criteria.push(Criterion { says, after, tags, ..criterion });
            }
            TurnPart::Expect { points, fact, check } => {
                let worth = match value(points, "expect", &vars)? {
                    Value::Int(points) => points as f64,
                    Value::Float(points) => points,
                    _ => return Err(DrawError::NoValue { name: "expect".to_owned() }),
                };
                let by = self.read(check.as_ref(), fact, &vars, &body.parts)?;
                let fact = criterion(CriterionKind::Fact, numbered(body, CriterionKind::Fact), by);
                body.criteria.push(Criterion { points: Some(worth), ..fact });
            }
            TurnPart::Void(text, check) => {
                // An answer holds by what must not be said of it.
                let by = match self.read(check.as_ref(), text, &vars, &body.parts)? {
                    By::Rule(tree) => {
                        let span = tree.span;
                        By::Rule(Tree::new(Node::Not(Box::new(tree)), span))
                    }
                    by @ By::Judge(_) => by,
                };
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
                None => match value(tree, what, vars)? {
                    Value::Nothing => Err(DrawError::NoValue { name: what.to_owned() }),
                    value => Ok(value.to_string()),
                },
            },
        }
    }

    /// The system message. What is absent is left out; nothing where nothing is left.
    pub fn system(&self, words: &Words, vars: &dyn Variables) -> Result<Option<String>, DrawError> {
        let fill = |text: &str| {
            let filled = self.texts.fill_system(text, vars);
            filled.map_err(|fault| DrawError::Template { name: "system".to_owned(), fault })
        };
        let text = match words {
            Words::Template { text, .. } => fill(text)?.trim().to_owned(),
            Words::Expr(tree) => match literal(tree) {
                Some(text) => fill(text)?,
                None => match value(tree, "system", vars)? {
                    Value::Nothing => String::new(),
                    value => value.to_string(),
                },
            },
        };
        Ok((!text.trim().is_empty()).then_some(text))
    }

    fn text(&self, text: &str, vars: &dyn Variables) -> Result<String, DrawError> {
        self.texts.fill(text, vars).map_err(|fault| {
            let name = text.lines().next().unwrap_or_default().to_owned();
            DrawError::Template { name, fault }
        })
    }

    /// A rule with its drawn values, or a question in words. What a question says of a part is
    /// filled in when the answer is there.
    /// By whom a fact is read: by its rule, unless it has none or the dialogue wants a judge.
    fn read(
        &self,
        check: Option<&Tree>,
        text: &str,
        vars: &dyn Variables,
        parts: &[Part],
    ) -> Result<By, DrawError> {
        match check.filter(|_| !self.facts_by_judge) {
            Some(check) => {
                let open: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
                Ok(By::Rule(fold(check, vars, &open)))
            }
            None => Ok(asked(self.text(text, vars)?)),
        }
    }

    fn by(&self, by: &By, vars: &dyn Variables, parts: &[Part]) -> Result<By, DrawError> {
        match by {
            By::Rule(tree) => {
                let open: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
                Ok(By::Rule(fold(tree, vars, &open)))
            }
            By::Judge(question) => {
                let places: Names = parts
                    .iter()
                    .map(|part| (part.name.clone(), Value::text(&part.place())))
                    .collect();
                let vars: (&dyn Variables, &dyn Variables) = (&places, vars);
                let text = self.text(&question.text, &vars)?;
                Ok(By::Judge(Question { text, ..question.clone() }))
            }
        }
    }
}

fn asked(text: String) -> By {
    By::Judge(Question { text, scale: None, rubric: false })
}

fn criterion(kind: CriterionKind, name: String, by: By) -> Criterion {
    Criterion { kind, name, by, says: None, after: Vec::new(), tags: Vec::new(), points: None }
}

/// The next number among the criteria of a kind.
fn numbered(body: &Body<'_>, kind: CriterionKind) -> String {
    let before = body.criteria.iter().filter(|criterion| criterion.kind == kind).count();
    (before + 1).to_string()
}

/// What is shown: texts and pictures, of a list one after the other.
fn shown(what: &Value, put: &mut dyn FnMut(String) -> Option<Shown>) -> Option<Vec<Shown>> {
    match what {
        Value::List(members) => {
            let all: Option<Vec<Vec<Shown>>> =
                members.iter().map(|member| shown(member, put)).collect();
            Some(all?.concat())
        }
        Value::Nothing => Some(Vec::new()),
        other => Some(vec![put(other.to_string())?]),
    }
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
