//! The contents of a page: an anchor at each heading, and a list of links to them.

/// A page is listed only if it has more headings than this.
const MAX_UNLISTED_HEADINGS: usize = 3;

/// The links, and the page with the anchors; `more` are anchors after it, with their titles.
pub(super) fn contents(page: &str, more: &[(&str, &str)]) -> (String, String) {
    let mut anchored = String::with_capacity(page.len() + 512);
    let mut links = String::new();
    let mut count = more.len();
    let mut pieces = page.split("<h2>");
    anchored.push_str(pieces.next().unwrap_or_default());
    for (at, piece) in pieces.enumerate() {
        let title = piece.split("</h2>").next().unwrap_or_default();
        anchored.push_str(&format!("<h2 id=\"part-{}\">{piece}", at + 1));
        links.push_str(&format!("<li><a href=\"#part-{}\">{title}</a></li>\n", at + 1));
        count += 1;
    }
    for (anchor, title) in more {
        links.push_str(&format!("<li><a href=\"#{anchor}\">{title}</a></li>\n"));
    }
    let listed = match count > MAX_UNLISTED_HEADINGS {
        true => format!(
            "<nav class=\"contents\" aria-label=\"On this page\"><ul>\n{links}</ul></nav>\n"
        ),
        false => String::new(),
    };
    (listed, anchored)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_linked() {
        let page = "a<h2>One</h2>b<h2>Two &amp; more</h2><h2>Three</h2>c";
        let (links, anchored) = contents(page, &[("dialogues", "Dialogues")]);
        assert!(
            anchored
                .starts_with("a<h2 id=\"part-1\">One</h2>b<h2 id=\"part-2\">Two &amp; more</h2>")
        );
        assert!(links.contains("<a href=\"#part-2\">Two &amp; more</a>"), "{links}");
        assert!(links.contains("<a href=\"#dialogues\">Dialogues</a>"), "{links}");
        assert!(contents("<h2>One</h2>", &[]).0.is_empty());
    }
}
