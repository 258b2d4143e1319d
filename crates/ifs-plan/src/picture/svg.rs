//! Self-contained SVG for papers: no fonts, scripts or style sheets.

use super::fold::{FlowPicture, split};
use super::graph::{NodeShape, PictureGraph, PictureNode};
use super::layout::{
    LabelSize, LayoutEdge, LayoutInput, LayoutPoint, PictureLayout, Route, RoutePiece, layout,
};
use super::letters::{self, bold_width, width};
use super::notes::wrap;
use super::scene::scene;
use super::{LabelRow, colour, label_rows};
use crate::{DialoguePlan, Plan};
use ifs_base::work::{self, Task, TooMuchWork};
use ifs_model::table::RelationKind;

const FONT_FAMILY: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";
const TEXT_COLOUR: &str = "#1a1a1a";
const LINE_COLOUR: &str = "#444444";
const MARGIN: f64 = 20.0;
const TITLE_SIZE: f64 = 16.0;
const NAME_SIZE: f64 = 13.0;
const SMALL_SIZE: f64 = 11.0;
/// The line height of small text.
const ROW_HEIGHT: f64 = 14.0;

/// The widest picture, if its parts allow it.
const MAX_WIDTH: f64 = 1600.0;

/// The steps of one picture.
const PICTURE_STEPS: u64 = 12_000_000;

/// The dialogue's graph as an SVG document.
///
/// # Errors
/// The graph is too large to be laid out.
pub fn svg(plan: &Plan, dialogue: DialoguePlan<'_>) -> Result<String, TooMuchWork> {
    let (picture, spent) = work::within(PICTURE_STEPS, || document(plan, dialogue));
    let too_much = TooMuchWork { limit: PICTURE_STEPS, most: Task::Layout };
    picture.ok_or(spent.too_much.unwrap_or(too_much))
}

/// `None` if the work was too much.
fn document(plan: &Plan, dialogue: DialoguePlan<'_>) -> Option<String> {
    let mut scene = scene(plan, dialogue);
    let mut main = Figure::new(&scene)?;
    let mut panels = Vec::new();
    if main.layout.width + side_width(&scene) + 2.0 * MARGIN > MAX_WIDTH {
        panels = split(&mut scene);
        main = Figure::new(&scene)?;
    }
    let panels: Vec<(String, PictureGraph, Figure)> = panels
        .into_iter()
        .map(|FlowPicture { title, scene }| {
            let figure = Figure::new(&scene)?;
            Some((title, scene, figure))
        })
        .collect::<Option<_>>()?;
    let id = scene.name.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
    Some(SvgPicture { scene: &scene, figure: &main, panels: &panels, id }.draw())
}

/// A graph with its positions.
struct Figure {
    labels: Vec<Vec<LabelRow>>,
    input: LayoutInput,
    layout: PictureLayout,
}

impl Figure {
    /// `None` if the work is too much.
    fn new(scene: &PictureGraph) -> Option<Figure> {
        let marks = scene.marks.len() as u64;
        work::spend(Task::Layout, marks * (1 + scene.relations.len() as u64 / 8));
        let labels: Vec<Vec<LabelRow>> =
            scene.edges.iter().map(|edge| label_rows(&edge.labels)).collect();
        let edges = scene.edges.iter().zip(&labels);
        let input = LayoutInput {
            marks: (0..scene.marks.len()).map(|at| mark_size(scene, at)).collect(),
            edges: edges
                .map(|(edge, rows)| LayoutEdge {
                    from: edge.from,
                    to: edge.to,
                    label: label_size(rows),
                })
                .collect(),
            relations: scene.relations.iter().map(|line| (line.from, line.to)).collect(),
        };
        let layout = layout(&input)?;
        Some(Figure { labels, input, layout })
    }
}

/// The width of the boxes next to a picture, with the gap before them.
fn side_width(scene: &PictureGraph) -> f64 {
    let widths = scene.boxes.iter().map(|(title, rows)| node_side(title, rows, 0.0).width);
    widths.fold(120.0, f64::max) + SIDE_GAP
}

/// Between the graph and the boxes next to it.
const SIDE_GAP: f64 = 36.0;

struct SvgPicture<'a> {
    scene: &'a PictureGraph,
    figure: &'a Figure,
    /// Flows with a picture of their own, below.
    panels: &'a [(String, PictureGraph, Figure)],
    /// A prefix of ids, so that several pictures may be on one page.
    id: String,
}

