//! The sections of prompts, resources and resource templates.

use std::fmt::Write as _;

use toolwright_core::manifest::Kind;

use super::calls::{self, Address, Call};
use super::markdown::block_if_any;
use super::text::code;
use super::{Page, Section};
use crate::export::features::{Argument, Feature, features, title};
use crate::packages::Document;

/// Returns the name of a kind for this many.
pub(super) fn noun(kind: Kind, count: usize) -> &'static str {
    match (kind, count) {
        (Kind::Tools, 1) => "tool",
        (Kind::Tools, _) => "tools",
        (Kind::Prompts, 1) => "prompt",
        (Kind::Prompts, _) => "prompts",
        (Kind::Resources, 1) => "resource",
        (Kind::Resources, _) => "resources",
        (Kind::ResourceTemplates, 1) => "template",
        (Kind::ResourceTemplates, _) => "templates",
    }
}

/// Adds the lists that are not empty.
pub(super) fn add_all(page: &mut Page, document: &Document, address: &Address) {
    let all = features(&document.manifest);
    for (kind, heading) in
        [(Kind::Prompts, "Prompts"), (Kind::Resources, "Resources"), (Kind::ResourceTemplates, "Templates")]
    {
        let of_kind: Vec<_> = all.iter().filter(|feature| feature.kind == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        page.open_list(heading, of_kind.len());
        for feature in of_kind {
            add(page, document, feature, address);
        }
        page.close_list();
    }
}

// Writing to a string cannot fail.

fn add(page: &mut Page, document: &Document, feature: &Feature<'_>, address: &Address) {
    let name = feature.name();
    let anchor = page.anchors.of(&document.manifest.server.name, name);
    let section = Section {
        anchor: &anchor,
        name,
        title: feature.text("title"),
        kind: title(feature.kind),
        class: None,
        mark: "",
    };
    page.open_section(&section);
    let facts = feature.facts();
    if !facts.is_empty() {
        let facts =
            facts.iter().map(|(what, value)| format!("<li class=\"plain\">{what} {}</li>", code(value)));
        _ = writeln!(page.main, "<ul class=\"hints\">{}</ul>", facts.collect::<String>());
    }
    page.add_description(feature.text("description"));
    let arguments = feature.arguments();
    if !arguments.is_empty() {
        page.main.push_str("<h4>Arguments</h4>\n<ul class=\"fields\">\n");
        for Argument { name, is_required, description } in &arguments {
            let required = if *is_required { " <span class=\"required\">required</span>" } else { "" };
            _ = writeln!(
                page.main,
                "<li>\n<p class=\"field\">{}{required}</p>\n{}</li>",
                code(name),
                block_if_any(description)
            );
        }
        page.main.push_str("</ul>\n");
    }
    let call = match feature.kind {
        Kind::Prompts => Call::Prompt { name, arguments: &arguments },
        _ => Call::Resource { uri: name },
    };
    calls::write(&mut page.main, &call, address, &anchor);
    page.close_section();
}
