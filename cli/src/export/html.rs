//! A reference page of everything that servers offer, in one file: no scripts, styles, fonts or images from elsewhere.
//!
//! The page is readable without scripts; they add the search and the buttons that copy. Definitions are third-party
//! strings: they are escaped, their Markdown is reduced to harmless elements, and a content security policy rejects
//! every script and style except the page's own.

mod anchors;
mod calls;
mod feature;
mod fields;
mod head;
mod hints;
mod markdown;
mod text;
mod tool;

use std::fmt::Write as _;

use toolwright_agent::model_api::Losses;
use toolwright_core::manifest::Kind;

use crate::packages::Document;

use anchors::Anchors;
use calls::{Address, write_configuration};
use text::{name as name_html, one_line};

/// The menu and the content of the page.
#[derive(Debug, Default)]
struct Page {
    menu: String,
    main: String,
    anchors: Anchors,
}

// Writing to a string cannot fail.

impl Page {
    /// Starts a list of the menu, which has the entries of one kind.
    fn open_list(&mut self, heading: &str, count: usize) {
        _ = writeln!(self.menu, "<div class=\"list\"><h2>{heading} <span>{count}</span></h2>\n<ul>");
    }

    fn close_list(&mut self) {
        self.menu.push_str("</ul></div>\n");
    }

    /// Starts a section, and adds it to the menu with a mark.
    fn open_section(&mut self, section: &Section<'_>) {
        let Section { anchor, name, title, kind, class, mark } = section;
        let (name, class) = (name_html(name), class.map(|class| format!(" {class}")).unwrap_or_default());
        _ = writeln!(self.menu, "<li><a href=\"#{anchor}\"><span>{name}</span>{mark}</a></li>");
        _ = writeln!(
            self.main,
            "<section id=\"{anchor}\" class=\"entry{class}\">\n<p class=\"kind\">{kind}</p>\n<h3><a href=\"#{anchor}\">{name}</a></h3>"
        );
        if let Some(title) = title {
            _ = writeln!(self.main, "<p class=\"title\">{}</p>", one_line(title));
        }
    }

    fn add_description(&mut self, description: Option<&str>) {
        if let Some(description) = description {
            _ = writeln!(self.main, "{}", markdown::block(description));
        }
    }

    fn close_section(&mut self) {
        self.main.push_str("</section>\n");
    }
}

/// The start of a section.
struct Section<'a> {
    anchor: &'a str,
    name: &'a str,
    title: Option<&'a str>,
    kind: &'a str,
    class: Option<&'a str>,
    /// HTML behind the name in the menu.
    mark: &'a str,
}

pub(super) fn render(documents: &[Document], losses: &mut Losses) -> String {
    let mut page = Page::default();
    let mut titles = Vec::new();
    let is_alone = documents.len() == 1;
    for document in documents {
        let title = losses.text(None, "/server/title", document.manifest.server.title.as_deref());
        let title = one_line(title.unwrap_or(&document.manifest.server.name));
        if !is_alone {
            _ = writeln!(page.menu, "<p class=\"server\">{title}</p>");
        }
        add_server(&mut page, document, &title, losses);
        titles.push(title);
    }
    head::wrap(&titles.join(", "), &page)
}

fn add_server(page: &mut Page, document: &Document, title: &str, losses: &mut Losses) {
    let manifest = &document.manifest;
    let (name, version) = (one_line(&manifest.server.name), one_line(&manifest.server.version));
    _ = writeln!(
        page.main,
        "<article>\n<div class=\"server\">\n<h2 class=\"name\">{title}</h2>\n<p class=\"version\"><code>{name}</code> {version}</p>"
    );
    let counts = Kind::ALL.into_iter().filter_map(|kind| {
        let count = manifest.entries(kind)?.len();
        (count > 0).then(|| format!("<li><strong>{count}</strong> {}</li>", feature::noun(kind, count)))
    });
    let counts: String = counts.chain(hints::destructive_count(&manifest.tools)).collect();
    _ = writeln!(page.main, "<ul class=\"counts\">{counts}</ul>");
    page.add_description(losses.text(None, "/instructions", manifest.instructions.as_deref()));

    let address = Address::of(document);
    let id = page.anchors.of(&manifest.server.name, "configuration");
    write_configuration(&mut page.main, &address, document, &id);
    page.main.push_str("</div>\n<div class=\"entries\">\n");
    if !manifest.tools.is_empty() {
        page.open_list("Tools", manifest.tools.len());
        for tool in &manifest.tools {
            tool::add(page, document, tool, &address, losses);
        }
        page.close_list();
    }
    feature::add_all(page, document, &address);
    page.main.push_str("</div>\n</article>\n");
}