fn mark_size(scene: &PictureGraph, at: usize) -> LabelSize {
    let mark = &scene.marks[at];
    let relations = scene.relations.iter().filter(|line| line.from == at || line.to == at).count();
    let sides = 12.0 + 6.0 * relations as f64;
    match mark.shape {
        NodeShape::Start | NodeShape::End => LabelSize { width: 18.0, height: 18.0 },
        NodeShape::Choice => {
            LabelSize { width: width(&mark.name, SMALL_SIZE) + 44.0, height: 26.0 }
        }
        NodeShape::Turn | NodeShape::Given | NodeShape::Kind => {
            let rows = mark.notes.rows();
            let notes = rows.iter().map(|row| width(row, SMALL_SIZE) + 20.0).fold(64.0, f64::max);
            let width = bold_width(&mark.name, NAME_SIZE) + 28.0;
            let height = 30.0 + ROW_HEIGHT * rows.len() as f64;
            LabelSize { width: width.max(notes), height: sides.max(height) }
        }
    }
}

fn label_size(rows: &[LabelRow]) -> Option<LabelSize> {
    let widest = rows.iter().map(row_width).fold(0.0, f64::max);
    (!rows.is_empty())
        .then_some(LabelSize { width: widest + 8.0, height: ROW_HEIGHT * rows.len() as f64 + 4.0 })
}

fn row_width(row: &LabelRow) -> f64 {
    if row.strong { bold_width(&row.text, SMALL_SIZE) } else { width(&row.text, SMALL_SIZE) }
}

/// A box next to the picture or the legend: its size, and how to draw it.
struct NodeSide {
    title: String,
    rows: Vec<String>,
    width: f64,
    height: f64,
}

