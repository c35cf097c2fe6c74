//! Checks whether a Redis server is suitable for the gateway.

use redis::aio::ConnectionManager;
use serde::Serialize;

use super::connection::{Connection, RedisError};

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Check {
    /// Its name: `version`, `role`, `cluster`, `persistence`, `eviction`, `access`, `roles`.
    pub name: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// What was found, and what to do about it.
    pub text: String,
}

/// The verdict of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Verdict {
    /// No problem.
    Ok,
    /// It works, with a risk.
    Warning,
    /// It does not work, or calls will be lost.
    Problem,
}

/// Commands that the gateway never uses, with an argument that makes them fail if permitted.
const DANGEROUS: [&str; 3] = ["FLUSHALL", "FLUSHDB", "SHUTDOWN"];

/// The roles of docs/redis/users.acl, each with commands that it needs and that have no effect here, since what they
/// name does not exist. The worker is one of the pool `default`.
const ROLES: [(&str, &[&str]); 4] = [
    (
        "gateway",
        &[
            "HGET mcp:1:{mcp-doctor}:tools none",
            "XREVRANGE mcp:1:{mcp-doctor}:events:null + -",
            "PTTL mcp:1:{mcp-doctor}:events:null",
            "HDEL mcp:1:call:mcp-doctor none",
            "HDEL mcp:1:key:mcp-doctor none",
            "LREM mcp:1:queue:mcp-doctor 1 none",
            "ZCOUNT mcp:1:workers:mcp-doctor 0 0",
            "PUBLISH mcp:1:proc:mcp-doctor none",
        ],
    ),
    (
        "registrar",
        &[
            "HDEL mcp:1:{mcp-doctor}:meta none",
            "HDEL mcp:1:{mcp-doctor}:tools none",
            "HLEN mcp:1:{mcp-doctor}:tools",
            "XADD mcp:1:{mcp-doctor}:events:null NOMKSTREAM * none none",
            "XDEL mcp:1:{mcp-doctor}:events:null 0-1",
            "XRANGE mcp:1:{mcp-doctor}:events:null + -",
            "XREVRANGE mcp:1:{mcp-doctor}:events:null + -",
            "EXISTS mcp:1:revoked:mcp-doctor",
        ],
    ),
    (
        "worker",
        &[
            "HGET mcp:1:{mcp-doctor}:meta none",
            "HDEL mcp:1:call:mcp-doctor none",
            "LPOP mcp:1:given:default 0",
            "ZREM mcp:1:workers:default mcp-doctor",
        ],
    ),
    (
        "server",
        &[
            "HDEL mcp:1:task:mcp-doctor none",
            "EXISTS mcp:1:alive:mcp-doctor",
            "ZREM mcp:1:events:mcp-doctor none",
            "ZREM mcp:1:ledger:mcp-doctor none",
            "HDEL mcp:1:sizes:mcp-doctor none",
            "PUBLISH mcp:1:proc:mcp-doctor none",
        ],
    ),
];

/// Checks whether the server at an address is suitable for the gateway: its version and role, persistence,
/// eviction policy, and the permissions of the user: whether it can harm the server, and which of the roles
/// gateway, registrar and worker (of the pool `default`) it can have. Changes nothing.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// for check in toolwright_gateway::redis::inspect("redis://gateway:PASSWORD@127.0.0.1:6379").await? {
///     println!("{}: {:?}, {}", check.name, check.verdict, check.text);
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`RedisError`] if it cannot be reached, is too old, or has data of another version.
pub async fn inspect(url: &str) -> Result<Vec<Check>, RedisError> {
    let connection = Connection::open(url).await?;
    let mut manager = connection.manager();
    let mut info = String::new();
    for section in ["server", "persistence", "memory", "replication", "cluster"] {
        let some: String = redis::cmd("INFO")
            .arg(section)
            .query_async(&mut manager)
            .await
            .map_err(|error| failed(&error))?;
        info += &some;
    }
    let mut checks = checks_of(&info);
    checks.push(access(&mut manager).await?);
    checks.push(roles(&mut manager).await?);
    Ok(checks)
}

fn failed(error: &redis::RedisError) -> RedisError {
    RedisError::Unavailable(error.to_string())
}

