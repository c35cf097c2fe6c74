//! The input of a derive: the type, its `mcp` attributes and its serde attributes.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use serde_derive_internals::ast::{self, Container, Data, Style};
use serde_derive_internals::{Ctxt, Derive};
use syn::{
    Data as Body, DeriveInput, Fields, GenericArgument, GenericParam, Ident, Path, PathArguments, Type,
    Variant,
};

use crate::attr::keys::Place;
use crate::attr::{FieldAttributes, ItemAttributes, ToolsetAttributes};
use crate::errors::Errors;
use crate::text;

/// The input of `#[derive(Tool)]`, `#[derive(Prompt)]` or `#[derive(Resource)]`.
pub(crate) struct Item<'a> {
    pub(crate) kind: Kind,
    pub(crate) input: &'a DeriveInput,
    pub(crate) attributes: ItemAttributes,
    /// The doc comment, as an expression.
    pub(crate) documentation: Option<TokenStream>,
    pub(crate) shape: Shape,
    /// The fields that have names in JSON, or would have if serde did not skip them.
    pub(crate) fields: Vec<Field<'a>>,
    /// What serde's attributes say; none for a union.
    pub(crate) serde: Option<Container<'a>>,
}

/// What the input becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Tool,
    Prompt,
    Resource,
}

impl Kind {
    /// The kind with its article, for messages.
    pub(crate) fn noun(self) -> &'static str {
        self.place().description()
    }

    /// The kind as a word, for messages.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
        }
    }

    /// The derive.
    pub(crate) fn derive(self) -> &'static str {
        match self {
            Self::Tool => "Tool",
            Self::Prompt => "Prompt",
            Self::Resource => "Resource",
        }
    }

    /// What its fields are.
    pub(crate) fn fields(self) -> &'static str {
        match self {
            Self::Tool | Self::Prompt => "arguments",
            Self::Resource => "variables",
        }
    }

    /// Where the keys of the type are.
    fn place(self) -> Place {
        match self {
            Self::Tool => Place::Tool,
            Self::Prompt => Place::Prompt,
            Self::Resource => Place::Resource,
        }
    }

    /// Where the keys of a field are.
    fn place_of_field(self) -> Place {
        match self {
            Self::Tool => Place::Field,
            Self::Prompt | Self::Resource => Place::Argument,
        }
    }
}

/// What serde reads for the whole input.
pub(crate) enum Shape {
    /// An object with the fields as members.
    Object,
    /// `struct Name;`.
    Unit,
    /// Whatever this other type reads.
    Like(Box<Type>),
    /// An object with a member that names the variant. The types are the payloads of newtype variants.
    Tagged(Vec<Type>),
    /// A shape that arguments cannot have; `check` says why.
    NotAnObject,
}

/// A field of an item, or of a variant of a tool.
pub(crate) struct Field<'a> {
    pub(crate) original: &'a syn::Field,
    /// The name in JSON.
    pub(crate) name: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) role: Role,
    /// Whether a custom function deserializes it, whatever its type.
    pub(crate) is_read_by_function: bool,
    pub(crate) attributes: FieldAttributes,
}

/// What a field is to a caller.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A member of the arguments under its own name.
    Argument,
    /// The members of its type are members of the arguments.
    Flattened,
    /// Serde never reads it.
    Skipped,
    /// The field of a newtype, or a place in a tuple.
    Nameless,
    /// Serde reads another type instead of the struct.
    Replaced,
}

impl<'a> Item<'a> {
    pub(crate) fn read(kind: Kind, input: &'a DeriveInput, errors: &Errors) -> Self {
        let context = Ctxt::new();
        let private = Ident::new("__private", Span::call_site());
        let serde = Container::from_ast(&context, input, Derive::Deserialize, &private);
        // Mistakes in serde's attributes are for serde's own derive to report.
        let _ = context.check();
        Self {
            kind,
            input,
            attributes: ItemAttributes::read(&input.attrs, kind.place(), errors),
            documentation: text::documentation(&input.attrs),
            shape: serde.as_ref().map_or(Shape::NotAnObject, Shape::of),
            fields: serde.as_ref().map_or(Vec::new(), |container| fields_of(container, kind, errors)),
            serde,
        }
    }

