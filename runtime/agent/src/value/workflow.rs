//! Parts of workflows: ports, and a reference to the workflow's bytes.

use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolwright_core::content::base64;

use super::error::ValueError;

/// A port through which a workflow accepts or produces data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolPort {
    /// The name.
    pub name: String,
    /// A description of the data.
    #[serde(default)]
    pub description: String,
    /// The type of the data, such as `table`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Details of the type, in a format that the type defines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
}

/// The location of a workflow's bytes. Only WORKFLOW records have one.
///
/// This library does not read files: the runner of the workflow does, and verifies the digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum BlobRef {
    /// The bytes themselves, in standard base64 with padding (RFC 4648 §4).
    Inline {
        /// The base64.
        base64: String,
    },
    /// A file and its digest.
    File {
        /// The path, as the runner of the workflow understands it.
        path: String,
        /// SHA-256 of the file: 64 lowercase hexadecimal digits.
        sha256: String,
    },
    /// Keys of the file store of the workflow's host.
    Keys {
        /// The keys.
        keys: Vec<String>,
    },
}

impl BlobRef {
    /// Creates an inline reference.
    pub fn inline(bytes: &[u8]) -> Self {
        Self::Inline { base64: base64::encode(bytes) }
    }

    /// Reads a reference from the flat record: a string is base64 or else a key, an array is several keys, and an
    /// object is a file.
    pub(super) fn from_flat(value: Value) -> Result<Self, String> {
        match value {
            Value::String(text) if is_canonical(&text) => Ok(Self::Inline { base64: text }),
            // Columns contain strings only; neither character occurs in base64.
            Value::String(text) if text.starts_with(['[', '{']) => match serde_json::from_str(&text) {
                Ok(value @ (Value::Array(_) | Value::Object(_))) => Self::from_flat(value),
                _ => Ok(Self::Keys { keys: vec![text] }),
            },
            Value::String(key) => Ok(Self::Keys { keys: vec![key] }),
            Value::Array(_) => {
                let keys = serde_json::from_value(value).map_err(|_| "an array that holds only strings")?;
                Ok(Self::Keys { keys })
            }
            Value::Object(_) => {
                serde_json::from_value(value).map_err(|error| format!("a reference to a file: {error}"))
            }
            _ => Err("a string, an array of strings, an object or null".to_owned()),
        }
    }

    /// Writes a reference in the format that [`BlobRef::from_flat`] reads.
    pub(super) fn to_flat(&self) -> Value {
        match self {
            Self::Inline { base64 } => Value::from(base64.as_str()),
            Self::File { path, sha256 } => serde_json::json!({"path": path, "sha256": sha256}),
            Self::Keys { keys } => match keys.as_slice() {
                [key] if !is_canonical(key) && !key.starts_with(['[', '{']) => Value::from(key.as_str()),
                keys => keys.iter().map(String::as_str).collect(),
            },
        }
    }
}

/// Whether the text is canonical base64. The empty string is neither bytes nor a key.
fn is_canonical(text: &str) -> bool {
    base64::decode(text).is_ok_and(|bytes| base64::encode(&bytes) == text)
}

/// The serialized form of a reference.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BlobRecord {
    base64: Option<String>,
    path: Option<String>,
    sha256: Option<String>,
    keys: Option<Vec<String>>,
}

impl<'de> Deserialize<'de> for BlobRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        BlobRecord::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
    }
}

impl TryFrom<BlobRecord> for BlobRef {
    type Error = String;

    fn try_from(record: BlobRecord) -> Result<Self, String> {
        match record {
            BlobRecord { base64: Some(base64), path: None, sha256: None, keys: None } => {
                if is_canonical(&base64) {
                    Ok(Self::Inline { base64 })
                } else {
                    Err("`base64` is not standard base64 with padding".to_owned())
                }
            }
            BlobRecord { base64: None, path: Some(path), sha256: Some(sha256), keys: None } => {
                let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
                if sha256.len() == 64 && sha256.bytes().all(is_digit) {
                    Ok(Self::File { path, sha256 })
                } else {
                    Err("`sha256` is not 64 lowercase hexadecimal digits".to_owned())
                }
            }
            BlobRecord { base64: None, path: None, sha256: None, keys: Some(keys) } => {
                Ok(Self::Keys { keys })
            }
            _ => Err("a reference must have `base64`, or `path` and `sha256`, or `keys`".to_owned()),
        }
    }
}

/// Reads a port of a positional record: name, description, type, spec.
pub(super) fn port_of_fields(fields: &Map<String, Value>) -> Result<ToolPort, String> {
    let text = |field: &str| fields.get(field).and_then(Value::as_str).map(str::to_owned);
    if let Some(unknown) = fields.keys().find(|field| !matches!(field.as_str(), "0" | "1" | "2" | "3")) {
        return Err(format!("a port has the fields \"0\" to \"3\"; unknown field {unknown:?}"));
    }
    let spec = match fields.get("3") {
        None | Some(Value::Null) => None,
        Some(Value::String(spec)) => Some(spec.clone()),
        Some(_) => return Err("the spec of a port, field \"3\", must be a string or null".to_owned()),
    };
    let description = match fields.get("1") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(description)) => description.clone(),
        Some(_) => return Err("the description of a port, field \"1\", must be a string or null".to_owned()),
    };
    match (text("0"), text("2")) {
        (Some(name), Some(kind)) => Ok(ToolPort { name, description, kind, spec }),
        _ => Err("a port needs a name in field \"0\" and a type in field \"2\"".to_owned()),
    }
}

/// Writes a port in the format that [`port_of_fields`] reads.
pub(super) fn fields_of_port(port: &ToolPort) -> Value {
    serde_json::json!({"0": port.name, "1": port.description, "2": port.kind, "3": port.spec})
}

/// Reads the ports of a positional record: a list, or a JSON string of one; `null` and an empty string mean no ports.
///
/// # Errors
/// [`ValueError::Field`], naming `field`.
pub(super) fn ports(field: &'static str, value: Option<Value>) -> Result<Vec<ToolPort>, ValueError> {
    let wrong = |what: String| ValueError::Field { field, what };
    let list = match value {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::String(text)) if text.is_empty() => return Ok(Vec::new()),
        Some(Value::String(text)) => serde_json::from_str(&text)
            .map_err(|error| wrong(format!("the string is not valid JSON: {error}")))?,
        Some(list) => list,
    };
    let Value::Array(list) = list else { return Err(wrong("it must be a list of ports".to_owned())) };
    let port = |port: Value| match port {
        Value::Object(fields) if fields.contains_key("name") => {
            serde_json::from_value(Value::Object(fields)).map_err(|error| wrong(error.to_string()))
        }
        Value::Object(fields) => port_of_fields(&fields).map_err(wrong),
        _ => Err(wrong("a port must be an object".to_owned())),
    };
    list.into_iter().map(port).collect()
}
