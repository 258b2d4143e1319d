use super::*;

fn number(expected: f64) -> impl Fn(&str) -> ClaimVerdict {
    move |text| {
        let expected = Expected::Number { value: expected, within: 0.0 };
        verdict(text, &ClauseReading::new(text), AssertedKind::Number, &expected)
    }
}

fn check(
    name: &str,
    verdict: &dyn Fn(&str) -> ClaimVerdict,
    held: &[&str],
    missed: &[&str],
) -> Vec<String> {
    let mut faults = Vec::new();
    for text in held {
        let found = verdict(text);
        if found != ClaimVerdict::Held {
            faults.push(format!("{name}: right, {text:?}: {found:?}"));
        }
    }
    for text in missed {
        if verdict(text) == ClaimVerdict::Held {
            faults.push(format!("{name}: wrong, {text:?}"));
        }
    }
    faults
}

/// The rows of the proposal.
#[test]
fn rows_of_the_proposal() {
    let mut faults = Vec::new();
    faults.extend(check(
        "30",
        &number(30.0),
        &[
            "You owe **30 euros** (10 books × 3).",
            "Not 25 but 30.",
            "不是25，而是30。",
            "I first had 40, but I forgot the fee: it is 30.",
            "I think it's 30.",
            "大概30吧。",
            "Vermutlich 30.",
        ],
        &[
            "30. No wait, 40.",
            "30，不对，应该是40。",
            "Certainly not 30.",
            "It can't be 30.",
            "不可能是30。",
            "30 or 40",
            "30到40之间",
            "at least 30",
            "It's 30, but it could as well be 40.",
            "10, 20, 30, 40",
            "Answer: 10 20 30 40",
            "Answer: 30\nAnswer: 40",
            "Is it 30?",
            "I'm not sure; I can't tell from this.",
            "无法判断",
        ],
    ));
    faults.extend(check(
        "60",
        &number(60.0),
        &["You pay 30 a week; for two weeks that makes 60."],
        &[],
    ));
    faults.extend(check(
        "9",
        &number(9.0),
        &["[8 + 1 = 9]", "九", "nine things"],
        &["[5 = 9]", "[not 9]"],
    ));
    faults.extend(check(
        "90000",
        &number(90000.0),
        &["$90,000", "90 000", "9万", "90000.0"],
        &["90000.5", "not 130000"],
    ));
    let percent = |text: &str| {
        let expected = Expected::Number { value: 28.57, within: 0.0 };
        verdict(text, &ClauseReading::new(text), AssertedKind::Percent, &expected)
    };
    faults.extend(check(
        "28.57",
        &percent,
        &["Das sind 28,57 % der Punkte.", "28.57%"],
        &["28.6 %"],
    ));
    let answer = |wanted: bool| {
        move |text: &str| {
            verdict(
                text,
                &ClauseReading::new(text),
                AssertedKind::YesNo,
                &Expected::Value(ClaimValue::Answer(wanted)),
            )
        }
    };
    faults.extend(check(
        "yes",
        &answer(true),
        &["Yes, though not for long.", "是的，但不久。", "Doch."],
        &["Not really.", "没有。", "Yes and no.", "[banana]"],
    ));
    faults.extend(check(
        "no",
        &answer(false),
        &["No doubt about it: no.", "There is none.", "Keine."],
        &["Yes."],
    ));
    let options: Vec<String> = ["12", "15", "18", "21", "24"].map(str::to_owned).to_vec();
    let choice = |text: &str| {
        verdict(
            text,
            &ClauseReading::new(text),
            AssertedKind::Choice(&options),
            &Expected::Value(ClaimValue::Choice(1)),
        )
    };
    faults.extend(check(
        "B",
        &choice,
        &[
            "The answer is B.",
            "(B) 15",
            "15",
            "选B",
            "**B**",
            "A is too small and C too large, so B.",
        ],
        &["B or C", "B is wrong", "B (12)"],
    ));
    let roster =
        |names: &[&str]| NameList::new(names.iter().map(|name| vec![(*name).to_owned()]).collect());
    let players = roster(&["LeBron James", "Mike James", "Cole Jarvis", "Ann Palmer"]);
    let name = |wanted: &str| {
        let wanted = Expected::Value(ClaimValue::Name(players.position(wanted)));
        let players = players.clone();
        move |text: &str| {
            verdict(text, &ClauseReading::new(text), AssertedKind::Name(&players), &wanted)
        }
    };
    faults.extend(check(
        "Cole Jarvis",
        &name("Cole Jarvis"),
        &["It was Jarvis who did it; Cole had a great night."],
        &["Palmer"],
    ));
    faults.extend(check("LeBron James", &name("LeBron James"), &["LeBron"], &["James"]));
    let teams = roster(&["Gulls", "Cranes", "nobody"]);
    let tie = Expected::Value(ClaimValue::Name(teams.position("nobody")));
    let tie =
        |text: &str| verdict(text, &ClauseReading::new(text), AssertedKind::Name(&teams), &tie);
    faults.extend(check(
        "tie",
        &tie,
        &["It would be a tie.", "平局", "Unentschieden"],
        &["The Gulls"],
    ));
    assert!(faults.is_empty(), "{}\n{}", faults.len(), faults.join("\n"));
}

