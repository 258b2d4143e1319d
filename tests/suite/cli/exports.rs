//! `ifs report` for other programs: files and texts that they read.

use std::collections::BTreeMap;

use ifs::predicate::schema::Schema;
use ifs::predicate::value::Value;

use super::*;

/// The files of a zip archive.
pub fn unpacked(bytes: &[u8]) -> BTreeMap<String, Json> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut files = BTreeMap::new();
    for index in 0..archive.len() {
        let file = archive.by_index(index).unwrap();
        let name = file.name().unwrap().into_owned();
        files.insert(name, serde_json::from_reader(file).unwrap());
    }
    files
}

fn log(folder: &TempDir, path: &str) -> BTreeMap<String, Json> {
    unpacked(&fs::read(file(folder, path)).unwrap())
}

/// inspect_ai's own reader reads such logs in `just interop`.
#[test]
fn a_log_of_inspect_has_every_dialogue_and_score() {
    let folder = with_run(&["-m", "sim/forgetful", "--max-turns", "3"]);
    let at = folder.path();
    let ran = ifs(at, &["report", "out", "--format", "inspect", "--out", "logs"]).ends(GOOD);
    let path = ran.out.trim();
    assert!(path.starts_with("logs/20") && path.ends_with(".eval"), "{path}");
    let log = log(&folder, path);
    let names: Vec<&str> = log.keys().map(String::as_str).collect();
    let samples: Vec<String> =
        (0..4).map(|index| format!("samples/{index}_epoch_1.json")).collect();
    for name in ["_journal/start.json", "header.json", "summaries.json", "reductions.json"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let report = ifs(at, &["report", "out", "--format", "json"]).ends(GOOD).json();
    let header = &log["header.json"];
    assert_eq!(header["version"], 2);
    assert_eq!(header["status"], "success");
    for required in ["created", "task", "dataset", "model", "config"] {
        assert!(!header["eval"][required].is_null(), "{required}");
    }
    assert_eq!(header["eval"]["model"], "sim/forgetful");
    assert_eq!(header["eval"]["metadata"]["definition_hash"], report["plan_hash"]);
    assert_eq!(header["eval"]["metadata"]["simulated_model"], true);
    // The results are the metrics of the report, with their standard errors.
    let scores = header["results"]["scores"].as_array().unwrap();
    assert!(scores.len() > 3, "{scores:?}");
    for score in scores {
        let metrics = report["metrics"].as_array().unwrap();
        let metric = metrics.iter().find(|metric| metric["name"] == score["name"]).unwrap();
        assert_eq!(score["metrics"]["value"]["value"], metric["value"]);
        assert_eq!(score["metrics"]["stderr"]["value"], metric["standard_error"]);
    }
    let transcripts = lines(&read(&folder, "out/transcripts.jsonl"));
    assert_eq!(log["summaries.json"].as_array().unwrap().len(), transcripts.len());
    for (name, held) in samples.iter().zip(&transcripts) {
        let sample = &log[name];
        assert_eq!(sample["id"], held["index"]);
        let messages = sample["messages"].as_array().unwrap();
        assert_eq!(messages[0]["role"], "system");
        let said = messages[1..].iter().map(|message| message["content"].as_str().unwrap());
        let turns = held["turns"].as_array().unwrap().iter();
        let wanted = turns.flat_map(|turn| [&turn["ask"], &turn["samples"][0]["answer"]]);
        assert!(said.eq(wanted.map(|text| text.as_str().unwrap())), "{name}");
        assert_eq!(
            sample["limit"]["type"],
            if held["ending"] == "patience" { "custom" } else { "turn" }
        );
        // A request has the complete conversation before it.
        let events = sample["events"].as_array().unwrap();
        let requests = events.iter().filter(|event| event["event"] == "model");
        let mut sent = 0;
        for (turn, request) in requests.enumerate() {
            let ranges = request["input_refs"].as_array().unwrap();
            let length = |range: &Json| range[1].as_u64().unwrap() - range[0].as_u64().unwrap();
            assert_eq!(ranges.iter().map(length).sum::<u64>(), 2 * turn as u64 + 2);
            sent += 1;
        }
        assert_eq!(sent, held["turns"].as_array().unwrap().len());
    }
    // The reasons of the first failure are in an intermediate score.
    let failed = transcripts.iter().position(|held| {
        held["turns"][0]["samples"][0]["verdicts"]
            .as_array()
            .unwrap()
            .iter()
            .any(|it| it["outcome"] == "missed")
    });
    if let Some(failed) = failed {
        let events = log[&samples[failed]]["events"].to_string();
        assert!(events.contains("missed "), "{events}");
    }
    let again = ifs(at, &["report", "out", "--format", "inspect", "--out", "again"]).ends(GOOD);
    let bytes = |path: &str| fs::read(file(&folder, path.trim())).unwrap();
    assert_eq!(bytes(&again.out), bytes(path), "the same run gives the same log");
}

#[test]
fn inspect_logs_need_a_folder_and_mark_incomplete_runs() {
    let folder = with_run(&[]);
    let at = folder.path();
    ifs(at, &["report", "out", "--format", "inspect"]).ends(USAGE).says("requires `--out`");
    ifs(at, &["report", "out", "--out", "x"]).ends(USAGE).says("is for `--format inspect`");
    let lines = read(&folder, "out/transcripts.jsonl");
    let kept: Vec<&str> = lines.lines().take(2).collect();
    fs::remove_file(file(&folder, "out/transcripts.jsonl")).unwrap();
    fs::write(file(&folder, "out/transcripts.jsonl.part"), kept.join("\n") + "\n").unwrap();
    let mut manifest: Json = serde_json::from_str(&read(&folder, "out/run.json")).unwrap();
    manifest["complete"] = false.into();
    manifest.as_object_mut().unwrap().remove("transcripts");
    fs::write(file(&folder, "out/run.json"), crate::sealed(&manifest)).unwrap();
    let ran = ifs(at, &["report", "out", "--format", "inspect", "--out", "logs"]).ends(FAILED);
    let log = log(&folder, ran.out.trim());
    assert_eq!(log["header.json"]["status"], "cancelled");
    let warnings = log["header.json"]["eval"]["metadata"]["warnings"].to_string();
    assert!(warnings.contains("INCOMPLETE RUN: 2 of 4"), "{warnings}");
    assert_eq!(log["header.json"]["results"]["completed_samples"], 2);
}

/// The elements of a document, by their names.
fn elements<'d>(document: &'d roxmltree::Document<'_>, name: &str) -> Vec<roxmltree::Node<'d, 'd>> {
    document.descendants().filter(|node| node.has_tag_name(name)).collect()
}

