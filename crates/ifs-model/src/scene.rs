//! Scenes: pictures that are drawn for each use, with the facts that they show.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::check::Checker;
use super::lower::{Lowering, constant_value, noun};
use super::names::{ItemAt, Symbol};
use super::table::{Domain, Scene, ScenePart};
use super::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_parts::image::{COLOURS, FieldKind, SHAPES, colour};
use ifs_predicate::tree::Tree;
use ifs_predicate::types::Type;
use ifs_predicate::value::Value;
use ifs_syntax::ast::{
    self, Expr, ItemKind, Name, Path, QuestionStmt, QuestionStmtKind, SceneStmt, SceneStmtKind,
};

/// The allowed range of a scene's sides, in pixels.
const SIDE_RANGE: std::ops::RangeInclusive<i64> = 16..=2_000;

/// The fields that every drawn picture has in addition to its facts.
const BUILT_IN_FIELDS: [&str; 2] = ["picture", "questions"];

impl Checker<'_> {
    /// A scene by item, with the type of its pictures.
    pub(super) fn scene(&mut self, at: ItemAt) -> Option<(Arc<Scene>, Type)> {
        if let Some(done) = self.scenes.get(&at) {
            return done.clone();
        }
        let item = self.loader.modules[at.module].ast.items[at.item].clone();
        let ItemKind::Scene(written) = &item.kind else { return None };
        let name = self.unique(&written.name.text, at.module, |model, name| {
            model.scenes.iter().any(|scene| scene.name == name)
        });
        self.doc(&name, &item.docs);
        let mut lowering = self.lowering(at.module);
        let lowered = lowering.scene(name, written);
        if let Some((scene, _)) = &lowered {
            self.model.scenes.push(scene.clone());
        }
        self.scenes.insert(at, lowered.clone());
        lowered
    }
}

impl Lowering<'_, '_> {
    /// `param shop: scene shelf`
    pub(super) fn scene_domain(&mut self, path: &Path) -> Option<(Domain, Type)> {
        match self.checker.find(self.module, path)? {
            Symbol::Scene(at) => {
                let (scene, ty) = self.checker.scene(at)?;
                Some((Domain::Scene(scene), ty))
            }
            other => {
                let message = format!("`{}` is {}, not a scene", path.text(), other.noun());
                self.report(
                    Diagnostic::error(Code::WRONG_TYPE, message).label(path.span, "").help(
                        "`scene NAME WIDTH by HEIGHT { … }` makes one; `std.scenes` has some",
                    ),
                );
                None
            }
        }
    }

    fn scene(&mut self, name: String, written: &ast::Scene) -> Option<(Arc<Scene>, Type)> {
        let (width, height) = written.size;
        if !SIDE_RANGE.contains(&width) || !SIDE_RANGE.contains(&height) {
            self.report(
                Diagnostic::error(
                    Code::BAD_NUMBER,
                    format!("a scene of {width} by {height} pixels is too small or too large"),
                )
                .label(written.size_span, "")
                .help(format!(
                    "each side has {} to {} pixels",
                    SIDE_RANGE.start(),
                    SIDE_RANGE.end()
                )),
            );
            return None;
        }
        let mut vars = Vars::new("a scene");
        let mut facts: BTreeMap<String, (Type, Span)> = BTreeMap::new();
        let body = self.scene_parts(&written.stmts, &mut vars, Some(&mut facts));
        let draws = |stmt: &SceneStmt| {
            matches!(stmt.kind, SceneStmtKind::Draw { .. } | SceneStmtKind::For(_))
        };
        if !written.broken && !written.stmts.iter().any(draws) {
            self.report(
                Diagnostic::error(Code::MISSING_STATEMENT, "the scene shows nothing")
                    .label(written.name.span, "")
                    .help("draw something: `draw rect { x: 0, y: 0, width: 9, height: 9 }`"),
            );
            return None;
        }
        let question =
            Type::record([("name", Type::Text), ("ask", Type::Text), ("answer", Type::Text)]);
        let given = [("picture", Type::Image), ("questions", Type::list(question))];
        let facts = facts.iter().map(|(name, (ty, _))| (name.as_str(), ty.clone()));
        let ty = Type::record(facts.chain(given));
        let scene = Scene {
            name,
            width: u32::try_from(width).ok()?,
            height: u32::try_from(height).ok()?,
            body: body?,
            span: written.name.span,
        };
        Some((Arc::new(scene), ty))
    }

