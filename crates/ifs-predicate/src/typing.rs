//! The types of calls and operators, for the checker.

use super::functions::{Function, ParamType, ReturnType};
use super::tree::{ArithmeticOp, CompareOp};
use super::types::Type;
use ifs_text::Unit;

/// A type error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeFault {
    /// A lower-case fragment: ``` `starts_with` needs `sought` ```.
    pub message: String,
    /// The argument or operand, from 0; `None` for the entire call.
    pub argument: Option<usize>,
    pub help: Option<String>,
}

impl TypeFault {
    fn new(message: String, argument: Option<usize>) -> TypeFault {
        TypeFault { message, argument, help: None }
    }

    fn help(mut self, help: impl Into<String>) -> TypeFault {
        self.help = Some(help.into());
        self
    }
}

/// The type of the members of all units of a kind: a number for numbers, else a text.
pub fn unit_member_type(unit: Unit) -> Type {
    match unit {
        Unit::Number | Unit::NumberDigits => Type::Float,
        _ => Type::Text,
    }
}

/// The type of `word`, `word in c`.
pub fn units_type(unit: Unit) -> Type {
    Type::list(unit_member_type(unit))
}

/// Whether the first of these arguments of a function about a text is that text. If it is not, the
/// checker puts `it` before them. An optional text can only follow an explicit subject: otherwise
/// `language(TEXT)` and `language(OTHERWISE)` could not be distinguished.
pub fn gives_subject(function: &Function, written: usize) -> bool {
    !function.subject || written >= function.params.len() - function.optional_text_count()
}

/// The type of a call. The arguments include the subject, `it` or another.
///
/// # Errors
/// The first argument that does not fit.
pub fn call_type(function: &Function, arguments: &[Type]) -> Result<Type, TypeFault> {
    let (least, most) = (function.least_arguments(), function.params.len());
    if let Some(missing) = function.params.get(arguments.len()).filter(|_| arguments.len() < least)
    {
        return Err(TypeFault::new(format!("`{}` needs `{}`", function.name, missing.name), None)
            .help(format!("write `{}`", function.signature())));
    }
    if arguments.len() > most {
        return Err(TypeFault::new(
            format!("`{}` takes no argument more", function.name),
            Some(most),
        )
        .help(format!("write `{}`", function.signature())));
    }
    for (at, (param, argument)) in function.params.iter().zip(arguments).enumerate() {
        let alone = arguments.len() == 1;
        if !accepts(param.ty, argument, function.subject && at == 0, alone) {
            let wanted = describe_param_type(param.ty, alone);
            let fault = TypeFault::new(
                format!(
                    "`{}` of `{}` is {wanted}, not {}",
                    param.name,
                    function.name,
                    argument.noun()
                ),
                Some(at),
            );
            return Err(match hint(param.ty, argument) {
                Some(hint) => fault.help(hint),
                None => fault,
            });
        }
    }
    Ok(returned(function.returns, arguments))
}

fn accepts(param: ParamType, argument: &Type, subject: bool, alone: bool) -> bool {
    let text = matches!(argument, Type::Text | Type::Unknown);
    let list = matches!(argument, Type::List(_) | Type::Unknown);
    match param {
        // A unit `number` is a number to count with and a text to look into.
        ParamType::Text => text || (subject && argument.is_number()),
        ParamType::Sought => text || matches!(argument, Type::Needle | Type::Pattern),
        ParamType::Countable => text || list || matches!(argument, Type::Needle | Type::Pattern),
        ParamType::Sized => text || list || matches!(argument, Type::Record(_)),
        ParamType::Number => argument.is_number(),
        ParamType::Int => matches!(argument, Type::Int | Type::Unknown),
        ParamType::List => list,
        ParamType::Numbers => is_list_of_numbers(argument),
        ParamType::NumbersOrConditions => {
            is_list_of_numbers(argument) || argument.fits(&Type::list(Type::Bool))
        }
        ParamType::Texts => argument.fits(&Type::list(Type::Text)),
        ParamType::NumberOrNumbers => {
            if alone {
                is_list_of_numbers(argument) || argument.is_number()
            } else {
                argument.is_number()
            }
        }
        ParamType::Pattern => matches!(argument, Type::Pattern | Type::Unknown),
        ParamType::Any => !matches!(argument, Type::Range | Type::Pattern | Type::Needle),
        ParamType::Schema => text || matches!(argument, Type::Record(_)),
        ParamType::Key => text || argument.is_number() || *argument == Type::Bool,
    }
}

fn is_list_of_numbers(argument: &Type) -> bool {
    match argument {
        Type::List(of) => of.is_number(),
        Type::Unknown => true,
        _ => false,
    }
}

