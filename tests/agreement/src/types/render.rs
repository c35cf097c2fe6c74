//! A generated type as Rust.

use std::fmt::Write as _;

use super::{
    Body, Definition, Field, Leaf, Model, PATTERNS, Preset, Role, Rule, Secrecy, Shape, Skip, Tagging, Type,
    Variant, With,
};

/// The types of `model`, with the tool as `Root`.
pub fn render(model: &Model) -> String {
    let mut rust = String::new();
    for (at, definition) in model.definitions.iter().enumerate() {
        Renderer { model, definition, is_tool: at == 0, functions: String::new() }.definition(&mut rust);
    }
    rust
}

struct Renderer<'m> {
    model: &'m Model,
    definition: &'m Definition,
    is_tool: bool,
    /// Functions and impls that the attributes name.
    functions: String,
}

impl Renderer<'_> {
    fn definition(mut self, rust: &mut String) {
        let definition = self.definition;
        let mut derives = "Debug, Clone, Serialize, Deserialize, JsonSchema".to_owned();
        if definition.is_plain_enum() {
            derives.push_str(", PartialEq, Eq, PartialOrd, Ord, Hash");
        }
        if self.is_tool {
            derives.push_str(", Tool");
        }
        doc(rust, definition.doc.as_deref(), "");
        line(rust, &format!("#[derive({derives})]"));
        if self.is_tool {
            let name = &self.model.name;
            line(rust, &format!("#[mcp(crate = test_agreement::toolwright, name = \"{name}\")]"));
        }
        let attributes = self.container();
        serde(rust, &attributes, "");
        let name = &definition.name;
        let parameters = if definition.is_generic { "<T>" } else { "" };
        match &definition.shape {
            Shape::Unit => line(rust, &format!("pub struct {name};")),
            Shape::Newtype(field, _) => self.tuple(rust, std::slice::from_ref(&**field)),
            Shape::Tuple(fields) => self.tuple(rust, fields),
            Shape::Struct(fields) => {
                line(rust, &format!("pub struct {name}{parameters} {{"));
                for field in fields {
                    self.field(rust, field, "pub ", "    ");
                }
                line(rust, "}");
                if definition.has_default {
                    self.default_of_all(fields);
                }
            }
            Shape::Enum(_, variants) => {
                line(rust, &format!("pub enum {name} {{"));
                for variant in variants {
                    self.variant(rust, variant);
                }
                line(rust, "}");
            }
            Shape::From(via) | Shape::TryFrom(via) => self.from(rust, via),
        }
        rust.push_str(&self.functions);
    }

    fn container(&self) -> Vec<String> {
        let definition = self.definition;
        let mut attributes = Vec::new();
        let mut add = |attribute: String| attributes.push(attribute);
        if let Some(style) = definition.rename_all {
            add(format!("rename_all = \"{}\"", style.name()));
        }
        if let Some(style) = definition.rename_fields {
            add(format!("rename_all_fields = \"{}\"", style.name()));
        }
        if definition.is_closed {
            add("deny_unknown_fields".to_owned());
        }
        if definition.has_default {
            add("default".to_owned());
        }
        match &definition.shape {
            Shape::Newtype(_, true) => add("transparent".to_owned()),
            Shape::Enum(Tagging::Internal(tag), _) => add(format!("tag = \"{tag}\"")),
            Shape::Enum(Tagging::Adjacent(tag, content), _) => {
                add(format!("tag = \"{tag}\", content = \"{content}\""));
            }
            Shape::Enum(Tagging::Untagged, _) => add("untagged".to_owned()),
            Shape::From(via) => {
                let via = self.rust(via);
                add(format!("from = \"{via}\", into = \"{via}\""));
            }
            Shape::TryFrom(via) => {
                let via = self.rust(via);
                add(format!("try_from = \"{via}\", into = \"{via}\""));
            }
            _ => {}
        }
        attributes
    }

    fn tuple(&mut self, rust: &mut String, fields: &[Field]) {
        let name = &self.definition.name;
        if let [field] = fields
            && self.attributes(field).is_empty()
        {
            line(rust, &format!("pub struct {name}(pub {});", self.rust(&field.of)));
            return;
        }
        line(rust, &format!("pub struct {name}("));
        for field in fields {
            self.place(rust, field, "pub ", "    ");
        }
        line(rust, ");");
    }

    fn variant(&mut self, rust: &mut String, variant: &Variant) {
        doc(rust, variant.doc.as_deref(), "    ");
        let mut attributes = Vec::new();
        if let Some(name) = &variant.rename {
            attributes.push(format!("rename = \"{name}\""));
        }
        attributes.extend(variant.aliases.iter().map(|alias| format!("alias = \"{alias}\"")));
        match variant.role {
            Role::Plain => {}
            Role::Other => attributes.push("other".to_owned()),
            Role::Untagged => attributes.push("untagged".to_owned()),
            Role::Skipped => attributes.push("skip".to_owned()),
        }
        serde(rust, &attributes, "    ");
        let name = &variant.name;
        match &variant.body {
            Body::Unit => line(rust, &format!("    {name},")),
            Body::Newtype(field) => self.variant_tuple(rust, name, std::slice::from_ref(&**field)),
            Body::Tuple(fields) => self.variant_tuple(rust, name, fields),
            Body::Struct(fields) => {
                line(rust, &format!("    {name} {{"));
                for field in fields {
                    self.field(rust, field, "", "        ");
                }
                line(rust, "    },");
            }
        }
    }

    fn variant_tuple(&mut self, rust: &mut String, name: &str, fields: &[Field]) {
        line(rust, &format!("    {name}("));
        for field in fields {
            self.place(rust, field, "", "        ");
        }
        line(rust, "    ),");
    }

    fn field(&mut self, rust: &mut String, field: &Field, visibility: &str, indent: &str) {
        doc(rust, field.doc.as_deref(), indent);
        for attribute in self.attributes(field) {
            line(rust, &format!("{indent}{attribute}"));
        }
        line(rust, &format!("{indent}{visibility}{}: {},", field.name, self.rust(&field.of)));
    }

    fn place(&mut self, rust: &mut String, field: &Field, visibility: &str, indent: &str) {
        for attribute in self.attributes(field) {
            line(rust, &format!("{indent}{attribute}"));
        }
        line(rust, &format!("{indent}{visibility}{},", self.rust(&field.of)));
    }

    fn attributes(&mut self, field: &Field) -> Vec<String> {
        let mut serde = Vec::new();
        let mut schemars = Vec::new();
        let mut ours = Vec::new();
        if let Some(name) = &field.rename {
            serde.push(format!("rename = \"{name}\""));
        }
        serde.extend(field.aliases.iter().map(|alias| format!("alias = \"{alias}\"")));
        match &field.default {
            Preset::None => {}
            Preset::Plain => serde.push("default".to_owned()),
            Preset::Function(json) => {
                let function = self.function(field, json);
                serde.push(format!("default = \"{function}\""));
            }
        }
        match field.skip {
            Skip::Never => {}
            Skip::Both => serde.push("skip".to_owned()),
            Skip::Reading => serde.push("skip_deserializing".to_owned()),
            Skip::Writing => serde.push("skip_serializing".to_owned()),
            Skip::WritingNone => serde.push("skip_serializing_if = \"Option::is_none\"".to_owned()),
        }
        if field.is_flat {
            serde.push("flatten".to_owned());
        }
        match field.with {
            None => {}
            Some(With::Digits) => {
                serde.push("with = \"test_agreement::forms::digits\"".to_owned());
                schemars.push("with = \"String\", regex(pattern = r\"^(0|[1-9][0-9]*)$\")".to_owned());
            }
            Some(With::Double) => {
                serde.push("deserialize_with = \"test_agreement::forms::double\"".to_owned());
                schemars.push(format!("with = \"{}\"", self.rust(&field.of)));
            }
        }
        if let Some(rule) = &field.rule {
            if field.is_rule_ours && !matches!(rule, Rule::ItemPattern(_)) {
                ours.push(Self::our_rule(rule, &field.of));
            } else {
                schemars.push(schemars_rule(rule));
            }
        }
        match field.secrecy {
            Secrecy::None => {}
            Secrecy::Secret => ours.push("secret".to_owned()),
            Secrecy::Credential => ours.push("credential".to_owned()),
        }
        [("serde", serde), ("schemars", schemars), ("mcp", ours)]
            .into_iter()
            .filter(|(_, words)| !words.is_empty())
            .map(|(name, words)| format!("#[{name}({})]", words.join(", ")))
            .collect()
    }

    fn our_rule(rule: &Rule, of: &Type) -> String {
        let of = if let Type::Option(inner) = of { inner } else { of };
        match rule {
            Rule::Range(least, most) => format!("minimum = {least}, maximum = {most}"),
            Rule::Length(least, most) if matches!(of, Type::List(_)) => {
                format!("min_items = {least}, max_items = {most}")
            }
            Rule::Length(least, most) => format!("min_length = {least}, max_length = {most}"),
            Rule::Pattern(at) | Rule::ItemPattern(at) => format!("pattern = r\"{}\"", PATTERNS[*at].0),
        }
    }

    /// A function that gives the value of `json`, and its name.
    fn function(&mut self, field: &Field, json: &str) -> String {
        let number = self.functions.matches("fn ").count();
        let name = format!("preset_{}_{number}", self.definition.name.to_lowercase());
        let value = self.sample(field, json);
        let of = self.rust(&field.of);
        let _ = writeln!(self.functions, "fn {name}() -> {of} {{ {value} }}");
        name
    }

    fn sample(&self, field: &Field, json: &str) -> String {
        match field.with {
            Some(With::Digits) => json.trim_matches('"').to_owned(),
            _ => format!("test_agreement::forms::sample::<{}>(r###\"{json}\"###)", self.rust(&field.of)),
        }
    }

    fn default_of_all(&mut self, fields: &[Field]) {
        let mut members = String::new();
        for field in fields {
            let json = match &field.default {
                Preset::Function(json) => json.clone(),
                _ => super::Writer::new(self.model)
                    .field(field, None, &mut crate::choices::Choices::new(&[1; 64]), 0)
                    .to_string(),
            };
            let value =
                if field.is_read() { self.sample(field, &json) } else { "Default::default()".to_owned() };
            let _ = write!(members, "{}: {value}, ", field.name);
        }
        let name = &self.definition.name;
        let _ = writeln!(
            self.functions,
            "impl Default for {name} {{ fn default() -> Self {{ Self {{ {members}}} }} }}"
        );
    }

    fn from(&mut self, rust: &mut String, via: &Type) {
        let name = &self.definition.name;
        let tries = matches!(self.definition.shape, Shape::TryFrom(_));
        let via = self.rust(via);
        line(rust, &format!("pub struct {name}(pub {via});"));
        let _ = writeln!(
            self.functions,
            "impl From<{name}> for {via} {{ fn from(far: {name}) -> Self {{ far.0 }} }}"
        );
        let _ = if tries {
            writeln!(
                self.functions,
                "impl TryFrom<{via}> for {name} {{ type Error = String; \
                 fn try_from(near: {via}) -> Result<Self, String> {{ Ok(Self(near)) }} }}"
            )
        } else {
            writeln!(
                self.functions,
                "impl From<{via}> for {name} {{ fn from(near: {via}) -> Self {{ Self(near) }} }}"
            )
        };
    }

    fn rust(&self, of: &Type) -> String {
        match of {
            Type::Leaf(leaf) => Leaf::rust(*leaf).to_owned(),
            Type::Option(one) => format!("Option<{}>", self.rust(one)),
            Type::Boxed(one) => format!("Box<{}>", self.rust(one)),
            Type::List(one) => format!("Vec<{}>", self.rust(one)),
            Type::Set(one) => format!("BTreeSet<{}>", self.rust(one)),
            Type::Array(one, count) => format!("[{}; {count}]", self.rust(one)),
            Type::Tuple(items) => {
                let items: String = items.iter().map(|item| self.rust(item) + ", ").collect();
                format!("({items})")
            }
            Type::Map(key, one) => format!("BTreeMap<{}, {}>", self.rust(key), self.rust(one)),
            Type::Hashed(one) => self.rust(one).replacen("BTree", "Hash", 1),
            Type::Named(at, argument) => {
                let name = &self.model.definitions[*at].name;
                argument.as_ref().map_or_else(|| name.clone(), |of| format!("{name}<{}>", self.rust(of)))
            }
            Type::Parameter => "T".to_owned(),
        }
    }
}

fn schemars_rule(rule: &Rule) -> String {
    match rule {
        Rule::Range(least, most) => format!("range(min = {least}, max = {most})"),
        Rule::Length(least, most) => format!("length(min = {least}, max = {most})"),
        Rule::Pattern(at) => format!("regex(pattern = r\"{}\")", PATTERNS[*at].0),
        Rule::ItemPattern(at) => format!("inner(regex(pattern = r\"{}\"))", PATTERNS[*at].0),
    }
}

fn doc(rust: &mut String, text: Option<&str>, indent: &str) {
    for text in text.into_iter().flat_map(str::lines) {
        line(rust, &format!("{indent}/// {text}"));
    }
}

fn serde(rust: &mut String, attributes: &[String], indent: &str) {
    if !attributes.is_empty() {
        line(rust, &format!("{indent}#[serde({})]", attributes.join(", ")));
    }
}

fn line(rust: &mut String, text: &str) {
    rust.push_str(text);
    rust.push('\n');
}
