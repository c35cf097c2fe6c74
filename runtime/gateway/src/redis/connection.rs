//! Connections to a Redis server: a shared one for commands, and others for blocking reads.

use std::fmt;
use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig, MultiplexedConnection};
use redis::{
    AsyncConnectionConfig, Client, ErrorKind, FromRedisValue, RedisResult, Script, ScriptInvocation,
    ServerErrorKind,
};
use tokio::time::Instant;

use super::bound::Bound;
use crate::random;

/// Timeout of a command, including reconnects: 3 seconds.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(3);
/// Timeout of one response.
pub(super) const RESPONSE_TIMEOUT: Duration = Duration::from_secs(2);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// The delay before a command is retried.
const RETRY_DELAY: Duration = Duration::from_millis(50);
/// The version of the key layout, which is part of all key names: `mcp:1:`.
const LAYOUT: &str = "1";
/// The errors with which a server rejects the first write of a script: no memory is left, its file cannot be written, it is a
/// replica, or it has too few of them.
const REFUSALS: [&str; 4] = ["OOM", "MISCONF", "READONLY", "NOREPLICAS"];
/// The minimum server version.
const OLDEST: u64 = 7;

/// Errors of connecting to a Redis server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RedisError {
    /// The address is not a Redis URL, or names TLS (`rediss:`), which needs the feature `redis-tls`.
    #[error(
        "the address of Redis is invalid: {0}; write redis://[[user]:password@]host[:port][/db], rediss:// for TLS, or unix:///path"
    )]
    Address(String),
    /// The server cannot be reached, or rejects the user.
    #[error("Redis cannot be reached: {0}")]
    Unavailable(String),
    /// The server is too old.
    #[error("Redis has version {0}, 7.0 or later is needed")]
    TooOld(String),
    /// The data was written by an incompatible version of this program.
    #[error(
        "Redis has data of another version of the gateway (layout {0}, this one has {LAYOUT}): use another database"
    )]
    OtherLayout(String),
}

/// Why a script did not run.
#[derive(Debug, Clone)]
pub(super) enum ScriptError {
    /// The server rejects writes at the moment, so nothing was written.
    Refused(String),
    /// The server cannot be reached, or did not respond: the script may have run.
    Unavailable(String),
}

impl ScriptError {
    /// The error that a script caught and returned as text.
    pub(super) fn of_answer(why: &str) -> Self {
        let is_refusal = why.split(' ').next().is_some_and(|code| REFUSALS.contains(&code));
        if is_refusal { Self::Refused(why.to_owned()) } else { Self::Unavailable(why.to_owned()) }
    }

    pub(super) fn into_reason(self) -> String {
        match self {
            Self::Refused(why) | Self::Unavailable(why) => why,
        }
    }
}

