//! Stored credentials, encrypted at rest.
//!
//! [`MasterKeys`] seal each credential for one [`Place`]: organization, run, node and field. The resulting
//! [`Envelope`] can only be opened for that place, with the key that it names. There is no default key: without
//! a key, nothing can be stored.
//!
//! A [`SecretStore`] stores envelopes with their run. Workers open the credentials of the call that they
//! execute, the gateway those of the servers that it connects to.
//!
//! The key of each organization and run is derived with HKDF-SHA-256 (RFC 5869). Credentials are encrypted with
//! XChaCha20-Poly1305 and a random nonce of 24 bytes; the place and the key id are authenticated.
//!
//! ```
//! use toolwright_gateway::secrets::{MasterKeys, Place};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let keys = MasterKeys::generate()?;
//! let place = Place { org: Some("acme"), run: "run-1", node: "abuseipdb", field: "apiKey" };
//! let envelope = keys.seal(&place, b"s3cret")?;
//! assert_eq!(keys.open(&place, &envelope)?.expose(), b"s3cret");
//!
//! let elsewhere = Place { node: "other", ..place };
//! assert!(keys.open(&elsewhere, &envelope).is_err());
//! # Ok(())
//! # }
//! ```

mod envelope;
mod master;
mod store;
mod value;

pub use envelope::{Envelope, MAX_SECRET_BYTES, Place, SecretError};
pub use master::{COMMAND_TIMEOUT, KeyError, MAX_KEYS, MasterKeys};
pub(crate) use store::sealed_bytes;
pub use store::{MAX_CREDENTIALS, MAX_RUN_SEALED_BYTES, Rekeyed, Sealed, SecretStore};
pub use value::SecretValue;

#[cfg(test)]
mod tests;
