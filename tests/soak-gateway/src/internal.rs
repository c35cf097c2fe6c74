//! Requests to the internal API of a gateway.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use crate::Failure;

/// Sends a request, and returns the JSON of its response, which must have status 200.
pub(crate) fn ask(port: u16, key: &str, (verb, path): (&str, &str), body: &str) -> Result<Value, Failure> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    let length = body.len();
    write!(
        stream,
        "{verb} /internal/{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {key}\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    let (head, body) = response.split_once("\r\n\r\n").ok_or("there is no response")?;
    if !head.starts_with("HTTP/1.1 200") {
        return Err(format!("{verb} {path}: {response}").into());
    }
    Ok(serde_json::from_str(body)?)
}
