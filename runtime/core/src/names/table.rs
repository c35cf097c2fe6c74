//! The table between the names that clients see and the tools behind them.

use std::borrow::Cow;
use std::collections::HashMap;

use super::public::{limit, with_digest};
use super::{ServerNameError, join, public_name};
use crate::schema::Profile;

/// What a client calls and which tool that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicName {
    /// What clients see and call; equal letter by letter, or it is another name.
    pub public: String,
    /// The server's name.
    pub server: String,
    /// The tool's name on its server, byte for byte.
    pub tool: String,
}

/// The names of the tools of many servers, both ways.
///
/// A table rather than a rule for splitting text, so that a call reaches exactly the tool that was listed.
/// The same tools give the same names, in whatever order they come.
#[derive(Debug, Clone, Default)]
pub struct PublicNames {
    entries: Vec<PublicName>,
    by_public: HashMap<String, usize>,
    by_joined: HashMap<String, usize>,
    collisions: Vec<Collision>,
}

/// The tools of one server on their way into the table.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    /// The server's name.
    pub server: &'a str,
    /// The names of its tools.
    pub tools: &'a [&'a str],
    /// Whether `{server}__` prefixes its tools.
    pub prefixed: bool,
}

/// A tool that wanted a name which another tool has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{server}: the tool {tool:?} cannot be {wanted:?}, which is {holder}; {resolution}")]
pub struct Collision {
    /// The tool's server.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// The name that it would have had.
    pub wanted: String,
    /// Whose name that is, as `{server}__{tool}`.
    pub holder: String,
    /// What came of it.
    pub resolution: Resolution,
}

/// What came of a collision.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resolution {
    /// The tool is listed under this name.
    Renamed(String),
    /// The tool is not listed: the name that remained is taken as well, or the server has the same tool twice.
    LeftOut,
}

impl std::fmt::Display for Resolution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Renamed(name) => write!(f, "it is listed as {name:?}"),
            Self::LeftOut => f.write_str("it is left out: rename it on its server"),
        }
    }
}

/// One tool before its name is settled.
struct Wish<'a> {
    server: &'a str,
    tool: &'a str,
    joined: String,
    prefixed: bool,
    wanted: Cow<'a, str>,
}

impl Wish<'_> {
    /// Who keeps a name that several want, first: names with a prefix, names that needed no change, then the
    /// order of the alphabet. Nothing here depends on who came first.
    fn rank(&self) -> (bool, bool, &str, &str) {
        let original = if self.prefixed { &self.joined } else { self.tool };
        (!self.prefixed, self.wanted != original, self.server, self.tool)
    }
}

impl PublicNames {
    /// Gives every tool of these servers its public name.
    ///
    /// With a prefix that is [`join`], without one the tool's own name, each through [`public_name`]. Where several
    /// tools want one name, one keeps it: names with a prefix before those without, then unchanged names before
    /// changed ones, then the order of the alphabet by server and tool. The others get their prefix, or a digest where
    /// they have it already; see [`PublicNames::collisions`].
    ///
    /// # Errors
    /// [`ServerNameError`] for the first server whose name cannot prefix a tool's.
    pub fn new(servers: &[Names<'_>], profile: Profile) -> Result<Self, ServerNameError> {
        let mut wishes = Vec::new();
        for names in servers {
            for tool in names.tools {
                let joined = join(names.server, tool)?;
                let wanted = if names.prefixed {
                    Cow::Owned(public_name(&joined, profile).into_owned())
                } else {
                    public_name(tool, profile)
                };
                wishes.push(Wish { server: names.server, tool, joined, prefixed: names.prefixed, wanted });
            }
        }
        wishes.sort_by(|a, b| a.rank().cmp(&b.rank()));

        let mut table = Self::default();
        let mut losers = Vec::new();
        for wish in wishes {
            let wanted = wish.wanted.clone().into_owned();
            if let Some(holder) = table.holder(&wish.joined, &wanted) {
                losers.push((holder, wish));
            } else {
                table.insert(wanted, wish);
            }
        }
        for (holder, wish) in losers {
            table.settle(holder, wish, profile);
        }
        table.entries.sort_by(|a, b| a.public.cmp(&b.public));
        table.by_public.clear();
        table.by_joined.clear();
        for (index, entry) in table.entries.iter().enumerate() {
            table.by_public.insert(entry.public.clone(), index);
            table.by_joined.insert(join(&entry.server, &entry.tool)?, index);
        }
        Ok(table)
    }

    /// The tool that clients call `public`.
    pub fn find(&self, public: &str) -> Option<&PublicName> {
        self.by_public.get(public).map(|index| &self.entries[*index])
    }

    /// What clients call the tool of this server.
    pub fn public(&self, server: &str, tool: &str) -> Option<&str> {
        let index = self.by_joined.get(&join(server, tool).ok()?)?;
        Some(&self.entries[*index].public)
    }

    /// All names, sorted by public name.
    pub fn entries(&self) -> &[PublicName] {
        &self.entries
    }

    /// The tools that did not get the name they wanted, and what came of it: for the log.
    pub fn collisions(&self) -> &[Collision] {
        &self.collisions
    }

    /// Who has the tool, or the name, already.
    fn holder(&self, joined: &str, wanted: &str) -> Option<String> {
        if self.by_joined.contains_key(joined) {
            return Some(joined.to_owned());
        }
        let entry = self.find(wanted)?;
        Some(format!("{}{}{}", entry.server, super::SEPARATOR, entry.tool))
    }

    fn insert(&mut self, public: String, wish: Wish<'_>) {
        let index = self.entries.len();
        self.by_public.insert(public.clone(), index);
        self.by_joined.insert(wish.joined, index);
        self.entries.push(PublicName { public, server: wish.server.to_owned(), tool: wish.tool.to_owned() });
    }

    /// Gives the tool another name, if there is a free one.
    fn settle(&mut self, holder: String, wish: Wish<'_>, profile: Profile) {
        let other = if wish.prefixed {
            with_digest(&wish.wanted, &wish.joined, limit(profile))
        } else {
            public_name(&wish.joined, profile).into_owned()
        };
        let (server, tool) = (wish.server.to_owned(), wish.tool.to_owned());
        let wanted = wish.wanted.clone().into_owned();
        let resolution = if self.holder(&wish.joined, &other).is_some() {
            Resolution::LeftOut
        } else {
            self.insert(other.clone(), wish);
            Resolution::Renamed(other)
        };
        self.collisions.push(Collision { server, tool, wanted, holder, resolution });
    }
}
