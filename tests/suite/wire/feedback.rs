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
    let why = transcripts(&folder)[0]["turns"][0]["verdicts"][0]["why"].clone();
    assert_eq!(why, "the list of 诗 has 2 items; it must have exactly 3 items");
}
