//! Judges against people, model by model: does a judge favour its own model? (MMMT-IF, table 4)

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// The mark that a judge, or a person, gave to a model's answer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct AnswerMark {
    pub judge: String,
    pub model: String,
    /// The identifier of the answer, the same for every judge.
    pub item: String,
    pub mark: f64,
    /// The quality that was marked, if there are several: `accuracy`, `instructions`.
    #[serde(default)]
    pub quality: String,
    /// The other model, if the judge compared two answers: the mark is above 0 if `model` was
    /// preferred, 0 for a tie, and below 0 if `other` was preferred.
    #[serde(default)]
    pub other: String,
}

#[derive(Debug, thiserror::Error)]
pub enum MarksError {
    #[error("line {line}: {why}")]
    Row { line: u64, why: String },
    #[error("line {line}: `{judge}` marks `{item}` of `{model}` a second time")]
    Twice { line: u64, judge: String, model: String, item: String },
    #[error("there is no mark by `{0}` in it")]
    NoHuman(String),
    #[error(
        "item `{0}` is not an answer of a run: expected `DIALOGUE/TURN` or `DIALOGUE`, both numbers, such as `3/7`"
    )]
    Item(String),
    #[error(
        "no mark is for an answer of these runs: the marks are for {marked}, and the runs are of {runs}"
    )]
    NoRun { marked: String, runs: String },
}

/// The marks of one judge for one model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BiasRow {
    pub quality: String,
    pub judge: String,
    pub model: String,
    /// Answers that people also marked.
    pub count: usize,
    pub mean: f64,
    /// The mean mark that people gave to the same answers.
    pub human: f64,
    /// The judge's mark minus that of people, relative to the average over models: above 0, it
    /// favours this model.
    pub favour: f64,
    /// The rank of the model, best first, by the judge and by people.
    pub place: usize,
    pub human_place: usize,
    /// Whether the judge has the name of the model.
    pub own: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bias {
    pub human: String,
    pub rows: Vec<BiasRow>,
    /// Marks of judges for answers that no person marked; they are left out.
    pub unmatched: usize,
}

/// Reads marks from CSV with the columns `judge`, `model`, `item`, `mark` and optionally `quality`.
///
/// # Errors
///
/// Returns an error if a row has another form, a mark is not a finite number, or a judge marked an
/// answer twice.
pub fn read_marks(text: &str) -> Result<Vec<AnswerMark>, MarksError> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let mut marks: Vec<AnswerMark> = Vec::new();
    let mut known = BTreeSet::new();
    // The first line has the names of the columns.
    for (line, row) in (2..).zip(reader.deserialize::<AnswerMark>()) {
        let mark = row.map_err(|error| {
            let line = error.position().map_or(line, csv::Position::line);
            let why = match error.kind() {
                csv::ErrorKind::Deserialize { err, .. } => err.kind().to_string(),
                _ => error.to_string(),
            };
            MarksError::Row { line, why }
        })?;
        if !mark.mark.is_finite() {
            return Err(MarksError::Row { line, why: format!("`{}` is not a mark", mark.mark) });
        }
        let AnswerMark { judge, model, item, quality, other, .. } = &mark;
        let of = [judge, model, item, quality, other].map(String::clone);
        if !known.insert(of) {
            let (judge, model, item) = (judge.clone(), model.clone(), item.clone());
            return Err(MarksError::Twice { line, judge, model, item });
        }
        marks.push(mark);
    }
    Ok(marks)
}

