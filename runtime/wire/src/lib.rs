//! What both sides of the Model Context Protocol do with bytes.
//!
//! Servers and clients frame messages as lines ([`lines`]) and as events ([`event_stream`]), queue what they send
//! ([`outbox`], within a [`budget`]), meet within one process ([`memory`]), and over HTTP follow the same rules of headers ([`headers`], [`params`]), bodies ([`body`]) and hosts
//! ([`origin`]). The crate serves and calls nothing by itself; it is a part of Toolwright and has no stable interface of
//! its own.
//!
//! | feature | what it brings |
//! |---|---|
//! | `http` | headers and bodies |
//! | `skills` | `frontmatter`: what a `SKILL.md` says about its skill |
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
