//! A login to a server over HTTP, and commands that use it.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use test_client::authorization_server::{self, AuthorizationServer};
use test_client::http::Fixture;

use crate::common::{Run, run_with, scratch};

/// Prints the URL that the browser is opened with.
const BROWSER: &str = "#!/bin/sh\nprintf %s \"$1\" > page.tmp && mv page.tmp page\n";

struct Setting {
    folder: tempfile::TempDir,
    authorization: std::sync::Arc<Mutex<AuthorizationServer>>,
    server: Fixture,
    /// The redirect URI.
    port: String,
}

impl Setting {
    fn new() -> Self {
        let folder = scratch();
        let browser = folder.path().join("browser");
        fs::write(&browser, BROWSER).unwrap();
        fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
        let (authorization, server) = authorization_server::start();
        Self { folder, authorization, server, port: free_port().to_string() }
    }

    fn authorization(&self) -> MutexGuard<'_, AuthorizationServer> {
        self.authorization.lock().unwrap()
    }

    /// Returns the numbers of registered clients, issued tokens and refreshed tokens.
    fn counts(&self) -> (u32, u32, u32) {
        let state = self.authorization();
        (state.registered, state.issued, state.refreshed)
    }

    fn run(&self, words: &[&str]) -> Run {
        self.run_with_key(words, None)
    }

    fn run_with_key(&self, words: &[&str], key: Option<&str>) -> Run {
        let folder = self.folder.path();
        run_with(folder, words, |command| {
            command.env("BROWSER", folder.join("browser"));
            command.env("CARGO_MCP_TOKENS", folder.join("data/tokens.json"));
            command.env_remove("CARGO_MCP_TOKENS_KEY").envs(key.map(|key| ("CARGO_MCP_TOKENS_KEY", key)));
        })
    }

    /// Logs in, acting as the browser.
    fn log_in(&self, words: &[&str], key: Option<&str>) -> Run {
        let words = [&["login"], words, &["--port", &self.port]].concat();
        let folder = self.folder.path();
        std::thread::scope(|scope| {
            let browser = scope.spawn(move || browse(&folder.join("page")));
            let run = self.run_with_key(&words, key);
            browser.join().unwrap();
            run
        })
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Waits until the page is opened, consents, and follows the redirect.
fn browse(page: &Path) {
    let end = Instant::now() + Duration::from_secs(30);
    while !page.exists() {
        assert!(Instant::now() < end, "no page was opened");
        std::thread::sleep(Duration::from_millis(10));
    }
    let url = fs::read_to_string(page).unwrap();
    fs::remove_file(page).unwrap();
    let answer = get(&url);
    let location = answer.lines().find_map(|line| line.strip_prefix("Location: ")).unwrap();
    assert!(get(location).contains("You can close this page"), "{location}");
}

fn get(url: &str) -> String {
    let (host, target) = url.strip_prefix("http://").and_then(|rest| rest.split_once('/')).unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let (mut answer, mut chunk) = (Vec::new(), [0; 4096]);
    // The fixture keeps its connections open.
    while !answer.windows(4).any(|end| end == b"\r\n\r\n") || !url.contains("/authorize") {
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => break,
            Ok(read) => answer.extend_from_slice(&chunk[..read]),
        }
    }
    String::from_utf8(answer).unwrap()
}

