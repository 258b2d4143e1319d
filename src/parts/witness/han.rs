//! Pieces for what plain words do not meet: numbers, dates, texts that are given, and runs of Chinese
//! characters for lengths in characters, chains, rhymes and tones.

use crate::predicate::tree::{Node, Tree};
use crate::predicate::value::Value;

use super::split::Condition;

/// Common characters, and ones with a level tone and one reading alone.
const COMMON: &str = "大海月光山水花草春秋江河风雨云雪日星天地人心手书字画灯火石木竹梅松鸟鱼马牛羊门窗桌椅茶酒饭菜米面豆瓜果桃李杏金银铜铁红黄蓝绿白黑东西南北前后左右上下里外早晚今明新旧高低远近老少男女父母子孙友邻城乡村镇街巷桥船车路田园林泉";
const LEVEL: &str = "天山花春江风书灯街车钟诗歌衣瓜星光香家乡村冬秋心金汤虾刀窗霜";

/// Endings of a piece.
const ENDS: [&str; 4] = ["", "。", "！", "？"];
const LONGEST: usize = 160;

/// Candidates of growing length; some begin or end as the last piece ended.
pub(super) fn candidates(
    each: &[Condition<'_>],
    seed: u64,
    last: Option<&str>,
) -> impl Iterator<Item = String> {
    let mut literals: Vec<String> = Vec::new();
    for condition in each {
        texts(&condition.tree, condition, &mut literals);
    }
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<Vec<_>>();
    let ends = last.map(letters).unwrap_or_default();
    let (first, end) = (ends.first().copied(), ends.last().copied());
    let all = literals.concat();
    let number = seed % 90 + 2;
    let mut plain = vec![
        number.to_string(),
        format!("{number}.5"),
        format!("2031-05-{:02}", seed % 28 + 1),
        format!("{:02}:30", seed % 24),
    ];
    plain.extend(literals.iter().cycle().skip(seed as usize % 4).take(literals.len()).cloned());
    let runs = (1..=LONGEST).flat_map(move |length| {
        let mut made = Vec::new();
        for palette in [COMMON, LEVEL] {
            let base = run(palette, length, seed);
            let rest = |skip: usize| base.iter().skip(skip).collect::<String>();
            let whole = rest(0);
            made.extend([end, first].into_iter().flatten().map(|c| format!("{c}{}", rest(1))));
            made.extend([end, first].into_iter().flatten().map(|c| {
                let head: String = base.iter().take(length - 1).collect();
                format!("{head}{c}")
            }));
            for literal in &literals {
                made.push(format!("{literal}{whole}"));
                made.push(format!("{whole}{literal}"));
                let (head, tail) = (base.iter().take(length / 2), base.iter().skip(length / 2));
                made.push(format!(
                    "{}{literal}{}",
                    head.collect::<String>(),
                    tail.collect::<String>()
                ));
            }
            if literals.len() > 1 {
                made.push(format!("{all}{whole}"));
            }
            made.push(whole);
        }
        made.into_iter().flat_map(|text| ENDS.map(|end| format!("{text}{end}")))
    });
    plain.into_iter().chain(runs)
}

/// So many characters of a palette, all different as long as it lasts.
fn run(palette: &str, length: usize, seed: u64) -> Vec<char> {
    let all: Vec<char> = palette.chars().collect();
    let count = all.len() as u64;
    // A step that goes round the whole palette, whatever its length.
    let step = [7, 11, 13].into_iter().find(|step| !count.is_multiple_of(*step)).unwrap_or(1);
    (0..length as u64)
        .filter_map(|at| all.get(((seed + at * step) % count) as usize).copied())
        .collect()
}

/// The texts that a condition has in it.
fn texts(tree: &Tree, condition: &Condition<'_>, found: &mut Vec<String>) {
    let value = match &tree.node {
        Node::Value(value) => Some(value.clone()),
        Node::Var(name) => condition.variables.get(name),
        _ => None,
    };
    let mut keep = |value: &Value| {
        if let Some(text) = value.as_str().filter(|text| (1..=40).contains(&text.chars().count()))
            && found.len() < 4
            && !found.iter().any(|known| known == text)
        {
            found.push(text.to_owned());
        }
    };
    match &value {
        Some(Value::List(members)) => members.iter().for_each(&mut keep),
        Some(value) => keep(value),
        None => {}
    }
    for child in tree.children() {
        texts(child, condition, found);
    }
}
