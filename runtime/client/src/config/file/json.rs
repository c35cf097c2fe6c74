//! JSON with comments and trailing commas, as in the settings of editors.

use std::ops::Range;

use jsonc_parser::ast::{ObjectPropName, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::node::{Data, MAX_DEPTH, Member, Node, nesting_error};
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

/// Parses a document.
///
/// # Errors
/// The first syntax error.
pub(super) fn parse(text: &str) -> Result<Node, Box<Problem>> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &OPTIONS).map_err(|error| {
        let range = error.range();
        match error.kind() {
            ParseErrorKind::NestingDepthExceeded => nesting_error(range.start..range.end),
            kind => parse_error(range.start..range.end, &kind.to_string()),
        }
    })?;
    let value = parsed.value.ok_or_else(|| syntax_error(0..0, "the file is empty"))?;
    convert(value, 0)
}

/// Returns whether a document has comments.
pub(super) fn has_comments(text: &str) -> bool {
    let collect = CollectOptions { comments: CommentCollectionStrategy::Separate, tokens: false };
    let comments = parse_to_ast(text, &collect, &OPTIONS).ok().and_then(|parsed| parsed.comments);
    comments.is_some_and(|comments| !comments.is_empty())
}

/// Creates a syntax error; `message` may start with a capital letter.
pub(super) fn syntax_error(span: Range<usize>, message: &str) -> Box<Problem> {
    let mut characters = message.chars();
    let first = characters.next().into_iter().flat_map(char::to_lowercase);
    Box::new(Problem::error(ProblemKind::Syntax, span, first.chain(characters).collect::<String>()))
}

/// Creates a syntax error with the message of a parser, and general advice.
pub(super) fn parse_error(span: Range<usize>, message: &str) -> Box<Problem> {
    Box::new(
        syntax_error(span, message).help("check the brackets, quotes and separators around this position"),
    )
}

fn convert(value: Value<'_>, depth: usize) -> Result<Node, Box<Problem>> {
    let range = value.range();
    let span = range.start..range.end;
    if depth > MAX_DEPTH {
        return Err(nesting_error(span));
    }
    let data = match value {
        Value::NullKeyword(_) => Data::Null,
        Value::BooleanLit(literal) => Data::Bool(literal.value),
        Value::NumberLit(literal) => match literal.value.parse() {
            Ok(number) => Data::Number(number),
            Err(_) => return Err(syntax_error(span, "this number is too large")),
        },
        Value::StringLit(literal) => Data::String(literal.value.into_owned()),
        Value::Array(array) => Data::Array(
            array.elements.into_iter().map(|item| convert(item, depth + 1)).collect::<Result<_, _>>()?,
        ),
        Value::Object(object) => {
            let mut members = Vec::with_capacity(object.properties.len());
            for property in object.properties {
                let range = property.name.range();
                let name = match property.name {
                    ObjectPropName::String(literal) => literal.value.into_owned(),
                    ObjectPropName::Word(word) => word.value.to_owned(),
                };
                let value = convert(property.value, depth + 1)?;
                members.push(Member { name, name_span: range.start..range.end, value });
            }
            Data::Object(members)
        }
    };
    Ok(Node::new(span, data))
}
