//! Invalid files: each problem has its position, its member and a message.

use super::*;

/// The name of a file, its text with `«…»` around the reported range, and a part of the message.
const MALFORMED: &[(&str, &str, &str)] = &[
    // Syntax
    ("a.json", "{\"mcpServers\": {\n  \"a\" «\"command\"»: 1}}", "expected colon"),
    ("a.json", "{\"mcpServers\": {\"a\": {\"command\": \"x\"}«»", "unterminated object"),
    ("a.json", "«[]»", "the file must be an object, not a list"),
    ("a.json", "«»{\"mcpServer_\": 1, \"theme\": {}}", ""),
    ("a.json", "«»{}", "the file has no servers"),
    ("a.toml", "[servers.a]\ncommand = «x»", ""),
    ("a.toml", "[servers.a]\ncommand = \"x\"\n[servers.«a»]\n", "duplicate"),
    ("a.yaml", "tools:\n  - {name: a, type: mcp, command: «»*x}", "unknown anchor"),
    ("a.yaml", "tools:\n  - {name: a, type: mcp, command: «&x y»}", ""),
    // Sections
    ("a.json", "{\"«mcpServer»\": {}}", "did you mean `mcpServers`?"),
    ("a.json", "{\"mcpServers\": «[]»}", "must be an object of servers, not a list"),
    ("a.json", "{\"mcpServers\": {}, \"«input»\": []}", "did you mean `inputs`?"),
    ("a.json", "{\"mcpServers\": {\"a\": «\"x\"»}}", "a server must be an object, not a string"),
    ("a.toml", "[servers.a]\ncommand = \"x\"\n[«defaults»]\nx = 1", "unknown member `defaults`"),
    ("a.yaml", "tools: «{}»", "`tools` must be a list"),
    ("a.yaml", "tools:\n  - {name: a, type: «mpc», command: x}", "did you mean `mcp`?"),
    ("a.yaml", "tools:\n  - «{type: mcp, command: x}»", "requires a `name`"),
    // Names
    ("a.json", "{\"servers\": {\"«a__b»\": {\"command\": \"x\"}}}", "contains `__`"),
    ("a.json", "{\"servers\": {\"«_a»\": {\"command\": \"x\"}}}", "starts or ends with `_`"),
    ("a.json", "{\"servers\": {«\"\"»: {\"command\": \"x\"}}}", "name is empty"),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"command\": \"x\"}, «\"a\"»: {\"command\": \"y\"}}}",
        "appears twice",
    ),
    ("a.toml", "[servers.\"«my server»\"]\ncommand = \"x\"", "contains ' '"),
    ("a.toml", "[servers.«aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa»]\ncommand = \"x\"", "33 characters"),
    // Members
    ("a.json", "{\"servers\": {\"a\": {\"«commnad»\": \"x\"}}}", "did you mean `command`?"),
    ("a.json", "{\"servers\": {\"a\": {\"«uri»\": \"https://x.example/\"}}}", "did you mean `url`?"),
    ("a.json", "{\"servers\": {\"a\": {\"command\": \"x\", \"«arg»\": []}}}", "did you mean `args`?"),
    ("a.toml", "[servers.a]\ncommand = \"x\"\n«enviroment» = 1", "unknown member `enviroment`"),
    ("a.toml", "[servers.a]\ncommand = \"x\"\n«requestTimeOut» = 1", "did you mean `request_timeout`?"),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"command\": \"x\", \"«excludeTools»\": [\"y\"]}}}",
        "is not supported",
    ),
    ("a.json", "{\"servers\": {\"a\": «{}»}}", "neither a `command` nor a `url`"),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"command\": \"x\", «\"url\"»: \"https://x.example/\"}}}",
        "conflicts with `command`",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"command\": \"x\", «\"server\"»: \"y\"}}}",
        "conflicts with `command`",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"command\": \"x\", \"envFile\": \"a\", «\"env_file\"»: \"b\"}}}",
        "the same meaning as `envFile`",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"type\": \"http\", «\"command\"»: \"x\"}}}",
        "is not supported by the transport http",
    ),
    ("a.json", "{\"servers\": {\"a\": «{\"type\": \"stdio\"}»}}", "requires a `command`"),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"type\": «\"htp\"», \"url\": \"https://x.example/\"}}}",
        "did you mean `http`?",
    ),
    (
        "a.yaml",
        "tools:\n  - {name: a, type: mcp, command: x, «timeout»: 5}",
        "is not supported by the transport stdio",
    ),
    ("a.json", "{\"servers\": {\"a\": {\"command\": \"x\", «\"headers\"»: {}}}}", "is not supported by"),
    // Types
    ("a.json", "{\"servers\": {\"a\": {\"command\": «[\"x\"]»}}}", "expected a string, found a list"),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"command\": \"x\", \"args\": «\"y z\"»}}}",
        "expected a list of strings",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"command\": \"x\", \"args\": [\"y\", «3»]}}}",
        "expected a string, found a number",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"command\": \"x\", \"env\": «[]»}}}",
        "expected an object of strings",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"command\": \"x\", \"env\": {\"K\": «{}»}}}}",
        "`env.K`: expected a string",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"command\": \"x\", \"env\": {«\"A=B\"»: \"c\"}}}}",
        "not a valid variable name",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"command\": \"x\", \"disabled\": «\"maybe\"»}}}",
        "expected true or false",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"command\": \"x\", \"requestTimeout\": «\"soon\"»}}}",
        "expected seconds",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"command\": \"x\", \"requestTimeout\": «-1»}}}",
        "must be more than 0",
    ),
    ("a.json", "{\"servers\": {\"a\": {\"command\": \"x\", \"maxConcurrency\": «0»}}}", "a positive integer"),
    ("a.json", "{\"servers\": {\"a\": {\"command\": \"x\", \"config\": «\"y\"»}}}", "expected an object"),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"command\": \"x\", \"encoding\": «\"utf-7\"»}}}",
        "did you mean `utf-8`?",
    ),
    ("a.json", "{\"servers\": {\"a\": {\"command\": «\"\"»}}}", "it is empty"),
    ("a.json", "{\"servers\": {\"a\": {\"server\": «\"-x\"»}}}", "not a valid package name"),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"server\": \"x\", \"launcher\": «\"npm\"»}}}",
        "unknown launcher, did you mean `npx`?",
    ),
    // URLs and headers
    ("a.json", "{\"servers\": {\"a\": {\"url\": «\"localhost:3000\"»}}}", "this is not a URL"),
    ("a.json", "{\"servers\": {\"a\": {\"url\": «\"ftp://x.example/\"»}}}", "`ftp://` is not supported by"),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"type\": \"ws\", \"url\": «\"https://x.example/\"»}}}",
        "is not supported by",
    ),
    ("a.json", "{\"servers\": {\"a\": {\"url\": «\"https:///mcp\"»}}}", "has no host"),
    ("a.json", "{\"servers\": {\"a\": {\"url\": «\"http://x.example:http/\"»}}}", "the port"),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"url\": «\"https://x.example/a b\"»}}}",
        "' ' is not allowed in a URL",
    ),
    ("a.json", "{\"servers\": {\"a\": {\"url\": «\"https://u:p@x.example/\"»}}}", "a user and a password"),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"url\": \"https://x.example/\", \"headers\": {«\"X Y\"»: \"z\"}}}}",
        "not a valid header name",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"url\": \"https://x.example/\", \"headers\": {«\"host\"»: \"z\"}}}}",
        "set by the client",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"url\": \"https://x.example/\", \"headers\": {\"X\": «\"a\\nb\"»}}}}",
        "line break",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"url\": \"https://x.example/\", \"headers\": {\"X\": \"1\", «\"x\"»: \"2\"}}}}",
        "appears twice",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"url\": \"https://x.example/\", \"headers\": {\"Authorization\": \"x\"}, «\"authToken\"»: \"y\"}}}",
        "conflicts with the header `Authorization`",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"url\": \"https://x.example/\", \"oauth\": «{\"grant\": \"client_credentials\"}»}}}",
        "no `client_id`",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"url\": \"https://x.example/\", \"oauth\": «{\"grant\": \"client_credentials\", \"clientId\": \"x\"}»}}}",
        "no `client_secret`",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"url\": \"https://x.example/\", \"oauth\": {\"grant\": «\"password\"»}}}}",
        "unknown grant",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"url\": \"https://x.example/\", \"oauth\": {\"callbackPort\": «0»}}}}",
        "a port, from 1 to 65535",
    ),
    // Variables, inputs and tokens
    (
        "a.json",
        "{\"servers\": {\"a\": {\"command\": \"x\", \"args\": [\"--t=«${API_TOKN}»\"]}}}",
        "did you mean `API_TOKEN`?",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"command\": \"x\", \"args\": [\"\\\"«${NOT}»\"]}}}",
        "`NOT` is not set",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"command\": \"x\", \"env\": {\"K\": \"«${evn:HOME}»\"}}}}",
        "did you mean `env`?",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"command\": \"x\", \"args\": [\"«${command:pick}»\"]}}}",
        "unknown prefix in `${command:…}`",
    ),
    ("a.json", "{\"servers\": {\"a\": {\"command\": \"«${}»\"}}}", "has no variable name"),
    ("a.json", "{\"servers\": {\"a\": {\"command\": \"«${input:k}»\"}}}", "unknown input `k`"),
    ("a.json", "{\"servers\": {}, \"inputs\": «{}»}", "`inputs` must be a list"),
    ("a.json", "{\"servers\": {}, \"inputs\": [«{\"type\": \"promptString\"}»]}", "needs an `id`"),
    (
        "a.json",
        "{\"servers\": {}, \"inputs\": [«{\"id\": \"a\", \"type\": \"command\"}»]}",
        "only promptString and pickString",
    ),
    ("a.json", "{\"servers\": {}, \"tokens\": {\"a\": «{}»}}", "neither a `command` nor a `file`"),
    (
        "a.json",
        "{\"servers\": {}, \"tokens\": {\"a\": {\"«fiel»\": \"x\", \"command\": \"y\"}}}",
        "did you mean `file`?",
    ),
    (
        "a.json",
        "{\"servers\": {\"a\": {\"command\": \"x\", \"envFile\": «\"/no/such/file\"»}}}",
        "cannot read /no/such/file",
    ),
    ("a.json", "{\"servers\": {\"a\": {\"command\": \"x\", \"envFile\": «\"/\"»}}}", "not a regular file"),
];

