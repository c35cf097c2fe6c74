//! Reports items that no caller of an endpoint can reach.

use super::HttpConfig;
use crate::auth::Access;
use crate::log;
use crate::pagination::{List, Listed};
use crate::service::Service;

/// The maximum number of names to report.
const MOST_NAMES: usize = 10;

/// Logs items that require scopes if no caller of the endpoint can have any; otherwise they would be missing silently.
pub(super) fn report(service: &Service, config: &HttpConfig) {
    if let Some(report) = report_of(service, config) {
        log::warn(format_args!("{report}"));
    }
}

fn report_of(service: &Service, config: &HttpConfig) -> Option<String> {
    let access = config.access();
    #[cfg(feature = "auth")]
    if config.protection().is_some() {
        return None;
    }
    let (table, features) = (service.shared().table(), service.shared().features());
    let mut names = hidden("tool", table.list(), &access);
    if let Some(prompts) = features.prompts() {
        names.extend(hidden("prompt", &prompts.list(), &access));
    }
    if let Some(resources) = features.resources() {
        names.extend(hidden("resource", &resources.fixed.list(), &access));
        names.extend(hidden("resource template", &resources.templates.list(), &access));
    }
    if names.is_empty() {
        return None;
    }
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!(
        "no caller can use the following over this endpoint, since they require scopes and it accepts no tokens: \
         {}{more}. Require tokens with `HttpConfig::protect` or, if only trusted callers can reach it, allow \
         everything with `HttpConfig::trust_callers`.",
        names.join(", ")
    ))
}

/// The entries of a list that `access` does not cover.
fn hidden<T: Listed>(what: &str, list: &List<T>, access: &Access) -> Vec<String> {
    let hidden = list.entries().iter().filter(|entry| !access.covers(entry.scopes()));
    // The names of a provider's tools are foreign data, so they are quoted.
    hidden.map(|entry| format!("{what} {:?}", entry.key())).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Map, json};
    use toolwright_core::definition::{ToolDefinition, meta_keys};
    use toolwright_core::future::BoxFuture;
    use toolwright_core::result::ToolResult;

    use super::{HttpConfig, Service, report_of};
    use crate::auth::Access;
    use crate::context::Context;
    use crate::provider::{Outcome, Provider, ToolRequest};
    use crate::server::Server;

    /// Tools with these names, and whether each requires a scope.
    #[derive(Debug)]
    struct Tools(Vec<(String, bool)>);

    impl Provider for Tools {
        fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
            let definition = |(name, needs): &(String, bool)| {
                let definition =
                    ToolDefinition::new(name.clone(), json!({"type": "object", "properties": {}}));
                if *needs { with_scopes(definition) } else { definition }
            };
            self.0.iter().map(definition).collect()
        }

        fn call_tool<'a>(&'a self, _request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
            Outcome::from_future(async { ToolResult::text("done") })
        }
    }

    fn with_scopes(mut definition: ToolDefinition) -> ToolDefinition {
        definition.meta = Some(Map::from_iter([(meta_keys::SCOPES.to_owned(), json!(["write"]))]));
        definition
    }

    fn service(tools: impl IntoIterator<Item = (String, bool)>) -> Service {
        Server::new(()).provider(Tools(tools.into_iter().collect())).build().expect("a service")
    }

    #[test]
    fn unreachable_tools_are_reported_with_solutions() {
        let service =
            service([("open", false), ("cancel", true), ("ship", true)].map(|(a, b)| (a.to_owned(), b)));
        let report = report_of(&service, &HttpConfig::new()).expect("a report");
        assert!(report.contains(r#"tool "cancel", tool "ship"."#), "{report}");
        assert!(!report.contains("open"), "{report}");
        for way in ["HttpConfig::protect", "HttpConfig::trust_callers"] {
            assert!(report.contains(way), "{report}");
        }
        assert_eq!(report_of(&service, &HttpConfig::new().trust_callers()), None);
    }

    #[test]
    fn without_hidden_items_nothing_is_reported() {
        assert_eq!(report_of(&service([("open".to_owned(), false)]), &HttpConfig::new()), None);
    }

    #[test]
    fn a_report_is_one_line_for_any_number_of_tools() {
        let report = report_of(
            &service((0..1_000).map(|number| (format!("tool_{number:04}"), true))),
            &HttpConfig::new(),
        );
        let report = report.expect("a report");
        assert!(report.contains("tool_0009") && !report.contains("tool_0010"), "{report}");
        assert!(report.contains("and 990 more") && !report.contains('\n'), "{report}");
    }

    #[cfg(feature = "auth")]
    #[test]
    fn nothing_is_reported_for_a_protected_endpoint() {
        use crate::auth::{ApiKeys, Protection};
        let service = service([("cancel".to_owned(), true)]);
        let protection = Protection::new("https://shop.example/mcp", ApiKeys::new()).expect("an identifier");
        assert_eq!(report_of(&service, &HttpConfig::new().protect(protection)), None);
    }
}
