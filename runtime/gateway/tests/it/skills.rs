//! Skills of servers behind (extension `io.modelcontextprotocol/skills`, SEP-2640), and other extensions.

use serde_json::{Value, json};
use toolwright_client::{Client, ListedSkill};
use toolwright_core::protocol::Revision;
use toolwright_gateway::{Controlled, Controls, Gateway, Proxy};
use toolwright_server::auth::Access;
use toolwright_server::{Provider, Server, Service, Skill, Skills};

use crate::many::{gateway, spec};
use crate::shop::{client, listen, until};

const SKILLS: &str = "io.modelcontextprotocol/skills";

fn skill(name: &str, text: &str) -> Skill {
    let head = format!("---\nname: {name}\ndescription: How we {name}.\n---\n{text}\n");
    Skill::new(format!("acme/{name}"), head).file("letters/sorry.md", "Sorry.")
}

fn with_skills(skills: Skills) -> Service {
    Server::new(()).name("behind").skills(skills).build().unwrap()
}

fn names(skills: &[ListedSkill]) -> Vec<&str> {
    skills.iter().map(ListedSkill::name).collect()
}

async fn read_directory(client: &Client, uri: &str) -> Value {
    let page = client.request("resources/directory/read", json!({"uri": uri})).await.unwrap();
    serde_json::from_str(page.get()).unwrap()
}

#[tokio::test]
async fn skills_of_a_server_are_those_of_its_proxy() {
    let revisions = [Revision::NEWEST, Revision::NEWEST_LEGACY];
    for (behind, before) in revisions.into_iter().flat_map(|one| revisions.map(|other| (one, other))) {
        let what = format!("{before} in front of {behind}");
        let service = with_skills(Skills::new().skill(skill("refund", "Ask first.")));
        let builder = Client::builder().revision(behind).relay_input_requests();
        let proxy = Proxy::new(client(&service, builder).await).await.unwrap();
        let controlled = Controlled::new(proxy, &Controls::new());
        let own = Skills::new().skill(skill("greet", "Politely."));
        // A server with skills of its own, in another one.
        let inner = Server::new(()).provider(controlled).skills(own).build().unwrap();
        let front = Server::new(()).provider(inner).build().unwrap();
        let client = client(&front, Client::builder().revision(before)).await;
        assert!(client.server().await.unwrap().has_extension(SKILLS), "{what}");
        let listed = client.list_skills().await.unwrap();
        assert_eq!(names(&listed), ["greet", "refund"], "{what}");
        let refund = &listed[1];
        // Size, digest and frontmatter are verified.
        assert!(client.read_skill(refund).await.unwrap().ends_with("Ask first.\n"), "{what}");
        let letter = "skill://acme/refund/letters/sorry.md";
        assert_eq!(client.read_skill_file(refund, letter).await.unwrap(), b"Sorry.", "{what}");
        let one = client.request("skills/get", json!({"uri": refund.uri})).await.unwrap();
        let one: Value = serde_json::from_str(one.get()).unwrap();
        assert_eq!(one["skill"]["frontmatter"]["name"], "refund", "{what}: {one}");
        for (name, file) in [("refund", "SKILL.md"), ("greet", "SKILL.md")] {
            let page = read_directory(&client, &format!("skill://acme/{name}")).await;
            let found = page["resources"]
                .as_array()
                .unwrap()
                .iter()
                .any(|entry| entry["uri"] == json!(format!("skill://acme/{name}/{file}")));
            assert!(found, "{what}: {page}");
        }
        for (method, uri) in
            [("skills/get", "skill://acme/none/SKILL.md"), ("resources/directory/read", "skill://none")]
        {
            let missing = client.request(method, json!({"uri": uri})).await.unwrap_err();
            assert_eq!(missing.rpc().unwrap().code, -32602, "{what}: {missing}");
        }
    }
}

#[tokio::test]
async fn skills_are_declared_while_a_server_has_any() {
    let service = with_skills(Skills::new().skill(skill("refund", "Ask first.")));
    let listening = listen(service.clone());
    let gateway: Gateway = gateway([]).await;
    let front = Server::new(()).provider(gateway.clone()).build().unwrap();
    let before = client(&front, Client::builder()).await;
    assert!(!before.server().await.unwrap().has_extension(SKILLS));
    assert_eq!(before.request("skills/list", ()).await.unwrap_err().rpc().unwrap().code, -32601);
    gateway.apply([spec("red", &listening.url)], |_| Client::builder()).unwrap();
    until("the server is connected", || gateway.capabilities().skills).await;
    until("its skills are listed", || !gateway.skills(&Access::Trusted).is_empty()).await;
    let after = client(&front, Client::builder()).await;
    assert!(after.server().await.unwrap().has_extension(SKILLS));
    assert_eq!(names(&after.list_skills().await.unwrap()), ["refund"]);
    let page = read_directory(&after, "skill://acme/refund").await;
    assert_eq!(page["resources"].as_array().unwrap().len(), 2, "{page}");

    // Changes are those of resources.
    service.replace_skills(Skills::new().skill(skill("repair", "Quickly."))).unwrap();
    let is_new = || {
        let skills = gateway.skills(&Access::Trusted);
        skills.iter().any(|skill| skill.uri().contains("repair"))
    };
    until("the change is seen", is_new).await;
    assert_eq!(names(&after.list_skills().await.unwrap()), ["repair"]);

    gateway.apply([], |_| Client::builder()).unwrap();
    let without = client(&front, Client::builder()).await;
    assert!(!without.server().await.unwrap().has_extension(SKILLS));
}
