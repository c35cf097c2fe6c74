//! Numbers and booleans.

use std::num::{NonZeroI8, NonZeroI64, NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64, NonZeroUsize};

use test_agreement::case::{Case, Field, Maybe};
use test_agreement::cases;

pub(crate) fn cases() -> Vec<Case> {
    cases! {
        "u8" => Field<u8>,
        "u16" => Field<u16>,
        "u32" => Field<u32>,
        "u64" => Field<u64>,
        "u128" => Field<u128>,
        "usize" => Field<usize>,
        "i8" => Field<i8>,
        "i16" => Field<i16>,
        "i32" => Field<i32>,
        "i64" => Field<i64>,
        "i128" => Field<i128>,
        "isize" => Field<isize>,
        "NonZeroU8" => Field<NonZeroU8>,
        "NonZeroU16" => Field<NonZeroU16>,
        "NonZeroU32" => Field<NonZeroU32>,
        "NonZeroU64" => Field<NonZeroU64>,
        "NonZeroUsize" => Field<NonZeroUsize>,
        "NonZeroI8" => Field<NonZeroI8>,
        "NonZeroI64" => Field<NonZeroI64>,
        "f32" => Field<f32>,
        "f64" => Field<f64>,
        "bool" => Field<bool>,
        "unit" => Field<()>,
        "Number" => Field<serde_json::Number>,
        "Option<u8>" => Maybe<u8>,
        "Option<NonZeroI8>" => Maybe<NonZeroI8>,
        "Option<Option<bool>>" => Maybe<Option<bool>>,
        "Wrapping<u8>" => Field<std::num::Wrapping<u8>>,
        "AtomicU16" => Field<std::sync::atomic::AtomicU16>,
    }
}
