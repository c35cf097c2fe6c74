//! Rules for the attributes of tools, prompts and resources other than their names.

use syn::LitStr;

use super::text;
use crate::attr::{Icon, keys};
use crate::errors::Errors;
use crate::model::Item;

pub(super) fn check(item: &Item<'_>, errors: &Errors) {
    let attributes = &item.attributes;
    text::check_not_empty(attributes.title.as_ref(), errors);
    text::check_not_empty(attributes.description.as_ref(), errors);
    text::check_not_empty(attributes.context.as_ref(), errors);
    if let (Some(read_only), Some(destructive)) = (&attributes.read_only, &attributes.destructive)
        && read_only.value
        && destructive.value
    {
        errors.on(
            &destructive.key,
            "a `read_only` tool changes nothing, so it cannot be `destructive`; remove one of the two",
        );
    }
    if let Some(scopes) = &attributes.scopes {
        text::check_unique("the scope", &scopes.value, errors);
        scopes.value.iter().for_each(|scope| check_scope(scope, errors));
    }
    if let Some(tags) = &attributes.tags {
        text::check_unique("the tag", &tags.value, errors);
        for tag in tags.value.iter().filter(|tag| tag.value().trim().is_empty()) {
            errors.on(tag, "an empty tag; write a word or remove it");
        }
    }
    attributes.icons.iter().for_each(|icon| check_icon(icon, errors));
    if let Some(meta) = &attributes.meta {
        let names: Vec<LitStr> = meta.value.iter().map(|(name, _)| name.clone()).collect();
        text::check_unique("the key", &names, errors);
        for name in &names {
            check_meta_key(name, errors);
        }
    }
    check_unknown_arguments(item, errors);
}

/// A scope token (RFC 6749, section 3.3).
fn check_scope(scope: &LitStr, errors: &Errors) {
    let value = scope.value();
    if value.is_empty() {
        errors.on(scope, "an empty scope; write the scope that a caller's token must have");
    } else if value.contains(' ') {
        errors.on(
            scope,
            "a space in a scope; several scopes are written one by one, as in `scopes(\"a\", \"b\")`",
        );
    } else if value.chars().any(|letter| !letter.is_ascii_graphic() || letter == '"' || letter == '\\') {
        errors.on(
            scope,
            "a scope holds visible ASCII characters other than `\"` and `\\` (RFC 6749, section 3.3)",
        );
    }
}

/// 2026-07-28, basic "icons": clients refuse any other scheme.
fn check_icon(icon: &Icon, errors: &Errors) {
    match &icon.src {
        None if icon.faulty => {}
        None => errors.on(&icon.key, "an icon needs `src = \"https://…\"` or `src = \"data:…\"`"),
        Some(src) => {
            let uri = src.value.value().to_ascii_lowercase();
            if !(uri.starts_with("https://") || uri.starts_with("data:")) {
                errors.on(
                    &src.value,
                    "clients show icons from `https://…` and `data:…` only; use one of these",
                );
            }
        }
    }
    if let Some(mime_type) = &icon.mime_type
        && mime_type.value.value().strip_prefix("image/").is_none_or(str::is_empty)
    {
        errors.on(&mime_type.value, "the MIME type of an icon must be an image type, such as `image/png`");
    }
    if let Some(sizes) = &icon.sizes {
        text::check_unique("the size", &sizes.value, errors);
        for size in sizes.value.iter().filter(|size| !is_size(&size.value())) {
            errors.on(size, "a size is written `48x48`, or `any` for an image that scales");
        }
    }
    if let Some(theme) = &icon.theme
        && !matches!(theme.value.value().as_str(), "light" | "dark")
    {
        errors.on(&theme.value, "a theme is `light` or `dark`");
    }
}

fn is_size(size: &str) -> bool {
    let is_length = |text: &str| {
        text.starts_with(|first: char| matches!(first, '1'..='9'))
            && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    size == "any" || size.split_once('x').is_some_and(|(width, height)| is_length(width) && is_length(height))
}

/// 2026-07-28, basic "`_meta`".
fn check_meta_key(key: &LitStr, errors: &Errors) {
    let value = key.value();
    let (prefix, name) = match value.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, value.as_str()),
    };
    let labels: Vec<&str> = prefix.map(|prefix| prefix.split('.').collect()).unwrap_or_default();
    if !labels.iter().all(|label| is_label(label)) {
        errors.on(key, "the part before `/` is a domain in reverse, such as `com.example/`: letters, digits and `-` between dots");
    } else if !is_meta_name(name) || value.is_empty() {
        errors.on(
            key,
            "the name of a key begins and ends with a letter or digit, with `-`, `_` and `.` between",
        );
    } else if labels.get(1).is_some_and(|label| matches!(*label, "modelcontextprotocol" | "mcp")) {
        errors.on(key, "this prefix is reserved for MCP; use your own domain, such as `com.example/`");
    } else if prefix == Some("io.toolwright") {
        errors.on(key, "this prefix is reserved for Toolwright; use `scopes(…)`, `was(…)`, `tags(…)` or `context`, or your own domain");
    } else if prefix.is_none() && RESERVED_NAMES.contains(&name) {
        errors
            .on(key, "this key is reserved for MCP; prefix it with your own domain, such as `com.example/`");
    }
}

const RESERVED_NAMES: &[&str] = &["progressToken", "traceparent", "tracestate", "baggage"];

fn is_label(label: &str) -> bool {
    label.starts_with(|first: char| first.is_ascii_alphabetic())
        && label.ends_with(|last: char| last.is_ascii_alphanumeric())
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn is_meta_name(name: &str) -> bool {
    name.is_empty()
        || name.starts_with(|first: char| first.is_ascii_alphanumeric())
            && name.ends_with(|last: char| last.is_ascii_alphanumeric())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

fn check_unknown_arguments(item: &Item<'_>, errors: &Errors) {
    let Some(allow_unknown) = &item.attributes.allow_unknown else { return };
    let denied = item.serde.as_ref().is_some_and(|container| container.attrs.deny_unknown_fields());
    if allow_unknown.value && denied {
        errors.on(
            &allow_unknown.key,
            format!(
                "`#[serde(deny_unknown_fields)]` rejects what `{}` accepts; remove one of the two",
                keys::ALLOW_UNKNOWN
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use proc_macro2::Span;
    use syn::LitStr;

    use super::{check_meta_key, is_size};
    use crate::errors::Errors;

    fn is_valid_meta_key(key: &str) -> bool {
        let errors = Errors::new();
        check_meta_key(&LitStr::new(key, Span::call_site()), &errors);
        errors.into_texts().is_empty()
    }

    #[test]
    fn meta_keys_follow_the_specification() {
        for key in ["team", "com.example/team", "com.example.mcp/x", "com.example/", "a-b.c/d_e.f"] {
            assert!(is_valid_meta_key(key), "{key}");
        }
        for key in [
            "",
            "-a",
            "a b",
            "1com/x",
            "com.-x/y",
            "/x",
            "a/b/c",
            "io.modelcontextprotocol/x",
            "dev.mcp/x",
            "com.mcp.tools/x",
            "io.toolwright/scopes",
            "progressToken",
            "baggage",
        ] {
            assert!(!is_valid_meta_key(key), "{key}");
        }
    }

    #[test]
    fn sizes_are_two_lengths_or_any() {
        for size in ["48x48", "1x2", "any"] {
            assert!(is_size(size), "{size}");
        }
        for size in ["", "48", "x48", "48x", "0x0", "48X48", "048x48", "48x48x48", "+1x1"] {
            assert!(!is_size(size), "{size}");
        }
    }
}
