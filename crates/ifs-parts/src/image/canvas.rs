//! Integer drawing: the same pixels on every machine.

use super::font;

/// Rows of pixels, each an index into the colour table.
pub struct Canvas {
    width: u32,
    pixels: Vec<u8>,
}

impl Canvas {
    pub fn new(width: u32, height: u32, colour: u8) -> Canvas {
        Canvas { width, pixels: vec![colour; width as usize * height as usize] }
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    pub fn height(&self) -> u32 {
        (self.pixels.len() / self.width.max(1) as usize) as u32
    }

    pub fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.pixels.chunks(self.width.max(1) as usize)
    }

    /// A filled rectangle, clipped to the canvas.
    pub fn fill_rectangle(&mut self, x: i32, y: i32, width: i32, height: i32, colour: u8) {
        let clipped = |start: i32, length: i32, side: u32| {
            let side = i64::from(side);
            let from = i64::from(start).clamp(0, side);
            let to = (i64::from(start) + i64::from(length)).clamp(from, side);
            (from as usize, to as usize)
        };
        let (left, right) = clipped(x, width, self.width);
        let (top, bottom) = clipped(y, height, self.height());
        let side = self.width as usize;
        for row in top..bottom {
            self.pixels[row * side + left..row * side + right].fill(colour);
        }
    }

    /// The edge of a rectangle, within it.
    pub fn frame(&mut self, [x, y, width, height]: [i32; 4], thick: i32, colour: u8) {
        let thick = thick.min(width).min(height);
        self.fill_rectangle(x, y, width, thick, colour);
        self.fill_rectangle(x, y + height - thick, width, thick, colour);
        self.fill_rectangle(x, y, thick, height, colour);
        self.fill_rectangle(x + width - thick, y, thick, height, colour);
    }

    /// A filled ellipse that touches the sides of a rectangle.
    pub fn ellipse(&mut self, [x, y, width, height]: [i32; 4], colour: u8) {
        for row in 0..height {
            let left = margin(width, height, row);
            self.fill_rectangle(x + left, y + row, width - 2 * left, 1, colour);
        }
    }

    /// The edge of an ellipse, within it.
    pub fn ring(&mut self, [x, y, width, height]: [i32; 4], thick: i32, colour: u8) {
        for row in 0..height {
            let left = margin(width, height, row);
            let (inner, wide) = (row - thick, width - 2 * thick);
            let hollow = match (0..height - 2 * thick).contains(&inner) && wide > 0 {
                true => thick + margin(wide, height - 2 * thick, inner),
                false => width - left,
            };
            let side = (hollow - left).min(width - 2 * left);
            self.fill_rectangle(x + left, y + row, side, 1, colour);
            self.fill_rectangle(x + width - left - side, y + row, side, 1, colour);
        }
    }

    /// A straight line (Bresenham 1965), drawn with a square brush.
    pub fn line(&mut self, from: (i32, i32), to: (i32, i32), thick: i32, colour: u8) {
        let (mut x, mut y) = from;
        let (across, down) = ((to.0 - x).abs(), -(to.1 - y).abs());
        let (right, below) = ((to.0 - x).signum(), (to.1 - y).signum());
        let mut error = across + down;
        loop {
            self.fill_rectangle(x - thick / 2, y - thick / 2, thick, thick, colour);
            if (x, y) == to {
                return;
            }
            let twice = 2 * error;
            if twice >= down {
                error += down;
                x += right;
            }
            if twice <= across {
                error += across;
                y += below;
            }
        }
    }

    /// Fills a closed polygon by the even-odd rule.
    pub fn polygon(&mut self, points: &[(i32, i32)], colour: u8) {
        let rows = points.iter().map(|point| point.1);
        let (Some(top), Some(bottom)) = (rows.clone().min(), rows.max()) else { return };
        for row in top.max(0)..bottom.min(self.height() as i32) {
            // The centre of the row, in half pixels.
            let middle = 2 * i64::from(row) + 1;
            let mut crossed: Vec<i64> = Vec::new();
            for (one, next) in points.iter().zip(points.iter().cycle().skip(1)) {
                let ((x1, y1), (x2, y2)) = (doubled_coordinates(*one), doubled_coordinates(*next));
                if (y1 <= middle) != (y2 <= middle) {
                    crossed.push(x1 + ((middle - y1) * (x2 - x1)).div_euclid(y2 - y1));
                }
            }
            crossed.sort_unstable();
            for pair in crossed.chunks_exact(2) {
                // The pixels whose centres are between.
                let (left, right) = (pair[0].div_euclid(2), pair[1].div_euclid(2));
                self.fill_rectangle(left as i32, row, (right - left) as i32, 1, colour);
            }
        }
    }

