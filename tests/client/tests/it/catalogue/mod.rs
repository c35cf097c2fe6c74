//! The catalogue of faults: whatever is wrong with a server, a configuration or an authorization server, the error says which
//! server it is about, what the cause is, and what to do next.
//!
//! Each row is a fault that is injected, and the parts of the error that must be there. Further rules hold for all of them
//! ([`Fault::check`]).

mod authorization;
mod configuration;
mod http;
mod processes;
mod sockets;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use toolwright_client::{ClientError, ErrorKind};

/// How many faults are injected at the same time.
const AT_ONCE: usize = 8;
/// How long one fault may take.
const TIMEOUT: Duration = Duration::from_mins(1);
/// The least number of faults, so that none gets lost.
const LEAST: usize = 100;
/// The longest error, in characters: a screen or two.
const LONGEST: usize = 2000;
/// What a step begins with.
const VERBS: [&str; 36] = [
    "add", "ask", "check", "close", "connect", "correct", "create", "declare", "do", "get", "give",
    "install", "keep", "let", "log in", "look", "make", "name", "raise", "remove", "renew", "report", "run",
    "see", "send", "set", "start", "store", "take", "tell", "try", "turn on", "upgrade", "use", "wait",
    "write",
];
/// What is for developers of the client and for nobody else.
const INTERNALS: [&str; 6] = ["Os {", "Custom {", "kind:", "Some(", "Err(", "hyper::"];
/// What no error may show.
const SECRET: &str = "s3cret";

/// What an error says.
struct Said {
    /// The server, or the file and the line.
    place: String,
    kind: Option<ErrorKind>,
    cause: String,
    next: String,
}

impl From<ClientError> for Said {
    fn from(error: ClientError) -> Self {
        Self {
            place: error.server().to_owned(),
            kind: Some(error.kind()),
            cause: error.problem().to_owned(),
            next: error.advice().to_owned(),
        }
    }
}

/// A fault, and what the error about it must say.
struct Fault {
    what: String,
    kind: Option<ErrorKind>,
    cause: &'static [&'static str],
    next: &'static str,
    error: Pin<Box<dyn Future<Output = Said> + Send>>,
}

/// A fault of a client, whose error is of a kind.
fn fault(
    what: impl Into<String>,
    kind: ErrorKind,
    cause: &'static [&'static str],
    next: &'static str,
    error: impl Future<Output = ClientError> + Send + 'static,
) -> Fault {
    let error = Box::pin(async move { error.await.into() });
    Fault { what: what.into(), kind: Some(kind), cause, next, error }
}

impl Fault {
    /// What is missing in an error.
    fn check(&self, said: &Said) -> Result<(), String> {
        let Said { place, kind, cause, next } = said;
        let whole = format!("{place}: {cause}; {next}");
        let fail = |problem: String| Err(format!("{}: {problem} in: {whole}", self.what));
        if *kind != self.kind {
            return fail(format!("the kind is {kind:?} and not {:?}", self.kind));
        }
        if place.is_empty() {
            return fail("no place".to_owned());
        }
        if let Some(part) = self.cause.iter().find(|part| !cause.contains(**part)) {
            return fail(format!("the cause is not named (`{part}`)"));
        }
        if !next.contains(self.next) {
            return fail(format!("the next step is not named (`{}`)", self.next));
        }
        if !is_step(next) {
            return fail("no step begins with a verb".to_owned());
        }
        if let Some(part) = INTERNALS.iter().find(|part| whole.contains(**part)) {
            return fail(format!("`{part}`"));
        }
        if whole.contains(SECRET) {
            return fail("a secret".to_owned());
        }
        if whole.chars().count() > LONGEST || whole.contains(['\n', '\u{1b}']) {
            return fail("more than a line".to_owned());
        }
        Ok(())
    }
}

/// Whether a text says what to do: a clause that begins with a verb, or what to write instead.
fn is_step(text: &str) -> bool {
    const INSTEAD: [&str; 2] = ["did you mean `", "expected "];
    let mut clauses = text.split([',', ';', ':']).map(str::trim);
    INSTEAD.iter().any(|words| text.contains(words))
        || clauses.any(|clause| {
            let joint = ["or ", "and ", "then "].iter().find_map(|word| clause.strip_prefix(word));
            let clause = joint.unwrap_or(clause);
            VERBS.iter().any(|verb| clause.strip_prefix(verb).is_some_and(|rest| rest.starts_with(' ')))
        })
}

#[test]
fn what_is_no_step_is_told_apart() {
    for (text, expected) in [
        ("check the path", true),
        ("the session is gone: log in again", true),
        ("see that it runs, or use another", true),
        ("did you mean `command`?", true),
        ("the request may have been carried out", false),
        ("the server does not have this method", false),
        ("checked already", false),
        ("", false),
    ] {
        assert_eq!(is_step(text), expected, "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_error_names_its_cause_and_the_next_step() {
    let faults: Vec<Fault> = [
        processes::faults(),
        http::faults(),
        sockets::faults(),
        authorization::faults(),
        configuration::faults(),
    ]
    .into_iter()
    .flatten()
    .collect();
    let count = faults.len();
    let room = Arc::new(Semaphore::new(AT_ONCE));
    let mut running = JoinSet::new();
    for mut fault in faults {
        let room = Arc::clone(&room);
        running.spawn(async move {
            let _room = room.acquire().await.expect("it is never closed");
            let error = std::mem::replace(&mut fault.error, Box::pin(std::future::pending()));
            // In a task of its own, so that a panic is of this row.
            match tokio::time::timeout(TIMEOUT, tokio::spawn(error)).await {
                Ok(Ok(said)) => fault.check(&said),
                Ok(Err(panic)) => Err(format!("{}: {panic}", fault.what)),
                Err(_) => Err(format!("{}: no error within {TIMEOUT:?}", fault.what)),
            }
        });
    }
    let verdicts = running.join_all().await;
    let poor: Vec<_> = verdicts.into_iter().filter_map(Result::err).collect();
    let good = count - poor.len();
    println!("{good} of {count} errors name place, cause and next step ({} %)", good * 100 / count);
    assert!(poor.is_empty(), "{} of {count} do not:\n{}", poor.len(), poor.join("\n"));
    assert!(count >= LEAST, "only {count} faults were injected");
}
