//! The server under test. With `PLAIN` it has tools only, with `INPUT_REQUESTS` it is the one of `input_requests`. `GRACE_MS`, `TIMEOUT_MS`, `PAGE`, `MAX_BYTES` and `MAX_CALLS`
//! in the environment change its limits, `ONE_THREAD` gives the runtime one thread only; SIGTERM shuts it down gracefully.

use std::time::Duration;

use test_protocol::{input_requests, signal, tools};
use toolwright::{Limits, ServeError, Stdio};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut runtime = match std::env::var_os("ONE_THREAD") {
        Some(_) => tokio::runtime::Builder::new_current_thread(),
        None => tokio::runtime::Builder::new_multi_thread(),
    };
    Ok(runtime.enable_all().build()?.block_on(serve())?)
}

async fn serve() -> Result<(), ServeError> {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<usize>().ok());
    let millis = |name: &str, default: Duration| {
        number(name).and_then(|ms| u64::try_from(ms).ok()).map_or(default, Duration::from_millis)
    };
    let default = Limits::default();
    let limits = Limits {
        shutdown_grace: millis("GRACE_MS", default.shutdown_grace),
        call_timeout: millis("TIMEOUT_MS", default.call_timeout),
        list_page_size: number("PAGE").unwrap_or(default.list_page_size),
        max_message_bytes: number("MAX_BYTES").unwrap_or(default.max_message_bytes),
        max_calls_in_flight: number("MAX_CALLS").unwrap_or(default.max_calls_in_flight),
        ..default
    };
    let has = |name: &str| std::env::var_os(name).is_some();
    let service = match (has("INPUT_REQUESTS"), has("PLAIN")) {
        (true, _) => input_requests::server().limits(limits).build()?,
        (false, true) => tools::plain(limits),
        (false, false) => tools::service(limits),
    };
    service.serve_until(Stdio, signal::terminated()).await?;
    eprintln!("cleaned up");
    Ok(())
}
