//! Weights of constraints in weighted scores.

use ifs_model::table::Dialogue;
use ifs_predicate::tree::Node;
use ifs_predicate::value::Value;

/// The weight that a dialogue's `weigh` gives to a group, or else to one of its tags: a tag has the
/// weight of the nearest level above it that has one. `None` if there is none.
pub fn weight(dialogue: &Dialogue, group: &str, tags: &[String]) -> Option<f64> {
    let declared = |name: &str| match &dialogue.weights.get(name)?.node {
        Node::Value(Value::Float(weight)) => Some(*weight),
        Node::Value(Value::Int(weight)) => Some(*weight as f64),
        _ => None,
    };
    let level = |tag: &String| tag.split('.').rev().find_map(declared);
    declared(group).or_else(|| tags.iter().find_map(level))
}

#[cfg(test)]
mod tests {
    use super::weight;
    use ifs_base::world::MemoryWorld;
    use ifs_model::check;

    #[test]
    fn the_group_first_then_the_nearest_tag() {
        let world = MemoryWorld::new([(
            "main.ifs",
            r#"ifs 1
tags kind { intra { about, form { length } } structural }
constraint long { say "Be long." check count(word) > 9 tag length }
dialogue talk {
  weigh intra 1, structural 2, form 1.5, long 3
  turn { ask "Why?" impose 1 from long }
}
"#,
        )]);
        let (model, found) = (check(&world, "main.ifs").model, check(&world, "main.ifs"));
        assert_eq!(found.diagnostics.errors(), 0);
        let model = model.unwrap();
        let of = |group: &str, tags: &[&str]| {
            let tags: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
            weight(&model.dialogues[0], group, &tags)
        };
        let length = model.groups[0].constraints[0].tags[0].clone();
        assert_eq!(of("long", &[&length]), Some(3.0));
        assert_eq!(of("short", &[&length]), Some(1.5));
        assert_eq!(of("short", &["kind.intra.about"]), Some(1.0));
        assert_eq!(of("short", &["kind.other", "kind.structural"]), Some(2.0));
        assert_eq!(of("short", &["kind.other"]), None);
    }
}
