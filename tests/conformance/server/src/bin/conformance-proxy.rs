//! `conformance-proxy URL`: a server in front of the one at the address, which the suite calls instead. With a revision as the
//! second argument, it uses that revision with the upstream server. Listens on 127.0.0.1 as `conformance-server` does.

use std::error::Error;

use toolwright::client::Client;
use toolwright::gateway::Proxy;
use toolwright::protocol::Revision;
use toolwright::{Http, Server};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let behind = words.next().ok_or("usage: conformance-proxy URL [REVISION]")?;
    let mut client = Client::builder().relay_input_requests();
    if let Some(revision) = words.next() {
        client = client.revision(Revision::from_name(&revision).ok_or("there is no such revision")?);
    }
    let proxy = Proxy::new(client.connect(behind.as_str()).await?).await?;
    let service = Server::new(()).provider(proxy).build()?;
    let http = Http::bind(("127.0.0.1", 0))?.with_sse();
    println!("http://{}/mcp", http.local_addr()?);
    service.serve(http).await?;
    Ok(())
}
