//! The reference page that `cargo mcp manifest --format html` writes, in Chromium. `tests/setup.sh` installs it.
//!
//! The look of the page is checked by what must hold with any fonts: the rules of axe-core, nothing wider than the window,
//! and the horizontal places of its blocks. Pictures would differ with the fonts and the version of the browser of each
//! machine: a tolerance that permits that permits a lost color or icon as well.

mod calls;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

/// Runs `cargo mcp` with these arguments, and returns its output.
fn cargo_mcp(args: &[&str]) -> String {
    let output =
        Command::new(test_programs::cargo_mcp()).arg("mcp").args(args).output().expect("cargo mcp starts");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A page in a folder of its own.
struct Page {
    folder: tempfile::TempDir,
}

impl Page {
    /// The page of a manifest, a server or a package.
    fn of(source: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let page = Self { folder };
        let file = page.file();
        cargo_mcp(&["manifest", "--quiet", "--format", "html", "--out", text(&file), source]);
        page
    }

    /// The page of the fixture with enums with data, prompts, resources and scopes.
    fn rich() -> Self {
        Self::of(text(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages/rich.json")))
    }

    fn retail() -> Self {
        Self::of(text(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/retail/mcp.json")))
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("page.html")
    }

    /// Runs a scenario of `page.cjs`, which must meet no mishap: a message in the console, an error, a request.
    #[track_caller]
    fn run(&self, scenario: &str, args: &[&str]) -> Value {
        let node = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/clients/node/node_modules");
        assert!(
            node.join("playwright-core").exists(),
            "playwright-core is not installed: run tests/setup.sh"
        );
        let output = Command::new(node.join("node/bin/node"))
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("node/page.cjs"))
            .args([scenario, text(&self.file()), text(&browser())])
            .args(args)
            .output()
            .expect("Node.js starts");
        assert!(output.status.success(), "{scenario}: {}", String::from_utf8_lossy(&output.stderr));
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        if let Some(mishaps) = report.get("mishaps") {
            assert_eq!(mishaps, &json!([]), "{scenario}");
        }
        report
    }
}

/// The first browser in `PATH` of those that `tests/setup.sh` accepts.
fn browser() -> PathBuf {
    let path = env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let mut files =
        names.iter().flat_map(|name| env::split_paths(&path).map(move |folder| folder.join(name)));
    files.find(|file| file.is_file()).expect("chromium is not installed: run tests/setup.sh")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the path is UTF-8")
}

#[test]
fn pages_are_accessible_and_fit_every_window() {
    for page in [Page::rich(), Page::retail()] {
        let report = page.run("look", &[]);
        let windows = report.as_array().expect("a list");
        assert_eq!(windows.len(), 4);
        for window in windows {
            assert_eq!((&window["problems"], &window["mishaps"]), (&json!([]), &json!([])), "{window:#}");
        }
    }
}

#[test]
fn blocks_have_their_places_on_desktops_and_phones() {
    let desktop = [
        "nav: 0–296",
        "#search: 16–279",
        "#menu > summary: hidden",
        "#menu .list: 16–279",
        "main: 296–1280",
        "article: 347–1229",
        ".counts: 347–1229",
        ".entry: 347–1229",
        ".entry h3: 375–1205",
        ".hints: 375–1205",
        ".fields: 375–1205",
        ".tabs: 347–1229",
        "pre: 347–1229",
    ];
    let phone = [
        "nav: 0–360",
        "#search: 16–344",
        "#menu .list: hidden",
        "main: 0–360",
        "article: 16–344",
        ".counts: 16–344",
        ".entry: 16–344",
        ".entry h3: 37–327",
        ".hints: 37–327",
        ".fields: 37–327",
        ".tabs: 16–344",
        "pre: 16–344",
    ];
    let report = Page::rich().run("layout", &[]);
    for (width, expected) in [("1280", &desktop[..]), ("360", &phone)] {
        let places = report[width].as_array().expect("a list");
        for place in expected {
            assert!(places.contains(&json!(place)), "{width}: no {place} in {places:#?}");
        }
    }
}

#[test]
fn search_finds_names_before_descriptions() {
    let queries = ["ticket", "PAYMENT", "iban", "find ticket", "<script>", ""];
    let report = Page::rich().run("search", &queries);
    let [ticket, payment, iban, two, nothing, cleared] =
        <[Value; 6]>::try_from(report["found"].as_array().expect("a list").clone()).expect("one each");
    let notify = "notify_everyone_who_ever_wrote_to_the_service_desk_about_this_ticket";
    let sections =
        ["find_tickets", notify, "desk://tickets/{number}", "delete_customer", "apology", "refund"];
    assert_eq!(ticket["sections"], json!(sections));
    assert_eq!(
        ticket["menu"],
        json!(["find_tickets", notify, "delete_customer", "refund", "apology", "desk://tickets/{number}"])
    );
    assert_eq!(ticket["count"], "6 of 7: 3 by name, 2 by description, 1 by details");
    assert_eq!((&ticket["marked"], &ticket["focused"]), (&json!(["ticket"]), &json!("search")));
    assert_eq!(ticket["typed"], "ticket", "the slash that focuses the search is not typed");

    assert_eq!(payment["sections"], json!(["delete_customer", "refund"]));
    assert_eq!(payment["marked"], json!(["payment"]), "the case is ignored");
    assert_eq!(iban["sections"], json!(["refund"]));
    assert_eq!(iban["count"], "1 of 7: 1 by details");
    assert_eq!(two["sections"], json!(["find_tickets"]));
    assert_eq!(two["marked"], json!(["find", "ticket"]));
    assert_eq!((&nothing["sections"], &nothing["nothing"]), (&json!([]), &json!(true)));
    assert_eq!((&nothing["count"], &nothing["marked"]), (&json!("0 of 7"), &json!([])));
    assert_eq!(cleared["count"], "");
    let all = cleared["sections"].as_array().expect("a list");
    assert_eq!((all.len(), &all[0]), (7, &json!("delete_customer")), "the order is restored");
}

#[test]
fn buttons_copy_json_that_can_be_parsed() {
    let report = Page::rich().run("copy", &[]);
    let copied = report["copied"].as_array().expect("a list");
    assert_eq!(json!(copied.len()), report["buttons"], "every button was pressed");
    let mut counts = std::collections::BTreeMap::new();
    for copy in copied {
        let (name, text) = (copy["name"].as_str().expect("a name"), copy["text"].as_str().expect("a text"));
        *counts.entry(name).or_insert(0) += 1;
        match name {
            "Copy the curl command" => {
                assert!(text.starts_with("curl -sN http://127.0.0.1:8080/mcp \\\n"), "{text}");
            }
            "Copy the cargo mcp command" => assert!(text.starts_with("cargo mcp "), "{text}"),
            _ => assert!(
                serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object()),
                "{name}: {text}"
            ),
        }
    }
    let expected = [
        ("Copy the arguments", 4),
        ("Copy the cargo mcp command", 7),
        ("Copy the client configuration", 2),
        ("Copy the curl command", 7),
        ("Copy the request", 7),
        ("Copy the result", 2),
    ];
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn phones_fold_the_menu() {
    let report = Page::rich().run("phone", &[]);
    let shown = ["before", "unfolded", "after", "isVisible"].map(|what| &report[what]);
    assert_eq!(shown, [&json!(0), &json!(7), &json!(0), &json!(true)], "{report}");
}

#[test]
fn pages_are_readable_without_scripts_and_on_paper() {
    let report = Page::rich().run("plain", &[]);
    assert_eq!((&report["search"], &report["buttons"]), (&json!(false), &json!(0)));
    let parts = [
        "Destructive",
        "Scope payments:write",
        "Formerly remove_customer",
        "To a bank account, which takes three days.",
        "desk://tickets/{number}",
        "apology",
        "\"mcpServers\"",
        "\"last_digits\": \"4242\"",
    ];
    let words = |media: &str| {
        let text = report[media].as_str().expect("a text");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for media in ["text", "paper"] {
        let text = words(media);
        for part in parts {
            assert!(text.contains(part), "{media}: no {part:?} in {text}");
        }
    }
    // What is folded on the screen, and what other tabs hold.
    let paper = words("paper");
    for part in
        ["zip string", "R-2041", "cargo mcp call http://127.0.0.1:8080/mcp find_tickets '{", "curl -sN http"]
    {
        assert!(paper.contains(part), "no {part:?} in {paper}");
    }
}

/// Strings that try to run a script, load something, or leave their place; in every string of a definition.
const HOSTILE: [&str; 12] = [
    "</script><script>window.broken=1</script>",
    "<img src=x onerror=window.broken=1>",
    "\"><svg onload=window.broken=1>",
    "' autofocus onfocus='window.broken=1",
    "[x](javascript:window.broken=1)",
    "![x](https://tracker.invalid/pixel.png)",
    "<https://x.invalid/\" onmouseover=\"window.broken=1>",
    "</style><style>*{display:none}",
    "<meta http-equiv=refresh content=0;url=https://x.invalid>",
    "</title></code></pre></section></main>",
    "<link rel=stylesheet href=https://x.invalid/a.css>",
    "<iframe srcdoc='<script>parent.broken=1</script>'></iframe>",
];

#[test]
fn hostile_strings_are_inert() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mcp.json");
    for (at, string) in HOSTILE.iter().chain([&HOSTILE.join("\n\n").as_str()]).enumerate() {
        let schema = json!({
            "type": "object", "description": string, "required": [string],
            "properties": {
                *string: {"type": "string", "description": string, "pattern": string, "examples": [string]},
                "choice": {"oneOf": [{"const": string, "description": string}, {"type": "object", "properties": {*string: {}}}]},
            },
        });
        let manifest = json!({
            "manifestVersion": 1,
            "server": {"name": string, "version": string, "title": string},
            "instructions": string,
            "tools": [{
                "name": string, "title": string, "description": string, "inputSchema": schema, "outputSchema": schema,
                "_meta": {"io.toolwright/scopes": [string], "io.toolwright/tags": [string], "io.toolwright/was": [string], "io.toolwright/context": string},
            }],
            "prompts": [{"name": string, "title": string, "description": string, "arguments": [{"name": string, "description": string, "required": true}]}],
            "resources": [{"uri": string, "name": string, "description": string, "mimeType": string}],
            "resourceTemplates": [{"uriTemplate": string, "name": string, "description": string}],
        });
        fs::write(&file, manifest.to_string()).expect("a file");
        let report = Page::of(text(&file)).run("hostile", &[]);
        let found = ["own", "handlers", "broken"].map(|what| &report[what]);
        assert_eq!(found, [&json!(1), &json!(0), &Value::Null], "{at}: {report}");
        assert_eq!(report["rejected"], "script-src-elem", "the policy rejects scripts of others");
        let targets = report["targets"].as_array().expect("a list").iter();
        let other: Vec<_> =
            targets.filter(|target| !["", "data", "https"].map(Value::from).contains(target)).collect();
        assert!(other.is_empty(), "{at}: {other:?}");
    }
}
