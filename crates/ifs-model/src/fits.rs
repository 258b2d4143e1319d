//! `require NAME fits SCHEMA`: a requirement for the complete JSON, and one for each field of the
//! schema.
//!
//! Each requirement checks the part of the schema that leads to its field, so none holds for a
//! response that is not JSON. Each one comes after the requirement of the enclosing field.

use super::dialogue::DialogueChecker;
use super::lower::constant_value;
use super::requirement::Requirements;
use super::table::{DecidedBy, TurnPart};
use super::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_predicate::functions::Func;
use ifs_predicate::schema::{
    ANNOTATION_KEYWORDS, KEYWORDS, Schema, UNSUPPORTED_KEYWORDS, is_unknown,
};
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;
use ifs_syntax::ast::{self, Expr, Name, Path};

/// The keywords of a schema.
type Keywords = Vec<(String, Tree)>;

/// The keyword for the tag of a field, which is ours and not JSON Schema's.
const TAG_KEYWORD: &str = "tag";

/// A step on the path to a field.
#[derive(Clone)]
enum PathStep {
    Field {
        name: String,
        required: bool,
    },
    /// Into each member of a list. An empty list has no fields to check, unless the schema allows
    /// that with these sizes.
    Members {
        may_be_empty: bool,
    },
}

/// A field, or the complete value.
struct SchemaPlace {
    name: Name,
    steps: Vec<PathStep>,
    keywords: Keywords,
    /// The enclosing field.
    of: Option<Name>,
}

impl DialogueChecker<'_, '_> {
    pub(super) fn fields(
        &mut self,
        require: &ast::Require,
        written: &Expr,
        says: Option<String>,
        vars: &Vars,
        seen: &mut Requirements,
    ) -> Option<Vec<TurnPart>> {
        // Drawn values are inserted into its descriptions.
        self.checker.fills_texts = true;
        let lowered = self.lowering().lower(written, vars);
        self.checker.fills_texts = false;
        let (tree, _) = lowered?;
        let keywords = self.schema(&tree, written.span)?;
        let after: Vec<String> = require.after.iter().map(Path::text).collect();
        let tags = self.checker.tags(&require.tags);
        let weight = self.weight_of(require, vars)?;
        let mut places = Vec::new();
        let root =
            SchemaPlace { name: require.name.clone(), steps: Vec::new(), keywords, of: None };
        places_of(root, &mut places);
        let mut parts = Vec::new();
        for place in &places {
            if let Some(of) = &place.of {
                seen.field(self, &place.name, of);
            }
            let mut tags = tags.clone();
            if let Some(tag) = constant(&place.keywords, TAG_KEYWORD) {
                let span =
                    keyword(&place.keywords, TAG_KEYWORD).map_or(place.name.span, |tree| tree.span);
                let path = path(&tag, span);
                for tag in self.checker.tags(&[path]) {
                    if !tags.contains(&tag) {
                        tags.push(tag);
                    }
                }
            }
            let described = constant(&place.keywords, "description");
            if let Some(value) = &described {
                let text =
                    ast::TextLiteral { value: value.clone(), span: written.span, block: false };
                self.check_template(&text, vars);
            }
            parts.push(TurnPart::Require {
                tagged: Vec::new(),
                weight: weight.clone(),
                name: place.name.text.clone(),
                by: DecidedBy::Rule(place.check()),
                says: described.or_else(|| says.clone().filter(|_| place.of.is_none())),
                after: place.of.as_ref().map_or_else(|| after.clone(), |of| vec![of.text.clone()]),
                tags,
            });
        }
        Some(parts)
    }

