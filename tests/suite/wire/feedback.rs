//! Feedback on a missed response, in the language of the task.

use super::*;

const TASK: &str = r#"ifs 1

benchmark feedback { title "Feedback" version "1.0.0" }

dialogue talk {
  turn {
    ask "请写三行关于潮水的诗，每行五个字，最后一行要有“月”字。"
    part    verses: list from lines "诗"
    require number len(verses) == 3 say "诗有三行"
    require sizes every v in verses: count(word in v) == 5 say "每行五个字"
    require moon verses[-1]: contains("月") say "最后一行有“月”" after number
    require named contains("潮")
  }
  retry up to 1 round with feedback
}
"#;

#[test]
fn a_chinese_task_has_chinese_feedback_throughout() {
    let server = Server::start(|_| answer("海水来了\n又走了"));
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("wire.ifs"), TASK).unwrap();
    run(&folder, &server, "1", &[]).ends(0);
    let log = server.log();
    let said = log[1].texts().pop().unwrap();
    assert_eq!(
        said,
        "上面的回答还有不符合要求的地方：\n\
         - 没有做到：诗有三行（诗有2项；它应当恰好有3项）\n\
         - 没有做到：每行五个字（第1项（共2个）（“海水来了”）有4个字；每项应当恰好有5个字（2个中有2个不符合））\n\
         - 没有做到：最后一行有“月”（“又走了”不含“月”；它应当含有“月”）\n\
         - 回答不含“潮”；它应当含有“潮”\n\
         \n\
         请改正后重新给出完整的回答，其他要求仍然有效。"
    );
    // Reasons for reports are in English.
    let why = transcripts(&folder)[0]["turns"][0]["samples"][0]["verdicts"][0]["why"].clone();
    assert_eq!(why, "the list of 诗 has 2 items; it must have exactly 3 items");
}

/// A bare text and a pattern are counted: what was found, and what was expected.
#[test]
fn feedback_names_the_found_and_the_expected_number() {
    let program = r#"ifs 1
benchmark feedback { title "Feedback" version "1.0.0" }
constraint one_question { say "Ask one question." check count("?") == 1 }
constraint marks { say "Put two things in square brackets." check count(/\[.+?\]/) == 2 }
constraint stairs { say "Let sentences grow." check every p in windows(2, sentence each count(word)): p[2] > p[1] }
dialogue talk {
  impose one_question
  impose marks
  impose stairs
  turn { ask "Advise me." }
  retry up to 1 round with feedback
}
"#;
    let server = Server::start(|_| {
        answer("Shy books carry each way what a reader may want of them, and [more] than that. No.")
    });
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("wire.ifs"), program).unwrap();
    run(&folder, &server, "1", &[]).ends(0);
    let said = server.log()[1].texts().pop().unwrap();
    assert!(!said.contains("starts with"), "{said}");
    for part in [
        "the response has no occurrences of \"?\"; it must have exactly 1 occurrence of \"?\"",
        "the response has 1 match (“[more]”); it must have exactly 2 matches",
        "1 word; ",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let reported = transcripts(&folder)[0]["turns"][0]["samples"][0]["verdicts"].clone();
    let why = |name: &str| {
        let all = reported.as_array().unwrap().iter();
        let one = all.into_iter().find(|verdict| verdict["constraint"] == name).unwrap();
        one["why"].as_str().unwrap().to_owned()
    };
    assert!(why("marks").ends_with("; expected: Put two things in square brackets."));
    assert!(why("one_question").ends_with("exactly 1 occurrence of \"?\""));
}

