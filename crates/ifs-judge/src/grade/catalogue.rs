//! The constraints that rows may name: those of the library, and those of scenarios.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use super::measures;
use super::row::{GradeRow, RowError, RowVariables};
use ifs_base::diagnostic::{Code, closest};
use ifs_base::world::MemoryWorld;
use ifs_model::allowed::unknown_language;
use ifs_model::table::{Alias, Constraint, DecidedBy, Domain, Param};
use ifs_model::{LIBRARY, SemanticModel, check, conform};
use ifs_predicate::closed::compared_with_language;
use ifs_predicate::evaluate::{TextContext, Variables as _, evaluate};
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::types::Type;
use ifs_predicate::value::Value;
use ifs_text::Text;

/// A constraint with the information that grading needs.
struct CatalogueEntry {
    /// `std.ifeval.length_constraints.number_words`, or without `std.` in a scenario.
    name: Arc<str>,
    /// The name of its group, in the same form.
    group: Arc<str>,
    constraint: Constraint,
    measures: Vec<(String, Tree)>,
    /// Parameters that the check compares with fixed texts.
    steered: Vec<String>,
    /// Parameters that the check compares with the language of the response.
    languages: BTreeSet<String>,
    /// The facts of the turn that the check refers to, with their fields in a row.
    needs: Vec<(TurnFact, &'static str)>,
}

/// Looks up constraints by name. The library is read module by module, on demand.
pub struct Catalogue {
    library: Vec<(&'static str, OnceLock<Vec<CatalogueEntry>>)>,
    scenarios: Vec<CatalogueEntry>,
    aliases: OnceLock<BTreeMap<String, Vec<(usize, usize)>>>,
}

/// A constraint with its arguments, ready to be evaluated on responses.
pub struct BoundConstraint<'c> {
    entry: &'c CatalogueEntry,
    pub args: Vec<(String, Value)>,
}

impl BoundConstraint<'_> {
    pub fn name(&self) -> &str {
        &self.entry.name
    }

    pub(super) fn shared_name(&self) -> Arc<str> {
        self.entry.name.clone()
    }

    pub(super) fn shared_group(&self) -> Arc<str> {
        self.entry.group.clone()
    }

    pub fn constraint(&self) -> &Constraint {
        &self.entry.constraint
    }

    pub(super) fn measures(&self) -> &[(String, Tree)] {
        &self.entry.measures
    }

    /// Whether the constraint needs a judge.
    pub(super) fn is_judged(&self) -> bool {
        matches!(self.entry.constraint.by, DecidedBy::Judge(_))
    }

    /// Checks that the row has the facts that the check refers to.
    pub(super) fn answerable(&self, facts: &RowVariables<'_>) -> Result<(), RowError> {
        match self.entry.needs.iter().find(|(fact, _)| facts.fact(*fact).is_none()) {
            None => Ok(()),
            Some((fact, field)) => Err(RowError::new(
                Code::BAD_ROW,
                format!("`{}` needs `{}`, which the row does not have", self.name(), fact.name()),
            )
            .help(format!("give the row the field `{field}`"))),
        }
    }
}

impl Catalogue {
    /// The library, preceded by the constraints of these scenarios.
    pub fn new(scenarios: impl IntoIterator<Item = SemanticModel>) -> Catalogue {
        Catalogue {
            library: LIBRARY.iter().map(|(name, _)| (*name, OnceLock::new())).collect(),
            scenarios: scenarios.into_iter().flat_map(|model| entries(model, "")).collect(),
            aliases: OnceLock::new(),
        }
    }

