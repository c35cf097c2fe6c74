//! A client that is faster than the server: requests are bytes built in advance.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A kept-alive connection.
pub(crate) struct Connection {
    address: SocketAddr,
    stream: BufReader<TcpStream>,
}

/// The relevant parts of a response.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) session: Option<String>,
    pub(crate) body: String,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        Ok(Self { address, stream: BufReader::new(stream) })
    }

    /// Sends a request and reads its response.
    pub(crate) fn ask(&mut self, request: &[u8]) -> io::Result<Response> {
        self.stream.get_mut().write_all(request)?;
        let (status, length, session) = self.head()?;
        let body = match length {
            Some(length) => {
                let mut body = vec![0; length];
                self.stream.read_exact(&mut body)?;
                body
            }
            None => self.chunks()?,
        };
        let body = String::from_utf8(body).map_err(io::Error::other)?;
        Ok(Response { status, session, body })
    }

    /// Sends a request, reads the head of its response, and disconnects.
    pub(crate) fn ask_and_leave(&mut self, request: &[u8]) -> io::Result<u16> {
        self.stream.get_mut().write_all(request)?;
        let (status, ..) = self.head()?;
        *self = Self::open(self.address)?;
        Ok(status)
    }

    /// The status, the length of a body that has one, and the session.
    fn head(&mut self) -> io::Result<(u16, Option<usize>, Option<String>)> {
        let (mut status, mut length, mut session) = (0, Some(0), None);
        let mut line = String::new();
        loop {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let text = line.trim_end();
            if let Some(text) = text.strip_prefix("HTTP/1.1 ") {
                status = text.get(..3).and_then(|status| status.parse().ok()).unwrap_or_default();
            }
            match text.split_once(": ") {
                Some(("content-length", value)) => length = value.parse().ok(),
                Some(("transfer-encoding", _)) => length = None,
                Some(("mcp-session-id", value)) => session = Some(value.to_owned()),
                _ if text.is_empty() => return Ok((status, length, session)),
                _ => {}
            }
        }
    }

    fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let (mut body, mut line) = (Vec::new(), String::new());
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let size = usize::from_str_radix(line.trim_end(), 16).map_err(io::Error::other)?;
            let start = body.len();
            // Each chunk, including the empty last one, is followed by a line break.
            body.resize(start + size + 2, 0);
            self.stream.read_exact(&mut body[start..])?;
            body.truncate(start + size);
            if size == 0 {
                return Ok(body);
            }
        }
    }
}
