//! Parses messages.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use toolwright_core::json::value_end;
#[cfg(feature = "http")]
use toolwright_core::protocol::ToolResult;

/// How far an id is searched for in a message that cannot be parsed, in bytes.
const ID_WITHIN: usize = 4096;

/// A message of the server, borrowed from its text.
#[derive(Debug)]
pub(crate) enum Message<'a> {
    /// The response to the request with this id. A string with a number counts as the number: the client's ids are
    /// numbers, so there is no ambiguity.
    Response { id: Id, outcome: Result<&'a RawValue, &'a RawValue> },
    /// A request from the server.
    Request { id: &'a RawValue, method: Cow<'a, str>, params: Option<&'a RawValue> },
    /// A notification from the server.
    Notification { method: Cow<'a, str>, params: Option<&'a RawValue> },
}

/// The id of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Id {
    /// An id that the client assigned.
    Own(u64),
    /// Not an id that the client assigned.
    Unknown,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<&'a RawValue>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// Parses a message.
///
/// # Errors
/// If it is invalid.
pub(crate) fn read(text: &[u8]) -> Result<Message<'_>, String> {
    let envelope: Envelope<'_> = serde_json::from_slice(text).map_err(|error| {
        if std::str::from_utf8(text).is_err() {
            describe_invalid_utf8(text)
        } else {
            format!("it is not JSON-RPC: {error}")
        }
    })?;
    let id = |id: Option<&RawValue>| id.map_or(Id::Unknown, |id| read_id(id.get()));
    match envelope {
        Envelope { method: Some(method), id, params, .. } => {
            let method: Cow<'_, str> = read_string(method).ok_or("its `method` is not a string")?;
            Ok(match id {
                Some(id) => Message::Request { id, method, params },
                None => Message::Notification { method, params },
            })
        }
        Envelope { result: Some(result), id: found, error: None, .. } => {
            Ok(Message::Response { id: id(found), outcome: Ok(result) })
        }
        Envelope { error: Some(error), id: found, .. } => {
            Ok(Message::Response { id: id(found), outcome: Err(error) })
        }
        _ => Err("it has neither a method nor a result nor an error".to_owned()),
    }
}

/// Parses a successful response in the form that nearly all servers send: returns the id and the result as JSON. `None`
/// for any other message. The result is not validated; its consumer does that.
pub(crate) fn read_simple_response(text: &[u8]) -> Option<(u64, &str)> {
    let (id, rest) = split_simple_response(text)?;
    let end = value_end(rest).filter(|_| rest.starts_with(b"{"))?;
    if &rest[end..] != b"}" {
        return None;
    }
    Some((id, std::str::from_utf8(&rest[..end]).ok()?))
}

