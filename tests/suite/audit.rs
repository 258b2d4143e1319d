//! `ifs audit`: it finds planted faults and nothing else, and it finds the same every time.

mod aspects;
mod command;
mod mutants;
mod planted;
mod runs;
mod shipped;

use std::collections::BTreeSet;

use ifs::audit::{Audit, Options, SampleSize, survey};
use ifs::forms::{FormGroup, forms};
use ifs::model::check;
use ifs::plan::{Plan, build};
use ifs::script::Seed;
use ifs::world::MemoryWorld;

/// Games with names that are not alike, for questions about them.
const GAMES: &str = r#"{"name":"a","home":"Gulls","away":"Cranes","points":101,"other":99,"star":"Cole Jarvis","at":"9:30","money":90000,"won":"yes"}
{"name":"b","home":"Ducks","away":"Geese","points":88,"other":97,"star":"Ole Brandt","at":"5:18","money":81500,"won":"no"}
{"name":"c","home":"Otters","away":"Herons","points":64,"other":70,"star":"Ida Falk","at":"2:41","money":70250,"won":"no"}
{"name":"d","home":"Terns","away":"Swifts","points":112,"other":120,"star":"Mara Holm","at":"7:05","money":64900,"won":"no"}
{"name":"e","home":"Larks","away":"Crows","points":93,"other":91,"star":"Ben Ott","at":"3:12","money":58300,"won":"yes"}
{"name":"f","home":"Owls","away":"Storks","points":77,"other":85,"star":"Ann Reed","at":"8:44","money":43700,"won":"no"}
{"name":"g","home":"Rooks","away":"Finches","points":84,"other":83,"star":"Tom Vance","at":"6:37","money":39100,"won":"yes"}
{"name":"h","home":"Wrens","away":"Hawks","points":59,"other":61,"star":"Lea Quist","at":"4:56","money":28600,"won":"no"}
"#;

fn plan(text: &str) -> Plan {
    let world = MemoryWorld::new([("main.ifs", text), ("games.jsonl", GAMES)]);
    let checked = check(&world, "main.ifs");
    let reported: Vec<String> =
        checked.diagnostics.list.iter().map(|one| one.message.clone()).collect();
    let mut plan = build(checked.model.unwrap_or_else(|| panic!("{reported:?}\n{text}")));
    plan.sources = std::sync::Arc::new(checked.sources);
    plan
}

fn audited_with(plan: &Plan, options: &Options) -> Audit {
    let names: Vec<&str> = plan.model.dialogues.iter().map(|one| one.name.as_str()).collect();
    let sample = SampleSize { dialogues: 40, turns: 400, seed: Seed(1) };
    survey(plan, &names, sample, options).unwrap()
}

/// Blocks of reasoning are removed before any check: the tests of their recognizer are about them.
fn audited(plan: &Plan) -> Audit {
    let forms = forms().filter(|form| form.group != FormGroup::Reasoning);
    let forms = Some(forms.map(|form| form.name.to_owned()).collect());
    audited_with(plan, &Options { examples: 2, forms, ..Options::default() })
}

/// What an audit reports: the check and the form that changes it or lets it be evaded, facts that
/// read no content, turns and the answers that pass them, golden answers that miss something.
fn findings(audit: &Audit) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for row in &audit.checks {
        found.extend(row.changed.keys().map(|form| (row.name.clone(), form.clone())));
        found.extend(row.evaded.keys().map(|form| (row.name.clone(), format!("evaded by {form}"))));
        if row.formal && !row.declared {
            found.insert((row.name.clone(), "reads no content".to_owned()));
        }
    }
    for row in &audit.turns {
        found.extend(row.above.iter().map(|name| (row.name.clone(), format!("passed by {name}"))));
    }
    found.extend(audit.golden_missed.iter().map(|one| (one.check.clone(), "golden".to_owned())));
    found
}

/// A dialogue over the games, with the statements of its only turn.
fn about_games(body: &str) -> String {
    format!(
        "ifs 1\nuse std.answers.*\n\
         import games \"games.jsonl\" {{ name: text, home: text, away: text, points: int, \
         other: int, star: text, at: text, money: int, won: text }}\n\
         let teams = games.home + games.away\n\
         let stars = games.star\n\
         dialogue talk over games as game {{\n  turn asked {{\n{body}\n  }}\n}}\n"
    )
}

/// A dialogue with one constraint.
fn with_constraint(check: &str) -> String {
    format!(
        "ifs 1\nconstraint rule {{ say \"Do so.\" check {check} }}\n\
         dialogue talk {{ turn asked {{ ask \"Why are there tides?\" impose rule }} }}\n"
    )
}
