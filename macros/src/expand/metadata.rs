//! `ToolMetadata` and its parts as constant expressions.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::LitStr;
use syn::spanned::Spanned;

use super::{option, source_location};
use crate::attr::{AttributeValue, FieldAttributes, Icon, Json, Task, keys};
use crate::json::{self, Object};
use crate::model::{Field, Item, Role, Shape};

/// The constant `METADATA` of a tool.
pub(super) fn of_tool(tool: &Item<'_>, private: &TokenStream) -> TokenStream {
    let attributes = &tool.attributes;
    let title = option(attributes.title.as_ref().map(|given| &given.value));
    let description = match &attributes.description {
        Some(given) => option(Some(&given.value)),
        None => option(tool.documentation.as_ref()),
    };
    let [read_only, destructive, idempotent, open_world] =
        [&attributes.read_only, &attributes.destructive, &attributes.idempotent, &attributes.open_world]
            .map(|hint| option(hint.as_ref().map(|given| given.value)));
    let icons = attributes.icons.iter().map(icon);
    let meta = option(attributes.meta.as_ref().map(|given| object(&given.value)));
    let [scopes, was, tags] =
        [&attributes.scopes, &attributes.was, &attributes.tags].map(|given| strings(given.as_ref()));
    let context = option(attributes.context.as_ref().map(|given| &given.value));
    let task = option(attributes.task.as_ref().and_then(|given| match given.value {
        Task::Never => None,
        Task::Optional => Some(quote!(#private::TaskSupport::Optional)),
        Task::Required => Some(quote!(#private::TaskSupport::Required)),
    }));
    let allow_unknown = attributes.allow_unknown.as_ref().is_some_and(|given| given.value);
    let output = option(attributes.output.as_ref().map(|given| {
        let output = &given.value;
        quote_spanned!(output.span()=> #private::output_schema::<#output>)
    }));
    let shape = match tool.shape {
        Shape::Unit => quote!(Unit),
        Shape::Object | Shape::Like(_) | Shape::Tagged(_) | Shape::NotAnObject => quote!(Object),
    };
    let fields = tool.fields.iter().filter_map(|field| field_metadata(field, private));
    let source = source_location(private, tool.input.ident.span());
    quote! {
        #private::ToolMetadata {
            title: #title,
            description: #description,
            hints: #private::Hints {
                read_only: #read_only,
                destructive: #destructive,
                idempotent: #idempotent,
                open_world: #open_world,
            },
            icons: &[#(#icons),*],
            meta: #meta,
            scopes: #scopes,
            was: #was,
            tags: #tags,
            context: #context,
            task: #task,
            allow_unknown: #allow_unknown,
            output: #output,
            shape: #private::InputShape::#shape,
            fields: &[#(#fields),*],
            source: #source,
        }
    }
}

fn strings(given: Option<&AttributeValue<Vec<LitStr>>>) -> TokenStream {
    let strings = given.into_iter().flat_map(|given| &given.value);
    quote!(&[#(#strings),*])
}

/// The JSON of an MCP `Icon`.
pub(super) fn icon(icon: &Icon) -> String {
    let mut object = Object::default();
    let text = |given: &Option<AttributeValue<LitStr>>| {
        given.as_ref().map(|given| json::string(&given.value.value()))
    };
    if let Some(src) = text(&icon.src) {
        object.add("src", &src);
    }
    if let Some(mime_type) = text(&icon.mime_type) {
        object.add("mimeType", &mime_type);
    }
    if let Some(sizes) = &icon.sizes {
        object.add("sizes", &json::array(sizes.value.iter().map(|size| json::string(&size.value()))));
    }
    if let Some(theme) = text(&icon.theme) {
        object.add("theme", &theme);
    }
    object.finish()
}

fn object(members: &[(LitStr, Json)]) -> String {
    let mut object = Object::default();
    for (name, value) in members {
        object.add(&name.value(), &value.text);
    }
    object.finish()
}

/// The `FieldMetadata` of a field, if it has any attributes.
pub(super) fn field_metadata(field: &Field<'_>, private: &TokenStream) -> Option<TokenStream> {
    let silent = field.attributes.keys.is_empty() && field.aliases.is_empty();
    if silent || field.role != Role::Argument {
        return None;
    }
    let name = &field.name;
    let aliases = &field.aliases;
    let schema = keywords(&field.attributes);
    let secret = field.attributes.is_secret();
    let credential = field.attributes.is_credential();
    Some(quote! {
        #private::FieldMetadata {
            name: #name,
            aliases: &[#(#aliases),*],
            schema: #schema,
            secret: #secret,
            credential: #credential,
        }
    })
}

/// The keywords that a field's attributes add to its schema, as JSON.
fn keywords(attributes: &FieldAttributes) -> String {
    let mut schema = Object::default();
    for (keyword, text) in [
        ("title", &attributes.title),
        ("description", &attributes.description),
        ("format", &attributes.format),
        ("pattern", &attributes.pattern),
    ] {
        if let Some(given) = text {
            schema.add(keyword, &json::string(&given.value.value()));
        }
    }
    for (keyword, number) in [
        ("minLength", &attributes.min_length),
        ("maxLength", &attributes.max_length),
        ("minimum", &attributes.minimum),
        ("maximum", &attributes.maximum),
        ("exclusiveMinimum", &attributes.exclusive_minimum),
        ("exclusiveMaximum", &attributes.exclusive_maximum),
        ("multipleOf", &attributes.multiple_of),
        ("minItems", &attributes.min_items),
        ("maxItems", &attributes.max_items),
    ] {
        if let Some(given) = number {
            schema.add(keyword, &given.value.json);
        }
    }
    let examples: Vec<&str> = attributes.all_examples().map(|example| example.text.as_str()).collect();
    if !examples.is_empty() {
        schema.add(keys::EXAMPLES, &json::array(examples));
    }
    if let Some(header) = &attributes.header {
        schema.add("x-mcp-header", &json::string(&header.value.value()));
    }
    if attributes.is_secret() {
        schema.add("writeOnly", "true");
    }
    schema.finish()
}
