//! Lists of all kinds, with all their pages.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use serde::de::{DeserializeOwned, DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::time::Instant;
use toolwright_core::protocol::ListKind;
use toolwright_core::protocol::method;

use crate::client::Client;
use crate::config::BoxFuture;
use crate::connection::Connection;
use crate::error::{ClientError, ErrorKind, bytes, quoted};
use crate::message::OutgoingRequest;
use crate::param_headers;
use crate::tool::ListedTool;
use crate::tool_cache::{OutputSchema, ToolInfo};

/// The longest time that a list is taken for fresh, whatever the server says.
const MAX_TTL: Duration = Duration::from_hours(24);

/// All pages of a list.
struct Pages<T> {
    items: Vec<T>,
    /// How long the server says that they are good, the shortest of all pages.
    ttl: Duration,
}

struct Page<T> {
    items: Option<Vec<T>>,
    next: Option<Box<RawValue>>,
    ttl: Option<Value>,
}

impl Client {
    /// The tools of the server, of all pages.
    ///
    /// A list that the server says is good for a while (`ttlMs`) is not asked for again until then, or until the server says
    /// that it has changed. Over HTTP, tools whose `x-mcp-header` is invalid are left out, with a warning
    /// (2026-07-28, server/tools "x-mcp-header"); so are ones without a name, and all but the first of a name.
    ///
    /// # Errors
    /// [`ErrorKind::Protocol`] where the pages have no end; otherwise as for any request. A server that says that it has no tools
    /// is not asked.
    pub async fn list_tools(&self) -> Result<Arc<[ListedTool]>, ClientError> {
        let connection = self.connection().await?;
        let of = (self.shared.host.tools_epoch(), connection.generation());
        if let Some(tools) = self.shared.tool_cache.tools(of) {
            return Ok(tools);
        }
        if !connection.server.has("tools") {
            return Ok(Arc::default());
        }
        let pages = self.boxed_tool_pages().await?;
        let (tools, info) = self.usable_tools(pages.items, &connection);
        let until = (!pages.ttl.is_zero()).then(|| Instant::now() + pages.ttl);
        let tools: Arc<[ListedTool]> = tools.into();
        self.shared.tool_cache.store(&tools, info, until, of);
        Ok(tools)
    }

