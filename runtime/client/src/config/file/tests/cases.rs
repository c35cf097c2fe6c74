//! Realistic files. Most cases cite the public issue that they come from.

use std::path::Path;
use std::time::Duration;

use super::*;
use crate::config::{Encoding, Secret};

/// langchain-ai/langchain-mcp-adapters#437.
#[test]
fn variables_are_expanded_in_headers_args_and_url() {
    let config = read(
        "conf/mcp.json",
        r#"{"mcpServers":{"r":{"type":"http","url":"https://${API_HOST:-api.example}/mcp","headers":{"Authorization":"Bearer ${API_TOKEN}"}},
"s":{"command":"server","args":["--token","${API_TOKEN}"],"env":{"TOKEN":"${API_TOKEN}"},"cwd":"${DATA_DIR:-./data}"}}}"#,
    );
    assert_eq!(header(&config, "r", "authorization"), "Bearer s3cret");
    let spec = stdio(&config, "s");
    assert_eq!(args(spec), ["--token", "s3cret"]);
    assert_eq!(variable(spec, "TOKEN").as_deref(), Some("s3cret"));
    let cwd = spec.cwd.as_ref().expect("a folder");
    assert_eq!(cwd.to_string(), "${DATA_DIR:-./data}");
    let cwd = Path::new(cwd.expose());
    assert!(cwd.ends_with("conf/./data") && cwd.is_absolute(), "{cwd:?}");
    assert_eq!(
        report(&config),
        "2:43 note exposed server \"s\": `args[1]`: it is visible to every user of this machine, in the process list\n"
    );
    assert!(!format!("{config:?}").contains("s3cret"));
}

/// google-gemini/gemini-cli#28248.
#[test]
fn defaults_work_as_in_a_shell() {
    let text = r#"{"mcpServers":{"s":{"command":"server","args":["${A:-x}","${A-x}","${B:-x}","${B-x}","${env:C}","${C}","$C","${D}","${A:-http://h:80/${C}}","${A:-}"],"cwd":"~/work"}}}"#;
    let reader = reader().with_variable("B", "").with_variable("C", "c").with_variable("D", "${C}");
    let config = reader.read_text("mcp.json", text).unwrap();
    let spec = stdio(&config, "s");
    assert_eq!(args(spec), ["x", "x", "x", "", "c", "c", "$C", "${C}", "http://h:80/c", ""]);
    assert_eq!(spec.cwd, Some("/users/me/work".into()));
}

/// QwenLM/qwen-code#11501.
#[test]
fn variables_are_expanded_after_parsing() {
    let text = r#"{"mcpServers":{"s":{"command":"server","args":["$${P}","${P}","cost: $5","100%","a\\${P}"]},
"t":{"command":"server","args":["${","${}","${1X}"]}}}"#;
    let value = "pa$$w{o}rd\"\\n";
    let config = reader().with_variable("P", value).read_text("mcp.json", text).unwrap();
    let with_backslash = format!("a\\{value}");
    assert_eq!(args(stdio(&config, "s")), ["${P}", value, "cost: $5", "100%", &with_backslash]);
    let report = report(&config);
    for place in ["2:34", "2:39", "2:45"] {
        assert!(report.contains(&format!("{place} error invalid-variable server \"t\"")), "{report}");
    }
    assert_eq!(config.invalid_servers(), ["t"]);
}

const INPUTS: &str = r#"{"inputs":[{"type":"promptString","id":"tok","description":"Token","password":true},{"type":"pickString","id":"env","options":["a","b"],"default":"a"}],
"servers":{"x":{"type":"http","url":"https://api.example/mcp","headers":{"X-Token":"${input:tok}","X-Env":"${input:env}"}}},
"mcpServers":{"y":{"command":"server"}}}"#;

