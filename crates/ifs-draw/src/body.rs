//! The statements of a written turn, with drawn values.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::absent::absent_rule;
use super::args::{needed, needed_float};
use super::criterion::{
    Criterion, CriterionKind, PartCriterion, Related, ShownContent, ShownImage,
};
use super::error::{DrawError, NoValue, NotCalled, ScenarioExcerpt};
use super::names::{NamedValues, drawn, members};
use super::stream::Streams;
use super::texts::{CompiledTexts, literal};
use ifs_base::diagnostic::Code;
use ifs_base::source::Span;
use ifs_model::table::{
    DecidedBy, Dialogue, Impose, Question, Show, Tag, TextSource, Turn, TurnPart,
};
use ifs_parts::image::Pictures;
use ifs_predicate::evaluate::Variables;
use ifs_predicate::partial_eval::partial_eval;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;
use ifs_value::stable_hash::StreamKey;

/// The position within the loops of a turn: for each loop its index among the surrounding
/// statements, and the iteration.
type LoopRounds = Vec<(usize, usize)>;

/// A turn with its position.
pub(super) struct PlacedTurn<'p> {
    /// Its statements: one for a written turn, any number for a move between topics.
    pub turns: Vec<&'p Turn>,
    pub name: String,
    /// The names in scope.
    pub names: Arc<NamedValues>,
    /// The key of its own draws, derived from the name of its turn.
    pub key: StreamKey,
    pub relations: Vec<Related>,
}

/// A turn with its values.
#[derive(Clone, Default)]
pub(super) struct DrawnBody<'p> {
    pub name: String,
    pub relations: Vec<Related>,
    pub show: Vec<ShownContent>,
    /// The user message, before those of imposed constraints.
    pub ask: Option<String>,
    pub golden: Option<String>,
    pub given: Option<String>,
    pub classes: Vec<String>,
    /// The value of `report … by`, if the turn binds what it uses.
    pub slice: Option<String>,
    pub parts: Vec<PartCriterion>,
    pub criteria: Vec<Criterion>,
    /// The iterations of the loops around each requirement, by the criterion's index.
    rounds: Vec<LoopRounds>,
    pub imposes: Vec<DrawnImpose<'p>>,
}

/// An `impose` statement of a turn.
#[derive(Clone)]
pub(super) struct DrawnImpose<'p> {
    pub impose: &'p Impose,
    /// The key of its draws.
    pub key: StreamKey,
    /// The names in scope.
    pub names: NamedValues,
}

/// The current position among the statements of a turn.
struct At {
    /// The span of the turn.
    span: Span,
    /// The key of draws.
    key: StreamKey,
    rounds: LoopRounds,
}

impl DrawnBody<'_> {
    /// Distinguishes requirements in a loop: `r`, `r 2`, `r 3`. A later one in the loop comes after
    /// those of its own iteration, and one outside of the loop after all.
    fn number_repeated_names(&mut self) {
        let mut same_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (place, criterion) in self.criteria.iter().enumerate() {
            if criterion.kind == CriterionKind::Requirement {
                same_name.entry(criterion.name.clone()).or_default().push(place);
            }
        }
        for (name, places) in &same_name {
            for (number, place) in places.iter().enumerate().skip(1) {
                self.criteria[*place].name = format!("{name} {}", number + 1);
            }
        }
        for place in 0..self.criteria.len() {
            let after = std::mem::take(&mut self.criteria[place].after);
            let needed = after.iter().filter_map(|name| same_name.get(name)).flatten();
            let needed = needed
                .filter(|other| in_same_iterations(&self.rounds[place], &self.rounds[**other]));
            let names = needed.map(|other| self.criteria[*other].name.clone()).collect();
            self.criteria[place].after = names;
        }
    }
}

/// A rule with its drawn values. A rule that fails for every response is a mistake of the scenario,
/// which must not count against the model.
fn rule(
    what: &str,
    tree: &Tree,
    vars: &dyn Variables,
    parts: &[PartCriterion],
) -> Result<Tree, DrawError> {
    let open: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    match absent_rule(tree, vars, &open) {
        Some(fault) => Err(NoValue::error(what, tree, fault, vars)),
        None => Ok(partial_eval(tree, vars, &open)),
    }
}

