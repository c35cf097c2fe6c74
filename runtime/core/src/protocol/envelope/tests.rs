use super::{Envelope, EnvelopeMeta, MessageFault, RequestId};
use crate::protocol::id::{string, trimmed};
use crate::protocol::meta;

#[test]
fn malformed_input_is_distinguished() {
    let cases: &[(&str, MessageFault, Option<&str>)] = &[
        ("not json", MessageFault::Syntax, None),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"#, MessageFault::Syntax, None),
        ("\u{1}", MessageFault::Syntax, None),
        ("12", MessageFault::Message, None),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#, MessageFault::Params, Some("1")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":"{}"}"#, MessageFault::Params, Some("1")),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"uri":1,"u\u0072i":2}}"#,
            MessageFault::RepeatedParam,
            Some("1"),
        ),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, MessageFault::Repeated, None),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","m\u0065thod":"ping"}"#,
            MessageFault::Repeated,
            Some("1"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{},"params":{}}"#,
            MessageFault::Repeated,
            Some("1"),
        ),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping","params":[]}"#, MessageFault::Message, Some("1")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"\ud800","params":[]}"#, MessageFault::Message, Some("1")),
        (r#"{"jsonrpc":"2.0","method":"notifications/x","params":[1]}"#, MessageFault::Notification, None),
        (r#"{"method":"x","params":"y"}"#, MessageFault::Notification, None),
        (r#"{"jsonrpc":"2.0","method":"x","params":{"uri":1,"uri":2}}"#, MessageFault::Notification, None),
        (r#"{"jsonrpc":"2.0","method":"x","method":"y"}"#, MessageFault::Notification, None),
        (r#"{"jsonrpc":"2.0","method":1,"params":"bar"}"#, MessageFault::Message, None),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#, MessageFault::Repeated, None),
    ];
    for (text, fault, id) in cases {
        let malformed = Envelope::parse(text.as_bytes()).expect_err(text);
        assert_eq!(malformed.fault, *fault, "{text}");
        assert_eq!(malformed.id.as_ref().map(RequestId::as_str), *id, "{text}");
    }
}

#[test]
fn a_response_is_read_despite_unknown_members() {
    for text in [
        r#"{"jsonrpc":"2.0","id":1,"result":{},"params":[]}"#,
        r#"{"jsonrpc":"2.0","id":1,"re\u0073ult":{},"params":{"uri":1,"uri":1}}"#,
    ] {
        let response = Envelope::parse(text.as_bytes()).expect(text);
        assert!(response.is_response() && response.id.is_some(), "{text}");
    }
}

#[test]
fn members_are_strings_however_they_are_escaped() {
    let text = r#"{"json\u0072pc":"\u0032.0","i\u0064":"\u0061","\u006dethod":"tools\/list","params":{"n\u0061me":"a"}}"#;
    let envelope = Envelope::parse(text.as_bytes()).expect("a message");
    assert_eq!(envelope.method.and_then(string).as_deref(), Some("tools/list"));
    assert_eq!(envelope.request_id().map(|id| id.key()).as_deref(), Some("\"a\""));
    assert!(envelope.params.is_some_and(|params| params.name.is_some()));
}

#[test]
fn a_reference_may_be_written_in_another_way() {
    for (text, key) in [
        ("1", Some("1")),
        ("1.0", Some("1")),
        ("1e2", Some("100")),
        ("-0", Some("0")),
        ("\"1\"", Some("\"1\"")),
        ("1.5", None),
        ("null", None),
        ("[1]", None),
    ] {
        let raw: Box<serde_json::value::RawValue> = serde_json::from_str(text).expect("JSON");
        assert_eq!(RequestId::referred_to(&raw).map(|id| id.key()).as_deref(), key, "{text}");
    }
}

#[test]
fn a_mark_and_space_around_a_frame_are_no_part_of_it() {
    for frame in ["{}", " {} \r\n", "\u{feff}{}", "\u{feff} {}\t"] {
        assert_eq!(trimmed(frame.as_bytes()), b"{}", "{frame:?}");
    }
    assert_eq!(trimmed("{}\u{feff}".as_bytes()), "{}\u{feff}".as_bytes());
}

// As reported in modelcontextprotocol/python-sdk#961, paritytech/jsonrpsee#1653, sei-protocol/sei-chain#3303.
#[test]
fn only_strings_and_integers_are_ids() {
    for (text, good) in [
        ("\"1\"", true),
        ("\"\"", true),
        (r#""\ud83d\ude00\n""#, true),
        (r#""\ud800""#, false),
        ("0", true),
        ("-5", true),
        ("9007199254740993", true),
        ("1.5", false),
        ("1e3", false),
        ("null", false),
        ("true", false),
        ("[]", false),
        ("{}", false),
    ] {
        let raw: Box<serde_json::value::RawValue> = serde_json::from_str(text).expect("JSON");
        assert_eq!(RequestId::new(&raw).is_some(), good, "{text}");
    }
}

#[test]
fn one_id_in_two_spellings_has_one_key() {
    let plain: Box<serde_json::value::RawValue> = serde_json::from_str("\"a\"").expect("JSON");
    let escaped: Box<serde_json::value::RawValue> = serde_json::from_str("\"\\u0061\"").expect("JSON");
    let key = |raw| RequestId::new(raw).expect("an id").key();
    assert_eq!(key(&plain), key(&escaped));
}

#[test]
fn the_members_of_meta_have_the_names_of_the_constants() {
    let names = [
        meta::PROTOCOL_VERSION,
        meta::CLIENT_CAPABILITIES,
        meta::LOG_LEVEL,
        meta::PROGRESS_TOKEN,
        meta::CONTEXT_PATH,
    ];
    let all: serde_json::Value = names.into_iter().map(|name| (name, name)).collect();
    let text = all.to_string();
    let read: EnvelopeMeta<'_> = serde_json::from_str(&text).expect("an object");
    let found = [
        read.protocol_version,
        read.client_capabilities,
        read.log_level,
        read.progress_token,
        read.context_path,
    ];
    for (found, name) in found.into_iter().zip(names) {
        assert_eq!(found.and_then(string).as_deref(), Some(name));
    }
}