    /// The constraints of a row; there must be at least one, or every response would pass.
    pub(super) fn bind_constraints(
        &self,
        row: &GradeRow<'_>,
    ) -> Result<Vec<BoundConstraint<'_>>, RowError> {
        let wanted = self.all_wanted(row)?;
        if wanted.is_empty() {
            return Err(RowError::new(Code::BAD_ROW, "the row's list of constraints is empty")
                .help("leave out rows without constraints"));
        }
        Ok(wanted)
    }

    fn all_wanted(&self, row: &GradeRow<'_>) -> Result<Vec<BoundConstraint<'_>>, RowError> {
        let ids = row.published();
        match (&row.constraint, &row.constraints, &ids) {
            (Some(name), None, None) => Ok(vec![self.named(name, row.args.as_ref())?]),
            (None, Some(list), None) => {
                list.iter().map(|one| self.named(&one.constraint, one.args.as_ref())).collect()
            }
            (None, None, Some(names)) => {
                let none = Value::record::<&str>([]);
                let given = row.kwargs.as_deref().unwrap_or(&[]);
                if !given.is_empty() && given.len() != names.len() {
                    let (names, given) = (names.len(), given.len());
                    return Err(RowError::new(
                        Code::BAD_ROW,
                        format!("{names} names in `instruction_id_list`, {given} in `kwargs`"),
                    )
                    .help("`kwargs` has a record for each name, in the same order"));
                }
                let given = given.iter().chain(std::iter::repeat(&none)).zip(names);
                given
                    .map(|(given, (name, own))| self.known_as(name, own.unwrap_or(given)))
                    .collect()
            }
            (None, None, None) => Err(RowError::new(Code::BAD_ROW, "the row names no constraint")
                .help("give it as `constraint` with `args`, or several as `constraints`")),
            _ => Err(RowError::new(Code::BAD_ROW, "the row names its constraints in two ways")
                .help("keep one of `constraint`, `constraints` and `instruction_id_list`")),
        }
    }

    fn named(&self, name: &str, args: Option<&Value>) -> Result<BoundConstraint<'_>, RowError> {
        let entry = self.find(name)?;
        let none = Value::record::<&str>([]);
        let args = args.filter(|args| **args != Value::Nothing).unwrap_or(&none);
        let Value::Record(given) = args else {
            return Err(RowError::new(Code::BAD_ROW, "`args` is not a record")
                .help("write the arguments by their names: `\"args\": {\"n\": 50}`"));
        };
        let params = &entry.constraint.params;
        let known = |name: &str| params.iter().any(|param| param.name == name);
        if let Some(extra) = given.names().iter().find(|name| !known(name)) {
            let names = params.iter().map(|param| param.name.as_str());
            let error = RowError::new(
                Code::BAD_ARGUMENT,
                format!("`{}` has no parameter `{extra}`", entry.name),
            );
            return Err(with_suggestion(error, extra, names));
        }
        BoundConstraint::new(entry, |param| Ok(given.get(&param.name).cloned()))
    }

    fn find(&self, name: &str) -> Result<&CatalogueEntry, RowError> {
        let in_library = name.strip_prefix("std.").and_then(|rest| rest.split_once('.'));
        let (known, module) = match in_library {
            None => (self.scenarios.as_slice(), None),
            Some((module, _)) => match self.library.iter().position(|(name, _)| *name == module) {
                Some(at) => (self.module(at), Some(module)),
                None => {
                    let modules = self.library.iter().map(|(name, _)| *name);
                    let error = RowError::new(
                        Code::UNKNOWN_NAME,
                        format!("the library has no module `{module}`"),
                    );
                    return Err(with_suggestion(error, module, modules));
                }
            },
        };
        known.iter().find(|entry| *entry.name == *name).ok_or_else(|| {
            let error =
                RowError::new(Code::UNKNOWN_NAME, format!("there is no constraint `{name}`"));
            if known.is_empty() && module.is_none() {
                return error.help(
                    "names of the library begin with `std.`; those of a scenario need `--with FILE`",
                );
            }
            // Without a group, the only constraint with this name.
            let last = |name: &str| name.rsplit('.').next().map(str::to_owned);
            let own = known.iter().find(|entry| last(&entry.name) == last(name));
            match own {
                Some(entry) => error.help(format!("did you mean `{}`?", entry.name)),
                None => with_suggestion(error, name, known.iter().map(|entry| &*entry.name)),
            }
        })
    }

    /// A constraint by its name in published data.
    fn known_as(&self, name: &str, given: &Value) -> Result<BoundConstraint<'_>, RowError> {
        let aliases = self.aliases.get_or_init(|| self.all_aliases());
        let places = aliases.get(name).map(Vec::as_slice).unwrap_or(&[]);
        let variables = [("given", given.clone())];
        let nothing = Text::new("");
        let scene = TextContext { it: &nothing, variables: &variables };
        let meant_here = |alias: &Alias| match &alias.condition {
            None => true,
            Some(condition) => evaluate(condition, &scene) == Ok(Value::Bool(true)),
        };
        let mut found = places.iter().filter_map(|(entry, alias)| {
            let entry = self.entry(*entry)?;
            let alias = entry.constraint.aliases.get(*alias)?;
            meant_here(alias).then_some((entry, alias))
        });
        let Some((entry, alias)) = found.next() else {
            let error = RowError::new(
                Code::UNKNOWN_NAME,
                match places {
                    [] => format!("no constraint has the alias `{name}`"),
                    _ => {
                        format!("no constraint with the alias `{name}` matches these arguments")
                    }
                },
            );
            return Err(with_suggestion(error, name, aliases.keys().map(String::as_str)));
        };
        if let Some((other, _)) = found.next() {
            return Err(RowError::new(
                Code::DUPLICATE_NAME,
                format!("`{name}` may be `{}` or `{}`", entry.name, other.name),
            )
            .help("name one of them in a row with `constraint`"));
        }
        let known = entry.constraint.published_arguments(alias);
        let given_names = match given {
            Value::Record(fields) if !entry.constraint.takes_any_argument() => {
                fields.iter().collect()
            }
            _ => Vec::new(),
        };
        // Absent arguments are often null in published data.
        let mut extra = given_names.into_iter().filter(|(_, value)| **value != Value::Nothing);
        if let Some((extra, _)) = extra.find(|(name, _)| !known.contains(name)) {
            let message = format!("`{name}` has no argument `{extra}`");
            return Err(RowError::new(Code::BAD_ARGUMENT, message).help(match known.as_slice() {
                [] => "it has no arguments; only null members are ignored".to_owned(),
                known => format!("its arguments are `{}`", known.join("`, `")),
            }));
        }
        BoundConstraint::new(entry, |param| {
            match alias.args.iter().find(|(name, _)| *name == param.name) {
                None => Ok(given.field(&param.name).cloned()),
                Some((_, tree)) => match evaluate(tree, &scene) {
                    Ok(value) => Ok(Some(value)),
                    Err(fault) => Err(RowError::new(
                        Code::BAD_ARGUMENT,
                        format!("`{}` of `{name}`: {}", param.name, fault.message),
                    )),
                },
            }
        })
    }

    /// An entry by index: those of scenarios, then those of the library.
    fn entry(&self, at: usize) -> Option<&CatalogueEntry> {
        let library = (0..self.library.len()).flat_map(|module| self.module(module));
        self.scenarios.iter().chain(library).nth(at)
    }

    /// All aliases. An alias of a scenario hides one of the library.
    fn all_aliases(&self) -> BTreeMap<String, Vec<(usize, usize)>> {
        let mut aliases: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
        let library = (0..self.library.len()).flat_map(|module| self.module(module));
        for (at, entry) in self.scenarios.iter().chain(library).enumerate() {
            for (which, alias) in entry.constraint.aliases.iter().enumerate() {
                let places = aliases.entry(alias.name.clone()).or_default();
                let hidden = at >= self.scenarios.len()
                    && places.first().is_some_and(|(first, _)| *first < self.scenarios.len());
                if !hidden {
                    places.push((at, which));
                }
            }
        }
        aliases
    }

    fn module(&self, at: usize) -> &[CatalogueEntry] {
        let Some((name, read)) = self.library.get(at) else { return &[] };
        read.get_or_init(|| {
            let text = LIBRARY.get(at).map_or("", |(_, text)| *text);
            let checked = check(&MemoryWorld::new([("main.ifs", text)]), "main.ifs");
            // Tests ensure that the library has no mistakes (tests/suite/library.rs).
            entries(checked.model.unwrap_or_default(), &format!("std.{name}."))
        })
    }
}

