//! The names of a file: where they are declared, and where they are used. Which rule of the grammar
//! declares what is the table [`DECLARING`]; the rest follows from the nodes of the file.

use std::ops::Range;
use std::sync::Arc;

use ifs_parts::template::{TemplateUse, outline};
use ifs_syntax::{SyntaxNode, nodes};

macro_rules! name_kinds {
    ($($kind:ident $noun:literal)*) => {
        /// What a declared name is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum NameKind {
            $($kind,)*
        }

        impl NameKind {
            pub fn noun(self) -> &'static str {
                match self {
                    $(NameKind::$kind => $noun,)*
                }
            }
        }
    };
}

name_kinds! {
    Alias "another name"
    Column "a column"
    Constraint "a constraint"
    Dialogue "a dialogue"
    Feed "a feed"
    Flow "a flow"
    Function "a function"
    Group "a group"
    Import "an import"
    Let "a constant"
    Metric "a metric"
    Observation "an observation"
    Parameter "a parameter"
    Part "a part of the response"
    Question "a question"
    Record "a record"
    Release "a release"
    Requirement "a requirement"
    Scene "a scene"
    Split "a split"
    Tag "a tag"
    Turn "a turn"
    Variable "a variable"
    Variant "a variant"
}

impl NameKind {
    /// Whether a name alone may refer to it wherever it is in scope. The others are referred to by
    /// statements of their own, or not at all.
    fn is_general(self) -> bool {
        !matches!(
            self,
            NameKind::Turn
                | NameKind::Tag
                | NameKind::Requirement
                | NameKind::Variant
                | NameKind::Question
                | NameKind::Split
        )
    }

    /// Whether it has a value in expressions.
    pub fn is_value(self) -> bool {
        matches!(
            self,
            NameKind::Column
                | NameKind::Feed
                | NameKind::Import
                | NameKind::Let
                | NameKind::Observation
                | NameKind::Parameter
                | NameKind::Part
                | NameKind::Record
                | NameKind::Variable
        )
    }
}

/// Where a name is known.
#[derive(Clone, Copy)]
enum Home {
    /// In the file.
    File,
    /// In the block around its statement.
    Around,
    /// In the statement itself.
    Own,
    /// In the item that it is part of.
    Item,
}

/// The rules whose first label is a new name.
const DECLARING: [(&str, NameKind, Home); 29] = [
    ("binder", NameKind::Variable, Home::Around),
    ("column", NameKind::Column, Home::Around),
    ("constraint", NameKind::Constraint, Home::Around),
    ("def", NameKind::Function, Home::File),
    ("def_param", NameKind::Parameter, Home::Around),
    ("dialogue", NameKind::Dialogue, Home::File),
    ("feed", NameKind::Feed, Home::File),
    ("flow", NameKind::Flow, Home::File),
    ("for_stmt", NameKind::Variable, Home::Own),
    ("group", NameKind::Group, Home::File),
    ("import", NameKind::Import, Home::File),
    ("let_item", NameKind::Let, Home::Around),
    ("metric", NameKind::Metric, Home::File),
    ("observe", NameKind::Observation, Home::Item),
    ("over", NameKind::Record, Home::Around),
    ("param", NameKind::Parameter, Home::Around),
    ("part", NameKind::Part, Home::Item),
    ("question", NameKind::Question, Home::Around),
    ("release", NameKind::Release, Home::File),
    ("require", NameKind::Requirement, Home::Item),
    ("scene", NameKind::Scene, Home::File),
    ("scene_for", NameKind::Variable, Home::Own),
    ("simulate", NameKind::Alias, Home::Own),
    ("split", NameKind::Split, Home::File),
    ("tag_node", NameKind::Tag, Home::File),
    ("tag_root", NameKind::Tag, Home::File),
    ("turn", NameKind::Turn, Home::Item),
    ("use_item", NameKind::Alias, Home::File),
    ("variant", NameKind::Variant, Home::Around),
];

/// The rules that names are local to.
const SCOPES: [&str; 14] = [
    "constraint",
    "def",
    "dialogue",
    "feed",
    "flow",
    "for_stmt",
    "group",
    "metric",
    "quantified",
    "question",
    "scene",
    "scene_for",
    "turn",
    "variant",
];

