//! The page of a running run. It asks its server whether there are more dialogues.

const LIVE_SCRIPT: &str = include_str!("live.js");
const LIVE_STYLE: &str = ".live { position: fixed; inset: auto 1rem 1rem auto; z-index: 9; \
                     padding: .6rem 1rem; font: inherit; }\n@media print { .live { display: none } }\n";

/// A page that this crate wrote, which is loaded again when `state` is not what its server has.
#[must_use]
pub fn live_page(page: &str, state: &str) -> String {
    let state: String = state.chars().filter(char::is_ascii_alphanumeric).collect();
    let nonce = blake3::hash(page.as_bytes()).to_hex();
    // A page without a script of its own has no source of scripts yet.
    let scripts = match page.contains("script-src 'nonce-") {
        true => page.replacen("script-src '", &format!("script-src 'nonce-{nonce}' '"), 1),
        false => page.replacen(
            "style-src 'unsafe-inline'",
            &format!("style-src 'unsafe-inline'; script-src 'nonce-{nonce}'"),
            1,
        ),
    };
    let page = scripts
        .replacen("default-src 'none'", "default-src 'none'; connect-src 'self'", 1)
        .replacen("<html lang", &format!("<html data-state=\"{state}\" lang"), 1)
        .replacen("</style>", &format!("{LIVE_STYLE}</style>"), 1);
    let end = format!("<script nonce=\"{nonce}\">\n{LIVE_SCRIPT}</script>\n</body>\n</html>\n");
    match page.strip_suffix("</body>\n</html>\n") {
        Some(page) => format!("{page}{end}"),
        None => page,
    }
}
