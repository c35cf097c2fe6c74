//! A program that serves over HTTP: it is started, and connected to as soon as it answers.

use std::str::FromStr;
use std::time::Duration;

use http::Uri;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};
use toolwright_client::config::{HttpSpec, ServerSpec, StdioSpec};
use toolwright_client::{Client, ClientError, ErrorKind, ServerProcess};

use super::program::client;
use crate::client::RequestError;
use crate::shell;

/// The polling interval while a program starts.
const STEP: Duration = Duration::from_millis(100);
/// The timeout of a connection that only shows whether anything listens.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// The timeout for the start of a response: that of a request over stdio.
const RESPONSE_TIMEOUT: Duration = Duration::from_mins(1);

/// Where a program serves over HTTP.
#[derive(Debug, Clone)]
pub(super) struct Endpoint {
    server: ServerSpec,
    /// Host and port.
    pub(super) address: String,
}

impl FromStr for Endpoint {
    type Err = String;

    fn from_str(url: &str) -> Result<Self, String> {
        let uri: Uri = url.parse().map_err(|error| format!("{error}"))?;
        let port = match (uri.port_u16(), uri.scheme_str()) {
            (Some(port), Some("http" | "https")) => port,
            (None, Some("http")) => 80,
            (None, Some("https")) => 443,
            _ => return Err("write a URL such as http://127.0.0.1:8080/mcp".to_owned()),
        };
        let address = format!("{}:{port}", uri.host().unwrap_or_default());
        let mut spec = HttpSpec::new(url);
        spec.timeout = RESPONSE_TIMEOUT;
        Ok(Self { server: spec.into(), address })
    }
}

impl Endpoint {
    /// Starts the program, and connects to it as soon as it answers.
    ///
    /// # Errors
    /// [`RequestError::Usage`] if something else listens at the address, which would be taken for the program;
    /// [`RequestError::NoAnswer`] if the program exits, does not listen in time, or answers with an error.
    pub(super) async fn start(&self, command: &StdioSpec) -> Result<(ServerProcess, Client), RequestError> {
        if self.is_open().await {
            return Err(RequestError::Usage(format!(
                "something else listens at {}: end it, or let the program use another address",
                self.address
            )));
        }
        let mut process = ServerProcess::start(command, shell::text).await?;
        match self.connect(&mut process).await {
            Ok(client) => Ok((process, client)),
            Err(problem) => {
                let output = process.shut_down().await.join("\n");
                Err(RequestError::NoAnswer { url: self.server.name.clone(), problem, output })
            }
        }
    }

    async fn connect(&self, process: &mut ServerProcess) -> Result<Client, String> {
        let limit = self.server.start_timeout;
        let end = Instant::now() + limit;
        loop {
            if let Some(status) = process.exit_status() {
                return Err(format!("it exited ({status})"));
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(format!("it was stopped after {} seconds", limit.as_secs()));
            }
            if self.is_open().await {
                let mut server = self.server.clone();
                server.start_timeout = left;
                match client().connect(server).await {
                    Err(error) if is_temporary(&error) => {}
                    connected => return connected.map_err(|error| error.to_string()),
                }
            }
            sleep(STEP).await;
        }
    }

    /// Returns whether anything listens.
    async fn is_open(&self) -> bool {
        let connected = timeout(CONNECT_TIMEOUT, TcpStream::connect(&self.address)).await;
        connected.is_ok_and(|connected| connected.is_ok())
    }
}

/// Returns whether the program may still be starting, or is exiting.
fn is_temporary(error: &ClientError) -> bool {
    error.kind() == ErrorKind::Lost || error.status().is_some_and(|status| status >= 500)
}

#[cfg(all(test, unix))]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_program_that_does_not_answer_is_shown_and_ended() {
        let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let mut endpoint: Endpoint = format!("http://{free}/mcp").parse().unwrap();
        endpoint.server.start_timeout = Duration::from_secs(1);
        for (script, expected) in [
            ("echo starting; exec sleep 60", "/mcp: it was stopped after 1 seconds\n  | starting"),
            ("echo ending >&2; exit 3", "/mcp: it exited (exit status: 3)\n  | ending"),
        ] {
            let command = StdioSpec::new("/bin/sh").arg("-c").arg(script);
            let error = endpoint.start(&command).await.map(drop).unwrap_err();
            assert!(error.to_string().ends_with(expected), "{error}");
        }
    }

    #[tokio::test]
    async fn another_program_at_the_address_is_recognized() {
        let other = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint: Endpoint = format!("http://{}/mcp", other.local_addr().unwrap()).parse().unwrap();
        let error = endpoint.start(&StdioSpec::new("/bin/false")).await.map(drop).unwrap_err();
        assert!(matches!(error, RequestError::Usage(_)), "{error}");
        assert!(error.to_string().contains("something else listens at 127.0.0.1:"), "{error}");
    }
}
