//! The tickets, in a database.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Context as _;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, Row, named_params, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ticket {
    /// Its number.
    pub id: i64,
    /// What it is about.
    pub title: String,
    /// Whether someone still has to work on it.
    pub status: Status,
    /// Who works on it.
    pub assignee: Option<String>,
    /// What has been written about it, the oldest first.
    pub comments: Vec<String>,
}

/// Whether someone still has to work on a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Someone has to work on it.
    Open,
    /// It is done.
    Closed,
}

/// One page of tickets.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Page {
    /// The tickets, by number.
    pub tickets: Vec<Ticket>,
    /// Pass it as `after` for the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
}

/// All tickets. A query takes microseconds, so handlers wait for it; slow ones would belong into `spawn_blocking`.
#[derive(Debug)]
pub struct Store(Mutex<Connection>);

impl Store {
    /// Opens the database, and creates it if it does not exist.
    pub fn open(file: &Path) -> anyhow::Result<Self> {
        let connection =
            Connection::open(file).with_context(|| format!("cannot open `{}`", file.display()))?;
        connection.execute_batch(
            "CREATE TABLE IF NOT EXISTS tickets (
                 id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'open',
                 assignee TEXT, comments TEXT NOT NULL DEFAULT '[]', changed INTEGER NOT NULL DEFAULT (unixepoch()));",
        )?;
        Ok(Self(Mutex::new(connection)))
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a ticket.
    pub fn create(&self, title: &str, comments: &[String]) -> anyhow::Result<Ticket> {
        let sql = "INSERT INTO tickets (title, comments) VALUES (?, ?) RETURNING *";
        Ok(self.connection().query_row(sql, [title, &serde_json::to_string(comments)?], read)?)
    }

    /// The ticket with this number, if there is one.
    pub fn find(&self, id: i64) -> anyhow::Result<Option<Ticket>> {
        Ok(find(&self.connection(), id)?)
    }

    /// The ticket with this number.
    pub fn get(&self, id: i64) -> anyhow::Result<Ticket> {
        self.find(id)?.with_context(|| unknown(id))
    }

    /// Changes a ticket. No other call sees it in between.
    pub fn change(&self, id: i64, change: impl FnOnce(&mut Ticket)) -> anyhow::Result<Ticket> {
        let connection = self.connection();
        let mut ticket = find(&connection, id)?.with_context(|| unknown(id))?;
        change(&mut ticket);
        let Ticket { title, status, assignee, comments, .. } = &ticket;
        let sql = "UPDATE tickets SET title = ?, status = ?, assignee = ?, comments = ?, changed = unixepoch() WHERE id = ?";
        let comments = serde_json::to_string(comments)?;
        connection.execute(sql, params![title, status, assignee, comments, id])?;
        Ok(ticket)
    }

    /// At most `limit` tickets with larger numbers than `after`.
    pub fn list(
        &self,
        status: Option<Status>,
        assignee: Option<&str>,
        after: i64,
        limit: u32,
    ) -> anyhow::Result<Page> {
        let sql = "SELECT * FROM tickets WHERE id > :after AND status = ifnull(:status, status)
                   AND (:assignee IS NULL OR assignee = :assignee) ORDER BY id LIMIT :limit + 1";
        let connection = self.connection();
        let mut query = connection.prepare(sql)?;
        let named =
            named_params! {":after": after, ":status": status, ":assignee": assignee, ":limit": limit};
        let mut tickets = query.query_map(named, read)?.collect::<Result<Vec<_>, _>>()?;
        let has_more = tickets.len() > limit as usize;
        tickets.truncate(limit as usize);
        Ok(Page { next: tickets.last().filter(|_| has_more).map(|ticket| ticket.id), tickets })
    }

    /// Numbers of open tickets that have not changed for so many days.
    pub fn stale(&self, days: u32) -> anyhow::Result<Vec<i64>> {
        let sql =
            "SELECT id FROM tickets WHERE status = 'open' AND changed <= unixepoch() - ? * 86400 ORDER BY id";
        let connection = self.connection();
        let ids = connection.prepare(sql)?.query_map([days], |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok(ids)
    }

    /// Deletes a ticket.
    pub fn delete(&self, id: i64) -> anyhow::Result<()> {
        self.connection().execute("DELETE FROM tickets WHERE id = ?", [id])?;
        Ok(())
    }
}

fn unknown(id: i64) -> String {
    format!("there is no ticket {id}; call list_tickets for those that exist")
}

fn find(connection: &Connection, id: i64) -> rusqlite::Result<Option<Ticket>> {
    connection.query_row("SELECT * FROM tickets WHERE id = ?", [id], read).optional()
}

fn read(row: &Row<'_>) -> rusqlite::Result<Ticket> {
    let comments: String = row.get("comments")?;
    Ok(Ticket {
        id: row.get("id")?,
        title: row.get("title")?,
        status: row.get("status")?,
        assignee: row.get("assignee")?,
        comments: serde_json::from_str(&comments).unwrap_or_default(),
    })
}

impl ToSql for Status {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Open => "open",
            Self::Closed => "closed",
        }
        .into())
    }
}

impl FromSql for Status {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_str()? {
            "open" => Ok(Self::Open),
            "closed" => Ok(Self::Closed),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}
