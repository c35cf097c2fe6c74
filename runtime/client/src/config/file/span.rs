//! Conversion of ranges in string values to ranges in the file.

use std::ops::Range;

/// Returns the range in `text` of a range of the string `value`, whose literal is at `span`. If the literal has escapes, the `${` at
/// the start of the range is searched; if that fails too, the result is the whole literal.
pub(super) fn locate(text: &str, span: &Range<usize>, value: &str, range: &Range<usize>) -> Range<usize> {
    let Some(raw) = text.get(span.clone()) else { return span.clone() };
    let quote = raw.find(|c| !matches!(c, '"' | '\'')).unwrap_or(0);
    if raw[quote..].starts_with(value) {
        let start = span.start + quote;
        return start + range.start..start + range.end;
    }
    let Some(variable) = value.get(range.clone()).filter(|variable| variable.starts_with("${")) else {
        return span.clone();
    };
    let before = value[..range.start].matches("${").count();
    match raw.match_indices("${").nth(before) {
        Some((at, _)) if raw[at..].starts_with(variable) => span.start + at..span.start + at + variable.len(),
        Some((at, _)) => {
            let length = raw[at..].find('}').map_or(raw.len() - at, |end| end + 1);
            span.start + at..span.start + at + length
        }
        None => span.clone(),
    }
}

/// Returns the parts of the literal at `span` that may be secret: everything but the names of variables.
pub(super) fn secret_ranges(text: &str, span: &Range<usize>) -> Vec<Range<usize>> {
    let Some(raw) = text.get(span.clone()) else { return vec![span.clone()] };
    let mut hidden = Vec::new();
    let mut at = 0;
    while let Some(found) = raw[at..].find("${") {
        let start = at + found;
        // The name ends before the default, which may be secret.
        let name = raw[start + 2..]
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '.' | '/')));
        let end = name.map_or(raw.len(), |length| start + 2 + length);
        hidden.push(span.start + at..span.start + start);
        at = end;
    }
    hidden.push(span.start + at..span.end);
    hidden
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_located_after_escapes() {
        for (text, value, variable) in [
            ("\"a ${X} b\"", "a ${X} b", "${X}"),
            ("\"\\\"${Y} ${X}\"", "\"${Y} ${X}", "${X}"),
            ("'a ${X}'", "a ${X}", "${X}"),
            ("a ${X}", "a ${X}", "${X}"),
            ("\"$${Q} \\n${X}\"", "$${Q} \n${X}", "${X}"),
        ] {
            let at = value.find(variable).unwrap();
            let located = locate(text, &(0..text.len()), value, &(at..at + variable.len()));
            assert_eq!(&text[located], variable, "{text}");
        }
    }

    #[test]
    fn names_of_variables_are_not_secret() {
        let text = "\"Bearer abc ${TOKEN:-s3cret} x\"";
        let shown: String =
            secret_ranges(text, &(0..text.len())).into_iter().fold(text.to_owned(), |mut text, range| {
                text.replace_range(range.clone(), &"*".repeat(range.len()));
                text
            });
        assert!(shown.contains("${TOKEN:") && !shown.contains("s3cret") && !shown.contains("abc"), "{shown}");
    }
}
