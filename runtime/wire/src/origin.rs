//! Loopback hosts.

use std::net::IpAddr;

/// Strips the port from a host; `None` if what follows the name is not a port.
#[inline]
pub fn host_name(host: &str) -> &str {
    let bracketed = host.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let (name, rest) = bracketed.unwrap_or_else(|| host.split_at(host.find(':').unwrap_or(host.len())));
    let is_port = |rest: &str| {
        rest.strip_prefix(':').is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if rest.is_empty() || is_port(rest) { name } else { "" }
}

/// Returns whether a host is the loopback interface: `localhost` or a loopback address, without a
/// port or brackets.
#[inline]
pub fn is_loopback(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::{host_name, is_loopback};

    #[test]
    fn only_local_hosts_are_loopback() {
        for (host, is_here) in [
            ("localhost", true),
            ("LOCALHOST:80", true),
            ("127.0.0.1:1", true),
            ("127.9.9.9", true),
            ("[::1]:8080", true),
            ("0.0.0.0", false),
            ("localhost.example.com", false),
            ("127.0.0.1.example.com", false),
            ("[::1]x", false),
            ("localhost:80x", false),
            ("", false),
        ] {
            assert_eq!(is_loopback(host_name(host)), is_here, "{host}");
        }
    }
}
