use serde_json::{Value, json};

use super::{IntoResourceResult, Resource, ResourceTemplate, TemplateError, UriTemplate, check_uri};
use crate::protocol::{Icon, Revision};
use crate::request::RequestErrorKind;

#[test]
fn each_revision_has_its_own_members() {
    let icon = Icon::new("data:,");
    let resource =
        Resource::new("a://b", "b").title("B").description("The b.").mime_type("text/plain").size(3);
    let resource = resource.icon(icon.clone());
    let template = ResourceTemplate::new("a://{b}", "b").title("B").description("The b.").icon(icon);
    for revision in Revision::ALL {
        let resource = serde_json::to_value(resource.for_revision(revision)).expect("JSON");
        let template = serde_json::to_value(template.for_revision(revision)).expect("JSON");
        assert_eq!((&resource["uri"], &template["uriTemplate"]), (&json!("a://b"), &json!("a://{b}")));
        assert_eq!(resource["size"], 3);
        for shown in [resource, template] {
            assert_eq!(shown["description"], "The b.");
            assert_eq!(shown.get("icons").is_some(), revision >= Revision::V2025_11_25, "{revision}");
            assert_eq!(shown.get("title").is_some(), revision >= Revision::V2025_06_18, "{revision}");
        }
    }
}

#[test]
fn texts_bytes_and_options_are_contents() {
    let read = |contents: &dyn Fn() -> Result<super::ResourceResult, crate::request::RequestError>| {
        contents().map(|result| serde_json::to_value(&result.contents).expect("JSON"))
    };
    assert_eq!(
        read(&|| "hello".into_resource_result("a://b", Some("text/plain"))),
        Ok(json!([{"uri": "a://b", "mimeType": "text/plain", "text": "hello"}]))
    );
    assert_eq!(
        read(&|| vec![1_u8, 2, 3].into_resource_result("a://b", None)),
        Ok(json!([{"uri": "a://b", "blob": "AQID"}]))
    );
    let nothing = None::<String>.into_resource_result("a://b", None).expect_err("nothing is there");
    assert_eq!(nothing.kind(), RequestErrorKind::NotFound);
    let failed = Err::<String, _>(std::fmt::Error).into_resource_result("a://b", None);
    assert_eq!(failed.expect_err("failed").kind(), RequestErrorKind::Failed);
}

fn matched(template: &str, uri: &str) -> Option<Value> {
    let template = UriTemplate::parse(template).expect("a template");
    let values = template.matches(uri)?;
    Some(values.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value))).collect())
}

#[test]
fn variables_take_one_part_of_the_address() {
    let template = "test://template/{id}/data";
    assert_eq!(matched(template, "test://template/123/data"), Some(json!({"id": "123"})));
    assert_eq!(matched(template, "test://template/a%20b%2Fc/data"), Some(json!({"id": "a b/c"})));
    for other in [
        "test://template//data",
        "test://template/1/2/data",
        "test://template/1/data/",
        "test://template/1/datum",
        "test://template/1?x/data",
        "test://template/%zz/data",
        "test://template/%ff/data",
        "test://template/%2",
        "test://other/1/data",
        "",
    ] {
        assert_eq!(matched(template, other), None, "{other}");
    }
    assert_eq!(matched("a://{name}.{end}", "a://x.tar.gz"), Some(json!({"name": "x", "end": "tar.gz"})));
    assert_eq!(matched("a://{x}aa{y}", "a://aaab"), Some(json!({"x": "a", "y": "b"})));
    assert_eq!(matched("a://{x}-{y}-z", "a://1-2-z-z"), Some(json!({"x": "1", "y": "2-z"})));
    assert_eq!(matched("a://fixed", "a://fixed"), Some(json!({})));
    assert_eq!(matched("a://fixed", "a://fixed2"), None);
    assert_eq!(matched("a://{x}", "a://é"), Some(json!({"x": "é"})));
}

proptest::proptest! {
    /// Values that a client expands into a template by RFC 6570 are extracted unchanged.
    #[test]
    fn values_come_back_as_they_were(x in ".+", y in ".+") {
        let encoded = |value: &str| -> String {
            value
                .bytes()
                .map(|byte| match byte {
                    b'a'..=b'z' | b'0'..=b'9' => char::from(byte).to_string(),
                    _ => format!("%{byte:02X}"),
                })
                .collect()
        };
        let uri = format!("a://{}/-/{}.z", encoded(&x), encoded(&y));
        let template = "a://{x}/-/{y}.z";
        proptest::prop_assert_eq!(matched(template, &uri), Some(json!({"x": x, "y": y})));
        let parsed = UriTemplate::parse(template).expect("a template");
        let expanded = parsed.expand(|name| Some(if name == "x" { &x } else { &y })).expect("both have values");
        proptest::prop_assert_eq!(matched(template, &expanded), Some(json!({"x": x, "y": y})));
    }

    #[test]
    fn any_string_matches_without_panic(uri in "(a://)?[a/%é?.-]{0,12}") {
        if let Some(values) = matched("a://{x}-{y}.", &uri) {
            proptest::prop_assert!(values.as_object().is_some_and(|values| values.len() == 2));
        }
    }
}

#[test]
fn invalid_templates_are_rejected() {
    for (template, error) in [
        ("orders/{id}", TemplateError::Scheme),
        ("{scheme}://orders", TemplateError::Scheme),
        ("a://{id", TemplateError::Brace),
        ("a://id}", TemplateError::Brace),
        ("a://{+path}", TemplateError::Variable("+path".to_owned())),
        ("a://{a,b}", TemplateError::Variable("a,b".to_owned())),
        ("a://{}", TemplateError::Variable(String::new())),
        ("a://{a}{b}", TemplateError::Adjacent("b".to_owned())),
        ("a://{a}/{a}", TemplateError::DuplicateVariable("a".to_owned())),
        ("a://b c", TemplateError::Character(' ')),
    ] {
        assert_eq!(UriTemplate::parse(template), Err(error), "{template}");
    }
    assert_eq!(check_uri("file:///a%20b"), Ok(()));
    assert_eq!(check_uri("no address"), Err(TemplateError::Scheme));
    assert_eq!(check_uri("a://{b}"), Err(TemplateError::Character('{')));
    let template = "shop://orders/{id}/lines/{line}";
    assert_eq!(UriTemplate::parse(template).expect("a template").to_string(), template);
}
