//! URIs and URI templates: those of RFC 3986, and level 1 of RFC 6570, which servers match.
//!
//! The rules are those of `toolwright_core::resource::UriTemplate`, which checks them again when a server is built.

/// The variables of a URI template; none for a URI.
///
/// # Errors
/// What is wrong with it, and what to write.
pub(super) fn variables(template: &str) -> Result<Vec<&str>, String> {
    let mut pieces = template.split('{');
    let head = pieces.next().unwrap_or_default();
    if !has_scheme(head) {
        return Err("a URI begins with a scheme, such as `tickets://`".to_owned());
    }
    let mut literals = vec![head];
    let mut variables: Vec<&str> = Vec::new();
    for piece in pieces {
        let Some((name, text)) = piece.split_once('}') else {
            return Err("unmatched brace: each `{` needs a `}`".to_owned());
        };
        let is_letter = |next: char| next.is_ascii_alphanumeric() || next == '_';
        if name.is_empty() || !name.chars().all(is_letter) {
            return Err(format!(
                "`{{{name}}}` is not a variable; names consist of letters, digits and `_`, without operators"
            ));
        }
        if variables.contains(&name) {
            return Err(format!("duplicate variable `{{{name}}}`; give each variable its own name"));
        }
        if !variables.is_empty() && literals.last().is_some_and(|between| between.is_empty()) {
            return Err(format!("literal text is required between `{{{name}}}` and the variable before it"));
        }
        variables.push(name);
        literals.push(text);
    }
    if literals.iter().any(|text| text.contains('}')) {
        return Err("unmatched brace: each `{` needs a `}`".to_owned());
    }
    match literals.iter().flat_map(|text| text.chars()).find(|next| is_barred(*next)) {
        Some(barred) => Err(format!("a URI cannot contain {barred:?}; percent-encode it")),
        None => Ok(variables),
    }
}

fn has_scheme(head: &str) -> bool {
    head.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|next| next.is_ascii_alphanumeric() || matches!(next, '+' | '-' | '.'))
    })
}

fn is_barred(next: char) -> bool {
    !next.is_ascii_graphic() || matches!(next, '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}')
}

#[cfg(test)]
mod tests {
    use super::variables;

    #[test]
    fn templates_of_level_1_have_their_variables() {
        for (template, expected) in [
            ("shop://terms", vec![]),
            ("shop://orders/{id}", vec!["id"]),
            ("file+x:{a}-{b_2}.txt", vec!["a", "b_2"]),
        ] {
            assert_eq!(variables(template), Ok(expected), "{template}");
        }
    }

    #[test]
    fn other_templates_are_rejected_with_the_reason() {
        for (template, reason) in [
            ("", "scheme"),
            ("orders/{id}", "scheme"),
            ("{scheme}://x", "scheme"),
            ("1x://y", "scheme"),
            ("shop://{id", "brace"),
            ("shop://id}", "brace"),
            ("shop://{a}}", "brace"),
            ("shop://{}", "is not a variable"),
            ("shop://{+path}", "is not a variable"),
            ("shop://{a,b}", "is not a variable"),
            ("shop://{a*}", "is not a variable"),
            ("shop://{a}{b}", "literal text"),
            ("shop://{a}/{a}", "duplicate"),
            ("shop://a b", "percent-encode"),
            ("shop://\u{e9}", "percent-encode"),
        ] {
            let problem = variables(template).expect_err(template);
            assert!(problem.contains(reason), "{template}: {problem}");
        }
    }
}
