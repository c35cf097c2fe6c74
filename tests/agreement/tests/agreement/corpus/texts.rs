//! Strings and what is written as a string.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Utc, Weekday};
use url::Url;
use uuid::Uuid;

use test_agreement::case::{Case, Field, Maybe};
use test_agreement::cases;

pub(crate) fn cases() -> Vec<Case> {
    cases! {
        "String" => Field<String>,
        "Option<String>" => Maybe<String>,
        "char" => Field<char>,
        "Cow<str>" => Field<Cow<'static, str>>,
        "Box<str>" => Field<Box<str>>,
        "PathBuf" => Field<PathBuf>,
        "DateTime<Utc>" => Field<DateTime<Utc>>,
        "DateTime<FixedOffset>" => Maybe<DateTime<FixedOffset>>,
        "NaiveDate" => Field<NaiveDate>,
        "NaiveTime" => Field<NaiveTime>,
        "NaiveDateTime" => Field<NaiveDateTime>,
        "Weekday" => Field<Weekday>,
        "Uuid" => Field<Uuid>,
        "Option<Uuid>" => Maybe<Uuid>,
        "Zoned" => Field<jiff::Zoned>,
        "civil::DateTime" => Field<jiff::civil::DateTime>,
        "Decimal" => Field<rust_decimal::Decimal>,
        "Vec<Decimal>" => Field<Vec<rust_decimal::Decimal>>,
        "Bytes" => Field<bytes::Bytes>,
        "Url" => Field<Url>,
        "Ipv4Addr" => Field<Ipv4Addr>,
        "Ipv6Addr" => Field<Ipv6Addr>,
        "IpAddr" => Field<IpAddr>,
        "SocketAddr" => Field<SocketAddr>,
    }
}
