//! Typed values of single keys.

use std::cmp::Ordering;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, ExprUnary, Ident, Lit, LitStr, Token, UnOp, parse_quote};

use super::entry::{Entry, Value};
use crate::errors::Errors;
use crate::json;

/// The value of an attribute, with its key.
pub(crate) struct AttributeValue<T> {
    pub(crate) key: Ident,
    pub(crate) value: T,
}

/// Stores the value that `read` gets from `entry`. Reports a duplicate key, or a value of the wrong type.
pub(crate) fn set<T>(
    slot: &mut Option<AttributeValue<T>>,
    entry: &Entry,
    errors: &Errors,
    read: impl FnOnce(&Entry) -> Option<T>,
) {
    let Some(value) = read(entry) else {
        errors.on(entry, entry.usage());
        return;
    };
    if slot.is_some() {
        errors.on(&entry.key, format!("duplicate key `{}`; keep one", entry.name()));
        return;
    }
    *slot = Some(AttributeValue { key: entry.key.clone(), value });
}

impl ToTokens for Entry {
    /// The span of the value if there is one, otherwise of the key.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match &self.value {
            Value::Nothing => self.key.to_tokens(tokens),
            Value::Expression(value) => value.to_tokens(tokens),
            Value::Type(value) => value.to_tokens(tokens),
            Value::Path(value) => value.to_tokens(tokens),
            Value::List(list) => list.to_tokens(tokens),
        }
    }
}

/// `key` or `key = true` or `key = false`.
pub(crate) fn flag(entry: &Entry) -> Option<bool> {
    match &entry.value {
        Value::Nothing => Some(true),
        Value::Expression(value) => match literal(value)? {
            Lit::Bool(flag) => Some(flag.value),
            _ => None,
        },
        _ => None,
    }
}

/// `key = "text"`.
pub(crate) fn text(entry: &Entry) -> Option<LitStr> {
    match &entry.value {
        Value::Expression(value) => text_of(value),
        _ => None,
    }
}

/// `key = -1.5`.
pub(crate) fn number(entry: &Entry) -> Option<Number> {
    match &entry.value {
        Value::Expression(value) => Number::of(value),
        _ => None,
    }
}

/// `key = 3`: a non-negative count.
pub(crate) fn count(entry: &Entry) -> Option<Number> {
    number(entry).filter(|number| matches!(number.value, NumberValue::Integer(value) if value >= 0))
}

/// `key("a", "b")` or `key = ["a", "b"]`.
pub(crate) fn strings(entry: &Entry) -> Option<Vec<LitStr>> {
    expressions(entry)?.iter().map(text_of).collect()
}

/// `key = value` with any JSON value.
pub(crate) fn json(entry: &Entry) -> Option<Json> {
    match &entry.value {
        Value::Expression(value) => Json::of(value),
        _ => None,
    }
}

/// `key(value, value)`.
pub(crate) fn jsons(entry: &Entry) -> Option<Vec<Json>> {
    expressions(entry)?.iter().map(Json::of).collect()
}

/// `key("name" = value, …)`.
pub(crate) fn members(entry: &Entry) -> Option<Vec<(LitStr, Json)>> {
    let Value::List(list) = &entry.value else { return None };
    let member = |input: syn::parse::ParseStream<'_>| {
        let name: LitStr = input.parse()?;
        input.parse::<Token![=]>()?;
        let value: Expr = input.parse()?;
        let json = Json::of(&value).ok_or_else(|| input.error("expected a JSON value"))?;
        Ok((name, json))
    };
    let members = (|input: syn::parse::ParseStream<'_>| {
        Punctuated::<_, Token![,]>::parse_terminated_with(input, member)
    })
    .parse2(list.tokens.clone())
    .ok()?;
    (!members.is_empty()).then(|| members.into_iter().collect())
}

fn expressions(entry: &Entry) -> Option<Vec<Expr>> {
    let expressions: Vec<Expr> = match &entry.value {
        Value::List(list) => Punctuated::<Expr, Token![,]>::parse_terminated
            .parse2(list.tokens.clone())
            .ok()?
            .into_iter()
            .collect(),
        Value::Expression(value) => match ungroup(value) {
            Expr::Array(array) => array.elems.iter().cloned().collect(),
            _ => return None,
        },
        _ => return None,
    };
    (!expressions.is_empty()).then_some(expressions)
}

/// A macro's `$value:expr` arrives in invisible delimiters.
fn ungroup(mut expression: &Expr) -> &Expr {
    while let Expr::Group(group) = expression {
        expression = &group.expr;
    }
    expression
}

