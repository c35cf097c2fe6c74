//! Members that a flattened `Option` swallows: serde reads it as `None` if its content is invalid. The schema
//! detects most of these cases; this module detects those that only the type knows, for instance a string that
//! is not an address.

use std::cell::Cell;
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::checker::{Checker, NodeId, ROOT, TypeInfo as _, Types};
use super::example;
use super::places::{Places, Step};
use super::queries::Queries;
use super::type_facts::{Probe, generate_rejected_value};
use crate::probe::{DUPLICATE, ProbeResult, ReadError};

/// Maximum number of values that the type deserializes again to find a swallowed member.
pub(super) const MAX_REREAD: usize = 50_000;
/// Added to [`MAX_REREAD`] for each value of the call.
pub(super) const REREAD_PER_VALUE: usize = 500;

/// Objects that serde accepts although a member is invalid: the members by position, and whether further members
/// may be invalid.
#[derive(Debug, Default)]
pub(super) struct SwallowingObjects {
    members: HashMap<NodeId, Vec<usize>>,
    others: Vec<NodeId>,
}

impl SwallowingObjects {
    /// Queries the type about every object of its schema.
    pub(super) fn of(checker: &Checker, places: &Places, probe: Probe<'_>) -> Self {
        let accepts_invalid = |child: NodeId| {
            let wrong = generate_rejected_value(checker, child);
            let arguments = wrong.and_then(|wrong| places.of(checker, child)?.with(wrong));
            arguments.is_some_and(|arguments| probe(&arguments).is_read)
        };
        let mut swallowing = Self::default();
        for id in checker.ids().filter(|id| places.is_reachable(checker, *id)) {
            let object = &checker.node(id).object;
            let members: Vec<usize> = object
                .properties
                .iter()
                .enumerate()
                // A tag is always valid; it decides how its siblings are read.
                .filter(|(_, (_, child))| {
                    let is_tag = checker.constants(*child).is_some() || checker.excludes_texts(*child);
                    !is_tag && accepts_invalid(*child)
                })
                .map(|(at, _)| at)
                .collect();
            if !members.is_empty() {
                swallowing.members.insert(id, members);
            }
            if object.additional.is_some_and(accepts_invalid) {
                swallowing.others.push(id);
            }
        }
        swallowing
    }

    fn is_empty(&self) -> bool {
        self.members.is_empty() && self.others.is_empty()
    }
}

/// A swallowed member.
#[derive(Debug, PartialEq)]
pub(super) enum SwallowedMember {
    /// The path to the member, and the error.
    Found(Vec<String>, String),
    /// Finding it would take too long.
    TooExpensive,
}

/// The position of a member among its siblings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// The content of a tagged enum follows its tag.
    Last,
    /// Before any member that is invalid.
    First,
}

/// Finds a member of `arguments` that the type accepts but does not use.
pub(super) fn find_swallowed(queries: &Queries<'_>, arguments: &str) -> Option<SwallowedMember> {
    if queries.facts.swallowing.is_empty() {
        return None;
    }
    let arguments: &Value = &serde_json::from_str(arguments).ok()?;
    if relevant_errors(&(queries.probe)(arguments)).is_empty() {
        return None;
    }
    let left = Cell::new(count_values(arguments).saturating_mul(REREAD_PER_VALUE).saturating_add(MAX_REREAD));
    [Order::Last, Order::First].into_iter().find_map(|order| {
        let search = Search { queries, arguments, order, left: &left };
        search.search(arguments, &mut Path::new(), &[ROOT])
    })
}

struct Search<'s> {
    queries: &'s Queries<'s>,
    arguments: &'s Value,
    order: Order,
    left: &'s Cell<usize>,
}

type Members = Map<String, Value>;

/// Reorders the members of an object.
type Change<'c> = &'c dyn Fn(&Members) -> Members;

/// A step into the arguments, and whether its siblings may be omitted.
type Path = Vec<(Step, bool)>;

