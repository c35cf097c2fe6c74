//! The mapping between public names and tools.

use std::borrow::Cow;
use std::collections::HashMap;

use super::public::{limit, with_digest};
use super::{ServerNameError, join, public_name};
use crate::schema::Profile;

/// A public name and its tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicName {
    /// The name that clients see and call; compared exactly.
    pub public: String,
    /// The server's name.
    pub server: String,
    /// The name of the tool on its server, byte for byte.
    pub tool: String,
}

/// The public names of the tools of several servers, in both directions.
///
/// A table instead of a rule for splitting names, so that a call reaches exactly the tool that was listed. The
/// result does not depend on the order of the tools.
#[derive(Debug, Clone, Default)]
pub struct PublicNames {
    entries: Vec<PublicName>,
    by_public: HashMap<String, usize>,
    by_joined: HashMap<String, usize>,
    collisions: Vec<Collision>,
}

/// The tools of one server.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    /// The name of the server.
    pub server: &'a str,
    /// The names of the tools.
    pub tools: &'a [&'a str],
    /// Whether the names are prefixed with `{server}__`.
    pub prefixed: bool,
}

/// A tool whose preferred name is taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{server}: the tool {tool:?} cannot be {wanted:?}, which is {holder}; {resolution}")]
pub struct Collision {
    /// The tool's server.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// The preferred name.
    pub wanted: String,
    /// The tool with that name, as `{server}__{tool}`.
    pub holder: String,
    /// How the collision was resolved.
    pub resolution: Resolution,
}

/// How a collision was resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resolution {
    /// The tool is listed under another name.
    Renamed(String),
    /// The tool is not listed: the other name is taken as well, or the server has the same tool twice.
    Omitted,
}

impl std::fmt::Display for Resolution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Renamed(name) => write!(f, "it is listed as {name:?}"),
            Self::Omitted => f.write_str("it is not listed; rename it on its server"),
        }
    }
}

/// A tool whose public name is not determined yet.
struct Wish<'a> {
    server: &'a str,
    tool: &'a str,
    joined: String,
    prefixed: bool,
    wanted: Cow<'a, str>,
}

impl Wish<'_> {
    /// The precedence among tools that prefer the same name: prefixed names, then unchanged names, then
    /// alphabetical order. It does not depend on insertion order.
    fn rank(&self) -> (bool, bool, &str, &str) {
        let original = if self.prefixed { &self.joined } else { self.tool };
        (!self.prefixed, self.wanted != original, self.server, self.tool)
    }
}

impl PublicNames {
    /// Assigns a public name to every tool of these servers.
    ///
    /// The name is [`join`] with a prefix, or the tool's own name without one, converted by [`public_name`]. If
    /// several tools prefer the same name, one of them gets it: prefixed names before others, then unchanged
    /// names before changed ones, then alphabetically by server and tool. The others get their prefix, or a
    /// digest if they have one already; see [`PublicNames::collisions`].
    ///
    /// # Errors
    /// [`ServerNameError`] for the first server name that cannot be a prefix.
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

    /// Assigns public names to the entries of several servers' lists: tools, or prompts, whose names follow the same rules.
    /// Every name is prefixed with its server and converted for [`Profile::Portable`], as by [`PublicNames::new`].
    /// `lists` has each server's name with its list, and `name` returns the name of an entry.
    ///
    /// ```
    /// use toolwright_core::names::PublicNames;
    ///
    /// let lists: [(&str, &[&str]); 2] = [("files", &["read"]), ("web", &["read", "search"])];
    /// let names = PublicNames::from_lists(lists, |name| name)?;
    /// assert_eq!(names.public("web", "read"), Some("web__read"));
    /// # Ok::<(), toolwright_core::names::ServerNameError>(())
    /// ```
    ///
    /// # Errors
    /// [`ServerNameError`] for the first server name that cannot be a prefix.
    pub fn from_lists<'a, T: 'a>(
        lists: impl IntoIterator<Item = (&'a str, &'a [T])>,
        name: impl Fn(&'a T) -> &'a str,
    ) -> Result<Self, ServerNameError> {
        let names: Vec<(&str, Vec<&str>)> =
            lists.into_iter().map(|(server, list)| (server, list.iter().map(&name).collect())).collect();
        let names: Vec<_> =
            names.iter().map(|(server, tools)| Names { server, tools, prefixed: true }).collect();
        Self::new(&names, Profile::Portable)
    }

    /// Finds the tool that clients call `public`.
    pub fn find(&self, public: &str) -> Option<&PublicName> {
        self.by_public.get(public).map(|index| &self.entries[*index])
    }

    /// Assigns public names to the entries of the only server: their own names, without a prefix. A name that the
    /// protocol does not allow is converted for [`Profile::Faithful`], as by [`PublicNames::new`].
    ///
    /// ```
    /// use toolwright_core::names::PublicNames;
    ///
    /// let names = PublicNames::from_list("files", &["read"], |name| name)?;
    /// assert_eq!(names.public("files", "read"), Some("read"));
    /// # Ok::<(), toolwright_core::names::ServerNameError>(())
    /// ```
    ///
    /// # Errors
    /// [`ServerNameError`] if the name of the server cannot be a prefix.
    pub fn from_list<'a, T: 'a>(
        server: &'a str,
        list: &'a [T],
        name: impl Fn(&'a T) -> &'a str,
    ) -> Result<Self, ServerNameError> {
        let tools: Vec<_> = list.iter().map(name).collect();
        Self::new(&[Names { server, tools: &tools, prefixed: false }], Profile::Faithful)
    }

    /// Returns the public name of a tool.
    pub fn public(&self, server: &str, tool: &str) -> Option<&str> {
        let index = self.by_joined.get(&join(server, tool).ok()?)?;
        Some(&self.entries[*index].public)
    }

    /// Returns all names, sorted by public name.
    pub fn entries(&self) -> &[PublicName] {
        &self.entries
    }

    /// Returns the tools that did not get their preferred name, for logging.
    pub fn collisions(&self) -> &[Collision] {
        &self.collisions
    }

    /// Returns the tool that has the name, if any.
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

    /// Assigns another free name, if there is one.
    fn settle(&mut self, holder: String, wish: Wish<'_>, profile: Profile) {
        let other = if wish.prefixed {
            with_digest(&wish.wanted, &wish.joined, limit(profile))
        } else {
            public_name(&wish.joined, profile).into_owned()
        };
        let (server, tool) = (wish.server.to_owned(), wish.tool.to_owned());
        let wanted = wish.wanted.clone().into_owned();
        let resolution = if self.holder(&wish.joined, &other).is_some() {
            Resolution::Omitted
        } else {
            self.insert(other.clone(), wish);
            Resolution::Renamed(other)
        };
        self.collisions.push(Collision { server, tool, wanted, holder, resolution });
    }
}
