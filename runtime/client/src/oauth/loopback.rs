//! A login in a browser of this machine, which comes back to a port that is listened at meanwhile (RFC 8252 §7.3).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::text::parameter;
use crate::http::Address;

/// How long a user may take to log in.
pub const LOGIN_TIMEOUT: Duration = Duration::from_mins(5);
/// How long a browser may take to send its request, and to take the answer.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// The largest head of a request.
const MAX_HEAD: usize = 16 << 10;
/// How many connections are open at once; browsers open some ahead of time.
const MAX_CONNECTIONS: usize = 16;

/// Has the user log in at `url`, and gives the address that the browser was sent back to.
///
/// Others on this machine, and pages in the browser, can send requests to the port too. What does not have the state of this
/// login is answered with 404, and the wait goes on.
pub(super) async fn log_in(
    url: &str,
    redirect: &str,
    open: &(dyn Fn(&str) -> Result<(), String> + Send + Sync),
) -> Result<String, String> {
    let address = Address::parse(redirect).ok().filter(|address| !address.is_tls && address.is_local());
    let address = address.ok_or_else(|| {
        format!("the browser would be sent back to {redirect}, which is not a port of this machine")
    })?;
    let state = parameter(url, "state").unwrap_or_default();
    let (first, second) = listen(&address).await.map_err(|error| {
        format!("no browser can be sent back to {redirect}: {error}; end what listens there, or choose another port")
    })?;
    open(url)?;
    let waited = timeout(LOGIN_TIMEOUT, async {
        let mut requests = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                accepted = first.accept() => accepted,
                accepted = accept(second.as_ref()) => accepted,
                Some(back) = requests.join_next() => match back {
                    Ok(Some(target)) => return format!("{}{target}", address.origin()),
                    _ => continue,
                },
            };
            if let Ok((stream, _)) = accepted
                && requests.len() < MAX_CONNECTIONS
            {
                let (path, state) = (address.target.path().to_owned(), state.clone());
                requests.spawn(async move {
                    timeout(REQUEST_TIMEOUT, answer(stream, &path, &state)).await.ok().flatten()
                });
            }
        }
    });
    waited.await.map_err(|_| format!("nobody logged in within {} minutes", LOGIN_TIMEOUT.as_secs() / 60))
}

/// Listens at a port of this machine: for a name, in both families, since a browser may use either.
async fn listen(address: &Address) -> std::io::Result<(TcpListener, Option<TcpListener>)> {
    let host = address.host.trim_matches(['[', ']']);
    if let Ok(address_of_host) = host.parse::<IpAddr>() {
        return Ok((TcpListener::bind((address_of_host, address.port)).await?, None));
    }
    let first = TcpListener::bind((Ipv4Addr::LOCALHOST, address.port)).await?;
    Ok((first, TcpListener::bind((Ipv6Addr::LOCALHOST, address.port)).await.ok()))
}

async fn accept(listener: Option<&TcpListener>) -> std::io::Result<(TcpStream, std::net::SocketAddr)> {
    match listener {
        Some(listener) => listener.accept().await,
        None => std::future::pending().await,
    }
}

/// Answers a request. Where it is the one that is waited for: its path and query.
async fn answer(mut stream: TcpStream, path: &str, state: &str) -> Option<String> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let mut chunk = [0; 1024];
        let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        head.extend_from_slice(&chunk[..read]);
        if head.len() > MAX_HEAD {
            return None;
        }
    }
    let line = String::from_utf8(head.split(|byte| *byte == b'\r').next()?.to_vec()).ok()?;
    let target = line.strip_prefix("GET ").and_then(|rest| rest.strip_suffix(" HTTP/1.1"));
    let target = target.filter(|target| {
        target.split('?').next() == Some(path) && parameter(target, "state").as_deref() == Some(state)
    });
    let (status, text) = match target {
        None => ("404 Not Found", "There is nothing here."),
        Some(target) if parameter(target, "error").is_some() => {
            ("200 OK", "The login was refused. You can close this page.")
        }
        Some(_) => ("200 OK", "The program goes on from here. You can close this page."),
    };
    let response = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         Referrer-Policy: no-referrer\r\nConnection: close\r\n\r\n{text}",
        text.len()
    );
    // Whether the page is seen or not, the code has come.
    _ = stream.write_all(response.as_bytes()).await;
    _ = stream.shutdown().await;
    target.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    async fn get(address: &str, target: &str) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        _ = stream.read_to_string(&mut answer).await;
        answer
    }

    #[tokio::test]
    async fn only_the_answer_to_this_login_is_taken() {
        let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let opened = Mutex::new(String::new());
        let open = |url: &str| {
            url.clone_into(&mut opened.lock().unwrap());
            Ok(())
        };
        let redirect = format!("http://{free}/callback");
        let url = "https://as.example/authorize?state=s1";
        let login = log_in(url, &redirect, &open);
        let browse = async {
            let address = free.to_string();
            let mut idle = None;
            // The port is opened by the login, which runs beside this.
            while idle.is_none() {
                tokio::task::yield_now().await;
                idle = TcpStream::connect(&address).await.ok();
            }
            for target in ["/favicon.ico", "/callback?code=c", "/callback?code=c&state=s2", "/other?state=s1"]
            {
                assert!(get(&address, target).await.starts_with("HTTP/1.1 404"), "{target}");
            }
            let page = get(&address, "/callback?code=c&state=s1").await;
            assert!(page.starts_with("HTTP/1.1 200") && page.contains("close this page"), "{page}");
        };
        let (back, ()) = tokio::join!(login, browse);
        assert_eq!(back.unwrap(), format!("{redirect}?code=c&state=s1"));
        assert_eq!(*opened.lock().unwrap(), url);
    }

    #[tokio::test]
    async fn a_login_that_cannot_come_back_is_not_begun() {
        let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let busy = format!("http://{}/callback", taken.local_addr().unwrap());
        for (redirect, expected) in [
            ("https://app.example/callback", "not a port of this machine"),
            ("http://app.example/callback", "not a port of this machine"),
            (&*busy, "choose another port"),
        ] {
            let open = |_: &str| -> Result<(), String> { panic!("no page may be opened") };
            let refused = log_in("https://as.example/", redirect, &open).await.unwrap_err();
            assert!(refused.contains(expected), "{redirect}: {refused}");
        }
    }
}