impl Search<'_> {
    fn search(&self, value: &Value, path: &mut Path, nodes: &[NodeId]) -> Option<SwallowedMember> {
        let checker = self.queries.checker;
        let nodes = &certain_nodes(checker, nodes, value)[..];
        match value {
            Value::Object(members) => {
                for (name, member) in members.iter().filter(|(_, member)| !member.is_null()) {
                    if let Some((child, property)) = self.find_suspect(nodes, name)
                        && let Some(found) = self.test_member(path, name, member, child, property)
                    {
                        return Some(found);
                    }
                    path.push((Step::Member(name.as_str().into()), false));
                    let found = self.search(member, path, &checker.member_nodes(nodes, name));
                    path.pop();
                    if found.is_some() {
                        return found;
                    }
                }
                None
            }
            Value::Array(items) => {
                let is_list = nodes.iter().all(|id| {
                    let array = &checker.node(*id).array;
                    array.prefix.is_empty() && array.max_items.is_none() && array.min_items.is_none()
                });
                for (at, item) in items.iter().enumerate() {
                    path.push((Step::Item(at), is_list));
                    let found = self.search(item, path, &checker.member_nodes(nodes, &at.to_string()));
                    path.pop();
                    if found.is_some() {
                        return found;
                    }
                }
                None
            }
            _ => None,
        }
    }

    /// Returns the schema of a member that may be swallowed, and the name of its property.
    fn find_suspect(&self, nodes: &[NodeId], name: &str) -> Option<(NodeId, Option<&str>)> {
        let checker = self.queries.checker;
        let swallowing = &self.queries.facts.swallowing;
        nodes.iter().copied().find_map(|id| {
            let object = &checker.node(id).object;
            if let Some(members) = swallowing.members.get(&id) {
                let at = object.position(name).or_else(|| self.queries.alias(id, name));
                if let Some(at) = at.filter(|at| members.contains(at)) {
                    let (property, child) = &object.properties[at];
                    return Some((*child, Some(&**property)));
                }
            }
            let is_other = swallowing.others.contains(&id) && object.position(name).is_none();
            object.additional.filter(|_| is_other).map(|child| (child, None))
        })
    }

    /// Returns whether the member is not used although a valid one would be.
    fn test_member(
        &self,
        path: &[(Step, bool)],
        name: &str,
        member: &Value,
        child: NodeId,
        property: Option<&str>,
    ) -> Option<SwallowedMember> {
        let valid = example::minimal_at(self.queries.checker, child)?;
        let mut answers = Vec::with_capacity(4);
        for (value, twice) in [(&valid, true), (member, true), (&valid, false), (member, false)] {
            let Some(answer) = self.probe_with(path, name, value, twice) else {
                return Some(SwallowedMember::TooExpensive);
            };
            answers.push(answer);
        }
        let [valid_twice, twice, valid_alone, alone] = &answers[..] else { return None };
        let is_read_twice = |answer: &ProbeResult| {
            property.is_some_and(|property| answer.has(&ReadError::Repeated(property.to_owned())))
        };
        let (before, after) = (relevant_errors(valid_alone), relevant_errors(alone));
        let is_new = |error: &&ReadError| !before.iter().any(|known| known.is_like(error));
        let mut more = after.iter().filter(is_new);
        let is_swallowed = if is_read_twice(valid_twice) {
            // A member that is read must be unique, and the first one is read first.
            !is_read_twice(twice)
        } else {
            more.clone().next().is_some() && !self.has_choice(child)
        };
        if !is_swallowed {
            return None;
        }
        // An untagged enum only reports that no variant matches.
        let is_specific = |error: &&ReadError| !error.message().starts_with("data did not match any variant");
        let message =
            more.clone().rfind(is_specific).or(more.next_back()).map_or("", |error| error.message());
        let steps = path.iter().map(|(step, _)| step.to_string());
        Some(SwallowedMember::Found(steps.chain([name.to_owned()]).collect(), message.to_owned()))
    }

    /// Returns the outcome of deserializing the arguments with `value` as this member, or with the member twice.
    fn probe_with(
        &self,
        path: &[(Step, bool)],
        name: &str,
        value: &Value,
        twice: bool,
    ) -> Option<ProbeResult> {
        let arguments = apply_change(self.arguments, path, &|members| {
            let mut others = members.clone();
            others.shift_remove(name);
            let mut these = Map::from_iter([(name.to_owned(), value.clone())]);
            if twice {
                these.insert(format!("{DUPLICATE}{name}"), value.clone());
            }
            let (mut first, then) =
                if self.order == Order::First { (these, others) } else { (others, these) };
            first.extend(then);
            first
        });
        self.left.set(self.left.get().checked_sub(count_values(&arguments))?);
        Some((self.queries.probe)(&arguments))
    }

    /// Returns whether serde tries several variants for the value, so that its error about a single one is not
    /// conclusive.
    fn has_choice(&self, id: NodeId) -> bool {
        let checker = self.queries.checker;
        let mut nodes = vec![id];
        let mut next = 0;
        while let Some(id) = nodes.get(next).copied() {
            next += 1;
            let node = checker.node(id);
            let arms: Vec<NodeId> =
                node.in_place.arms().filter(|arm| checker.types(*arm) != Types::NULL).collect();
            let is_decided = || checker.tag(&arms).is_some() || checker.keys(&arms).is_some();
            if arms.len() > 1 && !is_decided() {
                return true;
            }
            for child in node.children() {
                if !nodes.contains(&child) {
                    nodes.push(child);
                }
            }
        }
        false
    }
}

