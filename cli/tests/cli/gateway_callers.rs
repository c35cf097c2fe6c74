//! `cargo mcp gateway` for callers with API keys, and with access tokens of other issuers.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_authorization::authorization_server::{AuthorizationServer, Mood};

use crate::common::{Run, run, scratch};
use crate::gateway_runs::{Running, config, names};

fn list(folder: &Path, url: &str, token: &str) -> Run {
    run(folder, &["list", "--json", "--header", &format!("Authorization: Bearer {token}"), url])
}

fn until(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn keys(folder: &Path, words: &[&str]) -> Run {
    run(folder, &[&["gateway", "keys"], words, &["--state", "state"]].concat())
}

#[test]
fn api_keys_are_created_used_shown_and_removed() {
    let scratch = scratch();
    let folder = scratch.path();
    config(folder, &["desk", "help"]);
    std::fs::write(folder.join("policy.json"), r#"{"rules":[{"callers":["nightly"],"approval":"refuse"}]}"#)
        .unwrap();
    let gateway = Running::start(folder, &["--config", "mcp.json", "--policy", "policy.json"]);
    let caller = |words: &[&str]| {
        let key = keys(folder, &[&["caller"], words].concat()).ok().says(&["only time"]).stdout;
        key.trim().to_owned()
    };
    // A running gateway accepts new keys.
    let nightly = caller(&["nightly", "--server", "desk", "--days", "3"]);
    let ci = caller(&["ci", "--tool", "help__help"]);
    let all = caller(&["operator", "--all"]);
    assert!(nightly.starts_with("twck_") && nightly != ci, "{nightly}");
    until("the keys are accepted", || list(folder, &gateway.url, &all).code == 0);
    let seen = names(folder, &gateway.url, &nightly);
    assert!(!seen.is_empty() && seen.iter().all(|name| name.starts_with("desk__")), "{seen:?}");
    assert_eq!(names(folder, &gateway.url, &ci), ["help__help"]);
    assert!(names(folder, &gateway.url, &all).len() > seen.len());
    let call = |key: &str, tool: &str| {
        run(folder, &["call", "--header", &format!("Authorization: Bearer {key}"), &gateway.url, tool])
    };
    call(&ci, "desk__help").ended(4).says(&["unknown tool"]);
    let refused = call(&nightly, "desk__help");
    assert!(format!("{}{}", refused.stdout, refused.stderr).contains("may not be called"), "{refused:?}");

    let shown = keys(folder, &["show"]).ok().stdout;
    for line in [
        "nightly  caller  servers: desk  expires within 3 days\n",
        "ci  caller  tools: help__help\n",
        "operator  caller  all servers\n",
        "  active\n",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let file = std::fs::read_to_string(folder.join("state/callers.json")).unwrap();
    for key in [&nightly, &ci, &all] {
        assert!(!shown.contains(key.as_str()) && !file.contains(key.as_str()));
    }
    assert!(!keys(folder, &["show", "--jwks"]).ok().stdout.contains("nightly"));

    keys(folder, &["remove", "nightly"]).ok().says(&["within a second"]);
    until("the key is rejected", || list(folder, &gateway.url, &nightly).code == 3);
    list(folder, &gateway.url, &nightly).ended(3).says(&["401", "removed"]);
    list(folder, &gateway.url, &all).ok();
}

#[test]
fn keys_that_make_no_sense_are_usage_errors() {
    let scratch = scratch();
    let folder = scratch.path();
    keys(folder, &["caller", "ada", "--all"]).ok();
    for (words, says) in [
        (&["caller", "ada", "--server", "desk"][..], "`ada`"),
        (&["caller", "ben"], "--server"),
        (&["caller", "ben", "--all", "--server", "desk"], "--all"),
        (&["caller", "ben", "--all", "--days", "0"], "--days"),
        (&["caller", "", "--all"], "1 to 128 bytes"),
        (&["remove", "ben"], "`ben`"),
        (&["remove"], "NAME"),
    ] {
        keys(folder, words).ended(2).says(&[says]);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = folder.join("state/callers.json");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        keys(folder, &["remove", "ada"]).ended(2).says(&["chmod 600"]);
        let words = ["gateway", "--http", "127.0.0.1:0", "--internal", "127.0.0.1:0", "--state", "state"];
        run(folder, &words).ended(2).says(&["chmod 600"]);
    }
}

#[test]
fn access_tokens_of_issuers_are_mapped_by_rules() {
    let scratch = scratch();
    let folder = scratch.path();
    config(folder, &["desk", "help"]);
    let login = AuthorizationServer::start();
    let write = |rules: Value| {
        let issuers = json!({"issuers": [{"issuer": login.issuer(), "rules": rules}]});
        std::fs::write(folder.join("issuers.json"), issuers.to_string()).unwrap();
    };
    write(json!([{"claim": "groups", "value": "ops", "servers": ["desk"]}]));
    let gateway = Running::start(folder, &["--config", "mcp.json", "--oauth", "issuers.json"]);
    let token = |claim: &str| {
        login.sign(login.token().claim("aud", gateway.url.as_str()).claim("groups", json!([claim])))
    };
    let seen = names(folder, &gateway.url, &token("ops"));
    assert!(!seen.is_empty() && seen.iter().all(|name| name.starts_with("desk__")), "{seen:?}");
    assert!(names(folder, &gateway.url, &token("dev")).is_empty(), "no rule matches");
    list(folder, &gateway.url, &login.sign(login.token())).ended(3).says(&["401", "audience"]);

    write(json!([{"claim": "groups", "value": "dev", "tools": ["help__help"]}]));
    until("the rules are applied", || names(folder, &gateway.url, &token("dev")) == ["help__help"]);
    assert!(names(folder, &gateway.url, &token("ops")).is_empty());
    // An invalid file changes nothing.
    write(json!([{"claim": "groups", "value": "ops"}]));
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(names(folder, &gateway.url, &token("dev")), ["help__help"]);

    let down = AuthorizationServer::start();
    down.set_mood(Mood::Failing(500));
    let issuers = json!({"issuers": [{"issuer": down.issuer(), "rules": []}]});
    std::fs::write(folder.join("issuers.json"), issuers.to_string()).unwrap();
    let unverified = down.sign(down.token().claim("aud", gateway.url.as_str()));
    until("the issuer is known", || list(folder, &gateway.url, &unverified).code == 4);
    list(folder, &gateway.url, &unverified).ended(4).says(&["keys of the issuer cannot be fetched"]);
}

#[test]
fn invalid_files_of_issuers_are_usage_errors() {
    let scratch = scratch();
    let folder = scratch.path();
    let start = |words: &[&str]| {
        let gateway = ["gateway", "--http", "127.0.0.1:0", "--internal", "127.0.0.1:0"];
        run(folder, &[&gateway[..], words].concat())
    };
    std::fs::write(folder.join("issuers.json"), r#"{"issuers":[{"issuer":"https://a.example"}]}"#).unwrap();
    start(&["--state", "state", "--oauth", "issuers.json"]).ended(2).says(&["issuers.json", "`rules`"]);
    start(&["--state", "state", "--oauth", "missing.json"]).ended(2).says(&["missing.json"]);
    start(&["--oauth", "issuers.json"]).ended(2).says(&["--state"]);
}