    /// The pages of tools, as a future whose code is compiled in this crate alone.
    fn boxed_tool_pages(&self) -> BoxFuture<'_, Result<Pages<ListedTool>, ClientError>> {
        Box::pin(self.pages(method::TOOLS_LIST, "tools"))
    }

    /// The tools that can be used, and what calls of them need.
    fn usable_tools(
        &self,
        listed: Vec<ListedTool>,
        connection: &Connection,
    ) -> (Vec<ListedTool>, HashMap<Box<str>, Arc<ToolInfo>>) {
        let (mut tools, mut info) = (Vec::with_capacity(listed.len()), HashMap::new());
        let mut seen: HashSet<Box<str>> = HashSet::with_capacity(listed.len());
        let annotation = memchr::memmem::Finder::new(param_headers::ANNOTATION);
        for tool in listed {
            if !seen.insert(tool.name().into()) {
                self.warn(&format!(
                    "it lists the tool `{}` twice; the first one is used",
                    quoted(tool.name())
                ));
                continue;
            }
            let mut tool_info = ToolInfo::default();
            let annotated =
                tool.input_schema().filter(|schema| annotation.find(schema.get().as_bytes()).is_some());
            if let Some(schema) = annotated.filter(|_| connection.has_headers()) {
                let schema: Value = serde_json::from_str(schema.get()).unwrap_or_default();
                match param_headers::read_param_headers(&schema) {
                    Ok(param_headers) => tool_info.param_headers = param_headers,
                    Err(problem) => {
                        let name = quoted(tool.name());
                        self.warn(&format!(
                            "its tool `{name}` is left out, since its definition is invalid: {problem}"
                        ));
                        continue;
                    }
                }
            }
            tool_info.output = tool.output_schema().map(OutputSchema::new);
            let execution = tool.member("execution").map(RawValue::get).unwrap_or_default();
            tool_info.takes_task =
                ["\"required\"", "\"optional\""].iter().any(|kind| execution.contains(kind));
            if tool_info.output.is_some() || !tool_info.param_headers.is_empty() || tool_info.takes_task {
                info.insert(tool.name().into(), Arc::new(tool_info));
            }
            tools.push(tool);
        }
        (tools, info)
    }

    /// The entries of one kind, of all pages, exactly as the server lists them: nothing is left out, and nothing comes from the
    /// last list. A server that says that it has none of the kind is not asked.
    ///
    /// # Errors
    /// As [`Client::list_tools`].
    pub async fn entries(&self, kind: ListKind) -> Result<Vec<Value>, ClientError> {
        self.list(kind).await
    }

    pub(crate) async fn list<T: DeserializeOwned>(&self, kind: ListKind) -> Result<Vec<T>, ClientError> {
        let capability = if kind == ListKind::ResourceTemplates { ListKind::Resources } else { kind };
        if !self.connection().await?.server.has(capability.member()) {
            return Ok(Vec::new());
        }
        Ok(self.pages(kind.method(), kind.member()).await?.items)
    }

    /// The entries of all pages of a list that belongs to no capability of the protocol itself.
    #[cfg(feature = "skills")]
    pub(crate) async fn all_pages<T: DeserializeOwned>(
        &self,
        method: &'static str,
        member: &'static str,
    ) -> Result<Vec<T>, ClientError> {
        Ok(self.pages(method, member).await?.items)
    }

    async fn pages<T: DeserializeOwned>(
        &self,
        method: &'static str,
        member: &'static str,
    ) -> Result<Pages<T>, ClientError> {
        let (mut pages, mut seen) = (Pages { items: Vec::new(), ttl: MAX_TTL }, HashSet::new());
        let (mut cursor, mut read_bytes): (Option<Box<RawValue>>, usize) = (None, 0);
        let broken = |problem: String| {
            let advice = "report this to those who make the server";
            self.shared.host.error(ErrorKind::Protocol, problem, advice)
        };
        for _ in 0..self.shared.limits.max_pages {
            let members =
                cursor.as_ref().map(|cursor| format!(r#""cursor":{}"#, cursor.get())).unwrap_or_default();
            let outgoing = OutgoingRequest {
                method: method.into(),
                members: members.into(),
                is_idempotent: true,
                ..OutgoingRequest::default()
            };
            let text = self.send(&outgoing, &mut self.default_options()).await?;
            read_bytes += text.len();
            let mut page =
                self.page::<T>(&text, member).map_err(|error| broken(format!("`{method}`: {error}")))?;
            let items = page.items.take();
            pages
                .items
                .extend(items.ok_or_else(|| broken(format!("`{method}` was answered without `{member}`")))?);
            let ttl = page.ttl.and_then(|ttl| ttl.as_u64()).map_or(Duration::ZERO, Duration::from_millis);
            pages.ttl = pages.ttl.min(ttl);
            let Some(next) = page.next.filter(|next| next.get() != "null") else { return Ok(pages) };
            if !seen.insert(next.get().to_owned()) {
                return Err(broken(format!(
                    "the pages of `{method}` go round in a circle: a cursor came twice"
                )));
            }
            if read_bytes > self.shared.limits.max_list_bytes {
                let limit = bytes(self.shared.limits.max_list_bytes);
                let advice = "raise `max_list_bytes` if the list is that long";
                let problem = format!("the pages of `{method}` have more than {limit}");
                return Err(self.shared.host.error(ErrorKind::Protocol, problem, advice));
            }
            cursor = Some(next);
        }
        let limit = self.shared.limits.max_pages;
        let advice = "raise `max_pages` if the list is that long, or report it to those who make the server";
        let problem = format!("the pages of `{method}` do not end within {limit}");
        Err(self.shared.host.error(ErrorKind::Protocol, problem, advice))
    }

    /// Reads a page. Entries that cannot be read are left out, with a warning.
    fn page<T: DeserializeOwned>(
        &self,
        text: &str,
        member: &'static str,
    ) -> Result<Page<T>, serde_json::Error> {
        if let Ok(page) = read::<T>(text, member) {
            return Ok(page);
        }
        let Page { items, next, ttl } = read::<Box<RawValue>>(text, member)?;
        let items = items.map(|items| {
            let read = items.into_iter().filter_map(|item| match serde_json::from_str(item.get()) {
                Ok(item) => Some(item),
                Err(problem) => {
                    let shown = quoted(item.get());
                    self.warn(&format!(
                        "one of its `{member}` is left out, since it cannot be read ({problem}): {shown}"
                    ));
                    None
                }
            });
            read.collect()
        });
        Ok(Page { items, next, ttl })
    }
}

/// Reads a page in one pass.
fn read<T: DeserializeOwned>(text: &str, member: &'static str) -> Result<Page<T>, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let page = PageSeed { member, of: PhantomData }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(page)
}

struct PageSeed<T> {
    member: &'static str,
    of: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for PageSeed<T> {
    type Value = Page<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Page<T>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for PageSeed<T> {
    type Value = Page<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a page with `{}`", self.member)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Page<T>, A::Error> {
        let mut page = Page { items: None, next: None, ttl: None };
        while let Some(key) = map.next_key::<String>()? {
            if key == self.member {
                page.items = Some(map.next_value()?);
            } else if key == "nextCursor" {
                page.next = map.next_value()?;
            } else if key == "ttlMs" {
                page.ttl = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(page)
    }
}
