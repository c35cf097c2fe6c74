//! JSON with comments and trailing commas, as editors' settings are written.

use std::ops::Range;

use jsonc_parser::ast::{ObjectPropName, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::node::{Data, MAX_DEPTH, Member, Node, too_deep};
use super::problem::{Problem, ProblemKind};

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

/// The tree of a document.
///
/// # Errors
/// The first thing that is not JSON.
pub(super) fn parse(text: &str) -> Result<Node, Box<Problem>> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &OPTIONS).map_err(|error| {
        let range = error.range();
        match error.kind() {
            ParseErrorKind::NestingDepthExceeded => too_deep(range.start..range.end),
            kind => broken(range.start..range.end, &kind.to_string()),
        }
    })?;
    let value = parsed.value.ok_or_else(|| syntax(0..0, "the file is empty"))?;
    node(value, 0)
}

/// Whether there are comments in a document.
pub(super) fn has_comments(text: &str) -> bool {
    let collect = CollectOptions { comments: CommentCollectionStrategy::Separate, tokens: false };
    let comments = parse_to_ast(text, &collect, &OPTIONS).ok().and_then(|parsed| parsed.comments);
    comments.is_some_and(|comments| !comments.is_empty())
}

/// An error in the notation. `what` is a sentence of the parser.
pub(super) fn syntax(span: Range<usize>, what: &str) -> Box<Problem> {
    let mut characters = what.chars();
    let first = characters.next().into_iter().flat_map(char::to_lowercase);
    Box::new(Problem::error(ProblemKind::Syntax, span, first.chain(characters).collect::<String>()))
}

/// A problem of notation, where the parser says no more than what it found.
pub(super) fn broken(span: Range<usize>, what: &str) -> Box<Problem> {
    Box::new(syntax(span, what).help("check the brackets, quotes and separators around this place"))
}

fn node(value: Value<'_>, depth: usize) -> Result<Node, Box<Problem>> {
    let range = value.range();
    let span = range.start..range.end;
    if depth > MAX_DEPTH {
        return Err(too_deep(span));
    }
    let data = match value {
        Value::NullKeyword(_) => Data::Null,
        Value::BooleanLit(literal) => Data::Bool(literal.value),
        Value::NumberLit(literal) => match literal.value.parse() {
            Ok(number) => Data::Number(number),
            Err(_) => return Err(syntax(span, "this number is too large")),
        },
        Value::StringLit(literal) => Data::Text(literal.value.into_owned()),
        Value::Array(array) => Data::List(
            array.elements.into_iter().map(|item| node(item, depth + 1)).collect::<Result<_, _>>()?,
        ),
        Value::Object(object) => {
            let mut members = Vec::with_capacity(object.properties.len());
            for property in object.properties {
                let range = property.name.range();
                let name = match property.name {
                    ObjectPropName::String(literal) => literal.value.into_owned(),
                    ObjectPropName::Word(word) => word.value.to_owned(),
                };
                let value = node(property.value, depth + 1)?;
                members.push(Member { name, name_span: range.start..range.end, value });
            }
            Data::Members(members)
        }
    };
    Ok(Node::new(span, data))
}
