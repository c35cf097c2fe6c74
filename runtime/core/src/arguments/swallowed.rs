//! What a flattened `Option` swallowed of a call: serde reads it as `None` where its content is refused, whatever was
//! sent. The schema tells most of that; what only the type knows, such as that a text is no address, shows here.

use std::cell::Cell;
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::checker::{Checker, Insight as _, NodeId, ROOT, Types};
use super::example;
use super::insight::Ask;
use super::knowledge::{Probe, wrong_for};
use super::places::{Places, Step};
use crate::probe::{AGAIN, Answer, Told};

/// How many values the type is given to read again at most, to find out what a flattened `Option` swallowed of a call.
pub(super) const MAX_REREAD: usize = 50_000;
/// What each value of the call adds to [`MAX_REREAD`].
pub(super) const REREAD_PER_VALUE: usize = 500;

/// Objects that serde reads although a member is wrong: the members by position, and whether any other may be.
#[derive(Debug, Default)]
pub(super) struct Swallowing {
    members: HashMap<NodeId, Vec<usize>>,
    others: Vec<NodeId>,
}

impl Swallowing {
    /// Asks the type about every object of its schema.
    pub(super) fn of(checker: &Checker, places: &Places, probe: Probe<'_>) -> Self {
        let reads_wrong = |child: NodeId| {
            let wrong = wrong_for(checker, child);
            let arguments = wrong.and_then(|wrong| places.of(checker, child)?.with(wrong));
            arguments.is_some_and(|arguments| probe(&arguments).is_read)
        };
        let mut swallowing = Self::default();
        for id in checker.ids().filter(|id| places.reach(checker, *id)) {
            let object = &checker.node(id).object;
            let members: Vec<usize> = object
                .properties
                .iter()
                .enumerate()
                // A tag is right; it decides what is made of its neighbours.
                .filter(|(_, (_, child))| {
                    let is_tag = checker.constants(*child).is_some() || checker.excludes_texts(*child);
                    !is_tag && reads_wrong(*child)
                })
                .map(|(at, _)| at)
                .collect();
            if !members.is_empty() {
                swallowing.members.insert(id, members);
            }
            if object.additional.is_some_and(reads_wrong) {
                swallowing.others.push(id);
            }
        }
        swallowing
    }

    fn is_empty(&self) -> bool {
        self.members.is_empty() && self.others.is_empty()
    }
}

/// What was swallowed.
#[derive(Debug, PartialEq)]
pub(super) enum Swallowed {
    /// The member at the end of the way, and why.
    Member(Vec<String>, String),
    /// Nobody knows: to find out takes too long.
    Unclear,
}

/// Where a member may stand among those beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Content that is read when its tag has come comes after it.
    Last,
    /// No wrong member is read before it.
    First,
}

/// Looks for a member of `arguments`, a text which the type reads, that it reads for nothing.
pub(super) fn find(ask: &Ask<'_>, arguments: &str) -> Option<Swallowed> {
    if ask.knowledge.swallowing.is_empty() {
        return None;
    }
    let arguments: &Value = &serde_json::from_str(arguments).ok()?;
    if reasons(&(ask.probe)(arguments)).is_empty() {
        return None;
    }
    let left = Cell::new(count(arguments).saturating_mul(REREAD_PER_VALUE).saturating_add(MAX_REREAD));
    [Order::Last, Order::First].into_iter().find_map(|order| {
        let search = Search { ask, arguments, order, left: &left };
        search.below(arguments, &mut Way::new(), &[ROOT])
    })
}

struct Search<'s> {
    ask: &'s Ask<'s>,
    arguments: &'s Value,
    order: Order,
    left: &'s Cell<usize>,
}

type Members = Map<String, Value>;

/// Makes other members of those that an object has.
type Change<'c> = &'c dyn Fn(&Members) -> Members;

/// A step to a part of the arguments, and whether what stands beside it may be left out.
type Way = Vec<(Step, bool)>;

