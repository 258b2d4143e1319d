//! Encodes pictures of few colours as PNG files (ISO/IEC 15948). It uses no library, so that a
//! picture's bytes and its hash do not change with the version of a library.

use super::canvas::Canvas;
use super::colour::COLOURS;

/// Encodes a canvas: one byte per pixel, a palette, no filters.
pub fn png(canvas: &Canvas) -> Vec<u8> {
    let (width, height) = (canvas.width(), canvas.height());
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = Vec::new();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend([8, 3, 0, 0, 0]);
    chunk(b"IHDR", &header, &mut file);
    let palette: Vec<u8> = COLOURS.iter().flat_map(|(_, parts)| *parts).collect();
    chunk(b"PLTE", &palette, &mut file);
    let stride = width as usize + 1;
    let mut rows = Vec::with_capacity(stride * height as usize);
    for row in canvas.rows() {
        rows.push(0);
        rows.extend_from_slice(row);
    }
    chunk(b"IDAT", &zlib(&rows, stride), &mut file);
    chunk(b"IEND", &[], &mut file);
    file
}

fn chunk(kind: &[u8; 4], data: &[u8], file: &mut Vec<u8>) {
    // Pictures have far fewer than 2^32 bytes.
    file.extend((data.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend_from_slice(kind);
    file.extend_from_slice(data);
    let sum = crc(&file[start..]);
    file.extend(sum.to_be_bytes());
}

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            (sum >> 1) ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 }
        })
    })
}

/// RFC 1950 around one block of RFC 1951 with the fixed codes. Only two kinds of matches are tried:
/// the previous byte, and the row above, which are most of a drawing.
fn zlib(bytes: &[u8], stride: usize) -> Vec<u8> {
    let mut bits = Bits { bytes: vec![0x78, 0x01], open: 0, count: 0 };
    bits.write_bits(0b011, 3);
    let mut at = 0;
    while at < bytes.len() {
        let (run, above) = (match_length(bytes, at, 1), match_length(bytes, at, stride));
        let (length, distance) = if above >= run { (above, stride) } else { (run, 1) };
        if length < 3 {
            bits.literal(u32::from(bytes[at]));
            at += 1;
        } else {
            bits.write_length(length as u32);
            bits.distance(distance as u32);
            at += length;
        }
    }
    bits.literal(256);
    let mut file = bits.end();
    file.extend(adler32(bytes).to_be_bytes());
    file
}

/// The number of bytes that equal those at a distance before.
fn match_length(bytes: &[u8], at: usize, distance: usize) -> usize {
    let Some(from) = at.checked_sub(distance) else { return 0 };
    let ahead = bytes[at..].iter().zip(&bytes[from..]);
    ahead.take(258).take_while(|(here, there)| here == there).count()
}

fn adler32(bytes: &[u8]) -> u32 {
    let (low, high) = bytes.iter().fold((1, 0), |(low, high), byte| {
        let low = (low + u32::from(*byte)) % 65_521;
        (low, (high + low) % 65_521)
    });
    high << 16 | low
}

/// A bit writer, lowest bit first.
struct Bits {
    bytes: Vec<u8>,
    open: u32,
    count: u32,
}

impl Bits {
    fn write_bits(&mut self, bits: u32, count: u32) {
        self.open |= bits << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push(self.open as u8);
            self.open >>= 8;
            self.count -= 8;
        }
    }

    /// Writes a Huffman code, highest bit first.
    fn write_code(&mut self, code: u32, count: u32) {
        (0..count).rev().for_each(|bit| self.write_bits(code >> bit & 1, 1));
    }

    /// Writes a symbol of the fixed literal and length code (RFC 1951, section 3.2.6).
    fn literal(&mut self, symbol: u32) {
        match symbol {
            0..=143 => self.write_code(0x30 + symbol, 8),
            144..=255 => self.write_code(0x190 + symbol - 144, 9),
            256..=279 => self.write_code(symbol - 256, 7),
            _ => self.write_code(0xc0 + symbol - 280, 8),
        }
    }

    fn write_length(&mut self, length: u32) {
        match length {
            258 => self.literal(285),
            3..=10 => self.literal(257 + length - 3),
            _ => {
                // Four symbols for each number of extra bits.
                let extra = (length - 3).ilog2() - 2;
                let step = (length - 3) >> extra;
                self.literal(257 + 4 * extra + step);
                self.write_bits((length - 3) & ((1 << extra) - 1), extra);
            }
        }
    }

    fn distance(&mut self, distance: u32) {
        match distance {
            1..=4 => self.write_code(distance - 1, 5),
            _ => {
                // Two codes for each number of extra bits.
                let extra = (distance - 1).ilog2() - 1;
                let step = (distance - 1) >> extra;
                self.write_code(2 * extra + step, 5);
                self.write_bits((distance - 1) & ((1 << extra) - 1), extra);
            }
        }
    }

    fn end(mut self) -> Vec<u8> {
        self.write_bits(0, 7);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::decode;

    /// Another decoder reads back what was written, for any runs and widths.
    #[test]
    fn other_decoders_read_it() {
        for (width, height) in [(1, 1), (7, 3), (300, 41), (640, 480), (2000, 5)] {
            let mut canvas = Canvas::new(width, height, 0);
            for at in 0..400_i32 {
                let (x, y) = ((at * at * 7) % width as i32, (at * 31) % height as i32);
                canvas.fill_rectangle(x, y, at % 90, at % 13, (at % 16) as u8);
            }
            let file = png(&canvas);
            let picture = decode(file.clone()).unwrap();
            assert_eq!((picture.width, picture.height), (width, height));
            let mut reader = ::png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut pixels).unwrap();
            let drawn: Vec<u8> = canvas.rows().flatten().copied().collect();
            assert_eq!(pixels, drawn, "{width} by {height}");
        }
    }
}
