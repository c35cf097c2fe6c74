//! The frontmatter of a `SKILL.md`: YAML, rendered as JSON.
//!
//! Clients compare the file with the JSON member by member, so each value has to be read as clients read it: by the
//! core schema of YAML 1.2.2 (10.3.2), in which `yes`, `1_000` and dates are strings.

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span};
use serde_json::{Map, Number, Value};

/// The maximum nesting depth of lists and mappings.
const MAX_DEPTH: usize = 16;

/// The parsed frontmatter of a `SKILL.md`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Frontmatter {
    /// The skill's name, which follows the rules of the Agent Skills specification.
    pub name: String,
    /// The skill's description.
    pub description: String,
    /// All members, in the order of the file.
    pub members: Map<String, Value>,
}

impl Frontmatter {
    /// Parses the frontmatter of a `SKILL.md`.
    ///
    /// # Errors
    /// A message that says what is wrong and how to fix it.
    pub fn read(text: &str) -> Result<Self, String> {
        let yaml = extract(text).ok_or(
            "it must begin with YAML between two lines `---`, with at least `name` and `description`",
        )?;
        let Value::Object(members) = parse(yaml)? else {
            return Err("its YAML must be members such as `name: …`".to_owned());
        };
        let name = text_at(&members, "name")?;
        check_name(&name)?;
        let description = text_at(&members, "description")?;
        check_description(&description)?;
        Ok(Self { name, description, members })
    }
}

/// Returns the text between the first line `---` and the next one.
fn extract(text: &str) -> Option<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let rest = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line
            .strip_prefix("---")
            .is_some_and(|after| after.trim_matches([' ', '\t', '\r', '\n']).is_empty())
        {
            return Some(&rest[..at]);
        }
        at += line.len();
    }
    None
}

fn text_at(members: &Map<String, Value>, key: &str) -> Result<String, String> {
    match members.get(key) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(format!("`{key}` must be a string; put it in quotes")),
        None => Err(format!("its YAML needs `{key}`")),
    }
}

/// Checks a name against the Agent Skills specification.
fn check_name(name: &str) -> Result<(), String> {
    const MAX_LENGTH: usize = 64;
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    if name.len() > MAX_LENGTH || !name.split('-').all(is_word) {
        return Err(format!(
            "`{name}` is not a valid skill name; use 1 to {MAX_LENGTH} characters of `a-z`, `0-9` and single hyphens between them"
        ));
    }
    Ok(())
}

fn check_description(description: &str) -> Result<(), String> {
    const MAX_CHARS: usize = 1_024;
    if description.trim().is_empty() || description.chars().count() > MAX_CHARS {
        return Err(format!("`description` must have 1 to {MAX_CHARS} characters"));
    }
    Ok(())
}

fn parse(yaml: &str) -> Result<Value, String> {
    let mut events = Events { parser: Parser::new_from_str(yaml), yaml };
    loop {
        match events.next()? {
            (Event::StreamEnd, _) => return Ok(Value::Null),
            (Event::Nothing | Event::StreamStart | Event::DocumentStart(_), _) => {}
            first => {
                let value = events.value(first, 0)?;
                return events.end().map(|()| value);
            }
        }
    }
}

struct Events<'a> {
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
    yaml: &'a str,
}

