//! The commands of docs/gateway.md, as written: only addresses are replaced by free ones, and `cargo` runs what is built.

use crate::stage::{Stage, section, sections, start_redis};

/// The sections with commands; those of a line are one session.
const SESSIONS: [&[&str]; 9] = [
    &["Pins"],
    &["Policy", "Audit"],
    &["Operation"],
    &["Workflows"],
    &["Session tokens", "API keys"],
    &["A workflow, step by step", "Runs"],
    &["The same on Redis"],
    &["Sealed credentials"],
    &["Deployment"],
];

/// Runs the session that begins with a section.
async fn check(title: &str, needs_redis: bool) {
    let stage = Stage::new();
    let append_only = ["--appendonly", "yes"].map(str::to_owned);
    let redis = needs_redis.then(|| start_redis(stage.folder(), stage.ports[2], &append_only));
    let titles = SESSIONS.iter().find(|titles| titles[0] == title).unwrap();
    let text: String = titles.iter().map(|title| section(title)).collect();
    stage.session().check(&text);
    drop(redis);
    stage.assert_gone().await;
}

#[test]
fn every_section_with_commands_is_run() {
    for (title, text) in sections() {
        let is_run = SESSIONS.iter().any(|titles| titles.contains(&title));
        assert!(is_run || !text.contains("```console\n"), "{title} has commands that no test runs");
        let others = text.split("```").skip(1).step_by(2).filter(|block| !block.starts_with("console\n"));
        for block in others {
            assert!(!block.lines().any(|line| line.starts_with("$ ")), "{title}: use `console`:\n{block}");
        }
    }
}

#[tokio::test]
async fn tools_are_pinned_as_written() {
    check("Pins", false).await;
}

#[tokio::test]
async fn a_policy_and_an_audit_are_used_as_written() {
    check("Policy", false).await;
}

#[tokio::test]
async fn a_gateway_is_operated_as_written() {
    check("Operation", true).await;
}

#[tokio::test]
async fn a_workflow_is_compiled_as_written() {
    check("Workflows", false).await;
}

#[tokio::test]
async fn tokens_are_made_and_keys_rotated_as_written() {
    check("Session tokens", false).await;
}

#[tokio::test]
async fn a_workflow_runs_in_memory_as_written() {
    check("A workflow, step by step", false).await;
}

#[tokio::test]
async fn a_workflow_runs_on_redis_as_written() {
    check("The same on Redis", false).await;
}

#[tokio::test]
async fn credentials_are_sealed_as_written() {
    check("Sealed credentials", true).await;
}
