//! The same calls over HTTP: sequential requests on one kept-alive connection.

use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, Command, Stdio};

use toolwright_server::{Http, Service};

use crate::server_cases::{CALL_LEGACY, CALL_MODERN};

/// The argument with which this program serves over HTTP.
pub(crate) const SERVE: &str = "serve-http";

/// One request to measure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The headers that not every request has.
    headers: &'static str,
    /// The body of the request that opens a session, if there is one.
    opening: Option<&'static str>,
    body: &'static str,
}

/// A call in a session.
pub(crate) const LEGACY: Case = Case {
    name: "call_http_legacy",
    headers: "MCP-Protocol-Version: 2025-11-25\r\n",
    opening: Some(CALL_LEGACY.opening),
    body: CALL_LEGACY.message,
};

/// A call on its own.
pub(crate) const MODERN: Case = Case {
    name: "call_http_modern",
    headers: "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: add\r\n",
    opening: None,
    body: CALL_MODERN.message,
};

/// Serves until the input ends; the first line of output is the address.
pub(crate) fn serve(service: &Service) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let http = Http::bind("127.0.0.1:0")?;
    println!("{}", http.local_addr()?);
    let (ended, end) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        // Whether it ended well or not, it ended.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        let _ = ended.send(());
    });
    let shutdown = async {
        let _ = end.await;
    };
    Ok(runtime.block_on(service.clone().serve_until(http, shutdown))?)
}

/// A running server and a client of it.
pub(crate) struct Peer {
    process: Child,
    input: ChildStdin,
    connection: BufReader<TcpStream>,
    request: Vec<u8>,
}

impl Peer {
    /// Starts the server with `command`, which gets the arguments after its own, and opens a session if the case has one.
    pub(crate) fn start(mut command: Command, case: &Case) -> Result<Self, Box<dyn Error>> {
        let mut process = command.arg(SERVE).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = process.stdin.take().ok_or("no input")?;
        let mut address = String::new();
        BufReader::new(process.stdout.take().ok_or("no output")?).read_line(&mut address)?;
        let stream = TcpStream::connect(address.trim())?;
        stream.set_nodelay(true)?;
        let mut peer = Self { process, input, connection: BufReader::new(stream), request: Vec::new() };
        let mut headers = case.headers.to_owned();
        if let Some(opening) = case.opening {
            // The notification that follows is needed on stdio alone.
            peer.request = request("", opening.lines().next().unwrap_or_default());
            let session = peer.ask()?.ok_or("no session was opened")?;
            headers = format!("{headers}Mcp-Session-Id: {session}\r\n");
        }
        peer.request = request(&headers, case.body.trim_end());
        Ok(peer)
    }

    /// Sends the request and reads its answer, which must be a success. Returns the session that it names.
    pub(crate) fn ask(&mut self) -> Result<Option<String>, Box<dyn Error>> {
        self.connection.get_mut().write_all(&self.request)?;
        let (mut length, mut session, mut line) = (0, None, String::new());
        loop {
            line.clear();
            self.connection.read_line(&mut line)?;
            match line.trim_end().split_once(": ") {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.parse()?;
                }
                Some((name, value)) if name.eq_ignore_ascii_case("mcp-session-id") => {
                    session = Some(value.to_owned());
                }
                None if line.trim_end().is_empty() => break,
                _ => {}
            }
        }
        let mut body = vec![0; length];
        self.connection.read_exact(&mut body)?;
        let body = String::from_utf8(body)?;
        if !body.contains(r#","result":"#) || body.contains(r#""isError":true"#) {
            return Err(format!("unexpected response: {body}").into());
        }
        Ok(session)
    }

    /// Ends the server and waits for it.
    pub(crate) fn stop(self) -> Result<(), Box<dyn Error>> {
        let Self { mut process, input, connection, .. } = self;
        drop((connection, input));
        let status = process.wait()?;
        if status.success() { Ok(()) } else { Err(format!("the server exited with {status}").into()) }
    }
}

fn request(headers: &str, body: &str) -> Vec<u8> {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}
