//! Each export format against the rules of its readers, and its omissions.

mod audit;
mod gemini;
mod golden;
mod lists;
mod pages;
mod rules;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolwright_core::manifest::Manifest;
use toolwright_core::manifest::answer::Origin;

use super::{Export, export};
use crate::export::Format;
use crate::packages::{About, Document, Release, Sources};

/// The manifest of the retail example, as it is in the repository.
fn retail() -> Document {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/retail/mcp.json");
    of(Manifest::from_json(&fs::read_to_string(file).unwrap()).unwrap())
}

/// A tool with these properties, of which `a` is required.
fn with(properties: &Value) -> Document {
    let schema =
        json!({"type": "object", "properties": properties, "required": ["a"], "additionalProperties": false});
    let manifest = json!({
        "manifestVersion": 1,
        "server": {"name": "shop", "version": "1.0.0"},
        "tools": [{"name": "find", "description": "Finds things.", "inputSchema": schema}],
    });
    of(Manifest::from_json(&manifest.to_string()).unwrap())
}

fn of(manifest: Manifest) -> Document {
    let server = Origin {
        package: manifest.server.name.clone(),
        version: manifest.server.version.clone(),
        file: "src/lib.rs".to_owned(),
        line: 1,
        column: 1,
    };
    let about = About {
        description: Some("A shop that a customer talks to.".to_owned()),
        repository: Some("https://github.com/ada/shop".to_owned()),
        homepage: None,
        documentation: Some("https://docs.rs/shop".to_owned()),
        keywords: vec!["shop".to_owned(), "orders".to_owned()],
        license: Some("MIT".to_owned()),
        authors: vec!["Ada <ada@example.com>".to_owned()],
        release: Some(Release {
            is_public: true,
            has_program: true,
            readme: Some("# Shop\n\nmcp-name: io.github.ada/retail\n".to_owned()),
        }),
    };
    let sources = Sources {
        server,
        tools: BTreeMap::new(),
        root: PathBuf::new(),
        about,
        metadata: Vec::new(),
        server_uri: None,
    };
    Document { manifest, sources }
}

fn exported(document: Document, format: Format) -> Export {
    export(&[document], format).unwrap()
}

fn json_of(document: Document, format: Format) -> Value {
    serde_json::from_str(&exported(document, format).text).unwrap()
}

fn losses(document: Document, format: Format) -> Vec<String> {
    exported(document, format).losses.iter().map(ToString::to_string).collect()
}

/// The only parameter schema in a provider's list of tools.
fn parameter(document: Document, format: Format, name: &str) -> Value {
    let tools = json_of(document, format);
    let pointers = match format {
        Format::Gemini => format!("/functionDeclarations/0/parameters/properties/{name}"),
        Format::Anthropic => format!("/0/input_schema/properties/{name}"),
        _ => format!("/0/parameters/properties/{name}"),
    };
    tools.pointer(&pointers).unwrap_or_else(|| panic!("no {pointers} in {tools:#}")).clone()
}

#[test]
fn retail_follows_the_rules_of_every_reader() {
    rules::openai(&json_of(retail(), Format::Openai));
    rules::openai(&json_of(retail(), Format::OpenaiStrict));
    rules::anthropic(&json_of(retail(), Format::Anthropic));
    rules::gemini(&json_of(retail(), Format::Gemini));
    rules::openapi(&json_of(retail(), Format::Openapi));
    rules::server_json(&json_of(retail(), Format::ServerJson));
    rules::mcpb(&json_of(retail(), Format::Mcpb));
}

/// Everything that is hard to export, in one tool.
fn hard() -> Document {
    with(&json!({
        "a": {"type": "string", "minLength": 1, "pattern": "^x", "examples": ["x1"], "x-mcp-header": "A"},
        "choice": {"type": "string", "enum": ["left", "right"], "default": "left"},
        "level": {"type": "integer", "enum": [1, 2]},
        "above": {"type": "integer", "exclusiveMinimum": 0},
        "address": {"type": "string", "format": "uri"},
        "either": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "one": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
        "nested": {"type": "object", "properties": {"b": {"type": "boolean"}}},
        "list": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
        "maybe": {"type": ["integer", "null"]},
    }))
}

#[test]
fn hard_schemas_follow_the_rules_too() {
    rules::openai(&json_of(hard(), Format::Openai));
    rules::openai(&json_of(hard(), Format::OpenaiStrict));
    rules::anthropic(&json_of(hard(), Format::Anthropic));
    rules::gemini(&json_of(hard(), Format::Gemini));
    rules::openapi(&json_of(hard(), Format::Openapi));
}

