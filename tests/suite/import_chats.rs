//! `ifs import chats`: tables of chats over pictures, from the file to a run.

use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;
use tempfile::TempDir;

const TABLE: &str = "\
Conversation ID,Turn,Prompt,All instructions,Topic,Capability,Image 1,Image 2,Answer
c1,1,\"Instruction: Start every sentence with the letter (S).
What is in Image1?\",Instruction: Start every sentence with the letter (S).,food,description,a.png,b.png,a cup
c1,2,What is in Image2?,Instruction: Start every sentence with the letter (S).,animals,description,a.png,b.png,a cat
c1,3,\"Instruction: Use the word 'per se' at least once in all future responses. Which is warmer?\",\"Instruction: Start every sentence with the letter (S). Instruction: Use the word 'per se' at least once in all future responses.\",animals,reasoning,a.png,b.png,
c2,1,Is the cup full?,,food,description,a.png,,no
";

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let pictures = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/mmmt/pictures");
    std::fs::create_dir(folder.path().join("photos")).unwrap();
    for (from, to) in [("shelf.png", "a.png"), ("line.png", "b.png")] {
        std::fs::copy(pictures.join(from), folder.path().join("photos").join(to)).unwrap();
    }
    folder
}

/// The output of a command on both channels, and its status.
fn ifs(at: &Path, args: &[&str]) -> (String, String, i32) {
    let ran = Command::new(env!("CARGO_BIN_EXE_ifs")).current_dir(at).args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&ran.stdout), text(&ran.stderr), ran.status.code().unwrap())
}

fn good(at: &Path, args: &[&str]) -> String {
    let (out, err, status) = ifs(at, args);
    assert_eq!(status, 0, "{args:?}\n{out}\n{err}");
    out
}

#[test]
fn published_instructions_are_stated_and_scored() {
    let folder = folder();
    let at = folder.path();
    std::fs::write(at.join("chats.csv"), TABLE).unwrap();
    let said = good(at, &["import", "chats", "chats.csv", "--images", "photos", "--out", "out"]);
    assert!(said.contains("2 chats of 4 turns, 2 instructions of the data"), "{said}");
    good(at, &["check", "out/published.ifs", "--deny-warnings"]);
    good(at, &["fmt", "--check", "out/published.ifs", "out/instructions.ifs"]);
    let drawn = good(
        at,
        &["draw", "out/published.ifs", "-n", "2", "--format", "jsonl", "--variant", "reminded"],
    );
    let turns: Vec<Json> = drawn.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(turns.len(), 4);
    assert_eq!(
        turns[0]["ask"],
        "Instruction: Start every sentence with the letter (S).\n\nWhat is in Image1?"
    );
    assert_eq!(turns[0]["show"].as_array().unwrap().len(), 2);
    assert_eq!(turns[1]["ask"], "What is in Image2?");
    assert_eq!(
        turns[1]["classes"],
        serde_json::json!(["capability: description", "topic: animals"])
    );
    let reminder = turns[2]["reminder"].as_str().unwrap();
    assert!(
        reminder.contains("Instruction: Start every sentence with the letter (S)."),
        "{reminder}"
    );
    assert!(reminder.contains("Instruction: Use the word 'per se' at least once"), "{reminder}");
    let constraints: Vec<&Json> = turns[2]["active_constraints"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["constraint"])
        .collect();
    assert_eq!(constraints, ["favorite_word.per_se", "sentence_start.with_s"]);
    assert!(turns[3]["active_constraints"].as_array().unwrap().is_empty());
    good(at, &["run", "out/published.ifs", "-n", "2", "-m", "sim/oracle", "--out", "run"]);
    let report = good(at, &["report", "run", "--format", "json"]);
    let report: Json = serde_json::from_str(&report).unwrap();
    let metrics = report["metrics"].as_array().unwrap();
    let pif = metrics.iter().find(|one| one["name"] == "PIF_as_released").unwrap();
    assert_eq!((&pif["value"], &pif["count"]), (&Json::from(1.0), &Json::from(2)));
    assert_eq!(report["answers"]["by_class"].as_array().unwrap().len(), 4);
}

/// Chats without instructions get the schedule of the paper.
#[test]
fn chats_without_instructions_are_extended() {
    let folder = folder();
    let at = folder.path();
    let table = "chat,turn,prompt,image1\nc,1,What is it?,photos/a.png\nc,2,And now?,\n";
    std::fs::write(at.join("plain.csv"), table).unwrap();
    good(at, &["import", "chats", "plain.csv", "--out", "out"]);
    let drawn = good(at, &["draw", "out/published.ifs", "-n", "1", "--format", "jsonl"]);
    let first: Json = serde_json::from_str(drawn.lines().next().unwrap()).unwrap();
    assert_eq!(first["changes"].as_array().unwrap().len(), 1);
    assert!(first["ask"].as_str().unwrap().ends_with("\n\nWhat is it?"), "{first}");
}

