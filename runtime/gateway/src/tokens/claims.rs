//! What a session token says.

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
    /// The address of the gateway that the token is for.
    pub aud: String,
    /// The agent: a node of the workflow, or a caller of another kind.
    pub sub: String,
    /// The organization; null is one of its own.
    pub org: Option<String>,
    /// The run; null is the gateway's own configuration.
    #[serde(default)]
    pub run: Option<String>,
    /// The epoch of the run: when the run gets another one, the token is revoked.
    #[serde(default)]
    pub epoch: Option<String>,
    /// The nodes that the token reaches. Absent is all of them, and takes [`Permission::RunAll`].
    #[serde(default, skip_serializing_if = "Selection::is_all")]
    pub nodes: Selection,
    /// The tools of these nodes, if not all.
    #[serde(default, skip_serializing_if = "Selection::is_all")]
    pub tools: Selection,
    /// The permissions, with spaces between.
    pub scope: String,
    /// When the token was made, in seconds since 1970.
    pub iat: u64,
    /// From when on it is good.
    pub nbf: u64,
    /// Until when it is good.
    pub exp: u64,
    /// Its id, by which it can be revoked.
    pub jti: String,
}

/// What the bearer of a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Permission {
    /// `tools:list`.
    List,
    /// `tools:call`.
    Call,
    /// `run:all`: reach every node of the run. Only an operator gives it.
    RunAll,
}

impl Permission {
    /// As it stands in `scope`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::List => "tools:list",
            Self::Call => "tools:call",
            Self::RunAll => "run:all",
        }
    }
}

/// What a token is to say.
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
    /// A token for an agent, which may list and call what it reaches. It reaches nothing until
    /// [`SessionRequest::nodes`] says what, or [`Permission::RunAll`] is given.
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

    /// The run, of this organization and in this epoch.
    pub fn run(mut self, org: Option<&str>, run: impl Into<String>, epoch: impl Into<String>) -> Self {
        (self.org, self.run, self.epoch) = (org.map(str::to_owned), Some(run.into()), Some(epoch.into()));
        self
    }

    /// The nodes that it reaches.
    pub fn nodes(mut self, nodes: Selection) -> Self {
        self.nodes = nodes;
        self
    }

    /// The tools of these nodes that it reaches.
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
    /// Whether the token has a permission.
    pub fn permits(&self, permission: Permission) -> bool {
        self.scope.split(' ').any(|word| word == permission.as_str())
    }

    /// What the bearer reaches.
    pub fn to_scope(&self) -> Scope {
        let nodes = match &self.nodes {
            // Never made so: a list that is missing opens nothing by itself.
            Selection::All if !self.permits(Permission::RunAll) => Selection::Only(BTreeSet::new()),
            nodes => nodes.clone(),
        };
        Scope { org: self.org.clone(), run: self.run.clone(), nodes, tools: self.tools.clone() }
    }

    /// Whether it is time.
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
