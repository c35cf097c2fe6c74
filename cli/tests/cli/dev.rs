//! `cargo mcp dev`: a client keeps its session while the server behind is rebuilt.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::json;
use tempfile::TempDir;
use tokio::time::{sleep, timeout};
use toolwright_client::config::{HttpSpec, ServerSpec, StdioSpec};
use toolwright_client::{Changes, Client, Event, Subscription};
use toolwright_core::protocol::Revision;

use crate::common::{mcp, target};

/// A build may have to wait for those of other tests.
const LIMIT: Duration = Duration::from_mins(5);

/// A package outside of this repository's workspace.
struct Package {
    _scratch: TempDir,
    folder: PathBuf,
}

impl Package {
    fn new(name: &str, template: &str) -> Self {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let scratch = tempfile::tempdir().unwrap();
        mcp(scratch.path(), &format!("new {name} --template {template} --vcs none")).ok();
        let folder = scratch.path().join(name);
        fs::copy(repository.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        Self { _scratch: scratch, folder }
    }

    /// Replaces parts of the library, in one write.
    fn edit(&self, parts: &[(&str, &str)]) {
        self.edit_file("src/lib.rs", parts);
    }

    /// The same in another file.
    fn edit_file(&self, file: &str, parts: &[(&str, &str)]) {
        let file = self.folder.join(file);
        let mut text = fs::read_to_string(&file).unwrap();
        for (old, new) in parts {
            assert!(text.contains(old), "no {old:?} in:\n{text}");
            text = text.replace(old, new);
        }
        fs::write(file, text).unwrap();
    }

    /// The variables of builds, as for other commands.
    fn variables() -> [(&'static str, String); 3] {
        [
            ("CARGO_TARGET_DIR", target().display().to_string()),
            ("CARGO_INCREMENTAL", "0".to_owned()),
            ("CARGO_PROFILE_DEV_DEBUG", "0".to_owned()),
        ]
    }
}

/// The lines that `cargo mcp dev` prints.
struct Lines(mpsc::Receiver<String>);

impl Lines {
    /// Waits for a line with this part.
    fn wait_for(&self, part: &str) -> String {
        let end = Instant::now() + LIMIT;
        let mut before = Vec::new();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let Ok(line) = self.0.recv_timeout(left) else {
                panic!("no {part:?} in:\n{}", before.join("\n"));
            };
            if line.contains(part) {
                return line;
            }
            before.push(line);
        }
    }
}

/// Calls the tool, and returns the text of its result.
async fn call(client: &Client, tool: &str, text: &str) -> String {
    let result = client.call(tool, json!({"text": text})).await.unwrap();
    assert!(!result.is_error, "{}", result.as_text());
    result.as_text()
}

async fn tools(client: &Client) -> Vec<String> {
    client.list_tools().await.unwrap().iter().map(|tool| tool.name().to_owned()).collect()
}

async fn next_change(changes: &mut Subscription) {
    timeout(LIMIT, changes.next()).await.expect("a list-changed notification").expect("a subscription");
}

const TOOL: &str = "
/// Shouts a text.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(read_only)]
pub struct Shout {
    /// The text.
    text: String,
}

/// The state";
const HANDLER: &str = "impl Counter {
    fn shout(&self, input: Shout) -> String {
        input.text.to_uppercase()
    }
";

/// Changes the package while a client is connected.
async fn check(package: &Package, client: Client, lines: &Lines) {
    assert_eq!(tools(&client).await, ["count_words"]);
    assert_eq!(call(&client, "count_words", "a b").await, r#"{"words":2,"lines":1,"characters":3}"#);
    let shown = lines.wait_for("count_words: ok in ");
    assert!(!shown.contains("a b"), "arguments are not shown: {shown}");
    let mut changes = client.subscribe(Changes::new().tools()).await.unwrap();

    package.edit(&[("\n/// The state", TOOL), ("impl Counter {\n", HANDLER)]);
    next_change(&mut changes).await;
    lines.wait_for("the new server runs");
    let end = Instant::now() + LIMIT;
    // A client may have cached the list for a moment.
    while tools(&client).await != ["count_words", "shout"] {
        assert!(Instant::now() < end, "the new tool is not listed");
        sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(call(&client, "shout", "hey").await, "HEY");

    // Something that no list shows: the call waits for the build.
    package.edit(&[("input.text.to_uppercase()", "input.text + \"!\"")]);
    lines.wait_for("lib.rs has changed");
    assert_eq!(call(&client, "shout", "hey").await, "hey!");
    lines.wait_for("the new server runs");

    package.edit(&[("fn shout", "fn fn shout")]);
    lines.wait_for("error: expected identifier, found keyword `fn`");
    lines.wait_for("the server before this change keeps running");
    assert_eq!(call(&client, "shout", "hey").await, "hey!");

    package.edit(&[("fn fn shout", "fn shout"), ("input.text + \"!\"", "input.text + \"?\"")]);
    lines.wait_for("the new server runs");
    assert_eq!(call(&client, "shout", "hey").await, "hey?");
    let missing = client.call("shout", json!({})).await.unwrap();
    assert!(missing.is_error, "{}", missing.as_text());
    lines.wait_for("shout: tool error in ");
    client.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_over_stdio_outlives_rebuilds() {
    let package = Package::new("dev-over-stdio", "stdio");
    let (sender, lines) = mpsc::channel();
    let mut spec = StdioSpec::new(env!("CARGO_BIN_EXE_cargo-mcp"));
    spec.args.extend(["mcp", "dev", "--offline", "--color", "never"].map(Into::into));
    spec.cwd = Some(package.folder.display().to_string().into());
    spec.inherit_env = true;
    spec.env.extend(Package::variables().map(|(name, value)| (name.to_owned(), Some(value.into()))));
    let mut server = ServerSpec::new("dev", spec);
    // Includes the first build.
    (server.start_timeout, server.request_timeout) = (LIMIT, LIMIT);
    let client = Client::builder().revision(Revision::V2025_11_25).on_event(move |event| {
        if let Event::Stderr(line) = event {
            // The test may have ended.
            _ = sender.send(line);
        }
    });
    let client = client.connect(server).await.unwrap();
    check(&package, client, &Lines(lines)).await;
}

/// The folders with a copy of a program.
fn copies(name: &str) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(target().join("debug")).into_iter().flatten().flatten();
    let folders = entries.map(|entry| entry.path()).filter(|path| path.is_dir());
    folders.filter(|path| path.join(name).exists()).collect()
}

/// `cargo mcp dev --http`, which is killed with the test.
struct Dev {
    process: Child,
    lines: Lines,
}

impl Dev {
    fn start(package: &Package, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-mcp"));
        command.args(["mcp", "dev", "--offline", "--color", "never", "--http", "127.0.0.1:0"]);
        command.args(arguments).current_dir(&package.folder).envs(Package::variables());
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        let printed = BufReader::new(process.stderr.take().unwrap()).lines();
        std::thread::spawn(move || printed.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { process, lines: Lines(lines) }
    }

    /// Connects as soon as it serves.
    async fn connect(&self) -> Client {
        // A program may print a similar line.
        let line = self.lines.wait_for("note: listening at ");
        let (_, url) = line.split_once(" at ").unwrap();
        let mut server = ServerSpec::new("dev", HttpSpec::new(url));
        server.request_timeout = LIMIT;
        Client::builder().connect(server).await.unwrap()
    }

    /// Ends the command with a signal, and waits for it.
    fn end(mut self) {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        assert!(self.process.wait().unwrap().success());
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        // It may have ended already.
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_over_http_outlive_rebuilds() {
    let package = Package::new("dev-over-http", "stdio");
    let before = copies("dev-over-http");
    let dev = Dev::start(&package, &[]);
    check(&package, dev.connect().await, &dev.lines).await;
    dev.end();
    assert_eq!(copies("dev-over-http"), before, "no copy is left");
}

/// Each program needs the address of the one before.
#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_serves_over_http_is_replaced() {
    let package = Package::new("dev-program-over-http", "http");
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{address}/mcp");
    let before = copies("dev-program-over-http");
    let dev = Dev::start(&package, &["--url", &url, "--", &address.to_string()]);
    let (client, lines) = (dev.connect().await, &dev.lines);
    assert!(call(&client, "count_words", "a b").await.contains(r#""words":2,"#));

    let exit = "        if input.text == \"exit\" { std::process::exit(7) }\n        Json(Counts {";
    package.edit(&[("        Json(Counts {", exit), ("split_whitespace()", "split('-')")]);
    lines.wait_for("lib.rs has changed");
    assert!(call(&client, "count_words", "a b").await.contains(r#""words":1,"#), "waits for the build");
    lines.wait_for("the new server runs");

    let lost = client.call("count_words", json!({"text": "exit"})).await.unwrap();
    assert!(lost.is_error, "{}", lost.as_text());
    lines.wait_for("error: the server has exited (exit status: 7)");
    lines.wait_for("no server runs; it is built again when a source changes");
    let stopped = client.call("count_words", json!({"text": "a"})).await.unwrap().as_text();
    assert!(stopped.contains("the server has exited or did not start"), "{stopped}");

    let statement = "    let address = std::env::args().nth(1);";
    let failure = format!("    if true {{ return Err(\"no database\".into()); }}\n{statement}");
    package.edit_file("src/main.rs", &[(statement, &failure)]);
    lines.wait_for(&format!("error: the program did not answer at {url}: it exited (exit status: 1)"));
    lines.wait_for("  | Error: \"no database\"");
    lines.wait_for("no server runs");

    package.edit_file("src/main.rs", &[(&failure, statement)]);
    lines.wait_for("the new server runs");
    assert!(call(&client, "count_words", "a-b").await.contains(r#""words":2,"#));
    client.close().await;
    dev.end();
    assert!(TcpStream::connect(address).is_err(), "the program has ended");
    assert_eq!(copies("dev-program-over-http"), before, "no copy is left");
}

#[test]
fn addresses_that_cannot_work_are_rejected() {
    let scratch = tempfile::tempdir().unwrap();
    for (flags, why) in [
        ("--http 0.0.0.0:8080", "can be reached from other machines"),
        ("--http 127.0.0.1:8080 --url http://127.0.0.1:8080/mcp", "--http and --url have the same address"),
        ("--url 127.0.0.1:8080", "write a URL such as http://127.0.0.1:8080/mcp"),
        ("--url ws://127.0.0.1:8080/mcp", "write a URL such as http://127.0.0.1:8080/mcp"),
    ] {
        mcp(scratch.path(), &format!("dev {flags}")).ended(2).says(&[why]);
    }
}

#[test]
fn what_no_change_corrects_ends_the_command() {
    let package = Package::new("dev-nowhere", "stdio");
    mcp(&package.folder, "dev --offline -p other").ended(2).says(&["unknown package `other`"]);
}
