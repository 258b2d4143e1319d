//! A page that is one file: it loads nothing, and runs no script but its own.

use std::io::{self, Write};

use ifs_base::diagnostic::visible;

const STYLE: &str = include_str!("html.css");

/// The parts of a page. They are HTML in which every text is escaped.
pub(super) struct HtmlPage<'a> {
    pub title: &'a str,
    pub styles: &'a [&'a str],
    /// Parts of the body, in their order: a page may be larger than what should be copied.
    pub body: &'a [&'a str],
    pub script: Option<&'a str>,
}

impl HtmlPage<'_> {
    /// Only a script with the page's nonce runs. It is a hash of the page, so no text in the page
    /// can name it.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let HtmlPage { title, styles, body, script } = self;
        let mut hash = blake3::Hasher::new();
        body.iter().for_each(|part| {
            hash.update(part.as_bytes());
        });
        let nonce = hash.finalize().to_hex();
        let scripts = match script {
            Some(_) => format!("; script-src 'nonce-{nonce}'"),
            None => String::new(),
        };
        write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; \
             style-src 'unsafe-inline'{scripts}\">\n\
             <title>{}</title>\n<style>\n{STYLE}",
            escape(title)
        )?;
        for part in styles.iter().chain(&["</style>\n</head>\n<body>\n<main>\n"]).chain(*body) {
            out.write_all(part.as_bytes())?;
        }
        out.write_all(b"</main>\n")?;
        if let Some(script) = script {
            write!(out, "<script nonce=\"{nonce}\">\n{script}</script>\n")?;
        }
        out.write_all(b"</body>\n</html>\n")
    }

    /// The page as a text.
    pub fn text(&self) -> String {
        let mut page = Vec::new();
        // Memory can always be written to.
        self.write(&mut page).unwrap_or_default();
        String::from_utf8_lossy(&page).into_owned()
    }
}

/// Escapes text and quoted attributes. Control characters, which HTML forbids, become blanks, and
/// those that reverse or hide text are made visible.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(visible(letter)),
        }
    }
    escaped
}
