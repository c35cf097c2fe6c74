//! The rules of lists.

use serde_json::Value;

use super::branch::Branch;
use super::{Answer, Comparison, size_holds, witness, worse};

impl<'a> Comparison<'_, 'a> {
    /// Whether the lists of the branch keep one rule of `new`.
    pub(super) fn array_holds(
        &mut self,
        old: &Branch<'a>,
        new: &'a Value,
        key: &str,
        rule: &'a Value,
        path: &str,
    ) -> Answer {
        let most = old.most("maxItems").and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
        let prefix = new.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
        match key {
            "uniqueItems" => {
                let holds = rule == &Value::Bool(false) || most <= 1 || old.has(key, rule);
                if holds { Answer::Yes } else { Answer::unknown(path, "items may repeat") }
            }
            "prefixItems" => {
                let Value::Array(parts) = rule else {
                    return Answer::unknown(path, "`prefixItems` cannot be read");
                };
                let places = parts.iter().enumerate().take(most);
                let answers =
                    places.map(|(at, part)| self.item_in(old, at, part, new, path, &at.to_string()));
                answers.fold(Answer::Yes, worse)
            }
            "items" => {
                let mut answer = Answer::Yes;
                // The last of these places stands for all that follow.
                for at in prefix..=prefix.max(old.prefix()) {
                    if at < most {
                        answer = worse(answer, self.item_in(old, at, rule, new, path, "*"));
                    }
                }
                answer
            }
            "contains" | "unevaluatedItems" => {
                let related = ["contains", "minContains", "maxContains"];
                let is_same = |source: &&Value| related.iter().all(|key| source.get(key) == new.get(key));
                if key == "contains" && self.same_references && old.sources.iter().any(is_same) {
                    return Answer::Yes;
                }
                Answer::unknown(path, format!("`{key}` is not compared"))
            }
            _ if size_holds(old, key, rule) => Answer::Yes,
            _ => Answer::unknown(path, "other numbers of items are accepted"),
        }
    }

    fn item_in(
        &mut self,
        old: &Branch<'a>,
        at: usize,
        part: &'a Value,
        new: &'a Value,
        path: &str,
        shown: &str,
    ) -> Answer {
        match self.all_in(&old.item(at), part, &format!("{path}/{shown}")) {
            Answer::No { path, witness } => match witness::with_item(self.old, old, at, witness) {
                Some(whole) if self.proves(old, new, &whole) => Answer::No { path, witness: whole },
                _ => Answer::unknown(&path, "the items differ"),
            },
            other => other,
        }
    }
}
