//! A drawing: shapes in painting order. It is data, so a script that shows a drawn picture is
//! self-contained, and the picture can be painted again anywhere.

use serde::{Deserialize, Serialize};

use super::canvas::{Canvas, text_width};
use super::colour::colour;
use super::png::png;
use super::{Picture, font};
use ifs_predicate::value::Value;

/// A picture before painting. Colours are indexes into the colour table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct Drawing {
    pub width: u32,
    pub height: u32,
    pub shapes: Vec<DrawnShape>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DrawnShape {
    /// x, y, width, height; fill colour; edge colour
    Rect([i32; 4], Option<u8>, Option<u8>),
    Ellipse([i32; 4], Option<u8>, Option<u8>),
    /// from x, y to x, y; width; colour
    Line([i32; 4], i32, u8),
    Polygon(Vec<(i32, i32)>, Option<u8>, Option<u8>),
    /// Upper left corner, dot size, colour, text.
    Text(i32, i32, i32, u8, String),
}

/// The value that a field of a shape takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    Int,
    Colour,
    Words,
    /// Pairs of integers.
    Points,
    /// `left`, `middle` or `right`: the alignment of text.
    Side,
}

/// The declaration of a shape: its name, and its fields with their types and whether they are
/// required.
pub struct ShapeForm {
    pub name: &'static str,
    pub fields: &'static [(&'static str, FieldKind, bool)],
}

/// Every shape that a scene may draw.
pub const SHAPES: &[ShapeForm] = &[
    ShapeForm { name: "ellipse", fields: BOX_FIELDS },
    ShapeForm {
        name: "line",
        fields: &[
            ("x", FieldKind::Int, true),
            ("y", FieldKind::Int, true),
            ("to_x", FieldKind::Int, true),
            ("to_y", FieldKind::Int, true),
            ("colour", FieldKind::Colour, false),
            ("thick", FieldKind::Int, false),
        ],
    },
    ShapeForm {
        name: "polygon",
        fields: &[
            ("points", FieldKind::Points, true),
            ("fill", FieldKind::Colour, false),
            ("edge", FieldKind::Colour, false),
        ],
    },
    ShapeForm { name: "rect", fields: BOX_FIELDS },
    ShapeForm {
        name: "text",
        fields: &[
            ("x", FieldKind::Int, true),
            ("y", FieldKind::Int, true),
            ("text", FieldKind::Words, true),
            ("size", FieldKind::Int, false),
            ("colour", FieldKind::Colour, false),
            ("align", FieldKind::Side, false),
        ],
    },
];

const BOX_FIELDS: &[(&str, FieldKind, bool)] = &[
    ("x", FieldKind::Int, true),
    ("y", FieldKind::Int, true),
    ("width", FieldKind::Int, true),
    ("height", FieldKind::Int, true),
    ("fill", FieldKind::Colour, false),
    ("edge", FieldKind::Colour, false),
];

/// The maximum distance of anything from the upper left corner.
const MAX_COORDINATE: i64 = 4_000;

/// The width of shapes' edges.
const EDGE_WIDTH: i32 = 2;

const BLACK_INDEX: u8 = 1;

/// The prefix of a drawn picture's value.
const DRAWING_PREFIX: &str = "drawing:";

/// A rectangle, its fill colour and its edge colour.
type Boxed = ([i32; 4], Option<u8>, Option<u8>);

