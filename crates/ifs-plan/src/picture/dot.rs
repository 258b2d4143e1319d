//! DOT, for Graphviz and its relatives.

use super::graph::{EdgeLabel, NodeShape, PictureGraph};
use super::notes::wrap;
use super::scene::scene;
use super::{colour, label_rows};
use crate::{DialoguePlan, Plan};

/// The dialogue's graph in the DOT language.
pub fn dot(plan: &Plan, dialogue: DialoguePlan<'_>) -> String {
    let scene = scene(plan, dialogue);
    let mut text = format!("digraph {} {{\n", quoted(&scene.name));
    text.push_str(&format!("  label={};\n  labelloc=t;\n", quoted(&title(&scene))));
    text.push_str("  fontname=\"Helvetica\";\n");
    text.push_str("  node [fontname=\"Helvetica\", fontsize=12];\n");
    text.push_str("  edge [fontname=\"Helvetica\", fontsize=10];\n");
    for (at, mark) in scene.marks.iter().enumerate() {
        let look = match mark.shape {
            NodeShape::Start => {
                "shape=circle, style=filled, fillcolor=\"#222222\", label=\"\", width=0.18"
            }
            NodeShape::End => {
                "shape=doublecircle, style=filled, fillcolor=\"#222222\", label=\"\", width=0.14"
            }
            NodeShape::Turn => "shape=box, style=rounded",
            NodeShape::Given => "shape=box, style=\"rounded,dashed\"",
            NodeShape::Kind => "shape=box, style=\"rounded,filled\", fillcolor=\"#e8eef7\"",
            NodeShape::Choice => "shape=diamond",
        };
        let label = match mark.shape {
            NodeShape::Start | NodeShape::End => String::new(),
            NodeShape::Turn | NodeShape::Given | NodeShape::Kind | NodeShape::Choice => {
                let rows: Vec<String> =
                    [mark.name.clone()].into_iter().chain(mark.notes.rows()).collect();
                format!(", label={}", quoted(&rows.join("\n")))
            }
        };
        text.push_str(&format!("  n{at} [{look}{label}];\n"));
    }
    for edge in &scene.edges {
        let label = rows(&edge.labels);
        let label = if label.is_empty() { label } else { format!(" [label={}]", quoted(&label)) };
        text.push_str(&format!("  n{} -> n{}{label};\n", edge.from, edge.to));
    }
    for relation in &scene.relations {
        let colour = colour(relation.kind);
        text.push_str(&format!(
            "  n{} -> n{} [style=dashed, constraint=false, color=\"{colour}\", \
             fontcolor=\"{colour}\", label={}];\n",
            relation.from,
            relation.to,
            quoted(relation.kind.word())
        ));
    }
    for (at, (title, rows)) in scene.boxes.iter().enumerate() {
        let label: String = [title].into_iter().chain(rows).map(|row| format!("{row}\n")).collect();
        // `\l` ends a left-aligned line.
        let label = quoted(&label).replace("\\n", "\\l");
        text.push_str(&format!("  box{at} [shape=note, fontsize=10, label={label}];\n"));
    }
    text.push_str("}\n");
    text
}

fn title(scene: &PictureGraph) -> String {
    let doc = if scene.doc.is_empty() { Vec::new() } else { wrap(&scene.doc, 72) };
    [scene.name.clone()].into_iter().chain(doc).collect::<Vec<_>>().join("\n")
}

fn rows(labels: &[EdgeLabel]) -> String {
    label_rows(labels).into_iter().map(|row| row.text).collect::<Vec<_>>().join("\n")
}

/// Quoted for DOT.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            letter if letter.is_control() => quoted.push(' '),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
