//! The authorization server: metadata, keys, introspection, and tokens for programs.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

use crate::http::{Request, Response};
use crate::signer::Signer;
use crate::token::Token;

/// The client that may introspect and request tokens.
pub const CLIENT: (&str, &str) = ("shop & co", "s3cret:of/the shop");

/// The file with the certificate of the authority that has signed that of the server.
pub const AUTHORITY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/authority-of-the-tests.pem");

/// A running authorization server on its own port. It ends with the process.
#[derive(Debug, Clone)]
pub struct AuthorizationServer {
    address: SocketAddr,
    path: String,
    tls: Option<Arc<ServerConfig>>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    signers: Vec<Signer>,
    mood: Mood,
    /// The issuer in the metadata, if it is not the real one.
    alias: Option<String>,
    /// The only path that serves metadata; if `None`, the first one that is requested.
    metadata_at: Option<String>,
    fetches: HashMap<String, usize>,
    opaque: HashMap<String, Value>,
    jwks_extra: Vec<Value>,
}

/// How the server answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mood {
    /// Correctly.
    Well,
    /// Correctly, after a delay.
    Slow(Duration),
    /// With this status.
    Failing(u16),
    /// With a body that is not valid JSON.
    Nonsense,
    /// With a body of megabytes.
    Huge,
    /// With a redirect to this address.
    Redirecting(String),
    /// Not at all: the connection is closed.
    Gone,
}

impl AuthorizationServer {
    /// A server whose issuer has no path.
    pub fn start() -> Self {
        Self::start_at("")
    }

    /// A server whose issuer has this path, such as `/tenant`.
    ///
    /// # Panics
    /// If it cannot listen.
    pub fn start_at(path: &str) -> Self {
        Self::start_with(path, None)
    }

    /// A server over TLS, as `localhost`; clients must trust the certificate at [`AUTHORITY`].
    ///
    /// # Panics
    /// If it cannot listen.
    pub fn start_with_tls() -> Self {
        Self::start_with("", Some(tls()))
    }

