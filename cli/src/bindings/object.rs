//! Structs and maps for objects.

use serde_json::{Map, Value};
use toolwright_core::pointer::below;

use super::module::What;
use super::names::{self, Unique, pascal};
use super::reference::resolve;
use super::text::{self, doc, string};
use super::types::{ANY, Shape, Side, Types};

/// The derives of a type.
pub(super) const DERIVES: &str = "#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]\n";

/// The fields of a struct, and its attributes.
pub(super) struct Fields {
    pub(super) lines: String,
    /// Attributes of the struct, one per line.
    pub(super) attributes: String,
    /// Whether the fields express all of `properties`, `required` and `additionalProperties`.
    pub(super) is_exact: bool,
}

impl Types<'_> {
    pub(super) fn object(&mut self, mut keywords: Map<String, Value>, at: &str, wanted: &str) -> Shape {
        let has_patterns = keywords.shift_remove("patternProperties").is_some();
        let of_names = keywords.shift_remove("propertyNames");
        let is_any_name = |schema: &Value| {
            schema == &Value::Bool(true)
                || schema.as_object().is_some_and(|schema| {
                    schema.is_empty()
                        || schema.len() == 1 && schema.get("type").is_some_and(|kind| kind == "string")
                })
        };
        let is_exact = !has_patterns && of_names.as_ref().is_none_or(is_any_name);
        let is_struct = !has_patterns
            && keywords.get("properties").and_then(Value::as_object).is_some_and(|listed| !listed.is_empty());
        if is_struct {
            let name = self.module.types.take(wanted);
            let fields = self.fields(&mut keywords, at, &name, false);
            let Fields { lines, attributes, is_exact: are_exact } = fields;
            self.module.items.push(format!("{DERIVES}{attributes}pub struct {name} {{\n{lines}}}\n"));
            return Shape {
                text: name,
                is_nullable: false,
                is_exact: is_exact && are_exact,
                beside: keywords,
            };
        }
        let rest = keywords.shift_remove("additionalProperties");
        keywords.shift_remove("properties");
        let has_required =
            keywords.shift_remove("required").is_some_and(|required| required != Value::Array(Vec::new()));
        let mut shape = match rest {
            Some(Value::Object(rest)) if !has_patterns => {
                let at = below(at, "additionalProperties");
                let value = self.shape(&rest.clone().into(), &at, &format!("{wanted}Value"));
                let is_whole = value.is_whole() && !self.is_described(&rest.clone().into());
                let text = if value.is_nullable { format!("Option<{}>", value.text) } else { value.text };
                Shape {
                    text: format!("BTreeMap<String, {text}>"),
                    is_nullable: false,
                    is_exact: is_whole,
                    beside: keywords,
                }
            }
            Some(Value::Bool(false)) if !has_patterns => {
                let name = self.module.types.take(wanted);
                self.module
                    .items
                    .push(format!("{DERIVES}#[serde(deny_unknown_fields)]\npub struct {name} {{}}\n"));
                Shape { text: name, is_nullable: false, is_exact: true, beside: keywords }
            }
            _ => Shape {
                text: format!("serde_json::Map<String, {ANY}>"),
                is_nullable: false,
                is_exact: true,
                beside: keywords,
            },
        };
        shape.is_exact &= is_exact && !has_required;
        shape
    }

    /// Extracts the members of an object from its keywords. `is_tool`: of the arguments of the tool itself.
    pub(super) fn fields(
        &mut self,
        keywords: &mut Map<String, Value>,
        at: &str,
        owner: &str,
        is_tool: bool,
    ) -> Fields {
        let take = |keywords: &mut Map<String, Value>, keyword: &str| keywords.shift_remove(keyword);
        let properties = match take(keywords, "properties") {
            Some(Value::Object(properties)) => properties,
            _ => Map::new(),
        };
        let required: Vec<String> = match take(keywords, "required") {
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        let mut is_exact = required.iter().all(|name| properties.contains_key(name));
        if !is_exact && is_tool {
            self.differs(&below(at, "required"), "it names a member that `properties` does not list");
        }
        let mut given = Unique::default();
        let mut lines = String::new();
        for (name, schema) in &properties {
            let field = given.take(&names::field(name));
            let at = below(&below(at, "properties"), name);
            let is_required = required.contains(name);
            lines += &self.field((name, &field), schema, is_required, &at, owner, is_tool);
        }
        let mut attributes = String::new();
        match (take(keywords, "additionalProperties"), self.side) {
            (Some(Value::Object(rest)), _) => {
                let at = below(at, "additionalProperties");
                let shape = self.shape(&rest.clone().into(), &at, &format!("{owner}Other"));
                let is_whole = shape.is_whole() && !self.is_described(&rest.clone().into());
                if !is_whole && is_tool {
                    self.differs(&at, "rules for members that are not listed are left out");
                }
                is_exact &= is_whole;
                let text = if shape.is_nullable { format!("Option<{}>", shape.text) } else { shape.text };
                lines += &others(&given.take("other"), &format!("BTreeMap<String, {text}>"));
            }
            (Some(Value::Bool(false)), Side::Input { is_open: true }) if !is_tool => {
                attributes += "#[serde(deny_unknown_fields)]\n";
            }
            (Some(Value::Bool(false)), Side::Output) => {
                self.module.uses_nothing = true;
                attributes += "#[schemars(extend(\"additionalProperties\" = nothing()))]\n";
            }
            (Some(Value::Bool(false)), _) | (_, Side::Output | Side::Input { is_open: true }) => {}
            (_, Side::Input { is_open: false }) => {
                lines += &others(&given.take("other"), "serde_json::Map<String, serde_json::Value>");
            }
        }
        Fields { lines, attributes, is_exact }
    }

    /// One field with its comment and attributes.
    fn field(
        &mut self,
        (name, field): (&str, &str),
        schema: &Value,
        is_required: bool,
        at: &str,
        owner: &str,
        is_tool: bool,
    ) -> String {
        let shape = self.shape(schema, at, &format!("{owner}{}", pascal(name, "Field")));
        let is_input = matches!(self.side, Side::Input { .. });
        if shape.is_nullable && !is_required && is_input {
            self.point(at, What::Differs("`null` is not sent: the member is left out instead".to_owned()));
        }
        let mut lines = String::new();
        let mut schemars: Vec<String> = Vec::new();
        let mut mcp: Vec<String> = Vec::new();
        if let Some(description) = self.description(schema) {
            let (comment, is_exact) = doc(&description, "    ");
            lines += &comment;
            if !is_exact && is_tool {
                mcp.push(format!("description = {}", string(&description)));
            } else if !is_exact {
                schemars.push(format!("description = {}", string(&description)));
            }
            self.compare_descriptions(schema, &description);
        }
        let ident = names::ident(field);
        let mut serde: Vec<String> = Vec::new();
        if ident.trim_start_matches("r#") != name {
            serde.push(format!("rename = {}", string(name)));
        }
        let is_option = !is_required || shape.is_nullable;
        if !is_required {
            serde.push("default".to_owned());
            serde.push("skip_serializing_if = \"Option::is_none\"".to_owned());
        }
        let mut beside = shape.beside.clone();
        let header = beside.shift_remove("x-mcp-header");
        // That is the meaning of `None`, and is not part of a definition.
        if is_input && !is_required && beside.get("default") == Some(&Value::Null) {
            beside.shift_remove("default");
        }
        // An optional member of a result is omitted instead of `null`.
        let is_optional_output = !is_input && !is_required && !shape.is_nullable;
        if !shape.is_exact || (is_required && shape.is_nullable) || (is_optional_output && !beside.is_empty())
        {
            let function = self.written_out(schema, at);
            schemars.push(format!("schema_with = {}", string(&function)));
        } else {
            if is_optional_output {
                schemars.push(format!("with = {}", string(&shape.text)));
            }
            schemars.extend(self.module.extension(&beside));
        }
        match header.as_ref().and_then(Value::as_str) {
            Some(header)
                if is_tool
                    && shape.is_exact
                    && is_header_name(header)
                    && self.can_be_header(schema)
                    && self.headers.insert(header.to_ascii_lowercase()) =>
            {
                mcp.push(format!("header = {}", string(header)));
            }
            Some(_) => self.differs(&below(at, "x-mcp-header"), "the header is left out"),
            None => {}
        }
        if schema.get("uniqueItems") == Some(&Value::Bool(true)) && is_input {
            self.differs(&below(at, "description"), "it says that an item which is given twice counts once");
        }
        for (attribute, words) in [("serde", serde), ("schemars", schemars), ("mcp", mcp)] {
            if !words.is_empty() {
                lines += &text::attribute("    ", attribute, &words);
            }
        }
        let text = if is_option { format!("Option<{}>", shape.text) } else { shape.text };
        lines + &format!("    pub {ident}: {text},\n")
    }
}

impl Types<'_> {
    /// Returns whether a value can be in a header: a string or a boolean. The derive also accepts integers, but only with bounds
    /// of its own.
    fn can_be_header(&self, schema: &Value) -> bool {
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|place| resolve(place, self.root));
        let kind = target.unwrap_or(schema).get("type").and_then(Value::as_str);
        matches!(kind, Some("string" | "boolean"))
    }

    /// Lists the description of a shared schema that has a different one here.
    fn compare_descriptions(&mut self, schema: &Value, shown: &str) {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { return };
        let target = resolve(reference, self.root).and_then(|target| self.description(target));
        if target.is_some_and(|target| target != shown) {
            let pointer = format!("{}{}", self.side.place(), reference.trim_start_matches('#'));
            self.differs(&pointer, "its description is that of the places that refer to it");
        }
    }
}

/// Returns the field for unlisted members.
fn others(name: &str, text: &str) -> String {
    format!("    /// Members that are not listed.\n    #[serde(flatten)]\n    pub {name}: {text},\n")
}

/// Returns whether the derive accepts the name (RFC 9110, section 5.6.2).
fn is_header_name(name: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_token)
}
