//! A server over stdio in front of any other server: for a client that only starts programs, or speaks another revision than
//! the server.
//!
//! `cargo run -p proxy -- http://127.0.0.1:8080/mcp`, or a command line in place of the address.

use std::error::Error;

use toolwright::client::config::{ServerSpec, StdioSpec};
use toolwright::gateway::Proxy;
use toolwright::{Server, Stdio};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let first = words.next().ok_or("usage: proxy URL | proxy COMMAND ARGUMENT…")?;
    let server: ServerSpec = if first.contains("://") {
        first.as_str().into()
    } else {
        words.fold(StdioSpec::new(first), StdioSpec::arg).into()
    };

    let proxy = Proxy::connect(server).await?;
    let mut server = Server::new(()).name("proxy");
    if let Some(instructions) = proxy.instructions() {
        server = server.instructions(instructions);
    }
    server.provider(proxy).build()?.serve(Stdio).await?;
    Ok(())
}
