//! Skills: listing, reading and validation (SEP-2640, extension `io.modelcontextprotocol/skills`).

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use test_protocol::raw::{RawClient, RawError};
use toolwright::{
    BuildError, Limits, Resource, Revision, Server, Service,
    skills::{Skill, Skills},
};

const ID: &str = "io.modelcontextprotocol/skills";

/// The digest of `abc` (FIPS 180-2, appendix B.1).
const ABC: &str = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

fn head(name: &str) -> String {
    format!("---\nname: {name}\ndescription: About {name}.\n---\n")
}

fn server() -> Server<()> {
    Server::new(())
}

fn service(skills: Skills) -> Service {
    server().skills(skills).build().expect("a service")
}

/// Two skills, one of which contains a folder of files and another skill.
fn two() -> Skills {
    let refunds = Skill::new("acme/refunds", head("refunds"))
        .file("letters/sorry.md", "abc")
        .file("logo.png", b"\x89PNG\xff".to_vec())
        .file("letters/formal/SKILL.md", head("formal"));
    Skills::new().skill(refunds).skill(Skill::new("notes", head("notes")))
}

async fn error_of(client: &RawClient, method: &str, params: Value) -> i32 {
    match client.request(method, params).await {
        Err(RawError::Rpc(error)) => error.code,
        other => panic!("no error: {other:?}"),
    }
}

fn uris(list: &Value) -> Vec<&str> {
    let list = list.as_array().expect("a list");
    list.iter().map(|entry| entry["uri"].as_str().expect("an address")).collect()
}

#[tokio::test]
async fn skills_are_listed_with_their_files_in_both_eras() {
    let service = service(two());
    for revision in [Revision::V2024_11_05, Revision::NEWEST_LEGACY, Revision::NEWEST] {
        let client = RawClient::in_process_at(&service, revision).await.expect("a client");
        let list = client.request("skills/list", json!({})).await.expect("a list");
        let skills = &list["skills"];
        assert_eq!(
            uris(skills),
            [
                "skill://acme/refunds/SKILL.md",
                "skill://acme/refunds/letters/formal/SKILL.md",
                "skill://notes/SKILL.md"
            ]
        );
        let refunds = &skills[0];
        assert_eq!(refunds["frontmatter"], json!({"name": "refunds", "description": "About refunds."}));
        assert_eq!(
            uris(&refunds["resources"]),
            [
                "skill://acme/refunds/SKILL.md",
                "skill://acme/refunds/letters/formal/SKILL.md",
                "skill://acme/refunds/letters/sorry.md",
                "skill://acme/refunds/logo.png"
            ],
            "the files of the inner skill as well"
        );
        assert_eq!(
            refunds["resources"][2],
            json!({"uri": "skill://acme/refunds/letters/sorry.md", "digest": ABC, "size": 3})
        );
        let got = client.request("skills/get", json!({"uri": refunds["uri"]})).await.expect("a skill");
        assert_eq!(got["skill"], *refunds);
        for result in [&list, &got] {
            for member in ["resultType", "ttlMs", "cacheScope"] {
                assert_eq!(result.get(member).is_some(), revision.is_modern(), "{revision} {member}");
            }
        }
    }
}

#[tokio::test]
async fn each_file_is_a_resource() {
    let service = service(two());
    let client = RawClient::in_process(&service);
    let list = client.request("resources/list", json!({})).await.expect("a list");
    let entry = list["resources"].as_array().expect("a list").iter().find(|entry| entry["name"] == "refunds");
    let entry = entry.expect("the name of the skill");
    assert_eq!(
        (&entry["mimeType"], &entry["description"]),
        (&json!("text/markdown"), &json!("About refunds."))
    );
    for (file, expected) in [
        ("acme/refunds/letters/sorry.md", json!({"mimeType": "text/markdown", "text": "abc"})),
        ("acme/refunds/logo.png", json!({"mimeType": "image/png", "blob": "iVBOR/8="})),
        ("notes/SKILL.md", json!({"mimeType": "text/markdown", "text": head("notes")})),
    ] {
        let uri = format!("skill://{file}");
        let read = client.request("resources/read", json!({"uri": uri})).await.expect("contents");
        let mut expected = expected;
        expected["uri"] = uri.into();
        assert_eq!(read["contents"], json!([expected]));
        assert_eq!((&read["ttlMs"], &read["cacheScope"]), (&json!(300_000), &json!("public")));
    }
}

