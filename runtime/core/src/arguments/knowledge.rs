//! What is known of a type for all calls: whether serde enforces its schema, and which members belong together.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde_json::{Map, Value, json};

use super::checker::{Beyond, Checker, Exact, NodeId, Types};
use super::example;
use super::places::{Place, Places};
use super::swallowed::Swallowing;
use crate::probe::{Answer, Names, Told};

/// How many members a flattened `Option` may need.
const MAX_NEEDED: usize = 32;

/// Lets the type read arguments.
pub(super) type Probe<'p> = &'p dyn Fn(&Value) -> Answer;

/// What is known of a type for all calls.
#[derive(Debug, Default)]
pub(super) struct Knowledge {
    /// Whether serde by itself refuses whatever the schema refuses, but for names and rules about single values.
    pub(super) is_plain: bool,
    /// Of objects with flattened `Option`s: properties with those that must come with them, by position.
    pub(super) needs: HashMap<NodeId, Vec<(usize, Vec<usize>)>>,
    /// Where serde swallows what is wrong.
    pub(super) swallowing: Swallowing,
    /// Of each node, what no call changes.
    pub(super) fixed: Vec<Fixed>,
}

/// What is found out about a node when it is first needed.
#[derive(Debug, Default)]
pub(super) struct Fixed {
    /// All names of its members or texts.
    pub(super) names: OnceLock<Option<Names>>,
    /// Whether it takes any text beside those that it lists.
    pub(super) takes_any: OnceLock<bool>,
}

impl Knowledge {
    /// Asks the type about every object of its schema.
    pub(super) fn of(checker: &Checker, places: &Places, probe: Probe<'_>) -> Self {
        let mut knowledge =
            Self { is_plain: checker.root().beyond_serde < Beyond::Everything, ..Self::default() };
        knowledge.fixed.resize_with(checker.len(), Fixed::default);
        for id in checker.ids().filter(|id| !checker.node(*id).object.properties.is_empty()) {
            knowledge.learn(checker, places, probe, id);
        }
        knowledge.is_plain = knowledge.is_plain
            && checker.ids().filter(|id| places.reach(checker, *id)).all(|id| {
                let place = places.of(checker, id);
                is_enforced(checker, id, place, probe)
            });
        if !knowledge.is_plain {
            knowledge.swallowing = Swallowing::of(checker, places, probe);
        }
        knowledge
    }

    /// Objects of which members must come together: which with which, by position.
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
        let ask = |members: Map<String, Value>| place.with(Value::Object(members)).map(|value| probe(&value));
        let Some(before) = ask(base.clone()).filter(|answer| answer.is_read) else {
            self.is_plain = false;
            return;
        };
        // Whatever serde makes of a value that the schema refuses, it must refuse it.
        let mut swallowed = HashMap::new();
        for (at, (name, child)) in object.properties.iter().enumerate() {
            let Some(wrong) = wrong_for(checker, *child) else { continue };
            let mut members = base.clone();
            members.insert(name.to_string(), wrong);
            if let Some(answer) = ask(members).filter(|answer| answer.is_read) {
                self.is_plain = false;
                swallowed.insert(at, answer);
            }
        }
        for (first, (name, _)) in object.properties.iter().enumerate() {
            // In a type that holds itself the same member is missing further out as well.
            let times_missing = |answer: &Answer| answer.count(&Told::Missing(name.to_string()));
            let missing_before = times_missing(&before);
            if object.requires(name) || missing_before == 0 || !swallowed.contains_key(&first) {
                continue;
            }
            // It may be missing from another variant.
            if checker.is_needed_beside(id, name) {
                continue;
            }
            let needed = needed(checker, id, first, base, &before, &ask);
            // What the object needs in any case, such as the tag of its variant, asks for nothing more.
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

/// Whether serde refuses by itself what the node refuses.
fn is_enforced(checker: &Checker, id: NodeId, place: Option<&Place>, probe: Probe<'_>) -> bool {
    let mut wrong = just_outside(checker, id);
    wrong.extend(wrong_for(checker, id));
    // What takes anything has nothing to enforce, nor has what takes nothing, which stands for names alone.
    if checker.node(id).never || (wrong.is_empty() && checker.constants(id).is_none()) {
        return true;
    }
    let Some(place) = place else { return false };
    let reads = |value: Value| place.with(value).is_some_and(|value| probe(&value).is_read);
    let listed = checker.constants(id).and_then(|allowed| allowed.iter().find(|value| value.is_string()));
    // An enum reads its variants from an object too; a type that looks for itself may read more than is listed.
    let is_variants = listed.and_then(Value::as_str).is_none_or(|name| reads(json!({ name: null })));
    is_variants && !wrong.into_iter().any(reads)
}

/// What is just beside a Rust type: of an integer a fraction, and the two numbers beside its bounds; of `()` what is empty.
fn just_outside(checker: &Checker, id: NodeId) -> Vec<Value> {
    let types = checker.types(id);
    if types == Types::NULL {
        // Serde reads these as nothing, where it reads from a copy.
        return vec![json!({}), json!([])];
    }
    if !types.has(Types::INTEGER) || types.has(Types::NUMBER) {
        return Vec::new();
    }
    let node = checker.node(id);
    let mut wrong = vec![json!(1.5)];
    // Bounds of the author's are rules, which are looked at in the text.
    if node.beyond_serde == Beyond::Nothing {
        let bounds = [(node.number.minimum, -1), (node.number.maximum, 1)];
        wrong.extend(bounds.into_iter().filter_map(|(bound, step)| match bound? {
            Exact::Whole(bound) => Some(Exact::Whole(bound.saturating_add(step)).to_value()),
            Exact::Fraction(_) => None,
        }));
    }
    wrong
}

/// The properties that must all come for the one at `first` to be read.
fn needed(
    checker: &Checker,
    id: NodeId,
    first: usize,
    base: &Map<String, Value>,
    before: &Answer,
    ask: &dyn Fn(Map<String, Value>) -> Option<Answer>,
) -> Vec<usize> {
    let object = &checker.node(id).object;
    let mut needed = vec![first];
    let mut members = base.clone();
    while needed.len() < MAX_NEEDED {
        let Some(last) = needed.last().map(|at| &object.properties[*at]) else { break };
        let Some(sample) = example::minimal_at(checker, last.1) else { break };
        members.insert(last.0.to_string(), sample);
        let Some(answer) = ask(members.clone()) else { break };
        let is_new = |told: &&Told| answer.count(told) > before.count(told);
        let next = answer.told.iter().filter(is_new).find_map(|told| match told {
            Told::Missing(name) => object.position(name).filter(|at| !needed.contains(at)),
            _ => None,
        });
        let Some(next) = next else { break };
        needed.push(next);
    }
    needed
}

/// A value that the node refuses, and a type that is described by it as well; `None` where anything fits.
pub(super) fn wrong_for(checker: &Checker, id: NodeId) -> Option<Value> {
    if checker.constants(id).is_some_and(|allowed| allowed.iter().any(Value::is_string)) {
        return Some(UNLIKELY.into());
    }
    wrong_values().into_iter().find(|wrong| !checker.types(id).overlaps(Types::of(wrong)))
}

/// Values of all types, of which few types take more than one.
fn wrong_values() -> [Value; 4] {
    [json!(true), json!(UNLIKELY), json!({ UNLIKELY: [[]] }), json!([[[]]])]
}

/// A text that nothing is called.
pub(super) const UNLIKELY: &str = "\u{1}?";
