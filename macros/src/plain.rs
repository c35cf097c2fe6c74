//! Types whose names are understood without the compiler, if they mean what they mean in the prelude.

use quote::ToTokens;
use syn::Type;

use crate::model::any_ident;

const PLAIN: [&str; 20] = [
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "str", "u8", "u16", "u32",
    "u64", "u128", "usize", "String", "Option", "Vec",
];

/// Whether a type is that of a single value, which no tool, prompt or resource is.
pub(crate) fn is_plain(ty: &Type) -> bool {
    last_word(ty).is_some_and(|word| PLAIN.contains(&word.as_str()))
}

/// Whether a type is made of such types only, as `Option<Vec<String>>` is.
pub(crate) fn is_made_of_plain(ty: &Type) -> bool {
    !any_ident(ty.to_token_stream(), &|ident| PLAIN.iter().all(|plain| ident != plain))
}

/// The name of a type or of what it refers to, without its path and parameters.
pub(crate) fn last_word(ty: &Type) -> Option<String> {
    match ty {
        Type::Reference(reference) => last_word(&reference.elem),
        Type::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
        _ => None,
    }
}