#[tokio::test]
async fn directories_list_their_contents() {
    let service = service(two());
    let client = RawClient::in_process(&service);
    for (directory, expected) in [
        ("acme", vec!["skill://acme/refunds"]),
        (
            "acme/refunds",
            vec![
                "skill://acme/refunds/SKILL.md",
                "skill://acme/refunds/letters",
                "skill://acme/refunds/logo.png",
            ],
        ),
        ("acme/refunds/letters/formal", vec!["skill://acme/refunds/letters/formal/SKILL.md"]),
    ] {
        let uri = format!("skill://{directory}");
        let read = client.request("resources/directory/read", json!({"uri": uri})).await.expect("children");
        assert_eq!(uris(&read["resources"]), expected);
        for child in read["resources"].as_array().expect("a list") {
            let is_directory = child["mimeType"] == "inode/directory";
            let name = child["uri"].as_str().expect("an address").rsplit('/').next().expect("a name");
            assert_eq!(is_directory, !name.contains('.'), "{child}");
        }
    }
    for no_directory in ["skill://", "skill://acme/", "skill://nobody", "skill://notes/SKILL.md", "notes", ""]
    {
        let params = json!({"uri": no_directory});
        assert_eq!(error_of(&client, "resources/directory/read", params).await, -32602, "{no_directory}");
    }
}

#[tokio::test]
async fn lists_are_paginated() {
    let limits = Limits { list_page_size: 1, ..Limits::default() };
    let service = server().skills(two()).limits(limits).build().expect("a service");
    let client = RawClient::in_process(&service);
    for (method, params, member, count) in [
        ("skills/list", json!({}), "skills", 3),
        ("resources/directory/read", json!({"uri": "skill://acme/refunds"}), "resources", 3),
    ] {
        let (mut seen, mut params) = (Vec::new(), params);
        loop {
            let page = client.request(method, params.clone()).await.expect("a page");
            assert_eq!(page[member].as_array().map(Vec::len), Some(1));
            seen.push(page[member][0]["uri"].clone());
            let Some(cursor) = page.get("nextCursor") else { break };
            params["cursor"] = cursor.clone();
        }
        assert_eq!(seen.len(), count, "{seen:?}");
        let first = client.request(method, json!({"uri": params["uri"]})).await.expect("a page");
        for cursor in [json!("nonsense"), json!("10")] {
            params["cursor"] = cursor;
            assert_eq!(error_of(&client, method, params.clone()).await, -32602);
        }
        let elsewhere = json!({"cursor": first["nextCursor"], "uri": "skill://acme"});
        for other in ["tools/list", "resources/list", "resources/directory/read"] {
            assert_eq!(error_of(&client, other, elsewhere.clone()).await, -32602, "{method} to {other}");
        }
    }
}

#[tokio::test]
async fn unknown_skills_are_not_found() {
    let service = service(two());
    for revision in [Revision::NEWEST_LEGACY, Revision::NEWEST] {
        let client = RawClient::in_process_at(&service, revision).await.expect("a client");
        for uri in [
            json!("skill://nobody/SKILL.md"),
            json!("skill://acme/refunds"),
            json!(""),
            json!(1),
            json!(null),
        ] {
            assert_eq!(error_of(&client, "skills/get", json!({"uri": uri})).await, -32602, "{uri}");
        }
        assert_eq!(error_of(&client, "skills/get", json!({})).await, -32602);
    }
}

#[tokio::test]
async fn a_server_declares_the_extensions_that_it_has() {
    let with = server().skills(Skills::new()).extension("com.example/extra", json!({"level": 2}));
    let with = with.build().expect("a service");
    let without = server().build().expect("a service");
    let expected = json!({ID: {"directoryRead": true}, "com.example/extra": {"level": 2}});
    for (service, expected) in [(&with, Some(&expected)), (&without, None)] {
        let client = RawClient::in_process(service);
        let modern = client.request("server/discover", json!({})).await.expect("an answer");
        assert_eq!(modern["capabilities"].get("extensions"), expected);
        let legacy = RawClient::in_process_at(service, Revision::NEWEST_LEGACY).await.expect("a client");
        if expected.is_none() {
            for client in [&client, &legacy] {
                for method in ["skills/list", "skills/get", "resources/directory/read"] {
                    assert_eq!(
                        error_of(client, method, json!({"uri": "skill://a"})).await,
                        -32601,
                        "{method}"
                    );
                }
            }
            continue;
        }
        assert!(modern["capabilities"].get("resources").is_some(), "skills are resources");
        let list = legacy.request("skills/list", json!({})).await.expect("a list");
        assert_eq!(list, json!({"skills": []}));
    }
}

