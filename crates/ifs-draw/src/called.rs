//! Constraints by their names in published data: the record of a dialogue names them and their
//! arguments.

use super::args;
use super::error::{DrawError, NotCalled, short};
use super::state::{Active, PublishedName};
use super::walk::Script;
use ifs_base::diagnostic::{Code, closest};
use ifs_base::source::Span;
use ifs_model::allowed::unfit;
use ifs_model::table::{Alias, CalledConstraint, Constraint, Group, Impose, Param};
use ifs_model::{conform, reference};
use ifs_plan::ConstraintId;
use ifs_predicate::evaluate::{TextContext, Variables, evaluate};
use ifs_predicate::print::print;
use ifs_predicate::types::Type;
use ifs_predicate::value::Value;
use ifs_text::NOTHING;

impl Script<'_> {
    /// The constraint that has the alias, with its arguments.
    pub(super) fn constraint_by_alias(
        &self,
        impose: &Impose,
        called: &CalledConstraint,
        facts: &dyn Variables,
    ) -> Result<(ConstraintId, Active), DrawError> {
        let what = "`impose called`";
        let value = args::needed(&called.name, what, facts)?;
        let span = called.name.span;
        let Some(name) = value.as_str().map(str::to_owned) else {
            let field = print(&called.name);
            let kind = if value == Value::Nothing { "is absent" } else { "is not a text" };
            return Err(fault(Code::WRONG_TYPE, format!("`{field}` {kind}"), span));
        };
        let at = called.given.as_ref();
        let place = at.map_or(span, |given| given.span);
        let given = match at {
            Some(given) => args::needed(given, what, facts)?,
            None => Value::Nothing,
        };
        let given = match given {
            Value::Nothing => Value::record::<&str>([]),
            // Absent values are often null in published data.
            Value::Record(fields) => Value::record(
                fields
                    .iter()
                    .filter(|(_, value)| **value != Value::Nothing)
                    .map(|(name, value)| (name.to_owned(), value.clone()))
                    .collect::<Vec<_>>(),
            ),
            _ => {
                let field = at.map(print).unwrap_or_default();
                let message = format!("`{field}` is not a record of arguments");
                return Err(fault(Code::WRONG_TYPE, message, place));
            }
        };
        // In the order of `from`, of which the first one with the alias counts.
        let plan = self.drawer.plan;
        let known = |name: &String| plan.model.groups.iter().find(|group| group.name == *name);
        let groups: Vec<&Group> = impose.from.iter().filter_map(known).collect();
        let (constraint, alias) = resolve_alias(&groups, &name, &given, span)?;
        let args = arguments(constraint, alias, &given, place)?;
        let called = if called.unsaid { PublishedName::Unsaid } else { PublishedName::Said };
        let since = self.state.turn;
        let id = plan.constraint_id(&constraint.name);
        let id = id.ok_or(DrawError::NothingToImpose { turn: since })?;
        let (constraint, called) = (constraint.name.clone(), Some(called));
        Ok((id, Active { constraint, args, since, called, ..Active::default() }))
    }
}

fn fault(code: Code, message: String, span: Span) -> DrawError {
    NotCalled::by_record(code, message, None, span)
}

fn helped(code: Code, message: String, help: String, span: Span) -> DrawError {
    NotCalled::by_record(code, message, Some(help), span)
}