    /// Lowers the parts of a scene. `facts` collects the outermost names; those of a loop are not
    /// facts.
    fn scene_parts(
        &mut self,
        stmts: &[SceneStmt],
        vars: &mut Vars,
        mut facts: Option<&mut BTreeMap<String, (Type, Span)>>,
    ) -> Option<Vec<ScenePart>> {
        let (mut parts, mut whole) = (Vec::new(), true);
        let mut questions: BTreeMap<&str, Span> = BTreeMap::new();
        for stmt in stmts {
            let part = match &stmt.kind {
                SceneStmtKind::Param(param) => {
                    let lowered = self.scene_param(param, vars);
                    let ty = lowered.as_ref().map_or(Type::Unknown, |(_, ty)| ty.clone());
                    if !self.fact(&param.name, ty, facts.as_deref_mut()) {
                        whole = false;
                    }
                    lowered.map(|(part, _)| part)
                }
                SceneStmtKind::Let(item) => {
                    let lowered = self.scene_let(item, vars, facts.is_some());
                    let ty = lowered.as_ref().map_or(Type::Unknown, |(_, ty)| ty.clone());
                    if !self.fact(&item.name, ty, facts.as_deref_mut()) {
                        whole = false;
                    }
                    lowered.map(|(part, _)| part)
                }
                SceneStmtKind::Draw { shape, fields, fields_span } => {
                    self.draw(shape, fields, *fields_span, stmt.span, vars)
                }
                SceneStmtKind::For(each) => {
                    self.list_of(&each.list, vars).and_then(|(list, of)| {
                        self.checker.check_name(&each.name, "the name of a loop");
                        let mut inner = vars.clone().with(&each.name.text, of);
                        let body = self.scene_parts(&each.body, &mut inner, None)?;
                        Some(ScenePart::For { name: each.name.text.clone(), list, body })
                    })
                }
                SceneStmtKind::Question { name, stmts, broken } => {
                    if let Some(first) = questions.insert(&name.text, name.span) {
                        self.report(
                            Diagnostic::error(
                                Code::DUPLICATE_NAME,
                                format!("the question `{}` is named twice", name.text),
                            )
                            .label(name.span, "second time")
                            .label(first, "first time")
                            .help("give one of them another name"),
                        );
                    }
                    self.scene_question(name, stmts, *broken, stmt.span, vars, facts.is_some())
                }
            };
            match part {
                Some(part) => parts.push(part),
                None => whole = false,
            }
        }
        whole.then_some(parts)
    }

    /// Adds the name of a fact; returns whether the name is allowed.
    fn fact(
        &mut self,
        name: &Name,
        ty: Type,
        facts: Option<&mut BTreeMap<String, (Type, Span)>>,
    ) -> bool {
        if BUILT_IN_FIELDS.contains(&name.text.as_str()) {
            self.report(
                Diagnostic::error(
                    Code::RESERVED_NAME,
                    format!("`{}` cannot be a fact of a scene", name.text),
                )
                .label(name.span, "every drawn picture has one already")
                .help("choose another name"),
            );
            return false;
        }
        let Some(facts) = facts else { return true };
        if let Some((_, first)) = facts.insert(name.text.clone(), (ty, name.span)) {
            self.report(
                Diagnostic::error(
                    Code::DUPLICATE_NAME,
                    format!("the fact `{}` is named twice", name.text),
                )
                .label(name.span, "second time")
                .label(first, "first time")
                .help("give one of them another name"),
            );
            return false;
        }
        true
    }