#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    pub name: Range<usize>,
    pub kind: NameKind,
    /// The node of its statement.
    pub node: usize,
    /// The node that it is local to; none if the file knows it.
    pub scope: Option<usize>,
}

/// What a use refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UseKind {
    /// Whatever is in scope.
    General,
    Turn,
    Tag,
    /// Of the item, in `after` and for weights.
    Requirement,
    /// A parameter of the function, constraint or test that another use names.
    ParameterOf(usize),
    /// A member of the module, group, scene or tag that another use names.
    MemberOf(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct NameUse {
    pub name: Range<usize>,
    pub kind: UseKind,
    pub node: usize,
}

/// A file of templates that a text is read from.
#[derive(Clone, Debug)]
pub(crate) struct TemplateFile {
    /// As written, relative to the file.
    pub path: String,
    pub node: usize,
}

#[derive(Debug)]
pub(crate) struct FileIndex {
    pub text: Arc<String>,
    pub nodes: Vec<SyntaxNode>,
    pub declarations: Vec<Declaration>,
    pub uses: Vec<NameUse>,
    pub templates: Vec<TemplateFile>,
    /// Imported files of the language: the declaration, and the path as written.
    pub imports: Vec<(usize, String)>,
}

impl FileIndex {
    pub fn new(text: Arc<String>) -> FileIndex {
        let nodes = nodes(&text);
        let mut index = FileIndex {
            text,
            nodes,
            declarations: Vec::new(),
            uses: Vec::new(),
            templates: Vec::new(),
            imports: Vec::new(),
        };
        for node in 0..index.nodes.len() {
            index.declare(node);
            index.use_names(node);
        }
        index
    }

    pub fn word(&self, range: &Range<usize>) -> &str {
        self.text.get(range.clone()).unwrap_or("")
    }

    pub fn node_text(&self, node: usize) -> &str {
        self.text.get(self.range(node)).unwrap_or("")
    }

    pub fn range(&self, node: usize) -> Range<usize> {
        self.nodes[node].start..self.nodes[node].end
    }

    /// The parts of a node, without their parts.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.nodes[node].next;
        let mut next = node + 1;
        std::iter::from_fn(move || {
            let child = (next < end).then_some(next)?;
            next = self.nodes[child].next;
            Some(child)
        })
    }

    pub fn child(&self, node: usize, rule: &str) -> Option<usize> {
        self.children(node).find(|child| self.nodes[*child].rule == rule)
    }

    /// A node and the nodes around it, innermost first.
    pub fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(node), |node| self.nodes[*node].parent)
    }

    /// The innermost node around an offset.
    pub fn node_at(&self, offset: usize) -> Option<usize> {
        let mut at = 0;
        let mut innermost = None;
        while at < self.nodes.len() {
            let node = &self.nodes[at];
            if node.start <= offset && offset <= node.end {
                innermost = Some(at);
                at += 1;
            } else {
                at = node.next;
            }
        }
        innermost
    }

    /// The item that a node is part of.
    fn item(&self, node: usize) -> Option<usize> {
        self.ancestors(node).filter(|node| self.nodes[*node].parent.is_some()).last()
    }

    fn scope_around(&self, node: usize) -> Option<usize> {
        self.ancestors(node).skip(1).find(|node| SCOPES.contains(&self.nodes[*node].rule))
    }

    fn declare(&mut self, node: usize) {
        let rule = self.nodes[node].rule;
        let Some((_, kind, home)) = DECLARING.iter().find(|(declaring, ..)| *declaring == rule)
        else {
            return;
        };
        let is_name = |child: &usize| matches!(self.nodes[*child].rule, "label" | "turn_name");
        let names: Vec<usize> = self.children(node).filter(is_name).collect();
        // `simulate SPORT N as NAME`: the first label is not a new name.
        let Some(named) = names.get(usize::from(rule == "simulate")).copied() else { return };
        let scope = match home {
            Home::File => None,
            Home::Around => self.scope_around(node),
            Home::Own => Some(node),
            Home::Item => self.item(node),
        };
        let name = self.range(named);
        self.declarations.push(Declaration { name, kind: *kind, node, scope });
        let written = self.child(node, "string").map(|path| self.node_text(path).trim_matches('"'));
        let imported = written.filter(|path| rule == "import" && path.ends_with(".ifs"));
        if let Some(path) = imported.map(str::to_owned) {
            self.imports.push((self.declarations.len() - 1, path));
        }
    }

    fn push_use(&mut self, named: usize, kind: UseKind) {
        let (name, node) = (self.range(named), named);
        self.uses.push(NameUse { name, kind, node });
    }

    fn use_names(&mut self, node: usize) {
        match self.nodes[node].rule {
            "name" => self.push_use(node, UseKind::General),
            "call" | "method" | "evolve_list" => {
                if let Some(label) = self.child(node, "label") {
                    self.push_use(label, UseKind::General);
                }
            }
            "path" => self.use_path(node),
            "relation" => self.use_labels(node, UseKind::Turn),
            "weighed" => self.use_labels(node, UseKind::Tag),
            "order" | "report" => self.use_labels(node, UseKind::General),
            "arg" | "given_arg" => self.use_argument(node),
            "string" => self.use_template(node),
            _ => {}
        }
    }

    fn use_labels(&mut self, node: usize, kind: UseKind) {
        let labels = self.children(node).filter(|child| self.nodes[*child].rule == "label");
        for label in labels.collect::<Vec<_>>() {
            self.push_use(label, kind);
        }
    }

    fn use_path(&mut self, node: usize) {
        let list = |rule: &str| matches!(rule, "path" | "paths" | "require_tag" | "require_tags");
        let user = self.ancestors(node).map(|node| self.nodes[node].rule).find(|rule| !list(rule));
        let in_tags = self.ancestors(node).any(|node| self.nodes[node].rule == "require_tag");
        let mut kind = match user {
            _ if in_tags => UseKind::Tag,
            Some("tag_stmt") => UseKind::Tag,
            Some("after") => UseKind::Requirement,
            _ => UseKind::General,
        };
        let labels: Vec<usize> = self.children(node).collect();
        for label in labels {
            self.push_use(label, kind);
            // A path of tags is the ending of one: each of its names is looked up.
            if kind != UseKind::Tag {
                kind = UseKind::MemberOf(self.uses.len() - 1);
            }
        }
    }

    /// `NAME: VALUE` among the arguments of something that a use before it names.
    fn use_argument(&mut self, node: usize) {
        let Some(label) = self.child(node, "label") else { return };
        let owner = self.ancestors(node).skip(1).find(|node| {
            matches!(
                self.nodes[*node].rule,
                "call" | "method" | "impose_given" | "test" | "test_here" | "alias"
            )
        });
        let Some(owner) = owner else { return };
        match self.nodes[owner].rule {
            "test_here" => self.push_use(label, UseKind::General),
            // The names of published arguments are not names of the scenario.
            "alias" => {}
            _ => {
                let inside = |used: &NameUse| self.nodes[owner].start <= used.name.start;
                let first = self.uses.iter().position(inside);
                // The last name of a path is what is called.
                let called = first.map(|first| {
                    let of_path = |at: &usize| {
                        matches!(self.uses[*at].kind, UseKind::MemberOf(before) if before + 1 == *at)
                    };
                    first + (first + 1..self.uses.len()).take_while(of_path).count()
                });
                if let Some(called) = called {
                    self.push_use(label, UseKind::ParameterOf(called));
                }
            }
        }
    }

    fn use_template(&mut self, node: usize) {
        let literal = self.node_text(node).to_owned();
        let names_file = self.nodes[node].parent.is_some_and(|parent| {
            let has = |word: &str| self.child(parent, word).is_some();
            has("k_template") || has("k_rubric") && has("k_by")
        });
        if names_file {
            let path = literal.trim_matches('"').to_owned();
            self.templates.push(TemplateFile { path, node });
            return;
        }
        let start = self.nodes[node].start;
        for name in template_names(&literal) {
            let name = start + name.start..start + name.end;
            self.uses.push(NameUse { name, kind: UseKind::General, node });
        }
    }

    /// The declarations that a node sees, by their numbers: innermost first, those of the file last.
    pub fn in_scope(&self, node: Option<usize>) -> Vec<usize> {
        let scopes = node.into_iter().flat_map(|node| self.ancestors(node)).map(Some);
        let known = |scope: Option<usize>| {
            let here = self.declarations.iter().enumerate();
            here.filter(move |(_, declared)| declared.scope == scope).map(|(at, _)| at)
        };
        scopes.chain([None]).flat_map(known).collect()
    }

    /// The declaration that a use refers to by scope.
    pub fn look_up(&self, used: &NameUse) -> Option<usize> {
        self.look_up_from(self.word(&used.name), Some(used.node), used.name.start, used.kind)
    }

    pub fn look_up_from(
        &self,
        name: &str,
        node: Option<usize>,
        offset: usize,
        kind: UseKind,
    ) -> Option<usize> {
        let may_be = |declared: &Declaration| match kind {
            UseKind::General => declared.kind.is_general(),
            UseKind::Turn => declared.kind == NameKind::Turn,
            UseKind::Requirement => declared.kind == NameKind::Requirement,
            UseKind::Tag => matches!(
                declared.kind,
                NameKind::Tag | NameKind::Group | NameKind::Constraint | NameKind::Requirement
            ),
            UseKind::ParameterOf(_) | UseKind::MemberOf(_) => false,
        };
        let scopes = node.into_iter().flat_map(|node| self.ancestors(node)).map(Some);
        for scope in scopes.chain([None]) {
            let here = self.declarations.iter().enumerate().filter(|(_, declared)| {
                declared.scope == scope && may_be(declared) && self.word(&declared.name) == name
            });
            let here: Vec<(usize, &Declaration)> = here.collect();
            // Of several turns with a `part` of this name, the last one before the use.
            let before = here.iter().rev().find(|(_, declared)| declared.name.start <= offset);
            if let Some((found, _)) = before.or(here.first()) {
                return Some(*found);
            }
        }
        None
    }

    /// A declaration in the scope of a node, or of the file.
    pub fn member(&self, scope: Option<usize>, name: &str) -> Option<usize> {
        self.declarations
            .iter()
            .position(|declared| declared.scope == scope && self.word(&declared.name) == name)
    }

    /// The doc comment of a declaration.
    pub fn docs(&self, declared: &Declaration) -> String {
        let around = self.ancestors(declared.node).find_map(|node| {
            let docs = self.child(node, "docs")?;
            // Those of the statement itself, not of the block around it.
            (self.nodes[node].end <= self.nodes[declared.node].end).then_some(docs)
        });
        let Some(docs) = around else { return String::new() };
        let lines = self.node_text(docs).lines().map(str::trim);
        let lines: Vec<&str> =
            lines.filter_map(|line| line.strip_prefix("///")).map(str::trim).collect();
        lines.join("\n")
    }
}