impl<'c> BoundConstraint<'c> {
    fn new(
        entry: &'c CatalogueEntry,
        given: impl Fn(&Param) -> Result<Option<Value>, RowError>,
    ) -> Result<BoundConstraint<'c>, RowError> {
        let constraint = &entry.constraint;
        let mut args: Vec<(String, Value)> = Vec::with_capacity(constraint.params.len());
        for param in &constraint.params {
            let value =
                given(param)?.filter(|value| *value != Value::Nothing).ok_or_else(|| {
                    RowError::new(
                        Code::BAD_ARGUMENT,
                        format!("`{}` needs the argument `{}`", entry.name, param.name),
                    )
                })?;
            let value =
                conform(whole(value, &param.ty), &param.ty).map_err(|(field, message)| {
                    let at =
                        if field.is_empty() { String::new() } else { format!(", field `{field}`") };
                    RowError::new(
                        Code::WRONG_TYPE,
                        format!("`{}` of `{}`{at}: {message}", param.name, entry.name),
                    )
                })?;
            if entry.steered.contains(&param.name) {
                check_domain(&entry.name, param, &value, &args)?;
            }
            if entry.languages.contains(&param.name)
                && let Some(wanted) = unknown_language(&value)
            {
                let message = format!("`{}` of `{}` is never `{value}`", param.name, entry.name);
                return Err(RowError::new(Code::BAD_ARGUMENT, message)
                    .help(format!("`{}` is {wanted}", param.name)));
            }
            args.push((param.name.clone(), value));
        }
        Ok(BoundConstraint { entry, args })
    }
}

