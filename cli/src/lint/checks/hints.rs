//! Annotations about the behavior of a tool.

use toolwright_core::definition::ToolAnnotations;
use toolwright_core::pointer::below;

use super::super::rule::{self, LintRule};
use super::super::subject::{Problems, Subject, Tool};
use super::super::words;

pub(super) fn contradictory_hints(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        let hints = tool.definition.annotations.as_ref();
        if let Some(ToolAnnotations { read_only_hint: Some(true), destructive_hint: Some(true), .. }) = hints
        {
            let message = "the hints say that the tool is read-only and destructive";
            problems.at(tool, "/annotations/destructiveHint", message);
        }
    }
}

pub(super) fn missing_hints(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        let hints = tool.definition.annotations.clone().unwrap_or_default();
        if hints.read_only_hint != Some(true) && hints.destructive_hint.is_none() {
            let message = format!("`{}` does not say whether it is destructive", tool.name());
            problems.at(tool, "/annotations", message);
        }
    }
}

pub(super) fn destructive_name(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for (tool, hints) in tools_that_sound(Action::Destroy, subject) {
        if hints.read_only_hint == Some(true) {
            let message = format!(
                "the name `{}` suggests destruction, but the tool is hinted as read-only",
                tool.name()
            );
            problems.at(tool, "/annotations/readOnlyHint", message);
        } else if hints.destructive_hint == Some(false) {
            let message = format!(
                "the name `{}` suggests destruction, but the tool is hinted as not destructive",
                tool.name()
            );
            problems.at(tool, "/annotations/destructiveHint", message);
        }
    }
}

pub(super) fn writing_name(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for (tool, hints) in tools_that_sound(Action::Write, subject) {
        if hints.read_only_hint == Some(true) {
            let message =
                format!("the name `{}` suggests writing, but the tool is hinted as read-only", tool.name());
            problems.at(tool, "/annotations/readOnlyHint", message);
        }
    }
}

pub(super) fn reading_name(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for (tool, hints) in tools_that_sound(Action::Read, subject) {
        if hints.read_only_hint.is_none() && hints.destructive_hint != Some(true) {
            let message =
                format!("the name `{}` suggests reading, but `readOnlyHint` is missing", tool.name());
            problems.at(tool, "/annotations", message);
        }
    }
}

pub(super) fn reading_name_writes(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for (tool, hints) in tools_that_sound(Action::Read, subject) {
        // A tool that queries, checks or fetches may do more.
        let is_clear = action_of(tool.name()).is_some_and(|(_, verb)| rule.lists(verb));
        let hint = match (hints.read_only_hint, hints.destructive_hint) {
            (Some(false), _) => "readOnlyHint",
            // With a read-only hint, the rule about contradictory hints reports it.
            (None, Some(true)) => "destructiveHint",
            _ => continue,
        };
        if is_clear {
            let what =
                if hints.destructive_hint == Some(true) { "is destructive" } else { "is not read-only" };
            let message =
                format!("the name `{}` suggests reading, but the tool {what} by its hints", tool.name());
            problems.at(tool, below("/annotations", hint), message);
        }
    }
}

fn tools_that_sound<'s, 'a>(
    sought: Action,
    subject: &'s Subject<'a>,
) -> impl Iterator<Item = (&'s Tool<'a>, ToolAnnotations)> {
    let sounds = move |name| action_of(name).is_some_and(|(action, _)| action == sought);
    let tools = subject.tools.iter().filter(move |tool| sounds(tool.name()));
    tools.map(|tool| (tool, tool.definition.annotations.clone().unwrap_or_default()))
}

/// The action of a tool, judging by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Action {
    Read,
    Write,
    Destroy,
}

/// The rules with the verbs of each action.
const VERBS: [(Action, &str); 3] =
    [(Action::Read, "reading-name"), (Action::Write, "writing-name"), (Action::Destroy, "destructive-name")];