impl DrawnShape {
    /// A shape from its name and the values of its fields.
    pub fn from_fields(
        name: &str,
        field: impl Fn(&str) -> Option<Value>,
    ) -> Result<DrawnShape, String> {
        let int = |name: &str, otherwise: Option<i64>| {
            let number = match (field(name), otherwise) {
                (Some(Value::Int(number)), _) => number,
                // An integer that is the result of a division.
                (Some(Value::Float(number)), _) if number.abs() < 1e9 => number as i64,
                (None, Some(number)) => number,
                (Some(other), _) => return Err(format!("its `{name}` is {other}")),
                (None, None) => return Err(format!("it has no `{name}`")),
            };
            match i32::try_from(number) {
                Ok(near) if number.abs() <= MAX_COORDINATE => Ok(near),
                _ => Err(format!("its `{name}` is {number}; at most {MAX_COORDINATE} are drawn")),
            }
        };
        let colour_of = |name: &str| match field(name) {
            None => Ok(None),
            Some(Value::Text(word)) => match colour(&word) {
                Some(found) => Ok(Some(found)),
                None => Err(format!("there is no colour `{word}`")),
            },
            Some(other) => Err(format!("its `{name}` is {other}, no colour")),
        };
        let boxed = || -> Result<Boxed, String> {
            let sides = ["x", "y", "width", "height"].map(|name| int(name, None));
            let [x, y, width, height] = sides;
            let (width, height) = (width?, height?);
            if width < 1 || height < 1 {
                return Err(format!("it is {width} by {height}"));
            }
            let (fill, edge) = (colour_of("fill")?, colour_of("edge")?);
            let edge = edge.or_else(|| fill.is_none().then_some(BLACK_INDEX));
            Ok(([x?, y?, width, height], fill, edge))
        };
        let thick = |name, otherwise| {
            int(name, Some(otherwise)).and_then(|thick| match thick {
                1..=100 => Ok(thick),
                other => Err(format!("its `{name}` is {other}, not from 1 to 100")),
            })
        };
        Ok(match name {
            "rect" => {
                let (place, fill, edge) = boxed()?;
                DrawnShape::Rect(place, fill, edge)
            }
            "ellipse" => {
                let (place, fill, edge) = boxed()?;
                DrawnShape::Ellipse(place, fill, edge)
            }
            "line" => {
                let ends = ["x", "y", "to_x", "to_y"].map(|name| int(name, None));
                let [x, y, to_x, to_y] = ends;
                let colour = colour_of("colour")?.unwrap_or(BLACK_INDEX);
                DrawnShape::Line([x?, y?, to_x?, to_y?], thick("thick", 2)?, colour)
            }
            "polygon" => {
                let (fill, edge) = (colour_of("fill")?, colour_of("edge")?);
                let edge = edge.or_else(|| fill.is_none().then_some(BLACK_INDEX));
                DrawnShape::Polygon(points(field("points"))?, fill, edge)
            }
            _ => {
                let Some(words) = field("text") else { return Err("it has no `text`".to_owned()) };
                let words = words.to_string();
                let size = thick("size", 2)?;
                let wide = text_width(&words, size);
                let side = field("align").map(|side| side.to_string());
                let x = int("x", None)?
                    - match side.as_deref() {
                        None | Some("left") => 0,
                        Some("middle") => wide / 2,
                        Some("right") => wide,
                        Some(other) => {
                            return Err(format!(
                                "its `align` is `{other}`, not left, middle or right"
                            ));
                        }
                    };
                let colour = colour_of("colour")?.unwrap_or(BLACK_INDEX);
                DrawnShape::Text(x, int("y", None)?, size, colour, words)
            }
        })
    }

    fn paint(&self, canvas: &mut Canvas) {
        match self {
            DrawnShape::Rect(place, fill, edge) => {
                if let Some(fill) = fill {
                    let [x, y, width, height] = *place;
                    canvas.fill_rectangle(x, y, width, height, *fill);
                }
                if let Some(edge) = edge {
                    canvas.frame(*place, EDGE_WIDTH, *edge);
                }
            }
            DrawnShape::Ellipse(place, fill, edge) => {
                let [x, y, width, height] = *place;
                // A ring is an ellipse with a smaller one in it.
                let inner = [
                    x + EDGE_WIDTH,
                    y + EDGE_WIDTH,
                    width - 2 * EDGE_WIDTH,
                    height - 2 * EDGE_WIDTH,
                ];
                match (fill, edge) {
                    (Some(fill), Some(edge)) => {
                        canvas.ellipse(*place, *edge);
                        canvas.ellipse(inner, *fill);
                    }
                    (Some(colour), None) => canvas.ellipse(*place, *colour),
                    (None, edge) => canvas.ring(*place, EDGE_WIDTH, edge.unwrap_or(BLACK_INDEX)),
                }
            }
            DrawnShape::Line([x, y, to_x, to_y], thick, colour) => {
                canvas.line((*x, *y), (*to_x, *to_y), *thick, *colour);
            }
            DrawnShape::Polygon(points, fill, edge) => {
                if let Some(fill) = fill {
                    canvas.polygon(points, *fill);
                }
                if let Some(edge) = edge {
                    for (one, next) in points.iter().zip(points.iter().cycle().skip(1)) {
                        canvas.line(*one, *next, EDGE_WIDTH, *edge);
                    }
                }
            }
            DrawnShape::Text(x, y, size, colour, words) => {
                canvas.text(*x, *y, words, *size, *colour)
            }
        }
    }

