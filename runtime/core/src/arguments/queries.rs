//! Queries a type on behalf of one call: other names of fields and variants, and values that the schema does not
//! describe.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use serde_json::{Value, json};

use super::checker::{Checker, NodeId, TypeInfo};
use super::example;
use super::places::{Place, Places};
use super::type_facts::{Probe, TypeFacts, UNLIKELY, generate_rejected_value};
use crate::probe::{DUPLICATE, Names, ProbeResult, ReadError, names_of};

/// Maximum number of values that the type deserializes for one call. It bounds the cost of calls with unknown
/// names.
pub(super) const MAX_QUERIES: usize = 256;
/// Maximum number of variants that are tried by index.
const MAX_VARIANTS: usize = 16;
/// The queries of one call, with their cached results.
pub(super) struct Queries<'r> {
    pub(super) checker: &'r Checker,
    pub(super) places: &'r Places,
    pub(super) facts: &'r TypeFacts,
    pub(super) probe: Probe<'r>,
    left: Cell<usize>,
    aliases: RefCell<Answers<Option<usize>>>,
    unlisted: RefCell<Answers<bool>>,
    of_type: RefCell<Answers<bool>>,
    names_read: RefCell<Answers<bool>>,
}

/// Results by node and by the value that was tried.
type Answers<T> = HashMap<(NodeId, Box<str>), T>;

impl<'r> Queries<'r> {
    pub(super) fn new(
        checker: &'r Checker,
        places: &'r Places,
        facts: &'r TypeFacts,
        probe: Probe<'r>,
    ) -> Self {
        Self {
            checker,
            places,
            facts,
            probe,
            left: Cell::new(MAX_QUERIES),
            aliases: RefCell::default(),
            unlisted: RefCell::default(),
            of_type: RefCell::default(),
            names_read: RefCell::default(),
        }
    }

    /// Returns the outcome of deserializing `value` at this location, or `None` once the budget is used up.
    fn query(&self, place: &Place, value: Value) -> Option<ProbeResult> {
        self.left.set(self.left.get().checked_sub(1)?);
        Some((self.probe)(&place.with(value)?))
    }

    /// Returns whether the type deserializes the value with no more swallowed errors than `before`: a flattened
    /// `Option` reads invalid content as `None`.
    fn accepts(&self, place: &Place, value: Value, before: &ProbeResult) -> bool {
        self.query(place, value).is_some_and(|answer| answer.is_as_good_as(before))
    }

    /// Returns whether the type lists its names and this is none of them, so that no query is needed.
    fn is_unknown_name(&self, id: NodeId, name: &str) -> bool {
        let Some(fixed) = self.facts.nodes.get(id.index()) else { return false };
        fixed.names.get_or_init(|| self.names(id)).is_some_and(|names| !names.contains(&name))
    }

    /// Returns the names that the type lists for its members or variants, if they include all names of the
    /// schema.
    fn names(&self, id: NodeId) -> Option<Names> {
        let place = self.places.of(self.checker, id)?;
        let names = names_of(place.value()?, || drop((self.probe)(place.arguments())))?;
        let node = self.checker.node(id);
        let mut shown = node.object.properties.iter().map(|(name, _)| &**name);
        let mut listed = node.allowed.iter().flatten().filter_map(Value::as_str);
        (shown.all(|name| names.contains(&name)) && listed.all(|name| names.contains(&name))).then_some(names)
    }

    /// Returns whether the node accepts a string that is the name of nothing.
    fn accepts_any(&self, id: NodeId) -> bool {
        let Some(fixed) = self.facts.nodes.get(id.index()) else { return false };
        // A budget of its own: the result is used for all calls.
        let queries = || Queries::new(self.checker, self.places, self.facts, self.probe);
        *fixed.accepts_any.get_or_init(|| queries().is_unlisted(id, UNLIKELY))
    }

