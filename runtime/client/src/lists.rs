//! Reads all pages of lists.

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
use toolwright_core::protocol::{ListKind, extension, method};

use crate::client::Client;
use crate::config::BoxFuture;
use crate::connection::Connection;
use crate::error::{ClientError, ErrorKind, format_bytes, quote};
use crate::message::OutgoingRequest;
use crate::param_headers;
use crate::tool::ListedTool;
use crate::tool_cache::{OutputSchema, ToolInfo};

/// The maximum time that a list is cached, whatever the server says.
const MAX_TTL: Duration = Duration::from_hours(24);

/// The items of all pages of a list.
struct Pages<T> {
    items: Vec<T>,
    /// The shortest time to live of all pages.
    ttl: Duration,
}

struct Page<T> {
    items: Option<Vec<T>>,
    next: Option<Box<RawValue>>,
    ttl: Option<Value>,
}

impl Client {
    /// Lists the tools of the server, from all pages.
    ///
    /// A list with a time to live (`ttlMs`) is cached until it expires or the server reports a change. Over HTTP, tools
    /// whose `x-mcp-header` is invalid are ignored with a warning (2026-07-28, server/tools "x-mcp-header"); so are
    /// tools without a name, and all but the first with the same name.
    ///
    /// # Errors
    /// [`ErrorKind::Protocol`] if the pages do not end, and the errors of any request. If the server does not declare
    /// tools, nothing is sent.
    pub async fn list_tools(&self) -> Result<Arc<[ListedTool]>, ClientError> {
        let connection = self.connection().await?;
        let version = (self.shared.host.tools_epoch(), connection.generation());
        if let Some(tools) = self.shared.tool_cache.tools(version) {
            return Ok(tools);
        }
        if !connection.server.has("tools") {
            return Ok(Arc::default());
        }
        let pages = self.boxed_tool_pages().await?;
        let (tools, info) = self.validate_tools(pages.items, &connection);
        let expires = (!pages.ttl.is_zero()).then(|| Instant::now() + pages.ttl);
        let tools: Arc<[ListedTool]> = tools.into();
        self.shared.tool_cache.store(&tools, info, expires, version);
        Ok(tools)
    }

    /// Boxes the request for the pages of tools, so that only this crate compiles it.
    fn boxed_tool_pages(&self) -> BoxFuture<'_, Result<Pages<ListedTool>, ClientError>> {
        Box::pin(self.pages(method::TOOLS_LIST, "tools"))
    }

    /// Returns the valid tools, and what calls of them need to know.
    fn validate_tools(
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
                    "it lists the tool `{}` twice; the second one is ignored",
                    quote(tool.name())
                ));
                continue;
            }
            let mut tool_info = ToolInfo::default();
            let annotated =
                tool.input_schema().filter(|schema| annotation.find(schema.get().as_bytes()).is_some());
            if let Some(schema) = annotated.filter(|_| connection.has_headers()) {
                let schema: Value = serde_json::from_str(schema.get()).unwrap_or_default();
                match param_headers::parse(&schema) {
                    Ok(param_headers) => tool_info.param_headers = param_headers,
                    Err(problem) => {
                        let name = quote(tool.name());
                        self.warn(&format!(
                            "its tool `{name}` is ignored, because its definition is invalid: {problem}"
                        ));
                        continue;
                    }
                }
            }
            tool_info.output = tool.output_schema().map(OutputSchema::new);
            let execution = tool.member("execution").map(RawValue::get).unwrap_or_default();
            tool_info.accepts_task =
                ["\"required\"", "\"optional\""].iter().any(|kind| execution.contains(kind));
            if tool_info.output.is_some() || !tool_info.param_headers.is_empty() || tool_info.accepts_task {
                info.insert(tool.name().into(), Arc::new(tool_info));
            }
            tools.push(tool);
        }
        (tools, info)
    }

    /// Lists the entries of one kind from all pages, as sent by the server: nothing is ignored or cached. If the server
    /// does not declare the kind, nothing is sent.
    ///
    /// # Errors
    /// As [`Client::list_tools`].
    pub async fn entries(&self, kind: ListKind) -> Result<Vec<Value>, ClientError> {
        self.list(kind).await
    }

    /// Lists the skills of the server from all pages (extension `io.modelcontextprotocol/skills`), as sent by the server:
    /// nothing is verified. If the server does not declare the extension, nothing is sent.
    ///
    /// # Errors
    /// As [`Client::list_tools`].
    pub async fn skill_entries(&self) -> Result<Vec<Value>, ClientError> {
        if !self.connection().await?.server.has_extension(extension::SKILLS) {
            return Ok(Vec::new());
        }
        Ok(self.pages(method::SKILLS_LIST, "skills").await?.items)
    }

    pub(crate) async fn list<T: DeserializeOwned>(&self, kind: ListKind) -> Result<Vec<T>, ClientError> {
        let capability = if kind == ListKind::ResourceTemplates { ListKind::Resources } else { kind };
        if !self.connection().await?.server.has(capability.member()) {
            return Ok(Vec::new());
        }
        Ok(self.pages(kind.method(), kind.member()).await?.items)
    }

    /// Returns the entries of all pages of a list that has no capability in the core protocol.
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
            let mut page = self
                .page::<T>(&text, member)
                .map_err(|error| self.protocol_error(format!("`{method}`: {error}")))?;
            let items = page.items.take();
            pages.items.extend(items.ok_or_else(|| {
                self.protocol_error(format!("the response to `{method}` has no `{member}`"))
            })?);
            let ttl = page.ttl.and_then(|ttl| ttl.as_u64()).map_or(Duration::ZERO, Duration::from_millis);
            pages.ttl = pages.ttl.min(ttl);
            let Some(next) = page.next.filter(|next| next.get() != "null") else { return Ok(pages) };
            if !seen.insert(next.get().to_owned()) {
                return Err(self
                    .protocol_error(format!("the pages of `{method}` form a cycle: a cursor is repeated")));
            }
            if read_bytes > self.shared.limits.max_list_bytes {
                let limit = format_bytes(self.shared.limits.max_list_bytes);
                let advice = "raise `max_list_bytes` if the list is that long";
                let problem = format!("the pages of `{method}` have more than {limit}");
                return Err(self.shared.host.error(ErrorKind::Protocol, problem, advice));
            }
            cursor = Some(next);
        }
        let limit = self.shared.limits.max_pages;
        let advice = "raise `max_pages` if the list is that long, or report this to the server's developers";
        let problem = format!("`{method}` does not end within {limit} pages");
        Err(self.shared.host.error(ErrorKind::Protocol, problem, advice))
    }

    /// Parses a page. Invalid entries are ignored with a warning.
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
                    let item = quote(item.get());
                    self.warn(&format!("an invalid entry of its `{member}` is ignored ({problem}): {item}"));
                    None
                }
            });
            read.collect()
        });
        Ok(Page { items, next, ttl })
    }
}

/// Parses a page in one pass.
fn read<T: DeserializeOwned>(text: &str, member: &'static str) -> Result<Page<T>, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let page = PageSeed { member, item: PhantomData }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(page)
}

struct PageSeed<T> {
    member: &'static str,
    item: PhantomData<T>,
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
