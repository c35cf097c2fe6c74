//! The input requests that a client supports.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolwright_core::request::MissingCapability;
use toolwright_core::revision::Revision;

use super::{InputKind, KnownRequest};

/// The input requests that a client supports. Handlers can check it first: an input request that the client has not
/// declared is an [`InputRequestError::Unsupported`](super::InputRequestError::Unsupported).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClientCapabilities(u8);

const FORM: u8 = 1;
const URL: u8 = 1 << 1;
const SAMPLING: u8 = 1 << 2;
const SAMPLING_TOOLS: u8 = 1 << 3;
const ROOTS: u8 = 1 << 4;

/// The members of the schema's `ClientCapabilities` that concern input requests.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Declared {
    elicitation: Option<Value>,
    sampling: Option<Value>,
    roots: Option<Value>,
}

impl ClientCapabilities {
    /// Returns whether the client shows forms ([`Context::elicit`](crate::Context::elicit)).
    pub fn can_elicit_form(self) -> bool {
        self.has(FORM)
    }

    /// Returns whether the client opens web pages ([`Context::elicit_url`](crate::Context::elicit_url)).
    pub fn can_elicit_url(self) -> bool {
        self.has(URL)
    }

    /// Returns whether the client offers sampling ([`Context::sample`](crate::Context::sample)).
    pub fn can_sample(self) -> bool {
        self.has(SAMPLING)
    }

    /// Returns whether sampling supports tools.
    pub fn can_sample_with_tools(self) -> bool {
        self.has(SAMPLING_TOOLS)
    }

    /// Returns whether the client lists its folders ([`Context::roots`](crate::Context::roots)).
    pub fn can_list_roots(self) -> bool {
        self.has(ROOTS)
    }

    /// Parses the members of `ClientCapabilities` that the revision defines.
    pub(crate) fn read(text: &str, revision: Revision) -> Self {
        let declared: Declared = serde_json::from_str(text).unwrap_or_default();
        let mut bits = 0;
        if let Some(elicitation) = declared.elicitation.filter(|_| revision >= Revision::V2025_06_18) {
            let (form, url) = (elicitation.get("form").is_some(), elicitation.get("url").is_some());
            let has_urls = revision >= Revision::V2025_11_25;
            // Without a mode, forms are meant (2026-07-28, client/elicitation "Capabilities").
            bits |= if form || !url || !has_urls { FORM } else { 0 };
            bits |= if url && has_urls { URL } else { 0 };
        }
        if let Some(sampling) = declared.sampling {
            bits |= SAMPLING;
            let has_tools = sampling.get("tools").is_some() && revision >= Revision::V2025_11_25;
            bits |= if has_tools { SAMPLING_TOOLS } else { 0 };
        }
        bits |= if declared.roots.is_some() { ROOTS } else { 0 };
        Self(bits)
    }

    pub(crate) fn bits(self) -> u8 {
        self.0
    }

    pub(crate) fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// Checks whether the input request may be sent (2026-07-28, basic/patterns/mrtr: servers must not send what the
    /// client has not declared).
    pub(crate) fn check(self, request: &KnownRequest) -> Result<(), MissingCapability> {
        let (needed, required) = match request.kind() {
            InputKind::Form => (FORM, json!({"elicitation": {"form": {}}})),
            InputKind::Url => (URL, json!({"elicitation": {"url": {}}})),
            InputKind::Sampling => (SAMPLING, json!({"sampling": {}})),
            InputKind::SamplingWithTools => (SAMPLING_TOOLS, json!({"sampling": {"tools": {}}})),
            InputKind::Roots => (ROOTS, json!({"roots": {}})),
        };
        if self.has(needed) { Ok(()) } else { Err(MissingCapability { required }) }
    }

    fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }
}

/// The settings of an extension in the client's capabilities; `None` if it is not declared.
pub(crate) fn declared_extension<'a>(capabilities: &'a RawValue, extension: &str) -> Option<&'a RawValue> {
    #[derive(Deserialize)]
    struct Capabilities<'a> {
        #[serde(borrow, default)]
        extensions: Option<HashMap<Cow<'a, str>, &'a RawValue>>,
    }
    let capabilities: Capabilities<'a> = serde_json::from_str(capabilities.get()).ok()?;
    let settings = *capabilities.extensions?.get(extension)?;
    settings.get().starts_with('{').then_some(settings)
}