/// ravitemer/mcphub.nvim#209.
#[test]
fn inputs_come_from_the_program_a_variable_or_a_prompt() {
    let without = read(".vscode/mcp.json", INPUTS);
    assert_eq!(without.invalid_servers(), ["x"]);
    assert_eq!(without.servers().len(), 1, "the other server is valid");
    assert!(report(&without).contains("the input `tok` has no value"), "{}", report(&without));

    for reader in [
        reader().with_input("tok", "t"),
        reader().with_variable("MCP_INPUT_TOK", "t"),
        reader().ask(|input| (input.is_password && input.id == "tok").then(|| Secret::new("t"))),
    ] {
        let config = reader.read_text(".vscode/mcp.json", INPUTS).unwrap();
        assert_eq!(
            (header(&config, "x", "X-Token"), header(&config, "x", "X-Env")),
            ("t".into(), "a".into())
        );
    }
    let wrong = reader().with_input("tok", "t").with_input("env", "s3cret");
    let wrong = report(&wrong.read_text("mcp.json", INPUTS).unwrap());
    assert!(wrong.contains("not one of its options") && !wrong.contains("s3cret"), "{wrong}");

    let check = reader().check_only().read_text("mcp.json", INPUTS).unwrap();
    assert_eq!((report(&check).as_str(), check.servers().len()), ("", 2), "inputs need no values");
    let undeclared = INPUTS.replace("${input:env}", "${input:enw}");
    let undeclared = report(&reader().check_only().read_text("mcp.json", &undeclared).unwrap());
    assert!(undeclared.contains("unknown input `enw`, did you mean `env`?"), "{undeclared}");
}

#[test]
fn duplicate_server_names_are_errors() {
    let config = read(
        "mcp.json",
        r#"{"servers":{"a":{"command":"x"}},"mcpServers":{"a":{"command":"y"},"A":{"command":"y"}}}"#,
    );
    let report = report(&config);
    assert!(report.contains("duplicate server name"), "{report}");
    assert!(report.contains("differs from `a` only in case"), "{report}");
    assert_eq!(config.servers().len(), 1);
}

/// pantheon-org/tekhne#226.
#[test]
fn unknown_members_are_reported_with_suggestions() {
    let text = r#"{"mcpServers":{"a":{"command":"server","environment":{"K":"v"},"transport":"stdio"},"b":{"transport":"sse","url":"https://api.example/sse"},"c":{"comand":"server"},"d":{"command":"server","disabled":true,"alwaysAllow":["x"],"autoApprove":[]}}}"#;
    let config = read("mcp.json", text);
    assert_eq!(
        report(&config),
        "1:40 warning unknown-member server \"a\": unknown member `environment`, did you mean `env`?\n\
         1:146 error unknown-member server \"c\": unknown member `comand`, did you mean `command`?\n"
    );
    let names: Vec<_> = config.servers().iter().map(|server| server.name.as_str()).collect();
    assert_eq!(
        (names, config.invalid_servers(), config.disabled_servers()),
        (vec!["a", "b"], &["c".to_owned()][..], &["d".to_owned()][..])
    );
    assert_eq!(server(&config, "b").transport.name(), "sse");
}

/// spences10/my-pi#6, mastra-ai/mastra#13613, stablyai/orca#4275.
#[test]
fn the_transport_is_derived_from_the_members() {
    let text = r#"{"mcpServers":{"a":{"url":"https://api.example/mcp"},"b":{"url":"wss://api.example/ws"},"c":{"type":"http","command":"server"},"d":{"command":"server","url":"https://api.example/mcp"},"e":{},"f":{"url":"not a url"},"g":{"serverUrl":"https://api.example/mcp"},"h":{"type":"sse","url":"https://api.example/mcp"},"i":{"type":"streamable-http","url":"https://api.example/mcp"}}}"#;
    let config = read("mcp.json", text);
    assert_eq!(config.invalid_servers(), ["c", "d", "e", "f"]);
    for (name, transport, falls_back) in [
        ("a", "http", true),
        ("b", "websocket", false),
        ("g", "http", true),
        ("h", "sse", false),
        ("i", "http", false),
    ] {
        let spec = &server(&config, name).transport;
        assert_eq!(spec.name(), transport, "{name}");
        let fallback = matches!(spec, TransportSpec::Http(spec) if spec.sse_fallback);
        assert_eq!(fallback, falls_back, "{name}: an explicit transport has no fallback");
    }
    let report = report(&config);
    assert!(report.contains("`serverUrl`: it is treated as `url`"), "{report}");
    assert!(report.contains("server \"f\": `url`: this is not a URL"), "{report}");
}

