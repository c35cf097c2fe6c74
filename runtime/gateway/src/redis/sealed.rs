//! The sealed credentials of runs in Redis.

use std::fmt;
use std::sync::LazyLock;

use redis::Script;
use toolwright_server::BoxFuture;

use super::connection::{Connection, RedisError, script};
use super::store::{org_text, unavailable, unreadable};
use crate::registry::{RunId, StoreError};
use crate::secrets::{MAX_RUN_SEALED_BYTES, Sealed, SecretStore};

/// The prefix and suffix of credential keys.
const KEYS: (&str, &str) = ("mcp:1:{", "}:sealed");

static PUT: LazyLock<Script> = script!("runs", "put_sealed");
static READ: LazyLock<Script> = script!("runs", "read_sealed");
static RUN: LazyLock<Script> = script!("runs", "read");

/// The sealed credentials of runs in a [`RedisStore`](super::RedisStore). Requires the feature `redis`.
///
/// ```no_run
/// use toolwright_gateway::redis::RedisSecrets;
/// use toolwright_gateway::secrets::MasterKeys;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let keys = MasterKeys::from_file("master.keys".as_ref())?;
/// let store = RedisSecrets::connect("redis://registrar:PASSWORD@127.0.0.1:6379").await?;
/// println!("{} credentials have another key now", keys.rekey_store(&store).await?.rekeyed);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RedisSecrets {
    connection: Connection,
}

fn text_of(sealed: &Sealed) -> Result<String, StoreError> {
    if sealed.is_empty() {
        return Ok(String::new());
    }
    serde_json::to_string(sealed).map_err(|error| StoreError::Invalid(error.to_string()))
}

impl RedisSecrets {
    /// Connects to the server at a URL such as `redis://user:password@host:6379/0`. Must be called within a
    /// tokio runtime.
    ///
    /// # Errors
    /// [`RedisError`].
    pub async fn connect(url: &str) -> Result<Self, RedisError> {
        Ok(Self::new(Connection::open(url).await?))
    }

    pub(super) fn new(connection: Connection) -> Self {
        Self { connection }
    }

    async fn script<T: redis::FromRedisValue>(
        &self,
        script: &Script,
        args: &[&str],
    ) -> Result<T, StoreError> {
        self.connection.run(script, args).await.map_err(unavailable)
    }

    async fn put(
        &self,
        run: &RunId,
        node: &str,
        was: Option<&Sealed>,
        now: &Sealed,
    ) -> Result<bool, StoreError> {
        let is_replaced = if was.is_some() { "1" } else { "0" };
        let was = was.map(text_of).transpose()?.unwrap_or_default();
        let (org, now, most) =
            (org_text(run.org.as_deref()), text_of(now)?, MAX_RUN_SEALED_BYTES.to_string());
        let args = [&run.run, &org, node, &now, &most, is_replaced, &was];
        match self.script::<String>(&PUT, &args).await?.as_str() {
            "ok" => Ok(true),
            "changed" => Ok(false),
            "none" => Err(StoreError::NoRun(run.run.clone())),
            "other" => Err(StoreError::OtherOrganization(run.run.clone())),
            "full" => {
                Err(StoreError::Full { what: "bytes of credentials in a run", limit: MAX_RUN_SEALED_BYTES })
            }
            _ => Err(unreadable()),
        }
    }

    /// Returns the nodes of a run that have credentials, or the credentials of one.
    async fn read_sealed(&self, run: &RunId, node: Option<&str>) -> Result<Vec<String>, StoreError> {
        let org = org_text(run.org.as_deref());
        let args = [run.run.as_str(), org.as_str(), node.unwrap_or_default()];
        let mut answer: Vec<String> = self.script(&READ, &args).await?;
        match answer.first().map(String::as_str) {
            Some("ok") => {
                answer.remove(0);
                Ok(answer)
            }
            Some("none") => Err(StoreError::NoRun(run.run.clone())),
            Some("other") => Err(StoreError::OtherOrganization(run.run.clone())),
            _ => Err(unreadable()),
        }
    }

    async fn runs(&self) -> Result<Vec<RunId>, StoreError> {
        let (start, end) = KEYS;
        let mut runs = Vec::new();
        for key in self.connection.scan(&format!("{start}*{end}")).await.map_err(StoreError::Unavailable)? {
            let run = key.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
            let Some(run) = run else { continue };
            let answer: Vec<String> = self.script(&RUN, &[run, "0"]).await?;
            // The run may have ended meanwhile.
            if let [_, org, ..] = answer.as_slice() {
                let org = serde_json::from_str(org).map_err(|_| unreadable())?;
                runs.push(RunId { org, run: run.to_owned() });
            }
        }
        runs.sort_by(|one, other| one.run.cmp(&other.run));
        runs.dedup();
        Ok(runs)
    }
}

impl fmt::Debug for RedisSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RedisSecrets")
    }
}

impl SecretStore for RedisSecrets {
    fn put_sealed<'a>(
        &'a self,
        run: &'a RunId,
        node: &'a str,
        sealed: &'a Sealed,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.put(run, node, None, sealed).await.map(drop) })
    }

    fn sealed<'a>(&'a self, run: &'a RunId, node: &'a str) -> BoxFuture<'a, Result<Sealed, StoreError>> {
        Box::pin(async move {
            match self.read_sealed(run, Some(node)).await?.first() {
                Some(text) => serde_json::from_str(text).map_err(|_| unreadable()),
                None => Ok(Sealed::new()),
            }
        })
    }

    fn replace_sealed<'a>(
        &'a self,
        run: &'a RunId,
        node: &'a str,
        was: &'a Sealed,
        now: &'a Sealed,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(self.put(run, node, Some(was), now))
    }

    fn sealed_nodes<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Vec<String>, StoreError>> {
        Box::pin(async move {
            let mut nodes = self.read_sealed(run, None).await?;
            nodes.sort();
            Ok(nodes)
        })
    }

    fn runs_with_sealed(&self) -> BoxFuture<'_, Result<Vec<RunId>, StoreError>> {
        Box::pin(self.runs())
    }
}
