//! `requestState`: the responses to earlier input requests, which the client keeps between two rounds. The state is
//! protected against modification, expires, and is bound to its caller and request (2026-07-28, basic/patterns/mrtr
//! "Server Requirements").
//!
//! The specification requires integrity. Secrecy is a separate feature, `encrypted-state`: a handler's state consists
//! of what the same client sent, and encryption adds 14 crates to every small server. Gateways turn it on, since the
//! state of another server was sent to the gateway, not to its clients.

use std::fmt;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use toolwright_core::content::base64;

use super::canonical::canonical;
use super::round_trips::RequestState;
#[cfg(not(feature = "encrypted-state"))]
use super::seal::authenticated as seal;
#[cfg(feature = "encrypted-state")]
use super::seal::encrypted as seal;

/// The keys that protect the state that a server stores with its clients: `requestState`, and the ids of tasks that exist
/// elsewhere ([`Outcome::Created`](crate::Outcome::Created)).
///
/// By default, a server generates a key when it starts, which suffices for a single process. Several instances of one
/// server need shared keys, so that each can open the state of the others; so does a server that has to open state
/// after a restart. All instances must agree on the feature `encrypted-state`: instances with and without it reject
/// each other's state.
///
/// To rotate the key without rejecting requests in progress: first add the new key as a former one everywhere, then
/// make it the current one and the old one a former one, and remove the old one after
/// [`Limits::request_state_ttl`](crate::Limits::request_state_ttl).
#[derive(Clone)]
pub struct StateKeys {
    current: [u8; 32],
    former: Vec<[u8; 32]>,
}

impl StateKeys {
    /// Seals and opens with this key: 32 random bytes. Protect it like a password.
    pub fn new(current: [u8; 32]) -> Self {
        Self { current, former: Vec::new() }
    }

    /// Also opens state that was sealed with this key.
    pub fn or(mut self, former: [u8; 32]) -> Self {
        self.former.push(former);
        self
    }

    fn random() -> Option<Self> {
        let mut current = [0; 32];
        getrandom::fill(&mut current).ok()?;
        Some(Self::new(current))
    }
}

impl fmt::Debug for StateKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateKeys").field("former", &self.former.len()).finish_non_exhaustive()
    }
}

/// Seals and opens the state of one server.
#[derive(Debug, Default)]
pub(crate) struct Sealer {
    keys: OnceLock<Option<StateKeys>>,
}

/// What a state is bound to; it is rejected for any other request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Binding<'a> {
    /// The authenticated caller, if any.
    pub(crate) principal: Option<&'a str>,
    pub(crate) method: &'a str,
    /// The name of a tool or prompt, or the URI of a resource.
    pub(crate) target: &'a str,
    pub(crate) arguments: Option<&'a RawValue>,
}

impl Binding<'_> {
    /// The same bytes for equivalent requests, regardless of the order and whitespace of arguments. Ambiguous arguments
    /// are bound as written.
    fn bytes(&self) -> Vec<u8> {
        let text = self.arguments.map(RawValue::get).filter(|text| *text != "null").unwrap_or("{}");
        let Self { principal, method, target, .. } = self;
        let binding = match canonical(text) {
            Some(arguments) => json!([principal, method, target, arguments]),
            None => json!([principal, method, target, null, text]),
        };
        binding.to_string().into_bytes()
    }
}

#[derive(Serialize, Deserialize)]
struct Sealed<A, P> {
    /// Seconds since 1970.
    expires: u64,
    answers: A,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    provider: Option<P>,
}

impl Sealer {
    pub(crate) fn new(keys: Option<StateKeys>) -> Self {
        Self { keys: keys.map_or_else(OnceLock::new, |keys| OnceLock::from(Some(keys))) }
    }

    /// Seals a state; `None` if the system's random number generator fails.
    pub(crate) fn seal(&self, kept: &RequestState, ttl: Duration, binding: &Binding<'_>) -> Option<String> {
        let keys = self.keys()?;
        let expires = now().saturating_add(ttl.as_secs());
        let text = serde_json::to_vec(&Sealed {
            expires,
            answers: &kept.answers,
            provider: kept.provider.as_deref(),
        })
        .ok()?;
        seal::seal(&keys.current, &text, &binding.bytes()).map(|sealed| base64::encode(&sealed))
    }

    /// Opens a state; `None` if this server did not seal it for this request, or it has expired.
    pub(crate) fn open(&self, text: &str, binding: &Binding<'_>) -> Option<RequestState> {
        let keys = self.keys()?;
        let bytes = base64::decode(text).ok()?;
        let binding = binding.bytes();
        let mut keys = std::iter::once(&keys.current).chain(&keys.former);
        let text = keys.find_map(|key| seal::open(key, &bytes, &binding))?;
        let Sealed { expires, answers, provider } = serde_json::from_slice(&text).ok()?;
        (expires > now()).then_some(RequestState { answers, provider })
    }

    /// Seals bytes that do not expire, such as the id of another server's task; `None` if the system's random number
    /// generator fails. The binding must differ from those of states, which are arrays of at least four values.
    #[cfg(feature = "tasks")]
    pub(crate) fn seal_bytes(&self, text: &[u8], binding: &[u8]) -> Option<String> {
        seal::seal(&self.keys()?.current, text, binding).map(|sealed| base64::encode(&sealed))
    }

    /// Opens what [`Sealer::seal_bytes`] has sealed with this binding.
    #[cfg(feature = "tasks")]
    pub(crate) fn open_bytes(&self, sealed: &str, binding: &[u8]) -> Option<Vec<u8>> {
        let keys = self.keys()?;
        let bytes = base64::decode(sealed).ok()?;
        let mut keys = std::iter::once(&keys.current).chain(&keys.former);
        keys.find_map(|key| seal::open(key, &bytes, binding))
    }

