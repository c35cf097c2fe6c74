//! Serves the shop over stdio.

use toolwright::{ServeError, Stdio};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), ServeError> {
    retail::server().serve(Stdio).await
}