/// Verbs that are in no rule, and make a following verb an object: `create_list`, `request_reset_link`.
const OTHER_VERBS: [&str; 44] = [
    "add",
    "answer",
    "ask",
    "book",
    "build",
    "buy",
    "change",
    "copy",
    "create",
    "download",
    "draw",
    "encode",
    "export",
    "extract",
    "format",
    "generate",
    "handle",
    "import",
    "log",
    "make",
    "mark",
    "move",
    "notify",
    "open",
    "parse",
    "plan",
    "post",
    "prevent",
    "print",
    "process",
    "pull",
    "push",
    "put",
    "record",
    "render",
    "replace",
    "request",
    "set",
    "sort",
    "sync",
    "test",
    "track",
    "translate",
    "write",
];

/// Words that are followed by a second verb: `get_or_create`.
const CONJUNCTIONS: [&str; 3] = ["and", "or", "then"];

/// Last words of names that are about an action without performing it: `password_reset_status`.
const REPORTS: [&str; 16] = [
    "status", "state", "history", "log", "logs", "policy", "policies", "count", "info", "details", "list",
    "reason", "reasons", "rate", "events", "report",
];

/// Returns the most severe action of the verbs in a name, and its first verb; `None` if unknown.
fn action_of(name: &str) -> Option<(Action, &'static str)> {
    let words = words::words(name);
    // A namespace may precede the verb: `github_delete_repo`, `orders.purge`.
    let is_verb = |at: &usize| OTHER_VERBS.contains(&words[*at].as_str()) || verb(&words[*at..]).is_some();
    let at = (0..words.len()).find(is_verb)?;
    let first = verb(&words[at..])?;
    let is_report = at > 0
        && at + first.words < words.len()
        && words.last().is_some_and(|last| REPORTS.contains(&last.as_str()));
    if is_report || (first.action == Action::Read && at != words.len() - count_words_after_namespace(name)) {
        return None;
    }
    let mut action = first.action;
    for at in at + first.words..words.len() {
        if !CONJUNCTIONS.contains(&words[at - 1].as_str()) {
            continue;
        }
        match verb(&words[at..]) {
            Some(second) => action = action.max(second.action),
            None if OTHER_VERBS.contains(&words[at].as_str()) && action == Action::Read => return None,
            None => {}
        }
    }
    Some((action, first.name))
}

/// Returns the number of words without the namespace: one in `orders.list` and `shop__list`.
fn count_words_after_namespace(name: &str) -> usize {
    let start = name.rfind(['.', '/', ':']).map(|at| at + 1).max(name.rfind("__").map(|at| at + 2));
    words::words(&name[start.unwrap_or(0)..]).len()
}

struct Verb {
    action: Action,
    name: &'static str,
    /// Its number of words in the name.
    words: usize,
}

/// Returns the longest verb of a rule that these words begin with.
fn verb(words: &[String]) -> Option<Verb> {
    let verbs = VERBS.into_iter().flat_map(|(action, id)| {
        let listed = rule::find(id).into_iter().flat_map(|rule| &rule.words);
        listed.filter_map(move |verb| {
            let count = words::starts_with(words, verb).or_else(|| third_person(words, verb))?;
            Some(Verb { action, name: verb, words: count })
        })
    });
    verbs.max_by_key(|found| found.words)
}