    fn scene_param(&mut self, param: &ast::Param, vars: &mut Vars) -> Option<(ScenePart, Type)> {
        let lowered = self.param(param, vars);
        match &lowered {
            Some(lowered) => vars.push_param(lowered),
            None => vars.push(&param.name.text, Type::Unknown),
        }
        let lowered = lowered?;
        if matches!(lowered.domain, Domain::Given | Domain::Window { .. } | Domain::Scene(_)) {
            self.report(
                Diagnostic::error(
                    Code::BAD_DOMAIN,
                    format!("nothing is drawn for `{}`", param.name.text),
                )
                .label(param.domain.span, "")
                .help("write `int in 1..=9`, `one_of [\"a\", \"b\"]` or `2 of LIST`"),
            );
            return None;
        }
        let ty = lowered.ty.clone();
        Some((ScenePart::Param(Box::new(lowered)), ty))
    }

    /// The outermost ones are facts, which a dialogue may use.
    fn scene_let(
        &mut self,
        item: &ast::Let,
        vars: &mut Vars,
        fact: bool,
    ) -> Option<(ScenePart, Type)> {
        self.checker.check_name(&item.name, "the name of a `let`");
        let lowered = self.lower(&item.value, vars);
        let ty = lowered.as_ref().map_or(Type::Unknown, |(_, ty)| ty.clone());
        match fact {
            true => vars.push(&item.name.text, ty.clone()),
            false => self.checker.inner_let(vars, &item.name, ty.clone()),
        }
        Some((ScenePart::Let(item.name.text.clone(), lowered?.0), ty))
    }

    fn draw(
        &mut self,
        shape: &Name,
        written: &[(Name, Expr)],
        place: Span,
        span: Span,
        vars: &Vars,
    ) -> Option<ScenePart> {
        let Some(form) = SHAPES.iter().find(|form| form.name == shape.text) else {
            let names: Vec<String> = SHAPES.iter().map(|form| format!("`{}`", form.name)).collect();
            let diagnostic = Diagnostic::error(
                Code::UNKNOWN_NAME,
                format!("there is no shape `{}`", shape.text),
            )
            .label(shape.span, "")
            .help(format!("shapes are {}", names.join(", ")))
            .did_you_mean(&shape.text, SHAPES.iter().map(|form| form.name));
            self.report(diagnostic);
            return None;
        };
        let mut fields: BTreeMap<String, Tree> = BTreeMap::new();
        for (name, value) in written {
            let Some((_, kind, _)) = form.fields.iter().find(|(known, ..)| *known == name.text)
            else {
                let diagnostic = Diagnostic::error(
                    Code::UNKNOWN_FIELD,
                    format!("`{}` has no `{}`", shape.text, name.text),
                )
                .label(name.span, "")
                .help(format!("it has {}", field_names(form.fields.iter().map(|(name, ..)| *name))))
                .did_you_mean(&name.text, form.fields.iter().map(|(name, ..)| *name));
                self.report(diagnostic);
                return None;
            };
            let tree = self.shape_field(*kind, value, vars)?;
            if fields.insert(name.text.clone(), tree).is_some() {
                self.report(
                    Diagnostic::error(
                        Code::DUPLICATE_NAME,
                        format!("the field `{}` is written twice", name.text),
                    )
                    .label(name.span, "second time"),
                );
                return None;
            }
        }
        let missing: Vec<&str> = form
            .fields
            .iter()
            .filter(|(name, _, needed)| *needed && !fields.contains_key(*name))
            .map(|(name, ..)| *name)
            .collect();
        if !missing.is_empty() {
            self.report(
                Diagnostic::error(
                    Code::BAD_ARGUMENT,
                    format!("`{}` needs {}", shape.text, field_names(missing.into_iter())),
                )
                .label(place, ""),
            );
            return None;
        }
        Some(ScenePart::Draw { shape: shape.text.clone(), fields, span })
    }