fn checks_of(info: &str) -> Vec<Check> {
    let value = |name: &str| {
        let line = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.map_or("", str::trim)
    };
    let check = |name, is_fine: bool, otherwise, fine: String, wrong: String| {
        let (verdict, text) = if is_fine { (Verdict::Ok, fine) } else { (otherwise, wrong) };
        Check { name, verdict, text }
    };
    let eviction = value("maxmemory_policy");
    vec![
        check("version", true, Verdict::Ok, format!("Redis {}", value("redis_version")), String::new()),
        check(
            "role",
            value("role") == "master",
            Verdict::Problem,
            "it takes writes".to_owned(),
            "it is a replica, which takes no writes: name the address of the primary".to_owned(),
        ),
        check(
            "cluster",
            value("cluster_enabled") != "1",
            Verdict::Problem,
            "it is not divided".to_owned(),
            "it is part of a Redis Cluster, which is not supported: use a server of its own".to_owned(),
        ),
        check(
            "persistence",
            value("aof_enabled") == "1",
            Verdict::Warning,
            "the append-only file is on".to_owned(),
            "the append-only file is off, so that a restart loses runs and calls: set `appendonly yes` and \
             `appendfsync everysec`"
                .to_owned(),
        ),
        check(
            "eviction",
            eviction == "noeviction",
            Verdict::Problem,
            "it drops no keys".to_owned(),
            format!(
                "it drops keys when its memory is full (`{eviction}`): set `maxmemory-policy noeviction`"
            ),
        ),
    ]
}

/// Returns the dangerous commands that the user may run.
async fn access(manager: &mut ConnectionManager) -> Result<Check, RedisError> {
    let mut allowed = Vec::new();
    for command in DANGEROUS {
        if may_run(manager, redis::cmd(command).arg("mcp-doctor")).await? {
            allowed.push(command);
        }
    }
    let (verdict, text) = if allowed.is_empty() {
        (Verdict::Ok, "the user cannot flush or stop the server".to_owned())
    } else {
        let text = format!("the user may run {}: use one of docs/redis/users.acl", allowed.join(", "));
        (Verdict::Warning, text)
    };
    Ok(Check { name: "access", verdict, text })
}

/// Returns the roles that the user can have.
async fn roles(manager: &mut ConnectionManager) -> Result<Check, RedisError> {
    let mut permitted = Vec::new();
    for (role, commands) in ROLES {
        let mut may_run_all = true;
        for command in commands {
            let mut words = command.split(' ');
            let mut command = redis::cmd(words.next().unwrap_or_default());
            words.for_each(|word| _ = command.arg(word));
            may_run_all = may_run_all && may_run(manager, &command).await?;
        }
        if may_run_all {
            permitted.push(role);
        }
    }
    let (verdict, text) = if permitted.is_empty() {
        let text = "the user lacks permissions for all roles: gateway, registrar, worker of the pool `default`, and server";
        (Verdict::Warning, format!("{text}; use one of docs/redis/users.acl, with the pools of your workers"))
    } else {
        (Verdict::Ok, format!("the user can be: {}", permitted.join(", ")))
    };
    Ok(Check { name: "roles", verdict, text })
}

/// Returns whether the user may run a command. Other errors are about what it names, so the command itself is permitted.
async fn may_run(manager: &mut ConnectionManager, command: &redis::Cmd) -> Result<bool, RedisError> {
    match command.query_async::<redis::Value>(manager).await {
        Err(error) if error.code() == Some("NOPERM") => Ok(false),
        Err(error) if error.is_io_error() => Err(failed(&error)),
        _ => Ok(true),
    }
}

#[cfg(test)]
mod tests {
    use super::{Verdict, checks_of};

    #[test]
    fn problems_are_reported() {
        let fine = "redis_version:7.0.15\r\nrole:master\r\ncluster_enabled:0\r\naof_enabled:1\r\nmaxmemory_policy:noeviction\r\n";
        assert!(checks_of(fine).iter().all(|check| check.verdict == Verdict::Ok), "{:?}", checks_of(fine));
        for (was, now, name, verdict) in [
            ("role:master", "role:slave", "role", Verdict::Problem),
            ("cluster_enabled:0", "cluster_enabled:1", "cluster", Verdict::Problem),
            ("aof_enabled:1", "aof_enabled:0", "persistence", Verdict::Warning),
            ("noeviction", "allkeys-lru", "eviction", Verdict::Problem),
        ] {
            let checks = checks_of(&fine.replace(was, now));
            let wrong: Vec<_> = checks.iter().filter(|check| check.verdict != Verdict::Ok).collect();
            assert_eq!((wrong.len(), wrong[0].name, wrong[0].verdict), (1, name, verdict));
        }
    }
}