/// The history of two turns that a model misses at first.
fn history(head: &str, server: &Server) -> (TempDir, Vec<Vec<String>>) {
    let folder = TempDir::new().unwrap();
    let scenario = format!(
        "ifs 1\nbenchmark feedback {{ title \"Feedback\" version \"1.0.0\" }}\n\
         constraint stop {{ say \"End with a full stop.\" check ends_with(\"!\") }}\n\
         dialogue talk {{\n  {head}\n\
         turn one {{ ask \"ONE\" impose stop require r contains(\"zz\") say \"zz\" answer \"GOLD\" }}\n\
         turn two {{ ask \"TWO\" require r contains(\"zz\") say \"zz\" }}\n}}\n"
    );
    std::fs::write(folder.path().join("wire.ifs"), scenario).unwrap();
    run(&folder, server, "1", &[]).ends(0);
    let sent = server.log().iter().map(Asked::texts).collect();
    (folder, sent)
}

#[test]
fn feedback_lists_misses_by_line() {
    for form in ["chat", "fresh"] {
        let server = Server::start(|_| answer("No."));
        let (_, sent) = history(&format!("retry up to 1 round with feedback as {form}"), &server);
        let said = sent[1].last().unwrap();
        let lines: Vec<&str> = said.lines().collect();
        let first = lines.iter().position(|line| line.starts_with("- ")).unwrap();
        assert!(lines[first - 1].ends_with(':'), "{said}");
        assert_eq!(lines.iter().filter(|line| line.starts_with("- ")).count(), 2, "{said}");
    }
}

#[test]
fn golden_history_omits_feedback_rounds() {
    let head = "context golden\nretry up to 1 round with feedback";
    let server = Server::start(|_| answer("No."));
    let (_, sent) = history(head, &server);
    // Two turns with a round each.
    assert_eq!(sent.len(), 4);
    assert_eq!(sent[2], [&sent[0][0], "GOLD", "TWO"]);
    // A model that passes at once has the same history.
    let server = Server::start(|_| answer("zz!"));
    let (_, passed) = history(head, &server);
    assert_eq!(passed.last(), Some(&sent[2]));
}

#[test]
fn sent_lengths_include_rounds() {
    let server = Server::start(|_| answer("No."));
    let (folder, sent) = history("retry up to 1 round with feedback", &server);
    let output = command(folder.path(), &server, &["report", "out", "--format", "csv"]).output();
    let rows = String::from_utf8(output.unwrap().stdout).unwrap();
    let mut rows = rows.lines().map(|row| row.split(',').collect::<Vec<_>>());
    let head = rows.next().unwrap();
    let column = head.iter().position(|name| *name == "sent").unwrap();
    let mut found: Vec<u64> = rows.filter_map(|row| row[column].parse().ok()).collect();
    // One row for each thing that was judged.
    found.dedup();
    // The first request of each turn.
    let whole =
        |texts: &[String]| texts.iter().map(|text| text.chars().count() as u64).sum::<u64>();
    assert_eq!(found, [whole(&sent[0]), whole(&sent[2])]);
}

#[test]
fn topics_set_the_number_of_rounds() {
    let scenario = "ifs 1\nbenchmark feedback { title \"Feedback\" version \"1.0.0\" }\n\
        import topics \"topics.jsonl\" { name: text  request: text  rounds: int }\n\
        constraint stop { say \"End with a full stop.\" check ends_with(\"!\") }\n\
        dialogue talk {\n  topic from topics\n  impose stop scope turn\n\
        flow { switch 100% { new } }\n  retry up to topic.rounds rounds with feedback\n\
        end when turns >= 2\n}\n";
    let topics = "{\"name\":\"a\",\"request\":\"A?\",\"rounds\":0}\n\
                  {\"name\":\"b\",\"request\":\"B?\",\"rounds\":2}\n";
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("wire.ifs"), scenario).unwrap();
    std::fs::write(folder.path().join("topics.jsonl"), topics).unwrap();
    let server = Server::start(|_| answer("No."));
    run(&folder, &server, "1", &[]).ends(0);
    let turns = transcripts(&folder)[0]["turns"].as_array().unwrap().clone();
    let rounds = |turn: &Value| turn["rounds"].as_array().map_or(0, Vec::len);
    let of = |topic: &str| turns.iter().find(|turn| turn["topic"] == topic).map(rounds);
    assert_eq!((of("a"), of("b"), server.log().len()), (Some(0), Some(2), 4));
}