impl SvgPicture<'_> {
    fn draw(&self) -> String {
        let kinds = self.kinds();
        let mut sides: Vec<NodeSide> =
            self.scene.boxes.iter().map(|(title, rows)| node_side(title, rows, 0.0)).collect();
        if !kinds.is_empty() {
            let words: Vec<String> = kinds.iter().map(|kind| kind.word().to_owned()).collect();
            sides.push(node_side("relations", &words, 40.0));
        }
        let side_width = sides.iter().map(|side| side.width).fold(0.0, f64::max);
        let side_height: f64 = sides.iter().map(|side| side.height + 14.0).sum();
        let gap = if sides.is_empty() { 0.0 } else { SIDE_GAP };

        let content = self.figure.layout.width + gap + side_width;
        let doc_columns = ((content.max(360.0)) / (SMALL_SIZE * 0.56)) as usize;
        let doc =
            if self.scene.doc.is_empty() { Vec::new() } else { wrap(&self.scene.doc, doc_columns) };
        let doc_width = doc.iter().map(|row| width(row, SMALL_SIZE)).fold(0.0, f64::max);
        let inner = content.max(bold_width(&self.scene.name, TITLE_SIZE)).max(doc_width);
        let head = TITLE_SIZE + 4.0 + ROW_HEIGHT * doc.len() as f64 + 18.0;
        let (places, panels_wide, panels_high) = self.flow_positions(inner);
        let inner = inner.max(panels_wide);
        let wide = inner + 2.0 * MARGIN;
        let main_high = self.figure.layout.height.max(side_height);
        let high = MARGIN + head + main_high + panels_high + MARGIN;

        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" \
             height=\"{1}\" role=\"img\" aria-labelledby=\"{2}-title {2}-desc\" font-family=\"{FONT_FAMILY}\">\n",
            number(wide),
            number(high),
            self.id
        );
        out.push_str(&format!(
            "<title id=\"{}-title\">{}</title>\n",
            self.id,
            escaped(&self.scene.name)
        ));
        out.push_str(&format!(
            "<desc id=\"{}-desc\">{}</desc>\n",
            self.id,
            escaped(&self.description())
        ));
        self.arrows(&kinds, &mut out);
        out.push_str(&format!(
            "<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n",
            number(wide),
            number(high)
        ));
        let at = LayoutPoint { x: MARGIN, y: MARGIN + TITLE_SIZE * 0.8 };
        push_text(&mut out, at, &self.scene.name, TITLE_SIZE, "start", true);
        for (row, words) in doc.iter().enumerate() {
            let y = MARGIN + TITLE_SIZE + 4.0 + ROW_HEIGHT * (row as f64 + 0.8);
            push_text(&mut out, LayoutPoint { x: MARGIN, y }, words, SMALL_SIZE, "start", false);
        }

        // A narrow picture under a wide title is centred; above panels, it begins where they do.
        let left = match self.panels.is_empty() {
            true => MARGIN + ((inner - content) / 2.0).max(0.0),
            false => MARGIN,
        };
        out.push_str(&format!(
            "<g transform=\"translate({} {})\">\n",
            number(left),
            number(MARGIN + head)
        ));
        self.draw_figure(&mut out, self.scene, self.figure);
        let mut y = 0.0;
        for side in &sides {
            let x = self.figure.layout.width + gap;
            let legend = if side.title == "relations" { &kinds[..] } else { &[] };
            draw_side(&mut out, LayoutPoint { x, y }, side, side_width, legend, &self.id);
            y += side.height + 14.0;
        }
        out.push_str("</g>\n");
        for ((title, scene, figure), place) in self.panels.iter().zip(places) {
            let top = MARGIN + head + main_high + place.y;
            out.push_str(&format!(
                "<g transform=\"translate({} {})\">\n",
                number(MARGIN + place.x),
                number(top)
            ));
            push_text(
                &mut out,
                LayoutPoint { x: 0.0, y: SMALL_SIZE },
                title,
                SMALL_SIZE,
                "start",
                true,
            );
            let down = number(PANEL_HEAD);
            out.push_str(&format!("<g transform=\"translate(0 {down})\">\n"));
            self.draw_figure(&mut out, scene, figure);
            out.push_str("</g>\n</g>\n");
        }
        out.push_str("</svg>\n");
        out
    }

    /// The corners of the panels below the picture in rows, and the size of all of them.
    fn flow_positions(&self, inner: f64) -> (Vec<LayoutPoint>, f64, f64) {
        let most = inner.max(MAX_WIDTH - 2.0 * MARGIN);
        let (mut places, mut at) = (Vec::new(), LayoutPoint { x: 0.0, y: PANEL_GAP });
        let (mut wide, mut row) = (0.0_f64, 0.0_f64);
        for (title, _, figure) in self.panels {
            let width = figure.layout.width.max(bold_width(title, SMALL_SIZE));
            if at.x > 0.0 && at.x + width > most {
                at = LayoutPoint { x: 0.0, y: at.y + row + PANEL_GAP };
                row = 0.0;
            }
            places.push(at);
            wide = wide.max(at.x + width);
            row = row.max(figure.layout.height + PANEL_HEAD);
            at.x += width + PANEL_GAP;
        }
        let high = if places.is_empty() { 0.0 } else { at.y + row };
        (places, wide, high)
    }

    fn draw_figure(&self, out: &mut String, scene: &PictureGraph, figure: &Figure) {
        self.lines(out, scene, figure);
        for (at, mark) in scene.marks.iter().enumerate() {
            draw_mark(out, mark, figure.layout.marks[at], figure.input.marks[at]);
        }
        for (route, rows) in figure.layout.edges.iter().zip(&figure.labels) {
            if let Some(at) = route.label {
                draw_label(out, at, rows);
            }
        }
    }

    /// The graph, then those below it, with their titles.
    fn scenes(&self) -> impl Iterator<Item = (&str, &PictureGraph, &Figure)> {
        let below =
            self.panels.iter().map(|(title, scene, figure)| (title.as_str(), scene, figure));
        [("", self.scene, self.figure)].into_iter().chain(below)
    }

    fn kinds(&self) -> Vec<RelationKind> {
        let has = |scene: &PictureGraph, kind| scene.relations.iter().any(|line| line.kind == kind);
        RelationKind::ALL
            .into_iter()
            .filter(|kind| self.scenes().any(|(_, scene, _)| has(scene, *kind)))
            .collect()
    }

    /// A textual description of the picture.
    fn description(&self) -> String {
        let mut words = Vec::new();
        if !self.scene.doc.is_empty() {
            words.push(self.scene.doc.clone());
        }
        for (title, scene, figure) in self.scenes() {
            if !title.is_empty() {
                words.push(format!("Flow {title}:"));
            }
            let name = |at: usize| scene.marks[at].name.as_str();
            for (edge, rows) in scene.edges.iter().zip(&figure.labels) {
                let label: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
                let label =
                    if rows.is_empty() { String::new() } else { format!(" ({})", label.join(" ")) };
                words.push(format!("{} then {}{label}.", name(edge.from), name(edge.to)));
            }
            for line in &scene.relations {
                words.push(format!("{} {} {}.", name(line.from), line.kind.word(), name(line.to)));
            }
        }
        words.join(" ")
    }

    fn arrows(&self, kinds: &[RelationKind], out: &mut String) {
        out.push_str("<defs>\n");
        let all = [("edge", LINE_COLOUR)]
            .into_iter()
            .chain(kinds.iter().map(|kind| (kind.word(), colour(*kind))));
        for (name, colour) in all {
            out.push_str(&format!(
                "<marker id=\"{0}-{name}\" viewBox=\"0 0 10 10\" refX=\"9.5\" refY=\"5\" \
                 markerUnits=\"userSpaceOnUse\" markerWidth=\"9\" markerHeight=\"9\" \
                 orient=\"auto\"><path d=\"M0 1 10 5 0 9 2.5 5z\" fill=\"{colour}\"/></marker>\n",
                self.id
            ));
        }
        out.push_str("</defs>\n");
    }

    fn lines(&self, out: &mut String, scene: &PictureGraph, figure: &Figure) {
        for (route, line) in figure.layout.relations.iter().zip(&scene.relations) {
            out.push_str(&format!(
                "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.3\" \
                 stroke-dasharray=\"{}\" marker-end=\"url(#{}-{})\"/>\n",
                path(route),
                colour(line.kind),
                dashes(line.kind),
                self.id,
                line.kind.word()
            ));
        }
        for route in &figure.layout.edges {
            out.push_str(&format!(
                "<path d=\"{}\" fill=\"none\" stroke=\"{LINE_COLOUR}\" stroke-width=\"1.3\" \
                 marker-end=\"url(#{}-edge)\"/>\n",
                path(route),
                self.id
            ));
        }
    }
}

