//! Whether two schemas have no value in common.

use serde_json::Value;

use super::accepts::accepts;
use super::branch::{Branch, Kind, branches};
use super::number::{Exact, size};
use super::{Comparison, is_within_type};

impl<'a> Comparison<'_, 'a> {
    /// Whether no value of the branch fits `new`. A `false` says that this was not found out.
    pub(super) fn is_disjoint(&mut self, old: &Branch<'a>, new: &'a Value) -> bool {
        self.steps += 1;
        if self.depth > super::MAX_DEPTH || self.steps > super::MAX_STEPS {
            return false;
        }
        let rules = match new {
            Value::Bool(all) => return !all,
            Value::Object(rules) => rules,
            _ => return false,
        };
        if old.kind == Kind::Finite {
            return old.values.iter().all(|value| accepts(self.new, new, value) == Some(false));
        }
        self.depth += 1;
        let is_disjoint = rules.iter().any(|(key, rule)| match key.as_str() {
            "$ref" => {
                let target = rule.as_str().and_then(|to| self.new.resolve(to));
                target.is_some_and(|target| self.is_disjoint(old, target))
            }
            "type" => excludes_type(old, rule),
            "const" => !self.may_have(old, rule),
            "enum" => {
                rule.as_array().is_some_and(|values| !values.iter().any(|value| self.may_have(old, value)))
            }
            "allOf" => {
                rule.as_array().is_some_and(|parts| parts.iter().any(|part| self.is_disjoint(old, part)))
            }
            "anyOf" | "oneOf" => {
                rule.as_array().is_some_and(|parts| parts.iter().all(|part| self.is_disjoint(old, part)))
            }
            "minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum" if old.kind == Kind::Number => {
                Exact::of_value(rule).is_some_and(|bound| is_out_of_reach(old, key, bound))
            }
            "minLength" if old.kind == Kind::String => most_is_below(old, "maxLength", rule),
            "maxLength" if old.kind == Kind::String => least_is_above(old, "minLength", rule),
            "minItems" if old.kind == Kind::Array => most_is_below(old, "maxItems", rule),
            "maxItems" if old.kind == Kind::Array => least_is_above(old, "minItems", rule),
            "properties" if old.kind == Kind::Object => self.a_member_is_disjoint(old, new, rule),
            "required" if old.kind == Kind::Object => rule.as_array().is_some_and(|names| {
                let names = names.iter().filter_map(Value::as_str);
                names.into_iter().any(|name| super::is_never(self.old, &old.property(name), 1))
            }),
            "additionalProperties" if old.kind == Kind::Object && rule == &Value::Bool(false) => {
                let known = |name: &str| new.get("properties").is_some_and(|map| map.get(name).is_some());
                new.get("patternProperties").is_none() && old.required().any(|name| !known(name))
            }
            _ => false,
        });
        self.depth -= 1;
        is_disjoint
    }

    /// A member that one side requires, and that cannot fit both.
    fn a_member_is_disjoint(&mut self, old: &Branch<'a>, new: &'a Value, properties: &'a Value) -> bool {
        let required = new.get("required").and_then(Value::as_array);
        let is_required = |name: &str| {
            old.is_required(name) || required.is_some_and(|names| names.iter().any(|one| one == name))
        };
        let mut members = properties.as_object().into_iter().flatten().filter(|(name, _)| is_required(name));
        members.any(|(name, part)| {
            branches(self.old, &old.property(name))
                .is_some_and(|branches| branches.iter().all(|branch| self.is_disjoint(branch, part)))
        })
    }

    /// Whether the branch may have this value.
    fn may_have(&self, old: &Branch<'a>, value: &Value) -> bool {
        super::accepts::accept_all(self.old, &old.sources, value) != Some(false)
    }
}

fn excludes_type(old: &Branch<'_>, rule: &Value) -> bool {
    // Numbers that need not be whole include whole ones.
    let whole = rule.as_str() == Some("integer")
        || rule.as_array().is_some_and(|names| names.iter().any(|name| name == "integer"));
    !(is_within_type(old, rule) || old.kind == Kind::Number && whole)
}

fn is_out_of_reach(old: &Branch<'_>, key: &str, bound: Exact) -> bool {
    match key {
        "minimum" => old.high().is_some_and(|high| high.at < bound || (high.at == bound && high.open)),
        "exclusiveMinimum" => old.high().is_some_and(|high| high.at <= bound),
        "maximum" => old.low().is_some_and(|low| low.at > bound || (low.at == bound && low.open)),
        _ => old.low().is_some_and(|low| low.at >= bound),
    }
}

fn most_is_below(old: &Branch<'_>, key: &str, rule: &Value) -> bool {
    size(rule).is_some_and(|bound| old.most(key).is_some_and(|most| most < bound))
}

fn least_is_above(old: &Branch<'_>, key: &str, rule: &Value) -> bool {
    size(rule).is_some_and(|bound| old.least(key) > bound)
}
