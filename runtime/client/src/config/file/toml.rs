//! TOML.

use serde_json::Number;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, de};

use super::json::{parse_error, syntax_error};
use super::node::{Data, MAX_DEPTH, Member, Node, nesting_error};
use super::problem::Problem;

/// Parses a document, with its members in the order of the file.
///
/// # Errors
/// The first syntax error, and numbers that JSON does not support.
pub(super) fn parse(text: &str) -> Result<Node, Box<Problem>> {
    let table = DeTable::parse(text).map_err(|error: de::Error| {
        let span = error.span().unwrap_or(0..0);
        parse_error(span, error.message())
    })?;
    let span = table.span();
    let members = convert_table(table.into_inner(), text, 0)?;
    Ok(Node::new(span, Data::Object(members)))
}

fn convert_table(table: DeTable<'_>, text: &str, depth: usize) -> Result<Vec<Member>, Box<Problem>> {
    let mut members = Vec::with_capacity(table.len());
    for (key, value) in table {
        let name_span = key.span();
        let value = convert(value, text, depth + 1)?;
        members.push(Member { name: key.into_inner().into_owned(), name_span, value });
    }
    members.sort_by_key(|member| member.name_span.start);
    Ok(members)
}

fn convert(value: Spanned<DeValue<'_>>, text: &str, depth: usize) -> Result<Node, Box<Problem>> {
    let span = value.span();
    if depth > MAX_DEPTH {
        return Err(nesting_error(span));
    }
    let invalid_number = || syntax_error(span.clone(), "this number is not supported");
    let data = match value.into_inner() {
        DeValue::String(value) => Data::String(value.into_owned()),
        DeValue::Integer(value) => {
            let (digits, radix) = (value.as_str(), value.radix());
            let signed = i64::from_str_radix(digits, radix).map(Number::from);
            let number = signed.or_else(|_| u64::from_str_radix(digits, radix).map(Number::from));
            Data::Number(number.map_err(|_| invalid_number())?)
        }
        DeValue::Float(value) => {
            let number = value.as_str().parse().ok().and_then(Number::from_f64);
            Data::Number(number.ok_or_else(invalid_number)?)
        }
        DeValue::Boolean(value) => Data::Bool(value),
        DeValue::Datetime(_) => Data::String(text.get(span.clone()).unwrap_or_default().to_owned()),
        DeValue::Array(items) => Data::Array(
            items.into_iter().map(|item| convert(item, text, depth + 1)).collect::<Result<_, _>>()?,
        ),
        DeValue::Table(table) => Data::Object(convert_table(table, text, depth)?),
    };
    Ok(Node::new(span, data))
}
