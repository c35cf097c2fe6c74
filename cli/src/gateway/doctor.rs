//! `cargo mcp gateway doctor`.

use toolwright_core::manifest::visible;
use toolwright_gateway::redis::{Verdict, inspect};

use super::args::DoctorRedisArgs;
use super::state::{store_url, usage};
use crate::client::{RequestError, RequestExit};
use crate::shell;

/// Checks a Redis server.
pub(super) fn redis(args: &DoctorRedisArgs) -> Result<RequestExit, RequestError> {
    let url = store_url(args.url.as_deref(), args.store_file.as_deref())?.unwrap_or_default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let checks = runtime.block_on(inspect(&url)).map_err(usage)?;
    if args.json {
        shell::print(&format!("{}\n", serde_json::to_string_pretty(&checks).unwrap_or_default()))?;
    } else {
        let lines = checks.iter().map(|check| {
            let verdict = match check.verdict {
                Verdict::Ok => "ok",
                Verdict::Warning => "warning",
                _ => "problem",
            };
            format!("{verdict:8} {:12} {}\n", check.name, visible(&check.text))
        });
        shell::print(&lines.collect::<String>())?;
    }
    let has_problem = checks.iter().any(|check| check.verdict == Verdict::Problem);
    Ok(if has_problem { RequestExit::Tool } else { RequestExit::Ok })
}
