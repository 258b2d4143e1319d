//! Human labels from a CSV file.

use serde::Deserialize;

/// The subject of a label: dialogue, index, turn, sample, and the constraint.
pub type LabelKey = (String, u64, u32, u32, String);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HumanLabel {
    /// The line of the file, from 1.
    pub line: u64,
    pub about: LabelKey,
    pub rater: String,
    pub said: LabelValue,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelValue {
    Held(bool),
    /// A mark for a constraint with a scale; otherwise 1 for held and 0 for missed.
    Number(i64),
}

#[derive(Deserialize)]
struct HumanLabelRow {
    dialogue: String,
    index: u64,
    turn: u32,
    #[serde(default)]
    sample: Option<u32>,
    constraint: String,
    label: String,
    #[serde(default)]
    rater: Option<String>,
}

/// The rater, if the file names none.
const DEFAULT_RATER: &str = "human";

/// All labels of a file, or the first invalid line and the reason.
pub fn labels(text: &str) -> Result<Vec<HumanLabel>, (u64, String)> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let line = |error: &csv::Error| error.position().map_or(1, csv::Position::line);
    let headers = reader.headers().map_err(|error| (line(&error), error.to_string()))?.clone();
    let mut labels: Vec<HumanLabel> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| (line(&error), error.to_string()))?;
        let at = record.position().map_or(0, csv::Position::line);
        let row: HumanLabelRow = record.deserialize(Some(&headers)).map_err(|error| {
            let why = match error.kind() {
                csv::ErrorKind::Deserialize { err, .. } => err.kind().to_string(),
                _ => error.to_string(),
            };
            (at, format!("{why}; the columns are {}", LABEL_COLUMNS))
        })?;
        let said = parse_label(&row.label).ok_or_else(|| {
            (at, format!("`{}` is not a label; write yes, no or a mark", row.label))
        })?;
        let rater = row.rater.filter(|rater| !rater.is_empty());
        labels.push(HumanLabel {
            line: at,
            about: (row.dialogue, row.index, row.turn, row.sample.unwrap_or(0), row.constraint),
            rater: rater.unwrap_or_else(|| DEFAULT_RATER.to_owned()),
            said,
        });
    }
    Ok(labels)
}

const LABEL_COLUMNS: &str =
    "dialogue, index, turn, constraint, label, and where wanted rater and sample";

fn parse_label(label: &str) -> Option<LabelValue> {
    match label.to_lowercase().as_str() {
        "yes" | "held" | "true" => Some(LabelValue::Held(true)),
        "no" | "missed" | "false" => Some(LabelValue::Held(false)),
        other => other.parse().ok().map(LabelValue::Number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_in_any_order_of_columns() {
        let text = "rater,label,constraint,turn,index,dialogue\nada, Yes ,calm,1,0,talk\n,7,deep,2,3,talk\n";
        let found = labels(text).unwrap();
        assert_eq!(found[0].about, ("talk".to_owned(), 0, 1, 0, "calm".to_owned()));
        assert_eq!((found[0].rater.as_str(), found[0].said), ("ada", LabelValue::Held(true)));
        assert_eq!((found[1].rater.as_str(), found[1].said), ("human", LabelValue::Number(7)));
        assert_eq!(found[1].line, 3);
    }

    #[test]
    fn invalid_rows() {
        let head = "dialogue,index,turn,constraint,label\n";
        for (text, line, why) in [
            (format!("{head}talk,0,1,calm,maybe\n"), 2, "not a label"),
            (format!("{head}talk,0,1,calm,yes\ntalk,x,1,calm,yes\n"), 3, "columns are"),
            (format!("{head}talk,0,1\n"), 2, "fields"),
            ("dialogue,index\ntalk,0\n".to_owned(), 2, "columns are"),
        ] {
            let (at, said) = labels(&text).unwrap_err();
            assert_eq!(at, line, "{said}");
            assert!(said.contains(why), "{said}");
        }
        assert_eq!(labels(head).unwrap(), []);
        assert!(labels("\u{0}\"").is_ok_and(|found| found.is_empty()));
    }
}
