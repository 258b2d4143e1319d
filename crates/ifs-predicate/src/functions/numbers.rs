//! Functions from numbers to numbers.

use super::Expect::{Fails, Faults, Float, Holds, Int, Text};
use super::hooks::{Demand, Sees, Steady};
use super::{Arguments, Func, Function, ParamType, ReturnType, param};
use crate::fault::EvalError;
use crate::number::Number;
use crate::operand::Operand;
use crate::value::Value;

pub(super) const ROWS: &[&Function] =
    &[&ABS, &ROUND, &ROUND_TO, &AS_CLOCK, &FLOOR, &CEIL, &IS_PRIME, &CHANCE_OF_ALL];

/// Those that rules about several functions name.
impl Func {
    pub const ABS: Func = Func::named("abs");
}

const ABS: Function = Function {
    name: "abs",
    params: &[param("n", ParamType::Number)],
    subject: false,
    returns: ReturnType::Number(0),
    doc: "The absolute value of a number.",
    examples: &[("abs(3 - 5)", "", Int(2))],
    call: |given| change(given, Number::absolute),
    bring: Some(|repairer, at, wanted| repairer.argument_to(at, wanted)),
    steady: Steady::Arguments,
    sees: Sees::Arguments,
    ..Function::BARE
};

const ROUND: Function = Function {
    name: "round",
    params: &[param("n", ParamType::Number)],
    subject: false,
    returns: ReturnType::Int,
    doc: "The nearest integer; halves are rounded away from zero.",
    examples: &[("round(7 / 2)", "", Int(4)), ("round(-7 / 2)", "", Int(-4))],
    call: |given| change(given, Number::round),
    bring: Some(|repairer, at, wanted| repairer.argument_to(at, wanted)),
    steady: Steady::Arguments,
    sees: Sees::Arguments,
    ..Function::BARE
};

const ROUND_TO: Function = Function {
    name: "round_to",
    params: &[param("digits", ParamType::Int), param("n", ParamType::Number)],
    subject: false,
    returns: ReturnType::Float,
    doc: "The number rounded to a count of decimal places, from 0 to 9; halves are rounded away \
          from zero. Fractions are rounded exactly.",
    examples: &[
        ("round_to(2, 200 / 3)", "", Float(66.67)),
        ("round_to(1, -1 / 4)", "", Float(-0.3)),
        ("round_to(2, 20)", "", Float(20.0)),
        ("round_to(12, 1 / 3)", "", Faults),
    ],
    call: |given| {
        let digits = u32::try_from(given.int(0)?).ok().filter(|digits| *digits <= 9);
        let digits = digits.ok_or_else(|| EvalError::new("digits are from 0 to 9"))?;
        let whole = Number::Int(10_i64.pow(digits));
        let shifted = given.number(1)?.times(whole).and_then(Number::round);
        let rounded = shifted.and_then(|shifted| shifted.over(whole));
        let rounded = rounded.ok_or_else(|| EvalError::new("the number is too large"))?;
        // Printed with a decimal point, like rates and shares.
        Ok(Operand::Value(Value::Float(rounded.float())))
    },
    sees: Sees::Arguments,
    ..Function::BARE
};

const AS_CLOCK: Function = Function {
    name: "as_clock",
    params: &[param("milliseconds", ParamType::Number)],
    subject: false,
    returns: ReturnType::Text,
    doc: "A time in milliseconds as a clock shows it: minutes and seconds, with hours and \
          fractions of a second if there are any.",
    examples: &[
        ("as_clock(572000)", "", Text("9:32")),
        ("as_clock(48100)", "", Text("0:48.1")),
        ("as_clock(7505000)", "", Text("2:05:05")),
        ("as_clock(-60000)", "", Text("-1:00")),
    ],
    call: |given| {
        let time = given.number(0)?.round();
        let Some(Number::Int(time)) = time else {
            return Err(EvalError::new("the number is too large"));
        };
        Ok(Operand::Value(Value::text(&clock(time))))
    },
    sees: Sees::Arguments,
    ..Function::BARE
};

const FLOOR: Function = Function {
    name: "floor",
    params: &[param("n", ParamType::Number)],
    subject: false,
    returns: ReturnType::Int,
    doc: "The largest integer that is not above the number.",
    examples: &[("floor(7 / 2)", "", Int(3)), ("floor(-7 / 2)", "", Int(-4))],
    call: |given| change(given, Number::floor),
    bring: Some(|repairer, at, wanted| repairer.argument_to(at, wanted)),
    steady: Steady::Arguments,
    sees: Sees::Arguments,
    ..Function::BARE
};

const CEIL: Function = Function {
    name: "ceil",
    params: &[param("n", ParamType::Number)],
    subject: false,
    returns: ReturnType::Int,
    doc: "The smallest integer that is not below the number.",
    examples: &[("ceil(7 / 2)", "", Int(4))],
    call: |given| change(given, Number::ceil),
    bring: Some(|repairer, at, wanted| repairer.argument_to(at, wanted)),
    steady: Steady::Arguments,
    sees: Sees::Arguments,
    ..Function::BARE
};

