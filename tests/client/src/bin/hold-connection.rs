//! `hold-connection MODE PROGRAM …`: starts a server, connects to it, prints `ready`, and waits. With the mode `guarded`, the server
//! exits with this program even if it is killed; with `unguarded` it does not.

use std::io::Write as _;
use std::process::ExitCode;

use toolwright_client::Client;
use toolwright_client::config::StdioSpec;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let mode = words.next().unwrap_or_default();
    let mut server = StdioSpec::new(words.next().unwrap_or_default());
    server.args.extend(words.map(Into::into));
    let builder = Client::builder();
    let builder = if mode == "guarded" { builder } else { builder.without_guard() };
    let client = match builder.connect(server).await {
        Ok(client) => client,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    println!("ready");
    _ = std::io::stdout().flush();
    std::future::pending::<()>().await;
    client.close().await;
    ExitCode::SUCCESS
}
