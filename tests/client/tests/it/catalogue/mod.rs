//! The catalogue of faults of servers, configurations and authorization servers: every error names its server, the problem, and
//! what to do.
//!
//! Each case injects a fault, and has the expected parts of the error. [`Fault::check`] has the rules for all errors.

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

/// The number of faults that are injected concurrently.
const CONCURRENCY: usize = 8;
/// The time limit of one case.
const TIMEOUT: Duration = Duration::from_mins(1);
/// The minimum number of cases, so that none gets lost.
const MIN_FAULTS: usize = 100;
/// The maximum length of an error, in characters.
const MAX_LENGTH: usize = 2000;
/// The verbs that an instruction can start with.
const VERBS: [&str; 36] = [
    "add", "ask", "check", "close", "connect", "correct", "create", "declare", "do", "get", "give",
    "install", "keep", "let", "log in", "look", "make", "name", "raise", "remove", "renew", "report", "run",
    "see", "send", "set", "start", "store", "take", "tell", "try", "turn on", "upgrade", "use", "wait",
    "write",
];
/// Details of the implementation, which no error may contain.
const INTERNALS: [&str; 6] = ["Os {", "Custom {", "kind:", "Some(", "Err(", "hyper::"];
/// The secret that no error may contain.
const SECRET: &str = "s3cret";

/// The parts of an error.
struct ErrorParts {
    /// The server, or the file and the line.
    origin: String,
    kind: Option<ErrorKind>,
    problem: String,
    advice: String,
}

impl From<ClientError> for ErrorParts {
    fn from(error: ClientError) -> Self {
        Self {
            origin: error.server().to_owned(),
            kind: Some(error.kind()),
            problem: error.problem().to_owned(),
            advice: error.advice().to_owned(),
        }
    }
}

/// A fault, and the expected error.
struct Fault {
    description: String,
    kind: Option<ErrorKind>,
    /// Parts of the problem.
    problem: &'static [&'static str],
    /// A part of the advice.
    advice: &'static str,
    error: Pin<Box<dyn Future<Output = ErrorParts> + Send>>,
}

/// Creates a case for an error of the client.
fn fault(
    description: impl Into<String>,
    kind: ErrorKind,
    problem: &'static [&'static str],
    advice: &'static str,
    error: impl Future<Output = ClientError> + Send + 'static,
) -> Fault {
    let error = Box::pin(async move { error.await.into() });
    Fault { description: description.into(), kind: Some(kind), problem, advice, error }
}

impl Fault {
    /// Checks an error.
    fn check(&self, error: &ErrorParts) -> Result<(), String> {
        let ErrorParts { origin, kind, problem, advice } = error;
        let text = format!("{origin}: {problem}; {advice}");
        let fail = |failure: String| Err(format!("{}: {failure} in: {text}", self.description));
        if *kind != self.kind {
            return fail(format!("the kind is {kind:?} and not {:?}", self.kind));
        }
        if origin.is_empty() {
            return fail("no origin".to_owned());
        }
        if let Some(part) = self.problem.iter().find(|part| !problem.contains(**part)) {
            return fail(format!("no `{part}`"));
        }
        if !advice.contains(self.advice) {
            return fail(format!("no `{}`", self.advice));
        }
        if !has_instruction(advice) {
            return fail("no clause starts with a verb".to_owned());
        }
        if let Some(part) = INTERNALS.iter().find(|part| text.contains(**part)) {
            return fail(format!("`{part}`"));
        }
        if text.contains(SECRET) {
            return fail("a secret".to_owned());
        }
        if text.chars().count() > MAX_LENGTH || text.contains(['\n', '\u{1b}']) {
            return fail("more than one line, or too long".to_owned());
        }
        Ok(())
    }
}

/// Whether a text says what to do: with a clause that starts with a verb, or with what to write instead.
fn has_instruction(text: &str) -> bool {
    const REPLACEMENTS: [&str; 2] = ["did you mean `", "expected "];
    let mut clauses = text.split([',', ';', ':']).map(str::trim);
    REPLACEMENTS.iter().any(|words| text.contains(words))
        || clauses.any(|clause| {
            let conjunctions = ["or ", "and ", "then "];
            let rest = conjunctions.iter().find_map(|word| clause.strip_prefix(word));
            let clause = rest.unwrap_or(clause);
            VERBS.iter().any(|verb| clause.strip_prefix(verb).is_some_and(|rest| rest.starts_with(' ')))
        })
}

#[test]
fn instructions_are_recognized() {
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
        assert_eq!(has_instruction(text), expected, "{text}");
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
    let permits = Arc::new(Semaphore::new(CONCURRENCY));
    let mut running = JoinSet::new();
    for mut fault in faults {
        let permits = Arc::clone(&permits);
        running.spawn(async move {
            let _permit = permits.acquire().await.expect("it is never closed");
            let error = std::mem::replace(&mut fault.error, Box::pin(std::future::pending()));
            // Spawned, so that a panic only fails this case.
            match tokio::time::timeout(TIMEOUT, tokio::spawn(error)).await {
                Ok(Ok(error)) => fault.check(&error),
                Ok(Err(panic)) => Err(format!("{}: {panic}", fault.description)),
                Err(_) => Err(format!("{}: no error within {TIMEOUT:?}", fault.description)),
            }
        });
    }
    let results = running.join_all().await;
    let failures: Vec<_> = results.into_iter().filter_map(Result::err).collect();
    let passed = count - failures.len();
    println!("{passed} of {count} errors name origin, problem and advice ({} %)", passed * 100 / count);
    assert!(failures.is_empty(), "{} of {count} do not:\n{}", failures.len(), failures.join("\n"));
    assert!(count >= MIN_FAULTS, "only {count} faults were injected");
}
