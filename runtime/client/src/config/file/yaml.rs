//! YAML, by the core schema of YAML 1.2.2 (10.3.2), where `yes` and `1_000` are texts.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};
use serde_json::Number;

use super::json::{broken, syntax};
use super::node::{Data, MAX_DEPTH, Member, Node, too_deep};
use super::problem::{Problem, ProblemKind};

/// The tree of a document.
///
/// # Errors
/// The first thing that is not YAML, and what JSON does not have: anchors, tags, keys that are no texts, a second
/// document.
pub(super) fn parse(text: &str) -> Result<Node, Box<Problem>> {
    let mut events = Events { parser: Parser::new_from_str(text), places: Places::new(text) };
    let root = loop {
        match events.next()? {
            (Event::StreamEnd, span) => return Err(syntax(span, "the file is empty")),
            (Event::Nothing | Event::StreamStart | Event::DocumentStart(_), _) => {}
            first => break events.node(first, 0)?,
        }
    };
    loop {
        match events.next()? {
            (Event::StreamEnd, _) => return Ok(root),
            (Event::Nothing | Event::DocumentEnd, _) => {}
            (_, span) => return Err(syntax(span, "a second document begins here; keep one")),
        }
    }
}

struct Events<'a> {
    parser: Parser<'a, StrInput<'a>>,
    places: Places,
}

impl<'a> Events<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Range<usize>), Box<Problem>> {
        match self.parser.next() {
            Some(Ok((event, span))) => Ok((event, self.places.bytes(&span))),
            Some(Err(error)) => {
                let at = self.places.byte(error.marker().index());
                Err(broken(at..at, error.info()))
            }
            None => Ok((Event::StreamEnd, 0..0)),
        }
    }

    fn node(&mut self, (event, span): (Event<'a>, Range<usize>), depth: usize) -> Result<Node, Box<Problem>> {
        if depth > MAX_DEPTH {
            return Err(too_deep(span));
        }
        match event {
            Event::Scalar(text, style, 0, None) => {
                let data =
                    scalar(&text, style).ok_or_else(|| syntax(span.clone(), "JSON has no such number"))?;
                Ok(Node::new(span, data))
            }
            Event::SequenceStart(0, None) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, end) => {
                            return Ok(Node::new(span.start..end.end, Data::List(items)));
                        }
                        next => items.push(self.node(next, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(0, None) => {
                let mut members = Vec::new();
                loop {
                    let (name, name_span) = match self.next()? {
                        (Event::MappingEnd, end) => {
                            return Ok(Node::new(span.start..end.end, Data::Members(members)));
                        }
                        (Event::Scalar(name, _, 0, None), span) => (name.into_owned(), span),
                        (_, span) => return Err(syntax(span, "a key must be a plain text")),
                    };
                    let next = self.next()?;
                    members.push(Member { name, name_span, value: self.node(next, depth + 1)? });
                }
            }
            // A few bytes of anchors can stand for gigabytes, and a tag is a type that JSON does not have.
            _ => Err(Box::new(
                Problem::error(
                    ProblemKind::Syntax,
                    span,
                    "anchors (`&`), aliases (`*`) and tags (`!`) are not read".to_owned(),
                )
                .help("write the value out; a text that begins with one of these characters goes in quotes"),
            )),
        }
    }
}

/// A scalar by the core schema: only a plain one can be anything but a text. Nothing for infinity and such.
fn scalar(text: &str, style: ScalarStyle) -> Option<Data> {
    if style != ScalarStyle::Plain {
        return Some(Data::Text(text.to_owned()));
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
        return Some(Data::Text(text.to_owned()));
    }
    let integer = text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from));
    let number = integer.ok().or_else(|| text.parse().ok().and_then(Number::from_f64));
    number.map(Data::Number)
}

/// Digits with at most one point and an exponent.
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

/// From places in characters, which the parser counts, to places in bytes.
struct Places {
    /// Where each character begins, and the end; empty for ASCII.
    starts: Vec<usize>,
    length: usize,
}

impl Places {
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

    fn bytes(&self, span: &Span) -> Range<usize> {
        let start = self.byte(span.start.index());
        start..self.byte(span.end.index()).max(start)
    }
}