/// Distinguishable in black and white.
fn dashes(kind: RelationKind) -> &'static str {
    match kind {
        RelationKind::Follows => "7 3",
        RelationKind::Recalls => "2 3",
        RelationKind::Refines => "7 3 2 3",
        RelationKind::Expands => "4 3",
        RelationKind::Summarizes => "10 3 2 3 2 3",
        RelationKind::Unrelated => "1 5",
    }
}

fn draw_mark(out: &mut String, mark: &PictureNode, at: LayoutPoint, size: LabelSize) {
    let (x, y) = (number(at.x), number(at.y));
    let rect = |fill: &str, radius: f64| {
        format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" fill=\"{fill}\" \
             stroke=\"{LINE_COLOUR}\" stroke-width=\"1.2\"/>\n",
            number(at.x - size.width / 2.0),
            number(at.y - size.height / 2.0),
            number(size.width),
            number(size.height),
            number(radius)
        )
    };
    let notes = mark.notes.rows();
    let name = |out: &mut String, size: f64, bold: bool| {
        let top = at.y - ROW_HEIGHT * notes.len() as f64 / 2.0;
        push_text(
            out,
            LayoutPoint { x: at.x, y: top + size * 0.35 },
            &mark.name,
            size,
            "middle",
            bold,
        );
        for (row, words) in (1..).zip(&notes) {
            let y = top + SMALL_SIZE * 0.35 + ROW_HEIGHT * f64::from(row) + 1.0;
            push_text(out, LayoutPoint { x: at.x, y }, words, SMALL_SIZE, "middle", false);
        }
    };
    match mark.shape {
        NodeShape::Start => out.push_str(&format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"8\" fill=\"{TEXT_COLOUR}\"><title>start</title></circle>\n"
        )),
        NodeShape::End => out.push_str(&format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"8.4\" fill=\"#ffffff\" stroke=\"{TEXT_COLOUR}\" \
             stroke-width=\"1.2\"><title>end</title></circle>\
             <circle cx=\"{x}\" cy=\"{y}\" r=\"5\" fill=\"{TEXT_COLOUR}\"/>\n"
        )),
        NodeShape::Turn => {
            out.push_str(&rect("#ffffff", 6.0));
            name(out, NAME_SIZE, true);
        }
        // Hollow: nothing is requested.
        NodeShape::Given => {
            out.push_str(&rect("none", 6.0).replace("/>", " stroke-dasharray=\"4 3\"/>"));
            name(out, NAME_SIZE, false);
        }
        NodeShape::Kind => {
            out.push_str(&rect("#e8eef7", 6.0));
            name(out, NAME_SIZE, true);
        }
        NodeShape::Choice => {
            out.push_str(&rect("#f3f3f3", size.height / 2.0));
            name(out, SMALL_SIZE, false);
        }
    }
}

