//! The dialogue next to a minimal one: it differs in one part, and holds.

use std::collections::BTreeSet;

use super::trial::{SearchStop, Shrinker, Trial};
use ifs_draw::{DialoguePiece, NewValue, Reduction};
use ifs_model::allowed::allowed;
use ifs_predicate::evaluate::Variables;
use ifs_predicate::value::Value;

/// A dialogue that holds.
pub struct Neighbour {
    pub difference: NeighbourDifference,
    pub reduction: Reduction,
    pub trial: Trial,
}

/// What it does not have, or has instead.
#[derive(Clone, Debug, PartialEq)]
pub enum NeighbourDifference {
    /// The value of a parameter: that of the minimal dialogue, and its own.
    Value {
        param: String,
        fails: i64,
        holds: i64,
    },
    Without(DialoguePiece),
}

/// How far a value is moved at most, in doublings.
const MAX_DOUBLINGS: u32 = 20;

/// The largest distance to the next value of a domain.
const MAX_STEP: i64 = 1_000;

impl Shrinker<'_> {
    /// The minimal dialogue, and a dialogue that holds and differs in one part: without another
    /// instruction, without a turn, or in a number of the failing constraint if nothing else is
    /// left; then the minimal dialogue has the last number that fails.
    pub(super) fn neighbour(
        &mut self,
        minimal: &Reduction,
    ) -> Result<(Reduction, Option<Neighbour>), SearchStop> {
        let fixed = self.target.fixed(&self.pieces);
        let open: Vec<DialoguePiece> = minimal.kept.difference(&fixed).cloned().collect();
        let is_turn = |piece: &&DialoguePiece| matches!(piece, DialoguePiece::Turn(_));
        let instructions = open.iter().filter(|piece| !is_turn(piece));
        for piece in instructions.chain(open.iter().filter(is_turn)) {
            let without: BTreeSet<DialoguePiece> =
                minimal.kept.iter().filter(|it| *it != piece).cloned().collect();
            let kept = self.pieces.consistent(without);
            if !fixed.is_subset(&kept) {
                continue;
            }
            let reduction = Reduction { kept, value: None };
            // It was tried when nothing more could be taken away.
            let trial = match self.run_trial(&reduction) {
                Err(SearchStop::Draw(_)) => continue,
                trial => trial?,
            };
            if !trial.failed {
                let difference = NeighbourDifference::Without(piece.clone());
                let neighbour = Neighbour { difference, reduction, trial };
                return Ok((minimal.clone(), Some(neighbour)));
            }
        }
        Ok(match self.by_value(minimal)? {
            Some((fails, neighbour)) => (fails, Some(neighbour)),
            None => (minimal.clone(), None),
        })
    }

    /// Looks for two neighbouring values of a whole number in the failing constraint, of which one
    /// fails and one holds; smaller values first.
    fn by_value(
        &mut self,
        minimal: &Reduction,
    ) -> Result<Option<(Reduction, Neighbour)>, SearchStop> {
        let Some((constraint, stated)) = self.pieces.active_on_last(&self.target.key) else {
            return Ok(None);
        };
        let stated = (1..=stated)
            .rev()
            .find(|at| minimal.kept.contains(&DialoguePiece::Change(constraint, *at)))
            .unwrap_or(0);
        let args = self.pieces.constraints[constraint].stated[stated].active.args.clone();
        for (param, value) in &args {
            let Value::Int(given) = value else { continue };
            for direction in [-1, 1] {
                let with = |number: i64| Reduction {
                    kept: minimal.kept.clone(),
                    value: (number != *given).then(|| NewValue {
                        constraint,
                        stated,
                        param: param.clone(),
                        value: Value::Int(number),
                    }),
                };
                let Some((fails, holds)) = self.edge(&args, param, *given, direction, &with)?
                else {
                    continue;
                };
                let (minimal, reduction) = (with(fails), with(holds));
                let trial = self.run_trial(&reduction)?;
                let difference = NeighbourDifference::Value { param: param.clone(), fails, holds };
                return Ok(Some((minimal, Neighbour { difference, reduction, trial })));
            }
        }
        Ok(None)
    }

    /// The last value that fails in a direction, and the one after it, which holds.
    fn edge(
        &mut self,
        args: &[(String, Value)],
        param: &str,
        given: i64,
        direction: i64,
        with: &impl Fn(i64) -> Reduction,
    ) -> Result<Option<(i64, i64)>, SearchStop> {
        // The next value: a domain may have steps.
        let at = |steps: i64| given.saturating_add(direction.saturating_mul(steps));
        let Some(unit) = (1..=MAX_STEP).find(|unit| self.is_allowed(args, param, at(*unit))) else {
            return Ok(None);
        };
        let mut fails = given;
        let mut holds = None;
        for doubling in 0..MAX_DOUBLINGS {
            let mut steps = 1_i64 << doubling;
            // As far as the domain goes.
            while steps > 0 && !self.is_allowed(args, param, at(unit.saturating_mul(steps))) {
                steps -= (steps / 8).max(1);
            }
            let next = at(unit.saturating_mul(steps));
            if steps == 0 || next == fails || (next - fails).signum() != direction {
                break;
            }
            if !self.fails(&with(next))? {
                holds = Some(next);
                break;
            }
            fails = next;
        }
        let Some(mut holds) = holds else { return Ok(None) };
        while (holds - fails).abs() > unit {
            let middle = fails + (holds - fails) / unit / 2 * unit;
            if !self.is_allowed(args, param, middle) {
                break;
            }
            match self.fails(&with(middle))? {
                true => fails = middle,
                false => holds = middle,
            }
        }
        Ok(Some((fails, holds)))
    }

    /// Whether the domains of the constraint's parameters allow a value.
    fn is_allowed(&self, args: &[(String, Value)], param: &str, number: i64) -> bool {
        let Some((constraint, stated)) = self.pieces.active_on_last(&self.target.key) else {
            return false;
        };
        let name = &self.pieces.constraints[constraint].stated[stated].active.constraint;
        let Some(declared) = self.plan().constraint(name) else { return false };
        let with = |(name, value): &(String, Value)| {
            let new = || Value::Int(number);
            (name.clone(), if name == param { new() } else { value.clone() })
        };
        let args: Vec<(String, Value)> = args.iter().map(with).collect();
        declared.params.iter().all(|param| {
            let Some((_, value)) = args.iter().find(|(name, _)| *name == param.name) else {
                return true;
            };
            let vars: &dyn Variables = &args.as_slice();
            allowed(&param.domain, value, vars).is_none()
        })
    }
}