    fn keys(&self) -> Option<&StateKeys> {
        self.keys.get_or_init(StateKeys::random).as_ref()
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::value::RawValue;
    use toolwright_core::content::base64;

    use super::{Binding, RequestState, Sealer, StateKeys};

    const MINUTE: Duration = Duration::from_mins(1);

    fn raw(text: &str) -> Box<RawValue> {
        serde_json::from_str(text).expect("JSON")
    }

    fn sealer() -> Sealer {
        Sealer::new(Some(StateKeys::new([7; 32])))
    }

    #[test]
    fn state_opens_for_the_same_request_only() {
        let arguments = raw(r#"{"a": 1, "b": [{"c": null, "d": "x"}]}"#);
        let same = raw(r#"{"b":[{"d":"\u0078","c":null}],"a":1}"#);
        let other = raw(r#"{"a":2,"b":[{"c":null,"d":"x"}]}"#);
        let binding = Binding {
            principal: Some("ada"),
            method: "tools/call",
            target: "book",
            arguments: Some(&arguments),
        };
        let answers = [("key".to_owned(), raw(r#"{"action":"accept"}"#))].into();
        let kept = RequestState { answers, provider: Some("theirs".to_owned()) };
        let state = sealer().seal(&kept, MINUTE, &binding).expect("sealed");
        assert_eq!(reveals(&state, "accept"), cfg!(not(feature = "encrypted-state")));
        assert_eq!(reveals(&state, "theirs"), cfg!(not(feature = "encrypted-state")));
        let opens = |binding: &Binding<'_>| sealer().open(&state, binding).is_some();
        let opened = sealer().open(&state, &binding).expect("opened");
        assert_eq!(opened.answers["key"].get(), r#"{"action":"accept"}"#);
        assert_eq!(opened.provider.as_deref(), Some("theirs"));
        assert!(opens(&Binding { arguments: Some(&same), ..binding }));
        for (case, other) in [
            ("arguments", Binding { arguments: Some(&other), ..binding }),
            ("no arguments", Binding { arguments: None, ..binding }),
            ("method", Binding { method: "prompts/get", ..binding }),
            ("name", Binding { target: "boo", ..binding }),
            ("another caller", Binding { principal: Some("eve"), ..binding }),
            ("without a principal", Binding { principal: None, ..binding }),
        ] {
            assert!(!opens(&other), "{case}");
        }
    }

    #[test]
    fn missing_null_and_empty_arguments_are_equivalent() {
        let binding = Binding { principal: None, method: "tools/call", target: "t", arguments: None };
        let state = sealer().seal(&RequestState::default(), MINUTE, &binding).expect("sealed");
        for text in ["null", "{}", " { } "] {
            let arguments = raw(text);
            assert!(
                sealer().open(&state, &Binding { arguments: Some(&arguments), ..binding }).is_some(),
                "{text}"
            );
        }
    }

    #[test]
    fn unparsable_arguments_are_bound_as_well() {
        let deep = |inner: &str| format!(r#"{{"a":{}{inner}{}}}"#, "[".repeat(200), "]".repeat(200));
        for (text, other) in [
            (r#"{"amount":1,"z":1e400}"#, r#"{"amount":5000,"z":1e400}"#),
            (r#"{"amount":1,"z":"\ud800"}"#, r#"{"amount":5000,"z":"\ud800"}"#),
            (r#"{"amount":1,"amount":2}"#, r#"{"amount":2}"#),
            (r#"{"amount":100000000000000000001}"#, r#"{"amount":100000000000000000002}"#),
            (r#"{"amount":9007199254740992.0}"#, r#"{"amount":9007199254740993.0}"#),
            (&deep("1"), &deep("2")),
            (r#"{"z":1e400}"#, "{}"),
            ("{}", r#"{"z":1e400}"#),
        ] {
            let (arguments, others) = (raw(text), raw(other));
            let binding =
                Binding { principal: None, method: "tools/call", target: "t", arguments: Some(&arguments) };
            let state = sealer().seal(&RequestState::default(), MINUTE, &binding).expect("sealed");
            assert!(sealer().open(&state, &binding).is_some(), "{text}");
            let other = Binding { arguments: Some(&others), ..binding };
            assert!(sealer().open(&state, &other).is_none(), "{text}");
        }
    }

    #[test]
    fn expired_or_modified_state_is_rejected() {
        let binding = Binding { principal: None, method: "tools/call", target: "t", arguments: None };
        let state = |ttl| sealer().seal(&RequestState::default(), ttl, &binding).expect("sealed");
        assert!(sealer().open(&state(Duration::ZERO), &binding).is_none(), "expired");
        let bytes = base64::decode(&state(MINUTE)).expect("base64");
        for index in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[index] ^= 1;
            assert!(sealer().open(&base64::encode(&changed), &binding).is_none(), "byte {index}");
            assert!(sealer().open(&base64::encode(&bytes[..index]), &binding).is_none(), "{index} bytes");
        }
        let others = Sealer::new(Some(StateKeys::new([8; 32])));
        assert!(others.open(&base64::encode(&bytes), &binding).is_none(), "another key");
        assert!(Sealer::default().open(&base64::encode(&bytes), &binding).is_none(), "a random key");
    }

    /// Whether the state reveals the text to a client.
    fn reveals(state: &str, words: &str) -> bool {
        let bytes = base64::decode(state).expect("base64");
        bytes.windows(words.len()).any(|window| window == words.as_bytes())
    }
}
