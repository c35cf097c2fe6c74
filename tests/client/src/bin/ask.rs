//! `ask ADDRESS`: connects to a server and lists its tools, one per line; on failure, writes the kind of the error and the error. The
//! certificates of authorities are those of the environment, which a program reads once. With `TOKENS_FILE`, it obtains tokens with its
//! own credentials and keeps them in that file.

use std::process::ExitCode;

use toolwright_client::{Client, ClientError, FileTokenStore, OAuth};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match ask(&std::env::args().nth(1).unwrap_or_default()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{:?}: {error}", error.kind());
            ExitCode::FAILURE
        }
    }
}

async fn ask(address: &str) -> Result<(), ClientError> {
    let mut builder = Client::builder();
    if let Some(path) = std::env::var_os("TOKENS_FILE") {
        builder =
            builder.authorize(OAuth::client_credentials("ask", "s3cret").store(FileTokenStore::new(path)));
    }
    let client = builder.connect(address).await?;
    for tool in client.list_tools().await?.iter() {
        println!("{}", tool.name());
    }
    Ok(())
}
