//! What one call asks a type: other names of fields and variants, and what it reads where the schema shows something else.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use serde_json::{Value, json};

use super::checker::{Checker, Insight, NodeId};
use super::example;
use super::knowledge::{Knowledge, Probe, UNLIKELY, wrong_for};
use super::places::{Place, Places};
use crate::probe::{AGAIN, Answer, Names, Told, names_of};

/// How many values a type is given to read for the sake of one call, so that wrong names cost no more than this.
pub(super) const MAX_QUESTIONS: usize = 256;
/// How many variants of an enum are asked for by their number.
const MAX_VARIANTS: usize = 16;
/// What one call wants to know of a type.
pub(super) struct Ask<'r> {
    pub(super) checker: &'r Checker,
    pub(super) places: &'r Places,
    pub(super) knowledge: &'r Knowledge,
    pub(super) probe: Probe<'r>,
    left: Cell<usize>,
    aliases: RefCell<Answers<Option<usize>>>,
    unlisted: RefCell<Answers<bool>>,
    of_type: RefCell<Answers<bool>>,
    names_read: RefCell<Answers<bool>>,
}

/// Answers by node and by the text of the value.
type Answers<T> = HashMap<(NodeId, Box<str>), T>;

impl<'r> Ask<'r> {
    pub(super) fn new(
        checker: &'r Checker,
        places: &'r Places,
        knowledge: &'r Knowledge,
        probe: Probe<'r>,
    ) -> Self {
        Self {
            checker,
            places,
            knowledge,
            probe,
            left: Cell::new(MAX_QUESTIONS),
            aliases: RefCell::default(),
            unlisted: RefCell::default(),
            of_type: RefCell::default(),
            names_read: RefCell::default(),
        }
    }

    /// What the type makes of `value` in this place.
    fn ask(&self, place: &Place, value: Value) -> Option<Answer> {
        self.left.set(self.left.get().checked_sub(1)?);
        Some((self.probe)(&place.with(value)?))
    }

    /// Whether the type reads the value and swallows no more errors than `before` on the way: a flattened `Option` takes
    /// whatever does not fit for nothing.
    fn takes(&self, place: &Place, value: Value, before: &Answer) -> bool {
        self.ask(place, value).is_some_and(|answer| answer.is_as_good_as(before))
    }

    /// Whether the type says itself which names there are, and this is none of them: then there is nothing to ask.
    fn is_no_name(&self, id: NodeId, name: &str) -> bool {
        let Some(fixed) = self.knowledge.fixed.get(id.index()) else { return false };
        fixed.names.get_or_init(|| self.names(id)).is_some_and(|names| !names.contains(&name))
    }

    /// What the type calls its members or variants, where it knows all that the schema shows.
    fn names(&self, id: NodeId) -> Option<Names> {
        let place = self.places.of(self.checker, id)?;
        let names = names_of(place.value()?, || drop((self.probe)(place.arguments())))?;
        let node = self.checker.node(id);
        let mut shown = node.object.properties.iter().map(|(name, _)| &**name);
        let mut listed = node.allowed.iter().flatten().filter_map(Value::as_str);
        (shown.all(|name| names.contains(&name)) && listed.all(|name| names.contains(&name))).then_some(names)
    }

    /// Whether the node takes a text that nothing is called.
    fn takes_any(&self, id: NodeId) -> bool {
        let Some(fixed) = self.knowledge.fixed.get(id.index()) else { return false };
        // With questions of its own: the answer holds for all calls.
        let ask = || Ask::new(self.checker, self.places, self.knowledge, self.probe);
        *fixed.takes_any.get_or_init(|| ask().is_unlisted(id, UNLIKELY))
    }