/// Whether two positions are in the same iterations of their common loops.
fn in_same_iterations(one: &LoopRounds, other: &LoopRounds) -> bool {
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

/// The inputs for the statements of a turn.
pub(super) struct BodySource<'a> {
    pub streams: &'a Streams,
    pub facts: &'a dyn Variables,
    pub facts_by_judge: bool,
    pub texts: &'a CompiledTexts,
    pub tags: &'a [Tag],
    pub pictures: &'a Pictures,
}

impl BodySource<'_> {
    pub fn body<'p>(&self, placed: &PlacedTurn<'p>) -> Result<DrawnBody<'p>, DrawError> {
        let mut body = DrawnBody {
            name: placed.name.clone(),
            relations: placed.relations.clone(),
            ..DrawnBody::default()
        };
        for turn in &placed.turns {
            let mut names = NamedValues::clone(&placed.names);
            let key = placed.key.and(&turn.name);
            let mut at = At { span: turn.span, key, rounds: LoopRounds::new() };
            self.parts(&turn.body, &mut at, &mut names, &mut body)?;
            if let Some(slice) = &turn.slice {
                body.slice = Some(slice_of(slice, &(&names, self.facts))?);
            }
        }
        body.number_repeated_names();
        Ok(body)
    }

    /// The `impose` statements of a dialogue, for each member of their loops.
    pub fn imposes<'p>(&self, table: &'p Dialogue) -> Result<Vec<DrawnImpose<'p>>, DrawError> {
        let mut body = DrawnBody::default();
        let key = StreamKey::new("dialogue");
        let mut at = At { span: table.span, key, rounds: LoopRounds::new() };
        self.parts(&table.imposes, &mut at, &mut NamedValues::new(), &mut body)?;
        Ok(body.imposes)
    }

    fn parts<'p>(
        &self,
        parts: &'p [TurnPart],
        at: &mut At,
        names: &mut NamedValues,
        body: &mut DrawnBody<'p>,
    ) -> Result<(), DrawError> {
        for (place, part) in parts.iter().enumerate() {
            match part {
                TurnPart::Let(name, tree) => {
                    let value = needed(tree, &format!("`{name}`"), &(&*names, self.facts))?;
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
                TurnPart::Impose(impose) => {
                    let (key, names) = (at.key, names.clone());
                    body.imposes.push(DrawnImpose { impose, key, names });
                }
                _ => self.part(part, at.span, names, body)?,
            }
            body.rounds.resize(body.criteria.len(), at.rounds.clone());
        }
        Ok(())
    }

    /// A statement that binds no name of the turn.
    fn part(
        &self,
        part: &TurnPart,
        span: Span,
        names: &NamedValues,
        body: &mut DrawnBody<'_>,
    ) -> Result<(), DrawError> {
        let vars: (&dyn Variables, &dyn Variables) = (names, self.facts);
        match part {
            TurnPart::Ask(words) => {
                let ask = self.words(words, "ask", span, &vars)?;
                // A message is required if nothing is shown.
                let is_tool = |shown: &ShownContent| matches!(shown, ShownContent::Tool { .. });
                if ask.trim().is_empty() && body.show.iter().all(is_tool) {
                    return Err(NoValue::empty_text("`ask`", place(words, span)));
                }
                body.ask = Some(ask);
            }
            TurnPart::Show(Show { what, tool: Some(name), .. }) => {
                let value = needed(what, "`show`", &vars)?;
                let lines = shown(&value, &mut |line| Some(ShownContent::Text(line)));
                let lines = lines.into_iter().flatten().filter_map(|line| match line {
                    ShownContent::Text(line) => Some(line),
                    ShownContent::Image(_) | ShownContent::Tool { .. } => None,
                });
                let text = lines.collect::<Vec<_>>().join("\n");
                // An absent text is not sent.
                if !text.trim().is_empty() {
                    body.show.push(ShownContent::Tool { name: name.clone(), text });
                }
            }
            TurnPart::Show(Show { what, pictures, tool: None }) => {
                let mut put = |text: String| match pictures {
                    true => ShownImage::from_value(&text, self.pictures).map(ShownContent::Image),
                    false => Some(ShownContent::Text(text)),
                };
                let value = needed(what, "`show`", &vars)?;
                let unfit =
                    || NoValue::unfit("`show`", what, &value, "a picture of the scenario", &vars);
                body.show.extend(shown(&value, &mut put).ok_or_else(unfit)?);
            }
            TurnPart::Answer(text) => body.golden = Some(self.text(text, span, &vars)?),
            TurnPart::Reply(words) => {
                let reply = self.words(words, "reply", span, &vars)?;
                if reply.trim().is_empty() {
                    return Err(NoValue::empty_text("`reply`", place(words, span)));
                }
                body.given = Some(reply);
            }
            TurnPart::Class(text) => {
                let class = self.text(text, span, &vars)?;
                if !class.trim().is_empty() && !body.classes.contains(&class) {
                    body.classes.push(class);
                }
            }
            TurnPart::Part { name, list, reader, about } => {
                let about =
                    about.as_ref().map(|about| self.text(about, span, &vars)).transpose()?;
                let reader = reader
                    .as_ref()
                    .map(|reader| reader.map(&mut |tree| partial_eval(tree, &vars, &[])));
                body.parts.push(PartCriterion { name: name.clone(), list: *list, reader, about });
            }
            TurnPart::Require { name, by, says, after, tags, tagged, weight } => {
                let what = format!("the requirement `{name}`");
                let by = self.by(&what, (by, span), &vars, &body.parts)?;
                let says = says.as_ref().map(|says| self.text(says, span, &vars)).transpose()?;
                let (after, mut tags) = (after.clone(), tags.clone());
                for (tree, text) in tagged {
                    tags.push(self.tag(tree, text, &vars)?);
                }
                let weight = weight.as_ref().map(|weight| weight_of(weight, &vars)).transpose()?;
                let criterion = criterion(CriterionKind::Requirement, name.clone(), by);
                body.criteria.push(Criterion { says, after, tags, weight, ..criterion });
            }
            TurnPart::Observe { name, by } => {
                let what = format!("the observation `{name}`");
                let by = self.by(&what, (by, span), &vars, &body.parts)?;
                body.criteria.push(criterion(CriterionKind::Observation, name.clone(), by));
            }
            TurnPart::Expect { points, fact, check } => {
                let worth = points_of(points, &vars)?;
                let by = self.decide(check.as_ref(), (fact, span), &vars, &body.parts)?;
                let fact = criterion(CriterionKind::Fact, numbered(body, CriterionKind::Fact), by);
                body.criteria.push(Criterion { points: Some(worth), ..fact });
            }
            TurnPart::Void(text, check) => {
                // A voiding condition holds for a response without it.
                let by = match self.decide(check.as_ref(), (text, span), &vars, &body.parts)? {
                    DecidedBy::Rule(tree) => {
                        let span = tree.span;
                        DecidedBy::Rule(Tree::new(Node::Not(Box::new(tree)), span))
                    }
                    by @ DecidedBy::Judge(_) => by,
                };
                let name = numbered(body, CriterionKind::Void);
                body.criteria.push(criterion(CriterionKind::Void, name, by));
            }
            TurnPart::Let(..) | TurnPart::Param(_) | TurnPart::For { .. } | TurnPart::Impose(_) => {
            }
        }
        Ok(())
    }

    /// A text of the scenario, or the value of an expression.
    pub fn words(
        &self,
        words: &TextSource,
        what: &str,
        span: Span,
        vars: &dyn Variables,
    ) -> Result<String, DrawError> {
        match words {
            TextSource::Template { name, text } => self
                .texts
                .render(text, vars)
                .map(|text| text.trim().to_owned())
                .map_err(|fault| DrawError::Template { name: name.clone(), fault }),
            TextSource::Expr(tree) => match literal(tree) {
                Some(text) if tree.span == Span::default() => self.text(text, span, vars),
                Some(text) => self.text(text, tree.span, vars),
                None => match needed(tree, &format!("`{what}`"), vars)? {
                    Value::Nothing => {
                        let why = "an optional field is absent".to_owned();
                        Err(NoValue::without_expression(&format!("`{what}`"), why, tree.span))
                    }
                    value => Ok(value.to_string()),
                },
            },
        }
    }

    /// The system message, without absent values; `None` if nothing is left.
    pub fn system(
        &self,
        words: &TextSource,
        span: Span,
        vars: &dyn Variables,
    ) -> Result<Option<String>, DrawError> {
        let fill = |text: &str, span: Span| {
            self.texts.fill_system(text, vars).map_err(|fault| {
                let text = Box::new(ScenarioExcerpt { text: text.to_owned(), span });
                DrawError::Text { text, fault }
            })
        };
        let text = match words {
            TextSource::Template { name, text } => self
                .texts
                .fill_system(text, vars)
                .map(|text| text.trim().to_owned())
                .map_err(|fault| DrawError::Template { name: name.clone(), fault })?,
            TextSource::Expr(tree) => match literal(tree) {
                Some(text) if tree.span == Span::default() => fill(text, span)?,
                Some(text) => fill(text, tree.span)?,
                None => match needed(tree, "`system`", vars)? {
                    Value::Nothing => String::new(),
                    value => value.to_string(),
                },
            },
        };
        Ok((!text.trim().is_empty()).then_some(text))
    }

    fn text(&self, text: &str, span: Span, vars: &dyn Variables) -> Result<String, DrawError> {
        self.texts.render(text, vars).map_err(|fault| {
            let text = Box::new(ScenarioExcerpt { text: text.to_owned(), span });
            DrawError::Text { text, fault }
        })
    }

    /// The tag of a tree that a text names.
    fn tag(&self, tree: &str, text: &Tree, vars: &dyn Variables) -> Result<String, DrawError> {
        fn all<'t>(tag: &'t Tag, below: bool, tree: &str, into: &mut Vec<&'t str>) {
            if below {
                into.push(&tag.name);
            }
            let below = below || tag.name == tree;
            tag.children.iter().for_each(|child| all(child, below, tree, into));
        }
        let mut known = Vec::new();
        self.tags.iter().for_each(|tag| all(tag, false, tree, &mut known));
        let value = needed(text, &format!("the tag of `{tree}`"), vars)?;
        let name = value.as_str().unwrap_or_default();
        let ends = |known: &&&str| !name.is_empty() && known.ends_with(&format!(".{name}"));
        let found: Vec<&&str> = known.iter().filter(ends).collect();
        if let [one] = found.as_slice() {
            return Ok((**one).to_owned());
        }
        let message = match found.is_empty() {
            true => format!("`{tree}` has no tag `{value}`"),
            false => format!("`{value}` is more than one tag of `{tree}`"),
        };
        let last = |name: &&str| name.rsplit('.').next().map(|last| format!("`{last}`"));
        let help = known.iter().take(12).filter_map(last).collect::<Vec<_>>().join(", ");
        Err(NotCalled::by_record(
            Code::UNKNOWN_NAME,
            message,
            Some(format!("its tags are {help}")),
            text.span,
        ))
    }

    /// A rule with its drawn values, or a question as text. Parts in a question are inserted when
    /// there is a response. A fact is read by its rule, unless it has none or the dialogue requires
    /// a judge.
    fn decide(
        &self,
        check: Option<&Tree>,
        (text, span): (&str, Span),
        vars: &dyn Variables,
        parts: &[PartCriterion],
    ) -> Result<DecidedBy, DrawError> {
        match check.filter(|_| !self.facts_by_judge) {
            Some(check) => rule("what is expected", check, vars, parts).map(DecidedBy::Rule),
            None => Ok(asked(required_text(
                "the text to judge by",
                self.text(text, span, vars)?,
                span,
            )?)),
        }
    }

    fn by(
        &self,
        what: &str,
        (by, span): (&DecidedBy, Span),
        vars: &dyn Variables,
        parts: &[PartCriterion],
    ) -> Result<DecidedBy, DrawError> {
        match by {
            DecidedBy::Rule(tree) => rule(what, tree, vars, parts).map(DecidedBy::Rule),
            DecidedBy::Judge(question) => {
                let places: NamedValues = parts
                    .iter()
                    .map(|part| (part.name.clone(), Value::text(&part.place())))
                    .collect();
                let vars: (&dyn Variables, &dyn Variables) = (&places, vars);
                let text = self.text(&question.text, span, &vars)?;
                let text = required_text(&format!("the question of {what}"), text, span)?;
                let is_no_good = match &question.good {
                    None => question.is_no_good,
                    Some(good) => expects_no(good, &vars)?,
                };
                Ok(DecidedBy::Judge(Question { text, good: None, is_no_good, ..question.clone() }))
            }
        }
    }
}

