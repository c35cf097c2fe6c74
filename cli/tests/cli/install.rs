//! `cargo mcp install` and `uninstall`, with the files of clients in a folder of the test.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{Run, folder, mcp, run_with, scratch, target};

/// The files of a user.
struct User(TempDir);

impl User {
    fn new() -> Self {
        Self(scratch())
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    /// Runs `cargo mcp`, which finds the files of this user.
    fn mcp(&self, words: &[&str]) -> Run {
        self.mcp_in(self.0.path(), words)
    }

    fn mcp_in(&self, folder: &Path, words: &[&str]) -> Run {
        run_with(folder, words, |command| {
            let home = self.0.path();
            command.env("HOME", home).env("USERPROFILE", home).env("APPDATA", home.join("settings"));
            command.env("XDG_CONFIG_HOME", home.join("settings")).env_remove("CLAUDE_CONFIG_DIR");
            // Cargo itself is not in this home folder.
            for (variable, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
                let real = std::env::var_os(variable)
                    .map_or_else(|| std::env::home_dir().expect("a home folder").join(folder), PathBuf::from);
                command.env(variable, real);
            }
        })
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.path(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.read(path)).unwrap()
    }

    /// The path of a file in the folder for settings.
    fn settings(path: &str) -> String {
        let folder = if cfg!(target_vendor = "apple") { "Library/Application Support" } else { "settings" };
        format!("{folder}/{path}")
    }
}

#[test]
fn each_client_gets_its_own_file_and_format() {
    let user = User::new();
    let stdio = json!({"type": "stdio", "command": "npx", "args": ["-y", "a"], "env": {"KEY": "v=1"}});
    let plain = json!({"command": "npx", "args": ["-y", "a"], "env": {"KEY": "v=1"}});
    let desktop = User::settings("Claude/claude_desktop_config.json");
    let code = User::settings("Code/User/mcp.json");
    for (client, scope, file, section, entry) in [
        ("claude-desktop", "user", &*desktop, "mcpServers", &plain),
        ("claude-code", "user", ".claude.json", "mcpServers", &stdio),
        ("claude-code", "project", ".mcp.json", "mcpServers", &stdio),
        ("cursor", "user", ".cursor/mcp.json", "mcpServers", &plain),
        ("cursor", "project", "project/.cursor/mcp.json", "mcpServers", &plain),
        ("vscode", "user", &*code, "servers", &stdio),
        ("vscode", "project", ".vscode/mcp.json", "servers", &stdio),
        ("windsurf", "user", ".codeium/windsurf/mcp_config.json", "mcpServers", &plain),
    ] {
        let folder = user.path(if file.starts_with("project/") { "project" } else { "" });
        fs::create_dir_all(&folder).unwrap();
        let words = ["install", client, "--scope", scope, "--name", "shop", "--env", "KEY=v=1"];
        let words = [&words[..], &["--", "npx", "-y", "a"]].concat();
        user.mcp_in(&folder, &words).ok().says(&["created ", "next: "]);
        assert_eq!(user.json(file), json!({section: {"shop": entry}}), "{client}, {scope}");

        // Our own reader, which knows the formats of all clients, reads it back.
        let shown = user.mcp(&["config", "show", file]).ok().document();
        let server = &shown["servers"]["shop"];
        assert_eq!(
            (&server["command"], &server["env"]),
            (&json!("npx"), &json!(["KEY"])),
            "{client}: {shown}"
        );

        user.mcp_in(&folder, &words).ok().says(&["already in"]);
        user.mcp_in(&folder, &["uninstall", client, "--scope", scope, "--name", "shop"]).ok();
        assert_eq!(user.json(file), json!({section: {}}), "{client}, {scope}");
    }
}

#[test]
fn a_url_is_installed_where_the_client_has_urls() {
    let user = User::new();
    let url = "http://127.0.0.1:8080/mcp";
    for (client, file, section, entry) in [
        ("claude-code", ".mcp.json", "mcpServers", json!({"type": "http", "url": url})),
        ("cursor", ".cursor/mcp.json", "mcpServers", json!({"url": url})),
        ("vscode", ".vscode/mcp.json", "servers", json!({"type": "http", "url": url})),
    ] {
        user.mcp(&["install", client, "--scope", "project", "--name", "web", "--url", url]).ok();
        assert_eq!(user.json(file)[section]["web"], entry, "{client}");
        let shown = user.mcp(&["config", "show", file]).ok().document();
        assert_eq!(shown["servers"]["web"]["url"], url, "{client}");
    }
    user.mcp(&["install", "windsurf", "--name", "web", "--url", url]).ok();
    assert_eq!(user.json(".codeium/windsurf/mcp_config.json")["mcpServers"]["web"]["serverUrl"], url);
    let run = user.mcp(&["install", "claude-desktop", "--name", "web", "--url", url]).ended(2);
    run.says(&["the file of Claude Desktop has no servers with a URL"]);
}

const COMMENTED: &str = "{
  // my servers
  \"servers\": {
    \"files\": { \"command\": \"files\", \"args\": [] }, // keep
  },
  \"inputs\": [],
}
";

