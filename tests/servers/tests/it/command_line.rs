//! `cargo mcp` with configuration files of other clients.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use test_programs::cargo_mcp;
use test_servers::installed::{self, Listening, Program};
use test_servers::processes::Mark;

use crate::case::rmcp;

/// The output of a run of `cargo mcp`.
struct Run {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn mcp(folder: &Path, words: &[&str]) -> Run {
    let mut command = Command::new(cargo_mcp());
    command.arg("mcp").args(words).current_dir(folder).env("SHOP_TOKEN", "s3cret");
    command.env("INSTALLED", installed::modules());
    let output = command.output().expect("cargo-mcp starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Run { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

impl Run {
    #[track_caller]
    fn ended(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    fn prints(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.stdout.contains(part), "no `{part}` in:\n{}\n{}", self.stdout, self.stderr);
        }
        self
    }

    #[track_caller]
    fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.stderr.contains(part), "no `{part}` in:\n{}\n{}", self.stdout, self.stderr);
        }
        self
    }
}

/// Returns the `command`, `args` and `env` of a server.
fn entry(program: &Program, mark: &Mark) -> Value {
    let (name, value) = mark.variable();
    json!({"command": program.words[0], "args": program.words[1..], "env": {name: value}})
}

/// Creates a folder with a file `note.txt`.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("note.txt"), "milk and bread").unwrap();
    folder
}

#[tokio::test]
async fn servers_of_a_claude_file_are_listed_and_called() {
    let (folder, mark) = (folder(), Mark::new());
    let path = folder.path().canonicalize().unwrap();
    let path = path.to_str().unwrap();
    let file = json!({"mcpServers": {
        "files": entry(&installed::npm("filesystem", &[path]), &mark),
        "everything": entry(&installed::npm("everything", &[]), &mark),
        "thinking": entry(&installed::npm("sequential-thinking", &[]), &mark),
    }});
    std::fs::write(folder.path().join(".mcp.json"), file.to_string()).unwrap();
    mcp(folder.path(), &["list", ".mcp.json"]).ended(0).prints(&[
        "files__read_text_file",
        "everything__get-sum",
        "thinking__sequentialthinking",
    ]);
    let note = format!("path={path}/note.txt");
    mcp(folder.path(), &["call", ".mcp.json", "files__read_text_file", &note])
        .ended(0)
        .prints(&["milk and bread"]);
    mcp(folder.path(), &["call", ".mcp.json", "everything__get-sum", "a=19", "b=23"])
        .ended(0)
        .prints(&["is 42"]);
    let thought = ["thought=x", "nextThoughtNeeded=false", "thoughtNumber=1", "totalThoughts=1"];
    mcp(folder.path(), &[&["call", ".mcp.json", "thinking__sequentialthinking"], &thought[..]].concat())
        .ended(0);
    mcp(folder.path(), &["call", ".mcp.json", "files__read_text_file", "path=/etc/passwd"])
        .ended(1)
        .says(&["Access denied"]);
    mark.assert_gone().await;
}

#[tokio::test]
async fn servers_of_a_vs_code_file_are_listed_and_called() {
    let (folder, mark) = (folder(), Mark::new());
    let http = Listening::start(&installed::npm("everything", &["streamableHttp"]));
    let mut memory = entry(&installed::npm("memory", &[]), &mark);
    memory["type"] = "stdio".into();
    memory["env"]["MEMORY_FILE_PATH"] = "${workspaceFolder}/memory.json".into();
    let text = format!(
        "{{\n  // as the editor writes it\n  \"servers\": {{\n    \"memory\": {memory},\n    \"everything\": {},\n  }},\n}}\n",
        json!({"type": "http", "url": http.url("/mcp")})
    );
    std::fs::create_dir(folder.path().join(".vscode")).unwrap();
    std::fs::write(folder.path().join(".vscode/mcp.json"), text).unwrap();
    mcp(folder.path(), &["list", ".vscode/mcp.json"])
        .ended(0)
        .prints(&["memory__create_entities", "everything__echo"]);
    let entities = r#"entities:=[{"name":"Ada","entityType":"person","observations":["wrote programs"]}]"#;
    mcp(folder.path(), &["call", ".vscode/mcp.json", "memory__create_entities", entities]).ended(0);
    mcp(folder.path(), &["call", ".vscode/mcp.json", "memory__search_nodes", "query=programs"])
        .ended(0)
        .prints(&["Ada"]);
    assert!(folder.path().join("memory.json").exists());
    mcp(folder.path(), &["call", ".vscode/mcp.json", "everything__echo", "message=hi"])
        .ended(0)
        .prints(&["Echo: hi"]);
    mark.assert_gone().await;
}

