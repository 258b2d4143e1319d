//! Self-contained SVG for papers: no fonts, scripts or style sheets.

use super::layout::{Input, Layout, Piece, Point, Route, Size, Way, layout};
use super::letters::{bold_width, width};
use super::scene::{Mark, Scene, Shape, scene, wrap};
use super::{Row, colour, label_rows};
use crate::model::table::RelationKind;
use crate::plan::DialoguePlan;

const FACE: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";
const INK: &str = "#1a1a1a";
const LINE: &str = "#444444";
const MARGIN: f64 = 20.0;
const TITLE: f64 = 16.0;
const NAME: f64 = 13.0;
const SMALL: f64 = 11.0;
/// The line height of small text.
const ROW: f64 = 14.0;

/// The dialogue's graph as an SVG document. `doc` is its doc comment.
pub fn svg(dialogue: &DialoguePlan, doc: Option<&str>) -> String {
    let scene = scene(dialogue, doc);
    let labels: Vec<Vec<Row>> = scene.ways.iter().map(|way| label_rows(&way.labels)).collect();
    let sizes: Vec<Size> = (0..scene.marks.len()).map(|at| mark_size(&scene, at)).collect();
    let input = Input {
        marks: sizes,
        ways: scene
            .ways
            .iter()
            .zip(&labels)
            .map(|(way, rows)| Way { from: way.from, to: way.to, label: label_size(rows) })
            .collect(),
        relations: scene.relations.iter().map(|line| (line.from, line.to)).collect(),
    };
    let layout = layout(&input);
    let id = scene.name.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
    Picture { scene: &scene, labels: &labels, input: &input, layout: &layout, id }.draw()
}

struct Picture<'a> {
    scene: &'a Scene,
    labels: &'a [Vec<Row>],
    input: &'a Input,
    layout: &'a Layout,
    /// A prefix of ids, so that several pictures may be on one page.
    id: String,
}

fn mark_size(scene: &Scene, at: usize) -> Size {
    let mark = &scene.marks[at];
    let relations = scene.relations.iter().filter(|line| line.from == at || line.to == at).count();
    let sides = 12.0 + 6.0 * relations as f64;
    match mark.shape {
        Shape::Start | Shape::End => Size { width: 18.0, height: 18.0 },
        Shape::Choice => Size { width: width(&mark.name, SMALL) + 44.0, height: 26.0 },
        Shape::Turn | Shape::Kind => {
            let width = bold_width(&mark.name, NAME) + 28.0;
            Size { width: width.max(64.0), height: sides.max(30.0) }
        }
    }
}

fn label_size(rows: &[Row]) -> Option<Size> {
    let widest = rows.iter().map(row_width).fold(0.0, f64::max);
    (!rows.is_empty())
        .then_some(Size { width: widest + 8.0, height: ROW * rows.len() as f64 + 4.0 })
}

fn row_width(row: &Row) -> f64 {
    if row.strong { bold_width(&row.text, SMALL) } else { width(&row.text, SMALL) }
}

/// A box next to the picture or the legend: its size, and how to draw it.
struct Side {
    title: String,
    rows: Vec<String>,
    width: f64,
    height: f64,
}