#[test]
fn junit_has_a_case_for_each_dialogue() {
    let folder = with_run(&["-m", "sim/noisy:0.4"]);
    let at = folder.path();
    ifs(at, &["run", "talks", "-m", "sim/oracle", "-n", "4", "--out", "good"]).ends(GOOD);
    let ran = ifs(at, &["report", "out", "good", "--format", "junit"]).ends(GOOD);
    let document = roxmltree::Document::parse(&ran.out).unwrap();
    assert_eq!(elements(&document, "testsuite").len(), 2);
    let cases = elements(&document, "testcase");
    assert_eq!(cases.len(), 8);
    let report = ifs(at, &["report", "out", "--format", "json"]).ends(GOOD).json();
    for (case, dialogue) in cases.iter().zip(report["dialogues"].as_array().unwrap()) {
        let name = format!("dialogue {}", dialogue["index"]);
        assert_eq!(case.attribute("name"), Some(name.as_str()));
        let failure = case.children().find(|child| child.has_tag_name("failure"));
        assert_eq!(failure.is_some(), dialogue["failures"] != 0, "{dialogue}");
        if let Some(failure) = failure {
            let first = dialogue["misses"][0]["constraint"].as_str().unwrap();
            assert!(failure.text().unwrap().contains(first), "{failure:?}");
        }
    }
    let suite = elements(&document, "testsuite")[1];
    assert_eq!(suite.attribute("failures"), Some("0"));
    assert_eq!(suite.attribute("tests"), Some("4"));
}