    /// The keywords of a schema that is a record, a text, or in a file.
    fn schema(&mut self, tree: &Tree, span: Span) -> Option<Keywords> {
        let mut tree = tree.clone();
        if let Ok(Value::Text(text)) = constant_value(&tree) {
            let text = match text.ends_with(".json") {
                true => self.lowering().schema_file(&text, span)?,
                false => text.to_string(),
            };
            match serde_json::from_str::<Value>(&text) {
                Ok(value) => tree.node = Node::Value(value),
                Err(error) => {
                    self.no_schema(span, &format!("the value is not JSON: {error}"), false);
                    return None;
                }
            }
        }
        let Some(keywords) = opened(&tree) else {
            let why = "its fields have to be known: a record, JSON as text, or the path of a \
                       `.json` file";
            self.no_schema(span, why, false);
            return None;
        };
        // Parts with drawn values are evaluated when they are drawn; the keywords are known here.
        let known = without_tags(&tree);
        match constant_value(&known) {
            Ok(value) => {
                if let Err(unfit) = Schema::from_value(&value) {
                    self.no_schema(span, &unfit.to_string(), unfit.why.contains("keyword"));
                    return None;
                }
            }
            Err(_) => {
                if let Some(keyword) =
                    keyword_where(&keywords, &|name| UNSUPPORTED_KEYWORDS.contains(&name))
                {
                    let why = format!("`{keyword}` is a keyword that is not supported");
                    self.no_schema(span, &why, true);
                    return None;
                }
            }
        }
        let unknown = keyword_where(&keywords, &|name| name != TAG_KEYWORD && is_unknown(name));
        self.lowering().unknown_keywords(unknown.as_slice(), span);
        Some(keywords)
    }

    fn no_schema(&mut self, span: Span, why: &str, keyword: bool) {
        let message = format!("not a JSON Schema: {why}");
        let mut diagnostic = Diagnostic::error(Code::BAD_SCHEMA, message).label(span, "");
        if keyword {
            let known = format!(
                "supported keywords are {} and {}; here also `tag`, a tag of the field",
                KEYWORDS.join(", "),
                ANNOTATION_KEYWORDS.join(", ")
            );
            diagnostic = diagnostic.help(known);
        }
        self.report(diagnostic);
    }
}

impl SchemaPlace {
    /// Checks that the response is JSON in which this field conforms to its schema.
    fn check(&self) -> Tree {
        let span = self.name.span;
        let made = |node| Tree::new(node, span);
        let value = |value| made(Node::Value(value));
        let mut schema = made(Node::Record(own_keywords(&self.keywords)));
        for step in self.steps.iter().rev() {
            let fields = match step {
                PathStep::Field { name, required } => {
                    let holder = made(Node::Record(vec![(name.clone(), schema)]));
                    let mut fields = vec![("properties".to_owned(), holder)];
                    if *required {
                        let names = Value::list([Value::text(name)]);
                        fields.push(("required".to_owned(), value(names)));
                    }
                    fields
                }
                PathStep::Members { may_be_empty } => {
                    let mut fields = vec![("items".to_owned(), schema)];
                    if !may_be_empty {
                        fields.push(("minItems".to_owned(), value(Value::Int(1))));
                    }
                    fields
                }
            };
            schema = made(Node::Record(fields));
        }
        made(Node::Call(Func::IS_JSON, vec![made(Node::It), schema]))
    }
}

/// A place and those below it, in schema order.
fn places_of(place: SchemaPlace, found: &mut Vec<SchemaPlace>) {
    let mut below = Vec::new();
    children(&place.keywords, &mut place.steps.clone(), &mut below);
    let of = place.name.clone();
    found.push(place);
    for (steps, field, keywords) in below {
        let text = format!("{}.{}", of.text, field.replace(char::is_whitespace, "_"));
        let name = Name { text, span: of.span };
        places_of(SchemaPlace { name, steps, keywords, of: Some(of.clone()) }, found);
    }
}

/// The fields that a schema names, of the value itself or of the members of a list.
fn children(
    keywords: &Keywords,
    steps: &mut Vec<PathStep>,
    found: &mut Vec<(Vec<PathStep>, String, Keywords)>,
) {
    let required = string_list(keywords, "required");
    for (name, schema) in keyword(keywords, "properties").and_then(opened).unwrap_or_default() {
        // `true` and `false` are schemas as well.
        let keywords = opened(&schema).unwrap_or_default();
        let mut steps = steps.clone();
        steps.push(PathStep::Field { name: name.clone(), required: required.contains(&name) });
        found.push((steps, name, keywords));
    }
    if let Some(items) = keyword(keywords, "items").and_then(opened) {
        let least = keyword(keywords, "minItems").and_then(|tree| constant_value(tree).ok());
        steps.push(PathStep::Members { may_be_empty: least == Some(Value::Int(0)) });
        children(&items, steps, found);
        steps.pop();
    }
}