/// Columns of other names are named, and chats whose rows name no picture have a folder of their own.
#[test]
fn columns_and_pictures_of_other_names() {
    let folder = folder();
    let at = folder.path();
    std::fs::rename(at.join("photos"), at.join("7")).unwrap();
    let table = "Gespräch,Runde,Frage,Thema,Image 1\n7,1,What is it?,food,\n7,2,And now?,food,\n";
    std::fs::write(at.join("t.csv"), table).unwrap();
    let base = ["import", "chats", "t.csv", "--out", "out"];
    let named = ["--column", "chat=Gespräch", "--column", "turn=Runde", "--column", "topic=Thema"];
    let (_, said, status) = ifs(at, &[&base[..], &named].concat());
    assert!(status == 3 && said.contains("`--column prompt=NAME`"), "{said}");
    let all = [&base[..], &named, &["--column", "prompt=Frage"]].concat();
    good(at, &all);
    let drawn = good(at, &["draw", "out/published.ifs", "-n", "1", "--format", "jsonl"]);
    let first: Json = serde_json::from_str(drawn.lines().next().unwrap()).unwrap();
    assert_eq!(first["show"].as_array().unwrap().len(), 2, "{first}");
    assert_eq!(first["classes"], serde_json::json!(["topic: food"]));
    for (column, status, expected) in [
        ("Frage", 2, "`--column Frage` names no column: expected ROLE=NAME"),
        ("question=Frage", 3, "a column cannot hold `question`: expected one of `chat`, `turn`"),
        ("answer=Antwort", 3, "the table has no column `Antwort`; its columns are `Gespräch`"),
    ] {
        let refused = ifs(
            at,
            &[&["import", "chats", "t.csv", "--out", "o"][..], &["--column", column]].concat(),
        );
        assert_eq!(refused.2, status, "{}", refused.1);
        assert!(refused.1.contains(expected), "{expected}\n{}", refused.1);
    }
    let refused = ifs(at, &["import", "dialogues", "t.csv", "--out", "o", "--column", "chat=a"]);
    assert!(refused.2 == 2 && refused.1.contains("`--column` requires"), "{}", refused.1);
}

#[test]
fn faults_have_a_line_and_a_column() {
    let folder = folder();
    let at = folder.path();
    let bad = TABLE.replace("c1,2,", "c1,7,").replace("b.png,a cat", "cat.png,a cat");
    std::fs::write(at.join("bad.csv"), bad.replace("'per se'", "'so to say'")).unwrap();
    let args = ["import", "chats", "bad.csv", "--images", "photos", "--out", "out"];
    let (_, said, status) = ifs(at, &args);
    assert_eq!(status, 3, "{said}");
    for expected in [
        "bad.csv:4: column `Turn`: expected turn 2, found `7` (chat `c1`)",
        "bad.csv:4: column `Image 2`: picture `cat.png`: `photos/cat.png` cannot be read",
        "bad.csv:5: column `All instructions`: `Use the word 'so to say' at least once",
        "`bad.csv` has 3 faults; nothing was written",
    ] {
        assert!(said.contains(expected), "{expected}\n{said}");
    }
    assert!(!at.join("out").exists());
    let left = good(at, &[&args[..], &["--leave-out"]].concat());
    assert!(left.contains("1 chat of 1 turn"), "{left}");
    for (table, expected) in [
        (
            "a,b\n1,2\n",
            "line 1: no column is known to hold the chat: name it with `--column chat=NAME`; the columns are `a`, `b`",
        ),
        ("chat,turn,prompt\n1,2\n", "line 2: it has 2 fields, and the first line has 3"),
        ("chat,turn,prompt\n", "the table has no rows"),
        ("chat,turn,prompt,image1\nc,1,Q?,../photos/a.png\n", "its name leads out of"),
        ("chat,turn,prompt,image1\nc,1,Q?,bad.csv\n", "column `image1`: picture `bad.csv`"),
        ("chat,turn,prompt,image1\nc,1,Q?,\n", "2: column `image1`: the chat has no picture"),
        (
            "chat,turn,prompt,image1\nc,1,,photos/a.png\n",
            "column `prompt`: the prompt asks nothing",
        ),
    ] {
        std::fs::write(at.join("t.csv"), table).unwrap();
        let (_, said, status) = ifs(at, &["import", "chats", "t.csv", "--out", "o"]);
        assert_eq!(status, 3, "{table}\n{said}");
        assert!(said.contains(expected), "{expected}\n{said}");
        assert!(!at.join("o").exists());
    }
    let (_, said, status) = ifs(at, &["import", "chats", "bad.csv", "--judged", "--out", "o"]);
    assert_eq!(status, 2, "{said}");
    let (_, said, status) =
        ifs(at, &["import", "dialogues", "bad.csv", "--images", "photos", "--out", "o"]);
    assert!(status != 0 && said.contains("--images"), "{said}");
}