/// Compares a single word with a verb, as in `deletes_order`.
fn third_person(words: &[String], verb: &str) -> Option<usize> {
    (words.first()?.strip_suffix('s')? == verb).then_some(1)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::super::sample;
    use super::*;

    #[test]
    fn verbs_are_found_in_any_naming_style() {
        let reads = "get_order getOrder GetOrder GET_ORDER list-orders orders.list shop__list_items shop/getOrder lookup_user \
                     lookUpUser checkStock dry_run_delete preview_purge can_delete_order get_reset_token list_deleted \
                     check_drop_rate isActive gets_order find_undeleted list_delete_markers validate_update estimate_removal_cost find_by_name_and_zip";
        let writes = "update_order updateOrder send_email sendEmail get_or_update_user refundPayment cancel_order undo_delete \
                      undelete_file restoreDeleted github_update_issue check_out_book checkOut saveDraft renamesFile \
                      fetch_and_save";
        let destroys = "delete_order deleteOrder DeleteOrder DELETE_ORDER delete-order orders.delete order_delete \
                        github_delete_repo bulk_delete s3DeleteObject reset_database resetDatabase factory_reset \
                        wipe_disk purgeQueue drop_table dropTable db_drop_table truncate_logs revoke_token destroy_vm \
                        overwrite_file erase_all remove_item kill_process terminateInstance uninstall_app rollback \
                        roll_back_release rollBackRelease tearDownStack shut_down_server shutdownServer clear_cache \
                        clearHistory purge_logs wipe_history get_and_delete_message read_then_purge deletes_order \
                        force_push expunge_mailbox unlinkFile rm format_disk del_key prune_images flushAll evict_pods run_purge perform_reset force_delete";
        let neither = "shop_search_products create_list add_count set_status request_reset get_or_create_user \
                       create_reset_token wish_list order password_reset_status token_reset_policy add hello reformat_text format_text \
                       dropdown_options undeletable backdrop resettlement handle_delete generate_report translate shopping_list_reset_rate";
        let cases =
            [(reads, Some(Action::Read)), (writes, Some(Action::Write)), (destroys, Some(Action::Destroy))];
        for (names, action) in cases {
            let wrong: Vec<_> = names
                .split_whitespace()
                .filter(|name| action_of(name).map(|(action, _)| action) != action)
                .collect();
            assert!(wrong.is_empty(), "not {action:?}: {wrong:?}");
        }
        let wrong: Vec<_> =
            neither.split_whitespace().filter_map(|name| Some((name, action_of(name)?))).collect();
        assert_eq!(wrong, []);
    }

    /// Returns the rules about names and hints that a tool violates.
    fn broken(name: &str, hints: &Value) -> Vec<&'static str> {
        let tool = json!({"name": name, "annotations": hints});
        let manifest = sample::manifest(&tool.to_string()).unwrap();
        let subject = Subject::new(&manifest);
        let ids = ["destructive-name", "reading-name", "reading-name-writes", "writing-name"];
        let is_broken = |id: &&str| {
            let (rule, mut problems) = (rule::find(id).unwrap(), Problems::default());
            (rule.check)(rule, &subject, &mut problems);
            !problems.0.is_empty()
        };
        ids.into_iter().filter(is_broken).collect()
    }

    #[test]
    fn names_are_compared_with_every_hint() {
        for (name, hints, expected) in [
            ("resetDatabase", json!({"readOnlyHint": true}), vec!["destructive-name"]),
            ("orders.purge", json!({"destructiveHint": false}), vec!["destructive-name"]),
            (
                "rollback_release",
                json!({"readOnlyHint": false, "destructiveHint": false}),
                vec!["destructive-name"],
            ),
            ("wipe_disk", json!({"destructiveHint": true}), vec![]),
            ("revoke_key", json!({}), vec![]),
            ("getOrder", json!({}), vec!["reading-name"]),
            ("getOrder", json!({"readOnlyHint": true}), vec![]),
            ("getOrder", json!({"readOnlyHint": false}), vec!["reading-name-writes"]),
            ("LIST_ORDERS", json!({"destructiveHint": true}), vec!["reading-name-writes"]),
            ("query_sql", json!({"readOnlyHint": false, "destructiveHint": true}), vec![]),
            ("get_and_delete", json!({"readOnlyHint": true}), vec!["destructive-name"]),
            ("updateOrder", json!({"readOnlyHint": true}), vec!["writing-name"]),
            ("send_mail", json!({"readOnlyHint": false, "destructiveHint": false}), vec![]),
            ("add", json!({"readOnlyHint": true}), vec![]),
        ] {
            assert_eq!(broken(name, &hints), expected, "{name} {hints}");
        }
    }
}