#[test]
fn one_login_is_enough_for_later_commands() {
    let setting = Setting::new();
    let url = &*setting.server.url;
    let refused = setting.run(&["list", url]).ended(3);
    refused.says(&["not logged in at http://127.0.0.1:", "cargo mcp login"]);
    assert_eq!(setting.counts(), (0, 0, 0));

    let done = setting.log_in(&[url], None).ok();
    assert_eq!(done.stdout, format!("{url}: logged in\n"));
    let tokens = setting.folder.path().join("data/tokens.json");
    assert_eq!(fs::metadata(&tokens).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(setting.run(&["call", url, "echo", "text=hi"]).ok().stdout, "hi\n");
    setting.run(&["manifest", url]).ok();
    assert_eq!(
        setting.run(&["login", url, "--port", &setting.port]).ok().stdout,
        format!("{url}: no login was needed\n")
    );
    assert_eq!(setting.counts(), (1, 1, 0));

    // A token that is no longer accepted is refreshed once.
    setting.authorization().revoked = 1;
    for _ in 0..2 {
        setting.run(&["list", url]).ok();
    }
    assert_eq!(setting.counts(), (1, 2, 1));
    for text in
        [done.stderr, fs::read_to_string(setting.folder.path().join("data/tokens.json.lock")).unwrap()]
    {
        assert!(!text.contains("token-1") && !text.contains("code_verifier"), "{text}");
    }
}

#[test]
fn tokens_are_encrypted_with_a_key() {
    let setting = Setting::new();
    let url = &*setting.server.url;
    let key = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=";
    setting.log_in(&[url], Some(key)).ok();
    let text = fs::read_to_string(setting.folder.path().join("data/tokens.json")).unwrap();
    assert!(!text.contains("token-1") && !text.contains("refresh"), "{text}");
    setting.run_with_key(&["list", url], Some(key)).ok();
    setting.run(&["list", url]).ended(3).says(&["are encrypted: the key is required"]);
    let refused = setting.run_with_key(&["list", url], Some("password")).ended(3);
    refused.says(&["CARGO_MCP_TOKENS_KEY", "openssl rand -base64 32"]);
    setting.run_with_key(&["login", url], Some("password")).ended(2).says(&["openssl rand -base64 32"]);
}

#[test]
fn a_file_configures_the_oauth_client() {
    let setting = Setting::new();
    let url = &*setting.server.url;
    let file = setting.folder.path().join("mcp.json");
    let text = format!(
        r#"{{"mcpServers": {{
            "shop": {{"url": "{url}", "oauth": {{"clientId": "shop-client", "scopes": ["read", "write"]}}}},
            "local": {{"command": "no-such-program"}}
        }}}}"#
    );
    fs::write(&file, text).unwrap();
    assert_eq!(setting.log_in(&["mcp.json"], None).ok().stdout, "shop: logged in\n");
    assert_eq!(setting.run(&["call", "mcp.json", "shop__echo", "text=hi"]).ok().stdout, "hi\n");
    assert_eq!(setting.authorization().registered, 0);
    let form = setting.authorization().token_requests[0].0.clone();
    assert!(form.contains("client_id=shop-client"), "{form}");
    let pages: Vec<_> = setting.server.requests().into_iter().map(|request| request.path).collect();
    assert!(pages.iter().any(|path| path.contains("scope=read%20write")), "{pages:?}");
    setting.run(&["login", "mcp.json", "shpo"]).ended(2).says(&["shop"]);
}

#[test]
fn a_client_with_rights_of_its_own_needs_no_login() {
    let setting = Setting::new();
    let url = &*setting.server.url;
    let text = format!(
        "[servers.shop]\nurl = \"{url}\"\noauth = {{ grant = \"client_credentials\", client_id = \"id\", client_secret = \"${{SECRET:-s3cret}}\" }}\n"
    );
    fs::write(setting.folder.path().join("mcp.toml"), text).unwrap();
    let called = setting.run(&["call", "mcp.toml", "shop__echo", "text=hi"]).ok();
    assert_eq!(called.stdout, "hi\n");
    setting.run(&["list", "mcp.toml"]).ok();
    assert_eq!(setting.authorization().issued, 1, "the second command uses the token of the first");
    let (form, credentials) = setting.authorization().token_requests[0].clone();
    assert!(form.contains("grant_type=client_credentials"), "{form}");
    assert!(credentials.starts_with("Basic "), "{credentials}");
}

#[test]
fn a_server_that_wants_another_kind_of_token_says_so() {
    let setting = Setting::new();
    let server = Fixture::start(|request, reply| match request.http_method.as_str() {
        "POST" => reply.send(401, &[("WWW-Authenticate", "Bearer")], "send your API key"),
        _ => reply.send(404, &[], ""),
    });
    setting.run(&["list", &server.url]).ended(3).says(&["send your API key", "`Authorization`"]);
}