    /// The name that clients use.
    pub(crate) fn name(&self) -> String {
        match &self.attributes.name {
            Some(given) => given.value.value(),
            None => text::snake_case(&self.input.ident.to_string()),
        }
    }

    pub(crate) fn crate_path(&self) -> Option<&Path> {
        self.attributes.crate_path.as_ref().map(|given| &given.value)
    }

    /// Whether the struct has no fields, so that there is nothing to read.
    pub(crate) fn is_fieldless(&self) -> bool {
        let is_object = matches!(self.shape, Shape::Unit | Shape::Object);
        is_object && matches!(&self.input.data, Body::Struct(body) if body.fields.is_empty())
    }

    /// Fields whose types are references, which cannot be read from a message. Not those of a type with lifetimes: these are the
    /// mistake there.
    pub(crate) fn borrowed_fields(&self) -> impl Iterator<Item = &syn::Field> {
        let container = self.serde.as_ref().filter(|_| self.input.generics.lifetimes().next().is_none());
        container
            .into_iter()
            .flat_map(|container| container.data.all_fields())
            .filter(|field| {
                !field.attrs.skip_deserializing()
                    && field.attrs.deserialize_with().is_none()
                    && borrows(field.ty)
            })
            .map(|field| field.original)
    }

    /// Whether `inner` does not depend on the type parameters of the item.
    pub(crate) fn is_concrete(&self, inner: &Type) -> bool {
        let is_parameter = |ident: &Ident| {
            self.input.generics.params.iter().any(|parameter| match parameter {
                GenericParam::Lifetime(_) => false,
                GenericParam::Type(parameter) => parameter.ident == *ident,
                GenericParam::Const(parameter) => parameter.ident == *ident,
            })
        };
        let mentions_lifetimes = self.input.generics.lifetimes().next().is_some();
        !mentions_lifetimes && !any_ident(inner.to_token_stream(), &is_parameter)
    }
}

/// Whether the type, or a parameter of it such as that of `Option`, is a reference.
fn borrows(ty: &Type) -> bool {
    match ty {
        Type::Reference(_) => true,
        Type::Path(path) => path.path.segments.last().is_some_and(|segment| match &segment.arguments {
            _ if segment.ident == "PhantomData" => false,
            PathArguments::AngleBracketed(arguments) => arguments
                .args
                .iter()
                .any(|argument| matches!(argument, GenericArgument::Type(inner) if borrows(inner))),
            _ => false,
        }),
        _ => false,
    }
}

/// Whether one of the tokens, at any depth, is a matching identifier.
pub(crate) fn any_ident(tokens: TokenStream, matches: &impl Fn(&Ident) -> bool) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => matches(&ident),
        TokenTree::Group(group) => any_ident(group.stream(), matches),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

impl Shape {
    fn of(container: &Container<'_>) -> Self {
        use serde_derive_internals::attr::{Identifier, TagType};

        let attributes = &container.attrs;
        if attributes.remote().is_some() || !matches!(attributes.identifier(), Identifier::No) {
            return Self::NotAnObject;
        }
        if let Some(source) = attributes.type_from().or(attributes.type_try_from()) {
            return Self::Like(Box::new(source.clone()));
        }
        match &container.data {
            Data::Struct(Style::Unit, _) => Self::Unit,
            Data::Struct(Style::Newtype, fields) => Self::Like(Box::new(fields[0].ty.clone())),
            Data::Struct(Style::Tuple, _) => Self::NotAnObject,
            Data::Struct(Style::Struct, fields) if attributes.transparent() => fields
                .iter()
                .find(|field| field.attrs.transparent())
                .map_or(Self::NotAnObject, |field| Self::Like(Box::new(field.ty.clone()))),
            Data::Struct(Style::Struct, _) => Self::Object,
            Data::Enum(variants) => match attributes.tag() {
                TagType::Internal { .. } if !variants.is_empty() => Self::Tagged(
                    variants
                        .iter()
                        .filter(|variant| matches!(variant.style, Style::Newtype))
                        .map(|variant| variant.fields[0].ty.clone())
                        .collect(),
                ),
                _ => Self::NotAnObject,
            },
        }
    }
}

