//! The Markdown of descriptions as HTML.
//!
//! Descriptions are third-party strings. Only harmless elements are written: paragraphs, lists, emphasis, code,
//! quotations and tables, and links to web pages, which show where they lead. HTML is text, images are their
//! alternative text, and headings are bold, so that descriptions do not change the outline of the page.

use std::borrow::Cow;
use std::fmt::Write as _;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use toolwright_core::manifest::visible;

use super::text::{code, escape};

/// Maximum number of nested elements; what is nested deeper is written without its elements.
const DEPTH_LIMIT: usize = 16;

/// Renders a description as a block.
pub(super) fn block(text: &str) -> String {
    let mut writer = Writer::default();
    for event in Parser::new_ext(text.trim(), Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        writer.add(event);
    }
    format!("<div class=\"text\">{}</div>", writer.html.trim_end())
}

/// Renders a description as a block; an empty one as nothing.
pub(super) fn block_if_any(text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { block(text) }
}

#[derive(Debug, Default)]
struct Writer {
    html: String,
    /// The closing tags of the open elements.
    open: Vec<String>,
    /// The number of open elements at which elements are no longer written.
    skipped: Option<usize>,
    is_in_head: bool,
    /// The words of the current link.
    words: String,
    /// The host that it leads to; empty for an address without one.
    host: String,
}

impl Writer {
    fn add(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.open(&tag),
            Event::End(tag) => self.close(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.words.push_str(&text);
                self.html.push_str(&escape(&text));
            }
            Event::Code(text) => {
                self.words.push_str(&text);
                self.html.push_str(&code(&text));
            }
            Event::SoftBreak => self.html.push('\n'),
            Event::HardBreak => self.html.push_str("<br>"),
            Event::Rule => self.html.push_str("<hr>\n"),
            // Part of no enabled extension.
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.html.push_str(&escape(&text));
            }
            Event::TaskListMarker(_) => {}
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        if self.open.len() >= DEPTH_LIMIT && self.skipped.is_none() {
            self.skipped = Some(self.open.len());
        }
        let (start, end) = match tag {
            _ if self.skipped.is_some() => Default::default(),
            Tag::Link { dest_url, .. } => self.open_link(dest_url),
            Tag::TableHead => {
                self.is_in_head = true;
                ("<thead><tr>".to_owned(), "</tr></thead>\n<tbody>\n".to_owned())
            }
            Tag::TableCell => {
                let cell = if self.is_in_head { "th" } else { "td" };
                (format!("<{cell}>"), format!("</{cell}>"))
            }
            tag => {
                let (start, end) = elements(tag);
                (start.into_owned(), end.to_owned())
            }
        };
        self.html.push_str(&start);
        self.open.push(end);
    }

    fn close(&mut self, tag: TagEnd) {
        self.html.push_str(&self.open.pop().unwrap_or_default());
        if tag == TagEnd::Link && !self.host.is_empty() && !self.words.contains(&self.host) {
            // Writing to a string cannot fail.
            _ = write!(self.html, " <span class=\"host\">({})</span>", escape(&self.host));
        }
        if self.skipped.is_some_and(|depth| self.open.len() <= depth) {
            self.skipped = None;
            // What follows is separate.
            self.html.push(' ');
        }
        if tag == TagEnd::TableHead {
            self.is_in_head = false;
        }
    }

    /// Returns the tags of a link; none if it leads elsewhere than to a web page or a mailbox.
    fn open_link(&mut self, target: &str) -> (String, String) {
        self.words.clear();
        self.host.clear();
        let Some(host) = host(target) else { return Default::default() };
        self.host = visible(host);
        let start = format!("<a href=\"{}\" rel=\"nofollow noopener noreferrer\">", escape(target));
        (start, "</a>".to_owned())
    }
}

