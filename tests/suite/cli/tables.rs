//! `ifs grade` on tables: `just arrow`.

use super::*;

const ROWS: &str = r#"{"id": 7, "answer": "One two.", "constraint": "std.ifeval.punctuation.no_comma", "source": "a"}
{"id": 8, "answer": "One, two.", "constraint": "std.ifeval.punctuation.no_comma", "source": "b"}
{"id": 9, "answer": "Three.", "constraint": "std.ifeval.nothing", "source": "c"}
"#;

#[cfg(not(feature = "arrow"))]
#[test]
fn table_formats_name_their_feature() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rows.jsonl"), ROWS).unwrap();
    for format in ["arrow-stream", "parquet"] {
        let refused = ifs(folder.path(), &["grade", "rows.jsonl", "--format", format]).ends(USAGE);
        assert!(refused.err.contains("feature `arrow`"), "{}", refused.err);
        assert!(refused.out.is_empty());
    }
    let lines = ifs(folder.path(), &["grade", "rows.jsonl"]).ends(INPUT).out;
    let same = ifs(folder.path(), &["grade", "rows.jsonl", "--format", "jsonl"]).ends(INPUT).out;
    assert_eq!(lines, same);
}

#[cfg(feature = "arrow")]
mod with_tables {
    use std::path::Path;
    use std::sync::Arc;

    use arrow_array::cast::AsArray as _;
    use arrow_array::{Int64Array, RecordBatch, StringArray};
    use arrow_schema::{DataType, Field, Schema};
    use ifs::grade::table::{TableBatches, TableEncoding, TableSource, TableWriter};

    use super::*;

    const COMMA: &str = "std.ifeval.punctuation.no_comma";

    fn batch(from: i64, texts: &[Option<&str>]) -> RecordBatch {
        let field = |name: &str| Field::new(name, DataType::Utf8, true);
        let schema = Schema::new(vec![
            Field::new("key", DataType::Int64, false),
            field("response"),
            field("constraint"),
            field("source"),
        ]);
        let keys = Int64Array::from_iter_values(from..from + texts.len() as i64);
        let constraints = StringArray::from_iter_values(texts.iter().map(|_| COMMA));
        let sources = StringArray::from_iter_values(texts.iter().map(|_| "web"));
        let texts = StringArray::from_iter(texts);
        RecordBatch::try_new(
            Arc::new(schema),
            vec![Arc::new(keys), Arc::new(texts), Arc::new(constraints), Arc::new(sources)],
        )
        .unwrap()
    }

    fn write(form: TableEncoding, at: &Path, batches: &[RecordBatch]) {
        let mut writer = TableWriter::new(form, &batches[0].schema()).unwrap();
        let mut bytes = Vec::new();
        batches.iter().for_each(|batch| bytes.extend(writer.write(batch).unwrap()));
        bytes.extend(writer.finish().unwrap());
        std::fs::write(at, bytes).unwrap();
    }

    /// The ids and strict verdicts in a file, with the names of its columns.
    fn read(form: TableEncoding, at: &Path) -> (Vec<String>, Vec<(String, Option<bool>)>) {
        let file = std::fs::File::open(at).unwrap();
        let batches = TableBatches::read(form, TableSource::File(file)).unwrap();
        let names = batches.schema.fields().iter().map(|field| field.name().clone()).collect();
        let mut rows = Vec::new();
        for batch in batches {
            let batch = batch.unwrap();
            let ids = batch.column(0).as_string::<i32>().iter();
            let strict = batch.column(1).as_boolean().iter();
            rows.extend(ids.zip(strict).map(|(id, strict)| (id.unwrap().to_owned(), strict)));
        }
        (names, rows)
    }

    #[test]
    fn shards_of_tables_are_all_rows() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for (form, name) in
            [(TableEncoding::ArrowStream, "arrow-stream"), (TableEncoding::Parquet, "parquet")]
        {
            let parts = [
                batch(0, &[Some("One."), Some("One, two."), None]),
                batch(3, &[Some("Four, five."), Some("Six.")]),
            ];
            write(form, &at("a"), &parts);
            write(form, &at("b"), &[batch(5, &[Some("Seven.")])]);
            let grade = |shard: &str| {
                let given = ["grade", "a", "b", "--format", name, "--shard", shard, "--out", "out"];
                ifs(folder.path(), &given);
                read(form, &at("out"))
            };
            let (names, all) = grade("1/1");
            let fixed = ["id", "strict", "loose", "share", "constraints", "error", "source"];
            assert_eq!(names, fixed);
            let strict: Vec<Option<bool>> = all.iter().map(|(_, strict)| *strict).collect();
            let (held, missed) = (Some(true), Some(false));
            assert_eq!(strict, [held, missed, None, missed, held, held]);
            let ids: Vec<&str> = all.iter().map(|(id, _)| id.as_str()).collect();
            assert_eq!(ids, ["0", "1", "2", "3", "4", "5"]);
            let (_, odd) = grade("1/2");
            let (_, even) = grade("2/2");
            let both: Vec<_> = odd.into_iter().zip(even).flat_map(|(a, b)| [a, b]).collect();
            assert_eq!(both, all);
        }
    }

    #[test]
    fn totals_are_those_of_the_lines() {
        let folder = tempfile::tempdir().unwrap();
        let texts = [Some("One."), Some("One, two."), Some("")];
        write(TableEncoding::Parquet, &folder.path().join("a"), &[batch(0, &texts)]);
        let line = |text: &Option<&str>| {
            let row = serde_json::json!({"response": text, "constraint": COMMA});
            format!("{row}\n")
        };
        let lines: String = texts.iter().map(line).collect();
        std::fs::write(folder.path().join("a.jsonl"), lines).unwrap();
        let of = |args: &[&str]| {
            ifs(folder.path(), &[&["grade", "--totals"], args].concat()).ends(GOOD).out
        };
        assert_eq!(of(&["a", "--format", "parquet"]), of(&["a.jsonl"]));
    }

    #[test]
    fn non_tables_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("rows.jsonl"), ROWS).unwrap();
        std::fs::write(folder.path().join("out"), "kept").unwrap();
        for format in ["arrow-stream", "parquet"] {
            let given = ["grade", "rows.jsonl", "--format", format, "--out", "out"];
            let refused = ifs(folder.path(), &given).ends(INPUT);
            assert!(refused.err.contains("`rows.jsonl` cannot be read"), "{}", refused.err);
        }
        assert_eq!(std::fs::read_to_string(folder.path().join("out")).unwrap(), "kept");
        write(TableEncoding::Parquet, &folder.path().join("a"), &[batch(0, &[Some("One.")])]);
        let other = batch(0, &[Some("One.")]).project(&[1, 2]).unwrap();
        write(TableEncoding::Parquet, &folder.path().join("b"), &[other]);
        let refused =
            ifs(folder.path(), &["grade", "a", "b", "--format", "parquet", "--totals"]).ends(INPUT);
        assert!(refused.err.contains("the columns of `b` are not those of `a`"), "{}", refused.err);
    }
}
