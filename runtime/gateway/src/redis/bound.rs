//! Scripts that know the run of the server: whether it was restarted since a call was submitted.
//!
//! A server forgets its scripts when it is restarted. Each of these has the id of the run of the server in its text, and is loaded
//! over the connection that has read the id: so while a server has it, the id is right. To ask within a script takes longer than
//! the rest of a small one.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::{ErrorKind, FromRedisValue, RedisResult, ServerErrorKind};

use super::connection::Connection;

/// A script of which `SERVER` is the id of the run of the server, which changes with each restart.
#[derive(Clone)]
pub(super) struct Bound {
    connection: Connection,
    text: &'static str,
    /// The digest of its text with the id, if it was loaded.
    loaded: Arc<Mutex<Option<String>>>,
}

impl Bound {
    pub(super) fn new(connection: Connection, text: &'static str) -> Self {
        Self { connection, text, loaded: Arc::default() }
    }

    /// Returns the name by which the server knows the script, and loads it if this process has not done so.
    pub(super) async fn name(&self) -> RedisResult<String> {
        let loaded = self.loaded().clone();
        if let Some(name) = loaded {
            return Ok(name);
        }
        let mut connection = self.connection.open_another(Duration::ZERO).await?;
        let info: String = redis::cmd("INFO").arg("server").query_async(&mut connection).await?;
        let run = info.lines().find_map(|line| line.strip_prefix("run_id:")).unwrap_or_default().trim();
        // It is hexadecimal.
        let run: String = run.chars().filter(char::is_ascii_alphanumeric).collect();
        let text = format!("local SERVER = '{run}'\n{}", self.text);
        let name: String = redis::cmd("SCRIPT").arg("LOAD").arg(text).query_async(&mut connection).await?;
        *self.loaded() = Some(name.clone());
        Ok(name)
    }

    /// Runs the script. The server may have been restarted, and then this is an error once.
    pub(super) async fn run<T: FromRedisValue>(&self, args: &[&str]) -> RedisResult<T> {
        let name = self.name().await?;
        let mut manager = self.connection.manager();
        let ran = redis::cmd("EVALSHA").arg(name).arg(0).arg(args).query_async(&mut manager).await;
        if ran.as_ref().is_err_and(|error| error.kind() == ErrorKind::Server(ServerErrorKind::NoScript)) {
            self.loaded().take();
        }
        ran
    }

    fn loaded(&self) -> MutexGuard<'_, Option<String>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bound").field("loaded", &self.loaded).finish_non_exhaustive()
    }
}
