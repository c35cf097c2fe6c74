//! Where the nodes of a schema stand: for each, arguments that hold a value which it applies to.

use std::fmt;
use std::sync::OnceLock;

use serde_json::Value;

use super::checker::{Checker, NodeId, ROOT};
use super::example;
use crate::probe::AGAIN;

/// The places of all nodes, each looked for when it is first needed.
#[derive(Debug)]
pub(super) struct Places {
    ways: OnceLock<Ways>,
    places: Vec<OnceLock<Option<Place>>>,
}

impl Places {
    pub(super) fn new(checker: &Checker) -> Self {
        Self { ways: OnceLock::new(), places: checker.ids().map(|_| OnceLock::new()).collect() }
    }

    /// Whether the node applies to anything.
    pub(super) fn reach(&self, checker: &Checker, id: NodeId) -> bool {
        self.ways.get_or_init(|| Ways::of(checker)).reach(id)
    }

    /// The object whose member the node describes.
    pub(super) fn holder(&self, checker: &Checker, id: NodeId) -> Option<NodeId> {
        self.ways.get_or_init(|| Ways::of(checker)).holder(id)
    }

    /// The nodes that apply to a value before this one does: those that lead here through references, `allOf` and arms.
    pub(super) fn around(&self, checker: &Checker, id: NodeId) -> Vec<NodeId> {
        self.ways.get_or_init(|| Ways::of(checker)).around(id)
    }

    pub(super) fn of(&self, checker: &Checker, id: NodeId) -> Option<&Place> {
        let ways = self.ways.get_or_init(|| Ways::of(checker));
        self.places.get(id.index())?.get_or_init(|| Place::of(checker, ways, id)).as_ref()
    }
}

/// Small arguments with a place in them.
#[derive(Debug)]
pub(super) struct Place {
    arguments: Value,
    steps: Vec<Step>,
}

/// A step from a value to one in it.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Member(Box<str>),
    Item(usize),
}

impl Step {
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match self {
            Self::Member(name) => value.get(&**name),
            Self::Item(index) => value.get(index),
        }
    }

    fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        match self {
            Self::Member(name) => value.get_mut(&**name),
            Self::Item(index) => value.get_mut(index),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member(name) => f.write_str(name),
            Self::Item(index) => write!(f, "{index}"),
        }
    }
}

/// How one node leads to another.
#[derive(Debug, Clone)]
enum Edge {
    Same,
    Below(Step),
}

/// How every node is reached from the root: the node before it, and how that leads on.
#[derive(Debug)]
pub(super) struct Ways(Vec<Option<(NodeId, Edge)>>);

impl Ways {
    pub(super) fn of(checker: &Checker) -> Self {
        let mut before: Vec<Option<(NodeId, Edge)>> = vec![None; checker.len()];
        let mut reached = vec![ROOT];
        let mut next = 0;
        while let Some(id) = reached.get(next).copied() {
            next += 1;
            for (child, edge) in edges(checker, id) {
                if child != ROOT && before[child.index()].is_none() {
                    before[child.index()] = Some((id, edge));
                    reached.push(child);
                }
            }
        }
        Self(before)
    }

    /// Whether the node applies to anything: `null` for a member that may be left out has a node that does not.
    pub(super) fn reach(&self, id: NodeId) -> bool {
        id == ROOT || self.0.get(id.index()).is_some_and(Option::is_some)
    }

    /// The object whose member the node describes, in whatever part of it.
    pub(super) fn holder(&self, id: NodeId) -> Option<NodeId> {
        let (before, edge) = self.0.get(id.index())?.as_ref()?;
        match edge {
            Edge::Same => self.holder(*before),
            Edge::Below(Step::Member(_)) => Some(*before),
            Edge::Below(Step::Item(_)) => None,
        }
    }

    /// The nodes that apply to the same value before this one does, and this one.
    fn around(&self, id: NodeId) -> Vec<NodeId> {
        let mut around = vec![id];
        let mut at = id;
        while let Some(Some((before, Edge::Same))) = self.0.get(at.index()) {
            around.push(*before);
            at = *before;
        }
        around
    }

    /// The nodes from the root to the one before `target`, each with how it leads on.
    fn to(&self, target: NodeId) -> Option<Vec<(NodeId, Edge)>> {
        let mut way = Vec::new();
        let mut at = target;
        while at != ROOT {
            let (before, edge) = self.0[at.index()].clone()?;
            way.push((before, edge));
            at = before;
        }
        way.reverse();
        Some(way)
    }
}

