//! The tests of this package show that a tool's schema accepts exactly what its reader accepts, and that the reader
//! reads what serde reads: for the corpus in `tests/agreement`, and for types that the program of this package
//! generates.

pub mod case;
pub mod choices;
pub mod forms;
pub mod generate;
pub mod judge;
pub mod lint;
pub mod mutate;
pub mod run;
pub mod types;

/// Where the code that the derive writes finds what it needs; generated types do without the server.
pub mod toolwright {
    #[doc(hidden)]
    pub use toolwright_core::__private;
}

/// What generated types name.
pub mod prelude {
    pub use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
    pub use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
    pub use std::num::{NonZeroI32, NonZeroU8};
    pub use std::path::PathBuf;
    pub use std::time::Duration;

    pub use bytes::Bytes;
    pub use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc, Weekday};
    pub use jiff::{Timestamp, Zoned, civil};
    pub use rust_decimal::Decimal;
    pub use schemars::JsonSchema;
    pub use semver::Version;
    pub use serde::{Deserialize, Serialize};
    pub use serde_json::Value;
    pub use toolwright_macros::Tool;
    pub use url::Url;
    pub use uuid::Uuid;
}
