//! The byte-level parts of the Model Context Protocol that clients and servers share.
//!
//! Clients and servers frame messages as lines ([`lines`]) and events ([`event_stream`]), queue what they send
//! ([`outbox`], limited by a [`budget`]), connect within a process ([`memory`]), and over HTTP follow the same rules for headers ([`headers`], [`params`]),
//! bodies ([`body`]) and hosts ([`origin`]). This crate opens no connections except in [`fetch`]. It is an
//! implementation detail of Toolwright, without a stable API.
//!
//! | feature | contents |
//! |---|---|
//! | `http` | headers and bodies |
//! | `skills` | `frontmatter`: the frontmatter of a `SKILL.md` |
//! | `tls` | `http`, and [`fetch`]: small documents over TLS |

pub mod budget;
pub mod event_stream;
pub mod lines;
pub mod memory;
pub mod origin;
pub mod outbox;

#[cfg(feature = "http")]
pub mod body;
#[cfg(feature = "http")]
pub mod headers;
#[cfg(feature = "http")]
pub mod params;

#[cfg(feature = "skills")]
pub mod frontmatter;

#[cfg(feature = "tls")]
pub mod fetch;