impl Search<'_> {
    fn below(&self, value: &Value, way: &mut Way, nodes: &[NodeId]) -> Option<Swallowed> {
        let checker = self.ask.checker;
        let nodes = &certain(checker, nodes, value)[..];
        match value {
            Value::Object(members) => {
                for (name, member) in members.iter().filter(|(_, member)| !member.is_null()) {
                    if let Some((child, property)) = self.suspect(nodes, name)
                        && let Some(found) = self.test(way, name, member, child, property)
                    {
                        return Some(found);
                    }
                    way.push((Step::Member(name.as_str().into()), false));
                    let found = self.below(member, way, &checker.children_named(nodes, name));
                    way.pop();
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
                    way.push((Step::Item(at), is_list));
                    let found = self.below(item, way, &checker.children_named(nodes, &at.to_string()));
                    way.pop();
                    if found.is_some() {
                        return found;
                    }
                }
                None
            }
            _ => None,
        }
    }

    /// The schema of a member that may be swallowed, and the name of its property.
    fn suspect(&self, nodes: &[NodeId], name: &str) -> Option<(NodeId, Option<&str>)> {
        let checker = self.ask.checker;
        let swallowing = &self.ask.knowledge.swallowing;
        nodes.iter().copied().find_map(|id| {
            let object = &checker.node(id).object;
            if let Some(members) = swallowing.members.get(&id) {
                let at = object.position(name).or_else(|| self.ask.alias(id, name));
                if let Some(at) = at.filter(|at| members.contains(at)) {
                    let (property, child) = &object.properties[at];
                    return Some((*child, Some(&**property)));
                }
            }
            let is_other = swallowing.others.contains(&id) && object.position(name).is_none();
            object.additional.filter(|_| is_other).map(|child| (child, None))
        })
    }

    /// Whether the member is read for nothing, where a right one in its place would not be.
    fn test(
        &self,
        way: &[(Step, bool)],
        name: &str,
        member: &Value,
        child: NodeId,
        property: Option<&str>,
    ) -> Option<Swallowed> {
        let right = example::minimal_at(self.ask.checker, child)?;
        let mut answers = Vec::with_capacity(4);
        for (value, twice) in [(&right, true), (member, true), (&right, false), (member, false)] {
            let Some(answer) = self.answer(way, name, value, twice) else { return Some(Swallowed::Unclear) };
            answers.push(answer);
        }
        let [right_twice, twice, right_alone, alone] = &answers[..] else { return None };
        let is_read_twice = |answer: &Answer| {
            property.is_some_and(|property| answer.has(&Told::Repeated(property.to_owned())))
        };
        let (before, after) = (reasons(right_alone), reasons(alone));
        let is_new = |told: &&Told| !before.iter().any(|known| known.is_like(told));
        let mut more = after.iter().filter(is_new);
        let is_swallowed = if is_read_twice(right_twice) {
            // What is read may not come twice, and what comes before is read first.
            !is_read_twice(twice)
        } else {
            more.clone().next().is_some() && !self.has_choice(child)
        };
        if !is_swallowed {
            return None;
        }
        // An untagged enum says at last that nothing fits.
        let says_why = |told: &&Told| !told.words().starts_with("data did not match any variant");
        let words = more.clone().rfind(says_why).or(more.next_back()).map_or("", |told| told.words());
        let steps = way.iter().map(|(step, _)| step.to_string());
        Some(Swallowed::Member(steps.chain([name.to_owned()]).collect(), words.to_owned()))
    }

    /// What the type makes of the arguments with `value` as this member, or with that twice.
    fn answer(&self, way: &[(Step, bool)], name: &str, value: &Value, twice: bool) -> Option<Answer> {
        let arguments = changed(self.arguments, way, &|members| {
            let mut others = members.clone();
            others.shift_remove(name);
            let mut these = Map::from_iter([(name.to_owned(), value.clone())]);
            if twice {
                these.insert(format!("{AGAIN}{name}"), value.clone());
            }
            let (mut first, then) =
                if self.order == Order::First { (these, others) } else { (others, these) };
            first.extend(then);
            first
        });
        self.left.set(self.left.get().checked_sub(count(&arguments))?);
        Some((self.ask.probe)(&arguments))
    }

    /// Whether serde tries several forms for the value, so that what it says of one means nothing.
    fn has_choice(&self, id: NodeId) -> bool {
        let checker = self.ask.checker;
        let mut nodes = vec![id];
        let mut next = 0;
        while let Some(id) = nodes.get(next).copied() {
            next += 1;
            let node = checker.node(id);
            let arms: Vec<NodeId> =
                node.in_place.arms().filter(|arm| checker.types(*arm) != Types::NULL).collect();
            let is_told = || checker.tag(&arms).is_some() || checker.keys(&arms).is_some();
            if arms.len() > 1 && !is_told() {
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

/// `nodes`, and what applies to the same value as one of them. Of variants with a tag, the ones that have the tag of the
/// value; of those of untagged enums, of which one may read what another does not, see [`read_otherwise`].
fn certain(checker: &Checker, nodes: &[NodeId], value: &Value) -> Vec<NodeId> {
    let mut found = nodes.to_vec();
    let mut next = 0;
    while let Some(id) = found.get(next).copied() {
        next += 1;
        let node = checker.node(id);
        let arms: Vec<NodeId> = node.in_place.arms().collect();
        // What is wrong for one may be a further member of another.
        let takes_more = |arm: &NodeId| {
            let parts = checker.always(*arm).into_iter();
            let mut further = parts.filter_map(|id| checker.node(id).object.additional);
            further.any(|rest| !checker.node(rest).never)
        };
        let is_only = |arms: &[NodeId]| arms.iter().filter(|arm| has_members(checker, **arm)).count() == 1;
        // What is wrong for all others may be right for a variant of any JSON; beside an object it is a flattened `Option`.
        let takes_anything = node.types.is_none() && arms.iter().any(|arm| checker.node(*arm).is_free());
        let is_told = !takes_anything
            && (node.partly_told
                || is_only(&arms)
                || (are_apart(checker, &arms) && !arms.iter().any(takes_more)));
        let meant: Vec<NodeId> =
            arms.iter().copied().filter(|arm| !has_another_tag(checker, *arm, value)).collect();
        // A tag that no variant lists is another name of one.
        let arms = if meant.is_empty() { arms } else { meant };
        let arms = if is_told { arms } else { read_otherwise(checker, &arms, value).into_iter().collect() };
        for part in checker.always(id).into_iter().chain(arms) {
            if !found.contains(&part) {
                found.push(part);
            }
        }
    }
    found
}

/// The variant that the value fits, where serde would drop some of its members if it took it for another one: what only
/// the type refuses makes it do so.
fn read_otherwise(checker: &Checker, arms: &[NodeId], value: &Value) -> Option<NodeId> {
    let fitting = arms.iter().copied().find(|arm| checker.fits(*arm, value))?;
    let mut others = arms.iter().filter(|other| **other != fitting);
    others.any(|other| !checker.dropped_by(*other, value).is_empty()).then_some(fitting)
}

/// Whether the form lists members.
fn has_members(checker: &Checker, arm: NodeId) -> bool {
    let mut parts = checker.always(arm).into_iter().map(|id| checker.node(id));
    parts.any(|node| !node.object.properties.is_empty() || node.in_place.arms().next().is_some())
}

fn has_another_tag(checker: &Checker, arm: NodeId, value: &Value) -> bool {
    let needed = checker.always(arm).into_iter().flat_map(|id| &checker.node(id).object.required);
    needed.into_iter().any(|(name, _)| {
        let tags = checker.tag_values(arm, name);
        !tags.is_empty() && value.get(&**name).is_some_and(|given| !tags.contains(given))
    })
}

/// Whether each of the arms, but for one at most, needs a member that no other knows: so do the variants of a flattened
/// enum beside the members of the type that it is flattened into.
fn are_apart(checker: &Checker, arms: &[NodeId]) -> bool {
    let knows = |arm: NodeId, name: &str| {
        checker.always(arm).into_iter().any(|id| checker.node(id).object.position(name).is_some())
    };
    let is_alike = |arm: &&NodeId| {
        let needed = checker.always(**arm).into_iter().flat_map(|id| &checker.node(id).object.required);
        !needed.into_iter().any(|(name, _)| arms.iter().filter(|arm| knows(**arm, name)).count() == 1)
    };
    arms.iter().filter(is_alike).count() <= 1
}

/// `value` with other members in the object at the end of the way.
fn changed(value: &Value, way: &[(Step, bool)], change: Change<'_>) -> Value {
    match (value, way.split_first()) {
        (Value::Object(members), None) => change(members).into(),
        (Value::Object(members), Some(((Step::Member(wanted), _), rest))) => members
            .iter()
            .map(|(name, member)| {
                let member = if **name == **wanted { changed(member, rest, change) } else { member.clone() };
                (name.clone(), member)
            })
            .collect::<Map<_, _>>()
            .into(),
        (Value::Array(items), Some(((Step::Item(wanted), true), rest))) => {
            items.get(*wanted).map(|item| changed(item, rest, change)).into_iter().collect()
        }
        (Value::Array(items), Some(((Step::Item(wanted), false), rest))) => items
            .iter()
            .enumerate()
            .map(|(at, item)| if at == *wanted { changed(item, rest, change) } else { item.clone() })
            .collect(),
        (other, _) => other.clone(),
    }
}

/// What was wrong, but for members that did not come.
fn reasons(answer: &Answer) -> Vec<Told> {
    let is_absence = |told: &Told| match told {
        Told::Missing(_) => true,
        Told::Other(words) => words.starts_with("no variant of enum"),
        Told::Repeated(_) | Told::Unknown(_) => false,
    };
    answer.told.iter().filter(|told| !is_absence(told)).cloned().collect()
}

/// The number of values in `value`.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}
