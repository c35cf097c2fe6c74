//! The claims of session tokens.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use toolwright_server::auth::Rejected;

use super::{KeyError, MintError, SessionTokens};
use crate::random;
use crate::scope::{Scope, Selection};

/// The claims of a session token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Claims {
    /// The issuer.
    pub iss: String,
    /// The URL of the gateway that the token is for.
    pub aud: String,
    /// The agent: a node of the workflow, or another caller.
    pub sub: String,
    /// The organization; `null` is distinct from all named ones.
    pub org: Option<String>,
    /// The run; `null` is the gateway's own configuration.
    #[serde(default)]
    pub run: Option<String>,
    /// The epoch of the run: when the run's epoch changes, the token is revoked.
    #[serde(default)]
    pub epoch: Option<String>,
    /// The nodes that the token grants. If absent, it grants all, which requires [`Permission::RunAll`].
    #[serde(default, skip_serializing_if = "Selection::is_all")]
    pub nodes: Selection,
    /// The granted tools of these nodes; if absent, all.
    #[serde(default, skip_serializing_if = "Selection::is_all")]
    pub tools: Selection,
    /// The permissions, separated by spaces.
    pub scope: String,
    /// When the token was issued, in seconds since 1970.
    pub iat: u64,
    /// The start of its validity.
    pub nbf: u64,
    /// The end of its validity.
    pub exp: u64,
    /// Its id, by which it can be revoked.
    pub jti: String,
}

/// The permissions of a token's bearer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Permission {
    /// `tools:list`.
    List,
    /// `tools:call`.
    Call,
    /// `run:all`: access to every node of the run, for operators.
    RunAll,
}

impl Permission {
    /// Returns the name in `scope`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::List => "tools:list",
            Self::Call => "tools:call",
            Self::RunAll => "run:all",
        }
    }
}

/// The claims to issue a token with.
#[derive(Debug, Clone)]
pub struct SessionRequest {
    subject: String,
    org: Option<String>,
    run: Option<String>,
    epoch: Option<String>,
    nodes: Selection,
    tools: Selection,
    permissions: BTreeSet<Permission>,
}

impl SessionRequest {
    /// Requests a token for an agent, which may list and call what the token grants: nothing, unless
    /// [`SessionRequest::nodes`] or [`Permission::RunAll`] is added.
    pub fn new(subject: impl Into<String>) -> Self {
        Self {
            subject: subject.into(),
            org: None,
            run: None,
            epoch: None,
            nodes: Selection::All,
            tools: Selection::All,
            permissions: [Permission::List, Permission::Call].into(),
        }
    }

    /// Sets the run with its organization and epoch.
    pub fn run(mut self, org: Option<&str>, run: impl Into<String>, epoch: impl Into<String>) -> Self {
        (self.org, self.run, self.epoch) = (org.map(str::to_owned), Some(run.into()), Some(epoch.into()));
        self
    }

    /// Sets the granted nodes.
    pub fn nodes(mut self, nodes: Selection) -> Self {
        self.nodes = nodes;
        self
    }

    /// Sets the granted tools of these nodes.
    pub fn tools(mut self, tools: Selection) -> Self {
        self.tools = tools;
        self
    }

    /// Adds a permission.
    pub fn permit(mut self, permission: Permission) -> Self {
        self.permissions.insert(permission);
        self
    }

    pub(super) fn claims(
        &self,
        issuer: &str,
        audience: &str,
        now: Duration,
        lifetime: Duration,
    ) -> Result<Claims, MintError> {
        if self.nodes.is_all() && !self.permissions.contains(&Permission::RunAll) {
            return Err(MintError::AllNodes);
        }
        let bytes = |selection: &Selection| match selection {
            Selection::All => 0,
            Selection::Only(names) => names.iter().map(|name| name.len() + 3).sum(),
        };
        let length = bytes(&self.nodes) + bytes(&self.tools);
        if length > SessionTokens::MAX_LIST_BYTES {
            return Err(MintError::TooLong(length));
        }
        let scope: Vec<_> = self.permissions.iter().map(|permission| permission.as_str()).collect();
        let now = now.as_secs();
        Ok(Claims {
            iss: issuer.to_owned(),
            aud: audience.to_owned(),
            sub: self.subject.clone(),
            org: self.org.clone(),
            run: self.run.clone(),
            epoch: self.epoch.clone(),
            nodes: self.nodes.clone(),
            tools: self.tools.clone(),
            scope: scope.join(" "),
            iat: now,
            nbf: now,
            exp: now.saturating_add(lifetime.as_secs()),
            jti: random::name().ok_or(KeyError::NoRandomness)?,
        })
    }
}

impl Claims {
    /// Returns whether the token has a permission.
    pub fn permits(&self, permission: Permission) -> bool {
        self.scope.split(' ').any(|word| word == permission.as_str())
    }

    /// Returns the scope of the bearer.
    pub fn to_scope(&self) -> Scope {
        let nodes = match &self.nodes {
            // Never issued like this: a missing list grants nothing by itself.
            Selection::All if !self.permits(Permission::RunAll) => Selection::Only(BTreeSet::new()),
            nodes => nodes.clone(),
        };
        let (org, run, tools) = (self.org.clone(), self.run.clone(), self.tools.clone());
        Scope { org, run, nodes, tools, further: Vec::new() }
    }

    /// Returns whether the token is valid at this time.
    pub(crate) fn check_times(&self, now: Duration) -> Result<(), Rejected> {
        let (now, skew) = (now.as_secs(), SessionTokens::CLOCK_SKEW.as_secs());
        if now >= self.exp.saturating_add(skew) {
            return Err(Rejected::invalid(
                "the token has expired; get another one from the session endpoint",
            ));
        }
        if now.saturating_add(skew) < self.nbf.max(self.iat) {
            return Err(Rejected::invalid("the token is not valid yet"));
        }
        Ok(())
    }
}