impl Picture<'_> {
    fn draw(&self) -> String {
        let kinds = self.kinds();
        let mut sides: Vec<Side> =
            self.scene.boxes.iter().map(|(title, rows)| side(title, rows, 0.0)).collect();
        if !kinds.is_empty() {
            let words: Vec<String> = kinds.iter().map(|kind| kind.word().to_owned()).collect();
            sides.push(side("relations", &words, 40.0));
        }
        let side_width = sides.iter().map(|side| side.width).fold(0.0, f64::max);
        let side_height: f64 = sides.iter().map(|side| side.height + 14.0).sum();
        let gap = if sides.is_empty() { 0.0 } else { 36.0 };

        let content = self.layout.width + gap + side_width;
        let doc_columns = ((content.max(360.0)) / (SMALL * 0.56)) as usize;
        let doc =
            if self.scene.doc.is_empty() { Vec::new() } else { wrap(&self.scene.doc, doc_columns) };
        let doc_width = doc.iter().map(|row| width(row, SMALL)).fold(0.0, f64::max);
        let inner = content.max(bold_width(&self.scene.name, TITLE)).max(doc_width);
        let head = TITLE + 4.0 + ROW * doc.len() as f64 + 18.0;
        let wide = inner + 2.0 * MARGIN;
        let high = MARGIN + head + self.layout.height.max(side_height) + MARGIN;

        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" \
             height=\"{1}\" role=\"img\" aria-labelledby=\"{2}-title {2}-desc\" font-family=\"{FACE}\">\n",
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
        let at = Point { x: MARGIN, y: MARGIN + TITLE * 0.8 };
        text(&mut out, at, &self.scene.name, TITLE, "start", true);
        for (row, words) in doc.iter().enumerate() {
            let y = MARGIN + TITLE + 4.0 + ROW * (row as f64 + 0.8);
            text(&mut out, Point { x: MARGIN, y }, words, SMALL, "start", false);
        }

        // A narrow picture under a wide title is centred.
        let left = MARGIN + ((inner - content) / 2.0).max(0.0);
        out.push_str(&format!(
            "<g transform=\"translate({} {})\">\n",
            number(left),
            number(MARGIN + head)
        ));
        self.lines(&mut out);
        for (at, mark) in self.scene.marks.iter().enumerate() {
            draw_mark(&mut out, mark, self.layout.marks[at], self.input.marks[at]);
        }
        for (route, rows) in self.layout.ways.iter().zip(self.labels) {
            if let Some(at) = route.label {
                draw_label(&mut out, at, rows);
            }
        }
        let mut y = 0.0;
        for side in &sides {
            let x = self.layout.width + gap;
            let legend = if side.title == "relations" { &kinds[..] } else { &[] };
            draw_side(&mut out, Point { x, y }, side, side_width, legend, &self.id);
            y += side.height + 14.0;
        }
        out.push_str("</g>\n</svg>\n");
        out
    }

    fn kinds(&self) -> Vec<RelationKind> {
        RelationKind::ALL
            .into_iter()
            .filter(|kind| self.scene.relations.iter().any(|line| line.kind == *kind))
            .collect()
    }

    /// A textual description of the picture.
    fn description(&self) -> String {
        let mut words = Vec::new();
        if !self.scene.doc.is_empty() {
            words.push(self.scene.doc.clone());
        }
        let name = |at: usize| self.scene.marks[at].name.as_str();
        for (way, rows) in self.scene.ways.iter().zip(self.labels) {
            let label: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
            let label =
                if rows.is_empty() { String::new() } else { format!(" ({})", label.join(" ")) };
            words.push(format!("{} then {}{label}.", name(way.from), name(way.to)));
        }
        for line in &self.scene.relations {
            words.push(format!("{} {} {}.", name(line.from), line.kind.word(), name(line.to)));
        }
        words.join(" ")
    }

    fn arrows(&self, kinds: &[RelationKind], out: &mut String) {
        out.push_str("<defs>\n");
        let all = [("way", LINE)]
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

    fn lines(&self, out: &mut String) {
        for (route, line) in self.layout.relations.iter().zip(&self.scene.relations) {
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
        for route in &self.layout.ways {
            out.push_str(&format!(
                "<path d=\"{}\" fill=\"none\" stroke=\"{LINE}\" stroke-width=\"1.3\" \
                 marker-end=\"url(#{}-way)\"/>\n",
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

fn draw_mark(out: &mut String, mark: &Mark, at: Point, size: Size) {
    let (x, y) = (number(at.x), number(at.y));
    let rect = |fill: &str, radius: f64| {
        format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" fill=\"{fill}\" \
             stroke=\"{LINE}\" stroke-width=\"1.2\"/>\n",
            number(at.x - size.width / 2.0),
            number(at.y - size.height / 2.0),
            number(size.width),
            number(size.height),
            number(radius)
        )
    };
    let name = |out: &mut String, size: f64, bold: bool| {
        text(out, Point { x: at.x, y: at.y + size * 0.35 }, &mark.name, size, "middle", bold);
    };
    match mark.shape {
        Shape::Start => out.push_str(&format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"8\" fill=\"{INK}\"><title>start</title></circle>\n"
        )),
        Shape::End => out.push_str(&format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"8.4\" fill=\"#ffffff\" stroke=\"{INK}\" \
             stroke-width=\"1.2\"><title>end</title></circle>\
             <circle cx=\"{x}\" cy=\"{y}\" r=\"5\" fill=\"{INK}\"/>\n"
        )),
        Shape::Turn => {
            out.push_str(&rect("#ffffff", 6.0));
            name(out, NAME, true);
        }
        Shape::Kind => {
            out.push_str(&rect("#e8eef7", 6.0));
            name(out, NAME, true);
        }
        Shape::Choice => {
            out.push_str(&rect("#f3f3f3", size.height / 2.0));
            name(out, SMALL, false);
        }
    }
}

fn draw_label(out: &mut String, at: Point, rows: &[Row]) {
    let Some(size) = label_size(rows) else { return };
    out.push_str(&format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n",
        number(at.x - size.width / 2.0),
        number(at.y - size.height / 2.0),
        number(size.width),
        number(size.height)
    ));
    for (row, words) in rows.iter().enumerate() {
        let y = at.y - size.height / 2.0 + 2.0 + ROW * (row as f64 + 0.75);
        text(out, Point { x: at.x, y }, &words.text, SMALL, "middle", words.strong);
    }
}

const PADDING: f64 = 10.0;

fn side(title: &str, rows: &[String], indent: f64) -> Side {
    let widest = rows.iter().map(|row| indent + width_of(row)).fold(0.0, f64::max);
    Side {
        title: title.to_owned(),
        rows: rows.to_vec(),
        width: widest.max(bold_width(title, SMALL)) + 2.0 * PADDING,
        height: ROW * (rows.len() as f64 + 1.0) + 2.0 * PADDING + 2.0,
    }
}

/// Leading blanks are indentation, which XML would remove.
fn width_of(row: &str) -> f64 {
    indentation(row) + width(row.trim_start(), SMALL)
}

fn indentation(row: &str) -> f64 {
    (row.len() - row.trim_start().len()) as f64 * 3.0
}

fn draw_side(
    out: &mut String,
    at: Point,
    side: &Side,
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
    let line =
        |row: usize| at.y + PADDING + ROW * (row as f64 + 0.75) + if row > 0 { 2.0 } else { 0.0 };
    let x = at.x + PADDING;
    text(out, Point { x, y: line(0) }, &side.title, SMALL, "start", true);
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
        text(out, Point { x, y }, words.trim_start(), SMALL, "start", false);
    }
}

fn text(out: &mut String, at: Point, words: &str, size: f64, anchor: &str, bold: bool) {
    let weight = if bold { " font-weight=\"bold\"" } else { "" };
    out.push_str(&format!(
        "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{anchor}\"{weight} fill=\"{INK}\">{}</text>\n",
        number(at.x),
        number(at.y),
        number(size),
        escaped(words)
    ));
}

fn path(route: &Route) -> String {
    let pair = |point: &Point| format!("{} {}", number(point.x), number(point.y));
    let mut path = format!("M{}", pair(&route.start));
    for piece in &route.pieces {
        match piece {
            Piece::Line(end) => path.push_str(&format!("L{}", pair(end))),
            Piece::Curve(first, second, end) => {
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
    use super::svg;
    use crate::plan::sample::{evolif, fan, long, loops, plan_of, several};

    #[test]
    fn every_picture_is_sound_xml() {
        for mut dialogue in [evolif(), fan(), loops(), long(), several()] {
            dialogue.name = format!("{} <&\"'\u{1}", dialogue.name);
            let plan = plan_of(dialogue);
            let text = svg(&plan.dialogues[0], Some("a < b & \"c\""));
            let document = roxmltree::Document::parse(&text);
            assert!(document.is_ok(), "{document:?}");
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        }
    }
}
