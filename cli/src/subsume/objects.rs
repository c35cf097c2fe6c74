//! The rules of objects.

use serde_json::{Map, Value};
use toolwright_core::pointer;

use super::accepts::{accepts, matches};
use super::branch::Branch;
use super::document::rule_for_others;
use super::{Answer, Comparison, Names, is_never, size_holds, witness, worse};

impl<'a> Comparison<'_, 'a> {
    /// Whether the objects of the branch keep one rule of `new`.
    pub(super) fn object_holds(
        &mut self,
        old: &Branch<'a>,
        new: &'a Value,
        key: &str,
        rule: &'a Value,
        path: &str,
    ) -> Answer {
        let unreadable = || Answer::unknown(path, format!("`{key}` cannot be read"));
        match key {
            "required" => {
                let Some(names) = rule.as_array() else { return unreadable() };
                let missing =
                    names.iter().find(|name| !name.as_str().is_some_and(|name| old.is_required(name)));
                missing.map_or(Answer::Yes, |name| Answer::unknown(path, format!("{name} may be left out")))
            }
            "properties" => {
                let Some(properties) = rule.as_object() else { return unreadable() };
                let answers = properties.iter().map(|(name, schema)| {
                    if self.names == Names::Declared && old.is_unheard_of(name) {
                        return Answer::Yes;
                    }
                    self.member_in(old, &old.property(name), Some(name), schema, new, path)
                });
                answers.fold(Answer::Yes, worse)
            }
            "patternProperties" => {
                let Some(patterns) = rule.as_object() else { return unreadable() };
                let mut answer = Answer::Yes;
                for (pattern, schema) in patterns {
                    for name in
                        old.declared().into_iter().filter(|name| matches(pattern, name) != Some(false))
                    {
                        answer = worse(
                            answer,
                            self.member_in(old, &old.property(name), Some(name), schema, new, path),
                        );
                    }
                    let matching = old.matching(pattern);
                    if self.names == Names::Any || !matching.is_empty() {
                        answer = worse(answer, self.member_in(old, &matching, None, schema, new, path));
                    }
                }
                answer
            }
            "additionalProperties" => self.additional_in(old, rule, new, path),
            "unevaluatedProperties" => {
                if new.get("additionalProperties").is_some() {
                    return Answer::Yes;
                }
                if new.as_object().and_then(rule_for_others).is_none() {
                    return Answer::unknown(path, "`unevaluatedProperties` is not compared");
                }
                self.additional_in(old, rule, new, path)
            }
            "propertyNames" => self.names_in(old, rule, path),
            "minProperties" => {
                let required = old.required().collect::<std::collections::BTreeSet<_>>().len() as u64;
                let holds = size_holds(old, key, rule)
                    || super::number::size(rule).is_some_and(|bound| required >= bound);
                if holds { Answer::Yes } else { Answer::unknown(path, "there may be fewer members") }
            }
            "maxProperties" => {
                let is_closed = is_never(self.old, &old.undeclared(&[]), 0);
                let possible = old.declared().len() as u64;
                let holds = size_holds(old, key, rule)
                    || super::number::size(rule).is_some_and(|bound| is_closed && possible <= bound);
                if holds { Answer::Yes } else { Answer::unknown(path, "there may be more members") }
            }
            "dependentRequired" => {
                let Some(map) = rule.as_object() else { return unreadable() };
                let holds = |(name, needed): (&String, &Value)| {
                    old.has_dependent(name, needed)
                        || is_never(self.old, &old.property(name), 0)
                        || needed.as_array().is_some_and(|needed| {
                            needed.iter().all(|name| name.as_str().is_some_and(|name| old.is_required(name)))
                        })
                };
                if map.iter().all(holds) {
                    Answer::Yes
                } else {
                    Answer::unknown(path, "a member may come without another that it needs")
                }
            }
            "dependentSchemas" => {
                let Some(map) = rule.as_object() else { return unreadable() };
                let mut answer = Answer::Yes;
                for (name, schema) in map {
                    let is_same = self.same_references && old.has_dependent_schema(name, schema);
                    // A value that the inner schema refuses may lack the member.
                    if !is_same
                        && !is_never(self.old, &old.property(name), 0)
                        && self.branch_in(old, schema, path) != Answer::Yes
                    {
                        answer =
                            Answer::unknown(path, "it cannot be shown what a member demands of the others");
                    }
                }
                answer
            }
            _ => Answer::Yes,
        }
    }

    fn additional_in(&mut self, old: &Branch<'a>, rule: &'a Value, new: &'a Value, path: &str) -> Answer {
        let map = |key: &str| new.get(key).and_then(Value::as_object);
        let declared = |name: &str| map("properties").is_some_and(|properties| properties.contains_key(name));
        let patterns: Vec<&str> =
            map("patternProperties").into_iter().flat_map(Map::keys).map(String::as_str).collect();
        let mut answer = Answer::Yes;
        for name in old.declared().into_iter().filter(|name| !declared(name)) {
            if !patterns.iter().any(|pattern| matches(pattern, name) == Some(true)) {
                answer = worse(answer, self.member_in(old, &old.property(name), Some(name), rule, new, path));
            }
        }
        answer = worse(answer, self.member_in(old, &old.undeclared(&patterns), None, rule, new, path));
        // A member that only a pattern of the old schema speaks of is none that it leaves open.
        for pattern in old.patterns().into_iter().filter(|pattern| !patterns.contains(pattern)) {
            answer = worse(answer, self.member_in(old, &old.matching(pattern), None, rule, new, path));
        }
        answer
    }

    fn names_in(&mut self, old: &Branch<'a>, rule: &'a Value, path: &str) -> Answer {
        if rule == &Value::Bool(true) || self.same_references && old.has("propertyNames", rule) {
            return Answer::Yes;
        }
        let fits = |name: &&str| accepts(self.new, rule, &Value::from(*name)) == Some(true);
        let is_closed = is_never(self.old, &old.undeclared(&[]), 0);
        if is_closed && old.patterns().is_empty() && old.declared().iter().all(fits) {
            return Answer::Yes;
        }
        Answer::unknown(path, "other names are accepted")
    }

    /// Whether what fits all of `schemas` fits `part`, for the member `name`, or for any other.
    fn member_in(
        &mut self,
        old: &Branch<'a>,
        schemas: &[&'a Value],
        name: Option<&str>,
        part: &'a Value,
        new: &'a Value,
        path: &str,
    ) -> Answer {
        let segment = name.map_or_else(|| "*".to_owned(), pointer::segment);
        match self.all_in(schemas, part, &format!("{path}/{segment}")) {
            Answer::No { path, witness } => match witness::with_member(self.old, old, name, witness) {
                Some(whole) if self.proves(old, new, &whole) => Answer::No { path, witness: whole },
                _ => Answer::unknown(&path, "the members differ"),
            },
            other => other,
        }
    }
}

impl<'a> Branch<'a> {
    fn maps(&self, key: &str) -> impl Iterator<Item = &'a Map<String, Value>> {
        self.sources.iter().filter_map(move |source| source.get(key)?.as_object())
    }

    fn patterns(&self) -> Vec<&'a str> {
        self.maps("patternProperties").flat_map(Map::keys).map(String::as_str).collect()
    }

    fn has_dependent(&self, name: &str, needed: &Value) -> bool {
        let needed: Vec<&Value> = needed.as_array().into_iter().flatten().collect();
        self.maps("dependentRequired").any(|map| {
            let own = map.get(name).and_then(Value::as_array);
            own.is_some_and(|own| needed.iter().all(|name| own.contains(name)))
        })
    }

    fn has_dependent_schema(&self, name: &str, schema: &Value) -> bool {
        self.maps("dependentSchemas").any(|map| map.get(name) == Some(schema))
    }
}
