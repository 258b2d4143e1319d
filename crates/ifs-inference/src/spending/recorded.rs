//! The costs of the requests in a journal.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use serde::Deserialize;

use super::{Latency, ModelSpending, RequestRole};
use crate::journal::MAX_RECORD_BYTES;
use crate::provider::Usage;
use crate::{Price, Spent};
use ifs_base::world;

/// The parts of a record that count.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum CountedRecord<'a> {
    #[serde(borrow)]
    Call(CountedCall<'a>),
    #[serde(borrow)]
    Failed(CountedFailure<'a>),
}

#[derive(Deserialize)]
struct CountedCall<'a> {
    #[serde(borrow)]
    at: Cow<'a, str>,
    #[serde(borrow)]
    model: Cow<'a, str>,
    tries: u32,
    latency_ms: Option<u64>,
    #[serde(default)]
    batch: bool,
    spent: Usage,
}

#[derive(Deserialize)]
struct CountedFailure<'a> {
    #[serde(borrow)]
    at: Cow<'a, str>,
    #[serde(borrow)]
    model: Cow<'a, str>,
    tries: u32,
}

/// What the requests in a journal took, by role and then by model. A record that cannot be read counts
/// nothing: the journal is verified when a run is resumed.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn spending(
    journal: &Path,
    price: impl Fn(&str) -> Option<Price>,
) -> Result<Vec<ModelSpending>, std::io::Error> {
    let mut reader = BufReader::with_capacity(1 << 16, world::open_regular(journal)?);
    let mut all: BTreeMap<(RequestRole, String), (ModelSpending, Vec<u64>)> = BTreeMap::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        if (&mut reader).take(MAX_RECORD_BYTES as u64).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let Some(start) = line.iter().position(|byte| *byte == b'{') else { continue };
        let Ok(record) = serde_json::from_slice::<CountedRecord<'_>>(&line[start..]) else {
            continue;
        };
        let (at, model) = match &record {
            CountedRecord::Call(call) => (&call.at, &call.model),
            CountedRecord::Failed(failure) => (&failure.at, &failure.model),
        };
        let (role, model) = (RequestRole::at(at), model.clone().into_owned());
        let its_price = price(&model);
        let (of_model, latencies) = all.entry((role, model.clone())).or_insert_with(|| {
            let none = ModelSpending {
                role,
                model,
                spent: Spent::default(),
                priced: its_price.is_some(),
                cached: 0,
                written: 0,
                retries: 0,
                failed: 0,
                reused: 0,
                latency: None,
            };
            (none, Vec::new())
        });
        match record {
            CountedRecord::Failed(failure) => {
                of_model.failed += 1;
                of_model.retries += u64::from(failure.tries.saturating_sub(1));
            }
            CountedRecord::Call(call) if call.tries == 0 => of_model.reused += 1,
            CountedRecord::Call(call) => {
                let its_price = if call.batch { its_price.map(Price::half) } else { its_price };
                of_model.spent.add(&Spent::of_call(&call.spent, its_price));
                of_model.cached += call.spent.cached.unwrap_or(0);
                of_model.written += call.spent.written.unwrap_or(0);
                of_model.retries += u64::from(call.tries.saturating_sub(1));
                latencies.extend(call.latency_ms);
            }
        }
    }
    let finished =
        |(spending, latencies)| ModelSpending { latency: Latency::of(latencies), ..spending };
    Ok(all.into_values().map(finished).collect())
}
