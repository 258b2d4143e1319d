//! Numbers made of numbers.

use super::Expect::Int;
use super::{Arguments, Function, ParamType, Returns, param};
use crate::predicate::fault::Fault;
use crate::predicate::number::Number;
use crate::predicate::operand::Operand;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "abs",
        params: &[param("n", ParamType::Number)],
        subject: false,
        returns: Returns::Number(0),
        doc: "The number without its sign.",
        examples: &[("abs(3 - 5)", "", Int(2))],
        call: |given| change(given, Number::absolute),
    },
    Function {
        name: "round",
        params: &[param("n", ParamType::Number)],
        subject: false,
        returns: Returns::Int,
        doc: "The nearest whole number, halves away from zero.",
        examples: &[("round(7 / 2)", "", Int(4)), ("round(-7 / 2)", "", Int(-4))],
        call: |given| change(given, Number::round),
    },
    Function {
        name: "floor",
        params: &[param("n", ParamType::Number)],
        subject: false,
        returns: Returns::Int,
        doc: "The next whole number downwards.",
        examples: &[("floor(7 / 2)", "", Int(3)), ("floor(-7 / 2)", "", Int(-4))],
        call: |given| change(given, Number::floor),
    },
    Function {
        name: "ceil",
        params: &[param("n", ParamType::Number)],
        subject: false,
        returns: Returns::Int,
        doc: "The next whole number upwards.",
        examples: &[("ceil(7 / 2)", "", Int(4))],
        call: |given| change(given, Number::ceil),
    },
];

fn change<'a>(
    given: &Arguments<'_, 'a>,
    change: fn(Number) -> Option<Number>,
) -> Result<Operand<'a>, Fault> {
    change(given.number(0)?).map(Operand::of).ok_or_else(|| Fault::new("the number is too large"))
}