/// Returns `nodes` and the nodes that apply to the same values. Of variants with a tag, those with the tag of
/// the value; for untagged enums, where one variant may read what another does not, see [`misread_variant`].
fn certain_nodes(checker: &Checker, nodes: &[NodeId], value: &Value) -> Vec<NodeId> {
    let mut found = nodes.to_vec();
    let mut next = 0;
    while let Some(id) = found.get(next).copied() {
        next += 1;
        let node = checker.node(id);
        let arms: Vec<NodeId> = node.in_place.arms().collect();
        // A member that is invalid for one may be a further member of another.
        let accepts_more = |arm: &NodeId| {
            let parts = checker.unconditional_nodes(*arm).into_iter();
            let mut further = parts.filter_map(|id| checker.node(id).object.additional);
            further.any(|rest| !checker.node(rest).never)
        };
        let is_only = |arms: &[NodeId]| arms.iter().filter(|arm| has_members(checker, **arm)).count() == 1;
        // A value that is invalid for all others may be valid for a variant of any JSON; next to an object it is
        // a flattened `Option`.
        let accepts_anything = node.types.is_none() && arms.iter().any(|arm| checker.node(*arm).is_free());
        let is_decided = !accepts_anything
            && (node.arms_partly_distinct
                || is_only(&arms)
                || (are_distinct(checker, &arms) && !arms.iter().any(accepts_more)));
        let matching: Vec<NodeId> =
            arms.iter().copied().filter(|arm| !has_another_tag(checker, *arm, value)).collect();
        // A tag that no variant lists is another name of one.
        let arms = if matching.is_empty() { arms } else { matching };
        let arms =
            if is_decided { arms } else { misread_variant(checker, &arms, value).into_iter().collect() };
        for part in checker.unconditional_nodes(id).into_iter().chain(arms) {
            if !found.contains(&part) {
                found.push(part);
            }
        }
    }
    found
}

/// Returns the variant that the value matches if serde, in another variant, would drop some of its members:
/// serde only selects that one if the type itself rejects the value.
fn misread_variant(checker: &Checker, arms: &[NodeId], value: &Value) -> Option<NodeId> {
    let fitting = arms.iter().copied().find(|arm| checker.is_valid(*arm, value))?;
    let mut others = arms.iter().filter(|other| **other != fitting);
    others.any(|other| !checker.dropped_members(*other, value).is_empty()).then_some(fitting)
}

/// Returns whether the schema lists members.
fn has_members(checker: &Checker, arm: NodeId) -> bool {
    let mut parts = checker.unconditional_nodes(arm).into_iter().map(|id| checker.node(id));
    parts.any(|node| !node.object.properties.is_empty() || node.in_place.arms().next().is_some())
}

fn has_another_tag(checker: &Checker, arm: NodeId, value: &Value) -> bool {
    let needed =
        checker.unconditional_nodes(arm).into_iter().flat_map(|id| &checker.node(id).object.required);
    needed.into_iter().any(|(name, _)| {
        let tags = checker.tag_values(arm, name);
        !tags.is_empty() && value.get(&**name).is_some_and(|given| !tags.contains(given))
    })
}

/// Returns whether every arm but at most one requires a member that no other arm knows, as the variants of a
/// flattened enum do next to the members of the outer type.
fn are_distinct(checker: &Checker, arms: &[NodeId]) -> bool {
    let knows = |arm: NodeId, name: &str| {
        checker
            .unconditional_nodes(arm)
            .into_iter()
            .any(|id| checker.node(id).object.position(name).is_some())
    };
    let is_alike = |arm: &&NodeId| {
        let needed =
            checker.unconditional_nodes(**arm).into_iter().flat_map(|id| &checker.node(id).object.required);
        !needed.into_iter().any(|(name, _)| arms.iter().filter(|arm| knows(**arm, name)).count() == 1)
    };
    arms.iter().filter(is_alike).count() <= 1
}

/// Returns `value` with other members in the object at the end of the path.
fn apply_change(value: &Value, path: &[(Step, bool)], change: Change<'_>) -> Value {
    match (value, path.split_first()) {
        (Value::Object(members), None) => change(members).into(),
        (Value::Object(members), Some(((Step::Member(wanted), _), rest))) => members
            .iter()
            .map(|(name, member)| {
                let member =
                    if **name == **wanted { apply_change(member, rest, change) } else { member.clone() };
                (name.clone(), member)
            })
            .collect::<Map<_, _>>()
            .into(),
        (Value::Array(items), Some(((Step::Item(wanted), true), rest))) => {
            items.get(*wanted).map(|item| apply_change(item, rest, change)).into_iter().collect()
        }
        (Value::Array(items), Some(((Step::Item(wanted), false), rest))) => items
            .iter()
            .enumerate()
            .map(|(at, item)| if at == *wanted { apply_change(item, rest, change) } else { item.clone() })
            .collect(),
        (other, _) => other.clone(),
    }
}

/// Returns the errors, except those about missing members.
fn relevant_errors(answer: &ProbeResult) -> Vec<ReadError> {
    let is_absence = |error: &ReadError| match error {
        ReadError::Missing(_) => true,
        ReadError::Other(message) => message.starts_with("no variant of enum"),
        ReadError::Repeated(_) | ReadError::Unknown(_) => false,
    };
    answer.errors.iter().filter(|error| !is_absence(error)).cloned().collect()
}

/// Returns the number of values in `value`.
fn count_values(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count_values).sum(),
        Value::Object(members) => members.values().map(count_values).sum(),
        _ => 0,
    }
}
