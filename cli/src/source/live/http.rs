//! A server over Streamable HTTP, without TLS: one connection a request.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write as _};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::sync::{Arc, mpsc};
use std::thread;

use serde_json::Value;
use toolwright_core::revision::Revision;

use super::answers;
use super::limits::{Budget, Deadline};

/// The most lines of a head.
const MAX_LINES: usize = 200;
/// The longest line of a head, or of the framing of chunks.
const MAX_LINE: u64 = 64 << 10;

/// A server.
pub(super) struct Http {
    /// Host and port.
    authority: String,
    path: String,
    /// The session of a legacy server.
    session: Option<String>,
    /// The revision that was agreed on with a legacy server.
    revision: Option<String>,
    budget: Arc<Budget>,
}

/// A response, whose body is still to be read.
struct Response {
    status: u16,
    headers: Vec<(String, String)>,
    body: BufReader<Body>,
}

/// A stream that is read no longer than a deadline and no further than a budget says, however its bytes trickle in.
struct Timed {
    stream: TcpStream,
    deadline: Deadline,
    budget: Arc<Budget>,
}

/// A body (RFC 9112 §6).
struct Body {
    reader: BufReader<Timed>,
    framing: Framing,
}

enum Framing {
    /// So many bytes are left; without a length, what comes until the connection ends.
    Length(u64),
    /// So many bytes are left of this chunk.
    Chunk(u64),
    /// The last chunk was read.
    Done,
}

impl Http {
    pub(super) fn new(url: &str, budget: &Arc<Budget>) -> Result<Self, String> {
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
        let (path, budget) = (format!("/{path}"), Arc::clone(budget));
        Ok(Self { authority, path, session: None, revision: None, budget })
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
        deadline: Deadline,
    ) -> Result<Value, String> {
        let mut headers = self.headers();
        if !is_legacy {
            let version = Revision::NEWEST.as_str();
            headers.push(("MCP-Protocol-Version", version.to_owned()));
            headers.push(("Mcp-Method", method.to_owned()));
        }
        let response = self.post(message, &headers, deadline)?;
        if let Some(session) = response.header("mcp-session-id").filter(|_| method == "initialize") {
            self.session = Some(session.to_owned());
        }
        let status = response.status;
        let found = response.answer(id)?;
        found.ok_or_else(|| format!("`{method}` was answered with status {status} and no message"))
    }

    pub(super) fn notify(&mut self, message: &Value, deadline: Deadline) -> Result<(), String> {
        let response = self.post(message, &self.headers(), deadline)?;
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

    fn post(
        &self,
        message: &Value,
        headers: &[(&str, String)],
        deadline: Deadline,
    ) -> Result<Response, String> {
        let failed = |error: io::Error| format!("{}: {error}", self.authority);
        let mut stream = self.connect(deadline)?;
        stream.set_write_timeout(Some(deadline.left()?)).map_err(failed)?;
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
        Response::read(Timed { stream, deadline, budget: Arc::clone(&self.budget) })
    }

    fn connect(&self, deadline: Deadline) -> Result<TcpStream, String> {
        let failed = |error: io::Error| format!("{} cannot be reached: {error}", self.authority);
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in self.addresses(deadline)? {
            match TcpStream::connect_timeout(&address, deadline.left()?) {
                Ok(stream) => return Ok(stream),
                Err(error) => last = error,
            }
        }
        Err(failed(last))
    }

    /// Asks for the addresses of the name in a thread of its own: the system's resolver knows no deadline.
    fn addresses(&self, deadline: Deadline) -> Result<Vec<SocketAddr>, String> {
        let (sender, addresses) = mpsc::channel();
        let authority = self.authority.clone();
        thread::spawn(move || {
            // Nobody is waiting any more if this fails.
            _ = sender.send(authority.to_socket_addrs().map(Iterator::collect));
        });
        let found = addresses.recv_timeout(deadline.left()?).map_err(|_| deadline.passed())?;
        found.map_err(|error| format!("{} cannot be reached: {error}", self.authority))
    }
}

impl Response {
    fn read(stream: Timed) -> Result<Self, String> {
        let broken = || "its answer is no HTTP".to_owned();
        let mut reader = BufReader::new(stream);
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
        let of = |name: &str| headers.iter().find(|(other, _)| other == name).map(|(_, value)| value);
        let framing = match (of("transfer-encoding"), of("content-length")) {
            (Some(_), _) => Framing::Chunk(0),
            (None, Some(length)) => Framing::Length(length.parse().map_err(|_| broken())?),
            (None, None) => Framing::Length(u64::MAX),
        };
        Ok(Self { status, headers, body: BufReader::new(Body { reader, framing }) })
    }

