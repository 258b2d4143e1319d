//! Draws a scene: its facts at random, and its picture and questions from the facts.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::args::{DrawContext, evaluated, value};
use super::exclusions::Exclusions;
use super::state::OtherConstraints;
use super::stream::{Seed, Streams};
use ifs_base::diagnostic::{Code, Diagnostic, Diagnostics};
use ifs_base::source::Span;
use ifs_model::table::{Scene, ScenePart};
use ifs_parts::image::{Drawing, DrawnShape};
use ifs_parts::template;
use ifs_predicate::evaluate::{TextContext as Surroundings, Variables, evaluate};
use ifs_predicate::tree::Tree;
use ifs_predicate::value::Value;
use ifs_text::Text;
use ifs_value::stable_hash::StreamKey;

/// A drawn picture of a scene.
pub struct DrawnScene {
    /// A record of its facts, its `picture` and its `questions`.
    pub value: Value,
    pub drawing: Drawing,
}

/// Why a scene cannot be drawn, with the span.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the scene `{scene}` cannot be drawn: {why}")]
pub struct SceneFault {
    pub scene: String,
    pub why: String,
    pub span: Span,
}

/// A separate picture of a scene: (scene, seed, index) determine every pixel.
pub fn draw_scene(scene: &Scene, seed: Seed, index: u64) -> Result<DrawnScene, SceneFault> {
    let streams = Streams::new(seed, &scene.name, index);
    let place = DrawContext {
        streams: &streams,
        at: 0,
        attempt: 0,
        facts: &(),
        exclusions: &Exclusions::default(),
        active_constraints: OtherConstraints::none(),
    };
    draw(scene, StreamKey::new(&scene.name), &place)
}

/// A picture of a scene from a given key.
pub(super) fn draw(
    scene: &Scene,
    key: StreamKey,
    place: &DrawContext<'_>,
) -> Result<DrawnScene, SceneFault> {
    let drawing = Drawing { width: scene.width, height: scene.height, shapes: Vec::new() };
    let mut painter = Painter { scene, key, place, drawing, questions: Vec::new() };
    let mut facts: Vec<(String, Value)> = Vec::new();
    painter.parts(&scene.body, &mut facts)?;
    let Painter { drawing, questions, .. } = painter;
    facts.push(("picture".to_owned(), drawing.value()));
    facts.push(("questions".to_owned(), Value::list(questions)));
    Ok(DrawnScene { value: Value::record(facts), drawing })
}

/// The number of pictures of each scene that are drawn for the check.
const TRIAL_PICTURES: u64 = 24;

/// Draws some pictures of each scene, and reports scenes that cannot be drawn.
pub fn try_scenes(scenes: &[Arc<Scene>]) -> Diagnostics {
    let mut found = Diagnostics::default();
    for scene in scenes {
        let drawn = (0..TRIAL_PICTURES).find_map(|index| draw_scene(scene, Seed(0), index).err());
        if let Some(fault) = drawn {
            found.push(
                Diagnostic::error(Code::BAD_SCENE, fault.to_string())
                    .label(fault.span, "on one of the drawn pictures")
                    .help("every shape must be entirely within the picture, for all drawn values"),
            );
        }
    }
    found
}

struct Painter<'a> {
    scene: &'a Scene,
    key: StreamKey,
    place: &'a DrawContext<'a>,
    drawing: Drawing,
    questions: Vec<Value>,
}

