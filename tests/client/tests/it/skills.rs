//! Skills of servers, and skills that do not match the list.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use toolwright::{
    Revision, Server,
    skills::{Skill, Skills},
    transport::Lines,
};
use toolwright_client::{Client, ErrorKind};

const TEXT: &str = "---\nname: pdf\ndescription: Reads PDF files.\n---\nRead `forms.md` first.\n";

#[tokio::test]
async fn skills_are_listed_and_read() {
    let skill = Skill::new("pdf", TEXT).file("forms.md", "Forms have fields.");
    let service = Server::new(()).skills(Skills::new().skill(skill)).build().unwrap();
    let (client_end, server_end) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(server_end);
    tokio::spawn(async move { service.serve(Lines::new(reader, writer)).await });
    let (reader, writer) = tokio::io::split(client_end);
    let client = Client::builder().connect_streams("here", reader, writer).await.unwrap();

    let skills = client.list_skills().await.unwrap();
    assert_eq!((skills.len(), skills[0].name(), skills[0].description()), (1, "pdf", "Reads PDF files."));
    assert_eq!(client.read_skill(&skills[0]).await.unwrap(), TEXT);
    let forms = skills[0].uri.replace("SKILL.md", "forms.md");
    assert_eq!(client.read_skill_file(&skills[0], &forms).await.unwrap(), b"Forms have fields.");
    let other = client.read_skill_file(&skills[0], "file:///etc/passwd").await.unwrap_err();
    super::check(&other, ErrorKind::Protocol, &["has no file file:///etc/passwd"]);
}

/// Connects to a server that lists one skill and returns `text` for it; also returns the methods that the server received.
async fn connect_tampering(listed: Value, text: &'static str) -> (Client, Arc<Mutex<Vec<String>>>) {
    let (client_end, server_end) = tokio::io::duplex(1 << 16);
    let methods = Arc::new(Mutex::new(Vec::new()));
    let received = Arc::clone(&methods);
    tokio::spawn(async move {
        let (reader, mut writer) = tokio::io::split(server_end);
        let mut lines = BufReader::new(reader).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let request: Value = serde_json::from_str(&line).unwrap();
            let method = request["method"].as_str().unwrap_or_default();
            received.lock().unwrap().push(method.to_owned());
            let result = match method {
                "server/discover" => json!({"resultType": "complete", "supportedVersions": ["2026-07-28"],
                    "capabilities": {"resources": {}, "extensions": {"io.modelcontextprotocol/skills": {}}}}),
                "skills/list" => json!({"resultType": "complete", "skills": [listed]}),
                _ => json!({"resultType": "complete",
                    "contents": [{"uri": request["params"]["uri"], "text": text}]}),
            };
            let response =
                json!({"jsonrpc": "2.0", "id": request["id"], "result": result}).to_string() + "\n";
            writer.write_all(response.as_bytes()).await.unwrap();
        }
    });
    let (reader, writer) = tokio::io::split(client_end);
    let builder = Client::builder().revision(Revision::NEWEST);
    (builder.connect_streams("here", reader, writer).await.unwrap(), methods)
}

/// Returns a list entry for [`TEXT`] with changed members.
fn entry(changes: &Value) -> Value {
    let uri = "skill://pdf/SKILL.md";
    let digest = "sha256:90e3f3ea0ffbd8e0cbe9f4d10e8af9ee1d3a53f6a33ba0dab6bfa1f7b3d4e3c1";
    let mut file = json!({"uri": uri, "digest": digest, "size": TEXT.len()});
    let mut frontmatter = json!({"name": "pdf", "description": "Reads PDF files."});
    for (name, value) in changes.as_object().unwrap() {
        if frontmatter.get(name).is_some() {
            frontmatter[name] = value.clone();
        } else {
            file[name] = value.clone();
        }
    }
    json!({"uri": uri, "frontmatter": frontmatter, "resources": [file]})
}

#[tokio::test]
async fn a_skill_that_does_not_match_the_list_is_rejected() {
    for (changes, part) in [
        (json!({"size": 7}), "bytes, but 7 were listed"),
        (json!({}), "has a different digest"),
        (json!({"digest": "md5:0"}), "has a different digest"),
    ] {
        let (client, methods) = connect_tampering(entry(&changes), TEXT).await;
        let skills = client.list_skills().await.unwrap();
        assert_eq!(
            *methods.lock().unwrap(),
            ["server/discover", "skills/list"],
            "nothing is read in advance"
        );
        let error = client.read_skill(&skills[0]).await.unwrap_err();
        super::check(&error, ErrorKind::Protocol, &["`pdf`", part, "do not use the skill"]);
    }
    let mut dynamic = entry(&json!({"description": "Harmless."}));
    dynamic["resources"] = json!("dynamic");
    let (client, _) = connect_tampering(dynamic, TEXT).await;
    let skills = client.list_skills().await.unwrap();
    let error = client.read_skill(&skills[0]).await.unwrap_err();
    super::check(&error, ErrorKind::Protocol, &["a different frontmatter", "do not use the skill"]);
}

#[tokio::test]
async fn a_server_without_skills_gets_no_request_for_them() {
    let service = Server::new(()).build().unwrap();
    let (client_end, server_end) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(server_end);
    tokio::spawn(async move { service.serve(Lines::new(reader, writer)).await });
    let (reader, writer) = tokio::io::split(client_end);
    let client = Client::builder().connect_streams("here", reader, writer).await.unwrap();
    assert!(client.list_skills().await.unwrap().is_empty());
}
