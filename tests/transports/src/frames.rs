//! A WebSocket client that writes its frames by hand, so that no library corrects them.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;
use test_protocol::validation;

/// A text frame.
pub const TEXT: u8 = 1;
/// A binary frame.
pub const BINARY: u8 = 2;
/// A continuation of the previous frame.
pub const CONTINUATION: u8 = 0;
/// A close frame.
pub const CLOSE: u8 = 8;
/// A ping.
pub const PING: u8 = 9;
/// A pong.
pub const PONG: u8 = 10;

/// A handshake that is not sent yet.
#[derive(Debug, Clone)]
pub struct Handshake {
    address: SocketAddr,
    line: String,
    headers: Vec<(String, String)>,
}

impl Handshake {
    /// The handshake of a typical client.
    pub fn new(address: SocketAddr) -> Self {
        let headers = [
            ("Host", address.to_string().as_str()),
            ("Connection", "keep-alive, Upgrade"),
            ("Upgrade", "WebSocket"),
            ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec();
        Self { address, line: "GET /mcp HTTP/1.1".to_owned(), headers }
    }

    /// Sets the request line.
    pub fn line(mut self, line: &str) -> Self {
        line.clone_into(&mut self.line);
        self
    }

    /// Adds a header, or replaces its value.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(other, _)| other != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Removes a header.
    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(other, _)| other != name);
        self
    }

    /// Sends it; returns the head of the response in lower case, and the socket.
    ///
    /// # Panics
    /// If that fails.
    pub fn send(self) -> (String, Frames) {
        use std::fmt::Write as _;
        let mut stream = TcpStream::connect(self.address).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
        let mut head = self.line;
        for (name, value) in &self.headers {
            write!(head, "\r\n{name}: {value}").expect("text");
        }
        stream.write_all(format!("{head}\r\n\r\n").as_bytes()).expect("sent");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("a response");
            head.extend(byte);
        }
        (String::from_utf8(head).expect("text").to_ascii_lowercase(), Frames { stream })
    }
}

/// An open socket.
#[derive(Debug)]
pub struct Frames {
    /// Returns the underlying stream.
    pub stream: TcpStream,
}

impl Frames {
    /// Opens a socket.
    ///
    /// # Panics
    /// If it is rejected.
    pub fn open(address: SocketAddr) -> Self {
        let (head, frames) = Handshake::new(address).send();
        assert!(head.starts_with("http/1.1 101"), "{head}");
        frames
    }

    /// Sends one frame; false if the server does not read any longer.
    pub fn send(&mut self, opcode: u8, is_last: bool, payload: &[u8]) -> bool {
        self.stream.write_all(&frame(opcode, is_last, payload)).is_ok()
    }

    /// Sends a text frame.
    ///
    /// # Panics
    /// If the server does not read.
    pub fn send_text(&mut self, text: &str) {
        assert!(self.send(TEXT, true, text.as_bytes()), "the server reads");
    }

    /// The next frame: its opcode and payload; none at the end of the stream.
    ///
    /// # Panics
    /// If it is a part of a message: the server sends messages whole.
    pub fn next_frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let mut head = [0; 2];
        self.stream.read_exact(&mut head).ok()?;
        assert_eq!(head[0] & 0x80, 0x80, "the server sends messages whole");
        let mut length = [0; 8];
        match head[1] {
            126 => self.stream.read_exact(&mut length[6..]).ok()?,
            127 => self.stream.read_exact(&mut length).ok()?,
            small => length[7] = small,
        }
        let mut payload = vec![0; usize::try_from(u64::from_be_bytes(length)).expect("it fits")];
        self.stream.read_exact(&mut payload).ok()?;
        Some((head[0] & 0x0f, payload))
    }

    /// Returns the next message, validated as one of `revision` that answers `method`.
    ///
    /// # Panics
    /// If another frame comes.
    pub fn message(&mut self, revision: &str, method: Option<&str>) -> Value {
        let (opcode, payload) = self.next_frame().expect("a frame");
        assert_eq!(opcode, TEXT, "{payload:?}");
        let message = serde_json::from_slice(&payload).expect("JSON");
        validation::validate(revision, method, &message);
        message
    }

    /// The code with which the server closes the socket, after which nothing comes.
    ///
    /// # Panics
    /// If it does not.
    pub fn close_code(&mut self) -> u16 {
        let (opcode, payload) = self.next_frame().expect("a frame");
        assert_eq!(opcode, CLOSE, "{payload:?}");
        u16::from_be_bytes([payload[0], payload[1]])
    }
}

/// A frame as a client sends it.
///
/// # Panics
/// Never: a length fits.
pub fn frame(opcode: u8, is_last: bool, payload: &[u8]) -> Vec<u8> {
    const MASK: [u8; 4] = [0x11, 0x22, 0x33, 0x44];
    let mut frame = head(opcode, is_last, payload.len().try_into().expect("it fits"), true);
    frame.extend(MASK);
    frame.extend(payload.iter().zip(MASK.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    frame
}

/// The head of a frame, up to its mask.
pub fn head(opcode: u8, is_last: bool, length: u64, is_masked: bool) -> Vec<u8> {
    let masked = if is_masked { 0x80 } else { 0 };
    let mut head = vec![opcode | if is_last { 0x80 } else { 0 }];
    match (u8::try_from(length), u16::try_from(length)) {
        (Ok(short @ ..126), _) => head.push(short | masked),
        (_, Ok(medium)) => {
            head.push(0x7e | masked);
            head.extend(medium.to_be_bytes());
        }
        _ => {
            head.push(0x7f | masked);
            head.extend(length.to_be_bytes());
        }
    }
    head
}