#[test]
fn losses_of_a_format_are_listed() {
    assert_eq!(losses(hard(), Format::Anthropic), Vec::<String>::new());
    assert_eq!(losses(hard(), Format::Openapi), Vec::<String>::new());
    assert_eq!(
        losses(hard(), Format::OpenaiStrict),
        [
            "find /inputSchema/properties/a/minLength: `minLength` is removed",
            "find /inputSchema/properties/choice/default: `default` is removed: the description states it",
            "find /inputSchema/properties/address/format: `format` is removed",
            "find /inputSchema/properties/one/oneOf: `oneOf` becomes `anyOf`",
            "find /inputSchema/properties/list/uniqueItems: `uniqueItems` is removed",
        ]
    );
    assert_eq!(
        losses(hard(), Format::Gemini),
        [
            "find /inputSchema/properties/address/format: the format `uri` is removed",
            "find /inputSchema/properties/one/oneOf: `oneOf` becomes `anyOf`",
            "find /inputSchema/properties/list/uniqueItems: `uniqueItems` is removed",
        ]
    );
}

#[test]
fn strict_mode_requires_all_and_lets_optional_ones_be_null() {
    assert_eq!(
        parameter(hard(), Format::OpenaiStrict, "a"),
        json!({"type": "string", "pattern": "^x", "description": "For example: `\"x1\"`"})
    );
    assert_eq!(
        parameter(hard(), Format::OpenaiStrict, "choice"),
        json!({"type": ["string", "null"], "enum": ["left", "right", null], "description": "Default: `\"left\"`."})
    );
    assert_eq!(
        parameter(hard(), Format::OpenaiStrict, "either"),
        json!({"anyOf": [{"type": "string"}, {"type": "null"}]})
    );
    let tool = &json_of(hard(), Format::OpenaiStrict)[0];
    assert_eq!(tool["parameters"]["required"].as_array().unwrap().len(), 10);
}

#[test]
fn a_tool_that_strict_mode_cannot_express_is_not_strict() {
    for (property, what) in [
        (
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            "an object with arbitrary members",
        ),
        (json!({"description": "Anything."}), "a value of any type"),
        (
            json!({"type": "array", "prefixItems": [{"type": "string"}]}),
            "an array with a schema for each position",
        ),
    ] {
        let tool = &json_of(with(&json!({"a": property.clone()})), Format::OpenaiStrict)[0];
        assert_eq!(tool["strict"], false);
        assert_eq!(tool["parameters"]["properties"]["a"], property, "the schema stays as it is");
        let losses = losses(with(&json!({"a": property})), Format::OpenaiStrict);
        let expected = format!(
            "find /inputSchema/properties/a: strict mode cannot express {what}, so the tool is not strict"
        );
        assert_eq!(losses, [expected]);
    }
}

#[test]
fn headers_are_for_mcp_clients_only() {
    assert_eq!(parameter(hard(), Format::Anthropic, "a").get("x-mcp-header"), None);
    assert_eq!(parameter(hard(), Format::Openai, "a").get("x-mcp-header"), None);
}

/// Providers accept letters, digits, `_` and `-` (openai/codex#8174, anthropics/claude-code#2257).
#[test]
fn names_that_providers_reject_are_changed_and_listed() {
    let mut document = with(&json!({"a": {"type": "string"}}));
    document.manifest.tools[0].name = "admin.tools.find".to_owned();
    for format in [Format::Openai, Format::Anthropic, Format::Gemini] {
        let losses = losses(document.clone(), format);
        assert!(
            losses[0].starts_with("admin.tools.find /name: the name becomes `admin-tools-find-"),
            "{losses:?}"
        );
    }
    rules::anthropic(&json_of(document, Format::Anthropic));
}

#[test]
fn pages_execute_no_code_of_tools() {
    let mut document =
        with(&json!({"a": {"type": "string", "description": "<script>alert(1)</script> a | b"}}));
    document.manifest.tools[0].description = Some("Finds </section> & more.".to_owned());
    let html = exported(document.clone(), Format::Html).text;
    assert!(
        html.contains("&lt;script&gt;alert(1)&lt;/script&gt;")
            && html.contains("&lt;/section&gt; &amp; more")
    );
    assert_eq!(html.matches("<script>").count(), 1, "only the page's own");
    let targets = html.split(" href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    for target in targets {
        assert!(target.starts_with('#') || target.starts_with("data:"), "{target} is loaded from elsewhere");
    }
    for loader in [" src=", "url(", "@import", "fetch(", "import("] {
        assert!(!html.contains(loader), "{loader} loads something");
    }
    let markdown = exported(document, Format::Markdown).text;
    assert!(markdown.contains("a \\| b"), "{markdown}");
}