/// One section of `cases.txt`.
struct CaseSection {
    name: String,
    verdict: Box<dyn Fn(&str) -> ClaimVerdict>,
}

fn section(line: &str) -> CaseSection {
    let mut parts = line.split(" | ").map(str::trim);
    let head = parts.next().unwrap_or("");
    let among: Vec<String> = parts.map(str::to_owned).collect();
    let (kind, value) = head.split_once(' ').unwrap_or((head, ""));
    let (kind, value) = (kind.to_owned(), value.to_owned());
    let name = head.to_owned();
    let verdict = move |text: &str| {
        let reading = ClauseReading::new(text);
        let roster = NameList::new(among.iter().map(|name| vec![name.clone()]).collect());
        let number = || Expected::Number { value: value.parse().unwrap(), within: 0.0 };
        if matches!(kind.as_str(), "order" | "set") {
            let expected: Vec<usize> =
                value.split(", ").map(|name| roster.position(name).unwrap()).collect();
            return names_verdict(&reading, &roster, &expected, kind == "order");
        }
        let (kind, expected) = match kind.as_str() {
            "number" => (AssertedKind::Number, number()),
            "percent" => (AssertedKind::Percent, number()),
            "clock" => {
                (AssertedKind::Clock, Expected::Value(ClaimValue::Clock(clock(&value).unwrap())))
            }
            "yes" => (AssertedKind::YesNo, Expected::Value(ClaimValue::Answer(true))),
            "no" => (AssertedKind::YesNo, Expected::Value(ClaimValue::Answer(false))),
            "call" => (AssertedKind::Call, Expected::Value(ClaimValue::Call(evened_call(&value)))),
            "option" => {
                let which = value.bytes().next().unwrap() - b'A';
                (
                    AssertedKind::Choice(&among),
                    Expected::Value(ClaimValue::Choice(usize::from(which))),
                )
            }
            "name" => {
                let entry = roster.position(&value);
                assert!(entry.is_some(), "{value}");
                (AssertedKind::Name(&roster), Expected::Value(ClaimValue::Name(entry)))
            }
            other => panic!("no kind {other}"),
        };
        self::verdict(text, &reading, kind, &expected)
    };
    CaseSection { name, verdict: Box::new(verdict) }
}