#[test]
fn invalid_extension_declarations_are_rejected() {
    for (identifier, settings, why) in [
        ("extra", json!({}), "a reversed domain"),
        ("com.example/extra", json!(true), "must be an object"),
        (ID, json!({}), "declares it automatically"),
    ] {
        let error = server().extension(identifier, settings).build().expect_err(identifier);
        assert!(error.to_string().contains(why), "{error}");
    }
    let twice = server().extension("a/b", json!({})).extension("a/b", json!({})).build();
    assert!(twice.expect_err("declared twice").to_string().contains("twice"));
}

#[test]
fn invalid_skills_are_rejected() {
    let one = |path: &str, skill_md: &str| Skills::new().skill(Skill::new(path, skill_md));
    let with = |file: &str| Skills::new().skill(Skill::new("a", head("a")).file(file, ""));
    let many =
        (0..512).fold(Skill::new("a", head("a")), |skill, number| skill.file(format!("{number}.md"), "x"));
    for (skills, why) in [
        (one("a", "no head"), "must begin with YAML"),
        (one("a", "---\nname: a\n---\n"), "needs `description`"),
        (one("a", "---\nname: a\ndescription: b: c\n---\n"), "line 3"),
        (one("a", &head("b")), "a skill has the name of its folder"),
        (one("A", &head("A")), "not a valid skill name"),
        (one("a--b", &head("a--b")), "not a valid skill name"),
        (one("../a", &head("a")), "none of which is `.` or `..`"),
        (one("/a", &head("a")), "single `/`"),
        (one("", &head("a")), "single `/`"),
        (with("../../secret"), "none of which is `.` or `..`"),
        (with("/etc/passwd"), "single `/`"),
        (with("a\\b"), "or `\\`"),
        (with("SKILL.md"), "the same path"),
        (with("SKILL.md/more"), "a file and a folder"),
        (with("inner/SKILL.md"), "must begin with YAML"),
        (two().skill(Skill::new("notes", head("notes"))), "the same path"),
        (Skills::new().skill(many), "513 files; a skill may have at most 512"),
        (Skills::new().skill(Skill::new("a", head("a")).file("b", vec![0; 16 << 20])), "at most 16777216"),
        (
            Skills::new().skill(Skill::new("a", head("a")).file("b", vec![0; (16 << 20) + 1])),
            "at most 16777216",
        ),
        (Skills::new().skill(Skill::new("a", [head("a").as_bytes(), b"\xff"].concat())), "not valid UTF-8"),
    ] {
        let error = server().skills(skills).build().expect_err(why);
        assert!(matches!(error, BuildError::Feature { .. }), "{error:?}");
        assert!(error.to_string().contains(why), "{error}");
    }
    let most =
        (0..511).fold(Skill::new("a", head("a")), |skill, number| skill.file(format!("{number}.md"), "x"));
    let _ = service(Skills::new().skill(most));
}

#[test]
fn all_skills_together_have_a_limit() {
    let limits = Limits { max_skill_bytes: 100, ..Limits::default() };
    let skills = Skills::new()
        .skill(Skill::new("a", head("a")))
        .skill(Skill::new("b", head("b")).file("c", vec![0; 50]));
    let error = server().limits(limits).skills(skills).build().expect_err("more than 100 bytes");
    assert!(error.to_string().contains("max_skill_bytes"), "{error}");
}

#[test]
fn an_address_belongs_to_a_skill_or_to_a_resource() {
    let clash =
        server().skills(two()).resource(Resource::new("skill://notes/SKILL.md", "mine"), async || "x");
    assert!(clash.build().is_err());
}

fn write(folder: &Path, file: &str, contents: impl AsRef<[u8]>) {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, contents).expect("a file");
}

fn folder() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    write(folder.path(), "notes/SKILL.md", head("notes"));
    write(folder.path(), "acme/refunds/SKILL.md", head("refunds"));
    write(folder.path(), "acme/refunds/a file.md", "abc");
    write(folder.path(), "acme/refunds/.env", "SECRET=1");
    write(folder.path(), "acme/refunds/.git/config", "x");
    write(folder.path(), "acme/README.md", "not of a skill");
    folder
}