fn describe_param_type(param: ParamType, alone: bool) -> &'static str {
    match param {
        ParamType::Text => "a text",
        ParamType::Sought => "a text, a needle or a regular expression",
        ParamType::Countable => "a list or something to look for",
        ParamType::Sized => "a list or a text",
        ParamType::Number => "a number",
        ParamType::Int => "a whole number",
        ParamType::List => "a list",
        ParamType::Numbers => "a list of numbers",
        ParamType::NumbersOrConditions => "a list of numbers or of conditions",
        ParamType::Texts => "a list of texts",
        ParamType::NumberOrNumbers if alone => "a list of numbers",
        ParamType::NumberOrNumbers => "a number",
        ParamType::Pattern => "a regular expression",
        ParamType::Any => "a value",
        ParamType::Schema => "a JSON Schema, as a record or a text",
        ParamType::Key => "a number, a text or a condition",
    }
}

fn hint(param: ParamType, argument: &Type) -> Option<String> {
    match (param, argument) {
        (ParamType::Pattern, Type::Text) => {
            Some("write a regular expression between slashes, as in `/[0-9]+/`".to_owned())
        }
        (ParamType::Text, Type::List(_)) => {
            Some("say `every … : …` to ask it of each member".to_owned())
        }
        (ParamType::Int, Type::Float) => {
            Some("`round`, `floor` or `ceil` makes it whole".to_owned())
        }
        (ParamType::List, Type::Needle | Type::Pattern) => {
            Some("say `… in it` for the list of its occurrences".to_owned())
        }
        _ => None,
    }
}

fn returned(returns: ReturnType, arguments: &[Type]) -> Type {
    let at = |place: usize| arguments.get(place).cloned().unwrap_or(Type::Unknown);
    let member = |ty: Type| match ty {
        Type::List(of) => *of,
        other => other,
    };
    match returns {
        ReturnType::Bool => Type::Bool,
        ReturnType::Int => Type::Int,
        ReturnType::Float => Type::Float,
        ReturnType::Text => Type::Text,
        ReturnType::Texts => Type::list(Type::Text),
        ReturnType::Ints => Type::list(Type::Int),
        ReturnType::Rows => Type::list(Type::list(Type::Text)),
        ReturnType::Any => Type::Unknown,
        ReturnType::ListOf(place) => Type::list(at(place)),
        ReturnType::Same(place) => at(place),
        ReturnType::Member(place) => member(at(place)),
        ReturnType::Groups => Type::list(Type::record([("key", at(1)), ("members", at(0))])),
        ReturnType::Numbered => {
            Type::list(Type::record([("number", Type::Int), ("member", member(at(0)))]))
        }
        ReturnType::Exchanges => {
            Type::list(Type::record([("ask", Type::Text), ("reply", Type::Text)]))
        }
        ReturnType::Number(place) => {
            let others = arguments.iter().skip(place).cloned().map(member);
            others.reduce(wider).unwrap_or(Type::Unknown)
        }
    }
}

fn wider(a: Type, b: Type) -> Type {
    match (a, b) {
        (Type::Unknown, other) | (other, Type::Unknown) => other,
        (Type::Float, _) | (_, Type::Float) => Type::Float,
        (a, _) => a,
    }
}

/// The type of `a + b` and its like.
///
/// # Errors
/// The operand that does not fit.
pub fn arithmetic_type(op: ArithmeticOp, left: &Type, right: &Type) -> Result<Type, TypeFault> {
    if left.is_number() && right.is_number() {
        return Ok(match (op, left, right) {
            (_, Type::Unknown, other) | (_, other, Type::Unknown) => other.clone(),
            // The difference of two times, and a time shifted by a duration.
            (ArithmeticOp::Add | ArithmeticOp::Subtract, Type::Clock, _)
            | (ArithmeticOp::Add, _, Type::Clock)
            | (ArithmeticOp::Remainder, Type::Clock, _)
            | (ArithmeticOp::Multiply, Type::Clock, Type::Int)
            | (ArithmeticOp::Multiply, Type::Int, Type::Clock) => Type::Clock,
            (ArithmeticOp::Divide, ..) => Type::Float,
            (_, Type::Int, Type::Int) => Type::Int,
            _ => Type::Float,
        });
    }
    if op == ArithmeticOp::Add {
        match (left, right) {
            (Type::Text, Type::Text | Type::Unknown) | (Type::Unknown, Type::Text) => {
                return Ok(Type::Text);
            }
            (Type::List(_), Type::Unknown) => return Ok(left.clone()),
            (Type::Unknown, Type::List(_)) => return Ok(right.clone()),
            (Type::List(a), Type::List(b)) => {
                if b.fits(a) {
                    return Ok(left.clone());
                }
                if a.fits(b) {
                    return Ok(right.clone());
                }
            }
            _ => {}
        }
    }
    let wrong = if left.is_number() || (op == ArithmeticOp::Add && addable(left)) { 1 } else { 0 };
    Err(TypeFault::new(
        format!("`{}` does not work on {} and {}", op.sign(), left.noun(), right.noun()),
        Some(wrong),
    ))
}