    fn start_with(path: &str, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let server = Self {
            address: listener.local_addr().expect("an address"),
            path: path.to_owned(),
            tls,
            state: Arc::new(Mutex::new(State {
                signers: ["ES256", "EdDSA", "RS256"].map(|name| Signer::new(name, name)).into(),
                mood: Mood::Well,
                alias: None,
                metadata_at: None,
                fetches: HashMap::new(),
                opaque: HashMap::new(),
                jwks_extra: Vec::new(),
            })),
        };
        let accepting = server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let server = accepting.clone();
                std::thread::spawn(move || server.accept(stream));
            }
        });
        server
    }

    /// Its name.
    pub fn issuer(&self) -> String {
        format!("{}{}", self.origin(), self.path)
    }

    /// Its address without a path.
    pub fn origin(&self) -> String {
        match self.tls {
            None => format!("http://{}", self.address),
            Some(_) => format!("https://localhost:{}", self.address.port()),
        }
    }

    /// The URL of its keys.
    pub fn jwks_url(&self) -> String {
        format!("{}/keys", self.origin())
    }

    /// The URL of its introspection endpoint.
    pub fn introspection_url(&self) -> String {
        format!("{}/introspect", self.origin())
    }

    /// A valid token, to be modified and signed.
    pub fn token(&self) -> Token {
        Token::of(&self.issuer())
    }

    /// Signs with the key of this algorithm.
    ///
    /// # Panics
    /// If there is none.
    pub fn sign_with(&self, algorithm: &str, token: Token) -> String {
        let state = self.state();
        let signer = state.signers.iter().find(|signer| signer.algorithm() == algorithm).expect("a key");
        let mut token = token;
        token.header.entry("alg").or_insert_with(|| signer.algorithm().into());
        token.header.entry("kid").or_insert_with(|| signer.kid.as_str().into());
        token.header.retain(|_, value| !value.is_null());
        token.with_signature(&signer.sign(&token.unsigned()))
    }

    /// Signs with the default key.
    pub fn sign(&self, token: Token) -> String {
        self.sign_with("ES256", token)
    }

    /// The currently served keys.
    pub fn jwks(&self) -> Value {
        let state = self.state();
        let keys: Vec<Value> =
            state.jwks_extra.iter().cloned().chain(state.signers.iter().map(Signer::jwk)).collect();
        json!({"keys": keys})
    }

    /// Puts other keys in front of the real ones.
    pub fn add_keys(&self, keys: impl IntoIterator<Item = Value>) {
        self.state().jwks_extra.extend(keys);
    }

    /// Replaces the default key with a new one that has another `kid`.
    pub fn rotate(&self, kid: &str) {
        let mut state = self.state();
        state.signers.retain(|signer| signer.algorithm() != "ES256");
        state.signers.push(Signer::new("ES256", kid));
    }

    /// Changes how it answers from now on.
    pub fn set_mood(&self, mood: Mood) {
        self.state().mood = mood;
    }

    /// Sets another issuer in its metadata.
    pub fn call_itself(&self, issuer: &str) {
        self.state().alias = Some(issuer.to_owned());
    }

    /// Serves its metadata here only.
    pub fn metadata_at(&self, path: &str) {
        self.state().metadata_at = Some(path.to_owned());
    }

    /// An opaque token, with the response of its introspection.
    pub fn opaque(&self, name: &str, claims: Value) -> String {
        let token = format!("opaque-token-{name}");
        self.state().opaque.insert(token.clone(), claims);
        token
    }

    /// Makes a token inactive from now on.
    pub fn revoke(&self, token: &str) {
        self.state().opaque.remove(token);
    }

    /// Requests a token with client credentials from the token endpoint: for this resource, with these scopes.
    ///
    /// # Panics
    /// If the server issues none.
    pub fn issue(&self, resource: &str, scopes: &str) -> String {
        let encoded = |text: &str| text.replace(':', "%3A").replace('/', "%2F").replace(' ', "+");
        let form =
            format!("grant_type=client_credentials&resource={}&scope={}", encoded(resource), encoded(scopes));
        let mut stream = TcpStream::connect(self.address).expect("the server listens");
        let head = format!(
            "POST /token HTTP/1.1\r\nAuthorization: {}\r\nContent-Length: {}\r\n\r\n",
            credentials(),
            form.len()
        );
        stream.write_all(format!("{head}{form}").as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
        let answer: Value = serde_json::from_str(body).expect("JSON");
        answer["access_token"].as_str().expect("a token").to_owned()
    }

    /// How often this path was requested.
    pub fn fetches(&self, path: &str) -> usize {
        self.state().fetches.get(path).copied().unwrap_or(0)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn accept(&self, mut stream: TcpStream) {
        let timeout = stream.set_read_timeout(Some(Duration::from_secs(5)));
        match self.tls.clone().map(ServerConnection::new) {
            _ if timeout.is_err() => {}
            None => self.serve(&mut stream),
            Some(Ok(tls)) => {
                let mut stream = StreamOwned::new(tls, stream);
                self.serve(&mut stream);
                stream.conn.send_close_notify();
                // A peer that does not trust the certificate has disconnected.
                let _ = stream.flush();
            }
            Some(Err(_)) => {}
        }
    }

    fn serve(&self, stream: &mut (impl Read + Write)) {
        let Some(request) = Request::read(stream) else { return };
        *self.state().fetches.entry(request.path.clone()).or_default() += 1;
        let mood = self.state().mood.clone();
        let response = match mood {
            Mood::Well => self.answer(&request),
            Mood::Slow(time) => {
                std::thread::sleep(time);
                self.answer(&request)
            }
            Mood::Failing(status) => Response::new(status, "{}"),
            Mood::Nonsense => Response::new(200, "<html>"),
            Mood::Huge => {
                let mut answer = self.answer(&request);
                answer.body.splice(0..0, vec![b' '; 1 << 20]);
                answer
            }
            Mood::Redirecting(to) => {
                Response { headers: format!("Location: {to}\r\n"), ..Response::new(302, "") }
            }
            Mood::Gone => return,
        };
        response.write(stream);
    }

    fn answer(&self, request: &Request) -> Response {
        let metadata_at = self.state().metadata_at.clone();
        let metadata_at =
            metadata_at.unwrap_or_else(|| format!("/.well-known/oauth-authorization-server{}", self.path));
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", path) if path == metadata_at => {
                let issuer = self.state().alias.clone().unwrap_or_else(|| self.issuer());
                let metadata = json!({
                    "issuer": issuer, "jwks_uri": self.jwks_url(),
                    "authorization_endpoint": format!("{}/authorize", self.origin()),
                    "response_types_supported": ["code"],
                    "grant_types_supported": ["client_credentials"],
                    "token_endpoint_auth_methods_supported": ["client_secret_basic"],
                    "code_challenge_methods_supported": ["S256"],
                    "token_endpoint": format!("{}/token", self.origin()),
                    "introspection_endpoint": self.introspection_url(),
                });
                Response::new(200, metadata.to_string())
            }
            ("GET", "/keys") => Response::new(200, self.jwks().to_string()),
            ("POST", "/introspect" | "/token") if !is_known(request) => Response::new(401, "{}"),
            ("POST", "/introspect") => {
                let token = request.form("token").unwrap_or_default();
                let known = self.state().opaque.get(&token).cloned();
                Response::new(200, known.unwrap_or_else(|| json!({"active": false})).to_string())
            }
            ("POST", "/token") => {
                let [resource, scope] =
                    ["resource", "scope"].map(|name| request.form(name).unwrap_or_default());
                let token = self.token().claim("aud", resource).claim("sub", CLIENT.0).scope(&scope);
                let token = self.sign(token);
                let answer = json!({"access_token": token, "token_type": "Bearer", "scope": scope});
                Response::new(200, answer.to_string())
            }
            _ => Response::new(404, "{}"),
        }
    }
}

fn tls() -> Arc<ServerConfig> {
    let certificate = include_bytes!("../fixtures/localhost.der").to_vec().into();
    let key = PrivatePkcs8KeyDer::from(include_bytes!("../fixtures/localhost-key.der").to_vec());
    let config = ServerConfig::builder_with_provider(default_provider().into())
        .with_safe_default_protocol_versions()
        .expect("ring has the usual versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key.into());
    Arc::new(config.expect("the key is the certificate's"))
}

/// Name and secret, each encoded for a form (RFC 6749 §2.3.1).
fn credentials() -> String {
    format!("Basic {}", STANDARD.encode("shop%20%26%20co:s3cret%3Aof%2Fthe%20shop"))
}

fn is_known(request: &Request) -> bool {
    request.authorization == credentials()
}