    fn find_alias(&self, id: NodeId, name: &str) -> Option<usize> {
        if self.is_unknown_name(id, name) {
            return None;
        }
        let object = &self.checker.node(id).object;
        let place = self.places.of(self.checker, id)?;
        let base = place.value()?.as_object()?;
        let alone = &self.query(place, base.clone().into())?;
        let without = |left_out: &str, more: &[(&str, Value)]| {
            let mut members = base.clone();
            members.shift_remove(left_out);
            members.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
            Value::Object(members)
        };
        if let ([(property, child)], [_]) = (&object.properties[..], &object.required[..]) {
            // An externally tagged variant has exactly one member.
            let sample = base.get(&**property)?;
            let accepts = |value: Value| self.accepts(place, without(property, &[(name, value)]), alone);
            let is_other_name = accepts(sample.clone())
                && !generate_rejected_value(self.checker, *child).is_some_and(accepts);
            return is_other_name.then_some(0);
        }
        // An unknown name is ignored, whatever its value.
        let with = |value: Value| without("", &[(name, value)]);
        let is_ignored = |wrong: Value| {
            self.query(place, with(wrong))
                .is_none_or(|answer| answer.is_read && answer.errors == alone.errors)
        };
        let is_unknown = is_ignored(json!(true)) && is_ignored(json!({ UNLIKELY: [[]] }));
        let repeats = |(property, child): &(Box<str>, NodeId)| {
            let sample = base.get(&**property).cloned().or_else(|| example::minimal_at(self.checker, *child));
            let is_repeated = |sample: Value| {
                let both = without("", &[(property, sample.clone()), (name, sample)]);
                self.query(place, both)
                    .is_some_and(|answer| answer.has(&ReadError::Repeated(property.to_string())))
            };
            // The type may reject the example of its schema.
            let usual = || self.checker.node(*child).usual.map(Value::from);
            sample.is_some_and(is_repeated) || usual().is_some_and(is_repeated)
        };
        // A member that accepts any value looks like an unknown one.
        let is_free =
            |(_, child): &(Box<str>, NodeId)| generate_rejected_value(self.checker, *child).is_none();
        let found = object.properties.iter().position(|one| (!is_unknown || is_free(one)) && repeats(one));
        // Another variant may read this member under its own name.
        let replaces = |(property, _): &(Box<str>, NodeId)| {
            let is_meant = object.requires(property) && !self.checker.knows(name);
            let Some(sample) = base.get(&**property).filter(|_| is_meant) else { return false };
            self.accepts(place, without(property, &[(name, sample.clone())]), alone)
                && !self.accepts(place, without(property, &[]), alone)
        };
        found.or_else(|| object.properties.iter().position(replaces))
    }

    fn is_unlisted(&self, id: NodeId, text: &str) -> bool {
        let Some(place) = self.places.of(self.checker, id) else { return false };
        let Some(listed) = place.value().and_then(Value::as_str) else { return false };
        let Some(before) = &self.query(place, listed.into()) else { return false };
        let accepts = |value: Value| self.accepts(place, value, before);
        // If no value is rejected, the type does not read this location.
        if !accepts(text.into()) || accepts(json!([[[]]])) {
            return false;
        }
        // A variant can also be selected by an object or its index. A plain string cannot, so the list of its
        // schema is a constraint.
        let is_variant = accepts(json!({ listed: null }))
            || (0..MAX_VARIANTS).any(|number| accepts(json!(number)))
            || self.lists(place, text);
        is_variant && self.is_of_arm(id, place, text, before)
    }

    /// Returns whether the type lists the string among its variants when it rejects another one.
    fn lists(&self, place: &Place, text: &str) -> bool {
        let (refusal, name) = (format!("unknown variant `{UNLIKELY}`, expected "), format!("`{text}`"));
        let listed = |error: &ReadError| {
            error.message().strip_prefix(&refusal).is_some_and(|list| list.contains(&name))
        };
        self.query(place, UNLIKELY.into()).is_some_and(|answer| answer.errors.iter().any(listed))
    }

