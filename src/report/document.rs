//! A page that is one file: it loads nothing, and runs no script but its own.

use super::html::escape;

const STYLE: &str = include_str!("html.css");

/// The parts of a page. They are HTML: whoever wrote them escaped every text.
pub(super) struct Document<'a> {
    pub title: &'a str,
    pub styles: &'a [&'a str],
    pub body: &'a str,
    pub script: Option<&'a str>,
}

impl Document<'_> {
    /// Only a script with the page's nonce runs. It is a hash of the page, so no text in the page
    /// can name it.
    pub fn write(&self) -> String {
        let Document { title, styles, body, script } = self;
        let nonce = blake3::hash(body.as_bytes()).to_hex();
        let scripts = match script {
            Some(_) => format!("; script-src 'nonce-{nonce}'"),
            None => String::new(),
        };
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; \
             style-src 'unsafe-inline'{scripts}\">\n\
             <title>{}</title>\n<style>\n{STYLE}",
            escape(title)
        );
        styles.iter().for_each(|style| page.push_str(style));
        page.push_str("</style>\n</head>\n<body>\n<main>\n");
        page.push_str(body);
        page.push_str("</main>\n");
        if let Some(script) = script {
            page.push_str(&format!("<script nonce=\"{nonce}\">\n{script}</script>\n"));
        }
        page.push_str("</body>\n</html>\n");
        page
    }
}
