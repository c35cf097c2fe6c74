use serde_json::value::RawValue;

use super::{Message, Notification, Request, Response};
use crate::protocol::{ErrorObject, MessageFault, RequestId, error, method};

fn again(text: &str) -> String {
    let message = Message::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
    String::from_utf8(message.to_bytes().expect("JSON")).expect("UTF-8")
}

#[test]
fn messages_round_trip() {
    for text in [
        r#"{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"a","n":1e400}}"#,
        r#"{"jsonrpc":"2.0","id":"\u0061","method":"x"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/x","params":{"b":1,"a":12345678901234567890123}}"#,
        r#"{"jsonrpc":"2.0","id":-1,"result":{"z":[1.0,2]}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no","data":null,"hint":1}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"x","trace":{"a":1}}"#,
    ] {
        // A number that no double can represent cannot be sent: it is rejected, not changed.
        if text.contains("1e400") {
            let message = Message::parse(text.as_bytes()).expect("a message");
            assert!(message.to_bytes().is_err(), "{text}");
        } else {
            assert_eq!(again(text), text);
        }
    }
}

#[test]
fn invalid_messages_are_rejected_with_their_id() {
    let cases: &[(&[u8], MessageFault, Option<&str>)] = &[
        (b"", MessageFault::Syntax, None),
        (b"\xff", MessageFault::Syntax, None),
        (b"{", MessageFault::Syntax, None),
        (b"1", MessageFault::Message, None),
        (b"[]", MessageFault::Message, None),
        (b"{}", MessageFault::Message, None),
        (br#"{"jsonrpc":"2.0","id":1}"#, MessageFault::Message, None),
        (br#"{"jsonrpc":"1.0","id":1,"method":"x"}"#, MessageFault::Message, Some("1")),
        (br#"{"id":1,"method":"x"}"#, MessageFault::Message, Some("1")),
        (br#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#, MessageFault::Message, None),
        (br#"{"jsonrpc":"2.0","id":null,"method":"x"}"#, MessageFault::Message, None),
        (br#"{"jsonrpc":"2.0","id":1,"method":2}"#, MessageFault::Message, Some("1")),
        (br#"{"jsonrpc":"2.0","id":1,"method":"x","params":[1]}"#, MessageFault::Params, Some("1")),
        (br#"{"jsonrpc":"2.0","id":1,"method":"x","method":"y"}"#, MessageFault::Repeated, Some("1")),
        (br#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#, MessageFault::Repeated, None),
        (br#"{"jsonrpc":"2.0","method":"x","params":1}"#, MessageFault::Notification, None),
        (br#"{"method":"x"}"#, MessageFault::Notification, None),
    ];
    for (bytes, fault, id) in cases {
        let text = String::from_utf8_lossy(bytes);
        let malformed = Message::parse(bytes).expect_err(&text);
        assert_eq!(malformed.fault, *fault, "{text}");
        assert_eq!(malformed.id.as_ref().map(RequestId::as_str), *id, "{text}");
    }
}

#[test]
fn a_response_is_read_whatever_is_wrong_with_it() {
    let response = |text: &str| match Message::parse(text.as_bytes()) {
        Ok(Message::Response(response)) => response,
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(response(r#"{"id":1.0,"result":3}"#).id, Some(RequestId::from(1)));
    assert!(response(r#"{"id":1,"result":{},"error":null}"#).outcome.is_ok());
    assert!(response(r#"{"id":1,"result":{},"params":[1]}"#).outcome.is_ok());
    for error in
        ["null", "1", r#""down""#, "{}", r#"{"code":"x","message":1}"#, r#"{"code":1e9,"message":""}"#]
    {
        let error = response(&format!(r#"{{"id":1,"error":{error}}}"#)).outcome.expect_err(error);
        assert_eq!(error.code, error::INTERNAL_ERROR);
    }
}

#[test]
fn deep_and_repeated_parameters_are_read_but_not_sent() {
    let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    for params in [deep.as_str(), r#"{"a":1,"a":2}"#, r#"{"a":"\ud800"}"#] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{params}}}"#);
        let message = Message::parse(text.as_bytes()).expect("a message");
        assert!(message.to_bytes().is_err(), "{params:.60}");
    }
}

#[test]
fn messages_are_created_and_serialized() {
    let request =
        Request::new(RequestId::text("a\"b"), method::PING).with_params(&serde_json::json!({"a": 1}));
    let text = Message::from(request.expect("parameters")).to_bytes().expect("JSON");
    assert_eq!(text, br#"{"jsonrpc":"2.0","id":"a\"b","method":"ping","params":{"a":1}}"#);
    let notification = Message::from(Notification::new(method::INITIALIZED)).to_bytes().expect("JSON");
    assert_eq!(notification, br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let result: Box<RawValue> = serde_json::from_str("{\n}").expect("JSON");
    let response =
        Message::from(Response::new(Some(RequestId::from(3)), Ok(result))).to_bytes().expect("JSON");
    assert_eq!(response, br#"{"jsonrpc":"2.0","id":3,"result":{}}"#, "on one line");
    let error = ErrorObject::new(-1, "no").with_data(&[1]);
    let response = Message::from(Response::new(None, Err(error))).to_bytes().expect("JSON");
    assert_eq!(response, br#"{"jsonrpc":"2.0","error":{"code":-1,"message":"no","data":[1]}}"#);
}
