//! `cargo mcp gateway events`.

use std::io::{IsTerminal as _, stdout};
use std::time::{Duration, Instant};

use form_urlencoded::Serializer;
use toolwright_client::agent::InternalError;
use toolwright_core::manifest::visible;
use toolwright_gateway::internal::MAX_EVENT_WAIT;
use toolwright_gateway::registry::{EventPage, RunEvent};

use super::args::EventsArgs;
use super::internal;
use crate::client::{RequestError, RequestExit};
use crate::shell;

/// How long to wait before a gateway that responds without events is asked again.
const PAUSE: Duration = Duration::from_secs(1);

/// Prints the events of a run.
pub(super) fn show(args: &EventsArgs) -> Result<RequestExit, RequestError> {
    let is_readable = !args.json && stdout().is_terminal();
    let mut after = args.after;
    loop {
        let (path, asked_at) = (path(args, after), Instant::now());
        let page = internal::ask(&args.api, async |api| {
            let page = api.get(&path).await?;
            serde_json::from_value::<EventPage>(page)
                .map_err(|error| InternalError::Unreachable(format!("the response cannot be read: {error}")))
        })?;
        if let (Some(first), Some(last)) = (page.events.first(), page.events.last()) {
            if first.sequence > after + 1 {
                let dropped = first.sequence - after - 1;
                shell::warning(&format!("{dropped} older events were dropped"));
            }
            after = last.sequence;
            print(&page.events, is_readable)?;
            continue;
        }
        if !args.follow || !page.is_open {
            return Ok(RequestExit::Ok);
        }
        // Usually, the gateway has waited.
        if asked_at.elapsed() < PAUSE {
            std::thread::sleep(PAUSE);
        }
    }
}

fn path(args: &EventsArgs, after: u64) -> String {
    let mut query = Serializer::new(String::new());
    query.append_pair("run", &args.run).append_pair("after", &after.to_string());
    if let Some(org) = &args.org {
        query.append_pair("org", org);
    }
    if args.follow {
        query.append_pair("wait", &MAX_EVENT_WAIT.as_secs().to_string());
    }
    format!("events?{}", query.finish())
}

fn print(events: &[RunEvent], is_readable: bool) -> Result<(), RequestError> {
    if is_readable {
        shell::print(&events.iter().map(describe).collect::<String>())?;
        return Ok(());
    }
    let lines = events.iter().map(|event| (serde_json::to_string(event).unwrap_or_default(), false));
    shell::print_records(lines)?;
    Ok(())
}

/// Returns a line about an event.
fn describe(event: &RunEvent) -> String {
    let (seconds, details) = (event.time / 1_000, &event.details);
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    let mut line =
        format!("{:>5}  {hour:02}:{minute:02}:{second:02}Z  {:<15}", event.sequence, event.event.name());
    let status = details.status.and_then(|status| serde_json::to_value(status).ok());
    let status = status.as_ref().and_then(|status| status.as_str());
    for (name, value) in [
        ("node", details.node.as_deref()),
        ("tool", details.tool.as_deref()),
        ("kind", details.kind.as_deref()),
        ("status", status),
        ("token", details.token.as_deref()),
    ] {
        if let Some(value) = value {
            line = format!("{line}  {name}={value}");
        }
    }
    format!("{}\n", visible(line.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_what_happened_to_what() {
        let event = serde_json::json!({"sequence": 2, "time": 1_795_910_403_000_u64, "event": "tool.registered",
            "org": "acme", "run": "r", "node": "a\u{1b}[2J", "kind": "component", "tool": "look", "status": "ready"});
        let line = describe(&serde_json::from_value(event).unwrap());
        assert!(line.starts_with("    2  "), "{line}");
        assert!(line.contains("tool.registered  node=a"), "{line}");
        assert!(line.ends_with("  tool=look  kind=component  status=ready\n"), "{line}");
        assert!(!line.contains('\u{1b}'), "{line}");
    }
}
