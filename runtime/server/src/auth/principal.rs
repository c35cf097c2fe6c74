//! The caller that a verified token identifies.

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

/// A caller, described by a verified token. It never contains the token itself.
///
/// Handlers get it from [`Context::principal`](crate::Context::principal).
#[derive(Clone, PartialEq)]
pub struct Principal {
    key: String,
    owner: String,
    issuer: Option<String>,
    subject: String,
    client_id: Option<String>,
    scopes: BTreeSet<String>,
    /// Shared, since each request of a session has a copy.
    claims: Arc<Map<String, Value>>,
    extensions: Extensions,
    end: End,
}

/// A verifier's additional values, one per type. They do not identify the principal, so comparisons ignore them.
#[derive(Clone, Default)]
struct Extensions(Vec<Arc<dyn Any + Send + Sync>>);

impl PartialEq for Extensions {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

/// Ends the streams of a principal. Like extensions, it is ignored by comparisons.
#[derive(Clone, Default)]
struct End(Option<CancellationToken>);

impl PartialEq for End {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Principal {
    /// Creates a principal without scopes and claims. `subject` identifies it among the principals of the same issuer,
    /// or of the same verifier.
    pub fn new(subject: impl Into<String>) -> Self {
        let subject = subject.into();
        Self {
            key: key_of(None, &subject),
            owner: owner_of(None, &subject, None),
            issuer: None,
            subject,
            client_id: None,
            scopes: BTreeSet::new(),
            claims: Arc::default(),
            extensions: Extensions::default(),
            end: End::default(),
        }
    }

    /// Sets the issuer.
    pub fn with_issuer(mut self, issuer: impl Into<String>) -> Self {
        let issuer = issuer.into();
        self.key = key_of(Some(&issuer), &self.subject);
        self.owner = owner_of(Some(&issuer), &self.subject, self.client_id.as_deref());
        self.issuer = Some(issuer);
        self
    }

    /// Sets the client that acts for the subject.
    pub fn with_client_id(mut self, client_id: impl Into<String>) -> Self {
        let client_id = client_id.into();
        self.owner = owner_of(self.issuer.as_deref(), &self.subject, Some(&client_id));
        self.client_id = Some(client_id);
        self
    }

    /// Adds scopes.
    pub fn with_scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.scopes.extend(scopes.into_iter().map(Into::into));
        self
    }

    /// Sets the claims that [`Principal::claims`] returns.
    pub fn with_claims(mut self, claims: Map<String, Value>) -> Self {
        self.claims = Arc::new(claims);
        self
    }

    /// Attaches a value for handlers and providers ([`Principal::extension`]), such as the account that the verifier
    /// has loaded anyway. A principal has one value per type: a later value of the same type replaces the earlier one.
    pub fn with_extension<T: Any + Send + Sync>(mut self, extension: Arc<T>) -> Self {
        let Extensions(extensions) = &mut self.extensions;
        extensions.retain(|other| !other.is::<T>());
        extensions.push(extension);
        self
    }

    /// Returns the attached value of this type.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use toolwright_server::auth::Principal;
    ///
    /// struct Account { credit: u32 }
    ///
    /// let principal = Principal::new("ada").with_extension(Arc::new(Account { credit: 3 }));
    /// assert_eq!(principal.extension::<Account>().map(|account| account.credit), Some(3));
    /// assert!(principal.extension::<String>().is_none());
    /// ```
    pub fn extension<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.extensions.0.iter().find_map(|extension| extension.downcast_ref())
    }

    /// Sets a token that closes the principal's subscriptions, session streams and sockets when it is cancelled, for example
    /// because the access token expired or was revoked. By default, a stream stays open once it was opened with a valid
    /// token. Calls continue, those of a socket for [`Limits::shutdown_grace`](crate::Limits::shutdown_grace); a provider
    /// that has to stop them must do so itself.
    ///
    /// ```
    /// use tokio_util::sync::CancellationToken;
    /// use toolwright_server::auth::Principal;
    ///
    /// let signed_out = CancellationToken::new();
    /// let principal = Principal::new("ada").with_end(signed_out.clone());
    /// signed_out.cancel();
    /// assert!(principal.has_ended());
    /// ```
    pub fn with_end(mut self, end: CancellationToken) -> Self {
        self.end = End(Some(end));
        self
    }

    /// Returns whether the principal's access has ended since its token was verified; see [`Principal::with_end`].
    pub fn has_ended(&self) -> bool {
        self.end.0.as_ref().is_some_and(CancellationToken::is_cancelled)
    }

    /// The token that ends the principal's streams.
    #[cfg(feature = "http")]
    pub(crate) fn end(&self) -> Option<&CancellationToken> {
        self.end.0.as_ref()
    }

    /// Returns the issuer of the token; `None` for an API key.
    pub fn issuer(&self) -> Option<&str> {
        self.issuer.as_deref()
    }