#[test]
fn comments_and_everything_else_are_kept() {
    let user = User::new();
    user.write(".vscode/mcp.json", COMMENTED);
    let install = ["install", "vscode", "--scope", "project", "--name", "shop", "--", "./shop"];
    let run = user.mcp(&install).ok().says(&["changed .vscode/mcp.json; before, it was ", "mcp.json.bak"]);
    // A relative program would not be found from the folder of the client.
    let program = user.path("shop").display().to_string();
    assert!(run.stdout.contains(&format!("+   \"command\": {}", json!(program))), "{}", run.stdout);
    let text = user.read(".vscode/mcp.json");
    for line in COMMENTED.lines() {
        assert!(text.contains(line), "no {line:?} in:\n{text}");
    }
    assert!(text.contains(&json!(program).to_string()), "{text}");
    assert_eq!(user.read(".vscode/mcp.json.bak"), COMMENTED);

    user.mcp(&["uninstall", "vscode", "--scope", "project", "--name", "shop"]).ok();
    let shown = user.mcp(&["config", "show", ".vscode/mcp.json"]).ok().document();
    assert!(shown["servers"]["files"].is_object() && shown["servers"]["shop"].is_null(), "{shown}");
    assert!(user.read(".vscode/mcp.json").contains("// my servers"));
}

#[test]
fn another_server_is_only_replaced_by_force() {
    let user = User::new();
    let before = r#"{"mcpServers":{"shop":{"command":"old","env":{"KEY":"s3cret"}}},"other":1}"#;
    user.write(".claude.json", before);
    let words = |last: &'static [&'static str]| {
        [&["install", "claude-code", "--name", "shop", "--env", "KEY=t0ken"], last, &["--", "new"]].concat()
    };
    let run = user.mcp(&words(&[])).ended(2).says(&["already has another server `shop`", "--force"]);
    assert!(
        run.stdout.contains("-   \"command\": \"old\"") && run.stdout.contains("+   \"command\": \"new\"")
    );
    assert!(!run.stdout.contains("s3cret") && !run.stdout.contains("t0ken"), "{}", run.stdout);
    assert_eq!(user.read(".claude.json"), before);

    let run = user.mcp(&words(&["--force", "--dry-run"])).ok().says(&["would be changed"]);
    assert!(run.stdout.contains("+   \"command\": \"new\""), "{}", run.stdout);
    assert_eq!(user.read(".claude.json"), before);
    assert!(!user.path(".claude.json.bak").exists());

    user.mcp(&words(&["--force"])).ok();
    let after = user.json(".claude.json");
    assert_eq!(after["mcpServers"]["shop"]["env"], json!({"KEY": "t0ken"}));
    assert_eq!(after["other"], 1);
}

