//! The frame of the page: what surrounds its menu and content.

use sha2::{Digest as _, Sha256};
use toolwright_core::protocol::content::base64;

use super::Page;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// The symbols that the page uses as icons.
const ICONS: &str = include_str!("icons.svg");
/// The icon of the browser's tab; without one, browsers request `/favicon.ico`.
const FAVICON: &str = "data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Crect \
                       width=%2216%22 height=%2216%22 rx=%224%22 fill=%22%23345bd8%22/%3E%3Cpath d=%22M4.5 5l3 3-3 3M8.5 \
                       11.5h3%22 stroke=%22%23fff%22 stroke-width=%221.6%22 fill=%22none%22/%3E%3C/svg%3E";

/// Returns the page; `title` is HTML.
pub(super) fn wrap(title: &str, page: &Page) -> String {
    let Page { menu, main, .. } = page;
    let (style, script) = (format!("\n{STYLE}"), format!("\n{SCRIPT}"));
    let policy = format!(
        "default-src 'none'; style-src {}; script-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        digest(&style),
        digest(&script)
    );
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"{policy}\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta \
         name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"{FAVICON}\">\n<title>{title}</title>\n\
         <style>{style}</style>\n</head>\n<body>\n{ICONS}<a class=\"skip\" href=\"#content\">Skip to the content</a>\n\
         <nav aria-label=\"Contents\">\n<div id=\"find\" hidden><input id=\"search\" type=\"search\" placeholder=\"Search\" \
         autocomplete=\"off\" spellcheck=\"false\" aria-label=\"Search names and descriptions\" aria-describedby=\"count\">\
         <kbd aria-hidden=\"true\">/</kbd></div>\n<p id=\"count\" role=\"status\"></p>\n<details id=\"menu\" open>\n\
         <summary>Contents</summary>\n{menu}</details>\n</nav>\n<main id=\"content\">\n<h1 class=\"hidden\">{title}</h1>\n\
         {main}<p id=\"nothing\" hidden>Nothing matches.</p>\n</main>\n<script>{script}</script>\n</body>\n</html>\n"
    )
}

/// Returns the source of a policy that permits exactly this inline style or script (CSP Level 3, `hash-source`).
fn digest(text: &str) -> String {
    format!("'sha256-{}'", base64::encode(&Sha256::digest(text.as_bytes())))
}
