//! Watches lists for changes.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use toolwright_core::protocol::{Prompt, Resource, ResourceTemplate};

use crate::client::Client;
use crate::config::BoxFuture;
use crate::error::ClientError;
use crate::subscription::{Changes, Subscription};
use crate::tool::ListedTool;

/// How long to wait for further changes before the list is read.
const SETTLE_TIME: Duration = Duration::from_millis(100);
/// How long to wait in total.
const MAX_SETTLE_TIME: Duration = Duration::from_secs(1);
/// The delay after the list could not be read.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Watches a list of a server: tools, prompts, resources or resource templates.
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
pub struct ListWatch<T> {
    client: Client,
    kind: Kind<T>,
    subscription: Subscription,
    items: Arc<[T]>,
    is_stale: bool,
}

type ListFuture<T> = BoxFuture<'static, Result<Arc<[T]>, ClientError>>;

/// How to read and compare one kind of list.
struct Kind<T> {
    list: fn(Client) -> ListFuture<T>,
    key: fn(&T) -> &str,
    is_same: fn(&T, &T) -> bool,
}

/// The difference between two versions of a list.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ListChange<T> {
    /// The new entries.
    pub added: Vec<T>,
    /// The entries with a changed definition, in their new form.
    pub changed: Vec<T>,
    /// The removed entries, in their last form.
    pub removed: Vec<T>,
}

impl Client {
    /// Watches the list of tools.
    ///
    /// # Errors
    /// As [`Client::list_tools`] and [`Client::subscribe`].
    pub async fn watch_tools(&self) -> Result<ListWatch<ListedTool>, ClientError> {
        let kind = Kind {
            list: |client| {
                Box::pin(async move {
                    client.shared.tool_cache.clear();
                    client.list_tools().await
                })
            },
            key: ListedTool::name,
            is_same: |old, new| old.to_value() == new.to_value(),
        };
        self.watch_list(Changes::new().tools(), kind).await
    }

    /// Watches the list of prompts.
    ///
    /// # Errors
    /// As [`Client::list_prompts`] and [`Client::subscribe`].
    pub async fn watch_prompts(&self) -> Result<ListWatch<Prompt>, ClientError> {
        let kind = Kind {
            list: |client| Box::pin(async move { client.list_prompts().await.map(Into::into) }),
            key: |prompt: &Prompt| &prompt.name,
            is_same: PartialEq::eq,
        };
        self.watch_list(Changes::new().prompts(), kind).await
    }

    /// Watches the list of resources, but not their contents.
    ///
    /// # Errors
    /// As [`Client::list_resources`] and [`Client::subscribe`].
    pub async fn watch_resources(&self) -> Result<ListWatch<Resource>, ClientError> {
        let kind = Kind {
            list: |client| Box::pin(async move { client.list_resources().await.map(Into::into) }),
            key: |resource: &Resource| &resource.uri,
            is_same: PartialEq::eq,
        };
        self.watch_list(Changes::new().resources(), kind).await
    }

    /// Watches the list of resource templates.
    ///
    /// # Errors
    /// As [`Client::list_resource_templates`] and [`Client::subscribe`].
    pub async fn watch_resource_templates(&self) -> Result<ListWatch<ResourceTemplate>, ClientError> {
        let kind = Kind {
            list: |client| Box::pin(async move { client.list_resource_templates().await.map(Into::into) }),
            key: |template: &ResourceTemplate| &template.uri_template,
            is_same: PartialEq::eq,
        };
        self.watch_list(Changes::new().resources(), kind).await
    }

    async fn watch_list<T>(&self, changes: Changes, kind: Kind<T>) -> Result<ListWatch<T>, ClientError> {
        // Subscribe first, so that no change is missed between the subscription and the list.
        let subscription = self.subscribe(changes).await?;
        let items = (kind.list)(self.clone()).await?;
        Ok(ListWatch { client: self.clone(), kind, subscription, items, is_stale: false })
    }
}

impl<T: Clone> ListWatch<T> {
    /// Returns the list as last read.
    pub fn items(&self) -> &Arc<[T]> {
        &self.items
    }

    /// Waits until the list has changed. Notifications in quick succession lead to one request.
    ///
    /// # Errors
    /// If the list cannot be read; it stays unchanged, and the next call retries after a second. After the server has
    /// ended the subscription, this never returns.
    pub async fn changed(&mut self) -> Result<ListChange<T>, ClientError> {
        loop {
            if self.is_stale {
                sleep(RETRY_DELAY).await;
            } else if self.subscription.next().await.is_none() {
                return std::future::pending().await;
            }
            let quiet =
                async { while let Ok(Some(_)) = timeout(SETTLE_TIME, self.subscription.next()).await {} };
            _ = timeout(MAX_SETTLE_TIME, quiet).await;
            self.is_stale = true;
            let items = (self.kind.list)(self.client.clone()).await?;
            self.is_stale = false;
            let change = difference(&self.items, &items, &self.kind);
            self.items = items;
            if !change.is_empty() {
                return Ok(change);
            }
        }
    }
}

impl<T> ListChange<T> {
    fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

fn difference<T: Clone>(old: &[T], new: &[T], kind: &Kind<T>) -> ListChange<T> {
    let mut before: HashMap<&str, &T> = old.iter().map(|item| ((kind.key)(item), item)).collect();
    let mut change = ListChange { added: Vec::new(), changed: Vec::new(), removed: Vec::new() };
    for item in new {
        match before.remove((kind.key)(item)) {
            None => change.added.push(item.clone()),
            Some(old) if !(kind.is_same)(old, item) => change.changed.push(item.clone()),
            Some(_) => {}
        }
    }
    change.removed = old.iter().filter(|item| before.contains_key((kind.key)(item))).cloned().collect();
    change
}

impl<T> fmt::Debug for ListWatch<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListWatch").field("subscription", &self.subscription).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_compared_by_name() {
        let prompts = |text: &str| serde_json::from_str::<Vec<Prompt>>(text).unwrap();
        let old = prompts(r#"[{"name": "a", "title": "A"}, {"name": "b"}, {"name": "c"}]"#);
        let new = prompts(r#"[{"name": "d"}, {"title": "A", "name": "a"}, {"name": "b", "title": "B"}]"#);
        let kind = Kind {
            list: |_| Box::pin(async { Ok(Arc::default()) }),
            key: |prompt: &Prompt| &prompt.name,
            is_same: PartialEq::eq,
        };
        let change = difference(&old, &new, &kind);
        let names = |prompts: &[Prompt]| prompts.iter().map(|prompt| prompt.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&change.added), ["d"]);
        assert_eq!(names(&change.changed), ["b"]);
        assert_eq!(names(&change.removed), ["c"]);
        assert!(difference(&new, &new, &kind).is_empty());
    }
}