impl<'a> Events<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), String> {
        match self.parser.next() {
            Some(event) => event.map_err(|error| broken(&error, self.yaml)),
            // The stream ends with an event of its own, which is the last one requested.
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn value(&mut self, (event, span): (Event<'a>, Span), depth: usize) -> Result<Value, String> {
        if depth > MAX_DEPTH {
            return Err(at(
                &span,
                &format!("lists and mappings are nested more than {MAX_DEPTH} levels deep"),
            ));
        }
        match event {
            Event::Scalar(text, style, 0, None) => scalar(&text, style).map_err(|why| at(&span, &why)),
            Event::SequenceStart(0, None) => {
                let mut values = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, _) => return Ok(Value::Array(values)),
                        next => values.push(self.value(next, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(0, None) => {
                let mut members = Map::new();
                loop {
                    let key = match self.next()? {
                        (Event::MappingEnd, _) => return Ok(Value::Object(members)),
                        (Event::Scalar(key, _, 0, None), _) => key.into_owned(),
                        (_, span) => return Err(at(&span, "a key must be a plain string")),
                    };
                    let next = self.next()?;
                    let value = self.value(next, depth + 1)?;
                    if members.insert(key.clone(), value).is_some() {
                        return Err(at(&span, &format!("`{key}` appears twice")));
                    }
                }
            }
            // A few bytes of anchors can expand to gigabytes, and tags denote types that JSON does not have.
            _ => {
                let hint = quotes_for(self.yaml, span.start.line()).unwrap_or_default();
                Err(at(
                    &span,
                    &format!(
                        "anchors (`&`), aliases (`*`) and tags (`!`) are not supported; write the value out{hint}"
                    ),
                ))
            }
        }
    }

    fn end(&mut self) -> Result<(), String> {
        loop {
            match self.next()? {
                (Event::StreamEnd, _) => return Ok(()),
                (Event::DocumentEnd | Event::Nothing, _) => {}
                (_, span) => return Err(at(&span, "only one YAML document is allowed")),
            }
        }
    }
}

/// Converts a scalar by the core schema, in which only plain scalars can be anything but strings.
fn scalar(text: &str, style: ScalarStyle) -> Result<Value, String> {
    if style != ScalarStyle::Plain {
        return Ok(text.into());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        "true" | "True" | "TRUE" => return Ok(true.into()),
        "false" | "False" | "FALSE" => return Ok(false.into()),
        _ => {}
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Err(format!("JSON cannot represent `{text}`; put it in quotes"));
    }
    let in_base = |prefix: &str, base| {
        let digits =
            text.strip_prefix(prefix).filter(|digits| digits.chars().all(|digit| digit.is_digit(base)));
        digits.and_then(|digits| u64::from_str_radix(digits, base).ok()).map(Value::from)
    };
    if let Some(number) = in_base("0x", 16).or_else(|| in_base("0o", 8)) {
        return Ok(number);
    }
    if !is_decimal(unsigned) {
        return Ok(text.into());
    }
    let integer = text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from));
    if let Ok(integer) = integer {
        return Ok(integer.into());
    }
    let number = text.parse::<f64>().ok().and_then(Number::from_f64);
    number.map(Value::from).ok_or_else(|| format!("the number `{text}` is too large; put it in quotes"))
}

/// `(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
fn is_decimal(text: &str) -> bool {
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    is_digits(whole)
        && is_digits(fraction)
        && whole.len() + fraction.len() > 0
        && exponent.is_none_or(|exponent| !exponent.is_empty() && is_digits(exponent))
}

fn broken(error: &ScanError, yaml: &str) -> String {
    let line = error.marker().line();
    let hint = quotes_for(yaml, line).unwrap_or_default();
    format!("invalid YAML: line {}: {}{hint}", line + 1, error.info())
}

/// Suggests quotes if an unquoted string is what cannot be parsed, at `line` of the YAML (from 1) or above it, since
/// the parser may notice later.
fn quotes_for(yaml: &str, line: usize) -> Option<String> {
    /// How many characters of a string a suggestion shows.
    const SHOWN: usize = 60;
    let above: Vec<&str> = yaml.lines().take(line).collect();
    // Lines without a key continue the value above.
    let (key, text) = above.iter().rev().find_map(|line| line.split_once(": "))?;
    let text = text.trim();
    let is_key = !key.trim().is_empty() && !key.contains(['"', '\'', '[', '{']);
    let is_quoted =
        text.len() > 1 && ['"', '\''].iter().any(|quote| text.starts_with(*quote) && text.ends_with(*quote));
    let breaks = text.contains(": ")
        || text.ends_with(':')
        || text.contains(" #")
        || text.starts_with(|first: char| "@`%&*!|>[]{}#\"',?-".contains(first));
    if !is_key || is_quoted || !breaks {
        return None;
    }
    let mut shown: String = text.chars().filter(|one| !one.is_control()).take(SHOWN).collect();
    if text.chars().count() > SHOWN {
        shown.push('…');
    }
    Some(format!("; put the text in quotes: `{}: '{}'`", key.trim(), shown.replace('\'', "''")))
}

/// An error message with the line in the file, whose first line is `---`.
fn at(span: &Span, why: &str) -> String {
    format!("line {}: {why}", span.start.line() + 1)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Frontmatter, check_name, extract, parse};

    #[test]
    fn values_are_read_by_the_core_schema() {
        for (yaml, expected) in [
            ("1", json!(1)),
            ("-5", json!(-5)),
            ("+5", json!(5)),
            ("017", json!(17)),
            ("0x1F", json!(31)),
            ("0o17", json!(15)),
            ("18446744073709551615", json!(18_446_744_073_709_551_615_u64)),
            ("1.5", json!(1.5)),
            ("1.", json!(1.0)),
            (".5", json!(0.5)),
            ("1e3", json!(1000.0)),
            ("2.1.0", json!("2.1.0")),
            ("1_000", json!("1_000")),
            ("0xZ", json!("0xZ")),
            ("-0x1", json!("-0x1")),
            (".", json!(".")),
            ("1e", json!("1e")),
            ("yes", json!("yes")),
            ("on", json!("on")),
            ("2026-07-28", json!("2026-07-28")),
            ("True", json!(true)),
            ("tRue", json!("tRue")),
            ("~", Value::Null),
            ("'1'", json!("1")),
            ("\"true\\n\"", json!("true\n")),
            ("[a, 1, {b: c}]", json!(["a", 1, {"b": "c"}])),
            ("|\n  two\n  lines\n", json!("two\nlines\n")),
            (">-\n  one\n  line\n", json!("one line")),
        ] {
            let read = parse(&format!("key: {yaml}")).unwrap_or_else(|error| panic!("{yaml}: {error}"));
            assert_eq!(read, json!({"key": expected}), "{yaml}");
        }
        assert_eq!(parse("<<: {a: b}\n1: c"), Ok(json!({"<<": {"a": "b"}, "1": "c"})));
        assert_eq!(parse("# nothing"), Ok(Value::Null));
    }

    #[test]
    fn ambiguous_yaml_is_rejected_with_its_line() {
        for (yaml, why) in [
            ("a: 1\na: 2", "`a` appears twice"),
            ("a: &x 1", "line 2: anchors"),
            ("a: [1]\nb: *a", "line 3"),
            ("a: !!str 1", "tags"),
            ("a: .inf", "cannot represent `.inf`"),
            ("a: 1e999", "too large"),
            ("? [1]\n: b", "a key must be a plain string"),
            ("a: b: c", "line 2: mapping values"),
            ("a: 1\n...\n---\nb: 1", "only one YAML document"),
        ] {
            let error = parse(yaml).expect_err(yaml);
            assert!(error.contains(why), "{yaml}: {error}");
        }
        let deep = format!("a: {}{}", "[".repeat(40), "]".repeat(40));
        assert!(parse(&deep).expect_err("too deep").contains("more than 16"));
        assert!(parse(&format!("a: {}", "[".repeat(100_000))).is_err(), "the stack does not overflow");
    }

    #[test]
    fn errors_suggest_quotes_for_strings_that_need_them() {
        for (yaml, fixed) in [
            ("name: a\ndescription: Reads files: all of them", "description: 'Reads files: all of them'"),
            ("description: Use when: it's late\nname: a", "description: 'Use when: it''s late'"),
            ("description: Ends so: ", "description: 'Ends so:'"),
            ("description: @ada asks", "description: '@ada asks'"),
            ("description: `code` here", "description: '`code` here'"),
            ("description: *never* twice", "description: '*never* twice'"),
            ("description: !important", "description: '!important'"),
            ("description: & more", "description: '& more'"),
            ("description: [draft] reads", "description: '[draft] reads'"),
            ("description: {x} and y", "description: '{x} and y'"),
            ("description: %d files", "description: '%d files'"),
            ("description: \"Quoted\" start", "description: '\"Quoted\" start'"),
            ("metadata:\n  note: Time: now", "note: 'Time: now'"),
        ] {
            let error = parse(yaml).expect_err(yaml);
            assert!(error.contains("put the text in quotes"), "{yaml}: {error}");
            assert!(error.contains(fixed), "{yaml}: {error}");
            assert!(parse(fixed).is_ok(), "what is suggested can be read: {fixed}");
        }
        let long = parse(&format!("a: b: {}", "x".repeat(500))).expect_err("a colon");
        assert!(long.len() < 250 && long.contains('…'), "{long}");
        for yaml in ["a: 1\na: 2", "a: 1\n...\n---\nb: 1", "a: 'x"] {
            let error = parse(yaml).expect_err(yaml);
            assert!(!error.contains("put the text in quotes: `a: '1'"), "{yaml}: {error}");
        }
    }

    #[test]
    fn the_frontmatter_ends_at_the_second_hyphen_line() {
        for (text, head) in [
            ("---\na: 1\n---\nbody", Some("a: 1\n")),
            ("\u{feff}---\r\na: 1\r\n---\r\nbody", Some("a: 1\r\n")),
            ("---\na: 1\n--- \t", Some("a: 1\n")),
            ("---\na: \"---\"\n----\n---\n", Some("a: \"---\"\n----\n")),
            ("---\n---\n", Some("")),
            ("---\na: 1\n", None),
            ("a: 1", None),
            (" ---\na: 1\n---", None),
            ("", None),
        ] {
            assert_eq!(extract(text), head, "{text:?}");
        }
    }

    #[test]
    fn name_and_description_are_required() {
        for (yaml, why) in [
            ("name: a", "needs `description`"),
            ("description: b", "needs `name`"),
            ("name: 1\ndescription: b", "`name` must be a string"),
            ("name: a\ndescription: ''", "1 to 1024"),
            ("name: A\ndescription: b", "not a valid skill name"),
            ("- a", "members"),
        ] {
            let error = Frontmatter::read(&format!("---\n{yaml}\n---\n")).expect_err(yaml);
            assert!(error.contains(why), "{yaml}: {error}");
        }
        let long = "x".repeat(1_025);
        assert!(Frontmatter::read(&format!("---\nname: a\ndescription: {long}\n---\n")).is_err());
        let read =
            Frontmatter::read("---\nname: a\ndescription: b\nmetadata: {v: 1.0}\n---\n").expect("good");
        assert_eq!(
            Value::from(read.members),
            json!({"name": "a", "description": "b", "metadata": {"v": 1.0}})
        );
    }

    #[test]
    fn skill_names_follow_the_specification() {
        for name in ["a", "7", "pdf-processing", "a-1-b", &"x".repeat(64)] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", "-a", "a-", "a--b", "A", "a_b", "a.b", "ä", "a b", "..", &"x".repeat(65)] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
