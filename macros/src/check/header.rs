//! `header` (2026-07-28, server/tools "x-mcp-header").

use std::collections::BTreeMap;

use crate::errors::Errors;
use crate::model::Field;

pub(super) fn check(fields: &[Field<'_>], errors: &Errors) {
    let mut taken: BTreeMap<String, &str> = BTreeMap::new();
    for field in fields {
        let Some(header) = &field.attributes.header else { continue };
        let value = header.value.value();
        if let Some(problem) = find_problem(&value) {
            errors.on(&header.value, problem);
            continue;
        }
        if field.attributes.is_secret() {
            errors.on(
                &header.key,
                "every proxy can read a header, so a `secret` must not be in one; remove `header`",
            );
        }
        // Variants of one tagged enum may share an argument and its header.
        let other = *taken.entry(value.to_ascii_lowercase()).or_insert(&field.name);
        if other != field.name {
            errors.on(
                &header.value,
                format!("the field `{other}` has this header already (names are case-insensitive); choose another name"),
            );
        }
    }
}

fn find_problem(header: &str) -> Option<String> {
    if header.is_empty() {
        return Some("an empty header name; write the part after `Mcp-Param-`, such as `Region`".to_owned());
    }
    let letter = header.chars().find(|letter| !is_token(*letter))?;
    Some(format!(
        "`{}` in a header name; write letters of ASCII, digits and `-`, such as `Region`",
        letter.escape_debug()
    ))
}

/// `tchar` of RFC 9110, section 5.6.2.
fn is_token(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::find_problem;

    #[test]
    fn header_names_are_tokens() {
        for header in ["Region", "X-Y", "a_b.c", "!#$%&'*+-.^_`|~0"] {
            assert_eq!(find_problem(header), None, "{header}");
        }
        for header in ["", "Re gion", "a:b", "a\r\nb", "größe", "a(b)", "\u{7f}"] {
            assert!(find_problem(header).is_some(), "{header}");
        }
    }
}
