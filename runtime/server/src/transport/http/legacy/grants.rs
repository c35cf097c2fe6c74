//! Records the scopes of the tokens with which a session's streams were opened.
//!
//! "Authorization MUST be included in every HTTP request […], even if they are part of the same logical session"
//! (2025-11-25, basic/authorization "Token Requirements"), and a session does not authenticate (the page "Security Best
//! Practices"). A stream therefore carries what the token of its own GET may see, and its events are sent again only to
//! a token with at least the scopes of the one that they were sent to.

use std::collections::BTreeSet;

use crate::auth::Access;

/// The scopes of a session's streams, by stream number.
#[derive(Debug, Default)]
pub(super) struct Grants(Vec<Grant>);

/// The scopes of the streams from a number on, up to the next grant.
#[derive(Debug)]
struct Grant {
    first_stream: u64,
    scopes: BTreeSet<String>,
}

impl Grants {
    /// The maximum number of grants. Beyond it, the two oldest are merged, and require the scopes of both.
    const MOST: usize = 16;

    /// Records the scopes with which the newest stream is opened.
    pub(super) fn open(&mut self, stream: u64, access: &Access) {
        let scopes = scopes_of(access);
        match self.0.last() {
            Some(last) if last.scopes == scopes => return,
            None if scopes.is_empty() => return,
            _ => self.0.push(Grant { first_stream: stream, scopes }),
        }
        if self.0.len() > Self::MOST {
            let second = self.0.remove(1);
            if let Some(first) = self.0.first_mut() {
                first.scopes.extend(second.scopes);
            }
        }
    }

    /// Records the scopes with which a stream is reopened.
    pub(super) fn reopen(&mut self, stream: u64, access: &Access) {
        let position = self.0.partition_point(|grant| grant.first_stream <= stream);
        let scopes = scopes_of(access);
        if let Some(grant) = position.checked_sub(1).and_then(|position| self.0.get_mut(position)) {
            grant.scopes.extend(scopes);
        } else if !scopes.is_empty() {
            self.0.insert(0, Grant { first_stream: 0, scopes });
        }
    }

    /// If a caller lacks a scope that is required to get a stream's events again, returns all required scopes.
    #[cfg(feature = "auth")]
    pub(super) fn lacking(&self, stream: u64, access: &Access) -> Option<Vec<String>> {
        let position = self.0.partition_point(|grant| grant.first_stream <= stream).checked_sub(1)?;
        let scopes: Vec<String> = self.0.get(position)?.scopes.iter().cloned().collect();
        (!access.covers(&scopes)).then_some(scopes)
    }
}

fn scopes_of(access: &Access) -> BTreeSet<String> {
    access.principal().into_iter().flat_map(|principal| principal.scopes()).map(str::to_owned).collect()
}

#[cfg(all(test, feature = "auth"))]
mod tests {
    use std::sync::Arc;

    use super::Grants;
    use crate::auth::{Access, Principal};

    fn token(scopes: &[&str]) -> Access {
        Access::Granted(Arc::new(Principal::new("ada").with_scopes(scopes.iter().copied())))
    }

    #[test]
    fn events_are_not_sent_again_to_a_weaker_token() {
        let (reader, writer, both) = (token(&["read"]), token(&["write"]), token(&["read", "write"]));
        let mut grants = Grants::default();
        for (stream, access) in [(1, &token(&[])), (2, &reader), (3, &reader), (4, &both), (5, &writer)] {
            grants.open(stream, access);
        }
        let may_read = |stream, access| grants.lacking(stream, access).is_none();
        for stream in 1..=5 {
            assert!(may_read(stream, &both), "{stream}");
        }
        let of = |access| (1..=5).filter(|stream| may_read(*stream, access)).collect::<Vec<_>>();
        assert_eq!(of(&reader), [1, 2, 3]);
        assert_eq!(of(&writer), [1, 5]);
        assert_eq!(grants.lacking(4, &reader), Some(vec!["read".to_owned(), "write".to_owned()]));
        grants.reopen(1, &writer);
        assert_eq!(
            grants.lacking(1, &reader),
            Some(vec!["write".to_owned()]),
            "it has since been read with more scopes"
        );
    }

    #[test]
    fn grants_are_limited_and_never_weaken() {
        let tokens: Vec<Access> = (0..100).map(|number: u32| token(&[&number.to_string()])).collect();
        let mut grants = Grants::default();
        for (stream, access) in (1..).zip(&tokens) {
            grants.open(stream, access);
        }
        assert_eq!(grants.0.len(), Grants::MOST);
        for (stream, access) in (1..).zip(&tokens) {
            let is_told_apart = stream > 85;
            assert_eq!(grants.lacking(stream, access).is_none(), is_told_apart, "{stream}");
            let other = token(&["other"]);
            assert!(grants.lacking(stream, &other).is_some(), "{stream}");
        }
    }
}
