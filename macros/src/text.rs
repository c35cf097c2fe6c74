//! Derives names and descriptions from type names and doc comments.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// `GetOrderDetails` → `get_order_details`, `HTTPProxy2` → `http_proxy2`. Raw identifiers come without `r#`.
pub(crate) fn snake_case(name: &str) -> String {
    let name = name.trim_start_matches("r#");
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::with_capacity(name.len() + 4);
    for (index, &letter) in letters.iter().enumerate() {
        if letter.is_uppercase() && index > 0 {
            let after_lower = !letters[index - 1].is_uppercase() && letters[index - 1] != '_';
            let starts_word = letters[index - 1].is_uppercase()
                && letters.get(index + 1).is_some_and(|next| next.is_lowercase());
            if after_lower || starts_word {
                snake.push('_');
            }
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// `get_order_details` → `GetOrderDetails`.
pub(crate) fn pascal_case(name: &str) -> String {
    let words = name.trim_start_matches("r#").split('_');
    words
        .flat_map(|word| {
            let mut letters = word.chars();
            letters.next().into_iter().flat_map(char::to_uppercase).chain(letters)
        })
        .collect()
}

/// The doc comment as rustdoc reads it: without the common indentation and the blank lines around it.
pub(crate) fn doc_comment(attributes: &[Attribute]) -> Option<String> {
    let lines: Vec<String> =
        attributes.iter().filter_map(doc_text).flat_map(|text| lines_of(&text)).collect();
    let indentation =
        lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indentation_of(line)).min()?;
    let lines: Vec<&str> =
        lines.iter().map(|line| line.get(indentation..).unwrap_or_default().trim_end()).collect();
    let text = lines.join("\n");
    let text = text.trim_matches('\n');
    (!text.is_empty()).then(|| text.to_owned())
}

/// The doc comment as an expression: only the compiler can expand a macro such as `include_str!`.
pub(crate) fn documentation(attributes: &[Attribute]) -> Option<TokenStream> {
    let parts: Vec<&Expr> = attributes.iter().filter_map(doc_value).collect();
    let is_text = |part: &&Expr| matches!(part, Expr::Lit(_));
    match parts.as_slice() {
        all if all.iter().all(is_text) => doc_comment(attributes).map(ToTokens::into_token_stream),
        [one] => Some(one.to_token_stream()),
        many => {
            let lines = many.iter().map(|part| match part {
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                    let text = text.value();
                    text.strip_prefix(' ').unwrap_or(&text).into_token_stream()
                }
                other => other.to_token_stream(),
            });
            Some(quote!(::core::concat!(#(#lines, "\n"),*)))
        }
    }
}

fn doc_value(attribute: &Attribute) -> Option<&Expr> {
    let Meta::NameValue(meta) = &attribute.meta else { return None };
    meta.path.is_ident("doc").then_some(&meta.value)
}

fn doc_text(attribute: &Attribute) -> Option<String> {
    match doc_value(attribute)? {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

/// The lines of one comment; a block comment may have a star before each line.
fn lines_of(text: &str) -> Vec<String> {
    let starred =
        text.lines().skip(1).all(|line| line.trim().is_empty() || line.trim_start().starts_with('*'));
    let is_block = text.contains('\n');
    // An included file may have CRLF line endings.
    text.split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .map(|line| if is_block && starred { line.trim_start().trim_start_matches('*') } else { line })
        .map(str::to_owned)
        .collect()
}

fn indentation_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

#[cfg(test)]
mod tests {
    use syn::{Attribute, parse_quote};

    use super::{doc_comment, snake_case};

    #[test]
    fn type_names_become_snake_case() {
        for (name, expected) in [
            ("GetOrderDetails", "get_order_details"),
            ("Ping", "ping"),
            ("HTTPProxy2", "http_proxy2"),
            ("ReadURL", "read_url"),
            ("X", "x"),
            ("Get_Order", "get_order"),
            ("get_order", "get_order"),
            ("r#Type", "type"),
            ("V2Search", "v2_search"),
        ] {
            assert_eq!(snake_case(name), expected, "{name}");
        }
    }

    #[test]
    fn doc_comments_keep_their_paragraphs_and_lose_one_space() {
        let attributes: Vec<Attribute> = parse_quote! {
            #[doc = " Look up an order."]
            #[derive(Clone)]
            #[doc = ""]
            #[doc = "   * indented"]
            #[doc = " The end. "]
        };
        let text = doc_comment(&attributes);
        assert_eq!(text.as_deref(), Some("Look up an order.\n\n  * indented\nThe end."));
    }

    #[test]
    fn block_comments_lose_their_stars() {
        let attributes: Vec<Attribute> = parse_quote! {
            #[doc = "\n     * Look up an order.\n     *\n     * By its id.\n     "]
        };
        assert_eq!(doc_comment(&attributes).as_deref(), Some("Look up an order.\n\nBy its id."));
    }

    #[test]
    fn a_missing_comment_is_a_missing_description() {
        let attributes: Vec<Attribute> = parse_quote! { #[doc(hidden)] #[doc = "  "] };
        assert_eq!(doc_comment(&attributes), None);
    }
}
