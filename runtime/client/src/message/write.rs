//! Writes messages.

use std::borrow::Cow;

use serde_json::value::RawValue;
use toolwright_core::protocol::method;

/// A request with everything that the transports and both eras need.
#[derive(Debug, Clone, Default)]
pub(crate) struct OutgoingRequest<'a> {
    pub(crate) method: Cow<'a, str>,
    /// The members of `params`, as JSON without braces; may be empty.
    pub(crate) members: Cow<'a, str>,
    /// Additional members of `_meta`, in the same form.
    pub(crate) meta: Cow<'a, str>,
    /// The members of `_meta` for the era and the client, if they differ from those of the connection.
    pub(crate) era_meta: Option<Cow<'a, str>>,
    /// `params.name` or `params.uri`, which is repeated in an HTTP header.
    pub(crate) name: Option<Cow<'a, str>>,
    /// Arguments that are repeated in HTTP headers: the full name of the header, and the value before encoding.
    pub(crate) headers: Vec<(String, String)>,
    /// Whether the server may send progress.
    pub(crate) wants_progress: bool,
    /// Whether the request may be repeated, like that of a list.
    pub(crate) is_idempotent: bool,
}

impl OutgoingRequest<'_> {
    /// Returns whether the response is only sent when a subscription ends.
    pub(crate) fn is_subscription(&self) -> bool {
        self.method == method::SUBSCRIPTIONS_LISTEN
    }
}

/// Appends a request. `meta` has the members that every request of the era has.
pub(crate) fn write_request(out: &mut Vec<u8>, id: u64, outgoing: &OutgoingRequest<'_>, meta: &str) {
    out.reserve(96 + outgoing.members.len() + meta.len() + outgoing.meta.len());
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    push_number(out, id);
    out.extend_from_slice(br#","method":"#);
    push_string(out, &outgoing.method);
    out.extend_from_slice(br#","params":{"#);
    out.extend_from_slice(outgoing.members.as_bytes());
    if outgoing.wants_progress || !meta.is_empty() || !outgoing.meta.is_empty() {
        if !outgoing.members.is_empty() {
            out.push(b',');
        }
        out.extend_from_slice(br#""_meta":{"#);
        let start = out.len();
        out.extend_from_slice(meta.as_bytes());
        if outgoing.wants_progress {
            push_comma(out, start);
            out.extend_from_slice(br#""progressToken":"#);
            push_number(out, id);
        }
        if !outgoing.meta.is_empty() {
            push_comma(out, start);
            out.extend_from_slice(outgoing.meta.as_bytes());
        }
        out.push(b'}');
    }
    out.extend_from_slice(b"}}");
}

/// Returns a notification. `params` is a JSON object, or empty.
pub(crate) fn notification(method: &str, params: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(48 + method.len() + params.len());
    out.extend_from_slice(br#"{"jsonrpc":"2.0","method":"#);
    push_string(&mut out, method);
    if !params.is_empty() {
        out.extend_from_slice(br#","params":"#);
        out.extend_from_slice(params.as_bytes());
    }
    out.push(b'}');
    out
}

/// Returns the response to a request from the server.
pub(crate) fn response(id: &RawValue, result: &str) -> Vec<u8> {
    [br#"{"jsonrpc":"2.0","id":"#, id.get().as_bytes(), br#","result":"#, result.as_bytes(), b"}"].concat()
}

/// Returns the error response to a request from the server.
pub(crate) fn error_response(id: &RawValue, code: i64, message: &str) -> Vec<u8> {
    let mut out = [br#"{"jsonrpc":"2.0","id":"#, id.get().as_bytes(), br#","error":{"code":"#].concat();
    out.extend_from_slice(code.to_string().as_bytes());
    out.extend_from_slice(br#","message":"#);
    push_string(&mut out, message);
    out.extend_from_slice(b"}}");
    out
}

/// Appends a JSON string.
pub(crate) fn push_string(out: &mut Vec<u8>, text: &str) {
    if text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        // Writing a string to memory cannot fail.
        _ = serde_json::to_writer(out, text);
    }
}

fn push_comma(out: &mut Vec<u8>, start: usize) {
    if out.len() > start {
        out.push(b',');
    }
}

fn push_number(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + u8::try_from(number % 10).unwrap_or_default();
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn write(outgoing: &OutgoingRequest<'_>, meta: &str) -> Value {
        let mut out = Vec::new();
        write_request(&mut out, 10, outgoing, meta);
        serde_json::from_slice(&out).unwrap()
    }

    #[test]
    fn a_request_has_its_members_and_its_metadata() {
        let mut outgoing = OutgoingRequest { method: "tools/list".into(), ..OutgoingRequest::default() };
        let expected = json!({"jsonrpc": "2.0", "id": 10, "method": "tools/list", "params": {}});
        assert_eq!(write(&outgoing, ""), expected);
        outgoing.wants_progress = true;
        assert_eq!(write(&outgoing, "")["params"], json!({"_meta": {"progressToken": 10}}));
        outgoing.members = r#""cursor":"x""#.into();
        outgoing.meta = r#""a/b":1"#.into();
        let params = json!({"cursor": "x", "_meta": {"v": 2, "progressToken": 10, "a/b": 1}});
        assert_eq!(write(&outgoing, r#""v":2"#)["params"], params);
    }

    #[test]
    fn strings_and_numbers_are_json() {
        for text in ["", "tools/call", "a\"b\\c\n", "größe", "\u{1}"] {
            let mut out = Vec::new();
            push_string(&mut out, text);
            assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }
        for number in [0, 9, 10, u64::MAX] {
            let mut out = Vec::new();
            push_number(&mut out, number);
            assert_eq!(String::from_utf8(out).unwrap(), number.to_string());
        }
    }

    #[test]
    fn responses_keep_the_id_of_the_request() {
        let id: Box<RawValue> = serde_json::from_str(r#""p-1""#).unwrap();
        assert_eq!(response(&id, "{}"), br#"{"jsonrpc":"2.0","id":"p-1","result":{}}"#);
        let error: Value = serde_json::from_slice(&error_response(&id, -32601, "no")).unwrap();
        assert_eq!(error, json!({"jsonrpc": "2.0", "id": "p-1", "error": {"code": -32601, "message": "no"}}));
        assert_eq!(notification("a", ""), br#"{"jsonrpc":"2.0","method":"a"}"#);
    }
}