    /// Text from its upper left corner, each dot of the font a square.
    pub fn text(&mut self, mut x: i32, y: i32, words: &str, dot: i32, colour: u8) {
        for letter in words.chars() {
            for (row, bits) in (0..).zip(font::rows(letter)) {
                for column in 0..font::WIDTH {
                    if bits >> (font::WIDTH - 1 - column) & 1 == 1 {
                        self.fill_rectangle(x + column * dot, y + row * dot, dot, dot, colour);
                    }
                }
            }
            x += (font::WIDTH + 1) * dot;
        }
    }
}

/// The number of pixels between an ellipse and the left side of its rectangle, on a row.
fn margin(width: i32, height: i32, row: i32) -> i32 {
    let (wide, high) = (i64::from(width), i64::from(height));
    // From the centre, in half pixels.
    let down = 2 * i64::from(row) + 1 - high;
    // across² · high² + down² · wide² <= wide² · high²
    let across = ((high * high - down * down) * wide * wide / (high * high)).isqrt();
    ((wide - across) / 2) as i32
}

fn doubled_coordinates(point: (i32, i32)) -> (i64, i64) {
    (2 * i64::from(point.0), 2 * i64::from(point.1))
}

/// The width of a text.
pub fn text_width(words: &str, dot: i32) -> i32 {
    let letters = i32::try_from(words.chars().count()).unwrap_or(0);
    ((font::WIDTH + 1) * letters - 1).max(0) * dot
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(width: u32, height: u32, paint: impl Fn(&mut Canvas)) -> Vec<String> {
        let mut canvas = Canvas::new(width, height, 0);
        paint(&mut canvas);
        let mark = |pixel: &u8| if *pixel == 0 { '.' } else { '#' };
        canvas.rows().map(|row| row.iter().map(mark).collect()).collect()
    }

    #[test]
    fn shapes_to_the_pixel() {
        assert_eq!(
            drawn(6, 4, |canvas| canvas.frame([1, 0, 4, 4], 1, 1)),
            [".####.", ".#..#.", ".#..#.", ".####."]
        );
        assert_eq!(
            drawn(6, 6, |canvas| canvas.ellipse([0, 0, 6, 6], 1)),
            [".####.", "######", "######", "######", "######", ".####."]
        );
        assert_eq!(
            drawn(5, 3, |canvas| canvas.line((0, 0), (4, 2), 1, 1)),
            ["#....", ".##..", "...##"].map(str::to_owned).to_vec(),
        );
        assert_eq!(
            drawn(6, 4, |canvas| canvas.polygon(&[(0, 0), (6, 0), (6, 4), (0, 4)], 1)),
            ["######"; 4]
        );
        // An edge through the centre of a pixel belongs to the left polygon only.
        assert_eq!(
            drawn(8, 4, |canvas| canvas.polygon(&[(0, 4), (4, 0), (8, 4)], 1)),
            ["...#....", "..###...", ".#####..", "#######."]
        );
    }

    #[test]
    fn shapes_outside_the_picture_are_clipped() {
        let outside = drawn(3, 2, |canvas| {
            canvas.fill_rectangle(-5, -5, 3, 3, 1);
            canvas.fill_rectangle(i32::MAX - 1, 0, i32::MAX, 1, 1);
            canvas.polygon(&[(-9, -9), (-5, -9), (-5, -5)], 1);
            canvas.text(50, 50, "outside", 3, 1);
        });
        assert_eq!(outside, ["...", "..."]);
        assert_eq!(drawn(3, 2, |canvas| canvas.fill_rectangle(-1, -1, 9, 9, 1)), ["###", "###"]);
    }
}