/// Returns the id of a response, and what follows after `"result":`.
fn split_simple_response(text: &[u8]) -> Option<(u64, &[u8])> {
    let rest = text.strip_prefix(br#"{"jsonrpc":"2.0","id":"#)?;
    let digits = rest.iter().position(|byte| !byte.is_ascii_digit())?;
    let id = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
    Some((id, rest[digits..].strip_prefix(br#","result":"#)?))
}

/// Parses the response to a tool call in one pass, if it has the form of [`read_simple_response`] and its result is complete.
#[cfg(feature = "http")]
pub(crate) fn read_tool_response(text: &[u8], id: u64) -> Option<ToolResult> {
    let (response_id, rest) = split_simple_response(text)?;
    if response_id != id {
        return None;
    }
    // Members after the result are trailing characters.
    let mut result: ToolResult = serde_json::from_slice(rest.strip_suffix(b"}")?).ok()?;
    match result.other.shift_remove("resultType") {
        None => Some(result),
        Some(kind) if kind == "complete" => Some(result),
        Some(_) => None,
    }
}

/// Splits a batch, which servers of 2025-03-26 may send; `None` if the text is not an array.
pub(crate) fn split_batch(text: &[u8]) -> Option<Vec<&RawValue>> {
    if !text.trim_ascii_start().starts_with(b"[") {
        return None;
    }
    serde_json::from_slice(text).ok()
}

/// Finds the id of a response that cannot be parsed, if its beginning has one.
pub(crate) fn find_id(text: &[u8]) -> Option<u64> {
    let start = &text[..text.len().min(ID_WITHIN)];
    let at = memchr::memmem::find(start, br#""id""#)? + 4;
    let rest = start[at..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let end = rest.iter().position(|byte| matches!(byte, b',' | b'}' | b' ')).unwrap_or(rest.len());
    match read_id(std::str::from_utf8(&rest[..end]).ok()?) {
        Id::Own(id) => Some(id),
        Id::Unknown => None,
    }
}

fn read_id(text: &str) -> Id {
    let digits = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let digits = digits.strip_suffix(".0").unwrap_or(digits);
    digits.parse().map_or(Id::Unknown, Id::Own)
}

fn read_string(value: &RawValue) -> Option<Cow<'_, str>> {
    let text = value.get();
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        serde_json::from_str(text).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}

fn describe_invalid_utf8(text: &[u8]) -> String {
    let at = std::str::from_utf8(text).err().map_or(0, |error| error.valid_up_to());
    format!("it is not UTF-8 at byte {at}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(text: &str) -> (Id, bool) {
        match read(text.as_bytes()) {
            Ok(Message::Response { id, outcome }) => (id, outcome.is_ok()),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn responses_are_matched_by_id() {
        for (text, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, (Id::Own(7), true)),
            (r#"{"result":{},"id":"7"}"#, (Id::Own(7), true)),
            (r#"{"result":null,"id":7.0,"error":{"code":1}}"#, (Id::Own(7), false)),
            (r#"{"id":null,"error":{"code":-32700,"message":"x"}}"#, (Id::Unknown, false)),
            (r#"{"error":{}}"#, (Id::Unknown, false)),
            (r#"{"id":"discover-1","result":{}}"#, (Id::Unknown, true)),
            (r#"{"id":-7,"result":{},"unknown":[1]}"#, (Id::Unknown, true)),
        ] {
            assert_eq!(response(text), expected, "{text}");
        }
    }

    #[test]
    fn usual_responses_are_split_without_parsing() {
        let long = "x".repeat(100);
        for (text, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{}}"#.to_owned(), Some((7, "{}".to_owned()))),
            (
                r#"{"jsonrpc":"2.0","id":12,"result":{"a":["}\"}",{"b":{}},"\\"]}}"#.to_owned(),
                Some((12, r#"{"a":["}\"}",{"b":{}},"\\"]}"#.to_owned())),
            ),
            (
                format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"{long}\"{long}":"{long}\\"}}}}"#),
                Some((1, format!(r#"{{"{long}\"{long}":"{long}\\"}}"#))),
            ),
            (r#"{"jsonrpc":"2.0","id":7,"result":{},"_meta":{}}"#.to_owned(), None),
            (r#"{"jsonrpc":"2.0","id":7,"result":{}}}"#.to_owned(), None),
            (r#"{"jsonrpc":"2.0","id":7,"result":{"a":"}"#.to_owned(), None),
            (r#"{"jsonrpc":"2.0","id":7,"result":{"#.to_owned(), None),
            (format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"{long}"#), None),
            (format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"{long}\"#), None),
            (r#"{"jsonrpc":"2.0","id":7,"result":7}"#.to_owned(), None),
            (r#"{"jsonrpc":"2.0","id":"7","result":{}}"#.to_owned(), None),
            (r#"{"jsonrpc":"2.0","id":99999999999999999999999,"result":{}}"#.to_owned(), None),
            (r#"{"jsonrpc":"2.0","id":7,"error":{}}"#.to_owned(), None),
        ] {
            let found = read_simple_response(text.as_bytes()).map(|(id, result)| (id, result.to_owned()));
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(read_simple_response(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"a\":\"\xff\"}}"), None);
    }

    #[test]
    fn requests_and_notifications_are_distinguished() {
        let request = read(br#"{"id":"s1","method":"vendor\/ask","params":{}}"#).unwrap();
        assert!(
            matches!(request, Message::Request { id, method, .. } if id.get() == "\"s1\"" && method == "vendor/ask")
        );
        let notification = read(br#"{"method":"data"}"#).unwrap();
        assert!(matches!(notification, Message::Notification { method, params: None } if method == "data"));
    }

    #[test]
    fn invalid_messages_are_rejected_with_the_reason() {
        for (text, part) in [
            (&b"hello"[..], "not JSON-RPC"),
            (b"7", "not JSON-RPC"),
            (b"{}", "neither a method"),
            (br#"{"method":7}"#, "not a string"),
            (b"{\"id\":1,\"result\":{\"a\":\"\xff\"}}", "not UTF-8 at byte 23"),
        ] {
            let problem = read(text).unwrap_err();
            assert!(problem.contains(part), "{problem}");
        }
    }

    #[test]
    fn the_id_of_an_invalid_response_is_found() {
        for (text, expected) in [
            (&b"{\"jsonrpc\":\"2.0\",\"id\": 7,\"result\":{\"a\":\"\xff"[..], Some(7)),
            (br#"{"id":"12"}"#, Some(12)),
            (br#"{"id":"x"}"#, None),
            (b"nothing", None),
        ] {
            assert_eq!(find_id(text), expected);
        }
    }

    #[cfg(feature = "http")]
    #[test]
    fn the_result_of_a_call_is_parsed_with_its_response() {
        for (text, is_parsed) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{"content":[],"_meta":{"a":1}}}"#, true),
            (r#"{"jsonrpc":"2.0","id":7,"result":{"content":[],"resultType":"complete"}}"#, true),
            (r#"{"id":7,"result":{"content":[]},"jsonrpc":"2.0"}"#, false),
            (r#"{"jsonrpc":"2.0","id":7,"result":{"content":[],"resultType":"task"}}"#, false),
            (r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]},"error":{}}"#, false),
            (r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]},"result":{"content":[]}}"#, false),
            (r#"{"jsonrpc":"2.0","id":7,"result":{"content":7}}"#, false),
            (r#"{"jsonrpc":"2.0","id":8,"result":{"content":[]}}"#, false),
            (r#"{"jsonrpc":"2.0","id":"7","result":{"content":[]}}"#, false),
            (r#"{"jsonrpc":"2.0","method":"x","params":{}}"#, false),
            (r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]}}}"#, false),
        ] {
            let result = read_tool_response(text.as_bytes(), 7);
            assert_eq!(result.is_some(), is_parsed, "{text}");
            assert!(result.is_none_or(|result| result.other.is_empty()));
        }
    }

    #[test]
    fn a_batch_is_split() {
        let batch = split_batch(br#" [{"id":1,"result":{}}, {"method":"a"}]"#).unwrap();
        assert_eq!(batch.len(), 2);
        assert!(split_batch(b"{}").is_none());
    }
}