fn draw_label(out: &mut String, at: LayoutPoint, rows: &[LabelRow]) {
    let Some(size) = label_size(rows) else { return };
    out.push_str(&format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n",
        number(at.x - size.width / 2.0),
        number(at.y - size.height / 2.0),
        number(size.width),
        number(size.height)
    ));
    for (row, words) in rows.iter().enumerate() {
        let y = at.y - size.height / 2.0 + 2.0 + ROW_HEIGHT * (row as f64 + 0.75);
        push_text(out, LayoutPoint { x: at.x, y }, &words.text, SMALL_SIZE, "middle", words.strong);
    }
}

const PADDING: f64 = 10.0;

/// Between flows with a picture of their own, and the height of their titles.
const PANEL_GAP: f64 = 28.0;
const PANEL_HEAD: f64 = 22.0;

fn node_side(title: &str, rows: &[String], indent: f64) -> NodeSide {
    let widest = rows.iter().map(|row| indent + width_of(row)).fold(0.0, f64::max);
    NodeSide {
        title: title.to_owned(),
        rows: rows.to_vec(),
        width: widest.max(bold_width(title, SMALL_SIZE)) + 2.0 * PADDING,
        height: ROW_HEIGHT * (rows.len() as f64 + 1.0) + 2.0 * PADDING + 2.0,
    }
}

/// Leading blanks are indentation, which XML would remove.
fn width_of(row: &str) -> f64 {
    indentation(row) + width(row.trim_start(), SMALL_SIZE)
}

fn indentation(row: &str) -> f64 {
    (row.len() - row.trim_start().len()) as f64 * 3.0
}

fn draw_side(
    out: &mut String,
    at: LayoutPoint,
    side: &NodeSide,
    wide: f64,
    legend: &[RelationKind],
    id: &str,
) {
    out.push_str(&format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"#fafafa\" \
         stroke=\"#aaaaaa\" stroke-width=\"0.8\"/>\n",
        number(at.x),
        number(at.y),
        number(wide),
        number(side.height)
    ));
    let line = |row: usize| {
        at.y + PADDING + ROW_HEIGHT * (row as f64 + 0.75) + if row > 0 { 2.0 } else { 0.0 }
    };
    let x = at.x + PADDING;
    push_text(out, LayoutPoint { x, y: line(0) }, &side.title, SMALL_SIZE, "start", true);
    for (row, words) in side.rows.iter().enumerate() {
        let y = line(row + 1);
        let mut x = x + indentation(words);
        if let Some(kind) = legend.get(row) {
            out.push_str(&format!(
                "<path d=\"M{} {1}H{2}\" stroke=\"{3}\" stroke-width=\"1.3\" \
                 stroke-dasharray=\"{4}\" marker-end=\"url(#{id}-{5})\"/>\n",
                number(x),
                number(y - 4.0),
                number(x + 32.0),
                colour(*kind),
                dashes(*kind),
                kind.word()
            ));
            x += 40.0;
        }
        push_text(out, LayoutPoint { x, y }, words.trim_start(), SMALL_SIZE, "start", false);
    }
}

fn push_text(out: &mut String, at: LayoutPoint, words: &str, size: f64, anchor: &str, bold: bool) {
    let weight = if bold { " font-weight=\"bold\"" } else { "" };
    // A font that is wider than the one that was measured is condensed: text stays within its box.
    let fitted = letters::length(words, size, bold)
        .map(|length| {
            format!(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"", number(length))
        })
        .unwrap_or_default();
    out.push_str(&format!(
        "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{anchor}\"{weight}{fitted} fill=\"{TEXT_COLOUR}\">{}</text>\n",
        number(at.x),
        number(at.y),
        number(size),
        escaped(words)
    ));
}