/// Returns the tags of an element other than links and parts of tables.
fn elements(tag: &Tag<'_>) -> (Cow<'static, str>, &'static str) {
    let (start, end) = match tag {
        Tag::Paragraph | Tag::HtmlBlock => ("<p>", "</p>\n"),
        Tag::Heading { .. } => ("<p><strong>", "</strong></p>\n"),
        Tag::BlockQuote(_) => ("<blockquote>\n", "</blockquote>\n"),
        Tag::CodeBlock(_) => ("<pre><code>", "</code></pre>\n"),
        Tag::List(None) => ("<ul>\n", "</ul>\n"),
        Tag::List(Some(1)) => ("<ol>\n", "</ol>\n"),
        Tag::List(Some(first)) => return (format!("<ol start=\"{first}\">\n").into(), "</ol>\n"),
        Tag::Item => ("<li>", "</li>\n"),
        Tag::Emphasis => ("<em>", "</em>"),
        Tag::Strong => ("<strong>", "</strong>"),
        Tag::Strikethrough => ("<del>", "</del>"),
        Tag::Table(_) => ("<table>\n", "</tbody>\n</table>\n"),
        Tag::TableRow => ("<tr>", "</tr>\n"),
        // Images are their alternative text; others are part of no enabled extension.
        _ => ("", ""),
    };
    (start.into(), end)
}

/// Returns the host of a web page as a browser reads the address, or nothing for a mailbox; `None` for any other address.
fn host(target: &str) -> Option<&str> {
    let is_plain = target.bytes().all(|byte| byte.is_ascii_graphic());
    let (scheme, rest) = target.split_once(':').filter(|_| is_plain)?;
    match scheme.to_ascii_lowercase().as_str() {
        "mailto" => Some(""),
        // Browsers take any number of slashes and backslashes for `//`.
        "http" | "https" => {
            let rest = rest.trim_start_matches(['/', '\\']);
            let authority = rest.split(['/', '\\', '?', '#']).next()?;
            let host = authority.rsplit('@').next()?;
            (!host.is_empty()).then_some(host)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(markdown: &str, html: &str) {
        assert_eq!(block(markdown), format!("<div class=\"text\">{html}</div>"), "{markdown}");
    }

    #[test]
    fn the_markdown_of_descriptions_is_rendered() {
        check("A **b** *c* `d<`.", "<p>A <strong>b</strong> <em>c</em> <code>d&lt;</code>.</p>");
        check("# Head\n\n- a\n- b", "<p><strong>Head</strong></p>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>");
        check("3. a", "<ol start=\"3\">\n<li>a</li>\n</ol>");
        check("```json\n{}\n```", "<pre><code>{}\n</code></pre>");
        check(
            "|a|\n|-|\n|b|",
            "<table>\n<thead><tr><th>a</th></tr></thead>\n<tbody>\n<tr><td>b</td></tr>\n</tbody>\n</table>",
        );
    }

    #[test]
    fn html_images_and_other_schemes_are_text() {
        check("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>");
        check("<script>\nx\n</script>", "<p>&lt;script&gt;\nx\n&lt;/script&gt;</p>");
        check("![a](https://x.y/z.png)", "<p>a</p>");
        for target in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "data:text/html,x",
            "//x.y",
            "a.html",
            "#a",
            "https:",
        ] {
            check(&format!("[a]({target})"), "<p>a</p>");
        }
        check("a\u{202e}b", "<p>a\\u{202e}b</p>");
    }

    #[test]
    fn a_link_shows_the_host_that_it_leads_to() {
        let rel = "rel=\"nofollow noopener noreferrer\"";
        check("<https://a.b/c>", &format!("<p><a href=\"https://a.b/c\" {rel}>https://a.b/c</a></p>"));
        for (target, host) in [
            ("https://evil.example", "evil.example"),
            ("https://good.example@evil.example/x", "evil.example"),
            ("https:/\\\\evil.example\\\\@good.example", "evil.example"),
            ("HTTP:evil.example?@good.example", "evil.example"),
        ] {
            let html = block(&format!("[good.example]({target})"));
            assert!(
                html.ends_with(&format!("good.example</a> <span class=\"host\">({host})</span></p></div>")),
                "{html}"
            );
        }
        check("[m](mailto:a@b.c)", &format!("<p><a href=\"mailto:a@b.c\" {rel}>m</a></p>"));
    }

    #[test]
    fn what_is_nested_too_deeply_is_still_shown() {
        let html = block(&format!("{} **deep**\n\nafter", "> ".repeat(1000)));
        assert_eq!(html.matches("<blockquote>").count(), DEPTH_LIMIT);
        assert_eq!(html.matches("</blockquote>").count(), DEPTH_LIMIT);
        assert!(html.contains("deep") && html.contains("<p>after</p>"), "{html}");
    }
}