/// The marks of every judge for every model, on the answers that people also marked.
///
/// # Errors
///
/// Returns an error if the marks have none of the name `human`.
pub fn bias(marks: &[AnswerMark], human: &str) -> Result<Bias, MarksError> {
    type Answer<'m> = (&'m str, &'m str, &'m str);
    let answer =
        |mark: &'_ AnswerMark| (mark.quality.clone(), mark.model.clone(), mark.item.clone());
    let people: BTreeMap<_, f64> = marks
        .iter()
        .filter(|mark| mark.judge == human)
        .map(|mark| (answer(mark), mark.mark))
        .collect();
    if people.is_empty() {
        return Err(MarksError::NoHuman(human.to_owned()));
    }
    // (quality, judge, model): the judge's marks and those of people.
    let mut cells: BTreeMap<Answer<'_>, Vec<(f64, f64)>> = BTreeMap::new();
    let mut unmatched = 0;
    for mark in marks.iter().filter(|mark| mark.judge != human) {
        match people.get(&answer(mark)) {
            Some(person) => {
                let cell = cells.entry((&mark.quality, &mark.judge, &mark.model)).or_default();
                cell.push((mark.mark, *person));
            }
            None => unmatched += 1,
        }
    }
    let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / numbers.len() as f64;
    let mut rows: Vec<BiasRow> = cells
        .into_iter()
        .map(|((quality, judge, model), cell)| BiasRow {
            quality: quality.to_owned(),
            judge: judge.to_owned(),
            model: model.to_owned(),
            count: cell.len(),
            mean: mean(&cell.iter().map(|pair| pair.0).collect::<Vec<_>>()),
            human: mean(&cell.iter().map(|pair| pair.1).collect::<Vec<_>>()),
            favour: 0.0,
            place: 0,
            human_place: 0,
            own: judge.eq_ignore_ascii_case(model),
        })
        .collect();
    for judge in
        rows.chunk_by_mut(|one, next| (&one.quality, &one.judge) == (&next.quality, &next.judge))
    {
        let lean = mean(&judge.iter().map(|row| row.mean - row.human).collect::<Vec<_>>());
        let places: Vec<(usize, usize)> = judge
            .iter()
            .map(|row| {
                let ahead = |of: fn(&BiasRow) -> f64| {
                    1 + judge.iter().filter(|other| of(other) > of(row)).count()
                };
                (ahead(|row| row.mean), ahead(|row| row.human))
            })
            .collect();
        for (row, (place, human_place)) in judge.iter_mut().zip(places) {
            row.favour = row.mean - row.human - lean;
            (row.place, row.human_place) = (place, human_place);
        }
    }
    Ok(Bias { human: human.to_owned(), rows, unmatched })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKS: &str = "judge,model,item,mark\n\
        human,a,1,4\nhuman,a,2,6\nhuman,b,1,6\nhuman,b,2,8\n\
        a,a,1,9\na,a,2,9\na,b,1,8\na,b,2,8\na,b,3,1\n";

    /// Judge `a` gives its own model 9 where people give 5, and the other model 8 where they give
    /// 7.
    #[test]
    fn biased_judges_are_measured() {
        let found = bias(&read_marks(MARKS).unwrap(), "human").unwrap();
        assert_eq!(found.unmatched, 1);
        let [own, other] = found.rows.as_slice() else { panic!("{:?}", found.rows) };
        assert!(own.own && !other.own);
        assert_eq!((own.mean, own.human, own.favour), (9.0, 5.0, 1.5));
        assert_eq!((other.mean, other.human, other.favour), (8.0, 7.0, -1.5));
        assert_eq!((own.place, own.human_place, other.place, other.human_place), (1, 2, 2, 1));
    }

    #[test]
    fn invalid_mark_rows() {
        let wrong = |text: &str| read_marks(text).unwrap_err().to_string();
        assert!(wrong("judge,model,item,mark\na,b,1,high\n").starts_with("line 2: "));
        assert!(wrong("judge,model,item,mark\na,b,1,inf\n").starts_with("line 2: "));
        assert!(wrong("judge,model,mark\na,b,1\n").contains("item"));
        let twice = wrong("judge,model,item,mark\na,b,1,2\na,b,1,3\n");
        assert!(twice.starts_with("line 3: `a` marks `1` of `b`"), "{twice}");
        assert!(bias(&read_marks("judge,model,item,mark\na,b,1,2\n").unwrap(), "human").is_err());
    }
}
