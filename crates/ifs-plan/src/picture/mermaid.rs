//! Mermaid diagrams, which many web pages render from Markdown.

use super::graph::NodeShape;
use super::scene::scene;
use super::{colour, label_rows};
use crate::{DialoguePlan, Plan};

/// The dialogue's graph as a Mermaid flowchart.
pub fn mermaid(plan: &Plan, dialogue: DialoguePlan<'_>) -> String {
    let scene = scene(plan, dialogue);
    let mut text = format!("---\ntitle: {}\n---\nflowchart TD\n", yaml(&scene.name));
    if !scene.doc.is_empty() {
        // A comment must not look like a directive.
        text.push_str(&format!("  %% {}\n", scene.doc.replace(['{', '}'], "")));
    }
    for (at, mark) in scene.marks.iter().enumerate() {
        let rows = [mark.name.clone()].into_iter().chain(mark.notes.rows());
        let rows: Vec<String> = rows.map(|row| escaped(&row)).collect();
        let name = format!("\"{}\"", rows.join("<br/>"));
        let shape = match mark.shape {
            NodeShape::Start => format!("(({name}))"),
            NodeShape::End => format!("((({name})))"),
            NodeShape::Turn => format!("[{name}]"),
            NodeShape::Given => format!("[/{name}/]"),
            NodeShape::Kind => format!("({name})"),
            NodeShape::Choice => format!("{{{name}}}"),
        };
        text.push_str(&format!("  n{at}{shape}\n"));
    }
    for edge in &scene.edges {
        let rows: Vec<String> =
            label_rows(&edge.labels).iter().map(|row| escaped(&row.text)).collect();
        let label = match rows.is_empty() {
            true => String::new(),
            false => format!("|\"{}\"|", rows.join("<br/>")),
        };
        text.push_str(&format!("  n{} -->{label} n{}\n", edge.from, edge.to));
    }
    for (at, relation) in scene.relations.iter().enumerate() {
        let word = relation.kind.word();
        text.push_str(&format!("  n{} -.->|{word}| n{}\n", relation.from, relation.to));
        let colour = colour(relation.kind);
        text.push_str(&format!("  linkStyle {} stroke:{colour}\n", scene.edges.len() + at));
    }
    for (at, (title, rows)) in scene.boxes.iter().enumerate() {
        let rows: Vec<String> =
            [title].into_iter().chain(rows).map(|row| escaped(row.trim_start())).collect();
        text.push_str(&format!("  box{at}[\"{}\"]\n", rows.join("<br/>")));
        text.push_str(&format!("  style box{at} fill:#f6f6f6,stroke:#999999,text-align:left\n"));
    }
    text
}

/// Mermaid reads `#34;` as the character with that number.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '"' | '#' | '<' | '>' | '&' | '`' | '{' | '}' | '[' | ']' | '|' | ';' => {
                escaped.push_str(&format!("#{};", u32::from(letter)));
            }
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

fn yaml(text: &str) -> String {
    let plain = text.replace(['"', '\\'], "'").replace(char::is_control, " ");
    format!("\"{plain}\"")
}
