//! Models of given strength on drawn dialogues.
//!
//! A response follows an instruction if √(ρs)·Z + √(ρ(1-s))·W + √(1-ρ)·E is below Φ⁻¹(p): p is the
//! model's strength, Z the difficulty of the dialogue for all models, W its difficulty for this
//! one, E everything else, all of them normal. Each instruction is followed with the chance p, and
//! the outcomes of one dialogue are correlated by ρ, of which both models share s.

use super::normal::{cumulative, draw, quantile};
use ifs_draw::{DrawError, Drawer, Seed};
use ifs_model::table::Dialogue;
use ifs_score::ratio_error;
use ifs_value::random::{SplitMix64, share};

/// The unit that a strength is the probability of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrengthOf {
    /// Following one constraint or criterion: the score is the mean share of a turn (CSR).
    Constraint,
    /// Following all of a turn's: the score is the share of turns (ISR).
    Turn,
}

/// The numbers of instructions on the turns of a dialogue, without turns that have none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionCounts {
    pub instructions: Vec<u32>,
}

/// Draws dialogues.
///
/// # Errors
/// What prevents drawing.
pub fn shapes(
    drawer: &Drawer<'_>,
    seed: Seed,
    count: u64,
    turns: u32,
) -> Result<Vec<InstructionCounts>, DrawError> {
    let shape = |index| -> Result<InstructionCounts, DrawError> {
        let mut instructions = Vec::new();
        for turn in drawer.script(seed, index).take(turns as usize) {
            let turn = turn?;
            let all = turn.active_constraints.len() + turn.criteria.len();
            if all > 0 {
                instructions.push(u32::try_from(all).unwrap_or(u32::MAX));
            }
        }
        Ok(InstructionCounts { instructions })
    };
    (0..count).map(shape).collect()
}

/// The failed turns after which a user gives up, if that ends the dialogue.
pub fn patience_of(table: &Dialogue) -> Option<u32> {
    table.patience.filter(|_| table.end.as_ref().is_some_and(|end| end.mentions("patience")))
}

/// Two models, and what is known of them.
#[derive(Clone, Copy, Debug)]
pub struct Models {
    pub strengths: [f64; 2],
    pub of: StrengthOf,
    /// The correlation of the outcomes in one dialogue, and the part of it that is the dialogue's
    /// difficulty for both models.
    pub correlation: f64,
    pub shared: f64,
}

/// A dialogue with both models: the sums of the scores of turns and their numbers, and the same of
/// the differences on turns that both have.
#[derive(Clone, Copy, Debug)]
struct PairedScores {
    scores: [(f64, f64); 2],
    difference: (f64, f64),
}

/// Many simulated dialogues.
#[derive(Clone, Debug)]
pub struct Outcomes(Vec<PairedScores>);

impl Models {
    /// Simulates both models on dialogues that are chosen at random.
    pub fn simulate(
        &self,
        shapes: &[InstructionCounts],
        patience: Option<u32>,
        count: usize,
        random: &mut SplitMix64,
    ) -> Outcomes {
        let thresholds = self.strengths.map(quantile);
        let one = |random: &mut SplitMix64| {
            let shape = &shapes[random.integer_below(shapes.len() as u64) as usize];
            let common = draw(random);
            let of_models = thresholds.map(|threshold| {
                let own = draw(random);
                let (shared, rest) = (self.correlation * self.shared, self.correlation);
                let shift = shared.sqrt() * common + (rest - shared).sqrt() * own;
                let chance = cumulative((threshold - shift) / (1.0 - rest).sqrt());
                self.responses(shape, chance, patience, random)
            });
            let sum = |turns: &[f64]| (turns.iter().sum::<f64>(), turns.len() as f64);
            let [mine, theirs] = &of_models;
            let both = mine.iter().zip(theirs).map(|(mine, theirs)| theirs - mine);
            let both: Vec<f64> = both.collect();
            PairedScores { scores: [sum(mine), sum(theirs)], difference: sum(&both) }
        };
        let mut outcomes = Outcomes((0..count).map(|_| one(random)).collect());
        if patience.is_none() {
            outcomes.centre(self.strengths);
        }
        outcomes
    }

    /// The scores of a model's turns, until its user's patience is spent.
    fn responses(
        &self,
        shape: &InstructionCounts,
        chance: f64,
        patience: Option<u32>,
        random: &mut SplitMix64,
    ) -> Vec<f64> {
        let mut left = patience;
        let mut turns = Vec::new();
        for instructions in &shape.instructions {
            let tries = match self.of {
                StrengthOf::Constraint => *instructions,
                StrengthOf::Turn => 1,
            };
            let followed = (0..tries).filter(|_| share(random.draw()) < chance).count();
            turns.push(followed as f64 / f64::from(tries));
            left = match followed == tries as usize {
                true => patience,
                false => left.map(|left| left.saturating_sub(1)),
            };
            if left == Some(0) {
                break;
            }
        }
        turns
    }
}