/// microsoft/vscode#244059, griffithsbs/envmcp#4.
#[test]
fn env_takes_precedence_over_env_files() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("my dir")).unwrap();
    let path = folder.path().join(".vscode/mcp.json");
    let env_file = folder.path().join("my dir/.env");
    std::fs::write(&env_file, "A=1\r\nB=two words\r\nnot a s3cret line\r\nA=2\r\nP=$A\r\n").unwrap();
    let text = r#"{"mcpServers":{"s":{"command":"server","envFile":"${workspaceFolder}/my dir/.env","env":{"A":"9"}},"t":{"command":"t"}}}"#;
    let config = reader().read_text(&path, text).unwrap();
    let spec = stdio(&config, "s");
    let found = ["A", "B", "P"].map(|name| variable(spec, name).unwrap());
    assert_eq!(found, ["9", "two words", "$A"]);
    let warning = report(&config);
    assert!(warning.contains("warning env-file server \"s\": `envFile`: line 3 of"), "{warning}");
    assert!(!warning.contains("s3cret"), "{warning}");

    let relative = text.replace("${workspaceFolder}/my dir/.env", "my dir/.env");
    assert_eq!(report(&reader().read_text(&path, &relative).unwrap()).matches("line 3").count(), 1);

    std::fs::remove_file(&env_file).unwrap();
    let config = reader().read_text(&path, text).unwrap();
    assert_eq!(config.invalid_servers(), ["s"]);
    assert!(report(&config).contains("my dir/.env: No such file"), "{}", report(&config));
    assert_eq!(config.servers().len(), 1);
}

/// A file of a desktop client, with a token for each server.
#[test]
fn an_auth_token_becomes_a_bearer_header() {
    let text = r#"{
  "mcpServers": {
    "uv-mcp": {"command": "/path/to/uv", "args": ["--directory", "/path/to/server", "run", "server.py"], "env": {}, "transport": "stdio"},
    "railway-server": {"url": "https://server.railway.app/api/mcp", "authToken": "your-token-here", "transport": "http"},
    "sleepyrat": {
      "url": "https://sleepyrat.ai/api/mcp-tools",
      "authToken": "${SLEEPYRAT_TOKEN}",  // Runtime injection
      "transport": "http"
    },
    "written": {"url": "https://a.example/", "authToken": "bearer abc"}
  }
}"#;
    let config = reader().with_variable("SLEEPYRAT_TOKEN", "rat").read_text("mcp-config.json", text).unwrap();
    assert_eq!(report(&config), "");
    assert_eq!(header(&config, "railway-server", "Authorization"), "Bearer your-token-here");
    assert_eq!(header(&config, "sleepyrat", "Authorization"), "Bearer rat");
    assert_eq!(header(&config, "written", "Authorization"), "bearer abc");
    let error = read("mcp-config.json", text).require_valid().unwrap_err().to_string();
    assert!(error.starts_with("mcp-config.json:7:21: server \"sleepyrat\": `authToken`: the variable `SLEEPYRAT_TOKEN` is not set"), "{error}");
}

