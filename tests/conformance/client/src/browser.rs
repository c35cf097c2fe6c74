//! Simulates a browser at an authorization server whose user agrees immediately: it follows the redirect.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

/// The redirect URI. Nothing listens there: only the address is needed.
pub(crate) const CALLBACK: &str = "http://localhost:3000/callback";

/// Opens a URL, and returns the target of its redirect.
pub(crate) async fn open(url: &str) -> Result<String, String> {
    let url = url.to_owned();
    let opened = tokio::task::spawn_blocking(move || get(&url)).await;
    opened.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
}

fn get(url: &str) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    let rest = url.strip_prefix("http://").ok_or("the suite speaks http")?;
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut stream = TcpStream::connect(authority)?;
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let location = answer.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("location").then(|| value.trim().to_owned())
    });
    Ok(location.ok_or("the page leads nowhere")?)
}