/// The span of the expression of a text, or of its turn.
fn place(words: &TextSource, span: Span) -> Span {
    match words {
        TextSource::Expr(tree) if tree.span != Span::default() => tree.span,
        TextSource::Expr(_) | TextSource::Template { .. } => span,
    }
}

/// A text for a judge, who has to be asked something.
fn required_text(what: &str, text: String, span: Span) -> Result<String, DrawError> {
    if text.trim().is_empty() { Err(NoValue::empty_text(what, span)) } else { Ok(text) }
}

/// Whether no is the good answer to a question.
fn expects_no(good: &Tree, vars: &dyn Variables) -> Result<bool, DrawError> {
    let value = needed(good, "the good answer", vars)?;
    match value.as_str().map(|text| text.trim().to_lowercase()).as_deref() {
        Some("yes") => Ok(false),
        Some("no") => Ok(true),
        _ => Err(NotCalled::by_record(
            Code::BAD_JUDGE,
            format!("a judge answers yes or no, not `{value}`"),
            None,
            good.span,
        )),
    }
}

fn asked(text: String) -> DecidedBy {
    DecidedBy::Judge(Question { text, ..Question::default() })
}

fn criterion(kind: CriterionKind, name: String, by: DecidedBy) -> Criterion {
    let (says, after, tags) = (None, Vec::new(), Vec::new());
    Criterion { kind, name, by, says, after, tags, points: None, weight: None }
}