#[tokio::test]
async fn runtime_tokens_come_from_files_and_programs() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("token"), "from a file\n").unwrap();
    let text = r#"{
      "tokens": {"shop": {"file": "token"}, "login": {"command": "echo", "args": ["from a program"]}},
      "mcpServers": {
        "a": {"url": "https://a.example/", "authToken": "${runtime:shop}"},
        "b": {"url": "https://b.example/", "headers": {"X-Key": "key ${runtime:login}"}},
        "c": {"command": "c", "env": {"TOKEN": "${runtime:shop}"}},
        "d": {"command": "d", "args": ["${runtime:shop}"]},
        "e": {"url": "https://e.example/", "authToken": "${runtime:shp}"},
        "f": {"url": "https://f.example/", "authToken": "${runtime:shop:-default}"}
      }
    }"#;
    let config = reader().read_text(folder.path().join("mcp.json"), text).unwrap();
    for (server, name, value) in
        [("a", "Authorization", "Bearer from a file"), ("b", "X-Key", "key from a program")]
    {
        let template = headers(&config, server).get(name).unwrap();
        assert_eq!(template.literal(), None);
        assert_eq!(template.resolve(config.tokens()).await.unwrap().expose(), value);
    }
    let env = stdio(&config, "c").env["TOKEN"].clone().unwrap();
    assert_eq!(env.resolve(config.tokens()).await.unwrap().expose(), "from a file");
    assert_eq!(config.invalid_servers(), ["d", "e", "f"]);
    let report = report(&config);
    assert!(report.contains("is not allowed here"), "{report}");
    assert!(report.contains("unknown token `shp`, did you mean `shop`?"), "{report}");
    assert!(report.contains("the token `shop` has a default"), "{report}");
}

const AGENT: &str = r#"name: helper
model: {provider: openai, name: gpt}
tools:
  - name: filesystem
    type: mcp
    description: Files of the project
    server: "@modelcontextprotocol/server-filesystem"
    args: ["./data dir", --flag]
    config:
      allowed_directories: ["/workspace/${SUB:-data}"]
    env: {API_KEY: "${MY_API_KEY}", PORT: 8080, DEBUG: true, NOT: null}
    encoding: latin-1
    request_timeout: 90
  - name: search
    type: vectorstore
    source: docs
  - name: web
    type: mcp
    transport: sse
    url: https://web.example/sse
    headers: {Authorization: "Bearer ${API_TOKEN}"}
    timeout: 10
    sse_read_timeout: 5m
    load_prompts: false
"#;

/// The MCP tools of an agent file.
#[test]
fn mcp_tools_of_an_agent_file_are_servers() {
    let config = read("agent.yaml", AGENT);
    assert_eq!(report(&config), "");
    let files = server(&config, "filesystem");
    let spec = stdio(&config, "filesystem");
    assert_eq!(spec.command.expose(), "npx");
    assert_eq!(args(spec), ["-y", "@modelcontextprotocol/server-filesystem", "./data dir", "--flag"]);
    assert_eq!(files.settings.as_ref().unwrap().expose()["allowed_directories"][0], "/workspace/data");
    assert_eq!(files.request_timeout, Duration::from_secs(90));
    assert_eq!(spec.encoding, Encoding::Latin1);
    let found = ["API_KEY", "PORT", "DEBUG"].map(|name| variable(spec, name).unwrap());
    assert_eq!(found, ["s3cret", "8080", "true"]);
    assert_eq!(spec.env["NOT"], None);
    let web = server(&config, "web");
    assert!(web.load_tools && !web.load_prompts);
    assert_eq!(web.request_timeout, Duration::from_mins(1), "the default");
    let TransportSpec::Sse(sse) = &web.transport else { panic!("{web:?}") };
    assert_eq!((sse.timeout, sse.sse_read_timeout), (Duration::from_secs(10), Duration::from_mins(5)));
}

