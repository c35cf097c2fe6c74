//! The list of tools, kept up to date.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::client::Client;
use crate::error::ClientError;
use crate::event::Change;
use crate::subscription::{Changes, Subscription};
use crate::tool::ListedTool;

/// How long changes are gathered before the list is asked for.
const GATHERED: Duration = Duration::from_millis(100);
/// How long is waited after a list that could not be had.
const PAUSE: Duration = Duration::from_secs(1);

/// The tools of a server as they change.
///
/// ```no_run
/// # async fn example(client: toolwright_client::Client) -> Result<(), toolwright_client::ClientError> {
/// let mut watch = client.watch_tools().await?;
/// loop {
///     let change = watch.changed().await?;
///     for tool in &change.removed {
///         println!("- {}", tool.name());
///     }
///     for tool in &change.added {
///         println!("+ {}", tool.name());
///     }
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct ToolsWatch {
    client: Client,
    subscription: Subscription,
    tools: Arc<[ListedTool]>,
    is_behind: bool,
}

/// How a list of tools differs from the one before.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ToolsChange {
    /// Tools that are new.
    pub added: Vec<ListedTool>,
    /// Tools whose definition is another, as it is now.
    pub changed: Vec<ListedTool>,
    /// Tools that are gone, as they were.
    pub removed: Vec<ListedTool>,
}

impl Client {
    /// Watches the list of tools.
    ///
    /// # Errors
    /// As [`Client::list_tools`] and [`Client::subscribe`].
    pub async fn watch_tools(&self) -> Result<ToolsWatch, ClientError> {
        // First the subscription, so that nothing falls between it and the list.
        let subscription = self.subscribe(Changes::new().tools()).await?;
        let tools = self.list_tools().await?;
        Ok(ToolsWatch { client: self.clone(), subscription, tools, is_behind: false })
    }
}

impl ToolsWatch {
    /// The tools as they were last seen.
    pub fn tools(&self) -> &Arc<[ListedTool]> {
        &self.tools
    }

    /// Waits until the list is another one. Notices that come close together lead to one request.
    ///
    /// # Errors
    /// As [`Client::list_tools`]; the list stays as it was, and the next call tries again after a second. Never returns
    /// again where the server has ended the subscription.
    pub async fn changed(&mut self) -> Result<ToolsChange, ClientError> {
        loop {
            if self.is_behind {
                sleep(PAUSE).await;
            } else if self.subscription.next().await.is_none() {
                return std::future::pending().await;
            }
            while let Ok(Some(Change::Tools | Change::Missed)) =
                timeout(GATHERED, self.subscription.next()).await
            {}
            self.is_behind = true;
            self.client.shared.known.forget();
            let tools = self.client.list_tools().await?;
            self.is_behind = false;
            let change = difference(&self.tools, &tools);
            self.tools = tools;
            if !change.is_empty() {
                return Ok(change);
            }
        }
    }
}

impl ToolsChange {
    fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

fn difference(old: &[ListedTool], new: &[ListedTool]) -> ToolsChange {
    let mut before: HashMap<&str, &ListedTool> = old.iter().map(|tool| (tool.name(), tool)).collect();
    let mut change = ToolsChange::default();
    for tool in new {
        match before.remove(tool.name()) {
            None => change.added.push(tool.clone()),
            Some(old) if old.to_value() != tool.to_value() => change.changed.push(tool.clone()),
            Some(_) => {}
        }
    }
    change.removed = old.iter().filter(|tool| before.contains_key(tool.name())).cloned().collect();
    change
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_compared_by_name() {
        let tools = |text: &str| serde_json::from_str::<Vec<ListedTool>>(text).unwrap();
        let old =
            tools(r#"[{"name": "a", "inputSchema": {"type": "object"}}, {"name": "b"}, {"name": "c"}]"#);
        let new = tools(
            r#"[{"name": "d"}, {"inputSchema": {"type": "object"}, "name": "a"}, {"name": "b", "title": "B"}]"#,
        );
        let change = difference(&old, &new);
        let names =
            |tools: &[ListedTool]| tools.iter().map(|tool| tool.name().to_owned()).collect::<Vec<_>>();
        assert_eq!(names(&change.added), ["d"]);
        assert_eq!(names(&change.changed), ["b"]);
        assert_eq!(names(&change.removed), ["c"]);
        assert!(difference(&new, &new).is_empty());
    }
}
