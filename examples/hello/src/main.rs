use toolwright::{Server, Stdio, Tool};

/// Says hello.
#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
struct Hello {
    /// Who to greet.
    name: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), toolwright::ServeError> {
    let hello = async |input: Hello| format!("Hello, {}!", input.name);
    Server::new(hello).tools::<Hello>().serve(Stdio).await
}
