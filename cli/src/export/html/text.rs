//! Strings of definitions in HTML.

use toolwright_core::docs::outline::Phrase;
use toolwright_core::manifest::visible;

pub(super) fn phrase(phrase: &Phrase) -> String {
    phrase.render_with(code)
}

pub(super) fn code(text: &str) -> String {
    format!("<code>{}</code>", escape(&visible(text)))
}

pub(super) fn one_line(text: &str) -> String {
    escape(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Renders a name, which may be wrapped between its words.
pub(super) fn name(text: &str) -> String {
    one_line(text).replace('_', "_<wbr>").replace('/', "/<wbr>").replace('.', ".<wbr>")
}

/// Escapes text for HTML, including hidden characters.
pub(super) fn escape(text: &str) -> String {
    let text = text.replace('\t', " ");
    let lines = text.split('\n').map(|line| visible(line.trim_end_matches('\r')));
    let text = lines.collect::<Vec<_>>().join("\n");
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}
