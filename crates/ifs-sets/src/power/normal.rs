//! The normal distribution.

use ifs_value::random::{SplitMix64, share};

/// The chance of a value below `x`.
pub fn cumulative(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

/// The value below which a share of all values is.
pub fn quantile(share: f64) -> f64 {
    // Halving an interval finds every digit, and needs no coefficients.
    let (mut low, mut high) = (-40.0, 40.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if cumulative(middle) < share { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// A draw, by Box and Muller's transform.
pub fn draw(random: &mut SplitMix64) -> f64 {
    // 1 - u is above 0.
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - share(random.draw())));
    radius * libm::cos(std::f64::consts::TAU * share(random.draw()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_tables() {
        for (at, value) in
            [(0.5, 0.0), (0.975, 1.959_963_985), (0.8, 0.841_621_234), (0.001, -3.090_232_306)]
        {
            assert!((quantile(at) - value).abs() < 1e-8, "{at}: {}", quantile(at));
        }
    }

    #[test]
    fn draws_have_mean_0_and_variance_1() {
        let mut random = SplitMix64::new(3);
        let draws: Vec<f64> = (0..20_000).map(|_| draw(&mut random)).collect();
        let mean = draws.iter().sum::<f64>() / 2e4;
        let squares = draws.iter().map(|draw| draw * draw).sum::<f64>() / 2e4;
        assert!(mean.abs() < 0.03 && (squares - 1.0).abs() < 0.04, "{mean} {squares}");
    }
}