/// The names in a template that refer to the scenario: of a path the first one, and of `old.NAME` the
/// second.
pub(crate) fn template_names(text: &str) -> Vec<Range<usize>> {
    let uses = outline(text);
    let mut local: Vec<&str> = Vec::new();
    for one in &uses {
        match one {
            TemplateUse::For { members, .. } => local.extend(members.iter().map(String::as_str)),
            TemplateUse::Set { name, .. } => local.push(name),
            TemplateUse::Name { .. } | TemplateUse::EndFor | TemplateUse::Unknown { .. } => {}
        }
    }
    let names = uses.iter().filter_map(|one| match one {
        TemplateUse::Name { path, range, .. } => Some((path, *range)),
        TemplateUse::For { list: Some(path), range, .. } => Some((path, *range)),
        _ => None,
    });
    let places = names.filter_map(|(path, (start, end))| {
        let first = path.first().filter(|first| !local.contains(&first.as_str()))?;
        let (name, from) = match path.get(1) {
            Some(second) if first == "old" => (second, start + first.len()),
            _ => (first, start),
        };
        let at = text.get(from..end)?.find(name.as_str())? + from;
        Some(at..at + name.len())
    });
    let mut places: Vec<Range<usize>> = places.collect();
    places.sort_by_key(|place| (place.start, place.end));
    places.dedup();
    places
}