#[test]
fn a_launcher_runs_a_package() {
    for (launcher, command, argv) in [
        ("uvx", "uvx", vec!["pkg", "x"]),
        ("docker", "docker", vec!["run", "-i", "--rm", "-e", "KEY", "pkg", "x"]),
    ] {
        let text = format!(
            "[servers.a]\nserver = \"pkg\"\nlauncher = \"{launcher}\"\nargs = [\"x\"]\nenv.KEY = \"s3cret\"\n"
        );
        let config = read("mcp.toml", &text);
        let spec = stdio(&config, "a");
        assert_eq!((spec.command.expose(), args(spec)), (command, argv), "{}", report(&config));
    }
}

#[test]
fn the_same_servers_are_read_from_json_toml_and_yaml() {
    let json = read(
        "a.json",
        r#"{"servers": {"a": {"command": "x", "args": ["y"], "request_timeout": 1.5}, "b": {"url": "https://b.example/", "headers": {"X": "é"}}}}"#,
    );
    let toml = read(
        "a.toml",
        "[servers.a]\ncommand = \"x\"\nargs = [\"y\"]\nrequest_timeout = \"1500ms\"\n[servers.b]\nurl = 'https://b.example/'\nheaders = { X = \"é\" }\n",
    );
    let yaml = read(
        "a.yaml",
        "# é\nservers:\n  a:\n    command: x\n    args:\n    - y\n    requestTimeout: 1.5\n  b: {url: 'https://b.example/', headers: {X: é}}\n",
    );
    for config in [&toml, &yaml] {
        assert_eq!(format!("{:?}", config.servers()), format!("{:?}", json.servers()), "{}", report(config));
    }
    let settings = read(
        "settings.json",
        r#"{"editor.fontSize": 12, "mcp": {"servers": {"a": {"command": "x"}}, "inputs": []}}"#,
    );
    assert_eq!((settings.servers().len(), report(&settings).as_str()), (1, ""));
}

#[test]
fn relative_paths_start_at_the_folder_of_the_file() {
    let config = read(
        "/w/.cursor/mcp.json",
        r#"{"mcpServers":{"a":{"command":"./run.sh","args":["./x"],"cwd":"sub"},"b":{"command":"b","args":["./x"],"resolve_args":true}}}"#,
    );
    let spec = stdio(&config, "a");
    assert_eq!((spec.command.expose(), args(spec)), ("/w/./run.sh", vec!["./x"]));
    assert_eq!(spec.cwd, Some("/w/sub".into()));
    assert_eq!(args(stdio(&config, "b")), ["/w/./x"]);
}

/// anthropics/claude-code#35287: startup and requests need separate timeouts.
#[test]
fn timeout_is_the_request_timeout_in_shared_files() {
    let config = read(
        "mcp.json",
        r#"{"mcpServers":{"a":{"command":"a","timeout":5,"connectTimeout":"20s"},"b":{"command":"b","timeout":30000},"c":{"command":"c","timeout":600000}}}"#,
    );
    let a = server(&config, "a");
    assert_eq!((a.request_timeout, a.start_timeout), (Duration::from_secs(5), Duration::from_secs(20)));
    let report = report(&config);
    assert!(
        report.contains("warning invalid-value server \"b\": `timeout`: 30000 seconds are 500 minutes"),
        "{report}"
    );
    assert!(report.contains("error invalid-value server \"c\": `timeout`: 600000 seconds"), "{report}");
}

