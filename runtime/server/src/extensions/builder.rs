//! Extensions of a server under construction.

use serde_json::Value;

use super::Extensions;
use crate::error::BuildError;
use crate::features::FeatureParts;
use crate::limits::Limits;
use crate::server::Server;
#[cfg(feature = "skills")]
use crate::skills::Skills;

/// Which extensions a server is to speak.
#[derive(Debug, Default)]
pub(crate) struct ExtensionParts {
    declared: Vec<(String, Value)>,
    #[cfg(feature = "skills")]
    skills: Option<Skills>,
}

impl ExtensionParts {
    /// Checks everything. What extensions serve as resources is added to `features`.
    #[cfg_attr(
        not(feature = "skills"),
        expect(unused_variables, reason = "only skills have resources and limits")
    )]
    pub(crate) fn build(
        self,
        features: &mut FeatureParts,
        limits: &Limits,
        list_ttl: std::time::Duration,
    ) -> Result<Extensions, BuildError> {
        let mut extensions = Extensions::default();
        for (identifier, settings) in self.declared {
            let refuse = |reason: &str| BuildError::Feature {
                what: "extension",
                name: identifier.clone(),
                reason: reason.to_owned(),
            };
            check_identifier(&identifier).map_err(refuse)?;
            if !settings.is_object() {
                return Err(refuse("its settings must be an object, `{}` if there are none"));
            }
            if extensions.declared.insert(identifier.clone(), settings).is_some() {
                return Err(refuse("it was declared twice"));
            }
        }
        #[cfg(feature = "skills")]
        if let Some(skills) = self.skills {
            let (catalog, resources) = skills.build(limits.max_skill_bytes, list_ttl)?;
            features.add_resources(resources);
            extensions.skills = Some(std::sync::RwLock::new(std::sync::Arc::new(catalog)));
        }
        Ok(extensions)
    }
}

/// Extensions (2026-07-28, extensions/overview).
impl<S: Send + Sync + 'static> Server<S> {
    /// Says to clients that the server speaks an extension of the protocol, such as `io.modelcontextprotocol/ui`, with the
    /// settings that the extension defines: `json!({})` if there are none. What the client declares of it is found by
    /// [`Context::client_extension`](crate::Context::client_extension).
    ///
    /// Skills and tasks need no such word: a server declares them when it has some.
    pub fn extension(mut self, identifier: impl Into<String>, settings: Value) -> Self {
        self.extensions.declared.push((identifier.into(), settings));
        self
    }

    /// Offers skills: as resources, and by the methods of the extension `io.modelcontextprotocol/skills`. What they are
    /// is read and checked by [`Server::build`]. Skills of several calls are offered together.
    #[cfg(feature = "skills")]
    pub fn skills(mut self, skills: Skills) -> Self {
        self.extensions.skills.get_or_insert_default().extend(skills);
        self
    }
}

/// The rules of keys of `_meta`, with a prefix that must be there (2026-07-28, basic "_meta", extensions/overview).
fn check_identifier(identifier: &str) -> Result<(), &'static str> {
    const OWN: [&str; 2] = ["io.modelcontextprotocol/skills", "io.modelcontextprotocol/tasks"];
    if OWN.contains(&identifier) {
        return Err("the server declares it by itself, when it has what the extension is about");
    }
    let is_label = |label: &str| {
        label.starts_with(|first: char| first.is_ascii_alphabetic())
            && label.ends_with(|last: char| last.is_ascii_alphanumeric())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let is_name = |name: &str| {
        let ends = |end: char| end.is_ascii_alphanumeric();
        name.starts_with(ends)
            && name.ends_with(ends)
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    match identifier.split_once('/') {
        Some((prefix, name)) if prefix.split('.').all(is_label) && is_name(name) => Ok(()),
        _ => {
            Err("an identifier is a domain turned around, `/` and a name, such as `com.example/my-extension`")
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Extensions, check_identifier};

    #[test]
    fn identifiers_have_a_domain_and_a_name() {
        for identifier in ["com.example/my-extension", "io.modelcontextprotocol/ui", "a/b", "x-1.y/a_b.c"] {
            assert!(check_identifier(identifier).is_ok(), "{identifier}");
        }
        for identifier in [
            "",
            "ui",
            "/ui",
            "com.example/",
            "1a.b/c",
            "a-/c",
            "a..b/c",
            "a/b/c",
            "a/-b",
            "a b/c",
            "io.modelcontextprotocol/tasks",
        ] {
            assert!(check_identifier(identifier).is_err(), "{identifier}");
        }
    }

    #[test]
    fn a_server_without_extensions_has_no_word_for_them() {
        let mut extensions = Extensions::default();
        assert_eq!(extensions.capabilities(), None);
        extensions.declared.insert("a/b".to_owned(), json!({"c": 1}));
        assert_eq!(extensions.capabilities(), Some(json!({"a/b": {"c": 1}})));
    }
}