/// Right answers in many forms, and wrong ones that try to pass.
#[test]
fn right_answers_are_held_and_wrong_ones_are_not() {
    let mut current: Option<CaseSection> = None;
    let (mut faults, mut right, mut wrong) = (Vec::new(), 0, 0);
    for line in
        include_str!("cases.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        if let Some(head) = line.strip_prefix("@ ") {
            current = Some(section(head));
            continue;
        }
        let section = current.as_ref().unwrap();
        let text = line[2..].replace("\\n", "\n");
        let verdict = (section.verdict)(&text);
        let held = verdict == ClaimVerdict::Held;
        if line.starts_with('+') {
            right += 1;
        } else {
            wrong += 1;
        }
        if held != line.starts_with('+') {
            faults.push(format!("{} {line}: {verdict:?}", section.name));
        }
    }
    assert!(right > 200 && wrong > 200);
    assert!(
        faults.is_empty(),
        "{} of {right} right and {wrong} wrong\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// One section of `rows.txt`: the expected rows, and the columns that they have.
struct RowSection {
    kind: String,
    expected: Vec<Vec<String>>,
    rosters: Vec<NameList>,
}

fn row_section(line: &str) -> RowSection {
    let mut parts = line.split(" | ").map(str::trim);
    let head = parts.next().unwrap_or("");
    let (kind, rows) = head.split_once(' ').unwrap();
    let mut names: Vec<Vec<Vec<String>>> = vec![Vec::new()];
    for part in parts {
        if part == "=" {
            names.push(Vec::new());
        } else {
            names.last_mut().unwrap().push(part.split('/').map(str::to_owned).collect());
        }
    }
    let row = |row: &str| row.split(',').map(|field| field.trim().to_owned()).collect();
    RowSection {
        kind: kind.to_owned(),
        expected: rows.split(';').map(row).collect(),
        rosters: names.into_iter().map(NameList::new).collect(),
    }
}

impl RowSection {
    fn columns(&self) -> Vec<Column<'_>> {
        let names = Column::Name(&self.rosters[0]);
        let period = |text: &str| clock(text).and_then(|clock| clock.period);
        match self.kind.as_str() {
            "score" | "leads" => vec![names, Column::Number],
            "plays" => vec![names, Column::Number, Column::Clock(None)],
            "changes" => vec![Column::Clock(period(&self.expected[0][0])), names],
            "faceoffs" => vec![Column::Clock(None), names, names],
            "figures" => vec![names, Column::Name(&self.rosters[1]), Column::Number],
            other => panic!("no kind {other}"),
        }
    }

    fn fits(&self, row: &Row, wanted: &[String]) -> bool {
        let mut rosters = self.rosters.iter().cycle();
        let columns = self.columns();
        row.values.iter().zip(&columns).zip(wanted).all(|((value, column), wanted)| {
            match (column, value) {
                (Column::Name(roster), Some(ClaimValue::Name(own))) => {
                    rosters.next();
                    own.is_some() && *own == roster.position(wanted)
                }
                (Column::Number, Some(ClaimValue::Number(own))) => {
                    *own == wanted.parse::<f64>().unwrap()
                }
                (Column::Clock(_), Some(ClaimValue::Clock(own))) => {
                    own.fits(clock(wanted).unwrap())
                }
                _ => false,
            }
        })
    }

    fn is_held(&self, text: &str) -> (bool, Vec<Row>) {
        let reading = ClauseReading::new(text);
        let found = rows(&reading, &self.columns()).to_vec();
        let complete: Vec<&Row> = found
            .iter()
            .filter(|row| row.stance.is_asserted() && row.values.iter().flatten().count() >= 2)
            .collect();
        let held = match self.kind.as_str() {
            // Every row of a name says the same.
            "score" | "figures" => self.expected.iter().all(|wanted| {
                let key = wanted.len() - 1;
                let same = |row: &&&Row| {
                    row.values.iter().zip(&self.columns()).zip(wanted).take(key).all(
                        |((value, column), wanted)| match (value, column) {
                            (Some(ClaimValue::Name(own)), Column::Name(roster)) => {
                                *own == roster.position(wanted)
                            }
                            _ => false,
                        },
                    )
                };
                let own: Vec<&&Row> = complete.iter().filter(same).collect();
                !own.is_empty() && own.iter().all(|row| self.fits(row, wanted))
            }),
            "leads" => {
                complete.len() >= self.expected.len()
                    && complete
                        .iter()
                        .zip(&self.expected)
                        .all(|(row, wanted)| self.fits(row, wanted))
            }
            _ => {
                complete.len() == self.expected.len()
                    && self
                        .expected
                        .iter()
                        .all(|wanted| complete.iter().any(|row| self.fits(row, wanted)))
            }
        };
        (held, found)
    }
}

#[test]
fn rows_are_read_in_any_layout() {
    let mut current: Option<RowSection> = None;
    let (mut faults, mut count) = (Vec::new(), 0);
    for line in
        include_str!("rows.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        if let Some(head) = line.strip_prefix("@ ") {
            current = Some(row_section(head));
            continue;
        }
        let section = current.as_ref().unwrap();
        let text = line[2..].replace("\\n", "\n");
        let (held, found) = section.is_held(&text);
        count += 1;
        if held != line.starts_with('+') {
            let found: Vec<String> =
                found.iter().map(|row| format!("{:?} {:?}", row.stance, row.values)).collect();
            faults.push(format!("{} {line}\n      {}", section.kind, found.join("\n      ")));
        }
    }
    assert!(count > 100);
    assert!(faults.is_empty(), "{} of {count}\n{}", faults.len(), faults.join("\n"));
}