/// The next number among the criteria of a kind.
fn numbered(body: &DrawnBody<'_>, kind: CriterionKind) -> String {
    let before = body.criteria.iter().filter(|criterion| criterion.kind == kind).count();
    (before + 1).to_string()
}

/// The points of a fact. No response could earn 0 points, and fewer would be a penalty for a right
/// answer.
fn points_of(tree: &Tree, vars: &dyn Variables) -> Result<f64, DrawError> {
    let what = "the number of points of `expect`";
    let points = needed_float(tree, what, vars)?;
    if points > 0.0 {
        return Ok(points);
    }
    Err(NoValue::unfit(what, tree, &needed(tree, what, vars)?, "a number above 0", vars))
}

/// The weight of a requirement in weighted scores.
fn weight_of(tree: &Tree, vars: &dyn Variables) -> Result<f64, DrawError> {
    let what = "the weight of a requirement";
    let weight = needed_float(tree, what, vars)?;
    if weight >= 0.0 {
        return Ok(weight);
    }
    Err(NoValue::unfit(what, tree, &needed(tree, what, vars)?, "0 or a number above it", vars))
}

/// A value of `report … by`.
pub(super) fn slice_of(tree: &Tree, vars: &dyn Variables) -> Result<String, DrawError> {
    let value = needed(tree, "`report … by`", vars)?;
    let unfit = || NoValue::unfit("`report … by`", tree, &value, "a text", vars);
    value.as_str().map(str::to_owned).ok_or_else(unfit)
}

fn shown(
    what: &Value,
    put: &mut dyn FnMut(String) -> Option<ShownContent>,
) -> Option<Vec<ShownContent>> {
    match what {
        Value::List(members) => {
            let all: Option<Vec<Vec<ShownContent>>> =
                members.iter().map(|member| shown(member, put)).collect();
            Some(all?.concat())
        }
        Value::Nothing => Some(Vec::new()),
        other => Some(vec![put(other.to_string())?]),
    }
}

/// Whether a tree refers to one of the parts.
pub fn asks_for<'a>(tree: &Tree, parts: &'a [PartCriterion]) -> Vec<&'a PartCriterion> {
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
