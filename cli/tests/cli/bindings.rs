//! `cargo mcp bindings`: the module compiles, and its definitions equal those of the server.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::common::{Run, cargo_in, folder, manifest_with, run, scratch, target};

/// Third-party servers, with lists as of November 2026: `@modelcontextprotocol/server-everything`, `-filesystem`, `-memory`
/// and `-sequential-thinking`, and `mcp-server-git`, whose schemas Pydantic generates. `hard` has schemas that are hard to express in types (PrefectHQ/fastmcp#4306, hyperdxio/hyperdx#2967, and
/// members that github/copilot-cli#2135 is about). The servers of the SDKs and of `FastMCP` are those of `tests/servers`, which keeps
/// their lists up to date.
const SERVERS: [&str; 11] = [
    "everything",
    "fastmcp",
    "filesystem",
    "git",
    "hard",
    "memory",
    "python_sdk_1",
    "python_sdk_2",
    "rmcp",
    "thinking",
    "typescript_sdk",
];

fn bindings(folder: &Path, line: &str) -> Run {
    let words: Vec<&str> = std::iter::once("bindings").chain(line.split_whitespace()).collect();
    run(folder, &words)
}

/// Returns the tool and the location of each point on standard error.
fn points(run: &Run) -> Vec<(String, String)> {
    let notes = run.stderr.lines().filter_map(|line| line.strip_prefix("note: "));
    let point = |note: &str| {
        let (place, _) = note.split_once(": ")?;
        let at = place.find(" /").unwrap_or(place.len());
        Some((place[..at].to_owned(), place[at..].trim_start().to_owned()))
    };
    notes.filter_map(point).collect()
}

/// Returns the differences between the list of a server and the manifest of the module, except the listed ones.
fn unlisted(here: &Path, server: &str, points: &[(String, String)]) -> Vec<Value> {
    let old = format!("lists/{server}.json");
    let list: Value = serde_json::from_str(&fs::read_to_string(here.join(&old)).unwrap()).unwrap();
    let new = format!("made/{}.json", list["serverInfo"]["name"].as_str().unwrap().replace('/', "-"));
    let diff = run(here, &["diff", &old, &new, "--own", "--format", "json"]);
    let document: Value = serde_json::from_str(&diff.stdout).unwrap_or_else(|_| panic!("{}", diff.stderr));
    let changes = document["changes"].as_array().unwrap();
    let is_listed = |change: &&Value| {
        let (name, pointer) = (change["name"].as_str().unwrap(), change["pointer"].as_str().unwrap());
        points
            .iter()
            .any(|(tool, place)| tool == name && (pointer.starts_with(place) || place.starts_with(pointer)))
    };
    // Neither another notation of the same set of values nor the name of the dialect is a difference.
    let is_same = |change: &&Value| {
        let (id, pointer) = (change["id"].as_str().unwrap(), change["pointer"].as_str().unwrap());
        id.ends_with("-respelled") || pointer.ends_with("Schema/$schema")
    };
    let of_tools = changes.iter().filter(|change| change["part"] == "tool");
    of_tools.filter(|change| !is_same(change) && !is_listed(change)).cloned().collect()
}

#[test]
fn modules_compile_and_match_the_servers() {
    let here = folder("bindings");
    let mut listed = Vec::new();
    for server in SERVERS {
        let run = bindings(&here, &format!("lists/{server}.json --out src/{server}.rs")).ok();
        listed.push(points(&run));
        bindings(&here, &format!("lists/{server}.json --check src/{server}.rs")).ok();
    }
    let files = SERVERS.map(|server| format!("src/{server}.rs"));
    let formatted = Command::new("rustfmt")
        .args(["--edition", "2024", "--check"])
        .args(files)
        .current_dir(&here)
        .output();
    let formatted = formatted.unwrap();
    assert!(formatted.status.success(), "{}", String::from_utf8_lossy(&formatted.stdout));
    cargo_in(&here, "build --lib").ok();
    let made = manifest_with(&here, "--out made/", |_| {});
    made.ok();
    for (server, points) in SERVERS.iter().zip(&listed) {
        let unlisted = unlisted(&here, server, points);
        assert!(unlisted.is_empty(), "{server}: {unlisted:#?}");
    }
    // Few points are listed for typical servers.
    for (server, points) in
        SERVERS.iter().zip(&listed).filter(|(server, _)| !["git", "hard"].contains(server))
    {
        // Pydantic gives every schema a title, which definitions do not have at the root.
        let is_of_schema = |place: &str| place.contains("Schema") && !place.ends_with("Schema/title");
        let of_schemas: Vec<_> = points.iter().filter(|(_, place)| is_of_schema(place)).collect();
        assert!(of_schemas.len() <= 2, "{server}: {of_schemas:?}");
    }
}