    /// Returns the subject: `sub` of a token, or the name of an API key.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Returns the client that acts for the subject, if known.
    pub fn client_id(&self) -> Option<&str> {
        self.client_id.as_deref()
    }

    /// Iterates over the caller's scopes, including implied ones (`Protection::implies`), in alphabetical order.
    pub fn scopes(&self) -> impl Iterator<Item = &str> {
        self.scopes.iter().map(String::as_str)
    }

    /// Returns whether the caller has this scope.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes.contains(scope)
    }

    /// Deserializes the claims of the token, or of the introspection response.
    ///
    /// ```
    /// # use toolwright_server::auth::Principal;
    /// # fn example(principal: &Principal) -> Result<(), serde_json::Error> {
    /// #[derive(serde::Deserialize)]
    /// struct Claims {
    ///     tenant: String,
    /// }
    ///
    /// let tenant = principal.claims::<Claims>()?.tenant;
    /// # drop(tenant);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The claims do not match the type; the message may repeat their values.
    pub fn claims<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        T::deserialize(&*self.claims)
    }

    /// Returns a claim of the token, or a member of the introspection response.
    ///
    /// ```
    /// use serde_json::{Map, json};
    /// use toolwright_server::auth::Principal;
    ///
    /// let claims = Map::from_iter([("tenant".to_owned(), json!("acme"))]);
    /// let principal = Principal::new("ada").with_claims(claims);
    /// assert_eq!(principal.claim("tenant"), Some(&json!("acme")));
    /// assert_eq!(principal.claim("region"), None);
    /// ```
    pub fn claim(&self, name: &str) -> Option<&Value> {
        self.claims.get(name)
    }

    /// Issuer and subject in one string, which identifies the principal across tokens. Its share of the server's limits
    /// is counted under this key, so a principal with many clients gets no more than one with a single client.
    #[cfg(feature = "http")]
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Issuer, subject and client in one string: the owner of everything that is opened or created with a token. Another
    /// client of the same subject does not see it.
    pub(crate) fn owner(&self) -> &str {
        &self.owner
    }
}

fn key_of(issuer: Option<&str>, subject: &str) -> String {
    serde_json::json!([issuer, subject]).to_string()
}

fn owner_of(issuer: Option<&str>, subject: &str, client_id: Option<&str>) -> String {
    // In JSON, distinct lists of strings have distinct encodings.
    serde_json::json!([issuer, subject, client_id]).to_string()
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Claims are personal data and do not belong in logs.
        f.debug_struct("Principal")
            .field("issuer", &self.issuer)
            .field("subject", &self.subject)
            .field("client_id", &self.client_id)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Map, json};

    use super::Principal;

    #[test]
    fn owners_are_equal_for_all_tokens_of_a_client() {
        let ada = Principal::new("ada").with_issuer("https://a.example");
        let desk = ada.clone().with_client_id("desk");
        let phone = Principal::new("ada").with_client_id("phone").with_issuer("https://a.example");
        assert_eq!(desk.owner(), desk.clone().with_scopes(["s"]).owner());
        for same in [&desk, &phone, &ada.clone().with_scopes(["s"])] {
            assert_eq!(same.key, ada.key, "{same:?}");
        }
        assert_ne!(Principal::new("ada").key, ada.key);
        let others = [
            ada,
            desk,
            phone,
            Principal::new("ada"),
            Principal::new("ada").with_issuer("https://b.example"),
            Principal::new("bob").with_issuer("https://a.example"),
            Principal::new("a\",\"da"),
            Principal::new("ada").with_client_id("https://a.example"),
            Principal::new("ada\",\"desk").with_issuer("https://a.example"),
        ];
        for (index, one) in others.iter().enumerate() {
            assert!(others[index + 1..].iter().all(|later| later.owner() != one.owner()), "{one:?}");
        }
    }

    #[test]
    fn a_principal_has_one_value_of_each_type() {
        let principal = Principal::new("ada").with_extension(Arc::new(1_u8)).with_extension(Arc::new("a"));
        let principal = principal.with_extension(Arc::new(2_u8));
        assert_eq!(principal.extension::<u8>(), Some(&2));
        assert_eq!(principal.extension::<&str>(), Some(&"a"));
        assert_eq!(principal.extension::<u16>(), None);
    }

    // As reported in punkpeye/mcp-remote#268, netlify/netlify-mcp#19, open-mercato/open-mercato#2832.
    #[test]
    fn debug_output_does_not_contain_claims() {
        let claims = Map::from_iter([("email".to_owned(), json!("ada@example.com"))]);
        let principal = Principal::new("ada").with_scopes(["orders:read"]).with_claims(claims);
        let text = format!("{principal:?}");
        assert!(text.contains("orders:read") && !text.contains("example.com"), "{text}");
        assert_eq!(principal.claims::<serde_json::Value>().expect("JSON")["email"], "ada@example.com");
    }
}
