//! `cargo mcp gateway status`.

use std::fmt::Write as _;

use serde_json::Value;
use toolwright_core::manifest::visible;

use super::args::StatusArgs;
use super::internal;
use crate::client::{RequestError, RequestExit};
use crate::shell;

/// Prints the status of a gateway.
pub(super) fn show(args: &StatusArgs) -> Result<RequestExit, RequestError> {
    let status = internal::ask(&args.api, async |api| api.get("status").await)?;
    if args.json {
        shell::print(&format!("{}\n", serde_json::to_string_pretty(&status).unwrap_or_default()))?;
        return Ok(RequestExit::Ok);
    }
    let text = |value: &Value| visible(value.as_str().unwrap_or("none"));
    let mut lines = format!(
        "version        {}\nstore          {}\nruns           {}\nconfiguration  {}\npolicy         {} rules\n",
        text(&status["version"]),
        if status["isReady"] == true { "answers" } else { "does not answer" },
        status["runs"],
        text(&status["configuration"]),
        status["policy"]["rules"],
    );
    for server in status["servers"].as_array().into_iter().flatten() {
        let problem = server["problem"].as_str().map(|why| format!(": {}", visible(why))).unwrap_or_default();
        let findings = match server["findings"].as_u64() {
            None | Some(0) => String::new(),
            Some(count) => format!(", {count} tools are not as they were pinned"),
        };
        // Writing to a string cannot fail.
        _ = writeln!(lines, "{}  {}{problem}{findings}", text(&server["name"]), text(&server["state"]));
    }
    shell::print(&lines)?;
    Ok(RequestExit::Ok)
}