    /// The message in the body that answers the request with this id: the one JSON text, or the data of an event. A
    /// stream is read no further than to that event.
    fn answer(mut self, id: u64) -> Result<Option<Value>, String> {
        let is_stream = self.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"));
        if !is_stream {
            let mut body = Vec::new();
            self.body.read_to_end(&mut body).map_err(|error| breaks_off(&error))?;
            let message: Option<Value> = serde_json::from_slice(&body).ok();
            return Ok(message.filter(|message| answers(message, id)));
        }
        let mut data: Vec<String> = Vec::new();
        loop {
            let mut bytes = Vec::new();
            let length = self.body.read_until(b'\n', &mut bytes).map_err(|error| breaks_off(&error))?;
            let text = String::from_utf8(bytes).map_err(|_| "its answer is not UTF-8".to_owned())?;
            // A line ends with CR, LF or both (HTML, 9.2.5).
            let text = text.strip_suffix('\n').unwrap_or(&text);
            for line in text.strip_suffix('\r').unwrap_or(text).split('\r') {
                if let Some(part) = line.strip_prefix("data:") {
                    data.push(part.strip_prefix(' ').unwrap_or(part).to_owned());
                } else if line.is_empty() && !data.is_empty() {
                    let message = serde_json::from_str::<Value>(&data.join("\n")).ok();
                    data.clear();
                    if let Some(message) = message.filter(|message| answers(message, id)) {
                        return Ok(Some(message));
                    }
                }
            }
            if length == 0 {
                return Ok(None);
            }
        }
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.deadline.left().map_err(io::Error::other)?;
        self.stream.set_read_timeout(Some(left))?;
        let length = self.stream.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => io::Error::other(self.deadline.passed()),
            _ => error,
        })?;
        self.budget.spend(length).map_err(io::Error::other)?;
        Ok(length)
    }
}

impl Read for Body {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Framing::Chunk(0) = self.framing {
            let size = line(&mut self.reader).map_err(io::Error::other)?;
            let size = size.split(';').next().unwrap_or_default().trim();
            self.framing = match u64::from_str_radix(size, 16) {
                Ok(0) => Framing::Done,
                Ok(size) => Framing::Chunk(size),
                Err(_) => return Err(io::Error::other("it is not in chunks as it says")),
            };
        }
        let left = match &mut self.framing {
            Framing::Length(left) | Framing::Chunk(left) => left,
            Framing::Done => return Ok(0),
        };
        let length = self.reader.by_ref().take(*left).read(buffer)?;
        *left -= length as u64;
        if let Framing::Chunk(left) = self.framing {
            if length == 0 && !buffer.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if left == 0 {
                // The line end after the chunk (RFC 9112 §7.1).
                line(&mut self.reader).map_err(io::Error::other)?;
            }
        }
        Ok(length)
    }
}

fn breaks_off(error: &io::Error) -> String {
    format!("its answer breaks off: {error}")
}

fn line(reader: &mut impl BufRead) -> Result<String, String> {
    let mut line = Vec::new();
    let read = reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
    read.map_err(|error| breaks_off(&error))?;
    Ok(String::from_utf8_lossy(&line).trim_end().to_owned())
}