    fn find_alias(&self, id: NodeId, name: &str) -> Option<usize> {
        if self.is_no_name(id, name) {
            return None;
        }
        let object = &self.checker.node(id).object;
        let place = self.places.of(self.checker, id)?;
        let base = place.value()?.as_object()?;
        let alone = &self.ask(place, base.clone().into())?;
        let without = |left_out: &str, more: &[(&str, Value)]| {
            let mut members = base.clone();
            members.shift_remove(left_out);
            members.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
            Value::Object(members)
        };
        if let ([(property, child)], [_]) = (&object.properties[..], &object.required[..]) {
            // The name of a variant stands alone, and no other beside it.
            let sample = base.get(&**property)?;
            let takes = |value: Value| self.takes(place, without(property, &[(name, value)]), alone);
            let is_other_name = takes(sample.clone()) && !wrong_for(self.checker, *child).is_some_and(takes);
            return is_other_name.then_some(0);
        }
        // A name that the type does not know is ignored, whatever stands under it.
        let with = |value: Value| without("", &[(name, value)]);
        let is_ignored = |wrong: Value| {
            self.ask(place, with(wrong)).is_none_or(|answer| answer.is_read && answer.told == alone.told)
        };
        let is_unknown = is_ignored(json!(true)) && is_ignored(json!({ UNLIKELY: [[]] }));
        let repeats = |(property, child): &(Box<str>, NodeId)| {
            let sample = base.get(&**property).cloned().or_else(|| example::minimal_at(self.checker, *child));
            let is_repeated = |sample: Value| {
                let both = without("", &[(property, sample.clone()), (name, sample)]);
                self.ask(place, both).is_some_and(|answer| answer.has(&Told::Repeated(property.to_string())))
            };
            // The type may not take what its schema has for an example.
            let usual = || self.checker.node(*child).usual.map(Value::from);
            sample.is_some_and(is_repeated) || usual().is_some_and(is_repeated)
        };
        // A member that takes any value looks as if it were unknown.
        let is_free = |(_, child): &(Box<str>, NodeId)| wrong_for(self.checker, *child).is_none();
        let found = object.properties.iter().position(|one| (!is_unknown || is_free(one)) && repeats(one));
        // Where another variant reads what stands there by its own name.
        let replaces = |(property, _): &(Box<str>, NodeId)| {
            let is_meant = object.requires(property) && !self.checker.knows(name);
            let Some(sample) = base.get(&**property).filter(|_| is_meant) else { return false };
            self.takes(place, without(property, &[(name, sample.clone())]), alone)
                && !self.takes(place, without(property, &[]), alone)
        };
        found.or_else(|| object.properties.iter().position(replaces))
    }

    fn is_unlisted(&self, id: NodeId, text: &str) -> bool {
        let Some(place) = self.places.of(self.checker, id) else { return false };
        let Some(listed) = place.value().and_then(Value::as_str) else { return false };
        let Some(before) = &self.ask(place, listed.into()) else { return false };
        let takes = |value: Value| self.takes(place, value, before);
        // Where nothing is refused, the type does not look at the place.
        if !takes(text.into()) || takes(json!([[[]]])) {
            return false;
        }
        // The name of a variant may come as an object or as its number too; a plain string may not, and whatever its
        // schema lists is a rule.
        let is_variant = takes(json!({ listed: null }))
            || (0..MAX_VARIANTS).any(|number| takes(json!(number)))
            || self.lists(place, text);
        is_variant && self.is_of_arm(id, place, text, before)
    }

    /// Whether the type names the text among its variants when it refuses another one.
    fn lists(&self, place: &Place, text: &str) -> bool {
        let (refusal, name) = (format!("unknown variant `{UNLIKELY}`, expected "), format!("`{text}`"));
        let listed =
            |told: &Told| told.words().strip_prefix(&refusal).is_some_and(|list| list.contains(&name));
        self.ask(place, UNLIKELY.into()).is_some_and(|answer| answer.told.iter().any(listed))
    }

    /// Of an enum with a tag, the text must stand for this variant and not for one that ignores or refuses the members of
    /// this.
    fn is_of_arm(&self, id: NodeId, place: &Place, text: &str, before: &Answer) -> bool {
        let Some(holder) = self.places.holder(self.checker, id) else { return true };
        let members =
            self.checker.always(holder).into_iter().flat_map(|id| &self.checker.node(id).object.properties);
        let mut others = members.filter(|(name, _)| place.name() != Some(name));
        let is_read_as = |name: &str, child: NodeId, right: Value| {
            let Some(arguments) = place.with_two(text.into(), name, right.clone()) else { return true };
            let again = place
                .with_two(text.into(), name, right.clone())
                .and_then(|once| place.with_again(once, name));
            let wrong =
                wrong_for(self.checker, child).and_then(|wrong| place.with_two(text.into(), name, wrong));
            // Where the variant goes by its own name, the member may need others as well.
            let listed =
                place.value().cloned().and_then(|listed| place.with_two(listed, name, right.clone()));
            let with_it = listed.and_then(|listed| self.answer(&listed)).filter(|answer| answer.is_read);
            let before = with_it.as_ref().unwrap_or(before);
            let is_taken = |arguments: Option<Value>| {
                arguments.is_some_and(|arguments| self.is_taken(&arguments, before))
            };
            // What is read may not come twice, or not be wrong.
            is_taken(Some(arguments)) && (!is_taken(again) || (wrong.is_some() && !is_taken(wrong)))
        };
        let is_read = |name: &str, child: NodeId| {
            let Some(right) = example::minimal_at(self.checker, child) else { return true };
            // Whole numbers are those of many types.
            let fraction = Some(json!(1.5)).filter(|fraction| self.checker.fits(child, fraction));
            is_read_as(name, child, right)
                && fraction.is_none_or(|fraction| is_read_as(name, child, fraction))
        };
        // A map reads a member twice, but none that is wrong.
        let is_read_by_map = |child: NodeId| {
            let with = |value: Value| place.with_two(text.into(), UNLIKELY, value);
            let right = example::minimal_at(self.checker, child).and_then(with);
            let wrong = wrong_for(self.checker, child).and_then(with);
            right.is_some_and(|right| self.is_taken(&right, before))
                && wrong.is_some_and(|wrong| !self.is_taken(&wrong, before))
        };
        // What is itself a member of a map is no tag.
        let parts = self.checker.always(holder).into_iter().map(|id| &self.checker.node(id).object);
        let is_tag = |name: &str| parts.clone().any(|object| object.position(name).is_some());
        let is_tag = place.name().is_some_and(is_tag);
        let mut further = parts
            .filter_map(|object| object.additional)
            .filter(|id| is_tag && !self.checker.node(*id).never)
            // A map of anything tells nothing, and where there is no other variant there is nothing to tell.
            .filter(|rest| !self.checker.node(id).beside.is_empty() || !self.checker.node(*rest).is_free());
        others.all(|(name, child)| is_read(name, *child)) && further.all(is_read_by_map)
    }

