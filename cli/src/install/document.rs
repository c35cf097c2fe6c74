//! A configuration file as text that keeps its comments and formatting.

use std::io;
use std::path::{Path, PathBuf};

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;

use super::InstallError;
use super::client::Client;
use crate::error::Error;
use crate::text_file;

/// The syntax that the clients accept.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// A file of a client.
pub(super) struct Document {
    path: PathBuf,
    section: &'static str,
    /// The bytes of the file; `None` if it does not exist.
    original: Option<Vec<u8>>,
    root: CstRootNode,
    is_project: bool,
}

impl Document {
    /// Reads the file; a missing or empty one has no servers.
    ///
    /// # Errors
    /// [`Error::Read`], [`InstallError::Syntax`].
    pub(super) fn read(path: &Path, client: Client) -> Result<Self, Error> {
        let read_error = |source| Error::Read { file: path.to_owned(), source };
        let original = match std::fs::read(path) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(read_error(source)),
        };
        let text = text_file::decode(original.clone().unwrap_or_default()).map_err(read_error)?;
        let text = if text.trim().is_empty() { "{}\n" } else { &text };
        let root = CstRootNode::parse(text, &OPTIONS)
            .map_err(|error| InstallError::Syntax { file: path.to_owned(), problem: error.to_string() })?;
        let document = Self {
            path: path.to_owned(),
            section: client.section(),
            original,
            root,
            is_project: path.is_relative(),
        };
        // Before anything else is done.
        document.servers()?;
        Ok(document)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes that were read.
    pub(super) fn original(&self) -> Option<&[u8]> {
        self.original.as_deref()
    }

    /// Whether the file belongs to a project, and may be shared.
    pub(super) fn is_project(&self) -> bool {
        self.is_project
    }

    /// The text with the changes.
    pub(super) fn text(&self) -> String {
        let text = self.root.to_string();
        if text.ends_with('\n') { text } else { text + "\n" }
    }

    /// The names of the servers.
    pub(super) fn names(&self) -> Result<Vec<String>, InstallError> {
        let properties = self.servers()?.map(|servers| servers.properties()).unwrap_or_default();
        Ok(properties.iter().filter_map(CstObjectProp::decoded_name).collect())
    }

    /// Returns the entry of a server.
    pub(super) fn server(&self, name: &str) -> Result<Option<Value>, InstallError> {
        let Some(servers) = self.servers()? else { return Ok(None) };
        let Some(node) = self.only(&servers, name)? else { return Ok(None) };
        let value = node.to_serde_value();
        value.map(Some).ok_or_else(|| self.shape(format!("the server `{name}` has no value")))
    }

    /// Adds or replaces a server.
    pub(super) fn insert(&self, name: &str, entry: &Value) -> Result<(), InstallError> {
        let servers = match self.servers()? {
            Some(servers) => servers,
            None => self.top()?.object_value_or_set(self.section),
        };
        match servers.get(name) {
            Some(property) => property.set_value(input(entry)),
            None => _ = servers.append(name, input(entry)),
        }
        Ok(())
    }

    /// Removes a server.
    pub(super) fn remove(&self, name: &str) -> Result<(), InstallError> {
        if let Some(property) = self.servers()?.and_then(|servers| servers.get(name)) {
            property.remove();
        }
        Ok(())
    }

    /// The object with the servers, if there is one.
    fn servers(&self) -> Result<Option<CstObject>, InstallError> {
        match self.only(&self.top()?, self.section)? {
            None => Ok(None),
            Some(node) => match node.as_object() {
                Some(servers) => Ok(Some(servers)),
                None => Err(self.shape(format!("`{}` is not an object", self.section))),
            },
        }
    }

    fn top(&self) -> Result<CstObject, InstallError> {
        self.root.object_value().ok_or_else(|| self.shape("it does not contain a JSON object".to_owned()))
    }

    /// Returns a member of an object. Programs disagree which of two members with the same name counts.
    fn only(&self, object: &CstObject, name: &str) -> Result<Option<CstNode>, InstallError> {
        let mut found =
            object.properties().into_iter().filter(|one| one.decoded_name().as_deref() == Some(name));
        let first = found.next();
        if found.next().is_some() {
            return Err(self.shape(format!("`{name}` appears twice: remove one of them")));
        }
        Ok(first.and_then(|property| property.value()))
    }

    fn shape(&self, problem: String) -> InstallError {
        InstallError::Shape { file: self.path.clone(), problem }
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(value) => CstInputValue::String(value.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(members) => {
            CstInputValue::Object(members.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}
