//! From a place in a string to the place in the file.

use std::ops::Range;

/// Where `range` of the string `value` stands in `text`, whose string it is at `span`. Where escapes are in the way, the
/// `${` that `range` begins with is looked for; the whole string is the last resort.
pub(super) fn place_in(text: &str, span: &Range<usize>, value: &str, range: &Range<usize>) -> Range<usize> {
    let Some(raw) = text.get(span.clone()) else { return span.clone() };
    let quote = raw.find(|c| !matches!(c, '"' | '\'')).unwrap_or(0);
    if raw[quote..].starts_with(value) {
        let start = span.start + quote;
        return start + range.start..start + range.end;
    }
    let Some(wanted) = value.get(range.clone()).filter(|wanted| wanted.starts_with("${")) else {
        return span.clone();
    };
    let before = value[..range.start].matches("${").count();
    match raw.match_indices("${").nth(before) {
        Some((at, _)) if raw[at..].starts_with(wanted) => span.start + at..span.start + at + wanted.len(),
        Some((at, _)) => {
            let length = raw[at..].find('}').map_or(raw.len() - at, |end| end + 1);
            span.start + at..span.start + at + length
        }
        None => span.clone(),
    }
}

/// The parts of a string at `span` that may be secret: all but the names of variables.
pub(super) fn hidden_in(text: &str, span: &Range<usize>) -> Vec<Range<usize>> {
    let Some(raw) = text.get(span.clone()) else { return vec![span.clone()] };
    let mut hidden = Vec::new();
    let mut at = 0;
    while let Some(found) = raw[at..].find("${") {
        let start = at + found;
        // A default is a value; the name in front of it is none.
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
    fn a_variable_is_found_behind_escapes() {
        for (text, value, variable) in [
            ("\"a ${X} b\"", "a ${X} b", "${X}"),
            ("\"\\\"${Y} ${X}\"", "\"${Y} ${X}", "${X}"),
            ("'a ${X}'", "a ${X}", "${X}"),
            ("a ${X}", "a ${X}", "${X}"),
            ("\"$${Q} \\n${X}\"", "$${Q} \n${X}", "${X}"),
        ] {
            let at = value.find(variable).unwrap();
            let place = place_in(text, &(0..text.len()), value, &(at..at + variable.len()));
            assert_eq!(&text[place], variable, "{text}");
        }
    }

    #[test]
    fn names_of_variables_are_not_hidden() {
        let text = "\"Bearer abc ${TOKEN:-s3cret} x\"";
        let shown: String =
            hidden_in(text, &(0..text.len())).into_iter().fold(text.to_owned(), |mut text, range| {
                text.replace_range(range.clone(), &"*".repeat(range.len()));
                text
            });
        assert!(shown.contains("${TOKEN:") && !shown.contains("s3cret") && !shown.contains("abc"), "{shown}");
    }
}
