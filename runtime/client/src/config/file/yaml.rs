//! YAML with the core schema of YAML 1.2.2 (10.3.2), in which `yes` and `1_000` are strings.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};
use serde_json::Number;

use super::json::{parse_error, syntax_error};
use super::node::{Data, MAX_DEPTH, Member, Node, nesting_error};
use super::problem::{Problem, ProblemKind};

/// Parses a document.
///
/// # Errors
/// The first syntax error, and what JSON does not support: anchors, tags, keys that are not strings, a second document.
pub(super) fn parse(text: &str) -> Result<Node, Box<Problem>> {
    let mut events = Events { parser: Parser::new_from_str(text), positions: Positions::new(text) };
    let root = loop {
        match events.next()? {
            (Event::StreamEnd, span) => return Err(syntax_error(span, "the file is empty")),
            (Event::Nothing | Event::StreamStart | Event::DocumentStart(_), _) => {}
            first => break events.convert(first, 0)?,
        }
    };
    loop {
        match events.next()? {
            (Event::StreamEnd, _) => return Ok(root),
            (Event::Nothing | Event::DocumentEnd, _) => {}
            (_, span) => {
                return Err(syntax_error(span, "a second document starts here; only one is supported"));
            }
        }
    }
}

struct Events<'a> {
    parser: Parser<'a, StrInput<'a>>,
    positions: Positions,
}

impl<'a> Events<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Range<usize>), Box<Problem>> {
        match self.parser.next() {
            Some(Ok((event, span))) => Ok((event, self.positions.byte_range(&span))),
            Some(Err(error)) => {
                let at = self.positions.byte(error.marker().index());
                Err(parse_error(at..at, error.info()))
            }
            None => Ok((Event::StreamEnd, 0..0)),
        }
    }

    fn convert(
        &mut self,
        (event, span): (Event<'a>, Range<usize>),
        depth: usize,
    ) -> Result<Node, Box<Problem>> {
        if depth > MAX_DEPTH {
            return Err(nesting_error(span));
        }
        match event {
            Event::Scalar(text, style, 0, None) => {
                let data = parse_scalar(&text, style)
                    .ok_or_else(|| syntax_error(span.clone(), "this number is not supported"))?;
                Ok(Node::new(span, data))
            }
            Event::SequenceStart(0, None) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, end) => {
                            return Ok(Node::new(span.start..end.end, Data::Array(items)));
                        }
                        next => items.push(self.convert(next, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(0, None) => {
                let mut members = Vec::new();
                loop {
                    let (name, name_span) = match self.next()? {
                        (Event::MappingEnd, end) => {
                            return Ok(Node::new(span.start..end.end, Data::Object(members)));
                        }
                        (Event::Scalar(name, _, 0, None), span) => (name.into_owned(), span),
                        (_, span) => return Err(syntax_error(span, "a key must be a string")),
                    };
                    let next = self.next()?;
                    members.push(Member { name, name_span, value: self.convert(next, depth + 1)? });
                }
            }
            // A few bytes of aliases can expand to gigabytes, and a tag is a type that JSON does not support.
            _ => Err(Box::new(
                Problem::error(
                    ProblemKind::Syntax,
                    span,
                    "anchors (`&`), aliases (`*`) and tags (`!`) are not supported".to_owned(),
                )
                .help("write the value in full; quote a string that starts with one of these characters"),
            )),
        }
    }
}

/// Parses a scalar by the core schema, in which quoted scalars are strings. Returns `None` for infinity and NaN.
fn parse_scalar(text: &str, style: ScalarStyle) -> Option<Data> {
    if style != ScalarStyle::Plain {
        return Some(Data::String(text.to_owned()));
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Some(Data::Null),
        "true" | "True" | "TRUE" => return Some(Data::Bool(true)),
        "false" | "False" | "FALSE" => return Some(Data::Bool(false)),
        _ => {}
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return None;
    }
    let in_base = |prefix: &str, radix| u64::from_str_radix(text.strip_prefix(prefix)?, radix).ok();
    let is_signed = |digits: &str| digits.starts_with(['+', '-']);
    let integer = in_base("0x", 16).or_else(|| in_base("0o", 8)).filter(|_| !is_signed(&text[2..]));
    if let Some(number) = integer {
        return Some(Data::Number(number.into()));
    }
    if !is_decimal(unsigned) {
        return Some(Data::String(text.to_owned()));
    }
    let integer = text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from));
    let number = integer.ok().or_else(|| text.parse().ok().and_then(Number::from_f64));
    number.map(Data::Number)
}

/// Whether the text is digits, with at most one point, and an optional exponent.
fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) = text.split_once(['e', 'E']).map_or((text, None), |(m, e)| (m, Some(e)));
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent_fits = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits.is_empty() && is_digits(digits)
    });
    is_digits(whole) && is_digits(fraction) && !(whole.is_empty() && fraction.is_empty()) && exponent_fits
}

/// Converts positions in characters, which the parser reports, to positions in bytes.
struct Positions {
    /// The byte position of each character; empty if the text is ASCII.
    starts: Vec<usize>,
    length: usize,
}

impl Positions {
    fn new(text: &str) -> Self {
        let starts =
            if text.is_ascii() { Vec::new() } else { text.char_indices().map(|(at, _)| at).collect() };
        Self { starts, length: text.len() }
    }

    fn byte(&self, index: usize) -> usize {
        if self.starts.is_empty() {
            return index.min(self.length);
        }
        self.starts.get(index).copied().unwrap_or(self.length)
    }

    fn byte_range(&self, span: &Span) -> Range<usize> {
        let start = self.byte(span.start.index());
        start..self.byte(span.end.index()).max(start)
    }
}
