//! Extensions of a server under construction.

use serde_json::Value;

use super::{Extensions, SKILLS, TASKS};
use crate::error::BuildError;
use crate::features::FeatureParts;
use crate::limits::Limits;
#[cfg(feature = "skills")]
use crate::skills::Skills;
#[cfg(feature = "tasks")]
use crate::tasks::Tasks;

/// The extensions that a server will support.
#[derive(Debug, Default)]
pub(crate) struct ExtensionParts {
    pub(crate) declared: Vec<(String, Value)>,
    #[cfg(feature = "skills")]
    pub(crate) skills: Option<Skills>,
    #[cfg(feature = "tasks")]
    pub(crate) tasks: Option<Tasks>,
}

impl ExtensionParts {
    /// Validates everything. Resources of extensions are added to `features`; `has_tasks` is set if a tool can become a
    /// task.
    #[cfg_attr(
        not(all(feature = "skills", feature = "tasks")),
        expect(unused_variables, reason = "each concerns one extension")
    )]
    pub(crate) fn build(
        self,
        features: &mut FeatureParts,
        limits: &Limits,
        list_ttl: std::time::Duration,
        has_tasks: bool,
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
                return Err(refuse("it is declared twice"));
            }
        }
        #[cfg(feature = "skills")]
        if let Some(skills) = self.skills {
            let (catalog, resources) = skills.build(limits.max_skill_bytes, list_ttl)?;
            features.add_resources(resources);
            extensions.skills = Some(std::sync::RwLock::new(std::sync::Arc::new(catalog)));
        }
        #[cfg(feature = "tasks")]
        if has_tasks || self.tasks.is_some() {
            let tasks = self.tasks.unwrap_or_default().build().map_err(|problem| BuildError::Feature {
                what: "extension",
                name: TASKS.to_owned(),
                reason: problem.to_owned(),
            })?;
            extensions.tasks = Some(tasks);
        }
        Ok(extensions)
    }
}

/// Rules for keys of `_meta`, with a mandatory prefix (2026-07-28, basic "_meta", extensions/overview).
fn check_identifier(identifier: &str) -> Result<(), &'static str> {
    if [SKILLS, TASKS].contains(&identifier) {
        return Err("the server declares it automatically if it supports the extension");
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
        _ => Err(
            "an identifier consists of a reversed domain, `/` and a name, such as `com.example/my-extension`",
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolwright_core::revision::Revision;

    use super::{Extensions, check_identifier};
    use crate::extensions::Elsewhere;

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
    fn a_server_without_extensions_omits_the_capability() {
        let mut extensions = Extensions::default();
        assert_eq!(extensions.capabilities(Revision::NEWEST, Elsewhere::default()), None);
        extensions.declared.insert("a/b".to_owned(), json!({"c": 1}));
        assert_eq!(
            extensions.capabilities(Revision::NEWEST, Elsewhere::default()),
            Some(json!({"a/b": {"c": 1}}))
        );
    }
}