    fn is_taken(&self, arguments: &Value, before: &Answer) -> bool {
        self.answer(arguments).is_some_and(|answer| answer.is_as_good_as(before))
    }

    fn answer(&self, arguments: &Value) -> Option<Answer> {
        self.left.set(self.left.get().checked_sub(1)?);
        Some((self.probe)(arguments))
    }

    /// Whether the type accepts the value at the location of the node, ignoring the constraints of the schema.
    fn is_of_type(&self, id: NodeId, value: Value) -> bool {
        let Some(place) = self.places.of(self.checker, id) else { return true };
        let Some(before) = place.value().and_then(|value| self.ask(place, value.clone())) else {
            return true;
        };
        self.ask(place, value).is_none_or(|answer| answer.is_as_good_as(&before))
    }

    /// Whether the type reads a further member by this name, without a look at the rules that the schema shows.
    fn is_name_of_map(&self, id: NodeId, name: &str) -> bool {
        let further = self.checker.node(id).object.additional;
        let sample = further.and_then(|further| example::minimal_at(self.checker, further));
        let Some((place, sample)) = self.places.of(self.checker, id).zip(sample) else { return true };
        let Some(Value::Object(members)) = place.value() else { return true };
        let Some(before) = self.ask(place, members.clone().into()) else { return true };
        let mut members = members.clone();
        members.insert(name.to_owned(), sample);
        self.ask(place, members.into()).is_none_or(|answer| answer.is_as_good_as(&before))
    }

    /// Whether what stands at `pointer` below the place makes no difference to the type.
    fn is_dropped(&self, id: NodeId, value: &Value, pointer: &str) -> bool {
        let Some(place) = self.places.of(self.checker, id) else { return true };
        let Some(before) = self.ask(place, value.clone()) else { return true };
        // What is read may not come twice, or be wrong.
        let Some((parent, name)) = pointer.rsplit_once('/') else { return true };
        let name = name.replace("~1", "/").replace("~0", "~");
        let mut changed = value.clone();
        let Some(Value::Object(members)) = changed.pointer_mut(parent) else { return true };
        let Some(member) = members.get(&name).cloned() else { return true };
        let is_same = |changed: Value| {
            self.ask(place, changed).is_none_or(|answer| {
                answer.is_read == before.is_read && answer.told.len() <= before.told.len()
            })
        };
        members.insert(name.clone(), json!({ UNLIKELY: [[]] }));
        let wrong = changed.clone();
        let Some(Value::Object(members)) = changed.pointer_mut(parent) else { return true };
        members.insert(name.clone(), member.clone());
        members.insert(format!("{AGAIN}{name}"), member);
        is_same(changed) && is_same(wrong)
    }
}

impl Insight for Ask<'_> {
    fn alias(&self, id: NodeId, name: &str) -> Option<usize> {
        let key = (id, name.into());
        if let Some(known) = self.aliases.borrow().get(&key) {
            return *known;
        }
        let found = self.find_alias(id, name);
        self.aliases.borrow_mut().insert(key, found);
        found
    }

    fn takes_unlisted(&self, id: NodeId, text: &str) -> bool {
        let key = (id, text.into());
        if let Some(known) = self.unlisted.borrow().get(&key) {
            return *known;
        }
        let found = if self.is_no_name(id, text) { self.takes_any(id) } else { self.is_unlisted(id, text) };
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
        self.knowledge.needs.get(&id).map_or(&[], Vec::as_slice)
    }
}
