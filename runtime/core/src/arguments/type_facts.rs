//! Facts about a type that hold for all calls: whether serde enforces its schema, and which members belong
//! together.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde_json::{Map, Value, json};

use super::checker::{Beyond, Checker, Exact, NodeId, Types};
use super::example;
use super::places::{Place, Places};
use super::swallowed::SwallowingObjects;
use crate::probe::{Names, ProbeResult, ReadError};

/// Maximum number of members that a flattened `Option` may require.
const MAX_NEEDED: usize = 32;

/// Deserializes arguments as the type.
pub(super) type Probe<'p> = &'p dyn Fn(&Value) -> ProbeResult;

/// Facts about a type that hold for all calls.
#[derive(Debug, Default)]
pub(super) struct TypeFacts {
    /// Whether serde by itself rejects everything that the schema rejects, except unknown names and constraints
    /// of single values.
    pub(super) is_plain: bool,
    /// For objects with flattened `Option`s: properties and the properties that they require, by position.
    pub(super) needs: HashMap<NodeId, Vec<(usize, Vec<usize>)>>,
    /// Where serde swallows errors.
    pub(super) swallowing: SwallowingObjects,
    /// Facts about each node.
    pub(super) nodes: Vec<NodeFacts>,
}

/// Facts about a node, computed on first use.
#[derive(Debug, Default)]
pub(super) struct NodeFacts {
    /// All names of its members or variants.
    pub(super) names: OnceLock<Option<Names>>,
    /// Whether it accepts strings that it does not list.
    pub(super) accepts_any: OnceLock<bool>,
}

impl TypeFacts {
    /// Queries the type about every object of its schema.
    pub(super) fn of(checker: &Checker, places: &Places, probe: Probe<'_>) -> Self {
        let mut facts =
            Self { is_plain: checker.root().beyond_serde < Beyond::Everything, ..Self::default() };
        facts.nodes.resize_with(checker.len(), NodeFacts::default);
        for id in checker.ids().filter(|id| !checker.node(*id).object.properties.is_empty()) {
            facts.learn(checker, places, probe, id);
        }
        facts.is_plain = facts.is_plain
            && checker.ids().filter(|id| places.is_reachable(checker, *id)).all(|id| {
                let place = places.of(checker, id);
                is_enforced(checker, id, place, probe)
            });
        if !facts.is_plain {
            facts.swallowing = SwallowingObjects::of(checker, places, probe);
        }
        facts
    }

    /// Returns the objects with members that must be present together, by position.
    pub(super) fn all_needs(&self) -> impl Iterator<Item = (NodeId, &[(usize, Vec<usize>)])> {
        let mut all: Vec<_> = self.needs.iter().map(|(id, needs)| (*id, needs.as_slice())).collect();
        all.sort_unstable();
        all.into_iter()
    }

    fn learn(&mut self, checker: &Checker, places: &Places, probe: Probe<'_>, id: NodeId) {
        let object = &checker.node(id).object;
        let place = places.of(checker, id);
        let (Some(place), Some(Value::Object(base))) = (place, place.and_then(Place::value)) else {
            self.is_plain = false;
            return;
        };
        let query =
            |members: Map<String, Value>| place.with(Value::Object(members)).map(|value| probe(&value));
        let Some(before) = query(base.clone()).filter(|answer| answer.is_read) else {
            self.is_plain = false;
            return;
        };
        // Serde must reject every value that the schema rejects.
        let mut swallowed = HashMap::new();
        for (at, (name, child)) in object.properties.iter().enumerate() {
            let Some(wrong) = generate_rejected_value(checker, *child) else { continue };
            let mut members = base.clone();
            members.insert(name.to_string(), wrong);
            if let Some(answer) = query(members).filter(|answer| answer.is_read) {
                self.is_plain = false;
                swallowed.insert(at, answer);
            }
        }
        for (first, (name, _)) in object.properties.iter().enumerate() {
            // In a recursive type, the same member is missing at an outer level as well.
            let times_missing = |answer: &ProbeResult| answer.count(&ReadError::Missing(name.to_string()));
            let missing_before = times_missing(&before);
            if object.requires(name) || missing_before == 0 || !swallowed.contains_key(&first) {
                continue;
            }
            // It may be missing from another variant.
            if checker.is_needed_beside(id, name) {
                continue;
            }
            let needed = required_together(checker, id, first, base, &before, &query);
            // Members that are always required, such as a tag, add no dependency.
            let is_always = |at: &usize| object.requires(&object.properties[*at].0);
            let with_it = swallowed.iter().filter(|(at, answer)| {
                !needed.contains(at) && !is_always(at) && times_missing(answer) < missing_before
            });
            let members: Vec<usize> = with_it.map(|(at, _)| *at).chain(needed.iter().copied()).collect();
            let needs = self.needs.entry(id).or_default();
            for member in members {
                let others = needed.iter().copied().filter(|other| *other != member).collect();
                needs.push((member, others));
            }
        }
        if let Some(needs) = self.needs.get_mut(&id) {
            needs.sort_unstable();
        }
    }
}