impl Painter<'_> {
    fn fault(&self, span: Span, why: impl Into<String>) -> SceneFault {
        SceneFault { scene: self.scene.name.clone(), why: why.into(), span }
    }

    fn value(&self, tree: &Tree, names: &[(String, Value)]) -> Result<Value, SceneFault> {
        let names: &dyn Variables = &names;
        if let Some(value) = evaluated(tree, names) {
            return Ok(value);
        }
        let nothing = Text::new("");
        let surroundings = Surroundings { it: &nothing, variables: names };
        evaluate(tree, &surroundings).map_err(|fault| self.fault(fault.span, fault.message))
    }

    fn parts(
        &mut self,
        parts: &[ScenePart],
        names: &mut Vec<(String, Value)>,
    ) -> Result<(), SceneFault> {
        for part in parts {
            match part {
                ScenePart::Param(param) => {
                    let drawn = value(param, self.key.and(&param.name), names, &[], self.place);
                    let drawn = drawn.ok_or_else(|| {
                        self.fault(param.span, format!("there is no value for `{}`", param.name))
                    })?;
                    names.push((param.name.clone(), drawn));
                }
                ScenePart::Let(name, tree) => {
                    let value = self.value(tree, names)?;
                    names.push((name.clone(), value));
                }
                ScenePart::Draw { shape, fields, span } => {
                    self.shape(shape, fields, *span, names)?;
                }
                ScenePart::For { name, list, body } => {
                    let members = self.value(list, names)?;
                    let (known, key) = (names.len(), self.key);
                    for (at, member) in (0..).zip(members.as_list().unwrap_or(&[])) {
                        names.push((name.clone(), member.clone()));
                        self.key = key.and(name).and_number(at);
                        self.parts(body, names)?;
                        names.truncate(known);
                    }
                    self.key = key;
                }
                ScenePart::Question { name, body, ask, answer, span } => {
                    let known = names.len();
                    let key = self.key;
                    self.key = key.and("question").and(name);
                    let asked = self.question(name, body, (ask, answer), *span, names);
                    self.key = key;
                    names.truncate(known);
                    self.questions.extend(asked?);
                }
            }
        }
        Ok(())
    }

    fn shape(
        &mut self,
        shape: &str,
        fields: &BTreeMap<String, Tree>,
        span: Span,
        names: &[(String, Value)],
    ) -> Result<(), SceneFault> {
        let mut values = BTreeMap::new();
        for (name, tree) in fields {
            values.insert(name.as_str(), self.value(tree, names)?);
        }
        let made = DrawnShape::from_fields(shape, |name| values.get(name).cloned());
        let made = made.map_err(|why| self.fault(span, format!("of this {shape} {why}")))?;
        if !made.is_on(&self.drawing) {
            return Err(self.fault(span, format!("this {shape} reaches beyond the picture")));
        }
        if self.drawing.shapes.len() >= Drawing::MAX_SHAPES {
            return Err(
                self.fault(span, format!("it has more than {} shapes", Drawing::MAX_SHAPES))
            );
        }
        self.drawing.shapes.push(made);
        Ok(())
    }

    /// A question, or `None` if one of its parameters has no value: the question does not apply to
    /// this picture.
    fn question(
        &mut self,
        name: &str,
        body: &[ScenePart],
        (ask, answer): (&[String], &str),
        span: Span,
        names: &mut Vec<(String, Value)>,
    ) -> Result<Option<Value>, SceneFault> {
        for part in body {
            match part {
                ScenePart::Param(param) => {
                    let drawn = value(param, self.key.and(&param.name), names, &[], self.place);
                    let Some(drawn) = drawn else { return Ok(None) };
                    names.push((param.name.clone(), drawn));
                }
                ScenePart::Let(name, tree) => {
                    let value = self.value(tree, names)?;
                    names.push((name.clone(), value));
                }
                // A question has no other parts.
                _ => {}
            }
        }
        let most = i64::try_from(ask.len()).unwrap_or(1) - 1;
        let at = self.place.streams.choice_stream(self.place.at, "ask", self.key).int(0, most);
        let chosen = usize::try_from(at).ok().and_then(|at| ask.get(at));
        let fill = |text: &str| {
            let fields = names.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
            template::render_once(text, fields)
        };
        let said = |text: &str| fill(text).map_err(|fault| self.fault(span, fault.message));
        Ok(Some(Value::record([
            ("name", Value::text(name)),
            ("ask", Value::text(&said(chosen.map_or("", String::as_str))?)),
            ("answer", Value::text(&said(answer)?)),
        ])))
    }
}
