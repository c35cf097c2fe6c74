//! Faults of configuration files, whose problems have a file and a line instead of a server.

use toolwright_client::config::{ConfigError, ConfigReader};

use super::{ErrorParts, Fault};

/// The name and text of a file, parts of the expected message, and a part of the advice.
const FILES: &[(&str, &str, &[&str], &str)] = &[
    ("a.json", r#"{"mcpServers": {"a": {"command": "x"}"#, &["unterminated"], "check the brackets"),
    ("a.json", r"{}", &["has no servers"], "mcpServers"),
    ("a.json", r#"{"mcpServer": {}}"#, &["`mcpServer`"], "did you mean `mcpServers`"),
    (
        "a.json",
        r#"{"servers": {"a": {"commnad": "x"}}}"#,
        &["unknown member `commnad`"],
        "did you mean `command`",
    ),
    ("a.json", r#"{"servers": {"a": {"command": ["x"]}}}"#, &["found a list"], "expected a string"),
    (
        "a.json",
        r#"{"servers": {"a": {"command": "x", "url": "https://x.example/"}}}"#,
        &["conflicts with `command`"],
        "keep one",
    ),
    ("a.json", r#"{"servers": {"a": {}}}"#, &["neither a `command` nor a `url`"], "`command`"),
    (
        "a.json",
        r#"{"servers": {"a": {"type": "htp", "url": "https://x.example/"}}}"#,
        &["`htp`"],
        "did you mean `http`",
    ),
    ("a.json", r#"{"servers": {"a": {"command": "x", "env": {"K": "${NO_SUCH}"}}}}"#, &["`NO_SUCH`"], "set"),
    ("a.json", r#"{"servers": {"a": {"command": "x", "args": ["${"]}}}"#, &["`${`"], "write"),
    ("a.json", r#"{"servers": {"a__b": {"command": "x"}}}"#, &["`__`"], "use `_` or `-`"),
    (
        "a.json",
        r#"{"servers": {"a": {"command": "x"}, "a": {"command": "y"}}}"#,
        &["duplicate server name"],
        "another name",
    ),
    (
        "a.json",
        r#"{"servers": {"a": {"command": "x", "requestTimeout": "soon"}}}"#,
        &["`requestTimeout`"],
        "expected seconds",
    ),
    (
        "a.json",
        r#"{"servers": {"a": {"command": "x", "envFile": "/no/such/file"}}}"#,
        &["/no/such/file"],
        "create",
    ),
    ("a.toml", "[servers.a]\nurl = \"example.com\"\n", &["is not a URL"], "write"),
    ("a.yaml", "tools:\n  - {name: a, type: mpc, command: x}\n", &["`mpc`"], "did you mean `mcp`"),
    (
        "a.json",
        r#"{"servers": {"a": {"url": "https://x.example/", "headers": {"A": "${runtime:shop}"}}}}"#,
        &["`shop`"],
        "tokens",
    ),
];

fn read_error(name: &'static str, text: &'static str) -> ErrorParts {
    let error =
        ConfigReader::without_environment().read_text(name, text).map(|config| config.problems().to_vec());
    let (file, problems) = match error {
        Err(ConfigError::Invalid { file, problems }) => (file.name().to_owned(), problems),
        Err(error) => panic!("{name}: {error}"),
        Ok(problems) => (name.to_owned(), problems),
    };
    let problem = problems.into_iter().max_by_key(|problem| problem.severity).expect("a problem");
    let message = problem.to_string();
    // The message may include the advice.
    let advice = [message.clone()].into_iter().chain(problem.help).collect::<Vec<_>>().join("; ");
    ErrorParts { origin: format!("{file}:{}", problem.line), kind: None, problem: message, advice }
}

pub(super) fn faults() -> Vec<Fault> {
    let faults = FILES.iter().map(|(name, text, problem, advice)| Fault {
        description: format!("{name}: {text}"),
        kind: None,
        problem,
        advice,
        error: Box::pin(std::future::ready(read_error(name, text))),
    });
    faults.collect()
}