    /// In an enum with a tag, the string must select this variant, not one that ignores or rejects its members.
    fn is_of_arm(&self, id: NodeId, place: &Place, text: &str, before: &ProbeResult) -> bool {
        let Some(parent_object) = self.places.parent_object(self.checker, id) else { return true };
        let members = self
            .checker
            .unconditional_nodes(parent_object)
            .into_iter()
            .flat_map(|id| &self.checker.node(id).object.properties);
        let mut others = members.filter(|(name, _)| place.name() != Some(name));
        let is_read_as = |name: &str, child: NodeId, right: Value| {
            let Some(arguments) = place.with_two(text.into(), name, right.clone()) else { return true };
            let again = place
                .with_two(text.into(), name, right.clone())
                .and_then(|once| place.with_duplicate(once, name));
            let wrong = generate_rejected_value(self.checker, child)
                .and_then(|wrong| place.with_two(text.into(), name, wrong));
            // The variant may require other members under its own name.
            let listed =
                place.value().cloned().and_then(|listed| place.with_two(listed, name, right.clone()));
            let with_it =
                listed.and_then(|listed| self.probe_arguments(&listed)).filter(|answer| answer.is_read);
            let before = with_it.as_ref().unwrap_or(before);
            let is_taken = |arguments: Option<Value>| {
                arguments.is_some_and(|arguments| self.is_taken(&arguments, before))
            };
            // A member that is read must be unique and valid.
            is_taken(Some(arguments)) && (!is_taken(again) || (wrong.is_some() && !is_taken(wrong)))
        };
        let is_read = |name: &str, child: NodeId| {
            let Some(right) = example::minimal_at(self.checker, child) else { return true };
            // Many types accept integers.
            let fraction = Some(json!(1.5)).filter(|fraction| self.checker.is_valid(child, fraction));
            is_read_as(name, child, right)
                && fraction.is_none_or(|fraction| is_read_as(name, child, fraction))
        };
        // A map accepts a duplicate member, but no invalid one.
        let is_read_by_map = |child: NodeId| {
            let with = |value: Value| place.with_two(text.into(), UNLIKELY, value);
            let right = example::minimal_at(self.checker, child).and_then(with);
            let wrong = generate_rejected_value(self.checker, child).and_then(with);
            right.is_some_and(|right| self.is_taken(&right, before))
                && wrong.is_some_and(|wrong| !self.is_taken(&wrong, before))
        };
        // A member of a map is not a tag.
        let parts = self
            .checker
            .unconditional_nodes(parent_object)
            .into_iter()
            .map(|id| &self.checker.node(id).object);
        let is_tag = |name: &str| parts.clone().any(|object| object.position(name).is_some());
        let is_tag = place.name().is_some_and(is_tag);
        let mut further = parts
            .filter_map(|object| object.additional)
            .filter(|id| is_tag && !self.checker.node(*id).never)
            // A map of any values gives no evidence, and without another variant there is nothing to
            // distinguish.
            .filter(|rest| !self.checker.node(id).siblings.is_empty() || !self.checker.node(*rest).is_free());
        others.all(|(name, child)| is_read(name, *child)) && further.all(is_read_by_map)
    }

    fn is_taken(&self, arguments: &Value, before: &ProbeResult) -> bool {
        self.probe_arguments(arguments).is_some_and(|answer| answer.is_as_good_as(before))
    }

    fn probe_arguments(&self, arguments: &Value) -> Option<ProbeResult> {
        self.left.set(self.left.get().checked_sub(1)?);
        Some((self.probe)(arguments))
    }

    /// Whether the type accepts the value at the location of the node, ignoring the constraints of the schema.
    fn is_of_type(&self, id: NodeId, value: Value) -> bool {
        let Some(place) = self.places.of(self.checker, id) else { return true };
        let Some(before) = place.value().and_then(|value| self.query(place, value.clone())) else {
            return true;
        };
        self.query(place, value).is_none_or(|answer| answer.is_as_good_as(&before))
    }