    /// Whether it is entirely inside the picture.
    pub fn is_on(&self, drawing: &Drawing) -> bool {
        let [left, top, right, bottom] = self.extent();
        let within = |end: i32, side: u32| u32::try_from(end).is_ok_and(|end| end <= side);
        left >= 0 && top >= 0 && within(right, drawing.width) && within(bottom, drawing.height)
    }

    /// Its extent: left, top, right, bottom.
    fn extent(&self) -> [i32; 4] {
        match self {
            DrawnShape::Rect([x, y, width, height], ..)
            | DrawnShape::Ellipse([x, y, width, height], ..) => [*x, *y, x + width, y + height],
            DrawnShape::Line([x, y, to_x, to_y], ..) => {
                [*x.min(to_x), *y.min(to_y), *x.max(to_x), *y.max(to_y)]
            }
            DrawnShape::Polygon(points, ..) => {
                points.iter().fold([i32::MAX, i32::MAX, i32::MIN, i32::MIN], |[l, t, r, b], at| {
                    [l.min(at.0), t.min(at.1), r.max(at.0), b.max(at.1)]
                })
            }
            DrawnShape::Text(x, y, size, _, words) => {
                [*x, *y, x + text_width(words, *size), y + font::HEIGHT * size]
            }
        }
    }
}

fn points(value: Option<Value>) -> Result<Vec<(i32, i32)>, String> {
    let wanted = || "its `points` are not pairs of integers".to_owned();
    let near = |value: &Value| {
        let number =
            value.as_int().filter(|number| number.abs() <= MAX_COORDINATE).ok_or_else(wanted)?;
        i32::try_from(number).map_err(|_| wanted())
    };
    let list = value.as_ref().and_then(Value::as_list).ok_or_else(wanted)?;
    let points: Result<Vec<(i32, i32)>, String> = list
        .iter()
        .map(|point| match point.as_list() {
            Some([x, y]) => Ok((near(x)?, near(y)?)),
            _ => Err(wanted()),
        })
        .collect();
    match points? {
        points if (3..=1_000).contains(&points.len()) => Ok(points),
        points => Err(format!("it has {} points, not from 3 to 1,000", points.len())),
    }
}

impl Drawing {
    /// The maximum number of shapes in a drawing.
    pub const MAX_SHAPES: usize = 10_000;

    /// The drawing as the value of an image.
    pub fn value(&self) -> Value {
        // Numbers and texts always serialize.
        Value::text(&format!("{DRAWING_PREFIX}{}", serde_json::to_string(self).unwrap_or_default()))
    }

    /// The drawing in the value of an image, if it is one.
    pub fn read(image: &str) -> Option<Drawing> {
        serde_json::from_str(image.strip_prefix(DRAWING_PREFIX)?).ok()
    }

    /// Paints the drawing and encodes it as PNG.
    pub fn paint(&self) -> Picture {
        let mut canvas = Canvas::new(self.width, self.height, 0);
        self.shapes.iter().for_each(|shape| shape.paint(&mut canvas));
        let bytes = png(&canvas);
        Picture {
            hash: blake3::hash(&bytes).to_hex().to_string(),
            media_type: "image/png".to_owned(),
            width: self.width,
            height: self.height,
            bytes: bytes.into(),
        }
    }
}
