//! `list-tools URL`: connects to a server and prints the names of its tools, one per line; on failure, prints the kind of the error and
//! the error. It is a program, since a process loads the root certificates of the environment once. With `TOKENS_FILE`, it requests
//! tokens with client credentials and stores them in that file.

use std::process::ExitCode;

use toolwright_client::{Client, ClientError, FileTokenStore, OAuth};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match list_tools(&std::env::args().nth(1).unwrap_or_default()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{:?}: {error}", error.kind());
            ExitCode::FAILURE
        }
    }
}

async fn list_tools(url: &str) -> Result<(), ClientError> {
    let mut builder = Client::builder();
    if let Some(path) = std::env::var_os("TOKENS_FILE") {
        builder = builder
            .authorize(OAuth::client_credentials("list-tools", "s3cret").store(FileTokenStore::new(path)));
    }
    let client = builder.connect(url).await?;
    for tool in client.list_tools().await?.iter() {
        println!("{}", tool.name());
    }
    Ok(())
}
