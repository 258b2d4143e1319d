//! Pictures of a dialogue's graph: for Graphviz, for Markdown and for a paper.

mod dot;
mod layout;
mod letters;
mod mermaid;
mod scene;
mod svg;

pub use dot::dot;
pub use mermaid::mermaid;
pub use svg::svg;

use crate::model::table::RelationKind;
use scene::{Label, wrap};

/// Dark enough on white, and told apart in print and by most eyes (Okabe and
/// Ito's palette, darkened).
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
struct Row {
    text: String,
    /// A share, rather than a condition.
    strong: bool,
}

/// Rows that are short enough to stand beside an arrow.
fn label_rows(labels: &[Label]) -> Vec<Row> {
    const LONGEST: usize = 26;
    let mut rows = Vec::new();
    for label in labels {
        if !label.share.is_empty() {
            rows.push(Row { text: label.share.clone(), strong: true });
        }
        if !label.condition.is_empty() {
            let loops = label.condition.starts_with("each ");
            let text =
                if loops { label.condition.clone() } else { format!("when {}", label.condition) };
            let wrapped = wrap(&text, LONGEST);
            rows.extend(wrapped.into_iter().map(|text| Row { text, strong: false }));
        }
    }
    rows
}