fn addable(ty: &Type) -> bool {
    matches!(ty, Type::Text | Type::List(_))
}

/// Whether two types can be compared this way.
///
/// # Errors
/// When they cannot.
pub fn compare_type(op: CompareOp, left: &Type, right: &Type) -> Result<Type, TypeFault> {
    let ordered = matches!(
        op,
        CompareOp::Less | CompareOp::LessEqual | CompareOp::More | CompareOp::MoreEqual
    );
    let fits = if ordered {
        (left.is_number() && right.is_number())
            || matches!((left, right), (Type::Text | Type::Unknown, Type::Text | Type::Unknown))
    } else {
        comparable(left) && comparable(right) && (left.fits(right) || right.fits(left))
    };
    if fits {
        return Ok(Type::Bool);
    }
    let fault = TypeFault::new(
        format!("{} and {} cannot be compared by `{}`", left.noun(), right.noun(), op.sign()),
        Some(1),
    );
    Err(match (left, right) {
        (Type::Needle | Type::Pattern | Type::List(_), Type::Int | Type::Float) => {
            TypeFault { argument: Some(0), ..fault }.help("say `count(…)` for how many there are")
        }
        (Type::Text, Type::Int | Type::Float) => TypeFault { argument: Some(0), ..fault }
            .help("write `len(…)` for its length, or `to_number(…)` for the number in it"),
        (_, Type::Range) => fault.help("write `in` for a range"),
        _ => fault,
    })
}

fn comparable(ty: &Type) -> bool {
    !matches!(ty, Type::Range | Type::Pattern | Type::Needle)
}

/// The type of `left in right`: the occurrences of something in a text, or whether it is a member.
///
/// # Errors
/// If the one is never in the other.
pub fn within_type(left: &Type, units: bool, right: &Type) -> Result<Type, TypeFault> {
    match (left, right) {
        (Type::List(_), Type::Text) if units => Ok(left.clone()),
        (Type::Needle | Type::Pattern, Type::Text) => Ok(Type::list(Type::Text)),
        (_, Type::Unknown) | (Type::Unknown, _) => Ok(Type::Bool),
        (_, Type::Range) if left.is_number() => Ok(Type::Bool),
        (Type::Text, Type::Text) => Ok(Type::Bool),
        (_, Type::List(of)) if comparable(left) && (left.fits(of) || of.fits(left)) => {
            Ok(Type::Bool)
        }
        (Type::List(_), Type::Range) => {
            Err(TypeFault::new(format!("{} is in no range", left.noun()), Some(0))
                .help("say `count(…)` for how many there are"))
        }
        _ => Err(TypeFault::new(format!("{} is never in {}", left.noun(), right.noun()), Some(1))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::lookup;

    fn call(name: &str, arguments: &[Type]) -> Result<Type, TypeFault> {
        call_type(&lookup(name).unwrap(), arguments)
    }

    #[test]
    fn calls_take_what_they_can_use() {
        assert_eq!(call("starts_with", &[Type::Text, Type::Needle]), Ok(Type::Bool));
        assert_eq!(call("count", &[units_type(Unit::Word)]), Ok(Type::Int));
        assert_eq!(call("sum", &[units_type(Unit::Number)]), Ok(Type::Float));
        assert_eq!(call("min", &[Type::Int, Type::Float]), Ok(Type::Float));
        assert_eq!(call("first", &[Type::Int, units_type(Unit::Word)]), Ok(units_type(Unit::Word)));
    }

    #[test]
    fn typing_faults_name_the_argument() {
        let fault = call("starts_with", &[Type::Text]).unwrap_err();
        assert_eq!(fault.message, "`starts_with` needs `sought`");
        let fault = call("matches", &[Type::Text, Type::Text]).unwrap_err();
        assert_eq!(fault.argument, Some(1));
        assert!(fault.help.unwrap().contains("slashes"));
        assert!(call("is_json", &[Type::Text, Type::Text, Type::Text]).is_err());
        assert!(call("sum", &[units_type(Unit::Word)]).is_err());
    }

    #[test]
    fn operators() {
        let int = Type::Int;
        assert_eq!(arithmetic_type(ArithmeticOp::Divide, &int, &int), Ok(Type::Float));
        assert_eq!(arithmetic_type(ArithmeticOp::Remainder, &int, &int), Ok(Type::Int));
        let fault = compare_type(CompareOp::More, &units_type(Unit::Word), &int).unwrap_err();
        assert!(fault.help.unwrap().contains("count"));
        assert_eq!(
            within_type(&units_type(Unit::Word), true, &Type::Text),
            Ok(units_type(Unit::Word))
        );
        assert_eq!(within_type(&int, false, &Type::Range), Ok(Type::Bool));
        assert!(within_type(&int, false, &Type::Text).is_err());
    }
}