/// Returns whether serde by itself rejects what the node rejects.
fn is_enforced(checker: &Checker, id: NodeId, place: Option<&Place>, probe: Probe<'_>) -> bool {
    let mut wrong = out_of_range_values(checker, id);
    wrong.extend(generate_rejected_value(checker, id));
    // A node that accepts everything enforces nothing, and neither does one that accepts nothing and only
    // reserves names.
    if checker.node(id).never || (wrong.is_empty() && checker.constants(id).is_none()) {
        return true;
    }
    let Some(place) = place else { return false };
    let reads = |value: Value| place.with(value).is_some_and(|value| probe(&value).is_read);
    let listed = checker.constants(id).and_then(|allowed| allowed.iter().find(|value| value.is_string()));
    // An enum can also be deserialized from an object; a type with its own `Deserialize` may accept unlisted
    // values.
    let is_variants = listed.and_then(Value::as_str).is_none_or(|name| reads(json!({ name: null })));
    is_variants && !wrong.into_iter().any(reads)
}

/// Returns the values just outside of a Rust type: for an integer a fraction and the neighbours of its bounds,
/// for `()` empty containers.
fn out_of_range_values(checker: &Checker, id: NodeId) -> Vec<Value> {
    let types = checker.types(id);
    if types == Types::NULL {
        // Serde reads these as `()` if it reads from a buffer.
        return vec![json!({}), json!([])];
    }
    if !types.has(Types::INTEGER) || types.has(Types::NUMBER) {
        return Vec::new();
    }
    let node = checker.node(id);
    let mut wrong = vec![json!(1.5)];
    // Bounds by the author are constraints, which are checked in the text.
    if node.beyond_serde == Beyond::Nothing {
        let bounds = [(node.number.minimum, -1), (node.number.maximum, 1)];
        wrong.extend(bounds.into_iter().filter_map(|(bound, step)| match bound? {
            Exact::Whole(bound) => Some(Exact::Whole(bound.saturating_add(step)).to_value()),
            Exact::Fraction(_) => None,
        }));
    }
    wrong
}

/// Returns the properties that must all be present for the one at `first` to be read.
fn required_together(
    checker: &Checker,
    id: NodeId,
    first: usize,
    base: &Map<String, Value>,
    before: &ProbeResult,
    query: &dyn Fn(Map<String, Value>) -> Option<ProbeResult>,
) -> Vec<usize> {
    let object = &checker.node(id).object;
    let mut needed = vec![first];
    let mut members = base.clone();
    while needed.len() < MAX_NEEDED {
        let Some(last) = needed.last().map(|at| &object.properties[*at]) else { break };
        let Some(sample) = example::minimal_at(checker, last.1) else { break };
        members.insert(last.0.to_string(), sample);
        let Some(answer) = query(members.clone()) else { break };
        let is_new = |error: &&ReadError| answer.count(error) > before.count(error);
        let next = answer.errors.iter().filter(is_new).find_map(|error| match error {
            ReadError::Missing(name) => object.position(name).filter(|at| !needed.contains(at)),
            _ => None,
        });
        let Some(next) = next else { break };
        needed.push(next);
    }
    needed
}

/// Returns a value that the node rejects, but that another type with the same schema accepts; `None` if it
/// accepts everything.
pub(super) fn generate_rejected_value(checker: &Checker, id: NodeId) -> Option<Value> {
    if checker.constants(id).is_some_and(|allowed| allowed.iter().any(Value::is_string)) {
        return Some(UNLIKELY.into());
    }
    sample_values().into_iter().find(|wrong| !checker.types(id).overlaps(Types::of(wrong)))
}

/// Values of all JSON types; few types accept more than one.
fn sample_values() -> [Value; 4] {
    [json!(true), json!(UNLIKELY), json!({ UNLIKELY: [[]] }), json!([[[]]])]
}

/// A string that is the name of nothing.
pub(super) const UNLIKELY: &str = "\u{1}?";
