//! `cargo mcp list`: lists the tools, prompts or resources of running servers.

use std::cell::RefCell;

use clap::Args;
use serde_json::{Value, json};
use toolwright_client::{Client, ListedTool};
use toolwright_core::manifest::{Kind, visible};
use toolwright_core::names;

use super::{FormArgs, RequestError, RequestExit, ServerArgs, target};
use crate::shell::{self, Shell};

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// The server, unless a command follows `--`
    #[arg(value_name = "SERVER")]
    words: Vec<String>,
    /// List prompts instead of tools
    #[arg(long, group = "kind")]
    prompts: bool,
    /// List resources instead of tools
    #[arg(long, group = "kind")]
    resources: bool,
    /// List resource templates instead of tools
    #[arg(long, group = "kind")]
    templates: bool,
    #[command(flatten)]
    form: FormArgs,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

impl ListArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp list https://example.com/mcp           the tools of a server
  cargo mcp list .vscode/mcp.json                  of all servers in a file
  cargo mcp list https://example.com/mcp --json    as the server lists them
  cargo mcp list --resources -- npx -y some-server";
}

pub(super) fn run(args: &ListArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    let (target, words) = args.server.split(&args.words)?;
    if let [word, ..] = words {
        return Err(RequestError::Usage(format!("unexpected argument `{word}`")));
    }
    let all = RefCell::new(Vec::new());
    let outcome =
        target::with_each(target, &args.server, shell, async |server: Option<String>, client: Client| {
            let mut entries = fetch_entries(args, &client).await?;
            if let Some(server) = server {
                for entry in &mut entries {
                    let joined = entry[args.key()].as_str().and_then(|name| names::join(&server, name).ok());
                    if let Some(joined) = joined {
                        entry[args.key()] = joined.into();
                    }
                }
            }
            all.borrow_mut().append(&mut entries);
            Ok(RequestExit::Ok)
        })?;
    let (entries, key) = (all.into_inner(), args.key());
    if args.form.json {
        shell::print_json(&format!("{:#}\n", json!(entries)))?;
    } else {
        let width =
            entries.iter().map(|entry| visible_name(entry, key).chars().count()).max().unwrap_or(0).min(40);
        let lines: String = entries.iter().map(|entry| format_line(entry, key, width)).collect();
        shell::print(&lines)?;
    }
    Ok(outcome)
}

impl ListArgs {
    /// Returns the member that identifies an entry.
    fn key(&self) -> &'static str {
        if self.resources {
            Kind::Resources.key()
        } else if self.templates {
            Kind::ResourceTemplates.key()
        } else {
            Kind::Tools.key()
        }
    }
}

async fn fetch_entries(args: &ListArgs, client: &Client) -> Result<Vec<Value>, RequestError> {
    Ok(if args.prompts {
        client.entries(Kind::Prompts).await?
    } else if args.resources {
        client.entries(Kind::Resources).await?
    } else if args.templates {
        client.entries(Kind::ResourceTemplates).await?
    } else {
        client.list_tools().await?.iter().map(ListedTool::to_value).collect()
    })
}

fn visible_name(entry: &Value, key: &str) -> String {
    visible(entry[key].as_str().unwrap_or_default())
}

/// Formats the name of an entry and the first line of its description.
fn format_line(entry: &Value, key: &str, width: usize) -> String {
    let text = ["description", "title"].iter().find_map(|member| entry[*member].as_str()).unwrap_or_default();
    let text = visible(text.lines().next().unwrap_or_default());
    let line = format!("{:width$}  {text}", visible_name(entry, key));
    format!("{}\n", line.trim_end())
}