async fn files_of(skills: Skills) -> Vec<String> {
    let client = RawClient::in_process(&service(skills));
    let list = client.request("resources/list", json!({})).await.expect("a list");
    uris(&list["resources"]).into_iter().map(|uri| uri.trim_start_matches("skill://").to_owned()).collect()
}

#[tokio::test]
async fn hidden_files_and_files_outside_skills_are_not_read() {
    let folder = folder();
    let found = files_of(Skills::from_dir(folder.path())).await;
    assert_eq!(found, ["acme/refunds/SKILL.md", "acme/refunds/a%20file.md", "notes/SKILL.md"]);
    let more = Skills::from_dir(folder.path()).skill(Skill::new("more", head("more")));
    assert_eq!(files_of(more).await.len(), 4);
}

#[cfg(unix)]
#[tokio::test]
async fn links_are_followed_within_the_folder_only() {
    use std::os::unix::fs::symlink;

    let folder = folder();
    let notes = folder.path().join("notes");
    symlink("../acme/refunds/a file.md", notes.join("shared.md")).expect("a link");
    let found = files_of(Skills::from_dir(folder.path())).await;
    assert!(found.contains(&"notes/shared.md".to_owned()), "{found:?}");

    let elsewhere = TempDir::new().expect("a folder");
    write(elsewhere.path(), "secret", "x");
    for (target, why) in [
        (elsewhere.path().join("secret"), "points outside of the folder"),
        (elsewhere.path().to_owned(), "points outside of the folder"),
        (folder.path().join("nothing"), "No such file"),
        (folder.path().join("notes"), "links form a cycle"),
        (folder.path().join("notes/loop"), "Too many levels"),
    ] {
        let link = notes.join("loop");
        symlink(&target, &link).expect("a link");
        let error = server().skills(Skills::from_dir(folder.path())).build().expect_err(why).to_string();
        assert!(error.contains(why) && error.contains("notes/loop"), "{error}");
        fs::remove_file(link).expect("a link");
    }
}

#[cfg(unix)]
#[test]
fn special_files_are_rejected_without_blocking() {
    let folder = folder();
    let pipe = folder.path().join("notes/pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let error = server().skills(Skills::from_dir(folder.path())).build().expect_err("a pipe").to_string();
    assert!(error.contains("it is not a regular file") && error.contains("notes/pipe"), "{error}");
}

#[test]
fn an_unreadable_folder_is_named_in_the_error() {
    let folder = folder();
    for (path, why) in [
        (folder.path().join("nowhere"), "No such file"),
        (folder.path().join("notes/SKILL.md"), "it is not a folder"),
        (folder.path().join("notes"), "use its parent folder"),
    ] {
        let error = server().skills(Skills::from_dir(&path)).build().expect_err(why).to_string();
        assert!(error.contains(why) && error.contains(path.to_str().expect("a string")), "{error}");
    }
}

#[tokio::test]
async fn skills_are_replaced_while_the_server_runs() {
    let service = server()
        .skills(two())
        .resource(Resource::new("shop://orders", "orders"), async || "x")
        .build()
        .expect("a service");
    let client = RawClient::in_process_at(&service, Revision::NEWEST_LEGACY).await.expect("a client");
    let list = client.request("skills/list", json!({})).await.expect("a list");
    let old = list["skills"][2].clone();

    let changed = Skill::new("notes", head("notes") + "More.\n");
    service.replace_skills(Skills::new().skill(changed)).expect("they can be served");
    let word = client.next_notification().await.expect("a notification");
    assert_eq!(word["method"], "notifications/resources/list_changed");
    let list = client.request("skills/list", json!({})).await.expect("a list");
    assert_eq!(uris(&list["skills"]), ["skill://notes/SKILL.md"]);
    assert_ne!(list["skills"][0]["resources"], old["resources"], "another digest");
    let resources = client.request("resources/list", json!({})).await.expect("a list");
    assert_eq!(uris(&resources["resources"]), ["shop://orders", "skill://notes/SKILL.md"]);

    let clash = Skills::new().skill(Skill::new("notes", "no head"));
    assert!(service.replace_skills(clash).is_err());
    assert_eq!(client.request("skills/list", json!({})).await.expect("a list"), list, "the old ones stay");

    let without = server().build().expect("a service");
    let error = without.replace_skills(two()).expect_err("clients were told so");
    assert!(error.to_string().contains("Server::skills"), "{error}");
}
