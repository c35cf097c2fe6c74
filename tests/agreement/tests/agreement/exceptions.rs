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

pub(crate) const EXCEPTIONS: &[Exception] = &[Exception {
    case: "try_from",
    wider: Wider::Schema,
    reason: "what `try_from` refuses is known to its code alone",
    sample: r#"{"value":101}"#,
}];
