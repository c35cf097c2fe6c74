//! A server over Streamable HTTP, without TLS: one connection a request.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Instant;

use serde_json::Value;
use toolwright_core::revision::Revision;

use super::{MAX_MESSAGE, PATIENCE, answers};

/// The longest line of a head or of an event stream's framing.
const MAX_LINES: usize = 200;

/// A server.
pub(super) struct Http {
    /// Host and port.
    authority: String,
    path: String,
    /// The session of a legacy server.
    session: Option<String>,
    /// The revision that was agreed on with a legacy server.
    revision: Option<String>,
}

/// A response.
struct Response {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl Http {
    pub(super) fn new(url: &str) -> Result<Self, String> {
        let Some(rest) = url.strip_prefix("http://") else {
            return Err("https is not spoken here: ask it on its own machine over http, or let a proxy that ends TLS \
                        stand between, such as `socat TCP-LISTEN:8080,fork OPENSSL:HOST:443`"
                .to_owned());
        };
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let is_plain = |text: &str| text.chars().all(|character| character.is_ascii_graphic());
        if authority.is_empty() || authority.contains('@') || !is_plain(rest) {
            return Err("the address is no plain http://HOST:PORT/PATH".to_owned());
        }
        let has_port = authority.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let authority = if has_port { authority.to_owned() } else { format!("{authority}:80") };
        let path = path.split('#').next().unwrap_or_default();
        Ok(Self { authority, path: format!("/{path}"), session: None, revision: None })
    }

    /// Sends this revision with every request from now on.
    pub(super) fn agreed_on(&mut self, revision: &str) {
        self.revision = Some(revision.to_owned());
    }

    pub(super) fn request(
        &mut self,
        message: &Value,
        id: u64,
        method: &str,
        is_legacy: bool,
    ) -> Result<Value, String> {
        let mut headers = self.headers();
        if !is_legacy {
            let version = Revision::NEWEST.as_str();
            headers.push(("MCP-Protocol-Version", version.to_owned()));
            headers.push(("Mcp-Method", method.to_owned()));
        }
        let response = self.post(message, &headers)?;
        if let Some(session) = response.header("mcp-session-id").filter(|_| method == "initialize") {
            self.session = Some(session.to_owned());
        }
        let found = response.messages().into_iter().find(|message| answers(message, id));
        found.ok_or_else(|| format!("`{method}` was answered with status {} and no message", response.status))
    }

    pub(super) fn notify(&mut self, message: &Value) -> Result<(), String> {
        let response = self.post(message, &self.headers())?;
        if response.status < 300 {
            Ok(())
        } else {
            Err(format!("a notification was answered with status {}", response.status))
        }
    }

    fn headers(&self) -> Vec<(&'static str, String)> {
        let session = self.session.iter().map(|session| ("Mcp-Session-Id", session.clone()));
        let revision = self.revision.iter().map(|revision| ("MCP-Protocol-Version", revision.clone()));
        session.chain(revision).collect()
    }

    fn post(&self, message: &Value, headers: &[(&str, String)]) -> Result<Response, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", self.authority);
        let mut stream = self.connect()?;
        let body = message.to_string();
        let mut head = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: \
             application/json, text/event-stream\r\nContent-Length: {}\r\n",
            self.path,
            self.authority,
            body.len()
        );
        for (name, value) in headers {
            // A value from the server must not become a header of its own.
            let value: String = value.chars().filter(char::is_ascii_graphic).collect();
            _ = write!(head, "{name}: {value}\r\n");
        }
        head.push_str("\r\n");
        stream.write_all((head + &body).as_bytes()).map_err(failed)?;
        Response::read(BufReader::new(stream))
    }

    fn connect(&self) -> Result<TcpStream, String> {
        let failed = |error: std::io::Error| format!("{} cannot be reached: {error}", self.authority);
        let addresses = self.authority.to_socket_addrs().map_err(failed)?;
        let mut last = std::io::Error::from(std::io::ErrorKind::AddrNotAvailable);
        for address in addresses {
            match TcpStream::connect_timeout(&address, PATIENCE) {
                Ok(stream) => {
                    stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
                    stream.set_write_timeout(Some(PATIENCE)).map_err(failed)?;
                    return Ok(stream);
                }
                Err(error) => last = error,
            }
        }
        Err(failed(last))
    }
}

impl Response {
    fn read(mut reader: impl BufRead) -> Result<Self, String> {
        let broken = || "its answer is no HTTP".to_owned();
        let start = line(&mut reader)?;
        let status = start.split(' ').nth(1).filter(|_| start.starts_with("HTTP/1."));
        let status: u16 = status.and_then(|status| status.parse().ok()).ok_or_else(broken)?;
        let mut headers = Vec::new();
        loop {
            let line = line(&mut reader)?;
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
            if headers.len() > MAX_LINES {
                return Err(broken());
            }
        }
        let mut response = Self { status, headers, body: String::new() };
        let is_chunked = response.header("transfer-encoding").is_some();
        let length = response.header("content-length").and_then(|length| length.parse::<u64>().ok());
        let body = if is_chunked {
            chunked(&mut reader)?
        } else {
            let mut body = Vec::new();
            let limit = length.unwrap_or(MAX_MESSAGE as u64).min(MAX_MESSAGE as u64);
            reader
                .take(limit)
                .read_to_end(&mut body)
                .map_err(|error| format!("its answer breaks off: {error}"))?;
            body
        };
        response.body = String::from_utf8(body).map_err(|_| "its answer is not UTF-8".to_owned())?;
        Ok(response)
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// The messages in the body: one JSON text, or the data of events.
    fn messages(&self) -> Vec<Value> {
        let is_stream = self.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"));
        if !is_stream {
            return serde_json::from_str(&self.body).into_iter().collect();
        }
        let body = self.body.replace("\r\n", "\n").replace('\r', "\n");
        let events = body.split("\n\n").map(|event| {
            let data = event.lines().filter_map(|line| line.strip_prefix("data:"));
            data.map(|data| data.strip_prefix(' ').unwrap_or(data)).collect::<Vec<_>>().join("\n")
        });
        events.filter_map(|data| serde_json::from_str(&data).ok()).collect()
    }
}

fn line(reader: &mut impl BufRead) -> Result<String, String> {
    let mut line = Vec::new();
    let read = reader.by_ref().take(1 << 16).read_until(b'\n', &mut line);
    read.map_err(|error| format!("its answer breaks off: {error}"))?;
    Ok(String::from_utf8_lossy(&line).trim_end().to_owned())
}

/// A body in chunks (RFC 9112 §7.1).
fn chunked(reader: &mut impl BufRead) -> Result<Vec<u8>, String> {
    let started = Instant::now();
    let mut body = Vec::new();
    loop {
        let size = line(reader)?;
        let size = size.split(';').next().unwrap_or_default().trim();
        let size =
            u64::from_str_radix(size, 16).map_err(|_| "its answer is not in chunks as it says".to_owned())?;
        if size == 0 {
            return Ok(body);
        }
        if size.saturating_add(body.len() as u64) > MAX_MESSAGE as u64 || started.elapsed() > PATIENCE {
            return Err("its answer is too long".to_owned());
        }
        reader
            .by_ref()
            .take(size)
            .read_to_end(&mut body)
            .map_err(|error| format!("its answer breaks off: {error}"))?;
        line(reader)?;
    }
}