/// What a node leads to.
fn edges(checker: &Checker, id: NodeId) -> Vec<(NodeId, Edge)> {
    let node = checker.node(id);
    let parts = &node.in_place;
    let same = parts.reference.into_iter().chain(parts.all_of.iter().copied()).chain(parts.arms());
    let mut found: Vec<(NodeId, Edge)> = same.map(|part| (part, Edge::Same)).collect();
    let member = |name: &str| Edge::Below(Step::Member(name.into()));
    found.extend(node.object.properties.iter().map(|(name, child)| (*child, member(name))));
    found.extend(node.object.patterns.iter().filter_map(|(pattern, child)| {
        let name = crate::schema::pattern::matching(pattern.as_str())?;
        Some((*child, member(&name)))
    }));
    found.extend(node.object.additional.map(|child| {
        let key = node.object.names.and_then(|names| example::minimal_at(checker, names));
        let mut names = (0..=node.object.properties.len()).map(|number| format!("name{number}"));
        let free = || names.find(|name| node.object.position(name).is_none());
        let key = key.as_ref().and_then(Value::as_str).map(str::to_owned).or_else(free).unwrap_or_default();
        (child, member(&key))
    }));
    let array = &node.array;
    found.extend(array.prefix.iter().enumerate().map(|(at, child)| (*child, Edge::Below(Step::Item(at)))));
    // What stands beside the places of a tuple for clients applies to none of its items.
    let is_tuple = array.max_items.is_some_and(|most| most <= array.prefix.len() as u64);
    let items = array.items.filter(|_| !is_tuple || array.prefix.is_empty());
    found.extend(items.map(|child| (child, Edge::Below(Step::Item(array.prefix.len())))));
    found
}

impl Place {
    /// The first place, from the root on, that the node applies to.
    pub(super) fn of(checker: &Checker, ways: &Ways, target: NodeId) -> Option<Self> {
        let way = ways.to(target)?;
        let arguments = arguments(checker, &way, target)?;
        let steps = way
            .into_iter()
            .filter_map(|(_, edge)| match edge {
                Edge::Same => None,
                Edge::Below(step) => Some(step),
            })
            .collect();
        Some(Self { arguments, steps })
    }

    /// The whole of the arguments.
    pub(super) fn arguments(&self) -> &Value {
        &self.arguments
    }

    /// What stands in the place.
    pub(super) fn value(&self) -> Option<&Value> {
        self.steps.iter().try_fold(&self.arguments, |value, step| step.of(value))
    }

    /// The name of the member that the place is, if it is one.
    pub(super) fn name(&self) -> Option<&str> {
        match self.steps.last()? {
            Step::Member(name) => Some(name),
            Step::Item(_) => None,
        }
    }

    /// The arguments without the member that the place is.
    pub(super) fn without(&self) -> Option<Value> {
        let (name, before) = (self.name()?, &self.steps[..self.steps.len() - 1]);
        let mut arguments = self.arguments.clone();
        let parent = before.iter().try_fold(&mut arguments, |value, step| step.of_mut(value))?;
        parent.as_object_mut()?.shift_remove(name)?;
        Some(arguments)
    }

    /// The arguments with another value in the place, and one beside it.
    pub(super) fn with_two(&self, value: Value, name: &str, other: Value) -> Option<Value> {
        let mut arguments = self.with(value)?;
        let (_, before) = self.steps.split_last()?;
        let parent = before.iter().try_fold(&mut arguments, |value, step| step.of_mut(value))?;
        parent.as_object_mut()?.insert(name.to_owned(), other);
        Some(arguments)
    }

    /// `arguments` with a member beside the place a second time.
    pub(super) fn with_again(&self, mut arguments: Value, name: &str) -> Option<Value> {
        let (_, before) = self.steps.split_last()?;
        let parent = before.iter().try_fold(&mut arguments, |value, step| step.of_mut(value))?;
        let members = parent.as_object_mut()?;
        let member = members.get(name)?.clone();
        members.insert(format!("{AGAIN}{name}"), member);
        Some(arguments)
    }

    /// The arguments with another value in the place.
    pub(super) fn with(&self, value: Value) -> Option<Value> {
        let mut arguments = self.arguments.clone();
        let place = self.steps.iter().try_fold(&mut arguments, |value, step| step.of_mut(value))?;
        *place = value;
        Some(arguments)
    }
}

/// Small arguments through which `way` leads.
fn arguments(checker: &Checker, way: &[(NodeId, Edge)], target: NodeId) -> Option<Value> {
    let mut value = example::minimal_at(checker, target)?;
    for (id, edge) in way.iter().rev() {
        value = match edge {
            Edge::Same => match value {
                Value::Object(members) => {
                    let mut whole = example::members_of(checker, *id, None).unwrap_or_default();
                    whole.extend(members);
                    Value::Object(whole)
                }
                other => other,
            },
            Edge::Below(Step::Member(name)) => {
                let mut members = example::members_of(checker, *id, Some(name)).unwrap_or_default();
                members.insert(name.to_string(), value);
                Value::Object(members)
            }
            Edge::Below(Step::Item(index)) => {
                let array = &checker.node(*id).array;
                let before =
                    array.prefix.iter().take(*index).map(|child| example::minimal_at(checker, *child));
                let mut items = before.collect::<Option<Vec<_>>>()?;
                items.push(value);
                let least = usize::try_from(array.min_items.unwrap_or(0)).ok()?;
                for at in items.len()..least.min(64) {
                    let child = array.prefix.get(at).copied().or(array.items);
                    items.push(child.map_or(Some(Value::Null), |child| example::minimal_at(checker, child))?);
                }
                Value::Array(items)
            }
        };
    }
    Some(value)
}