/// A script with its arguments.
enum Prepared<'a> {
    Script(ScriptInvocation<'a>),
    Bound(&'a Bound, &'a [&'a str]),
}

impl Prepared<'_> {
    async fn run<T: FromRedisValue>(&self, mut manager: ConnectionManager) -> RedisResult<T> {
        match self {
            Self::Script(script) => script.invoke_async(&mut manager).await,
            Self::Bound(script, args) => script.run(args).await,
        }
    }
}

/// A connected server.
#[derive(Clone)]
pub(super) struct Connection {
    client: Client,
    manager: ConnectionManager,
}

impl Connection {
    /// Connects, and checks whether the server can be used.
    pub(super) async fn open(url: &str) -> Result<Self, RedisError> {
        #[cfg(feature = "redis-tls")]
        choose_cryptography();
        let client = Client::open(url).map_err(|error| RedisError::Address(error.to_string()))?;
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(Some(RESPONSE_TIMEOUT))
            .set_min_delay(RETRY_DELAY)
            .set_max_delay(Duration::from_millis(500))
            .set_number_of_retries(3);
        let manager = ConnectionManager::new_with_config(client.clone(), config);
        let manager = manager.await.map_err(|error| RedisError::Unavailable(error.to_string()))?;
        let connection = Self { client, manager };
        connection.check().await?;
        Ok(connection)
    }

    pub(super) fn manager(&self) -> ConnectionManager {
        self.manager.clone()
    }

    async fn check(&self) -> Result<(), RedisError> {
        let failed = |error: redis::RedisError| RedisError::Unavailable(error.to_string());
        let mut manager = self.manager.clone();
        let info: String =
            redis::cmd("INFO").arg("server").query_async(&mut manager).await.map_err(failed)?;
        let version = info.lines().find_map(|line| line.strip_prefix("redis_version:")).unwrap_or("unknown");
        if version
            .split('.')
            .next()
            .and_then(|major| major.parse::<u64>().ok())
            .is_none_or(|major| major < OLDEST)
        {
            return Err(RedisError::TooOld(version.to_owned()));
        }
        let layout: Option<String> =
            redis::cmd("GET").arg("mcp:layout").query_async(&mut manager).await.map_err(failed)?;
        match layout {
            None => {
                // A user without write access is neither a registrar nor a gateway; those write it.
                let mut set = redis::cmd("SET");
                let _: redis::RedisResult<Option<String>> =
                    set.arg("mcp:layout").arg(LAYOUT).arg("NX").query_async(&mut manager).await;
                Ok(())
            }
            Some(layout) if layout == LAYOUT => Ok(()),
            Some(other) => Err(RedisError::OtherLayout(other)),
        }
    }

    /// Runs a script, and retries if the connection was lost: all scripts are idempotent. Returns the error
    /// otherwise.
    pub(super) async fn run<T: FromRedisValue>(
        &self,
        script: &Script,
        args: &[&str],
    ) -> Result<T, ScriptError> {
        let mut invocation = script.prepare_invoke();
        for arg in args {
            invocation.arg(*arg);
        }
        self.run_prepared(&Prepared::Script(invocation)).await
    }

    /// The same for a script that knows the run of the server.
    pub(super) async fn run_bound<T: FromRedisValue>(
        &self,
        script: &Bound,
        args: &[&str],
    ) -> Result<T, ScriptError> {
        self.run_prepared(&Prepared::Bound(script, args)).await
    }

    async fn run_prepared<T: FromRedisValue>(&self, prepared: &Prepared<'_>) -> Result<T, ScriptError> {
        let ends = Instant::now() + COMMAND_TIMEOUT;
        loop {
            match tokio::time::timeout_at(ends, prepared.run(self.manager())).await {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(error)) if is_passing(&error) && Instant::now() + RETRY_DELAY < ends => {
                    tokio::time::sleep(RETRY_DELAY).await;
                }
                Ok(Err(error)) if error.code().is_some_and(|code| REFUSALS.contains(&code)) => {
                    return Err(ScriptError::Refused(error.to_string()));
                }
                Ok(Err(error)) => return Err(ScriptError::Unavailable(error.to_string())),
                Err(_) => {
                    let why = format!("it did not respond within {} s", COMMAND_TIMEOUT.as_secs());
                    return Err(ScriptError::Unavailable(why));
                }
            }
        }
    }

    /// Returns all keys that match a pattern.
    pub(super) async fn scan(&self, pattern: &str) -> Result<Vec<String>, String> {
        let mut manager = self.manager.clone();
        let scanned = async {
            let (mut keys, mut cursor) = (Vec::new(), 0_u64);
            loop {
                let mut scan = redis::cmd("SCAN");
                scan.arg(cursor).arg("MATCH").arg(pattern).arg("COUNT").arg(1_000);
                let some: Vec<String>;
                (cursor, some) = scan.query_async(&mut manager).await?;
                keys.extend(some);
                if cursor == 0 {
                    return Ok(keys);
                }
            }
        };
        scanned.await.map_err(|error: redis::RedisError| error.to_string())
    }

    /// Opens a separate connection, for commands that block for so long.
    pub(super) async fn open_another(&self, block: Duration) -> RedisResult<MultiplexedConnection> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(Some(block + RESPONSE_TIMEOUT));
        self.client.get_multiplexed_async_connection_with_config(&config).await
    }

    /// Opens a separate connection for a subscription.
    pub(super) async fn subscribe(&self, channel: &str) -> Result<redis::aio::PubSub, String> {
        let subscribe = async {
            let mut subscription = self.client.get_async_pubsub().await?;
            subscription.subscribe(channel).await?;
            Ok(subscription)
        };
        let subscribed = tokio::time::timeout(CONNECT_TIMEOUT + RESPONSE_TIMEOUT, subscribe).await;
        let subscribed = subscribed.map_err(|_| "it did not answer".to_owned())?;
        subscribed.map_err(|error: redis::RedisError| error.to_string())
    }
}

/// Makes ring the cryptography of TLS connections, unless the program has chosen another one: rustls cannot choose if a program
/// contains several.
#[cfg(feature = "redis-tls")]
fn choose_cryptography() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Another thread may have chosen in the meantime.
        _ = rustls::crypto::ring::default_provider().install_default();
    }
}

/// Returns a new name for this process.
pub(super) fn name_process() -> Result<String, RedisError> {
    let why = "the system provides no random numbers for the name of this process";
    random::name().ok_or_else(|| RedisError::Unavailable(why.to_owned()))
}

/// Returns whether the server may become available soon.
fn is_passing(error: &redis::RedisError) -> bool {
    error.is_connection_dropped()
        || error.is_connection_refusal()
        || (error.is_io_error() && !error.is_timeout())
        || error.kind() == ErrorKind::Server(ServerErrorKind::BusyLoading)
        // A script that knows the run of the server is loaded again.
        || error.kind() == ErrorKind::Server(ServerErrorKind::NoScript)
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address may contain a password.
        f.write_str("Connection")
    }
}

/// Creates a script with the common prelude, and others before it.
macro_rules! script {
    ($($name:literal),+) => {
        std::sync::LazyLock::new(|| redis::Script::new(super::connection::text!($($name),+)))
    };
}

/// The text of such a script.
macro_rules! text {
    ($($name:literal),+) => {
        concat!(
            include_str!("scripts/keys.lua"),
            $(include_str!(concat!("scripts/", $name, ".lua"))),+
        )
    };
}
pub(super) use {script, text};