#[test]
fn messages_debug_and_source_lines_have_no_secrets() {
    let text = r#"{"mcpServers": {
  "a": {"url": "https://a.example/", "headers": {"X-Key": "s3cret-1 ${MISSING_A:-s3cret-2}", "Y": "${MISSING_B}", "Z\n": "s3cret-3"}, "authToken": ["s3cret-4"]},
  "b": {"command": "b", "env": {"K": "s3cret-5", "L": ["s3cret-6"]}, "config": {"password": "s3cret-7"}, "environment": {"X": "s3cret-8"}},
  "c": {"url": "https://me:s3cret-9@c.example/", "oauth": {"client_id": "x", "clientSecret": "s3cret-10"}},
  "d": {"url": "https://d.example/", "headers": {"A": "${BROKEN}"}}
}}"#;
    let reader = reader().with_variable("BROKEN", "s3cret-11\n");
    let config = reader.read_text("mcp.json", text).unwrap();
    let mut shown = format!("{config:?} {reader:?} {}", report(&config));
    for problem in config.problems() {
        // A URL is not redacted, but the message warns about its password.
        if problem.member.as_deref() != Some("url") {
            shown.push_str(&config.source().redacted_line(problem.line).unwrap());
        }
        shown.push_str(problem.help.as_deref().unwrap_or_default());
    }
    assert!(!shown.contains("s3cret"), "{shown}");
    assert!(shown.contains("\"Y\": \"${MISSING_B}\"") && shown.contains("${MISSING_A:"), "{shown}");
    assert_eq!(config.invalid_servers(), ["a", "b", "c", "d"]);
    let error = reader
        .read_text("mcp.json", "{\"mcpServers\": {\"a\": {\"authToken\": \"s3cret\" \"x\"}}}")
        .unwrap_err();
    let ConfigError::Invalid { file, problems } = &error else { panic!("{error}") };
    let line = file.redacted_line(problems[0].line).unwrap();
    assert!(!format!("{error} {line}").contains("s3cret"), "{error} {line}");
}

#[test]
fn values_of_variables_are_never_displayed() {
    let text = r#"{"mcpServers": {
  "a": {"command": "./${V}/x", "args": ["./${V}"], "resolve_args": true, "cwd": "${V}", "envFile": "${V}/.env"},
  "b": {"command": "~/${V}", "cwd": "~/${V}", "env": {"K": "${V}"}, "description": "${V}"},
  "c": {"url": "https://c.example/${V}", "oauth": {"client_id": "${V}", "client_secret": "${V}", "redirect_uri": "http://localhost/${V}", "issuer": "https://${V}", "scopes": ["${V}"]}},
  "d": {"type": "sse", "url": "https://d.example/${V}", "headers": {"A": "${V}"}, "config": {"a": "${V}"}, "timeout": "${V}"},
  "e": {"server": "${V}", "launcher": "${V}", "encoding": "${V}"}
}}"#;
    let tokens = "[tokens.t]\ncommand = './${V}'\nargs = ['${V}']\n[tokens.f]\nfile = '${V}'\n[servers.a]\ncommand = 'a'\ncwd = '${V}'\n";
    let reader = reader().with_variable("V", "s3cret");
    for (name, text) in [("mcp.json", text), ("mcp.toml", tokens)] {
        let (config, problems) = match reader.read_text(name, text) {
            Ok(config) => (format!("{config:?}"), config.problems().to_vec()),
            Err(ConfigError::Invalid { problems, .. }) => (String::new(), problems),
            Err(error) => panic!("{error}"),
        };
        assert!(!config.contains("s3cret"), "{config}");
        for problem in problems {
            let shown = format!("{problem:?} {problem}");
            assert!(!shown.contains("s3cret"), "{shown}");
        }
    }
}

#[test]
fn the_name_of_a_server_does_not_make_its_entry_secret() {
    let text = r#"{"mcpServers": {"token-env": {"command": "${NOT_SET}", "env": {"A": "s3cret"}}}}"#;
    let config = read("mcp.json", text);
    let line = config.source().redacted_line(1).unwrap();
    assert!(line.contains("\"command\": \"${NOT_SET}\"") && !line.contains("s3cret"), "{line}");
}

#[test]
fn identical_servers_cause_a_warning() {
    let config = read("mcp.json", r#"{"mcpServers":{"a":{"command":"x"},"b":{"command":"x"}}}"#);
    assert_eq!(config.servers().len(), 2, "both are valid");
    assert!(
        report(&config).contains("warning duplicate server \"b\": it is identical to \"a\""),
        "{}",
        report(&config)
    );
}
