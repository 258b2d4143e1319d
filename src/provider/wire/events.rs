//! Server-sent events: from chunks of bytes to the data of complete events. A character that was
//! split between two chunks is restored.

use crate::provider::CallFailure;

#[derive(Debug, Default)]
pub struct Events {
    /// The incomplete last line.
    line: Vec<u8>,
    data: Vec<u8>,
    /// The last byte was a carriage return, so a line feed belongs to it.
    after_return: bool,
}

impl Events {
    /// Adds a chunk, and returns the data of the events that it completes.
    pub fn push(&mut self, piece: &[u8]) -> Result<Vec<String>, CallFailure> {
        let mut done = Vec::new();
        for byte in piece {
            let skipped = self.after_return && *byte == b'\n';
            self.after_return = *byte == b'\r';
            match byte {
                _ if skipped => {}
                b'\n' | b'\r' => {
                    if let Some(event) = self.end_line()? {
                        done.push(event);
                    }
                }
                byte => self.line.push(*byte),
            }
        }
        Ok(done)
    }

    /// Whether there is an incomplete event.
    pub fn is_cut(&self) -> bool {
        !self.line.is_empty() || !self.data.is_empty()
    }

    fn end_line(&mut self) -> Result<Option<String>, CallFailure> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            if data.is_empty() {
                return Ok(None);
            }
            return String::from_utf8(data)
                .map(Some)
                .map_err(|_| CallFailure::garbled("the stream is not UTF-8"));
        }
        // Comments, names and ids of events are ignored.
        if let Some(data) = line.strip_prefix(b"data:") {
            if !self.data.is_empty() {
                self.data.push(b'\n');
            }
            self.data.extend_from_slice(data.strip_prefix(b" ").unwrap_or(data));
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str =
        ": hello\r\nevent: a\r\ndata: {\"x\": \"é→𝄞\"}\r\n\r\ndata: one\ndata: two\n\n\ndata:x\r\r";

    #[test]
    fn every_cut_gives_the_same_events() {
        let whole = ["{\"x\": \"é→𝄞\"}", "one\ntwo", "x"];
        for size in 1..STREAM.len() {
            let mut events = Events::default();
            let mut found = Vec::new();
            for piece in STREAM.as_bytes().chunks(size) {
                found.extend(events.push(piece).unwrap());
            }
            assert_eq!(found, whole, "pieces of {size}");
            assert!(!events.is_cut());
        }
    }

    #[test]
    fn invalid_utf8_is_an_error() {
        let mut events = Events::default();
        assert!(events.push(b"data: \xff\n\n").is_err());
        assert_eq!(events.push(b"data: half").unwrap(), Vec::<String>::new());
        assert!(events.is_cut());
    }
}