#[test]
fn a_file_that_cannot_be_read_is_not_changed() {
    let user = User::new();
    for (text, message) in [
        ("{\"mcpServers\": {", "is not valid JSON"),
        ("{} {}", "is not valid JSON"),
        ("[]", "it does not contain a JSON object"),
        ("{\"mcpServers\": []}", "`mcpServers` is not an object"),
        ("{\"mcpServers\": {}, \"mcpServers\": {}}", "`mcpServers` appears twice"),
        ("{\"mcpServers\": {\"shop\": 1, \"\\u0073hop\": 2}}", "`shop` appears twice"),
    ] {
        user.write(".cursor/mcp.json", text);
        for force in [&[][..], &["--force"]] {
            let words = [&["install", "cursor", "--name", "shop"], force, &["--", "x"]].concat();
            user.mcp(&words).ended(6).says(&[message, "not changed"]);
        }
        assert_eq!(user.read(".cursor/mcp.json"), text);
    }
    user.write(".cursor/mcp.json", " \n");
    user.mcp(&["install", "cursor", "--name", "shop", "--", "x"]).ok();
    assert_eq!(user.json(".cursor/mcp.json")["mcpServers"]["shop"]["command"], "x");
    let left: Vec<_> =
        fs::read_dir(user.path(".cursor")).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "only the file and its backup: {left:?}");
}

#[cfg(unix)]
#[test]
fn permissions_and_links_are_kept() {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let user = User::new();
    let mode = |path: &str| fs::metadata(user.path(path)).unwrap().permissions().mode() & 0o777;
    user.mcp(&["install", "cursor", "--name", "shop", "--env", "KEY=s3cret", "--", "x"]).ok();
    assert_eq!(mode(".cursor/mcp.json"), 0o600, "variables may be secrets");

    user.write("dotfiles/claude.json", "{}");
    fs::set_permissions(user.path("dotfiles/claude.json"), Permissions::from_mode(0o640)).unwrap();
    symlink(user.path("dotfiles/claude.json"), user.path(".claude.json")).unwrap();
    user.mcp(&["install", "claude-code", "--name", "shop", "--", "x"]).ok();
    assert!(fs::symlink_metadata(user.path(".claude.json")).unwrap().is_symlink());
    assert_eq!(mode("dotfiles/claude.json"), 0o640);
    assert_eq!(user.json("dotfiles/claude.json")["mcpServers"]["shop"]["command"], "x");
}

#[test]
fn the_program_of_a_package_is_installed() {
    let user = User::new();
    let package = folder("program");
    let words = ["install", "claude-desktop", "--offline", "--profile", "dev"];
    user.mcp_in(&package, &words).ok();
    let config = user.json(&User::settings("Claude/claude_desktop_config.json"));
    let servers = config["mcpServers"].as_object().unwrap();
    let (name, server) = servers.iter().next().unwrap();
    let program = server["command"].as_str().unwrap();
    assert!(
        Path::new(program).starts_with(target().join("debug")) && Path::new(program).is_file(),
        "{config}"
    );

    let dry = ["uninstall", "claude-desktop", "--offline", "--dry-run"];
    user.mcp_in(&package, &dry).ok().says(&["would be changed"]);
    user.mcp_in(&package, &["uninstall", "claude-desktop", "--offline"]).ok();
    let config = user.json(&User::settings("Claude/claude_desktop_config.json"));
    assert_eq!(config, json!({"mcpServers": {}}), "{name}");
}

#[test]
fn mistakes_are_explained() {
    let user = User::new();
    let long = "a".repeat(33);
    for (words, message) in [
        (&["install", "windsurf", "--scope", "project", "--name", "a", "--", "x"][..], "has no project file"),
        (&["install", "cursor", "--", "x"], "a name is needed for a command"),
        (&["install", "cursor", "--url", "http://127.0.0.1/"], "a name is needed for a URL"),
        (&["install", "cursor", "--name", "a b", "--", "x"], "cannot be the name of a server"),
        (&["install", "cursor", "--name", "a__b", "--", "x"], "cannot be the name of a server"),
        (&["install", "cursor", "--name", &long, "--", "x"], "cannot be the name of a server"),
        (&["install", "cursor", "--name", "a", "--env", "KEY", "--", "x"], "write NAME=VALUE"),
        (&["install", "emacs", "--", "x"], "claude-desktop"),
        (&["uninstall", "cursor", "--name", "a"], "no server `a` in"),
    ] {
        user.mcp(words).ended(2).says(&[message]);
    }
    assert_eq!(fs::read_dir(user.path("")).unwrap().count(), 0, "nothing was created");
    mcp(user.0.path(), "install --help").ok();
}
