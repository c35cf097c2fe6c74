//! Logins in a browser on this machine, which is redirected to a local port (RFC 8252 §7.3).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::encoding::query_parameter;
use crate::http::Address;

/// How long a user may take to log in: 5 minutes.
pub const LOGIN_TIMEOUT: Duration = Duration::from_mins(5);
/// How long a browser may take to send its request and to read the response.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum size of the head of a request, in bytes.
const MAX_HEAD: usize = 16 << 10;
/// The maximum number of open connections; browsers open some in advance.
const MAX_CONNECTIONS: usize = 16;

/// Opens `url` for the user to log in, and returns the URL that the browser was redirected to.
///
/// Other programs on this machine, and web pages, can send requests to the port too. A request without the state of this login
/// gets a 404 response, and the wait continues.
pub(super) async fn log_in(
    url: &str,
    redirect: &str,
    open: &(dyn Fn(&str) -> Result<(), String> + Send + Sync),
) -> Result<String, String> {
    let address = Address::parse(redirect).ok().filter(|address| !address.is_tls && address.is_local());
    let address = address
        .ok_or_else(|| format!("the redirect URI {redirect} is not http:// with a port on this machine"))?;
    let state = query_parameter(url, "state").unwrap_or_default();
    let (first, second) = bind(&address).await.map_err(|error| {
        format!("cannot listen on {redirect}: {error}; stop the program that uses the port, or choose another port")
    })?;
    open(url)?;
    let redirected = timeout(LOGIN_TIMEOUT, async {
        let mut requests = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                accepted = first.accept() => accepted,
                accepted = accept(second.as_ref()) => accepted,
                Some(handled) = requests.join_next() => match handled {
                    Ok(Some(target)) => return format!("{}{target}", address.origin()),
                    _ => continue,
                },
            };
            if let Ok((stream, _)) = accepted
                && requests.len() < MAX_CONNECTIONS
            {
                let (path, state) = (address.target.path().to_owned(), state.clone());
                requests.spawn(async move {
                    timeout(REQUEST_TIMEOUT, handle_request(stream, &path, &state)).await.ok().flatten()
                });
            }
        }
    });
    redirected
        .await
        .map_err(|_| format!("the login was not completed within {} minutes", LOGIN_TIMEOUT.as_secs() / 60))
}

/// Binds a port of this machine; for `localhost`, over IPv4 and IPv6, since a browser may use either.
async fn bind(address: &Address) -> std::io::Result<(TcpListener, Option<TcpListener>)> {
    let host = address.host.trim_matches(['[', ']']);
    if let Ok(ip) = host.parse::<IpAddr>() {
        return Ok((TcpListener::bind((ip, address.port)).await?, None));
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

/// Responds to a request. Returns its path and query if it is the redirect of this login.
async fn handle_request(mut stream: TcpStream, path: &str, state: &str) -> Option<String> {
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
        target.split('?').next() == Some(path) && query_parameter(target, "state").as_deref() == Some(state)
    });
    let (status, text) = match target {
        None => ("404 Not Found", "Not found."),
        Some(target) if query_parameter(target, "error").is_some() => {
            ("200 OK", "The login was denied. You can close this page.")
        }
        Some(_) => ("200 OK", "You are logged in. You can close this page."),
    };
    let response = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         Referrer-Policy: no-referrer\r\nConnection: close\r\n\r\n{text}",
        text.len()
    );
    // The code has arrived, even if the page cannot be sent.
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
        let mut response = String::new();
        _ = stream.read_to_string(&mut response).await;
        response
    }

    #[tokio::test]
    async fn only_the_redirect_of_this_login_is_accepted() {
        let unused = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let opened = Mutex::new(String::new());
        let open = |url: &str| {
            url.clone_into(&mut opened.lock().unwrap());
            Ok(())
        };
        let redirect = format!("http://{unused}/callback");
        let url = "https://as.example/authorize?state=s1";
        let login = log_in(url, &redirect, &open);
        let browse = async {
            let address = unused.to_string();
            let mut idle = None;
            // `log_in`, which runs concurrently, binds the port.
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
        let (redirected, ()) = tokio::join!(login, browse);
        assert_eq!(redirected.unwrap(), format!("{redirect}?code=c&state=s1"));
        assert_eq!(*opened.lock().unwrap(), url);
    }

    #[tokio::test]
    async fn no_page_is_opened_without_a_local_redirect() {
        let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let busy = format!("http://{}/callback", taken.local_addr().unwrap());
        for (redirect, expected) in [
            ("https://app.example/callback", "is not http:// with a port on this machine"),
            ("http://app.example/callback", "is not http:// with a port on this machine"),
            (&*busy, "choose another port"),
        ] {
            let open = |_: &str| -> Result<(), String> { panic!("no page may be opened") };
            let error = log_in("https://as.example/", redirect, &open).await.unwrap_err();
            assert!(error.contains(expected), "{redirect}: {error}");
        }
    }
}