#[test]
fn arguments_and_results_have_types() {
    let scratch = scratch();
    let schema = json!({
        "type": "object",
        "properties": {
            "orderId": {"type": "string", "description": "The order.", "pattern": "^#"},
            "state": {"type": "string", "enum": ["in_progress", "done"]},
            "items": {"type": "array", "items": {"type": "object", "properties": {"count": {"type": "integer", "minimum": 0}}, "required": ["count"]}},
            "filter": {"anyOf": [{"type": "object"}, {"type": "object", "properties": {}}]},
        },
        "required": ["orderId"],
        "additionalProperties": false,
    });
    let output =
        json!({"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]});
    let tool = json!({
        "name": "get_order", "title": "Order", "description": "Looks up an order.", "inputSchema": schema, "outputSchema": output,
        "annotations": {"readOnlyHint": true},
    });
    let list = json!({"serverInfo": {"name": "shop", "version": "1.2.0"}, "tools": [tool]});
    fs::write(scratch.path().join("shop.json"), list.to_string()).unwrap();
    let run = bindings(scratch.path(), "shop.json").ok();
    for part in [
        "//! The tools of shop 1.2.0:",
        "/// Looks up an order.\n#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Tool)]\n",
        "#[mcp(\n    name = \"get_order\",\n    read_only,\n    title = \"Order\",\n    output = GetOrderOutput\n)]\npub struct GetOrder {\n",
        "    /// The order.\n    #[serde(rename = \"orderId\")]\n    #[schemars(extend(\"pattern\" = \"^#\"))]\n    pub order_id: String,\n",
        "    #[serde(default, skip_serializing_if = \"Option::is_none\")]\n    pub state: Option<GetOrderState>,\n",
        "    pub items: Option<Vec<GetOrderItemsItem>>,\n",
        "    pub filter: Option<serde_json::Value>,\n",
        "pub enum GetOrderState {\n    #[serde(rename = \"in_progress\")]\n    InProgress,\n    #[serde(rename = \"done\")]\n    Done,\n}\n",
        "pub struct GetOrderItemsItem {\n    pub count: u64,\n",
        "pub struct GetOrderOutput {\n    pub total: f64,\n}\n",
        "#[derive(Toolset)]\n#[mcp(name = \"shop\", version = \"1.2.0\")]\npub enum Tools {\n    GetOrder(GetOrder),\n}\n",
    ] {
        assert!(run.stdout.contains(part), "no {part:?} in:\n{}", run.stdout);
    }
    run.says(&["get_order /inputSchema/properties/filter: a `serde_json::Value`, since nothing tells"]);
}

#[test]
fn losses_of_types_can_be_denied() {
    let here = folder("bindings");
    let refused = bindings(&here, "lists/hard.json --deny-lossy").ended(100);
    assert_eq!(refused.stdout, "");
    refused.says(&["error: not a name: left out", "types do not hold"]);
    bindings(&here, "lists/hard.json --tool quantile --deny-lossy").ok();
    bindings(&here, "lists/hard.json --tool nope").ended(2).says(&["has no tool `nope`; it has: addl, "]);
    bindings(&here, "missing.json").ended(6);
    let scratch = scratch();
    fs::write(scratch.path().join("old.rs"), "//! Old.\n").unwrap();
    fs::write(scratch.path().join("list.json"), r#"{"tools": []}"#).unwrap();
    bindings(scratch.path(), "list.json --check old.rs").ended(1).says(&["old.rs is out of date"]);
}

#[test]
fn bindings_of_a_running_server_are_those_of_its_list() {
    crate::common::cargo("workflow", "build --bin workflow").ok();
    let server = target().join("debug/workflow");
    let scratch = scratch();
    let server = server.to_str().unwrap();
    let live = run(scratch.path(), &["bindings", "--", server]).ok();
    let list = run(scratch.path(), &["manifest", "--", server]).ok();
    fs::write(scratch.path().join("mcp.json"), list.stdout).unwrap();
    assert_eq!(live.stdout, bindings(scratch.path(), "mcp.json").ok().stdout);
}