#[test]
fn tables_for_pull_requests_and_papers() {
    let folder = with_run(&["-m", "sim/noisy:0.4"]);
    let at = folder.path();
    ifs(at, &["run", "talks", "-m", "sim/oracle", "-n", "4", "--out", "good"]).ends(GOOD);
    let report = ifs(at, &["report", "out", "--format", "json"]).ends(GOOD).json();
    let share = report["metrics"][0]["value"].as_f64().unwrap();
    let shown = format!("| {:.1} % |", 100.0 * share);
    let markdown = ifs(at, &["report", "out", "--format", "markdown"]).ends(GOOD);
    markdown.says("> **Warning:** SIMULATED MODEL").says("| CSR | ").says(&shown);
    let latex = ifs(at, &["report", "out", "--format", "latex"]).ends(GOOD);
    latex.says("% SIMULATED MODEL").says("EDR\\_len & ").says("\\bottomrule");
    for (format, row) in
        [("markdown", "| sim/oracle | 100.00 |"), ("latex", "sim/oracle & 100.00 & ")]
    {
        ifs(at, &["report", "out", "good", "--format", format, "--metric", "ISR"])
            .ends(GOOD)
            .says(row);
    }
}

#[test]
fn gate_compares_the_value_or_a_bound() {
    let folder = with_run(&["-m", "sim/noisy:0.4"]);
    let at = folder.path();
    let report = ifs(at, &["report", "out", "--format", "json"]).ends(GOOD).json();
    let metrics = report["metrics"].as_array().unwrap();
    let isr = metrics.iter().find(|metric| metric["name"] == "ISR").unwrap();
    let (value, lower) =
        (isr["value"].as_f64().unwrap(), isr["interval"]["lower"].as_f64().unwrap());
    let upper = isr["interval"]["upper"].as_f64().unwrap();
    assert!(0.0 < lower && lower < value && value < upper && upper < 1.0, "{isr}");
    let gate = |bound: &str, least: f64| {
        let least = format!("ISR={least}");
        ifs(at, &["gate", "out", "--fail-under", &least, "--bound", bound]).status.unwrap()
    };
    for (bound, number) in [("value", value), ("lower", lower), ("upper", upper)] {
        assert_eq!(gate(bound, number), GOOD, "{bound} {number}");
        assert_eq!(gate(bound, number + 1e-9), FAILED, "{bound} {number}");
    }
    let over = format!("ISR={}%", 100.0 * (value + 0.01));
    let both = ["gate", "out", "--fail-under", "EDR_len=1", "--fail-under", &over];
    ifs(at, &both).ends(FAILED).says("passed  EDR_len is at least 1.00").says("FAILED  ISR");
    let json = ifs(at, &[&both[..], &["--format", "json"]].concat()).ends(FAILED).json();
    assert_eq!(json["runs"][0]["passed"], false);
    assert_eq!(json["runs"][0]["metrics"][0]["passed"], true);
    assert_eq!(json["runs"][0]["metrics"][1]["compared"], isr["value"]);
    let xml = ifs(at, &[&both[..], &["--format", "junit"]].concat()).ends(FAILED);
    let document = roxmltree::Document::parse(&xml.out).unwrap();
    assert_eq!(elements(&document, "testcase").len(), 2);
    assert_eq!(elements(&document, "failure").len(), 1);
    ifs(at, &[&both[..], &["--format", "markdown"]].concat()).ends(FAILED).says("| FAILED: ");
}

#[test]
fn gate_refuses_unreachable_thresholds() {
    let folder = scaffold();
    let at = folder.path();
    ifs(at, &["run", "talks", "--out", "out", "-n", "1"]).ends(GOOD);
    let gate = |least: &str| ifs(at, &["gate", "out", "--fail-under", least]);
    gate("IRS=0.5").ends(USAGE).says("`IRS` is not a metric").says("CSR, ISR, ROB").says("points");
    gate("ISR=80").ends(USAGE).says("not between 0 and 1").says("80%");
    gate("EDR_len=80%").ends(USAGE).says("is not a share");
    gate("ISR").ends(USAGE).says("ISR=0.8");
    gate("ISR=nan").ends(USAGE);
    ifs(at, &["gate", "out"]).ends(USAGE).says("--fail-under");
    // One dialogue has no interval, and this scenario no facts.
    let lower = ["gate", "out", "--fail-under", "ISR=0", "--bound", "lower"];
    ifs(at, &lower).ends(FAILED).says("no interval of fewer than 2");
    gate("points=0").ends(FAILED).says("it is undefined");
}