/// A file with a local program, a URL with a token, and a URL whose token comes from a variable.
#[tokio::test]
async fn servers_with_tokens_are_listed_and_called() {
    let (folder, mark) = (folder(), Mark::new());
    let http = Listening::start(&installed::typescript());
    let local = entry(&installed::python("python-v2"), &mark);
    let text = format!(
        r#"{{
  "mcpServers": {{
    "uv-mcp": {local},
    "railway-server": {{ "url": "{url}", "authToken": "your-token-here", "transport": "http" }},
    "sleepyrat": {{
      "url": "{url}",
      "authToken": "${{SHOP_TOKEN}}",  // comes from the environment
      "transport": "http"
    }}
  }}
}}
"#,
        url = http.url("/mcp")
    );
    std::fs::write(folder.path().join("mcp-config.json"), text).unwrap();
    let listed = mcp(folder.path(), &["list", "mcp-config.json"]).ended(0);
    let listed = listed.prints(&["uv-mcp__add", "railway-server__add", "sleepyrat__add", "sleepyrat__fail"]);
    assert!(!(listed.stdout + &listed.stderr).contains("s3cret"));
    for server in ["uv-mcp", "railway-server", "sleepyrat"] {
        let tool = format!("{server}__add");
        mcp(folder.path(), &["call", "mcp-config.json", &tool, "a=19", "b=23"]).ended(0).prints(&["42"]);
    }
    mark.assert_gone().await;
}

/// Other tests generate bindings from these lists.
#[test]
fn lists_for_the_tests_of_bindings_are_up_to_date() {
    let lists = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/cli/bindings/lists"));
    let folder = folder();
    for (name, program) in [
        ("python_sdk_1", installed::python("python-v1")),
        ("python_sdk_2", installed::python("python-v2")),
        ("fastmcp", installed::python("fastmcp")),
        ("typescript_sdk", installed::typescript()),
        ("rmcp", rmcp()),
    ] {
        let words: Vec<&str> = program.words.iter().map(String::as_str).collect();
        let listed = mcp(folder.path(), &[&["list", "--json", "--"], &*words].concat()).ended(0);
        let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
        let expected = std::fs::read_to_string(lists.join(format!("{name}.json"))).unwrap();
        let expected: Value = serde_json::from_str(&expected).unwrap();
        assert_eq!(listed, expected["tools"], "{name}: write the list of the server into the file");
    }
}

#[tokio::test]
async fn a_dead_server_does_not_affect_the_others() {
    let (folder, mark) = (folder(), Mark::new());
    let file = json!({"mcpServers": {
        "dead": {"url": "http://127.0.0.1:1/mcp"},
        "absent": {"command": "no-such-server"},
        "shop": entry(&installed::python("python-v1"), &mark),
    }});
    std::fs::write(folder.path().join("mcp.json"), file.to_string()).unwrap();
    let listed = mcp(folder.path(), &["list", "mcp.json"]).prints(&["shop__add"]);
    listed.says(&[
        "server `dead`",
        "check that the server runs",
        "`no-such-server` is not found",
        "install it",
    ]);
    mcp(folder.path(), &["call", "mcp.json", "shop__add", "a=19", "b=23"]).ended(0).prints(&["42"]);
    mcp(folder.path(), &["call", "mcp.json", "dead__add", "a=19", "b=23"]).ended(3).says(&["refused"]);
    mark.assert_gone().await;
}

/// Within five minutes, building included.
#[tokio::test]
async fn the_commands_in_the_readme_do_what_they_show() {
    let start = Instant::now();
    let readme = include_str!("../../../../README.md");
    let lines: Vec<_> =
        readme.lines().filter(|line| line.starts_with("cargo mcp ") && line.contains("npx -y ")).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    // `npx` as users have it, but without downloads.
    let (folder, mark) = (folder(), Mark::new());
    let server = installed::npm("everything", &[]);
    let (name, value) = mark.variable();
    let script = format!(
        "#!/bin/sh\n[ \"$1 $2\" = '-y @modelcontextprotocol/server-everything' ] || exit 9\nshift 2\n{name}={value} exec {} \"$@\"\n",
        server.words.join(" ")
    );
    std::fs::write(folder.path().join("npx"), script).unwrap();
    let made = Command::new("chmod").arg("+x").arg(folder.path().join("npx")).status().unwrap();
    assert!(made.success());
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{}:{path}", folder.path().display(), cargo_mcp().parent().unwrap().display());
    for line in lines {
        let output = Command::new("sh").args(["-ec", line]).env("PATH", &path).output().unwrap();
        let (printed, said) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{line}\n{printed}\n{said}");
        let expected = line.split_once("# ").map_or("Returns the sum of two numbers", |(_, shown)| shown);
        assert!(printed.contains(expected), "{line}\n{printed}\n{said}");
    }
    assert!(start.elapsed() < Duration::from_mins(5));
    mark.assert_gone().await;
}