fn literal(expression: &Expr) -> Option<&Lit> {
    match ungroup(expression) {
        Expr::Lit(ExprLit { lit, .. }) => Some(lit),
        _ => None,
    }
}

fn text_of(expression: &Expr) -> Option<LitStr> {
    match literal(expression)? {
        Lit::Str(text) => Some(text.clone()),
        _ => None,
    }
}

/// A number with its JSON form.
#[derive(Clone)]
pub(crate) struct Number {
    pub(crate) json: String,
    pub(crate) value: NumberValue,
    /// The source of the value, for messages.
    pub(crate) source: Expr,
}

#[derive(Clone, Copy)]
pub(crate) enum NumberValue {
    Integer(i128),
    Float(f64),
}

impl Number {
    fn of(expression: &Expr) -> Option<Self> {
        let expression = ungroup(expression);
        let (sign, lit) = match expression {
            Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => ("-", literal(expr)?),
            other => ("", literal(other)?),
        };
        let source = expression.clone();
        match lit {
            Lit::Int(integer) => {
                let json = format!("{sign}{}", integer.base10_digits());
                let value = NumberValue::Integer(json.parse().ok()?);
                Some(Self { json, value, source })
            }
            Lit::Float(float) => {
                let value: f64 = format!("{sign}{}", float.base10_digits()).parse().ok()?;
                // Rust's own form of a float (`5.0`, `1e21`) is JSON as well, unlike its literals (`5.`).
                value.is_finite().then(|| Self {
                    json: format!("{value:?}"),
                    value: NumberValue::Float(value),
                    source,
                })
            }
            _ => None,
        }
    }

    /// The number, for comparisons.
    pub(crate) fn from_integer(value: i64) -> Self {
        Self {
            json: value.to_string(),
            value: NumberValue::Integer(value.into()),
            source: parse_quote!(#value),
        }
    }

    pub(crate) fn is_integer(&self) -> bool {
        matches!(self.value, NumberValue::Integer(_))
    }

    /// Compares two numbers.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        match (self.value, other.value) {
            (NumberValue::Integer(left), NumberValue::Integer(right)) => left.cmp(&right),
            _ => self.as_f64().total_cmp(&other.as_f64()),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "only compared with other floats")]
    pub(crate) fn as_f64(&self) -> f64 {
        match self.value {
            NumberValue::Integer(value) => value as f64,
            NumberValue::Float(value) => value,
        }
    }
}

/// A value with its JSON form.
#[derive(Clone)]
pub(crate) struct Json {
    pub(crate) text: String,
    pub(crate) value: JsonValue,
    /// The source of the value, for messages.
    pub(crate) source: Expr,
}

#[derive(Clone)]
pub(crate) enum JsonValue {
    Text(String),
    Number(Number),
    Boolean,
    List(usize),
}

impl Json {
    fn of(expression: &Expr) -> Option<Self> {
        let expression = ungroup(expression);
        let source = expression.clone();
        if let Some(number) = Number::of(expression) {
            return Some(Self { text: number.json.clone(), value: JsonValue::Number(number), source });
        }
        let (text, value) = match expression {
            Expr::Array(array) => {
                let items: Vec<Self> = array.elems.iter().map(Self::of).collect::<Option<_>>()?;
                let count = items.len();
                (json::array(items.into_iter().map(|item| item.text)), JsonValue::List(count))
            }
            _ => match literal(expression)? {
                Lit::Str(text) => (json::string(&text.value()), JsonValue::Text(text.value())),
                Lit::Bool(flag) => (flag.value.to_string(), JsonValue::Boolean),
                _ => return None,
            },
        };
        Some(Self { text, value, source })
    }
}

#[cfg(test)]
mod tests {
    use syn::{Expr, parse_str};

    use super::Json;

    fn json(source: &str) -> Option<String> {
        let expression: Expr = parse_str(source).expect("an expression");
        Json::of(&expression).map(|json| json.text)
    }

    #[test]
    fn literals_become_json() {
        for (source, expected) in [
            ("1_000u32", "1000"),
            ("-0x10", "-16"),
            ("5.", "5.0"),
            ("-1.5f32", "-1.5"),
            ("1e21", "1e21"),
            ("true", "true"),
            ("\"a\\\"b\"", "\"a\\\"b\""),
            ("[1, \"x\", [false]]", "[1,\"x\",[false]]"),
        ] {
            assert_eq!(json(source).as_deref(), Some(expected), "{source}");
        }
    }

    #[test]
    fn other_expressions_are_not_json() {
        for source in ["LIMIT", "f()", "1 + 1", "'c'", "b\"x\"", "1e999", "-\"x\"", "(1, 2)"] {
            assert_eq!(json(source), None, "{source}");
        }
    }
}