/// If a check distinguishes texts of a parameter, any other text is a mistake: the check would
/// treat it like its last `else`.
fn check_domain(
    constraint: &str,
    param: &Param,
    value: &Value,
    before: &[(String, Value)],
) -> Result<(), RowError> {
    let Value::Text(text) = value else { return Ok(()) };
    let nothing = Text::new("");
    let scene = TextContext { it: &nothing, variables: &before };
    let choices: Vec<Value> = match &param.domain {
        Domain::OneOf(list) => match evaluate(list, &scene) {
            Ok(Value::List(members)) => members.to_vec(),
            // It depends on something that rows do not have, such as the topic.
            _ => return Ok(()),
        },
        Domain::Choices(choices) => {
            choices.iter().filter_map(|(tree, _)| evaluate(tree, &scene).ok()).collect()
        }
        Domain::Int { .. }
        | Domain::Float { .. }
        | Domain::Some { .. }
        | Domain::Window { .. }
        | Domain::Scene(_)
        | Domain::Given => return Ok(()),
    };
    if choices.is_empty() || choices.contains(value) {
        return Ok(());
    }
    let error = RowError::new(
        Code::BAD_ARGUMENT,
        format!("`{}` of `{constraint}` is never `{text}`", param.name),
    );
    let known: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
    Err(match known.len() {
        0..=9 => error.help(format!("it is one of: {}", known.join(", "))),
        _ => with_suggestion(error, text, known.iter().copied()),
    })
}

/// Some writers of JSON write every number as a fraction: `300.0` is the integer 300.
fn whole(value: Value, ty: &Type) -> Value {
    match value {
        Value::Float(number) if *ty == Type::Int && libm::trunc(number) == number => {
            Value::Int(number as i64)
        }
        value => value,
    }
}

fn entries(model: SemanticModel, prefix: &str) -> Vec<CatalogueEntry> {
    let constraints = model.groups.into_iter().flat_map(|group| {
        let name: Arc<str> = Arc::from(format!("{prefix}{}", group.name));
        group.constraints.into_iter().map(move |constraint| (name.clone(), constraint))
    });
    constraints
        .map(|(group, constraint)| {
            let mut found = Vec::new();
            let mut steered = Vec::new();
            let mut languages = BTreeSet::new();
            if let DecidedBy::Rule(check) = &constraint.by {
                compared(check, &mut steered);
                languages = compared_with_language(check);
                found = measures::measures_in(check);
            }
            let check = match &constraint.by {
                DecidedBy::Rule(check) => Some(check),
                DecidedBy::Judge(_) => None,
            };
            let reads = |fact: TurnFact| {
                check.into_iter().chain(&constraint.applies).any(|tree| tree.reads(fact))
            };
            let needs = RowVariables::FACTS.into_iter();
            let needs = needs.filter(|(fact, _)| reads(*fact)).collect();
            let name = Arc::from(format!("{prefix}{}", constraint.name));
            CatalogueEntry { name, group, steered, languages, needs, measures: found, constraint }
        })
        .collect()
}

/// The names that are compared with a text.
fn compared(tree: &Tree, names: &mut Vec<String>) {
    if let Node::Compare(_, left, right) = &tree.node
        && let (Node::Var(name), Node::Value(Value::Text(_))) = (&left.node, &right.node)
    {
        names.push(name.clone());
    }
    tree.children().into_iter().for_each(|child| compared(child, names));
}

fn with_suggestion<'n>(
    error: RowError,
    name: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> RowError {
    match closest(name, known) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error,
    }
}
