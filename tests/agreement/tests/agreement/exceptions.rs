//! Where schema and reader differ for a sound reason. Each exception has a sample that shows the difference, so
//! that one which is no longer needed is found.

/// Which side takes more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wider {
    /// The schema accepts values that are then refused, with a text that says why.
    Schema,
    /// Values are accepted that the schema refuses.
    Reader,
}

pub(crate) struct Exception {
    /// The name of the case.
    pub(crate) case: &'static str,
    pub(crate) wider: Wider,
    pub(crate) reason: &'static str,
    /// Arguments about which the two sides differ, as JSON.
    pub(crate) sample: &'static str,
}

const MERGED: &str =
    "an enum at the root is shown as one object; which members belong together is known to serde alone";

pub(crate) const EXCEPTIONS: &[Exception] = &[
    Exception {
        case: "internally tagged as the root",
        wider: Wider::Schema,
        reason: MERGED,
        sample: r#"{"op":"delete","id":1}"#,
    },
    Exception {
        case: "adjacently tagged as the root",
        wider: Wider::Schema,
        reason: MERGED,
        sample: r#"{"t":"Text","c":[1,2]}"#,
    },
    Exception {
        case: "externally tagged as the root",
        wider: Wider::Schema,
        reason: MERGED,
        sample: r#"{"Name":"a","Flag":{"on":true}}"#,
    },
    Exception { case: "untagged as the root", wider: Wider::Schema, reason: MERGED, sample: "{}" },
    Exception {
        case: "flattened enum",
        wider: Wider::Schema,
        reason: MERGED,
        sample: r#"{"amount":1,"how":"card"}"#,
    },
    Exception {
        case: "SocketAddr",
        wider: Wider::Schema,
        reason: "no standard format names a socket address",
        sample: r#"{"value":"localhost"}"#,
    },
    Exception {
        case: "try_from",
        wider: Wider::Schema,
        reason: "what `try_from` refuses is known to its code alone",
        sample: r#"{"value":101}"#,
    },
];
