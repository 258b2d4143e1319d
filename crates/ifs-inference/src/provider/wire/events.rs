//! Server-sent events: from chunks of bytes to complete events. A character that was split between
//! two chunks is restored.

use crate::provider::CallFailure;

#[derive(Debug, Default)]
pub struct Events {
    /// The incomplete last line.
    line: Vec<u8>,
    name: Vec<u8>,
    data: Vec<u8>,
    /// The last byte was a carriage return, so a line feed belongs to it.
    after_return: bool,
    /// The first line has ended: only it may begin with a byte order mark.
    begun: bool,
}

/// A complete event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerEvent {
    /// Its `event`, or empty.
    pub name: String,
    pub data: String,
}

/// Names of events that report an error contain one of these.
const ERROR_NAMES: [&str; 5] = ["error", "fail", "abort", "exception", "timeout"];

impl ServerEvent {
    /// Whether its name says that it is an error, whatever its data are.
    pub fn is_error(&self) -> bool {
        let name = self.name.to_ascii_lowercase();
        ERROR_NAMES.iter().any(|error| name.contains(error))
    }
}

impl Events {
    /// Adds a chunk, and returns the events that it completes.
    pub fn push(&mut self, piece: &[u8]) -> Result<Vec<ServerEvent>, CallFailure> {
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

    fn end_line(&mut self) -> Result<Option<ServerEvent>, CallFailure> {
        let line = std::mem::take(&mut self.line);
        let line = match std::mem::replace(&mut self.begun, true) {
            true => &line[..],
            false => line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&line),
        };
        if line.is_empty() {
            let text = |bytes: Vec<u8>| {
                String::from_utf8(bytes)
                    .map_err(|_| CallFailure::garbled("the stream is not UTF-8"))
            };
            let event = ServerEvent {
                name: text(std::mem::take(&mut self.name))?,
                data: text(std::mem::take(&mut self.data))?,
            };
            return Ok(Some(event).filter(|event| !event.data.is_empty() || event.is_error()));
        }
        let field = |name: &[u8]| {
            let value = line.strip_prefix(name)?.strip_prefix(b":")?;
            Some(value.strip_prefix(b" ").unwrap_or(value))
        };
        // Comments and ids are ignored. llama.cpp's server writes `error: {…}`, and some gateways
        // put the JSON of an error into the stream as it is.
        if let Some(name) = field(b"event") {
            self.name = name.to_vec();
        } else if let Some(error) = field(b"error") {
            self.name = b"error".to_vec();
            self.add_data(error);
        } else if let Some(data) = field(b"data").or_else(|| line.starts_with(b"{").then_some(line))
        {
            self.add_data(data);
        }
        Ok(None)
    }

    fn add_data(&mut self, data: &[u8]) {
        if !self.data.is_empty() {
            self.data.push(b'\n');
        }
        self.data.extend_from_slice(data);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str =
        ": hello\r\nevent: a\r\ndata: {\"x\": \"é→𝄞\"}\r\n\r\ndata: one\ndata: two\n\n\ndata:x\r\r";

    #[test]
    fn every_cut_gives_the_same_events() {
        let whole = [("a", "{\"x\": \"é→𝄞\"}"), ("", "one\ntwo"), ("", "x")];
        let whole = whole.map(|(name, data)| ServerEvent { name: name.into(), data: data.into() });
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
        assert_eq!(events.push(b"data: half").unwrap(), Vec::new());
        assert!(events.is_cut());
    }

    #[test]
    fn a_byte_order_mark_is_not_of_the_first_event() {
        for size in 1..9 {
            let mut events = Events::default();
            let all = "\u{feff}data: one\n\ndata: \u{feff}two\n\n".as_bytes().chunks(size);
            let found: Vec<String> =
                all.flat_map(|piece| events.push(piece).unwrap()).map(|event| event.data).collect();
            assert_eq!(found, ["one", "\u{feff}two"], "pieces of {size}");
        }
    }

    #[test]
    fn errors_have_a_name_or_a_field() {
        for (text, data) in [
            ("event: error\ndata: {}\n\n", "{}"),
            ("data: {}\nevent: Error\n\n", "{}"),
            ("event: error\n\n", ""),
            ("event: response.failed\ndata: {}\n\n", "{}"),
            ("error: {\"code\": 500}\n\n", "{\"code\": 500}"),
        ] {
            let found = Events::default().push(text.as_bytes()).unwrap();
            assert_eq!((found.len(), found[0].data.as_str()), (1, data), "{text}");
            assert!(found[0].is_error(), "{text}");
        }
        // The name is that of one event.
        let found =
            Events::default().push(b"event: ping\n\ndata: x\n\n{\"error\": 1}\n\n").unwrap();
        let data: Vec<&str> = found.iter().map(|event| event.data.as_str()).collect();
        assert_eq!(data, ["x", "{\"error\": 1}"]);
        assert!(found.iter().all(|event| event.name.is_empty() && !event.is_error()));
    }
}