/// The only constraint with the alias whose condition holds, in the first group that has one.
fn resolve_alias<'g>(
    groups: &[&'g Group],
    name: &str,
    given: &Value,
    span: Span,
) -> Result<(&'g Constraint, &'g Alias), DrawError> {
    let constraints = || groups.iter().flat_map(|group| &group.constraints);
    let all = || constraints().flat_map(|one| one.aliases.iter().map(move |alias| (one, alias)));
    let named = || all().filter(|(_, alias)| alias.name == name);
    let variables = [("given", given.clone())];
    let scene = TextContext { it: &NOTHING, variables: &variables };
    let here = |alias: &Alias| match &alias.condition {
        None => true,
        Some(condition) => evaluate(condition, &scene) == Ok(Value::Bool(true)),
    };
    let in_group = |group: &&'g Group| {
        let aliases = |one: &'g Constraint| one.aliases.iter().map(move |alias| (one, alias));
        let meant = group.constraints.iter().flat_map(aliases);
        meant.filter(|(_, alias)| alias.name == name && here(alias)).collect::<Vec<_>>()
    };
    let found = groups.iter().map(in_group).find(|found| !found.is_empty());
    let mut found = found.unwrap_or_default().into_iter();
    match (found.next(), found.next()) {
        (Some(found), None) => Ok(found),
        (Some((one, _)), Some((other, _))) => Err(helped(
            Code::DUPLICATE_NAME,
            format!("`{name}` may be `{}` or `{}`", one.name, other.name),
            "name fewer groups after `from`".to_owned(),
            span,
        )),
        (None, _) if named().next().is_some() => Err(fault(
            Code::UNKNOWN_NAME,
            format!("no constraint with the alias `{name}` matches these arguments: {given}"),
            span,
        )),
        (None, _) => {
            let message = format!("no constraint has the alias `{name}`");
            let modules: Vec<String> = reference::modules_with_alias(name)
                .into_iter()
                .map(|module| format!("`{module}`"))
                .collect();
            if !modules.is_empty() {
                let has = if modules.len() == 1 { "has" } else { "have" };
                let help = format!("{} {has} it: name it after `from`", modules.join(", "));
                return Err(helped(Code::UNKNOWN_NAME, message, help, span));
            }
            Err(match closest(name, all().map(|(_, alias)| alias.name.as_str())) {
                Some(near) => {
                    helped(Code::UNKNOWN_NAME, message, format!("did you mean `{near}`?"), span)
                }
                None => fault(Code::UNKNOWN_NAME, message, span),
            })
        }
    }
}

/// The arguments of the parameters, in their order.
fn arguments(
    constraint: &Constraint,
    alias: &Alias,
    given: &Value,
    span: Span,
) -> Result<Vec<(String, Value)>, DrawError> {
    let name = &alias.name;
    let variables = [("given", given.clone())];
    let scene = TextContext { it: &NOTHING, variables: &variables };
    let own = |param: &Param| alias.args.iter().find(|(name, _)| *name == param.name);
    let used = constraint.published_arguments(alias);
    let mut args: Vec<(String, Value)> = Vec::with_capacity(constraint.params.len());
    for param in &constraint.params {
        let value = match own(param) {
            Some((_, tree)) => evaluate(tree, &scene).map_err(|why| {
                let message = format!("`{}` of `{name}`: {}", param.name, why.message);
                fault(Code::BAD_ARGUMENT, message, span)
            })?,
            None => given.field(&param.name).cloned().unwrap_or(Value::Nothing),
        };
        if value == Value::Nothing {
            let message = format!("`{name}` needs the argument `{}`", param.name);
            return Err(match unknown_argument(given, &used) {
                None => fault(Code::BAD_ARGUMENT, message, span),
                Some(other) => {
                    let help =
                        format!("the record gives `{other}`, which is not one of its arguments");
                    helped(Code::BAD_ARGUMENT, message, help, span)
                }
            });
        }
        let shown = short(&value);
        let value = conform(whole(value, &param.ty), &param.ty).map_err(|(field, message)| {
            let field = if field.is_empty() { field } else { format!(".{field}") };
            let message = format!("`{}{field}` of `{name}`: {message}: {shown}", param.name);
            fault(Code::WRONG_TYPE, message, span)
        })?;
        check_domain(name, (constraint, param), &value, &args, span)?;
        args.push((param.name.clone(), value));
    }
    if let Some(extra) = unknown_argument(given, &used) {
        let message = format!("`{name}` has no argument `{extra}`");
        let known: Vec<String> = used.iter().map(|name| format!("`{name}`")).collect();
        return Err(match known.as_slice() {
            [] => helped(Code::BAD_ARGUMENT, message, "it has no arguments".to_owned(), span),
            known => {
                let help = format!("its arguments are {}", known.join(", "));
                helped(Code::BAD_ARGUMENT, message, help, span)
            }
        });
    }
    Ok(args)
}

/// A given argument that nothing uses.
fn unknown_argument<'g>(given: &'g Value, used: &[&str]) -> Option<&'g str> {
    let Value::Record(given) = given else { return None };
    given.names().iter().map(|name| &**name).find(|name| !used.contains(name))
}

/// A value outside of the domain, which `impose NAME(…)` refuses, too: what is known of the
/// parameter, such as what its check contradicts, would not hold.
fn check_domain(
    name: &str,
    (constraint, param): (&Constraint, &Param),
    value: &Value,
    before: &[(String, Value)],
    span: Span,
) -> Result<(), DrawError> {
    let Some(wanted) = unfit(constraint, param, value, &before) else { return Ok(()) };
    Err(helped(
        Code::BAD_ARGUMENT,
        format!("`{}` of `{name}` is never {}", param.name, short(value)),
        format!("`{}` is {wanted}", param.name),
        span,
    ))
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
