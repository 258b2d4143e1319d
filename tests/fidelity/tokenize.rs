//! NLTK's sentences and tokens, and the `\w+` words, of the hand-written texts.

use std::path::Path;

use ifs::text::{Text, Unit};
use serde::Deserialize;
use serde_json::Value as Json;

use crate::Row;
use crate::official::{Tally, records, texts, texts_of};

#[derive(Deserialize)]
struct Case {
    text_id: String,
    sentences: Json,
    word_tokenize: Json,
    regex_words: Json,
}

pub(crate) fn compare(data: &Path) -> Vec<Row> {
    let Some(texts) = texts(data) else { return Vec::new() };
    let Some(cases) = records::<Case>(data, "ifeval/tokenize_edge_cases.jsonl") else {
        return Vec::new();
    };
    let mut rows = Vec::new();
    let mut suite = |name: &str, unit: Unit, official: &dyn Fn(&Case) -> Vec<String>| {
        let mut tally = Tally::new(format!("tokenize {name}"));
        for case in &cases {
            let Some(text) = texts.get(&case.text_id) else {
                tally.leave_out();
                continue;
            };
            let text = Text::new(text);
            let ours: Vec<String> = text.pieces(unit).map(plain).collect();
            let theirs: Vec<String> = official(case).iter().map(|piece| plain(piece)).collect();
            tally.compare(ours == theirs, || {
                format!("{}: official {theirs:?}, here {ours:?}", case.text_id)
            });
        }
        rows.push(tally.row());
    };
    suite("sentence.punkt", Unit::SentencePunkt, &|case| texts_of(&case.sentences));
    suite("token", Unit::Token, &|case| texts_of(&case.word_tokenize));
    suite("word.pattern", Unit::WordPattern, &|case| texts_of(&case.regex_words));
    rows
}

/// The tokenizer writes double quotes as `` and ''; our tokens are verbatim.
fn plain(piece: &str) -> String {
    match piece {
        "``" | "''" => "\"".to_owned(),
        other => other.to_owned(),
    }
}