impl Outcomes {
    /// Moves the means to the strengths, which they are without patience: only the variances are
    /// then left to chance.
    fn centre(&mut self, strengths: [f64; 2]) {
        let excess = |parts: Vec<(f64, f64)>, mean: f64| {
            let (above, below) = sums(&parts);
            above / below - mean
        };
        let of_model = |model: usize| self.0.iter().map(|one| one.scores[model]).collect();
        let of_scores = [0, 1].map(|model| excess(of_model(model), strengths[model]));
        let differences = self.0.iter().map(|one| one.difference).collect();
        let of_difference = excess(differences, strengths[1] - strengths[0]);
        for one in &mut self.0 {
            for (score, excess) in one.scores.iter_mut().zip(of_scores) {
                score.0 -= excess * score.1;
            }
            one.difference.0 -= of_difference * one.difference.1;
        }
    }

    /// The dialogues that separate the models at a level and with a power, by the normal
    /// approximation: ((z₁₋ₐ⸝₂ + z₁₋ᵦ) · σ / δ)², with σ of one dialogue.
    pub fn approximately(&self, level: f64, power: f64) -> f64 {
        let parts: Vec<(f64, f64)> = self.0.iter().map(|one| one.difference).collect();
        let (above, below) = sums(&parts);
        let sigma = ratio_error(&parts).unwrap_or(0.0) * (parts.len() as f64).sqrt();
        let z = quantile(1.0 - level / 2.0) + quantile(power);
        let root = z * sigma / (above / below);
        root * root
    }

    /// The share of sets of `count` dialogues in which the second model is found to be better.
    pub fn power(&self, count: usize, level: f64, sets: u32, random: &mut SplitMix64) -> f64 {
        let z = quantile(1.0 - level / 2.0);
        let mut found = 0u32;
        let mut parts = Vec::with_capacity(count);
        for _ in 0..sets {
            parts.clear();
            parts.extend((0..count).map(|_| {
                let at = random.integer_below(self.0.len() as u64);
                self.0[at as usize].difference
            }));
            let (above, below) = sums(&parts);
            let error = ratio_error(&parts).unwrap_or(f64::INFINITY);
            found += u32::from(below > 0.0 && above / below > z * error);
        }
        f64::from(found) / f64::from(sets)
    }

    /// The mean score of each model, and its standard deviation over sets of `count` dialogues.
    pub fn scores(&self, count: u64) -> [(f64, f64); 2] {
        [0, 1].map(|model| {
            let parts: Vec<(f64, f64)> = self.0.iter().map(|one| one.scores[model]).collect();
            let (above, below) = sums(&parts);
            let error = ratio_error(&parts).unwrap_or(0.0);
            (above / below, error * (parts.len() as f64 / count as f64).sqrt())
        })
    }
}

fn sums(parts: &[(f64, f64)]) -> (f64, f64) {
    parts.iter().fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn models(strengths: [f64; 2], correlation: f64) -> Models {
        Models { strengths, of: StrengthOf::Constraint, correlation, shared: 0.5 }
    }

    fn simulated(models: &Models, turns: usize, count: usize) -> Outcomes {
        let shapes = [InstructionCounts { instructions: vec![1; turns] }];
        models.simulate(&shapes, None, count, &mut SplitMix64::new(5))
    }

    /// One constraint on one turn, no correlation: two proportions, whose sizes are in every table
    /// (Fleiss 1981: 80 % and 85 % need 903 of each at 95 % and 80 %).
    #[test]
    fn without_correlation_it_is_the_test_of_two_proportions() {
        let outcomes = simulated(&models([0.8, 0.85], 0.0), 1, 60_000);
        let needed = outcomes.approximately(0.05, 0.8);
        assert!((needed - 903.0).abs() < 60.0, "{needed}");
        let power = outcomes.power(903, 0.05, 400, &mut SplitMix64::new(6));
        assert!((power - 0.8).abs() < 0.07, "{power}");
        // Models that are equal are found to differ in half of 5 % of all sets, each way.
        let equal = simulated(&models([0.8, 0.8], 0.0), 1, 60_000);
        assert!(equal.power(900, 0.05, 400, &mut SplitMix64::new(7)) < 0.06);
        let [(mean, error), _] = outcomes.scores(100);
        assert!((mean - 0.8).abs() < 0.01 && (error - 0.04).abs() < 0.002, "{mean} {error}");
    }

    /// Turns of one dialogue that are correlated tell less.
    #[test]
    fn correlation_costs_dialogues() {
        let needed = |correlation| {
            simulated(&models([0.8, 0.85], correlation), 10, 4000).approximately(0.05, 0.8)
        };
        let (apart, together) = (needed(0.0), needed(0.4));
        assert!(together > 1.5 * apart, "{apart} {together}");
        // The strength stays what it is.
        let [(mean, _), _] = simulated(&models([0.8, 0.85], 0.4), 10, 20_000).scores(1);
        assert!((mean - 0.8).abs() < 0.01, "{mean}");
    }
}