#[test]
fn problems_are_reported_with_their_position() {
    assert!(MALFORMED.len() >= 40);
    let failures: Vec<String> = MALFORMED.iter().filter_map(|case| check(case).err()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

fn check((name, marked, message): &(&str, &str, &str)) -> Result<(), String> {
    let start = marked.find('«').unwrap();
    let end = marked.find('»').unwrap() - '«'.len_utf8();
    let text = marked.replace(['«', '»'], "");
    let (source, problems) = match reader().read_text(name, &text) {
        Ok(config) => (config.source().clone(), config.problems().to_vec()),
        Err(ConfigError::Invalid { file, problems }) => (*file, problems),
        Err(error) => panic!("{error}"),
    };
    let is_expected =
        |problem: &&Problem| problem.severity >= Severity::Warning && problem.to_string().contains(message);
    let problem = problems
        .iter()
        .find(is_expected)
        .ok_or_else(|| format!("{marked}\nlacks {message:?}: {problems:#?}"))?;
    assert_eq!((problem.line, problem.column), source.position(problem.span.start));
    // The range of names and strings may include their quotes.
    let quoted = start.saturating_sub(1)..(end + 1).min(text.len());
    let is_located =
        start == end || problem.span == (start..end) || problem.span == quoted || problem.span.start == start;
    if is_located {
        Ok(())
    } else {
        Err(format!("{marked}: {:?} of {problem:?}", &text[problem.span.clone()]))
    }
}

#[test]
fn all_problems_are_reported_at_once() {
    let text = r#"{"mcpServers": {
  "a": {"command": "${MISSING_ONE}", "args": ["${MISSING_TWO}"], "requestTimeout": "soon"},
  "b": {"url": "https://${MISSING_THREE}/", "headers": {"X": "${MISSING_FOUR}"}, "timeoutt": 3}
}}"#;
    let error = read("mcp.json", text).require_valid().unwrap_err().to_string();
    for name in ["MISSING_ONE", "MISSING_TWO", "MISSING_THREE", "MISSING_FOUR", "`requestTimeout`"] {
        assert!(error.contains(name), "{name}: {error}");
    }
    assert_eq!(error.lines().count(), 5, "{error}");
    let report = report(&read("mcp.json", text));
    assert!(report.contains("unknown member `timeoutt`, did you mean `timeout`?"), "{report}");
}

#[test]
fn unknown_disabled_and_invalid_servers_are_explained() {
    let config = read(
        "mcp.json",
        r#"{"mcpServers":{"files":{"command":"x"},"off":{"command":"x","disabled":true},"bad":{"url":"x"}}}"#,
    );
    for (name, part) in [
        ("flies", "unknown server `flies`; available: files; did you mean `files`?"),
        ("off", "is disabled"),
        ("bad", "is invalid: 1:91: this is not a URL"),
    ] {
        let error = config.server(name).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}
