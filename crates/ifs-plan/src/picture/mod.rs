//! Pictures of a dialogue's graph: for Graphviz, Markdown and papers.

mod dot;
mod fold;
mod graph;
mod layout;
mod letters;
mod mermaid;
mod notes;
mod scene;
mod svg;

pub use dot::dot;
pub use mermaid::mermaid;
pub use svg::svg;

use graph::{EdgeLabel, NO_LABEL, YES_LABEL};
use ifs_model::table::RelationKind;
use notes::wrap;

/// Dark on white, and distinguishable in print and with colour blindness (Okabe and Ito's palette,
/// darkened).
fn colour(kind: RelationKind) -> &'static str {
    match kind {
        RelationKind::Follows => "#0060a0",
        RelationKind::Recalls => "#b34700",
        RelationKind::Refines => "#00735a",
        RelationKind::Expands => "#8a2f6f",
        RelationKind::Summarizes => "#7a5c00",
        RelationKind::Unrelated => "#666666",
    }
}

/// A row of a label.
struct LabelRow {
    text: String,
    /// Whether it is a share, instead of a condition.
    strong: bool,
}

/// Rows that are short enough for a label.
fn label_rows(labels: &[EdgeLabel]) -> Vec<LabelRow> {
    const MAX_LABEL_CHARACTERS: usize = 26;
    let mut rows = Vec::new();
    for label in labels {
        if !label.share.is_empty() {
            rows.push(LabelRow { text: label.share.clone(), strong: true });
        }
        if !label.condition.is_empty() {
            let plain = label.condition.starts_with("each ")
                || [YES_LABEL, NO_LABEL].contains(&&*label.condition);
            let text =
                if plain { label.condition.clone() } else { format!("when {}", label.condition) };
            let wrapped = wrap(&text, MAX_LABEL_CHARACTERS);
            rows.extend(wrapped.into_iter().map(|text| LabelRow { text, strong: false }));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::{dot, mermaid, svg};
    use crate::sample::{evolif, fan_dialogue, loops, plan_of};
    use crate::{DialoguePlan, Plan};
    use ifs_model::table::Dialogue;

    type DrawPicture = fn(&Plan, DialoguePlan<'_>) -> String;

    fn drawn_svg(plan: &Plan, dialogue: DialoguePlan<'_>) -> String {
        svg(plan, dialogue).expect("a small graph")
    }

    /// Compares with the file of that name, or writes it if `IFS_BLESS` was set during the build.
    fn same(dialogue: Dialogue, draw: DrawPicture, file: &str, expected: &str) {
        let plan = plan_of(dialogue);
        let drawn = draw(&plan, plan.dialogues().next().unwrap());
        if option_env!("IFS_BLESS").is_some() {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/picture/expected/");
            assert!(std::fs::write(format!("{folder}{file}"), drawn).is_ok());
            return;
        }
        assert!(drawn == expected, "{file} is now:\n{drawn}");
    }

    macro_rules! pictures {
        ($($test:ident: $dialogue:ident $draw:ident $file:literal)*) => {
            $(
                #[test]
                fn $test() {
                    same($dialogue(), $draw, $file, include_str!(concat!("expected/", $file)));
                }
            )*
        };
    }

    pictures! {
        topics_dot: evolif dot "topics.dot"
        topics_mermaid: evolif mermaid "topics.mmd"
        topics_svg: evolif drawn_svg "topics.svg"
        relations_dot: fan_dialogue dot "relations.dot"
        relations_mermaid: fan_dialogue mermaid "relations.mmd"
        relations_svg: fan_dialogue drawn_svg "relations.svg"
        loops_dot: loops dot "loops.dot"
        loops_mermaid: loops mermaid "loops.mmd"
        loops_svg: loops drawn_svg "loops.svg"
    }
}