/// The script of the action, with inputs as GitHub gives them.
#[test]
fn the_action_writes_a_summary_and_fails_like_the_gate() {
    let folder = with_run(&["-m", "sim/noisy:0.4"]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let action = fs::read_to_string(root.join(".github/actions/ifs-gate/action.yml")).unwrap();
    let action: Json = serde_yaml::from_str(&action).unwrap();
    let step = &action["runs"]["steps"][0];
    let used: Vec<&str> =
        step["env"].as_object().unwrap().values().filter_map(Json::as_str).collect();
    for input in action["inputs"].as_object().unwrap().keys() {
        assert!(used.contains(&format!("${{{{ inputs.{input} }}}}").as_str()), "{input}: {used:?}");
    }
    let script = step["run"].as_str().unwrap();
    assert!(!script.contains("${{"), "an input in the script could be a command");
    for (thresholds, wanted) in [("EDR_len=1\nISR=0.01\n", GOOD), ("EDR_len=1\nISR=100%", FAILED)] {
        let mut bash = Command::new("bash");
        bash.args(["-c", script]).current_dir(folder.path());
        bash.env("RUNS", "out\n").env("LEAST", thresholds).env("BOUND", "value");
        bash.env("MOST", "");
        bash.env("INCOMPLETE", "false").env("JUNIT", "gate.xml");
        bash.env("IFS_PROGRAM", env!("CARGO_BIN_EXE_ifs")).env("GITHUB_STEP_SUMMARY", "summary.md");
        let ran = finished(bash.output().unwrap()).ends(wanted);
        assert_eq!(ran.out.contains("FAILED"), wanted == FAILED, "{}", ran.out);
        let xml = read(&folder, "gate.xml");
        let document = roxmltree::Document::parse(&xml).unwrap();
        assert_eq!(elements(&document, "testcase").len(), 2);
        assert!(read(&folder, "summary.md").contains("| EDR_len | "));
    }
}

/// The schema with its definitions in place, without what other fields may be there: a field that it
/// does not know is an error.
fn strict(schema: &Json, definitions: &Json) -> Json {
    match schema {
        Json::Object(fields) => {
            if let Some(name) = fields.get("$ref").and_then(Json::as_str) {
                let name = name.strip_prefix("#/$defs/").unwrap();
                return strict(&definitions[name], definitions);
            }
            let skipped = ["$schema", "$id", "$defs", "format", "title", "description", "default"];
            let kept = fields.iter().filter(|(name, _)| !skipped.contains(&name.as_str()));
            let mut strict: serde_json::Map<String, Json> = kept
                .map(|(name, value)| match (name.as_str(), value) {
                    // Its keys are names of fields, not keywords.
                    ("properties", Json::Object(fields)) => {
                        let of = |(name, field): (&String, &Json)| {
                            (name.clone(), self::strict(field, definitions))
                        };
                        (name.clone(), Json::Object(fields.iter().map(of).collect()))
                    }
                    // A tuple is a list of any of its items.
                    ("prefixItems", items) => {
                        let items = self::strict(items, definitions);
                        ("items".to_owned(), serde_json::json!({ "anyOf": items }))
                    }
                    _ => (name.clone(), self::strict(value, definitions)),
                })
                .collect();
            if strict.contains_key("properties") {
                strict.entry("additionalProperties").or_insert(Json::Bool(false));
            }
            Json::Object(strict)
        }
        Json::Array(all) => all.iter().map(|one| strict(one, definitions)).collect(),
        other => other.clone(),
    }
}

fn fits(document: &str, schema: &str) {
    let schema: Json = serde_json::from_str(schema).unwrap();
    let strict = strict(&schema, &schema["$defs"]);
    let schema = Schema::from_value(&Value::text(&strict.to_string())).unwrap();
    let read: Value = serde_json::from_str(document).unwrap();
    assert_eq!(schema.fits(&read).map_err(|misfit| misfit.to_string()), Ok(()));
}

#[test]
fn documents_fit_their_published_schemas() {
    let folder = with_run(&["-m", "sim/noisy:0.4"]);
    let at = folder.path();
    let schema = |name: &str| ifs(at, &["schema", name]).ends(GOOD).out;
    let report = schema("report");
    for more in [&[][..], &["--patience", "1"], &["--redact", "prompts"], &["--by", "topic"]] {
        let args = [&["report", "out", "--format", "json"], more].concat();
        let document = ifs(at, &args).ends(GOOD);
        fits(&document.out, &report);
        let wrong = document.out.replacen("\"plan_hash\"", "\"plan_hatch\"", 1);
        assert!(std::panic::catch_unwind(|| fits(&wrong, &report)).is_err());
    }
    fits(&ifs(at, &["score", "out", "--format", "json"]).ends(GOOD).out, &report);
    // PIF and the lengths of responses are in the reports of one scenario.
    let mmmt =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/mmmt/mmmt.ifs").display().to_string();
    ifs(at, &["run", &mmmt, "-n", "1", "-m", "sim/noisy:0.4", "-o", "mmmt"]).ends(GOOD);
    let document = ifs(at, &["report", "mmmt", "--format", "json"]).ends(GOOD);
    assert!(document.json()["answers"]["by_class"].as_array().is_some_and(|it| it.len() > 1));
    fits(&document.out, &report);
    let runs = ifs(at, &["report", "out", "out", "--format", "json"]).ends(GOOD);
    fits(&runs.out, &schema("runs"));
    let gate = ["gate", "out", "--fail-under", "ISR=0.9", "--fail-under", "points=1"];
    fits(&ifs(at, &[&gate[..], &["--format", "json"]].concat()).ends(FAILED).out, &schema("gate"));
    let other = ["run", "talks", "-n", "6", "-m", "sim/noisy:0.1", "-o", "other"];
    ifs(at, &other).ends(GOOD);
    let compare = schema("compare");
    for more in [&[][..], &["--by", "group"], &["--by", "topic"], &["--sizes", "2,4"]] {
        let args = [&["compare", "out", "other", "--format", "json"], more].concat();
        fits(&ifs(at, &args).ends(GOOD).out, &compare);
    }
    fits(&read(&folder, "out/run.json"), &schema("run"));
    for (lines, name) in [
        (read(&folder, "out/transcripts.jsonl"), "transcript"),
        (ifs(at, &["draw", "talks", "-n", "3", "--format", "jsonl"]).ends(GOOD).out, "draw"),
    ] {
        let schema = schema(name);
        assert!(lines.lines().count() > 2, "{name}");
        lines.lines().for_each(|line| fits(line, &schema));
    }
    let listed = ifs(at, &["schema"]).ends(GOOD).out;
    for name in ["report", "runs", "gate", "compare", "draw", "run", "transcript"] {
        assert!(listed.lines().any(|line| line.starts_with(name)), "{listed}");
    }
    for name in ["report", "runs", "gate", "compare", "run"] {
        let schema: Json = serde_json::from_str(&schema(name)).unwrap();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert!(schema["properties"]["schema"]["const"].is_u64(), "{name}");
        assert!(schema["required"].as_array().unwrap().contains(&Json::from("schema")), "{name}");
    }
}

/// The fields that version 0.3.0 of the schema requires.
#[test]
fn a_record_of_every_eval_ever_has_the_scores() {
    let folder = with_run(&["-m", "sim/noisy:0.4"]);
    let at = folder.path();
    let record = ifs(at, &["report", "out", "--format", "every-eval-ever"]).ends(GOOD).json();
    let report = ifs(at, &["report", "out", "--format", "json"]).ends(GOOD).json();
    for field in ["evaluation_id", "retrieved_timestamp"] {
        assert!(record[field].is_string(), "{field}");
    }
    assert_eq!(record["schema_version"], "0.3.0");
    assert_eq!(record["source_metadata"]["source_type"], "evaluation_run");
    assert_eq!(record["eval_library"]["name"], "ifs");
    assert_eq!(record["model_info"]["id"], "sim/noisy:0.4");
    let details = record["eval_library"]["additional_details"].as_object().unwrap();
    assert!(details.values().all(Json::is_string), "{details:?}");
    assert_eq!(details["definition_hash"], report["plan_hash"]);
    let results = record["evaluation_results"].as_array().unwrap();
    assert!(results.len() > 3);
    for result in results {
        let name = result["evaluation_name"].as_str().unwrap();
        let metrics = report["metrics"].as_array().unwrap().iter();
        let metric = metrics
            .clone()
            .find(|it| name.ends_with(&format!(": {}", it["name"].as_str().unwrap())));
        let metric = metric.unwrap();
        assert_eq!(result["score_details"]["score"], metric["value"]);
        let uncertainty = &result["score_details"]["uncertainty"];
        assert_eq!(uncertainty["standard_error"]["value"], metric["standard_error"]);
        assert_eq!(uncertainty["confidence_interval"]["lower"], metric["interval"]["lower"]);
        let config = &result["metric_config"];
        let score = metric["value"].as_f64().unwrap();
        assert!(config["min_score"].as_f64().unwrap() <= score, "{result}");
        assert!(score <= config["max_score"].as_f64().unwrap(), "{result}");
        assert_eq!(result["source_data"]["source_type"], "other");
    }
    ifs(at, &["report", "out", "out", "--format", "every-eval-ever"])
        .ends(USAGE)
        .says("of one run");
}

#[test]
fn worse_runs_fail_in_junit() {
    let folder = scaffold();
    let at = folder.path();
    for (model, out) in [("sim/oracle", "out"), ("sim/noisy:0.5", "worse")] {
        ifs(at, &["run", "talks", "-n", "24", "-m", model, "-o", out]).ends(GOOD);
    }
    let cases = |runs: [&str; 2]| {
        let [one, other] = runs;
        // Without `REC_as_released`, which is 0 for a model that never fails.
        let metrics = ["--metric", "CSR", "--metric", "ISR"];
        let args = [&["compare", one, other, "--format", "junit"][..], &metrics].concat();
        let xml = ifs(at, &args).ends(GOOD).out;
        let document = roxmltree::Document::parse(&xml).unwrap();
        (elements(&document, "testcase").len(), elements(&document, "failure").len())
    };
    let (metrics, failures) = cases(["out", "worse"]);
    assert!(metrics > 0 && failures > 0, "{metrics} {failures}");
    // The other way round nothing is worse.
    assert_eq!(cases(["worse", "out"]), (metrics, 0));
    let by = ["compare", "out", "worse", "--format", "junit", "--by", "group"];
    assert!(ifs(at, &by).ends(USAGE).err.contains("without `--by`"));
    // The same of each part.
    let parts = ifs(at, &["compare", "worse", "out", "--by", "group"]).ends(GOOD).out;
    assert!(parts.contains("over common dialogues") && parts.contains("improved"), "{parts}");
    assert!(!parts.contains("regressed"), "{parts}");
}

#[cfg(not(feature = "arrow"))]
#[test]
fn exports_name_their_feature() {
    let folder = with_run(&[]);
    for format in ["parquet", "arrow"] {
        let refused = ifs(folder.path(), &["report", "out", "--format", format]).ends(USAGE);
        assert!(refused.err.contains("feature `arrow`"), "{}", refused.err);
    }
}

/// `just arrow`
#[cfg(feature = "arrow")]
#[test]
fn parquet_and_arrow_have_the_rows_of_the_csv() {
    use arrow_array::RecordBatch;

    let folder = with_run(&["-m", "sim/noisy:0.4"]);
    let at = folder.path();
    let csv = ifs(at, &["report", "out", "--format", "csv"]).ends(GOOD).out;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let head: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let bytes = |format: &str| {
        let program = env!("CARGO_BIN_EXE_ifs");
        let args = ["report", "out", "--format", format];
        let output = std::process::Command::new(program).args(args).current_dir(at).output();
        bytes::Bytes::from(output.unwrap().stdout)
    };
    let parquet =
        parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(bytes("parquet"));
    let parquet: Vec<RecordBatch> = parquet.unwrap().build().unwrap().map(Result::unwrap).collect();
    let arrow = std::io::Cursor::new(bytes("arrow"));
    let arrow = arrow_ipc::reader::FileReader::try_new(arrow, None).unwrap();
    let arrow: Vec<RecordBatch> = arrow.map(Result::unwrap).collect();
    for batches in [parquet, arrow] {
        let [batch] = batches.as_slice() else { panic!("{} batches", batches.len()) };
        let schema = batch.schema();
        let names: Vec<&String> = schema.fields().iter().map(|field| field.name()).collect();
        assert_eq!(names, head.iter().collect::<Vec<_>>());
        assert_eq!(batch.num_rows(), rows.len());
        let column = |name: &str| batch.column_by_name(name).unwrap().as_any();
        let turns = column("turn").downcast_ref::<arrow_array::UInt64Array>().unwrap();
        let why = column("why").downcast_ref::<arrow_array::StringArray>().unwrap();
        let cell = |row: &csv::StringRecord, name: &str| {
            row[head.iter().position(|known| known == name).unwrap()].to_owned()
        };
        for (at, row) in rows.iter().enumerate() {
            assert_eq!(turns.value(at).to_string(), cell(row, "turn"));
            let wanted = Some(cell(row, "why")).filter(|why| !why.is_empty());
            assert_eq!(why.iter().nth(at).flatten().map(str::to_owned), wanted);
        }
    }
}
