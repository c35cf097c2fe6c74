//! Locations of the nodes of a schema: for each, arguments with a value that it applies to.

use std::fmt;
use std::sync::OnceLock;

use serde_json::Value;

use super::checker::{Checker, NodeId, ROOT};
use super::example;
use crate::probe::DUPLICATE;

/// The locations of all nodes, each computed on first use.
#[derive(Debug)]
pub(super) struct Places {
    paths: OnceLock<Paths>,
    places: Vec<OnceLock<Option<Place>>>,
}

impl Places {
    pub(super) fn new(checker: &Checker) -> Self {
        Self { paths: OnceLock::new(), places: checker.ids().map(|_| OnceLock::new()).collect() }
    }

    /// Whether the node applies to any value.
    pub(super) fn is_reachable(&self, checker: &Checker, id: NodeId) -> bool {
        self.paths.get_or_init(|| Paths::of(checker)).is_reachable(id)
    }

    /// The object that has the node as a member.
    pub(super) fn parent_object(&self, checker: &Checker, id: NodeId) -> Option<NodeId> {
        self.paths.get_or_init(|| Paths::of(checker)).parent_object(id)
    }

    /// The nodes that apply to a value before this one: those that lead here through references, `allOf` and
    /// arms.
    pub(super) fn enclosing(&self, checker: &Checker, id: NodeId) -> Vec<NodeId> {
        self.paths.get_or_init(|| Paths::of(checker)).enclosing(id)
    }

    pub(super) fn of(&self, checker: &Checker, id: NodeId) -> Option<&Place> {
        let paths = self.paths.get_or_init(|| Paths::of(checker));
        self.places.get(id.index())?.get_or_init(|| Place::of(checker, paths, id)).as_ref()
    }
}

/// Small arguments with a location in them.
#[derive(Debug)]
pub(super) struct Place {
    arguments: Value,
    steps: Vec<Step>,
}

/// A step from a value to one inside it.
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

/// For every node, the preceding node on the path from the root, and how it leads here.
#[derive(Debug)]
pub(super) struct Paths(Vec<Option<(NodeId, Edge)>>);

impl Paths {
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

    /// Returns whether the node applies to any value. The node of `null` for an optional member does not.
    pub(super) fn is_reachable(&self, id: NodeId) -> bool {
        id == ROOT || self.0.get(id.index()).is_some_and(Option::is_some)
    }

    /// Returns the object that has the node as a member of any of its parts.
    pub(super) fn parent_object(&self, id: NodeId) -> Option<NodeId> {
        let (before, edge) = self.0.get(id.index())?.as_ref()?;
        match edge {
            Edge::Same => self.parent_object(*before),
            Edge::Below(Step::Member(_)) => Some(*before),
            Edge::Below(Step::Item(_)) => None,
        }
    }

    /// Returns the nodes that apply to the same value before this one, and this one.
    fn enclosing(&self, id: NodeId) -> Vec<NodeId> {
        let mut enclosing = vec![id];
        let mut at = id;
        while let Some(Some((before, Edge::Same))) = self.0.get(at.index()) {
            enclosing.push(*before);
            at = *before;
        }
        enclosing
    }

    /// Returns the nodes from the root to the parent of `target`, each with the edge to the next one.
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

/// Returns the edges of a node.
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
    // The `items` of a tuple, which are for clients, apply to none of its items.
    let is_tuple = array.max_items.is_some_and(|most| most <= array.prefix.len() as u64);
    let items = array.items.filter(|_| !is_tuple || array.prefix.is_empty());
    found.extend(items.map(|child| (child, Edge::Below(Step::Item(array.prefix.len())))));
    found
}

impl Place {
    /// Returns the first location, from the root, that the node applies to.
    pub(super) fn of(checker: &Checker, paths: &Paths, target: NodeId) -> Option<Self> {
        let way = paths.to(target)?;
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

    /// Returns the whole arguments.
    pub(super) fn arguments(&self) -> &Value {
        &self.arguments
    }

    /// Returns the value at this location.
    pub(super) fn value(&self) -> Option<&Value> {
        self.steps.iter().try_fold(&self.arguments, |value, step| step.of(value))
    }

    /// Returns the name of the member, if the location is one.
    pub(super) fn name(&self) -> Option<&str> {
        match self.steps.last()? {
            Step::Member(name) => Some(name),
            Step::Item(_) => None,
        }
    }

    /// Returns the arguments without the member at this location.
    pub(super) fn without(&self) -> Option<Value> {
        let (name, before) = (self.name()?, &self.steps[..self.steps.len() - 1]);
        let mut arguments = self.arguments.clone();
        let parent = before.iter().try_fold(&mut arguments, |value, step| step.of_mut(value))?;
        parent.as_object_mut()?.shift_remove(name)?;
        Some(arguments)
    }

    /// Returns the arguments with another value at this location, and one next to it.
    pub(super) fn with_two(&self, value: Value, name: &str, other: Value) -> Option<Value> {
        let mut arguments = self.with(value)?;
        let (_, before) = self.steps.split_last()?;
        let parent = before.iter().try_fold(&mut arguments, |value, step| step.of_mut(value))?;
        parent.as_object_mut()?.insert(name.to_owned(), other);
        Some(arguments)
    }

    /// Returns `arguments` with a duplicate of a member next to this location.
    pub(super) fn with_duplicate(&self, mut arguments: Value, name: &str) -> Option<Value> {
        let (_, before) = self.steps.split_last()?;
        let parent = before.iter().try_fold(&mut arguments, |value, step| step.of_mut(value))?;
        let members = parent.as_object_mut()?;
        let member = members.get(name)?.clone();
        members.insert(format!("{DUPLICATE}{name}"), member);
        Some(arguments)
    }

    /// Returns the arguments with another value at this location.
    pub(super) fn with(&self, value: Value) -> Option<Value> {
        let mut arguments = self.arguments.clone();
        let place = self.steps.iter().try_fold(&mut arguments, |value, step| step.of_mut(value))?;
        *place = value;
        Some(arguments)
    }
}

/// Returns small arguments that contain `way`.
fn arguments(checker: &Checker, way: &[(NodeId, Edge)], target: NodeId) -> Option<Value> {
    let mut value = example::minimal_at(checker, target)?;
    for (id, edge) in way.iter().rev() {
        value = match edge {
            Edge::Same => match value {
                Value::Object(members) => {
                    let mut whole = example::required_members(checker, *id, None).unwrap_or_default();
                    whole.extend(members);
                    Value::Object(whole)
                }
                other => other,
            },
            Edge::Below(Step::Member(name)) => {
                let mut members = example::required_members(checker, *id, Some(name)).unwrap_or_default();
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