/// The schema of a value without the schemas of its fields.
fn own_keywords(keywords: &Keywords) -> Keywords {
    let fields = keyword(keywords, "properties").and_then(opened).unwrap_or_default();
    let closed = keyword(keywords, "additionalProperties").is_some();
    let mut own = Keywords::new();
    for (name, tree) in keywords {
        let made = |node| Tree::new(node, tree.span);
        match name.as_str() {
            TAG_KEYWORD => {}
            name if ANNOTATION_KEYWORDS.contains(&name) => {}
            // Only these keywords say which other fields may exist.
            "properties" if closed => {
                let any = |(name, _): &(String, Tree)| {
                    (name.clone(), made(Node::Value(Value::Bool(true))))
                };
                let all = fields.iter().map(any).collect();
                own.push((name.clone(), made(Node::Record(all))));
            }
            "properties" => {}
            "required" => {
                let all = string_list(keywords, "required");
                let rest = all.iter().filter(|one| fields.iter().all(|(name, _)| name != *one));
                let rest: Vec<Value> = rest.map(|name| Value::text(name)).collect();
                if !rest.is_empty() {
                    own.push((name.clone(), made(Node::Value(Value::list(rest)))));
                }
            }
            "items" => match opened(tree) {
                Some(items) => {
                    own.push((name.clone(), made(Node::Record(self::own_keywords(&items)))))
                }
                None => own.push((name.clone(), tree.clone())),
            },
            _ => own.push((name.clone(), tree.clone())),
        }
    }
    own
}

/// The schema without our own keyword.
fn without_tags(tree: &Tree) -> Tree {
    let Some(keywords) = opened(tree) else { return tree.clone() };
    let plain = |(name, tree): (String, Tree)| match name.as_str() {
        "properties" => {
            let fields = opened(&tree).unwrap_or_default().into_iter();
            let fields = fields.map(|(name, schema)| (name, without_tags(&schema))).collect();
            (name, Tree::new(Node::Record(fields), tree.span))
        }
        "items" => (name, without_tags(&tree)),
        _ => (name, tree),
    };
    let keywords =
        keywords.into_iter().filter(|(name, _)| name != TAG_KEYWORD).map(plain).collect();
    Tree::new(Node::Record(keywords), tree.span)
}

fn keyword_where(keywords: &Keywords, is: &dyn Fn(&str) -> bool) -> Option<String> {
    let within = |name: &str, tree: &Tree| match name {
        "properties" => opened(tree)?
            .iter()
            .find_map(|(_, schema)| keyword_where(&opened(schema).unwrap_or_default(), is)),
        "items" => keyword_where(&opened(tree)?, is),
        _ => None,
    };
    keywords.iter().find_map(|(name, tree)| match is(name) {
        true => Some(name.clone()),
        false => within(name, tree),
    })
}

/// The fields of a record, as trees.
fn opened(tree: &Tree) -> Option<Keywords> {
    match &tree.node {
        Node::Record(fields) => Some(fields.clone()),
        Node::Value(Value::Record(fields)) => {
            let field = |(name, value): (&str, &Value)| {
                (name.to_owned(), Tree::new(Node::Value(value.clone()), tree.span))
            };
            Some(fields.iter().map(field).collect())
        }
        _ => None,
    }
}

fn keyword<'a>(keywords: &'a Keywords, name: &str) -> Option<&'a Tree> {
    keywords.iter().find(|(known, _)| known == name).map(|(_, tree)| tree)
}

/// The text of a keyword with a constant text.
fn constant(keywords: &Keywords, name: &str) -> Option<String> {
    match constant_value(keyword(keywords, name)?) {
        Ok(Value::Text(text)) => Some(text.to_string()),
        _ => None,
    }
}

fn string_list(keywords: &Keywords, name: &str) -> Vec<String> {
    let value = keyword(keywords, name).and_then(|tree| constant_value(tree).ok());
    let Some(Value::List(names)) = value else { return Vec::new() };
    names.iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect()
}

/// A tag in the notation of a requirement.
fn path(text: &str, span: Span) -> Path {
    let names = text.split('.').map(|name| Name { text: name.to_owned(), span }).collect();
    Path { names, span }
}
