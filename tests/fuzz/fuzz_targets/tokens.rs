//! Any text as a session token, as its claims, and as an API key: only what was issued is accepted, and only with its own claims.

#![no_main]

use std::cell::OnceCell;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use libfuzzer_sys::{Corpus, fuzz_target};
use tokio::runtime::{Builder, Runtime};
use toolwright_gateway::registry::{MemoryStore, Registry, RegistryStore as _, RunId};
use toolwright_gateway::tokens::{Claims, KeyRing, Minted, Permission, SessionRequest, SessionTokens};
use toolwright_gateway::{Clock, Selection};
use toolwright_server::auth::{ApiKeys, TokenVerifier};

const KEY: &str = "key-of-the-engine-0123456789-abcdefgh";

/// A gateway with one token and one API key.
struct Gate {
    runtime: Runtime,
    tokens: Arc<SessionTokens>,
    /// With the same signing keys, for another gateway.
    elsewhere: SessionTokens,
    sessions: Box<dyn TokenVerifier>,
    keys: ApiKeys,
    minted: Minted,
}

impl Gate {
    fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
        // Tokens never expire.
        let clock = Clock::new(|| Duration::from_secs(1_000_000));
        let ring = KeyRing::generate().expect("random numbers");
        let tokens =
            |url| SessionTokens::new(ring.clone(), url).issuer("https://issuer.example").clock(clock.clone());
        let (here, elsewhere) =
            (Arc::new(tokens("https://here.example/mcp")), tokens("https://there.example/mcp"));
        let (sessions, minted) = runtime.block_on(async {
            let (store, run) = (Arc::new(MemoryStore::new()), RunId::new(Some("acme"), "r"));
            let epoch = store.open(&run, Duration::from_hours(24)).await.expect("a run").epoch;
            let request = SessionRequest::new("agent").run(Some("acme"), "r", epoch);
            let minted = here.mint(&request.nodes(Selection::only(["n"]))).expect("a token");
            let registry = Registry::with_store(store).clock(clock.clone()).start();
            (registry.verifier(Arc::clone(&here)), minted)
        });
        let keys = ApiKeys::new().key("engine", KEY, [""; 0]).expect("a key");
        Self { runtime, tokens: here, elsewhere, sessions: Box::new(sessions), keys, minted }
    }

    /// Only the token and the key are accepted, unchanged.
    fn check(&self, text: &str) {
        let is_own = text == self.minted.token;
        let claims = self.tokens.check(text);
        assert_eq!(claims.as_ref().ok(), is_own.then_some(&self.minted.claims), "{text}");
        assert!(self.elsewhere.check(text).is_err(), "{text}");
        let session = self.runtime.block_on(self.sessions.verify(text));
        assert_eq!(session.is_ok(), is_own, "{text}: {session:?}");
        let service = self.runtime.block_on(self.keys.verify(text));
        assert_eq!(service.is_ok(), text == KEY, "{text}: {service:?}");
        for rejected in [claims.err(), session.err(), service.err()].into_iter().flatten() {
            let (reason, is_short) = (rejected.reason(), rejected.reason().len() < 200);
            assert!(!reason.is_empty() && is_short && !reason.contains(['\n', '\r']), "{reason:?}");
        }
    }
}

/// A text with some of its bytes replaced or removed: each edit is two bytes for the place, and one for what is there then.
fn edited(text: &str, edits: &[u8]) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    for edit in edits.chunks_exact(3) {
        let place = usize::from(u16::from_le_bytes([edit[0], edit[1]]));
        match edit[2] {
            0 => bytes.truncate(place),
            1 if !bytes.is_empty() => drop(bytes.remove(place % bytes.len())),
            2 => bytes.push(b'A'),
            byte if !bytes.is_empty() => {
                let place = place % bytes.len();
                bytes[place] = byte;
            }
            _ => {}
        }
    }
    String::from_utf8(bytes).ok()
}

/// The token with another part: the header, the claims or the signature.
fn exchanged(token: &str, part: u8, with: &[u8]) -> String {
    let mut parts: Vec<String> = token.split('.').map(str::to_owned).collect();
    parts[usize::from(part % 3)] = URL_SAFE_NO_PAD.encode(with);
    parts.join(".")
}

/// Claims are read as they are written, and grant all nodes only with the permission for that.
fn check_claims(text: &[u8]) -> Option<()> {
    let claims: Claims = serde_json::from_slice(text).ok()?;
    let written = serde_json::to_string(&claims).expect("claims can be written");
    assert_eq!(serde_json::from_str::<Claims>(&written).expect("what is written is read"), claims);
    let scope = claims.to_scope();
    assert_eq!((&scope.org, &scope.run, &scope.tools), (&claims.org, &claims.run, &claims.tools));
    assert!(scope.nodes != Selection::All || claims.permits(Permission::RunAll), "{written}");
    Some(())
}

/// A token with claims of any kind is accepted with exactly these, and by no other gateway.
fn check_issued(gate: &Gate, text: &[u8]) -> Option<()> {
    let mut lines = std::str::from_utf8(text).ok()?.split('\n');
    let mut next = || lines.next().unwrap_or_default();
    let request = SessionRequest::new(next());
    let (org, run, epoch) = (next(), next(), next());
    let request = request.run((!org.is_empty()).then_some(org), run, epoch);
    let request = request.nodes(Selection::only(next().split(','))).tools(Selection::only(next().split(',')));
    let minted = gate.tokens.mint(&request).ok()?;
    assert_eq!(gate.tokens.check(&minted.token).expect("it is ours"), minted.claims);
    assert!(gate.elsewhere.check(&minted.token).is_err());
    check_claims(&serde_json::to_vec(&minted.claims).expect("claims can be written"))
}

thread_local! {
    static GATE: OnceCell<Gate> = const { OnceCell::new() };
}

fuzz_target!(|input: &[u8]| -> Corpus {
    let Some((what, rest)) = input.split_first() else { return Corpus::Reject };
    let done = GATE.with(|gate| {
        let gate = gate.get_or_init(Gate::new);
        match what {
            b't' => gate.check(std::str::from_utf8(rest).ok()?),
            b'e' => gate.check(&edited(&gate.minted.token, rest)?),
            b'k' => gate.check(&edited(KEY, rest)?),
            b'p' => gate.check(&exchanged(&gate.minted.token, *rest.first()?, &rest[1..])),
            b'c' => check_claims(rest)?,
            b'm' => check_issued(gate, rest)?,
            _ => return None,
        }
        Some(())
    });
    if done.is_some() { Corpus::Keep } else { Corpus::Reject }
});
