//! Strings that try to escape from their context on a page, and how Markdown parses them.

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser};

/// Strings that are special in Markdown, HTML or TypeScript.
const PARTS: [&str; 58] = [
    "</td>",
    "</section>",
    "<script>alert(1)</script>",
    "</script>",
    "</style>",
    "</title>",
    "<b>",
    "<!--",
    "-->",
    "]]>",
    "\" onload=\"x",
    "' x='",
    "*/",
    "<https://x.y>",
    "[a](b)",
    "![a](b)",
    "[a]: b",
    "[^1]",
    "[[a]]",
    "[x]",
    "```",
    "~~~",
    "---",
    "===",
    "+++",
    "| a |",
    "|---|",
    "\\|",
    "&lt;",
    "&#60;",
    "\n\n",
    "\n# ",
    "\n> ",
    "\n- ",
    "\n1. ",
    "\n: a",
    "    ",
    "**a**",
    "__a__",
    "~~a~~",
    "$a$",
    "$$",
    "{#id}",
    "\u{202e}",
    "\u{200b}",
    "\u{0}",
    "\u{2028}",
    "a_b",
    "`a",
    "``",
    "\\",
    "`a\\|b`",
    "é",
    "\r\n",
    "\t",
    "${x}",
    "//",
    "/*",
];

/// Generates strings of this many parts, which are special strings or arbitrary characters.
pub fn hostile(parts: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[-`|<>_*\\\\\\[\\](){}!#&;~^$+=:./'\"?a-c1 \n\r\t]{1,6}",
        4 => prop::sample::select(PARTS.as_slice()).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(part, parts).prop_map(|parts| parts.concat())
}

/// Reads Markdown with every extension that changes more than quotes and dashes.
pub fn markdown_events(markdown: &str) -> impl Iterator<Item = Event<'_>> {
    let options = Options::all() - Options::ENABLE_SMART_PUNCTUATION - Options::ENABLE_OLD_FOOTNOTES;
    Parser::new_ext(markdown, options)
}