const IS_PRIME: Function = Function {
    name: "is_prime",
    params: &[param("n", ParamType::Int)],
    subject: false,
    returns: ReturnType::Bool,
    doc: "Whether an integer is prime. 1, 0 and negative numbers are not.",
    examples: &[
        ("every word: is_prime(len(it))", "In two seven", Holds),
        ("is_prime(1)", "", Fails),
        ("is_prime(9223372036854775783)", "", Holds),
        ("is_prime(9223372036854775781)", "", Fails),
    ],
    call: |given| Ok(Operand::bool(u64::try_from(given.int(0)?).is_ok_and(is_prime))),
    demand: Some(Demand::Plain("<be> a prime number")),
    steady: Steady::Arguments,
    sees: Sees::Arguments,
    ..Function::BARE
};

const CHANCE_OF_ALL: Function = Function {
    name: "chance_of_all",
    params: &[
        param("k", ParamType::Int),
        param("good", ParamType::Int),
        param("of", ParamType::Int),
    ],
    subject: false,
    returns: ReturnType::Float,
    doc: "The chance that k members, drawn without replacement from a number of members, are all good, if \
          so many of them are: C(good, k) / C(of, k). Without k members there is no value.",
    examples: &[
        ("chance_of_all(1, 3, 4)", "", Float(0.75)),
        ("chance_of_all(2, 3, 4)", "", Float(0.5)),
        ("chance_of_all(4, 3, 4)", "", Float(0.0)),
        ("1 - chance_of_all(2, 4 - 1, 4)", "", Float(0.5)),
        ("chance_of_all(5, 3, 4)", "", Faults),
    ],
    call: |given| {
        let count = |at| {
            u64::try_from(given.int(at)?).map_err(|_| EvalError::new("a count is not negative"))
        };
        let chance = chance_of_all(count(0)?, count(1)?, count(2)?);
        let chance = chance.ok_or_else(|| EvalError::new("there are not so many members"))?;
        Ok(Operand::Value(Value::Float(chance)))
    },
    ..Function::BARE
};

/// The chance that `k` members, drawn without replacement from `of` members, are all among `good` of
/// them. `None` if there are fewer than `k`, or more good ones than members.
#[must_use]
pub fn chance_of_all(k: u64, good: u64, of: u64) -> Option<f64> {
    if k > of || good > of {
        return None;
    }
    let chance = (0..k).map(|drawn| good.saturating_sub(drawn) as f64 / (of - drawn) as f64);
    // A factor of 0 comes first where there are too few good ones.
    Some(if k > good { 0.0 } else { chance.product() })
}

/// The test of Miller (1976) and Rabin (1980) with the first twelve primes as bases, which decides
/// every number of 64 bits (Sorenson and Webster 2015).
fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if let Some(divisor) = BASES.iter().find(|base| n.is_multiple_of(**base)) {
        return n == *divisor;
    }
    if n < 2 {
        return false;
    }
    let halvings = (n - 1).trailing_zeros();
    BASES.iter().all(|base| {
        let mut power = power_modulo(*base, (n - 1) >> halvings, n);
        power == 1
            || (0..halvings).any(|_| {
                let found = power == n - 1;
                power = times_modulo(power, power, n);
                found
            })
    })
}

fn times_modulo(a: u64, b: u64, n: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(n)) as u64
}

fn power_modulo(base: u64, mut exponent: u64, n: u64) -> u64 {
    let (mut result, mut square) = (1, base % n);
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = times_modulo(result, square, n);
        }
        square = times_modulo(square, square, n);
        exponent /= 2;
    }
    result
}

fn clock(time: i64) -> String {
    let sign = if time < 0 { "-" } else { "" };
    let (seconds, rest) = (time.unsigned_abs() / 1000, time.unsigned_abs() % 1000);
    let rest = format!(".{rest:03}");
    let rest = rest.trim_end_matches('0').trim_end_matches('.');
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{sign}{minutes}:{seconds:02}{rest}"),
        hours => format!("{sign}{hours}:{minutes:02}:{seconds:02}{rest}"),
    }
}

fn change<'a>(
    given: &Arguments<'_, 'a>,
    change: fn(Number) -> Option<Number>,
) -> Result<Operand<'a>, EvalError> {
    change(given.number(0)?)
        .map(Operand::from_number)
        .ok_or_else(|| EvalError::new("the number is too large"))
}

#[cfg(test)]
mod tests {
    use super::is_prime;

    #[test]
    fn primes_are_what_no_smaller_number_divides() {
        for n in 0..2_000u64 {
            let plain = n > 1 && (2..n).all(|divisor| n % divisor != 0);
            assert_eq!(is_prime(n), plain, "{n}");
        }
        assert!(is_prime(18_446_744_073_709_551_557) && !is_prime(3_215_031_751));
    }
}