    /// Returns whether the type accepts a further member with this name, ignoring the constraints of the schema.
    fn is_name_of_map(&self, id: NodeId, name: &str) -> bool {
        let further = self.checker.node(id).object.additional;
        let sample = further.and_then(|further| example::minimal_at(self.checker, further));
        let Some((place, sample)) = self.places.of(self.checker, id).zip(sample) else { return true };
        let Some(Value::Object(members)) = place.value() else { return true };
        let Some(before) = self.query(place, members.clone().into()) else { return true };
        let mut members = members.clone();
        members.insert(name.to_owned(), sample);
        self.query(place, members.into()).is_none_or(|answer| answer.is_as_good_as(&before))
    }

    /// Returns whether the value at `pointer` below this location makes no difference to the type.
    fn is_dropped(&self, id: NodeId, value: &Value, pointer: &str) -> bool {
        let Some(place) = self.places.of(self.checker, id) else { return true };
        let Some(before) = self.query(place, value.clone()) else { return true };
        // A member that is read must be unique and valid.
        let Some((parent, name)) = pointer.rsplit_once('/') else { return true };
        let name = name.replace("~1", "/").replace("~0", "~");
        let mut changed = value.clone();
        let Some(Value::Object(members)) = changed.pointer_mut(parent) else { return true };
        let Some(member) = members.get(&name).cloned() else { return true };
        let is_same = |changed: Value| {
            self.query(place, changed).is_none_or(|answer| {
                answer.is_read == before.is_read && answer.errors.len() <= before.errors.len()
            })
        };
        members.insert(name.clone(), json!({ UNLIKELY: [[]] }));
        let wrong = changed.clone();
        let Some(Value::Object(members)) = changed.pointer_mut(parent) else { return true };
        members.insert(name.clone(), member.clone());
        members.insert(format!("{DUPLICATE}{name}"), member);
        is_same(changed) && is_same(wrong)
    }
}

impl TypeInfo for Queries<'_> {
    fn alias(&self, id: NodeId, name: &str) -> Option<usize> {
        let key = (id, name.into());
        if let Some(known) = self.aliases.borrow().get(&key) {
            return *known;
        }
        let found = self.find_alias(id, name);
        self.aliases.borrow_mut().insert(key, found);
        found
    }

    fn accepts_unlisted(&self, id: NodeId, text: &str) -> bool {
        let key = (id, text.into());
        if let Some(known) = self.unlisted.borrow().get(&key) {
            return *known;
        }
        let found =
            if self.is_unknown_name(id, text) { self.accepts_any(id) } else { self.is_unlisted(id, text) };
        self.unlisted.borrow_mut().insert(key, found);
        found
    }

    fn reads(&self, id: NodeId, value: Value) -> bool {
        let key = (id, value.to_string().into());
        if let Some(known) = self.of_type.borrow().get(&key) {
            return *known;
        }
        let found = self.is_of_type(id, value);
        self.of_type.borrow_mut().insert(key, found);
        found
    }

    fn reads_form(&self, id: NodeId, text: &str) -> bool {
        self.reads(id, text.into()) && !self.reads(id, UNLIKELY.into())
    }

    fn reads_name(&self, id: NodeId, name: &str) -> bool {
        let key = (id, name.into());
        if let Some(known) = self.names_read.borrow().get(&key) {
            return *known;
        }
        let found = self.is_name_of_map(id, name);
        self.names_read.borrow_mut().insert(key, found);
        found
    }

    fn drops(&self, id: NodeId, value: &Value, pointer: &str) -> bool {
        self.is_dropped(id, value, pointer)
    }

    fn needs(&self, id: NodeId) -> &[(usize, Vec<usize>)] {
        self.facts.needs.get(&id).map_or(&[], Vec::as_slice)
    }
}