#[test]
fn typescript_types_have_the_shape_and_comments_the_rest() {
    let text = exported(hard(), Format::Typescript).text;
    for part in [
        "export type FindInput = {",
        "   * @pattern ^x",
        "  choice?: \"left\" | \"right\";",
        "  level?: 1 | 2;",
        "  either?: string | null;",
        "  one?: string | number;",
        "  list?: string[];",
        "  maybe?: number | null;",
        "  find: { input: FindInput; output: unknown };",
    ] {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
}

#[test]
fn the_registry_gets_a_package_of_cargo() {
    let document = json_of(retail(), Format::ServerJson);
    let package = json!({
        "registryType": "cargo",
        "identifier": "retail",
        "version": "0.1.0",
        "transport": {"type": "stdio"},
    });
    assert_eq!(document["packages"], json!([package]));
    assert_eq!(losses(retail(), Format::ServerJson), [""; 0]);
}

#[test]
fn values_that_the_registry_rejects_are_reported() {
    let with = |change: fn(&mut Release)| {
        let mut document = retail();
        change(document.sources.about.release.as_mut().unwrap());
        let exported = exported(document, Format::ServerJson);
        let made: Value = serde_json::from_str(&exported.text).unwrap();
        rules::server_json(&made);
        let losses: Vec<String> = exported.losses.iter().map(ToString::to_string).collect();
        (made.get("packages").is_some(), losses.join("; "))
    };
    for (change, has_package, says) in [
        (
            (|release| release.is_public = false) as fn(&mut Release),
            false,
            "is not published in cargo's registry",
        ),
        (|release| release.has_program = false, false, "has no program that `cargo install` could install"),
        (|release| release.readme = None, true, "looks for `mcp-name: io.github.ada/retail` in the README"),
        (
            |release| release.readme = Some("<!-- mcp-name: io.github.ada/retail -->".to_owned()),
            true,
            "takes comments out",
        ),
        (
            |release| release.readme = Some("mcp-name: io.github.ada/retail.".to_owned()),
            true,
            "a line end behind it",
        ),
    ] {
        let (has, said) = with(change);
        assert_eq!(has, has_package, "{said}");
        assert!(said.contains(says), "no {says:?} in {said}");
    }
    let mut unknown = retail();
    unknown.sources.about.release = None;
    assert!(losses(unknown, Format::ServerJson).concat().contains("no package of this workspace is known"));
}

#[test]
fn empty_strings_are_omitted_and_listed() {
    let mut document = with(&json!({"a": {"type": "string", "description": ""}}));
    document.manifest.tools[0].description = Some(String::new());
    document.manifest.server.title = Some(" ".to_owned());
    document.sources.about.description = Some(String::new());
    for (form, expected) in [
        (Format::Openai, vec!["find /description"]),
        (Format::OpenaiStrict, vec!["find /inputSchema/properties/a/description", "find /description"]),
        (Format::Anthropic, vec!["find /description"]),
        (Format::Gemini, vec!["find /description", "find /inputSchema/properties/a/description"]),
        (Format::Openapi, vec!["find /description"]),
        (Format::Mcpb, vec!["/server/title", "/description", "find /description"]),
        (Format::ServerJson, vec!["/server/title", "/description", "/packages"]),
        (
            Format::Markdown,
            vec!["/server/title", "find /inputSchema/properties/a/description", "find /description"],
        ),
        (
            Format::Html,
            vec!["/server/title", "find /inputSchema/properties/a/description", "find /description"],
        ),
        (Format::Typescript, vec!["find /description", "find /inputSchema/properties/a/description"]),
    ] {
        let losses = losses(document.clone(), form);
        let places: Vec<_> = losses.iter().map(|loss| loss.split(": ").next().unwrap()).collect();
        assert_eq!(places, expected, "{form:?}");
    }
}

#[test]
fn a_bundle_has_the_keywords_and_links_of_its_package() {
    let mut document = retail();
    let made = json_of(document.clone(), Format::Mcpb);
    assert_eq!(made["keywords"], json!(["shop", "orders"]));
    assert_eq!(made["documentation"], "https://docs.rs/shop");
    document.sources.about.authors.push("Bob".to_owned());
    assert_eq!(
        losses(document, Format::Mcpb),
        ["/author: the format has one author, so that the first of the package stands alone"]
    );
}

/// The official validator rejects bundles with them.
#[test]
fn a_bundle_has_only_valid_links_and_addresses() {
    let mut document = retail();
    let about = &mut document.sources.about;
    about.repository = Some("git@github.com:ada/shop.git".to_owned());
    about.homepage = Some("shop.example".to_owned());
    about.authors = vec!["Ada <https://ada.example>".to_owned()];
    let made = json_of(document.clone(), Format::Mcpb);
    rules::mcpb(&made);
    assert_eq!(made["author"], json!({"name": "Ada"}));
    assert_eq!((made.get("repository"), made.get("homepage")), (None, None));
    let expected = [
        "/author/email: the format requires an email address, so it is removed",
        "/repository: the format requires a URL, so it is removed",
        "/homepage: the format requires a URL, so it is removed",
    ];
    assert_eq!(losses(document, Format::Mcpb), expected);
}

#[test]
fn strict_mode_tells_defaults_in_the_description() {
    let schema = json!({"type": "integer", "description": "How many.", "default": 10, "examples": [3]});
    let converted = parameter(with(&json!({"a": schema})), Format::OpenaiStrict, "a");
    assert_eq!(converted["description"], "How many. Default: `10`. For example: `3`");
    assert_eq!(
        losses(with(&json!({"a": schema})), Format::OpenaiStrict),
        ["find /inputSchema/properties/a/default: `default` is removed: the description states it"]
    );
}