fn path(route: &Route) -> String {
    let pair = |point: &LayoutPoint| format!("{} {}", number(point.x), number(point.y));
    let mut path = format!("M{}", pair(&route.start));
    for piece in &route.pieces {
        match piece {
            RoutePiece::Line(end) => path.push_str(&format!("L{}", pair(end))),
            RoutePiece::Curve(first, second, end) => {
                path.push_str(&format!("C{} {} {}", pair(first), pair(second), pair(end)))
            }
        }
    }
    path
}

/// With at most one decimal.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.strip_suffix(".0").unwrap_or(&text) {
        "-0" => "0".to_owned(),
        text => text.to_owned(),
    }
}

/// Escaped for XML text and attributes, without characters that XML forbids.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{FFFE}' | '\u{FFFF}' => {}
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{MAX_WIDTH, bold_width, svg, width};
    use crate::sample::{evolif, fan_dialogue, long_dialogue, loops, plan_of, several_flows};
    use ifs_base::world::FolderWorld;

    #[test]
    fn every_picture_is_sound_xml() {
        for mut dialogue in [evolif(), fan_dialogue(), loops(), long_dialogue(), several_flows()] {
            dialogue.name = format!("{} <&\"'\u{1}", dialogue.name);
            let mut plan = plan_of(dialogue);
            let name = plan.model.dialogues[0].name.clone();
            plan.model.docs.insert(name, "a < b & \"c\"".to_owned());
            let text = svg(&plan, plan.dialogues().next().unwrap()).unwrap();
            let document = roxmltree::Document::parse(&text);
            assert!(document.is_ok(), "{document:?}");
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        }
    }

    /// The pictures of all shipped scenarios fit, and no text is wider than the box that it is in.
    #[test]
    fn pictures_of_the_shipped_scenarios_fit() {
        let root =
            std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("scenarios");
        let mut seen = 0;
        for folder in std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()) {
            if folder.ends_with("std") {
                continue;
            }
            for file in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if file.extension().is_none_or(|it| it != "ifs") {
                    continue;
                }
                let world = FolderWorld::new(file.parent().unwrap()).unwrap();
                let name = file.file_name().unwrap().to_str().unwrap();
                let Some(model) = ifs_model::check(&world, name).model else { continue };
                let plan = crate::build(model);
                for dialogue in plan.dialogues() {
                    seen += 1;
                    fits(
                        &format!("{} {}", file.display(), dialogue.table.name),
                        &svg(&plan, dialogue).unwrap(),
                    );
                }
            }
        }
        assert!(seen > 15, "{seen} pictures");
    }

    fn fits(name: &str, text: &str) {
        let document = roxmltree::Document::parse(text).unwrap();
        let number = |node: &roxmltree::Node<'_, '_>, name: &str| -> f64 {
            node.attribute(name).and_then(|text| text.parse().ok()).unwrap_or(0.0)
        };
        let wide = number(&document.root_element(), "width");
        assert!(wide <= MAX_WIDTH, "{name}: {wide} pixels");
        // Rectangles around the middle of a text, in the same group.
        for words in document.descendants().filter(|node| node.has_tag_name("text")) {
            let (x, y) = (number(&words, "x"), number(&words, "y"));
            let (said, size) = (words.text().unwrap_or(""), number(&words, "font-size"));
            let long = match words.attribute("font-weight") {
                Some(_) => bold_width(said, size),
                None => width(said, size),
            };
            let left =
                if words.attribute("text-anchor") == Some("middle") { x - long / 2.0 } else { x };
            let group = words.parent().unwrap();
            let shift: f64 = group
                .ancestors()
                .filter_map(|node| node.attribute("transform"))
                .filter_map(|text| {
                    text["translate(".len()..].split(' ').next()?.parse::<f64>().ok()
                })
                .sum();
            assert!(shift + left + long <= wide + 0.1, "{name}: `{said}` leaves the picture");
            for rect in group.children().filter(|node| node.has_tag_name("rect")) {
                let (from, top) = (number(&rect, "x"), number(&rect, "y"));
                let (wide, high) = (number(&rect, "width"), number(&rect, "height"));
                let is_in = (from..=from + wide).contains(&(left + long / 2.0))
                    && (top..=top + high).contains(&(y - 3.0));
                let within = left >= from - 0.1 && left + long <= from + wide + 0.1;
                assert!(!is_in || within && y <= top + high, "{name}: `{said}` leaves its box");
            }
        }
    }
}