fn fields_of<'a>(container: &Container<'a>, kind: Kind, errors: &Errors) -> Vec<Field<'a>> {
    let replaced = is_replaced(container);
    let read = |field| Field::read(field, replaced, kind.place_of_field(), errors);
    match &container.data {
        Data::Struct(_, fields) => fields.iter().map(read).collect(),
        Data::Enum(variants) => variants.iter().flat_map(|variant| &variant.fields).map(read).collect(),
    }
}

/// Whether serde deserializes a different type than the one that is written.
fn is_replaced(container: &Container<'_>) -> bool {
    let attributes = &container.attrs;
    attributes.transparent() || attributes.type_from().or(attributes.type_try_from()).is_some()
}

impl<'a> Field<'a> {
    fn read(field: &ast::Field<'a>, replaced: bool, place: Place, errors: &Errors) -> Self {
        let name = field.attrs.name().deserialize_name().value.clone();
        let aliases = field.attrs.aliases().iter().map(|alias| alias.value.clone());
        Self {
            original: field.original,
            aliases: aliases.filter(|alias| *alias != name).collect(),
            name,
            role: match &field.original.ident {
                None => Role::Nameless,
                Some(_) if replaced => Role::Replaced,
                Some(_) if field.attrs.skip_deserializing() => Role::Skipped,
                Some(_) if field.attrs.flatten() => Role::Flattened,
                Some(_) => Role::Argument,
            },
            is_read_by_function: field.attrs.deserialize_with().is_some(),
            attributes: FieldAttributes::read(&field.original.attrs, place, errors),
        }
    }
}

/// The name of the set that a `#[handlers]` block derives. Users do not write it.
pub(crate) const SET_OF_BLOCK: &str = "__Tools";

/// The input of `#[derive(Toolset)]`.
pub(crate) struct Toolset<'a> {
    pub(crate) input: &'a DeriveInput,
    pub(crate) attributes: ToolsetAttributes,
    /// The variants that hold a tool; `check` reports the others.
    pub(crate) tools: Vec<Member<'a>>,
}

/// A variant that holds a tool.
pub(crate) struct Member<'a> {
    pub(crate) variant: &'a Ident,
    pub(crate) tool: &'a Type,
}

impl<'a> Toolset<'a> {
    pub(crate) fn read(input: &'a DeriveInput, errors: &Errors) -> Self {
        let tools = match &input.data {
            Body::Enum(body) => body.variants.iter().filter_map(Member::of).collect(),
            Body::Struct(_) | Body::Union(_) => Vec::new(),
        };
        Self { input, attributes: ToolsetAttributes::read(&input.attrs, errors), tools }
    }

    /// Whether a match needs an arm besides those of the tools.
    pub(crate) fn has_other_variants(&self) -> bool {
        match &self.input.data {
            Body::Enum(body) => self.tools.is_empty() || self.tools.len() < body.variants.len(),
            Body::Struct(_) | Body::Union(_) => true,
        }
    }

    pub(crate) fn crate_path(&self) -> Option<&Path> {
        self.attributes.crate_path.as_ref().map(|given| &given.value)
    }
}

impl<'a> Member<'a> {
    fn of(variant: &'a Variant) -> Option<Self> {
        match &variant.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                Some(Self { variant: &variant.ident, tool: &fields.unnamed[0].ty })
            }
            _ => None,
        }
    }
}