    fn shape_field(&mut self, kind: FieldKind, value: &Expr, vars: &Vars) -> Option<Tree> {
        let (tree, ty) = self.lower(value, vars)?;
        let (fits, wanted) = match kind {
            FieldKind::Int => (ty.is_number(), "a whole number"),
            FieldKind::Colour | FieldKind::Side => (ty.fits(&Type::Text), "a text"),
            FieldKind::Words => (ty.fits(&Type::Text) || ty.is_number(), "a text or a number"),
            FieldKind::Points => {
                let points = Type::list(Type::list(Type::Float));
                (ty.fits(&points), "a list of pairs such as `[[0, 0], [9, 0], [9, 9]]`")
            }
        };
        if !fits {
            let message = format!("{} where {wanted} is expected", noun(&ty));
            self.report(Diagnostic::error(Code::WRONG_TYPE, message).label(value.span, ""));
            return None;
        }
        let Ok(Value::Text(word)) = constant_value(&tree) else { return Some(tree) };
        let (known, words): (bool, Vec<&str>) = match kind {
            FieldKind::Colour => {
                (colour(&word).is_some(), COLOURS.iter().map(|(name, _)| *name).collect())
            }
            FieldKind::Side => {
                let sides = ["left", "middle", "right"];
                (sides.contains(&&*word), sides.to_vec())
            }
            _ => return Some(tree),
        };
        if !known {
            let what = if kind == FieldKind::Colour { "colour" } else { "side" };
            let diagnostic =
                Diagnostic::error(Code::BAD_ARGUMENT, format!("there is no {what} `{word}`"))
                    .label(value.span, "")
                    .help(format!("write {}", field_names(words.iter().copied())))
                    .did_you_mean(&word, words);
            self.report(diagnostic);
            return None;
        }
        Some(tree)
    }

    fn scene_question(
        &mut self,
        name: &Name,
        stmts: &[QuestionStmt],
        broken: bool,
        span: Span,
        vars: &Vars,
        outermost: bool,
    ) -> Option<ScenePart> {
        if !outermost {
            self.report(
                Diagnostic::error(Code::MISPLACED_STATEMENT, "a question within a loop")
                    .label(name.span, "")
                    .help(
                        "ask about the complete picture, outside of `for`; a `param` picks a member",
                    ),
            );
            return None;
        }
        let mut vars = vars.clone();
        let (mut body, mut ask, mut answer) = (Vec::new(), Vec::new(), None);
        for stmt in stmts {
            match &stmt.kind {
                QuestionStmtKind::Param(param) => {
                    body.push(self.scene_param(param, &mut vars)?.0);
                }
                QuestionStmtKind::Let(item) => body.push(self.scene_let(item, &mut vars, false)?.0),
                QuestionStmtKind::Ask(texts) => {
                    if !ask.is_empty() {
                        self.report_duplicate("ask", stmt.span);
                        return None;
                    }
                    ask = self.templates(texts, &vars, false, &mut BTreeSet::new());
                }
                QuestionStmtKind::Answer(text) => {
                    if answer.is_some() {
                        self.report_duplicate("answer", stmt.span);
                        return None;
                    }
                    self.template(text, &vars, false, &mut BTreeSet::new());
                    answer = Some(text.value.clone());
                }
            }
        }
        if let (false, Some(answer)) = (ask.is_empty(), answer) {
            let name = name.text.clone();
            return Some(ScenePart::Question { name, body, ask, answer, span });
        }
        if !broken {
            self.report(
                Diagnostic::error(
                    Code::MISSING_STATEMENT,
                    format!("the question `{}` needs `ask` and `answer`", name.text),
                )
                .label(name.span, "")
                .help("write `ask \"…\"` and `answer \"…\"`; both may use the names above"),
            );
        }
        None
    }

    fn report_duplicate(&mut self, word: &str, span: Span) {
        self.report(
            Diagnostic::error(Code::DUPLICATE_STATEMENT, format!("`{word}` occurs twice here"))
                .label(span, "second time"),
        );
    }
}

fn field_names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
